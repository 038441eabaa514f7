"""Every behaviour that a run can show is in the list, with a check, a test, or a reason; each check can fail."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flintmq.perf.catalogue import WORKLOADS
from flintmq.perf.report.anchors import PLATFORMS, anchors, beside, best
from flintmq.perf.report.behaviours import HELD, NOT_HELD, NOT_SHOWN, REASONS, behaviours, judge
from flintmq.perf.report.chapters import CHAPTERS
from flintmq.perf.report.checks import CHECKS, Evidence, pick, ratio, trend
from flintmq.pipeline.runs.tables import Point

ROOT = Path(__file__).resolve().parents[2]
#: What a run can show: 35 to 60, 73 to 146, 158 to 230, 231 to 267.
SHOWN = [*range(35, 61), *range(73, 147), *range(158, 268)]


def point(workload: str, rate: float, cost: float = 20.0, spread: float = 0.01, **parameters: str) -> Point:
    rates = (rate * (1 - spread), rate, rate * (1 + spread))
    costs = (cost * (1 - spread), cost, cost * (1 + spread))
    size = {"size": "2048", "persistent": "false", "mode": "local"}
    log = (float(parameters.pop("log", "0")),)
    return Point(
        "run", workload, "FlintMQ", 1, {**size, **parameters}, rates, costs, (5.0,), log, 0.5, 50.0, 0, None, 0, None
    )


def test_none_is_left_out_and_none_is_without_a_check_a_test_or_a_reason() -> None:
    assert [each.number for each in behaviours()] == SHOWN
    assert [each.behaviour.number for each in judge([]) if each.verdict != NOT_SHOWN or not each.why] == []
    known = {each.number for each in behaviours()}
    assert set(CHECKS) | set(REASONS) <= known


def test_the_tests_that_are_named_are_there_and_cite_the_behaviour() -> None:
    for each in behaviours():
        for path in each.tests:
            assert re.search(rf"\bB{each.number}\b", (ROOT / path).read_text("utf-8")), (each.number, path)


def test_checks_and_chapters_name_workloads_of_the_catalogue() -> None:
    chapters = {name for each in CHAPTERS for name in each.workloads}
    assert chapters == set(WORKLOADS)
    for _, needs in CHECKS.values():
        assert set(re.findall(r"[A-Z0-9]+-[A-Z]\d\d", needs)) <= set(WORKLOADS)


@pytest.mark.parametrize(
    ("number", "good", "bad"),
    [
        (
            87,
            [point("SQ-W08", 90, streamq="MUSTDUP"), point("SQ-W08", 100, streamq="BESTEF")],
            [point("SQ-W08", 60, streamq="MUSTDUP"), point("SQ-W08", 100, streamq="BESTEF")],
        ),
        (
            89,
            [point("SQ-W08", 70, streamq="BESTEF"), point("SQ-W08", 100, streamq="none")],
            [point("SQ-W08", 40, streamq="BESTEF"), point("SQ-W08", 100, streamq="none")],
        ),
        (
            225,
            [point("Z701-W13", rate, selector=s) for rate, s in ((100, "correlid"), (80, "string"), (20, "property"))],
            [point("Z701-W13", rate, selector=s) for rate, s in ((100, "correlid"), (20, "string"), (80, "property"))],
        ),
        (
            226,
            [point("Z701-W14", 10, c, selector="property", depth=d) for c, d in ((20, "0"), (900, "10000"))],
            [point("Z701-W14", 10, c, selector="property", depth=d) for c, d in ((20, "0"), (21, "10000"))],
        ),
        (
            259,
            [point("WMQI-W17", rate, subscribers=n) for rate, n in ((100, "1"), (20, "10"))],
            [point("WMQI-W17", rate, subscribers=n) for rate, n in ((100, "1"), (120, "10"))],
        ),
        (
            198,
            [point("Z93-R25", 50, 40, trace="GLOBAL"), point("Z93-R25", 100, 20, trace="none")],
            [point("Z93-R25", 100, 20, trace="GLOBAL"), point("Z93-R25", 100, 20, trace="none")],
        ),
    ],
)
def test_a_check_holds_where_the_runs_show_it_and_fails_where_they_do_not(
    number: int, good: list[Point], bad: list[Point]
) -> None:
    def verdict(points: list[Point]) -> str:
        return next(each.verdict for each in judge(points) if each.behaviour.number == number)

    assert (verdict(good), verdict(bad), verdict(good[:1])) == (HELD, NOT_HELD, NOT_SHOWN)


def test_noisy_repeats_give_no_verdict_and_say_so() -> None:
    points = [point("SQ-W08", 40, spread=0.3, streamq="BESTEF"), point("SQ-W08", 100, spread=0.3, streamq="none")]
    (found,) = [each for each in judge(points) if each.behaviour.number == 89]
    assert found.verdict == NOT_SHOWN and "too much for a verdict" in found.why


def test_points_are_compared_that_differ_in_nothing_else() -> None:
    rows = ((10, "none", "1"), (8, "BESTEF", "1"), (100, "none", "9"), (80, "BESTEF", "9"), (1000, "none", "33"))
    points = [point("SQ-W08", rate, streamq=q, clients=n) for rate, q, n in rows]
    found = ratio(pick("SQ-W08", streamq="BESTEF"), pick("SQ-W08", streamq="none"))(Evidence(points))
    assert found.held and "0.80 times" in found.text
    assert trend(pick("SQ-W01"), "clients")(Evidence(points)).held is None


def test_a_figure_of_a_document_stands_with_its_machine_and_per_cpu_second() -> None:
    assert {each.platform for each in anchors()} <= set(PLATFORMS)
    assert {each.workload for each in anchors()} <= set(WORKLOADS)
    flow = best("WMQI-W01", {"size": "1024", "persistent": "false"})
    assert flow is not None and (flow.rate, flow.platform) == (1175.64, "9672-2")
    assert flow.per_core == pytest.approx(587.82) and flow.per_cpu_second == pytest.approx(1e6 / 1351)
    stream = best("SQ-W08", {"size": "2048", "persistent": "false", "streamq": "MUSTDUP", "copies": "1"})
    assert stream is not None and stream.rate is not None and stream.rate < 128_130
    assert best("WMQI-W01", {"size": "1000", "persistent": "false"}) is None


def test_only_the_peak_of_a_ramp_stands_beside_a_document() -> None:
    points = [point("L92-W13", rate, clients=n) for rate, n in ((50, "1"), (200, "20"), (150, "60"))]
    (found,) = beside(points)
    assert found.point.rate == 200 and found.anchor.rate == 199_421
    # RR-BB has its drivers on the same machine: all CPU counts, here and there.
    assert found.per_cpu_second == pytest.approx(1e6 / 25)
