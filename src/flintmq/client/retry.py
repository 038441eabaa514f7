"""Retry: how a consumer repeats a message after its handler raised.

    with orders.consume(handle, retry=flintmq.Retry(attempts=5, delay=1.0, backoff=2.0, then="dead-letter")):

A failed attempt is backed out, so its message is on the queue again and its BackoutCount is one higher. A consumer that
gets a message with a BackoutCount does not call the handler. In the unit of work of that get it either puts the message
on the same queue with a delivery delay, or, after the last attempt, moves it away; and commits. So

    - a crash at any point loses nothing: the message is on its queue, or on SYSTEM.DDELAY.LOCAL.QUEUE, or moved;
    - over a channel, the end of the handler's process counts as a failed attempt. A queue manager that is embedded ends
      with the process; its restart backs out without counting;
    - the number of attempts survives a restart: the delayed copy has it as property (flintmq_attempts), and attempts
      since then are its BackoutCount. Without `delay` there is only BackoutCount, which needs HARDENBO for that;
    - any number of consumers with equal `retry` may share the queue.

The delayed copy has the MsgId, CorrelId, properties and data of the message; its context (UserIdentifier, PutDate ...)
is that of the consumer. A message in a group cannot be delayed, nor can one that expires before: it is tried at once.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal

from flintmq.client.inquiries import Inquiries, backout_policy, dead_letter_queue, inquired
from flintmq.client.message import Carried, Message, seconds
from flintmq.client.set_aside import dead_letter
from flintmq.mqi.call_errors import MQError
from flintmq.mqi.errors import PropertyError
from flintmq.mqi.md import MQMD
from flintmq.mqi.properties import MessageProperties
from flintmq.mqi.property_blocks import add_block
from flintmq.mqi.reason import (
    MQRC_BACKOUT_THRESHOLD_REACHED,
    MQRC_EXPIRY_ERROR,
    MQRC_OPTIONS_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
)

if TYPE_CHECKING:
    from flintmq.client.base_connection import BaseConnection
    from flintmq.client.consumer import Handler

#: The property that counts failed attempts of earlier copies.
ATTEMPTS = "flintmq_attempts"
THEN = ("backout-queue", "dead-letter", "discard")
_CANNOT_BE_DELAYED = (MQRC_OPTIONS_ERROR, MQRC_EXPIRY_ERROR)


@dataclasses.dataclass(frozen=True)
class Retry:
    """How often and when a consumer repeats a message after its handler raised; see the module docstring.

    `attempts`: number of calls of the handler at most. `delay`: seconds before the second attempt, `backoff`: the
    factor for each one after that, `max_delay`: the longest. `then`, after the last attempt: "backout-queue" (BOQNAME
    of the queue, or the dead-letter queue if it has none), "dead-letter" (with a dead-letter header, reason 2362) or
    "discard". If the message cannot be moved, the consumer stops, and the message stays on its queue.

    >>> Retry(delay=1.0, backoff=2.0, max_delay=5.0).delays()
    [1.0, 2.0, 4.0, 5.0]
    """

    attempts: int = 5
    delay: float = 1.0
    backoff: float = 2.0
    max_delay: float = 60.0
    then: Literal["backout-queue", "dead-letter", "discard"] = "backout-queue"

    def __post_init__(self) -> None:
        if not isinstance(self.attempts, int) or isinstance(self.attempts, bool):
            raise TypeError(f"attempts is an int, not {type(self.attempts).__name__}")
        if self.attempts < 1:
            raise ValueError(f"attempts is at least 1, not {self.attempts}")
        for name in ("delay", "max_delay"):
            if seconds(getattr(self, name), name) < 0:
                raise ValueError(f"{name} is a number of seconds, not {getattr(self, name)}")
        if seconds(self.backoff, "backoff") < 1:
            raise ValueError(f"backoff is a factor of at least 1, not {self.backoff}")
        if self.then not in THEN:
            raise ValueError(f"then is one of {', '.join(THEN)}, not {self.then!r}")

    def delay_after(self, failures: int) -> float:
        """Return the seconds to wait after that many failed attempts."""
        return min(self.max_delay, self.delay * self.backoff ** min(failures - 1, 1000)) if self.delay else 0.0

    def delays(self) -> list[float]:
        """Return the seconds before each attempt but the first."""
        return [self.delay_after(failures) for failures in range(1, self.attempts)]


class CannotMove(MQError):
    """A message that failed too often could be moved nowhere. The consumer stops."""


#: Queues for a message that is set aside: the first that takes it.
SET_ASIDE = ("backout-queue", "dead-letter")


def failed_attempts(message: Message) -> int:
    """Return how many attempts at a message have failed."""
    before = message.properties.get(ATTEMPTS, 0)
    return (before if isinstance(before, int) else 0) + message.backout_count


def copy_of(message: Message, failures: int = 0) -> tuple[MQMD, bytes, MessageProperties | None]:
    """Return descriptor, data and properties to put a message again, with the number of failed attempts."""
    md, data, raw = message.md.copy(), message.data, message._properties
    properties = MessageProperties()
    if isinstance(raw, Carried):
        add_block(properties, raw.block)
        md.format, md.encoding, md.coded_char_set_id, data = raw.format, raw.encoding, raw.ccsid, raw.data
    else:
        for name, value in message.properties.items():
            try:
                properties.set(name, value)
            except PropertyError:
                continue  # One of MQ's own, which the queue manager sets by itself.
    if failures:
        properties.set(ATTEMPTS, failures)
    return md, data, properties if properties.items else None


def as_dead_letter(
    message: Message, q_mgr_name: str, reason: int = MQRC_BACKOUT_THRESHOLD_REACHED
) -> tuple[MQMD, bytes, MessageProperties | None]:
    """Return descriptor, data and properties to put a message again, with a dead-letter header that has the reason."""
    md, data, properties = copy_of(message)
    dead, data = dead_letter(md, data, message.queue_name, q_mgr_name, reason)
    return dead, data, properties


def target(name: str, then: str) -> Inquiries[tuple[str, str]]:
    """Return the queue for a message that failed too often.

    The second value is "" for a backout queue; for a dead-letter queue it is the name of the queue manager, which the
    dead-letter header needs.
    """
    if then == "backout-queue":
        _, queue = yield from backout_policy(name)
        if queue:
            return queue, ""
    try:
        queue, q_mgr_name = yield from dead_letter_queue()
    except MQError as error:
        raise cannot_move(name, "the dead-letter queue", error) from error
    if not queue:
        text = f"a message that failed too often stays on {name}: the queue manager has no dead-letter queue (DEADQ)"
        raise CannotMove(text, MQRC_UNKNOWN_OBJECT_NAME)
    return queue, q_mgr_name


def cannot_be_delayed(error: MQError) -> bool:
    """Return whether a put was refused because of its delay."""
    return error.reason in _CANNOT_BE_DELAYED


def cannot_move(name: str, queue: str, error: MQError) -> CannotMove:
    """Return the error of a consumer that cannot move a message."""
    return CannotMove(f"a message that failed too often stays on {name}: {queue}: {error.text}", error.reason)


class Retrying:
    """The handler of a sync consumer with `retry`; called in the unit of work of the get."""

    def __init__(self, connection: BaseConnection[Any], handler: Handler, retry: Retry) -> None:
        self._connection = connection
        self._handler = handler
        self._retry = retry

    def __call__(self, message: Message) -> object:
        if message.backout_count and self._settled(message):
            return None
        return self._handler(message)

    def goes_on(self, error: BaseException) -> bool:
        """Return whether the consumer continues after an error."""
        return not isinstance(error, CannotMove)

    def _settled(self, message: Message) -> bool:
        """Delay a message that failed, or move it away. Return False to call the handler now."""
        retry, name, put = self._retry, message.queue_name, self._connection._put
        failures = failed_attempts(message)
        if failures < retry.attempts:
            delay = retry.delay_after(failures)
            if not delay:
                return False
            md, data, properties = copy_of(message, failures)
            try:
                put(name, md, data, True, properties, 0, round(delay * 1000))
            except MQError as error:
                if not cannot_be_delayed(error):
                    raise
                return False
            return True
        if retry.then == "discard":
            return True
        queue, q_mgr_name = inquired(self._connection.mqi, target(name, retry.then))
        md, data, properties = as_dead_letter(message, q_mgr_name) if q_mgr_name else copy_of(message)
        try:
            put(queue, md, data, True, properties)
        except MQError as error:
            raise cannot_move(name, queue, error) from error
        return True
