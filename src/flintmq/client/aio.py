"""The same for asyncio: nothing here blocks the event loop, and a waiting get costs no thread.

    async with flintmq.aopen("QM1") as qm:
        orders = await qm.queue("ORDERS", create=True)
        async with qm.transaction():
            await orders.put(b"hello", persistent=True)
        message = await orders.get(wait=5.0)

Engine calls take microseconds and run in the loop. What takes longer does not: opening and closing run in a worker, the
disk is waited for as a follower of the group commit (a worker flushes when it is a task's turn to lead), and the call
that completes a wait wakes its task by `call_soon_threadsafe`, from whatever thread it is in.

Which connection a call uses:

    inside `async with qm.transaction()`   the transaction's own; other tasks are not concerned, child tasks inherit it
    a get outside                          one of a pool, for as long as it waits
    any other call outside                 the shared one: nothing stays behind on it

Cancelling a get never loses a message:

    the task is cancelled                    what becomes of the message
    while it waits                           there is none
    after one was handed to it, before       it is in a unit of work that nobody sees (link.py): it goes back to its
      the task ran again                     place and to the next who waits, and no backout is counted
    while the disk makes the get final       in a transaction the message is taken out of it, as above; outside, the get
                                             is completed and returns it, and the cancellation is raised by the task's
                                             next call here, unless a timeout that caused it has been left by then
"""

from __future__ import annotations

