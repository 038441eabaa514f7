"""flint spark: a Spark cluster on this machine, for trying the pipeline on one.

    flint spark up --workers 2
    flint pipeline run --smf dumps --out tables --master spark://127.0.0.1:7077
    flint spark down

The cluster is a standalone master with workers, started from the installed PySpark; it listens on 127.0.0.1 only.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from flintmq.cli._failure import CommandFailed

NAME = "spark"
SUMMARY = "start and end a Spark cluster on this machine"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["up", "down", "status"], help="start it, end it, or say what runs")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="worker processes (2)")
    parser.add_argument("--cores", type=int, default=1, metavar="N", help="cores of each worker (1)")
    parser.add_argument("--memory", default="1g", help="memory of each worker (1g)")
    parser.add_argument("--port", type=int, default=7077, help="of the master (7077)")
    parser.add_argument("--dir", type=Path, help="where logs and process ids are kept (a directory in /tmp)")


def run(options: argparse.Namespace) -> int:
    from flintmq.pipeline import cluster

    directory = options.dir or cluster.default_directory()
    if options.action == "up":
        made = cluster.up(directory, options.workers, options.cores, options.memory, options.port)
        print(f"{made.address} with {options.workers} workers; logs in {directory}")
        return 0
    found = cluster.find(directory)
    if found is None:
        raise CommandFailed(f"no cluster is up in {directory}")
    if options.action == "down":
        cluster.down(found)
        print(f"{found.address} is down")
        return 0
    for name, group in found.groups.items():
        print(f"{name:<12} {group:>8} {'running' if cluster.is_running(group) else 'ended'}")
    print(found.address)
    return 0
