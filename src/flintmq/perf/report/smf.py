"""What queue managers recorded while runs were measured: SMF 115 and 116, added up for each run.

    calls     puts, gets and bytes of the whole queue manager         115-2, QMST
    log       what was written, how, and how busy the logger was      115-1, QJST
    buffers   the highest use of each buffer pool                     115-215, QPST
    queues    puts, gets and depths of the queues that were used      115-216, QQST
    tasks     cost of a put and of a get by program                   116-1, WTAS, WTID and WQ

Dumps of the runs are read, and dumps that are given beside them, of FlintMQ or of z/OS. A row is a run, which it leads
to, or a given dump with its queue manager. Spark adds up the records of each dump; a run has a dump for each of its
repeats, and the sums of those are added up here. Intervals in which nothing was put, got or logged count nowhere, and
queues that were not used are left out. `flint pipeline report` has every interval.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flintmq.perf.report.workloads import RUN, without_empty
from flintmq.pipeline.reports.model import Cell, Chart, Column, Figure, Report, Section, Series, Table
from flintmq.pipeline.reports.options import Options
from flintmq.pipeline.reports.records import chosen

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Queues and programs of one run that are listed, and rows of a table.
EACH_MAX, ROWS_MAX = 4, 200
#: Bars of a chart.
BARS_MAX = 20
PAGE = 4096

_NUMBER = re.compile(r"(\d+)-[^/]*$")

_CALLS = """
select File, QMgr, count(*) as intervals, sum(Interval_Duration_US) / 1e6 as seconds,
       sum(coalesce(Put, 0) + coalesce(Put1, 0)) as puts, sum(Get) as gets, sum(Open) as opens,
       sum(PersPuts) as persistent, sum(coalesce(PersPuts, 0) + coalesce(NonPersPuts, 0)) as messages,
       sum(coalesce(PersPutBytes, 0) + coalesce(NonPersPutBytes, 0)) as bytes
from {qmst} where coalesce(Put, 0) + coalesce(Put1, 0) + coalesce(Get, 0) > 0 group by File, QMgr
"""
_LOG = """
select File, QMgr, count(*) as intervals, sum(Interval_Duration_US) as us,
       sum(IO_Count_1_1 + IO_Count_1_2) as writes, sum(IO_CI_1_1 + IO_CI_1_2) as pages,
       sum(IO_Total_Time_1_1_US + IO_Total_Time_1_2_US) as io_us,
       sum(greatest(Interval_Duration_US - least(Writer_Idle_Time, Interval_Duration_US), 0)) as task_us,
       max(greatest(IO_Max_Duration_1_1_US, IO_Max_Duration_1_2_US)) as longest_max,
       sum(Log_Write_Requests) as requests, sum(Unavailable_Buffer_Count) as waits, sum(Checkpoints) as checkpoints
from {qjst} where IO_Count_1_1 + IO_Count_1_2 > 0 group by File, QMgr
"""
_BUFFERS = """
select File, QMgr, BufferPool as pool, max(Buffer_Count) as buffers_max, max(Used_Max) as full_max,
       sum(coalesce(Getp_Old_Requests, 0) + coalesce(Getp_New_Requests, 0)) as page_gets, sum(DASD_Read) as reads,
       sum(Pages_Written) as written, sum(Sync_Writes) as synchronous, sum(Suspend_No_Buffers) as short
from {qpst} group by File, QMgr, BufferPool
having sum(coalesce(Getp_Old_Requests, 0) + coalesce(Getp_New_Requests, 0) + coalesce(DASD_Read, 0)) > 0
"""
_QUEUES = """
select File, QMgr, Queue as queue, sum(coalesce(Put, 0) + coalesce(Put1, 0)) as puts, sum(Get) as gets,
       sum(Streamed) as streamed, sum(Expired) as expired,
       max(greatest(Queue_Depth_High_Water, Current_Depth)) as deepest_max, max(Max_Age) as oldest_max
from {qqst} group by File, QMgr, Queue
having sum(coalesce(Put, 0) + coalesce(Put1, 0) + coalesce(Get, 0) + coalesce(Streamed, 0)) + max(Current_Depth) > 0
"""
_TASKS = """
select q.File, q.QMgr, coalesce(w.job, '') as job, count(distinct q.Correlation) as tasks,
       sum(coalesce(Put_Count, 0) + coalesce(Put1_Count, 0)) as puts, sum(Get_Count) as gets,
       sum(coalesce(Put_CT_US, 0) + coalesce(Put1_CT_US, 0)) as put_cpu, sum(Get_CT_US) as get_cpu,
       sum(coalesce(Put_ET_US, 0) + coalesce(Put1_ET_US, 0)) as put_us, sum(Get_ET_US) as get_us,
       sum(Total_Bytes_Put) as put_bytes, max(Max_Depth) as deepest_max
