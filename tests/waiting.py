"""Waiting for what another thread or process will do: until it is so, never for a length of time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

#: How long a test waits before it fails. Far more than anything takes: a machine may be busy with other things.
PATIENCE = 60.0


def until(condition: Callable[[], object], what: str = "it came so far") -> None:
    """Return when `condition` holds. A test that waits in vain says what for."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"not in {PATIENCE:.0f} seconds: {what}"
        threading.Event().wait(0.001)
