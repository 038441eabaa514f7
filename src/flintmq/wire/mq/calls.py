"""The calls of the MQI as bytes: the body of a segment of type 0x81 to 0x9f.

Every call and every reply begins with the same sixteen bytes:

    offset  field       type        value
         0  CallLength  big uint32  of the whole call: 28, these sixteen bytes and those behind
         4  CompCode    int32       0 in a request
         8  Reason      int32       0 in a request
        12  Hobj        int32       the object handle, 0 if there is none

The rest, which comes back in the reply with the server's changes (structures as in `mqi/`, numbers in the byte order
of the segment):

    MQCONN        ConnectData              MQPUT         MQMD, MQPMO, length, data; no data in the reply
    MQDISC        nothing                  MQPUT1        MQOD, then as MQPUT
    MQOPEN        MQOD, options, FOPA      MQGET         MQMD, MQGMO, length of the buffer; data in the reply
    MQCLOSE       options; nothing         MQINQ, MQSET  Attributes
    MQCMIT, MQBACK  nothing                MQSTAT        type, MQSTS

ConnectData:

    offset  field            type     value
         0  QMgrName         char 48  blank for any
        48  ApplName         char 28
        76  ApplType         int32    MQAT_*
        80  AccountingToken  byte 32
       112  Options          int32    1 MQCONN, 3 MQCONNX
       116  XOptions         int32    MQCNO_*; 120 bytes: up to level 6
       120  FCNO             the connect options: identifier, version, flags, then the connection tag or, in the reply,
                             the connection id in 24 bytes; 140, 212, 340 or 352 bytes by version

FOPA, the attributes that a client wants of a queue that it opens:

    offset  field                type    value
         0  StrucId              char 4  "FOPA"
         4  Version              int32   1 or 2
         8  Length               int32   28 or 84
        12  DefPersistence       int32
        16  DefPutResponseType   int32   MQPRT_*
        20  DefReadAhead         int32   MQREADA_*
        24  PropertyControl      int32   MQPROP_*; version 1 ends
        28  (a queue name)       char 48
        76  (an offset)          int32   84
        80  (a length)           int32   0; 84 bytes

Attributes of MQINQ and MQSET: number of selectors, of integers, length of characters; the selectors; then, in a set
and in the reply to an inquiry, the integers and the characters.
"""

import struct
from typing import Final

from flintmq.mqi.fields import read_text, write_text
from flintmq.wire.mq.errors import STATUS_PROTOCOL_DATA, STATUS_PROTOCOL_LENGTH, ChannelError

API_SIZE: Final[int] = 16
#: CallLength counts a header without conversation, even if the segment has one with.
CALL_OVERHEAD: Final[int] = 28 + API_SIZE
_API_BIG: Final = struct.Struct(">Iiii")
_API_REST_LITTLE: Final = struct.Struct("<iii")
_LENGTH_BIG: Final = struct.Struct(">I")

_LONG_BIG: Final = struct.Struct(">i")
_LONG_LITTLE: Final = struct.Struct("<i")


def write_api(length: int, completion: int, reason: int, handle: int, big_endian: bool) -> bytes:
    """Pack the sixteen bytes in front of a reply of `length` bytes."""
    whole = CALL_OVERHEAD + length
    if big_endian:
        return _API_BIG.pack(whole, completion, reason, handle)
    return _LENGTH_BIG.pack(whole) + _API_REST_LITTLE.pack(completion, reason, handle)


def read_handle(body: bytes, big_endian: bool) -> int:
    """Unpack the handle of a request. Raises ChannelError."""
    if len(body) < API_SIZE:
        raise ChannelError(STATUS_PROTOCOL_LENGTH, f"a call has {len(body)} bytes, fewer than it begins with")
    return read_long(body, 12, big_endian)


def read_long(body: bytes, offset: int, big_endian: bool) -> int:
    """Unpack an int32. Raises ChannelError if the segment ends before it."""
    if offset < 0 or len(body) < offset + 4:
        raise ChannelError(STATUS_PROTOCOL_LENGTH, f"a call ends at {len(body)} where a number should be, at {offset}")
    value: int = (_LONG_BIG if big_endian else _LONG_LITTLE).unpack_from(body, offset)[0]
    return value


