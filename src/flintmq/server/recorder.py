"""A proxy between clients and a queue manager that writes down each segment (`flint wire record`).

A line of the file is a JSON object:

    {"time": 0.0123, "socket": 1, "from": "client", "raw": "5453484d..."}    a segment, a password in it masked (R1)
    {"time": 0.0001, "socket": 1, "event": "connected from 127.0.0.1(50123)"}
    {"time": 0.0001, "socket": 1, "from": "client", "unread": 517}           bytes that are no segments: TLS, garbage

R1  Bytes are forwarded unchanged and at once; the recording has no password in it.
R2  Bytes that cannot be cut into segments are forwarded and counted, never written.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TextIO

from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.describe import describe, masked
from flintmq.wire.mq.errors import ChannelError

CLIENT = "client"
SERVER = "server"
_READ = 1 << 16
_HEX_COLUMNS = 32

Line = dict[str, Any]


class NotARecording(Exception):
    """The file has an invalid line; the text names it."""


class Cutter:
    """One direction of one socket, cut into segments."""

    def __init__(self) -> None:
        self._held = b""
        self.lost = False

    def feed(self, data: bytes) -> tuple[list[bytes], int]:
        """Return the segments that `data` completes, and the number of bytes outside of segments."""
        if self.lost:
            return [], len(data)
        data = self._held + data
        start, found = 0, []
        try:
            while len(data) - start >= seg.PREFIX:
                length = seg.segment_length(data, start)
                if length > len(data) - start:
                    break
                seg.read(data[start : start + length])
                found.append(data[start : start + length])
                start += length
        except ChannelError:
            self.lost = True
            return found, len(data) - start
        self._held = data[start:]
        return found, 0


class Recorder:
    """Listens at one place, forwards to another, and gives each line to `write`."""

    def __init__(self, target: tuple[str, int], write: Callable[[Line], None]) -> None:
        self._target = target
        self._write = write
        self._begun = time.monotonic()
        self._sockets = 0

    async def listen(self, address: str, port: int) -> asyncio.Server:
        """Start the proxy. Raises OSError."""
        return await asyncio.start_server(self._serve, address, port)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._sockets += 1
        number = self._sockets
        peer = writer.get_extra_info("peername") or ("?", 0)
        self._say(number, event=f"connected from {peer[0]}({peer[1]})")
        try:
            to_reader, to_writer = await asyncio.open_connection(*self._target)
        except OSError as error:
            self._say(number, event=f"the queue manager cannot be reached: {error}")
            writer.close()
            return
        ways = [
            asyncio.ensure_future(self._copy(number, CLIENT, reader, to_writer)),
            asyncio.ensure_future(self._copy(number, SERVER, to_reader, writer)),
        ]
        try:
            await asyncio.wait(ways)
        except asyncio.CancelledError:
            return  # The recording ends.
        finally:
            writer.close()
            to_writer.close()
        self._say(number, event="closed")

    async def _copy(self, number: int, who: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forward one direction until it ends."""
        cutter = Cutter()
        try:
            while data := await reader.read(_READ):
                segments, unread = cutter.feed(data)
                for raw in segments:
                    self._say(number, **{"from": who, "raw": masked(raw, seg.read(raw)).hex()})
                if unread:
                    self._say(number, **{"from": who, "unread": unread})
                writer.write(data)
                await writer.drain()
            writer.write_eof()
        except OSError:
            writer.close()  # It is gone, and so is the other side.

    def _say(self, number: int, **rest: object) -> None:
        self._write({"time": round(time.monotonic() - self._begun, 6), "socket": number, **rest})


def to_file(file: TextIO) -> Callable[[Line], None]:
    """Write lines to a file, each at once: the recording is complete whenever it is interrupted."""

    def write(line: Line) -> None:
        file.write(json.dumps(line) + "\n")
        file.flush()

    return write


def read(lines: Iterable[str]) -> Iterator[Line]:
    """Return the lines of a recording. Raises NotARecording."""
    for number, text in enumerate(lines, 1):
        try:
            line = json.loads(text)
            if not isinstance(line["socket"], int) or not isinstance(line["time"], int | float):
                raise ValueError
            if "raw" in line:
                seg.read(bytes.fromhex(line["raw"]))
        except (ValueError, KeyError, TypeError, ChannelError):
            raise NotARecording(f"line {number} is not a line of a recording") from None
        yield line


def words(line: Line, with_bytes: bool = False) -> list[str]:
    """Describe a line of a recording for people."""
    head = f"{line['time']:10.4f} {line['socket']:3}"
    if "event" in line:
        return [f"{head}    {line['event']}"]
    arrow = "->" if line["from"] == CLIENT else "<-"
    if "unread" in line:
        return [f"{head} {arrow} {line['unread']} bytes that are no segments"]
    raw = bytes.fromhex(line["raw"])
    shown = [f"{head} {arrow} {describe(seg.read(raw))}"]
    if with_bytes:
        for start in range(0, len(raw), _HEX_COLUMNS):
            part = raw[start : start + _HEX_COLUMNS]
            text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
            shown.append(f"{'':18} {start:6}  {part.hex(' ', 4):71}  {text}")
    return shown
