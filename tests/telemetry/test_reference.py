"""Every value of the reference CSV is ours: real dumps of MQ 8.0, and the synthetic one with what those lack."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.telemetry import reference
from tests.telemetry.samples import REAL, SYNTHETIC, WHY_NOT, Sample

pa: Any = pytest.importorskip("pyarrow", reason="columns need the spark extra: pyarrow")
pytest.importorskip("numpy", reason="columns need the spark extra: NumPy")

from flintmq.telemetry.smf.columns.dump import blocks_of, ranges_of  # noqa: E402
from flintmq.telemetry.smf.columns.tables import tables_of  # noqa: E402

#: Columns that the formatter calls by a wrong name: they hold the times of deletes.
RENAMED = {
    f"SSKT_{kind}_Update_{what}": f"SSKT_{kind}_Delete_{what}"
    for kind in ("Thread", "SQL")
    for what in ("Elapsed", "Max")
}
#: Columns that the formatter fills wrongly, by table. Each has a test of the right value below or in test_faults.py.
FAULTS = {
    "QQST": {"Get_P", "Get_NP", "Browse_P", "Browse_NP"},
    "QESD": {"Buffer_Wait_Time", "Encrypted"},
}


def tables(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Our tables of a dump, as rows."""
    made: dict[str, list[dict[str, Any]]] = {}
    for part in ranges_of(str(path), 1 << 26):
        for block, damages in blocks_of(part):
            found = tables_of(block, path.name)
            assert damages == [] and found.findings == []
            for name, table in found.tables.items():
                made.setdefault(name, []).extend(table.to_pylist())
    return made


def samples() -> list[Any]:
    missing = pytest.mark.skipif(not all(sample.present for sample in REAL), reason=WHY_NOT)
    return [SYNTHETIC, *(pytest.param(sample, marks=missing) for sample in REAL)]


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.name)
def test_every_cell_of_the_reference_is_ours(sample: Sample) -> None:
    ours = tables(sample.dump)
    compared = 0
    for path in sorted(sample.expected.glob("SMF-*.csv")):
        name = path.stem.removeprefix("SMF-")
        found = reference.read(path)
        faulty = FAULTS.get(name, set())
        outcome = reference.compare(found, adapted(name, ours[name]), RENAMED)
        unexpected = [entry for entry in outcome.different if entry[1] not in faulty]
        assert unexpected == [], f"{name}: {unexpected[:5]}"
        assert outcome.cells == len(found.rows) * len(found.header)
        compared += outcome.cells
    assert compared > 0


def adapted(name: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Our rows in the shape of the CSV, where the formatter's fault is one of shape: see FAULTS."""
    if name != "QESD":
        return rows
    return [{**row, "Buffer_Wait_Time": row["Buffer_Wait_Time_US"]} for row in rows]
