"""Messages that the client asks for ahead, and those that it receives.

REQUEST_MSGS, from the client: 40 bytes, and if a selection is there 24 more and the ids that it matches.

    offset  field           type     value
         0  Version         int32    1
         4  Hobj            int32
         8  ReceivedBytes   int32    that have come since the last request, used or not
        12  RequestedBytes  int32    free room of the client; 1 for one message
        16  MaxMsgLength    int32    how long a message may be, -1 any
        20  GetMsgOptions   int32    MQGMO_*
        24  WaitInterval    int32    milliseconds, -1 for ever
        28  QueueStatus     int32    1 for a handle that reads ahead
        32  RequestFlags    int32    REQUEST_*
        36  GlobalMsgIndex  int32    the last message that has arrived
        40  SelectionIndex  uint16   returned with the messages
        42  MQMDVersion     uint16
        44  CCSID           int32    wanted, with MQGMO_CONVERT
        48  Encoding        int32    likewise
        52  MsgSeqNumber    int32
        56  Offset          int32
        60  MatchOptions    int32    MQMO_*
        64  MsgId, CorrelId, GroupId of 24 bytes and MsgToken of 16, each only if it is matched

ASYNC_MESSAGE, to the client: each segment begins with 24 bytes; the first has the other fields too.

    offset  field                type     value
         0  Version              int32    1
         4  Hobj                 int32
         8  MessageIndex         int32    of the handle, from 1
        12  GlobalMessageIndex   int32    of the conversation, from 1
        16  SegmentLength        int32    data in this segment
        20  SegmentIndex         uint16   from 0
        22  SelectionIndex       uint16
        24  ReasonCode           int32
        28  TotalMsgLength       int32    of the sent data, in all segments
        32  ActualMsgLength      int32    of the message, which may be longer
        36  MsgToken             byte 16
        52  Status               uint16
        54  ResolvedQNameLength  uint8
        55  ResolvedQName        and zeros up to a multiple of four; then MQMD, then data

NOTIFICATION, both ways: version 1, handle, NOTIFY_* and a value, four int32.
"""

import struct
from typing import Final

from flintmq.mqi.constants import (
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_GROUP_ID,
    MQMO_MATCH_MSG_ID,
    MQMO_MATCH_MSG_TOKEN,
)
from flintmq.wire.mq.errors import STATUS_PROTOCOL_LENGTH, ChannelError

#: For a consumer that waits, having used all that was there: there is no end to the wait.
REQUEST_CONSUMER: Final = 0x01
#: For a get that waits, and finds nothing at the client. With neither, the client only says that it has room.
REQUEST_GET: Final = 0x08
REQUEST_SELECTION: Final = 0x10

#: QueueStatus: the client reads ahead. It waits for pushed messages, and asks again when it is told to.
STATUS_READ_AHEAD: Final = 0x01

NOTIFY_GET_INHIBITED: Final = 1
NOTIFY_GET_ALLOWED: Final = 2
NOTIFY_CONN_STATE: Final = 3
NOTIFY_CONN_STATE_REPLY: Final = 4
NOTIFY_Q_STATE: Final = 5
NOTIFY_Q_STATE_REPLY: Final = 6
NOTIFY_QM_QUIESCING: Final = 7
NOTIFY_TXN_ALLOWED: Final = 8
NOTIFY_TXN_REVOKE: Final = 9
NOTIFY_TXN_REVOKE_REPLY: Final = 10
NOTIFY_CHECK_MSG: Final = 11
NOTIFY_BROWSE_FIRST: Final = 12
NOTIFY_MESSAGE_TOO_LARGE: Final = 13
NOTIFY_STREAMING_FAILURE: Final = 14
NOTIFY_CLIENT_ASYNC_EMPTY: Final = 15
NOTIFY_STREAMING_TXN_PAUSED: Final = 16
NOTIFY_RECONNECTION_COMPLETE: Final = 17

#: The layouts above, in the byte orders of segments.
REQUEST_BIG: Final = struct.Struct(">10i")
REQUEST_LITTLE: Final = struct.Struct("<10i")
SELECTION_BIG: Final = struct.Struct(">HHiiiii")
SELECTION_LITTLE: Final = struct.Struct("<HHiiiii")
PREFIX_BIG: Final = struct.Struct(">iiiiiHH")
PREFIX_LITTLE: Final = struct.Struct("<iiiiiHH")
FIRST_BIG: Final = struct.Struct(">iii16sHB")
FIRST_LITTLE: Final = struct.Struct("<iii16sHB")
WHOLE_BIG: Final = struct.Struct(">iiiiiHHiii16sHB")
WHOLE_LITTLE: Final = struct.Struct("<iiiiiHHiii16sHB")
PREFIX: Final[int] = 24
#: Offsets of indexes, lengths, token and status in a message that is one segment.
INDEXES: Final = 8
LENGTHS: Final = 16
TOKEN: Final = 36
STATUS: Final = 52
_UNSIGNED: Final = 0xFFFF_FFFF
#: The length of the first segment up to the queue name.
WHOLE_SIZE: Final[int] = PREFIX + 31
REQUEST_SIZE: Final[int] = 40
#: Offsets of the handle, the received bytes, the requested messages and GlobalMsgIndex.
REQUEST_HANDLE: Final = 4
REQUEST_RECEIVED: Final = 8
REQUEST_ROOM: Final = 12
REQUEST_INDEX: Final = 36
SELECTION_SIZE: Final[int] = 64
#: The most that comes behind the prefix, up to the descriptor: with the longest name of a queue in any character set.
FIRST_MAX: Final[int] = 31 + 4 * 48
assert PREFIX_BIG.size == PREFIX and FIRST_BIG.size == 31 and WHOLE_BIG.size == WHOLE_SIZE


