"""ANOMALIES: values that were unusual for their hour, per queue and counter, in words.

Each counter of each queue is a series of values, one per interval. A value is compared with its like by a robust score
(score.py: median and MAD): those of the same hour on the same day of the week, where at least eight values of at least
three days are there; else those of the same hour; else all of its series. Unusual intervals that follow each other are
told as one, by the worst of them.

A recurring value is not unusual: a job of every full hour, or of every day at six, is a peak of its hour and usual for
its minute. So a value must also be unusual beside the median of its own minute of the hour, and beside that of its own
time of the day, where each has at least RECURS values. Those that are not are counted in a sentence.

    source   object         counters                                                         of each
    QQST     queue          puts, gets, bytes put, deepest, oldest message, expired, backed out   interval (class 5)
    QMST     queue manager  puts, gets, opens                                                interval (class 1)
    QJST     queue manager  log pages                                                        interval (class 1)
    WQ       queue          CPU of a call, time on the queue                                 15 minutes (class 3)

Counts of an interval are scaled to the usual length of the series' intervals; an interval shorter than a tenth of it is
left out, and so is a negative value, which only a counter that was set back can have. An interval that is missing is no
value: it is never read as 0. Hours and days of the week are those of the queue manager's local time.

All of this happens in Spark, by windows over one shuffle; only the rows of the table and the points of three charts
come to the driver.
"""

from __future__ import annotations

from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flintmq.pipeline.reports.model import Cell, Chart, Column, Figure, Report, Series, Table
from flintmq.pipeline.reports.options import Options
from flintmq.pipeline.reports.records import chosen, first, kept, nothing
from flintmq.pipeline.reports.score import MAD_FACTOR, MEAN_FACTOR, SAME, Finding, sentence
from flintmq.pipeline.tables.catalogue import is_there

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TITLE = "ANOMALIES: what was unusual for its hour"
SETTINGS = {
    "threshold": "the z-score from which a value is unusual (6)",
    "least": "the least difference from the median that matters, in units of the counter (10)",
}
_WHAT = "counters of queues or queue managers"
_REMEDY = "START TRACE(STAT) CLASS(1,5) and STATQ(ON) write them; START TRACE(ACCTG) CLASS(3) adds costs."
THRESHOLD, LEAST = 6.0, 10.0
#: Values and days that a season needs, and values that a series needs.
VALUES_LEAST, DAYS_LEAST = 8, 3
#: Values at one minute of the hour, or one time of the day, from which on these are compared with each other.
RECURS = 4
#: Sentences, charts, and points of a chart.
TOLD, CHARTS, POINTS = 10, 3, 121

#: How a counter behaves: a count or an amount of an interval, or a level that an interval has.
COUNT, AMOUNT, LEVEL = "count", "amount", "level"
#: Objects that are no queues.
MANAGER, LOG = "(queue manager)", "(log)"
_COLUMNS = "(Counter, Kind, Unit, Value)"
_KEEP = ("QMgr", "{object} as Object", "Interval_Start as Start", "Interval_Duration_US / 1e6 as Seconds", "{offset}")
_OFFSET = "coalesce(UTC_Offset_Minutes, 0) as Offset_Minutes"
_WHOLE = "if(Record = 'PARTIAL', null, {})"

#: Counters by structure: object, and rows of counter, kind, unit and expression.
COUNTERS: dict[str, tuple[str, list[tuple[str, str, str, str]]]] = {
    "QQST": (
        "Queue",
        [
            ("puts", COUNT, "", "try_add(Put, Put1)"),
            ("gets", COUNT, "", "Get"),
            ("bytes put", AMOUNT, "bytes", "try_add(Put_Bytes, Put1_Bytes)"),
            ("messages at its deepest", LEVEL, "", _WHOLE.format("coalesce(Queue_Depth_High_Water, Current_Depth)")),
            ("age of the oldest message", LEVEL, "s", _WHOLE.format("Max_Age")),
            ("messages expired", COUNT, "", "Expired"),
            ("messages backed out", COUNT, "", "try_add(Rollback_Put, Rollback_Get)"),
        ],
    ),
    "QMST": (
        f"'{MANAGER}'",
        [("puts", COUNT, "", "try_add(Put, Put1)"), ("gets", COUNT, "", "Get"), ("opens", COUNT, "", "Open")],
    ),
    "QJST": (f"'{LOG}'", [("pages written", COUNT, "", "Log_CI")]),
}


