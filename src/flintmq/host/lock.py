"""The lock of a queue manager: one process at a time has it open, and any process may ask which.

The file `lock` in the queue manager's directory is locked (flock) for as long as it is open, and holds one JSON object:

    pid      of the process
    program  its command line
    host     the machine it runs on
    since    the time it opened the queue manager, seconds since 1970

The lock ends with the process, in any way; the text stays behind after a crash, and means nothing then. After a fork
the child must not keep it alive: `close_in_child`.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from flintmq.host.private import FILE_MODE

#: A process that only tests the lock (dspmq) holds it for an instant, or longer if the machine suspends it just then.
#: Number of attempts and pause between them: such a process never has the queue manager open.
_TRIES = 2000
_PAUSE_SECONDS = 0.005


@dataclass(frozen=True)
class Holder:
    """Content of the lock file."""

    pid: int = 0
    program: str = ""
    host: str = ""
    since: float = 0.0

    def __str__(self) -> str:
        if not self.pid:
            return "another process"
        who = "this process" if self.pid == os.getpid() else f"process {self.pid}"
        program = f" ({self.program})" if self.program else ""
        elsewhere = f" on {self.host}" if self.host and self.host != socket.gethostname() else ""
        since = time.strftime(" since %Y-%m-%d %H:%M:%S", time.localtime(self.since)) if self.since else ""
        return f"{who}{program}{elsewhere}{since}"


class LockHeld(Exception):
    """Another process holds the lock."""

    def __init__(self, holder: Holder) -> None:
        super().__init__(str(holder))
        self.holder = holder


class InstanceLock:
    """The lock on one queue manager. Made by `acquire`; holds until `release`."""

    def __init__(self, path: Path, fd: int) -> None:
        self.path = path
        self._fd = fd

    @staticmethod
    def acquire(path: Path) -> InstanceLock:
        """Take the lock or raise LockHeld. Wait for a process that only tests it."""
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        try:
            for attempt in range(_TRIES):
                if _try_lock(fd, fcntl.LOCK_EX):
                    lock = InstanceLock(path, fd)
                    lock._write(_describe())
                    return lock
                holder = read_holder(path)
                if _alive(holder) or attempt == _TRIES - 1:
                    raise LockHeld(holder)
                time.sleep(_PAUSE_SECONDS)
            raise AssertionError("unreachable")
        except BaseException:
            os.close(fd)
            raise

    def release(self) -> None:
        """Release the lock and empty its file. A second call does nothing."""
        if self._fd >= 0:
            self._write("")
            os.close(self._fd)
            self._fd = -1

    def close_in_child(self) -> None:
        """Close the file in the child of a fork: the lock is the parent's."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _write(self, text: str) -> None:
        """Write the holder to the file. A full disk leaves it empty, but the lock holds."""
        os.ftruncate(self._fd, 0)
        try:
            os.pwrite(self._fd, text.encode(), 0)
        except OSError as error:
            from flintmq.log.files import DISK_FULL  # Here: a client of a local queue manager needs no log.

            if error.errno not in DISK_FULL:
                raise


def _try_lock(fd: int, kind: int) -> bool:
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _describe() -> str:
    program = " ".join(sys.argv) if sys.argv and sys.argv[0] else sys.executable
    content = {"pid": os.getpid(), "program": program[:200], "host": socket.gethostname(), "since": time.time()}
    return json.dumps(content)


def read_holder(path: Path) -> Holder:
    """Return the content of the lock file, stale or not; an empty Holder if there is none."""
    try:
        content = json.loads(path.read_text("utf-8"))
        return Holder(int(content["pid"]), str(content["program"]), str(content["host"]), float(content["since"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Holder()


def _alive(holder: Holder) -> bool:
    """Return whether the process that the file names runs. A process on another host counts as running."""
    if not holder.pid:
        return False
    if holder.host and holder.host != socket.gethostname():
        return True
    try:
        os.kill(holder.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def holder_of(path: Path) -> Holder | None:
    """Return the process that holds the lock now, None if it is free. Does not wait; blocks others only briefly."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        return None if _try_lock(fd, fcntl.LOCK_SH) else read_holder(path)
    finally:
        os.close(fd)
