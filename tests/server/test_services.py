"""SERVICE objects of a queue manager that runs: real programs, started and ended with it."""

from __future__ import annotations

import os
from pathlib import Path

import flintmq
from flintmq.cli.main import main
from flintmq.host.inserts import replaced
from flintmq.server.services import variables
from tests.server.test_process import Manager, manager
from tests.waiting import until

__all__ = ["manager"]


def program(path: Path, lines: str) -> Path:
    path.write_text(f"#!/bin/sh\n{lines}\n")
    path.chmod(0o700)
    return path


def is_there(pid: int) -> bool:
    """Whether a process runs. One that has ended and is waited for by nobody does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def pid_of(manager: Manager, service: str) -> int:
    until(lambda: "STATUS(RUNNING)" in manager.said(f"DISPLAY SVSTATUS({service})"), f"{service} runs")
    text = manager.said(f"DISPLAY SVSTATUS({service})")
    return int(text.partition("PID(")[2].partition(")")[0])


def test_a_server_service_starts_and_ends_with_the_queue_manager(manager: Manager, tmp_path: Path) -> None:
    """Issue 14, item 13: CONTROL(QMGR) is really started and stopped; STDOUT, STDERR and inserts are as in MQ."""
    monitor = program(tmp_path / "monitor", 'echo "$1|$2|$COLOUR"\necho "to stderr" >&2\nexec sleep 600')
    stop = program(tmp_path / "stop", 'echo "stop $1" >> "$2"\nkill -TERM "-$1"')
    (manager.place.directory / "service.env").write_text("COLOUR=deep blue\n# a comment\n")
    manager.start()
    define = (
        f"DEFINE SERVICE(MONITOR) CONTROL(QMGR) SERVTYPE(SERVER) STARTCMD('{monitor}') "
        f"STARTARG('+QMNAME+ \"+COLOUR+, $HOME; *\"') STDOUT('{tmp_path}/+MQ_Q_MGR_NAME+.out') "
        f"STDERR('{tmp_path}/err') "
        f"STOPCMD('{stop}') STOPARG('+MQ_SERVER_PID+ {tmp_path}/stopped')"
    )
    assert "AMQ8625I" in manager.said(define)
    assert "AMQ8147E" in manager.said("DISPLAY SVSTATUS(MONITOR)")
    assert "3253" in manager.said("STOP SERVICE(MONITOR)")
    assert "AMQ8733I" in manager.said("START SERVICE(MONITOR)")
    first = pid_of(manager, "MONITOR")
    assert "3251" in manager.said("START SERVICE(MONITOR)")
    assert "AMQ8733I" in manager.said("START SERVICE(MONITOR) IGNSTATE(YES)")
    until(lambda: (tmp_path / "err").read_text() == "to stderr\n", "the program writes")
    assert (tmp_path / "QM1.out").read_text() == "QM1|deep blue, $HOME; *|deep blue\n"  # No shell has seen it.
    assert "AMQ8732I" in manager.said("STOP SERVICE(MONITOR)")
    until(lambda: "AMQ8147E" in manager.said("DISPLAY SVSTATUS(MONITOR)"), "it ends")
    assert not is_there(first)
    assert main(["endmqm", "-i", "QM1"]) == 0
    manager.start()
    second = pid_of(manager, "MONITOR")
    assert second != first and is_there(second)
    assert main(["endmqm", "QM1"]) == 0
    manager.wait_until_ended()
    assert not is_there(second)
    assert (tmp_path / "stopped").read_text() == f"stop {first}\nstop {second}\n"
    errors = manager.errors()
    assert f"The server MONITOR has started. ProcessId({second})." in errors
    assert f"The server MONITOR has ended, signal 15. ProcessId({second})." in errors


def test_what_a_service_cannot_do_is_told_and_the_queue_manager_goes_on(manager: Manager, tmp_path: Path) -> None:
    """Issue 14, item 13: the siblings: no such program, no full path, no command, a command service, no STOPCMD."""
    touch = program(tmp_path / "touch", 'echo done > "$1"')
    sleep = program(tmp_path / "sleep", "exec sleep 600")
    manager.start()
    assert "3262" in (manager.said("DEFINE SERVICE(NONE) CONTROL(QMGR)") and manager.said("START SERVICE(NONE)"))
    manager.said(f"DEFINE SERVICE(GONE) SERVTYPE(SERVER) STARTCMD('{tmp_path}/nothing')")
    manager.said("DEFINE SERVICE(RELATIVE) SERVTYPE(SERVER) STARTCMD('sleep') STARTARG(600)")
    manager.said(f"DEFINE SERVICE(ONCE) SERVTYPE(COMMAND) STARTCMD('{touch}') STARTARG('{tmp_path}/touched')")
    manager.said(f"DEFINE SERVICE(STAYS) CONTROL(QMGR) SERVTYPE(SERVER) STARTCMD('{sleep}')")
    os.mkfifo(tmp_path / "fifo")
    manager.said(f"DEFINE SERVICE(UNREAD) SERVTYPE(SERVER) STARTCMD('{sleep}') STDOUT('{tmp_path}/fifo')")
    for name in ("GONE", "RELATIVE", "ONCE", "STAYS", "UNREAD"):
        assert "AMQ8733I" in manager.said(f"START SERVICE({name})")
    until((tmp_path / "touched").exists, "the command runs")
    until(lambda: "Service GONE was not started: [Errno 2]" in manager.errors(), "the error is told")
    until(lambda: "STARTCMD must be a full path, not sleep" in manager.errors(), "the error is told")
    until(lambda: "Service UNREAD was not started: [Errno 6]" in manager.errors(), "nobody waits for a reader")
    pid = pid_of(manager, "STAYS")
    assert "3263" in manager.said("STOP SERVICE(STAYS)") and "3253" in manager.said("STOP SERVICE(ONCE)")
    assert main(["endmqm", "-i", "QM1"]) == 0
    manager.wait_until_ended()
    assert not is_there(pid)  # Without STOPCMD it gets SIGTERM.
    manager.start()
    assert "Service NONE was not started: it has no STARTCMD." in manager.errors()


def test_an_embedded_queue_manager_starts_no_services(tmp_path: Path) -> None:
    """Issue 14, item 13."""
    touch = program(tmp_path / "touch", 'echo done > "$1"')
    with flintmq.open(tmp_path / "QM1", create=True) as qm:
        qm.mqsc(f"DEFINE SERVICE(S) CONTROL(QMGR) STARTCMD('{touch}') STARTARG('{tmp_path}/touched')")
        assert "3168" in qm.mqsc("START SERVICE(S)", check=False).text
    with flintmq.open(tmp_path / "QM1") as qm:
        assert "AMQ8629I" in qm.mqsc("DISPLAY SERVICE(S)").text
    assert not (tmp_path / "touched").exists()


def test_inserts_and_variables(tmp_path: Path) -> None:
    assert replaced("+A+/+B+ + +A+", {"A": "1"}) == "1/+B+ + 1"
    for name, text in (("all", "A=1\nB=2\n"), ("own", "B = 3\nno variable\n=4\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "service.env").write_text(text)
    assert variables([tmp_path / "all", tmp_path / "own", tmp_path / "none"]) == {"A": "1", "B": "3"}
    assert os.path.isabs(replaced("+MQ_DATA_PATH+", {"MQ_DATA_PATH": str(tmp_path)}))
