"""Messages that clients ask for ahead: REQUEST_MSGS, answered by ASYNC_MESSAGE and NOTIFICATION.

A client that shares its socket does not send MQGET. It keeps the messages of a handle in a queue of its own, which it
has filled by REQUEST_MSGS: for one get, ahead of gets (read-ahead), or for a consumer that is called with each message.
One `Stream` of each handle does all three:

    request    record the wanted messages, the client's room in bytes, and the time to wait
    pump       as long as the client can take more: get a message and send it. None there: wait for one at the queue
    woken      the wait has brought a message, or has ended; an end is not reported, since the client has a clock too
    cancel     another thread of the client closes the handle of a waiting get: the get ends (SPI NOTIFY)
    consume    a put hands a message to the wait: it is sent during the put, and the wait continues

With a request with CONFIRM_REQUEST the client asks whether a message is left, before it tells its application that
there is none: it is answered at once, with a message if there is one, and always with CHECK_MSG.

Notifications from the client, and their effects:

    CONN_STATE 0, 2     consumers are stopped, started: nothing is pushed to consumers in between
    TXN_ALLOWED         messages may be pushed to consumers in syncpoint. A client that is called with a message before
                        it has said so never does; that it has used all it was sent, and waits, then says the same
    TXN_REVOKE          not now
    BROWSE_FIRST        the browse cursor goes back to the beginning
    Q_STATE 16, 0       the handle has a consumer, or none. A client that reads ahead does not ask again for the other
    others              nothing; those with CONFIRM_REQUEST are answered by the code after theirs

T1  Messages for consumers in syncpoint are pushed one at a time to a conversation: the next one is sent when the
    client has used the last. So a commit in the callback commits the consumed message, and nothing else.
T2  A message that was sent and not used when the handle is closed is lost without syncpoint, as read-ahead is in MQ; in
    syncpoint it belongs to the unit of work, and the client backs it out.
T3  The message of a completed wait is sent before any other action of its stream: the host may not have handed it over
    yet when the next segment of the same packet, or of another client, asks for more. `settle` does this.
T4  Ahead of gets, only messages that may be lost are sent. A persistent one, and one that is got in syncpoint, goes to
    a client that waits for it; after it only messages that may be lost are sent until the client waits again. So at
    most one unused message must not be lost. Messages behind it stay too, for the order is kept. A browse loses
    nothing: it reads on.
T5  A client that reads ahead (QueueStatus) has room until it says otherwise. It does not ask for each get, it waits for
    pushed messages, so the wait at the queue has no end, whatever WaitInterval says. Messages that are pushed while no
    get waits would be lost to other getters, and to all when the handle is closed. So a message that arrives when no
    get has asked stays on the queue, and STREAMING_TXN_PAUSED says so: a waiting get then asks, and others may have
    taken the message. Only a queue that is deleted with its only handle, that of a non-durable subscriber, is pushed
    ahead of gets. After a question that has found nothing, the client asks once more for the get that has just ended.
    That request is stale (`stale_requests`) and is ignored. A waiting get asks again when it is told that a message is
    there. A client that is told just when it has asked ignores it, so after a stale request the client is told again
    and again, later each time, until it asks (`remind`).

REQUEST_GET tells that a get waits that finds nothing at the client, and REQUEST_CONSUMER that a consumer has used all
its messages; a request with neither only tells that there is room (docs/wire-protocol.md). A message that was sent and
has not arrived at a waiting client (GlobalMsgIndex) is the one that it waits for, unless it now wants another
selection; when it has used that message, it tells again that it waits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.ccsid import encode
from flintmq.mqi.constants import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQGMO_SYNCPOINT_IF_PERSISTENT,
    MQGMO_WAIT,
    MQMD_VERSION_2,
    MQMO_MATCH_MSG_TOKEN,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD, NO_ID
from flintmq.mqi.reason import (
    MQCC_FAILED,
    MQRC_GET_INHIBITED,
    MQRC_HOBJ_ERROR,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_Q_MGR_QUIESCING,
    MQRC_TRUNCATED_MSG_FAILED,
    MQRC_XWAIT_CANCELED,
)
from flintmq.qmgr.connection import (
    AS_CONSUMER,
    CONSUMED,
    CONSUMED_LAST,
    NOT_CONSUMED,
    NOT_DIRECT,
    WAITING,
    WAITS_FOR_ANY,
    Answer,
    Handle,
    Waiter,
    fail,
    pass_descriptor,
)
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq import stream as wire
from flintmq.wire.mq.calls import read_longs, write_longs
from flintmq.wire.mq.codec_cache import DescriptorCache, md_size
from flintmq.wire.mq.segment import Segment

if TYPE_CHECKING:
    from flintmq.wire.mq.conversation import Conversation

_BROWSE: Final = MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT
_SYNCPOINT: Final = MQGMO_SYNCPOINT | MQGMO_SYNCPOINT_IF_PERSISTENT
#: With no other options than these a get needs no later version of MQGMO, unless it asks for a token.
_PLAIN: Final = MQGMO_SYNCPOINT | MQGMO_NO_SYNCPOINT | MQGMO_WAIT | MQGMO_FAIL_IF_QUIESCING
FOR_EVER: Final = -1
#: With this amount of unsent messages on a socket, no more are got for it until these were handed over.
UNSENT_MAX: Final = 1024 * 1024
#: The request id of messages; they answer no request in particular.
REQUEST_PUSHED: Final = 1
NO_TOKEN: Final[bytes] = bytes(16)
#: RequestedBytes: room for one message.
_ONE: Final = 1
#: RequestFlags: a get or a consumer waits.
_WAITS: Final = wire.REQUEST_CONSUMER | wire.REQUEST_GET
#: The status that a message has in ASYNC_MESSAGE.
_STATUS: Final = 1

_STARTED: Final = 2
#: The value of Q_STATE: the handle has a consumer.
_Q_CONSUMED: Final = 16
_REPLIES: Final = {
    wire.NOTIFY_CONN_STATE: wire.NOTIFY_CONN_STATE_REPLY,
    wire.NOTIFY_Q_STATE: wire.NOTIFY_Q_STATE_REPLY,
    wire.NOTIFY_TXN_REVOKE: wire.NOTIFY_TXN_REVOKE_REPLY,
}


class Stream(Answer):
    """The messages of one handle on their way to the client. As an Answer it has the last get, or the wait."""

    #: For a consumer; else for gets.
    consumer: bool = False
    options: int = 0
    wait_interval: int = 0
    max_length: int = -1
    #: Bytes that the client can take, and those that were sent and not yet used.
    room: int = 0
    in_flight: int = 0
    index: int = 0
    #: The client waits for a message, and none was sent since it said so (T4).
    asked: bool = False
    #: The client reads ahead. For gets, it waits for pushed messages and does not ask again until it is told to (T5).
    reads_ahead: bool = False
    lasting: bool = False
    #: A question has found nothing, and no get has asked since: every message stays on the queue (T5).
    no_get_waits: bool = False
    #: The client was told that a message stays on the queue until it asks, and has not asked since.
    paused: bool = False
    #: Gets that wait are cancelled; whether there is one is not known until the client asks (`cancel`).
    cancelled: bool = False
    #: The number of requests to ignore that may still come for a get that has ended (T5).
    stale_requests: int = 0
    #: The last request was ignored as stale.
    was_stale: bool = False
    #: It asks whether there is a message, and has to be told.
    questioned: bool = False
    #: GlobalMsgIndex of the last message that was sent.
    sent_index: int = 0
    #: The queue cannot be read: the client knows, and it is tried again from time to time.
    stalled: bool = False
    #: Why, as the client knows it; 0 if it does not.
    _told: int = 0
    #: The wait that was not settled yet; it may be over (T3).
    _wait: Waiter | None = None
    #: The wanted messages of the last request, as bytes, and the tail of its header (fast_path.py).
    asked_for: bytes = b""
    asked_tail: bytes = b""
    # The constant parts of the last message of one segment, around its indexes and token, and their conditions.
    _front: bytes = b""
    _lengths: bytes = b""
    _name: bytes = b""
    _front_size: int = 0
    _front_length: int = -1
    _front_tail: bytes = b""
    _front_actual: int = 0
    _front_reason: int = 0
    _front_selection: int = 0

    def __init__(self, conversation: Conversation, handle: Handle) -> None:
        self.conversation = conversation
        self.handle = handle
        self.direct = AS_CONSUMER
        self.wish = wire.Selection()
        self.last_request = wire.Request()
        self._memo = DescriptorCache()
        #: Of the gets that are made for the client.
        self._md = MQMD()
        self._gmo = MQGMO()

    def request(self, request: wire.Request, questioned: bool = False) -> None:
        """Record a request of the client. One that only returns credit does not disturb a wait that lasts."""
        self.settle()
        waits = request.flags & _WAITS
        consumer = waits & wire.REQUEST_CONSUMER != 0 if waits else self.consumer
        self.reads_ahead = request.queue_status & wire.STATUS_READ_AHEAD != 0
        lasting = self.reads_ahead and not consumer
        options, wait_interval = request.options, request.wait_interval
        if consumer or lasting:
            options |= MQGMO_WAIT
            wait_interval = FOR_EVER
        if not lasting:  # The state of gets that read ahead does not hold for a consumer.
            self.no_get_waits = self.paused = False
            self.stale_requests = 0
        self.in_flight = max(0, self.in_flight - max(0, request.received_bytes))
        self.room = request.requested_bytes
        if waits:
            arrived = self.room == _ONE or self.in_flight == 0 or request.global_msg_index >= self.sent_index
            self._ask(arrived or request.selection is not None, questioned)
            if consumer and arrived:
                self._allow()
        if (
            consumer != self.consumer
            or lasting != self.lasting
            or not (consumer or lasting)
            or request.selection is not None
            or options != self.options
            or request.max_msg_length != self.max_length
            or self.in_flight >= self.room
        ):
            self.stop_waiting()
        if request.selection is not None:
            self.wish = request.selection
        self.consumer, self.lasting = consumer, lasting
        self.options = options
        self.wait_interval = wait_interval
        self.max_length = request.max_msg_length
        self.stalled = False
        self._told = 0

    def _ask(self, arrived: bool, questioned: bool) -> None:
        """Record that a get or a consumer waits. A question comes from a get that is there (T5)."""
        if not questioned:
            self.paused = False
        self.was_stale = self.stale_requests > 0 and not questioned
        if self.was_stale:
            self.stale_requests -= 1
        elif arrived:
            self.asked = True
            self.no_get_waits = False

    def answered_question(self, index: int) -> None:
        """Record that the client knows whether there is a message. It had all messages up to `index`."""
        self.asked = self.questioned = False
        self.ahead = True
        if self.lasting:
            self.stale_requests = 2 if self.paused else 1  # A get that is told to ask may have ended since.
            self.paused = False
            self.no_get_waits = index >= self.sent_index
            self._rest()

    def serve(self, consumer: bool) -> None:
        """Record that the handle has a consumer, or has none. A client that reads ahead does not ask again (T5)."""
        if not self.reads_ahead or consumer == self.consumer:
            return
        self.stop_waiting()
        self.consumer, self.lasting = consumer, not consumer
        self.asked = consumer and (self.asked or self.no_get_waits)  # If it has nothing to call the consumer with.
        self.no_get_waits = not consumer
        self.paused = self.idle = False
        self.stale_requests = 0

    def _rest(self) -> None:
        """Decide for a wait whether an arriving message is sent, or stays until a get asks for it (T5)."""
        self.idle = self.lasting and not self.asked and not self._is_only_getter()
        self.direct = NOT_DIRECT if self.idle else AS_CONSUMER

    def _is_only_getter(self) -> bool:
        """Return whether no other handle can get the messages of the queue: a managed queue of this handle."""
        queue = self.handle.queue
        assert queue is not None
        return self.handle.owns_dynamic and queue.temporary and queue.opens.input_handles == 1

    def is_in_call(self) -> bool:
        """Return whether a get is known to wait. A get on a handle that reads ahead is known if it has asked."""
        return self.waiter is not None and not self.consumer and (self.asked or not self.lasting)

    def cancel(self) -> None:
        """End the get that waits, with 2107. A message that it was sent before is its own.

        If the client reads ahead, and has not asked, it may wait all the same. It is told to ask, and the get that does
        is ended, unless the client makes another call before (`forget_cancel`). A client that only stops its connection
        gets again, when it starts it.
        """
        self.settle()
        if self.consumer:
            return
        if self.asked or (self.waiter is not None and not self.lasting):
            self.cancel_get()
        elif self.lasting and not self.cancelled:
            self.cancelled = True
            self.paused = False
            self._pause()

    def cancel_get(self) -> None:
        """End a get that is known to wait, with 2107: it is sent an empty message that has the reason.

        STREAMING_FAILURE with the same reason is not for one get: a client that reads ahead asks again.
        """
        self.stop_waiting()
        self.asked = self.cancelled = False
        self.ahead = True
        self.no_get_waits = self.lasting
        fail(self, MQRC_XWAIT_CANCELED)
        self.data_length = 0
        self._send(MQMD())

    def _allow(self) -> None:
        """Allow syncpoint for a consumer that has used all: a busy client does not send TXN_ALLOWED afterwards."""
        conversation = self.conversation
        if self.sent_index and not conversation.syncpoint_revoked:
            conversation.syncpoint_allowed = True

    def may_pump(self) -> bool:
        """Return whether the client can take a message now (T1)."""
        conversation = self.conversation
        if self.in_flight >= self.room or self.waiter is not None or self.stalled or conversation.session.blocked:
            return False
        if not self.consumer:
            return True
        if not conversation.started:
            return False
        if self.options & MQGMO_SYNCPOINT:
            return conversation.syncpoint_allowed and conversation.consuming is None
        return conversation.consuming is not self

    def _is_ahead(self) -> bool:
        """Return whether a message that must not be lost has to stay (T1, T4)."""
        if not self.asked:
            return True
        conversation = self.conversation
        if self.consumer and self.options & MQGMO_SYNCPOINT_IF_PERSISTENT:
            return not conversation.syncpoint_allowed or conversation.consuming is not None
        return False

    def pump(self) -> None:
        """Send messages as long as the client can take them, then wait for more. Many are sent in turns (S1)."""
        self.settle()
        self.ahead = self._is_ahead()  # Of a wait as well.
        if self.waiter is not None and self._has_own_puts():
            self.stop_waiting()
        if self.waiter is not None:
            self._rest()
        else:
            self.idle = self.no_get_waits and not self.asked
        while self.may_pump():
            conversation = self.conversation
            if conversation.session.unsent >= UNSENT_MAX and not self.questioned:
                conversation.session.more = True
                return
            connection = conversation.connection
            assert connection is not None
            md, gmo = self._md, self._gmo
            self._describe(md, gmo)
            connection.force = 0
            if conversation.engine.get_into(connection, self.handle, self, md, gmo, self.max_length) == WAITING:
                self._wait = self.waiter  # Which has the descriptors now.
                self._md, self._gmo = MQMD(), MQGMO()
                self._rest()
                if self._told:
                    self._can_be_read()
                return
            if not self._got(md):
                return

    def _has_own_puts(self) -> bool:
        """Return whether the client's unit of work has a message for this wait, which no put tells a waiter."""
        conversation, queue = self.conversation, self.handle.queue
        connection = conversation.connection
        if connection is None or connection.unit is None or queue is None:
            return False
        return conversation.engine.sees_own_puts(self.handle, queue, self.options)

    def woken(self, waiter: Waiter) -> None:
        """Send the result of a wait that is over, unless `settle` has done so, and go on."""
        if self._wait is not waiter:
            return
        self._wait = None
        if not self._got(waiter.md):
            return
        if self.may_pump() and self.conversation.engine.wait_again(waiter):
            self._wait = waiter
            self._rest()
        else:
            self.pump()

    def consume(self, waiter: Waiter, md: MQMD) -> int:
        """Send the message that a put hands over to the wait, and continue the wait (put_to_waiter.py)."""
        session = self.conversation.session
        if (
            waiter is not self._wait
            or waiter.kind != WAITS_FOR_ANY
            or waiter.deadline_ms >= 0
            or self._told
            or self.handle.get_enabled_by
        ):
            return NOT_CONSUMED
        self.asked, self.ahead = False, True
        self.questioned = False
        if md.version == MQMD_VERSION_2 and self.wish.md_version > 1 and _in_no_group(md):
            self._send(md)
        else:
            own = waiter.md
            pass_descriptor(md, own)
            self._send(own)
            own.version = MQMD_VERSION_2
        self._rest()
        if self.in_flight < self.room and not session.blocked:
            if session.unsent < UNSENT_MAX:
                return CONSUMED
            session.more = True
        self._wait = None
        return CONSUMED_LAST

    def settle(self) -> None:
        """Send the result of a wait that is over (T3)."""
        waiter = self._wait
        if waiter is not None and waiter.done:
            self._wait = None
            self._got(waiter.md)

    def stop_waiting(self) -> None:
        """End the wait at the queue."""
        self.settle()
        waiter = self.waiter
        if waiter is not None:
            self._wait = None
            self.conversation.engine.end_wait(waiter)

    def _describe(self, md: MQMD, gmo: MQGMO) -> None:
        """Fill the structures of the get that is made for the client. Results of the last get are overwritten."""
        wish = self.wish
        md.version = 2
        md.msg_id, md.correl_id, md.group_id = wish.msg_id, wish.correl_id, wish.group_id
        md.msg_seq_number, md.offset = wish.msg_seq_number, wish.offset
        md.coded_char_set_id, md.encoding = wish.ccsid, wish.encoding
        gmo.version = 2 if self.options & ~_PLAIN == 0 and not wish.match_options & MQMO_MATCH_MSG_TOKEN else 3
        gmo.match_options = wish.match_options
        gmo.msg_token = wish.msg_token
        gmo.wait_interval = self.wait_interval
        gmo.options = self.options
        if gmo.options & _BROWSE == _BROWSE:
            gmo.options &= ~MQGMO_BROWSE_NEXT  # Both together: from the beginning, then on.

    def _got(self, md: MQMD) -> bool:
        """Send the result of a get. Return True to continue with the next one."""
        conversation = self.conversation
        connection = conversation.connection
        assert connection is not None
        conversation.session.hold(connection.force)
        reason = self.reason
        if self.completion == MQCC_FAILED:
            if reason != MQRC_NO_MSG_AVAILABLE:
                self._failed(reason)
            elif self._told:
                self._can_be_read()
            elif self.lasting and (self.ahead or self.idle):
                self._pause()
            return False
        if self._told:
            self._can_be_read()
        if self.options & MQGMO_BROWSE_FIRST:
            self.options = self.options & ~MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT
        self.asked, self.ahead = False, True
        self.questioned = False
        self._send(md)
        if reason == MQRC_TRUNCATED_MSG_FAILED:
            return False  # It is still on the queue, and the client asks again.
        if self.consumer and (
            self.options & MQGMO_SYNCPOINT or (self.options & MQGMO_SYNCPOINT_IF_PERSISTENT and md.persistence)
        ):
            self._consumes()
        return True

    def _consumes(self) -> None:
        """Block other streams of the conversation: a message in syncpoint is on its way to a consumer (T1)."""
        conversation = self.conversation
        conversation.consuming = self
        for other in conversation.streams.values():
            if other.consumer:
                if other.options & MQGMO_SYNCPOINT:
                    other.stop_waiting()
                elif other.options & MQGMO_SYNCPOINT_IF_PERSISTENT:
                    other.ahead = True

    def _failed(self, reason: int) -> None:
        """Report once that the queue cannot be read."""
        self.stalled = True
        if reason != self._told:
            self._told = reason
            code, value = wire.NOTIFY_STREAMING_FAILURE, reason
            if reason == MQRC_GET_INHIBITED:
                code, value = wire.NOTIFY_GET_INHIBITED, 0
            elif reason == MQRC_Q_MGR_QUIESCING:
                code, value = wire.NOTIFY_QM_QUIESCING, 0
            notify(self.conversation, self.handle.number, code, value, REQUEST_PUSHED)

    def _pause(self) -> None:
        """Tell the client that a message stays on the queue until a get asks for it (T5)."""
        if not self.paused:
            self.paused = True
            notify(self.conversation, self.handle.number, wire.NOTIFY_STREAMING_TXN_PAUSED, 0, REQUEST_PUSHED)
            if self.was_stale:
                self.conversation.session.channels.remind_later(self)

    def remind(self) -> bool:
        """Tell the client again that a message stays on the queue; False if it has asked, or its handle is closed."""
        if not self.paused or self.conversation.streams.get(self.handle.number) is not self:
            return False
        notify(self.conversation, self.handle.number, wire.NOTIFY_STREAMING_TXN_PAUSED, 0, REQUEST_PUSHED)
        return True

    def try_again(self) -> None:
        """Read a queue again that could not be read. Another failure is not reported again, and puts no event."""
        handle = self.handle
        queue = handle.queue
        if not self.stalled or queue is None or not queue.get_enabled or queue.deleted:
            return
        if not handle.get_enabled_by or not self.conversation.engine.alias_inhibits_get(handle):
            self.stalled = False
            self.pump()

    def _can_be_read(self) -> None:
        """Report that the queue can be read again, before any message."""
        self._told = 0
        notify(self.conversation, self.handle.number, wire.NOTIFY_GET_ALLOWED, 0, REQUEST_PUSHED)

    def _send(self, md: MQMD) -> None:
        """Send the message as ASYNC_MESSAGE, in one or more segments."""
        conversation = self.conversation
        session = conversation.session
        message, queue = self.message, self.handle.queue
        assert queue is not None
        if message is None:
            token = self.conversation.engine.token_at(queue, self.sequence)
        else:
            session.hold(message.log_end)
            token = self.conversation.engine.token_of(message)
        data = self.data
        self.data = b""
        self.message = None
        self.index += 1
        conversation.global_index += 1
        self.sent_index = conversation.global_index
        big_endian, ccsid = conversation.big_endian, conversation.ccsid
        md.version = 2 if self.wish.md_version > 1 else 1
        memo = self._memo
        memo.settle_fitting(md, big_endian, ccsid)
        size = md_size(md.version)
        self.in_flight += size + len(data)
        session.unsent += size + len(data)
        compression = session.compression
        room = session.transmission_size - seg.SIZE_M - wire.PREFIX
        if compression is None and size + len(data) + wire.FIRST_MAX <= room:
            self._settle_front(size, len(data))
            indexes = wire.write_indexes(self.index, conversation.global_index, big_endian)
            parts = [
                self._front, indexes, self._lengths, token, self._name,
                memo.front, memo.msg_id, memo.correl_id, memo.back, data,
            ]  # fmt: skip
            session.push(b"".join(parts))
            return
        self._send_segments(data, token, room)

    def _send_segments(self, data: bytes, token: bytes, room: int) -> None:
        """Send a message in several segments of at most `room` bytes, or compressed."""
        conversation = self.conversation
        compression = conversation.session.compression
        big_endian = conversation.big_endian
        name = encode(self.handle.resolved_name, conversation.ccsid)
        first = wire.write_first(self.reason, len(data), self.data_length, token, _STATUS, name, big_endian)
        first += self._memo.joined()
        part = data[: room - len(first)]
        sent = len(part)
        flags = seg.FIRST if sent < len(data) else seg.ONLY
        number = 0
        while True:
            prefix = wire.write_prefix(
                self.handle.number,
                self.index,
                conversation.global_index,
                len(part),
                number,
                self.wish.selection_index,
                big_endian,
            )
            body = prefix + first + part
            flags_2 = 0
            if compression is not None:
                flags_2, body = compression.compress(body, wire.PREFIX, len(first), number == 0)
            conversation.send_segment(seg.ASYNC_MESSAGE, flags, REQUEST_PUSHED, body, flags_2)
            if sent == len(data):
                return
            first = b""
            part = data[sent : sent + room]
            sent += len(part)
            number += 1
            flags = seg.LAST if sent == len(data) else 0

    def _settle_front(self, size: int, length: int) -> None:
        """Update the constant beginning of a message in one segment.

        It stays as it was, but for indexes and token, if the message is as long as the last one.
        """
        conversation = self.conversation
        selection = self.wish.selection_index
        if (
            length == self._front_length
            and size == self._front_size
            and conversation.tail is self._front_tail
            and self.data_length == self._front_actual
            and self.reason == self._front_reason
            and selection == self._front_selection
        ):
            return
        number, big_endian = self.handle.number, conversation.big_endian
        name = encode(self.handle.resolved_name, conversation.ccsid)
        fixed = wire.write_prefix(number, 0, 0, length, 0, selection, big_endian)
        fixed += wire.write_first(self.reason, length, self.data_length, NO_TOKEN, _STATUS, name, big_endian)
        head = conversation.head(seg.ASYNC_MESSAGE, REQUEST_PUSHED, len(fixed) + size + length)
        self._front = head + fixed[: wire.INDEXES]
        self._lengths, self._name = fixed[wire.LENGTHS : wire.TOKEN], fixed[wire.STATUS :]
        self._front_length, self._front_size, self._front_tail = length, size, conversation.tail
        self._front_actual, self._front_reason, self._front_selection = self.data_length, self.reason, selection


