"""Chunks by their earliest expiry: the index of a scan for expired messages.

A chunk that has a message with an expiry has one entry, which is its position in that order (big-endian):

    offset  field   type  value
         0  second  u32   of the earliest expiry of its live messages, or before it: seconds since 1970, at least 1
         4  queue   u32   the key of the chunk
         8  lane    u8
         9  first   u64

The entry is written with the chunk and goes with it. A message that is removed leaves it alone: it may speak of one
that is gone, and a scan that comes by says what the earliest is now (PageSetBatch.set_expiry). So it is never too late,
and a removal costs nothing.
"""

import struct
from typing import Final

from flintmq.store.chunk import split_key

POSITION_SIZE: Final = 17
_SECOND: Final = struct.Struct(">I")
_SECOND_MAX: Final = 0xFFFF_FFFF
#: Before every position.
START: Final = b""


def second_of(expires: int) -> int:
    """The second of an expiry in milliseconds since 1970; 0 for 0, never."""
    if expires <= 0:
        return 0
    return min(max(expires // 1000, 1), _SECOND_MAX)


def position(second: int, key: bytes) -> bytes:
    """The entry of the chunk with that key."""
    return _SECOND.pack(second) + key


def end_of(until: int) -> bytes:
    """Every position of a chunk with something that expires at `until` (milliseconds) or before is below this."""
    return _SECOND.pack(min(max(until // 1000, 1) + 1, _SECOND_MAX))


def place_of(entry: bytes) -> tuple[int, int, int]:
    """The queue, lane and first sequence of the chunk with this entry."""
    return split_key(entry[4:])
