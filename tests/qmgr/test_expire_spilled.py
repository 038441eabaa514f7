"""Messages on the page set only expire by the tables of their chunks (B103), and restart does not bring them back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from flintmq.log import LogConfig
from flintmq.mqi.constants import (
    MQGMO_LOCK,
    MQMT_REPORT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQRO_EXPIRATION_WITH_FULL_DATA,
)
from flintmq.mqi.od import MQOD
from flintmq.mqi.reason import MQRC_NONE
from flintmq.qmgr.expiry import refresh, scan
from flintmq.qmgr.get import expire_waits
from flintmq.qmgr.message import Spilled
from flintmq.qmgr.paging import pager_of
from flintmq.store.check import check_page_set
from flintmq.store.chunk import Chunk
from tests.qmgr.machine import Definition, Machine, Watched, fill, loaded

Maker = Callable[..., Machine]


@pytest.fixture(params=["memory", "lmdb"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Maker]:
    """Makes machines with small buffer pools, on each kind of page set."""
    made: list[Machine] = []

    def maker(**arguments: Any) -> Machine:
        arguments.setdefault("buffers", 100)
        arguments.setdefault("config", LogConfig(file_pages=256, linear=True))
        machine = Machine(request.param, tmp_path / str(len(made)), **arguments)
        made.append(machine)
        return machine

    yield maker
    for machine in made:
        machine.close()


def run(machine: Machine, name: str = "*") -> int:
    """A whole scan; returns how many messages went."""
    before = machine.qm.counters.expired
    refresh(machine.qm, name)
    while 0 < machine.qm.next_deadline() <= machine.clock.now_ms():
        expire_waits(machine.qm)
    machine.qm.check()
    return machine.qm.counters.expired - before


@pytest.mark.parametrize("persistence", [0, 1])
def test_spilled_messages_expire_and_the_others_stay_in_order(make: Maker, persistence: int) -> None:
    machine = make()
    app = machine.connect()
    expected: list[bytes] = []
    for start in range(0, 2000, 40):
        fill(app, "Q", 30, start, persistence=persistence, expiry=10)
        expected += fill(app, "Q", 10, start + 30, persistence=persistence)
    assert machine.queue("Q").spilled_count > 1500
    machine.clock.advance(1000)

    assert run(machine) == 1500

    queue = machine.queue("Q")
    assert (queue.depth, queue.available, queue.counts.expired_count) == (500, 500, 1500)
    assert queue.account.messages == 500
    assert machine.contents("Q") == expected
    check_page_set(pager_of(queue).page_set)
    assert machine.connect().drain("Q") == expected
    assert (queue.account.messages, queue.account.used) == (0, 0)


def test_the_data_of_expired_messages_is_not_read(make: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    """B103. What is left of the chunks goes with the next batch."""
    machine = make()
    app = machine.connect()
    fill(app, "Q", 2000, length=1000, expiry=10)
    queue = machine.queue("Q")
    in_memory = loaded(queue)
    machine.clock.advance(1000)
    loads = (pager_of(queue).loads, pager_of(queue).loaded_messages)

    assert run(machine) == 2000

    assert (pager_of(queue).loads, pager_of(queue).loaded_messages) == loads
    assert in_memory < 150 and machine.qm.expiry.chunks > 20
    assert (queue.depth, queue.spilled_count, queue.account.used) == (0, 0, 0)
    assert not any(lane.ranges for lane in queue.lanes) and queue.mask == 0
    machine.checkpoint()
    assert pager_of(queue).page_set.statistics().messages == 0


def test_damage_in_the_data_of_expired_messages_is_not_met(tmp_path: Path) -> None:
    """B103, the hard way: every record on the disk is broken, and yet they expire."""
    machine = Machine("lmdb", tmp_path, buffers=100)
    fill(machine.connect(), "Q", 500, length=3000, expiry=10, persistence=1)
    machine.checkpoint()
    (pages,) = tmp_path.glob("pageset/psid00/stable/pages.dat")
    content = pages.read_bytes()
    pages.write_bytes(content.replace(b"." * 2000, b"!" * 2000))
    machine.clock.advance(1000)

    assert run(machine) == 500 and machine.depth("Q") == 0
    machine.close()


def test_chunks_without_anything_due_are_not_read(tmp_path: Path) -> None:
    """A scan looks at what is due, not at how much there is."""
    objects: list[Definition] = [("QLOCAL", "Q", {"MAXDEPTH": 999_999}), ("QLOCAL", "OTHER", {})]
    machine = Machine("memory", tmp_path, objects, buffers=100)
    app = machine.connect()
    fill(app, "Q", 3000)
    fill(app, "Q", 3000, expiry=10_000)
    fill(app, "OTHER", 300, expiry=10)
    machine.clock.advance(1000)
    watched = Watched(pager_of(machine.queue("Q")).page_set)
    reads: list[int] = []
    watched.before_read = lambda: reads.append(1)
    pager_of(machine.queue("Q")).page_set = watched

    assert run(machine) == 300
    assert 0 < len(reads) <= 10 and watched.statistics().chunks > 45
    assert run(machine) == 0
    machine.checkpoint()
    reads.clear()
    assert run(machine) == 0
    assert reads == []


def test_after_a_crash_expired_messages_are_gone_and_the_others_are_there(make: Maker) -> None:
    machine = make()
    app = machine.connect()
    expected: list[bytes] = []
    for start in range(0, 1000, 10):
        fill(app, "Q", 9, start, persistence=1, expiry=10)
        expected += fill(app, "Q", 1, start + 9, persistence=1)
    machine.checkpoint()
    machine.clock.advance(1000)
    assert run(machine) == 900
    machine.log.flush()

    machine.crash()

    assert machine.depth("Q") == 100
    assert machine.contents("Q") == expected
    machine.clock.advance(1000)
    assert run(machine) == 0


def test_what_was_not_scanned_before_a_restart_is_found_after_it_without_reading_messages(make: Maker) -> None:
    machine = make()
    app = machine.connect()
    fill(app, "Q", 1000, persistence=1, expiry=10)
    fill(app, "Q", 5, persistence=1)
    machine.bounce()
    queue = machine.queue("Q")
    assert loaded(queue) == 0
    machine.clock.advance(1000)

    assert run(machine) == 1000

    assert pager_of(queue).loaded_messages == 0 and machine.depth("Q") == 5
    machine.bounce()
    assert machine.depth("Q") == 5


def test_only_messages_that_want_a_report_are_brought_back(make: Maker) -> None:
    machine = make(objects=[("QLOCAL", "Q", {"MAXDEPTH": 999_999}), ("QLOCAL", "REPLY", {})])
    app = machine.connect()
    for start in range(0, 1000, 100):
        fill(app, "Q", 99, start, expiry=10)
        reporting: dict[str, Any] = {"report": MQRO_EXPIRATION_WITH_FULL_DATA, "reply_to_q": "REPLY"}
        fill(app, "Q", 1, start + 99, expiry=10, reply_to_q_mgr="QM1", **reporting)
    machine.clock.advance(1000)
    queue = machine.queue("Q")
    before = pager_of(queue).loaded_messages

    assert run(machine) == 1000

    assert pager_of(queue).loaded_messages - before <= 10
    replies = []
    while (got := app.get("REPLY")).completion == 0:
        assert got.md.msg_type == MQMT_REPORT
        replies.append(int(got.data.partition(b":")[0]))
    assert sorted(replies) == list(range(99, 1000, 100))


def test_messages_of_a_chunk_that_are_in_memory_are_left_to_their_own_index(make: Maker) -> None:
    """Got and not committed, or locked: they stay, and expire when they are given back."""
    machine = make()
    app, other = machine.connect(), machine.connect()
    fill(app, "Q", 1000, expiry=50, persistence=1)
    machine.checkpoint()
    assert app.get("Q", syncpoint=True).completion == 0
    assert other.browse("Q", first=True, options=MQGMO_LOCK).completion == 0
    machine.clock.advance(5000)

    assert run(machine) == 998
    assert machine.depth("Q") == 2
    assert app.backout() == MQRC_NONE
    assert run(machine) == 1
    assert other.close("Q") == MQRC_NONE
    assert run(machine) == 1
    check_page_set(pager_of(machine.queue("Q")).page_set)


def test_a_queue_goes_on_working_in_the_middle_of_a_scan(make: Maker) -> None:
    machine = make()
    app = machine.connect()
    fill(app, "Q", 1000, expiry=50)
    fill(app, "Q", 500, 1000)
    machine.clock.advance(5000)
    refresh(machine.qm, "*")
    number = 0
    while scan(machine.qm, machine.clock.now_ms(), 40):
        fill(app, "Q", 20, 1500 + 20 * number)
        number += 1
        machine.qm.check()
    assert number > 10
    assert [int(data.partition(b":")[0]) for data in app.drain("Q")] == list(range(1000, 1500 + 20 * number))


def test_a_selection_forgets_what_has_expired_on_the_page_set(make: Maker) -> None:
    machine = make()
    app = machine.connect()
    expected: list[bytes] = []
    for start in range(0, 600, 20):
        fill(app, "Q", 19, start, expiry=10, persistence=1)
        expected += fill(app, "Q", 1, start + 19, persistence=1)
    od = MQOD()
    od.object_name = "Q"
    od.selection_string = "JMSDeliveryMode = 'PERSISTENT'"
    handle = machine.qm.open(app.connection, od, MQOO_INPUT_SHARED | MQOO_BROWSE)
    assert handle is not None
    assert app.browse(handle, first=True).data[:2] == b"0:"
    machine.clock.advance(1000)

    assert run(machine) == 570

    assert app.drain(handle) == expected
    machine.qm.check()


def test_a_range_that_a_get_comes_to_may_be_empty(make: Maker) -> None:
    """All that a lane had on the page set has expired; messages in other lanes are found."""
    machine = make()
    app = machine.connect()
    fill(app, "Q", 500, expiry=10, priority=9)
    kept = fill(app, "Q", 500, 500, priority=3)
    machine.clock.advance(1000)
    assert run(machine) == 500
    assert any(isinstance(lane.first, Spilled) for lane in machine.queue("Q").lanes)

    assert machine.connect().drain("Q") == kept


def test_a_generic_name_is_about_its_queues_only(make: Maker) -> None:
    machine = make(objects=[("QLOCAL", name, {"MAXDEPTH": 999_999}) for name in ("A.1", "A.2", "B")])
    app = machine.connect()
    for name in ("A.1", "A.2", "B"):
        fill(app, name, 300, expiry=10)
    machine.clock.advance(1000)

    assert run(machine, "A.*") == 600
    assert [machine.depth(name) for name in ("A.1", "A.2", "B")] == [0, 0, 300]
    assert run(machine) == 300


def test_with_a_full_log_spilled_messages_stay_until_there_is_room() -> None:
    machine = Machine(buffers=20, config=LogConfig(file_pages=4, primary=2, secondary=1))
    app = machine.connect()
    fill(app, "Q", 100, persistence=1, expiry=10, length=10)
    machine.checkpoint()
    machine.clock.advance(1000)
    while app.put("Q", bytes(400), persistence=1).reason == MQRC_NONE:
        pass
    while app.put("Q", b"", persistence=1).reason == MQRC_NONE:
        pass
    kept = machine.depth("Q") - 100
    gone = run(machine)
    assert gone < 100 and machine.qm.expiry.log_full

    machine.checkpoint()
    machine.clock.advance(1000)
    assert gone + run(machine) == 100
    assert machine.depth("Q") == kept
    machine.log.flush()
    machine.crash()
    assert machine.depth("Q") == kept


def test_a_chunk_of_version_1_expires_by_reading_its_messages(make: Maker) -> None:
    """Its tables do not say what is needed."""
    machine = make()
    fill(machine.connect(), "Q", 300, persistence=1, expiry=10)
    machine.checkpoint()
    queue = machine.queue("Q")
    page_set = OldChunks(pager_of(queue).page_set)
    pager_of(queue).page_set = page_set
    machine.clock.advance(1000)

    assert run(machine) == 300
    assert machine.depth("Q") == 0 and queue.account.used == 0
    assert page_set.rewritten > 0


class OldChunks(Watched):
    """A page set whose chunks were written by version 1."""

    rewritten = 0

    def chunk(self, volatile: bool, queue: int, lane: int, first: int) -> Chunk | None:
        return self.old(self.inner.chunk(volatile, queue, lane, first))

    def chunk_at(self, volatile: bool, queue: int, lane: int, sequence: int) -> Chunk | None:
        return self.old(self.inner.chunk_at(volatile, queue, lane, sequence))

    def old(self, chunk: Chunk | None) -> Chunk | None:
        if chunk is not None:
            self.rewritten += 1
            chunk.has_lengths = False
        return chunk
