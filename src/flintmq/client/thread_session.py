"""A connection of a thread: calls that wait for a message, or for the disk, in the calling thread. Compiled.

A put or get of an application is one call here: the engine (engine_session.py), then the wait for the log. A get that
finds no message waits on a lock of its own, the gate, which the call that completes the wait releases once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from flintmq.client.engine_session import EngineSession
from flintmq.client.message import Message, carried
from flintmq.host.clock import run_signal_handlers
from flintmq.host.host_core import HostCore, durable, wake_noted
from flintmq.mqi.constants import (
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQPMO_ASYNC_RESPONSE,
    MQPMO_FAIL_IF_QUIESCING,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.properties import MessageProperties
from flintmq.qmgr.connection import Handle

if TYPE_CHECKING:
    from flintmq.host.dispatcher import Dispatcher

_IN: Final = MQPMO_SYNCPOINT | MQPMO_FAIL_IF_QUIESCING
_OUT: Final = MQPMO_NO_SYNCPOINT | MQPMO_FAIL_IF_QUIESCING
_TIMEOUT_MAX: Final[float] = threading.TIMEOUT_MAX


class ThreadSession(EngineSession):
    """One engine connection, for one thread at a time."""

    def __init__(self, host: HostCore, application: str, user: str) -> None:
        super().__init__(host, application, user)
        #: The calls of the thread belong to a transaction.
        self.in_transaction = False
        #: The dispatcher of callbacks, None before the first MQCB.
        self.dispatcher: Dispatcher | None = None
        #: Puts with `wait=False`, for MQSTAT.
        self.not_waited_for: int = 0
        self._make_gate()

    def _make_gate(self) -> None:
        """Make the lock to wait on. The call that completes a wait releases it, once, without holding the host's."""
        self._gate = threading.Lock()
        self._gate.acquire()
        self._open_gate: Callable[[], None] = self._gate.release

    def put_message(
        self,
        name: str,
        md: MQMD,
        data: bytes,
        syncpoint: object,
        properties: MessageProperties | None = None,
        extra_options: int = 0,
        delay_ms: int = 0,
    ) -> None:
        """Put, and wait until the log has the message if it must. `Connection._put` is this."""
        if self.dispatcher is not None:
            self.dispatcher.check_thread()
        if extra_options & MQPMO_ASYNC_RESPONSE:  # Nothing to wait for here: an error is raised by this put.
            extra_options &= ~MQPMO_ASYNC_RESPONSE
            self.not_waited_for += 1
        in_unit = self.in_transaction if syncpoint is None else bool(syncpoint)
        force = self.put(name, md, (_IN if in_unit else _OUT) | extra_options, data, properties, delay_ms)
        if self.connection.delay_ms:
            self._slow_down()
        if force:
            durable(self.host, force)

    def _slow_down(self) -> None:
        """Delay a put, because the page set that this thread fills is nearly full (B140)."""
        delay_ms = self.connection.delay_ms
        self.connection.delay_ms = 0
        time.sleep(delay_ms / 1000)

    def get_message(
        self,
        name: str,
        md: MQMD,
        gmo: MQGMO,
        max_length: int,
        requeue: object,
        syncpoint: object,
        selector: str = "",
        open_options: int = 0,
    ) -> Message:
        """Get from the queue `name`, wait if `gmo` says so, and return the message. `Connection._get` is this."""
        if self.dispatcher is not None:
            self.dispatcher.check_thread()
        in_unit = self.in_transaction if syncpoint is None else bool(syncpoint)
        gmo.options |= MQGMO_SYNCPOINT if in_unit else MQGMO_NO_SYNCPOINT
        handle = self.selecting(name, selector) if selector else None
        return self.get_through(name, md, gmo, max_length, bool(requeue), handle)

    def get_through(
        self, name: str, md: MQMD, gmo: MQGMO, max_length: int, requeue: bool, handle: Handle | None
    ) -> Message:
        """Get or browse through `handle`, or through a cached handle of the queue `name`."""
        self.get_answer(name, md, gmo, max_length, requeue, handle)
        connection = self.connection
        data = connection.data
        properties = carried(connection) if connection.carrier is not None else None
        if self.force:
            try:
                durable(self.host, self.force)
            except BaseException:
                self.undo_get()
                raise
        if connection.completion:
            warning = self.warning(name)
            if warning is not None:
                raise warning
        return Message(data, md, name, properties)

    def get_answer(
        self, name: str, md: MQMD, gmo: MQGMO, max_length: int, requeue: bool, handle: Handle | None
    ) -> None:
        """Get, and leave the answer in the connection. It may be shown when the log is durable up to `force`."""
        if not self.get(name, md, gmo, max_length, requeue, self._open_gate, handle):
            self._wait(name, md, gmo, max_length, requeue, handle)

    def _wait(self, name: str, md: MQMD, gmo: MQGMO, max_length: int, requeue: bool, handle: Handle | None) -> None:
        """Wait for the answer of a parked get. Raise NoMessageAvailable after a timeout."""
        interval = gmo.wait_interval
        end: float = time.monotonic() + interval / 1000 if interval >= 0 else -1.0
        options = gmo.options
        while True:
            try:
                self._await_gate(name, end)
                if self.finish_get(md):
                    return
            except BaseException:
                self._make_gate()  # Another thread may be about to release the old one.
                self.cancel_get()
                raise
            # It was a poison message, and is somewhere else now: begin anew.
            if end >= 0:
                gmo.wait_interval = max(0, round((end - time.monotonic()) * 1000))
                if not gmo.wait_interval:
                    options &= ~MQGMO_WAIT
            gmo.options = options
            if self.get(name, md, gmo, max_length, requeue, self._open_gate, handle):
                return

    def _await_gate(self, name: str, end: float) -> None:
        """Wait to be woken, or raise NoMessageAvailable at the monotonic time `end`."""
        gate = self._gate
        while True:
            if end < 0:
                gate.acquire()
                run_signal_handlers()
                return
            left: float = end - time.monotonic()
            if gate.acquire(True, min(max(0.0, left), _TIMEOUT_MAX)):
                run_signal_handlers()  # Here an interrupt puts the message back; in a flush it would stop the host.
                return
            if left <= 0:
                if self.give_up():
                    raise self.nothing(name)
                wake_noted(self.host)  # The call that completed the wait may have been interrupted before it did.
                gate.acquire()
                return


class ConnectionOfThread:
    """The connection that a queue manager uses for calls of the current thread; made by the first call."""

    def __init__(self, local: Any, make: Callable[[], object]) -> None:
        self._local = local
        self._make = make

    def current(self) -> object:
        """Return the connection of the current thread."""
        connection: object = self._local.connection
        if connection is None:
            connection = self._local.connection = self._make()
        return connection
