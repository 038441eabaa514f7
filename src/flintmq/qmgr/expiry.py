"""Expired messages go: the scan that EXPRYINT asks for, or REFRESH QMGR TYPE(EXPIRY).

A get or browse discards the expired messages that it comes across (get.py). What nobody comes across is found by a scan
(B99): every EXPRYINT seconds for the whole queue manager, never with OFF, which is the default.

    begin    when the time has come: note the queues, and the moment that counts as "now" for the whole scan
    find     messages in memory by their buckets (expiring.py), then chunks on the page sets by their earliest expiry
    delete   what was found, as long as nobody holds it: log, queue, counters; those in chunks by their tables alone,
             without reading their data (expire_spilled.py, B103)
    report   MQRO_EXPIRATION: messages that asked for it

Finding and deleting are separate steps (B104): in between anything may happen to what was found, so deleting looks
again. Messages under an uncommitted put or get, or locked by a browse, are left alone until a later scan.

A scan is done in slices: `scan` deletes a bounded number of messages and says whether there is more, so that a million
of them do not hold up the engine. A scan that is still going on when the next is due is an overrun (B107): the next one
is left out, counted and told. If the log is full, nothing more is deleted; the scan goes on when there is room.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.log.errors import LogError
from flintmq.mqi.constants import MQAT_QMGR, MQRO_EXPIRATION
from flintmq.qmgr import report
from flintmq.qmgr.catalogue import matches
from flintmq.qmgr.connection import Connection
from flintmq.qmgr.expire_spilled import expire_chunk
from flintmq.qmgr.expiring import cap_of, lowest_cap
from flintmq.qmgr.expiring import capped as capped
from flintmq.qmgr.expiry_task import ExpiryTask, Scan
from flintmq.qmgr.lane import Expiring as Expiring
from flintmq.qmgr.message import AVAILABLE, Message
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.records import ONLY
from flintmq.qmgr.unit_of_work import log_get
from flintmq.store.expiry import place_of

if TYPE_CHECKING:
    from flintmq.qmgr.connection import Handle
    from flintmq.qmgr.queue_manager import QueueManager

#: Messages that one call of `scan` deletes at most.
SLICE: Final = 5000
#: Messages that are found at a time, or as many as expire within one second.
FIND: Final = 20_000
#: Chunks that are found at a time.
FIND_CHUNKS: Final = 100
#: With a full log the scan rests so long.
LOG_FULL_REST_MS: Final = 1000


def refresh(qm: QueueManager, generic_name: str) -> None:
    """REFRESH QMGR TYPE(EXPIRY) NAME(generic_name): scan those queues now, whatever EXPRYINT is."""
    if generic_name not in qm.expiry.wanted:
        qm.expiry.wanted.append(generic_name)


def scan(qm: QueueManager, now_ms: int, limit: int = SLICE) -> bool:
    """Begin the scan that is due, or go on with the one under way: delete at most `limit` messages.

    True: there is more to do at once, call again.
    """
    task = qm.expiry
    if 0 < task.next_ms <= now_ms:
        _period_is_over(qm, task, now_ms)
    current = task.scan
    if current is None:
        if not task.wanted:
            return False
        name = task.wanted.pop(0)
        current = task.scan = Scan(now_ms, name, _queues(qm, name), list(qm.pagers.values()))
    elif task.log_full and now_ms < task.resume_ms:
        return False
    task.log_full = False
    left = limit
    while left > 0 and not current.is_done() and not task.log_full:
        left -= _step(qm, task, current, left)
    if task.log_full:
        task.resume_ms = now_ms + LOG_FULL_REST_MS
        return False
    if current.is_done():
        task.scan = None
        task.scans += 1
        return len(task.wanted) > 0
    return True


def _period_is_over(qm: QueueManager, task: ExpiryTask, now_ms: int) -> None:
    """EXPRYINT seconds have gone by: a scan of everything is wanted, unless the last one is not done (B107)."""
    missed = (now_ms - task.next_ms) // task.interval_ms
    task.next_ms += (missed + 1) * task.interval_ms
    if task.scan is None:
        if "*" not in task.wanted:
            task.wanted.append("*")
        return
    task.overruns += 1
    seconds = task.interval_ms // 1000
    qm.notice("FMQ2101W", f"The scan for expired messages takes longer than EXPRYINT({seconds}); one was left out.")


def _queues(qm: QueueManager, generic_name: str) -> list[Queue]:
    """The queues that a scan of that name is about."""
    return [queue for queue in qm.queues_by_id.values() if matches(generic_name, queue.name)]


def _step(qm: QueueManager, task: ExpiryTask, current: Scan, limit: int) -> int:
    """Find some messages, or delete some of those found; returns how many were deleted."""
    if not current.queues:
        return _step_on_page_set(qm, task, current)
    queue = current.queues[-1]
    if current.found:
        return _delete(qm, task, current, queue, limit)
    if not queue.deleted and queue.expiring.is_due(current.now_ms):
        current.found = queue.expiring.due(current.now_ms, FIND)
        current.found.reverse()
    if not current.found:
        current.queues.pop()
    return 0


def _delete(qm: QueueManager, task: ExpiryTask, current: Scan, queue: Queue, limit: int) -> int:
    """Delete messages that were found in memory, if they are still there and nobody holds them."""
    found = current.found
    expiring = queue.expiring
    reports: list[Message] = []
    count = 0
    if queue.deleted:
        found.clear()  # Its messages go with it, and the log knows of no queue to get them from.
    while found and count < limit:
        message = found[-1]
        if message.state == AVAILABLE and expiring.holds(message):
            if message.logged:
                try:
                    log_get(qm, message, ONLY)
                except LogError:
                    task.log_full = True
                    break
            queue.remove(message)
            count += 1
            if message.report & MQRO_EXPIRATION:
                reports.append(message)
        found.pop()
    expired(qm, queue, count, reports)
    return count


def _step_on_page_set(qm: QueueManager, task: ExpiryTask, current: Scan) -> int:
    """Find some chunks, or expire what is due in one of those found; returns how much work that was."""
    pager = current.pagers[-1]
    if not current.places and qm.pagers.get(pager.psid) is pager:
        current.places = pager.page_set.expiring(current.volatile, current.now_ms, current.position, FIND_CHUNKS)
        current.places.reverse()
    if not current.places:
        current.position = b""
        if current.volatile:
            current.pagers.pop()
        current.volatile = not current.volatile
        return 0
    queue_id, lane, first = place_of(current.places[-1])
    queue = pager.queues.get(queue_id)
    work = 1
    name = current.generic_name
    if queue is not None and not queue.deleted and (name == "*" or matches(name, queue.name)):
        found = expire_chunk(qm, queue, current.volatile, lane, first, current.now_ms)
        expired(qm, queue, found.count, found.reports)
        work += found.count
        task.chunks += 1
        if found.log_full:
            task.log_full = True
            return work
    current.position = current.places.pop()
    return work


def expired(qm: QueueManager, queue: Queue, count: int, reports: list[Message]) -> None:
    """`count` messages of `queue` are gone; some of them wanted to be reported.

    Reports come last: they are puts, and may push other messages out of memory.
    """
    if count == 0:
        return
    queue.counts.expired_count += count
    qm.counters.expired += count
    qm.expiry.expired += count
    if qm.expiry.scan is not None:
        qm.expiry.scan.expired += count
    if queue.watched:
        qm.got(queue)
    if reports:
        connection = Connection(b"", qm.name[:28], "", MQAT_QMGR)
        for message in reports:
            report.expired(qm, connection, message)


def cap_on_the_way(qm: QueueManager, handle: Handle) -> int:
    """The lowest CAPEXPRY of what a put through `handle` passes on its way to a queue; the queue itself comes later.

    That is an alias or remote definition, the remote definition that an alias leads to, and a transmission queue. They
    are looked up for each put: altering one takes effect at once (B98).
    """
    cap = 0
    named = qm.catalogue.find("QUEUE", handle.put_enabled_by) if handle.put_enabled_by else None
    if named is not None:
        cap = cap_of(named.attributes)
        if named.kind == "QALIAS":
            base = qm.catalogue.find("QUEUE", named.text("TARGET"))
            if base is not None and base.kind == "QREMOTE":
                cap = lowest_cap(cap, cap_of(base.attributes))
    if handle.remote_qmgr and handle.queue is not None:
        cap = lowest_cap(cap, handle.queue.cap_expiry)
    return cap
