"""What the tests of columns/ share."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import pytest

Rows = dict[str, list[dict[str, Any]]]


class Read(Protocol):
    """Reads a dump: table -> rows. `findings` and `damages` are tables too: a place and what is there."""

    def __call__(self, data: bytes, name: str = "a.dat", size: int = 1 << 26, block: int = 1 << 20) -> Rows: ...


@pytest.fixture
def read(tmp_path: Path) -> Read:
    pytest.importorskip("numpy", reason="columns need the spark extra: NumPy")
    pytest.importorskip("pyarrow", reason="columns need the spark extra: pyarrow")
    from flintmq.telemetry.smf.columns.dump import blocks_of, ranges_of
    from flintmq.telemetry.smf.columns.tables import tables_of

    def rows(data: bytes, name: str = "a.dat", size: int = 1 << 26, block: int = 1 << 20) -> Rows:
        path = tmp_path / name
        path.write_bytes(data)
        made: Rows = {"findings": [], "damages": []}
        for part in ranges_of(str(path), size):
            for piece, damages in blocks_of(part, block):
                found = tables_of(piece, name)
                made["findings"] += [vars(finding) for finding in found.findings]
                made["damages"] += [vars(damage) for damage in damages]
                for table, values in found.tables.items():
                    made.setdefault(table, []).extend(values.to_pylist())
        return made

    return rows
