"""A connection: one unit of work at a time, and calls that wait in the calling thread.

Most programs never make one: a queue manager gives each thread its own (`queue_manager.py`). `qm.connect()` makes one
more, for a thread that needs two independent units of work, or for an application name of its own.
"""

from __future__ import annotations

import threading
import time
import weakref
from types import TracebackType
from typing import TYPE_CHECKING

from flintmq.client import commands
from flintmq.client.commands import CommandReply
from flintmq.client.errors import MQError, TransactionError
from flintmq.client.link import Link
from flintmq.client.message import Message, carried
from flintmq.client.queue import Owner, Queue
from flintmq.mqi.constants import (
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQPMO_FAIL_IF_QUIESCING,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.properties import MessageProperties
from flintmq.qmgr.connection import Handle

if TYPE_CHECKING:
    from flintmq.client.dispatcher import Dispatcher
    from flintmq.client.embedded import Host
    from flintmq.client.mqi import MQI
    from flintmq.client.topic import Subscription, Topic

_IN = MQPMO_SYNCPOINT | MQPMO_FAIL_IF_QUIESCING
_OUT = MQPMO_NO_SYNCPOINT | MQPMO_FAIL_IF_QUIESCING


class Calls:
    """What a queue manager and a connection can both do."""

    _host: Host

    def _current(self) -> Connection:
        raise NotImplementedError

    def queue(self, name: str, create: bool = False, selector: str = "", **attributes: object) -> Queue:
        """The queue called `name`. With `create` a local queue is defined if there is none.

        With `selector` only messages that it selects are got and browsed: "color = 'red' AND n > 3".

        `attributes` are those of DEFINE QLOCAL in lower case, for a queue that is created. UnknownObject if the name
        leads nowhere.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     queue = qm.queue("ORDERS", create=True, maxdepth=100, defpsist="YES")
        ...     queue.name
        'ORDERS'
        """
        if create:
            commands.create_queue(self._host, name, attributes)
        elif attributes:
            raise TypeError("attributes are for queues that are created: queue(name, create=True, ...)")
        else:
            commands.check_queue(self._host, name)
        return Queue(self._owner(), name, selector)

    def _owner(self) -> Owner:
        return self

    def topic(self, topic_string: str) -> Topic:
        """The topic `topic_string`, to publish to. It need not be defined; TOPIC objects give it attributes.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm, qm.subscribe("sport/#") as subscription:
        ...     _ = qm.topic("sport/football").publish("1:0")
        ...     subscription.get(wait=5.0).text
        '1:0'
        """
        from flintmq.client.topic import Topic

        return Topic(self._owner(), topic_string)

    def subscribe(
        self,
        topic: str,
        *,
        durable_name: str | None = None,
        selector: str | None = None,
        wildcard: str = "topic",
        queue: str | None = None,
        new_only: bool = False,
        on_request: bool = False,
        user_data: str = "",
        correlation_id: bytes | None = None,
        expiry: float | None = None,
    ) -> Subscription:
        """Subscribe to a topic: `#` in place of levels and `+` of one, or with `wildcard="character"` `*` and `?`.

        Publications that are retained come at once, unless `new_only`, or when they are asked for (`on_request`). With
        `durable_name` the subscription outlives this program, and collects while nobody is there; the next `subscribe`
        with that name has it again. `selector` is an SQL-92 selection string over the properties of publications.
        `queue` names a queue for the publications instead of one of the subscription's own. `expiry`, in seconds, ends
        a durable subscription that nobody has had again for so long. topic.py says more.

        Raises MQError: 2425 for a topic string with wildcards where there can be none, 2429 if somebody has the
        durable subscription, 2510 if it is to another topic, BadSelector, and others.
        """
        from flintmq.client.topic import Subscribed, Subscription, subscription_descriptor

        sd = subscription_descriptor(
            topic,
            durable_name,
            selector,
            wildcard,
            queue is None,
            new_only,
            on_request,
            user_data,
            correlation_id,
            expiry,
        )
        return Subscription(self._owner(), Subscribed(self._current()._another(), sd, queue))

    def transaction(self) -> Transaction:
        """A unit of work: commit at the end of the block, back out if it ends with an exception.

        Puts and gets of this thread inside the block become so together, durably, or not at all. Transactions do not
        nest.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     a, b = qm.queue("A", create=True), qm.queue("B", create=True)
        ...     _ = a.put(b"1")
        ...     with qm.transaction():
        ...         _ = b.put(a.get().data)
        ...     a.depth, b.depth
        (0, 1)
        """
        return Transaction(self)

    def commit(self) -> None:
        """Commit what was put and got with `syncpoint=True` outside of a transaction block."""
        self._current()._commit()

    def backout(self) -> None:
        """Undo what was put and got with `syncpoint=True`."""
        self._current()._backout()

    def mqsc(self, text: str, *, check: bool = True) -> CommandReply:
        """Run MQSC commands. `str(reply)` is what runmqsc would print, `reply.rows` the attributes as dictionaries.

        CommandFailed if a command fails; with `check=False` the reply says so instead.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     print(qm.mqsc("DEFINE QLOCAL(ORDERS) MAXDEPTH(10)"))
        ...     qm.mqsc("DISPLAY QLOCAL(ORDERS) MAXDEPTH").rows[0]["MAXDEPTH"]
        AMQ8006I: Queue created.
        10
        """
        return commands.run(self._host, text, check)

    @property
    def mqi(self) -> MQI:
        """The MQI itself, with MQ's own structures, on this thread's connection."""
        from flintmq.client.mqi import MQI

        return MQI(self._current())


class ThreadConnection(threading.local):
    """The connection that a queue manager uses for the calls of a thread."""

    connection: Connection | None = None


class Connection(Calls):
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
        self._in_transaction = False
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

    def _another(self) -> Connection:
        """A connection of the same application."""
        engine = self._link.connection
        local = self._thread_connection() if self._thread_connection is not None else None
        return Connection(self._host, engine.appl_name, engine.user, local)

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
    ) -> None:
        link = self._link
        if self._dispatcher is not None:
            self._dispatcher.check_thread()
        options = _IN if (self._in_transaction if syncpoint is None else syncpoint) else _OUT
        force = link.put(name, md, options | extra_options, data, properties)
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

    def _browse(self, name: str, handle: Handle, md: MQMD, gmo: MQGMO) -> Message:
        if not self._link.get(name, md, gmo, -1, False, self._gate.release, handle):
            self._wait(name, md, gmo, -1, False, handle)
        return self._answer(name, md)

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


class Transaction:
    """A unit of work as a block. Made by `qm.transaction()`."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._connection: Connection | None = None

    def __enter__(self) -> Transaction:
        if self._connection is not None:
            raise TransactionError("a transaction is entered once; ask transaction() for another")
        connection = self._calls._current()
        connection._begin()
        self._connection = connection
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        connection = self._connection
        assert connection is not None
        connection._in_transaction = False
        if kind is None:
            try:
                connection._commit()
            except MQError:
                self._undo(connection)
                raise
        else:
            self._undo(connection)

    def _undo(self, connection: Connection) -> None:
        """Back out; if the queue manager is gone, so is the unit of work."""
        if not connection._host.state:
            connection._link.backout()

    def commit(self) -> None:
        """Commit so far; the block goes on in a new unit of work."""
        assert self._connection is not None
        self._connection._commit()

    def backout(self) -> None:
        """Undo so far; the block goes on in a new unit of work."""
        assert self._connection is not None
        self._connection._link.backout()
