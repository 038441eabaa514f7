"""Time in SMF records: the store clock, packed dates, hundredths since midnight.

    store clock    64 bits, bit 51 ticks each microsecond, from 1900-01-01. Zero: not set; before 1970: rubbish.
    packed date    0cyydddF, four bytes: centuries since 1900, year of the century, day of the year, a sign
    duration       the same unit as the store clock: 4096 are a microsecond

Everything here is microseconds since 1970, without time zone: whether a clock is UTC or local is said by its field.
"""

from __future__ import annotations

from datetime import date, timedelta

#: The store clock at 1970-01-01.
EPOCH_1970 = 0x7D91048BCA000000
SECOND = 1_000_000
DAY = 86_400 * SECOND
_FIRST_DAY = date(1970, 1, 1)
#: Offsets of local time are multiples of this.
QUARTER_HOUR = 900 * SECOND


def microseconds_of_clock(clock: int) -> int | None:
    """Return microseconds since 1970, or None if the clock is not set."""
    return (clock - EPOCH_1970) >> 12 if clock >= EPOCH_1970 else None


def clock_of_microseconds(microseconds: int) -> int:
    return (microseconds << 12) + EPOCH_1970


def days_of_packed(packed: int) -> int | None:
    """Return days since 1970 of a packed date, or None if it is no date."""
    digits = f"{packed:08X}"
    if digits[-1] != "F" or not digits[:-1].isdecimal():
        return None
    year, day = 1900 + 100 * int(digits[:2]) + int(digits[2:4]), int(digits[4:7])
    if not 1 <= day <= 366 or year > 9998:
        return None
    return (date(year, 1, 1) - _FIRST_DAY).days + day - 1


def packed_of_days(days: int) -> int:
    day = _FIRST_DAY + timedelta(days=days)
    century, year = divmod(day.year - 1900, 100)
    return int(f"{century:02}{year:02}{day.timetuple().tm_yday:03}F", 16)
