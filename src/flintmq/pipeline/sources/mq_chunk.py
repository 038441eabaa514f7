"""Some messages of a queue that were read together, by columns: the answer of the queue manager is not taken apart.

    Chunk           positions, when they were put, descriptors and bodies; each is one array, or one buffer
      of_browsed    from the answer to a call that has brought many (client/remote/bulk.py)
      of_messages   from messages that came one by one

Descriptors are wanted whole, or only as far as a body needs them: whether it begins with a header, and in which
character set it is. `Wanted` says which; with fewer the queue manager writes fewer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from flintmq.client.remote.bulk import Browsed
from flintmq.mqi.md import SIZE_2
from flintmq.pipeline.sources.mq_offset import Positions
from flintmq.wire.mq import bulk

#: A message that came by itself: its position, its MQMD (version 2, as it is on the wire) and its data.
Got: TypeAlias = tuple[int, bytes, bytes]
Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

#: name, type of NumPy, in the order of the MQMD.
FIELDS = (
    ("struc_id", "V4"), ("version", "i4"), ("report", "i4"), ("msg_type", "i4"), ("expiry", "i4"), ("feedback", "i4"),
    ("encoding", "i4"), ("coded_char_set_id", "i4"), ("format", "V8"), ("priority", "i4"), ("persistence", "i4"),
    ("msg_id", "V24"), ("correl_id", "V24"), ("backout_count", "i4"), ("reply_to_q", "V48"), ("reply_to_q_mgr", "V48"),
    ("user_identifier", "V12"), ("accounting_token", "V32"), ("appl_identity_data", "V32"), ("put_appl_type", "i4"),
    ("put_appl_name", "V28"), ("put_at", "V16"), ("appl_origin_data", "V4"), ("group_id", "V24"),
    ("msg_seq_number", "i4"), ("offset", "i4"), ("msg_flags", "i4"), ("original_length", "i4"),
)  # fmt: skip
LITTLE = np.dtype([(name, "<" + kind if kind == "i4" else kind) for name, kind in FIELDS])
BIG = np.dtype([(name, ">" + kind if kind == "i4" else kind) for name, kind in FIELDS])
assert LITTLE.itemsize == BIG.itemsize == SIZE_2
_BRIEF = np.dtype([("encoding", "i4"), ("coded_char_set_id", "i4"), ("format", "V8")])

#: Parts of messages: places only; bodies; bodies with whole descriptors. Always when they were put (S5).
PLACES = bulk.WANT_PUT_AT
BODIES = bulk.WANT_DATA | bulk.WANT_PUT_AT
ALL = bulk.WANT_DATA | bulk.WANT_PUT_AT | bulk.WANT_DESCRIPTOR


@dataclass
class Chunk:
    """Messages in the order of the queue. Parts that were not wanted are None."""

    positions: Positions
    #: PutDate and PutTime, one behind the other: later is greater. "S16".
    put_at: Array | None
    #: A table with the fields of the MQMD, or some of them. It may be changed.
    descriptors: Array | None
    #: The data of message n is data[offsets[n] : offsets[n + 1]].
    offsets: Array | None
    data: bytes | memoryview

    def __len__(self) -> int:
        return len(self.positions)

    def body(self, row: int) -> bytes:
        """Return the data of one message."""
        assert self.offsets is not None
        return bytes(self.data[int(self.offsets[row]) : int(self.offsets[row + 1])])

    def where(self, mask: Array) -> Chunk:
        """Return the messages for which `mask` is true."""
        return self if bool(mask.all()) else self.rows(np.flatnonzero(mask))

    def rows(self, rows: Array) -> Chunk:
        """Return the messages of these numbers."""
        offsets, data = self.offsets, self.data
        if offsets is not None:
            parts = [self.body(row) for row in rows.tolist()]
            offsets, data = _offsets_of([len(part) for part in parts]), b"".join(parts)
        return Chunk(
            self.positions[rows],
            None if self.put_at is None else self.put_at[rows],
            None if self.descriptors is None else self.descriptors[rows],
            offsets,
            data,
        )

    def newest(self) -> str:
        """Return the latest PutDate and PutTime."""
        assert self.put_at is not None
        return max(self.put_at.tolist(), default=b"").decode("latin-1")  # NumPy has no max of these.


def _offsets_of(lengths: Sequence[int] | Array) -> Array:
    offsets = np.zeros(len(lengths) + 1, dtype=np.int32)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def of_browsed(browsed: Browsed, wanted: int) -> Chunk:
    """Return the answer to one call as a chunk. Raises ValueError if its lengths do not fit its data."""
    order = ">" if browsed.big_endian else "<"
    positions = np.frombuffer(browsed.positions, dtype=order + "i8").astype(np.int64, copy=False)
    put_at = np.frombuffer(browsed.put_at, dtype="S16") if wanted & bulk.WANT_PUT_AT else None
    descriptors: Array | None = None
    offsets: Array | None = None
    if wanted & bulk.WANT_DESCRIPTOR:
        descriptors = np.frombuffer(bytearray(browsed.descriptors), dtype=BIG if browsed.big_endian else LITTLE)
    elif wanted & bulk.WANT_DATA:
        descriptors = np.empty(browsed.count, dtype=_BRIEF)
        descriptors["encoding"] = np.frombuffer(browsed.encodings, dtype=order + "i4")
        descriptors["coded_char_set_id"] = np.frombuffer(browsed.ccsids, dtype=order + "i4")
        descriptors["format"] = np.frombuffer(browsed.formats, dtype="V8")
    if wanted & bulk.WANT_DATA:
        lengths = np.frombuffer(browsed.lengths, dtype=order + "i4")
        offsets = _offsets_of(lengths)
        if (lengths < 0).any() or int(lengths.sum(dtype=np.int64)) > len(browsed.data):
            raise ValueError("lengths of messages that do not fit their data")
    return Chunk(positions, put_at, descriptors, offsets, browsed.data)


def of_messages(messages: list[Got], big_endian: bool) -> Chunk:
    """Return messages that came one by one, with whole descriptors."""
    table = np.frombuffer(bytearray(b"".join([got[1] for got in messages])), dtype=BIG if big_endian else LITTLE)
    put_at = np.ascontiguousarray(table["put_at"]).view("S16")
    positions = np.array([got[0] for got in messages], dtype=np.int64)
    data = [got[2] for got in messages]
    return Chunk(positions, put_at, table, _offsets_of([len(each) for each in data]), b"".join(data))
