"""The chain of headers of an MQ message: reading it, and the structures behind its folders.

`read_chain` walks from header to header by their Format fields and keeps one `HeaderSource` each: the structure, its
bytes, and how they were encoded. `structure_of` makes a structure from a folder that a flow has changed or created.
`tree/headers.py` describes the parts of a message tree.
"""

from __future__ import annotations

from typing import Any, Final, final

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.formats.registry import Context, known
from flintmq.broker.tree.element import ROOT_DOMAIN, Element, Source, copy_element
from flintmq.broker.tree.header_fields import (
    BY_FORMAT,
    HEADER_READ,
    HEADER_WRITE,
    LAYOUTS,
    Layout,
    field_value,
    leaf_value,
)
from flintmq.broker.tree.properties import PropertiesSource
from flintmq.broker.tree.rfh2 import FolderSource, folder_text, pair_text
from flintmq.broker.tree.types import KIND, NAME, NAME_VALUE
from flintmq.mqi.errors import StructureError
from flintmq.mqi.md import MQMD
from flintmq.mqi.rfh import MQRFH
from flintmq.mqi.rfh2 import MQRFH2

#: Encoding and CCSID of a message that names none: little-endian, UTF-8.
ENCODING: Final = 546
CCSID: Final = 1208
#: A message with more headers is refused: a hostile one could have a header per 32 bytes.
HEADERS_MAX: Final = 100
#: Size of MQDLH, the only header of the chain without a StrucLength.
_DLH_SIZE: Final = 172


@final
class HeaderSource(Source):
    """A header of the chain that was read: its structure and bytes. Nothing changes them."""

    def __init__(self, layout: Layout, structure: Any, raw: bytes, encoding: int, ccsid: int) -> None:
        super().__init__(layout.domain)
        self.layout: Final = layout
        self.structure: Final = structure
        self.raw: Final = raw
        #: Encoding and character set in which the header itself is written.
        self.encoding: Final = encoding
        self.ccsid: Final = ccsid
        self.folders: FolderSource | None = None
        if isinstance(structure, MQRFH2):
            self.folders = FolderSource(layout.domain, structure.folders)

    def more(self, element: Element) -> None:
        """Append all leaves, and the folders of an MQRFH2. Raises BIP 6118."""
        structure = self.structure
        for known_field in self.layout.fields:
            value = getattr(structure, known_field.attribute)
            leaf = Element(known_field.name, leaf_value(value, known_field.kind, known_field.length), NAME_VALUE)
            leaf.changed = False
            element.append_built(leaf)
        if isinstance(structure, MQRFH):
            try:
                pairs = structure.pairs()
            except StructureError as error:
                raise parser_error(HEADER_READ, "MQRFH", text=f"MQRFH cannot be read: {error.text}") from None
            for name, text in pairs:
                leaf = Element(name, text, NAME_VALUE)
                leaf.changed = False
                element.append_built(leaf)
        element.pending = False
        if self.folders is not None:
            self.folders.append_folders(element)


@final
class RootSource(Source):
    """A message that was read: its bytes and the folders of Root, of which each tree gets copies."""

    def __init__(self, md: MQMD | None, data: bytes, encoding: int, ccsid: int) -> None:
        super().__init__(ROOT_DOMAIN)
        self.md: Final = md
        self.data: Final = data
        #: Encoding and character set of the body.
        self.encoding: Final = encoding
        self.ccsid: Final = ccsid
        self.folders: list[Element] = []

    def more(self, element: Element) -> None:
        """Append copies of the folders. They share their sources, so a copy is one object."""
        for folder in self.folders:
            element.append_built(copy_element(folder))
        element.pending = False


@final
class Chain:
    """The headers of a message, and where and how its body starts."""

    def __init__(self, encoding: int, ccsid: int) -> None:
        self.headers: list[HeaderSource] = []
        self.encoding: int = encoding
        self.ccsid: int = ccsid
        self.format: str = ""
        self.offset: int = 0


def root_of(source: RootSource) -> Element:
    """Return an unchanged Root. Its children are built when it is touched."""
    root = Element("Root", None, NAME)
    root.domain = ROOT_DOMAIN
    root.source = source
    root.pending = True
    root.changed = False
    return root


def header_folder(source: HeaderSource) -> Element:
    """Return the unchanged folder of a header."""
    folder = Element(source.domain, None, NAME)
    folder.domain = source.domain
    folder.source = source
    folder.pending = True
    folder.changed = False
    return folder


