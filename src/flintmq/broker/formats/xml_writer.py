"""Writes XML trees of the domains XMLNSC, XMLNS and XML.

The writer appends pieces of text to a list. An element that still agrees with its source is one piece: a slice of
the original document. That holds only where the slice means the same: every prefix that is declared around it in the
source must be declared alike in the output, and the default namespace must be the same. Otherwise the element is
written like any other.

Rules (MF 1.6): attributes and namespace declarations are written before content, whatever the order of the children. A
NamespaceDecl called `xmlns` in no namespace declares the default namespace, any other its name as a prefix. An element
or attribute in a namespace that no declaration names gets a generated prefix NS1, NS2 ... An element without content is
written `<a/>`. An XML declaration is written only if the tree has one. A colon in a name is written as it is.

The nesting of a tree is bounded by DEPTH_MAX; the writer has a stack of its own and does not recurse. The module is
compiled.
"""

from __future__ import annotations

import re
from typing import Final, final

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.formats.xml_index import BASE, Scope
from flintmq.broker.formats.xml_source import XmlSource
from flintmq.broker.formats.xml_text import declared_name, same_codec
from flintmq.broker.formats.xml_values import base64_text, xml_text
from flintmq.broker.tree.element import DEPTH_MAX, Element
from flintmq.broker.tree.types import (
    ATTRIBUTE,
    BASE64_FIELD,
    BIT_STREAM,
    CDATA_CONTENT,
    CDATA_FIELD,
    COMMENT,
    DOCUMENT_TYPE,
    ENTITY_DEFINITION,
    ENTITY_REFERENCE,
    FIELD,
    KIND,
    NAME,
    NAMESPACE_DECL,
    PROCESSING_INSTRUCTION,
    SINGLE_NAMESPACE_DECL,
    VALUE,
    XML_DECLARATION,
)

#: A name of XML 1.0, fifth edition. Colons are allowed anywhere but at the ends.
_START: Final = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME: Final = re.compile(
    f"[{_START}][{_START}0-9.\u00b7\u0300-\u036f\u203f-\u2040-]*(?::[{_START}0-9.\u00b7\u0300-\u036f\u203f-\u2040-]+)*"
)
#: Characters that no XML document can hold, not even as a reference.
_FORBIDDEN: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_CONTROLS: Final = bytes([*range(9), 11, 12, *range(14, 32)])

#: What cannot hold references to characters: comments, processing instructions, names of tags, CDATA sections.
_MARKUP: Final = re.compile(r"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>|</?[^\s/><!?]+", re.DOTALL)

#: Prefixes that are searched one by one. Where there are more, a prefix is generated instead.
_SEARCHED_MAX: Final = 64

#: Names that were found valid, by all writers. Emptied when it is full: names come from messages.
_VALID_NAMES: Final[set[str]] = set()
_VALID_NAMES_MAX: Final = 10_000
_NAME_LENGTH_MAX: Final = 100


def write_error(text: str, number: int = 5005, *inserts: object) -> BrokerError:
    """Return the error of a tree that cannot be written: 5010, with the detail as its cause."""
    cause = parser_error(number, *inserts, text=text)
    return parser_error(5010, text="the XML document cannot be written", cause=cause)


@final
class _Stack:
    """The elements that are open while a tree is written, outermost first."""

    __slots__ = ("marks", "tags", "top", "versions")

    def __init__(self, top: Element) -> None:
        self.top: Element = top
        self.tags: list[str] = []
        #: The length of `XmlWriter.undo`, and the declarations in force, before each was opened.
        self.marks: list[int] = []
        self.versions: list[int] = []


