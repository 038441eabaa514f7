"""What the queues must hold, kept as plainly as possible: no pages, no log, no lists, only sets of messages.

A message has a number that grows with every put, so the order on a queue is (higher lane, lower number). What the log
makes durable is a list of `Fact`s in the order of the log. After a crash the queue manager must be as after some first
part of that list: at least as long as what was acknowledged, at most as long as what was written, never anything else.

A message that has expired is seen no more, whether it was taken off its queue or not: time only grows. A backout count
is exact while the queue manager runs; a restart may lose some of it, on a queue with HARDENBO no more than was not yet
durable.
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
        #: When it expires, 0 never.
        self.expires_ms = 0
        #: How often it was backed out: between these two. They differ only after a restart, until it is seen again.
        self.backouts_min = 0
        self.backouts_max = 0
        #: Log position and count of each backout of the running queue manager that HARDENBO makes survive.
        self.hardened: list[tuple[int, int]] = []

    @property
    def order(self) -> tuple[int, int]:
        return (-self.lane, self.number)

    def backed_out(self, position: int) -> None:
        """One more backout; `position` is the end of the log after it, 0 if the queue does not harden the count."""
        self.backouts_min += 1
        self.backouts_max += 1
        if position and self.persistent:
            self.hardened.append((position, self.backouts_min))

    def restarted(self, durable: int) -> None:
        """The queue manager was started again from a log that was durable up to `durable`."""
        self.backouts_min = max([count for position, count in self.hardened if position <= durable], default=0)
        self.hardened = [(0, self.backouts_min)] if self.backouts_min else []

    def seen(self, count: int) -> bool:
        """A get or browse has returned this backout count; False if it cannot be right."""
        if not self.backouts_min <= count <= self.backouts_max:
            return False
        self.backouts_min = self.backouts_max = count
        return True


class Fact:
    """Something that the log says: a unit was committed, prepared or resolved, or an administrator did something."""

    def __init__(self, kind: str, xid: bytes = b"", queue: str = "") -> None:
        #: "commit", "prepare", "resolve-commit", "resolve-backout"; "define", "alter", "clear", "delete" of a queue
        self.kind = kind
        self.xid = xid
        self.queue = queue
        self.added: list[Item] = []
        self.removed: list[Item] = []
        #: Log position that makes it durable; 0 while the call that writes it has not returned.
        self.position = 0


class State:
    """The queues, the messages on them, and units in doubt."""

    def __init__(self, queues: set[str]) -> None:
        self.queues = set(queues)
        self.items: dict[int, Item] = {}
        self.in_doubt: dict[bytes, Fact] = {}

    def copy(self) -> State:
        other = State(self.queues)
        other.items = dict(self.items)
        other.in_doubt = dict(self.in_doubt)
        return other

    def apply(self, fact: Fact) -> None:
        if fact.kind == "commit":
            self._settle(fact)
        elif fact.kind == "prepare":
            self.in_doubt[fact.xid] = fact
        elif fact.kind == "define":
            self.queues.add(fact.queue)
        elif fact.kind == "clear" or fact.kind == "delete":
            self.items = {number: item for number, item in self.items.items() if item.queue != fact.queue}
            if fact.kind == "delete":
                self.queues.remove(fact.queue)
        elif fact.kind.startswith("resolve"):
            prepared = self.in_doubt.pop(fact.xid)
            if fact.kind == "resolve-commit":
                self._settle(prepared)

    def _settle(self, fact: Fact) -> None:
        for item in fact.added:
            self.items[item.number] = item
        for item in fact.removed:
            self.items.pop(item.number, None)

    def visible(self, queue: str, now_ms: int) -> list[Item]:
        """What a browse of `queue` returns after a restart: all but what has expired or a unit in doubt has got."""
        held = {item.number for fact in self.in_doubt.values() for item in fact.removed}
        found = [
            item
            for item in self.items.values()
            if item.queue == queue and item.number not in held and not 0 < item.expires_ms <= now_ms
        ]
        return sorted(found, key=lambda item: item.order)

    def uncommitted(self, queue: str) -> bool:
        """Whether a unit in doubt has put or got messages of `queue`."""
        return any(item.queue == queue for fact in self.in_doubt.values() for item in fact.added + fact.removed)


def survivors(state: State) -> State:
    """After a crash non-persistent messages are gone, also those inside units in doubt."""
    after = State(state.queues)
    after.items = {number: item for number, item in state.items.items() if item.persistent}
    for xid, fact in state.in_doubt.items():
        kept = Fact(fact.kind, xid)
        kept.added = [item for item in fact.added if item.persistent]
        kept.removed = [item for item in fact.removed if item.persistent]
        after.in_doubt[xid] = kept
    return after
