"""MQINQ, MQSET, MQSTAT and XA through `qm.mqi`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import flintmq
from flintmq.mqi.constants import (
    MQCA_Q_NAME,
    MQCA_TRIGGER_DATA,
    MQGMO_SYNCPOINT,
    MQIA_CURRENT_Q_DEPTH,
    MQIA_INHIBIT_PUT,
    MQIA_MAX_Q_DEPTH,
    MQIA_NAME_COUNT,
    MQIA_TRIGGER_DEPTH,
    MQIAV_NOT_APPLICABLE,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQOO_SET,
    MQPER_PERSISTENT,
    MQPMO_ASYNC_RESPONSE,
    MQPMO_SYNCPOINT,
    MQQA_PUT_INHIBITED,
    MQSTAT_TYPE_ASYNC_ERROR,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.object_record import MQOR
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import (
    MQCC_FAILED,
    MQCC_OK,
    MQCC_WARNING,
    MQRC_MULTIPLE_REASONS,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from flintmq.mqi.response_record import MQRR
from flintmq.qmgr import xa
from flintmq.testing import DiskQueueManager, assert_queue

XID = xa.pack_xid(1, b"global", b"branch")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[DiskQueueManager]:
    """A queue manager that can be crashed and restarted."""
    with DiskQueueManager(tmp_path / "QM1") as opened:
        yield opened
        opened._host.engine.check()


def queue_descriptor(name: str = "A") -> MQOD:
    od = MQOD()
    od.object_name = name
    return od


def put_in_unit(qm: flintmq.QueueManager, data: bytes, name: str = "A") -> None:
    md, pmo = MQMD(), MQPMO()
    md.persistence = MQPER_PERSISTENT
    pmo.options = MQPMO_SYNCPOINT
    qm.mqi.put1(queue_descriptor(name), md, pmo, data)


def prepare(qm: flintmq.QueueManager, *data: bytes) -> None:
    """A branch XID on this thread's connection that puts `data`, up to the promise."""
    assert qm.mqi.xa_start(XID) == xa.XA_OK
    for each in data:
        put_in_unit(qm, each)
    assert qm.mqi.xa_end(XID) == xa.XA_OK
    assert qm.mqi.xa_prepare(XID) == xa.XA_OK


# -- distribution lists -----------------------------------------------------------------------------------------------


def test_a_distribution_list_is_opened_and_put_to_as_one(qm: flintmq.QueueManager) -> None:
    """Not all alike is a warning: the call returns, and the response records say which."""
    first, second = qm.queue("A", create=True), qm.queue("B", create=True)
    od, pmo = MQOD(), MQPMO()
    od.version, od.recs_present = 2, 3
    od.object_records = [MQOR("A"), MQOR("NO.SUCH"), MQOR("B")]
    od.response_records = [MQRR(), MQRR(), MQRR()]
    mqi = qm.mqi
    handle = mqi.open(od, MQOO_OUTPUT)
    assert (mqi.completion, mqi.reason) == (MQCC_WARNING, MQRC_MULTIPLE_REASONS)
    assert [record.reason for record in od.response_records] == [0, MQRC_UNKNOWN_OBJECT_NAME, 0]
    md = MQMD()
    md.persistence = MQPER_PERSISTENT
    mqi.put(handle, md, pmo, b"news")
    assert mqi.reason == MQRC_MULTIPLE_REASONS and pmo.invalid_dest_count == 1
    mqi.close(handle)
    assert first.get().data == second.get().data == b"news"
    od.object_records = [MQOR("NO.SUCH")] * 3
    with pytest.raises(flintmq.UnknownObject):
        mqi.put1(od, MQMD(), pmo, b"")


# -- MQINQ, MQSET -----------------------------------------------------------------------------------------------------


def test_inq_answers_in_the_order_of_the_selectors(qm: flintmq.QueueManager) -> None:
    qm.queue("A", create=True, maxdepth=7).put(b"1")
    handle = qm.mqi.open(queue_descriptor(), MQOO_INQUIRE)
    answer = qm.mqi.inq(handle, [MQIA_MAX_Q_DEPTH, MQCA_Q_NAME, MQIA_CURRENT_Q_DEPTH])
    assert answer.integers == [7, 1]
    assert answer.char_attrs() == "A".ljust(48)


