"""Expressions and paths: precedence, literals, functions with syntax of their own, names that look like keywords."""

from __future__ import annotations

from decimal import Decimal

import pytest

from flintmq.broker.esql import syntax as s
from flintmq.broker.esql.errors import EsqlSyntaxError
from flintmq.broker.esql.parser import parse_expression, parse_path
from flintmq.broker.esql.parser_core import DEPTH_MAX, NESTING_MAX
from flintmq.broker.esql.printer import print_expression


def name(text: str, quoted: bool = False) -> s.Name:
    return s.Name(0, 0, text, quoted)


def variable(text: str) -> s.Path:
    return s.Path(0, 0, [s.PathElement(0, 0, None, None, name(text))])


def integer(value: int) -> s.Literal:
    return s.Literal(0, 0, "INTEGER", value)


def character(value: str) -> s.Literal:
    return s.Literal(0, 0, "CHARACTER", value)


A, B, C = variable("a"), variable("b"), variable("c")


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("a + b * c", "a + (b * c)"),
        ("a + b || c", "a + (b || c)"),
        ("a || b - c", "(a || b) - c"),
        ("a || b * c", "a || (b * c)"),
        ("a - b - c", "(a - b) - c"),
        ("a / b * c", "(a / b) * c"),
        ("-a * b", "(-a) * b"),
        ("NOT a = b", "(NOT a) = b"),
        ("NOT a AND b", "(NOT a) AND b"),
        ("NOT a IS NULL", "(NOT a) IS NULL"),
        ("a OR b AND c", "a OR (b AND c)"),
        ("a = b AND c < d OR e", "((a = b) AND (c < d)) OR e"),
        ("a + b = c || d", "(a + b) = (c || d)"),
        ("a || b LIKE c || d", "(a || b) LIKE (c || d)"),
        ("a BETWEEN b AND c AND d", "(a BETWEEN b AND c) AND d"),
        ("a + b IN (c)", "(a + b) IN (c)"),
        ("a IS NOT NULL = b", "(a IS NOT NULL) = b"),
        ("a = b = c", "(a = b) = c"),
        ("NOT NOT a", "NOT (NOT a)"),
        ("- - a", "-(-a)"),
    ],
)
def test_operators_bind_as_the_language_says(text: str, meaning: str) -> None:
    """MF 2.3: || binds tighter than + and -, NOT is as tight as a sign."""
    assert parse_expression(text) == parse_expression(meaning)
    assert parse_expression(print_expression(parse_expression(text))) == parse_expression(meaning)


def test_or_and_and_concatenation_have_any_number_of_operands() -> None:
    assert parse_expression("a || b || c") == s.Concatenation(0, 0, [A, B, C])
    assert parse_expression("a AND b AND c") == s.And(0, 0, [A, B, C])
    assert parse_expression("a OR b OR c") == s.Or(0, 0, [A, B, C])
    assert parse_expression("a || (b || c)") == s.Concatenation(0, 0, [A, s.Concatenation(0, 0, [B, C])])
    long = parse_expression(" || ".join(["'x'"] * 5000))
    assert isinstance(long, s.Concatenation) and len(long.operands) == 5000


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("NULL", "NULL", None),
        ("unknown", "UNKNOWN", None),
        ("True", "BOOLEAN", True),
        ("FALSE", "BOOLEAN", False),
        ("12", "INTEGER", 12),
        ("0x10", "INTEGER", 16),
        ("-9223372036854775808", "INTEGER", -(2**63)),
        ("9223372036854775808", "DECIMAL", Decimal(2**63)),
        ("1.5", "DECIMAL", Decimal("1.5")),
        ("1E2", "FLOAT", 100.0),
        ("'x'", "CHARACTER", "x"),
        ("X'00'", "BLOB", b"\x00"),
        ("B'01'", "BIT", "01"),
        ("DATE '2024-01-31'", "DATE", "2024-01-31"),
        ("time'23:59:59.123'", "TIME", "23:59:59.123"),
        ("GMTTIME '00:00:00'", "GMTTIME", "00:00:00"),
        ("TIMESTAMP '2024-01-31 23:59:59'", "TIMESTAMP", "2024-01-31 23:59:59"),
        ("GMTTIMESTAMP '2024-01-31 23:59:59'", "GMTTIMESTAMP", "2024-01-31 23:59:59"),
    ],
)
def test_literals(text: str, kind: str, value: s.LiteralValue) -> None:
    node = parse_expression(text)
    assert node == s.Literal(0, 0, kind, value)
    assert type(node) is s.Literal and type(node.value) is type(value)
    assert parse_expression(print_expression(node)) == node


