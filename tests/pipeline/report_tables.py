"""Silver tables for tests of reports, from records that are built here. The tasks run in this process."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.telemetry.builder import dump

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from flintmq.pipeline.reports.model import Report, Table


def silver(place: Path, *records: bytes) -> Path:
    """The tables of a dump with these records."""
    from flintmq.pipeline.tables import run as run_module
    from flintmq.pipeline.tables.load import load

    dumps = place / "dumps"
    dumps.mkdir(parents=True)
    (dumps / "a.dat").write_bytes(dump(*records))
    nobody: Any = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_module, "run_tasks", lambda spark, tasks, progress: [load(task) for task in tasks])
        run_module.run(nobody, run_module.Settings([str(dumps)], place / "tables", ("silver",)))
    return place / "tables"


def make(
    spark: SparkSession, tables: Path, name: str, settings: Mapping[str, object] | None = None, *qmgrs: str
) -> Report:
    """A report by its name in the registry, of all queue managers or of these. It can be printed in every form."""
    from flintmq.pipeline.reports.options import Options, settings_of
    from flintmq.pipeline.reports.registry import FORMATS, REPORTS

    given = [f"{key}={value}" for key, value in (settings or {}).items()]
    entry = REPORTS[name]
    made = entry.make(spark, tables, Options(qmgrs=qmgrs, settings=settings_of(given, entry.settings, name)))
    for form, render in FORMATS.items():
        assert made.title in render([made]) or form == "csv"
    return made


def rows_of(table: Table) -> list[dict[str, Any]]:
    """The rows of a table by the names of its columns."""
    return [dict(zip((column.name for column in table.columns), row, strict=True)) for row in table.rows]


def table_of(report: Report, title: str) -> Table:
    """The table whose title begins so."""
    return next(table for table in report.tables if table.title.startswith(title))
