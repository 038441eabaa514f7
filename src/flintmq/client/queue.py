# Generated from src/flintmq/client/aio_queue.py by tools/generate_sync.py. Do not edit.
"""Queues, for threads: put, get, browse, consume.

    orders = qm.queue("ORDERS", create=True)
    orders.put(b"hello", persistent=True)
    message = orders.get(wait=5.0)

A Queue is a name and a reference to a connection; it holds nothing open, and any number of threads may use it.
Inside `with qm.transaction():` puts and gets of the thread belong to its unit of work, outside each is final when
it returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

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
from flintmq.client.options import ahead_option, count_wanted
from flintmq.client.put_get import get_message, put_message
from flintmq.mqi.call_errors import NoMessageAvailable
from flintmq.mqi.property_values import Value

if TYPE_CHECKING:
    from flintmq.client.browser import Browser
    from flintmq.client.consumer import Consumer, Handler
    from flintmq.client.retry import Retry
    from flintmq.client.seam import Owner
    from flintmq.client.typed import TypedQueue

T = TypeVar("T")


class Queue:
    """A queue by name. Made by `qm.queue(name)`."""

    __slots__ = ("_owner", "name", "read_ahead", "selector")

    def __init__(self, owner: Owner, name: str, selector: str = "", read_ahead: bool | None = None) -> None:
        self._owner = owner
        self.name = name
        #: Only messages that it selects are got and browsed here; "" for all.
        self.selector = selector
        #: Whether messages are sent in advance; None leaves it to the queue (DEFREADA).
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

        Defaults are those of the queue (DEFPSIST, DEFPRTY). `expiry` is in seconds. Text is sent as UTF-8,
        format MQSTR. Ids shorter than 24 bytes are filled up with zeros. With `reply_to` the message is a request.
        `properties` are message properties by name: str, int, float, bool, bytes or None; see Message.properties.

        Outside of a transaction a persistent message is on disk when this returns. `syncpoint` True or False overrides
        the transaction; a put with True needs `qm.commit()`.

        With `wait=False` the call does not wait until the queue manager has the message (asynchronous put): over a
        channel many puts are sent at once. A commit raises BackedOut if one of its puts failed, and `qm.flush()`
        reports failed puts outside of a transaction. A persistent put outside of a transaction always waits.

        With `delay` the message is delivered that many seconds later; until then it is on SYSTEM.DDELAY.LOCAL.QUEUE.
        Such a put always waits, and cannot have a shorter `expiry`. If the message cannot be delivered then, it goes to
        the dead-letter queue.

        Raise QueueFull, MessageTooBig, BadProperty, PutInhibited, UnknownObject, PageSetFull and other
        flintmq.MQError.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     queue = qm.queue("A", create=True)
        ...     print(len(queue.put(b"data", priority=9, expiry=30.0)))
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

    def put_json(
        self,
        value: object,
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
        """Put a value as JSON: UTF-8, format MQSTR. The other arguments are those of `put`.

        Beside the types of JSON it takes dataclasses, pydantic models, date, time, datetime, Decimal, Enum, UUID,
        bytes (base64), sets and tuples; see `of` for queues of one type. `message.json()` reads it. No property names
        the content type: with PROPCTL(COMPAT) an application that reads plain text would get an MQRFH2 header.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     queue = qm.queue("A", create=True)
        ...     _ = queue.put_json({"order": 7, "items": ["tea", "milk"]})
        ...     print((queue.get()).json())
        {'order': 7, 'items': ['tea', 'milk']}
        """
        from flintmq.client.payload import dump_json  # Here: most clients put no JSON.

        return self.put(
            dump_json(value),
            persistent=persistent,
            priority=priority,
            correlation_id=correlation_id,
            message_id=message_id,
            reply_to=reply_to,
            reply_to_queue_manager=reply_to_queue_manager,
            expiry=expiry,
            delay=delay,
            format=format,
            message_type=message_type,
            properties=properties,
            syncpoint=syncpoint,
            wait=wait,
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
        """Put a request and wait `timeout` seconds for its reply. Raise NoMessageAvailable if none came.

        The reply comes to a temporary queue of this connection, and is found by its correlation id, which is the
        message id of the request. Neither belongs to a transaction. The other arguments are those of `put`; without
        `expiry` a request without a reply in time expires.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     def upper(request):
        ...         replies = qm.queue(request.reply_to)
        ...         replies.put(request.text.upper(), correlation_id=request.message_id)
        ...     queue = qm.queue("UPPER", create=True)
        ...     with queue.consume(upper):
        ...         print((queue.request("hello", timeout=5.0)).text)
        HELLO
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
        """Get the next message, or the next with the given ids, and take it off the queue.

        `wait`: seconds, True for unlimited, None for no wait. Raise NoMessageAvailable if none came.

        `max_length`: a longer message raises Truncated and stays on the queue; with `truncate` it is cut and taken.
        `convert`: text is converted to the queue manager's character set (MQGMO_CONVERT).

        `requeue_poison`: a message that was backed out BOTHRESH times goes to BOQNAME instead, as with MQ's
        classes for JMS. The default of BOTHRESH is 0, for never.

        `syncpoint`: True or False overrides the transaction; see `put`.

        `selector`: an SQL-92 selection string over properties and descriptor, like "color = 'red' AND n > 3". It
        belongs to an open of the queue, so the last few are kept open. BadSelector shows the place of an error.

        `token`: the token of a message that was browsed; exactly that message is got.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     queue = qm.queue("A", create=True)
        ...     _ = queue.put("one", correlation_id=b"1")
        ...     _ = queue.put("two", correlation_id=b"2")
        ...     print((queue.get(correlation_id=b"2")).text)
        two
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
        """Get the next message, or None if there is none. See `get`."""
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

    def get_many(
        self,
        count: int,
        *,
        wait: Wait = None,
        correlation_id: bytes | None = None,
        convert: bool = False,
        requeue_poison: bool = True,
        syncpoint: bool | None = None,
        selector: str = "",
    ) -> list[Message]:
        """Get up to `count` messages in one call: wait for the first, then take the available ones.

        The list is empty if no message came in `wait` seconds. In a transaction all belong to it; outside each get is
        final. The other arguments are those of `get`.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     queue = qm.queue("A", create=True)
        ...     for text in ("a", "b", "c"):
        ...         _ = queue.put(text)
        ...     print([message.text for message in queue.get_many(2)])
        ['a', 'b']
        """
        number = count_wanted(count, "count")
        wanted_by = selection(selector or self.selector)
        ahead = ahead_option(self.read_ahead)
        connection = self._owner._current()
        return connection._get_many(
            self.name, number, wait, correlation_id, convert, requeue_poison, syncpoint, wanted_by, ahead
        )

    def messages(self, *, wait: Wait = None, correlation_id: bytes | None = None, selector: str = "") -> Messages:
        """Get messages until there are no more, or none came in `wait` seconds: `for message in ...`.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     queue = qm.queue("A", create=True)
        ...     for text in ("a", "b", "c"):
        ...         _ = queue.put(text)
        ...     for message in queue.messages():
        ...         print(message.text)
        a
        b
        c
        """
        return Messages(self, wait, correlation_id, selector)

    def __iter__(self) -> Messages:
        """Iterate over the messages as they arrive, without an end: `for message in queue:`."""
        return Messages(self, True, None)

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
        """Browse the messages, first to last, and leave them on the queue.

        The browser closes itself at the end, and when it is dropped; an `with` statement or `close()` does it
        sooner.

        Each message has its `token`, by which `get(token=...)` finds it again. With `read_ahead` a remote queue manager
        sends many at a time, in advance. `max_length` cuts the data, without properties: with 0 no data is sent, and
        `message.length` is the length of the message.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     queue = qm.queue("A", create=True)
        ...     _ = queue.put("look, don't touch")
        ...     for message in queue.browse():
        ...         print(message.text, queue.inquire_depth())
        look, don't touch 1
        """
        wanted_by = selection(selector or self.selector)
        ahead = ahead_option(self.read_ahead if read_ahead is None else read_ahead)
        length = length_wanted(max_length)
        connection = self._owner._current()
        return connection._browser(self.name, wait, correlation_id, message_id, wanted_by, ahead, length)

    def consume(
        self,
        handler: Handler,
        *,
        concurrency: int = 1,
        retry: Retry | None = None,
        correlation_id: bytes | None = None,
        message_id: bytes | None = None,
        convert: bool = False,
        requeue_poison: bool = True,
        selector: str = "",
    ) -> Consumer:
        """Call `handler` with each message, up to `concurrency` at a time, each in a unit of work of its own.

        The unit of work is committed when the handler returns and backed out if it raises; puts and gets that the
        handler makes through the queue manager belong to it. The consumer ends with `consumer.close()`, or with
        the `with` block that it is used in; both wait for running handlers. consumer.py has the rules for
        a handler that raises. `retry` delays the next attempt and limits the number of attempts; see Retry.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     a, b = qm.queue("A", create=True), qm.queue("B", create=True)
        ...     def handle(message):
        ...         b.put(message.text.upper())
        ...     with a.consume(handle, concurrency=2):
        ...         _ = a.put("one")
        ...         print((b.get(wait=5.0)).text)
        ONE
        """
        return self._owner._current()._start_consumer(
            self.name,
            handler,
            count_wanted(concurrency, "concurrency"),
            retry,
            correlation_id,
            message_id,
            convert,
            requeue_poison,
            selection(selector or self.selector),
        )

    def of(self, kind: type[T]) -> TypedQueue[T]:
        """Return this queue with messages of one type, as JSON: a dataclass, a pydantic model, a TypedDict ...

        >>> import dataclasses, flintmq
        >>> @dataclasses.dataclass
        ... class Order:
        ...     number: int
        ...     items: list[str]
        >>> with flintmq.open(":memory:") as qm:
        ...     orders = (qm.queue("ORDERS", create=True)).of(Order)
        ...     _ = orders.put(Order(7, ["tea"]))
        ...     print((orders.get()).value)
        Order(number=7, items=['tea'])
        """
        from flintmq.client.payload import Codec
        from flintmq.client.typed import TypedQueue

        return TypedQueue(self, Codec(kind))

    def inquire_depth(self) -> int:
        """Return CURDEPTH: the number of messages, with uncommitted puts and without uncommitted gets."""
        return self._owner._depth(self.name)

    @property
    def depth(self) -> int:
        """Return CURDEPTH, as `inquire_depth()`. Only here: a property cannot wait, so asyncio has none."""
        return self._owner._depth(self.name)

    def __len__(self) -> int:
        return self.depth

    def __bool__(self) -> bool:
        return True

    def clear(self) -> None:
        """Remove all messages. Raise ObjectInUse if some are uncommitted or another application waits for one."""
        self._owner._clear(self.name)


class Messages:
    """Iterator that gets the messages of a queue; in a transaction they belong to it. Made by `queue.messages()`."""

    def __init__(self, queue: Queue, wait: Wait, correlation_id: bytes | None, selector: str = "") -> None:
        self._queue = queue
        self._wait = wait
        self._correlation_id = correlation_id
        self._selector = selector
        self._over = False

    def __iter__(self) -> Messages:
        return self

    def __next__(self) -> Message:
        if self._over:
            raise StopIteration
        message = self._queue.get_or_none(wait=self._wait, correlation_id=self._correlation_id, selector=self._selector)
        if message is None:
            self._over = True
            raise StopIteration
        return message

    def __enter__(self) -> Messages:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End the iteration. A second close does nothing."""
        self._over = True