def test_interval_literals_have_a_qualifier() -> None:
    assert parse_expression("INTERVAL '1-6' year to month") == s.IntervalLiteral(0, 0, "1-6", "YEAR TO MONTH")
    assert parse_expression("INTERVAL -'5' DAY") == s.IntervalLiteral(0, 0, "5", "DAY", True)
    with pytest.raises(EsqlSyntaxError, match="found MONTH TO DAY; expected YEAR TO MONTH"):
        parse_expression("INTERVAL '1' MONTH TO DAY")


def test_a_difference_may_carry_an_interval_qualifier() -> None:
    minus = s.BinaryOperation(0, 0, "-", A, B)
    assert parse_expression("(a - b) SECOND") == s.IntervalExpression(0, 0, minus, "SECOND")
    assert parse_expression("CAST((a - b) DAY TO HOUR AS CHARACTER)") == s.Cast(
        0, 0, [s.IntervalExpression(0, 0, minus, "DAY TO HOUR")], s.DataType(0, 0, "CHARACTER")
    )


# Paths.


def element(path: str) -> s.PathElement:
    """Return the second element of `x.<path>`."""
    first, second = parse_path("x." + path).elements
    assert first.plain == name("x")
    return second


TYPE = s.Path(0, 0, [s.PathElement(0, 0, name=name("XMLNSC")), s.PathElement(0, 0, name=name("Attribute"))])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", s.PathElement(0, 0, name=name("a"))),
        ('"Item-No"', s.PathElement(0, 0, name=name("Item-No", True))),
        ("ns:a", s.PathElement(0, 0, namespace=name("ns"), name=name("a"))),
        ("*:a", s.PathElement(0, 0, namespace=s.AnyName(0, 0), name=name("a"))),
        (":a", s.PathElement(0, 0, namespace=s.NoNamespace(0, 0), name=name("a"))),
        ("*:*", s.PathElement(0, 0, namespace=s.AnyName(0, 0), name=s.AnyName(0, 0))),
        ("*", s.PathElement(0, 0, name=s.AnyName(0, 0))),
        ("{}", s.PathElement(0, 0, name=s.AnyName(0, 0))),
        ("{b}", s.PathElement(0, 0, name=s.ComputedName(0, 0, B))),
        ("{b}:{c}", s.PathElement(0, 0, namespace=s.ComputedName(0, 0, B), name=s.ComputedName(0, 0, C))),
        ("ns:{c}", s.PathElement(0, 0, namespace=name("ns"), name=s.ComputedName(0, 0, C))),
        ("(XMLNSC.Attribute)a", s.PathElement(0, 0, type=TYPE, name=name("a"))),
        ("(XMLNSC.Attribute)ns:a", s.PathElement(0, 0, type=TYPE, namespace=name("ns"), name=name("a"))),
        ("(XMLNSC.Attribute)*[]", s.PathElement(0, 0, TYPE, None, s.AnyName(0, 0), s.Index(0, 0, "ALL"))),
        ("(XMLNSC.Attribute)[1]", s.PathElement(0, 0, TYPE, None, None, s.Index(0, 0, "AT", integer(1)))),
        ("(XMLNSC.Attribute)", s.PathElement(0, 0, type=TYPE)),
        ("[<]", s.PathElement(0, 0, index=s.Index(0, 0, "LAST"))),
        ("[ < ]", s.PathElement(0, 0, index=s.Index(0, 0, "LAST"))),
        ("a[]", s.PathElement(0, 0, name=name("a"), index=s.Index(0, 0, "ALL"))),
        ("a[3]", s.PathElement(0, 0, name=name("a"), index=s.Index(0, 0, "AT", integer(3)))),
        ("a[>]", s.PathElement(0, 0, name=name("a"), index=s.Index(0, 0, "FIRST"))),
        ("a[>2]", s.PathElement(0, 0, name=name("a"), index=s.Index(0, 0, "FIRST", integer(2)))),
        ("a[<2]", s.PathElement(0, 0, name=name("a"), index=s.Index(0, 0, "LAST", integer(2)))),
        (
            "a[b + c]",
            s.PathElement(0, 0, name=name("a"), index=s.Index(0, 0, "AT", s.BinaryOperation(0, 0, "+", B, C))),
        ),
    ],
)
def test_every_form_of_a_path_element(text: str, expected: s.PathElement) -> None:
    assert element(text) == expected
    assert print_expression(s.Path(0, 0, [s.PathElement(0, 0, name=name("x")), expected])) in (
        f"x.{text}",
        f"x.{text}".replace(" ", "").replace("{}", "*"),
    )


