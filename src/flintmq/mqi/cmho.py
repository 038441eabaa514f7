"""MQCMHO, the options of MQCRTMH.

    offset  field    type    value
         0  StrucId  char 4  "CMHO"
         4  Version  int32   1
         8  Options  int32   MQCMHO_*; 12 bytes

A structure that is not valid gives MQRC_CMHO_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, show, write_id
from flintmq.mqi.reason import MQRC_CMHO_ERROR

SIZE: Final[int] = 12

STRUC_ID: Final[bytes] = b"CMHO"
FIELDS: Final = (
    "version",
    "options",
)

_FIELDS = "4s i i"  # In the order of the table.
_BIG = struct.Struct(">" + _FIELDS)
_LITTLE = struct.Struct("<" + _FIELDS)
assert _BIG.size == _LITTLE.size == SIZE


class MQCMHO:
    """Create-message-handle options."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.options: int = 0

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure. Raises StructureError (MQRC_CMHO_ERROR)."""
        version = self.version
        if version != 1:
            raise StructureError(f"MQCMHO has version {version}, not 1", MQRC_CMHO_ERROR)
        try:
            raw = (_BIG if big_endian else _LITTLE).pack(
                write_id(STRUC_ID, ccsid),
                version,
                self.options,
            )
        except struct.error as error:
            raise StructureError(f"MQCMHO has a field that cannot be written: {error}", MQRC_CMHO_ERROR) from None
        return raw

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQCMHO":
        """The structure at `offset`. Raises StructureError (MQRC_CMHO_ERROR)."""
        check_room(data, offset, SIZE, MQRC_CMHO_ERROR, "MQCMHO")
        cmho = MQCMHO()
        (
            identifier,
            cmho.version,
            cmho.options,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_CMHO_ERROR, "MQCMHO")
        if cmho.version != 1:
            raise StructureError(f"MQCMHO has version {cmho.version}, not 1", MQRC_CMHO_ERROR)
        return cmho

    def __repr__(self) -> str:
        return show("MQCMHO", self, FIELDS)
