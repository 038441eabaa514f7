"""One copy of the log as physical files. Which position is in which file, and the life of a file.

Extent n of the stream is the file `S<n>.LOG`, seven digits or more. A file is a header page and `capacity` bytes of
the stream:

    position p  is in extent p // capacity, at offset 4096 + p % capacity

    offset  field       type     value
         0  magic       char 8   "FLINTLOG"
         8  version     uint32   1
        12  CRC         uint32   CRC32C of bytes 16 to 51
        16  identity    16 bytes of the log
        32  extent      uint64   n
        40  position    uint64   n * capacity
        48  file pages  uint32   pages of 4 KiB in this file, this one included
      4096  stream

The header helps people and `flint inspect`; records validate without it. A header that cannot be read is written again.
"""

import re
import struct
from typing import Final

from crc32c import crc32c

from flintmq.log.counters import LogCounters
from flintmq.log.errors import LogDamaged, LogError
from flintmq.log.files import Bytes, FileSystem, LogFile

PAGE: Final = 4096
MAGIC: Final = b"FLINTLOG"
VERSION: Final = 1

_PREFIX: Final = struct.Struct("<8sII")
_FIELDS: Final = struct.Struct("<16sQQI")
_HEADER_SIZE: Final = 52
assert _PREFIX.size + _FIELDS.size == _HEADER_SIZE

_NAME: Final = re.compile(r"S(\d{7,19})\.LOG")

# States of a log file. They follow from three numbers; see `file_state`.
RELEASED: Final = "released"
ACTIVE: Final = "active"
CURRENT: Final = "current"
PREPARED: Final = "prepared"
UNKNOWN: Final = "unknown"


def file_name(extent: int) -> str:
    """Return the name of the file that holds an extent."""
    return f"S{extent:07d}.LOG"


def extent_of_name(name: str) -> int:
    """Return the extent that a file name stands for, -1 if it is not the name of a log file."""
    match = _NAME.fullmatch(name)
    return int(match.group(1)) if match else -1


def file_state(extent: int, first: int, current: int, last: int) -> str:
    """Return the state of a file, where restart needs `first`, the log ends in `current` and `last` is formatted."""
    if extent < first:
        return RELEASED
    if extent < current:
        return ACTIVE
    if extent == current:
        return CURRENT
    return PREPARED if extent <= last else UNKNOWN


class FileHeader:
    """The header page of a log file."""

    def __init__(self, identity: bytes, extent: int, position: int, file_pages: int) -> None:
        self.identity = identity
        self.extent = extent
        self.position = position
        self.file_pages = file_pages

    def pack(self) -> bytes:
        """Return the whole header page."""
        fields = _FIELDS.pack(self.identity, self.extent, self.position, self.file_pages)
        page = _PREFIX.pack(MAGIC, VERSION, crc32c(fields)) + fields
        return page + bytes(PAGE - len(page))


def unpack_file_header(data: bytes) -> FileHeader:
    """Return the header in a page; ValueError has the mistake."""
    if len(data) < _HEADER_SIZE:
        raise ValueError("the header is cut off")
    magic, version, crc = _PREFIX.unpack_from(data, 0)
    if magic != MAGIC:
        raise ValueError("it has no magic number of a log file")
    if crc32c(data[_PREFIX.size : _HEADER_SIZE]) != crc:
        raise ValueError("the CRC of the header does not fit")
    if version != VERSION:
        raise ValueError(f"version {version} of the log file is not known here")
    identity, extent, position, file_pages = _FIELDS.unpack_from(data, _PREFIX.size)
    return FileHeader(identity, extent, position, file_pages)


