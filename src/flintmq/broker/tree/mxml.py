"""Recorded assemblies: the `.mxml` files of flow recorders and test projects (MF 1.10), read, written and compared.

    <MessageAssembly xmlns:iib="http://com.ibm.iib/lt/1.0">
       <version iib:valueType="INTEGER">1</version>
       <checkpoint>...</checkpoint>                            where the assembly was recorded
       <message iib:parser="MQROOT">...</message>
       <localEnvironment iib:parser="MQROOT"/> <environment/> <exceptionList/> <context/>
    </MessageAssembly>

    attribute        meaning
    iib:parser       owner of the subtree; becomes the domain
    iib:elementType  type in hex; absent = NameValue with a value type, else a folder
    iib:valueType    ESQL type; absent = no value
    iib:value        the value of an element that has children, too
    iib:tz           time zone of a local TIME or TIMESTAMP
    iib:name         the name of an `iib:element`, where the name is none of XML
    iib:namespace, iib:qualifier, iib:hex     ours: a namespace that XML reserves, the qualifier of an INTERVAL, a text
                     with characters that XML does not have (hex of its UTF-8)

Times have no fraction if it is zero, three digits if those say it all, else six. A file that is read and written again
has the same elements, attributes and texts: details that the tree cannot hold (the recorder's names of parsers, time
zones) are kept beside it in `Recorded.notes`.

A document type is refused, so there is nothing to expand. Depth is bounded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Final
from xml.parsers import expat

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.tree.assembly import Assembly
from flintmq.broker.tree.difference import compare_trees
from flintmq.broker.tree.element import DEPTH_MAX, ROOT_DOMAIN, Element
from flintmq.broker.tree.types import NAME, NAME_VALUE
from flintmq.broker.values import (
    Interval,
    Time,
    Timestamp,
    esql_type,
    parse_bit,
    parse_blob,
    parse_date,
    parse_interval,
    parse_time,
    parse_timestamp,
    plain_text,
)

__all__ = ["Note", "Recorded", "differences", "read_mxml", "recorded_of", "write_mxml"]

NAMESPACE: Final = "http://com.ibm.iib/lt/1.0"
#: The number of a file that is no recorded assembly.
NOT_RECORDED: Final = 5004
INDENT: Final = "   "

#: By name of a parser the domain of its subtree. Roots of all transports are roots here.
_DOMAINS: Final = {
    "MQROOT": ROOT_DOMAIN,
    "WSRoot": ROOT_DOMAIN,
    "GENERICROOT": ROOT_DOMAIN,
    "MQPROPERTYPARSER": "Properties",
    "WSPROPERTYPARSER": "Properties",
    "GENERICPROPERTYPARSER": "Properties",
    "MQHMD": "MQMD",
    "MQHRF2": "MQRFH2",
    "MQHRF2C": "MQRFH2C",
    "MQHRF": "MQRFH",
    "MQDEAD": "MQDLH",
    "WSINPHDR": "HTTPInputHeader",
    "WSREPHDR": "HTTPReplyHeader",
    "WSRSPHDR": "HTTPResponseHeader",
    "WSREQHDR": "HTTPRequestHeader",
    "xmlnsc": "XMLNSC",
    "xmlns": "XMLNS",
    "xml": "XML",
    "json": "JSON",
    "mrm": "MRM",
    "dfdl": "DFDL",
    "soap": "SOAP",
    "mime": "MIME",
    "none": "BLOB",
    "COLLECTION": "Collection",
}
_PARSERS: Final = {domain: parser for parser, domain in reversed(_DOMAINS.items())}
#: The trees of an assembly by the names of their elements.
_TREES: Final = {
    "message": "Root",
    "localEnvironment": "LocalEnvironment",
    "environment": "Environment",
    "exceptionList": "ExceptionList",
}


@dataclass(slots=True)
class Note:
    """Details of an element in a file that the tree cannot hold.

    `text` and `kind` are valid while the value is `value`. The note holds its element, so that the `id` by which it is
    found stays that of this element.
    """

    parser: str = ""
    zone: str = ""
    injectable: str = ""
    #: Whether the type was written although it is the obvious one, or not although it is not.
    typed: bool | None = None
    text: str | None = None
    #: The type of a value that no value here can be: recorders write dates of the year 0 where a clock was not set.
    kind: str = ""
    value: object = None
    element: Element | None = field(default=None, compare=False)


@dataclass(slots=True)
class Recorded:
    """One file: its parts in order, by the names of their elements, and notes by the `id` of an element."""

    parts: dict[str, Element] = field(default_factory=dict)
    notes: dict[int, Note] = field(default_factory=dict)
    parser: str = "GENERICROOT"

    def assembly(self) -> Assembly:
        """Return the four trees. They are those of this object, not copies."""
        return Assembly(
            self.parts.get("message"),
            self.parts.get("localEnvironment"),
            self.parts.get("environment"),
            self.parts.get("exceptionList"),
        )

    def checkpoint(self, path: str) -> object:
        """Return a value of the checkpoint: 'source.name', 'target.terminal', 'messageId' ...; None if missing."""
        found = self.parts.get("checkpoint")
        return None if found is None else found.get(path)


def recorded_of(assembly: Assembly, checkpoint: Element | None = None) -> Recorded:
    """Return an assembly as a new recording."""
    parts = {"version": Element("version", 1, NAME_VALUE)}
    if checkpoint is not None:
        parts["checkpoint"] = checkpoint
    parts["environment"] = assembly.environment
    parts["localEnvironment"] = assembly.local_environment
    parts["exceptionList"] = assembly.exception_list
    parts["message"] = assembly.message
    return Recorded(parts)


# Reading.


def read_mxml(data: bytes) -> Recorded:
    """Return a recorded assembly. Raises BIP 5004 with line and column."""
    return _Reader().read(data)


class _Open:
    """An element before its end tag."""

    __slots__ = ("attributes", "element", "text")

    def __init__(self, element: Element, attributes: dict[str, str]) -> None:
        self.element = element
        self.attributes = attributes
        self.text: list[str] = []


class _Reader:
    """Builds the trees from the events of expat."""

    def __init__(self) -> None:
        self.recorded = Recorded()
        self.stack: list[_Open] = []
        self.inside = False
        # No separator is part of a name of XML.
        self.parser = expat.ParserCreate(namespace_separator="\n")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.doctype

    def read(self, data: bytes) -> Recorded:
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            reason = expat.errors.messages[error.code]
            raise parser_error(
                NOT_RECORDED,
                reason,
                error.lineno,
                error.offset + 1,
                text=f"line {error.lineno} column {error.offset + 1}: {reason}",
            ) from None
        except (LookupError, ValueError) as error:  # An encoding that Python does not have, or expat cannot use.
            raise self.error(f"the encoding cannot be used: {error}") from None
        return self.recorded

    def error(self, reason: str) -> BrokerError:
        line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        return parser_error(NOT_RECORDED, reason, line, column, text=f"line {line} column {column}: {reason}")

    def doctype(self, *_: object) -> None:
        raise self.error("a recorded assembly has no document type")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        namespace, _, local = name.rpartition("\n")
        own = {key[len(NAMESPACE) + 1 :]: value for key, value in attributes.items() if key.startswith(NAMESPACE)}
        if not self.inside:
            if local != "MessageAssembly":
                raise self.error(f"the root is {local}, not MessageAssembly: this is no recorded assembly")
            self.inside = True
            self.recorded.parser = own.get("parser", "")
            return
        if len(self.stack) >= DEPTH_MAX:
            raise self.error(f"elements are nested more than {DEPTH_MAX} deep")
        if namespace == NAMESPACE:
            local, namespace = own.get("name", local), own.get("namespace", "")
        element = Element(local, None, NAME, namespace)
        if self.stack:
            self.stack[-1].element.append(element)
        else:
            if local in self.recorded.parts:
                raise self.error(f"{local} stands twice")
            self.recorded.parts[local] = element
            element.name = _TREES.get(local, local)
            if local == "message":
                element.domain = ROOT_DOMAIN
        parser = own.get("parser", "")
        if parser and self.stack:
            element.domain = _DOMAINS.get(parser, parser)
        self.stack.append(_Open(element, own))

    def characters(self, text: str) -> None:
        if self.stack:
            self.stack[-1].text.append(text)

    def end(self, name: str) -> None:
        if not self.stack:
            return
        opened = self.stack.pop()
        element, own = opened.element, opened.attributes
        text = "".join(opened.text)
        if element.first is not None:
            if text.strip():
                raise self.error(f"{element.name} has children and the text {text.strip()[:20]!r}; use iib:value")
            text = own.get("value", "")
        elif "value" in own:
            text = own["value"]
        kind = own.get("valueType")
        if kind is not None:
            element.type = NAME_VALUE
            try:
                element.value = text if _is_year_0(kind, text) else _value(kind, text, own)
            except (ValueError, InvalidOperation) as error:
                raise self.error(f"{element.name} is no {kind}: {error}") from None
        elif text.strip():
            raise self.error(f"{element.name} has the text {text.strip()[:20]!r} without iib:valueType")
        if "elementType" in own:
            try:
                element.type = int(own["elementType"], 16) & 0xFFFFFFFF
            except ValueError:
                raise self.error(f"{element.name} has iib:elementType {own['elementType'][:20]!r}") from None
        self._note(element, own, text)

    def _note(self, element: Element, own: dict[str, str], text: str) -> None:
        """Keep details that the writer would not write of itself."""
        note = Note(own.get("parser", ""), own.get("tz", ""), own.get("injectable", ""))
        if ("elementType" in own) != _needs_type(element):
            note.typed = "elementType" in own
        if element.value is not None and "hex" not in own and value_text(element.value) != text:
            note.text, note.value = text, element.value
        if _is_year_0(own.get("valueType", ""), text):
            note.kind, note.value = own["valueType"], element.value
        if note != Note():
            note.element = element
            self.recorded.notes[id(element)] = note


def _is_year_0(kind: str, text: str) -> bool:
    """Return whether a text is a date of the year 0, which no DATE and no TIMESTAMP can be; it stays text."""
    return kind in ("DATE", "TIMESTAMP", "GMTTIMESTAMP") and text.startswith("0000-")


def _value(kind: str, text: str, own: dict[str, str]) -> object:
    """Return the value of a text. Raises ValueError."""
    if kind == "CHARACTER":
        return bytes.fromhex(text).decode("utf-8") if own.get("hex") == "true" else text
    if kind == "INTEGER":
        if len(text) > 20:
            raise ValueError("too many digits")
        return int(text)
    if kind == "BOOLEAN":
        if text.upper() not in ("TRUE", "FALSE"):
            raise ValueError(f"{text[:20]!r}")
        return text.upper() == "TRUE"
    if kind == "BLOB":
        return parse_blob(text)
    if kind == "DECIMAL":
        return Decimal(text)
    if kind == "FLOAT":
        return float(text)
    if kind == "DATE":
        return parse_date(text)
    if kind in ("TIME", "GMTTIME"):
        return parse_time(text, kind == "GMTTIME")
    if kind in ("TIMESTAMP", "GMTTIMESTAMP"):
        return parse_timestamp(text, kind == "GMTTIMESTAMP")
    if kind == "BIT":
        return parse_bit(text)
    if kind == "INTERVAL":
        return parse_interval(text, own.get("qualifier", "DAY TO SECOND"))
    raise ValueError("it is no ESQL type")


# Writing.


def write_mxml(recorded: Recorded | Assembly) -> bytes:
    """Return the bytes of a recorded assembly, in UTF-8. Raises BIP 5004 for a value that has no text."""
    if isinstance(recorded, Assembly):
        recorded = recorded_of(recorded)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    parser = f' iib:parser="{_escaped(recorded.parser)}"' if recorded.parser else ""
    lines.append(f'<MessageAssembly{parser} xmlns:iib="{NAMESPACE}">')
    for name, element in recorded.parts.items():
        _write_part(lines, name, element, recorded)
    lines.append("</MessageAssembly>\n")
    return "\n".join(lines).encode("utf-8")


def _write_part(lines: list[str], name: str, top: Element, recorded: Recorded) -> None:
    """Append the lines of one part, without recursion."""
    element, depth = top, 1
    tags: list[str] = []
    while True:
        # The opening tag, or all of an element without children.
        shown = name if element is top else element.name
        tag, attributes = _start(shown, element, recorded, element is top, name)
        first = element.first_child()
        if first is not None:
            if depth > DEPTH_MAX:
                raise parser_error(NOT_RECORDED, shown, text=f"elements are nested more than {DEPTH_MAX} deep")
            lines.append(f"{INDENT * depth}<{tag}{attributes}>")
            tags.append(tag)
            element, depth = first, depth + 1
            continue
        text = _leaf_text(element, recorded)
        end = f">{text}</{tag}>" if text else "/>"
        lines.append(f"{INDENT * depth}<{tag}{attributes}{end}")
        # On to the next sibling, closing what has ended.
        while element is not top:
            following = element.next_sibling()
            if following is not None:
                element = following
                break
            parent = element.parent
            assert parent is not None
            element, depth = parent, depth - 1
            lines.append(f"{INDENT * depth}</{tags.pop()}>")
        if element is top:
            return


def _start(shown: str, element: Element, recorded: Recorded, is_top: bool, part: str) -> tuple[str, str]:
    """Return the tag of an element and its attributes."""
    note = recorded.notes.get(id(element))
    tag, attributes = _tag(shown, "" if is_top else element.namespace)
    if note is not None and note.injectable:
        attributes.append(f'iib:injectable="{_escaped(note.injectable)}"')
    parser = note.parser if note is not None else _parser_name(element, part if is_top else "")
    if parser:
        attributes.append(f'iib:parser="{_escaped(parser)}"')
    typed = _needs_type(element)
    if note is not None and note.typed is not None:
        typed = note.typed
    if typed:
        attributes.append(f'iib:elementType="0x{element.type:08x}"')
    if element.value is not None:
        attributes += _value_attributes(element, recorded, note)
    return tag, "".join([" " + attribute for attribute in attributes])


def _tag(shown: str, namespace: str) -> tuple[str, list[str]]:
    """Return the tag for a name, and the attributes that hold the namespace, and a name that XML does not allow."""
    if not _is_name(shown) or namespace.startswith("http://www.w3.org/2000/xmlns"):
        attributes = [f'iib:name="{_escaped(shown)}"']
        if namespace:
            attributes.append(f'iib:namespace="{_escaped(namespace)}"')
        return "iib:element", attributes
    if namespace:
        return f"ns:{shown}", [f'xmlns:ns="{_escaped(namespace)}"']
    return shown, []


def _value_attributes(element: Element, recorded: Recorded, note: Note | None) -> list[str]:
    """Return the attributes that describe the value of an element."""
    value = element.value
    attributes: list[str] = []
    if note is not None and note.zone:
        attributes.append(f'iib:tz="{_escaped(note.zone)}"')
    if element.first_child() is not None:
        attributes.append(f'iib:value="{_escaped(_value_text(element, recorded))}"')
    if isinstance(value, Interval):
        attributes.append(f'iib:qualifier="{value.qualifier}"')
    if isinstance(value, str) and not _is_text(value):
        attributes.append('iib:hex="true"')
    kind = note.kind if note is not None and note.kind and note.value is value else _type_name(element)
    attributes.append(f'iib:valueType="{kind}"')
    return attributes


def _needs_type(element: Element) -> bool:
    """Return whether the type of an element is written: it is not the obvious one, or nothing else tells it."""
    value = element.value
    if element.first_child() is not None:
        return element.type != (NAME if value is None else NAME_VALUE) or value == ""
    if value is None:
        return element.type != NAME
    return element.type != NAME_VALUE or value == ""


def _parser_name(element: Element, part: str) -> str:
    """Return the recorder's name of the parser that owns a subtree; '' where none is attached."""
    if part in ("localEnvironment", "environment", "exceptionList"):
        return "MQROOT" if element.first_child() is not None else ""
    domain = element.domain
    if domain == ROOT_DOMAIN:
        names = [child.domain or child.name for child in element.children()]
        if "MQMD" in names:
            return "MQROOT"
        return "WSRoot" if any(name.startswith("HTTP") for name in names) else "GENERICROOT"
    if domain == "Properties" and element.parent is not None:
        return {"MQROOT": "MQPROPERTYPARSER", "WSRoot": "WSPROPERTYPARSER"}.get(
            _parser_name(element.parent, ""), "GENERICPROPERTYPARSER"
        )
    return _PARSERS.get(domain, domain)


