"""One range of a dump as Parquet files: the work of a task. It reads the range once, for any number of tables.

A task writes into a directory of its own below the staging directory, under a name that no other attempt has, and
returns the names of its files; files of attempts that failed are never named and go with the staging directory (T2).
The rows of a file are in the order of the dump.
"""

from __future__ import annotations

import gc
import os
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from flintmq.pipeline.tables.derived import derive
from flintmq.pipeline.tables.place import BRONZE, QUALITY, SILVER, part_name, partition
from flintmq.telemetry.smf.columns.dump import Range, UnreadableDump, blocks_of
from flintmq.telemetry.smf.columns.sections import DAMAGED
from flintmq.telemetry.smf.columns.tables import RECORDS, Tables, add_records, tables_of

FINDINGS = "findings"
FINDINGS_SCHEMA = pa.schema(
    [
        ("File", pa.string()),
        ("Offset", pa.int64()),
        ("Length", pa.int64()),
        ("Kind", pa.string()),
        ("What", pa.string()),
    ]
)
#: Dump, offset, length, kind and description.
Finding = tuple[str, int, int, str, str]
#: Findings that go back to the driver, for the report; the rest is in the table.
SHOWN = 5
#: Rows that wait in memory before they are written as a row group.
ROWS = 262_144


@dataclass(frozen=True)
class Task:
    """The input of one task. `name` is the dump's path as the tables show it, `dump` its short form."""

    part: Range
    name: str
    dump: str
    staging: str
    layers: tuple[str, ...]


@dataclass
class Loaded:
    """The files and counts that a task made of its range."""

    dump: str
    start: int
    #: (where it is, where it belongs below OUT, rows)
    files: list[tuple[str, str, int]] = field(default_factory=list)
    #: Records by type and subtype, "115-2".
    records: dict[str, int] = field(default_factory=dict)
    unknown: int = 0
    damaged: int = 0
    #: Bytes that are no records.
    lost: int = 0
    examples: list[Finding] = field(default_factory=list)


def load_in_worker(task: Task) -> Loaded:
    """Load a range in a Python worker of Spark, which collects garbage after every task.

    Objects that stay, modules for the most part, are not traversed each time: that took 12 ms of a task.
    """
    if not gc.get_freeze_count():
        gc.freeze()
    return load(task)


def load(task: Task) -> Loaded:
    """Load a range. A dump that cannot be read is a finding; the blocks read before are kept."""
    made = Loaded(task.dump, task.part.start)
    room = Path(task.staging) / uuid.uuid4().hex
    gathered: dict[str, list[Any]] = {}
    findings: list[Finding] = []
    try:
        for tables in _tables(task, made, findings):
            for place, rows in tables.items():
                gathered.setdefault(place, []).append(rows)
    except UnreadableDump as error:
        made.damaged += 1
        findings.append((task.name, _size(task.part.path), 0, DAMAGED, str(error)))
    name = part_name(task.dump, task.part.start)
    for place, parts in sorted(gathered.items()):
        _write_file(pa.concat_tables(parts), place, name, room, made)
    return _add_findings(findings, made, room)


def write_findings(findings: list[Finding], made: Loaded, staging: Path) -> Loaded:
    """Write findings that no task has made."""
    return _add_findings(findings, made, staging / uuid.uuid4().hex)


def _add_findings(findings: list[Finding], made: Loaded, room: Path) -> Loaded:
    if findings:
        columns = list(zip(*findings, strict=True))
        table = pa.table([pa.array(column) for column in columns], schema=FINDINGS_SCHEMA)
        _write_file(table, f"{QUALITY}/{FINDINGS}", part_name(made.dump, made.start), room, made)
    made.examples = findings[:SHOWN]
    return made


def _tables(task: Task, made: Loaded, findings: list[Any]) -> Iterator[dict[str, Any]]:
    """Yield directory -> rows for each block of the range; note counts and findings on the way."""
    for block, damages in blocks_of(task.part):
        found = tables_of(block, task.name, None if SILVER in task.layers else set(), by_partition=True)
        for (kind, subtype), count in found.records.items():
            key = f"{kind}-{subtype}" if kind > 3 else str(kind)
            made.records[key] = made.records.get(key, 0) + count
        made.unknown += found.unknown
        made.damaged += found.damaged + len(damages)
        made.lost += sum(damage.length for damage in damages)
        findings += [(task.name, item.offset, item.length, DAMAGED, item.what) for item in damages]
        findings += [(task.name, item.offset, item.length, item.kind, item.what) for item in found.findings]
        if BRONZE in task.layers and len(block):
            add_records(found, block)
        yield _by_directory(found)


def _by_directory(found: Tables) -> dict[str, Any]:
    """Return the rows of each date and queue manager; both are in the name of the directory, not in the file."""
    made = {}
    for name, table in found.tables.items():
        layer = BRONZE if name == RECORDS else SILVER
        body = derive(name, table).drop_columns(["Date", "QMgr"])
        for (date, qmgr), rows in found.partitions(name, body):
            made[f"{layer}/{name.lower()}/{partition(date.isoformat(), qmgr)}"] = rows
    return made


def write_parquet(table: Any, path: Path) -> None:
    """Write a file of a table. The same rows give the same bytes."""
    pq.write_table(table, path, compression="snappy", row_group_size=ROWS, write_statistics=True, store_schema=False)


def _write_file(table: Any, place: str, name: str, room: Path, made: Loaded) -> None:
    directory = room / place
    os.makedirs(directory, exist_ok=True)
    path = directory / name
    write_parquet(table, path)
    made.files.append((str(path), f"{place}/{name}", table.num_rows))


def _size(path: str) -> int:
    return os.path.getsize(path) if os.path.exists(path) else 0
