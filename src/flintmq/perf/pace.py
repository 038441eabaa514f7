"""The loop of an instance: when to send, and the time from which latency counts.

An unrated instance begins an operation when the one before has ended. A rated one has a schedule: operation n is due at
`start + n * interval`, whether or not earlier ones have ended. When the server stalls, the operations that fell due
meanwhile are sent late, one after the other, and their latency counts from the time they were due (P1). Measuring from
the time they were sent would leave out the wait of all but one of them: coordinated omission.

Clocks are passed in, so that tests run without time. All times are nanoseconds of one monotonic clock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from flintmq.perf.histogram import Histogram

SECOND = 1_000_000_000
#: An instance ends after this number of consecutive failures.
FAILURES_MAX = 200
_PAUSE_S = 0.005

Operation = Callable[[int], int]
Clock = Callable[[], int]
Sleep = Callable[[float], None]


@dataclass
class Window:
    """The measured interval. It may be moved to the next repeat while instances wait."""

    start: int
    end: int

    @property
    def seconds(self) -> int:
        """Return how many whole or begun seconds it has."""
        return max(1, -(-(self.end - self.start) // SECOND))


@dataclass
class Tally:
    """The measurements of one instance."""

    window: Window
    counts: list[int] = field(default_factory=list)
    errors: list[int] = field(default_factory=list)
    #: From the call, and from the scheduled time of a rated instance.
    sent: Histogram = field(default_factory=Histogram)
    intended: Histogram | None = None
    first_error: str = ""
    failures: int = 0

    def __post_init__(self) -> None:
        self.counts = [0] * self.window.seconds
        self.errors = [0] * self.window.seconds

    def done(self, count: int, began: int, ended: int, due: int = 0) -> None:
        """Count operations that ended now; those outside of the window do not count."""
        window = self.window
        if window.start <= ended < window.end:
            self.counts[(ended - window.start) // SECOND] += count
            self.sent.record(ended - began)
            if self.intended is not None:
                self.intended.record(ended - due)

    def failed(self, error: Exception, ended: int) -> None:
        """Count an operation that raised."""
        if not self.first_error:
            self.first_error = f"{type(error).__name__}: {error}"[:300]
        window = self.window
        if window.start <= ended < window.end:
            self.errors[(ended - window.start) // SECOND] += 1


def run_unrated(operation: Operation, tally: Tally, until: int, clock: Clock, sleep: Sleep) -> None:
    """Repeat `operation` until its time is over. It gets the time of its call and returns how many were done."""
    failures = 0
    began = clock()
    while began < until:
        try:
            count = operation(began)
        except Exception as error:
            failures = _failed(tally, error, clock(), failures, sleep)
            began = clock()
            continue
        failures = 0
        ended = clock()
        if count:
            tally.done(count, began, ended)
        began = ended


def run_rated(operation: Operation, tally: Tally, first_due: int, interval: float, clock: Clock, sleep: Sleep) -> None:
    """Run operations at their due times until the window ends; `interval` is in nanoseconds."""
    if tally.intended is None:
        tally.intended = Histogram()
    failures = 0
    number = 0
    while (due := first_due + int(number * interval)) < tally.window.end:
        number += 1
        now = clock()
        if now >= tally.window.end:
            return
        if now < due:
            sleep((due - now) / SECOND)
        began = clock()
        try:
            count = operation(due)
        except Exception as error:
            failures = _failed(tally, error, clock(), failures, sleep)
            continue
        failures = 0
        if count:
            tally.done(count, began, clock(), due)


class GaveUp(Exception):
    """An instance failed too often in a row; the text is that of its first failure."""


def _failed(tally: Tally, error: Exception, now: int, failures: int, sleep: Sleep) -> int:
    tally.failed(error, now)
    if failures + 1 >= FAILURES_MAX:
        raise GaveUp(tally.first_error) from error
    sleep(_PAUSE_S)
    return failures + 1
