"""Queues, topics and subscriptions of one type, for tasks: values are put as JSON and read back.

Made by `queue.of(kind)`, `topic.of(kind)` and `subscription.of(kind)`; payload.py has the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Generic, TypeVar

from flintmq.client.message import Wait
from flintmq.client.payload import Codec, TypedMessage
from flintmq.mqi.call_errors import NoMessageAvailable
from flintmq.mqi.property_values import Value

if TYPE_CHECKING:
    from flintmq.client.aio_consumer import AsyncConsumer, AsyncTypedHandler
    from flintmq.client.aio_queue import AsyncMessages, AsyncQueue
    from flintmq.client.aio_seam import AsyncBrowser
    from flintmq.client.aio_topic import AsyncPublications, AsyncSubscription, AsyncTopic
    from flintmq.client.retry import Retry

T = TypeVar("T")
A = TypeVar("A")


class AsyncTypedQueue(Generic[T]):
    """A queue with messages that are values of one type, as JSON. Made by `queue.of(kind)`.

    A message that cannot be read raises BadPayload, which names the field and the message id. In a transaction, and in
    `consume`, the message is backed out with it; outside, `error.message` is the message, which is off the queue.
    """

    def __init__(self, queue: AsyncQueue, codec: Codec[T]) -> None:
        #: The queue with messages as they are.
        self.queue = queue
        self._codec = codec

    def __repr__(self) -> str:
        return f"<AsyncTypedQueue {self.queue.name} of {self._codec.name}>"

    @property
    def name(self) -> str:
        """Return the name of the queue."""
        return self.queue.name

    async def put(
        self,
        value: T,
        *,
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
        syncpoint: bool | None = None,
        wait: bool = True,
    ) -> bytes:
        """Put a value and return the message id. Raise BadPayload if it has another type. See AsyncQueue.put."""
        return await self.queue.put(
            self._codec.dump(value),
            persistent=persistent,
            priority=priority,
            correlation_id=correlation_id,
            message_id=message_id,
            reply_to=reply_to,
            reply_to_queue_manager=reply_to_queue_manager,
            expiry=expiry,
            delay=delay,
            format=format,
            message_type=message_type,
            properties=properties,
            syncpoint=syncpoint,
            wait=wait,
        )

    async def request(
        self,
        value: T,
        kind: type[A],
        *,
        timeout: float,
        persistent: bool | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        format: str = "",
        properties: Mapping[str, Value] | None = None,
    ) -> TypedMessage[A]:
        """Put a value as a request and wait `timeout` seconds for its reply, whose value is of type `kind`.

        Raise NoMessageAvailable if no reply came, and BadPayload if it cannot be read. See AsyncQueue.request.

        >>> import asyncio, flintmq
        >>> async def main():
        ...     async with flintmq.aopen(":memory:") as qm:
        ...         queue = (await qm.queue("LENGTHS", create=True)).of(str)
        ...         async def answer(request):
        ...             replies = await qm.queue(request.reply_to)
        ...             await replies.put_json(len(request.value), correlation_id=request.message_id)
        ...         async with queue.consume(answer):
        ...             print((await queue.request("hello", int, timeout=5.0)).value)
        >>> asyncio.run(main())
        5
        """
        codec: Codec[A] = Codec(kind)
        return codec.read(
            await self.queue.request(
                self._codec.dump(value),
                timeout=timeout,
                persistent=persistent,
                priority=priority,
                expiry=expiry,
                format=format,
                properties=properties,
            )
        )

    async def get(
        self,
        *,
        wait: Wait = None,
        correlation_id: bytes | None = None,
        message_id: bytes | None = None,
        requeue_poison: bool = True,
        syncpoint: bool | None = None,
        selector: str = "",
    ) -> TypedMessage[T]:
        """Get the next message; `message.value` is its value. See AsyncQueue.get."""
        return self._codec.read(
            await self.queue.get(
                wait=wait,
                correlation_id=correlation_id,
                message_id=message_id,
                requeue_poison=requeue_poison,
                syncpoint=syncpoint,
                selector=selector,
            )
        )

    async def get_or_none(
        self,
        *,
        wait: Wait = None,
        correlation_id: bytes | None = None,
        message_id: bytes | None = None,
        requeue_poison: bool = True,
        syncpoint: bool | None = None,
        selector: str = "",
    ) -> TypedMessage[T] | None:
        """Get the next message, or None if there is none. See `get`."""
        try:
            return await self.get(
                wait=wait,
                correlation_id=correlation_id,
                message_id=message_id,
                requeue_poison=requeue_poison,
                syncpoint=syncpoint,
                selector=selector,
            )
        except NoMessageAvailable:
            return None

    async def get_many(
        self,
        count: int,
        *,
        wait: Wait = None,
        correlation_id: bytes | None = None,
        requeue_poison: bool = True,
        syncpoint: bool | None = None,
        selector: str = "",
    ) -> list[TypedMessage[T]]:
        """Get up to `count` messages in one call. See AsyncQueue.get_many.

        If one cannot be read, BadPayload has it as `message` and the other messages of this call as `others`: outside
        of a transaction all of them are off the queue.
        """
        return self._codec.read_all(
            await self.queue.get_many(
                count,
                wait=wait,
                correlation_id=correlation_id,
                requeue_poison=requeue_poison,
                syncpoint=syncpoint,
                selector=selector,
            )
        )

    def messages(
        self, *, wait: Wait = None, correlation_id: bytes | None = None, selector: str = ""
    ) -> AsyncTypedMessages[T]:
        """Get messages until there are no more, or none came in `wait` seconds."""
        return AsyncTypedMessages(
            self.queue.messages(wait=wait, correlation_id=correlation_id, selector=selector), self._codec
        )

    def __aiter__(self) -> AsyncTypedMessages[T]:
        """Iterate over the messages as they arrive, without an end."""
        return self.messages(wait=True)

    def browse(
        self, *, wait: Wait = None, correlation_id: bytes | None = None, selector: str = ""
    ) -> AsyncTypedMessages[T]:
        """Browse the messages, first to last, and leave them on the queue."""
        return AsyncTypedMessages(
            self.queue.browse(wait=wait, correlation_id=correlation_id, selector=selector), self._codec
        )

    def consume(
        self,
        handler: AsyncTypedHandler[T],
        *,
        concurrency: int = 1,
        retry: Retry | None = None,
        correlation_id: bytes | None = None,
        message_id: bytes | None = None,
        requeue_poison: bool = True,
        selector: str = "",
    ) -> AsyncConsumer:
        """Call `handler` with each message; `message.value` is its value. See AsyncQueue.consume.

        A message that cannot be read counts as a failure of the handler: it is backed out, and BOTHRESH or `retry`
        decide.
        """
        return self.queue.consume(
            self._codec.reading(handler),
            concurrency=concurrency,
            retry=retry,
            correlation_id=correlation_id,
            message_id=message_id,
            requeue_poison=requeue_poison,
            selector=selector,
        )


class AsyncTypedTopic(Generic[T]):
    """A topic with publications that are values of one type, as JSON. Made by `topic.of(kind)`."""

    def __init__(self, topic: AsyncTopic, codec: Codec[T]) -> None:
        #: The topic with publications as they are.
        self.topic = topic
        self._codec = codec

    def __repr__(self) -> str:
        return f"<AsyncTypedTopic {self.topic.name} of {self._codec.name}>"

    @property
    def name(self) -> str:
        """Return the topic string."""
        return self.topic.name

    async def publish(
        self,
        value: T,
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
        syncpoint: bool | None = None,
        wait: bool = True,
    ) -> bytes:
        """Publish a value and return the message id. Raise BadPayload if it has another type. See AsyncTopic.publish.

        >>> import asyncio, flintmq
        >>> async def main():
        ...     async with flintmq.aopen(":memory:") as qm:
        ...         async with qm.subscribe("prices/+") as prices:
        ...             _ = await qm.topic("prices/gold").of(float).publish(1811.4)
        ...             message = await prices.of(float).get(wait=5.0)
        ...             print(message.topic, message.value)
        >>> asyncio.run(main())
        prices/gold 1811.4
        """
        return await self.topic.publish(
            self._codec.dump(value),
            retain=retain,
            persistent=persistent,
            priority=priority,
            correlation_id=correlation_id,
            message_id=message_id,
            reply_to=reply_to,
            reply_to_queue_manager=reply_to_queue_manager,
            expiry=expiry,
            delay=delay,
            format=format,
            message_type=message_type,
            properties=properties,
            syncpoint=syncpoint,
            wait=wait,
        )


class AsyncTypedSubscription(Generic[T]):
    """A subscription with publications that are values of one type. Made by `subscription.of(kind)`.

    A publication that cannot be read raises BadPayload, by the rules of AsyncTypedQueue. The subscription itself is
    closed by `subscription.close()`, or with its `async with` block.
    """

    def __init__(self, subscription: AsyncSubscription, codec: Codec[T]) -> None:
        #: The subscription with publications as they are.
        self.subscription = subscription
        self._codec = codec

    def __repr__(self) -> str:
        return f"<AsyncTypedSubscription to {self.subscription.topic} of {self._codec.name}>"

    async def get(self, *, wait: Wait = None, syncpoint: bool | None = None) -> TypedMessage[T]:
        """Get the next publication; `message.value` is its value. See AsyncSubscription.get."""
        return self._codec.read(await self.subscription.get(wait=wait, syncpoint=syncpoint))

    async def get_or_none(self, *, wait: Wait = None, syncpoint: bool | None = None) -> TypedMessage[T] | None:
        """Get the next publication, or None if there is none. See `get`."""
        try:
            return await self.get(wait=wait, syncpoint=syncpoint)
        except NoMessageAvailable:
            return None

    async def get_many(self, count: int, *, wait: Wait = None, syncpoint: bool | None = None) -> list[TypedMessage[T]]:
        """Get up to `count` publications in one call. See AsyncTypedQueue.get_many."""
        return self._codec.read_all(await self.subscription.get_many(count, wait=wait, syncpoint=syncpoint))

    def messages(self, *, wait: Wait = None) -> AsyncTypedMessages[T]:
        """Get publications until there are no more, none came in `wait` seconds, or the subscription is closed."""
        return AsyncTypedMessages(self.subscription.messages(wait=wait), self._codec)

    def __aiter__(self) -> AsyncTypedMessages[T]:
        """Iterate over the publications as they arrive, without an end."""
        return self.messages(wait=True)

    def browse(self, *, wait: Wait = None) -> AsyncTypedMessages[T]:
        """Browse the publications that are waiting, and leave them there."""
        return AsyncTypedMessages(self.subscription.browse(wait=wait), self._codec)

    def consume(
        self,
        handler: AsyncTypedHandler[T],
        *,
        concurrency: int = 1,
        retry: Retry | None = None,
        requeue_poison: bool = True,
    ) -> AsyncConsumer:
        """Call `handler` with each publication; `message.value` is its value. See AsyncTypedQueue.consume."""
        return self.subscription.consume(
            self._codec.reading(handler), concurrency=concurrency, retry=retry, requeue_poison=requeue_poison
        )


class AsyncTypedMessages(Generic[T]):
    """Iterator over the messages of a typed queue, or the publications of a typed subscription."""

    def __init__(self, messages: AsyncMessages | AsyncBrowser | AsyncPublications, codec: Codec[T]) -> None:
        self._messages = messages
        self._codec = codec

    def __aiter__(self) -> AsyncTypedMessages[T]:
        return self

    async def __anext__(self) -> TypedMessage[T]:
        return self._codec.read(await self._messages.__anext__())

    async def __aenter__(self) -> AsyncTypedMessages[T]:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End the iteration. A second close does nothing."""
        await self._messages.aclose()
