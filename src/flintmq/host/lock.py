"""Who has a queue manager open: one process at a time, and everybody may ask which.

The file `lock` in the queue manager's directory is locked (flock) for as long as it is open, and holds one JSON object:

    pid      of the process
    program  its command line
    host     where it runs
    since    when it opened the queue manager, seconds since 1970

The lock goes with the process, however it ends; the text stays behind after a crash, and means nothing then. After a
fork the child must not keep it alive: `close_in_child`.
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
from flintmq.log.files import DISK_FULL

#: Somebody who only looks (dspmq) may hold the lock for an instant, which is long if the machine lets it wait in that
#: very moment. Try so often, so many seconds apart: it is never the one who has the queue manager open.
_TRIES = 2000
_PAUSE_SECONDS = 0.005


@dataclass(frozen=True)
class Holder:
    """What the lock file says."""

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
    """Somebody has it."""

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
        """Take the lock or raise LockHeld. A process that only looks at it is waited for."""
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
        """Give the lock back, and leave nothing to read. A second call does nothing."""
        if self._fd >= 0:
            self._write("")
            os.close(self._fd)
            self._fd = -1

    def close_in_child(self) -> None:
        """After a fork, in the child: the lock is the parent's."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _write(self, text: str) -> None:
        """Say who has the lock. On a full disk nobody is told, but the lock holds."""
        os.ftruncate(self._fd, 0)
        try:
            os.pwrite(self._fd, text.encode(), 0)
        except OSError as error:
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
    """What the lock file says, true or not; an empty Holder if it says nothing."""
    try:
        content = json.loads(path.read_text("utf-8"))
        return Holder(int(content["pid"]), str(content["program"]), str(content["host"]), float(content["since"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Holder()


def _alive(holder: Holder) -> bool:
    """Whether the process that the file names runs. One on another host does, for all we know."""
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
    """Who has the lock now; None if nobody has. Does not wait and does not stand in anybody's way for long."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        return None if _try_lock(fd, fcntl.LOCK_SH) else read_holder(path)
    finally:
        os.close(fd)
