"""SPI: calls that are not part of the MQI, which clients use when the server offers them.

    offset  field         type    value, behind the sixteen bytes that every call begins with
         0  Verb          int32   1 QUERY, 12 OPEN ...
         4  Version       int32
         8  MaxReplySize  int32
        12  in and out    char 4 identifier "SPxU", int32 version, int32 length with the rest
        24  in, or out    char 4 identifier "SPxI" or "SPxO", int32 version, int32 length with the rest

QUERY answers the available verbs, each with its highest versions: number of verbs, then for each verb its number,
the versions of the three structures, and 1 if it can be used. Those of FlintMQ's own (bulk.py) are told to its own
client only.

OPEN is MQOPEN with more to say. In the request LPOO and MQOD follow, in the reply LPOO, MQOD and a description of the
protection policy of the queue, which here says that there is none:

    offset  LPOO                type     value
         0  StrucId             char 4   "LPOO"
         4  Version             int32
         8  OpenOptions         int32    MQOO_*
        12  LpiOptions          int32
        16  DefPersistence      int32
        20  DefPutResponseType  int32
        24  DefReadAhead        int32
        28  PropertyControl     int32    32 bytes in version 1
        32  error queue         char 48  of the protection policy
        80  PolicyOffset        int32    from SPOO
        84  PolicyLength        int32    88 bytes

PUT is MQPUT for a message that is delivered later: MQMD and MQPMO belong to the structure in and out, whose length
counts them. The reply has them again, and an empty "SPPO".

    offset  SPPI         type    value
         0  StrucId      char 4  "SPPI"
         4  Version      int32   3
         8  StrucLength  int32   with the data
        12  Options      int32
        16  DataLength   int32
        20               int32   0 in all that was seen
        24  DelayMs      int64   in two halves, the upper one first, each in the byte order of the segment
        32  data

NOTIFY cancels the waiting get of a connection. The client asks for it when another thread closes the handle of the get.
The reply has "SPNU" and an empty "SPNO".

    offset  SPNI          type     value
         0  StrucId       char 4   "SPNI"
         4  Version       int32    1
         8  StrucLength   int32    44
        12  Option        int32    1 cancel
        16  Reason        int32    2107 MQRC_XWAIT_CANCELED, with which the get ends
        20  ConnectionId  byte 24  of the waiting get

RESERVE is asked by a client that puts asynchronously: message ids that it can give out by itself. In: the length of an
id, and how many it would like. Out: how many it gets, where in the id the counter ends, and the first id.
"""

import struct
from typing import Final

from flintmq.mqi.fields import read_text, write_text
from flintmq.wire.mq import bulk
from flintmq.wire.mq.calls import OpenDefaults, read_longs, write_longs
from flintmq.wire.mq.errors import STATUS_PROTOCOL_DATA, STATUS_PROTOCOL_LENGTH, ChannelError

QUERY: Final = 1
PUT: Final = 2
GET: Final = 3
RESERVE: Final = 6
SUBSCRIBE: Final = 7
NOTIFY: Final = 11
OPEN: Final = 12

FRAME: Final[int] = 36
#: The offset of the structure in and out, and the length of the part before its own fields.
IN_OUT: Final[int] = 12
STRUCTURE: Final[int] = 12
SPPI_SIZE: Final[int] = 32
LPOO_SIZE_1: Final[int] = 32
LPOO_SIZE: Final[int] = 88
PROTECTION_ERROR_QUEUE: Final = "SYSTEM.PROTECTION.ERROR.QUEUE"

SPNI_SIZE: Final[int] = 44
#: Option of SPNI: the get that waits ends.
NOTIFY_CANCEL: Final = 1
#: Of SPPI: the first version with a delay, which clients need.
PUT_VERSION: Final[int] = 3
#: verb: the highest versions of its structures in and out, in, out.
VERBS: Final = {
    QUERY: (1, 1, 1),
    PUT: (1, PUT_VERSION, 1),
    RESERVE: (1, 1, 1),
    SUBSCRIBE: (1, 1, 1),
    NOTIFY: (1, 1, 1),
    OPEN: (1, 2, 2),
}
VERBS_MAX: Final = 12


