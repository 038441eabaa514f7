# Generated from src/flintmq/client/aio_typed.py by tools/generate_sync.py. Do not edit.
"""Queues, topics and subscriptions of one type, for threads: values are put as JSON and read back.

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
    from flintmq.client.browser import Browser
    from flintmq.client.consumer import Consumer, TypedHandler
    from flintmq.client.queue import Messages, Queue
    from flintmq.client.retry import Retry
    from flintmq.client.topic import Publications, Subscription, Topic

T = TypeVar("T")
A = TypeVar("A")


class TypedQueue(Generic[T]):
    """A queue with messages that are values of one type, as JSON. Made by `queue.of(kind)`.

    A message that cannot be read raises BadPayload, which names the field and the message id. In a transaction, and in
    `consume`, the message is backed out with it; outside, `error.message` is the message, which is off the queue.
    """

    def __init__(self, queue: Queue, codec: Codec[T]) -> None:
        #: The queue with messages as they are.
        self.queue = queue
        self._codec = codec

    def __repr__(self) -> str:
        return f"<TypedQueue {self.queue.name} of {self._codec.name}>"

    @property
    def name(self) -> str:
        """Return the name of the queue."""
        return self.queue.name

    def put(
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
        """Put a value and return the message id. Raise BadPayload if it has another type. See Queue.put."""
        return self.queue.put(
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

    def request(
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

        Raise NoMessageAvailable if no reply came, and BadPayload if it cannot be read. See Queue.request.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     queue = (qm.queue("LENGTHS", create=True)).of(str)
        ...     def answer(request):
        ...         replies = qm.queue(request.reply_to)
        ...         replies.put_json(len(request.value), correlation_id=request.message_id)
        ...     with queue.consume(answer):
        ...         print((queue.request("hello", int, timeout=5.0)).value)
        5
        """
        codec: Codec[A] = Codec(kind)
        return codec.read(
            self.queue.request(
                self._codec.dump(value),
                timeout=timeout,
                persistent=persistent,
                priority=priority,
                expiry=expiry,
                format=format,
                properties=properties,
            )
        )

    def get(
        self,
        *,
        wait: Wait = None,
        correlation_id: bytes | None = None,
        message_id: bytes | None = None,
        requeue_poison: bool = True,
        syncpoint: bool | None = None,
        selector: str = "",
    ) -> TypedMessage[T]:
        """Get the next message; `message.value` is its value. See Queue.get."""
        return self._codec.read(
            self.queue.get(
                wait=wait,
                correlation_id=correlation_id,
                message_id=message_id,
                requeue_poison=requeue_poison,
                syncpoint=syncpoint,
                selector=selector,
            )
        )

    def get_or_none(
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
            return self.get(
                wait=wait,
                correlation_id=correlation_id,
                message_id=message_id,
                requeue_poison=requeue_poison,
                syncpoint=syncpoint,
                selector=selector,
            )
        except NoMessageAvailable:
            return None

    def get_many(
        self,
        count: int,
        *,
        wait: Wait = None,
        correlation_id: bytes | None = None,
        requeue_poison: bool = True,
        syncpoint: bool | None = None,
        selector: str = "",
    ) -> list[TypedMessage[T]]:
        """Get up to `count` messages in one call. See Queue.get_many.

        If one cannot be read, BadPayload has it as `message` and the other messages of this call as `others`: outside
        of a transaction all of them are off the queue.
        """
        return self._codec.read_all(
            self.queue.get_many(
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
    ) -> TypedMessages[T]:
        """Get messages until there are no more, or none came in `wait` seconds."""
        return TypedMessages(
            self.queue.messages(wait=wait, correlation_id=correlation_id, selector=selector), self._codec
        )

    def __iter__(self) -> TypedMessages[T]:
        """Iterate over the messages as they arrive, without an end."""
        return self.messages(wait=True)

    def browse(self, *, wait: Wait = None, correlation_id: bytes | None = None, selector: str = "") -> TypedMessages[T]:
        """Browse the messages, first to last, and leave them on the queue."""
        return TypedMessages(
            self.queue.browse(wait=wait, correlation_id=correlation_id, selector=selector), self._codec
        )

    def consume(
        self,
        handler: TypedHandler[T],
        *,
        concurrency: int = 1,
        retry: Retry | None = None,
        correlation_id: bytes | None = None,
        message_id: bytes | None = None,
        requeue_poison: bool = True,
        selector: str = "",
    ) -> Consumer:
        """Call `handler` with each message; `message.value` is its value. See Queue.consume.

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


class TypedTopic(Generic[T]):
    """A topic with publications that are values of one type, as JSON. Made by `topic.of(kind)`."""

    def __init__(self, topic: Topic, codec: Codec[T]) -> None:
        #: The topic with publications as they are.
        self.topic = topic
        self._codec = codec

    def __repr__(self) -> str:
        return f"<TypedTopic {self.topic.name} of {self._codec.name}>"

    @property
    def name(self) -> str:
        """Return the topic string."""
        return self.topic.name

    def publish(
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
        """Publish a value and return the message id. Raise BadPayload if it has another type. See Topic.publish.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     with qm.subscribe("prices/+") as prices:
        ...         _ = qm.topic("prices/gold").of(float).publish(1811.4)
        ...         message = prices.of(float).get(wait=5.0)
        ...         print(message.topic, message.value)
        prices/gold 1811.4
        """
        return self.topic.publish(
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


class TypedSubscription(Generic[T]):
    """A subscription with publications that are values of one type. Made by `subscription.of(kind)`.

    A publication that cannot be read raises BadPayload, by the rules of TypedQueue. The subscription itself is
    closed by `subscription.close()`, or with its `with` block.
    """

    def __init__(self, subscription: Subscription, codec: Codec[T]) -> None:
        #: The subscription with publications as they are.
        self.subscription = subscription
        self._codec = codec

    def __repr__(self) -> str:
        return f"<TypedSubscription to {self.subscription.topic} of {self._codec.name}>"

    def get(self, *, wait: Wait = None, syncpoint: bool | None = None) -> TypedMessage[T]:
        """Get the next publication; `message.value` is its value. See Subscription.get."""
        return self._codec.read(self.subscription.get(wait=wait, syncpoint=syncpoint))

    def get_or_none(self, *, wait: Wait = None, syncpoint: bool | None = None) -> TypedMessage[T] | None:
        """Get the next publication, or None if there is none. See `get`."""
        try:
            return self.get(wait=wait, syncpoint=syncpoint)
        except NoMessageAvailable:
            return None

    def get_many(self, count: int, *, wait: Wait = None, syncpoint: bool | None = None) -> list[TypedMessage[T]]:
        """Get up to `count` publications in one call. See TypedQueue.get_many."""
        return self._codec.read_all(self.subscription.get_many(count, wait=wait, syncpoint=syncpoint))

    def messages(self, *, wait: Wait = None) -> TypedMessages[T]:
        """Get publications until there are no more, none came in `wait` seconds, or the subscription is closed."""
        return TypedMessages(self.subscription.messages(wait=wait), self._codec)

    def __iter__(self) -> TypedMessages[T]:
        """Iterate over the publications as they arrive, without an end."""
        return self.messages(wait=True)

    def browse(self, *, wait: Wait = None) -> TypedMessages[T]:
        """Browse the publications that are waiting, and leave them there."""
        return TypedMessages(self.subscription.browse(wait=wait), self._codec)

    def consume(
        self,
        handler: TypedHandler[T],
        *,
        concurrency: int = 1,
        retry: Retry | None = None,
        requeue_poison: bool = True,
    ) -> Consumer:
        """Call `handler` with each publication; `message.value` is its value. See TypedQueue.consume."""
        return self.subscription.consume(
            self._codec.reading(handler), concurrency=concurrency, retry=retry, requeue_poison=requeue_poison
        )


class TypedMessages(Generic[T]):
    """Iterator over the messages of a typed queue, or the publications of a typed subscription."""

    def __init__(self, messages: Messages | Browser | Publications, codec: Codec[T]) -> None:
        self._messages = messages
        self._codec = codec

    def __iter__(self) -> TypedMessages[T]:
        return self

    def __next__(self) -> TypedMessage[T]:
        return self._codec.read(self._messages.__next__())

    def __enter__(self) -> TypedMessages[T]:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End the iteration. A second close does nothing."""
        self._messages.close()
