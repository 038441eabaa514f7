"""Every behaviour that a run can show is in the list, with a check, a test, or a reason; each check can fail."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from flintmq.perf.catalogue import WORKLOADS
from flintmq.perf.report.anchors import PLATFORMS, anchors, beside, best
from flintmq.perf.report.behaviours import HELD, NOT_HELD, NOT_SHOWN, REASONS, behaviours, judge
from flintmq.perf.report.chapters import CHAPTERS
from flintmq.perf.report.checks import CHECKS, EXPLAINED
from flintmq.perf.report.evidence import Evidence, pick, ratio, trend
from flintmq.pipeline.runs.tables import Latency, Point

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
    assert set(EXPLAINED) <= set(CHECKS)


@cache
def cited(path: Path) -> frozenset[int]:
    """Return the behaviours that docstrings and comments of a test name. Data of a test may look like one."""
    text = path.read_text("utf-8")
    parts = [
        each.string for each in tokenize.generate_tokens(io.StringIO(text).readline) if each.type == tokenize.COMMENT
    ]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            parts.append(ast.get_docstring(node) or "")
    return frozenset(int(number) for part in parts for number in re.findall(r"\bB(\d{2,3})\b", part))


def test_the_tests_that_are_named_are_there_and_cite_the_behaviour() -> None:
    for each in behaviours():
        for path in each.tests:
            assert each.number in cited(ROOT / path), (each.number, path)


def test_a_behaviour_that_a_test_cites_names_a_test() -> None:
    here = Path(__file__).resolve().parent
    paths = [path for path in (ROOT / "tests").rglob("test_*.py") if path.parent != here]
    found = {number for path in paths for number in cited(path)}
    assert [each.number for each in behaviours() if each.number in found and not each.tests] == []


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
            [point("Z701-W14", 10, c, selector="property", depth=d) for c, d in ((20, "0"), (60, "10000"))],
        ),
        (
            57,
            [point("Z93-Q02", 50, c, case=case) for c, case in ((30, "streamq"), (20, "plain"))],
            [point("Z93-Q02", 50, c, case=case) for c, case in ((21, "streamq"), (20, "plain"))],
        ),
        (
            108,
            [
                point("SQ-W02", 50, streamq=q, persistent="true", log=n)
                for q, n in (("BESTEF", "4900"), ("none", "2450"))
            ],
            [
                point("SQ-W02", 50, streamq=q, persistent="true", log=n)
                for q, n in (("BESTEF", "2560"), ("none", "2300"))
            ],
        ),
        (
            124,
            [point("L92-W14", rate, persistent="true", clients=n) for rate, n in ((30, "1"), (99, "16"), (70, "60"))],
            [point("L92-W14", rate, persistent="true", clients=n) for rate, n in ((90, "1"), (99, "16"), (99, "60"))],
        ),
        (
            186,
            [point("L92-W13", rate, clients=n) for rate, n in ((30, "1"), (99, "20"), (80, "60"))],
            [point("L92-W13", rate, clients=n) for rate, n in ((30, "1"), (99, "20"), (99, "60"))],
        ),
        (
            224,
            [point("Z701-W19", 50, c, properties=n) for c, n in ((20, "0"), (32, "1"), (46, "15"))],
            [point("Z701-W19", 50, c, properties=n) for c, n in ((20, "0"), (22, "1"), (50, "15"))],
        ),
        (
            227,
            [point("Z701-W13", r, c, selector="property", clients=n) for r, c, n in ((90, 10, "1"), (20, 80, "8"))],
            [point("Z701-W13", r, c, selector="property", clients=n) for r, c, n in ((90, 10, "1"), (80, 11, "8"))],
        ),
        (
            260,
            [point("WMQI-W17", rate, subscribers=n) for rate, n in ((100, "1"), (50, "10"), (3, "100"))],
            [point("WMQI-W17", rate, subscribers=n) for rate, n in ((100, "1"), (50, "10"), (30, "100"))],
        ),
        (
            259,
            [point("WMQI-W17", rate, subscribers=n) for rate, n in ((100, "1"), (20, "10"))],
            [point("WMQI-W17", rate, subscribers=n) for rate, n in ((100, "1"), (120, "10"))],
        ),
        (
            198,
            [point("Z93-R25", 50, 40, trace="GLOBAL"), point("Z93-R25", 100, 20, trace="none")],
            [point("Z93-R25", 80, 26, trace="GLOBAL"), point("Z93-R25", 100, 20, trace="none")],
        ),
    ],
)
def test_a_check_holds_where_the_runs_show_it_and_fails_where_they_do_not(
    number: int, good: list[Point], bad: list[Point]
) -> None:
    def verdict(points: list[Point]) -> str:
        return next(each.verdict for each in judge(points) if each.behaviour.number == number)

    assert (verdict(good), verdict(bad), verdict(good[:1])) == (HELD, NOT_HELD, NOT_SHOWN)


def verdict_of(number: int, points: list[Point]) -> tuple[str, str]:
    (found,) = [each for each in judge(points) if each.behaviour.number == number]
    return found.verdict, found.why


def test_a_log_that_does_not_double_is_not_held_and_says_why() -> None:
    rows = (("SQ-W01", "none", "2304"), ("SQ-W02", "BESTEF", "2561"))
    verdict, why = verdict_of(108, [point(w, 50, streamq=q, persistent="true", log=n) for w, q, n in rows])
    assert verdict == NOT_HELD and "1.11 times" in why and "has no data" in why


def test_a_statement_of_two_halves_needs_both() -> None:
    rows = (("false", "yes", 75), ("false", "automatic", 100), ("true", "yes", 50), ("true", "automatic", 50))
    points = [point("WMQI-W15", rate, persistent=p, transaction=t) for p, t, rate in rows]
    assert verdict_of(242, points)[0] == HELD
    assert verdict_of(242, points[:2]) == (NOT_SHOWN, verdict_of(242, points[:2])[1])
    assert "other half" in verdict_of(242, points[:2])[1]
    slow = [*points[:2], point("WMQI-W15", 30, persistent="true", transaction="yes"), points[3]]
    assert verdict_of(242, slow)[0] == NOT_HELD


def test_formats_are_judged_when_all_conversions_were_run() -> None:
    speed = {"XML": 100.0, "CWF": 80.0, "MRMXML": 60.0, "TAG": 50.0}
    source = {"XML": 1.0, "CWF": 0.9, "MRMXML": 0.8, "TAG": 0.3}
    points = [point("WMQI-W11", speed[to] * source[one], format_in=one, format_out=to) for one in speed for to in speed]
    assert verdict_of(252, points)[0] == HELD
    assert verdict_of(252, points[:-1])[0] == NOT_SHOWN


def test_a_load_near_the_peak_is_compared_with_a_light_one() -> None:
    """B241 needs rated runs: their latency is from the time at which a message was due."""
    seen = [Latency("round_trip", "intended", 100, 1e3, 2e3, p99, p99, p99) for p99 in (4e3, 4e5)]
    rated = [
        replace(point("WMQI-W01", rate), target_rate=rate, latency=(latency,), machine_cpu=busy)
        for rate, latency, busy in ((50.0, seen[0], 0.3), (300.0, seen[1], 1.0))
    ]
    assert verdict_of(241, rated)[0] == HELD
    assert verdict_of(241, rated[:1])[0] == NOT_SHOWN
    assert verdict_of(241, [rated[0], replace(rated[1], latency=(seen[0],))])[0] == NOT_HELD


def test_ciphers_of_a_class_are_compared_with_each_other() -> None:
    names = ("TLS_RSA_WITH_AES_256_GCM_SHA384", "ECDHE_RSA_AES_256_GCM_SHA384")
    alike = [point("L92-W11", rate, cipher=name) for name, rate in zip(names, (100, 95), strict=True)]
    assert verdict_of(188, alike)[0] == HELD
    apart = [point("L92-W11", rate, cipher=name) for name, rate in zip(names, (100, 70), strict=True)]
    assert verdict_of(188, apart)[0] == NOT_HELD


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
