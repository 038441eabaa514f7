"""The index of a page set: buckets in the file, and entries in memory that wait to go there.

An index maps a 24-byte key (MsgId, CorrelId or GroupId) of a queue to the chunks that have a slot with it. An entry
has 12 bytes:

    hash       u32  CRC32C of the key; a lookup may thus name a chunk in vain, and the caller looks for itself
    reference  u64  15 - lane in the highest 4 bits, the first sequence of the chunk in the other 60

Both are big-endian, so that references sort in the order of delivery. Entries are kept in buckets of up to 680,
values of the page file (lmdb_index.py). A queue's buckets divide all entries by order; inside a bucket there is no
order, it is searched as a whole:

    offset  field    type    value
         0  magic    char 4  "FLIX"
         4  version  u16     1
         6  reserved u16     0
         8  count    u32     entries
        12  check    u32     CRC32C of the entries
        16  entries  12 x count

Keys are as good as random. To write them one at a time would rewrite a bucket for each, and to keep them in a tree
with a node for each would rewrite a page (measured: 8 microseconds). So entries wait in memory, in 64 ranges of the
hash, and the ranges go to the buckets in turn: what waits in one range then falls on few buckets, many entries to
each, and nobody waits for all of them.

What waits is not lost in a crash, although it is only in memory: the same transaction that adds or removes a chunk
notes that in the database `waiting`, and the keys themselves are in the chunk. A note is kept until all 64 ranges
have been written since; when each was last written is in the database `about` under "ranges" (64 x u64, the numbers
of the applies), so that what has been written is not read again. One note per apply:

    key    u64        number of the apply, big-endian
    value  a sequence of
           "+" and the 13-byte key of a chunk that was added
           "-", the 13-byte key of a chunk that was removed, u16 count, and the u32 hashes of its keys (little-endian)

Invariants:

    X1  lookup = (buckets - removed) + added, for every key whose chunk has not itself been removed
    X2  an entry is in at most one of `added` and `removed`, and at most once in the buckets
    X3  every entry in `added` or `removed` is covered by a note that is still kept
"""

import struct
from typing import Final

from crc32c import crc32c

from flintmq.store.chunk import NO_ID

RANGES: Final = 64
ENTRY_SIZE: Final = 12
BUCKET_ENTRIES: Final = 680  # with the header just under two pages
_SPLIT_ENTRIES: Final = 450  # in each bucket after a split, at most
_CROWDED: Final = 512  # references under one key
_RANGE_SHIFT: Final = 26  # of the 32-bit hash
_ENTRY: Final = struct.Struct(">II")
_U64: Final = struct.Struct(">Q")
_BUCKET: Final = struct.Struct("<4sHHII")
_MAGIC: Final = b"FLIX"
_VERSION: Final = 1
_LANE_SHIFT: Final = 60
_LANE_TOP: Final = 15
_SEQUENCE_MASK: Final = (1 << 60) - 1


def reference(lane: int, first: int) -> bytes:
    """The 8 bytes by which the index names a chunk; their order is the order of delivery."""
    return _U64.pack((_LANE_TOP - lane) << _LANE_SHIFT | first)


def split_reference(packed: bytes) -> tuple[int, int]:
    """Lane and first sequence of a chunk that the index names."""
    number: int = _U64.unpack(packed)[0]
    return _LANE_TOP - (number >> _LANE_SHIFT), number & _SEQUENCE_MASK


def hashes_of(keys: list[bytes]) -> list[int]:
    """The hashes of the keys that are indexed at all, each once."""
    hashes: set[int] = set()
    for key in keys:
        if key != NO_ID:
            hashes.add(crc32c(key))
    return list(hashes)


