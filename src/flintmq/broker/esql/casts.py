"""CAST: conversion of ESQL values from one type to another.

    to_character(x)                           CAST(x AS CHARACTER)
    to_date(x, pattern="dd/MM/yyyy")          CAST(x AS DATE FORMAT 'dd/MM/yyyy')
    to_blob(x, ccsid=37)                      CAST(x AS BLOB CCSID 37)
    cast([y, m, d], DATE)                     CAST(y, m, d AS DATE)

There is one function for each target type; compiled ESQL calls it directly. `cast` is the general form: it takes the
type as an object, one or several source values and a DEFAULT. NULL gives NULL everywhere. Every failure is a
BrokerError with number 2521.

    from          to          rule
    numeric       INTEGER     rounded (switch cast_rounding); out of 64 bits is an error
    numeric       DECIMAL     (p,s) rounds to s digits behind the point; more than p digits is an error
    CHARACTER     numeric     sign, digits, point, exponent; blanks around are passed over (numeric_blanks); FORMAT
    CHARACTER     BLOB, BIT   with CCSID or ENCODING the bytes of the text; else X'..' or hex digits, B'..' or bits
    BLOB, BIT     CHARACTER   the way back
    BLOB, BIT     others      with CCSID, ENCODING or FORMAT as text; else BLOB and BIT into INTEGER as a binary number
    others        BLOB, BIT   INTEGER as 64 bits; with CCSID, ENCODING or FORMAT the bytes of the text
    BIT           BLOB        whole bytes only
    dates         CHARACTER   literal form (date_text), FORMAT
    CHARACTER     dates       literal form, ISO 8601, FORMAT
    TIMESTAMP     DATE, TIME  the parts; DATE and TIME into TIMESTAMP take the current time or date
    local         GMT         by the local time zone, and back
    numeric       INTERVAL    with a qualifier of one field, and back

CCSID without ENCODING is in the byte order of this machine, which matters for UTF-16 only. A character that the code
page does not have is an error, and so are bytes that are no characters of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Final, final

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql import clock as clocks
from flintmq.broker.esql.clock import Clock
from flintmq.broker.esql.conversions import (
    between_quotes,
    binary_integer,
    byte_order,
    bytes_of_bits,
    decoded,
    encoded,
    read_date,
    read_interval,
    read_number,
    text_of_bytes,
    written_date,
    written_float,
    written_number,
)
from flintmq.broker.esql.decimals import (
    CAST_MODES,
    CONTEXT,
    DIGITS_MAX,
    INTEGER_MAX,
    INTEGER_MIN,
    WIDE,
    decimal_of_float,
    integer_of,
)
from flintmq.broker.esql.failures import cast_failed
from flintmq.broker.esql.intervals import field_of, make_interval, truncated_interval, unit_of
from flintmq.broker.esql.switches import DEFAULTS, Switches
from flintmq.broker.values import (
    DAY_TIME_QUALIFIERS,
    MICROS_PER_SECOND,
    YEAR_MONTH_QUALIFIERS,
    Bit,
    Date,
    Interval,
    Time,
    Timestamp,
    Value,
    decimal_text,
    literal_text,
    parse_bit,
    parse_blob,
    timestamp_of,
)


def to_character(
    value: object, pattern: object = None, ccsid: object = None, encoding: object = None, switches: Switches = DEFAULTS
) -> str | None:
    """Return CAST(value AS CHARACTER ...)."""
    if isinstance(value, str):
        return value
    if value is None:
        return None
    if pattern is not None:
        if isinstance(value, (Date, Time, Timestamp)):
            return written_date(value, pattern, switches)
        if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
            return written_number(value, pattern)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Decimal):
        return decimal_text(value)
    if isinstance(value, float):
        return written_float(value, switches)
    if isinstance(value, (Date, Time, Timestamp, Interval)):
        return literal_text(value) if switches.date_text == "literal" else str(value)
    if isinstance(value, bytes):
        return literal_text(value) if ccsid is None and encoding is None else decoded(value, ccsid, encoding)
    if isinstance(value, Bit):
        if ccsid is None and encoding is None:
            return literal_text(value)
        return decoded(bytes_of_bits(value, "CHARACTER"), ccsid, encoding)
    raise cast_failed(value, "CHARACTER")


def to_integer(
    value: object, pattern: object = None, ccsid: object = None, encoding: object = None, switches: Switches = DEFAULTS
) -> int | None:
    """Return CAST(value AS INTEGER ...)."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if value is None:
        return None
    if isinstance(value, str):
        if pattern is None and len(value) <= 18 and value.isascii() and value.isdigit():
            return int(value)
        number = read_number(value, pattern, "INTEGER", switches)
        strict = pattern is None and switches.character_to_integer == "strict"
        if strict and number.is_finite() and number != number.to_integral_value():
            raise cast_failed(value, "INTEGER", "it has a fraction")
        return _rounded_integer(number, value, switches)
    if isinstance(value, float):
        return _rounded_integer(Decimal(repr(value)), value, switches)
    if isinstance(value, Decimal):
        return _rounded_integer(value, value, switches)
    if isinstance(value, (bytes, Bit)):
        if pattern is None and ccsid is None and encoding is None:
            return binary_integer(value)
        return to_integer(text_of_bytes(value, "INTEGER", ccsid, encoding, pattern), pattern, None, None, switches)
    if isinstance(value, Interval):
        return _rounded_integer(field_of(value, "INTEGER"), value, switches)
    raise cast_failed(value, "INTEGER")


