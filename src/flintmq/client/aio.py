"""Asyncio API of an embedded queue manager. No call blocks the event loop, and a waiting get needs no thread.

    async with flintmq.aopen("QM1") as qm:
        orders = await qm.queue("ORDERS", create=True)
        async with qm.transaction():
            await orders.put(b"hello", persistent=True)
        message = await orders.get(wait=5.0)

Engine calls take microseconds and run in the loop. Longer work does not: opening and closing run in a worker, a task
waits for the disk as a follower of the group commit (a worker flushes when it is a task's turn to lead), and the call
that completes a wait wakes its task by `call_soon_threadsafe`, from any thread.

Each call uses one of these connections:

    inside `async with qm.transaction()`   the transaction's own; child tasks inherit it, other tasks do not use it
    a get outside                          one of a pool, for as long as it waits
    any other call outside                 the shared one: no call leaves work on it

Cancelling a get never loses a message:

    the task is cancelled                    the message
    while it waits                           there is none
    after one was handed to it, before       it is in an internal unit of work (engine_session.py): it goes back to its
      the task ran again                     place and to the next waiter, and no backout is counted
    while the disk makes the get final       in a transaction the message is taken out of it, as above; outside, the get
                                             is completed and returns it, and the cancellation is raised by the task's
                                             next call here, unless a timeout that caused it has been left by then
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from flintmq.client import commands
from flintmq.client.aio_calls import AsyncCalls
from flintmq.client.aio_seam import AsyncTransaction
from flintmq.client.commands import CommandReply
from flintmq.client.connection import Connection
from flintmq.client.engine_session import EngineSession
from flintmq.client.message import Message, Wait, carried
from flintmq.client.options import browse_options, cut, wanted
from flintmq.client.queue_manager import QueueManager
from flintmq.client.request import answer_to, ask
from flintmq.host.environment import application_name
from flintmq.host.error_log import user_identifier
from flintmq.host.host import OPEN, Host
from flintmq.host.lifecycle import CreateOptions
from flintmq.host.opening import open_host
from flintmq.log import LogConfig
from flintmq.mqi.call_errors import MQError, NoMessageAvailable, TransactionError, Truncated
from flintmq.mqi.constants import (
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_FAIL_IF_QUIESCING,
    MQPMO_ASYNC_RESPONSE,
    MQPMO_FAIL_IF_QUIESCING,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.properties import MessageProperties
from flintmq.mqi.sd import MQSD
from flintmq.qmgr.connection import Handle

if TYPE_CHECKING:
    from flintmq.client.subscribed import Subscribed

T = TypeVar("T")


class _TaskFollower:
    """A task that waits for the log."""

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
            return  # The loop is closed; no task waits.

    def _done(self, error: BaseException | None) -> None:
        if self.future.done():
            return
        if error is None:
            self.future.set_result(None)
        else:
            self.future.set_exception(error)


class AsyncQueueManager(AsyncCalls):
    """An open queue manager, for the tasks of one event loop. Made by `aopen`."""

    def __init__(self, host: Host, application: str, workers: ThreadPoolExecutor) -> None:
        super().__init__()
        self._host = host
        self._application = application
        self._user = user_identifier()
        self._loop = asyncio.get_running_loop()
        self._workers = workers
        self._shared = EngineSession(host, application, self._user)
        self._free: list[EngineSession] = []
        self._not_waited_for = 0
        #: The transaction that a task is in.
        self._transaction: ContextVar[EmbeddedTransaction | None] = ContextVar("flintmq_transaction", default=None)

    @property
    def name(self) -> str:
        """Return the queue manager's name."""
        return self._host.engine.name

    @property
    def closed(self) -> bool:
        """Return whether it can no longer be used."""
        return self._host.state != OPEN

    def _new_transaction(self) -> AsyncTransaction:
        return EmbeddedTransaction(self)

    async def _run_mqsc(self, text: str, check: bool) -> CommandReply:
        return await self._work(lambda: commands.run(self._host, text, check))

    async def _flush(self) -> int:
        made, self._not_waited_for = self._not_waited_for, 0
        return made

    async def __aenter__(self) -> AsyncQueueManager:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the queue manager; waits end with NotConnected. A second close does nothing."""
        if self.closed:
            return
        try:
            await self._work(self._host.close)
        finally:
            self._workers.shutdown(wait=False)

    async def _work(self, call: Callable[[], T]) -> T:
        return await asyncio.shield(self._loop.run_in_executor(self._workers, call))

    def _in_worker(self) -> QueueManager:
        return QueueManager(self._host, self._application)

    # -- used by AsyncQueue, AsyncTopic and AsyncTransaction ------------------------------------------------------

    def _borrow(self) -> EngineSession:
        """Take a connection to wait on from the pool."""
        return self._free.pop() if self._free else EngineSession(self._host, self._application, self._user)

    def _give(self, session: EngineSession) -> None:
        self._free.append(session)

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
        self._raise_deferred()
        if extra_options & MQPMO_ASYNC_RESPONSE:  # Nothing to wait for here: an error is raised by this put.
            extra_options &= ~MQPMO_ASYNC_RESPONSE
            self._not_waited_for += 1
        unit = self._transaction.get() if syncpoint is None else await self._unit(syncpoint)
        in_unit = unit is not None
        session: EngineSession = self._shared if unit is None else unit._session_in_use()
        options = (MQPMO_SYNCPOINT if in_unit else MQPMO_NO_SYNCPOINT) | MQPMO_FAIL_IF_QUIESCING | extra_options
        force = session.put(name, md, options, data, properties, delay_ms)
        if session.connection.delay_ms:
            delay_ms, session.connection.delay_ms = session.connection.delay_ms, 0
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
        """Wait for the disk to the end. If the task is cancelled meanwhile, its next call raises the cancellation."""
        waiting = asyncio.ensure_future(self._durable(position))
        while not waiting.done():
            try:
                await asyncio.shield(waiting)
            except asyncio.CancelledError:
                self._defer_cancellation()
            except Exception:
                break
        waiting.result()

    async def _create_queue(self, name: str, attributes: dict[str, object]) -> None:
        await self._work(lambda: commands.create_queue(self._host, name, attributes))

    async def _check_queue(self, name: str) -> None:
        commands.check_queue(self._host, name)

    def _subscribed(self, sd: MQSD, queue: str | None) -> Subscribed:
        return Connection(self._host, self._application, self._user)._subscribe(sd, queue)

    async def _inquire_depth(self, name: str) -> int:
        return commands.depth(self._host, name)

    async def _clear(self, name: str) -> None:
        await self._work(lambda: commands.clear_queue(self._host, name))

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
        length = max_length
        transaction = self._transaction.get() if syncpoint is None else await self._unit(syncpoint)
        if transaction is not None:
            gmo.options |= MQGMO_SYNCPOINT
            return await self._get_by(transaction._session_in_use(), name, md, gmo, length, requeue, selector)
        gmo.options |= MQGMO_NO_SYNCPOINT
        if not gmo.options & MQGMO_WAIT:
            return await self._get_by(self._shared, name, md, gmo, length, requeue, selector)
        session = self._borrow()
        try:
            return await self._get_by(session, name, md, gmo, length, requeue, selector)
        finally:
            self._give(session)

    async def _request(
        self, name: str, md: MQMD, data: bytes, properties: MessageProperties | None, timeout: float, convert: bool
    ) -> Message:
        self._raise_deferred()
        session = self._borrow()  # Its reply queue is its own, so that tasks do not get each other's answers.
        try:
            handle, reply_to = session.reply_queue()
            ask(md, reply_to, timeout)
            force = session.put(name, md, MQPMO_NO_SYNCPOINT | MQPMO_FAIL_IF_QUIESCING, data, properties)
            if force:
                await self._durable(force)
            wanted_md, gmo = answer_to(md, timeout, convert)
            return await self._get_through(session, reply_to, wanted_md, gmo, -1, False, handle)
        finally:
            self._give(session)

    async def _browse(
        self,
        name: str,
        wait: Wait,
        correlation_id: bytes | None,
        message_id: bytes | None,
        selector: str,
        open_options: int = 0,
        max_length: int = -1,
    ) -> AsyncIterator[Message]:
        session = self._borrow()
        handle: Handle | None = None
        try:
            handle = session.open(name, MQOO_BROWSE | MQOO_FAIL_IF_QUIESCING | open_options, selector)
            while True:
                gmo = browse_options(wait, max_length)
                md = wanted(correlation_id, message_id)
                try:
                    message = await self._get_through(session, name, md, gmo, max_length, False, handle)
                except NoMessageAvailable:
                    return
                except Truncated as error:
                    message = cut(error, md, name)
                message.token = gmo.msg_token
                yield message
        finally:
            if handle is not None:
                session.close_handle(handle)
            self._give(session)

    # -- how a get waits ----------------------------------------------------------------------------------------------

    async def _get_by(
        self, session: EngineSession, name: str, md: MQMD, gmo: MQGMO, length: int, requeue: bool, selector: str
    ) -> Message:
        handle = session.selecting(name, selector) if selector else None
        return await self._get_through(session, name, md, gmo, length, requeue, handle)

    async def _get_through(
        self, session: EngineSession, name: str, md: MQMD, gmo: MQGMO, length: int, requeue: bool, handle: Handle | None
    ) -> Message:
        self._raise_deferred()
        loop = self._loop
        end = loop.time() + gmo.wait_interval / 1000 if gmo.wait_interval >= 0 else -1.0
        options = gmo.options
        while True:
            woken = _Woken(loop)
            if session.get(name, md, gmo, length, requeue, woken.wake, handle):
                break
            try:
                await self._park(session, name, woken, end)
                if session.finish_get(md):
                    break
            except BaseException:
                session.cancel_get()
                raise
            if end >= 0:
                gmo.wait_interval = max(0, round((end - loop.time()) * 1000))
                if not gmo.wait_interval:
                    options &= ~MQGMO_WAIT
            gmo.options = options
        connection = session.connection
        data, force = connection.data, session.force
        properties = carried(connection) if connection.carrier is not None else None
        warning = session.warning(name) if connection.completion else None
        if force and self._host.log.durable < force:
            if gmo.options & MQGMO_SYNCPOINT and connection.unit is not None:
                try:
                    await self._durable(force)
                except BaseException:
                    session.undo_get()
                    raise
            else:
                await self._certainly(force)
        if warning is not None:
            raise warning
        return Message(data, md, name, properties)

    async def _park(self, session: EngineSession, name: str, woken: _Woken, end: float) -> None:
        """Wait to be woken, or raise NoMessageAvailable at the loop's time `end`."""
        if end < 0:
            await woken.future
            return
        timer = woken.loop.call_at(end, woken.finish)
        try:
            await woken.future
        finally:
            timer.cancel()
        if not woken.came and session.give_up():
            raise session.nothing(name)


