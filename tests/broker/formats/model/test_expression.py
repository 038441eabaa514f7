"""DFDL expressions: values, paths, functions, and what is refused."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.formats.model.expression import (
    Environment,
    NotYet,
    Unsupported,
    compile_expression,
    evaluate,
    text_of,
)
from flintmq.broker.tree.element import Element
from flintmq.broker.values import Date

NAMESPACES = (("ex", "http://example.com"),)


def environment() -> Environment:
    """Return the environment of `order/item[2]` in a small tree."""
    top = Element("order")
    top.add("count", 2)
    top.add("total", Decimal("12.50"))
    first = top.add("item")
    first.add("name", "nut")
    second = top.add("item")
    second.add("name", "bolt")
    env = Environment()
    env.root = top
    env.element = second
    env.occurs_index = 2
    env.variables["{http://example.com}limit"] = 10
    return env


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{ 1 + 2 * 3 }", 7),
        ("{ (1 + 2) * 3 - -1 }", 10),
        ("{ 7 idiv 2 }", 3),
        ("{ 7 mod 2 }", 1),
        ("{ 7 div 2 }", Decimal("3.5")),
        ("{ 'it''s' }", "it's"),
        ("{ ../count }", 2),
        ("{ /order/item[1]/name }", "nut"),
        ("{ ../item[dfdl:occursIndex()]/name }", "bolt"),
        ("{ fn:count(../item) }", 2),
        ("{ fn:count(../nothing) }", 0),
        ("{ fn:exists(../total) and fn:not(fn:exists(../x)) }", True),
        ("{ if (../count gt 1) then 'many' else 'one' }", "many"),
        ("{ fn:concat(./name, '-', xs:string(../total)) }", "bolt-12.5"),
        ("{ fn:substring('abcdef', 2, 3) }", "bcd"),
        ("{ fn:string-length('abc') eq 3 }", True),
        ("{ xs:int('12') + $ex:limit }", 22),
        ("{ xs:date('2024-01-31') eq xs:date('2024-01-31') }", True),
        ("{ fn:year-from-date(xs:date('2024-01-31')) }", 2024),
        ("{ fn:ceiling(1.2) }", Decimal(2)),
        ("{ xs:hexBinary('0aFF') }", b"\x0a\xff"),
        ("{ dfdl:testBit(5, 2) }", True),
        ("{ fn:local-name(..) }", "order"),
        ("{ 1.5e0 * 2 }", 3.0),
    ],
)
def test_an_expression_has_a_value(text: str, value: object) -> None:
    found = evaluate(compile_expression(text, NAMESPACES), environment())
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "{ 1 div 0 }",
        "{ 'a' + 1 }",
        "{ 'a' eq 1 }",
        "{ xs:int('x') }",
        "{ xs:byte(300) }",
        "{ ../../../x }",
        "{ ../item }",
        "{ ../item[9]/name }",
        "{ fn:error('stop') }",
        "{ /invoice/x }",
    ],
)
def test_an_expression_that_cannot_be_evaluated_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        evaluate(compile_expression(text, NAMESPACES), environment())


@pytest.mark.parametrize("text", ["{ ../nothing }", "{ $ex:unset }"])
def test_what_may_come_later_is_not_yet(text: str) -> None:
    with pytest.raises(NotYet):
        evaluate(compile_expression(text, NAMESPACES), environment())


@pytest.mark.parametrize(
    "text", ["", "{}", "{ 1 + }", "{ (1 }", "{ no:prefix }", "{ # }", "{ fn:concat() }", "{ 1", "{ ex:f() }"]
)
def test_a_syntax_error_is_found_when_a_schema_is_loaded(text: str) -> None:
    with pytest.raises(ValueError) as found:
        compile_expression(text, NAMESPACES)
    assert not isinstance(found.value, Unsupported)


@pytest.mark.parametrize(
    "text", ["{ //item }", "{ fn:doc('x') }", "{ ../@a }", "{ (1, 2) }", "{ ancestor::x }", "{ ../* }"]
)
def test_what_is_not_in_the_subset_is_named(text: str) -> None:
    with pytest.raises(Unsupported):
        compile_expression(text, NAMESPACES)


def test_nesting_without_end_is_refused() -> None:
    with pytest.raises(ValueError, match="nested"):
        compile_expression("{" + "(" * 500 + "1" + ")" * 500 + "}")
    with pytest.raises(ValueError, match="nested"):
        compile_expression("{" + "-" * 500 + "1}")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (1.0, "1"),
        (1.5e20, "1.5E20"),
        (float("-inf"), "-INF"),
        (Decimal("1.50"), "1.5"),
        (b"\xab", "AB"),
        (Date(2024, 1, 2), "2024-01-02"),
    ],
)
def test_values_have_the_texts_of_xml_schema(value: object, text: str) -> None:
    assert text_of(value) == text


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "1",
                "'a'",
                "(",
                ")",
                "+",
                "eq",
                "../count",
                "$ex:limit",
                "fn:count(",
                ",",
                "if",
                "then",
                "else",
                "[",
                "]",
                "/",
                ".",
                "-",
            ]
        ),
        max_size=12,
    )
)
def test_any_tokens_are_an_expression_or_a_value_error(tokens: list[str]) -> None:
    try:
        evaluate(compile_expression("{" + " ".join(tokens) + "}", NAMESPACES), environment())
    except ValueError:
        pass
