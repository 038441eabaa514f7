"""A chunk: some messages of one queue and lane, kept together as one value of a page set.

A message does not get an LMDB record of its own: 1 to 128 messages of about 64 KiB share one, because that is six times
cheaper to write. The tables in front let one message be found and read without touching the others. Little-endian:

    offset  field      type        value
         0  magic      char 4      "FLCH"
         4  check      u32         CRC32C of everything between this field and the records
         8  version    u16         2; 1 has no lengths and is still read
        10  index      u8          the index keys of the messages: 0 none, 1 MsgId, 2 CorrelId, 3 those in the key table
        11  lane       u8          priority, 0..9
        12  count      u32         messages in this chunk, 1..65535
        16  base       u32         offset of the first record
        20  length     u32         length of the whole value
        24  queue      u32         number of the queue
        28  reserved   u32         0
        32  first      u64         sequence of the first message; with queue and lane the key of the chunk
        40  last       u64         sequence of the last message
        48  sequences  u64 x count strictly ascending
            ends       u32 x count where each record ends, counted from base
            checks     u32 x count CRC32C of each record
            expiries   i64 x count milliseconds since 1970, 0 = never
            lengths    u32 x count length of the message data; bit 31: it asks for a report when it expires
            msg ids    24 x count
            correl ids 24 x count
            keys       24 x count  only when index is 3
      base  records    one after the other, opaque to this room

So a message can be found by id, and expired with its pages accounted for, from the tables alone (B103).

The CRC of the tables is checked when a chunk is opened, the CRC of a record when that record is read. A chunk in a
file is read in two parts: the tables when it is opened, a record when it is wanted. Its Location says where that is
and comes with a Lease that ends with the next apply; then the chunk asks again, because it may have been removed and
its place be used for something else. So a caller may keep a chunk until it has itself had the page set remove it
(ChunkGone).
"""

import struct
from typing import Final, Protocol

from crc32c import crc32c

from flintmq.store.errors import ChunkGone, PageSetDamaged

CHUNK_BYTES: Final = 65536 - 512  # of records; with the tables of 1 KiB messages the value stays below 17 pages
CHUNK_MESSAGES: Final = 128
ID_LENGTH: Final = 24
NO_ID: Final = bytes(ID_LENGTH)

INDEX_NONE: Final = 0
INDEX_MSG_ID: Final = 1
INDEX_CORREL_ID: Final = 2
INDEX_KEYS: Final = 3

_MAGIC: Final = b"FLCH"
_VERSION: Final = 2
_VERSION_WITHOUT_LENGTHS: Final = 1
_HEADER: Final = struct.Struct("<4sIHBBIIIIIQQ")
HEADER_SIZE: Final = 48
_CHECKED_FROM: Final = 8
_PER_SLOT: Final = 8 + 4 + 4 + 8 + 4 + ID_LENGTH + ID_LENGTH
_REPORT: Final = 1 << 31
_U32: Final = struct.Struct("<I")
_U64: Final = struct.Struct("<Q")
_I64: Final = struct.Struct("<q")
_KEY: Final = struct.Struct(">IBQ")
assert _HEADER.size == HEADER_SIZE

_columns: dict[int, struct.Struct] = {}  # by count: sequences, ends, checks, expiries, lengths
_sequence_columns: dict[int, struct.Struct] = {}
_expiry_columns: dict[int, struct.Struct] = {}


def chunk_key(queue: int, lane: int, first: int) -> bytes:
    """The key of a chunk: its byte order is the order of queue, lane and sequence."""
    return _KEY.pack(queue, lane, first)


def split_key(key: bytes) -> tuple[int, int, int]:
    """The queue, lane and first sequence of a chunk key."""
    queue, lane, first = _KEY.unpack(key)
    return queue, lane, first


class Slot:
    """One message on its way to or from a page set. `record` is the engine's own and never looked into."""

    def __init__(
        self,
        sequence: int,
        msg_id: bytes,
        correl_id: bytes,
        expires: int,
        record: bytes,
        length: int = 0,
        report: bool = False,
    ) -> None:
        """`length` is that of the message data within the record; `report`: it asks for one when it expires."""
        self.sequence = sequence
        self.msg_id = msg_id
        self.correl_id = correl_id
        self.expires = expires
        self.record = record
        self.length = length
        self.report = report