from {wq} q left join (
  select File, QMgr, WTAS_Correlator, max(coalesce(Connection_Name, Channel_Name)) as job
  from {wtid} group by File, QMgr, WTAS_Correlator
) w on q.File = w.File and q.QMgr = w.QMgr and q.Correlation = w.WTAS_Correlator
group by q.File, q.QMgr, coalesce(w.job, '')
having sum(coalesce(Put_Count, 0) + coalesce(Put1_Count, 0)) + sum(Get_Count) > 0
"""


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of a dump: a run with its workload, or a file that was given."""

    run: str
    workload: str


@dataclass(slots=True)
class Sum:
    """Records of one run, or of one queue manager of a dump: sums, and greatest values under names in `_max`."""

    origin: Origin
    qmgr: str
    #: The rest of its key: a pool, a queue, a job.
    what: Cell
    values: dict[str, float]

    def get(self, name: str) -> float | None:
        return self.values.get(name)

    def over(self, name: str, by: str, times: float = 1.0) -> float | None:
        """Return one value over another one."""
        top, bottom = self.values.get(name), self.values.get(by)
        return times * top / bottom if top is not None and bottom else None


def folded(rows: Iterable[Any], origins: Sequence[Origin], key: str = "") -> list[Sum]:
    """Add up the rows of dumps by run, or by dump and queue manager, and by `key`; the order is that of the runs."""
    made: dict[tuple[Origin, str, Cell], Sum] = {}
    for row in rows:
        origin, what = _origin(str(row.File), origins), row[key] if key else None
        # A run has one queue manager; dumps that are given may have several.
        place = (origin, "" if origin.run else str(row.QMgr or ""), what)
        found = made.setdefault(place, Sum(origin, str(row.QMgr or ""), what, {}))
        for name, value in row.asDict().items():
            if name not in ("File", "QMgr", key) and value is not None:
                number = float(value)
                known = found.values.get(name)
                if known is not None:
                    number = max(known, number) if name.endswith("_max") else known + number
                found.values[name] = number
    order = {origin: number for number, origin in reversed(list(enumerate(origins)))}
    return sorted(made.values(), key=lambda each: (order[each.origin], each.qmgr))


def _origin(file: str, origins: Sequence[Origin]) -> Origin:
    found = _NUMBER.search(file)
    assert found, f"{file}: dumps are gathered under numbers"
    return origins[int(found[1]) - 1]


def chapter(spark: SparkSession, tables: Path, origins: Sequence[Origin]) -> Report:
    """Return the chapter of all dumps in `tables`."""

    def ask(question: str, **structures: str) -> list[Any]:
        options = Options()
        frames: dict[str, Any] = {name: chosen(spark, tables, each, options) for name, each in structures.items()}
        return spark.sql(question, **frames).collect()

    calls = folded(ask(_CALLS, qmst="QMST"), origins)
    made = Report("SMF records", "From SMF records")
    runs = len({each.run for each in origins if each.run})
    given = len({each.workload for each in origins if not each.run})
    parts = [f"{runs} run{'s' if runs != 1 else ''}"] if runs else []
    parts += [f"{given} dump{'s' if given != 1 else ''} beside them" if runs else f"{given} dumps"] if given else []
    made.words = [
        f"What queue managers recorded themselves as SMF 115 and 116: of {' and of '.join(parts)}, added up for each.",
        "Times in which nothing was put, got or logged, and queues that were not used, count nowhere.",
    ]
    made.sections = [
        _calls(calls),
        _log(folded(ask(_LOG, qjst="QJST"), origins)),
        _buffers(folded(ask(_BUFFERS, qpst="QPST"), origins, "pool")),
        _queues(folded(ask(_QUEUES, qqst="QQST"), origins, "queue")),
        _tasks(folded(ask(_TASKS, wq="WQ", wtid="WTID"), origins, "job")),
    ]
    busiest = max(calls, key=lambda each: each.over("puts", "seconds") or 0.0, default=None)
    if busiest is not None:
        link = f"run-{busiest.origin.run}" if busiest.origin.run else ""
        value = f"{busiest.over('puts', 'seconds') or 0:,.0f}"
        made.figures = [Figure(f"most puts, {busiest.origin.workload}", value, "1/s", link)]
    made.silent = not calls
    return made


Value = Callable[[Sum], Cell]
#: A series of a chart: its name, and its value of each row.
Drawn = tuple[str, Callable[[Sum], float | None]]


