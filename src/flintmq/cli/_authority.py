"""What setmqaut, dspmqaut and dmpmqaut share: their words for types of objects, and how they ask the queue manager.

They are commands of MQSC in other words (SET AUTHREC, DISPLAY ENTAUTH, DISPLAY AUTHREC): a queue manager that runs is
asked through its control socket, one that does not is opened for it.
"""

from __future__ import annotations

import argparse
import re

import flintmq
from flintmq.cli import _control
from flintmq.cli._failure import CommandFailed
from flintmq.client import commands
from flintmq.command.dump import quoted
from flintmq.host import instance
from flintmq.server.control import Control, NotRunning, run_session

BAD_ARGUMENT = 36
NOT_AVAILABLE = 40
NAME_MISSING = 146
BAD_TYPE = 148
ENTITY_MISSING = 149
AUTHORITY_MISSING = 150

#: Words of -t -> OBJTYPE.
TYPES = {
    "authinfo": "AUTHINFO",
    "ai": "AUTHINFO",
    "channel": "CHANNEL",
    "chl": "CHANNEL",
    "clntconn": "CLNTCONN",
    "clcn": "CLNTCONN",
    "comminfo": "COMMINFO",
    "listener": "LISTENER",
    "lstr": "LISTENER",
    "namelist": "NAMELIST",
    "nl": "NAMELIST",
    "process": "PROCESS",
    "prcs": "PROCESS",
    "queue": "QUEUE",
    "q": "QUEUE",
    "qmgr": "QMGR",
    "rqmname": "RQMNAME",
    "rqm": "RQMNAME",
    "service": "SERVICE",
    "srvc": "SERVICE",
    "topic": "TOPIC",
    "top": "TOPIC",
}


def arguments(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """-m, -n, -t, -p, -g and -s."""
    group = parser.add_argument_group("as in MQ")
    group.add_argument("-m", metavar="NAME", help="the queue manager (the default one)")
    group.add_argument("-n", metavar="PROFILE", help="the object, or a profile with ?, * and **")
    group.add_argument("-t", metavar="TYPE", help=f"type of object: {', '.join(TYPES)}")
    group.add_argument("-p", metavar="USER", action="append", default=[], help="a user")
    group.add_argument("-g", metavar="GROUP", action="append", default=[], help="a group")
    group.add_argument("-s", metavar="COMPONENT", help="accepted; there is one authority service")
    return group


def object_type(word: str | None) -> str:
    """OBJTYPE for the word after -t; CommandFailed if it is none."""
    found = TYPES.get((word or "").lower())
    if found is None:
        raise CommandFailed(f"AMQ7094E: -t takes {', '.join(TYPES)}, not {word!r}", BAD_TYPE)
    return found


def subject(options: argparse.Namespace) -> str:
    """PROFILE(...) OBJTYPE(...); CommandFailed if there is no name where one is needed."""
    kind = object_type(options.t)
    if kind == "QMGR":
        return "OBJTYPE(QMGR)"
    if not options.n:
        raise CommandFailed("AMQ7092E: -n says which object is meant", NAME_MISSING)
    return f"PROFILE({quoted(options.n)}) OBJTYPE({kind})"


def ask(name: str | None, lines: list[str]) -> list[str]:
    """Run commands and return what they answer. CommandFailed if that cannot be done."""
    said: list[str] = []
    try:
        place = instance.locate(_control.name_or_default(name))
        with Control(place) as control:
            run_session(control, lines, said.append, echo=False, verify=False)
        return said
    except NotRunning:
        pass
    except flintmq.QueueManagerError as error:
        raise CommandFailed(f"AMQ8118E: {error}", _control.BAD_NAME) from None
    except OSError as error:
        raise CommandFailed(f"AMQ8146E: {error}", NOT_AVAILABLE) from None
    host = _control.open_or_refuse(name)
    if host is None:
        raise CommandFailed("", NOT_AVAILABLE)
    try:
        commands.run_session(host, lines, said.append, echo=False, verify=False)
    finally:
        host.close()
    return said


def failure(said: list[str]) -> str:
    """The first line that is an error; "" if there is none."""
    return next((line for line in said if re.match(r"AMQ\d{4}[ES]", line) or line.startswith("AMQ8405")), "")


def rows(said: list[str]) -> list[dict[str, str]]:
    """The attributes that were shown, one dictionary for each answer."""
    found: list[dict[str, str]] = []
    for line in said:
        if re.match(r"AMQ\d{4}I: Display", line):
            found.append({})
        elif found:
            found[-1].update(re.findall(r"([A-Z]+)\(([^()]*)\)", line))
    return found
