"""flint perf: run the workloads of the performance reports, and measure disk and peers.

    flint perf list
    flint perf show Z93-R01
    flint perf run Z93-R01 --repeats 3 -o runs/
    flint perf disk

A run is a directory of measurements (docs/internals/run-format.md) that can be looked at later and on another machine.
Queue managers of runs live in temporary directories and listen on 127.0.0.1 only. Ctrl-C ends a run and leaves it
valid. `flint perf run --help` and the like have the options of each action.
"""

from __future__ import annotations

import argparse

from flintmq.perf import command

NAME = "perf"
SUMMARY = "run performance workloads, and measure disk and peers"


def arguments(parser: argparse.ArgumentParser) -> None:
    command.arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Run the action. Return the exit code."""
    return command.run(options)
