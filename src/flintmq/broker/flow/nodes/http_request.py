"""Nodes that call servers: HTTPRequest, HTTPAsyncRequest, HTTPAsyncResponse.

Where a request comes from, the first that is there:

    URL      HTTPRequestHeader."X-Original-HTTP-URL", LocalEnvironment.Destination.HTTP.RequestURL, URLSpecifier;
             Destination.HTTP.RequestLine.RequestURI then replaces path and query, Destination.HTTP.QueryString adds
    method   Destination.HTTP.RequestLine.Method, httpMethod
    timeout  Destination.HTTP.TimeoutMillis, Destination.HTTP.Timeout (seconds), timeoutForServer
    headers  HTTPRequestHeader; without one, those of HTTPInputHeader that are not of the connection
    body     the body of the message, or the part that requestMsgLocationInTree names; GET, HEAD and DELETE have none

The answer replaces the message: Properties, HTTPResponseHeader, body (headers of MQ are lost, as in the product). With
replaceInputMsgWithWSResponse=false the message stays, gets the HTTPResponseHeader in front, and the content of the
answer goes to responseMsgLocationInTree. Status 2xx leaves by `out`, others by `error`; no answer is an error of the
node, so it leaves by `failure`.

The asynchronous pair: the request node sends and goes on. The response node with the same correlator starts a flow of
its own with the answer; Destination.HTTP.RequestIdentifier of the request, HTTP.Response.MessageCorrelId and
HTTP.Response.UserContext (from Destination.HTTP.UserContext) are in its local environment.
"""

from __future__ import annotations

import zlib
from typing import ClassVar, Final
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.flow.engine import Invocation, NodeProblem, RuntimeNode, runs
from flintmq.broker.flow.locations import Location, namespaces_of, trees_of
from flintmq.broker.flow.nodes.http_common import (
    ccsid_of_type,
    decompressed,
    find_body,
    forwarded,
    get_header,
    header_pairs,
    header_text,
    reason_of,
    set_default,
    write_http_body,
)
from flintmq.broker.flow.nodes.inputs import InputNode, parser_options
from flintmq.broker.flow.patterns import run_over
from flintmq.broker.flow.services import Deferred, HttpRequest, HttpResponse
from flintmq.broker.formats.registry import FOLDER_BIT_STREAM, VALIDATE_COMPLETE, format_of, known
from flintmq.broker.tree.assembly import Assembly, exception_list, new_root
from flintmq.broker.tree.element import Element, Step, copy_element, find_all
from flintmq.broker.tree.headers import Template, context_of_root, domain_named, parse_message, plain_header
from flintmq.broker.tree.types import JSON_ARRAY, NAME

#: Methods whose requests carry no body.
WITHOUT_BODY: Final = frozenset(("GET", "HEAD", "DELETE", "TRACE"))
_XML: Final = ("XMLNSC", "XMLNS", "XML", "SOAP")
_ENCODING: Final = 546
_BAD_URL: Final = 3154


def template_of(node: RuntimeNode) -> Template:
    """Return how a request node reads the body of an answer."""
    return Template(
        domain=node.text("messageDomainProperty"),
        message_set=node.text("messageSetProperty"),
        message_type=node.text("messageTypeProperty"),
        message_format=node.text("messageFormatProperty"),
        options=VALIDATE_COMPLETE if node.text("validateTiming") == "complete" else 0,
        parser_options=parser_options(node),
    )


def location_of(node: RuntimeNode, name: str, default: str) -> Location:
    """Return the place that a property names; raise NodeProblem if it names none."""
    text = node.text(name, default)
    try:
        return Location(text, namespaces_of(node.tables.get("nsMappingTable", [])))
    except ValueError as error:
        raise NodeProblem(f"{node.label}: {name} is {text!r}, which is no path: {error}") from None


def response_header(response: HttpResponse) -> Element:
    """Return HTTPResponseHeader of an answer."""
    line = f"HTTP/1.1 {response.status} {response.reason or reason_of(response.status)}".rstrip()
    pairs: list[tuple[str, object]] = [
        ("X-Original-HTTP-Status-Line", line),
        ("X-Original-HTTP-Status-Code", response.status),
    ]
    pairs += [(name, header_text(value)) for name, value in response.headers.items()]
    return plain_header("HTTPResponseHeader", pairs)


