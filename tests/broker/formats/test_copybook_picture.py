"""PICTURE character-strings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.broker.formats.copybook_picture import Category, parse_picture

NUMERIC = Category.NUMERIC
EDITED = Category.NUMERIC_EDITED


@pytest.mark.parametrize(
    ("text", "category", "digits", "scale", "signed", "size"),
    [
        ("9", NUMERIC, 1, 0, False, 1),
        ("S9(5)V99", NUMERIC, 7, 2, True, 7),
        ("s9(5)v9(2)", NUMERIC, 7, 2, True, 7),
        ("V9(3)", NUMERIC, 3, 3, False, 3),
        ("VPPP999", NUMERIC, 3, 6, False, 3),
        ("PPP9(5)", NUMERIC, 5, 8, False, 5),
        ("SPP99999", NUMERIC, 5, 7, True, 5),
        ("999PPP", NUMERIC, 3, -3, False, 3),
        ("S9(5)P(3)", NUMERIC, 5, -3, True, 5),
        ("S999PPPVP", NUMERIC, 3, -3, True, 3),
        ("SPPVPPP999", NUMERIC, 3, 6, True, 3),
        ("X(10)", Category.ALPHANUMERIC, 0, 0, False, 10),
        ("XXXX", Category.ALPHANUMERIC, 0, 0, False, 4),
        ("A(4)", Category.ALPHABETIC, 0, 0, False, 4),
        ("X9A", Category.ALPHANUMERIC, 0, 0, False, 3),
        ("XXBXX/XX", Category.ALPHANUMERIC_EDITED, 0, 0, False, 8),
        ("N(5)", Category.NATIONAL, 0, 0, False, 5),
        ("G(5)", Category.DBCS, 0, 0, False, 5),
        ("ZZ,ZZ9.99", EDITED, 7, 2, False, 9),
        ("-(5)9.99", EDITED, 7, 2, True, 9),
        ("--,---,---,---,---,--9.99", EDITED, 18, 2, True, 25),
        ("$ZZZZ9999", EDITED, 8, 0, False, 9),
        ("$$$9.99", EDITED, 5, 2, False, 7),
        ("+9(8)", EDITED, 8, 0, True, 9),
        ("9(6).99-", EDITED, 8, 2, True, 10),
        ("Z(6)VZZ-", EDITED, 8, 2, True, 9),
        ("9(4)CR", EDITED, 4, 0, True, 6),
        ("9(4)DB", EDITED, 4, 0, True, 6),
        ("*(5)9", EDITED, 6, 0, False, 6),
        ("99/99/9999", EDITED, 8, 0, False, 10),
        ("+9.99E+99", Category.FLOATING, 0, 0, True, 9),
    ],
)
def test_a_picture_says_category_digits_scale_sign_and_size(
    text: str, category: Category, digits: int, scale: int, signed: bool, size: int
) -> None:
    picture = parse_picture(text)
    assert (picture.category, picture.digits, picture.scale, picture.signed, picture.size) == (
        category,
        digits,
        scale,
        signed,
        size,
    )


def test_the_comma_can_be_the_decimal_point() -> None:
    assert parse_picture("9.999,99").scale == 5
    assert parse_picture("9.999,99", decimal_comma=True).scale == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(5)",
        "9(",
        "9(0)",
        "9S",
        "V",
        "S",
        "SS9",
        "9V9V9",
        "P9P",
        "X(999999999)",
        "9(61)",
        "Q",
        "1(3)",
        "XZ",
        "9.9.9",
    ],
)
def test_what_is_no_picture_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_picture(text)


@given(st.text("9XAZSVP().,+-$*CRDBE0/N1", max_size=30))
def test_any_text_is_a_picture_or_a_value_error(text: str) -> None:
    try:
        picture = parse_picture(text)
    except ValueError:
        return
    assert picture.size > 0
