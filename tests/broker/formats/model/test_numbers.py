"""Binary numbers: known bytes, and round trips."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.formats.model import numbers
from flintmq.broker.formats.model.fields import reversed_bytes

CODES = "CDFC"
STYLES = sorted(numbers.ZONED_STYLES)


@pytest.mark.parametrize(
    ("data", "value"),
    [("12345c", 12345), ("12345d", -12345), ("12345f", 12345), ("0c", 0), ("001a", 1), ("001b", -1), ("001e", 1)],
)
def test_packed_numbers_accept_every_sign_nibble(data: str, value: int) -> None:
    assert numbers.decode_packed(bytes.fromhex(data), True, False, CODES) == value


@pytest.mark.parametrize("data", ["", "1234", "1a3c", "ff", "4040"])
def test_a_packed_number_without_sign_or_with_other_nibbles_is_an_error(data: str) -> None:
    with pytest.raises(ValueError, match="packed"):
        numbers.decode_packed(bytes.fromhex(data), True, False, CODES)


def test_strict_packed_numbers_have_only_the_nibbles_of_the_schema() -> None:
    assert numbers.decode_packed(b"\x12\x3c", True, True, CODES) == 123
    with pytest.raises(ValueError, match="sign A"):
        numbers.decode_packed(b"\x12\x3a", True, True, CODES)


def test_an_unsigned_packed_number_must_not_be_negative() -> None:
    with pytest.raises(ValueError, match="negative"):
        numbers.decode_packed(b"\x12\x3d", False, False, CODES)
    with pytest.raises(ValueError, match="negative"):
        numbers.encode_packed(-1, 2, False, CODES)


@pytest.mark.parametrize(("data", "value"), [("f123", 123), ("fd12", -12), ("ffd1", -1), ("d123", -123)])
def test_ibm_4690_numbers_are_filled_with_f_and_have_d_for_minus(data: str, value: int) -> None:
    assert numbers.decode_ibm4690(bytes.fromhex(data)) == value


def test_zoned_digits_in_ebcdic_carry_the_sign_in_a_zone() -> None:
    assert numbers.decode_zoned_ebcdic(b"\xf1\xf2\xc3", False, True, False) == 123
    assert numbers.decode_zoned_ebcdic(b"\xf1\xf2\xd3", False, True, False) == -123
    assert numbers.decode_zoned_ebcdic(b"\xd1\xf2\xf3", True, True, False) == -123
    with pytest.raises(ValueError, match="zone"):
        numbers.decode_zoned_ebcdic(b"\x40\xf2\xc3", False, True, False)


@pytest.mark.parametrize(
    ("style", "text"),
    [("asciiStandard", "12s"), ("asciiTranslatedEBCDIC", "12L"), ("asciiCARealiaModified", "12#")],
)
def test_zoned_digits_in_ascii_follow_the_style(style: str, text: str) -> None:
    assert numbers.decode_zoned_text(text, False, True, style) == -123
    assert numbers.encode_zoned_text(-123, 3, False, True, style) == text


@pytest.mark.parametrize(
    ("data", "value"),
    [("41100000", 1.0), ("c276a000", -118.625), ("00000000", 0.0), ("4110000000000000", 1.0), ("40800000", 0.5)],
)
def test_hexadecimal_floating_point_has_known_bytes(data: str, value: float) -> None:
    assert numbers.decode_hex_float(bytes.fromhex(data)) == value
    assert numbers.encode_hex_float(value, len(data) // 2).hex() == data


def test_a_float_that_has_no_hexadecimal_form_is_refused() -> None:
    for value in (math.inf, -math.inf, math.nan, 1e300):
        with pytest.raises(ValueError):
            numbers.encode_hex_float(value, 8)


def test_a_number_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        numbers.encode_binary(256, 1, True, False)
    with pytest.raises(ValueError, match="digits"):
        numbers.encode_packed(12345, 2, True, CODES)
    with pytest.raises(ValueError, match="digits"):
        numbers.encode_bcd(12345, 2)
    with pytest.raises(ValueError, match="float"):
        numbers.encode_float(1e300, 4, True, False)


@settings(max_examples=60, deadline=None)
@given(st.integers(-(10**30), 10**30), st.integers(0, 20), st.booleans())
def test_decimal_numbers_come_back(value: int, extra: int, leading: bool) -> None:
    size = len(str(abs(value))) // 2 + 1 + extra
    assert numbers.decode_packed(numbers.encode_packed(value, size, True, CODES), True, True, CODES) == value
    assert numbers.decode_packed(numbers.encode_packed(value, 0, True, CODES), True, True, CODES) == value
    assert numbers.decode_ibm4690(numbers.encode_ibm4690(value, size)) == value
    assert numbers.decode_bcd(numbers.encode_bcd(abs(value), size)) == abs(value)
    zoned = numbers.encode_zoned_ebcdic(value, extra, leading, True)
    assert numbers.decode_zoned_ebcdic(zoned, leading, True, True) == value
    for style in STYLES:
        text = numbers.encode_zoned_text(value, extra, leading, True, style)
        assert numbers.decode_zoned_text(text, leading, True, style) == value


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 16), st.booleans(), st.booleans(), st.data())
def test_binary_integers_come_back(size: int, big: bool, signed: bool, data: st.DataObject) -> None:
    low = -(1 << (8 * size - 1)) if signed else 0
    value = data.draw(st.integers(low, low + (1 << 8 * size) - 1))
    assert numbers.decode_binary(numbers.encode_binary(value, size, big, signed), big, signed) == value


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 70), st.data())
def test_little_endian_fields_of_bits_come_back(bits: int, data: st.DataObject) -> None:
    value = data.draw(st.integers(0, (1 << bits) - 1))
    assert reversed_bytes(reversed_bytes(value, bits, True), bits, False) == value


@settings(max_examples=60, deadline=None)
@given(
    st.floats(width=32, allow_nan=False, allow_infinity=False, min_value=-(2.0**100), max_value=2.0**100), st.booleans()
)
def test_floats_come_back(value: float, big: bool) -> None:
    assert numbers.decode_float(numbers.encode_float(value, 8, big, False), big, False) == value
    assert numbers.decode_float(numbers.encode_float(value, 4, big, False), big, False) == value
    # Eight bytes of hexadecimal floating point hold any IEEE float of four exactly, unless it underflows.
    if value == 0 or abs(value) > 1e-60:
        assert numbers.decode_float(numbers.encode_float(value, 8, big, True), big, True) == value


@settings(max_examples=30, deadline=None)
@given(st.binary(min_size=0, max_size=20))
def test_any_bytes_are_a_number_or_a_value_error(data: bytes) -> None:
    text = data.decode("latin-1")
    decoders: list[Callable[[], int]] = [
        lambda: numbers.decode_packed(data, True, False, CODES),
        lambda: numbers.decode_bcd(data),
        lambda: numbers.decode_ibm4690(data),
        lambda: numbers.decode_zoned_ebcdic(data, False, True, False),
        lambda: numbers.decode_zoned_text(text, True, True, "asciiStandard"),
    ]
    for decode in decoders:
        try:
            assert isinstance(decode(), int)
        except ValueError:
            pass
    if len(data) in (4, 8):
        assert isinstance(numbers.decode_hex_float(data), float)
        assert isinstance(numbers.decode_float(data, True, False), float)