def _filled(
    title: str, words: str, remedy: str, found: Sequence[Sum], columns: Sequence[tuple[Column, Value]]
) -> Section:
    """Return a section with a table of sums. Every row leads to its run."""
    if not found:
        return Section(title, [f"No such records: they are written while `{remedy}` is in force."])
    every: list[tuple[Column, Value]] = [
        (Column("Workload" if all(each.origin.run for each in found) else "Workload or dump"), _workload),
        (Column("Queue manager"), lambda each: "" if each.origin.run else each.qmgr),
        *columns,
        (RUN, lambda each: each.origin.run),
    ]
    rows: list[tuple[Cell, ...]] = [tuple(value(each) for _, value in every) for each in found[:ROWS_MAX]]
    heads, shown = without_empty([column for column, _ in every], rows)
    return Section(title, [words], tables=[Table("", heads, shown, max(len(found) - ROWS_MAX, 0))])


def _workload(each: Sum) -> Cell:
    return each.origin.workload


def _chart(title: str, unit: str, found: Sequence[Sum], series: Sequence[Drawn]) -> Chart:
    """Return bars for the rows that reach highest, in their order."""
    ranked = sorted(found, key=lambda each: -max(of(each) or 0.0 for _, of in series))[:BARS_MAX]
    shown = [each for each in found if any(each is one for one in ranked)]
    names = [_name(each, shown) for each in shown]
    return Chart(title, "bar", names, [Series(name, [of(each) for each in shown]) for name, of in series], unit)


def _name(each: Sum, among: Sequence[Sum]) -> str:
    name = each.origin.workload if each.origin.run else f"{each.origin.workload}, {each.qmgr}"
    if each.what not in (None, ""):
        name += f", pool {each.what}" if isinstance(each.what, int) else f", {each.what}"
    twins = [other for other in among if (other.origin.workload, other.what) == (each.origin.workload, each.what)]
    return f"{name}, run {each.origin.run[-RUN.tail :]}" if len(twins) > 1 and each.origin.run else name


def _calls(found: Sequence[Sum]) -> Section:
    columns: list[tuple[Column, Value]] = [
        (Column("Measured", 0, "s"), lambda each: each.get("seconds")),
        (Column("Puts", 0), lambda each: each.get("puts")),
        (Column("Gets", 0), lambda each: each.get("gets")),
        (Column("Opens", 0), lambda each: each.get("opens")),
        (Column("Messages", 0), lambda each: each.get("messages")),
        (Column("Puts", 0, "1/s"), lambda each: each.over("puts", "seconds")),
        (Column("Gets", 0, "1/s"), lambda each: each.over("gets", "seconds")),
        (Column("Persistent", 0, "%"), lambda each: each.over("persistent", "messages", 100)),
        (Column("Put", 1, "MB"), lambda each: (each.get("bytes") or 0.0) / 1e6),
    ]
    words = (
        "Calls of all applications. A get that waits may ask several times. All intervals of a run, warm-up included."
    )
    made = _filled("Calls and messages", words, "START TRACE(STAT) CLASS(1)", found, columns)
    if found:
        series = [
            ("puts", lambda each: each.over("puts", "seconds")),
            ("gets", lambda each: each.over("gets", "seconds")),
        ]
        made.charts = [_chart("Calls and messages: puts and gets", "per second", found, series)]
    return made


def _log(found: Sequence[Sum]) -> Section:
    columns: list[tuple[Column, Value]] = [
        (Column("Log", 2, "MB/s"), lambda each: each.over("pages", "us", PAGE)),
        (Column("Requests", 0), lambda each: each.get("requests")),
        (Column("Writes", 0), lambda each: each.get("writes")),
        (Column("Pages a write", 2), lambda each: each.over("pages", "writes")),
        (Column("Time of a write", 0, "us"), lambda each: each.over("io_us", "writes")),
        (Column("Longest", 0, "us"), lambda each: each.get("longest_max")),
        (Column("I/O busy", 1, "%"), lambda each: each.over("io_us", "us", 100)),
        (Column("Task busy", 1, "%"), lambda each: each.over("task_us", "us", 100)),
        (Column("Waits for a buffer", 0), lambda each: each.get("waits")),
        (Column("Checkpoints", 0), lambda each: each.get("checkpoints")),
    ]
    words = (
        "Copy 1 of the log, in intervals with writes. I/O busy is the share of time in which a write was under way, "
        "task busy the share in which the logger was not idle."
    )
    made = _filled("Log", words, "START TRACE(STAT) CLASS(1)", found, columns)
    if found:
        series = [
            ("I/O busy", lambda each: each.over("io_us", "us", 100)),
            ("task busy", lambda each: each.over("task_us", "us", 100)),
        ]
        made.charts = [_chart("Log: share of the time in which the logger was busy", "%", found, series)]
    return made


