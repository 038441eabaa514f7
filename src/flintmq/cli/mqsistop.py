"""flint mqsistop: stop a broker.

    mqsistop BRK
    mqsistop -i BRK

Messages under way are finished. With -i the broker is killed; the queue manager backs out open units of work.

Exit codes: 0; 1 the broker does not exist, or is not running.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _broker

NAME = "mqsistop"
SUMMARY = "stop a broker"


def arguments(parser: argparse.ArgumentParser) -> None:
    _broker.broker_argument(parser)
    parser.add_argument("-i", action="store_true", help="do not wait for messages under way")


def run(options: argparse.Namespace) -> int:
    place = _broker.located(options.broker)
    from flintmq.broker.admin import messages, process

    if not process.stop(place, options.i) and not options.i:
        print(messages.line(8024, place.name, process.STOP_WAIT_S))
    return _broker.done()
