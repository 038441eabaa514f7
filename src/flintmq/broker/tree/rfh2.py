"""MQRFH2 and MQRFH as folders of a message tree, and back (MF 1.5).

    MQRFH2
      Version Format Encoding CodedCharSetId Flags NameValueCCSID     the fields of the fixed part
      usr                                                             one folder per NameValueData
        colour  'red'            CHARACTER
        count   42               INTEGER, written as <count dt='i4'>42</count>
      psc
        Topic   'a/b'            names may repeat

A value gets the type that its attribute dt names: i1 to i8 and int INTEGER, r4 and r8 FLOAT, boolean BOOLEAN, bin.hex
BLOB; others CHARACTER. On the way back the type of the value gives dt, except in the folders that the product itself
defines (mcd, psc, pscr, jms ...): their values have none. A dt that the type would not give again (i8 for a small
number) stays as an attribute, as all other attributes do. An element with xsi:nil='true' is NULL.

A folder is text until it is touched; an unchanged one is written as it came. A simple field below MQRFH2 that is no
field of the fixed part is written as a folder with text (BA 2.3, 31).

MQRFH, version 1, has its fixed fields and then one leaf per name and value.
"""

from __future__ import annotations

import logging
from decimal import Decimal
from typing import Final, final

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.tree.element import Element, Source
from flintmq.broker.tree.header_fields import HEADER_READ, HEADER_WRITE
from flintmq.broker.tree.types import ATTRIBUTE, KIND, NAME, NAME_VALUE, VALUE
from flintmq.broker.values import Bit, Date, Interval, Time, Timestamp, plain_text
from flintmq.mqi import folders
from flintmq.mqi.errors import StructureError
from flintmq.mqi.folders import DEPTH_MAX, escape, read_folder, read_root
from flintmq.mqi.property_values import TYPE_OF_DT, read_value, write_value
from flintmq.mqi.values.calls import MQTYPE_FLOAT64, MQTYPE_STRING

_LOG: Final = logging.getLogger(__name__)
#: Folders whose values are plain text, whatever type ESQL has assigned.
PLAIN_FOLDERS: Final = frozenset(("mcd", "psc", "pscr", "jms", "mqext", "mqps", "mq", "mqema", "sib", "sib_context"))
_BAD_IN_NAMES: Final = frozenset(" \t\r\n/>=<'\"&")


@final
class FolderSource(Source):
    """The text of the folders of one MQRFH2. The entry of an element is the number of its folder."""

    def __init__(self, domain: str, texts: list[str]) -> None:
        super().__init__(domain)
        self.texts: Final = texts

    def more(self, element: Element) -> None:
        """Read the text of a folder and append all that is in it. Raises BIP 6118."""
        try:
            found = read_folder(self.texts[element.entry])
        except StructureError as error:
            raise folder_error(self.domain, element.name, error) from None
        _fill(element, found)
        element.pending = False

    def append_folders(self, header: Element) -> None:
        """Append one element per folder to a header; their content is read when it is touched."""
        for number, text in enumerate(self.texts):
            if not text:
                continue
            try:
                root = read_root(text)
            except StructureError as error:
                raise folder_error(self.domain, f"number {number + 1}", error) from None
            folder = Element(root.name, None, NAME)
            folder.source = self
            folder.entry = number
            folder.pending = True
            folder.changed = False
            header.append_built(folder)


def folder_error(domain: str, name: str, error: StructureError) -> BrokerError:
    """Return BIP 6118 for a folder that cannot be read."""
    return parser_error(
        HEADER_READ, domain, name, error.text, text=f"{domain}: folder {name} cannot be read: {error.text}"
    )


def _fill(top: Element, found: folders.Element) -> None:
    """Give an element attributes, children and value of an element of a folder, without recursion."""
    work: list[tuple[Element, folders.Element]] = [(top, found)]
    while work:
        element, read = work.pop()
        nil = False
        kind = read.attributes.get("dt", "")
        typed = TYPE_OF_DT.get(kind, MQTYPE_STRING)
        value: object = None
        if not read.children:
            value = read.text
            if typed != MQTYPE_STRING:
                try:
                    value = read_value(read.text, typed)
                except StructureError as error:
                    raise parser_error(
                        HEADER_READ, top.name, read.name, text=f"{top.name}.{read.name} with dt={kind}: {error.text}"
                    ) from None
        for name, text in read.attributes.items():
            if name == "dt" and _dt_of(value) == kind:
                continue
            if name == "xsi:nil" and text in ("true", "1"):
                nil = True
            attribute = Element(name, text, ATTRIBUTE)
            attribute.changed = False
            element.append_built(attribute)
        if read.children:
            for child in read.children:
                made = Element(child.name, None, NAME if child.children else NAME_VALUE)
                made.changed = False
                element.append_built(made)
                work.append((made, child))
        elif not nil and (value != "" or element is not top):
            element.value = value


