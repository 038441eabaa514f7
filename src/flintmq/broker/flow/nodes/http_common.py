"""The base of HTTP, REST and SOAP nodes: header folders, bodies, content types, faults.

A header of HTTP is a folder without bytes of its own: HTTPInputHeader (of a request that came in), HTTPReplyHeader (of
its reply), HTTPRequestHeader (of a request that goes out), HTTPResponseHeader (of the answer to it). Names that begin
with `X-Original-HTTP-`, `X-Server-`, `X-Remote-` and `X-Scheme` have the values of the request line and the connection;
they never go out.
"""

from __future__ import annotations

import codecs
import json
import zlib
from collections.abc import Iterable
from functools import cache
from http import HTTPStatus
from typing import Final
from xml.sax.saxutils import escape

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.flow.engine import RuntimeNode
from flintmq.broker.formats.registry import format_of
from flintmq.broker.tree.element import Element
from flintmq.broker.tree.header_fields import LAYOUTS, PLAIN_HEADERS
from flintmq.broker.tree.headers import Template, context_of_root, domain_named, parse_message
from flintmq.broker.tree.types import NAME
from flintmq.broker.values import plain_text
from flintmq.mqi import ccsid as ccsids

UTF8: Final = 1208
#: A compressed body may not become longer than this.
DECOMPRESSED_MAX: Final = 256 << 20

_OF_CONNECTION: Final = frozenset(
    (
        "connection",
        "content-encoding",
        "content-length",
        "host",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    )
)
_OURS: Final = ("x-original-http-", "x-server-", "x-remote-", "x-scheme")
_TYPES: Final = {
    "JSON": "application/json",
    "XMLNSC": "text/xml",
    "XMLNS": "text/xml",
    "XML": "text/xml",
    "SOAP": "text/xml",
    "MRM": "text/plain",
    "DFDL": "text/plain",
    "BLOB": "text/xml",
}
_FAULT: Final = 3113


def header_text(value: object) -> str:
    """Return a value as the text of a header: one line, whatever the tree holds."""
    text = value if isinstance(value, str) else plain_text(value)  # type: ignore[arg-type]
    return " ".join(text.splitlines()).strip()


def header_pairs(folder: Element | None) -> list[tuple[str, str]]:
    """Return names and values of a header folder, without those that never go out."""
    if folder is None:
        return []
    return [
        (header_text(child.name), header_text(child.value))
        for child in folder.children()
        if child.value is not None and not child.name.lower().startswith(_OURS)
    ]


