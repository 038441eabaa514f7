"""Puts and requests.

A put that a handler makes is part of the unit of work of the message that is being handled, so that it is there if, and
only if, the message is gone. Outside of handlers, after the message was acknowledged, and with syncpoint=False, a put
can be got by others at once. A request is always made at once: its answer could not come otherwise.
"""

from __future__ import annotations

import asyncio
from contextvars import Context
from dataclasses import dataclass
from typing import Any

from faststream._internal.endpoint.utils import ParserComposition
from faststream._internal.parser import BatchCodecProto, DefaultCodec
from faststream._internal.producer import ProducerProto
from faststream.exceptions import IncorrectState, SetupError

from flintmq.client.aio_queue import AsyncQueue
from flintmq.client.remote.aio import AsyncRemoteQueueManager
from flintmq.integrations.faststream.command import TIMEOUT_S, MQPublishCommand
from flintmq.integrations.faststream.headers import to_correl_id, to_properties
from flintmq.integrations.faststream.message import CURRENT, Delivered, MQParser
from flintmq.mqi.call_errors import CommandFailed, NoMessageAvailable, UnknownObject
from flintmq.mqi.constants import MQMT_REPLY, MQRO_PASS_CORREL_ID
from flintmq.mqi.md import NO_ID

_TEXT = ("text/", "application/json")


@dataclass
class Encoded:
    """A message as it is put."""

    data: bytes | str
    properties: dict[str, Any]

    @classmethod
    def of(cls, cmd: MQPublishCommand, data: bytes, content_type: str | None) -> Encoded:
        """Return text as str, so that it is put as MQSTR, which clients of any kind can read and convert."""
        properties = to_properties(cmd.headers, content_type, cmd.correlation_id)
        if content_type and content_type.startswith(_TEXT):
            try:
                return cls(data.decode(), properties)
            except UnicodeDecodeError:
                pass
        return cls(data, properties)


def descriptor_fields(cmd: MQPublishCommand) -> dict[str, Any]:
    """Return the options of a put, without its data."""
    fields: dict[str, Any] = {"priority": cmd.priority, "persistent": cmd.persistent, "expiry": cmd.expiry}
    request = cmd.request
    if request is None:
        fields["correlation_id"] = to_correl_id(cmd.correlation_id) if cmd.correlation_id else None
        fields["reply_to"] = cmd.reply_to or None
        return fields
    passes = request.md.report & MQRO_PASS_CORREL_ID and request.correlation_id != NO_ID
    fields["correlation_id"] = request.correlation_id if passes else request.message_id
    fields["message_type"] = MQMT_REPLY
    if cmd.persistent is None:
        fields["persistent"] = request.persistent
    return fields


async def opened(
    qm: AsyncRemoteQueueManager, name: str, create: bool, selector: str = "", **attributes: Any
) -> AsyncQueue:
    """Return a queue; define it if it is not there and `create` says so. Raises UnknownObject, CommandFailed ..."""
    if create:
        try:
            return await qm.queue(name, create=True, selector=selector, **attributes)
        except CommandFailed as error:
            try:  # Another program may have defined it a moment before.
                return await qm.queue(name, selector=selector)
            except UnknownObject:
                raise error from None
    return await qm.queue(name, selector=selector)


