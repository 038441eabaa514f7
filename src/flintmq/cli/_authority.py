"""The common base of setmqaut, dspmqaut and dmpmqaut: words for types of objects, questions to the queue manager.

They are commands of MQSC in other words (SET AUTHREC, DISPLAY ENTAUTH, DISPLAY AUTHREC): a queue manager that runs is
asked through its control socket, one that does not is opened for it.
"""

from __future__ import annotations

import argparse

import flintmq
from flintmq.catalogue.authorities import AUTHORITY_TYPES
from flintmq.cli import _control
from flintmq.cli._failure import CommandFailed
from flintmq.client import commands
from flintmq.command.administration import Row
from flintmq.command.dump import quoted
from flintmq.command.rows import CommandRows
from flintmq.host import instance
from flintmq.mqi.printable import printable
from flintmq.server.control import Control, NotRunning, run_command

BAD_ARGUMENT = 36
NOT_AVAILABLE = 40
NAME_MISSING = 146
BAD_TYPE = 148
ENTITY_MISSING = 149
AUTHORITY_MISSING = 150

#: Words of -t -> OBJTYPE.
TYPES = {word: authority.object_type for authority in AUTHORITY_TYPES.values() for word in authority.words}


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


def ask(name: str | None, command: str) -> CommandRows:
    """Run one command. Raises CommandFailed if the queue manager cannot be reached or opened."""
    try:
        place = instance.locate(_control.name_or_default(name))
        with Control(place) as control:
            return run_command(control, command)
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
        return commands.run_rows(host, command)
    finally:
        host.close()


def text(row: Row, keyword: str) -> str:
    """Return an attribute as text, safe for a terminal."""
    return printable(str(row[keyword]))


def authorities(row: Row) -> list[str]:
    """Return the words of AUTHLIST; ["NONE"] for no authority."""
    words = row["AUTHLIST"]
    return words if isinstance(words, list) else [str(words)]
