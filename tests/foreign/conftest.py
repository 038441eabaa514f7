"""What others published, and FlintMQ is held against: checked out beside our tree, never copied in.

    ./flint test --foreign DIR          runs tests/foreign only, on the directories below DIR
    FLINT_FOREIGN=DIR                   the same for a test-suite that runs anyway

A test asks for `foreign("xmlconf")` and gets the directory DIR/xmlconf; where there is none it is skipped and says what
is missing.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def foreign() -> Callable[[str], Path]:
    """Return a function from the name of a checkout to its directory."""
    given = os.environ.get("FLINT_FOREIGN", "")

    def find(name: str) -> Path:
        if not given:
            pytest.skip("FLINT_FOREIGN names no directory of foreign checkouts (./flint test --foreign DIR)")
        path = Path(given) / name
        if not path.is_dir():
            pytest.skip(f"{path} is not there")
        return path

    return find
