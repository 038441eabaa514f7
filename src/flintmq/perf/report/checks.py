"""Behaviours as small functions over points: each returns held, not held, or not shown.

A check compares points that differ only in what it is about. `ratio` pairs them: two points are a pair if all their
other parameters are equal; where no pair is, the peaks are compared. Within 6 % counts as equal (B200). Where a
document states a quantity of its own machine, the check is on the shape, and the text has our quantity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
    """Points of some workloads with some parameters. A value may be a tuple: one of them."""

    workloads: tuple[str, ...]
    parameters: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)

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
    about = {*top.parameters, *bottom.parameters, *_FOLLOWS}

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
#: The share of the busy time of a machine that our processes have where nothing else runs.
BUSY_OURS = 0.75


def noisy(points: Sequence[Point], of: Measure) -> str:
    """Return why points are too noisy for a verdict on a figure; "" where they are not."""
    repeats = [point.server_us if of is cost else point.rates for point in points]
    spreads = [(max(each) - min(each)) / median(each) for each in repeats if len(each) > 1 and median(each)]
    if of is logged or not spreads or median(spreads) <= NOISE_MAX:
        return ""
    return f"repeats differ by {100 * median(spreads):.0f} %, too much for a verdict"


#: Limits of a ratio if the document says "no less than", "no more than" and "the same".
NOT_LESS, NOT_MORE = 1 - TOLERANCE, 1 + TOLERANCE


def trend(
    points: Pick, along: str, low: float = 0.0, high: float = float("inf"), of: Measure = rate, what: str = ""
) -> Check:
    """Return a check on a figure at the highest value of a parameter over that at its lowest, the rest being equal."""

    def check(evidence: Evidence) -> Found:
        groups: dict[tuple[tuple[str, str], ...], list[Point]] = {}
        for point in evidence.of(points):
            if _number(point, along) is not None and of(point):
                rest = sorted((n, v) for n, v in point.parameters.items() if n not in (along, "servers", "case"))
                groups.setdefault(tuple(rest), []).append(point)
        found = []
        for group in groups.values():
            group.sort(key=lambda point: _number(point, along) or 0.0)
            one, other = of(group[0]), of(group[-1])
            if len(group) > 1 and one and other and _number(group[0], along) != _number(group[-1], along):
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


def _number(point: Point, name: str) -> float | None:
    try:
        return float(point.parameters[name])
    except (KeyError, ValueError):
        return None


def order(*picks: Pick, of: Measure = rate, what: str) -> Check:
    """Return a check that a figure falls from the first pick to the last, and rises nowhere between."""

    def check(evidence: Evidence) -> Found:
        values = []
        runs: set[str] = set()
        for each in picks:
            seen = [(value, point) for point in evidence.of(each) if (value := of(point))]
            if not seen:
                return Found(None, "")
            best = max(seen, key=lambda pair: pair[0])
            values.append(best[0])
            runs.add(best[1].run)
        held = all(two <= one * NOT_MORE for one, two in zip(values, values[1:], strict=False))
        held = held and values[-1] <= values[0] * NOT_LESS
        return Found(held, f"{what}: {', '.join(f'{value:,.4g}' for value in values)}", tuple(sorted(runs)))

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
    """Return a check that a rate grows less over the second half of a ramp than over the first."""

    def check(evidence: Evidence) -> Found:
        groups: dict[tuple[tuple[str, str], ...], list[Point]] = {}
        for point in evidence.of(points):
            if _number(point, along) is not None and point.rate:
                rest = sorted((n, v) for n, v in point.parameters.items() if n not in (along, "servers", "pairs"))
                groups.setdefault(tuple(rest), []).append(point)
        found = []
        for group in groups.values():
            if len(group) >= 3:
                group.sort(key=lambda point: _number(point, along) or 0.0)
                half = group[len(group) // 2]
                first, second = half.rate / group[0].rate, group[-1].rate / half.rate
                found.append((second <= max(first, NOT_MORE), first, second, group))
        if not found:
            return Found(None, "")
        held, first, second, group = found[0]
        text = f"{along} to the middle of the ramp: {first:.2f} times the rate; from there to its end: {second:.2f}"
        return Found(all(each[0] for each in found), text, tuple(sorted({point.run for point in group})))

    return check


def copies_of(point: Point) -> float | None:
    """Return the copies that are made of a message: by the parameter of that name, else by the kind of streaming."""
    given = _number(point, "copies")
    if given is not None:
        return given
    return {"none": 0.0, "BESTEF": 1.0, "MUSTDUP": 1.0}.get(point.parameters.get("streamq", ""))


def _total(point: Point) -> bool | None:
    """Check B95: an operation puts the message and its copies, and no more."""
    copies = copies_of(point)
    if point.messages is None or copies is None:
        return None
    return abs(point.messages - (1 + copies)) <= 0.02 * (1 + copies)


def _keeps_up(point: Point) -> bool | None:
    """Check B91: the remaining depth is less than a twentieth of a second of work."""
    return None if point.depth is None or not point.rate else point.depth <= 0.05 * point.rate + 10


def _identity(evidence: Evidence) -> Found:
    """B264: CPU for an operation is the busy share of all processors over the rate. Other programs use some of it."""
    cores = {run.id: run.cores for run in evidence.runs}
    shares, runs = [], set()
    for point in evidence.points:
        if point.total_us and point.rate and point.machine_cpu and cores.get(point.run):
            shares.append(point.total_us * point.rate / 1e6 / (point.machine_cpu * cores[point.run]))
            runs.add(point.run)
    if not shares:
        return Found(None, "")
    middle = median(shares)
    text = f"CPU of the processes is {100 * middle:.0f} % of the busy time of the machine"
    if middle < BUSY_OURS:
        return Found(None, f"{text}: other programs used it, too")
    return Found(middle <= 1.05, text, tuple(sorted(runs)))


_SQ = "SQ-W01 SQ-W02 SQ-W03 SQ-W04 SQ-W05 SQ-W06 SQ-W07 SQ-W08 Z93-Q10 Z93-Q11"
_SQ_ONE = "SQ-W01 SQ-W02 SQ-W03 SQ-W05 SQ-W08 Z93-Q10 Z93-Q11"
_PUT = "Z93-Q03 Z93-Q08"
_SIX = ("6", "7")
_P, _NP = "true", "false"

#: Number -> the check, and the workloads whose runs it needs.
CHECKS: dict[int, tuple[Check, str]] = {
    57: (
        ratio(pick("Z93-Q02", case="streamq"), pick("Z93-Q02", case="plain"), 1.0, 4.0, cost),
        "Z93-Q02",
    ),
    58: (every(pick(_SQ), _total, "messages for a put are 1 + copies"), "SQ-W01 to SQ-W08"),
    59: (
        ratio(
            pick(_SQ_ONE, streamq="BESTEF", persistent=_P),
            pick(_SQ_ONE, streamq="none", persistent=_P),
            1.5,
            2.5,
            logged,
        ),
        "SQ-W01 and SQ-W02",
    ),
    81: (
        ratio(pick(_PUT, streamq="BESTEF"), pick(_PUT, streamq="none"), 1.25, 2.7, cost, "private queues"),
        "Z93-Q03 or Z93-Q08",
    ),
    82: (ratio(pick("Z93-Q10", streamq="BESTEF"), pick("Z93-Q10", streamq="MUSTDUP"), NOT_LESS), "Z93-Q10"),
    83: (ratio(pick("Z93-Q11 Z93-Q10", streamq="BESTEF"), pick("Z93-Q11", streamq="pubsub"), NOT_LESS), "Z93-Q11"),
    84: (ratio(pick("Z93-Q15", streamq="alias"), pick("Z93-Q15", streamq="pubsub"), NOT_LESS), "Z93-Q15"),
    85: (
        order(
            pick("SQ-W01", persistent=_P),
            pick("SQ-W02", persistent=_P),
            pick("SQ-W05", persistent=_P),
            what="baseline, stream queue, publish/subscribe",
        ),
        "SQ-W01, SQ-W02 and SQ-W05",
    ),
    86: (ratio(pick("SQ-W04"), pick("SQ-W02"), NOT_LESS, what="batches of 10"), "SQ-W02 and SQ-W04"),
    87: (
        ratio(pick(_SQ_ONE, streamq="MUSTDUP"), pick(_SQ_ONE, streamq="BESTEF"), 0.8, NOT_MORE),
        "SQ-W02 and SQ-W03, or SQ-W08",
    ),
    88: (
        ratio(pick("SQ-W06 SQ-W08", streamq="alias"), pick("SQ-W07 SQ-W08", streamq="pubsub", copies=_SIX), 0.85, 1.15),
        "SQ-W06 and SQ-W07",
    ),
    89: (
        ratio(pick("SQ-W02 SQ-W08", streamq="BESTEF"), pick("SQ-W01 SQ-W08", streamq="none"), 0.5, NOT_MORE),
        "SQ-W01 and SQ-W02",
    ),
    90: (ratio(pick(_SQ, persistent=_P), pick("SQ-W08", persistent=_NP), 0.0, NOT_MORE, busy), "SQ-W01 and SQ-W08"),
    91: (every(pick(_SQ), _keeps_up, "getters keep up"), "SQ-W01 to SQ-W08"),
    95: (every(pick(_SQ), _total, "total is the rate of the application x (1 + copies)"), "SQ-W01 to SQ-W08"),
    96: (flattens(pick("SQ-W01"), "clients"), "SQ-W01 with three steps or more"),
    108: (
        ratio(
            pick(f"{_SQ_ONE} Z93-Q14", streamq="BESTEF", persistent=_P),
            pick(f"{_SQ_ONE} Z93-Q14", streamq="none", persistent=_P),
            1.5,
            2.5,
            logged,
        ),
        "SQ-W01 and SQ-W02, or Z93-Q14",
    ),
    111: (ratio(pick("Z93-Q14", streamq="BESTEF"), pick("Z93-Q14", streamq="none"), 0.9, 2.5, latency), "Z93-Q14"),
    120: (trend(pick("Z701-W12", compression="RLE"), "compressible", 0.0, 1.0, logged), "Z701-W12"),
    121: (
        ratio(
            pick("Z701-W12", compressible="90", compression="RLE"),
            pick("Z701-W12", compressible="0", compression="RLE"),
            0.05,
            0.3,
            logged,
        ),
        "Z701-W12",
    ),
    122: (
        ratio(
            pick("Z701-W12", compressible="90", compression="RLE"),
            pick("Z701-W12", compressible="50", compression="RLE"),
            0.0,
            NOT_MORE,
            cost,
        ),
        "Z701-W12",
    ),
    124: (
        trend(pick("L92-W14 Z93-R05 L92-W15", persistent=_P), "clients", 1.0, what="more requesters share log writes"),
        "L92-W14 with two steps or more",
    ),
    125: (trend(pick("L92-W14", persistent=_P), "size", 0.0, NOT_MORE, busy), "L92-W14 with several sizes"),
    126: (
        ratio(pick("L92-W03", syncpoint="both", pairs="1"), pick("L92-W03", syncpoint="none", pairs="1"), NOT_LESS),
        "L92-W03",
    ),
    127: (ratio(pick("L92-W03", syncpoint="both"), pick("L92-W03", syncpoint="none"), 0.85, 1.2), "L92-W03"),
    128: (ratio(pick("WMQI-W01", persistent=_P), pick("WMQI-W01", persistent=_NP), 0.0, 1.0), "WMQI-W01"),
    129: (trend(pick("WMQI-W13", persistent=_P), "flows", 1.0), "WMQI-W13 with persistent messages"),
    141: (trend(pick("Z701-W01 Z93-R02"), "pairs", NOT_LESS), "Z701-W01"),
    143: (flattens(pick("Z701-W03 Z93-R04"), "pairs"), "Z701-W03"),
    165: (trend(pick("Z93-S02"), "size", NOT_LESS, of=lambda point: _value(point, "KB")), "Z93-S02"),
    180: (ratio(pick("L92-W10"), pick("L92-W08"), 0.0, NOT_MORE), "L92-W08 and L92-W10"),
    186: (flattens(pick("L92-W13", persistent=_NP), "clients"), "L92-W13 with three steps or more"),
    187: (
        order(
            pick("L92-W11", cipher="none"),
            Pick(
                ("L92-W11",),
                {
                    "cipher": (
                        "TLS_RSA_WITH_AES_256_GCM_SHA384",
                        "ECDHE_RSA_AES_256_GCM_SHA384",
                        "ECDHE_ECDSA_AES_256_GCM_SHA384",
                    )
                },
            ),
            Pick(
                ("L92-W11",),
                {
                    "cipher": (
                        "TLS_RSA_WITH_AES_256_CBC_SHA256",
                        "ECDHE_RSA_AES_256_CBC_SHA384",
                        "ECDHE_ECDSA_AES_256_CBC_SHA384",
                    )
                },
            ),
            what="no TLS, GCM, CBC",
        ),
        "L92-W11",
    ),
    198: (ratio(pick("Z93-R25", trace="GLOBAL"), pick("Z93-R25", trace="none"), 1.2, 3.0, cost), "Z93-R25"),
    224: (trend(pick("Z701-W19"), "properties", 1.0, of=cost), "Z701-W19"),
    225: (
        order(
            pick("Z701-W13", selector="correlid"),
            pick("Z701-W13", selector="string"),
            pick("Z701-W13", selector="property"),
            what="correlation id, id in a selection string, property",
        ),
        "Z701-W13",
    ),
    226: (trend(pick("Z701-W14", selector="property"), "depth", 1.5, of=cost), "Z701-W14"),
    227: (trend(pick("Z701-W13", selector="property"), "clients", 1.5, of=cost), "Z701-W13"),
    228: (
        ratio(pick("Z701-W14", selector="string"), pick("Z701-W14", selector="correlid"), 0.8, 1.25, cost),
        "Z701-W14",
    ),
    236: (trend(pick("WMQI-W01", persistent=_NP), "size", 1 / 16), "WMQI-W01"),
    237: (ratio(pick("WMQI-W06", persistent=_P), pick("WMQI-W06", persistent=_NP), 0.3, 1.0), "WMQI-W06"),
    242: (
        ratio(
            pick("WMQI-W15", persistent=_NP, transaction="yes"),
            pick("WMQI-W15", persistent=_NP, transaction="automatic"),
            0.5,
            NOT_MORE,
        ),
        "WMQI-W15",
    ),
    247: (ratio(pick("WMQI-W05"), pick("WMQI-W04"), 1.0), "WMQI-W04 and WMQI-W05"),
    250: (ratio(pick("WMQI-W09"), pick("WMQI-W08"), 0.0, NOT_MORE), "WMQI-W08 and WMQI-W09"),
    255: (trend(pick("WMQI-W12"), "instances", 1.2), "WMQI-W12"),
    257: (
        ratio(pick("WMQI-W16", transaction="coordinated"), pick("WMQI-W16", transaction="automatic"), 0.85, 1.15),
        "WMQI-W16",
    ),
    259: (trend(pick("WMQI-W17"), "subscribers", 0.0, 1.0), "WMQI-W17"),
    264: (_identity, "any"),
}


def _value(point: Point, unit: str) -> float | None:
    return next((value for _, value, own in point.values if own.startswith(unit)), None)
