"""A message in FastStream, and the unit of work that it was got in.

    Delivered    the raw message: a flintmq.Message that knows its Delivery
    Delivery     one unit of work: the get, the puts of the handler, and how it ends
    MQMessage    FastStream's message

How a delivery ends:

    ack       MQCMIT: the message is gone, the handler's puts can be got
    nack      MQBACK: the message is on its queue again, with a BackoutCount that is higher by one; no puts
    reject    the message goes to BOQNAME of its queue, or to the dead-letter queue, and MQCMIT; else, as nack

D1  A delivery ends once. Everything after that is outside of the unit of work.
D2  A put joins the unit of work only while `lock` is held and the delivery has not ended: a task of a handler that goes
    on after the handler cannot put into the unit of work of the next message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

from faststream._internal.utils.path import match_path
from faststream.message import StreamMessage, decode_message

from flintmq.client.aio_seam import AsyncTransaction
from flintmq.client.message import Message
from flintmq.integrations.faststream.headers import (
    CONTENT_TYPE,
    CORRELATION_ID,
    from_correl_id,
    to_headers,
)
from flintmq.mqi.constants import MQFMT_STRING

#: Character sets whose text is UTF-8 as it is.
_UTF8 = (0, 819, 1208)


class Delivery:
    """A unit of work of one message, or of a batch."""

    def __init__(self, qm: object, unit: AsyncTransaction, kept: Callable[[str], None]) -> None:
        self.qm = qm
        self.lock = asyncio.Lock()
        self.messages: Sequence[Message] = ()
        self.ended = False
        #: Whether a rejected message was backed out because no queue took it.
        self.refused = False
        self._unit = unit
        self._kept = kept

    async def ack(self) -> None:
        """Commit."""
        async with self.lock:
            if not self.ended:
                self.ended = True
                await self._unit.commit()

    async def nack(self) -> None:
        """Back out."""
        async with self.lock:
            if not self.ended:
                self.ended = True
                await self._unit.backout()

    async def reject(self) -> None:
        """Move the message to the backout queue or the dead-letter queue, and commit; else back out."""
        async with self.lock:
            if self.ended:
                return
            self.ended = True
            for message in self.messages:
                if not await self._unit.set_aside(message):
                    self.refused = True
                    self._kept(f"{message.queue_name} has no backout queue, and there is no dead-letter queue")
                    await self._unit.backout()
                    return
            await self._unit.commit()


#: The delivery that the running task handles.
CURRENT: ContextVar[Delivery | None] = ContextVar("flintmq_faststream_delivery", default=None)


class Delivered(Message):
    """A message that a subscriber got."""

    __slots__ = ("delivery",)

    def __init__(self, message: Message, delivery: Delivery | None = None) -> None:
        super().__init__(message.data, message.md, message.queue_name, message.properties)
        #: None for a message that is not in a unit of work any more.
        self.delivery = delivery


Raw = Delivered | tuple[Delivered, ...]


class MQMessage(StreamMessage[Any]):
    """A message, or a batch of them: FastStream's view. `raw_message` is the flintmq.Message, or a tuple of them."""

    @property
    def _delivery(self) -> Delivery | None:
        raw: Raw = self.raw_message
        first = raw[0] if isinstance(raw, tuple) else raw
        return first.delivery

    async def ack(self) -> None:
        """Commit the unit of work of the message. A second end of it does nothing."""
        if self.committed is None and self._delivery is not None:
            await self._delivery.ack()
        await super().ack()

    async def nack(self) -> None:
        """Back out: the message is delivered again, at once, until its queue's BOTHRESH is reached."""
        if self.committed is None and self._delivery is not None:
            await self._delivery.nack()
        await super().nack()

    async def reject(self) -> None:
        """Move the message to the backout queue of its queue, or to the dead-letter queue."""
        if self.committed is None and self._delivery is not None:
            await self._delivery.reject()
        await super().reject()


class MQParser:
    """Makes MQMessages of raw ones."""

    def __init__(self, pattern: Any = None) -> None:
        #: Finds the parameters of a topic template in a topic string.
        self.pattern = pattern

    async def parse_message(self, message: Delivered) -> MQMessage:
        """Parse one message."""
        headers = to_headers(message.properties)
        return MQMessage(
            raw_message=message,
            body=_body(message),
            headers=headers,
            reply_to=message.reply_to,
            path=match_path(self.pattern, message.topic or message.queue_name),
            content_type=headers.pop(CONTENT_TYPE, None),
            correlation_id=headers.pop(CORRELATION_ID, None) or from_correl_id(message.correlation_id),
            message_id=message.message_id.hex(),
        )

    async def parse_batch(self, messages: tuple[Delivered, ...]) -> MQMessage:
        """Parse a batch. A value that exists once (headers, correlation id, reply-to) is that of the first message."""
        parsed = [await self.parse_message(each) for each in messages]
        first = parsed[0]
        return MQMessage(
            raw_message=messages,
            body=[each.body for each in parsed],
            headers=first.headers,
            batch_headers=[each.headers for each in parsed],
            reply_to=first.reply_to,
            path=first.path,
            content_type=first.content_type,
            correlation_id=first.correlation_id,
            message_id=first.message_id,
        )

    async def decode_message(self, msg: StreamMessage[Any]) -> Any:
        """Decode by content type. Text without one is JSON if it can be, else text."""
        decoded = decode_message(msg)
        if isinstance(decoded, bytes) and not msg.content_type and msg.raw_message.format == MQFMT_STRING:
            try:
                return decoded.decode()
            except UnicodeDecodeError:
                return decoded
        return decoded

    async def decode_batch(self, msg: StreamMessage[Any]) -> list[Any]:
        """Decode each message of a batch."""
        return [await self.decode_message(await self.parse_message(each)) for each in msg.raw_message]


def _body(message: Message) -> bytes:
    """Return the data; text in another character set as UTF-8, if it can be read."""
    if message.format != MQFMT_STRING or message.md.coded_char_set_id in _UTF8:
        return message.data
    try:
        return message.text.encode()
    except (UnicodeDecodeError, LookupError):
        return message.data
