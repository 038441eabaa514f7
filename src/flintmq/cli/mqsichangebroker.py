"""flint mqsichangebroker: change the queue manager of a broker, how it is reached, and the interval of statistics.

    mqsichangebroker BRK -q QM2
    mqsichangebroker BRK -v 15
    mqsichangebroker BRK --conn "mq2.example(1414)" --user app --password-variable APP_PASSWORD

Options that are not given stay as they are. A running broker finishes its messages and connects anew. -v is
the archive interval of flow statistics in minutes, 1 to 43200.

Exit codes: 0; 1 the broker does not exist.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _broker

NAME = "mqsichangebroker"
SUMMARY = "change the queue manager of a broker, how it is reached, and the interval of statistics"


def arguments(parser: argparse.ArgumentParser) -> None:
    _broker.broker_argument(parser)
    parser.add_argument("-q", metavar="QMGR", default="", help="queue manager")
    parser.add_argument("-v", metavar="MINUTES", type=float, default=0, help="archive interval of flow statistics")
    _broker.connection_arguments(parser)


def run(options: argparse.Namespace) -> int:
    values = _broker.connection(options)
    if options.q:
        values["name"] = options.q
    if options.v:
        if not values:
            return _broker.send(options.broker, "change statistics interval", minutes=options.v)
        code = _broker.send_plainly(options.broker, "change statistics interval", minutes=options.v)
        if code:
            return code
    return _broker.send(options.broker, "change properties", object="QueueManager", values=values)
