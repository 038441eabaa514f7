"""The clock of the machine, passed to engines, which read no clock themselves."""

from __future__ import annotations

import time

from flintmq.qmgr.calls import Clock


def run_signal_handlers() -> None:
    """Do nothing. The interpreter runs pending signal handlers when it enters a function that is not compiled."""


def system_clock() -> Clock:
    """Return a clock that follows the machine's. Not a subclass: calls of a compiled clock stay compiled."""
    return Clock(read_ns=time.time_ns)