def make(spark: SparkSession, tables: Path, options: Options) -> Report:
    threshold = options.number("threshold", THRESHOLD, 0.1)
    least = options.number("least", LEAST)
    values = _values(spark, tables, options)
    if values is None:
        return nothing("anomalies", TITLE, options, _WHAT, _REMEDY)
    with kept(_judged(values, threshold, least)) as judged:
        seen = judged.selectExpr(
            "count(*) as Found",
            "count(distinct QMgr, Object, Counter) as Series",
            "count_if(Level is not null) as Judged",
            "count_if(Level = 0) as Flat",
            "count_if(Unusual) as Unusual",
            "count_if(Usual_For_Its_Minute) as Recurring",
        ).first()
        if seen is None or not seen.Found:
            if values.limit(1).count():
                return Report("anomalies", TITLE, ["Nothing was unusual: no counter changed at all."])
            return nothing("anomalies", TITLE, options, _WHAT, _REMEDY)
        rows, left = first(_episodes(judged), options.rows)
        made = Report("anomalies", TITLE, _words(seen, rows, left, threshold))
        made.figures = [Figure("findings", f"{len(rows) + left:,}"), Figure("values judged", f"{seen.Judged:,}")]
        made.tables.append(_table(rows, left))
        made.charts += _charts(judged, rows)
        return made


# Values


def _values(spark: SparkSession, tables: Path, options: Options) -> DataFrame | None:
    """Return QMgr, Object, Start, Seconds, Offset_Minutes, Counter, Kind, Unit, Value; a row per counter, interval."""
    parts = []
    for structure, (whose, counters) in COUNTERS.items():
        if is_there(tables, structure):
            rows = chosen(spark, tables, structure, options)
            keep = [text.format(object=whose, offset=_OFFSET) for text in _KEEP]
            parts.append(rows.selectExpr(*keep, _stacked(counters)))
    if is_there(tables, "WQ"):
        parts.append(_costs(chosen(spark, tables, "WQ", options)))
    if not parts:
        return None
    every = reduce(lambda one, other: one.unionByName(other), parts)
    return every.where("Value >= 0 and Value < 9e18 and Start is not null and Seconds > 0")


def _stacked(counters: list[tuple[str, str, str, str]]) -> str:
    cells = ", ".join(f"'{name}', '{kind}', '{unit}', double({value})" for name, kind, unit, value in counters)
    return f"stack({len(counters)}, {cells}) as {_COLUMNS}"


def _costs(tasks: DataFrame) -> DataFrame:
    """Return CPU of a call and waiting time of messages, of all tasks that were accounted for in 15 minutes."""
    from pyspark.sql import functions as f

    calls = " + ".join(f"{call}_Count" for call in ("Get", "Put", "Put1"))
    cpu = " + ".join(f"{call}_CT_US" for call in ("Get", "Put", "Put1"))
    begun = f.expr("timestamp_micros(unix_micros(Record_Time - interval 1 second) div 900000000 * 900000000) as Start")
    grouped = tasks.groupBy("QMgr", f.col("Base_Name").alias("Object"), begun).agg(
        f.expr(f"try_sum({cpu}) / nullif(try_sum({calls}), 0) as CPU"),
        f.expr("try_sum(Total_Time_On_Queue_US) / nullif(try_sum(Total_Valid_Gets), 0) as Waited"),
        f.expr("max(UTC_Offset_Minutes) as UTC_Offset_Minutes"),
    )
    counters = [("CPU of a put or get", LEVEL, "us", "CPU"), ("time of a message on the queue", LEVEL, "us", "Waited")]
    return grouped.selectExpr("QMgr", "Object", "Start", "900D as Seconds", _OFFSET, _stacked(counters))


