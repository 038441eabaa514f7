"""The tree of a selector. Every node can be asked for its value and for its truth; S1 to S5 of the room stand here.

    truth   FALSE 0, UNKNOWN 1, TRUE 2          AND is the lesser, OR the greater, NOT x is 2 - x (S2)
    value   bool, int, float, str, bytes, None  None is null; the value of an unknown condition is null

Chains of AND, OR, + and * are one node with many parts, so a tree is never deeper than its parentheses.
"""

from __future__ import annotations

from typing import Final

from flintmq.selector.like import Pattern
from flintmq.selector.source import Source, Value

FALSE: Final = 0
UNKNOWN: Final = 1
TRUE: Final = 2

#: What a node is known to be without looking at a message.
ANY: Final = 0
BOOLEAN: Final = 1
NUMBER: Final = 2
TEXT: Final = 3
BYTE_STRING: Final = 4

#: How an error calls what it found.
KIND_NAMES: Final = {BOOLEAN: "a condition", NUMBER: "a number", TEXT: "a string", BYTE_STRING: "a byte string"}

_LOW: Final = -(1 << 63)
_HIGH: Final = (1 << 63) - 1


class Node:
    """Part of a selector."""

    kind: int = ANY

    def value(self, source: Source) -> Value:
        """The value of this part for the message that `source` stands for."""
        raise NotImplementedError

    def truth(self, source: Source) -> int:
        """The same as a condition. Only a boolean is one: anything else compares false with TRUE (S3)."""
        value = self.value(source)
        if value is None:
            return UNKNOWN
        if isinstance(value, bool):
            return TRUE if value else FALSE
        return FALSE


class Condition(Node):
    """A node that is true, false or unknown by its nature."""

    def __init__(self) -> None:
        self.kind = BOOLEAN

    def value(self, source: Source) -> Value:
        """The truth as a value."""
        truth = self.truth(source)
        return None if truth == UNKNOWN else truth == TRUE


class Literal(Node):
    """A value that stands in the text."""

    def __init__(self, literal: Value, kind: int) -> None:
        self.literal = literal
        self.kind = kind

    def value(self, source: Source) -> Value:
        """Always the same."""
        return self.literal


class Name(Node):
    """A property, a header or a field."""

    def __init__(self, name: str) -> None:
        self.name = name

    def value(self, source: Source) -> Value:
        """Return the value of the message under this name."""
        return source.value(self.name)


# -- logic -------------------------------------------------------------------------------------------------------


class And(Condition):
    """All parts, or the least of them."""

    def __init__(self, first: Node) -> None:
        super().__init__()
        self.parts: list[Node] = [first]

    def truth(self, source: Source) -> int:
        """Return the least of the parts; the rest behind a false one is not evaluated."""
        result = TRUE
        for part in self.parts:
            truth = part.truth(source)
            if truth < result:
                if truth == FALSE:
                    return FALSE
                result = truth
        return result


class Or(Condition):
    """Any part, or the greatest of them."""

    def __init__(self, first: Node) -> None:
        super().__init__()
        self.parts: list[Node] = [first]

    def truth(self, source: Source) -> int:
        """Return the greatest of the parts; the rest behind a true one is not evaluated."""
        result = FALSE
        for part in self.parts:
            truth = part.truth(source)
            if truth > result:
                if truth == TRUE:
                    return TRUE
                result = truth
        return result


class Not(Condition):
    """The opposite."""

    def __init__(self, part: Node) -> None:
        super().__init__()
        self.part = part

    def truth(self, source: Source) -> int:
        """Unknown stays unknown."""
        return TRUE - self.part.truth(source)


class IsNull(Condition):
    """IS NULL, with `wanted` FALSE also IS NOT NULL."""

    def __init__(self, part: Node, wanted: int) -> None:
        super().__init__()
        self.part = part
        self.wanted = wanted

    def truth(self, source: Source) -> int:
        """Never unknown."""
        return self.wanted if self.part.value(source) is None else TRUE - self.wanted


# -- comparison --------------------------------------------------------------------------------------------------


class Equal(Condition):
    """left = right."""

    def __init__(self, left: Node, right: Node) -> None:
        super().__init__()
        self.left = left
        self.right = right

    def truth(self, source: Source) -> int:
        """S1 and S3."""
        return equal(self.left.value(source), self.right.value(source))


class NotEqual(Equal):
    """left <> right. Values of unlike types are not equal, and not unequal either (S3)."""

    def truth(self, source: Source) -> int:
        """S1 and S3."""
        left = self.left.value(source)
        right = self.right.value(source)
        if left is None or right is None:
            return UNKNOWN
        return TRUE if alike(left, right) and left != right else FALSE


class Less(Condition):
    """left < right, with `or_equal` left <= right. > and >= are these with the sides exchanged."""

    def __init__(self, left: Node, right: Node, or_equal: bool) -> None:
        super().__init__()
        self.left = left
        self.right = right
        self.or_equal = or_equal

    def truth(self, source: Source) -> int:
        """S1 and S3."""
        return less(self.left.value(source), self.right.value(source), self.or_equal)


