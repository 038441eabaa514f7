"""The disk of a page set is full: puts are refused, gets go on, nothing is lost (issue 14, item 5)."""

from __future__ import annotations

import pytest

from flintmq import compiled
from flintmq.log import Log, LogConfig
from flintmq.mqi.reason import MQRC_NONE, MQRC_PAGESET_FULL, MQRC_RESOURCE_PROBLEM
from flintmq.qmgr.admin import Admin
from flintmq.qmgr.calls import create, restart
from flintmq.qmgr.checkpoint import checkpoint
from flintmq.qmgr.security import Authority
from flintmq.store.check import check_page_set
from flintmq.store.errors import PageSetFull
from flintmq.store.memory_pageset import MemoryPageSet
from flintmq.store.pageset import PageSetBatch
from tests.qmgr.conftest import App, Engine
from tests.simulation.disk import SimulatedDisk


class Disk:
    """The disk of the page sets, full or not."""

    def __init__(self) -> None:
        self.full = False
        self.refused = 0

    def before_io(self, what: str) -> None:
        if self.full and what == "apply":
            self.refused += 1
            raise PageSetFull("psid00", "the disk is full")


class Logged(Engine):
    """A queue manager with a log on a simulated disk, and page sets that can be full."""

    def __init__(self, buffers: int = 25_000, file_pages: int = 64) -> None:
        self.disk = Disk()
        super().__init__()
        self.log_disk = SimulatedDisk()
        self.page_sets = {}
        Log.create(self.log_disk, "log", LogConfig(file_pages=file_pages))
        objects = [("QMGR", "QM1", {}), ("BUFFPOOL", "0", {"BUFFERS": buffers}), ("QLOCAL", "Q", {})]
        self.qm = create("QM1", self.clock, self.replayed(), self._page_set, Authority(), objects)  # type: ignore[arg-type]

    def replayed(self) -> Log:
        log = Log.open(self.log_disk, "log")
        assert list(log.replay()) == []
        return log

    def _page_set(self, psid: int) -> MemoryPageSet:
        page_set = self.page_sets.setdefault(psid, MemoryPageSet(simulate=True))
        page_set.before_io = self.disk.before_io
        return page_set

    def restart(self) -> None:
        """End as a killed process does, and start again."""
        self.log_disk = self.log_disk.kill()
        self.page_sets = {psid: page_set.crash(page_set.unsynced) for psid, page_set in self.page_sets.items()}
        self.qm = restart("QM1", self.clock, Log.open(self.log_disk, "log"), self._page_set, Authority())


def messages(count: int) -> list[bytes]:
    return [b"%d" % number for number in range(count)]


def put_all(app: App, count: int) -> None:
    """Put persistent messages to Q."""
    for data in messages(count):
        assert app.put("Q", data, persistence=1).reason == MQRC_NONE


def test_a_checkpoint_on_a_full_disk_refuses_puts_and_leaves_the_rest_as_it_was() -> None:
    engine = Logged()
    app = engine.connect()
    put_all(app, 20)
    position = engine.qm.checkpoint_position
    engine.disk.full = True
    assert not checkpoint(engine.qm)
    engine.qm.check()
    assert engine.qm.checkpoint_position == position
    assert [number for number, _ in engine.qm.notices] == ["CSQP014E"]
    assert app.put("Q", b"no room", persistence=1).reason == MQRC_PAGESET_FULL
    assert app.put("Q", b"no room", persistence=0).reason == MQRC_PAGESET_FULL
    assert app.put("Q", b"no room", syncpoint=True, persistence=1).reason == MQRC_PAGESET_FULL
    assert Admin(engine.qm).page_set_usage()[0]["STATUS"] == "FULL"
    assert app.get("Q").data == b"0"
    assert app.get("Q", syncpoint=True).data == b"1"
    assert app.backout() == MQRC_NONE
    assert not engine.qm.needs_checkpoint()  # Not with every call.
    engine.clock.advance(1000)
    assert engine.qm.needs_checkpoint()

    engine.disk.full = False
    assert checkpoint(engine.qm)
    assert [number for number, _ in engine.qm.notices] == ["CSQP014E", "CSQP013I"]
    assert app.put("Q", b"20", persistence=1).reason == MQRC_NONE
    assert app.drain("Q") == messages(21)[1:]
    assert checkpoint(engine.qm)
    engine.qm.check()
    check_page_set(engine.page_sets[0])


def test_a_unit_of_work_that_is_open_when_the_disk_fills_can_be_committed() -> None:
    engine = Logged()
    app = engine.connect()
    assert app.put("Q", b"mine", syncpoint=True, persistence=1).reason == MQRC_NONE
    engine.disk.full = True
    assert not checkpoint(engine.qm)
    assert app.commit() == MQRC_NONE
    engine.qm.log.flush()
    engine.restart()
    assert engine.connect().drain("Q") == [b"mine"]


def test_a_restart_on_a_full_disk_serves_gets() -> None:
    """Item 5: it could not be started to be drained. Replay needs more memory than the pool has."""
    engine = Logged(buffers=50)
    app = engine.connect()
    put_all(app, 30)
    assert checkpoint(engine.qm)
    engine.disk.full = True
    sent = messages(300)
    count = 30
    while app.put("Q", sent[count], persistence=1).reason == MQRC_NONE:
        count += 1
    assert engine.disk.refused  # The pool had passed its threshold.
    engine.qm.log.flush()
    for _ in range(2):
        engine.restart()
        engine.qm.check()
    app = engine.connect()
    assert app.drain("Q") == sent[:count]
    engine.qm.check()
    engine.qm.log.flush()
    engine.restart()
    assert engine.depth("Q") == 0


