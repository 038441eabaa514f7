"""The document: all chapters in order, as one page of HTML and as Markdown.

highlights, the chapters of workloads, other brokers, figures of the documents, behaviours, capacity,
records (SMF, flow statistics, Prometheus), system configuration, the runs
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from flintmq.perf.report import behaviours, capacity, peers, system
from flintmq.perf.report.anchors import CAVEAT, PLATFORMS, Beside, beside
from flintmq.perf.report.chapters import CHAPTERS, Chapter
from flintmq.perf.report.words import label, size_text
from flintmq.perf.report.workloads import RUN, digits, is_single, section, shared
from flintmq.pipeline.reports import markdown
from flintmq.pipeline.reports.html import page
from flintmq.pipeline.reports.model import Cell, Chart, Column, Figure, Report, Section, Series, Table
from flintmq.pipeline.runs.tables import Point, RunFacts

TITLE = "FlintMQ performance report"
HTML, MARKDOWN, CSV = "report.html", "report.md", "results.csv"
#: Parameters that need not be said.
_USUAL = (("instances", "1"), ("groups", "1"), ("flows", "1"))
#: Bars of the chart that compares with the documents.
BESIDE_MAX = 30


@dataclass(slots=True)
class Source:
    """Sources of the document beside the runs."""

    records: list[Report] = field(default_factory=list)
    #: Titles and remarks of workloads by id, from the catalogue.
    titles: dict[str, str] = field(default_factory=dict)
    remarks: dict[str, str] = field(default_factory=dict)
    #: Workloads that cannot be run yet, with the feature that each waits for.
    needs: dict[str, str] = field(default_factory=dict)


def compose(runs: Sequence[RunFacts], source: Source | None = None) -> list[Report]:
    """Return all chapters."""
    source = source or Source()
    points = [point for run in runs for point in run.points]
    own = [run for run in runs if not any(peers.is_peer(point) for point in run.points)]
    judged = behaviours.make(points, runs)
    planned = capacity.make(own)
    chapters = [_chapter(each, own, source) for each in CHAPTERS]
    known = {name for each in CHAPTERS for name in each.workloads}
    rest = [run for run in own if run.workload not in known]
    if rest:
        other = Report("other", "Other runs", ["Runs of workloads that are not in the catalogue."])
        other.sections = [section(run) for run in rest]
        chapters.append(other)
    return [
        _highlights(runs, points, judged, planned),
        *chapters,
        peers.make(points),
        _beside(beside(points)),
        judged,
        planned,
        *source.records,
        system.configuration(runs),
        system.runs_chapter(runs),
    ]


def _chapter(chapter: Chapter, runs: Sequence[RunFacts], source: Source) -> Report:
    made = Report(chapter.name, chapter.title, [chapter.words])
    here = [run for name in chapter.workloads for run in runs if run.workload == name]
    made.sections = _sections(chapter, [run for run in here if run.points], source)
    there = {run.workload for run in here if run.points}
    missing = [name for name in chapter.workloads if name not in there]
    waiting = [name for name in missing if name in source.needs]
    runnable = [name for name in missing if name not in source.needs]
    if runnable:
        which = "; ".join(_named(name, source) for name in runnable)
        made.words.append(f"Not among these runs: {which}. `flint perf run ID` runs one.")
    if waiting:
        which = "; ".join(f"{_named(name, source)} needs {source.needs[name]}" for name in waiting)
        made.words.append(f"Not runnable yet: {which}.")
    made.silent = not made.sections
    rated = [point for run in here for point in run.points if point.rates]
    if rated:
        best = max(rated, key=lambda point: point.rate)
        made.figures = [Figure(f"{best.workload}, best rate", f"{best.rate:,.0f}", "1/s", f"run-{best.run}")]
        cheap = min((point for point in rated if point.cpu_us), key=lambda point: point.cpu_us or 0.0, default=None)
        if cheap is not None and cheap.cpu_us:
            figure = Figure(f"{cheap.workload}, least CPU", f"{cheap.cpu_us:,.1f}", "us", f"run-{cheap.run}")
            made.figures.append(figure)
    return made


def _sections(chapter: Chapter, runs: Sequence[RunFacts], source: Source) -> list[Section]:
    """Return the sections of a chapter: sets, workloads with several points, and those with one point together."""
    made: list[Section] = []
    left = list(runs)
    for title, names in chapter.sets:
        of = [run for run in left if run.workload in names and any(point.rates for point in run.points)]
        if len(of) > 1:
            made.append(_with_remarks(shared(title, of, f"{chapter.name} set", source.titles), of, source))
            left = [run for run in left if run not in of]
    single = [run for run in left if is_single(run)]
    if len(single) > 1:
        left = [run for run in left if run not in single]
    for run in left:
        title = _title(run, source)
        if sum(each.workload == run.workload for each in left) > 1:
            title += f", run {run.id[-RUN.tail :]}"
        made.append(section(run, title, source.remarks.get(run.workload, "")))
        # A workload may stand in two chapters.
        made[-1].ident = f"{chapter.name} {run.id}"
    if len(single) > 1:
        together = shared("Measured at one point each", single, f"{chapter.name} single", source.titles)
        made.append(_with_remarks(together, single, source))
    return made


def _with_remarks(made: Section, runs: Sequence[RunFacts], source: Source) -> Section:
    remarks: dict[str, list[str]] = {}
    for name in dict.fromkeys(run.workload for run in runs):
        if remark := source.remarks.get(name):
            remarks.setdefault(remark, []).append(name)
    for remark, names in remarks.items():
        made.words.append(f"{', '.join(names)} differ{'s' if len(names) == 1 else ''} from the document: {remark}.")
    return made


def _title(run: RunFacts, source: Source) -> str:
    return f"{run.workload}: {source.titles.get(run.workload) or run.head.get('title', '')}"


def _named(name: str, source: Source) -> str:
    title = source.titles.get(name)
    return f"{name} ({title})" if title else name


def _highlights(runs: Sequence[RunFacts], points: Sequence[Point], judged: Report, planned: Report) -> Report:
    made = Report("highlights", "Highlights")
    rated = [point for point in points if point.rates and not peers.is_peer(point)]
    made.words = [
        (
            f"{len({point.workload for point in rated})} workloads, {len(points)} points, {len(runs)} runs. Every "
            "number stands in a row that names its run, and the name leads to it; long names of runs are shown by "
            "their last four letters."
        ),
        *judged.words[:1],
        *([planned.words[1]] if len(planned.words) > 1 else []),
    ]
    ended = [run for run in runs if run.ended != "complete"]
    if ended:
        made.words.append(f"{len(ended)} of the runs did not end by themselves; they are marked.")
    peaks: dict[str, Point] = {}
    for point in rated:
        if point.workload not in peaks or peaks[point.workload].rate < point.rate:
            peaks[point.workload] = point
    if peaks:
        best = max(peaks.values(), key=lambda point: point.rate)
        made.figures = [
            Figure("workloads", f"{len(peaks)}"),
            Figure(f"highest rate, {best.workload}", f"{best.rate:,.0f}", "1/s", f"run-{best.run}"),
        ]
        ordered = sorted(peaks.values(), key=lambda point: point.workload)
        names = [f"{p.workload}, {size_text(p.size)}, {'P' if p.persistent else 'NP'}" for p in ordered]
        spread: list[tuple[float, float] | None] = [(min(p.rates), max(p.rates)) for p in ordered]
        series = [Series("rate", [p.rate for p in ordered], spread)]
        made.charts = [Chart("Peak of each workload", "bar", names, series, "operations a second")]
        columns = [
            Column("Workload"),
            Column("Size", 0, "bytes"),
            Column("Persistence"),
            Column("Connections"),
            Column("Peak", 0, "1/s"),
            Column("CPU server", 1, "us"),
            Column("p99", 0, "us"),
            RUN,
        ]
        rows: list[tuple[Cell, ...]] = [
            (
                point.workload,
                point.size,
                "P" if point.persistent else "NP",
                label("mode", point.parameters.get("mode", "")),
                point.rate,
                point.cpu_us,
                point.round_trip.p99 if point.round_trip else None,
                point.run,
            )
            for point in ordered
        ]
        made.tables = [Table("Peaks", columns, rows)]
    return made


def _beside(found: Sequence[Beside]) -> Report:
    made = Report("beside the documents", "Beside the figures of the documents")
    if not found:
        made.silent = True
        made.words = ["No run of this report has a figure in the documents that was measured with the same parameters."]
        return made
    made.words = [
        CAVEAT,
        (
            "Per CPU second counts the whole machine where the drivers of the document ran on it, else the server "
            "alone. Per core divides a rate by all cores of its machine."
        ),
    ]
    columns = [
        Column("Workload"),
        Column("Parameters"),
        Column("Document"),
        Column("Machine there"),
        Column("Counted"),
        Column("Rate there", 0),
        Column("Per core there", 0),
        Column("Per CPU s there", 0),
        Column("Rate here", 0),
        Column("Per CPU s here", 0),
        Column("Here over there", 2, "x"),
        RUN,
    ]
    rows: list[tuple[Cell, ...]] = [
        (
            each.point.workload,
            _parameters(each),
            each.anchor.source,
            each.anchor.platform,
            each.anchor.unit,
            digits(each.anchor.rate),
            each.anchor.per_core,
            each.anchor.per_cpu_second,
            digits(each.rate),
            each.per_cpu_second,
            each.ratio,
            each.point.run,
        )
        for each in found
    ]
    machines = dict.fromkeys(each.anchor.platform for each in found)
    made.tables = [
        Table("Peaks beside the documents", columns, rows),
        Table(
            "Machines of the documents",
            [Column("Machine"), Column("What it is")],
            [(name, PLATFORMS[name]) for name in machines],
        ),
    ]
    drawn = [each for each in found if each.ratio is not None][:BESIDE_MAX]
    if drawn:
        names = [f"{each.point.workload}, {_parameters(each)} / {each.anchor.platform}" for each in drawn]
        series = [Series("here over there", [each.ratio for each in drawn])]
        made.charts = [Chart("Work for one CPU second, here over there", "bar", names, series, "ratio")]
    made.figures = [Figure("points with a figure in the documents", f"{len(found)}")]
    return made


def _parameters(each: Beside) -> str:
    given = each.point.parameters
    shown = [label(name, given[name]) for name in ("size", "persistent") if name in given]
    shown += [
        label(name, given[name])
        for name in ("streamq", "cipher", "format_in", "format_out", "instances", "groups", "flows", "subscribers")
        if name in given and given[name] not in ("none", "") and (name, given[name]) not in _USUAL
    ]
    return ", ".join(shown)


def results_csv(runs: Sequence[RunFacts]) -> str:
    """Return the normalised results: one line per repeat of a point."""
    to = io.StringIO()
    writer = csv.writer(to)
    writer.writerow(
        ["run", "workload", "product", "step", "repeat", "parameters", "rate", "server_us", "driver_us", "log_bytes"]
    )
    for run in runs:
        for point in run.points:
            given = ";".join(f"{name}={value}" for name, value in sorted(point.parameters.items()))
            for number, rate in enumerate(point.rates):
                more = [each[number] if number < len(each) else "" for each in _repeated(point)]
                writer.writerow([run.id, run.workload, point.product, point.step, number + 1, given, rate, *more])
    return to.getvalue()


def _repeated(point: Point) -> tuple[tuple[float, ...], ...]:
    return (point.server_us, point.driver_us, point.log_bytes)


def write(chapters: Sequence[Report], runs: Sequence[RunFacts], out: Path, about: str = "") -> list[Path]:
    """Write the page, the Markdown and the results; return their paths."""
    out.mkdir(parents=True, exist_ok=True)
    made = {
        HTML: page(chapters, TITLE, about),
        MARKDOWN: markdown.render(chapters, TITLE, about),
        CSV: results_csv(runs),
    }
    for name, text in made.items():
        (out / name).write_text(text, encoding="utf-8")
    return [out / name for name in made]


def about(runs: Sequence[RunFacts]) -> str:
    """Return the sentence under the title: of which machine and time the runs are."""
    machines = list(dict.fromkeys(f"{run.machine.get('cpu_model', '?')}, {run.cores} cores" for run in runs))
    versions = list(dict.fromkeys(str(run.head.get("product_version") or "") for run in runs))
    first, last = min(run.started for run in runs), max(run.started for run in runs)
    when = f"{first:%Y-%m-%d %H:%M}" if first == last else f"{first:%Y-%m-%d %H:%M} to {last:%Y-%m-%d %H:%M}"
    return f"FlintMQ {', '.join(v for v in versions if v)} on {'; '.join(machines)}. Runs from {when} UTC."
