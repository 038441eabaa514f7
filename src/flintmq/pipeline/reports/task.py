"""TASK: the calls of each task to each queue, and their cost (116-1 and 116-2, accounting class 3).

A task that ran over several accounting intervals has a record for each; they are added up over the time that was asked
for. An average is cut to whole microseconds in the listing, as the supplied formatter does it: ten puts of 109.5
microseconds in all show 10. The tables have it exact.

    VTS1 Batch Jobname: PUTTER  Userid: USER1
    Pages old                                32
    Pages new                                11
    LQ1000  Open name                        LQ1000
    LQ1000  Put count                        10
    LQ1000  Put avg elapsed time             11 uS
    ...

With `--set compare=yes` the first few stand side by side in columns, which shows the cost of a change: the same program
with and without a stream queue, say. A put to a stream queue is not counted, but its time and its pages are in the
figures of the put that caused it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from flintmq.pipeline.errors import BadOption
from flintmq.pipeline.reports.model import Cell, Chart, Column, Figure, Report, Series, Table
from flintmq.pipeline.reports.options import Options
from flintmq.pipeline.reports.records import cells, chosen, first, kept, many, nothing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TITLE = "TASK: what tasks did, queue by queue"
_WHAT = "accounting records of tasks (116-1)"
_REMEDY = "They are written while START TRACE(ACCTG) CLASS(3) is in force, for queues with ACCTQ(ON)."
SETTINGS = {
    "job": "only tasks of this job or connection name",
    "user": "only tasks of this user",
    "queue": "only tasks that used this queue, and only their use of it",
    "order": "cpu: the dearest first, with the queues that cost most first; time is the default of compare",
    "compare": "yes: the first few uses of a queue side by side",
}
#: Queues per task, on average, that are listed.
QUEUES = 10
#: Tasks of the chart.
DEAREST = 15
#: Columns side by side.
COMPARED = 6

_CALLS = {
    "Open": "Open",
    "Close": "Close",
    "Get": "Get",
    "Put": "Put",
    "Put1": "Put1",
    "Inq": "Inq",
    "Set": "Set",
    "CallBack": "Callback",
}
_CF = ("New", "Write", "MoveEntry")
_CF_CALLS = ("Open", "Close", "Get", "Put", "Put1")
_LAST = "struct(Record_Time, File, Offset, Entry)"
_MOMENT = "'yyyy/MM/dd,HH:mm:ss.SSSSSS'"

_WHO = f"""
select QMgr, WTAS_Correlator as Task, max_by(Appl_Type, {_LAST}) as Appl_Type,
       max_by(Connection_Name, {_LAST}) as Job, max_by(Operator_ID, {_LAST}) as User,
       max_by(Channel_Name, {_LAST}) as Channel, max_by(Channel_Connection_Name, {_LAST}) as Address,
       min(Record_Time) as Seen
from {{wtid}} group by QMgr, WTAS_Correlator
"""

_DID = """
select QMgr, Correl as Task, min(Start_Time) as Started, count(*) as Intervals,
       try_sum(Commit_Count) as Commits, try_sum(Commit_ET_US) as Commit_ET, try_sum(Commit_CT_US) as Commit_CT,
       try_sum(CFCount_Cmit_New) as Commit_New, try_sum(CFCount_Cmit_Write) as Commit_Write,
       try_sum(CFCount_Cmit_MoveEntry) as Commit_MoveEntry,
       try_sum(Backout_Count) as Backouts, try_sum(Journal_Write_Count) as Log_Writes,
       try_sum(Journal_Write_Bytes) as Log_Bytes, try_sum(Journal_Forced_Write_Count) as Log_Forces,
       try_sum(Get_Pages_Old) as Pages_Old, try_sum(Get_Pages_New) as Pages_New,
       try_sum(Other_MQI_CT_US + Commit_CT_US + Backout_CT_US + coalesce(Subscribe_CT_US, 0) + coalesce(SubReq_CT_US, 0)
           + coalesce(MQCTL_CT_US, 0) + coalesce(MQSTAT_CT_US, 0) + coalesce(Prepare_CT_US, 0)
           + coalesce(Topic_CT_US, 0)) as Calls_CT
