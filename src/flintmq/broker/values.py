"""ESQL scalar values: the values of variables, expressions and elements of message trees.

    ESQL type                 Python value
    NULL, UNKNOWN             None
    BOOLEAN                   bool (test for bool before int: bool is a subclass of int)
    INTEGER                   int, -2**63 ... 2**63 - 1; arithmetic and CAST check the range, this module does not
    FLOAT                     float
    DECIMAL                   decimal.Decimal, at most 34 digits; NaN and Infinity are values
    CHARACTER                 str
    BLOB                      bytes
    BIT                       Bit
    DATE                      Date
    TIME, GMTTIME             Time, told apart by `gmt`
    TIMESTAMP, GMTTIMESTAMP   Timestamp, told apart by `gmt`
    INTERVAL                  Interval: months for YEAR and MONTH, microseconds for DAY to SECOND

The classes here are immutable, hashable and comparable with their own kind. A local value and a GMT value are never
equal here, whatever instants they mean: only `flintmq.broker.esql.operators` knows the time zone.

Each value has two text forms:

    literal_text   as ESQL source has it     DATE '2024-01-31'   X'0aff'   'it''s'   INTERVAL '1' DAY
    plain_text     as recorded assemblies    2024-01-31          0AFF      it's      1
                   (.mxml) have it           2024-01-31 23:59:59.000000

and the functions `parse_...` read the text between the quotes of a literal, which is also the plain text. They raise
ValueError, which the caller turns into the ESQL error of its own situation. Nothing here raises a BIP number.
"""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Final, TypeAlias, final

MICROS_PER_SECOND: Final = 1_000_000
MICROS_PER_MINUTE: Final = 60_000_000
MICROS_PER_HOUR: Final = 3_600_000_000
MICROS_PER_DAY: Final = 86_400_000_000

#: The qualifiers of an INTERVAL. The first three count months, the others microseconds.
YEAR_MONTH_QUALIFIERS: Final = ("YEAR", "YEAR TO MONTH", "MONTH")
DAY_TIME_QUALIFIERS: Final = (
    "DAY",
    "DAY TO HOUR",
    "DAY TO MINUTE",
    "DAY TO SECOND",
    "HOUR",
    "HOUR TO MINUTE",
    "HOUR TO SECOND",
    "MINUTE",
    "MINUTE TO SECOND",
    "SECOND",
)
_MICROS_OF_FIELD: Final[dict[str, int]] = {
    "DAY": MICROS_PER_DAY,
    "HOUR": MICROS_PER_HOUR,
    "MINUTE": MICROS_PER_MINUTE,
    "SECOND": MICROS_PER_SECOND,
}
_FIELDS: Final = ("DAY", "HOUR", "MINUTE", "SECOND")
#: By field of a day-time interval that is not the first: the number of values it has.
_FIELD_LIMITS: Final[dict[str, int]] = {"HOUR": 24, "MINUTE": 60, "SECOND": 60}

#: Digits that the leading field of an interval literal may have. Larger counts have no use and cost time to convert.
_DIGITS_MAX: Final = 18


@final
class Bit:
    """A BIT value: `length` bits, of which the first is the most significant of `value`."""

    __slots__ = ("value", "length")

    def __init__(self, value: int, length: int) -> None:
        if length < 0 or value < 0 or value.bit_length() > length:
            raise ValueError(f"{value} does not fit into {length} bits")
        self.value: Final[int] = value
        self.length: Final[int] = length

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bit) and self.value == other.value and self.length == other.length

    def __hash__(self) -> int:
        return hash((self.value, self.length))

    def __lt__(self, other: Bit) -> bool:
        return self.bits() < other.bits()

    def __le__(self, other: Bit) -> bool:
        return self.bits() <= other.bits()

    def __gt__(self, other: Bit) -> bool:
        return self.bits() > other.bits()

    def __ge__(self, other: Bit) -> bool:
        return self.bits() >= other.bits()

    def __repr__(self) -> str:
        return f"Bit('{self.bits()}')"

    def __reduce__(self) -> tuple[object, ...]:
        return Bit, (self.value, self.length)

    def bits(self) -> str:
        """Return the bits as characters 0 and 1. Bit strings compare as these texts do."""
        return format(self.value, f"0{self.length}b") if self.length else ""


