"""Where things are on this machine that clients and queue managers both use."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

#: The Unix socket for local applications, in the directory of a queue manager that runs as a process.
LOCAL_SOCKET = "local"


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
    """Return the home directory of the user. RuntimeError if there is none."""
    found = os.path.expanduser("~")
    if found == "~":
        raise RuntimeError("the user has no home directory: set HOME")
    return found
