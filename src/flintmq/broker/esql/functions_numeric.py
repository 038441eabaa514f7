"""Numeric functions of ESQL.

    ABS CEIL FLOOR ROUND SIGN TRUNCATE        result of the type of the argument
    BITAND BITOR BITXOR BITNOT MOD            INTEGER only
    POWER                                     INTEGER of INTEGERs, DECIMAL with DECIMAL, else FLOAT
    RAND and the functions of mathematics     FLOAT

NULL in any argument gives NULL. A type that is no number is 2421, an argument outside the domain 2439 (SQRT(-1)), a
result that does not fit its type 2450. Rounding a number of few digits to many places does not add zeros.
"""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, Decimal
from typing import Final

from flintmq.broker.esql.decimals import (
    CONTEXT,
    INTEGER_MAX,
    INTEGER_MIN,
    ROUND_MODES,
    integer_of,
    rounded_to,
)
from flintmq.broker.esql.failures import (
    argument_type_error,
    argument_value_error,
    division_by_zero,
    overflow,
    shown,
)
from flintmq.broker.values import Value

#: Places of ROUND and TRUNCATE beyond this change nothing.
_PLACES_MAX: Final = 10_000

_local: Final = threading.local()


def absolute(value: object) -> Value:
    """Return ABS(value)."""
    if value is None:
        return None
    if isinstance(value, Decimal):
        return value.copy_abs()
    if isinstance(value, float):
        return abs(value)
    number = _integer("ABS", 1, value, "a number")
    if number == INTEGER_MIN:
        raise overflow(f"ABS({number})", "INTEGER")
    return abs(number)


def ceil(value: object) -> Value:
    """Return CEIL(value)."""
    return _to_integral("CEIL", value, ROUND_CEILING)


def floor(value: object) -> Value:
    """Return FLOOR(value)."""
    return _to_integral("FLOOR", value, ROUND_FLOOR)


def sign(value: object) -> Value:
    """Return SIGN(value): -1, 0 or 1 in the type of the argument."""
    if value is None:
        return None
    if isinstance(value, Decimal):
        return value if value.is_nan() else Decimal(0 if not value else -1 if value < 0 else 1)
    if isinstance(value, float):
        return value if value != value else float((value > 0) - (value < 0))
    number = _integer("SIGN", 1, value, "a number")
    return (number > 0) - (number < 0)


def round_(value: object, places: object, mode: str | None = None) -> Value:
    """Return ROUND(value, places MODE mode); half-even without mode."""
    if value is None or places is None:
        return None
    return _rounded("ROUND", value, places, ROUND_MODES[mode or "ROUND_HALF_EVEN"])


def truncate(value: object, places: object) -> Value:
    """Return TRUNCATE(value, places)."""
    if value is None or places is None:
        return None
    return _rounded("TRUNCATE", value, places, ROUND_DOWN)


def mod(dividend: object, divisor: object) -> int | None:
    """Return MOD(dividend, divisor), with the sign of the dividend."""
    if dividend is None or divisor is None:
        return None
    first, second = _integer("MOD", 1, dividend), _integer("MOD", 2, divisor)
    if second == 0:
        raise division_by_zero(first, second)
    rest = abs(first) % abs(second)
    return -rest if first < 0 else rest


def bitand(*values: object) -> int | None:
    """Return BITAND of two or more INTEGERs."""
    return _bitwise("BITAND", values)


def bitor(*values: object) -> int | None:
    """Return BITOR of two or more INTEGERs."""
    return _bitwise("BITOR", values)


def bitxor(*values: object) -> int | None:
    """Return BITXOR of two or more INTEGERs."""
    return _bitwise("BITXOR", values)


def bitnot(value: object) -> int | None:
    """Return BITNOT(value)."""
    return None if value is None else ~_integer("BITNOT", 1, value)


def power(base: object, exponent: object) -> Value:
    """Return POWER(base, exponent)."""
    if base is None or exponent is None:
        return None
    _check_number("POWER", 1, base)
    _check_number("POWER", 2, exponent)
    if isinstance(base, int) and isinstance(exponent, int) and exponent >= 0:
        # A base beyond -1, 0 and 1 overflows at the exponent 64 at the latest.
        result = base**exponent if abs(base) < 2 or exponent < 64 else INTEGER_MAX + 1
        if not INTEGER_MIN <= result <= INTEGER_MAX:
            raise overflow(f"POWER({base}, {exponent})", "INTEGER")
        return result
    if isinstance(base, float) or isinstance(exponent, float) or isinstance(base, int) and isinstance(exponent, int):
        return _computed("POWER", _float_power, base, exponent)
    number = CONTEXT.power(_decimal(base), _decimal(exponent))
    if number.is_nan() or number.is_infinite():
        if _decimal(base).is_finite() and _decimal(exponent).is_finite():
            operation = f"POWER({shown(base)}, {shown(exponent)})"
            if number.is_nan() or not _decimal(base):
                raise argument_value_error("POWER", base, f"{operation} has no result")
            raise overflow(operation, "DECIMAL")
    return number


def sqrt(value: object) -> float | None:
    """Return SQRT(value)."""
    return None if value is None else _computed("SQRT", math.sqrt, value)


def exp(value: object) -> float | None:
    """Return EXP(value)."""
    return None if value is None else _computed("EXP", math.exp, value)


def ln(value: object) -> float | None:
    """Return LN(value), the natural logarithm."""
    return None if value is None else _computed("LN", math.log, value)


