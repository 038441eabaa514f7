"""BROKER: message flows, nodes and threads; the cost of a message, and where the time goes (flow statistics, 117).

The tables are those of tables/statistics.py. Of one flow either its snapshots or its archive records are counted, never
both, because they cover the same messages: those with more messages, or those that `--set type` names. Statistics that
two sources hold (a message and an SMF record, say) are counted once.

    cost per message      the CPU time of the flow, or of a node, over the messages of the flow
    where the time goes   the elapsed time of the flow: CPU in its nodes; waits in its nodes (databases, puts, other
                          threads that have the processor); the rest, outside nodes that were counted
    busy                  elapsed time in messages, of the time that its threads had

A flow with statistics that have no nodes (node detail off) has no shares of nodes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from flintmq.pipeline.errors import BadOption
from flintmq.pipeline.reports.model import Chart, Column, Figure, Report, Series, Table
from flintmq.pipeline.reports.options import Options
from flintmq.pipeline.reports.records import cells, first, kept, many
from flintmq.pipeline.tables.catalogue import has_rows, none_of
from flintmq.pipeline.tables.place import STATISTICS
from flintmq.pipeline.tables.statistics import FLOW, KEYS, NODE, SCHEMAS, TERMINAL, THREAD

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TITLE = "BROKER: message flows"
SETTINGS = {
    "broker": "only this broker",
    "flow": "only flows whose name contains this",
    "type": "SnapShot or Archive; of each flow the one with more messages where it is not given",
}
TYPES = ("SnapShot", "Archive")
_IDENTITY = ["BrokerLabel", "ExecutionGroupName", "ApplicationName", "MessageFlowName"]
_INTERVAL = [*_IDENTITY, "RecordType", "AccountingOrigin", "Start", "End"]
#: The most bars of a chart.
_BARS = 20

_TOTALS = """
select BrokerLabel, ExecutionGroupName, ApplicationName, MessageFlowName, first(RecordType) as Of,
       count(distinct Start, End) as Intervals, try_sum(TotalInputMessages) as Messages,
       try_sum(TotalElapsedTime) as Elapsed, try_sum(TotalCPUTime) as CPU,
       try_sum(ElapsedTimeWaitingForInputMessage) as Waiting, try_sum(CPUTimeWaitingForInputMessage) as Waiting_CPU,
       try_sum(TotalSizeOfInputMessages) as Bytes, max(MaximumElapsedTime) as Longest, max(MaximumCPUTime) as Most_CPU,
       max(NumberOfThreadsInPool) as Threads, try_sum(TimesMaximumNumberOfThreadsReached) as Full,
       try_sum(TotalNumberOfMessagesWithErrors) as Errors, try_sum(TotalNumberOfMQErrors) as MQ_Errors,
       try_sum(TotalNumberOfCommits) as Commits, try_sum(TotalNumberOfBackouts) as Backouts
from {flows} group by all
"""
#: An interval with several accounting origins is one interval.
_SECONDS = """
select BrokerLabel, ExecutionGroupName, ApplicationName, MessageFlowName, sum(Seconds) as Seconds from (
  select distinct BrokerLabel, ExecutionGroupName, ApplicationName, MessageFlowName, Start, End,
         (unix_micros(End) - unix_micros(Start)) / 1e6 as Seconds from {flows}) group by all
"""
_FLOWS = """
select t.BrokerLabel, t.ExecutionGroupName, t.ApplicationName, t.MessageFlowName, Of, Intervals, Messages,
       try_divide(Messages, Seconds) as Rate, try_divide(CPU, Messages) as CPU_Each,
       try_divide(Elapsed, Messages) / 1e3 as Elapsed_Each, Longest / 1e3 as Longest,
       try_divide(Bytes, Messages) as Bytes_Each, Threads, 100 * try_divide(Elapsed, Seconds * 1e6 * Threads) as Busy,
       Full, Errors, MQ_Errors, Commits, Backouts, CPU, Elapsed, Waiting, Waiting_CPU
from {totals} t join {seconds} s on
  t.BrokerLabel <=> s.BrokerLabel and t.ExecutionGroupName <=> s.ExecutionGroupName
  and t.ApplicationName <=> s.ApplicationName and t.MessageFlowName <=> s.MessageFlowName
