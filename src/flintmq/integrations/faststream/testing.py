"""TestMQBroker: handlers are called by `publish` itself, in memory; there is no queue manager.

    async with TestMQBroker(broker) as test:
        await test.publish({"id": 1}, "ORDERS")
        handle.mock.assert_called_once_with({"id": 1})

A message for a queue goes to the first subscriber of the queue whose selector takes it, a publication to each whose
topic and selector match. A put that the queue manager would refuse (a priority of 10, a bad property) is refused here
too. Delay, expiry and units of work have no effect.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import AsyncMock

from faststream._internal.endpoint.utils import ParserComposition
from faststream._internal.parser import BatchCodecProto, DefaultCodec
from faststream._internal.testing.broker import EnterType, TestBroker, change_producer
from faststream.exceptions import SubscriberNotFound

from flintmq.client.message import Message, delay_ms, descriptor, payload, properties_of_put
from flintmq.integrations.faststream.broker import MQBroker
from flintmq.integrations.faststream.command import TIMEOUT_S, MQPublishCommand
from flintmq.integrations.faststream.message import Delivered, MQParser
from flintmq.integrations.faststream.producer import Encoded, MQProducer, descriptor_fields
from flintmq.integrations.faststream.publisher import MQPublisher
from flintmq.integrations.faststream.subscriber import MQSubscriber
from flintmq.selector import Values, compile_selector


class TestMQBroker(TestBroker[MQBroker, EnterType], broker=MQBroker):
    """Tests a broker without a queue manager. With `with_real=True` with one, and the mocks all the same."""

    def create_publisher_fake_subscriber(self, broker: MQBroker, publisher: MQPublisher) -> tuple[MQSubscriber, bool]:
        """Return a subscriber for the messages of the publisher, and whether it is one of the application."""
        for subscriber in _subscribers(self.brokers):
            if _is_for(subscriber, publisher.queue, publisher.topic):
                return subscriber, True
        return broker.subscriber(publisher.queue, topic=publisher.topic, persistent=False), False

    @contextmanager
    def _patch_producer(self, broker: MQBroker) -> Generator[None, None, None]:
        config = broker.config.broker_config
        with change_producer(config, FakeProducer(broker, self.brokers)):
            config.in_memory = True
            try:
                yield
            finally:
                config.in_memory = False

    async def _fake_connect(self, broker: MQBroker, *args: Any, **kwargs: Any) -> Any:
        return AsyncMock()


class FakeProducer(MQProducer):
    """Calls handlers instead of putting messages."""

    def __init__(self, broker: MQBroker, brokers: Sequence[MQBroker]) -> None:
        default = MQParser()
        self._parser = ParserComposition(broker._parser, default.parse_message)
        self._decoder = ParserComposition(broker._decoder, default.decode_message)
        self.codec = broker.config.broker_codec or DefaultCodec()
        self._broker = broker
        self._brokers = brokers

    async def publish(self, cmd: MQPublishCommand) -> bytes:
        """Have the handlers called. Their exceptions are raised here."""
        data, content_type = await self.codec.encode(cmd.body, self._broker.config.fd_config._serializer)
        message = _message(cmd, Encoded.of(cmd, data, content_type))
        for subscriber in self._wanted(cmd, message):
            await subscriber.process_message((message,) if subscriber.batch else message)
        return message.message_id

    async def publish_batch(self, cmd: MQPublishCommand) -> list[bytes]:
        """The same with a batch: a subscriber of batches gets it whole."""
        serializer = self._broker.config.fd_config._serializer
        if isinstance(self.codec, BatchCodecProto):
            pairs = await self.codec.encode_batch(cmd.batch_bodies, serializer)
        else:
            pairs = [await self.codec.encode(each, serializer) for each in cmd.batch_bodies]
        messages = tuple(_message(cmd, Encoded.of(cmd, *pair)) for pair in pairs)
        if messages:
            for subscriber in self._wanted(cmd, messages[0]):
                for each in [messages] if subscriber.batch else messages:
                    await subscriber.process_message(each)
        return [message.message_id for message in messages]

    async def request(self, cmd: MQPublishCommand) -> Delivered:
        """Return the answer of the handler. Raises SubscriberNotFound, TimeoutError."""
        serializer = self._broker.config.fd_config._serializer
        message = _message(cmd, Encoded.of(cmd, *await self.codec.encode(cmd.body, serializer)))
        for subscriber in self._wanted(cmd, message):
            async with asyncio.timeout(cmd.timeout or TIMEOUT_S):
                result = await subscriber.process_message((message,) if subscriber.batch else message)
            answer = MQPublishCommand.from_cmd(result.as_publish_command())
            answer.request = message
            return _message(answer, Encoded.of(answer, *await self.codec.encode(answer.body, serializer)))
        raise SubscriberNotFound(f"no subscriber gets messages from {cmd.destination}")

    def _wanted(self, cmd: MQPublishCommand, message: Message) -> list[MQSubscriber]:
        queue, topic = ("", cmd.destination) if cmd.is_topic else (cmd.destination, "")
        found = [
            subscriber
            for subscriber in _subscribers(self._brokers)
            if subscriber.calls and _is_for(subscriber, queue, topic) and _selects(subscriber.selector, message)
        ]
        return found if cmd.is_topic else found[:1]


def _subscribers(brokers: Sequence[MQBroker]) -> list[MQSubscriber]:
    return [each for broker in brokers for each in broker.subscribers if isinstance(each, MQSubscriber)]


def _is_for(subscriber: MQSubscriber, queue: str, topic: str) -> bool:
    if topic:
        return bool(subscriber.topic) and topic_matches(subscriber.topic, topic)
    return bool(queue) and subscriber.queue == queue


def topic_matches(pattern: str, topic: str) -> bool:
    """Return whether a topic string with the wildcards + and # means a topic.

    >>> [topic_matches("prices/#", each) for each in ("prices", "prices/gold", "price")]
    [True, True, False]
    >>> topic_matches("prices/+/usd", "prices/gold/usd")
    True
    """
    first, _, rest = pattern.partition("/")
    if first == "#":
        return not rest or any(topic_matches(rest, each) for each in _suffixes(topic))
    level, slash, below = topic.partition("/")
    if first not in ("+", level):
        return False
    if not rest:
        return not slash
    return topic_matches(rest, below) if slash else rest == "#"


def _suffixes(topic: str) -> list[str]:
    levels = topic.split("/")
    return ["/".join(levels[start:]) for start in range(len(levels))]


def _selects(selector: str, message: Message) -> bool:
    if not selector:
        return True
    values = {**message.properties, "JMSPriority": message.priority}
    return compile_selector(selector).matches(Values(values))


_made = 0


def _message(cmd: MQPublishCommand, encoded: Encoded) -> Delivered:
    """Return the message as a subscriber would get it. Raises MQError, TypeError, ValueError as a put does."""
    global _made
    fields: dict[str, Any] = {"message_id": None, "reply_to_queue_manager": "", "format": "", "message_type": None}
    fields |= descriptor_fields(cmd)
    fields.setdefault("reply_to", None)
    md = descriptor(**fields)
    data = payload(encoded.data, md)
    delay_ms(cmd.delay)
    made = properties_of_put(encoded.properties)
    properties = {item.name: item.value for item in made.items} if made is not None else {}
    if cmd.is_topic:
        properties["mqps.Top"] = cmd.destination
    _made += 1
    md.msg_id = b"TEST" + _made.to_bytes(20, "big")
    md.persistence, md.priority = max(md.persistence, 0) % 2, max(md.priority, 0)
    return Delivered(Message(data, md, "" if cmd.is_topic else cmd.destination, properties))
