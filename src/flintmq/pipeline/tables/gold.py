"""The gold tables, as SQL over the silver ones.

    table      one row per                                        from
    queue      date, queue manager, queue, hour                   WQ (tasks that used it), QQST (the queue itself)
    task       date, queue manager, task                          WTID, WTAS, WQ of one correlator
    channel    date, queue manager, channel, connection           QCST
    interval   date, queue manager, statistics interval           QMST, QIST, QJST, QPST, QCCT, QCTDSP of that time
    route      date, channel, sending and receiving queue manager QCST of both ends
    across     date, hour                                         interval, of all queue managers together

Records in two dumps are counted once, from the dump with the first name. Sums are of integers and every choice of "the
last" has a full order, and rows are sorted by all their columns, so a table is the same whatever the cluster did (T3).
The driver writes the files of little data, and those are the same byte for byte. Spark writes the files of much data:
in their footers the names of encodings are in an order that changes from one Java to the next.

A sum that does not fit 64 bits, because a counter in some record is damaged, is null. The depth of a queue is of its
last record that is not partial. Hours and intervals are UTC; Date is the date of the SMF header, which is local.

Data_Manager_Gets and Data_Manager_Puts of an interval count requests to the data manager, which looks at messages for
its own purposes, too. How often applications did is Puts, Put1s and Gets.
"""

from __future__ import annotations

import itertools
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flintmq.pipeline.tables.catalogue import has_rows, is_small, none_of, once, register, silver, written
from flintmq.pipeline.tables.load import write_parquet
from flintmq.pipeline.tables.place import GOLD, partition, state

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The order of rows in time, complete.
_LAST = "struct(Record_Time, File, Offset, Entry)"

#: The hour that a record tells about: it is written when its interval is over.
_HOUR = "date_trunc('hour', Record_Time - interval 1 second)"

QUEUE = f"""
with tasks as (
  select Date, QMgr, Base_Name as Queue, {_HOUR} as Hour,
         count(distinct Correlation) as Tasks, try_sum(Open_Count) as Opens,
         try_sum(Put_Count + Put1_Count) as Task_Puts, try_sum(Get_Count) as Task_Gets,
         try_sum(Total_Valid_Puts) as Messages_Put, try_sum(Total_Valid_Gets) as Messages_Got,
         try_sum(Get_No_Message) as Gets_Without_Message,
         try_sum(Total_Bytes_Put) as Bytes_Put, try_sum(Total_Bytes_Get) as Bytes_Got,
         try_sum(Queue_ET_US) as Elapsed_US, try_sum(Queue_CT_US) as CPU_US,
         try_sum(Total_Time_On_Queue_US) as Time_On_Queue_US, max(Max_Time_On_Queue_US) as Time_On_Queue_Max_US,
         max(Max_Depth) as Depth_Seen_Max
  from once_wq group by Date, QMgr, Base_Name, {_HOUR}
), statistics as (
  select Date, QMgr, Queue, {_HOUR} as Hour,
         count(*) as Intervals, try_sum(try_add(Put, Put1)) as Puts, try_sum(Get) as Gets, try_sum(Browse) as Browses,
         try_sum(try_add(Put_Bytes, Put1_Bytes)) as Put_Bytes, try_sum(Get_Bytes) as Get_Bytes,
         try_sum(Expired) as Expired, try_sum(Streamed) as Streamed,
         max(Queue_Depth_High_Water) as Depth_Max, min(Queue_Depth_Low_Water) as Depth_Min,
         max_by(Current_Depth, {_LAST}) filter (where Record = 'FULL') as Depth, max(Max_Age) as Age_Max_S
  from once_qqst group by Date, QMgr, Queue, {_HOUR}
)
select *, Elapsed_US / nullif(Task_Puts + Task_Gets, 0) as Elapsed_Avg_US,
       CPU_US / nullif(Task_Puts + Task_Gets, 0) as CPU_Avg_US,
       Bytes_Put / nullif(Messages_Put, 0) as Put_Size_Avg,
       Time_On_Queue_US / nullif(Messages_Got, 0) as Time_On_Queue_Avg_US
from tasks full outer join statistics using (Date, QMgr, Queue, Hour)
"""