# Judging

_SERIES = "QMgr, Object, Counter"

#: Values as of one length of interval, with their place in the week. Most counters of most queues never change: in them
#: nothing is unusual, and they go no further.
_SCALED = f"""
with usual as (
  select *, percentile_approx(Seconds, 0.5) over (partition by {_SERIES}) as Usual,
         max(Value) over (partition by {_SERIES}) - min(Value) over (partition by {_SERIES}) as Range
  from {{values}}
), scaled as (
  select *, if(Kind = 'level', Value, Value * Usual / Seconds) as X,
         Start + make_dt_interval(0, 0, Offset_Minutes) as Local
  from usual where Seconds >= Usual / 10 and Range > 0
)
select *, hour(Local) as Hour, dayofweek(Local) as Weekday, date(Local) as Day,
       int(minute(Local) * 60 + second(Local)) div greatest(int(Usual), 1) as Minute
from scaled
"""

#: A value's like, by level: 2 is the hour of the weekday, 1 the hour, 0 the whole series. Every window has the series
#: in its keys, so that the rows are shuffled once.
_LIKE = {2: f"{_SERIES}, Weekday, Hour", 1: f"{_SERIES}, Hour", 0: _SERIES}


def _per_level(text: str) -> str:
    """Repeat a list of columns for each level."""
    return ", ".join(text.format(level=level, like=like) for level, like in _LIKE.items())


def _by_level(name: str) -> str:
    return f"case Level when 2 then {name}2 when 1 then {name}1 when 0 then {name}0 end"


_MIDDLES = _per_level(
    "percentile_approx(X, array(0.25, 0.5, 0.75)) over (partition by {like}) as Quartiles{level}, "
    "count(*) over (partition by {like}) as Count{level}, "
    "size(collect_set(Day) over (partition by {like})) as Days{level}"
)
#: The median of a value's own minute of the hour and of its own time of the day: the recurring part.
_PHASES = ", ".join(
    f"percentile_approx(X, 0.5) over (partition by {_SERIES}, {phase}) as {name}_Middle, "
    f"count(*) over (partition by {_SERIES}, {phase}) as {name}_Count"
    for name, phase in (("Hourly", "Minute"), ("Daily", "Hour, Minute"))
)
_SPREADS = _per_level(
    "percentile_approx(abs(X - Quartiles{level}[1]), 0.5) over (partition by {like}) as Mad{level}, "
    "avg(abs(X - Quartiles{level}[1])) over (partition by {like}) as Mean{level}"
)

#: score.scale, in SQL.
SCALE = f"""greatest(1D, {MAD_FACTOR}D * Mad, {MAD_FACTOR}D * if(X >= Middle, High - Middle, Middle - Low),
  {SAME}D * abs(Middle), if(Mad = 0, {MEAN_FACTOR}D * Mean_Distance, 0D), if(Kind = 'count', sqrt(abs(Middle)), 0D))"""

#: Whether the like of a value at its own minute, or time of the day, is as far from the median as it is.
_RECURS = " or ".join(
    f"({name}_Count >= {RECURS} and abs(X - {name}_Middle) < {{threshold}} * Scale)" for name in ("Hourly", "Daily")
)

