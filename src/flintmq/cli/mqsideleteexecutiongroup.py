"""flint mqsideleteexecutiongroup: delete an execution group and its deployments.

    mqsideleteexecutiongroup BRK -e default

Messages under way are finished.

Exit codes: 0; 1 the broker or the group does not exist.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _broker

NAME = "mqsideleteexecutiongroup"
SUMMARY = "delete an execution group and its deployments"


def arguments(parser: argparse.ArgumentParser) -> None:
    _broker.broker_argument(parser)
    parser.add_argument("-e", metavar="GROUP", required=True, help="execution group")


def run(options: argparse.Namespace) -> int:
    return _broker.send(options.broker, "delete group", group=options.e)
