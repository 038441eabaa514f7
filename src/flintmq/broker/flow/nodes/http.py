"""Nodes that serve HTTP: HTTPInput, HTTPReply, HTTPHeader.

HTTPInput takes a request. The tree has Properties, HTTPInputHeader and the body; a request without a body has none.

    LocalEnvironment.Destination.HTTP.RequestIdentifier   24 bytes that the reply needs
    LocalEnvironment.HTTP.Input.Path.Segment              with parseQueryString
    LocalEnvironment.HTTP.Input.QueryString.<name>        with parseQueryString, decoded
    LocalEnvironment.HTTP.Input.RequestLine               with parseQueryString: Method, RequestURI, HTTPVersion
    LocalEnvironment.Destination.RouterList               with setDestinationList: a label named like the method
    LocalEnvironment.REST.Input                           in the generated flow of a REST API (rest.py)

If a flow fails and no catch path handles the error, its request gets status 500 and a fault in `faultFormat`; the error
then goes on to the caller, which logs it and backs out.

HTTPReply finds the request by RequestIdentifier in the local environment, or is in the flow of the HTTPInput node. Its
status is the first of HTTPReplyHeader."X-Original-HTTP-Status-Code", Destination.HTTP.ReplyStatusCode,
HTTPResponseHeader."X-Original-HTTP-Status-Code" and 200.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.flow.engine import Invocation, NodeProblem, RuntimeNode, runs
from flintmq.broker.flow.locations import Expression, namespaces_of
from flintmq.broker.flow.nodes import rest
from flintmq.broker.flow.nodes.http_common import (
    blob_root,
    ccsid_of_type,
    decompressed,
    fault,
    find_body,
    forwarded,
    get_header,
    header_pairs,
    header_text,
    new_header,
    set_default,
    write_http_body,
)
from flintmq.broker.flow.nodes.inputs import Incoming, InputNode
from flintmq.broker.flow.services import HttpReply
from flintmq.broker.tree.assembly import Assembly, new_root
from flintmq.broker.tree.element import Element, copy_element
from flintmq.broker.tree.headers import parse_message, plain_header

IDENTIFIER_LENGTH: Final = 24
#: A request with more parameters than this is refused.
PARAMETERS_MAX: Final = 10_000
_ENCODING: Final = 546


@dataclass(slots=True)
class HttpInput:
    """A request as a listener took it."""

    method: str
    path: str
    query: str
    host: str
    scheme: str
    headers: list[tuple[str, object]]
    version: str = "HTTP/1.1"

    @property
    def target(self) -> str:
        """Return path and query as the request line has them."""
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def url(self) -> str:
        """Return the address without the query."""
        return f"{self.scheme}://{self.host}{self.path}"

    def segments(self) -> list[str]:
        """Return the parts of the path, decoded."""
        return [unquote(part) for part in self.path.split("/") if part]

    def parameters(self) -> list[tuple[str, str]]:
        """Return the parameters of the query, decoded."""
        try:
            return parse_qsl(self.query, keep_blank_values=True, errors="replace", max_num_fields=PARAMETERS_MAX)
        except ValueError:
            raise parser_error(3128, text=f"the query string has more than {PARAMETERS_MAX} parameters") from None


@runs
class HTTPInput(InputNode):
    """HTTPInput: takes requests for a path."""

    types = ("ComIbmWSInput.msgnode",)

    def prepare(self) -> None:
        super().prepare()
        self.url_path = self.text("URLSpecifier")
        if not self.url_path:
            raise NodeProblem(f"{self.label}: the property URLSpecifier is empty; it names the path, such as /orders")
        if "://" in self.url_path:
            self.url_path = urlsplit(self.url_path).path or "/"
        if not self.url_path.startswith("/"):
            self.url_path = "/" + self.url_path

    def takes_path(self, path: str) -> bool:
        """Return whether a path fits URLSpecifier, where a trailing `*` stands for anything."""
        wanted = self.url_path
        if wanted.endswith("/*"):
            return path.startswith(wanted[:-1]) or path == wanted[:-2]
        if wanted.endswith("*"):
            return path.startswith(wanted[:-1])
        return path == wanted or path.rstrip("/") == wanted.rstrip("/")

    def metadata(self) -> tuple[tuple[str, object], ...]:
        """Return the path that the node serves."""
        return (("URL", self.url_path),)

    def request_of(self, incoming: Incoming) -> HttpInput:
        """Return the request that a message stands for."""
        path = incoming.path or self.url_path.rstrip("*") or "/"
        path, mark, query = path.partition("?")
        https = self.flag("useHTTPS")
        headers: list[tuple[str, object]] = []
        for folder in incoming.headers:
            if folder.name == "HTTPInputHeader":
                headers += [(child.name, child.value) for child in folder.children()]
        host = get_header(headers, "Host") or ("localhost:7843" if https else "localhost:7800")
        return HttpInput(
            incoming.method.upper(),
            path,
            incoming.query or (query if mark else ""),
            host,
            "https" if https else "http",
            headers,
        )

    def take(self, invocation: Invocation, incoming: Incoming) -> None:
        """Send a request through the flow; if that fails, answer it with a fault and raise."""
        request = self.request_of(incoming)
        invocation.transactional = False
        local = incoming.local_environment or Element("LocalEnvironment", None, 0x01000000)
        given = local.get("Destination.HTTP.RequestIdentifier")
        identifier = given if isinstance(given, bytes) else invocation.services.new_identifier(b"EVHT")
        invocation.request_identifier = identifier
        if not self.takes_path(request.path):
            self._refuse(invocation, 404, f"there is nothing at {request.path}; this node serves {self.url_path}")
            return
        api = rest.api_of(self.flow)
        if api is not None:
            refused = rest.refusal(api, request.method, request.path)
            if refused is not None:
                self._refuse(invocation, *refused)
                return
        header = self._header_folder(request, incoming.data)
        others = [copy_element(folder) for folder in incoming.headers if folder.name != "HTTPInputHeader"]
        if incoming.root is None or given is None:
            local.put("Destination.HTTP.RequestIdentifier", identifier)
        incoming.local_environment = local

        def read() -> Element:
            self._fill(local, request)
            return self._read(request, header, others, incoming.data)

        try:
            self.run(invocation, incoming, read, lambda: self._blob(incoming.data, header))
        except BrokerError as error:
            self._reply_fault(invocation, error)
            raise

    def _blob(self, data: bytes, header: Element) -> Element:
        return blob_root(data, [header])

    def _header_folder(self, request: HttpInput, data: bytes) -> Element:
        return plain_header("HTTPInputHeader", self._header(request, data))

    def _header(self, request: HttpInput, data: bytes) -> list[tuple[str, object]]:
        """Return the leaves of HTTPInputHeader: those of the request, then those that the listener adds."""
        pairs = list(request.headers)
        if data and not get_header(pairs, "Content-Length"):
            pairs.append(("Content-Length", str(len(data))))
        if not get_header(pairs, "Host"):
            pairs.append(("Host", request.host))
        name, _, port = request.host.rpartition(":")
        for key, value in (
            ("X-Original-HTTP-Command", f"{request.method} {request.url}{_query(request)} {request.version}"),
            ("X-Server-Name", name or request.host),
            ("X-Server-Port", port if name else "443" if request.scheme == "https" else "80"),
            ("X-Remote-Addr", "127.0.0.1"),
            ("X-Remote-Host", "localhost"),
            ("X-Scheme", request.scheme),
        ):
            if not get_header(pairs, key):
                pairs.append((key, value))
        return pairs

    def _fill(self, local: Element, request: HttpInput) -> None:
        """Write method, path and query of the request into the local environment, as the node asks."""
        api = rest.api_of(self.flow)
        if api is not None:
            rest.fill_router(local, api, request.method, request.path)
        elif self.flag("setDestinationList"):
            entry = local.folder("Destination").folder("RouterList").add("DestinationData", None, 0x01000000)
            entry.add("labelName", request.method)
        if self.flag("parseQueryString") or api is not None:
            asked = local.folder("HTTP").folder("Input")
            if api is None:
                line = asked.folder("RequestLine")
                line.add("Method", request.method)
                line.add("RequestURI", request.target)
                line.add("HTTPVersion", request.version)
            parameters = request.parameters()
            if parameters:
                query = asked.folder("QueryString")
                for name, value in parameters:
                    query.add(name, value)
            path = asked.folder("Path")
            for segment in request.segments():
                path.add("Segment", segment)
        if api is not None:
            rest.fill_input(
                local, api, request.method, request.path, request.url, request.parameters(), request.headers
            )

    def _read(self, request: HttpInput, header: Element, others: list[Element], data: bytes) -> Element:
        if self.flag("decompressInputMessage"):
            data = decompressed(data, get_header(request.headers, "Content-Encoding"))
        content_type = get_header(request.headers, "Content-Type")
        return parse_message(
            None,
            data,
            self.template,
            reply_protocol="SOAP-HTTP",
            content_type=content_type,
            headers=[header, *others],
            encoding=_ENCODING,
            ccsid=ccsid_of_type(content_type),
            models=self.flow.models,
            switches=self.flow.switches,
        )

    def _refuse(self, invocation: Invocation, status: int, text: str) -> None:
        """Answer a request that no flow serves."""
        invocation.note(self, "refused", detail=text)
        headers = {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(text.encode()))}
        invocation.services.http_reply(
            HttpReply(self.label, invocation.request_identifier, status, headers, text.encode(), new_root())
        )

    def _reply_fault(self, invocation: Invocation, error: BrokerError) -> None:
        """Answer a request after its flow failed. A request that was answered before keeps that answer."""
        self._answer_fault(invocation, *fault(self.text("faultFormat", "SOAP 1.1"), self.flow.name, error))

    def _answer_fault(self, invocation: Invocation, content_type: str, body: bytes) -> None:
        headers = {"Content-Type": content_type, "Content-Length": str(len(body))}
        root = self._blob(body, new_header("HTTPReplyHeader"))
        try:
            invocation.services.http_reply(
                HttpReply(self.label, invocation.request_identifier, 500, headers, body, root)
            )
        except BrokerError as second:
            invocation.note(self, "no fault", detail=str(second))


def _query(request: HttpInput) -> str:
    return f"?{request.query}" if request.query else ""


@runs
class HTTPReply(RuntimeNode):
    """HTTPReply: answers the request of an HTTPInput node."""

    types = ("ComIbmWSReply.msgnode",)

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        body, content_type = write_http_body(self, assembly.message)
        headers = self._headers(assembly.message, body, content_type)
        reply = HttpReply(
            self.label, self._identifier(invocation, assembly), self._status(assembly), headers, body, assembly.message
        )
        try:
            invocation.services.http_reply(reply)
        except BrokerError as error:
            # The client may have gone; that is no error of the flow unless the node says so.
            if error.kind not in ("SocketException", "SocketTimeoutException") or not self.flag(
                "ignoreTransportFailures", True
            ):
                raise
        self.send("out", invocation, assembly)

    def _identifier(self, invocation: Invocation, assembly: Assembly) -> bytes:
        given = assembly.local_environment.get("Destination.HTTP.RequestIdentifier")
        if given is None and invocation.request_identifier:
            return invocation.request_identifier
        if given is None:
            raise BrokerError(
                3143,
                "there is no request to answer: LocalEnvironment.Destination.HTTP.RequestIdentifier is missing, and no "
                "HTTPInput node started the flow; keep the identifier of the request and set it",
                inserts=(self.label,),
            )
        if not isinstance(given, bytes) or len(given) != IDENTIFIER_LENGTH or not given.strip(b"\0"):
            raise BrokerError(
                3740,
                f"LocalEnvironment.Destination.HTTP.RequestIdentifier is {given!r}; it must be the BLOB of "
                f"{IDENTIFIER_LENGTH} bytes that the HTTPInput node set",
                inserts=(self.label,),
            )
        return given

    def _status(self, assembly: Assembly) -> int:
        message = assembly.message
        for value in (
            _leaf(message, "HTTPReplyHeader"),
            assembly.local_environment.get("Destination.HTTP.ReplyStatusCode"),
            _leaf(message, "HTTPResponseHeader"),
        ):
            if value is None or value == "":
                continue
            try:
                status = int(str(value).strip())
            except ValueError:
                status = 0
            if not 100 <= status <= 999:
                raise BrokerError(
                    3740, f"the status {value!r} of the reply is not a number from 100 to 999", inserts=(str(value),)
                )
            return status
        return 200

    def _headers(self, message: Element, body: bytes, content_type: str) -> dict[str, str]:
        given = message.child("HTTPReplyHeader")
        pairs = header_pairs(given)
        if given is None and self.flag("generateDefaultHttpHeaders", True):
            pairs = forwarded(header_pairs(message.child("HTTPResponseHeader")))
        headers = {name: value for name, value in pairs if name.lower() != "content-length"}
        if self.flag("generateDefaultHttpHeaders", True) and content_type:
            set_default(headers, "Content-Type", content_type)
        headers["Content-Length"] = str(len(body))
        return headers


def _leaf(message: Element, header: str) -> object:
    folder = message.child(header)
    return None if folder is None else folder.get("X-Original-HTTP-Status-Code")


#: Properties of an HTTPHeader node: the folder and the table of its values.
_FOLDERS: Final = {
    "httpInputHeader": ("HTTPInputHeader", "nameValue4InputHeader"),
    "httpResponseHeader": ("HTTPResponseHeader", "nameValue4ResponseHeader"),
    "httpRequestHeader": ("HTTPRequestHeader", "nameValue4RequestHeader"),
    "httpReplyHeader": ("HTTPReplyHeader", "nameValue4ReplyHeader"),
}


@runs
class HTTPHeader(RuntimeNode):
    """HTTPHeader: adds, changes and deletes headers of HTTP by tables of names and values."""

    types = ("ComIbmHTTPHeader.msgnode",)

    def prepare(self) -> None:
        namespaces = namespaces_of(self.tables.get("nsMappingTable", []))
        self.changes: list[tuple[str, str, list[tuple[str, str | Expression]]]] = []
        for name, (folder, table) in _FOLDERS.items():
            action = self.text(name, "CarryForward").replace(" ", "").lower().removesuffix("header")
            if action not in ("add", "modify", "delete", "carryforward"):
                raise NodeProblem(f"{self.label}: {name} is {self.text(name)!r}; use Add, Modify, DeleteHeader")
            values: list[tuple[str, str | Expression]] = []
            for row in self.tables.get(table, []):
                text = str(row.get("value", ""))
                try:
                    value: str | Expression = Expression(text, namespaces) if text.startswith("$") else text
                except ValueError as error:
                    raise NodeProblem(f"{self.label}: {table}: {text!r} is no path: {error}") from None
                values.append((str(row.get("name", "")), value))
            if action != "carryforward":
                self.changes.append((action, folder, values))

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        root = copy_element(assembly.message)
        for action, name, values in self.changes:
            folder = root.child(name)
            if action == "delete":
                if folder is not None:
                    folder.detach()
                continue
            if folder is None:
                folder = _insert_header(root, name)
            for key, value in values:
                text = value.text_value(assembly) if isinstance(value, Expression) else value
                if text is not None:
                    _set_leaf(folder, key, header_text(text))
        self.send("out", invocation, assembly.replace(root))


def _set_leaf(folder: Element, name: str, value: str) -> None:
    """Set a leaf by its whole name: names of headers may contain dots."""
    leaf = folder.child(name)
    if leaf is None:
        folder.add(name, value)
    else:
        leaf.set_value(value)


def _insert_header(root: Element, name: str) -> Element:
    """Add a header folder in front of the body."""
    folder = new_header(name)
    body = find_body(root)
    return root.append(folder) if body is None else body.insert_before(folder)
