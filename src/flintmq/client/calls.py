"""What a queue manager and a connection can do, in this process and over a channel.

    Calls            queue(), topic(), subscribe(), transaction(), mqsc() ...: of queue managers and of connections
    BaseConnection   what Queue, Topic, Subscription, Browser and Transaction ask of a connection
    Transaction      a unit of work as a block

`Connection` (connection.py) does it in this process, `RemoteConnection` (remote/connection.py) over a channel.
"""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from flintmq.client.commands import CommandReply
from flintmq.client.errors import BackedOut, MQError, NotConnected, TransactionError, error_of
from flintmq.client.message import Message
from flintmq.client.queue import Browser, Owner, Queue
from flintmq.client.request import answer_to, ask
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.properties import MessageProperties
from flintmq.mqi.sd import MQSD
from flintmq.mqi.sts import MQSTS

if TYPE_CHECKING:
    from flintmq.client.consumer import Consumer, Handler
    from flintmq.client.topic import Subscribed, Subscription, Topic

H = TypeVar("H")


class Calls:
    """What a queue manager and a connection can both do."""

    def _current(self) -> BaseConnection[Any]:
        """The connection for this call."""
        raise NotImplementedError

    def queue(
        self,
        name: str,
        create: bool = False,
        selector: str = "",
        read_ahead: bool | None = None,
        **attributes: object,
    ) -> Queue:
        """The queue called `name`. With `create` a local queue is defined if there is none.

        With `selector` only messages that it selects are got and browsed: "color = 'red' AND n > 3".

        With `read_ahead` a queue manager elsewhere sends messages before they are asked for, to gets outside of a
        transaction and to browses; None leaves that to the queue (DEFREADA). Those that were sent and not got are lost
        when the connection ends, so it is for messages that are not persistent.

        `attributes` are those of DEFINE QLOCAL in lower case, for a queue that is created. UnknownObject if the name
        leads nowhere.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     queue = qm.queue("ORDERS", create=True, maxdepth=100, defpsist="YES")
        ...     queue.name
        'ORDERS'
        """
        if create:
            self._create_queue(name, attributes)
        elif attributes:
            raise TypeError("attributes are for queues that are created: queue(name, create=True, ...)")
        else:
            self._check_queue(name)
        return Queue(self._owner(), name, selector, read_ahead)

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
        any_user: bool = False,
    ) -> Subscription:
        """Subscribe to a topic: `#` in place of levels and `+` of one, or with `wildcard="character"` `*` and `?`.

        Publications that are retained come at once, unless `new_only`, or when they are asked for (`on_request`). With
        `durable_name` the subscription outlives this program, and collects while nobody is there; the next `subscribe`
        with that name has it again. `selector` is an SQL-92 selection string over the properties of publications.
        `queue` names a queue for the publications instead of one of the subscription's own. `expiry`, in seconds, ends
        a durable subscription that nobody has had again for so long. A durable subscription is the user's who made it;
        with `any_user` every user who may subscribe to the topic can have it again. topic.py says more.

        Raises MQError: 2425 for a topic string with wildcards where there can be none, 2429 if somebody has the
        durable subscription, 2434 if it is another user's, 2510 if it is to another topic, BadSelector, and others.
        """
        from flintmq.client.topic import Subscription, subscription_descriptor

        sd = subscription_descriptor(
            topic,
            durable_name,
            selector,
            wildcard,
            queue,
            new_only,
            on_request,
            user_data,
            correlation_id,
            expiry,
            any_user,
        )
        return Subscription(self._owner(), self._current()._another()._subscribe(sd, queue))

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
        self._current()._commit_settled()

    def backout(self) -> None:
        """Undo what was put and got with `syncpoint=True`."""
        self._current()._backout_settled()

    def flush(self) -> int:
        """Send what was put with `wait=False`, and ask what became of it (MQSTAT): how many were put.

        Raises the error of the first that failed since the last time.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     queue = qm.queue("A", create=True)
        ...     for n in range(3):
        ...         _ = queue.put(f"{n}", wait=False)
        ...     qm.flush()
        3
        """
        return put_status(self._current()._all_put_status())

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
        return self._run_mqsc(text, check)

    def dead_letters(self, queue: str = "") -> Browser:
        """Browse the dead-letter queue, or another queue that has dead letters; see Message.dead_letter.

        Raises UnknownObject if the queue manager has no dead-letter queue (DEADQ).
        """
        from flintmq.client.replay import queue_of_dead_letters

        return self.queue(queue or queue_of_dead_letters(self.mqi)).browse()

    def replay(self, message: Message, *, queue: str = "", queue_manager: str = "") -> None:
        """Put a dead letter where it was to go, or on `queue`, and take it off the dead-letter queue.

        `message` was browsed by `dead_letters()`. Both happen in one unit of work of their own; if the put fails the
        message stays where it is. Descriptor and context do not change, so the user needs authority to pass all
        context, as runmqdlq does. NoMessageAvailable if the message is gone.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     _ = qm.mqsc("ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)")
        ...     a = qm.queue("A", create=True, bothresh=1)
        ...     _ = a.put("hello")
        ...     _ = a.get(syncpoint=True)
        ...     qm.backout()
        ...     a.get_or_none()  # Backed out once: it goes to the dead-letter queue.
        ...     b = qm.queue("B", create=True)
        ...     for dead in qm.dead_letters():
        ...         qm.replay(dead, queue="B")
        ...     b.get().text
        'hello'
        """
        from flintmq.client.replay import replay

        connection = self._current()._another()
        try:
            replay(connection, message, queue, queue_manager)
        finally:
            connection.close()

    # -- what is done otherwise in this process and over a channel ----------------------------------------------------

    @property
    def mqi(self) -> Any:
        """The calls of the MQI."""
        raise NotImplementedError

    def _create_queue(self, name: str, attributes: dict[str, object]) -> None:
        """Define a local queue, unless there is one."""
        raise NotImplementedError

    def _check_queue(self, name: str) -> None:
        """UnknownObject if the name leads nowhere."""
        raise NotImplementedError

    def _depth(self, name: str) -> int:
        """CURDEPTH."""
        raise NotImplementedError

    def _clear(self, name: str) -> None:
        """CLEAR QLOCAL."""
        raise NotImplementedError

    def _run_mqsc(self, text: str, check: bool) -> CommandReply:
        """MQSC."""
        raise NotImplementedError