def response_message(node: RuntimeNode, response: HttpResponse, template: Template) -> Element:
    """Return the message that an answer is."""
    content_type = get_header(response.headers.items(), "Content-Type")
    return parse_message(
        None,
        decompressed(response.body, get_header(response.headers.items(), "Content-Encoding")),
        template,
        reply_protocol="SOAP-HTTP",
        content_type=content_type,
        headers=[response_header(response)],
        encoding=_ENCODING,
        ccsid=ccsid_of_type(content_type),
        models=node.flow.models,
        switches=node.flow.switches,
    )


class HttpCaller(RuntimeNode):
    """The base of nodes that send requests. `override` is the folder of the local environment with their settings."""

    override: ClassVar[str] = "Destination.HTTP"

    def prepare(self) -> None:
        """Check the URL; a node without one gets it from each message."""
        self.url = self.text("URLSpecifier")
        if self.url and not _is_url(self.url) and "[" not in self.url:
            raise NodeProblem(f"{self.label}: URLSpecifier is {self.url!r}; write http://host:port/path")
        self.timeout = self.number("timeoutForServer", 120)

    def setting(self, assembly: Assembly, name: str) -> object:
        """Return an override from the local environment; None if it is missing or empty."""
        value = assembly.local_environment.get(f"{self.override}.{name}")
        return None if value == "" else value

    def url_for(self, assembly: Assembly) -> str:
        """Return where a request goes."""
        header = assembly.message.child("HTTPRequestHeader")
        candidates = (
            None if header is None else header.get("X-Original-HTTP-URL"),
            self.setting(assembly, "RequestURL"),
            self.url,
        )
        url = next((each for each in candidates if isinstance(each, str) and _is_url(each)), "")
        if not url:
            given = next((each for each in candidates if each), "")
            raise BrokerError(
                _BAD_URL,
                f"{given!r} is no URL of a server; set URLSpecifier or LocalEnvironment.{self.override}.RequestURL",
                inserts=(str(given),),
            )
        target = self.setting(assembly, "RequestLine.RequestURI")
        if isinstance(target, str):
            parts = urlsplit(url)
            path, mark, query = target.partition("?")
            path = path if path.startswith("/") else f"/{path}"
            url = urlunsplit((parts.scheme, parts.netloc, path, query if mark else "", ""))
        return self._with_query(url, assembly)

    def _with_query(self, url: str, assembly: Assembly) -> str:
        folder: Element | None = assembly.local_environment
        for name in (*self.override.split("."), "QueryString"):
            folder = None if folder is None else folder.child(name)
        if folder is None:
            return url
        pairs = [(child.name, header_text(child.value)) for child in folder.children() if child.value is not None]
        if not pairs:
            return url
        return f"{url}{'&' if '?' in url else '?'}{urlencode(pairs, quote_via=quote)}"

    def seconds_for(self, assembly: Assembly) -> float:
        """Return how long to wait for the answer."""
        for name, unit in (("TimeoutMillis", 1000), ("Timeout", 1)):
            value = self.setting(assembly, name)
            if value is None:
                continue
            try:
                return float(str(value)) / unit
            except ValueError:
                raise BrokerError(
                    3155, f"LocalEnvironment.{self.override}.{name} is {value!r}, not a number", inserts=(str(value),)
                ) from None
        return self.timeout

    def method_for(self, assembly: Assembly) -> str:
        """Return the method of a request."""
        return header_text(self.setting(assembly, "RequestLine.Method") or self.text("httpMethod", "POST")).upper()

    def content(self, assembly: Assembly) -> tuple[bytes, str]:
        """Return body and Content-Type of a request."""
        return write_http_body(self, assembly.message)

    def request(self, assembly: Assembly) -> HttpRequest:
        """Return the request for a message."""
        url = self.url_for(assembly)
        method = self.method_for(assembly)
        body, content_type = (b"", "") if method in WITHOUT_BODY else self.content(assembly)
        headers = self._headers(assembly.message, url, method, body, content_type)
        body = self._compressed(body, headers)
        if body or method not in WITHOUT_BODY:
            headers["Content-Length"] = str(len(body))
        return HttpRequest(
            self.label,
            method,
            url,
            headers,
            body,
            self.seconds_for(assembly),
            self.flag("followRedirection"),
            header_text(self.setting(assembly, "ProxyURL") or self.text("httpProxyLocation")),
        )

    def _headers(self, message: Element, url: str, method: str, body: bytes, content_type: str) -> dict[str, str]:
        given = message.child("HTTPRequestHeader")
        defaults = self.flag("generateDefaultHttpHeaders", True)
        headers = {name: value for name, value in header_pairs(given) if name.lower() != "content-length"}
        if given is None and defaults:
            dropped = {"content-type", "accept-encoding"}
            pairs = forwarded(header_pairs(message.child("HTTPInputHeader")))
            headers = {name: value for name, value in pairs if name.lower() not in dropped}
        set_default(headers, "Host", urlsplit(url).netloc.rpartition("@")[2])
        if defaults and content_type and method not in WITHOUT_BODY:
            set_default(headers, "Content-Type", content_type)
            found = find_body(message)
            if found is not None and (found.domain or found.name) in _XML:
                set_default(headers, "SOAPAction", '""')
        return headers

    def _compressed(self, body: bytes, headers: dict[str, str]) -> bytes:
        kind = self.text("requestCompressionType", "none").lower()
        if not body or kind == "none":
            return body
        wbits = {"gzip": 31, "zlib": 15, "deflate": -15}.get(kind)
        if wbits is None:
            return body
        packer = zlib.compressobj(wbits=wbits)
        headers["Content-Encoding"] = "gzip" if kind == "gzip" else "deflate"
        return packer.compress(body) + packer.flush()


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.netloc) and not any(each <= " " for each in text)
    except ValueError:
        return False


