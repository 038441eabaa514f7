"""One workload as a section: a chart of rates and one of CPU, with the table of all points beneath.

The x axis is the parameter that was ramped, else the first numeric one that differs between steps; the other varied
parameters make the lines. Where no varied parameter is a number, bars stand beside their names. Rates are green of zero
on the left, in operations a second; CPU is microseconds for one operation: every chart of the report has the same two
axes, and a line of one workload has the same colour in both of its charts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flintmq.pipeline.reports.model import Cell, Chart, Column, Section, Series, Table
from flintmq.pipeline.runs.tables import Point, RunFacts

#: Parameters that make an x axis, in the order in which they are wanted.
_ACROSS = (
    *("clients", "pairs", "subscribers", "depth", "size", "copies", "properties", "instances", "groups", "flows"),
    *("compressible", "queues", "users", "sharing"),
)
#: Parameters that are said in words and need no column where they do not differ.
UNITS = {"size": "bytes", "compressible": "%", "depth": "messages"}
_NAMES = {
    "clients": "clients",
    "persistent": "persistence",
    "format_in": "from",
    "format_out": "to",
    "streamq": "stream queue",
    "drain_batch": "gets for a commit",
}
#: From here on an axis of sizes or depths is logarithmic.
_LOG_FROM = 20.0
#: Most series of one chart: more are not distinguishable.
SERIES_MAX = 8


def label(name: str, value: str) -> str:
    """Return a parameter in words: `persistent`, `2 KB`, `BESTEF`."""
    if name == "persistent":
        return "persistent" if value == "true" else "non-persistent"
    if name == "size":
        return size_text(int(float(value)))
    return f"{_NAMES.get(name, name)} {value}"


def size_text(size: int) -> str:
    """Return a size in bytes as 100 B, 2 KB, 1.5 MB."""
    for limit, unit in ((1 << 20, "MB"), (1 << 10, "KB")):
        if size >= limit:
            return f"{size / limit:.4g} {unit}"
    return f"{size} B"


def varied(points: Sequence[Point], run: RunFacts) -> list[str]:
    """Return the parameters that differ between points, those that the run names first."""
    names = list(dict.fromkeys([*run.varied, *sorted({name for point in points for name in point.parameters})]))
    made = []
    for name in names:
        if len({point.parameters.get(name, "") for point in points}) > 1:
            made.append(name)
    # A parameter that only follows another one (servers as clients, copies as streamq) is no axis and no series.
    return [name for name in made if name not in ("servers", "server_mode")] or made


def across(names: Sequence[str], points: Sequence[Point], run: RunFacts) -> str:
    """Return the parameter for the x axis, "" if none of them is a number everywhere."""
    ramped = [str(peak.get("ramp")) for peak in run.peaks]
    for name in (*ramped, *_ACROSS):
        if name in names and all(_number(point.parameters.get(name)) is not None for point in points):
            return name
    return ""


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text not in (None, "", "true", "false") else None
    except ValueError:
        return None


def section(run: RunFacts, title: str = "", remark: str = "") -> Section:
    """Return the section of one run of a workload."""
    points = [point for point in run.points if point.rates]
    made = Section(title or f"{run.workload}: {run.head.get('title', '')}", ident=f"workload-{run.id}")
    made.words = [*_words(run, points), *([f"Differs from the document: {remark}."] if remark else [])]
    if points:
        names = varied(points, run)
        axis = across(names, points, run)
        rest = [name for name in names if name != axis]
        operation = str(run.head.get("operation") or "operation")
        made.charts = [
            chart("Rate", points, axis, rest, lambda p: p.rate, lambda p: p.rates, f"{operation}, a second"),
        ]
        if any(point.cpu_us for point in points):
            costs = chart(
                "CPU", points, axis, rest, lambda p: p.cpu_us, lambda p: p.server_us, f"us for one {operation}"
            )
            made.charts.append(costs)
        made.tables = [_table(points, names)]
    values = [point for point in run.points if point.values]
    if values:
        made.charts += _value_charts(values, run)
        made.tables.append(_values(values, run))
    for each in made.charts:
        each.title = f"{run.workload}: {each.title}"
    return made


def _words(run: RunFacts, points: Sequence[Point]) -> list[str]:
    repeats = max((len(point.rates) for point in points), default=0)
    head = run.head
    said = []
    if points:
        best = max(points, key=lambda point: point.rate)
        where = ", ".join(label(name, best.parameters[name]) for name in varied(points, run) if name in best.parameters)
        mode = best.parameters.get("mode", str(head.get("mode") or ""))
        said.append(
            f"Best: {best.rate:,.0f} a second{f' at {where}' if where else ''}"
            f"{f', {best.cpu_us:,.1f} us of CPU each' if best.cpu_us else ''}. Connections: {mode}. "
            f"Medians of {repeats} repeats of {float(head.get('measure_s') or 0):g} s; whiskers are the lowest and the "
            "highest repeat."
        )
    for peak in run.peaks[:4]:
        why = "the rate grew no more" if peak.get("reason") == "flat" else "the ramp ended"
        said.append(f"Peak at {peak.get('ramp')} {peak.get('at')}: {peak.get('rate', 0):,.0f} a second; {why}.")
    if run.ended != "complete":
        said.append(f"This run was {run.ended}: what it measured until then is shown.")
    errors = sum(point.errors for point in points)
    if errors:
        said.append(f"{errors:,} operations failed.")
    return said


def chart(
    title: str,
    points: Sequence[Point],
    axis: str,
    rest: Sequence[str],
    of: Callable[[Point], float | None],
    repeats: Callable[[Point], tuple[float, ...]],
    y_title: str,
) -> Chart:
    """Return a line chart along `axis`, or bars where there is none; `rest` tells the series apart."""
    if not axis:
        names = [name_of(point, rest) for point in points]
        return Chart(title, "bar", names, [Series(title, [of(point) for point in points])], y_title)
    places = sorted({float(point.parameters[axis]) for point in points})
    lines: dict[str, dict[float, Point]] = {}
    for point in points:
        lines.setdefault(name_of(point, rest) or title, {})[float(point.parameters[axis])] = point
    wide = len(places) > 1 and places[0] > 0 and places[-1] / places[0] >= _LOG_FROM
    series = []
    for name, found in list(lines.items())[:SERIES_MAX]:
        here = [found.get(place) for place in places]
        spread = [(min(r), max(r)) if point is not None and (r := repeats(point)) else None for point in here]
        series.append(Series(name, [of(point) if point is not None else None for point in here], spread))
    more = len(lines) - SERIES_MAX
    unit = f"{_NAMES.get(axis, axis)}{f', {UNITS[axis]}' if axis in UNITS else ''}"
    shown = f"{title}{f' ({more} more lines are in the table)' if more > 0 else ''}"
    # One point is no line.
    kind, x = ("line", [f"{place:g}" if place < 1e6 else f"{place:.0f}" for place in places])
    if len(places) == 1:
        values = [Series(title, [each.values[0] for each in series])]
        return Chart(shown, "bar", [each.name for each in series], values, y_title)
    return Chart(shown, kind, x, series, y_title, unit, "log" if wide else "linear")


def name_of(point: Point, names: Sequence[str]) -> str:
    """Return the parameters that identify a point, in words."""
    return ", ".join(label(name, point.parameters[name]) for name in names if name in point.parameters)


def _table(points: Sequence[Point], names: Sequence[str]) -> Table:
    """Return all points: varied parameters, measurements, and their run (R1)."""
    shown = [name for name in names if name != "mode"]
    columns = [Column(_NAMES.get(name, name), None, UNITS.get(name, "")) for name in shown]
    columns += [
        Column("Rate", 0, "1/s"),
        Column("Spread", 1, "%"),
        Column("CPU server", 1, "us"),
        Column("CPU drivers", 1, "us"),
        Column("p50", 0, "us"),
        Column("p99", 0, "us"),
        Column("Log", 0, "bytes"),
        Column("Machine", 0, "%"),
        Column("Run", link="run-"),
    ]
    rows: list[tuple[Cell, ...]] = [(*(_cell(name, point) for name in shown), *_figures(point)) for point in points]
    return Table("", columns, rows)


def _cell(name: str, point: Point) -> Cell:
    value = point.parameters.get(name, "")
    number = _number(value)
    if name == "persistent":
        return "P" if value == "true" else "NP"
    return value if number is None else f"{number:,.10g}"


def _figures(point: Point) -> tuple[Cell, ...]:
    seen = point.round_trip
    middle = point.rate
    spread = 100 * (max(point.rates) - min(point.rates)) / middle if len(point.rates) > 1 and middle else None
    driver = sorted(point.driver_us)[len(point.driver_us) // 2] if point.driver_us else None
    return (
        middle,
        spread,
        point.cpu_us,
        driver,
        seen.p50 if seen else None,
        seen.p99 if seen else None,
        point.logged,
        None if point.machine_cpu is None else 100 * point.machine_cpu,
        point.run,
    )


def _value_charts(points: Sequence[Point], run: RunFacts) -> list[Chart]:
    """Return a chart for each value that differs between steps."""
    names = varied(points, run)
    axis = across(names, points, run)
    rest = [name for name in names if name != axis]
    made = []
    for name, unit in dict.fromkeys((name, unit) for point in points for name, _, unit in point.values):
        here = [point for point in points if any(each[0] == name for each in point.values)]
        if not here:
            continue

        def value(point: Point, wanted: str = name) -> float | None:
            return next((number for own, number, _ in point.values if own == wanted), None)

        made.append(chart(name, here, axis, rest, value, lambda point: (), unit))
    return made[:4]


def _values(points: Sequence[Point], run: RunFacts) -> Table:
    names = [name for name in varied(points, run) if name != "mode"]
    columns = [Column(_NAMES.get(name, name), None, UNITS.get(name, "")) for name in names]
    columns += [Column("What"), Column("Value", 3), Column("Unit"), Column("Run", link="run-")]
    rows: list[tuple[Cell, ...]] = []
    for point in points:
        for name, number, unit in point.values:
            rows.append((*(_cell(each, point) for each in names), name, number, unit, point.run))
    return Table("", columns, rows)
