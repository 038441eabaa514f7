"""Which partition, a date and a queue manager, each record of a block belongs to.

Tables can be made with the rows of a partition together, in the order of the dump within it: each partition is then a
slice of the table, and nothing is copied to take them apart. Records that are none of ours have no queue manager.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import numpy as np

from flintmq.telemetry.smf.columns.arrays import texts
from flintmq.telemetry.smf.columns.block import Bytes, Flags, Integers

#: The date of the SMF header, and the queue manager.
Partition = tuple[date, str | None]
_FIRST_DAY = date(1970, 1, 1)


class Partitions:
    """The partitions of a block, in order."""

    def __init__(self, days: Integers, names: Bytes, ours: Flags) -> None:
        names = np.where(ours[:, None], names, 0).astype(np.uint8)
        keys = (days << 32) | names.view(">u4")[:, 0]
        different, first, number = np.unique(keys, return_index=True, return_inverse=True)
        dates = [_FIRST_DAY + timedelta(days=int(key) >> 32) for key in different]
        found = list(zip(dates, texts(names[first]).to_pylist(), strict=True))
        # Names that end in blanks and in X'00' are the same.
        self.partitions: list[Partition] = sorted(set(found), key=lambda pair: (pair[0], pair[1] or ""))
        #: The partition of each record.
        self.number: Integers = np.array([self.partitions.index(pair) for pair in found], np.int64)[number]

    def counts(self, record: Integers) -> list[int]:
        """Return the number of these records in each partition."""
        counts: list[int] = np.bincount(self.number[record], minlength=len(self.partitions)).tolist()
        return counts

    def slices(self, table: Any, counts: list[int]) -> Iterator[tuple[Partition, Any]]:
        """Yield the parts of a table with rows in the order of the partitions; `counts` has the rows of each."""
        at = 0
        for partition, count in zip(self.partitions, counts, strict=True):
            if count:
                yield partition, table.slice(at, count)
            at += count
