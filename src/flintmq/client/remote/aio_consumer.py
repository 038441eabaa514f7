"""A consumer for asyncio over a channel: a coroutine is awaited with each message of a queue, in a unit of work of it.

The rules are those of client/consumer.py. The handler runs in a task of the consumer; what it puts and gets through the
queue manager belongs to the unit of work of its message, as in `async with qm.transaction()`:

    the handler returns         the unit is committed, and the next message comes
    it raises, and the queue    the unit is backed out, the logger `flintmq.consumer` says so, and the message comes
      has BOTHRESH              again until it was backed out that often; then it is moved away (link.py)
    it raises, and it has not   the unit is backed out, and the consumer stops: `error` says why
    the connection is lost      with `reconnect` the consumer goes on with another one, and the message comes again;
                                else it stops
    the queue is inhibited      the consumer goes on when it is no longer
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from flintmq.client.errors import BackedOut, GetInhibited, MQError, NoMessageAvailable, NotConnected
from flintmq.client.message import Message
from flintmq.client.queue import get_options, wanted

if TYPE_CHECKING:
    from flintmq.client.remote.aio import AsyncRemoteQueueManager, _Line

AsyncHandler = Callable[[Message], Awaitable[object]]

#: A get waits this long, then begins anew.
_WAIT_S = 60.0
_INHIBITED_S = 0.5

_log = logging.getLogger("flintmq.consumer")


class AsyncRemoteConsumer:
    """A running consumer. Close it, or use it in an `async with` statement."""

    def __init__(
        self,
        qm: AsyncRemoteQueueManager,
        name: str,
        handler: AsyncHandler,
        correlation_id: bytes | None = None,
        message_id: bytes | None = None,
        convert: bool = False,
        requeue_poison: bool = True,
        selector: str = "",
    ) -> None:
        if not callable(handler):
            raise TypeError(f"a handler is a coroutine function that takes a message, not {type(handler).__name__}")
        wanted(correlation_id, message_id)
        self.queue_name = name
        #: Why it stopped by itself; None while it runs, and if it was closed.
        self.error: BaseException | None = None
        self._qm = qm
        self._handler = handler
        self._correlation_id, self._message_id = correlation_id, message_id
        self._convert = convert
        self._requeue = requeue_poison
        self._selector = selector
        self._running = asyncio.Event()
        self._running.set()
        self._stopped = asyncio.Event()
        self._ending = False
        #: A handler is under way, or its commit.
        self._busy = False
        self._task: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        return f"<AsyncRemoteConsumer of {self.queue_name}{'' if self.running else ' stopped'}>"

    @property
    def running(self) -> bool:
        """Whether messages still come, now or after it was resumed."""
        return not self._stopped.is_set()

    def suspend(self) -> None:
        """Take no more messages until `resume`."""
        self._running.clear()

    def resume(self) -> None:
        """Resume delivery."""
        self._running.set()

    async def join(self) -> None:
        """Wait until it has stopped, by itself or by `close`."""
        await self._stopped.wait()

    async def close(self) -> None:
        """Stop. A handler that is under way finishes, and its unit of work with it. A second close does nothing."""
        self._ending = True
        task = self._task
        if task is None or task is asyncio.current_task():
            return  # The loop ends after this handler.
        if not self._busy:
            task.cancel()
        await self._stopped.wait()

    async def __aenter__(self) -> AsyncRemoteConsumer:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *exc: object) -> None:
        """Close it, and raise the error that made it stop, if there is one and the block itself ended well."""
        await self.close()
        if kind is None and self.error is not None:
            raise self.error

    # -- its task -----------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Open the queue, and begin. Raises MQError."""
        line = await self._qm._borrow()
        try:
            await line.run(line.link._get_handle(self.queue_name, self._selector))
        except BaseException:
            self._qm._give(line)
            raise
        self._qm._consumers.add(self)
        self._task = asyncio.get_running_loop().create_task(
            self._run(line), name=f"flintmq consumer of {self.queue_name}"
        )

    async def _run(self, line: _Line) -> None:
        """Until it is closed, or stops by itself."""
        try:
            while not self._ending:
                await self._running.wait()
                try:
                    if not await self._next(line):
                        return
                except NoMessageAvailable:
                    continue
                except GetInhibited:
                    await asyncio.sleep(_INHIBITED_S)
                except NotConnected as error:
                    await self._qm._again(line, error)
                    self._qm._give(line)
                    line = await self._qm._borrow()
        except asyncio.CancelledError:
            if not self._ending:
                raise
        except MQError as error:
            if not self._ending:
                self._fail(error)
        except BaseException as error:
            self.error = error
            raise
        finally:
            self._qm._give(line)
            self._qm._consumers.discard(self)
            self._stopped.set()

    async def _next(self, line: _Line) -> bool:
        """Get a message and handle it. False: the consumer has stopped."""
        md, gmo = wanted(self._correlation_id, self._message_id), get_options(_WAIT_S, self._convert, False)
        message = await line.run(line.link.get(self.queue_name, md, gmo, -1, self._requeue, True, self._selector), True)
        self._busy = True
        try:
            if self._ending:
                await line.run(line.mqi.back_steps())
                return False
            await self._running.wait()  # Suspended meanwhile: it comes when it is resumed.
            return await self._handled(line, message)
        finally:
            self._busy = False

    async def _handled(self, line: _Line, message: Message) -> bool:
        """Await the handler, and commit or back out. False: the consumer has stopped."""
        from flintmq.client.remote.aio import RemoteTransaction

        transaction = RemoteTransaction(self._qm)
        await transaction.begin(line)
        token = self._qm._transaction.set(transaction)
        try:
            await self._handler(message)
            await transaction.commit()
        except BackedOut:
            if line.wire.broken is not None:
                raise NotConnected(f"{line.wire.where}: the connection was lost") from None
            return True
        except NotConnected:
            if line.wire.broken is not None:
                raise
            return await self._failed(line, message, NotConnected("the handler lost a connection"))
        except asyncio.CancelledError:
            if line.wire.broken is None:
                await line.run(line.mqi.back_steps())
            raise
        except BaseException as error:
            if line.wire.broken is not None:
                raise NotConnected(f"{line.wire.where}: the connection was lost") from error
            return await self._failed(line, message, error)
        finally:
            self._qm._transaction.reset(token)
        return True

    async def _failed(self, line: _Line, message: Message, error: BaseException) -> bool:
        """The handler raised: back out, and go on if the queue manager counts how often."""
        await line.run(line.mqi.back_steps())
        again = self._requeue and line.link.threshold(self.queue_name) > 0
        _log.error(
            "The handler of %s raised %s: %s. The message was backed out, for the %d. time, %s.",
            self.queue_name,
            type(error).__name__,
            error,
            message.backout_count + 1,
            "and will come again" if again else "and the consumer has stopped",
            exc_info=error,
        )
        if not again:
            self.error = error
        return again

    def _fail(self, error: MQError) -> None:
        self.error = error
        _log.error("The consumer of %s has stopped: %s", self.queue_name, error)
