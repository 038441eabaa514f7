"""ITR: costs of records on another machine, by the rule and the example of the documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.pipeline.report_tables import make, rows_of, silver, table_of
from tests.telemetry.builder import Record

pytest.importorskip("pyspark", reason="the pipeline needs PySpark: the spark extra")
pytest.importorskip("pyarrow", reason="the pipeline needs pyarrow: the spark extra")

from flintmq.pipeline.errors import BadOption  # noqa: E402
from flintmq.telemetry.smf.layouts.wq import WQ  # noqa: E402
from flintmq.telemetry.smf.layouts.wtas import WTAS  # noqa: E402
from flintmq.telemetry.smf.layouts.wtid import WTID  # noqa: E402
from flintmq.telemetry.smf.pack import Value, pack  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """10 puts of 18 us, an open of 44 and a close of 10: 234 us."""
    used: dict[str, Value] = {
        "BASENAME": "LQ1000",
        "PUTN": 10,
        "PUTCT": 180,
        "OPENN": 1,
        "OPENCT": 44,
        "CLOSEN": 1,
        "CLOSECT": 10,
    }
    parts = {1: [pack(WTID, {})], 2: [pack(WTAS, {})], 3: [pack(WQ, used)]}
    return silver(tmp_path_factory.mktemp("itr"), Record(116, 1, parts).packed())


def test_costs_are_divided_by_the_ratio_of_single_engines(spark: SparkSession, tables: Path) -> None:
    """B215: 0.49 / 0.90 = 0.54."""
    report = make(spark, tables, "itr", {"from": "2084-304", "to": "2064-1C5", "cost": 100})
    assert report.words[0].startswith("An engine of 2064-1C5 does 0.54 of the work of one of 2084-304 (0.49 / 0.90)")
    assert report.words[1].startswith("100 us on 2084-304 are 183.7 us on 2064-1C5.")
    assert "at most 40,000 such a second, 2064-1C5 27,222" in report.words[1]
    calls = {row["Call"]: row for row in rows_of(table_of(report, "Calls"))}
    assert set(calls) == {"MQOPEN", "MQCLOSE", "MQPUT"}
    assert calls["MQPUT"]["CPU on 2084-304"] == 18
    assert calls["MQPUT"]["CPU on 2064-1C5"] == pytest.approx(18 * 0.9 / 0.49)
    queue = rows_of(table_of(report, "Queues"))[0]
    assert (queue["Queue"], queue["All, 2084-304"], queue["Get, 2064-1C5"]) == ("LQ1000", 0.234, None)
    assert report.charts[0].series[1].values == [pytest.approx(0.234 * 0.9 / 0.49)]
    assert any(sentence.startswith("In the busiest hour, from 2024-03-01 10:00 UTC") for sentence in report.words)


def test_without_machines_it_says_which_there_are(spark: SparkSession, tables: Path) -> None:
    report = make(spark, tables, "itr")
    assert [row["Machine"] for row in rows_of(report.tables[0])] == ["2064-1C5", "2084-304", "9672-X27", "2064-1C1"]


def test_without_accounting_a_cost_can_still_be_converted(spark: SparkSession, tables: Path) -> None:
    report = make(spark, tables, "itr", {"from": "2084-304", "to": "3931-703:3:5.4", "cost": 9}, "NONE")
    assert report.words[1].startswith("9 us on 2084-304 are 4.5 us on 3931-703.")
    assert "CLASS(3)" in report.words[-1] and [table.title for table in report.tables] == ["Machines"]


@pytest.mark.parametrize("settings", [{"from": "2084-304"}, {"cost": 5}, {"from": "z99", "to": "2084-304"}])
def test_half_a_question_is_refused(spark: SparkSession, tables: Path, settings: dict[str, object]) -> None:
    with pytest.raises(BadOption):
        make(spark, tables, "itr", settings)
