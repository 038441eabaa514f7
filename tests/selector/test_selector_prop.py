"""Random selectors against an evaluator that shares nothing with the room: nested tuples and tables of truth.

A tree is drawn, written as text (with more or fewer parentheses, blanks and capitals), compiled, and evaluated; the
tables below say what must come out. Truth is "T", "F" or "U".
"""

from __future__ import annotations

import fnmatch
import re
from fractions import Fraction
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.selector import Selector, SelectorError, Value, Values, compile_selector

Tree = tuple[Any, ...]

NAMES = ["a", "b", "c", "d"]
AND = {("T", "T"): "T", ("T", "U"): "U", ("U", "T"): "U", ("U", "U"): "U"}
OR = {("F", "F"): "F", ("F", "U"): "U", ("U", "F"): "U", ("U", "U"): "U"}
NOT = {"T": "F", "F": "T", "U": "U"}

numbers = st.one_of(
    st.integers(-5, 5),
    st.integers(-(2**63), 2**63 - 1),
    st.sampled_from([0.5, 2.0, 1e300, 2.5, 3.0]),
)
strings = st.text(alphabet="ab%_'! ", max_size=4)
bytes_values = st.sampled_from([b"\n", b"ab"])
values: st.SearchStrategy[Value] = st.one_of(st.none(), st.booleans(), numbers, strings, bytes_values)
messages_of_all_names = st.fixed_dictionaries(dict.fromkeys(NAMES, values))

names = st.sampled_from(NAMES).map(lambda name: ("name", name))
number_literals = numbers.map(lambda value: ("literal", value))
string_literals = strings.map(lambda value: ("literal", value))
arithmetic = st.recursive(
    names | number_literals,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["+", "-", "*", "/"]), inner, inner), st.tuples(st.just("negative"), inner)
    ),
    max_leaves=5,
)
comparable = arithmetic | string_literals | st.sampled_from([("literal", b"\n"), ("literal", b"ab")])
predicates = st.one_of(
    st.tuples(st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), comparable, comparable),
    st.tuples(st.just("between"), comparable, comparable, comparable, st.booleans()),
    st.tuples(st.just("in"), comparable, st.lists(comparable, min_size=1, max_size=4), st.booleans()),
    st.tuples(st.just("like"), names | string_literals, strings, st.sampled_from(["", "!"]), st.booleans()),
    st.tuples(st.just("null"), comparable, st.booleans()),
    names,
    st.booleans().map(lambda value: ("literal", value)),
)
conditions = st.recursive(
    predicates,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["and", "or"]), inner, inner),
        st.tuples(st.just("not"), inner),
        st.tuples(st.sampled_from(["=", "<>"]), inner, inner),
        st.tuples(st.just("null"), inner, st.booleans()),
    ),
    max_leaves=6,
)


# -- the other evaluator -----------------------------------------------------------------------------------------


def kind_of(value: Value) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return "number"
    return type(value).__name__


def arithmetic_value(operator: str, one: Value, other: Value) -> Value:
    if kind_of(one) != "number" or kind_of(other) != "number":
        return None
    if isinstance(one, int) and isinstance(other, int):
        if operator == "/":
            if other == 0:
                return None
            result = int(Fraction(one, other))  # Towards zero.
        else:
            result = {"+": one + other, "-": one - other, "*": one * other}[operator]
        return result if -(2**63) <= result < 2**63 else None
    assert isinstance(one, (int, float)) and isinstance(other, (int, float))
    if operator == "/":
        return None if other == 0 else float(one) / float(other)
    return {"+": float(one) + float(other), "-": float(one) - float(other), "*": float(one) * float(other)}[operator]


