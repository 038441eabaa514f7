"""A connection: one unit of work at a time, and calls that wait in the calling thread.

Most programs never make one: a queue manager gives each thread its own (`queue_manager.py`). `qm.connect()` makes one
more, for a thread that needs two independent units of work, or for an application name of its own.
"""

from __future__ import annotations

import threading
import time
import weakref
from typing import TYPE_CHECKING

from flintmq.client import commands
from flintmq.client.base_connection import BaseConnection
from flintmq.client.calls import Calls
from flintmq.client.commands import CommandReply
from flintmq.client.embedded import Host
from flintmq.client.errors import TransactionError
from flintmq.client.link import Link
from flintmq.client.message import Message, carried
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
from flintmq.mqi.sd import MQSD
from flintmq.mqi.sts import MQSTS
from flintmq.qmgr.connection import Handle

if TYPE_CHECKING:
    from flintmq.client.consumer import Consumer, Handler
    from flintmq.client.dispatcher import Dispatcher
    from flintmq.client.mqi import MQI
    from flintmq.client.subscribed import Subscribed

_IN = MQPMO_SYNCPOINT | MQPMO_FAIL_IF_QUIESCING
_OUT = MQPMO_NO_SYNCPOINT | MQPMO_FAIL_IF_QUIESCING


class EmbeddedCalls(Calls):
    """The calls that are commands, on a queue manager in this process."""

    _host: Host

    def _current(self) -> Connection:
        raise NotImplementedError

    @property
    def mqi(self) -> MQI:
        """The MQI itself, with MQ's own structures, on this thread's connection."""
        from flintmq.client.mqi import MQI

        return MQI(self._current())

    def _create_queue(self, name: str, attributes: dict[str, object]) -> None:
        commands.create_queue(self._host, name, attributes)

    def _check_queue(self, name: str) -> None:
        commands.check_queue(self._host, name)

    def _depth(self, name: str) -> int:
        return commands.depth(self._host, name)

    def _clear(self, name: str) -> None:
        commands.clear_queue(self._host, name)

    def _run_mqsc(self, text: str, check: bool) -> CommandReply:
        return commands.run(self._host, text, check)


class ThreadConnection(threading.local):
    """The connection that a queue manager uses for the calls of a thread."""

    connection: Connection | None = None


