"""flint mqsireportflowstats: show the statistics settings of message flows.

    mqsireportflowstats BRK -s -e default -j
    mqsireportflowstats BRK -a -g -j
    mqsireportflowstats BRK -a -e default -k Shop -f shop.Orders

Prints a line for each flow: whether it is collected, with threads, nodes and accounting origins, and its outputs.

Exit codes: 0; 1 the object does not exist.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _broker

NAME = "mqsireportflowstats"
SUMMARY = "show the statistics settings of message flows"


def arguments(parser: argparse.ArgumentParser) -> None:
    _broker.broker_argument(parser)
    _broker.stream_arguments(parser)
    _broker.flow_arguments(parser)


def run(options: argparse.Namespace) -> int:
    stream = "SnapShot" if options.s else "Archive"
    return _broker.send(options.broker, "report statistics", stream=stream, **_broker.flow_fields(options))
