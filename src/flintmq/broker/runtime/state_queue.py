"""State of flows and timers on a queue: they become so with the unit of work of the message, or not at all.

Aggregations, collections and timer requests outlive a message. Each of them is one persistent message on the state
queue of the execution group; the body is

    {"kind": "tree" | "timer", "area": ..., "key": ..., "due": seconds since 1970, "tree": mxml}

`StateQueue` has them all in memory, read once by browsing. `StateUnit` collects the changes of one unit of work. Before
the commit it gets the old messages and puts the new ones in that unit of work; after the commit, memory follows.

S1  Memory holds the state that is committed on the queue, nothing else.
S2  A unit that reads or changes state holds the lock until it ends: two instances never work from the same old state.
S3  A key has at most one message. If a crash of an older version left two, the newer one counts.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.services import Put
from flintmq.broker.flow.state import StateStore, Timer
from flintmq.broker.runtime.queue_session import QueueSession
from flintmq.broker.tree.assembly import Assembly
from flintmq.broker.tree.element import Element, copy_element
from flintmq.broker.tree.mxml import read_mxml, write_mxml
from flintmq.broker.tree.types import NAME
from flintmq.mqi.md import MQMD

TREE: Final = "tree"
TIMER: Final = "timer"
_PERSISTENT: Final = 1

#: kind, area, key. The area of a timer is its address.
Key = tuple[str, str, str]


@dataclass(slots=True)
class Entry:
    """A tree or a timer, and the message that holds it."""

    tree: Element | None = None
    due: float = 0.0
    #: The message that holds it.
    message_id: bytes = b""


def packed(key: Key, entry: Entry) -> bytes:
    """Return the body of the message of an entry."""
    kind, area, name = key
    body: dict[str, object] = {"kind": kind, "area": area, "key": name}
    if kind == TIMER:
        body["due"] = entry.due
    else:
        body["tree"] = _write_tree(entry.tree).decode("utf-8")
    return json.dumps(body).encode("utf-8")


def unpacked(data: bytes) -> tuple[Key, Entry]:
    """Return key and entry of a message. Raise ValueError if it is none of ours."""
    try:
        body = json.loads(data)
        key = (str(body["kind"]), str(body["area"]), str(body["key"]))
        if key[0] == TIMER:
            return key, Entry(due=float(body["due"]))
        return key, Entry(_read_tree(str(body["tree"]).encode("utf-8")))
    except (KeyError, TypeError, BrokerError) as error:
        raise ValueError(f"a message of the state queue cannot be read: {error}") from error


def _write_tree(tree: Element | None) -> bytes:
    holder = Element("Environment", None, NAME)
    if tree is not None:
        holder.append(copy_element(tree))
    return write_mxml(Assembly(Element("Root", None, NAME), Element("LocalEnvironment", None, NAME), holder))


def _read_tree(data: bytes) -> Element:
    holder = read_mxml(data).parts.get("environment")
    found = None if holder is None else holder.first_child()
    if found is None:
        raise ValueError("the message of the state queue has no tree")
    return found.detach()


class StateQueue:
    """Committed state of the flows of a worker."""

    def __init__(self, queue: str) -> None:
        self.queue = queue
        self.entries: dict[Key, Entry] = {}
        self.lock = threading.RLock()
        #: Set when a timer was set or removed.
        self.timers_changed = threading.Event()

    def load(self, session: QueueSession) -> list[str]:
        """Read the queue; return the messages that could not be read, a line each."""
        problems: list[str] = []
        for md, data in _browse(session, self.queue):
            try:
                key, entry = unpacked(data)
            except ValueError as error:
                problems.append(f"{self.queue}: message {md.msg_id.hex()}: {error}")
                continue
            entry.message_id = md.msg_id
            self.entries[key] = entry
        return problems

    def next_timer(self, addresses: Collection[str]) -> tuple[float, str, str] | None:
        """Return due time, address and key of the timer that is due first, of those for some addresses.

        A timer of a flow that is stopped waits until the flow runs again.
        """
        with self.lock:
            return min(
                (
                    (entry.due, area, key)
                    for (kind, area, key), entry in self.entries.items()
                    if kind == TIMER and area in addresses
                ),
                default=None,
            )


def _browse(session: QueueSession, queue: str) -> Iterator[tuple[MQMD, bytes]]:
    for message in session.connection.queue(queue).browse():
        md = MQMD()
        md.msg_id = message.message_id
        yield md, message.data


class StateUnit:
    """State as one unit of work sees it. The services of an instance have one."""

    def __init__(self, state: StateQueue, session: QueueSession) -> None:
        self._state = state
        self._session = session
        self._changes: dict[Key, Entry | None] = {}
        self._locked = False
        self.store: StateStore = _UnitStore(self)

    # Timers.

    def set_timer(self, timer: Timer) -> None:
        """Set a timer in place of one with the same address and key."""
        self.change((TIMER, timer.address, timer.key), Entry(due=time.time() + max(0.0, timer.delay)))

    def cancel_timer(self, address: str, key: str) -> None:
        """Remove a timer; one that is not set is no error."""
        if self.timer_is_set(address, key):
            self.change((TIMER, address, key), None)

    def timer_is_set(self, address: str, key: str) -> bool:
        """Return whether a timer waits."""
        return self.find((TIMER, address, key)) is not None

    # Entries.

    def find(self, key: Key) -> Entry | None:
        """Return an entry as this unit sees it."""
        self._lock()
        return self._changes[key] if key in self._changes else self._state.entries.get(key)

    def change(self, key: Key, entry: Entry | None) -> None:
        """Put an entry in place of the one before; None removes it."""
        self._lock()
        self._changes[key] = entry

    def keys(self, kind: str, area: str) -> list[str]:
        """Return the keys of an area, the oldest first."""
        self._lock()
        found = [name for (of, where, name) in self._state.entries if of == kind and where == area]
        changed = {name: entry for (of, where, name), entry in self._changes.items() if of == kind and where == area}
        return [name for name in found if changed.get(name, True) is not None] + [
            name for name, entry in changed.items() if entry is not None and name not in found
        ]

    def _lock(self) -> None:
        if not self._locked:
            self._state.lock.acquire()
            self._locked = True

    # Ends.

    @property
    def is_used(self) -> bool:
        """Return whether this unit of work has looked at state, or changed it."""
        return self._locked

    def flush(self) -> None:
        """Write the changes to the queue, in the unit of work of the session. Raise MQError."""
        for key, entry in self._changes.items():
            before = self._state.entries.get(key)
            if before is not None:
                self._session.get_from(self._state.queue, 0, before.message_id, None, True, False)
            if entry is None:
                continue
            md = MQMD()
            md.persistence = _PERSISTENT
            put = Put("", self._state.queue, "", md, packed(key, entry), _NO_TREE, True, True, context="default")
            entry.message_id = self._session.put(put).message_id

    def committed(self) -> None:
        """Make the changes known: the unit of work was committed."""
        for key, entry in self._changes.items():
            if entry is None:
                self._state.entries.pop(key, None)
            else:
                self._state.entries[key] = entry
        if any(key[0] == TIMER for key in self._changes):
            self._state.timers_changed.set()
        self.drop()

    def drop(self) -> None:
        """Forget the changes: the unit of work was backed out, or had none."""
        self._changes.clear()
        if self._locked:
            self._locked = False
            self._state.lock.release()


class _UnitStore:
    """The StateStore of a unit."""

    def __init__(self, unit: StateUnit) -> None:
        self._unit = unit

    def get(self, area: str, key: str) -> Element | None:
        found = self._unit.find((TREE, area, key))
        return None if found is None else found.tree

    def put(self, area: str, key: str, tree: Element) -> None:
        self._unit.change((TREE, area, key), Entry(tree))

    def delete(self, area: str, key: str) -> None:
        if self._unit.find((TREE, area, key)) is not None:
            self._unit.change((TREE, area, key), None)

    def keys(self, area: str) -> list[str]:
        return self._unit.keys(TREE, area)


_NO_TREE: Final = Element("Root", None, NAME)
