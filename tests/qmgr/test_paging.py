"""Deep queues: messages go to the page set and come back, in order, whole, and within the buffer pool.

P1 to P5 are those of paging.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from flintmq.catalogue.attribute import Value
from flintmq.log import LogConfig
from flintmq.mqi.constants import (
    MQGMO_LOCK,
    MQGMO_MSG_UNDER_CURSOR,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_MSG_IN_GROUP,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_GROUP_ID,
    MQMO_MATCH_MSG_ID,
    MQMO_MATCH_MSG_SEQ_NUMBER,
    MQMO_MATCH_MSG_TOKEN,
    MQMO_NONE,
)
from flintmq.mqi.reason import MQRC_NO_MSG_AVAILABLE, MQRC_NONE
from flintmq.qmgr.connection import WAITING
from flintmq.qmgr.message import Message
from flintmq.qmgr.paging import pager_of
from flintmq.qmgr.records import FIRST, GET, LAST, ONLY
from flintmq.store.chunk import whole_chunk
from flintmq.store.memory_pageset import MemoryPageSet
from flintmq.store.pageset import PageSetBatch
from tests.qmgr.conftest import App
from tests.qmgr.machine import Definition, Machine, Watched, fill, loaded, number_of
from tests.simulation.disk import SimulatedCrash

Maker = Callable[..., Machine]

ENDLESS_LOG = LogConfig(file_pages=256, linear=True)
DEEP: dict[str, Value] = {"MAXDEPTH": 999_999_999}


def local(name: str, **attributes: Value) -> Definition:
    return ("QLOCAL", name, {**DEEP, **attributes})


@pytest.fixture(params=["memory", "lmdb"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Maker]:
    """Makes a machine on each kind of page set; every invariant holds when the test is over."""
    made: list[Machine] = []

    def maker(objects: list[Definition] | None = None, buffers: int = 100) -> Machine:
        machine = Machine(request.param, tmp_path / str(len(made)), objects or [local("Q")], buffers, ENDLESS_LOG)
        made.append(machine)
        return machine

    yield maker
    for machine in made:
        machine.qm.check()
        machine.close()


def correl_id(number: int) -> bytes:
    return number.to_bytes(24, "big")


# -- order ----------------------------------------------------------------------------------------------------------


def test_a_deep_queue_comes_back_by_priority_and_then_in_the_order_of_puts(make: Maker) -> None:
    """Persistent and non-persistent messages stand in one order, whichever part of the page set they were on."""
    machine = make()
    app, random = machine.connect(), Random(1)
    put: list[tuple[int, bytes]] = []
    for number in range(1500):
        priority = random.randrange(10)
        put.append((-priority, fill(app, "Q", 1, number, persistence=random.randrange(2), priority=priority)[0]))
    assert machine.queue("Q").spilled_count > 1200
    assert loaded(machine.queue("Q")) < 100

    assert app.drain("Q") == [data for _, data in sorted(put, key=lambda entry: entry[0])]
    assert machine.depth("Q") == 0


def test_a_first_in_first_out_queue_keeps_its_order_whatever_the_priorities(make: Maker) -> None:
    machine = make([local("Q", MSGDLVSQ="FIFO")])
    app, random = machine.connect(), Random(2)
    put = [fill(app, "Q", 1, n, persistence=n % 2, priority=random.randrange(10))[0] for n in range(800)]

    assert machine.queue("Q").spilled_count > 600
    assert app.drain("Q") == put


def test_puts_and_gets_that_meet_at_depth_never_overtake(make: Maker) -> None:
    """The queue breathes: it grows over the pool and shrinks again, many times, and the oldest always comes first."""
    machine = make(buffers=60)
    app, random = machine.connect(), Random(3)
    put = got = 0
    for _ in range(60):
        for _ in range(random.randrange(40)):
            fill(app, "Q", 1, put, persistence=random.randrange(2), priority=4)
            put += 1
        for _ in range(random.randrange(40)):
            answered = app.get("Q")
            if answered.reason == MQRC_NO_MSG_AVAILABLE:
                assert got == put
                break
            assert number_of(answered.data) == got
            got += 1
    assert [number_of(data) for data in app.drain("Q")] == list(range(got, put))
    assert pager_of(machine.queue("Q")).loads > 5


def test_messages_of_every_size_come_back_as_they_were_put(make: Maker) -> None:
    machine = make(buffers=200)
    app, random = machine.connect(), Random(4)
    put = []
    for number in range(300):
        data = random.randbytes(random.choice([0, 1, 100, 3635, 3636, 20_000, 70_000, 200_000]))
        put.append(data)
        assert app.put("Q", data, persistence=number % 2, correl_id=correl_id(number)).reason == MQRC_NONE

    for number, data in enumerate(put):
        answered = app.get("Q")
        assert (answered.data, answered.md.correl_id) == (data, correl_id(number))


def test_the_descriptor_of_a_spilled_message_is_the_one_that_was_put(make: Maker) -> None:
    machine = make(buffers=20)
    app = machine.connect()
    descriptor: dict[str, Any] = {
        "msg_type": 1,
        "reply_to_q": "R",
        "format": "MQSTR",
        "feedback": 7,
        "expiry": 5000,
        "encoding": 273,
    }
    app.put("Q", b"first", persistence=1, priority=7, **descriptor)
    before = app.browse("Q", first=True).md
    app.close("Q")
    fill(app, "Q", 100, priority=9)
    assert machine.queue("Q").lanes[7].ranges

    after = app.get("Q", match_options=MQMO_MATCH_MSG_ID, msg_id=before.msg_id).md
    assert after.pack() == before.pack()
    assert (after.put_date, after.put_time, after.user_identifier) == ("20231114", "22132000", "user")


# -- by id ----------------------------------------------------------------------------------------------------------


def by_id(kind: str, number: int) -> dict[str, Any]:
    """How a get asks for message `number`."""
    if kind == "MSGID":
        return {"match_options": MQMO_MATCH_MSG_ID, "msg_id": b"m" + correl_id(number)[1:]}
    if kind == "CORRELID":
        return {"match_options": MQMO_MATCH_CORREL_ID, "correl_id": b"c" + correl_id(number)[1:]}
    return {"match_options": MQMO_MATCH_GROUP_ID, "group_id": b"g" + correl_id(number)[1:]}


def fill_with_ids(app: App, count: int, same: int = 1) -> list[bytes]:
    """Messages with ids by number; every `same` neighbours have the same ones."""
    made = []
    for number in range(count):
        key = correl_id(number // same)[1:]
        data = f"{number}:".encode().ljust(60, b".")
        answered = app.put(
            "Q",
            data,
            persistence=number % 2,
            priority=number * 7 % 10,
            version=2,
            msg_id=b"m" + key,
            correl_id=b"c" + key,
            group_id=b"g" + key,
            msg_flags=MQMF_MSG_IN_GROUP | (MQMF_LAST_MSG_IN_GROUP if number % same == same - 1 else 0),
            msg_seq_number=number % same + 1,
        )
        assert answered.reason == MQRC_NONE
        made.append(data)
    return made


@pytest.mark.parametrize("kind", ["MSGID", "CORRELID", "GROUPID"])
@pytest.mark.parametrize("index", ["NONE", "MSGID", "CORRELID", "GROUPID"])
def test_a_spilled_message_is_found_by_any_id_on_any_queue(make: Maker, index: str, kind: str) -> None:
    """With INDXTYPE through the index of the page set, without it by looking through the chunks."""
    machine = make([local("Q", INDXTYPE=index)])
    app = machine.connect()
    put = fill_with_ids(app, 400)
    assert machine.queue("Q").spilled_count > 300

    wanted = list(range(0, 400, 3))
    Random(5).shuffle(wanted)
    for number in wanted:
        assert app.get("Q", **by_id(kind, number)).data == put[number]
        assert app.get("Q", **by_id(kind, number)).reason == MQRC_NO_MSG_AVAILABLE
    rest = [number for number in range(400) if number % 3]
    assert app.drain("Q", match_options=MQMO_NONE) == [
        put[number] for number in sorted(rest, key=lambda number: (-(number * 7 % 10), number))
    ]


@pytest.mark.parametrize("index", ["NONE", "CORRELID"])
def test_of_messages_with_one_id_the_one_that_is_due_first_comes_first(make: Maker, index: str) -> None:
    """Wherever they are: in memory, in one part of the page set, in the other, in several lanes."""
    machine = make([local("Q", INDXTYPE=index)], buffers=60)
    app = machine.connect()
    put = fill_with_ids(app, 300, same=6)

    for key in range(49, -1, -1):
        numbers = sorted(range(key * 6, key * 6 + 6), key=lambda number: (-(number * 7 % 10), number))
        for number in numbers:
            assert app.get("Q", **by_id("CORRELID", key)).data == put[number]
    assert machine.depth("Q") == 0


def test_an_id_that_is_not_there_is_not_found_and_costs_no_memory(make: Maker) -> None:
    machine = make()
    app = machine.connect()
    fill(app, "Q", 500)
    before = loaded(machine.queue("Q"))

    for fields in (by_id("MSGID", 9), by_id("CORRELID", 9), by_id("GROUPID", 9)):
        assert app.get("Q", **fields).reason == MQRC_NO_MSG_AVAILABLE
    assert app.get("Q", match_options=MQMO_MATCH_MSG_SEQ_NUMBER, msg_seq_number=9).reason == MQRC_NO_MSG_AVAILABLE
    assert loaded(machine.queue("Q")) == before


def test_a_get_by_id_reads_only_the_chunk_that_the_index_names(make: Maker) -> None:
    machine = make([local("Q", INDXTYPE="CORRELID")])
    app = machine.connect()
    for number in range(3000):
        app.put("Q", b"x" * 50, correl_id=correl_id(number + 1), persistence=1)
    page_set = pager_of(machine.queue("Q")).page_set
    before = page_set.statistics().chunks_read

    assert app.get("Q", correl_id=correl_id(1501)).reason == MQRC_NONE
    assert page_set.statistics().chunks_read - before == 1


def test_messages_taken_out_of_the_middle_stay_gone_when_the_rest_is_read_again(make: Maker) -> None:
    """P4: their slots are dead, in memory or on the page set; a range does not stand for them."""
    machine = make([local("Q", INDXTYPE="CORRELID")])
    app = machine.connect()
    for number in range(400):
        app.put("Q", f"{number}:".encode(), correl_id=correl_id(number + 1), persistence=number % 2)
    for number in range(100, 300):
        assert app.get("Q", correl_id=correl_id(number + 1)).reason == MQRC_NONE
    fill(app, "Q", 200, 400)  # Batches go to the page set, with the dead slots.
    for number in range(100, 300):
        assert app.get("Q", correl_id=correl_id(number + 1)).reason == MQRC_NO_MSG_AVAILABLE

    assert [number_of(data) for data in app.drain("Q")] == [*range(100), *range(300, 600)]


# -- browse ---------------------------------------------------------------------------------------------------------


def test_a_browse_walks_over_everything_that_is_spilled_and_leaves_it_there(make: Maker) -> None:
    machine = make()
    app = machine.connect()
    put = fill(app, "Q", 700, persistence=1)

    assert machine.contents("Q") == put
    assert machine.queue("Q").pool.used <= 100
    assert machine.contents("Q") == put
    assert machine.depth("Q") == 700


@pytest.mark.parametrize("seed", range(6))
def test_cursors_go_on_where_they_stood_while_messages_are_taken_from_under_them(make: Maker, seed: int) -> None:
    """A cursor whose message is gone stands between its neighbours; the next browse returns the one after it."""
    machine = make([local("Q", INDXTYPE="MSGID")], buffers=50)
    random = Random(seed)
    writer = machine.connect()
    alive: dict[int, bytes] = {}
    for number in range(300):
        alive[number] = writer.put("Q", f"{number}:".encode(), persistence=number % 2).md.msg_id
    readers = [machine.connect() for _ in range(3)]
    stands = [-1, -1, -1]
    for _ in range(400):
        which = random.randrange(3)
        if alive and random.random() < 0.5:
            near = [number for number in alive if abs(number - stands[which]) < 3] or list(alive)
            number = random.choice(near)
            assert writer.get("Q", match_options=MQMO_MATCH_MSG_ID, msg_id=alive.pop(number)).reason == MQRC_NONE
        expected = min((number for number in alive if number > stands[which]), default=None)
        answered = readers[which].browse("Q")
        if expected is None:
            assert answered.reason == MQRC_NO_MSG_AVAILABLE
        else:
            assert number_of(answered.data) == expected
            stands[which] = expected
    assert machine.queue("Q").pool.used <= 50


def test_a_cursor_deep_in_a_queue_reads_only_what_comes_after_it(make: Maker) -> None:
    """The message under the cursor is got by somebody else; what stands before it stays on the page set (B144)."""
    machine = make([local("Q", INDXTYPE="MSGID")], buffers=60)
    app, other = machine.connect(), machine.connect()
    ids = [app.put("Q", f"{number}:".encode(), persistence=1).md.msg_id for number in range(2000)]
    assert number_of(app.browse("Q", first=True, match_options=MQMO_MATCH_MSG_ID, msg_id=ids[1200]).data) == 1200
    fill(other, "Q", 200, 2000)
    assert other.get("Q", match_options=MQMO_MATCH_MSG_ID, msg_id=ids[1200]).reason == MQRC_NONE
    before = pager_of(machine.queue("Q")).loaded_messages

    assert number_of(app.browse("Q", match_options=MQMO_NONE).data) == 1201
    assert pager_of(machine.queue("Q")).loaded_messages - before <= 128


def test_a_browse_for_something_that_is_not_there_stays_within_the_pool() -> None:
    """It walks over the whole queue; what it has passed leaves memory again (B144)."""
    page_set = Watched(MemoryPageSet())
    machine = Machine("memory", None, [local("Q")], buffers=200, page_sets={0: page_set})
    app = machine.connect()
    fill(app, "Q", 2000)
    high: list[int] = []
    page_set.before_read = lambda: high.append(machine.queue("Q").pool.used)
    assert app.browse("Q", first=True, correl_id=correl_id(1)).reason == MQRC_NO_MSG_AVAILABLE
    page_set.before_read = None
    assert len(high) > 10 and max(high) <= 200 + 128
    assert machine.depth("Q") == 2000


def test_the_message_under_a_cursor_stays_in_memory_and_can_be_got_there(make: Maker) -> None:
    machine = make(buffers=60)
    app, other = machine.connect(), machine.connect()
    put = fill(app, "Q", 20, persistence=1)
    for _ in range(15):
        under = app.browse("Q")
    assert under.data == put[14]
    put += fill(other, "Q", 500, 20)
    node = app.handle("Q").cursor
    assert isinstance(node, Message) and node.data == put[14]
    assert machine.queue("Q").spilled_count > 400

    assert app.get("Q", options=MQGMO_MSG_UNDER_CURSOR).data == put[14]
    assert number_of(app.browse("Q").data) == 15
    del put[14]
    assert other.drain("Q") == put


# -- what must not leave memory -------------------------------------------------------------------------------------


def test_a_locked_message_stays_locked_however_much_is_put_behind_it(make: Maker) -> None:
    machine = make(buffers=40)
    owner, other = machine.connect(), machine.connect()
    put = fill(other, "Q", 10)
    assert owner.browse("Q", first=True, options=MQGMO_LOCK).data == put[0]
    put += fill(other, "Q", 300, 10)

    assert other.get("Q").data == put[1]
    assert owner.get("Q", options=MQGMO_MSG_UNDER_CURSOR).data == put[0]
    assert other.drain("Q") == put[2:]


def test_a_message_is_locked_though_whoever_waited_for_the_one_before_fills_the_pool(make: Maker) -> None:
    """A browse with lock gives its last message back. Who has waited for that one may push others out of memory."""
    machine = make()
    owner, other = machine.connect(), machine.connect()
    for number in range(400):
        owner.put("Q", b"%d" % number, correl_id=b"%024d" % number)
    assert owner.browse("Q", first=True, options=MQGMO_LOCK).data == b"0"
    for number in range(50, 400, 37):
        locked = owner.handle("Q").locked
        assert locked is not None
        waits = other.browse("Q", first=True, wait_ms=1000, correl_id=locked.correl_id)
        assert waits.reason == WAITING

        got = owner.browse("Q", first=True, options=MQGMO_LOCK, correl_id=b"%024d" % number)

        assert got.data == b"%d" % number and waits.completed().reason == MQRC_NONE
        assert other.get("Q", correl_id=b"%024d" % number).reason == MQRC_NO_MSG_AVAILABLE
        machine.qm.check()


def test_uncommitted_puts_are_never_on_the_page_set_and_uncommitted_gets_stay_there(make: Maker) -> None:
    """P2. The pool overflows many times; a backout puts everything in its place without a search."""
    machine = make(buffers=40)
    putter, getter, other = machine.connect(), machine.connect(), machine.connect()
    put = fill(other, "Q", 100, persistence=1)
    got = [getter.get("Q", syncpoint=True).data for _ in range(10)]
    fill(putter, "Q", 30, 1000, persistence=1, syncpoint=True)
    put += fill(other, "Q", 100, 100, persistence=1)
    machine.checkpoint()

    queue = machine.queue("Q")
    assert not set(machine.stored("Q")) & set(range(101, 131))
    assert set(range(1, 11)) <= set(machine.stored("Q"))
    assert queue.uncommitted == 40

    assert (putter.backout(), getter.backout()) == (0, 0)
    assert other.drain("Q") == put and got == put[:10]


def test_uncommitted_work_becomes_final_in_its_place_among_spilled_messages(make: Maker) -> None:
    machine = make(buffers=40)
    putter, getter, other = machine.connect(), machine.connect(), machine.connect()
    expected = []
    for block in range(20):
        expected += fill(other, "Q", 7, block * 10)
        expected += fill(putter, "Q", 3, block * 10 + 7, persistence=block % 2, syncpoint=True)
    for _ in range(15):
        getter.get("Q", syncpoint=True)
    assert (putter.commit(), getter.commit()) == (0, 0)
    taken = [data for data in expected if number_of(data) % 10 < 7][:15]
    fill(other, "Q", 100, 500)

    assert other.drain("Q")[:-100] == [data for data in expected if data not in taken]


def test_a_message_that_expired_on_the_page_set_is_never_seen_again(make: Maker) -> None:
    machine = make(buffers=40)
    app = machine.connect()
    for number in range(300):
        app.put("Q", f"{number}:".encode(), persistence=number % 2, expiry=10 if number % 3 == 0 else -1)
    machine.clock.advance(1001)

    assert [number_of(data) for data in app.drain("Q")] == [number for number in range(300) if number % 3]
    assert machine.queue("Q").counts.expired_count == 100


def test_a_backout_count_survives_that_its_message_leaves_memory(make: Maker) -> None:
    """Poison messages are told by it, so it is exact while the queue manager runs, with HARDENBO or without."""
    machine = make(buffers=40)
    app = machine.connect()
    fill(app, "Q", 200, persistence=1)
    fill(app, "Q", 200, 200)
    for round_ in range(3):
        for number in range(0, 200, 20):
            answered = app.get("Q", syncpoint=True)
            assert (number_of(answered.data), answered.md.backout_count) == (number // 20, round_)
        app.backout()
        assert machine.contents("Q")[399:] == [b"399:".ljust(100, b".")]
        machine.checkpoint()
    app.drain("Q")
    assert not pager_of(machine.queue("Q")).backouts


# -- the buffer pool ------------------------------------------------------------------------------------------------


def test_messages_that_fit_the_buffer_pool_never_reach_the_page_set(make: Maker) -> None:
    """B144, B146: the first 85 % of the pool stay in memory; after that page set writes start."""
    machine = make(buffers=1000)
    app = machine.connect()
    page_set, pool = pager_of(machine.queue("Q")).page_set, machine.queue("Q").pool
    applies = page_set.statistics().applies
    fill(app, "Q", 850)
    assert (page_set.statistics().applies, pool.pages_written, pool.reads) == (applies, 0, 0)

    fill(app, "Q", 1)
    assert page_set.statistics().applies == applies + 1
    assert 300 < pool.pages_written < 500
    assert pool.used <= 500


def test_what_stays_in_the_pool_is_put_and_got_without_any_page_set_access(make: Maker) -> None:
    """B146."""
    machine = make(buffers=1000)
    app = machine.connect()
    statistics = pager_of(machine.queue("Q")).page_set.statistics
    before = statistics()
    for number in range(2000):
        fill(app, "Q", 1, number)
        app.get("Q")
    after = statistics()
    assert (after.applies, after.chunks_read) == (before.applies, before.chunks_read)


@pytest.mark.parametrize("length", [10, 5000, 40_000, 300_000])
def test_memory_stays_within_the_pool_whatever_the_size_of_messages(make: Maker, length: int) -> None:
    """Large messages fill the pool with few; the head of a queue may not keep more than its part (B144)."""
    machine = make(buffers=300)
    app = machine.connect()
    pool = machine.queue("Q").pool
    for number in range(60 if length > 5000 else 400):
        fill(app, "Q", 1, number, length)
        assert pool.used <= 300
    assert machine.queue("Q").spilled_count > 0


def test_memory_stays_within_the_pool_however_many_queues_there_are(make: Maker) -> None:
    """The heads of all queues together would not fit; then they go as well."""
    machine = make([local(f"Q{number}") for number in range(50)], buffers=100)
    app = machine.connect()
    pool = machine.qm.pools[0]
    for number in range(50 * 8):
        fill(app, f"Q{number % 50}", 1, number)
        assert pool.used <= 100
    for number in range(50):
        assert [number_of(data) for data in app.drain(f"Q{number}")] == list(range(number, 400, 50))


def test_a_unit_of_work_larger_than_the_pool_does_not_cost_a_search_with_every_put(make: Maker) -> None:
    """Nothing of it can leave memory; when it is committed everything can."""
    machine = make(buffers=320)
    app, other = machine.connect(), machine.connect()
    put = fill(app, "Q", 2000, persistence=1, syncpoint=True)
    pool = machine.queue("Q").pool
    assert pool.used == 2000 and 1980 <= pool.stuck_at <= 2000
    app.commit()
    put += fill(other, "Q", 25, 2000)
    assert pool.used <= 320
    assert app.drain("Q") == put


def test_draining_a_deep_queue_writes_its_dead_slots_from_time_to_time(make: Maker) -> None:
    """Non-persistent messages are got without log and so without checkpoints; what is remembered of them is bounded."""
    machine = make(buffers=40)
    app = machine.connect()
    fill(app, "Q", 3000)
    pager = pager_of(machine.queue("Q"))
    pager.dirty_max = 4
    most = 0
    for number in range(3000):
        assert number_of(app.get("Q").data) == number
        most = max(most, len(pager.dirty))
    assert most <= 6


# -- the log first --------------------------------------------------------------------------------------------------


class Suspicion:
    """Checks P3 with every batch: the log is durable up to all that the batch says of persistent messages of Q."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        #: Log position of the put and of the get of a message, by sequence.
        self.puts: dict[int, int] = {}
        self.gets: dict[int, int] = {}
        #: That of a get which is not over: it may make others spill itself, with its own message among the dead.
        self.getting = 0
        self.checked = 0

    def check(self, batch: PageSetBatch) -> None:
        durable = self.machine.log.durable
        for key, addition in batch.stable.adds.items():
            for sequence in whole_chunk("", key, addition.value, 0).sequences():
                assert self.puts[sequence] <= durable, f"P3: the put of {sequence} is not durable"
                self.checked += 1
        for sequences in batch.stable.kills.values():
            for sequence in sequences:
                assert self.gets.get(sequence, self.getting) <= durable, f"P3: the get of {sequence} is not durable"
                self.checked += 1


