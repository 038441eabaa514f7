"""The tables of an output directory by name: `records`, `silver_qmst` (also `qmst`), `gold_queue` (also `queue`),
`statistics_flow` (also `flow`).

A silver table is read with the columns that we know now, whatever release of FlintMQ wrote its files (T4), and is there
with no rows where no dump has such a structure. Gold and quality are read as they are; Parquet keeps no columns of a
table without rows, so those of gold are found from its query (gold.py).

A record that two dumps hold is in silver twice, once from each. `once` leaves one of them, for reports and gold.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flintmq.pipeline.tables.place import BRONZE, GOLD, QUALITY, SILVER, STATISTICS, dump_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


#: Bytes of tables, or of dumps that become tables, up to which data is little.
SMALL_MAX = 32 << 20


@dataclass(frozen=True)
class Listed:
    """A table that is there."""

    layer: str
    name: str
    path: Path
    files: int
    size: int
    rows: int


def tables_in(out: Path) -> Iterator[Listed]:
    """Yield the tables with their sizes; rows are counted from the footers of the files."""
    import pyarrow.parquet as pq

    for layer in (BRONZE, SILVER, GOLD, QUALITY, STATISTICS):
        for path in sorted((out / layer).glob("*")) if (out / layer).is_dir() else []:
            if path.is_dir():
                files = [file for file in path.rglob("*.parquet") if not file.name.startswith((".", "_"))]
                rows = sum(pq.read_metadata(file).num_rows for file in files)
                yield Listed(layer, path.name, path, len(files), sum(file.stat().st_size for file in files), rows)


def is_small(out: Path, size: int = 0) -> bool:
    """Return whether tables, with `size` bytes of dumps that become tables, are little data."""
    for layer in (SILVER, GOLD, STATISTICS):
        for place, _, files in os.walk(out / layer):
            size += sum(_size_of(os.path.join(place, name)) for name in files if name.endswith(".parquet"))
            if size > SMALL_MAX:
                return False
    return size <= SMALL_MAX


def _size_of(path: str) -> int:
    try:
        return os.path.getsize(path)
    except FileNotFoundError:
        return 0  # A run has replaced it.


def silver_schema(name: str) -> Any:
    """Return the Arrow schema of a silver table: the structure's columns and the derived ones."""
    from flintmq.pipeline.tables.derived import derive
    from flintmq.telemetry.smf.columns.tables import SCHEMAS

    return derive(name, SCHEMAS[name].empty_table()).schema


def is_there(out: Path, name: str) -> bool:
    """Return whether any dump had this structure: a query without it is planned faster."""
    return (out / SILVER / name.lower()).is_dir()


def silver(spark: SparkSession, out: Path, name: str) -> DataFrame:
    """Return a silver table, empty if it has no files."""
    from pyspark.sql.pandas.types import from_arrow_schema

    schema = from_arrow_schema(silver_schema(name))
    return _read(spark, out / SILVER / name.lower(), schema)


def has_rows(path: Path) -> bool:
    """Return whether there is a file of the table."""
    return path.is_dir() and next(path.rglob("*.parquet"), None) is not None


def _read(spark: SparkSession, path: Path, schema: Any) -> DataFrame:
    return spark.read.schema(schema).parquet(str(path)) if has_rows(path) else none_of(spark, schema)


def none_of(spark: SparkSession, schema: StructType) -> DataFrame:
    """Return a table with these columns and no rows, such that Spark leaves it out of its plans."""
    columns = [f"cast(null as {field.dataType.simpleString()}) as `{field.name}`" for field in schema.fields]
    return spark.sql(f"select {', '.join(columns)} where false")


