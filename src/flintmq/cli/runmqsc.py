"""flint runmqsc: run MQSC commands against a queue manager, whether strmqm has started it or nobody has it open.

    runmqsc QM1
    echo "DISPLAY QLOCAL(*) CURDEPTH WHERE(CURDEPTH GT 0)" | runmqsc QM1
    runmqsc -e -f queues.mqsc QM1

Commands come from a file or from standard input, until END or the end of input. MQPROMPT is the prompt at a terminal.
Without a name the default queue manager is meant. A name with a `/` in it is the path of a queue manager's directory.

Exit codes: 0 all well; 10 some command failed; 20 commands could not be run.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator

import flintmq
from flintmq.cli import _control
from flintmq.cli._failure import CommandFailed
from flintmq.client import commands, instance
from flintmq.server.control import Control, NotRunning, run_session

NAME = "runmqsc"
SUMMARY = "run MQSC commands against a queue manager"
COULD_NOT_RUN = 20


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="the queue manager (the default one)")
    parser.add_argument("-e", action="store_true", help="do not echo the commands")
    parser.add_argument("-f", metavar="FILE", help="read commands from this file")
    parser.add_argument("-v", action="store_true", help="check the commands and do not run them")


def run(options: argparse.Namespace) -> int:
    try:
        lines = _lines(options.f)
    except OSError as error:
        return _control.refuse(f"AMQ8101S: {error}", COULD_NOT_RUN)
    echo = not options.e and not (options.f is None and sys.stdin.isatty())
    try:
        with Control(instance.locate(_control.name_or_default(options.name))) as control:
            return run_session(control, lines, print, echo=echo, verify=options.v)
    except NotRunning:
        pass  # Then nobody else has it open, or that is told next.
    except (flintmq.QueueManagerError, CommandFailed) as error:
        return _control.refuse(f"AMQ8118E: {error}", COULD_NOT_RUN)
    except OSError as error:
        return _control.refuse(f"AMQ8146E: {error}", COULD_NOT_RUN)
    host = _control.open_or_refuse(options.name)
    if host is None:
        return COULD_NOT_RUN
    try:
        return commands.run_session(host, lines, print, echo=echo, verify=options.v)
    finally:
        host.close()


def _lines(path: str | None) -> Iterator[str]:
    if path is not None:
        with open(path, encoding="utf-8") as file:
            return iter(file.readlines())
    return _typed() if sys.stdin.isatty() else iter(sys.stdin)


def _typed() -> Iterator[str]:
    """Lines from a terminal, each after the prompt."""
    prompt = os.environ.get("MQPROMPT", "").replace("+QMNAME+", "")
    while True:
        try:
            yield input(prompt)
        except EOFError:
            return
