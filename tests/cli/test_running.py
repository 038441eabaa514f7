"""Commands on a queue manager that runs: they ask it, and clients go on meanwhile."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

import flintmq
from flintmq.cli import runmqsc
from flintmq.cli.main import main
from flintmq.mqi.constants import MQFMT_DEAD_LETTER_HEADER
from flintmq.mqi.dlh import MQDLH
from flintmq.qmgr import xa
from flintmq.server.control import Control
from tests.cli.test_dmpmqcfg import definitions
from tests.cli.test_transactions import FIRST, SECOND, prepare
from tests.server.test_process import Manager, manager

__all__ = ["manager"]

Captured = pytest.CaptureFixture[str]


def said(capsys: Captured, *words: str, code: int = 0) -> str:
    capsys.readouterr()
    assert main(list(words)) == code, capsys.readouterr()
    return capsys.readouterr().out


def test_the_definitions_of_a_running_queue_manager_are_those_it_has_when_it_is_ended(
    manager: Manager, capsys: Captured
) -> None:
    manager.start()
    with flintmq.connect("QM1") as qm:
        qm.mqsc("DEFINE QLOCAL('lower.Case') DESCR('it''s - +')")
        names = ",".join(f"'a.rather.long.name.for.a.namelist.{number:03d}'" for number in range(256))
        qm.mqsc("DEFINE NAMELIST(LONG) NAMES(" + names.replace(",", ",+\n") + ")")
        qm.mqsc(f"ALTER NAMELIST(LONG) NAMES({names})")
        with pytest.raises(flintmq.CommandFailed, match="longer than 3276"):
            qm.mqsc(f"ALTER NAMELIST(LONG) NAMES({names * 4})")
        every = definitions(said(capsys, "dmpmqcfg", "-m", "QM1", "-a"))
        short = definitions(said(capsys, "dmpmqcfg", "QM1", "-o", "1line"))
        one = definitions(said(capsys, "dmpmqcfg", "-n", "lower*", "-t", "qlocal"))
        assert definitions(said(capsys, "dmpmqcfg", "-t", "clntconn")) == []
        qm.mqsc("DEFINE SERVICE(S) STARTCMD('/bin/true')")  # Issue 14, item 13: dmpmqcfg has services, too.
        services = definitions(said(capsys, "dmpmqcfg", "-t", "service", "-n", "S", "-o", "1line"))
        assert services == ["DEFINE SERVICE('S') STARTCMD('/bin/true') REPLACE"]
        qm.mqsc("DELETE SERVICE(S)")
        qm.queue("lower.Case").put("the client is still there")
    assert len(every) > 1000 and any("DEFINE NAMELIST('LONG')" in line for line in short)
    assert one == ["DEFINE QLOCAL('lower.Case') +", "   DESCR('it''s - +') +", "   REPLACE"]
    assert main(["endmqm", "-i", "QM1"]) == 0
    assert definitions(said(capsys, "dmpmqcfg", "-m", "QM1", "-a")) == every
    assert definitions(said(capsys, "dmpmqcfg", "QM1", "-o", "1line")) == short


def test_the_tab_key_finds_the_objects_of_a_running_queue_manager(manager: Manager) -> None:
    """Issue 14, item 28."""
    manager.start()
    found = runmqsc._names(runmqsc._ask_process(manager.place, "QLOCAL", "DEV.QUEUE."))
    assert found == ["DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3"]
    assert runmqsc._names(runmqsc._ask_process(manager.place, "QLOCAL", "NONE.")) == []


def test_units_in_doubt_of_a_running_queue_manager_are_seen_and_resolved(manager: Manager, capsys: Captured) -> None:
    """What is resolved is durable, and the transaction manager is told what was done."""
    manager.start()
    assert "AMQ7107I" in said(capsys, "dspmqtrn", "-m", "QM1", code=102)
    with flintmq.connect("QM1") as qm:
        qm.mqsc("DEFINE QLOCAL(A)")
        prepare(qm, FIRST, b"first")
        prepare(qm, SECOND, b"second")
        numbers = said(capsys, "dspmqtrn", "-m", "QM1", "-q").splitlines()
        shown = said(capsys, "dspmqtrn", "-m", "QM1")
        assert shown.count("is in-doubt") == 2 and "gtrid [DEAD]" in shown
        first, second = (numbers[sorted([FIRST, SECOND]).index(xid)] for xid in (FIRST, SECOND))
        assert f"{first} was committed" in said(capsys, "rsvmqtrn", "-m", "QM1", "-c", first)
        assert qm.queue("A").get(wait=0).data == b"first"
        assert main(["rsvmqtrn", "-m", "QM1", "-b", second]) == 0
        assert main(["rsvmqtrn", "-m", "QM1", "-b", second]) == 85
    with Control(manager.place) as control:
        control.ask({"do": "end", "how": "preemptive"})
    manager.wait_until_ended()
    manager.start()
    shown = said(capsys, "dspmqtrn", "-m", "QM1", "-a")
    assert "was committed by hand" in shown and "was backed out by hand" in shown
    with flintmq.connect("QM1") as qm:
        assert qm.mqi.xa_rollback(FIRST) == xa.XA_HEURCOM
        assert qm.mqi.xa_commit(SECOND) == xa.XA_HEURRB
        assert qm.queue("A").depth == 0
    assert main(["rsvmqtrn", "-m", "QM1", "-f", first]) == 0
    assert said(capsys, "dspmqtrn", "-m", "QM1", "-h", "-q").splitlines() == [second]


def test_the_dead_letter_handler_works_beside_other_applications(
    manager: Manager, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes to the queue manager of this machine, not where MQSERVER leads."""
    manager.start()
    dlh = MQDLH()
    dlh.reason, dlh.dest_q_name, dlh.format, dlh.encoding, dlh.coded_char_set_id = 2053, "OUT", "MQSTR", 546, 1208
    rules = manager.place.directory / "rules"
    rules.write_text("INPUTQM(QM1) WAIT(NO)\nREASON(MQRC_Q_FULL) ACTION(RETRY)\n")
    with flintmq.connect("QM1") as qm:
        qm.mqsc("DEFINE QLOCAL(OUT)")
        queue = qm.queue("DEV.DEAD.LETTER.QUEUE")
        queue.put(dlh.pack() + b"one", persistent=True, format=MQFMT_DEAD_LETTER_HEADER)
        queue.put("no header")
        monkeypatch.setenv("MQSERVER", "NO.SUCH/TCP/127.0.0.1(1)")
        shown = said(capsys, "runmqdlq", "-f", str(rules))
        assert "INPUTQ(DEV.DEAD.LETTER.QUEUE)" in shown and "1 delivered" in shown
        assert "1 without a dead-letter header" in shown
        message = qm.queue("OUT").get(wait=0)
        assert (message.data, message.persistent) == (b"one", True)
        assert queue.depth == 1
    assert main(["runmqdlq", "-f", str(rules), "NO.SUCH", "QM1"]) == 20
    assert "2085" in capsys.readouterr().err


