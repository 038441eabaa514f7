"""How a user calls this program, for text that is printed to be copied."""

from __future__ import annotations

import os
import sys


def launcher() -> str:
    """`./flint` in a working copy, `flint` where it is installed."""
    if "FLINT_HOME" in os.environ:
        return "./flint"
    return "flint" if sys.argv[0].endswith("flint") else f"{sys.executable} -m flintmq.cli"
