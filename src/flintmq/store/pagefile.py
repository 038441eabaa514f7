"""The page file: where the chunks and index buckets of an environment are, in pages of 4 KiB.

LMDB could keep such values itself. But it reads them through a memory map, and the first touch of a page of a map
costs many times a pread() of the same bytes and counts as memory of the process; a queue much deeper than memory
would pay that for every message. So LMDB keeps the small data (where each value is, counts, meta data), and the values
are here:

    page 0      "FLPF", u16 version 1, u16 page set, u32 page size 4096, the rest zeros
    page n      the beginning of a value, or a later page of one, or free

Free pages are not listed anywhere: they are the pages that LMDB does not name, and are found at open.

Invariants:

    PF1  A page belongs to one value at most.
    PF2  A value is in the file, and flushed if the environment is durable, before LMDB names it.
         The header is written again with the first value after an open: the page cache may be all that has it.
    PF3  Pages of a value that is removed are not written until the removal has reached the disk, so that whatever
         state LMDB wakes up in after a power failure finds its values. They wait for the next commit, which flushes the
         one before, or for a sync.
"""

import os
import struct
from bisect import bisect_left, insort
from typing import Final

from flintmq.store.datafile import DISK_FULL
from flintmq.store.errors import PageSetDamaged, PageSetError, PageSetFull

PAGE: Final = 4096
PAGE_FILE: Final = "pages.dat"
_HEADER: Final = struct.Struct("<4sHHI")
_MAGIC: Final = b"FLPF"
_VERSION: Final = 1
_PARTS_MAX: Final = 512  # buffers in one write
_ZEROS: Final = bytes(PAGE)


def pages_of(length: int) -> int:
    """How many pages a value of `length` bytes takes."""
    return (length + PAGE - 1) // PAGE


class FreePages:
    """Runs of free pages below `end`, neighbours always joined. From `end` on everything is free."""

    def __init__(self, end: int) -> None:
        self.end = end
        self.count = 0
        self._length_of: dict[int, int] = {}  # first page: length of the run
        self._first_of: dict[int, int] = {}  # page after the run: its first page
        self._runs: dict[int, list[int]] = {}  # length: first pages
        self._lengths: list[int] = []  # those that there are, ascending

    def take(self, pages: int) -> int:
        """The first of so many free neighbours: from the shortest run that has them, else from the end."""
        at = bisect_left(self._lengths, pages)
        if at == len(self._lengths):
            first = self.end
            self.end += pages
            return first
        length = self._lengths[at]
        first = self._runs[length][-1]
        self._remove(first, length)
        if length > pages:
            self._insert(first + pages, length - pages)
        return first

    def give(self, first: int, pages: int) -> None:
        """Pages are free again."""
        before = self._first_of.get(first)
        if before is not None:
            self._remove(before, first - before)
            pages += first - before
            first = before
        after = self._length_of.get(first + pages)
        if after is not None:
            self._remove(first + pages, after)
            pages += after
        if first + pages == self.end:
            self.end = first
        else:
            self._insert(first, pages)

    def _insert(self, first: int, length: int) -> None:
        self._length_of[first] = length
        self._first_of[first + length] = first
        runs = self._runs.get(length)
        if runs is None:
            self._runs[length] = [first]
            insort(self._lengths, length)
        else:
            runs.append(first)
        self.count += length

    def _remove(self, first: int, length: int) -> None:
        del self._length_of[first]
        del self._first_of[first + length]
        runs = self._runs[length]
        if len(runs) == 1:
            del self._runs[length]
            del self._lengths[bisect_left(self._lengths, length)]
        elif runs[-1] == first:
            runs.pop()
        else:
            runs.remove(first)
        self.count -= length


