"""dspmq: one line for each queue manager, as scripts cut it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import flintmq

Run = Callable[..., Any]
SMALL = flintmq.LogConfig(file_pages=64)


def test_nothing_is_listed_where_there_is_nothing(run: Run) -> None:
    ended = run("dspmq")
    assert (ended.code, ended.out, ended.err) == (0, "", "")


def test_the_status_begins_at_offset_58(run: Run) -> None:
    flintmq.open("QM1", log=SMALL).close()
    (line,) = run("dspmq").out.splitlines()
    assert line.startswith("QMNAME(QM1) ") and line[58:] == "STATUS(Ended normally)"


def test_running_ended_normally_and_ended_unexpectedly(run: Run) -> None:
    flintmq.open("A", log=SMALL).close()
    flintmq.open("B", log=SMALL)._host.abandon()
    with flintmq.open("C", log=SMALL):
        lines = run("dspmq").out.splitlines()
        upper = run("dspmq", "-n", "-m", "C").out
        who = run("dspmq", "-x", "-m", "C").out.splitlines()[1]
    assert [line[58:] for line in lines] == [
        "STATUS(Ended normally)",
        "STATUS(Ended unexpectedly)",
        "STATUS(Running)",
    ]
    assert "STATUS(RUNNING)" in upper
    assert "MODE(Active)" in who and "PID(" in who


def test_more_is_shown_on_demand(run: Run) -> None:
    flintmq.open("QM1", log=SMALL).close()
    assert "DEFAULT(no)" in run("dspmq", "-o", "default").out
    everything = run("dspmq", "-o", "all").out
    for word in ("STATUS(", "DEFAULT(no)", "STANDBY(", "INSTNAME(FlintMQ)", "INSTVER("):
        assert word in everything
    assert "STATUS(" not in run("dspmq", "-o", "installation").out
    path = run("dspmqver", "-b", "-f", "128").out.strip()
    assert f"INSTPATH({path})" in run("dspmq", "-o", "installation").out
    assert run("dspmq", "-o", "rubbish").code == 36


def test_a_name_that_is_not_known_is_72(run: Run) -> None:
    ended = run("dspmq", "-m", "NO.SUCH")
    assert ended.code == 72 and ended.err.startswith("AMQ7048E")


def test_half_made_and_damaged_ones_are_listed_and_hurt_nobody(run: Run, data: Path) -> None:
    half = data / "qmgrs" / "HALF"
    half.mkdir(parents=True)
    (half / "creating").write_text("HALF\n")
    (data / "qmgrs" / "NOTHING").mkdir()
    flintmq.open("QM1", log=SMALL).close()
    (data / "qmgrs" / "QM1" / "log" / "control.lfh").write_bytes(b"rubbish")
    assert [line[58:] for line in run("dspmq").out.splitlines()] == ["STATUS(Status not available)"] * 2