def _type_name(element: Element) -> str:
    """Return the ESQL type of a value. Raises BIP 5004 for other values."""
    name = esql_type(element.value)
    if name in ("ROW", "LIST"):
        raise parser_error(NOT_RECORDED, element.name, text=f"the value of {element.name} is no ESQL value")
    return name


def _leaf_text(element: Element, recorded: Recorded) -> str:
    """Return the escaped text of an element without children."""
    return "" if element.value is None else _escaped(_value_text(element, recorded), False)


def _value_text(element: Element, recorded: Recorded) -> str:
    """Return the text of a value: as it was read while the value is the same."""
    note = recorded.notes.get(id(element))
    if note is not None and note.text is not None and note.value is element.value:
        return note.text
    return value_text(element.value)


def value_text(value: object) -> str:
    """Return the text of a value as recorders write it."""
    if isinstance(value, str):
        return value if _is_text(value) else value.encode("utf-8", "surrogatepass").hex()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, (Time, Timestamp)):
        text = str(value)
        if value.micro == 0:
            return text[:-7]
        return text[:-3] if value.micro % 1000 == 0 else text
    return plain_text(value)  # type: ignore[arg-type]  # _type_name has refused anything else.


def _is_text(text: str) -> bool:
    """Return whether all characters are characters of XML."""
    if text.isprintable():
        return True
    return not any(
        ord(c) < 32 and c not in "\t\n\r" or 0xD800 <= ord(c) <= 0xDFFF or ord(c) in (0xFFFE, 0xFFFF) for c in text
    )