@pytest.mark.parametrize("seed", range(4))
def test_nothing_reaches_the_page_set_before_the_log_record_that_made_it_so(seed: int) -> None:
    """P3, with puts, gets and units of work over a pool that overflows all the time; nobody else flushes the log."""
    page_set = Watched(MemoryPageSet())
    machine = Machine("memory", None, [local("Q")], buffers=30, page_sets={0: page_set})
    log = Suspicion(machine)
    page_set.before_apply = log.check
    random, apps = Random(seed), [machine.connect(), machine.connect()]
    queue = machine.queue("Q")
    pending: list[list[tuple[dict[int, int], int]]] = [[], []]
    for _ in range(600):
        which = random.randrange(2)
        app, syncpoint = apps[which], random.random() < 0.5
        choice = random.random()
        if choice < 0.55:
            sequence = queue.next_sequence
            log.puts[sequence] = machine.log.end + 1  # Until its end is known: the put itself may make others spill.
            app.put("Q", b"x" * random.choice([10, 4000]), persistence=1, syncpoint=syncpoint, priority=0)
            entry = (log.puts, sequence)
        elif choice < 0.85:
            log.getting = machine.log.end + 1
            answered = app.get("Q", syncpoint=syncpoint)
            log.getting = 1 << 62
            if answered.completion:
                continue
            message = answered.connection.message
            assert message is not None
            entry = (log.gets, message.sequence)
        else:
            app.commit()
            for table, sequence in pending[which]:
                table[sequence] = app.connection.force
            pending[which] = []
            continue
        if syncpoint:
            pending[which].append(entry)
            entry[0][entry[1]] = 1 << 62
        else:
            entry[0][entry[1]] = app.connection.force
    assert log.checked > 100


