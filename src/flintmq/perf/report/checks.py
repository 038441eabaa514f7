"""Behaviours as small functions over points: each returns held, not held, or not shown.

Limits are as strict as the statements: "doubles" is 1.8 to 2.2 times, "beats" is by more than 6 %, "the same" is within
6 %; where a statement has the change in percent, the limits are about it. A check that is not held may have a sentence
in EXPLAINED: why it is otherwise here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import median

from flintmq.perf.report.evidence import (
    NOT_LESS,
    NOT_MORE,
    Check,
    Evidence,
    Found,
    Pick,
    alike,
    both,
    busy,
    cost,
    declines,
    every,
    flattens,
    groups_along,
    growth,
    latency,
    logged,
    noisy,
    number_at,
    order,
    pick,
    rate,
    ratio,
    runs_of,
    trend,
)
from flintmq.pipeline.runs.tables import Point

#: The share of the busy time of a machine that our processes have where nothing else runs.
BUSY_OURS = 0.75


def copies_of(point: Point) -> float | None:
    """Return the copies that are made of a message: by the parameter of that name, else by the kind of streaming."""
    given = number_at(point, "copies")
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


def _logged_at_all(point: Point) -> bool | None:
    """Check the half of B59 on MUSTDUP: the copy of a non-persistent message is logged, too."""
    return bool(point.logged)


def _bytes_rate(point: Point) -> float | None:
    return point.rate * point.size or None


def _first_property(evidence: Evidence) -> Found:
    """B224: the first property adds far more to a put than each of the next."""
    found = []
    for group in groups_along(evidence, pick("Z701-W19"), "properties", 3):
        costs = {number_at(point, "properties"): point.cpu_us for point in group}
        last = max(number for number in costs if number is not None)
        none, one, many = costs.get(0.0), costs.get(1.0), costs[last]
        if none and one and many and last > 1:
            found.append((one - none, (many - one) / (last - 1), group))
    if not found:
        return Found(None, "")
    first, next_one, group = found[0]
    text = f"the first property adds {first:.1f} us, each of the next {next_one:.1f} us"
    why = noisy([point for each in found for point in each[2]], cost)
    if why:
        return Found(None, f"{text}, but {why}")
    return Found(first >= 3 * max(next_one, 0.0) and first > 0, text, runs_of(group))


def _power_of_getters(evidence: Evidence) -> Found:
    """B227: n getters by property make n times n work: CPU for a message grows with n, and the rate falls."""
    found = []
    for group in groups_along(evidence, pick("Z701-W13", selector="property"), "clients"):
        few, many = group[0], group[-1]
        steps = math.log((number_at(many, "clients") or 1) / (number_at(few, "clients") or 1))
        if few.cpu_us and many.cpu_us and steps > 0:
            power = 1 + math.log(many.cpu_us / few.cpu_us) / steps
            found.append((power, many.rate / few.rate, group))
    if not found:
        return Found(None, "")
    power, change, group = found[0]
    text = f"the work of n getters grows as n to the power of {power:.1f}, the rate becomes {change:.2f} times"
    why = noisy(group, rate)
    if why:
        return Found(None, f"{text}, but {why}")
    return Found(1.6 <= power <= 2.6 and change < NOT_LESS, text, runs_of(group))


def _deliveries(point: Point) -> float | None:
    subscribers = number_at(point, "subscribers")
    return None if subscribers is None else point.rate * subscribers


def _by_target(evidence: Evidence) -> Found:
    """B252: the rate by target format, and TAG as the slowest source."""
    points = evidence.of(pick("WMQI-W11", persistent=_NP))
    formats = ("XML", "CWF", "MRMXML", "TAG")
    rates: dict[tuple[str, str], float] = {}
    for point in points:
        pair = (_format(point, "format_in"), _format(point, "format_out"))
        rates[pair] = max(rates.get(pair, 0.0), point.rate)
    if any((one, two) not in rates for one in formats for two in formats):
        return Found(None, "")
    targets = [median(rates[one, two] for one in formats) for two in formats]
    sources = [median(rates[one, two] for two in formats) for one in formats]
    text = f"to {_listed(formats, targets)} a second; from {_listed(formats, sources)}"
    why = noisy(points, rate)
    if why:
        return Found(None, f"{text}, but {why}")
    falls = all(two < one * NOT_MORE for one, two in zip(targets, targets[1:], strict=False))
    return Found(
        falls and targets[-1] < targets[0] and sources[-1] < NOT_LESS * min(sources[:-1]), text, runs_of(points)
    )


def _format(point: Point, name: str) -> str:
    return point.parameters.get(name, "").upper().replace(" ", "")


def _listed(names: tuple[str, ...], values: list[float]) -> str:
    return ", ".join(f"{name} {value:,.0f}" for name, value in zip(names, values, strict=True))


def _peaks_of_ciphers(evidence: Evidence) -> Found:
    """B189: GCM has its peak with fewer clients than CBC; plain stands between."""
    at: dict[str, tuple[float, list[Point]]] = {}
    for name, each in (("GCM", _GCM), ("no TLS", _PLAIN), ("CBC", _CBC)):
        groups = groups_along(evidence, each, "clients", 3)
        if not groups:
            return Found(None, "")
        best = [max(group, key=lambda point: point.rate) for group in groups]
        at[name] = (median(number_at(point, "clients") or 0.0 for point in best), best)
    text = "peaks: " + ", ".join(f"{name} with {value:.0f} clients" for name, (value, _) in at.items())
    points = [point for _, best in at.values() for point in best]
    why = noisy(points, rate)
    if why:
        return Found(None, f"{text}, but {why}")
    return Found(at["GCM"][0] <= at["no TLS"][0] <= at["CBC"][0] and at["GCM"][0] < at["CBC"][0], text, runs_of(points))


def _explodes(evidence: Evidence) -> Found:
    """B241: a load near the peak has several times the latency of a light one."""
    rated = [point for point in evidence.of(pick("WMQI-W01")) if point.target_rate and point.round_trip]
    by = sorted(rated, key=lambda point: point.target_rate or 0.0)
    if len({point.target_rate for point in by}) < 2:
        return Found(None, "")
    low, high = by[0], by[-1]
    seen = [point.round_trip.p99 if point.round_trip else 0.0 for point in (low, high)]
    text = f"p99 is {seen[0]:,.0f} us at {low.target_rate:,.0f} a second, {seen[1]:,.0f} us at {high.target_rate:,.0f}"
    if (high.machine_cpu or 0.0) < 0.9:
        return Found(None, f"{text}, with processors to spare")
    return Found(seen[1] >= 3 * seen[0], text, runs_of([low, high]))


def _value(point: Point, unit: str) -> float | None:
    return next((value for _, value, own in point.values if own.startswith(unit)), None)


def _small_and_large(evidence: Evidence) -> Found:
    """B111: a little more round-trip time to 64 KB, almost double from 1 MB on."""
    small = ratio(_sized(64 << 10, "BESTEF"), _sized(64 << 10, "none"), NOT_LESS, 1.26, latency, "to 64 KB")
    large = ratio(_sized(None, "BESTEF"), _sized(None, "none"), 1.4, 2.4, latency, "from 1 MB on")
    return both(small, large)(evidence)


def _sized(most: int | None, streamq: str) -> Pick:
    """Return the points of Z93-Q14 up to a size, or those of 1 MB and more."""
    sizes = [1 << 10, 32 << 10, 64 << 10] if most else [1 << 20, 4 << 20]
    return Pick(("Z93-Q14",), {"streamq": streamq, "size": tuple(str(size) for size in sizes)}, ("size",))


_SQ = "SQ-W01 SQ-W02 SQ-W03 SQ-W04 SQ-W05 SQ-W06 SQ-W07 SQ-W08 Z93-Q10 Z93-Q11"
_SQ_ONE = "SQ-W01 SQ-W02 SQ-W03 SQ-W05 SQ-W08 Z93-Q10 Z93-Q11"
_PUT = "Z93-Q03 Z93-Q08"
_SIX = ("6", "7")
_P, _NP = "true", "false"
_GCMS = ("TLS_RSA_WITH_AES_256_GCM_SHA384", "ECDHE_RSA_AES_256_GCM_SHA384", "ECDHE_ECDSA_AES_256_GCM_SHA384")
_CBCS = ("TLS_RSA_WITH_AES_256_CBC_SHA256", "ECDHE_RSA_AES_256_CBC_SHA384", "ECDHE_ECDSA_AES_256_CBC_SHA384")
_GCM, _CBC = pick("L92-W11", cipher=_GCMS), pick("L92-W11", cipher=_CBCS)
_PLAIN = pick("L92-W11", cipher="none")
_COPIED = (
    pick(f"{_SQ_ONE} Z93-Q14", streamq="BESTEF", persistent=_P),
    pick(f"{_SQ_ONE} Z93-Q14", streamq="none", persistent=_P),
)


def _rle(compressible: str, size: str = "") -> Pick:
    return pick("Z701-W12", compression="RLE", compressible=compressible, **({"size": size} if size else {}))


def _twice(workload: str, along: str) -> Check:
    """Return a check that two of something do at least 1.6 times the work of one."""
    return ratio(pick(workload, **{along: "2"}), pick(workload, **{along: "1"}), 1.6, 2.2, what=f"two {along}")


#: Number -> the check, and the workloads whose runs it needs.
CHECKS: Mapping[int, tuple[Check, str]] = {
    57: (
        ratio(pick("Z93-Q02", case="streamq"), pick("Z93-Q02", case="plain"), NOT_MORE, 4.0, cost, "open and close"),
        "Z93-Q02",
    ),
    58: (every(pick(_SQ), _total, "messages for a put are 1 + copies"), "SQ-W01 to SQ-W08"),
    59: (
        both(
            ratio(*_COPIED, NOT_MORE, 2.5, logged, "persistent, BESTEF"),
            every(
                pick("SQ-W08 Z93-Q10 Z93-Q11", streamq="MUSTDUP", persistent=_NP),
                _logged_at_all,
                "non-persistent with MUSTDUP is logged",
            ),
        ),
        "SQ-W01, SQ-W02 and SQ-W08",
    ),
    81: (
        ratio(pick(_PUT, streamq="BESTEF"), pick(_PUT, streamq="none"), 1.4, 2.2, cost, "private queues"),
        "Z93-Q03 or Z93-Q08",
    ),
    82: (ratio(pick("Z93-Q10", streamq="BESTEF"), pick("Z93-Q10", streamq="MUSTDUP"), NOT_MORE, 1.3), "Z93-Q10"),
    83: (ratio(pick("Z93-Q11 Z93-Q10", streamq="BESTEF"), pick("Z93-Q11", streamq="pubsub"), NOT_MORE), "Z93-Q11"),
    84: (ratio(pick("Z93-Q15", streamq="alias"), pick("Z93-Q15", streamq="pubsub"), 1.0, 1.2), "Z93-Q15"),
    85: (
        order(
            pick("SQ-W01", persistent=_P),
            pick("SQ-W02", persistent=_P),
            pick("SQ-W05", persistent=_P),
            what="baseline, stream queue, publish/subscribe",
        ),
        "SQ-W01, SQ-W02 and SQ-W05",
    ),
    86: (ratio(pick("SQ-W04"), pick("SQ-W02"), 1.02, 1.5, what="batches of 10"), "SQ-W02 and SQ-W04"),
    87: (
        ratio(pick(_SQ_ONE, streamq="MUSTDUP"), pick(_SQ_ONE, streamq="BESTEF"), 0.8, 0.96),
        "SQ-W02 and SQ-W03, or SQ-W08",
    ),
    88: (
        ratio(pick("SQ-W06 SQ-W08", streamq="alias"), pick("SQ-W07 SQ-W08", streamq="pubsub", copies=_SIX), 0.9, 1.1),
        "SQ-W06 and SQ-W07",
    ),
    89: (
        ratio(pick("SQ-W02 SQ-W08", streamq="BESTEF"), pick("SQ-W01 SQ-W08", streamq="none"), 0.5, NOT_MORE),
        "SQ-W01 and SQ-W02",
    ),
    90: (ratio(pick(_SQ, persistent=_P), pick("SQ-W08", persistent=_NP), 0.0, 0.9, busy), "SQ-W01 and SQ-W08"),
    91: (every(pick(_SQ), _keeps_up, "getters keep up"), "SQ-W01 to SQ-W08"),
    95: (every(pick(_SQ), _total, "total is the rate of the application x (1 + copies)"), "SQ-W01 to SQ-W08"),
    96: (flattens(pick("SQ-W01"), "clients"), "SQ-W01 with three steps or more"),
    108: (ratio(*_COPIED, 1.8, 2.2, logged), "SQ-W01 and SQ-W02, or Z93-Q14"),
    111: (_small_and_large, "Z93-Q14"),
    120: (
        trend(pick("Z701-W12", compression="RLE", size="102400"), "compressible", 1.5, of=rate, what="100 KB"),
        "Z701-W12 with 100 KB",
    ),
    121: (ratio(_rle("90", "1048576"), _rle("0", "1048576"), 0.05, 0.3, logged, "1 MB"), "Z701-W12 with 1 MB"),
    122: (ratio(_rle("90"), _rle("50"), 0.0, 1.0, cost), "Z701-W12"),
    124: (
        growth(
            pick("L92-W14 Z93-R05 L92-W15", persistent=_P, size="2048"), "clients", 1.5, "requesters share log writes"
        ),
        "L92-W14 with two steps or more",
    ),
    125: (
        both(
            trend(pick("L92-W14", persistent=_P), "size", 0.0, 0.6, busy),
            trend(pick("L92-W14", persistent=_P), "size", 2.0, of=_bytes_rate, what="bytes a second"),
        ),
        "L92-W14 with several sizes",
    ),
    126: (
        ratio(pick("L92-W03", syncpoint="both", pairs="1"), pick("L92-W03", syncpoint="none", pairs="1"), NOT_MORE),
        "L92-W03",
    ),
    127: (ratio(pick("L92-W03", syncpoint="both"), pick("L92-W03", syncpoint="none"), NOT_LESS, NOT_MORE), "L92-W03"),
    128: (ratio(pick("WMQI-W01", persistent=_P), pick("WMQI-W01", persistent=_NP), 0.0, 0.5), "WMQI-W01"),
    129: (trend(pick("WMQI-W13", persistent=_P), "flows", NOT_MORE), "WMQI-W13 with persistent messages"),
    141: (growth(pick("Z701-W01 Z93-R02"), "pairs", 1.5), "Z701-W01"),
    143: (flattens(pick("Z701-W03 Z93-R04"), "pairs"), "Z701-W03"),
    165: (trend(pick("Z93-S02"), "size", 1.2, of=lambda point: _value(point, "KB"), what="memory"), "Z93-S02"),
    186: (declines(pick("L92-W13", persistent=_NP, size="2048"), "clients"), "L92-W13 with three steps or more"),
    187: (order(_PLAIN, _GCM, _CBC, what="no TLS, GCM, CBC"), "L92-W11"),
    188: (
        alike(
            {
                "GCM": [pick("L92-W11", cipher=each) for each in _GCMS],
                "CBC": [pick("L92-W11", cipher=each) for each in _CBCS],
            }
        ),
        "L92-W11 with several ciphers of a class",
    ),
    189: (_peaks_of_ciphers, "L92-W11 with a ramp of clients for each cipher"),
    198: (ratio(pick("Z93-R25", trace="GLOBAL"), pick("Z93-R25", trace="none"), 1.6, 2.5, cost), "Z93-R25"),
    224: (_first_property, "Z701-W19 with none, one and several properties"),
    225: (
        order(
            pick("Z701-W13", selector="correlid"),
            pick("Z701-W13", selector="string"),
            pick("Z701-W13", selector="property"),
            what="correlation id, id in a selection string, property",
        ),
        "Z701-W13",
    ),
    226: (trend(pick("Z701-W14", selector="property"), "depth", 5.0, of=cost), "Z701-W14"),
    227: (_power_of_getters, "Z701-W13 with several numbers of clients"),
    228: (
        ratio(pick("Z701-W14", selector="string"), pick("Z701-W14", selector="correlid"), 0.85, 1.18, cost),
        "Z701-W14",
    ),
    236: (trend(pick("WMQI-W01", persistent=_NP), "size", 0.25, NOT_MORE), "WMQI-W01"),
    237: (ratio(pick("WMQI-W06", persistent=_P), pick("WMQI-W06", persistent=_NP), 0.4, 0.7), "WMQI-W06"),
    241: (_explodes, "WMQI-W01 with --rate far below its peak and near it"),
    242: (
        both(
            ratio(
                pick("WMQI-W15", persistent=_NP, transaction="yes"),
                pick("WMQI-W15", persistent=_NP, transaction="automatic"),
                0.5,
                NOT_LESS,
                what="non-persistent",
            ),
            ratio(
                pick("WMQI-W15", persistent=_P, transaction="yes"),
                pick("WMQI-W15", persistent=_P, transaction="automatic"),
                NOT_LESS,
                NOT_MORE,
                what="persistent",
            ),
        ),
        "WMQI-W15",
    ),
    247: (ratio(pick("WMQI-W05"), pick("WMQI-W04"), NOT_MORE), "WMQI-W04 and WMQI-W05"),
    250: (ratio(pick("WMQI-W09"), pick("WMQI-W08"), 0.0, 0.6), "WMQI-W08 and WMQI-W09"),
    252: (_by_target, "WMQI-W11 with all sixteen conversions"),
    255: (
        both(_twice("WMQI-W12", "instances"), _twice("WMQI-W13", "flows"), _twice("WMQI-W14", "groups")),
        "WMQI-W12, WMQI-W13 and WMQI-W14",
    ),
    256: (
        ratio(
            pick("WMQI-W13", persistent=_P, flows="4"),
            pick("WMQI-W13", persistent=_P, flows="2"),
            1.0,
            1.35,
            what="four copies over two",
        ),
        "WMQI-W13 with persistent messages",
    ),
    257: (
        ratio(
            pick("WMQI-W16", transaction="coordinated"), pick("WMQI-W16", transaction="automatic"), NOT_LESS, NOT_MORE
        ),
        "WMQI-W16",
    ),
    259: (trend(pick("WMQI-W17"), "subscribers", 0.0, 0.6), "WMQI-W17"),
    260: (
        declines(pick("WMQI-W17", persistent=_NP), "subscribers", _deliveries, "deliveries a second"),
        "WMQI-W17 with three numbers of subscribers or more",
    ),
    264: (_identity, "any"),
}
#: Number -> why a behaviour that is not held is otherwise here.
EXPLAINED: Mapping[int, str] = {
    59: "a copy of a non-persistent message is not logged, whatever STRMQOS says",
    108: "the log record of a copy has no data, as that of the put before it counts for both: a payload is logged once",
    257: "a coordinated transaction has two phases here, and a record of its own of the decision",
}
