"""Tables of flow statistics: the statistics that a broker published or wrote, in any of its forms.

    OUT/statistics/flow/        one row per statistics record: the fields of MessageFlow
    OUT/statistics/thread/      one row per thread of it
    OUT/statistics/node/        one row per node of it
    OUT/statistics/terminal/    one row per terminal of a node
    OUT/statistics/findings/    File, Offset, Length, What: input that became no row

    source                      content
    *.json, *.jsonl             statistics messages: one, a list of them, or one per line
    *.csv                       a file of flows, threads or nodes, as its columns tell
    *.parquet                   an archive of statistics messages: the column body or data
    any other file              a dump with SMF records of type 117, plain or packed; other types are passed over

S1  A source that has not changed since the last load is not read again; one that has replaces its own rows.
S2  A damaged record is one finding, with its place; every other record of the source is loaded.
S3  The same statistics from two sources are two rows here. A report counts them once (reports/broker.py).

Times are microseconds; Start and End are UTC if the record says GMT, else as the broker's clock has them.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from flintmq.pipeline.errors import PipelineError
from flintmq.pipeline.sources.smf import files_of
from flintmq.pipeline.tables.load import write_parquet
from flintmq.pipeline.tables.place import STATISTICS, input_id, part_name, state
from flintmq.telemetry import smf117
from flintmq.telemetry.smf.columns.dump import Range, UnreadableDump, blocks_of
from flintmq.telemetry.smf.records import FLOW_STATISTICS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FLOW, THREAD, NODE, TERMINAL, FINDINGS = "flow", "thread", "node", "terminal", "findings"
#: Sources of at most this many bytes are read by the process of the command.
IN_DRIVER_MAX = 64 << 20
_STATE = "statistics.json"
_ROOT = "WMQIStatisticsAccounting"
_TEXTS = {
    "BrokerLabel", "BrokerUUID", "ExecutionGroupName", "ExecutionGroupUUID", "MessageFlowName", "ApplicationName",
    "StartDate", "StartTime", "GMTStartTime", "EndDate", "EndTime", "GMTEndTime", "AccountingOrigin", "Label", "Type",
}  # fmt: skip
_FLOW_FIELDS = [item.title for item in smf117.IMFL.shown]
#: Columns of every table: broker, group and flow, and the time.
_COMMON: dict[str, Any] = {
    "RecordType": pa.string(),
    "RecordCode": pa.string(),
    "BrokerLabel": pa.string(),
    "ExecutionGroupName": pa.string(),
    "ApplicationName": pa.string(),
    "MessageFlowName": pa.string(),
    "AccountingOrigin": pa.string(),
    "Start": pa.timestamp("us", "UTC"),
    "End": pa.timestamp("us", "UTC"),
    "File": pa.string(),
}
_LEFT_OUT = {*_COMMON, "StartDate", "StartTime", "EndDate", "EndTime"}


def _schema(names: Sequence[str]) -> Any:
    own = {name: pa.string() if name in _TEXTS else pa.int64() for name in names if name not in _LEFT_OUT}
    return pa.schema(list((_COMMON | own).items()))


SCHEMAS: dict[str, Any] = {
    FLOW: _schema(_FLOW_FIELDS),
    THREAD: _schema([item.title for item in smf117.ITHD.shown]),
    NODE: _schema([item.title for item in smf117.INOD.shown]),
    TERMINAL: _schema(["Node", *(item.title for item in smf117.ITRM.shown)]).set(
        len(_COMMON), pa.field("Node", pa.string())
    ),
    FINDINGS: pa.schema([("File", pa.string()), ("Offset", pa.int64()), ("Length", pa.int64()), ("What", pa.string())]),
}
#: Columns that distinguish the rows of one statistics record.
KEYS = {FLOW: [], THREAD: ["Number"], NODE: ["Label"], TERMINAL: ["Node", "Label", "Type"]}
#: Other names that the columns of a CSV file may have.
_ALIASES = {"NodeLabel": "Label", "NodeName": "Label", "NodeType": "Type", "ThreadNumber": "Number"}


@dataclass
class Loaded:
    """The rows and findings of one source: small enough to be sent to the driver."""

    source: str
    rows: dict[str, int] = field(default_factory=dict)
    #: File, offset, length and description.
    findings: list[tuple[str, int, int, str]] = field(default_factory=list)


class _Rows:
    """Rows of the tables of one source."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tables: dict[str, list[dict[str, Any]]] = {name: [] for name in (FLOW, THREAD, NODE, TERMINAL)}
        self.findings: list[tuple[str, int, int, str]] = []

    def bad(self, offset: int, length: int, what: str) -> None:
        self.findings.append((self.source, offset, length, what))

    def add(self, part: smf117.Part, offset: int, length: int) -> None:
        """Add one SMF record, or a whole statistics record as if it were one. A wrong value is a finding (S2)."""
        try:
            common = self._common(part)
            made: dict[str, list[dict[str, Any]]] = {THREAD: [], NODE: [], TERMINAL: []}
            for thread in part.threads:
                made[THREAD].append(common | _own(THREAD, thread))
            for node in part.nodes:
                if not part.continued:
                    made[NODE].append(common | _own(NODE, node))
                for terminal in node.get("TerminalStatistics") or ():
                    made[TERMINAL].append(common | {"Node": node.get("Label")} | _own(TERMINAL, terminal))
            if part.sequence == 1:
                made[FLOW] = [common | _own(FLOW, part.flow)]
        except (ValueError, TypeError, AttributeError) as error:
            self.bad(offset, length, f"a statistics record with a wrong value: {error}")
            return
        for name, rows in made.items():
            self.tables[name] += rows

    def _common(self, part: smf117.Part) -> dict[str, Any]:
        flow = part.flow
        if not flow.get("MessageFlowName"):
            raise ValueError("no MessageFlowName")
        return {
            "RecordType": part.record_type,
            "RecordCode": part.record_code,
            "Start": _moment(flow, "Start"),
            "End": _moment(flow, "End"),
            "File": self.source,
            **{name: flow.get(name) for name in list(_COMMON)[2:7]},
        }


