"""Reports as one HTML page that needs nothing else: no network, no library, no file beside it.

The page begins with what each report found, in its first sentence, and a list of contents; then each report: its words,
its charts, its tables. It is light or dark as the reader's system is, prints on paper, and reads aloud in order: charts
have a title, a sentence and their values as a table. Tables sort by a click where scripts may run, and are whole where
they may not. The page forbids itself to load or to send anything (Content-Security-Policy), and the one script that may
run is ours, known by its hash.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from flintmq import __version__
from flintmq.pipeline.reports.markup import escaped, slug
from flintmq.pipeline.reports.model import Cell, Chart, Column, Report, Table
from flintmq.pipeline.reports.style import SCRIPT, STYLE
from flintmq.pipeline.reports.svg import COLOURS, draw, values_of

#: Rows of a table that are open to view at once; a longer one scrolls.
ROWS_OPEN = 25
#: Letters of a text that stays on one line.
WORDS = 34
#: Values of a chart that are also given as a table.
VALUES_MAX = 500


def page(reports: Sequence[Report], title: str = "Queue manager reports", about: str = "") -> str:
    """The whole page. `about` is a line under the title; without one it says who made the page and when."""
    about = about or f"Made by FlintMQ {__version__} on {datetime.now(UTC):%Y-%m-%d %H:%M} UTC."
    idents = _idents(reports)
    parts = [
        _head(title),
        f'<body><a class="skip" href="#reports">To the reports</a><header><h1>{escaped(title)}</h1>',
        f'<p class="about">{escaped(about)}</p></header>',
        _contents(reports, idents),
        '<main id="reports">',
        _glance(reports, idents),
        *(_report(report, ident) for report, ident in zip(reports, idents, strict=True)),
        "</main>",
        f"<script>{SCRIPT}</script></body></html>\n",
    ]
    return "".join(parts)


def _idents(reports: Sequence[Report]) -> list[str]:
    """A name for each report in the address of the page: the second of two with one name gets a number."""
    made: list[str] = []
    for report in reports:
        base, number = slug(report.name), 1
        while (ident := base if number == 1 else f"{base}-{number}") in made:
            number += 1
        made.append(ident)
    return made


def _head(title: str) -> str:
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escaped(title)}</title><style>{STYLE}</style></head>"
    )


def _contents(reports: Sequence[Report], idents: list[str]) -> str:
    items = []
    for report, ident in zip(reports, idents, strict=True):
        inner = [
            *((f"{ident}-c{number}", chart.title) for number, chart in enumerate(report.charts, 1)),
            *((f"{ident}-t{number}", table.title) for number, table in enumerate(report.tables, 1)),
        ]
        links = "".join(f'<li><a href="#{place}">{escaped(name)}</a></li>' for place, name in inner if name)
        items.append(f'<li><a href="#{ident}">{escaped(report.title)}</a>{f"<ol>{links}</ol>" if links else ""}</li>')
    return f'<nav aria-label="Contents"><h2>Contents</h2><ol>{"".join(items)}</ol></nav>'


def _glance(reports: Sequence[Report], idents: list[str]) -> str:
    """The first sentence of each report. Not worth its place for one report alone."""
    if len(reports) < 2:
        return ""
    items = "".join(
        f'<div><dt><a href="#{ident}">{escaped(report.title)}</a></dt>'
        f"<dd>{escaped(report.words[0] if report.words else 'Nothing to say in words.')}</dd></div>"
        for report, ident in zip(reports, idents, strict=True)
    )
    return f'<section class="glance"><h2>At a glance</h2><dl>{items}</dl></section>'


def _report(report: Report, ident: str) -> str:
    first, rest = report.words[:1], report.words[1:]
    named = report.title.lower().startswith(report.name.lower())
    name = "" if named else f" <small>{escaped(report.name)}</small>"
    words = "".join(f'<p class="lead">{escaped(sentence)}</p>' for sentence in first)
    if rest:
        words += f"<ul>{''.join(f'<li>{escaped(sentence)}</li>' for sentence in rest)}</ul>"
    return "".join(
        [
            f'<section id="{ident}"><h2>{escaped(report.title)}{name}</h2>{words}',
            *(_chart(chart, f"{ident}-c{number}") for number, chart in enumerate(report.charts, 1)),
            *(_table(table, f"{ident}-t{number}") for number, table in enumerate(report.tables, 1)),
            "</section>",
        ]
    )


def _chart(chart: Chart, ident: str) -> str:
    keys = ""
    if len(chart.series) > 1:
        names = enumerate(series.name for series in chart.series)
        keys = "".join(f'<li><i class="s{number % COLOURS}"></i>{escaped(name)}</li>' for number, name in names)
        keys = f'<ul class="keys">{keys}</ul>'
    return (
        f'<figure id="{ident}"><figcaption>{escaped(chart.title)}</figcaption>{keys}{draw(chart, ident)}'
        f"<details><summary>Values</summary>{_grid(_values(chart))}</details></figure>"
    )


def _values(chart: Chart) -> Table:
    """What the chart draws, as a table."""
    columns = [Column("")] + [
        Column(series.name, _decimals(values_of(series, len(chart.x)))) for series in chart.series
    ]
    drawn = [values_of(series, len(chart.x)) for series in chart.series]
    rows: list[tuple[Cell, ...]] = [
        (label, *(values[place] for values in drawn)) for place, label in enumerate(chart.x[:VALUES_MAX])
    ]
    return Table(chart.title, columns, rows, max(len(chart.x) - VALUES_MAX, 0))


def _decimals(values: Iterable[float | None]) -> int:
    """Whole numbers without decimals, large ones with one, small ones with three."""
    seen = [abs(value) for value in values if value is not None]
    if all(value == int(value) for value in seen):
        return 0
    return 1 if max(seen) >= 100 else 3


def _table(table: Table, ident: str) -> str:
    return f'<div class="table" id="{ident}"><h3>{escaped(table.title)}</h3>{_grid(table)}</div>'


def _grid(table: Table) -> str:
    heads = "".join(_heading(column) for column in table.columns)
    rows = "".join(
        f"<tr>{''.join(_cell(cell, column) for cell, column in zip(row, table.columns, strict=True))}</tr>"
        for row in table.rows
    )
    if not table.rows:
        rows = f'<tr><td colspan="{max(len(table.columns), 1)}" class="none">no rows</td></tr>'
    long = " long" if len(table.rows) > ROWS_OPEN else ""
    more = f'<p class="more">{table.left_out:,} more rows are not shown.</p>' if table.left_out else ""
    return (
        f'<div class="scroll{long}" tabindex="0" role="region" aria-label="{escaped(table.title or "table")}">'
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>{more}"
    )


def _heading(column: Column) -> str:
    number = ' class="n"' if column.decimals is not None else ""
    unit = f" <small>{escaped(column.unit)}</small>" if column.unit else ""
    return f'<th scope="col"{number}>{escaped(column.name)}{unit}</th>'


def _cell(cell: Cell, column: Column) -> str:
    """One cell. A number carries its exact value for sorting; None is an empty cell."""
    number = column.decimals is not None
    if cell is None or (isinstance(cell, float) and not math.isfinite(cell)):
        return '<td class="n"></td>' if number else "<td></td>"
    if isinstance(cell, str):
        kind = "n" if number else "w" if len(cell) <= WORDS else ""
        return f'<td class="{kind}">{escaped(cell)}</td>' if kind else f"<td>{escaped(cell)}</td>"
    if column.decimals is None:
        return f'<td data-v="{cell!r}">{cell}</td>'
    return f'<td class="n" data-v="{cell!r}">{cell:,.{column.decimals}f}</td>'
