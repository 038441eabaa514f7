"""Order of the delayed deliveries of one queue manager."""

from __future__ import annotations

import heapq

from flintmq.qmgr.queue import Queue


class Delays:
    """Messages of one queue manager that wait for their delivery, by the time when they are due."""

    #: After a full log nothing is done before.
    resume_ms: int = 0
    log_full: bool = False
    #: Something was added that is due before everything else: a host with a timer sets it again.
    changed: bool = False
    #: The staging queue, once something stood there.
    queue: Queue | None = None
    #: Since the queue manager started: what was put with a delay; where it went.
    staged: int = 0
    delivered: int = 0
    expired: int = 0
    undelivered: int = 0

    def __init__(self) -> None:
        #: When it is due, sequence on the staging queue, MsgId there.
        self.order: list[tuple[int, int, bytes]] = []
        #: Messages that nobody took, by their sequence: when they are tried again.
        self.refused: dict[int, int] = {}

    def add(self, due_ms: int, sequence: int, msg_id: bytes) -> None:
        """A message can be delivered from `due_ms` on."""
        due_ms = max(due_ms, self.refused.get(sequence, 0))
        if not self.order or due_ms < self.order[0][0]:
            self.changed = True
        heapq.heappush(self.order, (due_ms, sequence, msg_id))

    def due_ms(self) -> int:
        """When `run` wants to be called, in milliseconds since 1970; 0 never."""
        if not self.order or self.queue is None or not self.queue.get_enabled:
            return 0
        return max(self.order[0][0], self.resume_ms, 1)
