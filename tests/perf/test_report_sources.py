"""Records in a report: SMF of runs and of dumps beside them, and flow statistics. Needs Spark."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from flintmq.perf.report import command, document, sources
from flintmq.pipeline.errors import BadOption
from flintmq.telemetry.smf.layouts.qjst import QJST
from flintmq.telemetry.smf.layouts.qmst import QMST
from flintmq.telemetry.smf.layouts.qqst import QQST
from flintmq.telemetry.smf.layouts.wq import WQ
from flintmq.telemetry.smf.layouts.wtas import WTAS
from flintmq.telemetry.smf.layouts.wtid import WTID
from flintmq.telemetry.smf.pack import Value, pack
from tests.perf import simulated
from tests.telemetry.builder import NOON, Record, dump
from tests.telemetry.flow_statistics import statistics
from tests.telemetry.samples import TEST115, TEST116, WHY_NOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MINUTE = 60_000_000


def calls(puts: int, at: int) -> bytes:
    counters = {"QMSTPUT": puts, "QMSTGET": 2 * puts, "QMSTSPP": puts}
    return Record(115, 2, {1: [pack(QMST, counters)]}, qmgr="PERF", at=at).packed()


def logged(writes: int, at: int, idle_us: int) -> bytes:
    """A minute in which each write took 1.5 ms and wrote two pages."""
    counters = {"QJSTIOCOUNT_1_2": writes, "QJSTIOCI_1_2": 2 * writes, "QJSTIOTOTIO_1_2": 1500 * writes}
    return Record(115, 1, {11: [pack(QJST, {**counters, "QJSTSLPTU": idle_us})]}, qmgr="PERF", at=at).packed()


def queue(name: str, puts: int, at: int) -> bytes:
    fields: dict[str, Value] = {"QQSTQNAM": name, "QQSTPUTS": puts, "QQSTGETS": puts, "QQSTDPHI": min(puts, 9)}
    return Record(115, 216, {1: [pack(QQST, fields)]}, qmgr="PERF", at=at).packed()


def task(puts: int, at: int) -> bytes:
    """A driver whose puts cost 20 us of CPU and 50 us of time each."""
    correlator = f"T{puts}".encode().ljust(16, b"\1")
    use: dict[str, Value] = {
        "WQVER": 8,
        "CORREL": correlator,
        "OBJNAME": "Q",
        "BASENAME": "Q",
        "QTYPE": 1,
        "PUTN": puts,
    }
    use |= {"PUTCT": (20 * puts * 4096).to_bytes(8, "big"), "PUTET": (50 * puts * 4096).to_bytes(8, "big")}
    use |= {"VALIDPUT": puts, "PUTBYTES": 100 * puts}
    did: dict[str, Value] = {"WTASCORR": correlator, "WTASVER": 8, "WTASWQCT": 1}
    who = pack(WTID, {"WTIDATYP": 2, "WTIDCCN": "DRIVER"})
    sections = {1: [who], 2: [pack(WTAS, did)], 3: [pack(WQ, use, 2792)]}
    return Record(116, 1, sections, qmgr="PERF", at=at).packed()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of queue managers of one name, with a dump for each of two repeats."""
    place = tmp_path_factory.mktemp("runs")
    for number, (name, workload) in enumerate((("first", "Z93-R01"), ("second", "SQ-W01"))):
        run = simulated.write(place / name, workload, [{"size": 2048}], seed=number + 1)
        (run / "smf").mkdir(exist_ok=True)
        lines = []
        for repeat in (1, 2):
            at = NOON + (10 * number + 3 * repeat) * MINUTE
            records = [calls(600 * (number + 1), at), calls(0, at + MINUTE)]
            records += [logged(12_000, at, 45_000_000), logged(0, at + MINUTE, 0)]
            records += [queue("WORK", 600, at), queue("SYSTEM.ADMIN.EVENT", 0, at), task(10 * repeat, at)]
            file = f"smf/0001-{repeat:02}.dat"
            (run / file).write_bytes(dump(*records))
            lines.append(json.dumps({"record": "smf", "step": 1, "repeat": repeat, "file": file, "bytes": 1}))
        with (run / "run.jsonl").open("a") as log:
            log.write("\n".join(lines) + "\n")
    return place


def rows(text: str, title: str) -> list[list[str]]:
    """Return the rows of the table in a section of the Markdown."""
    part = text.partition(f"\n### {title}\n")[2].partition("\n### ")[0].partition("\n## ")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line[:1] == "|"]


