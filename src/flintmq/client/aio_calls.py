"""Calls of a queue manager, for tasks: embedded, or over a channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flintmq.client.aio_queue import AsyncQueue
from flintmq.client.aio_seam import AsyncSeam
from flintmq.client.message import Message

if TYPE_CHECKING:
    from flintmq.client.aio_seam import AsyncBrowser, AsyncTransaction, Subscribing
    from flintmq.client.aio_topic import AsyncTopic
    from flintmq.client.commands import CommandReply


class AsyncCalls(AsyncSeam):
    """Calls that a queue manager and a connection have in common."""

    async def queue(
        self,
        name: str,
        create: bool = False,
        selector: str = "",
        read_ahead: bool | None = None,
        **attributes: object,
    ) -> AsyncQueue:
        """Return the queue `name`. With `create` a local queue is defined if there is none.

        With `selector` only messages that it selects are got and browsed: "color = 'red' AND n > 3".

        With `read_ahead` a remote queue manager sends messages in advance, for gets outside of a transaction and for
        browses; None leaves that to the queue (DEFREADA). Messages sent and not got are lost when the connection ends,
        so use it for non-persistent messages.

        `attributes` are those of DEFINE QLOCAL in lower case, for a queue to be created. Raise UnknownObject if the
        name resolves to no queue.

        >>> import asyncio, flintmq
        >>> async def main():
        ...     async with flintmq.aopen(":memory:") as qm:
        ...         queue = await qm.queue("ORDERS", create=True, maxdepth=100, defpsist="YES")
        ...         print(queue.name)
        >>> asyncio.run(main())
        ORDERS
        """
        if create:
            await self._create_queue(name, attributes)
        elif attributes:
            raise TypeError("attributes are for queues that are created: queue(name, create=True, ...)")
        else:
            await self._check_queue(name)
        return AsyncQueue(self._owner(), name, selector, read_ahead)

    def topic(self, topic_string: str) -> AsyncTopic:
        """Return the topic `topic_string`, to publish to. It need not be defined; TOPIC objects give it attributes.

        >>> import asyncio, flintmq
        >>> async def main():
        ...     async with flintmq.aopen(":memory:") as qm, qm.subscribe("sport/#") as subscription:
        ...         _ = await qm.topic("sport/football").publish("1:0")
        ...         print((await subscription.get(wait=5.0)).text)
        >>> asyncio.run(main())
        1:0
        """
        from flintmq.client.aio_topic import AsyncTopic

        return AsyncTopic(self._owner(), topic_string)

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
    ) -> Subscribing:
        """Subscribe to a topic: `#` in place of levels and `+` of one, or with `wildcard="character"` `*` and `?`.

        Use it as `async with qm.subscribe(topic) as subscription:`, or `subscription = await qm.subscribe(topic)`.

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

    def transaction(self) -> AsyncTransaction:
        """Return a unit of work: commit at the end of the block, back out if it ends with an exception.

        Puts and gets of this task inside the block become final together, durably, or not at all. Transactions do not
        nest.

        >>> import asyncio, flintmq
        >>> async def main():
        ...     async with flintmq.aopen(":memory:") as qm:
        ...         a, b = await qm.queue("A", create=True), await qm.queue("B", create=True)
        ...         _ = await a.put(b"1")
        ...         async with qm.transaction():
        ...             _ = await b.put((await a.get()).data)
        ...         print(await a.inquire_depth(), await b.inquire_depth())
        >>> asyncio.run(main())
        0 1
        """
        return self._new_transaction()

    async def commit(self) -> None:
        """Commit the puts and gets that this task made with `syncpoint=True` outside of a transaction block."""
        await self._current()._commit_settled()

    async def backout(self) -> None:
        """Undo the puts and gets that this task made with `syncpoint=True`."""
        await self._current()._backout_settled()

    async def flush(self) -> int:
        """Send the puts made with `wait=False`, and return their number (MQSTAT).

        Raise the error of the first that failed since the last time.

        >>> import asyncio, flintmq
        >>> async def main():
        ...     async with flintmq.aopen(":memory:") as qm:
        ...         queue = await qm.queue("A", create=True)
        ...         for n in range(3):
        ...             _ = await queue.put(f"{n}", wait=False)
        ...         print(await qm.flush())
        >>> asyncio.run(main())
        3
        """
        return await self._current()._flush()

    async def mqsc(self, text: str, *, check: bool = True) -> CommandReply:
        """Run MQSC commands. `str(reply)` is the output of runmqsc, `reply.rows` the attributes as dictionaries.

        Raise CommandFailed if a command fails; with `check=False` the reply says so instead.

        >>> import asyncio, flintmq
        >>> async def main():
        ...     async with flintmq.aopen(":memory:") as qm:
        ...         print(await qm.mqsc("DEFINE QLOCAL(ORDERS) MAXDEPTH(10)"))
        ...         print((await qm.mqsc("DISPLAY QLOCAL(ORDERS) MAXDEPTH")).rows[0]["MAXDEPTH"])
        >>> asyncio.run(main())
        AMQ8006I: Queue created.
        10
        """
        return await self._run_mqsc(text, check)

    def dead_letters(self, queue: str = "") -> AsyncBrowser:
        """Browse the dead-letter queue, or another queue that has dead letters; see Message.dead_letter.

        Raise UnknownObject if the queue manager has no dead-letter queue (DEADQ).
        """
        return self._dead_letters(queue)

    async def replay(self, message: Message, *, queue: str = "", queue_manager: str = "") -> None:
        """Put a dead letter to its destination, or to `queue`, and take it off the dead-letter queue.

        `message` was browsed by `dead_letters()`. Both happen in one unit of work of their own; if the put fails the
        message stays where it is. Descriptor and context do not change, so the user needs authority to pass all
        context, as runmqdlq does. Raise NoMessageAvailable if the message has gone.

        >>> import asyncio, flintmq
        >>> async def main():
        ...     async with flintmq.aopen(":memory:") as qm:
        ...         _ = await qm.mqsc("ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)")
        ...         a, b = await qm.queue("A", create=True, bothresh=1), await qm.queue("B", create=True)
        ...         _ = await a.put("hello")
        ...         _ = await a.get(syncpoint=True)
        ...         await qm.backout()
        ...         print(await a.get_or_none())  # Backed out once: it goes to the dead-letter queue.
        ...         async for dead in qm.dead_letters():
        ...             await qm.replay(dead, queue="B")
        ...         print((await b.get()).text)
        >>> asyncio.run(main())
        None
        hello
        """
        await self._replay(message, queue, queue_manager)
