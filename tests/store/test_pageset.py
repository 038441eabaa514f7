"""The contract of a page set, on every implementation."""

from collections.abc import Callable

import pytest

from flintmq.store.check import check_page_set
from flintmq.store.chunk import NO_ID, Slot, split_into_chunks
from flintmq.store.errors import ChunkGone
from flintmq.store.expiry import START, place_of
from flintmq.store.pageset import PageSet, PageSetBatch

Make = Callable[..., list[Slot]]
Add = Callable[..., None]
Key = Callable[[int], bytes]


def records(page_set: PageSet, queue: int = 1, lane: int = 5, volatile: bool = False) -> list[bytes]:
    found: list[bytes] = []
    chunk = page_set.chunk_at(volatile, queue, lane, 0)
    while chunk is not None:
        found += [slot.record for slot in chunk.slots()]
        chunk = page_set.chunk_at(volatile, queue, lane, chunk.last + 1)
    return found


def kill(page_set: PageSet, first: int, sequences: list[int], queue: int = 1, volatile: bool = False) -> None:
    batch = PageSetBatch()
    batch.kill(volatile, queue, 5, first, sequences)
    page_set.apply(batch, False)


def test_an_empty_page_set_has_nothing(page_set: PageSet) -> None:
    assert page_set.queues() == []
    assert page_set.lanes(1) == []
    assert page_set.chunk(False, 1, 5, 0) is None
    assert page_set.chunk_at(True, 1, 5, 0) is None
    assert page_set.lookup(False, 1, b"x" * 24) == []
    assert page_set.expiring(False, 1 << 60, START, 9) == page_set.expiring(True, 1 << 60, START, 9) == []
    assert page_set.meta(b"x") is None
    assert page_set.meta_items(b"") == []
    assert page_set.statistics().messages == 0
    page_set.apply(PageSetBatch(), True)
    page_set.sync()
    page_set.trim()


def test_messages_come_back_in_the_order_of_their_sequences(page_set: PageSet, make_slots: Make, add: Add) -> None:
    """Whatever the order of the batches; large messages are chunks of their own."""
    slots = make_slots(1000, 300) + make_slots(1300, 3, 200_000) + make_slots(1303, 50)
    for chunk in reversed(split_into_chunks(slots)):
        add(page_set, chunk)

    assert records(page_set) == [slot.record for slot in slots]
    assert page_set.lanes(1) == [(False, 5, 1000, 1352, 353)]
    check_page_set(page_set)


def test_queues_lanes_and_parts_are_apart(page_set: PageSet, make_slots: Make, add: Add) -> None:
    add(page_set, make_slots(1, 2), queue=1, lane=9)
    add(page_set, make_slots(1, 3), queue=1, lane=0)
    add(page_set, make_slots(1, 4), queue=1, lane=9, volatile=True)
    add(page_set, make_slots(1, 5), queue=2, lane=9)
    add(page_set, make_slots(1, 6), queue=2**32 - 1, lane=0)

    assert page_set.queues() == [1, 2, 2**32 - 1]
    assert page_set.lanes(1) == [(False, 0, 1, 3, 3), (False, 9, 1, 2, 2), (True, 9, 1, 4, 4)]
    assert page_set.lanes(2) == [(False, 9, 1, 5, 5)]
    assert page_set.lanes(2**32 - 1) == [(False, 0, 1, 6, 6)]
    assert len(records(page_set, 1, 9, volatile=True)) == 4
    assert page_set.statistics().messages == 20
    check_page_set(page_set)


def test_a_chunk_is_found_by_any_sequence_in_it_or_before_it(page_set: PageSet, make_slots: Make, add: Add) -> None:
    add(page_set, make_slots(10, 5))
    add(page_set, make_slots(100, 5))
    add(page_set, make_slots(3, 5), lane=4)
    add(page_set, make_slots(3, 5), lane=6)

    def first_at(sequence: int) -> int | None:
        chunk = page_set.chunk_at(False, 1, 5, sequence)
        return None if chunk is None else chunk.first

    assert [first_at(each) for each in (0, 9, 10, 14, 15, 99, 100, 104)] == [10, 10, 10, 10, 100, 100, 100, 100]
    assert first_at(105) is None


