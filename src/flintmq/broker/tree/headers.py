"""Messages of MQ as message trees: the chain of headers, the choice of the body parser, and the way back.

    Root
      Properties     tree/properties.py
      MQMD           tree/descriptor.py
      MQDLH ...      the chain: the Format of each header names the next one
      XMLNSC         the body, which is the last child; the Format of the last header is not its domain

`parse_message` walks the chain and makes one unchanged folder per header; their leaves are built when a flow touches
them, so a message that passes through costs a few objects. Encoding and CodedCharSetId of each header describe what
follows it. The body parser is chosen by the folder mcd of an MQRFH2, else by the template of the input node, else BLOB
(B254); PCF formats are bodies of the domain MQPCF.

`write_message` is the way back. Rules, in this order:

H1  Root has at most one Properties, one MQMD and one body; no header of MQ follows the body; MQMD is the first header.
    Folders of other transports (HTTPReplyHeader ...) may stand anywhere and have no bytes here.
H2  A message without MQMD gets a default one with the values of Properties. An MQMD that a flow has created without
    Encoding or CodedCharSetId takes those of Properties.
H3  A leaf of Properties that was assigned changes the header, unless the field of the header was assigned, too. For
    Encoding and CodedCharSetId the header is the last one before the body.
H4  With `finalize`, the Format of each header names the next header. A format that does not fit moves to the last
    header if that has none; a Format that announces a header which is not there becomes blank. A CodedCharSetId of 0
    in an MQMD that a flow has changed becomes the one that the message is written in.
H5  Each header is written in Encoding and CodedCharSetId of the one before it, the body in those of the last.
H6  Unchanged content is written as it came, if H5 asks for the same character set and encoding.

A chain that cannot be read is BIP 6118 with the name of the header and its offset. Nothing is lost: `blob_message`
gives the same message with a BLOB body, for the failure path of the input node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, final

from flintmq.broker.formats.blob import blob_folder
from flintmq.broker.formats.registry import Context, format_of
from flintmq.broker.tree.descriptor import DescriptorSource, descriptor_folder
from flintmq.broker.tree.element import Element, Source
from flintmq.broker.tree.header_chain import (
    CCSID,
    ENCODING,
    Chain,
    HeaderSource,
    RootSource,
    assigned,
    ccsid_of,
    domain_named,
    encoding_of,
    header_folder,
    read_chain,
    root_of,
    take_template,
)
from flintmq.broker.tree.header_fields import LAYOUTS, PCF_FORMATS
from flintmq.broker.tree.message_writer import write_message
from flintmq.broker.tree.properties import PropertiesSource, properties_folder
from flintmq.broker.tree.types import NAME, NAME_VALUE
from flintmq.broker.values import Timestamp
from flintmq.mqi.errors import StructureError
from flintmq.mqi.folders import read_folder
from flintmq.mqi.md import MQMD
from flintmq.mqi.rfh2 import MQRFH2

if TYPE_CHECKING:
    from flintmq.broker.esql.switches import Switches

__all__ = [
    "Template",
    "blob_message",
    "context_of_root",
    "domain_named",
    "parse_message",
    "plain_header",
    "write_message",
]

#: Values of mcd.Msd that name a kind of JMS message, not a domain.
_JMS_KINDS: Final = frozenset(("jms_text", "jms_bytes", "jms_none", "jms_object", "jms_map", "jms_stream"))


@dataclass(frozen=True, slots=True)
class Template:
    """How an input node reads a body: the attributes messageDomainProperty and its siblings."""

    domain: str = ""
    message_set: str = ""
    message_type: str = ""
    message_format: str = ""
    #: Options of PARSE (`formats/registry.py`), and the attributes of the node that are options of parsers.
    options: int = 0
    parser_options: dict[str, str] = field(default_factory=dict)
    #: MQRFH2 headers get the compact parser and the name MQRFH2C.
    compact_rfh2: bool = False


def parse_message(
    md: MQMD | None,
    data: bytes,
    template: Template | None = None,
    *,
    source_queue: str = "",
    transactional: bool = False,
    reply_protocol: str = "MQ",
    content_type: str = "",
    headers: Sequence[Element] = (),
    encoding: int = ENCODING,
    ccsid: int = CCSID,
    q_mgr_ccsid: int = CCSID,
    now: Timestamp | None = None,
    models: Callable[[str], object] | None = None,
    switches: Switches | None = None,
) -> Element:
    """Return the Root of a message. `md` must not change from now on.

    Without a descriptor (HTTP, files) `encoding`, `ccsid` and `headers` (`plain_header`) describe the part in front of
    the body. Raises BIP 6118 for a broken chain, and errors of the body's format before its first touch.
    """
    template = Template() if template is None else template
    chain = read_chain(md, data, template.compact_rfh2, q_mgr_ccsid, encoding, ccsid)
    source = RootSource(md, data, chain.encoding, chain.ccsid)
    properties = PropertiesSource(md, chain.encoding, chain.ccsid)
    properties.transactional = transactional
    properties.reply_protocol = reply_protocol
    properties.content_type = content_type
    properties.now = now
    domain = _choose_template(properties, chain, template)
    source.folders.append(properties_folder(properties))
    if md is not None:
        source.folders.append(descriptor_folder(md, source_queue, transactional))
    source.folders += headers
    for header in chain.headers:
        source.folders.append(header_folder(header))
    if chain.offset < len(data):
        options = template.parser_options
        if content_type:
            options = {**options, "contentType": content_type}
        context = Context(
            ccsid=chain.ccsid,
            encoding=chain.encoding,
            message_set=properties.message_set,
            message_type=properties.message_type,
            message_format=properties.message_format,
            options=template.options,
            parser_options=options,
            models=models,
            switches=switches,
        )
        source.folders.append(_parse_body(data[chain.offset :] if chain.offset else data, domain, context))
    root = root_of(source)
    if any(folder.changed for folder in source.folders):
        # Such a folder has no source to be built from again, so this tree owns it.
        root.build_all()
        root.changed = True
    return root


def blob_message(
    md: MQMD | None, data: bytes, *, source_queue: str = "", transactional: bool = False, q_mgr_ccsid: int = CCSID
) -> Element:
    """Return the Root of a message with headers or a body that cannot be read: all of its data is a BLOB."""
    ccsid, encoding = CCSID, ENCODING
    if md is not None:
        ccsid = md.coded_char_set_id if md.coded_char_set_id > 0 else q_mgr_ccsid
        encoding = encoding_of(md.encoding, ENCODING)
    source = RootSource(md, data, encoding, ccsid)
    properties = PropertiesSource(md, encoding, ccsid)
    properties.transactional = transactional
    source.folders.append(properties_folder(properties))
    if md is not None:
        source.folders.append(descriptor_folder(md, source_queue, transactional))
    source.folders.append(blob_folder(data))
    return root_of(source)


@final
class PlainSource(Source):
    """Names and values of a header that has no bytes in the message."""

    def __init__(self, domain: str, pairs: Sequence[tuple[str, object]]) -> None:
        super().__init__(domain)
        self.pairs: Final = tuple(pairs)

    def more(self, element: Element) -> None:
        """Append one leaf per pair."""
        for name, value in self.pairs:
            leaf = Element(name, value, NAME_VALUE)
            leaf.changed = False
            element.append_built(leaf)
        element.pending = False


def plain_header(name: str, pairs: Sequence[tuple[str, object]]) -> Element:
    """Return the folder of a transport without bytes in the message: HTTPInputHeader and the like."""
    folder = Element(name, None, NAME)
    folder.domain = name
    folder.source = PlainSource(name, pairs)
    folder.pending = True
    folder.changed = False
    return folder


def _choose_template(properties: PropertiesSource, chain: Chain, template: Template) -> str:
    """Return the domain of the body, and note its template in Properties (MF 1.5)."""
    properties.message_set = template.message_set
    properties.message_type = template.message_type
    properties.message_format = template.message_format
    if chain.format in PCF_FORMATS:
        return "MQPCF"
    domain = template.domain
    for header in chain.headers:
        structure = header.structure
        if isinstance(structure, MQRFH2):
            properties.folders = structure.folders
            for text in structure.folders:
                if text.startswith(("<mcd>", "<mcd ")):
                    domain = _take_mcd(properties, text, domain)
    return domain


def _take_mcd(properties: PropertiesSource, text: str, domain: str) -> str:
    """Return the domain that a folder mcd names, and take its template. One that is malformed names none."""
    try:
        mcd = read_folder(text)
    except StructureError:
        return domain
    values = {child.name: child.text for child in mcd.children}
    named = values.get("Msd", "").strip()
    if not named or named.lower() in _JMS_KINDS:
        return domain
    properties.message_set = values.get("Set", "")
    properties.message_type = values.get("Type", "")
    properties.message_format = values.get("Fmt", "")
    return "BLOB" if named.lower() == "none" else named


def _parse_body(body: bytes, domain: str, context: Context) -> Element:
    """Return the folder of a body; one of an unknown domain is a BLOB that says so."""
    if not domain:
        return blob_folder(body)
    found = domain_named(domain)
    if found is None or found in LAYOUTS or found == "MQMD":
        return blob_folder(body, domain)
    folder = format_of(found).parse(body, context)
    folder.domain = folder.domain or found
    return folder


def context_of_root(
    root: Element | None,
    models: Callable[[str], object] | None = None,
    switches: Switches | None = None,
) -> Context:
    """Return how the body below a Root is read and written: encoding and character set by H3, template by Properties.

    For ESQL and nodes that read or write a body inside a flow. Never raises for a tree that cannot be written.
    """
    context = Context(models=models, switches=switches)
    if root is None:
        return context
    source = root.source
    if not root.changed and isinstance(source, RootSource):
        context.encoding = source.encoding
        context.ccsid = source.ccsid
        properties = source.folders[0]
    else:
        found = root.child("Properties")
        _find_encoding(root, found, context)
        if found is None:
            return context
        properties = found
    take_template(context, properties)
    return context


def _find_encoding(root: Element, properties: Element | None, context: Context) -> None:
    """Set encoding and character set by the last header of MQ, else by Properties."""
    last: Element | None = None
    child = root.first_child()
    while child is not None:
        domain = child.domain or child.name
        if domain == "MQMD" or domain in LAYOUTS:
            last = child
            context.encoding = encoding_of(_header_number(child, "Encoding", context.encoding), context.encoding)
            context.ccsid = ccsid_of(_header_number(child, "CodedCharSetId", context.ccsid), context.ccsid)
        child = child.next_sibling()
    if properties is None:
        return
    source = properties.source
    if last is None and not properties.changed and isinstance(source, PropertiesSource):
        context.encoding = source.encoding
        context.ccsid = source.ccsid
    elif properties.changed:
        for name in ("Encoding", "CodedCharSetId"):
            leaf = properties.child(name)
            if leaf is None or not isinstance(leaf.value, int):
                continue
            if last is None or (leaf.changed and assigned(last, name) is None):
                if name == "Encoding":
                    context.encoding = encoding_of(leaf.value, context.encoding)
                else:
                    context.ccsid = ccsid_of(leaf.value, context.ccsid)


def _header_number(header: Element, name: str, default: int) -> int:
    """Return a number of a header, without building the leaves of one that is untouched."""
    source = header.source
    if not header.changed:
        if isinstance(source, DescriptorSource):
            return source.md.encoding if name == "Encoding" else source.md.coded_char_set_id
        if isinstance(source, HeaderSource):
            number: int = source.structure.encoding if name == "Encoding" else source.structure.coded_char_set_id
            return number
    value = header.get(name)
    return value if isinstance(value, int) else default
