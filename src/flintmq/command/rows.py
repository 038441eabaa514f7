"""The reply to an MQSC command as rows, for programs that use the values of a command rather than print them.

A row has the attributes of one object by keyword, as the catalogue keeps them: text, numbers, lists of text. The
control socket (server/control.py) carries a `CommandRows` as JSON.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from flintmq.command.administration import Administration, Row
from flintmq.command.execute import execute_steps
from flintmq.command.steps import RESPONSES_AT_ONCE, Steps, to_the_end
from flintmq.mqi.printable import printable


@dataclass
class CommandRows:
    """The reply to one command."""

    rows: list[Row] = field(default_factory=list)
    #: 0 if the command succeeded, else MQRC or MQRCCF.
    reason: int = 0
    #: The first message of a command that failed: "AMQ8884E: ...".
    problem: str = ""


def run(text: str, administration: Administration) -> CommandRows:
    """Run one command."""
    return to_the_end(run_steps(text, administration))


def run_steps(text: str, administration: Administration) -> Steps[CommandRows]:
    """Run one command in slices (steps.py)."""
    reply = yield from execute_steps(text, administration)
    result = CommandRows(reason=reply.reason)
    for number, response in enumerate(reply.take(), 1):
        if reply.failed and not result.problem:
            result.problem = printable(response.text)
        if response.items:
            result.rows.append({item.keyword: item.value for item in response.items})
        if number % RESPONSES_AT_ONCE == 0:
            yield
    return result