@final
class XmlWriter:
    """Writes one document or element."""

    __slots__ = (
        "codec",
        "default",
        "generated",
        "parts",
        "plain_names",
        "prefix",
        "prefixes",
        "safe",
        "same_prefixes",
        "separate_text",
        "undo",
        "uris",
        "version",
        "versions",
    )

    def __init__(self, domain: str, codec: str, prefix: str = "NS") -> None:
        self.codec: str = codec
        self.parts: list[str] = []
        #: The domain XML: names are written as they are.
        self.plain_names: bool = domain == "XML"
        #: XML and XMLNS: text is a child; the value of an element only repeats it.
        self.separate_text: bool = domain in ("XML", "XMLNS")
        self.prefix: str = prefix
        self.generated: int = 0
        #: The namespaces in force: prefix to namespace, namespace to a prefix that is not '', and the default.
        self.uris: dict[str, str] = {}
        self.prefixes: dict[str, str] = {}
        self.default: str = ""
        #: What to restore when an element ends: dictionary, key, old value; for each in turn.
        self.undo: list[tuple[int, str, str | None]] = []
        #: The number of the set of declarations in force. An element without declarations has the one of its parent.
        self.version: int = 0
        self.versions: int = 0
        self.safe: dict[int, bool] = {}
        self.same_prefixes: Scope | None = None

    # Documents.

    def write_body(self, body: Element) -> None:
        """Write the children of a body folder. The XML declaration comes first wherever it stands."""
        if body.value is not None and xml_text(body.value).strip():
            raise write_error(
                f"the folder {body.name} has a value; only elements can stand there", 5005, body.name, body.value
            )
        child = body.first_child()
        while child is not None:
            if child.type == XML_DECLARATION:
                self.write_declaration(child)
            child = child.next_sibling()
        child = body.first_child()
        while child is not None:
            if child.type != XML_DECLARATION:
                kind = child.type & KIND
                if kind == VALUE and child.type != ENTITY_REFERENCE:
                    text = xml_text(child.value)
                    if text.strip(" \t\r\n"):
                        raise write_error(f"text {text[:40]!r} stands outside the root element", 5005, text[:40])
                    self.parts.append(text)
                elif child.type & ~3 == ATTRIBUTE:
                    # ASBITSTREAM may write the children of any element; its own attributes are not among them.
                    if body.domain:
                        raise write_error(f"attribute {child.name} stands outside the root element", 5005, child.name)
                else:
                    self.write_tree(child)
            child = child.next_sibling()

    def write_declaration(self, declaration: Element) -> None:
        """Write the XML declaration. Its encoding is the one that is written, whatever the tree says."""
        version = "1.0"
        encoding = ""
        standalone = ""
        position = 0
        child = declaration.first_child()
        while child is not None:
            text = xml_text(child.value)
            name = child.name.lower()
            # Nameless parts, as old code creates them, come in the order of the declaration.
            if name == "version" or (not name and position == 0):
                version = text or version
            elif name == "encoding" or (not name and position == 1):
                encoding = text
            elif name == "standalone" or (not name and position == 2):
                standalone = text.lower()
            position += 1
            child = child.next_sibling()
        if not version.replace(".", "").isalnum():
            raise write_error(f"{version!r} is not a version of XML", 5005, version)
        self.parts.append(f'<?xml version="{version}"')
        if encoding:
            if not same_codec(encoding, self.codec):
                encoding = declared_name(self.codec)
            self.parts.append(f' encoding="{encoding}"')
        if standalone in ("yes", "no"):
            self.parts.append(f' standalone="{standalone}"')
        self.parts.append("?>")

    # Elements.

    def write_tree(self, top: Element) -> None:
        """Write one node with all below it."""
        mark = len(self.undo)
        version = self.version
        stack = _Stack(top)
        element: Element | None = top
        while element is not None:
            element = self._write_next(element, stack)
        self._restore(mark)
        self.version = version

    def _write_next(self, element: Element, stack: _Stack) -> Element | None:
        """Write a leaf or a start tag; return the node to write next, or None at the end."""
        top = stack.top
        if not element.changed and element.next is None and element.entry > 0 and element is not top:
            above = element.parent
            if above is not None and above.cursor == -element.entry and above.source is element.source:
                if self._rest(above, element.entry - 1, stack):
                    return None
        mark = len(self.undo)
        version = self.version
        tag = self._open(element)
        if tag:
            stack.tags.append(tag)
            stack.marks.append(mark)
            stack.versions.append(version)
            if len(stack.tags) > DEPTH_MAX:
                raise write_error(f"elements are nested deeper than {DEPTH_MAX}", 5004)
            return self._content_child(element.first)
        if len(self.undo) > mark:
            self._restore(mark)
            self.version = version
        return self._following(element, stack)

    def _following(self, element: Element, stack: _Stack) -> Element | None:
        """Return the node behind one that is written, and write the end tags on the way to it."""
        while element is not stack.top:
            following = self._content_child(element.next)
            if following is not None:
                return following
            parent = element.parent
            assert parent is not None
            element = parent
            if element.pending:
                if element.cursor > 0 and self._rest(element, element.cursor, stack):
                    return None
                self._tail(element)
            self.parts.append(f"</{stack.tags.pop()}>")
            mark = stack.marks.pop()
            self.version = stack.versions.pop()
            if len(self.undo) > mark:
                self._restore(mark)
        return None

    def _content_child(self, child: Element | None) -> Element | None:
        """Return the first sibling from `child` on that is content, not an attribute or a declaration."""
        while child is not None:
            detail = child.type & ~3
            if detail != 0x03000100:
                return child
            child = child.next
        return None

    def _copy(self, element: Element, source: XmlSource) -> bool:
        """Write an element as its source has it, as far as it is unchanged; return whether it is written."""
        if not element.changed:
            return self._slice(element, source)
        return element.first is None and element.pending and self._shell(element, source)

    def _open(self, element: Element) -> str:
        """Write a leaf, or a start tag; return the name for the end tag if children must follow."""
        kind = element.type
        source = element.source
        parts = self.parts
        if isinstance(source, XmlSource) and self._copy(element, source):
            return ""
        if kind == FIELD and element.first is None and not element.pending:
            return self._field(element)
        if kind & KIND == VALUE:
            self._text_node(element, kind)
            return ""
        if kind in (COMMENT, PROCESSING_INSTRUCTION, DOCUMENT_TYPE, BIT_STREAM, ENTITY_DEFINITION, XML_DECLARATION):
            self._special(element, kind)
            return ""
        # Children that the source has not built yet are content, and mostly go out as one slice (`_tail`).
        if element.pending and (element.cursor == 0 or not isinstance(source, XmlSource)):
            element.first_child()
        has_attributes = False
        own_default = False
        child = element.first
        while child is not None:
            if child.type & ~3 == 0x03000100:
                has_attributes = True
                if child.type & 2 and not self.plain_names and self._declare(child):
                    own_default = True
            child = child.next
        late: list[str] = []
        tag = self._tag(element, late, own_default)
        parts.append("<" + tag)
        if has_attributes:
            self._attributes(element, late)
        parts.extend(late)
        has_tail = False
        if element.pending:
            has_tail = isinstance(source, XmlSource) and self._may_slice_tail(element, source)
            if not has_tail:
                element.build_all()
        return self._content(element, tag, has_tail)

    def _content(self, element: Element, tag: str, has_tail: bool) -> str:
        """Write an element behind its attributes, up to its first child; return the name for its end tag, if any."""
        parts = self.parts
        content = self._content_child(element.first)
        value = element.value
        text = ""
        if value is not None:
            if self.separate_text:
                # Text is a child, built or not, and the value repeats it.
                child = content
                while child is not None and child.type & KIND != VALUE:
                    child = child.next
                source = element.source
                if child is not None or (has_tail and isinstance(source, XmlSource) and not source.compact):
                    value = None
            if value is not None:
                text = self._value_text(element, value, element.type)
        if content is not None:
            parts.append(">")
            if text:
                parts.append(text)
            return tag
        if text or has_tail:
            parts.append(">")
            parts.append(text)
            if has_tail:
                self._tail(element)
            parts.append(f"</{tag}>")
        else:
            parts.append("/>")
        return ""

    def _field(self, element: Element) -> str:
        """Write a simple element without attributes."""
        name = element.name
        if name not in _VALID_NAMES:
            check_name(name)
        late = ""
        tag = name
        if element.namespace != self.default and not self.plain_names:
            declarations: list[str] = []
            tag = self._tag(element, declarations, False)
            late = "".join(declarations)
        value = element.value
        text = escaped(value) if isinstance(value, str) else self._value_text(element, value, FIELD)
        if text:
            self.parts.append(f"<{tag}{late}>{text}</{tag}>")
        else:
            self.parts.append(f"<{tag}{late}/>")
        return ""

    def _may_slice_tail(self, element: Element, source: XmlSource) -> bool:
        """Return whether the children of an element that are not built yet mean the same here as in their source."""
        index = source.document.index
        if index is None or element.entry <= 0 or source.generic or source.plain_names != self.plain_names:
            return False
        if self.plain_names:
            return True
        scope: Scope | None = index.scopes.get(element.entry) if index.scoped else BASE
        return scope is not None and self._same_scope(scope)

    def _tail(self, element: Element) -> None:
        """Write the children that are not built yet, from the source."""
        source = element.source
        assert isinstance(source, XmlSource)
        index = source.document.indexed()
        index.prove(-1)
        start = element.cursor if element.cursor > 0 else index.behind(-element.cursor)
        end = index.text.rfind("<", start, index.behind(element.entry))
        self.parts.append(index.text[start:end])

    def _value_text(self, element: Element, value: object, kind: int) -> str:
        """Return the value of an element as escaped text."""
        if isinstance(value, str):
            text = value
        elif isinstance(value, bytes) and kind == BASE64_FIELD:
            return base64_text(value)
        else:
            try:
                text = xml_text(value)
            except TypeError as error:
                raise write_error(f"{element.name}: {error}", 5005, element.name) from None
        if kind == CDATA_FIELD:
            return cdata(text) if text else ""
        return escaped(text)

    def _slice(self, element: Element, source: XmlSource) -> bool:
        """Write an unchanged element from its source; return False if that would mean something else here."""
        index = source.document.index
        entry = element.entry
        if index is None or entry <= 0 or source.generic or source.plain_names != self.plain_names:
            return False
        if not self.plain_names:
            scope = index.outer_scope(entry)
            if scope is None or not self._same_scope(scope):
                return False
        index.prove(-1)
        self.parts.append(index.text[entry - 1 : index.behind(entry)])
        return True

    def _shell(self, element: Element, source: XmlSource) -> bool:
        """Write an element that has the attributes and content of its source, and only another name.

        Such is a copy of a folder to another place. Return False if it must be written piece by piece.
        """
        index = source.document.index
        entry = element.entry
        if index is None or entry <= 0 or source.generic or source.plain_names != self.plain_names:
            return False
        if source.compact and (element.type & KIND != NAME or element.value is not None):
            return False
        name_end = index.name_end(entry)
        content = index.tag_end(entry) + 1
        if element.cursor != 0 and element.cursor != content:
            return False
        if not self.plain_names:
            scope = index.outer_scope(entry)
            if scope is None or index.scope_of(entry) is not scope or not self._same_scope(scope):
                return False
            if not element.namespace and self.default:
                return False
        index.prove(-1)
        behind = index.behind(entry)
        late: list[str] = []
        tag = self._tag(element, late, False)
        parts = self.parts
        parts.append("<" + tag)
        parts.extend(late)
        text = index.text
        if behind == content:
            parts.append(text[name_end:behind])
            return True
        parts.append(text[name_end : text.rfind("<", content, behind)])
        parts.append(f"</{tag}>")
        return True

    def _same_scope(self, scope: Scope) -> bool:
        """Return whether a slice from a scope of the source means the same at this place of the output."""
        if scope is BASE:
            return self.default == ""
        # One answer for each pair of scopes; siblings share both.
        if scope is not self.same_prefixes:
            self.same_prefixes = scope
            self.safe.clear()
        known = self.safe.get(self.version)
        if known is None:
            known = True
            default = ""
            for prefix, namespace in scope.effective().items():
                if not prefix:
                    default = namespace
                elif self.uris.get(prefix) != namespace:
                    known = False
                    break
            known = known and default == self.default
            self.safe[self.version] = known
        return known

    def _rest(self, inner: Element, start: int, stack: _Stack) -> bool:
        """Write all that is left of a document from its source, end tags included, if nothing of it was changed.

        `start` is where the content of `inner`, the innermost open element, goes on. A change near the front of a
        document then needs no scan of the rest.
        """
        source = inner.source
        if not isinstance(source, XmlSource):
            return False
        index = source.document.index
        top = stack.top
        if index is None or top.entry != index.root_start + 1:
            return False
        element = inner
        level = len(stack.tags) - 1
        while True:
            entry = element.entry
            if element.source is not source or not element.pending or not self._may_slice_tail(element, source):
                return False
            # A namespace that was declared further inside would be in force for too much.
            if level > 0 and stack.versions[level] != self.version:
                return False
            if index.text[entry : index.name_end(entry)] != stack.tags[level]:
                return False
            if element is top:
                break
            parent = element.parent
            if parent is None or element.next is not None or parent.cursor != -entry:
                return False
            element = parent
            level -= 1
        self.parts.append(index.text[start : index.behind(top.entry)])
        return True

    # Namespaces.

    def _declare(self, declaration: Element) -> bool:
        """Put a namespace declaration of the tree into force; return whether it is that of the default namespace."""
        namespace = xml_text(declaration.value)
        name = declaration.name.removeprefix("xmlns:")
        if name == "xmlns" and not declaration.namespace:
            self.bind("", namespace)
            return True
        if not namespace:
            raise write_error(f"the namespace declaration of the prefix {name} is empty", 5005, name)
        self.bind(name, namespace)
        return False

    def bind(self, prefix: str, namespace: str) -> None:
        """Bind a prefix ('' = the default namespace) until the element that is being written ends."""
        self.versions += 1
        self.version = self.versions
        if not prefix:
            self.undo.append((0, "", self.default))
            self.default = namespace
            return
        self.undo.append((1, prefix, self.uris.get(prefix)))
        self.undo.append((2, namespace, self.prefixes.get(namespace)))
        self.uris[prefix] = namespace
        self.prefixes[namespace] = prefix

    def _restore(self, mark: int) -> None:
        """Take back the declarations of an element that ends."""
        undo = self.undo
        while len(undo) > mark:
            which, key, old = undo.pop()
            if which == 0:
                self.default = "" if old is None else old
            elif which == 1:
                if old is None:
                    self.uris.pop(key, None)
                else:
                    self.uris[key] = old
            elif old is None:
                self.prefixes.pop(key, None)
            else:
                self.prefixes[key] = old

    def _tag(self, element: Element, late: list[str], own_default: bool) -> str:
        """Return the name of an element as written; declarations that it needs are appended to `late`."""
        name = element.name
        if name not in _VALID_NAMES:
            check_name(name)
        if self.plain_names:
            return name
        namespace = element.namespace
        if namespace == self.default:
            return name
        if not namespace:
            if own_default or ":" in name:
                # Made by code that knows no namespaces: the declaration, or the prefix in the name, is meant.
                return name
            late.append(' xmlns=""')
            self.bind("", "")
            return name
        return f"{self._prefix_of(namespace, late)}:{name}"

    def _prefix_of(self, namespace: str, late: list[str]) -> str:
        """Return a prefix for a namespace; declare a generated one if none is in force."""
        if namespace == "http://www.w3.org/XML/1998/namespace":
            return "xml"
        prefix = self.prefixes.get(namespace)
        if prefix is not None:
            if self.uris.get(prefix) == namespace:
                return prefix
            # That prefix means something else meanwhile; another one may still be in force.
            if len(self.uris) <= _SEARCHED_MAX:
                for other, uri in self.uris.items():
                    if uri == namespace:
                        return other
        while True:
            self.generated += 1
            prefix = f"{self.prefix}{self.generated}"
            if prefix not in self.uris:
                break
        late.append(f' xmlns:{prefix}="{escaped_attribute(namespace)}"')
        self.bind(prefix, namespace)
        return prefix

    def _attributes(self, element: Element, late: list[str]) -> None:
        """Write attributes and namespace declarations. A second one of the same name would not be well-formed."""
        parts = self.parts
        seen: set[str] = set()
        child = element.first
        while child is not None:
            kind = child.type
            if kind & ~3 == 0x03000100:
                value = child.value
                text = value if isinstance(value, str) else xml_text(value)
                name = child.name
                if kind & 2 and not self.plain_names:
                    if name.startswith("xmlns:"):
                        pass
                    elif name == "xmlns" and not child.namespace:
                        pass
                    else:
                        name = "xmlns:" + name
                    if name not in _VALID_NAMES:
                        check_name(name)
                else:
                    if name not in _VALID_NAMES:
                        check_name(name)
                    if child.namespace and not self.plain_names:
                        name = f"{self._prefix_of(child.namespace, late)}:{name}"
                if name in seen:
                    raise write_error(f"element {element.name} has two attributes {name}", 5005, element.name, name)
                seen.add(name)
                if kind & 1 and kind != NAMESPACE_DECL or kind == SINGLE_NAMESPACE_DECL:
                    parts.append(f" {name}='{escaped_single(text)}'")
                else:
                    parts.append(f' {name}="{escaped_attribute(text)}"')
            child = child.next

    # Other nodes.

    def _text_node(self, element: Element, kind: int) -> None:
        """Write text, a CDATA section or an entity reference."""
        text = xml_text(element.value)
        if kind == CDATA_CONTENT:
            self.parts.append(cdata(text))
        elif kind == ENTITY_REFERENCE:
            check_name(text)
            self.parts.append(f"&{text};")
        else:
            self.parts.append(escaped(text))

    def _special(self, element: Element, kind: int) -> None:
        """Write a comment, a processing instruction, a document type or XML that is written already."""
        value = element.value
        if kind == BIT_STREAM:
            if isinstance(value, bytes):
                try:
                    self.parts.append(value.decode(self.codec))
                except UnicodeDecodeError:
                    raise write_error(f"the bit stream {element.name} is not text of {self.codec}", 5005) from None
            else:
                self.parts.append(xml_text(value))
            return
        text = xml_text(value)
        if kind == COMMENT:
            if "--" in text or text.endswith("-"):
                raise write_error("a comment cannot hold '--' or end with '-'", 5005, text[:40])
            self.parts.append(f"<!--{text}-->")
        elif kind == PROCESSING_INSTRUCTION:
            check_name(element.name)
            if "?>" in text or element.name.lower() == "xml":
                raise write_error(f"the processing instruction {element.name} cannot be written", 5005, text[:40])
            self.parts.append(f"<?{element.name} {text}?>" if text else f"<?{element.name}?>")
        elif kind == DOCUMENT_TYPE:
            self._document_type(element)

    def _document_type(self, element: Element) -> None:
        """Write a document type declaration from its parts."""
        name = element.name
        public = system = ""
        subset: list[str] = []
        child = element.first_child()
        while child is not None:
            text = xml_text(child.value)
            if child.type == ENTITY_DEFINITION:
                check_name(child.name)
                quoted = (
                    text.replace("&", "&#38;").replace("%", "&#37;").replace('"', "&#34;").replace("<", "&#38;#60;")
                )
                subset.append(f'<!ENTITY {child.name} "{quoted}">')
            elif child.name == "Name":
                name = text
            elif child.name == "PublicId":
                public = text
            elif child.name == "SystemId":
                system = text
            elif child.name == "IntSubset":
                subset.append(text)
            child = child.next_sibling()
        check_name(name)
        if '"' in public or ('"' in system and "'" in system):
            raise write_error("an identifier of the document type holds quotation marks", 5005, name)
        self.parts.append(f"<!DOCTYPE {name}")
        quote = "'" if '"' in system else '"'
        if public:
            self.parts.append(f' PUBLIC "{public}" {quote}{system}{quote}')
        elif system:
            self.parts.append(f" SYSTEM {quote}{system}{quote}")
        if subset:
            self.parts.append(f" [{''.join(subset)}]")
        self.parts.append(">")

    # The result.

    def encoded(self) -> bytes:
        """Return the output in its character set; characters that it lacks as references."""
        text = "".join(self.parts)
        try:
            checked = text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise write_error(
                f"character {ord(text[error.start]):#x} cannot stand in an XML document", 5005, error.start
            ) from None
        if len(checked.translate(None, _CONTROLS)) != len(checked) or (
            len(checked) != len(text) and ("\ufffe" in text or "\uffff" in text)
        ):
            found = _FORBIDDEN.search(text)
            assert found is not None
            around = text[max(found.start() - 30, 0) : found.start()]
            raise write_error(
                f"character {ord(found[0]):#x} behind {around!r} cannot stand in an XML document", 5005, around
            )
        if self.codec == "utf-8":
            return checked
        try:
            return text.encode(self.codec)
        except UnicodeEncodeError:
            return with_references(text, self.codec)


