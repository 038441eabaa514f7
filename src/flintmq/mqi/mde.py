"""MQMDE, the message descriptor extension: fields of a version 2 descriptor in front of the data. Format "MQHMDE".

    offset  field           type     value
         0  StrucId         char 4   "MDE "
         4  Version         int32    2
         8  StrucLength     int32    72
        12  Encoding        int32    of the data after this header
        16  CodedCharSetId  int32    likewise
        20  Format          char 8   likewise
        28  Flags           int32
        32  GroupId         byte 24
        56  MsgSeqNumber    int32
        60  Offset          int32
        64  MsgFlags        int32
        68  OriginalLength  int32    72 bytes

A structure that is not valid gives MQRC_MDE_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_bytes, check_id, check_room, read_text, show, write_id, write_text
from flintmq.mqi.layout import check_length, check_version, layouts
from flintmq.mqi.md import NO_ID
from flintmq.mqi.reason import MQRC_MDE_ERROR

SIZE: Final[int] = 72

STRUC_ID: Final[bytes] = b"MDE "
FIELDS: Final = (
    "version", "encoding", "coded_char_set_id", "format", "flags", "group_id", "msg_seq_number", "offset",
    "msg_flags", "original_length",
)  # fmt: skip

_BIG, _LITTLE = layouts("4s i i i i 8s i 24s i i i i", SIZE)  # In the order of the table.


class MQMDE:
    """Message descriptor extension."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 2
        self.encoding: int = 546
        self.coded_char_set_id: int = 0
        self.format: str = ""
        self.flags: int = 0
        self.group_id: bytes = NO_ID
        self.msg_seq_number: int = 1
        self.offset: int = 0
        self.msg_flags: int = 0
        self.original_length: int = -1  # MQOL_UNDEFINED

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure. Raises StructureError (MQRC_MDE_ERROR)."""
        version = self.version
        check_version(version, 2, MQRC_MDE_ERROR, "MQMDE")
        try:
            raw = (_BIG if big_endian else _LITTLE).pack(
                write_id(STRUC_ID, ccsid),
                version,
                SIZE,
                self.encoding,
                self.coded_char_set_id,
                write_text(self.format, 8, ccsid, MQRC_MDE_ERROR, "MQMDE Format"),
                self.flags,
                check_bytes(self.group_id, 24, MQRC_MDE_ERROR, "MQMDE GroupId"),
                self.msg_seq_number,
                self.offset,
                self.msg_flags,
                self.original_length,
            )
        except struct.error as error:
            raise StructureError(f"MQMDE has a field that cannot be written: {error}", MQRC_MDE_ERROR) from None
        return raw

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQMDE":
        """The structure at `offset`. Raises StructureError (MQRC_MDE_ERROR)."""
        check_room(data, offset, SIZE, MQRC_MDE_ERROR, "MQMDE")
        mde = MQMDE()
        (
            identifier,
            mde.version,
            length,
            mde.encoding,
            mde.coded_char_set_id,
            format,
            mde.flags,
            mde.group_id,
            mde.msg_seq_number,
            mde.offset,
            mde.msg_flags,
            mde.original_length,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_MDE_ERROR, "MQMDE")
        check_version(mde.version, 2, MQRC_MDE_ERROR, "MQMDE")
        check_length(length, SIZE, MQRC_MDE_ERROR, "MQMDE")
        mde.format = read_text(format, ccsid)
        return mde

    def __repr__(self) -> str:
        return show("MQMDE", self, FIELDS)
