"""MQDMPO, the options of MQDLTMP.

    offset  field    type    value
         0  StrucId  char 4  "DMPO"
         4  Version  int32   1
         8  Options  int32   MQDMPO_*; 12 bytes

A structure that is not valid gives MQRC_DMPO_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, show, write_id
from flintmq.mqi.reason import MQRC_DMPO_ERROR

SIZE: Final[int] = 12

STRUC_ID: Final[bytes] = b"DMPO"
FIELDS: Final = (
    "version",
    "options",
)

_FIELDS = "4s i i"  # In the order of the table.
_BIG = struct.Struct(">" + _FIELDS)
_LITTLE = struct.Struct("<" + _FIELDS)
assert _BIG.size == _LITTLE.size == SIZE


class MQDMPO:
    """Delete-message-property options."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.options: int = 0

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure. Raises StructureError (MQRC_DMPO_ERROR)."""
        version = self.version
        if version != 1:
            raise StructureError(f"MQDMPO has version {version}, not 1", MQRC_DMPO_ERROR)
        try:
            raw = (_BIG if big_endian else _LITTLE).pack(
                write_id(STRUC_ID, ccsid),
                version,
                self.options,
            )
        except struct.error as error:
            raise StructureError(f"MQDMPO has a field that cannot be written: {error}", MQRC_DMPO_ERROR) from None
        return raw

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQDMPO":
        """The structure at `offset`. Raises StructureError (MQRC_DMPO_ERROR)."""
        check_room(data, offset, SIZE, MQRC_DMPO_ERROR, "MQDMPO")
        dmpo = MQDMPO()
        (
            identifier,
            dmpo.version,
            dmpo.options,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_DMPO_ERROR, "MQDMPO")
        if dmpo.version != 1:
            raise StructureError(f"MQDMPO has version {dmpo.version}, not 1", MQRC_DMPO_ERROR)
        return dmpo

    def __repr__(self) -> str:
        return show("MQDMPO", self, FIELDS)
