"""dspmqtrn and rsvmqtrn: units of work in doubt, seen and resolved by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import flintmq
from flintmq.mqi.constants import MQPER_PERSISTENT, MQPMO_SYNCPOINT
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.qmgr import xa

Run = Callable[..., Any]
SMALL = flintmq.LogConfig(file_pages=64)
FIRST = xa.pack_xid(5067085, b"\xde\xad", b"\x01")
SECOND = xa.pack_xid(5067085, b"\xbe\xef", b"")


def prepare(qm: flintmq.QueueManager | flintmq.RemoteQueueManager, xid: bytes, data: bytes) -> None:
    with qm.connect() as connection:
        mqi = connection.mqi
        od, md, pmo = MQOD(), MQMD(), MQPMO()
        od.object_name, md.persistence, pmo.options = "A", MQPER_PERSISTENT, MQPMO_SYNCPOINT
        assert mqi.xa_start(xid) == xa.XA_OK
        mqi.put1(od, md, pmo, data)
        assert mqi.xa_end(xid) == xa.XA_OK
        assert mqi.xa_prepare(xid) == xa.XA_OK


@pytest.fixture
def two_in_doubt() -> None:
    with flintmq.open("QM1", log=SMALL) as qm:
        qm.queue("A", create=True)
        prepare(qm, FIRST, b"first")
        prepare(qm, SECOND, b"second")


@pytest.mark.usefixtures("two_in_doubt")
def test_units_in_doubt_are_shown_with_their_xid(run: Run) -> None:
    ended = run("dspmqtrn", "-m", "QM1")
    assert ended.code == 0
    assert ended.out.count("is in-doubt") == 2
    assert "formatID 5067085, gtrid_length 2, bqual_length 1" in ended.out
    assert "gtrid [DEAD]" in ended.out and "bqual [01]" in ended.out


@pytest.mark.usefixtures("two_in_doubt")
def test_one_is_committed_the_other_backed_out_and_the_transaction_manager_is_told(run: Run) -> None:
    with flintmq.open("QM1") as qm:
        order = sorted(qm._host.engine.in_doubt)
    numbers = dict(zip(order, run("dspmqtrn", "-m", "QM1", "-q").out.splitlines(), strict=True))
    ended = run("rsvmqtrn", "-m", "QM1", "-c", numbers[FIRST])
    assert ended.code == 0 and f"{numbers[FIRST]} was committed" in ended.out
    assert run("dspmqtrn", "-m", "QM1", "-q").out.splitlines() == [numbers[SECOND]]
    assert run("rsvmqtrn", "-m", "QM1", "-b", numbers[SECOND]).code == 0
    shown = run("dspmqtrn", "-m", "QM1", "-a").out
    assert "was committed by hand" in shown and "was backed out by hand" in shown
    with flintmq.open("QM1") as qm:
        assert [message.data for message in qm.queue("A").messages()] == [b"first"]
        assert qm.mqi.xa_rollback(FIRST) == xa.XA_HEURCOM
        assert qm.mqi.xa_commit(SECOND) == xa.XA_HEURRB
    assert run("rsvmqtrn", "-m", "QM1", "-f", numbers[FIRST]).code == 0
    assert run("rsvmqtrn", "-m", "QM1", "-f", numbers[FIRST]).code == 85
    assert run("dspmqtrn", "-m", "QM1", "-h", "-q").out.splitlines() == [numbers[SECOND]]


def test_nothing_in_doubt_is_102_and_an_unknown_number_85(run: Run) -> None:
    flintmq.open("QM1", log=SMALL).close()
    ended = run("dspmqtrn", "-m", "QM1")
    assert ended.code == 102 and ended.out.startswith("AMQ7107I")
    for option in ("-b", "-c", "-f"):
        ended = run("rsvmqtrn", "-m", "QM1", option, "0,1")
        assert ended.code == 85 and "AMQ7225E" in ended.err
    assert run("rsvmqtrn", "-m", "QM1").code == 2
    assert run("rsvmqtrn", "-m", "QM1", "-b", "0,1", "-c", "0,2").code == 2


def test_a_queue_manager_in_use_or_unknown_is_refused(run: Run) -> None:
    assert run("dspmqtrn", "-m", "NO.SUCH").code == 72
    with flintmq.open("QM1", log=SMALL):
        ended = run("rsvmqtrn", "-m", "QM1", "-c", "0,1")
        assert ended.code == 40 and "in use" in ended.err
