"""Timed work of the engine: scans for expired messages (EXPRYINT, REFRESH QMGR) and delivery of delayed messages.

In a process with channels, server/hub.py delivers delayed messages together with the waits of clients.

The thread exists only while something is due or under way. It sleeps until the time has come, takes the lock like any
call, lets the engine do a slice, and releases the lock, so that applications can run in between. It keeps nothing
alive: it ends when the queue manager is closed, has failed, or is garbage.
"""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING

from flintmq.mqi.call_errors import MQError

if TYPE_CHECKING:
    from flintmq.host.host import Host

#: Pause between two slices, for callers that wait for the lock.
_PAUSE_S = 0.001


class Timer:
    """The timer of one host."""

    def __init__(self, host: Host) -> None:
        self._changed = threading.Event()
        self._host = weakref.ref(host, self._forgotten)
        self._thread: threading.Thread | None = None

    def _forgotten(self, _: object) -> None:
        self._changed.set()

    def look(self) -> None:
        """Check, under the lock, whether the next due time has changed."""
        host = self._host()
        if host is None:
            return
        if self._thread is not None:
            self._changed.set()
        elif _due_ms(host):
            name = f"flintmq expiry {host.engine.name}"
            self._thread = threading.Thread(target=self._run, name=name, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Wake the thread, which then finds that the queue manager has ended."""
        self._changed.set()

    def _run(self) -> None:
        wait_s = 0.0
        while wait_s >= 0:
            self._changed.wait(wait_s)
            self._changed.clear()
            wait_s = self._turn()

    def _turn(self) -> float:
        """Run a slice if one is due. Return the seconds until the next, -1 to end."""
        host = self._host()
        if host is None or host.state:
            return -1
        try:
            with host.call:
                return self._slice(host)
        except (MQError, OSError):
            return -1  # Stopped by another call, or by this one: host.fail has written why.

    def _slice(self, host: Host) -> float:
        engine = host.engine
        now = engine.clock.now_ms()
        due = _due_ms(host)
        if not due:
            self._thread = None
            return -1
        if due > now:
            return min((due - now) / 1000, threading.TIMEOUT_MAX)
        more = False
        if 0 < engine.expiry.due_ms() <= now:
            more = engine.scan_expired(now)
        if not host.serves_channels and 0 < engine.delays.due_ms() <= now:
            more = engine.run_delays(now) or more
        if engine.expiry.log_full or engine.delays.log_full:
            host.make_room()
        host.after_scan()
        return _PAUSE_S if more else 0


def _due_ms(host: Host) -> int:
    """Return when the first scan or delivery is due, 0 for never."""
    scan = host.engine.expiry.due_ms()
    delivery = 0 if host.serves_channels else host.engine.delays.due_ms()
    return min(scan, delivery) if scan and delivery else scan or delivery
