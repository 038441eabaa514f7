"""Numeric functions (MF 2.11): values, result types, domains and limits."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql import functions_numeric as f
from flintmq.broker.esql.decimals import ROUND_MODES
from flintmq.broker.values import Value, esql_type

D = Decimal
MAX, MIN = 2**63 - 1, -(2**63)
INF, NAN = float("inf"), float("nan")
Function = Callable[..., Value]

EXACT: list[tuple[Function, tuple[object, ...], Value]] = [
    (f.absolute, (-5,), 5),
    (f.absolute, (D("-1.50"),), D("1.50")),
    (f.absolute, (-1.5,), 1.5),
    (f.ceil, (5,), 5),
    (f.ceil, (D("1.2"),), D(2)),
    (f.ceil, (D("-1.2"),), D(-1)),
    (f.ceil, (1.2,), 2.0),
    (f.ceil, (INF,), INF),
    (f.floor, (D("1.8"),), D(1)),
    (f.floor, (D("-1.2"),), D(-2)),
    (f.floor, (-1.2,), -2.0),
    (f.floor, (D("Infinity"),), D("Infinity")),
    (f.sign, (-5,), -1),
    (f.sign, (0,), 0),
    (f.sign, (D("0.1"),), D(1)),
    (f.sign, (-0.5,), -1.0),
    (f.mod, (7, 3), 1),
    (f.mod, (-7, 3), -1),
    (f.mod, (7, -3), 1),
    (f.mod, (-7, -3), -1),
    (f.mod, (MIN, -1), 0),
    (f.bitand, (12, 7), 4),
    (f.bitand, (15, 7, 5), 5),
    (f.bitand, (-1, 255), 255),
    (f.bitor, (12, 7), 15),
    (f.bitor, (1, 2, 4, 8), 15),
    (f.bitxor, (12, 7), 11),
    (f.bitnot, (7,), -8),
    (f.bitnot, (MAX,), MIN),
    (f.power, (2, 10), 1024),
    (f.power, (2, 0), 1),
    (f.power, (-1, 2**62 + 1), -1),
    (f.power, (0, 0), 1),
    (f.power, (-2, 63), MIN),
    (f.power, (2, -1), 0.5),
    (f.power, (D("1.5"), 2), D("2.25")),
    (f.power, (2, D("0.5")), D("1.414213562373095048801688724209698")),
    (f.power, (2.0, 3), 8.0),
    (f.sqrt, (16,), 4.0),
    (f.sqrt, (D("2.25"),), 1.5),
    (f.exp, (0,), 1.0),
    (f.ln, (1,), 0.0),
    (f.log10, (1000,), 3.0),
    (f.sin, (0,), 0.0),
    (f.cos, (0,), 1.0),
    (f.tan, (0,), 0.0),
    (f.asin, (0,), 0.0),
    (f.acos, (1,), 0.0),
    (f.atan, (0,), 0.0),
    (f.atan2, (0, 1), 0.0),
    (f.sinh, (0,), 0.0),
    (f.cosh, (0,), 1.0),
    (f.tanh, (0,), 0.0),
    (f.degrees, (0,), 0.0),
    (f.radians, (180,), math.pi),
    (f.degrees, (math.pi,), 180.0),
    # ROUND, half-even without mode.
    (f.round_, (D("27.75"), 2), D("27.75")),
    (f.round_, (D("27.75"), 1), D("27.8")),
    (f.round_, (D("27.75"), 0), D("28")),
    (f.round_, (D("27.75"), -1), D("30")),
    (f.round_, (D("27.75"), -2), D("0")),
    (f.round_, (D("2.5"), 0), D("2")),
    (f.round_, (D("3.5"), 0), D("4")),
    (f.round_, (D("1.5"), 9), D("1.5")),
    (f.round_, (2.675, 2), 2.68),
    (f.round_, (0.125, 2), 0.12),
    (f.round_, (NAN, 2), NAN),
    (f.round_, (INF, 2), INF),
    (f.round_, (1234, 5), 1234),
    (f.round_, (1234, -2), 1200),
    (f.round_, (1250, -2), 1200),
    (f.round_, (1350, -2), 1400),
    (f.round_, (1234, -9), 0),
    (f.round_, (1234, -(2**62)), 0),
    (f.round_, (D("NaN"), 2), D("NaN")),
    (f.truncate, (D("27.75"), 1), D("27.7")),
    (f.truncate, (D("-27.75"), 1), D("-27.7")),
    (f.truncate, (27.75, 0), 27.0),
    (f.truncate, (1299, -2), 1200),
    (f.truncate, (D("1E+999999999"), -3), D("1E+999999999")),
]


@pytest.mark.parametrize(("function", "arguments", "result"), EXACT)
def test_a_function_gives_the_value_in_the_documented_type(
    function: Function, arguments: tuple[object, ...], result: Value
) -> None:
    found = function(*arguments)
    assert esql_type(found) == esql_type(result)
    assert str(found) == str(result)


@pytest.mark.parametrize(
    ("function", "argument", "result"),
    [
        (f.exp, 1, math.e),
        (f.ln, 10, 2.302585092994046),
        (f.sin, D("0.5"), 0.479425538604203),
        (f.cos, 1, 0.5403023058681398),
        (f.tan, 1, 1.5574077246549023),
        (f.cot, 1, 0.6420926159343306),
        (f.asin, 1, math.pi / 2),
        (f.acos, 0, math.pi / 2),
        (f.atan, 1, math.pi / 4),
        (f.sinh, 1, 1.1752011936438014),
        (f.cosh, 1, 1.5430806348152437),
        (f.tanh, 1, 0.7615941559557649),
        (f.radians, 90, math.pi / 2),
    ],
)
def test_functions_of_mathematics(function: Function, argument: Value, result: float) -> None:
    assert function(argument) == pytest.approx(result)


#: The table of rounding modes: number, then UP DOWN CEILING FLOOR HALF_UP HALF_DOWN HALF_EVEN.
ROUNDING = [
    ("5.5", "6 5 6 5 6 5 6"),
    ("2.5", "3 2 3 2 3 2 2"),
    ("1.6", "2 1 2 1 2 2 2"),
    ("1.1", "2 1 2 1 1 1 1"),
    ("1.0", "1 1 1 1 1 1 1"),
    ("-1.0", "-1 -1 -1 -1 -1 -1 -1"),
    ("-1.1", "-2 -1 -1 -2 -1 -1 -1"),
    ("-1.6", "-2 -1 -1 -2 -2 -2 -2"),
    ("-2.5", "-3 -2 -2 -3 -3 -2 -2"),
    ("-5.5", "-6 -5 -5 -6 -6 -5 -6"),
]
MODES = ["UP", "DOWN", "CEILING", "FLOOR", "HALF_UP", "HALF_DOWN", "HALF_EVEN"]


@pytest.mark.parametrize(("number", "results"), ROUNDING)
def test_each_rounding_mode(number: str, results: str) -> None:
    for mode, result in zip(MODES, results.split(), strict=True):
        assert f.round_(D(number), 0, f"ROUND_{mode}") == D(result)
        assert f.round_(float(number), 0, f"ROUND_{mode}") == float(result)
        tens = f.round_(int(D(number) * 10), -1, f"ROUND_{mode}")
        assert tens == 10 * int(result)


def test_rounding_to_places_far_beyond_the_number_follows_the_direction_of_the_mode() -> None:
    results = [f.round_(D("27.75"), -3, f"ROUND_{mode}") for mode in MODES]
    assert results == [D(1000), D(0), D(1000), D(0), D(0), D(0), D(0)]
    results = [f.round_(D("-27.75"), -3, f"ROUND_{mode}") for mode in MODES]
    assert results == [D(-1000), D(0), D(0), D(-1000), D(0), D(0), D(0)]


ALL: list[tuple[Function, int]] = [
    (f.absolute, 1),
    (f.ceil, 1),
    (f.floor, 1),
    (f.sign, 1),
    (f.round_, 2),
    (f.truncate, 2),
    (f.mod, 2),
    (f.bitand, 2),
    (f.bitor, 3),
    (f.bitxor, 2),
    (f.bitnot, 1),
    (f.power, 2),
    (f.sqrt, 1),
    (f.exp, 1),
    (f.ln, 1),
    (f.log10, 1),
    (f.sin, 1),
    (f.cos, 1),
    (f.tan, 1),
    (f.cot, 1),
    (f.asin, 1),
    (f.acos, 1),
    (f.atan, 1),
    (f.atan2, 2),
    (f.sinh, 1),
    (f.cosh, 1),
    (f.tanh, 1),
    (f.degrees, 1),
    (f.radians, 1),
    (f.rand, 1),
]


@pytest.mark.parametrize(("function", "count"), ALL)
def test_null_gives_null_and_a_string_is_2421(function: Function, count: int) -> None:
    for place in range(count):
        arguments: list[object] = [1] * count
        assert function(*arguments) is not None
        arguments[place] = None
        assert function(*arguments) is None
        for wrong in ("1", True):
            arguments[place] = wrong
            with pytest.raises(BrokerError) as caught:
                function(*arguments)
            assert caught.value.number == 2421


@pytest.mark.parametrize("function", [f.mod, f.bitand, f.bitor, f.bitxor])
def test_functions_of_integers_refuse_other_numbers(function: Function) -> None:
    for wrong in (1.0, D(1)):
        with pytest.raises(BrokerError) as caught:
            function(1, wrong)
        assert caught.value.number == 2421


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (f.sqrt, (-1,)),
        (f.ln, (0,)),
        (f.ln, (-1,)),
        (f.log10, (0,)),
        (f.asin, (2,)),
        (f.acos, (-2,)),
        (f.cot, (0,)),
        (f.power, (-1.0, 0.5)),
        (f.power, (0, -1)),
        (f.power, (D(-1), D("0.5"))),
        (f.power, (D(0), D(-1))),
        (f.sin, (INF,)),
    ],
)
def test_an_argument_outside_the_domain_is_2439(function: Function, arguments: tuple[object, ...]) -> None:
    with pytest.raises(BrokerError) as caught:
        function(*arguments)
    assert (caught.value.number, caught.value.sqlstate) == (2439, "S22023")


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (f.absolute, (MIN,)),
        (f.power, (2, 63)),
        (f.power, (10, 2**62)),
        (f.power, (1e300, 2)),
        (f.power, (D("1E+900000000"), 2)),
        (f.exp, (1000,)),
        (f.cosh, (1000,)),
        (f.round_, (MAX, -1, "ROUND_UP")),
    ],
)
def test_a_result_that_is_too_large_is_2450(function: Function, arguments: tuple[object, ...]) -> None:
    with pytest.raises(BrokerError) as caught:
        function(*arguments)
    assert (caught.value.number, caught.value.sqlstate) == (2450, "S22003")


def test_mod_by_zero_is_a_division_by_zero() -> None:
    with pytest.raises(BrokerError) as caught:
        f.mod(100, 0)
    assert (caught.value.number, caught.value.inserts) == (2450, ("100 / 0",))


def test_rand_repeats_the_sequence_of_its_seed() -> None:
    first = [f.rand(42), f.rand(), f.rand()]
    assert [f.rand(42), f.rand(), f.rand()] == first
    assert f.rand(43) != first[0]
    assert len({f.rand() for _ in range(20)}) > 10
    for value in first:
        assert isinstance(value, float) and 0 <= value < 1


@given(st.decimals(-(10**12), 10**12, places=6), st.integers(-14, 8), st.sampled_from(sorted(ROUND_MODES)))
@settings(max_examples=150)
def test_rounding_moves_by_less_than_one_unit_and_again_not_at_all(number: Decimal, places: int, mode: str) -> None:
    rounded = f.round_(number, places, mode)
    assert isinstance(rounded, Decimal)
    assert abs(rounded - number) < Decimal(1).scaleb(-places)
    assert f.round_(rounded, places, mode) == rounded


@given(st.integers(MIN, MAX), st.integers(MIN, MAX).filter(bool))
@settings(max_examples=80)
def test_mod_and_division_belong_together(a: int, b: int) -> None:
    rest = f.mod(a, b)
    assert rest is not None and abs(rest) < abs(b)
    assert (a - rest) % b == 0
    assert rest == 0 or (rest > 0) == (a > 0)
