"""Transmission segments: how the stream of bytes is cut, and the header that each piece has.

    offset in                                      value
    TSH TSHC  TSHM   field            type
      0         0    StrucId          char 4       "TSH ", "TSHC" or "TSHM"; EBCDIC from some
      4         4    SegmentLength    big uint32   with this header
      -         8    ConversationId   big uint32   which conversation of the socket
      -        12    RequestId        big uint32   an answer has that of its question
      8        16    ByteOrder        uint8        1 big-endian, 2 little-endian: of all fields without `big` here
      9        17    SegmentType      uint8        the constants below
     10        18    ControlFlags1    uint8        FIRST, LAST, ERROR ...
     11        19    ControlFlags2    uint8        compression
     12        20    LUWID            byte 8       unit of work of a message channel, else zero
     20        28    Encoding         int32
     24        32    CCSID            uint16       of the characters that follow
     26        34    Reserved         uint16       28 and 36 bytes

TSH is used until it is agreed that conversations share the socket, and always if it is agreed that they do not. Then
TSHM is for segments of a conversation, TSHC for those of the socket.

A call that does not fit one segment is spread over several of the same type, conversation and request: the first has
FIRST, the last LAST, and only the first has the sixteen bytes of a call (conversation.py joins them).
"""

import struct
from typing import Final

from flintmq.wire.mq.errors import STATUS_PROTOCOL_DATA, STATUS_PROTOCOL_ID, STATUS_PROTOCOL_LENGTH, ChannelError

INITIAL_DATA: Final = 0x01
STATUS_DATA: Final = 0x05
SECURITY_DATA: Final = 0x06
USERID_DATA: Final = 0x08
HEARTBEAT: Final = 0x09
CONAUTH_INFO: Final = 0x0A
SOCKET_ACTION: Final = 0x0C
ASYNC_MESSAGE: Final = 0x0D
REQUEST_MSGS: Final = 0x0E
NOTIFICATION: Final = 0x0F
MQCONN: Final = 0x81
MQDISC: Final = 0x82
MQOPEN: Final = 0x83
MQCLOSE: Final = 0x84
MQGET: Final = 0x85
MQPUT: Final = 0x86
MQPUT1: Final = 0x87
MQSET: Final = 0x88
MQINQ: Final = 0x89
MQCMIT: Final = 0x8A
MQBACK: Final = 0x8B
SPI: Final = 0x8C
MQSTAT: Final = 0x8D
MQSUB: Final = 0x8E
MQSUBRQ: Final = 0x8F
XA_START: Final = 0xA1
XA_END: Final = 0xA2
XA_OPEN: Final = 0xA3
XA_CLOSE: Final = 0xA4
XA_PREPARE: Final = 0xA5
XA_COMMIT: Final = 0xA6
XA_ROLLBACK: Final = 0xA7
XA_FORGET: Final = 0xA8
XA_RECOVER: Final = 0xA9
XA_COMPLETE: Final = 0xAA
#: The type of an answer is that of its question and this.
REPLY: Final = 0x10

CONFIRM_REQUEST: Final = 0x01
ERROR: Final = 0x02
REQUEST_CLOSE: Final = 0x04
CLOSE_CHANNEL: Final = 0x08
FIRST: Final = 0x10
LAST: Final = 0x20
ONLY: Final = FIRST | LAST

TSH: Final[bytes] = b"TSH "
TSHC: Final[bytes] = b"TSHC"
TSHM: Final[bytes] = b"TSHM"
_EBCDIC: Final = {b"\xe3\xe2\xc8\x40": TSH, b"\xe3\xe2\xc8\xc3": TSHC, b"\xe3\xe2\xc8\xd4": TSHM}

SIZE: Final[int] = 28
SIZE_M: Final[int] = 36
#: The bytes of a segment that are read before its whole length is known.
PREFIX: Final[int] = 8
#: No segment is longer, whatever was agreed.
SEGMENT_MAX: Final[int] = 0x8000

BIG_ENDIAN: Final = 1
LITTLE_ENDIAN: Final = 2
#: MQENC_NORMAL and MQENC_REVERSED: the encoding of our numbers.
ENCODING_BIG: Final = 273
ENCODING_LITTLE: Final = 546

_HEAD: Final = struct.Struct(">4sIBBBB8s8s")
_HEAD_M: Final = struct.Struct(">4sIIIBBBB8s8s")
_TAIL_BIG: Final = struct.Struct(">IHH")
_TAIL_LITTLE: Final = struct.Struct("<IHH")
_NO_LUWID: Final[bytes] = bytes(8)
assert _HEAD.size == SIZE and _HEAD_M.size == SIZE_M


class Segment:
    """One received segment: its header and its body."""

    def __init__(
        self, struc_id: bytes, kind: int, flags: int, conversation: int, request: int, big_endian: bool, body: bytes
    ) -> None:
        self.struc_id = struc_id
        self.kind = kind
        self.flags = flags
        self.conversation = conversation
        self.request = request
        self.big_endian = big_endian
        self.body = body
        self.flags_2 = 0
        self.encoding = 0
        self.ccsid = 0

    def __repr__(self) -> str:
        return (
            f"Segment({self.struc_id!r} type={self.kind:#x} flags={self.flags:#x} conversation={self.conversation} "
            f"request={self.request} body={len(self.body)})"
        )


def tail(big_endian: bool, ccsid: int) -> bytes:
    """Return the end of a header, equal in all segments of a peer: encoding and character set."""
    layout, encoding = (_TAIL_BIG, ENCODING_BIG) if big_endian else (_TAIL_LITTLE, ENCODING_LITTLE)
    return layout.pack(encoding, ccsid, 0)


