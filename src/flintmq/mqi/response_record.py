"""MQRR, the response record: the result for one destination of a distribution list.

Beside MQOD and MQPMO, in `response_records`; written when the destinations did not all end alike (2136).

    offset  field     type   value
         0  CompCode  int32  MQCC_*
         4  Reason    int32  MQRC_*; 8 bytes

A record that is not valid gives MQRC_RESPONSE_RECORDS_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_room, show
from flintmq.mqi.layout import layouts
from flintmq.mqi.reason import MQRC_RESPONSE_RECORDS_ERROR

SIZE: Final[int] = 8
FIELDS: Final = ("comp_code", "reason")

_BIG, _LITTLE = layouts("i i", SIZE)  # In the order of the table.


class MQRR:
    """Response record."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.comp_code: int = 0
        self.reason: int = 0

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this record. Raises StructureError (MQRC_RESPONSE_RECORDS_ERROR)."""
        try:
            return (_BIG if big_endian else _LITTLE).pack(self.comp_code, self.reason)
        except struct.error as error:
            raise StructureError(
                f"MQRR has a field that cannot be written: {error}", MQRC_RESPONSE_RECORDS_ERROR
            ) from None

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQRR":
        """The record at `offset`. Raises StructureError (MQRC_RESPONSE_RECORDS_ERROR)."""
        check_room(data, offset, SIZE, MQRC_RESPONSE_RECORDS_ERROR, "MQRR")
        record = MQRR()
        record.comp_code, record.reason = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)
        return record

    def __repr__(self) -> str:
        return show("MQRR", self, FIELDS)