TASK = f"""
with who as (
  select Date, QMgr, WTAS_Correlator as Task, max_by(Appl_Type, {_LAST}) as Appl_Type,
         max_by(Connection_Name, {_LAST}) as Connection_Name, max_by(Operator_ID, {_LAST}) as Operator_ID,
         max_by(Channel_Name, {_LAST}) as Channel_Name,
         max_by(Channel_Connection_Name, {_LAST}) as Channel_Connection_Name
  from once_wtid group by Date, QMgr, WTAS_Correlator
), did as (
  select Date, QMgr, Correl as Task, min(Start_Time) as Start_Time, max(WTAS_Interval_End) as Last_Seen,
         count(*) as Intervals, try_sum(Commit_Count) as Commits, try_sum(Commit_ET_US) as Commit_ET_US,
         try_sum(Backout_Count) as Backouts, try_sum(Journal_Write_Count) as Log_Writes,
         try_sum(Journal_Write_Bytes) as Log_Bytes, try_sum(Journal_Forced_Write_Count) as Log_Forces,
         try_sum(Task_Suspend_Time_US) as Suspended_US, try_sum(Other_MQI_Count) as Other_Calls,
         try_sum(Get_Pages_Old) as Pages_Old, try_sum(Get_Pages_New) as Pages_New,
         try_sum(Other_MQI_CT_US + Commit_CT_US + Backout_CT_US + coalesce(Subscribe_CT_US, 0)
             + coalesce(SubReq_CT_US, 0) + coalesce(MQCTL_CT_US, 0) + coalesce(MQSTAT_CT_US, 0)
             + coalesce(Prepare_CT_US, 0) + coalesce(Topic_CT_US, 0)) as Calls_CPU_US
  from once_wtas group by Date, QMgr, Correl
), queues as (
  select Date, QMgr, Correlation as Task, count(distinct Base_Name) as Queues,
         try_sum(Put_Count + Put1_Count) as Puts, try_sum(Get_Count) as Gets, try_sum(Total_Valid_Gets) as Messages_Got,
         try_sum(Total_Bytes_Put) as Bytes_Put, try_sum(Total_Bytes_Get) as Bytes_Got,
         try_sum(Queue_ET_US) as Queue_ET_US, try_sum(Queue_CT_US) as Queue_CT_US
  from once_wq group by Date, QMgr, Correlation
)
select *, coalesce(Calls_CPU_US, 0) + coalesce(Queue_CT_US, 0) as CPU_US
from who full outer join did using (Date, QMgr, Task) full outer join queues using (Date, QMgr, Task)
"""

CHANNEL = """
select Date, QMgr, Chl_Name as Channel, Type, Connection_Name, Remote_QMgr_Or_App as Partner,
       count(*) as Intervals, try_sum(Msg_All_Count) as Messages, try_sum(Msg_Persistent_Count) as Persistent_Messages,
       try_sum(Number_Bytes) as Message_Bytes, try_sum(Bytes_Sent) as Bytes_Sent,
       try_sum(Bytes_Received) as Bytes_Received,
       try_sum(Batches) as Batches, try_sum(Full_Batches) as Full_Batches,
       try_sum(Msg_All_Count) / nullif(try_sum(Batches), 0) as Batch_Fill,
       try_sum(Put_Retry_Count) as Put_Retries, try_sum(XmitQ_Empty_Count) as XmitQ_Empty,
       max(Net_Time_Max) as Net_Time_Max_US, max(Exit_Time_Max) as Exit_Time_Max_US,
       max(Current_Shared_Convs) as Conversations_Max, min(Start) as First_Start, max(Last_Msg) as Last_Message
from once_qcst group by Date, QMgr, Chl_Name, Type, Connection_Name, Remote_QMgr_Or_App
"""

#: One row of an interval, should two dumps hold it.
_ONCE = "row_number() over (partition by QMgr, LPAR, Interval_Start order by File, Offset, Entry)"

