"""Fast path for MQPUT and MQGET: decode, call the engine, encode in place.

Most segments of clients are an MQPUT or MQGET in one segment, in the byte order and character set of the one before, on
an open handle; or, from clients with consumers, a REQUEST_MSGS equal to the last one. Such a segment is processed here,
where it lies in the bytes of the socket: only ids and data are cut out, and no Segment and no Call is made of it. A
call that equals the last two of its kind, but for ids and data, is not decoded: the codec cache has its structures.
Other structures are decoded, and all are encoded, through the codec cache (codec_cache.py).

    take    True: the segment is done. False: nothing has been done; the segment takes the general path
            (channel_instance.py, _take)

The fast path decides no other cases and no errors: any other segment takes the general path, which has all answers. So
the replies of both paths must be equal, byte by byte: tests/wire/mq/test_fast_path_prop.py sends the same segments to
two channel instances, of which one has no fast path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import MQPMO_ASYNC_RESPONSE
from flintmq.mqi.errors import StructureError
from flintmq.mqi.reason import MQCC_FAILED, MQRC_RESOURCE_PROBLEM
from flintmq.qmgr.connection import WAITING, Connection, Handle
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq import stream as wire
from flintmq.wire.mq.calls import API_SIZE
from flintmq.wire.mq.codec_cache import Gets, Puts, gmo_size, md_size, pmo_size
from flintmq.wire.mq.conversation import Conversation, finish_get
from flintmq.wire.mq.streaming import serve_request

if TYPE_CHECKING:
    from flintmq.wire.mq.channel_instance import ChannelInstance

# Where things are, from the byte order on (segment.py).
_KIND: Final = 1
_FLAGS: Final = 2
_FLAGS_2: Final = 3
_TAIL: Final = 12
# And from its beginning, if it is of a conversation.
_CONVERSATION: Final = 8
_REQUEST: Final = 12
_ORDER_AT: Final = 8
_ORDER_AT_M: Final = 16
_M: Final = 0x4D
_BLANK: Final = 0x20
#: The handle, in the sixteen bytes that a call begins with.
_HANDLE: Final = 12


def take(session: ChannelInstance, data: bytes, at: int, length: int) -> bool:
    """Do the segment of `length` bytes at `at`, if it can take the fast path. Raises nothing."""
    if session.shared:
        if data[at + 3] != _M or length < seg.SIZE_M:
            return False
        order, start = at + _ORDER_AT_M, at + seg.SIZE_M
        number = _unsigned(data, at + _CONVERSATION)
    else:
        if data[at + 3] != _BLANK:
            return False
        order, start = at + _ORDER_AT, at + seg.SIZE
        number = 1
    conversation = session.last_used
    if conversation is None or conversation.number != number or conversation.connection is None:
        conversation = session.last_used = session.conversations.get(number)
    kind = data[order + _KIND]
    if conversation is None or not conversation.is_free():
        return False
    if kind == seg.REQUEST_MSGS:
        return _more(session, conversation, data, order, start, at + length)
    if kind != seg.MQPUT and kind != seg.MQGET:
        return False
    connection = conversation.connection
    assert connection is not None
    start += API_SIZE
    try:
        if kind == seg.MQPUT:
            return _take_put(conversation, connection, data, at, length, order, start)
        return _take_get(conversation, connection, data, at, length, order, start)
    except StructureError as error:
        request = _request(session, data, at)
        hobj = _long(data, start - API_SIZE + _HANDLE, conversation.big_endian)
        conversation.reply_to(kind, request, MQCC_FAILED, error.reason, hobj, data[start : at + length])
    return True


def _take_put(
    conversation: Conversation, connection: Connection, data: bytes, at: int, length: int, order: int, start: int
) -> bool:
    """Do an MQPUT with structures at `start`, if it can take the fast path. Raises StructureError if it fails later."""
    puts = conversation.puts
    if puts is None:
        return False
    same, tail = puts.same, conversation.tail
    handle = same.handle
    if handle is not None and same.holds(connection, tail, data, order, start, length):
        puts.again(data, start)
    else:
        end = at + length
        handle = _handle(conversation, connection, data, order, start, end)
        if handle is None:
            return False
        same = puts.turn_to(handle.number)
        if same.holds(connection, tail, data, order, start, length):
            puts.again(data, start)
        elif not _read_put(conversation, handle, puts, data, start, end):
            return False
        elif same.remember(connection, handle, tail, data, order, start, length):
            same.md, same.pmo = puts.md.read, puts.pmo.read
    _put(conversation, connection, handle, puts, data, at, start)
    return True


def _take_get(
    conversation: Conversation, connection: Connection, data: bytes, at: int, length: int, order: int, start: int
) -> bool:
    """Do an MQGET with structures at `start`, if it can take the fast path. Raises StructureError if it fails later."""
    gets = conversation.gets
    if gets is None:
        return False
    same, tail = gets.same, conversation.tail
    handle = same.handle
    if handle is not None and same.holds(connection, tail, data, order, start, length):
        gets.again(data, start)
    else:
        end = at + length
        handle = _handle(conversation, connection, data, order, start, end)
        if handle is None or not _read_get(conversation, gets, data, start, end):
            return False
        if same.remember(connection, handle, tail, data, order, start, length):
            gets.same_md, gets.same_gmo = gets.md.read, gets.gmo.read
    _get(conversation, connection, handle, gets, _request(conversation.session, data, at))
    return True


def _handle(
    conversation: Conversation, connection: Connection, data: bytes, order: int, start: int, end: int
) -> Handle | None:
    """Return the handle of a call that is one segment in the usual form, with structures at `start`; else None."""
    if end < start or not _is_as_all(conversation, data, order, start - API_SIZE):
        return None
    return connection.handles.get(_long(data, start - API_SIZE + _HANDLE, conversation.big_endian))


def _is_as_all(conversation: Conversation, data: bytes, order: int, start: int) -> bool:
    """Return whether a header that ends at `start` is of one segment, with byte order and CCSID of the last."""
    return (
        data[order + _FLAGS] & seg.ONLY == seg.ONLY
        and not data[order + _FLAGS_2]
        and data[order] == (seg.BIG_ENDIAN if conversation.big_endian else seg.LITTLE_ENDIAN)
        and data[order + _TAIL : start] == conversation.tail
    )


def _more(session: ChannelInstance, conversation: Conversation, data: bytes, order: int, start: int, end: int) -> bool:
    """Do a REQUEST_MSGS that is equal to the last one of its stream, but for the received bytes and index."""
    if (
        end - start != wire.REQUEST_SIZE
        or data[order + _FLAGS] & seg.CONFIRM_REQUEST
        or not _is_as_all(conversation, data, order, start)
    ):
        return False
    big_endian = conversation.big_endian
    stream = conversation.streams.get(_long(data, start + wire.REQUEST_HANDLE, big_endian))
    if (
        stream is None
        or stream.asked_tail is not conversation.tail
        or not stream.handle.open
        or data[start + wire.REQUEST_ROOM : start + wire.REQUEST_INDEX] != stream.asked_for
    ):
        return False
    request = stream.last_request
    request.received_bytes = _long(data, start + wire.REQUEST_RECEIVED, big_endian)
    request.global_msg_index = _long(data, start + wire.REQUEST_INDEX, big_endian)
    session.heartbeat_sent = False
    session.segments_received += 1
    serve_request(conversation, stream, request)
    return True


def _read_put(conversation: Conversation, handle: Handle, puts: Puts, data: bytes, start: int, end: int) -> bool:
    """Read the structures of an MQPUT."""
    if handle.destinations is not None:
        return False
    same, big_endian, ccsid = puts.same, conversation.big_endian, conversation.ccsid
    try:
        md = puts.md.unpack(data, start, big_endian, ccsid)
        offset = start + md_size(md.version)
        pmo = puts.pmo.unpack(data, offset, big_endian, ccsid)
        offset += pmo_size(pmo.version)
    except StructureError:
        return False
    if offset + 4 > end or pmo.recs_present:
        return False
    length = _long(data, offset, big_endian)
    if length < 0 or length > end - offset - 4 or length > conversation.session.max_message_length:
        return False
    same.size, same.length, same.raw_length = offset + 4 - start, length, data[offset : offset + 4]
    return True


def _put(
    conversation: Conversation,
    connection: Connection,
    handle: Handle,
    memo: Puts,
    data: bytes,
    at: int,
    start: int,
) -> None:
    """Do the MQPUT of the segment at `at`, with the structures that `memo` lends.

    Raises StructureError if the results of the engine cannot be packed.
    """
    md, pmo, same = memo.md.lent, memo.pmo.lent, memo.same
    offset = start + same.size
    message = data[offset : offset + same.length]
    session = conversation.session
    if handle.topic is not None:  # Only a put to a queue is known to keep nothing of its descriptors.
        memo.keep()
    _count(session)
    conversation.calls += 1
    engine = session.channels.engine
    reason = engine.put(connection, handle, md, pmo, message)
    if reason == MQRC_RESOURCE_PROBLEM and session.host.make_room():
        engine.put(connection, handle, md, pmo, message)
    if pmo.options & MQPMO_ASYNC_RESPONSE:
        session.hold(connection.force)
        return
    pmo.known_dest_count = 1 if connection.completion != MQCC_FAILED else 0
    pmo.invalid_dest_count = 1 - pmo.known_dest_count
    written = memo.md
    big_endian, ccsid = conversation.big_endian, conversation.ccsid
    written.settle(md, big_endian, ccsid)
    options = memo.pmo.pack(pmo, big_endian, ccsid)
    size = md_size(md.version) + len(options) + 4
    request = _request(session, data, at)
    head = conversation.head_of_answer(memo.head, seg.MQPUT, request, handle.number, size)
    parts = [head, written.front, written.msg_id, written.correl_id, written.back, options, same.raw_length]
    if head:
        session.push(b"".join(parts))
    else:
        conversation.answer_long(seg.MQPUT, request, handle.number, parts)


def _read_get(conversation: Conversation, gets: Gets, data: bytes, start: int, end: int) -> bool:
    """Read the structures of an MQGET."""
    same, big_endian, ccsid = gets.same, conversation.big_endian, conversation.ccsid
    try:
        md = gets.md.unpack(data, start, big_endian, ccsid)
        offset = start + md_size(md.version)
        gmo = gets.gmo.unpack(data, offset, big_endian, ccsid)
        offset += gmo_size(gmo.version)
    except StructureError:
        return False
    if offset + 4 > end:
        return False
    length = _long(data, offset, big_endian)
    if length < 0:
        return False
    same.size, same.length = offset + 4 - start, length
    return True


def _get(conversation: Conversation, connection: Connection, handle: Handle, memo: Gets, request: int) -> None:
    """Do an MQGET. If it waits, the conversation answers when the wait is over."""
    md, gmo, session = memo.md.lent, memo.gmo.lent, conversation.session
    _count(session)
    conversation.calls += 1
    if session.channels.engine.get(connection, handle, md, gmo, memo.same.length) == WAITING:
        memo.keep()
        conversation.wait(request, handle.number)
    else:
        finish_get(conversation, request, handle.number, md, gmo)


def _request(session: ChannelInstance, data: bytes, at: int) -> int:
    """Return the request id of the segment at `at`."""
    return _unsigned(data, at + _REQUEST) if session.shared else 0


def _count(session: ChannelInstance) -> None:
    """Count a segment and a call."""
    session.heartbeat_sent = False
    session.segments_received += 1
    session.calls += 1


def _unsigned(data: bytes, at: int) -> int:
    """Unpack a big-endian uint32."""
    return data[at] << 24 | data[at + 1] << 16 | data[at + 2] << 8 | data[at + 3]


def _long(data: bytes, at: int, big_endian: bool) -> int:
    """Unpack an int32."""
    if big_endian:
        value = data[at] << 24 | data[at + 1] << 16 | data[at + 2] << 8 | data[at + 3]
    else:
        value = data[at + 3] << 24 | data[at + 2] << 16 | data[at + 1] << 8 | data[at]
    return value - 0x1_0000_0000 if value >= 0x8000_0000 else value
