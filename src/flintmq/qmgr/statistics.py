"""What the counters of queues say, taken together: for statistics records, DISPLAY and metrics.

Counting is part of every call and costs a few additions; nothing here is asked until somebody wants to know. Counters
only grow. Who wants what happened in an interval takes `queue_counters` at its beginning and at its end.

    queue_counters   of one queue, in the order of QUEUE_COUNTERS
    Totals           of all queues, those that are gone included
    begin_interval   the marks (highest depth, shortest message ...) start again from what is now

STATQ and ACCTQ in force: the queue's own ON or OFF, or the queue manager's if that says QMGR; NONE at the queue manager
is no for all (B25 to B27).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.qmgr.message import Message
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.queue_counts import NO_LENGTH

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

#: What `queue_counters` returns.
QUEUE_COUNTERS: Final = (
    "put_count",
    "put_bytes",
    "put_persistent",
    "put_persistent_bytes",
    "put1_count",
    "put1_bytes",
    "put1_persistent",
    "put1_persistent_bytes",
    "put_failed",
    "put1_failed",
    "fast_put_count",
    "fast_put_bytes",
    "streamed_count",
    "get_count",
    "get_bytes",
    "get_persistent",
    "get_persistent_bytes",
    "get_missed",
    "get_truncated",
    "get_failed",
    "wait_failed",
    "browse_count",
    "browse_bytes",
    "browse_persistent",
    "browse_persistent_bytes",
    "browse_missed",
    "browse_truncated",
    "browse_wait_failed",
    "inquire_count",
    "set_count",
    "expired_count",
    "rolled_back_puts",
    "rolled_back_gets",
    "open_count",
    "close_count",
)


def queue_counters(queue: Queue) -> tuple[int, ...]:
    """All counters of a queue, in the order of QUEUE_COUNTERS."""
    return (
        queue.counts.put_count,
        queue.counts.put_bytes,
        queue.counts.put_persistent,
        queue.counts.put_persistent_bytes,
        queue.counts.put1_count,
        queue.counts.put1_bytes,
        queue.counts.put1_persistent,
        queue.counts.put1_persistent_bytes,
        queue.counts.put_failed,
        queue.counts.put1_failed,
        queue.counts.fast_put_count,
        queue.counts.fast_put_bytes,
        queue.counts.streamed_count,
        queue.counts.get_count,
        queue.counts.get_bytes,
        queue.counts.get_persistent,
        queue.counts.get_persistent_bytes,
        queue.counts.get_missed,
        queue.counts.get_truncated,
        queue.counts.get_failed,
        queue.counts.wait_failed,
        queue.counts.browse_count,
        queue.counts.browse_bytes,
        queue.counts.browse_persistent,
        queue.counts.browse_persistent_bytes,
        queue.counts.browse_missed,
        queue.counts.browse_truncated,
        queue.counts.browse_wait_failed,
        queue.counts.inquire_count,
        queue.counts.set_count,
        queue.counts.expired_count,
        queue.counts.rolled_back_puts,
        queue.counts.rolled_back_gets,
        queue.counts.open_count,
        queue.counts.close_count,
    )


class Totals:
    """What the message manager and the data manager have done, over all queues."""

    puts: int = 0
    put_bytes: int = 0
    persistent_puts: int = 0
    persistent_put_bytes: int = 0
    gets: int = 0
    get_bytes: int = 0
    browses: int = 0

    def add(self, queue: Queue) -> None:
        """Add those of one queue."""
        self.puts += queue.counts.put_count
        self.put_bytes += queue.counts.put_bytes
        self.persistent_puts += queue.counts.put_persistent
        self.persistent_put_bytes += queue.counts.put_persistent_bytes
        self.gets += queue.counts.get_count
        self.get_bytes += queue.counts.get_bytes
        self.browses += queue.counts.browse_count

    def copy(self) -> Totals:
        """Another one with the same numbers."""
        other = Totals()
        other.puts = self.puts
        other.put_bytes = self.put_bytes
        other.persistent_puts = self.persistent_puts
        other.persistent_put_bytes = self.persistent_put_bytes
        other.gets = self.gets
        other.get_bytes = self.get_bytes
        other.browses = self.browses
        return other


def totals(qm: QueueManager) -> Totals:
    """Of all queues that there are or were."""
    total = qm.deleted_queues.copy()
    for queue in qm.queues_by_id.values():
        total.add(queue)
    return total


def begin_interval(queue: Queue) -> None:
    """A statistics interval begins: the marks start from what is now. RESET QSTATS does not forget the old ones."""
    if queue.marks.high_depth > queue.marks.reset_high_depth:
        queue.marks.reset_high_depth = queue.marks.high_depth
    queue.marks.high_depth = queue.marks.low_depth = queue.depth
    queue.marks.high_input = queue.marks.low_input = queue.opens.input_handles
    queue.marks.high_output = queue.marks.low_output = queue.opens.output_handles
    queue.marks.shortest, queue.marks.longest = NO_LENGTH, -1


def age_of_oldest(queue: Queue, now_ms: int) -> int:
    """Seconds since the oldest message in memory was put; the head of a queue is always in memory."""
    oldest = 0
    for lane in queue.lanes:
        first = lane.first
        if isinstance(first, Message) and (oldest == 0 or first.put_ms < oldest):
            oldest = first.put_ms
    return max(0, (now_ms - oldest) // 1000) if oldest else 0


def is_collected(qm: QueueManager, queue: Queue, keyword: str) -> bool:
    """Whether STATQ or ACCTQ wants data of `queue`."""
    general = qm.definition().text(keyword)
    own = queue.definition.text(keyword)
    return general != "NONE" and (general if own == "QMGR" else own) == "ON"
