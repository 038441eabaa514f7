"""Values of XML: from the text of a simple type of XML Schema to an ESQL value, and back in canonical form.

    BOOLEAN true false      INTEGER 42            DECIMAL 0.320 (scale kept)     FLOAT 1.5E0 INF NaN
    DATE 2024-01-31         TIME 23:59:59.5       TIMESTAMP 2024-01-31T23:59:59  GMT values end with Z
    BLOB 0AFF (hexBinary)   INTERVAL P1Y2M, P1DT2H3M4.5S                         BIT 0101

A fraction of a second is written without zeros at the end. Reading follows MF 1.6, *XSD simple types to tree types*: a
time with a zone becomes GMT, one without stays local; parts that gYear and the like lack are those of 1970-01-01. Text
that is not of its type stays CHARACTER: whether it is valid is the question of validation.

The module is compiled.
"""

from __future__ import annotations

import base64
import re
from decimal import Decimal, InvalidOperation
from typing import Final

from flintmq.broker.values import (
    MICROS_PER_DAY,
    MICROS_PER_HOUR,
    MICROS_PER_MINUTE,
    MICROS_PER_SECOND,
    Bit,
    Date,
    Interval,
    Time,
    Timestamp,
    float_text,
    timestamp_from_micros,
)

#: How the text of a simple type becomes a value. 0 = it stays CHARACTER.
KIND_TEXT: Final = 0
KIND_BOOLEAN: Final = 1
KIND_INTEGER: Final = 2
KIND_DECIMAL: Final = 3
KIND_FLOAT: Final = 4
KIND_DATE: Final = 5
KIND_TIME: Final = 6
KIND_TIMESTAMP: Final = 7
KIND_DURATION: Final = 8
KIND_HEX: Final = 9
KIND_BASE64: Final = 10
KIND_YEAR: Final = 11
KIND_YEAR_MONTH: Final = 12
KIND_MONTH: Final = 13
KIND_MONTH_DAY: Final = 14
KIND_DAY: Final = 15

#: The simple types of XML Schema whose values are not CHARACTER.
SIMPLE_TYPES: Final[dict[str, int]] = {
    "boolean": KIND_BOOLEAN,
    "byte": KIND_INTEGER,
    "short": KIND_INTEGER,
    "int": KIND_INTEGER,
    "long": KIND_INTEGER,
    "unsignedByte": KIND_INTEGER,
    "unsignedShort": KIND_INTEGER,
    "unsignedInt": KIND_INTEGER,
    "integer": KIND_DECIMAL,
    "nonNegativeInteger": KIND_DECIMAL,
    "positiveInteger": KIND_DECIMAL,
    "nonPositiveInteger": KIND_DECIMAL,
    "negativeInteger": KIND_DECIMAL,
    "unsignedLong": KIND_DECIMAL,
    "decimal": KIND_DECIMAL,
    "float": KIND_FLOAT,
    "double": KIND_FLOAT,
    "date": KIND_DATE,
    "time": KIND_TIME,
    "dateTime": KIND_TIMESTAMP,
    "duration": KIND_DURATION,
    "hexBinary": KIND_HEX,
    "base64Binary": KIND_BASE64,
    "gYear": KIND_YEAR,
    "gYearMonth": KIND_YEAR_MONTH,
    "gMonth": KIND_MONTH,
    "gMonthDay": KIND_MONTH_DAY,
    "gDay": KIND_DAY,
}

