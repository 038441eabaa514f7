"""Time, as it is given to the engine. The engine never looks at a clock by itself."""

from __future__ import annotations

from collections.abc import Callable

from mypy_extensions import mypyc_attr


@mypyc_attr(allow_interpreted_subclasses=True)
class Clock:
    """A clock that stands still until it is told otherwise, or that goes as `read_ns` says. Tests derive from it."""

    def __init__(self, now_ms: int = 0, read_ns: Callable[[], int] | None = None) -> None:
        self.time_ms = now_ms
        #: Nanoseconds since 1970, for accounting, which measures calls by it: a function, so that a machine's own can
        #: stand here without another around it.
        self.read_ns: Callable[[], int] = self._still_ns if read_ns is None else read_ns
        self._still = read_ns is None

    def now_ms(self) -> int:
        """Milliseconds since 1970, UTC."""
        return self.time_ms if self._still else self.read_ns() // 1_000_000

    def now_us(self) -> int:
        """Microseconds since 1970, UTC."""
        return self.read_ns() // 1000

    def _still_ns(self) -> int:
        return self.now_ms() * 1_000_000

    def advance(self, milliseconds: int) -> None:
        """Let time pass."""
        self.time_ms += milliseconds
