"""The file operations of the log: two protocols and the real thing.

The log calls nothing but these, so a test can put a disk underneath that tears, loses and reorders whatever was not
synced. The log relies on these properties of a file system:

    F1  after `LogFile.sync` returns, every earlier `write_at` of that file survives a crash
    F2  after `LogFile.allocate` returns, the file has its size and later overwrites inside it change no metadata
    F3  after `FileSystem.sync_directory` returns, every earlier create, rename and remove in that directory survives
    F4  a write that was not synced may survive in any part, but a sector of 512 bytes is either old or new
    F5  `rename` is atomic, within a directory and between two directories of one file system
"""

import errno
import os
from typing import Final, Protocol

Bytes = bytes | memoryview

#: What a system call says of a disk, a quota or a file that can take no more.
DISK_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

_ZEROS: Final = bytes(1 << 20)
_IOV_MAX: Final = min(1024, os.sysconf("SC_IOV_MAX")) if "SC_IOV_MAX" in os.sysconf_names else 16


class LogFile(Protocol):
    """One open file. Offsets are in bytes; nothing here keeps a file position."""

    def write_at(self, offset: int, parts: list[Bytes]) -> None:
        """Write all parts, one after the other, from `offset`. Called for each flush, once per file touched."""

    def read_at(self, offset: int, length: int) -> bytes:
        """Return `length` bytes from `offset`, fewer only at the end of the file."""

    def sync(self) -> None:
        """Make earlier writes durable (F1). Only data: the size does not change after `allocate`."""

    def allocate(self, size: int) -> None:
        """Fill the file with `size` zero bytes, really written, and make data and metadata durable (F2)."""

    def size(self) -> int:
        """Return the length of the file in bytes."""

    def close(self) -> None:
        """Give the file back. Implies no sync."""


class FileSystem(Protocol):
    """The directory operations. Paths are strings with '/' between the names."""

    def open(self, path: str, create: bool) -> LogFile:
        """Open for reading and writing; with `create`, make an empty file if there is none."""

    def exists(self, path: str) -> bool:
        """Say whether there is a file or directory of that name."""

    def listdir(self, path: str) -> list[str]:
        """Return the names in a directory, in any order."""

    def rename(self, old: str, new: str) -> None:
        """Give a file another name, replacing a file of that name (F5). Durable after `sync_directory`."""

    def remove(self, path: str) -> None:
        """Take a name away. Durable after `sync_directory`."""

    def mkdir(self, path: str) -> None:
        """Make a directory and those above it; no error if it exists."""

    def sync_directory(self, path: str) -> None:
        """Make the names in a directory durable (F3)."""


class RealFile:
    """A file of the operating system: pwritev, pread, fdatasync."""

    def __init__(self, path: str, create: bool) -> None:
        flags = os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0)
        self._fd = os.open(path, flags, 0o600)  # It has all that was put: for its owner only.

    def write_at(self, offset: int, parts: list[Bytes]) -> None:
        total = sum(map(len, parts))
        if len(parts) <= _IOV_MAX:
            written = os.pwritev(self._fd, parts, offset)
            if written == total:
                return
            self._write_rest(offset, parts, written)
            return
        for start in range(0, len(parts), _IOV_MAX):
            some = parts[start : start + _IOV_MAX]
            self.write_at(offset, some)
            offset += sum(map(len, some))

    def _write_rest(self, offset: int, parts: list[Bytes], written: int) -> None:
        """Finish a write that the kernel took only in part (it never takes more than 2 GiB at once)."""
        for part in parts:
            size = len(part)
            if written >= size:
                written -= size
            else:
                view = memoryview(part)[written:]
                at = offset + written
                written = 0
                while view:
                    done = os.pwrite(self._fd, view, at)
                    view, at = view[done:], at + done
            offset += size

    def read_at(self, offset: int, length: int) -> bytes:
        data = os.pread(self._fd, length, offset)
        if len(data) == length or not data:
            return data
        more = [data]
        missing = length - len(data)
        while missing:
            data = os.pread(self._fd, missing, offset + length - missing)
            if not data:
                break
            more.append(data)
            missing -= len(data)
        return b"".join(more)

    def sync(self) -> None:
        os.fdatasync(self._fd)

    def allocate(self, size: int) -> None:
        os.ftruncate(self._fd, 0)
        offset = 0
        while offset < size:
            piece = min(len(_ZEROS), size - offset)
            offset += os.pwrite(self._fd, _ZEROS if piece == len(_ZEROS) else _ZEROS[:piece], offset)
        os.fsync(self._fd)

    def size(self) -> int:
        return os.fstat(self._fd).st_size

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


class RealFiles:
    """The file system of the operating system."""

    def open(self, path: str, create: bool) -> RealFile:
        return RealFile(path, create)

    def exists(self, path: str) -> bool:
        return os.path.exists(path)

    def listdir(self, path: str) -> list[str]:
        return os.listdir(path)

    def rename(self, old: str, new: str) -> None:
        os.rename(old, new)

    def remove(self, path: str) -> None:
        os.remove(path)

    def mkdir(self, path: str) -> None:
        os.makedirs(path, mode=0o700, exist_ok=True)

    def sync_directory(self, path: str) -> None:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