def _in_no_group(md: MQMD) -> bool:
    """Return whether the fields for groups have the values of a message in none."""
    return md.group_id is NO_ID and md.msg_seq_number == 1 and md.offset == 0


def notify(conversation: Conversation, handle: int, code: int, value: int, request_id: int) -> None:
    """Send a NOTIFICATION."""
    body = write_longs([1, handle, code, value], conversation.big_endian)
    conversation.send_segment(seg.NOTIFICATION, seg.ONLY, request_id, body)


def request_messages(conversation: Conversation, segment: Segment) -> None:
    """Process a REQUEST_MSGS. Raises ChannelError."""
    request = wire.Request.unpack(segment.body, segment.big_endian)
    connection = conversation.connection
    assert connection is not None
    handle = connection.handles.get(request.handle)
    if handle is None or handle.queue is None:
        # A request that another thread of the client sent while it closed the handle is dropped: IBM's client ends its
        # connection when it is told of a handle that it has closed. Only a question is waited for.
        was_open = handle is None and 0 < request.handle < connection.next_handle
        if not was_open or segment.flags & seg.CONFIRM_REQUEST:
            notify(conversation, request.handle, wire.NOTIFY_STREAMING_FAILURE, MQRC_HOBJ_ERROR, segment.request)
        return
    stream = conversation.streams.get(request.handle)
    if stream is None:
        stream = conversation.streams[request.handle] = Stream(conversation, handle)
    if segment.flags & seg.CONFIRM_REQUEST:
        serve_request(conversation, stream, request, True)
        notify(conversation, request.handle, wire.NOTIFY_CHECK_MSG, 0, segment.request)
        return
    stream.last_request, stream.asked_tail = request, b""
    if request.selection is None:
        stream.asked_for = segment.body[wire.REQUEST_ROOM : wire.REQUEST_INDEX]
        stream.asked_tail = conversation.tail
    serve_request(conversation, stream, request)