import asyncio
import os
import threading
import weakref
from collections.abc import AsyncIterator, Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from flintmq.client import commands
from flintmq.client.commands import CommandReply
from flintmq.client.embedded import OPEN, Host
from flintmq.client.error_log import user_name
from flintmq.client.errors import MQError, NoMessageAvailable, TransactionError
from flintmq.client.instance import CreateOptions
from flintmq.client.link import Link
from flintmq.client.message import Data, Message, Wait, carried, descriptor, payload, properties_of_put
from flintmq.client.queue import get_options, wanted
from flintmq.client.queue_manager import application_name, open_host
from flintmq.log import LogConfig
from flintmq.mqi.constants import (
    MQGMO_BROWSE_NEXT,
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_FAIL_IF_QUIESCING,
    MQPMO_FAIL_IF_QUIESCING,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.properties import MessageProperties
from flintmq.mqi.property_values import Value
from flintmq.qmgr.connection import Handle

if TYPE_CHECKING:
    from flintmq.client.aio_topic import AsyncTopic, Subscribing

T = TypeVar("T")


class _TaskFollower:
    """A task that waits for the disk."""

    def __init__(self, qm: AsyncQueueManager, position: int) -> None:
        self.position = position
        self._qm = qm
        self._loop = qm._loop
        self.future: asyncio.Future[None] = self._loop.create_future()

    def covered(self) -> None:
        self._tell(None)

    def lead(self) -> None:
        try:
            self._qm._workers.submit(self.flush)
        except RuntimeError:  # The queue manager is being closed.
            threading.Thread(target=self.flush).start()

    def flush(self) -> None:
        """Lead, in a worker."""
        try:
            self._qm._host.commits.lead()
        except BaseException as error:
            self._tell(error)
        else:
            self._tell(None)

    def _tell(self, error: BaseException | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._done, error)
        except RuntimeError:
            return  # The loop is closed; nobody waits.

    def _done(self, error: BaseException | None) -> None:
        if self.future.done():
            return
        if error is None:
            self.future.set_result(None)
        else:
            self.future.set_exception(error)


class AsyncQueueManager:
    """An open queue manager, for the tasks of one event loop. Made by `aopen`."""

    def __init__(self, host: Host, application: str, workers: ThreadPoolExecutor) -> None:
        self._host = host
        self._application = application
        self._user = user_name()[:12]
        self._loop = asyncio.get_running_loop()
        self._workers = workers
        self._shared = Link(host, application, self._user)
        self._free: list[Link] = []
        #: Tasks whose cancellation was put off because a get could not be undone any more.
        self._owed: weakref.WeakSet[asyncio.Task[Any]] = weakref.WeakSet()
        #: The transaction that a task is in.
        self._transaction: ContextVar[AsyncTransaction | None] = ContextVar("flintmq_transaction", default=None)

    @property
    def name(self) -> str:
        """The queue manager's name."""
        return self._host.engine.name

    @property
    def closed(self) -> bool:
        """Whether it can no longer be used."""
        return self._host.state != OPEN

    async def queue(self, name: str, create: bool = False, selector: str = "", **attributes: object) -> AsyncQueue:
        """The queue called `name`; see QueueManager.queue."""
        if create:
            await self._work(lambda: commands.create_queue(self._host, name, attributes))
        elif attributes:
            raise TypeError("attributes are for queues that are created: queue(name, create=True, ...)")
        else:
            commands.check_queue(self._host, name)
        return AsyncQueue(self, name, selector)

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
    ) -> Subscribing:
        """Subscribe: `async with qm.subscribe(topic) as subscription:` or `await`; see QueueManager.subscribe."""
        from flintmq.client.aio_topic import Subscribing
        from flintmq.client.topic import subscription_descriptor

        sd = subscription_descriptor(
            topic,
            durable_name,
            selector,
            wildcard,
            queue is None,
            new_only,
            on_request,
            user_data,
            correlation_id,
            expiry,
        )
        return Subscribing(self, sd, queue)

    def transaction(self) -> AsyncTransaction:
        """A unit of work: `async with qm.transaction():`. Other tasks are not part of it."""
        return AsyncTransaction(self)

    async def mqsc(self, text: str, *, check: bool = True) -> CommandReply:
        """Run MQSC commands; see QueueManager.mqsc."""
        return await self._work(lambda: commands.run(self._host, text, check))

    async def __aenter__(self) -> AsyncQueueManager:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def close(self) -> None:
        """The clean end; waits end with NotConnected. A second close does nothing."""
        if self.closed:
            return
        try:
            await self._work(self._host.close)
        finally:
            self._workers.shutdown(wait=False)

    async def _work(self, call: Callable[[], T]) -> T:
        """Run something that may touch the disk in a worker. It is done even if the task is cancelled meanwhile."""
        return await asyncio.shield(self._loop.run_in_executor(self._workers, call))

    # -- used by AsyncQueue, AsyncTopic and AsyncTransaction ------------------------------------------------------

    def _link(self) -> Link:
        """The connection of a call that does not wait."""
        transaction = self._transaction.get()
        return self._shared if transaction is None else transaction._link_in_use()

    def _borrow(self) -> Link:
        """A connection to wait on."""
        return self._free.pop() if self._free else Link(self._host, self._application, self._user)

    def _give(self, link: Link) -> None:
        self._free.append(link)

    async def _put(
        self, name: str, md: MQMD, data: bytes, properties: MessageProperties | None, extra_options: int = 0
    ) -> None:
        """Put to the queue, or publish to the topic, `name`."""
        self._pay()
        link = self._link()
        in_unit = link is not self._shared
        options = (MQPMO_SYNCPOINT if in_unit else MQPMO_NO_SYNCPOINT) | MQPMO_FAIL_IF_QUIESCING | extra_options
        force = link.put(name, md, options, data, properties)
        if link.connection.delay_ms:
            delay_ms, link.connection.delay_ms = link.connection.delay_ms, 0
            await asyncio.sleep(delay_ms / 1000)
        if force:
            await self._durable(force)

    async def _durable(self, position: int) -> None:
        """Wait until the log is durable up to `position` (H3)."""
        host = self._host
        host.waits_for_disk += 1
        if host.log.durable >= position:
            return
        follower = _TaskFollower(self, position)
        if host.commits.join(follower):
            follower.lead()
        try:
            await follower.future
        except MQError:
            raise
        except Exception as error:
            if host.log.durable < position:
                host.fail(error)

    async def _certainly(self, position: int) -> None:
        """Wait for the disk to the end. If the task is cancelled meanwhile, the cancellation is owed to it."""
        waiting = asyncio.ensure_future(self._durable(position))
        while not waiting.done():
            try:
                await asyncio.shield(waiting)
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is not None:
                    self._owed.add(task)
            except Exception:
                break
        waiting.result()

    def _pay(self) -> None:
        """Raise the cancellation that the running task is owed, if it still stands."""
        if self._owed:
            task = asyncio.current_task()
            if task is not None and task in self._owed:
                self._owed.discard(task)
                if task.cancelling():
                    raise asyncio.CancelledError


