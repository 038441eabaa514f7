"""The host: what it does when something breaks, and what it writes down. H1 to H6 are in host.py."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import flintmq
from flintmq.host.error_log import ErrorLog
from flintmq.host.instance import ENDED_NORMALLY, ENDED_UNEXPECTEDLY, by_name, status
from flintmq.log.errors import LogError
from flintmq.qmgr.clock import Clock
from tests.waiting import PATIENCE

Opener = Callable[[], flintmq.QueueManager]


class BrokenDisk:
    """A log that cannot be written."""

    durable = 0
    end = 0

    def append(self, kind: int, body: bytes, data: bytes = b"") -> int:
        raise AssertionError("not called")

    def checkpoint(self, position: int, generation: int, note: bytes = b"") -> None:
        raise AssertionError("not called")

    def flush(self) -> int:
        raise LogError("no space left on device")


def error_log(qm: flintmq.QueueManager) -> str:
    assert qm.directory is not None
    return (qm.directory / "errors" / "AMQERR01.LOG").read_text()


def test_after_an_io_error_nothing_more_is_done_and_a_restart_finds_what_was_committed(open_disk: Opener) -> None:
    """H4. The put whose flush failed was not acknowledged; it may be there or not."""
    qm = open_disk()
    queue = qm.queue("A", create=True)
    queue.put(b"acknowledged", persistent=True)
    qm._host.commits._log = BrokenDisk()
    with pytest.raises(flintmq.NotConnected, match="has stopped: no space left on device"):
        queue.put(b"not acknowledged", persistent=True)
    for call in (lambda: queue.put(b""), queue.get, lambda: qm.mqsc("PING QMGR"), lambda: queue.depth):
        with pytest.raises(flintmq.NotConnected, match="2009"):
            call()
    assert "AMQ6119S: The queue manager has stopped: no space left" in error_log(qm)
    qm.close()
    assert status(by_name("QM1")) == ENDED_UNEXPECTEDLY
    with open_disk() as qm:
        assert next(qm.queue("A").messages()).data == b"acknowledged"


def test_a_bug_of_ours_stops_the_queue_manager_and_leaves_a_dump(
    open_disk: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    qm = open_disk()
    queue = qm.queue("A", create=True)
    queue.put(b"1", persistent=True)

    class Broken(Clock):
        def now_ms(self) -> int:
            raise AssertionError("U1: a message is in two units")

    with monkeypatch.context() as patch:
        patch.setattr(qm._host.engine, "clock", Broken())
        with pytest.raises(AssertionError, match="U1"):
            queue.put(b"2")
    with pytest.raises(flintmq.NotConnected, match="AssertionError in the middle of a call"):
        queue.put(b"3")
    assert qm.directory is not None
    (dump,) = (qm.directory / "errors").glob("FLINT*.FDC")
    assert "U1: a message is in two units" in dump.read_text() and "Traceback" in dump.read_text()
    qm.close()
    with open_disk() as qm:
        assert [message.data for message in qm.queue("A").messages()] == [b"1"]


def test_checkpoints_are_taken_as_the_log_fills_and_a_small_log_is_enough(open_disk: Opener) -> None:
    with open_disk() as qm:
        queue = qm.queue("A", create=True, maxdepth=10_000)
        log = qm._host.storage.log
        assert log is not None
        for _ in range(30):  # Some 6 MB through a log of 1.2 MB.
            with qm.transaction():
                for _ in range(4):
                    queue.put(bytes(50_000), persistent=True)
            with qm.transaction():
                for _ in range(4):
                    queue.get()
        assert log.counters.checkpoints > 5
        assert queue.depth == 0


def test_a_unit_of_work_that_is_too_big_for_the_log_is_refused_and_backed_out(open_disk: Opener) -> None:
    with open_disk() as qm:
        queue = qm.queue("A", create=True)
        queue.put(b"before", persistent=True)
        with pytest.raises(flintmq.MQError, match="the recovery log is full") as caught, qm.transaction():
            for _ in range(40):
                queue.put(bytes(50_000), persistent=True)
        assert caught.value.reason == 2102
        assert [message.data for message in queue.messages()] == [b"before"]
        qm._host.engine.check()


def test_log_full_by_others_is_cured_by_a_checkpoint(open_disk: Opener) -> None:
    with open_disk() as qm:
        qm._host.engine.checkpoint_bytes = 1 << 40  # None is taken in good time.
        queue = qm.queue("A", create=True)
        for _ in range(40):
            queue.put(bytes(50_000), persistent=True)
        assert queue.depth == 40
        with qm.transaction():
            for _ in range(10):
                queue.get()
        while queue.get_or_none(syncpoint=False) is not None:
            pass
        assert qm._host.engine.counters.checkpoints > 1


def test_notices_of_the_engine_go_to_the_error_log(open_disk: Opener) -> None:
    with open_disk() as qm:
        qm._host.engine.notice("AMQ9999I", "Something to tell.")
        qm.queue("A", create=True).put(b"")
        text = error_log(qm)
        assert "AMQ9999I: Something to tell." in text and "QMgr(QM1)" in text and "Process(" in text


def test_the_error_log_is_shifted_when_it_is_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flintmq.host.error_log.SIZE_MAX", 1000)
    log = ErrorLog(tmp_path, "QM1")
    for number in range(50):
        log.write("AMQ0001I", f"Message {number}.")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["AMQERR01.LOG", "AMQERR02.LOG", "AMQERR03.LOG"]
    assert "Message 49." in (tmp_path / "AMQERR01.LOG").read_text()
    assert len(log.recent) == 50


def test_an_error_log_that_cannot_be_written_stops_nobody(tmp_path: Path) -> None:
    log = ErrorLog(tmp_path / "no such directory", "QM1")
    log.write("AMQ0001I", "Nobody hears.")
    assert log.dump(ValueError("x")) == ""
    assert log.recent[0] == ("AMQ0001I", "Nobody hears.")


def test_closing_twice_is_once(qm: flintmq.QueueManager) -> None:
    qm.close()
    qm.close()
    assert qm.closed and "closed" in repr(qm)


def test_a_put_is_slowed_down_while_the_page_set_fills(
    qm: flintmq.QueueManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B140: from 85 % on each put is held back a little, until the page set has grown."""
    slept: list[float] = []
    monkeypatch.setattr("flintmq.client.thread_session.time.sleep", slept.append)
    qm.mqsc("DEFINE PSID(9) PAGES(100) EXPAND(SYSTEM)\nDEFINE STGCLASS(NINE) PSID(9)")
    queue = qm.queue("A", create=True, stgclass="NINE")
    for _ in range(80):
        queue.put(b"")
    assert slept == []
    for _ in range(8):
        queue.put(b"")
    assert slept and all(0 < seconds < 1 for seconds in slept)


