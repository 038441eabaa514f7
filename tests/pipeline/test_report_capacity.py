"""CAPACITY from records: the plan of the documents with what was in use, and what runs full when."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.pipeline.report_tables import make, rows_of, silver, table_of
from tests.telemetry.builder import NOON, Record

pytest.importorskip("pyspark", reason="the pipeline needs PySpark: the spark extra")
pytest.importorskip("pyarrow", reason="the pipeline needs pyarrow: the spark extra")

from flintmq.pipeline.errors import BadOption  # noqa: E402
from flintmq.telemetry.smf.layouts.qcct import QCCT  # noqa: E402
from flintmq.telemetry.smf.layouts.qct import QCTADP, QCTDSP  # noqa: E402
from flintmq.telemetry.smf.layouts.qis1 import QIS1  # noqa: E402
from flintmq.telemetry.smf.layouts.qsrs import QSRS  # noqa: E402
from flintmq.telemetry.smf.pack import Value, pack  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DAY = 86_400_000_000
SECOND = 1_000_000


def page_sets(day: int, used: int, noisy: int) -> bytes:
    """One page set that grows by the day, one that goes up and down."""
    parts = [
        pack(QIS1, {"QIS1PSNO": number, "QIS1TOPG": 10_000, "QIS1UNPG": 10_000 - pages, "QIS1FULL": day == 9})
        for number, pages in ((4, used), (5, noisy))
    ]
    return Record(115, 201, {1: parts}, at=NOON + day * DAY).packed()


def initiator(day: int) -> bytes:
    """120 MB with no channel and 232 KB for each; 64-bit storage at its limit; one dispatcher much busier."""
    channels = 100 * day
    values = {
        "QCCTNOCC": channels,
        "QCCTMXCC": 9000,
        "QCCTNOAC": channels // 2,
        "QCCTMXAC": 5000,
        "QCCTSTUS": 120 + channels * 232 // 1024,
        "QCCTSTAB": 512,
        "QCCTSLIM": 512,
    }

    def busy(seconds: int) -> dict[str, Value]:
        return {"QCTREQN": 10, "QCTELTM": seconds * SECOND, "QCTWTTM": (60 - seconds) * SECOND}

    tasks = [pack(QCTDSP, busy(seconds)) for seconds in (6, 45)]
    adapters = [pack(QCTADP, busy(seconds)) for seconds in (0, 12)]
    return Record(115, 231, {1: [pack(QCCT, values)], 2: tasks, 3: adapters}, at=NOON + day * DAY + SECOND).packed()


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    records = [page_sets(day, 2000 + 500 * day, 3000 + 2000 * (day % 2)) for day in range(10)]
    records += [initiator(day) for day in range(10)]
    records.append(Record(115, 7, {1: [pack(QSRS, {"QSRSAVAL": 300 * 2**20})]}).packed())
    records.append(Record(115, 7, {1: [pack(QSRS, {"QSRSAVAL": -1})]}, at=NOON - 1_000_000).packed())  # Not set.
    return silver(tmp_path_factory.mktemp("capacity"), *records)


def test_the_example_of_the_documents_fits_4643_channels_and_what_grows_has_a_date(
    spark: SparkSession, tables: Path
) -> None:
    """B169, B170, B140: 65 % of page set 4 now, 5 % more each day: 85 % after four days. 120 MB is from the records."""
    report = make(spark, tables, "capacity", {"memory": 1466, "sharecnv": 1, "message-kb": 32})
    fits = rows_of(table_of(report, "Client channels"))[0]
    assert (fits["Used before"], fits["Channels"], fits["Clients"], fits["Channels seen"]) == (120, 4643, 4643, 900)
    assert "MQA1: 4,643 channels fit: 1,172 MB to plan with, less 120 MB in use, at 232 KB a channel." in report.words
    assert any("in the records a channel takes about 23" in sentence for sentence in report.words)
    filling = {row["Resource"]: row for row in rows_of(table_of(report, "What fills up"))}
    assert round(filling["page set 4"]["Growth"], 3) == 5
    assert filling["page set 4"]["Full (UTC)"].startswith("2024-03-14 ")
    assert filling["page set 5"]["Full (UTC)"] == "no clear growth" and filling["page set 5"]["Growth"] is None
    assert filling["CHINIT 64-bit storage"]["Full (UTC)"] == "it is"
    assert (filling["dispatchers, the busiest"]["At most"], filling["adapters, all together"]["At most"]) == (75, 10)
    assert filling["CHINIT 31-bit storage"]["Limit"] == 1172
    assert report.words[0] == "CHINIT 64-bit storage of MQA1 is at its limit: 512 of 512 MB."
    assert report.words[1].startswith("Page set 4 of MQA1 reaches its limit of 85 % about 2024-03-14 ")
    assert [len(chart.series) for chart in report.charts] == [1, 5]
    assert all(len(series.values) == len(chart.x) for chart in report.charts for series in chart.series)
    left = rows_of(table_of(report, "Page sets"))[0]
    assert (left["Unused"], left["Messages of 32 KB that still fit"], left["Times full"]) == (3500, 388, 1)
    assert rows_of(table_of(report, "Connections"))[0]["Connections that fit"] == 10_240


def test_a_plan_needs_no_records_and_records_need_no_plan(spark: SparkSession, tables: Path) -> None:
    """B147, B166, B170, B209."""
    bare = make(spark, tables, "capacity", {"memory": 1466, "used": 120}, "NONE")
    assert "4,643 channels fit" in bare.words[0] and "START TRACE(STAT)" in bare.words[1]
    more = {"memory": 1466, "used": 120, "type": "mca", "users": 100_000, "indexed": 10**8}
    words = make(spark, tables, "capacity", more, "NONE").words
    assert (
        words[0] == "9,999 channels: storage would do for 10,772, the limit is lower (1,172 MB to plan with, less "
        "120 MB in use, at 100 KB a channel)."
    )
    assert "100,000 users with 1 resource each take 859 MB of 64-bit storage." in words
    assert "The index of 100,000,000 messages takes 25,940 MB of 64-bit storage." in words
    kinds = {(row["SHARECNV"], row["Largest message"]): row["Channels"] for row in rows_of(bare.tables[1])}
    assert (len(kinds), kinds[1, 32], kinds[0, 1]) == (12, 4643, 9999)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"memory": "much"}, "memory=much"),
        ({"memory": 1466, "message-kb": 100}, "nothing was measured"),
        ({"memory": 1466, "ceiling": 120}, "above 0 and at most 1"),
        ({"memory": 1466, "type": "sender"}, "svrconn or mca"),
        ({"storage": 1}, "no such setting"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(
    spark: SparkSession, tables: Path, settings: dict[str, object], text: str
) -> None:
    with pytest.raises(BadOption, match=text):
        make(spark, tables, "capacity", settings, "NONE")


@pytest.mark.parametrize("recorded", [17_592_186_040_320, 2**64 - 1])
def test_storage_without_a_limit_is_said_to_have_none(spark: SparkSession, tmp_path: Path, recorded: int) -> None:
    """Issue 14, item 16: MEMLIMIT=NOLIMIT was shown as 17,592,186,040,320 MB."""
    values = {"QCCTNOCC": 10, "QCCTMXCC": 100, "QCCTSTUS": 120, "QCCTSTAB": 512, "QCCTSLIM": recorded}
    records = [Record(115, 231, {1: [pack(QCCT, values)]}, at=NOON + day * DAY).packed() for day in range(6)]
    tables = silver(tmp_path, *records)
    channel = make(spark, tables, "channel")
    (row,) = rows_of(next(table for table in channel.tables if table.title == "Channel initiators"))
    assert row["64-bit limit"] == "no limit"
    capacity = make(spark, tables, "capacity")
    filled = next(table for table in capacity.tables if table.title == "What fills up")
    limits = {each["Resource"]: each["Limit"] for each in rows_of(filled)}
    assert limits["CHINIT 64-bit storage"] is None
