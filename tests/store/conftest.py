"""Page sets for the tests of this room: every contract test runs on each implementation."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from flintmq.store.chunk import NO_ID, Slot
from flintmq.store.lmdb_pageset import LmdbPageSet
from flintmq.store.memory_pageset import MemoryPageSet
from flintmq.store.pageset import PageSet, PageSetBatch


class Kind:
    """One implementation: how to make a page set of it, and how to open it again."""

    def __init__(self, name: str, directory: Path) -> None:
        self.name = name
        self.directory = directory
        self.opened: list[PageSet] = []
        self.waiting_max = 200  # so few that the tests see buckets, splits and notes

    def make(self) -> PageSet:
        """An empty page set."""
        page_set: PageSet
        if self.name == "memory":
            page_set = MemoryPageSet(simulate=True)
        else:
            shutil.rmtree(self.directory, ignore_errors=True)
            page_set = LmdbPageSet(str(self.directory), waiting_max=self.waiting_max)
        self.opened.append(page_set)
        return page_set

    def reopen(self, page_set: PageSet) -> PageSet:
        """Close it in good order and open it again."""
        again: PageSet
        page_set.close()
        if isinstance(page_set, MemoryPageSet):
            again = page_set.reopen()
        else:
            again = LmdbPageSet(str(self.directory), waiting_max=self.waiting_max)
        self.opened.append(again)
        return again

    def close(self) -> None:
        for page_set in self.opened:
            page_set.close()
        self.opened = []


@pytest.fixture(params=["memory", "lmdb"])
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kind]:
    """Each implementation of PageSet."""
    one = Kind(request.param, tmp_path / "psid00")
    yield one
    one.close()


@pytest.fixture
def page_set(kind: Kind) -> PageSet:
    """An empty page set of each implementation."""
    return kind.make()


MakeSlots = Callable[..., list[Slot]]


@pytest.fixture
def make_slots() -> MakeSlots:
    """Slots with sequences from `first` on; the message is its sequence, repeated to `size` bytes."""

    def make(first: int, count: int, size: int = 100, correl: Callable[[int], bytes] | None = None) -> list[Slot]:
        slots = []
        for sequence in range(first, first + count):
            msg_id = b"AMQ TEST" + sequence.to_bytes(16, "big")
            correl_id = correl(sequence) if correl is not None else NO_ID
            record = (b"%d." % sequence * size)[:size]
            slots.append(Slot(sequence, msg_id, correl_id, 0, record))
        return slots

    return make


@pytest.fixture
def add() -> Callable[..., None]:
    """Apply one chunk."""

    def apply(page_set: PageSet, slots: list[Slot], **place: object) -> None:
        volatile = bool(place.get("volatile", False))
        queue = int(str(place.get("queue", 1)))
        lane = int(str(place.get("lane", 5)))
        batch = PageSetBatch()
        keys = [slot.correl_id for slot in slots] if place.get("indexed") else None
        batch.add_chunk(volatile, queue, lane, slots, keys)
        page_set.apply(batch, False)

    return apply


@pytest.fixture
def key24() -> Callable[[int], bytes]:
    """A 24-byte id for a number, spread like a random one."""

    def key(number: int) -> bytes:
        return ((number + 1) * 0x9E3779B97F4A7C15 % (1 << 64)).to_bytes(8, "big") + number.to_bytes(16, "big")

    return key
