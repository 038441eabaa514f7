"""Capacity: a cost model fitted from runs, its error on held-out runs, and plans for described workloads."""

from __future__ import annotations

import math
from collections.abc import Sequence

from flintmq.pipeline.errors import BadOption, PipelineError
from flintmq.pipeline.reports.model import Cell, Chart, Column, Figure, Report, Series, Table
from flintmq.pipeline.runs import costs
from flintmq.pipeline.runs.tables import Point, RunFacts

#: Operations that put two messages; every other one counts as one.
_TWO = ("request/reply",)
#: Workloads whose parameters the model has no feature for: they would be noise in it.
_APART = ("Z701-W13", "Z701-W14", "Z701-W17", "Z701-W18", "Z701-W07", "Z93-R25", "Z93-R26", "Z93-S05")
#: The plan of the report, where none is asked for: 500 persistent messages of 2 KB a second.
EXAMPLE = {"rate": 500.0, "size": 2048}


def cost_points(runs: Sequence[RunFacts]) -> list[costs.Point]:
    """Return the points that a model can be fitted from: those of FlintMQ with CPU for an operation."""
    made = []
    for run in runs:
        operation = str(run.head.get("operation") or "operation")
        for point in run.points:
            if point.product == "FlintMQ" and point.cpu_us and point.rates and run.workload not in _APART:
                made.append(_cost_point(point, operation))
    return made


def _cost_point(point: Point, operation: str) -> costs.Point:
    given = point.parameters
    many = 2 if operation in _TWO else 1
    flow = f"flow {given['flow']}, " if given.get("flow") else ""
    sync = "" if given.get("syncpoint", "none") == "none" else ", syncpoint"
    path = f"{flow}{operation}, {given.get('mode', 'local')}{sync}"
    copies = _whole(given.get("copies"))
    if copies is None:
        copies = (
            1 if given.get("streamq", "none") in ("BESTEF", "MUSTDUP") else (_whole(given.get("subscribers")) or 1) - 1
        )
    connections = (_whole(given.get("clients")) or 0) + (_whole(given.get("servers")) or 0)
    return costs.Point(
        f"{point.run}/{point.step}",
        path,
        point.size,
        (point.cpu_us or 0.0) / many,
        point.persistent,
        copies,
        _whole(given.get("properties")) or 0,
        connections,
        point.logged / many if point.logged else None,
        point.memory_mb,
    )


def _whole(text: str | None) -> int | None:
    try:
        return int(float(text)) if text else None
    except ValueError:
        return None


def make(runs: Sequence[RunFacts]) -> Report:
    """Return the chapter."""
    made = Report("capacity", "Capacity planning")
    points = cost_points(runs)
    if not points:
        made.silent = True
        made.words = [
            (
                "No run of this report has CPU for a message: any workload with a rate fills this chapter, best of all "
                "Z93-Q03 and L92-W13, which vary the size."
            )
        ]
        return made
    model, found = costs.fit(points), costs.held_out(points)
    middle, most = costs.errors(found)
    made.words = [
        (
            "CPU for a message = base of its path + so much for each KB, for persistence, for a copy, for a property. "
            "The coefficients are least squares of relative errors over the points of this report, none below zero."
        ),
        _error_words(found, middle, most),
        "`flint perf plan` predicts rate, CPU, memory, log and page sets for a workload from these coefficients.",
    ]
    made.figures = [Figure("points fitted", f"{model.points}")]
    if found:
        made.figures.append(Figure("held-out error, median", f"{100 * middle:.0f}", "%"))
        good = sum(abs(each.error) <= costs.GOOD for each in found)
        made.figures.append(Figure("held-out points within 15 %", f"{good} of {len(found)}"))
    made.charts = [_chart(found)] if found else []
    made.tables = [_coefficients(model), *([_held_out(found)] if found else []), _example(model, points, middle)]
    return made


def _error_words(found: Sequence[costs.HeldOut], middle: float, most: float) -> str:
    if not found:
        return "No point could be held out: a path needs runs of three sizes or more."
    good = sum(abs(each.error) <= costs.GOOD for each in found)
    return (
        f"Each of {len(found)} points was predicted by a model that had not seen it: the median error is "
        f"{100 * middle:.0f} %, the largest {100 * most:.0f} %; {good} are within 15 %."
    )


def _coefficients(model: costs.Model) -> Table:
    names = {
        "kb": ("for each KB", "us"),
        "persistent": ("if persistent", "us"),
        "persistent_kb": ("for each KB if persistent", "us"),
        "copies": ("for each copy", "us"),
        "properties": ("for each property", "us"),
    }
    rows: list[tuple[Cell, ...]] = [(f"base: {path}", value, "us") for path, value in model.bases.items()]
    rows += [(f"for each KB: {path}", value, "us") for path, value in model.per_kb.items()]
    rows += [(names[name][0], value, names[name][1]) for name, value in model.shared.items()]
    if model.log:
        rows += [("log, for each message", model.log[0], "bytes"), ("log, for each byte", model.log[1], "bytes")]
    if model.memory:
        rows += [("memory, queue manager", model.memory[0], "MB"), ("memory, each connection", model.memory[1], "MB")]
    return Table("The model", [Column("Coefficient"), Column("Value", 3), Column("Unit")], rows)


