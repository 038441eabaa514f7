"""CAPACITY: how many clients and channels fit, and which resource reaches its limit when.

Two halves. The plan is arithmetic on storage (sizing.py, B162 to B170): with the storage of the channel initiator
(message CSQX004I: in use and free, added), it says how many channels of which kind fit; 1,466 MB of which 120 are used,
SHARECNV(1) and messages of 32 KB give the 4,643 of the reports. The forecast is from records: each resource that has a
limit, how much of it was used, and when a linear trend of its peaks reaches the limit.

    resource                               from         its limit
    CHINIT 31-bit storage                  QCCT         80 % of the storage that is given (B169)
    CHINIT 64-bit storage                  QCCT         the limit in the record
    current and active channels            QCCT         MAXCHL, ACTCHL
    dispatchers, the busiest               QCTDSP       100 %
    adapters, all together                 QCTADP       100 %
    buffer pool                            QPST         85 %: from there pages are written to make room
    page set                               QIS1         85 %: from there puts are slowed (B140)
    log, MB/s of a copy                    QJST         380, the most that was measured (B112), or as given

A line is drawn through the peaks of days, of hours where there are less than five days, or of intervals where there are
less than five hours. It is believed if it has at least five points, rises and explains half of the variance; and not
further ahead than ten times the time that was seen.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flintmq.pipeline.errors import BadOption
from flintmq.pipeline.reports.model import Cell, Chart, Column, Figure, Report, Series, Table
from flintmq.pipeline.reports.options import Options
from flintmq.pipeline.reports.records import chosen, first, kept, many
from flintmq.pipeline.reports.sizing import (
    CEILING,
    CHANNELS_MAX,
    NO_LIMIT_MB,
    SVRCONN_KB,
    Plan,
    csa_kb,
    days_until,
    index_mb,
    mca_kb,
    messages_that_fit,
    plan,
    planned_mb,
    private_kb,
    svrconn_kb,
    users_mb,
)
from flintmq.pipeline.tables.catalogue import is_there

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TITLE = "CAPACITY: what fits, and what runs full when"
SETTINGS = {
    "memory": "MB of 31-bit storage of the channel initiator (CSQX004I: in use + free)",
    "used": "MB of it in use before the first channel (the least in the records)",
    "type": "svrconn or mca: client or message channels (svrconn)",
    "sharecnv": "SHARECNV of the client channels (1)",
    "message-kb": "their largest message in KB (32)",
    "kb-per-channel": "KB that a channel takes (as measured for SHARECNV and message)",
    "ceiling": "per cent of the storage to plan with (80)",
    "maxchl": "the most channels (MAXCHL in the records, else 9999)",
    "log-mb": "MB/s that a copy of the log can take (380)",
    "users": "signed-on users, to say what 64-bit storage they take",
    "resources": "resources that each of them uses (1)",
    "indexed": "messages on indexed queues, to say what 64-bit storage their index takes",
}
LOG_MB = 380
#: Points of a line, the variance it must explain, and how many times the time seen it is followed.
POINTS_LEAST, EXPLAINED, AHEAD = 5, 0.5, 10
#: Resources in the charts, and places of the one over time.
BARS, LINES, PLACES = 15, 5, 100

_KEEP = ("unix_micros(Interval_Start) / 86400e6 as Day", "QMgr")
_COLUMNS = "(Resource, Unit, Value, Limit_)"
_INITIATOR = f"""stack(4,
  'CHINIT 31-bit storage', 'MB', double(Storage_Usage_31), {{memory}},
  'CHINIT 64-bit storage', 'MB', double(if(Storage_Usage_64 >= 0, Storage_Usage_64, null)),
  double(if(Storage_Limit_64 between 1 and {NO_LIMIT_MB}, Storage_Limit_64, null)),
  'current channels', 'channels', double(Current_Chl_High_Water), double(Current_Chl_Max),
  'active channels', 'channels', double(Active_Chl_High_Water), double(Active_Chl_Max)) as {_COLUMNS}"""


def without_records(options: Options) -> Report:
    """Return the plan alone: it is arithmetic."""
    made = Report("capacity", TITLE)
    _plan(made, options, [])
    made.words += _storage(options)
    made.words.append("What runs full when was not looked at: --out DIR names the tables that tell.")
    return made


def make(spark: SparkSession, tables: Path, options: Options) -> Report:
    made = Report("capacity", TITLE)
    points = _points(spark, tables, options)
    initiators = _initiators(spark, tables, options) if is_there(tables, "QCCT") else []
    _plan(made, options, initiators)
    made.words += _storage(options)
    _forecast(made, points, options)
    if is_there(tables, "QIS1"):
        _page_sets(made, spark, tables, options)
    if is_there(tables, "QSRS"):
        _connections(made, spark, tables, options)
    return made


# The plan


def _initiators(spark: SparkSession, tables: Path, options: Options) -> list[Any]:
    """Return per queue manager the least storage in use by its channel initiator, its limit and its most channels."""
    rows = chosen(spark, tables, "QCCT", options).groupBy("QMgr")
    found = rows.agg(
        *_exprs(
            "min(Storage_Usage_31) as Used",
            "max(Current_Chl_Max) as Limit",
            "max(Current_Chl_High_Water) as Most",
            "max(Storage_Usage_31) as Used_Max",
            "regr_slope(Storage_Usage_31, Current_Chl_High_Water) as MB_Per_Channel",
            "regr_r2(Storage_Usage_31, Current_Chl_High_Water) as Explained",
            "max(Current_Chl_High_Water) - min(Current_Chl_High_Water) as Range",
        )
    )
    return found.orderBy("QMgr").limit(options.rows).collect()


def _plan(made: Report, options: Options, initiators: list[Any]) -> None:
    memory = options.number("memory", 0)
    if not memory:
        made.words.append(
            "How many channels fit was not planned: give the storage of the channel initiator with --set memory=MB "
            "(message CSQX004I at its start: in use and free, added)."
        )
        return
    clients = _is_client(options)
    sharecnv, size = int(options.number("sharecnv", 1)) if clients else 0, options.number("message-kb", 32)
    kb = options.number("kb-per-channel", 0) or (svrconn_kb(sharecnv, size) if clients else mca_kb(size))
    ceiling = options.number("ceiling", 100 * CEILING) / 100
    kind = f"Client channels that fit: SHARECNV({sharecnv})" if clients else "Message channels that fit"
    table = Table(
        f"{kind}, messages of {size:g} KB",
        [
            Column("Queue manager"),
            Column("Storage", 0, "MB"),
            Column("To plan with", 0, "MB"),
            Column("Used before", 0, "MB"),
            Column("Left", 0, "MB"),
            Column("A channel", 0, "KB"),
            Column("Channels that fit", 0),
            Column("Limit", 0),
            Column("Channels", 0),
            Column("Clients", 0),
            Column("Channels seen", 0),
            Column("Common storage", 1, "MB"),
        ],
    )
    plans: list[tuple[str, Plan]] = []
    for name, used, limit, most in [(row.QMgr, row.Used, row.Limit, row.Most) for row in initiators] or [
        ("", None, None, None)
    ]:
        limit = int(options.number("maxchl", 0)) or limit or CHANNELS_MAX
        one = plan(memory, options.number("used", float(used or 0)), kb, limit, sharecnv, ceiling)
        plans.append((name, one))
        common = one.clients * csa_kb(sharecnv) / 1024
        table.rows.append(
            (
                name or "(no records)",
                one.total_mb,
                one.ceiling_mb,
                one.used_mb,
                one.left_mb,
                kb,
                one.fitting,
                one.channels_max,
                one.channels,
                one.clients,
                most,
                common,
            )
        )
    made.words += [_sentence(name, one) for name, one in plans[:3]]
    made.words += [_measured(row, kb) for row in initiators if _is_measured(row)][:3]
    made.tables += [table, _matrix(plans[0], ceiling)]


def _is_client(options: Options) -> bool:
    given = options.text("type", "svrconn").lower()
    if given not in ("svrconn", "mca"):
        raise BadOption(f"--set type={given}: channels are svrconn or mca")
    return given == "svrconn"


def _storage(options: Options) -> list[str]:
    """Return sentences about the 64-bit storage of users and indexes (B147, B208)."""
    made = []
    users, resources = int(options.number("users", 0)), int(options.number("resources", 1, 1))
    if users:
        each = many(resources, "resource")
        made.append(f"{users:,} users with {each} each take {users_mb(users, resources):,.0f} MB of 64-bit storage.")
    messages = int(options.number("indexed", 0))
    if messages:
        made.append(f"The index of {messages:,} messages takes {index_mb(messages):,.0f} MB of 64-bit storage.")
    return made


def _sentence(name: str, one: Plan) -> str:
    of = f"{name}: " if name else ""
    clients = f", {one.clients:,} clients at {one.conversations} to a channel" if one.conversations > 1 else ""
    rule = (
        f"{one.ceiling_mb:,} MB to plan with, less {one.used_mb:,.0f} MB in use, at {one.kb_per_channel:g} KB a channel"
    )
    if one.fitting > one.channels_max:
        would = f"storage would do for {one.fitting:,}, the limit is lower"
        return f"{of}{one.channels:,} channels{clients}: {would} ({rule})."
    return f"{of}{one.channels:,} channels fit{clients}: {rule}."


def _is_measured(row: Any) -> bool:
    """Return whether storage per channel can be measured: records count whole MB, so a slope needs many channels."""
    return bool(row.Range and row.Range >= 50 and row.MB_Per_Channel and (row.Explained or 0) >= EXPLAINED)


def _measured(row: Any, kb: float) -> str:
    seen = row.MB_Per_Channel * 1024
    return (
        f"{row.QMgr}: in the records a channel takes about {seen:,.0f} KB (storage against number of channels, over a "
        f"range of {row.Range:,} channels); {kb:g} KB were planned."
    )


def _matrix(first_plan: tuple[str, Plan], ceiling: float) -> Table:
    """Plan the same storage with every kind of client channel that was measured, whatever MAXCHL is now."""
    name, base = first_plan
    columns = [Column("SHARECNV", 0), Column("Largest message", 0, "KB"), Column("A channel", 0, "KB")]
    columns += [Column("Channels", 0), Column("Clients", 0)]
    rows: list[tuple[Cell, ...]] = []
    for sharecnv, sizes in SVRCONN_KB.items():
        for size, kb in sizes.items():
            one = plan(base.total_mb, base.used_mb, kb, CHANNELS_MAX, sharecnv, ceiling)
            rows.append((sharecnv, size, kb, one.channels, one.clients))
    return Table(f"The same storage{f' of {name}' if name else ''} with other client channels", columns, rows)


# The forecast


def _points(spark: SparkSession, tables: Path, options: Options) -> DataFrame | None:
    """Return QMgr, Resource, Unit, Day (days since 1970), Value, Limit_: a row per resource and interval."""
    memory, ceiling = options.number("memory", 0), options.number("ceiling", 100 * CEILING) / 100
    of_memory = f"{planned_mb(memory, ceiling)}D" if memory else "cast(null as double)"
    log = options.number("log-mb", LOG_MB, 0.001)
    rows_of = partial(chosen, spark, tables, options=options)
    pool = f"stack(1, concat('buffer pool ', BufferPool), '%', 100 * Used_Max, 85D) as {_COLUMNS}"
    page_set = f"stack(1, concat('page set ', Pageset), '%', 100 * Used, 85D) as {_COLUMNS}"
    writes = f"stack(1, 'log, one copy', 'MB/s', Log_MB_Per_Second_1, {log}D) as {_COLUMNS}"
    parts: dict[str, Callable[[], DataFrame]] = {
        "QCCT": lambda: rows_of("QCCT").selectExpr(*_KEEP, _INITIATOR.format(memory=of_memory)),
        "QCTDSP": lambda: _busy(rows_of("QCTDSP"), "dispatchers, the busiest", "max"),
        "QCTADP": lambda: _busy(rows_of("QCTADP"), "adapters, all together", "avg"),
        "QPST": lambda: rows_of("QPST").selectExpr(*_KEEP, pool),
        "QIS1": lambda: rows_of("QIS1").selectExpr(*_KEEP, page_set),
        "QJST": lambda: rows_of("QJST").selectExpr(*_KEEP, writes),
    }
    made = [part() for structure, part in parts.items() if is_there(tables, structure)]
    if not made:
        return None
    return reduce(lambda one, other: one.unionByName(other), made).where("Value is not null and Day is not null")


def _busy(rows: DataFrame, resource: str, how: str) -> DataFrame:
    made = rows.groupBy("QMgr", "Interval_Start").agg(*_exprs(f"100 * {how}(Busy) as Busy"))
    return made.selectExpr(*_KEEP, f"stack(1, '{resource}', '%', Busy, 100D) as {_COLUMNS}")


#: Peaks of days, of hours, or the values of the intervals themselves; and a line through them. Days count from 19000
#: on, which is in 2022, for the sake of the digits.
_LINE = """
with spanned as (
  select *, min(Day) over (partition by QMgr, Resource) as First, max(Day) over (partition by QMgr, Resource) as Last
  from {points}
), peaks as (
  select QMgr, Resource, any_value(Unit) as Unit, any_value(First) as First, any_value(Last) as Last,
         case when Last - First >= 5 then floor(Day)
              when Last - First >= 5 / 24 then floor(Day * 24) / 24 else Day end - 19000 as At,
         count(*) as Records, max(Value) as Value, max_by(Value, Day) as Latest, max_by(Limit_, Day) as Limit_
  from spanned group by QMgr, Resource, 6
), lines as (
  select QMgr, Resource, any_value(Unit) as Unit, any_value(First) as First, any_value(Last) as Last,
         try_sum(Records) as Records, count(*) as Points, max(Value) as Most, max_by(Latest, At) as Now,
         max_by(Limit_, At) as Limit_, regr_slope(Value, At) as Slope, regr_intercept(Value, At) as Base,
         regr_r2(Value, At) as Explained
  from peaks group by QMgr, Resource
)
select *, Base + Slope * (Last - 19000) as Line_Now, Most / nullif(Limit_, 0) as Share from lines
order by Share desc nulls last, QMgr, Resource
"""


def _forecast(made: Report, points: DataFrame | None, options: Options) -> None:
    none = (
        f"There are no statistics{options.words()} from which to say what runs full: START TRACE(STAT) CLASS(1,3,4) "
        "writes them."
    )
    if points is None:
        made.words.append(none)
        return
    with kept(points):
        rows, left = first(points.sparkSession.sql(_LINE, points=points), options.rows)
        if not rows:
            made.words.append(none)
            return
        told = [(row, full_when(row)) for row in rows]
        made.tables.append(_table(told, left))
        made.words[:0] = _words(told)
        limited = [row for row in rows if row.Share is not None]
        if limited:
            fullest = max(limited, key=lambda row: row.Share)
            made.figures.append(
                Figure(f"{fullest.QMgr} {fullest.Resource}", f"{100 * fullest.Share:.0f}", "% at its peak")
            )
        made.charts.append(_bars(limited[:BARS]))
        if limited:
            made.charts.append(_lines(points, limited[:LINES]))


def _is_line(row: Any) -> bool:
    return bool(row.Points >= POINTS_LEAST and (row.Explained or 0) >= EXPLAINED)


def full_when(row: Any) -> tuple[str, float | None]:
    """Return in words and in days from the last record when a resource reaches its limit."""
    if row.Limit_ is None:
        return "no limit is known", None
    if row.Now >= row.Limit_:
        return "it is", 0.0
    if row.Points < POINTS_LEAST:
        return f"too short: {many(row.Points, 'point')}", None
    if not row.Slope or row.Slope <= 0:
        return "it does not grow", None
    if (row.Explained or 0) < EXPLAINED:
        return "no clear growth", None
    days = days_until(max(row.Line_Now, row.Now), row.Slope, row.Limit_)
    assert days is not None
    if days > AHEAD * max(row.Last - row.First, 1e-9):
        return f"not within {AHEAD} times the time seen", None
    return _date(row.Last + days), days


def _date(day: float) -> str:
    return f"{datetime(1970, 1, 1) + timedelta(days=day):%Y-%m-%d %H:%M}"


def _words(told: list[tuple[Any, tuple[str, float | None]]]) -> list[str]:
    soon = sorted((pair for pair in told if pair[1][1] is not None), key=lambda pair: pair[1][1] or 0.0)
    made = []
    for row, (when, days) in soon[:5]:
        what = f"{_capital(row.Resource)} of {row.QMgr}" if row.QMgr else _capital(row.Resource)
        limit = f"{row.Limit_:,.4g} {row.Unit}"
        if days == 0:
            made.append(f"{what} is at its limit: {row.Now:,.4g} of {limit}.")
        else:
            made.append(f"{what} reaches its limit of {limit} about {when} UTC, if it grows as it did.")
    if not soon:
        row = told[0][0]
        share = f"{100 * row.Share:.0f} % of its limit" if row.Share is not None else "without a known limit"
        made.append(
            f"Nothing runs full as things go. The fullest is {row.Resource} of {row.QMgr}: {share} at its peak."
        )
    return made


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _table(told: list[tuple[Any, tuple[str, float | None]]], left: int) -> Table:
    columns = [
        Column("Queue manager"),
        Column("Resource"),
        Column("Unit"),
        Column("Now", 1),
        Column("At most", 1),
        Column("Limit", 1),
        Column("Peak of limit", 0, "%"),
        Column("Growth", 2, "per day"),
        Column("Explained", 0, "%"),
        Column("Full (UTC)"),
    ]
    rows: list[tuple[Cell, ...]] = [
        (
            row.QMgr,
            row.Resource,
            row.Unit,
            row.Now,
            row.Most,
            row.Limit_,
            None if row.Share is None else 100 * row.Share,
            row.Slope if _is_line(row) else None,
            100 * row.Explained if row.Explained is not None and row.Slope else None,
            when,
        )
        for row, (when, _) in told
    ]
    return Table("What fills up", columns, rows, left)


def _bars(rows: list[Any]) -> Chart:
    names = [f"{row.QMgr} {row.Resource}" for row in rows]
    return Chart(
        "Peak of each resource", "bar", names, [Series("Peak", [100 * row.Share for row in rows])], "% of limit"
    )


def _lines(points: DataFrame, rows: list[Any]) -> Chart:
    """Draw the fullest resources over time, the highest of each of at most PLACES stretches."""
    from pyspark.sql import functions as f

    start, end = min(row.First for row in rows), max(row.Last for row in rows)
    width = max((end - start) / max(min(PLACES, max(row.Records for row in rows)) - 1, 1), 1 / 86400)
    wanted = f.lit(False)
    for row in rows:
        wanted = wanted | (f.col("QMgr").eqNullSafe(row.QMgr) & (f.col("Resource") == row.Resource))
    place = f.round((f.col("Day") - start) / width).cast("int")
    grouped = points.where(wanted).groupBy("QMgr", "Resource", place.alias("Place"))
    found = grouped.agg(f.expr("max(Value / nullif(Limit_, 0))").alias("Share")).collect()
    places = sorted({row.Place for row in found})
    shares = {(row.QMgr, row.Resource, row.Place): 100 * row.Share for row in found if row.Share is not None}
    series = [
        Series(f"{row.QMgr} {row.Resource}", [shares.get((row.QMgr, row.Resource, place)) for place in places])
        for row in rows
    ]
    return Chart(
        "The fullest over time", "line", [_date(start + place * width) for place in places], series, "% of limit"
    )


# Other resources


def _page_sets(made: Report, spark: SparkSession, tables: Path, options: Options) -> None:
    size = options.number("message-kb", 32)
    last = "struct(Interval_Start, File, Offset, Entry)"
    grouped = chosen(spark, tables, "QIS1", options).groupBy("QMgr", "Pageset")
    found = grouped.agg(
        *_exprs(
            f"max_by(Total_Pages, {last}) as Total",
            f"max_by(Unused_Pages, {last}) as Unused",
            "try_sum(Full_Count) as Full",
            "try_sum(if(Expand, 1, 0)) as Expanded",
        )
    ).orderBy("QMgr", "Pageset")
    rows, left = first(found, options.rows)
    if rows:
        columns = [
            Column("Queue manager"),
            Column("Page set", 0),
            Column("Pages", 0),
            Column("Unused", 0),
            Column(f"Messages of {size:g} KB that still fit", 0),
            Column("Times full", 0),
            Column("Intervals with expansion", 0),
        ]
        cells: list[tuple[Cell, ...]] = [
            (
                row.QMgr,
                row.Pageset,
                row.Total,
                row.Unused,
                messages_that_fit(max(row.Unused or 0, 0), int(size * 1024)),
                row.Full,
                row.Expanded,
            )
            for row in rows
        ]
        made.tables.append(Table("Page sets at the end", columns, cells, left))


def _connections(made: Report, spark: SparkSession, tables: Path, options: Options) -> None:
    """Add the connections that still fit the private storage of the queue manager, from 115-7 (B163)."""
    sharecnv = int(options.number("sharecnv", 1))
    kb = private_kb(sharecnv)
    grouped = chosen(spark, tables, "QSRS", options).where("Avail_31 >= 0").groupBy("QMgr")  # -1 is not set.
    rows, left = first(grouped.agg(*_exprs("min(Avail_31) as Free")).orderBy("QMgr"), options.rows)
    if rows:
        columns = [
            Column("Queue manager"),
            Column("31-bit storage free, at least", 1, "MB"),
            Column("A connection", 1, "KB"),
            Column("Connections that fit", 0),
        ]
        cells: list[tuple[Cell, ...]] = [
            (row.QMgr, row.Free / 2**20, kb, int(CEILING * row.Free / 1024 / kb)) for row in rows
        ]
        made.tables.append(Table("Connections to the queue manager", columns, cells, left))


def _exprs(*texts: str) -> list[Any]:
    from pyspark.sql import functions

    return [functions.expr(text) for text in texts]
