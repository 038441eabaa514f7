"""Offsets of the source `mq`: sets of positions, and that every message is in one batch whatever happens around it."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.pipeline.sources.mq_offset import (
    Backlog,
    BadOffset,
    Member,
    Range,
    Seen,
    Taken,
    count_of,
    minus,
    planned,
    positions_of,
    ranges_of,
    read_offset,
    split,
    union,
    write_offset,
)

sets = st.sets(st.integers(1, 60))


@given(sets, sets)
def test_ranges_are_sets_of_positions(one: set[int], other: set[int]) -> None:
    a, b = ranges_of(sorted(one)), ranges_of(sorted(other))

    assert set(positions_of(a).tolist()) == one and count_of(a) == len(one)
    assert set(positions_of(union(a, b)).tolist()) == one | other
    assert set(positions_of(minus(a, b)).tolist()) == one - other
    member = Member(a)
    assert [member.has(number) for number in range(70)] == [number in one for number in range(70)]


@given(st.sets(st.integers(1, 60), min_size=1), st.integers(1, 9))
def test_a_split_keeps_every_position_and_parts_are_alike(positions: set[int], parts: int) -> None:
    made = split(ranges_of(sorted(positions)), parts)

    assert [number for part in made for number in positions_of(part).tolist()] == sorted(positions)
    sizes = [count_of(part) for part in made]
    assert max(sizes) - min(sizes) <= 1 and len(made) == min(parts, len(positions))


@given(st.lists(st.integers(1, 99), unique=True), sets, st.integers(1, 20), st.integers(1, 7))
def test_batches_of_a_backlog_have_what_was_there_and_not_taken(
    there: list[int], taken: set[int], room: int, chunk: int
) -> None:
    """S2, and S5: what stands at a taken position and was put after `newest` is a new message."""
    backlog = Backlog()
    start = Taken(ranges_of(sorted(taken)), [], "2026111612000000")
    for at in range(0, len(there), chunk):
        part = there[at : at + chunk]
        put_at = [b"2026111612000001" if number % 5 == 0 else b"2026111612000000" for number in part]
        backlog.see(np.array(part, dtype=np.int64), np.array(put_at, dtype="S16"))
    wanted = [number for number in there if number not in taken or number % 5 == 0]

    made: list[int] = []
    while (seen := backlog.cut(start, room)).positions:
        assert len(seen.positions) <= room
        assert seen.fifo == (seen.positions == sorted(seen.positions))
        assert seen.newest[-1:] == str(int(any(number % 5 == 0 for number in seen.positions)))
        made += seen.positions

    assert made == wanted


class Queue:
    """A queue as the source sees it: positions are given at put, and seen at commit."""

    def __init__(self) -> None:
        self.next = 1
        self.visible: set[int] = set()
        self.pending: list[int] = []

    def put(self) -> None:
        self.pending.append(self.next)
        self.next += 1

    def commit(self, chance: random.Random) -> None:
        chance.shuffle(self.pending)
        if self.pending:
            self.visible.add(self.pending.pop())

    def backout(self) -> None:
        if self.pending:
            self.pending.pop()


@pytest.mark.parametrize("seed", range(150))
def test_every_committed_message_is_in_one_batch_and_replays_are_equal(seed: int) -> None:
    """S1-S4: puts overtake each other, units back out, commits are left out, the driver dies at any step."""
    chance = random.Random(seed)
    queue = Queue()
    given: list[list[Range]] = []
    offset: dict[str, object] = {}
    removed: list[Range] = []
    committed: set[int] = set()
    for _ in range(60):
        for _ in range(chance.randrange(4)):
            queue.put()
        before = set(queue.visible)
        for _ in range(chance.randrange(4)):
            queue.commit(chance)
        if chance.random() < 0.1:
            queue.backout()
        committed |= queue.visible - before
        start = read_offset(json.loads(json.dumps(offset))).get("Q", Taken())
        known = Member(start.all())
        seen = Seen()
        for position in sorted(queue.visible):
            if not known.has(position) and len(seen.positions) < 3:
                seen.see([position], "2026")
        if not seen.positions:
            continue
        end = planned(start, removed, seen)
        assert set(positions_of(end.batch).tolist()) <= queue.visible
        if chance.random() < 0.7:  # Else the driver has died between the offset log and this commit.
            queue.visible -= set(positions_of(start.all()).tolist())
            removed = start.all()
        else:
            removed = []
        given.append(end.batch)
        offset = json.loads(json.dumps(write_offset({"Q": end})))
        assert read_offset(offset)["Q"].batch == end.batch
        assert set(positions_of(end.batch).tolist()) <= queue.visible, "S1: a replay finds what was planned"
    rows = [number for batch in given for number in positions_of(batch).tolist()]
    assert len(rows) == len(set(rows))
    last = read_offset(offset).get("Q", Taken())
    queue.visible -= set(positions_of(last.all()).tolist())
    assert set(rows) | queue.visible == committed and not set(rows) & queue.visible


def test_a_position_that_was_given_again_is_planned_again() -> None:
    """S5: the reader has not found what was there."""
    start = Taken([(1, 3)], [], "2026111612000000", True)
    seen = Seen()
    seen.see([2], "2026111612000100")

    end = planned(start, [(2, 2)], seen)

    assert end.batch == [(2, 2)] and end.left == [(1, 1), (3, 3)] and end.newest == "2026111612000100"


@pytest.mark.parametrize(
    "offset",
    [
        {"Q": 5},
        {"Q": {}},
        {"Q": {"batch": [[3, 1]], "left": [], "newest": "", "fifo": True}},
        {"Q": {"batch": [[1, 5], [4, 9]], "left": [], "newest": "", "fifo": True}},
        {"file.dat": "12"},
    ],
)
def test_an_offset_of_another_source_is_refused(offset: dict[str, object]) -> None:
    with pytest.raises(BadOffset, match="checkpoint has an offset that is not of the source mq"):
        read_offset(offset)
