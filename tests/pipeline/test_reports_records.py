"""Reports from records: the figures of the examples that the documents print, and of the reference CSV."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.telemetry.builder import NOON, Record, dump
from tests.telemetry.reference import read
from tests.telemetry.samples import SYNTHETIC

pytest.importorskip("pyspark", reason="the pipeline needs PySpark: the spark extra")
pytest.importorskip("pyarrow", reason="the pipeline needs pyarrow: the spark extra")

from flintmq.pipeline.reports.model import Report  # noqa: E402
from flintmq.pipeline.reports.options import Options  # noqa: E402
from flintmq.pipeline.reports.registry import FORMATS, REPORTS  # noqa: E402
from flintmq.pipeline.tables.run import Settings, run  # noqa: E402
from flintmq.telemetry.smf.layouts.qqst import QQST  # noqa: E402
from flintmq.telemetry.smf.pack import Value, pack  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MINUTE = 60_000_000
HOUR = 60 * MINUTE


def queue_statistics() -> list[bytes]:
    """The two queues of the example of the documents, in the record of 9.3.0; local time is two hours ahead."""
    private = pack(QQST, {"QQSTQNAM": "LQ1001", "QQSTPSID": 1, "QQSTBPID": 1, "QQSTDPTH": 4}, 84)
    shared: dict[str, Value] = {"QQSTQNAM": "SQ1", "QQSTSHR": True, "QQSTPSID": -1, "QQSTBPID": -1, "QQSTDPTH": 100}
    other = pack(QQST, {**shared, "QQSTQSGN": "PERF", "QQSTCFST": "APPLICATION1"}, 84)
    return [Record(115, 216, {1: [private, other]}, release="930", qmgr="VTS1", local_offset=2 * HOUR).packed()]


@pytest.fixture(scope="module")
def tables(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Silver tables of the synthetic dump and of what is built here; one dump is there twice."""
    place = tmp_path_factory.mktemp("reports")
    dumps = place / "dumps"
    dumps.mkdir()
    (dumps / "synthetic.dat").write_bytes(SYNTHETIC.dump.read_bytes())
    (dumps / "queues.dat").write_bytes(dump(*queue_statistics()))
    (dumps / "queues-again.dat").write_bytes(dump(*queue_statistics()))
    run(spark, Settings([str(dumps)], place / "tables", ("silver",)))
    return place / "tables"


def make(spark: SparkSession, tables: Path, name: str, **asked: object) -> Report:
    return REPORTS[name].make(spark, tables, Options(**asked))  # type: ignore[arg-type]


def reference(structure: str) -> list[dict[str, str]]:
    """The rows of the reference CSV of the synthetic dump."""
    found = read(SYNTHETIC.expected / f"SMF-{structure}.csv")
    return [dict(zip(found.header, row, strict=True)) for row in found.rows]


class TestQueues:
    def test_qstat_is_the_sample_report(self, spark: SparkSession, tables: Path) -> None:
        """B28, B29, B33: page set 1, buffer pool 1, depth 4; group PERF, structure APPLICATION1, depth 100."""
        shown = FORMATS["text"]([make(spark, tables, "qstat", qmgrs=("VTS1",))])
        head = "SYS1,VTS1,2024/03/01,12:00:00.00,VRM: 930,"
        assert shown.split("------\n")[1].split("\n\n")[0].splitlines() == [
            head,
            "From 2024/03/01,11:59:00.000000 to 2024/03/01,12:00:00.000000, duration 60 seconds.",
            f"= Queue Name LQ1001  COMPLETE RECORD  {head}",
            "> Disposition Private  Pageset ID 1  Bufferpool ID 1",
            "  Current Depth 4",
            f"= Queue Name SQ1  COMPLETE RECORD  {head}",
            "> Disposition Shared  QSG Name PERF  CF Struct Name APPLICATION1",
            "  Current Depth 100",
        ]
        assert "2 queues in 1 interval of 1 queue manager." in shown
        assert "VTS1 SQ1     ################################################## 100" in shown

    def test_qstat_tells_every_queue_of_the_reference_csv(self, spark: SparkSession, tables: Path) -> None:
        report = make(spark, tables, "qstat", qmgrs=("MQA1", "MQA2"))
        names = [column.name for column in report.tables[0].columns]
        queue, depth, record = (names.index(name) for name in ("Queue", "Depth", "Record"))
        expected = [
            (row["Queue"].strip(), int(row["Current_Depth"]), "COMPLETE" if row["Record"] == "FULL" else "PARTIAL")
            for row in reference("QQST")
        ]
        assert [(row[queue], row[depth], row[record]) for row in report.tables[0].rows] == expected
        assert len(expected) == 13 and any("4 records partial" in sentence for sentence in report.words)

    def test_rows_are_cut_and_the_rest_is_counted(self, spark: SparkSession, tables: Path) -> None:
        table = make(spark, tables, "qstat", rows=5).tables[0]
        assert (len(table.rows), table.left_out) == (5, 13 + 2 - 5)

    def test_qstatcsv_has_every_counter_and_empty_cells_for_what_was_not_recorded(
        self, spark: SparkSession, tables: Path
    ) -> None:
        lines = FORMATS["csv"]([make(spark, tables, "qstatcsv", qmgrs=("MQA2", "VTS1"))]).splitlines()
        rows = [dict(zip(lines[0].split(","), line.split(","), strict=True)) for line in lines[1:]]
        assert [row["Queue"] for row in rows] == ["V10.QUEUE", "LQ1001", "SQ1"]
        expected = next(row for row in reference("QQST") if row["QMgr"] == "MQA2")
        for counter in (
            "Put",
            "Put1",
            "Get",
            "Streamed",
            "Expired",
            "Otel_Span_Limit_Storage",
            "Queue_Depth_High_Water",
        ):
            assert rows[0][counter] == expected[counter]
            assert rows[1][counter] == ""
        assert (rows[0]["Uncommitted"], rows[1]["Interval_Start"]) == ("NO", "2024-03-01 09:59:00.000000")

    def test_time_chooses_by_the_start_of_the_interval(self, spark: SparkSession, tables: Path) -> None:
        start = datetime.fromtimestamp((NOON - MINUTE) / 1e6, UTC)
        later = datetime.fromtimestamp(NOON / 1e6, UTC)
        assert len(make(spark, tables, "qstat", start=start, until=later).tables[0].rows) == 15
        for asked in ({"start": later}, {"until": start}):
            report = make(spark, tables, "qstat", **asked)
            assert report.tables == [] and "START TRACE(STAT) CLASS(5)" in report.words[1]


@pytest.mark.parametrize("name", sorted(REPORTS))
def test_a_report_without_its_records_says_which_it_needs(name: str, spark: SparkSession, tmp_path: Path) -> None:
    """B25: the class that must be on is named. No table is there at all."""
    report = make(spark, tmp_path, name, qmgrs=("QM1",))
    assert report.tables == [] and report.charts == []
    assert report.words[0].startswith("There are no ") and "of QM1 in the tables" in report.words[0]
    for render in FORMATS.values():
        assert "There are no " in render([report])
