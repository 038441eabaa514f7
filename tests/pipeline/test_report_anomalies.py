"""ANOMALIES: a series of weeks with one burst, gaps, a reset and short intervals; and the formula against its SQL."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.pipeline.report_tables import make, rows_of, silver
from tests.telemetry.builder import NOON, Record

pytest.importorskip("pyspark", reason="the pipeline needs PySpark: the spark extra")
pytest.importorskip("pyarrow", reason="the pipeline needs pyarrow: the spark extra")

from flintmq.pipeline.errors import BadOption  # noqa: E402
from flintmq.pipeline.reports.anomalies import SCALE  # noqa: E402
from flintmq.pipeline.reports.score import scale  # noqa: E402
from flintmq.telemetry.smf.layouts.qqst import QQST  # noqa: E402
from flintmq.telemetry.smf.pack import pack  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUARTER = 15 * 60 * 1_000_000
HOUR = 4 * QUARTER
DAY = 24 * HOUR
#: Friday 2024-03-01, 00:00 UTC.
MIDNIGHT = NOON - 10 * HOUR


def statistics(end: int, interval: int, counts: dict[str, int]) -> bytes:
    """Queues with so many puts each, and as many gets; local time is two hours ahead of UTC."""
    parts = [pack(QQST, {"QQSTQNAM": name, "QQSTPUTS": puts, "QQSTGETS": puts}) for name, puts in counts.items()]
    return Record(115, 216, {1: parts}, at=end, interval=interval, local_offset=2 * HOUR).packed()


def three_weeks() -> list[bytes]:
    """DEV.QUEUE.1 does 850 puts in a quarter of an hour by day and 10 by night, STEADY always 500, IDLE none.

    On the third Friday from 10:15 (local) DEV.QUEUE.1 does 12,000 for half an hour, at 14:00 none; at 12:00 an interval
    lasts 30 s only; Thursday 09:00 to 10:00 is missing. RARE is there for an hour.
    """
    chance = random.Random(5)
    made = []
    for day in range(15):
        for quarter in range(24, 80):
            start = MIDNIGHT + day * DAY + quarter * QUARTER - 2 * HOUR
            usual = 850 + chance.randrange(-50, 51) if 32 <= quarter < 72 else 10
            counts = {"DEV.QUEUE.1": usual, "STEADY": 500, "IDLE": 0}
            length = QUARTER
            if day == 14 and quarter in (41, 42):
                counts["DEV.QUEUE.1"] = 12_000 if quarter == 41 else 11_000
            if day == 14 and quarter == 56:
                counts["DEV.QUEUE.1"] = 0
            if day == 14 and quarter == 48:
                length = QUARTER // 30
                counts = {"DEV.QUEUE.1": 28, "STEADY": 40, "IDLE": 0}
            if day == 13 and 36 <= quarter < 40:
                continue
            if day == 14 and 60 <= quarter < 64:
                counts["RARE"] = quarter**3
            made.append(statistics(start + length, length, counts))
    return made


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return silver(tmp_path_factory.mktemp("anomalies"), *three_weeks())


def test_a_burst_is_found_in_its_hour_and_told_in_words(spark: SparkSession, tables: Path) -> None:
    """Nothing else is: not the night, the missing hour, the short interval, the steady, the idle and the new queue."""
    report = make(spark, tables, "anomalies")
    found = {(row["Counter"], row["Time, local"]): row for row in rows_of(report.tables[0])}
    assert set(found) == {(counter, f"2024-03-15 {at}") for counter in ("puts", "gets") for at in ("10:15", "14:00")}
    burst = found["puts", "2024-03-15 10:15"]
    assert (burst["Object"], burst["Value"], burst["Intervals"]) == ("DEV.QUEUE.1", 12_000, 2)
    assert burst["z"] == pytest.approx((12_000 - burst["Median"]) / (0.06 * burst["Median"]), rel=0.01)
    assert 800 <= burst["Usual from"] <= burst["Median"] <= burst["Usual to"] <= 900
    usual = f"{burst['Usual from']:.0f} to {burst['Usual to']:.0f}"
    assert (
        "DEV.QUEUE.1 (MQA1) had 14 times its usual puts at 2024-03-15 10:15: 12,000 where "
        f"{usual} are usual at this hour on Fridays, the worst of 2 intervals in a row." in report.words
    )
    none = found["puts", "2024-03-15 14:00"]
    assert none["z"] < -10 and any("had no puts at 2024-03-15 14:00: 0 where" in word for word in report.words)
    assert "8 values are of series that are too short to judge." in report.words
    chart = report.charts[0]
    assert len(report.charts) == 2 and max(value or 0 for value in chart.series[0].values) == 12_000
    assert all(len(series.values) == len(chart.x) for series in chart.series)


def test_a_peak_that_comes_every_hour_or_every_day_is_not_unusual(spark: SparkSession, tmp_path: Path) -> None:
    """Issue 14, item 16. Jobs of every full hour, and of 18:30 every day, are usual; one burst beside them is not."""
    records = []
    for quarter in range(6 * 96):
        hourly = 5_000 if quarter % 4 == 0 else 100 + quarter % 7
        daily = 9_000 if quarter % 96 == 74 else 40 + quarter % 5
        burst = 200_000 if quarter == 301 else hourly
        end = MIDNIGHT - 2 * HOUR + (quarter + 1) * QUARTER
        records.append(statistics(end, QUARTER, {"HOURLY": burst, "DAILY": daily}))
    report = make(spark, silver(tmp_path, *records), "anomalies")
    found = {(row["Object"], row["Time, local"]) for row in rows_of(report.tables[0])}
    assert found == {("HOURLY", "2024-03-04 03:15")}
    assert any("stand out of their hour and recur" in word for word in report.words)


def test_without_records_it_says_which_it_needs_and_a_strange_threshold_is_refused(
    spark: SparkSession, tables: Path, tmp_path: Path
) -> None:
    report = make(spark, tables, "anomalies", {}, "NONE")
    assert "CLASS(1,5)" in report.words[1] and not report.tables
    same = silver(tmp_path, *(statistics(NOON + number * QUARTER, QUARTER, {"STEADY": 5}) for number in range(9)))
    assert make(spark, same, "anomalies").words == ["Nothing was unusual: no counter changed at all."]
    with pytest.raises(BadOption, match="threshold=0"):
        make(spark, tables, "anomalies", {"threshold": 0})


def test_the_formula_in_sql_is_the_formula(spark: SparkSession) -> None:
    """B200 and the rest of score.scale, with MAD 0, mean distance 0 and both kinds."""
    cases = [
        (middle, mad, mean, kind, middle + way * 7.0, middle - low, middle + high)
        for middle in (0.0, 1.0, 50.0, 1e6)
        for mad, mean in ((0.0, 0.0), (0.0, 80.0), (30.0, 25.0), (1e5, 1e5))
        for kind in ("count", "level")
        for way in (-1, 1)
        for low, high in ((0.0, 0.0), (3.0, 400.0))
    ]
    names = ["Middle", "Mad", "Mean_Distance", "Kind", "X", "Low", "High"]
    rows = spark.createDataFrame(cases, names).selectExpr(*names, f"{SCALE} as Scale").collect()
    for row in rows:
        quartile = row.High - row.Middle if row.X >= row.Middle else row.Middle - row.Low
        by_hand = scale(row.Middle, row.Mad, row.Mean_Distance, row.Kind == "count", quartile)
        assert row.Scale == pytest.approx(by_hand)
