"""The floor of `bench wire`: a bare uvloop server that answers so many bytes with so many bytes.

    python -m benchmarks.server.echo 127.0.0.1:5000[,/path/of/unix/socket] [KEY.PEM]
    python -m benchmarks.server.echo 127.0.0.1:5000 '' LOG

A request has its own length at offset 4 and that of the answer at offset 8, both big-endian; an answer has its length
at offset 4, as segments have. All answers of what was read at once are written at once. It prints `ready`.

With LOG a request has at offset 12 how many bytes it logs. They are written to that file, whole pages at a time as the
queue manager's log has them, and synced, once for all requests of an iteration of the loop; then those are answered.
"""

from __future__ import annotations

import asyncio
import os
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


class DurableEcho(Echo):
    """One socket whose answers wait for the log."""

    #: A file of LOG_BYTES that is written from the beginning again when it is full, as log files are.
    LOG_BYTES = 16 * 1024 * 1024
    PAGE = 4096
    log = -1
    at = 0
    pages = memoryview(bytes(1024 * 1024))
    waiting: list[tuple[asyncio.Transport, bytes]] = []
    to_log = 0

    def data_received(self, data: bytes) -> None:
        if self.held:
            data = self.held + data
        at, there = 0, len(data)
        shared = DurableEcho
        while there - at >= 16:
            length = int.from_bytes(data[at + 4 : at + 8], "big")
            if there - at < length:
                break
            back = int.from_bytes(data[at + 8 : at + 12], "big")
            if back not in self.answers:
                self.answers[back] = b"TSH " + back.to_bytes(4, "big") + bytes(back - 8)
            if not shared.waiting:
                asyncio.get_running_loop().call_soon(DurableEcho.flush)
            shared.waiting.append((self.transport, self.answers[back]))
            shared.to_log += int.from_bytes(data[at + 12 : at + 16], "big")
            at += length
        self.held = data[at:]

    @staticmethod
    def flush() -> None:
        """Write and sync what all have logged, then answer them."""
        shared = DurableEcho
        size = -(-shared.to_log // shared.PAGE) * shared.PAGE
        if shared.at + size > shared.LOG_BYTES:
            shared.at = 0
        os.pwrite(shared.log, shared.pages[:size], shared.at)
        os.fdatasync(shared.log)
        shared.at += size
        waiting, shared.waiting, shared.to_log = shared.waiting, [], 0
        for transport, answer in waiting:
            transport.write(answer)

    @staticmethod
    def open_log(path: str) -> None:
        """Make the file, with everything in it that will be written again."""
        shared = DurableEcho
        shared.log = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        for at in range(0, shared.LOG_BYTES, len(shared.pages)):
            os.pwrite(shared.log, shared.pages, at)
        os.fsync(shared.log)


async def serve(at: str, key: str, log: str) -> None:
    loop = asyncio.get_running_loop()
    made = DurableEcho if log else Echo
    if log:
        DurableEcho.open_log(log)
    context = None
    if key:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(key)
    for each in at.split(","):
        if each.startswith("/"):
            await loop.create_unix_server(made, each)
        else:
            host, _, port = each.rpartition(":")
            await loop.create_server(made, host, int(port), ssl=context)
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    settle_collector()
    uvloop.run(serve(*(sys.argv[1:] + ["", ""])[:3]))