def encode_bucket(entries: bytes) -> bytes:
    """The value of a bucket."""
    return _BUCKET.pack(_MAGIC, _VERSION, 0, len(entries) // ENTRY_SIZE, crc32c(entries)) + entries


def decode_bucket(value: bytes) -> bytes | None:
    """The entries of a bucket, or None if the value is not one or is damaged."""
    if len(value) < _BUCKET.size:
        return None
    magic, version, _, count, check = _BUCKET.unpack_from(value)
    entries = value[_BUCKET.size :]
    if magic != _MAGIC or version != _VERSION or len(entries) != count * ENTRY_SIZE or crc32c(entries) != check:
        return None
    return entries


def references_in(entries: bytes, wanted: bytes) -> list[bytes]:
    """The references of all entries with the 4-byte hash `wanted`.

    The last byte of every hash, cut out as a column, is searched first: that is one pass of memchr() over a twelfth
    of the bucket.
    """
    found: list[bytes] = []
    column = entries[3::ENTRY_SIZE]
    last = wanted[3]
    at = column.find(last)
    while at >= 0:
        start = at * ENTRY_SIZE
        if entries[start : start + 4] == wanted:
            found.append(entries[start + 4 : start + ENTRY_SIZE])
        at = column.find(last, at + 1)
    return found


def _place_of(entries: bytes, column: bytes, entry: bytes) -> int:
    """Which of the entries is `entry`, or -1; `column` as above."""
    last = entry[3]
    at = column.find(last)
    while at >= 0:
        start = at * ENTRY_SIZE
        if entries[start : start + ENTRY_SIZE] == entry:
            return at
        at = column.find(last, at + 1)
    return -1


def change_bucket(entries: bytes, added: list[bytes], removed: list[bytes], check: bool) -> bytes:
    """The entries of a bucket after some went and some came. `check`: some of those that come may be there already."""
    if removed:
        column = entries[3::ENTRY_SIZE]
        places = [_place_of(entries, column, entry) for entry in removed]
        left = bytearray(entries)
        for at in sorted(places, reverse=True):
            if at >= 0:
                del left[at * ENTRY_SIZE : (at + 1) * ENTRY_SIZE]
        entries = bytes(left)
    if check:
        column = entries[3::ENTRY_SIZE]
        added = [entry for entry in added if _place_of(entries, column, entry) < 0]
    return entries + b"".join(added)


def split_bucket(entries: bytes) -> list[tuple[bytes, bytes]]:
    """Cut a bucket that has grown too large into (lowest entry, entries) of buckets in order."""
    ordered = sorted([entries[at : at + ENTRY_SIZE] for at in range(0, len(entries), ENTRY_SIZE)])
    pieces = max(2, -(-len(ordered) // _SPLIT_ENTRIES))
    size = -(-len(ordered) // pieces)
    return [(ordered[at], b"".join(ordered[at : at + size])) for at in range(0, len(ordered), size)]


class _Range:
    """The pending changes of one range: queue and hash (8 bytes) to the references, one after the other."""

    def __init__(self) -> None:
        self.added: dict[bytes, bytes] = {}
        self.removed: dict[bytes, bytes] = {}
        self.bucket_may_have = False  # an entry in `added` may be in a bucket as well
        self.flushed_at = 0  # number of the apply after which nothing older waits here


def _without(references: bytes, one: bytes) -> bytes | None:
    """`references` less `one`; None if it was not among them."""
    if references == one:
        return b""
    at = references.find(one)
    while at >= 0 and at % 8 != 0:
        at = references.find(one, at + 1)
    return references[:at] + references[at + 8 :] if at >= 0 else None


class RangeChanges:
    """One range on its way to the buckets: sorted pairs of queue (4 bytes) and entry."""

    def __init__(self, added: list[tuple[bytes, bytes]], removed: list[tuple[bytes, bytes]], check: bool) -> None:
        self.added = added
        self.removed = removed
        self.check = check  # some of `added` may be there already


class WaitingIndex:
    """The entries of one environment that are not in its buckets yet."""

    def __init__(self, waiting_max: int) -> None:
        self.waiting_max = waiting_max
        self.waiting = 0
        self._ranges: list[_Range] = [_Range() for _ in range(RANGES)]
        self._next = 0
        self._crowded: set[int] = set()  # ranges with too many references under one key
        self._notes: list[tuple[int, int]] = []  # (apply, changes) of every note kept, oldest first
        self._noted = 0

    def add(self, queue: int, hashes: list[int], chunk: bytes) -> None:
        """The chunk named by `chunk` (a reference) now has keys with these hashes."""
        for number in hashes:
            part = self._ranges[number >> _RANGE_SHIFT]
            key = _ENTRY.pack(queue, number)
            gone = part.removed.get(key)
            if gone is not None:
                rest = _without(gone, chunk)
                if rest is not None:
                    self._keep(part.removed, key, rest)
                    self.waiting -= 1
                    part.bucket_may_have = True
            known = part.added.get(key)
            if known is None:
                part.added[key] = chunk
                self.waiting += 1
            elif _without(known, chunk) is None:
                part.added[key] = known + chunk
                self.waiting += 1
                if len(known) >= 8 * _CROWDED:
                    self._crowded.add(number >> _RANGE_SHIFT)

    def remove(self, queue: int, hashes: list[int], chunk: bytes) -> None:
        """The chunk named by `chunk` is gone, and so are its entries."""
        for number in hashes:
            part = self._ranges[number >> _RANGE_SHIFT]
            key = _ENTRY.pack(queue, number)
            known = part.added.get(key)
            if known is not None:
                rest = _without(known, chunk)
                if rest is not None:
                    self._keep(part.added, key, rest)
                    self.waiting -= 1
                    if not part.bucket_may_have:
                        continue
            gone = part.removed.get(key, b"")
            if _without(gone, chunk) is None:
                part.removed[key] = gone + chunk
                self.waiting += 1
                if len(gone) >= 8 * _CROWDED:
                    self._crowded.add(number >> _RANGE_SHIFT)

    def _keep(self, entries: dict[bytes, bytes], key: bytes, rest: bytes) -> None:
        if rest:
            entries[key] = rest
        else:
            del entries[key]

    def drop_queue(self, queue: int) -> None:
        """Forget pending changes for a queue after its buckets are deleted."""
        prefix = queue.to_bytes(4, "big")
        for part in self._ranges:
            for entries in (part.added, part.removed):
                for key in [key for key in entries if key.startswith(prefix)]:
                    self.waiting -= len(entries[key]) // 8
                    del entries[key]

    def lookup(self, queue: int, number: int, stored: list[bytes]) -> list[bytes]:
        """The references for a hash, given those that the buckets have (X1). In order."""
        part = self._ranges[number >> _RANGE_SHIFT]
        entry = _ENTRY.pack(queue, number)
        added = part.added.get(entry)
        removed = part.removed.get(entry)
        if added is None and removed is None:
            return sorted(stored) if len(stored) > 1 else stored
        found = set(stored)
        if removed is not None:
            for at in range(0, len(removed), 8):
                found.discard(removed[at : at + 8])
        if added is not None:
            for at in range(0, len(added), 8):
                found.add(added[at : at + 8])
        return sorted(found)

    def removed_count(self, queue: int, number: int) -> int:
        """How many references for a hash the buckets still have although they are gone, at most."""
        removed = self._ranges[number >> _RANGE_SHIFT].removed.get(_ENTRY.pack(queue, number))
        return 0 if removed is None else len(removed) // 8

    def note(self, apply: int, changes: int) -> None:
        """A note was written for that apply."""
        self._notes.append((apply, changes))
        self._noted += changes

    def is_full(self) -> bool:
        """Whether a range must go now: too many entries wait, in all or under one key."""
        return self.waiting > self.waiting_max or len(self._crowded) > 0

    def has_many_notes(self) -> bool:
        """Whether a range should go although few entries wait, because too much is noted that came and went."""
        return self._noted > 3 * self.waiting_max

    def take_range(self, apply: int) -> RangeChanges:
        """The next range, or one that is crowded; it waits no longer."""
        if self._crowded:
            number = self._crowded.pop()
        else:
            number = self._next
            self._next = (number + 1) % RANGES
        part = self._ranges[number]
        changes = RangeChanges(self._sorted(part.added), self._sorted(part.removed), part.bucket_may_have)
        self.waiting -= len(changes.added) + len(changes.removed)
        part.added = {}
        part.removed = {}
        part.bucket_may_have = False
        part.flushed_at = apply
        return changes

    def _sorted(self, entries: dict[bytes, bytes]) -> list[tuple[bytes, bytes]]:
        flat: list[bytes] = []
        for key, references in entries.items():
            if len(references) == 8:
                flat.append(key + references)
            else:
                for at in range(0, len(references), 8):
                    flat.append(key + references[at : at + 8])
        flat.sort()
        return [(each[:4], each[4:]) for each in flat]

    def take_notes_done(self, apply: int) -> list[int]:
        """Return the applies with notes that are not needed any more (X3)."""
        oldest = apply
        for part in self._ranges:
            if not part.added and not part.removed:
                part.flushed_at = apply
                part.bucket_may_have = False
            elif part.flushed_at < oldest:
                oldest = part.flushed_at
        done = 0
        while done < len(self._notes) and self._notes[done][0] <= oldest:
            self._noted -= self._notes[done][1]
            done += 1
        numbers = [number for number, _ in self._notes[:done]]
        if done:
            del self._notes[:done]
        return numbers

    def unwritten(self, hashes: list[int], apply: int) -> list[int]:
        """Return those of the hashes noted by that apply with a range not written since."""
        return [number for number in hashes if self._ranges[number >> _RANGE_SHIFT].flushed_at < apply]

    def pack_ranges(self) -> bytes:
        """When each range was last written."""
        return b"".join([part.flushed_at.to_bytes(8, "little") for part in self._ranges])

    def restore_ranges(self, packed: bytes) -> int:
        """Take over the result of pack_ranges(); something else is ignored, and only more notes are read for it.

        Returns the number of the last apply that is spoken of. Later ones must have higher numbers.
        """
        last = 0
        if len(packed) == 8 * RANGES:
            for i in range(RANGES):
                self._ranges[i].flushed_at = int.from_bytes(packed[8 * i : 8 * i + 8], "little")
                last = max(last, self._ranges[i].flushed_at)
        return last

    def buckets_may_have_all(self) -> None:
        """After the notes were read again: any entry that waits may be in its bucket already."""
        for part in self._ranges:
            part.bucket_may_have = True
