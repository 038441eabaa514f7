"""Group commit: one fdatasync for all callers that wait for the log. Compiled.

A caller that needs the log durable up to a position, while no flush is under way, becomes the leader and flushes by
itself: a lone thread pays one fdatasync and no hand-over. Callers that come during a flush are followers. That flush
may have begun before their records were appended. When it ends, the first follower that it did not cover becomes the
next leader, and its flush covers everything appended until then.

    committers   1          flush
                 2, 3, 4    appended while 1 flushes: one of them flushes for all three
    commits per fdatasync grows with the committers, without a delay and without a thread of its own

`covered` or `lead` of a follower is called exactly once. A thread leads by itself; a task of an event loop, which must
not block, has a worker thread lead. After an I/O error the log refuses everything until it is opened again, so all
followers are told to lead, and each meets the error.
"""

from __future__ import annotations

import threading
from typing import Protocol

from flintmq.qmgr.calls import LogPort


class Follower(Protocol):
    """A waiter for a log position."""

    position: int

    def covered(self) -> None:
        """Continue: the log is durable up to `position`. Called in the leader's thread."""

    def lead(self) -> None:
        """Flush, by GroupCommit.lead(). Called in the last leader's thread; must not block."""


class ThreadFollower:
    """A thread that waits for a log position."""

    __slots__ = ("_gate", "leads", "position")

    def __init__(self, position: int) -> None:
        self.position: int = position
        self.leads = False
        self._gate = threading.Lock()
        self._gate.acquire()

    def covered(self) -> None:
        self._gate.release()

    def lead(self) -> None:
        self.leads = True
        self._gate.release()

    def wait(self) -> bool:
        """Wait for the end of a flush. Return True if this thread has to lead the next one."""
        self._gate.acquire()
        return self.leads


class GroupCommit:
    """The committers of one log."""

    def __init__(self, log: LogPort) -> None:
        self._log = log
        self._mutex = threading.Lock()
        self._flushing = False
        self._followers: list[Follower] = []
        #: How often a wait was covered by the flush of another caller; for tests.
        self.rides: int = 0

    def wait(self, position: int) -> None:
        """Return when the log is durable up to `position`. For threads."""
        log = self._log
        if log.durable >= position:
            return
        follower: ThreadFollower | None = None
        self._mutex.acquire()
        if not self._flushing:
            self._flushing = True
        else:
            follower = ThreadFollower(position)
            self._followers.append(follower)
        self._mutex.release()
        if follower is None or follower.wait():
            self.lead()

    def join(self, follower: Follower) -> bool:
        """Return True if `follower` has to lead now; else queue it for `covered` or `lead`.

        For callers that must not block.
        """
        with self._mutex:
            if not self._flushing:
                self._flushing = True
                return True
            self._followers.append(follower)
            return False

    def lead(self) -> None:
        """Flush for all followers, then hand over to the next leader. Called by the leader only."""
        try:
            durable = self._log.flush()
        except BaseException:
            with self._mutex:
                waiting, self._followers = self._followers, []
                self._flushing = bool(waiting)
            for follower in waiting:
                follower.lead()
            raise
        covered: list[Follower] = []
        leader: Follower | None = None
        self._mutex.acquire()
        if self._followers:
            left: list[Follower] = []
            for follower in self._followers:
                (covered if follower.position <= durable else left).append(follower)
            if left:
                leader = left.pop(0)
            self._followers = left
        if leader is None:
            self._flushing = False
        self._mutex.release()
        self.rides += len(covered)
        if leader is not None:
            leader.lead()
        for follower in covered:
            follower.covered()