def read_chain(
    md: MQMD | None,
    data: bytes,
    compact: bool = False,
    q_mgr_ccsid: int = CCSID,
    encoding: int = ENCODING,
    ccsid: int = CCSID,
) -> Chain:
    """Walk the headers of a message. Raises BIP 6118."""
    if md is None:
        return Chain(encoding_of(encoding, ENCODING), ccsid)
    chain = Chain(encoding_of(md.encoding, ENCODING), ccsid_of(md.coded_char_set_id, q_mgr_ccsid))
    chain.format = md.format.rstrip()
    while True:
        domain = BY_FORMAT.get(chain.format)
        if domain is None:
            return chain
        if domain == "MQRFH2" and compact:
            domain = "MQRFH2C"
        if len(chain.headers) >= HEADERS_MAX:
            raise _read_error(domain, chain.offset, f"the message has more than {HEADERS_MAX} headers")
        source = read_header(LAYOUTS[domain], data, chain.offset, chain.encoding, chain.ccsid)
        chain.headers.append(source)
        chain.offset += len(source.raw)
        chain.encoding = encoding_of(source.structure.encoding, chain.encoding)
        chain.ccsid = ccsid_of(source.structure.coded_char_set_id, chain.ccsid)
        chain.format = source.structure.format.rstrip()


def read_header(layout: Layout, data: bytes, offset: int, encoding: int, ccsid: int) -> HeaderSource:
    """Return the header at an offset. Raises BIP 6118 with its name and offset."""
    big_endian = encoding & 0xF == 1
    try:
        structure = layout.unpack(data, offset, big_endian, ccsid)
    except StructureError as error:
        raise _read_error(layout.domain, offset, error.text) from None
    length = _DLH_SIZE
    if layout.domain != "MQDLH":
        length = int.from_bytes(data[offset + 8 : offset + 12], "big" if big_endian else "little")
    return HeaderSource(layout, structure, data[offset : offset + length], encoding, ccsid)


def _read_error(header: str, offset: int, reason: str) -> BrokerError:
    """Return BIP 6118 for a header that cannot be read."""
    return parser_error(
        HEADER_READ,
        header,
        offset,
        reason,
        text=f"the {header} at offset {offset} of the message data cannot be read: {reason}",
    )


def encoding_of(encoding: int, inherited: int) -> int:
    """Return an encoding that names a byte order: that of the header before it if this one does not."""
    return encoding if encoding & 0xF in (1, 2) else inherited


def ccsid_of(ccsid: int, inherited: int) -> int:
    """Return a character set: 0 and the special values stand for the one before, or of the queue manager."""
    return ccsid if ccsid > 0 else inherited


def copy_structure(structure: Any, layout: Layout) -> Any:
    """Return a structure with the same fields, which may be changed."""
    made = layout.make()
    for each in layout.fields:
        setattr(made, each.attribute, getattr(structure, each.attribute))
    if isinstance(structure, MQRFH2):
        made.folders = list(structure.folders)
    elif isinstance(structure, MQRFH):
        made.name_value_string = structure.name_value_string
    return made


def structure_of(element: Element, layout: Layout, encoding: int, ccsid: int) -> Any:
    """Return the structure that a folder tells; missing fields are inherited or defaults. Raises BIP 6119."""
    structure = layout.make()
    structure.encoding = encoding
    structure.coded_char_set_id = ccsid
    fields = {each.name: each for each in layout.fields}
    pairs: list[tuple[str, str]] = []
    child = element.first_child()
    while child is not None:
        name = child.name
        found = fields.get(name)
        if found is not None and child.type & KIND != NAME:
            if child.value is not None:
                value = field_value(child.value, found.kind, found.length, layout.domain, name)
                setattr(structure, found.attribute, value)
        elif isinstance(structure, MQRFH2):
            structure.folders.append(folder_text(child, layout.domain))
        elif isinstance(structure, MQRFH):
            pairs.append((name, pair_text(child.value, name)))
        child = child.next_sibling()
    if isinstance(structure, MQRFH):
        structure.set_pairs(pairs)
    return structure


def pack_structure(structure: Any, domain: str, encoding: int, ccsid: int) -> bytes:
    """Return the bytes of a structure. Raises BIP 6119."""
    try:
        packed: bytes = structure.pack(encoding & 0xF == 1, ccsid)
    except StructureError as error:
        raise parser_error(HEADER_WRITE, domain, error.text, text=f"{domain} cannot be written: {error.text}") from None
    return packed


def assigned(folder: Element, name: str) -> Element | None:
    """Return a leaf that a flow has assigned and that has a value."""
    if not folder.changed:
        return None
    leaf = folder.child(name)
    return leaf if leaf is not None and leaf.changed and leaf.value is not None else None


def domain_named(name: str) -> str | None:
    """Return the domain that a name means whatever its case: 'xmlnsc' is XMLNSC; None if there is none."""
    if known(name):
        return name
    upper = name.upper()
    return upper if known(upper) else None


def take_template(context: Context, properties: Element | None) -> None:
    """Give a context the template that Properties names."""
    if properties is None:
        return
    source = properties.source
    if not properties.changed and isinstance(source, PropertiesSource):
        context.message_set = source.message_set
        context.message_type = source.message_type
        context.message_format = source.message_format
        return
    context.message_set = _text_leaf(properties, "MessageSet")
    context.message_type = _text_leaf(properties, "MessageType")
    context.message_format = _text_leaf(properties, "MessageFormat")


def _text_leaf(folder: Element, name: str) -> str:
    """Return a CHARACTER leaf; '' if it is missing or no text."""
    value = folder.get(name)
    return value if isinstance(value, str) else ""
