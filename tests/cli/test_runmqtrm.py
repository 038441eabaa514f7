"""The trigger monitor, on a queue manager that runs."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

import flintmq
from flintmq.cli._samples import queue
from flintmq.cli.main import main
from flintmq.cli.runmqtrm import command_of
from flintmq.mqi.constants import MQFB_APPL_CANNOT_BE_STARTED, MQOO_INPUT_SHARED
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.tm import MQTM
from flintmq.mqi.tmc2 import MQTMC2
from tests.server.test_process import Manager, manager

__all__ = ["manager"]


def test_the_command_has_the_trigger_message_as_its_argument() -> None:
    trigger = MQTM()
    trigger.q_name, trigger.appl_id, trigger.env_data = "IT'S.QUOTED", "/opt/start", "&"
    program, argument, rest = shlex.split(command_of(trigger, "QM1"))
    assert (program, rest) == ("/opt/start", "&")
    assert MQTMC2.unpack(argument.encode()).q_mgr_name == "QM1"


def test_an_application_is_started_and_one_that_is_not_there_is_a_dead_letter(
    manager: Manager, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = tmp_path / "told"
    with flintmq.open(manager.place.directory) as qm:
        qm.mqsc(f"""
            DEFINE QLOCAL(INITQ)
            DEFINE PROCESS(WRITES) APPLICID('echo >{told}')
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
        assert main(["runmqtrm", "-m", "QM1", "-q", "INITQ", "--wait", "0"]) == 0
        assert told.read_text().startswith("TMC    2ONE")
        dead = MQDLH.unpack(qm.queue("DEV.DEAD.LETTER.QUEUE").get().data)
        assert (dead.reason, dead.dest_q_name) == (MQFB_APPL_CANNOT_BE_STARTED, "INITQ")
    said = capsys.readouterr().out
    assert "trigger monitor started" in said and "End of application trigger." in said
    assert main(["runmqtrm", "-m", "QM1", "-q", "NO.SUCH"]) == 20