from {wtas} group by QMgr, Correl
"""

_USED = f"""
select QMgr, Correlation as Task, Open_Name, Base_Name,
       max_by(Queue, {_LAST}) as Queue_Type, max_by(Index, {_LAST}) as Indexed,
       date_format(min(Open), {_MOMENT}) as First_Opened, date_format(max(Close), {_MOMENT}) as Last_Closed,
       max(Pageset_ID) as Pageset, max(BufferPool_ID) as Pool, max(CF_Structure) as Structure,
       max_by(Use_Count, {_LAST}) as Current_Opens, try_sum(Total_Use) as Requests,
       {", ".join(f"try_sum({c}_Count) as {c}_N" for c in _CALLS)},
       {", ".join(f"try_sum({c}_{kind}_US) as {c}_{kind}" for c in _CALLS for kind in ("ET", "CT"))},
       {", ".join(f"try_sum(CFCount_{c}_{kind}) as {c}_{kind}" for c in _CF_CALLS for kind in _CF)},
       try_sum(Total_Valid_Puts) as Valid_Puts, try_sum(Total_Bytes_Put) as Put_Bytes,
       max(Put_Max_Msg_Size) as Put_Max, min(Put_Min_Msg_Size) as Put_Min,
       try_sum(Total_Valid_Gets) as Valid_Gets, try_sum(Total_Bytes_Get) as Get_Bytes,
       max(Get_Max_Msg_Size) as Get_Max, min(Get_Min_Msg_Size) as Get_Min,
       try_sum(Total_Time_On_Queue_US) as Waited, max(Max_Time_On_Queue_US) as Waited_Max, max(Max_Depth) as Depth_Max,
       try_sum(Published_Count) as Published, try_sum(Streamed_Msgs) as Streamed,
       try_sum(coalesce(TopicOnSRB_Open_US, 0) + coalesce(TopicOnSRB_Put_US, 0) + coalesce(TopicOnSRB_Put1_US, 0)
           + coalesce(TopicOnSRB_Close_US, 0)) as Topic_SRB,
       try_sum(Queue_ET_US) as Queue_ET, try_sum(Queue_CT_US) as Queue_CT
from {{wq}} group by QMgr, Correlation, Open_Name, Base_Name
"""

_TASKS = """
select QMgr, Task, coalesce(if(Appl_Type = 'TSO' and Job is not null, 'Batch', Appl_Type), '') as Type, Job, User,
       Channel, Address, date_format(coalesce(Started, Seen), 'yyyy-MM-dd HH:mm:ss.SSSSSS') as Started,
       coalesce(Intervals, 0) as Intervals, Queues, Puts, Gets, Commits, Commit_ET, Commit_CT, Commit_New, Commit_Write,
       Commit_MoveEntry, Backouts, Log_Writes, Log_Bytes, Log_Forces, Pages_Old, Pages_New,
       coalesce(Calls_CT, 0) + coalesce(Queue_CT, 0) as CPU
from {who} left join {did} using (QMgr, Task)
left join (select QMgr, Task, count(*) as Queues, try_sum(Put_N + Put1_N) as Puts, try_sum(Get_N) as Gets,
           try_sum(Queue_CT) as Queue_CT from {used} group by QMgr, Task) using (QMgr, Task)
