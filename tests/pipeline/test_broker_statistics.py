"""A broker's statistics in Spark, end to end: a group runs, its records come from the topic and from its SMF dump."""

from __future__ import annotations

import io
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.broker.runtime import flows
from tests.pipeline.report_tables import make
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.pipeline.manager import Manager

MESSAGES = 25
TOPIC = "$SYS/Broker/BRK/Statistics/JSON/SnapShot/#"


def run_broker(manager: Manager, directory: Path) -> None:
    """Run MESSAGES messages in two workers; snapshots go to the topic and to a dump."""
    pytest.importorskip("lxml", reason="the broker needs its extra")
    from flintmq.broker.runtime.foreground import Foreground
    from flintmq.broker.runtime.log import BrokerLog
    from flintmq.broker.runtime.statistics.settings import SETTING, of_options

    settings = of_options(["snapshot:nodes=advanced,threads=basic,output=json+smf"], snapshot_s=600).text()
    made = Foreground(
        flows.pass_through(directory / "app"),
        "QM1",
        {},
        name="BRK",
        http_port=-1,
        overrides={"Pass#additionalInstances": "1"},
        workers=2,
        create_queues=True,
        settings={"": {SETTING: settings}},
        directory=str(directory / "files"),
        log=BrokerLog("BRK", stream=io.StringIO()),
    )
    assert made.start()
    try:
        with manager.connect() as qm:
            for number in range(MESSAGES):
                qm.queue("IN").put(f"{number}", persistent=True)
            for _ in range(MESSAGES):
                qm.queue("OUT").get(wait=PATIENCE)
        time.sleep(0.3)
    finally:
        made.stop()  # The last interval is written as Shutdown.


def test_records_of_a_run_become_the_broker_report(
    spark: SparkSession, manager: Manager, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The topic, streamed to an archive, and the dump hold the same record: the report counts it once."""
    from flintmq import pipeline
    from flintmq.pipeline.tables.statistics import load

    pipeline.register(spark)
    monkeypatch.setenv("FLINTMQ_DATA", str(manager.directory))  # The broker uses the local socket.
    with manager.connect() as qm:
        qm.mqsc(f"DEFINE QLOCAL(STATISTICS)\nDEFINE SUB(STATS) TOPICSTR('{TOPIC}') DEST(STATISTICS)")
    run_broker(manager, tmp_path)
    stream = spark.readStream.format("mq").options(**manager.options, queue="STATISTICS", body="text").load()
    query = stream.select("body").writeStream.format("parquet").option("path", str(tmp_path / "archive"))
    query = query.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True)
    query.start().awaitTermination()

    by_topic = load([str(tmp_path / "archive")], tmp_path / "by_topic", spark)
    by_dump = load([str(tmp_path / "files")], tmp_path / "by_dump", spark)
    # The dump has a second copy of what the topic has, and no more.
    assert by_topic.rows == by_dump.rows == {"flow": 1, "thread": 2, "node": 2, "terminal": by_topic.rows["terminal"]}
    assert not by_topic.findings and not by_dump.findings
    load([str(tmp_path / "archive"), str(tmp_path / "files")], tmp_path / "both", spark)
    report = make(spark, tmp_path / "both", "broker")
    shown = {each.title.split(",")[0]: each for each in report.tables}
    flow = dict(zip((column.name for column in shown["Flows"].columns), shown["Flows"].rows[0], strict=True))
    assert (flow["Flow"], flow["Records"], flow["Intervals"], flow["Threads"]) == ("Pass", "SnapShot", 1, 2)
    assert flow["Commits"] == MESSAGES
    nodes = {row[1]: row[3] for row in shown["Nodes"].rows}
    assert nodes == {"In": MESSAGES, "Out": MESSAGES}
    assert sum(_messages(row) for row in shown["Threads"].rows) == MESSAGES


def _messages(row: Any) -> int:
    return int(row[2])
