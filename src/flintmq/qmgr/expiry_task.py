"""State of the scans for expired messages: when they are due, and the one under way."""

from __future__ import annotations

from flintmq.catalogue.attribute import Value
from flintmq.qmgr.message import Message
from flintmq.qmgr.paging import Pager
from flintmq.qmgr.queue import Queue


class Scan:
    """A scan that is under way."""

    def __init__(self, now_ms: int, generic_name: str, queues: list[Queue], pagers: list[Pager]) -> None:
        #: The moment that counts: what expires later is left to the next scan, so that this one has an end.
        self.now_ms = now_ms
        self.generic_name = generic_name
        #: Queues whose messages in memory are still to be looked at, the next one last.
        self.queues = queues
        #: Page sets that are still to be looked at, the next one last; which part of it; how far the scan is there.
        self.pagers = pagers
        self.volatile = False
        self.position = b""
        #: Entries of chunks behind that position, the next one last.
        self.places: list[bytes] = []
        #: Found on the last of `queues` and not deleted yet, the next one last.
        self.found: list[Message] = []
        self.expired = 0

    def is_done(self) -> bool:
        """Whether there is nothing left to look at."""
        return not self.queues and not self.pagers


class ExpiryTask:
    """When scans are due, the one that is under way, and how many there were."""

    #: EXPRYINT; 0 is OFF.
    interval_ms: int = 0
    #: When the next scan is due, 0 never.
    next_ms: int = 0
    #: A scan that met a full log rests until then.
    resume_ms: int = 0
    scan: Scan | None = None
    log_full: bool = False
    scans: int = 0
    overruns: int = 0
    expired: int = 0
    #: Chunks on page sets that were looked at.
    chunks: int = 0

    def __init__(self) -> None:
        #: Generic names of REFRESH QMGR TYPE(EXPIRY) whose scans have not begun.
        self.wanted: list[str] = []

    def set_interval(self, value: Value, now_ms: int) -> None:
        """EXPRYINT is `value`: seconds or OFF. A new interval begins now."""
        interval_ms = value * 1000 if isinstance(value, int) else 0
        if interval_ms != self.interval_ms:
            self.interval_ms = interval_ms
            self.next_ms = now_ms + interval_ms if interval_ms else 0

    def due_ms(self) -> int:
        """When `scan` wants to be called, in milliseconds since 1970; 0 never."""
        if self.scan is not None:
            return max(self.resume_ms, self.scan.now_ms)
        return 1 if self.wanted else self.next_ms
