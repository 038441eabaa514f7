"""START TRACE(GLOBAL): calls of applications in the trace file."""

from __future__ import annotations

from pathlib import Path

import pytest

import flintmq
from flintmq.cli.main import main
from flintmq.mqi.call_errors import QueueFull
from flintmq.mqi.trace_words import CALL_NAMES
from flintmq.telemetry.trace_file import ENTRY, EXIT, Event, read


def events(directory: Path) -> list[Event]:
    (path,) = (directory / "trace").iterdir()
    return list(read(path))


def words(found: list[Event]) -> list[str]:
    return [f"{CALL_NAMES[event.call]}{'>' if event.event == ENTRY else '<'}{event.reason}" for event in found]


def test_calls_are_traced_from_entry_to_exit_without_the_data_of_messages(tmp_path: Path) -> None:
    directory = tmp_path / "QM1"
    with flintmq.open(directory) as qm:
        queue = qm.queue("ORDERS", create=True)
        queue.put(b"before")
        qm.mqsc("START TRACE(GLOBAL) CLASS(3)")
        queue.put(b"a secret")
        assert queue.get() is not None
        qm.mqsc("STOP TRACE(GLOBAL)")
        queue.put(b"after")
        assert qm._host.engine.tracer is None and not qm._host.engine.accounting
    found = [event for event in events(directory) if event.name == "ORDERS"]
    assert words(found) == ["MQPUT>0", "MQPUT<0", "MQOPEN>0", "MQOPEN<0", "MQGET>0", "MQGET<0"]
    assert [event.length for event in found if event.event == EXIT] == [8, 0, 6]
    assert all(event.data == b"" for event in found)
    assert b"secret" not in next((directory / "trace").iterdir()).read_bytes()


def test_data_is_traced_if_that_was_asked_for(tmp_path: Path) -> None:
    directory = tmp_path / "QM1"
    with flintmq.open(directory) as qm:
        qm.mqsc("START TRACE(GLOBAL) TDATA(MSGDATA)")
        qm.queue("ORDERS", create=True).put(b"no secret")
    assert [event.data for event in events(directory) if event.data] == [b"no secret"]


def test_class_2_has_only_calls_that_fail(tmp_path: Path) -> None:
    directory = tmp_path / "QM1"
    with flintmq.open(directory) as qm:
        queue = qm.queue("ORDERS", create=True, maxdepth=1)
        qm.mqsc("START TRACE(GLOBAL) CLASS(2)")
        queue.put(b"1")
        with pytest.raises(QueueFull):
            queue.put(b"2")
    assert words(events(directory)) == ["MQPUT<2053"]


def test_a_trace_without_accounting_writes_no_records(tmp_path: Path) -> None:
    directory = tmp_path / "QM1"
    with flintmq.open(directory) as qm:
        qm.mqsc("START TRACE(GLOBAL)")
        qm.queue("ORDERS", create=True).put(b"1")
    assert not (directory / "smf").exists()


def test_flint_trace_prints_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path))
    with flintmq.open("QM1") as qm:
        assert main(["trace", "format", "QM1"]) == 1
        assert "START TRACE(GLOBAL)" in capsys.readouterr().err
        qm.mqsc("START TRACE(GLOBAL)")
        qm.queue("ORDERS", create=True).put(b"12345")
        assert main(["trace", "format", "--call", "mqput", "QM1"]) == 0
        entry, leaving = capsys.readouterr().out.splitlines()
        assert " MQPUT     >  " in entry and "5 bytes  0 MQRC_NONE" in leaving
        assert main(["trace", "format", "--failed", "QM1"]) == 0
        assert capsys.readouterr().out == ""
    assert main(["trace", "format", "--call", "MQNOTHING", "QM1"]) == 2
    other = tmp_path / "no.TRC"
    other.write_bytes(b"no trace")
    assert main(["trace", "format", str(other)]) == 1
    assert "is not a trace file" in capsys.readouterr().err


def test_a_queue_manager_in_memory_says_that_it_has_no_trace_file() -> None:
    with flintmq.open(":memory:") as qm:
        qm.mqsc("START TRACE(GLOBAL)")
        qm.queue("Q", create=True).put(b"1")
        assert any("no trace file" in text for number, text in qm._host.errors.recent if number == "CSQW133E")
