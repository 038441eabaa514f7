"""What the queue manager writes to the log.

A unit of work is one run of records: the first carries the flag FIRST, the last LAST, an only one both. Replay collects
records until LAST and applies them together, so a unit that was cut off by a crash or by a full log never happened.
Numbers are never reused.

    kind  name      body (little-endian)
       1  PUT       queue id u32, sequence u64, lane u8, message record (message.py); the message data is the data
       2  GET       queue id u32, sequence u64, lane u8
       3  PREPARE   xid; the run before it is prepared, not committed
       4  RESOLVE   u8 1 commit / 0 back out, +2 by an administrator; xid
       5  OBJECT    an object definition (catalogue.py)
       6  DELETE    object id u32, kind and name as UTF-8 joined by NUL
       7  CLEAR     queue id u32, sequence u64, lane u8 (0): all messages up to that sequence
       8  BACKOUT   queue id u32, sequence u64, lane u8, count u32: hardened backout count
       9  FORGET    xid: the transaction manager has heard what an administrator decided
      10  COPY      as PUT, without data: that of the last PUT before it in the same run
      11  GETS      several gets in the order in which they were made: the body of a GET for each
     +64  FIRST     flag
    +128  LAST      flag
"""

from __future__ import annotations

import struct
from typing import Final

PUT: Final = 1
GET: Final = 2
PREPARE: Final = 3
RESOLVE: Final = 4
OBJECT: Final = 5
DELETE: Final = 6
CLEAR: Final = 7
BACKOUT: Final = 8
FORGET: Final = 9
COPY: Final = 10
GETS: Final = 11
FIRST: Final = 64
LAST: Final = 128
ONLY: Final = FIRST | LAST
KIND: Final = 63

NAMES: Final = {
    PUT: "PUT",
    GET: "GET",
    PREPARE: "PREPARE",
    RESOLVE: "RESOLVE",
    OBJECT: "OBJECT",
    DELETE: "DELETE",
    CLEAR: "CLEAR",
    BACKOUT: "BACKOUT",
    FORGET: "FORGET",
    COPY: "COPY",
    GETS: "GETS",
}

PLACE = struct.Struct("<IQB")
PLACE_SIZE: Final = 13
#: A GETS record has at most this many gets.
GETS_MAX: Final = 4096
COUNT = struct.Struct("<IQBI")
assert PLACE.size == PLACE_SIZE


def pack_place(queue_id: int, sequence: int, lane: int) -> bytes:
    """Return the start of a record that says which message it is about. As PLACE.pack, and cheaper when compiled."""
    return queue_id.to_bytes(4, "little") + sequence.to_bytes(8, "little") + lane.to_bytes(1, "little")


class BadLogRecord(Exception):
    """A log record that passed its checksum does not make sense: written by another program or a newer version."""


def place(payload: bytes) -> tuple[int, int, int]:
    """(queue id, sequence, lane) at the start of a record."""
    try:
        queue_id, sequence, lane = PLACE.unpack_from(payload)
    except struct.error as error:
        raise BadLogRecord(str(error)) from None
    if lane > 9:
        raise BadLogRecord(f"there is no lane {lane}")
    return queue_id, sequence, lane


def split_gets(payload: bytes) -> list[bytes]:
    """Return the body of a GET for each get of a GETS record."""
    if not payload or len(payload) % PLACE_SIZE:
        raise BadLogRecord(f"{len(payload)} bytes are no list of gets")
    return [payload[at : at + PLACE_SIZE] for at in range(0, len(payload), PLACE_SIZE)]


def describe(kind: int, payload: bytes) -> str:
    """One line about a record, for `flint inspect`."""
    base = kind & KIND
    name = NAMES.get(base, f"kind {base}")
    last = (" FIRST" if kind & FIRST else "") + (" LAST" if kind & LAST else "")
    if base in (PUT, GET, CLEAR, COPY):
        queue_id, sequence, _ = place(payload)
        return f"{name}{last} queue {queue_id} message {sequence}"
    if base == GETS:
        messages = [f"queue {queue_id} message {sequence}" for queue_id, sequence, _ in map(place, split_gets(payload))]
        more = f" ... {len(messages)} in all" if len(messages) > 3 else ""
        return f"{name}{last} {', '.join(messages[:3])}{more}"
    if base == BACKOUT:
        queue_id, sequence, _, count = COUNT.unpack(payload)
        return f"{name}{last} queue {queue_id} message {sequence} count {count}"
    if base in (OBJECT, DELETE):
        return f"{name}{last} {payload[:120]!r}"
    if base in (PREPARE, RESOLVE, FORGET):
        return f"{name}{last} {payload.hex()}"
    return f"{name}{last}"
