"""Reports as one HTML page that needs nothing else: no network, no library, no file beside it.

The page begins with the source of its reports, then with the findings of each: key figures, a small picture and the
first sentence; reports that have nothing to say are named in one line. Then each report: its words, its charts, its
tables. It is light or dark as the reader's system is, prints on paper, and reads aloud in order: charts have a title, a
sentence and their values as a table. Tables sort by a click where scripts may run, and are whole where they may not;
the key columns of a row stay in view. The page forbids itself to load or to send anything (Content-Security-Policy),
and the one script that may run is ours, known by its hash.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from flintmq import __version__
from flintmq.pipeline.reports.markup import escaped, sentence, slug
from flintmq.pipeline.reports.model import NAME_MAX, Cell, Chart, Column, Figure, Report, Section, Table
from flintmq.pipeline.reports.style import SCRIPT, STYLE
from flintmq.pipeline.reports.svg import LINE, NARROW, draw, drawn, key, labels, sparkline, values_of

#: Rows of a table that are open to view at once; a longer one scrolls.
ROWS_OPEN = 25
#: Letters of a text that stays on one line.
WORDS = 18
#: Letters from which on a text may be broken anywhere: it may be a name without a space.
LONG = 30
#: Columns from which on a table is wide, and key columns of one that stay in view.
WIDE, KEYS_MAX = 8, 4
#: Places on the x axis, or bars, of charts that stand side by side.
PAIR_MAX = 10
#: Columns from which on a table has smaller letters, on paper above all.
MANY = 10
#: Values of a chart that are also given as a table.
VALUES_MAX = 500


def page(reports: Sequence[Report], title: str = "Queue manager reports", about: str = "") -> str:
    """Return the whole page. `about` names the source of the reports; the page adds its maker and the time."""
    made = f"Made by FlintMQ {__version__} on {datetime.now(UTC):%Y-%m-%d %H:%M} UTC."
    idents = _idents(reports)
    parts = [
        _head(title),
        f'<body><a class="skip" href="#reports">To the reports</a><header><h1>{escaped(title)}</h1>',
        f'{f"<p>{sentence(about)}</p>" if about else ""}<p class="about">{escaped(made)}</p></header>',
        _contents(reports, idents),
        '<main id="reports">',
        _glance(reports, idents),
        *(_report(report, ident) for report, ident in zip(reports, idents, strict=True)),
        "</main>",
        f"<script>{SCRIPT}</script></body></html>\n",
    ]
    return "".join(parts)


def _idents(reports: Sequence[Report]) -> list[str]:
    """Return an anchor for each report: the second of two with one name gets a number."""
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
            *((_place(section, ident, number), section.title) for number, section in enumerate(report.sections, 1)),
        ]
        links = "".join(f'<li><a href="#{place}">{escaped(name)}</a></li>' for place, name in inner if name)
        items.append(f'<li><a href="#{ident}">{escaped(report.title)}</a>{f"<ol>{links}</ol>" if links else ""}</li>')
    return f'<nav aria-label="Contents"><h2>Contents</h2><ol>{"".join(items)}</ol></nav>'


def _glance(reports: Sequence[Report], idents: list[str]) -> str:
    """Show the findings of each report in figures, a small picture and a sentence.

    One report alone needs no such head.
    """
    if len(reports) < 2:
        return ""
    pairs = list(zip(reports, idents, strict=True))
    cards = "".join(_card(report, ident) for report, ident in pairs if not report.silent)
    silent = ", ".join(f'<a href="#{ident}">{escaped(report.name)}</a>' for report, ident in pairs if report.silent)
    silent = f'<p class="silent">Nothing to show at a glance: {silent}.</p>' if silent else ""
    return f'<section class="glance"><h2>At a glance</h2><div class="cards">{cards}</div>{silent}</section>'


def _card(report: Report, ident: str) -> str:
    figures = "".join(
        f"<div><dt>{escaped(figure.name)}</dt><dd>{_figure(figure)}"
        f"{f' <small>{escaped(figure.unit)}</small>' if figure.unit else ''}</dd></div>"
        for figure in report.figures[:3]
    )
    picture = next((made for chart in report.charts if (made := sparkline(chart))), "")
    words = sentence(report.words[0] if report.words else "Nothing to say in words.")
    return (
        f'<article><h3><a href="#{ident}">{escaped(report.title)}</a></h3>'
        f"{f'<dl>{figures}</dl>' if figures else ''}{picture}<p>{words}</p></article>"
    )


def _figure(figure: Figure) -> str:
    """Return the value of a key figure, which leads to its source where it names one."""
    value = escaped(figure.value)
    return f'<a href="#{slug(figure.link)}">{value}</a>' if figure.link else value


def _report(report: Report, ident: str) -> str:
    first, rest = report.words[:1], report.words[1:]
    # A name of several words is no name of a command.
    named = report.title.lower().startswith(report.name.lower()) or " " in report.name
    name = "" if named else f" <small>{escaped(report.name)}</small>"
    words = "".join(f'<p class="lead">{sentence(each)}</p>' for each in first)
    if rest:
        words += f"<ul>{''.join(f'<li>{sentence(each)}</li>' for each in rest)}</ul>"
    return "".join(
        [
            f'<section id="{ident}"><h2>{escaped(report.title)}{name}</h2>{words}',
            *(_chart(chart, f"{ident}-c{number}") for number, chart in enumerate(report.charts, 1)),
            *(_table(table, f"{ident}-t{number}") for number, table in enumerate(report.tables, 1)),
            *(_section(section, _place(section, ident, number)) for number, section in enumerate(report.sections, 1)),
            "</section>",
        ]
    )


def _place(section: Section, ident: str, number: int) -> str:
    """Return the anchor of a section in the page."""
    return slug(section.ident) if section.ident else f"{ident}-s{number}"


def _section(section: Section, ident: str) -> str:
    """Return a part with its own heading: text, charts, then tables without a second heading."""
    return "".join(
        [
            f'<section class="part" id="{ident}"><h3>{escaped(section.title)}</h3>',
            *(f"<p>{sentence(each)}</p>" for each in section.words),
            *_charts(section.charts, ident),
            *(_table(table, f"{ident}-t{number}") for number, table in enumerate(section.tables, 1)),
            "</section>",
        ]
    )


def _charts(charts: Sequence[Chart], ident: str) -> list[str]:
    """Return the charts of a section: side by side where each needs half of the width only."""
    made = [_chart(chart, f"{ident}-c{number}") for number, chart in enumerate(charts, 1)]
    small = all(len(chart.x) * (1 if chart.kind == LINE else len(chart.series)) <= PAIR_MAX for chart in charts)
    return ['<div class="pair">', *made, "</div>"] if len(made) > 1 and small else made


def _chart(chart: Chart, ident: str) -> str:
    keys = ""
    if len(chart.series) > 1:
        names = enumerate(series.name for series in drawn(chart)[0])
        keys = "".join(f"<li>{key(number, chart.kind)}{escaped(name)}</li>" for number, name in names)
        keys = f'<ul class="keys">{keys}</ul>'
    return (
        f'<figure id="{ident}"><figcaption>{escaped(chart.title)}</figcaption>{keys}'
        f'<div class="wide">{draw(chart, ident)}</div><div class="narrow">{draw(chart, "", NARROW)}</div>'
        f"<details><summary>Values</summary>{_grid(_values(chart))}</details></figure>"
    )


def _values(chart: Chart) -> Table:
    """Return the values of a chart as a table."""
    columns = [Column("")] + [
        Column(series.name, _decimals(values_of(series, len(chart.x)))) for series in chart.series
    ]
    drawn = [values_of(series, len(chart.x)) for series in chart.series]
    rows: list[tuple[Cell, ...]] = [
        (label, *(values[place] for values in drawn)) for place, label in enumerate(labels(chart)[:VALUES_MAX])
    ]
    return Table(chart.title, columns, rows, max(len(chart.x) - VALUES_MAX, 0))


def _decimals(values: Iterable[float | None]) -> int:
    """Return the decimals of a column: none for whole numbers, one for large ones, three for small ones."""
    seen = [abs(value) for value in values if value is not None]
    if all(value == int(value) for value in seen):
        return 0
    return 1 if max(seen) >= 100 else 3


def _table(table: Table, ident: str) -> str:
    title = f"<h3>{escaped(table.title)}</h3>" if table.title else ""
    return f'<div class="table" id="{ident}">{title}{_grid(table)}</div>'


def _grid(table: Table) -> str:
    keys = _keys(table)
    heads = "".join(_heading(column, number < keys) for number, column in enumerate(table.columns))
    rows = "".join(
        f"<tr>{''.join(_cell(cell, table.columns[number], number < keys) for number, cell in enumerate(row))}</tr>"
        for row in table.rows
    )
    if not table.rows:
        rows = f'<tr><td colspan="{max(len(table.columns), 1)}" class="none">no rows</td></tr>'
    many = _class("many" if len(table.columns) > MANY else "")
    long = " long" if len(table.rows) > ROWS_OPEN else ""
    more = f'<p class="more">{table.left_out:,} more rows are not shown.</p>' if table.left_out else ""
    return (
        f'<div class="scroll{long}" tabindex="0" role="region" aria-label="{escaped(table.title or "table")}">'
        f"<table{many}><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>{more}"
    )


def _keys(table: Table) -> int:
    """Return the number of key columns at the left, which stay in view when a wide table is scrolled."""
    texts = next((n for n, column in enumerate(table.columns) if column.decimals is not None), len(table.columns))
    return min(texts, KEYS_MAX) if len(table.columns) > WIDE else 0


def _class(*names: str) -> str:
    there = " ".join(name for name in names if name)
    return f' class="{there}"' if there else ""


def _heading(column: Column, is_key: bool) -> str:
    unit = f" <small>{escaped(column.unit)}</small>" if column.unit else ""
    kind = _class("n" if column.decimals is not None else "", "k" if is_key else "")
    return f'<th scope="col"{kind}>{escaped(column.name)}{unit}</th>'


def _cell(cell: Cell, column: Column, is_key: bool) -> str:
    """Return one cell. A number carries its exact value for sorting; None is an empty cell."""
    number, stays = "n" if column.decimals is not None else "", "k" if is_key else ""
    if cell is None or (isinstance(cell, float) and not math.isfinite(cell)):
        return f"<td{_class(number, stays)}></td>"
    if isinstance(cell, str):
        text = escaped(cell)
        if column.link and cell:
            text = _link(cell, column)
        length = "w" if len(cell) <= WORDS or column.link else "t" if len(cell) > LONG else ""
        return f"<td{_class(number or length, stays)}>{text}</td>"
    if column.decimals is None:
        return f'<td{_class(stays)} data-v="{cell!r}">{cell}</td>'
    return f'<td{_class("n", stays)} data-v="{cell!r}">{cell:,.{column.decimals}f}</td>'


def _link(cell: str, column: Column) -> str:
    """Return a cell that leads to the section of its name; of a long name the column may show the end alone."""
    place = slug(column.link + cell)
    if column.tail and len(cell) > NAME_MAX:
        return f'<a href="#{place}" title="{escaped(cell)}">{escaped(cell[-column.tail :])}</a>'
    return f'<a href="#{place}">{escaped(cell)}</a>'
