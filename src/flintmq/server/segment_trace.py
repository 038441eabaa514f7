"""Segments of channels to the trace file: START TRACE(CHINIT).

The trace has the line of describe.py for each segment: its header and the parameters of a call. Neither data of
messages nor passwords are in it.
"""

from __future__ import annotations

from flintmq.qmgr.calls import Clock
from flintmq.server.recorder import Cutter
from flintmq.telemetry.trace_file import RECEIVED, SENT, TraceFile
from flintmq.wire.endpoint import Endpoint
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.describe import describe

#: Segments begin so. A trace that is started in the middle of one waits for the next.
_BEGIN = b"TSH"


class _Socket:
    """A socket: its number in the trace, and its two directions cut into segments."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.cutters = {RECEIVED: Cutter(), SENT: Cutter()}

    def feed(self, way: int, data: bytes) -> list[bytes]:
        """Return the segments that `data` completes."""
        if self.cutters[way].lost and data[:3] == _BEGIN:
            self.cutters[way] = Cutter()
        return self.cutters[way].feed(data)[0]


class SegmentTrace:
    """Writes received and sent segments to the trace file."""

    def __init__(self, file: TraceFile, clock: Clock) -> None:
        self._file = file
        self._clock = clock
        self._count = 0
        self._sockets: dict[Endpoint, _Socket] = {}

    def received(self, endpoint: Endpoint, data: bytes) -> None:
        """Trace bytes from a client, without TLS."""
        self._add(endpoint, RECEIVED, data)

    def sent(self, endpoint: Endpoint, data: bytes) -> None:
        """Trace bytes to a client."""
        self._add(endpoint, SENT, data)

    def ended(self, endpoint: Endpoint) -> None:
        """Forget a closed connection."""
        self._sockets.pop(endpoint, None)

    def _add(self, endpoint: Endpoint, way: int, data: bytes) -> None:
        socket = self._sockets.get(endpoint)
        if socket is None:
            self._count += 1
            socket = self._sockets[endpoint] = _Socket(self._count)
        for raw in socket.feed(way, data):
            words = describe(seg.read(raw)).encode()
            self._file.add(self._clock.now_us(), socket.number, way, length=len(raw), name=endpoint.address, data=words)
