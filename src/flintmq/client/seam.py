"""The seam of the sync API: the interface between calls.py, queue.py, topic.py, typed.py and a connection.

    Owner            where a queue or topic finds the connection for a call
    Seam             interface of `Calls` to a queue manager or connection
    BaseConnection   (base_connection.py) puts, gets, browses, consumers and units of work of one connection
    Transaction      a unit of work as a block

`Connection` (connection.py) implements it for an embedded queue manager, `RemoteConnection` (remote/connection.py) over
a channel. aio_seam.py is the seam of the asyncio API.
"""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from flintmq.client import instrumentation
from flintmq.client.message import Message
from flintmq.mqi.call_errors import BackedOut, MQError, NotConnected, TransactionError, error_of
from flintmq.mqi.constants import MQFB_APPL_FIRST

if TYPE_CHECKING:
    from flintmq.client.base_connection import BaseConnection
    from flintmq.client.browser import Browser
    from flintmq.client.commands import CommandReply
    from flintmq.client.topic import Subscription
    from flintmq.mqi.sd import MQSD
    from flintmq.mqi.sts import MQSTS


class Owner(Protocol):
    """Where a queue finds the connection to use: a connection itself, or a queue manager that has one per thread."""

    def _current(self) -> BaseConnection[Any]:
        """Return the connection for this call."""

    def _depth(self, name: str) -> int:
        """Return CURDEPTH of a queue."""

    def _clear(self, name: str) -> None:
        """Remove all messages of a queue."""


class Seam:
    """Interface of `Calls` to a queue manager or a connection."""

    #: Makes queues and topics record spans; see otel.py.
    _tracing: instrumentation.Tracing | None = None

    def _owner(self) -> Owner:
        """Return the owner for a new queue or topic: this object, or one that records spans around its calls."""
        tracing = self._tracing or instrumentation.everywhere
        return self if tracing is None else tracing.owner(self)

    def _new_transaction(self) -> Transaction:
        return Transaction(self)

    def _subscribing(self, sd: MQSD, queue: str | None, read_ahead: bool | None) -> Subscription:
        """Subscribe, on a connection of its own."""
        from flintmq.client.topic import Subscription

        return Subscription(self._owner(), self._current()._another()._subscribe(sd, queue), read_ahead)

    def _dead_letters(self, queue: str) -> Browser:
        """Browse the dead-letter queue, or `queue`."""
        from flintmq.client.inquiries import inquired, queue_of_dead_letters

        name = queue or inquired(self.mqi, queue_of_dead_letters())
        self._check_queue(name)
        return self._current()._browser(name, None, None, None, "")

    def _replay(self, message: Message, queue: str, queue_manager: str) -> None:
        """Move a dead letter, on a connection of its own."""
        from flintmq.client.replay import replay

        connection = self._current()._another()
        try:
            replay(connection, message, queue, queue_manager)
        finally:
            connection.close()

    # -- implemented for embedded queue managers and for channels -----------------------------------------------------

    def _current(self) -> BaseConnection[Any]:
        """Return the connection for this call."""
        raise NotImplementedError

    @property
    def mqi(self) -> Any:
        """Return the calls of the MQI."""
        raise NotImplementedError

    def _create_queue(self, name: str, attributes: dict[str, object]) -> None:
        """Define a local queue, unless there is one."""
        raise NotImplementedError

    def _check_queue(self, name: str) -> None:
        """Raise UnknownObject if the name resolves to no queue."""
        raise NotImplementedError

    def _depth(self, name: str) -> int:
        """Return CURDEPTH."""
        raise NotImplementedError

    def _clear(self, name: str) -> None:
        """Clear a local queue (CLEAR QLOCAL)."""
        raise NotImplementedError

    def _run_mqsc(self, text: str, check: bool) -> CommandReply:
        """Run MQSC commands."""
        raise NotImplementedError


def put_status(sts: MQSTS) -> int:
    """Return the number of asynchronous puts. Raise the error of the first that failed."""
    if sts.put_failure_count:
        many = sts.put_success_count + sts.put_warning_count + sts.put_failure_count
        text = f"{sts.put_failure_count} of {many} puts that were not waited for failed, the first to {sts.object_name}"
        raise error_of(sts.reason, text)
    return sts.put_success_count + sts.put_warning_count


class Transaction:
    """A unit of work as a block. Made by `qm.transaction()`."""

    def __init__(self, calls: Seam) -> None:
        self._calls = calls
        self._connection: BaseConnection[Any] | None = None

    def __enter__(self) -> Transaction:
        if self._connection is not None:
            raise TransactionError("a transaction is entered once; ask transaction() for another")
        connection = self._calls._current()
        connection._begin()
        self._connection = connection
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        connection = self._connection
        assert connection is not None
        connection._in_transaction = False
        if kind is None:
            try:
                connection._commit_settled()
            except MQError:
                self._undo(connection)
                raise
        else:
            self._undo(connection)

    def _undo(self, connection: BaseConnection[Any]) -> None:
        """Back out, unless the queue manager has gone and the unit of work with it."""
        if connection._usable():
            connection._backout_settled()

    def commit(self) -> None:
        """Commit the work so far; the block continues in a new unit of work."""
        assert self._connection is not None
        self._connection._commit_settled()

    def backout(self) -> None:
        """Undo the work so far; the block continues in a new unit of work."""
        assert self._connection is not None
        self._connection._backout_settled()

    def set_aside(self, message: Message, reason: int = MQFB_APPL_FIRST) -> str:
        """Put a copy of a message that was got in the transaction to the backout queue of its queue (BOQNAME).

        If there is none, or it does not take the message, the copy goes to the dead-letter queue; `reason` is for its
        header (MQDLH), by default the first reason that applications may give. Return the name of the queue, "" if
        neither takes the message. The put is part of the transaction: after the commit the message is there, and no
        longer on its queue.
        """
        from flintmq.client.inquiries import inquired
        from flintmq.client.retry import SET_ASIDE, as_dead_letter, copy_of, target

        connection = self._connection
        assert connection is not None
        for then in SET_ASIDE:
            try:
                queue, q_mgr_name = inquired(connection.mqi, target(message.queue_name, then))
                dead = q_mgr_name != ""
                md, data, properties = as_dead_letter(message, q_mgr_name, reason) if dead else copy_of(message)
                connection._put(queue, md, data, True, properties)
                return queue
            except (BackedOut, NotConnected):
                raise
            except MQError:
                continue  # The dead-letter queue is next, or the message stays.
        return ""