order by CPU desc nulls last, t.BrokerLabel, t.ExecutionGroupName, t.ApplicationName, t.MessageFlowName
"""
_FLOW_COLUMNS = [
    Column("Broker"),
    Column("Execution group"),
    Column("Application"),
    Column("Flow"),
    Column("Records"),
    Column("Intervals", 0),
    Column("Messages", 0),
    Column("Messages", 1, "/s"),
    Column("CPU a message", 1, "us"),
    Column("Elapsed a message", 3, "ms"),
    Column("Longest", 3, "ms"),
    Column("Bytes a message", 0),
    Column("Threads", 0),
    Column("Busy", 1, "%"),
    Column("All threads busy", 0, "times"),
    Column("Messages with errors", 0),
    Column("MQ errors", 0),
    Column("Commits", 0),
    Column("Backouts", 0),
]
_NODES = """
select n.MessageFlowName as Flow, n.Label, first(n.Type) as Type, try_sum(n.CountOfInvocations) as Invocations,
       try_divide(try_sum(n.CountOfInvocations), first(t.Messages)) as Per_Message,
       try_divide(try_sum(n.TotalCPUTime), try_sum(n.CountOfInvocations)) as CPU_Each,
       try_divide(try_sum(n.TotalElapsedTime), try_sum(n.CountOfInvocations)) as Elapsed_Each,
       max(n.MaximumElapsedTime) as Longest, try_divide(try_sum(n.TotalCPUTime), first(t.Messages)) as CPU_Message,
       100 * try_divide(try_sum(n.TotalCPUTime), first(t.CPU)) as CPU_Share,
       100 * try_divide(try_sum(n.TotalElapsedTime), first(t.Elapsed)) as Share,
       try_sum(n.TotalCPUTime) as CPU, try_sum(n.TotalElapsedTime) as Elapsed,
       n.BrokerLabel, n.ExecutionGroupName, n.ApplicationName
from {nodes} n join {totals} t on
  n.BrokerLabel <=> t.BrokerLabel and n.ExecutionGroupName <=> t.ExecutionGroupName
  and n.ApplicationName <=> t.ApplicationName and n.MessageFlowName <=> t.MessageFlowName
group by n.BrokerLabel, n.ExecutionGroupName, n.ApplicationName, n.MessageFlowName, n.Label
order by CPU desc nulls last, Flow, n.Label
"""
_NODE_COLUMNS = [
    Column("Flow"),
    Column("Node"),
    Column("Type"),
    Column("Invocations", 0),
    Column("A message", 2),
    Column("CPU an invocation", 1, "us"),
    Column("Elapsed an invocation", 1, "us"),
    Column("Longest", 0, "us"),
    Column("CPU a message", 1, "us"),
    Column("Of the flow's CPU", 1, "%"),
    Column("Of the flow's time", 1, "%"),
]
_THREADS = """
select MessageFlowName as Flow, Number, try_sum(TotalNumberOfInputMessages) as Messages,
       100 * try_divide(try_sum(TotalNumberOfInputMessages), sum(try_sum(TotalNumberOfInputMessages)) over (
         partition by BrokerLabel, ExecutionGroupName, ApplicationName, MessageFlowName)) as Share,
       try_divide(try_sum(TotalCPUTime), try_sum(TotalNumberOfInputMessages)) as CPU_Each,
       try_divide(try_sum(TotalElapsedTime), try_sum(TotalNumberOfInputMessages)) / 1e3 as Elapsed_Each,
       try_sum(ElapsedTimeWaitingForInputMessage) / 1e6 as Waiting, max(MaximumSizeOfInputMessages) as Largest
from {threads} group by BrokerLabel, ExecutionGroupName, ApplicationName, MessageFlowName, Number
order by Messages desc nulls last, Flow, Number
"""
_THREAD_COLUMNS = [
    Column("Flow"),
    Column("Thread", 0),
    Column("Messages", 0),
    Column("Of the flow's", 1, "%"),
    Column("CPU a message", 1, "us"),
    Column("Elapsed a message", 3, "ms"),
    Column("Waiting for input", 1, "s"),
    Column("Largest message", 0, "bytes"),
]
_TERMINALS = """
select MessageFlowName as Flow, Node, Label, first(Type) as Type, try_sum(CountOfInvocations) as Invocations
from {terminals} group by BrokerLabel, ExecutionGroupName, ApplicationName, MessageFlowName, Node, Label, Type
having Invocations > 0 order by Invocations desc, Flow, Node, Label
"""
_TERMINAL_COLUMNS = [Column("Flow"), Column("Node"), Column("Terminal"), Column("Type"), Column("Invocations", 0)]
_TIME_COLUMNS = [
    Column("Flow"),
    Column("Elapsed", 3, "s"),
    Column("CPU in nodes", 1, "%"),
    Column("Waits in nodes", 1, "%"),
    Column("Outside nodes", 1, "%"),
    Column("Most of it in"),
    Column("Waiting for input", 1, "s"),
    Column("CPU of the waits", 3, "s"),
]
_RATES = """
select date_format(Start, 'yyyy-MM-dd HH:mm:ss') as Moment, MessageFlowName as Flow,
       try_divide(try_sum(TotalInputMessages), max(unix_micros(End) - unix_micros(Start)) / 1e6) as Rate
