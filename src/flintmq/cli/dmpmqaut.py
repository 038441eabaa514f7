"""flint dmpmqaut: list authority records.

    dmpmqaut -m QM1
    dmpmqaut -m QM1 -n ORDERS.IN -t queue -p alice
    dmpmqaut -m QM1 -n 'ORDERS.**' -t queue -x

With a name, those profiles are listed that are for the object of this name; with -x the one that is called so.

Exit codes: 0; 36 bad argument; 40 the queue manager is not available; 72 there is none of that name; 148 bad type.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _authority, _control
from flintmq.command.dump import quoted

NAME = "dmpmqaut"
SUMMARY = "list authority records"
NOT_FOUND = "AMQ8884E"


def arguments(parser: argparse.ArgumentParser) -> None:
    group = _authority.arguments(parser)
    group.add_argument("-l", action="store_true", help="the names of profiles and types only")
    group.add_argument("-x", action="store_true", help="the profile that is called so, and no other")


def run(options: argparse.Namespace) -> int:
    words = ["DISPLAY AUTHREC"]
    if options.t:
        words.append(f"OBJTYPE({_authority.object_type(options.t)})")
    if options.n:
        words.append(f"PROFILE({quoted(options.n)}) MATCH({'EXACT' if options.x else 'MATCHING'})")
    for keyword, entities in (("PRINCIPAL", options.p), ("GROUP", options.g)):
        if len(entities) > 1:
            return _control.refuse("one -p or -g may be given", _authority.BAD_ARGUMENT)
        words += [f"{keyword}({quoted(each)})" for each in entities]
    found = _authority.ask(options.m, " ".join(words))
    if found.problem.startswith(NOT_FOUND):
        return 0
    if found.problem:
        return _control.refuse(found.problem, _authority.BAD_ARGUMENT)
    text = _authority.text
    if options.l:
        for profile, kind in dict.fromkeys((text(row, "PROFILE"), text(row, "OBJTYPE").lower()) for row in found.rows):
            print(f"profile: {profile}, object type: {kind}")
        return 0
    for row in found.rows:
        print(f"profile:     {text(row, 'PROFILE')}")
        print(f"object type: {text(row, 'OBJTYPE').lower()}")
        print(f"entity:      {text(row, 'ENTITY')}")
        print(f"entity type: {text(row, 'ENTTYPE').lower()}")
        print(f"authority:   {' '.join(_authority.authorities(row)).lower()}")
        print("- - - - - - - -")
    return 0
