"""The buckets of an index (index.py), in the page file and the database `index` of an LMDB environment.

    key    u32 queue, then the 12-byte entry at which the bucket begins; 12 zeros for the first bucket of a queue
    value  u64 first page, u32 length, u32 0: where the bucket is in the page file

All of that is also kept in memory, some bytes for hundreds of entries, so that a lookup goes straight to the page file.
Buckets that were looked at stay in memory up to CACHE_BYTES; a bucket that is written again has another first page, and
the old one is forgotten then.
"""

import struct
from bisect import bisect_right
from typing import TYPE_CHECKING, Final, TypeAlias

import lmdb

from flintmq.store.errors import PageSetDamaged
from flintmq.store.index import (
    BUCKET_ENTRIES,
    ENTRY_SIZE,
    RangeChanges,
    change_bucket,
    decode_bucket,
    encode_bucket,
    references_in,
    split_bucket,
)
from flintmq.store.pagefile import PageFile

if TYPE_CHECKING:
    # The binding is generic for the type checker only.
    _Read: TypeAlias = lmdb.Transaction[bytes]
    _Write: TypeAlias = lmdb.Transaction[bytes]

_U32: Final = struct.Struct(">I")
_LOWEST: Final = bytes(ENTRY_SIZE)
_PLACE: Final = struct.Struct("<QII")
_NEW: Final = (0, 0)
CACHE_BYTES: Final = 48 << 20


class _Buckets:
    """The buckets of one queue: where each begins, and (first page, length) of its value in the page file."""

    def __init__(self) -> None:
        self.lows: list[bytes] = []
        self.places: list[tuple[int, int]] = []


