"""One LMDB environment: the stable or the volatile part of a page set.

    database  key                            value
    about     "format"                       "FLPS", u16 version 1, u16 page set
              "ranges"                       when each range of the index was last written (index.py)
    chunks    u32 queue, u8 lane, u64 first  a chunk (chunk.py)
    spans     the same                       u32 slots of the chunk, u32 0, u64 its last sequence; if slots are dead,
                                             one bit for each slot, the first slot lowest
    lanes     u32 queue, u8 lane             u64 live messages, u64 chunks; absent when there are no chunks
    index     u32 queue, 12-byte entry       a bucket of index entries (index.py)
    waiting   u64 apply                      a note of index changes that are not in `index` yet (index.py)
    meta      as the engine likes            as the engine likes

Keys are big-endian, so that byte order is order; values are little-endian.

All reads between one apply and the next share an LMDB read transaction. It must end before LMDB writes, because pages
that a reader may still see cannot be used again. The binding touches every page of a value that it gives out, so
chunks are searched by their spans and looked up once; where a chunk is in the file is then remembered (Location,
chunk.py) until the chunk goes.
"""

import errno
import os
import struct
from typing import Final, TypeAlias

import lmdb
from crc32c import crc32c

from flintmq.store.chunk import HEADER_SIZE, NO_ID, Chunk, Location, chunk_key, located, split_key, whole_chunk
from flintmq.store.datafile import DATA_FILE, DataFile, check_data_file, mapped_pages, room_for
from flintmq.store.errors import PageSetDamaged, PageSetError, PageSetFull
from flintmq.store.index import WaitingIndex, hashes_of, reference, split_reference
from flintmq.store.lmdb_index import LmdbIndex
from flintmq.store.pageset import LANES, BatchPart, ChunkAddition, LaneState, PageSetStatistics

DATABASES: Final = (b"about", b"chunks", b"spans", b"lanes", b"index", b"waiting", b"meta")
FORMAT: Final = struct.Struct("<4sHH")
FORMAT_MAGIC: Final = b"FLPS"
FORMAT_VERSION: Final = 1
MAP_BYTES_MIN: Final = 1 << 30
WAITING_MAX: Final = 131072
TOUCHES_PER_LOOK: Final = 256  # after so many reads, see how much memory the mapped pages take
TOUCHES_OF_VALUE: Final = 8  # a large value that LMDB gives out, with the pages around it, counts as so many
MAPPED_PAGES_MAX: Final = 64 * 256  # and let them go when they have grown by 64 MiB
HEAD_BYTES: Final = 8192  # read of a chunk that is not known yet: the tables of most
LOCATIONS_MAX: Final = 65536

_LANE_KEY: Final = struct.Struct(">IB")
_LANE: Final = struct.Struct("<QQ")
_SPAN: Final = struct.Struct("<IIQ")
_QUEUE: Final = struct.Struct(">I")
_APPLY: Final = struct.Struct(">Q")
_DISK_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

# The binding is generic for the type checker only, hence the quotes.
_Write: TypeAlias = "lmdb.Transaction[bytes]"
_Read: TypeAlias = "lmdb.Transaction[memoryview]"


