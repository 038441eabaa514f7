"""Many messages in one call, and a commit among calls that are sent together: SPI verbs of FlintMQ's own.

They are for its own client. They do nothing that MQGET, MQPUT and MQCMIT do not do; they save a call, two structures
and an answer for each message, or an exchange for each call.
A client uses them only if QUERY has named them, and QUERY names them only to a client that asks with the reply size
ASKS, which no other client has: so neither IBM's clients nor IBM's queue managers ever see them. All structures are
called SPF; numbers are in the byte order of the segment.

    verb    in                                        out
    BROWSE  Wanted, options MQGMO_*, messages at      number, 1 if there is no more; then of all messages the positions,
            most, bytes of data at most (int32);      of all messages the other wanted fields, at the end their data
            token of the first (16 bytes, zeros: any)
    GET     options MQGMO_*, number of ranges         how many there were
            (int32), half a token (8 bytes); ranges:
            first and last position (int64)
    PUT     MQMD, MQPMO, number (int32); the lengths  how many were put; nothing with MQPMO_ASYNC_RESPONSE
            (int32), then the data of all messages
    COMMIT  number of calls before, number of calls   nothing
            after it, 1 to commit or 0 (int32)

A position is the second half of a token; the first half is the same for all messages of a queue.

The fields that a BROWSE can want of each message, in the order of the reply:

    always      position                                                     int64
    PUT_AT      PutDate and PutTime                                          char 16
    DESCRIPTOR  MQMD, version 2
    DATA        Encoding, CodedCharSetId (unless with DESCRIPTOR)            int32, int32
                Format (likewise)                                            char 8
                length of the data                                           int32

BROWSE is MQGET with BROWSE_FIRST or by token, then with BROWSE_NEXT; no other kind of get. A message that is longer
than the room that is left is the first of the next call; if it is longer than the channel allows, that is 2080. GET is
MQGET by token, without data, of each position; where nothing is, it goes on. PUT puts the same descriptor with each
data, as often as MQPUT would.

COMMIT is MQCMIT for a client that has not waited for the answers of the calls before it. If one of that many calls
of the conversation has failed, COMMIT commits nothing and fails with 2549; the unit of work is as the calls left it.
If COMMIT has failed, for this or another reason, or has backed out (2003), that many calls after it are refused with
2549: the client expected that the work before them was done. With 0 it only looks at the calls before.
"""

import struct
from typing import Final

from flintmq.wire.mq.errors import STATUS_PROTOCOL_LENGTH, ChannelError

#: "FLN" and a number: no other product has these verbs.
BROWSE: Final = 0x464C4E01
GET: Final = 0x464C4E02
PUT: Final = 0x464C4E03
COMMIT: Final = 0x464C4E04
VERBS: Final = (BROWSE, GET, PUT, COMMIT)
#: MaxReplySize of a QUERY by a client that knows these verbs: "FL".
ASKS: Final = 0x464C
FAMILY: Final = "SPF"

WANT_PUT_AT: Final = 1
WANT_DESCRIPTOR: Final = 2
WANT_DATA: Final = 4

#: A call has no more messages than this, so that others have their turn.
MESSAGES_MAX: Final[int] = 1_000
#: Data of one BROWSE, and of one PUT, at most; a longer message goes by itself.
BYTES_MAX: Final[int] = 1 << 20

BROWSE_IN: Final = 32
PUT_AT_SIZE: Final = 16
FORMAT_SIZE: Final = 8
HALF: Final = 8


def write_positions(positions: list[int], big_endian: bool) -> bytes:
    """Pack int64 values."""
    return struct.pack(f"{'>' if big_endian else '<'}{len(positions)}q", *positions)


def read_positions(body: bytes, offset: int, count: int, big_endian: bool) -> tuple[int, ...]:
    """Unpack `count` int64 values. Raises ChannelError."""
    if count < 0 or count > len(body) or len(body) - offset < 8 * count:
        raise ChannelError(STATUS_PROTOCOL_LENGTH, f"a call has no room for {count} positions at {offset}")
    return struct.unpack_from(f"{'>' if big_endian else '<'}{count}q", body, offset)