@pytest.mark.parametrize("word", "Date Handler Type Value Name Order END IF NOT CASE from SELECT null".split())
def test_any_word_can_name_a_path_element(word: str) -> None:
    assert parse_path(f"Root.{word}.x").elements[1].plain == name(word)
    assert parse_expression(f"Root.{word} = 1") == s.BinaryOperation(
        0,
        0,
        "=",
        s.Path(0, 0, [s.PathElement(0, 0, name=name("Root")), s.PathElement(0, 0, name=name(word))]),
        integer(1),
    )


@pytest.mark.parametrize("word", "check query result source message date time item end set values row list the".split())
def test_most_words_can_be_variables(word: str) -> None:
    for text in (f"{word} + 1", f"({word})", f"{word} || 'x'", f"UPPER({word})"):
        node = parse_expression(text)
        assert f"text='{word}'" in repr(node)
    assert parse_expression(f"{word}.a[1]") == parse_path(f"{word}.a[1]")


def test_a_path_tells_whether_it_is_a_variable_or_a_list() -> None:
    assert parse_path("a").identifier == name("a")
    assert parse_path("a.b").identifier is None
    assert parse_path("a[1]").identifier is None
    assert parse_path("a.b[]").is_list and not parse_path("a.b").is_list


@pytest.mark.parametrize("text", ["", "a.", "a..b", "a.b[", "a b", "a.{", "ns:", "a.ns:", "a.()b", "'a'", "a[1", "1"])
def test_what_is_no_path_raises(text: str) -> None:
    with pytest.raises(EsqlSyntaxError):
        parse_path(text)


# Predicates.


def test_predicates() -> None:
    assert parse_expression("a NOT BETWEEN SYMMETRIC b AND c") == s.Between(0, 0, A, B, C, True, True)
    assert parse_expression("a BETWEEN ASYMMETRIC b AND c") == s.Between(0, 0, A, B, C)
    assert parse_expression("a LIKE b ESCAPE c") == s.Like(0, 0, A, B, C)
    assert parse_expression("a NOT LIKE b") == s.Like(0, 0, A, B, None, True)
    assert parse_expression("a IN (b, c)") == s.In(0, 0, A, [B, C])
    assert parse_expression("a NOT IN (b)") == s.In(0, 0, A, [B], True)
    assert parse_expression("a IN x.y[]") == s.In(0, 0, A, [parse_path("x.y[]")])
    assert parse_expression("a > ANY (b, c)") == s.QuantifiedComparison(0, 0, ">", A, "ANY", [B, C])
    assert parse_expression("a = all(x[])") == s.QuantifiedComparison(0, 0, "=", A, "ALL", [parse_path("x[]")])
    subselect = parse_expression("a IN (SELECT ITEM T FROM b[] AS T)")
    assert isinstance(subselect, s.In) and isinstance(subselect.items[0], s.Select)


@pytest.mark.parametrize("test", ["NULL", "TRUE", "FALSE", "UNKNOWN", "INF", "+INF", "-INF", "NAN", "NUM"])
def test_is_tests_what_the_language_lists(test: str) -> None:
    assert parse_expression(f"a IS {test}") == s.Is(0, 0, A, test)
    assert parse_expression(f"a is not {test.lower()}") == s.Is(0, 0, A, test, True)


def test_synonyms_of_is_tests() -> None:
    assert parse_expression("a IS -INFINITY") == s.Is(0, 0, A, "-INF")
    assert parse_expression("a IS NUMBER") == s.Is(0, 0, A, "NUM")


# Functions.


