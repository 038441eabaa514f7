"""MQCTLO, the options of MQCTL.

    offset  field           type    value
         0  StrucId         char 4  "CTLO"
         4  Version         int32   1
         8  Options         int32   MQCTLO_*
        12  Reserved        int32   -1
        16  ConnectionArea  int32   a number of the application; 20 bytes

A structure that is not valid gives MQRC_CTLO_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, show, write_id
from flintmq.mqi.layout import check_version, layouts
from flintmq.mqi.reason import MQRC_CTLO_ERROR

SIZE: Final[int] = 20

STRUC_ID: Final[bytes] = b"CTLO"
FIELDS: Final = (
    "version",
    "options",
    "connection_area",
)

_BIG, _LITTLE = layouts("4s i i i i", SIZE)  # In the order of the table.


class MQCTLO:
    """Control callback options."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.options: int = 0
        self.connection_area: int = 0

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure. Raises StructureError (MQRC_CTLO_ERROR)."""
        version = self.version
        check_version(version, 1, MQRC_CTLO_ERROR, "MQCTLO")
        try:
            raw = (_BIG if big_endian else _LITTLE).pack(
                write_id(STRUC_ID, ccsid),
                version,
                self.options,
                -1,
                self.connection_area,
            )
        except struct.error as error:
            raise StructureError(f"MQCTLO has a field that cannot be written: {error}", MQRC_CTLO_ERROR) from None
        return raw

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQCTLO":
        """The structure at `offset`. Raises StructureError (MQRC_CTLO_ERROR)."""
        check_room(data, offset, SIZE, MQRC_CTLO_ERROR, "MQCTLO")
        ctlo = MQCTLO()
        (
            identifier,
            ctlo.version,
            ctlo.options,
            _,
            ctlo.connection_area,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_CTLO_ERROR, "MQCTLO")
        check_version(ctlo.version, 1, MQRC_CTLO_ERROR, "MQCTLO")
        return ctlo

    def __repr__(self) -> str:
        return show("MQCTLO", self, FIELDS)