@pytest.fixture(scope="module")
def text(spark: SparkSession, runs: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("report")
    flows = out / "flows"
    flows.mkdir()
    (flows / "orders.json").write_text(json.dumps(statistics(2, 3, 2)))
    command.report([runs], out / "made", io.StringIO(), statistics=[flows], spark=spark)
    page = (out / "made" / document.HTML).read_text()
    records = page.partition('id="smf-records"')[2].partition('id="system-configuration"')[0]
    assert 'href="#run-first"' in records and 'href="#run-second"' in records
    return (out / "made" / document.MARKDOWN).read_text()


class TestSmf:
    def test_each_run_has_a_row_that_names_it_although_the_queue_managers_have_one_name(self, text: str) -> None:
        head, _, *found = rows(text, "Calls and messages")
        assert [(row[0], row[-1]) for row in found] == [("Z93-R01", "first"), ("SQ-W01", "second")]
        # Two repeats, of a minute each; the minute without a call does not count.
        assert [row[head.index("Measured (s)")] for row in found] == ["120", "120"]
        assert [row[head.index("Puts")] for row in found] == ["1,200", "2,400"]
        assert [row[head.index("Puts (1/s)")] for row in found] == ["10", "20"]

    def test_the_logger_is_idle_in_a_minute_without_a_write(self, text: str) -> None:
        head, _, first, _ = rows(text, "Log")
        values = dict(zip(head, first, strict=True))
        assert (values["Writes"], values["Pages a write"]) == ("24,000", "2.00")
        assert values["I/O busy (%)"] == "30.0" and values["Task busy (%)"] == "25.0"

    def test_queues_that_were_not_used_have_no_row(self, text: str) -> None:
        _, _, *found = rows(text, "Queues")
        assert [(row[0], row[1]) for row in found] == [("Z93-R01", "WORK"), ("SQ-W01", "WORK")]
        assert "SYSTEM.ADMIN.EVENT" not in text

    def test_the_cost_of_a_call_is_that_of_all_tasks_of_a_program(self, text: str) -> None:
        head, _, first, _ = rows(text, "Tasks")
        values = dict(zip(head, first, strict=True))
        assert (values["Program"], values["Tasks"], values["Puts"]) == ("DRIVER", "2", "30")
        assert (values["CPU of a put (us)"], values["Time of a put (us)"]) == ("20.0", "50.0")
        assert values["Bytes of a put"] == "100"

    def test_flow_statistics_are_a_chapter(self, text: str) -> None:
        part = text.partition("\n## From flow statistics")[2].partition("\n## ")[0]
        assert "Orders" in part and "Node 3" in part

    def test_a_dump_that_is_not_there_is_refused_before_spark_starts(self, runs: Path, tmp_path: Path) -> None:
        none = [tmp_path / "none.dat"]
        with pytest.raises(BadOption, match="no such file"):
            command.report([runs], tmp_path / "out", io.StringIO(), smf=none)
        with pytest.raises(BadOption, match="no such file"):
            command.report([runs], tmp_path / "out", io.StringIO(), statistics=none)

    def test_dumps_of_equal_names_keep_their_origin(self, tmp_path: Path) -> None:
        for name in ("a", "b"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "x.dat").write_bytes(name.encode())
        origins = sources.gathered([], [tmp_path / "a", tmp_path / "b" / "x.dat"], tmp_path / "all")
        assert [origin.workload for origin in origins] == ["a/x.dat", "x.dat"]
        assert [path.read_bytes() for path in sorted((tmp_path / "all").iterdir())] == [b"a", b"b"]

    @pytest.mark.skipif(not (TEST115.present and TEST116.present), reason=WHY_NOT)
    def test_dumps_of_other_queue_managers_stand_beside_those_of_runs(
        self, spark: SparkSession, runs: Path, tmp_path: Path
    ) -> None:
        shutil.copytree(runs / "first", tmp_path / "runs" / "first")
        given = [TEST115.dump, TEST116.dump]
        command.report([tmp_path / "runs"], tmp_path / "out", io.StringIO(), smf=given, spark=spark)
        text = (tmp_path / "out" / document.MARKDOWN).read_text()
        head, _, *found = rows(text, "Calls and messages")
        assert head[:2] == ["Workload or dump", "Queue manager"]
        assert [row[:2] for row in found] == [["Z93-R01", ""], ["TEST115.dat", "MQPC"]]
        assert [row[-1] for row in found] == ["first", ""]
        assert ["TEST116.dat", "MQPC"] in [row[:2] for row in rows(text, "Tasks")]
