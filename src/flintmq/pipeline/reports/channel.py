"""CHANNEL: the traffic of each channel (116-10, QCST), and how busy the channel initiator was (115-231).

Channels of one name, partner and connection are one row: its intervals and instances are added up. The tasks of the
channel initiator are shown by kind: a dispatcher moves data, an adapter makes MQI calls, the others do TLS and resolve
names. A task that is busy all the time is a bottleneck; many that are all busy are too few.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flintmq.pipeline.reports.model import Chart, Column, Figure, Report, Series, Table
from flintmq.pipeline.reports.options import Options
from flintmq.pipeline.reports.records import cells, chosen, first, kept, many, nothing
from flintmq.pipeline.reports.sizing import NO_LIMIT_MB

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TITLE = "CHANNEL: what went over channels"
_WHAT = "channel records (116-10, 115-231)"
_REMEDY = (
    "116-10 is written while START TRACE(ACCTG) CLASS(4) is in force, for channels with STATCHL; 115-231 with "
    "START TRACE(STAT) CLASS(4)."
)
#: Channels of the chart.
BUSIEST = 20

_CHANNEL = "QMgr, Chl_Name, Type, Connection_Name, Remote_QMgr_Or_App"
#: The length of an interval is of the first instance of a channel in it: a rate is of all instances together.
_CHANNELS = f"""
with instances as (
  select *, if(lag(Interval_Start) over (partition by {_CHANNEL} order by Interval_Start, File, Offset, Entry)
               <=> Interval_Start, 0, Interval_Duration_US) as Own_US
  from {{qcst}}
)
select QMgr, Chl_Name as Channel, Type, Connection_Name as Connection, Remote_QMgr_Or_App as Partner,
       count(*) as Intervals, try_sum(Msg_All_Count) as Messages, try_sum(Msg_Persistent_Count) as Persistent,
       try_sum(Msg_All_Count) / nullif(try_sum(Own_US) / 1e6, 0) as Rate,
       try_sum(Number_Bytes) as Bytes, try_sum(Bytes_Sent) as Sent, try_sum(Bytes_Received) as Received,
       try_sum(Batches) as Batches, try_sum(Msg_All_Count) / nullif(try_sum(Batches), 0) as Fill,
       100 * try_sum(Full_Batches) / nullif(try_sum(Batches), 0) as Full, max(BatchSize) as Batch_Size,
       max(Compression_Rate) as Compression, max(Current_Shared_Convs) as Conversations,
       sum(double(Net_Time_Avg) * Msg_All_Count) / nullif(sum(if(Net_Time_Max > 0, Msg_All_Count, 0)), 0) as Net_Avg,
       max(Net_Time_Max) as Net_Max,
       sum(double(Exit_Time_Avg) * Msg_All_Count) / nullif(sum(if(Exit_Time_Max > 0, Msg_All_Count, 0)), 0) as Exit_Avg,
       max(Exit_Time_Max) as Exit_Max,
       try_sum(Put_Retry_Count) as Retries, try_sum(XmitQ_Empty_Count) as Empty,
       date_format(max(Last_Msg), 'yyyy-MM-dd HH:mm:ss') as Last
from instances group by {_CHANNEL}
order by Messages desc, QMgr, Channel, Connection, Partner
"""
_CHANNEL_COLUMNS = [
    Column("QMgr"),
    Column("Channel"),
    Column("Type"),
    Column("Connection"),
    Column("Partner"),
    Column("Records", 0),
    Column("Messages", 0),
    Column("Persistent", 0),
    Column("Messages", 2, "1/s"),
    Column("Message data", 0, "bytes"),
    Column("Sent", 0, "bytes"),
    Column("Received", 0, "bytes"),
    Column("Batches", 0),
    Column("Messages in a batch", 1),
    Column("Full batches", 1, "%"),
    Column("Batch size", 0),
    Column("Compression rate", 0, "%"),
    Column("Shared conversations", 0),
    Column("Network time", 0, "us"),
    Column("Longest network time", 0, "us"),
    Column("Exit time", 0, "us"),
    Column("Longest exit time", 0, "us"),
    Column("Put retries", 0),
    Column("XMITQ empty", 0),
    Column("Last message", unit="UTC"),
]

_INITIATOR = """
select QMgr, max(Job_Name) as Job, count(*) as Intervals,
       max(Current_Chl_High_Water) as Channels, max(Current_Chl_Max) as Channels_Limit,
       max(Active_Chl_High_Water) as Active, max(Active_Chl_Max) as Active_Limit,
       max(Max_TCP_Chl) as TCP_Limit, max(Storage_Usage_31) as Storage_31, max(Storage_Usage_64) as Storage_64,
       if(max(Storage_Limit_64) between 1 and {no_limit}, format_number(max(Storage_Limit_64), 0),
          if(max(Storage_Limit_64) is null, null, 'no limit')) as Storage_Limit
