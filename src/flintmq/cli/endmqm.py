"""flint endmqm: end a queue manager that strmqm has started.

    endmqm QM1
    endmqm -w QM1
    endmqm -i QM1
    endmqm -r -w QM1

Without an option, and with -c, it quiesces: nobody can connect any more, and it ends when the last application has
disconnected; the command does not wait for that, but with -w it does. With -i applications are disconnected and what
they did not commit is backed out. With -p it ends at once and recovers when it is next started. With -r clients that
reconnect by themselves are disconnected at once, so that they go elsewhere or come back; -i and -p do that in any case.

Exit codes: 0 done; 16 does not exist; 40 it is not running; 49 it has not ended in time; 71 anything unexpected.
"""

from __future__ import annotations

import argparse
import time

import flintmq
from flintmq.cli import _control
from flintmq.cli._failure import CommandFailed
from flintmq.host import instance
from flintmq.host.lock import holder_of
from flintmq.server import process
from flintmq.server.control import Control, NotRunning

NAME = "endmqm"
SUMMARY = "end a queue manager"

NOT_RUNNING = 40
STILL_ENDING = 49
_POLL_S = 0.02


def arguments(parser: argparse.ArgumentParser) -> None:
    how = parser.add_mutually_exclusive_group()
    how.add_argument("-c", action="store_true", help="quiesce (the default)")
    how.add_argument("-w", action="store_true", help="quiesce, and wait until it has ended")
    how.add_argument("-i", action="store_true", help="disconnect applications, back out their work")
    how.add_argument("-p", action="store_true", help="end at once")
    parser.add_argument("-r", action="store_true", help="let clients that reconnect do so")
    parser.add_argument("-t", metavar="SECONDS", type=float, default=60.0, help="wait no longer than this (60)")
    parser.add_argument("name", nargs="?", help="the queue manager (the default one)")


def run(options: argparse.Namespace) -> int:
    try:
        place = instance.locate(_control.name_or_default(options.name))
    except (flintmq.QueueManagerError, CommandFailed) as error:
        return _control.refuse(f"AMQ8118E: {error}", _control.DOES_NOT_EXIST)
    if not place.exists():
        return _control.refuse(f"AMQ8118E: queue manager {place.name} does not exist", _control.DOES_NOT_EXIST)
    how = process.IMMEDIATE if options.i else process.PREEMPTIVE if options.p else process.QUIESCE
    if options.r and how == process.QUIESCE:
        how = process.RECONNECT
    try:
        with Control(place) as control:
            control.ask({"do": "end", "how": how})
    except NotRunning:
        holder = holder_of(place.lock_path)
        who = f"; it is open in {holder}, which must close it" if holder is not None else ""
        return _control.refuse(f"AMQ8146E: queue manager {place.name} is not running{who}", NOT_RUNNING)
    except OSError as error:
        return _control.refuse(f"AMQ6119S: {error}", _control.UNEXPECTED)
    if how in (process.QUIESCE, process.RECONNECT) and not options.w:
        print(f"Quiesce request accepted. Queue manager '{place.name}' ends when all applications have disconnected.")
        return 0
    print(f"Waiting for queue manager '{place.name}' to end.")
    if not _ended(place, options.t):
        return _control.refuse(f"queue manager {place.name} has not ended after {options.t:g} seconds", STILL_ENDING)
    print(f"FlintMQ queue manager '{place.name}' ended.")
    return 0


def _ended(place: instance.Instance, timeout_s: float) -> bool:
    until = time.monotonic() + timeout_s
    while holder_of(place.lock_path) is not None:
        if time.monotonic() > until:
            return False
        time.sleep(_POLL_S)
    return True
