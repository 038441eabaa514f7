# Generated from src/flintmq/client/aio_calls.py by tools/generate_sync.py. Do not edit.
"""Calls of a queue manager, for threads: embedded, or over a channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flintmq.client.message import Message
from flintmq.client.queue import Queue
from flintmq.client.seam import Seam

if TYPE_CHECKING:
    from flintmq.client.browser import Browser
    from flintmq.client.commands import CommandReply
    from flintmq.client.seam import Transaction
    from flintmq.client.topic import Subscription, Topic


class Calls(Seam):
    """Calls that a queue manager and a connection have in common."""

    def queue(
        self,
        name: str,
        create: bool = False,
        selector: str = "",
        read_ahead: bool | None = None,
        **attributes: object,
    ) -> Queue:
        """Return the queue `name`. With `create` a local queue is defined if there is none.

        With `selector` only messages that it selects are got and browsed: "color = 'red' AND n > 3".

        With `read_ahead` a remote queue manager sends messages in advance, for gets outside of a transaction and for
        browses; None leaves that to the queue (DEFREADA). Messages sent and not got are lost when the connection ends,
        so use it for non-persistent messages.

        `attributes` are those of DEFINE QLOCAL in lower case, for a queue to be created. Raise UnknownObject if the
        name resolves to no queue.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     queue = qm.queue("ORDERS", create=True, maxdepth=100, defpsist="YES")
        ...     print(queue.name)
        ORDERS
        """
        if create:
            self._create_queue(name, attributes)
        elif attributes:
            raise TypeError("attributes are for queues that are created: queue(name, create=True, ...)")
        else:
            self._check_queue(name)
        return Queue(self._owner(), name, selector, read_ahead)

    def topic(self, topic_string: str) -> Topic:
        """Return the topic `topic_string`, to publish to. It need not be defined; TOPIC objects give it attributes.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm, qm.subscribe("sport/#") as subscription:
        ...     _ = qm.topic("sport/football").publish("1:0")
        ...     print((subscription.get(wait=5.0)).text)
        1:0
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
        read_ahead: bool | None = None,
    ) -> Subscription:
        """Subscribe to a topic: `#` in place of levels and `+` of one, or with `wildcard="character"` `*` and `?`.

        Use it as `with qm.subscribe(topic) as subscription:`, or `subscription = qm.subscribe(topic)`.

        Retained publications come at once, unless `new_only`, or when they are requested (`on_request`). With
        `durable_name` the subscription outlives this program, and collects publications meanwhile; the next `subscribe`
        with that name resumes it. `selector` is an SQL-92 selection string over the properties of publications.
        `queue` names a queue for the publications instead of one of the subscription's own. `expiry`, in seconds, ends
        a durable subscription that was not resumed for that time. A durable subscription belongs to its user;
        with `any_user` every user with authority to subscribe to the topic can resume it. `read_ahead`: see `queue`.

        Raise MQError: 2425 for a topic string with misplaced wildcards, 2429 if another application uses the durable
        subscription, 2434 if it belongs to another user, 2510 if it is to another topic, BadSelector, and others.
        """
        from flintmq.client.subscribed import subscription_descriptor

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
        return self._subscribing(sd, queue, read_ahead)

    def transaction(self) -> Transaction:
        """Return a unit of work: commit at the end of the block, back out if it ends with an exception.

        Puts and gets of this thread inside the block become final together, durably, or not at all. Transactions do not
        nest.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     a, b = qm.queue("A", create=True), qm.queue("B", create=True)
        ...     _ = a.put(b"1")
        ...     with qm.transaction():
        ...         _ = b.put((a.get()).data)
        ...     print(a.inquire_depth(), b.inquire_depth())
        0 1
        """
        return self._new_transaction()

    def commit(self) -> None:
        """Commit the puts and gets that this thread made with `syncpoint=True` outside of a transaction block."""
        self._current()._commit_settled()

    def backout(self) -> None:
        """Undo the puts and gets that this thread made with `syncpoint=True`."""
        self._current()._backout_settled()

    def flush(self) -> int:
        """Send the puts made with `wait=False`, and return their number (MQSTAT).

        Raise the error of the first that failed since the last time.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     queue = qm.queue("A", create=True)
        ...     for n in range(3):
        ...         _ = queue.put(f"{n}", wait=False)
        ...     print(qm.flush())
        3
        """
        return self._current()._flush()

    def mqsc(self, text: str, *, check: bool = True) -> CommandReply:
        """Run MQSC commands. `str(reply)` is the output of runmqsc, `reply.rows` the attributes as dictionaries.

        Raise CommandFailed if a command fails; with `check=False` the reply says so instead.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     print(qm.mqsc("DEFINE QLOCAL(ORDERS) MAXDEPTH(10)"))
        ...     print((qm.mqsc("DISPLAY QLOCAL(ORDERS) MAXDEPTH")).rows[0]["MAXDEPTH"])
        AMQ8006I: Queue created.
        10
        """
        return self._run_mqsc(text, check)

    def dead_letters(self, queue: str = "") -> Browser:
        """Browse the dead-letter queue, or another queue that has dead letters; see Message.dead_letter.

        Raise UnknownObject if the queue manager has no dead-letter queue (DEADQ).
        """
        return self._dead_letters(queue)

    def replay(self, message: Message, *, queue: str = "", queue_manager: str = "") -> None:
        """Put a dead letter to its destination, or to `queue`, and take it off the dead-letter queue.

        `message` was browsed by `dead_letters()`. Both happen in one unit of work of their own; if the put fails the
        message stays where it is. Descriptor and context do not change, so the user needs authority to pass all
        context, as runmqdlq does. Raise NoMessageAvailable if the message has gone.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     _ = qm.mqsc("ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)")
        ...     a, b = qm.queue("A", create=True, bothresh=1), qm.queue("B", create=True)
        ...     _ = a.put("hello")
        ...     _ = a.get(syncpoint=True)
        ...     qm.backout()
        ...     print(a.get_or_none())  # Backed out once: it goes to the dead-letter queue.
        ...     for dead in qm.dead_letters():
        ...         qm.replay(dead, queue="B")
        ...     print((b.get()).text)
        None
        hello
        """
        self._replay(message, queue, queue_manager)