@final
class Date:
    """A DATE of the Gregorian calendar, years 1 to 9999."""

    __slots__ = ("year", "month", "day")

    def __init__(self, year: int, month: int, day: int) -> None:
        if not (1 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= 31) or (
            day > 28 and day > days_in_month(year, month)
        ):
            raise ValueError(f"{year:04d}-{month:02d}-{day:02d} is not a date")
        self.year: Final[int] = year
        self.month: Final[int] = month
        self.day: Final[int] = day

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Date) and self.day == other.day and self.month == other.month and self.year == other.year
        )

    def __hash__(self) -> int:
        return self.key()

    def __lt__(self, other: Date) -> bool:
        return self.key() < other.key()

    def __le__(self, other: Date) -> bool:
        return self.key() <= other.key()

    def __gt__(self, other: Date) -> bool:
        return self.key() > other.key()

    def __ge__(self, other: Date) -> bool:
        return self.key() >= other.key()

    def __repr__(self) -> str:
        return f"Date({self.year}, {self.month}, {self.day})"

    def __str__(self) -> str:
        return f"{self.year:04d}-{self.month:02d}-{self.day:02d}"

    def __reduce__(self) -> tuple[object, ...]:
        return Date, (self.year, self.month, self.day)

    def key(self) -> int:
        """Return an integer that orders dates. It is not a number of days: see `ordinal`."""
        return (self.year * 16 + self.month) * 32 + self.day

    def ordinal(self) -> int:
        """Return the number of the day, where 0001-01-01 is 1."""
        return datetime.date(self.year, self.month, self.day).toordinal()

    def to_python(self) -> datetime.date:
        """Return the same day as Python's date."""
        return datetime.date(self.year, self.month, self.day)


@final
class Time:
    """A TIME (local) or, with `gmt`, a GMTTIME, in microseconds."""

    __slots__ = ("hour", "minute", "second", "micro", "gmt")

    def __init__(self, hour: int, minute: int, second: int = 0, micro: int = 0, gmt: bool = False) -> None:
        if not (0 <= hour <= 23 and 0 <= minute <= 59 and 0 <= second <= 59 and 0 <= micro <= 999_999):
            raise ValueError(f"{hour:02d}:{minute:02d}:{second:02d}.{micro:06d} is not a time of day")
        self.hour: Final[int] = hour
        self.minute: Final[int] = minute
        self.second: Final[int] = second
        self.micro: Final[int] = micro
        self.gmt: Final[bool] = gmt

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Time) and self.micros() == other.micros() and self.gmt == other.gmt

    def __hash__(self) -> int:
        return hash((self.micros(), self.gmt))

    def __lt__(self, other: Time) -> bool:
        return self.micros() < other.micros()

    def __le__(self, other: Time) -> bool:
        return self.micros() <= other.micros()

    def __gt__(self, other: Time) -> bool:
        return self.micros() > other.micros()

    def __ge__(self, other: Time) -> bool:
        return self.micros() >= other.micros()

    def __repr__(self) -> str:
        return f"Time({self.hour}, {self.minute}, {self.second}, {self.micro}{', gmt=True' if self.gmt else ''})"

    def __str__(self) -> str:
        return f"{self.hour:02d}:{self.minute:02d}:{self.second:02d}.{self.micro:06d}"

    def __reduce__(self) -> tuple[object, ...]:
        return Time, (self.hour, self.minute, self.second, self.micro, self.gmt)

    def micros(self) -> int:
        """Return the microseconds since midnight."""
        return ((self.hour * 60 + self.minute) * 60 + self.second) * MICROS_PER_SECOND + self.micro

    def to_python(self) -> datetime.time:
        """Return the same time of day as Python's time: aware of UTC for GMTTIME, naive for TIME."""
        zone = datetime.UTC if self.gmt else None
        return datetime.time(self.hour, self.minute, self.second, self.micro, zone)