class Connection(EmbeddedCalls, BaseConnection[Handle]):
    """One connection. Used by one thread at a time; while asynchronous consumers run, by their callbacks."""

    #: What runs callbacks, once there are any.
    _dispatcher: Dispatcher | None = None

    def __init__(
        self, host: Host, application: str, user: str, thread_connection: ThreadConnection | None = None
    ) -> None:
        self._host = host
        #: Where the queue manager finds the connection of a thread: in a callback that is this one. Weak, because it
        #: holds this connection, and a queue manager that was dropped must go.
        self._thread_connection = weakref.ref(thread_connection) if thread_connection is not None else None
        self._link = Link(host, application, user)
        #: Released, once, by the call that completes our wait.
        self._gate = threading.Lock()
        self._gate.acquire()

    def _current(self) -> Connection:
        return self

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Disconnect. What was not committed is backed out.

        Asynchronous consumers are stopped before; a callback that is under way may finish, for up to ten seconds.
        """
        if self._dispatcher is not None:
            self._dispatcher.close()
        self._link.close()

    def _disconnect(self) -> None:
        """MQDISC: as `close`, but what was not committed is committed. Raises BackedOut if it cannot be."""
        if self._dispatcher is not None:
            self._dispatcher.close()
        try:
            if not self._host.state:
                self._commit()
        finally:
            self._link.close()

    def _another(self) -> Connection:
        """A connection of the same application."""
        engine = self._link.connection
        local = self._thread_connection() if self._thread_connection is not None else None
        return Connection(self._host, engine.appl_name, engine.user, local)

    def _usable(self) -> bool:
        return not self._host.state

    @property
    def application(self) -> str:
        """The name that messages put here carry, and DISPLAY CONN shows."""
        return self._link.connection.appl_name

    # -- used by Queue, Transaction and MQI -------------------------------------------------------------------------

    def _put(
        self,
        name: str,
        md: MQMD,
        data: bytes,
        syncpoint: bool | None,
        properties: MessageProperties | None = None,
        extra_options: int = 0,
        delay_ms: int = 0,
    ) -> None:
        link = self._link
        if self._dispatcher is not None:
            self._dispatcher.check_thread()
        in_unit = self._in_transaction if syncpoint is None else syncpoint
        options = _IN if in_unit else _OUT
        if extra_options & MQPMO_ASYNC_RESPONSE:  # There is nobody to wait for: an error is this put's own.
            extra_options &= ~MQPMO_ASYNC_RESPONSE
            self._not_waited_for += 1
        force = link.put(name, md, options | extra_options, data, properties, delay_ms)
        if link.connection.delay_ms:
            self._slow_down()
        if force:
            self._host.durable(force)

    def _slow_down(self) -> None:
        """The page set is filling up (B140): the one who fills it waits a little."""
        delay_ms = self._link.connection.delay_ms
        self._link.connection.delay_ms = 0
        time.sleep(delay_ms / 1000)

    def _get(
        self,
        name: str,
        md: MQMD,
        gmo: MQGMO,
        max_length: int,
        requeue: bool,
        syncpoint: bool | None,
        selector: str = "",
        open_options: int = 0,
    ) -> Message:
        link = self._link
        if self._dispatcher is not None:
            self._dispatcher.check_thread()
        in_unit = self._in_transaction if syncpoint is None else syncpoint
        gmo.options |= MQGMO_SYNCPOINT if in_unit else MQGMO_NO_SYNCPOINT
        handle = link.selecting(name, selector) if selector else None
        if not link.get(name, md, gmo, max_length, requeue, self._gate.release, handle):
            self._wait(name, md, gmo, max_length, requeue, handle)
        return self._answer(name, md)

    def _open(self, name: str, options: int, selector: str = "") -> Handle:
        return self._link.open(name, options, selector)

    def _reply_queue(self) -> tuple[Handle, str]:
        return self._link.reply_queue()

    def _close_handle(self, handle: Handle) -> None:
        self._link.close_handle(handle)

    def _drop_handle(self, handle: Handle) -> None:
        if handle.open:
            self._host.orphans.append(handle)

    def _subscribe(self, sd: MQSD, queue: str | None) -> Subscribed:
        from flintmq.client.subscribed import EmbeddedSubscribed

        return EmbeddedSubscribed(self, sd, queue)

    def _consume(
        self,
        name: str,
        callback: Handler,
        correlation_id: bytes | None,
        message_id: bytes | None,
        convert: bool,
        requeue_poison: bool,
        selector: str,
    ) -> Consumer:
        from flintmq.client.consumer import EmbeddedConsumer

        return EmbeddedConsumer(self, name, callback, correlation_id, message_id, convert, requeue_poison, selector)

    def _browse(self, name: str, handle: Handle, md: MQMD, gmo: MQGMO, max_length: int = -1) -> Message:
        if not self._link.get(name, md, gmo, max_length, False, self._gate.release, handle):
            self._wait(name, md, gmo, max_length, False, handle)
        return self._answer(name, md)

    def _put_status(self) -> MQSTS:
        sts = MQSTS()
        sts.put_success_count, self._not_waited_for = self._not_waited_for, 0
        return sts

    def _answer(self, name: str, md: MQMD) -> Message:
        """The message that a get left in the connection, when it may be seen."""
        link = self._link
        connection = link.connection
        data = connection.data
        properties = carried(connection) if connection.carrier is not None else None
        if link.force:
            try:
                self._host.durable(link.force)
            except BaseException:
                link.undo_get()
                raise
        if connection.completion:
            warning = link.warning(name)
            if warning is not None:
                raise warning
        return Message(data, md, name, properties)

    def _wait(self, name: str, md: MQMD, gmo: MQGMO, max_length: int, requeue: bool, handle: Handle | None) -> None:
        """Wait for a get that is parked, until its answer is there. Raises NoMessageAvailable when the time is over."""
        link = self._link
        interval = gmo.wait_interval
        end = time.monotonic() + interval / 1000 if interval >= 0 else -1.0
        options = gmo.options
        while True:
            try:
                self._park(name, end)
                if link.finish_get(md):
                    return
            except BaseException:
                link.cancel_get()
                self._gate.acquire(blocking=False)
                raise
            # It was a poison message, and is somewhere else now: begin anew.
            if end >= 0:
                gmo.wait_interval = max(0, round((end - time.monotonic()) * 1000))
                if not gmo.wait_interval:
                    options &= ~MQGMO_WAIT
            gmo.options = options
            if link.get(name, md, gmo, max_length, requeue, self._gate.release, handle):
                return

    def _park(self, name: str, end: float) -> None:
        """Wait to be woken, or raise NoMessageAvailable at the monotonic time `end`."""
        gate = self._gate
        while True:
            if end < 0:
                gate.acquire()
                return
            left = end - time.monotonic()
            if gate.acquire(timeout=min(max(0.0, left), threading.TIMEOUT_MAX)):
                return
            if left <= 0:
                if self._link.give_up():
                    raise self._link.nothing(name)
                gate.acquire()  # It was released, under the lock, before give_up looked.
                return

    def _backout(self) -> None:
        if self._dispatcher is not None:
            self._dispatcher.check_thread()
        self._link.backout()

    def _commit(self) -> None:
        if self._dispatcher is not None:
            self._dispatcher.check_thread()
        force = self._link.commit()
        if force:
            self._host.durable(force)

    def _begin(self) -> None:
        if self._in_transaction:
            raise TransactionError("there is a transaction on this connection already; transactions do not nest")
        if self._link.has_work():
            raise TransactionError("there is uncommitted work on this connection: commit() or backout() it first")
        if self._host.state:
            self._host.refuse()
        self._in_transaction = True
