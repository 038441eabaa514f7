"""What a simulated power failure leaves of a page set in memory."""

from collections.abc import Callable

import pytest

from flintmq.store.chunk import Slot
from flintmq.store.memory_pageset import MemoryPageSet
from flintmq.store.pageset import PageSetBatch

Make = Callable[..., list[Slot]]


def messages(page_set: MemoryPageSet) -> int:
    return sum(state[4] for state in page_set.lanes(1))


def add(page_set: MemoryPageSet, slots: list[Slot], sync: bool, volatile: bool = False) -> None:
    batch = PageSetBatch()
    batch.add_chunk(volatile, 1, 5, slots)
    page_set.apply(batch, sync)


def test_a_power_failure_takes_unsynced_batches_from_the_new_end(make_slots: Make) -> None:
    page_set = MemoryPageSet(simulate=True)
    add(page_set, make_slots(0, 1), True)
    add(page_set, make_slots(10, 2), False)
    add(page_set, make_slots(20, 4), False)
    add(page_set, make_slots(30, 8), False, volatile=True)

    assert page_set.unsynced == 3
    assert [messages(page_set.crash(lose)) for lose in (0, 1, 2, 3, 99)] == [7, 7, 3, 1, 1]
    assert messages(page_set) == 15
    page_set.sync()
    assert messages(page_set.crash(99)) == 7


def test_a_failed_sync_leaves_the_batch_applied_but_not_safe(make_slots: Make) -> None:
    page_set = MemoryPageSet(simulate=True)

    def fail(operation: str) -> None:
        if operation == "sync":
            raise OSError("power failure")

    page_set.before_io = fail
    with pytest.raises(OSError, match="power"):
        add(page_set, make_slots(0, 1), True)
    assert [messages(page_set.crash(lose)) for lose in (0, 1)] == [1, 0]


def test_the_survivor_lives_on_alone(make_slots: Make) -> None:
    page_set = MemoryPageSet(simulate=True)
    add(page_set, make_slots(0, 4), True)
    survivor = page_set.crash(0)
    batch = PageSetBatch()
    batch.kill(False, 1, 5, 0, [1])
    survivor.apply(batch, True)
    assert (messages(page_set), messages(survivor), messages(survivor.crash(0))) == (4, 3, 3)