def serve_request(conversation: Conversation, stream: Stream, request: wire.Request, questioned: bool = False) -> None:
    """Send requested messages, as far as they are there. With `questioned`, tell the client afterwards."""
    allowed = conversation.syncpoint_allowed
    stream.request(request, questioned)
    if stream.cancelled and request.flags & _WAITS:
        if not questioned:
            stream.cancel_get()
            return
        stream.cancelled = False
    stream.questioned = questioned
    if conversation.consuming is stream and stream.asked:
        conversation.consuming = None
        pump_all(conversation)
    elif conversation.syncpoint_allowed != allowed:
        pump_all(conversation)
    else:
        stream.pump()
    if questioned:
        stream.answered_question(request.global_msg_index)


def cancel_gets(conversation: Conversation) -> None:
    """End the gets of a conversation that wait, with 2107 (SPI NOTIFY)."""
    conversation.cancelling = True
    connection = conversation.connection
    if conversation.waiting is not None and connection is not None and connection.waiter is not None:
        conversation.engine.fail_waiter(connection.waiter, MQRC_XWAIT_CANCELED)
    for stream in conversation.streams.values():
        stream.cancel()


def forget_cancel(conversation: Conversation) -> None:
    """Forget cancelled gets: the client makes another call, so none of them waits."""
    conversation.cancelling = False
    for stream in conversation.streams.values():
        stream.cancelled = False


