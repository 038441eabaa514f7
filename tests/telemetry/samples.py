"""The SMF dumps of the tests: the synthetic one of this tree, and real ones with their reference CSV where they are.

The real dumps are other people's data and are not in the tree. They are looked for in `../shared/smf` beside the
working copy, or where FLINT_SMF_SAMPLES says; tests that need them skip with a reason.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent / "data"
SAMPLES = Path(os.environ.get("FLINT_SMF_SAMPLES") or ROOT.parent / "shared" / "smf")
WHY_NOT = f"the real SMF dumps are not in {SAMPLES}; FLINT_SMF_SAMPLES says where they are"


@dataclass(frozen=True)
class Sample:
    """A dump, and the directory with the CSV that the reference formatter made of it."""

    name: str
    dump: Path
    expected: Path

    @property
    def present(self) -> bool:
        return self.dump.is_file() and self.expected.is_dir()


SYNTHETIC = Sample("SYNTH216", HERE / "SYNTH216.dat", HERE / "SYNTH216")
REAL = [
    Sample(name, SAMPLES / f"{name}.dat", SAMPLES / "expected" / name) for name in ("TEST115", "TEST116", "TESTCHL")
]
TEST115, TEST116, TESTCHL = REAL
