"""The API for asyncio, wherever the queue manager is: AsyncQueue and what it asks of a queue manager.

AsyncCalls         queue(), topic(), subscribe(), transaction(), mqsc(): in this process aio.py, else remote/aio.py
AsyncQueue         put, get, browse, iterate
AsyncMessages      `async for message in queue`
AsyncTransaction   a unit of work as a block
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncIterator, Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from flintmq.client.commands import CommandReply
from flintmq.client.errors import NoMessageAvailable
from flintmq.client.message import (
    Data,
    Message,
    Wait,
    delay_ms,
    descriptor,
    length_wanted,
    payload,
    properties_of_put,
    selection,
)
from flintmq.client.queue import ahead_option, get_options, want_token, wanted
from flintmq.client.replay import queue_of_dead_letters
from flintmq.mqi.constants import MQFB_APPL_FIRST, MQPMO_ASYNC_RESPONSE
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.properties import MessageProperties
from flintmq.mqi.property_values import Value
from flintmq.mqi.sd import MQSD

if TYPE_CHECKING:
    from flintmq.client.aio_topic import AsyncTopic, Subscribing
    from flintmq.client.calls import Calls
    from flintmq.client.topic import Subscribed

T = TypeVar("T")


class AsyncCalls:
    """A queue manager, for the tasks of one event loop; in this process (aio.py) or elsewhere (remote/aio.py)."""

    def __init__(self) -> None:
        #: Tasks whose cancellation was put off because a get could not be undone any more.
        self._owed: weakref.WeakSet[asyncio.Task[Any]] = weakref.WeakSet()

    def _pay(self) -> None:
        """Raise the cancellation that the running task is owed, if it still stands."""
        if self._owed:
            task = asyncio.current_task()
            if task is not None and task in self._owed:
                self._owed.discard(task)
                if task.cancelling():
                    raise asyncio.CancelledError

    def _owe(self) -> None:
        """The running task was cancelled, and will hear of it with its next call."""
        task = asyncio.current_task()
        if task is not None:
            self._owed.add(task)

    async def queue(
        self,
        name: str,
        create: bool = False,
        selector: str = "",
        read_ahead: bool | None = None,
        **attributes: object,
    ) -> AsyncQueue:
        """The queue called `name`; see QueueManager.queue."""
        if create:
            await self._create_queue(name, attributes)
        elif attributes:
            raise TypeError("attributes are for queues that are created: queue(name, create=True, ...)")
        else:
            await self._check_queue(name)
        return AsyncQueue(self, name, selector, read_ahead)

    def topic(self, topic_string: str) -> AsyncTopic:
        """The topic `topic_string`, to publish to; see QueueManager.topic."""
        from flintmq.client.aio_topic import AsyncTopic

        return AsyncTopic(self, topic_string)

    def subscribe(
        self,
        topic: str,
        *,
        durable_name: str | None = None,
        selector: str | None = None,
        wildcard: str = "topic",
        queue: str | None = None,
        new_only: bool = False,
        on_request: bool = False,
        user_data: str = "",
        correlation_id: bytes | None = None,
        expiry: float | None = None,
        any_user: bool = False,
    ) -> Subscribing:
        """Subscribe: `async with qm.subscribe(topic) as subscription:` or `await`; see QueueManager.subscribe."""
        from flintmq.client.aio_topic import Subscribing
        from flintmq.client.topic import subscription_descriptor

        sd = subscription_descriptor(
            topic,
            durable_name,
            selector,
            wildcard,
            queue,
            new_only,
            on_request,
            user_data,
            correlation_id,
            expiry,
            any_user,
        )
        return Subscribing(self, sd, queue)

    def transaction(self) -> AsyncTransaction:
        """A unit of work: `async with qm.transaction():`. Other tasks are not part of it."""
        raise NotImplementedError

    async def mqsc(self, text: str, *, check: bool = True) -> CommandReply:
        """Run MQSC commands; see QueueManager.mqsc."""
        raise NotImplementedError

    async def flush(self) -> int:
        """What became of puts with `wait=False`, outside of a transaction; see QueueManager.flush."""
        raise NotImplementedError

    async def dead_letters(self, queue: str = "") -> AsyncIterator[Message]:
        """Browse the dead-letter queue: `async for message in qm.dead_letters():`; see QueueManager.dead_letters."""
        name = queue or await self._work(lambda: queue_of_dead_letters(self._in_worker().mqi))
        async for message in (await self.queue(name)).browse():
            yield message

    async def replay(self, message: Message, *, queue: str = "", queue_manager: str = "") -> None:
        """Put a dead letter where it was to go, or on `queue`; see QueueManager.replay."""
        await self._work(lambda: self._in_worker().replay(message, queue=queue, queue_manager=queue_manager))

    @property
    def closed(self) -> bool:
        """Whether it can no longer be used."""
        raise NotImplementedError

    # -- what is done otherwise in this process and over a channel ----------------------------------------------------

    async def _create_queue(self, name: str, attributes: dict[str, object]) -> None:
        """Define a local queue, unless there is one."""
        raise NotImplementedError

    async def _check_queue(self, name: str) -> None:
        """UnknownObject if the name leads nowhere."""
        raise NotImplementedError

    async def _work(self, call: Callable[[], T]) -> T:
        """Run something that may take long in a worker. It is done even if the task is cancelled meanwhile."""
        raise NotImplementedError

    def _in_worker(self) -> Calls:
        """Return the queue manager for a call that a worker thread makes."""
        raise NotImplementedError

    def _subscribed(self, sd: MQSD, queue: str | None) -> Subscribed:
        """Subscribe; called in a worker."""
        raise NotImplementedError

    async def _put(
        self,
        name: str,
        md: MQMD,
        data: bytes,
        properties: MessageProperties | None,
        extra_options: int = 0,
        delay_ms: int = 0,
    ) -> None:
        """Put to the queue, or publish to the topic, `name`."""
        raise NotImplementedError

    async def _get(
        self, name: str, md: MQMD, gmo: MQGMO, length: int, requeue: bool, selector: str, open_options: int = 0
    ) -> Message:
        """Get from the queue `name`. `open_options` say whether it is read ahead."""
        raise NotImplementedError

    async def _request(
        self, name: str, md: MQMD, data: bytes, properties: MessageProperties | None, timeout: float, convert: bool
    ) -> Message:
        """Put a request, and get its answer; request.py."""
        raise NotImplementedError

    def _browse(
        self,
        name: str,
        wait: Wait,
        correlation_id: bytes | None,
        message_id: bytes | None,
        selector: str,
        open_options: int = 0,
        max_length: int = -1,
    ) -> AsyncIterator[Message]:
        """The messages of a queue, one after the other."""
        raise NotImplementedError

    def _depth(self, name: str) -> int:
        """CURDEPTH, at once."""
        raise NotImplementedError

    async def _inquire_depth(self, name: str) -> int:
        """CURDEPTH."""
        raise NotImplementedError

    async def _clear(self, name: str) -> None:
        """CLEAR QLOCAL."""
        raise NotImplementedError


class AsyncTransaction:
    """A unit of work of one task. Made by `qm.transaction()`."""

    async def __aenter__(self) -> AsyncTransaction:
        raise NotImplementedError

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        raise NotImplementedError

    async def commit(self) -> None:
        """Commit so far; the block goes on in a new unit of work."""
        raise NotImplementedError

    async def backout(self) -> None:
        """Undo so far; the block goes on in a new unit of work."""
        raise NotImplementedError

    async def set_aside(self, message: Message, reason: int = MQFB_APPL_FIRST) -> str:
        """Put a copy of a message that was got in the transaction to the backout queue of its queue (BOQNAME).

        If there is none, or it does not take the message, the copy goes to the dead-letter queue; `reason` is for its
        header (MQDLH). Returns the name of the queue, "" if neither takes the message. The put is part of the
        transaction: after the commit the message is there, and no longer on its queue.
        """
        raise NotImplementedError


class AsyncQueue:
    """A queue by name. Made by `await qm.queue(name)`. The arguments are those of Queue."""

    __slots__ = ("_qm", "name", "read_ahead", "selector")

    def __init__(self, qm: AsyncCalls, name: str, selector: str = "", read_ahead: bool | None = None) -> None:
        self._qm = qm
        self.name = name
        #: Only messages that it selects are got and browsed here; "" for all.
        self.selector = selector
        #: Whether messages are sent before they are asked for; None leaves it to the queue (DEFREADA).
        self.read_ahead = read_ahead

    def __repr__(self) -> str:
        return f"<AsyncQueue {self.name}>"

    async def put(
        self,
        data: Data,
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
        wait: bool = True,
    ) -> bytes:
        """Put a message and return its message id; see Queue.put."""
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
        options = 0 if wait or delay else MQPMO_ASYNC_RESPONSE
        await self._qm._put(self.name, md, payload(data, md), made, options, delay_ms(delay))
        return md.msg_id

    async def request(
        self,
        data: Data,
        *,
        timeout: float,
        persistent: bool | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        format: str = "",
        properties: Mapping[str, Value] | None = None,
        convert: bool = False,
    ) -> Message:
        """Put a request and wait for its answer; see Queue.request. Many tasks may do so at once."""
        md = descriptor(persistent, priority, None, None, None, "", expiry, format, None)
        made = properties_of_put(properties) if properties else None
        return await self._qm._request(self.name, md, payload(data, md), made, timeout, convert)

    async def get(
        self,
        *,
        wait: Wait = None,
        correlation_id: bytes | None = None,
        message_id: bytes | None = None,
        convert: bool = False,
        max_length: int | None = None,
        truncate: bool = False,
        requeue_poison: bool = True,
        selector: str = "",
        token: bytes | None = None,
    ) -> Message:
        """Get a message; see Queue.get. If the task is cancelled while this waits, no message is lost."""
        md = wanted(correlation_id, message_id)
        gmo = get_options(wait, convert, truncate)
        length = length_wanted(max_length)
        wanted_by = selection(selector or self.selector)
        if token is not None:
            want_token(gmo, token)
        ahead = ahead_option(self.read_ahead)
        return await self._qm._get(self.name, md, gmo, length, requeue_poison, wanted_by, ahead)

    async def get_or_none(
        self,
        *,
        wait: Wait = None,
        correlation_id: bytes | None = None,
        message_id: bytes | None = None,
        convert: bool = False,
        requeue_poison: bool = True,
        selector: str = "",
    ) -> Message | None:
        """As `get`, but None if there is no message."""
        try:
            return await self.get(
                wait=wait,
                correlation_id=correlation_id,
                message_id=message_id,
                convert=convert,
                requeue_poison=requeue_poison,
                selector=selector,
            )
        except NoMessageAvailable:
            return None

    def messages(self, *, wait: Wait = None, correlation_id: bytes | None = None, selector: str = "") -> AsyncMessages:
        """Get messages until there are no more, or none came for `wait` seconds: `async for message in ...`."""
        return AsyncMessages(self, wait, correlation_id, selector)

    def __aiter__(self) -> AsyncMessages:
        """`async for message in queue:` the messages as they come, without an end."""
        return AsyncMessages(self, True, None)

    def browse(
        self,
        *,
        wait: Wait = None,
        correlation_id: bytes | None = None,
        message_id: bytes | None = None,
        selector: str = "",
        read_ahead: bool | None = None,
        max_length: int | None = None,
    ) -> AsyncIterator[Message]:
        """Look at the messages, first to last, and leave them where they are; see Queue.browse."""
        ahead = ahead_option(self.read_ahead if read_ahead is None else read_ahead)
        length = length_wanted(max_length)
        wanted_by = selection(selector or self.selector)
        return self._qm._browse(self.name, wait, correlation_id, message_id, wanted_by, ahead, length)

    @property
    def depth(self) -> int:
        """CURDEPTH: how many messages are on the queue, with uncommitted puts and without uncommitted gets.

        Of a queue manager elsewhere it has to be waited for: `await queue.inquire_depth()`.
        """
        return self._qm._depth(self.name)

    async def inquire_depth(self) -> int:
        """The same, wherever the queue manager is."""
        return await self._qm._inquire_depth(self.name)

    async def clear(self) -> None:
        """Remove all messages."""
        await self._qm._clear(self.name)


class AsyncMessages:
    """The messages of a queue, one after the other; in a transaction each belongs to it.

    >>> import asyncio, flintmq
    >>> async def main():
    ...     async with flintmq.aopen(":memory:") as qm:
    ...         queue = await qm.queue("A", create=True)
    ...         for text in ("a", "b"):
    ...             _ = await queue.put(text)
    ...         async with queue.messages(wait=0.01) as messages:
    ...             return [message.text async for message in messages]
    >>> asyncio.run(main())
    ['a', 'b']
    """

    def __init__(self, queue: AsyncQueue, wait: Wait, correlation_id: bytes | None, selector: str = "") -> None:
        self._queue = queue
        self._wait = wait
        self._correlation_id = correlation_id
        self._selector = selector
        self._over = False

    def __aiter__(self) -> AsyncMessages:
        return self

    async def __anext__(self) -> Message:
        if self._over:
            raise StopAsyncIteration
        message = await self._queue.get_or_none(
            wait=self._wait, correlation_id=self._correlation_id, selector=self._selector
        )
        if message is None:
            self._over = True
            raise StopAsyncIteration
        return message

    async def __aenter__(self) -> AsyncMessages:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """No more messages."""
        self._over = True
