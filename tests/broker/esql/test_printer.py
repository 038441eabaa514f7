"""Canonical ESQL: how trees are printed, and that parsing the printed text gives the tree again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.esql import syntax as s
from flintmq.broker.esql.parser import parse, parse_expression, parse_statements
from flintmq.broker.esql.printer import print_expression, print_file, print_statement

SOURCE = """\
BROKER SCHEMA com.acme
PATH com.log;

DECLARE cache SHARED ROW;

CREATE FUNCTION f(IN a INTEGER, b CHARACTER) RETURNS BOOLEAN
x: BEGIN ATOMIC
    DECLARE EXIT HANDLER FOR SQLSTATE LIKE 'D%'
    BEGIN
        RESIGNAL;
    END;
    IF a = 1 THEN
        SET b = 'two
lines';
    ELSEIF a = 2 THEN
        CASE b
        WHEN 'x' THEN
            LEAVE x;
        ELSE
            PROPAGATE TO TERMINAL 'out1' DELETE NONE;
        END CASE;
    ELSE
        y: WHILE a < 3 DO
            FOR i AS InputRoot.XMLNSC.*[] DO
                ITERATE y;
            END FOR;
        END WHILE y;
    END IF;
    RETURN TRUE;
END x;

CREATE COMPUTE MODULE M
    CREATE PROCEDURE p() LANGUAGE JAVA EXTERNAL NAME "a.b.c";
END MODULE;
"""


def test_canonical_text_is_printed_as_it_is() -> None:
    parsed = parse(SOURCE)
    assert parsed.errors == []
    assert print_file(parsed) == SOURCE


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("not(a)", "NOT a"),
        ("((a + b)) * (c)", "(a + b) * c"),
        ("a+(b||c)", "a + b || c"),
        ("a - (b - c)", "a - (b - c)"),
        ("-(-a)", "-(-a)"),
        ("- 5", "-5"),
        ("(a = b) = (c = d)", "a = b = (c = d)"),
        ("(a AND b) AND c", "(a AND b) AND c"),
        ("a in(b,c)", "a IN (b, c)"),
        ("cast( a as int )", "CAST(a AS INTEGER)"),
        ("trim(both from a)", "TRIM(a)"),
        ("0xff", "0xFF"),
        ("1.50", "1.50"),
        ("1E5", "100000.0E0"),
        ("9223372036854775808", "9223372036854775808"),
        ("x'0a'", "X'0A'"),
        ("select * from a", "(SELECT * FROM a)"),
        ('"a b"."c"', '"a b"."c"'),
        ("(a,b)", "LIST{a, b}"),
    ],
)
def test_expressions_become_canonical(text: str, canonical: str) -> None:
    assert print_expression(parse_expression(text)) == canonical
    assert parse_expression(canonical) == parse_expression(text)


def test_a_name_that_is_no_word_is_quoted_even_if_the_tree_does_not_say_so() -> None:
    path = s.Path(0, 0, [s.PathElement(0, 0, name=s.Name(0, 0, 'Item "No"'))])
    assert print_expression(path) == '"Item ""No"""'


@pytest.mark.parametrize(
    "text",
    [
        "PASSTHRU a VALUES (b);",
        "LOG USER TRACE EXCEPTION VALUES (a);",
        "MOVE a NEXTSIBLING REPEAT TYPE NAME;",
        "CREATE LASTCHILD OF a AS b TYPE Name NAMESPACE c NAME 'd' VALUE 5;",
        "CALL a.b(c) IN Database.d EXTERNAL SCHEMA 'e' INTO f;",
        "x: REPEAT SET a = 1; UNTIL b END REPEAT x;",
    ],
)
def test_printing_is_stable(text: str) -> None:
    (statement,) = parse_statements(text).statements
    printed = print_statement(statement)
    (again,) = parse_statements(printed).statements
    assert again == statement and print_statement(again) == printed


# Random expressions: text by the grammar, with random parentheses.

_names = st.sampled_from(
    ["a", "b.c", "Root.XMLNSC.*:x[<]", "d[]", "ns:e", '"q r".s', "f.{'g' || h}[i + 1]", "(end)", "(select)", "item.x"]
)
_literals = st.sampled_from(
    ["1", "0x1F", "1.50", "2E3", "'it''s'", "X'00FF'", "B'01'", "NULL", "TRUE", "DATE '2024-01-31'"]
)
_OPERATORS = ["+", "-", "*", "/", "||", "=", "<>", "<", ">=", "AND", "OR"]


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return a strategy for texts that hold other expressions."""
    return st.one_of(
        st.tuples(inner, st.sampled_from(_OPERATORS), inner).map(" ".join),
        inner.map("({})".format),
        inner.map("NOT {}".format),
        inner.map("- {}".format),
        st.tuples(inner, st.sampled_from(["IS NULL", "IS NOT -INF", "IN (1, 2)", "NOT LIKE 'x%'"])).map(" ".join),
        st.tuples(inner, inner, inner).map(lambda parts: "({}) BETWEEN ({}) AND ({})".format(*parts)),
        st.tuples(inner, inner).map(lambda parts: "f({}, {})".format(*parts)),
        st.tuples(inner, inner).map(lambda parts: "CASE WHEN {} THEN {} END".format(*parts)),
        st.tuples(inner, inner).map(lambda parts: "THE (SELECT ITEM {} FROM x[] AS T WHERE {})".format(*parts)),
        st.tuples(inner, inner).map(lambda parts: "SUBSTRING({} FROM {})".format(*parts)),
        st.tuples(inner, inner).map(lambda parts: "POSITION(({}) IN {})".format(*parts)),
        inner.map("CAST({} AS DECIMAL(10, 2) DEFAULT 0)".format),
        st.tuples(inner, inner).map(lambda parts: "({} - {}) DAY TO SECOND".format(*parts)),
        st.tuples(inner, inner).map(lambda parts: "ROW({} AS a.b, {})".format(*parts)),
    )


@settings(max_examples=150, deadline=None)
@given(st.recursive(st.one_of(_names, _literals), _compound, max_leaves=12))
def test_any_expression_survives_printing_and_parsing(text: str) -> None:
    tree = parse_expression(text)
    printed = print_expression(tree)
    assert parse_expression(printed) == tree
    assert print_expression(parse_expression(printed)) == printed
