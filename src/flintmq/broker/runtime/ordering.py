"""Order of messages among the instances of one input node: `orderMode` of MQInput.

    orderMode      which messages wait for each other                  next message of an instance
    default        none                                                the first on the queue
    byQueueOrder   all                                                 the first, once the one before has ended
    byUserId       those with the same UserIdentifier in the MQMD      the first whose user has no message under way
    userDefined    those with the same value in a field of the body    the first whose value has none under way

The instances of a node share one of these objects, so they all run in one worker (placement.py). An instance calls
`next` for a message and `ended` when its unit of work has ended and, after a failure, the pause is over.

A message is chosen while it is browsed and got only when its turn has come. So a message that fails is backed out
before a later one with the same key was got: it is first again, and the later one was not backed out with it.

    N1  Messages of a key are under way in one instance at a time.
    N2  Messages of a key are got in the order of the queue.
    N3  A message that cannot be read (its field is not there) has the empty key: such messages keep their order, too.

Between groups and between copies of a flow there is no order (B245).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final, Protocol

from flintmq.mqi import reason as rc
from flintmq.mqi.call_errors import MQError
from flintmq.mqi.md import MQMD

#: Messages of waiting keys that an instance looks past.
LOOK_AHEAD_MAX: Final = 1000
#: A wait for another instance ends after this time, so that the instance notices that it is to stop.
_WAIT_S: Final = 0.5

Got = tuple[MQMD, bytes]


class Source(Protocol):
    """An open input queue, seen through the connection of one instance."""

    def get(self, wait_ms: int) -> Got | None:
        """Get the next message; None if there is none within the wait."""
        ...

    def browse(self, first: bool, wait_ms: int, with_data: bool) -> Got | None:
        """Browse the first message, or the next one; None if there is none within the wait."""
        ...

    def get_browsed(self) -> Got | None:
        """Get the message that was browsed last; None if it is gone."""
        ...


class Order(Protocol):
    """Policy by which the instances of a node share the messages of a queue."""

    #: Whether the queue must be open for browsing.
    browses: bool
    #: Whether it matters which instance gets the next message, and when.
    chooses: bool

    def next(self, source: Source, wait_ms: int) -> Got | None:
        """Return the next message of an instance; None if there is none within the wait. Raise MQError."""
        ...

    def ended(self) -> None:
        """Release the turn of this instance. Without a message in flight it does nothing."""
        ...


class NoOrder:
    """Every instance gets the first message there is."""

    browses = False
    chooses = False

    def next(self, source: Source, wait_ms: int) -> Got | None:
        """Get the next message."""
        return source.get(wait_ms)

    def ended(self) -> None:
        """Do nothing."""


class QueueOrder:
    """One message at a time."""

    browses = False
    chooses = True

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._mine = threading.local()

    def next(self, source: Source, wait_ms: int) -> Got | None:
        """Get the next message, once no other instance has one. An instance keeps its turn for a whole unit of work."""
        if getattr(self._mine, "held", False):
            return source.get(wait_ms)
        if not self._turn.acquire(timeout=_WAIT_S):
            return None
        got = None
        try:
            got = source.get(wait_ms)
        finally:
            if got is None:
                self._turn.release()
            else:
                self._mine.held = True
        return got

    def ended(self) -> None:
        """Release the turn to another instance."""
        if getattr(self._mine, "held", False):
            self._mine.held = False
            self._turn.release()


class KeyOrder:
    """One message of each key at a time."""

    browses = True
    chooses = True

    def __init__(self, key_of: Callable[[MQMD, bytes], str], with_data: bool) -> None:
        self._key_of = key_of
        self._with_data = with_data
        #: One instance at a time looks for a message.
        self._turn = threading.Lock()
        self._changed = threading.Condition()
        self._under_way: set[str] = set()
        self._mine = threading.local()

    def next(self, source: Source, wait_ms: int) -> Got | None:
        """Get the first message with a key that has none under way."""
        if not self._turn.acquire(timeout=_WAIT_S):
            return None
        try:
            return self._find(source, wait_ms)
        finally:
            self._turn.release()

    def _find(self, source: Source, wait_ms: int) -> Got | None:
        end = time.monotonic() + wait_ms / 1000
        own = self._keys()
        while True:
            with self._changed:
                busy = self._under_way - own
            # Only `ended` removes keys meanwhile: the worst is a message that waits for the next look.
            found = self._look(source, busy, 0 if busy else wait_ms)
            if found is not None or not busy:
                return found
            left = end - time.monotonic()
            if left <= 0:
                return None
            with self._changed:
                if self._under_way - own == busy:
                    self._changed.wait(min(left, 0.05))

    def _look(self, source: Source, busy: set[str], wait_ms: int) -> Got | None:
        first = True
        for _ in range(LOOK_AHEAD_MAX):
            seen = source.browse(first, wait_ms if first else 0, self._with_data)
            if seen is None:
                return None
            first = False
            key = self._key_of(*seen)
            if key in busy:
                continue
            got = self._take(source, key)
            if got is not None:
                return got
        return None

    def _take(self, source: Source, key: str) -> Got | None:
        """Get the message under the cursor; its key is under way from before the get (N1)."""
        own = self._keys()
        with self._changed:
            self._under_way.add(key)
        got = None
        try:
            got = source.get_browsed()
        except MQError as error:
            if error.reason != rc.MQRC_NO_MSG_UNDER_CURSOR:
                raise
        finally:
            if got is not None:
                own.add(key)
            elif key not in own:
                self._release({key})
        return got

    def ended(self) -> None:
        """Release the keys of this instance."""
        own = self._keys()
        if own:
            self._release(own)
            own.clear()

    def _keys(self) -> set[str]:
        """Return the keys that this instance has under way: one, or those of a unit of work of several messages."""
        try:
            keys: set[str] = self._mine.keys
        except AttributeError:
            keys = self._mine.keys = set()
        return keys

    def _release(self, keys: set[str]) -> None:
        with self._changed:
            self._under_way -= keys
            self._changed.notify_all()


def user_of(md: MQMD, data: bytes) -> str:
    """Return the key of `byUserId`."""
    return md.user_identifier.strip()
