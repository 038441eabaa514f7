"""flint release: build the published files: a source archive and a wheel with the compiled modules.

    flint release wheels
    flint release wheels --out /tmp/dist

The wheel is for the running Python and for this platform. It has the libraries that the launcher has compiled, so that
nothing is compiled twice. Where auditwheel can tell which systems it runs on, its name says so (manylinux). Before its
name is printed, it is installed in an empty environment in which there is no C compiler, and must run compiled there.
Only a working copy can build it.

Exit codes: 0 built and tried; 1 it could not be built, or it does not run compiled.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import Any

from flintmq.cli._failure import CommandFailed
from flintmq.cli.bench import working_copy

NAME = "release"
SUMMARY = "build a source archive and a wheel with compiled modules"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=["wheels"], help="what to build")
    parser.add_argument("--out", type=Path, help="where it goes (dist/ of the working copy)")


def run(options: argparse.Namespace) -> int:
    home = working_copy()
    if str(home) not in sys.path:
        sys.path.append(str(home))
    release: Any = importlib.import_module("tools.release")
    try:
        made = release.wheels((options.out or home / "dist").absolute())
    except release.ReleaseFailed as error:
        raise CommandFailed(str(error)) from None
    for path in made:
        print(path)
    return 0