@runs
class HTTPRequest(HttpCaller):
    """HTTPRequest: sends a request, and goes on with the answer."""

    types = ("ComIbmWSRequest.msgnode",)

    def prepare(self) -> None:
        super().prepare()
        self.template = template_of(self)
        self.whole = self.flag("useWholeInputMsgAsRequest", True)
        self.source = location_of(self, "requestMsgLocationInTree", "InputRoot")
        # Old files write the first of each pair, the current Toolkit the second.
        replace = "replaceInputMsgWithWebServiceResponse", "replaceInputMsgWithWSResponse"
        self.replaces = self.flag(replace[0], self.flag(replace[1], True))
        replace = "replaceInputWithWebServiceError", "replaceInputMsgWithWSError"
        self.error_replaces = self.flag(replace[0], self.flag(replace[1], True))
        self.target = location_of(self, "responseMsgLocationInTree", "OutputRoot")
        self.error_target = location_of(self, "errorMsgLocationInTree", "OutputRoot")

    def content(self, assembly: Assembly) -> tuple[bytes, str]:
        """Return the body of the message, or the part of a tree that the node names."""
        if self.whole or self.source.tree in ("INPUTROOT", "ROOT") and not self.source.steps:
            return super().content(assembly)
        found = self.source.find(trees_of(assembly), lambda: run_over(assembly))
        if found is None:
            raise BrokerError(
                3156, f"there is nothing at {self.source.text} to send", inserts=(self.label, self.source.text)
            )
        return write_part(self, assembly.message, found)

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        request = self.request(assembly)
        response = invocation.services.http_request(request)
        good = 200 <= response.status <= 299
        outgoing = self._outgoing(assembly, request, response, good)
        self.send("out" if good else "error", invocation, outgoing)

    def _outgoing(self, assembly: Assembly, request: HttpRequest, response: HttpResponse, good: bool) -> Assembly:
        answer = response_message(self, response, self.template)
        local = copy_element(assembly.local_environment)
        written = local.folder("WrittenDestination").folder("HTTP")
        written.put("RequestURL", request.url)
        written.put("StatusCode", str(response.status))
        target = self.target if good else self.error_target
        if self.replaces if good else self.error_replaces:
            return assembly.replace(answer, local)
        root = copy_element(assembly.message)
        header = copy_element(answer.children()[1])
        properties = root.child("Properties")
        if properties is None:
            root.prepend(header)
        else:
            properties.insert_after(header)
        output = assembly.replace(root, local)
        body = find_body(answer)
        if body is not None:
            place_content(target.create(trees_of(assembly, output), lambda: run_over(assembly)), body)
        return output


def place_content(target: Element, body: Element) -> None:
    """Put the content of a body below a place in a tree."""
    if target.domain and target.domain in (body.domain, body.name):
        for child in target.children():
            child.detach()
    target.type = NAME if target.type != JSON_ARRAY else target.type
    for child in body.children():
        target.append(copy_element(child))


