"""BURSTS: how the messages of a minute were spread, and the bound that a count of a minute proves (B24).

A one-minute count hides bursts. Any source that says when, within the minute, messages came shows them:

    source     content                                                                   needs
    interval   puts of each statistics interval, if it is at most a quarter of a window  STATIME(0.05), class 5
    task       puts of tasks that closed the queue within a slot of opening it           accounting class 3
    message    the put time of each message, to a hundredth of a second                  a table of messages

For these the spread is measured: the busiest slot against the mean, and the share of the time that holds half of the
messages. Where there is only a count of a long interval, a bound is given (spread.py): messages came before the last
put, and the messages that the queue gained at its deepest were put faster than they were got. How much faster cannot be
told, and the report says so.

A slot without a message counts as idle for tasks and messages. For intervals, one that is missing is not counted.
"""

from __future__ import annotations

from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flintmq.pipeline.errors import BadOption
from flintmq.pipeline.reports.model import Cell, Chart, Column, Report, Series, Table
from flintmq.pipeline.reports.options import Options
from flintmq.pipeline.reports.records import chosen, first, kept, nothing
from flintmq.pipeline.reports.spread import UNEVEN, bound, judged
from flintmq.pipeline.tables.catalogue import is_there

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TITLE = "BURSTS: how messages were spread"
SETTINGS = {
    "window": "seconds over which the spread is shown (60)",
    "slot": "seconds of a slot, for tasks and messages (1)",
    "least": "the fewest messages of a window that matter (100)",
    "messages": "a Parquet directory of messages with columns queue and put_time, as the mq source gives them",
}
WINDOW, SLOT, LEAST = 60.0, 1.0, 100.0
#: A slot is at most this share of its window, or it shows nothing.
FINE = 4
#: Sentences, windows in the charts, and slots of one.
TOLD, CHARTS, SLOTS_MAX = 5, 2, 10_000
_SOURCES = {
    "interval": "short statistics intervals",
    "task": "tasks that used the queue for no longer than a slot",
    "message": "the put times of messages",
}
_WHAT = "queue statistics (115-216), short tasks (116-1) or messages"
_REMEDY = "START TRACE(STAT) CLASS(5) with STATQ(ON) and SET SYSTEM STATIME(0.05) for some minutes shows bursts best."


def make(spark: SparkSession, tables: Path, options: Options) -> Report:
    window, slot = options.number("window", WINDOW, 1), options.number("slot", SLOT, 0.01)
    if slot * FINE > window:
        raise BadOption(f"--set slot={slot:g}: a slot is at most a quarter of the window of {window:g} s")
    if abs(window / slot - round(window / slot)) > 1e-6:
        raise BadOption(f"--set slot={slot:g}: a window of {window:g} s is not a whole number of such slots")
    least = options.number("least", LEAST, 1)
    made = Report("bursts", TITLE)
    slots = _slots(spark, tables, options, window, slot)
    if slots is not None:
        _measured(made, slots, options, window, least)
    if is_there(tables, "QQST"):
        _bounds(made, spark, tables, options, window, least)
    return made if made.tables else nothing("bursts", TITLE, options, _WHAT, _REMEDY)


# Measurements


def _slots(spark: SparkSession, tables: Path, options: Options, window: float, slot: float) -> DataFrame | None:
    """Return QMgr, Queue, Source, Window (number), Start (s), Seconds, Puts, Slots: a row per slot.

    Slots is of the window.
    """
    parts = []
    if is_there(tables, "QQST"):
        fine = chosen(spark, tables, "QQST", options).selectExpr(
            "QMgr",
            "Queue",
            "'interval' as Source",
            "unix_micros(Interval_Start) / 1e6 as Start",
            "Interval_Duration_US / 1e6 as Seconds",
            "try_add(Put, Put1) as Puts",
            "cast(null as int) as Slots",
        )
        parts.append(fine.where(f"Seconds > 0 and Seconds <= {window / FINE}"))
    if is_there(tables, "WQ"):
        parts.append(_tasks(chosen(spark, tables, "WQ", options), window, slot))
    if options.text("messages"):
        parts.append(_messages(spark, options, window, slot))
    if not parts:
        return None
    every = reduce(lambda one, other: one.unionByName(other), parts)
    return every.where("Puts is not null and Start is not null").selectExpr("*", f"floor(Start / {window}D) as Window")