_JUDGED = f"""
with middles as (
  select *, {_MIDDLES}, {_PHASES} from {{scaled}}
), spreads as (
  select *, {_SPREADS},
         case when Count2 >= {VALUES_LEAST} and Days2 >= {DAYS_LEAST} then 2
              when Count1 >= {VALUES_LEAST} and Days1 >= {DAYS_LEAST} then 1
              when Count0 >= {VALUES_LEAST} then 0 end as Level
  from middles
), compared as (
  select {_SERIES}, Kind, Unit, Start, Local, Seconds, Usual, Value, X, Level, {_by_level("Count")} as Count,
         {_by_level("Quartiles")} as Quartiles, {_by_level("Mad")} as Mad, {_by_level("Mean")} as Mean_Distance,
         Hourly_Middle, Hourly_Count, Daily_Middle, Daily_Count
  from spreads
), named as (
  select *, Quartiles[0] as Low, Quartiles[1] as Middle, Quartiles[2] as High from compared
), scored as (
  select *, (X - Middle) / {SCALE} as Z, {SCALE} as Scale from named
), compared_again as (
  select *, coalesce(abs(Z) >= {{threshold}} and abs(X - Middle) >= {{least}}, false) as Stands_Out,
         {_RECURS} as Recurs from scored
)
select *, Stands_Out and not Recurs as Unusual, Stands_Out and Recurs as Usual_For_Its_Minute from compared_again
"""


def _judged(values: DataFrame, threshold: float, least: float) -> DataFrame:
    spark = values.sparkSession
    scaled = spark.sql(_SCALED, values=values)
    return spark.sql(_JUDGED, scaled=scaled, threshold=threshold, least=least)


#: When, as a reader writes it: with seconds where intervals are short.
_AT = "date_format({0}Local, if({0}Seconds < 60, 'yyyy-MM-dd HH:mm:ss', 'yyyy-MM-dd HH:mm'))"

#: Unusual values in a row, in one direction, are one episode: told by the worst.
_EPISODES = f"""
with marked as (
  select *, lag(Start) over series as Before, lag(Seconds) over series as Before_Seconds,
         lag(sign(Z)) over series as Sign
  from {{judged}} where Unusual window series as (partition by {_SERIES} order by Start, Seconds)
), numbered as (
  select *, try_sum(if(sign(Z) = Sign and unix_micros(Start) - unix_micros(Before) <= 1.5e6 * Before_Seconds, 0, 1))
    over (partition by {_SERIES} order by Start, Seconds) as Episode
  from marked
), worst as (
  select {_SERIES}, Episode, count(*) as Intervals, max(abs(Z)) as Size,
         max_by(struct(Unit, Kind, Local, Start, Seconds, Usual, Value, Low, Middle, High, Z, Level, Count),
                abs(Z)) as W
  from numbered group by {_SERIES}, Episode
)
select {_SERIES}, Intervals, Size, W.*, {_AT.format("W.")} as At,
       date_format(W.Local, 'EEEE') as Weekday, unix_micros(W.Start) as Micros
from worst order by Size desc, QMgr, Object, Counter, At
"""


def _episodes(judged: DataFrame) -> DataFrame:
    return judged.sparkSession.sql(_EPISODES, judged=judged)


# Telling


def finding(row: Any) -> Finding:
    """Convert a row of the episodes to a finding: counts as of its own interval, not of the usual one."""
    back = 1.0 if row.Kind == LEVEL else row.Seconds / row.Usual
    season = {2: f"at this hour on {row.Weekday}s", 1: "at this hour"}.get(row.Level, "at any hour")
    whose = f"{row.Object} ({row.QMgr})" if row.QMgr else str(row.Object)
    if row.Object in (MANAGER, LOG):
        whose = f"{'The log of ' if row.Object == LOG else ''}{row.QMgr or 'the queue manager'}"
    usual = (row.Low * back, row.Middle * back, row.High * back)
    return Finding(whose, row.Counter, row.At, row.Value, *usual, season, row.Intervals, row.Unit)


