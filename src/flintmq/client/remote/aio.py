"""`flintmq.aconnect`: a remote queue manager for asyncio, with the API of `flintmq.aopen`.

    async with flintmq.aconnect("QM1", channel="DEV.APP.SVRCONN", conn="host(1414)") as qm:
        orders = await qm.queue("ORDERS")
        async with qm.transaction():
            await orders.put(b"hello", persistent=True)
        message = await orders.get(wait=5.0)

Each call uses one of these connections, and so sockets:

    with `syncpoint=True` outside of one   that of the task's own unit of work, until `commit` or `backout`
    inside `async with qm.transaction()`   the transaction's own; child tasks inherit it, other tasks do not use it
    a get that waits, a browse             one of a pool, for as long as it lasts
    a get that is read ahead               one of the queue's own, with the messages sent in advance. Only if the
                                           program asks for read-ahead: DEFREADA alone would leave messages on
                                           connections of others
    any other call outside                 the shared one: no call leaves work on it

If a task is cancelled in a get that waits outside of a transaction, the queue manager is asked to end the get
(aio_wire.py); if it does not do so, the get is made in a unit of work of its own, and committed when the task has the
message. Either way no message is lost. A task that is cancelled while it waits in a transaction loses the
transaction: its connection is closed, and the queue manager backs it out. Commands are made on a connection of the
pool, and completed even if the task is cancelled. A subscription, and a replay, is made by a worker and has a
connection of its own.

With `reconnect` a connection that was lost is made again, by the rules of reconnect.py; meanwhile the tasks that need
it wait, and the others run.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Generator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from types import TracebackType
from typing import TYPE_CHECKING, Any, Unpack, cast

from flintmq.client.aio_calls import AsyncCalls
from flintmq.client.aio_seam import AsyncTransaction, T
from flintmq.client.inquiries import Inquiries, inquired_steps
from flintmq.client.lazy import lazy
from flintmq.client.message import Message, Wait
from flintmq.client.options import browse_options, cut, get_options, wanted
from flintmq.client.remote.aio_wire import AsyncWire, open_async_wire
from flintmq.client.remote.connect import Options, RemoteQueueManager, definitions_of
from flintmq.client.remote.connection import check_name
from flintmq.client.remote.definition import NO_RECONNECT, Definition
from flintmq.client.remote.direct import Direct
from flintmq.client.remote.queue_steps import QueueSteps
from flintmq.client.remote.reconnect import UNCERTAIN, Told, delays
from flintmq.client.remote.session import CallReply
from flintmq.client.remote.steps import MQISteps, RemoteHandle, Steps
from flintmq.client.seam import put_status
from flintmq.mqi import reason as rc
from flintmq.mqi.call_errors import (
    BackedOut,
    MQError,
    NoMessageAvailable,
    NotConnected,
    TransactionError,
    Truncated,
    error_of,
)
from flintmq.mqi.constants import (
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_NO_READ_AHEAD,
    MQOO_READ_AHEAD,
    MQPMO_ASYNC_RESPONSE,
    MQSTAT_TYPE_ASYNC_ERROR,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.properties import MessageProperties
from flintmq.wire.mq import segment as seg

if TYPE_CHECKING:
    from flintmq.client.commands import CommandReply
    from flintmq.client.remote import commands
    from flintmq.client.subscribed import Subscribed
    from flintmq.mqi.sd import MQSD
else:
    commands = lazy("flintmq.client.remote.commands")


class _Line:
    """A connection of the event loop, and its open objects."""

    def __init__(self, wire: AsyncWire) -> None:
        self.wire = wire
        self.mqi = MQISteps(wire)
        self.mqi.room = wire.definition.room
        self.queues = QueueSteps(self.mqi, MQOO_NO_READ_AHEAD)

    async def run(self, steps: Steps[T], waits: bool = False, defer: Callable[[], None] | None = None) -> T:
        return await self.wire.run(steps, waits, defer)

    def is_idle(self) -> bool:
        """Return whether a direct call can be made: the connection is there, and no call is under way."""
        wire = self.wire
        return not wire.turns.taken and wire.broken is None


class AsyncRemoteQueueManager(AsyncCalls):
    """A queue manager at the other end of a channel, for the tasks of one event loop. Made by `aconnect`."""

    def __init__(self, definitions: list[Definition], wire: AsyncWire, on_event: Told | None = None) -> None:
        super().__init__()
        self._definitions = definitions
        self._loop = asyncio.get_running_loop()
        self._shared = _Line(wire)
        self._lines = {self._shared}
        self._free: list[_Line] = []
        #: Connections for gets that are read ahead, by queue and selector.
        self._ahead: dict[tuple[str, str], _Line] = {}
        self._closed = False
        self._workers = ThreadPoolExecutor(4, "flintmq")
        self._sync: RemoteQueueManager | None = None
        self._on_event = on_event
        self._reconnects = wire.definition.reconnect != NO_RECONNECT
        self._reconnecting = asyncio.Lock()
        #: The transaction that a task is in.
        self._transaction: ContextVar[RemoteTransaction | None] = ContextVar("flintmq_remote", default=None)

    @property
    def name(self) -> str:
        """Return the queue manager's name, as it says itself."""
        return self._shared.wire.q_mgr_name

    @property
    def closed(self) -> bool:
        return self._closed

    def _new_transaction(self) -> AsyncTransaction:
        return RemoteTransaction(self)

    async def _run_mqsc(self, text: str, check: bool) -> CommandReply:
        return await self._command(lambda line: commands.run(line.queues, text, check))

    async def __aenter__(self) -> AsyncRemoteQueueManager:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Disconnect. Uncommitted work is backed out, waits end with NotConnected. A second close does nothing."""
        if self._closed:
            return
        self._closed = True
        idle = [self._shared, *self._free, *self._ahead.values()]
        for line in self._lines - set(idle):
            line.wire.drop()
        await asyncio.gather(*(line.wire.close() for line in idle))
        if self._sync is not None:
            await self._loop.run_in_executor(self._workers, self._sync.close)
        self._workers.shutdown(wait=False)

    # -- connections --------------------------------------------------------------------------------------------------

    async def _borrow(self) -> _Line:
        """Take a connection to wait on from the pool, or make one."""
        while self._free:
            line = self._free.pop()
            if line.wire.broken is None:
                return line
            self._lines.discard(line)
        if self._closed:
            raise self._is_closed()
        try:
            line = await self._open()
        except NotConnected as error:
            if not self._reconnects or self._closed:
                raise
            self._shared.wire.drop()  # It is as dead as this one.
            await self._reconnect(error)
            line = await self._open()
        self._lines.add(line)
        return line

    async def _open(self) -> _Line:
        """Make a connection. Raise MQError; NotConnected if all were closed meanwhile."""
        wire = await open_async_wire(self._definitions)
        if self._closed:
            wire.drop()
            raise self._is_closed()
        return _Line(wire)

    def _is_closed(self) -> NotConnected:
        return NotConnected(f"the connection to {self.name} is closed")

    def _give(self, line: _Line) -> None:
        if line.wire.broken is None and not self._closed:
            self._free.append(line)
        else:
            line.wire.drop()
            self._lines.discard(line)

    def _in_worker(self) -> RemoteQueueManager:
        """Return the queue manager for workers, which have connections of their own."""
        if self._sync is None:
            self._sync = RemoteQueueManager(self._definitions, self._on_event)
        return self._sync

    async def _work(self, call: Callable[[], T]) -> T:
        return await asyncio.shield(self._loop.run_in_executor(self._workers, call))

    # -- calls --------------------------------------------------------------------------------------------------------

    async def _create_queue(self, name: str, attributes: dict[str, object]) -> None:
        await self._command(lambda line: commands.create_queue(line.queues, name, attributes))

    async def _check_queue(self, name: str) -> None:
        check_name(name, self.name)
        await self._whole(self._call(lambda line: line.queues.check(name)))

    def _subscribed(self, sd: MQSD, queue: str | None) -> Subscribed:
        return self._in_worker().connect()._subscribe(sd, queue)

    async def _inquire_depth(self, name: str) -> int:
        return await self._whole(self._call(lambda line: line.queues.depth(name)))

    async def _inquire(self, make: Callable[[], Inquiries[T]]) -> T:
        return await self._whole(self._call(lambda line: inquired_steps(line.mqi, make())))

    async def _clear(self, name: str) -> None:
        for line in (self._shared, *self._free):  # A queue is cleared when it is not open.
            if line.wire.broken is None:
                await self._whole(line.run(line.queues.release(name)))
        await self._command(lambda line: commands.clear_queue(line.queues, name))

    async def _replay(self, message: Message, queue: str, queue_manager: str) -> None:
        from flintmq.client.replay import replay

        def move() -> None:
            connection = self._in_worker().connect()
            try:
                replay(connection, message, queue, queue_manager)
            finally:
                connection.close()

        await self._work(move)

    async def _command(self, make: Callable[[_Line], Steps[T]]) -> T:
        """Run MQSC commands, on a connection of the pool."""
        return await self._whole(self._call_apart(make))

    async def _whole(self, call: Coroutine[Any, Any, T]) -> T:
        """Make a call of several exchanges. A cancelled task does not end it: no object stays open."""
        return await asyncio.shield(self._loop.create_task(call))

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
        self._raise_deferred()
        transaction = self._transaction.get() if syncpoint is None else await self._unit(syncpoint)
        plain = properties is None and not extra_options and not delay_ms
        if transaction is not None:
            transaction.unsettled = transaction.unsettled or extra_options & MQPMO_ASYNC_RESPONSE != 0
            await transaction.run(
                lambda line: line.queues.put(name, md, data, True, properties, extra_options, delay_ms),
                False,
                (lambda line: line.queues.direct_put(name, md, data, True)) if plain else None,
            )
            return
        answers: list[CallReply] | None = None
        if plain:
            line = self._shared
            direct = line.queues.direct_put(name, md, data, False) if line.is_idle() else None
            if direct is not None:
                try:
                    if await line.wire.run_direct(direct):
                        return
                    answers = direct.answers
                except NotConnected as error:
                    self._raise_deferred()
                    await self._again(line, error)
        await self._call(
            lambda line: line.queues.put(name, md, data, False, properties, extra_options, delay_ms), None, answers
        )

    async def _flush(self) -> int:
        self._raise_deferred()
        return put_status(await self._call(lambda line: line.mqi.stat_steps(MQSTAT_TYPE_ASYNC_ERROR)))

    async def _ahead_line(self, name: str, selector: str) -> _Line:
        """Return the connection for gets from a queue that are read ahead."""
        line = self._ahead.get((name, selector))
        if line is None or line.wire.broken is not None:
            line = self._ahead[name, selector] = await self._borrow()
        return line

    async def _get_ahead(
        self, name: str, md: MQMD, gmo: MQGMO, length: int, selector: str, open_options: int
    ) -> Message:
        wish, interval = md.copy(), gmo.wait_interval
        while True:
            line = await self._ahead_line(name, selector)
            try:
                return await line.run(
                    line.queues.get(name, md, gmo, length, False, False, selector, open_options), True
                )
            except NotConnected as error:
                await self._again(line, error)
                wish.copy_to(md)
                gmo.wait_interval = interval

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
        """Get up to `count` messages, in as few exchanges as possible; wait for the first."""
        if open_options & MQOO_READ_AHEAD:  # Messages are sent in advance: there is no exchange to save.
            return await super()._get_many(
                name, count, wait, correlation_id, convert, requeue, syncpoint, selector, open_options
            )
        self._raise_deferred()
        transaction = self._transaction.get() if syncpoint is None else await self._unit(syncpoint)
        md, gmo = wanted(correlation_id, None), get_options(wait, convert, False)
        if transaction is not None:
            waits = gmo.options & MQGMO_WAIT != 0
            return await transaction.run(
                lambda line: line.queues.get_many(name, count, md.copy(), gmo, requeue, True, selector), waits
            )
        options = gmo.options

        def make(line: _Line) -> Steps[list[Message]]:
            gmo.options = options
            return line.queues.get_many(name, count, md.copy(), gmo, requeue, False, selector, True)

        return await self._call_apart(make, self._defer_cancellation)

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
        self._raise_deferred()
        length = max_length
        transaction = self._transaction.get() if syncpoint is None else await self._unit(syncpoint)
        waits = gmo.options & MQGMO_WAIT != 0
        plain = length < 0 and not selector and not open_options
        if transaction is None and open_options & MQOO_READ_AHEAD:
            return await self._get_ahead(name, md, gmo, length, selector, open_options)
        if transaction is not None:
            return await transaction.run(
                lambda line: line.queues.get(name, md, gmo, length, requeue, True, selector),
                waits,
                (lambda line: line.queues.direct_get(name, md, gmo, requeue, True)) if plain else None,
            )
        if not waits:
            answers: list[CallReply] | None = None
            line = self._shared
            direct = line.queues.direct_get(name, md, gmo, requeue, False) if plain and line.is_idle() else None
            try:
                if direct is not None:
                    try:
                        if await line.wire.run_direct(direct, False, self._defer_cancellation):
                            return cast(Message, direct.message)
                        answers = direct.answers
                    except NotConnected as error:
                        self._raise_deferred()
                        await self._again(line, error)
                return await self._call(
                    lambda line: line.queues.get(name, md, gmo, length, requeue, False, selector),
                    self._defer_cancellation,
                    answers,
                )
            except MQError:
                self._raise_deferred()  # There is no message that could be lost.
                raise
        return await self._call_apart(
            lambda line: _got_for_certain(line, name, md, gmo, length, requeue, selector),
            self._defer_cancellation,
            (lambda line: _direct_get(line, name, md, gmo, requeue)) if plain else None,
        )

    async def _call(
        self,
        make: Callable[[_Line], Steps[T]],
        defer: Callable[[], None] | None = None,
        answers: list[CallReply] | None = None,
    ) -> T:
        """Make a call on the shared connection, on a new one if that was lost.

        The first try continues with `answers`, if its first exchange was a direct call.
        """
        while True:
            line = self._shared
            try:
                return await line.wire.run(make(line), False, defer, answers)
            except NotConnected as error:
                answers = None
                self._raise_deferred()
                await self._again(line, error)

    async def _call_apart(
        self,
        make: Callable[[_Line], Steps[T]],
        defer: Callable[[], None] | None = None,
        short: Callable[[_Line], Direct | None] | None = None,
    ) -> T:
        """Make a call that may wait, on a connection of its own, on a new one if that was lost.

        `short` makes a direct call of it, if it can be one.
        """
        while True:
            free = self._free
            line = free.pop() if free and free[-1].is_idle() else await self._borrow()
            try:
                direct = short(line) if short is not None and line.is_idle() else None
                if direct is None:
                    return await line.wire.run(make(line), True, defer)
                if await line.wire.run_direct(direct, True, defer):
                    return cast(T, direct.message)
                return await line.wire.run(make(line), True, defer, direct.answers)
            except NotConnected as error:
                self._raise_deferred()
                await self._again(line, error)
            except MQError:
                self._raise_deferred()  # There is no message that could be lost.
                raise
            finally:
                self._give(line)

    async def _again(self, line: _Line, error: NotConnected) -> None:
        """Reconnect after a lost connection. Raise the errors that the caller has to handle."""
        wire = line.wire
        if not self._reconnects or not wire.lost or self._closed:
            raise error
        uncertain = wire.in_flight in UNCERTAIN and error is not wire.unsent  # Others may be refused meanwhile.
        await self._reconnect(error)
        if uncertain:
            text = f"{wire.where}: connected again, but nobody knows whether the call that was under way was done"
            raise error_of(rc.MQRC_CALL_INTERRUPTED, text)

    async def _reconnect(self, lost: MQError) -> None:
        """Make the shared connection again, if it is broken; the others are made when they are needed."""
        async with self._reconnecting:
            before = self._shared.wire
            if before.broken is None:
                return
            definition = self._definitions[0]
            self._say(rc.MQRC_RECONNECTING, f"{before.where}: the connection was lost ({lost.text}); reconnecting")
            delay, end = delays(definition), self._loop.time() + definition.reconnect_timeout_s
            number, last = 0, lost
            while self._loop.time() < end and not self._closed:
                await asyncio.sleep(min(delay(number), max(0.0, end - self._loop.time())))
                number += 1
                try:
                    line = await self._open()
                except MQError as error:
                    last = error
                    continue
                self._lines.discard(self._shared)
                self._shared = line
                self._lines.add(line)
                self._say(rc.MQRC_RECONNECTED, f"{line.wire.where}: connected again, at try {number}")
                return
            if self._closed:
                raise self._is_closed()
            text = f"{before.where}: not connected again in {definition.reconnect_timeout_s:g} seconds: {last.text}"
            self._say(rc.MQRC_RECONNECT_FAILED, text)
            raise error_of(rc.MQRC_RECONNECT_TIMED_OUT, text)

    def _say(self, reason: int, text: str) -> None:
        if self._on_event is not None:
            self._on_event(reason, text)

    async def _request(
        self, name: str, md: MQMD, data: bytes, properties: MessageProperties | None, timeout: float, convert: bool
    ) -> Message:
        self._raise_deferred()  # Each connection has its own reply queue: tasks do not get each other's answers.
        return await self._call_apart(
            lambda line: line.queues.request(name, md, data, properties, timeout, convert),
            None,
            (lambda line: line.queues.direct_request(name, md, data, timeout, convert)) if properties is None else None,
        )

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
        line = await self._borrow()
        handle: RemoteHandle | None = None
        try:
            options = MQOO_BROWSE | MQOO_FAIL_IF_QUIESCING | open_options
            handle = await line.run(line.queues.open(name, options, selector))
            while True:
                gmo = browse_options(wait, max_length)
                md = wanted(correlation_id, message_id)
                try:
                    message = await line.run(line.queues.got(name, handle, md, gmo, max_length), True)
                except NoMessageAvailable:
                    return
                except Truncated as error:
                    message = cut(error, md, name)
                message.token = gmo.msg_token
                yield message
        finally:
            if handle is not None and line.wire.broken is None:
                await line.run(line.queues.close(handle))
            self._give(line)


def _direct_get(line: _Line, name: str, md: MQMD, gmo: MQGMO, requeue: bool) -> Direct | None:
    """Return a get as a direct call, if the queue manager is known to end gets; else None."""
    return line.queues.direct_get(name, md, gmo, requeue, False) if line.mqi.sends_together else None


def _got_for_certain(
    line: _Line, name: str, md: MQMD, gmo: MQGMO, length: int, requeue: bool, selector: str
) -> Steps[Message]:
    """Get a message so that none is lost if the task is cancelled.

    The queue manager is asked to end the get, if it supports that; else the get is made in a unit of work of its own,
    which is committed when the message is here.
    """
    if (yield from line.mqi.may_send_together_steps()):
        return (yield from line.queues.get(name, md, gmo, length, requeue, False, selector))
    message = yield from line.queues.get(name, md, gmo, length, requeue, True, selector)
    yield from line.mqi.cmit_steps()
    return message


class RemoteTransaction(AsyncTransaction):
    """A unit of work of one task, on a connection of its own."""

    def __init__(self, qm: AsyncRemoteQueueManager) -> None:
        self._qm = qm
        self._line: _Line | None = None
        #: The unit of work has asynchronous puts.
        self.unsettled = False

    def line(self) -> _Line:
        """Return the connection of the transaction."""
        if self._line is None:
            raise TransactionError("the transaction that this task was started in has ended")
        return self._line

    async def run(
        self,
        make: Callable[[_Line], Steps[T]],
        waits: bool = False,
        short: Callable[[_Line], Direct | None] | None = None,
    ) -> T:
        """Make a call in the transaction. Raise BackedOut if the unit of work was lost with its connection.

        `short` makes a direct call of it, if it can be one.
        """
        line = self.line()
        try:
            direct = short(line) if short is not None and line.is_idle() else None
            if direct is None:
                return await line.wire.run(make(line), waits)
            if await line.wire.run_direct(direct, waits):
                return cast(T, direct.message)
            return await line.wire.run(make(line), waits, None, direct.answers)
        except NotConnected as error:
            raise self._lost(line, error) from None

    def _lost(self, line: _Line, error: NotConnected) -> MQError:
        if not self._qm._reconnects or not line.wire.lost:
            return error
        if line.wire.in_flight == seg.MQCMIT:
            return error_of(rc.MQRC_CALL_INTERRUPTED, f"{line.wire.where}: nobody knows whether the commit was done")
        return BackedOut(f"{line.wire.where}: the unit of work was lost with the connection")

    async def __aenter__(self) -> RemoteTransaction:
        self._qm._raise_deferred()
        if self._qm._transaction.get() is not None:
            raise TransactionError("this task is in a transaction already; transactions do not nest")
        self._qm._check_no_unit()
        if self._line is not None:
            raise TransactionError("a transaction is entered once; ask transaction() for another")
        await self._take_connection()
        self._token = self._qm._transaction.set(self)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._qm._transaction.reset(self._token)
        await self._end(kind is None)

    async def _end(self, commits: bool) -> None:
        """Commit or back out, and give the connection back. Raise BackedOut, and others by reason."""
        qm, line = self._qm, self.line()
        self._line = None
        try:
            if not commits:
                if line.wire.broken is None:
                    await self._undo(line)
                return
            try:
                await self._settle(line)
                await line.run(line.mqi.cmit_steps())
            except NotConnected as lost:
                raise self._lost(line, lost) from None
            except MQError:
                if line.wire.broken is None:
                    await line.run(line.mqi.back_steps())
                raise
        finally:
            qm._give(line)

    async def _undo(self, line: _Line) -> None:
        """Back out, and drop the errors of asynchronous puts in the unit of work."""
        await line.run(line.mqi.back_steps())
        if self.unsettled:
            self.unsettled = False
            await line.run(line.mqi.stat_steps(MQSTAT_TYPE_ASYNC_ERROR))

    async def _settle(self, line: _Line) -> None:
        """Back out and raise BackedOut if an asynchronous put of the unit of work has failed."""
        if not self.unsettled:
            return
        self.unsettled = False
        try:
            put_status(await line.run(line.mqi.stat_steps(MQSTAT_TYPE_ASYNC_ERROR)))
        except NotConnected:
            raise
        except MQError as error:
            await line.run(line.mqi.back_steps())
            raise BackedOut(f"the unit of work was backed out: {error.text}") from error

    async def commit(self) -> None:
        try:
            await self._settle(self.line())
        except NotConnected as error:
            raise self._lost(self.line(), error) from None
        await self.run(lambda line: line.mqi.cmit_steps())

    async def backout(self) -> None:
        line = self.line()
        try:
            await self._undo(line)
        except NotConnected as error:
            raise self._lost(line, error) from None

    async def _take_connection(self) -> None:
        self._line = await self._qm._borrow()

    def _give_connection(self) -> None:
        line = self.line()
        self._line = None
        if line.mqi.has_work:
            line.wire.drop()  # The queue manager backs out.
        self._qm._give(line)


class aconnect:
    """Connect for asyncio: `async with flintmq.aconnect("QM1", ...) as qm:`, or `qm = await flintmq.aconnect(...)`.

    The arguments are those of `flintmq.connect`.
    """

    def __init__(self, name: str = "", **options: Unpack[Options]) -> None:
        self._name = name
        self._options = options
        self._qm: AsyncRemoteQueueManager | None = None

    async def _connect(self) -> AsyncRemoteQueueManager:
        definitions = definitions_of(self._name, self._options)
        self._qm = AsyncRemoteQueueManager(
            definitions, await open_async_wire(definitions), self._options.get("on_event")
        )
        return self._qm

    def __await__(self) -> Generator[Any, None, AsyncRemoteQueueManager]:
        return self._connect().__await__()

    async def __aenter__(self) -> AsyncRemoteQueueManager:
        return await self._connect()

    async def __aexit__(self, *exc: object) -> None:
        if self._qm is not None:
            await self._qm.close()
