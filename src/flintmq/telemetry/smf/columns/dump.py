"""Dump files: any framing, plain or compressed, whole or in ranges that start and end on record boundaries.

plain file       mapped into memory, so a range costs only its own bytes; cut into ranges of about `size` bytes
.gz, .zst        read from the start to the end in one range, or to where they are damaged (packed.py)
bdw              read as a whole: its blocks are taken apart first, and offsets count without them
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flintmq.telemetry.smf.columns.block import Block, block_of
from flintmq.telemetry.smf.columns.packed import COMPRESSED, Unpacker, UnreadableDump
from flintmq.telemetry.smf.framing import BDW, FRAMINGS, RDW, Buffer, Cut, Damage, cut, deblock, detect

__all__ = [
    "BLOCK",
    "COMPRESSED",
    "Range",
    "UnreadableDump",
    "blocks_of",
    "complete",
    "grown",
    "ranges_of",
]

#: Bytes of records that are worked on at once: a wide structure has 460 columns, and each costs a few calls per block.
BLOCK = 32 << 20
#: Bytes that the framing is told from.
LOOK = 1 << 20


@dataclass(frozen=True)
class Range:
    """A part of a dump: records that start in [start, stop). `stop` -1 is the end of the file."""

    path: str
    framing: str
    start: int = 0
    stop: int = -1


def ranges_of(path: str, size: int, framing: str = "", start: int = 0, stop: int = -1) -> list[Range]:
    """Cut a dump, or its records in [start, stop), into ranges of about `size` bytes, each starting at a record."""
    if framing and framing not in FRAMINGS:
        raise UnreadableDump(f"{path}: there is no framing {framing!r}; there are: {', '.join(FRAMINGS)}")
    length = _size(path)
    if path.endswith(COMPRESSED) or length == 0:
        return [Range(path, framing)]
    with _Mapped(path) as data:
        framing = framing or detect(memoryview(data)[:LOOK].tobytes())
        if framing == BDW or (stop if stop >= 0 else length) - start <= size:
            return [Range(path, framing, start, stop)]
        starts = _boundaries(data, size, framing, start, stop if stop >= 0 else length)
    return [Range(path, framing, first, last) for first, last in zip(starts, [*starts[1:], stop], strict=True)]


def grown(path: str, start: int = 0, framing: str = "", stop: int = -1) -> int:
    """Return the end of the complete records of a dump that is still being written, at most `stop`.

    A packed dump counts as complete.
    """
    length = _size(path)
    if stop >= 0:
        length = min(length, stop)
    if path.endswith(COMPRESSED) or length <= start:
        return length
    with _Mapped(path) as data:
        framing = framing or detect(memoryview(data)[:LOOK].tobytes())
        if framing == BDW:
            return length
        return cut(memoryview(data)[:length], start, length, framing, final=False).end


def complete(part: Range) -> int:
    """Return the end of the complete records of the last range of a dump that has been read to the end of the file.

    Not before the last of them: a record that claims to end beyond the file is damaged if others follow it.
    """
    length = _size(part.path)
    if length <= part.start:
        return length
    with _Mapped(part.path) as data:
        found = cut(data, part.start, length, part.framing)
        if not found.damages:
            return found.end
        places = [(found.starts[-1], found.lengths[-1])] if found.starts else []
        places += [pieces[-1] for pieces in found.spanned[-1:]]
        ends = [first + size for first, size in places]
        return max([*ends, cut(data, part.start, length, part.framing, final=False).end])


def _boundaries(data: Buffer, size: int, framing: str, start: int, stop: int) -> list[int]:
    """Return the first record at or after each multiple of `size`. Walks the dump record by record, without guesses."""
    starts = [start]
    shift = 0 if framing == RDW else 4
    at = start
    while at < stop:
        at = cut(data, at, min(starts[-1] + size, stop), framing).end
        if at >= stop:
            break
        following = cut(data, at, at + 1, framing)
        places = [*following.starts, *(pieces[0][0] for pieces in following.spanned)]
        if places:
            starts.append(places[0] + shift)
        at = following.end
    return starts


def blocks_of(part: Range, block: int = BLOCK) -> Iterator[tuple[Block, list[Damage]]]:
    """Yield the records of a range, block by block, with the damages between them."""
    if part.path.endswith(COMPRESSED):
        yield from _stream(part, block)
        return
    if _size(part.path) == 0:
        return
    with _Mapped(part.path) as mapped:
        data: Buffer = mapped
        framing = part.framing or detect(memoryview(mapped)[:LOOK].tobytes())
        if framing == BDW:
            data, framing = deblock(mapped), RDW
        at, stop = part.start, part.stop if part.stop >= 0 else len(data)
        while at < stop:
            piece = cut(data, at, min(at + block, stop), framing)
            yield block_of(data, piece), piece.damages
            at = piece.end


def _stream(part: Range, block: int) -> Iterator[tuple[Block, list[Damage]]]:
    """Yield the records of a packed dump up to the place where it is damaged or cut off; the last block says so."""
    with Unpacker(part.path) as file:
        data = file.read(max(block, LOOK))
        framing = part.framing or detect(data)
        if framing == BDW:
            data, framing = deblock(data + file.read()), RDW
        at = 0
        while data:
            more = file.read(block)
            piece = cut(data, 0, len(data), framing, final=not more)
            damages = [Damage(bad.offset + at, bad.length, bad.what) for bad in piece.damages]
            at += piece.end
            data, whole = data[piece.end :] + more, data
            if file.fault and not data:
                damages.append(Damage(at, 0, file.fault))
            yield block_of(whole, piece, at - piece.end), damages
        if file.fault and not at:
            yield block_of(b"", Cut()), [Damage(0, 0, file.fault)]


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError as error:
        raise UnreadableDump(f"{path}: {error.strerror}") from None


class _Mapped:
    """A file in memory; the mapping ends when nothing refers to it any more."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __enter__(self) -> Any:
        try:
            with open(self.path, "rb") as file:
                return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise UnreadableDump(f"{self.path}: {error}") from None

    def __exit__(self, *exception: object) -> None:
        return None
