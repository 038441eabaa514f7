"""QCST: the work of a channel in an interval, from the rows of DISPLAY CHSTATUS."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

from flintmq.qmgr.calls import ChannelRow as Row

#: STATCHL as QCSTSTCL has it; with any other nothing is recorded of channels.
SETTINGS = {"LOW": 17, "MEDIUM": 33, "HIGH": 65}
_STATUS = {"INACTIVE": 0, "BINDING": 1, "STARTING": 2, "RUNNING": 3, "STOPPING": 4, "RETRYING": 5, "STOPPED": 6}
#: Counters of a row, and their names here.
_COUNTERS = {
    "calls": "MSGS",
    "segments_sent": "BUFSSENT",
    "segments_received": "BUFSRCVD",
    "bytes_sent": "BYTSSENT",
    "bytes_received": "BYTSRCVD",
}


def channel_entry(before: Row | None, row: Row, now_us: int) -> SimpleNamespace | None:
    """Return the entry of the instance in `row`; None if it did nothing since `before`, or does not run."""
    grown = {name: _number(row, keyword) - _number(before or {}, keyword) for name, keyword in _COUNTERS.items()}
    if not any(grown.values()):
        return None
    return SimpleNamespace(
        **grown,
        now_us=now_us,
        channel=str(row["CHANNEL"]),
        status=_STATUS.get(str(row["STATUS"]), 3),
        setting=_number(row, "STATCHL"),
        address=str(row["CONNAME"]),
        started_us=_moment(row, "CHSTADA", "CHSTATI"),
        stopped_us=(_number(row, "ENDED_US") or now_us) if row["STATUS"] == "INACTIVE" else 0,
        last_us=_moment(row, "LSTMSGDA", "LSTMSGTI"),
        conversations=_number(row, "CURSHCNV"),
        application=str(row.get("RAPPLTAG", "") or (before or {}).get("RAPPLTAG", "")),
        product=str(row.get("RPRODUCT", "")),
        version=str(row.get("RVERSION", "")),
    )


def calls_of(rows: list[Row]) -> int:
    """Return the number of MQI calls of all rows."""
    return sum(_number(row, "MSGS") for row in rows)


def _number(row: Row, keyword: str) -> int:
    value = row.get(keyword, 0)
    return value if isinstance(value, int) else 0


def _moment(row: Row, date: str, time: str) -> int:
    """Return the microseconds since 1970 of a date and a time of DISPLAY, which are UTC; 0 if they are not set."""
    try:
        read = datetime.strptime(f"{row.get(date)} {row.get(time)}", "%Y-%m-%d %H.%M.%S")
    except ValueError:
        return 0
    return int(read.replace(tzinfo=UTC).timestamp()) * 1_000_000