def _words(seen: Any, rows: list[Any], left: int, threshold: float) -> list[str]:
    found = len(rows) + left
    made = [sentence(finding(row)) for row in rows[:TOLD]]
    if not made:
        made.append("Nothing was unusual.")
    if found > TOLD:
        made.append(f"{found - TOLD:,} more findings are in the table or left out of it.")
    made.append(
        f"{seen.Judged:,} values of {seen.Series:,} counters that change were judged; {seen.Unusual:,} are "
        f"{threshold:g} or more robust deviations from the median of their like. Times are local."
    )
    if seen.Recurring:
        made.append(
            f"{seen.Recurring:,} more stand out of their hour and recur: they are usual for their minute of the hour "
            "or their time of the day."
        )
    if seen.Flat:
        made.append(
            f"{seen.Flat:,} values had to be compared with all hours: an hour needs {VALUES_LEAST} values of "
            f"{DAYS_LEAST} days to be a season of its own."
        )
    if seen.Found > seen.Judged:
        made.append(f"{seen.Found - seen.Judged:,} values are of series that are too short to judge.")
    return made


def _table(rows: list[Any], left: int) -> Table:
    told = [finding(row) for row in rows]
    values = [value for one in told for value in (one.value, one.low, one.middle, one.high)]
    digits = 0 if all(value == round(value) or abs(value) >= 100 for value in values) else 1
    columns = [
        Column("Queue manager"),
        Column("Object"),
        Column("Counter"),
        Column("Unit"),
        Column("Time, local"),
        Column("Value", digits),
        Column("Usual from", digits),
        Column("Median", digits),
        Column("Usual to", digits),
        Column("z", 1),
        Column("Intervals", 0),
        Column("Compared with", 0, "values"),
    ]
    cells: list[tuple[Cell, ...]] = []
    for row, one in zip(rows, told, strict=True):
        usual = (one.low, one.middle, one.high)
        cells.append(
            (row.QMgr, row.Object, row.Counter, row.Unit, row.At, row.Value, *usual, row.Z, row.Intervals, row.Count)
        )
    return Table("Findings, the worst first", columns, cells, left)


def _charts(judged: DataFrame, rows: list[Any]) -> list[Chart]:
    """Return charts of the worst findings: the series around each, with the usual values of each of its hours."""
    from pyspark.sql import functions as f

    worst: dict[tuple[str, str, str], Any] = {}
    for row in rows:
        if len(worst) < CHARTS:
            worst.setdefault((row.QMgr, row.Object, row.Counter), row)
    if not worst:
        return []
    number = f.lit(None).cast("int")
    for place, row in enumerate(worst.values()):
        mine = f.col("QMgr").eqNullSafe(row.QMgr) & f.col("Object").eqNullSafe(row.Object)
        number = f.when(mine & (f.col("Counter") == row.Counter), f.lit(place)).otherwise(number)
    moments = f.array(*(f.lit(row.Micros) for row in worst.values()))
    found = (
        judged.withColumn("Number", number)
        .where("Number is not null")
        .withColumn("Away", f.abs(f.unix_micros("Start") - moments[f.col("Number")]))
        .selectExpr("*", "row_number() over (partition by Number order by Away, Start) as Near")
        .where(f.col("Near") <= POINTS)
        .selectExpr(
            "Number",
            "unix_micros(Start) as Micros",
            f"{_AT.format('')} as At",
            "Value",
            "Low * if(Kind = 'level', 1, Seconds / Usual) as Low",
            "High * if(Kind = 'level', 1, Seconds / Usual) as High",
        )
        .collect()
    )
    return [
        _chart(row, sorted((one for one in found if one.Number == place), key=lambda one: one.Micros))
        for place, row in enumerate(worst.values())
    ]


def _chart(row: Any, found: list[Any]) -> Chart:
    series = [
        Series(row.Counter, [one.Value for one in found]),
        Series("usual from", [one.Low for one in found]),
        Series("usual to", [one.High for one in found]),
    ]
    title = f"{row.Object} ({row.QMgr}): {row.Counter} around {row.At}"
    return Chart(title, "line", [one.At for one in found], series, row.Unit or row.Counter)
