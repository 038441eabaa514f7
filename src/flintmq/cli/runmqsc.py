"""flint runmqsc: run MQSC commands against a queue manager, whether strmqm has started it or nobody has it open.

    runmqsc QM1
    echo "DISPLAY QLOCAL(*) CURDEPTH WHERE(CURDEPTH GT 0)" | runmqsc QM1
    runmqsc -e -f queues.mqsc QM1
    MQSERVER='DEV.ADMIN.SVRCONN/TCP/host(1414)' runmqsc -c -u admin QM1

Commands come from a file or from standard input, until END or the end of input. At a terminal lines can be edited, the
Tab key completes commands, keywords and names, earlier commands come back (but none with a password), and answers fit
the window; `DEFINE QLOCAL ?` shows the keywords of a command. -p, or else MQPROMPT, is the prompt at
a terminal: +QMNAME+ in it is the queue manager, +HOME+ an environment variable. Without a name the default queue
manager is meant. A name with a `/` in it is the path of a queue manager's directory.

With -c the queue manager is reached as a client reaches it, by MQSERVER, a channel definition table or mqclient.ini,
and its command server answers. -u is the user, and needs -c; the password is asked for, or is the first line of
standard input.

Exit codes: 0 all well; 10 some command failed; 20 commands could not be run.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator

import flintmq
from flintmq.cli import _control, _terminal
from flintmq.cli._client_interpreter import ClientInterpreter
from flintmq.cli._failure import CommandFailed
from flintmq.cli._samples import password
from flintmq.client import commands
from flintmq.command.completion import Names
from flintmq.command.rows import CommandRows
from flintmq.host import instance
from flintmq.mqi.printable import printable
from flintmq.server.control import Control, NotRunning, run_command, run_session

NAME = "runmqsc"
SUMMARY = "run MQSC commands against a queue manager"
COULD_NOT_RUN = 20

#: What MQ's has and ours cannot do -> why, and what to do instead.
_MISSING = {
    "w": "-w sends commands through another queue manager, for which there are no message channels; use -c",
    "x": "-x is for z/OS queue managers behind another queue manager; use -c",
    "m": "-m names the queue manager that -w sends commands through; give the name alone, or use -c",
    "n": "-n edits a binary channel definition table; tables are JSON here, edit the file",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="the queue manager (the default one)")
    parser.add_argument("-c", action="store_true", help="connect as a client does")
    parser.add_argument("-u", metavar="USER", help="the user, with -c; the password is asked for")
    parser.add_argument("-e", action="store_true", help="do not echo the commands")
    parser.add_argument("-f", metavar="FILE", help="read commands from this file")
    parser.add_argument("-p", metavar="PROMPT", help="the prompt at a terminal (MQPROMPT)")
    parser.add_argument("-v", action="store_true", help="check the commands and do not run them")
    parser.add_argument("-w", help=argparse.SUPPRESS)
    parser.add_argument("-m", help=argparse.SUPPRESS)
    parser.add_argument("-x", action="store_true", default=None, help=argparse.SUPPRESS)
    parser.add_argument("-n", action="store_true", default=None, help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    for option, why in _MISSING.items():
        if getattr(options, option) is not None:
            return _control.refuse(why, COULD_NOT_RUN)
    if options.u and not options.c:
        return _control.refuse("-u needs -c: on this machine you are who the operating system says", COULD_NOT_RUN)
    echo = not options.e and not (options.f is None and sys.stdin.isatty())
    if options.c:
        return _as_client(options, echo)
    try:
        place = instance.locate(_control.name_or_default(options.name))
        lines = _lines(options, place.name, lambda noun, begin: _names(_ask_process(place, noun, begin)))
        with Control(place) as control:
            return run_session(control, lines, _terminal.write, echo=echo, verify=options.v, width=_terminal.width())
    except NotRunning:
        pass  # Then nobody else has it open, or that is told next.
    except _NoInput as error:
        return _control.refuse(f"AMQ8101S: {error}", COULD_NOT_RUN)
    except (flintmq.QueueManagerError, CommandFailed) as error:
        return _control.refuse(f"AMQ8118E: {error}", COULD_NOT_RUN)
    except BrokenPipeError:
        raise
    except OSError as error:
        return _control.refuse(f"AMQ8146E: {error}", COULD_NOT_RUN)
    host = _control.open_or_refuse(options.name)
    if host is None:
        return COULD_NOT_RUN
    opened = host

    def names(noun: str, begin: str) -> list[str]:
        return _names(commands.run_rows(opened, _display(noun, begin)))

    try:
        lines = _lines(options, host.engine.name, names)
        width = _terminal.width()
        return commands.run_session(host, lines, _terminal.write, echo=echo, verify=options.v, width=width)
    finally:
        host.close()


def _as_client(options: argparse.Namespace, echo: bool) -> int:
    secret = password() if options.u else ""
    try:
        with flintmq.connect(options.name or "", user=options.u or "", password=secret, application=NAME) as qm:
            session = ClientInterpreter(qm, _terminal.write, echo=echo, verify=options.v)
            return session.run(_lines(options, qm.name, lambda noun, begin: []))
    except _NoInput as error:
        return _control.refuse(f"AMQ8101S: {error}", COULD_NOT_RUN)
    except flintmq.MQError as error:
        return _control.refuse(f"AMQ8146E: {error}", COULD_NOT_RUN)


class _NoInput(Exception):
    """The file of -f cannot be read."""


def _lines(options: argparse.Namespace, q_mgr: str, names: Names) -> Iterator[str]:
    """Return the commands, line by line; `names` finds objects for completion. Raises _NoInput."""
    if options.f is not None:
        try:
            with open(options.f, encoding="utf-8") as file:
                return iter(file.readlines())
        except (OSError, UnicodeDecodeError) as error:
            raise _NoInput(str(error)) from None
    if _terminal.is_interactive():
        return _terminal.typed(_prompt(options.p, q_mgr), names)
    return _typed(_prompt(options.p, q_mgr)) if sys.stdin.isatty() else iter(sys.stdin)


def _display(noun: str, begin: str) -> str:
    return f"DISPLAY {noun}('{begin}*')"


def _ask_process(place: instance.Instance, noun: str, begin: str) -> CommandRows:
    """Display the objects of a queue manager process with names that begin with `begin`."""
    with Control(place) as control:
        return run_command(control, _display(noun, begin))


def _names(found: CommandRows) -> list[str]:
    """Return the names in a reply to DISPLAY: the first attribute of each row."""
    return [printable(str(next(iter(row.values())))) for row in found.rows]


def _prompt(given: str | None, q_mgr: str) -> str:
    """The prompt, with +QMNAME+ and +VARIABLE+ replaced; other text stays."""
    text = os.environ.get("MQPROMPT", "") if given is None else given
    known = {**os.environ, "QMNAME": q_mgr}
    return re.sub(r"\+(\w+)\+", lambda found: known.get(found[1], found[0]), text)


def _typed(prompt: str) -> Iterator[str]:
    """Lines from a terminal, each after the prompt."""
    while True:
        try:
            yield input(prompt)
        except EOFError:
            return
