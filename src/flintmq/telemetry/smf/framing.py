"""A dump file of SMF records: where each record is, and where a damaged dump continues.

    framing    a record on the file
    rdw        length (2, with these 4 bytes), segment code (1), 0 (1), data. A spanned record is a piece with code 1,
               any number with 3, one with 2; middle and last pieces carry no SMF header
    none       the data alone, without RDWs and joined: the record starts at the flag byte of the SMF header, and its
               triplets give its length. Only types 2, 3, 115, 116 and 117 can be told apart
    bdw        blocks: length (2, with these 4 bytes), zeros (2), then pieces as in `rdw`

Rules of a cut:

    C1  A record is taken only if its SMF header is plausible: a time within a day, a packed date.
    C2  Where the chain breaks, the cut continues at the next place from which records follow each other; the bytes
        between are one Damage with its place and length. Nothing is guessed.
    C3  If the record before a break has sections beyond its length, it is damaged too; if it is longer than its
        sections, its length was wrong, and the search starts where they end.
    C4  A cut that starts at a record that an earlier cut found gives the same records: a dump may be cut into ranges.
    C5  An incomplete record at the end of the data is left for the next cut, or is a Damage if the data is final.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field

from flintmq.telemetry.smf.ebcdic import bytes_of
from flintmq.telemetry.smf.records import (
    ACCOUNTING,
    DUMP_HEADER,
    DUMP_TRAILER,
    FLOW_STATISTICS,
    RECORD_MAX,
    STATISTICS,
    STRUCTURES,
)

#: The input of `cut`: bytes, or a mapped file.
Buffer = bytes | bytearray | memoryview

RDW = "rdw"
NO_RDW = "none"
BDW = "bdw"
FRAMINGS = (RDW, NO_RDW, BDW)

HEADER = 28
#: Where the triplets of each type start.
TRIPLETS_AT = {STATISTICS: HEADER, ACCOUNTING: HEADER, FLOW_STATISTICS: 34}
#: Types 2 and 3, with the RDW.
HEADER_SHORT = 18
WHOLE, FIRST, LAST, MIDDLE = 0, 1, 2, 3
#: Records that must follow each other at the place where a damaged dump goes on.
CHAIN = 3
#: The fault of a dump with EBCDIC converted to ASCII on the way, and the remedy.
TEXT_MODE = (
    "transferred in text mode: its numbers were converted like EBCDIC characters and are lost."
    " Transfer it again in binary mode with record descriptor words (FTP: binary, quote site rdw)"
)
TRIPLETS_MAX = 16

_PIECE = struct.Struct(">HBB")
#: Length, segment code and 0 as one number, and the bytes that C1 looks at: 6, 10 and 13.
_WHOLE = struct.Struct(">HHxxBxxxBxxB")
_TRIPLET = struct.Struct(">IHH")
#: Flag, type, time below 24 h, date 0cyydddF with c of 0 or 1.
_HEADER_BYTES = (
    rb".[\x02\x03\x73-\x75]\x00[\x00-\x83]..[\x00\x01][\x00-\x99].[\x0f\x1f\x2f\x3f\x4f\x5f\x6f\x7f\x8f\x9f]"
)
_WITH_RDW = re.compile(rb"..[\x00\x01]\x00" + _HEADER_BYTES, re.DOTALL)
_WITHOUT_RDW = re.compile(_HEADER_BYTES, re.DOTALL)


@dataclass(frozen=True)
class Damage:
    """A part of the dump that is no record."""

    offset: int
    length: int
    what: str


@dataclass
class Cut:
    """The records of a range. A position is where the RDW is; without RDWs, four bytes before the flag byte."""

    starts: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    #: Spanned records: the (position of the data, length) of each piece; the first piece with its RDW.
    spanned: list[list[tuple[int, int]]] = field(default_factory=list)
    damages: list[Damage] = field(default_factory=list)
    #: Where the next cut starts.
    end: int = 0


def detect(data: Buffer) -> str:
    """Detect the framing of a dump from its first records. An empty dump is `rdw`: it has no records either way."""
    size = len(data)
    if size == 0 or _chains(data, 0, size, _next_with_rdw, 10):
        return RDW
    if _chains(data, -4, size, _next_without_rdw, 10):
        return NO_RDW
    if size >= 8 + HEADER_SHORT and _chains(data, 4, min(size, int.from_bytes(data[:2], "big")), _next_with_rdw, 3):
        return BDW
    if first_record(data, 0, size, RDW) >= 0:
        return RDW
    return NO_RDW if first_record(data, 0, size, NO_RDW) >= 0 else RDW


def plausible(data: Buffer, at: int) -> bool:
    """Return whether the SMF header with its RDW at `at` is plausible (C1): fourteen bytes must be there."""
    return data[at + 6] == 0 and data[at + 10] <= 1 and data[at + 13] & 0x0F == 0x0F


def _short_first(data: Buffer, at: int, size: int) -> bool:
    """Return whether a first piece that is too short for the SMF header is plausible with the next piece (C1)."""
    length, code, _ = _PIECE.unpack_from(data, at)
    if code != FIRST or not 5 <= length < HEADER_SHORT:
        return False
    joined = bytes(data[at : at + length]) + bytes(data[at + length + 4 : at + length + 4 + HEADER_SHORT])
    return len(joined) >= HEADER_SHORT and plausible(joined, 0)


def extent(data: Buffer, at: int, size: int) -> int:
    """Return the length of the record at `at` by its triplets, counted from its RDW; 0 if they make no sense."""
    kind = data[at + 5]
    if kind in (DUMP_HEADER, DUMP_TRAILER):
        return HEADER_SHORT
    triplets = TRIPLETS_AT.get(kind, 0)
    if triplets == 0 or at + triplets + 8 > size:
        return 0
    lowest, reach = RECORD_MAX + 1, 0
    for number in range(TRIPLETS_MAX):
        where = triplets + 8 * number
        if where + 8 > lowest or at + where + 8 > size:
            break
        offset, length, count = _TRIPLET.unpack_from(data, at + where)
        if count and offset:
            reach = max(reach, offset + length * count)
            lowest = min(lowest, offset)
    return reach if triplets < reach <= RECORD_MAX and lowest >= triplets + 8 else 0


def cut(data: Buffer, start: int, stop: int, framing: str = RDW, final: bool = True) -> Cut:
    """Find the records that start in [start, stop). With `final`, no data follows `data`."""
    made = Cut(end=start)
    if framing == RDW:
        _cut_rdw(data, start, stop, final, made)
    else:
        _cut_no_rdw(data, start, stop, final, made)
    return made


def deblock(data: Buffer) -> bytes:
    """Return a dump without its block descriptors. From the first invalid block on it is left unchanged."""
    parts = []
    at = 0
    while at + 4 <= len(data):
        length = int.from_bytes(data[at : at + 2], "big")
        if length < 8 or data[at + 2] or data[at + 3]:
            break
        parts.append(bytes(data[at + 4 : at + length]))
        at += length
    return b"".join([*parts, bytes(data[at:])])


def _cut_rdw(data: Buffer, start: int, stop: int, final: bool, made: Cut) -> None:
    size = len(data)
    at = start
    starts, lengths, unpack = made.starts, made.lengths, _WHOLE.unpack_from
    while at < stop:
        if at + HEADER_SHORT > size:
            at = _rest(made, at, size, final)
            break
        length, segment, time, century, date = unpack(data, at)
        # C1, spelled out: this runs for every record.
        sound = length >= HEADER_SHORT and time == 0 and century <= 1 and date & 0x0F == 0x0F
        if sound and segment == WHOLE and at + length <= size:
            starts.append(at)
            lengths.append(length)
            at += length
            continue
        code, zero = segment >> 8, segment & 0xFF
        sound = zero == 0 and (sound or _short_first(data, at, size))
        if sound and code == FIRST:
            after = _spanned(data, at, size, made)
        elif sound and code == WHOLE:
            after = BEYOND
        else:
            after = BROKEN
        if after == BEYOND and (not final or first_record(data, at + HEADER_SHORT, size, RDW) < 0):
            at = _rest(made, at, size, final)
            break
        at = after if after >= 0 else _go_on(data, at, size, RDW, final, made)
    made.end = at


#: Instead of where a spanned record ends: it does not end within the data; this is no piece of one.
BEYOND = -1
BROKEN = -2


def _spanned(data: Buffer, first: int, size: int, made: Cut) -> int:
    """Take the record with its first piece at `first`; return where the next one starts, BEYOND or BROKEN."""
    pieces: list[tuple[int, int]] = []
    at = first
    code = FIRST
    while code != LAST:
        if at + 4 > size:
            return BEYOND
        length, code, zero = _PIECE.unpack_from(data, at)
        if zero or length < 5 or (code not in (MIDDLE, LAST) if pieces else code != FIRST):
            # Not the piece that must come: those before it are lost, this one is looked at again.
            made.damages.append(Damage(first, at - first, "a spanned record without its last piece"))
            return at
        if at + length > size:
            return BEYOND
        pieces.append((at + 4, length - 4) if pieces else (at, length))
        at += length
    total = sum(length for _, length in pieces)
    if total > RECORD_MAX:
        made.damages.append(Damage(first, at - first, f"a spanned record of {total} bytes; {RECORD_MAX} is the most"))
    else:
        made.spanned.append(pieces)
    return at


def _cut_no_rdw(data: Buffer, start: int, stop: int, final: bool, made: Cut) -> None:
    """Find the records of a dump without RDWs. Positions are four bytes before the flag byte, as with RDWs."""
    size = len(data)
    at = start
    while at < stop:
        if at + HEADER_SHORT - 4 > size:
            at = _rest(made, at, size, final)
            break
        length = extent(data, at - 4, size) - 4 if plausible(data, at - 4) else BROKEN
        if length > 0 and at + length <= size:
            made.starts.append(at - 4)
            made.lengths.append(length + 4)
            at += length
        elif length > 0 or not final and at + RECORD_MAX > size:
            at = _rest(made, at, size, final)
            break
        else:
            at = _go_on(data, at, size, NO_RDW, final, made)
    made.end = at


def _rest(made: Cut, at: int, size: int, final: bool) -> int:
    """Handle data that end inside a record (C5); return where the next cut starts."""
    if not final:
        return at
    if at < size:
        made.damages.append(Damage(at, size - at, "the dump ends inside a record"))
    return size


def _go_on(data: Buffer, at: int, size: int, framing: str, final: bool, made: Cut) -> int:
    """Return the place after a break at `at` where records follow each other again, or the end of the data (C2)."""
    begin, search = _before_break(data, at, size, made) if framing == RDW else (at, at + 1)
    found = first_record(data, search, size, framing)
    if found < 0:
        # A header may have begun in the last bytes, if more is to come.
        found = size if final else max(size - HEADER_SHORT + 1, begin)
    made.damages.append(Damage(begin, found - begin, _what(data, begin, found, size)))
    return found


def _before_break(data: Buffer, at: int, size: int, made: Cut) -> tuple[int, int]:
    """Judge the record before the break at `at` (C3); return where the damage starts, and where the search."""
    if not made.starts or made.starts[-1] + made.lengths[-1] != at:
        return at, at + 1
    before = made.starts[-1]
    if data[before + 5] not in TRIPLETS_AT:
        return at, at + 1
    reach = extent(data, before, size)
    if reach == 0 or before + reach > at:
        made.starts.pop()
        made.lengths.pop()
        return before, before + 1
    made.lengths[-1] = reach
    end = before + reach
    return end, end if end < at else end + 1


def first_record(data: Buffer, start: int, size: int, framing: str) -> int:
    """Return the first place from `start` on from which records follow each other; -1 if there is none."""
    pattern, shift, after = (_WITH_RDW, 0, _next_with_rdw) if framing == RDW else (_WITHOUT_RDW, 4, _next_without_rdw)
    at = start
    while True:
        match = pattern.search(data, at)
        if match is None:
            return -1
        at = match.start()
        if _chains(data, at - shift, size, after, CHAIN):
            return at
        at += 1


def _chains(data: Buffer, at: int, size: int, after: Callable[[Buffer, int, int], int], hops: int) -> bool:
    """Return whether `hops` records, or all up to the end of the data, follow each other from `at`."""
    for _ in range(hops):
        at = after(data, at, size)
        if at < 0:
            return False
        if at + HEADER_SHORT > size:
            return True
    return True


def _next_with_rdw(data: Buffer, at: int, size: int) -> int:
    """Return where the record after the one at `at` starts; -1 if there is no record at `at`. A cut-off one counts."""
    if at + HEADER_SHORT > size:
        return BROKEN
    length, code, zero = _PIECE.unpack_from(data, at)
    sound = length >= HEADER_SHORT and plausible(data, at) or _short_first(data, at, size)
    if zero or not sound or code not in (WHOLE, FIRST):
        return BROKEN
    at += length
    while code not in (WHOLE, LAST) and at + 4 <= size:
        length, code, zero = _PIECE.unpack_from(data, at)
        if zero or length < 5 or code not in (MIDDLE, LAST):
            return BROKEN
        at += length
    return at


def _next_without_rdw(data: Buffer, at: int, size: int) -> int:
    if at + HEADER_SHORT > size or not plausible(data, at):
        return BROKEN
    reach = extent(data, at, size)
    return at + reach - 4 if reach else BROKEN


#: Bytes of a damaged part in which eye-catchers are looked for.
_EYES_MAX = 1 << 16
_EYES = sorted({structure.eye for structure in STRUCTURES.values() if structure.eye})
_EYES_ASCII = re.compile("|".join(_EYES).encode())
_EYES_EBCDIC = re.compile(b"|".join(re.escape(bytes_of(eye, 4)) for eye in _EYES))


def is_text(data: Buffer, start: int, stop: int) -> bool:
    """Return whether a part of a dump was converted from EBCDIC to ASCII: its eye-catchers show it."""
    part = bytes(data[start : min(stop, start + _EYES_MAX)])
    return _EYES_ASCII.search(part) is not None and _EYES_EBCDIC.search(part) is None


def _what(data: Buffer, at: int, stop: int, size: int) -> str:
    start = bytes(data[at : at + 4])
    if is_text(data, at, stop):
        return TEXT_MODE
    if not any(start):
        return "zeros where a record should start"
    if at + 4 <= size and start[2] in (MIDDLE, LAST) and start[3] == 0:
        return "a piece of a spanned record without its first piece"
    return "no record descriptor word with an SMF header"