def _is_name(name: str) -> bool:
    """Return whether a name can be a tag: ASCII letters, digits, - . _ and letters beyond ASCII."""
    if not name or not (name[0].isalpha() or name[0] == "_"):
        return False
    return all(c.isalnum() or c in "-._" for c in name) and (name.isascii() or name.isidentifier())


def _escaped(text: str, attribute: bool = True) -> str:
    """Return a text as it stands in an attribute or between tags."""
    if "&" in text:
        text = text.replace("&", "&amp;")
    text = text.replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")
    if attribute:
        text = text.replace('"', "&quot;").replace("\n", "&#10;").replace("\t", "&#9;")
    return text


# Comparing.


def differences(
    expected: Recorded | Assembly,
    found: Recorded | Assembly,
    ignore: tuple[str, ...] | list[str] = (),
    parts: tuple[str, ...] = ("message", "localEnvironment", "environment", "exceptionList"),
) -> list[str]:
    """Return the differences between two assemblies, one line each with its path; [] if they are equal.

    `ignore` are patterns of paths without indexes (`message/Properties/CreationTime`, `*/requestTime`); the part below
    an ignored element is ignored, too. A part that `expected` does not have is not compared.
    """
    wanted = recorded_of(expected) if isinstance(expected, Assembly) else expected
    given = recorded_of(found) if isinstance(found, Assembly) else found
    lines: list[str] = []
    for name in parts:
        if name in wanted.parts:
            lines += compare_trees(wanted.parts[name], given.parts.get(name), name, ignore)
    return lines
