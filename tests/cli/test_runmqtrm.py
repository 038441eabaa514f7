"""The trigger monitor, on a queue manager that runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import flintmq
from flintmq.cli._samples import queue
from flintmq.cli.main import main
from flintmq.cli.runmqtrm import CannotStart, command_of
from flintmq.mqi.constants import MQFB_APPL_CANNOT_BE_STARTED, MQFMT_TRIGGER, MQOO_INPUT_SHARED
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.tm import MQTM
from flintmq.mqi.tmc2 import MQTMC2
from tests.server.test_process import Manager, manager

__all__ = ["manager"]


def test_the_command_has_the_trigger_message_as_its_argument() -> None:
    trigger = MQTM()
    trigger.q_name, trigger.appl_id, trigger.env_data = "IT'S.QUOTED", "/opt/start 'two words'", "more; words &"
    (program, first, argument, *rest), waits = command_of(trigger, "QM1")
    assert (program, first, rest, waits) == ("/opt/start", "two words", ["more;", "words"], False)
    assert MQTMC2.unpack(argument.encode()).q_mgr_name == "QM1"


@pytest.mark.parametrize("applicid", ["", "&", "'not closed"])
def test_an_applicid_that_names_no_program_starts_nothing(applicid: str) -> None:
    trigger = MQTM()
    trigger.appl_id = applicid
    with pytest.raises(CannotStart):
        command_of(trigger, "QM1")


def forged(told: Path, process: str) -> bytes:
    """A trigger message that somebody wrote who is no queue manager."""
    trigger = MQTM()
    trigger.q_name, trigger.process_name = "ONE", process
    trigger.appl_id = f"touch {told}.forged"
    trigger.env_data = "; touch forged.shell"
    trigger.trigger_data = "$(touch forged.data)\x1b[2J"
    return trigger.pack()


def test_an_application_is_started_and_one_that_is_not_there_is_a_dead_letter(
    manager: Manager, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 14, item 1: only what a PROCESS object says is run, without a shell; a forged message runs nothing."""
    monkeypatch.chdir(tmp_path)
    told = tmp_path / "told"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$1\" >>{told}\n")
    script.chmod(0o700)
    with flintmq.open(manager.place.directory) as qm:
        qm.mqsc(f"""
            DEFINE QLOCAL(INITQ)
            DEFINE PROCESS(WRITES) APPLICID('{script}') ENVRDATA('; touch forged.shell')
            DEFINE PROCESS(MISSING) APPLICID('/no/such/program')
            DEFINE QLOCAL(ONE) TRIGGER TRIGTYPE(EVERY) PROCESS(WRITES) INITQ(INITQ)
            DEFINE QLOCAL(TWO) TRIGGER TRIGTYPE(EVERY) PROCESS(MISSING) INITQ(INITQ)
        """)
    manager.start()
    with flintmq.connect("QM1") as qm:
        handle = qm.mqi.open(queue("INITQ"), MQOO_INPUT_SHARED)
        for name in ("ONE", "TWO"):
            qm.queue(name).put(b"work", persistent=True)
        qm.mqi.close(handle)
        for process in ("WRITES", "NOT.DEFINED", ""):
            qm.queue("INITQ").put(forged(told, process), format=MQFMT_TRIGGER)
        assert main(["runmqtrm", "-m", "QM1", "-q", "INITQ", "--count", "5", "--wait", "0"]) == 0
        assert [line[:11] for line in told.read_text().splitlines()] == ["TMC    2ONE"] * 2
        for _ in range(3):
            dead = MQDLH.unpack(qm.queue("DEV.DEAD.LETTER.QUEUE").get().data)
            assert (dead.reason, dead.dest_q_name) == (MQFB_APPL_CANNOT_BE_STARTED, "INITQ")
    assert not list(tmp_path.glob("*forged*"))
    said = capsys.readouterr().out
    assert "trigger monitor started" in said and "End of application trigger." in said
    assert "process NOT.DEFINED: the PROCESS object cannot be inquired" in said and "names no process" in said
    assert "\x1b" not in said
    assert main(["runmqtrm", "-m", "QM1", "-q", "NO.SUCH"]) == 20