class EmbeddedTransaction(AsyncTransaction):
    """A unit of work of one task, on a connection of its own."""

    def __init__(self, qm: AsyncQueueManager) -> None:
        self._qm = qm
        self._session: EngineSession | None = None

    def _session_in_use(self) -> EngineSession:
        if self._session is None:
            raise TransactionError("the transaction that this task was started in has ended")
        return self._session

    async def __aenter__(self) -> EmbeddedTransaction:
        self._qm._raise_deferred()
        if self._qm._transaction.get() is not None:
            raise TransactionError("this task is in a transaction already; transactions do not nest")
        self._qm._check_no_unit()
        if self._session is not None:
            raise TransactionError("a transaction is entered once; ask transaction() for another")
        self._session = self._qm._borrow()
        self._token = self._qm._transaction.set(self)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        qm = self._qm
        session = self._session_in_use()
        self._session = None
        qm._transaction.reset(self._token)
        try:
            if kind is not None or qm._host.state != OPEN:
                if qm._host.state == OPEN:
                    session.backout()
                return
            try:
                force = session.commit()
            except MQError:
                if qm._host.state == OPEN:
                    session.backout()
                raise
            if force:
                await qm._durable(force)
        finally:
            qm._give(session)

    async def commit(self) -> None:
        force = self._session_in_use().commit()
        if force:
            await self._qm._durable(force)

    async def backout(self) -> None:
        self._session_in_use().backout()

    async def _take_connection(self) -> None:
        self._session = self._qm._borrow()

    def _give_connection(self) -> None:
        session = self._session_in_use()
        self._session = None
        if self._qm._host.state == OPEN:
            session.backout()
            self._qm._give(session)


