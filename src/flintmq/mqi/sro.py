"""MQSRO, the options of MQSUBRQ.

    offset  field    type    value
         0  StrucId  char 4  "SRO "
         4  Version  int32   1
         8  Options  int32   MQSRO_*
        12  NumPubs  int32   output: how many publications were sent; 16 bytes

A structure that is not valid gives MQRC_SRO_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, show, write_id
from flintmq.mqi.layout import check_version, layouts
from flintmq.mqi.reason import MQRC_SRO_ERROR

SIZE: Final[int] = 16

STRUC_ID: Final[bytes] = b"SRO "
FIELDS: Final = (
    "version",
    "options",
    "num_pubs",
)

_BIG, _LITTLE = layouts("4s i i i", SIZE)  # In the order of the table.


class MQSRO:
    """Subscription request options."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.options: int = 0
        self.num_pubs: int = 0

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure. Raises StructureError (MQRC_SRO_ERROR)."""
        version = self.version
        check_version(version, 1, MQRC_SRO_ERROR, "MQSRO")
        try:
            raw = (_BIG if big_endian else _LITTLE).pack(
                write_id(STRUC_ID, ccsid),
                version,
                self.options,
                self.num_pubs,
            )
        except struct.error as error:
            raise StructureError(f"MQSRO has a field that cannot be written: {error}", MQRC_SRO_ERROR) from None
        return raw

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQSRO":
        """The structure at `offset`. Raises StructureError (MQRC_SRO_ERROR)."""
        check_room(data, offset, SIZE, MQRC_SRO_ERROR, "MQSRO")
        sro = MQSRO()
        (
            identifier,
            sro.version,
            sro.options,
            sro.num_pubs,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_SRO_ERROR, "MQSRO")
        check_version(sro.version, 1, MQRC_SRO_ERROR, "MQSRO")
        return sro

    def __repr__(self) -> str:
        return show("MQSRO", self, FIELDS)
