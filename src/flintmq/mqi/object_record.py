"""MQOR, the object record: one destination of a distribution list. Beside MQOD, `MQOD.object_records`.

    offset  field           type     value
         0  ObjectName      char 48
        48  ObjectQMgrName  char 48  blank: here; 96 bytes

A record that is not valid gives MQRC_OBJECT_RECORDS_ERROR.
"""

from typing import Final

from flintmq.mqi.fields import check_room, read_text, show, write_text
from flintmq.mqi.reason import MQRC_OBJECT_RECORDS_ERROR

SIZE: Final[int] = 96
FIELDS: Final = ("object_name", "object_q_mgr_name")


class MQOR:
    """Object record."""

    __slots__ = FIELDS

    def __init__(self, object_name: str = "", object_q_mgr_name: str = "") -> None:
        self.object_name: str = object_name
        self.object_q_mgr_name: str = object_q_mgr_name

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this record. Raises StructureError (MQRC_OBJECT_RECORDS_ERROR)."""
        return write_text(self.object_name, 48, ccsid, MQRC_OBJECT_RECORDS_ERROR, "MQOR ObjectName") + write_text(
            self.object_q_mgr_name, 48, ccsid, MQRC_OBJECT_RECORDS_ERROR, "MQOR ObjectQMgrName"
        )

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQOR":
        """The record at `offset`. Raises StructureError (MQRC_OBJECT_RECORDS_ERROR)."""
        check_room(data, offset, SIZE, MQRC_OBJECT_RECORDS_ERROR, "MQOR")
        record = MQOR()
        record.object_name = read_text(data[offset : offset + 48], ccsid)
        record.object_q_mgr_name = read_text(data[offset + 48 : offset + SIZE], ccsid)
        return record

    def __repr__(self) -> str:
        return show("MQOR", self, FIELDS)
