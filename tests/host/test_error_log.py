"""The error log: what a message looks like, and when the files are renamed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import flintmq
from flintmq.host import error_log
from flintmq.host.error_log import ErrorLog, wants_json


def test_a_message_is_an_entry_of_the_log_and_a_line_of_json_if_that_is_wanted(tmp_path: Path) -> None:
    ErrorLog(tmp_path, "QM1").write("AMQ8003I", "It has started.")
    assert not (tmp_path / "AMQERR01.json").exists()
    ErrorLog(tmp_path, "QM1", as_json=True).write("AMQ9504E", 'He said "no".')
    assert "QMgr(QM1)" in (tmp_path / "AMQERR01.LOG").read_text()
    (line,) = (tmp_path / "AMQERR01.json").read_text().splitlines()
    message = json.loads(line)
    assert message["ibm_messageId"] == "AMQ9504E" and message["loglevel"] == "ERROR"
    assert message["message"] == 'AMQ9504E: He said "no".' and message["ibm_serverName"] == "QM1"


@pytest.mark.parametrize("kind", ["LOG", "json"])
def test_files_are_renamed_when_they_have_grown_and_three_are_kept(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(error_log, "SIZE_MAX", 1000)
    log = ErrorLog(tmp_path, "QM1", as_json=True)
    for number in range(40):
        log.write("AMQ8004I", f"message {number:03d}")
    names = sorted(path.name for path in tmp_path.glob(f"*.{kind}"))
    assert names == [f"AMQERR{number:02d}.{kind}" for number in (1, 2, 3)]
    assert "message 039" in (tmp_path / names[0]).read_text()
    assert "message 000" not in "".join(path.read_text() for path in tmp_path.glob(f"*.{kind}"))


def test_qm_ini_says_whether_messages_are_json(tmp_path: Path) -> None:
    place = tmp_path / "QM1"
    flintmq.open(place, create=True).close()
    with open(place / "qm.ini", "a") as file:
        file.write("DiagnosticMessages:\n   Service = File\n   Format = json\n")
    with flintmq.open(place) as qm:
        qm._host.errors.write("AMQ8004I", "hello")
    lines = [json.loads(line) for line in (place / "errors" / "AMQERR01.json").read_text().splitlines()]
    assert "AMQ8004I: hello" in [line["message"] for line in lines]


@pytest.mark.parametrize(
    ("service", "form", "wanted"),
    [("File", "json", True), ("", "JSON", True), ("Syslog", "json", False), ("File", "text", False), ("", "", False)],
)
def test_which_stanzas_ask_for_json(service: str, form: str, wanted: bool) -> None:
    assert wants_json(service, form) is wanted


def test_a_log_that_cannot_be_written_stops_nobody(tmp_path: Path) -> None:
    log = ErrorLog(tmp_path / "not there", "QM1", as_json=True)
    log.write("AMQ8004I", "kept in memory")
    assert log.recent == [("AMQ8004I", "kept in memory")]


def test_a_name_that_is_no_name_forges_no_message_and_stops_nobody(tmp_path: Path) -> None:
    """What a client calls itself comes off the wire: line ends, escape sequences, half of a character."""
    log = ErrorLog(tmp_path, "QM1", as_json=True)
    log.write("AMQ9504E", "User 'x\nAMQ8004I: The queue manager has ended.\x1b[2J\udcff' was refused; ä stays.")
    text = (tmp_path / "AMQERR01.LOG").read_text("utf-8")
    assert "\nAMQ8004I" not in text and "\x1b" not in text
    shown = r"User 'x\nAMQ8004I: The queue manager has ended.\x1b[2J\udcff' was refused; ä stays."
    assert shown in text and log.recent == [("AMQ9504E", shown)]
    assert json.loads((tmp_path / "AMQERR01.json").read_text())["message"] == f"AMQ9504E: {shown}"
    assert log.dump(ValueError("\udcff"))
