"""Every workload of the reports is in the catalogue, and those of one queue manager, clients and broker can be run."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from flintmq.perf import catalogue, flows, procedures
from flintmq.perf.catalogue.workload import Workload
from flintmq.perf.plan import MODES, ROLES
from flintmq.perf.shapes import BUILDERS, PREFIX

ANCHORS = Path(__file__).resolve().parents[3] / "shared" / "anchors"
#: A workload may wait for these, and for nothing that is here.
FEATURES = {
    "queue-sharing groups (shared queues)",
    "message channels",
    "clusters",
    "uniform clusters",
    "message protection",
    "multi-instance and replicated queue managers",
    "z/OS (IMS bridge)",
}
ALL = list(catalogue.WORKLOADS.values())
RUNNABLE = [each for each in ALL if each.runnable]


def ids_of(page: str) -> set[str]:
    """The ids of a page: in headings, `/` between several, and in the first column of tables."""
    found: set[str] = set()
    for line in page.splitlines():
        if line.startswith("### "):
            found.update(re.findall(r"\b(?:Z93|Z701|L92)-[A-Z]\d\d\b", line))
        elif row := re.match(r"\| ((?:WMQI|SQ)-W\d\d) \|", line):
            found.add(row[1])
    return found


def test_every_workload_of_the_reports_is_listed() -> None:
    page = ANCHORS / "workloads.md"
    if not page.exists():
        pytest.skip(f"{page} is not there: it comes with the performance reports")
    wanted = ids_of(page.read_text())
    assert len(wanted) > 90
    assert wanted - set(catalogue.WORKLOADS) == set() == set(catalogue.WORKLOADS) - wanted


def test_the_rows_to_compare_with_exist() -> None:
    table = ANCHORS / "results.csv"
    if not table.exists():
        pytest.skip(f"{table} is not there: it comes with the performance reports")
    with table.open() as file:
        rows = {(row["doc"], row["section"], row["workload"]) for row in csv.DictReader(file)}
    named = {(each.doc, each.section, each.workload) for workload in ALL for each in workload.anchors}
    assert named - rows == set()


def test_what_cannot_be_run_says_which_feature_it_waits_for() -> None:
    assert {each.needs for each in ALL if not each.runnable} <= FEATURES
    assert [each.id for each in ALL if each.id.startswith(("WMQI", "SQ")) and not each.runnable] == []


@pytest.mark.parametrize("workload", RUNNABLE, ids=lambda each: each.id)
@pytest.mark.parametrize("quick", [False, True], ids=["full", "quick"])
def test_a_runnable_workload_builds_every_step(workload: Workload, quick: bool) -> None:
    """A builder names only queues that it defines; quick steps are fewer and differ only in values."""
    steps = workload.steps(quick)
    assert steps and workload.title and workload.operation
    assert set(workload.quick) <= set(workload.vary) | set(workload.base)
    assert not workload.ramp or workload.ramp in workload.vary
    assert len(workload.steps(True)) <= len(workload.steps())
    if workload.shape in procedures.PROCEDURES:
        return
    for step in steps:
        if workload.shape == "flow":
            assert "Perf.esql" in flows.application(step)
            continue
        setup = BUILDERS[workload.shape](step)
        known = set(setup.queues) | {name for text in setup.commands for name in re.findall(r"QALIAS\(([^)]+)\)", text)}
        assert any(actors.role == setup.lead for actors, _ in setup.actors)
        assert all(name.startswith(PREFIX) for name in known)
        for actors, mode in setup.actors:
            assert actors.role in ROLES and mode in MODES and actors.instances > 0
            assert set(actors.put_to + actors.get_from + actors.watch) <= known


def test_an_unknown_id_is_answered_with_similar_ones() -> None:
    with pytest.raises(catalogue.UnknownWorkload, match="Z93-R01"):
        catalogue.find("Z93-R")
    assert catalogue.find("z93-r01").id == "Z93-R01"


def test_ramps_are_the_innermost_parameter() -> None:
    steps = catalogue.find("L92-W08").steps()
    assert [step["clients"] for step in steps[:3]] == [1, 2, 5]
    assert {step["size"] for step in steps[:3]} == {2048}
