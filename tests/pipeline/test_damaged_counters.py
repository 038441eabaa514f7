"""Records whose counters are damaged: every bit of them on, and intervals of no length. Nothing stops for them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.pipeline.report_tables import make, silver
from tests.telemetry.builder import NOON, Record, dump

pytest.importorskip("pyspark", reason="the pipeline needs PySpark: the spark extra")
pytest.importorskip("pyarrow", reason="the pipeline needs pyarrow: the spark extra")

from flintmq.pipeline.tables.gold import make_gold  # noqa: E402
from flintmq.pipeline.tables.run import Settings, run  # noqa: E402
from flintmq.telemetry.smf.layouts.qcst import QCST  # noqa: E402
from flintmq.telemetry.smf.layouts.qjst import QJST  # noqa: E402
from flintmq.telemetry.smf.layouts.qmst import QMST  # noqa: E402
from flintmq.telemetry.smf.layouts.qqst import QQST  # noqa: E402
from flintmq.telemetry.smf.layouts.wq import WQ  # noqa: E402
from flintmq.telemetry.smf.layouts.wtas import WTAS  # noqa: E402
from flintmq.telemetry.smf.layouts.wtid import WTID  # noqa: E402
from flintmq.telemetry.smf.pack import pack  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from flintmq.telemetry.smf.fields import Structure

MINUTE = 60_000_000


def all_on(layout: Structure, kept: int = 8, byte: bytes = b"\xff") -> bytes:
    """A structure with every bit on behind its first bytes, which say what and how long it is."""
    made = pack(layout, {})
    return made[:kept] + byte * (len(made) - kept)


def damaged(number: int, interval: int) -> list[bytes]:
    at = NOON + number * MINUTE
    task = {1: [all_on(WTID, 12)], 2: [all_on(WTAS, 28)], 3: [all_on(WQ, 12)]}
    records = [
        Record(115, 2, {1: [all_on(QMST)]}, at=at, interval=interval),
        Record(115, 216, {1: [all_on(QQST)]}, at=at, interval=interval),
        Record(116, 1, task, at=at),
        Record(116, 10, {1: [all_on(QCST)]}, at=at),
    ]
    return [record.packed() for record in records]


@pytest.fixture(scope="module")
def tables(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("damaged")
    good = pack(QQST, {"QQSTQNAM": "GOOD", "QQSTPUTS": 7})
    records = [*damaged(0, MINUTE), *damaged(1, MINUTE), *damaged(2, 0)]
    records.append(Record(115, 216, {1: [good]}, qmgr="MQB1").packed())
    for number, (puts, interval) in enumerate([(60, MINUTE), (1000, 0)]):
        calls = {1: [pack(QMST, {"QMSTPUT": puts})]}
        records.append(Record(115, 2, calls, qmgr="MQC1", at=NOON + number, interval=interval).packed())
    (place / "a.dat").write_bytes(dump(*records))
    run(spark, Settings([str(place / "a.dat")], place / "tables"))
    return place / "tables"


def test_gold_has_the_other_queues_and_null_for_sums_that_do_not_fit(spark: SparkSession, tables: Path) -> None:
    rows = {row.QMgr: row for row in spark.read.parquet(str(tables / "gold" / "queue")).collect() if row.Intervals}
    assert rows["MQB1"].Puts == 7 and rows["MQA1"].Puts is None
    rates = [row.Puts_Per_Second for row in spark.read.parquet(str(tables / "gold" / "interval")).collect()]
    assert len(rates) == 5 and rates.count(None) == 2 and 1.0 in rates


@pytest.mark.parametrize("name", ["qstat", "task", "msg", "channel", "bursts", "anomalies"])
def test_a_report_is_made_all_the_same(spark: SparkSession, tables: Path, name: str) -> None:
    report = make(spark, tables, name)
    assert report.words and not report.words[0].startswith("There are no")


def test_a_rate_is_of_the_intervals_that_have_a_length(spark: SparkSession, tables: Path) -> None:
    words = make(spark, tables, "msg", None, "MQC1").words[0]
    assert (
        words.startswith("1,060 puts and 0 gets in 2 intervals") and "1.00 puts a second on average and 1.00" in words
    )


@pytest.fixture(scope="module")
def high(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Counters of 32 and of 64 bits of which no two can be added: 7F7F..., above 0 whether they have a sign or not."""
    calls, log = all_on(QMST, byte=b"\x7f"), all_on(QJST, byte=b"\x7f")
    good = pack(QMST, {"QMSTPUT": 4, "QMSTGET": 1, "QMSTSPP": 3, "QMSTSNP": 1})
    records = [
        Record(115, 2, {1: [calls]}).packed(),
        Record(115, 2, {1: [calls]}, at=NOON - MINUTE).packed(),
        Record(115, 2, {1: [good]}, qmgr="MQB1").packed(),
        Record(115, 1, {11: [log]}).packed(),
    ]
    tables = silver(tmp_path_factory.mktemp("high"), *records)
    make_gold(spark, tables)
    return tables


def test_gold_has_null_where_two_counters_cannot_be_added(spark: SparkSession, high: Path) -> None:
    row = spark.read.parquet(str(high / "gold" / "interval")).where("QMgr = 'MQA1'").collect()[0]
    assert row.Puts == row.Put1s == 0x7F7F7F7F and row.Puts_Per_Second is None and row.Gets_Per_Second > 0
    (row,) = spark.read.parquet(str(high / "gold" / "across")).collect()
    assert row.Puts == 4 and row.Gets == 2 * 0x7F7F7F7F + 1


@pytest.mark.parametrize("name", ["msg", "log"])
def test_a_report_is_made_where_two_counters_cannot_be_added(spark: SparkSession, high: Path, name: str) -> None:
    report = make(spark, high, name)
    assert report.tables and not report.words[0].startswith("There are no")
    assert name == "log" or report.words[1] == "75.0 % of the messages were persistent."
