"""Random batches on every page set, compared with a dictionary after each."""

from __future__ import annotations

import shutil
import tempfile

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from flintmq.store.check import check_page_set
from flintmq.store.chunk import NO_ID, Slot
from flintmq.store.expiry import START, place_of
from flintmq.store.lmdb_pageset import LmdbPageSet
from flintmq.store.memory_pageset import MemoryPageSet
from flintmq.store.pageset import PageSet, PageSetBatch

QUEUES = (1, 2, 70000)
LANES = (0, 5, 9)
WIDTH = 8  # sequences of the chunk that begins at a multiple of WIDTH

Place = tuple[bool, int, int, int]  # volatile, queue, lane, first

places = st.tuples(
    st.booleans(), st.sampled_from(QUEUES), st.sampled_from(LANES), st.integers(0, 6).map(lambda n: n * WIDTH)
)
sequence_sets = st.sets(st.integers(0, WIDTH - 1), min_size=0, max_size=WIDTH)
index_choices = st.sampled_from(["none", "msg", "correl", "key"])


def key_of(number: int) -> bytes:
    return NO_ID if number % 5 == 0 else bytes([number % 5]) * 24


def expiry_of(sequence: int) -> int:
    """Every third message expires, the later ones sooner."""
    return (100 - sequence) * 1000 if sequence % 3 == 0 else 0


class Model:
    """What a page set should hold: chunk to (live sequence to record, all index keys of the chunk)."""

    def __init__(self) -> None:
        self.chunks: dict[Place, tuple[dict[int, bytes], int, list[bytes]]] = {}
        self.meta: dict[bytes, bytes] = {}

    def copy(self) -> Model:
        other = Model()
        other.chunks = {place: (dict(live), last, keys) for place, (live, last, keys) in self.chunks.items()}
        other.meta = dict(self.meta)
        return other

    def without_volatile(self) -> Model:
        other = self.copy()
        other.chunks = {place: value for place, value in other.chunks.items() if not place[0]}
        return other