def to_float(
    value: object, pattern: object = None, ccsid: object = None, encoding: object = None, switches: Switches = DEFAULTS
) -> float | None:
    """Return CAST(value AS FLOAT ...)."""
    if isinstance(value, float) or value is None:
        return value
    if isinstance(value, bool):
        raise cast_failed(value, "FLOAT")
    if isinstance(value, int):
        return float(value)
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, str):
        number = read_number(value, pattern, "FLOAT", switches)
        result = float(number)
        if number.is_finite() and result in (float("inf"), float("-inf")):
            raise cast_failed(value, "FLOAT", "it is too large")
        return result
    if isinstance(value, (bytes, Bit)):
        return to_float(text_of_bytes(value, "FLOAT", ccsid, encoding, pattern), pattern, None, None, switches)
    if isinstance(value, Interval):
        return float(field_of(value, "FLOAT"))
    raise cast_failed(value, "FLOAT")


def to_decimal(
    value: object,
    precision: int = 0,
    scale: int = 0,
    pattern: object = None,
    ccsid: object = None,
    encoding: object = None,
    switches: Switches = DEFAULTS,
) -> Decimal | None:
    """Return CAST(value AS DECIMAL(precision, scale) ...); precision 0 stands for DECIMAL without precision."""
    if isinstance(value, Decimal):
        number = value
    elif value is None:
        return None
    elif isinstance(value, bool):
        raise cast_failed(value, "DECIMAL")
    elif isinstance(value, int):
        number = Decimal(value)
    elif isinstance(value, float):
        number = decimal_of_float(value)
    elif isinstance(value, str):
        number = read_number(value, pattern, "DECIMAL", switches)
    elif isinstance(value, (bytes, Bit)):
        number = read_number(text_of_bytes(value, "DECIMAL", ccsid, encoding, pattern), pattern, "DECIMAL", switches)
    elif isinstance(value, Interval):
        number = field_of(value, "DECIMAL")
    else:
        raise cast_failed(value, "DECIMAL")
    if not precision:
        return CONTEXT.plus(number)
    return _fitted(number, precision, scale, value, switches)


