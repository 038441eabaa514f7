"""FORMAT patterns of numbers (MF 2.10): written and read."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.esql import number_formats
from flintmq.broker.esql.number_formats import number_format

D = Decimal

#: Pattern, number, text. The text is read back as the rounded number.
BOTH_WAYS: list[tuple[str, int | float | Decimal, str]] = [
    ("0", 0, "0"),
    ("0", 42, "42"),
    ("0", -42, "-42"),
    ("000000", 42, "000042"),
    ("000000", -42, "-000042"),
    ("000000", 12345678, "12345678"),
    ("#", 42, "42"),
    ("#", 0, "0"),
    ("#0", 7, "7"),
    ("0.00", D("5"), "5.00"),
    ("0.00", D("5.126"), "5.13"),
    ("0.00", D("-5.126"), "-5.13"),
    ("0.##", D("5.10"), "5.1"),
    ("0.##", D("5"), "5"),
    ("0.0##", D("5"), "5.0"),
    ("#.##", D("0.5"), ".5"),
    ("#.##", D("0"), "0"),
    ("#0.00", 0.1, "0.10"),
    ("#,##0.00", D("1234567.891"), "1,234,567.89"),
    ("#,##0.00", D("123"), "123.00"),
    ("#,##0", 999, "999"),
    ("#,##0", 1000, "1,000"),
    ("#,####", 123456789, "1,2345,6789"),
    ("##,##,##0", 123456789, "12,34,56,789"),
    ("#,##0.00:groupsep=.:decsep=,", D("-1234.5"), "-1.234,50"),
    ("#,##0.00:decsep=,:groupsep= ", D("1234.5"), "1 234,50"),
    ("0.0:decsep=,", D("1.5"), "1,5"),
    ("#,##0:groupsep='", 1234567, "1'234'567"),
    ("#,##0:groupsep=';'", 1234, "1;234"),
    # Prefixes, suffixes, signs.
    ("S000", 7, "S007"),
    ("$#,##0.00", D("1234.5"), "$1,234.50"),
    ("$#,##0.00", D("-1234.5"), "-$1,234.50"),
    ("#,##0.00 EUR", D("1234.5"), "1,234.50 EUR"),
    ("-000", -5, "-005"),
    ("-000", 5, "005"),
    ("000-", -5, "005-"),
    ("000-", 5, "005"),
    ("0.00;(0.00)", D("-5.5"), "(5.50)"),
    ("0.00;(0.00)", D("5.5"), "5.50"),
    ("0.00;0.00CR", D("-5.5"), "5.50CR"),
    ("0;-0", -5, "-5"),
    ("'#'0", 3, "#3"),
    ("0 'o''clock'", 3, "3 o'clock"),
    ("#0.0%", D("0.256"), "25.6%"),
    ("0\N{PER MILLE SIGN}", D("0.256"), "256\N{PER MILLE SIGN}"),
    # Exponents.
    ("0.00E0", 12345, "1.23E4"),
    ("0.###E0", D("0.00012"), "1.2E-4"),
    ("0.0E00", D("1E5"), "1.0E05"),
    ("0.0E+00", D("9.99"), "1.0E+01"),
    ("00.0E0", D("12345"), "12.3E3"),
    ("##0.##E0", D("12345"), "12.34E3"),
    ("##0.##E0", D("0.00012345"), "123.45E-6"),
    ("##0.#E0", D("999999"), "1E6"),
    (".###E0", D("12345"), ".123E5"),
    ("0.###E0", 0, "0E0"),
    ("0.0E0", D("-1.5E300"), "-1.5E300"),
    # Extremes.
    ("0", D("1E+30"), "1" + "0" * 30),
    ("0.0", D("1E-999999"), "0.0"),
    ("0.00", 1e-300, "0.00"),
    ("0", D("Infinity"), "\N{INFINITY}"),
    ("0", float("-inf"), "-\N{INFINITY}"),
]


@pytest.mark.parametrize(("pattern", "number", "text"), BOTH_WAYS)
def test_a_pattern_writes_a_number_and_reads_the_text(pattern: str, number: int | float | Decimal, text: str) -> None:
    compiled = number_format(pattern)
    assert compiled.format(number) == text
    again = compiled.parse(text)
    assert compiled.format(again) == text
    exact = Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
    if exact.is_finite():
        assert abs(again - exact) <= max(abs(exact) / 100, Decimal("0.005"))


@pytest.mark.parametrize(
    ("pattern", "number", "text"),
    [
        ("0.00", D("-0.001"), "0.00"),
        ("0.00;(0.00)", D("-0.001"), "0.00"),
        ("0", float("nan"), "NaN"),
        ("0", D("0.5"), "0"),
        ("0", D("1.5"), "2"),
        ("0", D("2.5"), "2"),
        ("0.0", D("0.25"), "0.2"),
        ("0.", 5, "5."),
    ],
)
def test_rounding_is_half_even_and_zero_has_no_sign(pattern: str, number: int | float | Decimal, text: str) -> None:
    assert number_format(pattern).format(number) == text


@pytest.mark.parametrize(
    ("pattern", "text", "number"),
    [
        ("#,##0.00", "1234.5", "1234.5"),
        ("#,##0.00", "1,2,3.5", "123.5"),
        ("0.00", " 5.5 ", "5.5"),
        ("0.00", "0005", "5"),
        ("0.00", "5.", "5"),
        ("0.00", ".5", "0.5"),
        ("000", "1.25", "1.25"),
        ("0E0", "1e3", "1E+3"),
        ("0E0", "1E-3", "0.001"),
        ("0E0", "12", "12"),
        ("0;(0)", "(7)", "-7"),
        ("0;0", "7", "7"),
    ],
)
def test_reading_does_not_count_digits(pattern: str, text: str, number: str) -> None:
    assert number_format(pattern).parse(text) == Decimal(number)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("0", ""),
        ("0", "-"),
        ("0", "abc"),
        ("0", "1 2"),
        ("0", "1,000"),
        ("0", "--1"),
        ("0", "1E5"),
        ("0", "1_0"),
        ("0", "١"),
        ("0", "NaN"),
        ("0", "1" * 1000),
        ("#,##0", ",123"),
        ("0.00", "1.2.3"),
        ("$0", "5"),
        ("0 EUR", "5"),
        ("0;(0)", "-5"),
        ("0E0", "1E"),
        ("0E0", "1E99999999999"),
        ("0E0", "1E+-5"),
    ],
)
def test_a_text_that_does_not_fit_is_refused(pattern: str, text: str) -> None:
    with pytest.raises(ValueError):
        number_format(pattern).parse(text)


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "abc",
        "$",
        ".",
        "0.0.0",
        "0.0,0",
        "0#",
        "0.#0",
        "#,",
        "0'x",
        "0x0",
        "#,##0:groupsep=ab",
        "#,##0:groupsep=",
        "#,##0:groupsep=.",
        "0:decsep=5",
        "0:decsep=-",
        "0" * 300,
    ],
)
def test_a_bad_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError):
        number_format(pattern)


def test_a_number_with_too_many_digits_is_refused_without_writing_it() -> None:
    with pytest.raises(ValueError):
        number_format("0").format(D("1E+999999999"))
    assert number_format("0E0").format(D("1E+999999999")) == "1E999999999"


def test_the_cache_is_bounded_and_gives_the_same_object_again() -> None:
    assert number_format("0.0") is number_format("0.0")
    for number in range(2 * number_formats.CACHE_MAX):
        number_format(f"0'{number}'")
    assert number_formats.cache_size() <= number_formats.CACHE_MAX


@given(
    st.decimals(-(10**15), 10**15, places=4),
    st.sampled_from(["0.0000", "#,##0.0000", "0.0000;(0.0000)", "$0.0000-", "#,##0.0000:groupsep=.:decsep=,"]),
)
@settings(max_examples=150)
def test_what_a_pattern_of_four_places_writes_it_reads_back(number: Decimal, pattern: str) -> None:
    compiled = number_format(pattern)
    assert compiled.parse(compiled.format(number)) == number


@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["0.0" + "#" * 20 + "E0", "##0.0" + "#" * 20 + "E+00"]),
)
@settings(max_examples=100)
def test_an_exponent_pattern_with_enough_digits_keeps_every_float(number: float, pattern: str) -> None:
    compiled = number_format(pattern)
    assert float(compiled.parse(compiled.format(number))) == number


@given(st.text("#0,.;E+-'%x:groupsep=", max_size=14), st.sampled_from([0, -5, D("1234.5678"), 1e-7, D("1E+300")]))
@settings(max_examples=200)
def test_any_pattern_is_compiled_or_refused_and_writes_every_number(
    pattern: str, number: int | float | Decimal
) -> None:
    try:
        compiled = number_format(pattern)
    except ValueError:
        return
    assert compiled.format(number)
