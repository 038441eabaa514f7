"""A thread that serves connections between calls.

    a heartbeat          is answered: if conversations may share the socket, the queue manager may ask at any time
    a put without wait   is sent when it has been kept for a moment, and no call has taken it along

It looks at each connection several times in the interval of its heartbeats, and skips one that is in a call. There is
one such thread in a process, while there is a connection that needs it.

    K1  No thread waits for another thread while it has the lock: a connection that is dropped may be removed here in
        any thread, even in a new one before it has begun.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from typing import Final, Protocol

#: A put without wait is kept for about this time at most.
LATE_S: Final = 0.01
_LOOK_MIN_S: Final = 0.2
_LOOK_MAX_S: Final = 60.0


class Kept(Protocol):
    """Interface of a connection that the keeper serves."""

    #: Seconds of silence after which the queue manager asks; 0 if it does not.
    heartbeat_s: int

    def look(self) -> None:
        """Read and answer segments that have come, unless a call is being made or the connection is broken."""

    def flush(self) -> bool:
        """Send calls that were kept. Return False if that is not possible now."""


class Keeper:
    """Serves connections through weak references: it keeps none of them alive."""

    def __init__(self) -> None:
        self._kept: weakref.WeakSet[Kept] = weakref.WeakSet()
        self._late: weakref.WeakSet[Kept] = weakref.WeakSet()
        self._wake = threading.Event()
        self._lock = threading.RLock()  # A connection may become garbage, and so be dropped, anywhere.
        self._thread: threading.Thread | None = None

    def add(self, kept: Kept) -> None:
        """Serve a connection from now on."""
        fresh: threading.Thread | None = None
        with self._lock:
            self._kept.add(kept)
            if self._thread is None:
                fresh = self._thread = threading.Thread(target=self._run, name="flintmq heartbeats", daemon=True)
        if fresh is not None:
            fresh.start()  # K1
        self._wake.set()

    def drop(self, kept: Kept) -> None:
        """Forget a connection that is closed."""
        with self._lock:
            self._kept.discard(kept)
            self._late.discard(kept)
            if not self._kept:
                self._wake.set()

    def late(self, kept: Kept) -> None:
        """Note that a connection keeps calls that should be sent soon."""
        with self._lock:
            self._late.add(kept)
        self._wake.set()

    def _run(self) -> None:
        """Run the thread. If it ends with an internal error, the next connection starts another one."""
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
    """Return the seconds until a connection needs the next look."""
    return min(_LOOK_MAX_S, max(_LOOK_MIN_S, kept.heartbeat_s / 4)) if kept.heartbeat_s else _LOOK_MAX_S


_keeper = Keeper()


def keeper() -> Keeper:
    """Return the keeper of this process."""
    return _keeper


def _after_fork() -> None:
    global _keeper
    _keeper = Keeper()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