def to_boolean(
    value: object, ccsid: object = None, encoding: object = None, switches: Switches = DEFAULTS
) -> bool | None:
    """Return CAST(value AS BOOLEAN). UNKNOWN is NULL."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, str):
        word = value.strip(" ").upper() if len(value) < 64 else ""
        if word == "TRUE":
            return True
        if word == "FALSE":
            return False
        if word == "UNKNOWN":
            return None
        raise cast_failed(value, "BOOLEAN", "TRUE, FALSE or UNKNOWN is wanted")
    if isinstance(value, (bytes, Bit)) and not (ccsid is None and encoding is None):
        return to_boolean(text_of_bytes(value, "BOOLEAN", ccsid, encoding))
    raise cast_failed(value, "BOOLEAN")


def to_blob(
    value: object, pattern: object = None, ccsid: object = None, encoding: object = None, switches: Switches = DEFAULTS
) -> bytes | None:
    """Return CAST(value AS BLOB ...)."""
    if isinstance(value, bytes) or value is None:
        return value
    return _to_bytes(value, "BLOB", pattern, ccsid, encoding, switches)


def to_bit(
    value: object, pattern: object = None, ccsid: object = None, encoding: object = None, switches: Switches = DEFAULTS
) -> Bit | None:
    """Return CAST(value AS BIT ...)."""
    if isinstance(value, Bit) or value is None:
        return value
    if isinstance(value, str) and ccsid is None and encoding is None:
        try:
            return parse_bit(between_quotes(value, "B"))
        except ValueError as error:
            raise cast_failed(value, "BIT", f"{error}; without CCSID the text must be bits") from None
    data = value if isinstance(value, bytes) else _to_bytes(value, "BIT", pattern, ccsid, encoding, switches)
    return Bit(int.from_bytes(data, "big"), 8 * len(data))


def to_date(
    value: object,
    pattern: object = None,
    ccsid: object = None,
    encoding: object = None,
    switches: Switches = DEFAULTS,
    clock: Clock | None = None,
) -> Date | None:
    """Return CAST(value AS DATE ...)."""
    if isinstance(value, Date) or value is None:
        return value
    if isinstance(value, Timestamp):
        return value.date()
    result = read_date(value, "DATE", pattern, ccsid, encoding, switches, clock)
    assert isinstance(result, Date)
    return result


def to_time(
    value: object,
    gmt: bool = False,
    pattern: object = None,
    ccsid: object = None,
    encoding: object = None,
    switches: Switches = DEFAULTS,
    clock: Clock | None = None,
) -> Time | None:
    """Return CAST(value AS TIME ...), or AS GMTTIME with `gmt`."""
    if value is None:
        return None
    if isinstance(value, Time):
        return clocks.time_to_gmt(value) if gmt else clocks.time_to_local(value)
    target = "GMTTIME" if gmt else "TIME"
    if isinstance(value, Timestamp):
        try:
            return (clocks.to_gmt(value) if gmt else clocks.to_local(value)).time()
        except ValueError as error:
            raise cast_failed(value, target, str(error)) from None
    result = read_date(value, target, pattern, ccsid, encoding, switches, clock)
    assert isinstance(result, Time)
    return result


def to_timestamp(
    value: object,
    gmt: bool = False,
    pattern: object = None,
    ccsid: object = None,
    encoding: object = None,
    switches: Switches = DEFAULTS,
    clock: Clock | None = None,
) -> Timestamp | None:
    """Return CAST(value AS TIMESTAMP ...), or AS GMTTIMESTAMP with `gmt`."""
    if value is None:
        return None
    target = "GMTTIMESTAMP" if gmt else "TIMESTAMP"
    try:
        if isinstance(value, Timestamp):
            return clocks.to_gmt(value) if gmt else clocks.to_local(value)
        if isinstance(value, Date):
            return _timestamp_of_date(value, gmt, switches, clock)
        if isinstance(value, Time):
            at = clock if clock is not None else clocks.now()
            moment = timestamp_of(at.gmt_date() if value.gmt else at.date(), value)
            return clocks.to_gmt(moment) if gmt else clocks.to_local(moment)
    except ValueError as error:
        raise cast_failed(value, target, str(error)) from None
    result = read_date(value, target, pattern, ccsid, encoding, switches, clock)
    assert isinstance(result, Timestamp)
    return result


def to_interval(value: object, qualifier: str, switches: Switches = DEFAULTS) -> Interval | None:
    """Return CAST(value AS INTERVAL qualifier)."""
    if value is None:
        return None
    target = f"INTERVAL {qualifier}"
    try:
        if isinstance(value, Interval):
            return truncated_interval(value, qualifier)
        if isinstance(value, str):
            return read_interval(value, qualifier)
    except ValueError as error:
        raise cast_failed(value, target, str(error)) from None
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise cast_failed(value, target)
    if " TO " in qualifier:
        raise cast_failed(value, target, "a number becomes an interval of one field only")
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if qualifier == "SECOND":
        number = number.scaleb(6, WIDE)
    count = integer_of(number, CAST_MODES[switches.cast_rounding])
    if count is None:
        raise cast_failed(value, target, "it is too large")
    result = make_interval(qualifier, count if qualifier == "SECOND" else count * unit_of(qualifier))
    if result is None:
        raise cast_failed(value, target, "it is too large")
    return result


@final
class CastType:
    """A target type of CAST and of DECLARE: `name` in canonical form, with precision, scale or qualifier."""

    def __init__(self, name: str, precision: int = 0, scale: int = 0, qualifier: str = "") -> None:
        self.name: str = name
        self.precision: int = precision
        self.scale: int = scale
        self.qualifier: str = qualifier

    def __repr__(self) -> str:
        return f"CastType({self.text()!r})"

    def text(self) -> str:
        """Return the type as ESQL source: DECIMAL(10,2), INTERVAL DAY TO SECOND."""
        if self.precision:
            return f"{self.name}({self.precision},{self.scale})"
        return f"{self.name} {self.qualifier}" if self.qualifier else self.name


#: Names of scalar types, with the short forms.
TYPE_NAMES: Final[dict[str, str]] = {
    "BOOLEAN": "BOOLEAN",
    "INTEGER": "INTEGER",
    "INT": "INTEGER",
    "FLOAT": "FLOAT",
    "DECIMAL": "DECIMAL",
    "CHARACTER": "CHARACTER",
    "CHAR": "CHARACTER",
    "BLOB": "BLOB",
    "BIT": "BIT",
    "DATE": "DATE",
    "TIME": "TIME",
    "GMTTIME": "GMTTIME",
    "TIMESTAMP": "TIMESTAMP",
    "GMTTIMESTAMP": "GMTTIMESTAMP",
    "INTERVAL": "INTERVAL",
}


def cast_type(name: str, precision: int = 0, scale: int = 0, qualifier: str = "") -> CastType:
    """Return the type of this name in any case. Raises ValueError for other names than those of scalar types."""
    canonical = TYPE_NAMES.get(name.upper())
    if canonical is None:
        raise ValueError(f"{name} is not a scalar type")
    words = " ".join(qualifier.upper().split())
    if canonical == "INTERVAL":
        if words and words not in YEAR_MONTH_QUALIFIERS and words not in DAY_TIME_QUALIFIERS:
            raise ValueError(f"{qualifier} is not an interval qualifier")
    elif words:
        raise ValueError(f"{canonical} has no qualifier")
    if precision and canonical != "DECIMAL":
        raise ValueError(f"{canonical} has no precision")
    if precision and not (1 <= precision <= DIGITS_MAX and 0 <= scale <= precision):
        raise ValueError(f"DECIMAL({precision},{scale}) is outside 1 to {DIGITS_MAX} digits")
    return CastType(canonical, precision, scale, words)


def cast(
    values: Sequence[object],
    target: CastType,
    ccsid: object = None,
    encoding: object = None,
    pattern: object = None,
    default: Callable[[], Value] | None = None,
    switches: Switches = DEFAULTS,
    clock: Clock | None = None,
) -> Value:
    """Return CAST(values AS target ...). `default` is called if a value cannot be converted, not for NULL."""
    if default is None:
        return _cast(values, target, ccsid, encoding, pattern, switches, clock)
    try:
        return _cast(values, target, ccsid, encoding, pattern, switches, clock)
    except BrokerError:
        return default()


def assign(value: object, target: CastType, switches: Switches = DEFAULTS, clock: Clock | None = None) -> Value:
    """Return `value` as a variable of type `target` holds it (MF 2.5, 1): NULL stays NULL, other types are cast.

    Raises 2521 where a value of another type is assigned to CHARACTER and the switch integer_to_character says 'error'.
    """
    if target.name == "CHARACTER" and switches.integer_to_character == "error":
        if not (value is None or isinstance(value, str)):
            raise cast_failed(value, "CHARACTER", "an assignment does not convert to CHARACTER; use CAST")
    return _cast_one(value, target, None, None, None, switches, clock)


def cast_like(text: str, other: object, switches: Switches = DEFAULTS, clock: Clock | None = None) -> Value:
    """Return a CHARACTER cast to the type of `other`, as comparisons do it. A number is read as DECIMAL."""
    if isinstance(other, bool):
        return to_boolean(text)
    if isinstance(other, int):
        if len(text) <= 18 and text.isascii() and text.isdigit():
            return int(text)
        number = to_decimal(text, switches=switches)
        exact = None if number is None else integer_of(number, CAST_MODES["truncate"])
        return exact if exact is not None and exact == number else number
    if isinstance(other, Decimal):
        return to_decimal(text, switches=switches)
    if isinstance(other, float):
        return to_float(text, None, None, None, switches)
    if isinstance(other, Date):
        return to_date(text, None, None, None, switches, clock)
    if isinstance(other, Time):
        return to_time(text, other.gmt, None, None, None, switches, clock)
    if isinstance(other, Timestamp):
        return to_timestamp(text, other.gmt, None, None, None, switches, clock)
    if isinstance(other, Interval):
        return to_interval(text, other.qualifier, switches)
    raise cast_failed(text, "ROW")


def _to_bytes(
    value: object, target: str, pattern: object, ccsid: object, encoding: object, switches: Switches
) -> bytes:
    """Return the bytes of a value that is neither NULL nor BLOB, for BLOB and BIT."""
    plain = ccsid is None and encoding is None
    if isinstance(value, str):
        if not plain:
            return encoded(value, ccsid, encoding, target)
        try:
            return parse_blob(between_quotes(value, "X"))
        except ValueError as error:
            raise cast_failed(value, target, f"{error}; without CCSID the text must be hex digits") from None
    if isinstance(value, Bit):
        return bytes_of_bits(value, target)
    if isinstance(value, int) and not isinstance(value, bool) and pattern is None and ccsid is None:
        if not INTEGER_MIN <= value <= INTEGER_MAX:
            raise cast_failed(value, target, "it does not fit into 64 bits")
        return value.to_bytes(8, byte_order(encoding, value, target, "big"), signed=True)
    if not plain or pattern is not None:
        text = to_character(value, pattern, None, None, switches)
        if text is not None:
            return encoded(text, ccsid, encoding, target)
    raise cast_failed(value, target, "CCSID or FORMAT is needed")


def _cast(
    values: Sequence[object],
    target: CastType,
    ccsid: object,
    encoding: object,
    pattern: object,
    switches: Switches,
    clock: Clock | None,
) -> Value:
    if len(values) == 1:
        return _cast_one(values[0], target, ccsid, encoding, pattern, switches, clock)
    for value in values:
        if value is None:
            return None
    try:
        return _cast_many(values, target, switches)
    except ValueError as error:
        raise cast_failed(values[0], target.text(), str(error)) from None


def _cast_one(
    value: object,
    target: CastType,
    ccsid: object,
    encoding: object,
    pattern: object,
    switches: Switches,
    clock: Clock | None,
) -> Value:
    name = target.name
    if name == "CHARACTER":
        return to_character(value, pattern, ccsid, encoding, switches)
    if name == "INTEGER":
        return to_integer(value, pattern, ccsid, encoding, switches)
    if name == "DECIMAL":
        return to_decimal(value, target.precision, target.scale, pattern, ccsid, encoding, switches)
    if name == "FLOAT":
        return to_float(value, pattern, ccsid, encoding, switches)
    if name == "DATE":
        return to_date(value, pattern, ccsid, encoding, switches, clock)
    if name == "TIMESTAMP" or name == "GMTTIMESTAMP":
        return to_timestamp(value, name == "GMTTIMESTAMP", pattern, ccsid, encoding, switches, clock)
    if name == "TIME" or name == "GMTTIME":
        return to_time(value, name == "GMTTIME", pattern, ccsid, encoding, switches, clock)
    if name == "BLOB":
        return to_blob(value, pattern, ccsid, encoding, switches)
    if name == "BOOLEAN":
        return to_boolean(value, ccsid, encoding, switches)
    if name == "BIT":
        return to_bit(value, pattern, ccsid, encoding, switches)
    return to_interval(value, target.qualifier, switches)


def _cast_many(values: Sequence[object], target: CastType, switches: Switches) -> Value:
    """Return the cast of several values to one. Raises ValueError for values that do not fit together."""
    name, count = target.name, len(values)
    if name == "DATE" and count == 3:
        return Date(_part(values[0], switches), _part(values[1], switches), _part(values[2], switches))
    if name in ("TIME", "GMTTIME") and count == 3:
        second, micro = _seconds_part(values[2])
        return Time(_part(values[0], switches), _part(values[1], switches), second, micro, name == "GMTTIME")
    if name in ("TIMESTAMP", "GMTTIMESTAMP"):
        gmt = name == "GMTTIMESTAMP"
        if count == 2:
            date, time = values[0], values[1]
            if isinstance(date, Date) and isinstance(time, Time):
                moment = timestamp_of(date, time)
                return clocks.to_gmt(moment) if gmt else clocks.to_local(moment)
        elif count == 6:
            parts = [_part(value, switches) for value in values[:5]]
            second, micro = _seconds_part(values[5])
            return Timestamp(parts[0], parts[1], parts[2], parts[3], parts[4], second, micro, gmt)
    if name == "INTERVAL":
        return _interval_of_parts(values, target.qualifier, switches)
    raise ValueError(f"{count} values of these types do not make a {name}")


def _interval_of_parts(values: Sequence[object], qualifier: str, switches: Switches) -> Interval:
    """Return an interval of one number for each of its fields."""
    fields = ["YEAR", "MONTH"] if qualifier in YEAR_MONTH_QUALIFIERS else ["DAY", "HOUR", "MINUTE", "SECOND"]
    first, _, last = qualifier.partition(" TO ")
    fields = fields[fields.index(first) : fields.index(last or first) + 1]
    if len(fields) != len(values):
        raise ValueError(f"INTERVAL {qualifier} has {len(fields)} fields")
    amount = 0
    for number in range(len(fields)):
        if fields[number] == "SECOND":
            second, micro = _seconds_part(values[number], True)
            amount += second * MICROS_PER_SECOND + micro
        else:
            amount += _part(values[number], switches) * unit_of(fields[number])
    result = make_interval(qualifier, amount)
    if result is None:
        raise ValueError("the interval is too long")
    return result


def _part(value: object, switches: Switches) -> int:
    """Return a number for one field of a date or interval."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise ValueError("each field must be a number")
    number = to_integer(value, None, None, None, switches)
    assert number is not None
    return number


