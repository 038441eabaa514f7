"""Compare two runs: same, better or worse, by repeats and a bootstrap interval.

    verdict   when
    worse     the change for the worse is beyond the tolerance, and its interval does not hold "no change"
    better    the same in the other direction
    same      everything else

The tolerance is 6 % either way (B200). The change is the ratio of the medians of the repeats, as a logarithm, so that
a rate that halves and one that doubles are equally far from none. The noise model is the spread of the repeats about
their own median, pooled over all figures of one kind in both runs: three repeats alone say little about noise, twenty
points with three repeats each say a lot. A bootstrap draws both sides of a comparison from that pool and takes the
interval of the ratio. With many figures in one comparison the interval is widened (Bonferroni), so that a pair of equal
runs keeps its 1 % for the whole comparison and not for each figure.

Nothing here knows of Spark: a comparison has tens of figures, and each has a handful of repeats.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

#: Differences within it count as equal (B200).
TOLERANCE = 0.06
#: The chance of a wrong verdict for a whole comparison of equal runs.
ALPHA = 0.01
DRAWS = 4000
#: Repeats below which a run has no noise of its own to speak of.
REPEATS_LEAST = 3

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


@dataclass(slots=True)
class Comparison:
    """All verdicts of a pair of runs, and the figures that could not be compared."""

    verdicts: list[Verdict] = field(default_factory=list)
    only_in_a: list[str] = field(default_factory=list)
    only_in_b: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """Return `worse` if any figure is worse, else `better` if any is better, else `same`."""
        seen = {each.verdict for each in self.verdicts}
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
        made.verdicts.append(_judge(name, one, other, known[key], tolerance))
    return made


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