_ZONE: Final = r"(Z|[+-]\d\d:\d\d)?"
_CLOCK: Final = r"(\d\d):(\d\d):(\d\d)(?:\.(\d+))?"
_DATE: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)" + _ZONE, re.ASCII)
_TIME: Final = re.compile(_CLOCK + _ZONE, re.ASCII)
_TIMESTAMP: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)T" + _CLOCK + _ZONE, re.ASCII)
_PARTS: Final[dict[int, re.Pattern[str]]] = {
    KIND_YEAR: re.compile(r"(?P<year>\d{4})" + _ZONE, re.ASCII),
    KIND_YEAR_MONTH: re.compile(r"(?P<year>\d{4})-(?P<month>\d\d)" + _ZONE, re.ASCII),
    KIND_MONTH: re.compile(r"--(?P<month>\d\d)" + _ZONE, re.ASCII),
    KIND_MONTH_DAY: re.compile(r"--(?P<month>\d\d)-(?P<day>\d\d)" + _ZONE, re.ASCII),
    KIND_DAY: re.compile(r"---(?P<day>\d\d)" + _ZONE, re.ASCII),
}
_DURATION: Final = re.compile(
    r"(-)?P(?:(\d{1,9})Y)?(?:(\d{1,9})M)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:\.(\d+))?S)?)?",
    re.ASCII,
)
_NUMBER: Final = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)", re.ASCII)
_DOUBLE: Final = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[Ee][+-]?\d+)?", re.ASCII)
#: Digits that a number may have. More cost time to convert, and no schema of a message needs them.
_DIGITS_MAX: Final = 400

_INFINITIES: Final[dict[str, str]] = {"INF": "INF", "-INF": "-INF", "NAN": "NaN"}


