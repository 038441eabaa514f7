"""The broker report: from SMF 117 and messages to flows, nodes and threads; sums that can be checked by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.pipeline.report_tables import make
from tests.telemetry.flow_statistics import statistics

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from flintmq.pipeline.reports.model import Report


def table(report: Report, title: str) -> list[dict[str, Any]]:
    (found,) = [each for each in report.tables if each.title.startswith(title)]
    names = [f"{column.name} {column.unit}".strip() for column in found.columns]
    return [dict(zip(names, row, strict=True)) for row in found.rows]


def test_flows_nodes_and_threads_are_added_up_once_each(spark: SparkSession, tmp_path: Path) -> None:
    """Snapshots that come twice, and the archive record of the same messages, are not added."""
    from flintmq.pipeline.errors import BadOption
    from flintmq.pipeline.tables.statistics import load
    from flintmq.telemetry.smf117 import encode

    snapshots = [statistics(2, 3, 2, number=number) for number in range(3)]
    (tmp_path / "B1.smf").write_bytes(b"".join(map(encode, snapshots)))
    (tmp_path / "same.json").write_text(json.dumps(snapshots[1]))
    archive = statistics(2, 3, 2, messages=250)
    archive["RecordType"], archive["RecordCode"] = "Archive", "Major"
    other = statistics(1, 0, 0, flow="Plain", messages=10)
    (tmp_path / "more.json").write_text(json.dumps([archive, other]))
    load([str(tmp_path)], tmp_path / "out", spark)

    report = make(spark, tmp_path / "out", "broker")
    flows = table(report, "Flows")
    assert [(row["Flow"], row["Records"], row["Intervals"], row["Messages"]) for row in flows] == [
        ("Orders", "SnapShot", 3, 300),
        ("Plain", "SnapShot", 1, 10),
    ]
    orders = flows[0]
    assert orders["CPU a message us"] == pytest.approx(2000)
    assert orders["Elapsed a message ms"] == pytest.approx(5)
    assert orders["Messages /s"] == pytest.approx(300 / 60)
    # 300 messages of 5 ms in 60 s of two threads.
    assert orders["Busy %"] == pytest.approx(100 * 1.5 / 120)
    nodes = table(report, "Nodes")
    assert [(row["Node"], row["Invocations"]) for row in nodes] == [("Node 3", 300), ("Node 2", 300), ("Node 1", 300)]
    assert [row["CPU a message us"] for row in nodes] == pytest.approx([1000, 666.67, 333.33], abs=0.1)
    assert sum(row["Of the flow's CPU %"] for row in nodes) == pytest.approx(100, abs=0.1)
    assert [(row["Thread"], row["Messages"]) for row in table(report, "Threads")][:2] == [(1, 150), (2, 150)]
    assert table(report, "Threads")[0]["Of the flow's %"] == pytest.approx(50)
    time = table(report, "Where")[0]
    assert [time["CPU in nodes %"], time["Waits in nodes %"]] == pytest.approx([40, 60], abs=0.1)
    assert time["Most of it in"] == "Node 3 (50 %)"
    assert [(row["Node"], row["Terminal"], row["Invocations"]) for row in table(report, "Terminals")][:1] == [
        ("Node 1", "out1", 300)
    ]
    page = (Path(__file__).resolve().parents[2] / "docs" / "pipeline-reports.md").read_text()
    assert all(f"    {sentence}\n" in page for sentence in report.words[:3]), report.words

    from flintmq.pipeline.work import query_rows

    (query,) = re.findall(r'pipeline sql "(select Label.*?)"', page)
    _, found, _ = query_rows(spark, tmp_path / "out", query, 10)
    assert {row[0] for row in found} == {"Node 1", "Node 2", "Node 3"}

    archived = table(make(spark, tmp_path / "out", "broker", {"type": "Archive"}), "Flows")
    assert [(row["Flow"], row["Messages"]) for row in archived] == [("Orders", 250)]
    nothing = make(spark, tmp_path / "out", "broker", {"flow": "Other"})
    assert nothing.silent and "no statistics of message flows" in nothing.words[0]
    with pytest.raises(BadOption, match="SnapShot or Archive"):
        make(spark, tmp_path / "out", "broker", {"type": "Hourly"})
