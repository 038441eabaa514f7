"""XA: the protocol, and branches in doubt over a crash with a real log. X1 to X3 are those of xa.py."""

from __future__ import annotations

from random import Random

import pytest

from flintmq.log import Log, LogConfig
from flintmq.qmgr.calls import Calls, create, restart
from flintmq.qmgr.checkpoint import checkpoint
from flintmq.qmgr.clock import Clock
from flintmq.qmgr.security import Authority
from flintmq.qmgr.xa import (
    TMASYNC,
    TMENDRSCAN,
    TMFAIL,
    TMJOIN,
    TMNOFLAGS,
    TMNOWAIT,
    TMONEPHASE,
    TMRESUME,
    TMSTARTRSCAN,
    TMSUCCESS,
    TMSUSPEND,
    XA_HEURCOM,
    XA_HEURRB,
    XA_OK,
    XA_RBROLLBACK,
    XA_RDONLY,
    XA_RETRY,
    XAER_ASYNC,
    XAER_DUPID,
    XAER_INVAL,
    XAER_NOTA,
    XAER_OUTSIDE,
    XAER_PROTO,
    XAER_RMFAIL,
    BadXid,
    pack_xid,
    resolve_in_doubt,
    unpack_xid,
    xa_commit,
    xa_end,
    xa_forget,
    xa_prepare,
    xa_recover,
    xa_rollback,
    xa_start,
)
from flintmq.store.memory_pageset import MemoryPageSet
from flintmq.store.pageset import PageSet
from tests.qmgr.driver import START_MS, App, Definition, Driver
from tests.simulation.disk import SimulatedDisk

X1 = pack_xid(1, b"global 1", b"branch 1")
X2 = pack_xid(1, b"global 1", b"branch 2")