@final
class Timestamp:
    """A TIMESTAMP (local) or, with `gmt`, a GMTTIMESTAMP, in microseconds, years 1 to 9999."""

    __slots__ = ("year", "month", "day", "hour", "minute", "second", "micro", "gmt")

    def __init__(
        self,
        year: int,
        month: int,
        day: int,
        hour: int = 0,
        minute: int = 0,
        second: int = 0,
        micro: int = 0,
        gmt: bool = False,
    ) -> None:
        if (
            not (1 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= 31)
            or (day > 28 and day > days_in_month(year, month))
            or not (0 <= hour <= 23 and 0 <= minute <= 59 and 0 <= second <= 59 and 0 <= micro <= 999_999)
        ):
            raise ValueError(
                f"{year:04d}-{month:02d}-{day:02d} {hour:02d}:{minute:02d}:{second:02d}.{micro:06d} is not a timestamp"
            )
        self.year: Final[int] = year
        self.month: Final[int] = month
        self.day: Final[int] = day
        self.hour: Final[int] = hour
        self.minute: Final[int] = minute
        self.second: Final[int] = second
        self.micro: Final[int] = micro
        self.gmt: Final[bool] = gmt

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Timestamp) and self.key() == other.key() and self.gmt == other.gmt

    def __hash__(self) -> int:
        return hash((self.key(), self.gmt))

    def __lt__(self, other: Timestamp) -> bool:
        return self.key() < other.key()

    def __le__(self, other: Timestamp) -> bool:
        return self.key() <= other.key()

    def __gt__(self, other: Timestamp) -> bool:
        return self.key() > other.key()

    def __ge__(self, other: Timestamp) -> bool:
        return self.key() >= other.key()

    def __repr__(self) -> str:
        fields = (
            f"{self.year}, {self.month}, {self.day}, {self.hour}, {self.minute}, {self.second}, {self.micro}"
            f"{', gmt=True' if self.gmt else ''}"
        )
        return f"Timestamp({fields})"

    def __str__(self) -> str:
        return (
            f"{self.year:04d}-{self.month:02d}-{self.day:02d} "
            f"{self.hour:02d}:{self.minute:02d}:{self.second:02d}.{self.micro:06d}"
        )

    def __reduce__(self) -> tuple[object, ...]:
        fields = (self.year, self.month, self.day, self.hour, self.minute, self.second, self.micro, self.gmt)
        return Timestamp, fields

    def key(self) -> int:
        """Return an integer that orders timestamps. Differences of keys mean nothing: see `micros`."""
        return ((self.year * 16 + self.month) * 32 + self.day) * MICROS_PER_DAY + self.time_micros()

    def time_micros(self) -> int:
        """Return the microseconds since midnight."""
        return ((self.hour * 60 + self.minute) * 60 + self.second) * MICROS_PER_SECOND + self.micro

    def micros(self) -> int:
        """Return the microseconds since 0001-01-01 00:00, a day counted as 24 hours."""
        days = datetime.date(self.year, self.month, self.day).toordinal() - 1
        return days * MICROS_PER_DAY + self.time_micros()

    def date(self) -> Date:
        """Return the DATE part."""
        return Date(self.year, self.month, self.day)

    def time(self) -> Time:
        """Return the TIME part, GMTTIME for a GMTTIMESTAMP."""
        return Time(self.hour, self.minute, self.second, self.micro, self.gmt)

    def to_python(self) -> datetime.datetime:
        """Return the same moment as Python's datetime: aware of UTC for GMTTIMESTAMP, naive for TIMESTAMP."""
        zone = datetime.UTC if self.gmt else None
        return datetime.datetime(self.year, self.month, self.day, self.hour, self.minute, self.second, self.micro, zone)


