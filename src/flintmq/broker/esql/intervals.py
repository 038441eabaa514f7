"""INTERVAL values: units of fields, limits of 64 bits, change of qualifier."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from flintmq.broker.esql.decimals import INTEGER_MAX, INTEGER_MIN, WIDE
from flintmq.broker.esql.failures import cast_failed
from flintmq.broker.values import (
    MICROS_PER_DAY,
    MICROS_PER_HOUR,
    MICROS_PER_MINUTE,
    MICROS_PER_SECOND,
    YEAR_MONTH_QUALIFIERS,
    Interval,
)

_MICROS_OF_FIELD: Final[dict[str, int]] = {
    "DAY": MICROS_PER_DAY,
    "HOUR": MICROS_PER_HOUR,
    "MINUTE": MICROS_PER_MINUTE,
    "SECOND": MICROS_PER_SECOND,
}


def make_interval(qualifier: str, amount: int) -> Interval | None:
    """Return an interval of `amount` months or microseconds, as the qualifier says; None if that exceeds 64 bits."""
    if not INTEGER_MIN <= amount <= INTEGER_MAX:
        return None
    if qualifier in YEAR_MONTH_QUALIFIERS:
        return Interval(qualifier, amount, 0)
    return Interval(qualifier, 0, amount)


def truncated_interval(value: Interval, qualifier: str) -> Interval:
    """Return an interval with another qualifier; fields finer than its last one are cut off. Raises ValueError."""
    moved = value.requalified(qualifier)
    unit = unit_of(qualifier.rpartition(" ")[2])
    amount = moved.months if moved.is_year_month() else moved.micros
    if unit > 1 and not qualifier.endswith("SECOND"):
        amount = abs(amount) // unit * unit * (-1 if amount < 0 else 1)
    return Interval(qualifier, amount, 0) if moved.is_year_month() else Interval(qualifier, 0, amount)


def unit_of(field: str) -> int:
    """Return the months or microseconds of one YEAR, MONTH, DAY, HOUR, MINUTE or SECOND."""
    if field == "YEAR":
        return 12
    return _MICROS_OF_FIELD.get(field, 1)


def field_of(value: Interval, target: str) -> Decimal:
    """Return the only field of an interval as a number; SECOND with its fraction."""
    if " TO " in value.qualifier:
        raise cast_failed(value, target, "an interval of several fields has no number")
    if value.is_year_month():
        return Decimal(_quotient(value.months, unit_of(value.qualifier)))
    if value.qualifier == "SECOND":
        number = Decimal(value.micros).scaleb(-6, WIDE)
        return (
            number.normalize(WIDE) if value.micros % MICROS_PER_SECOND else Decimal(value.micros // MICROS_PER_SECOND)
        )
    return Decimal(_quotient(value.micros, unit_of(value.qualifier)))


def _quotient(number: int, unit: int) -> int:
    return -(-number // unit) if number < 0 else number // unit
