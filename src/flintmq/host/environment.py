"""The environment of a process on this machine: its user, its program name, data directory and local sockets.

Clients and queue managers use it. It imports nothing that a client elsewhere would not need.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

#: The Unix socket for local applications, in the directory of a queue manager that runs as a process.
LOCAL_SOCKET = "local"

#: The longest path that a Unix socket can have here, with room to spare.
_SOCKET_PATH_MAX = 100


def data_directory() -> Path:
    """Return the directory of queue managers that are opened by name. Raise RuntimeError without a home."""
    from pathlib import Path  # A client with an explicit address needs no paths.

    return Path(data_place())


def data_place() -> str:
    """Return the path of `data_directory` as text."""
    own = os.environ.get("FLINTMQ_DATA")
    if own:
        return own
    shared = os.environ.get("XDG_DATA_HOME")
    return os.path.join(shared, "flintmq") if shared else os.path.join(home(), ".local", "share", "flintmq")


def home() -> str:
    """Return the home directory of the user. Raise RuntimeError if there is none."""
    found = os.path.expanduser("~")
    if found == "~":
        raise RuntimeError("the user has no home directory: set HOME")
    return found


def user_name() -> str:
    """Return the name of the user of this process, or the user id if it has no name.

    The order is that of `getpass.getuser`, which would load three more modules.
    """
    for variable in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        name = os.environ.get(variable)
        if name:
            return name
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (KeyError, ImportError):
        return str(os.getuid())


def application_name() -> str:
    """Return the name of this program: PutApplName of its messages, unless it gives another."""
    script = sys.argv[0] if sys.argv else ""
    return os.path.basename(script) or "python"


@contextmanager
def socket_path(directory: Path, name: str = LOCAL_SOCKET) -> Iterator[str]:
    """Yield the path of a Unix socket in `directory`; a path that is too long goes through an open descriptor."""
    path = str(directory / name)
    if len(os.fsencode(path)) <= _SOCKET_PATH_MAX:
        yield path
        return
    opened = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{opened}/{name}"
    finally:
        os.close(opened)
