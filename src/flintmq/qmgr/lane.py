"""The messages of one priority of one queue, in order: a linked list of messages and of ranges that are on disk.

    first                                    hint                                      last
      |                                       |                                         |
    [got, uncommitted] [put, uncommitted] [available] [Spilled 1000..4999999] [available] [put, uncommitted]

Messages under an uncommitted put or get stay in their place, so that a backout needs no search and a commit makes a
message visible where it was put. What keeps a get from walking over them is the hint.

Invariants (checked by `check_lane`):

    N1  The list is in ascending order of sequence; ranges do not overlap.
    N2  No node before `hint` is available or spilled; with no hint there is none at all.
    N3  A message is linked exactly when its state is not REMOVED.
    N4  Two spilled ranges are never neighbours.

`Expiring` has the messages in memory that expire, by the second:

    buckets   second -> the messages in memory that expire within it; expires_ms // 1000
    order     a heap of those seconds; the first is where a scan begins

A message enters and leaves with a dictionary operation each. A bucket that has become empty stays in both until a scan
comes by or until the empty ones outnumber the others, so that a put and a get in turns do not fill the heap. Messages
that are only on the page set are not there.

    E1  Every linked message in memory that has an expiry is in the bucket of its second, and nothing else is.
    E2  The heap has each second that has a bucket exactly once.

An `Index` finds messages by message id, correlation id or group id without walking the queue: it maps a 24-byte id to
the messages in memory that carry it. Nearly always that is one message, so the dictionary holds the message itself;
when a second arrives, a `Chain` takes its place, in the order in which a get must return them: higher lane first, then
lower sequence. The all-zero id matches everything and is never indexed. Messages that are on the page set only are
found through the index of the page set (`paging.py`).
"""

from __future__ import annotations

import heapq
from typing import Final

from flintmq.qmgr.message import AVAILABLE, NO_ID, REMOVED, SPILLED, Message, Node, Spilled


class Lane:
    """One priority of one queue."""

    first: Node | None = None
    last: Node | None = None
    hint: Node | None = None

    def __init__(self, number: int) -> None:
        self.number = number
        #: The ranges of the list, ascending. Nearly always none or one.
        self.ranges: list[Spilled] = []

    def append(self, node: Node) -> None:
        """Add `node` behind all others; its sequence is the highest."""
        last = self.last
        if last is None:
            self.first = node
        else:
            node.prev = last
            last.next = node
        self.last = node
        if self.hint is None and node.state == AVAILABLE:
            self.hint = node

    def insert(self, message: Message) -> None:
        """Add `message` in its place by sequence, which may be inside a range (restart, and in-doubt units)."""
        at = self.last
        while at is not None and at.sequence > message.sequence:
            at = at.prev
        if isinstance(at, Spilled) and at.last >= message.sequence:
            at = self.split(at, message.sequence)
        self.link_after(message, at)
        if message.state == AVAILABLE:
            self.offer(message)

    def split(self, spilled: Spilled, sequence: int) -> Node | None:
        """Make room for `sequence` in a range; returns the node after which it goes."""
        if spilled.last > sequence:
            upper = Spilled(sequence + 1, spilled.last)
            self.link_after(upper, spilled)
            self.ranges.insert(self.ranges.index(spilled) + 1, upper)
            self.offer(upper)
        spilled.last = sequence - 1
        if spilled.sequence <= spilled.last:
            return spilled
        before = spilled.prev
        self.ranges.remove(spilled)
        self.unlink(spilled)
        return before

    def offer(self, node: Node) -> None:
        """`node` has become available, or is a range: let the hint not pass it (N2)."""
        hint = self.hint
        if hint is None or node.sequence < hint.sequence:
            self.hint = node

    def link_after(self, node: Node, at: Node | None) -> None:
        """Link `node` after `at`, or first."""
        node.prev = at
        if at is None:
            following = self.first
            self.first = node
        else:
            following = at.next
            at.next = node
        node.next = following
        if following is None:
            self.last = node
        else:
            following.prev = node

    def unlink(self, node: Node) -> None:
        """Take `node` out of the list. Cursors on it have been moved before."""
        before = node.prev
        after = node.next
        if before is None:
            self.first = after
        else:
            before.next = after
        if after is None:
            self.last = before
        else:
            after.prev = before
        if self.hint is node:
            self.hint = after
        node.prev = None
        node.next = None

    def join_ranges_at(self, node: Node | None) -> None:
        """If `node` and its follower are both ranges, make them one (N4)."""
        if node is None or node.state != SPILLED:
            return
        after = node.next
        if after is None or after.state != SPILLED:
            return
        assert isinstance(node, Spilled) and isinstance(after, Spilled)
        node.last = after.last
        if self.hint is after:
            self.hint = node
        self.ranges.remove(after)
        self.unlink(after)

    def near(self, sequence: int) -> Node | None:
        """The first node that is at `sequence`, covers it or lies behind it; looked for from the nearer end."""
        spilled = self.range_with(sequence)
        if spilled is not None:
            return spilled
        node, last = self.hint, self.last
        if node is None or node.sequence > sequence:
            node = self.first
        if node is None or last is None:
            return None
        if last.sequence >= sequence and last.sequence - sequence < sequence - node.sequence:
            node = last
            while node.prev is not None and node.prev.sequence >= sequence:
                node = node.prev
            return node
        while node is not None and node.sequence < sequence:
            node = node.next
        return node

    def range_with(self, sequence: int) -> Spilled | None:
        """The range that covers `sequence`, or None."""
        for spilled in self.ranges:
            if spilled.sequence <= sequence <= spilled.last:
                return spilled
        return None


