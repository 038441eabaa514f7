"""Compare two runs: same, better or worse, by repeats and a bootstrap interval.

    verdict   when
    worse     the change for the worse is beyond the tolerance, and its interval does not hold "no change"
    better    the same in the other direction
    same      everything else

The tolerance is 6 % either way (B200). A comparison has two kinds of verdicts.

**The run as a whole**, for each kind of figure (rates, CPU): the mean of the log ratios of all figures, with a
bootstrap interval. Each figure has the noise of a handful of repeats; the mean of twelve has a quarter of it, so that a
slow-down of a tenth shows where no single figure can. The bootstrap draws figures with replacement, and so allows for
figures that changed by different amounts; with fewer than FIGURES_LEAST it draws repeats from the noise of all of them.
Intervals are as wide as those of Student's t, because few values are drawn from.

**Each figure**: the ratio of the medians of the repeats, as a logarithm, so that a rate that halves and one that
doubles are equally far from none. The noise model is the spread of the repeats about their own mean, pooled over all
figures of one kind in both runs: three repeats alone say little about noise, twenty points with three repeats each say
a lot. A figure whose own repeats are further apart than those of the pool has an interval that is wider in proportion.
With many figures in one comparison intervals are widened (Bonferroni), so that a pair of equal runs keeps its 1 % for
the whole comparison and not for each figure.

Nothing here knows of Spark: a comparison has tens of figures, and each has a handful of repeats.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist, median

#: Differences within it count as equal (B200).
TOLERANCE = 0.06
#: The chance of a wrong verdict for a whole comparison of equal runs.
ALPHA = 0.01
DRAWS = 4000
#: Repeats below which a run has no noise of its own to speak of.
REPEATS_LEAST = 3
#: Figures from which a bootstrap draws figures, and not repeats.
FIGURES_LEAST = 6

SAME, BETTER, WORSE = "same", "better", "worse"


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure of a run: its repeats, and which direction is good."""

    repeats: tuple[float, ...]
    higher_is_better: bool = True
    #: Figures of one kind share a noise model: rates, CPU costs, latencies.
    kind: str = "rate"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The comparison of one figure between run A and run B."""

    name: str
    verdict: str
    before: float
    after: float
    #: B over A, and the interval that the noise leaves it.
    ratio: float
    low: float
    high: float
    repeats: tuple[int, int]
    #: Caveats of the verdict: few repeats, an interval wider than the tolerance.
    remark: str = ""

    @property
    def change_pct(self) -> float:
        """Return the change in percent, negative where B has less."""
        return 100 * (self.ratio - 1)


@dataclass(frozen=True, slots=True)
class Whole:
    """The comparison of all figures of one kind."""

    kind: str
    verdict: str
    figures: int
    #: The mean ratio of B over A, and the interval that the noise leaves it.
    ratio: float
    low: float
    high: float
    remark: str = ""

    @property
    def change_pct(self) -> float:
        """Return the change in percent, negative where B has less."""
        return 100 * (self.ratio - 1)


@dataclass(slots=True)
class Comparison:
    """All verdicts of a pair of runs, and the figures that could not be compared."""

    verdicts: list[Verdict] = field(default_factory=list)
    #: The verdicts of the run as a whole, one for each kind of figure.
    whole: list[Whole] = field(default_factory=list)
    only_in_a: list[str] = field(default_factory=list)
    only_in_b: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """Return `worse` if a kind as a whole or any figure is worse, else `better` if one is better, else `same`."""
        seen = {each.verdict for each in self.verdicts} | {each.verdict for each in self.whole}
        return WORSE if WORSE in seen else BETTER if BETTER in seen else SAME


def residuals(repeats: Sequence[float]) -> list[float]:
    """Return the distances of repeats from their mean as logarithms, widened for the few they are.

    n repeats about their own mean are too close to it by sqrt((n - 1) / n).
    """
    usable = [math.log(value) for value in repeats if value > 0]
    if len(usable) < 2:
        return []
    middle = sum(usable) / len(usable)
    widened = math.sqrt(len(usable) / (len(usable) - 1))
    return [(value - middle) * widened for value in usable]


def pools(*runs: Mapping[str, Measure]) -> dict[str, list[float]]:
    """Return the noise of each kind of figure: residuals of all repeats in all runs."""
    made: dict[str, list[float]] = {}
    for run in runs:
        for measure in run.values():
            made.setdefault(measure.kind, []).extend(residuals(measure.repeats))
    return made


def interval(pool: Sequence[float], sizes: tuple[int, int], alpha: float, draws: int, seed: int) -> tuple[float, float]:
    """Return the interval, as logarithms around 0, of a difference of two medians that only noise made."""
    if not pool:
        return 0.0, 0.0
    source = random.Random(seed)
    made = sorted(
        median(source.choices(pool, k=sizes[1])) - median(source.choices(pool, k=sizes[0])) for _ in range(draws)
    )
    below = min(max(int(alpha / 2 * draws), 0), draws - 1)
    return made[below], made[draws - 1 - below]


def compare(
    before: Mapping[str, Measure],
    after: Mapping[str, Measure],
    tolerance: float = TOLERANCE,
    alpha: float = ALPHA,
    draws: int = DRAWS,
    seed: int = 20,
) -> Comparison:
    """Compare run B (`after`) with run A (`before`), figure by figure."""
    names = [name for name in before if name in after and _is_usable(before[name]) and _is_usable(after[name])]
    noise = pools({name: before[name] for name in names}, {name: after[name] for name in names})
    made = Comparison(
        only_in_a=[name for name in before if name not in names],
        only_in_b=[name for name in after if name not in names],
    )
    each = alpha / max(len(names), 1)
    known: dict[tuple[str, int, int], tuple[float, float]] = {}
    for name in names:
        one, other = before[name], after[name]
        sizes = len(one.repeats), len(other.repeats)
        key = (one.kind, *sizes)
        if key not in known:
            known[key] = interval(noise[one.kind], sizes, each, draws, seed)
        wide = _wider(one, other, noise[one.kind])
        made.verdicts.append(_judge(name, one, other, (known[key][0] * wide, known[key][1] * wide), tolerance))
    for kind in dict.fromkeys(before[name].kind for name in names):
        mine = [(before[name], after[name]) for name in names if before[name].kind == kind]
        made.whole.append(_whole(kind, mine, noise[kind], tolerance, alpha, draws, seed))
    return made


def _wider(one: Measure, other: Measure, pool: Sequence[float]) -> float:
    """Return how many times further apart the repeats of a figure are than those of all, at least 1."""
    own = [*residuals(one.repeats), *residuals(other.repeats)]
    usual = _spread(pool)
    return max(1.0, _spread(own) / usual) if own and usual else 1.0


def _spread(values: Sequence[float]) -> float:
    return math.sqrt(sum(value * value for value in values) / len(values)) if values else 0.0


def _whole(
    kind: str,
    pairs: Sequence[tuple[Measure, Measure]],
    pool: Sequence[float],
    tolerance: float,
    alpha: float,
    draws: int,
    seed: int,
) -> Whole:
    """Judge all figures of one kind together, by their mean log ratio."""
    ratios = [_mean_log(other.repeats) - _mean_log(one.repeats) for one, other in pairs]
    change = sum(ratios) / len(ratios)
    source = random.Random(seed)
    if len(ratios) >= FIGURES_LEAST:
        off = [each - change for each in ratios]
        widened = math.sqrt(len(off) / (len(off) - 1)) * student(len(off) - 1, alpha)
        means = [widened * sum(source.choices(off, k=len(off))) / len(off) for _ in range(draws)]
    else:
        sizes = [(len(one.repeats), len(other.repeats)) for one, other in pairs]
        widened = student(len(pool) - len({id(each) for pair in pairs for each in pair}), alpha)
        means = [
            widened
            * sum(_drawn(source, pool, after) - _drawn(source, pool, before) for before, after in sizes)
            / len(sizes)
            for _ in range(draws if pool else 1)
        ]
    means.sort()
    below = min(max(int(alpha / 2 * len(means)), 0), len(means) - 1)
    low, high = change - means[len(means) - 1 - below], change - means[below]
    ratio = math.exp(change)
    beyond = ratio < 1 - tolerance or ratio > 1 + tolerance
    clear = low > 0 or high < 0
    is_better = (change > 0) == pairs[0][0].higher_is_better
    verdict = SAME if not (beyond and clear) else BETTER if is_better else WORSE
    remark = ""
    if not pool:
        remark = "one repeat each: the noise is not known"
    elif beyond and not clear:
        remark = "beyond the tolerance, but noise alone can do that: run more repeats"
    elif high - low > 2 * math.log1p(tolerance):
        remark = "noise is wider than the tolerance: run more repeats"
    return Whole(kind, verdict, len(ratios), ratio, math.exp(low), math.exp(high), remark)


def student(freedom: int, alpha: float) -> float:
    """Return how many times wider than the normal distribution an interval of Student's t is, about."""
    z, v = NormalDist().inv_cdf(1 - alpha / 2), max(2, freedom)
    return 1 + (z**2 + 1) / (4 * v) + (5 * z**4 + 16 * z**2 + 3) / (96 * v**2)


