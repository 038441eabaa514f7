"""The domain SOAP: a SOAP 1.1 or 1.2 envelope, as far as XMLNSC carries it.

    SOAP.Context        SOAP_Version '1.1' or '1.2'; Namespace, a folder with the namespace declarations of the
                        envelope; the XML declaration if there is one. A node adds operation, port and so on
        .Header         the header blocks, as XMLNSC has them; missing if the envelope has no header
        .Body           the payload, or a Fault, likewise
        .Attachment     for each MIME part behind the envelope: MIME_Headers with a field for each header, and BLOB.BLOB

A body that nothing changed is written as the bytes that came. Otherwise the envelope is written from its folders, with
the declarations of `Context.Namespace`; unchanged header blocks and payloads are slices of the original document. With
Attachment folders, the result is a multipart message with its boundary at the start of the first line.
"""

from __future__ import annotations

import re
import zlib

from flintmq.broker.errors import parser_error
from flintmq.broker.formats.registry import Context, register
from flintmq.broker.formats.xml_formats import options_of
from flintmq.broker.formats.xml_source import XmlDocument, XmlOptions, XmlSource
from flintmq.broker.formats.xml_text import codec_of, malformed
from flintmq.broker.formats.xml_values import xml_text
from flintmq.broker.formats.xml_writer import XmlWriter, escaped_attribute, write_error
from flintmq.broker.tree.element import Element, Source, copy_element
from flintmq.broker.tree.types import FOLDER, KIND, NAME, NAME_VALUE, XML_DECLARATION

NAMESPACES = {
    "1.1": "http://schemas.xmlsoap.org/soap/envelope/",
    "1.2": "http://www.w3.org/2003/05/soap-envelope",
}
PREFIX = "soapenv"

#: MIME parts of one message. A message is refused, not cut, beyond that.
PARTS_MAX = 1000


class SoapSource(Source):
    """Builds the folders of an envelope; the XML below them is built by `xml_source`."""

    def __init__(self, body: bytes, context: Context) -> None:
        super().__init__("SOAP")
        self.body = body
        self.codec = codec_of(context.ccsid, context.encoding)
        self.ccsid = context.ccsid
        self.encoding = context.encoding
        self.options: XmlOptions = options_of(context)

    def more(self, element: Element) -> None:
        """Build all folders of the envelope."""
        envelope, attachments = self.body, list[Element]()
        if envelope.startswith(b"--"):
            envelope, attachments = split_parts(envelope)
        document = XmlDocument(envelope, self.codec, self.ccsid, self.encoding, True, "SOAP")
        whole = Element("XMLNSC", None, NAME)
        whole.source = XmlSource(document, "XMLNSC", self.options)
        whole.pending = True
        children = whole.children()
        root = next(child for child in reversed(children) if child.type & KIND == NAME or child.type == NAME_VALUE)
        version = _version_of(root)
        for made in (_context(children, root, version), *_folders(root, version), *attachments):
            _settle(made)
            element.append_built(made)
        element.pending = False


def _version_of(root: Element) -> str:
    for version, namespace in NAMESPACES.items():
        if root.namespace == namespace and root.name == "Envelope":
            return version
    raise malformed(f"the root element {{{root.namespace}}}{root.name} is not a SOAP envelope", 0, 0, "SOAP")


def _settle(element: Element) -> None:
    """Mark the elements made here as unchanged."""
    work = [element]
    while work:
        made = work.pop()
        made.changed = False
        child = made.first
        while child is not None:
            work.append(child)
            child = child.next


def _context(children: list[Element], root: Element, version: str) -> Element:
    """Return the Context folder of an envelope."""
    context = Element("Context", None, FOLDER)
    context.add("SOAP_Version", version)
    namespace = context.folder("Namespace")
    for child in root.children():
        if child.type & ~1 == 0x03000102:
            namespace.append(Element(child.name, child.value, child.type, child.namespace))
    for child in children:
        if child.type == XML_DECLARATION:
            context.append(_rebuilt(child))
    return context


