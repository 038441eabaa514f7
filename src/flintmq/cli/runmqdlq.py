"""flint runmqdlq: take messages off a dead-letter queue as a rules table says.

    runmqdlq SYSTEM.DEAD.LETTER.QUEUE QM1 < rules.table
    printf 'WAIT(NO)\\nREASON(MQRC_Q_FULL) ACTION(RETRY)\\nACTION(FWD) FWDQ(REST)\\n' | runmqdlq
    runmqdlq -f rules.table

Without a name the queue is INPUTQ of the rules table, else DEADQ of the queue manager; the queue manager is INPUTQM,
else the default one. WAIT(NO) in the table ends the command when nothing is left to do; otherwise it goes on waiting
until it is interrupted. The queue manager may run or not.

Messages are put with your authority, or with PUTAUT(CTX) in a rule with that of the user in the message: use it where
others may put on the dead-letter queue, because such a message names its destination itself.

Exit codes: 0; 10 the rules table is wrong, every error with line and column; 20 the queue cannot be opened.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from typing import Protocol, cast

import flintmq
from flintmq.cli import _control
from flintmq.cli._failure import CommandFailed
from flintmq.client.dead_letter import Connected, DeadLetterHandler
from flintmq.client.queue_manager import QueueManager
from flintmq.client.remote.connect import connect_here
from flintmq.command.dead_letter_rules import RulesError, RulesTable, read_rules
from flintmq.host import instance
from flintmq.server.control import Control, NotRunning
from flintmq.server.process import guard

NAME = "runmqdlq"
SUMMARY = "handle the messages of a dead-letter queue by rules"
BAD_RULES = 10
COULD_NOT_RUN = 20


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("queue", nargs="?", help="the dead-letter queue")
    parser.add_argument("name", nargs="?", help="the queue manager")
    parser.add_argument("-f", metavar="FILE", help="read the rules table from this file, not from standard input")


def run(options: argparse.Namespace) -> int:
    try:
        table = read_rules(_text(options.f))
    except RulesError as error:
        for problem in error.problems:
            _control.refuse(problem, 0)
        count = len(error.problems)
        return _control.refuse(f"AMQ8758E: {count} error{'s' * (count > 1)} in the input to runmqdlq", BAD_RULES)
    except (OSError, UnicodeDecodeError) as error:
        return _control.refuse(f"AMQ8750E: no valid input to runmqdlq: {error}", COULD_NOT_RUN)
    return _handle(options, table)


def _text(path: str | None) -> str:
    if path is None:
        return sys.stdin.read()
    with open(path, encoding="utf-8") as file:
        return file.read()


def _handle(options: argparse.Namespace, table: RulesTable) -> int:
    try:
        qm = _opened(options.name or table.control.input_q_mgr or None)
        if qm is None:
            return COULD_NOT_RUN
        with closing(qm):
            DeadLetterHandler(qm, table, options.queue or "", _say).run()
    except KeyboardInterrupt:
        return 0  # The way to end WAIT(YES).
    except (flintmq.MQError, CommandFailed) as error:
        return _control.refuse(f"AMQ8745E: {error}", COULD_NOT_RUN)
    return 0


class _Closable(Connected, Protocol):
    def close(self) -> None:
        """Disconnect."""


def _opened(name: str | None) -> _Closable | None:
    """A connection if the queue manager runs, else the queue manager itself; None after having said why not."""
    try:
        place = instance.locate(_control.name_or_default(name))
        with Control(place):
            pass
        return cast(_Closable, connect_here(str(place.directory), NAME))
    except (NotRunning, flintmq.QueueManagerError):
        host = _control.open_or_refuse(name)
        if host is None:
            return None
        guard(host.engine, host.engine.entities)  # Else PUTAUT(CTX) would find every user authorised.
        return QueueManager(host, NAME)


def _say(line: str) -> None:
    print(line, flush=True)
