"""B200: within 6 % counts as equal. An injected slow-down of 10 % is worse, a pair of equal runs is the same."""

from __future__ import annotations

import random
from statistics import mean

import pytest

from flintmq.pipeline.runs.regression import BETTER, SAME, WORSE, Comparison, Measure, compare, interval, residuals
from tests.perf.simulated import repeat_of

TRIALS, NEEDED = 20, 19
FIGURES, REPEATS = 12, 5


def run_of(seed: int, slower: float = 1.0) -> dict[str, Measure]:
    """A run of twelve points: rates and costs that are noisy as those of real repeats are."""
    source = random.Random(seed)
    made = {}
    for number in range(FIGURES):
        true = 1000.0 * (number + 1)
        rates = tuple(mean(repeat_of(true / slower, source)) for _ in range(REPEATS))
        costs = tuple(mean(repeat_of(50.0 * slower, source, 0.01)) for _ in range(REPEATS))
        made[f"{number}: rate"] = Measure(rates, True, "rate")
        made[f"{number}: CPU"] = Measure(costs, False, "CPU")
    return made


def test_a_slow_down_of_a_tenth_is_worse_and_equal_runs_are_the_same_in_19_of_20_trials() -> None:
    worse = [compare(run_of(seed), run_of(1000 + seed, 1.10)).verdict for seed in range(TRIALS)]
    same = [compare(run_of(seed), run_of(2000 + seed)).verdict for seed in range(TRIALS)]
    assert worse.count(WORSE) >= NEEDED
    assert same.count(SAME) >= NEEDED


def test_one_figure_that_is_slower_is_found_by_its_name_and_the_others_stay_the_same() -> None:
    before, after = run_of(1), run_of(2)
    slow = before["3: rate"]
    after["3: rate"] = Measure(tuple(each * 0.85 for each in slow.repeats), True, "rate")
    found = compare(before, after)
    assert [each.name for each in found.verdicts if each.verdict == WORSE] == ["3: rate"]
    assert found.verdict == WORSE


def test_a_gain_is_better_in_either_direction_of_good() -> None:
    fast = {"rate": Measure((130, 131, 132)), "CPU": Measure((8.0, 8.1, 8.0), False, "CPU")}
    slow = {"rate": Measure((100, 101, 102)), "CPU": Measure((10.0, 10.1, 10.2), False, "CPU")}
    assert {each.verdict for each in compare(slow, fast).verdicts} == {BETTER}
    assert {each.verdict for each in compare(fast, slow).verdicts} == {WORSE}


@pytest.mark.parametrize(("after", "verdict"), [(94.5, SAME), (105.5, SAME), (93.0, WORSE), (107.0, BETTER)])
def test_the_tolerance_is_six_percent_either_way(after: float, verdict: str) -> None:
    before = {"rate": Measure((100.0, 100.0, 100.0))}
    assert compare(before, {"rate": Measure((after, after, after))}).verdict == verdict


def test_a_change_that_noise_alone_can_make_is_the_same_and_says_so() -> None:
    before = {"rate": Measure((60.0, 100.0, 160.0))}
    found = compare(before, {"rate": Measure((52.0, 88.0, 150.0))})
    (only,) = found.verdicts
    assert only.verdict == SAME and "more repeats" in only.remark
    assert only.low < 1 < only.high


def test_few_repeats_are_told() -> None:
    (only,) = compare({"rate": Measure((100.0,))}, {"rate": Measure((50.0,))}).verdicts
    assert "fewer than 3 repeats" in only.remark


def test_what_only_one_run_has_or_is_nothing_is_not_compared() -> None:
    found = compare(
        {"a": Measure((1.0,)), "b": Measure((0.0,)), "c": Measure(())}, {"b": Measure((1.0,)), "d": Measure((1,))}
    )
    assert found.verdicts == [] and found.verdict == SAME
    assert found.only_in_a == ["a", "b", "c"] and found.only_in_b == ["b", "d"]


def test_residuals_of_few_repeats_are_as_wide_as_those_of_many() -> None:
    source = random.Random(7)
    few = [each for _ in range(3000) for each in residuals([source.lognormvariate(0, 0.1) for _ in range(3)])]
    assert (sum(each**2 for each in few) / len(few)) ** 0.5 == pytest.approx(0.1, rel=0.05)
    assert residuals([5.0]) == [] and residuals([0.0, -1.0]) == []


def test_the_interval_holds_no_change_and_shrinks_with_repeats() -> None:
    pool = [random.Random(3).gauss(0, 0.05) for _ in range(1)] + [each / 100 for each in range(-9, 10)]
    low, high = interval(pool, (3, 3), 0.05, 500, 1)
    assert low < 0 < high
    closer = interval(pool, (15, 15), 0.05, 500, 1)
    assert closer[1] - closer[0] < high - low
    assert interval([], (3, 3), 0.05, 500, 1) == (0.0, 0.0)


def test_a_comparison_is_the_same_every_time() -> None:
    def once() -> Comparison:
        return compare(run_of(1), run_of(2))

    assert once().verdicts == once().verdicts
