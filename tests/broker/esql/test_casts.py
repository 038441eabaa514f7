"""CAST: every row of MF 2.10, its failures, its options and its switches."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql import casts, clock
from flintmq.broker.esql.casts import CastType, assign, cast, cast_type
from flintmq.broker.esql.switches import make_switches
from flintmq.broker.values import Bit, Date, Interval, Time, Timestamp, Value, esql_type, parse_interval

D = Decimal
MAX, MIN = 2**63 - 1, -(2**63)


@pytest.fixture(autouse=True)
def kolkata() -> Iterator[None]:
    """Local time is 5:30 hours east of Greenwich all the year."""
    clock.set_local_zone("Asia/Kolkata")
    yield
    clock.set_local_zone(None)


def at() -> clock.Clock:
    return clock.Clock(Timestamp(2024, 2, 3, 4, 5, 6, 7, True))


def kind(text: str) -> CastType:
    """Return the type of a text such as DECIMAL(5,2) or INTERVAL DAY."""
    name, _, rest = text.replace(")", "").replace("(", " ").partition(" ")
    if name == "DECIMAL" and rest:
        precision, scale = rest.split(",")
        return cast_type(name, int(precision), int(scale))
    return cast_type(name, qualifier=rest)


def interval(text: str, qualifier: str) -> Interval:
    return parse_interval(text, qualifier)


#: Source, target, result.
PLAIN: list[tuple[Value, str, Value]] = [
    # Numeric to numeric.
    (5, "INTEGER", 5),
    (2.5, "INTEGER", 3),
    (-2.5, "INTEGER", -3),
    (2.4999, "INTEGER", 2),
    (D("2.5"), "INTEGER", 3),
    (D("0.5"), "INTEGER", 1),
    (D("1E+18"), "INTEGER", 10**18),
    (D("9223372036854775807.4"), "INTEGER", MAX),
    (5, "FLOAT", 5.0),
    (D("0.1"), "FLOAT", 0.1),
    (5, "DECIMAL", D(5)),
    (0.1, "DECIMAL", D("0.1")),
    (1e22, "DECIMAL", D("1E+22")),
    (D("1.50"), "DECIMAL", D("1.50")),
    (D("1." + "1" * 50), "DECIMAL", D("1." + "1" * 33)),
    (5, "DECIMAL(10,2)", D("5.00")),
    (D("1.235"), "DECIMAL(5,2)", D("1.24")),
    (D("-1.235"), "DECIMAL(5,2)", D("-1.24")),
    (D("999.994"), "DECIMAL(5,2)", D("999.99")),
    (D("0.0001"), "DECIMAL(5,2)", D("0.00")),
    (D("1E-999999999"), "DECIMAL(5,2)", D("0.00")),
    (D(0), "DECIMAL(5,2)", D("0.00")),
    (D("0.99"), "DECIMAL(2,2)", D("0.99")),
    # CHARACTER to numeric.
    ("12", "INTEGER", 12),
    ("-12", "INTEGER", -12),
    ("+12", "INTEGER", 12),
    (" 12 ", "INTEGER", 12),
    ("000", "INTEGER", 0),
    ("9223372036854775807", "INTEGER", MAX),
    ("-9223372036854775808", "INTEGER", MIN),
    ("1E3", "INTEGER", 1000),
    ("12.00", "INTEGER", 12),
    ("1.50", "DECIMAL", D("1.50")),
    (".5", "DECIMAL", D("0.5")),
    ("5.", "DECIMAL", D(5)),
    ("1.5e-3", "DECIMAL", D("0.0015")),
    ("NaN", "DECIMAL", D("NaN")),
    ("-INF", "DECIMAL", D("-Infinity")),
    ("1.235", "DECIMAL(5,2)", D("1.24")),
    ("1.5", "FLOAT", 1.5),
    ("1E400", "DECIMAL", D("1E+400")),
    ("inf", "FLOAT", float("inf")),
    # Numeric to CHARACTER.
    (5, "CHARACTER", "5"),
    (-5, "CHARACTER", "-5"),
    (D("0.320"), "CHARACTER", "0.320"),
    (D("1E+5"), "CHARACTER", "100000"),
    (1.5, "CHARACTER", "1.5E+0"),
    (D("NaN"), "CHARACTER", "NAN"),
    # BOOLEAN.
    (True, "CHARACTER", "TRUE"),
    (False, "CHARACTER", "FALSE"),
    ("TRUE", "BOOLEAN", True),
    ("false", "BOOLEAN", False),
    (" Unknown ", "BOOLEAN", None),
    (True, "BOOLEAN", True),
    # BLOB and BIT without CCSID.
    ("X'0aFF'", "BLOB", b"\x0a\xff"),
    ("0aff", "BLOB", b"\x0a\xff"),
    ("", "BLOB", b""),
    ("X''", "BLOB", b""),
    (b"\x0a\xff", "CHARACTER", "X'0aff'"),
    (b"", "CHARACTER", "X''"),
    ("B'0101'", "BIT", Bit(5, 4)),
    ("0101", "BIT", Bit(5, 4)),
    ("", "BIT", Bit(0, 0)),
    (Bit(5, 4), "CHARACTER", "B'0101'"),
    (Bit(0x0AFF, 16), "BLOB", b"\x0a\xff"),
    (b"\x0a\xff", "BIT", Bit(0x0AFF, 16)),
    (258, "BLOB", b"\0\0\0\0\0\0\x01\x02"),
    (-1, "BLOB", b"\xff" * 8),
    (1, "BIT", Bit(1, 64)),
    (b"\x01\x02", "INTEGER", 258),
    (b"\xff", "INTEGER", 255),
    (b"\xff" * 8, "INTEGER", -1),
    (b"\x80" + b"\0" * 7, "INTEGER", MIN),
    (Bit(5, 4), "INTEGER", 5),
    # Dates and times to CHARACTER and back.
    (Date(2024, 1, 31), "CHARACTER", "DATE '2024-01-31'"),
    (Time(1, 2, 3, 40), "CHARACTER", "TIME '01:02:03.000040'"),
    (Time(1, 2, 3, gmt=True), "CHARACTER", "GMTTIME '01:02:03.000000'"),
    (Timestamp(2024, 1, 31, 1, 2, 3), "CHARACTER", "TIMESTAMP '2024-01-31 01:02:03.000000'"),
    (interval("1-06", "YEAR TO MONTH"), "CHARACTER", "INTERVAL '1-06' YEAR TO MONTH"),
    ("DATE '2024-01-31'", "DATE", Date(2024, 1, 31)),
    ("date'2024-01-31'", "DATE", Date(2024, 1, 31)),
    ("2024-01-31", "DATE", Date(2024, 1, 31)),
    (" 2024-01-31 ", "DATE", Date(2024, 1, 31)),
    ("2024-01-31T10:00:00", "DATE", Date(2024, 1, 31)),
    ("01:02:03", "TIME", Time(1, 2, 3)),
    ("01:02:03.5", "TIME", Time(1, 2, 3, 500000)),
    ("TIME '01:02:03'", "TIME", Time(1, 2, 3)),
    ("01:02:03Z", "TIME", Time(6, 32, 3)),
    ("GMTTIME '01:02:03'", "GMTTIME", Time(1, 2, 3, gmt=True)),
    ("2024-01-31 01:02:03.5", "TIMESTAMP", Timestamp(2024, 1, 31, 1, 2, 3, 500000)),
    ("2024-01-31T01:02:03", "TIMESTAMP", Timestamp(2024, 1, 31, 1, 2, 3)),
    ("2024-01-31T01:02:03Z", "TIMESTAMP", Timestamp(2024, 1, 31, 6, 32, 3)),
    ("2024-01-31T06:32:03+05:30", "GMTTIMESTAMP", Timestamp(2024, 1, 31, 1, 2, 3, gmt=True)),
    ("TIMESTAMP '2024-01-31 01:02:03'", "TIMESTAMP", Timestamp(2024, 1, 31, 1, 2, 3)),
    # Between dates and times.
    (Date(2024, 1, 31), "DATE", Date(2024, 1, 31)),
    (Timestamp(2024, 1, 31, 1, 2), "DATE", Date(2024, 1, 31)),
    (Timestamp(2024, 1, 31, 1, 2), "TIME", Time(1, 2)),
    (Timestamp(2024, 1, 31, 1, 2), "GMTTIME", Time(19, 32, gmt=True)),
    (Timestamp(2024, 1, 31, 1, 2), "GMTTIMESTAMP", Timestamp(2024, 1, 30, 19, 32, gmt=True)),
    (Timestamp(2024, 1, 30, 19, 32, gmt=True), "TIMESTAMP", Timestamp(2024, 1, 31, 1, 2)),
    (Timestamp(2024, 1, 30, 19, 32, gmt=True), "TIME", Time(1, 2)),
    (Time(1, 2), "GMTTIME", Time(19, 32, gmt=True)),
    (Time(19, 32, gmt=True), "TIME", Time(1, 2)),
    # The clock shows 2024-02-03 04:05:06.000007 GMT, 09:35:06.000007 local time.
    (Time(1, 2), "TIMESTAMP", Timestamp(2024, 2, 3, 1, 2)),
    (Time(1, 2), "GMTTIMESTAMP", Timestamp(2024, 2, 2, 19, 32, gmt=True)),
    (Time(1, 2, gmt=True), "TIMESTAMP", Timestamp(2024, 2, 3, 6, 32)),
    (Date(2024, 1, 31), "TIMESTAMP", Timestamp(2024, 1, 31, 9, 35, 6, 7)),
    (Date(2024, 1, 31), "GMTTIMESTAMP", Timestamp(2024, 1, 31, 4, 5, 6, 7, True)),
    # INTERVAL.
    (7, "INTERVAL DAY", interval("7", "DAY")),
    (-2, "INTERVAL YEAR", interval("-2", "YEAR")),
    (D("1.5"), "INTERVAL SECOND", interval("1.5", "SECOND")),
    (1.5, "INTERVAL HOUR", interval("2", "HOUR")),
    ("7", "INTERVAL DAY", interval("7", "DAY")),
    ("INTERVAL '36' HOUR", "INTERVAL DAY TO HOUR", interval("1 12", "DAY TO HOUR")),
    ("INTERVAL -'36' HOUR", "INTERVAL HOUR", interval("-36", "HOUR")),
    (interval("36", "HOUR"), "INTERVAL DAY", interval("1", "DAY")),
    (interval("-36", "HOUR"), "INTERVAL DAY", interval("-1", "DAY")),
    (interval("18", "MONTH"), "INTERVAL YEAR", interval("1", "YEAR")),
    (interval("7", "DAY"), "INTEGER", 7),
    (interval("-7", "DAY"), "INTEGER", -7),
    (interval("2", "YEAR"), "INTEGER", 2),
    (interval("1.5", "SECOND"), "DECIMAL", D("1.5")),
    (interval("1.5", "SECOND"), "FLOAT", 1.5),
    (interval("90", "SECOND"), "DECIMAL", D(90)),
    (interval("14", "MONTH"), "DECIMAL", D(14)),
]


@pytest.mark.parametrize(("source", "target", "result"), PLAIN)
def test_a_cast_gives_the_documented_value_and_type(source: Value, target: str, result: Value) -> None:
    found = cast([source], kind(target), clock=at())
    assert esql_type(found) == esql_type(result)
    if isinstance(result, Decimal):
        assert str(found) == str(result)
    else:
        assert found == result
    if isinstance(result, Interval):
        assert isinstance(found, Interval) and found.qualifier == result.qualifier


@pytest.mark.parametrize(("source", "target"), [(row[0], row[1]) for row in PLAIN])
def test_null_casts_to_null(source: Value, target: str) -> None:
    assert cast([None], kind(target), default=lambda: 5) is None
    assert assign(None, kind(target)) is None


#: Source, target. None of these has a value.
REFUSED: list[tuple[object, str]] = [
    ("", "INTEGER"),
    ("abc", "INTEGER"),
    ("1.5", "INTEGER"),
    ("1_000", "INTEGER"),
    ("0x10", "INTEGER"),
    ("١٢", "INTEGER"),
    ("1 2", "INTEGER"),
    ("9223372036854775808", "INTEGER"),
    ("NaN", "INTEGER"),
    ("1E999999999", "INTEGER"),
    ("1" * 1000, "INTEGER"),
    (1e19, "INTEGER"),
    (float("nan"), "INTEGER"),
    (float("inf"), "INTEGER"),
    (D("1E+999999999"), "INTEGER"),
    (D("9223372036854775807.5"), "INTEGER"),
    (True, "INTEGER"),
    (Date(2024, 1, 1), "INTEGER"),
    (b"", "INTEGER"),
    (b"\0" * 9, "INTEGER"),
    (Bit(0, 65), "INTEGER"),
    (interval("1 01", "DAY TO HOUR"), "INTEGER"),
    ("", "FLOAT"),
    ("1e", "FLOAT"),
    ("1E400", "FLOAT"),
    (True, "FLOAT"),
    (b"1", "FLOAT"),
    (Date(2024, 1, 1), "FLOAT"),
    ("1,5", "DECIMAL"),
    ("--1", "DECIMAL"),
    (False, "DECIMAL"),
    (b"1", "DECIMAL"),
    (Time(1, 0), "DECIMAL"),
    (D("1000"), "DECIMAL(5,2)"),
    (D("999.995"), "DECIMAL(5,2)"),
    (D("1E+999999"), "DECIMAL(5,2)"),
    (1, "DECIMAL(2,2)"),
    ("yes", "BOOLEAN"),
    ("", "BOOLEAN"),
    (1, "BOOLEAN"),
    (b"TRUE", "BOOLEAN"),
    ("X'0'", "BLOB"),
    ("hello", "BLOB"),
    (1.5, "BLOB"),
    (MAX + 1, "BLOB"),
    (D(1), "BLOB"),
    (True, "BLOB"),
    (Date(2024, 1, 1), "BLOB"),
    (Bit(1, 7), "BLOB"),
    ("012", "BIT"),
    (1.5, "BIT"),
    ("2024-02-30", "DATE"),
    ("31/01/2024", "DATE"),
    ("TIMESTAMP '2024-01-31 01:02:03'", "DATE"),
    ("", "DATE"),
    (20240131, "DATE"),
    (b"2024-01-31", "DATE"),
    (Time(1, 0), "DATE"),
    ("25:00:00", "TIME"),
    ("noon", "TIME"),
    (Date(2024, 1, 1), "TIME"),
    (5, "TIME"),
    ("2024-01-31 25:00:00", "TIMESTAMP"),
    ("now", "TIMESTAMP"),
    (5, "GMTTIMESTAMP"),
    (Timestamp(1, 1, 1), "GMTTIMESTAMP"),
    (5, "INTERVAL DAY TO HOUR"),
    (10**18, "INTERVAL DAY"),
    (float("inf"), "INTERVAL DAY"),
    (True, "INTERVAL DAY"),
    (Date(2024, 1, 1), "INTERVAL DAY"),
    ("x", "INTERVAL DAY"),
    ("INTERVAL 5 DAY", "INTERVAL DAY"),
    (interval("1", "DAY"), "INTERVAL MONTH"),
    (interval("0", "DAY"), "INTERVAL MONTH"),
    (object(), "CHARACTER"),
]


@pytest.mark.parametrize(("source", "target"), REFUSED)
def test_a_cast_without_result_is_2521_and_default_replaces_it(source: object, target: str) -> None:
    with pytest.raises(BrokerError) as caught:
        cast([source], kind(target))
    error = caught.value
    assert (error.number, error.sqlstate) == (2521, "S22018")
    assert len(error.text) < 1000
    assert str(error.inserts[1]).startswith(target.partition(" ")[0])
    assert cast([source], kind(target), default=lambda: "instead") == "instead"


def test_the_inserts_are_the_value_and_the_target_type() -> None:
    with pytest.raises(BrokerError) as caught:
        casts.to_integer("abc")
    assert caught.value.inserts == ("abc", "INTEGER")
    with pytest.raises(BrokerError) as caught:
        casts.to_decimal(1000, 5, 2)
    assert caught.value.inserts == ("1000", "DECIMAL(5,2)")


def test_default_is_evaluated_only_after_a_failure() -> None:
    calls: list[int] = []

    def default() -> Value:
        calls.append(1)
        return -1

    assert cast(["5"], kind("INTEGER"), default=default) == 5
    assert not calls
    assert cast(["x"], kind("INTEGER"), default=default) == -1
    assert calls == [1]


MANY: list[tuple[list[object], str, Value]] = [
    ([2024, 1, 31], "DATE", Date(2024, 1, 31)),
    ([1, 2, 3], "TIME", Time(1, 2, 3)),
    ([1, 2, D("3.25")], "TIME", Time(1, 2, 3, 250000)),
    ([1, 2, 3.5], "GMTTIME", Time(1, 2, 3, 500000, True)),
    ([2024, 1, 31, 1, 2, 3], "TIMESTAMP", Timestamp(2024, 1, 31, 1, 2, 3)),
    ([2024, 1, 31, 1, 2, D("3.000004")], "GMTTIMESTAMP", Timestamp(2024, 1, 31, 1, 2, 3, 4, True)),
    ([Date(2024, 1, 31), Time(1, 2)], "TIMESTAMP", Timestamp(2024, 1, 31, 1, 2)),
    ([Date(2024, 1, 31), Time(1, 2, gmt=True)], "GMTTIMESTAMP", Timestamp(2024, 1, 31, 1, 2, gmt=True)),
    ([Date(2024, 1, 31), Time(1, 2, gmt=True)], "TIMESTAMP", Timestamp(2024, 1, 31, 6, 32)),
    ([1, 6], "INTERVAL YEAR TO MONTH", interval("1-06", "YEAR TO MONTH")),
    ([1, 2], "INTERVAL DAY TO HOUR", interval("1 02", "DAY TO HOUR")),
    ([1, 2, 3, D("4.5")], "INTERVAL DAY TO SECOND", interval("1 02:03:04.5", "DAY TO SECOND")),
    ([1, 2], "INTERVAL MINUTE TO SECOND", interval("1:02", "MINUTE TO SECOND")),
    ([2024, None, 31], "DATE", None),
]


@pytest.mark.parametrize(("sources", "target", "result"), MANY)
def test_several_values_are_cast_to_one(sources: list[object], target: str, result: Value) -> None:
    assert cast(sources, kind(target)) == result


@pytest.mark.parametrize(
    ("sources", "target"),
    [
        ([2024, 13, 1], "DATE"),
        ([2024, 1], "DATE"),
        (["2024", 1, 1], "DATE"),
        ([True, 1, 1], "DATE"),
        ([24, 0, 0], "TIME"),
        ([1, 2, -1], "TIME"),
        ([1, 2, 60], "TIME"),
        ([2024, 1, 31, 1, 2], "TIMESTAMP"),
        ([Time(1, 2), Date(2024, 1, 31)], "TIMESTAMP"),
        ([1, 2, 3], "INTERVAL YEAR TO MONTH"),
        ([10**18, 0], "INTERVAL DAY TO HOUR"),
        ([1, 2], "INTEGER"),
        ([1, 2], "CHARACTER"),
    ],
)
def test_values_that_do_not_fit_together_are_2521(sources: list[object], target: str) -> None:
    with pytest.raises(BrokerError) as caught:
        cast(sources, kind(target))
    assert caught.value.number == 2521


class TestCodePages:
    @pytest.mark.parametrize(
        ("text", "ccsid", "data"),
        [
            ("AB1", 500, b"\xc1\xc2\xf1"),
            ("AB1", 37, b"\xc1\xc2\xf1"),
            ("ä[", 273, b"\xc0\x63"),
            ("é€", 1208, b"\xc3\xa9\xe2\x82\xac"),
            ("é", 819, b"\xe9"),
            ("€", 923, b"\xa4"),
            ("A", 1201, b"\0A"),
            ("A", 1202, b"A\0"),
            ("", 37, b""),
            ("AB", 0, b"AB"),
        ],
    )
    def test_ccsid_converts_characters_to_bytes_and_back(self, text: str, ccsid: int, data: bytes) -> None:
        assert casts.to_blob(text, ccsid=ccsid) == data
        assert casts.to_character(data, ccsid=ccsid) == text
        bits = casts.to_bit(text, ccsid=ccsid)
        assert bits == Bit(int.from_bytes(data, "big"), 8 * len(data))
        assert casts.to_character(bits, ccsid=ccsid) == text

    def test_encoding_gives_the_byte_order_of_utf_16(self) -> None:
        assert casts.to_blob("A", ccsid=1200, encoding=273) == b"\0A"
        assert casts.to_blob("A", ccsid=1200, encoding=546) == b"A\0"
        assert casts.to_character(b"A\0", ccsid=1200, encoding=546) == "A"
        native = b"A\0" if sys.byteorder == "little" else b"\0A"
        assert casts.to_blob("A", ccsid=1200) == native
        assert casts.to_blob("A", encoding=273) == b"A"

    def test_encoding_gives_the_byte_order_of_an_integer(self) -> None:
        assert casts.to_blob(1, encoding=546) == b"\x01" + b"\0" * 7
        assert casts.to_blob(1, encoding=273) == b"\0" * 7 + b"\x01"

    @pytest.mark.parametrize(
        ("source", "target", "ccsid", "encoding"),
        [
            ("A", "BLOB", 99999, None),
            ("A", "BLOB", -3, None),
            ("€", "BLOB", 819, None),
            ("\ud800", "BLOB", 1208, None),
            ("A", "BLOB", 1208, 4),
            (b"\xff", "CHARACTER", 1208, None),
            (b"A", "CHARACTER", 1201, None),
            (b"A", "CHARACTER", 99999, None),
            (Bit(1, 7), "CHARACTER", 1208, None),
        ],
    )
    def test_what_a_code_page_does_not_have_is_2521(
        self, source: Value, target: str, ccsid: int, encoding: int | None
    ) -> None:
        with pytest.raises(BrokerError) as caught:
            cast([source], kind(target), ccsid, encoding)
        assert caught.value.number == 2521

    @pytest.mark.parametrize(("ccsid", "encoding"), [("37", None), (True, None), (37, "x"), (1.5, None)])
    def test_ccsid_and_encoding_must_be_integers(self, ccsid: object, encoding: object) -> None:
        with pytest.raises(BrokerError) as caught:
            cast(["A"], kind("BLOB"), ccsid, encoding)
        assert caught.value.number == 2421

    def test_bytes_that_are_text_become_any_type(self) -> None:
        assert casts.to_integer(b"\xf1\xf2", ccsid=37) == 12
        assert casts.to_decimal(b"1.50", ccsid=1208) == D("1.50")
        assert casts.to_float(b"1.5", ccsid=1208) == 1.5
        assert casts.to_boolean(b"TRUE", ccsid=1208) is True
        assert casts.to_date(b"2024-01-31", ccsid=1208) == Date(2024, 1, 31)
        assert casts.to_date(b"31/01/2024", pattern="dd/MM/yyyy") == Date(2024, 1, 31)
        assert casts.to_timestamp(b"2024-01-31 01:02:03", ccsid=1208) == Timestamp(2024, 1, 31, 1, 2, 3)
        assert casts.to_integer(b"1,234", pattern="#,##0") == 1234

    def test_any_type_becomes_bytes_that_are_text(self) -> None:
        assert casts.to_blob(12, ccsid=37) == b"\xf1\xf2"
        assert casts.to_blob(12, pattern="000") == b"012"
        assert casts.to_blob(D("1.5"), ccsid=1208) == b"1.5"
        assert casts.to_blob(Date(2024, 1, 31), pattern="yyyyMMdd", ccsid=37) == b"\xf2\xf0\xf2\xf4\xf0\xf1\xf3\xf1"
        assert casts.to_bit(7, pattern="0") == Bit(ord("7"), 8)


class TestFormat:
    def test_a_pattern_writes_and_reads_dates(self) -> None:
        assert casts.to_character(Date(2024, 1, 31), "dd/MM/yyyy") == "31/01/2024"
        assert casts.to_date("31/01/2024", "dd/MM/yyyy") == Date(2024, 1, 31)
        assert casts.to_time("0930", pattern="HHmm") == Time(9, 30)
        assert casts.to_timestamp("31/01/2024 09:30", pattern="dd/MM/yyyy HH:mm") == Timestamp(2024, 1, 31, 9, 30)

    def test_a_pattern_writes_and_reads_numbers(self) -> None:
        assert casts.to_character(D("1234.5"), "#,##0.00") == "1,234.50"
        assert casts.to_character(1234, "000000") == "001234"
        assert casts.to_character(0.5, "0.00") == "0.50"
        assert casts.to_decimal("1,234.50", 0, 0, "#,##0.00") == D("1234.50")
        assert casts.to_integer("1,234.50", "#,##0.00") == 1235
        assert casts.to_float("(5.5)", "0.0;(0.0)") == -5.5

    def test_a_pattern_has_no_effect_on_other_types(self) -> None:
        assert casts.to_character("abc", "yyyy") == "abc"
        assert casts.to_character(True, "000") == "TRUE"
        assert casts.to_character(b"\x01", "000") == "X'01'"

    @pytest.mark.parametrize(
        ("source", "target", "pattern"),
        [
            ("2024-01-31", "DATE", "dd/MM/yyyy"),
            ("x", "DATE", "q"),
            ("x", "INTEGER", "0"),
            (Date(2024, 1, 31), "CHARACTER", "q"),
            (5, "CHARACTER", ""),
            (5, "CHARACTER", "yyyy"),
            (D("1E+500"), "CHARACTER", "0"),
        ],
    )
    def test_a_pattern_that_is_wrong_or_does_not_fit_is_2521(self, source: Value, target: str, pattern: str) -> None:
        with pytest.raises(BrokerError) as caught:
            cast([source], kind(target), pattern=pattern)
        assert caught.value.number == 2521

    def test_a_pattern_must_be_character(self) -> None:
        for source, target in (("1", "INTEGER"), (1, "CHARACTER"), ("2024", "DATE"), (Date(2024, 1, 1), "CHARACTER")):
            with pytest.raises(BrokerError) as caught:
                cast([source], kind(target), pattern=5)
            assert caught.value.number == 2421


class TestSwitches:
    @pytest.mark.parametrize(
        ("mode", "results"),
        [("half_up", [3, 4, -3]), ("half_even", [2, 4, -2]), ("truncate", [2, 3, -2])],
    )
    def test_cast_rounding(self, mode: str, results: list[int]) -> None:
        switches = make_switches({"cast_rounding": mode})
        assert [casts.to_integer(D(value), switches=switches) for value in ("2.5", "3.5", "-2.5")] == results
        assert [casts.to_integer(value, switches=switches) for value in (2.5, 3.5, -2.5)] == results
        scaled = [casts.to_decimal(D(value), 5, 1, switches=switches) for value in ("0.25", "0.35", "-0.25")]
        assert scaled == [D(value) / 10 for value in results]

    def test_character_to_integer(self) -> None:
        rounding = make_switches({"character_to_integer": "round"})
        assert casts.to_integer("1.5", switches=rounding) == 2
        with pytest.raises(BrokerError):
            casts.to_integer("1.5")

    def test_numeric_blanks(self) -> None:
        strict = make_switches({"numeric_blanks": "error"})
        assert casts.to_decimal(" 1.5\n") == D("1.5")
        for text in (" 1.5", "1.5 "):
            with pytest.raises(BrokerError):
                casts.to_decimal(text, switches=strict)

    def test_float_text(self) -> None:
        shortest = make_switches({"float_text": "shortest"})
        assert [casts.to_character(value) for value in (1.5, 100.0, 1e30)] == ["1.5E+0", "1E+2", "1E+30"]
        assert [casts.to_character(value, switches=shortest) for value in (1.5, 100.0, 1e30, float("inf"))] == [
            "1.5",
            "100",
            "1E+30",
            "INF",
        ]

    def test_date_text(self) -> None:
        plain = make_switches({"date_text": "plain"})
        assert casts.to_character(Date(2024, 1, 31)) == "DATE '2024-01-31'"
        assert casts.to_character(Date(2024, 1, 31), switches=plain) == "2024-01-31"
        assert casts.to_character(interval("1", "DAY"), switches=plain) == "1"

    def test_date_to_timestamp(self) -> None:
        midnight = make_switches({"date_to_timestamp": "midnight"})
        assert casts.to_timestamp(Date(2024, 1, 31), clock=at()) == Timestamp(2024, 1, 31, 9, 35, 6, 7)
        assert casts.to_timestamp(Date(2024, 1, 31), switches=midnight) == Timestamp(2024, 1, 31)

    def test_integer_to_character(self) -> None:
        strict = make_switches({"integer_to_character": "error"})
        assert assign(5, kind("CHARACTER")) == "5"
        assert assign("5", kind("CHARACTER"), strict) == "5"
        assert assign("5", kind("INTEGER"), strict) == 5
        with pytest.raises(BrokerError) as caught:
            assign(5, kind("CHARACTER"), strict)
        assert caught.value.number == 2521


def test_an_assignment_converts_to_the_declared_type() -> None:
    assert assign(D("1.235"), kind("DECIMAL(5,2)")) == D("1.24")
    assert assign("2024-01-31", kind("DATE")) == Date(2024, 1, 31)
    assert assign(5, kind("FLOAT")) == 5.0
    with pytest.raises(BrokerError):
        assign("abc", kind("INTEGER"))


def test_types_are_named_in_any_case_and_checked() -> None:
    assert cast_type("int").text() == "INTEGER"
    assert cast_type("Char").text() == "CHARACTER"
    assert cast_type("DECIMAL", 10, 2).text() == "DECIMAL(10,2)"
    assert cast_type("INTERVAL", qualifier="day  to second").text() == "INTERVAL DAY TO SECOND"
    for bad in (("ROW", 0, 0, ""), ("INTEGER", 5, 0, ""), ("DECIMAL", 35, 0, ""), ("DECIMAL", 5, 6, "")):
        with pytest.raises(ValueError):
            cast_type(*bad)
    with pytest.raises(ValueError):
        cast_type("INTERVAL", qualifier="WEEK")
    with pytest.raises(ValueError):
        cast_type("DATE", qualifier="DAY")


scalars = st.one_of(
    st.booleans(),
    st.integers(MIN, MAX),
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20, places=6),
    st.binary(max_size=20),
    st.builds(lambda bits: Bit(int(bits, 2) if bits else 0, len(bits)), st.text("01", max_size=30)),
    st.dates().map(lambda day: Date(day.year, day.month, day.day)),
    st.times().map(lambda time: Time(time.hour, time.minute, time.second, time.microsecond)),
    st.datetimes().map(lambda m: Timestamp(m.year, m.month, m.day, m.hour, m.minute, m.second, m.microsecond, True)),
    st.integers(-(10**15), 10**15).map(lambda micros: Interval("DAY TO SECOND", micros=micros)),
    st.integers(-(10**5), 10**5).map(lambda months: Interval("YEAR TO MONTH", months=months)),
)


@given(scalars)
@settings(max_examples=300)
def test_the_character_of_a_value_casts_back_to_the_value(value: Value) -> None:
    text = casts.to_character(value)
    target = cast_type(esql_type(value), qualifier=value.qualifier if isinstance(value, Interval) else "")
    assert cast([text], target) == value


@given(st.one_of(scalars, st.text(max_size=20)), st.sampled_from(sorted(set(casts.TYPE_NAMES.values()))))
@settings(max_examples=300)
def test_every_cast_gives_its_type_or_2521(value: Value, name: str) -> None:
    target = cast_type(name, qualifier="DAY" if name == "INTERVAL" else "")
    try:
        result = cast([value], target)
    except BrokerError as error:
        assert error.number == 2521
        return
    assert result is None or esql_type(result) == name
