"""Show how far a build is.

pip shows no output of a build, unless it is called with -v, and compiling takes minutes. So progress goes to standard
error, for -v and for logs, and to the terminal as well, if there is one and standard error is not it.
"""

from __future__ import annotations

import sys
import threading
import time


def show(text: str) -> None:
    """Print progress on standard error, and at the terminal if standard error is captured (pip does that)."""
    line = f"flintmq: {text}"
    print(line, file=sys.stderr, flush=True)
    if not sys.stderr.isatty():
        try:
            with open("/dev/tty", "w") as terminal:
                # pip has a spinner on its line, which goes on below.
                print(f"\n  {line}", file=terminal)
        except OSError:
            return  # There is none: a container's build, or the launcher's in the background.


class Progress:
    """Count compiled files, and show the count every few seconds."""

    SECONDS = 10.0

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._shown = time.monotonic()
        self._lock = threading.Lock()

    def one_more(self) -> None:
        with self._lock:
            self._done += 1
            if time.monotonic() - self._shown < self.SECONDS:
                return
            self._shown = time.monotonic()
            show(f"{self._done} of {self._total} files are compiled")