class Frame:
    """The beginning of every SPI call."""

    verb: int = 0
    version: int = 0
    max_reply_size: int = 0
    #: The three bytes that the structures of the verb have in their identifiers: "SPQ" for QUERY.
    family: str = ""

    @staticmethod
    def unpack(body: bytes, offset: int, big_endian: bool, ccsid: int) -> "Frame":
        """Unpack the frame at `offset`. Raises ChannelError."""
        if len(body) - offset < FRAME:
            raise ChannelError(STATUS_PROTOCOL_LENGTH, f"an SPI call has {len(body) - offset} bytes")
        frame = Frame()
        frame.verb, frame.version, frame.max_reply_size = read_longs(body, offset, 3, big_endian)
        identifier = read_text(body[offset + 12 : offset + 16], ccsid)
        if len(identifier) != 4 or identifier[:2] != "SP" or identifier[3] != "U":
            raise ChannelError(STATUS_PROTOCOL_DATA, f"an SPI call has {identifier!r} in its frame")
        frame.family = identifier[:3]
        return frame

    def pack(self, out_version: int, payload: bytes, big_endian: bool, ccsid: int, in_out: bytes = b"") -> bytes:
        """Pack the reply: this frame, `in_out` in the structure in and out, and `payload` in the out structure."""
        raw = write_longs([self.verb, self.version, self.max_reply_size], big_endian)
        raw += write_text(self.family + "U", 4, ccsid, 0, "SPI")
        raw += write_longs([1, STRUCTURE + len(in_out)], big_endian) + in_out
        raw += write_text(self.family + "O", 4, ccsid, 0, "SPI")
        return raw + write_longs([out_version, 12 + len(payload)], big_endian) + payload


def query_payload(big_endian: bool, reply_size: int = 0) -> bytes:
    """Pack the answer of QUERY to a client that has given this MaxReplySize."""
    values = [VERBS_MAX]
    for verb in range(1, VERBS_MAX + 1):
        versions = VERBS.get(verb)
        values += [0, 0, 0, 0, 0] if versions is None else [verb, *versions, 1]
    if reply_size == bulk.ASKS:
        values[0] += len(bulk.VERBS)
        for verb in bulk.VERBS:
            values += [verb, 1, 1, 1, 1]
    return write_longs(values, big_endian)


#: How many ids a client gets at a time: those that differ in the last two bytes. It refuses a counter that would wrap.
RESERVED: Final = 0x10000
#: The last byte of the counter.
_COUNTER_END: Final = 23


def reserve_payload(asked: int, first: bytes, big_endian: bool) -> bytes:
    """Pack the answer of RESERVE: ids from `first` on."""
    return write_longs([min(asked, RESERVED), _COUNTER_END], big_endian) + first


class PutRequest:
    """SPPI, which stands behind the structures of a PUT."""

    options: int = 0
    length: int = 0
    delay_ms: int = 0
    #: Where the data begins.
    data_at: int = 0

    @staticmethod
    def unpack(body: bytes, offset: int, big_endian: bool, ccsid: int) -> "PutRequest":
        """Unpack the structure behind the one in and out of the call at `offset`. Raises ChannelError."""
        in_out = read_longs(body, offset + IN_OUT + 8, 1, big_endian)[0]
        at = offset + IN_OUT + in_out
        if in_out < STRUCTURE or len(body) - at < SPPI_SIZE or read_text(body[at : at + 4], ccsid) != "SPPI":
            raise ChannelError(STATUS_PROTOCOL_DATA, "an SPI PUT has no SPPI")
        request = PutRequest()
        version, _, request.options, request.length, _, high, low = read_longs(body, at + 4, 7, big_endian)
        if version != PUT_VERSION:
            raise ChannelError(STATUS_PROTOCOL_DATA, f"an SPI PUT has version {version} of SPPI, not {PUT_VERSION}")
        request.delay_ms = (high << 32) + (low & 0xFFFF_FFFF)
        request.data_at = at + SPPI_SIZE
        if not 0 <= request.length <= len(body) - request.data_at:
            raise ChannelError(STATUS_PROTOCOL_LENGTH, f"an SPI PUT says {request.length} bytes of data, and has fewer")
        return request


