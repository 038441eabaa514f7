"""MQDLH, the dead-letter header: why a message could not be delivered and where it was to go. Format "MQDEAD".

    offset  field           type     value
         0  StrucId         char 4   "DLH "
         4  Version         int32    1
         8  Reason          int32    MQRC_* or MQFB_*: why the message is here
        12  DestQName       char 48  where it was to go
        60  DestQMgrName    char 48
       108  Encoding        int32    of the data after this header
       112  CodedCharSetId  int32    likewise
       116  Format          char 8   likewise
       124  PutApplType     int32    who put it here
       128  PutApplName     char 28
       156  PutDate         char 8   YYYYMMDD
       164  PutTime         char 8   HHMMSSTH; 172 bytes

The message descriptor's Format, Encoding and CodedCharSetId describe this header; those here describe what follows.
A structure that is not valid gives MQRC_DLH_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, read_text, show, write_id, write_text
from flintmq.mqi.layout import check_version, layouts
from flintmq.mqi.reason import MQRC_DLH_ERROR

SIZE: Final[int] = 172

STRUC_ID: Final[bytes] = b"DLH "
FIELDS: Final = (
    "version", "reason", "dest_q_name", "dest_q_mgr_name", "encoding", "coded_char_set_id", "format",
    "put_appl_type", "put_appl_name", "put_date", "put_time",
)  # fmt: skip

_BIG, _LITTLE = layouts("4s i i 48s 48s i i 8s i 28s 8s 8s", SIZE)  # In the order of the table.


class MQDLH:
    """Dead-letter header."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.reason: int = 0
        self.dest_q_name: str = ""
        self.dest_q_mgr_name: str = ""
        self.encoding: int = 0
        self.coded_char_set_id: int = 0
        self.format: str = ""
        self.put_appl_type: int = 0
        self.put_appl_name: str = ""
        self.put_date: str = ""
        self.put_time: str = ""

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure. Raises StructureError (MQRC_DLH_ERROR)."""
        version = self.version
        check_version(version, 1, MQRC_DLH_ERROR, "MQDLH")
        try:
            raw = (_BIG if big_endian else _LITTLE).pack(
                write_id(STRUC_ID, ccsid),
                version,
                self.reason,
                write_text(self.dest_q_name, 48, ccsid, MQRC_DLH_ERROR, "MQDLH DestQName"),
                write_text(self.dest_q_mgr_name, 48, ccsid, MQRC_DLH_ERROR, "MQDLH DestQMgrName"),
                self.encoding,
                self.coded_char_set_id,
                write_text(self.format, 8, ccsid, MQRC_DLH_ERROR, "MQDLH Format"),
                self.put_appl_type,
                write_text(self.put_appl_name, 28, ccsid, MQRC_DLH_ERROR, "MQDLH PutApplName"),
                write_text(self.put_date, 8, ccsid, MQRC_DLH_ERROR, "MQDLH PutDate"),
                write_text(self.put_time, 8, ccsid, MQRC_DLH_ERROR, "MQDLH PutTime"),
            )
        except struct.error as error:
            raise StructureError(f"MQDLH has a field that cannot be written: {error}", MQRC_DLH_ERROR) from None
        return raw

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQDLH":
        """The structure at `offset`. Raises StructureError (MQRC_DLH_ERROR)."""
        check_room(data, offset, SIZE, MQRC_DLH_ERROR, "MQDLH")
        dlh = MQDLH()
        (
            identifier,
            dlh.version,
            dlh.reason,
            dest_q_name,
            dest_q_mgr_name,
            dlh.encoding,
            dlh.coded_char_set_id,
            format,
            dlh.put_appl_type,
            put_appl_name,
            put_date,
            put_time,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_DLH_ERROR, "MQDLH")
        check_version(dlh.version, 1, MQRC_DLH_ERROR, "MQDLH")
        dlh.dest_q_name = read_text(dest_q_name, ccsid)
        dlh.dest_q_mgr_name = read_text(dest_q_mgr_name, ccsid)
        dlh.format = read_text(format, ccsid)
        dlh.put_appl_name = read_text(put_appl_name, ccsid)
        dlh.put_date = read_text(put_date, ccsid)
        dlh.put_time = read_text(put_time, ccsid)
        return dlh

    def __repr__(self) -> str:
        return show("MQDLH", self, FIELDS)
