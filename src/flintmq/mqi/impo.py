"""MQIMPO, the options of MQINQMP.

    offset  field              type     value
         0  StrucId            char 4   "IMPO"
         4  Version            int32    1
         8  Options            int32    MQIMPO_*
        12  RequestedEncoding  int32
        16  RequestedCCSID     int32
        20  ReturnedEncoding   int32    output
        24  ReturnedCCSID      int32    output
        28  Reserved1          int32
        32  ReturnedName       MQCHARV  output
        52  TypeString         char 8   output: the dt attribute of the element; 60 bytes

A structure that is not valid gives MQRC_IMPO_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.charv import Strings, read_string
from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, read_text, show, write_id, write_text
from flintmq.mqi.layout import check_version, layouts
from flintmq.mqi.reason import MQRC_IMPO_ERROR

SIZE: Final[int] = 60

STRUC_ID: Final[bytes] = b"IMPO"
FIELDS: Final = (
    "version", "options", "requested_encoding", "requested_ccsid", "returned_encoding", "returned_ccsid",
    "returned_name", "type_string",
)  # fmt: skip

_BIG, _LITTLE = layouts("4s i i i i i i i 20s 8s", SIZE)  # In the order of the table.


class MQIMPO:
    """Inquire-message-property options."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.options: int = 0
        self.requested_encoding: int = 546  # MQENC_NATIVE
        self.requested_ccsid: int = -3  # MQCCSI_APPL
        self.returned_encoding: int = 546  # MQENC_NATIVE
        self.returned_ccsid: int = 0
        self.returned_name: str = ""
        self.type_string: str = ""

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure. Raises StructureError (MQRC_IMPO_ERROR)."""
        version = self.version
        check_version(version, 1, MQRC_IMPO_ERROR, "MQIMPO")
        strings = Strings(SIZE, big_endian, ccsid)
        try:
            raw = (_BIG if big_endian else _LITTLE).pack(
                write_id(STRUC_ID, ccsid),
                version,
                self.options,
                self.requested_encoding,
                self.requested_ccsid,
                self.returned_encoding,
                self.returned_ccsid,
                0,
                strings.add(self.returned_name),
                write_text(self.type_string, 8, ccsid, MQRC_IMPO_ERROR, "MQIMPO TypeString"),
            )
        except struct.error as error:
            raise StructureError(f"MQIMPO has a field that cannot be written: {error}", MQRC_IMPO_ERROR) from None
        return raw + strings.joined()

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQIMPO":
        """The structure at `offset`. Raises StructureError (MQRC_IMPO_ERROR)."""
        check_room(data, offset, SIZE, MQRC_IMPO_ERROR, "MQIMPO")
        impo = MQIMPO()
        (
            identifier,
            impo.version,
            impo.options,
            impo.requested_encoding,
            impo.requested_ccsid,
            impo.returned_encoding,
            impo.returned_ccsid,
            _,
            returned_name,
            type_string,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_IMPO_ERROR, "MQIMPO")
        check_version(impo.version, 1, MQRC_IMPO_ERROR, "MQIMPO")
        impo.returned_name = read_string(
            data, offset, returned_name, big_endian, ccsid, MQRC_IMPO_ERROR, "MQIMPO ReturnedName"
        )
        impo.type_string = read_text(type_string, ccsid)
        return impo

    def __repr__(self) -> str:
        return show("MQIMPO", self, FIELDS)
