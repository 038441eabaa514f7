"""Random expressions in all places where the compiler writes them differently, against their meaning in Python.

An expression is its text and a function that gives its value: NULL is None, and Zero is raised where ESQL divides by
zero. AND, OR, CASE and COALESCE do not evaluate what they do not need.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from tests.broker.esql.running import run_statements

Expression = tuple[str, Callable[[], Any]]


class Zero(Exception):
    """A division by zero."""


def operation(symbol: str, apply: Callable[[Any, Any], Any]) -> Callable[[tuple[Expression, Expression]], Expression]:
    """Return what makes an operation that is NULL if an operand is."""

    def make(operands: tuple[Expression, Expression]) -> Expression:
        (left, a), (right, b) = operands

        def value() -> Any:
            one, other = a(), b()
            return None if one is None or other is None else apply(one, other)

        return f"({left} {symbol} {right})", value

    return make


def divided(one: int, other: int) -> int:
    if other == 0:
        raise Zero
    return abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)


def both(operands: tuple[Expression, Expression]) -> Expression:
    (left, a), (right, b) = operands

    def value() -> Any:
        one = a()
        other = False if one is False else b()
        return False if one is False or other is False else None if None in (one, other) else True

    return f"({left} AND {right})", value


def either(operands: tuple[Expression, Expression]) -> Expression:
    (left, a), (right, b) = operands

    def value() -> Any:
        one = a()
        other = True if one is True else b()
        return True if one is True or other is True else None if None in (one, other) else False

    return f"({left} OR {right})", value


def negated(operand: Expression) -> Expression:
    def value() -> Any:
        given = operand[1]()
        return None if given is None else not given

    return f"(NOT {operand[0]})", value


def coalesced(operands: tuple[Expression, Expression]) -> Expression:
    (left, a), (right, b) = operands

    def value() -> Any:
        one = a()
        return b() if one is None else one

    return f"COALESCE({left}, {right})", value


def chosen(parts: tuple[Expression, Expression, Expression]) -> Expression:
    (test, c), (then, a), (otherwise, b) = parts
    return f"(CASE WHEN {test} THEN {then} ELSE {otherwise} END)", lambda: a() if c() is True else b()


def looked_up(parts: tuple[Expression, Expression]) -> Expression:
    """Return a CASE over literals, which becomes a table."""
    (operand, a), (otherwise, b) = parts
    table = {0: 5, 1: 6, 2: 7}
    whens = " ".join(f"WHEN {key} THEN {value}" for key, value in table.items())

    def value() -> Any:
        given = a()
        return table[given] if given in table else b()

    return f"(CASE {operand} {whens} ELSE {otherwise} END)", value


def compared(parts: tuple[Expression, Expression, Expression]) -> Expression:
    """Return a CASE whose conditions are computed."""
    (operand, a), (first, b), (otherwise, c) = parts

    def value() -> Any:
        given, wanted = a(), b()
        return given if given is not None and given == wanted else c()

    return f"(CASE {operand} WHEN {first} THEN {operand} ELSE {otherwise} END)", value


def listed(parts: tuple[Expression, Expression, Expression]) -> Expression:
    (operand, a), (first, b), (second, c) = parts

    def value() -> Any:
        given, items = a(), [b(), c()]
        if given is not None and given in items:
            return True
        return None if given is None or None in items else False

    return f"({operand} IN ({first}, {second}))", value


def is_null(operand: Expression) -> Expression:
    return f"({operand[0]} IS NULL)", lambda: operand[1]() is None


NUMBERS: dict[str, Any] = {"0": 0, "1": 1, "-2": -2, "v": 3, "n": None}
TRUTHS: dict[str, Any] = {"TRUE": True, "FALSE": False, "UNKNOWN": None, "t": True}
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
}
ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": divided,
}
#: What makes a number or a truth value, and of what: `n` a number, `t` a truth value.
OF_NUMBERS: list[tuple[Callable[[Any], Expression], str]] = [
    *((operation(symbol, apply), "nn") for symbol, apply in ARITHMETIC.items()),
    (coalesced, "nn"),
    (looked_up, "nn"),
    (compared, "nnn"),
    (chosen, "tnn"),
]
OF_TRUTHS: list[tuple[Callable[[Any], Expression], str]] = [
    *((operation(symbol, apply), "nn") for symbol, apply in COMPARISONS.items()),
    (both, "tt"),
    (either, "tt"),
    (coalesced, "tt"),
    (listed, "nnn"),
    (lambda parts: is_null(parts[0]), "n"),
    (lambda parts: negated(parts[0]), "t"),
]


def drawn(draw: st.DrawFn, kind: str, depth: int) -> Expression:
    """Return a random expression of a kind."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        values = NUMBERS if kind == "n" else TRUTHS
        text = draw(st.sampled_from(sorted(values)))
        return text, lambda: values[text]
    make, kinds = draw(st.sampled_from(OF_NUMBERS if kind == "n" else OF_TRUTHS))
    made: Expression = make(tuple(drawn(draw, each, depth - 1) for each in kinds))
    return made


@st.composite
def expressions(draw: st.DrawFn) -> Expression:
    """Draw an expression that is nested at most four deep."""
    return drawn(draw, draw(st.sampled_from("nt")), 4)


#: The same expression as a value, in a SELECT, in what a SELECT walks over, as text of EVAL, and as an argument.
PLACES = [
    "SET Environment.x VALUE = {0};",
    "SET Environment.x VALUE = THE(SELECT ITEM {0} FROM InputRoot.XMLNSC AS X);",
    "SET Environment.x VALUE = THE(SELECT ITEM K FROM LIST{{{0}}} AS K);",
    "SET Environment.x VALUE = EVAL('{0}');",
    "SET Environment.x VALUE = CAST('x' AS INTEGER DEFAULT {0});",
    "IF COALESCE(NULL, {0}) IS NOT NULL THEN SET Environment.x VALUE = {0}; END IF;",
]


@settings(max_examples=150, deadline=None)
@given(expressions(), st.sampled_from(PLACES))
def test_an_expression_means_the_same_wherever_it_stands(expression: Expression, place: str) -> None:
    text, value = expression
    program = f"DECLARE v INTEGER 3; DECLARE n INTEGER; DECLARE t BOOLEAN TRUE; {place.format(text)}"
    try:
        expected = value()
    except Zero:
        try:
            run_statements(program)
        except BrokerError as error:
            assert error.root_cause().number == 2450, program
            return
        raise AssertionError(f"nothing was raised: {program}") from None

    found = run_statements(program).value("x")
    assert (type(found), found) == (type(expected), expected), program
