"""A block of records: their bytes, and one array per field of their headers.

The bytes are those of the dump; records that were spanned are joined and stand after them. Every position counts in
these bytes, every offset in the dump. A structure is read through a view of one void per byte, so that taking many of
them is one copy each, whatever their fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flintmq.telemetry.smf.fields import Structure
from flintmq.telemetry.smf.framing import HEADER, HEADER_SHORT, Buffer, Cut
from flintmq.telemetry.smf.layouts.headers import SMF_HEADER

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

#: Zeros after the records, so that headers can be taken from records that are shorter than these.
PADDING = 256

_FORMATS = {"u": ">u{}", "i": ">i{}", "tod": ">u{}", "dur": ">u{}", "bit": "u1", "c": "({},)u1", "x": "({},)u1"}


@cache
def dtype_of(structure: Structure, length: int) -> np.dtype[Any]:
    """Return the NumPy type of a structure of this length: the fields that end within it."""
    size = structure.entries[1] if structure.entries else length
    fields = [item for item in structure.fields if item.end <= size and item.beyond < length]
    return np.dtype(
        {
            "names": [item.name for item in fields],
            "formats": [_FORMATS[item.kind].format(item.size) for item in fields],
            "offsets": [item.offset for item in fields],
            "itemsize": size,
        }
    )


def take(data: Bytes, positions: Integers, size: int) -> NDArray[Any]:
    """Return the `size` bytes at each position, as voids. Every position must have that many bytes after it."""
    if len(positions) == 0:
        return np.empty(0, f"V{size}")
    every = np.ndarray((len(data) - size + 1,), f"V{size}", buffer=data, strides=(1,))
    taken: NDArray[Any] = every[positions]  # np.take would copy all of `every` first
    return taken


def take_structures(data: Bytes, positions: Integers, structure: Structure, length: int) -> NDArray[Any]:
    """Return the structures at these positions, each read as one of `length` bytes."""
    kind = dtype_of(structure, length)
    return take(data, positions, kind.itemsize).view(kind)


@dataclass
class Block:
    """Records, in the order of the dump."""

    data: Bytes
    #: Where each record's RDW is in `data`; without RDWs, four bytes before the flag byte.
    base: Integers
    length: Integers
    #: Where it is in the dump.
    offset: Integers
    type: Integers
    subtype: Integers
    #: The SMF headers; only the first 18 bytes count for types 2 and 3.
    header: NDArray[Any]

    def __len__(self) -> int:
        return len(self.base)


def block_of(source: Buffer, cut: Cut, at: int = 0) -> Block:
    """Return the records of a cut of `source`, which starts at `at` in the dump."""
    first = min([*cut.starts[:1], *(pieces[0][0] for pieces in cut.spanned[:1])], default=0)
    # Without RDWs the first record's position may be before the data; the header is read from there, so four are added.
    first = max(first, 0)
    plain = np.frombuffer(source, np.uint8)[first : max(cut.end, first)]
    joined = [b"".join([bytes(source[start : start + size]) for start, size in pieces]) for pieces in cut.spanned]
    padding = bytes(PADDING)
    parts = [np.zeros(4, np.uint8), plain, *(np.frombuffer(record, np.uint8) for record in joined)]
    data = np.concatenate([*parts, np.frombuffer(padding, np.uint8)])

    sizes = np.array([len(record) for record in joined], np.int64)
    joined_base = 4 + len(plain) + np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])[:-1]
    starts = np.array(cut.starts, np.int64)
    base = np.concatenate([starts - first + 4, joined_base])
    offset = np.concatenate([starts, np.array([pieces[0][0] for pieces in cut.spanned], np.int64)]) + at
    length = np.concatenate([np.array(cut.lengths, np.int64), sizes])
    order = np.argsort(offset, kind="stable")
    base, offset, length = base[order], offset[order], length[order]
    header = take_structures(data, base, SMF_HEADER, HEADER)
    subtype = np.where(length >= HEADER, header["SM11XSTF"].astype(np.int64), -1)
    return Block(data, base, length, offset, header["SM11XRTY"].astype(np.int64), subtype, header)


assert HEADER_SHORT < HEADER == dtype_of(SMF_HEADER, HEADER).itemsize
