"""The broker's log: one line per event, with a BIP number, written to the error stream and to a file.

    2026-11-18 08:14:02.117 BIP2648W SHOP.default OrderRouting: Message backed out 3 times was put to ORDERS.BACKOUT.

Parameters of statements, passwords and message data never reach the log.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
from datetime import datetime
from pathlib import Path
from typing import TextIO

#: A log file that is longer is renamed to `.1` before the next line.
SIZE_MAX = 8 << 20


class BrokerLog:
    """Lines of one process. Several processes may append to one file: a line is one write.

    When the file cannot be written, because the disk is full or the directory is gone, lines still go to the stream,
    and each of them tries the file again. The first line that reaches it follows one that counts the missing lines.
    """

    def __init__(self, place: str, path: Path | None = None, stream: TextIO | None = None) -> None:
        self.place = place
        self.path = path
        self.stream = sys.stderr if stream is None else stream
        #: Lines that the file lacks since it could not be written.
        self.missing = 0
        #: Whether the file ends with a part of a line of this process.
        self._is_torn = False
        self._lock = threading.Lock()

    def write(self, number: str, source: str, text: str) -> None:
        """Write a line. `number` has its severity: 2648W."""
        line = self._line(number, source, text)
        with self._lock:
            self._show(line)
            if self.path is not None:
                self._append(self.path, line)

    def _line(self, number: str, source: str, text: str) -> str:
        stamp = datetime.now().isoformat(" ", "milliseconds")
        where = f"{self.place} {source}".strip()
        return f"{stamp} BIP{number} {where}: {' '.join(text.splitlines())}\n"

    def _show(self, line: str) -> None:
        self.stream.write(line)
        self.stream.flush()

    def _append(self, path: Path, line: str) -> None:
        """Append a line to the file, behind one about the missing lines if there are any."""
        missing = self.missing
        try:
            if missing:
                text = f"{missing} lines are missing here: {path} could not be written."
                self._write(path, self._line("2092W", "", text))
                self.missing = 0
            self._write(path, line)
        except OSError as error:
            self.missing += 1
            if not missing:
                self._show(self._line("2092W", "", f"{path} cannot be written: {error}. It is tried again."))

    def _write(self, path: Path, line: str) -> None:
        if path.exists() and path.stat().st_size > SIZE_MAX:
            path.replace(path.with_name(path.name + ".1"))
        with open(path, "ab", buffering=0) as file:
            data = (("\n" if self._is_torn else "") + line).encode("utf-8", "backslashreplace")
            written = file.write(data) or 0
            if written < len(data):
                self._is_torn = self._is_torn or written > 0
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._is_torn = False
