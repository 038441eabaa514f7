"""The tables of reports as CSV: names with units, then rows. Of several tables each stands under `# report: title`.

Numbers have up to twelve digits, whatever the decimals of the column; a value that was not recorded is an empty cell.
Words and charts are left out, except in a report that has no table: its words come as `#` lines.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from flintmq.pipeline.reports.model import Cell, Report, Table


def render(reports: Sequence[Report]) -> str:
    tables = [(report, table) for report in reports for table in report.tables]
    parts = []
    for report in reports:
        if not report.tables:
            parts.append("".join(f"# {sentence}\n" for sentence in report.words))
        for table in report.tables:
            title = f"# {report.name}: {table.title}\n" if len(tables) > 1 or len(reports) > 1 else ""
            parts.append(title + _table(table))
    return "\n".join(parts)


def _cell(cell: Cell) -> Cell:
    return f"{cell:.12g}" if isinstance(cell, float) else cell


def _table(table: Table) -> str:
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow([f"{column.name} ({column.unit})" if column.unit else column.name for column in table.columns])
    writer.writerows([[_cell(cell) for cell in row] for row in table.rows])
    return made.getvalue()
