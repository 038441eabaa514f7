"""Exceptions of a node for calls that the queue manager refused."""

from __future__ import annotations

from flintmq.broker.errors import BrokerError
from flintmq.mqi.call_errors import MQError


def queue_error(number: int, text: str, name: str, error: MQError) -> BrokerError:
    """Return the entry for a call that the queue manager refused; below it, completion and reason code."""
    cause = BrokerError(2620 if number == 7017 else 2667, str(error), inserts=(name, error.completion, error.reason))
    return BrokerError(number, f"{text}: {error}", inserts=(name, error.completion, error.reason), cause=cause)


def put_refused(node: str, queue: str, error: MQError) -> BrokerError:
    """Return the entry for a put."""
    return queue_error(2666, f"{node} could not put to {queue}", queue, error)


def publish_refused(node: str, topics: list[str], error: MQError) -> BrokerError:
    """Return the entry for a publication."""
    names = ", ".join(topics)
    return queue_error(7017, f"{node} could not publish on {names}", names, error)
