"""A page set without files: for ":memory:" queue managers, and for simulations of power failures.

Same contract as the real one. For simulations (`simulate=True`) it remembers the state that a power failure would
leave:

    _now      the state for reads: every applied batch
    _durable  the state that survives for certain: the batches applied before the last sync
    _unsynced the batches in between, oldest first; a power failure takes any number of them from the new end

Both states share the chunks themselves, which never change, so the second costs a few dictionaries.
"""

from bisect import bisect_left, bisect_right, insort

from flintmq.store.chunk import NO_ID, Chunk, chunk_count, chunk_key, chunk_last, split_key, whole_chunk
from flintmq.store.expiry import end_of, position, second_of
from flintmq.store.pageset import BatchPart, BeforeIO, LaneState, PageSetBatch, PageSetStatistics

_PATH = ":memory:"


class _Lane:
    """The chunks of one lane: their first sequences in order, and how many messages live."""

    def __init__(self) -> None:
        self.firsts: list[int] = []
        self.live = 0


class _Part:
    """The stable or the volatile part."""

    def __init__(self) -> None:
        self.values: dict[bytes, bytes] = {}
        self.dead: dict[bytes, int] = {}  # one bit for each dead slot
        self.lanes: dict[tuple[int, int], _Lane] = {}
        self.index: dict[tuple[int, bytes], set[tuple[int, int]]] = {}
        self.keys: dict[bytes, list[bytes]] = {}  # chunk key: its index keys
        self.expiring: list[bytes] = []  # entries by expiry, ascending
        self.expires: dict[bytes, int] = {}  # chunk key: the second in its entry

    def copy(self) -> "_Part":
        other = _Part()
        other.values = dict(self.values)
        other.dead = dict(self.dead)
        other.index = {key: set(places) for key, places in self.index.items()}
        other.keys = dict(self.keys)
        other.expiring = list(self.expiring)
        other.expires = dict(self.expires)
        for place, lane in self.lanes.items():
            twin = _Lane()
            twin.firsts = list(lane.firsts)
            twin.live = lane.live
            other.lanes[place] = twin
        return other

    def apply(self, part: BatchPart, dropped: set[int]) -> None:
        for queue in dropped:
            for place in [place for place in self.lanes if place[0] == queue]:
                for first in list(self.lanes[place].firsts):
                    self.remove(chunk_key(queue, place[1], first))
        for key, addition in part.adds.items():
            if key in self.values:
                self.remove(key)
            queue, number, first = split_key(key)
            lane = self.lanes.get((queue, number))
            if lane is None:
                lane = _Lane()
                self.lanes[(queue, number)] = lane
            insort(lane.firsts, first)
            lane.live += addition.count
            self.values[key] = addition.value
            self.set_expiry(key, addition.expires)
            if addition.index_keys is not None:
                self.keys[key] = addition.index_keys
                for each in addition.index_keys:
                    if each != NO_ID:
                        self.index.setdefault((queue, each), set()).add((number, first))
        for key, sequences in part.kills.items():
            self.kill(key, sequences)
        for key, expires in part.expiries.items():
            if key in self.values:
                self.set_expiry(key, expires)

    def set_expiry(self, key: bytes, expires: int) -> None:
        """Move the entry of a chunk; 0 takes it away."""
        before = self.expires.pop(key, 0)
        if before:
            del self.expiring[bisect_left(self.expiring, position(before, key))]
        second = second_of(expires)
        if second:
            self.expires[key] = second
            insort(self.expiring, position(second, key))

    def kill(self, key: bytes, sequences: list[int]) -> None:
        value = self.values.get(key)
        if value is None:
            return
        before = self.dead.get(key, 0)
        chunk = whole_chunk(_PATH, key, value, before)
        dead = before | chunk.bits_of(sequences)
        if dead.bit_count() == chunk.count:
            self.remove(key)
        elif dead != before:
            self.dead[key] = dead
            self.lanes[(chunk.queue, chunk.lane)].live -= dead.bit_count() - before.bit_count()

    def remove(self, key: bytes) -> None:
        """Take a chunk away with its dead slots and its index entries."""
        queue, number, first = split_key(key)
        value = self.values.pop(key)
        dead = self.dead.pop(key, 0)
        self.set_expiry(key, 0)
        lane = self.lanes[(queue, number)]
        lane.live -= chunk_count(value) - dead.bit_count()
        del lane.firsts[bisect_left(lane.firsts, first)]
        if not lane.firsts:
            del self.lanes[(queue, number)]
        for each in self.keys.pop(key, []):
            places = self.index.get((queue, each))
            if places is not None:
                places.discard((number, first))
                if not places:
                    del self.index[(queue, each)]


class _State:
    def __init__(self) -> None:
        self.stable = _Part()
        self.volatile = _Part()
        self.meta: dict[bytes, bytes] = {}

    def apply(self, batch: PageSetBatch) -> None:
        self.stable.apply(batch.stable, batch.dropped)
        self.volatile.apply(batch.volatile, batch.dropped)
        for key, value in batch.meta.items():
            if value is None:
                self.meta.pop(key, None)
            else:
                self.meta[key] = value

    def survivor(self) -> "_State":
        """A copy without the volatile part."""
        other = _State()
        other.stable = self.stable.copy()
        other.meta = dict(self.meta)
        return other


