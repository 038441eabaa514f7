"""flint bench: run benchmarks and print each figure beside its floor.

    flint bench
    flint bench engine --quick
    flint bench log --json
    flint bench --list

Without a name all of them run. A figure is CPU time or a ratio measured in the same run as its floor: absolute rates
depend on the machine. `--quick` takes under a minute. With `--json` the last line of the output is one JSON object.
`--record` appends the result to benchmarks/history/. Benchmarks live in the working copy, not in the package.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from pathlib import Path
from typing import Any

from flintmq.cli._failure import CommandFailed

NAME = "bench"
SUMMARY = "run benchmarks and print each figure beside its floor"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="*", help="which benchmarks to run (all)")
    parser.add_argument("--list", action="store_true", help="say which there are, and run none")
    parser.add_argument("--quick", action="store_true", help="smaller numbers: under a minute each")
    parser.add_argument("--tiny", action="store_true", help="only to see that they run; the figures mean nothing")
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    parser.add_argument("--record", action="store_true", help="append the result to benchmarks/history/")


def run(options: argparse.Namespace) -> int:
    home = working_copy()
    if str(home) not in sys.path:
        sys.path.append(str(home))
    frame: Any = importlib.import_module("benchmarks.frame")
    try:
        return int(frame.main(options))
    except frame.NoSuchBenchmark as error:
        raise CommandFailed(str(error), exit_code=2) from None


def working_copy() -> Path:
    """The directory that holds `benchmarks/`: the launcher's, or one at or above the current directory."""
    launcher = os.environ.get("FLINT_HOME")
    for directory in [Path(launcher)] if launcher else [Path.cwd(), *Path.cwd().parents]:
        if (directory / "benchmarks" / "frame.py").exists():
            return directory
    raise CommandFailed("benchmarks are not part of the installed package: run ./flint bench in a working copy")
