"""One environment: the stable or the volatile part of a page set, an LMDB file and a page file.

    database  key                            value
    about     "format"                       "FLPS", u16 version 3, u16 page set
              "ranges"                       when each range of the index was last written (index.py)
    spans     u32 queue, u8 lane, u64 first  where the chunk is, and which of its slots are dead (span.py)
    lanes     u32 queue, u8 lane             u64 live messages, u64 chunks; absent when there are no chunks
    index     u32 queue, 12-byte entry       where a bucket of index entries is (lmdb_index.py)
    waiting   u64 apply                      a note of index changes that are not in the buckets yet (index.py)
    expiry    17-byte entry of a chunk       empty; only for chunks with messages that expire (expiry.py)
    meta      as the engine likes            as the engine likes

Keys are big-endian, so that byte order is order; values are little-endian.

Version 1 had no entries by expiry. When such an environment is opened they are made, once, from the tables of all
chunks, in the transaction that makes it the present version. Version 2 had no lists in the meta data of page set 0
(qmgr/checkpoint.py); who reads it there goes on without, until the next checkpoint writes one.

All reads between one apply and the next share an LMDB read transaction. It must end before LMDB writes, because pages
that a reader may still see cannot be used again.
"""

import errno
import os
import struct
from typing import Final, TypeAlias

import lmdb
from crc32c import crc32c

from flintmq.store.chunk import NO_ID, Chunk, Lease, Location, chunk_key, split_key
from flintmq.store.datafile import (
    DATA_FILE,
    DISK_FULL,
    PAGE,
    RESERVE_BYTES,
    check_data_file,
    reserve_lock_file,
    reserve_pages,
    room_for,
    seal_data_file,
    write_meta_again,
)
from flintmq.store.errors import PageSetDamaged, PageSetError, PageSetFull
from flintmq.store.expiry import POSITION_SIZE, end_of, position, second_of
from flintmq.store.index import WaitingIndex, hashes_of, reference, split_reference
from flintmq.store.lmdb_apply import LANE, Application
from flintmq.store.lmdb_index import LmdbIndex
from flintmq.store.pagefile import PageFile
from flintmq.store.pageset import LANES, BatchPart, LaneState, PageSetStatistics
from flintmq.store.span import Span, unpack_span

DATABASES: Final = (b"about", b"spans", b"lanes", b"index", b"waiting", b"expiry", b"meta")
FORMAT: Final = struct.Struct("<4sHH")
FORMAT_MAGIC: Final = b"FLPS"
FORMAT_VERSION: Final = 3
_VERSION_WITHOUT_LISTS: Final = 2
_VERSION_WITHOUT_EXPIRY: Final = 1
MAP_BYTES_MIN: Final = 1 << 28
WAITING_MAX: Final = 131072

_LANE_KEY: Final = struct.Struct(">IB")
_APPLY: Final = struct.Struct(">Q")
_FULL: Final = "the disk is full; free some space on it, messages are kept meanwhile"

# The binding is generic for the type checker only, hence the quotes.
_Write: TypeAlias = "lmdb.Transaction[bytes]"
_Read: TypeAlias = "lmdb.Transaction[bytes]"


