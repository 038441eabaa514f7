"""A consumer: a callback that is called with each message of a queue, in a unit of work of its own.

    def handle(message):
        qm.queue("DONE").put(message.text.upper())

    with qm.queue("WORK").consume(handle):
        ...

With `concurrency=n` there are n connections, each with a thread, and up to n messages are handled at a time; if one of
the threads stops by itself, the others stop too. aio_consumer.py does this with tasks of asyncio.

The callback runs on a thread of the consumer's own connection. Its puts and gets through the queue manager belong to
the unit of work of its message:

    the callback returns        the unit is committed, and the next message comes
    it raises, and the queue    the unit is backed out, the error log has an entry, and the message comes again until it
      has BOTHRESH              was backed out that often; then it is moved away (engine_session.py)
    it raises, and it has not   the unit is backed out, and the consumer stops: `error` is the exception, and the logger
                                `flintmq.qmgr` (over a channel `flintmq.consumer`) gets the traceback
    it raises, and the          as `retry` says (retry.py): the message is delayed and tried again, then moved away
      consumer has `retry`
    the queue is inhibited      the consumer waits until it is enabled
    the queue is deleted        the consumer stops
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from flintmq.client.message import Message
from flintmq.client.payload import TypedMessage
from flintmq.client.retry import Retry, Retrying

if TYPE_CHECKING:
    from flintmq.client.base_connection import BaseConnection

T = TypeVar("T")

Handler = Callable[[Message], object]
TypedHandler = Callable[[TypedMessage[T]], object]


class _Stopped(threading.Event):
    """Set when a consumer has stopped; calls `then` if there is one."""

    then: Callable[[], None] | None = None

    def set(self) -> None:
        super().set()
        if self.then is not None:
            self.then()


class Consumer:
    """A running consumer. Made by `queue.consume(callback)`; close it, or use it in a `with` statement.

    >>> import flintmq
    >>> with flintmq.open(":memory:") as qm:
    ...     work, done = qm.queue("WORK", create=True), qm.queue("DONE", create=True)
    ...     with work.consume(lambda message: done.put(message.text.upper())):
    ...         _ = work.put("hello")
    ...         done.get(wait=5.0).text
    'HELLO'
    """

    def __init__(self, name: str) -> None:
        self._stopped = _Stopped()
        #: Why it stopped by itself; None while it runs, and if it was closed.
        self.error: BaseException | None = None
        self.queue_name = name

    def __repr__(self) -> str:
        return f"<Consumer of {self.queue_name}{' stopped' if self._stopped.is_set() else ''}>"

    @property
    def running(self) -> bool:
        """Return whether messages are delivered, now or after it is resumed."""
        return not self._stopped.is_set()

    def suspend(self) -> None:
        """Suspend delivery until `resume`."""
        raise NotImplementedError

    def resume(self) -> None:
        """Resume delivery."""
        raise NotImplementedError

    def join(self, timeout: float | None = None) -> bool:
        """Wait until it has stopped, by itself or by `close`. Return False if it still runs after `timeout` seconds."""
        return self._stopped.wait(timeout)

    def close(self) -> None:
        """Stop. A running callback finishes, and its unit of work with it. A second close does nothing."""
        raise NotImplementedError

    def __enter__(self) -> Consumer:
        return self

    def __exit__(self, kind: type[BaseException] | None, *exc: object) -> None:
        """Close it. Raise the error that stopped it, unless the block itself raised."""
        self.close()
        if kind is None and self.error is not None:
            raise self.error


def goes_on(callback: Handler, error: BaseException) -> bool:
    """Return whether a consumer continues after an error because it has `retry`."""
    return isinstance(callback, Retrying) and callback.goes_on(error)


def start(
    connection: BaseConnection[Any],
    name: str,
    handler: Handler,
    concurrency: int,
    retry: Retry | None,
    correlation_id: bytes | None,
    message_id: bytes | None,
    convert: bool,
    requeue_poison: bool,
    selector: str,
) -> Consumer:
    """Start a consumer with `concurrency` threads."""
    check_handler(handler, retry)
    requeue = requeue_poison and retry is None
    parts: list[Consumer] = []
    try:
        for _ in range(concurrency):
            own = connection._another()
            callback = handler if retry is None else Retrying(own, handler, retry)
            parts.append(own._consume(name, callback, correlation_id, message_id, convert, requeue, selector))
    except BaseException:
        for part in parts:
            part.close()
        raise
    return parts[0] if concurrency == 1 else ConsumerGroup(name, parts)


def check_handler(handler: object, retry: object) -> None:
    """Raise TypeError for invalid arguments of `consume`."""
    if not callable(handler):
        raise TypeError(f"a handler is a callable that takes a message, not {type(handler).__name__}")
    if retry is not None and not isinstance(retry, Retry):
        raise TypeError(f"retry is a flintmq.Retry, not {type(retry).__name__}")


class ConsumerGroup(Consumer):
    """Consumers of one queue that run at the same time, as one."""

    def __init__(self, name: str, parts: list[Consumer]) -> None:
        super().__init__(name)
        self._parts = parts
        self._closing = threading.Lock()
        #: Each closes a part; `close` returns when all of them have ended, also those of an earlier call.
        self._closers: list[threading.Thread] = []
        for part in parts:
            part._stopped.then = self._part_stopped
        self._part_stopped()  # One may have stopped before `then` was set.

    def suspend(self) -> None:
        for part in self._parts:
            part.suspend()

    def resume(self) -> None:
        for part in self._parts:
            part.resume()

    def close(self) -> None:
        # All at the same time: each waits for the handler that it runs.
        with self._closing:
            begun = [threading.Thread(target=part.close) for part in self._parts if part.running]
            for thread in begun:
                thread.start()
            self._closers += begun
            closers = list(self._closers)
        for thread in closers:
            thread.join()
        self._stopped.set()

    def _part_stopped(self) -> None:
        """Stop the others if one has stopped by itself."""
        stopped = [part for part in self._parts if not part.running]
        failed = [part.error for part in stopped if part.error is not None]
        if failed and self.error is None:
            self.error = failed[0]
            threading.Thread(target=self.close, daemon=True).start()  # In its own thread: this one runs a handler.
        elif len(stopped) == len(self._parts) and not failed and not self._closers:
            self._stopped.set()  # Else `close` does, when the units of work of all parts have ended.
