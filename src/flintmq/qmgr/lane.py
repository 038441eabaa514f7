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

An `Index` finds messages by message id, correlation id or group id without walking the queue: it maps a 24-byte id to
the messages in memory that carry it. Nearly always that is one message, so the dictionary holds the message itself;
when a second arrives, a `Chain` takes its place, in the order in which a get must return them: higher lane first, then
lower sequence. The all-zero id matches everything and is never indexed. Messages that are on the page set only are
found through the index of the page set (`paging.py`).
"""

from __future__ import annotations

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
