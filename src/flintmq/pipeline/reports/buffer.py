"""BUFFER: how full the buffer pools were, and the traffic to and from page sets (115-215, QPST).

The listing has the names of the record's fields, as the supplied formatter prints them:

    > 00 Buffs 20000  Low 19998  Now 19998  Getp 1  Getn 0
    > 00 Rio 0  STW 0  TPW 0  WIO 0  IMW 0
    > 00 DWT 0  DMC 0  STL 0  STLA 0  SOS 0
    > 00 Highest 0% full, now 0% full, above the bar, pageable

A pool that has no buffer left (SOS) stops work; one in which 95 % of the buffers were changed (DMC), or that wrote
pages synchronously (IMW), made applications wait for writes; one that reached 85 % (DWT) and reads pages back (Rio) is
too small for the messages on its queues.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from flintmq.pipeline.reports.model import Chart, Column, Figure, Report, Series, Table
from flintmq.pipeline.reports.options import Options
from flintmq.pipeline.reports.records import HEADING, cells, chosen, first, kept, listing, many, nothing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TITLE = "BUFFER: buffer pools"
_WHAT = "statistics of buffer pools (115-215, or 115-2 before 8.0)"
_REMEDY = "They are written while START TRACE(STAT) CLASS(1) is in force."

_POOLS = """
select QMgr, BufferPool as Pool, count(*) as Intervals, max(Buffer_Count) as Buffers, min(Lowest_Stealable) as Lowest,
       100 * max(Used_Max) as Full_Max, try_sum(Getp_Old_Requests) as Old, try_sum(Getp_New_Requests) as New,
       try_sum(DASD_Read) as Reads, try_sum(Set_Write_Pages) as Changed, try_sum(Pages_Written) as Written,
       try_sum(DASD_Write) as Write_IO, try_sum(Sync_Writes) as Sync, try_sum(Defer_Write_THold_Reached) as Deferred,
       try_sum(Sync_Write_THold_Reached) as Threshold, try_sum(Buffer_Steals) as Steals,
       try_sum(Suspend_No_Buffers) as Short
from {qpst} group by QMgr, BufferPool order by Short desc, Threshold desc, Full_Max desc nulls last, QMgr, Pool
"""
_POOL_COLUMNS = [
    Column("QMgr"),
    Column("Pool", 0),
    Column("Intervals", 0),
    Column("Buffers", 0),
    Column("Lowest stealable", 0),
    Column("Highest full", 1, "%"),
    Column("Page gets, old", 0),
    Column("Page gets, new", 0),
    Column("Pages read", 0),
    Column("Pages changed", 0),
    Column("Pages written", 0),
    Column("Write I/Os", 0),
    Column("Synchronous writes", 0),
    Column("85 % reached", 0),
    Column("95 % reached", 0),
    Column("Steals", 0),
    Column("Out of buffers", 0),
]
_WORST = """
select QMgr, Start, BufferPool as Pool, Buffer_Count as Buffs, Lowest_Stealable as Low, Current_Stealable as Now,
       Getp_Old_Requests as Getp, Getp_New_Requests as Getn, DASD_Read as Rio, Set_Write_Pages as STW,
       Pages_Written as TPW, DASD_Write as WIO, Sync_Writes as IMW, Defer_Write_THold_Reached as DWT,
       Sync_Write_THold_Reached as DMC, Buffer_Steals as STL, Buffer_Steals_Hash_Changes as STLA,
       Suspend_No_Buffers as SOS, 100 * Used_Max as Full_Max, 100 * Used as Full, LOC, FIX, _Head, _From, _To, _Duration
