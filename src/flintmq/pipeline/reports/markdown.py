"""Reports as Markdown: words, charts as bars of signs, tables as tables. Any editor and any code review shows it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flintmq.pipeline.reports.model import Chart, Report, Table
from flintmq.pipeline.reports.text import bars, cell_text, left_out, printable

#: Signs that Markdown would take for markup.
_MARKUP = re.compile(r"([\\`*_{}\[\]<>|#~])")
_CODE = re.compile(r"(`[^`\n]+`)")


def render(reports: Sequence[Report], title: str = "", about: str = "") -> str:
    """Return reports one after the other, under a title where one is given."""
    lines = [f"# {_plain(title)}", ""] if title else []
    if about:
        lines += [_plain(about), ""]
    for report in reports:
        lines += [f"## {_plain(report.title)}", ""]
        lines += _part(report.words, report.charts, report.tables)
        for section in report.sections:
            lines += [f"### {_plain(section.title)}", ""]
            lines += _part(section.words, section.charts, section.tables)
    return printable("\n".join(lines).rstrip() + "\n")


def _part(words: Sequence[str], charts: Sequence[Chart], tables: Sequence[Table]) -> list[str]:
    lines = list[str]()
    for sentence in words:
        lines += [_sentence(sentence), ""]
    for chart in charts:
        lines += [
            f"**{_plain(chart.title)}**",
            "",
            "```",
            *(line.replace("```", "'''") for line in bars(chart)),
            "```",
            "",
        ]
    for table in tables:
        lines += _table(table)
    return lines


def _table(table: Table) -> list[str]:
    lines = [f"**{_plain(table.title)}**", ""] if table.title else []
    heads = [f"{column.name} ({column.unit})" if column.unit else column.name for column in table.columns]
    lines.append(f"| {' | '.join(_plain(head) for head in heads)} |")
    lines.append(f"|{'|'.join('---' if column.decimals is None else '---:' for column in table.columns)}|")
    for row in table.rows:
        cells = [_plain(cell_text(cell, column)) for cell, column in zip(row, table.columns, strict=True)]
        lines.append(f"| {' | '.join(cells)} |")
    if not table.rows:
        lines.append(f"| no rows{' |' * len(table.columns)}")
    lines.append("")
    if table.left_out:
        lines += [left_out(table), ""]
    return lines


def _sentence(text: str) -> str:
    """Return a sentence of which nothing is markup but what it has between backticks."""
    parts = _CODE.split(text.replace("\n", " "))
    return "".join(part if number % 2 else _plain(part) for number, part in enumerate(parts))


def _plain(text: str) -> str:
    """Return a text of which nothing is markup."""
    return _MARKUP.sub(r"\\\1", text.replace("\n", " "))