INTERVAL = f"""
with messages as (
  select * from (select *, {_ONCE} as Copy from silver_qmst where Interval_Start is not null) where Copy = 1
), logs as (
  select * from (select *, {_ONCE} as Copy from silver_qjst where Interval_Start is not null) where Copy = 1
), pool_rows as (
  select *, row_number() over (partition by QMgr, LPAR, Interval_Start, BufferPool order by File, Offset, Entry) as Copy
  from silver_qpst where Interval_Start is not null
), pools as (
  select Date, QMgr, Interval_Start, count(*) as Buffer_Pools, max(Used_Max) as Buffers_Used_Max,
         try_sum(DASD_Read) as Pages_Read, try_sum(Pages_Written) as Pages_Written, try_sum(Sync_Writes) as Sync_Writes,
         try_sum(Suspend_No_Buffers) as Short_On_Buffers
  from pool_rows where Copy = 1 group by Date, QMgr, Interval_Start
), initiator as (
  select Date, QMgr, Interval_Start as Initiator_Start, max(Current_Chl_High_Water) as Channels_Max,
         max(Active_Chl_High_Water) as Channels_Active_Max
  from silver_qcct where Interval_Start is not null group by Date, QMgr, Interval_Start
), dispatchers as (
  select QMgr, Interval_Start as Initiator_Start, max(Busy) as Dispatcher_Busy_Max
  from silver_qctdsp where Interval_Start is not null group by QMgr, Interval_Start
), channels as (
  select * from initiator left join dispatchers using (QMgr, Initiator_Start)
), base as (
  select m.Date, m.QMgr, m.LPAR, m.Interval_Start, m.Interval_Duration_US, m.MQ_Version,
         m.Open as Opens, m.Close as Closes, m.Put as Puts, m.Put1 as Put1s, m.Get as Gets, m.Inq as Inquires,
         m.Pubs as Publications, m.PersPuts as Persistent_Puts, m.NonPersPuts as Nonpersistent_Puts,
         try_add(m.PersPutBytes, m.NonPersPutBytes) as Put_Bytes,
         i.Msg_Get as Data_Manager_Gets, i.Msg_Put as Data_Manager_Puts, i.Gets_From_Disk,
         j.Log_Writes, j.Log_CI as Log_Pages, j.Log_MB_Per_Second_1 as Log_MB_Per_Second, j.Logger_Task_Busy,
         j.Logger_IO_Busy_1 as Logger_IO_Busy, j.Checkpoints
  from messages m
  left join silver_qist i on i.QMgr <=> m.QMgr and i.File = m.File and i.Offset = m.Offset
  left join logs j on j.QMgr <=> m.QMgr and j.Interval_Start = m.Interval_Start and j.LPAR <=> m.LPAR
)
select base.*, try_add(base.Puts, base.Put1s) / nullif(base.Interval_Duration_US / 1e6, 0) as Puts_Per_Second,
       base.Gets / nullif(base.Interval_Duration_US / 1e6, 0) as Gets_Per_Second,
       pools.Buffer_Pools, pools.Buffers_Used_Max, pools.Pages_Read, pools.Pages_Written, pools.Sync_Writes,
       pools.Short_On_Buffers, channels.Channels_Max, channels.Channels_Active_Max, channels.Dispatcher_Busy_Max
from base
left join pools on pools.QMgr <=> base.QMgr and pools.Date = base.Date and pools.Interval_Start = base.Interval_Start
left join channels on channels.QMgr <=> base.QMgr and channels.Date = base.Date
  and abs(unix_micros(channels.Initiator_Start) - unix_micros(base.Interval_Start)) < 1000000
"""

ROUTE = """
with ends as (
  select Date, QMgr, Channel, Type, Partner, try_sum(Messages) as Messages, try_sum(Message_Bytes) as Bytes,
         max(Net_Time_Max_US) as Net_Time_Max_US
  from gold_channel group by Date, QMgr, Channel, Type, Partner
)
select coalesce(s.Date, r.Date) as Date, coalesce(s.Channel, r.Channel) as Channel,
       coalesce(s.QMgr, r.Partner) as Sender, coalesce(r.QMgr, s.Partner) as Receiver,
       s.Messages as Messages_Sent, r.Messages as Messages_Received, s.Bytes as Bytes_Sent, r.Bytes as Bytes_Received,
       s.Net_Time_Max_US
from (select * from ends where Type in ('Sender', 'Server', 'ClusSdr')) s
full outer join (select * from ends where Type in ('Receiver', 'Requester', 'ClusRcvr')) r
  on s.Date = r.Date and s.Channel = r.Channel and s.Partner = r.QMgr and r.Partner = s.QMgr
"""

ACROSS = """
select Date, date_trunc('hour', Interval_Start) as Hour, count(distinct QMgr) as QMgrs, count(*) as Intervals,
       try_sum(try_add(Puts, Put1s)) as Puts, try_sum(Gets) as Gets, try_sum(Put_Bytes) as Put_Bytes,
       try_sum(Log_Pages) as Log_Pages,
       max_by(QMgr, struct(try_add(Puts, Put1s), QMgr)) as Busiest_QMgr, max(Puts_Per_Second) as Puts_Per_Second_Max,
       max(Logger_Task_Busy) as Logger_Task_Busy_Max, max(Buffers_Used_Max) as Buffers_Used_Max
from gold_interval group by Date, date_trunc('hour', Interval_Start)
"""

#: Structures with rows that are added up.
_ONCE_EACH = ("WQ", "QQST", "WTID", "WTAS", "QCST")