class Segments:
    """The files of one copy. Knows nothing of records; every method that touches more than memory says so."""

    def __init__(
        self, files: FileSystem, directory: str, identity: bytes, file_pages: int, counters: LogCounters
    ) -> None:
        self.directory = directory
        self.capacity: int = (file_pages - 1) * PAGE
        self._files = files
        self._identity = identity
        self._file_pages = file_pages
        self._file_size: int = file_pages * PAGE
        self._counters = counters
        self._open: dict[int, LogFile] = {}
        self._spares: list[str] = []  #: files of full size whose content nobody needs
        self._touched: list[LogFile] = []  #: written since the last sync
        self._renamed: bool = False  #: the directory needs a sync

    # Where things are.

    def path(self, extent: int) -> str:
        """Return the path of the file that holds an extent."""
        return f"{self.directory}/{file_name(extent)}"

    def locate(self, position: int) -> tuple[str, int]:
        """Return path and offset of a position, for messages."""
        return self.path(position // self.capacity), PAGE + position % self.capacity

    def has(self, extent: int) -> bool:
        """Say whether the file of an extent is open."""
        return extent in self._open

    def extents(self) -> list[int]:
        """Return the extents with open files, ascending."""
        return sorted(self._open)

    def spares(self) -> int:
        """Return how many files wait for another life."""
        return len(self._spares)

    # Opening.

    def open_extent(self, extent: int) -> str:
        """Open the file of an extent. Return its fault, "" if none; a bad file is not opened."""
        path = self.path(extent)
        if not self._files.exists(path):
            return "the file is missing"
        try:
            file = self._files.open(path, False)
        except OSError as error:
            return f"it cannot be opened: {error.strerror}"
        size = file.size()
        if size < self._file_size:
            file.close()
            return f"it has {size} bytes instead of {self._file_size}"
        problem = self._misplaced(file, extent)
        if problem:
            file.close()
            return problem
        self._open[extent] = file
        return ""

    def _misplaced(self, file: LogFile, extent: int) -> str:
        """Say so if the header is whole and shows that somebody put another file under this name."""
        try:
            header = unpack_file_header(file.read_at(0, PAGE))
        except (OSError, ValueError):
            return ""  # For `header_problem` to tell.
        if header.identity != self._identity:
            return "it belongs to another log"
        if header.extent != extent or header.file_pages != self._file_pages:
            return f"by its header it is extent {header.extent} with {header.file_pages} pages"
        return ""

    def header_problem(self, extent: int) -> str:
        """Read the header of an open file; return its fault, "" if none."""
        try:
            unpack_file_header(self._open[extent].read_at(0, PAGE))
        except OSError as error:
            return f"the header cannot be read: {error.strerror}"
        except ValueError as error:
            return str(error)
        return ""

    def leftovers(self, first: int, last: int) -> list[int]:
        """Look for files outside first..last, left by a crash: remove those after `last`, which may be half formatted,
        and return the extents of those before `first`."""
        old: list[int] = []
        for name in sorted(self._files.listdir(self.directory)):
            extent = extent_of_name(name)
            if 0 <= extent < first:
                old.append(extent)
            elif extent > last:
                self._files.remove(self.path(extent))
                self._renamed = True
        return old

    # The life of a file.

    def prepare(self, extent: int) -> None:
        """Format the file of an extent, from a spare if there is one. Durable after `sync_all`."""
        path = self.path(extent)
        if self._spares:
            self._files.rename(self._spares.pop(), path)
            file = self._files.open(path, False)
            self._counters.files_reused += 1
        else:
            file = self._files.open(path, True)
            try:
                file.allocate(self._file_size)
            except OSError:
                file.close()
                self._files.remove(path)  # On a full disk, the blocks that it has taken are needed.
                self._renamed = True
                raise
            self._counters.files_created += 1
        self._renamed = True
        self._open[extent] = file
        self.write_header(extent)

    def write_header(self, extent: int) -> None:
        """Write the header page of an open file. Durable after `sync_all`."""
        header = FileHeader(self._identity, extent, extent * self.capacity, self._file_pages)
        file = self._open[extent]
        file.write_at(0, [header.pack()])
        self._touch(file)

    def release(self, extent: int) -> None:
        """Let a file that restart no longer needs wait for another life. It keeps its name until then."""
        self.forget(extent)
        self._spares.append(self.path(extent))

    def forget(self, extent: int) -> None:
        """Close the file of an extent and leave it where it is."""
        file = self._open.pop(extent, None)
        if file is not None:
            if file in self._touched:
                self._touched.remove(file)
            file.close()

    def remove_spares(self) -> None:
        """Give back the files that wait for another life. Durable after `sync_all`."""
        for path in self._spares:
            self._files.remove(path)
            self._counters.files_removed += 1
            self._renamed = True
        self._spares = []

    def remove(self, extent: int) -> None:
        """Close and remove the file of an extent. Durable after `sync_all`."""
        self.forget(extent)
        if self._files.exists(self.path(extent)):
            self._files.remove(self.path(extent))
            self._renamed = True

    def archive(self, extent: int, directory: str) -> None:
        """Move the file of an extent to the archive; on return it is durable there and may be gone here.

        After an OSError it is here, and the archive has nothing of it.
        """
        self.forget(extent)
        path = self.path(extent)
        if not self._files.exists(path):
            return
        target = f"{directory}/{file_name(extent)}"
        try:
            self._files.rename(path, target)
        except OSError:
            self._copy(path, target)  # Another file system.
            self._files.sync_directory(directory)
            self._files.remove(path)
        self._files.sync_directory(directory)
        self._renamed = True
        self._counters.files_archived += 1

    def _copy(self, path: str, target: str) -> None:
        source = self._files.open(path, False)
        copy = self._files.open(target, True)
        try:
            copy.allocate(self._file_size)
            for offset in range(0, self._file_size, 1 << 20):
                copy.write_at(offset, [source.read_at(offset, min(1 << 20, self._file_size - offset))])
            copy.sync()
        except OSError:
            self._files.remove(target)
            raise
        finally:
            copy.close()
            source.close()

    # Reading and writing the stream.

    def read(self, position: int, length: int) -> bytes:
        """Return `length` bytes of the stream, fewer where the files end. LogDamaged if a file cannot be read."""
        extent, inside = divmod(position, self.capacity)
        if inside + length <= self.capacity:
            return self._read_extent(extent, inside, length)
        parts: list[bytes] = []
        while length > 0:
            wanted = min(length, self.capacity - inside)
            part = self._read_extent(extent, inside, wanted)
            parts.append(part)
            if len(part) < wanted:
                break
            length -= wanted
            extent += 1
            inside = 0
        return b"".join(parts)

    def _read_extent(self, extent: int, inside: int, length: int) -> bytes:
        file = self._open.get(extent)
        if file is None:
            return b""
        try:
            return file.read_at(PAGE + inside, length)
        except OSError as error:
            position = extent * self.capacity + inside
            raise LogDamaged(
                self.path(extent), PAGE + inside, position, f"it cannot be read: {error.strerror}"
            ) from error

    def write(self, position: int, parts: list[Bytes], length: int) -> None:
        """Write `length` bytes of the stream: one write for each file. The files must have been prepared."""
        extent, inside = divmod(position, self.capacity)
        if inside + length <= self.capacity:
            self._write_extent(extent, inside, parts)
            return
        index = 0
        used = 0  # Bytes of parts[index] that are already written.
        while length > 0:
            room = min(length, self.capacity - inside)
            length -= room
            some: list[Bytes] = []
            while room > 0:
                part = parts[index]
                rest = len(part) - used
                if used == 0 and rest <= room:
                    some.append(part)
                else:
                    some.append(memoryview(part)[used : used + min(rest, room)])
                if rest <= room:
                    room -= rest
                    index += 1
                    used = 0
                else:
                    used += room
                    room = 0
            self._write_extent(extent, inside, some)
            extent += 1
            inside = 0

    def _write_extent(self, extent: int, inside: int, parts: list[Bytes]) -> None:
        file = self._open.get(extent)
        if file is None:
            raise LogError(f"{self.path(extent)} was not prepared")
        file.write_at(PAGE + inside, parts)
        self._counters.writes += 1
        self._touch(file)

    def _touch(self, file: LogFile) -> None:
        if file not in self._touched:
            self._touched.append(file)

    def sync(self) -> None:
        """Make every write since the last call durable: one sync for each file touched."""
        for file in self._touched:
            file.sync()
            self._counters.syncs += 1
        self._touched.clear()

    def sync_all(self) -> None:
        """Make headers and names durable as well."""
        self.sync()
        if self._renamed:
            self._files.sync_directory(self.directory)
            self._renamed = False

    def close(self) -> None:
        """Close all files."""
        for file in self._open.values():
            file.close()
        self._open.clear()
        self._touched.clear()
