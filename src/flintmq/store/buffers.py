"""Buffer pools: how many 4 KiB buffers the messages in memory take, and when they must go to their page set.

A buffer here is a unit of account. Messages in memory are Python objects; the pool counts them in pages and tells the
engine at three thresholds to act, as the buffer manager of MQ does. All of a message in memory that its page set
does not have yet is *changed*.

    changed buffers       what happens                                              counter
    below 85 %            nothing: messages live and die in memory (B146)
    85 % and more         spill in batches, oldest work first                       deferred_write_reached
    95 % and more         spill before the next put returns                         sync_write_reached
    all, and one wanted   spill at once whatever it costs                           suspend_no_buffers

Counters carry the names of the SMF 115 QPST record, in words. They only grow; telemetry takes differences.

Invariants, checked by check_pool():

    F1  0 <= changed <= used
    F2  lowest_stealable <= buffers - changed, the number stealable now, unless that is negative
    F3  below the threshold no more are changed than the watermark says
"""

from typing import Final

DEFERRED_WRITE_PERCENT: Final = 85
SYNC_WRITE_PERCENT: Final = 95
SPILL_TO_PERCENT: Final = 75
EVICT_TO_PERCENT: Final = 50

CALM: Final = 0
DEFERRED_WRITE: Final = 1
SYNC_WRITE: Final = 2
NO_BUFFERS: Final = 3

NOT_STUCK: Final = 1 << 60


class BufferPool:
    """One buffer pool. `take` and `release` are called for every message that comes into memory and leaves it."""

    def __init__(self, pool: int, buffers: int) -> None:
        self.pool = pool
        self.buffers = buffers
        self.used = 0  # buffers with a message in them
        self.changed = 0  # of these, not in the page set yet
        self.level = CALM
        self.stuck_at = NOT_STUCK  # buffers used when the engine last could not bring them below the threshold
        self.taken = 0  # pages of new messages: QPSTGETN, and QPSTSTW
        self.watermark = 0  # with more changed than this, `changed_more` must hear of it
        self._peak = 0  # the most that were changed since the interval began
        self.getp_old_requests = 0  # QPSTGETP: pages wanted with their content
        self.reads = 0  # QPSTRIO
        self.pages_written = 0  # QPSTTPW
        self.writes = 0  # QPSTWIO
        self.sync_writes = 0  # QPSTIMW
        self.deferred_write_reached = 0  # QPSTDWT
        self.sync_write_reached = 0  # QPSTDMC
        self.steals = 0  # QPSTSTL
        self.suspend_no_buffers = 0  # QPSTSOS
        self._set_thresholds()

    def _set_thresholds(self) -> None:
        #: Buffers from which on the engine spills.
        self.threshold = max(1, self.buffers * DEFERRED_WRITE_PERCENT // 100)
        self._sync_at = max(1, self.buffers * SYNC_WRITE_PERCENT // 100)
        self._spill_to = self.buffers * SPILL_TO_PERCENT // 100
        #: With more buffers than this used, messages are evicted until `target` are.
        self.target = self.buffers * EVICT_TO_PERCENT // 100

    def resize(self, buffers: int) -> None:
        """ALTER BUFFPOOL BUFFERS: takes effect at once; the next take() finds out whether it is over a threshold."""
        self.buffers = buffers
        self._set_thresholds()
        self._set_watermark()
        self._settle()

    def take(self, pages: int) -> int:
        """A new message is in memory.

        Returns the level that is reached: CALM, DEFERRED_WRITE, SYNC_WRITE or NO_BUFFERS.
        """
        self.used += pages
        self.taken += pages
        self.changed += pages
        if self.changed > self.watermark:
            self.changed_more()
        return self.level

    def changed_more(self) -> None:
        """More buffers are changed than before in this interval, or a threshold is passed."""
        if self.changed > self._peak:
            self._peak = self.changed
        if self.changed >= self.threshold:
            self._raise_level()
        self._set_watermark()

    def _set_watermark(self) -> None:
        self.watermark = min(self._peak, self.threshold - 1)

    @property
    def lowest_stealable(self) -> int:
        """QPSTCBSL: the fewest buffers that were stealable since the interval began."""
        return max(0, self.buffers - self._peak)

    @property
    def getp_new_requests(self) -> int:
        """QPSTGETN: empty pages wanted."""
        return self.taken

    @property
    def set_write_pages(self) -> int:
        """QPSTSTW: pages changed."""
        return self.taken

    def _raise_level(self) -> None:
        if self.level < DEFERRED_WRITE:
            self.level = DEFERRED_WRITE
            self.deferred_write_reached += 1
        if self.changed >= self._sync_at and self.level < SYNC_WRITE:
            self.level = SYNC_WRITE
            self.sync_write_reached += 1
        if self.changed > self.buffers and self.level < NO_BUFFERS:
            self.level = NO_BUFFERS
            self.suspend_no_buffers += 1

    def take_read(self, pages: int, reads: int = 1) -> None:
        """A message came back from its page set: its buffers are used but not changed."""
        self.used += pages
        self.getp_old_requests += pages
        self.reads += reads
        self.steals += pages

    def release(self, pages: int, changed: bool = True) -> None:
        """A message left memory for good, or (changed=False) one that its page set has."""
        self.used -= pages
        if changed:
            self.changed -= pages
            if self.level != CALM:
                self._settle()

    def written(self, pages: int, writes: int = 1, sync: bool = False) -> None:
        """Changed pages went to their page set; they stay in memory until release(pages, changed=False)."""
        self.changed -= pages
        self.pages_written += pages
        self.writes += writes
        if sync:
            self.sync_writes += pages
        if self.level != CALM:
            self._settle()

    def not_written(self, pages: int) -> None:
        """Take back `written`: the page set had no room for the pages."""
        self.changed += pages
        self.pages_written -= pages
        self.writes -= 1
        if self.changed > self.watermark:
            self.changed_more()

    def _settle(self) -> None:
        """Lower the level when there is room again. Levels rise in take() only, so that each counts once per rise."""
        if self.changed < self.threshold:
            self.level = CALM
        elif self.changed < self._sync_at:
            self.level = min(self.level, DEFERRED_WRITE)
        elif self.changed <= self.buffers:
            self.level = min(self.level, SYNC_WRITE)

    def stealable(self) -> int:
        """Return QPSTCBS: buffers that are empty or have their content in the page set."""
        return self.buffers - self.changed

    def to_spill(self) -> int:
        """How many changed pages to write now so that the pool is calm for a while; 0 below the thresholds."""
        return self.changed - self._spill_to if self.changed >= self.threshold else 0

    def to_drop(self) -> int:
        """How many unchanged pages to drop from memory so that all that is used fits the pool."""
        return max(0, self.used - self.buffers)

    def restart_interval(self) -> None:
        """A statistics interval ended: the low-water mark starts again from the current value."""
        self._peak = self.changed
        self._set_watermark()


def check_pool(pool: BufferPool) -> None:
    """Raise AssertionError with the number of the first invariant of this file that does not hold."""
    assert 0 <= pool.changed <= pool.used, f"F1: {pool.changed} buffers changed of {pool.used} used"
    assert pool.lowest_stealable <= max(0, pool.stealable()), f"F2: {pool.lowest_stealable} > {pool.stealable()}"
    assert pool.changed <= pool.watermark or pool.changed >= pool.threshold, f"F3: {pool.changed} changed"
