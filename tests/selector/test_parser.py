"""The grammar: literals, names, precedence, errors with their places, limits."""

from __future__ import annotations

import pytest

from flintmq.selector import SelectorError, Value, Values, compile_selector
from flintmq.selector.parser import NESTING_MAX


def literal(text: str) -> Value:
    """The value that a literal stands for, seen through the equality it makes."""
    equality = compile_selector(f"a = {text}").equality()
    assert equality is not None and equality[0] == "a"
    return equality[1]


def failure(text: str) -> SelectorError:
    with pytest.raises(SelectorError) as caught:
        compile_selector(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("57", 57), ("-957", -957), ("0", 0), ("57L", 57), ("57l", 57), ("0x1F", 31), ("0XaL", 10), ("0177", 127),
        ("00", 0), ("9223372036854775807", 2**63 - 1), ("-9223372036854775808", -(2**63)), ("- 5", -5),
        ("0x7FFFFFFFFFFFFFFF", 2**63 - 1), ("0777777777777777777777", 2**63 - 1),
    ],
)  # fmt: skip
def test_exact_numbers(text: str, value: int) -> None:
    found = literal(text)
    assert found == value and type(found) is int


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7E3", 7000.0), ("57.9E2", 5790.0), ("57.", 57.0), (".5", 0.5), ("6.2f", 6.2), ("6D", 6.0), ("1e-3", 0.001),
        ("09.5", 9.5), ("1.7E+308", 1.7e308),
    ],
)  # fmt: skip
def test_approximate_numbers(text: str, value: float) -> None:
    found = literal(text)
    assert found == value and type(found) is float


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("'text'", "text"), ("'it''s'", "it's"), ("''", ""), ("''''", "'"), ("'a\nb'", "a\nb"),
        ("'größe 😀'", "größe 😀"), ("'\"'", '"'), ("TRUE", True), ("false", False),
        ('"0x0AFC23"', b"\x0a\xfc\x23"), ('"0Xff"', b"\xff"),
    ],
)  # fmt: skip
def test_other_literals(text: str, value: Value) -> None:
    found = literal(text)
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "position", "what"),
    [
        ("a = 9223372036854775808", 5, "at most 9223372036854775807"),
        ("a = -9223372036854775809", 6, "at most"),
        ("a = 0x8000000000000000", 5, "at most"),
        ("a = " + "9" * 5000, 5, "at most"),
        ("a = 1E999", 5, "1.797693134862315E+308"),
        ("a = 09", 5, "octal"),
        ("a = 0x", 5, "hexadecimal"),
        ("a = 3pi", 6, "behind a number"),
        ("a = 3.5.1", 8, "behind a number"),
        ("a = 1e", 6, "exponent"),
        ('a = "text"', 5, "single quotes"),
        ('a = "0xABC"', 5, "pairs"),
        ('a = "0x"', 5, "pairs"),
        ('a = "0xFF', 5, "no end"),
        ("a = 'text", 5, "no end"),
        ("a == 1", 4, "expected a name or a value, found ="),
        ("a != 1", 3, "<>"),
        ("a && b", 3, "unexpected character '&'"),
        ("a = 1 b", 7, "expected AND, OR or the end, found b"),
        ("a =", 4, "found the end"),
        ("a = b = c", 7, "expected AND, OR or the end"),
        ("NOT a = 1 = 2", 11, "expected AND, OR or the end"),
        ("20 < b < 30", 8, "expected AND, OR or the end"),
        ("(20 < b) < 30", 1, "neither less nor greater"),
        ("a BETWEEN TRUE AND 3", 11, "neither less nor greater"),
        ("a = NOT b", 5, "found NOT"),
        ("a + NOT b = 1", 5, "found NOT"),
        ("'a' + 1 = 2", 1, "expected a number, found a string"),
        ("1 + 'a' = 2", 5, "expected a number, found a string"),
        ('1 * "0x0A" = 2', 5, "found a byte string"),
        ("-TRUE = 1", 2, "expected a number, found a condition"),
        ("NOT 5", 5, "expected a condition, found a number"),
        ("'a'", 1, "expected a condition, found a string"),
        ("5 OR a", 1, "expected a condition"),
        ("a AND 5", 7, "expected a condition"),
        ("5 LIKE 'a'", 1, "expected a string"),
        ("a LIKE b", 8, "expected a string, found b"),
        ("a LIKE 'x!' ESCAPE '!'", 8, "ends in its escape"),
        ("a LIKE 'x' ESCAPE ''", 19, "one character"),
        ("a IN ()", 7, "expected a name or a value"),
        ("a IN ('x' 'y')", 11, "expected , or )"),
        ("a IN 'x'", 6, "expected (, found 'x'"),
        ("a IS 5", 6, "expected NULL, found 5"),
        ("a IS NOT b", 10, "expected NULL"),
        ("a NOT = 5", 7, "expected BETWEEN, IN or LIKE"),
        ("(a = 1", 7, "expected an operator or ), found the end"),
        ("a = 1)", 6, "found )"),
        ("a. = 1", 2, "unexpected character '.'"),
        ("a = 😀", 5, "unexpected character"),
        ("Root.MQMD.Colour = 1", 1, "no field Root.MQMD.Colour"),
        ("Root.MQMD.StrucId = 'MD'", 1, "no field"),
        ("   ", 4, "found the end"),
    ],
)  # fmt: skip
def test_a_syntax_error_names_its_place_and_what_was_expected(text: str, position: int, what: str) -> None:
    error = failure(text)
    assert error.position == position and what in error.what and error.reason == 2459
    assert str(error) == f"selection string, position {position}: {error.what} [MQRC_SELECTOR_SYNTAX_ERROR 2459]"


