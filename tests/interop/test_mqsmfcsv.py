"""IBM's formatter reads our records: no error, and every value is what we have counted.

mqsmfcsv is built from its public source when the test runs, in a temporary directory, and is never part of this tree.
FLINT_MQSMFCSV names the program, or a working copy of the repository ibm-messaging/mq-smf-csv; without it these tests
are skipped and say so.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import flintmq
from tests.server.test_channel_records import CHANNEL, channel_dump
from tests.server.test_process import Manager
from tests.server.test_process import manager as manager
from tests.telemetry.recording.reading import Values, read_dump

SETTING = "FLINT_MQSMFCSV"
#: Numbers only: the texts and clocks of the CSV have forms of their own.
_NUMBER = re.compile(r"-?\d+")
#: Known faults of the formatter: it has persistent and nonpersistent the wrong way round here.
EXCHANGED = {"Get_P": "QQSTNPDG", "Get_NP": "QQSTPDG", "Browse_P": "QQSTNPBR", "Browse_NP": "QQSTPBR"}


@pytest.fixture(scope="module")
def formatter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program."""
    given = os.environ.get(SETTING, "")
    if not given:
        pytest.skip(f"{SETTING} names neither mqsmfcsv nor a working copy of ibm-messaging/mq-smf-csv")
    path = Path(given)
    if path.is_file():
        return path
    if shutil.which("make") is None or shutil.which("cc") is None:
        pytest.skip("mqsmfcsv needs make and a C compiler")
    work = tmp_path_factory.mktemp("mqsmfcsv") / "source"
    shutil.copytree(path, work, ignore=shutil.ignore_patterns(".git", "bin"))
    subprocess.run(["make", "-f", "Makefile.unix"], cwd=work / "src", capture_output=True, check=False)
    program = work / "src" / "mqsmfcsv"
    assert program.is_file(), f"mqsmfcsv could not be built in {path}"
    return program


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A queue manager with all traces, some work, and its dump."""
    directory = tmp_path_factory.mktemp("records") / "QM1"
    with flintmq.open(directory) as qm:
        qm.mqsc("ALTER QMGR STATQ(ON) ACCTQ(ON)")
        qm.mqsc("START TRACE(STAT) CLASS(1:5)")
        qm.mqsc("START TRACE(ACCTG) CLASS(1,3,4)")
        qm.mqsc("DEFINE QLOCAL(COPIES)")
        orders = qm.queue("ORDERS", create=True)
        qm.mqsc("ALTER QLOCAL(ORDERS) STREAMQ(COPIES)")
        for number in range(40):
            orders.put(bytes(100 * number), persistent=number % 3 == 0)
        for _ in range(25):
            orders.get()
        with qm.transaction():
            orders.put(b"1")
        for number in range(15):
            qm.queue(f"MANY.{number}", create=True).put(b"2")
        subscription = qm.subscribe("news/#")
        qm.topic("news/today").publish(b"3")
        subscription.get()
        subscription.close()
    (path,) = (directory / "smf").iterdir()
    return path


def formatted(formatter: Path, dump: Path, out: Path) -> tuple[str, dict[str, list[dict[str, str]]]]:
    """What the formatter says, and its tables."""
    command = [str(formatter), "-i", str(dump), "-o", str(out), "-f", "csv", "-g", "yes"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    tables = {}
    for path in out.glob("SMF-*.csv"):
        rows = list(csv.reader(path.read_text("latin-1").splitlines()))
        tables[path.stem[4:]] = [dict(zip(rows[0], row, strict=False)) for row in rows[1:]]
    return said.stdout + said.stderr, tables


def test_the_formatter_reads_every_record_without_an_error(formatter: Path, dump: Path, tmp_path: Path) -> None:
    said, tables = formatted(formatter, dump, tmp_path)
    assert not re.search(r"error|unknown|invalid", said.replace("parsing errors or unknown record types", ""), re.I), (
        said
    )
    for kind in ("115 subtype   1", "115 subtype   2", "115 subtype 216", "116 subtype   0", "116 subtype   2"):
        assert f"Formatted {kind}" in said
    expected = {"QMST", "QIST", "QJST", "QPST", "QIS1", "QQST", "QSPH", "QSRS", "QTST", "QMAC", "WTID", "WTAS", "WQ"}
    assert expected <= set(tables)


def test_every_number_of_the_formatter_is_ours(formatter: Path, dump: Path, tmp_path: Path) -> None:
    _, tables = formatted(formatter, dump, tmp_path)
    assert numbers_compared(tables, dump) > 1000


def numbers_compared(tables: dict[str, list[dict[str, str]]], dump: Path) -> int:
    """How many numbers of the formatter's tables were held against ours; every one must be the same."""
    from flintmq.telemetry.smf.records import STRUCTURES

    ours: dict[str, list[Values]] = {}
    for record in read_dump(dump):
        for name, entries in record.sections.items():
            ours.setdefault(name, []).extend(entries)
    compared = 0
    for name, rows in tables.items():
        if name == "QEST":
            continue
        assert len(rows) == len(ours[name]), name
        for row, values in zip(rows, ours[name], strict=True):
            for field in STRUCTURES[name].shown:
                if field.kind not in ("u", "i") or field.codes or field.title not in row or field.none != -1:
                    continue
                wanted = values.get(EXCHANGED.get(field.title, field.name), -1)
                text = row[field.title].strip()
                assert _NUMBER.fullmatch(text) and int(text) == wanted, (name, field.title, text, wanted)
                compared += 1
    return compared