from {flows} where Start is not null group by Start, MessageFlowName order by Start, Flow
"""


def make(spark: SparkSession, tables: Path, options: Options) -> Report:
    """Make the report from the tables of flow statistics."""
    if options.text("type") and options.text("type") not in TYPES:
        raise BadOption(f"--set type={options.text('type')}: it is {' or '.join(TYPES)}")
    with kept(_flows(spark, tables, options)) as flows:
        totals = spark.sql(_TOTALS, flows=flows)
        with kept(totals):
            return _report(spark, tables, options, flows, totals)


def _report(spark: SparkSession, tables: Path, options: Options, flows: DataFrame, totals: DataFrame) -> Report:
    seconds = spark.sql(_SECONDS, flows=flows)
    every = spark.sql(_FLOWS, totals=totals, seconds=seconds).collect()
    if not every:
        text = f"There are no statistics of message flows{options.words()} in the tables."
        remedy = (
            "A broker writes them after `mqsichangeflowstats ... -c active`; "
            "`flint pipeline statistics --from DIR` loads them."
        )
        return Report("broker", TITLE, [text, remedy], silent=True)
    found, left = every[: options.rows], max(len(every) - options.rows, 0)
    width = len(_FLOW_COLUMNS)
    whole = Table("Flows, the costliest first", _FLOW_COLUMNS, [cells(row[:width]) for row in found], left)
    parts = {name: _of_flows(spark, tables, name, flows, options) for name in (NODE, THREAD, TERMINAL)}
    nodes, left = first(spark.sql(_NODES, nodes=parts[NODE], totals=totals), max(options.rows, 1000))
    width = len(_NODE_COLUMNS)
    by_node = Table("Nodes, the costliest first", _NODE_COLUMNS)
    by_node.rows = [cells(row[:width]) for row in nodes[: options.rows]]
    by_node.left_out = left + max(len(nodes) - options.rows, 0)
    times = Table("Where the time goes", _TIME_COLUMNS, [_time(row, nodes) for row in found], whole.left_out)
    threads, left = first(spark.sql(_THREADS, threads=parts[THREAD]), options.rows)
    by_thread = Table("Threads", _THREAD_COLUMNS, [cells(row) for row in threads], left)
    terminals, left = first(spark.sql(_TERMINALS, terminals=parts[TERMINAL]), options.rows)
    by_terminal = Table("Terminals that were used", _TERMINAL_COLUMNS, [cells(row) for row in terminals], left)
    words, figures = _words(every, nodes)
    charts = [_costs(nodes), _over_time(spark.sql(_RATES, flows=flows).collect(), found)]
    shown = [table for table in (whole, times, by_node, by_thread, by_terminal) if table.rows]
    return Report("broker", TITLE, words, shown, [chart for chart in charts if chart.x], figures)


def _rows(spark: SparkSession, tables: Path, name: str, options: Options) -> DataFrame:
    """Return the rows of a table that the options choose, each once."""
    from pyspark.sql import functions as f
    from pyspark.sql.pandas.types import from_arrow_schema

    path, schema = tables / STATISTICS / name, from_arrow_schema(SCHEMAS[name])
    rows = spark.read.schema(schema).parquet(str(path)) if has_rows(path) else none_of(spark, schema)
    if options.text("broker"):
        rows = rows.where(f.col("BrokerLabel") == options.text("broker"))
    if options.text("flow"):
        rows = rows.where(f.col("MessageFlowName").contains(options.text("flow")))
    if options.text("type"):
        rows = rows.where(f.col("RecordType") == options.text("type"))
    if options.start:
        rows = rows.where(f.col("Start") >= options.start)
    if options.until:
        rows = rows.where(f.col("Start") < options.until)
    return rows.dropDuplicates([*_INTERVAL, *KEYS[name]])


def _flows(spark: SparkSession, tables: Path, options: Options) -> DataFrame:
    """Return the rows of flows, of each flow one type of record."""
    rows = _rows(spark, tables, FLOW, options)
    same = ", ".join(_IDENTITY)
    ranked = spark.sql(
        f"select *, sum(TotalInputMessages) over (partition by {same}, RecordType) as _Sum from {{rows}}", rows=rows
    )
    best = f"max(struct(_Sum, RecordType = 'Archive', RecordType)) over (partition by {same})"
    chosen = spark.sql(f"select *, {best} as _Best from {{ranked}}", ranked=ranked)
    return chosen.where("_Best.RecordType <=> RecordType").drop("_Sum", "_Best")


def _of_flows(spark: SparkSession, tables: Path, name: str, flows: DataFrame, options: Options) -> DataFrame:
    """Return the rows of threads, nodes or terminals of these flows' records."""
    rows = _rows(spark, tables, name, options)
    same = " and ".join(f"r.{column} <=> f.{column}" for column in [*_IDENTITY, "RecordType"])
    return spark.sql(
        f"select r.* from {{rows}} r left semi join (select distinct {', '.join([*_IDENTITY, 'RecordType'])} "
        f"from {{flows}}) f on {same}",
        rows=rows,
        flows=flows,
    )


