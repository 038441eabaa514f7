"""Capacity: a cost model fitted from runs, its error on held-out runs, and plans for described workloads."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from flintmq.pipeline.errors import BadOption, PipelineError
from flintmq.pipeline.reports.model import Cell, Chart, Column, Figure, Report, Series, Table
from flintmq.pipeline.runs import costs
from flintmq.pipeline.runs.tables import Point, RunFacts

#: Operations that put two messages; every other one counts as one.
_TWO = ("request/reply",)
#: Operations that put and get no message, or in which connecting or opening is most of the cost.
_NO_MESSAGE = ("connection", "definition", "interval", "restart", "user", "open")
#: Parameters whose effect the model has no feature for: a point that has one would be noise in it.
_APART = ("selector", "trace", "recording", "reopen")
#: The plan of the report, where none is asked for: 500 persistent messages of 2 KB a second.
EXAMPLE = {"rate": 500.0, "size": 2048}


def cost_points(runs: Sequence[RunFacts]) -> list[costs.Point]:
    """Return the points that a model can be fitted from: those of FlintMQ with CPU for an operation."""
    made = []
    for run in runs:
        operation = str(run.head.get("operation") or "operation")
        if operation.startswith(_NO_MESSAGE):
            continue
        for point in run.points:
            if point.product == "FlintMQ" and point.cpu_us and point.rates and not _is_apart(point):
                made.append(_cost_point(point, operation))
    return made


def _is_apart(point: Point) -> bool:
    given = point.parameters
    return (
        any(given.get(name, "none") not in ("none", "0", "") for name in _APART)
        or given.get("compression") == "RLE"
        or bool(_whole(given.get("depth")))
        or bool(given.get("flow") and (_whole(given.get("subscribers")) or 1) > 1)
        or point.target_rate is not None
    )


def _cost_point(point: Point, operation: str) -> costs.Point:
    given = point.parameters
    many = 2 if operation in _TWO else 1
    count, kind = _whole(given.get("copies")), given.get("streamq", "none")
    copies = subscribers = 0
    if kind in ("BESTEF", "MUSTDUP"):
        copies = 1
    elif kind in ("pubsub", "alias"):
        subscribers = 1 if count is None else count
    elif kind == "none" and "streamq" not in given:
        # Runs of other programs name copies and subscribers only.
        copies = count or 0
        subscribers = max(0, (_whole(given.get("subscribers")) or 1) - 1)
    connections = (_whole(given.get("clients")) or 0) + (_whole(given.get("servers")) or 0)
    return costs.Point(
        f"{point.run}/{point.step}",
        path_of(given, operation),
        point.size,
        (point.cpu_us or 0.0) / many,
        point.persistent,
        copies / many,
        _whole(given.get("properties")) or 0,
        connections,
        point.logged / many if point.logged else None,
        point.memory_mb,
        subscribers / many,
        point.run,
        _whole(given.get("clients")) or 0,
    )


def path_of(given: Mapping[str, str], operation: str) -> str:
    """Return the path of a point: its operation, how it connects, and what else has a cost of its own."""
    mode, cipher = given.get("mode", "local"), given.get("cipher", "")
    if mode == "tls":
        mode = "tcp" if cipher == "none" else "tls CBC" if "CBC" in cipher else "tls"
    server = given.get("server_mode", mode)
    sync = {"server": ", server in syncpoint", "both": ", syncpoint"}.get(given.get("syncpoint", "none"), "")
    flow = ""
    if "flow" in given:
        formats = f" {given['format_in']} to {given['format_out']}" if "format_in" in given else ""
        flow = f"flow {given['flow']}{formats}, "
        if given.get("transaction", "automatic") != "automatic":
            sync = f", {'transaction' if given['transaction'] == 'yes' else given['transaction']}"
    topic = ", to a topic" if given.get("streamq") == "pubsub" else ""
    ahead = ", read ahead" if given.get("read_ahead") == "true" else ""
    return f"{flow}{operation}, {mode}{f' to {server}' if server != mode else ''}{sync}{topic}{ahead}"


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
    runs_of = len({each.point.run for each in found})
    made.words = [
        (
            "CPU for a message = base of its path, persistent or not, + so much for each KB, for a copy, for a "
            "subscriber, for a property. The coefficients are least squares of relative errors over the points of this "
            "report, none below zero."
        ),
        _error_words(found, runs_of, middle, most),
        "`flint perf plan` predicts rate, CPU, memory, log and page sets for a workload from these coefficients.",
    ]
    if model.zero:
        made.words.append(
            f"Base 0: {'; '.join(model.zero)}. The runs of these paths cannot tell their base from other coefficients."
        )
    if model.one_size:
        made.words.append(
            f"Run with about one size, so that the cost of a KB is that of other paths: {'; '.join(model.one_size)}."
        )
    made.figures = [Figure("points fitted", f"{model.points}")]
    if found:
        made.figures.append(Figure("held-out error, median", f"{100 * middle:.0f}", "%"))
        good = sum(abs(each.error) <= costs.GOOD for each in found)
        made.figures.append(Figure("held-out points within 15 %", f"{good} of {len(found)}"))
    made.charts = [_chart(found)] if found else []
    made.tables = [_coefficients(model), *([_held_out(found)] if found else []), _example(model, points, middle)]
    return made


def _error_words(found: Sequence[costs.HeldOut], runs: int, middle: float, most: float) -> str:
    if not found:
        return "No run could be held out: a path needs two runs or more, one with sizes around those of the other."
    good = sum(abs(each.error) <= costs.GOOD for each in found)
    return (
        f"Each of {runs} runs was predicted by a model that had not seen it, {len(found)} points: the median error is "
        f"{100 * middle:.0f} %, the largest {100 * most:.0f} %; {good} points are within {100 * costs.GOOD:.0f} %."
    )


def _coefficients(model: costs.Model) -> Table:
    names = {
        "copies": "for each copy by a stream queue",
        "copies_persistent": "more for each copy if persistent",
        "subscribers": "for each subscriber after the first",
        "subscribers_persistent": "more for each subscriber if persistent",
        "copies_kb": "for each KB of a copy",
        "with_properties": "if it has properties",
        "properties": "for each property",
        "alone": "for a client that is alone, divided by the clients",
        "alone_persistent": "more of it if persistent",
    }
    rows: list[tuple[Cell, ...]] = [(f"base: {path}", value, "us") for path, value in model.bases.items()]
    rows += [(f"for each KB: {path}", value, "us") for path, value in model.per_kb.items()]
    rows += [(names[name], value, "us") for name, value in model.shared.items()]
    if model.log:
        each = ("message", "byte", "copy")
        rows += [(f"log, for each {name}", value, "bytes") for name, value in zip(each, model.log, strict=True)]
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
        Column("Copies", 1),
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
            each.point.copies + each.point.subscribers,
            each.point.cpu_us,
            each.predicted,
            100 * each.error,
            each.point.run,
        )
        for each in sorted(found, key=lambda each: -abs(each.error))
    ]
    return Table("Held-out points, the largest error first", columns, rows)


def example_path(model: costs.Model, points: Sequence[costs.Point]) -> tuple[str, bool]:
    """Return the path of the example and whether its messages are persistent.

    It is the persistent path with the most points by which applications put and get: a local socket or TCP, no flow.
    """
    plain = [name for name in model.paths if not name.startswith("flow ") and (", local" in name or ", tcp" in name)]
    persistent = [name for name in plain if costs.group_of(name, True) in model.bases]
    known = persistent if persistent and model.log else plain or model.paths
    is_persistent = known is persistent
    most = max(known, key=lambda name: sum(p.path == name and p.persistent == is_persistent for p in points))
    return most, is_persistent


def _example(model: costs.Model, points: Sequence[costs.Point], error: float) -> Table:
    path, persistent = example_path(model, points)
    wanted = costs.Wanted(path, EXAMPLE["rate"], int(EXAMPLE["size"]), persistent, depth=100_000)
    table = plan_table(costs.plan(model, wanted, error))
    kind = "persistent" if persistent else "non-persistent"
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
    paths = [name for name in model.paths if _fits(name, wanted.path)]
    if not paths:
        raise BadOption(f"--path {wanted.path}: no run has this path; the runs have {'; '.join(model.paths)}")
    # A path that was run with such messages first.
    paths.sort(key=lambda name: costs.group_of(name, wanted.persistent) not in model.bases)
    path = paths[0]
    chosen = costs.Wanted(
        path, wanted.rate, wanted.size, wanted.persistent, wanted.copies, wanted.properties, wanted.connections,
        wanted.depth, wanted.indexed, wanted.subscribers,
    )  # fmt: skip
    group = chosen.point().group
    found = [each for each in costs.held_out(points) if each.point.group == group]
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
    else:
        report.words.append("Only one run has this path: the error of the prediction is not known.")
    report.words += [f"Note: {remark}." for remark in made.remarks]
    if len(paths) > 1:
        report.words.append(f"Other paths that fit: {'; '.join(paths[1:])}.")
    return report


def _fits(name: str, wanted: str) -> bool:
    """Return whether a path is the one that is asked for: its name, or all words of it."""
    return wanted == name or all(word in name for word in wanted.replace(",", " ").split())
