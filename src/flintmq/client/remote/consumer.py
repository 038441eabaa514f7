"""A consumer over a channel: a thread that gets one message after the other, each in a unit of work of its own.

The rules for a message after its callback raised are those of client/consumer.py. The consumer has a connection of its
own, and its thread waits in a get at the queue manager. `close` waits for a callback that is under way, then closes its
side of the socket and waits until the queue manager has closed the other: it has then ended the get, and backed out a
message that was on its way. `close` waits HANG_UP_S for that at most.
"""

from __future__ import annotations

import logging
import threading

from flintmq.client.consumer import Consumer, Handler, goes_on
from flintmq.client.message import Message
from flintmq.client.options import get_options, wanted
from flintmq.client.remote.connection import RemoteConnection
from flintmq.mqi.call_errors import BackedOut, GetInhibited, MQError, NoMessageAvailable

#: A get waits so many seconds, then begins anew.
_WAIT_S = 60.0
_INHIBITED_S = 0.5
CLOSE_WAIT_S = 10.0
HANG_UP_S = 2.0

_log = logging.getLogger("flintmq.consumer")


class RemoteConsumer(Consumer):
    """A running consumer."""

    def __init__(
        self,
        connection: RemoteConnection,
        name: str,
        callback: Handler,
        correlation_id: bytes | None,
        message_id: bytes | None,
        convert: bool,
        requeue_poison: bool,
        selector: str = "",
    ) -> None:
        super().__init__(name)
        self._connection = connection
        self._callback = callback
        self._requeue = requeue_poison
        self._convert = convert
        self._selector = selector
        self._correlation_id, self._message_id = correlation_id, message_id
        self._ending = threading.Event()
        self._running = threading.Event()
        self._running.set()
        #: Held while a callback runs.
        self._busy = threading.Lock()
        try:
            if not callable(callback):
                raise TypeError(f"a callback is a callable that takes a message, not {type(callback).__name__}")
            wanted(correlation_id, message_id)
            connection._run(connection._queues._get_handle, name, selector)
        except BaseException:
            connection.close()
            raise
        self._thread = threading.Thread(target=self._run, name=f"flintmq consumer of {name}", daemon=True)
        self._thread.start()

    def suspend(self) -> None:
        self._running.clear()

    def resume(self) -> None:
        self._running.set()

    def close(self) -> None:
        self._ending.set()
        self._running.set()
        if threading.current_thread() is self._thread:
            return  # The loop ends after this callback.
        if self._busy.acquire(timeout=CLOSE_WAIT_S):
            self._busy.release()
        if self._connection._mqi.reconnect is not None:
            self._connection._mqi.reconnect.ending.set()
        # The queue manager must end the waiting get before this returns: else it would give the next message to it.
        self._connection._mqi.wire.hang_up()
        self._thread.join(HANG_UP_S)
        if self._thread.is_alive():
            self._connection._mqi.wire.interrupt()
            self._thread.join(CLOSE_WAIT_S)
        self._connection.close()
        self._stopped.set()

    # -- in the consumer's thread -------------------------------------------------------------------------------------

    def _run(self) -> None:
        """Get and handle messages, until the consumer is closed or stops by itself."""
        self._connection._owner_of._adopt(self._connection)
        try:
            while not self._ending.is_set():
                self._running.wait()
                try:
                    message = self._next()
                except NoMessageAvailable:
                    continue
                except GetInhibited:
                    self._ending.wait(_INHIBITED_S)
                    continue
                self._running.wait()  # Suspended meanwhile: it is handled when the consumer is resumed.
                with self._busy:
                    if self._ending.is_set() or not self._consumed(message):
                        return
        except MQError as error:
            if not self._ending.is_set():
                self.error = error
                _log.error("The consumer of %s has stopped: %s", self.queue_name, error)
        finally:
            self._connection._mqi.wire.drop()
            self._stopped.set()

    def _next(self) -> Message:
        md, gmo = wanted(self._correlation_id, self._message_id), get_options(_WAIT_S, self._convert, False)
        return self._connection._get(self.queue_name, md, gmo, -1, self._requeue, True, self._selector)

    def _consumed(self, message: Message) -> bool:
        """Call back, and commit or back out. Return False if the consumer has stopped."""
        connection = self._connection
        connection._in_transaction = True
        try:
            self._callback(message)
            connection._commit()
        except BackedOut:  # The connection was lost and is there again: the message comes again.
            if connection._mqi.unit_lost:
                connection._backout()
            return True
        except MQError as error:
            if not connection._usable():
                raise
            return self._failed(message, error)
        except BaseException as error:
            return self._failed(message, error)
        finally:
            connection._in_transaction = False
        return True

    def _failed(self, message: Message, error: BaseException) -> bool:
        """Back out after the callback raised. Return whether the message is to be tried again."""
        connection = self._connection
        connection._backout()
        again = goes_on(self._callback, error) or (self._requeue and connection._queues.threshold(self.queue_name) > 0)
        _log.error(
            "The callback of %s raised %s: %s. The message was backed out, for the %d. time, %s.",
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