"""


def make(spark: SparkSession, tables: Path, options: Options) -> Report:
    compare = options.text("compare", "no")
    order = options.text("order", "time" if compare == "yes" else "cpu")
    if order not in ("time", "cpu"):
        raise BadOption(f"--set order={order}: an order is time or cpu")
    if compare not in ("yes", "no"):
        raise BadOption(f"--set compare={compare}: that is yes or no")
    tasks, used = _aggregated(spark, tables, options)
    with kept(used), kept(tasks):
        return _report(spark, tasks, used, options, order == "cpu", compare == "yes")


def _report(
    spark: SparkSession, tasks: DataFrame, used: DataFrame, options: Options, by_cost: bool, compare: bool
) -> Report:
    order = [_desc("CPU"), "QMgr", "Task"] if by_cost else ["Started", "QMgr", "Task"]
    found, left = first(tasks.orderBy(*order), options.rows)
    if not found:
        return nothing("task", TITLE, options, _WHAT + _of(options), _REMEDY)
    uses, uses_left = _uses(spark, found, used, options.rows * QUEUES, by_cost)
    words, figures = _words(tasks)
    title = "Tasks, the dearest first" if by_cost else "Tasks in the order of time"
    made = Report("task", TITLE, words, [_tasks_table(title, found, left)], figures=figures)
    if by_cost and found[0].CPU:
        dearest = [task for task in found if task.CPU][:DEAREST]
        names = [" ".join(filter(None, (task.QMgr, task.Job or task.Channel, task.User))) for task in dearest]
        made.charts.append(Chart("Dearest tasks", "bar", names, [Series("CPU", [task.CPU / 1e3 for task in dearest])]))
        made.charts[0].y_title = "CPU in MQI calls, ms"
    pairs = [(task, use) for task in found for use in uses.get((task.QMgr, task.Task), [])]
    if compare:
        made.tables.append(side_by_side(pairs[:COMPARED]))
    else:
        made.tables.append(_uses_table(found, uses, pairs, uses_left))
    return made


def _desc(column: str) -> Any:
    from pyspark.sql import functions

    return functions.desc(column)


def _of(options: Options) -> str:
    given = [f"{name} {options.settings[name]}" for name in ("job", "user", "queue") if options.text(name)]
    return f" with {' and '.join(given)}" if given else ""


def _aggregated(spark: SparkSession, tables: Path, options: Options) -> tuple[DataFrame, DataFrame]:
    """Return the tasks, and their use of queues: one row per task, and per task and queue."""
    wtid = chosen(spark, tables, "WTID", options)
    wtas = chosen(spark, tables, "WTAS", options)
    wq = chosen(spark, tables, "WQ", options)
    who, did, used = (spark.sql(_WHO, wtid=wtid), spark.sql(_DID, wtas=wtas), spark.sql(_USED, wq=wq))
    from pyspark.sql import functions as f

    queue = options.text("queue")
    if queue:
        used = used.where((f.col("Open_Name") == queue) | (f.col("Base_Name") == queue))
        who = who.join(used.select("QMgr", "Task").distinct(), ["QMgr", "Task"], "left_semi")
    for name, column in (("job", "Job"), ("user", "User")):
        if options.text(name):
            who = who.where(f.col(column) == options.text(name))
    return spark.sql(_TASKS, who=who, did=did, used=used), used


def _uses(
    spark: SparkSession, tasks: list[Any], used: DataFrame, rows_max: int, by_cost: bool
) -> tuple[dict[tuple[str, str], list[Any]], int]:
    """Return the use of queues by the shown tasks, by task."""
    from pyspark.sql import functions as f

    shown = spark.createDataFrame([(task.QMgr, task.Task) for task in tasks], "QMgr string, Task string")
    mine = used.join(f.broadcast(shown), ["QMgr", "Task"])
    cost = [f.desc("Queue_CT")] if by_cost else []
    rows, left = first(mine.orderBy("QMgr", "Task", *cost, "First_Opened", "Open_Name", "Base_Name"), rows_max)
    made: dict[tuple[str, str], list[Any]] = {}
    for row in rows:
        made.setdefault((row.QMgr, row.Task), []).append(row)
    return made, left


def _words(tasks: DataFrame) -> tuple[list[str], list[Figure]]:
    seen = tasks.selectExpr(
        "count(*) as Tasks",
        "count(distinct QMgr) as Managers",
        "try_sum(CPU) as CPU",
        "max_by(Job, struct(CPU, Task)) as Job",
    ).collect()[0]
    words = f"{many(seen.Tasks, 'task')} of {many(seen.Managers, 'queue manager')} used {seen.CPU or 0:,} us of CPU in "
    words += "MQI calls"
    figures = [Figure("tasks", f"{seen.Tasks:,}"), Figure("CPU in calls", f"{(seen.CPU or 0) / 1e6:,.3f}", "s")]
    if seen.Job and seen.CPU and seen.Tasks > 1:
        figures.append(Figure("the dearest", str(seen.Job)))
        return [f"{words}; the dearest was {seen.Job}."], figures
    return [f"{words}."], figures


_TASK_COLUMNS = [
    ("QMgr", Column("QMgr")),
    ("Type", Column("Type")),
    ("Job", Column("Jobname")),
    ("User", Column("Userid")),
    ("CPU", Column("CPU", 0, "us")),
    ("Channel", Column("Channel")),
    ("Address", Column("Connection")),
    ("Started", Column("Started", unit="UTC")),
    ("Intervals", Column("Intervals", 0)),
    ("Queues", Column("Queues", 0)),
    ("Puts", Column("Puts", 0)),
    ("Gets", Column("Gets", 0)),
    ("Commits", Column("Commits", 0)),
    ("Backouts", Column("Backouts", 0)),
    ("Log_Writes", Column("Log writes", 0)),
    ("Log_Bytes", Column("Logged", 0, "bytes")),
    ("Log_Forces", Column("Log forces", 0)),
    ("Pages_Old", Column("Pages old", 0)),
    ("Pages_New", Column("Pages new", 0)),
]


def _tasks_table(title: str, tasks: list[Any], left: int) -> Table:
    columns = [column for _, column in _TASK_COLUMNS]
    return Table(title, columns, [cells([task[name] for name, _ in _TASK_COLUMNS]) for task in tasks], left)


def _uses_table(
    tasks: list[Any], uses: dict[tuple[str, str], list[Any]], pairs: list[tuple[Any, Any]], left: int
) -> Table:
    calls = [name for call in _CALLS for name in (f"{call}_N", f"{call}_ET", f"{call}_CT")]
    head = [Column(name) for name in ("QMgr", "Jobname", "Userid", "Open name", "Base name", "Queue type", "Index")]
    head += [Column("Page set", 0), Column("Buffer pool", 0), Column("Total requests", 0)]
    for call in _CALLS.values():
        head += [Column(f"{call} count", 0), Column(f"{call} avg elapsed", 2, "us"), Column(f"{call} avg CPU", 2, "us")]
    head += [Column("Valid puts", 0), Column("Valid gets", 0), Column("Published", 0), Column("Streamed", 0)]
    head += [Column("Total elapsed", 0, "us"), Column("Total CPU", 0, "us")]
    rows: list[tuple[Cell, ...]] = []
    for task, use in pairs:
        averages: list[Cell] = []
        for count, elapsed, cpu in zip(calls[::3], calls[1::3], calls[2::3], strict=True):
            averages += [use[count], _exact(use[elapsed], use[count]), _exact(use[cpu], use[count])]
        place = [use.Pageset, use.Pool, use.Requests]
        who = [task.QMgr, task.Job, task.User, use.Open_Name, use.Base_Name, use.Queue_Type, use.Indexed]
        sums = [use.Valid_Puts, use.Valid_Gets, use.Published, use.Streamed, use.Queue_ET, use.Queue_CT]
        rows.append(cells([*who, *place, *averages, *sums]))
    listing = [line for task in tasks for line in _listing(task, uses.get((task.QMgr, task.Task), []))]
    return Table("Queues of the tasks", head, rows, left, listing)


def _exact(total: int | None, count: int | None) -> float | None:
    return total / count if total is not None and count else None


def _cut(total: int | None, count: int | None) -> int:
    """Return an average in whole units, cut off."""
    return (total or 0) // count if count else 0


def _listing(task: Any, uses: list[Any]) -> list[str]:
    who = f"{task.QMgr} {task.Type} Jobname: {task.Job or ''}  Userid: {task.User or ''}"
    channel = f"  Channel: {task.Channel} {task.Address or ''}".rstrip() if task.Channel else ""
    lines = [f"{who}{channel}", *(f"{label:<32} {_shown(value, unit)}" for label, value, unit in task_lines(task))]
    for use in uses:
        name = use.Open_Name or use.Base_Name or ""
        lines += [f"{name}  {label:<32} {_shown(value, unit)}".rstrip() for label, value, unit in use_lines(use)]
    return [*lines, ""]


def _shown(value: Cell, unit: str) -> str:
    return f"{'' if value is None else value}{' ' if unit else ''}{unit}"


def task_lines(task: Any) -> list[tuple[str, Cell, str]]:
    """Return the lines of a task: label, value, unit. Calls that it did not make are left out."""
    lines: list[tuple[str, Cell, str]] = []
    if task.Commits:
        lines += _call("Commit", task.Commits, task.Commit_ET, task.Commit_CT)
        lines += _structures("Commit", task)
    if task.Backouts:
        lines.append(("Backout count", task.Backouts, ""))
    if task.Log_Writes:
        lines += [("Log writes", task.Log_Writes, ""), ("Log bytes", task.Log_Bytes, "")]
        lines.append(("Log forces", task.Log_Forces, ""))
    return [*lines, ("Pages old", task.Pages_Old, ""), ("Pages new", task.Pages_New, "")]


def use_lines(use: Any) -> list[tuple[str, Cell, str]]:
    """Return the lines of a task's use of a queue."""
    kind = use.Queue_Type or ""
    lines: list[tuple[str, Cell, str]] = [
        ("Open name", use.Open_Name, ""),
        *([("Base name", use.Base_Name, "")] if use.Base_Name and use.Base_Name != use.Open_Name else []),
        ("Queue type:", kind if kind in ("", "Topic", "All") else f"Q{kind}", ""),
        ("Queue indexed by", (use.Indexed or "").upper(), ""),
        ("First opened", use.First_Opened, ""),
        ("Last closed", use.Last_Closed, ""),
    ]
    if use.Structure:
        lines.append(("CF structure", use.Structure, ""))
    lines += [("Page set ID", use.Pageset, ""), ("Buffer pool", use.Pool, "")]
    lines += [("Current opens", use.Current_Opens, ""), ("Total requests", use.Requests, "")]
    for call, label in _CALLS.items():
        if use[f"{call}_N"]:
            lines += _call(label, use[f"{call}_N"], use[f"{call}_ET"], use[f"{call}_CT"])
            lines += _structures(call, use) if call in _CF_CALLS else []
    lines += _messages(use)
    return [*lines, ("Total queue elapsed time", use.Queue_ET, "uS"), ("Total queue CPU used", use.Queue_CT, "uS")]


