"""MQSMPO, the options of MQSETMP.

    offset  field          type    value
         0  StrucId        char 4  "SMPO"
         4  Version        int32   1
         8  Options        int32   MQSMPO_*
        12  ValueEncoding  int32   of a number
        16  ValueCCSID     int32   of a string; 20 bytes

A structure that is not valid gives MQRC_SMPO_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, show, write_id
from flintmq.mqi.layout import check_version, layouts
from flintmq.mqi.reason import MQRC_SMPO_ERROR

SIZE: Final[int] = 20

STRUC_ID: Final[bytes] = b"SMPO"
FIELDS: Final = (
    "version",
    "options",
    "value_encoding",
    "value_ccsid",
)

_BIG, _LITTLE = layouts("4s i i i i", SIZE)  # In the order of the table.


class MQSMPO:
    """Set-message-property options."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.options: int = 0
        self.value_encoding: int = 546  # MQENC_NATIVE
        self.value_ccsid: int = -3  # MQCCSI_APPL

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure. Raises StructureError (MQRC_SMPO_ERROR)."""
        version = self.version
        check_version(version, 1, MQRC_SMPO_ERROR, "MQSMPO")
        try:
            raw = (_BIG if big_endian else _LITTLE).pack(
                write_id(STRUC_ID, ccsid),
                version,
                self.options,
                self.value_encoding,
                self.value_ccsid,
            )
        except struct.error as error:
            raise StructureError(f"MQSMPO has a field that cannot be written: {error}", MQRC_SMPO_ERROR) from None
        return raw

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQSMPO":
        """The structure at `offset`. Raises StructureError (MQRC_SMPO_ERROR)."""
        check_room(data, offset, SIZE, MQRC_SMPO_ERROR, "MQSMPO")
        smpo = MQSMPO()
        (
            identifier,
            smpo.version,
            smpo.options,
            smpo.value_encoding,
            smpo.value_ccsid,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_SMPO_ERROR, "MQSMPO")
        check_version(smpo.version, 1, MQRC_SMPO_ERROR, "MQSMPO")
        return smpo

    def __repr__(self) -> str:
        return show("MQSMPO", self, FIELDS)