def log10(value: object) -> float | None:
    """Return LOG10(value)."""
    return None if value is None else _computed("LOG10", math.log10, value)


def sin(value: object) -> float | None:
    """Return SIN(value), an angle in radians."""
    return None if value is None else _computed("SIN", math.sin, value)


def cos(value: object) -> float | None:
    """Return COS(value), an angle in radians."""
    return None if value is None else _computed("COS", math.cos, value)


def tan(value: object) -> float | None:
    """Return TAN(value), an angle in radians."""
    return None if value is None else _computed("TAN", math.tan, value)


def cot(value: object) -> float | None:
    """Return COT(value), an angle in radians."""
    return None if value is None else _computed("COT", _cotangent, value)


def asin(value: object) -> float | None:
    """Return ASIN(value) in radians."""
    return None if value is None else _computed("ASIN", math.asin, value)


def acos(value: object) -> float | None:
    """Return ACOS(value) in radians."""
    return None if value is None else _computed("ACOS", math.acos, value)


def atan(value: object) -> float | None:
    """Return ATAN(value) in radians."""
    return None if value is None else _computed("ATAN", math.atan, value)


def atan2(y: object, x: object) -> float | None:
    """Return ATAN2(y, x) in radians."""
    return None if y is None or x is None else _computed("ATAN2", math.atan2, y, x)


def sinh(value: object) -> float | None:
    """Return SINH(value)."""
    return None if value is None else _computed("SINH", math.sinh, value)


def cosh(value: object) -> float | None:
    """Return COSH(value)."""
    return None if value is None else _computed("COSH", math.cosh, value)


def tanh(value: object) -> float | None:
    """Return TANH(value)."""
    return None if value is None else _computed("TANH", math.tanh, value)


def degrees(value: object) -> float | None:
    """Return DEGREES(value)."""
    return None if value is None else _computed("DEGREES", math.degrees, value)


def radians(value: object) -> float | None:
    """Return RADIANS(value)."""
    return None if value is None else _computed("RADIANS", math.radians, value)


def rand(*seed: object) -> float | None:
    """Return RAND([seed]): the next number from 0 to below 1 of this thread; a seed begins its sequence anew."""
    generator = getattr(_local, "generator", None)
    if not isinstance(generator, random.Random):
        generator = random.Random()
        _local.generator = generator
    if seed:
        if seed[0] is None:
            return None
        generator.seed(_integer("RAND", 1, seed[0]))
    return generator.random()


def _integer(function: str, argument: int, value: object, wanted: str = "INTEGER") -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise argument_type_error(function, argument, value, wanted)
    return value


def _check_number(function: str, argument: int, value: object) -> None:
    """Raise 2421 for a value that is no number."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise argument_type_error(function, argument, value, "a number")


def _decimal(value: object) -> Decimal:
    if isinstance(value, float):
        return Decimal(repr(value))
    assert isinstance(value, (int, Decimal))
    return Decimal(value)


def _float(function: str, argument: int, value: object) -> float:
    _check_number(function, argument, value)
    assert isinstance(value, (int, float, Decimal))
    return float(value)


def _to_integral(function: str, value: object, mode: str) -> Value:
    if value is None:
        return None
    if isinstance(value, Decimal):
        return value.to_integral_value(mode) if value.is_finite() else value
    if isinstance(value, float):
        if value != value or value in (math.inf, -math.inf):
            return value
        return float(math.ceil(value) if mode == ROUND_CEILING else math.floor(value))
    return _integer(function, 1, value, "a number")


def _rounded(function: str, value: object, places: object, mode: str) -> Value:
    digits = max(-_PLACES_MAX, min(_integer(function, 2, places), _PLACES_MAX))
    _check_number(function, 1, value)
    if isinstance(value, int):
        if digits >= 0:
            return value
        number = integer_of(rounded_to(Decimal(value), digits, mode), mode)
        if number is None:
            raise overflow(f"{function}({value}, {digits})", "INTEGER")
        return number
    if isinstance(value, float):
        if value != value or value in (math.inf, -math.inf):
            return value
        return float(rounded_to(Decimal(repr(value)), digits, mode))
    return rounded_to(_decimal(value), digits, mode)


def _bitwise(function: str, values: tuple[object, ...]) -> int | None:
    for value in values:
        if value is None:
            return None
    result = _integer(function, 1, values[0])
    for place in range(1, len(values)):
        operand = _integer(function, place + 1, values[place])
        if function == "BITAND":
            result &= operand
        elif function == "BITOR":
            result |= operand
        else:
            result ^= operand
    return result


def _float_power(base: float, exponent: float) -> float:
    return math.pow(base, exponent)


def _cotangent(value: float) -> float:
    tangent = math.tan(value)
    if tangent == 0.0:
        raise ValueError("math domain error")
    return 1.0 / tangent


def _computed(function: str, compute: Callable[..., float], *values: object) -> float:
    """Return a function of floats. Raises 2439 outside its domain and 2450 for a result that is too large."""
    arguments = [_float(function, place + 1, values[place]) for place in range(len(values))]
    try:
        return compute(*arguments)
    except ValueError:
        raise argument_value_error(function, values[0], "the argument is outside the domain of the function") from None
    except OverflowError:
        operation = f"{function}({', '.join([shown(value) for value in values])})"
        raise overflow(operation, "FLOAT") from None
