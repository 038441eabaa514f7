"""Cost models fitted from runs, and predictions for a workload that was described.

    CPU us per message = base + a . KB                     of its path, persistent or not
                         + b . copies + c . copies if persistent
                         + d . subscribers + e . subscribers if persistent
                         + f . KB of copies and subscribers
                         + g if it has properties + h . properties
                         + i / clients + j / clients if persistent                all coefficients >= 0
    log bytes per message = k + l . bytes + m . copies     persistent messages
    memory MB = n + o . connections

A path is how a message comes and goes: embedded, local socket, TCP, TLS, in units of work or not, a flow of the broker.
Persistent messages of a path have a base and a cost of a KB of their own, as commits wait for the log. The rest is
shared by all paths. Coefficients are found by least squares on *relative* errors, so a message of 100 bytes counts as
much as one of 1 MB, under the condition that none is negative: a cost that falls with size would predict nonsense
beyond the sizes that were run. A shared feature needs a path in which it varies; without one it has no coefficient, and
a prediction that needs it says so. A path that was run with one size has the median cost of a KB of the others.

A copy adds its own descriptor to the log and shares the payload, so that the log has m bytes for it and not l . bytes.
A client that is alone waits for each message and each write of the log; many share wake-ups and writes.

`held_out` fits without each whole run in turn and predicts its points: the error that a reader may expect of a plan.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from flintmq.pipeline.reports.sizing import INDEX_BYTES, MESSAGES_PER_INDEX_PAGE, PAGE, pages_of

if TYPE_CHECKING:
    import numpy

#: Features that all paths share, in the order of the coefficients after the bases.
SHARED = (
    "copies",
    "copies_persistent",
    "subscribers",
    "subscribers_persistent",
    "copies_kb",
    "with_properties",
    "properties",
    "alone",
    "alone_persistent",
)
#: Features that are no counts: a prediction needs no run with the same value.
_CONTINUOUS = ("copies_kb", "alone", "alone_persistent")
#: A point whose 1 / clients is further than this above those of its path is not predicted.
ALONE_APART = 0.25
#: A path has a cost of a KB of its own if its largest size is this many times the smallest.
SIZES_APART = 4
#: The share of the cost of a path that the KB of its only size take at most.
KB_SHARE_MAX = 0.5
#: The error of a prediction that is called good: CPU per message within 15 %.
GOOD = 0.15
PERSISTENT = ", persistent"


@dataclass(frozen=True, slots=True)
class Point:
    """One measured point, as the model sees it."""

    name: str
    path: str
    size: int
    cpu_us: float
    persistent: bool = False
    #: Copies by stream queues beyond the message that the application puts.
    copies: float = 0
    properties: int = 0
    connections: int = 0
    log_bytes: float | None = None
    memory_mb: float | None = None
    #: Subscribers beyond the first.
    subscribers: float = 0
    #: The run that it is of; points without one are runs of their own.
    run: str = ""
    #: Clients that put at a time; 0 is many.
    clients: int = 0

    @property
    def group(self) -> str:
        """Return the name of its base: the path, and whether it is persistent."""
        return group_of(self.path, self.persistent)

    def features(self) -> tuple[float, ...]:
        kb, more = self.size / 1024, self.copies + self.subscribers
        persistent = float(self.persistent)
        return (
            float(self.copies),
            self.copies * persistent,
            float(self.subscribers),
            self.subscribers * persistent,
            kb * more,
            float(self.properties > 0),
            float(self.properties),
            self.alone,
            self.alone * persistent,
        )

    @property
    def alone(self) -> float:
        """Return 1 for a client that is alone, less for several, 0 for many."""
        return 1 / self.clients if self.clients else 0.0


def group_of(path: str, persistent: bool) -> str:
    """Return the name of a base."""
    return path + PERSISTENT * persistent


@dataclass(frozen=True, slots=True)
class Model:
    """Coefficients of one fit. A feature that no path varies is not in `shared`."""

    #: Base and cost of a KB by the path, with PERSISTENT behind it for persistent messages.
    bases: dict[str, float]
    per_kb: dict[str, float]
    shared: dict[str, float]
    #: Log bytes: for a message, for a byte of it, for a copy.
    log: tuple[float, float, float] | None
    memory: tuple[float, float] | None
    points: int
    #: The sizes that were run: a prediction outside of them extrapolates.
    sizes: tuple[int, int] = (0, 0)
    #: The most of each countable feature that was run.
    most: dict[str, float] = field(default_factory=dict)
    #: Base and cost of a KB that persistence adds, where a path was run with both.
    persistence: tuple[float, float] | None = None
    #: Names of bases whose cost of a KB is that of other paths, and of bases that are 0.
    one_size: tuple[str, ...] = ()
    #: All persistent runs had this size; 0 if they had several.
    log_size: int = 0

    @property
    def zero(self) -> list[str]:
        """Return the paths whose base is 0: all of their cost is in other coefficients."""
        return [name for name, base in self.bases.items() if base <= 0]

    @property
    def paths(self) -> list[str]:
        """Return all paths, persistent or not."""
        return list(dict.fromkeys(name.removesuffix(PERSISTENT) for name in self.bases))

    def cpu_us(self, point: Point) -> float:
        """Return CPU microseconds per message. Raise KeyError for a path that was never run."""
        kb = point.size / 1024
        values = dict(zip(SHARED, point.features(), strict=True))
        more = sum(self.shared.get(name, 0.0) * value for name, value in values.items())
        if point.group in self.bases:
            return self.bases[point.group] + self.per_kb[point.group] * kb + more
        other = group_of(point.path, not point.persistent)
        added = self.persistence if point.persistent and self.persistence else (0.0, 0.0)
        return self.bases[other] + added[0] + (self.per_kb[other] + added[1]) * kb + more

    def log_bytes(self, point: Point) -> float | None:
        """Return bytes that a message adds to one copy of the log; None if no run logged."""
        if not point.persistent:
            return 0.0
        if self.log is None:
            return None
        return self.log[0] + self.log[1] * point.size + self.log[2] * (point.copies + point.subscribers)


def fit(points: Sequence[Point]) -> Model:
    """Fit a model. Needs at least one point."""
    import numpy as np

    usable = [point for point in points if point.cpu_us > 0]
    if not usable:
        raise ValueError("no run has CPU per message: there is nothing to fit")
    groups = sorted({point.group for point in usable})
    sizes = {name: [point.size for point in usable if point.group == name] for name in groups}
    own = [name for name in groups if max(sizes[name]) >= SIZES_APART * max(1, min(sizes[name]))]
    matrix, varied = _design(usable, groups, own)
    costs = np.array([point.cpu_us for point in usable])
    found = not_negative(matrix / costs[:, None], np.ones(len(usable))).tolist()
    first, second = len(groups), len(groups) + len(own)
    bases = dict(zip(groups, found[:first], strict=True))
    per_kb = dict(zip(own, found[first:second], strict=True))
    shared = {SHARED[number]: value for number, value in zip(varied, found[second:], strict=True)}
    typical = {kind: _middle(per_kb[name] for name in own if name.endswith(PERSISTENT) == kind) for kind in (0, 1)}
    for name in groups:
        if name not in own:
            kb = max(sum(sizes[name]) / len(sizes[name]) / 1024, 1e-9)
            per_kb[name] = min(typical[name.endswith(PERSISTENT)], KB_SHARE_MAX * bases[name] / kb)
            bases[name] -= per_kb[name] * kb
    both = [name for name in groups if group_of(name, True) in bases]
    differences = [[known[group_of(name, True)] - known[name] for name in both] for known in (bases, per_kb)]
    logged = [p for p in usable if p.persistent and p.log_bytes]
    logged_sizes = {p.size for p in logged}
    return Model(
        bases,
        per_kb,
        shared,
        _log(logged),
        _line([(p.connections, p.memory_mb) for p in usable if p.memory_mb]),
        len(usable),
        (min(p.size for p in usable), max(p.size for p in usable)),
        {name: max(getattr(p, name) for p in usable) for name in ("copies", "subscribers", "properties")},
        (max(0.0, _middle(differences[0])), max(0.0, _middle(differences[1]))) if both else None,
        tuple(name for name in groups if name not in own),
        logged_sizes.pop() if len(logged_sizes) == 1 else 0,
    )


def _middle(values: Iterable[float]) -> float:
    known = list(values)
    return median(known) if known else 0.0


def _design(points: Sequence[Point], groups: list[str], own: list[str]) -> tuple[numpy.ndarray, list[int]]:
    """Return the design matrix, and the numbers of the SHARED features that vary within a group.

    Its columns are a base for each of `groups`, a cost per KB for each of `own`, and the features that vary. A feature
    that differs only between groups cannot be told from their bases.
    """
    import numpy as np

    values = np.array([point.features() for point in points])
    seen: dict[tuple[str, int], set[float]] = {}
    for point, row in zip(points, values.tolist(), strict=True):
        for number, value in enumerate(row):
            seen.setdefault((point.group, number), set()).add(value)
    varied = [number for number in range(len(SHARED)) if any(len(seen[name, number]) > 1 for name in groups)]
    # Copies cost something before the KB of copies do.
    if not {SHARED.index("copies"), SHARED.index("subscribers")} & set(varied):
        varied = [number for number in varied if SHARED[number] != "copies_kb"]
    bases = np.array([[float(point.group == name) for name in groups] for point in points])
    slopes = np.array([[point.size / 1024 * (point.group == name) for name in own] for point in points])
    return np.hstack([bases, slopes, values[:, varied]] if own else [bases, values[:, varied]]), varied


def not_negative(matrix: numpy.ndarray, target: numpy.ndarray) -> numpy.ndarray:
    """Find least squares with no coefficient below 0 (Lawson and Hanson's active sets)."""
    import numpy as np

    many = matrix.shape[1]
    active = np.zeros(many, dtype=bool)
    found = np.zeros(many)
    for _ in range(10 * many):
        gradient = matrix.T @ (target - matrix @ found)
        gradient[active] = -np.inf
        if gradient.max() <= 1e-9:
            break
        active[int(gradient.argmax())] = True
        while True:
            trial = np.zeros(many)
            trial[active] = np.linalg.lstsq(matrix[:, active], target, rcond=None)[0]
            below = active & (trial < 0)
            if not below.any():
                found = trial
                break
            steps = found[below] / np.maximum(found[below] - trial[below], 1e-300)
            found = found + steps.min() * (trial - found)
            active &= found > 1e-12
    return found


def _log(points: Sequence[Point]) -> tuple[float, float, float] | None:
    """Return log bytes for a message, a byte and a copy, by relative least squares; None without points.

    Where all messages had one size, a byte counts as one byte: the log has the whole payload.
    """
    import numpy as np

    if not points:
        return None
    sizes = np.array([point.size for point in points], dtype=float)
    copies = np.array([point.copies + point.subscribers for point in points], dtype=float)
    logged = np.array([point.log_bytes for point in points], dtype=float)
    fixed = len(set(sizes.tolist())) == 1
    columns = [np.ones(len(points))] if fixed else [np.ones(len(points)), sizes]
    if len(set(copies.tolist())) > 1:
        columns.append(copies)
    target = np.maximum(logged - sizes, 0.0) if fixed else logged
    found = not_negative(np.stack(columns, axis=1) / logged[:, None], target / logged).tolist()
    each = 1.0 if fixed else found.pop(1)
    return found[0], each, found[1] if len(found) > 1 else 0.0


def _line(pairs: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """Return intercept and slope by relative least squares, neither negative; None without pairs."""
    import numpy as np

    if not pairs:
        return None
    x = np.array([pair[0] for pair in pairs], dtype=float)
    y = np.array([pair[1] for pair in pairs], dtype=float)
    if len(set(x.tolist())) == 1:
        return float(np.median(y)), 0.0
    found = not_negative(np.stack([1 / y, x / y], axis=1), np.ones(len(y)))
    return float(found[0]), float(found[1])


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The prediction of a held-out point."""

    point: Point
    predicted: float

    @property
    def error(self) -> float:
        """Return predicted over measured, less one."""
        return self.predicted / self.point.cpu_us - 1


def held_out(points: Sequence[Point]) -> list[HeldOut]:
    """Predict the points of every run from all other runs, between the extremes of their parameters.

    A point is left out whose path no other run has, or which is beyond the sizes, the copies, the subscribers or the
    properties of the others: to predict it would be to extrapolate, and a plan that does so says it.
    """
    made = []
    runs = dict.fromkeys(point.run or point.name for point in points)
    for run in runs:
        rest = [point for point in points if (point.run or point.name) != run and point.cpu_us > 0]
        inside = [point for point in points if (point.run or point.name) == run and _is_inside(point, rest)]
        if inside:
            model = fit(rest)
            made += [HeldOut(point, model.cpu_us(point)) for point in inside if _is_known(point, rest, model)]
    return made


def _is_inside(point: Point, rest: Sequence[Point]) -> bool:
    same = [other for other in rest if other.group == point.group]
    sizes = [other.size for other in same]
    if point.cpu_us <= 0 or not sizes or not min(sizes) <= point.size <= max(sizes):
        return False
    if point.alone > max(other.alone for other in same) + ALONE_APART:
        return False
    for name in ("copies", "subscribers", "properties"):
        value = getattr(point, name)
        if value and value not in {getattr(other, name) for other in rest if other.persistent == point.persistent}:
            return False
    return True


def _is_known(point: Point, rest: Sequence[Point], model: Model) -> bool:
    """Return whether each feature of a point has a coefficient, or has the same value in other points of its path."""
    same = [other.features() for other in rest if other.group == point.group]
    for number, (name, value) in enumerate(zip(SHARED, point.features(), strict=True)):
        if name not in model.shared and name not in _CONTINUOUS and value not in {each[number] for each in same}:
            return False
    return True


def errors(found: Sequence[HeldOut]) -> tuple[float, float]:
    """Return median and largest error of held-out points, both without sign."""
    sizes = [abs(each.error) for each in found]
    return (median(sizes), max(sizes)) if sizes else (math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The description of a workload to plan for."""

    path: str
    rate: float
    size: int
    persistent: bool = False
    copies: int = 0
    properties: int = 0
    connections: int = 0
    #: Messages that wait on queues at the worst time, and on indexed queues among them.
    depth: int = 0
    indexed: int = 0
    #: Subscribers beyond the first.
    subscribers: int = 0

    def point(self) -> Point:
        return Point(
            "plan", self.path, self.size, 0.0, self.persistent, self.copies, self.properties, self.connections,
            subscribers=self.subscribers, clients=self.connections,
        )  # fmt: skip


@dataclass(slots=True)
class Plan:
    """The predicted cost of a workload."""

    cpu_us: float
    cores: float
    #: Messages a second that one queue manager does on one core, and how many are needed.
    rate_of_one: float
    managers: int
    log_bytes: float | None
    log_mb_per_s: float | None
    memory_mb: float | None
    pages: int
    page_set_mb: float
    index_mb: float
    remarks: list[str] = field(default_factory=list)


#: The share of a core that a plan uses: at 100 % queueing delays become large (B241).
BUSY_MAX = 0.80


def plan(model: Model, wanted: Wanted, error: float = GOOD, log_mb_max: float | None = None) -> Plan:
    """Predict CPU, rate, log, memory and page sets for a workload. Raises KeyError for a path that was never run."""
    point = wanted.point()
    cost = model.cpu_us(point)
    one = BUSY_MAX * 1e6 / cost
    log_bytes = model.log_bytes(point)
    log_mb = None if log_bytes is None else log_bytes * wanted.rate / 1e6
    pages = pages_of(wanted.size) * wanted.depth
    pages += math.ceil(wanted.depth / MESSAGES_PER_INDEX_PAGE)
    memory = None if model.memory is None else model.memory[0] + model.memory[1] * wanted.connections
    made = Plan(
        cost,
        cost * wanted.rate / 1e6,
        one,
        max(1, math.ceil(wanted.rate / one)),
        log_bytes,
        log_mb,
        memory,
        pages,
        pages * PAGE / 2**20,
        wanted.indexed * INDEX_BYTES / 2**20,
    )
    made.remarks += _remarks(model, wanted, made, error, log_mb_max)
    return made


def _remarks(model: Model, wanted: Wanted, made: Plan, error: float, log_mb_max: float | None) -> list[str]:
    said = []
    if not model.sizes[0] <= wanted.size <= model.sizes[1]:
        said.append(
            f"messages of {wanted.size:,} bytes are outside of the {model.sizes[0]:,} to {model.sizes[1]:,} bytes that "
            "were run: the cost is extrapolated"
        )
    group = wanted.point().group
    if group not in model.bases:
        said.append(
            f"no run of this path has {'persistent' if wanted.persistent else 'non-persistent'} messages: "
            + (
                "their extra cost is that of other paths"
                if wanted.persistent and model.persistence
                else "the cost is that of the others"
            )
        )
    elif model.bases[group] <= 0:
        said.append("the base of this path is 0: its runs cannot tell it from the other coefficients")
    elif group in model.one_size:
        said.append("all runs of this path had about one size: the cost of a KB is that of other paths")
    for feature, value, what in (
        ("copies", wanted.copies, "stream queues"),
        ("subscribers", wanted.subscribers, "subscribers"),
        ("properties", wanted.properties, "message properties"),
    ):
        if value and feature not in model.shared:
            said.append(f"no path was run with and without {what}: their cost is not in the prediction")
        elif value > model.most.get(feature, value):
            said.append(f"no run has more than {model.most[feature]:g} {feature}: the cost is extrapolated")
    if made.managers > 1:
        said.append(
            f"one queue manager does {made.rate_of_one:,.0f} messages a second at {100 * BUSY_MAX:.0f} % of its core: "
            f"{made.managers} queue managers are needed"
        )
    if log_mb_max and made.log_mb_per_s and made.log_mb_per_s > log_mb_max:
        said.append(f"the log writes {made.log_mb_per_s:,.1f} MB/s and the disk test found {log_mb_max:,.1f}")
    if wanted.persistent and model.log is not None and model.log_size not in (0, wanted.size):
        said.append(f"all persistent runs had {model.log_size:,} bytes: a byte is taken as one byte of log")
    if wanted.persistent and model.log is None:
        said.append("no run logged: the log is not predicted")
    if error == error and error > GOOD:
        said.append(f"held-out runs were missed by up to {100 * error:.0f} %: repeat the runs on a quiet machine")
    return said