def test_runmqsc_as_a_client_asks_the_command_server(
    manager: Manager, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user is privileged and comes with its password; the first line of standard input is that."""

    def session(*words: str, text: str, code: int) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        return said(capsys, "runmqsc", *words, code=code)

    monkeypatch.setattr("sys.stdin", io.StringIO("passw0rd\n"))
    assert main(["user", "QM1", "admin", "--stdin", "--privileged"]) == 0
    manager.start()
    monkeypatch.setenv("MQSERVER", f"DEV.ADMIN.SVRCONN/TCP/127.0.0.1({manager.port})")
    script = "DEFINE QLOCAL(A) +\n MAXDEPTH(7)\nRUBBISH\nDELETE QLOCAL(B)\nDISPLAY QLOCAL(A) MAXDEPTH\nend\n"
    out = session("-c", "-u", "admin", "QM1", text="passw0rd\n" + script, code=10).splitlines()
    assert "Starting MQSC for queue manager QM1." in out and "       :  MAXDEPTH(7)" in out
    for line in ("AMQ8006I: Queue created.", "AMQ8147E: Object B not found.", "   MAXDEPTH(7)"):
        assert line in out
    assert out[-3:] == [
        "4 MQSC commands read.",
        "One command has a syntax error.",
        "One valid MQSC command could not be processed.",
    ]
    assert session("-c", "-e", "-v", "-u", "admin", text="passw0rd\nDELETE QLOCAL(A)\n", code=0)
    assert "CURDEPTH(0)" in session("-c", "-u", "admin", text="passw0rd\nDIS QL(A) CURDEPTH", code=0)
    assert session("-c", "-u", "admin", "QM1", text="wrong\nPING QMGR\n", code=20) == "Enter password: \n"
    monkeypatch.setenv("MQSERVER", f"DEV.APP.SVRCONN/TCP/127.0.0.1({manager.port})")
    assert "AMQ8135E" in session("-c", "QM1", text="PING QMGR\n", code=10)
    assert session("-c", "QM1", "-f", "no/such/file", text="", code=20) == ""


NO_REQUESTS: list[dict[str, object]] = [
    {"do": "dump"},
    {"do": "dump", "kinds": ["NOTHING"], "name": "*", "everything": True, "layout": "mqsc"},
    {"do": "dump", "kinds": ["QLOCAL"], "name": 7, "everything": True, "layout": "mqsc"},
    {"do": "resolve", "xid": "no", "how": "commit"},
    {"do": "resolve", "xid": FIRST.hex(), "how": "guess"},
    {"do": "resolve", "how": "commit"},
]


def test_what_is_no_request_is_refused_and_an_unknown_unit_is_nota(manager: Manager) -> None:
    manager.start()
    for request in NO_REQUESTS:
        with Control(manager.place) as control:
            assert "is not a request" in control.ask(request)["error"]
    with Control(manager.place) as control:
        assert control.ask({"do": "resolve", "xid": FIRST.hex(), "how": "commit"}) == {"code": xa.XAER_NOTA}


def test_a_queue_manager_that_ends_in_the_middle_of_runmqsc_is_missed(
    manager: Manager, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its socket breaks as a pipe does. That is not standard output, whose reader has gone, and needs no word."""

    class Typed(io.StringIO):
        def __iter__(self) -> Iterator[str]:  # type: ignore[override]
            yield "DISPLAY QMGR DEADQ\n"
            assert main(["endmqm", "-i", "QM1"]) == 0
            manager.wait_until_ended()
            yield "DISPLAY QMGR DEADQ\n"

    manager.start()
    monkeypatch.setattr("sys.stdin", Typed())
    assert main(["runmqsc", "QM1"]) == 20
    out, err = capsys.readouterr()
    assert out.count("DISPLAY QMGR DEADQ") == 1
    assert err.strip().endswith("AMQ8146E: the queue manager has closed the connection")