def write_part(node: RuntimeNode, message: Element, part: Element) -> tuple[bytes, str]:
    """Return the bytes of a part of a tree, and their Content-Type."""
    domain = part.owner()
    if domain in ("", "Root"):
        inner = part.first_child()
        if inner is None and isinstance(part.value, bytes | str):
            return (part.value if isinstance(part.value, bytes) else part.value.encode()), "text/plain; charset=utf-8"
        while inner is not None and not known(inner.domain or inner.name):
            inner = inner.next_sibling()
        if inner is None:
            raise parser_error(
                3156,
                node.label,
                text=f"{part.name} belongs to no parser, so it cannot be written; use DOMAIN in CREATE",
            )
        part, domain = inner, inner.domain or inner.name
    context = context_of_root(message, node.flow.models, node.flow.switches)
    if not part.domain:
        context.options = FOLDER_BIT_STREAM
    data = format_of(domain_named(domain) or domain).write(part, context)
    kind = "application/json" if domain == "JSON" else "text/xml; charset=utf-8"
    return data, kind


@runs
class HTTPAsyncRequest(HttpCaller):
    """HTTPAsyncRequest: sends a request; the answer goes to the HTTPAsyncResponse node with the same correlator."""

    uses_state = True
    types = ("ComIbmHTTPAsyncRequest.msgnode",)
    kind: ClassVar[str] = "HTTP"

    def prepare(self) -> None:
        super().prepare()
        self.correlator = self.text("asyncResponseCorrelator")
        if not self.correlator:
            raise NodeProblem(f"{self.label}: the property asyncResponseCorrelator is empty; it pairs two nodes")

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        request = self.request(assembly)
        identifier = invocation.services.new_identifier(b"SOAP")
        context = async_context(self.kind, self.override, assembly, identifier)
        local = copy_element(assembly.local_environment)
        written = local.folder("WrittenDestination").folder(self.kind)
        written.put("RequestURL", request.url)
        written.put("replyIdentifier", identifier)
        invocation.services.http_async(request, self.kind, self.correlator, context)
        self.join_group(invocation, identifier)
        self.send("out", invocation, assembly.replace(local_environment=local))


def async_context(kind: str, override: str, assembly: Assembly, identifier: bytes) -> Element:
    """Return the local environment that the response node of an asynchronous request starts with."""
    context = Element("LocalEnvironment", None, NAME)
    request = assembly.local_environment.get("Destination.HTTP.RequestIdentifier")
    if request is not None:
        context.put("Destination.HTTP.RequestIdentifier", request)
    answer = context.folder(kind).folder("Response")
    answer.add("MessageCorrelId", identifier)
    place: Element | None = assembly.local_environment
    for name in override.split("."):
        place = None if place is None else place.child(name)
    for each in find_all(place, Step("UserContext")):
        answer.append(copy_element(each))
    return context


class AsyncResponse(InputNode):
    """The base of nodes that take answers to asynchronous requests."""

    uses_state = True

    is_response: ClassVar[bool] = True
    kind: ClassVar[str] = ""
    #: The terminal for answers that are errors of the server.
    bad: ClassVar[str] = "error"

    def prepare(self) -> None:
        """Read the correlator."""
        super().prepare()
        self.correlator = self.text("asyncRequestCorrelator")
        if not self.correlator:
            raise NodeProblem(f"{self.label}: the property asyncRequestCorrelator is empty; it pairs two nodes")

    @property
    def response_key(self) -> tuple[str, str]:
        """Return kind and correlator of the answers that this node takes."""
        return self.kind, self.correlator

    def message(self, deferred: Deferred) -> tuple[Element, str]:
        """Return the message of an answer, and the terminal that it leaves by."""
        response = deferred.response
        assert response is not None
        terminal = "out" if 200 <= response.status <= 299 else self.bad
        return response_message(self, response, self.template), terminal

    def take_response(self, invocation: Invocation, deferred: Deferred) -> None:
        """Send an answer through the flow."""
        invocation.transactional = False
        given = deferred.context.get("Destination.HTTP.RequestIdentifier")
        if isinstance(given, bytes):
            invocation.request_identifier = given
        self.calls += 1
        invocation.note(self, "start")
        try:
            if deferred.error is not None:
                raise deferred.error
            root, terminal = self.message(deferred)
        except BrokerError as error:
            wrapped = self.rethrown(error)
            if not self.wired("failure"):
                raise wrapped from error
            invocation.note(self, "failure", "failure", str(error.root_cause()))
            failed = Assembly(new_root(), deferred.context, exception_list=exception_list(wrapped))
            self.send("failure", invocation, failed)
            return
        self.send_caught(invocation, Assembly(root, deferred.context), terminal)


@runs
class HTTPAsyncResponse(AsyncResponse):
    """HTTPAsyncResponse: starts a flow with the answer to an HTTPAsyncRequest node."""

    types = ("ComIbmHTTPAsyncResponse.msgnode",)
    kind: ClassVar[str] = "HTTP"
