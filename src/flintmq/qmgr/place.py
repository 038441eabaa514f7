"""Placing a message, whose descriptor is settled, on a local queue.

The one door to a queue: applications' puts, reports, trigger messages, events and dead letters all come through here.
On any reason but MQRC_NONE nothing has changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.log.errors import LogError
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
)
from flintmq.qmgr.connection import Connection
from flintmq.qmgr.message import NO_ID, PUT_PENDING, Message
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.records import ONLY
from flintmq.qmgr.unit_of_work import add_to_unit, log_put, room_in_unit
from flintmq.store.pages import pages_for

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

_SMALL_MESSAGE: Final = 3635  # One page up to here (B135).
SLOW_DOWN_MS: Final = 5  # How long a put to a page set that is 85 % full is held back (B140).


def to_queue(
    qm: QueueManager,
    connection: Connection,
    queue: Queue,
    md: MQMD,
    data: bytes,
    syncpoint: bool,
    now: int,
) -> int:
    """Place a message whose descriptor is settled on a local queue. Returns the reason; on failure nothing changed."""
    length = len(data)
    if not queue.put_enabled:
        return MQRC_PUT_INHIBITED
    if queue.deleted:
        return MQRC_Q_DELETED
    if length > queue.max_msg_length:
        return MQRC_MSG_TOO_BIG_FOR_Q
    if length > qm.max_msg_length and not (queue.transmission and length <= qm.max_msg_length + MQ_MSG_HEADER_LENGTH):
        return MQRC_MSG_TOO_BIG_FOR_Q_MGR
    if queue.depth - queue.held >= queue.max_depth:
        return MQRC_Q_FULL
    if syncpoint and connection.unit is not None:
        reason = room_in_unit(qm, connection)
        if reason:
            return reason
    account = queue.account
    if not account.put(length, md.persistence == 1):
        return MQRC_PAGESET_FULL
    sequence = queue.next_sequence
    lane = 0 if queue.fifo else md.priority
    if lane > 9:
        lane = 9
    message = Message(queue, sequence, lane, data, md)
    if length > _SMALL_MESSAGE:
        message.pages = pages_for(length)
    message.put_ms = now
    if md.expiry != -1:
        message.expires_ms = now + md.expiry * 100
    if md.persistence:
        message.logged = True
        if not syncpoint:
            try:
                connection.force = message.log_end = log_put(qm, message, ONLY)
            except LogError:
                account.remove(length, True)
                return MQRC_RESOURCE_PROBLEM
        queue.put_persistent += 1
    queue.next_sequence = sequence + 1
    queue.put_count += 1
    queue.put_bytes += length
    queue.last_put_ms = now
    if syncpoint:
        message.state = PUT_PENDING
        unit = add_to_unit(connection, message, now)
        queue.add(message)
        if queue.watched:
            qm.put_in_unit(queue, message, unit)
    else:
        queue.add(message)
        if queue.waiting or queue.watched:
            qm.arrived(queue, message)
    if account.used > account.slow_from:
        connection.delay_ms = SLOW_DOWN_MS
    pool = queue.pool
    if pool.used > pool.threshold:
        qm.relieve_pool(pool)
    return MQRC_NONE


def place_internal(
    qm: QueueManager, connection: Connection, queue: Queue, md: MQMD, data: bytes, syncpoint: bool
) -> int:
    """A message that the queue manager itself makes: report, trigger, event, dead letter. Resolves the defaults."""
    if md.persistence == 2:
        md.persistence = queue.def_persistence
    if md.persistence == 1 and queue.temporary:
        md.persistence = 0
    if md.priority == -1:
        md.priority = queue.def_priority
    if md.msg_id == NO_ID:
        md.msg_id = qm.new_msg_id()
    if md.coded_char_set_id == 0:
        md.coded_char_set_id = qm.ccsid
    force = connection.force
    reason = to_queue(qm, connection, queue, md, data, syncpoint, qm.clock.now_ms())
    if connection.force < force:
        connection.force = force
    return reason
