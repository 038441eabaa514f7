"""flint mqsiexplain: explain a message of the broker: text, cause and action.

    mqsiexplain 2488
    mqsiexplain BIP2648W 8013
    mqsiexplain --list

Exit codes: 0; 1 there is no message with this number.
"""

from __future__ import annotations

import argparse

from flintmq.cli._failure import CommandFailed

NAME = "mqsiexplain"
SUMMARY = "explain a message of the broker: text, cause and action"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("numbers", metavar="NUMBER", nargs="*", help="2488, BIP2488, BIP2488E")
    parser.add_argument("--list", action="store_true", help="list all messages")


def run(options: argparse.Namespace) -> int:
    from flintmq.broker.admin import messages

    if options.list:
        for each in sorted(messages.MESSAGES.values(), key=lambda each: each.number):
            print(f"BIP{each.number:04d}{each.severity}  {each.cause}")
        return 0
    if not options.numbers:
        raise CommandFailed("no message number: give one, such as BIP2488, or --list", exit_code=2)
    for word in options.numbers:
        found = messages.find(word)
        if found is None:
            raise CommandFailed(f"there is no message {word}; --list shows all")
        print(messages.explained(found))
    return 0