def test_a_put_counts_what_it_should_in_the_formatters_tables(formatter: Path, dump: Path, tmp_path: Path) -> None:
    _, tables = formatted(formatter, dump, tmp_path)
    (messages,) = tables["QMST"]
    assert int(messages["PersPuts"]) == 2 * 14
    (orders,) = [row for row in tables["QQST"] if row["Queue"].strip() == "ORDERS"]
    assert (orders["Put"], orders["Streamed"], orders["Get"], orders["Current_Depth"]) == ("41", "41", "25", "16")
    (use,) = [row for row in tables["WQ"] if row["Open_Name"].strip() == "ORDERS"]
    assert (use["Put_Count"], use["Streamed_Msgs"], use["Get_Count"]) == ("41", "41", "25")
    (topic,) = [row for row in tables["WQ"] if row["Open_Name"].strip() == "news/today"]
    assert (topic["Queue"], topic["Published_Count"]) == ("Topic", "1")


def test_the_formatter_reads_channels_of_a_running_queue_manager(
    formatter: Path, manager: Manager, tmp_path: Path
) -> None:
    """B34: 115-231 and 116-10, of clients on real sockets: what DISPLAY CHSTATUS showed."""
    recorded = channel_dump(manager)
    out = tmp_path / "csv"
    out.mkdir()
    said, tables = formatted(formatter, recorded.dump, out)
    assert not re.search(r"error|unknown|invalid", said.replace("parsing errors or unknown record types", ""), re.I), (
        said
    )
    for kind in ("115 subtype 231", "116 subtype  10"):
        assert f"Formatted {kind}" in said
    assert {"QCCT", "QCTDSP", "QCST"} <= set(tables)
    assert numbers_compared(tables, recorded.dump) > 50
    assert tables["QCCT"][0]["Current_Chl_High_Water"].strip() == "2"
    first = {row["Remote_QMgr_Or_App"].strip(): row for row in reversed(tables["QCST"])}
    for application, shown in recorded.shown.items():
        row = first[application]
        assert (int(row["Msg_All_Count"]), int(row["Bytes_Sent"])) == (shown["MSGS"], shown["BYTSSENT"])
        assert int(row["Bytes_Received"]) == shown["BYTSRCVD"]
        assert (row["Chl_Name"].strip(), row["Type"].strip()) == (CHANNEL, "SvrConn")
