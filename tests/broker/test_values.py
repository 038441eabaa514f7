"""ESQL scalar values: type names, text forms, ordering and the literals they are read from."""

from __future__ import annotations

import copy
import datetime
import pickle
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker import values
from flintmq.broker.values import Bit, Date, Interval, Time, Timestamp, Value

ONE_OF_EACH: list[tuple[Value, str, str, str]] = [
    (None, "NULL", "NULL", ""),
    (True, "BOOLEAN", "TRUE", "TRUE"),
    (False, "BOOLEAN", "FALSE", "FALSE"),
    (-42, "INTEGER", "-42", "-42"),
    (1.5, "FLOAT", "1.5E+0", "1.5E+0"),
    (Decimal("0.320"), "DECIMAL", "0.320", "0.320"),
    ("it's", "CHARACTER", "'it''s'", "it's"),
    (b"\x0a\xff", "BLOB", "X'0aff'", "0AFF"),
    (Bit(5, 4), "BIT", "B'0101'", "0101"),
    (Bit(0, 0), "BIT", "B''", ""),
    (Date(2024, 1, 31), "DATE", "DATE '2024-01-31'", "2024-01-31"),
    (Time(23, 59, 58, 1200), "TIME", "TIME '23:59:58.001200'", "23:59:58.001200"),
    (Time(1, 2, 3, 0, True), "GMTTIME", "GMTTIME '01:02:03.000000'", "01:02:03.000000"),
    (
        Timestamp(2024, 1, 31, 23, 59, 59, 123456),
        "TIMESTAMP",
        "TIMESTAMP '2024-01-31 23:59:59.123456'",
        "2024-01-31 23:59:59.123456",
    ),
    (
        Timestamp(987, 1, 2, gmt=True),
        "GMTTIMESTAMP",
        "GMTTIMESTAMP '0987-01-02 00:00:00.000000'",
        "0987-01-02 00:00:00.000000",
    ),
    (Interval("DAY", micros=values.MICROS_PER_DAY), "INTERVAL", "INTERVAL '1' DAY", "1"),
]


@pytest.mark.parametrize(("value", "name", "literal", "plain"), ONE_OF_EACH)
def test_every_kind_of_value_has_a_type_name_a_literal_and_a_plain_text(
    value: Value, name: str, literal: str, plain: str
) -> None:
    assert values.esql_type(value) == name
    assert values.literal_text(value) == literal
    assert values.plain_text(value) == plain


@pytest.mark.parametrize("value", [row[0] for row in ONE_OF_EACH])
def test_values_can_be_hashed_copied_and_pickled(value: Value) -> None:
    assert copy.deepcopy(value) == value
    again = pickle.loads(pickle.dumps(value))
    assert again == value
    assert hash(again) == hash(value)


