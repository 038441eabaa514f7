"""B200: within 6 % counts as equal. An injected slow-down of 10 % is worse, a pair of equal runs is the same."""

from __future__ import annotations

import random

import pytest

from flintmq.pipeline.runs.regression import (
    BETTER,
    SAME,
    WORSE,
    Comparison,
    Measure,
    compare,
    interval,
    residuals,
    student,
)

TRIALS, NEEDED = 20, 19
#: Noise of real repeats: residuals of the runs of docs/report, standard deviation of a repeat.
RATE_NOISE, CPU_NOISE = 0.062, 0.054
FIGURES, REPEATS = 12, 3


def run_of(
    seed: int, slower: float = 1.0, figures: int = FIGURES, noise: float = 1.0, repeats: int = REPEATS
) -> dict[str, Measure]:
    """A run of twelve points: rates and costs that are as noisy as those of real repeats."""
    source = random.Random(seed)

    def drawn(true: float, spread: float) -> tuple[float, ...]:
        return tuple(true * source.lognormvariate(0, noise * spread) for _ in range(repeats))

    made = {}
    for number in range(figures):
        made[f"{number}: rate"] = Measure(drawn(1000.0 * (number + 1) / slower, RATE_NOISE), True, "rate")
        made[f"{number}: CPU"] = Measure(drawn(50.0 * slower, CPU_NOISE), False, "CPU")
    return made


@pytest.mark.parametrize("figures", [12, 42])
def test_a_slow_down_of_a_tenth_is_worse_and_equal_runs_are_the_same_in_19_of_20_trials(figures: int) -> None:
    """Three repeats with the noise of real ones: no single figure can tell a tenth, all of them together can."""
    worse = [compare(run_of(seed, 1.0, figures), run_of(1000 + seed, 1.10, figures)) for seed in range(TRIALS)]
    same = [compare(run_of(seed, 1.0, figures), run_of(2000 + seed, 1.0, figures)) for seed in range(TRIALS)]
    assert [each.verdict for each in worse].count(WORSE) >= NEEDED
    assert [each.verdict for each in same].count(SAME) >= NEEDED
    assert all(whole.verdict != BETTER for each in worse for whole in each.whole)


def test_equal_runs_with_some_points_much_noisier_than_others_are_the_same() -> None:
    """A figure whose repeats are far apart is measured by its own noise, not by that of the quiet ones."""

    def uneven(seed: int) -> dict[str, Measure]:
        loud = {f"loud {name}": each for name, each in run_of(seed, 1.0, 3, 4.0).items()}
        return run_of(seed + 1) | loud

    same = [compare(uneven(seed), uneven(5000 + seed)).verdict for seed in range(0, 2 * TRIALS, 2)]
    assert same.count(SAME) >= NEEDED


def test_the_run_as_a_whole_has_a_change_and_an_interval_for_each_kind() -> None:
    found = compare(run_of(1), run_of(1001, 1.10))
    rate, cpu = found.whole
    assert (rate.kind, rate.figures, cpu.kind, cpu.figures) == ("rate", 12, "CPU", 12)
    assert rate.low < rate.ratio < rate.high < 1 < cpu.low < cpu.ratio < cpu.high
    assert rate.change_pct == pytest.approx(-9, abs=4) and cpu.change_pct == pytest.approx(10, abs=4)


def test_few_figures_are_judged_by_the_noise_of_their_repeats() -> None:
    quiet = compare(run_of(1, 1.0, 2, 0.2), run_of(1001, 1.15, 2, 0.2))
    assert {each.verdict for each in quiet.whole} == {WORSE}
    loud = compare(run_of(1, 1.0, 1, 4.0), run_of(1003, 1.3, 1, 4.0))
    assert {each.verdict for each in loud.whole} == {SAME}
    assert all(each.remark for each in loud.whole)


@pytest.mark.parametrize(("freedom", "value"), [(4, 4.604), (11, 3.106), (30, 2.750)])
def test_intervals_of_few_values_are_those_of_students_t(freedom: int, value: float) -> None:
    assert 2.5758 * student(freedom, 0.01) == pytest.approx(value, rel=0.06)


def test_one_repeat_each_is_told() -> None:
    found = compare({"a": Measure((100.0,))}, {"a": Measure((50.0,))})
    assert "noise is not known" in found.whole[0].remark


def test_one_figure_that_is_slower_is_found_by_its_name_and_the_others_stay_the_same() -> None:
    before, after = run_of(1, noise=0.2), run_of(2, noise=0.2)
    slow = before["3: rate"]
    after["3: rate"] = Measure(tuple(each * 0.85 for each in slow.repeats), True, "rate")
    found = compare(before, after)
    assert [each.name for each in found.verdicts if each.verdict == WORSE] == ["3: rate"]
    assert found.verdict == WORSE and {each.verdict for each in found.whole} == {SAME}


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