class LmdbPart:
    """One environment, open. Not for use by two threads at a time."""

    def __init__(
        self, directory: str, psid: int, map_bytes: int, durable: bool, waiting_max: int = WAITING_MAX
    ) -> None:
        self.path = os.path.join(directory, DATA_FILE)
        self.counters = PageSetStatistics()
        self.waiting = WaitingIndex(waiting_max)
        self._directory = directory
        self._psid = psid
        self._durable = durable
        self._map_bytes = map_bytes
        self._waiting_max = waiting_max
        self._transaction: _Read | None = None
        self._lease = Lease()
        self._apply = 0
        self._reserved_from = -1  # a page number; when LMDB uses a higher one, the reserve is looked at
        self._meta_due = False  # LMDB's meta pages could not be written again at the open
        self._open()

    # Opening and closing

    def _open(self) -> None:
        os.makedirs(self._directory, mode=0o700, exist_ok=True)
        check_data_file(self.path)
        size = os.path.getsize(self.path) if os.path.exists(self.path) else 0
        while self._map_bytes < 2 * size:
            self._map_bytes *= 2
        if self._durable:
            self._write_meta_again()
        self.file = PageFile(self._directory, self._psid, self._durable)
        try:
            reserve_lock_file(self._directory)
            self._open_environment()
            self._remember()
        except lmdb.Error as error:
            self.file.close()
            raise self._refusal(error) from error
        except BaseException:
            self.file.close()
            raise

    def _write_meta_again(self) -> None:
        """See datafile.py. On a full disk (one that never overwrites in place) it waits until something is written."""
        try:
            write_meta_again(self.path)
        except OSError as error:
            if error.errno not in DISK_FULL:
                raise
            self._meta_due = True
            return
        self._meta_due = False

    def _open_environment(self) -> None:
        self._env = lmdb.open(
            self._directory,
            map_size=self._map_bytes,
            metasync=False,
            sync=self._durable,
            readahead=False,
            meminit=False,
            max_dbs=len(DATABASES),
            max_spare_txns=2,
            mode=0o600,
        )
        try:
            with self._env.begin(write=True) as txn:
                self.about = self._env.open_db(b"about", txn)
                self.spans = self._env.open_db(b"spans", txn)
                self.lane_counts = self._env.open_db(b"lanes", txn)
                self._buckets = self._env.open_db(b"index", txn)
                self.notes = self._env.open_db(b"waiting", txn)
                self.expiries = self._env.open_db(b"expiry", txn)
                self.meta_data = self._env.open_db(b"meta", txn)
                self._check_format(txn)
            self._env.sync(True)  # PF3: pages that this state does not name may now be written.
        except BaseException:
            self._env.close()
            raise
        self.index = LmdbIndex(self.path, self._buckets, self.file)

    def _check_format(self, txn: _Write) -> None:
        known = txn.get(b"format", db=self.about)
        if known is None:
            txn.put(b"format", FORMAT.pack(FORMAT_MAGIC, FORMAT_VERSION, self._psid), db=self.about)
            return
        if len(known) != FORMAT.size or known[:4] != FORMAT_MAGIC:
            raise PageSetDamaged(self.path, "is an LMDB file but not a page set")
        _, version, psid = FORMAT.unpack(known)
        if version not in (FORMAT_VERSION, _VERSION_WITHOUT_LISTS, _VERSION_WITHOUT_EXPIRY):
            raise PageSetError(self.path, f"has format {version}; this program reads formats 1 to {FORMAT_VERSION}")
        if psid != self._psid:
            raise PageSetError(self.path, f"is page set {psid:02d}, not {self._psid:02d}")
        if version == _VERSION_WITHOUT_EXPIRY:
            self._make_entries_by_expiry(txn)
        if version != FORMAT_VERSION:
            txn.put(b"format", FORMAT.pack(FORMAT_MAGIC, FORMAT_VERSION, psid), db=self.about)

    def _make_entries_by_expiry(self, txn: _Write) -> None:
        """A damaged chunk gets none, which is told when it is read."""
        for key, packed in list(txn.cursor(self.spans)):
            try:
                span = unpack_span(packed)
                expiries = self.read_chunk(key, span).expiries()
            except (struct.error, PageSetDamaged):
                continue
            span.expires = second_of(min([each for each in expiries if each], default=0))
            if span.expires:
                txn.put(position(span.expires, key), b"", db=self.expiries)
                txn.put(key, span.pack(), db=self.spans)

    def _refusal(self, error: lmdb.Error, writing: bool = False) -> PageSetError:
        """Return the error for the caller from an error of LMDB."""
        code = getattr(error, "code", 0)
        if code == errno.EIO and writing:  # LMDB says that of a disk that was full in the middle of a write.
            code = room_for(self.path, 1 << 22) or code
        if code in DISK_FULL:
            return PageSetFull(self.path, _FULL)
        if code == errno.EIO:
            return PageSetError(self.path, "the disk reports an error; see the system's log")
        if isinstance(error, lmdb.LockError | lmdb.ReadonlyError) or code in (errno.EACCES, errno.EPERM, errno.EROFS):
            return PageSetError(self.path, f"cannot be opened for writing ({error})")
        return PageSetDamaged(self.path, f"LMDB cannot use it ({error}); restore it from a backup")

    def _damage(self, what: str) -> PageSetDamaged:
        return PageSetDamaged(self.path, f"{what}; restore it from a backup")

    def _remember(self) -> None:
        """Read the state for memory: where the buckets are, which pages are free, which index entries wait."""
        self.waiting = WaitingIndex(self._waiting_max)
        try:
            with self._env.begin() as txn:
                self.index.load(txn)
                values = self.index.places()
                for key, packed in txn.cursor(self.spans):
                    if len(key) != 13:
                        raise self._damage(f"a span has a key of {len(key)} bytes")
                    span = unpack_span(packed)
                    values.append((span.page, span.length))
                self.file.adopt(values)
                self._apply = self.waiting.restore_ranges(txn.get(b"ranges", b"", db=self.about))
                for packed, note in txn.cursor(self.notes):
                    (number,) = _APPLY.unpack(packed)
                    self.waiting.note(number, self._read_note(txn, number, note))
                    self._apply = max(self._apply, number)
        except (lmdb.Error, struct.error, IndexError) as error:
            raise self._damage(f"its records cannot be read ({error})") from error
        self.waiting.buckets_may_have_all()

    def _read_note(self, txn: _Read, apply: int, note: bytes) -> int:
        """Let the index entries wait again that this note speaks of."""
        at = 0
        changes = 0
        while at < len(note):
            key = note[at + 1 : at + 14]
            queue, lane, first = split_key(key)
            if note[at] == ord("+"):
                at += 14
                packed = txn.get(key, db=self.spans)
                if packed is not None:
                    hashes = self._hashes(key, packed)
                    self.waiting.add(queue, self.waiting.unwritten(hashes, apply), reference(lane, first))
                    changes += len(hashes)
            else:
                (count,) = struct.unpack_from("<H", note, at + 14)
                hashes = list(struct.unpack_from(f"<{count}I", note, at + 16))
                at += 16 + 4 * count
                self.waiting.remove(queue, self.waiting.unwritten(hashes, apply), reference(lane, first))
                changes += count
        return changes

    def _hashes(self, key: bytes, packed: bytes) -> list[int]:
        """The hashes of a chunk's keys; of a damaged chunk none, which is told when it is read."""
        try:
            return hashes_of(self.read_chunk(key, unpack_span(packed)).index_keys())
        except PageSetDamaged:
            return []

    def sync(self) -> None:
        try:
            self._env.sync(True)
        except lmdb.Error as error:
            # Never PageSetFull: the batch is applied, and nobody knows what of it is on the disk.
            raise PageSetError(self.path, f"cannot be made safe on disk: {error}") from error
        self.file.rested()
        self.counters.syncs += 1

    def close(self) -> None:
        self._end_reads()
        self.file.close()
        self._env.close()
        if self._durable:
            seal_data_file(self.path)

    # Writing

    def apply(self, part: BatchPart, dropped: set[int], meta: dict[bytes, bytes | None]) -> None:
        """Do all of it in one transaction, or nothing."""
        self._end_reads()
        if self._meta_due:
            self._write_meta_again()
            if self._meta_due:
                raise PageSetFull(self.path, _FULL)
        while True:
            try:
                with self._env.begin(write=True) as txn:
                    Application(self, txn, self._apply + 1).run(part, dropped, meta)
                    self.file.flush()
                self.file.committed()
                self.index.written()
                self._apply += 1
                self.counters.applies += 1
                self._reserve()
                return
            except lmdb.MapFullError:
                self.file.abandoned()
                self._grow_map()
                self._remember()
            except lmdb.Error as error:
                self.close()
                self._open()
                raise self._refusal(error, True) from error
            except struct.error as error:
                self._remember()
                raise self._damage(f"a record has the wrong length ({error})") from error
            except BaseException:
                self._remember()
                raise

    def _reserve(self) -> None:
        """Keep some pages of the file free, for batches that make room on a full disk."""
        if self._durable:
            last: int = self._env.info()["last_pgno"]
            if last > self._reserved_from:
                self._reserved_from = last + (RESERVE_BYTES >> 13)
                reserve_pages(self.path, (last + 1) * PAGE)

    def _grow_map(self) -> None:
        try:
            self._env.set_mapsize(2 * self._map_bytes)
        except lmdb.Error as error:
            raise PageSetFull(self.path, f"its map cannot grow beyond {self._map_bytes >> 20} MiB ({error})") from error
        self._map_bytes *= 2

    # Reading

    def _begin(self) -> _Read:
        txn = self._transaction
        if txn is None:
            txn = self._env.begin()
            self._transaction = txn
            self._lease = Lease()
            self._cursor = txn.cursor(self.spans)
        return txn

    def _end_reads(self) -> None:
        txn = self._transaction
        if txn is not None:
            self._lease.valid = False
            self._transaction = None
            txn.abort()

    def read(self, location: Location, start: int, stop: int) -> bytes:
        """Part of a chunk (ChunkReader)."""
        return self.file.read(location.page, start, stop - start)

    def locate(self, key: bytes) -> Location | None:
        """Where a chunk is now (ChunkReader)."""
        packed = self._begin().get(key, db=self.spans)
        if packed is None:
            return None
        span = self.span(key, packed)
        return Location(self._lease, span.page, span.length, span.written)

    def span(self, key: bytes, packed: bytes) -> Span:
        try:
            return unpack_span(packed)
        except struct.error as error:
            raise self._damage(f"the span of chunk {split_key(key)} cannot be read") from error

    def read_chunk(self, key: bytes, span: Span) -> Chunk:
        """The chunk with that span."""
        head = self.file.read(span.page, 0, min(span.base, span.length))
        location = Location(self._lease, span.page, span.length, span.written)
        return Chunk(self.file.path, key, head, span.length, span.dead, self, location)

    def chunk(self, queue: int, lane: int, first: int) -> Chunk | None:
        key = chunk_key(queue, lane, first)
        try:
            packed = self._begin().get(key, db=self.spans)
        except lmdb.Error as error:
            raise self._refusal(error) from error
        if packed is None:
            return None
        self.counters.chunks_read += 1
        return self.read_chunk(key, self.span(key, packed))

    def chunk_at(self, queue: int, lane: int, sequence: int) -> Chunk | None:
        key = chunk_key(queue, lane, sequence)
        prefix = key[:5]
        try:
            self._begin()
            cursor = self._cursor
            found = cursor.set_range(key)
            at = cursor.key()
            span: Span | None = self.span(at, cursor.value()) if found and at[:5] == prefix else None
            if at != key and (cursor.prev() if found else cursor.last()):
                before = cursor.key()
                if before[:5] == prefix:
                    earlier = self.span(before, cursor.value())
                    if earlier.last >= sequence:
                        at = before
                        span = earlier
        except lmdb.Error as error:
            raise self._refusal(error) from error
        if span is None:
            return None
        self.counters.chunks_read += 1
        return self.read_chunk(at, span)

    def lanes(self, queue: int, volatile: bool) -> list[LaneState]:
        states: list[LaneState] = []
        try:
            txn = self._begin()
            cursor = self._cursor
            for lane in range(LANES):
                counts = txn.get(_LANE_KEY.pack(queue, lane), db=self.lane_counts)
                if counts is None or not cursor.set_range(chunk_key(queue, lane, 0)):
                    continue
                first = split_key(cursor.key())[2]
                found = cursor.set_range(chunk_key(queue, lane + 1, 0))
                if cursor.prev() if found else cursor.last():
                    live, _ = LANE.unpack(counts)
                    states.append((volatile, lane, first, self.span(cursor.key(), cursor.value()).last, live))
        except (lmdb.Error, struct.error) as error:
            raise self._damage(f"the lanes of queue {queue} cannot be read ({error})") from error
        return states

    def lookup(self, queue: int, key: bytes, limit: int) -> list[tuple[int, int]]:
        if key == NO_ID:
            return []
        number: int = crc32c(key)
        wanted = limit + self.waiting.removed_count(queue, number) if limit > 0 else 0
        stored = self.index.lookup(queue, number, wanted)
        found = [split_reference(each) for each in self.waiting.lookup(queue, number, stored)]
        return found[:limit] if limit > 0 else found

    def expiring(self, until: int, after: bytes, limit: int) -> list[bytes]:
        entries: list[bytes] = []
        end = end_of(until)
        try:
            cursor = self._begin().cursor(self.expiries)
            found = cursor.set_range(after + b"\0") if after else cursor.first()
            while found and len(entries) < limit:
                entry = cursor.key()
                if entry >= end:
                    break
                if len(entry) != POSITION_SIZE:
                    raise self._damage(f"an entry by expiry has {len(entry)} bytes")
                entries.append(entry)
                found = cursor.next()
        except lmdb.Error as error:
            raise self._refusal(error) from error
        return entries

    def queues(self) -> set[int]:
        try:
            cursor = self._begin().cursor(self.lane_counts)
            return {_LANE_KEY.unpack(key)[0] for key in cursor.iternext(keys=True, values=False)}
        except (lmdb.Error, struct.error) as error:
            raise self._damage(f"the list of queues cannot be read ({error})") from error

    def meta(self, key: bytes) -> bytes | None:
        try:
            return self._begin().get(key, db=self.meta_data)
        except lmdb.Error as error:
            raise self._refusal(error) from error

    def meta_items(self, prefix: bytes) -> list[tuple[bytes, bytes]]:
        items: list[tuple[bytes, bytes]] = []
        try:
            cursor = self._begin().cursor(self.meta_data)
            found = cursor.set_range(prefix) if prefix else cursor.first()
            while found and cursor.key().startswith(prefix):
                items.append(cursor.item())
                found = cursor.next()
        except lmdb.Error as error:
            raise self._refusal(error) from error
        return items

    def add_statistics(self, figures: PageSetStatistics) -> None:
        """Add the figures of this environment."""
        size, used = self.file.figures()
        try:
            txn = self._begin()
            figures.chunks += txn.stat(self.spans)["entries"]
            for value in txn.cursor(self.lane_counts).iternext(keys=False, values=True):
                figures.messages += LANE.unpack(value)[0]
            used += self._env.info()["last_pgno"] + 1
            size += os.path.getsize(self.path)
        except (lmdb.Error, struct.error) as error:
            raise self._damage(f"its figures cannot be read ({error})") from error
        figures.file_bytes += size
        figures.file_pages_used += used
        figures.index_buckets += self.index.bucket_count()
        figures.index_waiting += self.waiting.waiting
        figures.applies = max(figures.applies, self.counters.applies)
        figures.syncs += self.counters.syncs
        figures.chunks_read += self.counters.chunks_read
