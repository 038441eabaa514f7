"""The page of the pipeline's tables: every column of every silver table, from the layouts that the reader runs on."""

from __future__ import annotations

from flintmq.pipeline.tables.derived import DERIVED
from flintmq.pipeline.tables.gold import TABLES as GOLD_TABLES
from flintmq.telemetry.smf.columns.arrays import type_of
from flintmq.telemetry.smf.columns.tables import prefix_of
from flintmq.telemetry.smf.fields import Field, Structure
from flintmq.telemetry.smf.records import KINDS, STRUCTURES

_HEAD = """# Tables of the pipeline

Made by `python tools/reference.py smf-tables` from the layouts that the reader runs on. How to make the tables:
[The data pipeline](../pipeline.md).

A name is the column of the reference CSV with an underscore for what would need quoting: `IO_Count {1.1}` is
`IO_Count_1_1`. A duration, in the CSV two columns `(S)` and `(US)`, is one column of microseconds, `_US`; a time of
day, there `(DATE)` and `(TIME)`, is one timestamp. *Since* is the length that a structure must exceed, or the version
it must have; in older records the column is null.

## Columns of every table

| column | type | meaning |
|---|---|---|
| Date | date32[day] | the SMF header's, local; a partition |
| Time | timestamp[us] | the SMF header's, local: date and time of day |
| LPAR | string | z/OS system |
| QMgr | string | queue manager; a partition |
| QSG | string | queue sharing group, from 10.0 |
| MQ_Version | string | three digits, six from 10.0 |
| Interval_Start | timestamp[us, tz=UTC] | type 115 and QCST: start of the interval, in UTC |
| Interval_Duration | int64 | its length in whole seconds |
| Interval_Duration_US | int64 | its length in microseconds |
| Record_Time | timestamp[us, tz=UTC] | Date and Time in UTC; null in 115-5, 6 and 7 |
| UTC_Offset_Minutes | int32 | local time minus UTC |
| File, Offset, Entry | string, int64, int32 | where the row comes from: dump, record, number in its section |
"""


def page() -> str:
    lines = _HEAD.splitlines()
    for name in sorted(STRUCTURES):
        lines += ["", f"## {name.lower()}", ""]
        records = [kind.name for kind in KINDS if STRUCTURES[name] in kind.sections.values()]
        title = STRUCTURES[name].title
        lines += [f"{title[:1].upper()}{title[1:]}; from {', '.join(records)}.", ""]
        lines += ["| column | type | field | since | meaning |", "|---|---|---|---|---|"]
        lines += [f"| {column} | {kind} | | | |" for column, kind in prefix_of(STRUCTURES[name])]
        lines += _rows(STRUCTURES[name])
        lines += [f"| *{column}* | int64 | | | {what[0]} |" for column, what in STRUCTURES[name].sums.items()]
        lines += [f"| *{column.name}* | | | | {column.meaning} |" for column in DERIVED.get(name, [])]
    lines += ["", "Columns in italics are computed.", "", "## Gold", ""]
    lines += ["`once_wq` is `silver_wq` without the rows that another dump holds too; likewise the others.", ""]
    for name, text in GOLD_TABLES.items():
        lines += [f"`gold_{name}` is", "", "```sql", *text.strip().splitlines(), "```", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _rows(structure: Structure) -> list[str]:
    """A row per column; columns that differ only by an index share one."""
    groups: dict[tuple[str, str], list[Field]] = {}
    for item in structure.shown:
        base = item.name.partition("_")[0] if "{" in item.title else item.name
        groups.setdefault((base, item.meaning), []).append(item)
    rows = []
    for (base, meaning), items in groups.items():
        first = items[0]
        name = first.column if len(items) == 1 else f"{first.column} ... {items[-1].column} ({len(items)})"
        since = f"> {first.beyond}" if first.beyond else f"version {first.version}" if first.version else ""
        rows.append(f"| {name} | {type_of(first)} | {base} | {since} | {meaning} |")
    return rows
