"""A queue, for threads: put, get, browse.

    orders = qm.queue("ORDERS", create=True)
    orders.put(b"hello", persistent=True)
    message = orders.get(wait=5.0)

A Queue is a name and a way to a connection; it holds nothing open, and any number of threads may use it. Inside
`with qm.transaction():` puts and gets of the thread belong to its unit of work, outside each is final when it returns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from flintmq.client.errors import NoMessageAvailable, Truncated
from flintmq.client.message import (
    Data,
    Message,
    Wait,
    descriptor,
    length_wanted,
    payload,
    properties_of_put,
    selection,
)
from flintmq.client.put_get import WITH_TOKEN, get_message, put_message
from flintmq.client.put_get import ahead_option as ahead_option
from flintmq.client.put_get import get_options as get_options
from flintmq.client.put_get import want_token as want_token
from flintmq.client.put_get import wanted as wanted
from flintmq.mqi.constants import MQGMO_BROWSE_NEXT, MQGMO_NO_PROPERTIES, MQOO_BROWSE, MQOO_FAIL_IF_QUIESCING
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.property_values import Value

if TYPE_CHECKING:
    from flintmq.client.calls import BaseConnection
    from flintmq.client.consumer import Consumer, Handler


class Owner(Protocol):
    """Where a queue finds the connection to use: a connection itself, or a queue manager that has one per thread."""

    def _current(self) -> BaseConnection[Any]:
        """The connection for this call."""

    def _depth(self, name: str) -> int:
        """CURDEPTH of a queue."""

    def _clear(self, name: str) -> None:
        """Remove all messages of a queue."""


def browse_options(wait: Wait, max_length: int) -> MQGMO:
    """The options of a browse whose messages say which they are; cut to `max_length` if that is not -1."""
    gmo = get_options(wait, False, max_length >= 0)
    gmo.options |= MQGMO_BROWSE_NEXT
    if max_length >= 0:
        gmo.options |= MQGMO_NO_PROPERTIES
    gmo.version = WITH_TOKEN
    return gmo


class Queue:
    """A queue by name. Made by `qm.queue(name)`."""

    __slots__ = ("_owner", "name", "read_ahead", "selector")

    def __init__(self, owner: Owner, name: str, selector: str = "", read_ahead: bool | None = None) -> None:
        self._owner = owner
        self.name = name
        #: Only messages that it selects are got and browsed here; "" for all.
        self.selector = selector
        #: Whether messages are sent before they are asked for; None leaves it to the queue (DEFREADA).
        self.read_ahead = read_ahead

    def __repr__(self) -> str:
        return f"<Queue {self.name}{f' where {self.selector}' if self.selector else ''}>"

    def put(
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
        delay: float | None = None,
        format: str = "",
        message_type: int | None = None,
        properties: Mapping[str, Value] | None = None,
        syncpoint: bool | None = None,
        wait: bool = True,
    ) -> bytes:
        """Put a message and return its message id.

        What is not given is as the queue says (DEFPSIST, DEFPRTY). `expiry` is in seconds. Text is sent as UTF-8,
        format MQSTR. Ids shorter than 24 bytes are filled up with zeros. With `reply_to` the message is a request.
        `properties` are message properties by name: str, int, float, bool, bytes or None; see Message.properties.

        Outside of a transaction a persistent message is on disk when this returns. `syncpoint` True or False overrides
        what the transaction says; what was put with True needs `qm.commit()`.

        With `wait=False` nobody waits until the queue manager has the message (asynchronous put): over a channel many
        puts are sent at once. A commit raises BackedOut if one of its puts failed, and `qm.flush()` says what became of
        those outside of a transaction. A persistent message outside of a transaction is always waited for.

        With `delay` the message is delivered so many seconds later; until then it waits on SYSTEM.DDELAY.LOCAL.QUEUE.
        It is always waited for, and cannot have a shorter `expiry`. If it cannot be delivered then, it goes to the
        dead-letter queue.

        Raises QueueFull, MessageTooBig, BadProperty, PutInhibited, UnknownObject, PageSetFull and other
        flintmq.MQError.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     message_id = qm.queue("A", create=True).put(b"data", priority=9, expiry=30.0)
        >>> len(message_id)
        24
        """
        return put_message(
            self._owner,
            self.name,
            data,
            persistent,
            priority,
            correlation_id,
            message_id,
            reply_to,
            reply_to_queue_manager,
            expiry,
            delay,
            format,
            message_type,
            properties,
            syncpoint,
            wait,
        )

    def request(
        self,
        data: Data,
        *,
        timeout: float,
        persistent: bool | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        format: str = "",
        properties: Mapping[str, Value] | None = None,
        convert: bool = False,
    ) -> Message:
        """Put a request and wait for its answer, for `timeout` seconds: NoMessageAvailable if none came.

        The answer comes to a temporary queue of this connection, and is found by its correlation id, which is the
        message id of the request. Neither belongs to a transaction. The other arguments are those of `put`; without
        `expiry` a request that was not answered in time expires.

        >>> import flintmq
        >>> def upper(request):
        ...     answer = request.text.upper()
        ...     qm.queue(request.reply_to).put(answer, correlation_id=request.message_id)
        >>> with flintmq.open(":memory:") as qm:
        ...     with qm.queue("UPPER", create=True).consume(upper):
        ...         qm.queue("UPPER").request("hello", timeout=5.0).text
        'HELLO'
        """
        md = descriptor(persistent, priority, None, None, None, "", expiry, format, None)
        made = properties_of_put(properties) if properties else None
        connection = self._owner._current()
        return connection._request(self.name, md, payload(data, md), made, timeout, convert)

    def get(
        self,
        *,
        wait: Wait = None,
        correlation_id: bytes | None = None,
        message_id: bytes | None = None,
        convert: bool = False,
        max_length: int | None = None,
        truncate: bool = False,
        requeue_poison: bool = True,
        syncpoint: bool | None = None,
        selector: str = "",
        token: bytes | None = None,
    ) -> Message:
        """Get the next message, or the next that has the ids given, and take it off the queue.

        `wait`: seconds, True for as long as it takes, None not at all. NoMessageAvailable if none came.

        `max_length`: a longer message raises Truncated and stays on the queue; with `truncate` it is cut and taken.
        `convert`: text is converted to the queue manager's character set (MQGMO_CONVERT).

        `requeue_poison`: a message that was backed out BOTHRESH times goes to BOQNAME instead of to you, as with MQ's
        classes for JMS. BOTHRESH is 0, which is never, unless the queue says otherwise.

        `selector`: an SQL-92 selection string over properties and descriptor, like "color = 'red' AND n > 3". It
        belongs to an open of the queue, so the last few that were used are kept open. BadSelector shows the place of
        an error.

        `token`: that of a message which was browsed; just that message is got.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     queue = qm.queue("A", create=True)
        ...     _ = queue.put(b"one", correlation_id=b"1")
        ...     _ = queue.put(b"two", correlation_id=b"2")
        ...     queue.get(correlation_id=b"2").data
        b'two'
        """
        return get_message(
            self._owner,
            self.name,
            wait,
            correlation_id,
            message_id,
            convert,
            max_length,
            truncate,
            requeue_poison,
            syncpoint,
            selector or self.selector,
            token,
            self.read_ahead,
        )

    def get_or_none(
        self,
        *,
        wait: Wait = None,
        correlation_id: bytes | None = None,
        message_id: bytes | None = None,
        convert: bool = False,
        requeue_poison: bool = True,
        syncpoint: bool | None = None,
        selector: str = "",
    ) -> Message | None:
        """As `get`, but None if there is no message."""
        try:
            return self.get(
                wait=wait,
                correlation_id=correlation_id,
                message_id=message_id,
                convert=convert,
                requeue_poison=requeue_poison,
                syncpoint=syncpoint,
                selector=selector,
            )
        except NoMessageAvailable:
            return None

    def messages(
        self, *, wait: Wait = None, correlation_id: bytes | None = None, selector: str = ""
    ) -> Iterator[Message]:
        """Get messages until there are no more, or none came for `wait` seconds.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     queue = qm.queue("A", create=True)
        ...     ids = [queue.put(text) for text in ("a", "b", "c")]
        ...     [message.text for message in queue.messages()]
        ['a', 'b', 'c']
        """
        while True:
            message = self.get_or_none(wait=wait, correlation_id=correlation_id, selector=selector)
            if message is None:
                return
            yield message

    def browse(
        self,
        *,
        wait: Wait = None,
        correlation_id: bytes | None = None,
        message_id: bytes | None = None,
        selector: str = "",
        read_ahead: bool | None = None,
        max_length: int | None = None,
    ) -> Browser:
        """Look at the messages, first to last, and leave them where they are.

        The browser closes itself at the end, and when it is dropped; a `with` statement or `close()` does it sooner.

        Each message has its `token`, by which `get(token=...)` finds it again. With `read_ahead` a queue manager
        elsewhere sends many at a time, before they are asked for. `max_length` cuts the data, without properties: with
        0 it stays where it is, and `message.length` says how long it is.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     queue = qm.queue("A", create=True)
        ...     _ = queue.put("look, don't touch")
        ...     [message.text for message in queue.browse()], queue.depth
        (["look, don't touch"], 1)
        """
        wanted_by = selection(selector or self.selector)
        ahead = ahead_option(self.read_ahead if read_ahead is None else read_ahead)
        length = length_wanted(max_length)
        return Browser(self._owner._current(), self.name, wait, correlation_id, message_id, wanted_by, ahead, length)

    def consume(
        self,
        callback: Handler,
        *,
        correlation_id: bytes | None = None,
        message_id: bytes | None = None,
        convert: bool = False,
        requeue_poison: bool = True,
        selector: str = "",
    ) -> Consumer:
        """Have `callback` called with each message, on a thread of its own, in a unit of work of its own.

        The unit is committed when the callback returns and backed out if it raises; what the callback does through the
        queue manager belongs to it. The consumer ends with `close()`, or with the `with` block that it is used in;
        consumer.py says what becomes of one whose callback raises.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     a, b = qm.queue("A", create=True), qm.queue("B", create=True)
        ...     with a.consume(lambda message: b.put(message.data)):
        ...         _ = a.put(b"1")
        ...         b.get(wait=5.0).data
        b'1'
        """
        return (
            self._owner._current()
            ._another()
            ._consume(
                self.name,
                callback,
                correlation_id,
                message_id,
                convert,
                requeue_poison,
                selection(selector or self.selector),
            )
        )

    @property
    def depth(self) -> int:
        """CURDEPTH: how many messages are on the queue, with uncommitted puts and without uncommitted gets."""
        return self._owner._depth(self.name)

    def __len__(self) -> int:
        return self.depth

    def __bool__(self) -> bool:
        return True

    def clear(self) -> None:
        """Remove all messages. ObjectInUse if some are uncommitted or somebody waits for one."""
        self._owner._clear(self.name)


def cut(error: Truncated, md: MQMD, name: str) -> Message:
    """A message of which only a part was wanted."""
    message = Message(error.data, md, name)
    message.length = error.data_length
    return message


class Browser:
    """An iterator over the messages of a queue that leaves them there."""

    def __init__(
        self,
        connection: BaseConnection[Any],
        name: str,
        wait: Wait,
        correlation_id: bytes | None,
        message_id: bytes | None,
        selector: str,
        open_options: int = 0,
        max_length: int = -1,
    ) -> None:
        self._connection = connection
        self._name = name
        self._wait = wait
        self._correlation_id = correlation_id
        self._message_id = message_id
        self._max_length = max_length
        self._handle = connection._open(name, MQOO_BROWSE | MQOO_FAIL_IF_QUIESCING | open_options, selector)

    def __iter__(self) -> Browser:
        return self

    def __next__(self) -> Message:
        if not self._handle.open:
            raise StopIteration
        gmo = browse_options(self._wait, self._max_length)
        md = wanted(self._correlation_id, self._message_id)
        try:
            message = self._connection._browse(self._name, self._handle, md, gmo, self._max_length)
        except NoMessageAvailable:
            self.close()
            raise StopIteration from None
        except Truncated as error:
            message = cut(error, md, self._name)
        message.token = gmo.msg_token
        return message

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Give up the place on the queue. A second close does nothing."""
        self._connection._close_handle(self._handle)

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle is not None:
            self._connection._drop_handle(handle)
