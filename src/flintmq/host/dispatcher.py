"""Runs the callbacks of a connection's asynchronous consumers, one at a time, outside the engine's lock.

The engine says which callback is due (qmgr/consume.py); `Host.wake` hands it to the dispatcher of the connection. It is
run by a thread of the connection, or by the caller of MQCTL with MQOP_START_WAIT:

    D1  There is a runner exactly while consumers are started or a callback is due. It ends with the stop, with the
        connection and with the queue manager; so a connection that is stopped has no thread.
    D2  While a callback runs, only its thread may use the connection; calls of other threads get 2500.
    D3  A callback gets a message when the log is durable up to the commit of that message, as every other get (H3).
    D4  A callback that was due when the consumers were stopped is run before the stop is complete: a message that has
        left the queue is always handed over, or is in a unit of work.

If a callback raises, the error log gets an entry, its unit of work is backed out, its consumer is suspended until MQCB
with MQOP_RESUME, and the event handler gets 2487. With MQOP_START_WAIT the consumers are stopped too, and the exception
is raised in the caller.
"""

from __future__ import annotations

import threading
import time
import traceback
import weakref
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Protocol

from flintmq.host.host_core import OPEN
from flintmq.mqi.call_errors import MQError, NotConnected
from flintmq.mqi.constants import MQCS_SUSPENDED_TEMPORARY, MQOP_STOP
from flintmq.mqi.ctlo import MQCTLO
from flintmq.mqi.reason import MQRC_HCONN_ASYNC_ACTIVE
from flintmq.qmgr.connection import Waiter

if TYPE_CHECKING:
    from flintmq.host.host import Host
    from flintmq.qmgr.connection import Connection as EngineConnection


class CurrentConnection(Protocol):
    """The connection that the API uses for calls of a thread: a `threading.local`."""

    connection: Any


class CallbackOwner(Protocol):
    """A connection of the API that has consumers."""

    @property
    def _host(self) -> Host:
        """Return the host of the connection's queue manager."""

    @property
    def _thread_connection(self) -> Callable[[], CurrentConnection | None] | None:
        """Return a weak reference to the thread's current connection, None if calls do not look for one."""


#: How long a close waits for a callback that is under way.
CLOSE_WAIT_SECONDS = 10.0
_LOOK_SECONDS = 0.05
_SUSPENDED_LOOK_MS = 500


