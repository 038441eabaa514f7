"""MQBO, the options of MQBEGIN.

    offset  field    type    value
         0  StrucId  char 4  "BO  "
         4  Version  int32   1
         8  Options  int32   MQBO_*; 12 bytes

A structure that is not valid gives MQRC_BO_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, show, write_id
from flintmq.mqi.reason import MQRC_BO_ERROR

SIZE: Final[int] = 12

STRUC_ID: Final[bytes] = b"BO  "
FIELDS: Final = (
    "version",
    "options",
)

_FIELDS = "4s i i"  # In the order of the table.
_BIG = struct.Struct(">" + _FIELDS)
_LITTLE = struct.Struct("<" + _FIELDS)
assert _BIG.size == _LITTLE.size == SIZE


class MQBO:
    """Begin options."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.options: int = 0

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure. Raises StructureError (MQRC_BO_ERROR)."""
        version = self.version
        if version != 1:
            raise StructureError(f"MQBO has version {version}, not 1", MQRC_BO_ERROR)
        try:
            raw = (_BIG if big_endian else _LITTLE).pack(
                write_id(STRUC_ID, ccsid),
                version,
                self.options,
            )
        except struct.error as error:
            raise StructureError(f"MQBO has a field that cannot be written: {error}", MQRC_BO_ERROR) from None
        return raw

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQBO":
        """The structure at `offset`. Raises StructureError (MQRC_BO_ERROR)."""
        check_room(data, offset, SIZE, MQRC_BO_ERROR, "MQBO")
        bo = MQBO()
        (
            identifier,
            bo.version,
            bo.options,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_BO_ERROR, "MQBO")
        if bo.version != 1:
            raise StructureError(f"MQBO has version {bo.version}, not 1", MQRC_BO_ERROR)
        return bo

    def __repr__(self) -> str:
        return show("MQBO", self, FIELDS)
