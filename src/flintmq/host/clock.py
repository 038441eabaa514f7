"""The clock of the machine, for an engine that looks at none by itself."""

from __future__ import annotations

import time

from flintmq.qmgr.clock import Clock


def run_signal_handlers() -> None:
    """Do nothing. The interpreter runs pending signal handlers when it enters a function that is not compiled."""


def system_clock() -> Clock:
    """A clock that goes as the machine's. Not a class of its own: a call of a compiled clock stays compiled."""
    return Clock(read_ns=time.time_ns)