def forwarded(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the headers of a received message that another message may carry: not those of the connection."""
    return [(name, value) for name, value in pairs if name.lower() not in _OF_CONNECTION]


def get_header(pairs: Iterable[tuple[str, object]], name: str) -> str:
    """Return a header by name, whatever its case; '' if it is missing."""
    return next((header_text(value) for key, value in pairs if key.lower() == name.lower()), "")


def set_default(headers: dict[str, str], name: str, value: str) -> None:
    """Set a header unless it is there, whatever its case."""
    if not any(each.lower() == name.lower() for each in headers):
        headers[name] = value


@cache
def _codec_ccsids() -> dict[str, int]:
    """Return the lowest CCSID of each codec."""
    found: dict[str, int] = {}
    for number in range(1, 65536):
        if ccsids.is_known(number):
            try:
                found.setdefault(codecs.lookup(ccsids.codec_name(number)).name, number)
            except LookupError:
                continue
    found["utf-8"] = UTF8
    found["iso8859-1"] = 819
    return found


def ccsid_of_type(content_type: str) -> int:
    """Return the CCSID that a Content-Type names with `charset=`; 1208 if it names none or one that we do not know."""
    for part in content_type.split(";")[1:]:
        name, _, value = part.partition("=")
        if name.strip().lower() == "charset":
            try:
                return _codec_ccsids().get(codecs.lookup(value.strip().strip("\"'")).name, UTF8)
            except LookupError:
                return UTF8
    return UTF8


def charset_of(ccsid: int) -> str:
    """Return the name of a character set for a Content-Type."""
    if ccsid == UTF8 or not ccsids.is_known(ccsid):
        return "utf-8"
    return ccsids.codec_name(ccsid)


def find_body(root: Element) -> Element | None:
    """Return the body of a message: its last child that is no header."""
    child = root.last_child()
    while child is not None:
        domain = child.domain or child.name
        if domain not in PLAIN_HEADERS and domain not in LAYOUTS and domain not in ("MQMD", "Properties"):
            return child
        child = child.previous
    return None


def write_http_body(node: RuntimeNode, root: Element) -> tuple[bytes, str]:
    """Return the bytes of a body and its Content-Type; headers of MQ have no place in HTTP."""
    body = find_body(root)
    properties = root.child("Properties")
    given = None if properties is None else properties.get("ContentType")
    content_type = given if isinstance(given, str) else ""
    if body is None:
        return b"", content_type
    context = context_of_root(root, node.flow.models, node.flow.switches)
    name = body.domain or body.name
    domain = domain_named(name) or name
    data = format_of(domain).write(body, context)
    if not content_type:
        kind = _TYPES.get(domain, "application/octet-stream")
        content_type = kind if domain == "JSON" else f"{kind}; charset={charset_of(context.ccsid)}"
    return data, content_type


def blob_root(data: bytes, headers: list[Element]) -> Element:
    """Return a message with a body of bytes, for a failure path."""
    return parse_message(None, data, Template(), reply_protocol="SOAP-HTTP", headers=headers)


def decompressed(data: bytes, encoding: str) -> bytes:
    """Return a body that came compressed; raise 3163 if it is damaged or becomes too long."""
    kind = encoding.strip().lower()
    if kind in ("", "identity"):
        return data
    if kind not in ("gzip", "x-gzip", "deflate"):
        raise parser_error(3163, encoding, text=f"the Content-Encoding {encoding!r} is not known; send gzip or deflate")
    reader = zlib.decompressobj(47 if kind != "deflate" else zlib.MAX_WBITS)
    try:
        made = reader.decompress(data, DECOMPRESSED_MAX)
    except zlib.error as error:
        raise parser_error(3163, encoding, text=f"the compressed body is damaged: {error}") from None
    if reader.unconsumed_tail or not reader.eof:
        reason = f"is longer than {DECOMPRESSED_MAX} bytes" if reader.unconsumed_tail else "is cut off"
        raise parser_error(3163, encoding, text=f"the compressed body {reason}")
    return made


def reason_of(status: int) -> str:
    """Return the phrase of a status line."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def new_header(name: str) -> Element:
    """Return an empty header folder."""
    folder = Element(name, None, NAME)
    folder.domain = name
    return folder


def fault(kind: str, flow: str, error: BrokerError) -> tuple[str, bytes]:
    """Return Content-Type and body of the reply to a request after its flow failed, in a faultFormat."""
    cause = error.root_cause()
    summary = f"BIP{_FAULT}E: the message flow {flow} raised an exception that it did not handle"
    detail = f"BIP{cause.number}E: {cause.text}"
    wanted = kind.strip().upper()
    if wanted == "JSON":
        told = {"error": {"code": f"BIP{_FAULT}E", "message": summary, "cause": {"code": cause.number, "text": detail}}}
        return "application/json; charset=utf-8", json.dumps(told).encode()
    if wanted == "HTML":
        page = f"<html><head><title>500</title></head><body><h1>{escape(summary)}</h1><p>{escape(detail)}</p></body>"
        return "text/html; charset=utf-8", f"{page}</html>".encode()
    if wanted == "SOAP 1.2":
        text = (
            '<soapenv:Envelope xmlns:soapenv="http://www.w3.org/2003/05/soap-envelope"><soapenv:Body><soapenv:Fault>'
            "<soapenv:Code><soapenv:Value>soapenv:Receiver</soapenv:Value></soapenv:Code>"
            f'<soapenv:Reason><soapenv:Text xml:lang="en">{_xml(summary)}</soapenv:Text></soapenv:Reason>'
            f"<soapenv:Detail><Text>{_xml(detail)}</Text></soapenv:Detail>"
            "</soapenv:Fault></soapenv:Body></soapenv:Envelope>"
        )
        return "application/soap+xml; charset=utf-8", text.encode()
    text = (
        '<SOAP-ENV:Envelope xmlns:SOAP-ENV="http://schemas.xmlsoap.org/soap/envelope/"><SOAP-ENV:Body><SOAP-ENV:Fault>'
        f"<faultcode>SOAP-ENV:Server</faultcode><faultstring>{_xml(summary)}</faultstring>"
        f"<detail><Text>{_xml(detail)}</Text></detail>"
        "</SOAP-ENV:Fault></SOAP-ENV:Body></SOAP-ENV:Envelope>"
    )
    return "text/xml; charset=utf-8", text.encode()


def _xml(text: str) -> str:
    """Return text that may stand in XML: no control characters."""
    return escape("".join(letter if letter >= " " or letter in "\t\n" else "?" for letter in text))
