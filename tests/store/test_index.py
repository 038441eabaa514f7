"""Index entries, buckets, and entries that wait."""

from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.store.chunk import NO_ID
from flintmq.store.index import (
    BUCKET_ENTRIES,
    RANGES,
    WaitingIndex,
    change_bucket,
    decode_bucket,
    encode_bucket,
    hashes_of,
    reference,
    references_in,
    split_bucket,
    split_reference,
)

entries = st.lists(st.binary(min_size=12, max_size=12), max_size=40, unique=True)


@given(st.integers(0, 9), st.integers(0, (1 << 60) - 1), st.integers(0, 9), st.integers(0, (1 << 60) - 1))
def test_references_sort_in_the_order_of_delivery(lane: int, first: int, other_lane: int, other_first: int) -> None:
    one, other = reference(lane, first), reference(other_lane, other_first)
    assert split_reference(one) == (lane, first)
    assert (one < other) == ((-lane, first) < (-other_lane, other_first))


def test_hashes_are_taken_once_and_not_of_zeros() -> None:
    assert hashes_of([NO_ID, NO_ID]) == []
    assert len(hashes_of([b"a" * 24, b"b" * 24, b"a" * 24, NO_ID])) == 2


@given(entries, entries, entries)
def test_a_bucket_changes_as_a_set_does(there: list[bytes], added: list[bytes], removed: list[bytes]) -> None:
    after = change_bucket(b"".join(there), added, removed, True)
    rows = [after[at : at + 12] for at in range(0, len(after), 12)]
    assert len(rows) == len(set(rows))
    assert set(rows) == (set(there) - set(removed)) | set(added)
    for row in rows:
        assert row[4:] in references_in(after, row[:4])


def test_a_bucket_is_split_in_order() -> None:
    rows = [bytes([255 - number % 256, number // 256]) + bytes(10) for number in range(BUCKET_ENTRIES + 1)]
    pieces = split_bucket(b"".join(rows))
    assert len(pieces) == 2
    assert b"".join(piece for _, piece in pieces) == b"".join(sorted(rows))
    assert all(piece.startswith(low) for low, piece in pieces)


def test_a_damaged_bucket_is_none() -> None:
    value = encode_bucket(b"abcdefghijkl" * 3)
    assert decode_bucket(value) == b"abcdefghijkl" * 3
    for at in range(len(value)):
        if at not in (6, 7):  # reserved
            assert decode_bucket(value[:at] + bytes([value[at] ^ 4]) + value[at + 1 :]) is None
        assert decode_bucket(value[:at]) is None


changes = st.lists(
    st.tuples(st.sampled_from(["add", "remove", "flush"]), st.integers(0, 3), st.integers(0, 7), st.integers(0, 3)),
    max_size=60,
)


@settings(max_examples=300)
@given(changes)
def test_buckets_and_waiting_entries_together_are_the_index(history: list[tuple[str, int, int, int]]) -> None:
    """X1, X2: whatever waits and whatever has been written."""
    waiting = WaitingIndex(1000)
    stored: set[tuple[bytes, bytes]] = set()
    model: set[tuple[int, int, bytes]] = set()
    for apply, (what, queue, number, chunk) in enumerate(history, 1):
        number = number << 29 | 5
        named = reference(5, chunk)
        if what == "add" and (queue, number, named) not in model:  # A chunk is removed before it is added again.
            waiting.add(queue, [number], named)
            model.add((queue, number, named))
        elif what == "remove" and (queue, number, named) in model:
            waiting.remove(queue, [number], named)
            model.discard((queue, number, named))
        elif what == "flush":
            for _ in range(20):
                moved = waiting.take_range(apply)
                for place in moved.removed:
                    stored.discard(place)
                if not moved.check:
                    assert not stored.intersection(moved.added)
                stored.update(moved.added)
        for key in {(queue, number) for queue, number, _ in model} | {(queue, number)}:
            there = [
                entry[4:]
                for packed, entry in stored
                if packed == key[0].to_bytes(4, "big") and entry[:4] == key[1].to_bytes(4, "big")
            ]
            expected = sorted(named for queue, number, named in model if (queue, number) == key)
            assert waiting.lookup(key[0], key[1], there) == expected
    for _ in range(RANGES):
        waiting.take_range(len(history) + 1)
    assert waiting.waiting == 0


def test_a_note_is_done_when_all_ranges_have_been_written_since() -> None:
    """X3."""
    waiting = WaitingIndex(1000)
    waiting.add(1, [0, 63 << 26], reference(5, 1))
    waiting.note(1, 2)
    waiting.add(1, [1], reference(5, 2))
    waiting.note(2, 1)
    assert waiting.take_notes_done(2) == []
    waiting.take_range(3)
    assert waiting.take_notes_done(3) == [] or waiting.waiting == 1
    for _ in range(62):
        waiting.take_range(4)
    assert waiting.take_notes_done(4) == []
    waiting.take_range(5)
    assert waiting.take_notes_done(5) == [1, 2]


def test_when_ranges_were_written_survives() -> None:
    waiting = WaitingIndex(10)
    for number in range(7):
        waiting.take_range(number + 3)
    again = WaitingIndex(10)
    assert again.restore_ranges(waiting.pack_ranges()) == 9
    hashes = [number << 26 for number in range(RANGES)]
    assert again.unwritten(hashes, 5) == [number << 26 for number in range(RANGES) if not 2 <= number < 7]
    assert again.restore_ranges(b"garbage") == 0
