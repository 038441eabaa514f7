"""What `flint version` and `dspmqver` print."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import flintmq
from flintmq._build import compiled


def version_lines() -> list[tuple[str, str]]:
    """Label and value, in the order they are printed."""
    return [
        ("Name", "FlintMQ"),
        ("Version", flintmq.__version__),
        ("BuildType", "compiled" if compiled() else "plain Python"),
        ("Python", f"{platform.python_implementation()} {platform.python_version()}"),
        ("Platform", f"{platform.system()} {platform.machine()}"),
        ("InstPath", str(Path(os.environ.get("FLINT_HOME") or Path(flintmq.__file__).parent))),
    ]


def print_version() -> None:
    for label, value in version_lines():
        print(f"{label + ':':<13}{value}")
