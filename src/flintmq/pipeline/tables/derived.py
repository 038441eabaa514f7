"""Columns of silver tables that are computed: averages, rates and shares.

A share is between 0 and 1. An average, a rate or a share is null where the count under it is 0: nothing was measured.
Times are microseconds, rates are per second of the interval, MB are 10^6 bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

#: A page of the log, of a page set and of a buffer pool.
PAGE = 4096
#: Made once: pyarrow looks for date libraries each time it is given a Python number.
_ZERO, _ONE, _MILLION = pa.scalar(0.0), pa.scalar(1.0), pa.scalar(1e6)
_NOTHING = pa.scalar(None, pa.float64())
_NONE, _PAGE = pa.scalar(0, pa.int64()), pa.scalar(PAGE, pa.int64())


@dataclass(frozen=True)
class Derived:
    """One column."""

    name: str
    meaning: str
    compute: Callable[[Any], Any]


def real(values: Any) -> Any:
    """Convert to floats. A counter above 2^53, which only a damaged record has, loses digits and stops nothing."""
    return pc.cast(values, pa.float64(), safe=False)


def quotient(above: Any, below: Any) -> Any:
    """Divide above by below; null where below is 0."""
    divisor = real(below)
    return pc.divide(real(above), pc.if_else(pc.equal(divisor, _ZERO), _NOTHING, divisor))


def total(table: Any, *names: str) -> Any:
    """Return the sum of columns; a column that a record lacks counts as 0."""
    columns = [pc.fill_null(pc.cast(table[name], pa.int64()), _NONE) for name in names]
    made = columns[0]
    for column in columns[1:]:
        made = pc.add(made, column)
    return made


def whole(table: Any, *names: str) -> Any:
    """Return the sum of columns that a record has all or none of; null if none."""
    made = pc.cast(table[names[0]], pa.int64())
    for name in names[1:]:
        made = pc.add(made, pc.cast(table[name], pa.int64()))
    return made


def ratio(name: str, above: str, below: str, meaning: str) -> Derived:
    return Derived(name, meaning, lambda table: quotient(table[above], table[below]))


def share_used(name: str, free: str, size: str, meaning: str) -> Derived:
    """Return the derived column 1 - free / size."""
    return Derived(name, meaning, lambda table: pc.subtract(_ONE, quotient(table[free], table[size])))


def per_second(name: str, counter: str, meaning: str) -> Derived:
    def compute(table: Any) -> Any:
        return pc.multiply(quotient(table[counter], table["Interval_Duration_US"]), _MILLION)

    return Derived(name, meaning, compute)


def sum_of(name: str, meaning: str, *columns: str) -> Derived:
    return Derived(name, meaning, lambda table: total(table, *columns))


_CALLS = ("Open", "Close", "Get", "Put", "Put1", "Inq", "Set", "CallBack")


def _wq() -> list[Derived]:
    made = []
    for call in _CALLS:
        made.append(ratio(f"{call}_ET_Avg_US", f"{call}_ET_US", f"{call}_Count", f"Elapsed time of one {call}"))
        made.append(ratio(f"{call}_CT_Avg_US", f"{call}_CT_US", f"{call}_Count", f"CPU time of one {call}"))
    made.append(ratio("Put_Size_Avg", "Total_Bytes_Put", "Total_Valid_Puts", "Bytes of a message put"))
    made.append(ratio("Get_Size_Avg", "Total_Bytes_Get", "Total_Valid_Gets", "Bytes of a message got"))
    made.append(
        ratio("Time_On_Queue_Avg_US", "Total_Time_On_Queue_US", "Total_Valid_Gets", "Time a message was queued")
    )

    def without_message(table: Any) -> Any:
        return pc.subtract(table["Get_Count"], table["Total_Valid_Gets"])

    made.append(Derived("Get_No_Message", "Gets that found no message", without_message))
    return made


def _log_copy(copy: int) -> list[Derived]:
    def pages(table: Any) -> Any:
        return whole(table, f"IO_CI_{copy}_1", f"IO_CI_{copy}_2")

    def pages_per_io(table: Any) -> Any:
        return quotient(pages(table), whole(table, f"IO_Count_{copy}_1", f"IO_Count_{copy}_2"))

    def megabytes(table: Any) -> Any:
        return quotient(pc.multiply(pages(table), _PAGE), table["Interval_Duration_US"])

    def busy(table: Any) -> Any:
        spent = whole(table, f"IO_Total_Time_{copy}_1_US", f"IO_Total_Time_{copy}_2_US")
        return quotient(spent, table["Interval_Duration_US"])

    return [
        Derived(f"Pages_Per_IO_{copy}", f"Pages that one write of copy {copy} wrote", pages_per_io),
        Derived(f"Log_MB_Per_Second_{copy}", f"MB that copy {copy} wrote per second", megabytes),
        Derived(f"Logger_IO_Busy_{copy}", f"Share of the interval that copy {copy} was writing", busy),
    ]


DERIVED: dict[str, list[Derived]] = {
    "WQ": _wq(),
    "QJST": [
        *_log_copy(1),
        *_log_copy(2),
        share_used("Logger_Task_Busy", "Writer_Idle_Time", "Interval_Duration_US", "Share the logger task worked"),
        share_used("Compression", "Comp_Compressed_Bytes", "Comp_Uncompressed_Bytes", "Share saved by compression"),
        sum_of(
            "Log_Write_Requests",
            "Write requests of all kinds",
            "WRT_Request_Wait",
            "WRT_Request_NoWait",
            "WRT_Request_Force",
        ),
    ],
    "QMST": [
        per_second(f"{call}_Per_Second", call, f"{call} calls per second") for call in ("Put", "Put1", "Get", "Open")
    ],
    "QPST": [
        share_used("Used", "Current_Stealable", "Buffer_Count", "Share of the buffers in use at the end"),
        share_used("Used_Max", "Lowest_Stealable", "Buffer_Count", "Share of the buffers in use at the worst time"),
    ],
    "QIS1": [
        share_used("Used", "Unused_Pages", "Total_Pages", "Share of the pages in use"),
        ratio("Page_Write_IO_Avg_US", "Page_Write_IO_Time_US", "Page_Write_IO", "Time of a deferred write"),
        ratio("Pages_Read_IO_Avg_US", "Pages_Read_IO_Time_US", "Pages_Read_IO", "Time of a read"),
    ],
    "QEST": [
        ratio("IXLLSTE_Avg_US", "IXLLSTE_Calls_Time_US", "IXLLSTE_Calls", "Time of a single-entry call"),
        ratio("IXLLSTM_Avg_US", "IXLLSTM_Calls_Time_US", "IXLLSTM_Calls", "Time of a multiple-entry call"),
    ],
    "QQST": [
        per_second("Put_Per_Second", "Put", "MQPUTs per second"),
        per_second("Get_Per_Second", "Get", "Destructive gets per second"),
    ],
    "QCST": [
        ratio("Batch_Fill", "Msg_All_Count", "Batches", "Messages in a batch"),
        ratio("Full_Batch_Share", "Full_Batches", "Batches", "Share of the batches that were full"),
        per_second("Messages_Per_Second", "Msg_All_Count", "Messages per second"),
    ],
    **{
        name: [
            ratio("Request_Avg_US", "Task_Elapsed_Time_US", "Request_Count", "Elapsed time of one request"),
            Derived(
                "Busy",
                "Share of the time that the task worked",
                lambda table: quotient(
                    table["Task_Elapsed_Time_US"], total(table, "Task_Elapsed_Time_US", "Task_Wait_Time_US")
                ),
            ),
        ]
        for name in ("QCTDSP", "QCTADP", "QCTSSL", "QCTDNS")
    },
}


def derive(name: str, table: Any) -> Any:
    """Return the table with its derived columns at the end."""
    for column in DERIVED.get(name, []):
        table = table.append_column(column.name, column.compute(table))
    return table