class LmdbIndex:
    """The index of one environment, open."""

    def __init__(self, path: str, database: "lmdb._Database", file: PageFile) -> None:
        self._path = path
        self._database = database
        self._file = file
        self._queues: dict[bytes, _Buckets] = {}
        self._new: dict[int, bytes] = {}  # first page: entries of a bucket that is not in the file yet
        self._cache: dict[int, bytes] = {}  # first page: entries of a bucket in the file
        self._cached_bytes = 0

    def load(self, txn: "_Read") -> None:
        """Learn which buckets there are."""
        self._queues = {}
        self._new = {}
        self._cache = {}
        self._cached_bytes = 0
        for key, value in txn.cursor(self._database):
            if len(key) != 4 + ENTRY_SIZE or len(value) != _PLACE.size:
                raise PageSetDamaged(self._path, f"the index has a record {key.hex()}; restore it from a backup")
            buckets = self._of(key[:4])
            page, length, _ = _PLACE.unpack(value)
            buckets.lows.append(key[4:])
            buckets.places.append((page, length))

    def places(self) -> list[tuple[int, int]]:
        """(first page, length) of all buckets."""
        return [place for buckets in self._queues.values() for place in buckets.places]

    def _of(self, queue: bytes) -> _Buckets:
        buckets = self._queues.get(queue)
        if buckets is None:
            buckets = _Buckets()
            self._queues[queue] = buckets
        return buckets

    def lookup(self, queue: int, number: int, limit: int) -> list[bytes]:
        """The references for a hash. Once there are `limit` of them, no later ones are looked for."""
        packed = _U32.pack(queue)
        buckets = self._queues.get(packed)
        if buckets is None:
            return []
        wanted = _U32.pack(number)
        at = max(0, bisect_right(buckets.lows, wanted + bytes(8)) - 1)
        found: list[bytes] = []
        while at < len(buckets.lows) and buckets.lows[at][:4] <= wanted:
            found += references_in(self._entries(packed, buckets.places[at]), wanted)
            if 0 < limit <= len(found):
                break
            at += 1
        return found

    def _entries(self, queue: bytes, place: tuple[int, int]) -> bytes:
        entries = self._cache.get(place[0])
        if entries is None:
            entries = decode_bucket(self._file.read(place[0], 0, place[1]))
            if entries is None:
                raise self._damage(queue)
            if self._cached_bytes > CACHE_BYTES:
                self._cache = {}
                self._cached_bytes = 0
            self._cache[place[0]] = entries
            self._cached_bytes += len(entries)
        return entries

    def _damage(self, queue: bytes) -> PageSetDamaged:
        number = _U32.unpack(queue)[0]
        return PageSetDamaged(
            self._file.path, f"a bucket of the index of queue {number} fails its CRC32C; restore it from a backup"
        )

    def write(self, txn: "_Write", changes: RangeChanges) -> None:
        """Bring one range of waiting entries into their buckets. If the transaction fails, load() again."""
        added: dict[tuple[bytes, bytes], list[bytes]] = {}
        removed: dict[tuple[bytes, bytes], list[bytes]] = {}
        self._divide(changes.added, added)
        self._divide(changes.removed, removed)
        for place in sorted(added.keys() | removed.keys()):
            self._change(txn, place, added.get(place, []), removed.get(place, []), changes.check)

    def _divide(self, changes: list[tuple[bytes, bytes]], into: dict[tuple[bytes, bytes], list[bytes]]) -> None:
        """Sort changes by the bucket they fall in: (queue, where it begins)."""
        queue = b""
        lows: list[bytes] = []
        ceiling = b""
        mine: list[bytes] = []
        for packed, entry in changes:
            if packed != queue or (ceiling and entry >= ceiling):
                if packed != queue:
                    queue = packed
                    lows = self._of(packed).lows
                at = max(0, bisect_right(lows, entry) - 1)
                ceiling = lows[at + 1] if at + 1 < len(lows) else b""
                mine = into.setdefault((queue, lows[at] if lows else _LOWEST), [])
            mine.append(entry)

    def _change(
        self, txn: "_Write", place: tuple[bytes, bytes], added: list[bytes], removed: list[bytes], check: bool
    ) -> None:
        queue, low = place
        buckets = self._of(queue)
        at = bisect_right(buckets.lows, low) - 1
        before = b""
        if at < 0:
            at = 0
            buckets.lows.insert(0, low)
            buckets.places.insert(0, _NEW)
        elif buckets.places[at][1]:
            new = self._new.get(buckets.places[at][0])
            before = new if new is not None else self._entries(queue, buckets.places[at])
            self._give_up(buckets.places[at])
        after = change_bucket(before, added, removed, check)
        if not after and (at > 0 or len(buckets.lows) == 1):
            self._delete(txn, queue, buckets, at)
        elif len(after) <= BUCKET_ENTRIES * ENTRY_SIZE:
            buckets.places[at] = self._put(txn, queue + low, after)
        else:
            pieces = split_bucket(after)
            pieces[0] = (low, pieces[0][1])
            buckets.lows[at : at + 1] = [piece_low for piece_low, _ in pieces]
            buckets.places[at : at + 1] = [self._put(txn, queue + piece_low, piece) for piece_low, piece in pieces]

    def _put(self, txn: "_Write", key: bytes, entries: bytes) -> tuple[int, int]:
        value = encode_bucket(entries)
        page = self._file.add(value)
        self._new[page] = entries
        txn.put(key, _PLACE.pack(page, len(value), 0), db=self._database)
        return page, len(value)

    def _give_up(self, place: tuple[int, int]) -> None:
        self._new.pop(place[0], None)
        forgotten = self._cache.pop(place[0], None)
        if forgotten is not None:
            self._cached_bytes -= len(forgotten)
        self._file.remove(place[0], place[1])

    def _delete(self, txn: "_Write", queue: bytes, buckets: _Buckets, at: int) -> None:
        """Take an empty bucket away; the one before it begins early enough for both. The first one goes last."""
        txn.delete(queue + buckets.lows[at], db=self._database)
        del buckets.lows[at]
        del buckets.places[at]
        if not buckets.lows:
            del self._queues[queue]

    def drop_queue(self, txn: "_Write", queue: int) -> None:
        packed = _U32.pack(queue)
        buckets = self._queues.pop(packed, None)
        if buckets is not None:
            for low, place in zip(buckets.lows, buckets.places, strict=True):
                self._give_up(place)
                txn.delete(packed + low, db=self._database)

    def written(self) -> None:
        """The page file has been flushed: buckets can be read from it."""
        self._new = {}

    def bucket_count(self) -> int:
        return sum([len(buckets.lows) for buckets in self._queues.values()])