def test_content_of_the_message_is_not_available() -> None:
    """Body and Root.<parser> are MQ's extended selectors, for which MQ needs a provider: 2551."""
    for text in ("Body.order.id = 5", "a = 1 OR Root.XMLNSC.order.id = 5"):
        assert failure(text).reason == 2551
    assert failure("a = 1 OR Root.XMLNSC.order.id = 5").position == 10


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("color = 1", ["color"]),
        ("usr.color = 1 AND color = 2", ["color"]),
        ("Root.MQRFH2.usr.color = 1", ["color"]),
        ("Root.MQRFH2.shop.size = shop.size", ["shop.size"]),
        ("Root.MQMD.Priority > JMSPriority", ["Root.MQMD.Priority", "JMSPriority"]),
        ("Color = color", ["Color", "color"]),
        ("_x$1 = größe AND nullable", ["_x$1", "größe", "nullable"]),
        ("a.or = b", ["a.or", "b"]),
        ("TRUE", []),
    ],
)
def test_names_are_given_as_a_source_is_asked_for_them(text: str, names: list[str]) -> None:
    assert compile_selector(text).names() == names


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a OR b AND c", "a OR (b AND c)"),
        ("NOT a AND b", "(NOT a) AND b"),
        ("NOT x = 1 OR b", "(NOT (x = 1)) OR b"),
        ("NOT NOT a", "a"),
        ("x + y * 2 = 8", "(x + (y * 2)) = 8"),
        ("x - y - 1 = z", "((x - y) - 1) = z"),
        ("x / y / 2 = z", "((x / y) / 2) = z"),
        ("x - (y - 1) = z", "x - y + 1 = z"),
        ("-x + y = z", "(-x) + y = z"),
        ("x BETWEEN 1 AND 2 AND a", "(x BETWEEN 1 AND 2) AND a"),
        ("x NOT IN (1, 2)", "NOT x IN (1, 2)"),
        ("x > y", "y < x"),
        ("x >= y", "y <= x"),
        ("x\t=\r\n1\f", "x=1"),
        ("a Or B oR c", "a OR B OR c"),
    ],
)
def test_precedence_and_order(text: str, same: str) -> None:
    """Both spellings agree for a good many values."""
    one, other = compile_selector(text), compile_selector(same)
    for x in (None, 0, 1, 2, 3, -4, 7.5, "s"):
        for y in (None, 0, 1, 2, 5):
            for flags in range(8):
                values: dict[str, Value] = {"x": x, "y": y, "z": 1}
                values |= {"a": bool(flags & 1), "b": bool(flags & 2), "c": bool(flags & 4) or None}
                assert one.matches(Values(values)) == other.matches(Values(values)), values


def test_limits() -> None:
    """10,240 characters, 100 levels; long chains are not deep."""
    assert failure("a" * 10_241).reason == 2519 and failure("a" * 10_241).position == 10_241
    assert compile_selector("a" * 10_240).names() == ["a" * 10_240]
    assert compile_selector("(" * NESTING_MAX + "TRUE" + ")" * NESTING_MAX).matches(Values({}))
    for deep in ("(" * 5000, "NOT " * 2000 + "TRUE", "-" * 5000 + "a = 1", "NOT (" * 1500):
        assert "100 levels" in failure(deep).what
    assert compile_selector(" OR ".join(["a"] * 2000)).matches(Values({"a": True}))
    assert compile_selector("+".join(["1"] * 5000) + " = 5000").matches(Values({}))
    assert compile_selector("*".join(["1"] * 5000) + " = 1").matches(Values({}))


def test_a_pattern_of_many_wildcards_costs_no_more_than_length_times_length() -> None:
    """A pattern that makes a backtracking matcher run for ever."""
    text = "a" * 5000
    assert not compile_selector(f"a LIKE '{'%a' * 1000}%b'").matches(Values({"a": text}))
    assert compile_selector(f"a LIKE '{'%a_' * 1000}%'").matches(Values({"a": text}))
