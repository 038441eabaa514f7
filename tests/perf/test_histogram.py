"""Histograms: bounded error, merging equals recording in one, damaged ones are refused."""

from __future__ import annotations

import json
import random

import pytest

from flintmq.perf.histogram import VALUE_MAX, Histogram, highest, lowest, merged


def filled(values: list[int]) -> Histogram:
    made = Histogram()
    for value in values:
        made.record(value)
    return made


def test_buckets_join_without_gap_or_overlap() -> None:
    for index in range(len(Histogram().counts) - 1):
        assert highest(index) + 1 == lowest(index + 1)
    assert highest(len(Histogram().counts) - 1) == VALUE_MAX


@pytest.mark.parametrize("value", [0, 1, 127, 128, 255, 256, 257, 65535, 10**6, 10**9 + 7, VALUE_MAX])
def test_a_value_falls_into_its_bucket(value: int) -> None:
    made = filled([value])
    (index,) = [index for index, count in enumerate(made.counts) if count]
    assert lowest(index) <= value <= highest(index)
    assert highest(index) - lowest(index) <= max(0, value / 127)


def test_percentiles_are_within_a_percent_of_the_exact_ones() -> None:
    numbers = random.Random(7)
    values = sorted(int(numbers.lognormvariate(12, 2)) for _ in range(20_000))
    made = filled(values)
    for percent in (1, 50, 90, 99, 99.9):
        exact = values[max(0, round(len(values) * percent / 100) - 1)]
        assert abs(made.percentile(percent) - exact) <= exact * 0.01 + 1
    assert made.percentile(100) == max(values) == made.maximum
    assert made.mean == pytest.approx(sum(values) / len(values))


def test_merging_equals_recording_in_one() -> None:
    one, two = [5, 500, 5_000_000], [7, 500, 10**10]
    both = merged([filled(one), filled(two)])
    assert both.counts == filled(one + two).counts
    assert (both.total, both.maximum, both.count) == (sum(one + two), 10**10, 6)


def test_json_brings_all_of_it_back() -> None:
    made = filled([0, 1, 300, 10**9, VALUE_MAX * 4, -5])
    back = Histogram.from_json(json.loads(json.dumps(made.to_json())))
    assert (back.counts, back.total, back.maximum) == (made.counts, made.total, made.maximum)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"unit": "us", "bits": 7},
        {"unit": "ns", "bits": 7},
        {"unit": "ns", "bits": 7, "counts": [[-1, 1]], "total": 0, "maximum": 0},
        {"unit": "ns", "bits": 7, "counts": [[1, -1]], "total": 0, "maximum": 0},
        {"unit": "ns", "bits": 7, "counts": [["a", 1]], "total": 0, "maximum": 0},
    ],
)
def test_a_damaged_histogram_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        Histogram.from_json(data)


def test_no_values_are_no_error() -> None:
    assert (Histogram().percentile(99), Histogram().mean, Histogram().count) == (0, 0.0, 0)
