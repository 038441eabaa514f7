"""Text of ESQL values in XML: the canonical forms of XML Schema.

    BOOLEAN true false      INTEGER 42            DECIMAL 0.320 (scale kept)     FLOAT 1.5E0 INF NaN
    DATE 2024-01-31         TIME 23:59:59.5       TIMESTAMP 2024-01-31T23:59:59  GMT values end with Z
    BLOB 0AFF (hexBinary)   INTERVAL P1Y2M, P1DT2H3M4.5S                         BIT 0101

A fraction of a second is written without zeros at the end. The module is compiled.
"""

from __future__ import annotations

import base64
from decimal import Decimal
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
)

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
