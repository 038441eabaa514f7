"""File modes: the files of a queue manager are their owner's alone, 0600, and 0700 for directories.

Log and page sets contain all messages, traces and dumps quote messages, qm.ini shows the security settings. Files are
made with these modes. Wider modes of an earlier release are tightened when the queue manager is opened. Dump files of
SMF records (`*.smf`) keep the mode that telemetry/recording gives them: another user may be meant to read them.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FILE_MODE = 0o600
DIRECTORY_MODE = 0o700
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_DUMP = ".smf"


def opener(path: str, flags: int) -> int:
    """Open a file for `open(..., opener=opener)`: a new file is for its owner only."""
    return os.open(path, flags | os.O_CLOEXEC, FILE_MODE)


def make_directory(path: Path, parents: bool = False) -> None:
    """Make a directory for its owner only; no error if it exists."""
    path.mkdir(mode=DIRECTORY_MODE, parents=parents, exist_ok=True)


def tighten(directories: list[Path]) -> tuple[int, int]:
    """Withdraw the permissions of group and others from directories and everything below them.

    Return how many modes were changed, and how many could not be, because another user owns the file. Links are not
    followed.
    """
    changed = failed = 0
    for directory in directories:
        for place, _, names in os.walk(directory):
            for path in (place, *(os.path.join(place, name) for name in names if _DUMP not in name)):
                done = _tighten(path)
                changed += done == 1
                failed += done == -1
    return changed, failed


def _tighten(path: str) -> int:
    """Return 1 if the mode was changed, -1 if it could not be, 0 if it was right or the file has gone."""
    try:
        mode = os.lstat(path).st_mode
        if not mode & _OTHERS or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISSOCK(mode)):
            return 0
        os.chmod(path, stat.S_IMODE(mode) & ~_OTHERS)
    except FileNotFoundError:
        return 0
    except OSError:
        return -1
    return 1
