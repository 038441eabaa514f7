"""LOG: how much was logged, in which sizes, and how busy the logger was (115-1, QJST).

    pages per I/O     pages of 4 KB that one write wrote; 128 is the most
    log write rate    of one copy
    logger I/O busy   share of the interval in which copy 1 was being written
    logger task busy  share of the interval in which the logger task was not idle; 0 if it was idle for longer than that

LOGMANAGER prints every counter of the record under the names that CSQW1150 has for it, with the data-compression block;
COMPRESSION that block alone, and the saving of compression.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from flintmq.pipeline.reports.model import Column, Figure, Report, Table
from flintmq.pipeline.reports.options import Options
from flintmq.pipeline.reports.records import (
    HEADING,
    ORDER,
    by_time,
    cells,
    chosen,
    first,
    many,
    nothing,
    over_time,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TITLE = "LOG: what was logged, and how busy the logger was"
TITLE_MANAGER = "LOGMANAGER: the counters of the log manager"
TITLE_COMPRESSION = "COMPRESSION: log records before and after"
_WHAT = "statistics of the log manager (115-1)"
_REMEDY = "They are written while START TRACE(STAT) CLASS(1) is in force."
#: The most pages that one write takes.
PAGES_MAX = 128
#: A logger task that is this busy has no time left.
FULL = 0.95

_START = "date_format(Interval_Start, 'yyyy-MM-dd HH:mm:ss')"
_COLUMNS = [
    ("Start", _START, Column("Interval start", unit="UTC")),
    ("QMgr", "QMgr", Column("QMgr")),
    ("Seconds", "Interval_Duration_US / 1e6", Column("Length", 0, "s")),
    ("Pages_Per_IO", "Pages_Per_IO_1", Column("Pages per I/O", 2)),
    ("Rate", "Log_MB_Per_Second_1", Column("Rate per copy", 2, "MB/s")),
    ("IO_Busy", "100 * Logger_IO_Busy_1", Column("Logger I/O busy", 2, "%")),
    ("Task_Busy", "100 * if(Logger_Task_Busy < 0, 0, Logger_Task_Busy)", Column("Logger task busy", 2, "%")),
    ("Requests", "Log_Write_Requests", Column("Write requests", 0)),
    ("Writes", "IO_Count_1_1 + IO_Count_1_2", Column("Writes", 0)),
    ("Pages", "IO_CI_1_1 + IO_CI_1_2", Column("Pages", 0)),
    (
        "IO_Time",
        "(IO_Total_Time_1_1_US + IO_Total_Time_1_2_US) / nullif(IO_Count_1_1 + IO_Count_1_2, 0)",
        Column("Time of a write", 0, "us"),
    ),
    ("IO_Max", "greatest(IO_Max_Duration_1_1_US, IO_Max_Duration_1_2_US)", Column("Longest write", 0, "us")),
    ("Rate_2", "Log_MB_Per_Second_2", Column("Rate of copy 2", 2, "MB/s")),
    ("Suspends", "Log_Request_Suspends", Column("Suspends", 0)),
    ("No_Buffer", "Unavailable_Buffer_Count", Column("Waits for a buffer", 0)),
    ("Checkpoints", "Checkpoints", Column("Checkpoints", 0)),
]

#: CSQW1150: its lines, each a label and the column of the table.
MANAGER_LINES = [
    [
        ("Write_Wait", "WRT_Request_Wait"),
        ("Write_Nowait", "WRT_Request_NoWait"),
        ("Write_Force", "WRT_Request_Force"),
        ("WTB", "Unavailable_Buffer_Count"),
    ],
    [
        ("Read_Stor", "Log_Read_Output_Buffer"),
        ("Read_Active", "Log_Read_Active_Log"),
        ("Read_Archive", "Log_Read_Archive_Log"),
        ("TVC", "Tape_Contention_Delays"),
    ],
    [
        ("BSDS_Reqs", "BSDS_Access"),
        ("CIs_Created", "Active_Log_CI"),
        ("BFWR", "Buffer_Writes"),
        ("ALR", "Archive_Read"),
    ],
    [("ALW", "Archive_Write"), ("CIs_Offload", "CI_Offloads"), ("Checkpoints", "Checkpoints")],
    [("WUR", "Read_Delayed"), ("LAMA", "Lookahead_Mount_Attempts"), ("LAMS", "Lookahead_Mount_Succeed")],
    [("Write_Susp", "Log_Request_Suspends"), ("Write_Reqs", "Log_Writes"), ("CI_Writes", "Log_CI")],
    [
        ("Write_Serl", "Log_CI_Serial"),
        ("Write_Thrsh", "Log_Write_Threshold"),
        ("Buff_Pagein", "Log_Write_Buffer_Paged"),
    ],
]
_COMPRESSION = [
    ("Comp_Req", "Comp_Requests"),
    ("Comp_fail", "Comp_Fail"),
    ("Decomp_req", "Decomp_Requests"),
    ("Fail", "Decomp_Fail"),
    ("Before", "Comp_Uncompressed_Bytes"),
    ("After", "Comp_Compressed_Bytes"),
    ("Packed", "Decomp_Compressed_Bytes"),
    ("Unpacked", "Decomp_Uncompressed_Bytes"),
]
NOT_COMPRESSED = "Nothing was compressed: SET LOG COMPLOG(RLE) switches compression of log records on."
#: The record has room for three compression methods; one is used.
METHODS = 3
#: The lines of CSQW1150 above its report.
_TOP = "concat('z/OS:', LPAR, '  MQ QMGR:', QMgr, '  Time: ', date_format(Time, 'yyyyDDD HH:mm:ss.SS')) as _Top"


def make(spark: SparkSession, tables: Path, options: Options) -> Report:
    log = chosen(spark, tables, "QJST", options)
    made, rows = by_time("Log by interval", log, _COLUMNS, _lines, options.rows)
    if not rows:
        return nothing("log", TITLE, options, _WHAT, _REMEDY)
    charts = [
        over_time(rows, "Log write rate", {"Rate": "per copy"}, "MB/s"),
        over_time(rows, "Logger busy", {"IO_Busy": "I/O", "Task_Busy": "task"}, "% of the interval"),
    ]
    words, figures = _words(log)
    return Report("log", TITLE, words, [made], charts, figures)


def _lines(row: Any) -> list[str]:
    lines = [
        f"Pages written per I/O: {short(row.Pages_Per_IO)}",
        f"Log write rate: {short(row.Rate)}MB/s per copy",
        f"Logger I/O busy: {short(row.IO_Busy)}%",
        f"Logger task busy: {short(row.Task_Busy)}%",
    ]
    there = [line for line in lines if ": %" not in line and ": MB" not in line and not line.endswith(": ")]
    return there or ["This release does not record log I/O."]


def short(value: float | None) -> str:
    """Format a value with at most two decimals."""
    return "" if value is None else f"{value:,.2f}".rstrip("0").rstrip(".")


def _words(log: DataFrame) -> tuple[list[str], list[Figure]]:
    seen = log.selectExpr(
        "count(*) as Intervals",
        "try_sum(if(IO_CI_1_1 is null, null, Interval_Duration_US)) as Duration",
        "try_sum(if(Interval_Duration_US > 0, IO_CI_1_1 + IO_CI_1_2, null)) as Timed_Pages",
        "try_sum(IO_CI_1_1 + IO_CI_1_2) as Pages",
        "try_sum(IO_Count_1_1 + IO_Count_1_2) as Writes",
        "max(Log_MB_Per_Second_1) as Rate_Max",
        "max(struct(Logger_Task_Busy, Pages_Per_IO_1, Interval_Start, QMgr)) as Busiest",
        "try_sum(Unavailable_Buffer_Count) as No_Buffer",
        "try_sum(Tape_Contention_Delays) as Delays",
        "try_sum(bigint(Log_Read_Output_Buffer) + Log_Read_Active_Log + Log_Read_Archive_Log) as Reads",
    ).collect()[0]
    words = []
    if seen.Duration and seen.Pages is not None:
        rate = seen.Timed_Pages * 4096 / seen.Duration
        per = f", {seen.Pages / seen.Writes:,.2f} pages a write" if seen.Writes else ""
        words.append(
            f"{many(seen.Intervals, 'interval')}: {rate:,.2f} MB/s per copy on average, "
            f"{seen.Rate_Max or 0:,.2f} at most{per}."
        )
    else:
        words.append(f"{many(seen.Intervals, 'interval')}, of releases that do not record log I/O.")
    busiest = seen.Busiest
    if busiest and busiest.Logger_Task_Busy is not None:
        busy = (
            f"The logger task of {busiest.QMgr} was busy {100 * busiest.Logger_Task_Busy:.1f} % of its busiest interval"
        )
        pages = busiest.Pages_Per_IO_1
        if busiest.Logger_Task_Busy < FULL or pages is None:
            words.append(f"{busy}.")
        elif pages < PAGES_MAX:
            room = "more work would go into larger writes"
            words.append(f"{busy}; it wrote {pages:.0f} pages at a time of {PAGES_MAX} at most, so {room}.")
        else:
            words.append(f"{busy}, with the largest writes that there are: the log is full for this workload.")
    if seen.No_Buffer:
        words.append(f"{many(seen.No_Buffer, 'wait')} for a log buffer: OUTBUFF is too small, or the log too slow.")
    if seen.Reads and seen.Delays > seen.Reads / 100:
        words.append(f"{many(seen.Delays, 'read')} of archive logs waited for a volume, over 1 % of all reads.")
    figures = []
    if seen.Rate_Max is not None:
        figures.append(Figure("log, at most", f"{seen.Rate_Max:,.2f}", "MB/s"))
    if busiest and busiest.Logger_Task_Busy is not None:
        figures.append(Figure("logger task, at most", f"{100 * busiest.Logger_Task_Busy:.0f}", "% busy"))
    return words, figures


def make_manager(spark: SparkSession, tables: Path, options: Options) -> Report:
    labels = [pair for line in MANAGER_LINES for pair in line]
    return _counters(
        spark, tables, options, "logmanager", TITLE_MANAGER, labels, lambda row: [row._Top, *_manager_lines(row), ""]
    )


def _counters(
    spark: SparkSession,
    tables: Path,
    options: Options,
    name: str,
    title: str,
    labels: list[tuple[str, str]],
    lines: Any,
) -> Report:
    """Report counters by interval under the labels of CSQW1150, and the data-compression block after them."""
    every = [*labels, *_COMPRESSION]
    shown = [f"{_START} as Start", "QMgr", *(f"{column} as {label}" for label, column in every), *HEADING, _TOP]
    log = chosen(spark, tables, "QJST", options)
    rows, left = first(log.orderBy(*ORDER).selectExpr(*shown), options.rows)
    if not rows:
        return nothing(name, title, options, _WHAT, _REMEDY)
    columns = [Column("Interval start", unit="UTC"), Column("QMgr"), *(Column(label, 0) for label, _ in labels)]
    columns += [Column(label, 0) for label, _ in _COMPRESSION[:4]]
    columns += [Column("Compression before", 0, "bytes"), Column("Compression after", 0, "bytes")]
    columns += [Column("Decompression before", 0, "bytes"), Column("Decompression after", 0, "bytes")]
    made = Table(
        "Log manager" if labels else "Data compression", columns, [cells(row[: len(columns)]) for row in rows], left
    )
    made.listing = [line for row in rows for line in lines(row)][:-1]
    words = _saved(log)
    return Report(name, title, words, [made], silent=words == [NOT_COMPRESSED])


def _manager_lines(row: Any) -> list[str]:
    lines = ["Log manager : QJST"]
    for pairs in MANAGER_LINES:
        lines.append("  ".join(f"{label:<12} {row[label] or 0:>12}" for label, _ in pairs))
    return [*lines, *compression_lines(row)]


def compression_lines(row: Any) -> list[str]:
    """Return the block three times; only the first is ever used, and none is there before 7.0.1."""
    if row.Comp_Req is None:
        return []
    lines = []
    for number in range(1, METHODS + 1):
        used = number == 1
        counts = [(label, row[label] if used else 0) for label, _ in _COMPRESSION]
        asked, failed, back, back_failed, before, after, packed, unpacked = (count for _, count in counts)
        lines += [
            f"Data compression : {number}",
            f"  Comp_Req {asked:>12}  Comp_fail {failed:>12}  Decomp_req {back:>12}  Fail {back_failed:>12}",
            f"  Compression:   Before {before:>20}  After {after:>20}  {saving(after, before):>3}%",
            f"  Decompression: Before {packed:>20}  After {unpacked:>20}  {saving(packed, unpacked):>3}%",
        ]
    return lines


def saving(packed: int, whole: int) -> int:
    """Return the saving of compression in whole per cent, cut off; 0 where nothing was compressed."""
    saved = 100 * abs(whole - packed) // whole if whole else 0
    return saved if packed <= whole else -saved


def make_compression(spark: SparkSession, tables: Path, options: Options) -> Report:
    return _counters(
        spark,
        tables,
        options,
        "compression",
        TITLE_COMPRESSION,
        [],
        lambda row: [
            row._Top,
            *(compression_lines(row) or ["No compression counters: the record is of 7.0.0 or older."]),
            "",
        ],
    )


def _saved(log: DataFrame) -> list[str]:
    seen = log.selectExpr(
        "try_sum(Comp_Requests) as Requests",
        "try_sum(Comp_Fail) as Failed",
        "try_sum(Comp_Uncompressed_Bytes) as Before",
        "try_sum(Comp_Compressed_Bytes) as After",
    ).collect()[0]
    if not seen.Requests or not seen.Before:
        return [NOT_COMPRESSED]
    share = 100 * (1 - seen.After / seen.Before)
    pieces = f"{many(seen.Requests, 'piece')} of {seen.Before / seen.Requests:,.0f} bytes on average"
    made = [f"{pieces}: {seen.Before:,} bytes became {seen.After:,}, {share:.1f} % less."]
    if seen.Failed:
        made.append(f"{many(seen.Failed, 'piece')} would have become larger, and were logged as they were.")
    return made
