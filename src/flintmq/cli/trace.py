"""flint trace: read trace files.

    flint trace format QM1
    flint trace format --call MQPUT --failed QM1
    flint trace format /var/tmp/QM1.TRC

START TRACE(GLOBAL) in runmqsc begins a trace of the calls of all applications, START TRACE(CHINIT) one of the data that
goes over channels, and STOP TRACE(*) ends both. They go to `trace/` in the queue manager's directory, to a file that is
written over from its beginning when it is full: a trace may run for as long as it takes. `format` prints it, the oldest
record first, also while it is written. Messages and passwords are not in it; START TRACE(GLOBAL) TDATA(MSGDATA) adds
the first 138 bytes of each message.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from flintmq.cli._failure import CommandFailed
from flintmq.host import instance
from flintmq.mqi.printable import printable
from flintmq.mqi.trace_words import CALL_NAMES
from flintmq.telemetry.trace_file import NotATrace, read
from flintmq.telemetry.trace_format import lines

NAME = "trace"
SUMMARY = "print what START TRACE(GLOBAL) and START TRACE(CHINIT) have recorded"


def arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="what", required=True, metavar="format")
    form = what.add_parser("format", help="print a trace")
    form.add_argument("--call", metavar="NAME", help="only this call of the MQI: MQPUT, MQGET ...")
    form.add_argument("--task", type=int, metavar="N", help="only this task, or this socket")
    form.add_argument("--failed", action="store_true", help="only calls that did not end with MQCC_OK")
    form.add_argument("trace", help="a queue manager, or a trace file")


def run(options: argparse.Namespace) -> int:
    call = 0
    if options.call:
        if options.call.upper() not in CALL_NAMES[1:]:
            raise CommandFailed(f"--call {options.call}: there are {', '.join(CALL_NAMES[1:])}", exit_code=2)
        call = CALL_NAMES.index(options.call.upper())
    try:
        for path in files(options.trace):
            wanted = (
                event
                for event in read(path)
                if (not call or event.call == call)
                and (options.task is None or event.task == options.task)
                and (not options.failed or event.completion)
            )
            for text in lines(wanted):
                print(printable(text))
    except NotATrace as error:
        raise CommandFailed(str(error)) from None
    return 0


def files(given: str) -> list[Path]:
    """The file that is named, or those of the queue manager that is."""
    if os.sep in given or Path(given).is_file():
        return [Path(given)]
    found = sorted((instance.by_name(given).directory / "trace").glob("*.TRC"))
    if not found:
        raise CommandFailed(f"queue manager {given} has no trace: START TRACE(GLOBAL) in runmqsc begins one")
    return found
