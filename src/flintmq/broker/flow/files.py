"""Where the files of a project are: a directory on disk, or an archive in memory.

Both are a Files: names with slashes, relative to the project, and their bytes. A directory is scanned once; links that
leave it are left out, hidden directories are skipped, and numbers and sizes are limited. Nothing is written.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from flintmq.broker.flow.archive import Archive
from flintmq.broker.flow.model import FlowFileError, LoadNote

FILES_MAX: Final = 200_000
FILE_BYTES_MAX: Final = 256 << 20


class Files(Protocol):
    """The files of one project."""

    def names(self) -> Sequence[str]:
        """Return all names, relative to the project, sorted as they were found."""

    def read(self, name: str) -> bytes:
        """Return the bytes of a file. Raise FlowFileError if it cannot be read."""

    def place(self, name: str) -> str:
        """Return where a file is, for messages."""


@dataclass(slots=True)
class DirectoryFiles:
    """Files below a directory."""

    root: Path
    found: list[str] = field(default_factory=list)

    def names(self) -> Sequence[str]:
        return self.found

    def read(self, name: str) -> bytes:
        path = self.root / name
        try:
            if path.stat().st_size > FILE_BYTES_MAX:
                raise FlowFileError(str(path), f"the file is larger than {FILE_BYTES_MAX} bytes")
            return path.read_bytes()
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise FlowFileError(str(path), reason or type(error).__name__) from None

    def place(self, name: str) -> str:
        return str(self.root / name)


@dataclass(slots=True)
class ArchiveFiles:
    """Members of an archive, or those below a folder in it."""

    archive: Archive
    folder: str = ""

    def names(self) -> Sequence[str]:
        if not self.folder:
            return list(self.archive.members)
        prefix = f"{self.folder}/"
        return [name[len(prefix) :] for name in self.archive.members if name.startswith(prefix)]

    def read(self, name: str) -> bytes:
        return self.archive.read(f"{self.folder}/{name}" if self.folder else name)

    def place(self, name: str) -> str:
        return f"{self.archive.name}!{f'{self.folder}/' if self.folder else ''}{name}"


def scan(root: Path, notes: list[LoadNote]) -> list[str]:
    """Return the names of all regular files below a directory, sorted, directories before their contents."""
    found: list[str] = []
    base = root.resolve()
    for directory, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(directory) / name
            if _is_readable(path, base):
                found.append(path.relative_to(root).as_posix())
        if len(found) > FILES_MAX:
            notes.append(LoadNote(str(root), f"has more than {FILES_MAX} files; the others are left out"))
            break
    return found


def _is_readable(path: Path, base: Path) -> bool:
    """Whether a path is a regular file, or a link to one that stays below the directory."""
    try:
        state = path.lstat()
        if stat.S_ISLNK(state.st_mode):
            target = path.resolve(strict=True)
            return target.is_file() and target.is_relative_to(base)
    except (OSError, RuntimeError):
        return False
    return stat.S_ISREG(state.st_mode)