class PageFile:
    """The page file of one environment, open."""

    def __init__(self, directory: str, psid: int, durable: bool) -> None:
        self.path = os.path.join(directory, PAGE_FILE)
        self._durable = durable
        self._free = FreePages(1)
        self._writes: list[tuple[int, bytes]] = []  # of the batch under way
        self._taken: list[tuple[int, int]] = []
        self._given: list[tuple[int, int]] = []
        self._resting: list[tuple[int, int]] = []  # given by the last batch (PF3)
        self._header = _HEADER.pack(_MAGIC, _VERSION, psid, PAGE).ljust(PAGE, b"\0")
        self._header_due = durable  # to be written again, with the next values
        self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self._check_header(psid)
        except BaseException:
            os.close(self._fd)
            raise

    def _check_header(self, psid: int) -> None:
        head = os.pread(self._fd, _HEADER.size, 0)
        if not head:
            os.pwrite(self._fd, self._header, 0)
            if self._durable:
                os.fsync(self._fd)
            return
        if len(head) < _HEADER.size or head[:4] != _MAGIC:
            raise PageSetDamaged(self.path, "does not begin as a page file; restore it from a backup")
        _, version, number, size = _HEADER.unpack(head)
        if version != _VERSION or size != PAGE:
            raise PageSetError(
                self.path, f"has format {version} with pages of {size} bytes, which this program cannot read"
            )
        if number != psid:
            raise PageSetError(self.path, f"is of page set {number:02d}, not {psid:02d}")

    def adopt(self, values: list[tuple[int, int]]) -> None:
        """Learn at open which values there are, as (first page, length); all other pages are free."""
        values.sort()
        free: list[tuple[int, int]] = []
        end = 1
        for first, length in values:
            if first < end:
                raise PageSetDamaged(self.path, f"two values claim page {first}; restore it from a backup")
            if first > end:
                free.append((end, first - end))
            end = first + pages_of(length)
        self._free = FreePages(end)
        for first, pages in free:
            self._free.give(first, pages)
        self._writes, self._taken, self._given, self._resting = [], [], [], []
        size = os.fstat(self._fd).st_size
        needed = PAGE * (values[-1][0]) + values[-1][1] if values else 0
        if size < needed:
            raise PageSetDamaged(self.path, f"is cut off: it has {size} bytes of {needed}; restore it from a backup")
        if size > PAGE * end:
            os.ftruncate(self._fd, PAGE * end)

    def read(self, first: int, start: int, length: int) -> bytes:
        """Part of the value that begins on page `first`; shorter than asked for only if the file is."""
        return os.pread(self._fd, length, PAGE * first + start)

    def add(self, value: bytes) -> int:
        """Take pages for a value of the batch under way; returns the first. It is written by flush()."""
        pages = pages_of(len(value))
        first = self._free.take(pages)
        self._taken.append((first, pages))
        self._writes.append((first, value))
        return first

    def remove(self, first: int, length: int) -> None:
        """The batch under way gives up a value."""
        self._given.append((first, pages_of(length)))

    def flush(self) -> None:
        """Write the values of the batch, and make them safe if the environment is durable (PF2).

        Then LMDB may commit.
        """
        if not self._writes:
            return
        self._writes.sort()
        try:
            parts: list[bytes] = []
            start = self._writes[0][0]
            end = start
            for first, value in self._writes:
                if first != end or len(parts) >= _PARTS_MAX:
                    self._write(parts, start)
                    parts = []
                    start = first
                parts.append(value)
                if len(value) % PAGE:
                    parts.append(_ZEROS[len(value) % PAGE :])
                end = first + pages_of(len(value))
            self._write(parts, start)
            if self._header_due:
                os.pwrite(self._fd, self._header, 0)
            if self._durable:
                os.fdatasync(self._fd)
            self._header_due = False
        except OSError as error:
            if error.errno in DISK_FULL:
                raise PageSetFull(
                    self.path, "the disk is full; free some space on it, messages are kept meanwhile"
                ) from error
            raise PageSetError(self.path, f"cannot be written: {error.strerror}") from error
        self._writes = []

    def _write(self, parts: list[bytes], first: int) -> None:
        offset = PAGE * first
        wanted = sum([len(part) for part in parts])
        done = os.pwritev(self._fd, parts, offset)
        if done < wanted:  # A full disk, or a limit of the system: try what is left in one piece.
            rest = b"".join(parts)
            while done < wanted:
                done += os.pwrite(self._fd, rest[done:], offset + done)

    def committed(self) -> None:
        """LMDB has committed the batch. The pages that the one before gave up are free now (PF3)."""
        self.rested()
        self._resting = self._given
        self._taken = []
        self._given = []

    def rested(self) -> None:
        """Everything committed so far is on disk."""
        for first, pages in self._resting:
            self._free.give(first, pages)
        self._resting = []

    def abandoned(self) -> None:
        """The batch came to nothing: pages that it took are free, pages that it gave up are not."""
        for first, pages in self._taken:
            self._free.give(first, pages)
        self._writes, self._taken, self._given = [], [], []

    def figures(self) -> tuple[int, int]:
        """(bytes of the file, pages in use)."""
        resting = sum([pages for _, pages in self._resting])
        return os.fstat(self._fd).st_size, self._free.end - self._free.count - resting

    def sync(self) -> None:
        os.fdatasync(self._fd)

    def close(self) -> None:
        os.close(self._fd)
