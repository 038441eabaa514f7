"""A connection over a channel: one socket, one unit of work at a time, calls that wait in the calling thread.

Most programs never make one: `flintmq.connect` gives each thread its own (connect.py). `qm.connect()` makes one more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from flintmq.client.base_connection import BaseConnection
from flintmq.client.calls import Calls
from flintmq.client.lazy import lazy
from flintmq.client.message import Message, Wait
from flintmq.client.options import get_options, wanted
from flintmq.client.remote.mqi import RemoteMQI
from flintmq.client.remote.queue_steps import QueueSteps
from flintmq.client.remote.steps import RemoteHandle, Steps, T
from flintmq.mqi.call_errors import MQError, TransactionError, error_of
from flintmq.mqi.constants import (
    MQOO_READ_AHEAD,
    MQPMO_ASYNC_RESPONSE,
    MQSTAT_TYPE_ASYNC_ERROR,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.object_name import is_name
from flintmq.mqi.properties import MessageProperties
from flintmq.mqi.reason import MQRC_UNKNOWN_OBJECT_NAME

if TYPE_CHECKING:
    from flintmq.client.commands import CommandReply
    from flintmq.client.consumer import Consumer, Handler
    from flintmq.client.remote import commands
    from flintmq.client.remote.connect import RemoteQueueManager
    from flintmq.client.remote.reconnect import Reconnect
    from flintmq.client.remote.wire import Wire
    from flintmq.client.subscribed import Subscribed
    from flintmq.mqi.sd import MQSD
    from flintmq.mqi.sts import MQSTS
else:
    commands = lazy("flintmq.client.remote.commands")


class RemoteCalls(Calls):
    """Calls that are commands: they are sent to the command server of the queue manager."""

    def _current(self) -> RemoteConnection:
        raise NotImplementedError

    @property
    def mqi(self) -> RemoteMQI:
        """Return the MQI, with MQ's own structures, on this thread's connection."""
        return self._current()._mqi

    def _create_queue(self, name: str, attributes: dict[str, object]) -> None:
        connection = self._current()
        connection._run(commands.create_queue, connection._queues, name, attributes)

    def _check_queue(self, name: str) -> None:
        connection = self._current()
        check_name(name, connection._mqi.wire.q_mgr_name)
        connection._run(connection._queues.check, name)

    def _depth(self, name: str) -> int:
        connection = self._current()
        return connection._run(connection._queues.depth, name)

    def _clear(self, name: str) -> None:
        connection = self._current()
        connection._run(commands.clear_queue, connection._queues, name)

    def _run_mqsc(self, text: str, check: bool) -> CommandReply:
        connection = self._current()
        return connection._run(commands.run, connection._queues, text, check)


class RemoteConnection(RemoteCalls, BaseConnection[RemoteHandle]):
    """One connection. Used by one thread at a time."""

    def __init__(self, owner: RemoteQueueManager, wire: Wire, reconnect: Reconnect | None = None) -> None:
        self._owner_of = owner
        self._mqi = RemoteMQI(wire, reconnect)
        self._queues = QueueSteps(self._mqi)
        #: Asynchronous puts were made outside of a unit of work; and the status of earlier ones, for `flush`.
        self._loose = False
        self._asked: MQSTS | None = None

    def _current(self) -> RemoteConnection:
        return self

    def __enter__(self) -> RemoteConnection:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<RemoteConnection to {self._mqi.wire.where}>"

    def close(self) -> None:
        """Disconnect. Uncommitted work is backed out."""
        self._mqi.end_callbacks()
        wire = self._mqi.wire
        if self._mqi.reconnect is not None:
            self._mqi.reconnect.ending.set()
        if wire.broken is None:
            try:
                if self._mqi.has_work:
                    self._mqi.back()
                wire.close()
            except MQError:
                pass
        wire.drop()
        self._mqi.forget_handles()

    def _disconnect(self) -> None:
        """Commit and disconnect (MQDISC). Raise BackedOut if the commit failed."""
        self._mqi.end_callbacks()
        try:
            if self._mqi.has_work:
                self._mqi.cmit()
        finally:
            self.close()

    def _another(self) -> RemoteConnection:
        return self._owner_of.connect()

    @property
    def application(self) -> str:
        """Return the application name of messages put here, which DISPLAY CONN shows, too."""
        return self._mqi.wire.definition.application

    # -- used by Queue, Topic, Transaction ----------------------------------------------------------------------------

    def _run(self, make: Callable[..., Steps[T]], *args: Any) -> T:
        return self._mqi._run(make, *args)

    def _usable(self) -> bool:
        wire, reconnect = self._mqi.wire, self._mqi.reconnect
        return wire.broken is None or (wire.lost and reconnect is not None and not reconnect.ending.is_set())

    def _put(
        self,
        name: str,
        md: MQMD,
        data: bytes,
        syncpoint: bool | None,
        properties: MessageProperties | None = None,
        extra_options: int = 0,
        delay_ms: int = 0,
    ) -> None:
        in_unit = self._in_transaction if syncpoint is None else syncpoint
        if extra_options & MQPMO_ASYNC_RESPONSE:
            self._note(in_unit)
        elif properties is None and not extra_options and not delay_ms and self._mqi.may_be_direct():
            direct = self._queues.direct_put(name, md, data, in_unit)
            if direct is not None:
                self._mqi._directly(direct, self._queues.put, name, md, data, in_unit)
                return
        self._run(self._queues.put, name, md, data, in_unit, properties, extra_options, delay_ms)

    def _get(
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
        in_unit = self._in_transaction if syncpoint is None else syncpoint
        if max_length < 0 and not selector and not open_options and self._mqi.may_be_direct():
            direct = self._queues.direct_get(name, md, gmo, requeue, in_unit)
            if direct is not None:
                made: Message = self._mqi._directly(direct, self._queues.get, name, md, gmo, -1, requeue, in_unit)
                return made
        return self._run(self._queues.get, name, md, gmo, max_length, requeue, in_unit, selector, open_options)

    def _get_many(
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
            return super()._get_many(
                name, count, wait, correlation_id, convert, requeue, syncpoint, selector, open_options
            )
        in_unit = self._in_transaction if syncpoint is None else syncpoint
        md, gmo = wanted(correlation_id, None), get_options(wait, convert, False)
        return self._run(self._queues.get_many, name, count, md, gmo, requeue, in_unit, selector)

    def _open(self, name: str, options: int, selector: str = "") -> RemoteHandle:
        return self._run(self._queues.open, name, options, selector)

    def _browse(self, name: str, handle: RemoteHandle, md: MQMD, gmo: MQGMO, max_length: int = -1) -> Message:
        return self._run(self._queues.got, name, handle, md, gmo, max_length)

    def _note(self, in_unit: bool) -> None:
        """Note an asynchronous put. The status of puts outside of the unit of work is kept for `flush`."""
        if not in_unit:
            self._loose = True
            return
        if self._loose:
            self._loose, self._asked = False, self._all_put_status()
        self._unsettled = True

    def _put_status(self) -> MQSTS:
        return self._mqi.stat(MQSTAT_TYPE_ASYNC_ERROR)

    def _all_put_status(self) -> MQSTS:
        status, before = self._put_status(), self._asked
        self._asked = None
        if before is None:
            return status
        first = before if before.put_failure_count else status
        first.put_success_count, first.put_warning_count, first.put_failure_count = (
            before.put_success_count + status.put_success_count,
            before.put_warning_count + status.put_warning_count,
            before.put_failure_count + status.put_failure_count,
        )
        return first

    def _reply_queue(self) -> tuple[RemoteHandle, str]:
        return self._run(self._queues.reply_queue)

    def _request(
        self, name: str, md: MQMD, data: bytes, properties: MessageProperties | None, timeout: float, convert: bool
    ) -> Message:
        if properties is None and self._mqi.may_be_direct():
            direct = self._queues.direct_request(name, md, data, timeout, convert)
            if direct is not None:
                make = self._queues.request
                answer: Message = self._mqi._directly(direct, make, name, md, data, None, timeout, convert)
                return answer
        return self._run(self._queues.request, name, md, data, properties, timeout, convert)

    def _close_handle(self, handle: RemoteHandle) -> None:
        if self._usable():
            self._run(self._queues.close, handle)

    def _drop_handle(self, handle: RemoteHandle) -> None:
        """Let the next call on this connection close the handle: a finalizer must not use the socket."""
        if handle.open:
            self._mqi.forget(handle)
            self._mqi.wire.orphans.append(handle.number)

    def _subscribe(self, sd: MQSD, queue: str | None) -> Subscribed:
        from flintmq.client.remote.subscribed import RemoteSubscribed

        return RemoteSubscribed(self, sd, queue)

    def _consume(
        self,
        name: str,
        callback: Handler,
        correlation_id: bytes | None,
        message_id: bytes | None,
        convert: bool,
        requeue_poison: bool,
        selector: str,
    ) -> Consumer:
        from flintmq.client.remote.consumer import RemoteConsumer

        return RemoteConsumer(self, name, callback, correlation_id, message_id, convert, requeue_poison, selector)

    def _commit(self) -> None:
        self._mqi.cmit()

    def _backout(self) -> None:
        self._mqi.back()

    def _begin(self) -> None:
        if self._in_transaction:
            raise TransactionError("there is a transaction on this connection already; transactions do not nest")
        if self._mqi.has_work:
            raise TransactionError("there is uncommitted work on this connection: commit() or backout() it first")
        if not self._usable():
            self._mqi.wire.check()
        self._in_transaction = True


def check_name(name: str, q_mgr: str) -> None:
    """Raise TypeError or UnknownObject for an invalid queue name."""
    if not isinstance(name, str):
        raise TypeError(f"a queue name is a str, not {type(name).__name__}")
    if not is_name(name):
        raise error_of(MQRC_UNKNOWN_OBJECT_NAME, f"there is no queue {name} in {q_mgr}")