class Between(Condition):
    """part BETWEEN low AND high."""

    def __init__(self, part: Node, low: Node, high: Node) -> None:
        super().__init__()
        self.part = part
        self.low = low
        self.high = high

    def truth(self, source: Source) -> int:
        """Two comparisons (S4)."""
        value = self.part.value(source)
        above = less(self.low.value(source), value, True)
        below = less(value, self.high.value(source), True)
        return above if above < below else below


class In(Condition):
    """part IN (choices)."""

    def __init__(self, part: Node, choices: list[Node]) -> None:
        super().__init__()
        self.part = part
        self.choices = choices

    def truth(self, source: Source) -> int:
        """Equalities with OR (S4)."""
        value = self.part.value(source)
        if value is None:
            return UNKNOWN
        result = FALSE
        for choice in self.choices:
            truth = equal(value, choice.value(source))
            if truth == TRUE:
                return TRUE
            if truth > result:
                result = truth
        return result


class InStrings(Condition):
    """part IN (strings): the usual list, as a set."""

    def __init__(self, part: Node, strings: frozenset[str]) -> None:
        super().__init__()
        self.part = part
        self.strings = strings

    def truth(self, source: Source) -> int:
        """As `In`."""
        value = self.part.value(source)
        if value is None:
            return UNKNOWN
        return TRUE if isinstance(value, str) and value in self.strings else FALSE


class Like(Condition):
    """part LIKE pattern."""

    def __init__(self, part: Node, pattern: Pattern) -> None:
        super().__init__()
        self.part = part
        self.pattern = pattern

    def truth(self, source: Source) -> int:
        """Only a string is like anything (S3)."""
        value = self.part.value(source)
        if value is None:
            return UNKNOWN
        return TRUE if isinstance(value, str) and self.pattern.matches(value) else FALSE


def is_number(value: Value) -> bool:
    """Exact or approximate; a boolean is no number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def alike(one: Value, other: Value) -> bool:
    """Whether two values that are not null can be compared (S3)."""
    if isinstance(one, str):
        return isinstance(other, str)
    if isinstance(one, bool):
        return isinstance(other, bool)
    if isinstance(one, bytes):
        return isinstance(other, bytes)
    return is_number(other)


def equal(one: Value, other: Value) -> int:
    """The truth of one = other."""
    if one is None or other is None:
        return UNKNOWN
    return TRUE if one == other and alike(one, other) else FALSE


def less(one: Value, other: Value, or_equal: bool) -> int:
    """The truth of one < other or one <= other: only numbers have an order."""
    if one is None or other is None:
        return UNKNOWN
    if isinstance(one, bool) or isinstance(other, bool):
        return FALSE
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        if or_equal:
            return TRUE if one <= other else FALSE
        return TRUE if one < other else FALSE
    return FALSE


# -- arithmetic --------------------------------------------------------------------------------------------------


class Chain(Node):
    """first, then each further part with its operator: + and -, or * and /."""

    def __init__(self, first: Node) -> None:
        self.kind = NUMBER
        self.first = first
        self.operators: list[str] = []
        self.parts: list[Node] = []

    def value(self, source: Source) -> Value:
        """From left to right; null as soon as one step is (S1, S5)."""
        result = self.first.value(source)
        for number in range(len(self.parts)):
            result = calculate(result, self.operators[number], self.parts[number].value(source))
            if result is None:
                return None
        return result


class Sum(Chain):
    """A chain of + and -."""


class Product(Chain):
    """A chain of * and /."""


class Negative(Node):
    """- part."""

    def __init__(self, part: Node) -> None:
        self.kind = NUMBER
        self.part = part

    def value(self, source: Source) -> Value:
        """0 - part."""
        return calculate(0, "-", self.part.value(source))


class Positive(Node):
    """+ part: the part, if it is a number."""

    def __init__(self, part: Node) -> None:
        self.kind = NUMBER
        self.part = part

    def value(self, source: Source) -> Value:
        """Null for anything but a number (S5)."""
        value = self.part.value(source)
        return value if is_number(value) else None


def calculate(one: Value, operator: str, other: Value) -> Value:
    """S5. Python's floats never raise here: large results become infinite, and only division is by zero."""
    if isinstance(one, bool) or isinstance(other, bool):
        return None
    if isinstance(one, int) and isinstance(other, int):
        return _exact(one, operator, other)
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        left = float(one)
        right = float(other)
        if operator == "+":
            return left + right
        if operator == "-":
            return left - right
        if operator == "*":
            return left * right
        return None if right == 0.0 else left / right
    return None


def _exact(one: int, operator: str, other: int) -> Value:
    if operator == "+":
        result = one + other
    elif operator == "-":
        result = one - other
    elif operator == "*":
        result = one * other
    elif other == 0:
        return None
    else:
        result = abs(one) // abs(other)
        if (one < 0) != (other < 0):
            result = -result
    return result if _LOW <= result <= _HIGH else None