class AsyncTransaction:
    """A unit of work of one task. Made by `qm.transaction()`."""

    def __init__(self, qm: AsyncQueueManager) -> None:
        self._qm = qm
        self._link: Link | None = None

    def _link_in_use(self) -> Link:
        if self._link is None:
            raise TransactionError("the transaction that this task was started in has ended")
        return self._link

    async def __aenter__(self) -> AsyncTransaction:
        self._qm._pay()
        if self._qm._transaction.get() is not None:
            raise TransactionError("this task is in a transaction already; transactions do not nest")
        if self._link is not None:
            raise TransactionError("a transaction is entered once; ask transaction() for another")
        self._link = self._qm._borrow()
        self._token = self._qm._transaction.set(self)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        qm = self._qm
        link = self._link_in_use()
        self._link = None
        qm._transaction.reset(self._token)
        try:
            if kind is not None or qm._host.state != OPEN:
                if qm._host.state == OPEN:
                    link.backout()
                return
            try:
                force = link.commit()
            except MQError:
                if qm._host.state == OPEN:
                    link.backout()
                raise
            if force:
                await qm._durable(force)
        finally:
            qm._give(link)

    async def commit(self) -> None:
        """Commit so far; the block goes on in a new unit of work."""
        force = self._link_in_use().commit()
        if force:
            await self._qm._durable(force)

    async def backout(self) -> None:
        """Undo so far; the block goes on in a new unit of work."""
        self._link_in_use().backout()


class AsyncQueue:
    """A queue by name. Made by `await qm.queue(name)`. The arguments are those of Queue."""

    __slots__ = ("_qm", "name", "selector")

    def __init__(self, qm: AsyncQueueManager, name: str, selector: str = "") -> None:
        self._qm = qm
        self.name = name
        #: Only messages that it selects are got and browsed here; "" for all.
        self.selector = selector

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
        format: str = "",
        message_type: int | None = None,
        properties: Mapping[str, Value] | None = None,
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
        await self._qm._put(self.name, md, payload(data, md), made)
        return md.msg_id

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
    ) -> Message:
        """Get a message; see Queue.get. If the task is cancelled while this waits, no message is lost."""
        md = wanted(correlation_id, message_id)
        gmo = get_options(wait, convert, truncate)
        length = -1 if max_length is None else max_length
        wanted_by = selector or self.selector
        transaction = self._qm._transaction.get()
        if transaction is not None:
            gmo.options |= MQGMO_SYNCPOINT
            return await self._get_by(transaction._link_in_use(), md, gmo, length, requeue_poison, wanted_by)
        gmo.options |= MQGMO_NO_SYNCPOINT
        if not gmo.options & MQGMO_WAIT:
            return await self._get_by(self._qm._shared, md, gmo, length, requeue_poison, wanted_by)
        link = self._qm._borrow()
        try:
            return await self._get_by(link, md, gmo, length, requeue_poison, wanted_by)
        finally:
            self._qm._give(link)

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

    async def browse(
        self,
        *,
        wait: Wait = None,
        correlation_id: bytes | None = None,
        message_id: bytes | None = None,
        selector: str = "",
    ) -> AsyncIterator[Message]:
        """Look at the messages, first to last, and leave them where they are."""
        link = self._qm._borrow()
        handle: Handle | None = None
        try:
            handle = link.open(self.name, MQOO_BROWSE | MQOO_FAIL_IF_QUIESCING, selector or self.selector)
            while True:
                gmo = get_options(wait, False, False)
                gmo.options |= MQGMO_BROWSE_NEXT
                try:
                    message = await self._get(link, wanted(correlation_id, message_id), gmo, -1, False, handle)
                except NoMessageAvailable:
                    return
                yield message
        finally:
            if handle is not None:
                link.close_handle(handle)
            self._qm._give(link)

    @property
    def depth(self) -> int:
        """CURDEPTH: how many messages are on the queue, with uncommitted puts and without uncommitted gets."""
        return commands.depth(self._qm._host, self.name)

    async def clear(self) -> None:
        """Remove all messages."""
        await self._qm._work(lambda: commands.clear_queue(self._qm._host, self.name))

    # -- how a get waits ----------------------------------------------------------------------------------------------

    async def _get_by(self, link: Link, md: MQMD, gmo: MQGMO, length: int, requeue: bool, selector: str) -> Message:
        handle = link.selecting(self.name, selector) if selector else None
        return await self._get(link, md, gmo, length, requeue, handle)

    async def _get(
        self, link: Link, md: MQMD, gmo: MQGMO, length: int, requeue: bool, handle: Handle | None
    ) -> Message:
        qm = self._qm
        qm._pay()
        loop = qm._loop
        end = loop.time() + gmo.wait_interval / 1000 if gmo.wait_interval >= 0 else -1.0
        options = gmo.options
        while True:
            woken = _Woken(loop)
            if link.get(self.name, md, gmo, length, requeue, woken.wake, handle):
                break
            try:
                await self._park(link, woken, end)
                if link.finish_get(md):
                    break
            except BaseException:
                link.cancel_get()
                raise
            if end >= 0:
                gmo.wait_interval = max(0, round((end - loop.time()) * 1000))
                if not gmo.wait_interval:
                    options &= ~MQGMO_WAIT
            gmo.options = options
        connection = link.connection
        data, force = connection.data, link.force
        properties = carried(connection) if connection.carrier is not None else None
        warning = link.warning(self.name) if connection.completion else None
        if force and qm._host.log.durable < force:
            if gmo.options & MQGMO_SYNCPOINT and connection.unit is not None:
                try:
                    await qm._durable(force)
                except BaseException:
                    link.undo_get()
                    raise
            else:
                await qm._certainly(force)
        if warning is not None:
            raise warning
        return Message(data, md, self.name, properties)

    async def _park(self, link: Link, woken: _Woken, end: float) -> None:
        """Wait to be woken, or raise NoMessageAvailable at the loop's time `end`."""
        if end < 0:
            await woken.future
            return
        timer = woken.loop.call_at(end, woken.finish)
        try:
            await woken.future
        finally:
            timer.cancel()
        if not woken.came and link.give_up():
            raise link.nothing(self.name)


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


