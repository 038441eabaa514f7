"""flint setmqaut: give authorities on objects to users and groups, or take them away.

    setmqaut -m QM1 -t qmgr -p alice +connect +inq
    setmqaut -m QM1 -n 'ORDERS.**' -t queue -p alice -g clerks +put -get
    setmqaut -m QM1 -n ORDERS.IN -t queue -p alice -remove

Authorities: altusr browse chg clr connect crt ctrl ctrlx dlt dsp get inq passall passid pub put resume set setall
setid sub system, and all, alladm, allmqi, none; with + they are given, with - taken away. -remove deletes the record.
A change holds at once. The profile may have wildcards: ? for a character, * for a qualifier or a part of one, ** once
for any number of them. The queue manager may run or not.

Users and groups must be known to the operating system, or to the queue manager (flint user). -remove does
not ask.

Exit codes: 0; 36 bad argument, or a user or group that is not known; 40 the queue manager is not available; 72 there is
none of that name; 146 name missing; 148 bad type; 149 user or group missing; 150 authority missing; 151 not an
authority, or the queue manager refused.
"""

from __future__ import annotations

import argparse
from typing import NoReturn

from flintmq.catalogue.authorities import NONE, WORDS
from flintmq.cli import _authority, _control
from flintmq.cli._failure import CommandFailed
from flintmq.command.dump import quoted

NAME = "setmqaut"
SUMMARY = "give authorities on objects to users and groups, or take them away"
REFUSED = 151


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.prefix_chars = "-+"
    _authority.arguments(parser)
    for word in (*WORDS, "ALL", "ALLADM", "ALLMQI", NONE):
        for sign, where in (("+", "given"), ("-", "taken")):
            parser.add_argument(
                sign + word.lower(), dest=where, action="append_const", const=word, default=[], help=argparse.SUPPRESS
            )
    parser.add_argument("-remove", action="store_true", help="delete the record")
    parser.error = _wrong  # type: ignore[method-assign]  # Scripts look for the numbers and exit codes of MQ.


def _wrong(message: str) -> NoReturn:
    """Arguments that argparse does not understand."""
    unknown = message.removeprefix("unrecognized arguments: ")
    if unknown != message:
        raise CommandFailed(f"AMQ7097E: {unknown}: not an authority; setmqaut --help lists them", REFUSED)
    raise CommandFailed(f"AMQ7077E: {message}", _authority.BAD_ARGUMENT)


def run(options: argparse.Namespace) -> int:
    if not options.p and not options.g:
        return _control.refuse("AMQ7095E: -p or -g says whose authority is meant", _authority.ENTITY_MISSING)
    if not options.remove and not options.given and not options.taken:
        return _control.refuse("AMQ7096E: no authority was named, such as +put", _authority.AUTHORITY_MISSING)
    words = ["DELETE" if options.remove else "SET", "AUTHREC", _authority.subject(options)]
    for keyword, entities in (("PRINCIPAL", options.p), ("GROUP", options.g)):
        if entities:
            words.append(f"{keyword}({','.join(quoted(each) for each in entities)})")
    for keyword, authorities in (("AUTHADD", options.given), ("AUTHRMV", options.taken)):
        if authorities and not options.remove:
            words.append(f"{keyword}({','.join(authorities)})")
    why = _authority.ask(options.m, " ".join(words)).problem
    if why.startswith("AMQ8871E"):
        return _control.refuse(f"AMQ7026E{why.removeprefix('AMQ8871E')}", _authority.BAD_ARGUMENT)
    if why:
        return _control.refuse(why, REFUSED)
    print("The setmqaut command completed successfully.")
    return 0
