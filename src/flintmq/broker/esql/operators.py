"""Operators of ESQL on values: arithmetic, comparison, three-valued logic, LIKE, IN, BETWEEN, IS.

Compiled ESQL calls these functions with the values of the operands. NULL (None) as an operand gives NULL; AND, OR and
the tests of IS are the exceptions. Each function tries INTEGER with INTEGER or CHARACTER with CHARACTER first.

    operands                                  result
    INTEGER op INTEGER                        INTEGER; / truncates; a result of more than 64 bits is 2450
    INTEGER or DECIMAL op DECIMAL             DECIMAL of 34 digits, natural scale, rounded half-up
    any number op FLOAT                       FLOAT
    DATE - DATE, TIME - TIME                  INTERVAL DAY, INTERVAL HOUR TO SECOND
    TIMESTAMP - TIMESTAMP, also with GMT      INTERVAL DAY TO SECOND; `subtract_qualified` for (a - b) MONTH
    DATE, TIME, TIMESTAMP +- INTERVAL         the same type; INTERVAL + DATE likewise
    INTERVAL +- INTERVAL                      INTERVAL of the same family, with all fields of both
    INTERVAL * or / number, number * INTERVAL INTERVAL
    CHARACTER || CHARACTER, BLOB, BIT         the same type
    others                                    2420, or 2421 for a unary operator

Comparison promotes numbers as arithmetic does. A CHARACTER is cast to the type of the other operand (switch
compare_character_numeric). Characters compare by UTF-16 units, bytes by value. Local times and timestamps compare with
GMT ones as instants, and a DATE compares with a TIMESTAMP as its midnight. NAN is not equal to anything.

Rows are compared by the run time, which knows trees; lists of values are compared here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Final

from flintmq.broker.esql import clock as clocks
from flintmq.broker.esql.casts import cast_like
from flintmq.broker.esql.decimals import CONTEXT, INTEGER_MAX, INTEGER_MIN, WIDE, integer_of
from flintmq.broker.esql.failures import (
    argument_value_error,
    binary_type_error,
    date_overflow,
    division_by_zero,
    overflow,
    shown,
    unary_type_error,
)
from flintmq.broker.esql.intervals import make_interval, truncated_interval
from flintmq.broker.esql.like import like_pattern
from flintmq.broker.esql.switches import DEFAULTS, Switches
from flintmq.broker.values import (
    MICROS_PER_DAY,
    YEAR_MONTH_QUALIFIERS,
    Bit,
    Date,
    Interval,
    Time,
    Timestamp,
    Value,
    date_from_ordinal,
    days_in_month,
    qualifier_fields,
    time_from_micros,
    timestamp_from_micros,
)

#: Integers up to this size need no closer look: mypyc keeps them in a machine word.
_SMALL: Final = 2**61

_INTEGER: Final = 1
_DECIMAL: Final = 2
_FLOAT: Final = 3
#: Bound once: looking up a method of the context costs as much as the addition.
_ADD: Final = CONTEXT.add
_SUBTRACT: Final = CONTEXT.subtract
_MULTIPLY: Final = CONTEXT.multiply
_DIVIDE: Final = CONTEXT.divide
_COMPARE: Final = CONTEXT.compare
#: What `_compare` returns for NAN.
_UNORDERED: Final = 2

_FIELDS: Final = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")


def add(a: object, b: object, switches: Switches = DEFAULTS) -> Value:
    """Return a + b."""
    if isinstance(a, int) and isinstance(b, int) and not isinstance(a, bool) and not isinstance(b, bool):
        total = a + b
        return total if -_SMALL < total < _SMALL else _checked(total, a, "+", b)
    if a is None or b is None:
        return None
    if isinstance(a, Decimal) and isinstance(b, Decimal):
        return _ADD(a, b)
    kind = _promoted(a, b)
    if kind == _FLOAT:
        return _float_of(a) + _float_of(b)
    if kind:
        return _ADD(_decimal_of(a), _decimal_of(b))
    if isinstance(b, Interval):
        if isinstance(a, Interval):
            return _add_intervals(a, "+", b, 1)
        return _moved(a, "+", b, 1, switches)
    if isinstance(a, Interval):
        return _moved(b, "+", a, 1, switches)
    raise binary_type_error("+", a, b)


def subtract(a: object, b: object, switches: Switches = DEFAULTS) -> Value:
    """Return a - b."""
    if isinstance(a, int) and isinstance(b, int) and not isinstance(a, bool) and not isinstance(b, bool):
        total = a - b
        return total if -_SMALL < total < _SMALL else _checked(total, a, "-", b)
    if a is None or b is None:
        return None
    if isinstance(a, Decimal) and isinstance(b, Decimal):
        return _SUBTRACT(a, b)
    kind = _promoted(a, b)
    if kind == _FLOAT:
        return _float_of(a) - _float_of(b)
    if kind:
        return _SUBTRACT(_decimal_of(a), _decimal_of(b))
    if isinstance(b, Interval):
        if isinstance(a, Interval):
            return _add_intervals(a, "-", b, -1)
        return _moved(a, "-", b, -1, switches)
    return _difference(a, b)


def multiply(a: object, b: object) -> Value:
    """Return a * b."""
    if isinstance(a, int) and isinstance(b, int) and not isinstance(a, bool) and not isinstance(b, bool):
        total = a * b
        return total if -_SMALL < total < _SMALL else _checked(total, a, "*", b)
    if a is None or b is None:
        return None
    if isinstance(a, Decimal) and isinstance(b, Decimal):
        return _MULTIPLY(a, b)
    kind = _promoted(a, b)
    if kind == _FLOAT:
        return _float_of(a) * _float_of(b)
    if kind:
        return _MULTIPLY(_decimal_of(a), _decimal_of(b))
    if isinstance(a, Interval) and _kind(b):
        return _scaled(a, "*", b, WIDE.multiply(_amount(a), _decimal_of(b)))
    if isinstance(b, Interval) and _kind(a):
        return _scaled(b, "*", a, WIDE.multiply(_amount(b), _decimal_of(a)))
    raise binary_type_error("*", a, b)


def divide(a: object, b: object, switches: Switches = DEFAULTS) -> Value:
    """Return a / b. INTEGER division truncates; division by zero is 2450."""
    if isinstance(a, int) and isinstance(b, int) and not isinstance(a, bool) and not isinstance(b, bool):
        if b == 0:
            raise division_by_zero(a, b)
        quotient = a // b
        if quotient < 0 and quotient * b != a:
            quotient += 1
        return quotient if -_SMALL < quotient < _SMALL else _checked(quotient, a, "/", b)
    if a is None or b is None:
        return None
    kind = _promoted(a, b)
    if kind == _FLOAT:
        divisor = _float_of(b)
        if divisor == 0.0:
            return _float_by_zero(a, b, switches)
        return _float_of(a) / divisor
    if kind:
        by = _decimal_of(b)
        if by == 0 and switches.division_by_zero == "error":
            raise division_by_zero(a, b)
        return _DIVIDE(_decimal_of(a), by)
    if isinstance(a, Interval) and _kind(b):
        by = _decimal_of(b)
        if by == 0:
            raise division_by_zero(a, b)
        return _scaled(a, "/", b, WIDE.divide(_amount(a), by))
    raise binary_type_error("/", a, b)


def concat(a: object, b: object) -> Value:
    """Return a || b."""
    if isinstance(a, str) and isinstance(b, str):
        return a + b
    if a is None or b is None:
        return None
    if isinstance(a, bytes) and isinstance(b, bytes):
        return a + b
    if isinstance(a, Bit) and isinstance(b, Bit):
        return Bit(a.value << b.length | b.value, a.length + b.length)
    raise binary_type_error("||", a, b)


def negate(a: object) -> Value:
    """Return -a."""
    if isinstance(a, int) and not isinstance(a, bool):
        return -a if a > -_SMALL else _checked(-a, 0, "-", a)
    if a is None:
        return None
    if isinstance(a, Decimal):
        return a.copy_negate() if a else a
    if isinstance(a, float):
        return -a
    if isinstance(a, Interval):
        return Interval(a.qualifier, -a.months, -a.micros)
    raise unary_type_error("-", a)


def plus(a: object) -> Value:
    """Return +a: the number or interval itself."""
    if a is None:
        return None
    if isinstance(a, Interval):
        return a
    if isinstance(a, (int, float, Decimal)) and not isinstance(a, bool):
        return a
    raise unary_type_error("+", a)


def subtract_qualified(a: object, b: object, qualifier: str) -> Interval | None:
    """Return (a - b) qualifier for dates, times or timestamps; fields finer than the last one are cut off.

    Months and years are counted when they are complete.
    """
    if a is None or b is None:
        return None
    if qualifier in YEAR_MONTH_QUALIFIERS:
        months = _months_between(a, b)
        return truncated_interval(Interval("MONTH", months, 0), qualifier)
    difference = _difference(a, b)
    assert isinstance(difference, Interval)
    return truncated_interval(difference, qualifier)


def equal(a: object, b: object, switches: Switches = DEFAULTS) -> bool | None:
    """Return a = b."""
    if isinstance(a, str) and isinstance(b, str):
        return a == b
    if isinstance(a, int) and isinstance(b, int) and not isinstance(a, bool) and not isinstance(b, bool):
        return a == b
    if a is None or b is None:
        return None
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return _equal_lists(a, b, switches)
    return _compare("=", a, b, switches) == 0


def not_equal(a: object, b: object, switches: Switches = DEFAULTS) -> bool | None:
    """Return a <> b."""
    if isinstance(a, str) and isinstance(b, str):
        return a != b
    if isinstance(a, int) and isinstance(b, int) and not isinstance(a, bool) and not isinstance(b, bool):
        return a != b
    if a is None or b is None:
        return None
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return not_(_equal_lists(a, b, switches))
    return _compare("<>", a, b, switches) != 0


def less(a: object, b: object, switches: Switches = DEFAULTS) -> bool | None:
    """Return a < b."""
    if isinstance(a, int) and isinstance(b, int) and not isinstance(a, bool) and not isinstance(b, bool):
        return a < b
    if a is None or b is None:
        return None
    return _compare("<", a, b, switches) == -1


def less_equal(a: object, b: object, switches: Switches = DEFAULTS) -> bool | None:
    """Return a <= b."""
    if isinstance(a, int) and isinstance(b, int) and not isinstance(a, bool) and not isinstance(b, bool):
        return a <= b
    if a is None or b is None:
        return None
    found = _compare("<=", a, b, switches)
    return found == 0 or found == -1


def greater(a: object, b: object, switches: Switches = DEFAULTS) -> bool | None:
    """Return a > b."""
    if isinstance(a, int) and isinstance(b, int) and not isinstance(a, bool) and not isinstance(b, bool):
        return a > b
    if a is None or b is None:
        return None
    return _compare(">", a, b, switches) == 1


def greater_equal(a: object, b: object, switches: Switches = DEFAULTS) -> bool | None:
    """Return a >= b."""
    if isinstance(a, int) and isinstance(b, int) and not isinstance(a, bool) and not isinstance(b, bool):
        return a >= b
    if a is None or b is None:
        return None
    found = _compare(">=", a, b, switches)
    return found == 0 or found == 1


def and_(a: object, b: object) -> bool | None:
    """Return a AND b of three-valued logic."""
    if a is False or b is False:
        if not _is_logical(a) or not _is_logical(b):
            raise binary_type_error("AND", a, b)
        return False
    if a is True and b is True:
        return True
    if not _is_logical(a) or not _is_logical(b):
        raise binary_type_error("AND", a, b)
    return None


def or_(a: object, b: object) -> bool | None:
    """Return a OR b of three-valued logic."""
    if a is True or b is True:
        if not _is_logical(a) or not _is_logical(b):
            raise binary_type_error("OR", a, b)
        return True
    if a is False and b is False:
        return False
    if not _is_logical(a) or not _is_logical(b):
        raise binary_type_error("OR", a, b)
    return None


def not_(a: object) -> bool | None:
    """Return NOT a of three-valued logic."""
    if isinstance(a, bool):
        return not a
    if a is None:
        return None
    raise unary_type_error("NOT", a)


def condition(a: object) -> bool:
    """Return whether IF, WHILE, UNTIL, WHEN or WHERE takes its branch: only on TRUE. Raises 2421 if not BOOLEAN."""
    if isinstance(a, bool):
        return a
    if a is None:
        return False
    raise unary_type_error("condition", a)


def between(
    a: object, low: object, high: object, symmetric: bool = False, switches: Switches = DEFAULTS
) -> bool | None:
    """Return a BETWEEN low AND high; with `symmetric` in either order."""
    inside = and_(greater_equal(a, low, switches), less_equal(a, high, switches))
    if not symmetric or inside is True:
        return inside
    return or_(inside, and_(greater_equal(a, high, switches), less_equal(a, low, switches)))


def in_list(a: object, items: Sequence[object], switches: Switches = DEFAULTS) -> bool | None:
    """Return a IN (items): TRUE if one is equal, else UNKNOWN if a comparison is, else FALSE."""
    unknown = False
    for item in items:
        found = equal(a, item, switches)
        if found is True:
            return True
        if found is None:
            unknown = True
    return None if unknown else False


def quantified(
    compare: Callable[[object, object, Switches], bool | None],
    a: object,
    items: Sequence[object],
    every: bool,
    switches: Switches = DEFAULTS,
) -> bool | None:
    """Return `a op ALL (items)` if `every`, else `a op ANY (items)`; `compare` is a function such as `less`."""
    unknown = False
    for item in items:
        found = compare(a, item, switches)
        if found is None:
            unknown = True
        elif found is not every:
            return found
    return None if unknown else every


def like(a: object, pattern: object, escape: object = "\\") -> bool | None:
    """Return a LIKE pattern ESCAPE escape. Without ESCAPE the backslash escapes."""
    if a is None or pattern is None or escape is None:
        return None
    if not isinstance(a, str) or not isinstance(pattern, str):
        raise binary_type_error("LIKE", a, pattern)
    if not isinstance(escape, str):
        raise binary_type_error("ESCAPE", pattern, escape)
    try:
        return like_pattern(pattern, escape).matches(a)
    except ValueError as error:
        raise argument_value_error("LIKE", pattern, str(error)) from None


def is_true(a: object) -> bool:
    """Return a IS TRUE."""
    return a is True


def is_false(a: object) -> bool:
    """Return a IS FALSE."""
    return a is False


def is_unknown(a: object) -> bool:
    """Return a IS UNKNOWN, which is the same as IS NULL."""
    return a is None


def is_infinite(a: object, sign: int = 0) -> bool:
    """Return a IS INF; a IS +INF with `sign` 1 and a IS -INF with `sign` -1."""
    if isinstance(a, Decimal):
        if not a.is_infinite():
            return False
        return sign == 0 or (sign < 0) == a.is_signed()
    if isinstance(a, float):
        if a == float("inf"):
            return sign >= 0
        return a == float("-inf") and sign <= 0
    return False


def is_nan(a: object) -> bool:
    """Return a IS NAN."""
    if isinstance(a, Decimal):
        return a.is_nan()
    return isinstance(a, float) and a != a


def is_num(a: object) -> bool:
    """Return a IS NUM: a number that is neither infinite nor NAN."""
    if isinstance(a, Decimal):
        return a.is_finite()
    if isinstance(a, float):
        return a == a and a != float("inf") and a != float("-inf")
    return isinstance(a, int) and not isinstance(a, bool)


def _kind(a: object) -> int:
    """Return the rank of a number for promotion; 0 for other types."""
    if isinstance(a, bool):
        return 0
    if isinstance(a, int):
        return _INTEGER
    if isinstance(a, Decimal):
        return _DECIMAL
    return _FLOAT if isinstance(a, float) else 0


def _promoted(a: object, b: object) -> int:
    """Return the rank of the result of arithmetic; 0 if one operand is no number."""
    first, second = _kind(a), _kind(b)
    return max(first, second) if first and second else 0


def _float_of(a: object) -> float:
    if isinstance(a, float):
        return a
    if isinstance(a, Decimal):
        return float(a)
    assert isinstance(a, int)
    return float(a)


def _decimal_of(a: object) -> Decimal:
    if isinstance(a, Decimal):
        return a
    if isinstance(a, float):
        return Decimal(repr(a))
    assert isinstance(a, int)
    return Decimal(a)


def _checked(result: int, a: object, operator: str, b: object) -> int:
    """Return an integer that fits into 64 bits; raise 2450 for one that does not."""
    if INTEGER_MIN <= result <= INTEGER_MAX:
        return result
    raise overflow(f"{shown(a)} {operator} {shown(b)}", "INTEGER")


def _float_by_zero(a: object, b: object, switches: Switches) -> float:
    if switches.division_by_zero == "error":
        raise division_by_zero(a, b)
    value = _float_of(a)
    if value == 0.0 or value != value:
        return float("nan")
    # The sign of zero counts: 1 / -0.0 is -INF.
    positive = (value > 0) == (str(_float_of(b))[0] != "-")
    return float("inf") if positive else float("-inf")


def _amount(a: Interval) -> Decimal:
    return Decimal(a.months if a.is_year_month() else a.micros)


def _scaled(a: Interval, operator: str, b: object, amount: Decimal) -> Interval:
    """Return an interval of a new length, rounded to months or microseconds."""
    count = integer_of(amount, "ROUND_HALF_UP")
    if count is None:
        raise overflow(f"{shown(a)} {operator} {shown(b)}", "INTERVAL")
    return Interval(a.qualifier, count, 0) if a.is_year_month() else Interval(a.qualifier, 0, count)


def _add_intervals(a: Interval, operator: str, b: Interval, sign: int) -> Interval:
    if a.is_year_month() != b.is_year_month():
        raise binary_type_error(operator, a, b)
    qualifier = a.qualifier
    if b.qualifier != qualifier:
        fields = [*qualifier_fields(a.qualifier), *qualifier_fields(b.qualifier)]
        places = sorted([_FIELDS.index(field) for field in fields])
        first, last = _FIELDS[places[0]], _FIELDS[places[-1]]
        qualifier = first if first == last else f"{first} TO {last}"
    months, micros = a.months + sign * b.months, a.micros + sign * b.micros
    result = make_interval(qualifier, months if a.is_year_month() else micros)
    if result is None:
        raise overflow(f"{shown(a)} {operator} {shown(b)}", "INTERVAL")
    return result


def _moved(a: object, operator: str, b: Interval, sign: int, switches: Switches) -> Value:
    """Return a date, time or timestamp plus or minus an interval."""
    try:
        if b.is_year_month():
            if isinstance(a, Timestamp):
                date = _moved_months(a.date(), sign * b.months, switches)
                return Timestamp(date.year, date.month, date.day, a.hour, a.minute, a.second, a.micro, a.gmt)
            if isinstance(a, Date):
                return _moved_months(a, sign * b.months, switches)
        elif isinstance(a, Timestamp):
            return timestamp_from_micros(a.micros() + sign * b.micros, a.gmt)
        elif isinstance(a, Time):
            return time_from_micros(a.micros() + sign * b.micros, a.gmt)
        elif isinstance(a, Date):
            return date_from_ordinal(a.ordinal() + sign * b.micros // MICROS_PER_DAY)
    except ValueError as error:
        raise date_overflow(f"{shown(a)} {operator} {shown(b)}", str(error)) from None
    raise binary_type_error(operator, a, b)


def _moved_months(date: Date, months: int, switches: Switches) -> Date:
    """Return a date `months` later. Raises ValueError."""
    count = date.year * 12 + date.month - 1 + months
    year, month = count // 12, count % 12 + 1
    if not 1 <= year <= 9999:
        raise ValueError("the date is outside the years 1 to 9999")
    day = date.day
    if switches.month_end == "clip":
        day = min(day, days_in_month(year, month))
    return Date(year, month, day)


def _difference(a: object, b: object) -> Interval:
    """Return the interval between two dates, times or timestamps. Raises 2420 for others."""
    if isinstance(a, Timestamp) and isinstance(b, Timestamp):
        micros = a.micros() - b.micros()
        if a.gmt != b.gmt:
            micros = _instant(a) - _instant(b)
        return Interval("DAY TO SECOND", 0, micros)
    if isinstance(a, Date) and isinstance(b, Date):
        return Interval("DAY", 0, (a.ordinal() - b.ordinal()) * MICROS_PER_DAY)
    if isinstance(a, Time) and isinstance(b, Time):
        if a.gmt != b.gmt:
            a, b = clocks.time_to_gmt(a), clocks.time_to_gmt(b)
        return Interval("HOUR TO SECOND", 0, a.micros() - b.micros())
    raise binary_type_error("-", a, b)


def _months_between(a: object, b: object) -> int:
    """Return the complete months from b to a, negative if a is earlier."""
    if isinstance(a, Timestamp) and isinstance(b, Timestamp):
        if a.gmt != b.gmt:
            a, b = timestamp_from_micros(_instant(a), True), timestamp_from_micros(_instant(b), True)
        first, second = (a.day, a.time_micros()), (b.day, b.time_micros())
        months = 12 * (a.year - b.year) + a.month - b.month
    elif isinstance(a, Date) and isinstance(b, Date):
        first, second = (a.day, 0), (b.day, 0)
        months = 12 * (a.year - b.year) + a.month - b.month
    else:
        raise binary_type_error("-", a, b)
    if months > 0 and first < second:
        return months - 1
    return months + 1 if months < 0 and first > second else months


def _instant(a: Timestamp) -> int:
    """Return the microseconds of a timestamp in GMT."""
    return a.micros() if a.gmt else a.micros() - clocks.offset_of_local(a)


def _is_logical(a: object) -> bool:
    return a is None or isinstance(a, bool)


def _equal_lists(a: Sequence[object], b: Sequence[object], switches: Switches) -> bool | None:
    """Return whether two lists have equal items: FALSE if one pair differs, else UNKNOWN if one is."""
    if len(a) != len(b):
        return False
    unknown = False
    for number in range(len(a)):
        found = equal(a[number], b[number], switches)
        if found is False:
            return False
        if found is None:
            unknown = True
    return None if unknown else True


def _compare(operator: str, a: object, b: object, switches: Switches) -> int:
    """Return -1, 0 or 1 for less, equal and greater, 2 for NAN. Neither operand is NULL. Raises 2420."""
    if isinstance(a, str):
        if isinstance(b, str):
            return _compare_texts(a, b)
        found = _compare_with_text(operator, b, a, False, switches)
        return found if found == _UNORDERED else -found
    if isinstance(b, str):
        return _compare_with_text(operator, a, b, True, switches)
    kind = _promoted(a, b)
    if kind:
        return _compare_numbers(a, b, kind)
    if isinstance(a, (Timestamp, Date)) and isinstance(b, (Timestamp, Date)):
        return _compare_dates(a, b)
    if isinstance(a, Time) and isinstance(b, Time):
        if a.gmt != b.gmt:
            return _order(clocks.time_to_gmt(a).micros(), clocks.time_to_gmt(b).micros())
        return _order(a.micros(), b.micros())
    if isinstance(a, bool) and isinstance(b, bool):
        return _order(int(a), int(b))
    if isinstance(a, Interval) and isinstance(b, Interval) and a.is_year_month() == b.is_year_month():
        return _order(a.months, b.months) if a.is_year_month() else _order(a.micros, b.micros)
    return _compare_bits(operator, a, b)


def _compare_dates(a: Timestamp | Date, b: Timestamp | Date) -> int:
    """Return -1, 0 or 1 for dates and timestamps. A date is compared as its midnight."""
    if isinstance(a, Timestamp) and isinstance(b, Timestamp) and a.gmt != b.gmt:
        return _order(_instant(a), _instant(b))
    if isinstance(a, Date) and isinstance(b, Date):
        return _order(a.key(), b.key())
    first = Timestamp(a.year, a.month, a.day) if isinstance(a, Date) else a
    second = Timestamp(b.year, b.month, b.day) if isinstance(b, Date) else b
    return _order(first.key(), second.key())


def _compare_bits(operator: str, a: object, b: object) -> int:
    """Return -1, 0 or 1 for two values of BLOB or of BIT. Raises 2420 for all others."""
    if isinstance(a, bytes) and isinstance(b, bytes):
        return 0 if a == b else -1 if a < b else 1
    if isinstance(a, Bit) and isinstance(b, Bit):
        first, second = a.bits(), b.bits()
        return 0 if first == second else -1 if first < second else 1
    raise binary_type_error(operator, a, b)


def _order(a: int, b: int) -> int:
    return 0 if a == b else -1 if a < b else 1


def _compare_texts(a: str, b: str) -> int:
    """Compare by UTF-16 units: they order as code points do unless both texts go beyond the surrogates."""
    if a == b:
        return 0
    if a.isascii() or b.isascii():
        return -1 if a < b else 1
    first, second = a.encode("utf-16-be", "surrogatepass"), b.encode("utf-16-be", "surrogatepass")
    return -1 if first < second else 1


def _compare_with_text(operator: str, a: object, text: str, text_is_right: bool, switches: Switches) -> int:
    """Compare a value of another type with a CHARACTER, which is cast to that type."""
    if switches.compare_character_numeric == "error" or isinstance(a, (bytes, Bit, list, tuple)):
        raise binary_type_error(operator, a, text) if text_is_right else binary_type_error(operator, text, a)
    if not isinstance(a, (bool, int, float, Decimal, Date, Time, Timestamp, Interval)):
        raise binary_type_error(operator, a, text) if text_is_right else binary_type_error(operator, text, a)
    other = cast_like(text, a, switches)
    if other is None:
        return _UNORDERED
    return _compare(operator, a, other, switches)


def _compare_numbers(a: object, b: object, kind: int) -> int:
    if kind == _FLOAT:
        first, second = _float_of(a), _float_of(b)
        if first != first or second != second:
            return _UNORDERED
        return 0 if first == second else -1 if first < second else 1
    if kind == _INTEGER:
        assert isinstance(a, int) and isinstance(b, int)
        return _order(a, b)
    found = _COMPARE(_decimal_of(a), _decimal_of(b))
    if found.is_nan():
        return _UNORDERED
    return int(found)
