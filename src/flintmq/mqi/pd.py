"""MQPD, the property descriptor: the attributes of a property besides name, type and value.

    offset  field        type    value
         0  StrucId      char 4  "PD  "
         4  Version      int32   1
         8  Options      int32
        12  Support      int32   what a queue manager that does not know the property must do
        16  Context      int32   0 none, 1 user context
        20  CopyOptions  int32   MQCOPY_*: into which messages it is copied; 24 bytes

A structure that is not valid gives MQRC_PD_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, show, write_id
from flintmq.mqi.layout import check_version, layouts
from flintmq.mqi.reason import MQRC_PD_ERROR

SIZE: Final[int] = 24

STRUC_ID: Final[bytes] = b"PD  "
FIELDS: Final = (
    "version",
    "options",
    "support",
    "context",
    "copy_options",
)

_BIG, _LITTLE = layouts("4s i i i i i", SIZE)  # In the order of the table.


class MQPD:
    """Property descriptor."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.options: int = 0
        self.support: int = 1  # MQPD_SUPPORT_OPTIONAL
        self.context: int = 0
        self.copy_options: int = 22  # MQCOPY_DEFAULT

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure. Raises StructureError (MQRC_PD_ERROR)."""
        version = self.version
        check_version(version, 1, MQRC_PD_ERROR, "MQPD")
        try:
            raw = (_BIG if big_endian else _LITTLE).pack(
                write_id(STRUC_ID, ccsid),
                version,
                self.options,
                self.support,
                self.context,
                self.copy_options,
            )
        except struct.error as error:
            raise StructureError(f"MQPD has a field that cannot be written: {error}", MQRC_PD_ERROR) from None
        return raw

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQPD":
        """The structure at `offset`. Raises StructureError (MQRC_PD_ERROR)."""
        check_room(data, offset, SIZE, MQRC_PD_ERROR, "MQPD")
        pd = MQPD()
        (
            identifier,
            pd.version,
            pd.options,
            pd.support,
            pd.context,
            pd.copy_options,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_PD_ERROR, "MQPD")
        check_version(pd.version, 1, MQRC_PD_ERROR, "MQPD")
        return pd

    def __repr__(self) -> str:
        return show("MQPD", self, FIELDS)
