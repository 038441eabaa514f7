"""Inquiries of several objects, as steps: each is opened, inquired and closed.

A generator yields what to inquire, and gets the answer or the MQError. It is driven by `inquired` through a
synchronous MQI, and by `inquired_steps` as exchanges on a connection over a channel.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from flintmq.mqi.call_errors import MQError, UnknownObject
from flintmq.mqi.constants import (
    MQCA_BACKOUT_REQ_Q_NAME,
    MQCA_DEAD_LETTER_Q_NAME,
    MQCA_Q_MGR_NAME,
    MQIA_BACKOUT_THRESHOLD,
    MQOO_INQUIRE,
    MQOT_Q,
    MQOT_Q_MGR,
)
from flintmq.mqi.od import MQOD

if TYPE_CHECKING:
    from flintmq.client.remote.steps import MQISteps, Steps

T = TypeVar("T")


class Inquire(NamedTuple):
    """An MQINQ of attributes of an object."""

    selectors: list[int]
    object_type: int = MQOT_Q_MGR
    name: str = ""

    def descriptor(self) -> MQOD:
        """Return the descriptor for the open."""
        od = MQOD()
        od.object_type, od.object_name = self.object_type, self.name
        return od


class Said(NamedTuple):
    """The answer to an MQINQ."""

    integers: list[int]
    characters: list[str]


Inquiries = Generator[Inquire, Said, T]


def inquired(mqi: Any, inquiries: Inquiries[T]) -> T:
    """Make the inquiries through an MQI."""
    try:
        wanted = next(inquiries)
        while True:
            try:
                handle = mqi.open(wanted.descriptor(), MQOO_INQUIRE)
                said = mqi.inq(handle, wanted.selectors)
                mqi.close(handle)
            except MQError as error:
                wanted = inquiries.throw(error)
            else:
                wanted = inquiries.send(Said(said.integers, said.characters))
    except StopIteration as done:
        result: T = done.value
        return result


def inquired_steps(mqi: MQISteps, inquiries: Inquiries[T]) -> Steps[T]:
    """Make the inquiries over a channel."""
    try:
        wanted = next(inquiries)
        while True:
            try:
                handle = yield from mqi.open_steps(wanted.descriptor(), MQOO_INQUIRE)
                said = yield from mqi.inq_steps(handle, wanted.selectors)
                yield from mqi.close_steps(handle)
            except MQError as error:
                wanted = inquiries.throw(error)
            else:
                wanted = inquiries.send(Said(said.integers, said.characters))
    except StopIteration as done:
        result: T = done.value
        return result


def backout_policy(name: str) -> Inquiries[tuple[int, str]]:
    """Return BOTHRESH and BOQNAME of a queue; (0, "") if the user may not inquire them."""
    try:
        said = yield Inquire([MQIA_BACKOUT_THRESHOLD, MQCA_BACKOUT_REQ_Q_NAME], MQOT_Q, name)
    except MQError:
        return 0, ""
    return max(0, said.integers[0]), said.characters[0].strip(" *")


def dead_letter_queue() -> Inquiries[tuple[str, str]]:
    """Return the names of the dead-letter queue, "" if there is none, and of the queue manager."""
    said = yield Inquire([MQCA_DEAD_LETTER_Q_NAME, MQCA_Q_MGR_NAME])
    queue, q_mgr_name = (text.strip() for text in said.characters)
    return queue, q_mgr_name


def queue_of_dead_letters() -> Inquiries[str]:
    """Return the name of the dead-letter queue. Raise UnknownObject if the queue manager has none."""
    name, _ = yield from dead_letter_queue()
    if not name:
        raise UnknownObject("no dead-letter queue was named, and the queue manager has none (DEADQ)")
    return name
