"""DFDL expressions: the subset of XPath 2.0 that schemas use.

    { ../length - 4 }                        a path from the element that has the expression, and arithmetic
    { /message/header/count }                a path from the message
    { if (../kind eq 'A') then 1 else 2 }
    { $ex:count * fn:count(../item) }

Grammar: if-then-else, or, and, comparisons (eq ne lt le gt ge = != < <= > >=), + - * div idiv mod, unary minus, paths
of child, parent and self steps with an index or an expression in brackets, variables, strings, numbers, function
calls and parentheses. Functions: see FUNCTIONS. Whatever else an expression has is refused when it is compiled, with
`Unsupported`; a syntax error is a `ValueError`.

Values are those of the tree (`broker/values.py`). A path is a list of elements until something needs its value; then
it must be exactly one. A path to an element that is not there is an error, except as argument of `fn:exists`,
`fn:empty` and `fn:count`. Evaluation raises ValueError; `NotYet` if an element exists but has no value yet, which the
writer answers with another pass.

The module is not compiled: expressions are rare, and `Reference` serves the lengths and counts of MRM.
"""

from __future__ import annotations

import decimal
import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Final

from flintmq.broker.formats.model.calendars import DATE, DATE_TIME, TIME, CalendarPattern
from flintmq.broker.tree.element import Element
from flintmq.broker.values import Date, Time, Timestamp

_TOKEN: Final = re.compile(
    r"""\s*(?:
    (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
  | (?P<string>"(?:[^"]|"")*"|'(?:[^']|'')*')
  | (?P<variable>\$[A-Za-z_][\w.\-]*(?::[A-Za-z_][\w.\-]*)?)
  | (?P<name>[A-Za-z_][\w.\-]*(?::[A-Za-z_][\w.\-]*)?)
  | (?P<symbol>::|!=|<=|>=|//|\.\.|[-+*/=<>()\[\],.@|])
    )""",
    re.VERBOSE,
)
#: Nesting of parentheses, ifs and calls.
DEPTH_MAX: Final = 60
LENGTH_MAX: Final = 20_000
_CONTEXT: Final = decimal.Context(prec=60)

_XS: Final = "http://www.w3.org/2001/XMLSchema"
_FN: Final = "http://www.w3.org/2005/xpath-functions"
_DFDL: Final = "http://www.ogf.org/dfdl/dfdl-1.0/"
_MATH: Final = "http://www.w3.org/2005/xpath-functions/math"


class Unsupported(ValueError):
    """The expression has something that is valid DFDL and not in the subset."""


class NotYet(ValueError):
    """The value of an element, or its length, is not known yet. The writer tries again when more is written."""


class Constraints:
    """The facets of a simple type."""

    def problem(self, value: object) -> str | None:
        """Return what a value violates; None = nothing."""
        raise NotImplementedError


class Environment:
    """What an expression can see. A reader or writer makes one and keeps it up to date."""

    def __init__(self) -> None:
        #: The element that has the expression.
        self.element: Element | None = None
        #: The message element.
        self.root: Element | None = None
        #: Values by `{namespace}name`; a missing key is a variable without value.
        self.variables: dict[str, object] = {}
        self.occurs_index: int = 1
        #: Content and value length in bytes, by element.
        self.lengths: dict[int, tuple[int, int]] = {}
        #: The facets of `element`: what `dfdl:checkConstraints` asks.
        self.facets: Constraints | None = None
        #: Whether a value that is missing may come later: while writing.
        self.writing: bool = False
        #: The variables that were read, if somebody wants to know (a variable that was read cannot be set any more).
        self.read: set[str] = set()


Value = object


class Node:
    """A part of an expression."""

    #: Whether the result does not depend on the message.
    constant: bool = False

    def evaluate(self, env: Environment) -> Value:
        """Return a value, or a list of elements for a path. Raises ValueError."""
        raise NotImplementedError


class Literal(Node):
    """A number or a string."""

    constant = True

    def __init__(self, value: Value) -> None:
        self.value = value

    def evaluate(self, env: Environment) -> Value:
        return self.value