def _buffers(found: Sequence[Sum]) -> Section:
    columns: list[tuple[Column, Value]] = [
        (Column("Pool", 0), lambda each: each.what),
        (Column("Buffers", 0), lambda each: each.get("buffers_max")),
        (Column("Highest full", 1, "%"), lambda each: _percent(each.get("full_max"))),
        (Column("Page gets", 0), lambda each: each.get("page_gets")),
        (Column("Pages read", 0), lambda each: each.get("reads")),
        (Column("Pages written", 0), lambda each: each.get("written")),
        (Column("Synchronous writes", 0), lambda each: each.get("synchronous")),
        (Column("Out of buffers", 0), lambda each: each.get("short")),
    ]
    words = "Buffer pools that were used. A pool without a free buffer stops work; synchronous writes slow it down."
    made = _filled("Buffer pools", words, "START TRACE(STAT) CLASS(1)", found, columns)
    if found:
        series = [("highest use", lambda each: _percent(each.get("full_max")))]
        made.charts = [_chart("Buffer pools: highest use", "% of the buffers", found, series)]
    return made


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _queues(found: Sequence[Sum]) -> Section:
    columns: list[tuple[Column, Value]] = [
        (Column("Queue"), lambda each: each.what),
        (Column("Puts", 0), lambda each: each.get("puts")),
        (Column("Gets", 0), lambda each: each.get("gets")),
        (Column("Streamed", 0), lambda each: each.get("streamed") or None),
        (Column("Expired", 0), lambda each: each.get("expired") or None),
        (Column("Deepest", 0), lambda each: each.get("deepest_max")),
        (Column("Oldest", 0, "s"), lambda each: each.get("oldest_max")),
    ]
    shown, left = _most(found, lambda each: (each.get("puts") or 0.0) + (each.get("gets") or 0.0))
    more = f"; {left:,} others were used" if left else ""
    words = f"The queues with most puts and gets, at most {EACH_MAX} of a run{more}."
    return _filled("Queues", words, "START TRACE(STAT) CLASS(5)", shown, columns)


def _tasks(found: Sequence[Sum]) -> Section:
    columns: list[tuple[Column, Value]] = [
        (Column("Program"), lambda each: each.what),
        (Column("Tasks", 0), lambda each: each.get("tasks")),
        (Column("Puts", 0), lambda each: each.get("puts")),
        (Column("Gets", 0), lambda each: each.get("gets")),
        (Column("CPU of a put", 1, "us"), lambda each: each.over("put_cpu", "puts") or None),
        (Column("Time of a put", 1, "us"), lambda each: each.over("put_us", "puts") or None),
        (Column("CPU of a get", 1, "us"), lambda each: each.over("get_cpu", "gets")),
        (Column("Time of a get", 1, "us"), lambda each: each.over("get_us", "gets")),
        (Column("Bytes of a put", 0), lambda each: each.over("put_bytes", "puts")),
    ]
    shown, left = _most(found, lambda each: (each.get("put_cpu") or 0.0) + (each.get("get_cpu") or 0.0))
    words = (
        f"Accounting of tasks: the programs whose calls cost most, at most {EACH_MAX} of a run"
        f"{f'; {left:,} others did less' if left else ''}. Drivers are accounted for in the first half of the "
        "first warm-up, so that it costs nothing in the measured part. The time of a get includes its wait."
    )
    made = _filled("Tasks", words, "START TRACE(ACCTG) CLASS(3)", shown, columns)
    # A put to a topic has its cost elsewhere.
    used = [each for each in shown if each.over("put_cpu", "puts")]
    if used:
        series = [("CPU of a put", lambda each: each.over("put_cpu", "puts"))]
        made.charts = [_chart("Tasks: CPU of a put", "us", used, series)]
    return made


def _most(found: Sequence[Sum], of: Callable[[Sum], float]) -> tuple[list[Sum], int]:
    """Return the first EACH_MAX rows of each run by a figure, and the number of the others."""
    groups: dict[tuple[Origin, str], list[Sum]] = {}
    for each in found:
        groups.setdefault((each.origin, "" if each.origin.run else each.qmgr), []).append(each)
    made = [each for group in groups.values() for each in sorted(group, key=lambda one: -of(one))[:EACH_MAX]]
    return made, len(found) - len(made)