class Manager:
    """A transaction manager's side of one connection."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.qm = app.qm
        self.q = app.open("Q")

    def start(self, xid: bytes = X1, flags: int = TMNOFLAGS) -> int:
        return xa_start(self.qm, self.app.connection, xid, flags)

    def end(self, xid: bytes = X1, flags: int = TMSUCCESS) -> int:
        return xa_end(self.qm, self.app.connection, xid, flags)

    def prepare(self, xid: bytes = X1, flags: int = TMNOFLAGS) -> int:
        return xa_prepare(self.qm, self.app.connection, xid, flags)

    def commit(self, xid: bytes = X1, flags: int = TMNOFLAGS) -> int:
        return xa_commit(self.qm, self.app.connection, xid, flags)

    def rollback(self, xid: bytes = X1, flags: int = TMNOFLAGS) -> int:
        return xa_rollback(self.qm, self.app.connection, xid, flags)

    def forget(self, xid: bytes = X1, flags: int = TMNOFLAGS) -> int:
        return xa_forget(self.qm, self.app.connection, xid, flags)

    def recover(self, count: int = 10, flags: int = TMSTARTRSCAN | TMENDRSCAN) -> list[bytes]:
        code, found = xa_recover(self.qm, self.app.connection, count, flags)
        assert code == XA_OK
        return found

    def put(self, data: bytes, persistence: int = 1) -> None:
        assert self.app.put(self.q, data, syncpoint=True, persistence=persistence) == 0

    def work(self, data: bytes = b"m", xid: bytes = X1, persistence: int = 1) -> None:
        """A branch that has put one message, ended."""
        assert self.start(xid) == XA_OK
        self.put(data, persistence)
        assert self.end(xid) == XA_OK


@pytest.fixture
def driver() -> Driver:
    return Driver(("QLOCAL", "Q", {}))


@pytest.fixture
def tm(driver: Driver) -> Manager:
    return Manager(driver.app("tm"))


def depth_and_available(driver: Driver) -> tuple[int, int]:
    driver.qm.check()
    queue = driver.queue("Q")
    return queue.depth, queue.available


def test_a_branch_is_prepared_and_committed(driver: Driver, tm: Manager) -> None:
    tm.work(b"hello")
    assert tm.prepare() == XA_OK
    assert depth_and_available(driver) == (1, 0)
    assert tm.recover() == [X1]
    assert tm.commit() == XA_OK
    assert depth_and_available(driver) == (1, 1)
    assert tm.recover() == []
    assert tm.app.all(tm.q) == [b"hello"]
    assert tm.commit() == XAER_NOTA


def test_a_branch_is_rolled_back_before_and_after_prepare(driver: Driver, tm: Manager) -> None:
    assert tm.app.put(tm.q, b"got") == 0
    for prepared in (False, True):
        assert tm.start() == XA_OK
        tm.put(b"put")
        assert tm.app.get(tm.q, syncpoint=True) == 0
        assert tm.end() == XA_OK
        if prepared:
            assert tm.prepare() == XA_OK
        assert tm.rollback() == XA_OK
        assert depth_and_available(driver) == (1, 1)
    assert tm.app.get(tm.q) == 0
    assert (tm.app.data, tm.app.md.backout_count) == (b"got", 2)


def test_one_phase_commit(driver: Driver, tm: Manager) -> None:
    tm.work()
    assert tm.commit(flags=TMONEPHASE) == XA_OK
    assert depth_and_available(driver) == (1, 1)
    tm.work(xid=X2)
    assert tm.prepare(X2) == XA_OK
    assert tm.commit(X2, TMONEPHASE) == XAER_PROTO
    assert tm.commit(X2) == XA_OK


def test_a_branch_without_work_is_read_only(tm: Manager) -> None:
    assert tm.start() == XA_OK
    assert tm.end() == XA_OK
    assert tm.prepare() == XA_RDONLY
    assert tm.commit() == XAER_NOTA


def test_a_branch_that_failed_is_rolled_back_by_the_next_call(driver: Driver, tm: Manager) -> None:
    for one_phase in (False, True):
        assert tm.start() == XA_OK
        tm.put(b"m")
        assert tm.end(flags=TMFAIL) == XA_OK
        assert tm.start(flags=TMJOIN) == XA_RBROLLBACK
        assert (tm.commit(flags=TMONEPHASE) if one_phase else tm.prepare()) == XA_RBROLLBACK
        assert tm.prepare() == XAER_NOTA
        assert depth_and_available(driver) == (0, 0)


def test_a_branch_is_suspended_and_resumed_by_the_same_connection(driver: Driver, tm: Manager) -> None:
    other = Manager(driver.app("other"))
    assert tm.start() == XA_OK
    tm.put(b"1")
    assert tm.end(flags=TMSUSPEND) == XA_OK
    assert tm.app.put(tm.q, b"outside") == 0
    assert other.start(flags=TMRESUME) == XAER_PROTO
    assert other.start(flags=TMJOIN) == XAER_PROTO
    assert tm.prepare() == XAER_PROTO
    assert tm.start(flags=TMRESUME) == XA_OK
    tm.put(b"2")
    assert tm.end() == XA_OK
    assert tm.start(flags=TMRESUME) == XAER_PROTO
    assert tm.commit(flags=TMONEPHASE) == XA_OK
    assert tm.app.all(tm.q) == [b"1", b"outside", b"2"]
    driver.qm.check()


def test_a_suspended_branch_may_be_ended_without_resuming_it(driver: Driver, tm: Manager) -> None:
    assert tm.start() == XA_OK
    tm.put(b"1")
    assert tm.end(flags=TMSUSPEND) == XA_OK
    assert tm.end(flags=TMSUSPEND) == XAER_PROTO
    assert tm.end() == XA_OK
    assert tm.prepare() == XA_OK
    assert tm.commit() == XA_OK
    assert depth_and_available(driver) == (1, 1)


def test_another_connection_joins_an_ended_branch_and_any_may_finish_it(driver: Driver, tm: Manager) -> None:
    other, third = Manager(driver.app("other")), Manager(driver.app("third"))
    assert tm.start() == XA_OK
    tm.put(b"1")
    assert other.start(flags=TMJOIN) == XAER_PROTO
    assert other.start(flags=TMJOIN | TMNOWAIT) == XA_RETRY
    assert tm.end() == XA_OK
    assert other.start(flags=TMJOIN) == XA_OK
    other.put(b"2")
    assert other.end() == XA_OK
    assert third.prepare() == XA_OK
    assert tm.commit() == XA_OK
    assert third.app.all(third.q) == [b"1", b"2"]


def test_branches_of_one_global_transaction_are_apart(driver: Driver, tm: Manager) -> None:
    tm.work(b"1", X1)
    tm.work(b"2", X2)
    assert [tm.prepare(X1), tm.prepare(X2)] == [XA_OK, XA_OK]
    assert tm.commit(X2) == XA_OK
    assert tm.app.all(tm.q) == [b"2"]
    assert tm.rollback(X1) == XA_OK
    assert depth_and_available(driver) == (0, 0)


def test_calls_out_of_order_are_refused(tm: Manager) -> None:
    """The table of xa.py."""
    assert [tm.end(), tm.prepare(), tm.commit(), tm.rollback(), tm.forget()] == [XAER_NOTA] * 5
    assert tm.start(flags=TMJOIN) == XAER_NOTA
    assert tm.start() == XA_OK
    assert tm.start(X2) == XAER_PROTO
    assert [tm.prepare(), tm.commit(), tm.rollback(), tm.forget()] == [XAER_PROTO] * 4
    tm.put(b"m")
    assert tm.app.commit() == 2012
    assert tm.app.backout() == 2012
    assert tm.end() == XA_OK
    assert tm.end() == XAER_PROTO
    assert tm.start() == XAER_DUPID
    assert tm.commit() == XAER_PROTO
    assert tm.prepare() == XA_OK
    assert tm.start() == XAER_DUPID
    assert [tm.start(flags=TMJOIN), tm.prepare(), tm.end(), tm.forget()] == [XAER_PROTO] * 4


def test_a_local_unit_of_work_keeps_a_branch_outside(tm: Manager) -> None:
    assert tm.app.put(tm.q, syncpoint=True) == 0
    assert tm.start() == XAER_OUTSIDE
    assert tm.app.commit() == 0
    assert tm.start() == XA_OK


def test_flags_and_xids_that_are_not_valid(tm: Manager) -> None:
    assert tm.start(b"") == XAER_INVAL
    assert tm.start(X1 + b"more") == XAER_INVAL
    assert tm.start(flags=TMJOIN | TMRESUME) == XAER_INVAL
    assert tm.start(flags=TMASYNC) == XAER_ASYNC
    assert tm.start(flags=TMSUCCESS) == XAER_INVAL
    assert tm.end(flags=TMSUCCESS | TMFAIL) == XAER_INVAL
    assert tm.prepare(flags=TMONEPHASE) == XAER_INVAL
    tm.app.disconnect()
    assert tm.start() == XAER_RMFAIL


def test_an_xid_is_packed_and_unpacked() -> None:
    assert unpack_xid(pack_xid(7, b"g" * 64, b"")) == (7, b"g" * 64, b"")
    for wrong in ((7, b"", b"b"), (7, b"g" * 65, b""), (7, b"g", b"b" * 65), (-1, b"g", b"b")):
        with pytest.raises(BadXid):
            pack_xid(*wrong)
    with pytest.raises(BadXid):
        unpack_xid(b"abc")


def test_a_recovery_scan_goes_on_from_call_to_call(driver: Driver, tm: Manager) -> None:
    xids = [pack_xid(1, b"g", bytes([number])) for number in range(5)]
    for xid in xids:
        tm.work(xid=xid)
        assert tm.prepare(xid) == XA_OK
    connection = tm.app.connection
    assert xa_recover(driver.qm, connection, 2, TMNOFLAGS) == (XAER_INVAL, [])
    assert tm.recover(2, TMSTARTRSCAN) == xids[:2]
    assert tm.recover(2, TMNOFLAGS) == xids[2:4]
    assert tm.recover(2, TMENDRSCAN) == xids[4:]
    assert xa_recover(driver.qm, connection, 2, TMNOFLAGS) == (XAER_INVAL, [])
    assert xa_recover(driver.qm, connection, -1, TMSTARTRSCAN) == (XAER_INVAL, [])


@pytest.mark.parametrize("committed", [True, False])
def test_what_an_administrator_decided_is_told_until_it_is_forgotten(
    driver: Driver, tm: Manager, committed: bool
) -> None:
    tm.work()
    assert resolve_in_doubt(driver.qm, tm.app.connection, X1, committed) == XAER_PROTO
    assert tm.prepare() == XA_OK
    assert resolve_in_doubt(driver.qm, tm.app.connection, X1, committed) == XA_OK
    expected = XA_HEURCOM if committed else XA_HEURRB
    assert depth_and_available(driver) == ((1, 1) if committed else (0, 0))
    assert [tm.commit(), tm.rollback()] == [expected, expected]
    assert tm.recover() == [X1]
    assert tm.start() == XAER_DUPID
    assert tm.forget() == XA_OK
    assert [tm.commit(), tm.forget(), *tm.recover()] == [XAER_NOTA, XAER_NOTA]


def test_branches_of_a_connection_that_ends(driver: Driver, tm: Manager) -> None:
    """Active and suspended ones are rolled back; an idle one only if the connection was lost; prepared ones stay."""
    for lost in (False, True):
        gone, rest = Manager(driver.app("gone")), [X1, X2, pack_xid(2, b"3", b""), pack_xid(2, b"4", b"")]
        gone.work(b"idle", rest[0])
        gone.work(b"prepared", rest[1])
        assert gone.prepare(rest[1]) == XA_OK
        assert gone.start(rest[2]) == XA_OK
        gone.put(b"suspended")
        assert gone.end(rest[2], TMSUSPEND) == XA_OK
        assert gone.start(rest[3]) == XA_OK
        gone.put(b"active")
        if lost:
            gone.app.abandon()
        else:
            assert gone.app.disconnect() == 0
        assert depth_and_available(driver) == ((1, 0) if lost else (2, 0))
        assert tm.rollback(rest[0]) == (XAER_NOTA if lost else XA_OK)
        assert [tm.rollback(xid) for xid in rest[1:]] == [XA_OK, XAER_NOTA, XAER_NOTA]
        assert depth_and_available(driver) == (0, 0)


def test_a_waiting_get_is_served_when_a_branch_is_committed(driver: Driver, tm: Manager) -> None:
    getter = driver.app("getter")
    getter.get(getter.open("Q"), wait_ms=-1)
    tm.work(b"m")
    assert tm.prepare() == XA_OK
    assert driver.woken() == []
    assert tm.commit() == XA_OK
    assert driver.woken() == ["getter"] and getter.data == b"m"


# -- over a crash ------------------------------------------------------------------------------------------------


class Machine:
    """A queue manager with a real log on a disk that loses what was not synced."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.disk = SimulatedDisk()
        self.pages = MemoryPageSet(True)
        Log.create(self.disk, "/log", LogConfig(file_pages=16, primary=3, secondary=2), bytes(16))
        log = self._log()
        list(log.replay())
        objects: list[Definition] = [("QMGR", "QM1", {}), ("QLOCAL", "Q", {})]
        self.qm: Calls = create("QM1", Clock(START_MS), log, self._page_set, Authority(), objects)
        self.tm = Manager(App(self.qm, "tm"))

    def _log(self) -> Log:
        return Log.open(self.disk, "/log")

    def _page_set(self, psid: int) -> PageSet:
        return self.pages

    def force(self) -> None:
        """Wait for the log, as a host does before it answers."""
        if self.qm.log.durable < self.tm.app.connection.force:
            self.qm.log.flush()

    def crash(self) -> None:
        """Everything unsynced may go; then restart."""
        self.disk = self.disk.crash(self.random)
        self.pages = self.pages.crash(self.random.randint(0, self.pages.unsynced))
        self.qm = restart("QM1", Clock(START_MS + 1), self._log(), self._page_set, Authority())
        self.qm.check()
        self.tm = Manager(App(self.qm, "tm"))

    def messages(self) -> list[bytes]:
        return self.tm.app.all(self.tm.q)


