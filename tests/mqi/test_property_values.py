"""Values of properties: types, text, conversion."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.mqi import PropertyError, StructureError
from flintmq.mqi import constants as c
from flintmq.mqi.property_values import Value, check_value, convert_value, read_value, type_of, write_value

BOOLEAN = c.MQTYPE_BOOLEAN
INT8 = c.MQTYPE_INT8
INT16 = c.MQTYPE_INT16
INT32 = c.MQTYPE_INT32
INT64 = c.MQTYPE_INT64
FLOAT32 = c.MQTYPE_FLOAT32
FLOAT64 = c.MQTYPE_FLOAT64
STRING = c.MQTYPE_STRING
NULL = c.MQTYPE_NULL
BYTES = c.MQTYPE_BYTE_STRING


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, NULL),
        (True, BOOLEAN),
        (1, INT32),
        (2**31, INT64),
        (-(2**31), INT32),
        (1.0, FLOAT64),
        ("", STRING),
        (b"", BYTES),
    ],
)
def test_the_type_follows_from_the_value(value: Value, kind: int) -> None:
    assert type_of(value) == kind


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (True, BOOLEAN, "1"),
        (False, BOOLEAN, "0"),
        (-128, INT8, "-128"),
        (32767, INT16, "32767"),
        (2**63 - 1, INT64, "9223372036854775807"),
        (b"\x0a\xff", BYTES, "0AFF"),
        (b"", BYTES, ""),
        (0.1, FLOAT64, "0.1"),
        (1e300, FLOAT64, "1e+300"),
        (math.inf, FLOAT64, "Infinity"),
        (-math.inf, FLOAT32, "-Infinity"),
        ("a <b>", STRING, "a <b>"),
    ],
)
def test_text_of_values(value: Value, kind: int, text: str) -> None:
    assert write_value(value, kind) == text
    assert read_value(text, kind) == value


def test_other_spellings_are_read() -> None:
    assert read_value("true", BOOLEAN) is True and read_value(" FALSE ", BOOLEAN) is False
    assert read_value("+5", INT8) == 5 and read_value(" 5 ", INT8) == 5
    nan = read_value("NaN", FLOAT64)
    assert isinstance(nan, float) and math.isnan(nan)


def test_a_float32_is_written_short() -> None:
    value = check_value(0.1, FLOAT32)
    assert write_value(value, FLOAT32) == "0.1" and read_value("0.1", FLOAT32) == value
    assert write_value(check_value(16777216, FLOAT32), FLOAT32).endswith((".0", "e+07"))
    assert check_value(1e300, FLOAT32) == math.inf


@pytest.mark.parametrize(
    ("text", "kind"),
    [("x", INT32), ("128", INT8), ("1_0", INT32), ("٣", INT32), ("", INT32), ("9" * 5000, INT64), ("2", BOOLEAN),
     ("0g", BYTES), ("0 1", BYTES), ("123", BYTES), ("1.2.3", FLOAT64), ("1_0.0", FLOAT64), ("", FLOAT32),
     ("1f", FLOAT32),
     ("x", NULL), ("1", 4711)],
)  # fmt: skip
def test_text_that_is_not_a_value_is_refused(text: str, kind: int) -> None:
    with pytest.raises(StructureError) as caught:
        read_value(text, kind)
    assert caught.value.reason == 2421


@pytest.mark.parametrize(
    ("value", "kind"),
    [(128, INT8), (2**31, INT32), (True, INT32), (1, BOOLEAN), ("1", INT32), (b"", STRING), ("", BYTES),
     (0, NULL), (None, STRING), (1, 9), ("x", FLOAT64), (True, FLOAT32)],
)  # fmt: skip
def test_a_value_of_another_type_is_refused(value: Value, kind: int) -> None:
    with pytest.raises(PropertyError) as caught:
        check_value(value, kind)
    assert caught.value.reason == 2473


@pytest.mark.parametrize(
    ("value", "kind", "wanted", "result"),
    [
        (5, INT8, INT64, 5),
        (5, INT64, INT8, 5),
        (5, INT32, FLOAT64, 5.0),
        (5, INT32, STRING, "5"),
        (0, INT32, BOOLEAN, False),
        (True, BOOLEAN, INT32, 1),
        (True, BOOLEAN, STRING, "TRUE"),
        ("42", STRING, INT16, 42),
        ("true", STRING, BOOLEAN, True),
        ("0AFF", STRING, BYTES, b"\x0a\xff"),
        (b"\x0a", BYTES, STRING, "0A"),
        (1.5, FLOAT32, FLOAT64, 1.5),
        (1.5, FLOAT64, STRING, "1.5"),
        ("x", STRING, 0, "x"),
        (None, NULL, NULL, None),
    ],
)
def test_conversion(value: Value, kind: int, wanted: int, result: Value) -> None:
    converted = convert_value(value, kind, wanted)
    assert converted == result and type(converted) is type(result)


@pytest.mark.parametrize(
    ("value", "kind", "wanted", "reason"),
    [
        (300, INT32, INT8, 2470),
        (1.5, FLOAT64, INT32, 2470),
        (1.5, FLOAT64, FLOAT32, 2470),
        (b"x", BYTES, INT32, 2470),
        (None, NULL, STRING, 2470),
        (True, BOOLEAN, FLOAT64, 2470),
        ("x", STRING, INT32, 2472),
        ("300", STRING, INT8, 2472),
    ],
)
def test_conversion_that_is_not_supported(value: Value, kind: int, wanted: int, reason: int) -> None:
    with pytest.raises(PropertyError) as caught:
        convert_value(value, kind, wanted)
    assert caught.value.reason == reason


@given(st.floats(allow_nan=False), st.sampled_from([FLOAT32, FLOAT64]))
def test_floats_read_back_the_same(value: float, kind: int) -> None:
    kept = check_value(value, kind)
    assert read_value(write_value(kept, kind), kind) == kept
