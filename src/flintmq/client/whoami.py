"""What a program says of itself when it connects: its user and its name."""

from __future__ import annotations

import os
import sys


def user_name() -> str:
    """Who runs this process."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return str(os.getuid())


def application_name() -> str:
    """What messages put by this program carry as PutApplName."""
    script = sys.argv[0] if sys.argv else ""
    return os.path.basename(script) or "python"