def _messages(use: Any) -> list[tuple[str, Cell, str]]:
    lines: list[tuple[str, Cell, str]] = []
    if use.Published:
        lines.append(("Published count", use.Published, ""))
        lines.append(("Subscribers per publish", round(use.Published / ((use.Put_N + use.Put1_N) or 1), 2), ""))
    if use.Topic_SRB:
        lines.append(("Topic SRB time", use.Topic_SRB, "uS"))
    if use.Streamed:
        lines.append(("Streamed messages", use.Streamed, ""))
    if use.Valid_Gets:
        lines += [("Get valid count", use.Valid_Gets, ""), *_sizes("Get", use.Get_Max, use.Get_Min)]
        lines.append(("Get size average", _cut(use.Get_Bytes, use.Valid_Gets), "bytes"))
        lines.append(("Time on queue average", _cut(use.Waited, use.Valid_Gets), "uS"))
        lines.append(("Time on queue maximum", use.Waited_Max, "uS"))
    if use.Valid_Puts:
        lines += [("Put + put1 valid count", use.Valid_Puts, ""), *_sizes("Put", use.Put_Max, use.Put_Min)]
        lines.append(("Put size average", _cut(use.Put_Bytes, use.Valid_Puts), "bytes"))
    return lines


def _call(label: str, count: int, elapsed: int, cpu: int) -> list[tuple[str, Cell, str]]:
    return [
        (f"{label} count", count, ""),
        (f"{label} avg elapsed time", _cut(elapsed, count), "uS"),
        (f"{label} avg CPU time", _cut(cpu, count), "uS"),
    ]


