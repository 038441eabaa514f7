"""Counters and marks of one queue: what DISPLAY, RESET QSTATS, statistics records and metrics read (statistics.py).

QueueCounts    since the queue manager started; they only grow. Counts of puts include MQPUT1, and the puts of the
               queue manager itself
QueueMarks     highest and lowest values since the statistics interval began
"""

from __future__ import annotations

from typing import Final

#: Longer than any message: none was put yet.
NO_LENGTH: Final = 1 << 40


class QueueCounts:
    """Calls, messages and bytes of one queue since the queue manager started."""

    put_count: int = 0
    put_bytes: int = 0
    last_put_ms: int = 0
    put_persistent: int = 0
    put_persistent_bytes: int = 0
    put1_count: int = 0
    put1_bytes: int = 0
    put1_persistent: int = 0
    put1_persistent_bytes: int = 0
    put_failed: int = 0
    put1_failed: int = 0
    #: Messages that went straight to a waiting getter.
    fast_put_count: int = 0
    fast_put_bytes: int = 0
    streamed_count: int = 0
    get_count: int = 0
    get_bytes: int = 0
    last_get_ms: int = 0
    get_persistent: int = 0
    get_persistent_bytes: int = 0
    get_missed: int = 0
    get_truncated: int = 0
    get_failed: int = 0
    wait_failed: int = 0
    browse_count: int = 0
    browse_bytes: int = 0
    browse_persistent: int = 0
    browse_persistent_bytes: int = 0
    browse_missed: int = 0
    browse_truncated: int = 0
    browse_wait_failed: int = 0
    inquire_count: int = 0
    set_count: int = 0
    expired_count: int = 0
    purged_count: int = 0
    rolled_back_puts: int = 0
    rolled_back_gets: int = 0
    open_count: int = 0
    close_count: int = 0

    def __init__(self) -> None:
        # In one order for all queues: plain Python finds an attribute in an object where it was in the last one.
        self.put_count = self.put_bytes = self.last_put_ms = self.put_persistent = 0
        self.get_count = self.get_bytes = self.last_get_ms = 0


class QueueMarks:
    """Marks of one queue since the statistics interval began."""

    high_depth: int = 0
    low_depth: int = 0
    shortest: int = NO_LENGTH
    longest: int = -1
    high_input: int = 0
    low_input: int = 0
    high_output: int = 0
    low_output: int = 0
    #: The highest depth of earlier intervals since the last RESET QSTATS, and the counts of puts and gets then.
    reset_high_depth: int = 0
    reset_put: int = 0
    reset_get: int = 0
    reset_ms: int = 0

    def __init__(self) -> None:
        self.high_depth = self.low_depth = 0
        self.shortest, self.longest = NO_LENGTH, -1
