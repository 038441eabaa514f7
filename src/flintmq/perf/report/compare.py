"""Two runs, or two directories of runs: each figure same, better or worse."""

from __future__ import annotations

from collections.abc import Sequence

from flintmq.pipeline.reports.model import Cell, Chart, Column, Figure, Report, Series, Table
from flintmq.pipeline.runs import regression
from flintmq.pipeline.runs.tables import Point, RunFacts


def measures(runs: Sequence[RunFacts]) -> dict[str, regression.Measure]:
    """Return the figures of runs that can be compared, by a name that is the same in another run of the workload."""
    made: dict[str, regression.Measure] = {}

    def add(name: str, repeats: tuple[float, ...], higher_is_better: bool, kind: str) -> None:
        # Runs of one workload that were made in turns with those of the other side are one run of many repeats.
        known = made[name].repeats if name in made else ()
        made[name] = regression.Measure(known + repeats, higher_is_better, kind)

    for run in runs:
        for point in run.points:
            name = _name(point)
            if point.rates:
                # A rated load has the rate that it was given: only its cost and its latency can change.
                if point.target_rate is None:
                    add(f"{name}: rate", point.rates, True, "rate")
                costs = point.server_us or (point.driver_us if point.parameters.get("mode") == "embedded" else ())
                if costs:
                    add(f"{name}: CPU", costs, False, "CPU")
    return made


def _name(point: Point) -> str:
    given = " ".join(f"{name}={value}" for name, value in sorted(point.parameters.items()))
    return f"{point.workload} {given}"


def compare(before: Sequence[RunFacts], after: Sequence[RunFacts], tolerance: float) -> regression.Comparison:
    """Compare the figures of two sets of runs."""
    return regression.compare(measures(before), measures(after), tolerance)


def make(found: regression.Comparison, before: str, after: str, tolerance: float) -> Report:
    """Return the comparison as a report."""
    made = Report("compare", f"{after} against {before}: {found.verdict}")
    counts = {word: sum(each.verdict == word for each in found.verdicts) for word in ("worse", "better", "same")}
    made.figures = [Figure(word, f"{count}") for word, count in counts.items()]
    made.words = [
        *(_sentence(each) for each in found.whole),
        (
            f"{counts['worse']} worse, {counts['better']} better, {counts['same']} same, of {len(found.verdicts)} "
            f"figures. Same means within {100 * tolerance:g} %, or not to be told from noise. Intervals are from a "
            "bootstrap of the repeats, wide enough for all figures together."
        ),
    ]
    for names, which in ((found.only_in_a, before), (found.only_in_b, after)):
        if names:
            made.words.append(f"Only in {which}: {', '.join(names[:5])}{', ...' if len(names) > 5 else ''}.")
    columns = [
        Column("Figure"),
        Column("Verdict"),
        Column("A", 2),
        Column("B", 2),
        Column("Change", 1, "%"),
        Column("From", 1, "%"),
        Column("To", 1, "%"),
        Column("Repeats"),
        Column("Remark"),
    ]
    order = {"worse": 0, "better": 1, "same": 2}
    rows: list[tuple[Cell, ...]] = [
        (
            each.name,
            each.verdict,
            each.before,
            each.after,
            each.change_pct,
            100 * (each.low - 1),
            100 * (each.high - 1),
            f"{each.repeats[0]}, {each.repeats[1]}",
            each.remark,
        )
        for each in sorted(found.verdicts, key=lambda each: order[each.verdict])
    ]
    made.tables = [_whole(found), Table("All figures", columns, rows)]
    changed = [each for each in found.verdicts if each.verdict != "same"][:30]
    if changed:
        series = [Series("change", [each.change_pct for each in changed])]
        made.charts = [Chart("Figures that changed", "bar", [each.name for each in changed], series, "%")]
    return made


def _sentence(whole: regression.Whole) -> str:
    figures = f"{whole.figures} figures" if whole.figures != 1 else "1 figure"
    low, high = sorted((100 * (whole.low - 1), 100 * (whole.high - 1)))
    remark = f" ({whole.remark})" if whole.remark else ""
    return (
        f"{whole.kind} as a whole: {whole.verdict}. {figures} changed by {whole.change_pct:+.1f} % in the mean, "
        f"{low:+.1f} to {high:+.1f} %{remark}."
    )


def _whole(found: regression.Comparison) -> Table:
    columns = [
        Column("Kind"),
        Column("Verdict"),
        Column("Figures", 0),
        Column("Mean change", 1, "%"),
        Column("From", 1, "%"),
        Column("To", 1, "%"),
        Column("Remark"),
    ]
    rows: list[tuple[Cell, ...]] = [
        (
            each.kind,
            each.verdict,
            each.figures,
            each.change_pct,
            100 * (each.low - 1),
            100 * (each.high - 1),
            each.remark,
        )
        for each in found.whole
    ]
    return Table("The run as a whole", columns, rows)