def test_inq_of_what_the_object_does_not_have_is_a_warning(qm: flintmq.QueueManager) -> None:
    qm.queue("A", create=True)
    mqi = qm.mqi
    handle = mqi.open(queue_descriptor(), MQOO_INQUIRE)
    assert mqi.inq(handle, [MQIA_NAME_COUNT, MQIA_CURRENT_Q_DEPTH]).integers == [MQIAV_NOT_APPLICABLE, 0]
    assert (mqi.completion, mqi.reason) == (MQCC_WARNING, 2068)


def test_inq_and_set_raise_by_reason(qm: flintmq.QueueManager) -> None:
    qm.queue("A", create=True)
    mqi = qm.mqi
    handle = mqi.open(queue_descriptor(), MQOO_OUTPUT)
    with pytest.raises(flintmq.MQError, match="2038"):
        mqi.inq(handle, [MQIA_CURRENT_Q_DEPTH])
    with pytest.raises(flintmq.MQError, match="2040"):
        mqi.set(handle, [MQIA_INHIBIT_PUT], [MQQA_PUT_INHIBITED])
    assert (mqi.completion, mqi.reason) == (MQCC_FAILED, 2040)
    handle = mqi.open(queue_descriptor(), MQOO_INQUIRE | MQOO_SET)
    with pytest.raises(flintmq.MQError, match="2067"):
        mqi.inq(handle, [-1])
    with pytest.raises(flintmq.MQError, match="2067"):
        mqi.set(handle, [MQIA_MAX_Q_DEPTH], [1])
    with pytest.raises(flintmq.MQError, match="2021"):
        mqi.set(handle, [MQIA_INHIBIT_PUT])
    with pytest.raises(flintmq.MQError, match="2020"):
        mqi.set(handle, [MQIA_INHIBIT_PUT], [1 << 70])


def test_what_is_no_selector_and_no_text_does_not_reach_the_engine(qm: flintmq.QueueManager) -> None:
    qm.queue("A", create=True)
    mqi = qm.mqi
    handle = mqi.open(queue_descriptor(), MQOO_INQUIRE | MQOO_SET)
    with pytest.raises(TypeError):
        mqi.inq(handle, ["CURDEPTH"])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        mqi.set(handle, [MQIA_INHIBIT_PUT], ["ENABLED"])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        mqi.set(handle, [MQCA_TRIGGER_DATA], [], b"data")  # type: ignore[arg-type]
    with pytest.raises(UnicodeEncodeError):
        mqi.set(handle, [MQCA_TRIGGER_DATA], [], "\ud800".ljust(64))
    with pytest.raises(TypeError):
        mqi.xa_start("xid")  # type: ignore[arg-type]
    assert mqi.inq(handle, [MQIA_CURRENT_Q_DEPTH]).integers == [0]


def test_what_was_set_is_there_after_a_crash(disk: DiskQueueManager) -> None:
    qm = disk
    queue = qm.queue("A", create=True)
    handle = qm.mqi.open(queue_descriptor(), MQOO_SET)
    selectors = [MQIA_INHIBIT_PUT, MQCA_TRIGGER_DATA, MQIA_TRIGGER_DEPTH]
    qm.mqi.set(handle, selectors, [MQQA_PUT_INHIBITED, 5], "ring".ljust(64))
    qm.crash()
    with pytest.raises(flintmq.PutInhibited):
        queue.put(b"")
    handle = qm.mqi.open(queue_descriptor(), MQOO_INQUIRE)
    answer = qm.mqi.inq(handle, selectors)
    assert (answer.integers, answer.char_attrs().rstrip()) == ([MQQA_PUT_INHIBITED, 5], "ring")


# -- MQSTAT -----------------------------------------------------------------------------------------------------------


def test_stat_tells_of_asynchronous_puts_once(qm: flintmq.QueueManager) -> None:
    qm.queue("A", create=True, maxdepth=1)
    mqi = qm.mqi
    handle = mqi.open(queue_descriptor(), MQOO_OUTPUT)
    for _ in range(3):
        pmo = MQPMO()
        pmo.options = MQPMO_ASYNC_RESPONSE
        mqi.put(handle, MQMD(), pmo, b"")
    sts = mqi.stat(MQSTAT_TYPE_ASYNC_ERROR)
    assert (sts.put_success_count, sts.put_failure_count, sts.reason, sts.object_name) == (1, 2, 2053, "A")
    sts = mqi.stat(MQSTAT_TYPE_ASYNC_ERROR)
    assert (sts.put_failure_count, sts.comp_code) == (0, MQCC_OK)
    with pytest.raises(flintmq.MQError, match="2430"):
        mqi.stat(99)


