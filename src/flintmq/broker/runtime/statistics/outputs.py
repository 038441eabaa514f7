"""Outputs of statistics records: topics of the queue manager, CSV files, an SMF dump, the log.

    json        $SYS/Broker/<broker>/Statistics/JSON/<stream>/<group>[/applications/<name>]/messageflows/<flow>
    xml         $SYS/Broker/<broker>/StatisticsAccounting/<stream>/<group>/<flow>
    csv         <directory>/<stream>-flows.csv, -nodes.csv, -threads.csv, -terminals.csv; a header once, rows appended
    smf         <directory>/statistics.smf: SMF 117 records, appended
    usertrace   the user trace of the group if it is on, else its log: a line for the flow and each of its parts

Publications are retained. Snapshots are non-persistent, archive records persistent. Those of `csv` and `smf` are kept
in the directory until an operator removes them; a file that is longer than FILE_MAX is renamed to `.1` first.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import quoteattr

from flintmq.broker.runtime.statistics.settings import ARCHIVE
from flintmq.telemetry import smf117

ROOT: Final = "WMQIStatisticsAccounting"
FILE_MAX: Final = 256 << 20
_DUMP: Final = "statistics.smf"
#: Characters that an XML 1.0 attribute cannot hold.
_NOT_XML: Final = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 65534, 65535, *range(55296, 57344)), " ")
Record = dict[str, Any]
#: Publishes data on a topic: topic, data, format of the data, whether it is persistent.
Publish = Callable[[str, bytes, bool], None]


def json_topic(record: Record) -> str:
    """Return the topic of a record as JSON."""
    flow = record["MessageFlow"]
    application = f"/applications/{flow['ApplicationName']}" if flow["ApplicationName"] else ""
    return (
        f"$SYS/Broker/{flow['BrokerLabel']}/Statistics/JSON/{record['RecordType']}/{flow['ExecutionGroupName']}"
        f"{application}/messageflows/{flow['MessageFlowName']}"
    )


def xml_topic(record: Record) -> str:
    """Return the topic of a record as XML."""
    flow = record["MessageFlow"]
    return (
        f"$SYS/Broker/{flow['BrokerLabel']}/StatisticsAccounting/{record['RecordType']}/{flow['ExecutionGroupName']}"
        f"/{flow['MessageFlowName']}"
    )


def as_json(record: Record) -> bytes:
    """Return a record as JSON."""
    return json.dumps({ROOT: record}, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def as_xml(record: Record) -> bytes:
    """Return a record as XML: values are attributes."""
    parts = [f"<{ROOT}{_attributes({name: record[name] for name in ('RecordType', 'RecordCode')})}>"]
    parts.append(f"<MessageFlow{_attributes(record['MessageFlow'])}/>")
    parts.append(f'<Threads Number="{len(record["Threads"])}">')
    parts += [f"<ThreadStatistics{_attributes(thread)}/>" for thread in record["Threads"]]
    parts.append(f'</Threads><Nodes Number="{len(record["Nodes"])}">')
    for node in record["Nodes"]:
        parts.append(f"<NodeStatistics{_attributes(node)}>")
        parts += [f"<TerminalStatistics{_attributes(each)}/>" for each in node["TerminalStatistics"]]
        parts.append("</NodeStatistics>")
    parts.append(f"</Nodes></{ROOT}>")
    return "".join(parts).encode("utf-8", "replace")


def _attributes(row: dict[str, Any]) -> str:
    made = []
    for name, value in row.items():
        if isinstance(value, list):
            continue
        made.append(f" {name}={quoteattr(str(value).translate(_NOT_XML))}")
    return "".join(made)


def trace_lines(record: Record) -> Iterator[str]:
    """Yield a record for people: a line for the flow, its threads, nodes and terminals."""
    flow = record["MessageFlow"]
    yield f"{record['RecordType']} {record['RecordCode']} {_pairs(flow)}"
    for thread in record["Threads"]:
        yield f"ThreadStatistics {_pairs(thread)}"
    for node in record["Nodes"]:
        yield f"NodeStatistics {_pairs(node)}"
        for terminal in node["TerminalStatistics"]:
            yield f"TerminalStatistics Node={node['Label']!r} {_pairs(terminal)}"


def _pairs(row: dict[str, Any]) -> str:
    return " ".join(
        f"{name}={value!r}" if isinstance(value, str) else f"{name}={value}"
        for name, value in row.items()
        if not isinstance(value, list)
    )


class Outputs:
    """The outputs of one execution group."""

    def __init__(self, publish: Publish, directory: Path | None, trace: Callable[[str, str], None]) -> None:
        self._publish = publish
        self._directory = directory
        #: Writes a line to the user trace: flow, text.
        self._trace = trace

    def write(self, record: Record, formats: tuple[str, ...]) -> list[str]:
        """Write a record in some formats; return the errors, empty if there were none (S3)."""
        problems = []
        for name in formats:
            try:
                _WRITERS[name](self, record)
            except Exception as error:  # noqa: BLE001 - S3: whatever fails here, flows go on.
                problems.append(f"statistics of {record['MessageFlow']['MessageFlowName']} as {name}: {error}")
        return problems

    def _json(self, record: Record) -> None:
        self._publish(json_topic(record), as_json(record), record["RecordType"] == ARCHIVE)

    def _xml(self, record: Record) -> None:
        self._publish(xml_topic(record), as_xml(record), record["RecordType"] == ARCHIVE)

    def _usertrace(self, record: Record) -> None:
        for line in trace_lines(record):
            self._trace(record["MessageFlow"]["MessageFlowName"], line)

    def _smf(self, record: Record) -> None:
        self._append(self._file(_DUMP), smf117.encode(record))

    def _csv(self, record: Record) -> None:
        common = {name: record[name] for name in ("RecordType", "RecordCode")}
        flow = record["MessageFlow"]
        names = ("BrokerLabel", "ExecutionGroupName", "ApplicationName", "MessageFlowName", "AccountingOrigin")
        moments = ("StartDate", "StartTime", "GMTStartTime", "EndDate", "EndTime", "GMTEndTime")
        common |= {name: flow[name] for name in (*names, *moments)}
        rows: dict[str, list[dict[str, Any]]] = {"flows": [common | flow], "threads": [], "nodes": [], "terminals": []}
        rows["threads"] = [common | thread for thread in record["Threads"]]
        for node in record["Nodes"]:
            rows["nodes"].append(common | {name: value for name, value in node.items() if not isinstance(value, list)})
            rows["terminals"] += [common | {"Node": node["Label"], **each} for each in node["TerminalStatistics"]]
        for name, found in rows.items():
            if found:
                self._rows(f"{record['RecordType']}-{name}.csv", found)

    def _rows(self, name: str, rows: list[dict[str, Any]]) -> None:
        path = self._file(name)
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        if not path.exists():
            writer.writeheader()
        writer.writerows(rows)
        self._append(path, text.getvalue().encode())

    def _file(self, name: str) -> Path:
        if self._directory is None:
            raise ValueError("the broker has no directory for files of statistics")
        self._directory.mkdir(parents=True, exist_ok=True)
        path = self._directory / name
        if path.exists() and path.stat().st_size > FILE_MAX:
            path.replace(path.with_name(path.name + ".1"))
        return path

    @staticmethod
    def _append(path: Path, data: bytes) -> None:
        """Append all of the data, or nothing: a partial record would damage the following ones."""
        with open(path, "ab", buffering=0) as file:
            end = file.seek(0, os.SEEK_END)
            try:
                written = file.write(data)
                if written != len(data):
                    raise OSError(28, "only a part was written", str(path))
            except OSError:
                file.truncate(end)
                raise


_WRITERS: Final[dict[str, Callable[[Outputs, Record], None]]] = {
    "json": Outputs._json,
    "xml": Outputs._xml,
    "usertrace": Outputs._usertrace,
    "csv": Outputs._csv,
    "smf": Outputs._smf,
}