# -- restart --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["memory", "lmdb"])
def test_what_restart_spills_has_no_chunk_around_a_message_that_comes_later_in_the_log(
    kind: str, tmp_path: Path
) -> None:
    """P1. Messages 2, 4, 6 ... were put first and committed last: replay meets them when their neighbours have
    already gone to the page set. Their chunks must not lie inside those of the neighbours."""
    machine = Machine(kind, tmp_path, [local("Q")], buffers=20)
    for sequence in [*range(1, 400, 2), *range(2, 401, 2)]:
        machine.log_put("Q", sequence, f"{sequence}:".encode())
    machine.log.flush()
    machine.crash()
    assert machine.queue("Q").spilled_count > 300

    assert [number_of(data) for data in machine.contents("Q")] == list(range(1, 401))
    machine.checkpoint()
    machine.crash()
    assert machine.stored("Q") == list(range(1, 401))
    assert [number_of(data) for data in machine.connect().drain("Q")] == list(range(1, 401))
    machine.close()


def test_what_restart_spills_is_in_the_log_for_good() -> None:
    """P3 and L4: the process dies between the write and the sync of its log; the next one reads that log, and spills
    what it says; then the power fails. A page set that is ahead of the log would show half a unit of work."""
    machine = Machine("memory", None, [local("Q"), local("OTHER")], buffers=20)
    fill(machine.connect(), "OTHER", 1, persistence=1)
    machine.log.flush()
    machine.log_place(GET | FIRST, machine.queue("OTHER").queue_id, 1)
    put = [f"{number}:".encode() for number in range(1, 301)]
    for number in range(1, 301):
        machine.log_put("Q", number, put[number - 1], LAST if number == 100 else ONLY if number > 100 else 0)
    machine.disk.fail_at(2)  # The write is done, the sync is not.
    with pytest.raises(SimulatedCrash):
        machine.log.flush()
    machine.kill()
    applies = 0

    def power_fails(what: str) -> None:
        nonlocal applies
        applies += 1
        if applies == 2:
            raise SimulatedCrash("in the middle of replay")

    machine.memory().before_io = power_fails
    with pytest.raises(SimulatedCrash):
        machine.start()
    machine.stop(lose_page_sets=False)
    machine.start()

    found = machine.contents("Q")
    assert found == put[: len(found)] and not 0 < len(found) < 100
    assert machine.depth("OTHER") == (0 if found else 1)


