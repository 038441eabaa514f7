"""Text that came from outside, made safe to show on a terminal or in a line of a log.

Names, users, addresses and message data come from clients unchecked. A control character in them moves the cursor
of a terminal, ends a line of a log, or hides the text behind it; a bidirectional override makes a line read backwards.
All of them are written as escapes, so one value never becomes two lines, nor looks like another value.
"""

from __future__ import annotations


def printable(text: str) -> str:
    r"""Return `text` with every character that is not printable as an escape: `\n`, `\x1b`, `\u202e`.

    >>> printable("app\x1b[2J\nAMQ8003I: forged")
    'app\\x1b[2J\\nAMQ8003I: forged'
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode("ascii") for each in text)