class Dispatcher:
    """Runs the callbacks of one connection. Made with the first MQCB."""

    def __init__(
        self, connection: CallbackOwner, engine_connection: EngineConnection, make_mqi: Callable[[Any], object]
    ) -> None:
        self._connection = weakref.ref(connection)
        self._engine_connection = engine_connection
        #: Makes the MQI of a connection: the first argument of its callbacks.
        self._make_mqi = make_mqi
        self._host = connection._host
        #: Callbacks that are due, each with the log position to wait for; None: check for the end.
        self._due: SimpleQueue[tuple[Waiter, int] | None] = SimpleQueue()
        #: Set while there is no runner. Changed under the lock only.
        self._ended = threading.Event()
        self._ended.set()
        #: The thread that runs a callback now, 0 if none does.
        self._in_callback = 0
        #: The exception for the caller of MQOP_START_WAIT.
        self._error: BaseException | None = None
        self._caller_waits = False
        self._host.dispatchers[self._engine_connection.connection_id] = self

    # -- called under the engine's lock -----------------------------------------------------------------------------

    def due(self, waiter: Waiter) -> None:
        """Queue a callback that is due. Its get was made under this hold of the lock."""
        message = waiter.answer.message
        force = self._engine_connection.force
        if message is not None and message.log_end > force:
            force = message.log_end
        self._due.put((waiter, force))
        self.ensure_runner()

    def ensure_runner(self) -> None:
        """Start a thread to run callbacks, unless a thread or a waiting caller does so already (D1)."""
        connection = self._connection()
        if self._ended.is_set() and connection is not None and not self._caller_waits:
            self._ended.clear()
            name = f"flintmq consumer {self._engine_connection.connection_id.hex()[-8:]}"
            threading.Thread(target=self._run_in_thread, args=(connection,), name=name, daemon=True).start()

    def look_again(self) -> None:
        """Make the runner check whether to end."""
        self._due.put(None)

    # -- called by the application ----------------------------------------------------------------------------------

    def check_thread(self) -> None:
        """Raise MQError (2500) if another thread runs a callback of this connection (D2)."""
        if self._in_callback and self._in_callback != threading.get_ident():
            raise MQError("a callback of this connection is running; only it may make calls", MQRC_HCONN_ASYNC_ACTIVE)

    def prepare_to_run_here(self) -> None:
        """Reserve the callbacks for the caller of MQOP_START_WAIT, before the start. Raise 2500 inside a callback."""
        if self._in_callback == threading.get_ident():
            raise MQError("consumers are not started and waited for inside a callback", MQRC_HCONN_ASYNC_ACTIVE)
        if not self._engine_connection.consumers_started:
            self.wait_for_end()
            self._caller_waits = True

    def not_started(self) -> None:
        """Undo `prepare_to_run_here`: MQOP_START_WAIT was refused."""
        self._caller_waits = False

    def run_until_stopped(self, connection: CallbackOwner) -> None:
        """Run callbacks in the caller of MQOP_START_WAIT until they are stopped. Raise the exception of a callback."""
        self._error = None
        self._ended.clear()
        try:
            self._run(connection)
        except BaseException:
            # An interrupt, between two callbacks: those that are due come before the end (D4).
            self._stop()
            self._run_in_thread(connection)
            raise
        self._raise_error()

    def _raise_error(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise error

    def wait_for_end(self) -> None:
        """Wait after a stop until the last callback has returned. Return at once inside a callback."""
        if self._in_callback != threading.get_ident():
            self.look_again()
            self._ended.wait()

    def close(self) -> None:
        """Stop, and wait for a running callback, unless it waits for a message itself or takes too long."""
        self._stop()
        if self._in_callback == threading.get_ident():
            return
        self.look_again()
        end = time.monotonic() + CLOSE_WAIT_SECONDS
        while not self._ended.wait(_LOOK_SECONDS) and time.monotonic() < end:
            if self._engine_connection.waiter is not None:
                return

    def _stop(self) -> None:
        if self._host.state == OPEN:
            with self._host.call:
                if self._engine_connection.consumers_started:
                    self._host.engine.control(self._engine_connection, MQOP_STOP, MQCTLO())
                    self._host.settle(self._engine_connection)

    # -- the runner -------------------------------------------------------------------------------------------------

    def _run_in_thread(self, connection: CallbackOwner) -> None:
        try:
            self._run(connection)
        except BaseException:
            self._set_ended()
            raise

    def _set_ended(self) -> None:
        with self._host.lock:
            self._caller_waits = False
            self._ended.set()

    def _run(self, connection: CallbackOwner) -> None:
        """Run due callbacks until there can be no more (D1). `connection` is kept alive meanwhile."""
        mqi = self._make_mqi(connection)
        try:
            while not self._is_end():
                try:
                    item = self._due.get(timeout=self._seconds_left())
                except Empty:
                    with self._host.call:
                        self._host.engine.expire_waits()
                        self._host.settle(self._engine_connection)
                    continue
                if item is not None:
                    self._call(connection, mqi, *item)
        except NotConnected:
            self._set_ended()

    def _is_end(self) -> bool:
        """Return whether no more callbacks can come. If so, there is no runner from this moment on."""
        engine = self._engine_connection
        with self._host.lock:
            idle = engine.callback is None and not engine.consumers_started and not engine.callbacks_due
            if idle or not engine.connected or self._host.state != OPEN:
                self._set_ended()
                return True
        return False

    def _seconds_left(self) -> float | None:
        """Return the time until the first consumer's wait expires; None if no wait is limited.

        A consumer that is suspended temporarily may begin to wait when an attribute is altered, without a notification.
        """
        ends: list[int] = []
        with self._host.lock:
            now = self._host.engine.clock.now_ms()
            for consumer in self._engine_connection.consumers:
                if consumer.waiting is not None and consumer.waiting.deadline_ms >= 0:
                    ends.append(consumer.waiting.deadline_ms)
                elif consumer.state == MQCS_SUSPENDED_TEMPORARY:
                    ends.append(now + _SUSPENDED_LOOK_MS)
        return max(0, min(ends) - now) / 1000 if ends else None

    def _call(self, connection: CallbackOwner, mqi: object, waiter: Waiter, force: int) -> None:
        """Run one callback, from `begin_callback` to `callback_done`."""
        host, engine = self._host, self._host.engine
        with host.call:
            if self._engine_connection.callback is not waiter:
                return  # The connection has ended.
            engine.begin_callback(waiter)
            cbc = engine.callback_context(waiter)
            data = waiter.answer.data
            self._in_callback = threading.get_ident()
        local = connection._thread_connection() if connection._thread_connection is not None else None
        before = local.connection if local is not None else None
        error: BaseException | None = None
        try:
            host.durable(force)
            if local is not None:
                local.connection = connection
            assert waiter.consumer is not None and callable(waiter.consumer.function)
            waiter.consumer.function(mqi, waiter.md, waiter.gmo, data, cbc)
        except BaseException as raised:
            error = raised
        finally:
            if local is not None:
                local.connection = before
            self._in_callback = 0
        if host.state != OPEN:
            return
        with host.call:
            if error is not None:
                self._report(waiter, error)
                engine.callback_failed(waiter)
            engine.callback_done(waiter)
            host.settle(self._engine_connection)
        if error is not None and self._caller_waits:
            self._error = error
            self._stop()

    def _report(self, waiter: Waiter, error: BaseException) -> None:
        """Write the exception of a callback, and its place, to the error log."""
        frames = traceback.extract_tb(error.__traceback__)
        where = f" ({frames[-1].filename}:{frames[-1].lineno}, {frames[-1].name})" if frames else ""
        what = f"the callback of {waiter.handle.object_name}" if waiter.handle.number else "the event handler"
        self._host.errors.write(
            "AMQ5100E",
            f"In {self._engine_connection.appl_name or 'an application'} {what} raised {type(error).__name__}: "
            f"{error}{where}. Its unit of work was backed out and it is suspended.",
            error,
        )