def _rebuilt(element: Element) -> Element:
    """Return a copy that needs no source. Only for the XML declaration, which is two levels deep."""
    new = Element(element.name, element.value, element.type, element.namespace)
    for child in element.children():
        new.append(Element(child.name, child.value, child.type, child.namespace))
    return new


def _folders(root: Element, version: str) -> list[Element]:
    """Return the folders Header and Body of an envelope."""
    namespace = NAMESPACES[version]
    folders: list[Element] = []
    for child in root.children():
        if child.namespace == namespace and child.name in ("Header", "Body"):
            made = Element(child.name, None, FOLDER)
            made.source = child.source
            made.entry = child.entry
            made.pending = child.pending or child.first is not None
            folders.append(made)
    if not any(folder.name == "Body" for folder in folders):
        raise malformed("the SOAP envelope has no Body", 0, 0, "SOAP")
    return folders


# MIME parts.


def split_parts(message: bytes) -> tuple[bytes, list[Element]]:
    """Return the envelope and the Attachment folders of a multipart message with the boundary as first line."""
    line_end = message.find(b"\n")
    boundary = message[:line_end].rstrip(b"\r ")
    if line_end < 0 or len(boundary) < 3:
        raise malformed("the first line of a multipart message is not a boundary", 1, 1, "SOAP")
    pieces = re.split(rb"(?:\A|\r?\n)" + re.escape(boundary) + rb"(?=--|[ \t]*\r?\n|\Z)", message)
    # What is behind the last boundary, marked by two hyphens, is no part.
    parts = [piece for piece in pieces[1:] if not piece.startswith(b"--")]
    if len(parts) > PARTS_MAX:
        raise malformed(f"the message has more than {PARTS_MAX} MIME parts", 0, 0, "SOAP")
    split = [_split_headers(part) for part in parts]
    if not split:
        raise malformed("the multipart message has no parts", 0, 0, "SOAP")
    # The envelope is the root of the message, which is the first part.
    return split[0][1], [_attachment(headers, data) for headers, data in split[1:]]


def _split_headers(part: bytes) -> tuple[list[tuple[str, str]], bytes]:
    """Return the headers of a MIME part and its content."""
    part = part.lstrip(b" \t").removeprefix(b"\r").removeprefix(b"\n")
    if part.startswith((b"\r\n", b"\n")):
        return [], part.removeprefix(b"\r").removeprefix(b"\n")
    cuts = [(part.find(mark), len(mark)) for mark in (b"\r\n\r\n", b"\n\n") if part.find(mark) >= 0]
    if not cuts:
        raise malformed("a MIME part has no blank line behind its headers", 0, 0, "SOAP")
    position, length = min(cuts)
    headers: list[tuple[str, str]] = []
    for line in part[:position].decode("latin-1").splitlines():
        name, colon, value = line.partition(":")
        if line[:1] in (" ", "\t") and headers:
            headers[-1] = (headers[-1][0], f"{headers[-1][1]} {line.strip()}")
        elif colon:
            headers.append((name.strip(), value.strip()))
    return headers, part[position + length :]


def _attachment(headers: list[tuple[str, str]], data: bytes) -> Element:
    folder = Element("Attachment", None, FOLDER)
    fields = folder.folder("MIME_Headers")
    for name, value in headers:
        fields.add(name, value)
    folder.folder("BLOB").add("BLOB", data)
    return folder


