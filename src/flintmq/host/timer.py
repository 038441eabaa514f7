"""What the engine wants to do at a time of its own: scans for expired messages (EXPRYINT, REFRESH QMGR), and the
delivery of delayed messages. In a process with channels the latter is done with what clients wait for (server/hub.py).

A thread that is only there while something is due or under way. It sleeps until the time has come, takes the lock like
any call, lets the engine do a slice, and gives the lock back, so that applications come in between. It keeps nothing
alive: when the queue manager is closed, has failed, or is forgotten by everybody, it ends.
"""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING

from flintmq.mqi.call_errors import MQError
from flintmq.qmgr import delay, expiry

if TYPE_CHECKING:
    from flintmq.host.host import Host

#: Between two slices, for those who wait for the lock.
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
        """Under the lock: something may have changed that says when anything is due."""
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
        """The queue manager ends; the thread will find out."""
        self._changed.set()

    def _run(self) -> None:
        wait_s = 0.0
        while wait_s >= 0:
            self._changed.wait(wait_s)
            self._changed.clear()
            wait_s = self._turn()

    def _turn(self) -> float:
        """A slice, if one is due; how long to wait for the next, -1 to end."""
        host = self._host()
        if host is None or host.state:
            return -1
        try:
            with host.call:
                return self._slice(host)
        except (MQError, OSError):
            return -1  # Stopped by somebody else, or by this very call: host.fail has told why.

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
            more = expiry.scan(engine, now)
        if not host.serves_channels and 0 < engine.delays.due_ms() <= now:
            more = delay.run(engine, now) or more
        if engine.expiry.log_full or engine.delays.log_full:
            host.make_room()
        host.after_scan()
        return _PAUSE_S if more else 0


def _due_ms(host: Host) -> int:
    """When the first of it is due, 0 never."""
    scan = host.engine.expiry.due_ms()
    delivery = 0 if host.serves_channels else host.engine.delays.due_ms()
    return min(scan, delivery) if scan and delivery else scan or delivery
