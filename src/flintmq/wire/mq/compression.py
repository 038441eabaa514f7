"""Compression on a channel (COMPHDR, COMPMSG): segments that are sent shorter than they are.

A segment is compressed by itself, when that makes it shorter, and says so in ControlFlags2:

    HDRCOMP 1   the part of client or server, in front of the data, is compressed, by run lengths
    MSGCOMP 2   data of a message is compressed, as was agreed
    CSH     4   in the first segment of a call, if either is set: four bytes behind those that every call begins with,
                or behind the prefix of a message that is pushed

    offset in CSH  field       type        value
         0         Length      big uint16  where the data of the message begins, as if the header had no conversation
         2         Technique   big uint16  MQCOMPRESS_*, for the data of this call
         4         the part in front of the data of a message, then data

A client adds zeros up to a multiple of four; we must not, it would take them for data.

Run lengths: 0xAB and a byte and a number is that byte so many times, 0xAB 0xAB is one byte 0xAB, any other byte itself.
ZLIBFAST and ZLIBHIGH are zlib streams. LZ4FAST and LZ4HIGH are LZ4 frames; no peer was found to try them with.

    C1  Nothing becomes longer than a segment may be, whatever it says: more is refused (a bomb).
    C2  Zeros behind run lengths are cut off where the length is known: a segment that is not the last is full.
    C3  Of pushed messages only the data is compressed: the Java client mixes up descriptors if more is.
"""

import re
import struct
import zlib
from typing import Any, Final

from flintmq.mqi import gmo as gmo_structure
from flintmq.mqi import md as md_structure
from flintmq.mqi import od as od_structure
from flintmq.mqi import pmo as pmo_structure
from flintmq.wire.mq import bulk
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.calls import API_SIZE, read_long
from flintmq.wire.mq.errors import STATUS_PROTOCOL_DATA, STATUS_PROTOCOL_LENGTH, ChannelError
from flintmq.wire.mq.initial_data import LIST_END
from flintmq.wire.mq.segment import Segment

NONE: Final = 0
RLE: Final = 1
ZLIBFAST: Final = 2
ZLIBHIGH: Final = 4
SYSTEM: Final = 8
LZ4FAST: Final = 16
LZ4HIGH: Final = 32
NAMES: Final = {
    NONE: "NONE",
    RLE: "RLE",
    ZLIBFAST: "ZLIBFAST",
    ZLIBHIGH: "ZLIBHIGH",
    SYSTEM: "SYSTEM",
    LZ4FAST: "LZ4FAST",
    LZ4HIGH: "LZ4HIGH",
}

_BY_NAME: Final[dict[str, int]] = {name: number for number, name in NAMES.items()}

HDRCOMP: Final = 0x01
MSGCOMP: Final = 0x02
CSH: Final = 0x04

CSH_SIZE: Final = 4
#: The length of the prefix of each segment of a pushed message.
PUSHED_SIZE: Final = 24
_CSH: Final = struct.Struct(">HH")

_ESCAPE: Final = 0xAB
#: A byte that must be doubled, or a run of 4 to 255 bytes.
_RUNS: Final = re.compile(rb"\xab|(.)\1{3,254}", re.DOTALL)
#: Shorter data is sent as it is.
_WORTH_IT: Final = 32
_ZLIB_LEVELS: Final = {ZLIBFAST: 1, ZLIBHIGH: 9}
_LZ4_LEVELS: Final = {LZ4FAST: 0, LZ4HIGH: 9}


# -- techniques -------------------------------------------------------------------------------------------------------


def shorten(technique: int, data: bytes) -> bytes:
    """Compress `data`; the result may be longer."""
    if technique in _ZLIB_LEVELS:
        return zlib.compress(data, _ZLIB_LEVELS[technique])
    if technique in _LZ4_LEVELS:
        import lz4.frame

        compressed: bytes = lz4.frame.compress(data, compression_level=_LZ4_LEVELS[technique], store_size=False)
        return compressed
    return run_lengths(data)


def lengthen(technique: int, data: bytes, length_max: int) -> bytes:
    """Decompress `data` to at most `length_max` bytes (C1). Raises ChannelError."""
    try:
        if technique in _ZLIB_LEVELS:
            inflater = zlib.decompressobj()
            return _complete(inflater.decompress(data, length_max + 1), length_max, inflater.eof)
        if technique in _LZ4_LEVELS:
            import lz4.frame

            decoder: Any = lz4.frame.LZ4FrameDecompressor()
            return _complete(decoder.decompress(data, length_max + 1), length_max, decoder.eof)
    except (zlib.error, RuntimeError) as error:
        raise ChannelError(STATUS_PROTOCOL_DATA, f"data in {NAMES[technique]} cannot be read: {error}") from None
    return from_run_lengths(data, length_max)


