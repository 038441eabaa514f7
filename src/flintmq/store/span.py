"""The span of a chunk: the record that LMDB keeps of it, under the key of the chunk. Little-endian:

offset  field    type  value
     0  count    u32   slots
     4  length   u32   of the chunk
     8  base     u32   of the chunk: how much of it to read for its tables
    12  expires  u32   second of the earliest expiry of a live slot or before, as in its entry (expiry.py); 0 none
    16  last     u64   sequence of the last slot
    24  page     u64   where the chunk begins in the page file (pagefile.py)
    32  written  u64   number of the apply that wrote it
    40  dead     one bit for each slot, the first slot lowest; absent when no slot is dead
"""

import struct
from typing import Final

_SPAN: Final = struct.Struct("<IIIIQQQ")


class Span:
    """The span of a chunk, unpacked."""

    def __init__(
        self, count: int, length: int, base: int, last: int, page: int, written: int, dead: int, expires: int
    ) -> None:
        self.count = count
        self.length = length
        self.base = base
        self.last = last
        self.page = page
        self.written = written
        self.dead = dead
        self.expires = expires

    def pack(self) -> bytes:
        fixed = _SPAN.pack(self.count, self.length, self.base, self.expires, self.last, self.page, self.written)
        return fixed if self.dead == 0 else fixed + self.dead.to_bytes((self.count + 7) // 8, "little")


def unpack_span(value: bytes) -> Span:
    """The span in a record. Raises struct.error if it is not one."""
    count, length, base, expires, last, page, written = _SPAN.unpack_from(value)
    if len(value) == _SPAN.size:
        return Span(count, length, base, last, page, written, 0, expires)
    if len(value) != _SPAN.size + (count + 7) // 8:
        raise struct.error(f"a span of {count} slots with {len(value)} bytes")
    dead = int.from_bytes(value[_SPAN.size :], "little")
    return Span(count, length, base, last, page, written, dead, expires)
