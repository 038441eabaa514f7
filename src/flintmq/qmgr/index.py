"""Finding messages by message id, correlation id or group id without walking the queue.

One `Index` maps a 24-byte id to the messages in memory that carry it. Nearly always that is one message, so the
dictionary holds the message itself; when a second arrives, a `Chain` takes its place, kept in the order in which a get
must return them: higher lane first, then lower sequence. The all-zero id matches everything and is never indexed.
Messages that are on the page set only are found through the index of the page set (`paging.py`).
"""

from __future__ import annotations

from flintmq.qmgr.message import NO_ID, Message


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
