"""The broker's log: one line per event, with a BIP number, written to the error stream and to a file.

    2026-11-18 08:14:02.117 BIP2648W SHOP.default OrderRouting: Message backed out 3 times was put to ORDERS.BACKOUT.

Parameters of statements, passwords and message data never reach the log.
"""

from __future__ import annotations

import sys
import threading
from datetime import datetime
from pathlib import Path
from typing import TextIO

#: A log file that is longer is renamed to `.1` before the next line.
SIZE_MAX = 8 << 20


class BrokerLog:
    """Lines of one process. Several processes may append to one file: a line is one write."""

    def __init__(self, place: str, path: Path | None = None, stream: TextIO | None = None) -> None:
        self.place = place
        self.path = path
        self.stream = sys.stderr if stream is None else stream
        self._lock = threading.Lock()

    def write(self, number: str, source: str, text: str) -> None:
        """Write a line. `number` has its severity: 2648W."""
        stamp = datetime.now().isoformat(" ", "milliseconds")
        where = f"{self.place} {source}".strip()
        line = f"{stamp} BIP{number} {where}: {' '.join(text.splitlines())}\n"
        with self._lock:
            self.stream.write(line)
            self.stream.flush()
            if self.path is not None:
                try:
                    if self.path.exists() and self.path.stat().st_size > SIZE_MAX:
                        self.path.replace(self.path.with_name(self.path.name + ".1"))
                    with open(self.path, "a", encoding="utf-8") as file:
                        file.write(line)
                except OSError:
                    self.path = None  # The disk is full or the directory gone: the stream still has the lines.