@final
class Interval:
    """An INTERVAL: `months` for the qualifiers of years and months, `micros` for those of days to seconds.

    Two intervals of one family are equal when they are equally long: the qualifier says how the text is written.
    """

    __slots__ = ("months", "micros", "qualifier")

    def __init__(self, qualifier: str, months: int = 0, micros: int = 0) -> None:
        if qualifier in YEAR_MONTH_QUALIFIERS:
            if micros:
                raise ValueError(f"INTERVAL {qualifier} has no days")
        elif qualifier not in DAY_TIME_QUALIFIERS:
            raise ValueError(f"{qualifier} is not an interval qualifier")
        elif months:
            raise ValueError(f"INTERVAL {qualifier} has no months")
        self.months: Final[int] = months
        self.micros: Final[int] = micros
        self.qualifier: Final[str] = qualifier

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Interval)
            and self.micros == other.micros
            and self.months == other.months
            and self.is_year_month() == other.is_year_month()
        )

    def __hash__(self) -> int:
        return hash((self.months, self.micros, self.is_year_month()))

    def __lt__(self, other: Interval) -> bool:
        return self._key(other) < other._key(self)

    def __le__(self, other: Interval) -> bool:
        return self._key(other) <= other._key(self)

    def __gt__(self, other: Interval) -> bool:
        return self._key(other) > other._key(self)

    def __ge__(self, other: Interval) -> bool:
        return self._key(other) >= other._key(self)

    def __repr__(self) -> str:
        amount = f"months={self.months}" if self.is_year_month() else f"micros={self.micros}"
        return f"Interval('{self.qualifier}', {amount})"

    def __str__(self) -> str:
        return self._year_month_text() if self.is_year_month() else self._day_time_text()

    def __reduce__(self) -> tuple[object, ...]:
        return Interval, (self.qualifier, self.months, self.micros)

    def is_year_month(self) -> bool:
        """Return whether the interval counts months."""
        return self.qualifier in YEAR_MONTH_QUALIFIERS

    def requalified(self, qualifier: str) -> Interval:
        """Return an equally long interval with another qualifier of the same family. Raises ValueError."""
        if (qualifier in YEAR_MONTH_QUALIFIERS) != self.is_year_month():
            raise ValueError(f"INTERVAL {self.qualifier} has no fields of INTERVAL {qualifier}")
        return Interval(qualifier, self.months, self.micros)

    def _key(self, other: Interval) -> int:
        if self.is_year_month():
            if not other.is_year_month():
                raise TypeError("an interval of months does not compare with one of days")
            return self.months
        return self.micros

    def _year_month_text(self) -> str:
        sign = "-" if self.months < 0 else ""
        months = abs(self.months)
        if self.qualifier == "MONTH":
            return f"{sign}{months}"
        if self.qualifier == "YEAR":
            return f"{sign}{months // 12}"
        return f"{sign}{months // 12}-{months % 12:02d}"

    def _day_time_text(self) -> str:
        """Write the fields of the qualifier. Fields finer than the last one are cut off."""
        first, last = qualifier_fields(self.qualifier)
        sign = "-" if self.micros < 0 else ""
        rest = abs(self.micros)
        text = ""
        for number in range(_FIELDS.index(first), _FIELDS.index(last) + 1):
            field = _FIELDS[number]
            count = rest // _MICROS_OF_FIELD[field]
            rest %= _MICROS_OF_FIELD[field]
            if field == first:
                text = str(count)
            else:
                text += f" {count:02d}" if field == "HOUR" else f":{count:02d}"
            if field == "SECOND" and rest:
                text += f".{rest:06d}"
        return sign + text


#: Everything that an ESQL scalar can be.
Value: TypeAlias = bool | int | float | Decimal | str | bytes | Bit | Date | Time | Timestamp | Interval | None


def esql_type(value: object) -> str:
    """Return the ESQL name of the type of `value`: 'INTEGER', 'GMTTIMESTAMP' ..., 'NULL' for None.

    A Python list or tuple is a LIST, any other object that is not a scalar is a ROW.
    """
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "CHARACTER"
    if isinstance(value, bool):
        return "BOOLEAN"
    if isinstance(value, int):
        return "INTEGER"
    if isinstance(value, Decimal):
        return "DECIMAL"
    if isinstance(value, float):
        return "FLOAT"
    if isinstance(value, bytes):
        return "BLOB"
    if isinstance(value, Timestamp):
        return "GMTTIMESTAMP" if value.gmt else "TIMESTAMP"
    if isinstance(value, Date):
        return "DATE"
    if isinstance(value, Time):
        return "GMTTIME" if value.gmt else "TIME"
    if isinstance(value, Interval):
        return "INTERVAL"
    if isinstance(value, Bit):
        return "BIT"
    return "LIST" if isinstance(value, (list, tuple)) else "ROW"


def plain_text(value: Value) -> str:
    """Return the text of `value` without quotes and type, as .mxml files have it: '' for NULL, BLOB in hex digits."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, Decimal):
        return decimal_text(value)
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, Bit):
        return value.bits()
    return str(value)


def literal_text(value: Value) -> str:
    """Return ESQL source of `value`: `DATE '2024-01-31'`, `X'0aff'`, `'it''s'`, `NULL`."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if isinstance(value, Bit):
        return f"B'{value.bits()}'"
    if isinstance(value, (Date, Time, Timestamp)):
        return f"{esql_type(value)} '{value}'"
    if isinstance(value, Interval):
        return f"INTERVAL '{value}' {value.qualifier}"
    return plain_text(value)


def decimal_text(value: Decimal) -> str:
    """Return the digits of a DECIMAL without exponent, unless that would add more than 34 zeros: 0.320, 1E+40."""
    if not value.is_finite():
        if value.is_nan():
            return "NAN"
        return "-INF" if value < 0 else "INF"
    exponent = value.as_tuple().exponent
    if isinstance(exponent, int) and -40 <= exponent <= 34:
        return format(value, "f")
    return str(value)


