"""flint setup: install the packages that a command of a working copy needs, before it is first used.

    flint setup broker
    flint setup spark
    flint setup test

    broker     XML, YAML and database libraries: for `./flint flow`, programs that use flintmq.broker
    spark      PySpark and its packages: for `./flint pipeline`, `./flint spark`, programs that use flintmq.pipeline
    test       test tools, linters and all the others: `./flint test`
    compile    the compiler of the hot modules, which is installed in the background otherwise
    release    what `./flint release wheels` needs

The commands install it themselves when they are first used. Programs that `./flint python` runs cannot, and a machine
without network may want it earlier. Where the package is installed by pip, use pip: `pip install 'flintmq[spark]'`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from flintmq.cli._failure import CommandFailed

NAME = "setup"
SUMMARY = "install what a command of a working copy needs, before it is first used"

STAGES = ("broker", "compile", "release", "spark", "test")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("stage", choices=STAGES, help="what to install")


def run(options: argparse.Namespace) -> int:
    home = os.environ.get("FLINT_HOME")
    if not home:
        raise CommandFailed(f"this is for working copies: use pip install 'flintmq[{options.stage}]'")
    program = Path(home) / "tools" / "environment.py"
    return subprocess.run([sys.executable, "-I", str(program), options.stage]).returncode