# -- tokens ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_a_token_names_its_message_wherever_it_is(make: Maker, seed: int) -> None:
    """In memory, on the page set, in any lane, in any order; held in a unit of work, or gone, it names nothing."""
    machine = make([local("Q", MSGDLVSQ="FIFO" if seed % 2 else "PRIORITY"), local("OTHER")])
    app, random = machine.connect(), Random(seed)
    for number in range(900):
        fill(app, "Q", 1, number, persistence=random.randrange(2), priority=random.randrange(3))
    fill(app, "OTHER", 1)
    assert machine.queue("Q").spilled_count > 600
    tokens: dict[bytes, bytes] = {}
    seen = app.browse("Q", first=True, match_options=MQMO_NONE)
    while seen.reason == MQRC_NONE:
        tokens[seen.gmo.msg_token] = seen.data
        seen = app.browse("Q", match_options=MQMO_NONE)
    assert len(tokens) == 900

    foreign = app.browse("OTHER", first=True, match_options=MQMO_NONE).gmo.msg_token
    assert app.get("Q", match_options=MQMO_MATCH_MSG_TOKEN, msg_token=foreign).reason == MQRC_NO_MSG_AVAILABLE
    ordered = sorted(tokens) if seed < 2 else random.sample(sorted(tokens), len(tokens))
    for token in ordered:
        browsed = app.browse("Q", first=True, match_options=MQMO_MATCH_MSG_TOKEN, msg_token=token)
        assert (browsed.reason, browsed.data, browsed.gmo.msg_token) == (MQRC_NONE, tokens[token], token)
        got = app.get("Q", syncpoint=True, match_options=MQMO_MATCH_MSG_TOKEN, msg_token=token)
        assert (got.reason, got.data) == (MQRC_NONE, tokens[token])
        again = app.get("Q", match_options=MQMO_MATCH_MSG_TOKEN, msg_token=token)
        assert again.reason == MQRC_NO_MSG_AVAILABLE
        if random.random() < 0.1:
            assert app.commit() == MQRC_NONE
    app.backout()
    left = app.drain("Q")
    assert set(left) < set(tokens.values())
    assert machine.depth("Q") == 0
