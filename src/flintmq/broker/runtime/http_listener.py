"""The HTTP listener of a worker: requests for HTTPInput and SOAPInput nodes, answered by reply nodes of any flow.

A request is given to the input node that serves the longest path, in the thread of its connection and a unit of work of
its own; the thread then waits until a reply node answers, or until `timeoutForClient`. Bodies are bounded. It listens
on loopback unless the broker is told otherwise.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from flintmq.broker.flow.nodes.inputs import Incoming
from flintmq.broker.flow.services import HttpReply
from flintmq.broker.tree.element import Element
from flintmq.broker.tree.types import NAME

if TYPE_CHECKING:
    from flintmq.broker.flow.engine import RuntimeNode

BODY_MAX: Final = 100 << 20
#: `timeoutForClient` of an input node that does not say.
TIMEOUT_S: Final = 180.0
#: How long a client may take to send a request.
READ_S: Final = 60.0


@dataclass(slots=True)
class Waiting:
    """A client that waits for its answer."""

    answered: threading.Event = field(default_factory=threading.Event)
    reply: HttpReply | None = None


class Requests:
    """Clients that wait, by request identifier."""

    def __init__(self) -> None:
        self._waiting: dict[bytes, Waiting] = {}
        self._lock = threading.Lock()

    def add(self, identifier: bytes) -> Waiting:
        """Enter a client."""
        waiting = Waiting()
        with self._lock:
            self._waiting[identifier] = waiting
        return waiting

    def answer(self, reply: HttpReply) -> bool:
        """Give a client its answer; return False if nobody waits for it."""
        with self._lock:
            waiting = self._waiting.pop(reply.request_identifier, None)
        if waiting is None:
            return False
        waiting.reply = reply
        waiting.answered.set()
        return True

    def remove(self, identifier: bytes) -> None:
        """Forget a client that waits no longer."""
        with self._lock:
            self._waiting.pop(identifier, None)


#: Runs a request through its flow: input node, message. Raises nothing.
Run = Callable[["RuntimeNode", Incoming], None]


class Listener:
    """The server of a worker."""

    def __init__(
        self, host: str, port: int, inputs: list[RuntimeNode], requests: Requests, run: Run, new_id: Callable[[], bytes]
    ) -> None:
        self.inputs = inputs
        self.requests = requests
        self.run = run
        self.new_id = new_id
        listener = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = READ_S

            def __getattr__(self, name: str) -> Any:
                if name.startswith("do_"):
                    return self._serve
                raise AttributeError(name)

            def _serve(self) -> None:
                listener.serve(self)

            def log_message(self, format: str, *arguments: object) -> None:
                """Write nothing: statistics count requests."""

        self._server = ThreadingHTTPServer((host, port), Handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, name="http-listener", daemon=True)

    def start(self) -> None:
        """Start to accept requests."""
        self._thread.start()

    def close(self) -> None:
        """Stop to accept requests; those under way end by themselves."""
        self._server.shutdown()
        self._server.server_close()

    def input_for(self, path: str) -> RuntimeNode | None:
        """Return the node that serves the longest prefix of a path."""
        found = [node for node in self.inputs if node.takes_path(path)]
        return max(found, key=lambda node: len(str(getattr(node, "url_path", ""))), default=None)

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        """Serve one request."""
        parts = urlsplit(handler.path)
        node = self.input_for(parts.path)
        body = self._body(handler)
        if body is None:
            return
        if node is None:
            _answer(handler, 404, {"Content-Type": "text/plain"}, f"nothing is deployed at {parts.path}\n".encode())
            return
        identifier = self.new_id()
        waiting = self.requests.add(identifier)
        header = Element("HTTPInputHeader", None, NAME)
        header.domain = "WSINPHDR"
        for name, value in handler.headers.items():
            header.add(name, value)
        incoming = Incoming(body, headers=[header], method=handler.command, path=parts.path, query=parts.query)
        local = Element("LocalEnvironment", None, NAME)
        local.put("Destination.HTTP.RequestIdentifier", identifier)
        incoming.local_environment = local
        self.run(node, incoming)
        timeout = node.number("timeoutForClient", TIMEOUT_S)
        if not waiting.answered.wait(timeout):
            self.requests.remove(identifier)
        reply = waiting.reply
        if reply is None:
            text = f"the flow gave no answer within {timeout:g} seconds\n"
            _answer(handler, 504, {"Content-Type": "text/plain"}, text.encode())
            return
        _answer(handler, reply.status, reply.headers, reply.body)

    def _body(self, handler: BaseHTTPRequestHandler) -> bytes | None:
        """Read the body; None if the request was refused."""
        if "chunked" in handler.headers.get("Transfer-Encoding", "").lower():
            return _chunks(handler)
        try:
            length = int(handler.headers.get("Content-Length", "0") or 0)
        except ValueError:
            length = -1
        if not 0 <= length <= BODY_MAX:
            handler.close_connection = True
            _answer(handler, 413 if length > 0 else 400, {}, b"")
            return None
        return handler.rfile.read(length) if length else b""


def _chunks(handler: BaseHTTPRequestHandler) -> bytes | None:
    parts: list[bytes] = []
    total = 0
    while True:
        try:
            size = int(handler.rfile.readline(64).split(b";")[0], 16)
        except ValueError:
            size = -1
        total += max(size, 0)
        if size < 0 or total > BODY_MAX:
            handler.close_connection = True
            _answer(handler, 413 if size > 0 else 400, {}, b"")
            return None
        if not size:
            while handler.rfile.readline(65536).strip():
                pass
            return b"".join(parts)
        parts.append(handler.rfile.read(size))
        handler.rfile.readline(8)


def _answer(handler: BaseHTTPRequestHandler, status: int, headers: dict[str, str], body: bytes) -> None:
    try:
        handler.send_response(status)
        for name, value in headers.items():
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(body)
    except OSError:
        handler.close_connection = True  # The client has gone.