def _name(row: Any) -> tuple[Any, ...]:
    return row.BrokerLabel, row.ExecutionGroupName, row.ApplicationName


def _time(flow: Any, nodes: list[Any]) -> tuple[Any, ...]:
    mine = [node for node in nodes if node.Flow == flow.MessageFlowName and _name(node) == _name(flow)]
    elapsed = flow.Elapsed or 0
    waiting = None if flow.Waiting is None else flow.Waiting / 1e6
    waiting_cpu = None if flow.Waiting_CPU is None else flow.Waiting_CPU / 1e6
    if not mine or not elapsed:
        return flow.MessageFlowName, elapsed / 1e6, None, None, None, None, waiting, waiting_cpu
    inside, cpu = sum(node.Elapsed or 0 for node in mine), sum(node.CPU or 0 for node in mine)
    cpu = min(cpu, inside)
    most = max(mine, key=lambda node: node.Elapsed or 0)
    shares = [100 * part / elapsed for part in (cpu, inside - cpu, max(elapsed - inside, 0))]
    label = f"{most.Label} ({100 * (most.Elapsed or 0) / elapsed:.0f} %)"
    return flow.MessageFlowName, elapsed / 1e6, *shares, label, waiting, waiting_cpu


def _words(flows: list[Any], nodes: list[Any]) -> tuple[list[str], list[Figure]]:
    messages = sum(row.Messages or 0 for row in flows)
    cpu = sum(row.CPU or 0 for row in flows)
    made = [f"{many(len(flows), 'flow')} handled {many(messages, 'message')} with {cpu / 1e6:,.3f} s of CPU time."]
    figures = [Figure("messages", f"{messages:,}")]
    if messages:
        made.append(f"A message cost {cpu / messages:,.1f} us of CPU time on average.")
        figures.append(Figure("CPU a message", f"{cpu / messages:,.0f}", "us"))
    costliest = max((node for node in nodes if node.CPU_Share is not None), key=lambda node: node.CPU, default=None)
    if costliest is not None:
        made.append(
            f"The costliest node is {costliest.Label} of {costliest.Flow}: {costliest.CPU_Share:.1f} % of the CPU time "
            f"of its flow, {costliest.CPU_Each or 0:,.1f} us an invocation."
        )
        figures.append(Figure(f"CPU of {costliest.Flow} in {costliest.Label}", f"{costliest.CPU_Share:.0f}", "%"))
    full = [row.MessageFlowName for row in flows if row.Full]
    if full:
        made.append(f"All threads were busy at times: {', '.join(full[:5])}. More instances may raise the rate.")
    failed = [row for row in flows if row.Errors or row.Backouts]
    if failed:
        backouts, errors = sum(row.Backouts or 0 for row in failed), sum(row.Errors or 0 for row in failed)
        made.append(f"{many(errors, 'message')} had errors, and there were {many(backouts, 'backout')}.")
    return made, figures


def _costs(nodes: list[Any]) -> Chart:
    shown = [node for node in nodes if node.CPU_Message is not None][:_BARS]
    series = Series("CPU", [float(node.CPU_Message) for node in shown])
    return Chart("CPU time of nodes", "bar", [f"{node.Flow} {node.Label}" for node in shown], [series], "us a message")


def _over_time(rows: list[Any], flows: list[Any]) -> Chart:
    places = sorted({row.Moment for row in rows})
    names = list(dict.fromkeys(flow.MessageFlowName for flow in flows))[:6]
    rates = {(row.Moment, row.Flow): row.Rate for row in rows}
    series = [
        Series(name, [None if (rate := rates.get((place, name))) is None else float(rate) for place in places])
        for name in names
    ]
    return Chart("Messages over time, UTC", "line", places, series, "messages/s")