class _Woken:
    """Wakes a task: the call that completed its wait does, in any thread, or the timer."""

    __slots__ = ("came", "future", "loop")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.future: asyncio.Future[None] = loop.create_future()
        self.came = False

    def wake(self) -> None:
        """Wake the task. Called under the engine's lock."""
        self.came = True
        try:
            self.loop.call_soon_threadsafe(self.finish)
        except RuntimeError:
            return  # The loop is closed. A message stays in a unit of work that is backed out when the host closes.

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
        command_server: bool = False,
    ) -> None:
        self._name = name
        self._create = create
        self._queue_manager_name = queue_manager_name
        self._application = application or application_name()
        self._options = CreateOptions(developer=developer)
        if log is not None:
            self._options.log = log
        self._command_server = command_server
        self._qm: AsyncQueueManager | None = None

    def _host(self) -> Host:
        """Open the queue manager, in a worker."""
        host = open_host(self._name, self._create, self._options, self._queue_manager_name)
        if self._command_server:
            from flintmq.host.command_thread import CommandThread

            CommandThread(host)
        return host

    async def _open(self) -> AsyncQueueManager:
        workers = ThreadPoolExecutor(4, "flintmq")
        loop = asyncio.get_running_loop()
        try:
            host = await loop.run_in_executor(workers, self._host)
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