class VariableNode(Node):
    """`$name`."""

    def __init__(self, name: str, shown: str) -> None:
        self.name = name
        self.shown = shown

    def evaluate(self, env: Environment) -> Value:
        if self.name not in env.variables:
            raise NotYet(f"the variable {self.shown} has no value")
        env.read.add(self.name)
        return env.variables[self.name]


class Step:
    """One step of a path: a child name, `..` or `.`; with an index, or an expression that gives one."""

    def __init__(self, name: str, namespace: str | None, index: Node | None) -> None:
        self.name = name
        self.namespace = namespace
        self.index = index

    def matches(self, element: Element) -> bool:
        return element.name == self.name and (self.namespace is None or element.namespace == self.namespace)


class Path(Node):
    """A path: a list of elements."""

    def __init__(self, absolute: bool, steps: list[Step], shown: str) -> None:
        self.absolute = absolute
        self.steps = steps
        self.shown = shown

    def evaluate(self, env: Environment) -> Value:
        start = env.root if self.absolute else env.element
        if start is None:
            raise ValueError(f"the path {self.shown} has no element to start from")
        found = [start]
        for number, step in enumerate(self.steps):
            if step.name == ".":
                continue
            if step.name == "..":
                parents: list[Element] = []
                for element in found:
                    if element.parent is None or element is env.root:
                        raise ValueError(f"the path {self.shown} leaves the message")
                    if element.parent not in parents:
                        parents.append(element.parent)
                found = parents
                continue
            if self.absolute and number == 0:
                # The first step of an absolute path names the message itself.
                found = [element for element in found if step.matches(element)]
                if not found:
                    raise ValueError(f"the path {self.shown} does not start with the message {start.name}")
                continue
            children: list[Element] = []
            for element in found:
                matched: list[Element] = []
                child = element.first
                while child is not None:
                    if step.matches(child):
                        matched.append(child)
                    child = child.next
                if step.index is not None:
                    index = _integer(_atom(step.index.evaluate(env)))
                    if not 1 <= index <= len(matched):
                        if env.writing:
                            raise NotYet(f"{step.name}[{index}] of the path {self.shown} is not there")
                        raise ValueError(f"{step.name}[{index}] of the path {self.shown} is not there")
                    matched = [matched[index - 1]]
                children.extend(matched)
            found = children
        return found


class Call(Node):
    """A function call."""

    def __init__(self, name: str, arguments: list[Node], function: Callable[..., Value], raw: bool) -> None:
        self.name = name
        self.arguments = arguments
        self.function = function
        self.raw = raw
        self.constant = not raw and all(argument.constant for argument in arguments)

    def evaluate(self, env: Environment) -> Value:
        if self.raw:
            return self.function(env, *self.arguments)
        return self.function(*[_atom(argument.evaluate(env), self.name) for argument in self.arguments])


class If(Node):
    """if (test) then one else another."""

    def __init__(self, test: Node, then: Node, otherwise: Node) -> None:
        self.test = test
        self.then = then
        self.otherwise = otherwise
        self.constant = test.constant and then.constant and otherwise.constant

    def evaluate(self, env: Environment) -> Value:
        return (self.then if truth(self.test.evaluate(env)) else self.otherwise).evaluate(env)


class Logic(Node):
    """and, or."""

    def __init__(self, operator: str, left: Node, right: Node) -> None:
        self.operator = operator
        self.left = left
        self.right = right
        self.constant = left.constant and right.constant

    def evaluate(self, env: Environment) -> Value:
        left = truth(self.left.evaluate(env))
        if left == (self.operator == "or"):
            return left
        return truth(self.right.evaluate(env))