class MemoryPageSet:
    """A PageSet in dictionaries. `before_io` is called before every apply and sync and may raise."""

    def __init__(self, simulate: bool = False, before_io: BeforeIO | None = None) -> None:
        self.before_io = before_io
        self._simulate = simulate
        self._now = _State()
        self._durable = _State()
        self._unsynced: list[PageSetBatch] = []
        self._applies = 0
        self._volatile_applies = 0
        self._syncs = 0
        self._chunks_read = 0

    @property
    def unsynced(self) -> int:
        """How many batches a power failure could still take. Always 0 unless simulating."""
        return len(self._unsynced)

    def apply(self, batch: PageSetBatch, sync: bool) -> None:
        if self.before_io is not None:
            self.before_io("apply")
        self._now.apply(batch)
        if not batch.volatile.is_empty():
            self._volatile_applies += 1
        if not batch.stable.is_empty() or batch.meta or batch.dropped:
            self._applies += 1
        if self._simulate:
            self._unsynced.append(batch)
        if sync:
            self.sync()

    def sync(self) -> None:
        if self.before_io is not None:
            self.before_io("sync")
        for batch in self._unsynced:
            self._durable.apply(batch)
        self._unsynced = []
        self._syncs += 1

    def crash(self, lose: int) -> "MemoryPageSet":
        """The page set as it is opened after a power failure that took the newest `lose` unsynced batches.

        This one stays as it was. The volatile part of the new one is empty, and `before_io` is not carried over.
        """
        assert self._simulate, "crash() needs MemoryPageSet(simulate=True)"
        kept = self._unsynced[: max(0, len(self._unsynced) - lose)]
        other = MemoryPageSet(simulate=True)
        other._durable = self._durable.survivor()
        for batch in kept:
            other._durable.apply(batch)
        other._durable.volatile = _Part()
        other._now = other._durable.survivor()
        return other

    def reopen(self) -> "MemoryPageSet":
        """The page set as it is opened after an orderly close."""
        other = MemoryPageSet(simulate=self._simulate)
        other._now = self._now.survivor()
        if self._simulate:
            other._durable = other._now.survivor()
        return other

    def _part(self, volatile: bool) -> _Part:
        return self._now.volatile if volatile else self._now.stable

    def chunk(self, volatile: bool, queue: int, lane: int, first: int) -> Chunk | None:
        part = self._part(volatile)
        key = chunk_key(queue, lane, first)
        value = part.values.get(key)
        if value is None:
            return None
        self._chunks_read += 1
        return whole_chunk(_PATH, key, value, part.dead.get(key, 0))

    def chunk_at(self, volatile: bool, queue: int, lane: int, sequence: int) -> Chunk | None:
        part = self._part(volatile)
        known = part.lanes.get((queue, lane))
        if known is None:
            return None
        at = bisect_right(known.firsts, sequence)
        if at > 0:
            first = known.firsts[at - 1]
            if chunk_last(part.values[chunk_key(queue, lane, first)]) >= sequence:
                return self.chunk(volatile, queue, lane, first)
        if at < len(known.firsts):
            return self.chunk(volatile, queue, lane, known.firsts[at])
        return None

    def lanes(self, queue: int) -> list[LaneState]:
        states: list[LaneState] = []
        for volatile in (False, True):
            part = self._part(volatile)
            for place in sorted(place for place in part.lanes if place[0] == queue):
                lane = part.lanes[place]
                last = chunk_last(part.values[chunk_key(queue, place[1], lane.firsts[-1])])
                states.append((volatile, place[1], lane.firsts[0], last, lane.live))
        return states

    def lookup(self, volatile: bool, queue: int, key: bytes, limit: int = 0) -> list[tuple[int, int]]:
        places = sorted([(-lane, first) for lane, first in self._part(volatile).index.get((queue, key), ())])
        if limit > 0:
            places = places[:limit]
        return [(-lane, first) for lane, first in places]

    def expiring(self, volatile: bool, until: int, after: bytes, limit: int) -> list[bytes]:
        entries = self._part(volatile).expiring
        first = bisect_right(entries, after)
        return entries[first : min(first + limit, bisect_left(entries, end_of(until)))]

    def queues(self) -> list[int]:
        return sorted({place[0] for place in self._now.stable.lanes} | {place[0] for place in self._now.volatile.lanes})

    def meta(self, key: bytes) -> bytes | None:
        return self._now.meta.get(key)

    def meta_items(self, prefix: bytes) -> list[tuple[bytes, bytes]]:
        keys = sorted(self._now.meta)
        items: list[tuple[bytes, bytes]] = []
        for i in range(bisect_left(keys, prefix), len(keys)):
            if not keys[i].startswith(prefix):
                break
            items.append((keys[i], self._now.meta[keys[i]]))
        return items

    def statistics(self) -> PageSetStatistics:
        figures = PageSetStatistics()
        for part in (self._now.stable, self._now.volatile):
            figures.chunks += len(part.values)
            for lane in part.lanes.values():
                figures.messages += lane.live
        figures.applies = max(self._applies, self._volatile_applies)
        figures.syncs = self._syncs
        figures.chunks_read = self._chunks_read
        return figures

    def trim(self) -> None:
        """Nothing to give back."""

    def close(self) -> None:
        """Nothing to close; the messages go with the object."""
