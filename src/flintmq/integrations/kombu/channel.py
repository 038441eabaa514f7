"""A channel: the methods of AMQP that Kombu calls, on a queue manager.

    declare, bind, delete, purge     broker.py
    publish                          envelope.py, then a put or a publication
    consume, cancel                  puller.py
    ack, reject, recover             commit or roll back the branch of the message

`unacked` has every message that was delivered and is not settled, by its delivery tag, which counts from 1. Any thread
may acknowledge a message; everything else is called by the thread that has the connection.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from amqp.protocol import queue_declare_ok_t  # type: ignore[import-untyped]
from kombu.exceptions import ChannelError
from kombu.log import get_logger
from kombu.message import Message as KombuMessage
from kombu.transport import base

import flintmq
from flintmq.integrations.kombu import envelope, names
from flintmq.integrations.kombu.broker import MAXDEPTH, Broker
from flintmq.integrations.kombu.puller import Credit, Delivery, Puller, Source

logger = get_logger(__name__)

_KINDS = frozenset({"direct", "topic", "fanout"})
_EXPIRY_TENTHS_MAX = 999_999_999


class Message(KombuMessage):
    """A message that was delivered."""


class Channel(base.StdChannel):
    """A channel of a connection."""

    Message = Message

    def __init__(self, connection: Broker, channel_id: int) -> None:
        self.connection = connection
        self.channel_id = channel_id
        self.closed = False
        self.no_ack_consumers: set[str] = set()  # type: ignore[assignment]
        self._broker = connection
        self._prefix = self._broker.address.queue_prefix
        self._credit = Credit()
        self._puller: Puller | None = None
        self._sources: dict[str, Source] = {}
        self._callbacks: dict[str, Callable[[Any], object]] = {}
        self._tags = itertools.count(1)
        self._lock = threading.Lock()
        self._unacked: dict[int, Delivery] = {}
        #: Names of Kombu by consumer tag.
        self._queue_names: dict[str, str] = {}

    # -- exchanges ----------------------------------------------------------------------------------------------------

    def exchange_declare(
        self,
        exchange: str | None = None,
        type: str = "direct",
        durable: bool = False,
        auto_delete: bool = False,
        arguments: dict[str, Any] | None = None,
        nowait: bool = False,
        passive: bool = False,
    ) -> None:
        """Remember the type of an exchange. It is nothing on the queue manager: its bindings are.

        Raises ChannelError for a type that is not direct, topic or fanout, for an exchange that this connection has
        declared with another type, and with `passive` for one that it has not declared.
        """
        kind = type or "direct"
        exchange = exchange or f"amq.{kind}"
        known = self.connection.exchanges
        if passive:
            if exchange not in known:
                raise _not_found(f"no exchange {exchange!r}", "Channel.exchange_declare")
            return
        if kind not in _KINDS:
            text = f"COMMAND_INVALID - exchange {exchange!r}: type {kind!r} is not one of {sorted(_KINDS)}"
            raise ChannelError(text, (40, 10), "Channel.exchange_declare", "503")
        if known.setdefault(exchange, kind) != kind:
            text = f"PRECONDITION_FAILED - exchange {exchange!r} is of type {known[exchange]!r}, not {kind!r}"
            raise ChannelError(text, (40, 10), "Channel.exchange_declare", "406")

    def exchange_delete(self, exchange: str, if_unused: bool = False, nowait: bool = False) -> None:
        """Remove an exchange with its bindings."""
        self.connection.exchanges.pop(exchange, None)
        self._broker.unbind_all(exchange)

    def exchange_bind(self, *args: Any, **kwargs: Any) -> None:
        """Refuse: an exchange that is bound to an exchange has no counterpart."""
        raise NotImplementedError("transport does not support exchange_bind")

    def exchange_unbind(self, *args: Any, **kwargs: Any) -> None:
        """Refuse, as exchange_bind does."""
        raise NotImplementedError("transport does not support exchange_unbind")

    # -- queues -------------------------------------------------------------------------------------------------------

    def prepare_queue_arguments(self, arguments: dict[str, Any], **options: Any) -> dict[str, Any]:
        """Return the arguments of a queue with those options that Kombu has words of its own for."""
        prepared: dict[str, Any] = base.to_rabbitmq_queue_arguments(arguments, **options)
        return prepared

    def queue_declare(
        self,
        queue: str | None = None,
        passive: bool = False,
        durable: bool = False,
        exclusive: bool = False,
        auto_delete: bool = False,
        nowait: bool = False,
        arguments: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Make a queue unless there is one; return its name, its depth and the number of consumers.

        Exclusive or auto_delete: a temporary dynamic queue, which ends with this connection. Others are local queues;
        x-message-ttl becomes CAPEXPRY and x-max-length MAXDEPTH of a new one.
        """
        queue = queue or f"amq.gen-{uuid4()}"
        name = self._name(queue)
        if not passive:
            self._broker.declare(name, exclusive or auto_delete, _attributes(queue, arguments or {}))
        try:
            depth, consumers = self._broker.counts(name)
        except flintmq.UnknownObject:
            raise _not_found(f"no queue {queue!r}", "Channel.queue_declare") from None
        return queue_declare_ok_t(queue, depth, consumers)

    def queue_bind(
        self,
        queue: str,
        exchange: str | None = None,
        routing_key: str = "",
        arguments: dict[str, Any] | None = None,
        nowait: bool = False,
        **kwargs: Any,
    ) -> None:
        """Bind a queue to an exchange that this connection has declared."""
        exchange = exchange or "amq.direct"
        kind = self.connection.exchanges.get(exchange)
        if kind is None:
            if not exchange.startswith("amq."):
                raise _not_found(f"no exchange {exchange!r}", "Channel.queue_bind")
            kind = exchange.removeprefix("amq.")
        self._broker.bind(exchange, kind, routing_key or "", self._name(queue))

    def queue_unbind(
        self,
        queue: str,
        exchange: str | None = None,
        routing_key: str = "",
        arguments: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Remove a binding."""
        self._broker.unbind(exchange or "amq.direct", routing_key or "", self._name(queue))

    def queue_delete(self, queue: str, if_unused: bool = False, if_empty: bool = False, **kwargs: Any) -> int:
        """Delete a queue: how many messages were on it. One that is not there is no error.

        Consumers of this channel are cancelled. Raises ChannelError if another program has the queue open.
        """
        name = self._name(queue)
        try:
            depth, _ = self._broker.counts(name)
        except flintmq.UnknownObject:
            return 0
        if if_empty and depth:
            return 0
        if if_unused and any(source.queue == name for source in self._sources.values()):
            return 0
        for source in list(self._sources.values()):
            if source.queue == name:
                self.basic_cancel(source.consumer_tag)
        try:
            self._broker.delete(name)
        except (flintmq.ObjectInUse, flintmq.CommandFailed) as error:
            if if_unused:
                return 0
            text = f"RESOURCE_LOCKED - queue {queue!r} cannot be deleted: {error}"
            raise ChannelError(text, (50, 40), "Channel.queue_delete", "405") from error
        return depth

    def queue_purge(self, queue: str, nowait: bool = False, **kwargs: Any) -> int:
        """Remove the messages that nobody has got; how many."""
        try:
            return self._broker.purge(self._name(queue))
        except flintmq.UnknownObject:
            raise _not_found(f"no queue {queue!r}", "Channel.queue_purge") from None

    def after_reply_message_received(self, queue: str) -> None:
        """Do nothing: a reply queue is temporary, and ends with its connection."""

    def _name(self, queue: str) -> str:
        return names.queue_name(queue, self._prefix)

    # -- publish ------------------------------------------------------------------------------------------------------

    def prepare_message(
        self,
        body: Any,
        priority: int | None = None,
        content_type: str | None = None,
        content_encoding: str | None = None,
        headers: dict[str, Any] | None = None,
        properties: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the message for basic_publish."""
        properties = properties if properties is not None else {}
        if priority is not None:
            properties.setdefault("priority", priority)
        return {
            "body": body,
            "content-type": content_type,
            "content-encoding": content_encoding,
            "headers": headers or {},
            "properties": properties,
        }

    def basic_publish(
        self,
        message: dict[str, Any],
        exchange: str = "",
        routing_key: str = "",
        mandatory: bool = False,
        immediate: bool = False,
        **kwargs: Any,
    ) -> None:
        """Publish a message. When it returns, the queue manager has it, on disk if it is persistent.

        A message for a queue that is not there is dropped, as by AMQP; with `mandatory` it raises ChannelError.
        """
        exchange, routing_key = exchange or "", routing_key or ""
        data, arguments = envelope.encode(message, exchange, routing_key, self._prefix)
        if exchange:
            self._broker.publish(names.topic_string(exchange, routing_key), data, arguments)
            return
        try:
            self._broker.put(self._name(routing_key), data, arguments)
        except flintmq.UnknownObject:
            if mandatory:
                raise _not_found(f"no queue {routing_key!r}", "Channel.basic_publish") from None
            logger.warning("no queue %r on %s: the message is dropped", routing_key, self._broker.address)

    # -- consume ------------------------------------------------------------------------------------------------------

    def basic_consume(
        self,
        queue: str,
        no_ack: bool = False,
        callback: Callable[[Any], object] | None = None,
        consumer_tag: str | None = None,
        **kwargs: Any,
    ) -> str:
        """Have messages of a queue delivered by drain_events. Raises ChannelError if there is no such queue."""
        tag = consumer_tag or str(uuid4())
        name = self._name(queue)
        if not self._broker.exists(name):
            raise _not_found(f"no queue {queue!r}", "Channel.basic_consume")
        if callback is not None:
            self._callbacks[tag] = callback
        self._queue_names[tag] = queue
        self._sources[tag] = Source(tag, name, no_ack)
        if no_ack:
            self.no_ack_consumers.add(tag)
        if self._puller is None:
            self._puller = Puller(self._broker, self.connection.mailbox, self, self._credit)
        self._puller.set_sources(tuple(self._sources.values()))
        return tag

    def basic_cancel(self, consumer_tag: str, **kwargs: Any) -> None:
        """End a consumer. Messages that were delivered can still be acknowledged, others are put back."""
        source = self._sources.pop(consumer_tag, None)
        if source is None or self._puller is None:
            return
        self._puller.set_sources(tuple(self._sources.values()))
        for delivery in self.connection.mailbox.remove(self, consumer_tag):
            self._credit.delivered()
            self._put_back(delivery)
        self._callbacks.pop(consumer_tag, None)
        self.no_ack_consumers.discard(consumer_tag)

    def deliver(self, delivery: Delivery) -> None:
        """Call the consumer's callback with a message from the mailbox."""
        self._credit.delivered()
        callback = self._callbacks.get(delivery.consumer_tag)
        if callback is None or self.closed:
            self._put_back(delivery)
            return
        message = self._message(delivery, self._queue_names[delivery.consumer_tag])
        if delivery.no_ack:
            self._settle(delivery, True)
        callback(message)

    def basic_get(self, queue: str, no_ack: bool = False, **kwargs: Any) -> KombuMessage | None:
        """Get a message, without waiting. Raises ChannelError if there is no such queue."""
        try:
            got = self._broker.get(self._name(queue))
        except flintmq.UnknownObject:
            raise _not_found(f"no queue {queue!r}", "Channel.basic_get") from None
        if got is None:
            return None
        self._credit.took_directly()
        delivery = Delivery(self, "", *got, no_ack)
        message = self._message(delivery, queue)
        if no_ack:
            self._settle(delivery, True)
        return message

    def _message(self, delivery: Delivery, queue: str) -> KombuMessage:
        """Return the message for a callback. One that will be acknowledged is among the unacknowledged from now on."""
        tag = next(self._tags)
        arguments = envelope.decode(delivery.message, queue, self._prefix)
        if delivery.consumer_tag:
            arguments["delivery_info"]["consumer_tag"] = delivery.consumer_tag
        if not delivery.no_ack:
            with self._lock:
                self._unacked[tag] = delivery
        return self.Message(channel=self, delivery_tag=tag, **arguments)  # type: ignore[no-untyped-call]

    def message_to_python(self, raw_message: Any) -> Any:
        """Return a message as it is: it was converted when it was delivered."""
        return raw_message

    # -- settle -------------------------------------------------------------------------------------------------------

    def basic_qos(self, prefetch_size: int = 0, prefetch_count: int = 0, a_global: bool = False, **kwargs: Any) -> None:
        """Limit the number of messages that are not settled; 0 is without limit. prefetch_size is ignored."""
        self._credit.set_prefetch_count(prefetch_count)

    def basic_ack(self, delivery_tag: int, multiple: bool = False) -> None:
        """Take a message off its queue for good. Raises BranchLost if it is back on its queue."""
        self._settle_tags(delivery_tag, multiple, True)

    def basic_reject(self, delivery_tag: int, requeue: bool = False) -> None:
        """Put a message back on its place in the queue, or take it off without having worked on it."""
        self._settle_tags(delivery_tag, False, not requeue)

    def basic_recover(self, requeue: bool = False) -> None:
        """Put back everything that is not settled."""
        if not requeue:
            raise NotImplementedError("Does not support recover(requeue=False)")
        self._put_all_back()

    def _settle_tags(self, delivery_tag: int, multiple: bool, commit: bool) -> None:
        with self._lock:
            tags = [tag for tag in self._unacked if tag <= delivery_tag] if multiple else [delivery_tag]
            found = [self._unacked.pop(tag) for tag in tags if tag in self._unacked]
        for delivery in found:
            self._settle(delivery, commit)

    def _settle(self, delivery: Delivery, commit: bool) -> None:
        try:
            if commit:
                self._broker.commit(delivery.xid)
            else:
                self._broker.roll_back(delivery.xid)
        finally:
            if self._puller is not None:
                self._puller.settled(delivery.xid)
            self._credit.settled()

    def _put_back(self, delivery: Delivery) -> None:
        self._settle(delivery, False)

    def _put_all_back(self) -> None:
        with self._lock:
            left, self._unacked = list(self._unacked.values()), {}
        # The last one first: messages of one queue are on their old places again.
        for delivery in reversed(left):
            self._put_back(delivery)

    def close(self) -> None:
        """End consumers, and put back messages that are not settled. A second close does nothing."""
        if self.closed:
            return
        self.closed = True
        if self._broker.is_own:
            try:
                self._end()
            finally:
                self._broker.channels.remove(self)

    def _end(self) -> None:
        try:
            if self._puller is not None:
                self._puller.close()
            for delivery in self.connection.mailbox.remove(self):
                self._put_back(delivery)
            self._put_all_back()
        except flintmq.NotConnected:
            pass  # The queue manager has rolled back what was not settled.

    def flow(self, active: bool = True) -> None:
        """Refuse: prefetch_count limits the flow."""
        raise NotImplementedError("transport does not support flow")


def _attributes(queue: str, arguments: dict[str, Any]) -> dict[str, object]:
    """Return the attributes of a new local queue."""
    attributes: dict[str, object] = {"maxdepth": MAXDEPTH, "share": True, "defsopt": "SHARED"}
    if queue.isascii() and queue.isprintable():
        attributes["descr"] = f"Kombu: {queue}"[:64]
    if arguments.get("x-max-length") is not None:
        attributes["maxdepth"] = min(MAXDEPTH, int(arguments["x-max-length"]))
    if arguments.get("x-message-ttl") is not None:
        tenths = -(-int(arguments["x-message-ttl"]) // 100)
        attributes["capexpry"] = max(1, min(_EXPIRY_TENTHS_MAX, tenths))
    return attributes


def _not_found(text: str, method: str) -> ChannelError:
    return ChannelError(f"NOT_FOUND - {text}", (50, 10), method, "404")
