"""Who is told of calls of the MQI while a GLOBAL trace is started. The engine has nobody: `flintmq.telemetry` has.

`QueueManager.tracer` is None without a trace. Calls are traced where they are accounted for (accounting.py): so a trace
costs nothing when it is off, and an application that is traced need not be accounted for.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from flintmq.qmgr.connection import Task


@mypyc_attr(allow_interpreted_subclasses=True)
class Tracer:
    """Hears of each call. This one does nothing with it."""

    def entry(self, task: Task, call: int, handle: int, name: str) -> None:
        """A call begins. `handle` is 0 and `name` "" where it has none."""

    def exit(
        self,
        task: Task,
        call: int,
        handle: int,
        name: str,
        completion: int,
        reason: int,
        spent_us: int,
        length: int,
        data: bytes,
    ) -> None:
        """It is over. `length` and `data` are those of a message that was put or got; the reason -1: a get waits."""