from {qcct} group by QMgr order by QMgr
"""
_INITIATOR_COLUMNS = [
    Column("QMgr"),
    Column("Jobname"),
    Column("Intervals", 0),
    Column("Channels at most", 0),
    Column("MAXCHL", 0),
    Column("Active at most", 0),
    Column("ACTCHL", 0),
    Column("TCPCHL", 0),
    Column("31-bit storage", 0, "MB"),
    Column("64-bit storage", 0, "MB"),
    Column("64-bit limit", 0, "MB"),  # A text where there is none.
]

_KINDS = {"QCTDSP": "Dispatcher", "QCTADP": "Adapter", "QCTSSL": "TLS", "QCTDNS": "DNS"}
_TASKS = """
select QMgr, '{kind}' as Kind, count(distinct Task_Index) as Tasks, try_sum(Request_Count) as Requests,
       try_sum(Task_CPU_Time_US) / nullif(try_sum(Request_Count), 0) as CPU_Avg,
       try_sum(Task_Elapsed_Time_US) / nullif(try_sum(Request_Count), 0) as Elapsed_Avg,
       100 * try_sum(Task_Elapsed_Time_US) / nullif(try_sum(Task_Elapsed_Time_US + Task_Wait_Time_US), 0) as Busy,
       100 * max(Busy) as Busy_Max
from {rows} group by QMgr
"""
_TASK_COLUMNS = [
    Column("QMgr"),
    Column("Task"),
    Column("Tasks", 0),
    Column("Requests", 0),
    Column("CPU of a request", 1, "us"),
    Column("Time of a request", 1, "us"),
    Column("Busy", 2, "%"),
    Column("Busiest", 2, "%"),
]


def make(spark: SparkSession, tables: Path, options: Options) -> Report:
    with kept(chosen(spark, tables, "QCST", options)) as channels:
        return _report(spark, tables, channels, options)


def _report(spark: SparkSession, tables: Path, channels: DataFrame, options: Options) -> Report:
    initiators = chosen(spark, tables, "QCCT", options)
    rows, left = first(spark.sql(_CHANNELS, qcst=channels), options.rows)
    managers, managers_left = first(spark.sql(_INITIATOR, qcct=initiators, no_limit=NO_LIMIT_MB), options.rows)
    if not rows and not managers:
        return nothing("channel", TITLE, options, _WHAT, _REMEDY)
    made = Report("channel", TITLE, ["No channel did anything, or class 4 was off."])
    if rows:
        made.words, made.figures = _words(channels)
    if rows:
        made.tables.append(Table("Channels", _CHANNEL_COLUMNS, [cells(row) for row in rows], left))
        names = [" ".join(filter(None, (row.QMgr, row.Channel, row.Partner))) for row in rows[:BUSIEST]]
        counts = Series("Messages", [float(row.Messages or 0) for row in rows[:BUSIEST]])
        made.charts.append(Chart("Busiest channels", "bar", names, [counts], "messages"))
    if managers:
        made.tables.append(
            Table("Channel initiators", _INITIATOR_COLUMNS, [cells(row) for row in managers], managers_left)
        )
        made.tables.append(_tasks(spark, tables, options))
    return made


def _tasks(spark: SparkSession, tables: Path, options: Options) -> Table:
    """Return the tasks of the channel initiators, by kind."""
    frames = [
        spark.sql(
            _TASKS.replace("{kind}", kind),
            rows=chosen(spark, tables, structure, options),
        )
        for structure, kind in _KINDS.items()
    ]
    together = frames[0]
    for frame in frames[1:]:
        together = together.union(frame)
    rows, left = first(together.orderBy("QMgr", "Kind"), options.rows)
    return Table("Tasks of the channel initiators", _TASK_COLUMNS, [cells(row) for row in rows], left)


def _words(channels: DataFrame) -> tuple[list[str], list[Figure]]:
    seen = channels.selectExpr(
        "count(distinct QMgr, Chl_Name) as Channels",
        "try_sum(Msg_All_Count) as Messages",
        "try_sum(Bytes_Sent) as Sent",
        "try_sum(Bytes_Received) as Received",
        "try_sum(Put_Retry_Count) as Retries",
        "max(struct(Net_Time_Max, QMgr, Chl_Name)) as Slowest",
    ).collect()[0]
    over = f"{many(seen.Messages or 0, 'message')} over {many(seen.Channels, 'channel')}"
    made = [f"{over}; {seen.Sent or 0:,} bytes sent, {seen.Received or 0:,} received."]
    if seen.Slowest and seen.Slowest.Net_Time_Max:
        slowest = seen.Slowest
        made.append(
            f"The longest network time was {slowest.Net_Time_Max:,} us, on {slowest.Chl_Name} of {slowest.QMgr}."
        )
    if seen.Retries:
        made.append(f"{many(seen.Retries, 'put')} had to be tried again at the receiving end.")
    figures = [Figure("over channels", f"{seen.Messages or 0:,}", "messages")]
    figures.append(Figure("channels", f"{seen.Channels:,}"))
    return made, figures