def written(spark: SparkSession, path: Path) -> DataFrame:
    """Return a table with rows that Spark, or a task of ours, has written.

    Spark would run a job to find the columns; the footer of a file has them, and directories name those of partitions.
    """
    import pyarrow.parquet as pq
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import StringType, StructType

    file = min(path.rglob("*.parquet"))
    footer = pq.read_schema(file)
    kept = (footer.metadata or {}).get(_SPARK_COLUMNS)
    schema = StructType.fromJson(json.loads(kept)) if kept else from_arrow_schema(footer)
    for place in file.parent.relative_to(path).parts:
        schema = schema.add(place.partition("=")[0], StringType())
    return spark.read.schema(schema).parquet(str(path))


#: Where Spark keeps the columns of a table in the footers of its files.
_SPARK_COLUMNS = b"org.apache.spark.sql.parquet.row.metadata"


#: Columns that distinguish rows of one time, of one record or of several.
KEYS: dict[str, list[str]] = {
    "QPST": ["BufferPool"],
    "QIS1": ["Pageset"],
    "QQST": ["Queue"],
    "WTID": ["WTAS_Correlator"],
    "WTAS": ["Correl"],
    "WQ": ["Correlation", "Open_Name", "Base_Name", "Entry"],
    "QCST": ["Chl_Name", "Connection_Name", "Start", "Entry"],
    **dict.fromkeys(("QCTDSP", "QCTADP", "QCTSSL", "QCTDNS"), ["Task_Index", "Task_Number"]),
}


def once(rows: DataFrame, out: Path, name: str) -> DataFrame:
    """Return rows of a silver table without duplicates from other dumps: the dump with the first name keeps its rows.

    Nothing is shuffled where no two dumps have records of one day and queue manager.
    """
    if not _are_shared(out / SILVER / name.lower()):
        return rows
    # Time is of the SMF header, and always there; it is no finer than a hundredth of a second.
    times = [column for column in ("Time", "Interval_Start", "Record_Time") if column in rows.columns]
    same = ", ".join(["QMgr", "LPAR", *times, *KEYS.get(name, [])])
    from pyspark.sql import functions as f

    first = f.expr(f"min(File) over (partition by {same})")
    return rows.withColumn("_First", first).where("_First = File").drop("_First")


def _are_shared(path: Path) -> bool:
    """Return whether two dumps have rows in one partition of a table."""
    seen: dict[Path, str] = {}
    return any(
        seen.setdefault(file.parent, dump_of(file.name)) != dump_of(file.name) for file in path.rglob("*.parquet")
    )


def register(spark: SparkSession, out: Path, query: str) -> None:
    """Register the tables of a query as views: `silver_wq` or `wq`, `gold_queue` or `queue`, `quality_findings`."""
    from pyspark.sql.pandas.types import from_arrow_schema

    from flintmq.pipeline.tables.load import FINDINGS, FINDINGS_SCHEMA
    from flintmq.telemetry.smf.columns.tables import RECORDS, RECORDS_SCHEMA
    from flintmq.telemetry.smf.records import STRUCTURES

    words = {word.lower() for word in re.findall(r"\w+", query)}
    for name in STRUCTURES:
        wanted = words & {name.lower(), f"{SILVER}_{name.lower()}"}
        if wanted:
            _register(silver(spark, out, name), wanted)
    wanted = words & {RECORDS, f"{BRONZE}_{RECORDS}"}
    if wanted:
        _register(_read(spark, out / BRONZE / RECORDS, from_arrow_schema(RECORDS_SCHEMA)), wanted)
    for layer in (GOLD, QUALITY, STATISTICS):
        for path in sorted((out / layer).glob("*")) if (out / layer).is_dir() else []:
            wanted = words & {path.name, f"{layer}_{path.name}"}
            if wanted and has_rows(path):
                _register(written(spark, path), wanted)
    wanted = words & {FINDINGS, f"{QUALITY}_{FINDINGS}"}
    if wanted and not has_rows(out / QUALITY / FINDINGS):
        _register(none_of(spark, from_arrow_schema(FINDINGS_SCHEMA)), wanted)


def _register(view: DataFrame, names: set[str]) -> None:
    for name in names:
        view.createOrReplaceTempView(name)
