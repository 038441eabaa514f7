"""The verbs of bulk.py, done for a client: each message goes through the engine as in a call of its own.

So authorities, locks, expiry, limits, events, statistics and the log are those of MQGET and MQPUT. None of that is
implemented here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_NO_SYNCPOINT,
    MQGMO_PROPERTIES_FORCE_MQRFH2,
    MQGMO_SYNCPOINT,
    MQMO_MATCH_MSG_TOKEN,
    MQPMO_ASYNC_RESPONSE,
)
from flintmq.mqi.fields import write_text
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import (
    MQCC_FAILED,
    MQCC_OK,
    MQRC_BACKED_OUT,
    MQRC_CALL_INTERRUPTED,
    MQRC_HOBJ_ERROR,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_NONE,
    MQRC_OPTIONS_ERROR,
    MQRC_RESOURCE_PROBLEM,
    MQRC_TRUNCATED_MSG_FAILED,
)
from flintmq.qmgr.connection import Connection, Handle
from flintmq.wire.mq import bulk, spi
from flintmq.wire.mq.calls import API_SIZE, read_long, read_longs, write_long, write_longs
from flintmq.wire.mq.codec_cache import DescriptorCache, md_size, pmo_size
from flintmq.wire.mq.errors import STATUS_MESSAGE_LENGTH, STATUS_PROTOCOL_DATA, ChannelError
from flintmq.wire.mq.streaming import no_longer_consuming

if TYPE_CHECKING:
    from flintmq.wire.mq.conversation import Call, Conversation

_START: Final[int] = API_SIZE + spi.FRAME
_BROWSE_WAYS: Final = MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT
_BROWSE_OPTIONS: Final = _BROWSE_WAYS | MQGMO_PROPERTIES_FORCE_MQRFH2 | MQGMO_FAIL_IF_QUIESCING
_GET_OPTIONS: Final = MQGMO_SYNCPOINT | MQGMO_NO_SYNCPOINT | MQGMO_FAIL_IF_QUIESCING
_NO_TOKEN: Final[bytes] = bytes(16)


def bulk_call(conversation: Conversation, call: Call, frame: spi.Frame) -> None:
    """Run one of the four calls. Raise ChannelError, or StructureError, which is answered with its reason."""
    connection = conversation.connection
    assert connection is not None
    if frame.verb == bulk.COMMIT:
        _commit(conversation, connection, call, frame)
        return
    handle = connection.handles.get(call.handle)
    if handle is None:
        conversation.reply(call, MQCC_FAILED, MQRC_HOBJ_ERROR, call.handle, b"")
    elif frame.verb == bulk.BROWSE:
        _browse(conversation, connection, handle, call, frame)
    elif frame.verb == bulk.GET:
        _get(conversation, connection, handle, call, frame)
    else:
        _put(conversation, connection, handle, call, frame)


def _check_count(count: int) -> None:
    """Raise ChannelError if a call has more messages than others can wait for."""
    if count > bulk.MESSAGES_MAX:
        raise ChannelError(STATUS_PROTOCOL_DATA, f"a call is for {count} messages, more than {bulk.MESSAGES_MAX}")


def _answer(
    conversation: Conversation, connection: Connection, call: Call, frame: spi.Frame, reason: int, payload: bytes
) -> None:
    """Reply with `reason`, 0 for success, when the log is durable."""
    if connection.delay_ms:
        conversation.session.delay_ms = max(conversation.session.delay_ms, connection.delay_ms)
        connection.delay_ms = 0
    body = frame.pack(1, payload, call.big_endian, call.ccsid)
    conversation.reply(call, MQCC_FAILED if reason else MQCC_OK, reason, call.handle, body)


class _Table:
    """The messages of a BROWSE reply, by columns."""

    def __init__(self, wanted: int, big_endian: bool, ccsid: int) -> None:
        self.wanted = wanted
        self.big_endian = big_endian
        self.ccsid = ccsid
        self.positions: list[int] = []
        self._put_at: list[bytes] = []
        self._descriptors: list[bytes] = []
        self._encodings: list[int] = []
        self._ccsids: list[int] = []
        self._formats: list[bytes] = []
        self._lengths: list[int] = []
        self._data: list[bytes] = []
        self._memo = DescriptorCache()
        # The last packed values: most messages have those of the one before.
        self._date = self._time = self._format = ""
        self._date_raw: bytes = b" " * bulk.PUT_AT_SIZE
        self._format_raw: bytes = b" " * bulk.FORMAT_SIZE

    def add(self, position: int, md: MQMD, data: bytes) -> None:
        """Append a message. Raises StructureError if its descriptor cannot be written."""
        wanted = self.wanted
        self.positions.append(position)
        if wanted & bulk.WANT_PUT_AT:
            if md.put_time != self._time or md.put_date != self._date:
                self._date, self._time = md.put_date, md.put_time
                self._date_raw = write_text(md.put_date[:8], 8, self.ccsid, 0, "PutDate")
                self._date_raw += write_text(md.put_time[:8], 8, self.ccsid, 0, "PutTime")
            self._put_at.append(self._date_raw)
        if wanted & bulk.WANT_DESCRIPTOR:
            memo = self._memo
            memo.settle_fitting(md, self.big_endian, self.ccsid)
            self._descriptors.append(memo.joined())
        elif wanted & bulk.WANT_DATA:
            self._encodings.append(md.encoding)
            self._ccsids.append(md.coded_char_set_id)
            if md.format != self._format:
                self._format = md.format
                self._format_raw = write_text(md.format[: bulk.FORMAT_SIZE], bulk.FORMAT_SIZE, self.ccsid, 0, "Format")
            self._formats.append(self._format_raw)
        if wanted & bulk.WANT_DATA:
            self._lengths.append(len(data))
            self._data.append(data)

    def pack(self, ends: bool) -> bytes:
        """Return the payload."""
        order = self.big_endian
        parts = [
            write_longs([len(self.positions), 1 if ends else 0], order),
            bulk.write_positions(self.positions, order),
        ]
        parts += self._put_at
        parts += self._descriptors
        parts += [write_longs(self._encodings, order), write_longs(self._ccsids, order)]
        parts += self._formats
        parts.append(write_longs(self._lengths, order))
        parts += self._data
        return b"".join(parts)


def _browse(conversation: Conversation, connection: Connection, handle: Handle, call: Call, frame: spi.Frame) -> None:
    body, order = call.body, call.big_endian
    wanted, options, most, room = read_longs(body, _START, 4, order)
    token = body[_START + 16 : _START + bulk.BROWSE_IN]
    if not options & _BROWSE_WAYS or options & ~_BROWSE_OPTIONS or len(token) != len(_NO_TOKEN):
        conversation.reply(call, MQCC_FAILED, MQRC_OPTIONS_ERROR, call.handle, b"")
        return
    session = conversation.session
    most = min(max(1, most), bulk.MESSAGES_MAX)
    with_data = wanted & bulk.WANT_DATA != 0
    room = min(max(room, 0), bulk.BYTES_MAX, session.max_message_length)
    md, gmo = MQMD(), MQGMO()
    md.version, gmo.version = 2, 2
    gmo.options = options if with_data else options | MQGMO_ACCEPT_TRUNCATED_MSG
    gmo.match_options = 0
    if token != _NO_TOKEN:
        gmo.version = 3
        gmo.match_options, gmo.msg_token = MQMO_MATCH_MSG_TOKEN, token
    table = _Table(wanted, order, call.ccsid)
    left = room if with_data else 0
    engine = conversation.engine
    failed = MQRC_NONE
    count = length = 0
    while count < most and left >= length:
        # The first may be as long as a message can be; another one like the last should fit.
        max_length = left if count or not with_data else session.max_message_length
        reason = engine.get(connection, handle, md, gmo, max_length)
        if connection.completion == MQCC_FAILED or reason == MQRC_TRUNCATED_MSG_FAILED:
            failed = reason
            break
        message = connection.message
        assert message is not None
        session.hold(message.log_end)
        table.add(message.sequence, md, connection.data)
        count += 1
        length = len(connection.data)
        left -= length
        gmo.version, gmo.match_options = 2, 0
        gmo.options = gmo.options & ~MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT
    connection.data = b""
    connection.message = None
    ends = failed == MQRC_NO_MSG_AVAILABLE
    if count or ends:
        failed = MQRC_NONE  # If it was something else, the next call says so.
    payload = table.pack(ends)
    session.unsent += len(payload)
    _answer(conversation, connection, call, frame, failed, payload)


def _get(conversation: Conversation, connection: Connection, handle: Handle, call: Call, frame: spi.Frame) -> None:
    body, order = call.body, call.big_endian
    options, ranges = read_longs(body, _START, 2, order)
    _check_count(ranges)
    front = body[_START + 8 : _START + 8 + bulk.HALF]
    ends = bulk.read_positions(body, _START + 8 + bulk.HALF, 2 * ranges, order)
    if options & ~_GET_OPTIONS:
        conversation.reply(call, MQCC_FAILED, MQRC_OPTIONS_ERROR, call.handle, b"")
        return
    asked = 0
    for at in range(0, len(ends), 2):
        if ends[at] < 0 or ends[at + 1] < ends[at]:
            raise ChannelError(STATUS_PROTOCOL_DATA, f"{ends[at]} to {ends[at + 1]} is no range of positions")
        asked += ends[at + 1] - ends[at] + 1
    _check_count(asked)
    engine = conversation.engine
    md, gmo = MQMD(), MQGMO()
    md.version, gmo.version = 2, 3
    gmo.options = options | MQGMO_ACCEPT_TRUNCATED_MSG
    gmo.match_options = MQMO_MATCH_MSG_TOKEN
    taken = 0
    failed = force = 0
    for at in range(0, len(ends), 2):
        position = ends[at]
        while position <= ends[at + 1] and not failed:
            gmo.msg_token = front + position.to_bytes(bulk.HALF, "big")
            reason = engine.get(connection, handle, md, gmo, 0)
            force = max(force, connection.force)
            if connection.completion != MQCC_FAILED:
                taken += 1
            elif reason != MQRC_NO_MSG_AVAILABLE:
                failed = reason
            position += 1
    connection.data = b""
    connection.message = None
    conversation.session.hold(force)
    _answer(conversation, connection, call, frame, failed, write_long(taken, order))


def _put(conversation: Conversation, connection: Connection, handle: Handle, call: Call, frame: spi.Frame) -> None:
    body, order, ccsid = call.body, call.big_endian, call.ccsid
    at = _START
    given = MQMD.unpack(body, at, order, ccsid)
    at += md_size(given.version)
    options = MQPMO.unpack(body, at, order, ccsid)
    at += pmo_size(options.version)
    if options.recs_present or handle.destinations is not None:
        conversation.reply(call, MQCC_FAILED, MQRC_OPTIONS_ERROR, call.handle, b"")
        return
    count = read_long(body, at, order)
    _check_count(count)
    lengths = read_longs(body, at + 4, count, order)
    at += 4 + 4 * count
    session = conversation.session
    end = at
    for length in lengths:
        if length < 0 or length > session.max_message_length:
            raise ChannelError(STATUS_MESSAGE_LENGTH, f"a message of {length} bytes is put")
        end += length
    if end > len(body):
        raise ChannelError(STATUS_MESSAGE_LENGTH, f"messages end at {end}, and the call at {len(body)}")
    engine = conversation.engine
    answered = options.options & MQPMO_ASYNC_RESPONSE == 0
    done = failed = force = 0
    for length in lengths:
        data = body[at : at + length]
        at += length
        reason = engine.put(connection, handle, given.copy(), options, data)
        if reason == MQRC_RESOURCE_PROBLEM and session.host.make_room():
            reason = engine.put(connection, handle, given.copy(), options, data)
        force = max(force, connection.force)
        if answered and connection.completion == MQCC_FAILED:
            failed = reason
            break
        done += 1
    session.hold(force)
    if answered:
        _answer(conversation, connection, call, frame, failed, write_long(done, order))


def _commit(conversation: Conversation, connection: Connection, call: Call, frame: spi.Frame) -> None:
    before, after, commits = read_longs(call.body, _START, 3, call.big_endian)
    if before < 0 or after < 0:
        conversation.reply(call, MQCC_FAILED, MQRC_OPTIONS_ERROR, call.handle, b"")
        return
    answer = frame.pack(1, b"", call.big_endian, call.ccsid)
    if conversation.has_failed_within(before):
        conversation.refusing = after
        conversation.reply(call, MQCC_FAILED, MQRC_CALL_INTERRUPTED, call.handle, answer)
        return
    if not commits:
        conversation.reply(call, MQCC_OK, MQRC_NONE, call.handle, answer)
        return
    reason = conversation.engine.commit(connection)
    if reason == MQRC_RESOURCE_PROBLEM and conversation.session.host.make_room():
        reason = conversation.engine.commit(connection)
    if connection.completion == MQCC_FAILED or reason == MQRC_BACKED_OUT:
        conversation.refusing = after
    conversation.answer(call, call.handle, answer)
    no_longer_consuming(conversation)
