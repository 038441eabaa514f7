"""The page set in files: a directory with an environment for each part.

    psid00/stable/data.mdb      LMDB: spans of chunks, counts, index directory, expiry, meta data
    psid00/stable/data.seal     written at a clean end, to be quick at the next start (datafile.py)
    psid00/stable/pages.dat     page file: chunks of persistent messages and index buckets
    psid00/volatile/...         the same for non-persistent messages; deleted at every open, made when first needed

The stable environment flushes its page file before LMDB commits, and LMDB flushes the data of every transaction before
it writes the page that makes it the current one; that page itself is flushed with the next one or with sync(). So a
power failure can take the newest batch, never part of one. The volatile environment is never flushed. What is in the
databases: lmdb_part.py.

Behind the pages that LMDB uses, the stable data.mdb has 128 to 256 KiB in reserve, for batches that only remove
something while the disk is full (datafile.py).
"""

import os
import shutil
from typing import Final

from flintmq.store.chunk import Chunk
from flintmq.store.datafile import DISK_FULL
from flintmq.store.errors import PageSetError, PageSetFull
from flintmq.store.lmdb_part import MAP_BYTES_MIN, WAITING_MAX, LmdbPart
from flintmq.store.pageset import BeforeIO, LaneState, PageSetBatch, PageSetStatistics

STABLE: Final = "stable"
VOLATILE: Final = "volatile"


def page_set_directory(parent: str, psid: int) -> str:
    """The directory of a page set below `parent`."""
    return os.path.join(parent, f"psid{psid:02d}")


class LmdbPageSet:
    """A PageSet in `directory`, which is made if need be.

    `page_limit` is the largest size in pages the account may grow to, and `map_bytes` the least size of the (sparse)
    map; both only say how large the map is at first, it grows when it must. `waiting_max` index entries may wait in
    memory (index.py).
    """

    def __init__(
        self,
        directory: str,
        psid: int = 0,
        page_limit: int = 0,
        waiting_max: int = WAITING_MAX,
        before_io: BeforeIO | None = None,
        map_bytes: int = MAP_BYTES_MIN,
    ) -> None:
        self.directory = directory
        self.psid = psid
        self.before_io = before_io
        self._waiting_max = waiting_max
        self._map_bytes = map_bytes
        while self._map_bytes < 2 * 4096 * page_limit:
            self._map_bytes *= 2
        self._volatile_part: LmdbPart | None = None
        self._undropped: set[int] = set()  # queues that are still to be dropped from the volatile part
        self._closed = False
        try:
            os.makedirs(directory, mode=0o700, exist_ok=True)
            shutil.rmtree(os.path.join(directory, VOLATILE), ignore_errors=True)
            self._stable_part = LmdbPart(os.path.join(directory, STABLE), psid, self._map_bytes, True, waiting_max)
        except OSError as error:
            text = f"cannot be opened: {error.strerror or error}"
            if error.errno in DISK_FULL:
                raise PageSetFull(directory, text) from error
            raise PageSetError(directory, text) from error

    def _part(self, volatile: bool) -> LmdbPart | None:
        return self._volatile_part if volatile else self._stable_part

    def apply(self, batch: PageSetBatch, sync: bool) -> None:
        if self.before_io is not None:
            self.before_io("apply")
        if not batch.stable.is_empty() or batch.meta or batch.dropped:
            self._stable_part.apply(batch.stable, batch.dropped, batch.meta)
        if self._volatile_part is None and batch.volatile.adds:
            self._volatile_part = self._make_volatile_part()
        if self._volatile_part is not None and (not batch.volatile.is_empty() or batch.dropped):
            self._apply_volatile(self._volatile_part, batch)
        if sync:
            self.sync()

    def _apply_volatile(self, part: LmdbPart, batch: PageSetBatch) -> None:
        """Apply the volatile part of a batch. Queues that a full disk does not let go of go with the next batch."""
        dropped = self._undropped | batch.dropped
        try:
            part.apply(batch.volatile, dropped, {})
        except PageSetFull:
            self._undropped = dropped
            if not batch.volatile.is_empty():
                raise
            return
        self._undropped = set()

    def _make_volatile_part(self) -> LmdbPart:
        """Make the volatile environment. On a full disk nothing of it is left behind."""
        directory = os.path.join(self.directory, VOLATILE)
        try:
            return LmdbPart(directory, self.psid, self._map_bytes, False, self._waiting_max)
        except (OSError, PageSetFull) as error:
            shutil.rmtree(directory, ignore_errors=True)
            if isinstance(error, PageSetFull):
                raise
            if error.errno in DISK_FULL:
                raise PageSetFull(directory, "the disk is full; free some space on it") from error
            raise PageSetError(directory, f"cannot be made: {error.strerror or error}") from error

    def sync(self) -> None:
        if self.before_io is not None:
            self.before_io("sync")
        self._stable_part.sync()

    def chunk(self, volatile: bool, queue: int, lane: int, first: int) -> Chunk | None:
        part = self._part(volatile)
        return None if part is None else part.chunk(queue, lane, first)

    def chunk_at(self, volatile: bool, queue: int, lane: int, sequence: int) -> Chunk | None:
        part = self._part(volatile)
        return None if part is None else part.chunk_at(queue, lane, sequence)

    def lanes(self, queue: int) -> list[LaneState]:
        states = self._stable_part.lanes(queue, False)
        if self._volatile_part is not None:
            states += self._volatile_part.lanes(queue, True)
        return states

    def lookup(self, volatile: bool, queue: int, key: bytes, limit: int = 0) -> list[tuple[int, int]]:
        part = self._part(volatile)
        return [] if part is None else part.lookup(queue, key, limit)

    def expiring(self, volatile: bool, until: int, after: bytes, limit: int) -> list[bytes]:
        part = self._part(volatile)
        return [] if part is None else part.expiring(until, after, limit)

    def queues(self) -> list[int]:
        numbers = self._stable_part.queues()
        if self._volatile_part is not None:
            numbers |= self._volatile_part.queues()
        return sorted(numbers)

    def meta(self, key: bytes) -> bytes | None:
        return self._stable_part.meta(key)

    def meta_items(self, prefix: bytes) -> list[tuple[bytes, bytes]]:
        return self._stable_part.meta_items(prefix)

    def statistics(self) -> PageSetStatistics:
        figures = PageSetStatistics()
        self._stable_part.add_statistics(figures)
        if self._volatile_part is not None:
            self._volatile_part.add_statistics(figures)
        return figures

    def trim(self) -> None:
        """Nothing to give back: chunks are not read through a map, and the map of LMDB is small."""

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            self._stable_part.sync()
        finally:
            self._stable_part.close()
            if self._volatile_part is not None:
                self._volatile_part.close()
                shutil.rmtree(os.path.join(self.directory, VOLATILE), ignore_errors=True)
