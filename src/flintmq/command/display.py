"""The text of replies: two columns, as runmqsc prints them and monitors parse them.

    AMQ8409I: Display Queue details.
       QUEUE(ORDERS.IN)                        TYPE(QLOCAL)
       DESCR(a text that is too long for one column)
       MAXDEPTH(5000)                          SHARE
       ^ column 4                              ^ column 44

An item of 37 characters or fewer shares its line; a longer one has its own. A blank value is `( )`. A flag is a bare
word. A list continues in the next line, inside its parentheses. Quotes are not printed. At a terminal as many columns
are printed as fit its width, at least one. Characters that are not printable are escaped: applications choose APPLTAG,
CONNAME and USERDATA, and a line must stay one line whatever they contain.
"""

from __future__ import annotations

from collections.abc import Iterable

from flintmq.catalogue.attribute import FLAG, LIST, PAIR
from flintmq.command.reply import Item, Reply, Response
from flintmq.command.steps import RESPONSES_AT_ONCE, Steps, to_the_end
from flintmq.mqi.printable import printable

INDENT = 3
COLUMN_WIDTH = 40
#: The width for which MQ lays out its answers, in two columns.
STANDARD_WIDTH = 80
SHARED_LENGTH_MAX = 37


def render(reply: Reply, width: int = 0) -> list[str]:
    """Return all lines of an answer. `width` is that of the terminal, 0 for the layout of MQ."""
    return to_the_end(render_steps(reply.responses, width))


def render_steps(responses: Iterable[Response], width: int = 0) -> Steps[list[str]]:
    """Return the lines of several responses, in slices (steps.py)."""
    lines: list[str] = []
    for number, response in enumerate(responses, 1):
        lines += render_response(response, width)
        if number % RESPONSES_AT_ONCE == 0:
            yield
    return lines


def render_response(response: Response, width: int = 0) -> list[str]:
    """Return the message line and the lines below it."""
    return [printable(line) for line in (response.text, *response.lines, *columns(response.items, width))]


def columns(items: list[Item], width: int = 0) -> list[str]:
    """Return the attributes in as many columns as fit `width`; in two for 0."""
    gap = COLUMN_WIDTH - SHARED_LENGTH_MAX
    count = max(1, ((width or STANDARD_WIDTH) - INDENT + gap) // COLUMN_WIDTH)
    lines: list[str] = []
    row: list[str] = []
    margin = " " * INDENT

    def end_row() -> None:
        if row:
            lines.append((margin + "".join(text.ljust(COLUMN_WIDTH) for text in row)).rstrip(" "))
            row.clear()

    for item in items:
        texts = item_lines(item)
        if item.alone or len(texts) > 1 or len(texts[0]) > SHARED_LENGTH_MAX:
            end_row()
            lines += [margin + text for text in texts]
        else:
            row.append(texts[0])
            if len(row) == count:
                end_row()
    end_row()
    return lines


def item_lines(item: Item) -> list[str]:
    """Return one attribute: one line, or for a list of several elements one line for each."""
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