def test_messages_that_the_page_set_has_leave_memory_on_a_full_disk() -> None:
    """A browse of a deep queue does not fill the memory."""
    engine = Logged(buffers=200)
    app = engine.connect()
    put_all(app, 1000)
    assert checkpoint(engine.qm)
    engine.disk.full = True
    handle = app.open("Q", 8)
    assert app.browse(handle, first=True).data == b"0"
    for number in range(1, 1000):
        assert app.browse(handle).data == b"%d" % number
        assert engine.qm.pools[0].used < 400
    engine.qm.check()


class NoRoomForVolatile(MemoryPageSet):
    """A page set whose disk has no room for non-persistent messages."""

    full = True

    def apply(self, batch: PageSetBatch, sync: bool) -> None:
        if self.full and batch.volatile.adds:
            raise PageSetFull("psid00", "the disk is full")
        super().apply(batch, sync)


@pytest.mark.skipif(compiled(), reason="a class that is not compiled cannot inherit from one that is")
def test_nonpersistent_messages_stay_in_memory_on_a_full_disk() -> None:
    """Only the volatile part is refused: what must survive is written, and checkpoints go on."""
    engine = Logged(buffers=100)
    page_set = NoRoomForVolatile(simulate=True)
    page_set._now = engine.page_sets[0]._now
    engine.qm.pagers[0].page_set = page_set
    app = engine.connect()
    sent = []
    for number in range(200):
        if app.put("Q", b"%d" % number, persistence=0).reason != MQRC_NONE:
            break
        sent.append(b"%d" % number)
    assert 50 < len(sent) < 200
    engine.qm.check()
    for _ in range(3):
        engine.clock.advance(8000)
        position = engine.qm.checkpoint_position
        assert engine.qm.needs_checkpoint() and checkpoint(engine.qm)
        assert engine.qm.checkpoint_position >= position
        assert not engine.qm.checkpoint_is_futile()
        engine.qm.check()
        assert app.put("Q", b"no room", persistence=0).reason == MQRC_PAGESET_FULL  # What is in memory fills the pool.
    assert [number for number, _ in engine.qm.notices].count("CSQP014E") == 1
    page_set.full = False
    engine.clock.advance(8000)
    assert checkpoint(engine.qm)
    assert not engine.qm.accounts[0].disk_full
    assert app.drain("Q") == sent
    engine.qm.check()


def test_the_end_of_the_log_is_kept_for_gets_while_a_disk_is_full() -> None:
    """The log cannot be freed without a checkpoint: puts to another page set must not use it up."""
    engine = Logged(file_pages=4)
    admin = Admin(engine.qm)
    assert admin.define("PSID", "1", {}, False) == MQRC_NONE
    assert admin.define("STGCLASS", "OTHER", {"PSID": 1}, False) == MQRC_NONE
    assert admin.define("QLOCAL", "ELSEWHERE", {"STGCLASS": "OTHER"}, False) == MQRC_NONE
    app = engine.connect()
    put_all(app, 20)
    page_set = engine.page_sets[0]
    engine.page_sets[1].before_io = None
    engine.disk.full = True
    assert not checkpoint(engine.qm)
    reason = MQRC_NONE
    while reason == MQRC_NONE:
        reason = app.put("ELSEWHERE", bytes(200), persistence=1).reason
    assert reason == MQRC_RESOURCE_PROBLEM
    assert app.put("ELSEWHERE", bytes(200), persistence=0).reason == MQRC_NONE
    assert app.drain("Q") == messages(20)
    assert app.get("ELSEWHERE", syncpoint=True).reason == MQRC_NONE
    assert app.commit() == MQRC_NONE
    page_set.before_io = None
    assert checkpoint(engine.qm)
    assert app.put("ELSEWHERE", bytes(200), persistence=1).reason == MQRC_NONE
    engine.qm.check()


def test_commands_that_need_a_page_set_are_refused_on_a_full_disk_and_work_later() -> None:
    engine = Logged()
    admin = Admin(engine.qm)
    assert admin.define("PSID", "1", {}, False) == MQRC_NONE
    assert admin.define("PSID", "2", {}, False) == MQRC_NONE
    assert admin.define("STGCLASS", "OTHER", {"PSID": 1}, False) == MQRC_NONE
    app = engine.connect()
    assert app.put("Q", b"first", persistence=1).reason == MQRC_NONE
    assert checkpoint(engine.qm)
    assert app.drain("Q") == [b"first"]
    engine.disk.full = True
    assert admin.alter("QLOCAL", "Q", {"STGCLASS": "OTHER"}, True) == MQRC_PAGESET_FULL
    assert admin.delete("PSID", "2", False) == MQRC_PAGESET_FULL
    assert admin.define("QLOCAL", "NEW", {}, False) == MQRC_NONE  # Only the log needs to know.
    assert not checkpoint(engine.qm)
    engine.disk.full = False
    assert checkpoint(engine.qm)
    engine.qm.log.flush()
    engine.restart()
    assert "NEW" in engine.qm.queues  # A checkpoint that was refused forgets no definition.
    admin = Admin(engine.qm)
    assert admin.alter("QLOCAL", "Q", {"STGCLASS": "OTHER"}, True) == MQRC_NONE
    assert admin.delete("PSID", "2", False) == MQRC_NONE
    engine.qm.check()
