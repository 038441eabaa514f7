"""The recovery log as the engine sees it, and the one of a queue manager without files."""

from __future__ import annotations

from typing import Protocol


class LogPort(Protocol):
    """What the engine asks of a log. `flintmq.log.Log` is the real one."""

    #: Everything before this position is on disk.
    durable: int
    #: Position just past the last record that was appended.
    end: int

    def append(self, kind: int, body: bytes, data: bytes = b"") -> int:
        """Queue a record and return the position just past it. No I/O."""

    def flush(self) -> int:
        """Make everything that was appended durable and return the new durable position."""

    def checkpoint(self, position: int, generation: int, note: bytes = b"") -> None:
        """Redo starts at `position` from now on; durable on return."""


class NoLog:
    """The log of `:memory:`: nothing is kept, everything counts as durable at once."""

    def __init__(self) -> None:
        self.durable = 0
        self.end = 0

    def append(self, kind: int, body: bytes, data: bytes = b"") -> int:
        """Count the bytes, keep nothing."""
        return 0

    def flush(self) -> int:
        """Nothing to do."""
        return 0

    def checkpoint(self, position: int, generation: int, note: bytes = b"") -> None:
        """Nothing to do."""
