"""One conversation: the calls of a client between MQCONN and MQDISC.

    state       segment                               next
    STARTED     USERID_DATA, CONAUTH_INFO             STARTED
                MQCONN                                CONNECTED, or STARTED if it was refused
    CONNECTED   MQI, SPI and XA calls, REQUEST_MSGS, NOTIFICATION   CONNECTED
                MQDISC                                STARTED
    any         another                               the socket is closed (ChannelError)

A call may come in several segments; it is put together here and then done, by mqi_calls.py and its neighbours. One
call is done at a time: while a get waits, another call of the conversation is refused (2219), but MQDISC and the SPI
call that cancels the get.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.ccsid import is_known, is_utf16
from flintmq.mqi.errors import StructureError
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import MQCC_FAILED, MQRC_CALL_IN_PROGRESS, MQRC_CALL_INTERRUPTED, MQRC_CONNECTION_BROKEN
from flintmq.qmgr.connection import AS_GET, Connection, Owner, Waiter
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.calls import API_SIZE, read_handle, write_api, write_longs
from flintmq.wire.mq.codec_cache import Gets, HeadCache, Puts, md_size
from flintmq.wire.mq.compression import Compression, said_in
from flintmq.wire.mq.errors import (
    STATUS_CCSID_NOT_SUPPORTED,
    STATUS_MESSAGE_LENGTH,
    STATUS_PROTOCOL_DATA,
    STATUS_PROTOCOL_SEGMENT_TYPE,
    STATUS_USER_CLOSED,
    ChannelError,
)
from flintmq.wire.mq.identity import Identity
from flintmq.wire.mq.segment import Segment
from flintmq.wire.mq.spi import is_notify
from flintmq.wire.mq.streaming import Stream, forget_cancel, notified, request_messages

if TYPE_CHECKING:
    from flintmq.qmgr.calls import Calls, Work
    from flintmq.wire.mq.channel_instance import ChannelInstance

STARTED: Final = 0
CONNECTED: Final = 1

#: The longest call without the data of a message.
CALL_SLACK: Final = 64 * 1024


def check_ccsid(ccsid: int) -> None:
    """Raise ChannelError unless names and structures can be read in this character set."""
    if not is_known(ccsid) or is_utf16(ccsid):
        raise ChannelError(STATUS_CCSID_NOT_SUPPORTED, f"the client uses CCSID {ccsid}")


class Call:
    """One call of a client, complete."""

    def __init__(self, kind: int, request: int, big_endian: bool, ccsid: int, body: bytes) -> None:
        self.kind = kind
        self.request = request
        self.big_endian = big_endian
        self.ccsid = ccsid
        self.body = body
        self.handle = 0


def _cancels(call: Call) -> bool:
    """Return whether a call may end the waiting get."""
    return call.kind == seg.SPI and is_notify(call.body, API_SIZE, call.big_endian)


class Waiting:
    """The request id and handle of an MQGET that waits."""

    def __init__(self, request: int, handle: int) -> None:
        self.request = request
        self.handle = handle


class Conversation(Owner):
    """One connection of a client."""

    state: int = STARTED
    connection: Connection | None = None
    #: STOP CONN has ended the connection; the client hears of it with its next call.
    broken: bool = False
    #: The get that waits.
    waiting: Waiting | None = None
    #: Codec caches of puts and gets, once there were any.
    puts: Puts | None = None
    gets: Gets | None = None
    #: A call of which segments are missing: its first segment, and the data of all so far.
    _first: Segment | None = None
    _held: int = 0
    #: Messages pushed to the client, of all handles.
    global_index: int = 0
    #: The client has started its consumers, and lets them be served in syncpoint (streaming.py).
    started: bool = False
    syncpoint_allowed: bool = False
    #: It was, and the client has said that it no longer is.
    syncpoint_revoked: bool = False
    #: Gets of which it is not known whether they wait are cancelled, until the client makes another call.
    cancelling: bool = False
    #: The stream with a last message that the client has not used yet (T1).
    consuming: Stream | None = None
    #: Calls so far, and the number of the last one that has failed.
    calls: int = 0
    failed_call: int = 0
    #: Number of following calls to refuse: they were sent together with a COMMIT that failed (bulk.py).
    refusing: int = 0

    def __init__(self, session: ChannelInstance, number: int, is_first: bool = False) -> None:
        self.session = session
        self.number = number
        #: It began with the socket, and its user is that of the others (identity.py).
        self.is_first = is_first
        self.identity = Identity()
        if session.first_user is not None:
            self.identity.inherit(session.first_user)
        self.streams: dict[int, Stream] = {}
        self._parts: list[bytes] = []
        #: Pushed segments have the byte order and character set of the last request.
        self.big_endian = session.big_endian
        self.ccsid = session.ccsid
        self.tail = seg.tail(self.big_endian, self.ccsid)

    @property
    def engine(self) -> Calls:
        """Return the queue manager."""
        return self.session.channels.engine

    # -- in -----------------------------------------------------------------------------------------------------------

    def take(self, segment: Segment) -> None:
        """Process one segment of this conversation. Raises ChannelError."""
        if segment.big_endian != self.big_endian or segment.ccsid != self.ccsid:
            check_ccsid(segment.ccsid)
            self.big_endian, self.ccsid = segment.big_endian, segment.ccsid
            self.tail = seg.tail(segment.big_endian, segment.ccsid)
        kind = segment.kind
        if kind >= seg.MQCONN:
            if segment.flags & seg.ONLY == seg.ONLY and self._first is None:
                self._call(segment, segment.body)
            else:
                self._part(segment)
        elif kind == seg.REQUEST_MSGS and self.state == CONNECTED:
            request_messages(self, segment)
        elif kind == seg.NOTIFICATION and self.state == CONNECTED:
            notified(self, segment)
        elif kind == seg.USERID_DATA and self.state == STARTED:
            self.identity.read_user(segment.body, segment.ccsid)
            if self.is_first:
                first = Identity()
                first.read_user(segment.body, segment.ccsid)
                self.session.first_user = first
        elif kind == seg.CONAUTH_INFO and self.state == STARTED:
            self.identity.read_authority(segment.body, segment.big_endian, segment.ccsid)
            self.send_segment(seg.STATUS_DATA, seg.ONLY, segment.request, write_longs([8, 0], segment.big_endian))
        else:
            raise ChannelError(STATUS_PROTOCOL_SEGMENT_TYPE, f"segment type {kind:#x} is not expected here")

    def _part(self, segment: Segment) -> None:
        """Collect one of several segments of a call."""
        first = self._first
        if segment.flags & seg.FIRST:
            if first is not None:
                raise ChannelError(STATUS_PROTOCOL_DATA, "a call begins before the last one is complete")
            self._first = segment
        elif first is None or first.kind != segment.kind or first.request != segment.request:
            raise ChannelError(STATUS_PROTOCOL_DATA, "a segment continues a call that has not begun")
        self._parts.append(segment.body)
        self._held += len(segment.body)
        length_max = CALL_SLACK
        if self.state == CONNECTED or self.broken:  # Before that only MQCONN comes, which has no message.
            length_max += self.session.max_message_length
        if self._held > length_max:
            raise ChannelError(STATUS_MESSAGE_LENGTH, f"a call is longer than {length_max} bytes")
        if segment.flags & seg.LAST:
            first = self._first
            assert first is not None
            body = b"".join(self._parts)
            self._parts.clear()
            self._held = 0
            self._first = None
            self._call(first, body)

    def _call(self, segment: Segment, body: bytes) -> None:
        """Do a call that is complete."""
        call = Call(segment.kind, segment.request, segment.big_endian, segment.ccsid, body)
        call.handle = read_handle(body, segment.big_endian)
        self.session.calls += 1
        self.calls += 1
        done = self.session.channels.calls.get(segment.kind)
        if done is None:
            raise ChannelError(STATUS_PROTOCOL_SEGMENT_TYPE, f"segment type {segment.kind:#x} is not served here")
        if (self.state == CONNECTED) == (segment.kind == seg.MQCONN):
            if self.broken:
                self.reply(call, MQCC_FAILED, MQRC_CONNECTION_BROKEN, call.handle, body[API_SIZE:])
                return
            raise ChannelError(STATUS_PROTOCOL_SEGMENT_TYPE, f"segment type {segment.kind:#x} is not expected here")
        if self.refusing:
            self.refusing -= 1
            self.reply(call, MQCC_FAILED, MQRC_CALL_INTERRUPTED, call.handle, body[API_SIZE:])
            return
        if self.cancelling and not _cancels(call):
            forget_cancel(self)
        if self.waiting is not None and segment.kind != seg.MQDISC and not _cancels(call):
            self.reply(call, MQCC_FAILED, MQRC_CALL_IN_PROGRESS, call.handle, body[API_SIZE:])
            return
        try:
            done(self, call)
        except StructureError as error:
            self.reply(call, MQCC_FAILED, error.reason, call.handle, body[API_SIZE:])

    def make_again(self, call: Call, work: Work) -> None:
        """Repeat a call after its work, which the engine finds in the connection. Raises ChannelError."""
        connection = self.connection
        if connection is None:
            return
        connection.work = work
        done = self.session.channels.calls.get(call.kind)
        assert done is not None
        try:
            done(self, call)
        except StructureError as error:
            self.reply(call, MQCC_FAILED, error.reason, call.handle, call.body[API_SIZE:])

    def make(self, call: Call) -> None:
        """Do an MQCONN that has waited for its password check. Raises ChannelError."""
        self.session.channels.calls[call.kind](self, call)

    # -- out ----------------------------------------------------------------------------------------------------------

    def reply(self, call: Call, completion: int, reason: int, handle: int, body: bytes) -> None:
        """Answer a call, in as many segments as it takes."""
        self.reply_to(call.kind, call.request, completion, reason, handle, body)

    def reply_to(self, kind: int, request: int, completion: int, reason: int, handle: int, body: bytes) -> None:
        """Answer a call of this kind and request id."""
        if completion == MQCC_FAILED:
            self.failed_call = self.calls
        data = write_api(len(body), completion, reason, handle, self.big_endian) + body
        self.send(kind + seg.REPLY, request, data)

    def answer(self, call: Call, handle: int, body: bytes) -> None:
        """Reply with the results of the engine, when the log is durable."""
        connection = self.connection
        assert connection is not None
        work = connection.work
        if work is not None:
            connection.work = None
            if work.repeats:
                self.session.work_first(self, work, call)
                return
        self.session.hold(connection.force)
        if connection.delay_ms:
            self.session.delay_ms = max(self.session.delay_ms, connection.delay_ms)
            connection.delay_ms = 0
        self.reply(call, connection.completion, connection.reason, handle, body)
        if work is not None:
            self.session.work_first(self, work, None)

    def head_of_answer(self, memo: HeadCache, kind: int, request: int, handle: int, length: int) -> bytes:
        """Return the bytes in front of a reply to MQPUT or MQGET that has `length` bytes.

        b"" stands for a reply that is not one plain segment: `answer_long` sends it.
        """
        connection = self.connection
        assert connection is not None
        session = self.session
        session.hold(connection.force)
        if connection.delay_ms:
            session.delay_ms = max(session.delay_ms, connection.delay_ms)
            connection.delay_ms = 0
        completion, reason = connection.completion, connection.reason
        if completion == MQCC_FAILED:
            self.failed_call = self.calls
        if length > session.transmission_size - seg.SIZE_M - API_SIZE or session.compression is not None:
            return b""
        return memo.head(kind + seg.REPLY, request, length, completion, reason, handle, self.big_endian, self.tail)

    def answer_long(self, kind: int, request: int, handle: int, parts: list[bytes]) -> None:
        """Reply in several segments, or in compressed ones."""
        connection = self.connection
        assert connection is not None
        body = b"".join(parts)
        self.session.unsent += len(body)
        self.reply_to(kind, request, connection.completion, connection.reason, handle, body)

    def send(self, kind: int, request: int, data: bytes) -> None:
        """Send data in one or more segments of this conversation."""
        session = self.session
        room = session.transmission_size - seg.SIZE_M
        if session.compression is not None:
            self._send_compressed(session.compression, kind, request, data)
            return
        if len(data) <= room:
            self.send_segment(kind, seg.ONLY, request, data)
            return
        flags = seg.FIRST
        for start in range(0, len(data), room):
            if start + room >= len(data):
                flags |= seg.LAST
            self.send_segment(kind, flags, request, data[start : start + room])
            flags = 0

    def _send_compressed(self, compression: Compression, kind: int, request: int, data: bytes) -> None:
        """Send data in segments that are compressed if that makes them shorter."""
        room = self.session.transmission_size - seg.SIZE_M
        said = said_in(kind, data, self.big_endian)
        flags = seg.FIRST
        for start in range(0, len(data), room):
            if start + room >= len(data):
                flags |= seg.LAST
            fixed = 0 if start else API_SIZE
            flags_2, body = compression.compress(data[start : start + room], fixed, 0 if start else said, not start)
            self.send_segment(kind, flags, request, body, flags_2)
            flags = 0

    def send_segment(self, kind: int, flags: int, request: int, data: bytes, flags_2: int = 0) -> None:
        """Send one segment of this conversation, with these flags."""
        session, order = self.session, self.big_endian
        if session.shared:
            session.push(seg.write_m(kind, flags, self.number, request, order, self.tail, data, flags_2))
        else:
            session.push(seg.write(kind, flags, order, self.tail, data, seg.TSH, flags_2))

    def head(self, kind: int, request: int, length: int) -> bytes:
        """Return the header of a whole segment with `length` bytes behind it."""
        if self.session.shared:
            return seg.head_m(kind, seg.ONLY, self.number, request, self.big_endian, self.tail, length)
        return seg.head(kind, seg.ONLY, self.big_endian, self.tail, length)

    # -- the engine ---------------------------------------------------------------------------------------------------

    def connected(self, connection: Connection) -> None:
        """Record the connection of a successful MQCONN."""
        self.connection = connection
        connection.owner, connection.direct = self, AS_GET
        connection.slices = True
        self.state = CONNECTED
        session = self.session
        if not session.admitted:
            session.admitted = True
            session.channels.admitted(session)
        session.channels.by_connection[connection.connection_id] = self
        session.application, session.application_user = connection.appl_name, connection.user

    def disconnected(self) -> None:
        """Forget the connection: MQDISC, or the end."""
        connection = self.connection
        if connection is not None:
            connection.owner = None
            self.session.channels.by_connection.pop(connection.connection_id, None)
        self.connection = None
        self.state = STARTED
        self.waiting = self.consuming = None
        self.puts = self.gets = None
        self.started = self.syncpoint_allowed = self.syncpoint_revoked = False
        self.streams.clear()

    def woken(self, waiter: Waiter) -> None:
        """Answer the get or stream of a completed wait."""
        answer = waiter.answer
        if isinstance(answer, Stream):
            answer.woken(waiter)
            return
        call = self.waiting
        if call is not None and waiter.answer is self.connection:
            self.waiting = None
            finish_get(self, call.request, call.handle, waiter.md, waiter.gmo)
            if self.gets is not None:
                self.gets.give_back(waiter.md, waiter.gmo)

    # -- MQPUT and MQGET (fast_path.py) --------------------------------------------------------------------------------

    def is_free(self) -> bool:
        """Return whether another call can be done: connected, and in no other call."""
        return self.state == CONNECTED and self.waiting is None and self._first is None and not self.refusing

    def has_failed_within(self, count: int) -> bool:
        """Return whether one of the `count` calls before the current one has failed."""
        return self.failed_call > 0 and self.failed_call >= self.calls - count

    def wait(self, request: int, handle: int) -> None:
        """Record an MQGET that waits."""
        self.waiting = Waiting(request, handle)

    def remember_puts(self) -> None:
        """Make the codec cache of puts: more of them will follow."""
        if self.puts is None:
            self.puts = Puts(self.session.shared, self.number)

    def remember_gets(self) -> None:
        """Make the codec cache of gets."""
        if self.gets is None:
            self.gets = Gets(self.session.shared, self.number)

    def is_in_call(self) -> bool:
        """Return whether the client waits for the end of a get."""
        if self.waiting is not None:
            return True
        for stream in self.streams.values():
            if stream.is_in_call():
                return True
        return False

    def stop(self) -> None:
        """Do STOP CONN: back out work; the client gets 2009. A socket without other connections is closed."""
        call = self.waiting
        streaming = bool(self.streams)
        self.lost()
        self.broken = True
        if call is not None:
            self.reply_to(seg.MQGET, call.request, MQCC_FAILED, MQRC_CONNECTION_BROKEN, call.handle, b"")
        others = [each for each in self.session.conversations.values() if each.connection is not None]
        if streaming or not others:
            self.session.stop(STATUS_USER_CLOSED)

    def lost(self) -> None:
        """Back out uncommitted work: the client is gone without MQDISC."""
        connection = self.connection
        self.disconnected()
        if connection is not None:
            self.engine.abandon(connection)


def finish_get(conversation: Conversation, request: int, number: int, md: MQMD, gmo: MQGMO) -> None:
    """Answer a get of handle `number` that the engine has completed."""
    connection = conversation.connection
    assert connection is not None
    data = b""
    length = 0
    if connection.completion != MQCC_FAILED:
        data = connection.data
        length = connection.data_length
        message = connection.message
        if message is not None:
            conversation.session.hold(message.log_end)
    connection.data = b""
    connection.message = None
    memo = conversation.gets
    assert memo is not None
    big_endian, ccsid = conversation.big_endian, conversation.ccsid
    written = memo.md
    written.settle_fitting(md, big_endian, ccsid)
    options = memo.gmo.pack(gmo, big_endian, ccsid)
    told = memo.length(length, big_endian)
    size = md_size(md.version) + len(options) + 4 + len(data)
    head = conversation.head_of_answer(memo.head, seg.MQGET, request, number, size)
    parts = [head, written.front, written.msg_id, written.correl_id, written.back, options, told, data]
    if head:
        conversation.session.push(b"".join(parts))
    else:
        conversation.answer_long(seg.MQGET, request, number, parts)
    work = connection.work
    if work is not None:
        connection.work = None
        conversation.session.work_first(conversation, work, None)
