"""Values of DFDL expressions: conversions, comparison, arithmetic, and texts as XML Schema writes them.

Values are those of the tree (`broker/values.py`); a path is a list of elements until `atom` takes its value. Everything
here raises ValueError, `NotYet` if an element or its value may come later.
"""

from __future__ import annotations

import decimal
import math
import re
from decimal import Decimal
from typing import Final

from flintmq.broker.formats.model.calendars import DATE, DATE_TIME, TIME, CalendarPattern
from flintmq.broker.values import Date, Time, Timestamp

_CONTEXT: Final = decimal.Context(prec=60)
Value = object


class Unsupported(ValueError):
    """The expression has something that is valid DFDL and not in the subset."""


class NotYet(ValueError):
    """The value of an element, or its length, is not known yet. The writer tries again when more is written."""


def atom(value: Value, where: str = "an expression") -> Value:
    """Return the value of a path with exactly one element; other values as they are."""
    if isinstance(value, list):
        if not value:
            raise NotYet(f"an element that {where} needs is not there")
        if len(value) > 1:
            raise ValueError(f"{where} has {len(value)} elements {value[0].name} and needs one")
        element = value[0]
        if element.first is not None:
            raise ValueError(f"{where} needs the value of {element.name}, which has children")
        if element.value is None:
            raise NotYet(f"{where} needs the value of {element.name}, which has none")
        return element.value
    return value


def truth(value: Value) -> bool:
    """Return the effective boolean value. Raises ValueError where there is none."""
    if isinstance(value, list):
        if not value:
            return False
        value = atom(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float, Decimal)):
        return bool(value) and value == value
    if isinstance(value, str):
        if value in ("true", "false"):
            return value == "true"
        return bool(value)
    raise ValueError(f"{shown(value)} is neither true nor false")


def shown(value: Value) -> str:
    return repr(value) if isinstance(value, (str, bytes)) else str(value)


def number_of(value: Value) -> int | float | Decimal:
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise ValueError(f"{shown(value)} is not a number")
    return value


def integer_of(value: Value) -> int:
    number = number_of(value)
    if isinstance(number, int):
        return number
    if number != number or number in (math.inf, -math.inf) or number != int(number):
        raise ValueError(f"{value} is not an integer")
    return int(number)


def calculate(operator: str, left: int | float | Decimal, right: int | float | Decimal) -> Value:
    if isinstance(left, float) or isinstance(right, float):
        x, y = float(left), float(right)
        if operator == "+":
            return x + y
        if operator == "-":
            return x - y
        if operator == "*":
            return x * y
        if operator == "mod":
            return math.fmod(x, y)
        if operator == "idiv":
            return int(x / y)
        if y == 0.0:
            return math.nan if x == 0.0 or x != x else math.copysign(math.inf, x)
        return x / y
    whole = isinstance(left, int) and isinstance(right, int)
    a, b = Decimal(left), Decimal(right)
    if operator == "+":
        result = _CONTEXT.add(a, b)
    elif operator == "-":
        result = _CONTEXT.subtract(a, b)
    elif operator == "*":
        result = _CONTEXT.multiply(a, b)
    elif operator == "mod":
        result = _CONTEXT.remainder(a, b)
    elif operator == "idiv":
        return int(_CONTEXT.divide_int(a, b))
    else:
        result = _CONTEXT.divide(a, b)
        whole = False
    return int(result) if whole else result


def comparable(left: Value, right: Value) -> tuple[Value, Value]:
    """Return two values that compare. Raises ValueError for values of different families."""
    if isinstance(left, bool) or isinstance(right, bool):
        if isinstance(left, bool) and isinstance(right, bool):
            return left, right
    elif isinstance(left, (int, float, Decimal)) and isinstance(right, (int, float, Decimal)):
        return left, right
    elif type(left) is type(right):
        if isinstance(left, (Time, Timestamp)) and isinstance(right, (Time, Timestamp)) and left.gmt != right.gmt:
            raise ValueError(f"{left} and {right} are in different zones")
        return left, right
    raise ValueError(f"{shown(left)} and {shown(right)} do not compare: they have different types")


