"""flint mqsireadlog: print the log of a broker, or its user trace.

    mqsireadlog BRK
    mqsireadlog BRK -e default -u
    mqsireadlog BRK -e default -u -o trace.xml

Without -u it is the log: unchanged lines, oldest first, with -e those of one execution group. With -u it is the user
trace, which mqsichangetrace switches on. With -o it is written as XML.

Exit codes: 0; 1 the broker does not exist.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from flintmq.cli import _broker

NAME = "mqsireadlog"
SUMMARY = "print the log of a broker, or its user trace"


def arguments(parser: argparse.ArgumentParser) -> None:
    _broker.broker_argument(parser)
    parser.add_argument("-e", metavar="GROUP", default="", help="execution group")
    parser.add_argument("-u", action="store_true", help="user trace only")
    parser.add_argument("-o", metavar="FILE", default="", help="write XML to this file")


def run(options: argparse.Namespace) -> int:
    place = _broker.located(options.broker)
    from flintmq.broker.admin import read_log

    entries = (read_log.read_trace if options.u else read_log.read_log)(place, options.e)
    if not options.o:
        for entry in entries:
            print(entry.line)
        return 0
    Path(options.o).write_bytes(read_log.as_xml(entries))
    return _broker.done()
