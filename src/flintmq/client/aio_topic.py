"""Topics and subscriptions for asyncio.

    async with qm.subscribe("prices/#") as prices:
        await qm.topic("prices/gold").publish("1811.40")
        async for message in prices:
            print(message.topic, message.text)

What is said in topic.py holds here too. A subscription is kept by a connection of its own; a get inside of a
transaction belongs to that.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator, Mapping
from typing import TYPE_CHECKING, Any

from flintmq.client.aio_calls import AsyncMessages, AsyncQueue
from flintmq.client.errors import NoMessageAvailable, UnknownObject
from flintmq.client.message import Data, Message, Wait, delay_ms, descriptor, payload, properties_of_put
from flintmq.client.request import SCHEME
from flintmq.client.topic import Subscribed
from flintmq.mqi.constants import MQPMO_RETAIN
from flintmq.mqi.property_values import Value
from flintmq.mqi.sd import MQSD

if TYPE_CHECKING:
    from flintmq.client.aio_calls import AsyncCalls


class AsyncTopic:
    """A topic by its string. Made by `qm.topic(topic_string)`."""

    __slots__ = ("_qm", "name")

    def __init__(self, qm: AsyncCalls, topic_string: str) -> None:
        self._qm = qm
        self.name = topic_string

    def __repr__(self) -> str:
        return f"<AsyncTopic {self.name}>"

    async def publish(
        self,
        data: Data,
        *,
        retain: bool = False,
        persistent: bool | None = None,
        priority: int | None = None,
        correlation_id: bytes | None = None,
        message_id: bytes | None = None,
        reply_to: str | None = None,
        reply_to_queue_manager: str = "",
        expiry: float | None = None,
        delay: float | None = None,
        format: str = "",
        message_type: int | None = None,
        properties: Mapping[str, Value] | None = None,
    ) -> bytes:
        """Publish a message to all who subscribe; see Topic.publish."""
        md = descriptor(
            persistent,
            priority,
            correlation_id,
            message_id,
            reply_to,
            reply_to_queue_manager,
            expiry,
            format,
            message_type,
        )
        made = properties_of_put(properties) if properties else None
        extra = MQPMO_RETAIN if retain else 0
        await self._qm._put(SCHEME + self.name, md, payload(data, md), made, extra, delay_ms(delay))
        return md.msg_id


class AsyncSubscription:
    """A subscription. Made by `qm.subscribe(topic)`; close it, or use it in an `async with` statement."""

    def __init__(self, qm: AsyncCalls, subscribed: Subscribed) -> None:
        self._qm = qm
        self._subscribed = subscribed
        self._queue = AsyncQueue(qm, subscribed.queue_name)

    def __repr__(self) -> str:
        return f"<AsyncSubscription{f' {self.name}' if self.name else ''} to {self.topic}>"

    @property
    def topic(self) -> str:
        """What it subscribes to, with wildcards."""
        return self._subscribed.sd.res_object_string

    @property
    def name(self) -> str:
        """The name of a durable subscription, "" of another."""
        return self._subscribed.sd.sub_name

    @property
    def queue(self) -> AsyncQueue:
        """The queue that publications come to."""
        return self._queue

    async def get(self, *, wait: Wait = None, convert: bool = False) -> Message:
        """The next publication; `message.topic` says of what."""
        while True:
            try:
                return await self._queue.get(wait=wait, correlation_id=self._subscribed.correlation_id, convert=convert)
            except UnknownObject:
                if not await self._qm._work(self._subscribed.moved):
                    raise
                self._queue = AsyncQueue(self._qm, self._subscribed.queue_name)

    async def get_or_none(self, *, wait: Wait = None, convert: bool = False) -> Message | None:
        """As `get`, but None if there is no publication."""
        try:
            return await self.get(wait=wait, convert=convert)
        except NoMessageAvailable:
            return None

    def messages(self, *, wait: Wait = None) -> AsyncMessages:
        """Get publications until there are no more, or none came for `wait` seconds."""
        return self._queue.messages(wait=wait, correlation_id=self._subscribed.correlation_id)

    def __aiter__(self) -> AsyncMessages:
        """The publications as they come, without an end."""
        return self.messages(wait=True)

    def browse(self, *, wait: Wait = None) -> AsyncIterator[Message]:
        """Look at the publications that are waiting, and leave them there."""
        return self._queue.browse(wait=wait, correlation_id=self._subscribed.correlation_id)

    async def request(self) -> int:
        """Have the retained publications sent again (MQSUBRQ); how many there are."""
        return await self._qm._work(self._subscribed.request)

    async def close(self) -> None:
        """Leave a durable subscription until the next time; end another."""
        await self._qm._work(self._subscribed.leave)

    async def remove(self) -> None:
        """End it, durable or not. MQError if it was closed and kept."""
        await self._qm._work(self._subscribed.remove)

    async def __aenter__(self) -> AsyncSubscription:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()


class Subscribing:
    """What `qm.subscribe(topic)` gives: to be awaited, or entered with `async with`."""

    def __init__(self, qm: AsyncCalls, sd: MQSD, queue: str | None) -> None:
        self._qm = qm
        self._sd = sd
        self._queue = queue
        self._made: AsyncSubscription | None = None

    async def _subscribe(self) -> AsyncSubscription:
        qm = self._qm

        def subscribe() -> Subscribed:
            return qm._subscribed(self._sd, self._queue)

        self._made = AsyncSubscription(qm, await qm._work(subscribe))
        return self._made

    def __await__(self) -> Generator[Any, None, AsyncSubscription]:
        return self._subscribe().__await__()

    async def __aenter__(self) -> AsyncSubscription:
        return await self._subscribe()

    async def __aexit__(self, *exc: object) -> None:
        if self._made is not None and not self._made._qm.closed:
            await self._made.close()
