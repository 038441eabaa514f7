"""Recorded assemblies of public projects are read and written back equal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from flintmq.broker.tree.mxml import differences, read_mxml, write_mxml
from tests.broker.tree.test_mxml import infoset


def test_all_recorded_assemblies_are_written_back_equal(foreign: Callable[[str], Path]) -> None:
    files = [
        path for path in sorted(foreign("corpus").glob("**/*.mxml")) if b"MessageAssembly" in path.read_bytes()[:400]
    ]

    for path in files:
        data = path.read_bytes()
        recorded = read_mxml(data)
        written = write_mxml(recorded)
        assert infoset(written) == infoset(data), path
        assert differences(recorded, read_mxml(written), parts=tuple(recorded.parts)) == [], path
    assert len(files) >= 60
