"""When messages expire: the messages of a queue that are in memory, by the second; and caps on expiry.

    buckets   second -> the messages in memory that expire within it; expires_ms // 1000
    order     a heap of those seconds; the first is where a scan begins

A message enters and leaves with a dictionary operation each, whatever there is besides. A bucket that has become empty
stays in both until a scan comes by or until the empty ones outnumber the others, so that a put and a get in turns do
not fill the heap.

Messages that are only on the page set are not here.

Invariants (checked by `check_expiring`, for Q6 of queue.py):

    E1  Every linked message in memory that has an expiry is in the bucket of its second, and nothing else is.
    E2  The heap has each second that has a bucket exactly once.

CAPEXPRY, in tenths of a second, is a limit on the expiry of messages that arrive: MQEI_UNLIMITED becomes the cap, a
longer expiry too, a shorter one stays. It is an attribute of its own, and on older levels a word in CUSTOM:

    CAPEXPRY(12000)    CUSTOM('CAPEXPRY(12000)')    both: the lower one counts
"""

from __future__ import annotations

import heapq
from typing import Final

from flintmq.catalogue.attribute import CUSTOM, Value
from flintmq.qmgr.message import AVAILABLE, Message

#: So many empty buckets are no matter.
_EMPTY_MIN: Final = 64
#: No cap.
NO_CAP: Final = 0
CAP_MAX: Final = 999_999_999
_UNLIMITED: Final = -1


class Expiring:
    """The messages of one queue that are in memory and have an expiry."""

    def __init__(self) -> None:
        self.buckets: dict[int, dict[Message, None]] = {}
        self.order: list[int] = []
        #: How many of the buckets are empty.
        self.empty = 0

    def add(self, message: Message) -> None:
        """A message that has an expiry came into memory."""
        second = message.expires_ms // 1000
        bucket = self.buckets.get(second)
        if bucket is None:
            if self.empty > _EMPTY_MIN and 2 * self.empty > len(self.order):
                self._sweep()
            self.buckets[second] = {message: None}
            heapq.heappush(self.order, second)
            return
        if not bucket:
            self.empty -= 1
        bucket[message] = None

    def remove(self, message: Message) -> None:
        """The counterpart of `add`."""
        bucket = self.buckets[message.expires_ms // 1000]
        del bucket[message]
        if not bucket:
            self.empty += 1

    def holds(self, message: Message) -> bool:
        """Whether `message`, which has an expiry, is on the queue and in memory."""
        bucket = self.buckets.get(message.expires_ms // 1000)
        return bucket is not None and message in bucket

    def is_due(self, now_ms: int) -> bool:
        """Whether there may be something that has expired."""
        return len(self.order) > 0 and self.order[0] <= now_ms // 1000

    def due(self, now_ms: int, limit: int) -> list[Message]:
        """Messages that have expired and that nobody holds, the earliest second first.

        Whole seconds are looked at until there are `limit` or more. Nothing is taken away.
        """
        found: list[Message] = []
        looked_at: list[int] = []
        second = now_ms // 1000
        order = self.order
        while order and order[0] <= second and len(found) < limit:
            number = heapq.heappop(order)
            bucket = self.buckets[number]
            if not bucket:
                del self.buckets[number]
                self.empty -= 1
                continue
            looked_at.append(number)
            for message in bucket:
                if message.state == AVAILABLE and message.expires_ms <= now_ms:
                    found.append(message)
        for number in looked_at:
            heapq.heappush(order, number)
        return found

    def _sweep(self) -> None:
        """Forget the empty buckets."""
        for number in [number for number, bucket in self.buckets.items() if not bucket]:
            del self.buckets[number]
        self.order = list(self.buckets)
        heapq.heapify(self.order)
        self.empty = 0


def check_expiring(expiring: Expiring, linked: list[Message]) -> None:
    """E1 and E2 as code; `linked` are all messages of the queue in memory."""
    expected = 0
    for message in linked:
        if message.expires_ms:
            expected += 1
            bucket = expiring.buckets.get(message.expires_ms // 1000)
            assert bucket is not None and message in bucket, f"E1: {message.sequence} is in no bucket"
    there = 0
    empty = 0
    for bucket in expiring.buckets.values():
        there += len(bucket)
        if not bucket:
            empty += 1
    assert there == expected, f"E1: {there} messages in buckets, {expected} on the queue"
    assert empty == expiring.empty, f"E2: {empty} buckets are empty, {expiring.empty} counted"
    assert sorted(expiring.order) == sorted(expiring.buckets), "E2: the heap is not that of the buckets"


# -- CAPEXPRY --------------------------------------------------------------------------------------------------------


def capped(expiry: int, cap: int) -> int:
    """`expiry` as a message gets it under `cap`; both in tenths of a second, no cap is 0."""
    if cap == NO_CAP or (0 <= expiry <= cap):
        return expiry
    return cap


def lowest_cap(one: int, other: int) -> int:
    """The cap where two definitions have one: the lower, and 0 if neither has any."""
    if one == NO_CAP or other == NO_CAP:
        return one + other
    return min(one, other)


def cap_of(attributes: dict[str, Value]) -> int:
    """The cap that a definition has, by CAPEXPRY or in CUSTOM; 0 none."""
    cap = attributes.get("CAPEXPRY")
    own = cap if isinstance(cap, int) else NO_CAP
    custom = attributes.get(CUSTOM)
    return lowest_cap(own, custom_cap(custom)) if isinstance(custom, str) and custom else own


def custom_cap(text: str) -> int:
    """The cap in a CUSTOM text, 0 if it has none. One that `custom_is_good` refuses has none."""
    value = _custom_value(text)
    return int(value) if value.isascii() and value.isdigit() and 0 < int(value) <= CAP_MAX else NO_CAP


def custom_is_good(text: str) -> bool:
    """False if a CUSTOM text has CAPEXPRY with anything but tenths of a second or NOLIMIT."""
    if "CAPEXPRY" not in text.upper():
        return True
    return _custom_value(text).upper() == "NOLIMIT" or custom_cap(text) != NO_CAP


def _custom_value(text: str) -> str:
    """What stands in the parentheses behind CAPEXPRY."""
    _, found, rest = text.upper().partition("CAPEXPRY")
    rest = rest.lstrip(" ")
    value, closed, _ = rest[1:].partition(")")
    return value.strip(" ") if found and rest[:1] == "(" and closed else ""
