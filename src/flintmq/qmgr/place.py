"""Placing a message, whose descriptor is settled, on a local queue.

The one door to a queue: applications' puts, reports, trigger messages, events and dead letters all come through here.
On any reason but MQRC_NONE nothing has changed.

    to_queue    one message, written out for the sake of its cost
    Delivery    several together: a message and its copies, a publication and its subscribers

A `Delivery` is placed whole or not at all:

    state      call      to         what happens
    gathering  add       gathering  limits are checked, pages taken, the message made; its data is shared, not copied
    gathering  cancel    gathering  the pages are given back, the messages forgotten; with cut, the last of them
    gathering  place     placed     one run of log records (or the unit of work), then every message stands on its queue

All that can refuse a message is asked before the first of them is logged, so there is never anything to roll back.
A message that somebody waits for already may be handed over instead, and not be placed at all (put_to_waiter.py).

`direct` is for a publication that nothing can call off: then `add` places, and the queues are gone through once.
"""

from __future__ import annotations

from typing import Final

from flintmq.log.errors import LogError
from flintmq.mqi import property_headers
from flintmq.mqi.constants import MQ_MSG_HEADER_LENGTH
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import (
    MQRC_MSG_TOO_BIG_FOR_Q,
    MQRC_MSG_TOO_BIG_FOR_Q_MGR,
    MQRC_NONE,
    MQRC_PAGESET_FULL,
    MQRC_PUT_INHIBITED,
    MQRC_Q_DELETED,
    MQRC_Q_FULL,
    MQRC_RESOURCE_PROBLEM,
    MQRC_SYNCPOINT_LIMIT_REACHED,
)
from flintmq.qmgr.connection import Connection, Handle
from flintmq.qmgr.expiring import capped
from flintmq.qmgr.message import NO_ID, PUT_PENDING, Message
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.queue_manager import Gathering, QueueManager
from flintmq.qmgr.records import LAST, ONLY
from flintmq.qmgr.unit_of_work import add_to_unit, log_put, log_run, room_in_unit
from flintmq.store.pages import pages_for

SMALL_MESSAGE: Final = 3635  # One page up to here (B135).
SLOW_DOWN_MS: Final = 5  # How long a put to a page set that is 85 % full is held back (B140).


def to_queue(
    qm: QueueManager,
    connection: Connection,
    queue: Queue,
    md: MQMD,
    data: bytes,
    syncpoint: bool,
    now: int,
    properties: bytes = b"",
    handle: Handle | None = None,
) -> int:
    """Place a message whose descriptor is settled on a local queue. Returns the reason; on failure nothing changed.

    `handle` is the one that an application puts through, if it is not the queue manager itself that puts.
    """
    length = len(data)
    expiry = md.expiry
    if length > queue.plain_length or queue.depth - queue.held >= queue.max_depth:
        if queue.stream.name:
            return qm.put_streamed(connection, queue, md, data, syncpoint, now, properties, handle)
        reason = refusal(qm, queue, counted_length(qm, queue, md, data))
        if reason:
            return reason
        expiry = capped(expiry, queue.cap_expiry)
    if syncpoint and connection.unit is not None:
        reason = room_in_unit(qm, connection)
        if reason:
            return reason
    if (
        queue.waiting
        and not syncpoint
        and expiry == -1
        and len(properties) == 0
        and qm.put_to_waiter(queue, md, data, now)
    ):
        return MQRC_NONE
    account = queue.account
    if not account.put(length, md.persistence == 1):
        return MQRC_PAGESET_FULL
    sequence = queue.next_sequence
    lane = 0 if queue.fifo else md.priority
    if lane > 9:
        lane = 9
    message = Message(queue, sequence, lane, data, md)
    if length > SMALL_MESSAGE:
        message.pages = pages_for(length)
    if properties:
        message.properties = properties
    message.put_ms = now
    if expiry != -1:
        message.expiry = expiry
        message.expires_ms = now + expiry * 100
    counts, marks = queue.counts, queue.marks
    if md.persistence:
        message.logged = True
        if not syncpoint:
            try:
                connection.force = message.log_end = log_put(qm, message, ONLY)
            except LogError:
                account.remove(length, True)
                return MQRC_RESOURCE_PROBLEM
        counts.put_persistent += 1
        counts.put_persistent_bytes += length
    queue.next_sequence = sequence + 1
    counts.put_count += 1
    counts.put_bytes += length
    if length > marks.longest:
        marks.longest = length
    if length < marks.shortest:
        marks.shortest = length
    counts.last_put_ms = now
    if syncpoint:
        message.state = PUT_PENDING
        unit = add_to_unit(connection, message, now)
        if unit.put_queue is None:
            unit.put_queue = queue
        elif unit.put_queue is not queue:
            unit.put_elsewhere = True
        queue.add(message)
        if queue.watched:
            qm.put_in_unit(queue, message, unit)
    else:
        queue.add(message)
        if queue.waiting or queue.watched:
            qm.arrived(queue, message, now)
    if account.used > account.slow_from:
        connection.delay_ms = SLOW_DOWN_MS
    pool = queue.pool
    if pool.used > pool.threshold:
        qm.relieve_pool(pool)
    return MQRC_NONE


