"""One batch on its way into one environment, inside one LMDB write transaction.

The order is that of the table in pageset.py: dropped queues, additions, kills, expiry, counts, index, meta data. Values
go to the page file, where they are written by PageFile.flush() just before the transaction commits; so a chunk that
this very batch has added cannot be read back yet and is looked at in the batch.
"""

import struct
from typing import TYPE_CHECKING, Final

from flintmq.store.chunk import Chunk, chunk_base, split_key, whole_chunk
from flintmq.store.errors import PageSetDamaged
from flintmq.store.expiry import position, second_of
from flintmq.store.index import hashes_of, reference
from flintmq.store.pageset import BatchPart, ChunkAddition
from flintmq.store.span import Span

if TYPE_CHECKING:
    import lmdb

    from flintmq.store.lmdb_part import LmdbPart

LANE: Final = struct.Struct("<QQ")  # live messages, chunks
_QUEUE: Final = struct.Struct(">I")
_APPLY: Final = struct.Struct(">Q")
_RANGES_FOR_NOTES: Final = 2  # ranges of the index that an apply writes to get rid of notes


class Application:
    """The work of LmdbPart.apply. If it raises, the transaction must be given up and memory be filled again."""

    def __init__(self, part: "LmdbPart", txn: "lmdb.Transaction[bytes]", number: int) -> None:
        self._part = part
        self._txn = txn
        self._number = number
        self._added: dict[bytes, ChunkAddition] = {}
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
        for key in sorted(part.expiries):
            self._set_expiry(key, second_of(part.expiries[key]))
        self._write_lanes()
        self._write_index()
        for key, value in meta.items():
            if value is None:
                self._txn.delete(key, db=self._part.meta_data)
            else:
                self._txn.put(key, value, db=self._part.meta_data)

    def _drop(self, queue: int) -> None:
        part = self._part
        prefix = _QUEUE.pack(queue)
        for database in (part.spans, part.lane_counts):
            records: list[tuple[bytes, bytes]] = []
            cursor = self._txn.cursor(database)
            if cursor.set_range(prefix):
                for key, value in cursor:
                    if not key.startswith(prefix):
                        break
                    records.append((key, value))
            for key, value in records:
                if database is part.spans:
                    self._give_up(key, value)
                self._txn.delete(key, db=database)
        part.index.drop_queue(self._txn, queue)
        part.waiting.drop_queue(queue)

    def _give_up(self, key: bytes, packed: bytes) -> None:
        """Free the pages of a chunk that goes unread.

        If its span is damaged they are found to be free at the next open.
        """
        try:
            span = self._part.span(key, packed)
            self._part.file.remove(span.page, span.length)
            if span.expires:
                self._txn.delete(position(span.expires, key), db=self._part.expiries)
        except PageSetDamaged:
            return

    def _add(self, key: bytes, addition: ChunkAddition) -> None:
        part = self._part
        value = addition.value
        if self._txn.get(key, db=part.spans) is not None:
            self._remove(key)
        page = part.file.add(value)
        expires = second_of(addition.expires)
        span = Span(addition.count, len(value), chunk_base(value), addition.last, page, self._number, 0, expires)
        self._txn.put(key, span.pack(), db=part.spans)
        if expires:
            self._txn.put(position(expires, key), b"", db=part.expiries)
        self._added[key] = addition
        self._count(key, addition.count, 1)
        if addition.index_keys is not None:
            hashes = hashes_of(addition.index_keys)
            if hashes:
                queue, lane, first = split_key(key)
                part.waiting.add(queue, hashes, reference(lane, first))
                self._note.append(b"+" + key)
                self._changes += len(hashes)

    def _kill(self, key: bytes, sequences: list[int]) -> None:
        part = self._part
        known = self._txn.get(key, db=part.spans)
        if known is None:
            return
        span = part.span(key, known)
        before = span.dead
        span.dead |= self._bits(key, span, sequences)
        if span.dead.bit_count() >= span.count:
            self._remove(key)
        elif span.dead != before:
            self._txn.put(key, span.pack(), db=part.spans)
            self._count(key, before.bit_count() - span.dead.bit_count(), 0)

    def _set_expiry(self, key: bytes, second: int) -> None:
        part = self._part
        known = self._txn.get(key, db=part.spans)
        if known is None:
            return
        span = part.span(key, known)
        if span.expires == second:
            return
        if span.expires:
            self._txn.delete(position(span.expires, key), db=part.expiries)
        if second:
            self._txn.put(position(second, key), b"", db=part.expiries)
        span.expires = second
        self._txn.put(key, span.pack(), db=part.spans)

    def _bits(self, key: bytes, span: Span, sequences: list[int]) -> int:
        """The bits of the slots with those sequences. Mostly a chunk has no gaps, and slots are counted off."""
        first = split_key(key)[2]
        if span.last - first != span.count - 1:
            return self._chunk(key, span).bits_of(sequences)
        bits = 0
        for sequence in sequences:
            if first <= sequence <= span.last:
                bits |= 1 << (sequence - first)
        return bits

    def _chunk(self, key: bytes, span: Span) -> Chunk:
        addition = self._added.get(key)
        if addition is not None:
            return whole_chunk(self._part.file.path, key, addition.value, span.dead)
        return self._part.read_chunk(key, span)

    def _remove(self, key: bytes) -> None:
        """Take a chunk away with its span and its index entries."""
        part = self._part
        known = self._txn.get(key, db=part.spans)
        assert known is not None, "only a chunk that is there is removed"
        span = part.span(key, known)
        hashes = hashes_of(self._chunk(key, span).index_keys())
        if hashes:
            queue, lane, first = split_key(key)
            part.waiting.remove(queue, hashes, reference(lane, first))
            self._note.append(b"-" + key + struct.pack(f"<H{len(hashes)}I", len(hashes), *hashes))
            self._changes += len(hashes)
        self._count(key, span.dead.bit_count() - span.count, -1)
        self._txn.delete(key, db=part.spans)
        if span.expires:
            self._txn.delete(position(span.expires, key), db=part.expiries)
        self._added.pop(key, None)
        part.file.remove(span.page, span.length)

    def _count(self, key: bytes, live: int, chunks: int) -> None:
        change = self._lanes.get(key[:5])
        if change is None:
            self._lanes[key[:5]] = [live, chunks]
        else:
            change[0] += live
            change[1] += chunks

    def _write_lanes(self) -> None:
        database = self._part.lane_counts
        for key in sorted(self._lanes):
            change = self._lanes[key]
            known = self._txn.get(key, db=database)
            live, chunks = LANE.unpack(known) if known is not None else (0, 0)
            live += change[0]
            chunks += change[1]
            if chunks > 0 and live >= 0:
                self._txn.put(key, LANE.pack(live, chunks), db=database)
            elif chunks == 0 and live == 0:
                self._txn.delete(key, db=database)
            else:
                place = f"queue {int.from_bytes(key[:4], 'big')}, lane {key[4]}"
                raise PageSetDamaged(self._part.path, f"the counts of {place} do not add up; restore it from a backup")

    def _write_index(self) -> None:
        part = self._part
        waiting = part.waiting
        if self._note:
            self._txn.put(_APPLY.pack(self._number), b"".join(self._note), append=True, db=part.notes)
            waiting.note(self._number, self._changes)
        ranges = 0
        while waiting.is_full() or (waiting.has_many_notes() and ranges < _RANGES_FOR_NOTES):
            part.index.write(self._txn, waiting.take_range(self._number))
            ranges += 1
        if ranges:
            for number in waiting.take_notes_done(self._number):
                self._txn.delete(_APPLY.pack(number), db=part.notes)
            self._txn.put(b"ranges", waiting.pack_ranges(), db=part.about)
