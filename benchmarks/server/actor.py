"""One socket of a load: what arrives is cut into whole segments, and the actor is called with each. Compiled."""

from __future__ import annotations

import select
import socket
import ssl
from collections.abc import Callable

READ = 1 << 18
#: What all sockets are read into. A buffer for each read, as `recv` makes it, is so large that the system may have to
#: map and unmap memory each time: it depends on what else was allocated before, and costs more than all the rest.
_READ = memoryview(bytearray(READ))


class Run:
    """How far it is, and how its actors get their sockets: by the address and whether TLS is wanted."""

    def __init__(self, opener: Callable[[str, bool], socket.socket] | None = None) -> None:
        self.open = opener or opened
        self.to_start = 0
        self.to_end = 0

    def more(self) -> bool:
        """Whether another one may be started; then it counts as started."""
        if self.to_start > 0:
            self.to_start -= 1
            return True
        return False


class Actor:
    """One socket."""

    def __init__(self, run: Run, at: str, tls: bool) -> None:
        self.run = run
        self.socket = run.open(at, tls)
        self.tls = isinstance(self.socket, ssl.SSLSocket)
        self.held = b""

    def send(self, data: bytes) -> None:
        """All of `data`; what is not taken at once is waited for."""
        sent = 0
        while sent < len(data):
            try:
                sent += self.socket.send(data[sent:] if sent else data)
            except (BlockingIOError, ssl.SSLWantWriteError):
                select.select([], [self.socket], [], 10)

    def readable(self) -> None:
        """Something has arrived: every whole segment is taken."""
        try:
            data = self._read()
            while self.tls and self.socket.pending():  # type: ignore[attr-defined]
                data += self._read()
        except (BlockingIOError, ssl.SSLWantReadError):
            return
        if not data:
            raise SystemExit("the server has closed a connection")
        if self.held:
            data = self.held + data
        self.held = data[self.cut(data) :]

    def _read(self) -> bytes:
        length = self.socket.recv_into(_READ)
        return bytes(_READ[:length])

    def cut(self, data: bytes) -> int:
        """Take every whole segment; where the rest begins, that is not whole."""
        at, there = 0, len(data)
        while there - at >= 8:
            length = int.from_bytes(data[at + 4 : at + 8], "big")
            if there - at < length:
                break
            self.take(data[at : at + length])
            at += length
        return at

    def take(self, data: bytes) -> None:
        """A segment has arrived."""
        raise NotImplementedError

    def start(self) -> None:
        """A run begins."""


def serve(run: Run, poll: select.epoll, by_number: dict[int, Actor]) -> None:
    """Until the run has ended: what arrives goes to who has the socket."""
    while run.to_end > 0:
        for number, _ in poll.poll():
            by_number[number].readable()


def opened(at: str, tls: bool) -> socket.socket:
    """A socket to a port of this machine or to a Unix socket, that does not block."""
    if at.startswith("/"):
        made = socket.socket(socket.AF_UNIX)
        made.connect(at)
    else:
        host, _, port = at.rpartition(":")
        made = socket.create_connection((host, int(port)))
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            context.minimum_version = ssl.TLSVersion.TLSv1_3
            made = context.wrap_socket(made)
    made.setblocking(False)
    return made
