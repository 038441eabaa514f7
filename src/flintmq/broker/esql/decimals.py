"""DECIMAL arithmetic of ESQL: the context, the rounding modes, and conversions that cost little for hostile numbers.

A DECIMAL has at most 34 digits and exponents of nine digits. Operations round half-up and never trap: overflow gives
INF, an undefined result gives NAN. `int()` of a Decimal with a large exponent would make a number of gigabytes, so only
`integer_of` makes integers.
"""

from __future__ import annotations

from decimal import (
    ROUND_CEILING,
    ROUND_DOWN,
    ROUND_FLOOR,
    ROUND_HALF_DOWN,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    ROUND_UP,
    Context,
    Decimal,
)
from typing import Final

DIGITS_MAX: Final = 34
EXPONENT_MAX: Final = 999_999_999
CONTEXT: Final[Context] = Context(
    prec=DIGITS_MAX, rounding=ROUND_HALF_UP, Emin=-EXPONENT_MAX, Emax=EXPONENT_MAX, traps=[]
)
#: For steps between that must not lose digits of a 34-digit operand, for example rounding and scaling.
WIDE: Final[Context] = Context(
    prec=2 * DIGITS_MAX + 20, rounding=ROUND_HALF_UP, Emin=-EXPONENT_MAX, Emax=EXPONENT_MAX, traps=[]
)

INTEGER_MIN: Final = -(2**63)
INTEGER_MAX: Final = 2**63 - 1

#: The modes of the function ROUND.
ROUND_MODES: Final[dict[str, str]] = {
    "ROUND_UP": ROUND_UP,
    "ROUND_DOWN": ROUND_DOWN,
    "ROUND_CEILING": ROUND_CEILING,
    "ROUND_FLOOR": ROUND_FLOOR,
    "ROUND_HALF_UP": ROUND_HALF_UP,
    "ROUND_HALF_EVEN": ROUND_HALF_EVEN,
    "ROUND_HALF_DOWN": ROUND_HALF_DOWN,
}
#: The modes of the switch cast_rounding.
CAST_MODES: Final[dict[str, str]] = {
    "half_up": ROUND_HALF_UP,
    "half_even": ROUND_HALF_EVEN,
    "truncate": ROUND_DOWN,
}


def decimal_of_float(value: float) -> Decimal:
    """Return the shortest decimal number that a FLOAT stands for: 0.1 for 0.1."""
    return CONTEXT.create_decimal(repr(value))


def integer_of(value: Decimal, mode: str) -> int | None:
    """Return a number rounded to an integer; None if the integer has more than 64 bits or the number is not finite."""
    if not value.is_finite() or (value and value.adjusted() > 18):
        return None
    rounded = int(value.to_integral_value(mode))
    return rounded if INTEGER_MIN <= rounded <= INTEGER_MAX else None


def rounded_to(value: Decimal, places: int, mode: str) -> Decimal:
    """Return a number with at most `places` digits behind the point; negative places round to tens, hundreds, ...

    A number that has fewer digits keeps them: no zeros are added.
    """
    if not value.is_finite():
        return value
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or exponent >= -places:
        return value
    if value and value.adjusted() + 1 < -places:
        # Less than a tenth of the unit: only the direction of the mode matters.
        away = mode == ROUND_UP or mode == (ROUND_FLOOR if value.is_signed() else ROUND_CEILING)
        if not away:
            return Decimal(0)
        result = Decimal(1).copy_sign(value).scaleb(min(-places, EXPONENT_MAX), WIDE)
    else:
        result = value.quantize(Decimal(1).scaleb(-places, WIDE), mode, WIDE)
    if places < 0 and result.adjusted() < DIGITS_MAX:
        return result.quantize(Decimal(1), mode, WIDE)
    return result
