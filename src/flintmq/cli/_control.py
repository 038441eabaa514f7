"""What the control commands share: how they refuse, and which queue manager is meant."""

from __future__ import annotations

import sys

from flintmq.cli._failure import CommandFailed
from flintmq.client import instance

EXISTS = 8
DOES_NOT_EXIST = 16
RUNNING = 5
BAD_PARAMETER = 39
DAMAGED = 70
UNEXPECTED = 71
BAD_NAME = 72
LOG_LOCATION = 100
BAD_LOG_SIZE = 115
NO_PERMISSION = 119


def refuse(text: str, code: int) -> int:
    """Say on standard error, under an AMQ number where there is one, why not; returns the exit code."""
    print(" ".join(text.split()), file=sys.stderr)
    return code


def name_or_default(name: str | None) -> str:
    """The queue manager that was named, else the default one."""
    chosen = name or instance.default_name()
    if not chosen:
        raise CommandFailed("no queue manager was named, and there is no default queue manager", DOES_NOT_EXIST)
    return chosen
