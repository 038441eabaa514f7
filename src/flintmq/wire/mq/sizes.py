"""How long the structures of a call are, by version."""

from __future__ import annotations

from flintmq.mqi import gmo as gmo_structure
from flintmq.mqi import md as md_structure
from flintmq.mqi import od as od_structure
from flintmq.mqi import pmo as pmo_structure
from flintmq.wire.mq.calls import read_long


def md_size(version: int) -> int:
    """Return the length of an MQMD."""
    return md_structure.SIZE_1 if version == 1 else md_structure.SIZE_2


def pmo_size(version: int) -> int:
    """Return the length of an MQPMO."""
    if version == 1:
        return pmo_structure.SIZE_1
    return pmo_structure.SIZE_2 if version == 2 else pmo_structure.SIZE_3


def gmo_size(version: int) -> int:
    """Return the length of an MQGMO."""
    if version <= 2:
        return gmo_structure.SIZE_1 if version == 1 else gmo_structure.SIZE_2
    return gmo_structure.SIZE_3 if version == 3 else gmo_structure.SIZE_4


def od_size(body: bytes, offset: int, version: int, big_endian: bool) -> int:
    """Return the size of the MQOD at `offset` with its strings, without the records of a distribution list.

    ObjectString and SelectionString take as much room as they are long, whatever VSBufSize says: that is the buffer of
    the application. ResObjectString is for the answer, and takes its VSBufSize.
    """
    size = od_structure.SIZES[version - 1]
    if version >= 4:
        for at in (336, 356, 376):
            start = read_long(body, offset + at + 4, big_endian)
            length = read_long(body, offset + at + 12, big_endian)
            if length < 0 or at == 376:
                length = max(length, read_long(body, offset + at + 8, big_endian))
            if start > 0 and length > 0:
                size = max(size, start + (length + 3 & ~3))
    return size
