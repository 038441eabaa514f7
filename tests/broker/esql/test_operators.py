"""Operators on values: promotion, overflow, NULL, comparison of different types, dates and intervals (MF 2.6, 2.7)."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql import clock, operators
from flintmq.broker.esql.switches import make_switches
from flintmq.broker.values import Bit, Date, Interval, Time, Timestamp, Value, esql_type, parse_interval

D = Decimal
MAX, MIN = 2**63 - 1, -(2**63)
INF, NAN = float("inf"), float("nan")
Binary = Callable[..., Value]


@pytest.fixture(autouse=True)
def berlin() -> Iterator[None]:
    """Local time is one hour east of Greenwich in January and two in July."""
    clock.set_local_zone("Europe/Berlin")
    yield
    clock.set_local_zone(None)


def interval(text: str, qualifier: str) -> Interval:
    return parse_interval(text, qualifier)


ARITHMETIC: list[tuple[Binary, Value, Value, Value]] = [
    (operators.add, 1, 2, 3),
    (operators.add, MAX - 1, 1, MAX),
    (operators.add, 1, D("0.5"), D("1.5")),
    (operators.add, D("0.10"), D("0.2"), D("0.30")),
    (operators.add, 1, 0.5, 1.5),
    (operators.add, D("0.5"), 0.25, 0.75),
    (operators.subtract, 1, 2, -1),
    (operators.subtract, MIN, 0, MIN),
    (operators.subtract, D("1.00"), 1, D("0.00")),
    (operators.subtract, 1.5, D("1"), 0.5),
    (operators.multiply, 6, 7, 42),
    (operators.multiply, D("22.34"), D("1.6"), D("35.744")),
    (operators.multiply, D("36.2"), D("1.60"), D("57.920")),
    (operators.multiply, 2, D("1.50"), D("3.00")),
    (operators.multiply, 2, 1.5, 3.0),
    (operators.divide, 7, 2, 3),
    (operators.divide, -7, 2, -3),
    (operators.divide, 7, -2, -3),
    (operators.divide, -7, -2, 3),
    (operators.divide, 0, 5, 0),
    (operators.divide, D(1), D(3), D("0." + "3" * 34)),
    (operators.divide, D(2), D(3), D("0." + "6" * 33 + "7")),
    (operators.divide, 10, D(4), D("2.5")),
    (operators.divide, 7, 2.0, 3.5),
    (operators.concat, "a", "b", "ab"),
    (operators.concat, b"\x01", b"\x02", b"\x01\x02"),
    (operators.concat, Bit(5, 3), Bit(1, 2), Bit(21, 5)),
    (operators.add, Date(2024, 1, 31), interval("1", "DAY"), Date(2024, 2, 1)),
    (operators.add, interval("1", "DAY"), Date(2024, 1, 31), Date(2024, 2, 1)),
    (operators.subtract, Date(2024, 3, 1), interval("1", "DAY"), Date(2024, 2, 29)),
    (operators.add, Date(2024, 1, 31), interval("25", "HOUR"), Date(2024, 2, 1)),
    (operators.add, Date(2024, 1, 15), interval("1-02", "YEAR TO MONTH"), Date(2025, 3, 15)),
    (operators.subtract, Date(2024, 1, 15), interval("1", "MONTH"), Date(2023, 12, 15)),
    (operators.add, Time(23, 30), interval("45", "MINUTE"), Time(0, 15)),
    (operators.subtract, Time(0, 15, gmt=True), interval("1", "HOUR"), Time(23, 15, gmt=True)),
    (
        operators.subtract,
        Timestamp(2024, 1, 1, 3),
        interval("5", "HOUR"),
        Timestamp(2023, 12, 31, 22),
    ),
    (
        operators.add,
        Timestamp(2024, 2, 29, 1, 2, 3, 4, True),
        interval("1", "YEAR"),
        Timestamp(2025, 2, 28, 1, 2, 3, 4, True),
    ),
    (operators.subtract, Date(2024, 3, 1), Date(2024, 2, 1), interval("29", "DAY")),
    (operators.subtract, Time(12, 0), Time(13, 30), interval("-1:30:00", "HOUR TO SECOND")),
    (operators.subtract, Time(12, 0, gmt=True), Time(12, 0, gmt=True), Interval("HOUR TO SECOND")),
    (
        operators.subtract,
        Timestamp(2024, 1, 2, 1),
        Timestamp(2024, 1, 1),
        interval("1 01:00:00", "DAY TO SECOND"),
    ),
    # Berlin 13:00 in winter is 12:00 GMT.
    (
        operators.subtract,
        Timestamp(2024, 1, 1, 13),
        Timestamp(2024, 1, 1, 12, gmt=True),
        Interval("DAY TO SECOND"),
    ),
    (
        operators.subtract,
        Timestamp(2024, 7, 1, 14),
        Timestamp(2024, 7, 1, 12, gmt=True),
        Interval("DAY TO SECOND"),
    ),
    (operators.add, interval("1", "DAY"), interval("30", "SECOND"), interval("1 00:00:30", "DAY TO SECOND")),
    (operators.subtract, interval("1", "YEAR"), interval("1", "MONTH"), interval("0-11", "YEAR TO MONTH")),
    (operators.multiply, interval("2", "DAY"), 3, interval("6", "DAY")),
    (operators.multiply, D("1.5"), interval("2", "HOUR"), interval("3", "HOUR")),
    (operators.multiply, interval("3", "MONTH"), 0.5, interval("2", "MONTH")),
    (operators.divide, interval("1", "DAY"), 2, Interval("DAY", micros=43_200_000_000)),
]


@pytest.mark.parametrize(("operator", "a", "b", "result"), ARITHMETIC)
def test_an_operator_gives_the_documented_value_and_type(operator: Binary, a: Value, b: Value, result: Value) -> None:
    found = operator(a, b)
    assert found == result
    assert esql_type(found) == esql_type(result)
    if isinstance(result, Decimal):
        assert str(found) == str(result)


@pytest.mark.parametrize(
    ("operator", "other"),
    [
        (operators.add, 1),
        (operators.subtract, Date(2024, 1, 1)),
        (operators.multiply, D(1)),
        (operators.divide, 0),
        (operators.concat, "a"),
        (operators.equal, "a"),
        (operators.not_equal, 1),
        (operators.less, 1),
        (operators.less_equal, 1),
        (operators.greater, "a"),
        (operators.greater_equal, 1.0),
        (operators.like, "%"),
        (lambda a, b: operators.subtract_qualified(a, b, "DAY"), Date(2024, 1, 1)),
    ],
)
def test_null_as_an_operand_gives_null(operator: Binary, other: Value) -> None:
    assert operator(None, other) is None
    assert operator(other, None) is None
    assert operator(None, None) is None


def test_null_stays_null_under_unary_operators() -> None:
    assert operators.negate(None) is None
    assert operators.plus(None) is None
    assert operators.not_(None) is None


@pytest.mark.parametrize(
    ("operator", "a", "b"),
    [
        (operators.add, MAX, 1),
        (operators.add, MIN, -1),
        (operators.subtract, MIN, 1),
        (operators.multiply, MAX, 2),
        (operators.multiply, 2**32, 2**31),
        (operators.divide, MIN, -1),
        (operators.multiply, interval("1", "DAY"), 10**18),
        (operators.add, interval("100000000", "DAY"), interval("100000000", "DAY")),
    ],
)
def test_a_result_that_does_not_fit_is_2450(operator: Binary, a: Value, b: Value) -> None:
    with pytest.raises(BrokerError) as caught:
        operator(a, b)
    assert (caught.value.number, caught.value.sqlstate) == (2450, "S22003")


def test_the_largest_integers_are_reached_and_not_passed() -> None:
    assert operators.multiply(2**31, 2**31) == 2**62
    assert operators.add(2**62, 2**62 - 1) == MAX
    assert operators.negate(MAX) == -MAX
    assert operators.divide(MIN, 1) == MIN
    with pytest.raises(BrokerError):
        operators.negate(MIN)


@pytest.mark.parametrize(
    ("a", "b", "insert"), [(100, 0, "100 / 0"), (D("1.5"), 0, "1.5 / 0"), (1.5, D(0), "1.5E+0 / 0")]
)
def test_division_by_zero_is_2450_with_the_operation_as_insert(a: Value, b: Value, insert: str) -> None:
    with pytest.raises(BrokerError) as caught:
        operators.divide(a, b)
    assert (caught.value.number, caught.value.sqlstate) == (2450, "S22012")
    assert caught.value.inserts == (insert,)


def test_switch_division_by_zero_gives_infinity_except_for_integers() -> None:
    infinity = make_switches({"division_by_zero": "infinity"})
    assert operators.divide(1.0, 0, infinity) == INF
    assert operators.divide(1.0, -0.0, infinity) == -INF
    assert operators.divide(D(-1), D(0), infinity) == D("-Infinity")
    assert operators.is_nan(operators.divide(0.0, 0.0, infinity))
    assert operators.is_nan(operators.divide(D(0), D(0), infinity))
    with pytest.raises(BrokerError):
        operators.divide(1, 0, infinity)
    with pytest.raises(BrokerError):
        operators.divide(interval("1", "DAY"), 0, infinity)


@pytest.mark.parametrize(
    ("operator", "a", "b"),
    [
        (operators.add, "1", 1),
        (operators.add, "a", "b"),
        (operators.add, True, 1),
        (operators.add, 1, True),
        (operators.add, Date(2024, 1, 1), 1),
        (operators.add, Date(2024, 1, 1), Date(2024, 1, 1)),
        (operators.add, Time(1, 0), interval("1", "YEAR")),
        (operators.add, interval("1", "YEAR"), interval("1", "DAY")),
        (operators.subtract, interval("1", "DAY"), Date(2024, 1, 1)),
        (operators.subtract, Date(2024, 1, 1), Timestamp(2024, 1, 1)),
        (operators.subtract, "b", "a"),
        (operators.multiply, "2", 3),
        (operators.multiply, interval("1", "DAY"), interval("1", "DAY")),
        (operators.divide, 1, interval("1", "DAY")),
        (operators.divide, b"\x01", 1),
        (operators.concat, "a", 1),
        (operators.concat, 1, 2),
        (operators.concat, "a", b"a"),
        (operators.concat, b"a", Bit(1, 1)),
        (operators.less, b"a", 1),
        (operators.less, Time(1, 0), Date(2024, 1, 1)),
        (operators.equal, b"a", "a"),
        (operators.equal, True, 1),
        (operators.equal, interval("1", "YEAR"), interval("1", "DAY")),
        (operators.equal, object(), 1),
        (operators.less, [1], [2]),
        (operators.and_, True, 1),
        (operators.and_, False, "x"),
        (operators.or_, "x", True),
        (operators.or_, None, 1),
        (operators.like, 1, "%"),
        (operators.like, "a", 1),
    ],
)
def test_types_that_do_not_fit_are_2420_and_both_are_named(operator: Binary, a: object, b: object) -> None:
    with pytest.raises(BrokerError) as caught:
        operator(a, b)
    assert caught.value.number == 2420
    assert caught.value.inserts[1:] == (esql_type(a), esql_type(b))


@pytest.mark.parametrize(
    ("operator", "a"),
    [
        (operators.negate, "1"),
        (operators.negate, True),
        (operators.plus, "1"),
        (operators.plus, Date(2024, 1, 1)),
        (operators.not_, 1),
        (operators.condition, "TRUE"),
    ],
)
def test_types_that_do_not_fit_a_unary_operator_are_2421(operator: Callable[[object], Value], a: object) -> None:
    with pytest.raises(BrokerError) as caught:
        operator(a)
    assert caught.value.number == 2421


@pytest.mark.parametrize(
    ("a", "result"),
    [(5, -5), (D("1.50"), D("-1.50")), (1.5, -1.5), (interval("1", "DAY"), interval("-1", "DAY")), (D(0), D(0))],
)
def test_negation_keeps_type_and_scale(a: Value, result: Value) -> None:
    assert operators.negate(a) == result
    assert str(operators.negate(a)) == str(result)
    assert operators.plus(a) is a


#: Pairs in ascending order, each with the next.
ORDERED: list[tuple[Value, Value]] = [
    (1, 2),
    (-1, D("-0.5")),
    (D("1.1"), 1.5),
    (1, 1.5),
    (1.5, D("1.6")),
    ("A", "a"),
    ("a", "a "),
    ("", "a"),
    # By UTF-16 units the surrogates of U+10000 come before U+FF21.
    ("\U00010000", "\uff21"),
    ("é", "\uff21"),
    (b"\x01", b"\x01\x00"),
    (b"\x7f", b"\x80"),
    (Bit(1, 2), Bit(1, 1)),
    (False, True),
    (Date(2023, 12, 31), Date(2024, 1, 1)),
    (Time(1, 0), Time(1, 0, 0, 1)),
    (Timestamp(2024, 1, 1), Timestamp(2024, 1, 1, 0, 0, 0, 1)),
    # 12:30 in Berlin is before 12:00 GMT.
    (Timestamp(2024, 1, 1, 12, 30), Timestamp(2024, 1, 1, 12, gmt=True)),
    (Date(2024, 1, 1), Timestamp(2024, 1, 1, 0, 0, 0, 1)),
    (Timestamp(2023, 12, 31, 23), Date(2024, 1, 1)),
    (interval("59", "MINUTE"), interval("1", "HOUR")),
    (interval("11", "MONTH"), interval("1", "YEAR")),
    (-INF, D("-1E+300")),
    (1, D("Infinity")),
    # CHARACTER is cast to the type of the other operand.
    ("9", 10),
    (9, "10"),
    ("-3", -2),
    ("1.5", 2),
    ("9.5", D("10")),
    ("1E0", 1.5),
    ("FALSE", True),
    ("2023-12-31", Date(2024, 1, 1)),
    (Time(1, 0), "01:00:01"),
    ("2024-01-01 00:00:00", Timestamp(2024, 1, 1, 1)),
    (interval("1", "DAY"), "2"),
]


@pytest.mark.parametrize(("a", "b"), ORDERED)
def test_comparison_orders_values_of_all_types(a: Value, b: Value) -> None:
    compare = [
        operators.equal,
        operators.not_equal,
        operators.less,
        operators.less_equal,
        operators.greater,
        operators.greater_equal,
    ]
    assert [operator(a, b) for operator in compare] == [False, True, True, True, False, False]
    assert [operator(b, a) for operator in compare] == [False, True, False, False, True, True]
    assert [operator(a, a) for operator in compare] == [True, False, False, True, False, True]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, D("1.00")),
        (1, 1.0),
        (D("0.5"), 0.5),
        ("1", 1),
        (" 1 ", 1),
        ("1.0", 1),
        (1.0, "1"),
        ("TRUE", True),
        ("true", True),
        (Date(2024, 1, 1), "2024-01-01"),
        ("DATE '2024-01-01'", Date(2024, 1, 1)),
        (Timestamp(2024, 1, 1, 13), Timestamp(2024, 1, 1, 12, gmt=True)),
        (interval("24", "HOUR"), interval("1", "DAY")),
        (Date(2024, 1, 1), Timestamp(2024, 1, 1)),
        ([1, "a"], (1, "a")),
        ([], []),
    ],
)
def test_equal_values_of_different_types_are_equal(a: object, b: object) -> None:
    assert operators.equal(a, b) is True
    assert operators.equal(b, a) is True
    assert operators.not_equal(a, b) is False


def test_times_of_both_kinds_compare_as_instants() -> None:
    now = clock.now().gmt_time()
    assert operators.equal(now, clock.time_to_local(now)) is True
    difference = operators.subtract(clock.time_to_local(now), now)
    assert isinstance(difference, Interval) and difference.micros == 0


@pytest.mark.parametrize("nan", [NAN, D("NaN")])
@pytest.mark.parametrize("other", [1, 1.0, D(1), NAN, D("NaN"), "1", "NAN"])
def test_nan_is_not_equal_to_anything_and_not_ordered(nan: Value, other: Value) -> None:
    for a, b in ((nan, other), (other, nan)):
        assert operators.equal(a, b) is False
        assert operators.not_equal(a, b) is True
        for operator in (operators.less, operators.less_equal, operators.greater, operators.greater_equal):
            assert operator(a, b) is False


def test_a_character_that_cannot_be_cast_for_a_comparison_is_2521() -> None:
    for other in (1, D(1), 1.0, True, Date(2024, 1, 1), Time(1, 0), Timestamp(2024, 1, 1), interval("1", "DAY")):
        with pytest.raises(BrokerError) as caught:
            operators.equal("abc", other)
        assert caught.value.number == 2521


def test_switch_compare_character_numeric_error_refuses_the_comparison() -> None:
    strict = make_switches({"compare_character_numeric": "error"})
    for other in (1, D(1), True, Date(2024, 1, 1)):
        with pytest.raises(BrokerError) as caught:
            operators.less("1", other, strict)
        assert caught.value.number == 2420
    assert operators.equal("1", "1", strict) is True


def test_lists_are_compared_item_by_item() -> None:
    assert operators.equal([1, 2], [1, 2, 3]) is False
    assert operators.equal([1, None], [1, 2]) is None
    assert operators.equal([1, None], [2, 2]) is False
    assert operators.not_equal([1, 2], [1, 3]) is True
    assert operators.not_equal([1, None], [1, 2]) is None


LOGIC = (True, False, None)


@pytest.mark.parametrize(("a", "b"), list(itertools.product(LOGIC, LOGIC)))
def test_and_or_and_not_follow_three_valued_logic(a: bool | None, b: bool | None) -> None:
    rank = {False: 0, None: 1, True: 2}
    assert operators.and_(a, b) is min((a, b), key=lambda value: rank[value])
    assert operators.or_(a, b) is max((a, b), key=lambda value: rank[value])
    assert operators.not_(a) is {True: False, False: True, None: None}[a]


def test_a_condition_holds_only_on_true() -> None:
    assert [operators.condition(a) for a in LOGIC] == [True, False, False]


@pytest.mark.parametrize(
    ("a", "low", "high", "asymmetric", "symmetric"),
    [
        (5, 1, 10, True, True),
        (1, 1, 10, True, True),
        (10, 1, 10, True, True),
        (11, 1, 10, False, False),
        (5, 10, 1, False, True),
        ("b", "a", "c", True, True),
        (5, None, 10, None, None),
        (5, 6, None, False, None),
        (None, 1, 2, None, None),
        (11, None, 10, False, None),
        (Date(2024, 1, 2), Date(2024, 1, 1), Date(2024, 1, 3), True, True),
    ],
)
def test_between_takes_both_ends_in(
    a: Value, low: Value, high: Value, asymmetric: bool | None, symmetric: bool | None
) -> None:
    assert operators.between(a, low, high) is asymmetric
    assert operators.between(a, low, high, True) is symmetric


@pytest.mark.parametrize(
    ("a", "items", "result"),
    [
        (1, [1, 2], True),
        (3, [1, 2], False),
        (3, [1, None], None),
        (1, [None, 1], True),
        (None, [1], None),
        (None, [], False),
        ("a", ["b", "a"], True),
        (1, ["1"], True),
    ],
)
def test_in_is_unknown_only_if_no_item_is_equal_and_one_is_null(
    a: Value, items: list[object], result: bool | None
) -> None:
    assert operators.in_list(a, items) is result


@pytest.mark.parametrize(
    ("items", "any_result", "all_result"),
    [
        ([1, 2], True, True),
        ([1, 9], True, False),
        ([9, 8], False, False),
        ([], False, True),
        ([None, 1], True, None),
        ([None, 9], None, False),
    ],
)
def test_quantifiers_any_and_all(items: list[object], any_result: bool | None, all_result: bool | None) -> None:
    assert operators.quantified(operators.greater, 5, items, False) is any_result
    assert operators.quantified(operators.greater, 5, items, True) is all_result


@pytest.mark.parametrize(
    ("value", "true", "false", "unknown"),
    [(True, True, False, False), (False, False, True, False), (None, False, False, True), (1, False, False, False)],
)
def test_is_true_false_unknown_are_two_valued(value: object, true: bool, false: bool, unknown: bool) -> None:
    assert operators.is_true(value) is true
    assert operators.is_false(value) is false
    assert operators.is_unknown(value) is unknown


@pytest.mark.parametrize(
    ("value", "infinite", "positive", "negative", "nan", "num"),
    [
        (1, False, False, False, False, True),
        (D("1.5"), False, False, False, False, True),
        (1.5, False, False, False, False, True),
        (INF, True, True, False, False, False),
        (-INF, True, False, True, False, False),
        (D("Infinity"), True, True, False, False, False),
        (D("-Infinity"), True, False, True, False, False),
        (NAN, False, False, False, True, False),
        (D("NaN"), False, False, False, True, False),
        ("1", False, False, False, False, False),
        (True, False, False, False, False, False),
        (None, False, False, False, False, False),
    ],
)
def test_is_inf_nan_num(value: object, infinite: bool, positive: bool, negative: bool, nan: bool, num: bool) -> None:
    assert operators.is_infinite(value) is infinite
    assert operators.is_infinite(value, 1) is positive
    assert operators.is_infinite(value, -1) is negative
    assert operators.is_nan(value) is nan
    assert operators.is_num(value) is num


@pytest.mark.parametrize(
    ("a", "b", "qualifier", "text"),
    [
        (Timestamp(2024, 1, 2, 5), Timestamp(2024, 1, 1), "DAY", "1"),
        (Timestamp(2024, 1, 1), Timestamp(2024, 1, 2, 5), "DAY", "-1"),
        (Timestamp(2024, 1, 2, 5), Timestamp(2024, 1, 1), "HOUR", "29"),
        (Timestamp(2024, 1, 1, 0, 0, 1, 500000), Timestamp(2024, 1, 1), "SECOND", "1.500000"),
        (Timestamp(2024, 1, 2, 3, 4, 5), Timestamp(2024, 1, 1), "DAY TO MINUTE", "1 03:04"),
        (Date(2024, 1, 31), Date(2023, 12, 31), "DAY", "31"),
        (Date(2024, 1, 30), Date(2023, 12, 31), "MONTH", "0"),
        (Date(2024, 1, 31), Date(2023, 12, 31), "MONTH", "1"),
        (Date(2023, 12, 31), Date(2024, 1, 30), "MONTH", "0"),
        (Date(2023, 12, 31), Date(2024, 1, 31), "MONTH", "-1"),
        (Date(2024, 8, 22), Date(1958, 8, 22), "YEAR", "66"),
        (Date(2024, 8, 21), Date(1958, 8, 22), "YEAR TO MONTH", "65-11"),
        (Timestamp(2024, 3, 1, 0), Timestamp(2024, 2, 1, 1), "MONTH", "0"),
        (Timestamp(2024, 3, 1, 1), Timestamp(2024, 2, 1, 0, gmt=True), "MONTH", "1"),
        (Time(13, 30), Time(12, 0), "MINUTE", "90"),
    ],
)
def test_a_difference_with_a_qualifier_counts_what_is_complete(a: Value, b: Value, qualifier: str, text: str) -> None:
    found = operators.subtract_qualified(a, b, qualifier)
    assert found is not None
    assert (found.qualifier, str(found)) == (qualifier, text)


def test_months_of_times_of_day_are_2420() -> None:
    with pytest.raises(BrokerError) as caught:
        operators.subtract_qualified(Time(1, 0), Time(0, 0), "MONTH")
    assert caught.value.number == 2420


def test_switch_month_end_clips_or_refuses_a_day_that_the_month_lacks() -> None:
    month = interval("1", "MONTH")
    assert operators.add(Date(2024, 1, 31), month) == Date(2024, 2, 29)
    with pytest.raises(BrokerError) as caught:
        operators.add(Date(2024, 1, 31), month, make_switches({"month_end": "error"}))
    assert (caught.value.number, caught.value.sqlstate) == (2450, "S22008")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (Date(9999, 12, 31), interval("1", "DAY")),
        (Date(9999, 12, 31), interval("1", "MONTH")),
        (Timestamp(9999, 12, 31, 23), interval("2", "HOUR")),
        (Timestamp(9999, 12, 31, 23), interval("999999999", "YEAR")),
    ],
)
def test_leaving_the_calendar_is_2450(a: Value, b: Value) -> None:
    with pytest.raises(BrokerError) as caught:
        operators.add(a, b)
    assert (caught.value.number, caught.value.sqlstate) == (2450, "S22008")


def test_decimal_overflow_and_huge_exponents_cost_nothing() -> None:
    huge = D("9E+999999999")
    assert operators.multiply(huge, huge) == D("Infinity")
    assert operators.add(huge, 1) == huge
    assert operators.less(1, huge) is True
    assert operators.less(huge, 1.0) is False


numbers = st.one_of(
    st.integers(-1000, 1000),
    st.decimals(-1000, 1000, places=3),
    st.floats(-1000, 1000).map(lambda value: round(value, 3)),
)


@given(numbers, numbers)
@settings(max_examples=100)
def test_addition_and_multiplication_commute_and_subtraction_undoes_addition(
    a: int | Decimal | float, b: int | Decimal | float
) -> None:
    total = operators.add(a, b)
    assert total == operators.add(b, a)
    assert operators.multiply(a, b) == operators.multiply(b, a)
    back = operators.subtract(total, b)
    assert isinstance(back, (int, Decimal, float))
    assert float(back) == pytest.approx(float(a), abs=1e-9)
    assert operators.less(a, b) is operators.greater(b, a)


@given(st.dates(), st.integers(-200_000, 200_000))
@settings(max_examples=60)
def test_a_date_moved_by_days_and_back_is_the_date(day: object, days: int) -> None:
    from datetime import date

    assert isinstance(day, date)
    start = Date(day.year, day.month, day.day)
    span = Interval("DAY", micros=days * 86_400_000_000)
    try:
        moved = operators.add(start, span)
    except BrokerError:
        return
    assert operators.subtract(moved, span) == start
    assert operators.subtract(moved, start) == span


class TestLike:
    @pytest.mark.parametrize(
        ("text", "pattern", "result"),
        [
            ("", "", True),
            ("", "%", True),
            ("a", "", False),
            ("abc", "abc", True),
            ("abc", "ABC", False),
            ("abc", "a%", True),
            ("abc", "%c", True),
            ("abc", "%b%", True),
            ("abc", "a_c", True),
            ("ac", "a_c", False),
            ("abc", "___", True),
            ("abc", "__", False),
            ("abc", "%_b%", True),
            ("abc", "_%_%_", True),
            ("ab", "_%_%_", False),
            ("a\nb", "a%b", True),
            ("a.c", "a.c", True),
            ("axc", "a.c", False),
            ("aXbXc", "a%X%X_", True),
            ("100%", r"100\%", True),
            ("1000", r"100\%", False),
            ("a_b", r"a\_b", True),
            ("axb", r"a\_b", False),
            ("mississippi", "m%is_ip%", True),
            ("mississippi", "m%_ss_ss%i", True),
            ("mississippi", "m%ssx%", False),
            ("aaa", "%aa%aa%", False),
            ("aaaa", "%aa%aa%", True),
            ("\U0001f600x", "_x", True),
        ],
    )
    def test_patterns(self, text: str, pattern: str, result: bool) -> None:
        assert operators.like(text, pattern) is result

    def test_escape_names_another_character(self) -> None:
        assert operators.like("50%", "50!%", "!") is True
        assert operators.like("50\\", "50\\", "!") is True
        assert operators.like("50!", "50!!", "!") is True
        assert operators.like("a", "a", None) is None

    @pytest.mark.parametrize(("pattern", "escape"), [("abc\\", "\\"), ("a", ""), ("a", "xy"), ("a" * 5000, "\\")])
    def test_a_bad_pattern_is_an_error(self, pattern: str, escape: str) -> None:
        with pytest.raises(BrokerError) as caught:
            operators.like("abc", pattern, escape)
        assert caught.value.number == 2439

    @given(
        st.text("ab", max_size=12),
        st.lists(st.sampled_from(["a", "b", "%", "_"]), max_size=8).map("".join),
    )
    @settings(max_examples=200)
    def test_like_agrees_with_a_regular_expression(self, text: str, pattern: str) -> None:
        import re

        expected = re.fullmatch(pattern.replace("%", ".*").replace("_", "."), text, re.DOTALL) is not None
        assert operators.like(text, pattern) is expected

    def test_a_hostile_pattern_costs_time_linear_in_the_text(self) -> None:
        """A backtracking matcher would need more steps here than there are atoms."""
        pattern = "%" + "a_a%" * 30 + "b"
        begin = time.process_time()
        assert operators.like("a" * 20_000, pattern) is False
        assert operators.like("a" * 20_000, "%" + "a_" * 30 + "b%") is False
        assert time.process_time() - begin < 2

    def test_the_cache_is_bounded(self) -> None:
        from flintmq.broker.esql import like

        for number in range(2 * like.CACHE_MAX):
            operators.like("x", f"%{number}%")
        assert like.cache_size() <= like.CACHE_MAX
