"""runmqsc on a queue manager that nobody else has open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import flintmq
from flintmq.cli import runmqsc

Run = Callable[..., Any]
SMALL = flintmq.LogConfig(file_pages=64)


def make() -> None:
    flintmq.open("QM1", log=SMALL).close()


def test_commands_from_standard_input_are_echoed_run_and_summed_up(run: Run) -> None:
    make()
    ended = run("runmqsc", "QM1", text="DEFINE QLOCAL(A) +\n  MAXDEPTH(7)\n* a comment\nDISPLAY QLOCAL(A) MAXDEPTH\n")
    assert ended.code == 0
    assert ended.out.splitlines()[:8] == [
        "FlintMQ MQSC, command level 942.",
        "Starting MQSC for queue manager QM1.",
        "",
        "",
        "     1 : DEFINE QLOCAL(A) +",
        "       :   MAXDEPTH(7)",
        "AMQ8006I: Queue created.",
        "       : * a comment",
    ]
    assert "   MAXDEPTH(7)" in ended.out
    assert ended.out.splitlines()[-3:] == [
        "2 MQSC commands read.",
        "No commands have a syntax error.",
        "All valid MQSC commands were processed.",
    ]
    with flintmq.open("QM1") as qm:
        assert qm.mqsc("DISPLAY QLOCAL(A) MAXDEPTH").rows[0]["MAXDEPTH"] == 7


def test_a_failed_command_or_a_syntax_error_is_10(run: Run) -> None:
    make()
    assert run("runmqsc", "QM1", text="DELETE QLOCAL(NO.SUCH)\n").code == 10
    assert run("runmqsc", "QM1", text="RUBBISH\n").code == 10
    assert run("runmqsc", "QM1", text="PING QMGR\nEND\nRUBBISH\n").code == 0


def test_what_cannot_be_run_is_20(run: Run, data: Path) -> None:
    ended = run("runmqsc", "QM1", text="PING QMGR\n")
    assert ended.code == 20 and "AMQ8118E" in ended.err
    with flintmq.open("QM1", log=SMALL):
        ended = run("runmqsc", "QM1", text="PING QMGR\n")
        assert ended.code == 20 and "AMQ8146E: queue manager QM1 is in use by this process" in ended.err
    assert run("runmqsc", "-f", "no/such/file", "QM1").code == 20
    assert run("runmqsc", "bad name").code == 20
    (data / "qmgrs" / "QM1" / "log" / "control.lfh").write_bytes(b"rubbish")
    ended = run("runmqsc", "QM1")
    assert ended.code == 20 and "control.lfh" in ended.err and ended.err.count("\n") == 1


def test_from_a_file_without_echo_and_by_path(run: Run, tmp_path: Path, data: Path) -> None:
    make()
    (tmp_path / "in.mqsc").write_text("DEFINE QLOCAL(A)\n")
    ended = run("runmqsc", "-e", "-f", str(tmp_path / "in.mqsc"), str(data / "qmgrs" / "QM1"))
    assert ended.code == 0
    assert "DEFINE" not in ended.out and "AMQ8006I" in ended.out


def test_verify_changes_nothing(run: Run) -> None:
    make()
    ended = run("runmqsc", "-v", "QM1", text="DEFINE QLOCAL(A)\nDEFINE QLOCAL(B) MAXDEPTH(x)\n")
    assert ended.code == 10 and "One command has a syntax error." in ended.out
    assert run("runmqsc", "QM1", text="DISPLAY QLOCAL(A)\n").code == 10


def test_options_of_mq_that_cannot_be_had_say_what_to_do_instead(run: Run) -> None:
    for words in (["-w", "30", "QM9"], ["-m", "QM1", "QM9"], ["-w", "30", "-x", "QM9"], ["-n"], ["-u", "admin", "QM1"]):
        ended = run("runmqsc", *words)
        assert (ended.code, ended.out, ended.err.count("\n")) == (20, "", 1)
        assert "-c" in ended.err or "JSON" in ended.err


def test_the_prompt_names_the_queue_manager_and_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAGE", "test")
    monkeypatch.setenv("MQPROMPT", "+STAGE+ +QMNAME+ +NOT.SET+> ")
    assert runmqsc._prompt(None, "QM1") == "test QM1 +NOT.SET+> "
    assert runmqsc._prompt("+QMNAME+: ", "QM1") == "QM1: "
    monkeypatch.delenv("MQPROMPT")
    assert runmqsc._prompt(None, "QM1") == ""