def _seconds_part(value: object, signed: bool = False) -> tuple[int, int]:
    """Return seconds and microseconds of a number."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise ValueError("each field must be a number")
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    micros = integer_of(number.scaleb(6, WIDE), CAST_MODES["truncate"])
    if micros is None or (micros < 0 and not signed):
        raise ValueError("the seconds are out of range")
    return micros // MICROS_PER_SECOND, micros % MICROS_PER_SECOND


def _timestamp_of_date(date: Date, gmt: bool, switches: Switches, clock: Clock | None) -> Timestamp:
    """Return a DATE with the current time of day, or midnight."""
    if switches.date_to_timestamp == "midnight":
        return Timestamp(date.year, date.month, date.day, 0, 0, 0, 0, gmt)
    at = clock if clock is not None else clocks.now()
    return timestamp_of(date, at.gmt_time() if gmt else at.time())


def _rounded_integer(number: Decimal, source: object, switches: Switches) -> int:
    result = integer_of(number, CAST_MODES[switches.cast_rounding])
    if result is None:
        raise cast_failed(source, "INTEGER", "it does not fit into 64 bits")
    return result


def _fitted(number: Decimal, precision: int, scale: int, source: object, switches: Switches) -> Decimal:
    """Return a number with exactly `scale` digits behind the point. Raises 2521 if it has too many before it."""
    if not number.is_finite():
        return number
    if not number or number.adjusted() < precision:
        unit = Decimal(1).scaleb(-scale, WIDE)
        if number and number.adjusted() < -scale - 1:
            number = Decimal(0)
        fitted = number.quantize(unit, CAST_MODES[switches.cast_rounding], WIDE)
        if not fitted or fitted.adjusted() < precision - scale:
            return fitted
    raise cast_failed(source, f"DECIMAL({precision},{scale})", "it has too many digits before the point")
