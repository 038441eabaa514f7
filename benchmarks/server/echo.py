"""The floor of `bench wire`: a bare uvloop server that answers so many bytes with so many bytes.

    python -m benchmarks.server.echo 127.0.0.1:5000[,/path/of/unix/socket] [KEY.PEM]

A request has its own length at offset 4 and that of the answer at offset 8, both big-endian; an answer has its length
at offset 4, as segments have. All answers of what was read at once are written at once. It prints `ready`.
"""

from __future__ import annotations

import asyncio
import ssl
import sys
from typing import cast

import uvloop

from flintmq.server.collector import settle_collector


class Echo(asyncio.Protocol):
    """One socket."""

    def __init__(self) -> None:
        self.held = b""
        self.answers: dict[int, bytes] = {}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if self.held:
            data = self.held + data
        at, there = 0, len(data)
        out: list[bytes] = []
        while there - at >= 12:
            length = int.from_bytes(data[at + 4 : at + 8], "big")
            if there - at < length:
                break
            back = int.from_bytes(data[at + 8 : at + 12], "big")
            if back not in self.answers:
                self.answers[back] = b"TSH " + back.to_bytes(4, "big") + bytes(back - 8)
            out.append(self.answers[back])
            at += length
        self.held = data[at:]
        if out:
            self.transport.write(out[0] if len(out) == 1 else b"".join(out))


async def serve(at: str, key: str) -> None:
    loop = asyncio.get_running_loop()
    context = None
    if key:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(key)
    for each in at.split(","):
        if each.startswith("/"):
            await loop.create_unix_server(Echo, each)
        else:
            host, _, port = each.rpartition(":")
            await loop.create_server(Echo, host, int(port), ssl=context)
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    settle_collector()
    uvloop.run(serve(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""))