def pump_all(conversation: Conversation) -> None:
    """Serve every stream after a change that any may have waited for, the one that was served last at the end."""
    streams = sorted(conversation.streams.values(), key=_served)
    for stream in streams:
        stream.pump()


def no_longer_consuming(conversation: Conversation) -> None:
    """Serve all streams if the consumer that they wait for was closed, or its unit of work is over (T1).

    The last message that it consumed may still be uncommitted; then the streams wait for the end of the unit of work.
    """
    consuming, connection = conversation.consuming, conversation.connection
    if consuming is not None and not consuming.handle.open and (connection is None or connection.unit is None):
        conversation.consuming = None
        pump_all(conversation)


def _served(stream: Stream) -> int:
    return stream.index


def notified(conversation: Conversation, segment: Segment) -> None:
    """Process a NOTIFICATION of the client, by the table above. Raises ChannelError."""
    _, number, code, value = read_longs(segment.body, 0, 4, segment.big_endian)
    for stream in conversation.streams.values():
        stream.settle()
    if code == wire.NOTIFY_CONN_STATE:
        conversation.started = value == _STARTED
        if not conversation.started:
            for stream in conversation.streams.values():
                if stream.consumer:
                    stream.stop_waiting()
    elif code == wire.NOTIFY_Q_STATE:
        consumed = conversation.streams.get(number)
        if consumed is not None:
            consumed.serve(value & _Q_CONSUMED != 0)
    elif code == wire.NOTIFY_TXN_ALLOWED:
        conversation.syncpoint_allowed, conversation.syncpoint_revoked = True, False
    elif code == wire.NOTIFY_TXN_REVOKE:
        conversation.syncpoint_allowed, conversation.syncpoint_revoked = False, True
        for stream in conversation.streams.values():
            if stream.consumer and stream.options & _SYNCPOINT:
                stream.stop_waiting()
    elif code == wire.NOTIFY_BROWSE_FIRST:
        connection = conversation.connection
        handle = connection.handles.get(number) if connection is not None else None
        if handle is not None and handle.queue is not None:
            handle.queue.clear_cursor(handle)
        browsing = conversation.streams.get(number)
        if browsing is not None:  # Sent messages are forgotten; the client asks anew.
            browsing.stop_waiting()
            browsing.room = browsing.in_flight = 0
    reply = _REPLIES.get(code, 0)
    if segment.flags & seg.CONFIRM_REQUEST and reply:
        notify(conversation, number, reply, value, segment.request)
    pump_all(conversation)
