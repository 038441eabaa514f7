"""flint dspmqver: which FlintMQ this is, as `flint version` says it, or some of that for a script.

    dspmqver
    dspmqver -b -f 2
    dspmqver -f 3

-f takes the sum of the numbers of what is wanted: 1 name, 2 version, 8 build type, 16 platform, 32 mode, 64 operating
system, 128 installation path, 512 installation name, 1024 command level, 4096 data path. There is one component (-p 1)
and one installation (-i).

Exit codes: 0; 36 bad argument.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _control
from flintmq.cli._version_text import FIELDS, print_version

NAME = "dspmqver"
SUMMARY = "the version, as scripts for MQ ask for it"
BAD_ARGUMENT = 36


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-a", action="store_true", help="everything (the default)")
    parser.add_argument("-b", action="store_true", help="the values only, without what they are")
    parser.add_argument("-f", metavar="FIELDS", help="only these fields: the sum of their numbers")
    parser.add_argument("-p", metavar="COMPONENTS", help="only these components: there is one, 1")
    parser.add_argument("-i", action="store_true", help="all installations: there is one")
    parser.add_argument("-v", action="store_true", help="verbose: no different here")


def run(options: argparse.Namespace) -> int:
    for option, text in (("-f", options.f), ("-p", options.p)):
        if text is not None and not text.isdecimal():
            return _control.refuse(f"{option} takes a sum of numbers, such as 2, not {text!r}", BAD_ARGUMENT)
    if options.p is not None and not int(options.p) & 1:
        return _control.refuse(f"component {options.p} is not there: the only one is 1", BAD_ARGUMENT)
    fields = None if options.f is None or options.a else int(options.f)
    if fields is not None and not fields & sum(FIELDS.values()):
        return _control.refuse(f"-f {options.f} names no field; `dspmqver --help` lists them", BAD_ARGUMENT)
    print_version(fields, labels=not options.b)
    return 0