def _tasks(tasks: DataFrame, window: float, slot: float) -> DataFrame:
    """Count puts by the slot in which a task opened the queue, of tasks that closed it within the length of a slot."""
    begun = f"floor(unix_micros(Open) / {slot * 1e6}D) * {slot}D as Start"
    lived = f"Close >= Open and unix_micros(Close) - unix_micros(Open) <= {slot * 1e6}D"
    short = tasks.where(f"Put_Count + Put1_Count > 0 and {lived}")
    grouped = short.selectExpr("QMgr", "Base_Name as Queue", begun, "Put_Count + Put1_Count as Puts")
    return _counted(
        grouped.groupBy("QMgr", "Queue", "Start").agg({"Puts": "try_sum"}), "task", "`try_sum(Puts)`", window, slot
    )


def _messages(spark: SparkSession, options: Options, window: float, slot: float) -> DataFrame:
    """Count messages by the slot of their put time. The table has the columns of the source `mq`."""
    place = options.text("messages")
    if not Path(place).exists():
        raise BadOption(f"--set messages={place}: there is no such directory")
    rows = spark.read.parquet(place)
    lacking = [name for name in ("queue", "put_time") if name not in rows.columns]
    if lacking:
        raise BadOption(f"--set messages={place}: there is no column {' and no column '.join(lacking)}")
    if options.start:
        rows = rows.where(rows.put_time >= options.start)
    if options.until:
        rows = rows.where(rows.put_time < options.until)
    begun = f"floor(unix_micros(put_time) / {slot * 1e6}D) * {slot}D as Start"
    grouped = rows.selectExpr("cast(null as string) as QMgr", "queue as Queue", begun).groupBy("QMgr", "Queue", "Start")
    return _counted(grouped.count(), "message", "count", window, slot)


def _counted(rows: DataFrame, source: str, count: str, window: float, slot: float) -> DataFrame:
    return rows.selectExpr(
        "QMgr",
        "Queue",
        f"'{source}' as Source",
        "Start",
        f"{slot}D as Seconds",
        f"{count} as Puts",
        f"{round(window / slot)} as Slots",
    )


#: spread.spread, in SQL: a row per window. The fewest slots that hold half are those before which less than half came.
SPREADS = """
with ranked as (
  select *, try_sum(Puts) over (partition by Source, QMgr, Queue, Window) as Total,
         try_sum(Puts) over (partition by Source, QMgr, Queue, Window order by Puts desc, Start
                         rows between unbounded preceding and current row) - Puts as Before
  from {slots}
), windows as (
  select Source, QMgr, Queue, Window, try_sum(Puts) as Messages, try_sum(Seconds) as Recorded, count(*) as Rows,
         coalesce(max(Slots), count(*)) as Slots, max(Puts) as Peak, max(Puts / Seconds) as Peak_Rate,
         count_if(Puts > 0) as Busy, count_if(Puts > 0 and Before < Total / 2) as Half, max(Seconds) as Slot
  from ranked group by Source, QMgr, Queue, Window
)
select *, Slots - Busy as Idle, if(Slots > Rows, Slot * Slots, Recorded) as Covered,
       Messages / if(Slots > Rows, Slot * Slots, Recorded) as Mean_Rate,
       Peak_Rate / nullif(Messages / if(Slots > Rows, Slot * Slots, Recorded), 0) as Burst
from windows
"""

_QUEUES = """
select Source, QMgr, Queue, count(*) as Windows, try_sum(Messages) as Messages, max(Peak_Rate) as Peak_Rate,
       percentile_approx(Burst, 0.5) as Burst_Usual, max(Burst) as Burst_Max, count_if(Burst >= 3) as Bursty
from {spreads} where Messages >= {least} group by Source, QMgr, Queue
order by Burst_Max desc, Messages desc, Source, QMgr, Queue
"""


def _measured(made: Report, slots: DataFrame, options: Options, window: float, least: float) -> None:
    spark = slots.sparkSession
    with kept(spark.sql(SPREADS, slots=slots)) as spreads:
        queues, left = first(spark.sql(_QUEUES, spreads=spreads, least=least), options.rows)
        if not queues:
            return
        order = [*_order("Burst", "Messages"), "Source", "QMgr", "Queue", "Window"]
        worst = spreads.where(f"Messages >= {least}").orderBy(*order)
        windows, more = first(_with_time(worst, window), options.rows)
        worst_of_each = [row for row in _different(windows) if row.Burst >= UNEVEN]
        made.words += [_sentence(row, window) for row in worst_of_each[:TOLD]]
        if not made.words:
            made.words.append(f"Nothing came in bursts. {_sentence(windows[0], window)}")
        seen = sorted({row.Source for row in queues})
        made.words.append(f"This was seen from {' and '.join(_SOURCES[source] for source in seen)}.")
        made.tables += [_queue_table(queues, left), _window_table(windows, more, window)]
        made.charts += _charts(slots, worst_of_each[:CHARTS] or windows[:1], window)


