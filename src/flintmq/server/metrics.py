"""The endpoint for Prometheus: `GET /metrics` over HTTP, and nothing else. Off unless qm.ini has MetricsPort.

    Telemetry:
       MetricsPort=9157
       MetricsAddress=127.0.0.1       the default: nobody but this machine

    request                        answer
    GET /metrics, HEAD /metrics    200, OpenMetrics text (flintmq.telemetry.metrics)
    another path                   404
    another method                 405
    bytes that are no request      400
    a head over 8 KiB              431
    a head that is late by 10 s    408

One answer to a connection, which is then closed. No state, no files, no bodies: bytes behind the head are not read.
"""

from __future__ import annotations

import asyncio
import re

from flintmq.host.host import OPEN
from flintmq.server.hub import Hub
from flintmq.telemetry.metrics import CONTENT_TYPE, LoopFigures, render

HEAD_MAX = 8 * 1024
HEAD_S = 10.0
#: More connections at once are closed unanswered.
CONNECTIONS_MAX = 32

_REQUEST = re.compile(rb"([A-Z]+) (/[^ \r\n]*) HTTP/1\.[01]")
_TEXT = "text/plain; charset=utf-8"
_REASONS = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    431: "Request Header Fields Too Large",
    503: "Service Unavailable",
}


class Metrics:
    """The endpoint of one queue manager."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._server: asyncio.Server | None = None
        self._open = 0
        self.address: tuple[str, int] | None = None

    async def start(self, address: str, port: int) -> None:
        """Listen on this address. Raises OSError."""
        self._server = await asyncio.start_server(self._serve, address, port, limit=HEAD_MAX)
        name = self._server.sockets[0].getsockname()
        self.address = (str(name[0]), int(name[1]))

    def close(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()
            self._server = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open += 1
        try:
            if self._open <= CONNECTIONS_MAX:
                writer.write(await self._answer(reader))
                await writer.drain()
        except (ConnectionError, TimeoutError):
            pass  # The client is gone.
        finally:
            self._open -= 1
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader) -> bytes:
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), HEAD_S)
        except asyncio.IncompleteReadError as error:
            return response(400, "This is no HTTP request.\n") if error.partial else b""
        except asyncio.LimitOverrunError:
            return response(431, f"The head of a request has at most {HEAD_MAX} bytes.\n")
        except TimeoutError:
            return response(408, f"The request did not come within {HEAD_S:.0f} seconds.\n")
        request = _REQUEST.match(head)
        if request is None:
            return response(400, "This is no HTTP request.\n")
        method, path = request[1], request[2].partition(b"?")[0]
        if path != b"/metrics":
            return response(404, "There is /metrics, and nothing else.\n", method == b"HEAD")
        if method not in (b"GET", b"HEAD"):
            return response(405, "Metrics can only be read: GET /metrics.\n")
        text = self._metrics()
        if text is None:
            return response(503, "The queue manager has stopped.\n", method == b"HEAD")
        return response(200, text, method == b"HEAD", CONTENT_TYPE)

    def _metrics(self) -> str | None:
        host = self._hub.host
        if host.state != OPEN:
            return None
        hub = self._hub
        flusher = hub.flusher
        loop = LoopFigures(
            hub.turns_count,
            hub.long_turns,
            hub.longest_turn_s,
            flusher.in_loop,
            flusher.in_thread,
            flusher.place.in_loop,
        )
        with host.call:
            return render(host.engine, hub.instances_count(), loop)


def response(status: int, text: str, head_only: bool = False, kind: str = _TEXT) -> bytes:
    """Build an answer of HTTP/1.1, after which the connection is closed."""
    body = text.encode()
    allow = "Allow: GET, HEAD\r\n" if status == 405 else ""
    head = (
        f"HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        f"{allow}Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + (b"" if head_only else body)