def _complete(data: bytes, length_max: int, ended: bool) -> bytes:
    if len(data) > length_max:
        raise ChannelError(STATUS_PROTOCOL_LENGTH, f"compressed data has more than {length_max} bytes")
    if not ended:
        raise ChannelError(STATUS_PROTOCOL_DATA, "compressed data breaks off")
    return data


def run_lengths(data: bytes) -> bytes:
    """Compress `data` by run lengths."""
    return _RUNS.sub(_shorter, data)


def _shorter(match: re.Match[bytes]) -> bytes:
    found = match.group()
    return b"\xab\xab" if found == b"\xab" else bytes((_ESCAPE, found[0], len(found)))


def from_run_lengths(data: bytes, length_max: int) -> bytes:
    """Decompress run lengths. Raises ChannelError."""
    out: list[bytes] = []
    made = 0
    at = 0
    there = len(data)
    while at < there:
        end = data.find(_ESCAPE, at)
        if end < 0:
            end = there
        if end > at:
            part = data[at:end]
            at = end
        elif at + 1 < there and data[at + 1] == _ESCAPE:
            part = b"\xab"
            at += 2
        elif at + 2 < there:
            part = data[at + 1 : at + 2] * data[at + 2]
            at += 3
        else:
            raise ChannelError(STATUS_PROTOCOL_DATA, "data in run lengths breaks off")
        made += len(part)
        if made > length_max + 3:  # Three zeros may follow (C2).
            raise ChannelError(STATUS_PROTOCOL_LENGTH, f"compressed data has more than {length_max} bytes")
        out.append(part)
    return b"".join(out)[:length_max]


def numbers(names: str) -> list[int]:
    """Return the techniques of a list like "ZLIBFAST, RLE" of a channel definition. Raises ValueError."""
    found: list[int] = []
    for name in names.replace("(", " ").replace(")", " ").replace(",", " ").upper().split():
        if name == "ANY":
            found += [RLE, ZLIBFAST, ZLIBHIGH, LZ4FAST, LZ4HIGH]
        elif name in _BY_NAME:
            found.append(_BY_NAME[name])
        else:
            raise ValueError(f"{name} is no technique of compression: {', '.join(_BY_NAME)}, ANY")
    return found


def agreed(offered: bytes, allowed: list[int]) -> int:
    """Return the first technique of a list in INITIAL_DATA that the channel allows; NONE if there is none."""
    for technique in offered:
        if technique == LIST_END:
            break
        if technique in allowed:
            return technique
    return NONE


# -- segments ---------------------------------------------------------------------------------------------------------


class Compression:
    """The agreed compression of one socket, and its counters."""

    #: The last message: how long it was, and how long it was sent; and all of them.
    last_before: int = 0
    last_after: int = 0
    before: int = 0
    after: int = 0
    #: The techniques of the last segment.
    last_header: int = NONE
    last_message: int = NONE

    def __init__(self, header: int, message: int, transmission_size: int) -> None:
        self.header = header
        self.message = message
        self._size_max = transmission_size
        #: The technique of the call that is being received, by conversation.
        self._receiving: dict[int, int] = {}

    def expand(self, segment: Segment) -> bytes:
        """Return the decompressed body of a segment. Raises ChannelError."""
        header = seg.SIZE_M if segment.struc_id == seg.TSHM else seg.SIZE
        room = self._size_max - header
        body = segment.body
        flags = segment.flags_2
        pushed = segment.kind == seg.ASYNC_MESSAGE
        fixed = PUSHED_SIZE if pushed else API_SIZE
        if not flags & CSH:
            if flags & HDRCOMP:
                raise ChannelError(STATUS_PROTOCOL_DATA, "a segment has compressed headers and does not say how long")
            if flags & MSGCOMP:
                kept = fixed if pushed else 0
                if len(body) < kept:
                    raise ChannelError(STATUS_PROTOCOL_LENGTH, f"a compressed segment has {len(body)} bytes")
                more = lengthen(self._technique(segment.conversation), body[kept:], room - kept)
                body = body[:kept] + more
            return body
        if len(body) < fixed + CSH_SIZE:
            raise ChannelError(STATUS_PROTOCOL_LENGTH, f"a compressed segment has {len(body)} bytes")
        length, technique = _CSH.unpack_from(body, fixed)
        start = fixed + CSH_SIZE
        end = length - seg.SIZE
        if end < start or end > len(body):
            raise ChannelError(STATUS_PROTOCOL_LENGTH, f"a compressed segment says {length} bytes and has {len(body)}")
        self._receiving[segment.conversation] = technique
        said, data = body[start:end], body[end:]
        if flags & HDRCOMP:
            said = from_run_lengths(said, room - fixed)
        if flags & MSGCOMP:
            left = max(0, room - fixed - len(said))
            data = lengthen(self._technique(segment.conversation), data, left)
        whole = body[:fixed] + said + data
        return whole if segment.flags & seg.LAST else whole[:room]

    def _technique(self, conversation: int) -> int:
        technique = self._receiving.get(conversation, self.message)
        if technique not in NAMES or technique in (NONE, SYSTEM):
            raise ChannelError(STATUS_PROTOCOL_DATA, f"compression {technique} was not agreed on")
        return technique

    def compress(self, body: bytes, fixed: int, said: int, first: bool) -> tuple[int, bytes]:
        """Return (ControlFlags2, body) for a segment.

        `fixed` bytes are never compressed; then `said` bytes are not data of a message. The CSH is in the first
        segment.
        """
        self.last_header = self.last_message = NONE
        prefix, about, data = body[:fixed], body[fixed : fixed + said], body[fixed + said :]
        flags = 0
        if self.header and fixed == API_SIZE and len(about) >= _WORTH_IT:  # Of a call: C3.
            compressed = run_lengths(about)
            if len(compressed) < len(about) - CSH_SIZE:
                about = compressed
                flags = HDRCOMP
                self.last_header = self.header
        shorter = self._message(data)
        if shorter:
            data = shorter
            flags |= MSGCOMP
        if not flags:
            return 0, body
        if first:
            flags |= CSH
            prefix += _CSH.pack(seg.SIZE + fixed + CSH_SIZE + len(about), self.message)
        return flags, prefix + about + data

    def _message(self, data: bytes) -> bytes:
        """Compress data of a message; return b"" if the result is not shorter."""
        if not self.message or len(data) < _WORTH_IT:
            return b""
        shorter = shorten(self.message, data)
        sent = min(len(shorter), len(data))
        self.last_before, self.last_after = len(data), sent
        self.before += len(data)
        self.after += sent
        if len(shorter) >= len(data) - CSH_SIZE:
            return b""
        self.last_message = self.message
        return shorter

    def rates(self) -> list[str]:
        """Return COMPRATE: the reduction of the last message and of all messages in per cent."""
        return [_rate(self.last_before, self.last_after), _rate(self.before, self.after)]