class Lease:
    """How long locations may be used without asking: until the next apply."""

    def __init__(self) -> None:
        self.valid = True


class Location:
    """Where the value of a chunk is in the page file."""

    def __init__(self, lease: Lease, page: int, length: int, written: int) -> None:
        self.lease = lease
        self.page = page
        self.length = length
        self.written = written  # number of the apply that wrote it: with the key, which chunk it is


class ChunkReader(Protocol):
    """How a chunk gets at the records it has not read."""

    def read(self, location: Location, start: int, stop: int) -> bytes:
        """Return part of the value at a location with a valid lease."""

    def locate(self, key: bytes) -> Location | None:
        """Where the value of a chunk key is now."""


def split_into_chunks(slots: list[Slot]) -> list[list[Slot]]:
    """Cut ascending slots of one queue and lane into chunks of CHUNK_BYTES or CHUNK_MESSAGES; a larger one is alone."""
    chunks: list[list[Slot]] = []
    current: list[Slot] = []
    size = 0
    for slot in slots:
        length = len(slot.record)
        if current and (size + length > CHUNK_BYTES or len(current) >= CHUNK_MESSAGES):
            chunks.append(current)
            current = []
            size = 0
        current.append(slot)
        size += length
    if current:
        chunks.append(current)
    return chunks


def _columns_of(count: int) -> struct.Struct:
    columns = _columns.get(count)
    if columns is None:
        columns = struct.Struct(f"<{count}Q{count}I{count}I{count}q{count}I")
        _columns[count] = columns
    return columns


def _sequences_of(count: int) -> struct.Struct:
    columns = _sequence_columns.get(count)
    if columns is None:
        columns = struct.Struct(f"<{count}Q")
        _sequence_columns[count] = columns
    return columns


def _expiries_of(count: int) -> struct.Struct:
    columns = _expiry_columns.get(count)
    if columns is None:
        columns = struct.Struct(f"<{count}q")
        _expiry_columns[count] = columns
    return columns


def earliest_expiry(slots: list[Slot]) -> int:
    """The earliest expiry of `slots`, 0 if none of them expires."""
    earliest = 0
    for slot in slots:
        if slot.expires and (earliest == 0 or slot.expires < earliest):
            earliest = slot.expires
    return earliest


def encode_chunk(queue: int, lane: int, slots: list[Slot], index_keys: list[bytes] | None = None) -> bytes:
    """The value of the chunk that holds `slots`.

    `index_keys`, one for each slot, take no room if they are ids anyway.
    """
    count = len(slots)
    if count == 0 or count > 65535:
        raise ValueError(f"a chunk holds 1 to 65535 messages, not {count}")
    sequences: list[int] = []
    ends: list[int] = []
    checks: list[int] = []
    expiries: list[int] = []
    lengths: list[int] = []
    msg_ids: list[bytes] = []
    correl_ids: list[bytes] = []
    records: list[bytes] = []
    end = 0
    before = -1
    for slot in slots:
        record = slot.record
        sequence = slot.sequence
        if sequence <= before:
            raise ValueError(f"sequences of a chunk must ascend: {sequence} follows {before}")
        before = sequence
        end += len(record)
        sequences.append(sequence)
        ends.append(end)
        checks.append(crc32c(record))
        expiries.append(slot.expires)
        lengths.append(slot.length | _REPORT if slot.report else slot.length)
        msg_ids.append(slot.msg_id)
        correl_ids.append(slot.correl_id)
        records.append(record)
    index = _index_kind(index_keys, msg_ids, correl_ids)
    tables = [_columns_of(count).pack(*sequences, *ends, *checks, *expiries, *lengths), _ids(msg_ids), _ids(correl_ids)]
    if index == INDEX_KEYS:
        assert index_keys is not None
        tables.append(_ids(index_keys))
    table = b"".join(tables)
    base = HEADER_SIZE + len(table)
    rest = _HEADER.pack(_MAGIC, 0, _VERSION, index, lane, count, base, base + end, queue, 0, slots[0].sequence, before)[
        _CHECKED_FROM:
    ]
    parts = [_MAGIC, _U32.pack(crc32c(table, crc32c(rest))), rest, table]
    parts.extend(records)
    return b"".join(parts)


