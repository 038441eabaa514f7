"""flint version: say which FlintMQ this is, and whether its hot modules are compiled.

    flint version

BuildType is `compiled` or `plain Python`: the same files run either way.
"""

from __future__ import annotations

import argparse

from flintmq.cli._version_text import print_version

NAME = "version"
SUMMARY = "say which FlintMQ this is and how it was built"


def arguments(parser: argparse.ArgumentParser) -> None:
    """It has none."""


def run(options: argparse.Namespace) -> int:
    print_version()
    return 0
