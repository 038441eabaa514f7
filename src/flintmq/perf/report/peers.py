"""Other brokers in the same run, as ratios to FlintMQ: same shape, same machine, in turns.

A rate alone says little: a confirm is a promise, and the promises differ. Its words stand beside each rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from flintmq.pipeline.reports.model import Cell, Chart, Column, Figure, Report, Series, Table
from flintmq.pipeline.runs.tables import Point

OURS = "FlintMQ"


def product_of(point: Point) -> str:
    """Return the product of a point: the parameter `peer` where one run has several."""
    name = point.parameters.get("peer") or point.product
    return OURS if name.lower() == OURS.lower() else name


def _shape(point: Point) -> tuple[str, str, str]:
    pattern = point.parameters.get("pattern") or point.workload
    return (pattern, "persistent" if point.persistent else "non-persistent", point.parameters.get("size", ""))


def is_peer(point: Point) -> bool:
    """Return whether a point belongs to a comparison of products."""
    return point.workload.startswith("PEERS") or point.product != OURS


def make(points: Sequence[Point]) -> Report:
    """Return the chapter."""
    made = Report("other brokers", "Beside other brokers")
    shown = [point for point in points if is_peer(point) and point.rates]
    if not shown:
        made.silent = True
        made.words = ["No run of this report has other brokers: `flint perf peers` runs those that are installed."]
        return made
    groups: dict[tuple[str, str, str], list[Point]] = {}
    for point in shown:
        groups.setdefault(_shape(point), []).append(point)
    made.words = [
        (
            "Every product ran the same shape on the same machine, in turns within one run. A ratio above 1 means that "
            "it did more than FlintMQ. A confirm does not promise the same everywhere: its meaning stands in the last "
            "column."
        )
    ]
    ratios = []
    for (pattern, how, size), group in groups.items():
        title = f"{pattern}, {how}, {size} bytes"
        ours = next((point for point in group if product_of(point) == OURS), None)
        made.tables.append(_table(title, group, ours))
        names = [product_of(point) for point in group]
        made.charts.append(Chart(title, "bar", names, [Series("rate", [p.rate for p in group])], "operations a second"))
        if ours is not None and ours.rate:
            ratios += [point.rate / ours.rate for point in group if point is not ours]
    if ratios:
        made.figures = [
            Figure("products and shapes compared", f"{len(shown)}"),
            Figure("their rate over ours, median", f"{median(ratios):.2f}", "x"),
        ]
    return made


def _table(title: str, group: Sequence[Point], ours: Point | None) -> Table:
    columns = [
        Column("Product"),
        Column("Rate", 0, "1/s"),
        Column("Over FlintMQ", 2, "x"),
        Column("CPU broker", 1, "us"),
        Column("CPU clients", 1, "us"),
        Column("p50", 0, "us"),
        Column("p99", 0, "us"),
        Column("A confirm means"),
        Column("Run", link="run-"),
    ]
    rows: list[tuple[Cell, ...]] = []
    for point in sorted(group, key=lambda each: -each.rate):
        seen = point.round_trip
        rows.append(
            (
                product_of(point),
                point.rate,
                point.rate / ours.rate if ours is not None and ours.rate else None,
                point.cpu_us,
                median(point.driver_us) if point.driver_us else None,
                seen.p50 if seen else None,
                seen.p99 if seen else None,
                point.parameters.get("confirm", ""),
                point.run,
            )
        )
    return Table(title, columns, rows)
