"""MQMHBO, the options of MQMHBUF.

    offset  field    type    value
         0  StrucId  char 4  "MHBO"
         4  Version  int32   1
         8  Options  int32   MQMHBO_*; 12 bytes

A structure that is not valid gives MQRC_MHBO_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, show, write_id
from flintmq.mqi.reason import MQRC_MHBO_ERROR

SIZE: Final[int] = 12

STRUC_ID: Final[bytes] = b"MHBO"
FIELDS: Final = (
    "version",
    "options",
)

_FIELDS = "4s i i"  # In the order of the table.
_BIG = struct.Struct(">" + _FIELDS)
_LITTLE = struct.Struct("<" + _FIELDS)
assert _BIG.size == _LITTLE.size == SIZE


class MQMHBO:
    """Message-handle-to-buffer options."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.options: int = 1  # MQMHBO_PROPERTIES_IN_MQRFH2

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure. Raises StructureError (MQRC_MHBO_ERROR)."""
        version = self.version
        if version != 1:
            raise StructureError(f"MQMHBO has version {version}, not 1", MQRC_MHBO_ERROR)
        try:
            raw = (_BIG if big_endian else _LITTLE).pack(
                write_id(STRUC_ID, ccsid),
                version,
                self.options,
            )
        except struct.error as error:
            raise StructureError(f"MQMHBO has a field that cannot be written: {error}", MQRC_MHBO_ERROR) from None
        return raw

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQMHBO":
        """The structure at `offset`. Raises StructureError (MQRC_MHBO_ERROR)."""
        check_room(data, offset, SIZE, MQRC_MHBO_ERROR, "MQMHBO")
        mhbo = MQMHBO()
        (
            identifier,
            mhbo.version,
            mhbo.options,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_MHBO_ERROR, "MQMHBO")
        if mhbo.version != 1:
            raise StructureError(f"MQMHBO has version {mhbo.version}, not 1", MQRC_MHBO_ERROR)
        return mhbo

    def __repr__(self) -> str:
        return show("MQMHBO", self, FIELDS)
