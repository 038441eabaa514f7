"""Figures of the five performance reports, to stand beside ours: per core and per CPU second, with the platform named.

data/anchors.tsv has one row per measured point. Rates of machines that are ten or twenty years and a compiler apart do
not compare; work for one CPU second says how much of a machine a message takes, and even that compares a core of 2002
with one of today. So the report prints both figures, their ratio, and CAVEAT.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from flintmq.pipeline.runs.tables import Point

CAVEAT = (
    "The figures of the documents were measured on other machines, some of them decades old, with drivers on machines "
    "of their own and compiled code. A ratio says how the work for one CPU second here relates to theirs; it does not "
    "say which product is faster."
)
#: The machines, as the documents describe them.
PLATFORMS = {
    "z15-16": "z15 8561, LPAR with 16 CPs, z/OS 2.5",
    "z15-3": "z15 8561, LPAR with 3 CPs, z/OS 2.5",
    "z16-3": "z16 3931, LPAR with 3 CPs, z/OS 2.5",
    "z10-3": "z10 EC64, LPAR with 3 CPs, z/OS 1.9",
    "z10-17": "z10 EC64, LPAR with 17 CPs, z/OS 1.9",
    "9672-2": "9672-XZ7, 2-way LPAR, z/OS 1.2 (2002)",
    "x86-A": "2 x 12 cores E5-2690 v3, Linux; clients on two more machines, 40 GbE",
    "x86-SQ": "2 x 14 cores E5-2690 v4, Linux; clients on two more machines, 40 GbE",
    "x86-UC": "two hosts of 2 x 12 cores Gold 6126, Linux; each queue manager held to 4 cores",
}
#: Parameters of the documents that are parameters of steps here, by another name.
_NAMES = {
    "execution_groups": "groups",
    "from": "format_in",
    "to": "format_out",
    "drain_batch": "batch",
    "transactionMode": "transaction",
    "coordinatedTransaction": "transaction",
    "copies": "flows",
    "duplicates": "copies",
}
#: Parameters of the documents that must be the same here where both have them.
_COMPARED = (
    *("cipher", "instances", "copies", "execution_groups", "subscribers", "from", "to", "drain_batch"),
    *("duplicates", "compression", "compressible", "transactionMode", "coordinatedTransaction"),
)
#: Values that mean the same.
_SYNONYMS = {
    "none": "off",
    "No TLS": "off",
    "generic XML": "XML",
    "MRM CWF": "CWF",
    "MRM XML": "MRMXML",
    "MRM TAG": "TAG",
}
#: Parameters that a ramp raises: the peak over them is compared.
RAMPED = ("putters", "clients", "pairs", "qmgrs", "target")


@dataclass(frozen=True, slots=True)
class Anchor:
    """One measured point of a document."""

    workload: str
    source: str
    platform: str
    cores: int
    parameters: Mapping[str, str]
    rate: float | None
    unit: str
    #: CPU microseconds for one unit, of the whole machine unless the document says otherwise.
    cpu_us: float | None

    @property
    def per_core(self) -> float | None:
        """Return the rate for one core of the platform."""
        return self.rate / self.cores if self.rate and self.unit != "MB/s" else None

    @property
    def per_cpu_second(self) -> float | None:
        """Return how many units one CPU second does."""
        return 1e6 / self.cpu_us if self.cpu_us else None


@cache
def anchors() -> tuple[Anchor, ...]:
    """Return all figures."""
    text = (resources.files(__package__) / "data" / "anchors.tsv").read_text("utf-8")
    return tuple(_anchor(line) for line in text.splitlines() if not line.startswith("#"))


def _anchor(line: str) -> Anchor:
    workload, source, platform, cores, given, rate, unit, busy, us = line.split("\t")
    parameters = dict(part.split("=", 1) for part in given.split(";") if part)
    made = float(rate) if rate else None
    cost = float(us) if us else None
    if cost is None and made and busy and unit != "MB/s":
        cost = float(busy) / 100 * int(cores) * 1e6 / made
    return Anchor(workload, source, platform, int(cores), parameters, made, unit, cost)


def _plain(text: str) -> str:
    return "".join(each for each in text.lower() if each.isalnum())


def fits(anchor: Anchor, parameters: Mapping[str, str]) -> bool:
    """Return whether a figure was measured with these parameters, as far as both say them. Ramps do not count."""
    given = anchor.parameters
    if "size" in given and given["size"] != parameters.get("size"):
        return False
    if "persistence" in given and (given["persistence"] == "P") != (parameters.get("persistent") == "true"):
        return False
    if "stream_queue" in given and (given["stream_queue"] == "on") != (parameters.get("streamq", "none") != "none"):
        return False
    if anchor.workload.startswith("SQ") and _stream_of(given) != parameters.get("streamq"):
        return False
    return all(_is_same(name, value, parameters.get(_NAMES.get(name, name))) for name, value in given.items())


def _stream_of(given: Mapping[str, str]) -> str:
    """Return the parameter streamq of a figure of the streaming queue document."""
    method = given.get("method", "")
    if given.get("duplicates") == "0":
        return "none"
    return "alias" if "alias" in method else "pubsub" if "pub/sub" in method else given.get("strmqos", "BESTEF")


def _is_same(name: str, theirs: str, ours: str | None) -> bool:
    if name not in _COMPARED or ours is None:
        return True
    if name == "coordinatedTransaction":
        theirs = "coordinated" if theirs == "yes" else "automatic"
    return _plain(_SYNONYMS.get(ours, ours)) == _plain(_SYNONYMS.get(theirs, theirs))


def best(workload: str, parameters: Mapping[str, str]) -> Anchor | None:
    """Return the figure of a document for a point: the highest rate, or the cost where only that was measured."""
    found = [each for each in anchors() if each.workload == workload and fits(each, parameters)]
    return max(found, key=lambda each: (each.rate or 0.0, -(each.cpu_us or 0.0)), default=None)


@dataclass(frozen=True, slots=True)
class Beside:
    """A peak of ours beside a figure of a document."""

    point: Point
    anchor: Anchor

    @property
    def per_cpu_second(self) -> float | None:
        """Return our operations per CPU second; of the server alone if the document's drivers ran elsewhere."""
        apart = self.anchor.platform.startswith("x86") and not self.anchor.source.startswith("linux92 4")
        cost = self.point.cpu_us if apart else self.point.total_us
        return 1e6 / cost if cost else None

    @property
    def rate(self) -> float | None:
        """Return our rate in the unit of the figure: the log that is written in a second where that is MB/s."""
        if self.anchor.unit != "MB/s":
            return self.point.rate
        return self.point.rate * self.point.logged / 1e6 if self.point.logged else None

    @property
    def ratio(self) -> float | None:
        """Return our work for one CPU second over theirs."""
        here, there = self.per_cpu_second, self.anchor.per_cpu_second
        return here / there if here and there else None


def beside(points: Sequence[Point]) -> list[Beside]:
    """Return the peak of each set of parameters, ramps apart, with the figure of a document that was measured so."""
    peaks: dict[tuple[object, ...], Point] = {}
    for point in points:
        if point.product != "FlintMQ" or not point.rates:
            continue
        rest = {name: value for name, value in point.parameters.items() if name not in (*RAMPED, "servers")}
        key = (point.workload, *sorted(rest.items()))
        if key not in peaks or peaks[key].rate < point.rate:
            peaks[key] = point
    found = [(point, best(point.workload, point.parameters)) for point in peaks.values()]
    return [Beside(point, anchor) for point, anchor in found if anchor is not None]