def test_calls_with_and_without_schema_and_parentheses() -> None:
    assert parse_expression("f()") == s.FunctionCall(0, 0, [], name("f"), [])
    assert parse_expression("com.acme.f(a, b)") == s.FunctionCall(0, 0, [name("com"), name("acme")], name("f"), [A, B])
    for word in ("CURRENT_TIMESTAMP", "UuidAsChar", "LOCAL_TIMEZONE", "SQLCODE"):
        assert parse_expression(word) == s.FunctionCall(0, 0, [], name(word), [], False)
    assert parse_expression("UUIDASCHAR(a)") == s.FunctionCall(0, 0, [], name("UUIDASCHAR"), [A])
    assert parse_expression("UUID") == variable("UUID")
    assert parse_expression("CARDINALITY(x.y[])") == s.FunctionCall(
        0, 0, [], name("CARDINALITY"), [parse_path("x.y[]")]
    )


def test_cast_takes_its_clauses_in_any_order() -> None:
    assert parse_expression("CAST(a, b, c AS DATE)") == s.Cast(0, 0, [A, B, C], s.DataType(0, 0, "DATE"))
    assert parse_expression("cast(a as decimal(10, 2) default 0 format 'x' encoding b ccsid 1208)") == s.Cast(
        0, 0, [A], s.DataType(0, 0, "DECIMAL", 10, 2), integer(1208), B, character("x"), integer(0)
    )
    assert parse_expression("CAST(7 AS INTERVAL DAY)") == s.Cast(
        0, 0, [integer(7)], s.DataType(0, 0, "INTERVAL", qualifier="DAY")
    )


def test_string_functions_with_syntax_of_their_own() -> None:
    assert parse_expression("TRIM(a)") == s.Trim(0, 0, "BOTH", None, A)
    assert parse_expression("TRIM(LEADING '0' FROM a)") == s.Trim(0, 0, "LEADING", character("0"), A)
    assert parse_expression("TRIM(TRAILING FROM a)") == s.Trim(0, 0, "TRAILING", None, A)
    assert parse_expression("TRIM('0' FROM a)") == s.Trim(0, 0, "BOTH", character("0"), A)
    assert parse_expression("SUBSTRING(a FROM b FOR c)") == s.Substring(0, 0, A, "FROM", B, C)
    assert parse_expression("SUBSTRING(a BEFORE b)") == s.Substring(0, 0, A, "BEFORE", B)
    assert parse_expression("SUBSTRING(a AFTER b)") == s.Substring(0, 0, A, "AFTER", B)
    assert parse_expression("OVERLAY(a PLACING b FROM 1 FOR c)") == s.Overlay(0, 0, A, B, integer(1), C)
    assert parse_expression("POSITION(a IN b FROM c REPEAT 2)") == s.Position(0, 0, A, B, C, integer(2))
    assert parse_expression("POSITION(a || b IN c)") == s.Position(0, 0, s.Concatenation(0, 0, [A, B]), C)


def test_other_functions_with_syntax_of_their_own() -> None:
    assert parse_expression("EXTRACT(DAYOFWEEK FROM a)") == s.Extract(0, 0, "DAYOFWEEK", A)
    assert parse_expression("ROUND(a, 2)") == s.Round(0, 0, A, integer(2))
    assert parse_expression("ROUND(a, b MODE ROUND_HALF_UP)") == s.Round(0, 0, A, B, "ROUND_HALF_UP")
    assert parse_expression("ROW(a, b AS x.(XML.attr)y)") == s.RowConstructor(
        0, 0, [s.RowField(0, 0, A), s.RowField(0, 0, B, parse_path("x.(XML.attr)y"))]
    )
    assert parse_expression("LIST{a, b}") == s.ListConstructor(0, 0, [A, B])
    assert parse_expression("(a, b)") == s.ListConstructor(0, 0, [A, B])
    assert parse_expression("FOR ALL x.y[] AS I (I.q <= 50)") == s.ForFunction(
        0, 0, "ALL", parse_path("x.y[]"), name("I"), parse_expression("I.q <= 50")
    )


def test_case_expressions() -> None:
    when = s.WhenExpression(0, 0, B, C)
    assert parse_expression("CASE a WHEN b THEN c END") == s.CaseExpression(0, 0, A, [when])
    assert parse_expression("CASE WHEN b THEN c WHEN b THEN c ELSE a END") == s.CaseExpression(
        0, 0, None, [when, when], A
    )


