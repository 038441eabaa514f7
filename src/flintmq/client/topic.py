# Generated from src/flintmq/client/aio_topic.py by tools/generate_sync.py. Do not edit.
"""Topics and subscriptions, for threads.

    gold = qm.topic("prices/gold")
    with qm.subscribe("prices/#") as prices:
        gold.publish("1811.40")
        message = prices.get(wait=5.0)
        print(message.topic, message.text)

A Topic is a topic string and a reference to a connection, as a Queue is. A subscription has a connection of
its own, and its publications are messages on a queue. A get uses the connection of the calling thread, so it belongs to
its transaction, and any number of threads may share the subscription.

    its queue       managed, unless `queue` names one: made by the queue manager, and removed with the subscription
    its end         durable (`durable_name`): it stays until `remove()`, after close() and after a restart
                    non-durable: with close(), with the `with` block, or when the object is dropped
    its user        the user that made it: another user can neither resume nor remove it (2434), unless it was made
                    with `any_user=True`
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

from flintmq.client.message import Data, Message, Wait, delay_ms, descriptor, payload, properties_of_put
from flintmq.client.queue import Queue
from flintmq.client.request import SCHEME
from flintmq.mqi.call_errors import NoMessageAvailable, UnknownObject
from flintmq.mqi.constants import MQPMO_ASYNC_RESPONSE, MQPMO_RETAIN
from flintmq.mqi.property_values import Value

if TYPE_CHECKING:
    from flintmq.client.browser import Browser
    from flintmq.client.consumer import Consumer, Handler
    from flintmq.client.retry import Retry
    from flintmq.client.seam import Owner
    from flintmq.client.subscribed import Subscribed
    from flintmq.client.typed import TypedSubscription, TypedTopic

T = TypeVar("T")


class Topic:
    """A topic by its string. Made by `qm.topic(topic_string)`."""

    __slots__ = ("_destination", "_owner", "name")

    def __init__(self, owner: Owner, topic_string: str) -> None:
        self._owner = owner
        self.name = topic_string
        self._destination = SCHEME + topic_string

    def __repr__(self) -> str:
        return f"<Topic {self.name}>"

    def publish(
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
        syncpoint: bool | None = None,
        wait: bool = True,
    ) -> bytes:
        """Publish a message to all matching subscriptions, and return its message id; all of them get it, or none.

        With `retain` it replaces the retained publication, for later subscriptions; it survives a restart if it is
        persistent. The other arguments are those of Queue.put. It is no error if no subscription matches. With
        `delay` it is published to the subscriptions at the end of the delay, and cannot be retained.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     gold = qm.topic("prices/gold")
        ...     _ = gold.publish("1811.40", retain=True)
        ...     with qm.subscribe("prices/+") as prices:
        ...         message = prices.get(wait=5.0)
        ...         print(message.topic, message.text)
        prices/gold 1811.40
        """
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
        if not (wait or delay):
            extra |= MQPMO_ASYNC_RESPONSE
        connection = self._owner._current()
        connection._put(self._destination, md, payload(data, md), syncpoint, made, extra, delay_ms(delay))
        return md.msg_id

    def publish_json(
        self,
        value: object,
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
        """Publish a value as JSON; see Queue.put_json and `publish`."""
        from flintmq.client.payload import dump_json

        return self.publish(
            dump_json(value),
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

    def of(self, kind: type[T]) -> TypedTopic[T]:
        """Return this topic with publications of one type, as JSON; see Queue.of."""
        from flintmq.client.payload import Codec
        from flintmq.client.typed import TypedTopic

        return TypedTopic(self, Codec(kind))


class Subscription:
    """A subscription. Made by `qm.subscribe(topic)`; close it, or use it in an `with` statement."""

    def __init__(self, owner: Owner, subscribed: Subscribed, read_ahead: bool | None = None) -> None:
        self._subscribed = subscribed
        self._queue = Queue(owner, subscribed.queue_name, "", read_ahead)

    def __repr__(self) -> str:
        name = f" {self.name}" if self.name else ""
        return f"<Subscription{name} to {self.topic}>"

    @property
    def topic(self) -> str:
        """Return the topic string of the subscription, with wildcards."""
        return self._subscribed.sd.res_object_string

    @property
    def name(self) -> str:
        """Return the name of a durable subscription, "" for a non-durable one."""
        return self._subscribed.sd.sub_name

    @property
    def queue(self) -> Queue:
        """Return the queue of the publications."""
        return self._queue

    def get(self, *, wait: Wait = None, convert: bool = False, syncpoint: bool | None = None) -> Message:
        """Get the next publication; `message.topic` is its topic. See Queue.get."""
        while True:
            try:
                return self._queue.get(
                    wait=wait, correlation_id=self._subscribed.correlation_id, convert=convert, syncpoint=syncpoint
                )
            except UnknownObject:
                if not self._subscribed.moved():
                    raise
                before = self._queue
                self._queue = Queue(before._owner, self._subscribed.queue_name, "", before.read_ahead)

    def get_or_none(self, *, wait: Wait = None, convert: bool = False, syncpoint: bool | None = None) -> Message | None:
        """Get the next publication, or None if there is none. See `get`."""
        try:
            return self.get(wait=wait, convert=convert, syncpoint=syncpoint)
        except NoMessageAvailable:
            return None

    def get_many(
        self, count: int, *, wait: Wait = None, convert: bool = False, syncpoint: bool | None = None
    ) -> list[Message]:
        """Get up to `count` publications in one call; see Queue.get_many."""
        return self._queue.get_many(
            count, wait=wait, correlation_id=self._subscribed.correlation_id, convert=convert, syncpoint=syncpoint
        )

    def messages(self, *, wait: Wait = None) -> Publications:
        """Get publications until there are no more, none came in `wait` seconds, or the subscription is closed."""
        return Publications(self, wait)

    def __iter__(self) -> Publications:
        """Iterate over the publications as they arrive, without an end."""
        return Publications(self, True)

    def browse(self, *, wait: Wait = None) -> Browser:
        """Browse the publications that are waiting, and leave them there."""
        return self._queue.browse(wait=wait, correlation_id=self._subscribed.correlation_id)

    def consume(
        self,
        handler: Handler,
        *,
        concurrency: int = 1,
        retry: Retry | None = None,
        convert: bool = False,
        requeue_poison: bool = True,
    ) -> Consumer:
        """Call `handler` with each publication, in a unit of work of its own; see Queue.consume."""
        return self._queue.consume(
            handler,
            concurrency=concurrency,
            retry=retry,
            correlation_id=self._subscribed.correlation_id,
            convert=convert,
            requeue_poison=requeue_poison,
        )

    def of(self, kind: type[T]) -> TypedSubscription[T]:
        """Return this subscription with publications of one type, as JSON; see Queue.of."""
        from flintmq.client.payload import Codec
        from flintmq.client.typed import TypedSubscription

        return TypedSubscription(self, Codec(kind))

    def request(self) -> int:
        """Request the retained publications again (MQSUBRQ), and return their number."""
        return self._subscribed.request()

    def close(self) -> None:
        """Close it. A durable subscription stays for the next time; another ends, with its waiting publications."""
        self._subscribed.leave()

    def remove(self) -> None:
        """End it, durable or not, and remove its managed queue. Raise MQError if a durable one was closed before."""
        self._subscribed.remove()

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class Publications:
    """Iterator that gets the publications of a subscription. Made by `subscription.messages()`."""

    def __init__(self, subscription: Subscription, wait: Wait) -> None:
        self._subscription = subscription
        self._wait = wait
        self._over = False

    def __iter__(self) -> Publications:
        return self

    def __next__(self) -> Message:
        message = None
        if not self._over:
            try:
                message = self._subscription.get_or_none(wait=self._wait)
            except UnknownObject:
                if not self._subscription._subscribed.closed:
                    raise
        if message is None:
            self._over = True
            raise StopIteration
        return message

    def __enter__(self) -> Publications:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End the iteration. A second close does nothing."""
        self._over = True