def _mean_log(repeats: Sequence[float]) -> float:
    known = [math.log(value) for value in repeats if value > 0]
    return sum(known) / len(known)


def _drawn(source: random.Random, pool: Sequence[float], count: int) -> float:
    """Return the mean of some values of the pool."""
    return sum(source.choices(pool, k=count)) / count if pool else 0.0


def _is_usable(measure: Measure) -> bool:
    return bool(measure.repeats) and median(measure.repeats) > 0


def _judge(name: str, one: Measure, other: Measure, noise: tuple[float, float], tolerance: float) -> Verdict:
    before, after = median(one.repeats), median(other.repeats)
    change = math.log(after / before)
    low, high = change - noise[1], change - noise[0]
    good = change if one.higher_is_better else -change
    # The tolerance allows 6 % less of a rate and 6 % more of a cost.
    beyond = after < before * (1 - tolerance) or after > before * (1 + tolerance)
    clear = low > 0 or high < 0
    verdict = SAME if not (beyond and clear) else BETTER if good > 0 else WORSE
    remark = ""
    if min(len(one.repeats), len(other.repeats)) < REPEATS_LEAST:
        remark = f"fewer than {REPEATS_LEAST} repeats"
    elif beyond and not clear:
        remark = "beyond the tolerance, but noise alone can do that: run more repeats"
    elif max(abs(noise[0]), abs(noise[1])) > math.log1p(tolerance):
        remark = "noise is wider than the tolerance"
    sizes = len(one.repeats), len(other.repeats)
    return Verdict(name, verdict, before, after, after / before, math.exp(low), math.exp(high), sizes, remark)