def write(
    kind: int, flags: int, big_endian: bool, ending: bytes, body: bytes, struc_id: bytes = TSH, flags_2: int = 0
) -> bytes:
    """Pack a segment without conversation."""
    return head(kind, flags, big_endian, ending, len(body), struc_id, flags_2) + body


def head(
    kind: int, flags: int, big_endian: bool, ending: bytes, length: int, struc_id: bytes = TSH, flags_2: int = 0
) -> bytes:
    """Pack the header of a segment without conversation, with `length` bytes behind it."""
    order = BIG_ENDIAN if big_endian else LITTLE_ENDIAN
    return _HEAD.pack(struc_id, SIZE + length, order, kind, flags, flags_2, _NO_LUWID, ending)


def write_m(
    kind: int,
    flags: int,
    conversation: int,
    request: int,
    big_endian: bool,
    ending: bytes,
    body: bytes,
    flags_2: int = 0,
) -> bytes:
    """Pack a segment of a conversation."""
    return head_m(kind, flags, conversation, request, big_endian, ending, len(body), flags_2) + body


def head_m(
    kind: int,
    flags: int,
    conversation: int,
    request: int,
    big_endian: bool,
    ending: bytes,
    length: int,
    flags_2: int = 0,
) -> bytes:
    """Pack the header of a segment of a conversation, with `length` bytes behind it."""
    order = BIG_ENDIAN if big_endian else LITTLE_ENDIAN
    return _HEAD_M.pack(TSHM, SIZE_M + length, conversation, request, order, kind, flags, flags_2, _NO_LUWID, ending)


def read(data: bytes) -> Segment:
    """Unpack the segment that is all of `data`. Raises ChannelError."""
    if len(data) < SIZE:
        raise ChannelError(STATUS_PROTOCOL_LENGTH, f"a segment of {len(data)} bytes is shorter than its header")
    struc_id = data[:4]
    if struc_id != TSHM and struc_id != TSH and struc_id != TSHC:
        struc_id = _EBCDIC.get(struc_id, b"")
        if not struc_id:
            raise ChannelError(STATUS_PROTOCOL_ID, f"a segment begins with {data[:4]!r}")
    conversation = request = 0
    if struc_id == TSHM:
        if len(data) < SIZE_M:
            raise ChannelError(STATUS_PROTOCOL_LENGTH, f"a segment of {len(data)} bytes is shorter than its header")
        _, length, conversation, request, order, kind, flags, flags_2, _, ending = _HEAD_M.unpack_from(data)
        body = data[SIZE_M:]
    else:
        _, length, order, kind, flags, flags_2, _, ending = _HEAD.unpack_from(data)
        body = data[SIZE:]
    if length != len(data):
        raise ChannelError(STATUS_PROTOCOL_LENGTH, f"a segment says {length} bytes and has {len(data)}")
    if order != BIG_ENDIAN and order != LITTLE_ENDIAN:
        raise ChannelError(STATUS_PROTOCOL_DATA, f"a segment has byte order {order}")
    segment = Segment(struc_id, kind, flags, conversation, request, order == BIG_ENDIAN, body)
    segment.flags_2 = flags_2
    segment.encoding, segment.ccsid, _ = (_TAIL_BIG if order == BIG_ENDIAN else _TAIL_LITTLE).unpack(ending)
    return segment


class Splitter:
    """Cuts received bytes into segments. It never holds more than one segment that is not complete."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._held = 0
        #: The whole length of the segment that is held in parts, 0 while that is not known.
        self._wanted = 0

    def feed(self, data: bytes) -> list[Segment]:
        """Return the segments that `data` completes. Raises ChannelError at the first invalid one."""
        segments: list[Segment] = []
        data = self.joined(data)
        start = 0
        while True:
            length = self.next_length(data, start)
            if not length:
                return segments
            segments.append(read(data[start : start + length]))
            start += length

    def joined(self, data: bytes) -> bytes:
        """Return `data` behind the held part of a segment; b"" as long as that is not complete."""
        if not self._held:
            return data
        self._parts.append(data)
        self._held += len(data)
        if self._held < (self._wanted or PREFIX):
            return b""
        data = b"".join(self._parts)
        self._parts = []
        self._held = self._wanted = 0
        return data

    def next_length(self, data: bytes, start: int) -> int:
        """Return the length of the segment at `start`; 0 if it is not complete, then its beginning is held.

        Raises ChannelError.
        """
        there = len(data) - start
        if there >= PREFIX:
            length = segment_length(data, start)
            if length <= there:
                return length
            self._wanted = length
        if there > 0:
            self._parts.append(data[start:] if start else data)
            self._held = there
        return 0


def segment_length(data: bytes, start: int) -> int:
    """Return the length of the segment at `start`, of which eight bytes are there. Raises ChannelError.

    It begins with TSH, in ASCII or EBCDIC.
    """
    first, second, third = data[start], data[start + 1], data[start + 2]
    ascii_header = first == 0x54 and second == 0x53 and third == 0x48
    if not ascii_header and not (first == 0xE3 and second == 0xE2 and third == 0xC8):
        raise ChannelError(STATUS_PROTOCOL_ID, f"the data begins with {data[start : start + 4]!r}, which is no segment")
    length = data[start + 4] << 24 | data[start + 5] << 16 | data[start + 6] << 8 | data[start + 7]
    if length < SIZE or length > SEGMENT_MAX:
        raise ChannelError(STATUS_PROTOCOL_LENGTH, f"a segment says that it has {length} bytes")
    return length