def test_what_is_not_a_scalar_is_a_list_or_a_row() -> None:
    assert values.esql_type([1]) == "LIST"
    assert values.esql_type((1,)) == "LIST"
    assert values.esql_type(object()) == "ROW"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0E+0"),
        (-0.5, "-5E-1"),
        (100.0, "1E+2"),
        (1234.5678, "1.2345678E+3"),
        (6.62607015e-34, "6.62607015E-34"),
        (1e300, "1E+300"),
        (0.1, "1E-1"),
        (123456789012345680.0, "1.2345678901234568E+17"),
        (float("inf"), "INF"),
        (float("-inf"), "-INF"),
        (float("nan"), "NAN"),
    ],
)
def test_a_float_is_written_with_one_digit_before_the_point_and_an_exponent(value: float, text: str) -> None:
    assert values.float_text(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
@settings(max_examples=60)
def test_the_text_of_a_float_gives_the_float_back(value: float) -> None:
    assert float(values.float_text(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("35.744", "35.744"),
        ("57.920", "57.920"),
        ("1E+5", "100000"),
        ("1E-7", "0.0000001"),
        ("1E+40", "1E+40"),
        ("1E-300", "1E-300"),
        ("NaN", "NAN"),
        ("Infinity", "INF"),
        ("-Infinity", "-INF"),
    ],
)
def test_a_decimal_is_written_in_plain_notation_within_reason(value: str, text: str) -> None:
    assert values.decimal_text(Decimal(value)) == text


@pytest.mark.parametrize(
    ("qualifier", "text", "months", "micros"),
    [
        ("YEAR", "3", 36, 0),
        ("MONTH", "14", 14, 0),
        ("YEAR TO MONTH", "-2-06", -30, 0),
        ("DAY", "7", 0, 7 * values.MICROS_PER_DAY),
        ("DAY TO HOUR", "1 02", 0, 26 * values.MICROS_PER_HOUR),
        ("DAY TO MINUTE", "1 02:03", 0, 1563 * values.MICROS_PER_MINUTE),
        ("DAY TO SECOND", "1 02:03:04.500000", 0, 93_784_500_000),
        ("DAY TO SECOND", "-1 02:03:04", 0, -93_784_000_000),
        ("HOUR", "100", 0, 100 * values.MICROS_PER_HOUR),
        ("HOUR TO MINUTE", "100:30", 0, 6030 * values.MICROS_PER_MINUTE),
        ("HOUR TO SECOND", "0:00:01.000001", 0, 1_000_001),
        ("MINUTE", "90", 0, 90 * values.MICROS_PER_MINUTE),
        ("MINUTE TO SECOND", "90:59", 0, 5459 * values.MICROS_PER_SECOND),
        ("SECOND", "3600.250000", 0, 3_600_250_000),
    ],
)
def test_an_interval_is_read_and_written_as_its_qualifier_says(
    qualifier: str, text: str, months: int, micros: int
) -> None:
    interval = values.parse_interval(text, qualifier)
    assert (interval.months, interval.micros, interval.qualifier) == (months, micros, qualifier)
    assert str(interval) == text


@pytest.mark.parametrize(
    ("qualifier", "text"),
    [
        ("YEAR", ""),
        ("YEAR", "1-02"),
        ("YEAR TO MONTH", "1-12"),
        ("DAY", "1 2"),
        ("DAY TO SECOND", "1:02:03"),
        ("DAY TO SECOND", "1 24:00:00"),
        ("HOUR TO MINUTE", "1:60"),
        ("SECOND", "1.1234567"),
        ("SECOND", "9" * 40),
        ("SECOND", "١"),
        ("FORTNIGHT", "1"),
    ],
)
def test_a_bad_interval_text_is_refused(qualifier: str, text: str) -> None:
    with pytest.raises(ValueError):
        values.parse_interval(text, qualifier)


def test_intervals_of_different_families_are_never_equal_and_do_not_compare() -> None:
    none, nothing = Interval("YEAR"), Interval("DAY")
    assert none != nothing
    with pytest.raises(TypeError):
        assert none < nothing
    with pytest.raises(ValueError):
        none.requalified("DAY")
    with pytest.raises(ValueError):
        Interval("DAY", months=1)
    with pytest.raises(ValueError):
        Interval("YEAR", micros=1)


def test_intervals_of_one_family_are_equal_when_equally_long() -> None:
    day, hours = values.parse_interval("1", "DAY"), values.parse_interval("24", "HOUR")
    assert day == hours
    assert hash(day) == hash(hours)
    assert values.parse_interval("25", "HOUR") > day
    assert str(hours.requalified("DAY TO SECOND")) == "1 00:00:00"


@pytest.mark.parametrize(
    "make",
    [
        lambda: Date(2023, 2, 29),
        lambda: Date(0, 1, 1),
        lambda: Date(10000, 1, 1),
        lambda: Date(2024, 13, 1),
        lambda: Date(2024, 4, 31),
        lambda: Time(24, 0),
        lambda: Time(0, 60),
        lambda: Time(0, 0, 60),
        lambda: Time(0, 0, 0, 1_000_000),
        lambda: Timestamp(2024, 2, 30),
        lambda: Timestamp(2024, 2, 29, 24),
        lambda: Bit(4, 2),
        lambda: Bit(-1, 2),
        lambda: values.parse_date("2024-02-30"),
        lambda: values.parse_date("2024/02/01"),
        lambda: values.parse_date("24-2-1-1"),
        lambda: values.parse_time("12:30"),
        lambda: values.parse_time("12:30:15.1234567"),
        lambda: values.parse_time("12:30:-5"),
        lambda: values.parse_timestamp("2024-02-01"),
        lambda: values.parse_blob("0AF"),
        lambda: values.parse_blob("0A F"),
        lambda: values.parse_blob("zz"),
        lambda: values.parse_bit("012"),
        lambda: values.timestamp_from_micros(-1),
        lambda: values.date_from_ordinal(3_652_060),
        lambda: values.time_from_python(datetime.time(1, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))),
    ],
)
def test_impossible_values_are_refused(make: object) -> None:
    assert callable(make)
    with pytest.raises(ValueError):
        make()


