"""Statistics and accounting intervals: STATIME and ACCTIME.

    value     seconds   what it means
    "1.30"    90        an interval of its own
    "0"       0         the system-wide interval (B4): half an hour, unless qm.ini says otherwise
    "-1"      -1        ACCTIME only: as STATIME (B2)

Intervals end on the clock: one of 15 seconds at :00, :15, :30 and :45 of each minute, UTC, whenever it was begun. So
what several queue managers write can be laid side by side. A new value waits until the running interval ends (B10);
until then it stands in `qm.new_intervals` beside the old one (B11).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.catalogue.attribute import interval_seconds
from flintmq.catalogue.attributes import default_attributes

if TYPE_CHECKING:
    from flintmq.catalogue.attribute import Value
    from flintmq.qmgr.queue_manager import QueueManager

STATIME: Final = "STATIME"
ACCTIME: Final = "ACCTIME"
SYSTEM_INTERVAL_S: Final = 30 * 60


def system_values(qm: QueueManager) -> dict[str, Value]:
    """The values of SET SYSTEM that are in force."""
    if not qm.system:
        qm.system = default_attributes("SYSTEM")
        qm.system.update(qm.parameters["SYSTEM"])
    if qm.new_intervals:
        now = qm.clock.now_ms()
        for keyword in (STATIME, ACCTIME):
            if "NEW" + keyword in qm.new_intervals and qm.interval_ends[keyword] <= now:
                interval_ended(qm, keyword)
    return qm.system


def set_interval(qm: QueueManager, keyword: str, value: Value) -> None:
    """SET SYSTEM STATIME or ACCTIME: the running interval, which ends on the clock, is not touched."""
    if system_values(qm)[keyword] != value:
        qm.interval_ends[keyword] = next_end_ms(qm.clock.now_ms(), length_s(qm, keyword))
        qm.new_intervals["NEW" + keyword] = value
    else:
        qm.new_intervals.pop("NEW" + keyword, None)


def interval_ended(qm: QueueManager, keyword: str) -> None:
    """The running interval has ended: the value that waited is in force."""
    waiting = qm.new_intervals.pop("NEW" + keyword, None)
    if waiting is not None:
        qm.system[keyword] = waiting


def length_s(qm: QueueManager, keyword: str) -> int:
    """The length of an interval that begins now, in seconds."""
    seconds = interval_seconds(str(system_values(qm)[keyword]))
    if seconds < 0:
        seconds = interval_seconds(str(system_values(qm)[STATIME]))
    return seconds or qm.system_interval_s


def next_end_ms(now_ms: int, seconds: int) -> int:
    """When an interval of that length ends that is running or begins at `now_ms`."""
    length = seconds * 1000
    return (now_ms // length + 1) * length
