"""The text of answers: two columns, as runmqsc prints them and monitors parse them.

    AMQ8409I: Display Queue details.
       QUEUE(ORDERS.IN)                        TYPE(QLOCAL)
       DESCR(a text that is too long for one column)
       MAXDEPTH(5000)                          SHARE
       ^ column 4                              ^ column 44

An item of 37 characters or fewer shares its line; a longer one has its own. A blank value is `( )`. A flag is a bare
word. A list goes on in the next line, inside its parentheses. Quotes are not printed. Characters that are not printable
stand as escapes: APPLTAG, CONNAME or USERDATA are what an application says, and a line is one line whatever is in it.
"""

from __future__ import annotations

from flintmq.command.reply import Answer, Item, Reply
from flintmq.mqi.printable import printable
from flintmq.qmgr.attribute import FLAG, LIST, PAIR

INDENT = 3
COLUMN_WIDTH = 40
SHARED_LENGTH_MAX = 37


def render(reply: Reply) -> list[str]:
    """All lines of an answer."""
    lines: list[str] = []
    for answer in reply.answers:
        lines += render_answer(answer)
    return lines


def render_answer(answer: Answer) -> list[str]:
    """The message line and what stands under it."""
    return [printable(line) for line in (answer.text, *answer.lines, *columns(answer.items))]


def columns(items: list[Item]) -> list[str]:
    """The attributes in two columns."""
    lines: list[str] = []
    left = ""
    margin = " " * INDENT
    for item in items:
        texts = item_lines(item)
        if item.alone or len(texts) > 1 or len(texts[0]) > SHARED_LENGTH_MAX:
            if left:
                lines.append(margin + left)
                left = ""
            lines += [margin + text for text in texts]
        elif left:
            lines.append(margin + left.ljust(COLUMN_WIDTH) + texts[0])
            left = ""
        else:
            left = texts[0]
    if left:
        lines.append(margin + left)
    return lines


def item_lines(item: Item) -> list[str]:
    """One attribute: one line, or for a list of several elements one line for each."""
    value = item.value
    if item.kind == FLAG:
        return [str(value)]
    if isinstance(value, list):
        if item.kind == PAIR:
            return [f"{item.keyword}({value[0] or ' '}, {value[1]})"]
        if item.kind == LIST and len(value) > 1:
            margin = " " * len(item.keyword)
            lines = [f"{item.keyword}({value[0]}", *(f"{margin},{element}" for element in value[1:])]
            lines[-1] += ")"
            return lines
        value = ",".join(value)
    return [f"{item.keyword}({' ' if value == '' else value})"]
