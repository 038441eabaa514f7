"""The source of a page of reports: the dumps, the queue managers and the time that the tables hold.

Names come from the partitions of the silver tables and from the entries of the dumps, times from the footers of the
Parquet files: no row is read and no Spark is asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from flintmq.pipeline.reports.options import Options
from flintmq.pipeline.tables.place import SILVER, dump_of, partition_of, state

#: Names that are listed before the rest is counted.
NAMED = 6
_TIMES = ("Interval_Start", "Record_Time", "Time")


@dataclass(frozen=True, slots=True)
class Source:
    """The dumps, queue managers and time of the chosen rows."""

    dumps: tuple[str, ...]
    qmgrs: tuple[str, ...]
    first: datetime | None
    last: datetime | None

    def sentence(self) -> str:
        """Return `Queue managers MQA1, MQA2; 2024-03-01 10:00 to 2024-03-01 11:30 UTC; from 2 dumps: a.dat, b.dat.`"""
        if not self.dumps:
            return "No records were chosen."
        parts = [f"Queue manager{'s' if len(self.qmgrs) != 1 else ''} {_listed(self.qmgrs) or 'without a name'}"]
        if self.first and self.last:
            parts.append(f"{self.first:%Y-%m-%d %H:%M} to {self.last:%Y-%m-%d %H:%M} UTC")
        many = f"{len(self.dumps)} dump{'s' if len(self.dumps) != 1 else ''}"
        return "; ".join([*parts, f"from {many}: {_listed(self.dumps)}"]) + "."


def _listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def source_of(out: Path, options: Options) -> Source:
    """Find the dumps, queue managers and time in `out` that the options choose."""
    names = _names(out)
    dumps: set[str] = set()
    qmgrs: set[str] = set()
    first: datetime | None = None
    last: datetime | None = None
    for file, qmgr in _files(out):
        if options.qmgrs and qmgr not in options.qmgrs:
            continue
        begin, end = _times(file)
        if begin and end and ((options.start and end < options.start) or (options.until and begin >= options.until)):
            continue
        dumps.add(names.get(dump_of(file.name), dump_of(file.name)))
        if qmgr:
            qmgrs.add(qmgr)
        if begin and end:
            first, last = min(first or begin, begin), max(last or end, end)
    if first and last:
        first = max(first, options.start) if options.start else first
        last = min(last, options.until) if options.until else last
    return Source(tuple(sorted(dumps)), tuple(sorted(qmgrs)), first, last)


def _names(out: Path) -> dict[str, str]:
    """Return the names of dumps by the short name that is in the names of files."""
    made: dict[str, str] = {}
    for path in sorted((state(out) / "inputs").glob("*.json")):
        entry = json.loads(path.read_text())
        made[str(entry["dump"])] = str(entry["name"])
    return made


def _files(out: Path) -> Iterator[tuple[Path, str | None]]:
    for file in sorted((out / SILVER).rglob("*.parquet")):
        if file.name.startswith("part-"):
            yield file, partition_of(f"{file.parent.parent.name}/{file.parent.name}")[1]


def _times(file: Path) -> tuple[datetime | None, datetime | None]:
    """Return the first and the last time in a file, by its footer."""
    import pyarrow.parquet as pq

    footer = pq.read_metadata(file)
    columns = {footer.schema.column(number).name: number for number in range(footer.num_columns)}
    number = next((columns[name] for name in _TIMES if name in columns), None)
    found: list[datetime] = []
    for group in range(footer.num_row_groups if number is not None else 0):
        seen = footer.row_group(group).column(number).statistics
        if seen is not None and seen.has_min_max and isinstance(seen.min, datetime):
            found += [seen.min, seen.max]
    aware = [each if each.tzinfo else each.replace(tzinfo=UTC) for each in found]
    return (min(aware), max(aware)) if aware else (None, None)
