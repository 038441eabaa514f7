"""flint dspmqver: the classic name of `flint version`.

    dspmqver

It takes no options.
"""

from __future__ import annotations

import argparse

from flintmq.cli._version_text import print_version

NAME = "dspmqver"
SUMMARY = "the classic name of `flint version`"


def arguments(parser: argparse.ArgumentParser) -> None:
    """It has none."""


def run(options: argparse.Namespace) -> int:
    print_version()
    return 0
