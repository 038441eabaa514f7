"""Records of an open queue manager: started by command or by qm.ini, written by a thread, ended with it."""

from __future__ import annotations

from pathlib import Path

import pytest

import flintmq
from tests.telemetry.recording.reading import Read, pieces, read_dump, read_record
from tests.waiting import until


def dumps(directory: Path) -> list[Path]:
    return sorted((directory / "smf").glob("*.smf"))


def sections(records: list[Read], structure: str) -> list[dict[str, object]]:
    return [entry for record in records for entry in record.sections.get(structure, [])]


def test_traces_started_by_command_are_written_when_the_queue_manager_ends(tmp_path: Path) -> None:
    directory = tmp_path / "QM1"
    with flintmq.open(directory) as qm:
        qm.mqsc("ALTER QMGR STATQ(ON) ACCTQ(ON)")
        qm.mqsc("START TRACE(STAT) CLASS(1,5)")
        qm.mqsc("START TRACE(ACCTG) CLASS(1,3)")
        queue = qm.queue("ORDERS", create=True)
        for number in range(5):
            queue.put(b"12345", persistent=number % 2 == 0)
        queue.get()
    records = read_dump(dumps(directory)[0])
    (messages,) = sections(records, "QMST")
    assert (messages["QMSTPUT"], messages["QMSTSPP"], messages["QMSTSNP"]) == (5, 3, 2)
    (orders,) = [each for each in sections(records, "QQST") if each["QQSTQNAM"] == "ORDERS"]
    assert (orders["QQSTPUTS"], orders["QQSTGETS"], orders["QQSTDPTH"]) == (5, 1, 4)
    (use,) = [each for each in sections(records, "WQ") if each["OBJNAME"] == "ORDERS"]
    assert (use["PUTN"], use["GETN"], use["PUTBYTES"], use["GETBYTES"]) == (5, 1, 25, 5)
    (log,) = sections(records, "QJST")
    writes = log["QJSTIOCOUNT_1_1"], log["QJSTIOCOUNT_1_2"]
    assert all(isinstance(each, int) for each in writes)
    assert int(str(log["QJSTWRNW"])) >= 4 and int(str(log["QJSTIOTOTIO_1_1"])) > 0


def test_an_interval_of_one_second_is_written_while_the_queue_manager_runs(tmp_path: Path) -> None:
    directory = tmp_path / "QM1"
    directory_ini = "Telemetry:\n   SMFStat=2\n   SMFCompression=gzip\n"
    with flintmq.open(directory) as qm:
        qm.mqsc("SET SYSTEM STATIME(0.01)")
    (directory / "qm.ini").write_text((directory / "qm.ini").read_text() + directory_ini)
    with flintmq.open(directory) as qm:
        assert "STATIME(0.01)" in str(qm.mqsc("DISPLAY SYSTEM"))
        assert "CLASS(2)" in str(qm.mqsc("DISPLAY TRACE(STAT)"))
        written: list[bytes] = []

        def two() -> bool:
            try:
                written[:] = [record for path in dumps(directory) for record in pieces(path.read_bytes())[1:]]
            except AssertionError:
                return False  # A record is being written.
            return len(written) >= 2

        until(two, "two intervals are written")
        first, second = (read_record(data) for data in written[:2])
        assert first.kind == second.kind == "115-7"
    assert not dumps(directory), "it was compressed when it was closed"
    assert list((directory / "smf").glob("*.smf.gz"))


def test_a_bad_setting_stands_in_the_error_log_and_the_queue_manager_starts(tmp_path: Path) -> None:
    directory = tmp_path / "QM1"
    with flintmq.open(directory):
        pass
    (directory / "qm.ini").write_text((directory / "qm.ini").read_text() + "Telemetry:\n   SMFStat=9\n")
    with flintmq.open(directory) as qm:
        assert "CSQW137I" in str(qm.mqsc("DISPLAY TRACE(*)"))
    log = (directory / "errors" / "AMQERR01.LOG").read_text()
    assert "qm.ini, stanza Telemetry: SMFStat=9: must be classes of STAT: 1, 2, 3, 4, 5; it is left out" in log


def test_a_queue_manager_in_memory_says_that_its_records_are_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """B20: and goes on."""
    with flintmq.open(":memory:") as qm:
        qm.mqsc("START TRACE(STAT) CLASS(2)")
        qm.mqsc("RESET QMGR TYPE(STATISTICS)")
        qm.queue("Q", create=True).put(b"1")
        host = qm._host
        assert [number for number, _ in host.errors.recent if number.startswith("CSQW")] == ["CSQW133E"]


def test_nothing_is_left_behind_when_no_trace_was_started(tmp_path: Path) -> None:
    directory = tmp_path / "QM1"
    with flintmq.open(directory) as qm:
        qm.queue("Q", create=True).put(b"1")
        assert qm._host.recording.recorder is None
    assert not (directory / "smf").exists()
