"""Silver rows for a report: those that were chosen, each once, and the first of them.

A row counts at the start of its interval, where the record has one (type 115 and channel accounting), else when it was
written (accounting of tasks).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flintmq.pipeline.reports.model import Cell, Chart, Column, Report, Series, Table
from flintmq.pipeline.reports.options import Options
from flintmq.pipeline.tables.catalogue import once, silver

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: The order of records in time, complete.
ORDER = ("QMgr", "Record_Time", "File", "Offset", "Entry")

_LOCAL = "Interval_Start + make_dt_interval(0, 0, UTC_Offset_Minutes)"
_MOMENT = "'yyyy/MM/dd,HH:mm:ss.SSSSSS'"
#: The columns that `heading` needs. Times become text in Spark, which knows that they are UTC; a record has them local.
HEADING = [
    "concat_ws(',', LPAR, QMgr, date_format(Time, 'yyyy/MM/dd,HH:mm:ss.SS'), concat('VRM: ', MQ_Version), '') as _Head",
    f"date_format({_LOCAL}, {_MOMENT}) as _From",
    f"date_format({_LOCAL} + make_dt_interval(0, 0, 0, Interval_Duration_US / 1e6), {_MOMENT}) as _To",
    "Interval_Duration_US as _Duration",
]


def chosen(spark: SparkSession, tables: Path, structure: str, options: Options) -> DataFrame:
    """Return the rows of a structure that the options choose, each once."""
    from pyspark.sql import functions as f

    rows = silver(spark, tables, structure)
    if options.qmgrs:
        rows = rows.where(f.col("QMgr").isin(*options.qmgrs))
    times = [name for name in ("Interval_Start", "Record_Time") if name in rows.columns]
    when = f.expr(f"coalesce({', '.join(times)})")
    # Date is a partition, the time is not. It is local, at most a day from UTC, and of the end of the interval, which
    # is at most a day long.
    if options.start:
        rows = rows.where((f.col("Date") >= f.date_sub(f.lit(options.start.date()), 1)) & (when >= options.start))
    if options.until:
        rows = rows.where((f.col("Date") <= f.date_add(f.lit(options.until.date()), 2)) & (when < options.until))
    return once(rows, tables, structure)


@contextmanager
def kept(rows: DataFrame) -> Iterator[DataFrame]:
    """Compute rows that several questions are asked of once, into memory or onto the disks of the executors."""
    rows.persist()
    try:
        yield rows
    finally:
        rows.unpersist()


def first(rows: DataFrame, rows_max: int) -> tuple[list[Any], int]:
    """Return the first rows, and the number of the others. `rows` has an order."""
    found = rows.limit(rows_max + 1).collect()
    if len(found) <= rows_max:
        return found, 0
    return found[:rows_max], rows.count() - rows_max


def texts_for_times(rows: DataFrame) -> DataFrame:
    """Convert times to text, in UTC where they are moments: Python would show them in the time zone of this process."""
    form = "'yyyy-MM-dd HH:mm:ss.SSSSSS'"
    names = [
        f"date_format(`{name}`, {form}) as `{name}`" if kind.startswith("timestamp") else f"`{name}`"
        for name, kind in rows.dtypes
    ]
    return rows.selectExpr(*names)


def cells(row: Any) -> tuple[Cell, ...]:
    """Convert a row of Spark to cells: dates become text, bytes hexadecimal, a flag YES or NO."""
    return tuple(_cell(value) for value in row)


def _cell(value: Any) -> Cell:
    if isinstance(value, bool):
        return "YES" if value else "NO"
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex().upper()
    return str(value)


def many(number: int, what: str) -> str:
    """Return a number with its noun: `1 queue`, `2,000 queues`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def heading(row: Any) -> list[str]:
    """Return the two lines that the supplied formatter puts above an interval: its origin, and its start and end."""
    if row._From is None or row._Duration is None:
        return [row._Head, "From and to are not recorded."]
    seconds = f"{row._Duration / 1e6:.6f}".rstrip("0").rstrip(".")
    return [row._Head, f"From {row._From} to {row._To}, duration {seconds} seconds."]


def listing(rows: list[Any], lines_of: Callable[[Any], list[str]]) -> list[str]:
    """Return the lines of each row, under the heading of its interval."""
    lines: list[str] = []
    before: list[str] = []
    for row in rows:
        if (head := heading(row)) != before:
            lines += ["", *head] if lines else head
            before = head
        lines += lines_of(row)
    return lines


def by_time(
    title: str,
    rows: DataFrame,
    columns: Sequence[tuple[str, str, Column]],
    lines_of: Callable[[Any], list[str]],
    rows_max: int,
) -> tuple[Table, list[Any]]:
    """Return records in the order of time as a table with their listing, and the rows of Spark.

    `columns` is of name, expression and column.
    """
    shown = [f"{expression} as `{name}`" for name, expression, _ in columns]
    found, left = first(rows.orderBy(*ORDER).selectExpr(*shown, *HEADING), rows_max)
    made = Table(title, [column for _, _, column in columns], [cells(row[: len(columns)]) for row in found], left)
    made.listing = listing(found, lines_of)
    return made, found


def over_time(rows: list[Any], title: str, series: Mapping[str, str], unit: str) -> Chart:
    """Draw columns over the starts of intervals: a line per queue manager and column; `series` is column -> name."""
    places = sorted({row.Start for row in rows if row.Start})
    managers = sorted({row.QMgr or "" for row in rows})
    made = []
    for manager in managers:
        mine = {row.Start: row for row in rows if (row.QMgr or "") == manager}
        for column, name in series.items():
            values = [_number(mine[place][column]) if place in mine else None for place in places]
            made.append(Series(f"{manager} {name}" if len(managers) > 1 else name, values))
    return Chart(f"{title} over time, UTC", "line", places, made, unit)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def nothing(name: str, title: str, options: Options, what: str, remedy: str) -> Report:
    """Return a report that lacks its records: which records, and how to have them written."""
    return Report(name, title, [f"There are no {what}{options.words()} in the tables.", remedy], silent=True)
