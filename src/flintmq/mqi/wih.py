"""MQWIH, the work information header: for messages that a workload manager on z/OS hands out. Format "MQHWIH".

    offset  field           type     value
         0  StrucId         char 4   "WIH "
         4  Version         int32    1
         8  StrucLength     int32    120
        12  Encoding        int32    of the data after this header
        16  CodedCharSetId  int32    likewise
        20  Format          char 8   likewise
        28  Flags           int32
        32  ServiceName     char 32
        64  ServiceStep     char 8
        72  MsgToken        byte 16
        88  Reserved        char 32  120 bytes

A structure that is not valid gives MQRC_WIH_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_bytes, check_id, check_room, read_text, show, write_id, write_text
from flintmq.mqi.layout import check_length, check_version, layouts
from flintmq.mqi.reason import MQRC_WIH_ERROR

SIZE: Final[int] = 120

STRUC_ID: Final[bytes] = b"WIH "
NO_MSG_TOKEN: Final[bytes] = bytes(16)
FIELDS: Final = (
    "version", "encoding", "coded_char_set_id", "format", "flags", "service_name", "service_step", "msg_token",
)  # fmt: skip

_BIG, _LITTLE = layouts("4s i i i i 8s i 32s 8s 16s 32s", SIZE)  # In the order of the table.


class MQWIH:
    """Work information header."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.encoding: int = 0
        self.coded_char_set_id: int = 0
        self.format: str = ""
        self.flags: int = 0
        self.service_name: str = ""
        self.service_step: str = ""
        self.msg_token: bytes = NO_MSG_TOKEN

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure. Raises StructureError (MQRC_WIH_ERROR)."""
        version = self.version
        check_version(version, 1, MQRC_WIH_ERROR, "MQWIH")
        try:
            raw = (_BIG if big_endian else _LITTLE).pack(
                write_id(STRUC_ID, ccsid),
                version,
                SIZE,
                self.encoding,
                self.coded_char_set_id,
                write_text(self.format, 8, ccsid, MQRC_WIH_ERROR, "MQWIH Format"),
                self.flags,
                write_text(self.service_name, 32, ccsid, MQRC_WIH_ERROR, "MQWIH ServiceName"),
                write_text(self.service_step, 8, ccsid, MQRC_WIH_ERROR, "MQWIH ServiceStep"),
                check_bytes(self.msg_token, 16, MQRC_WIH_ERROR, "MQWIH MsgToken"),
                write_text("", 32, ccsid, MQRC_WIH_ERROR, "MQWIH Reserved"),
            )
        except struct.error as error:
            raise StructureError(f"MQWIH has a field that cannot be written: {error}", MQRC_WIH_ERROR) from None
        return raw

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQWIH":
        """The structure at `offset`. Raises StructureError (MQRC_WIH_ERROR)."""
        check_room(data, offset, SIZE, MQRC_WIH_ERROR, "MQWIH")
        wih = MQWIH()
        (
            identifier,
            wih.version,
            length,
            wih.encoding,
            wih.coded_char_set_id,
            format,
            wih.flags,
            service_name,
            service_step,
            wih.msg_token,
            _,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_WIH_ERROR, "MQWIH")
        check_version(wih.version, 1, MQRC_WIH_ERROR, "MQWIH")
        check_length(length, SIZE, MQRC_WIH_ERROR, "MQWIH")
        wih.format = read_text(format, ccsid)
        wih.service_name = read_text(service_name, ccsid)
        wih.service_step = read_text(service_step, ccsid)
        return wih

    def __repr__(self) -> str:
        return show("MQWIH", self, FIELDS)
