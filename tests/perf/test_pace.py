"""Honest clocks: a server that stalls is seen by every message that fell due meanwhile (P1)."""

from __future__ import annotations

import pytest

from flintmq.perf import pace
from flintmq.perf.histogram import lowest
from flintmq.perf.pace import SECOND
from flintmq.perf.stage import Used

MS = SECOND // 1000


class SlowServer:
    """A server in simulated time: each operation takes `service`, the one at `stall_at` takes `stall` more."""

    def __init__(self, service: int, stall_at: int = -1, stall: int = 0) -> None:
        self.now = 0
        self.calls = 0
        self.stamps: list[int] = []
        self._service, self._stall_at, self._stall = service, stall_at, stall

    def clock(self) -> int:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += round(seconds * SECOND)

    def operation(self, stamp: int) -> int:
        self.stamps.append(stamp)
        self.now += self._service + (self._stall if self.calls == self._stall_at else 0)
        self.calls += 1
        return 1


def tally(seconds: int) -> pace.Tally:
    return pace.Tally(pace.Window(0, seconds * SECOND))


def rated(server: SlowServer, seconds: int, interval: float) -> pace.Tally:
    measured = tally(seconds)
    pace.run_rated(server.operation, measured, 0, interval, server.clock, server.sleep)
    return measured


def test_a_stall_of_a_second_is_in_the_latency_of_all_that_was_due() -> None:
    """100 operations a second; one stalls for a second: from the schedule, 100 are late, the last least."""
    measured = rated(SlowServer(MS, 100, SECOND), 5, 10 * MS)
    assert measured.intended is not None
    late = sum(count for index, count in enumerate(measured.intended.counts) if lowest(index) > 5 * MS)
    assert 100 <= late <= 115
    assert measured.intended.percentile(90) > 100 * MS
    # From the call, a single one is: the wait of the others would have been left out.
    assert measured.sent.percentile(99.5) < 2 * MS and measured.sent.maximum > SECOND


def test_a_rate_is_kept_after_a_stall() -> None:
    """Operations are sent late, not dropped: the count is that of the schedule."""
    assert sum(rated(SlowServer(MS, 100, SECOND), 5, 10 * MS).counts) == 500


def test_a_server_that_is_too_slow_has_growing_latency_and_its_own_rate() -> None:
    measured = rated(SlowServer(20 * MS), 4, 10 * MS)
    assert measured.intended is not None
    assert 195 <= sum(measured.counts) <= 200
    assert measured.intended.maximum > 1900 * MS and measured.sent.maximum <= 20 * MS


def test_messages_carry_the_time_at_which_they_were_due() -> None:
    server = SlowServer(MS, 1, 50 * MS)
    rated(server, 1, 10 * MS)
    assert server.stamps == [number * 10 * MS for number in range(100)]


def test_an_unrated_instance_sends_when_the_one_before_has_ended() -> None:
    server, measured = SlowServer(4 * MS), tally(2)
    pace.run_unrated(server.operation, measured, 2 * SECOND, server.clock, server.sleep)
    assert measured.counts == [249, 250] and measured.intended is None


def test_only_what_ends_in_the_window_counts() -> None:
    server = SlowServer(10 * MS)
    measured = pace.Tally(pace.Window(SECOND, 3 * SECOND))
    pace.run_unrated(server.operation, measured, 4 * SECOND, server.clock, server.sleep)
    assert (measured.counts, measured.sent.count) == ([100, 100], 200)


def test_failures_are_counted_by_second_and_end_an_instance_that_only_fails() -> None:
    server, measured = SlowServer(MS), tally(1)

    def fails(stamp: int) -> int:
        server.operation(stamp)
        raise ValueError("queue full")

    with pytest.raises(pace.GaveUp, match="ValueError: queue full"):
        pace.run_unrated(fails, measured, 60 * SECOND, server.clock, server.sleep)
    assert measured.errors == [sum(measured.errors)] and sum(measured.counts) == 0
    assert server.calls == pace.FAILURES_MAX


def test_an_operation_that_found_nothing_is_not_counted() -> None:
    server, measured = SlowServer(MS), tally(1)

    def empty(stamp: int) -> int:
        server.operation(stamp)
        return 0

    pace.run_unrated(empty, measured, SECOND, server.clock, server.sleep)
    assert (sum(measured.counts), measured.sent.count) == (0, 0)


def test_cpu_of_an_interval_is_exact_and_shared_out_by_ticks() -> None:
    """P2: the sum is that of the CPU clock even where the share of system time changes."""
    before, after = Used(1.0, 50, 50), Used(1.1, 50, 60)
    assert after.since(before) == pytest.approx((0.0, 0.1))
    assert Used(1.001, 50, 50).since(before) == pytest.approx((0.0005, 0.0005))
    assert Used(0.5).since(before) == (0.0, 0.0)
