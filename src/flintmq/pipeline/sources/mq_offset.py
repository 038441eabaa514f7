"""Offsets of the source `mq`: which positions of a queue belong to a micro-batch. No I/O is done here.

A position is the number that the queue manager gives a message when it is put; it is in the message's token. Numbers
grow, but a message is seen only when its unit of work is committed, so a low position may appear after a high one, and
a number that no reader sees may belong to a unit that was backed out. An offset therefore does not say "up to here". It
names positions:

    {"Q1": {"batch": [[5, 9], [12, 12]], "left": [[1, 4]], "newest": "2026111611451207", "fifo": true}}

    batch    the positions of this micro-batch, as ranges with both ends
    left     positions of earlier batches that may still be on the queue
    newest   the latest PutDate and PutTime of a message that was taken
    fifo     the queue was browsed in the order of positions, so a range can be read from its beginning

    S1  The rows of a batch are the messages at the positions `end.batch`. Nothing that happens on the queue after the
        batch was planned changes that.
    S2  A message is in one batch only: a batch is planned from what is visible and not taken (`batch` and `left` of
        the offset before it).
    S3  A taken position stays in `left` until this reader itself has removed it from the queue. Spark leaves out a
        commit when the driver dies at the wrong moment; then the next one removes both.
    S4  Commit removes the messages at `end.batch` and `end.left`, and no others. An empty position is passed over.
    S5  Non-persistent messages are gone after a queue manager was killed, and their positions may be given again. A
        message at a taken position that was put later than `newest` is a new one: it is not read with the old batch,
        it is planned, and it is not removed before it was. No client is connected while that happens, so a reader
        looks once, before it plans: taken positions without a message are dropped.

So there are no holes to track: a late message is one more that is visible and not taken. `check_offset` is S2 and S3 as
code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from flintmq.pipeline.errors import PipelineError

Positions: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
Range: TypeAlias = tuple[int, int]


class BadOffset(PipelineError):
    """An offset of a checkpoint that is none of ours."""


@dataclass
class Taken:
    """The entry of one queue in an offset."""

    batch: list[Range] = field(default_factory=list)
    left: list[Range] = field(default_factory=list)
    newest: str = ""
    fifo: bool = True

    def all(self) -> list[Range]:
        """Return all positions that may still be on the queue and are not for another batch."""
        return union(self.batch, self.left)

    def as_json(self) -> dict[str, Any]:
        return {"batch": self.batch, "left": self.left, "newest": self.newest, "fifo": self.fifo}


def read_offset(offset: dict[str, Any]) -> dict[str, Taken]:
    """Parse an offset from the checkpoint. Raises BadOffset."""
    try:
        made = {
            queue: Taken(_read(said["batch"]), _read(said["left"]), str(said["newest"]), bool(said["fifo"]))
            for queue, said in offset.items()
        }
    except (TypeError, ValueError, KeyError, AttributeError):
        raise BadOffset(f"the checkpoint has an offset that is not of the source mq: {str(offset)[:200]}") from None
    return made


def _read(ranges: list[list[int]]) -> list[Range]:
    made = [(int(a), int(b)) for a, b in ranges]
    if any(a > b for a, b in made) or any(one[1] >= other[0] for one, other in pairwise(made)):
        raise ValueError("ranges out of order")
    return made


def write_offset(offset: dict[str, Taken]) -> dict[str, Any]:
    return {queue: taken.as_json() for queue, taken in sorted(offset.items())}


# -- sets of positions ------------------------------------------------------------------------------------------------


def ranges_of(positions: Sequence[int] | Positions) -> list[Range]:
    """Return positions as ranges, in order."""
    if not len(positions):
        return []
    ordered = np.unique(np.asarray(positions, dtype=np.int64))
    breaks = np.flatnonzero(np.diff(ordered) != 1)
    firsts = ordered[np.concatenate(([0], breaks + 1))]
    lasts = ordered[np.concatenate((breaks, [len(ordered) - 1]))]
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))


def positions_of(ranges: list[Range]) -> Positions:
    """Return ranges as positions, in order."""
    if not ranges:
        return np.empty(0, dtype=np.int64)
    return np.concatenate([np.arange(a, b + 1, dtype=np.int64) for a, b in ranges])


def count_of(ranges: list[Range]) -> int:
    return sum(b - a + 1 for a, b in ranges)


def union(one: list[Range], other: list[Range]) -> list[Range]:
    """Return the positions of either."""
    made: list[Range] = []
    for a, b in sorted(one + other):
        if made and a <= made[-1][1] + 1:
            made[-1] = (made[-1][0], max(b, made[-1][1]))
        else:
            made.append((a, b))
    return made


def minus(one: list[Range], other: list[Range]) -> list[Range]:
    """Return the positions of `one` that are not in `other`. Both are in order."""
    made: list[Range] = []
    at = 0
    for a, b in one:
        while at < len(other) and other[at][1] < a:
            at += 1
        place = at
        while place < len(other) and other[place][0] <= b:
            if a < other[place][0]:
                made.append((a, other[place][0] - 1))
            a = other[place][1] + 1
            place += 1
        if a <= b:
            made.append((a, b))
    return made


class Member:
    """Whether positions are in ranges."""

    def __init__(self, ranges: list[Range]) -> None:
        self._firsts = np.array([a for a, _ in ranges], dtype=np.int64)
        self._lasts = np.array([b for _, b in ranges], dtype=np.int64)

    def has(self, position: int) -> bool:
        return bool(self.mask(np.array([position], dtype=np.int64))[0])

    def mask(self, positions: Positions) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Return for each position whether it is a member."""
        if not len(self._lasts):
            return np.zeros(len(positions), dtype=np.bool_)
        at = np.searchsorted(self._lasts, positions)
        inside: np.ndarray[Any, np.dtype[np.bool_]] = at < len(self._lasts)
        return inside & (self._firsts[np.minimum(at, len(self._lasts) - 1)] <= positions)


