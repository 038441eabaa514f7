"""Cost models: coefficients that were put in come out, and held-out runs are predicted."""

from __future__ import annotations

import random

import pytest

from flintmq.pipeline.runs.costs import BUSY_MAX, GOOD, Point, Wanted, errors, fit, held_out, not_negative, plan
from tests.perf.simulated import BASES, cost_us


def points(noise: float = 0.0, seed: int = 1) -> list[Point]:
    source = random.Random(seed)
    made = []
    for mode in BASES:
        for size in (512, 2048, 8192, 32768, 131072):
            for persistent in (False, True):
                for copies in (0, 1):
                    given = {"mode": mode, "size": size, "persistent": persistent, "copies": copies}
                    cost = cost_us(given) * source.lognormvariate(0, noise)
                    log = (400.0 + size) * (1 + copies) if persistent else None
                    name = f"{mode}-{size}-{persistent}-{copies}"
                    made.append(Point(name, mode, size, cost, persistent, copies, log_bytes=log))
    return made


def test_coefficients_that_were_put_in_come_out() -> None:
    model = fit(points())
    assert model.bases == pytest.approx(BASES, rel=1e-6)
    assert model.shared == pytest.approx({"persistent": 9.0, "persistent_kb": 2.0, "copies": 6.0}, rel=1e-6)
    assert model.per_kb == pytest.approx(dict.fromkeys(BASES, 1.5), rel=1e-6)
    assert model.log == pytest.approx((400.0, 1.0), rel=1e-6)
    assert "properties" not in model.shared


def test_held_out_points_are_predicted_within_15_percent() -> None:
    found = held_out(points(noise=0.03))
    middle, most = errors(found)
    assert len(found) == 4 * 3 * 2 * 2 + 4 * 2 * 2 * 2  # Between the ends of sizes; at the ends a copy holds the end.
    assert most <= GOOD and middle < 0.05


def test_a_coefficient_is_never_negative() -> None:
    falling = [Point(str(size), "put", size, 100.0 - size / 1000) for size in (1000, 10_000, 50_000)]
    model = fit(falling)
    assert model.per_kb["put"] == 0.0 and model.bases["put"] > 0


def test_not_negative_solves_what_least_squares_would_solve() -> None:
    import numpy as np

    source = np.random.default_rng(1)
    matrix = source.random((30, 4))
    assert not_negative(matrix, matrix @ np.array([1.0, 0.0, 2.5, 0.25])) == pytest.approx(
        [1.0, 0.0, 2.5, 0.25], abs=1e-8
    )


def test_a_plan_has_cores_log_memory_and_pages() -> None:
    known = [
        *points(),
        *(Point(f"m{n}", "tcp", 2048, 34.0, connections=n, memory_mb=50 + n * 0.2) for n in (1, 10, 100)),
    ]
    wanted = Wanted("tcp", 20_000.0, 2048, True, copies=1, connections=50, depth=7200, indexed=1000)
    made = plan(fit(known), wanted)
    cost = cost_us({"mode": "tcp", "size": 2048, "persistent": True, "copies": 1})
    assert made.cpu_us == pytest.approx(cost, rel=0.02)
    assert made.cores == pytest.approx(20_000 * made.cpu_us / 1e6)
    assert made.rate_of_one == pytest.approx(BUSY_MAX * 1e6 / made.cpu_us)
    assert made.managers == 2 and any("2 queue managers" in each for each in made.remarks)
    assert made.log_bytes == pytest.approx(2 * 2448.0)
    assert made.memory_mb == pytest.approx(60.0, rel=0.01)
    # B135, B131: a page for a message of 2 KB, and one of an index for 72.
    assert made.pages == 7200 + 100
    assert made.index_mb == pytest.approx(1000 * 272 / 2**20)


def test_a_plan_says_what_the_runs_do_not_tell() -> None:
    known = [Point("a", "put", 1024, 20.0), Point("b", "put", 4096, 25.0)]
    said = " ".join(plan(fit(known), Wanted("put", 100.0, 1 << 20, True, 1, 3), 0.4).remarks)
    for words in (
        "extrapolated",
        "persistent and non-persistent",
        "stream queues",
        "properties",
        "log is not predicted",
    ):
        assert words in said
    assert "missed by up to 40 %" in said
    with pytest.raises(KeyError):
        plan(fit(known), Wanted("get", 100.0, 10))
    with pytest.raises(ValueError, match="nothing to fit"):
        fit([])