def text_of(value: Value) -> str:
    """Return a value as XML Schema writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return _float_text(value)
    if isinstance(value, Decimal):
        if not value.is_finite():
            return "NaN" if value.is_nan() else "-INF" if value < 0 else "INF"
        text = format(value, "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, Timestamp):
        return CalendarPattern("I", DATE_TIME).format(value)
    if isinstance(value, Time):
        return CalendarPattern("I", TIME).format(value)
    return str(value)


def _float_text(value: float) -> str:
    if value != value:
        return "NaN"
    if math.isinf(value):
        return "INF" if value > 0 else "-INF"
    if value == 0.0:
        return "-0" if math.copysign(1.0, value) < 0 else "0"
    if 1e-6 <= abs(value) < 1e6:
        text = format(Decimal(repr(value)), "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa, exponent = format(Decimal(repr(value)).normalize(), "E").split("E")
    if "." not in mantissa:
        mantissa += ".0"
    return f"{mantissa}E{int(exponent)}"


INTEGER_RANGES: Final[dict[str, tuple[int | None, int | None]]] = {
    "byte": (-(2**7), 2**7 - 1),
    "short": (-(2**15), 2**15 - 1),
    "int": (-(2**31), 2**31 - 1),
    "long": (-(2**63), 2**63 - 1),
    "unsignedByte": (0, 2**8 - 1),
    "unsignedShort": (0, 2**16 - 1),
    "unsignedInt": (0, 2**32 - 1),
    "unsignedLong": (0, 2**64 - 1),
    "nonNegativeInteger": (0, None),
    "integer": (None, None),
}


def to_integer(value: Value, name: str) -> int:
    """Return a value as an XML Schema integer type. Raises ValueError."""
    if isinstance(value, bool):
        result = int(value)
    elif isinstance(value, (int, float, Decimal)):
        if value != value or value in (math.inf, -math.inf):
            raise ValueError(f"{value} is not an xs:{name}")
        result = int(value)
    elif isinstance(value, str):
        text = value.strip()
        digits = text[1:] if text[:1] in ("+", "-") else text
        if not digits.isascii() or not digits.isdigit() or len(digits) > 1000:
            raise ValueError(f"'{value}' is not an xs:{name}")
        result = int(text)
    else:
        raise ValueError(f"{shown(value)} is not an xs:{name}")
    low, high = INTEGER_RANGES[name]
    if low is not None and result < low or high is not None and result > high:
        raise ValueError(f"{result} is out of the range of xs:{name}")
    return result


def to_decimal(value: Value) -> Decimal:
    """Return a value as xs:decimal. Raises ValueError."""
    if isinstance(value, bool):
        return Decimal(int(value))
    if isinstance(value, float):
        if value != value or math.isinf(value):
            raise ValueError(f"{value} is not an xs:decimal")
        return Decimal(repr(value))
    if isinstance(value, (int, Decimal)):
        return Decimal(value)
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)\s*", value):
        return Decimal(value.strip())
    raise ValueError(f"{shown(value)} is not an xs:decimal")


def to_float(value: Value) -> float:
    """Return a value as xs:double. Raises ValueError."""
    if isinstance(value, (bool, int, float, Decimal)):
        return float(value)
    if isinstance(value, str):
        text = value.strip()
        if text in ("INF", "-INF", "NaN"):
            return float(text.replace("INF", "inf"))
        if re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", text):
            return float(text)
    raise ValueError(f"{shown(value)} is not an xs:double")


def to_boolean(value: Value) -> bool:
    """Return a value as xs:boolean. Raises ValueError."""
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float, Decimal)):
        return bool(value) and value == value
    if isinstance(value, str) and value.strip() in ("true", "1", "false", "0"):
        return value.strip() in ("true", "1")
    raise ValueError(f"{shown(value)} is not an xs:boolean")


def to_hex(value: Value) -> bytes:
    """Return a value as xs:hexBinary. Raises ValueError."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str) and re.fullmatch(r"([0-9A-Fa-f]{2})*", value):
        return bytes.fromhex(value)
    raise ValueError(f"{shown(value)} is not an xs:hexBinary")


def to_calendar(value: Value, kind: int) -> Value:
    """Return a value as xs:date, xs:time or xs:dateTime. Raises ValueError."""
    if isinstance(value, str):
        return CalendarPattern("I", kind).parse(value.strip())
    if isinstance(value, Timestamp):
        return value if kind == DATE_TIME else value.date() if kind == DATE else value.time()
    if isinstance(value, Date) and kind == DATE_TIME:
        return Timestamp(value.year, value.month, value.day)
    if isinstance(value, Date) and kind == DATE or isinstance(value, Time) and kind == TIME:
        return value
    raise ValueError(f"{shown(value)} is not a date or time")