def write_long(value: int, big_endian: bool) -> bytes:
    """Pack an int32."""
    return value.to_bytes(4, "big", signed=True) if big_endian else value.to_bytes(4, "little", signed=True)


def read_longs(body: bytes, offset: int, count: int, big_endian: bool) -> tuple[int, ...]:
    """Unpack `count` int32 values. Raises ChannelError."""
    if count < 0 or offset < 0 or len(body) - offset < 4 * count:
        raise ChannelError(STATUS_PROTOCOL_LENGTH, f"a call has no room for {count} numbers at {offset}")
    return struct.unpack_from(f"{'>' if big_endian else '<'}{count}i", body, offset)


def write_longs(values: list[int], big_endian: bool) -> bytes:
    """Pack int32 values."""
    return struct.pack(f"{'>' if big_endian else '<'}{len(values)}i", *values)


# -- MQCONN -----------------------------------------------------------------------------------------------------------

CONNECT_SIZE: Final[int] = 120
FCNO_SIZES: Final = {1: 140, 2: 212, 3: 340, 4: 352}
_CONNECT_BIG: Final = struct.Struct(">48s28si32sii")
_CONNECT_LITTLE: Final = struct.Struct("<48s28si32sii")
_FCNO_BIG: Final = struct.Struct(">4sii")
_FCNO_LITTLE: Final = struct.Struct("<4sii")
assert _CONNECT_BIG.size == CONNECT_SIZE
#: FCNO flag of a reply: the connection id is there.
_HAS_CONNECTION_ID: Final = 1


class ConnectData:
    """The body of MQCONN and MQCONNX."""

    q_mgr_name: str = ""
    appl_name: str = ""
    appl_type: int = 0
    accounting_token: bytes = bytes(32)
    options: int = 0
    x_options: int = 0
    #: 0 if there is no FCNO.
    fcno_version: int = 0
    fcno_size: int = 0

    @staticmethod
    def unpack(body: bytes, offset: int, big_endian: bool, ccsid: int) -> "ConnectData":
        """Unpack the data at `offset`. Raises ChannelError."""
        if len(body) - offset < CONNECT_SIZE - 8:
            raise ChannelError(STATUS_PROTOCOL_LENGTH, f"MQCONN has {len(body) - offset} bytes")
        data = ConnectData()
        whole = body[offset : offset + CONNECT_SIZE].ljust(CONNECT_SIZE, b"\0")
        name, appl, data.appl_type, data.accounting_token, data.options, data.x_options = (
            _CONNECT_BIG if big_endian else _CONNECT_LITTLE
        ).unpack(whole)
        data.q_mgr_name = read_text(name, ccsid)
        data.appl_name = read_text(appl, ccsid)
        rest = len(body) - offset - CONNECT_SIZE
        if rest >= 12:
            layout = _FCNO_BIG if big_endian else _FCNO_LITTLE
            identifier, data.fcno_version, _ = layout.unpack_from(body, offset + CONNECT_SIZE)
            if read_text(identifier, ccsid) != "FCNO":
                raise ChannelError(STATUS_PROTOCOL_DATA, f"MQCONN has {identifier!r} instead of FCNO")
            data.fcno_size = rest
        return data

    def pack(self, q_mgr_name: str, connection_id: bytes, q_mgr_id: str, big_endian: bool, ccsid: int) -> bytes:
        """Pack the reply: queue manager and connection id, in a structure of the version that was sent."""
        raw = (_CONNECT_BIG if big_endian else _CONNECT_LITTLE).pack(
            write_text(q_mgr_name, 48, ccsid, 0, "QMgrName"),
            write_text(self.appl_name, 28, ccsid, 0, "ApplName"),
            self.appl_type,
            self.accounting_token,
            self.options,
            self.x_options,
        )
        if not self.fcno_size:
            return raw
        identifier = write_text("FCNO", 4, ccsid, 0, "FCNO")
        fcno = (_FCNO_BIG if big_endian else _FCNO_LITTLE).pack(identifier, self.fcno_version, _HAS_CONNECTION_ID)
        fcno = (fcno + connection_id).ljust(self.fcno_size, b"\0")
        if self.fcno_version >= 2 and self.fcno_size == FCNO_SIZES.get(self.fcno_version):
            fcno = fcno[:-48] + write_text(q_mgr_id, 48, ccsid, 0, "QMgrId")
        return raw + fcno[: self.fcno_size]