def test_a_chunk_with_gaps_in_its_sequences_is_found_by_them(page_set: PageSet, add: Add) -> None:
    slots = [Slot(each, NO_ID, NO_ID, 0, b"%d" % each) for each in (5, 9, 13)]
    add(page_set, slots)
    chunk = page_set.chunk_at(False, 1, 5, 10)

    assert chunk is not None and chunk.first == 5
    assert [chunk.slot_of(each) for each in (5, 9, 10, 13, 14)] == [0, 1, -1, 2, -1]
    kill(page_set, 5, [9, 10, 11, 12])
    assert page_set.lanes(1) == [(False, 5, 5, 13, 2)]
    kill(page_set, 5, [5, 13])
    assert page_set.queues() == []


def test_killed_slots_are_dead_and_an_empty_chunk_goes(page_set: PageSet, make_slots: Make, add: Add) -> None:
    add(page_set, make_slots(0, 4))
    add(page_set, make_slots(4, 4))

    kill(page_set, 0, [1, 2])
    chunk = page_set.chunk(False, 1, 5, 0)
    assert chunk is not None
    assert chunk.dead == {1, 2}
    assert page_set.lanes(1) == [(False, 5, 0, 7, 6)]

    kill(page_set, 0, [2, 3, 99])  # 2 is dead already, 99 never was.
    assert page_set.lanes(1) == [(False, 5, 0, 7, 5)]

    kill(page_set, 0, [0])
    assert page_set.chunk(False, 1, 5, 0) is None
    assert page_set.lanes(1) == [(False, 5, 4, 7, 4)]
    kill(page_set, 0, [0])  # A chunk that is gone.
    kill(page_set, 4, [4, 5, 6, 7])
    assert page_set.lanes(1) == []
    assert page_set.queues() == []
    check_page_set(page_set)


def test_a_batch_may_kill_what_it_adds(page_set: PageSet, make_slots: Make) -> None:
    batch = PageSetBatch()
    batch.add_chunk(False, 1, 5, make_slots(0, 4))
    batch.add_chunk(False, 1, 5, make_slots(4, 4))
    batch.kill(False, 1, 5, 0, [0])
    batch.kill(False, 1, 5, 0, [3])
    batch.kill(False, 1, 5, 4, [4, 5, 6, 7])
    assert not batch.is_empty()
    assert batch.messages == 8
    page_set.apply(batch, True)

    assert page_set.lanes(1) == [(False, 5, 0, 3, 2)]
    check_page_set(page_set)


def test_a_chunk_added_again_replaces_the_first_with_all_it_had(
    page_set: PageSet, make_slots: Make, add: Add, key24: Key
) -> None:
    add(page_set, make_slots(0, 4, correl=key24), indexed=True)
    kill(page_set, 0, [1])
    add(page_set, make_slots(0, 3, correl=lambda number: key24(number + 100)), indexed=True)

    assert page_set.lanes(1) == [(False, 5, 0, 2, 3)]
    assert page_set.lookup(False, 1, key24(0)) == []
    assert page_set.lookup(False, 1, key24(100)) == [(5, 0)]
    chunk = page_set.chunk(False, 1, 5, 0)
    assert chunk is not None
    assert chunk.dead == frozenset()
    check_page_set(page_set)


def test_adding_again_after_a_kill_in_one_batch_brings_the_messages_back(page_set: PageSet, make_slots: Make) -> None:
    batch = PageSetBatch()
    batch.add_chunk(False, 1, 5, make_slots(0, 4))
    batch.kill(False, 1, 5, 0, [0, 1, 2, 3])
    batch.add_chunk(False, 1, 5, make_slots(0, 4))
    page_set.apply(batch, False)

    assert page_set.lanes(1) == [(False, 5, 0, 3, 4)]


def test_lookup_names_the_chunks_in_the_order_of_delivery(
    page_set: PageSet, make_slots: Make, add: Add, key24: Key
) -> None:
    """Highest priority first, then by sequence; as many as are asked for."""
    same = key24(77)
    for lane, first in ((5, 100), (9, 200), (5, 0), (0, 300), (9, 40)):
        add(page_set, make_slots(first, 3, correl=lambda number: same), lane=lane, indexed=True)
    add(page_set, make_slots(0, 3, correl=lambda number: same), queue=2, indexed=True)
    add(page_set, make_slots(0, 3, correl=lambda number: same), volatile=True, indexed=True)
    add(page_set, make_slots(600, 3, correl=lambda number: same))  # not indexed

    assert page_set.lookup(False, 1, same) == [(9, 40), (9, 200), (5, 0), (5, 100), (0, 300)]
    assert page_set.lookup(False, 1, same, 2) == [(9, 40), (9, 200)]
    assert page_set.lookup(True, 1, same) == [(5, 0)]
    assert page_set.lookup(False, 2, same) == [(5, 0)]
    assert page_set.lookup(False, 3, same) == []
    kill(page_set, 0, [0, 1, 2])
    assert page_set.lookup(False, 1, same, 4) == [(9, 40), (9, 200), (5, 100), (0, 300)]


