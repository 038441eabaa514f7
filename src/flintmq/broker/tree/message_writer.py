"""Message trees to messages of MQ: `write_message`. The rules H1 to H6 are in `tree/headers.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, final

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.formats.registry import Context, format_of
from flintmq.broker.tree.descriptor import descriptor_of, tenths_until
from flintmq.broker.tree.element import Element
from flintmq.broker.tree.header_chain import (
    CCSID,
    ENCODING,
    HeaderSource,
    RootSource,
    assigned,
    ccsid_of,
    copy_structure,
    domain_named,
    encoding_of,
    pack_structure,
    structure_of,
    take_template,
)
from flintmq.broker.tree.header_fields import (
    BY_FORMAT,
    HEADER_WRITE,
    LAYOUTS,
    PCF_FORMATS,
    PLAIN_HEADERS,
    Layout,
    bytes_field,
    integer_field,
)
from flintmq.broker.values import Timestamp
from flintmq.mqi.md import MQMD, NO_ID

if TYPE_CHECKING:
    from flintmq.broker.esql.switches import Switches


@final
class _Tree:
    """The children of a Root, sorted and checked (H1)."""

    def __init__(self, root: Element) -> None:
        self.properties: Element | None = None
        self.descriptor: Element | None = None
        self.headers: list[Element] = []
        self.body: Element | None = None
        child = root.first_child()
        while child is not None:
            self._take(child)
            child = child.next_sibling()

    def _take(self, child: Element) -> None:
        domain = child.domain or child.name
        if domain == "Properties" or child.name == "Properties":
            if self.properties is not None:
                raise _tree_error("Properties", "Root has it twice; delete one")
            self.properties = child
        elif domain in PLAIN_HEADERS:
            return
        elif domain == "MQMD" or domain in LAYOUTS:
            if self.body is not None:
                raise _tree_error(
                    child.name,
                    f"this header follows the body {self.body.name}; create headers before the body",
                )
            if domain == "MQMD":
                if self.descriptor is not None or self.headers:
                    raise _tree_error("MQMD", "Root has it twice, or behind another header; it is the first header")
                self.descriptor = child
            else:
                self.headers.append(child)
        else:
            if self.body is not None:
                raise _tree_error(child.name, f"Root has a body already, {self.body.name}; delete one")
            self.body = child


def _tree_error(name: str, reason: str) -> BrokerError:
    """Return BIP 6119 for a child of Root that cannot be written."""
    return parser_error(HEADER_WRITE, name, reason, text=f"Root.{name} cannot be written: {reason}")


@final
class _Written:
    """A header on its way to bytes: a structure that may be changed, or the one that was read, which may not."""

    def __init__(self, element: Element, layout: Layout, before: _Written | None, md: MQMD) -> None:
        self.element: Final = element
        self.layout: Final = layout
        self.source: HeaderSource | None = None
        source = element.source
        if not element.changed and isinstance(source, HeaderSource) and source.layout.make is layout.make:
            self.source = source
            self.structure: Any = source.structure
            return
        previous: Any = md if before is None else before.structure
        self.structure = structure_of(element, layout, previous.encoding, previous.coded_char_set_id)

    def change(self, attribute: str, value: object) -> None:
        """Set a field; a structure that was read is copied first."""
        if getattr(self.structure, attribute) == value:
            return
        if self.source is not None:
            self.structure = copy_structure(self.structure, self.layout)
            self.source = None
        setattr(self.structure, attribute, value)

    def pack(self, encoding: int, ccsid: int) -> bytes:
        """Return the bytes of the header in an encoding and character set (H5, H6)."""
        source = self.source
        if source is not None and source.encoding == encoding and source.ccsid == ccsid:
            return source.raw
        return pack_structure(self.structure, self.layout.domain, encoding, ccsid)


def write_message(
    root: Element,
    *,
    finalize: bool = True,
    q_mgr_ccsid: int = CCSID,
    now: Timestamp | None = None,
    models: Callable[[str], object] | None = None,
    switches: Switches | None = None,
) -> tuple[MQMD, bytes]:
    """Return descriptor and data of a message tree. The caller owns the descriptor. Raises BIP 6119 and what the
    format of the body raises."""
    source = root.source
    if not root.changed and isinstance(source, RootSource) and source.md is not None:
        return source.md.copy(), source.data
    tree = _Tree(root)
    if tree.descriptor is None:
        md = _default_descriptor(tree.properties, now)
    else:
        md = descriptor_of(tree.descriptor, now)
        _inherit_encoding(md, tree.descriptor, tree.properties)
    headers: list[_Written] = []
    before: _Written | None = None
    for element in tree.headers:
        before = _Written(element, LAYOUTS[element.domain or element.name], before, md)
        headers.append(before)
    _take_properties(tree, md, headers, now)
    if finalize:
        _finalize(md, headers, tree.body)
    encoding = encoding_of(md.encoding, ENCODING)
    ccsid = ccsid_of(md.coded_char_set_id, q_mgr_ccsid)
    if finalize and tree.descriptor is not None and tree.descriptor.changed:
        # The queue manager that gets the message may take another character set for 0.
        md.coded_char_set_id = ccsid
    parts: list[bytes] = []
    for header in headers:
        parts.append(header.pack(encoding, ccsid))
        encoding = encoding_of(header.structure.encoding, encoding)
        ccsid = ccsid_of(header.structure.coded_char_set_id, ccsid)
    if tree.body is not None:
        context = Context(ccsid=ccsid, encoding=encoding, models=models, switches=switches)
        take_template(context, tree.properties)
        parts.append(write_body(tree.body, context))
    return md, b"".join(parts)


def write_body(body: Element, context: Context) -> bytes:
    """Return the bytes of a body. Raises BIP 5712 for a child of Root that is no domain."""
    name = body.domain or body.name
    return format_of(domain_named(name) or name).write(body, context)


def _default_descriptor(properties: Element | None, now: Timestamp | None) -> MQMD:
    """Return the descriptor of a message that has none: defaults and the values of Properties (H2)."""
    md = MQMD()
    md.version = 2
    md.coded_char_set_id = CCSID
    if properties is None:
        return md
    for name in ("Encoding", "CodedCharSetId", "Persistence", "Priority", "ExpirationTime", "ReplyIdentifier"):
        value = properties.get(name)
        if value is not None:
            _set_from_property(md, name, value, now)
    return md


def _inherit_encoding(md: MQMD, descriptor: Element, properties: Element | None) -> None:
    """Give a descriptor without encoding or character set those of Properties (H2)."""
    if properties is None or not descriptor.changed:
        return
    for name in ("Encoding", "CodedCharSetId"):
        if descriptor.child(name) is None:
            value = properties.get(name)
            if value is not None:
                _set_from_property(md, name, value, None)


def _set_from_property(md: MQMD, name: str, value: object, now: Timestamp | None) -> None:
    """Set the field of the descriptor that a property stands for."""
    if name == "Encoding":
        md.encoding = integer_field(value, "Properties", name)
    elif name == "CodedCharSetId":
        md.coded_char_set_id = integer_field(value, "Properties", name)
    elif name == "Persistence":
        md.persistence = (1 if value else 0) if isinstance(value, bool) else integer_field(value, "Properties", name)
    elif name == "Priority":
        md.priority = integer_field(value, "Properties", name)
    elif name == "ExpirationTime":
        if isinstance(value, Timestamp):
            md.expiry = tenths_until(value, now)
        else:
            md.expiry = integer_field(value, "Properties", name)
    else:
        md.correl_id = bytes_field(value, len(NO_ID), "Properties", name)


#: Properties that stand for a field of the descriptor, and the name of that field.
_OF_DESCRIPTOR: Final = (
    ("Persistence", "Persistence"),
    ("Priority", "Priority"),
    ("ExpirationTime", "Expiry"),
    ("ReplyIdentifier", "CorrelId"),
)
_OF_LAST_HEADER: Final = (("Encoding", "encoding"), ("CodedCharSetId", "coded_char_set_id"))


def _take_properties(tree: _Tree, md: MQMD, headers: list[_Written], now: Timestamp | None) -> None:
    """Change headers by the properties that a flow has assigned (H3)."""
    properties = tree.properties
    if properties is None or not properties.changed:
        return
    descriptor = tree.descriptor
    if descriptor is not None:
        for name, field_name in _OF_DESCRIPTOR:
            leaf = assigned(properties, name)
            if leaf is not None and assigned(descriptor, field_name) is None:
                _set_from_property(md, name, leaf.value, now)
    for name, attribute in _OF_LAST_HEADER:
        leaf = assigned(properties, name)
        if leaf is None:
            continue
        value = integer_field(leaf.value, "Properties", name)
        if headers:
            if assigned(headers[-1].element, name) is None:
                headers[-1].change(attribute, value)
        elif descriptor is not None and assigned(descriptor, name) is None:
            setattr(md, attribute, value)


def _finalize(md: MQMD, headers: list[_Written], body: Element | None) -> None:
    """Repair the chain of formats (H4)."""
    displaced = ""
    current = md.format.rstrip()
    for number, header in enumerate(headers):
        if current != header.layout.format:
            if current not in BY_FORMAT:
                displaced = displaced or current
            if number == 0:
                md.format = header.layout.format
            else:
                headers[number - 1].change("format", header.layout.format)
        current = header.structure.format.rstrip()
    wanted = current
    if current in BY_FORMAT and not _is_whole(body, current):
        # A header that was deleted.
        wanted = displaced
    elif not current:
        wanted = displaced
    if body is not None and (body.domain or body.name) in ("MQPCF", "MQADMIN") and wanted not in PCF_FORMATS:
        wanted = "MQADMIN"
    elif wanted in PCF_FORMATS and body is not None and (body.domain or body.name) not in ("MQPCF", "MQADMIN", "BLOB"):
        wanted = ""
    if wanted != current:
        if headers:
            headers[-1].change("format", wanted)
        else:
            md.format = wanted


def _is_whole(body: Element | None, format: str) -> bool:
    """Return whether a BLOB begins with the header that a Format announces: a message that was not taken apart."""
    if body is None or (body.domain or body.name) != "BLOB":
        return False
    data = body.get("BLOB")
    identifier = LAYOUTS[BY_FORMAT[format]].identifier
    return isinstance(data, bytes) and data[:4] in (identifier, identifier.decode("ascii").encode("cp500"))
