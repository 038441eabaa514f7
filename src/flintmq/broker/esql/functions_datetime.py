"""Date and time functions of ESQL: EXTRACT. (CURRENT_... and LOCAL_TIMEZONE are methods of `clock.Clock`.)

    field                             of                  result
    YEAR MONTH DAY                    DATE, TIMESTAMP     INTEGER
    HOUR MINUTE                       TIME, TIMESTAMP     INTEGER
    SECOND                            TIME, TIMESTAMP     FLOAT with the fraction
    YEAR ... SECOND                   INTERVAL            the field that its text has; SECOND as FLOAT
    DAYS MONTHS QUARTERS WEEKS        DATE, TIMESTAMP     number begun since 0001-01-01, which is in the first; weeks
                                                          begin on Sunday
    DAYOFYEAR DAYOFWEEK               DATE, TIMESTAMP     from 1; Sunday is 1
    WEEKOFYEAR WEEKOFMONTH            DATE, TIMESTAMP     from 1; weeks begin on Sunday, week 1 has the first day
    QUARTEROFYEAR                     DATE, TIMESTAMP     1 to 4
    ISLEAPYEAR                        DATE, TIMESTAMP     BOOLEAN

NULL gives NULL. A type that has no such field is 2421.
"""

from __future__ import annotations

from typing import Final

from flintmq.broker.esql.failures import argument_type_error, argument_value_error
from flintmq.broker.esql.weeks import days_before_year
from flintmq.broker.values import (
    MICROS_PER_DAY,
    MICROS_PER_HOUR,
    MICROS_PER_MINUTE,
    MICROS_PER_SECOND,
    Date,
    Interval,
    Time,
    Timestamp,
    Value,
    is_leap_year,
    qualifier_fields,
)

DATE_FIELDS: Final = (
    "YEAR",
    "MONTH",
    "DAY",
    "DAYS",
    "DAYOFYEAR",
    "DAYOFWEEK",
    "MONTHS",
    "QUARTEROFYEAR",
    "QUARTERS",
    "WEEKS",
    "WEEKOFYEAR",
    "WEEKOFMONTH",
    "ISLEAPYEAR",
)
TIME_FIELDS: Final = ("HOUR", "MINUTE", "SECOND")
_INTERVAL_FIELDS: Final = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")
_UNITS: Final[dict[str, int]] = {
    "DAY": MICROS_PER_DAY,
    "HOUR": MICROS_PER_HOUR,
    "MINUTE": MICROS_PER_MINUTE,
    "SECOND": MICROS_PER_SECOND,
}


def extract(field: str, value: object) -> Value:
    """Return EXTRACT(field FROM value); `field` is in upper case."""
    if value is None:
        return None
    if field in TIME_FIELDS:
        if isinstance(value, (Time, Timestamp)):
            if field == "HOUR":
                return value.hour
            if field == "MINUTE":
                return value.minute
            return (value.second * MICROS_PER_SECOND + value.micro) / MICROS_PER_SECOND
        if isinstance(value, Interval):
            return _interval_field(field, value)
        raise argument_type_error("EXTRACT", 1, value, f"a type with {field}")
    if field not in DATE_FIELDS:
        raise argument_value_error("EXTRACT", field, f"there is no field {field}")
    if isinstance(value, (Date, Timestamp)):
        return _date_field(field, value.year, value.month, value.day)
    if isinstance(value, Interval) and field in _INTERVAL_FIELDS:
        return _interval_field(field, value)
    raise argument_type_error("EXTRACT", 1, value, f"a type with {field}")


def _date_field(field: str, year: int, month: int, day: int) -> Value:
    if field == "YEAR":
        return year
    if field == "MONTH":
        return month
    if field == "DAY":
        return day
    if field == "QUARTEROFYEAR":
        return (month + 2) // 3
    if field == "MONTHS":
        return 12 * (year - 1) + month
    if field == "QUARTERS":
        return 4 * (year - 1) + (month + 2) // 3
    if field == "ISLEAPYEAR":
        return is_leap_year(year)
    ordinal = Date(year, month, day).ordinal()
    before = days_before_year(year)
    if field == "DAYS":
        return ordinal
    if field == "DAYOFYEAR":
        return ordinal - before
    if field == "DAYOFWEEK":
        return ordinal % 7 + 1
    if field == "WEEKS":
        return ordinal // 7 + 1
    # The Sundays up to a day are its number divided by 7, since the day 7 is a Sunday.
    first = before + 1 if field == "WEEKOFYEAR" else ordinal - day + 1
    return ordinal // 7 - first // 7 + 1


def _interval_field(field: str, value: Interval) -> Value:
    """Return one field of the text of an interval; a negative interval has negative fields."""
    first, last = qualifier_fields(value.qualifier)
    places = _INTERVAL_FIELDS
    if not places.index(first) <= places.index(field) <= places.index(last):
        raise argument_value_error("EXTRACT", value, f"INTERVAL {value.qualifier} has no {field}")
    amount = value.months if value.is_year_month() else value.micros
    sign = -1 if amount < 0 else 1
    amount = abs(amount)
    if field == "YEAR":
        return sign * (amount // 12)
    if field == "MONTH":
        return sign * (amount if first == "MONTH" else amount % 12)
    if field != first:
        amount %= _UNITS[places[places.index(field) - 1]]
    if field == "SECOND":
        return sign * amount / MICROS_PER_SECOND
    return sign * (amount // _UNITS[field])
