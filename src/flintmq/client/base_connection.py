"""BaseConnection: the interface of queues, topics, subscriptions and transactions to one connection.

`Connection` (connection.py) implements it for an embedded queue manager, `RemoteConnection` (remote/connection.py) over
a channel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from flintmq.client.calls import Calls
from flintmq.client.message import Message, Wait
from flintmq.client.options import get_options, wanted
from flintmq.client.request import answer_to, ask
from flintmq.client.seam import put_status
from flintmq.mqi.call_errors import BackedOut, MQError, NoMessageAvailable, NotConnected
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.properties import MessageProperties

if TYPE_CHECKING:
    from flintmq.client.browser import Browser
    from flintmq.client.consumer import Consumer, Handler
    from flintmq.client.retry import Retry
    from flintmq.client.subscribed import Subscribed
    from flintmq.mqi.sd import MQSD
    from flintmq.mqi.sts import MQSTS

H = TypeVar("H")


class BaseConnection(Calls, Generic[H]):
    """Interface of queues, topics, subscriptions and transactions to a connection. `H` is its type of handles."""

    _in_transaction: bool = False
    #: The unit of work has asynchronous puts.
    _unsettled: bool = False
    #: Number of puts with `wait=False` made in this process.
    _not_waited_for: int = 0

    def _current(self) -> BaseConnection[H]:
        return self

    def _put_status(self) -> MQSTS:
        """Return the outcome of asynchronous puts (MQSTAT)."""
        raise NotImplementedError

    def _all_put_status(self) -> MQSTS:
        """Return the outcome of asynchronous puts, with earlier answers of MQSTAT that were not reported yet."""
        return self._put_status()

    def _backout_settled(self) -> None:
        """Back out, and drop the errors of asynchronous puts in the unit of work."""
        self._backout()
        if self._unsettled:
            self._unsettled = False
            self._put_status()

    def _commit_settled(self) -> None:
        """Commit. Back out and raise BackedOut if an asynchronous put of the unit of work has failed."""
        if self._unsettled:
            self._unsettled = False
            try:
                put_status(self._put_status())
            except NotConnected:
                raise
            except MQError as error:
                self._backout()
                raise BackedOut(f"the unit of work was backed out: {error.text}") from error
        self._commit()

    def _another(self) -> BaseConnection[H]:
        """Return another connection of this application."""
        raise NotImplementedError

    def close(self) -> None:
        """Disconnect. Uncommitted work is backed out."""
        raise NotImplementedError

    def _usable(self) -> bool:
        """Return whether a backout is still possible."""
        raise NotImplementedError

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
        """Put to the queue, or publish to the topic, `name`."""
        raise NotImplementedError

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
        """Get from the queue `name`. `open_options` switch read-ahead on or off."""
        raise NotImplementedError

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
        """Get up to `count` messages: wait for the first, then take the available ones."""
        messages: list[Message] = []
        while len(messages) < count:
            md, gmo = wanted(correlation_id, None), get_options(None if messages else wait, convert, False)
            try:
                messages.append(self._get(name, md, gmo, -1, requeue, syncpoint, selector, open_options))
            except NoMessageAvailable:
                break
            except MQError:
                if not messages:  # Else the caller gets those first, and the next call meets the error.
                    raise
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
    ) -> Browser:
        """Open a queue for browsing."""
        from flintmq.client.browser import Browser

        return Browser(self, name, wait, correlation_id, message_id, selector, open_options, max_length)

    def _start_consumer(
        self,
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
        """Start a consumer with `concurrency` threads, each with a connection of its own."""
        from flintmq.client.consumer import start

        return start(
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

    def _flush(self) -> int:
        """Return the number of puts with `wait=False`. Raise the error of the first that failed."""
        return put_status(self._all_put_status())

    def _open(self, name: str, options: int, selector: str = "") -> H:
        """Open a queue."""
        raise NotImplementedError

    def _browse(self, name: str, handle: H, md: MQMD, gmo: MQGMO, max_length: int = -1) -> Message:
        """Get through a handle that is open for browse."""
        raise NotImplementedError

    def _reply_queue(self) -> tuple[H, str]:
        """Return the reply queue of this connection: (handle, name). Make it if there is none."""
        raise NotImplementedError

    def _request(
        self, name: str, md: MQMD, data: bytes, properties: MessageProperties | None, timeout: float, convert: bool
    ) -> Message:
        """Put a request and get its reply (request.py)."""
        handle, reply_to = self._reply_queue()
        ask(md, reply_to, timeout)
        self._put(name, md, data, False, properties)
        return self._browse(reply_to, handle, *answer_to(md, timeout, convert))

    def _close_handle(self, handle: H) -> None:
        """Close a handle, unless it is closed."""
        raise NotImplementedError

    def _drop_handle(self, handle: H) -> None:
        """Queue a handle of a dropped object, to be closed by a later call."""
        raise NotImplementedError

    def _subscribe(self, sd: MQSD, queue: str | None) -> Subscribed:
        """Subscribe. The connection belongs to the subscription from now on."""
        raise NotImplementedError

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
        """Make a consumer. The connection belongs to the consumer from now on."""
        raise NotImplementedError

    def _commit(self) -> None:
        raise NotImplementedError

    def _backout(self) -> None:
        raise NotImplementedError

    def _begin(self) -> None:
        """Begin a transaction. Raise TransactionError if there is work that would become a part of it."""
        raise NotImplementedError
