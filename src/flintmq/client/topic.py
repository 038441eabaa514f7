"""Topics and subscriptions, for threads.

    gold = qm.topic("prices/gold")
    with qm.subscribe("prices/#") as prices:
        gold.publish("1811.40")
        message = prices.get(wait=5.0)
        print(message.topic, message.text)

A Topic is a topic string and a way to a connection, as a Queue is. A Subscription is kept by a connection of its own,
and its publications are messages on a queue; getting them is done through the connection of the thread that asks, so a
get belongs to its transaction, and any number of threads may share the subscription.

    which queue     managed, unless `queue` names one: made by the queue manager, and removed with the subscription
    which ends      durable (`durable_name`): it is there until `remove()`; close() keeps it, and so does a restart
                    non-durable: with close(), with the `with` block, or when the object is dropped
    whose it is     the user's who made it: another user can neither have it again nor remove it (2434), unless it was
                    made with `any_user=True`
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from flintmq.client.errors import MQError, NoMessageAvailable, UnknownObject
from flintmq.client.message import (
    Data,
    Message,
    Wait,
    delay_ms,
    descriptor,
    expiry_tenths,
    identifier,
    payload,
    properties_of_put,
)
from flintmq.client.queue import Browser, Owner, Queue
from flintmq.client.request import SCHEME
from flintmq.mqi.constants import (
    MQCO_KEEP_SUB,
    MQCO_NONE,
    MQCO_REMOVE_SUB,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_OUTPUT,
    MQPMO_RETAIN,
    MQSO_ANY_USERID,
    MQSO_CREATE,
    MQSO_DURABLE,
    MQSO_FAIL_IF_QUIESCING,
    MQSO_FIXED_USERID,
    MQSO_MANAGED,
    MQSO_NEW_PUBLICATIONS_ONLY,
    MQSO_PUBLICATIONS_ON_REQUEST,
    MQSO_RESUME,
    MQSO_SET_CORREL_ID,
    MQSO_WILDCARD_CHAR,
    MQSO_WILDCARD_TOPIC,
    MQSR_ACTION_PUBLICATION,
)
from flintmq.mqi.property_values import Value
from flintmq.mqi.reason import MQRC_HOBJ_ERROR, MQRC_NO_RETAINED_MSG
from flintmq.mqi.sd import MQSD
from flintmq.mqi.sro import MQSRO

if TYPE_CHECKING:
    from flintmq.client.connection import Connection
    from flintmq.client.consumer import Consumer, Handler

WILDCARDS = {"topic": MQSO_WILDCARD_TOPIC, "character": MQSO_WILDCARD_CHAR}


class Topic:
    """A topic by its string. Made by `qm.topic(topic_string)`."""

    __slots__ = ("_destination", "_owner", "name")

    def __init__(self, owner: Owner, topic_string: str) -> None:
        self._owner = owner
        self.name = topic_string
        self._destination = SCHEME + topic_string

    def __repr__(self) -> str:
        return f"<Topic {self.name}>"

    def publish(
        self,
        data: Data,
        *,
        retain: bool = False,
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
    ) -> bytes:
        """Publish a message to all who subscribe, and return its message id; each of them gets a copy, all or none.

        With `retain` it is kept for those who subscribe later, in the place of the one before; it outlives a restart if
        it is persistent. The other arguments are those of Queue.put. No subscription is no error. With `delay` it is
        published to those who subscribe when the delay is over, and cannot be retained.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     gold = qm.topic("prices/gold")
        ...     _ = gold.publish("1811.40", retain=True)
        ...     with qm.subscribe("prices/+") as prices:
        ...         message = prices.get(wait=5.0)
        ...         message.topic, message.text
        ('prices/gold', '1811.40')
        """
        md = descriptor(
            persistent,
            priority,
            correlation_id,
            message_id,
            reply_to,
            reply_to_queue_manager,
            expiry,
            format,
            message_type,
        )
        made = properties_of_put(properties) if properties else None
        extra = MQPMO_RETAIN if retain else 0
        self._owner._current()._put(self._destination, md, payload(data, md), syncpoint, made, extra, delay_ms(delay))
        return md.msg_id


def subscription_descriptor(
    topic: str,
    durable_name: str | None,
    selector: str | None,
    wildcard: str,
    queue: str | None,
    new_only: bool,
    on_request: bool,
    user_data: str,
    correlation_id: bytes | None,
    expiry: float | None,
    any_user: bool = False,
) -> MQSD:
    """The MQSD of `qm.subscribe`. A durable subscription is made or had again."""
    if wildcard not in WILDCARDS:
        raise ValueError(f"wildcard is 'topic' (# and +) or 'character' (* and ?), not {wildcard!r}")
    sd = MQSD()
    sd.options = MQSO_CREATE | MQSO_FAIL_IF_QUIESCING | WILDCARDS[wildcard]
    sd.object_string = _text(topic, "topic")
    if durable_name is not None:
        if not durable_name:
            raise ValueError("a durable subscription has a name")
        sd.sub_name = _text(durable_name, "durable_name")
        sd.options |= MQSO_DURABLE | MQSO_RESUME | (MQSO_ANY_USERID if any_user else MQSO_FIXED_USERID)
    elif any_user:
        raise ValueError("any_user is about durable subscriptions: name one with durable_name")
    if queue is None:
        sd.options |= MQSO_MANAGED
    else:
        _text(queue, "queue")
    if new_only:
        sd.options |= MQSO_NEW_PUBLICATIONS_ONLY
    if on_request:
        sd.options |= MQSO_PUBLICATIONS_ON_REQUEST
    if selector:
        sd.selection_string = _text(selector, "selector")
    if user_data:
        sd.sub_user_data = _text(user_data, "user_data")
    if correlation_id is not None:
        sd.sub_correl_id = identifier(correlation_id, "correlation_id")
        sd.options |= MQSO_SET_CORREL_ID
    if expiry is not None:
        sd.sub_expiry = expiry_tenths(expiry)
    return sd


def _text(value: str, what: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{what} is a str, not {type(value).__name__}")
    value.encode("utf-8")  # Raises UnicodeEncodeError.
    return value


class Subscribed:
    """A subscription and the connection that keeps it, for the sync and the asyncio API."""

    sd: MQSD
    closed: bool = False
    #: It was closed, and is durable.
    kept: bool = False
    #: Where its publications are.
    queue_name: str = ""
    #: By which they are told from others on a queue that is not the subscription's own.
    correlation_id: bytes | None = None

    def request(self) -> int:
        """MQSUBRQ: how many retained publications come again."""
        raise NotImplementedError

    def leave(self) -> None:
        """Leave a durable subscription until the next time; end another."""
        self.kept = self.kept or (not self.closed and self.sd.sub_name != "")
        self.close(MQCO_KEEP_SUB if self.sd.sub_name else MQCO_NONE)

    def remove(self) -> None:
        """End it, durable or not. Raises MQError (2019) if it was left: nothing here can end it any more."""
        if self.kept:
            name = self.sd.sub_name
            text = (
                f"subscription {name} was closed and is kept: to remove it, subscribe with durable_name={name!r} first"
            )
            raise MQError(text, MQRC_HOBJ_ERROR)
        self.close(MQCO_REMOVE_SUB)

    def moved(self) -> bool:
        """Whether publications come to another queue than before: the connection was lost, and made again."""
        return False

    def close(self, options: int) -> None:
        """End it, or leave it for the next time. A second close does nothing."""
        raise NotImplementedError


class EmbeddedSubscribed(Subscribed):
    """A subscription of a queue manager in this process."""

    def __init__(self, connection: Connection, sd: MQSD, queue: str | None) -> None:
        self.connection = connection
        from flintmq.client.mqi import MQI

        self.mqi = MQI(connection)
        self.sd = sd
        try:
            destination = None
            if queue is not None:
                # For output: a handle for input would keep others from a queue that is not shared.
                destination = connection._link.open(queue, MQOO_OUTPUT | MQOO_FAIL_IF_QUIESCING)
            hobj, self.hsub = self.mqi.sub(sd, destination)
        except BaseException:
            self.closed = True
            connection.close()
            raise
        self.queue_name = hobj.object_name
        self.correlation_id = sd.sub_correl_id if queue is not None else None

    def request(self) -> int:
        sro = MQSRO()
        try:
            self.mqi.subrq(self.hsub, MQSR_ACTION_PUBLICATION, sro)
        except MQError as error:
            if error.reason != MQRC_NO_RETAINED_MSG:
                raise
        return sro.num_pubs

    def close(self, options: int) -> None:
        if self.closed:
            return
        self.closed = True
        host = self.connection._host
        if host.state:
            return
        try:
            host.release_queue(self.queue_name)
            self.mqi.close(self.hsub, options)
        finally:
            self.connection.close()

    def __del__(self) -> None:
        if not self.closed:
            self.connection._host.orphans.append(self.connection._link.connection)


class Subscription:
    """A subscription. Made by `qm.subscribe(topic)`; close it, or use it in a `with` statement."""

    def __init__(self, owner: Owner, subscribed: Subscribed) -> None:
        self._subscribed = subscribed
        self._queue = Queue(owner, subscribed.queue_name)

    def __repr__(self) -> str:
        name = f" {self.name}" if self.name else ""
        return f"<Subscription{name} to {self.topic}>"

    @property
    def topic(self) -> str:
        """What it subscribes to, with wildcards."""
        return self._subscribed.sd.res_object_string

    @property
    def name(self) -> str:
        """The name of a durable subscription, "" of another."""
        return self._subscribed.sd.sub_name

    @property
    def queue(self) -> Queue:
        """The queue that publications come to."""
        return self._queue

    def get(self, *, wait: Wait = None, convert: bool = False, syncpoint: bool | None = None) -> Message:
        """The next publication; `message.topic` says of what. As Queue.get."""
        while True:
            try:
                return self._queue.get(
                    wait=wait, correlation_id=self._subscribed.correlation_id, convert=convert, syncpoint=syncpoint
                )
            except UnknownObject:
                if not self._subscribed.moved():
                    raise
                self._queue = Queue(self._queue._owner, self._subscribed.queue_name)

    def get_or_none(self, *, wait: Wait = None, convert: bool = False, syncpoint: bool | None = None) -> Message | None:
        """As `get`, but None if there is no publication."""
        try:
            return self.get(wait=wait, convert=convert, syncpoint=syncpoint)
        except NoMessageAvailable:
            return None

    def messages(self, *, wait: Wait = None) -> Iterator[Message]:
        """Get publications until there are no more, none came for `wait` seconds, or the subscription is closed."""
        try:
            while True:
                message = self.get_or_none(wait=wait)
                if message is None:
                    return
                yield message
        except UnknownObject:
            if not self._subscribed.closed:
                raise

    def __iter__(self) -> Iterator[Message]:
        """The publications as they come, without an end."""
        return self.messages(wait=True)

    def browse(self, *, wait: Wait = None) -> Browser:
        """Look at the publications that are waiting, and leave them there."""
        return self._queue.browse(wait=wait, correlation_id=self._subscribed.correlation_id)

    def consume(self, callback: Handler, *, convert: bool = False, requeue_poison: bool = True) -> Consumer:
        """Have `callback` called with each publication, in a unit of work of its own; see Queue.consume."""
        return self._queue.consume(
            callback,
            correlation_id=self._subscribed.correlation_id,
            convert=convert,
            requeue_poison=requeue_poison,
        )

    def request(self) -> int:
        """Have the retained publications sent again (MQSUBRQ); how many there are."""
        return self._subscribed.request()

    def close(self) -> None:
        """Leave a durable subscription until the next time; end another, with the publications that nobody got."""
        self._subscribed.leave()

    def remove(self) -> None:
        """End it, durable or not, with the publications on its managed queue. MQError if it was closed and kept."""
        self._subscribed.remove()

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
