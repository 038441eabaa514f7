"""QSTAT: the state of each queue at the end of each statistics interval; and QSTATCSV, every counter as CSV.

From 115-216 (QQST), which statistics class 5 writes for queues with STATQ(ON). The first release of the record tells
where the queue is and its depth; later ones add handles, ages, puts and gets. Only fields of the record are printed.

    SYS1,MQA1,2024/03/01,10:00:00.00,VRM: 930,
    From 2024/03/01,09:59:00.000000 to 2024/03/01,10:00:00.000000, duration 60 seconds.
    = Queue Name LQ1001  COMPLETE RECORD  SYS1,MQA1,2024/03/01,10:00:00.00,VRM: 930,
    > Disposition Private  Pageset ID 1  Bufferpool ID 1
      Current Depth 4

Times are those of the SMF header, local, as the supplied formatter prints them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from flintmq.pipeline.reports.model import Chart, Column, Figure, Report, Series, Table
from flintmq.pipeline.reports.options import Options
from flintmq.pipeline.reports.records import ORDER, by_time, cells, chosen, first, many, nothing, texts_for_times
from flintmq.pipeline.tables.catalogue import silver_schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TITLE = "QSTAT: queues at the end of each interval"
_WHAT = "queue statistics (115-216)"
_REMEDY = (
    "They are written for queues with STATQ(ON), or STATQ(QMGR) and ALTER QMGR STATQ(ON), while START TRACE(STAT) "
    "CLASS(5) is in force."
)
#: Queues of the chart.
DEEPEST = 20

_COLUMNS = [
    ("Time", "date_format(Time, 'yyyy-MM-dd HH:mm:ss')", Column("Time", unit="local")),
    ("LPAR", "LPAR", Column("LPAR")),
    ("QMgr", "QMgr", Column("QMgr")),
    ("Queue", "Queue", Column("Queue")),
    ("Record", "if(Record = 'PARTIAL', 'PARTIAL', 'COMPLETE')", Column("Record")),
    ("Disposition", "initcap(Queue_Disp)", Column("Disposition")),
    ("Pageset", "if(Queue_Disp = 'SHARED', null, Pageset)", Column("Page set", 0)),
    ("Bufferpool", "if(Queue_Disp = 'SHARED', null, BufferPool)", Column("Buffer pool", 0)),
    ("Group", "if(Queue_Disp = 'SHARED', QSG_Name, null)", Column("QSG")),
    ("Structure", "if(Queue_Disp = 'SHARED', Structure, null)", Column("CF structure")),
    ("Depth", "Current_Depth", Column("Depth", 0)),
    ("High", "Queue_Depth_High_Water", Column("Highest", 0)),
    ("Low", "Queue_Depth_Low_Water", Column("Lowest", 0)),
    ("Age", "Max_Age", Column("Oldest", 0, "s")),
    ("Inputs", "Input_Handles", Column("Open for input", 0)),
    ("Outputs", "Output_Handles", Column("Open for output", 0)),
    ("Puts", "try_add(Put, Put1)", Column("Puts", 0)),
    ("Gets", "Get", Column("Gets", 0)),
    ("Streamed", "Streamed", Column("Streamed", 0)),
    ("Expired", "Expired", Column("Expired", 0)),
]


def make(spark: SparkSession, tables: Path, options: Options) -> Report:
    queues = chosen(spark, tables, "QQST", options)
    made, rows = by_time("Queues", queues, _COLUMNS, _lines, options.rows)
    if not rows:
        return nothing("qstat", TITLE, options, _WHAT, _REMEDY)
    words, figures = _words(queues)
    charts = _deepest(queues)
    if charts:
        figures.append(Figure("deepest at the end", f"{charts[0].series[0].values[0]:,.0f}", "messages"))
    return Report("qstat", TITLE, words, [made], charts, figures)


def make_csv(spark: SparkSession, tables: Path, options: Options) -> Report:
    """Report every column of the record; one that an older release lacks is empty."""
    title = "QSTATCSV: every counter of queue statistics"
    columns = [name for name in silver_schema("QQST").names if name not in ("File", "Offset", "Entry")]
    queues = chosen(spark, tables, "QQST", options).orderBy(*ORDER)
    shown = texts_for_times(queues.select(*columns))
    rows, left = first(shown, options.rows)
    if not rows:
        return nothing("qstatcsv", title, options, _WHAT, _REMEDY)
    decimals = {"bigint": 0, "int": 0, "double": 3}
    made = [Column(name, decimals.get(kind)) for name, kind in shown.dtypes]
    return Report("qstatcsv", title, [], [Table("Queues", made, [cells(row) for row in rows], left)])


def _words(queues: DataFrame) -> tuple[list[str], list[Figure]]:
    seen = queues.selectExpr(
        "count(distinct QMgr) as Managers",
        "count(distinct QMgr, LPAR, Interval_Start) as Intervals",
        "count(distinct QMgr, Queue) as Queues",
        "try_sum(if(Record = 'PARTIAL', 1, 0)) as Partial",
    ).collect()[0]
    words = f"{many(seen.Queues, 'queue')} in {many(seen.Intervals, 'interval')} of "
    made = [
        f"{words}{many(seen.Managers, 'queue manager')}. A depth is that of the moment at which its interval ended."
    ]
    if seen.Partial:
        are = "is" if seen.Partial == 1 else "are"
        made.append(
            f"{many(seen.Partial, 'record')} {are} partial: the depth and age of those queues could not be read, and "
            "are 0."
        )
    return made, [Figure("queues", f"{seen.Queues:,}"), Figure("intervals", f"{seen.Intervals:,}")]


def _deepest(queues: DataFrame) -> list[Chart]:
    """Draw the queues that were not empty at the end, the deepest first."""
    last = "max_by(Current_Depth, struct(Record_Time, File, Offset, Entry)) filter (where Record = 'FULL') as Depth"
    found = (
        queues.groupBy("QMgr", "Queue")
        .agg(_expr(last))
        .where("Depth > 0")
        .orderBy("Depth", "QMgr", "Queue", ascending=[False, True, True])
    )
    rows = found.limit(DEEPEST).collect()
    names = [f"{row.QMgr} {row.Queue}" for row in rows]
    depths = Series("Depth", [float(row.Depth) for row in rows])
    return [Chart("Deepest queues at the end", "bar", names, [depths], "messages")] if rows else []


def _expr(text: str) -> Any:
    from pyspark.sql import functions

    return functions.expr(text)


def _lines(row: Any) -> list[str]:
    place = f"Private  Pageset ID {row.Pageset}  Bufferpool ID {row.Bufferpool}"
    if row.Disposition == "Shared":
        place = f"Shared  QSG Name {row.Group}  CF Struct Name {row.Structure}"
    return [
        f"= Queue Name {row.Queue}  {row.Record} RECORD  {row._Head}",
        f"> Disposition {place}",
        f"  Current Depth {row.Depth}",
        *_later(row),
    ]


def _later(row: Any) -> list[str]:
    """Return the lines that records of 9.3.1 and 9.3.3 add."""
    lines = []
    if row.Inputs is not None:
        lines.append(f"  Input Handles {row.Inputs}  Output Handles {row.Outputs}  Oldest Message {row.Age} seconds")
    if row.Puts is not None:
        lines.append(f"  Highest Depth {row.High}  Lowest Depth {row.Low}")
        lines.append(f"  Puts {row.Puts}  Gets {row.Gets}  Streamed {row.Streamed}  Expired {row.Expired}")
    return lines