def xml_text(value: object) -> str:
    """Return the text of a scalar value; '' for NULL. Raise TypeError for anything that is no scalar."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Decimal):
        return _decimal_text(value)
    if isinstance(value, float):
        return double_text(value)
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, Date):
        return str(value)
    if isinstance(value, Time):
        return _time_text(value.hour, value.minute, value.second, value.micro, value.gmt)
    if isinstance(value, Timestamp):
        day = f"{value.year:04d}-{value.month:02d}-{value.day:02d}T"
        return day + _time_text(value.hour, value.minute, value.second, value.micro, value.gmt)
    if isinstance(value, Interval):
        return duration_text(value)
    if isinstance(value, Bit):
        return value.bits()
    raise TypeError(f"{type(value).__name__} is not a scalar value")


def base64_text(value: bytes) -> str:
    """Return bytes as base64Binary."""
    return base64.b64encode(value).decode("ascii")


def double_text(value: float) -> str:
    """Return a FLOAT as xsd:double in canonical form: 1.5E0."""
    text = float_text(value)
    special = _INFINITIES.get(text)
    if special is not None:
        return special
    mantissa, _, exponent = text.partition("E")
    if "." not in mantissa:
        mantissa += ".0"
    return f"{mantissa}E{exponent.removeprefix('+')}"


def _decimal_text(value: Decimal) -> str:
    """Return a DECIMAL without exponent, its scale kept."""
    if not value.is_finite():
        return "NaN" if value.is_nan() else "-INF" if value < 0 else "INF"
    return format(value, "f")


def _time_text(hour: int, minute: int, second: int, micro: int, gmt: bool) -> str:
    text = f"{hour:02d}:{minute:02d}:{second:02d}"
    if micro:
        text += f".{micro:06d}".rstrip("0")
    return text + "Z" if gmt else text


def duration_text(value: Interval) -> str:
    """Return an INTERVAL as xsd:duration: P1Y2M for years and months, P1DT2H3M4.5S for days and times."""
    if value.is_year_month():
        months = abs(value.months)
        sign = "-" if value.months < 0 else ""
        years = f"{months // 12}Y" if months >= 12 else ""
        rest = f"{months % 12}M" if months % 12 or not years else ""
        return f"{sign}P{years}{rest}"
    micros = abs(value.micros)
    sign = "-" if value.micros < 0 else ""
    days = micros // MICROS_PER_DAY
    micros %= MICROS_PER_DAY
    text = f"{days}D" if days else ""
    time = ""
    if micros >= MICROS_PER_HOUR:
        time += f"{micros // MICROS_PER_HOUR}H"
        micros %= MICROS_PER_HOUR
    if micros >= MICROS_PER_MINUTE:
        time += f"{micros // MICROS_PER_MINUTE}M"
        micros %= MICROS_PER_MINUTE
    if micros or not (text or time):
        fraction = micros % MICROS_PER_SECOND
        time += str(micros // MICROS_PER_SECOND) + (f".{fraction:06d}".rstrip("0") if fraction else "") + "S"
    return f"{sign}P{text}{'T' + time if time else ''}"


def typed_value(kind: int, text: str) -> object:
    """Return the value of the text of a simple type; the text itself if it is not of that type."""
    lexical = " ".join(text.split())
    try:
        value = _typed(kind, lexical)
    except (ValueError, InvalidOperation, OverflowError):
        value = None
    return text if value is None else value


def _typed(kind: int, text: str) -> object:
    """Return the value of text without blanks around it; None if it is not of its type. May raise ValueError."""
    if kind == KIND_BOOLEAN:
        return True if text in ("true", "1") else False if text in ("false", "0") else None
    if kind == KIND_INTEGER:
        return int(text) if len(text) <= 20 and _NUMBER.fullmatch(text) and "." not in text else None
    if kind == KIND_DECIMAL:
        return Decimal(text) if len(text) <= _DIGITS_MAX and _NUMBER.fullmatch(text) else None
    if kind == KIND_FLOAT:
        if text in ("INF", "-INF", "NaN", "+INF"):
            return float(text.lower())
        return float(text) if len(text) <= _DIGITS_MAX and _DOUBLE.fullmatch(text) else None
    if kind == KIND_HEX:
        return bytes.fromhex(text) if " " not in text else None
    if kind == KIND_BASE64:
        return base64.b64decode(text.replace(" ", ""), validate=True)
    if kind == KIND_DURATION:
        return _duration(text)
    return _calendar(kind, text)


def _calendar(kind: int, text: str) -> object:
    """Return a DATE, TIME or TIMESTAMP; None if the text is none. May raise ValueError."""
    if kind == KIND_DATE:
        found = _DATE.fullmatch(text)
        return None if found is None else Date(int(found[1]), int(found[2]), int(found[3]))
    if kind == KIND_TIME:
        found = _TIME.fullmatch(text)
        if found is None:
            return None
        micro = _micros(found[4])
        if not found[5]:
            return Time(int(found[1]), int(found[2]), int(found[3]), micro)
        moment = Timestamp(1970, 1, 2, int(found[1]), int(found[2]), int(found[3]), micro, True)
        return timestamp_from_micros(moment.micros() - _offset(found[5]), True).time()
    if kind == KIND_TIMESTAMP:
        found = _TIMESTAMP.fullmatch(text)
        if found is None:
            return None
        moment = Timestamp(
            int(found[1]),
            int(found[2]),
            int(found[3]),
            int(found[4]),
            int(found[5]),
            int(found[6]),
            _micros(found[7]),
            bool(found[8]),
        )
        return timestamp_from_micros(moment.micros() - _offset(found[8]), True) if found[8] else moment
    pattern = _PARTS.get(kind)
    found = None if pattern is None else pattern.fullmatch(text)
    if found is None:
        return None
    parts = found.groupdict()
    return Date(int(parts.get("year") or 1970), int(parts.get("month") or 1), int(parts.get("day") or 1))


def _micros(fraction: str | None) -> int:
    """Return the microseconds of the digits behind the point; more than six are cut off."""
    return int(fraction[:6].ljust(6, "0")) if fraction else 0


def _offset(zone: str) -> int:
    """Return the microseconds that a zone is ahead of GMT."""
    if zone == "Z":
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[4:6])
    return minutes * MICROS_PER_MINUTE * (-1 if zone[0] == "-" else 1)


def _duration(text: str) -> Interval | None:
    """Return an INTERVAL of months or of days and times; None for one that has both, which no INTERVAL can hold."""
    found = _DURATION.fullmatch(text)
    if found is None or text.endswith(("P", "T")):
        return None
    sign = -1 if found[1] else 1
    has_months = found[2] is not None or found[3] is not None
    has_time = any(found[number] is not None for number in range(4, 8))
    if has_months:
        if has_time:
            return None
        return Interval("YEAR TO MONTH", sign * (int(found[2] or 0) * 12 + int(found[3] or 0)))
    micros = int(found[4] or 0) * MICROS_PER_DAY + int(found[5] or 0) * MICROS_PER_HOUR
    micros += int(found[6] or 0) * MICROS_PER_MINUTE + int(found[7] or 0) * MICROS_PER_SECOND + _micros(found[8])
    return Interval("DAY TO SECOND", 0, sign * micros)
