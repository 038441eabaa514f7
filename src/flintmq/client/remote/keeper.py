"""A thread that does for connections which nobody uses just now what cannot wait for their next call.

    a heartbeat          is answered: if conversations may share the socket, the queue manager asks whenever it likes
    a put without wait   is sent when it has been kept for a moment, and no call has taken it along

It looks at each connection several times in the interval of its heartbeats, and leaves one alone that is in a call.
There is one such thread in a process, while there is a connection that needs it.

    K1  Nobody waits for another thread while he has the lock: a connection that is thrown away is dropped in whatever
        thread finds that out, a new one before it has begun among them.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from typing import Final, Protocol

#: A put without wait is kept at most about so long.
LATE_S: Final = 0.01
_LOOK_MIN_S: Final = 0.2
_LOOK_MAX_S: Final = 60.0


class Kept(Protocol):
    """A connection, as far as it is looked after."""

    #: Seconds of silence after which the queue manager asks; 0 if it does not.
    heartbeat_s: int

    def look(self) -> None:
        """Read what has come, and answer it; nothing if a call is being made, or the connection is broken."""

    def flush(self) -> bool:
        """Send what is kept. False if that could not be done now."""


class Keeper:
    """Looks after connections, by their numbers: it keeps none of them alive."""

    def __init__(self) -> None:
        self._kept: weakref.WeakSet[Kept] = weakref.WeakSet()
        self._late: weakref.WeakSet[Kept] = weakref.WeakSet()
        self._wake = threading.Event()
        self._lock = threading.RLock()  # A connection may be thrown away, and so dropped, anywhere.
        self._thread: threading.Thread | None = None

    def add(self, kept: Kept) -> None:
        """Look after this one from now on."""
        fresh: threading.Thread | None = None
        with self._lock:
            self._kept.add(kept)
            if self._thread is None:
                fresh = self._thread = threading.Thread(target=self._run, name="flintmq heartbeats", daemon=True)
        if fresh is not None:
            fresh.start()  # K1
        self._wake.set()

    def drop(self, kept: Kept) -> None:
        """It is closed."""
        with self._lock:
            self._kept.discard(kept)
            self._late.discard(kept)
            if not self._kept:
                self._wake.set()

    def late(self, kept: Kept) -> None:
        """It keeps something that should be sent soon."""
        with self._lock:
            self._late.add(kept)
        self._wake.set()

    def _run(self) -> None:
        """The thread. If it ends with an error (ours), the next connection has another one."""
        try:
            self._keep()
        finally:
            with self._lock:
                if self._thread is threading.current_thread():
                    self._thread = None

    def _keep(self) -> None:
        due = time.monotonic()
        while True:
            with self._lock:
                if not self._kept:
                    self._thread = None
                    return
                late = bool(self._late)
            if late:
                time.sleep(LATE_S)
                self._flush()
            pause = self._shortest_pause()
            if time.monotonic() >= due:
                self._look()
                due = time.monotonic() + pause
            due = min(due, time.monotonic() + pause)
            if self._wake.wait(max(0.0, due - time.monotonic())):
                self._wake.clear()

    def _shortest_pause(self) -> float:
        return min((_pause(each) for each in self._all()), default=_LOOK_MAX_S)

    def _look(self) -> None:
        for each in self._all():
            each.look()

    def _all(self) -> list[Kept]:
        with self._lock:
            return list(self._kept)

    def _flush(self) -> None:
        with self._lock:
            late = list(self._late)
            self._late.clear()
        for each in late:
            if not each.flush():
                self.late(each)


def _pause(kept: Kept) -> float:
    """How long a connection may be left alone."""
    return min(_LOOK_MAX_S, max(_LOOK_MIN_S, kept.heartbeat_s / 4)) if kept.heartbeat_s else _LOOK_MAX_S


_keeper = Keeper()


def keeper() -> Keeper:
    """That of this process."""
    return _keeper


def _after_fork() -> None:
    global _keeper
    _keeper = Keeper()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