def with_references(text: str, codec: str) -> bytes:
    """Return a document in a character set that lacks some of its characters: those are written as references.

    Names, comments and processing instructions cannot hold references: a character that is missing there is an error.
    """
    pieces: list[bytes] = []
    position = 0
    for found in _MARKUP.finditer(text):
        pieces.append(text[position : found.start()].encode(codec, "xmlcharrefreplace"))
        markup = found[0]
        position = found.end()
        if markup.startswith("<![CDATA["):
            for character in markup:
                try:
                    pieces.append(character.encode(codec))
                except UnicodeEncodeError:
                    pieces.append(f"]]>&#{ord(character)};<![CDATA[".encode(codec))
            continue
        try:
            pieces.append(markup.encode(codec))
        except UnicodeEncodeError as error:
            missing = markup[error.start]
            raise write_error(
                f"{codec} has no character {missing!r}, which stands in {markup[:60]!r}", 5005, codec, missing
            ) from None
    pieces.append(text[position:].encode(codec, "xmlcharrefreplace"))
    return b"".join(pieces)


def check_name(name: str) -> None:
    """Raise 5010 if `name` is not a name of XML."""
    if _NAME.fullmatch(name) is None:
        raise write_error(f"{name[:80]!r} is not a name of XML", 5005, name[:80])
    if len(_VALID_NAMES) >= _VALID_NAMES_MAX:
        _VALID_NAMES.clear()
    if len(name) <= _NAME_LENGTH_MAX:
        _VALID_NAMES.add(name)


