"""The error log of a queue manager, errors/AMQERR01.LOG, and its dumps.

An entry has a head line with time, process, user, program and queue manager, then the message, then a rule. A file that
has grown too large is renamed to AMQERR02.LOG, and that one to AMQERR03.LOG, as in MQ. With

    DiagnosticMessages:
       Service=File
       Format=json

in qm.ini each message also is a line of AMQERR01.json, a JSON object with MQ's names, which is renamed in the same way.

Each message also goes to the logger `flintmq.qmgr` of Python's logging, as INFO, WARNING or ERROR, so that a program
that embeds a queue manager sees it in its own logs.

An internal error leaves a dump in the same directory, FLINT<process>.<number>.FDC, with the traceback.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import socket
import sys
import time
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from flintmq.host.environment import user_name as user_name
from flintmq.host.private import opener
from flintmq.mqi.object_name import MQM, USER_LENGTH
from flintmq.mqi.printable import printable

#: The release. An import of the package, which names the API, would make this file a part of its import cycle.
_VERSION: str = sys.modules["flintmq"].__version__
SIZE_MAX = 2 * 1024 * 1024
FILES = 3
#: By the last letter of a message's number.
_LEVELS = {"I": "INFO", "W": "WARNING", "E": "ERROR", "S": "ERROR"}
_RULE = "-" * 100
_LOGGER = logging.getLogger("flintmq.qmgr")


def wants_json(service: str, form: str) -> bool:
    """Return whether a DiagnosticMessages stanza asks for messages in JSON."""
    return service.lower() in ("", "file") and form.lower() == "json"


def user_identifier() -> str:
    """Return the user of this process as a user identifier of MQ, which has at most 12 characters.

    A longer name becomes `mqm`. It is not cut, because the cut name could be another user's; the user of the queue
    manager process has full authority, as mqm has.
    """
    name = user_name()
    return name if len(name) <= USER_LENGTH else MQM


def _program() -> str:
    return Path(sys.argv[0]).name if sys.argv and sys.argv[0] else "python"


class ErrorLog:
    """Appends to the error log. Without a directory (`:memory:`) it keeps the last messages in memory."""

    def __init__(self, directory: Path | None, q_mgr: str, as_json: bool = False) -> None:
        self.directory = directory
        self.q_mgr = q_mgr
        self.as_json = as_json
        self._spare = -1
        #: (number, text) of the last hundred messages.
        self.recent: list[tuple[str, str]] = []

    def write(self, number: str, text: str, error: BaseException | None = None) -> None:
        """Write one message. Raise nothing: a log that cannot be written must not stop the queue manager.

        Names are escaped, so that a client with a line feed in its name cannot forge a second message. The traceback of
        `error` goes to the logger only: the error log is for operators.
        """
        text = printable(text)
        self.recent = [*self.recent[-99:], (number, text)]
        self._append("LOG", self._entry(number, text))
        if self.as_json:
            self._append("json", json.dumps(self._object(number, text)) + "\n")
        level = logging.getLevelNamesMapping()[_LEVELS.get(number[-1:], "INFO")]
        _LOGGER.log(level, "%s: %s: %s", self.q_mgr, number, text, exc_info=error)

    def _append(self, kind: str, entry: str) -> None:
        """Write to AMQERR01. Rename it first if it has grown too large."""
        if self.directory is None:
            return
        try:
            path = self.directory / f"AMQERR01.{kind}"
            if path.exists() and path.stat().st_size > SIZE_MAX:
                self._shift(kind)
            kept = self._spare >= 0
            with self._opened(path) as file:
                file.write(entry)
            if kept:
                self.reserve()  # Again, if it was used.
        except OSError:
            return

    def reserve(self) -> None:
        """Reserve a file descriptor, so that the log can report that the process has no more of them."""
        user_name()  # It imports a module when it is first called, which takes a descriptor, too.
        if self.directory is not None and self._spare < 0:
            try:
                self._spare = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
            except OSError:
                return

    def _opened(self, path: Path) -> TextIO:
        """Open the file, with the reserved descriptor if there is no other."""
        try:
            return open(path, "a", encoding="utf-8", opener=opener)
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE) or self._spare < 0:
                raise
        os.close(self._spare)
        self._spare = -1
        return open(path, "a", encoding="utf-8", opener=opener)

    def _object(self, number: str, text: str) -> dict[str, object]:
        """Return a message as an object with the names that MQ gives to its parts."""
        return {
            "type": "mq_log",
            "ibm_datetime": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "ibm_messageId": number,
            "ibm_serverName": self.q_mgr,
            "ibm_installationName": "FlintMQ",
            "ibm_processId": os.getpid(),
            "ibm_processName": _program(),
            "ibm_userName": user_name(),
            "ibm_version": _VERSION,
            "host": socket.gethostname(),
            "loglevel": _LEVELS.get(number[-1:], "INFO"),
            "message": f"{number}: {text}",
        }

    def _entry(self, number: str, text: str) -> str:
        when = time.strftime("%Y-%m-%d %H:%M:%S")
        program = _program()
        head = (
            f"{when} - Process({os.getpid()}) User({user_name()}) Program({program}) Host({socket.gethostname()}) "
            f"VRMF({_VERSION}) QMgr({self.q_mgr})"
        )
        return f"{head}\n\n{number}: {text}\n{_RULE}\n"

    def _shift(self, kind: str) -> None:
        assert self.directory is not None
        for number in range(FILES, 1, -1):
            older = self.directory / f"AMQERR{number:02d}.{kind}"
            newer = self.directory / f"AMQERR{number - 1:02d}.{kind}"
            if newer.exists():
                os.replace(newer, older)

    def dump(self, error: BaseException) -> str:
        """Write the traceback of an internal error to a dump. Return its path, or "" if it could not be written."""
        self.write("AMQ6125E", f"An internal error has occurred: {type(error).__name__}: {error}")
        if self.directory is None:
            return ""
        text = "".join(traceback.format_exception(error))
        for number in range(1000):
            path = self.directory / f"FLINT{os.getpid():05d}.{number}.FDC"
            try:
                with open(path, "x", encoding="utf-8", errors="backslashreplace", opener=opener) as file:
                    file.write(self._entry("AMQ6125E", "An internal error has occurred."))
                    file.write(text)
                return str(path)
            except FileExistsError:
                continue
            except OSError:
                return ""
        return ""