def test_bit_stream_options_by_keyword_and_by_position() -> None:
    by_keyword = parse_expression("ASBITSTREAM(a OPTIONS FolderBitStream CCSID 1208 ENCODING b)")
    options = s.ParseOptions(0, 0, encoding=B, ccsid=integer(1208), options=variable("FolderBitStream"))
    assert by_keyword == s.AsBitStream(0, 0, A, options)
    assert parse_expression("ASBITSTREAM(a, b, 1208,,,, FolderBitStream)") == by_keyword
    names = s.ParseOptions(
        0, 0, *[variable(word) for word in ("encoding", "ccsid", "set", "type", "format", "options")]
    )
    assert parse_expression("ASBITSTREAM(a, encoding, ccsid, set, type, format, options)") == s.AsBitStream(
        0, 0, A, names
    )
    assert parse_expression(
        "ASBITSTREAM(a ENCODING encoding CCSID ccsid SET set TYPE type FORMAT format OPTIONS options)"
    ) == s.AsBitStream(0, 0, A, names)


def test_passthru_as_a_function() -> None:
    assert parse_expression("PASSTHRU('x', a, b)") == s.Passthru(0, 0, character("x"), None, [A, B])
    assert parse_expression("PASSTHRU('x' TO Database.{c} VALUES (a))") == s.Passthru(
        0, 0, character("x"), parse_path("Database.{c}"), [A]
    )
    assert parse_expression("PASSTHRU(a)") == s.Passthru(0, 0, A)


def test_context_functions_and_paths_from_their_result() -> None:
    assert parse_expression("CONTEXTREFERENCE(a)") == s.ContextReference(0, 0, "CONTEXTREFERENCE", A)
    assert parse_expression("CONTEXTREFERENCE(NODENAME a LEVELNAME b PAYLOAD)") == s.ContextReference(
        0, 0, "CONTEXTREFERENCE", A, B, "PAYLOAD"
    )
    assert parse_expression("CONTEXTINVOCATIONNODE().NodeType") == s.FunctionPath(
        0, 0, s.ContextReference(0, 0, "CONTEXTINVOCATIONNODE"), [s.PathElement(0, 0, name=name("NodeType"))]
    )


# SELECT.


def select(text: str) -> s.Select:
    node = parse_expression(text)
    assert isinstance(node, s.Select)
    return node


def test_select_with_columns_names_and_conditions() -> None:
    node = select("(SELECT T.a, T.b AS Amount.(XML.Attribute)Currency, T.c INSERT, * FROM x.y[] AS T, z WHERE T.a = b)")
    assert node == s.Select(
        0,
        0,
        [
            s.SelectColumn(0, 0, parse_path("T.a")),
            s.SelectColumn(0, 0, parse_path("T.b"), parse_path("Amount.(XML.Attribute)Currency")),
            s.SelectColumn(0, 0, parse_path("T.c"), insert=True),
            s.SelectColumn(0, 0, None),
        ],
        None,
        [s.SelectSource(0, 0, parse_path("x.y[]"), name("T")), s.SelectSource(0, 0, variable("z"))],
        parse_expression("T.a = b"),
    )
    assert select("SELECT * FROM Database.{dsn}.S.T AS T").columns == [s.SelectColumn(0, 0, None)]


def test_select_item_and_aggregates() -> None:
    assert select("SELECT ITEM T.a FROM b[] AS T").item == parse_path("T.a")
    assert select("SELECT item.a FROM b[] AS item").item is None
    assert select("SELECT COUNT(*) FROM b[]").columns == [s.SelectColumn(0, 0, s.Aggregate(0, 0, "COUNT", None))]
    assert select("SELECT max(T.a) FROM b[] AS T").columns == [
        s.SelectColumn(0, 0, s.Aggregate(0, 0, "MAX", parse_path("T.a")))
    ]
    assert select("SELECT ITEM MAX(T.a) FROM b[] AS T") == select("SELECT MAX(T.a) FROM b[] AS T")
    assert parse_expression("MAX(a, b)") == s.FunctionCall(0, 0, [], name("MAX"), [A, B])


def test_select_inside_the_and_inside_select() -> None:
    the = parse_expression("THE (SELECT ITEM T.a FROM b[] AS T).x")
    assert isinstance(the, s.FunctionPath) and isinstance(the.source, s.FunctionCall)
    nested = select("SELECT T.a, (SELECT U.b FROM T.c[] AS U) AS rows[] FROM b[] AS T")
    assert isinstance(nested.columns[1].expression, s.Select)
    assert nested.columns[1].name is not None and nested.columns[1].name.is_list


