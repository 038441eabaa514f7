"""flint mqrc: explain a reason code, given by number or by name, or a message.

    mqrc 2053
    mqrc 0x805
    mqrc MQRC_Q_FULL
    mqrc Q_FULL
    mqrc AMQ9519E

Knows the reason codes of the MQI (MQRC_) and of commands (MQRCCF_), and the messages (AMQ, CSQ) that FlintMQ writes.
The exit code is 1 if there is no such code or message.
"""

from __future__ import annotations

import argparse
import textwrap

from flintmq.cli._failure import CommandFailed
from flintmq.command.explanations import NUMBER, explained
from flintmq.mqi import reason

NAME = "mqrc"
SUMMARY = "explain a reason code or a message"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "code", nargs="+", help="a reason code: 2053, 0x805, MQRC_Q_FULL or Q_FULL; or a message: AMQ9519E"
    )


def run(options: argparse.Namespace) -> int:
    for word in options.code:
        if NUMBER.fullmatch(word.upper()):
            texts = explained(word)
            if not texts:
                raise CommandFailed(f"{word} is not a message that FlintMQ writes")
            print(f"\n{word.upper():>10}\n")
        else:
            code = code_of(word)
            texts = [reason.reason_text(code)]
            print(f"\n{code:10d}  0x{code:08x}  {reason.reason_name(code)}\n")
        for text in texts:
            print(textwrap.fill(text, 100, initial_indent="    ", subsequent_indent="    "))
    print()
    return 0


def code_of(word: str) -> int:
    """The number of a reason code that was given as a number or as a name."""
    try:
        code = int(word, 16) if word.lower().startswith("0x") else int(word)
    except ValueError:
        by_name = {name: number for number, name in reason.reason_names().items()}
        upper = word.upper()
        for name in (upper, f"MQRC_{upper}", f"MQRCCF_{upper}"):
            if name in by_name:
                return by_name[name]
        near = sorted(name for name in by_name if upper.removeprefix("MQRC_") in name)
        hint = f"; near it: {', '.join(near[:5])}" if near else ""
        raise CommandFailed(f"no reason code is called {word!r}{hint}") from None
    if code not in reason.reason_names():
        raise CommandFailed(f"there is no reason code {word}")
    return code
