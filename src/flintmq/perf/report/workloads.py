"""One workload as a section: a chart of rates and one of CPU, with the table of all points beneath.

The x axis is the parameter that was ramped, else the first numeric one that differs between steps; the other varied
parameters make the lines. A parameter that only follows the axis (clients as pairs) makes no lines. Where no varied
parameter is a number, bars stand beside their names. More lines than can be told apart become several charts. Rates are
operations a second and CPU is microseconds for one operation, both from zero: every chart of the report has the same
two axes, and a line of one workload has the same colour in both of its charts.

Runs that belong together (the set of streaming queues), and runs with one point each, share a section: one chart with a
line or a bar for each workload, one table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import median

from flintmq.perf.report.words import UNITS, heading, label, measured, name_of, number_of, size_text
from flintmq.pipeline.reports.model import Cell, Chart, Column, Section, Series, Table
from flintmq.pipeline.runs.tables import Point, RunFacts

#: Parameters that make an x axis, in the order in which they are wanted.
_ACROSS = (
    *("clients", "pairs", "subscribers", "depth", "size", "copies", "properties", "instances", "groups", "flows"),
    *("compressible", "queues", "users", "sharing"),
)
#: Parameters that come with another one and are no axis and no line of their own.
_FOLLOWERS = ("servers", "server_mode")
#: From here on an axis of sizes or depths is logarithmic.
_LOG_FROM = 20.0
#: Most series of one chart: more are not distinguishable.
SERIES_MAX = 8
#: Most charts of values of one workload.
VALUES_MAX = 4
#: The column that leads to a run: every table of figures ends with it (R1).
RUN = Column("Run", link="run-")
#: The parameter that tells the workloads of a shared section apart, and those that its table has anyway.
WORKLOAD = "workload"
_ALWAYS = ("size", "persistent", "mode")
#: Parameters that are words in a table, too.
_IN_WORDS = ("mode", "selector", "recording", "case")

Of = Callable[[Point], float | None]
Repeats = Callable[[Point], tuple[float, ...]]


def varied(points: Sequence[Point], run: RunFacts) -> list[str]:
    """Return the parameters that differ between points, those that the run names first."""
    names = list(dict.fromkeys([*run.varied, *sorted({name for point in points for name in point.parameters})]))
    made = []
    for name in names:
        if len({point.parameters.get(name, "") for point in points}) > 1:
            made.append(name)
    return [name for name in made if name not in _FOLLOWERS] or made


def across(names: Sequence[str], points: Sequence[Point], run: RunFacts) -> str:
    """Return the parameter for the x axis, "" if none of them is a number everywhere."""
    ramped = [str(peak.get("ramp")) for peak in run.peaks]
    for name in (*ramped, *_ACROSS):
        if name in names and all(number_of(point.parameters.get(name)) is not None for point in points):
            return name
    return ""


def follows(name: str, other: str, points: Sequence[Point]) -> bool:
    """Return whether a parameter has one value for each value of another one."""
    seen: dict[str, set[str]] = {}
    for point in points:
        seen.setdefault(point.parameters.get(other, ""), set()).add(point.parameters.get(name, ""))
    return all(len(values) == 1 for values in seen.values())


def lines_by(names: Sequence[str], axis: str, points: Sequence[Point]) -> list[str]:
    """Return the parameters that tell the lines of a chart apart."""
    made = []
    for name in names:
        # Numbers alone follow an axis: that sizes of one kind were run with P and others with NP is worth a line each.
        numeric = all(number_of(point.parameters.get(name)) is not None for point in points)
        if name != axis and not (axis and numeric and follows(name, axis, points)):
            made.append(name)
    if WORKLOAD in made:
        return [name for name in made if name == WORKLOAD or not follows(name, WORKLOAD, points)]
    return made


def section(run: RunFacts, title: str = "", remark: str = "") -> Section:
    """Return the section of one run of a workload."""
    points = [point for point in run.points if point.rates]
    made = Section(title or f"{run.workload}: {run.head.get('title', '')}", ident=f"workload-{run.id}")
    made.words = [*_words(run, points), *([f"Differs from the document: {remark}."] if remark else [])]
    if points:
        names = varied(points, run)
        made.charts = _rate_charts(points, names, across(names, points, run), str(run.head.get("operation") or ""))
        made.tables = [_table(points, names or [name for name in _ALWAYS if name in points[0].parameters])]
    values = [point for point in run.points if point.values]
    if values:
        made.charts += _value_charts(values, run)
        made.tables.append(_values(values, run))
    for each in made.charts:
        each.title = f"{run.workload}: {each.title}"
    return made


def shared(title: str, runs: Sequence[RunFacts], ident: str, titles: Mapping[str, str]) -> Section:
    """Return one section of several runs with rates: a line for each workload, or a bar where each has one point."""
    points = []
    for run in runs:
        name = f"{run.workload} {titles.get(run.workload) or run.head.get('title', '')}"
        if sum(each.workload == run.workload for each in runs) > 1:
            name += f", run {run.id[-RUN.tail :]}"
        points += [replace(p, parameters={**p.parameters, WORKLOAD: name}) for p in run.points if p.rates]
    operations = list(dict.fromkeys(str(run.head.get("operation") or "operation") for run in runs))
    whole = replace_points(runs, points)
    names = varied(points, whole)
    axis = across([name for name in names if not follows(name, WORKLOAD, points)], points, whole)
    made = Section(title, ident=ident)
    repeats = max(len(point.rates) for point in points)
    made.words = [(f"{len({run.workload for run in runs})} workloads, {len(points)} points. {_of_repeats(repeats)}.")]
    unclean = [run for run in runs if run.ended != "complete"]
    made.words += [f"{run.workload} was {run.ended}: what it measured until then is shown." for run in unclean]
    errors = sum(point.errors for point in points)
    if errors:
        made.words.append(f"{errors:,} operations failed.")
    made.charts = _rate_charts(points, names, axis, operations[0] if len(operations) == 1 else "operation")
    for each in made.charts:
        each.title = f"{title}: {each.title}"
    shown = [WORKLOAD, *_ALWAYS, *([axis] if axis and axis not in _ALWAYS else [])]
    shown += [name for name in names if name not in shown and not follows(name, WORKLOAD, points)]
    made.tables = [_table(points, shown)]
    return made


def replace_points(runs: Sequence[RunFacts], points: list[Point]) -> RunFacts:
    """Return several runs as one with these points, for the choice of its axis."""
    head = {"varied": [WORKLOAD, *dict.fromkeys(name for run in runs for name in run.varied)]}
    return replace(runs[0], head=head, peaks=[peak for run in runs for peak in run.peaks], points=points)


def is_single(run: RunFacts) -> bool:
    """Return whether a run has one point, with a rate, and nothing else."""
    return len(run.points) == 1 and bool(run.points[0].rates) and not run.points[0].values


def _rate_charts(points: Sequence[Point], names: Sequence[str], axis: str, operation: str) -> list[Chart]:
    rest = lines_by(names, axis, points)
    # A single point is named by what it is, as it differs from nothing.
    rest = rest or ([] if axis else [name for name in _ALWAYS if name in points[0].parameters])
    what = operation or "operation"
    rates = charts("rate", points, axis, rest, lambda p: p.rate, lambda p: p.rates, f"{what} per second")
    if not any(point.cpu_us for point in points):
        return rates
    return rates + charts("CPU", points, axis, rest, lambda p: p.cpu_us, _costs, f"us for one {what}")


def _costs(point: Point) -> tuple[float, ...]:
    return point.server_us or (point.driver_us if point.parameters.get("mode") == "embedded" else ())


def _words(run: RunFacts, points: Sequence[Point]) -> list[str]:
    repeats = max((len(point.rates) for point in points), default=0)
    head = run.head
    said = []
    if points:
        best = max(points, key=lambda point: point.rate)
        where = name_of(best, [name for name in varied(points, run) if name != "mode"])
        mode = best.parameters.get("mode", str(head.get("mode") or ""))
        long = f" of {float(head.get('measure_s') or 0):g} s"
        said.append(
            f"Best: {best.rate:,.0f} a second{f' ({where})' if where else ''}"
            f"{f', {best.cpu_us:,.1f} us of CPU each' if best.cpu_us else ''}. Connections: {label('mode', mode)}. "
            f"{_of_repeats(repeats, long)}."
        )
    ramped = [peak for peak in run.peaks if str(peak.get("ramp")) in varied(points, run)] if points else []
    for peak in ramped[:4]:
        why = "the rate grew no more" if peak.get("reason") == "flat" else "the ramp ended"
        at = label(str(peak.get("ramp")), str(peak.get("at")))
        said.append(f"Peak at {at}: {peak.get('rate', 0):,.0f} a second; {why}.")
    if run.ended != "complete":
        said.append(f"This run was {run.ended}: what it measured until then is shown.")
    errors = sum(point.errors for point in points)
    if errors:
        said.append(f"{errors:,} operations failed.")
    return said


def _of_repeats(repeats: int, long: str = "") -> str:
    if repeats < 2:
        return f"One repeat{long}"
    return f"Medians of {repeats} repeats{long}; whiskers are the lowest and the highest repeat"


def charts(
    title: str, points: Sequence[Point], axis: str, rest: Sequence[str], of: Of, repeats: Repeats, y_title: str
) -> list[Chart]:
    """Return a chart, or several where it has more lines than can be told apart: one for each value of a parameter."""
    if axis and len({name_of(point, rest) for point in points}) > SERIES_MAX:
        counts = {name: len({point.parameters.get(name, "") for point in points}) for name in rest}
        by = min((name for name in rest if counts[name] > 1), key=lambda name: counts[name])
        others = [name for name in rest if name != by]
        if others:
            made = []
            for value in dict.fromkeys(point.parameters.get(by, "") for point in points):
                here = [point for point in points if point.parameters.get(by, "") == value]
                made += charts(f"{title}, {label(by, value)}", here, axis, others, of, repeats, y_title)
            return made
    return [chart(title, points, axis, rest, of, repeats, y_title)]


def chart(
    title: str, points: Sequence[Point], axis: str, rest: Sequence[str], of: Of, repeats: Repeats, y_title: str
) -> Chart:
    """Return a line chart along `axis`, or bars where there is none; `rest` tells the series apart."""
    short = title.partition(",")[0]
    if not axis:
        spread = [_spread(repeats(point)) for point in points]
        bars = [Series(short, [of(point) for point in points], spread)]
        return Chart(title, "bar", [name_of(point, rest) for point in points], bars, y_title)
    places = sorted({float(point.parameters[axis]) for point in points})
    lines: dict[str, dict[float, Point]] = {}
    for point in points:
        lines.setdefault(name_of(point, rest) or short, {})[float(point.parameters[axis])] = point
    wide = len(places) > 1 and places[0] > 0 and places[-1] / places[0] >= _LOG_FROM
    series = []
    for name, found in list(lines.items())[:SERIES_MAX]:
        here = [found.get(place) for place in places]
        whiskers = [_spread(repeats(point)) if point is not None else None for point in here]
        series.append(Series(name, [of(point) if point is not None else None for point in here], whiskers))
    more = len(lines) - SERIES_MAX
    shown = f"{title}{f' ({more} more lines are in the table)' if more > 0 else ''}"
    if len(places) == 1:
        # One point is no line.
        bars = [Series(short, [each.values[0] for each in series], [each.spread[0] for each in series])]
        at = label(axis, f"{places[0]:g}")
        names = [f"{each.name}, {at}" if each.name != short else at for each in series]
        return Chart(shown, "bar", names, bars, y_title)
    unit = f"{heading(axis)}{f', {UNITS[axis]}' if axis in UNITS and axis != 'size' else ''}"
    x = [f"{place:g}" if place < 1e6 else f"{place:.0f}" for place in places]
    made = Chart(shown, "line", x, series, y_title, unit, "log" if wide else "linear")
    made.shown = [size_text(int(place)) if axis == "size" else f"{place:,g}" for place in places]
    return made


def _spread(repeats: Sequence[float]) -> tuple[float, float] | None:
    return (min(repeats), max(repeats)) if len(repeats) > 1 else None


def _parameter_columns(names: Sequence[str], points: Sequence[Point]) -> list[Column]:
    """Return columns of parameters: numbers to the right, where all of them are numbers."""
    made = []
    for name in names:
        numeric = all(number_of(point.parameters.get(name)) is not None for point in points)
        whole = numeric and all(float(point.parameters[name]).is_integer() for point in points)
        decimals = (0 if whole else 2) if numeric else None
        made.append(Column(heading(name), decimals, UNITS.get(name, "") if numeric else ""))
    return made


def _table(points: Sequence[Point], names: Sequence[str]) -> Table:
    """Return all points: varied parameters, measurements, and their run (R1)."""
    columns = _parameter_columns(names, points)
    columns += [
        Column("Rate", 0, "1/s"),
        Column("Spread", 1, "%"),
        Column("CPU server", 1, "us"),
        Column("CPU drivers", 1, "us"),
        Column("p50", 0, "us"),
        Column("p99", 0, "us"),
        Column("Log", 0, "bytes"),
        Column("Machine", 0, "%"),
        RUN,
    ]
    rows: list[tuple[Cell, ...]] = [(*(_cell(name, point) for name in names), *_figures(point)) for point in points]
    return Table("", *without_empty(columns, rows))


def without_empty(columns: list[Column], rows: list[tuple[Cell, ...]]) -> tuple[list[Column], list[tuple[Cell, ...]]]:
    """Leave out columns that have no value in any row."""
    kept = [n for n in range(len(columns)) if any(row[n] is not None and row[n] != "" for row in rows)]
    return [columns[n] for n in kept], [tuple(row[n] for n in kept) for row in rows]


def _cell(name: str, point: Point) -> Cell:
    value = point.parameters.get(name, "")
    number = number_of(value)
    if name == "persistent":
        return "P" if value == "true" else "NP"
    if number is None:
        return label(name, value) if name in _IN_WORDS or value in ("pubsub", "alias") else value
    return int(number) if number == int(number) else number


def _figures(point: Point) -> tuple[Cell, ...]:
    seen = point.round_trip
    middle = point.rate
    spread = 100 * (max(point.rates) - min(point.rates)) / middle if len(point.rates) > 1 and middle else None
    return (
        middle,
        spread,
        point.cpu_us,
        median(point.driver_us) if point.driver_us else None,
        seen.p50 if seen else None,
        seen.p99 if seen else None,
        point.logged or None,
        None if point.machine_cpu is None else 100 * point.machine_cpu,
        point.run,
    )


def digits(value: float | None) -> str:
    """Return a number of any size: whole from 100 on, with at most three decimals below. None has no text."""
    if value is None:
        return ""
    size = abs(value)
    text = f"{value:,.{0 if size >= 100 or value == int(value) else 1 if size >= 10 else 3}f}"
    return "0" if text == "-0" else text


def values_of(point: Point) -> dict[tuple[str, str], tuple[float, ...]]:
    """Return the repeats of each value of a point, by name and unit."""
    made: dict[tuple[str, str], tuple[float, ...]] = {}
    for name, number, unit in point.values:
        made[name, unit] = (*made.get((name, unit), ()), number)
    return made


def _value_charts(points: Sequence[Point], run: RunFacts) -> list[Chart]:
    """Return a chart for each value that differs between steps; a single step has its values in the table."""
    if len(points) < 2:
        return []
    names = varied(points, run)
    axis = across(names, points, run)
    rest = lines_by(names, axis, points)
    made: list[Chart] = []
    for wanted in dict.fromkeys(key for point in points for key in values_of(point)):
        here = [point for point in points if wanted in values_of(point)]

        def repeats(point: Point, key: tuple[str, str] = wanted) -> tuple[float, ...]:
            return values_of(point)[key]

        if len(here) > 1 and len({median(repeats(point)) for point in here}) > 1:
            made += charts(measured(wanted[0]), here, axis, rest, lambda p: median(repeats(p)), repeats, wanted[1])
    return made[:VALUES_MAX]


def _values(points: Sequence[Point], run: RunFacts) -> Table:
    """Return the values of all steps: the median of their repeats, the lowest and the highest."""
    names = varied(points, run) if len(points) > 1 else []
    columns = _parameter_columns(names, points)
    columns += [Column("Measured"), Column("Median", 0), Column("Lowest", 0), Column("Highest", 0), Column("Unit"), RUN]
    rows: list[tuple[Cell, ...]] = []
    for point in points:
        for (name, unit), all_of in values_of(point).items():
            given = (*(_cell(each, point) for each in names), measured(name))
            shown = (digits(each) for each in (median(all_of), min(all_of), max(all_of)))
            rows.append((*given, *shown, unit, point.run))
    return Table("", columns, rows)
