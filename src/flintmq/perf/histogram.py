"""Latency histograms with log-linear buckets: a fixed relative error, mergeable, small on disk.

    values below 256      a bucket for each
    above                 128 buckets for each power of two: relative error below 1/128

    index(v) = 128 * e + (v >> e)      with e = max(0, bit_length(v) - 8)

Values are nanoseconds. Recording is one shift and one addition, so that a driver can afford it for each message.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

BITS = 7
_HALF = 1 << BITS
#: The largest value that is told apart: about 4.9 hours. A larger one counts as this one.
VALUE_MAX = (1 << 44) - 1
_SIZE = (44 - BITS) * _HALF + _HALF


class Histogram:
    """Counts of values. `total` and `maximum` are exact, percentiles are within 0.8 %."""

    __slots__ = ("counts", "maximum", "total")

    def __init__(self) -> None:
        self.counts = [0] * _SIZE
        self.total = 0
        self.maximum = 0

    def record(self, value: int) -> None:
        """Count one value; a negative one counts as 0."""
        if value < 0:
            value = 0
        self.total += value
        if value > self.maximum:
            self.maximum = value
            value = min(value, VALUE_MAX)
        shift = value.bit_length() - 8
        if shift > 0:
            self.counts[(shift << BITS) + (value >> shift)] += 1
        else:
            self.counts[value] += 1

    @property
    def count(self) -> int:
        """Return how many values were recorded."""
        return sum(self.counts)

    @property
    def mean(self) -> float:
        """Return the arithmetic mean, 0.0 without values."""
        count = self.count
        return self.total / count if count else 0.0

    def percentile(self, percent: float) -> int:
        """Return the value that `percent` of all values do not exceed, 0 without values."""
        wanted = self.count * percent / 100.0
        seen = 0
        for index, count in enumerate(self.counts):
            seen += count
            if count and seen >= wanted:
                return min(highest(index), self.maximum)
        return 0

    def merge(self, other: Histogram) -> None:
        """Add the values of `other`."""
        for index, count in enumerate(other.counts):
            if count:
                self.counts[index] += count
        self.total += other.total
        self.maximum = max(self.maximum, other.maximum)

    def to_json(self) -> dict[str, Any]:
        """Return the form of a run: the buckets that are not empty."""
        counts = [[index, count] for index, count in enumerate(self.counts) if count]
        return {"unit": "ns", "bits": BITS, "counts": counts, "total": self.total, "maximum": self.maximum}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Histogram:
        """Read the form of a run. Raise ValueError where it is damaged or has other buckets."""
        if data.get("unit") != "ns" or data.get("bits") != BITS:
            raise ValueError(f"a histogram with unit {data.get('unit')!r} and bits {data.get('bits')!r} is not known")
        made = cls()
        try:
            for index, count in data["counts"]:
                if not 0 <= index < _SIZE or count < 0:
                    raise ValueError(f"a histogram has no bucket {index} with count {count}")
                made.counts[index] += count
            made.total, made.maximum = int(data["total"]), int(data["maximum"])
        except (KeyError, TypeError) as error:
            raise ValueError(f"a damaged histogram: {error}") from None
        return made


def merged(histograms: Iterable[Histogram]) -> Histogram:
    """Return a new histogram of all values."""
    made = Histogram()
    for each in histograms:
        made.merge(each)
    return made


def lowest(index: int) -> int:
    """Return the smallest value of a bucket."""
    shift = max(0, index // _HALF - 1)
    return (index - (shift << BITS)) << shift


def highest(index: int) -> int:
    """Return the largest value of a bucket."""
    shift = max(0, index // _HALF - 1)
    return ((index - (shift << BITS) + 1) << shift) - 1
