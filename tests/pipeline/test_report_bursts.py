"""BURSTS: the same 100,000 messages of a minute, evenly and at once, from each source; and what a count proves."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.pipeline.report_tables import make, rows_of, silver, table_of
from tests.telemetry.builder import NOON, Record

pytest.importorskip("pyspark", reason="the pipeline needs PySpark: the spark extra")
pa: Any = pytest.importorskip("pyarrow", reason="the pipeline needs pyarrow: the spark extra")

import pyarrow.parquet as pq  # noqa: E402

from flintmq.pipeline.errors import BadOption  # noqa: E402
from flintmq.pipeline.reports.bursts import SPREADS  # noqa: E402
from flintmq.pipeline.reports.spread import spread  # noqa: E402
from flintmq.pipeline.sources.mq_columns import COLUMNS  # noqa: E402
from flintmq.telemetry.smf.layouts.qqst import QQST  # noqa: E402
from flintmq.telemetry.smf.layouts.wq import WQ  # noqa: E402
from flintmq.telemetry.smf.layouts.wtas import WTAS  # noqa: E402
from flintmq.telemetry.smf.layouts.wtid import WTID  # noqa: E402
from flintmq.telemetry.smf.pack import Value, pack  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SECOND = 1_000_000
MINUTE = 60 * SECOND
EVEN = [8334] * 4 + [8333] * 8
ONCE = [0] * 7 + [100_000] + [0] * 4


def five_seconds(number: int) -> bytes:
    """An interval of STATIME(0.05) with both queues."""
    parts = [
        pack(QQST, {"QQSTQNAM": name, "QQSTPUTS": counts[number]}) for name, counts in (("EVEN", EVEN), ("ONCE", ONCE))
    ]
    return Record(115, 216, {1: parts}, at=NOON + (number + 1) * 5 * SECOND, interval=5 * SECOND).packed()


def minute(number: int, *queues: dict[str, Value]) -> bytes:
    parts = [pack(QQST, queue) for queue in queues]
    return Record(115, 216, {1: parts}, qmgr="MQB1", at=NOON + (number + 1) * MINUTE, interval=MINUTE).packed()


def task(opened: int, closed: int, puts: int) -> bytes:
    used: dict[str, Value] = {"BASENAME": "TASKS", "PUTN": puts, "OPENTIME": opened, "CLOSTIME": closed}
    parts = {1: [pack(WTID, {})], 2: [pack(WTAS, {})], 3: [pack(WQ, used)]}
    return Record(116, 1, parts, qmgr="MQC1", at=closed + SECOND).packed()


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    quick: dict[str, Value] = {"QQSTQNAM": "QUICK", "QQSTPUTS": 100_000, "QQSTLPUT": NOON + MINUTE + 5 * SECOND}
    deep: dict[str, Value] = {"QQSTQNAM": "DEEP", "QQSTPUTS": 1000, "QQSTDPHI": 900, "QQSTLPUT": NOON + 2 * MINUTE}
    kept: dict[str, Value] = {"QQSTQNAM": "KEPT", "QQSTPUTS": 1000, "QQSTFPTC": 990}
    few: dict[str, Value] = {"QQSTQNAM": "FEW", "QQSTPUTS": 5, "QQSTLPUT": NOON + MINUTE + SECOND}
    return silver(
        tmp_path_factory.mktemp("bursts"),
        *(five_seconds(number) for number in range(12)),
        minute(0, {"QQSTQNAM": "DEEP", "QQSTDPTH": 100}),
        minute(1, quick, deep, kept, few),
        *(task(NOON + second * SECOND, NOON + second * SECOND + 500_000, 400) for second in (3, 4)),
        task(NOON, NOON + 50 * SECOND, 10**6),
    )


def test_short_intervals_short_tasks_and_counts_each_tell_what_they_can(spark: SparkSession, tables: Path) -> None:
    """B24: a one-minute count hides bursts; intervals of five seconds show how the same 100,000 messages came."""
    report = make(spark, tables, "bursts")
    windows = {row["Queue"]: row for row in rows_of(table_of(report, "Windows"))}
    assert set(windows) == {"EVEN", "ONCE", "TASKS"}
    once, even, tasks = windows["ONCE"], windows["EVEN"], windows["TASKS"]
    assert (once["Messages"], even["Messages"]) == (100_000, 100_000)
    assert (once["Peak"], once["Peak over mean"], once["Spread"]) == (
        20_000,
        12,
        "in short bursts with silence between",
    )
    assert (round(even["Mean"]), round(even["Peak over mean"], 2), even["Spread"]) == (1667, 1.0, "even")
    assert (even["Time with half"], even["Idle time"], round(once["Time with half"])) == (50, 0, 8)
    assert (tasks["Seen from"], tasks["Messages"], tasks["Peak"], tasks["Peak over mean"]) == ("task", 800, 400, 30)
    assert any(
        sentence.startswith("ONCE (MQA1) got 100,000 messages in the 60 s from 2024-03-01 10:00:00, in short bursts")
        and sentence.endswith("20,000 a second at the peak, 1,667 on average, and half of them in 5 of 60 s.")
        for sentence in report.words
    )
    assert report.charts[0].series[0].values.count(0) == 58 and len(report.charts[0].x) == 60

    proved = {row["Queue"]: row for row in rows_of(table_of(report, "Long intervals"))}
    assert set(proved) == {"QUICK", "DEEP", "KEPT"}
    assert (proved["QUICK"]["Last put after"], proved["QUICK"]["Reached for certain"]) == (5, 20_000)
    assert (proved["DEEP"]["Put and not got at the deepest"], proved["KEPT"]["Put and not got at the deepest"]) == (
        800,
        None,
    )
    words = "\n".join(report.words)
    assert "within the first 5 s: 20,000 a second or more, not 1,667." in words
    assert "800 of the 1,000 messages that DEEP (MQB1) got in the 60 s" in words
    assert "KEPT (MQB1) handed 99 % of its messages" in words
    assert "cannot be seen from its count" in words and "STATIME(0.05)" in words


def test_put_times_of_messages_are_counted_by_the_second(spark: SparkSession, tables: Path, tmp_path: Path) -> None:
    """B24, from messages as the mq source gives them."""
    assert COLUMNS["put_time"] == pa.timestamp("us", tz="UTC") and COLUMNS["queue"] == pa.string()
    times = [NOON + 7 * SECOND + number * 1000 for number in range(990)] + [NOON + 40 * SECOND] * 10
    place = tmp_path / "messages"
    place.mkdir()
    moments = [datetime.fromtimestamp(at / 1e6, UTC) for at in times]
    pq.write_table(pa.table({"queue": ["ORDERS"] * len(moments), "put_time": moments}), place / "a.parquet")
    report = make(spark, tables, "bursts", {"messages": place}, "NONE")
    row = rows_of(table_of(report, "Windows"))[0]
    assert (row["Queue"], row["Messages"], row["Peak"], row["Peak over mean"]) == (
        "ORDERS",
        1000,
        990,
        pytest.approx(59.4),
    )
    assert (round(row["Idle time"], 1), row["Seen from"]) == (96.7, "message")
    assert report.words[-1] == "This was seen from the put times of messages."


def test_slots_of_a_tenth_of_a_second_are_drawn_where_they_are(
    spark: SparkSession, tables: Path, tmp_path: Path
) -> None:
    """0.1 has no exact form: the slots of a chart are told by their number."""
    times = [datetime(2024, 3, 1, 12, 0, 0, 100_000 * tenth, tzinfo=UTC) for tenth in range(10) for _ in range(tenth)]
    rows = {"queue": ["FINE"] * len(times), "put_time": times}
    pq.write_table(pa.table(rows), tmp_path / "messages.parquet")
    settings = {"messages": tmp_path, "window": 1, "slot": 0.1, "least": 40}
    chart = make(spark, tables, "bursts", settings, "NONE").charts[0]
    assert chart.x[3] == "0.3 s" and chart.series[0].values == pytest.approx([10.0 * tenth for tenth in range(10)])


def test_what_cannot_be_asked_is_refused_and_what_is_not_there_is_said(
    spark: SparkSession, tables: Path, tmp_path: Path
) -> None:
    assert "STATIME(0.05)" in make(spark, tables, "bursts", {}, "NONE").words[1]
    with pytest.raises(BadOption, match="a slot is at most a quarter"):
        make(spark, tables, "bursts", {"slot": 20})
    with pytest.raises(BadOption, match="not a whole number of such slots"):
        make(spark, tables, "bursts", {"slot": 7})
    with pytest.raises(BadOption, match="no such directory"):
        make(spark, tables, "bursts", {"messages": tmp_path / "none"})
    pq.write_table(pa.table({"queue": ["A"]}), tmp_path / "a.parquet")
    with pytest.raises(BadOption, match="no column put_time"):
        make(spark, tables, "bursts", {"messages": tmp_path})


def test_the_spread_in_sql_is_the_spread(spark: SparkSession) -> None:
    cases = {"even": EVEN, "once": ONCE, "none": [0, 0], "ties": [5, 5, 5, 5], "ramp": list(range(20)), "one": [7]}
    rows = [
        ("interval", "Q", name, 0, float(place), 1.0, count, None)
        for name, counts in cases.items()
        for place, count in enumerate(counts)
    ]
    schema = "Source string, QMgr string, Queue string, Window int, Start double, Seconds double, Puts long, Slots int"
    found = spark.sql(SPREADS, slots=spark.createDataFrame(rows, schema)).collect()
    assert len(found) == len(cases)
    for row in found:
        made = spread(cases[row.Queue])
        assert (row.Messages, row.Slots, row.Peak, row.Idle, row.Half) == (
            made.messages,
            made.slots,
            made.peak,
            made.idle,
            made.half,
        )
        assert (row.Burst or 0) == pytest.approx(made.burst)