def compared(operator: str, one: Value, other: Value) -> str:
    if one is None or other is None:
        return "U"
    if kind_of(one) != kind_of(other):
        return "F"
    if operator == "=":
        return "T" if one == other else "F"
    if operator == "<>":
        return "T" if one != other else "F"
    if kind_of(one) != "number":
        return "F"
    assert isinstance(one, (int, float)) and isinstance(other, (int, float))
    return "T" if {"<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other}[operator] else "F"


def is_like(text: str, pattern: str, escape: str) -> bool:
    expression = ""
    escaped = False
    for character in pattern:
        if escaped:
            expression += re.escape(character)
            escaped = False
        elif character == escape:
            escaped = True
        else:
            expression += {"%": "(?s:.*)", "_": "(?s:.)"}.get(character, re.escape(character))
    return re.fullmatch(expression, text) is not None


def value_of(tree: Tree, message: dict[str, Value]) -> Value:
    if tree[0] == "name":
        return message.get(tree[1])
    if tree[0] == "literal":
        literal: Value = tree[1]
        return literal
    if tree[0] == "negative":
        return arithmetic_value("-", 0, value_of(tree[1], message))
    if tree[0] in ("+", "-", "*", "/"):
        return arithmetic_value(tree[0], value_of(tree[1], message), value_of(tree[2], message))
    return {"T": True, "F": False, "U": None}[truth_of(tree, message)]


def truth_of(tree: Tree, message: dict[str, Value]) -> str:
    operator = tree[0]
    if operator in ("name", "literal"):
        return compared("=", value_of(tree, message), True)
    if operator == "not":
        return NOT[truth_of(tree[1], message)]
    if operator in ("and", "or"):
        pair = (truth_of(tree[1], message), truth_of(tree[2], message))
        return AND.get(pair, "F") if operator == "and" else OR.get(pair, "T")
    if operator == "null":
        is_null = value_of(tree[1], message) is None
        return "T" if is_null is not tree[2] else "F"
    value = value_of(tree[1], message)
    if operator == "between":
        low, high = value_of(tree[2], message), value_of(tree[3], message)
        pair = (compared(">=", value, low), compared("<=", value, high))
        found = AND.get(pair, "F")
        return NOT[found] if tree[4] else found
    if operator == "in":
        found = "F"
        for choice in tree[2]:
            pair = (found, compared("=", value, value_of(choice, message)))
            found = OR.get(pair, "T")
        return NOT[found] if tree[3] else found
    if operator == "like":
        found = "U" if value is None else "T" if isinstance(value, str) and is_like(value, tree[2], tree[3]) else "F"
        return NOT[found] if tree[4] else found
    return compared(operator, value, value_of(tree[2], message))


# -- writing a tree as text --------------------------------------------------------------------------------------


def literal_text(value: Value) -> str:
    if isinstance(value, bool):
        return "True" if value else "FALSE"
    if isinstance(value, bytes):
        return f'"0x{value.hex()}"'
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


def text_of(tree: Tree) -> str:
    """Everything in parentheses that is not an operand by itself."""
    operator = tree[0]
    if operator == "name":
        return str(tree[1])
    if operator == "literal":
        return literal_text(tree[1])
    if operator == "negative":
        return f"-({text_of(tree[1])})"
    if operator == "not":
        return f"nOt ({text_of(tree[1])})"
    left = f"({text_of(tree[1])})" if tree[1][0] not in ("name", "literal") else text_of(tree[1])
    if operator == "null":
        return f"{left} is {'not ' if tree[2] else ''}null"
    if operator == "between":
        return f"{left}{' NOT' * tree[4]} BETWEEN ({text_of(tree[2])}) AND ({text_of(tree[3])})"
    if operator == "in":
        return f"{left}{' not' * tree[3]} in ({', '.join(text_of(choice) for choice in tree[2])})"
    if operator == "like":
        escape = f" ESCAPE '{tree[3]}'" if tree[3] else ""
        return f"{left}{' Not' * tree[4]} LIKE {literal_text(tree[2])}{escape}"
    right = f"({text_of(tree[2])})" if tree[2][0] not in ("name", "literal") else text_of(tree[2])
    return f"{left} {operator} {right}"


def is_sound(tree: Tree) -> bool:
    """Whether the pattern of every LIKE has something behind its escape characters."""
    if tree[0] == "like" and tree[3]:
        rest = re.sub(r"!(?s:.)", "", tree[2])
        return not rest.endswith("!")
    return all(is_sound(part) for part in tree if isinstance(part, tuple))


@settings(max_examples=400, deadline=None)
@given(
    conditions.filter(is_sound),
    st.lists(messages_of_all_names, min_size=3, max_size=3),
)
def test_a_selector_agrees_with_the_tables_of_truth(tree: Tree, messages: list[dict[str, Value]]) -> None:
    text = text_of(tree)
    selector = compile_selector(text)
    opposite = compile_selector(f"NOT ({text})")
    for message in messages:
        expected = truth_of(tree, message)
        found = "T" if selector.matches(Values(message)) else "F" if opposite.matches(Values(message)) else "U"
        assert found == expected, text


@settings(max_examples=200, deadline=None)
@given(conditions.filter(is_sound), messages_of_all_names)
def test_a_message_that_matches_has_what_the_selector_says_it_must_have(tree: Tree, message: dict[str, Value]) -> None:
    """`equality` and `alternatives` are necessary: the index of selections rests on that."""
    selector = compile_selector(text_of(tree))
    if not selector.matches(Values(message)):
        return
    equality, alternatives = selector.equality(), selector.alternatives()
    if equality is not None:
        assert compared("=", message[equality[0]], equality[1]) == "T"
    if alternatives is not None:
        assert any(compared("=", message[alternatives[0]], value) == "T" for value in alternatives[1])


@settings(max_examples=200, deadline=None)
@given(strings, strings)
def test_like_without_escapes_agrees_with_another_matcher(text: str, pattern: str) -> None:
    if any(character in text + pattern for character in "*?[]"):
        return
    glob = pattern.replace("%", "*").replace("_", "?")
    selector = compile_selector(f"a LIKE {literal_text(pattern)}")
    assert selector.matches(Values({"a": text})) == fnmatch.fnmatchcase(text, glob)


WORDS = st.sampled_from(
    ["a", "b", "'x'", "5", "1.5", "0x", "07", "TRUE", "NULL", "(", ")", "=", "<>", "<", "+", "-", "*", "/", ",", " ",
     "AND", "OR", "NOT", "IN", "IS", "LIKE", "BETWEEN", "ESCAPE", "'", '"', '"0xFF"', ".", "E", "Root.", "MQMD.", "JMS",
     "!", "€"]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.text(max_size=60) | st.lists(WORDS, max_size=14).map(" ".join) | st.lists(WORDS, max_size=14).map("".join))
def test_any_text_is_a_selector_or_an_error_with_its_place(text: str) -> None:
    try:
        selector = compile_selector(text)
    except SelectorError as error:
        assert 1 <= error.position <= len(text) + 1 and error.what and error.reason in (2459, 2551)
        return
    assert isinstance(selector, Selector)
    assert selector.matches(Values({})) in (True, False)
    assert selector.matches(Values({"a": 1, "b": "x"})) in (True, False)
