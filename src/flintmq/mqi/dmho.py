"""MQDMHO, the options of MQDLTMH.

    offset  field    type    value
         0  StrucId  char 4  "DMHO"
         4  Version  int32   1
         8  Options  int32   MQDMHO_*; 12 bytes

A structure that is not valid gives MQRC_DMHO_ERROR.
"""

from typing import Final

from flintmq.mqi.options_structure import OPTIONS_FIELDS, OPTIONS_SIZE, OptionsStructure
from flintmq.mqi.reason import MQRC_DMHO_ERROR

SIZE: Final[int] = OPTIONS_SIZE

STRUC_ID: Final[bytes] = b"DMHO"
FIELDS: Final = OPTIONS_FIELDS


class MQDMHO(OptionsStructure):
    """Delete-message-handle options."""

    __slots__ = ()

    _name = "MQDMHO"
    _struc_id = STRUC_ID
    _reason = MQRC_DMHO_ERROR

    def __init__(self) -> None:
        super().__init__(0)

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQDMHO":
        """The structure at `offset`. Raises StructureError (MQRC_DMHO_ERROR)."""
        dmho = MQDMHO()
        dmho._read(data, offset, big_endian, ccsid)
        return dmho