def _ids(ids: list[bytes]) -> bytes:
    for each in ids:
        if len(each) != ID_LENGTH:
            raise ValueError(f"an id has 24 bytes, not {len(each)}: {each.hex()}")
    return b"".join(ids)


def _index_kind(index_keys: list[bytes] | None, msg_ids: list[bytes], correl_ids: list[bytes]) -> int:
    if index_keys is None:
        return INDEX_NONE
    if len(index_keys) != len(msg_ids):
        raise ValueError(f"{len(index_keys)} index keys for {len(msg_ids)} messages")
    if index_keys == msg_ids:
        return INDEX_MSG_ID
    if index_keys == correl_ids:
        return INDEX_CORREL_ID
    return INDEX_KEYS


class Chunk:
    """A chunk as it was read.

    Slot numbers run from 0 to count - 1; dead slots are still there, with their bit in `dead`.
    """

    def __init__(
        self,
        path: str,
        key: bytes,
        head: bytes,
        length: int,
        dead: int,
        reader: ChunkReader | None = None,
        location: Location | None = None,
    ) -> None:
        """`head` is the value up to the records at least; without a reader it is all of the value."""
        self.path = path
        self.key = key
        self.dead_bits = dead
        self._dead: frozenset[int] | None = None
        self._reader = reader
        self._location = location
        self._head = head
        if len(head) < HEADER_SIZE:
            raise self._damage("is shorter than its header")
        header = _HEADER.unpack_from(head)
        self.index: int = header[3]
        self.lane: int = header[4]
        self.count: int = header[5]
        self.queue: int = header[8]
        self.first: int = header[10]
        self.last: int = header[11]
        self._base: int = header[6]
        self._length: int = header[7]
        if header[0] != _MAGIC:
            raise self._damage("does not begin with FLCH")
        #: Whether the table of lengths is there.
        self.has_lengths = header[2] == _VERSION
        if not self.has_lengths and header[2] != _VERSION_WITHOUT_LENGTHS:
            raise self._damage(f"has version {header[2]}, this program reads versions 1 and {_VERSION}")
        tables = _PER_SLOT - (0 if self.has_lengths else 4) + (ID_LENGTH if self.index == INDEX_KEYS else 0)
        if self._base != HEADER_SIZE + self.count * tables or self._length != length or self._base > length:
            raise self._damage("has tables or a length that do not fit its header")
        if crc32c(head[_CHECKED_FROM : self._base]) != header[1]:
            raise self._damage("fails the CRC32C of its tables")
        if key != _KEY.pack(self.queue, self.lane, self.first):
            raise self._damage(f"belongs to queue {self.queue}, lane {self.lane}, sequence {self.first}")
        self._ends_at = HEADER_SIZE + 8 * self.count
        self._checks_at = self._ends_at + 4 * self.count
        self._expiries_at = self._checks_at + 4 * self.count
        self._lengths_at = self._expiries_at + 8 * self.count
        self._msg_ids_at = self._lengths_at + (4 * self.count if self.has_lengths else 0)
        self._correl_ids_at = self._msg_ids_at + ID_LENGTH * self.count
        self._keys_at = self._correl_ids_at + ID_LENGTH * self.count

    def _damage(self, what: str) -> PageSetDamaged:
        if len(self.key) == _KEY.size:
            queue, lane, first = _KEY.unpack(self.key)
            place = f"the chunk of queue {queue}, lane {lane}, sequence {first}"
        else:
            place = f"the chunk with key {self.key.hex()}"
        return PageSetDamaged(
            self.path, f"{place} {what}; restore the page set from a backup, or drop that queue's messages"
        )

    def sequences(self) -> list[int]:
        """The sequence of every slot, dead or alive."""
        return list(_sequences_of(self.count).unpack_from(self._head, HEADER_SIZE))

    def sequence(self, slot: int) -> int:
        """The sequence of one slot."""
        number: int = _U64.unpack_from(self._head, HEADER_SIZE + 8 * slot)[0]
        return number

    def slot_of(self, sequence: int) -> int:
        """The slot of `sequence`, dead or alive, or -1."""
        if sequence < self.first or sequence > self.last:
            return -1
        if self.last - self.first == self.count - 1:
            return sequence - self.first
        low = 0
        high = self.count
        while low < high:
            middle = (low + high) // 2
            if self.sequence(middle) < sequence:
                low = middle + 1
            else:
                high = middle
        return low if low < self.count and self.sequence(low) == sequence else -1

    def expires(self, slot: int) -> int:
        """When the message expires, in milliseconds since 1970; 0 = never."""
        when: int = _I64.unpack_from(self._head, self._expiries_at + 8 * slot)[0]
        return when

    def expiries(self) -> list[int]:
        """When the message of every slot expires, dead or alive."""
        return list(_expiries_of(self.count).unpack_from(self._head, self._expiries_at))

    def data_length(self, slot: int) -> int:
        """The length of the message data; -1 if the chunk is of a version that does not say."""
        if not self.has_lengths:
            return -1
        length: int = _U32.unpack_from(self._head, self._lengths_at + 4 * slot)[0]
        return length & ~_REPORT

    def wants_report(self, slot: int) -> bool:
        """Whether the message asks for a report when it expires; True if the chunk does not say."""
        if not self.has_lengths:
            return True
        length: int = _U32.unpack_from(self._head, self._lengths_at + 4 * slot)[0]
        return length & _REPORT != 0

    def msg_id(self, slot: int) -> bytes:
        start = self._msg_ids_at + ID_LENGTH * slot
        return self._head[start : start + ID_LENGTH]

    def correl_id(self, slot: int) -> bytes:
        start = self._correl_ids_at + ID_LENGTH * slot
        return self._head[start : start + ID_LENGTH]

    def index_key(self, slot: int) -> bytes:
        """The key under which the slot is indexed, or b"" if the chunk is not."""
        if self.index == INDEX_MSG_ID:
            return self.msg_id(slot)
        if self.index == INDEX_CORREL_ID:
            return self.correl_id(slot)
        if self.index == INDEX_KEYS:
            start = self._keys_at + ID_LENGTH * slot
            return self._head[start : start + ID_LENGTH]
        return b""

    def find_msg_id(self, msg_id: bytes, start: int = 0) -> int:
        """The first slot from `start` on with that MsgId, or -1. It may be dead."""
        return self._find(msg_id, self._msg_ids_at, start)

    def find_correl_id(self, correl_id: bytes, start: int = 0) -> int:
        """The first slot from `start` on with that CorrelId, or -1. It may be dead."""
        return self._find(correl_id, self._correl_ids_at, start)

    def find_index_key(self, key: bytes, start: int = 0) -> int:
        """The first slot from `start` on that is indexed under `key`, or -1. It may be dead."""
        if self.index == INDEX_MSG_ID:
            return self._find(key, self._msg_ids_at, start)
        if self.index == INDEX_CORREL_ID:
            return self._find(key, self._correl_ids_at, start)
        if self.index == INDEX_KEYS:
            return self._find(key, self._keys_at, start)
        return -1

    def _find(self, wanted: bytes, table: int, start: int) -> int:
        stop = table + ID_LENGTH * self.count
        at = self._head.find(wanted, table + ID_LENGTH * start, stop)
        while at >= 0 and (at - table) % ID_LENGTH != 0:
            at = self._head.find(wanted, at + 1, stop)
        return (at - table) // ID_LENGTH if at >= 0 else -1

    def index_keys(self) -> list[bytes]:
        """The index keys of all slots, dead or alive; empty if the chunk is not indexed."""
        return [self.index_key(slot) for slot in range(self.count)] if self.index != INDEX_NONE else []

    def is_dead(self, slot: int) -> bool:
        return (self.dead_bits >> slot) & 1 != 0

    @property
    def dead(self) -> frozenset[int]:
        """The sequences of the dead slots."""
        dead = self._dead
        if dead is None:
            if self.dead_bits == 0:
                dead = frozenset()
            else:
                dead = frozenset([self.sequence(slot) for slot in range(self.count) if self.is_dead(slot)])
            self._dead = dead
        return dead

    def live_count(self) -> int:
        """How many slots are not dead."""
        return self.count - self.dead_bits.bit_count()

    def bits_of(self, sequences: list[int]) -> int:
        """The bits of the slots with those sequences; sequences that the chunk does not have are passed over."""
        bits = 0
        for sequence in sequences:
            slot = self.slot_of(sequence)
            if slot >= 0:
                bits |= 1 << slot
        return bits

    def record(self, slot: int) -> bytes:
        """The record of one slot, its CRC checked."""
        if slot < 0 or slot >= self.count:
            raise IndexError(f"slot {slot} of a chunk of {self.count}")
        at = self._ends_at + 4 * slot
        start: int = _U32.unpack_from(self._head, at - 4)[0] if slot > 0 else 0
        stop: int = _U32.unpack_from(self._head, at)[0]
        record = self._read(self._base + start, self._base + stop)
        if crc32c(record) != _U32.unpack_from(self._head, self._checks_at + 4 * slot)[0]:
            raise self._damage(f"fails the CRC32C of slot {slot} (sequence {self.sequence(slot)})")
        return record

    def _read(self, start: int, stop: int) -> bytes:
        reader = self._reader
        location = self._location
        if reader is None or location is None:
            return self._head[start:stop]
        if not location.lease.valid:
            now = reader.locate(self.key)
            if now is None:
                raise ChunkGone(self.path, f"the chunk at {split_key(self.key)} is no longer there")
            if now.written != location.written:
                raise ChunkGone(self.path, f"the chunk at {split_key(self.key)} has been replaced")
            self._location = location = now
        return reader.read(location, start, stop)

    def slots(self) -> list[Slot]:
        """All slots that are not dead, with their records: for a queue that takes the chunk back into memory."""
        count = self.count
        head = self._head
        dead = self.dead_bits
        records = self._read(self._base, self._length)
        numbers = _columns_of(count).unpack_from(head, HEADER_SIZE)  # Without lengths the last column means nothing.
        lengths = 4 * count
        slots: list[Slot] = []
        msg_id_at = self._msg_ids_at
        correl_id_at = self._correl_ids_at
        start = 0
        for i in range(count):
            stop: int = numbers[count + i]
            if dead == 0 or (dead >> i) & 1 == 0:
                record = records[start:stop]
                if crc32c(record) != numbers[2 * count + i]:
                    raise self._damage(f"fails the CRC32C of slot {i} (sequence {numbers[i]})")
                msg_id = head[msg_id_at : msg_id_at + ID_LENGTH]
                correl_id = head[correl_id_at : correl_id_at + ID_LENGTH]
                slot = Slot(numbers[i], msg_id, correl_id, numbers[3 * count + i], record)
                if self.has_lengths:
                    length: int = numbers[lengths + i]
                    slot.length = length & ~_REPORT
                    slot.report = length & _REPORT != 0
                slots.append(slot)
            msg_id_at += ID_LENGTH
            correl_id_at += ID_LENGTH
            start = stop
        return slots


def whole_chunk(path: str, key: bytes, value: bytes, dead: int) -> Chunk:
    """A chunk with all of its value at hand."""
    return Chunk(path, key, value, len(value), dead)


def chunk_count(value: bytes) -> int:
    """The number of slots of an encoded chunk, without looking at anything else."""
    count: int = _U32.unpack_from(value, 12)[0]
    return count


def chunk_base(value: bytes) -> int:
    """The offset of the first record of an encoded chunk, without looking at anything else."""
    base: int = _U32.unpack_from(value, 16)[0]
    return base


def chunk_last(value: bytes) -> int:
    """The last sequence of an encoded chunk, without looking at anything else."""
    last: int = _U64.unpack_from(value, 40)[0]
    return last
