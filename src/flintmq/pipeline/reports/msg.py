"""MSG: MQI calls and messages of each interval, of the whole queue manager (115-2, QMST and QIST).

Calls count the requests of applications. Messages put to stream queues, and opens of stream queues, are among them, and
in the requests to the data manager too. A get request is not a message: one that waits asks several times.

    MQOPENs       2  MQCLOSEs      2  MQGETs        0  MQPUTs       20  MQPUT1s       0
    MQINQs        0  MQINQLs       0  MQSETs        0  Close_all_H   0
    ...
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from flintmq.pipeline.reports.model import Column, Figure, Report
from flintmq.pipeline.reports.options import Options
from flintmq.pipeline.reports.records import by_time, chosen, many, nothing, over_time
from flintmq.pipeline.tables.catalogue import silver

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TITLE = "MSG: calls and messages of each interval"
_WHAT = "statistics of the message manager (115-2)"
_REMEDY = "They are written while START TRACE(STAT) CLASS(1) is in force."

_LINES = [
    [("MQOPENs", "Open"), ("MQCLOSEs", "Close"), ("MQGETs", "Get"), ("MQPUTs", "Put"), ("MQPUT1s", "Put1")],
    [("MQINQs", "Inq"), ("MQINQLs", "Inql"), ("MQSETs", "Set"), ("Close_all_H", "Close_Handles")],
    [("MQSUBs", "Sub"), ("MQSUBRQs", "SubReq"), ("MQCBs", "CB"), ("MQCTLs", "CTL"), ("MQSTATs", "Status")],
    [("Publications", "Pubs")],
    [
        ("Persistent puts", "PersPuts"),
        ("Persistent bytes", "PersPutBytes"),
        ("Nonpersistent puts", "NonPersPuts"),
        ("Nonpersistent bytes", "NonPersPutBytes"),
    ],
]
#: Of the data manager, which has its own structure in the same record.
_DATA = [
    ("Put requests", "Msg_Put"),
    ("Get requests", "Msg_Get"),
    ("Gets from buffers", "Gets_From_BufferPool"),
    ("Gets from disk", "Gets_From_Disk"),
]
_SECONDS = "Interval_Duration_US / 1e6"
_COLUMNS = [
    ("Start", "date_format(Interval_Start, 'yyyy-MM-dd HH:mm:ss')", Column("Interval start", unit="UTC")),
    ("QMgr", "QMgr", Column("QMgr")),
    ("Seconds", _SECONDS, Column("Length", 0, "s")),
    ("Put_Rate", f"try_add(Put, Put1) / nullif({_SECONDS}, 0)", Column("Puts", 2, "1/s")),
    ("Get_Rate", f"Get / nullif({_SECONDS}, 0)", Column("Gets", 2, "1/s")),
    *((label, column, Column(label, 0)) for line in [*_LINES, _DATA] for label, column in line),
]


def make(spark: SparkSession, tables: Path, options: Options) -> Report:
    calls = chosen(spark, tables, "QMST", options)
    data = silver(spark, tables, "QIST").select("File", "Offset", *(column for _, column in _DATA))
    joined = calls.join(data, ["File", "Offset"], "left")
    made, rows = by_time("Intervals", joined, _COLUMNS, _lines, options.rows)
    if not rows:
        return nothing("msg", TITLE, options, _WHAT, _REMEDY)
    chart = over_time(rows, "Calls per second", {"Put_Rate": "puts", "Get_Rate": "gets"}, "calls per second")
    words, figures = _words(calls)
    return Report("msg", TITLE, words, [made], [chart], figures)


def _lines(row: Any) -> list[str]:
    lines = []
    for pairs in [*_LINES, _DATA]:
        there = [f"{label} {row[label]:>10}" for label, _ in pairs if row[label] is not None]
        if there:
            lines.append("  ".join(there))
    return lines


def _words(calls: DataFrame) -> tuple[list[str], list[Figure]]:
    seen = calls.selectExpr(
        "count(*) as Intervals",
        "count(distinct QMgr) as Managers",
        "try_sum(try_add(Put, Put1)) as Puts",
        "try_sum(Get) as Gets",
        "try_sum(Interval_Duration_US) / 1e6 as Seconds",
        "try_sum(if(Interval_Duration_US > 0, try_add(Put, Put1), null)) as Timed_Puts",
        "max(struct(try_add(Put, Put1) / nullif(Interval_Duration_US / 1e6, 0), QMgr)) as Busiest",
        "try_sum(if(try_add(PersPuts, NonPersPuts) is null, null, PersPuts)) as Persistent",
        "try_sum(try_add(PersPuts, NonPersPuts)) as Known",
    ).collect()[0]
    made = f"{seen.Puts or 0:,} puts and {seen.Gets or 0:,} gets in {many(seen.Intervals, 'interval')} of "
    made += many(seen.Managers, "queue manager")
    if seen.Seconds and seen.Timed_Puts is not None:
        made += f", {seen.Timed_Puts / seen.Seconds:,.2f} puts a second on average"
    if seen.Busiest and seen.Busiest[0] is not None:
        made += f" and {seen.Busiest[0]:,.2f} in the busiest interval ({seen.Busiest.QMgr})"
    words = [f"{made}."]
    if seen.Known and seen.Persistent is not None:
        words.append(f"{100 * seen.Persistent / seen.Known:.1f} % of the messages were persistent.")
    figures = [Figure("puts", f"{seen.Puts or 0:,}"), Figure("gets", f"{seen.Gets or 0:,}")]
    if seen.Busiest and seen.Busiest[0] is not None:
        figures.append(Figure("busiest interval", f"{seen.Busiest[0]:,.1f}", "puts/s"))
    return words, figures
