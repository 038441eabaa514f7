"""A connection: one unit of work at a time, and calls that wait in the calling thread.

Most programs never make one: a queue manager gives each thread its own (`queue_manager.py`). `qm.connect()` makes one
more, for a thread that needs two independent units of work, or for an application name of its own.
"""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING

from flintmq.client import commands
from flintmq.client.base_connection import BaseConnection
from flintmq.client.calls import Calls
from flintmq.client.commands import CommandReply
from flintmq.client.message import Message
from flintmq.client.thread_session import ThreadSession
from flintmq.host.host import Host
from flintmq.mqi.call_errors import TransactionError
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.sd import MQSD
from flintmq.mqi.sts import MQSTS
from flintmq.qmgr.connection import Handle

if TYPE_CHECKING:
    from flintmq.client.consumer import Consumer, Handler
    from flintmq.client.mqi import MQI
    from flintmq.client.subscribed import Subscribed
    from flintmq.host.dispatcher import Dispatcher


class EmbeddedCalls(Calls):
    """Calls that are commands, on a queue manager in this process."""

    _host: Host

    def _current(self) -> Connection:
        raise NotImplementedError

    @property
    def mqi(self) -> MQI:
        """Return the MQI, with MQ's own structures, on this thread's connection."""
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

    def __init__(
        self, host: Host, application: str, user: str, thread_connection: ThreadConnection | None = None
    ) -> None:
        self._host = host
        #: Where the queue manager finds a thread's connection: in a callback it is this one. Weak, because it
        #: holds this connection, and a queue manager that was dropped must go.
        self._thread_connection = weakref.ref(thread_connection) if thread_connection is not None else None
        self._session = session = ThreadSession(host, application, user)
        # In the instance, not as methods of the class: a put or get is one call less.
        self.__dict__.update(_put=session.put_message, _get=session.get_message)

    @property
    def _in_transaction(self) -> bool:
        return self._session.in_transaction

    @_in_transaction.setter
    def _in_transaction(self, value: bool) -> None:
        self._session.in_transaction = value

    @property
    def _dispatcher(self) -> Dispatcher | None:
        """Return the dispatcher of callbacks, None before the first MQCB."""
        return self._session.dispatcher

    @_dispatcher.setter
    def _dispatcher(self, dispatcher: Dispatcher) -> None:
        self._session.dispatcher = dispatcher

    def _current(self) -> Connection:
        return self

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Disconnect. Uncommitted work is backed out.

        Asynchronous consumers are stopped before; a callback that is under way may finish, for up to ten seconds.
        """
        if self._dispatcher is not None:
            self._dispatcher.close()
        self._session.close()

    def _disconnect(self) -> None:
        """Commit and disconnect (MQDISC). Raise BackedOut if the commit failed."""
        if self._dispatcher is not None:
            self._dispatcher.close()
        try:
            if not self._host.state:
                self._commit()
        finally:
            self._session.close()

    def _another(self) -> Connection:
        """Return another connection of this application."""
        engine = self._session.connection
        local = self._thread_connection() if self._thread_connection is not None else None
        return Connection(self._host, engine.appl_name, engine.user, local)

    def _usable(self) -> bool:
        return not self._host.state

    @property
    def application(self) -> str:
        """Return the application name of messages put here, which DISPLAY CONN shows, too."""
        return self._session.connection.appl_name

    # -- used by Queue, Transaction and MQI -------------------------------------------------------------------------

    def _open(self, name: str, options: int, selector: str = "") -> Handle:
        return self._session.open(name, options, selector)

    def _reply_queue(self) -> tuple[Handle, str]:
        return self._session.reply_queue()

    def _close_handle(self, handle: Handle) -> None:
        self._session.close_handle(handle)

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
        from flintmq.client.embedded_consumer import EmbeddedConsumer

        return EmbeddedConsumer(self, name, callback, correlation_id, message_id, convert, requeue_poison, selector)

    def _browse(self, name: str, handle: Handle, md: MQMD, gmo: MQGMO, max_length: int = -1) -> Message:
        return self._session.get_through(name, md, gmo, max_length, False, handle)

    def _put_status(self) -> MQSTS:
        sts = MQSTS()
        sts.put_success_count, self._session.not_waited_for = self._session.not_waited_for, 0
        return sts

    def _backout(self) -> None:
        if self._dispatcher is not None:
            self._dispatcher.check_thread()
        self._session.backout()

    def _commit(self) -> None:
        if self._dispatcher is not None:
            self._dispatcher.check_thread()
        force = self._session.commit()
        if force:
            self._host.durable(force)

    def _begin(self) -> None:
        if self._in_transaction:
            raise TransactionError("there is a transaction on this connection already; transactions do not nest")
        if self._session.has_work():
            raise TransactionError("there is uncommitted work on this connection: commit() or backout() it first")
        if self._host.state:
            self._host.refuse()
        self._in_transaction = True
