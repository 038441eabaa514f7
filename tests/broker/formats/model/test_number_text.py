"""Number patterns: reading, writing, and what is refused."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.formats.model.number_text import NumberPattern, format_base, parse_base


@pytest.mark.parametrize(
    ("pattern", "value", "text"),
    [
        ("#,##0.00;(#)", "1234.5", "1,234.50"),
        ("#,##0.00;(#)", "-1234.5", "(1,234.50)"),
        ("##0V00", "12.34", "1234"),
        ("PP000", "0.00123", "123"),
        ("000PP", "12300", "123"),
        ("0.###E+00", "12345", "1.234E+04"),
        ("##0.##E0", "12345", "12.3E3"),
        ("@@@", "1234.5", "1230"),
        ("*x#,##0", "12", "xxx12"),
        ("'$'#0.00", "-3", "-$3.00"),
        ("#", "0", "0"),
        ("#.##", "0.125", "0.12"),
        ("#,##,##0", "1234567", "12,34,567"),
        ("## o''clock", "7", "7 o'clock"),
        ("0000", "42", "0042"),
    ],
)
def test_a_pattern_writes_a_value(pattern: str, value: str, text: str) -> None:
    assert NumberPattern(pattern).format(Decimal(value)) == text


@pytest.mark.parametrize(
    ("pattern", "text", "value"),
    [
        ("#,##0.00;(#)", "(1,234.50)", "-1234.50"),
        ("##0V00", "1234", "12.34"),
        ("000PP", "123", "12300"),
        ("#,##0", " 1,2,34 ", "1234"),
        ("#0", "+5", "5"),
        ("#0.0", "9 99", "999"),
        ("'E'#;-#", "E5", "5"),
        ("0.0E0", "1.5E-3", "0.0015"),
    ],
)
def test_lax_reading_accepts_what_icu_does(pattern: str, text: str, value: str) -> None:
    assert NumberPattern(pattern).parse(text) == Decimal(value)


@pytest.mark.parametrize(
    ("pattern", "text"), [("#,##0", "1,2,34"), ("#0", "1.5"), ("'$'#0", "5"), ("0.00", "5"), ("#0", " 5")]
)
def test_strict_reading_refuses_what_the_pattern_does_not_say(pattern: str, text: str) -> None:
    with pytest.raises(ValueError):
        NumberPattern(pattern, lax=False).parse(text)


@pytest.mark.parametrize("text", ["", "-", "abc", "1,,2", "1.2.3", "1e", "--1", "1" * 3000])
def test_what_is_no_number_is_an_error(text: str) -> None:
    with pytest.raises(ValueError):
        NumberPattern("#,##0.###").parse(text)


@pytest.mark.parametrize("pattern", ["", "0#", "0.#0", "#.#.#", "0V0V0", "0P0", "#'", "*", "@0", "#,##0E0"])
def test_a_malformed_pattern_is_an_error(pattern: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        NumberPattern(pattern)


def test_not_a_number_infinity_and_zero_have_their_texts() -> None:
    pattern = NumberPattern("#0", infinity="INF", nan="NAN", zero=("nil",))
    assert pattern.parse("-INF") == Decimal("-Infinity")
    assert pattern.parse("NAN").is_nan()
    assert pattern.parse("nil") == 0
    assert pattern.format(Decimal(0)) == "nil"
    assert pattern.format(Decimal("Infinity")) == "INF"


def test_without_rounding_too_many_digits_are_an_error() -> None:
    with pytest.raises(ValueError, match="digits"):
        NumberPattern("#0.0", rounding="").format(Decimal("1.25"))
    assert NumberPattern("#0.0", rounding="ROUND_HALF_UP").format(Decimal("1.25")) == "1.3"
    assert NumberPattern("#0.0", increment="0.5").format(Decimal("1.3")) == "1.5"


def test_other_bases_have_digits_only() -> None:
    assert parse_base("fF", 16) == 255
    assert format_base(255, 2) == "11111111"
    for text in ("", "-1", "0x1", "12"):
        with pytest.raises(ValueError):
            parse_base(text, 2)
    with pytest.raises(ValueError):
        format_base(-1, 8)


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(["#,##0.####", "####.####;(#)", "0.0###E0", "+#0.####;-#", "#,##,##0.0000", "000000V0000"]),
    st.integers(-(10**20), 10**20),
)
def test_what_a_pattern_writes_it_reads_back(pattern: str, unscaled: int) -> None:
    value = Decimal(unscaled).scaleb(-4)
    made = NumberPattern(pattern)
    if "E" in pattern:
        value = Decimal(unscaled // 10**16)
    assert made.parse(made.format(value)) == value
