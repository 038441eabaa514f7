"""A report as plain text: words, then each table or its listing, then charts as bars."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence

from flintmq.pipeline.reports.model import Cell, Chart, Column, Report, Series, Table

WIDTH = 120
BAR = 50
#: The most places of a series that are drawn; more are thinned out.
PLACES = 40


def render(reports: Sequence[Report]) -> str:
    """Print reports one after the other. A control character, which only a damaged record has in a name, is a dot."""
    return printable("\n\n".join(map(_report, reports)))


def printable(text: str) -> str:
    return (
        text
        if text.replace("\n", "").isprintable()
        else "".join(character if character.isprintable() or character == "\n" else "." for character in text)
    )


def _report(report: Report) -> str:
    lines = [report.title, "=" * len(report.title), ""]
    for sentence in report.words:
        lines += textwrap.wrap(sentence, WIDTH) or [""]
    for table in report.tables:
        lines += ["", *_table(table)]
    for chart in report.charts:
        lines += ["", *_chart(chart)]
    for section in report.sections:
        lines += ["", section.title, "-" * len(section.title)]
        for sentence in section.words:
            lines += textwrap.wrap(sentence, WIDTH) or [""]
        for table in section.tables:
            lines += ["", *_table(table)]
        for chart in section.charts:
            lines += ["", *_chart(chart)]
    return "\n".join(lines) + "\n"


def left_out(table: Table) -> str:
    """Return the line that counts the rows left out, or ""."""
    return f"... and {table.left_out:,} more; --rows N shows more" if table.left_out else ""


def _table(table: Table) -> list[str]:
    lines = [table.title, "-" * len(table.title)] if table.title else []
    if table.listing:
        lines += table.listing
    elif table.rows:
        heads = [_head(column) for column in table.columns]
        rows = [
            [cell_text(cell, column) for cell, column in zip(row, table.columns, strict=True)] for row in table.rows
        ]
        widths = [max(len(line[number]) for line in [heads, *rows]) for number in range(len(heads))]
        lines += [_line(line, widths, table.columns) for line in [heads, ["-" * width for width in widths], *rows]]
    else:
        lines.append("(nothing)")
    if table.left_out:
        lines.append(left_out(table))
    return lines


def _head(column: Column) -> str:
    return f"{column.name} ({column.unit})" if column.unit else column.name


def _line(cells: list[str], widths: list[int], columns: list[Column]) -> str:
    placed = [
        cell.ljust(width) if column.decimals is None else cell.rjust(width)
        for cell, width, column in zip(cells, widths, columns, strict=True)
    ]
    return "  ".join(placed).rstrip()


def cell_text(cell: Cell, column: Column) -> str:
    """Format a cell for people: thousands set apart, decimals of the column, "" for a value that was not recorded."""
    if cell is None:
        return ""
    if column.decimals is None or isinstance(cell, str):
        return str(cell)
    return f"{cell:,.{column.decimals}f}"


def _thinned(chart: Chart, series: Series) -> tuple[list[tuple[str, float | None]], int]:
    """Reduce a series to at most PLACES places: the highest of every few, because readers look for peaks.

    Of several series each has its own places: times of the others are left out.
    """
    places = list(zip(chart.x, series.values, strict=True))
    if len(chart.series) > 1:
        places = [pair for pair in places if pair[1] is not None]
    step = -(-len(places) // PLACES) or 1
    groups = [places[number : number + step] for number in range(0, len(places), step)]
    return [max(group, key=lambda pair: -math.inf if pair[1] is None else pair[1]) for group in groups], step


def _chart(chart: Chart) -> list[str]:
    return [chart.title, "-" * len(chart.title), *bars(chart)]


def bars(chart: Chart) -> list[str]:
    """Return the values of a chart as bars of signs."""
    lines = list[str]()
    values = [value for series in chart.series for value in series.values if value is not None]
    top = max(values, default=0.0)
    label = max((len(place) for place in chart.x), default=0)
    for series in chart.series:
        if len(chart.series) > 1:
            lines.append(series.name)
        places, step = _thinned(chart, series)
        for place, value in places:
            bar = "#" * round(BAR * value / top) if value is not None and top > 0 and value > 0 else ""
            shown = "" if value is None else f"{value:,.10g}" if value == round(value) else f"{value:,.2f}"
            lines.append(f"{place.ljust(label)}  {bar}{' ' if bar else ''}{shown}".rstrip())
        if step > 1:
            lines.append(f"(the highest of every {step})")
    if chart.y_title:
        lines.append(f"({chart.y_title})")
    return lines