@pytest.mark.parametrize("left_open", ["builtins.kept = qm", "builtins.kept = queue.consume(print)", "1 / 0"])
def test_a_queue_manager_that_a_program_left_open_is_closed_at_exit(left_open: str, data: Path) -> None:
    """H6. Issue 14, item 22: no traceback but the program's own, and the next start finds a clean end."""
    program = f"""
import builtins, threading, flintmq
qm = flintmq.open("QM1")
queue = qm.queue("A", create=True)
queue.put("kept", persistent=True)
threading.Thread(target=lambda: queue.get(wait=True, correlation_id=b"never"), daemon=True).start()
with qm.transaction():
    queue.put("backed out", persistent=True)
    builtins.qm = qm
    {left_open}
    raise SystemExit(0)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE)
    expected = ["ZeroDivisionError: division by zero"] if "/" in left_open else []
    assert [line for line in ran.stderr.splitlines() if "Error" in line or "ignored" in line] == expected
    assert status(by_name("QM1")) == ENDED_NORMALLY
    with flintmq.open("QM1") as qm:
        assert [message.text for message in qm.queue("A").browse()] in (["kept"], [])  # print() may have had it.


@pytest.mark.parametrize("path", ["/proc/no-such-place/qm", "{file}/qm"])
def test_a_place_where_no_queue_manager_can_be_is_told_as_an_mq_error(path: str, tmp_path: Path) -> None:
    """Issue 14, item 27."""
    (tmp_path / "file").write_text("")
    place = path.format(file=tmp_path / "file")
    with pytest.raises(flintmq.QueueManagerError, match=re.escape(place.rpartition("/")[0])):
        flintmq.open(place)
