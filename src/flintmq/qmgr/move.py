"""MOVE QLOCAL: all messages of one local queue to another, in the order in which they would be delivered.

A message is moved as it is: ids, context, persistence, priority, properties, backout count, and the moment when it
expires. One that has expired is moved like the others. No reports are sent and no copies streamed.

The messages go in units of work of at most UNIT_MESSAGES messages or UNIT_BYTES bytes; each takes a run of messages off
one queue and puts it on the other, in one run of log records. So a queue that does not fit in memory or in the log can
be moved, and after a crash every message is on exactly one of the two queues. If a message cannot be moved the command
stops there: what was moved stays moved, and the answer says how many.

    refused before anything is moved
    2085  one of them is not a local queue                    2152  they are the same queue
    2042  the source is open or has uncommitted messages      2055  TYPE(MOVE), and the target is not empty
    2053  the target would not hold them all (MAXDEPTH)

    stops on the way
    2051 2030 2031 2048 2192  as for a put to the target      2102  the log is full, and a checkpoint does not help
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.log.errors import LogError
from flintmq.mqi.reason import (
    MQRC_NONE,
    MQRC_OBJECT_IN_USE,
    MQRC_PAGESET_FULL,
    MQRC_PERSISTENT_NOT_ALLOWED,
    MQRC_Q_FULL,
    MQRC_Q_NOT_EMPTY,
    MQRC_RESOURCE_PROBLEM,
)
from flintmq.qmgr.checkpoint import checkpoint
from flintmq.qmgr.connection import UNIT_COMMITTED, Unit
from flintmq.qmgr.message import GET_PENDING, PUT_PENDING, Message, pack_header, unpack_message
from flintmq.qmgr.place import refusal
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.records import LAST
from flintmq.qmgr.unit_of_work import log_work, settle

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

UNIT_MESSAGES: Final = 500
UNIT_BYTES: Final = 1_048_576


class Move:
    """One MOVE QLOCAL. `moved` and `force` are right whatever the reason is."""

    moved: int = 0
    #: The log position that must be durable before the administrator hears of it.
    force: int = 0

    def __init__(self, qm: QueueManager, source: Queue, target: Queue) -> None:
        self.qm = qm
        self.source = source
        self.target = target

    def run(self, add: bool) -> int:
        """Move everything; the reason why not, or why not all."""
        source, target = self.source, self.target
        if source.opens.handles or source.uncommitted:
            return MQRC_OBJECT_IN_USE
        if target.depth and not add:
            return MQRC_Q_NOT_EMPTY
        if source.depth + target.current_depth() > target.max_depth:
            return MQRC_Q_FULL
        reason = MQRC_NONE
        while source.depth and not reason:
            unit = Unit()
            unit.started_ms = self.qm.clock.now_ms()
            reason = self._gather(unit)
            reason = self._commit(unit) or reason
        return reason

    def _gather(self, unit: Unit) -> int:
        """Put the next messages into `unit`. With a reason, those before the one that cannot be moved are in it."""
        length = 0
        while len(unit.work) < 2 * UNIT_MESSAGES and length < UNIT_BYTES:
            message = self.source.first_available()
            if message is None:
                return MQRC_NONE
            reason = self._take(unit, message)
            if reason:
                return reason
            length += len(message.data)
        return MQRC_NONE

    def _take(self, unit: Unit, message: Message) -> int:
        target = self.target
        reason = refusal(self.qm, target, len(message.data))
        if reason:
            return reason
        if message.persistence == 1 and target.temporary:
            return MQRC_PERSISTENT_NOT_ALLOWED
        if not target.account.put(len(message.data), message.persistence == 1):
            return MQRC_PAGESET_FULL
        copy = unpack_message(target, target.next_sequence, pack_header(message))
        copy.lane = 0 if target.fifo else min(message.priority, 9)
        copy.data = message.data
        copy.pages = message.pages
        copy.logged = message.logged
        copy.state = PUT_PENDING
        target.next_sequence += 1
        self.source.hold(message, GET_PENDING)
        target.add(copy)
        unit.work.append(message)
        unit.work.append(copy)
        unit.persistent = unit.persistent or message.logged
        return MQRC_NONE

    def _commit(self, unit: Unit) -> int:
        """Make the moves of `unit` final, or take them all back."""
        qm, target = self.qm, self.target
        if not unit.work:
            return MQRC_NONE
        try:
            force = self._log(unit)
        except LogError:
            self._undo(unit)
            return MQRC_RESOURCE_PROBLEM
        copies = [message for message in unit.work if message.queue is target]
        for copy in copies:
            target.counts.put_count += 1
            target.counts.put_bytes += len(copy.data)
            if copy.logged:
                target.counts.put_persistent += 1
            if target.watched:
                qm.put_in_unit(target, copy, unit)
        target.counts.last_put_ms = unit.started_ms
        self.source.counts.get_count += len(copies)
        self.moved += len(copies)
        self.force = force or self.force
        unit.state = UNIT_COMMITTED
        settle(qm, unit, force)
        if self.source.watched:
            qm.got(self.source)
        for queue in (self.source, target):
            if queue.pool.used > queue.pool.threshold:
                qm.relieve_pool(queue.pool)
        if qm.needs_checkpoint():
            checkpoint(qm)
        return MQRC_NONE

    def _log(self, unit: Unit) -> int:
        """Log the unit. A full log is given one checkpoint."""
        if not unit.persistent:
            return 0
        try:
            return log_work(self.qm, unit, LAST)
        except LogError:
            checkpoint(self.qm)
            return log_work(self.qm, unit, LAST)

    def _undo(self, unit: Unit) -> None:
        for message in reversed(unit.work):
            if message.state == PUT_PENDING:
                message.queue.remove(message)
            else:
                message.queue.make_available(message)