class MQProducer(ProducerProto[MQPublishCommand]):
    """Puts through the connection of a broker."""

    def __init__(self, parser: Any, decoder: Any, create_queues: bool) -> None:
        default = MQParser()
        self._parser = ParserComposition(parser, default.parse_message)
        self._decoder = ParserComposition(decoder, default.decode_message)
        self.codec: Any = DefaultCodec()
        self.serializer: Any = None
        self._qm: AsyncRemoteQueueManager | None = None
        self._create_queues = create_queues

    def connect(self, qm: AsyncRemoteQueueManager, serializer: Any, codec: Any) -> None:
        """Use a connection."""
        self._qm, self.serializer, self.codec = qm, serializer, codec or DefaultCodec()

    def disconnect(self) -> None:
        """Use it no more."""
        self._qm = None

    @property
    def qm(self) -> AsyncRemoteQueueManager:
        """The connection. Raises IncorrectState if there is none."""
        if self._qm is None:
            raise IncorrectState("the broker is not connected: await broker.connect() or broker.start() first")
        return self._qm

    async def publish(self, cmd: MQPublishCommand) -> bytes:
        """Put a message, or publish it to a topic, and return its message id."""
        encoded = Encoded.of(cmd, *await self.codec.encode(cmd.body, self.serializer))
        found: list[bytes] = await self._in_place(cmd, [encoded])
        return found[0]

    async def publish_batch(self, cmd: MQPublishCommand) -> list[bytes]:
        """Put messages in one unit of work, and return their message ids."""
        bodies = cmd.batch_bodies
        if isinstance(self.codec, BatchCodecProto):
            pairs = await self.codec.encode_batch(bodies, self.serializer)
        else:
            pairs = [await self.codec.encode(each, self.serializer) for each in bodies]
        return await self._in_place(cmd, [Encoded.of(cmd, *pair) for pair in pairs])

    async def request(self, cmd: MQPublishCommand) -> Delivered:
        """Put a request and wait for its answer. Raises TimeoutError if none comes in time."""
        if cmd.is_topic:
            raise SetupError("a request goes to a queue: nobody could say whose answer is the one")
        encoded = Encoded.of(cmd, *await self.codec.encode(cmd.body, self.serializer))
        timeout = cmd.timeout or TIMEOUT_S
        fields = {name: getattr(cmd, name) for name in ("priority", "persistent", "expiry")}
        queue = AsyncQueue(self.qm, cmd.destination)
        try:
            async with asyncio.timeout(timeout):
                answer = await queue.request(encoded.data, timeout=timeout, properties=encoded.properties, **fields)
        except NoMessageAvailable:
            raise TimeoutError(f"no answer from {cmd.destination} in {timeout:g} seconds") from None
        return Delivered(answer)

    async def _in_place(self, cmd: MQPublishCommand, all_encoded: list[Encoded]) -> list[bytes]:
        """Put in the unit of work of the message that is being handled, or outside of it; D2."""
        qm, delivery = self.qm, CURRENT.get()
        if delivery is None or delivery.qm is not qm:
            return await self._put_all(cmd, all_encoded, False)
        if cmd.syncpoint is not False:
            async with delivery.lock:
                if not delivery.ended:
                    return await self._put_all(cmd, all_encoded, True)
        # The client finds the unit of work of a task in its context: another context is outside of it.
        return await asyncio.create_task(self._put_all(cmd, all_encoded, False), context=Context())

    async def _put_all(self, cmd: MQPublishCommand, all_encoded: list[Encoded], in_unit: bool) -> list[bytes]:
        if len(all_encoded) == 1 or in_unit:
            return [await self._put(cmd, each) for each in all_encoded]
        async with self.qm.transaction():
            return [await self._put(cmd, each) for each in all_encoded]

    async def _put(self, cmd: MQPublishCommand, encoded: Encoded) -> bytes:
        qm, fields = self.qm, descriptor_fields(cmd)
        fields |= {"properties": encoded.properties, "delay": cmd.delay}
        if cmd.is_topic:
            return await qm.topic(cmd.destination).publish(encoded.data, retain=cmd.retain, **fields)
        if not cmd.destination:
            raise SetupError("a message is put to a queue or published to a topic: publish(message, 'QUEUE')")
        try:
            return await AsyncQueue(qm, cmd.destination).put(encoded.data, **fields)
        except UnknownObject:
            if not self._create_queues or cmd.request is not None:
                raise
            await opened(qm, cmd.destination, True)
            return await AsyncQueue(qm, cmd.destination).put(encoded.data, **fields)


class NoProducer(MQProducer):
    """The producer of a router that no broker includes yet."""

    def __init__(self) -> None:
        super().__init__(None, None, False)

    def __bool__(self) -> bool:
        return False
