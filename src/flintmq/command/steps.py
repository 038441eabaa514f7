"""Commands in slices: a command that shows very many objects does not delay other work.

A function that may take long is a generator: it yields between two slices and returns its result. A host that takes
turns (a queue manager process) asks for each slice in a turn of its own, with the calls of clients in between; every
other host runs all slices at once.

    execute_steps    an MQSC command (execute.py)          MQSCInterpreter.feed_steps   a line of runmqsc
    run_steps        a PCF message (pcf_execute.py)

    X1  A slice is counted in responses, never in time.
    X2  Between two slices objects come and go. Each object is shown as it is when its response is made; an object that
        has gone by then is left out, and one that came after the first slice is not shown.
    X3  Changes are made in one slice.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

Result = TypeVar("Result")
Steps = Generator[None, None, Result]

#: Responses that are made, or written, in one slice.
RESPONSES_AT_ONCE = 50
#: Lines of text that are handed over in one slice.
LINES_AT_ONCE = 5000


def to_the_end(steps: Steps[Result]) -> Result:
    """Do all slices at once."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result
