"""flint user: the users of a queue manager that give a password when they connect.

    flint user QM1                               list them
    flint user QM1 app                           define app, or give it another password; asks for it
    echo passw0rd | flint user QM1 app --stdin
    flint user QM1 admin --privileged
    flint user QM1 joe --no-password --group clerks --group readers
    flint user QM1 app --delete

A queue manager that runs takes the change at once. What is checked is said by the AUTHINFO object that CONNAUTH names.

Exit codes: 0; 16 there is no such queue manager, or user; 39 bad parameter.
"""

from __future__ import annotations

import argparse
import getpass
import sys

import flintmq
from flintmq.cli import _control
from flintmq.host import instance
from flintmq.server import users

NAME = "user"
SUMMARY = "list, define and delete the users of a queue manager"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="the queue manager's name")
    parser.add_argument("user", nargs="?", help="the user; without one, all are listed")
    parser.add_argument("--stdin", action="store_true", help="read the password from standard input")
    parser.add_argument("--no-password", action="store_true", help="this user gives none")
    parser.add_argument("--privileged", action="store_true", help="may administer the queue manager")
    parser.add_argument("--group", action="append", default=[], help="a group that it is in, for authority records")
    parser.add_argument("--delete", action="store_true", help="delete the user")


def run(options: argparse.Namespace) -> int:
    try:
        place = instance.locate(options.name)
    except flintmq.QueueManagerError as error:
        return _control.refuse(f"AMQ8118E: {error}", _control.DOES_NOT_EXIST)
    if not place.exists():
        return _control.refuse(f"AMQ8118E: queue manager {place.name} does not exist", _control.DOES_NOT_EXIST)
    path = place.directory / users.NAME
    if options.user is None:
        for name, has_password, privileged, groups in users.names(path):
            remarks = [] if has_password else ["no password"]
            remarks += [f"in {','.join(groups)}"] if groups else []
            print(" ".join([name, *remarks, *(["privileged"] if privileged else [])]))
        return 0
    if options.delete:
        if not users.remove(path, options.user):
            return _control.refuse(f"there is no user {options.user}", _control.DOES_NOT_EXIST)
        return 0
    if not 0 < len(options.user) <= users.USER_MAX or not options.user.isprintable() or "=" in options.user:
        return _control.refuse(f"{options.user!r} is not a user name", _control.BAD_PARAMETER)
    for group in options.group:
        if not 0 < len(group) <= users.USER_MAX or not group.isprintable() or set(group) & set("=, "):
            return _control.refuse(f"{group!r} is not the name of a group", _control.BAD_PARAMETER)
    password = None if options.no_password else _password(options.stdin)
    if password == "":
        return _control.refuse("a password has at least one character", _control.BAD_PARAMETER)
    users.change(path, options.user, password, options.privileged, options.group)
    return 0


def _password(from_stdin: bool) -> str:
    return sys.stdin.readline().rstrip("\r\n") if from_stdin else getpass.getpass("password: ")
