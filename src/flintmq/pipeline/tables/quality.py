"""The quality report: the records read, and those that did not become rows.

OUT/quality/findings/      a table: file, offset, length, kind (damaged, unknown, duplicate) and description
OUT/quality/report.json    the totals, with the first findings of each dump
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from flintmq.pipeline.tables.manifest import Manifest
from flintmq.pipeline.tables.place import QUALITY
from flintmq.telemetry.smf.records import KIND_OF

#: The kind of a finding: a dump is there under another name too.
DUPLICATE = "duplicate"
#: Examples that a report shows.
SHOWN = 20


@dataclass
class Report:
    """The state of the tables after a run."""

    dumps: int = 0
    #: Dumps that this run loaded or continued; not part of the stored report.
    fresh: int = 0
    bytes: int = 0
    records: int = 0
    #: Types 2 and 3, and 115-240: known, and nothing in them becomes a row.
    skipped: int = 0
    unknown: int = 0
    damaged: int = 0
    #: Dumps that were passed over, because another has the same content.
    duplicates: int = 0
    lost_bytes: int = 0
    by_record: dict[str, int] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    examples: list[list[Any]] = field(default_factory=list)


def report_of(manifest: Manifest, fresh: int, dumps: int) -> Report:
    made = Report(dumps=dumps, fresh=fresh)
    for entry in manifest.entries():
        made.bytes += entry.size
        made.unknown += entry.unknown
        made.damaged += entry.damaged
        made.lost_bytes += entry.lost
        made.duplicates += bool(entry.same_as)
        for kind, count in entry.records.items():
            made.by_record[kind] = made.by_record.get(kind, 0) + count
        for place, rows in entry.files.items():
            table = "/".join(place.split("/")[:2])
            made.rows[table] = made.rows.get(table, 0) + rows
        made.examples += entry.examples[: max(SHOWN - len(made.examples), 0)]
    made.examples.sort()
    made.records = sum(made.by_record.values())
    made.skipped = sum(count for kind, count in made.by_record.items() if not _has_rows(kind))
    made.by_record = dict(sorted(made.by_record.items()))
    made.rows = dict(sorted(made.rows.items()))
    return made


def _has_rows(kind: str) -> bool:
    number, _, subtype = kind.partition("-")
    if not subtype:
        return False
    known = KIND_OF.get((int(number), int(subtype)))
    return known is None or bool(known.sections)


def write_report(out: Path, report: Report) -> None:
    """Keep the report beside the tables. A run that changed nothing writes the same bytes."""
    (out / QUALITY).mkdir(parents=True, exist_ok=True)
    kept = {name: value for name, value in asdict(report).items() if name != "fresh"}
    (out / QUALITY / "report.json").write_text(json.dumps(kept, indent=1) + "\n")


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def lines_of(report: Report) -> list[str]:
    """Return the report as lines of text."""
    lines = [
        f"{_many(report.dumps, 'dump')}, {report.bytes / 1e6:,.1f} MB; {report.fresh:,} new or longer",
        f"{_many(report.records, 'record')}: {report.skipped:,} without data, {report.unknown:,} unknown",
        f"{report.damaged:,} damaged; {report.lost_bytes:,} bytes that are no records",
    ]
    if report.duplicates:
        lines.append(f"{_many(report.duplicates, 'dump')} passed over: the same as others")
    lines += [f"  {table:<24} {rows:>14,} rows" for table, rows in report.rows.items() if not table.startswith(QUALITY)]
    for name, offset, length, kind, what in report.examples:
        lines.append(f"  {kind}: {name} at {offset:,}, {length:,} bytes: {what}")
    return lines