# Errors and limits.


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", (1, 1), "found the end of the text; expected an expression"),
        ("a +", (1, 4), "found the end of the text; expected an expression"),
        ("a + * b", (1, 5), "found *; expected an expression"),
        ("(a", (1, 3), "found the end of the text; expected , or )"),
        ("f(a b)", (1, 5), "found b; expected , or )"),
        ("a b", (1, 3), "found b; expected an operator or the end of the expression"),
        ("CASE a END", (1, 8), "found END; expected WHEN of the CASE expression"),
        ("CASE WHEN a THEN b", (1, 19), "found the end of the text; expected WHEN, ELSE or END of the CASE expression"),
        ("CAST(a AS STRING)", (1, 11), "found STRING; expected a data type after AS"),
        ("CAST(a AS DECIMAL(2.5))", (1, 19), "found 2.5; expected the precision, an integer"),
        ("a IS 5", (1, 6), "found 5; expected NULL, TRUE, FALSE, UNKNOWN, INF, NAN or NUM after IS"),
        ("a IS -NULL", (1, 7), "found NULL; expected INF"),
        ("a NOT b", (1, 7), "found b; expected IN, LIKE or BETWEEN after NOT"),
        ("a BETWEEN b OR c", (1, 13), "found OR; expected AND of BETWEEN"),
        ("EXTRACT(CENTURY FROM a)", (1, 9), "found CENTURY; expected a field for EXTRACT such as YEAR or DAYOFWEEK"),
        ("SUBSTRING(a, 1, 2)", (1, 12), "found ,; expected FROM, BEFORE or AFTER of SUBSTRING"),
        ("ROUND(a, 1 MODE UP)", (1, 17), "found UP; expected a rounding mode such as ROUND_HALF_UP"),
        ("SELECT a WHERE b", (1, 10), "found WHERE; expected FROM of the SELECT"),
        ("ASBITSTREAM(a FOO b)", (1, 15), "found FOO; expected ENCODING, CCSID, SET, TYPE, FORMAT, OPTIONS or )"),
        ("a = WHEN b", (1, 5), "found WHEN; expected an expression"),
        ("a = 'x\n", (1, 5), "found a string without end; expected ' to end the string"),
        ("'" + "x" * 90 + "' 5", (1, 94), "found 5; expected an operator or the end of the expression"),
    ],
)
def test_an_error_names_its_place_what_was_found_and_what_was_expected(
    text: str, place: tuple[int, int], message: str
) -> None:
    with pytest.raises(EsqlSyntaxError) as caught:
        parse_expression(text)
    error = caught.value
    assert ((error.line, error.column), error.message, error.number) == (place, message, 2401)


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("(", ")"),
        ("f(", ")"),
        ("NOT ", ""),
        ("- ", ""),
        ("a[", "]"),
        ("a.{", "}"),
        ("a.(", ")b"),
        ("CASE WHEN ", " THEN 1 END"),
        ("(SELECT ITEM ", " FROM b)"),
        ("TRIM(", ")"),
        ("POSITION(", " IN a)"),
        ("a OR b AND c = d + e || f * (", ")"),
        ("ROW(a OR b AND c LIKE d - e || f / -", ")"),
        ("LIST{", "}"),
    ],
)
def test_nesting_is_limited_and_no_stack_overflows(opening: str, closing: str) -> None:
    for depth in (NESTING_MAX + 1, 2_000):
        with pytest.raises(EsqlSyntaxError, match=f"nested more than {NESTING_MAX} levels deep"):
            parse_expression(opening * depth + "x" + closing * depth)
    shallow = opening * 10 + "x" + closing * 10
    assert print_expression(parse_expression(shallow))


def test_a_chain_of_operators_is_limited_because_its_tree_is_deep() -> None:
    chain = parse_expression(" + ".join(["a"] * (DEPTH_MAX - 5)))
    assert parse_expression(print_expression(chain)) == chain
    with pytest.raises(EsqlSyntaxError, match="levels of operators; use variables"):
        parse_expression(" + ".join(["a"] * 10_000))


def test_a_semicolon_may_follow_an_expression() -> None:
    """A V2.1 Filter keeps its expression with or without one."""
    assert parse_expression("a = b;") == parse_expression("a = b")


def test_nodes_know_their_line_and_column() -> None:
    node = parse_expression("a =\n  f(b,\n    c)")
    assert isinstance(node, s.BinaryOperation) and isinstance(node.right, s.FunctionCall)
    assert [(n.line, n.column) for n in (node, node.right, *node.right.arguments)] == [(1, 1), (2, 3), (2, 5), (3, 5)]
