"""Traces that are started: START, STOP and DISPLAY TRACE. What they record, others write (flintmq.telemetry).

    type     classes                                                              destination
    STAT     1 system, 2 storage summary, 3 storage detail, 4 channels, 5 queues  SMF
    ACCTG    1 puts and gets of tasks, 3 tasks and queues, 4 channels             SMF
    GLOBAL   1 and 3 calls of the MQI, 2 those that fail                          RES, GTF: the trace file
    CHINIT   1 and 4 what goes over channels                                      RES, GTF: the trace file

CLASS(*) is 1 to 3 of STAT, and 1 and 3 of ACCTG: 4 and 5 must be named, as on z/OS. A trace is known by its number;
STOP with a type stops all of that type, with CLASS or TNO those that were started so.
"""

from __future__ import annotations


class Trace:
    """One trace that was started."""

    #: Data of messages was asked for, with TDATA(MSGDATA).
    with_data: bool = False

    def __init__(self, number: int, kind: str, classes: tuple[int, ...], destination: str, user: str) -> None:
        self.number = number
        self.kind = kind
        self.classes = classes
        self.destination = destination
        self.user = user


class Traces:
    """The traces of a queue manager."""

    #: Grows with every start and stop, so that a host sees that something has changed.
    changes: int = 0

    def __init__(self) -> None:
        self.active: list[Trace] = []

    def classes(self, kind: str) -> set[int]:
        """The classes of a type that are started."""
        started: set[int] = set()
        for trace in self.active:
            if trace.kind == kind:
                started.update(trace.classes)
        return started

    def find(self, kind: str, classes: tuple[int, ...], number: int) -> list[Trace]:
        """The traces that STOP and DISPLAY mean: of a type ("*" any), with exactly these classes, with this number.

        No classes and the number -1 mean any.
        """
        found: list[Trace] = []
        for trace in self.active:
            if kind not in ("*", trace.kind) or (number >= 0 and trace.number != number):
                continue
            if not classes or trace.classes == classes:
                found.append(trace)
        return found
