"""Batches: messages of an instance in one unit of work (commitCount, commitInterval, commitByMessageGroup).

    commitCount            a commit after this number of messages
    commitInterval         ... or this number of seconds after the first; 0: when the queue is empty
    commitByMessageGroup   a commit after the last message of a group, however many it has (commitCount is not used)

A unit of work that holds database work, or state of flows, is committed with its message. So is a message that was got
outside of syncpoint: it is in no unit of work.

A batch is backed out as a whole, so the BackoutCount of messages that had been handled well grows with that of the one
that failed. `Tolerance` remembers them: their backout threshold is as much higher. After a failure the messages of the
batch come one by one, so that only the one that fails is backed out again. A message whose deferred output was refused
(late.py) has failed itself, although the batch has noted it: `at_fault`.
"""

from __future__ import annotations

import threading
import time
from typing import Final

from flintmq.mqi.md import MQMD

_IN_GROUP: Final = 8  # MQMF_MSG_IN_GROUP
_LAST_IN_GROUP: Final = 16  # MQMF_LAST_MSG_IN_GROUP
#: Limit of messages remembered as backed out because another message of their batch failed.
_REMEMBERED_MAX: Final = 10_000


class Tolerance:
    """Backouts that another message of the batch caused, by message. Shared by the instances of a node."""

    def __init__(self) -> None:
        self._times: dict[bytes, int] = {}
        self._lock = threading.Lock()

    def of(self, message_id: bytes) -> int:
        """Return by how much the backout threshold is higher for a message."""
        return self._times.get(message_id, 0)

    def add(self, message_ids: list[bytes]) -> None:
        """Record messages that were backed out with a batch."""
        with self._lock:
            if len(self._times) + len(message_ids) > _REMEMBERED_MAX:
                self._times.clear()
            for each in message_ids:
                self._times[each] = self._times.get(each, 0) + 1

    def remove(self, message_ids: list[bytes]) -> None:
        """Forget messages that were committed."""
        if self._times:
            with self._lock:
                for each in message_ids:
                    self._times.pop(each, None)


class Batch:
    """The messages of the unit of work of one instance."""

    def __init__(self, count: int, interval_s: float, by_group: bool, tolerance: Tolerance) -> None:
        self.count = max(1, count)
        self.interval_s = max(0.0, interval_s)
        self.by_group = by_group
        self.tolerance = tolerance
        self._handled: list[bytes] = []
        self._in_group = False
        self._first = 0.0
        #: Messages that are committed one by one, after a failure.
        self._singly = 0

    @property
    def is_open(self) -> bool:
        """Return whether messages were handled and not committed."""
        return bool(self._handled)

    def add(self, md: MQMD, in_unit: bool, alone: bool) -> bool:
        """Add a processed message; return whether the unit of work is due for commit."""
        if not in_unit:
            return not self._handled
        if not self._handled:
            self._first = time.monotonic()
        self._handled.append(md.msg_id)
        self._in_group = bool(md.msg_flags & _IN_GROUP) and not md.msg_flags & _LAST_IN_GROUP
        if alone:
            return True
        if self.by_group:
            return not self._in_group
        if self._singly:
            self._singly -= 1
            return True
        return len(self._handled) >= self.count or bool(self.interval_s) and self._left() <= 0

    def wait_ms(self, longest_ms: int) -> int:
        """Return how long the next get waits: an open batch is committed when its interval is over."""
        if not self._handled or self.by_group:
            return longest_ms
        return min(longest_ms, round(self._left() * 1000)) if self.interval_s else 0

    def due(self) -> bool:
        """Return whether an open batch is committed although no message came."""
        return self.may_end() and (not self.interval_s or self._left() <= 0)

    def may_end(self) -> bool:
        """Return whether an open batch can be committed as it is: not in the middle of a group."""
        return bool(self._handled) and not (self.by_group and self._in_group)

    def _left(self) -> float:
        return max(0.0, self._first + self.interval_s - time.monotonic())

    def committed(self) -> None:
        """Begin anew after a commit."""
        if self._handled:
            self.tolerance.remove(self._handled)
            self._handled.clear()

    def at_fault(self, message_id: bytes) -> None:
        """Note that the last message has failed itself, because its output was refused; `backed_out` follows."""
        if self._handled and self._handled[-1] == message_id:
            self._handled.pop()

    def not_committed(self) -> None:
        """Record a failed commit, before `backed_out`. A message that was alone in its batch caused the failure."""
        if len(self._handled) == 1:
            self._handled.clear()

    def backed_out(self) -> None:
        """Begin anew after a backout."""
        if self._handled:
            self.tolerance.add(self._handled)
            self._singly = len(self._handled) + 1
            self._handled.clear()
        self._in_group = False