def refusal(qm: QueueManager, queue: Queue, length: int) -> int:
    """Why a message of that length cannot be placed on `queue` now, as far as the queue itself is concerned; or 0."""
    if not queue.put_enabled:
        return MQRC_PUT_INHIBITED
    if queue.deleted:
        return MQRC_Q_DELETED
    if length > queue.max_msg_length:
        return MQRC_MSG_TOO_BIG_FOR_Q
    if length > qm.max_msg_length:
        headed = queue.rules.transmission or queue.rules.staging
        if not headed or length > qm.max_msg_length + MQ_MSG_HEADER_LENGTH:
            return MQRC_MSG_TOO_BIG_FOR_Q_MGR
    if queue.depth + queue.reserved - queue.held >= queue.max_depth:
        return MQRC_Q_FULL
    return MQRC_NONE


def counted_length(qm: QueueManager, queue: Queue, md: MQMD, data: bytes) -> int:
    """The length of a message as MAXMSGL counts it: without the properties that stand in an MQRFH2."""
    length = len(data)
    if length <= queue.max_msg_length and length <= qm.max_msg_length:
        return length
    return length - property_headers.counted(md, data)


class Delivery(Gathering):
    """Messages that are placed on their queues together, or not at all."""

    #: What is being added is a copy on a stream queue, and has none itself (stream.py).
    copying: bool = False
    #: One of the messages is persistent.
    persistent: bool = False
    #: Nothing can call the whole off any more: a message that is not persistent is placed when it is added.
    direct: bool = False

    def __init__(self, qm: QueueManager, connection: Connection, syncpoint: bool, now: int) -> None:
        self.qm = qm
        self.connection = connection
        self.syncpoint = syncpoint
        self.now = now
        #: What `add` has taken, in that order. A caller may still change a message that it has just added.
        self.messages: list[Message] = []
        #: Messages on their queues of which somebody has to hear.
        self.noticed: list[Message] | None = None

    def add(self, queue: Queue, md: MQMD, data: bytes, properties: bytes = b"", counts: bool = True) -> int:
        """Check and reserve one message, made from the settled descriptor. On any other reason than 0 it is not added.

        `md` may be changed and used again for the next one. With `counts` the message counts for MAXUMSGS.
        """
        length = len(data)
        reason = refusal(self.qm, queue, counted_length(self.qm, queue, md, data))
        if not reason and self.syncpoint and counts:
            reason = self._room_in_unit()
        if reason:
            return reason
        if not queue.account.put(length, md.persistence == 1):
            return MQRC_PAGESET_FULL
        lane = 0 if queue.fifo else min(md.priority, 9)
        message = Message(queue, queue.next_sequence, lane, data, md)
        queue.next_sequence += 1
        queue.reserved += 1
        if length > SMALL_MESSAGE:
            message.pages = pages_for(length)
        message.properties = properties
        message.put_ms = self.now
        expiry = capped(md.expiry, queue.cap_expiry)
        if expiry != -1:
            message.expiry = expiry
            message.expires_ms = self.now + expiry * 100
        if md.persistence == 1:
            message.logged = True
            self.persistent = True
        elif self.direct:
            self._enter(message)
            return MQRC_NONE
        self.messages.append(message)
        return MQRC_NONE

    def _room_in_unit(self) -> int:
        reason = room_in_unit(self.qm, self.connection)
        if reason:
            return reason
        unit = self.connection.unit
        held = unit.counted() if unit is not None else 0
        return MQRC_SYNCPOINT_LIMIT_REACHED if held + len(self.messages) >= self.qm.max_uncommitted else MQRC_NONE

    def cancel(self) -> None:
        """Give everything back that `add` has taken."""
        for message in self.messages:
            message.queue.account.remove(len(message.data), message.persistence == 1)
            message.queue.reserved -= 1
        self.messages = []

    def cut(self, count: int) -> None:
        """Keep the first `count` messages and give back what the others have taken."""
        kept = self.messages[:count]
        self.messages = self.messages[count:]
        self.cancel()
        self.messages = kept

    def place(self) -> int:
        """Log all messages in one run and put them on their queues; under syncpoint, into the unit of work.

        With any other reason than 0 nothing has been placed.
        """
        messages = self.messages
        qm = self.qm
        if self.persistent and not self.syncpoint:
            try:
                end = log_run(qm, messages, LAST)
            except LogError:
                self.cancel()
                return MQRC_RESOURCE_PROBLEM
            if end:
                self.connection.force = end
                for message in messages:
                    message.log_end = end
        for message in messages:
            self._enter(message)
        self.messages = []
        self._tell()
        return MQRC_NONE

    def _tell(self) -> None:
        """Waiting gets, triggers, events; a pool that is too full. When all messages stand on their queues."""
        noticed = self.noticed
        if noticed is None:
            return
        self.noticed = None
        qm = self.qm
        for message in noticed:
            queue = message.queue
            if queue.watched or queue.waiting:
                if not self.syncpoint:
                    qm.arrived(queue, message, self.now)
                elif queue.watched and self.connection.unit is not None:
                    qm.put_in_unit(queue, message, self.connection.unit)
            pool = queue.pool
            if pool.used > pool.threshold:
                qm.relieve_pool(pool)

    def _enter(self, message: Message) -> None:
        queue = message.queue
        queue.reserved -= 1
        counts, marks = queue.counts, queue.marks
        counts.put_count += 1
        length = len(message.data)
        counts.put_bytes += length
        counts.last_put_ms = self.now
        if length > marks.longest:
            marks.longest = length
        if length < marks.shortest:
            marks.shortest = length
        if message.logged:
            counts.put_persistent += 1
            counts.put_persistent_bytes += length
        if self.syncpoint:
            message.state = PUT_PENDING
            unit = add_to_unit(self.connection, message, self.now)
            if unit.put_queue is None:
                unit.put_queue = queue
            elif unit.put_queue is not queue:
                unit.put_elsewhere = True
        queue.add(message)
        if queue.account.used > queue.account.slow_from:
            self.connection.delay_ms = SLOW_DOWN_MS
        if queue.watched or queue.waiting or queue.pool.used > queue.pool.threshold:
            if self.noticed is None:
                self.noticed = []
            self.noticed.append(message)


def place_internal(
    qm: QueueManager,
    connection: Connection,
    queue: Queue,
    md: MQMD,
    data: bytes,
    syncpoint: bool,
    properties: bytes = b"",
) -> int:
    """A message that the queue manager itself makes: report, trigger, event, dead letter. Resolves the defaults."""
    if md.persistence == 2:
        md.persistence = queue.rules.def_persistence
    if md.persistence == 1 and queue.temporary:
        md.persistence = 0
    if md.priority == -1:
        md.priority = queue.rules.def_priority
    if md.msg_id == NO_ID:
        md.msg_id = qm.new_msg_id()
    if md.coded_char_set_id == 0:
        md.coded_char_set_id = qm.ccsid
    force = connection.force
    reason = to_queue(qm, connection, queue, md, data, syncpoint, qm.clock.now_ms(), properties)
    if connection.force < force:
        connection.force = force
    return reason
