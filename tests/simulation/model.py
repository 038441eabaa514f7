"""What the queues must hold, kept as plainly as possible: no pages, no log, no lists, only sets of messages.

A message has a number that grows with every put, so the order on a queue is (higher lane, lower number). What the log
makes durable is a list of `Fact`s in the order of the log. After a crash the queue manager must be as after some first
part of that list: at least as long as what was acknowledged, at most as long as what was written, never anything else.
"""

from __future__ import annotations


class Item:
    """One message."""

    def __init__(self, number: int, queue: str, lane: int, persistent: bool, correl_id: bytes, data: bytes) -> None:
        self.number = number
        self.queue = queue
        self.lane = lane
        self.persistent = persistent
        self.correl_id = correl_id
        self.data = data

    @property
    def order(self) -> tuple[int, int]:
        return (-self.lane, self.number)


class Fact:
    """Something that the log says: a unit was committed, prepared or resolved, or a queue was cleared."""

    def __init__(self, kind: str, xid: bytes = b"") -> None:
        self.kind = kind  # "commit", "prepare", "resolve-commit", "resolve-backout"
        self.xid = xid
        self.added: list[Item] = []
        self.removed: list[Item] = []
        #: Log position that makes it durable; 0 while the call that writes it has not returned.
        self.position = 0


class State:
    """Messages on the queues, and units in doubt."""

    def __init__(self) -> None:
        self.items: dict[int, Item] = {}
        self.in_doubt: dict[bytes, Fact] = {}

    def copy(self) -> State:
        other = State()
        other.items = dict(self.items)
        other.in_doubt = dict(self.in_doubt)
        return other

    def apply(self, fact: Fact) -> None:
        if fact.kind == "commit":
            self._settle(fact)
        elif fact.kind == "prepare":
            self.in_doubt[fact.xid] = fact
        else:
            prepared = self.in_doubt.pop(fact.xid)
            if fact.kind == "resolve-commit":
                self._settle(prepared)

    def _settle(self, fact: Fact) -> None:
        for item in fact.added:
            self.items[item.number] = item
        for item in fact.removed:
            self.items.pop(item.number, None)

    def visible(self, queue: str) -> list[Item]:
        """What a browse of `queue` returns after a restart: everything but what a unit in doubt has got."""
        held = {item.number for fact in self.in_doubt.values() for item in fact.removed}
        found = [item for item in self.items.values() if item.queue == queue and item.number not in held]
        return sorted(found, key=lambda item: item.order)


def survivors(state: State) -> State:
    """After a crash non-persistent messages are gone, also those inside units in doubt."""
    after = State()
    after.items = {number: item for number, item in state.items.items() if item.persistent}
    for xid, fact in state.in_doubt.items():
        kept = Fact(fact.kind, xid)
        kept.added = [item for item in fact.added if item.persistent]
        kept.removed = [item for item in fact.removed if item.persistent]
        after.in_doubt[xid] = kept
    return after
