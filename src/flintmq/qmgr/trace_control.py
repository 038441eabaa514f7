"""START TRACE and STOP TRACE, and the accounting that follows from them."""

from __future__ import annotations

from flintmq.mqi.trace_words import ACCTG, GLOBAL
from flintmq.qmgr import accounting
from flintmq.qmgr.queue_manager import QueueManager
from flintmq.qmgr.traces import Trace


def start(
    qm: QueueManager, kind: str, classes: tuple[int, ...], destination: str, user: str, with_data: bool = False
) -> Trace:
    """START TRACE; what can be wrong with it has been looked at. Numbers are given again, from 1."""
    traces = qm.traces
    taken = {trace.number for trace in traces.active}
    number = 1
    while number in taken:
        number += 1
    trace = Trace(number, kind, classes, destination, user)
    trace.with_data = with_data
    traces.active.append(trace)
    _changed(qm)
    return trace


def stop(qm: QueueManager, kind: str, classes: tuple[int, ...], number: int) -> list[Trace]:
    """STOP TRACE: those that were stopped."""
    stopped = qm.traces.find(kind, classes, number)
    if stopped:
        qm.traces.active = [trace for trace in qm.traces.active if trace not in stopped]
        _changed(qm)
    return stopped


def _changed(qm: QueueManager) -> None:
    """Tasks are accounted for as long as a trace wants it, if only to be traced."""
    traces = qm.traces
    traces.changes += 1
    started = traces.classes(ACCTG)
    qm.keep_channels = 4 in started
    wanted = bool(started & {1, 3} or traces.classes(GLOBAL))
    if wanted and not qm.accounting:
        accounting.start(qm)
    elif qm.accounting and not wanted:
        accounting.stop(qm)
