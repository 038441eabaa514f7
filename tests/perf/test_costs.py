"""Cost models: coefficients that were put in come out, and whole runs that were held out are predicted."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from flintmq.perf.report import capacity
from flintmq.pipeline.runs.costs import BUSY_MAX, GOOD, Point, Wanted, errors, fit, held_out, not_negative, plan
from flintmq.pipeline.runs.tables import Point as Measured
from tests.perf.simulated import BASES, cost_us

SIZES = (512, 2048, 8192, 32768, 131072)


def points(noise: float = 0.0, seed: int = 1) -> list[Point]:
    """Points of eight runs: each mode, persistent and not, twice with different sizes between."""
    source = random.Random(seed)
    made = []
    for mode in BASES:
        for size in SIZES:
            for persistent in (False, True):
                for copies in (0, 1):
                    given = {"mode": mode, "size": size, "persistent": persistent, "copies": copies}
                    cost = cost_us(given) * source.lognormvariate(0, noise)
                    log = 400.0 + size + 250.0 * copies if persistent else None
                    name = f"{mode}-{size}-{persistent}-{copies}"
                    run = f"{mode}-{'ends' if size in (SIZES[0], SIZES[-1]) else 'middle'}"
                    made.append(Point(name, mode, size, cost, persistent, copies, log_bytes=log, run=run))
    return made


def test_coefficients_that_were_put_in_come_out() -> None:
    model = fit(points())
    persistent = {f"{mode}, persistent": base + 9.0 for mode, base in BASES.items()}
    assert model.bases == pytest.approx(BASES | persistent, rel=1e-6)
    assert model.per_kb == pytest.approx(dict.fromkeys(BASES, 1.5) | dict.fromkeys(persistent, 3.5), rel=1e-6)
    assert model.shared["copies"] == pytest.approx(6.0, rel=1e-6)
    assert model.shared["copies_persistent"] == pytest.approx(0.0, abs=1e-6)
    assert model.persistence == pytest.approx((9.0, 2.0), rel=1e-6)
    assert "properties" not in model.shared and model.zero == [] and model.one_size == ()


def test_the_log_has_a_base_a_cost_of_a_byte_and_one_of_a_copy() -> None:
    """A copy shares the payload of its message in the log: SQ-W02 logs 256 bytes more than SQ-W01, not twice that."""
    assert fit(points()).log == pytest.approx((400.0, 1.0, 250.0), rel=1e-6)
    one = [Point("SQ-W01", "put", 2048, 90.0, True, 0, log_bytes=2304.0)]
    model = fit([*one, Point("SQ-W02", "put", 2048, 120.0, True, 1, log_bytes=2560.0)])
    assert model.log == pytest.approx((256.0, 1.0, 256.0)) and model.log_size == 2048
    remarks = plan(model, Wanted("put", 1.0, 4096, True)).remarks
    assert any("a byte is taken as one byte of log" in each for each in remarks)


def test_whole_runs_that_were_held_out_are_predicted_within_15_percent() -> None:
    found = held_out(points(noise=0.03))
    middle, most = errors(found)
    # The runs between the ends of sizes: those with the ends would be extrapolated.
    assert {each.point.run for each in found} == {f"{mode}-middle" for mode in BASES}
    assert len(found) == 4 * 3 * 2 * 2
    assert most <= GOOD and middle < 0.05


def test_a_run_whose_path_no_other_run_has_is_not_held_out() -> None:
    lonely = Point("a", "pigeon", 2048, 50.0, run="pigeons")
    assert all(each.point.path != "pigeon" for each in held_out([*points(), lonely, replace(lonely, name="b")]))


def test_a_coefficient_that_only_the_held_out_run_shows_is_not_predicted() -> None:
    """Without the run that has no copies, a path cannot tell the cost of a copy from its base."""
    made = [Point("plain", "put", 2048, 90.0, True, 0), Point("copied", "put", 2048, 120.0, True, 1)]
    assert held_out(made) == []


def test_a_coefficient_is_never_negative() -> None:
    falling = [Point(str(size), "put", size, 100.0 - size / 1000) for size in (1000, 10_000, 50_000)]
    model = fit(falling)
    assert model.per_kb["put"] == 0.0 and model.bases["put"] > 0


def test_a_base_of_0_is_named() -> None:
    steep = [Point(str(size), "put", size, size**1.5) for size in (1000, 10_000, 50_000)]
    model = fit(steep)
    assert model.zero == ["put"]
    assert any("base of this path is 0" in each for each in plan(model, Wanted("put", 1.0, 2000)).remarks)


def test_a_path_that_was_run_with_one_size_has_the_cost_of_a_kb_of_others() -> None:
    known = [*points(), Point("one", "pigeon", 4096, 50.0)]
    model = fit(known)
    assert model.one_size == ("pigeon",)
    assert model.per_kb["pigeon"] == pytest.approx(1.5) and model.bases["pigeon"] == pytest.approx(44.0)
    assert any("about one size" in each for each in plan(model, Wanted("pigeon", 1.0, 8192)).remarks)


def test_persistence_that_a_path_was_not_run_with_costs_as_in_others_and_says_so() -> None:
    known = [*points(), *(Point(f"p{size}", "pigeon", size, 40.0 + size / 1024) for size in SIZES)]
    made = plan(fit(known), Wanted("pigeon", 1.0, 2048, True))
    assert made.cpu_us == pytest.approx(40.0 + 2 + 9 + 4)
    assert any("their extra cost is that of other paths" in each for each in made.remarks)


def test_a_client_that_is_alone_costs_more() -> None:
    made = []
    for run, clients in (("a", 1), ("a", 4), ("b", 2), ("b", 8)):
        for size in SIZES:
            cost = 20.0 + size / 1024 + 30.0 / clients
            made.append(Point(f"{run}{clients}{size}", "put", size, cost, run=run, clients=clients))
    model = fit(made)
    assert model.shared["alone"] == pytest.approx(30.0) and model.bases["put"] == pytest.approx(20.0)
    assert plan(model, Wanted("put", 1.0, 1024, connections=2)).cpu_us == pytest.approx(36.0)
    assert plan(model, Wanted("put", 1.0, 1024)).cpu_us == pytest.approx(21.0)
    # The client that is alone in run a is beyond those of run b.
    assert {each.point.clients for each in held_out(made)} == {2, 4, 8}


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
    assert made.log_bytes == pytest.approx(2048 + 400 + 250)
    assert made.memory_mb == pytest.approx(60.0, rel=0.01)
    # B135, B131: a page for a message of 2 KB, and one of an index for 72.
    assert made.pages == 7200 + 100
    assert made.index_mb == pytest.approx(1000 * 272 / 2**20)


def test_a_plan_says_what_the_runs_do_not_tell() -> None:
    known = [Point("a", "put", 1024, 20.0), Point("b", "put", 4096, 25.0)]
    said = " ".join(plan(fit(known), Wanted("put", 100.0, 1 << 20, True, 1, 3, subscribers=2), 0.4).remarks)
    for words in (
        "extrapolated",
        "no run of this path has persistent messages",
        "stream queues",
        "subscribers",
        "properties",
        "log is not predicted",
    ):
        assert words in said
    assert "missed by up to 40 %" in said
    with pytest.raises(KeyError):
        plan(fit(known), Wanted("get", 100.0, 10))
    with pytest.raises(ValueError, match="nothing to fit"):
        fit([])


# -- from the parameters of a run ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "operation", "path"),
    [
        ({"mode": "local"}, "put", "put, local"),
        ({"mode": "tcp", "server_mode": "local"}, "request/reply", "request/reply, tcp to local"),
        ({"syncpoint": "server"}, "request/reply", "request/reply, local, server in syncpoint"),
        ({"mode": "tls", "cipher": "none"}, "put", "put, tcp"),
        ({"mode": "tls", "cipher": "ECDHE_RSA_AES_256_CBC_SHA384"}, "put", "put, tls CBC"),
        ({"streamq": "pubsub", "syncpoint": "both"}, "put by App1", "put by App1, local, syncpoint, to a topic"),
        ({"flow": "convert", "format_in": "XML", "format_out": "TAG"}, "m", "flow convert XML to TAG, m, local"),
        ({"flow": "plain", "transaction": "yes"}, "m", "flow plain, m, local, transaction"),
    ],
)
def test_a_path_has_all_that_has_a_cost_of_its_own(given: dict[str, str], operation: str, path: str) -> None:
    assert capacity.path_of(given, operation) == path


def test_opens_selectors_traces_and_rated_loads_are_not_fitted() -> None:
    from pathlib import Path

    from flintmq.pipeline.runs.tables import RunFacts

    def run_of(operation: str, target: float | None = None, **parameters: str) -> RunFacts:
        given = {"mode": "local", "size": "2048", **parameters}
        point = Measured(
            "r", "W", "FlintMQ", 1, given, (100.0,), (50.0,), (60.0,), (), None, None, 0, None, 0, 1.0, target
        )
        return RunFacts("r", Path(), {"operation": operation, "workload": "W"}, points=[point])

    assert len(capacity.cost_points([run_of("put")])) == 1
    apart = [
        run_of("open and close"),
        run_of("open, put, get, close"),
        run_of("put", trace="GLOBAL"),
        run_of("put", depth="1000"),
        run_of("put", compression="RLE"),
        run_of("put", 40.0),
        run_of("request/reply", selector="property"),
    ]
    assert capacity.cost_points(apart) == []
    (copied,) = capacity.cost_points([run_of("put by App1", streamq="none", copies="1")])
    assert (copied.copies, copied.subscribers) == (0, 0)


def test_the_example_is_a_path_by_which_applications_put_and_get() -> None:
    made = [
        *(Point(f"f{n}", "flow plain, message, local", 1024 << n, 100.0 + n) for n in range(9)),
        *(Point(f"e{n}", "put, local", 1024 << n, 20.0 + n) for n in range(5)),
        *(Point(f"p{n}", "put, local, syncpoint", 1024 << n, 90.0 + n, True, log_bytes=1300.0) for n in range(3)),
    ]
    assert capacity.example_path(fit(made), made) == ("put, local, syncpoint", True)
    assert capacity.example_path(fit(made[:14]), made[:14]) == ("put, local", False)