def _chart(found: Sequence[costs.HeldOut]) -> Chart:
    ordered = sorted(found, key=lambda each: each.point.cpu_us)[-24:]
    names = [f"{each.point.path}, {each.point.size:,} B{', P' if each.point.persistent else ''}" for each in ordered]
    series = [
        Series("measured", [each.point.cpu_us for each in ordered]),
        Series("predicted", [each.predicted for each in ordered]),
    ]
    return Chart("Held-out points: measured and predicted", "bar", names, series, "us of CPU for a message")


def _held_out(found: Sequence[costs.HeldOut]) -> Table:
    columns = [
        Column("Path"),
        Column("Size", 0, "bytes"),
        Column("Persistence"),
        Column("Copies", 0),
        Column("Measured", 1, "us"),
        Column("Predicted", 1, "us"),
        Column("Error", 0, "%"),
        Column("Run", link="run-"),
    ]
    rows: list[tuple[Cell, ...]] = [
        (
            each.point.path,
            each.point.size,
            "P" if each.point.persistent else "NP",
            each.point.copies,
            each.point.cpu_us,
            each.predicted,
            100 * each.error,
            each.point.name.rpartition("/")[0],
        )
        for each in sorted(found, key=lambda each: -abs(each.error))
    ]
    return Table("Held-out points, the largest error first", columns, rows)


def _example(model: costs.Model, points: Sequence[costs.Point], error: float) -> Table:
    path = max(model.bases, key=lambda name: sum(point.path == name for point in points))
    has_log = model.log is not None and "persistent" in model.shared
    wanted = costs.Wanted(path, EXAMPLE["rate"], int(EXAMPLE["size"]), has_log, depth=100_000)
    table = plan_table(costs.plan(model, wanted, error))
    kind = "persistent" if has_log else "non-persistent"
    table.title = f"Example: {wanted.rate:,.0f} {kind} messages of 2 KB a second, {path}, at most 100,000 waiting"
    return table


def plan_table(plan: costs.Plan) -> Table:
    """Return a plan as a table of quantities."""
    rows: list[tuple[Cell, ...]] = [
        ("CPU for a message", plan.cpu_us, "us"),
        ("cores for the rate", plan.cores, "cores"),
        ("messages a second of one queue manager at 80 % of its core", plan.rate_of_one, "1/s"),
        ("queue managers", float(plan.managers), ""),
        ("log for a message", plan.log_bytes, "bytes"),
        ("log", plan.log_mb_per_s, "MB/s"),
        ("memory of the queue manager", plan.memory_mb, "MB"),
        ("pages of 4 KB for waiting messages", float(plan.pages), "pages"),
        ("page set", plan.page_set_mb, "MB"),
        ("index", plan.index_mb, "MB"),
    ]
    return Table("What it takes", [Column("Quantity"), Column("Value", 2), Column("Unit")], rows)


def describe(runs: Sequence[RunFacts], wanted: costs.Wanted) -> Report:
    """Return the plan for a workload. Raise PipelineError if the runs lack data, BadOption for a path they lack."""
    points = cost_points(runs)
    if not points:
        raise PipelineError("these runs have no CPU per message: run a workload that measures a rate, such as L92-W13")
    model = costs.fit(points)
    paths = [name for name in model.bases if _fits(name, wanted.path)]
    if not paths:
        raise BadOption(f"--path {wanted.path}: no run has this path; the runs have {'; '.join(model.bases)}")
    path = paths[0]
    chosen = costs.Wanted(
        path, wanted.rate, wanted.size, wanted.persistent, wanted.copies, wanted.properties, wanted.connections,
        wanted.depth, wanted.indexed,
    )  # fmt: skip
    found = [each for each in costs.held_out(points) if each.point.path == path]
    middle, most = costs.errors(found)
    disks = [float(disk.get("bytes_per_s") or 0) / 1e6 for run in runs for disk in run.disks]
    made = costs.plan(model, chosen, most, max(disks, default=0.0) or None)
    report = Report("plan", f"Plan: {wanted.rate:,.0f} messages a second of {wanted.size:,} bytes, {path}")
    report.tables = [plan_table(made)]
    if not math.isnan(middle):
        report.words.append(
            f"Held-out runs of this path were predicted with a median error of {100 * middle:.0f} %, "
            f"at most {100 * most:.0f} %."
        )
    report.words += [f"Note: {remark}." for remark in made.remarks]
    if len(paths) > 1:
        report.words.append(f"Other paths that fit: {'; '.join(paths[1:])}.")
    return report


def _fits(name: str, wanted: str) -> bool:
    """Return whether a path is the one that is asked for: its name, or all words of it."""
    return wanted == name or all(word in name for word in wanted.replace(",", " ").split())
