"""The contract of a page set, and the batch in which everything is written.

A page set keeps the messages of its queues that are not in memory, in chunks (chunk.py), in two parts: *stable* for
persistent messages and *volatile* for non-persistent ones, which is empty after every open. Nothing in a page set
changes but by apply().

The effect of a batch is independent of the order of unrelated calls; for the same chunk the later word
wins:

    said                    effect on what the batch already holds     done by apply() in this order
    drop_queue(queue)       its additions and kills are forgotten      1. dropped queues lose all chunks, index entries
    add_chunk(..., slots)   earlier words on that chunk are forgotten  2. chunks are added, or replaced altogether
    kill(..., sequences)    added to the kills of that chunk           3. slots die; a chunk with no live slot goes
    set_expiry(...)         replaces the earlier word on that chunk    4. entries by expiry move
    put_meta, delete_meta   replaces the earlier word on that key      5. meta data, which lives in the stable part

A batch must not be changed or applied again after it has been applied.
"""

from collections.abc import Callable
from typing import Final, Protocol

from flintmq.store.chunk import Chunk, Slot, chunk_key, earliest_expiry, encode_chunk

LANES: Final = 10
SEQUENCE_MAX: Final = (1 << 60) - 1
QUEUE_MAX: Final = (1 << 32) - 1

#: (volatile, lane, first sequence, last sequence, live messages) of a lane that has chunks.
LaneState = tuple[bool, int, int, int, int]

#: Called with "apply" or "sync" before the page set does that; may raise, and then nothing was done.
BeforeIO = Callable[[str], None]


class ChunkAddition:
    """One encoded chunk of a batch."""

    def __init__(self, value: bytes, count: int, last: int, index_keys: list[bytes] | None, expires: int) -> None:
        self.value = value
        self.count = count
        self.last = last
        self.index_keys = index_keys
        self.expires = expires  # the earliest of its messages, 0 none


class BatchPart:
    """The changes of a batch for one of the two parts. Keys are chunk keys."""

    def __init__(self) -> None:
        self.adds: dict[bytes, ChunkAddition] = {}
        self.kills: dict[bytes, list[int]] = {}
        self.expiries: dict[bytes, int] = {}

    def is_empty(self) -> bool:
        return not (self.adds or self.kills or self.expiries)

    def forget_queue(self, queue: int) -> None:
        prefix = queue.to_bytes(4, "big")
        for key in [key for key in self.adds if key.startswith(prefix)]:
            del self.adds[key]
        for key in [key for key in self.kills if key.startswith(prefix)]:
            del self.kills[key]
        for key in [key for key in self.expiries if key.startswith(prefix)]:
            del self.expiries[key]


class PageSetBatch:
    """Changes that become part of a page set together or not at all."""

    def __init__(self) -> None:
        self.stable = BatchPart()
        self.volatile = BatchPart()
        self.meta: dict[bytes, bytes | None] = {}
        self.dropped: set[int] = set()
        self.messages = 0  # added
        self.bytes = 0  # of the chunks added

    def is_empty(self) -> bool:
        return self.stable.is_empty() and self.volatile.is_empty() and not self.meta and not self.dropped

    def take_volatile(self) -> "PageSetBatch | None":
        """Move the changes for the volatile part to a batch of its own, and return that; None if there is nothing.

        Each part is applied as a whole or not at all. A caller that goes on after PageSetFull gives the page set one
        part after the other, so that it knows which one was refused.
        """
        if self.volatile.is_empty():
            return None
        other = PageSetBatch()
        other.volatile = self.volatile
        self.volatile = BatchPart()
        return other

    def add_chunk(
        self, volatile: bool, queue: int, lane: int, slots: list[Slot], index_keys: list[bytes] | None = None
    ) -> int:
        """Add one chunk (see split_into_chunks); returns its length. A chunk with the same first sequence is replaced.

        `index_keys` has a 24-byte key for each slot. A key of 24 zeros (MQMI_NONE, MQCI_NONE, MQGI_NONE) is not
        indexed.
        """
        first = slots[0].sequence if slots else -1
        last = slots[-1].sequence if slots else -1
        if first < 0 or last > SEQUENCE_MAX or not 0 <= lane < LANES or not 0 <= queue <= QUEUE_MAX:
            raise ValueError(f"no such place: queue {queue}, lane {lane}, sequences {first} to {last}")
        part = self.volatile if volatile else self.stable
        key = chunk_key(queue, lane, first)
        value = encode_chunk(queue, lane, slots, index_keys)
        part.adds[key] = ChunkAddition(value, len(slots), last, index_keys, earliest_expiry(slots))
        part.kills.pop(key, None)
        part.expiries.pop(key, None)
        self.messages += len(slots)
        self.bytes += len(value)
        return len(value)

    def kill(self, volatile: bool, queue: int, lane: int, first: int, sequences: list[int]) -> None:
        """Mark slots of the chunk that begins with `first` dead.

        Slots that are dead or absent already are no matter.
        """
        part = self.volatile if volatile else self.stable
        key = chunk_key(queue, lane, first)
        known = part.kills.get(key)
        if known is None:
            part.kills[key] = list(sequences)
        else:
            known.extend(sequences)

    def set_expiry(self, volatile: bool, queue: int, lane: int, first: int, expires: int) -> None:
        """Of the live slots of the chunk that begins with `first`, after this batch, none expires before `expires`.

        Milliseconds since 1970; 0: none expires at all.
        """
        part = self.volatile if volatile else self.stable
        part.expiries[chunk_key(queue, lane, first)] = expires

    def drop_queue(self, queue: int) -> None:
        """Remove everything the page set has of a queue, in both parts. Chunks added later in this batch stay."""
        self.stable.forget_queue(queue)
        self.volatile.forget_queue(queue)
        self.dropped.add(queue)

    def put_meta(self, key: bytes, value: bytes) -> None:
        """Set a small named value of 1 to 256 bytes of key."""
        if not 1 <= len(key) <= 256:
            raise ValueError(f"a meta key has 1 to 256 bytes, not {len(key)}")
        self.meta[key] = value

    def delete_meta(self, key: bytes) -> None:
        self.meta[key] = None


