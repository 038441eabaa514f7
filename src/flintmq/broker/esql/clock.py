"""The clock and the time zone of ESQL.

A node takes one `Clock` for an invocation, so CURRENT_TIMESTAMP and its relatives give the same moment however often a
statement asks. The local time zone is that of the process (TZ), unless `set_local_zone` names another; offsets are in
microseconds, positive east of Greenwich. A test may `freeze` the clock.

A TIME has no date, so its offset is the one that is valid now (LOCAL_TIMEZONE). The offset of a TIMESTAMP is the one
that was valid at that moment; a local time that clocks showed twice is the first of the two.
"""

from __future__ import annotations

import datetime
from zoneinfo import ZoneInfo

from flintmq.broker.values import (
    MICROS_PER_SECOND,
    Date,
    Interval,
    Time,
    Timestamp,
    time_from_micros,
    timestamp_from_micros,
)

#: The zone that `set_local_zone` has set. None stands for the zone of the process.
_zone: ZoneInfo | None = None
#: The moment that `freeze` has set.
_frozen: Timestamp | None = None


def set_local_zone(name: str | None) -> None:
    """Take the zone of this IANA name as local time for the whole process; None goes back to the zone of the process.

    Raises ValueError for an unknown name.
    """
    global _zone
    if name is None:
        _zone = None
        return
    try:
        _zone = ZoneInfo(name)
    except (KeyError, OSError) as error:
        raise ValueError(f"there is no time zone '{name}'") from error


def local_zone_name() -> str | None:
    """Return the name that `set_local_zone` was given; None for the zone of the process."""
    return None if _zone is None else _zone.key


class Clock:
    """One moment, seen as all the types of CURRENT_... ."""

    def __init__(self, gmt: Timestamp) -> None:
        if not gmt.gmt:
            raise ValueError("a clock is set in GMT")
        #: The moment.
        self.gmt_timestamp: Timestamp = gmt
        #: Microseconds to add to GMT for local time at this moment.
        self.offset: int = offset_of_gmt(gmt)

    def timestamp(self) -> Timestamp:
        """Return CURRENT_TIMESTAMP."""
        return timestamp_from_micros(self.gmt_timestamp.micros() + self.offset)

    def date(self) -> Date:
        """Return CURRENT_DATE."""
        return self.timestamp().date()

    def time(self) -> Time:
        """Return CURRENT_TIME."""
        return self.timestamp().time()

    def gmt_date(self) -> Date:
        """Return CURRENT_GMTDATE."""
        return self.gmt_timestamp.date()

    def gmt_time(self) -> Time:
        """Return CURRENT_GMTTIME."""
        return self.gmt_timestamp.time()

    def local_timezone(self) -> Interval:
        """Return LOCAL_TIMEZONE, an interval of hours and minutes."""
        return Interval("HOUR TO MINUTE", 0, self.offset)


def freeze(gmt: Timestamp | None) -> None:
    """Let all clocks of the process show one moment, for tests; None lets time go on."""
    global _frozen
    _frozen = gmt


def now() -> Clock:
    """Return a clock that is set to this moment."""
    if _frozen is not None:
        return Clock(_frozen)
    moment = datetime.datetime.now(datetime.UTC)
    return Clock(
        Timestamp(
            moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second, moment.microsecond, True
        )
    )


def current_offset() -> int:
    """Return the offset of local time that is valid now."""
    return now().offset


def offset_of_local(moment: Timestamp) -> int:
    """Return the offset of local time at a local timestamp."""
    return _offset(_naive(moment).replace(tzinfo=_zone) if _zone is not None else _naive(moment))


def offset_of_gmt(moment: Timestamp) -> int:
    """Return the offset of local time at a GMT timestamp."""
    aware = _naive(moment).replace(tzinfo=datetime.UTC)
    try:
        return _offset(aware.astimezone(_zone))
    except (OverflowError, ValueError, OSError):  # The first and the last day of the calendar.
        return 0


def to_gmt(moment: Timestamp) -> Timestamp:
    """Return the GMTTIMESTAMP of the same instant. Raises ValueError outside the years 1 to 9999."""
    if moment.gmt:
        return moment
    return timestamp_from_micros(moment.micros() - offset_of_local(moment), True)


def to_local(moment: Timestamp) -> Timestamp:
    """Return the local TIMESTAMP of the same instant. Raises ValueError outside the years 1 to 9999."""
    if not moment.gmt:
        return moment
    return timestamp_from_micros(moment.micros() + offset_of_gmt(moment), False)


def time_to_gmt(time: Time) -> Time:
    """Return the GMTTIME of a TIME, by the offset that is valid now."""
    return time if time.gmt else time_from_micros(time.micros() - current_offset(), True)


def time_to_local(time: Time) -> Time:
    """Return the TIME of a GMTTIME, by the offset that is valid now."""
    return time_from_micros(time.micros() + current_offset(), False) if time.gmt else time


def _naive(moment: Timestamp) -> datetime.datetime:
    return datetime.datetime(
        moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second, moment.micro
    )


def _offset(moment: datetime.datetime) -> int:
    """Return the offset of an aware datetime, or of a naive one in the zone of the process; 0 where there is none."""
    try:
        offset = moment.utcoffset() if moment.tzinfo is not None else moment.astimezone().utcoffset()
    except (OverflowError, ValueError, OSError):  # The first and the last day of the calendar.
        return 0
    if offset is None:
        return 0
    return (offset.days * 86_400 + offset.seconds) * MICROS_PER_SECOND