class Comparison(Node):
    """eq, ne, lt, le, gt, ge and their general forms."""

    def __init__(self, operator: str, left: Node, right: Node) -> None:
        self.operator = operator
        self.left = left
        self.right = right
        self.constant = left.constant and right.constant

    def evaluate(self, env: Environment) -> Value:
        left = _atom(self.left.evaluate(env))
        right = _atom(self.right.evaluate(env))
        left, right = _comparable(left, right)
        if self.operator in ("eq", "="):
            return left == right
        if self.operator in ("ne", "!="):
            return left != right
        try:
            if self.operator in ("lt", "<"):
                return left < right  # type: ignore[operator]
            if self.operator in ("le", "<="):
                return left <= right  # type: ignore[operator]
            if self.operator in ("gt", ">"):
                return left > right  # type: ignore[operator]
            return left >= right  # type: ignore[operator]
        except TypeError:
            raise ValueError(f"{_shown(left)} and {_shown(right)} have no order") from None


class Arithmetic(Node):
    """+ - * div idiv mod."""

    def __init__(self, operator: str, left: Node, right: Node) -> None:
        self.operator = operator
        self.left = left
        self.right = right
        self.constant = left.constant and right.constant

    def evaluate(self, env: Environment) -> Value:
        left = _number(_atom(self.left.evaluate(env)))
        right = _number(_atom(self.right.evaluate(env)))
        try:
            return _calculate(self.operator, left, right)
        except (ZeroDivisionError, decimal.DivisionByZero, decimal.InvalidOperation):
            raise ValueError(f"{left} {self.operator} {right} divides by zero") from None
        except (OverflowError, decimal.Overflow):
            raise ValueError(f"{left} {self.operator} {right} is out of range") from None


class Negative(Node):
    """Unary minus."""

    def __init__(self, operand: Node) -> None:
        self.operand = operand
        self.constant = operand.constant

    def evaluate(self, env: Environment) -> Value:
        return -_number(_atom(self.operand.evaluate(env)))


# Values.


def _atom(value: Value, where: str = "an expression") -> Value:
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
        value = _atom(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float, Decimal)):
        return bool(value) and value == value
    if isinstance(value, str):
        if value in ("true", "false"):
            return value == "true"
        return bool(value)
    raise ValueError(f"{_shown(value)} is neither true nor false")


def _shown(value: Value) -> str:
    return repr(value) if isinstance(value, (str, bytes)) else str(value)


def _number(value: Value) -> int | float | Decimal:
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise ValueError(f"{_shown(value)} is not a number")
    return value


def _integer(value: Value) -> int:
    number = _number(value)
    if isinstance(number, int):
        return number
    if number != number or number in (math.inf, -math.inf) or number != int(number):
        raise ValueError(f"{value} is not an integer")
    return int(number)


def _calculate(operator: str, left: int | float | Decimal, right: int | float | Decimal) -> Value:
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


def _comparable(left: Value, right: Value) -> tuple[Value, Value]:
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
    raise ValueError(f"{_shown(left)} and {_shown(right)} do not compare: they have different types")


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


# Functions. A raw function gets the environment and the nodes of its arguments.

_RANGES: Final[dict[str, tuple[int | None, int | None]]] = {
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
        raise ValueError(f"{_shown(value)} is not an xs:{name}")
    low, high = _RANGES[name]
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
    raise ValueError(f"{_shown(value)} is not an xs:decimal")


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
    raise ValueError(f"{_shown(value)} is not an xs:double")


def to_boolean(value: Value) -> bool:
    """Return a value as xs:boolean. Raises ValueError."""
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float, Decimal)):
        return bool(value) and value == value
    if isinstance(value, str) and value.strip() in ("true", "1", "false", "0"):
        return value.strip() in ("true", "1")
    raise ValueError(f"{_shown(value)} is not an xs:boolean")