def _order(*names: str) -> list[Any]:
    from pyspark.sql import functions

    return [functions.desc(name) for name in names]


def _with_time(spreads: DataFrame, window: float) -> DataFrame:
    at = f"date_format(timestamp_micros(bigint(Window * {window * 1e6}D)), 'yyyy-MM-dd HH:mm:ss') as At"
    return spreads.selectExpr("*", at)


def _different(windows: list[Any]) -> list[Any]:
    """Return the worst window of each queue and source."""
    found: dict[tuple[str, str, str], Any] = {}
    for row in windows:
        found.setdefault((row.Source, row.QMgr, row.Queue), row)
    return list(found.values())


def _whose(row: Any) -> str:
    return f"{row.Queue} ({row.QMgr})" if row.QMgr else str(row.Queue)


def _sentence(row: Any, window: float) -> str:
    slot = row.Covered / row.Slots
    how = judged(row.Burst, _idle(row))
    return (
        f"{_whose(row)} got {row.Messages:,} messages in the {window:g} s from {row.At}, {how}: {row.Peak_Rate:,.0f} a "
        f"second at the peak, {row.Mean_Rate:,.0f} on average, and half of them in {row.Half * slot:,.3g} of "
        f"{row.Covered:,.3g} s."
    )


def _idle(row: Any) -> float:
    return row.Idle / row.Slots if row.Slots else 0.0


def _queue_table(rows: list[Any], left: int) -> Table:
    columns = [
        Column("Queue manager"),
        Column("Queue"),
        Column("Seen from"),
        Column("Windows", 0),
        Column("Messages", 0),
        Column("Highest rate", 1, "per s"),
        Column("Peak over mean, usual", 1),
        Column("Peak over mean, worst", 1),
        Column("Windows with 3 or more", 0),
    ]
    cells: list[tuple[Cell, ...]] = [
        (
            row.QMgr,
            row.Queue,
            row.Source,
            row.Windows,
            row.Messages,
            row.Peak_Rate,
            row.Burst_Usual,
            row.Burst_Max,
            row.Bursty,
        )
        for row in rows
    ]
    return Table("Queues, the most bursty first", columns, cells, left)


def _window_table(rows: list[Any], left: int, window: float) -> Table:
    columns = [
        Column("Queue manager"),
        Column("Queue"),
        Column("Seen from"),
        Column("From (UTC)"),
        Column("Messages", 0),
        Column("Mean", 1, "per s"),
        Column("Peak", 1, "per s"),
        Column("Peak over mean", 1),
        Column("Time with half", 0, "%"),
        Column("Idle time", 0, "%"),
        Column("Recorded", 0, "s"),
        Column("Spread"),
    ]
    cells: list[tuple[Cell, ...]] = [
        (
            row.QMgr,
            row.Queue,
            row.Source,
            row.At,
            row.Messages,
            row.Mean_Rate,
            row.Peak_Rate,
            row.Burst,
            100 * row.Half / row.Slots,
            100 * _idle(row),
            row.Covered,
            judged(row.Burst, _idle(row)),
        )
        for row in rows
    ]
    return Table(f"Windows of {window:g} s, the most bursty first", columns, cells, left)


def _charts(slots: DataFrame, rows: list[Any], window: float) -> list[Chart]:
    from pyspark.sql import functions as f

    made = []
    for row in rows:
        mine = (
            f.col("QMgr").eqNullSafe(row.QMgr) & f.col("Queue").eqNullSafe(row.Queue) & (f.col("Source") == row.Source)
        )
        found = slots.where(mine & (f.col("Window") == row.Window)).limit(int(FINE * window * 100))
        counts: dict[float, float] = {}
        for one in found.select("Start", "Puts", "Seconds").collect():
            counts[one.Start - row.Window * window] = one.Puts / one.Seconds
        if row.Slots > row.Rows:  # Slots without a message are not in the data.
            step = row.Covered / row.Slots
            slots_seen = {round(place / step): rate for place, rate in counts.items()}
            counts = {number * step: slots_seen.get(number, 0.0) for number in range(row.Slots)}
        places = sorted(counts)
        title = f"{_whose(row)}: the {window:g} s from {row.At}"
        labels = [f"{place:.4g} s" for place in places]
        made.append(
            Chart(title, "line", labels, [Series("messages", [counts[place] for place in places])], "per second")
        )
    return made


