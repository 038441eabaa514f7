"""crtmqm and dltmqm: what they make, what they say, and their exit codes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import flintmq
from flintmq.host import instance

Run = Callable[..., Any]
SMALL = ("-lf", "64")


def test_it_says_what_it_made_in_the_lines_that_scripts_look_for(run: Run, data: Path) -> None:
    ended = run("crtmqm", *SMALL, "QM1")
    assert ended.code == 0 and ended.err == ""
    lines = ended.out.splitlines()
    assert lines[0] == "FlintMQ queue manager 'QM1' created."
    assert lines[1] == f"Directory '{data}/qmgrs/QM1' created."
    assert lines[3] == "Creating or replacing default objects for queue manager 'QM1'."
    assert lines[4].startswith("Default objects statistics : ") and lines[4].endswith(" created. 0 replaced. 0 failed.")
    assert lines[-1] == "Setup completed."
    with flintmq.open("QM1", create=False) as qm:
        assert f": {len(qm._host.engine.catalogue.everything()) - 1} created" in lines[4]
        assert qm.queue("SYSTEM.DEAD.LETTER.QUEUE").depth == 0


def test_options_become_attributes_of_the_queue_manager(run: Run) -> None:
    words = ["-c", "test manager", "-u", "DLQ", "-d", "XMIT", "-h", "33", "-t", "5000", "-x", "77", "-p", "1515", "-z"]
    ended = run("crtmqm", *SMALL, *words, "QM1")
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    with flintmq.open("QM1") as qm:
        row = qm.mqsc("DISPLAY QMGR").rows[0]
    wanted = {"DESCR": "test manager", "DEADQ": "DLQ", "DEFXMITQ": "XMIT", "MAXHANDS": 33, "TRIGINT": 5000}
    assert {word: row[word] for word in wanted} == wanted
    assert row["MAXUMSGS"] == 77 and str(row["QMID"]).startswith("QM1_20")
    assert instance.by_name("QM1").stanza("TCP").get("Port") == "1515"


def test_developer_defaults(run: Run) -> None:
    assert run("crtmqm", *SMALL, "--dev", "QM1").code == 0
    with flintmq.open("QM1") as qm:
        for name in ("DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3", "DEV.DEAD.LETTER.QUEUE"):
            assert qm.queue(name).depth == 0
        assert qm.mqsc("DISPLAY QMGR DEADQ").rows[0]["DEADQ"] == "DEV.DEAD.LETTER.QUEUE"


def test_the_log_is_as_asked_for(run: Run, tmp_path: Path) -> None:
    words = ["-ll", "-lf", "64", "-lp", "4", "-ls", "3", "-ld", str(tmp_path / "logs")]
    words += ["--log-copy", str(tmp_path / "copy"), "--log-archive", str(tmp_path / "archive")]
    assert run("crtmqm", *words, "QM1").code == 0
    assert (tmp_path / "logs" / "QM1" / "control.lfh").exists() and (tmp_path / "copy" / "control.lfh").exists()
    stanza = instance.by_name("QM1").stanza("Log")
    assert (stanza.get("LogType"), stanza.get("LogPrimaryFiles"), stanza.get("LogFilePages")) == ("LINEAR", "4", "64")
    with flintmq.open("QM1") as qm:
        row = qm.mqsc("DISPLAY LOG").rows[0]
        assert (row["LOGTYPE"], row["LOGPRIM"], row["LOGSEC"]) == ("LINEAR", 4, 3)
    assert run("dltmqm", "QM1").code == 0
    assert not (tmp_path / "logs" / "QM1").exists()


def test_data_may_be_elsewhere_and_is_found_by_name(run: Run, tmp_path: Path) -> None:
    assert run("crtmqm", *SMALL, "-md", str(tmp_path / "far"), "QM.1").code == 0
    assert (tmp_path / "far" / "QM!1" / "qm.ini").exists()
    assert run("dspmq").out.startswith("QMNAME(QM.1)")
    with flintmq.open("QM.1", create=False) as qm:
        assert qm.directory == tmp_path / "far" / "QM!1"
    assert run("dltmqm", "QM.1").code == 0
    assert run("dspmq").out == ""


def test_mqsc_is_run_at_creation_with_its_inserts(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mqsc").mkdir()
    (tmp_path / "mqsc" / "10.mqsc").write_text("DEFINE QLOCAL('+ENV+.ORDERS') DESCR('of +QMNAME+')\n")
    (tmp_path / "mqsc" / "20.mqsc").write_text("DEFINE QALIAS(ALIAS) TARGET('+ENV+.ORDERS')\nNONSENSE\n")
    (tmp_path / "more.ini").write_text("Channels:\n   MaxChannels=5\nLog:\n   LogPath=/nowhere\n")
    ended = run(
        "crtmqm", *SMALL, "-ic", str(tmp_path / "mqsc"), "-ii", str(tmp_path / "more.ini"), "-iv", "ENV=TEST", "QM1"
    )
    assert ended.code == 0
    with flintmq.open("QM1") as qm:
        assert qm.mqsc("DISPLAY QLOCAL(TEST.ORDERS) DESCR").rows[0]["DESCR"] == "of QM1"
        assert qm.queue("ALIAS").depth == 0
    assert instance.by_name("QM1").stanza("Channels").get("MaxChannels") == "5"


def test_the_default_queue_manager_is_meant_where_none_is_named(run: Run) -> None:
    assert run("runmqsc", text="PING QMGR\n").code == 20
    assert run("crtmqm", *SMALL, "-q", "QM1").code == 0
    ended = run("runmqsc", text="PING QMGR\n")
    assert ended.code == 0 and "AMQ8415I" in ended.out
    assert run("dltmqm", "QM1").code == 0
    assert instance.default_name() == ""


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["EXISTS"], 8, "AMQ8110E: queue manager EXISTS already exists"),
        (["bad name"], 72, "AMQ7048E"),
        (["x" * 49], 72, "AMQ7048E"),
        (["-lf", "1", "QM1"], 115, "a log file has 2 to 65535 pages, not 1"),
        (["-lf", "70000", "QM1"], 115, "not 70000"),
        (["-lp", "1", "QM1"], 115, "at least 2 primary"),
        (["-lp", "many", "QM1"], 39, "-lp takes a number, not 'many'"),
        (["-h", "0", "QM1"], 39, "MAXHANDS must be between 1"),
        (["-u", "no queue", "QM1"], 39, "DEADQ must be a name"),
        (["-iv", "novalue", "QM1"], 39, "-iv takes NAME=VALUE"),
        (["-ic", "no/such/file", "QM1"], 39, "no/such/file does not exist"),
        (["-lc", "-ll", "QM1"], 2, "not allowed with argument"),
    ],
)
def test_every_refusal_has_its_exit_code_and_its_line(run: Run, words: list[str], code: int, text: str) -> None:
    run("crtmqm", *SMALL, "-z", "EXISTS")
    ended = run("crtmqm", *words)
    assert ended.code == code
    assert text in ended.err
    assert run("dspmq").out.count("QMNAME(") == 1


def test_a_log_location_that_cannot_be_used_is_100(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ended = run("crtmqm", *SMALL, "-ld", str(tmp_path / "file"), "QM1")
    assert ended.code == 100 and "AMQ7064E" in ended.err
    assert run("dspmq").out == ""


def test_deleting(run: Run, data: Path) -> None:
    run("crtmqm", *SMALL, "QM1")
    with flintmq.open("QM1"):
        ended = run("dltmqm", "QM1")
        assert ended.code == 5 and "in use by this process" in ended.err
    ended = run("dltmqm", "QM1")
    assert (ended.code, ended.out) == (0, "FlintMQ queue manager 'QM1' deleted.\n")
    assert not (data / "qmgrs" / "QM1").exists()
    ended = run("dltmqm", "QM1")
    assert ended.code == 16 and "AMQ8118E: there is no queue manager QM1" in ended.err
    assert run("dltmqm", "bad name").code == 72
    run("crtmqm", *SMALL, "-z", "QM1")
    assert run("dltmqm", "-z", "QM1").out == ""
