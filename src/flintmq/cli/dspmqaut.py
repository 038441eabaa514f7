"""flint dspmqaut: show the authorities of a user or a group for an object, all records and groups considered.

    dspmqaut -m QM1 -t qmgr -p alice
    dspmqaut -m QM1 -n ORDERS.IN -t queue -g clerks

Exit codes: 0; 36 bad argument; 40 the queue manager is not available; 72 there is none of that name; 146 name missing;
148 bad type; 149 user or group missing.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _authority, _control
from flintmq.command.dump import quoted

NAME = "dspmqaut"
SUMMARY = "show what a user or a group may do with an object"


def arguments(parser: argparse.ArgumentParser) -> None:
    _authority.arguments(parser)


def run(options: argparse.Namespace) -> int:
    entities = [("PRINCIPAL", each) for each in options.p] + [("GROUP", each) for each in options.g]
    if len(entities) != 1:
        return _control.refuse("AMQ7095E: one -p or -g says whose authority is meant", _authority.ENTITY_MISSING)
    (keyword, entity), kind = entities[0], _authority.object_type(options.t)
    _authority.subject(options)
    name = f" OBJNAME({quoted(options.n)})" if kind != "QMGR" else ""
    found = _authority.ask(options.m, f"DISPLAY ENTAUTH {keyword}({quoted(entity)}) OBJTYPE({kind}){name}")
    if found.problem:
        return _control.refuse(found.problem, _authority.BAD_ARGUMENT)
    for row in found.rows:
        words = [word for word in _authority.authorities(row) if word != "NONE"]
        what = "has the following authorizations" if words else "has no authorizations"
        print(f"Entity {entity} {what} for object {_authority.text(row, 'OBJNAME')}:")
        for word in words:
            print(f"\t{word.lower()}")
    return 0