class NotifyRequest:
    """SPNI, which stands behind the structure in and out of a NOTIFY."""

    option: int = 0
    reason: int = 0
    connection_id: bytes = b""

    @staticmethod
    def unpack(body: bytes, offset: int, big_endian: bool, ccsid: int) -> "NotifyRequest":
        """Unpack the structure of the call at `offset`. Raises ChannelError."""
        at = offset + IN_OUT + STRUCTURE
        if len(body) - at < SPNI_SIZE or read_text(body[at : at + 4], ccsid) != "SPNI":
            raise ChannelError(STATUS_PROTOCOL_DATA, "an SPI NOTIFY has no SPNI")
        request = NotifyRequest()
        version, _, request.option, request.reason = read_longs(body, at + 4, 4, big_endian)
        if version != 1:
            raise ChannelError(STATUS_PROTOCOL_DATA, f"an SPI NOTIFY has version {version} of SPNI, not 1")
        request.connection_id = body[at + 20 : at + SPNI_SIZE]
        return request


def is_notify(body: bytes, offset: int, big_endian: bool) -> bool:
    """Return whether the SPI call at `offset` is a NOTIFY, which is served during a waiting get."""
    return len(body) - offset >= FRAME and read_longs(body, offset, 1, big_endian)[0] == NOTIFY


def put_body(structures: bytes, data: bytes, delay_ms: int, big_endian: bool, ccsid: int) -> bytes:
    """Pack a client's PUT; `structures` are MQMD and MQPMO."""
    low = delay_ms & 0xFFFF_FFFF
    halves = [delay_ms >> 32, low - 0x1_0000_0000 if low >= 0x8000_0000 else low]
    return (
        write_longs([PUT, 1, STRUCTURE], big_endian)
        + write_text("SPPU", 4, ccsid, 0, "SPI")
        + write_longs([1, STRUCTURE + len(structures)], big_endian)
        + structures
        + write_text("SPPI", 4, ccsid, 0, "SPI")
        + write_longs([PUT_VERSION, SPPI_SIZE + len(data), 0, len(data), 0, *halves], big_endian)
        + data
    )


class OpenRequest:
    """LPOO, which stands in front of the MQOD of an OPEN."""

    version: int = 0
    options: int = 0
    lpi_options: int = 0
    size: int = LPOO_SIZE

    @staticmethod
    def unpack(body: bytes, offset: int, big_endian: bool, ccsid: int) -> "OpenRequest":
        """Unpack the structure at `offset`. Raises ChannelError."""
        if len(body) - offset < LPOO_SIZE_1 or read_text(body[offset : offset + 4], ccsid) != "LPOO":
            raise ChannelError(STATUS_PROTOCOL_DATA, "an SPI OPEN has no LPOO")
        request = OpenRequest()
        request.version, request.options, request.lpi_options = read_longs(body, offset + 4, 3, big_endian)
        request.size = LPOO_SIZE
        for size in (LPOO_SIZE_1, LPOO_SIZE):
            if read_text(body[offset + size : offset + size + 4], ccsid) == "OD":
                request.size = size
        return request

    def pack(self, defaults: OpenDefaults, od: bytes, name: str, big_endian: bool, ccsid: int) -> bytes:
        """Pack LPOO with the attributes of the queue, the descriptor, and the policy."""
        raw = write_text("LPOO", 4, ccsid, 0, "LPOO") + write_longs(
            [
                self.version,
                self.options,
                self.lpi_options,
                defaults.persistence,
                defaults.put_response,
                defaults.read_ahead,
                defaults.property_control,
            ],
            big_endian,
        )
        if self.size == LPOO_SIZE_1:
            return raw + od
        policy = no_policy(name)
        raw += write_text(PROTECTION_ERROR_QUEUE, 48, ccsid, 0, "LPOO")
        raw += write_longs([12 + LPOO_SIZE + len(od), len(policy)], big_endian)
        return raw + od + policy


def no_policy(name: str) -> bytes:
    """Return a PCF block, always big-endian, by which messages of this queue are not protected."""
    block = struct.pack(">9i", 8, 36, 3, 0, 1, 1, 0, 0, 8)
    block += struct.pack(">4i", 3, 16, 5, 1)
    block += struct.pack(">5i", 4, 20 + 48, 6, 819, 48) + name.encode("latin-1", "replace")[:48].ljust(48)
    for parameter in (7, 8, 9, 14, 10, 12):
        block += struct.pack(">4i", 3, 16, parameter, 0)
    return block
