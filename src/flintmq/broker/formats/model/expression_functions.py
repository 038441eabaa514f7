"""Functions of DFDL expressions: those of XPath, the constructors of XML Schema types, and DFDL's own.

FUNCTIONS has, by namespace and name: the implementation, its least and largest number of arguments, and whether it is
raw. A raw function gets the environment and the nodes of its arguments; any other gets their values.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Final

from flintmq.broker.formats.model.calendars import DATE, DATE_TIME, TIME
from flintmq.broker.formats.model.expression_nodes import Environment, Node
from flintmq.broker.formats.model.expression_values import (
    INTEGER_RANGES,
    NotYet,
    Value,
    atom,
    integer_of,
    number_of,
    shown,
    text_of,
    to_boolean,
    to_calendar,
    to_decimal,
    to_float,
    to_hex,
    to_integer,
    truth,
)
from flintmq.broker.tree.element import Element
from flintmq.broker.values import Date, Time, Timestamp

XS: Final = "http://www.w3.org/2001/XMLSchema"
FN: Final = "http://www.w3.org/2005/xpath-functions"
DFDL: Final = "http://www.ogf.org/dfdl/dfdl-1.0/"
MATH: Final = "http://www.w3.org/2005/xpath-functions/math"
_CONTEXT: Final = decimal.Context(prec=60)


def _string(value: Value) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)} is not a string")
    return value


def _substring(text: Value, start: Value, length: Value = None) -> str:
    string = _string(text)
    first = round(float(number_of(start)))
    end = len(string) + 1 if length is None else first + round(float(number_of(length)))
    return string[max(first, 1) - 1 : max(end - 1, 0)]


def _round(value: Value) -> Value:
    number = number_of(value)
    if isinstance(number, int):
        return number
    if isinstance(number, float):
        return float(math.floor(number + 0.5)) if number == number and not math.isinf(number) else number
    return (number + Decimal("0.5")).to_integral_value(rounding=decimal.ROUND_FLOOR)


def _round_even(value: Value, places: Value = 0) -> Value:
    number = number_of(value)
    digits = integer_of(places)
    if abs(digits) > 400:
        raise ValueError(f"{digits} digits are too many to round to")
    if isinstance(number, int):
        return number if digits >= 0 else round(number, digits)
    if isinstance(number, float):
        return round(number, digits)
    return number.quantize(Decimal(1).scaleb(-digits), rounding=decimal.ROUND_HALF_EVEN, context=_CONTEXT)


def _whole(function: Callable[[float], int], rounding: str, value: Value) -> Value:
    number = number_of(value)
    if isinstance(number, int):
        return number
    if isinstance(number, float):
        return float(function(number)) if number == number and not math.isinf(number) else number
    return number.to_integral_value(rounding=rounding)


def _elements(env: Environment, argument: Node) -> list[Element]:
    """Return the elements of a path that may be missing."""
    try:
        value = argument.evaluate(env)
    except NotYet:
        return []
    except ValueError:
        return []
    if not isinstance(value, list):
        raise ValueError("a path is needed here")
    return value


def _exists(env: Environment, argument: Node) -> Value:
    return bool(_elements(env, argument))


def _count(env: Environment, argument: Node) -> Value:
    return len(_elements(env, argument))


def _nilled(env: Environment, argument: Node) -> Value:
    found = _elements(env, argument)
    return len(found) == 1 and found[0].value is None and found[0].first is None


def _one(env: Environment, argument: Node) -> Value:
    found = argument.evaluate(env)
    if isinstance(found, list) and len(found) != 1:
        raise ValueError(f"there are {len(found)} elements where exactly one is needed")
    return found


def _not(env: Environment, argument: Node) -> Value:
    return not truth(argument.evaluate(env))


def _boolean(env: Environment, argument: Node) -> Value:
    return truth(argument.evaluate(env))


def _local_name(env: Environment, *arguments: Node) -> Value:
    found = _elements(env, arguments[0]) if arguments else [env.element] if env.element is not None else []
    return found[0].name if found else ""


def _namespace(env: Environment, *arguments: Node) -> Value:
    found = _elements(env, arguments[0]) if arguments else [env.element] if env.element is not None else []
    return found[0].namespace if found else ""


def _occurs_index(env: Environment) -> Value:
    return env.occurs_index


def _length(which: int) -> Callable[[Environment, Node, Node], Value]:
    def measure(env: Environment, path: Node, units: Node) -> Value:
        found = path.evaluate(env)
        if not isinstance(found, list) or not found:
            raise NotYet("an element whose length is asked for is not there")
        known = env.lengths.get(id(found[0]))
        if known is None:
            raise NotYet(f"the length of {found[0].name} is not known")
        unit = atom(units.evaluate(env))
        if unit == "bits":
            return 8 * known[which]
        if unit in ("bytes", "characters"):
            # In characters only where a character is one byte: the reader refuses other uses when a schema is loaded.
            return known[which]
        raise ValueError(f"'{unit}' is not a unit of length")

    return measure


def _check_constraints(env: Environment, argument: Node) -> Value:
    found = argument.evaluate(env)
    if not isinstance(found, list) or len(found) != 1 or env.element not in found:
        raise ValueError("dfdl:checkConstraints needs the element itself: '.'")
    element: Element = found[0]
    return env.facets is None or element.value is None or env.facets.problem(element.value) is None


def _check_range(inclusive: bool) -> Callable[[Value, Value, Value], Value]:
    def check(value: Value, low: Value, high: Value) -> Value:
        number, bottom, top = number_of(value), number_of(low), number_of(high)
        return bottom <= number <= top if inclusive else bottom <= number < top

    return check


def _test_bit(value: Value, position: Value) -> Value:
    return bool(integer_of(value) >> integer_of(position) & 1) if 0 <= integer_of(position) <= 7 else False


def _set_bits(*bits: Value) -> Value:
    return sum(1 << position for position, bit in enumerate(bits) if to_boolean(bit))


def _dfdl_integer(name: str) -> Callable[[Value], Value]:
    def convert(value: Value) -> Value:
        if isinstance(value, str) and value[:1] == "x":
            try:
                return to_integer(int(value[1:], 16), name)
            except ValueError:
                raise ValueError(f"'{value}' is not a hexadecimal xs:{name}") from None
        return to_integer(value, name)

    return convert


def _dfdl_hex(value: Value) -> Value:
    if isinstance(value, str):
        return to_hex(value[1:] if value[:1] == "x" else value)
    number = integer_of(value)
    size = max(1, (number.bit_length() + 8) // 8 if number < 0 else (number.bit_length() + 7) // 8)
    return number.to_bytes(size, "big", signed=number < 0)


def _part(name: str, kinds: tuple[type, ...]) -> Callable[[Value], Value]:
    def part(value: Value) -> Value:
        if not isinstance(value, kinds):
            raise ValueError(f"{shown(value)} has no {name}")
        if name == "second" and isinstance(value, (Time, Timestamp)):
            return Decimal(value.second) + Decimal(value.micro) / 1_000_000
        return getattr(value, name)

    return part


def _error(*arguments: Value) -> Value:
    raise ValueError(" ".join(text_of(argument) for argument in arguments) or "fn:error was called")


Function = tuple[Callable[..., Value], int, int, bool]


#: Functions: implementation, least and most arguments, whether the function takes the nodes of its arguments.
_TABLE: Final[dict[tuple[str, str], Function]] = {
    (FN, "true"): (lambda: True, 0, 0, False),
    (FN, "false"): (lambda: False, 0, 0, False),
    (FN, "not"): (_not, 1, 1, True),
    (FN, "boolean"): (_boolean, 1, 1, True),
    (FN, "exists"): (_exists, 1, 1, True),
    (FN, "empty"): (lambda env, path: not _exists(env, path), 1, 1, True),
    (FN, "count"): (_count, 1, 1, True),
    (FN, "nilled"): (_nilled, 1, 1, True),
    (FN, "exactly-one"): (_one, 1, 1, True),
    (FN, "local-name"): (_local_name, 0, 1, True),
    (FN, "name"): (_local_name, 0, 1, True),
    (FN, "namespace-uri"): (_namespace, 0, 1, True),
    (FN, "string"): (text_of, 1, 1, False),
    (FN, "concat"): (lambda *values: "".join(text_of(value) for value in values), 2, 100, False),
    (FN, "string-length"): (lambda text: len(_string(text)), 1, 1, False),
    (FN, "substring"): (_substring, 2, 3, False),
    (FN, "substring-before"): (lambda a, b: _string(a).partition(_string(b))[0] if b in a else "", 2, 2, False),
    (FN, "substring-after"): (lambda a, b: _string(a).partition(_string(b))[2], 2, 2, False),
    (FN, "contains"): (lambda a, b: _string(b) in _string(a), 2, 2, False),
    (FN, "starts-with"): (lambda a, b: _string(a).startswith(_string(b)), 2, 2, False),
    (FN, "ends-with"): (lambda a, b: _string(a).endswith(_string(b)), 2, 2, False),
    (FN, "upper-case"): (lambda text: _string(text).upper(), 1, 1, False),
    (FN, "lower-case"): (lambda text: _string(text).lower(), 1, 1, False),
    (FN, "normalize-space"): (lambda text: " ".join(_string(text).split()), 1, 1, False),
    (FN, "abs"): (lambda value: abs(number_of(value)), 1, 1, False),
    (FN, "ceiling"): (lambda value: _whole(math.ceil, decimal.ROUND_CEILING, value), 1, 1, False),
    (FN, "floor"): (lambda value: _whole(math.floor, decimal.ROUND_FLOOR, value), 1, 1, False),
    (FN, "round"): (_round, 1, 1, False),
    (FN, "round-half-to-even"): (_round_even, 1, 2, False),
    (FN, "error"): (_error, 0, 3, False),
    (DFDL, "valueLength"): (_length(1), 2, 2, True),
    (DFDL, "contentLength"): (_length(0), 2, 2, True),
    (DFDL, "occursIndex"): (_occurs_index, 0, 0, True),
    (DFDL, "checkConstraints"): (_check_constraints, 1, 1, True),
    (DFDL, "checkRangeInclusive"): (_check_range(True), 3, 3, False),
    (DFDL, "checkRangeExclusive"): (_check_range(False), 3, 3, False),
    (DFDL, "testBit"): (_test_bit, 2, 2, False),
    (DFDL, "setBits"): (_set_bits, 8, 8, False),
    (DFDL, "hexBinary"): (_dfdl_hex, 1, 1, False),
    (XS, "string"): (text_of, 1, 1, False),
    (XS, "boolean"): (to_boolean, 1, 1, False),
    (XS, "decimal"): (to_decimal, 1, 1, False),
    (XS, "float"): (to_float, 1, 1, False),
    (XS, "double"): (to_float, 1, 1, False),
    (XS, "hexBinary"): (to_hex, 1, 1, False),
    (XS, "date"): (lambda value: to_calendar(value, DATE), 1, 1, False),
    (XS, "time"): (lambda value: to_calendar(value, TIME), 1, 1, False),
    (XS, "dateTime"): (lambda value: to_calendar(value, DATE_TIME), 1, 1, False),
}


def _functions() -> dict[tuple[str, str], Function]:
    """Return all functions: those of the table, and one for each integer type and each part of a date or time."""
    table = dict(_TABLE)
    for name in INTEGER_RANGES:
        table[XS, name] = (lambda value, name=name: to_integer(value, name), 1, 1, False)
        table[DFDL, name] = (_dfdl_integer(name), 1, 1, False)
    for part, plural in (("year", "year"), ("month", "month"), ("day", "day")):
        table[FN, f"{plural}-from-date"] = (_part(part, (Date,)), 1, 1, False)
        table[FN, f"{plural}-from-dateTime"] = (_part(part, (Timestamp,)), 1, 1, False)
    for part, plural in (("hour", "hours"), ("minute", "minutes"), ("second", "seconds")):
        table[FN, f"{plural}-from-time"] = (_part(part, (Time,)), 1, 1, False)
        table[FN, f"{plural}-from-dateTime"] = (_part(part, (Timestamp,)), 1, 1, False)
    return table


FUNCTIONS: Final = _functions()
