"""MQDMPO, the options of MQDLTMP.

    offset  field    type    value
         0  StrucId  char 4  "DMPO"
         4  Version  int32   1
         8  Options  int32   MQDMPO_*; 12 bytes

A structure that is not valid gives MQRC_DMPO_ERROR.
"""

from typing import Final

from flintmq.mqi.options_structure import OPTIONS_FIELDS, OPTIONS_SIZE, OptionsStructure
from flintmq.mqi.reason import MQRC_DMPO_ERROR

SIZE: Final[int] = OPTIONS_SIZE

STRUC_ID: Final[bytes] = b"DMPO"
FIELDS: Final = OPTIONS_FIELDS


class MQDMPO(OptionsStructure):
    """Delete-message-property options."""

    __slots__ = ()

    _name = "MQDMPO"
    _struc_id = STRUC_ID
    _reason = MQRC_DMPO_ERROR

    def __init__(self) -> None:
        super().__init__(0)

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQDMPO":
        """The structure at `offset`. Raises StructureError (MQRC_DMPO_ERROR)."""
        dmpo = MQDMPO()
        dmpo._read(data, offset, big_endian, ccsid)
        return dmpo