class BaseConnection(Calls, Generic[H]):
    """What queues, topics, subscriptions and transactions ask of a connection. `H` is what it has for a handle."""

    _in_transaction: bool = False
    #: Puts of the unit of work were not waited for.
    _unsettled: bool = False
    #: So many puts that need not be waited for were made in this process.
    _not_waited_for: int = 0

    def _current(self) -> BaseConnection[H]:
        return self

    def _put_status(self) -> MQSTS:
        """What became of asynchronous puts (MQSTAT)."""
        raise NotImplementedError

    def _all_put_status(self) -> MQSTS:
        """The same, with what was asked before and not told."""
        return self._put_status()

    def _backout_settled(self) -> None:
        """Back out; what failed in the unit of work is forgotten with it."""
        self._backout()
        if self._unsettled:
            self._unsettled = False
            self._put_status()

    def _commit_settled(self) -> None:
        """Commit, unless a put of the unit of work that was not waited for has failed: BackedOut."""
        if self._unsettled:
            self._unsettled = False
            try:
                put_status(self._put_status())
            except NotConnected:
                raise
            except MQError as error:
                self._backout()
                raise BackedOut(f"the unit of work was backed out: {error.text}") from error
        self._commit()

    def _another(self) -> BaseConnection[H]:
        """A connection of the same application."""
        raise NotImplementedError

    def close(self) -> None:
        """Disconnect. What was not committed is backed out."""
        raise NotImplementedError

    def _usable(self) -> bool:
        """Whether there is still somebody to back out with."""
        raise NotImplementedError

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
        """Put to the queue, or publish to the topic, `name`."""
        raise NotImplementedError

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
        """Get from the queue `name`. `open_options` say whether it is read ahead."""
        raise NotImplementedError

    def _open(self, name: str, options: int, selector: str = "") -> H:
        """Open a queue."""
        raise NotImplementedError

    def _browse(self, name: str, handle: H, md: MQMD, gmo: MQGMO, max_length: int = -1) -> Message:
        """Get through a handle that was opened for it."""
        raise NotImplementedError

    def _reply_queue(self) -> tuple[H, str]:
        """The reply queue of this connection: (handle, name). It is made if there is none."""
        raise NotImplementedError

    def _request(
        self, name: str, md: MQMD, data: bytes, properties: MessageProperties | None, timeout: float, convert: bool
    ) -> Message:
        """Put a request, and get its answer; request.py."""
        handle, reply_to = self._reply_queue()
        ask(md, reply_to, timeout)
        self._put(name, md, data, False, properties)
        return self._browse(reply_to, handle, *answer_to(md, timeout, convert))

    def _close_handle(self, handle: H) -> None:
        """Close a handle; nothing if it is closed."""
        raise NotImplementedError

    def _drop_handle(self, handle: H) -> None:
        """Nobody has the handle any more: close it when there is time."""
        raise NotImplementedError

    def _subscribe(self, sd: MQSD, queue: str | None) -> Subscribed:
        """Subscribe; the connection is the subscription's from now on."""
        raise NotImplementedError

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
        """A consumer; the connection is its own from now on."""
        raise NotImplementedError

    def _commit(self) -> None:
        raise NotImplementedError

    def _backout(self) -> None:
        raise NotImplementedError

    def _begin(self) -> None:
        """A transaction begins. Raises TransactionError if there is work that would become a part of it."""
        raise NotImplementedError


def put_status(sts: MQSTS) -> int:
    """How many asynchronous puts there were. Raises the error of the first that failed."""
    if sts.put_failure_count:
        many = sts.put_success_count + sts.put_warning_count + sts.put_failure_count
        text = f"{sts.put_failure_count} of {many} puts that were not waited for failed, the first to {sts.object_name}"
        raise error_of(sts.reason, text)
    return sts.put_success_count + sts.put_warning_count


class Transaction:
    """A unit of work as a block. Made by `qm.transaction()`."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._connection: BaseConnection[Any] | None = None

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
                connection._commit_settled()
            except MQError:
                self._undo(connection)
                raise
        else:
            self._undo(connection)

    def _undo(self, connection: BaseConnection[Any]) -> None:
        """Back out; if the queue manager is gone, so is the unit of work."""
        if connection._usable():
            connection._backout_settled()

    def commit(self) -> None:
        """Commit so far; the block goes on in a new unit of work."""
        assert self._connection is not None
        self._connection._commit_settled()

    def backout(self) -> None:
        """Undo so far; the block goes on in a new unit of work."""
        assert self._connection is not None
        self._connection._backout_settled()
