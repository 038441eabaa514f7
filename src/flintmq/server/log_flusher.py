"""Make the log durable for clients that wait: in the event loop while the disk is fast, by a thread while it is slow.

A thread costs two switches, and the interpreter lock changes hands at every callback: more CPU than the write itself on
a disk that syncs in a fraction of a millisecond. A flush in the loop costs neither, but nobody is served meanwhile. So:

    where     when                                                        a flush covers
    loop      syncs were short lately, and little is to be written        everything of this iteration of the loop
    thread    otherwise                                                   everything that was appended until it began

`Place` decides, with hysteresis: a mean of LONG_S or one sync of STALL_S moves flushes to the thread, a mean of SHORT_S
over enough syncs moves them back. Enough is twice as many each time, so that a disk which stalls now and then stalls
the loop ever more seldom.

State of a LogFlusher; `flush` does nothing unless it is idle:

    idle -> (loop) due, when the loop has served all ready clients -> flushes -> idle
    idle -> (thread) flushes -> idle
    idle or due -> follows, if another thread just flushes (group_commit.py) -> idle, or flushes
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from flintmq.log.errors import LogError

if TYPE_CHECKING:
    from flintmq.host.host import Host

SHORT_S = 0.001
LONG_S = 0.002
STALL_S = 0.020
#: More than this is written by the thread, however fast the disk is: a write takes time as well.
IN_LOOP_BYTES_MAX = 256 * 1024
#: Syncs by the thread before the loop flushes again: at first, and at most.
ENOUGH_MIN = 16
ENOUGH_MAX = 4096
#: After this number of flushes in the loop without a long one, earlier long ones are forgotten.
FORGIVEN_AFTER = 20_000
_WEIGHT = 1 / 8


class Place:
    """The place of flushes, loop (`in_loop`) or thread, by the duration of syncs."""

    def __init__(self) -> None:
        self.in_loop = False
        #: Decaying mean of the duration of a sync, in seconds.
        self.mean_s = 0.0
        #: How often flushes have moved from the loop to the thread.
        self.moves_to_thread = 0
        self._seen = 0
        self._enough = ENOUGH_MIN

    def observe(self, seconds: float) -> None:
        """Count the duration of a sync."""
        self.mean_s = seconds if not self._seen else self.mean_s + (seconds - self.mean_s) * _WEIGHT
        self._seen += 1
        if not self.in_loop:
            if self._seen >= self._enough and self.mean_s <= SHORT_S:
                self.in_loop, self._seen = True, 0
        elif seconds >= STALL_S or self.mean_s >= LONG_S:
            self.in_loop, self._seen = False, 0
            self.moves_to_thread += 1
            self._enough = min(2 * self._enough, ENOUGH_MAX)
        elif self._seen >= FORGIVEN_AFTER:
            self._enough = ENOUGH_MIN


class LogFlusher:
    """Flushes the log of a queue manager process. `done` is called in the loop after each flush, or `failed`."""

    def __init__(
        self, host: Host, loop: asyncio.AbstractEventLoop, done: Callable[[], None], failed: Callable[[], None]
    ) -> None:
        self._host = host
        self._log = host.log
        self._commits = host.commits
        self._loop = loop
        self._done = done
        self._failed = failed
        self._thread = ThreadPoolExecutor(1, "flintmq log")
        self._under_way = False
        self.place = Place()
        #: Flushes so far, by where they were made.
        self.in_loop = 0
        self.in_thread = 0
        #: For GroupCommit: the position that this follower waits for.
        self.position = 0

    def flush(self) -> None:
        """Have everything that was appended so far made durable. In the loop only; returns at once."""
        if self._under_way:
            return
        self._under_way = True
        if self.place.in_loop:
            self._loop.call_soon(self._begin)
        else:
            self._begin()

    def close(self) -> None:
        """Wait for a flush that is under way."""
        self._thread.shutdown(wait=True)

    def _begin(self) -> None:
        log = self._log
        self.position = log.end
        self._host.waits_for_disk += 1
        if not self._commits.join(self):
            return
        if self.place.in_loop and log.end - log.durable <= IN_LOOP_BYTES_MAX:
            self.in_loop += 1
            self._ended(*self._flushed())
        else:
            self.lead()

    def _flushed(self) -> tuple[bool, float]:
        """Flush as the leader of the group commit. Return whether that succeeded, and its duration."""
        began = time.monotonic()
        try:
            self._commits.lead()
        except LogError as error:
            if self._log.durable < self.position:
                try:
                    self._host.fail(error)
                except Exception:
                    return False, 0.0
        return True, time.monotonic() - began

    def _ended(self, well: bool, seconds: float) -> None:
        self._under_way = False
        if not well:
            self._failed()
            return
        if seconds:
            self.place.observe(seconds)
        self._done()

    # -- a follower of the group commit: called by any thread ---------------------------------------------------------

    def covered(self) -> None:
        """Return whether another thread's flush has covered `position`."""
        self._loop.call_soon_threadsafe(self._ended, True, 0.0)

    def lead(self) -> None:
        """Flush by the thread: its own turn has come, or another leader has handed over."""
        self.in_thread += 1
        self._thread.submit(self._in_thread)

    def _in_thread(self) -> None:
        well, seconds = self._flushed()
        self._loop.call_soon_threadsafe(self._ended, well, seconds)
