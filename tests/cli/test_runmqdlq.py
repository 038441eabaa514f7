"""runmqdlq as a user runs it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import flintmq
from flintmq.mqi.constants import MQFMT_DEAD_LETTER_HEADER, MQPMO_SET_ALL_CONTEXT
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO

Run = Callable[..., Any]
SMALL = flintmq.LogConfig(file_pages=64)


def make(count: int = 2) -> None:
    """QM1 with dead letters for OUT."""
    dlh = MQDLH()
    dlh.reason, dlh.dest_q_name, dlh.format, dlh.encoding, dlh.coded_char_set_id = 2053, "OUT", "MQSTR", 546, 1208
    with flintmq.open("QM1", log=SMALL) as qm:
        qm.mqsc("DEFINE QLOCAL(DLQ)\nDEFINE QLOCAL(OUT)\nALTER QMGR DEADQ(DLQ)")
        for number in range(count):
            qm.queue("DLQ").put(dlh.pack() + b"%d" % number, persistent=True, format=MQFMT_DEAD_LETTER_HEADER)


def test_the_rules_come_from_standard_input_and_the_summary_is_printed(run: Run) -> None:
    make()
    ended = run("runmqdlq", "DLQ", "QM1", text="WAIT(NO)\nREASON(MQRC_Q_FULL) ACTION(RETRY)\n")
    assert (ended.code, ended.err) == (0, "")
    counts = "0 discarded, 2 delivered, 0 forwarded, 0 left, 0 without a dead-letter header"
    assert ended.out.splitlines() == [
        "AMQ8708I: Dead-letter queue handler started to process INPUTQ(DLQ).",
        f"AMQ8709I: Dead-letter queue handler ending. Messages: {counts}.",
    ]
    with flintmq.open("QM1") as qm:
        assert [message.data for message in qm.queue("OUT").messages()] == [b"0", b"1"]
        assert qm.queue("DLQ").depth == 0


def test_queue_and_queue_manager_may_be_in_the_table(run: Run, tmp_path: Path) -> None:
    make(1)
    (tmp_path / "rules").write_text("INPUTQ(DLQ) INPUTQM(QM1) WAIT(NO)\nACTION(DISCARD)\n")
    ended = run("runmqdlq", "-f", str(tmp_path / "rules"))
    assert ended.code == 0 and "1 discarded" in ended.out


def test_a_wrong_table_is_10_and_touches_nothing(run: Run) -> None:
    make(1)
    ended = run("runmqdlq", "DLQ", "QM1", text="WAIT(NO)\nACTION(EAT)\nREASON(X) ACTION(IGNORE)\n")
    assert ended.code == 10 and ended.out == ""
    lines = ended.err.splitlines()
    assert lines[0].startswith("line 2, column 11: ACTION must be")
    assert lines[1].startswith("line 3, column 9: REASON must be")
    assert lines[2] == "AMQ8758E: 2 errors in the input to runmqdlq"


def test_what_cannot_be_opened_is_20(run: Run) -> None:
    make(1)
    rules = "WAIT(NO)\nACTION(IGNORE)\n"
    assert run("runmqdlq", "NO.SUCH", "QM1", text=rules).code == 20
    assert run("runmqdlq", "DLQ", "NO.SUCH", text=rules).code == 20
    assert run("runmqdlq", "-f", "no/such/file").code == 20
    with flintmq.open("QM1"):
        ended = run("runmqdlq", "DLQ", "QM1", text=rules)
        assert ended.code == 20 and ended.err.startswith("AMQ8146E")


def test_an_interrupt_ends_the_wait_and_prints_the_summary(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from flintmq.client.dead_letter import DeadLetterHandler

    def interrupted(self: DeadLetterHandler, handle: object, seconds: float) -> None:
        raise KeyboardInterrupt

    make(1)
    monkeypatch.setattr(DeadLetterHandler, "wait", interrupted)
    ended = run("runmqdlq", "DLQ", "QM1", text="ACTION(RETRY)\n")
    assert ended.code == 0 and "1 delivered" in ended.out
    with flintmq.open("QM1") as qm:
        assert qm.queue("OUT").depth == 1


@pytest.mark.parametrize(("rule", "delivered"), [("PUTAUT(CTX)", [b"joe"]), ("PUTAUT(DEF)", [b"joe", b"ann", b"none"])])
def test_putaut_decides_with_whose_authority_a_message_is_put(run: Run, rule: str, delivered: list[bytes]) -> None:
    """Issue 14, item 1: PUTAUT(CTX) asks for the user in the message, on a queue manager that does not run as well."""
    make(0)
    with flintmq.open("QM1") as qm:
        qm.mqsc("SET AUTHREC PROFILE(OUT) OBJTYPE(QUEUE) PRINCIPAL('joe') AUTHADD(PUT)")
        dlh = MQDLH()
        dlh.reason, dlh.dest_q_name = 2053, "OUT"
        for user in ("joe", "ann", ""):
            md, pmo, od = MQMD(), MQPMO(), MQOD()
            md.format, md.user_identifier, md.persistence = MQFMT_DEAD_LETTER_HEADER, user, 1
            pmo.options, od.object_name = MQPMO_SET_ALL_CONTEXT, "DLQ"
            qm.mqi.put1(od, md, pmo, dlh.pack() + (user or "none").encode())
    ended = run("runmqdlq", "DLQ", "QM1", text=f"WAIT(NO)\nACTION(RETRY) {rule}\n")
    assert ended.code == 0, ended.err
    with flintmq.open("QM1") as qm:
        assert [message.data for message in qm.queue("OUT").messages()] == delivered
        assert qm.queue("DLQ").depth == 3 - len(delivered)