# Bounds

_BOUNDS = """
with intervals as (
  select QMgr, Queue, Interval_Start as Start, Interval_Duration_US / 1e6 as Seconds,
         try_add(Put, Put1) as Puts, Get as Gets, Queue_Depth_High_Water as Deepest,
         Fast_Put_Messages as Straight, Current_Depth, Record,
         (unix_micros(Last_Put) - unix_micros(Interval_Start)) / 1e6 as Last_Put,
         lag(struct(Current_Depth, Record, Interval_Start, Interval_Duration_US)) over
           (partition by QMgr, Queue order by Interval_Start, Interval_Duration_US) as Before
  from {rows} where Interval_Start is not null
), known as (
  select *, if(abs(unix_micros(Start) - unix_micros(Before.Interval_Start) - Before.Interval_Duration_US) < 2000000
               and Before.Record <=> 'FULL', Before.Current_Depth, null) as Depth_Start
  from intervals where Puts >= {least} and Seconds > {fine}
), bounded as (
  select *, if(Last_Put > 0 and Last_Put <= Seconds, greatest(Last_Put, 0.001), Seconds) as Within,
         coalesce(greatest(least(Deepest - Depth_Start, Puts), 0), 0) as Backlog
  from known
)
select *, date_format(Start, 'yyyy-MM-dd HH:mm:ss') as At from bounded
order by Seconds / Within + Backlog / Puts desc, Puts desc, QMgr, Queue, Start
"""


def _bounds(made: Report, spark: SparkSession, tables: Path, options: Options, window: float, least: float) -> None:
    rows = chosen(spark, tables, "QQST", options)
    found, left = first(spark.sql(_BOUNDS, rows=rows, least=least, fine=window / FINE), options.rows)
    if not found:
        return
    columns = [
        Column("Queue manager"),
        Column("Queue"),
        Column("From (UTC)"),
        Column("Interval", 0, "s"),
        Column("Messages", 0),
        Column("Mean", 1, "per s"),
        Column("Last put after", 2, "s"),
        Column("Reached for certain", 1, "per s"),
        Column("Put and not got at the deepest", 0),
        Column("Straight to a waiting getter", 0, "%"),
    ]
    told = [(row, bound(row.Puts, row.Seconds, row.Last_Put, row.Depth_Start, row.Deepest or 0)) for row in found]
    cells: list[tuple[Cell, ...]] = [
        (
            row.QMgr,
            row.Queue,
            row.At,
            row.Seconds,
            row.Puts,
            known.mean,
            known.within_s if known.within_s < row.Seconds else None,
            known.least_peak,
            known.backlog if row.Depth_Start is not None else None,
            None if row.Straight is None else 100 * row.Straight / row.Puts,
        )
        for row, known in told
    ]
    made.tables.append(Table("Long intervals: what their counts prove", columns, cells, left))
    made.words += _proofs(told)
    made.words.append(
        f"How messages were spread within an interval of {found[0].Seconds:,.0f} s cannot be seen from its count: the "
        "same number may have come evenly or all at once. The rates that were reached for certain are the least that "
        "the peak can have been; nothing says how high it was. Intervals of 1 to 5 seconds, as STATIME(0.05), or the "
        "put times of the messages would show it."
    )
    made.silent = not made.charts


def _proofs(told: list[tuple[Any, Any]]) -> list[str]:
    """Return conclusions about the worst intervals, and about those where getters kept up."""
    made = []
    for row, known in told[:TOLD]:
        if known.within_s < 0.5 * row.Seconds:
            made.append(
                f"{_whose(row)} got its {row.Puts:,} messages of the {row.Seconds:,.0f} s from {row.At} within the "
                f"first {known.within_s:,.3g} s: {known.least_peak:,.0f} a second or more, not {known.mean:,.0f}."
            )
        elif known.backlog > 0.1 * row.Puts:
            made.append(
                f"{known.backlog:,} of the {row.Puts:,} messages that {_whose(row)} got in the {row.Seconds:,.0f} s "
                f"from {row.At} were on the queue at once: for some time they came faster than they were taken."
            )
    kept_up = [row for row, _ in told if row.Straight is not None and row.Straight >= 0.95 * row.Puts]
    if kept_up:
        row = kept_up[0]
        made.append(
            f"{_whose(row)} handed {100 * row.Straight / row.Puts:.0f} % of its messages from {row.At} straight to "
            "waiting getters: whatever bursts there were, the getters kept up with them."
        )
    return made