def _own(table: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that belong to one table."""
    made: dict[str, Any] = {}
    for name in SCHEMAS[table].names[len(_COMMON) :]:
        value = row.get(name)
        if value is None or name in _TEXTS or name == "Node":
            if value is not None:
                made[name] = str(value)
            continue
        number = int(value)
        if not -(1 << 63) <= number < 1 << 63:
            raise ValueError(f"{name} is {value}")
        made[name] = number
    return made


def _moment(flow: Mapping[str, Any], which: str) -> datetime | None:
    """Return Start or End of an interval: GMT where the record has it."""
    text = str(flow.get(f"GMT{which}Time") or "")
    if "-" not in text:
        time = text or str(flow.get(f"{which}Time") or "")
        text = f"{flow.get(f'{which}Date') or ''} {time}"
    text = text.replace("T", " ").strip()
    if not text:
        return None
    try:
        return datetime.fromisoformat(text[:26].rstrip("Z"))
    except ValueError:
        raise ValueError(f"{which}Time is {text!r}") from None


# -- reading ---------------------------------------------------------------------------------------------------------


def load_source(source: str, out: str) -> Loaded:
    """Read one source and replace its rows in the tables. Called in a Spark task or in the process of the command."""
    rows = _Rows(source)
    try:
        _READERS.get(Path(source).suffix.lower(), _read_dump)(source, rows)
    except (UnreadableDump, OSError, pa.ArrowException, UnicodeDecodeError, csv.Error) as error:
        rows.bad(0, os.path.getsize(source) if os.path.exists(source) else 0, str(error))
    made = Loaded(source, findings=rows.findings)
    name = part_name(input_id(source), 0)
    for table, found in rows.tables.items():
        made.rows[table] = len(found)
        _replace(Path(out) / STATISTICS / table / name, found, SCHEMAS[table])
    findings = [dict(zip(SCHEMAS[FINDINGS].names, each, strict=True)) for each in rows.findings]
    _replace(Path(out) / STATISTICS / FINDINGS / name, findings, SCHEMAS[FINDINGS])
    return made


def _replace(path: Path, rows: list[dict[str, Any]], schema: Any) -> None:
    """Put a file of a table in its place at once; without rows there is none."""
    if not rows:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    write_parquet(pa.Table.from_pylist(rows, schema=schema), new)
    os.replace(new, path)


def _read_dump(source: str, rows: _Rows) -> None:
    for block, damages in blocks_of(Range(source, "")):
        for damage in damages:
            rows.bad(damage.offset, damage.length, damage.what)
        ours = block.type == FLOW_STATISTICS
        for at, length, offset in zip(block.base[ours], block.length[ours], block.offset[ours], strict=True):
            data = block.data[at : at + length].tobytes()
            try:
                # Without record descriptor words there are none to take the length from.
                part = smf117.decode_part(int(length).to_bytes(2, "big") + b"\0\0" + data[4:])
            except smf117.BadRecord as error:
                rows.bad(int(offset), int(length), str(error))
                continue
            rows.add(part, int(offset), int(length))


def _read_json(source: str, rows: _Rows) -> None:
    data = Path(source).read_bytes()
    try:
        _add_json(json.loads(data), 0, len(data), rows)
        return
    except ValueError as error:
        whole = str(error)
    at = 0
    lines = data.splitlines(keepends=True)
    for line in lines:
        if line.strip():
            _add_text(line, at, rows, whole if len(lines) == 1 else "")
        at += len(line)


def _read_archive(source: str, rows: _Rows) -> None:
    file = pq.ParquetFile(source)
    column = next((name for name in ("body", "data") if name in file.schema_arrow.names), None)
    if column is None:
        rows.bad(0, os.path.getsize(source), "an archive of messages has a column body or data")
        return
    number = 0
    for batch in file.iter_batches(columns=[column]):
        for value in batch.column(0).to_pylist():
            text = value.encode() if isinstance(value, str) else value
            _add_text(text or b"", number, rows, "")
            number += 1


def _add_text(text: bytes, offset: int, rows: _Rows, instead: str) -> None:
    """Add a message. `offset` is its place in the file, or its number in an archive."""
    try:
        found = json.loads(text)
    except ValueError as error:
        rows.bad(offset, len(text), f"no JSON: {instead or error}")
        return
    _add_json(found, offset, len(text), rows)


def _add_json(found: Any, offset: int, length: int, rows: _Rows) -> None:
    if isinstance(found, list):
        for each in found:
            _add_json(each, offset, length, rows)
        return
    record = found.get(_ROOT, found) if isinstance(found, dict) else None
    if not isinstance(record, dict) or not isinstance(record.get("MessageFlow"), dict):
        rows.bad(offset, length, "JSON that is no statistics record: it has no MessageFlow")
        return
    threads, nodes = record.get("Threads") or [], record.get("Nodes") or []
    if isinstance(threads, dict):  # As a folder of the XML form has it.
        threads = threads.get("ThreadStatistics") or []
    if isinstance(nodes, dict):
        nodes = nodes.get("NodeStatistics") or []
    part = smf117.Part(1, 1, 1, str(record.get("RecordType", "")), str(record.get("RecordCode", "")))
    part.flow, part.threads, part.nodes = record["MessageFlow"], threads, nodes
    rows.add(part, offset, length)


def _read_csv(source: str, rows: _Rows) -> None:
    with open(source, newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file)
        names = [_ALIASES.get(name, name) for name in reader.fieldnames or ()]
        if "MessageFlowName" not in names:
            rows.bad(0, os.path.getsize(source), f"CSV without a column MessageFlowName: {', '.join(names)[:200]}")
            return
        reader.fieldnames = names
        for row in reader:
            if None in row or None in row.values():
                rows.bad(reader.line_num, 0, f"line {reader.line_num} of a CSV file has not {len(names)} values")
                continue
            given = {name: value for name, value in row.items() if value != ""}
            part = smf117.Part(1, 1, 1, given.get("RecordType", ""), given.get("RecordCode", ""), flow=dict(given))
            if "Number" in names:
                part.sequence, part.threads = 2, [given]
            elif "Label" in names:
                part.sequence, part.nodes = 2, [given]
            rows.add(part, reader.line_num, 0)


_READERS = {".json": _read_json, ".jsonl": _read_json, ".csv": _read_csv, ".parquet": _read_archive}


# -- a load ----------------------------------------------------------------------------------------------------------


@dataclass
class Report:
    """The counts of a load."""

    sources: int = 0
    fresh: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    findings: list[tuple[str, int, int, str]] = field(default_factory=list)


def changed(sources: Sequence[str], out: Path) -> list[str]:
    """Return the sources that were not loaded as they are now (S1). Raises PipelineError if there are none at all."""
    found = _sources(sources)
    known = _known(out)
    return [source for source in found if known.get(source) != _signature(source)]


def _sources(sources: Sequence[str]) -> list[str]:
    try:
        found = [os.path.abspath(file) for each in sources for file in files_of(each)]
    except UnreadableDump as error:
        raise PipelineError(str(error)) from None
    if not found:
        raise PipelineError(f"there are no files in {' or '.join(sources)}")
    return list(dict.fromkeys(found))


def size_of(sources: Sequence[str]) -> int:
    """Return the bytes of these files."""
    return sum(os.path.getsize(source) for source in sources)


def load(sources: Sequence[str], out: Path, spark: SparkSession | None = None) -> Report:
    """Load new and changed sources: in Spark tasks, one for each source, or without Spark in this process."""
    fresh = changed(sources, out)
    signatures = {source: _signature(source) for source in fresh}
    if spark is None:
        made = [load_source(source, str(out)) for source in fresh]
    else:
        made = list(_on_spark(spark, fresh, str(out)))
    known = _known(out) | signatures
    state(out).mkdir(parents=True, exist_ok=True)
    new = state(out) / f".{_STATE}.new"
    new.write_text(json.dumps({"version": 1, "sources": known}, indent=1) + "\n")
    os.replace(new, state(out) / _STATE)
    report = Report(len(_sources(sources)), len(fresh))
    for each in made:
        report.findings += each.findings
        for table, rows in each.rows.items():
            report.rows[table] = report.rows.get(table, 0) + rows
    report.findings.sort()
    return report


def _on_spark(spark: SparkSession, sources: list[str], out: str) -> Iterator[Loaded]:
    def load_one(source: str) -> Loaded:
        return load_source(source, out)

    if sources:
        yield from spark.sparkContext.parallelize(sources, len(sources)).map(load_one).collect()


def _signature(source: str) -> list[int]:
    found = os.stat(source)
    return [found.st_size, found.st_mtime_ns]


def _known(out: Path) -> dict[str, list[int]]:
    try:
        kept = json.loads((state(out) / _STATE).read_text())
    except FileNotFoundError:
        return {}
    if kept.get("version") != 1:
        raise PipelineError(f"{state(out) / _STATE} is of version {kept.get('version')}; this release reads 1")
    sources: dict[str, list[int]] = kept["sources"]
    return sources


def lines_of(report: Report, shown: int = 20) -> list[str]:
    """Return a load for people."""
    many = f"{report.sources:,} source{'' if report.sources == 1 else 's'}"
    rows = ", ".join(f"{count:,} {table} rows" for table, count in report.rows.items())
    lines = [f"{many}, {report.fresh:,} new or changed" + (f": {rows}" if rows else "")]
    lines += [
        f"  {file} at {offset:,}{f', {length:,} bytes' if length else ''}: {what}"
        for file, offset, length, what in report.findings[:shown]
    ]
    if len(report.findings) > shown:
        lines.append(f"  and {len(report.findings) - shown:,} more: `select * from statistics_findings`")
    return lines