class Link:
    """One message in a chain."""

    prev: Link | None = None
    next: Link | None = None

    def __init__(self, message: Message) -> None:
        self.message = message


class Chain:
    """The messages that share one id, in the order of delivery."""

    first: Link | None = None
    last: Link | None = None

    def __init__(self) -> None:
        self.links: dict[int, Link] = {}

    def add(self, message: Message) -> None:
        """Insert in order; nearly always at the end."""
        link = Link(message)
        self.links[message.sequence] = link
        at = self.last
        while at is not None and comes_before(message, at.message):
            at = at.prev
        if at is None:
            link.next = self.first
            self.first = link
        else:
            link.next = at.next
            link.prev = at
            at.next = link
        if link.next is None:
            self.last = link
        else:
            link.next.prev = link

    def discard(self, message: Message) -> None:
        """Take `message` out, wherever it stands."""
        link = self.links.pop(message.sequence)
        if link.prev is None:
            self.first = link.next
        else:
            link.prev.next = link.next
        if link.next is None:
            self.last = link.prev
        else:
            link.next.prev = link.prev


class Index:
    """Messages in memory by one of their ids."""

    def __init__(self) -> None:
        self.entries: dict[bytes, Message | Chain] = {}

    def add(self, key: bytes, message: Message) -> None:
        """Enter `message` under `key`."""
        if key == NO_ID:
            return
        found = self.entries.get(key)
        if found is None:
            self.entries[key] = message
        elif isinstance(found, Message):
            chain = Chain()
            chain.add(found)
            chain.add(message)
            self.entries[key] = chain
        else:
            found.add(message)

    def remove(self, key: bytes, message: Message) -> None:
        """Take `message` out from under `key`."""
        if key == NO_ID:
            return
        found = self.entries.get(key)
        if isinstance(found, Message):
            assert found is message
            del self.entries[key]
        elif found is not None:
            found.discard(message)
            if found.first is None:
                del self.entries[key]

    def after(self, key: bytes, lane: int, sequence: int) -> Message | None:
        """The first message under `key` that stands behind a place on the queue."""
        found = self.entries.get(key)
        if found is None:
            return None
        if isinstance(found, Message):
            return found if _is_behind(found, lane, sequence) else None
        here = found.links.get(sequence)
        link = found.first if here is None else here.next
        while link is not None and not _is_behind(link.message, lane, sequence):
            link = link.next
        return None if link is None else link.message

    def messages(self, key: bytes) -> list[Message]:
        """All messages under `key`, in the order of delivery."""
        found = self.entries.get(key)
        if found is None:
            return []
        if isinstance(found, Message):
            return [found]
        result: list[Message] = []
        link = found.first
        while link is not None:
            result.append(link.message)
            link = link.next
        return result


def _is_behind(message: Message, lane: int, sequence: int) -> bool:
    """True if `message` stands behind a place in the order of delivery."""
    return message.lane < lane or (message.lane == lane and message.sequence > sequence)


def comes_before(one: Message, other: Message) -> bool:
    """True if a get returns `one` before `other`: higher lane, then lower sequence."""
    if one.lane != other.lane:
        return one.lane > other.lane
    return one.sequence < other.sequence


def check_lane(lane: Lane) -> None:
    """N1-N4 as code."""
    node = lane.first
    before: Node | None = None
    passed_hint = lane.hint is None
    ranges: list[Spilled] = []
    while node is not None:
        assert node.prev is before, f"N1: broken back link at {node.sequence}"
        assert node.state != REMOVED, f"N3: removed message {node.sequence} is linked"
        if before is not None:
            end = before.last if isinstance(before, Spilled) else before.sequence
            assert end < node.sequence, f"N1: {node.sequence} follows {end}"
            assert not (before.state == SPILLED and node.state == SPILLED), f"N4: ranges meet at {node.sequence}"
        if node is lane.hint:
            passed_hint = True
        if node.state in (AVAILABLE, SPILLED):
            assert passed_hint and lane.hint is not None, f"N2: {node.sequence} stands before the hint"
        if isinstance(node, Spilled):
            ranges.append(node)
        before = node
        node = node.next
    assert lane.last is before, "N1: wrong last"
    assert passed_hint, "N2: the hint is not in the list"
    assert ranges == lane.ranges, "N1: ranges out of step"


#: So many empty buckets are no matter.
_EMPTY_MIN: Final = 64


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
