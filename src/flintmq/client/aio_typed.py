"""Queues of one type, for tasks: values are put as JSON and read back.

Made by `queue.of(kind)`; payload.py has the rules.
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
    from flintmq.client.retry import Retry

T = TypeVar("T")


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


class AsyncTypedMessages(Generic[T]):
    """Iterator over the messages of a typed queue."""

    def __init__(self, messages: AsyncMessages | AsyncBrowser, codec: Codec[T]) -> None:
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
