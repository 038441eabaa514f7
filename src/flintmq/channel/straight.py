"""MQPUT and MQGET on the straight way: from the bytes that arrived to the engine, and back to bytes, with no stop.

Nearly everything that clients send is an MQPUT or an MQGET in one segment, in the byte order and character set of the
one before, on a handle that is there. Such a segment is done here, where it lies in what was read from the socket:
nothing is cut out but ids and data, and no segment and no call is made of it. Structures are read and written through
what is remembered of the last ones (memo.py).

    take    True: the segment is done. False: nothing has been done; it goes the general way (session.py, _take)

What else it may be is not decided here: whenever something is not as said above, even if it is wrong, the segment goes
the general way, which knows what to answer. So both ways must say the same of what both can do, byte by byte:
tests/channel/test_straight_prop.py sends the same to two sessions, of which one has no straight way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.channel import segment as seg
from flintmq.channel.calls import API_SIZE
from flintmq.channel.memo import gmo_size, md_size, pmo_size
from flintmq.channel.mqi_calls import finish_get
from flintmq.mqi.constants import MQPMO_ASYNC_RESPONSE
from flintmq.mqi.errors import StructureError
from flintmq.mqi.reason import MQCC_FAILED, MQRC_RESOURCE_PROBLEM
from flintmq.qmgr.connection import WAITING, Connection, Handle
from flintmq.qmgr.get import get
from flintmq.qmgr.put import put

if TYPE_CHECKING:
    from flintmq.channel.conversation import Conversation
    from flintmq.channel.session import Session

# Where things are, from the byte order on (segment.py).
_KIND: Final = 1
_FLAGS: Final = 2
_FLAGS_2: Final = 3
_TAIL: Final = 12
_ORDER_AT: Final = 8
_ORDER_AT_M: Final = 16
_M: Final = 0x4D
_BLANK: Final = 0x20
#: The handle, in the sixteen bytes that a call begins with.
_HANDLE: Final = 12


def take(session: Session, data: bytes, at: int, length: int) -> bool:
    """Do the segment of `length` bytes at `at`, if it is one that goes the straight way. Raises nothing."""
    if session.shared:
        if data[at + 3] != _M or length < seg.SIZE_M:
            return False
        order, start = at + _ORDER_AT_M, at + seg.SIZE_M
        conversation = session.conversations.get(_unsigned(data, at + 8))
        request = _unsigned(data, at + 12)
    else:
        if data[at + 3] != _BLANK:
            return False
        order, start = at + _ORDER_AT, at + seg.SIZE
        conversation = session.conversations.get(1)
        request = 0
    kind = data[order + _KIND]
    if (
        conversation is None
        or (kind != seg.MQPUT and kind != seg.MQGET)
        or data[order + _FLAGS] & seg.ONLY != seg.ONLY
        or data[order + _FLAGS_2]
        or data[order] != (seg.BIG_ENDIAN if conversation.big_endian else seg.LITTLE_ENDIAN)
        or data[order + _TAIL : start] != conversation.tail
        or at + length < start + API_SIZE
        or not conversation.is_free()
    ):
        return False
    connection = conversation.connection
    assert connection is not None
    number = _long(data, start + _HANDLE, conversation.big_endian)
    handle = connection.handles.get(number)
    if handle is None:
        return False
    try:
        if kind == seg.MQPUT:
            return _put(conversation, connection, handle, request, data, start + API_SIZE, at + length)
        return _get(conversation, connection, handle, request, data, start + API_SIZE, at + length)
    except StructureError as error:
        body = data[start + API_SIZE : at + length]
        conversation.reply_to(kind, request, MQCC_FAILED, error.reason, number, body)
        return True


def _put(
    conversation: Conversation, connection: Connection, handle: Handle, request: int, data: bytes, start: int, end: int
) -> bool:
    """MQPUT, whose structures begin at `start`. Raises StructureError if what the engine says cannot be written."""
    memo = conversation.puts
    if memo is None or handle.destinations is not None:
        return False
    big_endian, ccsid = conversation.big_endian, conversation.ccsid
    try:
        md = memo.md.unpack(data, start, big_endian, ccsid)
        offset = start + md_size(md.version)
        pmo = memo.pmo.unpack(data, offset, big_endian, ccsid)
        offset += pmo_size(pmo.version)
    except StructureError:
        return False
    if offset + 4 > end or pmo.recs_present:
        return False
    length = _long(data, offset, big_endian)
    session = conversation.session
    if length < 0 or length > end - offset - 4 or length > session.max_message_length:
        return False
    message = data[offset + 4 : offset + 4 + length]
    if handle.topic is not None:  # Only a put to a queue is known to keep nothing of its descriptors.
        memo.md.keep()
        memo.pmo.keep()
    _count(session)
    engine = session.channels.engine
    reason = put(engine, connection, handle, md, pmo, message)
    if reason == MQRC_RESOURCE_PROBLEM and session.channels.make_room():
        put(engine, connection, handle, md, pmo, message)
    if pmo.options & MQPMO_ASYNC_RESPONSE:
        session.hold(connection.force)
        return True
    pmo.known_dest_count = 1 if connection.completion != MQCC_FAILED else 0
    pmo.invalid_dest_count = 1 - pmo.known_dest_count
    written = memo.md
    written.settle(md, big_endian, ccsid)
    options = memo.pmo.pack(pmo, big_endian, ccsid)
    back_length = data[offset : offset + 4]
    parts = [b"", written.front, written.msg_id, written.correl_id, written.back, options, back_length]
    size = md_size(md.version) + len(options) + 4
    conversation.answer_parts(memo.head, seg.MQPUT, request, handle.number, size, parts)
    return True


def _get(
    conversation: Conversation, connection: Connection, handle: Handle, request: int, data: bytes, start: int, end: int
) -> bool:
    """MQGET likewise. If it waits, the conversation answers when the wait is over."""
    memo = conversation.gets
    if memo is None:
        return False
    big_endian, ccsid = conversation.big_endian, conversation.ccsid
    try:
        md = memo.md.unpack(data, start, big_endian, ccsid)
        offset = start + md_size(md.version)
        gmo = memo.gmo.unpack(data, offset, big_endian, ccsid)
        offset += gmo_size(gmo.version)
    except StructureError:
        return False
    if offset + 4 > end:
        return False
    length = _long(data, offset, big_endian)
    if length < 0:
        return False
    session = conversation.session
    _count(session)
    if get(session.channels.engine, connection, handle, md, gmo, length) == WAITING:
        memo.md.keep()
        memo.gmo.keep()
        conversation.wait(request, handle.number)
    else:
        finish_get(conversation, request, handle.number, md, gmo)
    return True


def _count(session: Session) -> None:
    """A segment has arrived, and with it a call."""
    session.heartbeat_sent = False
    session.segments_received += 1
    session.calls += 1


def _unsigned(data: bytes, at: int) -> int:
    """A big-endian uint32."""
    return data[at] << 24 | data[at + 1] << 16 | data[at + 2] << 8 | data[at + 3]


def _long(data: bytes, at: int, big_endian: bool) -> int:
    """An int32."""
    if big_endian:
        value = data[at] << 24 | data[at + 1] << 16 | data[at + 2] << 8 | data[at + 3]
    else:
        value = data[at + 3] << 24 | data[at + 2] << 16 | data[at + 1] << 8 | data[at]
    return value - 0x1_0000_0000 if value >= 0x8000_0000 else value