def test_a_key_of_zeros_is_not_indexed(page_set: PageSet, make_slots: Make, add: Add) -> None:
    add(page_set, make_slots(0, 3), indexed=True)
    assert page_set.lookup(False, 1, NO_ID) == []


def test_messages_can_be_indexed_by_msg_id_or_by_another_key(page_set: PageSet, make_slots: Make, key24: Key) -> None:
    slots = make_slots(0, 4)
    batch = PageSetBatch()
    batch.add_chunk(False, 1, 5, slots, [slot.msg_id for slot in slots])
    batch.add_chunk(False, 2, 5, slots, [key24(i // 2) for i in range(4)])
    page_set.apply(batch, False)

    assert page_set.lookup(False, 1, slots[3].msg_id) == [(5, 0)]
    assert page_set.lookup(False, 2, key24(1)) == [(5, 0)]
    chunk = page_set.chunk(False, 2, 5, 0)
    assert chunk is not None
    assert chunk.find_index_key(key24(1)) == 2
    kill(page_set, 0, [0, 1, 2, 3], queue=2)
    assert page_set.lookup(False, 2, key24(1)) == []


def test_many_index_entries_are_found_while_they_wait_and_after(
    page_set: PageSet, make_slots: Make, add: Add, key24: Key
) -> None:
    """Enough to fill, split and empty buckets."""
    for first in range(0, 3000, 50):
        add(page_set, make_slots(first, 50, 10, key24), indexed=True)
    for number in range(0, 3000, 7):
        assert page_set.lookup(False, 1, key24(number)) == [(5, number // 50 * 50)]
    for first in range(0, 2900, 50):
        kill(page_set, first, list(range(first, first + 50)))
    for number in range(0, 3000, 7):
        assert page_set.lookup(False, 1, key24(number)) == ([(5, number // 50 * 50)] if number >= 2900 else [])
    check_page_set(page_set)


def test_one_key_in_very_many_chunks(page_set: PageSet, make_slots: Make, key24: Key) -> None:
    same = key24(5)
    for start in range(0, 4000, 400):
        batch = PageSetBatch()
        for first in range(start, start + 400):
            batch.add_chunk(False, 1, 5, make_slots(first, 1, 10, lambda number: same), [same])
        page_set.apply(batch, False)

    assert page_set.lookup(False, 1, same, 3) == [(5, 0), (5, 1), (5, 2)]
    assert page_set.lookup(False, 1, same) == [(5, first) for first in range(4000)]
    batch = PageSetBatch()
    for first in range(1000):
        batch.kill(False, 1, 5, first, [first])
    page_set.apply(batch, False)
    assert page_set.lookup(False, 1, same, 2) == [(5, 1000), (5, 1001)]


def test_dropping_a_queue_takes_everything_of_it(page_set: PageSet, make_slots: Make, add: Add, key24: Key) -> None:
    for queue in (1, 2, 3):
        for volatile in (False, True):
            for first in range(0, 600, 100):
                add(page_set, make_slots(first, 100, 10, key24), queue=queue, volatile=volatile, indexed=True)
    kill(page_set, 0, [5], queue=2)

    batch = PageSetBatch()
    batch.add_chunk(False, 2, 5, make_slots(0, 3))
    batch.kill(False, 2, 5, 100, [100])
    batch.drop_queue(2)
    page_set.apply(batch, False)

    assert page_set.queues() == [1, 3]
    assert page_set.lanes(2) == []
    assert page_set.lookup(False, 2, key24(5)) == []
    assert page_set.lookup(True, 2, key24(5)) == []
    assert page_set.lookup(False, 3, key24(5)) == [(5, 0)]
    assert page_set.lanes(1) == [(False, 5, 0, 599, 600), (True, 5, 0, 599, 600)]

    batch = PageSetBatch()
    batch.drop_queue(1)
    batch.add_chunk(False, 1, 5, make_slots(7, 3, 10, key24), [key24(7), key24(8), key24(9)])
    page_set.apply(batch, False)
    assert page_set.lanes(1) == [(False, 5, 7, 9, 3)]
    assert page_set.lookup(False, 1, key24(8)) == [(5, 7)]
    assert page_set.lookup(False, 1, key24(300)) == []
    check_page_set(page_set)


def test_meta_data_is_kept_by_key(page_set: PageSet) -> None:
    batch = PageSetBatch()
    for key in (b"queue:2", b"account", b"queue:1", b"queuf"):
        batch.put_meta(key, b"value of " + key)
    batch.put_meta(b"gone", b"x")
    batch.delete_meta(b"gone")
    batch.delete_meta(b"never there")
    batch.put_meta(b"large", bytes(100_000))
    page_set.apply(batch, False)

    assert page_set.meta(b"account") == b"value of account"
    assert page_set.meta(b"gone") is None
    assert page_set.meta(b"large") == bytes(100_000)
    assert [key for key, _ in page_set.meta_items(b"queue:")] == [b"queue:1", b"queue:2"]
    assert len(page_set.meta_items(b"")) == 5
    batch = PageSetBatch()
    batch.delete_meta(b"account")
    page_set.apply(batch, False)
    assert page_set.meta(b"account") is None


def test_the_volatile_part_is_empty_after_reopening_and_the_stable_part_is_not(
    kind: object, make_slots: Make, add: Add, key24: Key
) -> None:
    page_set = kind.make()  # type: ignore[attr-defined]
    add(page_set, make_slots(0, 60, 100, key24), indexed=True)
    add(page_set, make_slots(60, 500, 100, key24), indexed=True)
    add(page_set, make_slots(0, 4, 100, key24), volatile=True, indexed=True)
    kill(page_set, 0, [1])
    batch = PageSetBatch()
    batch.put_meta(b"m", b"v")
    page_set.apply(batch, True)

    for _ in range(2):
        page_set = kind.reopen(page_set)  # type: ignore[attr-defined]
        assert page_set.lanes(1) == [(False, 5, 0, 559, 559)]
        assert page_set.chunk(True, 1, 5, 0) is None
        assert page_set.lookup(True, 1, key24(0)) == []
        assert page_set.lookup(False, 1, key24(0)) == [(5, 0)]
        assert page_set.lookup(False, 1, key24(300)) == [(5, 60)]
        assert page_set.meta(b"m") == b"v"
        chunk = page_set.chunk(False, 1, 5, 0)
        assert chunk.dead == {1}
        check_page_set(page_set)


def test_a_chunk_that_is_kept_can_be_read_until_it_is_removed(page_set: PageSet, make_slots: Make, add: Add) -> None:
    slots = make_slots(0, 10, 5000)
    add(page_set, slots)
    chunk = page_set.chunk(False, 1, 5, 0)
    assert chunk is not None
    for first in range(10, 100, 10):
        add(page_set, make_slots(first, 10, 5000))
        kill(page_set, 0, [first // 10])
        page_set.trim()
        assert chunk.record(5) == slots[5].record
    add(page_set, make_slots(200, 10, 5000))
    assert [slot.record for slot in chunk.slots()] == [slot.record for slot in slots]


def test_a_chunk_that_was_removed_never_gives_a_wrong_record(kind: object, make_slots: Make, add: Add) -> None:
    """In a file its place may have been used again. In memory it simply lives on."""
    page_set = kind.make()  # type: ignore[attr-defined]
    slots = make_slots(0, 10, 5000)
    add(page_set, slots)
    replaced = page_set.chunk(False, 1, 5, 0)
    add(page_set, make_slots(0, 10, 5001))
    removed = page_set.chunk(False, 1, 5, 0)
    kill(page_set, 0, list(range(10)))
    for first in range(100, 200, 10):
        add(page_set, make_slots(first, 10, 5000))
    if kind.name == "memory":  # type: ignore[attr-defined]
        assert replaced.record(3) == slots[3].record
        return
    for chunk in (replaced, removed):
        with pytest.raises(ChunkGone):
            chunk.record(3)
        with pytest.raises(ChunkGone):
            chunk.slots()


@pytest.mark.parametrize(
    ("queue", "lane", "first"), [(-1, 5, 0), (2**32, 5, 0), (1, 10, 0), (1, -1, 0), (1, 5, -1), (1, 5, 2**60)]
)
def test_a_place_that_does_not_exist_is_refused(queue: int, lane: int, first: int) -> None:
    with pytest.raises(ValueError, match="no such place"):
        PageSetBatch().add_chunk(False, queue, lane, [Slot(first, NO_ID, NO_ID, 0, b"")])


def test_what_before_io_refuses_is_not_done(kind: object, make_slots: Make, add: Add) -> None:
    page_set = kind.make()  # type: ignore[attr-defined]
    seen: list[str] = []

    def refuse(operation: str) -> None:
        seen.append(operation)
        raise OSError("no")

    page_set.before_io = refuse
    with pytest.raises(OSError, match="no"):
        add(page_set, make_slots(0, 3))
    with pytest.raises(OSError, match="no"):
        page_set.sync()
    page_set.before_io = None
    assert seen == ["apply", "sync"]
    assert page_set.queues() == []


# -- chunks by expiry ------------------------------------------------------------------------------------------------


def expire(slots: list[Slot], *expiries: int) -> list[Slot]:
    """Give slots their expiries."""
    for slot, expires in zip(slots, expiries, strict=True):
        slot.expires = expires
    return slots


def due(page_set: PageSet, until: int, volatile: bool = False, limit: int = 99) -> list[tuple[int, int, int]]:
    return [place_of(entry) for entry in page_set.expiring(volatile, until, START, limit)]


def test_chunks_are_found_in_the_order_of_their_earliest_expiry(page_set: PageSet, make_slots: Make, add: Add) -> None:
    """To the second; a chunk that never expires is not there."""
    add(page_set, expire(make_slots(1, 3), 0, 9500, 5200))
    add(page_set, expire(make_slots(10, 2), 3000, 0), queue=2, lane=9)
    add(page_set, make_slots(20, 2))
    add(page_set, expire(make_slots(30, 1), 4000), volatile=True)

    assert due(page_set, 2999) == []
    assert due(page_set, 3000) == [(2, 9, 10)]
    assert due(page_set, 5200) == [(2, 9, 10), (1, 5, 1)]
    assert due(page_set, 1 << 60) == [(2, 9, 10), (1, 5, 1)]
    assert due(page_set, 1 << 60, limit=1) == [(2, 9, 10)]
    assert due(page_set, 4999, volatile=True) == [(1, 5, 30)]
    first = page_set.expiring(False, 1 << 60, START, 1)[0]
    assert [place_of(entry) for entry in page_set.expiring(False, 1 << 60, first, 9)] == [(1, 5, 1)]
    check_page_set(page_set)


def test_an_entry_by_expiry_moves_when_it_is_told_to_and_goes_with_its_chunk(
    page_set: PageSet, make_slots: Make, add: Add
) -> None:
    add(page_set, expire(make_slots(1, 3), 5000, 7000, 9000))
    add(page_set, expire(make_slots(10, 1), 8000))
    kill(page_set, 1, [1])
    assert due(page_set, 5000) == [(1, 5, 1)]

    batch = PageSetBatch()
    batch.kill(False, 1, 5, 1, [2])
    batch.set_expiry(False, 1, 5, 1, 9000)
    page_set.apply(batch, False)
    assert due(page_set, 1 << 60) == [(1, 5, 10), (1, 5, 1)]
    check_page_set(page_set)
    kill(page_set, 1, [3])
    assert due(page_set, 1 << 60) == [(1, 5, 10)]
    batch = PageSetBatch()
    batch.set_expiry(False, 1, 5, 1, 1000)
    batch.set_expiry(False, 1, 5, 10, 0)
    page_set.apply(batch, False)
    assert due(page_set, 1 << 60) == []


def test_a_chunk_added_again_has_only_its_new_entry_and_a_dropped_queue_has_none(
    page_set: PageSet, make_slots: Make, add: Add
) -> None:
    add(page_set, expire(make_slots(1, 2), 5000, 0))
    add(page_set, expire(make_slots(1, 2), 9000, 0))
    assert due(page_set, 8999) == [] and due(page_set, 9000) == [(1, 5, 1)]
    batch = PageSetBatch()
    batch.set_expiry(False, 1, 5, 1, 1000)
    batch.add_chunk(False, 1, 5, make_slots(1, 2))
    page_set.apply(batch, False)
    assert due(page_set, 1 << 60) == []

    add(page_set, expire(make_slots(1, 2), 5000, 0))
    add(page_set, expire(make_slots(1, 1), 6000), queue=2)
    batch = PageSetBatch()
    batch.set_expiry(False, 1, 5, 1, 1000)
    batch.drop_queue(1)
    page_set.apply(batch, False)
    assert due(page_set, 1 << 60) == [(2, 5, 1)]


def test_entries_by_expiry_are_there_after_reopening(kind: object, make_slots: Make, add: Add) -> None:
    page_set = kind.make()  # type: ignore[attr-defined]
    add(page_set, expire(make_slots(1, 2), 0, 5000))
    add(page_set, expire(make_slots(1, 2), 0, 5000), volatile=True)
    again = kind.reopen(page_set)  # type: ignore[attr-defined]

    assert due(again, 5000) == [(1, 5, 1)]
    assert due(again, 5000, volatile=True) == []