def test_a_local_and_a_gmt_value_are_not_equal() -> None:
    assert Time(1, 2, 3) != Time(1, 2, 3, 0, True)
    assert Timestamp(2024, 1, 1) != Timestamp(2024, 1, 1, gmt=True)


@given(st.dates(), st.dates())
@settings(max_examples=60)
def test_dates_order_as_python_dates_do_and_convert_both_ways(a: datetime.date, b: datetime.date) -> None:
    x, y = values.date_from_python(a), values.date_from_python(b)
    assert (x < y, x <= y, x > y, x >= y, x == y) == (a < b, a <= b, a > b, a >= b, a == b)
    assert x.to_python() == a
    assert values.date_from_ordinal(x.ordinal()) == x
    assert values.parse_date(str(x)) == x


@given(st.times(), st.times())
@settings(max_examples=60)
def test_times_order_as_python_times_do_and_convert_both_ways(a: datetime.time, b: datetime.time) -> None:
    x, y = values.time_from_python(a), values.time_from_python(b)
    assert (x < y, x <= y, x > y, x >= y, x == y) == (a < b, a <= b, a > b, a >= b, a == b)
    assert x.to_python() == a
    assert values.time_from_micros(x.micros()) == x
    assert values.parse_time(str(x)) == x


@given(st.datetimes(), st.datetimes(), st.booleans())
@settings(max_examples=60)
def test_timestamps_order_as_python_datetimes_do_and_convert_both_ways(
    a: datetime.datetime, b: datetime.datetime, gmt: bool
) -> None:
    if gmt:
        a, b = a.replace(tzinfo=datetime.UTC), b.replace(tzinfo=datetime.UTC)
    x, y = values.timestamp_from_python(a), values.timestamp_from_python(b)
    assert (x < y, x <= y, x > y, x >= y, x == y) == (a < b, a <= b, a > b, a >= b, a == b)
    assert x.to_python() == a
    assert values.timestamp_from_micros(x.micros(), gmt) == x
    assert values.parse_timestamp(str(x), gmt) == x
    assert values.timestamp_of(x.date(), x.time()) == x


@given(st.text("01", max_size=80), st.text("01", max_size=80))
@settings(max_examples=60)
def test_bits_compare_as_their_texts(a: str, b: str) -> None:
    x, y = values.parse_bit(a), values.parse_bit(b)
    assert x.bits() == a
    assert (x < y, x <= y, x > y, x >= y, x == y) == (a < b, a <= b, a > b, a >= b, a == b)


@given(st.binary(max_size=40))
@settings(max_examples=30)
def test_the_plain_text_of_a_blob_is_read_back(data: bytes) -> None:
    assert values.parse_blob(values.plain_text(data)) == data
