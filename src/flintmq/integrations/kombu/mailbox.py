"""Messages on their way from pullers to `drain_events`.

Pullers add, the consuming thread takes. It waits on a condition, or has an event loop wait for `fileno`, which is
readable while the mailbox may have something.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flintmq.integrations.kombu.channel import Channel
    from flintmq.integrations.kombu.puller import Delivery


class Mailbox:
    """Deliveries of all channels of a connection, oldest first, and the error that ended it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[Delivery] = deque()
        self._error: BaseException | None = None
        #: `take` has raised the error: the consumer knows that it needs a new connection.
        self.reported = False
        self._pipe: tuple[int, int] | None = None

    @property
    def error(self) -> BaseException | None:
        """Why nothing more will come."""
        return self._error

    def __len__(self) -> int:
        return len(self._waiting)

    def fileno(self) -> int:
        """Return a file descriptor that is readable when there is something to take. It is made by the first call."""
        with self._changed:
            if self._pipe is None:
                self._pipe = os.pipe()
                for end in self._pipe:
                    os.set_blocking(end, False)
                if self._waiting or self._error is not None:
                    self._wake()
            return self._pipe[0]

    def add(self, deliveries: list[Delivery]) -> None:
        """Add the messages of a puller."""
        with self._changed:
            self._waiting.extend(deliveries)
            self._wake()

    def fail(self, error: BaseException) -> None:
        """End it: messages that are there can be taken, then `take` raises `error`."""
        with self._changed:
            if self._error is None:
                self._error = error
            self._wake()

    def _wake(self) -> None:
        self._changed.notify_all()
        if self._pipe is not None:
            try:
                os.write(self._pipe[1], b"\0")
            except BlockingIOError:
                pass  # It is readable already.

    def clear_wakeups(self) -> None:
        """Read the bytes that woke the event loop. Call it before `take`, so a later addition wakes the loop again."""
        if self._pipe is not None:
            try:
                while os.read(self._pipe[0], 4096):
                    pass
            except BlockingIOError:
                pass

    def take(self, timeout: float | None = 0.0) -> Delivery | None:
        """Return the oldest delivery, after `timeout` seconds None; None as a timeout waits without end.

        Raises the error that ended the mailbox when there is nothing more.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._error is not None, timeout)
            if self._waiting:
                return self._waiting.popleft()
            if self._error is not None:
                self.reported = True
                raise self._error
            return None

    def remove(self, channel: Channel, consumer_tag: str = "") -> list[Delivery]:
        """Take out everything that is for a channel, or for one of its consumers."""
        with self._changed:
            found = [
                each
                for each in self._waiting
                if each.channel is channel and (not consumer_tag or each.consumer_tag == consumer_tag)
            ]
            self._waiting = deque(each for each in self._waiting if each not in found)
            return found

    def close(self) -> None:
        """Release the file descriptors."""
        with self._changed:
            pipe, self._pipe = self._pipe, None
        for end in pipe or ():
            os.close(end)