class Request:
    """One REQUEST_MSGS."""

    handle: int = 0
    received_bytes: int = 0
    requested_bytes: int = 0
    max_msg_length: int = 0
    options: int = 0
    wait_interval: int = 0
    queue_status: int = 0
    flags: int = 0
    global_msg_index: int = 0
    selection: "Selection | None" = None

    @staticmethod
    def unpack(body: bytes, big_endian: bool) -> "Request":
        """Unpack a request from the body of a segment. Raises ChannelError."""
        if len(body) < REQUEST_SIZE:
            raise ChannelError(STATUS_PROTOCOL_LENGTH, f"REQUEST_MSGS has {len(body)} bytes, not {REQUEST_SIZE}")
        request = Request()
        (
            _, request.handle, request.received_bytes, request.requested_bytes, request.max_msg_length,
            request.options, request.wait_interval, request.queue_status, request.flags, request.global_msg_index,
        ) = (REQUEST_BIG if big_endian else REQUEST_LITTLE).unpack_from(body)  # fmt: skip
        if request.flags & REQUEST_SELECTION:
            request.selection = Selection()
            request.selection.read(body, big_endian)
        return request


class Selection:
    """The messages that a REQUEST_MSGS asks for."""

    selection_index: int = 0
    md_version: int = 1
    ccsid: int = 0
    encoding: int = 0
    msg_seq_number: int = 1
    offset: int = 0
    match_options: int = 0
    msg_id: bytes = bytes(24)
    correl_id: bytes = bytes(24)
    group_id: bytes = bytes(24)
    msg_token: bytes = bytes(16)

    def read(self, body: bytes, big_endian: bool) -> None:
        """Unpack the selection behind the numbers of a request. Raises ChannelError."""
        if len(body) < SELECTION_SIZE:
            raise ChannelError(STATUS_PROTOCOL_LENGTH, f"REQUEST_MSGS has {len(body)} bytes and no selection")
        (
            self.selection_index, self.md_version, self.ccsid, self.encoding, self.msg_seq_number, self.offset,
            self.match_options,
        ) = (SELECTION_BIG if big_endian else SELECTION_LITTLE).unpack_from(body, REQUEST_SIZE)  # fmt: skip
        at = SELECTION_SIZE
        match = self.match_options
        wanted = 24 * ((match & 1) + (match >> 1 & 1) + (match >> 2 & 1)) + (16 if match & MQMO_MATCH_MSG_TOKEN else 0)
        if len(body) - at < wanted:
            raise ChannelError(STATUS_PROTOCOL_LENGTH, f"REQUEST_MSGS has {len(body)} bytes, too few for its ids")
        if match & MQMO_MATCH_MSG_ID:
            self.msg_id = body[at : at + 24]
            at += 24
        if match & MQMO_MATCH_CORREL_ID:
            self.correl_id = body[at : at + 24]
            at += 24
        if match & MQMO_MATCH_GROUP_ID:
            self.group_id = body[at : at + 24]
            at += 24
        if match & MQMO_MATCH_MSG_TOKEN:
            self.msg_token = body[at : at + 16]


def write_prefix(
    handle: int, index: int, global_index: int, length: int, segment: int, selection: int, big_endian: bool
) -> bytes:
    """Pack the first 24 bytes of every segment of a message."""
    layout = PREFIX_BIG if big_endian else PREFIX_LITTLE
    return layout.pack(1, handle, index, global_index, length, segment, selection)


def write_indexes(index: int, global_index: int, big_endian: bool) -> bytes:
    """Pack MessageIndex and GlobalMessageIndex."""
    if big_endian:
        return ((index & _UNSIGNED) << 32 | global_index & _UNSIGNED).to_bytes(8, "big")
    return ((global_index & _UNSIGNED) << 32 | index & _UNSIGNED).to_bytes(8, "little")


def padded_name(q_name: bytes) -> bytes:
    """Return the queue name with zeros behind it."""
    return q_name + bytes(-(3 + len(q_name)) % 4)


def write_first(
    reason: int, total: int, actual: int, token: bytes, status: int, q_name: bytes, big_endian: bool
) -> bytes:
    """Pack the part of the first segment between the prefix and the descriptor."""
    layout = FIRST_BIG if big_endian else FIRST_LITTLE
    return layout.pack(reason, total, actual, token, status, len(q_name)) + padded_name(q_name)