def _structures(call: str, row: Any) -> list[tuple[str, Cell, str]]:
    """Return the requests to the coupling facility of a call on a shared queue."""
    counts = {kind: row[f"{call}_{kind}"] for kind in _CF}
    return [(f"{call} CF {kind}", count, "") for kind, count in counts.items() if count]


def _sizes(label: str, most: int | None, least: int | None) -> list[tuple[str, Cell, str]]:
    return [(f"{label} size maximum", most, "bytes"), (f"{label} size minimum", least, "bytes")]


def side_by_side(pairs: list[tuple[Any, Any]]) -> Table:
    """Return one column per task and queue, one row per line of the listing; a missing line is an empty cell."""
    columns = [Column("")]
    values: list[dict[str, Cell]] = []
    units: dict[str, str] = {}
    for task, use in pairs:
        columns.append(Column(f"{task.Job or task.Channel or task.Task} {use.Open_Name}", 0))
        lines = [*task_lines(task), *use_lines(use)]
        values.append({label: value for label, value, _ in lines})
        units |= {label: unit for label, _, unit in lines if label not in units}
    order = _merged([list(each) for each in values])
    columns.append(Column("Unit"))
    return Table(
        "Side by side", columns, [(label, *(each.get(label) for each in values), units[label]) for label in order]
    )


def _merged(orders: list[list[str]]) -> list[str]:
    """Return all labels, each after those that stand before it in every list."""
    made: list[str] = []
    for labels in orders:
        at = 0
        for label in labels:
            if label in made:
                at = made.index(label) + 1
            else:
                made.insert(at, label)
                at += 1
    return made
