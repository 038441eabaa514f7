"""Packed dumps, unpacked up to the first damage.

    .gz     one or more members, each with its own check sum; zeros after a member are padding
    .zst    one or more frames

A packed dump may be cut off or damaged. `Unpacker.read` then gives every byte before that place, exactly once, and
after the last of them `fault` describes the damage and gives its offset in the file. It raises UnreadableDump if the
file cannot be opened or read, and nothing else.

How the last byte is found: a decompressor that meets damage discards its output for the piece that it was given. The
piece is then given to a copy of the state before it, byte by byte (.gz), or the file is unpacked again up to that piece
and read byte by byte (.zst).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

#: Bytes of the file, or of a .zst its content, that are worked on at once.
PIECE = 1 << 16
COMPRESSED = (".gz", ".zst")
_GZIP = 16 + zlib.MAX_WBITS
_GZIP_MAGIC = b"\x1f\x8b"


class UnreadableDump(Exception):
    """A dump that cannot be opened or read. The text names the file."""


class Unpacker:
    """The content of a packed dump, from its start."""

    def __init__(self, path: str) -> None:
        self.path = path
        #: The damage of the packed data, once everything before it was read.
        self.fault = ""
        try:
            self._file = open(path, "rb")
        except OSError as error:
            raise UnreadableDump(f"{path}: {error.strerror}") from None
        self._pieces = self._gzip() if path.endswith(".gz") else self._zstd()
        self._held = b""

    def __enter__(self) -> Unpacker:
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()

    def read(self, size: int = -1) -> bytes:
        """Return the next `size` bytes, fewer only at the end; all that are left if `size` is negative."""
        parts, length = [self._held], len(self._held)
        while size < 0 or length < size:
            try:
                piece = next(self._pieces, b"")
            except OSError as error:
                raise UnreadableDump(f"{self.path}: {error.strerror or error}") from None
            if not piece:
                break
            parts.append(piece)
            length += len(piece)
        data = b"".join(parts)
        if size < 0:
            size = len(data)
        self._held = data[size:]
        return data[:size]

    def _end_at(self, place: int, why: str) -> None:
        self.fault = f"{Path(self.path).name} cannot be unpacked from byte {place:,} of the file on: {why}"

    def _gzip(self) -> Iterator[bytes]:
        """Unpack the members one after the other."""
        state = zlib.decompressobj(_GZIP)
        begun = False
        place = 0  # Bytes of the file before `data`.
        data = self._file.read(PIECE)
        while data:
            if not begun:
                stripped = data.lstrip(b"\0") if place else data
                place += len(data) - len(stripped)
                data = stripped if len(stripped) > 1 else stripped + self._file.read(PIECE)
                if not stripped:
                    continue
                if not data.startswith(_GZIP_MAGIC):
                    self._end_at(place, "there is something that is not gzip")
                    return
                begun = True
            before = state.copy()
            try:
                found = state.decompress(data)
            except zlib.error:
                yield from self._gzip_to_damage(before, data, place)
                return
            if found:
                yield found
            rest = state.unused_data
            place += len(data) - len(rest)
            if state.eof:
                state, begun = zlib.decompressobj(_GZIP), False
            data = rest or self._file.read(PIECE)
        if begun:
            self._end_at(place, "it is cut off there")

    def _gzip_to_damage(self, state: Any, data: bytes, place: int) -> Iterator[bytes]:
        made = []
        for at in range(len(data)):
            try:
                made.append(state.decompress(data[at : at + 1]))
            except zlib.error as error:
                why = str(error).rpartition(": ")[2]
                self._end_at(place + at, f"it is damaged there ({why})")
                break
        yield b"".join(made)

    def _zstd(self) -> Iterator[bytes]:
        """Unpack the frames. Of no bytes there are no frames, and nothing is wrong."""
        if not self._file.read(1):
            return
        done = 0
        stream = self._zstd_from(0)
        while True:
            try:
                found = bytes(stream.read(PIECE))
            except OSError as error:
                yield self._zstd_to_damage(done, str(error))
                return
            if not found:
                return
            done += len(found)
            yield found

    def _zstd_from(self, start: int) -> Any:
        self._file.seek(0)
        stream = pa.CompressedInputStream(pa.PythonFile(self._file, "r"), "zstd")
        while start:
            start -= len(stream.read(min(start, PIECE)))
        return stream

    def _zstd_to_damage(self, start: int, why: str) -> bytes:
        made = []
        stream = self._zstd_from(start)
        try:
            while found := bytes(stream.read(1)):
                made.append(found)
        except OSError:
            pass  # The same again.
        size = Path(self.path).stat().st_size
        self._end_at(min(self._file.tell(), size), f"it is damaged or cut off there ({why})")
        return b"".join(made)