#: In this order: a table may use those before it.
TABLES = {"queue": QUEUE, "task": TASK, "channel": CHANNEL, "interval": INTERVAL, "route": ROUTE, "across": ACROSS}


def _register_sources(spark: SparkSession, out: Path) -> None:
    """Register the tables that the queries read as views."""
    register(spark, out, " ".join(word for query in TABLES.values() for word in query.split() if "silver" in word))
    for name in _ONCE_EACH:
        once(silver(spark, out, name), out, name).createOrReplaceTempView(f"once_{name.lower()}")


def make_gold(spark: SparkSession, out: Path) -> None:
    """Make every gold table anew, beside the old one, and then put it in its place."""
    small = (spark.sparkContext.master or "").startswith("local") and is_small(out)
    _register_sources(spark, out)
    for name, query in TABLES.items():
        fresh, place = state(out) / "gold" / name, out / GOLD / name
        shutil.rmtree(fresh, ignore_errors=True)
        made = spark.sql(query)
        keys = ["Date", "QMgr"] if "QMgr" in made.columns else ["Date"]
        rest = [name for name in made.columns if name not in keys]
        ordered = made.coalesce(1).sortWithinPartitions(*keys, *rest)
        if small:
            _write_here(ordered.toArrow(), keys, fresh)
        else:
            ordered.write.partitionBy(*keys).parquet(str(fresh))
            _rename_files(fresh)
        shutil.rmtree(place, ignore_errors=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        fresh.rename(place)
        spark.read.schema(made.schema).parquet(str(place)).createOrReplaceTempView(f"gold_{name}")


#: The part that Spark puts into the names of the files of one write.
_WRITE_ID = re.compile(r"-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def _write_here(table: Any, keys: list[str], place: Path) -> None:
    """Write little data in the driver: a file per partition, as Spark has them, without a job of Spark's for it."""
    place.mkdir(parents=True)
    columns = [table.column(name).to_pylist() for name in keys]
    starts = [row for row in range(table.num_rows) if not row or any(each[row] != each[row - 1] for each in columns)]
    body = table.drop_columns(keys)
    for start, stop in itertools.pairwise([*starts, table.num_rows]):
        qmgr = columns[1][start] if len(keys) > 1 else None
        named = partition(str(columns[0][start]), qmgr)
        directory = place / (named if len(keys) > 1 else named.partition("/")[0])
        directory.mkdir(parents=True)
        write_parquet(body.slice(start, stop - start), directory / "part-00000.parquet")


def _rename_files(place: Path) -> None:
    """Take the identifier of the write out of the names of its files, so that names depend on the rows alone."""
    for file in list(place.rglob("*part-*")):
        file.rename(file.with_name(_WRITE_ID.sub("", file.name)))


#: A table by its short name. `queue` and `channel` are names of columns, too: those do not come right after FROM.
_FROM = r"\b(?:from|join)\s+(?:(?!\b(?:where|on|group|order|having|limit|union|select)\b)[^()])*?\b{name}\b"


def _names(query: str, name: str) -> bool:
    """Return whether a query names a gold table."""
    return any(re.search(each, query, re.IGNORECASE) for each in (rf"\b{GOLD}_{name}\b", _FROM.format(name=name)))


def register_empty(spark: SparkSession, out: Path, query: str) -> list[str]:
    """Register gold tables without rows that a query names as views; return for each why it is empty."""
    words = {word.lower() for word in re.findall(r"\w+", query)}
    missing = [name for name in TABLES if _names(query, name) and not has_rows(out / GOLD / name)]
    if not missing:
        return []
    _register_sources(spark, out)
    for name, made_by in TABLES.items():  # In this order: some are made from others.
        place = out / GOLD / name
        if has_rows(place):
            view = written(spark, place)
        else:
            view = none_of(spark, spark.sql(made_by).schema)
        for view_name in {f"{GOLD}_{name}", *(words & {name})}:
            view.createOrReplaceTempView(view_name)
    return [_why_empty(out, name) for name in missing]


def _why_empty(out: Path, name: str) -> str:
    if not (out / GOLD / name).is_dir():
        return f"{GOLD}_{name} is not made yet: flint pipeline run with the layer gold makes it"
    sources = sorted({each.upper() for each in re.findall(r"(?:silver|once|gold)_(\w+)", TABLES[name])})
    made_from = ", ".join(sources)
    return f"{GOLD}_{name} has no rows: the dumps that were loaded have nothing that it is made from ({made_from})"