# -- batches ----------------------------------------------------------------------------------------------------------


@dataclass
class Seen:
    """Messages that a browse of a queue has found and that are not taken."""

    positions: list[int] = field(default_factory=list)
    newest: str = ""
    fifo: bool = True

    def see(self, positions: list[int], newest: str) -> None:
        """Add some positions, in the order of the queue."""
        if positions:
            together = self.positions[-1:] + positions
            self.fifo = self.fifo and bool((np.diff(together) > 0).all())
            self.positions += positions
            self.newest = max(self.newest, newest)


class Backlog:
    """Messages that were on a queue when a query with the trigger AvailableNow was started, and are in no batch yet."""

    def __init__(self) -> None:
        self._positions: list[Positions] = []
        self._put_at: list[np.ndarray[Any, np.dtype[np.bytes_]]] = []
        self._compared = False

    def see(self, positions: Positions, put_at: np.ndarray[Any, np.dtype[np.bytes_]]) -> None:
        """Add some messages, in the order of the queue, and when they were put."""
        self._positions.append(positions)
        self._put_at.append(put_at)

    def cut(self, taken: Taken, room: int) -> Seen:
        """Cut off the next batch. The first cut leaves out messages that earlier batches have taken, by S2 and S5."""
        seen = Seen()
        if not self._positions:
            return seen
        positions, put_at = np.concatenate(self._positions), np.concatenate(self._put_at)
        if not self._compared:
            new = ~Member(taken.all()).mask(positions) | (put_at > taken.newest.encode("latin-1"))
            positions, put_at = positions[new], put_at[new]
            self._compared = True
        seen.see(positions[:room].tolist(), max(put_at[:room].tolist(), default=b"").decode("latin-1"))
        self._positions, self._put_at = [positions[room:]], [put_at[room:]]
        return seen


def planned(start: Taken, removed: list[Range], seen: Seen) -> Taken:
    """Return the offset after a batch of `seen`; `removed` are the positions that this reader has removed (S3)."""
    made = Taken(ranges_of(seen.positions), minus(start.all(), removed), max(start.newest, seen.newest), seen.fifo)
    check_offset(start, made, removed)
    return made


def split(ranges: list[Range], parts: int) -> list[list[Range]]:
    """Split ranges into `parts` of about the same number of positions, in order."""
    total = count_of(ranges)
    parts = max(1, min(parts, total))
    made: list[list[Range]] = []
    pieces = list(ranges)
    for number in range(parts):
        room = total * (number + 1) // parts - total * number // parts
        part: list[Range] = []
        while room and pieces:
            a, b = pieces[0]
            if b - a + 1 <= room:
                part.append(pieces.pop(0))
                room -= b - a + 1
            else:
                part.append((a, a + room - 1))
                pieces[0] = (a + room, b)
                room = 0
        made.append(part)
    return made


def check_offset(start: Taken, end: Taken, removed: list[Range]) -> None:
    """Check S2 and S3 for two offsets that follow each other."""
    for ranges in (end.batch, end.left):
        assert all(a <= b for a, b in ranges), "an empty range"
        assert all(one[1] + 1 < other[0] for one, other in pairwise(ranges)), "ranges that touch"
    there = minus(start.all(), removed)
    assert minus(end.batch, there) == end.batch, "S2: a message is in two batches"
    assert not minus(there, end.all()), "S3: what may still be there was forgotten"
