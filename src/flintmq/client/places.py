"""Where things are on this machine that clients and queue managers both use."""

from __future__ import annotations

import os
from pathlib import Path

#: The Unix socket for local applications, in the directory of a queue manager that runs as a process.
LOCAL_SOCKET = "local"


def data_directory() -> Path:
    """Where everything is, unless a queue manager is opened by its path."""
    own = os.environ.get("FLINTMQ_DATA")
    if own:
        return Path(own)
    shared = os.environ.get("XDG_DATA_HOME")
    return Path(shared) / "flintmq" if shared else Path.home() / ".local" / "share" / "flintmq"
