"""Silver rows for a report: those that were chosen, each once, and the first of them.

A row counts at the start of its interval, where the record has one (type 115 and channel accounting), else when it was
written (accounting of tasks).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flintmq.pipeline.reports.model import Cell, Report
from flintmq.pipeline.reports.options import Options
from flintmq.pipeline.tables.catalogue import silver

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: The order of records in time, complete.
ORDER = "QMgr, Record_Time, File, Offset, Entry"


def chosen(spark: SparkSession, tables: Path, structure: str, options: Options, keys: Sequence[str]) -> DataFrame:
    """The rows of a structure that the options choose. A row of the same `keys`, queue manager and time that another
    dump holds too is taken from the dump whose name comes first."""
    from pyspark.sql import functions as f

    rows = silver(spark, tables, structure)
    if options.qmgrs:
        rows = rows.where(f.col("QMgr").isin(*options.qmgrs))
    times = [name for name in ("Interval_Start", "Record_Time") if name in rows.columns]
    when = f.expr(f"coalesce({', '.join(times)})")
    day = timedelta(days=1)  # Date is local: at most a day from UTC. It is a partition, the time is not.
    if options.start:
        rows = rows.where((f.col("Date") >= f.lit((options.start - day).date())) & (when >= f.lit(options.start)))
    if options.until:
        rows = rows.where((f.col("Date") <= f.lit((options.until + day).date())) & (when < f.lit(options.until)))
    first = f"min(File) over (partition by {', '.join(['QMgr', 'LPAR', *times, *keys])})"
    return rows.withColumn("_First", f.expr(first)).where("_First = File").drop("_First")


def first(rows: DataFrame, rows_max: int) -> tuple[list[Any], int]:
    """The first rows, and how many more there are. `rows` has an order."""
    found = rows.limit(rows_max + 1).collect()
    if len(found) <= rows_max:
        return found, 0
    return found[:rows_max], rows.count() - rows_max


def texts_for_times(rows: DataFrame) -> DataFrame:
    """Times as text, in UTC where they are moments: Python would show them in the time zone of this process."""
    form = "'yyyy-MM-dd HH:mm:ss.SSSSSS'"
    names = [
        f"date_format(`{name}`, {form}) as `{name}`" if kind.startswith("timestamp") else f"`{name}`"
        for name, kind in rows.dtypes
    ]
    return rows.selectExpr(*names)


def cells(row: Any) -> tuple[Cell, ...]:
    """A row of Spark as cells: dates become text, bytes hexadecimal, a flag YES or NO."""
    return tuple(_cell(value) for value in row)


def _cell(value: Any) -> Cell:
    if isinstance(value, bool):
        return "YES" if value else "NO"
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex().upper()
    return str(value)


def nothing(name: str, title: str, options: Options, what: str, remedy: str) -> Report:
    """A report without its records: which they are, and how to have them written."""
    return Report(name, title, [f"There are no {what}{options.words()} in the tables.", remedy])
