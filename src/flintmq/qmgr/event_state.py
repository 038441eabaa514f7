"""Counts of the event messages of one queue manager."""

from __future__ import annotations

from flintmq.mqi import constants as mq
from flintmq.qmgr.connection import Connection


class EventState:
    """Counts of events: made and put, and dropped because their queue is missing, full or inhibited."""

    put: int = 0
    dropped: int = 0
    last_dropped_reason: int = 0
    #: The extent of the log that the last logger event told of.
    log_extent: str = ""

    def __init__(self, name: str) -> None:
        self.connection = Connection(b"", name[:28], "", mq.MQAT_QMGR)
