"""The error log of a queue manager, errors/AMQERR01.LOG, and its dumps.

An entry has a head line with time, process, user, program and queue manager, then the message, then a rule. The file is
renamed to AMQERR02.LOG, that one to AMQERR03.LOG, when it has grown too large, as in MQ.

A bug of ours leaves a dump beside it, FLINT<process>.<number>.FDC: what happened and where.
"""

from __future__ import annotations

import getpass
import os
import socket
import sys
import time
import traceback
from pathlib import Path

import flintmq

SIZE_MAX = 2 * 1024 * 1024
FILES = 3
_RULE = "-" * 100


def user_name() -> str:
    """Who runs this process."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return str(os.getuid())


class ErrorLog:
    """Appends to the error log. Without a directory (`:memory:`) it keeps the last messages in memory."""

    def __init__(self, directory: Path | None, q_mgr: str) -> None:
        self.directory = directory
        self.q_mgr = q_mgr
        #: (number, text) of the last hundred messages.
        self.recent: list[tuple[str, str]] = []

    def write(self, number: str, text: str) -> None:
        """One message. Nothing is raised: a log that cannot be written must not stop the queue manager."""
        self.recent = [*self.recent[-99:], (number, text)]
        if self.directory is None:
            return
        try:
            path = self.directory / "AMQERR01.LOG"
            if path.exists() and path.stat().st_size > SIZE_MAX:
                self._shift()
            with open(path, "a", encoding="utf-8") as file:
                file.write(self._entry(number, text))
        except OSError:
            return

    def _entry(self, number: str, text: str) -> str:
        when = time.strftime("%Y-%m-%d %H:%M:%S")
        program = Path(sys.argv[0]).name if sys.argv and sys.argv[0] else "python"
        head = (
            f"{when} - Process({os.getpid()}) User({user_name()}) Program({program}) Host({socket.gethostname()}) "
            f"VRMF({flintmq.__version__}) QMgr({self.q_mgr})"
        )
        return f"{head}\n\n{number}: {text}\n{_RULE}\n"

    def _shift(self) -> None:
        assert self.directory is not None
        for number in range(FILES, 1, -1):
            older = self.directory / f"AMQERR{number:02d}.LOG"
            newer = self.directory / f"AMQERR{number - 1:02d}.LOG"
            if newer.exists():
                os.replace(newer, older)

    def dump(self, error: BaseException) -> str:
        """Write down a bug of ours; returns where, or "" if it could not be written."""
        self.write("AMQ6125E", f"An internal error has occurred: {type(error).__name__}: {error}")
        if self.directory is None:
            return ""
        text = "".join(traceback.format_exception(error))
        for number in range(1000):
            path = self.directory / f"FLINT{os.getpid():05d}.{number}.FDC"
            try:
                with open(path, "x", encoding="utf-8") as file:
                    file.write(self._entry("AMQ6125E", "An internal error has occurred."))
                    file.write(text)
                return str(path)
            except FileExistsError:
                continue
            except OSError:
                return ""
        return ""
