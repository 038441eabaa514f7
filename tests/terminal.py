"""Run a command at a terminal."""

from __future__ import annotations

import os
import pty
from collections.abc import Mapping
from pathlib import Path


def at_a_terminal(command: list[str], directory: Path, environment: Mapping[str, str]) -> tuple[int, str]:
    """Run a command at a terminal of its own, which is closed when the command has ended.

    Return its process id, which is that of its session, and what the terminal has shown. It must end with 0.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(directory)
        os.execvpe(command[0], command, environment)
    shown = b""
    try:
        while part := os.read(terminal, 4096):
            shown += part
    except OSError:
        pass  # This is how a terminal ends.
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(terminal)
    assert code == 0, shown.decode()
    return pid, shown.decode()
