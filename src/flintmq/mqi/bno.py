"""MQBNO, how a connection may be moved when a uniform cluster is balanced.

    offset  field     type    value
         0  StrucId   char 4  "BNO "
         4  Version   int32   1
         8  ApplType  int32   MQBNO_BALTYPE_*
        12  Timeout   int32
        16  Options   int32   MQBNO_OPTIONS_*; 20 bytes

A structure that is not valid gives MQRC_BNO_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, show, write_id
from flintmq.mqi.layout import check_version, layouts
from flintmq.mqi.reason import MQRC_BNO_ERROR

SIZE: Final[int] = 20

STRUC_ID: Final[bytes] = b"BNO "
FIELDS: Final = (
    "version",
    "appl_type",
    "timeout",
    "options",
)

_BIG, _LITTLE = layouts("4s i i i i", SIZE)  # In the order of the table.


class MQBNO:
    """Balancing options."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.appl_type: int = 0
        self.timeout: int = -1  # MQBNO_TIMEOUT_AS_DEFAULT
        self.options: int = 0

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure. Raises StructureError (MQRC_BNO_ERROR)."""
        version = self.version
        check_version(version, 1, MQRC_BNO_ERROR, "MQBNO")
        try:
            raw = (_BIG if big_endian else _LITTLE).pack(
                write_id(STRUC_ID, ccsid),
                version,
                self.appl_type,
                self.timeout,
                self.options,
            )
        except struct.error as error:
            raise StructureError(f"MQBNO has a field that cannot be written: {error}", MQRC_BNO_ERROR) from None
        return raw

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQBNO":
        """The structure at `offset`. Raises StructureError (MQRC_BNO_ERROR)."""
        check_room(data, offset, SIZE, MQRC_BNO_ERROR, "MQBNO")
        bno = MQBNO()
        (
            identifier,
            bno.version,
            bno.appl_type,
            bno.timeout,
            bno.options,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_BNO_ERROR, "MQBNO")
        check_version(bno.version, 1, MQRC_BNO_ERROR, "MQBNO")
        return bno

    def __repr__(self) -> str:
        return show("MQBNO", self, FIELDS)
