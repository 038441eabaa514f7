"""How evenly messages came: measured by counts of short slots, bounded by a count of a long interval (B24).

The same 100,000 messages in a minute may be 1,667 in every second, or all in five seconds. With a count per slot of a
few seconds this is measured (`spread`). With one count for the interval only a bound is known (`bound`): the rate
cannot have been below the mean in every slot, and

    the last put        all messages came before it, so the mean rate up to it was reached
    the deepest point   the gain of the queue over its depth at the start was put without being got
    tasks               the puts of a task were made between its open and its close
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: Peak over mean from which messages came unevenly, and in bursts.
UNEVEN, BURSTY = 1.5, 3.0


@dataclass(frozen=True, slots=True)
class Spread:
    """Messages of some time, by slots of equal length."""

    messages: int
    slots: int
    #: Messages of the busiest slot.
    peak: int
    #: Slots without a message.
    idle: int
    #: The fewest slots that hold half of the messages.
    half: int

    @property
    def burst(self) -> float:
        """Return peak over mean: 1 is even, the number of slots is all at once."""
        return self.peak * self.slots / self.messages if self.messages else 0.0

    @property
    def half_share(self) -> float:
        """Return the share of the time that holds half of the messages: 0.5 is even."""
        return self.half / self.slots if self.slots else 0.0


def spread(counts: Sequence[int]) -> Spread:
    """Return the spread of counts per slot."""
    total, reached, half = sum(counts), 0, 0
    for count in sorted(counts, reverse=True):
        if 2 * reached >= total:
            break
        reached += count
        half += 1
    return Spread(total, len(counts), max(counts, default=0), sum(1 for count in counts if not count), half)


def judged(burst: float, idle_share: float) -> str:
    """Return words for a spread: even, uneven, in bursts, or in short bursts with silence between."""
    if burst < UNEVEN:
        return "even"
    if burst < BURSTY:
        return "uneven"
    return "in bursts" if idle_share < 0.5 else "in short bursts with silence between"


@dataclass(frozen=True, slots=True)
class Bound:
    """The facts that a count of an interval proves about its busiest second."""

    #: Messages per second over the whole interval, and over the part in which they must have come.
    mean: float
    least_peak: float
    #: The part of the interval, in seconds.
    within_s: float
    #: Messages that were put and not got while the queue grew to its deepest.
    backlog: int


def bound(puts: int, interval_s: float, last_put_s: float | None, depth_start: int | None, depth_max: int) -> Bound:
    """Derive a bound from one count. `last_put_s` is the time of the last put after the interval's start.

    A `last_put_s` of None, or outside the interval, proves nothing. A depth that was there before is not a backlog of
    this interval; where it is unknown, the backlog is 0.
    """
    within = interval_s if last_put_s is None or not 0 < last_put_s <= interval_s else max(last_put_s, 0.001)
    backlog = 0 if depth_start is None else max(min(depth_max - depth_start, puts), 0)
    mean = puts / interval_s if interval_s > 0 else math.nan
    return Bound(mean, puts / within if within > 0 else math.nan, within, backlog)
