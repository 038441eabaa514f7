"""Distribution lists: the arrays that MQOD and MQPMO point to.

    ObjectRecPtr     MQOR      RecsPresent of them, 96 bytes each: names of queues and queue managers
    PutMsgRecPtr     MQPMR     fields as PutMsgRecFields says
    ResponseRecPtr   MQRR      8 bytes each; completion and reason code, written by the call

An address wins over an offset; offsets count from the structure and are of no use here, where it stands alone.
"""

from __future__ import annotations

import ctypes
from typing import Any

from flintmq.mqi.dh import MQPMR, put_message_record_size
from flintmq.mqi.object_record import MQOR
from flintmq.mqi.object_record import SIZE as OR_SIZE
from flintmq.mqi.response_record import MQRR
from flintmq.mqi.response_record import SIZE as RR_SIZE
from flintmq.pymqi.native import BIG_ENDIAN
from flintmq.pymqi.opts import Structure


class Records:
    """The arrays of one structure, for one call."""

    def __init__(self, structure: Structure) -> None:
        self._address: int = structure.ResponseRecPtr if structure.Version > 1 else 0
        self._structure = structure
        self._responses: list[MQRR] = []

    def of_od(self, od: Any) -> Records:
        """Copy the targets of the pointers to our MQOD."""
        count = od.recs_present
        if count > 0 and self._structure.ObjectRecPtr:
            raw = ctypes.string_at(self._structure.ObjectRecPtr, count * OR_SIZE)
            od.object_records = [MQOR.unpack(raw, place * OR_SIZE, BIG_ENDIAN) for place in range(count)]
        od.response_records = self._made(count)
        return self

    def of_pmo(self, pmo: Any) -> Records:
        """Copy the targets of the pointers to our MQPMO."""
        count = pmo.recs_present
        if count > 0 and self._structure.PutMsgRecPtr:
            fields = pmo.put_msg_rec_fields
            size = put_message_record_size(fields)
            raw = ctypes.string_at(self._structure.PutMsgRecPtr, count * size)
            pmo.put_msg_records = [MQPMR.unpack(raw, fields, place * size, BIG_ENDIAN) for place in range(count)]
        pmo.response_records = self._made(count)
        return self

    def _made(self, count: int) -> list[MQRR] | None:
        self._responses = [MQRR() for _ in range(count)] if count > 0 and self._address else []
        return self._responses or None

    def answer(self) -> None:
        """Write the response records where the program wants them."""
        raw = b"".join(record.pack(BIG_ENDIAN) for record in self._responses)
        if raw:
            ctypes.memmove(self._address, raw, len(raw))
            assert len(raw) == RR_SIZE * len(self._responses)