SEEDS = range(6)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("checkpoints", [0, 1, 2])
def test_a_branch_in_doubt_survives_a_crash_and_its_message_comes_once(seed: int, checkpoints: int) -> None:
    """X2, also when the PREPARE is no longer in the part of the log that is replayed."""
    machine = Machine(seed)
    machine.tm.work(b"in doubt")
    assert machine.tm.prepare() == XA_OK
    machine.force()
    for _ in range(checkpoints):
        assert machine.tm.app.put(machine.tm.q, b"other", persistence=1) == 0
        checkpoint(machine.qm)
    machine.crash()
    assert machine.tm.recover() == [X1]
    assert machine.messages() == [b"other"] * checkpoints
    machine.crash()
    assert machine.tm.recover() == [X1]
    assert machine.tm.commit() == XA_OK
    machine.force()
    machine.crash()
    assert machine.tm.recover() == []
    found = machine.messages()
    assert found.count(b"in doubt") == 1
    machine.crash()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("commit_it", [True, False])
def test_a_get_in_doubt_stays_pending_over_a_crash(seed: int, commit_it: bool) -> None:
    """The message was on the page set, in memory, or both."""
    machine = Machine(seed)
    assert machine.tm.app.put(machine.tm.q, b"first", persistence=1) == 0
    if seed % 2:
        checkpoint(machine.qm)
    assert machine.tm.start() == XA_OK
    assert machine.tm.app.get(machine.tm.q, syncpoint=True) == 0
    assert machine.tm.end() == XA_OK
    assert machine.tm.prepare() == XA_OK
    machine.force()
    if seed % 3:
        checkpoint(machine.qm)
    machine.crash()
    assert machine.messages() == []
    assert (machine.tm.commit() if commit_it else machine.tm.rollback()) == XA_OK
    machine.force()
    machine.crash()
    assert machine.messages() == ([] if commit_it else [b"first"])


