"""The clock of the machine, for an engine that looks at none by itself."""

from __future__ import annotations

import time

from flintmq.qmgr.clock import Clock


class SystemClock(Clock):
    """Milliseconds since 1970, as the machine has them."""

    def __init__(self) -> None:
        super().__init__()
        self.read_ns = time.time_ns

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000
