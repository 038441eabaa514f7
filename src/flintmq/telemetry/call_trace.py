"""Calls of the MQI to the trace file: START TRACE(GLOBAL)."""

from __future__ import annotations

from flintmq.qmgr.calls import Clock, Tracer
from flintmq.qmgr.connection import Task
from flintmq.telemetry.trace_file import ENTRY, EXIT, TraceFile

#: Classes of GLOBAL: every call, or those that did not end with MQCC_OK.
EVERY_CALL = {1, 3}
FAILING = 2


class CallTrace(Tracer):
    """Writes each call when it begins and when it is over; with class 2 alone those that fail, when they are over."""

    def __init__(self, file: TraceFile, clock: Clock, classes: set[int], with_data: bool) -> None:
        self._file = file
        self._clock = clock
        self._every = bool(classes & EVERY_CALL)
        self._with_data = with_data

    def entry(self, task: Task, call: int, handle: int, name: str) -> None:
        if self._every:
            application = task.connection.appl_name
            self._file.add(
                self._clock.now_us(), task.number, ENTRY, call, handle=handle, name=name, application=application
            )

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
        if self._every or completion:
            kept = data if self._with_data else b""
            now, application = self._clock.now_us(), task.connection.appl_name
            self._file.add(
                now, task.number, EXIT, call, completion, reason, handle, length, spent_us, name, application, kept
            )