def to_hex(value: Value) -> bytes:
    """Return a value as xs:hexBinary. Raises ValueError."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str) and re.fullmatch(r"([0-9A-Fa-f]{2})*", value):
        return bytes.fromhex(value)
    raise ValueError(f"{_shown(value)} is not an xs:hexBinary")


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
    raise ValueError(f"{_shown(value)} is not a date or time")


def _string(value: Value) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{_shown(value)} is not a string")
    return value


def _substring(text: Value, start: Value, length: Value = None) -> str:
    string = _string(text)
    first = round(float(_number(start)))
    end = len(string) + 1 if length is None else first + round(float(_number(length)))
    return string[max(first, 1) - 1 : max(end - 1, 0)]


def _round(value: Value) -> Value:
    number = _number(value)
    if isinstance(number, int):
        return number
    if isinstance(number, float):
        return float(math.floor(number + 0.5)) if number == number and not math.isinf(number) else number
    return (number + Decimal("0.5")).to_integral_value(rounding=decimal.ROUND_FLOOR)


def _round_even(value: Value, places: Value = 0) -> Value:
    number = _number(value)
    digits = _integer(places)
    if abs(digits) > 400:
        raise ValueError(f"{digits} digits are too many to round to")
    if isinstance(number, int):
        return number if digits >= 0 else round(number, digits)
    if isinstance(number, float):
        return round(number, digits)
    return number.quantize(Decimal(1).scaleb(-digits), rounding=decimal.ROUND_HALF_EVEN, context=_CONTEXT)


def _whole(function: Callable[[float], int], rounding: str, value: Value) -> Value:
    number = _number(value)
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
        unit = _atom(units.evaluate(env))
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
        number, bottom, top = _number(value), _number(low), _number(high)
        return bottom <= number <= top if inclusive else bottom <= number < top

    return check


def _test_bit(value: Value, position: Value) -> Value:
    return bool(_integer(value) >> _integer(position) & 1) if 0 <= _integer(position) <= 7 else False


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
    number = _integer(value)
    size = max(1, (number.bit_length() + 8) // 8 if number < 0 else (number.bit_length() + 7) // 8)
    return number.to_bytes(size, "big", signed=number < 0)


def _part(name: str, kinds: tuple[type, ...]) -> Callable[[Value], Value]:
    def part(value: Value) -> Value:
        if not isinstance(value, kinds):
            raise ValueError(f"{_shown(value)} has no {name}")
        if name == "second" and isinstance(value, (Time, Timestamp)):
            return Decimal(value.second) + Decimal(value.micro) / 1_000_000
        return getattr(value, name)

    return part


def _error(*arguments: Value) -> Value:
    raise ValueError(" ".join(text_of(argument) for argument in arguments) or "fn:error was called")


def _pattern(value: Value, pattern: Value) -> Value:
    return re.search(_string(pattern), _string(value)) is not None


Function = tuple[Callable[..., Value], int, int, bool]


def _functions() -> dict[tuple[str, str], Function]:
    """Return all functions: implementation, least and most arguments, whether it is raw."""
    table: dict[tuple[str, str], Function] = {
        (_FN, "true"): (lambda: True, 0, 0, False),
        (_FN, "false"): (lambda: False, 0, 0, False),
        (_FN, "not"): (_not, 1, 1, True),
        (_FN, "boolean"): (_boolean, 1, 1, True),
        (_FN, "exists"): (_exists, 1, 1, True),
        (_FN, "empty"): (lambda env, path: not _exists(env, path), 1, 1, True),
        (_FN, "count"): (_count, 1, 1, True),
        (_FN, "nilled"): (_nilled, 1, 1, True),
        (_FN, "exactly-one"): (_one, 1, 1, True),
        (_FN, "local-name"): (_local_name, 0, 1, True),
        (_FN, "name"): (_local_name, 0, 1, True),
        (_FN, "namespace-uri"): (_namespace, 0, 1, True),
        (_FN, "string"): (text_of, 1, 1, False),
        (_FN, "concat"): (lambda *values: "".join(text_of(value) for value in values), 2, 100, False),
        (_FN, "string-length"): (lambda text: len(_string(text)), 1, 1, False),
        (_FN, "substring"): (_substring, 2, 3, False),
        (_FN, "substring-before"): (lambda a, b: _string(a).partition(_string(b))[0] if b in a else "", 2, 2, False),
        (_FN, "substring-after"): (lambda a, b: _string(a).partition(_string(b))[2], 2, 2, False),
        (_FN, "contains"): (lambda a, b: _string(b) in _string(a), 2, 2, False),
        (_FN, "starts-with"): (lambda a, b: _string(a).startswith(_string(b)), 2, 2, False),
        (_FN, "ends-with"): (lambda a, b: _string(a).endswith(_string(b)), 2, 2, False),
        (_FN, "upper-case"): (lambda text: _string(text).upper(), 1, 1, False),
        (_FN, "lower-case"): (lambda text: _string(text).lower(), 1, 1, False),
        (_FN, "normalize-space"): (lambda text: " ".join(_string(text).split()), 1, 1, False),
        (_FN, "abs"): (lambda value: abs(_number(value)), 1, 1, False),
        (_FN, "ceiling"): (lambda value: _whole(math.ceil, decimal.ROUND_CEILING, value), 1, 1, False),
        (_FN, "floor"): (lambda value: _whole(math.floor, decimal.ROUND_FLOOR, value), 1, 1, False),
        (_FN, "round"): (_round, 1, 1, False),
        (_FN, "round-half-to-even"): (_round_even, 1, 2, False),
        (_FN, "error"): (_error, 0, 3, False),
        (_DFDL, "valueLength"): (_length(1), 2, 2, True),
        (_DFDL, "contentLength"): (_length(0), 2, 2, True),
        (_DFDL, "occursIndex"): (_occurs_index, 0, 0, True),
        (_DFDL, "checkConstraints"): (_check_constraints, 1, 1, True),
        (_DFDL, "checkRangeInclusive"): (_check_range(True), 3, 3, False),
        (_DFDL, "checkRangeExclusive"): (_check_range(False), 3, 3, False),
        (_DFDL, "testBit"): (_test_bit, 2, 2, False),
        (_DFDL, "setBits"): (_set_bits, 8, 8, False),
        (_DFDL, "hexBinary"): (_dfdl_hex, 1, 1, False),
        (_XS, "string"): (text_of, 1, 1, False),
        (_XS, "boolean"): (to_boolean, 1, 1, False),
        (_XS, "decimal"): (to_decimal, 1, 1, False),
        (_XS, "float"): (to_float, 1, 1, False),
        (_XS, "double"): (to_float, 1, 1, False),
        (_XS, "hexBinary"): (to_hex, 1, 1, False),
        (_XS, "date"): (lambda value: to_calendar(value, DATE), 1, 1, False),
        (_XS, "time"): (lambda value: to_calendar(value, TIME), 1, 1, False),
        (_XS, "dateTime"): (lambda value: to_calendar(value, DATE_TIME), 1, 1, False),
    }
    for name in _RANGES:
        table[_XS, name] = (lambda value, name=name: to_integer(value, name), 1, 1, False)
        table[_DFDL, name] = (_dfdl_integer(name), 1, 1, False)
    for part, plural in (("year", "year"), ("month", "month"), ("day", "day")):
        table[_FN, f"{plural}-from-date"] = (_part(part, (Date,)), 1, 1, False)
        table[_FN, f"{plural}-from-dateTime"] = (_part(part, (Timestamp,)), 1, 1, False)
    for part, plural in (("hour", "hours"), ("minute", "minutes"), ("second", "seconds")):
        table[_FN, f"{plural}-from-time"] = (_part(part, (Time,)), 1, 1, False)
        table[_FN, f"{plural}-from-dateTime"] = (_part(part, (Timestamp,)), 1, 1, False)
    return table


FUNCTIONS: Final = _functions()
#: Prefixes that schemas use without declaring them.
_PREFIXES: Final[dict[str, str]] = {"fn": _FN, "xs": _XS, "xsd": _XS, "dfdl": _DFDL, "math": _MATH}
_COMPARISONS: Final = ("eq", "ne", "lt", "le", "gt", "ge", "=", "!=", "<", "<=", ">", ">=")


class _Parser:
    """A recursive descent parser of one expression."""

    def __init__(self, text: str, namespaces: dict[str, str]) -> None:
        self.text = text
        self.namespaces = namespaces
        self.tokens: list[tuple[str, str]] = []
        self.at = 0
        self.depth = 0
        position = 0
        while position < len(text):
            if not text[position:].strip():
                break
            found = _TOKEN.match(text, position)
            if found is None:
                raise ValueError(f"the expression {{{text}}} has '{text[position:].strip()[:10]}', which means nothing")
            kind = found.lastgroup
            assert kind is not None
            self.tokens.append((kind, found.group(kind)))
            position = found.end()
        self.tokens.append(("end", ""))

    def fail(self, what: str) -> ValueError:
        return ValueError(f"the expression {{{self.text}}} has {self.tokens[self.at][1]!r} where {what} is expected")

    def peek(self, *values: str) -> bool:
        kind, value = self.tokens[self.at]
        return kind in ("symbol", "name") and value in values

    def take(self, *values: str) -> str:
        if not self.peek(*values):
            raise self.fail(" or ".join(values))
        self.at += 1
        return self.tokens[self.at - 1][1]

    def expression(self) -> Node:
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise ValueError(f"the expression {{{self.text[:50]}...}} is nested too deep")
        if self.peek("if") and self.tokens[self.at + 1] == ("symbol", "("):
            self.at += 2
            test = self.expression()
            self.take(")")
            self.take("then")
            then = self.expression()
            self.take("else")
            result: Node = If(test, then, self.expression())
        else:
            result = self.disjunction()
        self.depth -= 1
        return result

    def disjunction(self) -> Node:
        left = self.conjunction()
        while self.peek("or"):
            self.at += 1
            left = Logic("or", left, self.conjunction())
        return left

    def conjunction(self) -> Node:
        left = self.comparison()
        while self.peek("and"):
            self.at += 1
            left = Logic("and", left, self.comparison())
        return left

    def comparison(self) -> Node:
        left = self.sum()
        if self.peek(*_COMPARISONS):
            operator = self.take(*_COMPARISONS)
            return Comparison(operator, left, self.sum())
        return left

    def sum(self) -> Node:
        left = self.product()
        while self.peek("+", "-"):
            operator = self.take("+", "-")
            left = Arithmetic(operator, left, self.product())
        return left

    def product(self) -> Node:
        left = self.unary()
        while self.peek("*", "div", "idiv", "mod"):
            operator = self.take("*", "div", "idiv", "mod")
            left = Arithmetic(operator, left, self.unary())
        return left

    def unary(self) -> Node:
        if self.peek("-"):
            self.at += 1
            self.depth += 1
            if self.depth > DEPTH_MAX:
                raise ValueError(f"the expression {{{self.text[:50]}...}} is nested too deep")
            operand = self.unary()
            self.depth -= 1
            return Negative(operand)
        if self.peek("+"):
            self.at += 1
        return self.primary()

    def primary(self) -> Node:
        kind, value = self.tokens[self.at]
        if kind == "number":
            self.at += 1
            if "e" in value or "E" in value:
                return Literal(float(value))
            return Literal(Decimal(value) if "." in value else int(value))
        if kind == "string":
            self.at += 1
            quote = value[0]
            return Literal(value[1:-1].replace(quote + quote, quote))
        if kind == "variable":
            self.at += 1
            if self.peek("/"):
                raise ValueError(f"the expression {{{self.text}}} has a path behind a variable")
            return VariableNode(self.qualified(value[1:], self.namespaces.get("", "")), value)
        if self.peek("("):
            self.at += 1
            if self.peek(")"):
                raise Unsupported(f"the empty sequence in the expression {{{self.text}}}")
            inner = self.expression()
            if self.peek(","):
                raise Unsupported(f"a sequence of values in the expression {{{self.text}}}")
            self.take(")")
            if self.peek("/", "["):
                raise Unsupported(f"a path behind parentheses in the expression {{{self.text}}}")
            return inner
        if kind == "name" and self.tokens[self.at + 1] == ("symbol", "("):
            return self.call()
        return self.path()

    def qualified(self, name: str, default: str) -> str:
        """Return `{namespace}local` of a name with or without prefix."""
        prefix, colon, local = name.rpartition(":")
        if not colon:
            return f"{{{default}}}{local}"
        namespace = self.namespaces.get(prefix, _PREFIXES.get(prefix))
        if namespace is None:
            raise ValueError(f"the expression {{{self.text}}} has the prefix {prefix}, which is not declared")
        return f"{{{namespace}}}{local}"

    def call(self) -> Node:
        shown = self.tokens[self.at][1]
        namespace, _, local = self.qualified(shown, _FN)[1:].partition("}")
        self.at += 2
        arguments: list[Node] = []
        if not self.peek(")"):
            arguments.append(self.expression())
            while self.peek(","):
                self.at += 1
                arguments.append(self.expression())
        self.take(")")
        if namespace == _XS.replace("XMLSchema", "xpath-functions"):
            namespace = _FN
        found = FUNCTIONS.get((namespace, local))
        if found is None:
            if namespace in (_FN, _XS, _DFDL, _MATH) or "daffodil" in namespace or "dfdl" in namespace:
                raise Unsupported(f"the function {shown} in the expression {{{self.text}}}")
            raise ValueError(f"the expression {{{self.text}}} has the function {shown}, which does not exist")
        function, least, most, raw = found
        if not least <= len(arguments) <= most:
            raise ValueError(f"the expression {{{self.text}}} has {len(arguments)} arguments of {shown}")
        if self.peek("/", "["):
            raise Unsupported(f"a path behind a function in the expression {{{self.text}}}")
        return Call(shown, arguments, function, raw)

    def path(self) -> Node:
        start = self.at
        absolute = False
        if self.peek("/"):
            absolute = True
            self.at += 1
        steps = [self.step()]
        while self.peek("/"):
            self.at += 1
            steps.append(self.step())
        if self.peek("//", "@", "|", "::"):
            raise Unsupported(f"'{self.tokens[self.at][1]}' in the expression {{{self.text}}}")
        return Path(absolute, steps, "".join(token for _, token in self.tokens[start : self.at]))

    def step(self) -> Step:
        kind, value = self.tokens[self.at]
        if kind == "name":
            if self.tokens[self.at + 1] == ("symbol", "::"):
                axis = value
                self.at += 2
                kind, value = self.tokens[self.at]
                if axis not in ("child", "self", "parent"):
                    raise Unsupported(f"the axis {axis} in the expression {{{self.text}}}")
                if axis != "child" or kind != "name":
                    raise Unsupported(f"the axis {axis} in the expression {{{self.text}}}")
            if self.tokens[self.at + 1] == ("symbol", "("):
                raise Unsupported(f"a function as a step in the expression {{{self.text}}}")
            self.at += 1
            namespace, _, local = self.qualified(value, "")[1:].partition("}")
            index: Node | None = None
            if self.peek("["):
                self.at += 1
                index = self.expression()
                self.take("]")
            return Step(local, namespace if ":" in value else None, index)
        if self.peek(".", ".."):
            self.at += 1
            if self.peek("["):
                raise Unsupported(f"a predicate of '{value}' in the expression {{{self.text}}}")
            return Step(value, None, None)
        if self.peek("*", "@", "//"):
            raise Unsupported(f"'{value}' in the expression {{{self.text}}}")
        raise self.fail("a value or a path")


def compile_expression(text: str, namespaces: tuple[tuple[str, str], ...] = ()) -> Node:
    """Return the compiled form of an expression, with or without its braces. Raises ValueError and Unsupported."""
    body = text.strip()
    if len(body) > LENGTH_MAX:
        raise ValueError(f"an expression of {len(body)} characters")
    if body.startswith("{"):
        if not body.endswith("}"):
            raise ValueError(f"the expression {body} has no closing brace")
        body = body[1:-1]
    body = body.strip()
    if not body:
        raise ValueError("an expression is empty")
    parser = _Parser(body, dict(namespaces))
    result = parser.expression()
    if parser.tokens[parser.at][0] != "end":
        raise parser.fail("the end")
    return result


def evaluate(node: Node, env: Environment) -> Value:
    """Return the value of an expression. Raises ValueError, NotYet if an element or its value is missing."""
    return _atom(node.evaluate(env))
