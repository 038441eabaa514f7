"""Tables of flow statistics: every form gives the same rows, and damage is a finding that costs nothing else."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="the pipeline needs pyarrow: the spark extra")

import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

from flintmq.cli import main  # noqa: E402
from flintmq.pipeline.errors import PipelineError  # noqa: E402
from flintmq.pipeline.tables.statistics import FINDINGS, FLOW, NODE, TERMINAL, THREAD, lines_of, load  # noqa: E402
from flintmq.telemetry.smf117 import encode  # noqa: E402
from tests.telemetry.flow_statistics import statistics  # noqa: E402

TABLES = (FLOW, THREAD, NODE, TERMINAL)


def rows_of(out: Path, table: str) -> list[dict[str, Any]]:
    path = out / "statistics" / table
    found = pq.read_table(path).to_pylist() if path.is_dir() else []
    return [{name: value for name, value in row.items() if name != "File"} for row in found]


def write(place: Path, form: str, records: list[dict[str, Any]]) -> None:
    messages = [json.dumps({"WMQIStatisticsAccounting": record}).encode() for record in records]
    if form == "smf":
        (place / "B1.smf").write_bytes(b"".join(map(encode, records)))
    elif form == "gz":
        (place / "B1.smf.gz").write_bytes(gzip.compress(b"".join(map(encode, records))))
    elif form == "json":
        for number, message in enumerate(messages):
            (place / f"{number}.json").write_bytes(message)
    elif form == "jsonl":
        (place / "all.jsonl").write_bytes(b"\n".join(messages))
    else:
        pq.write_table(pa.table({"body": messages}), place / "archive.parquet")


@pytest.mark.parametrize("form", ["smf", "gz", "json", "jsonl", "parquet"])
def test_every_form_gives_the_same_rows(tmp_path: Path, form: str) -> None:
    records = [statistics(2, 3, 2, number=number, flow="com.example." + "Long" * 10) for number in range(3)]
    place = tmp_path / form
    place.mkdir()
    write(place, form, records)
    report = load([str(place)], tmp_path / "out")
    assert report.rows == {FLOW: 3, THREAD: 6, NODE: 9, TERMINAL: 18} and not report.findings
    flow = min(rows_of(tmp_path / "out", FLOW), key=lambda row: row["Start"])
    assert flow["MessageFlowName"] == records[0]["MessageFlow"]["MessageFlowName"]
    assert (flow["TotalCPUTime"], flow["ApplicationName"]) == (200_000, "Shop")
    assert flow["Start"].isoformat() == "2026-11-18T09:00:00+00:00"
    terminal = rows_of(tmp_path / "out", TERMINAL)[0]
    assert (terminal["Node"], terminal["Label"], terminal["CountOfInvocations"]) == ("Node 1", "out1", 100)


def test_csv_files_of_flows_threads_and_nodes_become_the_same_tables(tmp_path: Path) -> None:
    place = tmp_path / "csv"
    place.mkdir()
    record = statistics(2, 3, 0)
    flow = {"RecordType": "SnapShot", "RecordCode": "SnapShot"} | record["MessageFlow"]
    names = ("BrokerLabel", "ExecutionGroupName", "ApplicationName", "MessageFlowName", "GMTStartTime", "GMTEndTime")
    head = {name: flow[name] for name in (*names, "RecordType", "AccountingOrigin")}
    nodes = [{key: value for key, value in node.items() if key != "TerminalStatistics"} for node in record["Nodes"]]
    for name, rows in (("flows", [flow]), ("threads", record["Threads"]), ("nodes", nodes)):
        with open(place / f"{name}.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, [*(head | rows[0])])
            writer.writeheader()
            writer.writerows(head | row for row in rows)
    report = load([str(place)], tmp_path / "csv-out")
    assert report.rows == {FLOW: 1, THREAD: 2, NODE: 3, TERMINAL: 0} and not report.findings
    (tmp_path / "one.json").write_text(json.dumps(record))
    load([str(tmp_path / "one.json")], tmp_path / "json-out")
    for table in (FLOW, THREAD, NODE):
        ours, theirs = rows_of(tmp_path / "csv-out", table), rows_of(tmp_path / "json-out", table)
        for row in (*ours, *theirs):
            row.pop("RecordCode"), row.pop("BrokerUUID", None), row.pop("ExecutionGroupUUID", None)
        assert ours == theirs


def test_a_dump_that_is_cut_off_or_has_an_unknown_subtype_loses_nothing_else(tmp_path: Path) -> None:
    one = encode(statistics(1, 0, 0))
    strange = bytearray(one)
    strange[22:24] = b"\0\x09"
    dump = tmp_path / "B1.smf"
    dump.write_bytes(one + bytes(strange) + encode(statistics(1, 0, 0, number=1)) + one[: len(one) // 2])
    report = load([str(dump)], tmp_path / "out")
    assert report.rows[FLOW] == 2
    assert [(offset, what) for _, offset, _, what in report.findings] == [
        (len(one), "subtype 9 of type 117; there are 1 and 2"),
        (3 * len(one), "the dump ends inside a record"),
    ]
    assert len(rows_of(tmp_path / "out", FINDINGS)) == 2
    assert "subtype 9" in "\n".join(lines_of(report))


def test_bad_messages_are_findings_with_their_place(tmp_path: Path) -> None:
    good = json.dumps(statistics(1, 1, 0))
    wrong = statistics(1, 1, 0)
    wrong["Nodes"][0]["TotalCPUTime"] = "much"
    lines = [good, "{", json.dumps({"a": 1}), json.dumps(wrong), json.dumps(statistics(1, 1, 0, number=1))]
    (tmp_path / "all.jsonl").write_text("\n".join(lines))
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    (tmp_path / "flows.csv").write_text("MessageFlowName,TotalInputMessages\nF,1\nG\nH,3\n")
    report = load([str(tmp_path / name) for name in ("all.jsonl", "other.csv", "flows.csv")], tmp_path / "out")
    assert report.rows[FLOW] == 4
    found = " ".join(what for *_, what in report.findings)
    for words in ("no JSON", "no MessageFlow", "a wrong value: invalid literal", "without a column", "line 3 of a CSV"):
        assert words in found
    assert len(report.findings) == 5


def test_what_has_not_changed_is_not_read_again_and_what_has_replaces_its_rows(tmp_path: Path) -> None:
    place, out = tmp_path / "in", tmp_path / "out"
    place.mkdir()
    write(place, "smf", [statistics()])
    assert load([str(place)], out).fresh == 1
    assert load([str(place)], out).fresh == 0
    write(place, "smf", [statistics(number=number) for number in range(4)])
    assert load([str(place)], out).fresh == 1
    assert len(rows_of(out, FLOW)) == 4


def test_the_command_loads_without_spark_and_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "smf", [statistics(2, 3, 1)])
    out = tmp_path / "tables"
    assert main.main(["pipeline", "statistics", "--from", str(tmp_path / "B1.smf"), "--out", str(out)]) == 0
    assert "1 flow rows, 2 thread rows, 3 node rows, 3 terminal rows" in capsys.readouterr().out
    assert main.main(["pipeline", "tables", "--out", str(out)]) == 0
    assert "statistics_node" in capsys.readouterr().out
    assert main.main(["pipeline", "statistics", "--from", str(tmp_path / "none"), "--out", str(out)]) == 1
    assert "there is no such file" in capsys.readouterr().err
    empty = tmp_path / "empty"
    empty.mkdir()
    assert main.main(["pipeline", "report", "broker", "--out", str(empty)]) == 1
    assert "flint pipeline statistics --from DIR" in capsys.readouterr().err
    with pytest.raises(PipelineError, match="no files"):
        load([str(empty)], out)
