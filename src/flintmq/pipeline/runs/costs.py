"""Cost models fitted from runs, and predictions for a workload that was described.

    CPU us per message = base of its path + a of its path . KB + b . KB if persistent + c if persistent
                         + d . copies + e . properties                            all coefficients >= 0
    log bytes per message = f + g . bytes                                         persistent messages
    memory MB = h + i . connections

A path is how a message comes and goes: embedded, local socket, TCP, TLS, a flow of the broker. Each has a base of its
own, and a cost of a KB where it was run with SIZES_LEAST sizes or more; the rest is shared. Coefficients are found by
least squares on *relative* errors, so a message of 100 bytes counts as much as one of 1 MB, under the condition that
none is negative: a cost that falls with size would predict nonsense beyond the sizes that were run. A feature that no
run varies has no coefficient, and a prediction that needs it says so.

`held_out` fits without each run in turn and predicts it: the error that a reader may expect of a plan.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from flintmq.pipeline.reports.sizing import INDEX_BYTES, MESSAGES_PER_INDEX_PAGE, PAGE, pages_of

if TYPE_CHECKING:
    import numpy

#: Features that all paths share, in the order of the coefficients after the bases.
SHARED = ("kb", "persistent", "persistent_kb", "copies", "properties")
#: Sizes of a path from which it has a cost of a KB of its own.
SIZES_LEAST = 3
#: The error of a prediction that is called good: CPU per message within 15 %.
GOOD = 0.15


@dataclass(frozen=True, slots=True)
class Point:
    """One measured point, as the model sees it."""

    name: str
    path: str
    size: int
    cpu_us: float
    persistent: bool = False
    #: Copies beyond the one that the application puts: stream queues, subscribers.
    copies: int = 0
    properties: int = 0
    connections: int = 0
    log_bytes: float | None = None
    memory_mb: float | None = None

    def features(self) -> tuple[float, ...]:
        kb = self.size / 1024
        return (kb, float(self.persistent), kb if self.persistent else 0.0, float(self.copies), float(self.properties))


@dataclass(frozen=True, slots=True)
class Model:
    """Coefficients of one fit. A feature that was not varied is not in `shared`."""

    bases: dict[str, float]
    shared: dict[str, float]
    log: tuple[float, float] | None
    memory: tuple[float, float] | None
    points: int
    #: The sizes that were run: a prediction outside of them extrapolates.
    sizes: tuple[int, int] = (0, 0)
    #: The cost of a KB of paths that were run with several sizes; for the others it is in `shared`.
    per_kb: dict[str, float] = field(default_factory=dict)
    #: The most copies and properties that were run.
    most: dict[str, int] = field(default_factory=dict)

    def cpu_us(self, point: Point) -> float:
        """Return CPU microseconds per message."""
        if point.path not in self.bases:
            raise KeyError(point.path)
        values = dict(zip(SHARED, point.features(), strict=True))
        own = self.per_kb.get(point.path)
        if own is not None:
            return self.bases[point.path] + own * values.pop("kb") + self._others(values)
        return self.bases[point.path] + self._others(values)

    def _others(self, values: dict[str, float]) -> float:
        return sum(self.shared.get(name, 0.0) * value for name, value in values.items())

    def log_bytes(self, point: Point) -> float | None:
        """Return bytes that a message adds to one copy of the log; None if no run logged."""
        if not point.persistent:
            return 0.0
        return None if self.log is None else (self.log[0] + self.log[1] * point.size) * (1 + point.copies)


def fit(points: Sequence[Point]) -> Model:
    """Fit a model. Needs at least one point."""
    import numpy as np

    usable = [point for point in points if point.cpu_us > 0]
    if not usable:
        raise ValueError("no run has CPU per message: there is nothing to fit")
    paths = sorted({point.path for point in usable})
    sizes = {path: {point.size for point in usable if point.path == path} for path in paths}
    own = [path for path in paths if len(sizes[path]) >= SIZES_LEAST]
    matrix, varied = _design(usable, paths, own)
    costs = np.array([point.cpu_us for point in usable])
    found = not_negative(matrix / costs[:, None], np.ones(len(usable))).tolist()
    first, second = len(paths), len(paths) + len(own)
    return Model(
        dict(zip(paths, found[:first], strict=True)),
        {SHARED[number]: value for number, value in zip(varied, found[second:], strict=True)},
        _line([(p.size, p.log_bytes / (1 + p.copies)) for p in usable if p.persistent and p.log_bytes]),
        _line([(p.connections, p.memory_mb) for p in usable if p.memory_mb]),
        len(usable),
        (min(p.size for p in usable), max(p.size for p in usable)),
        dict(zip(own, found[first:second], strict=True)),
        {"copies": max(p.copies for p in usable), "properties": max(p.properties for p in usable)},
    )


def _design(points: Sequence[Point], paths: list[str], own: list[str]) -> tuple[numpy.ndarray, list[int]]:
    """Return the design matrix, and the numbers of the SHARED features that vary.

    Its columns are a base for each of `paths`, a cost per KB for each of `own`, and the features that vary.
    """
    import numpy as np

    values = np.array([point.features() for point in points])
    # The KB of a path in `own` have a column of their own, so they do not count for the shared cost.
    values[:, 0] *= np.array([point.path not in own for point in points])
    varied = [number for number in range(len(SHARED)) if len(set(values[:, number].tolist())) > 1]
    bases = np.array([[float(point.path == path) for path in paths] for point in points])
    slopes = np.array([[point.size / 1024 * (point.path == path) for path in own] for point in points])
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
    """Predict every point from all others, between the extremes of their parameters.

    A point that is alone in its path, or has the smallest or largest size of it, or the most copies or properties of
    all, is not held out: to predict it would be to extrapolate, and a plan that does so says it.
    """
    made = []
    for point in points:
        rest = [other for other in points if other is not point and other.name != point.name]
        same = [other.size for other in rest if other.path == point.path and other.persistent == point.persistent]
        if point.cpu_us <= 0 or not same or not min(same) <= point.size <= max(same):
            continue
        if any(getattr(point, name) > max(getattr(other, name) for other in rest) for name in ("copies", "properties")):
            continue
        made.append(HeldOut(point, fit(rest).cpu_us(point)))
    return made


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

    def point(self) -> Point:
        return Point("plan", self.path, self.size, 0.0, self.persistent, self.copies, self.properties, self.connections)


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
    for feature, value, what in (
        ("persistent", wanted.persistent, "persistent and non-persistent messages"),
        ("copies", wanted.copies, "stream queues or subscribers"),
        ("properties", wanted.properties, "message properties"),
    ):
        if value and feature not in model.shared:
            said.append(f"no run compares {what}: their cost is not in the prediction")
        elif isinstance(value, int) and value > model.most.get(feature, value):
            said.append(f"no run has more than {model.most[feature]} {feature}: the cost is extrapolated")
    if made.managers > 1:
        said.append(
            f"one queue manager does {made.rate_of_one:,.0f} messages a second at {100 * BUSY_MAX:.0f} % of its core: "
            f"{made.managers} queue managers are needed"
        )
    if log_mb_max and made.log_mb_per_s and made.log_mb_per_s > log_mb_max:
        said.append(f"the log writes {made.log_mb_per_s:,.1f} MB/s and the disk test found {log_mb_max:,.1f}")
    if wanted.persistent and model.log is not None and model.log[1] == 0:
        said.append("all persistent runs had one size: the log is that of a message of that size")
    if wanted.persistent and model.log is None:
        said.append("no run logged: the log is not predicted")
    if error == error and error > GOOD:
        said.append(f"held-out runs were missed by up to {100 * error:.0f} %: repeat the runs on a quiet machine")
    return said