class Machine(RuleBasedStateMachine):
    """Builds a batch and a model of its effect side by side."""

    page_set: PageSet

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.states: list[Model] = []  # after each batch that is not synced
        self.synced = Model()
        self.begin()

    def begin(self) -> None:
        self.batch = PageSetBatch()
        self.next = self.model.copy()

    @rule(
        place=places,
        more=sequence_sets,
        index=index_choices,
        salt=st.integers(0, 3),
        size=st.sampled_from([0, 9, 3000]),
    )
    def add(self, place: Place, more: set[int], index: str, salt: int, size: int) -> None:
        volatile, queue, lane, first = place
        sequences = sorted({first} | {first + each for each in more})
        slots = [
            Slot(
                each,
                key_of(each + salt),
                key_of(each * 3 + salt),
                expiry_of(each),
                b"%d/%d" % (each, salt) + bytes(size),
            )
            for each in sequences
        ]
        keys: list[bytes] | None = None
        if index == "msg":
            keys = [slot.msg_id for slot in slots]
        elif index == "correl":
            keys = [slot.correl_id for slot in slots]
        elif index == "key":
            keys = [key_of(slot.sequence // 2 + salt) for slot in slots]
        self.batch.add_chunk(volatile, queue, lane, slots, keys)
        self.next.chunks[place] = ({slot.sequence: slot.record for slot in slots}, sequences[-1], keys or [])

    @rule(place=places, which=sequence_sets)
    def kill(self, place: Place, which: set[int]) -> None:
        volatile, queue, lane, first = place
        sequences = [first + each for each in which]
        self.batch.kill(volatile, queue, lane, first, sequences)
        if place in self.next.chunks:
            live = self.next.chunks[place][0]
            for each in sequences:
                live.pop(each, None)
            if not live:
                del self.next.chunks[place]

    @rule(place=places)
    def set_expiry(self, place: Place) -> None:
        """As a scan does: the entry of the chunk is that of its earliest live message."""
        if place in self.next.chunks:
            expiries = [expiry_of(each) for each in self.next.chunks[place][0]]
            self.batch.set_expiry(*place, min([each for each in expiries if each], default=0))

    @rule(queue=st.sampled_from(QUEUES))
    def drop_queue(self, queue: int) -> None:
        self.batch.drop_queue(queue)
        for place in [place for place in self.next.chunks if place[1] == queue]:
            del self.next.chunks[place]

    @rule(key=st.sampled_from([b"a", b"ab", b"b"]), value=st.binary(max_size=5))
    def put_meta(self, key: bytes, value: bytes) -> None:
        self.batch.put_meta(key, value)
        self.next.meta[key] = value

    @rule(key=st.sampled_from([b"a", b"ab", b"b"]))
    def delete_meta(self, key: bytes) -> None:
        self.batch.delete_meta(key)
        self.next.meta.pop(key, None)

    @rule(sync=st.booleans())
    def apply(self, sync: bool) -> None:
        self.page_set.apply(self.batch, sync)
        self.model = self.next
        self.states.append(self.model)
        if sync:
            self.synced = self.model
            self.states = []
        self.begin()

    @rule()
    def sync(self) -> None:
        self.page_set.sync()
        self.synced = self.model
        self.states = []

    def after_restart(self, model: Model) -> None:
        self.model = self.synced = model.without_volatile()
        self.states = []
        self.begin()

    @invariant()
    def same_as_the_model(self) -> None:
        page_set = self.page_set
        check_page_set(page_set)
        assert page_set.queues() == sorted({place[1] for place in self.model.chunks})
        assert page_set.meta_items(b"") == sorted(self.model.meta.items())
        assert page_set.statistics().messages == sum(len(live) for live, _, _ in self.model.chunks.values())
        for queue in QUEUES:
            self.same_queue(queue)
        for volatile in (False, True):
            entries = page_set.expiring(volatile, 1 << 60, START, 999)
            assert entries == sorted(entries)
            found = [(volatile, *place_of(entry)) for entry in entries]
            assert len(set(found)) == len(found) and set(found) <= set(self.model.chunks)

    def same_queue(self, queue: int) -> None:
        lanes: dict[tuple[bool, int], list[tuple[int, int, int]]] = {}
        index: dict[tuple[bool, bytes], set[tuple[int, int]]] = {}
        for (volatile, number, lane, first), (live, last, keys) in sorted(self.model.chunks.items()):
            if number == queue:
                lanes.setdefault((volatile, lane), []).append((first, last, len(live)))
                for key in keys:
                    index.setdefault((volatile, key), set()).add((lane, first))
                chunk = self.page_set.chunk(volatile, queue, lane, first)
                assert chunk is not None
                assert {slot.sequence: slot.record for slot in chunk.slots()} == live
        assert self.page_set.lanes(queue) == [
            (volatile, lane, spans[0][0], spans[-1][1], sum(span[2] for span in spans))
            for (volatile, lane), spans in sorted(lanes.items())
        ]
        for volatile in (False, True):
            for number in range(1, 5):
                key = key_of(number)
                found = self.page_set.lookup(volatile, queue, key)
                assert set(found) == index.get((volatile, key), set())
                assert found == sorted(found, key=lambda place: (-place[0], place[1]))


class MemoryMachine(Machine):
    def __init__(self) -> None:
        self.page_set = MemoryPageSet(simulate=True)
        super().__init__()

    @rule()
    def reopen(self) -> None:
        assert isinstance(self.page_set, MemoryPageSet)
        self.page_set = self.page_set.reopen()
        self.after_restart(self.model)

    @rule(data=st.data())
    def crash(self, data: st.DataObject) -> None:
        """A power failure leaves a state that was there since the last sync, and nothing in between."""
        assert isinstance(self.page_set, MemoryPageSet)
        assert self.page_set.unsynced == len(self.states)
        lose = data.draw(st.integers(0, len(self.states) + 1))
        self.page_set = self.page_set.crash(lose)
        kept = [self.synced, *self.states][: max(1, len(self.states) + 1 - lose)]
        self.after_restart(kept[-1])


class LmdbMachine(Machine):
    def __init__(self) -> None:
        self.directory = tempfile.mkdtemp()
        self.page_set = LmdbPageSet(self.directory, waiting_max=6)
        super().__init__()

    @rule()
    @precondition(lambda self: self.model.chunks)
    def reopen(self) -> None:
        self.page_set.close()
        self.page_set = LmdbPageSet(self.directory, waiting_max=6)
        self.after_restart(self.model)

    def teardown(self) -> None:
        self.page_set.close()
        shutil.rmtree(self.directory)


@pytest.mark.parametrize(("machine", "examples"), [(MemoryMachine, 80), (LmdbMachine, 40)])
def test_random_batches_do_what_the_model_says(machine: type[Machine], examples: int) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.reuse, Phase.generate],  # a history on disk takes too long to shrink
        ),
    )
