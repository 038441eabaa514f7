"""flint dspmq: list the queue managers and how they are.

    dspmq
    dspmq -m QM1 -n
    dspmq -o all

A queue manager is Running while some process has it open; else it has Ended normally, or unexpectedly when the process
that had it open ended without closing it.

Exit codes: 0; 36 bad argument; 72 there is no queue manager of that name.
"""

from __future__ import annotations

import argparse

import flintmq
from flintmq.cli import _control
from flintmq.cli._version_text import installation_path
from flintmq.host import instance
from flintmq.host.lock import holder_of

NAME = "dspmq"
SUMMARY = "list the queue managers and how they are"

#: STATUS( begins at this offset; scripts cut there.
STATUS_OFFSET = 58
BAD_ARGUMENT = 36
OPTIONS = ("all", "default", "installation", "nativeha", "standby", "status")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", metavar="NAME", help="only this one")
    parser.add_argument("-o", metavar="WHAT", action="append", default=[], help=f"show more: {', '.join(OPTIONS)}")
    parser.add_argument("-n", action="store_true", help="status in upper case, not translated")
    parser.add_argument("-s", action="store_true", help="show the status (the default)")
    parser.add_argument("-x", action="store_true", help="show the process that has it open")


def run(options: argparse.Namespace) -> int:
    wrong = [word for word in options.o if word not in OPTIONS]
    if wrong:
        return _control.refuse(f"-o takes {', '.join(OPTIONS)}, not {wrong[0]!r}", BAD_ARGUMENT)
    found = instance.instances()
    if options.m:
        found = [each for each in found if each.name == options.m]
        if not found:
            text = f"AMQ7048E: the queue manager name {options.m!r} is either not valid or not known"
            return _control.refuse(text, _control.BAD_NAME)
    default = instance.default_name()
    for each in found:
        print(_line(each, options, each.name == default))
        holder = holder_of(each.lock_path) if options.x else None
        if holder is not None:
            print(f"    INSTANCE({holder.host or 'unknown'}) MODE(Active) PID({holder.pid}) PROGRAM({holder.program})")
    return 0


def _line(each: instance.Instance, options: argparse.Namespace, is_default: bool) -> str:
    everything = "all" in options.o
    status = instance.status(each)
    parts: list[str] = []
    if not options.o or everything or "status" in options.o or options.s:
        parts.append(f"STATUS({status.upper() if options.n else status})")
    if everything or "default" in options.o:
        parts.append(f"DEFAULT({'yes' if is_default else 'no'})")
    if everything or "standby" in options.o:
        parts.append("STANDBY(Not permitted)")
    if everything or "installation" in options.o:
        parts.append(f"INSTNAME(FlintMQ) INSTPATH({installation_path()}) INSTVER({flintmq.__version__})")
    if "nativeha" in options.o:
        parts.append("ROLE(Active)" if status == instance.RUNNING else "ROLE(Not configured)")
    return f"QMNAME({each.name})".ljust(STATUS_OFFSET) + " ".join(parts)
