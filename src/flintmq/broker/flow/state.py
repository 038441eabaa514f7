"""State that flows keep between messages: groups of an aggregation, collections, requests of timers.

    StateStore   trees by area and key. A run time may keep them on disk; `MemoryStore` keeps them in a dictionary.
    Agenda       timers in the order in which they are due, by a clock that the owner moves.

A node never changes a tree that it got from a store: it copies, changes and puts. So a mark (`MemoryStore.mark`) is a
copy of the dictionaries, and going back to it undoes all that a flow did since, as a backout does.

An address names the node to call when a timer is due. Such nodes implement `TimedNode`.
"""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from flintmq.broker.flow.engine import Invocation
    from flintmq.broker.flow.runtime import RuntimeFlow
    from flintmq.broker.tree.element import Element


class StateStore(Protocol):
    """Trees that outlive a message, by area (one aggregation, one collector) and key."""

    def get(self, area: str, key: str) -> Element | None:
        """Return a tree, which the caller must not change; None if there is none."""
        ...

    def put(self, area: str, key: str, tree: Element) -> None:
        """Keep a tree in place of the one before. The caller must not change it afterwards."""
        ...

    def delete(self, area: str, key: str) -> None:
        """Forget a tree; one that is not there is no error."""
        ...

    def keys(self, area: str) -> list[str]:
        """Return the keys of an area, the oldest first."""
        ...


@runtime_checkable
class TimedNode(Protocol):
    """A node that asks for timers."""

    flow: RuntimeFlow

    @property
    def timer_address(self) -> str:
        """Return the address by which timers name this node."""
        ...

    def due(self, invocation: Invocation, key: str) -> None:
        """Handle a timer that is due. Raise exceptions that the flow does not handle."""
        ...


@dataclass(frozen=True, slots=True)
class Timer:
    """A request to call a node after some seconds. A timer with the same address and key replaces it."""

    address: str
    key: str
    delay: float


class MemoryStore:
    """A StateStore in memory."""

    def __init__(self) -> None:
        self.areas: dict[str, dict[str, Element]] = {}
        #: Numbers of identifiers; a backout does not take them back. Several threads may count.
        self.identifiers = itertools.count(1)

    def get(self, area: str, key: str) -> Element | None:
        """Return a tree; None if there is none."""
        return self.areas.get(area, {}).get(key)

    def put(self, area: str, key: str, tree: Element) -> None:
        """Keep a tree."""
        self.areas.setdefault(area, {})[key] = tree

    def delete(self, area: str, key: str) -> None:
        """Forget a tree."""
        self.areas.get(area, {}).pop(key, None)

    def keys(self, area: str) -> list[str]:
        """Return the keys of an area, the oldest first."""
        return list(self.areas.get(area, {}))

    def mark(self) -> dict[str, dict[str, Element]]:
        """Return a snapshot for `restore` to undo later changes."""
        return {area: dict(trees) for area, trees in self.areas.items()}

    def restore(self, mark: dict[str, dict[str, Element]]) -> None:
        """Undo all changes since a mark."""
        self.areas = mark


class Agenda:
    """Timers by the time at which they are due. The clock stands still until the owner moves it."""

    def __init__(self) -> None:
        self.now = 0.0
        self._queue: list[tuple[float, int, str, str]] = []
        #: Address and key to the number of the valid entry; entries that were replaced stay in the queue until due.
        self._valid: dict[tuple[str, str], int] = {}
        self._number = 0

    def set(self, timer: Timer) -> None:
        """Add a timer."""
        self._number += 1
        self._valid[timer.address, timer.key] = self._number
        heapq.heappush(self._queue, (self.now + max(0.0, timer.delay), self._number, timer.address, timer.key))

    def cancel(self, address: str, key: str) -> None:
        """Remove a timer; one that is not set is no error."""
        self._valid.pop((address, key), None)

    def is_set(self, address: str, key: str) -> bool:
        """Return whether a timer waits."""
        return (address, key) in self._valid

    def is_due(self) -> bool:
        """Return whether a timer may be due now. Needs no lock: the answer may be too late, never wrong."""
        queue = self._queue
        return bool(queue) and queue[0][0] <= self.now

    def next_due(self, until: float) -> tuple[str, str] | None:
        """Return address and key of the next timer due by a time, and move the clock to it; None if there is none."""
        while self._queue and self._queue[0][0] <= until:
            due, number, address, key = heapq.heappop(self._queue)
            if self._valid.get((address, key)) == number:
                del self._valid[address, key]
                self.now = max(self.now, due)
                return address, key
        return None

    def mark(self) -> tuple[float, list[tuple[float, int, str, str]], dict[tuple[str, str], int]]:
        """Return a snapshot for `restore` to undo later changes."""
        return self.now, list(self._queue), dict(self._valid)

    def restore(self, mark: tuple[float, list[tuple[float, int, str, str]], dict[tuple[str, str], int]]) -> None:
        """Undo all changes since a mark."""
        self.now, self._queue, self._valid = mark
