"""The second floor of `bench wire`: a bare uvloop server that passes bytes on between the sockets of rr_cc_async.

    python -m benchmarks.server.relay 127.0.0.1:5000

The echo moves as many bytes, but back to the socket they came from. Here a request goes to one of the responders, one
after the other, and the reply to the requester it is for. A frame has its length and an address; nothing else is read:

    offset  field
         4  length, big-endian
         8  the number of the requester
        12  how long the frame is when it is passed on: what is left out is behind this header
        16  data

The first frame of a socket is only its header: a requester gives its number, a responder RESPONDER. It prints `ready`.
"""

from __future__ import annotations

import asyncio
import sys
from typing import cast

import uvloop

from flintmq.server.collector import settle_collector

HEADER = 16
RESPONDER = 0xFFFF_FFFF


def frame(length: int, number: int, passed_on: int) -> bytes:
    """A frame of zeros."""
    numbers = b"".join(each.to_bytes(4, "big") for each in (length, number, passed_on))
    return b"TSH " + numbers + bytes(length - HEADER)


class Relay:
    """Who is connected."""

    def __init__(self) -> None:
        self.requesters: dict[int, asyncio.Transport] = {}
        self.responders: list[asyncio.Transport] = []
        self.turn = 0

    def next_responder(self) -> asyncio.Transport:
        self.turn = (self.turn + 1) % len(self.responders)
        return self.responders[self.turn]


class Socket(asyncio.Protocol):
    """One socket."""

    def __init__(self, relay: Relay) -> None:
        self.relay = relay
        self.held = b""
        self.known = False
        self.responds = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if self.held:
            data = self.held + data
        at, there = 0, len(data)
        while there - at >= HEADER:
            length = int.from_bytes(data[at + 4 : at + 8], "big")
            if there - at < length:
                break
            number = int.from_bytes(data[at + 8 : at + 12], "big")
            if not self.known:
                self._introduced(number)
            else:
                to = self.relay.requesters[number] if self.responds else self.relay.next_responder()
                size = data[at + 12 : at + 16]
                left_out = length - int.from_bytes(size, "big")
                rest = data[at + HEADER + left_out : at + length]
                to.write(b"".join((b"TSH ", size, data[at + 8 : at + 16], rest)))
            at += length
        self.held = data[at:]

    def _introduced(self, number: int) -> None:
        self.known = True
        self.responds = number == RESPONDER
        if self.responds:
            self.relay.responders.append(self.transport)
        else:
            self.relay.requesters[number] = self.transport


async def serve(at: str) -> None:
    relay = Relay()
    host, _, port = at.rpartition(":")
    await asyncio.get_running_loop().create_server(lambda: Socket(relay), host, int(port))
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    settle_collector()
    uvloop.run(serve(sys.argv[1]))