@pytest.mark.parametrize("seed", SEEDS)
def test_an_answer_that_was_not_forced_may_be_lost_but_never_half(seed: int) -> None:
    machine = Machine(seed)
    assert machine.tm.start() == XA_OK
    machine.tm.put(b"1")
    machine.tm.put(b"2")
    assert machine.tm.end() == XA_OK
    assert machine.tm.prepare() == XA_OK
    machine.crash()
    in_doubt = machine.tm.recover()
    assert in_doubt in ([], [X1])
    if in_doubt:
        assert machine.tm.commit() == XA_OK
        assert machine.messages() == [b"1", b"2"]
    else:
        assert machine.messages() == []


def test_non_persistent_messages_of_a_prepared_branch_are_gone_after_a_crash() -> None:
    """X3: those it put are lost, those it got are lost too; the branch is still there to be committed."""
    machine = Machine(0)
    assert machine.tm.app.put(machine.tm.q, b"volatile") == 0
    assert machine.tm.start() == XA_OK
    assert machine.tm.app.get(machine.tm.q, syncpoint=True) == 0
    machine.tm.put(b"np", persistence=0)
    assert machine.tm.end() == XA_OK
    assert machine.tm.prepare() == XA_OK
    assert machine.qm.queues["Q"].depth == 2
    machine.force()
    checkpoint(machine.qm)
    machine.crash()
    assert machine.tm.recover() == [X1]
    assert machine.tm.commit() == XA_OK
    assert machine.messages() == []


@pytest.mark.parametrize("checkpoints", [0, 1, 2])
def test_a_heuristic_decision_survives_a_crash_until_it_is_forgotten(checkpoints: int) -> None:
    machine = Machine(1)
    machine.tm.work(b"m")
    assert machine.tm.prepare() == XA_OK
    assert resolve_in_doubt(machine.qm, machine.tm.app.connection, X1, True) == XA_OK
    machine.force()
    for _ in range(checkpoints):
        checkpoint(machine.qm)
    machine.crash()
    assert machine.tm.commit() == XA_HEURCOM
    assert machine.messages() == [b"m"]
    assert machine.tm.forget() == XA_OK
    machine.force()
    machine.crash()
    assert machine.tm.recover() == []
    assert machine.tm.commit() == XAER_NOTA


def test_an_idle_branch_does_not_survive_a_crash() -> None:
    """X2."""
    machine = Machine(2)
    machine.tm.work(b"m")
    machine.qm.log.flush()
    machine.crash()
    assert (machine.tm.recover(), machine.messages()) == ([], [])
    assert machine.tm.rollback() == XAER_NOTA
