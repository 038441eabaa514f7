"""A consumer, for tasks: a handler that is called with each message of a queue, in a unit of work of its own.

    async def handle(message):
        await done.put(message.text.upper())

    async with work.consume(handle, concurrency=10):
        ...

The rules for a message after its handler raised are those of consumer.py. Up to `concurrency` tasks get and handle
messages, each in a transaction of its own, which the handler's puts and gets belong to. A handler is a coroutine
function, or a plain function that does not block: it runs in the event loop.

    close()                  tasks that wait for a message are cancelled, which loses none; tasks that run a handler
                             finish, with their unit of work. close() waits for them
    the loop is shut down    tasks are cancelled, and units of work backed out
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import logging
from collections.abc import Callable, Generator
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from flintmq.client.consumer import check_handler
from flintmq.client.inquiries import backout_policy
from flintmq.client.message import Message
from flintmq.client.options import get_options, wanted
from flintmq.client.payload import TypedMessage
from flintmq.client.retry import (
    CannotMove,
    Retry,
    as_dead_letter,
    cannot_be_delayed,
    cannot_move,
    copy_of,
    failed_attempts,
    target,
)
from flintmq.mqi.call_errors import BackedOut, GetInhibited, MQError, NoMessageAvailable

if TYPE_CHECKING:
    from flintmq.client.aio_seam import AsyncSeam

T = TypeVar("T")

#: A coroutine function, or a plain function.
AsyncHandler = Callable[[Message], object]
AsyncTypedHandler = Callable[[TypedMessage[T]], object]

#: A get waits so many seconds, then begins anew.
_WAIT_S = 60.0
_INHIBITED_S = 0.5

_log = logging.getLogger("flintmq.consumer")


class AsyncConsumer:
    """A consumer. Made by `queue.consume(handler)`; await it to start it, or use it in an `async with` statement.

    >>> import asyncio, flintmq
    >>> async def main():
    ...     async with flintmq.aopen(":memory:") as qm:
    ...         work, done = await qm.queue("WORK", create=True), await qm.queue("DONE", create=True)
    ...         async def handle(message):
    ...             await done.put(message.text.upper())
    ...         consumer = await work.consume(handle)
    ...         _ = await work.put("hello")
    ...         print((await done.get(wait=5.0)).text)
    ...         await consumer.close()
    >>> asyncio.run(main())
    HELLO
    """

    def __init__(
        self,
        seam: AsyncSeam,
        name: str,
        handler: AsyncHandler,
        concurrency: int,
        retry: Retry | None,
        correlation_id: bytes | None,
        message_id: bytes | None,
        convert: bool,
        requeue_poison: bool,
        selector: str,
    ) -> None:
        check_handler(handler, retry)
        wanted(correlation_id, message_id)
        #: Why it stopped by itself; None while it runs, and if it was closed.
        self.error: BaseException | None = None
        self.queue_name = name
        self._seam = seam
        self._handler = handler
        self._concurrency = concurrency
        self._retry = retry
        self._correlation_id, self._message_id = correlation_id, message_id
        self._convert = convert
        self._requeue = requeue_poison and retry is None
        self._selector = selector
        self._tasks: set[asyncio.Task[None]] = set()
        #: Tasks that wait for a message: cancelling one loses nothing.
        self._waiting: set[asyncio.Task[Any]] = set()
        self._started = False
        self._ending = False
        self._resumed = asyncio.Event()
        self._resumed.set()
        self._stopped = asyncio.Event()

    def __repr__(self) -> str:
        return f"<AsyncConsumer of {self.queue_name}{' stopped' if self._stopped.is_set() else ''}>"

    @property
    def running(self) -> bool:
        """Return whether messages are delivered, now or after it is resumed."""
        return self._started and not self._stopped.is_set()

    def suspend(self) -> None:
        """Suspend delivery until `resume`."""
        self._resumed.clear()

    def resume(self) -> None:
        """Resume delivery."""
        self._resumed.set()

    async def join(self, timeout: float | None = None) -> bool:
        """Wait until it has stopped, by itself or by `close`. Return False if it still runs after `timeout` seconds."""
        try:
            await asyncio.wait_for(self._stopped.wait(), timeout)
        except TimeoutError:
            return False
        return True

    async def close(self) -> None:
        """Stop. Handlers that are running finish, and their units of work with them. A second close does nothing."""
        self._end()
        others = self._tasks - {asyncio.current_task()}  # Not the one that runs the handler which calls this.
        if others:
            await asyncio.wait(others)
        if not self._tasks:
            self._stopped.set()

    async def _start(self) -> AsyncConsumer:
        if self._started:
            return self
        self._started = True
        await self._seam._check_queue(self.queue_name)
        context = contextvars.copy_context()
        context.run(self._seam._transaction.set, None)  # Not in a transaction that `consume` was called in.
        for number in range(self._concurrency):
            name = f"flintmq consumer {number + 1} of {self.queue_name}"
            task = asyncio.create_task(self._run(), name=name, context=context.copy())
            self._tasks.add(task)
            task.add_done_callback(self._done)
        return self

    def __await__(self) -> Generator[Any, None, AsyncConsumer]:
        return self._start().__await__()

    async def __aenter__(self) -> AsyncConsumer:
        return await self._start()

    async def __aexit__(self, kind: type[BaseException] | None, *exc: object) -> None:
        """Close it. Raise the error that stopped it, unless the block itself raised."""
        await self.close()
        if kind is None and self.error is not None:
            raise self.error

    # -- in the consumer's tasks --------------------------------------------------------------------------------------

    def _end(self) -> None:
        """End all tasks: at once those that wait, the others after their handler."""
        self._ending = True
        self._resumed.set()
        for task in list(self._waiting):
            task.cancel()

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._stop(task.exception())
        if not self._tasks:
            self._stopped.set()

    def _stop(self, error: BaseException | None) -> None:
        """Stop by itself: the application finds the reason in `error`."""
        if self.error is None and error is not None:
            self.error = error
        self._end()

    async def _run(self) -> None:
        """Get and handle messages, until the consumer is closed or stops by itself."""
        try:
            while not self._ending:
                await self._resumed.wait()
                if self._ending or not await self._one():
                    return
        except asyncio.CancelledError:
            if not self._ending:
                raise
        except MQError as error:
            if not self._ending and not self._seam.closed:
                _log.error("The consumer of %s has stopped: %s", self.queue_name, error)
                self._stop(error)

    async def _one(self) -> bool:
        """Handle one message in a unit of work of its own. Return False to stop."""
        message: Message | None = None
        try:
            async with self._seam._new_transaction():
                message = await self._next()
                await self._resumed.wait()  # Suspended meanwhile: it is handled when the consumer is resumed.
                if not (self._retry is not None and message.backout_count and await self._settled(message)):
                    result = self._handler(message)
                    if inspect.isawaitable(result):
                        await result
        except NoMessageAvailable as error:
            return True if message is None else await self._failed(message, error)
        except GetInhibited as error:
            if message is not None:
                return await self._failed(message, error)
            await asyncio.sleep(_INHIBITED_S)
        except BackedOut as error:
            if message is None:  # The connection was lost while it waited.
                if not self._seam._reconnects:
                    raise
                return True
            _log.warning("The unit of work of a message of %s was backed out: %s", self.queue_name, error)
        except MQError as error:
            if message is None or self._seam.closed:
                raise
            return await self._failed(message, error)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if message is None or (task is not None and task.cancelling()):
                raise
            return await self._failed(message, error)  # The handler raised it.
        except Exception as error:
            assert message is not None
            return await self._failed(message, error)
        return True

    async def _next(self) -> Message:
        task = asyncio.current_task()
        assert task is not None
        md, gmo = wanted(self._correlation_id, self._message_id), get_options(_WAIT_S, self._convert, False)
        self._waiting.add(task)
        try:
            return await self._seam._get(self.queue_name, md, gmo, -1, self._requeue, True, self._selector)
        finally:
            self._waiting.discard(task)

    async def _failed(self, message: Message, error: BaseException) -> bool:
        """Handle an error of the handler, after the message was backed out. Return False if the consumer stops."""
        if self._retry is not None:
            again = not isinstance(error, CannotMove)
        else:
            again = self._requeue and await self._threshold() > 0
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
            self._stop(error)
        return again

    async def _threshold(self) -> int:
        threshold, _ = await self._seam._inquire(partial(backout_policy, self.queue_name))
        return threshold

    async def _settled(self, message: Message) -> bool:
        """Delay a message that failed, or move it away (see retry.Retrying). Return False to call the handler now."""
        retry, name, seam = self._retry, message.queue_name, self._seam
        assert retry is not None
        failures = failed_attempts(message)
        if failures < retry.attempts:
            delay = retry.delay_after(failures)
            if not delay:
                return False
            md, data, properties = copy_of(message, failures)
            try:
                await seam._put(name, md, data, None, properties, 0, round(delay * 1000))
            except MQError as error:
                if not cannot_be_delayed(error):
                    raise
                return False
            return True
        if retry.then == "discard":
            return True
        queue, q_mgr_name = await seam._inquire(partial(target, name, retry.then))
        md, data, properties = as_dead_letter(message, q_mgr_name) if q_mgr_name else copy_of(message)
        try:
            await seam._put(queue, md, data, None, properties)
        except MQError as error:
            raise cannot_move(name, queue, error) from error
        return True