def float_text(value: float) -> str:
    """Return the shortest digits that give this FLOAT back, one digit before the point and an exponent: 1.5E+0."""
    if value != value:
        return "NAN"
    if value in (float("inf"), float("-inf")):
        return "INF" if value > 0 else "-INF"
    digits, _, exponent = repr(value).partition("e")
    sign = "-" if digits.startswith("-") else ""
    whole, _, fraction = digits.lstrip("-").partition(".")
    power = int(exponent or "0") + len(whole) - 1
    significant = whole + fraction
    stripped = significant.lstrip("0")
    if not stripped:
        return sign + "0E+0"
    power -= len(significant) - len(stripped)
    stripped = stripped.rstrip("0")
    point = "." + stripped[1:] if len(stripped) > 1 else ""
    return f"{sign}{stripped[0]}{point}E{'-' if power < 0 else '+'}{abs(power)}"


def is_leap_year(year: int) -> bool:
    """Return whether `year` has 366 days."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in_month(year: int, month: int) -> int:
    """Return the number of days of a month."""
    if month == 2:
        return 29 if is_leap_year(year) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def date_from_ordinal(ordinal: int) -> Date:
    """Return the date with this day number. Raises ValueError outside the years 1 to 9999."""
    if not 1 <= ordinal <= 3_652_059:
        raise ValueError("the date is outside the years 1 to 9999")
    day = datetime.date.fromordinal(ordinal)
    return Date(day.year, day.month, day.day)


def date_from_python(day: datetime.date) -> Date:
    """Return the DATE of a Python date or datetime."""
    return Date(day.year, day.month, day.day)


def time_from_micros(micros: int, gmt: bool = False) -> Time:
    """Return the time of day `micros` after midnight; whole days are taken away."""
    micros %= MICROS_PER_DAY
    seconds = micros // MICROS_PER_SECOND
    return Time(seconds // 3600, seconds // 60 % 60, seconds % 60, micros % MICROS_PER_SECOND, gmt)


def time_from_python(time: datetime.time) -> Time:
    """Return the TIME of a naive time or the GMTTIME of one in UTC. Raises ValueError for other zones."""
    return Time(time.hour, time.minute, time.second, time.microsecond, _is_utc(time.utcoffset()))


def timestamp_from_micros(micros: int, gmt: bool = False) -> Timestamp:
    """Return the timestamp `micros` after 0001-01-01 00:00. Raises ValueError outside the years 1 to 9999."""
    day = date_from_ordinal(micros // MICROS_PER_DAY + 1)
    rest = micros % MICROS_PER_DAY
    seconds = rest // MICROS_PER_SECOND
    return Timestamp(
        day.year,
        day.month,
        day.day,
        seconds // 3600,
        seconds // 60 % 60,
        seconds % 60,
        rest % MICROS_PER_SECOND,
        gmt,
    )


def timestamp_from_python(moment: datetime.datetime) -> Timestamp:
    """Return the TIMESTAMP of a naive datetime, or the GMTTIMESTAMP of an aware one."""
    aware = moment.tzinfo is not None
    if aware:
        moment = moment.astimezone(datetime.UTC)
    return Timestamp(
        moment.year,
        moment.month,
        moment.day,
        moment.hour,
        moment.minute,
        moment.second,
        moment.microsecond,
        aware,
    )


def timestamp_of(date: Date, time: Time) -> Timestamp:
    """Return the TIMESTAMP of a date and a time of day; GMTTIMESTAMP if the time is GMTTIME."""
    return Timestamp(date.year, date.month, date.day, time.hour, time.minute, time.second, time.micro, time.gmt)


def qualifier_fields(qualifier: str) -> tuple[str, str]:
    """Return the first and the last field of an interval qualifier; they are equal for a single field."""
    first, _, last = qualifier.partition(" TO ")
    return first, last or first


def parse_bit(text: str) -> Bit:
    """Return the BIT value of characters 0 and 1. Raises ValueError."""
    if text.strip("01"):
        raise ValueError("a BIT literal has only 0 and 1")
    return Bit(int(text, 2) if text else 0, len(text))


def parse_blob(text: str) -> bytes:
    """Return the BLOB of hex digits. Raises ValueError, also for an odd number of digits."""
    if len(text) % 2:
        raise ValueError("a BLOB literal has an even number of hex digits")
    if text.strip("0123456789abcdefABCDEF"):
        raise ValueError("a BLOB literal has only hex digits")
    return bytes.fromhex(text)


def parse_date(text: str) -> Date:
    """Return the DATE of `yyyy-MM-dd`. Raises ValueError."""
    parts = text.strip().split("-")
    if len(parts) != 3:
        raise ValueError(f"'{text}' is not a date yyyy-MM-dd")
    return Date(_digits(parts[0], 4), _digits(parts[1], 2), _digits(parts[2], 2))


def parse_time(text: str, gmt: bool = False) -> Time:
    """Return the time of `HH:mm:ss` with up to six digits of a fraction. Raises ValueError."""
    parts = text.strip().split(":")
    if len(parts) != 3:
        raise ValueError(f"'{text}' is not a time HH:mm:ss")
    seconds, micros = _seconds(parts[2])
    return Time(_digits(parts[0], 2), _digits(parts[1], 2), seconds, micros, gmt)


def parse_timestamp(text: str, gmt: bool = False) -> Timestamp:
    """Return the timestamp of `yyyy-MM-dd HH:mm:ss` with up to six digits of a fraction. Raises ValueError."""
    date, separator, time = text.strip().partition(" ")
    if not separator:
        raise ValueError(f"'{text}' is not a timestamp yyyy-MM-dd HH:mm:ss")
    return timestamp_of(parse_date(date), parse_time(time, gmt))


def parse_interval(text: str, qualifier: str) -> Interval:
    """Return the INTERVAL of a text such as `1`, `-2-06`, `3 12:00:00.5`. Raises ValueError."""
    body = text.strip()
    sign = 1
    if body[:1] in ("-", "+"):
        sign = -1 if body[0] == "-" else 1
        body = body[1:].strip()
    if qualifier in YEAR_MONTH_QUALIFIERS:
        return Interval(qualifier, sign * _months(body, qualifier), 0)
    if qualifier not in DAY_TIME_QUALIFIERS:
        raise ValueError(f"{qualifier} is not an interval qualifier")
    first, last = qualifier_fields(qualifier)
    fields = _FIELDS[_FIELDS.index(first) : _FIELDS.index(last) + 1]
    if first == "DAY" and last != "DAY":
        days, _, body = body.partition(" ")
        parts = [days, *body.strip().split(":")]
    else:
        parts = body.split(":")
    if len(parts) != len(fields):
        raise ValueError(f"'{text}' is not INTERVAL {qualifier}")
    micros = 0
    for number in range(len(fields)):
        field = fields[number]
        fraction = 0
        if field == "SECOND":
            count, fraction = _seconds(parts[number], _DIGITS_MAX if number == 0 else 2)
        else:
            count = _digits(parts[number], _DIGITS_MAX if number == 0 else 2)
        if number and count >= _FIELD_LIMITS[field]:
            raise ValueError(f"'{text}' is not INTERVAL {qualifier}: {count} is too large")
        micros += count * _MICROS_OF_FIELD[field] + fraction
    return Interval(qualifier, 0, sign * micros)


def _months(text: str, qualifier: str) -> int:
    """Return the months of the text of a year-month interval."""
    if qualifier == "MONTH":
        return _digits(text, _DIGITS_MAX)
    if qualifier == "YEAR":
        return 12 * _digits(text, _DIGITS_MAX)
    years, separator, months = text.partition("-")
    if not separator or _digits(months, 2) > 11:
        raise ValueError(f"'{text}' is not INTERVAL {qualifier}")
    return 12 * _digits(years, _DIGITS_MAX) + _digits(months, 2)


def _digits(text: str, most: int) -> int:
    """Return the number of 1 to `most` ASCII digits. Raises ValueError for anything else."""
    if not 0 < len(text) <= most or not (text.isascii() and text.isdigit()):
        raise ValueError(f"'{text}' is not a number of at most {most} digits")
    return int(text)


def _seconds(text: str, most: int = 2) -> tuple[int, int]:
    """Return the seconds and microseconds of `ss` or `ss.ffffff`."""
    whole, point, fraction = text.partition(".")
    if not point:
        return _digits(whole, most), 0
    return _digits(whole, most), _digits(fraction, 6) * 10 ** (6 - len(fraction))


def _is_utc(offset: datetime.timedelta | None) -> bool:
    """Return whether the offset of an aware value is zero; False without offset. Raises ValueError for other zones."""
    if offset is None:
        return False
    if offset:
        raise ValueError("only UTC and local times have an ESQL type")
    return True