# -- XA ---------------------------------------------------------------------------------------------------------------


def test_a_prepared_branch_outlives_a_crash_and_is_committed_once(disk: DiskQueueManager) -> None:
    """X2."""
    qm = disk
    qm.queue("A", create=True)
    prepare(qm, b"hello")
    qm.crash()
    with pytest.raises(flintmq.NoMessageAvailable):
        qm.queue("A").get()
    assert qm.mqi.xa_recover(10) == (xa.XA_OK, [XID])
    assert qm.mqi.xa_start(XID) == xa.XAER_DUPID
    assert qm.mqi.xa_commit(XID) == xa.XA_OK
    assert_queue(qm, "A").has_only(b"hello")
    assert qm.mqi.xa_recover(10) == (xa.XA_OK, [])
    assert qm.mqi.xa_commit(XID) == xa.XAER_NOTA
    qm.crash()
    assert qm.mqi.xa_recover(10) == (xa.XA_OK, [])
    assert_queue(qm, "A").has_only(b"hello")


def test_a_prepared_branch_outlives_a_restart_and_is_rolled_back(disk: DiskQueueManager) -> None:
    """X2. What it got is there again, what it put is not."""
    qm = disk
    qm.queue("A", create=True)
    qm.queue("B", create=True).put(b"old", persistent=True)
    gmo = MQGMO()
    gmo.options = MQGMO_SYNCPOINT
    assert qm.mqi.xa_start(XID) == xa.XA_OK
    handle = qm.mqi.open(queue_descriptor("B"), MQOO_INPUT_SHARED)
    assert qm.mqi.get(handle, MQMD(), gmo) == b"old"
    put_in_unit(qm, b"new")
    assert qm.mqi.xa_end(XID) == xa.XA_OK
    assert qm.mqi.xa_prepare(XID) == xa.XA_OK
    qm.restart()
    with pytest.raises(flintmq.NoMessageAvailable):
        qm.queue("B").get()
    assert qm.mqi.xa_rollback(XID) == xa.XA_OK
    qm.crash()
    assert qm.mqi.xa_recover(10) == (xa.XA_OK, [])
    assert_queue(qm, "A").is_empty()
    assert_queue(qm, "B").has_only(b"old")


def test_what_was_not_prepared_is_gone_after_a_crash(disk: DiskQueueManager) -> None:
    """X2."""
    qm = disk
    qm.queue("A", create=True)
    assert qm.mqi.xa_start(XID) == xa.XA_OK
    put_in_unit(qm, b"hello")
    assert qm.mqi.xa_end(XID) == xa.XA_OK
    qm.crash()
    assert qm.mqi.xa_recover(10) == (xa.XA_OK, [])
    assert qm.mqi.xa_commit(XID) == xa.XAER_NOTA
    assert_queue(qm, "A").is_empty()


def test_one_phase_is_on_disk_when_it_returns(disk: DiskQueueManager) -> None:
    qm = disk
    qm.queue("A", create=True)
    assert qm.mqi.xa_start(XID) == xa.XA_OK
    put_in_unit(qm, b"hello")
    assert qm.mqi.xa_end(XID) == xa.XA_OK
    assert qm.mqi.xa_commit(XID, xa.TMONEPHASE) == xa.XA_OK
    qm.crash()
    assert_queue(qm, "A").has_only(b"hello")


def test_prepare_and_commit_wait_for_the_disk(disk: DiskQueueManager) -> None:
    """H3: each returns only when the log is durable up to its record."""
    qm = disk
    qm.queue("A", create=True)
    host = qm._host
    connection = qm._current()._session.connection
    prepare(qm, b"hello")
    assert 0 < connection.force <= host.log.durable
    prepared = connection.force
    assert qm.mqi.xa_commit(XID) == xa.XA_OK
    assert prepared < connection.force <= host.log.durable