class _Woken:
    """What wakes a task: the call that completed its wait, in whatever thread, or the time."""

    __slots__ = ("came", "future", "loop")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.future: asyncio.Future[None] = loop.create_future()
        self.came = False

    def wake(self) -> None:
        """Called under the engine's lock."""
        self.came = True
        try:
            self.loop.call_soon_threadsafe(self.finish)
        except RuntimeError:
            return  # The loop is closed. What came stays in a unit of work that is backed out when the host closes.

    def finish(self) -> None:
        if not self.future.done():
            self.future.set_result(None)


class aopen:
    """Open a queue manager for asyncio: `async with flintmq.aopen("QM1") as qm:`, or `qm = await flintmq.aopen("QM1")`.

    The arguments are those of `flintmq.open`.

    >>> import asyncio, flintmq
    >>> async def main():
    ...     async with flintmq.aopen(":memory:") as qm:
    ...         queue = await qm.queue("A", create=True)
    ...         await queue.put("hello")
    ...         return (await queue.get(wait=1.0)).text
    >>> asyncio.run(main())
    'hello'
    """

    def __init__(
        self,
        name: str | os.PathLike[str],
        *,
        create: bool = True,
        queue_manager_name: str = "",
        application: str = "",
        developer: bool = False,
        log: LogConfig | None = None,
    ) -> None:
        self._name = name
        self._create = create
        self._queue_manager_name = queue_manager_name
        self._application = application or application_name()
        self._options = CreateOptions(developer=developer)
        if log is not None:
            self._options.log = log
        self._qm: AsyncQueueManager | None = None

    async def _open(self) -> AsyncQueueManager:
        workers = ThreadPoolExecutor(4, "flintmq")
        loop = asyncio.get_running_loop()
        try:
            host = await loop.run_in_executor(
                workers, open_host, self._name, self._create, self._options, self._queue_manager_name
            )
        except BaseException:
            workers.shutdown(wait=False)
            raise
        self._qm = AsyncQueueManager(host, self._application, workers)
        return self._qm

    def __await__(self) -> Generator[Any, None, AsyncQueueManager]:
        return self._open().__await__()

    async def __aenter__(self) -> AsyncQueueManager:
        return await self._open()

    async def __aexit__(self, *exc: object) -> None:
        if self._qm is not None:
            await self._qm.close()