from {rows} order by SOS desc, DMC desc, Full_Max desc nulls last, QMgr, Start, Pool
"""


def make(spark: SparkSession, tables: Path, options: Options) -> Report:
    with kept(chosen(spark, tables, "QPST", options)) as pools:
        return _report(spark, pools, options)


def _report(spark: SparkSession, pools: DataFrame, options: Options) -> Report:
    found, left = first(spark.sql(_POOLS, qpst=pools), options.rows)
    if not found:
        return nothing("buffer", TITLE, options, _WHAT, _REMEDY)
    whole = Table("Buffer pools", _POOL_COLUMNS, [cells(row) for row in found], left)
    start = "date_format(Interval_Start, 'yyyy-MM-dd HH:mm:ss') as Start"
    worst, more = first(spark.sql(_WORST, rows=pools.selectExpr("*", start, *HEADING)), options.rows)
    names = [name for name in worst[0].__fields__ if not name.startswith("_")]
    columns = [_column(name) for name in names]
    detail = Table("Intervals, the fullest first", columns, [cells(row[: len(names)]) for row in worst], more)
    detail.listing = listing(worst, _lines)
    full = [(f"{row.QMgr} pool {row.Pool}", row.Full_Max) for row in found if row.Full_Max is not None][:20]
    chart = Chart(
        "Highest use of buffer pools", "bar", [name for name, _ in full], [Series("Full", [at for _, at in full])]
    )
    chart.y_title = "% of the buffers"
    words, figures = _words(pools)
    return Report("buffer", TITLE, words, [whole, detail], [chart], figures)


def _column(name: str) -> Column:
    texts = {
        "QMgr": Column("QMgr"),
        "Start": Column("Interval start", unit="UTC"),
        "LOC": Column("LOC"),
        "FIX": Column("FIX"),
    }
    shares = {"Full_Max": Column("Highest full", 1, "%"), "Full": Column("Full", 1, "%")}
    return texts.get(name) or shares.get(name) or Column(name, 0)


def _lines(row: Any) -> list[str]:
    pool = f"> {row.Pool:02d} "

    def counters(*names: str) -> str:
        return pool + "  ".join(f"{name} {row[name]}" for name in names)

    full = f"{pool}Highest {row.Full_Max or 0:.0f}% full, now {row.Full or 0:.0f}% full"
    place = f"{(row.LOC or '').lower()} the bar" if row.LOC else ""
    fixed = {"Fixed": "page-fixed", "Paged": "pageable"}.get(row.FIX or "", "")
    return [
        counters("Buffs", "Low", "Now", "Getp", "Getn"),
        counters("Rio", "STW", "TPW", "WIO", "IMW"),
        counters("DWT", "DMC", "STL", "STLA", "SOS"),
        ", ".join(filter(None, [full, place, fixed])),
    ]


def _words(pools: DataFrame) -> tuple[list[str], list[Figure]]:
    seen = pools.selectExpr(
        "count(distinct QMgr, BufferPool) as Pools",
        "max(struct(Used_Max, QMgr, BufferPool)) as Fullest",
        "count(distinct if(Suspend_No_Buffers > 0, struct(QMgr, BufferPool), null)) as Short",
        "count(distinct if(Sync_Write_THold_Reached > 0, struct(QMgr, BufferPool), null)) as Threshold",
        "count(distinct if(Sync_Writes > 0, struct(QMgr, BufferPool), null)) as Synchronous",
        "count(distinct if(Defer_Write_THold_Reached > 0 and DASD_Read > 0, struct(QMgr, BufferPool), null)) as Small",
    ).collect()[0]
    made = [f"{many(seen.Pools, 'buffer pool')}."]
    if seen.Fullest and seen.Fullest.Used_Max is not None:
        fullest = seen.Fullest
        made[0] = (
            f"{many(seen.Pools, 'buffer pool')}; the fullest was pool {fullest.BufferPool} of {fullest.QMgr}, with "
            f"{100 * fullest.Used_Max:.1f} % of its buffers in use at the worst time."
        )
    if seen.Short:
        made.append(f"{many(seen.Short, 'pool')} ran out of buffers: work waited until pages had been written.")
    if seen.Threshold:
        made.append(f"{many(seen.Threshold, 'pool')} reached 95 % and wrote pages in line with the application.")
    if seen.Synchronous:
        made.append(f"{many(seen.Synchronous, 'pool')} wrote pages synchronously: applications waited for the writes.")
    if seen.Small:
        made.append(
            f"{many(seen.Small, 'pool')} reached 85 % and read pages back: too small for the depth of the queues."
        )
    if not (seen.Short or seen.Threshold or seen.Synchronous or seen.Small):
        made.append("No pool was short of buffers.")
    figures = [Figure("buffer pools", f"{seen.Pools:,}")]
    if seen.Fullest and seen.Fullest.Used_Max is not None:
        fullest = seen.Fullest
        figures.append(Figure(f"fullest: {fullest.QMgr} {fullest.BufferPool}", f"{100 * fullest.Used_Max:.0f}", "%"))
    if seen.Short:
        figures.append(Figure("ran out of buffers", f"{seen.Short:,}", "pools"))
    return made, figures
