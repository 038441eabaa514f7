"""flint python: the Python that FlintMQ runs with, for programs that `import flintmq`, whatever is installed elsewhere.

    flint python program.py
    flint python -c 'import flintmq; print(flintmq.__version__)'
    flint python

The arguments behind it go to Python as they are. A working copy needs nothing else to run the examples of the
documentation; where the package is installed it is the Python of that installation.

Exit codes: those of the program.
"""

from __future__ import annotations

import argparse
import os
import sys

NAME = "python"
SUMMARY = "run a Python program that imports flintmq"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", nargs=argparse.REMAINDER, help="the program and its arguments, as Python takes them")
    parser.set_defaults(explanation=parser.format_help())
    parser.prefix_chars = "\0"  # Nothing is an option of ours, `-c` neither; but for help, which run() looks for.


def run(options: argparse.Namespace) -> int:
    if options.words[:1] in (["-h"], ["--help"]):
        print(options.explanation, end="")
        raise SystemExit(0)
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, *options.words])
