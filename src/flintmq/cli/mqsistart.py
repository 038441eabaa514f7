"""flint mqsistart: start a broker.

    mqsistart BRK
    mqsistart --foreground BRK

The broker runs in a process of its own until mqsistop ends it, with a process for each worker of its execution
groups. Groups, applications and flows that were stopped stay stopped. Its messages are in its log:
mqsireadlog shows it. While the queue manager is not running, the workers retry.

Exit codes: 0; 1 the broker does not exist, is running, or has not started.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _broker

NAME = "mqsistart"
SUMMARY = "start a broker"


def arguments(parser: argparse.ArgumentParser) -> None:
    _broker.broker_argument(parser)
    parser.add_argument("--foreground", action="store_true", help="serve in this process, until it is ended")
    parser.add_argument("--ready-fd", type=int, help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    place = _broker.located(options.broker)
    from flintmq.broker.admin import messages, process

    if options.foreground:
        process.run_in_foreground(place, options.ready_fd, lambda: print(messages.line(8096, place.name), flush=True))
        return 0
    process.start(place)
    print(messages.line(8096, place.name))
    return 0