# -- MQOPEN -----------------------------------------------------------------------------------------------------------

FOPA_SIZE_1: Final[int] = 28
FOPA_SIZE_2: Final[int] = 84
_FOPA_BIG: Final = struct.Struct(">4siiiiii")
_FOPA_LITTLE: Final = struct.Struct("<4siiiiii")


class OpenDefaults:
    """The attributes that a client learns of a queue when it opens it; -1 where an object has none."""

    def __init__(self) -> None:
        self.persistence = -1
        self.put_response = -1
        self.read_ahead = -1
        self.property_control = -1

    def pack_fopa(self, version: int, big_endian: bool, ccsid: int) -> bytes:
        """Pack a FOPA of the version that the client has sent."""
        size = FOPA_SIZE_1 if version < 2 else FOPA_SIZE_2
        identifier = write_text("FOPA", 4, ccsid, 0, "FOPA")
        raw = (_FOPA_BIG if big_endian else _FOPA_LITTLE).pack(
            identifier, version, size, self.persistence, self.put_response, self.read_ahead, self.property_control
        )
        if version < 2:
            return raw
        return raw + write_text("", 48, ccsid, 0, "") + write_longs([FOPA_SIZE_2, 0], big_endian)


def read_fopa(body: bytes, offset: int, big_endian: bool, ccsid: int) -> int:
    """Unpack the version of the FOPA at `offset`; 0 if there is none."""
    if len(body) - offset < FOPA_SIZE_1 or read_text(body[offset : offset + 4], ccsid) != "FOPA":
        return 0
    return read_long(body, offset + 4, big_endian)


# -- MQINQ and MQSET --------------------------------------------------------------------------------------------------

SELECTORS_MAX: Final = 256
CHARACTERS_MAX: Final = 32 * 1024


class Attributes:
    """The selectors of an inquiry or a set, and the values of a set."""

    def __init__(self) -> None:
        self.selectors: list[int] = []
        self.integer_count = 0
        self.character_length = 0
        self.integers: list[int] = []
        self.characters: bytes = b""

    @staticmethod
    def unpack(body: bytes, offset: int, big_endian: bool, with_values: bool) -> "Attributes":
        """Unpack the request at `offset`. Raises ChannelError."""
        counts = read_longs(body, offset, 3, big_endian)
        asked = Attributes()
        asked.integer_count = counts[1]
        asked.character_length = counts[2]
        # One more than the MQI allows, so that the engine refuses with its reason.
        if not 0 <= counts[0] <= SELECTORS_MAX + 1:
            raise ChannelError(STATUS_PROTOCOL_DATA, f"{counts[0]} selectors")
        asked.selectors = list(read_longs(body, offset + 12, counts[0], big_endian))
        if with_values:
            start = offset + 12 + 4 * counts[0]
            asked.integers = list(read_longs(body, start, counts[1], big_endian))
            start += 4 * counts[1]
            if counts[2] < 0 or len(body) - start < counts[2]:
                raise ChannelError(STATUS_PROTOCOL_LENGTH, f"{counts[2]} characters do not fit the call")
            asked.characters = body[start : start + counts[2]]
        return asked

    def pack(self, integers: list[int], characters: bytes, big_endian: bool) -> bytes:
        """Pack the reply: the selectors, then as many values as there is room for."""
        counts = [len(self.selectors), self.integer_count, self.character_length]
        count = max(0, min(self.integer_count, SELECTORS_MAX))
        length = max(0, min(self.character_length, CHARACTERS_MAX))
        values = integers[:count] + [0] * (count - len(integers))
        return write_longs(counts + self.selectors + values, big_endian) + characters[:length].ljust(length)