def _dt_of(value: object) -> str:
    """Return the dt that the type of a value gives."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "i4" if -(2**31) <= value < 2**31 else "i8"
    if isinstance(value, float):
        return "r8"
    if isinstance(value, bytes):
        return "bin.hex"
    return ""


def folder_text(folder: Element, header: str) -> str:
    """Return the text of a folder: as it came if it is unchanged. Raises BIP 6119."""
    source = folder.source
    if not folder.changed and isinstance(source, FolderSource) and not folder.namespace:
        text = source.texts[folder.entry]
        if read_root(text).name == folder.name:
            return text
    if folder.type & KIND == NAME_VALUE and folder.first_child() is None:
        _LOG.info("%s.%s is no field of the header; it is written as a folder", header, folder.name)
    parts: list[str] = []
    _write(parts, folder, header, folder.name not in PLAIN_FOLDERS, 1)
    return "".join(parts)


def _write(parts: list[str], element: Element, header: str, typed: bool, depth: int) -> None:
    """Append the text of an element. The depth of a folder is bounded, so this recurses."""
    name = element.name
    if depth > DEPTH_MAX:
        raise _write_error(header, name, f"elements are nested more than {DEPTH_MAX} deep")
    if not name or not _BAD_IN_NAMES.isdisjoint(name) or name[0] in "!?-." or name[0].isdigit():
        raise _write_error(header, name, "this is no name for an element of a folder; rename it")
    parts.append(f"<{name}")
    value = element.value
    children: list[Element] = []
    nil = False
    given = ""
    child = element.first_child()
    while child is not None:
        if child.type & 0xFFFFFF00 == ATTRIBUTE:
            if child.name == "dt":
                given = str(child.value)
            else:
                nil = nil or child.name == "xsi:nil"
                parts.append(f" {child.name}='{escape(_text_of(child, header))}'")
        elif child.type & KIND == VALUE:
            value = child.value
        else:
            children.append(child)
        child = child.next_sibling()
    if not children:
        parts.append(_type_attribute(value, given, typed))
        if value is None and not nil and typed and depth > 1 and element.type & KIND != NAME:
            parts.append(" xsi:nil='true'")
        parts.append(f">{escape(_plain(value, header, name))}</{name}>")
        return
    parts.append(">")
    for child in children:
        _write(parts, child, header, typed, depth + 1)
    parts.append(f"</{name}>")


def _type_attribute(value: object, given: str, typed: bool) -> str:
    """Return the attribute `dt` of a value: the type in the tree, if the value fits it, or the type of the value."""
    kind = given if given and _fits(value, given) else _dt_of(value) if typed else ""
    return f" dt='{escape(kind)}'" if kind else ""


def _fits(value: object, dt: str) -> bool:
    """Return whether a text of this value is read back as the same value with this dt."""
    kind = TYPE_OF_DT.get(dt, MQTYPE_STRING)
    if kind == MQTYPE_STRING:
        return isinstance(value, str)
    try:
        again = read_value(_plain(value, "", ""), kind)
    except (StructureError, BrokerError):
        return False
    return again == value and type(again) is type(value)


def _text_of(element: Element, header: str) -> str:
    """Return the value of an attribute as text."""
    return _plain(element.value, header, element.name)


def _plain(value: object, header: str, name: str) -> str:
    """Return a value as the text of an element."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, (int, float, bytes)):
        return write_value(value, MQTYPE_FLOAT64)
    if isinstance(value, (Decimal, Bit, Date, Time, Timestamp, Interval)):
        return plain_text(value)
    raise _write_error(header, name, f"a value of type {type(value).__name__} has no text")


def _write_error(header: str, name: str, reason: str) -> BrokerError:
    """Return BIP 6119 for an element of a header."""
    return parser_error(HEADER_WRITE, header, name, reason, text=f"{header}.{name}: {reason}")


def pair_text(value: object, name: str) -> str:
    """Return the value of a name in an MQRFH."""
    return _plain(value, "MQRFH", name)
