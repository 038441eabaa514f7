"""The seam of the asyncio API: the interface between aio_calls.py, aio_queue.py ... and a queue manager.

    AsyncOwner         where a queue or topic finds the connection for a call
    AsyncSeam          implemented by a queue manager: embedded in aio.py, over a channel in remote/aio.py
    AsyncTransaction   a unit of work as a block
    AsyncBrowser       an iterator over the messages of a queue that leaves them there
    Subscribing        returned by `subscribe`: to be awaited, or entered with `async with`

Units of work outside of a transaction block: a put or get with `syncpoint=True` belongs to the unit of work of its
task, on a connection of its own, until the task calls `commit()` or `backout()`. If the task ends before, the unit of
work is backed out.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncIterator, Callable, Generator
from contextvars import ContextVar
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from flintmq.client import instrumentation
from flintmq.client.inquiries import Inquiries, inquired, queue_of_dead_letters
from flintmq.client.message import Message, Wait
from flintmq.client.options import get_options, wanted
from flintmq.client.retry import SET_ASIDE, as_dead_letter, copy_of, target
from flintmq.mqi.call_errors import BackedOut, MQError, NoMessageAvailable, NotConnected, TransactionError
from flintmq.mqi.constants import MQFB_APPL_FIRST
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.properties import MessageProperties

if TYPE_CHECKING:
    from flintmq.client.aio_consumer import AsyncConsumer, AsyncHandler
    from flintmq.client.aio_topic import AsyncSubscription
    from flintmq.client.calls import Calls
    from flintmq.client.commands import CommandReply
    from flintmq.client.retry import Retry
    from flintmq.client.subscribed import Subscribed
    from flintmq.mqi.sd import MQSD

T = TypeVar("T")


class AsyncOwner(Protocol):
    """Where a queue finds the connection to use."""

    def _current(self) -> AsyncSeam:
        """Return the connection for this call."""

    async def _inquire_depth(self, name: str) -> int:
        """Return CURDEPTH of a queue."""

    async def _clear(self, name: str) -> None:
        """Remove all messages of a queue."""

    async def _work(self, call: Callable[[], T]) -> T:
        """Run a call that may block in a worker thread."""


class AsyncSeam:
    """Interface of a queue manager for `AsyncCalls`, for the tasks of one event loop."""

    #: Makes queues and topics record spans; see otel.py.
    _tracing: instrumentation.Tracing | None = None
    #: The transaction block that a task is in.
    _transaction: ContextVar[Any]
    #: Whether a connection that was lost is made again.
    _reconnects: bool = False

    def __init__(self) -> None:
        #: Tasks with a cancellation that was deferred because a get could not be undone any more.
        self._deferred: weakref.WeakSet[asyncio.Task[Any]] = weakref.WeakSet()
        #: Whether there may be any: a lookup in a WeakSet costs more.
        self._has_deferred = False
        #: Units of work of tasks outside of a transaction block.
        self._units: weakref.WeakKeyDictionary[asyncio.Task[Any], AsyncTransaction] = weakref.WeakKeyDictionary()

    def _raise_deferred(self) -> None:
        """Raise the deferred cancellation of the running task, if it still stands."""
        if not self._has_deferred:
            return
        task = asyncio.current_task()
        if task is not None and task in self._deferred:
            self._deferred.discard(task)
            self._has_deferred = len(self._deferred) > 0
            if task.cancelling():
                raise asyncio.CancelledError

    def _defer_cancellation(self) -> None:
        """Defer the cancellation of the running task: its next call raises it."""
        task = asyncio.current_task()
        if task is not None:
            self._deferred.add(task)
            self._has_deferred = True

    def _current(self) -> AsyncSeam:
        return self

    def _owner(self) -> AsyncOwner:
        """Return the owner for a new queue or topic: this object, or one that records spans around its calls."""
        tracing = self._tracing or instrumentation.everywhere
        return self if tracing is None else tracing.async_owner(self)

    # -- units of work ------------------------------------------------------------------------------------------------

    async def _unit(self, syncpoint: bool | None) -> Any:
        """Return the unit of work that a call belongs to; None if the call is final by itself."""
        transaction = self._transaction.get()
        if syncpoint is None or (syncpoint and transaction is not None):
            return transaction
        if not syncpoint:
            return None
        task = asyncio.current_task()
        assert task is not None
        unit = self._units.get(task)
        if unit is None:
            unit = self._new_transaction()
            await unit._take_connection()
            self._units[task] = unit
            task.add_done_callback(self._abandon_unit)
        return unit

    def _pop_unit(self) -> AsyncTransaction | None:
        task = asyncio.current_task()
        unit = self._units.pop(task, None) if task is not None else None
        if task is not None and unit is not None:
            task.remove_done_callback(self._abandon_unit)
        return unit

    def _abandon_unit(self, task: asyncio.Task[Any]) -> None:
        """Back out: the task ended with uncommitted work."""
        unit = self._units.pop(task, None)
        if unit is not None:
            unit._give_connection()

    def _check_no_unit(self) -> None:
        """Raise TransactionError if the task has work that would become a part of a transaction block."""
        if self._units and asyncio.current_task() in self._units:
            raise TransactionError("this task has uncommitted work: commit() or backout() it first")

    async def _commit_settled(self) -> None:
        """Commit the unit of work of the task."""
        transaction = self._transaction.get()
        if transaction is not None:
            await transaction.commit()
            return
        unit = self._pop_unit()
        if unit is not None:
            try:
                await unit.commit()
            finally:
                unit._give_connection()

    async def _backout_settled(self) -> None:
        """Back out the unit of work of the task."""
        transaction = self._transaction.get()
        if transaction is not None:
            await transaction.backout()
            return
        unit = self._pop_unit()
        if unit is not None:
            try:
                await unit.backout()
            finally:
                unit._give_connection()

    # -- common to embedded queue managers and channels ---------------------------------------------------------------

    async def _get_many(
        self,
        name: str,
        count: int,
        wait: Wait,
        correlation_id: bytes | None,
        convert: bool,
        requeue: bool,
        syncpoint: bool | None,
        selector: str,
        open_options: int,
    ) -> list[Message]:
        """Get up to `count` messages: wait for the first, then take the available ones."""
        messages: list[Message] = []
        while len(messages) < count:
            md, gmo = wanted(correlation_id, None), get_options(None if messages else wait, convert, False)
            try:
                messages.append(await self._get(name, md, gmo, -1, requeue, syncpoint, selector, open_options))
            except NoMessageAvailable:
                break
            except MQError:
                if not messages:  # Else the caller gets those first, and the next call meets the error.
                    raise
                break
            except asyncio.CancelledError:
                if not messages or await self._unit(syncpoint) is not None:
                    raise
                self._defer_cancellation()  # Gets outside of a unit of work are final: return the messages.
                break
        return messages

    def _browser(
        self,
        name: str,
        wait: Wait,
        correlation_id: bytes | None,
        message_id: bytes | None,
        selector: str,
        open_options: int = 0,
        max_length: int = -1,
    ) -> AsyncBrowser:
        """Browse a queue. It is opened for the first message."""
        return AsyncBrowser(
            self._browse(name, wait, correlation_id, message_id, selector, open_options, max_length),
        )

    def _dead_letters(self, queue: str) -> AsyncBrowser:
        """Browse the dead-letter queue, or `queue`."""
        return AsyncBrowser(self._browse_dead_letters(queue))

    async def _browse_dead_letters(self, queue: str) -> AsyncIterator[Message]:
        name = queue or await self._inquire(queue_of_dead_letters)
        await self._check_queue(name)
        async with self._browser(name, None, None, None, "") as messages:
            async for message in messages:
                yield message

    async def _inquire(self, make: Callable[[], Inquiries[T]]) -> T:
        """Make inquiries of objects (inquiries.py)."""
        return await self._work(lambda: inquired(self._in_worker().mqi, make()))

    async def _replay(self, message: Message, queue: str, queue_manager: str) -> None:
        """Move a dead letter, on a connection of its own."""
        await self._work(lambda: self._in_worker().replay(message, queue=queue, queue_manager=queue_manager))

    def _subscribing(self, sd: MQSD, queue: str | None, read_ahead: bool | None) -> Subscribing:
        """Subscribe, when the result is awaited or entered."""
        return Subscribing(self, sd, queue, read_ahead)

    def _start_consumer(
        self,
        name: str,
        handler: AsyncHandler,
        concurrency: int,
        retry: Retry | None,
        correlation_id: bytes | None,
        message_id: bytes | None,
        convert: bool,
        requeue_poison: bool,
        selector: str,
    ) -> AsyncConsumer:
        """Make a consumer with `concurrency` tasks. It starts when it is awaited or entered."""
        from flintmq.client.aio_consumer import AsyncConsumer

        return AsyncConsumer(
            self,
            name,
            handler,
            concurrency,
            retry,
            correlation_id,
            message_id,
            convert,
            requeue_poison,
            selector,
        )

    # -- implemented for embedded queue managers and for channels -----------------------------------------------------

    @property
    def closed(self) -> bool:
        """Return whether it can no longer be used."""
        raise NotImplementedError

    def _new_transaction(self) -> AsyncTransaction:
        raise NotImplementedError

    async def _run_mqsc(self, text: str, check: bool) -> CommandReply:
        """Run MQSC commands."""
        raise NotImplementedError

    async def _flush(self) -> int:
        """Return the number of puts with `wait=False`. Raise the error of the first that failed."""
        raise NotImplementedError

    async def _create_queue(self, name: str, attributes: dict[str, object]) -> None:
        """Define a local queue, unless there is one."""
        raise NotImplementedError

    async def _check_queue(self, name: str) -> None:
        """Raise UnknownObject if the name resolves to no queue."""
        raise NotImplementedError

    async def _work(self, call: Callable[[], T]) -> T:
        """Run a call that may block in a worker thread. It is done even if the task is cancelled meanwhile."""
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
        syncpoint: bool | None,
        properties: MessageProperties | None = None,
        extra_options: int = 0,
        delay_ms: int = 0,
    ) -> None:
        """Put to the queue, or publish to the topic, `name`."""
        raise NotImplementedError

    async def _get(
        self,
        name: str,
        md: MQMD,
        gmo: MQGMO,
        max_length: int,
        requeue: bool,
        syncpoint: bool | None,
        selector: str = "",
        open_options: int = 0,
    ) -> Message:
        """Get from the queue `name`. `open_options` switch read-ahead on or off."""
        raise NotImplementedError

    async def _request(
        self, name: str, md: MQMD, data: bytes, properties: MessageProperties | None, timeout: float, convert: bool
    ) -> Message:
        """Put a request and get its reply (request.py)."""
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
        """Iterate over the messages of a queue: an asynchronous generator."""
        raise NotImplementedError

    async def _inquire_depth(self, name: str) -> int:
        """Return CURDEPTH."""
        raise NotImplementedError

    async def _clear(self, name: str) -> None:
        """Clear a local queue (CLEAR QLOCAL)."""
        raise NotImplementedError


class AsyncTransaction:
    """A unit of work of one task. Made by `qm.transaction()`."""

    _qm: Any

    async def __aenter__(self) -> AsyncTransaction:
        raise NotImplementedError

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        raise NotImplementedError

    async def commit(self) -> None:
        """Commit the work so far; the block continues in a new unit of work."""
        raise NotImplementedError

    async def backout(self) -> None:
        """Undo the work so far; the block continues in a new unit of work."""
        raise NotImplementedError

    async def set_aside(self, message: Message, reason: int = MQFB_APPL_FIRST) -> str:
        """Put a copy of a message that was got in the transaction to the backout queue of its queue (BOQNAME).

        If there is none, or it does not take the message, the copy goes to the dead-letter queue; `reason` is for its
        header (MQDLH), by default the first reason that applications may give. Return the name of the queue, "" if
        neither takes the message. The put is part of the transaction: after the commit the message is there, and no
        longer on its queue.
        """
        seam: AsyncSeam = self._qm
        for then in SET_ASIDE:
            try:
                queue, q_mgr_name = await seam._inquire(partial(target, message.queue_name, then))
                dead = q_mgr_name != ""
                md, data, properties = as_dead_letter(message, q_mgr_name, reason) if dead else copy_of(message)
                await seam._put(queue, md, data, True, properties)
                return queue
            except (BackedOut, NotConnected):
                raise
            except MQError:
                continue  # The dead-letter queue is next, or the message stays.
        return ""

    async def _take_connection(self) -> None:
        """Begin outside of a block."""
        raise NotImplementedError

    def _give_connection(self) -> None:
        """End outside of a block. Uncommitted work is backed out."""
        raise NotImplementedError


class AsyncBrowser:
    """An iterator over the messages of a queue that leaves them there. Made by `queue.browse()`."""

    def __init__(self, messages: AsyncIterator[Message]) -> None:
        self._messages = messages

    def __aiter__(self) -> AsyncBrowser:
        return self

    async def __anext__(self) -> Message:
        return await anext(self._messages)

    async def __aenter__(self) -> AsyncBrowser:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the browse cursor. A second close does nothing."""
        close = getattr(self._messages, "aclose", None)
        if close is not None:
            await close()


class Subscribing:
    """A subscription to be made: await it, or enter it with `async with`. Returned by `qm.subscribe(topic)`."""

    def __init__(self, seam: AsyncSeam, sd: MQSD, queue: str | None, read_ahead: bool | None) -> None:
        self._seam = seam
        self._sd = sd
        self._queue = queue
        self._read_ahead = read_ahead
        self._made: AsyncSubscription | None = None

    async def _subscribe(self) -> AsyncSubscription:
        from flintmq.client.aio_topic import AsyncSubscription

        seam = self._seam
        subscribed = await seam._work(lambda: seam._subscribed(self._sd, self._queue))
        self._made = AsyncSubscription(seam._owner(), subscribed, self._read_ahead)
        return self._made

    def __await__(self) -> Generator[Any, None, AsyncSubscription]:
        return self._subscribe().__await__()

    async def __aenter__(self) -> AsyncSubscription:
        return await self._subscribe()

    async def __aexit__(self, *exc: object) -> None:
        if self._made is not None and not self._seam.closed:
            await self._made.close()