def _rate(before: int, after: int) -> str:
    return str(100 * (before - after) // before) if before else "0"


_SPI_FRAME: Final = 36
#: Of those without strings behind them.
_OD_SIZES: Final = {1: od_structure.SIZE_1, 2: od_structure.SIZE_2, 3: od_structure.SIZE_3}
_PMO_SIZES: Final = {1: pmo_structure.SIZE_1, 2: pmo_structure.SIZE_2, 3: pmo_structure.SIZE_3}
_MD_SIZES: Final = {1: md_structure.SIZE_1, 2: md_structure.SIZE_2}
_GMO_SIZES: Final = {
    1: gmo_structure.SIZE_1,
    2: gmo_structure.SIZE_2,
    3: gmo_structure.SIZE_3,
    4: gmo_structure.SIZE_4,
}


def said_in_request(kind: int, data: bytes, big_endian: bool) -> int:
    """Return the length of the part of a client's call that is not data; all of it in case of doubt."""
    whole = len(data) - API_SIZE
    at = API_SIZE
    if kind == seg.SPI:
        return _said_in_bulk(data, big_endian)
    if kind == seg.MQPUT1 and whole >= 8:
        at += _OD_SIZES.get(read_long(data, at + 4, big_endian), whole)
    elif kind != seg.MQPUT:
        return whole
    if len(data) < at + 8:
        return whole
    at += _MD_SIZES.get(read_long(data, at + 4, big_endian), whole)
    if len(data) < at + 8:
        return whole
    at += _PMO_SIZES.get(read_long(data, at + 4, big_endian), whole) + 4
    return min(whole, at - API_SIZE)


def said_in(kind: int, data: bytes, big_endian: bool) -> int:
    """Return the length of the part of a reply, behind the bytes of every reply, that is not data of a message."""
    whole = len(data) - API_SIZE
    if kind == seg.SPI + seg.REPLY:
        return _said_in_bulk(data, big_endian)
    if kind != seg.MQGET + seg.REPLY or whole < 8:
        return whole
    length = _MD_SIZES.get(read_long(data, API_SIZE + 4, big_endian), whole)
    if whole < length + 8:
        return whole
    length += _GMO_SIZES.get(read_long(data, API_SIZE + length + 4, big_endian), whole)
    return min(whole, length + 4)


def _said_in_bulk(data: bytes, big_endian: bool) -> int:
    """Return this length for an SPI call or its reply; with many messages (bulk.py), the bytes before them."""
    whole = len(data) - API_SIZE
    if whole > _SPI_FRAME and read_long(data, API_SIZE, big_endian) in bulk.VERBS:
        return _SPI_FRAME
    return whole
