"""A subscriber: workers that get messages of a queue or a subscription, each in a unit of work, and call the handler.

A worker holds one connection. It gets a message (or a batch) in syncpoint, has FastStream handle it, and the
acknowledgement ends the unit of work (message.py). `max_workers` workers compete for messages as other programs do.

    what happens                       what the worker does
    the handler is done                FastStream acknowledges by its policy, inside of `consume`
    the policy is MANUAL and the       backs out: the message is delivered again
      handler has not acknowledged
    the connection is lost             the queue manager backs out; goes on when the client has reconnected
    another MQ error                   logs it, pauses up to PAUSE_S_MAX, and tries again
    the subscriber is stopped          a waiting get is cancelled; a handler may finish (graceful_timeout), then it is
                                       cancelled too, and the message backed out
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextvars import Context
from typing import Any

from faststream._internal.endpoint.subscriber import SubscriberSpecification, SubscriberUsecase
from faststream._internal.endpoint.subscriber.call_item import CallsCollection
from faststream._internal.endpoint.utils import process_msg
from faststream._internal.utils.path import Address
from faststream.message import StreamMessage
from faststream.middlewares import AckPolicy
from faststream.specification.asyncapi.utils import resolve_payloads
from faststream.specification.schema import Message as MessageSpec
from faststream.specification.schema import Operation, SubscriberSpec

from flintmq.client.aio_queue import AsyncQueue
from flintmq.client.aio_seam import AsyncTransaction
from flintmq.client.aio_topic import AsyncSubscription
from flintmq.client.message import Message
from flintmq.integrations.faststream.config import (
    MQBrokerConfig,
    MQSubscriberConfig,
    MQSubscriberSpecificationConfig,
)
from flintmq.integrations.faststream.message import CURRENT, Delivered, Delivery, MQMessage, MQParser, Raw
from flintmq.integrations.faststream.producer import opened
from flintmq.integrations.faststream.publisher import MQReplyPublisher
from flintmq.mqi.call_errors import MQError

PAUSE_S_MAX = 5.0


class MQSubscriber(SubscriberUsecase[Any]):
    """Gets messages, and has handlers process them."""

    _outer_config: MQBrokerConfig

    def __init__(self, config: MQSubscriberConfig, specification: Any, calls: CallsCollection[Any]) -> None:
        self._place = config.place
        parser = MQParser()
        config.parser = parser.parse_batch if config.batch else parser.parse_message
        config.decoder = parser.decode_batch if config.batch else parser.decode_message
        super().__init__(config, specification, calls)
        self._message_parser = parser
        self.selector = config.selector
        self.durable_name = config.durable_name
        self.batch = config.batch
        self._max_workers = config.max_workers
        self._max_records = config.max_records
        self._batch_wait = config.batch_wait
        self._create = config.create
        self._source: AsyncQueue | AsyncSubscription | None = None
        self._workers: set[asyncio.Task[None]] = set()
        #: Units of work of get_one() and iteration that are not ended.
        self._open: set[_Apart] = set()

    @property
    def address(self) -> Address:
        """The queue or topic with the prefixes of the routers."""
        return self._place.address.add_prefix(self._outer_config.prefix)

    @property
    def queue(self) -> str:
        """The name of the queue, "" if it is a topic."""
        return "" if self._place.is_topic else self.address.broker_address

    @property
    def topic(self) -> str:
        """The topic string with wildcards, "" if it is a queue."""
        return self.address.broker_address if self._place.is_topic else ""

    def get_log_context(self, message: StreamMessage[Any] | None) -> dict[str, str]:
        """Return the fields of log lines of the subscriber."""
        return {"queue": self.queue or self.topic, "message_id": getattr(message, "message_id", "")}

    def _make_response_publisher(self, message: StreamMessage[Any]) -> Sequence[Any]:
        raw: Raw = message.raw_message
        request = raw[0] if isinstance(raw, tuple) else raw
        return (MQReplyPublisher(self._outer_config.producer, message.reply_to, request),)

    # -- start and stop -----------------------------------------------------------------------------------------------

    def _build_fastdepends_model(self) -> None:
        self._message_parser.pattern = self.address.regex  # The prefix of a router is known now.
        super()._build_fastdepends_model()

    async def start(self) -> None:
        """Open the queue, or subscribe, and start the workers. Raises MQError."""
        await super().start()
        if self.calls and not self._outer_config.in_memory and not self._workers:
            await self._open_source()
            self._post_start()
            for number in range(self._max_workers):
                task = asyncio.create_task(self._work(), name=f"{self.specification.call_name}-{number}")
                self._workers.add(task)
                task.add_done_callback(self._workers.discard)
        self._post_start()

    async def stop(self) -> None:
        """Get no more messages; wait for handlers as long as graceful_timeout says, then cancel them."""
        await super().stop()
        this = asyncio.current_task()
        workers = [task for task in self._workers if task is not this]
        for task in workers:
            task.cancel()
        if workers:
            await asyncio.gather(*workers, return_exceptions=True)
        for apart in list(self._open):
            await apart.leave(False)
        source, self._source = self._source, None
        if isinstance(source, AsyncSubscription) and not self._outer_config.qm.closed:
            await source.close()

    async def _open_source(self) -> AsyncQueue | AsyncSubscription:
        if self._source is not None:
            return self._source
        qm = self._outer_config.qm
        if self._place.is_topic:
            self._source = await qm.subscribe(
                self.topic, durable_name=self.durable_name, selector=self.selector or None
            )
        else:
            create = self._create or self._outer_config.create_queues
            attributes = dict(self._create) if not isinstance(self._create, bool) else {}
            self._source = await opened(qm, self.queue, bool(create), self.selector, **attributes)
        return self._source

    # -- workers ------------------------------------------------------------------------------------------------------

    async def _work(self) -> None:
        """Get and handle messages until the subscriber is stopped."""
        failures = 0
        while self.running:
            try:
                async with self._outer_config.qm.transaction() as unit:
                    while self.running:
                        messages = await self._receive()
                        failures = 0
                        if await self._handle(unit, messages):
                            await asyncio.sleep(PAUSE_S_MAX / 5)
            except MQError as error:
                if self._is_stopped():
                    return
                failures += 1
                pause = min(PAUSE_S_MAX, 0.05 * 2**failures)
                text = f"{self.queue or self.topic}: {error}; trying again in {pause:g} seconds"
                self._log(logging.ERROR, text, self.get_log_context(None))
                await asyncio.sleep(pause)

    def _is_stopped(self) -> bool:
        return not self.running

    async def _receive(self) -> list[Message]:
        """Wait for a message; of a batch, take those that are there, or come in time."""
        source = await self._open_source()
        found = [await source.get(wait=True)]
        if self.batch:
            loop = asyncio.get_running_loop()
            end = loop.time() + self._batch_wait
            while len(found) < self._max_records:
                more = await source.get_or_none(wait=max(0.0, end - loop.time()) or None)
                if more is None:
                    break
                found.append(more)
        return found

    async def _handle(self, unit: AsyncTransaction, messages: list[Message]) -> bool:
        """Have a unit of work processed and ended. Returns whether it was backed out because no queue takes it."""
        delivery = Delivery(self._outer_config.qm, unit, self._complain)
        delivery.messages = messages
        delivered = tuple(Delivered(message, delivery) for message in messages)
        token = CURRENT.set(delivery)
        try:
            if self.running:
                await self.consume(delivered if self.batch else delivered[0])
        finally:
            CURRENT.reset(token)
        if not delivery.ended:
            await delivery.nack()
        return delivery.refused

    def _complain(self, text: str) -> None:
        self._log(logging.ERROR, f"a rejected message stays: {text}", self.get_log_context(None))

    # -- without handlers ---------------------------------------------------------------------------------------------

    async def get_one(self, *, timeout: float = 5.0) -> MQMessage | None:
        """Get one message, None if none comes in time. With MANUAL it is yours to acknowledge, else it is done."""
        assert not self.calls, "You can't use `get_one` method if subscriber has registered handlers."
        source = await self._open_source()
        apart = _Apart(self)
        message = await apart.get(source, timeout)
        if message is None:
            return None
        raw: Raw = (message,) if self.batch else message
        if self.ack_policy is not AckPolicy.MANUAL:
            await apart.delivery.ack()
        parser, decoder = self._get_parser_and_decoder()
        context = self._outer_config.context
        found: MQMessage | None = await process_msg(  # type: ignore[assignment]
            msg=raw,
            middlewares=(middleware(raw, context=context) for middleware in self._broker_middlewares),
            parser=parser,
            decoder=decoder,
        )
        return found

    async def __aiter__(self) -> AsyncIterator[MQMessage]:
        """Iterate over messages as they come; each as by get_one."""
        while True:
            message = await self.get_one(timeout=60.0)
            if message is not None:
                yield message


class _Apart(AsyncTransaction):
    """A unit of work that is not the calling task's: puts of the caller meanwhile are not part of it."""

    def __init__(self, subscriber: MQSubscriber) -> None:
        self._subscriber = subscriber
        self._context = Context()
        qm = subscriber._outer_config.qm
        self._unit = qm.transaction()
        self.delivery = Delivery(qm, self, subscriber._complain)

    async def _in_context(self, call: Any) -> Any:
        return await asyncio.create_task(call, context=self._context)

    async def get(self, source: AsyncQueue | AsyncSubscription, timeout: float) -> Delivered | None:
        """Get a message, None if there is none in time."""
        await self._in_context(self._unit.__aenter__())
        self._subscriber._open.add(self)
        try:
            message: Message | None = await self._in_context(source.get_or_none(wait=timeout))
        except BaseException:
            await self.leave(False)
            raise
        if message is None:
            await self.leave(False)
            return None
        self.delivery.messages = [message]
        return Delivered(message, self.delivery)

    async def leave(self, commit: bool) -> None:
        """End the unit of work and give its connection back."""
        if self in self._subscriber._open:
            self._subscriber._open.discard(self)
            why = None if commit else asyncio.CancelledError
            await self._in_context(self._unit.__aexit__(why, None, None))

    async def commit(self) -> None:
        await self.leave(True)

    async def backout(self) -> None:
        await self.leave(False)

    async def set_aside(self, message: Message, reason: int = 0) -> str:
        return await (self._unit.set_aside(message, reason) if reason else self._unit.set_aside(message))


class MQSubscriberSpecification(SubscriberSpecification[MQBrokerConfig, MQSubscriberSpecificationConfig]):
    """The description of a subscriber in AsyncAPI."""

    @property
    def address(self) -> str:
        """The queue name, or the topic template."""
        return self.config.place.address.add_prefix(self._outer_config.prefix).template

    @property
    def channel_labels(self) -> list[str]:
        """One channel."""
        return [self.address]

    def get_schema(self) -> dict[str, SubscriberSpec]:
        """Return the channel."""
        message = MessageSpec(title=f"{self.name}:Message", payload=resolve_payloads(self.get_payloads()))
        operation = Operation(message=message, bindings=None)
        spec = SubscriberSpec(address=self.address, description=self.description, operation=operation, bindings=None)
        return {self.name: spec}
