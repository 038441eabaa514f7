"""The layout of a chunk."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.store.chunk import (
    CHUNK_BYTES,
    CHUNK_MESSAGES,
    INDEX_CORREL_ID,
    INDEX_KEYS,
    INDEX_MSG_ID,
    INDEX_NONE,
    NO_ID,
    Slot,
    chunk_count,
    chunk_key,
    chunk_last,
    encode_chunk,
    split_into_chunks,
    split_key,
    whole_chunk,
)
from flintmq.store.errors import PageSetDamaged

ids = st.binary(min_size=24, max_size=24)


@st.composite
def slot_lists(draw: st.DrawFn) -> list[Slot]:
    sequences = sorted(draw(st.sets(st.integers(0, 1 << 50), min_size=1, max_size=20)))
    return [
        Slot(each, draw(ids), draw(ids), draw(st.integers(0, 1 << 60)), draw(st.binary(max_size=60)))
        for each in sequences
    ]


@given(slot_lists(), st.integers(0, 9), st.integers(0, (1 << 32) - 1))
def test_a_chunk_gives_back_what_was_put_in(slots: list[Slot], lane: int, queue: int) -> None:
    value = encode_chunk(queue, lane, slots)
    key = chunk_key(queue, lane, slots[0].sequence)
    chunk = whole_chunk("x", key, value, 0)

    assert (chunk.queue, chunk.lane, chunk.count) == (queue, lane, len(slots))
    assert (chunk.first, chunk.last) == (slots[0].sequence, slots[-1].sequence)
    assert (chunk_count(value), chunk_last(value)) == (chunk.count, chunk.last)
    assert split_key(key) == (queue, lane, slots[0].sequence)
    assert chunk.sequences() == [slot.sequence for slot in slots]
    for i, slot in enumerate(slots):
        assert chunk.record(i) == slot.record
        assert (chunk.msg_id(i), chunk.correl_id(i)) == (slot.msg_id, slot.correl_id)
        assert chunk.expires(i) == slot.expires
        assert chunk.slot_of(slot.sequence) == i
        assert chunk.find_msg_id(slot.msg_id) <= i
    assert [slot.record for slot in chunk.slots()] == [slot.record for slot in slots]


def test_the_layout_is_the_one_in_the_docstring() -> None:
    """A change of these bytes needs a new version."""
    slot = Slot(7, b"M" * 24, b"C" * 24, 1234, b"record", 4, True)

    assert (
        encode_chunk(3, 5, [slot], [b"C" * 24]).hex()
        == (
            "464c4348"
            "93282e29"
            "0200"
            "02"
            "05"
            "01000000"
            "7c000000"
            "82000000"
            "03000000"
            "00000000"
            "0700000000000000" + "0700000000000000" + "0700000000000000" + "06000000" + "d4ac9679" + "d204000000000000"
            "04000080"
        )
        + (b"M" * 24 + b"C" * 24 + b"record").hex()
    )


#: A chunk of version 1, which had no lengths: what encode_chunk made of Slot(7, M..., C..., 1234, b"record") then.
VERSION_1 = bytes.fromhex(
    "464c4348234dac3e0100020501000000780000007e0000000300000000000000"
    "07000000000000000700000000000000070000000000000006000000d4ac9679d204000000000000"
) + (b"M" * 24 + b"C" * 24 + b"record")


def test_a_chunk_of_version_1_is_still_read() -> None:
    """It does not say how long the data is, nor whether a report is wanted."""
    chunk = whole_chunk("x", chunk_key(3, 5, 7), VERSION_1, 0)

    assert (chunk.expires(0), chunk.expiries(), chunk.record(0)) == (1234, [1234], b"record")
    assert (chunk.msg_id(0), chunk.correl_id(0), chunk.index_key(0)) == (b"M" * 24, b"C" * 24, b"C" * 24)
    assert (chunk.has_lengths, chunk.data_length(0), chunk.wants_report(0)) == (False, -1, True)
    (slot,) = chunk.slots()
    assert (slot.sequence, slot.record, slot.length, slot.report) == (7, b"record", 0, False)


def test_the_tables_say_how_long_the_data_is_and_whether_a_report_is_wanted() -> None:
    """B103: what is needed to expire a message."""
    slots = [Slot(1, NO_ID, NO_ID, 0, b"r1", 104_857_600), Slot(4, NO_ID, NO_ID, 77, b"r2", 5, True)]
    chunk = whole_chunk("x", chunk_key(1, 0, 1), encode_chunk(1, 0, slots), 0)

    assert [chunk.data_length(slot) for slot in (0, 1)] == [104_857_600, 5]
    assert [chunk.wants_report(slot) for slot in (0, 1)] == [False, True]
    assert chunk.expiries() == [0, 77]
    assert [(slot.length, slot.report) for slot in chunk.slots()] == [(104_857_600, False), (5, True)]


def test_an_id_is_found_only_at_its_own_place() -> None:
    """The bytes of an id that straddle two others do not count."""
    slots = [
        Slot(1, b"ab" * 12, NO_ID, 0, b""),
        Slot(2, b"ab" * 12, b"x" * 24, 0, b""),
        Slot(3, b"ba" * 12, NO_ID, 0, b""),
    ]
    chunk = whole_chunk("x", chunk_key(1, 0, 1), encode_chunk(1, 0, slots), 0)

    assert chunk.find_msg_id(b"ba" * 12) == 2
    assert chunk.find_msg_id(b"ab" * 12) == 0
    assert chunk.find_msg_id(b"ab" * 12, 1) == 1
    assert chunk.find_msg_id(b"ab" * 12, 2) == -1
    assert chunk.find_correl_id(b"x" * 24) == 1
    assert chunk.find_correl_id(b"y" * 24) == -1


def test_index_keys_take_room_only_when_they_are_no_ids() -> None:
    slots = [Slot(i, bytes([i]) * 24, bytes([i + 50]) * 24, 0, b"r") for i in range(1, 5)]
    plain = len(encode_chunk(1, 0, slots))
    expected = [
        (None, INDEX_NONE, 0),
        ([slot.msg_id for slot in slots], INDEX_MSG_ID, 0),
        ([slot.correl_id for slot in slots], INDEX_CORREL_ID, 0),
        ([b"g" * 24] * 4, INDEX_KEYS, 4 * 24),
    ]
    for keys, kind, more in expected:
        value = encode_chunk(1, 0, slots, keys)
        chunk = whole_chunk("x", chunk_key(1, 0, 1), value, 0)
        assert (chunk.index, len(value)) == (kind, plain + more)
        assert chunk.index_keys() == (keys or [])
        assert chunk.find_index_key(keys[2] if keys else NO_ID) == (-1 if keys is None else 0 if more else 2)


def test_dead_slots_are_told_apart() -> None:
    slots = [Slot(10 * i, bytes(24), NO_ID, 0, b"%d" % i) for i in range(1, 5)]
    chunk = whole_chunk("x", chunk_key(1, 0, 10), encode_chunk(1, 0, slots), 0b0101)

    assert chunk.dead == {10, 30}
    assert [chunk.is_dead(slot) for slot in range(4)] == [True, False, True, False]
    assert [slot.sequence for slot in chunk.slots()] == [20, 40]
    assert chunk.live_count() == 2
    assert chunk.bits_of([20, 25, 40, 400]) == 0b1010
    assert chunk.record(0) == b"1"  # A dead record can still be read: a browse cursor may stand on it.


def test_chunks_are_cut_by_size_and_by_number(make_slots: object) -> None:
    def sizes(slots: list[Slot]) -> list[int]:
        return [len(chunk) for chunk in split_into_chunks(slots)]

    assert sizes([Slot(i, NO_ID, NO_ID, 0, b"") for i in range(300)]) == [CHUNK_MESSAGES, CHUNK_MESSAGES, 44]
    assert sizes([Slot(i, NO_ID, NO_ID, 0, bytes(CHUNK_BYTES // 2)) for i in range(5)]) == [2, 2, 1]
    assert sizes([Slot(i, NO_ID, NO_ID, 0, bytes(5_000_000 if i == 1 else 10)) for i in range(4)]) == [1, 1, 2]
    assert sizes([]) == []


@pytest.mark.parametrize(
    ("slots", "keys"),
    [
        ([], None),
        ([Slot(2, NO_ID, NO_ID, 0, b""), Slot(2, NO_ID, NO_ID, 0, b"")], None),
        ([Slot(2, b"short", NO_ID, 0, b"")], None),
        ([Slot(2, NO_ID, NO_ID, 0, b"")], []),
        ([Slot(2, NO_ID, NO_ID, 0, b"")], [b"short"]),
    ],
)
def test_what_is_no_chunk_is_refused(slots: list[Slot], keys: list[bytes] | None) -> None:
    with pytest.raises(ValueError, match="chunk|24 bytes|index keys"):
        encode_chunk(1, 1, slots, keys)


def test_any_flipped_bit_is_noticed_when_it_is_read() -> None:
    """Tables when the chunk is opened, a record when it is read; never a wrong answer."""
    slots = [Slot(i, bytes([i]) * 24, NO_ID, 0, b"record %d" % i) for i in range(1, 9)]
    key = chunk_key(1, 5, 1)
    value = encode_chunk(1, 5, slots)
    seed = random.Random(7)
    for at in range(len(value)):
        damaged = bytearray(value)
        damaged[at] ^= 1 << seed.randrange(8)
        with pytest.raises(PageSetDamaged, match="queue 1, lane 5, sequence 1"):
            whole_chunk("file", key, bytes(damaged), 0).slots()


@given(st.binary(max_size=300))
def test_garbage_is_damage(garbage: bytes) -> None:
    for value in (garbage, b"FLCH" + garbage):
        with pytest.raises(PageSetDamaged):
            whole_chunk("file", chunk_key(1, 5, 1), value, 0)


def test_a_chunk_under_a_wrong_key_is_damage() -> None:
    value = encode_chunk(1, 5, [Slot(1, NO_ID, NO_ID, 0, b"")])
    with pytest.raises(PageSetDamaged, match="belongs to queue 1, lane 5, sequence 1"):
        whole_chunk("file", chunk_key(2, 5, 1), value, 0)