def joined_parts(envelope: bytes, attachments: list[Element], codec: str) -> bytes:
    """Return a multipart message of an envelope and its attachments."""
    contents: list[tuple[list[str], bytes]] = []
    for attachment in attachments:
        data = attachment.get("BLOB.BLOB")
        if not isinstance(data, bytes):
            raise write_error("an Attachment of the SOAP message has no BLOB.BLOB", 5005)
        headers = attachment.child("MIME_Headers")
        lines = [] if headers is None else [f"{field.name}: {xml_text(field.value)}" for field in headers.children()]
        if any("\n" in line or "\r" in line for line in lines):
            raise write_error("a MIME header of an Attachment holds a line end", 5005)
        contents.append((lines, data))
    seed = zlib.crc32(envelope)
    everything = [envelope, *(data for _, data in contents)]
    while any(f"MIMEboundary{seed:08x}".encode() in data for data in everything):
        seed += 1
    boundary = f"--MIMEboundary{seed:08x}".encode()
    kind = f"Content-Type: text/xml; charset={codec}"
    pieces = [boundary, kind.encode(), b"", envelope]
    for lines, data in contents:
        pieces += [boundary, *(line.encode("latin-1", "replace") for line in lines), b"", data]
    pieces += [boundary + b"--", b""]
    return b"\r\n".join(pieces)


class SoapFormat:
    """The domain SOAP."""

    domain = "SOAP"

    def parse(self, body: bytes, context: Context) -> Element:
        """Return the folder of a message, which is not read yet."""
        folder = Element("SOAP", None, NAME)
        folder.domain = "SOAP"
        folder.source = SoapSource(body, context)
        folder.changed = False
        folder.pending = bool(body)
        return folder

    def write(self, body: Element, context: Context) -> bytes:
        """Return the bytes of a message."""
        codec = codec_of(context.ccsid, context.encoding)
        if not codec:
            raise parser_error(5010, context.ccsid, text=f"there is no character set with CCSID {context.ccsid}")
        source = body.source
        if not body.changed and isinstance(source, SoapSource) and source.codec == codec:
            return source.body
        attachments = [child for child in body.children() if child.name == "Attachment"]
        envelope = self._envelope(body, codec, context)
        return joined_parts(envelope, attachments, codec) if attachments else envelope

    def _envelope(self, body: Element, codec: str, context: Context) -> bytes:
        """Write the envelope from its folders."""
        about = body.child("Context")
        version = str(about.get("SOAP_Version") or "1.1") if about is not None else "1.1"
        namespace = NAMESPACES.get(version)
        if namespace is None:
            raise write_error(f"SOAP.Context.SOAP_Version is {version!r}; it must be 1.1 or 1.2", 5005, version)
        writer = XmlWriter("XMLNSC", codec, "NS" if context.switches is None else context.switches.generated_prefix)
        declarations = _declarations(about)
        prefix = next((name for name, uri in declarations.items() if uri == namespace and name), "")
        if not prefix:
            prefix = PREFIX if PREFIX not in declarations else "soapenvelope"
            declarations[prefix] = namespace
        if about is not None:
            for child in about.children():
                if child.type == XML_DECLARATION:
                    writer.write_declaration(child)
        writer.parts.append(f"<{prefix}:Envelope")
        for name, uri in declarations.items():
            writer.bind(name, uri)
            writer.parts.append(f' xmlns{":" if name else ""}{name}="{escaped_attribute(uri)}"')
        writer.parts.append(">")
        has_body = False
        for name in ("Header", "Body"):
            folder = body.child(name)
            if folder is None or (name == "Header" and folder.first_child() is None):
                continue
            has_body = has_body or name == "Body"
            # The folder has no namespace in the tree; an unchanged one is a slice and already has it.
            part = copy_element(folder)
            part.namespace = namespace
            writer.write_tree(part)
        if not has_body:
            writer.parts.append(f"<{prefix}:Body/>")
        writer.parts.append(f"</{prefix}:Envelope>")
        return writer.encoded()


def _declarations(about: Element | None) -> dict[str, str]:
    """Return the namespace declarations of the folder Context.Namespace: prefix to namespace."""
    folder = None if about is None else about.child("Namespace")
    found: dict[str, str] = {}
    if folder is not None:
        for child in folder.children():
            is_default = child.name == "xmlns" and not child.namespace
            found["" if is_default else child.name.removeprefix("xmlns:")] = xml_text(child.value)
    return found


register("SOAP", SoapFormat())
