"""Group commit: many wait for the disk, one goes. Compiled.

Whoever needs the log durable up to a position and finds nobody flushing becomes the leader and flushes by itself: a
lone thread pays one fdatasync and no hand-over. Those who come while a flush is under way are followers. The flush
that they found may have begun before their record was appended, so when it ends, the followers that it did not cover
elect the first of them, whose flush covers everything that was appended until then.

    committers   1          flush
                 2, 3, 4    appended while 1 flushes: one of them flushes for all three
    commits per fdatasync grows with the committers, without a delay and without a thread of its own

A follower is told `covered` or `lead` exactly once. A thread leads by itself; a task of an event loop, which must not
block, has a worker thread lead. After an I/O error the log refuses everything until it is opened again, so all
followers are told to lead, and each meets the error.
"""

from __future__ import annotations

import threading
from typing import Protocol

from flintmq.qmgr.log_port import LogPort


class Follower(Protocol):
    """Somebody who waits for a position."""

    position: int

    def covered(self) -> None:
        """The log is durable up to `position`. Called in the leader's thread."""

    def lead(self) -> None:
        """Flush, by GroupCommit.lead(). Called in the last leader's thread; must not block."""


class ThreadFollower:
    """A thread that waits."""

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
        """Wait to be told. True: lead."""
        self._gate.acquire()
        return self.leads


class GroupCommit:
    """The committers of one log."""

    def __init__(self, log: LogPort) -> None:
        self._log = log
        self._mutex = threading.Lock()
        self._flushing = False
        self._followers: list[Follower] = []
        #: How often a wait was covered by somebody else's flush; for the curious.
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
        """For those who must not block: True if `follower` has to lead now, else it will be told."""
        with self._mutex:
            if not self._flushing:
                self._flushing = True
                return True
            self._followers.append(follower)
            return False

    def lead(self) -> None:
        """Flush for everybody, then hand over. Only for the one who became the leader."""
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