def escaped(text: str) -> str:
    """Return text as content of an element."""
    if "&" in text:
        text = text.replace("&", "&amp;")
    if "<" in text:
        text = text.replace("<", "&lt;")
    if ">" in text:
        text = text.replace(">", "&gt;")
    if "\r" in text:
        text = text.replace("\r", "&#13;")
    return text


def escaped_attribute(text: str) -> str:
    """Return text as an attribute value between double quotation marks."""
    text = escaped(text)
    if '"' in text:
        text = text.replace('"', "&quot;")
    return _white_space(text)


def escaped_single(text: str) -> str:
    """Return text as an attribute value between single quotation marks."""
    text = escaped(text)
    if "'" in text:
        text = text.replace("'", "&apos;")
    return _white_space(text)


def _white_space(text: str) -> str:
    """Write line feeds and tabs as references: a reader would make blanks of them."""
    if "\n" in text:
        text = text.replace("\n", "&#10;")
    if "\t" in text:
        text = text.replace("\t", "&#9;")
    return text


def cdata(text: str) -> str:
    """Return text as CDATA, in several sections where it holds the end of one."""
    if "]]>" in text:
        text = text.replace("]]>", "]]]]><![CDATA[>")
    if "\r" in text:
        text = text.replace("\r", "]]>&#13;<![CDATA[")
    return f"<![CDATA[{text}]]>"
