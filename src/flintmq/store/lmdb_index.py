"""The buckets of an index (index.py) in the database `index` of an LMDB environment.

    key    u32 queue, then the 12-byte entry at which the bucket begins; 12 zeros for the first bucket of a queue
    value  the bucket

Which buckets there are is also kept in memory, a few bytes for a thousand entries, so that a lookup goes straight to
the file.
"""

import struct
from bisect import bisect_right
from typing import TYPE_CHECKING, Final, TypeAlias

import lmdb

from flintmq.store.datafile import DataFile
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

if TYPE_CHECKING:
    # The binding is generic for the type checker only.
    _Read: TypeAlias = lmdb.Transaction[memoryview]
    _Write: TypeAlias = lmdb.Transaction[bytes]

_U32: Final = struct.Struct(">I")
_LOWEST: Final = bytes(ENTRY_SIZE)
_UNKNOWN: Final = (-1, 0)


class _Buckets:
    """The buckets of one queue: where each begins, and (offset, length) of its value in the file if that is known."""

    def __init__(self) -> None:
        self.lows: list[bytes] = []
        self.places: list[tuple[int, int]] = []


class LmdbIndex:
    """The index of one environment, open."""

    def __init__(self, database: "lmdb._Database", file: DataFile) -> None:
        self._database = database
        self._file = file
        self._queues: dict[bytes, _Buckets] = {}

    def load(self, txn: "_Read") -> None:
        """Learn which buckets there are."""
        self._queues = {}
        for key in txn.cursor(self._database).iternext(keys=True, values=False):
            if len(key) != 4 + ENTRY_SIZE:
                raise PageSetDamaged(
                    self._file.path, f"the index has a key of {len(key)} bytes; restore it from a backup"
                )
            buckets = self._of(bytes(key[:4]))
            buckets.lows.append(bytes(key[4:]))
            buckets.places.append(_UNKNOWN)

    def _of(self, queue: bytes) -> _Buckets:
        buckets = self._queues.get(queue)
        if buckets is None:
            buckets = _Buckets()
            self._queues[queue] = buckets
        return buckets

    def lookup(self, txn: "_Read", queue: int, number: int, limit: int) -> list[bytes]:
        """The references for a hash. Once there are `limit` of them, no later ones are looked for."""
        packed = _U32.pack(queue)
        buckets = self._queues.get(packed)
        if buckets is None:
            return []
        wanted = _U32.pack(number)
        at = max(0, bisect_right(buckets.lows, wanted + bytes(8)) - 1)
        found: list[bytes] = []
        while at < len(buckets.lows) and buckets.lows[at][:4] <= wanted:
            found += references_in(self._entries(txn, packed, buckets, at), wanted)
            if 0 < limit <= len(found):
                break
            at += 1
        return found

    def _entries(self, txn: "_Read", queue: bytes, buckets: _Buckets, at: int) -> bytes:
        offset, length = buckets.places[at]
        if offset >= 0:
            value = self._file.read(offset, length)
        else:
            view = txn.get(queue + buckets.lows[at], db=self._database)
            if view is None:
                raise self._damage(queue, "is missing")
            offset = self._file.locate(view)
            if offset >= 0:
                buckets.places[at] = (offset, len(view))
                value = self._file.read(offset, len(view))
            else:
                value = bytes(view)
        entries = decode_bucket(value)
        if entries is None:
            raise self._damage(queue, "fails its CRC32C")
        return entries

    def _damage(self, queue: bytes, what: str) -> PageSetDamaged:
        return PageSetDamaged(
            self._file.path, f"a bucket of the index of queue {_U32.unpack(queue)[0]} {what}; restore it from a backup"
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
        if at >= 0:
            offset, length = buckets.places[at]
            value = self._file.read(offset, length) if offset >= 0 else txn.get(queue + low, db=self._database)
            entries = None if value is None else decode_bucket(value)
            if entries is None:
                raise self._damage(queue, "is missing or fails its CRC32C")
            before = entries
        after = change_bucket(before, added, removed, check)
        if at >= 0:
            buckets.places[at] = _UNKNOWN
        if not after:
            if at >= 0:
                self._delete(txn, queue, buckets, at)
        elif len(after) <= BUCKET_ENTRIES * ENTRY_SIZE:
            if at < 0:
                buckets.lows.insert(0, low)
                buckets.places.insert(0, _UNKNOWN)
            txn.put(queue + low, encode_bucket(after), db=self._database)
        else:
            pieces = split_bucket(after)
            pieces[0] = (low, pieces[0][1])
            for piece_low, piece in pieces:
                txn.put(queue + piece_low, encode_bucket(piece), db=self._database)
            start = max(0, at)
            stop = at + 1
            buckets.lows[start:stop] = [piece_low for piece_low, _ in pieces]
            buckets.places[start:stop] = [_UNKNOWN] * len(pieces)

    def _delete(self, txn: "_Write", queue: bytes, buckets: _Buckets, at: int) -> None:
        """Take an empty bucket away; the one before it begins early enough for both. The first one goes last."""
        if at == 0 and len(buckets.lows) > 1:
            txn.put(queue + buckets.lows[0], encode_bucket(b""), db=self._database)
            return
        txn.delete(queue + buckets.lows[at], db=self._database)
        del buckets.lows[at]
        del buckets.places[at]
        if not buckets.lows:
            del self._queues[queue]

    def drop_queue(self, txn: "_Write", queue: int) -> None:
        packed = _U32.pack(queue)
        buckets = self._queues.pop(packed, None)
        if buckets is not None:
            for low in buckets.lows:
                txn.delete(packed + low, db=self._database)

    def bucket_count(self) -> int:
        return sum([len(buckets.lows) for buckets in self._queues.values()])
