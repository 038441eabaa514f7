"""How unusual a value is among its like: a robust z-score, in numbers and in words.

    z = (value - median) / scale
    scale = the largest of  1.4826 x MAD        the usual spread; the factor makes it a standard deviation
                            1.4826 x quartile   distance of the quartile on the side of the value, for lopsided values
                            1.2533 x mean AD    only where MAD is 0: more than half of the values are equal
                            6 % of the median   differences within 6 % count as equal (B200)
                            sqrt(median count)  the effect of chance alone on a count
                            1                   one message, byte or second more or less is nothing

Median and MAD (median of the absolute distances from the median) are not moved by the values that are looked for; mean
and standard deviation are. A value is unusual if |z| reaches the threshold *and* it differs by at least `least` units.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: Makes the MAD of normal data its standard deviation; the other does so for the mean absolute distance.
MAD_FACTOR = 1.4826
MEAN_FACTOR = 1.2533
SAME = 0.06


def median(values: Sequence[float]) -> float:
    """Return the middle value; of an even number of values the mean of the middle two."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def scale(middle: float, mad: float, mean_distance: float, is_count: bool, quartile: float = 0.0) -> float:
    """Return the distance that counts as one step from the median. At least 1, whatever the values are."""
    parts = [1.0, MAD_FACTOR * mad, MAD_FACTOR * quartile, SAME * abs(middle)]
    if mad == 0:
        parts.append(MEAN_FACTOR * mean_distance)
    if is_count:
        parts.append(math.sqrt(abs(middle)))
    return max(parts)


def score(value: float, values: Sequence[float], is_count: bool = True) -> float:
    """Return the z-score of a value among others."""
    middle = median(values)
    distances = [abs(other - middle) for other in values]
    mean = sum(distances) / len(distances)
    side = [abs(other - middle) for other in values if (other - middle) * (value - middle) >= 0]
    return (value - middle) / scale(middle, median(distances), mean, is_count, median(side) if side else 0.0)


@dataclass(frozen=True, slots=True)
class Finding:
    """One stretch of unusual values of one counter."""

    object: str
    counter: str
    #: When it was worst, and from when to when it lasted, as a reader writes it.
    at: str
    value: float
    #: The quartiles and the median of its like.
    low: float
    middle: float
    high: float
    #: The values that it is compared with: `at this hour`, `at this hour on Mondays`.
    season: str
    intervals: int = 1
    unit: str = ""


def number(value: float) -> str:
    """Format a number for a sentence: whole from 10 on, else with at most two digits after the point."""
    text = f"{value:,.0f}" if abs(value) >= 10 or value == round(value) else f"{value:,.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def sentence(found: Finding) -> str:
    """Return `DEV.QUEUE.1 got 14 times its usual puts at 10:15: 12,000 where 800 to 900 are usual at this hour`."""
    unit = f" {found.unit}" if found.unit else ""
    value = f"{number(found.value)}{unit}"
    low, high = number(found.low), number(found.high)
    usual = f"{low} to {high}" if low != high else low
    where = f"where {usual if found.high > 0 else 'none'} {'is' if usual == '1' else 'are'} usual {found.season}"
    lasted = f", the worst of {found.intervals} intervals in a row" if found.intervals > 1 else ""
    if found.value > found.middle > 0:
        times = found.value / found.middle
        factor = f"{number(round(times))} times" if times >= 2 else f"{number(round(100 * (times - 1)))} % more than"
        return f"{found.object} had {factor} its usual {found.counter} at {found.at}: {value} {where}{lasted}."
    if found.value > found.middle:
        return f"{found.object} had {found.counter} at {found.at} that it usually lacks: {value} {where}{lasted}."
    rest = "no" if found.value == 0 else f"only {number(100 * found.value / found.middle)} % of its usual"
    return f"{found.object} had {rest} {found.counter} at {found.at}: {value} {where}{lasted}."