def pack_span(count: int, last: int, dead: int) -> bytes:
    """The value of a span."""
    span = _SPAN.pack(count, 0, last)
    return span if dead == 0 else span + dead.to_bytes((count + 7) // 8, "little")


def unpack_span(value: bytes) -> tuple[int, int, int]:
    """(slots, last sequence, bits of the dead slots) of a span. Raises struct.error on anything else."""
    count, _, last = _SPAN.unpack_from(value)
    if len(value) == _SPAN.size:
        return count, last, 0
    if len(value) != _SPAN.size + (count + 7) // 8:
        raise struct.error(f"a span of {count} slots with {len(value)} bytes")
    return count, last, int.from_bytes(value[_SPAN.size :], "little")


class LmdbPart:
    """One environment, open. Not for use by two threads at a time."""

    def __init__(
        self, directory: str, psid: int, map_bytes: int, durable: bool, waiting_max: int = WAITING_MAX
    ) -> None:
        self.path = os.path.join(directory, DATA_FILE)
        self.statistics = PageSetStatistics()
        self._directory = directory
        self._psid = psid
        self._durable = durable
        self._map_bytes = map_bytes
        self._waiting_max = waiting_max
        self._transaction: _Read | None = None
        self._locations: dict[bytes, Location] = {}
        self._touches = 0
        self._mapped_pages = 0
        self._apply = 0
        self._waiting = WaitingIndex(waiting_max)
        self._open()

    # Opening and closing

    def _open(self) -> None:
        os.makedirs(self._directory, exist_ok=True)
        check_data_file(self.path)
        try:
            size = os.path.getsize(self.path) if os.path.exists(self.path) else 0
            while self._map_bytes < 2 * size:
                self._map_bytes *= 2
            self._env = lmdb.open(
                self._directory,
                map_size=self._map_bytes,
                metasync=False,
                sync=self._durable,
                readahead=False,
                meminit=False,
                max_dbs=len(DATABASES),
                max_spare_txns=2,
            )
            with self._env.begin(write=True) as txn:
                self._about = self._env.open_db(b"about", txn)
                self._chunks = self._env.open_db(b"chunks", txn)
                self._spans = self._env.open_db(b"spans", txn)
                self._lanes = self._env.open_db(b"lanes", txn)
                index = self._env.open_db(b"index", txn)
                self._notes = self._env.open_db(b"waiting", txn)
                self._meta = self._env.open_db(b"meta", txn)
                self._check_format(txn)
            self._file = DataFile(self.path)
        except lmdb.Error as error:
            raise self._refusal(error) from error
        self._index_database = index
        self._index = LmdbIndex(index, self._file)
        self._mapped_pages = mapped_pages()
        self._read_index()

    def _check_format(self, txn: _Write) -> None:
        known = txn.get(b"format", db=self._about)
        if known is None:
            txn.put(b"format", FORMAT.pack(FORMAT_MAGIC, FORMAT_VERSION, self._psid), db=self._about)
            return
        if len(known) != FORMAT.size or known[:4] != FORMAT_MAGIC:
            raise PageSetDamaged(self.path, "is an LMDB file but not a page set")
        _, version, psid = FORMAT.unpack(known)
        if version != FORMAT_VERSION:
            raise PageSetError(self.path, f"has format {version}; this program reads format {FORMAT_VERSION}")
        if psid != self._psid:
            raise PageSetError(self.path, f"is page set {psid:02d}, not {self._psid:02d}")

    def _refusal(self, error: lmdb.Error, writing: int = 0) -> PageSetError:
        """What the caller is told about an error of LMDB, met while `writing` bytes if that is not 0."""
        code = getattr(error, "code", 0)
        if code == errno.EIO and writing:  # LMDB says that of a disk that was full in the middle of a write.
            code = room_for(self.path, 2 * writing + (1 << 20)) or code
        if code in _DISK_FULL or isinstance(error, lmdb.MapFullError):
            return PageSetFull(self.path, "the disk is full; free some space on it, the messages are kept meanwhile")
        if code == errno.EIO:
            return PageSetError(self.path, "the disk reports an error; see the system's log")
        if isinstance(error, lmdb.LockError | lmdb.ReadonlyError) or code in (errno.EACCES, errno.EPERM, errno.EROFS):
            return PageSetError(self.path, f"cannot be opened for writing ({error})")
        return PageSetDamaged(self.path, f"LMDB cannot use it ({error}); restore it from a backup")

    def _read_index(self) -> None:
        """Bring back what memory has of the index: which buckets there are, and the entries that wait."""
        self._waiting = WaitingIndex(self._waiting_max)
        self._forget_locations(len(self._locations))
        try:
            with self._env.begin(buffers=True) as txn:
                self._index.load(txn)
                self._apply = self._waiting.restore_ranges(bytes(txn.get(b"ranges", b"", db=self._about)))
                for packed, value in txn.cursor(self._notes):
                    (number,) = _APPLY.unpack(packed)
                    self._waiting.note(number, self._read_note(txn, number, bytes(value)))
                    self._apply = max(self._apply, number)
        except (lmdb.Error, struct.error, IndexError) as error:
            raise PageSetDamaged(self.path, f"the notes of waiting index entries cannot be read ({error})") from error
        self._waiting.buckets_may_have_all()

    def _read_note(self, txn: _Read, apply: int, note: bytes) -> int:
        at = 0
        changes = 0
        while at < len(note):
            key = note[at + 1 : at + 14]
            queue, lane, first = split_key(key)
            if note[at] == ord("+"):
                at += 14
                view = txn.get(key, db=self._chunks)
                if view is not None:
                    hashes = hashes_of(self._head_of(key, view).index_keys())
                    self._waiting.add(queue, self._waiting.unwritten(hashes, apply), reference(lane, first))
                    changes += len(hashes)
            else:
                (count,) = struct.unpack_from("<H", note, at + 14)
                hashes = list(struct.unpack_from(f"<{count}I", note, at + 16))
                at += 16 + 4 * count
                self._waiting.remove(queue, self._waiting.unwritten(hashes, apply), reference(lane, first))
                changes += count
        return changes

    def sync(self) -> None:
        try:
            self._env.sync(True)
        except lmdb.Error as error:
            raise self._refusal(error) from error
        self.statistics.syncs += 1

    def close(self) -> None:
        self._end_reads()
        self._forget_locations(len(self._locations))
        self._file.close()
        self._env.close()

    def _reopen(self) -> None:
        self.close()
        self._open()

    # Writing

    def apply(self, part: BatchPart, dropped: set[int], meta: dict[bytes, bytes | None]) -> None:
        """Do all of it in one transaction, or nothing."""
        self._end_reads()
        self._make_room(part)
        while True:
            try:
                with self._env.begin(write=True) as txn:
                    _Application(self, txn, self._apply + 1).run(part, dropped, meta)
                self._apply += 1
                self.statistics.applies += 1
                self._look_at_memory(TOUCHES_PER_LOOK // 8)
                return
            except lmdb.MapFullError:
                self._read_index()
                self._grow_map()
            except lmdb.Error as error:
                self._reopen()
                raise self._refusal(error, sum(len(each.value) for each in part.adds.values())) from error
            except struct.error as error:
                self._read_index()
                raise PageSetDamaged(self.path, f"a record has the wrong length ({error})") from error
            except BaseException:
                self._read_index()
                raise

    def _make_room(self, part: BatchPart) -> None:
        """Grow the map before LMDB says it is full, so that work is seldom done twice."""
        wanted = 1 << 25
        for addition in part.adds.values():
            wanted += 2 * len(addition.value)
        while (self._env.info()["last_pgno"] + 1) * 4096 + wanted > self._map_bytes:
            self._grow_map()

    def _grow_map(self) -> None:
        self._end_reads()
        try:
            self._env.set_mapsize(2 * self._map_bytes)
        except lmdb.Error as error:
            raise PageSetFull(self.path, f"its map cannot grow beyond {self._map_bytes >> 20} MiB ({error})") from error
        self._map_bytes *= 2
        self._file.find_map()

    # Reading

    def _begin(self) -> _Read:
        """The read transaction of the day, and now and then a look at the memory that reads have cost."""
        txn = self._transaction
        if txn is None:
            txn = self._env.begin(buffers=True)
            self._transaction = txn
            self._span_cursor = txn.cursor(self._spans)
        self._look_at_memory(1)
        return txn

    def _end_reads(self) -> None:
        txn = self._transaction
        if txn is not None:
            self._transaction = None
            txn.abort()

    def _look_at_memory(self, touches: int) -> None:
        self._touches += touches
        if self._touches >= TOUCHES_PER_LOOK:
            self._touches = 0
            if mapped_pages() > self._mapped_pages + MAPPED_PAGES_MAX:
                self.trim()

    def trim(self) -> None:
        """Let mapped pages go; the next use reads them in again."""
        if self._file.release():
            self._mapped_pages = mapped_pages()
            self.statistics.trims += 1

    def read(self, location: Location, start: int, stop: int) -> bytes:
        """Part of a chunk's value (ChunkReader)."""
        return self._file.read(location.offset + start, stop - start)

    def locate(self, key: bytes) -> Location | None:
        """Where the value of a chunk is now (ChunkReader). Chunks that have no location do not ask."""
        location = self._locations.get(key)
        if location is None:
            view = self._begin().get(key, db=self._chunks)
            if view is None:
                return None
            offset = self._file.locate(view)
            if offset < 0:
                return None
            location = self._remember(key, offset, len(view), self._file.read(offset, HEADER_SIZE))
        return location

    def _remember(self, key: bytes, offset: int, length: int, head: bytes) -> Location | None:
        self._look_at_memory(TOUCHES_OF_VALUE)
        if len(head) < HEADER_SIZE:
            return None
        location = located(offset, length, head)
        if len(self._locations) >= LOCATIONS_MAX:
            self._forget_locations(LOCATIONS_MAX // 8)
        self._locations[key] = location
        return location

    def _forget_locations(self, count: int) -> None:
        """Forget the `count` locations that have been known longest."""
        for key in list(self._locations)[:count]:
            self._locations.pop(key).valid = False

    def _forget_location(self, key: bytes) -> None:
        location = self._locations.pop(key, None)
        if location is not None:
            location.valid = False

    def _head_of(self, key: bytes, view: memoryview) -> Chunk:
        """The chunk that LMDB shows in `view`, not to be kept and without its dead slots."""
        offset = self._file.locate(view)
        return (
            whole_chunk(self.path, key, bytes(view), 0) if offset < 0 else self._read_chunk(key, offset, len(view), 0)
        )

    def _read_chunk(self, key: bytes, offset: int, length: int, dead: int) -> Chunk:
        head = self._file.read(offset, min(length, HEAD_BYTES))
        location = self._locations.get(key)
        if location is None:
            location = self._remember(key, offset, length, head)
        if location is not None and HEAD_BYTES < location.base <= length:
            head = self._file.read(offset, location.base)
        return Chunk(self.path, key, head, length, dead, self, location)

    def chunk(self, queue: int, lane: int, first: int) -> Chunk | None:
        key = chunk_key(queue, lane, first)
        try:
            return self._chunk(self._begin(), key)
        except lmdb.Error as error:
            raise self._refusal(error) from error

    def _chunk(self, txn: _Read, key: bytes) -> Chunk | None:
        self.statistics.chunks_read += 1
        location = self._locations.get(key)
        if location is not None:
            if location.dead < 0:
                location.dead = self._dead(txn, key)
            head = self._file.read(location.offset, location.base)
            return Chunk(self.path, key, head, location.length, location.dead, self, location)
        view = txn.get(key, db=self._chunks)
        if view is None:
            return None
        dead = self._dead(txn, key)
        offset = self._file.locate(view)
        if offset < 0:
            return whole_chunk(self.path, key, bytes(view), dead)
        chunk = self._read_chunk(key, offset, len(view), dead)
        location = self._locations.get(key)
        if location is not None:
            location.dead = dead
        return chunk

    def _dead(self, txn: _Read, key: bytes) -> int:
        span = txn.get(key, db=self._spans)
        if span is None:
            raise PageSetDamaged(self.path, f"the chunk {split_key(key)} has no span; restore it from a backup")
        return self._span(key, span)[2]

    def _span(self, key: bytes, span: bytes | memoryview) -> tuple[int, int, int]:
        try:
            return unpack_span(bytes(span))
        except struct.error as error:
            raise PageSetDamaged(self.path, f"the span of chunk {split_key(key)} cannot be read") from error

    def chunk_at(self, queue: int, lane: int, sequence: int) -> Chunk | None:
        key = chunk_key(queue, lane, sequence)
        prefix = key[:5]
        try:
            txn = self._begin()
            cursor = self._span_cursor
            after: bytes | None = None
            found = cursor.set_range(key)
            if found:
                at = bytes(cursor.key())
                if at == key:
                    return self._chunk(txn, key)
                if at[:5] == prefix:
                    after = at
            if cursor.prev() if found else cursor.last():
                before = bytes(cursor.key())
                if before[:5] == prefix and self._span(before, cursor.value())[1] >= sequence:
                    return self._chunk(txn, before)
            return None if after is None else self._chunk(txn, after)
        except lmdb.Error as error:
            raise self._refusal(error) from error

    def lanes(self, queue: int, volatile: bool) -> list[LaneState]:
        states: list[LaneState] = []
        try:
            txn = self._begin()
            cursor = self._span_cursor
            for lane in range(LANES):
                counts = txn.get(_LANE_KEY.pack(queue, lane), db=self._lanes)
                if counts is None or not cursor.set_range(chunk_key(queue, lane, 0)):
                    continue
                _, _, first = split_key(bytes(cursor.key()))
                found = cursor.set_range(chunk_key(queue, lane + 1, 0))
                if cursor.prev() if found else cursor.last():
                    live, _ = _LANE.unpack(counts)
                    last = self._span(bytes(cursor.key()), cursor.value())[1]
                    states.append((volatile, lane, first, last, live))
        except (lmdb.Error, struct.error) as error:
            raise PageSetDamaged(self.path, f"the lanes of queue {queue} cannot be read ({error})") from error
        return states

    def lookup(self, queue: int, key: bytes, limit: int) -> list[tuple[int, int]]:
        if key == NO_ID:
            return []
        number: int = crc32c(key)
        wanted = limit + self._waiting.removed_count(queue, number) if limit > 0 else 0
        try:
            stored = self._index.lookup(self._begin(), queue, number, wanted)
        except lmdb.Error as error:
            raise self._refusal(error) from error
        found = [split_reference(each) for each in self._waiting.lookup(queue, number, stored)]
        return found[:limit] if limit > 0 else found

    def queues(self) -> set[int]:
        try:
            cursor = self._begin().cursor(self._lanes)
            return {_LANE_KEY.unpack(key)[0] for key in cursor.iternext(keys=True, values=False)}
        except (lmdb.Error, struct.error) as error:
            raise PageSetDamaged(self.path, f"the list of queues cannot be read ({error})") from error

    def meta(self, key: bytes) -> bytes | None:
        try:
            value = self._begin().get(key, db=self._meta)
        except lmdb.Error as error:
            raise self._refusal(error) from error
        return None if value is None else bytes(value)

    def meta_items(self, prefix: bytes) -> list[tuple[bytes, bytes]]:
        items: list[tuple[bytes, bytes]] = []
        try:
            cursor = self._begin().cursor(self._meta)
            found = cursor.set_range(prefix) if prefix else cursor.first()
            while found:
                key = bytes(cursor.key())
                if not key.startswith(prefix):
                    break
                items.append((key, bytes(cursor.value())))
                found = cursor.next()
        except lmdb.Error as error:
            raise self._refusal(error) from error
        return items

    def add_statistics(self, figures: PageSetStatistics) -> None:
        """Add the figures of this environment."""
        try:
            txn = self._begin()
            for database in (self._about, self._chunks, self._spans, self._lanes, self._notes, self._meta):
                stat = txn.stat(database)
                figures.file_pages_used += stat["branch_pages"] + stat["leaf_pages"] + stat["overflow_pages"]
            figures.chunks += txn.stat(self._chunks)["entries"]
            index = txn.stat(self._index_database)
            figures.file_pages_used += index["branch_pages"] + index["leaf_pages"] + index["overflow_pages"]
            figures.index_buckets += self._index.bucket_count()
            for value in txn.cursor(self._lanes).iternext(keys=False, values=True):
                figures.messages += _LANE.unpack(value)[0]
            figures.file_bytes += os.path.getsize(self.path)
        except (lmdb.Error, struct.error) as error:
            raise PageSetDamaged(self.path, f"its figures cannot be read ({error})") from error
        figures.index_waiting += self._waiting.waiting
        figures.applies = max(figures.applies, self.statistics.applies)
        figures.syncs += self.statistics.syncs
        figures.chunks_read += self.statistics.chunks_read
        figures.trims += self.statistics.trims


class _Application:
    """One batch on its way into one environment, inside one LMDB write transaction."""

    def __init__(self, part: LmdbPart, txn: _Write, number: int) -> None:
        self._part = part
        self._txn = txn
        self._number = number
        self._lanes: dict[bytes, list[int]] = {}  # lane key: [change of live messages, change of chunks]
        self._note: list[bytes] = []
        self._changes = 0

    def run(self, part: BatchPart, dropped: set[int], meta: dict[bytes, bytes | None]) -> None:
        for queue in sorted(dropped):
            self._drop(queue)
        for key in sorted(part.adds):
            self._add(key, part.adds[key])
        for key in sorted(part.kills):
            self._kill(key, part.kills[key])
        self._write_lanes()
        self._write_index()
        for key, value in meta.items():
            if value is None:
                self._txn.delete(key, db=self._part._meta)
            else:
                self._txn.put(key, value, db=self._part._meta)

    def _drop(self, queue: int) -> None:
        prefix = _QUEUE.pack(queue)
        part = self._part
        for key in self._keys(part._spans, prefix):  # Not those of the chunks, which would be touched.
            self._txn.delete(key, db=part._chunks)
            self._txn.delete(key, db=part._spans)
        for database in (part._chunks, part._lanes):
            for key in self._keys(database, prefix):
                self._txn.delete(key, db=database)
        part._index.drop_queue(self._txn, queue)
        part._waiting.drop_queue(queue)
        for key in [key for key in part._locations if key.startswith(prefix)]:
            part._forget_location(key)

    def _keys(self, database: "lmdb._Database", prefix: bytes) -> list[bytes]:
        keys: list[bytes] = []
        cursor = self._txn.cursor(database)
        if cursor.set_range(prefix):
            for key in cursor.iternext(keys=True, values=False):
                if not key.startswith(prefix):
                    break
                keys.append(key)
        return keys

    def _add(self, key: bytes, addition: ChunkAddition) -> None:
        part = self._part
        if not self._txn.put(key, addition.value, overwrite=False, db=part._chunks):
            self._remove(key)
            self._txn.put(key, addition.value, db=part._chunks)
        self._txn.put(key, pack_span(addition.count, addition.last, 0), db=part._spans)
        self._count(key, addition.count, 1)
        if addition.index_keys is not None:
            hashes = hashes_of(addition.index_keys)
            if hashes:
                queue, lane, first = split_key(key)
                part._waiting.add(queue, hashes, reference(lane, first))
                self._note.append(b"+" + key)
                self._changes += len(hashes)

    def _kill(self, key: bytes, sequences: list[int]) -> None:
        part = self._part
        known = self._txn.get(key, db=part._spans)
        if known is None:
            return
        count, last, before = part._span(key, known)
        dead = before | self._bits(key, count, last, sequences)
        if dead.bit_count() >= count:
            self._remove(key)
        elif dead != before:
            self._txn.put(key, pack_span(count, last, dead), db=part._spans)
            self._count(key, before.bit_count() - dead.bit_count(), 0)
            location = part._locations.get(key)
            if location is not None:
                location.dead = dead

    def _chunk(self, key: bytes) -> Chunk | None:
        value = self._txn.get(key, db=self._part._chunks)
        return None if value is None else whole_chunk(self._part.path, key, value, 0)

    def _bits(self, key: bytes, count: int, last: int, sequences: list[int]) -> int:
        """The bits of the slots with those sequences.

        Mostly the sequences of a chunk have no gaps, and slots are counted off.
        """
        first = split_key(key)[2]
        if last - first == count - 1:
            bits = 0
            for sequence in sequences:
                if first <= sequence <= last:
                    bits |= 1 << (sequence - first)
            return bits
        chunk = self._chunk(key)
        if chunk is None:
            raise PageSetDamaged(self._part.path, f"the chunk {split_key(key)} has a span but is not there")
        return chunk.bits_of(sequences)

    def _remove(self, key: bytes) -> None:
        """Take a chunk away with its span and its index entries."""
        part = self._part
        location = part._locations.get(key)
        chunk: Chunk | None
        if location is not None:
            head = part._file.read(location.offset, location.base)
            chunk = Chunk(part.path, key, head, location.length, 0, part, location)
        else:
            chunk = self._chunk(key)
        known = self._txn.get(key, db=part._spans)
        if chunk is None or known is None:
            raise PageSetDamaged(part.path, f"the chunk {split_key(key)} or its span is not there")
        dead = part._span(key, known)[2].bit_count()
        self._txn.delete(key, db=part._spans)
        hashes = hashes_of(chunk.index_keys())
        if hashes:
            part._waiting.remove(chunk.queue, hashes, reference(chunk.lane, chunk.first))
            self._note.append(b"-" + key + struct.pack(f"<H{len(hashes)}I", len(hashes), *hashes))
            self._changes += len(hashes)
        self._count(key, dead - chunk.count, -1)
        self._txn.delete(key, db=part._chunks)
        part._forget_location(key)

    def _count(self, key: bytes, live: int, chunks: int) -> None:
        change = self._lanes.get(key[:5])
        if change is None:
            self._lanes[key[:5]] = [live, chunks]
        else:
            change[0] += live
            change[1] += chunks

    def _write_lanes(self) -> None:
        for key in sorted(self._lanes):
            change = self._lanes[key]
            known = self._txn.get(key, db=self._part._lanes)
            live, chunks = _LANE.unpack(known) if known is not None else (0, 0)
            live += change[0]
            chunks += change[1]
            if chunks > 0 and live >= 0:
                self._txn.put(key, _LANE.pack(live, chunks), db=self._part._lanes)
            elif chunks == 0 and live == 0:
                self._txn.delete(key, db=self._part._lanes)
            else:
                queue, lane = _LANE_KEY.unpack(key)
                raise PageSetDamaged(
                    self._part.path, f"the counts of queue {queue}, lane {lane} do not add up; restore it from a backup"
                )

    def _write_index(self) -> None:
        part = self._part
        waiting = part._waiting
        if self._note:
            self._txn.put(_APPLY.pack(self._number), b"".join(self._note), append=True, db=part._notes)
            waiting.note(self._number, self._changes)
        ranges = 0
        while waiting.is_full() or (waiting.has_many_notes() and ranges < 2):
            part._index.write(self._txn, waiting.take_range(self._number))
            ranges += 1
        if ranges:
            for number in waiting.take_notes_done(self._number):
                self._txn.delete(_APPLY.pack(number), db=part._notes)
            self._txn.put(b"ranges", waiting.pack_ranges(), db=part._about)