class PageSetStatistics:
    """Figures for DISPLAY USAGE and the counters. File figures are 0 for a page set without files."""

    def __init__(self) -> None:
        self.file_bytes = 0  # size of the files
        self.file_pages_used = 0  # 4 KiB pages that hold something
        self.chunks = 0
        self.messages = 0  # live
        self.index_buckets = 0
        self.index_waiting = 0  # entries in memory that are not in a bucket yet
        self.applies = 0
        self.syncs = 0
        self.chunks_read = 0


class PageSet(Protocol):
    """A page set. One thread at a time; reads see every batch applied before."""

    def apply(self, batch: PageSetBatch, sync: bool) -> None:
        """Do all of a batch or, on an exception, nothing of it (the volatile part may be behind after an exception).

        With sync=True it survives a power failure once this returns. With sync=False a power failure may take whole
        batches, the newest first, but never part of one.
        """

    def sync(self) -> None:
        """Make every batch applied so far survive a power failure."""

    def chunk(self, volatile: bool, queue: int, lane: int, first: int) -> Chunk | None:
        """Return the chunk with the first sequence `first`."""

    def chunk_at(self, volatile: bool, queue: int, lane: int, sequence: int) -> Chunk | None:
        """Return the chunk with `sequence` in its range, else the first chunk after it, else None."""

    def lanes(self, queue: int) -> list[LaneState]:
        """The lanes of a queue that have chunks, stable before volatile, in the order of priority. O(1) for each."""

    def lookup(self, volatile: bool, queue: int, key: bytes, limit: int = 0) -> list[tuple[int, int]]:
        """(lane, first sequence) of the chunks that have a slot indexed under `key`, at most `limit` of them if that
        is not 0.

        In the order of delivery: the highest lane first, in a lane by sequence. The slot may be dead, and rarely (the
        index keeps a hash) the chunk has none or is gone: look with Chunk.find_index_key.
        """

    def expiring(self, volatile: bool, until: int, after: bytes, limit: int) -> list[bytes]:
        """Entries (expiry.py) of chunks that may have a live message that expires at `until` or before.

        In order, those behind the entry `after` (b"" for all), at most `limit`.
        """

    def queues(self) -> list[int]:
        """The queues that have chunks in either part, ascending."""

    def meta(self, key: bytes) -> bytes | None:
        """A value set by put_meta."""

    def meta_items(self, prefix: bytes) -> list[tuple[bytes, bytes]]:
        """All keys that begin with `prefix`, ascending, with their values."""

    def statistics(self) -> PageSetStatistics:
        """Figures as of now. O(1)."""

    def trim(self) -> None:
        """Give back memory that only makes later reads faster."""

    def close(self) -> None:
        """Sync and close. A second close does nothing."""
