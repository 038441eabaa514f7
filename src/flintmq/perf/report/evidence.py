"""Points as evidence: which to compare, and the kinds of checks that the behaviours are made of.

A check compares points that differ only in what it is about. `ratio` pairs them: two points are a pair if all their
other parameters are equal; where no pair is, the peaks are compared. Within 6 % counts as equal (B200): "more" is more
than that, "the same" is within it. Where a document states a quantity of its own machine, the check is on the shape,
and the text has our quantity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from flintmq.pipeline.runs.regression import TOLERANCE
from flintmq.pipeline.runs.tables import Point, RunFacts

Measure = Callable[[Point], float | None]
#: Parameters that come with the one that a check is about.
_FOLLOWS = ("copies", "case", "servers", "subscribers", "drain_batch")


@dataclass(frozen=True, slots=True)
class Found:
    """The finding on a behaviour: a verdict if `held` is not None, a sentence, and the runs."""

    held: bool | None
    text: str
    runs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pick:
    """Points of some workloads with some parameters. A value may be a tuple: one of them.

    `shared` names parameters that only choose points: two points of a pair have the same value of them.
    """

    workloads: tuple[str, ...]
    parameters: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    shared: tuple[str, ...] = ()

    def takes(self, point: Point) -> bool:
        if point.product != "FlintMQ" or point.workload not in self.workloads:
            return False
        for name, value in self.parameters.items():
            wanted = value if isinstance(value, tuple) else (value,)
            if point.parameters.get(name, "none") not in wanted:
                return False
        return True


@dataclass(slots=True)
class Evidence:
    """All points of all runs of a report."""

    points: Sequence[Point]
    runs: Sequence[RunFacts] = ()

    def of(self, pick: Pick) -> list[Point]:
        return [point for point in self.points if pick.takes(point)]


Check = Callable[[Evidence], Found]


def pick(workloads: str, **parameters: str | tuple[str, ...]) -> Pick:
    """Return a Pick: `pick("SQ-W01 SQ-W08", streamq="none")`."""
    return Pick(tuple(workloads.split()), parameters)


def rate(point: Point) -> float | None:
    return point.rate or None


def cost(point: Point) -> float | None:
    return point.cpu_us


def logged(point: Point) -> float | None:
    return point.logged or None


def busy(point: Point) -> float | None:
    return point.machine_cpu


def latency(point: Point) -> float | None:
    return point.round_trip.p50 if point.round_trip else None


_WORDS: dict[Measure, str] = {
    rate: "the rate",
    cost: "CPU for an operation",
    logged: "log bytes for an operation",
    busy: "the share of the machine",
    latency: "the median latency",
}


def pairs(evidence: Evidence, top: Pick, bottom: Pick) -> list[tuple[Point, Point]]:
    """Return points that differ only in the parameters of the two picks; if there are none, the two peaks."""
    about = {*top.parameters, *bottom.parameters, *_FOLLOWS} - {*top.shared, *bottom.shared}

    def key(point: Point) -> tuple[tuple[str, str], ...]:
        return tuple(sorted((name, value) for name, value in point.parameters.items() if name not in about))

    tops, bottoms = evidence.of(top), evidence.of(bottom)
    found = [(one, other) for one in tops for other in bottoms if one is not other and key(one) == key(other)]
    if not found and tops and bottoms:
        one, other = (max(group, key=lambda point: point.rate) for group in (tops, bottoms))
        found = [(one, other)] if one is not other else []
    return found


def ratio(
    top: Pick, bottom: Pick, low: float = 0.0, high: float = float("inf"), of: Measure = rate, what: str = ""
) -> Check:
    """Return a check that a figure of the points of `top` over that of `bottom` lies between two bounds."""

    def check(evidence: Evidence) -> Found:
        seen = [(of(one), of(other), one, other) for one, other in pairs(evidence, top, bottom)]
        usable = [(a / b, one, other) for a, b, one, other in seen if a and b]
        if not usable:
            return Found(None, "")
        middle = median(value for value, _, _ in usable)
        runs = tuple(sorted({point.run for _, one, other in usable for point in (one, other)}))
        text = f"{what}{': ' if what else ''}{_WORDS.get(of, 'the figure')} is {middle:.2f} times"
        why = noisy([point for _, one, other in usable for point in (one, other)], of)
        return Found(None, f"{text}, but {why}") if why else Found(low <= middle <= high, text, runs)

    return check


#: Repeats that differ by more than this share are too noisy for a verdict on a rate or a latency.
NOISE_MAX = 0.30


def noisy(points: Sequence[Point], of: Measure) -> str:
    """Return why points are too noisy for a verdict on a figure; "" where they are not."""
    repeats = [point.server_us if of is cost else point.rates for point in points]
    spreads = [(max(each) - min(each)) / median(each) for each in repeats if len(each) > 1 and median(each)]
    if of is logged or not spreads or median(spreads) <= NOISE_MAX:
        return ""
    return f"repeats differ by {100 * median(spreads):.0f} %, too much for a verdict"


#: The most that a rate which levels off still grows by.
LEVEL = 1.10
#: Limits of a ratio if the document says "no less than", "no more than" and "the same".
NOT_LESS, NOT_MORE = 1 - TOLERANCE, 1 + TOLERANCE


def trend(
    points: Pick, along: str, low: float = 0.0, high: float = float("inf"), of: Measure = rate, what: str = ""
) -> Check:
    """Return a check on a figure at the highest value of a parameter over that at its lowest, the rest being equal."""

    def check(evidence: Evidence) -> Found:
        groups: dict[tuple[tuple[str, str], ...], list[Point]] = {}
        for point in evidence.of(points):
            if number_at(point, along) is not None and of(point):
                rest = sorted((n, v) for n, v in point.parameters.items() if n not in (along, "servers", "case"))
                groups.setdefault(tuple(rest), []).append(point)
        found = []
        for group in groups.values():
            group.sort(key=lambda point: number_at(point, along) or 0.0)
            one, other = of(group[0]), of(group[-1])
            if len(group) > 1 and one and other and number_at(group[0], along) != number_at(group[-1], along):
                found.append((other / one, group))
        if not found:
            return Found(None, "")
        middle = median(value for value, _ in found)
        ends = found[0][1][0].parameters[along], found[0][1][-1].parameters[along]
        runs = tuple(sorted({point.run for _, group in found for point in group}))
        word = _WORDS.get(of, "the figure")
        text = f"{what}{': ' if what else ''}{word} at {along} {ends[1]} is {middle:.2f} times that at {ends[0]}"
        why = noisy([point for _, group in found for point in group], of)
        if why:
            return Found(None, f"{text}, but {why}")
        return Found(low <= middle <= high, text, runs)

    return check


def number_at(point: Point, name: str) -> float | None:
    try:
        return float(point.parameters[name])
    except (KeyError, ValueError):
        return None


def order(*picks: Pick, of: Measure = rate, what: str) -> Check:
    """Return a check that a figure falls with each pick, by more than the 6 % that count as equal."""

    def check(evidence: Evidence) -> Found:
        values = []
        peaks: list[Point] = []
        for each in picks:
            seen = [(value, point) for point in evidence.of(each) if (value := of(point))]
            if not seen:
                return Found(None, "")
            value, best = max(seen, key=lambda pair: pair[0])
            values.append(value)
            peaks.append(best)
        text = f"{what}: {', '.join(f'{value:,.4g}' for value in values)}"
        why = noisy(peaks, of)
        if why:
            return Found(None, f"{text}, but {why}")
        held = all(two < one * NOT_LESS for one, two in zip(values, values[1:], strict=False))
        return Found(held, text, runs_of(peaks))

    return check


def every(points: Pick, holds: Callable[[Point], bool | None], what: str) -> Check:
    """Return a check that holds if it does at every point that has the figures for it."""

    def check(evidence: Evidence) -> Found:
        seen = [(holds(point), point) for point in evidence.of(points)]
        known = [(held, point) for held, point in seen if held is not None]
        if not known:
            return Found(None, "")
        good = sum(bool(held) for held, _ in known)
        runs = tuple(sorted({point.run for _, point in known}))
        return Found(good == len(known), f"{what}: at {good} of {len(known)} points", runs)

    return check


def flattens(points: Pick, along: str) -> Check:
    """Return a check that a rate grows over the first half of a ramp, less over the second, and is level there."""

    def check(evidence: Evidence) -> Found:
        groups: dict[tuple[tuple[str, str], ...], list[Point]] = {}
        for point in evidence.of(points):
            if number_at(point, along) is not None and point.rate:
                rest = sorted((n, v) for n, v in point.parameters.items() if n not in (along, "servers", "pairs"))
                groups.setdefault(tuple(rest), []).append(point)
        found = []
        for group in groups.values():
            if len(group) >= 3:
                group.sort(key=lambda point: number_at(point, along) or 0.0)
                half = group[len(group) // 2]
                first, second = half.rate / group[0].rate, group[-1].rate / half.rate
                found.append((second <= min(first, LEVEL), first, second, group))
        if not found:
            return Found(None, "")
        held, first, second, group = found[0]
        text = f"{along} to the middle of the ramp: {first:.2f} times the rate; from there to its end: {second:.2f}"
        why = noisy([point for each in found for point in each[3]], rate)
        if why:
            return Found(None, f"{text}, but {why}")
        return Found(all(each[0] for each in found), text, tuple(sorted({point.run for point in group})))

    return check


def growth(points: Pick, along: str, low: float, what: str = "") -> Check:
    """Return a check that the peak of a ramp is at least `low` times the rate at its lowest step."""

    def check(evidence: Evidence) -> Found:
        found = []
        for group in groups_along(evidence, points, along):
            best = max(group, key=lambda point: point.rate)
            found.append((best.rate / group[0].rate, best, group))
        if not found:
            return Found(None, "")
        middle = median(value for value, _, _ in found)
        _, best, group = found[0]
        lowest = group[0].parameters[along]
        text = f"{what}{': ' if what else ''}the peak is {middle:.2f} times the rate at {along} {lowest}"
        why = noisy([point for _, _, group in found for point in group], rate)
        if why:
            return Found(None, f"{text}, but {why}")
        return Found(middle >= low, text, runs_of(point for _, _, group in found for point in group))

    return check


def groups_along(evidence: Evidence, points: Pick, along: str, least: int = 2) -> list[list[Point]]:
    """Return points with a rate that differ in one parameter only, by its value; groups of at least `least` values."""
    groups: dict[tuple[tuple[str, str], ...], list[Point]] = {}
    for point in evidence.of(points):
        if number_at(point, along) is not None and point.rate:
            rest = sorted((n, v) for n, v in point.parameters.items() if n not in (along, *_FOLLOWS, "pairs"))
            groups.setdefault(tuple(rest), []).append(point)
    made = []
    for group in groups.values():
        group.sort(key=lambda point: number_at(point, along) or 0.0)
        if len({point.parameters[along] for point in group}) >= least:
            made.append(group)
    return made


def runs_of(points: Iterable[Point]) -> tuple[str, ...]:
    return tuple(sorted({point.run for point in points}))


def declines(points: Pick, along: str, of: Measure = rate, what: str = "the rate") -> Check:
    """Return a check that a figure has its peak inside of a ramp, and is lower again at the end by more than 6 %."""

    def check(evidence: Evidence) -> Found:
        found = []
        for group in groups_along(evidence, points, along, 3):
            values = [of(point) or 0.0 for point in group]
            best = values.index(max(values))
            found.append((best > 0 and values[-1] < NOT_LESS * values[best], values, best, group))
        if not found:
            return Found(None, "")
        held, values, best, group = found[0]
        peak = group[best].parameters[along]
        text = f"{what} peaks at {along} {peak}, at the end it is {values[-1] / values[best]:.2f} times that"
        why = noisy(group, rate)
        if why:
            return Found(None, f"{text}, but {why}")
        return Found(all(each[0] for each in found), text, runs_of(point for each in found for point in each[3]))

    return check


def both(*checks: Check) -> Check:
    """Return a check that holds if all do; not shown if one of them is not, with the text of all that were."""

    def check(evidence: Evidence) -> Found:
        found = [each(evidence) for each in checks]
        if not any(each.text for each in found):
            return Found(None, "")
        text = "; ".join(each.text for each in found if each.text)
        known = [each.held for each in found]
        runs = tuple(sorted({run for each in found for run in each.runs}))
        if False in known:
            return Found(False, text, runs)
        return Found(None, f"{text}; the other half is not shown") if None in known else Found(True, text, runs)

    return check


def alike(picks: Mapping[str, Sequence[Pick]]) -> Check:
    """Return a check that the peaks of several picks are within 10 % of each other, in each of several classes."""

    def check(evidence: Evidence) -> Found:
        parts, held, points = [], True, list[Point]()
        for name, members in picks.items():
            peaks = [max(found, key=lambda point: point.rate) for each in members if (found := evidence.of(each))]
            if len(peaks) > 1:
                low, high = (end(point.rate for point in peaks) for end in (min, max))
                parts.append(f"{name}: {len(peaks)} ciphers within {100 * (high / low - 1):.0f} %")
                held = held and high <= 1.1 * low
                points += peaks
        if not parts:
            return Found(None, "")
        why = noisy(points, rate)
        return Found(None, f"{', '.join(parts)}, but {why}") if why else Found(held, ", ".join(parts), runs_of(points))

    return check
