# Generated from src/flintmq/client/aio_typed.py by tools/generate_sync.py. Do not edit.
"""Queues of one type, for threads: values are put as JSON and read back.

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
    from flintmq.client.browser import Browser
    from flintmq.client.consumer import Consumer, TypedHandler
    from flintmq.client.queue import Messages, Queue
    from flintmq.client.retry import Retry

T = TypeVar("T")


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


class TypedMessages(Generic[T]):
    """Iterator over the messages of a typed queue."""

    def __init__(self, messages: Messages | Browser, codec: Codec[T]) -> None:
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
