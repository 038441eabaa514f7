"""A message for a getter that waits already: it is handed over, and never stands on its queue.

Most messages of a busy system are of this kind: whoever gets them was there before they were put. Nobody else can see
such a message, so it is not made: no Message, no place in a lane, no pages. Its descriptor goes from the putter's MQMD
to the getter's, its data is the same bytes, and everything is counted as if it had stood on the queue for no time.

    put_to_waiter    True: it has been handed over. False: nothing was done; it goes the long way, by `to_queue` and
                     `serve`, which know everything

Only what is plain goes this way: the message is not persistent, does not expire and has neither properties nor reports;
nothing else is there to be got; the getter is the first in line, and wants any message or one with this id, outside
syncpoint, with no option that looks at the message. `Answer.direct` says how it takes it:

    NOT_DIRECT     not at all: whoever looks at the answer wants to see the Message, too
    AS_GET         its wait is over, and the owner of its connection is told at once
    AS_CONSUMER    it is asked first (`Answer.consume`): it may take the message at once and wait on, behind all others

Owners and consumers are of the host, and are only called while the host is in a turn of its own (`qm.in_turn`): what
other threads put, under the lock, goes the long way, and the host finds it in `qm.woken`.

Both ways must leave the same behind: tests/qmgr/test_put_to_waiter_prop.py does the same with two queue managers, of
which one has only the long way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import MQFMT_RF_HEADER_2, MQGMO_FAIL_IF_QUIESCING, MQGMO_NO_SYNCPOINT, MQGMO_WAIT
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import MQCC_OK, MQRC_NONE
from flintmq.qmgr.connection import AS_CONSUMER, AS_GET, CONSUMED, CONSUMED_LAST, NOT_DIRECT, Waiter
from flintmq.qmgr.get import end_wait, wake
from flintmq.qmgr.message import pass_descriptor
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.wanted import token_of
from flintmq.store.pages import pages_for

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

#: With no other options than these a getter takes what it gets as it is.
_PLAIN: Final = MQGMO_NO_SYNCPOINT | MQGMO_WAIT | MQGMO_FAIL_IF_QUIESCING


def put_to_waiter(qm: QueueManager, queue: Queue, md: MQMD, data: bytes, now: int) -> bool:
    """Hand a message over that is put outside syncpoint at `now`, without properties, and never expires.

    That the queue takes it has been found out; whether its page set does, has not.
    """
    if (
        queue.available
        or queue.watched
        or queue.waits.others
        or queue.selections is not None
        or md.persistence
        or md.report
        or md.backout_count
        or (md.version > 1 and (md.msg_flags or md.original_length != -1))
        or (md.format and md.format == MQFMT_RF_HEADER_2)
    ):
        return False
    waiter = _first(queue, md)
    if waiter is None:
        return False
    answer, handle, gmo = waiter.answer, waiter.handle, waiter.gmo
    length = len(data)
    if (
        answer.direct == NOT_DIRECT
        or gmo.options & ~_PLAIN
        or gmo.version > 3
        or (length > waiter.max_length and waiter.max_length >= 0)
        or handle.id_key is not None
        or handle.saved is not None
        or handle.get_group is not None
        or handle.browse_group is not None
        or waiter.connection.task is not None
    ):
        return False
    pages = pages_for(length)
    pool = queue.pool
    if (
        not queue.account.has_room(pages)
        or pool.level
        or pool.changed + pages > pool.watermark
        or pool.used + pages > pool.threshold
    ):
        return False  # Somebody has to hear of it.
    pool.taken += pages
    _count(queue, length, now)
    sequence = queue.next_sequence
    queue.next_sequence = sequence + 1
    if md.reply_to_q_mgr:
        _hand_over(qm, queue, waiter, md, data, sequence)
    else:  # As `fill_descriptor` says it.
        md.reply_to_q_mgr = queue.q_mgr_name
        _hand_over(qm, queue, waiter, md, data, sequence)
        md.reply_to_q_mgr = ""
    return True


def _hand_over(qm: QueueManager, queue: Queue, waiter: Waiter, md: MQMD, data: bytes, sequence: int) -> None:
    """Give the message to `waiter`, and end its wait unless it waits on."""
    answer, gmo = waiter.answer, waiter.gmo
    length = len(data)
    answer.data = data
    answer.data_length = length
    answer.message = None
    answer.sequence = sequence
    answer.completion = MQCC_OK
    answer.reason = MQRC_NONE
    if answer.direct == AS_CONSUMER:
        taken = answer.consume(waiter, md)
        if taken == CONSUMED:
            qm.wait_order += 1
            queue.waits.last_in_line(waiter, qm.wait_order)
            return
        if taken == CONSUMED_LAST:
            end_wait(qm, waiter)
            return
    pass_descriptor(md, waiter.md)
    gmo.resolved_q_name = queue.name
    if gmo.version > 1:
        gmo.group_status = gmo.segment_status = gmo.segmentation = " "
        if gmo.version > 2:
            gmo.msg_token = token_of(queue, sequence)
            gmo.returned_length = length
    end_wait(qm, waiter)
    owner = waiter.connection.owner
    if owner is not None and answer.direct == AS_GET:
        owner.woken(waiter)
    else:
        wake(qm, waiter)


def _first(queue: Queue, md: MQMD) -> Waiter | None:
    """Who came first of those that want the message."""
    waiters = queue.waits.any
    best = waiters[0] if waiters else None
    if queue.waits.by_correl_id:
        best = _earlier(best, queue.waits.by_correl_id.get(md.correl_id))
    if queue.waits.by_msg_id:
        best = _earlier(best, queue.waits.by_msg_id.get(md.msg_id))
    return best


def _earlier(best: Waiter | None, filed: list[Waiter] | None) -> Waiter | None:
    if filed is None:
        return best
    return filed[0] if best is None or filed[0].order < best.order else best


def _count(queue: Queue, length: int, now: int) -> None:
    """A message was put and got."""
    counts, marks = queue.counts, queue.marks
    counts.put_count += 1
    counts.put_bytes += length
    counts.fast_put_count += 1
    counts.fast_put_bytes += length
    counts.get_count += 1
    counts.get_bytes += length
    counts.last_put_ms = counts.last_get_ms = now
    if length > marks.longest:
        marks.longest = length
    if length < marks.shortest:
        marks.shortest = length
    depth = queue.depth
    if depth >= queue.marks.high_depth:
        queue.marks.high_depth = depth + 1
    if depth < queue.marks.low_depth:
        queue.marks.low_depth = depth