def test_a_prepare_for_which_the_log_has_no_room_is_given_a_checkpoint(disk: DiskQueueManager) -> None:
    """Before, the log holds work that is over; the branch needs more than what is left."""
    qm = disk
    queue = qm.queue("A", create=True)
    log = qm._host.storage.log
    assert log is not None
    part = b"x" * (log.capacity // 20)
    for _ in range(9):
        queue.put(part, persistent=True)
    queue.clear()
    checkpoint = qm._host.engine.checkpoint_position
    prepare(qm, *[part] * 12)
    assert qm._host.engine.checkpoint_position > checkpoint
    qm.crash()
    assert qm.mqi.xa_commit(XID) == xa.XA_OK
    assert_queue(qm, "A").has_depth(12)


def test_a_branch_that_did_nothing_is_over_when_it_is_prepared(qm: flintmq.QueueManager) -> None:
    mqi = qm.mqi
    assert mqi.xa_start(XID) == xa.XA_OK
    assert mqi.xa_end(XID) == xa.XA_OK
    assert mqi.xa_prepare(XID) == xa.XA_RDONLY
    assert mqi.xa_rollback(XID) == xa.XAER_NOTA


def test_one_connection_prepares_and_another_commits(qm: flintmq.QueueManager) -> None:
    qm.queue("A", create=True)
    prepare(qm, b"hello")
    with qm.connect() as other:
        assert other.mqi.xa_commit(XID) == xa.XA_OK
        assert other.queue("A").get().data == b"hello"


def test_a_branch_that_is_not_prepared_goes_with_its_connection(qm: flintmq.QueueManager) -> None:
    qm.queue("A", create=True)
    pmo = MQPMO()
    pmo.options = MQPMO_SYNCPOINT
    with qm.connect() as other:
        assert other.mqi.xa_start(XID) == xa.XA_OK
        other.mqi.put1(queue_descriptor(), MQMD(), pmo, b"hello")
        assert other.mqi.xa_end(XID) == xa.XA_OK
    assert qm.mqi.xa_prepare(XID) == xa.XAER_NOTA
    assert_queue(qm, "A").is_empty()


def test_work_belongs_to_the_branch_and_not_to_cmit(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    assert qm.mqi.xa_start(XID) == xa.XA_OK
    put_in_unit(qm, b"hello")
    with pytest.raises(flintmq.MQError, match="2012"):
        qm.mqi.cmit()
    assert qm.mqi.xa_end(XID, xa.TMFAIL) == xa.XA_OK
    assert qm.mqi.xa_commit(XID, xa.TMONEPHASE) == xa.XA_RBROLLBACK
    assert queue.get_or_none() is None


def test_what_an_administrator_has_resolved_is_told_until_it_is_forgotten(disk: DiskQueueManager) -> None:
    qm = disk
    qm.queue("A", create=True)
    prepare(qm, b"hello")
    host = qm._host
    with host.call:
        connection = qm._current()._session.connection
        assert xa.resolve_in_doubt(host.engine, connection, XID, True) == xa.XA_OK
        force = host.settle(connection)
    host.durable(force)
    qm.crash()
    assert_queue(qm, "A").has_only(b"hello")
    assert qm.mqi.xa_recover(10) == (xa.XA_OK, [XID])
    assert qm.mqi.xa_rollback(XID) == xa.XA_HEURCOM
    assert qm.mqi.xa_forget(XID) == xa.XA_OK
    qm.crash()
    assert qm.mqi.xa_recover(10) == (xa.XA_OK, [])


def test_wrong_xids_flags_and_calls_out_of_order_are_xa_codes(qm: flintmq.QueueManager) -> None:
    mqi = qm.mqi
    assert mqi.xa_start(b"") == xa.XAER_INVAL
    assert mqi.xa_start(XID, 1) == xa.XAER_INVAL
    assert mqi.xa_recover(-1) == (xa.XAER_INVAL, [])
    assert mqi.xa_prepare(XID) == xa.XAER_NOTA
    assert mqi.xa_start(XID) == xa.XA_OK
    assert mqi.xa_prepare(XID) == xa.XAER_PROTO
    assert mqi.xa_end(XID) == xa.XA_OK
    assert mqi.xa_forget(XID) == xa.XAER_PROTO
    qm.close()
    with pytest.raises(flintmq.NotConnected):
        mqi.xa_prepare(XID)
