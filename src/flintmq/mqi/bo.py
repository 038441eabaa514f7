"""MQBO, the options of MQBEGIN.

    offset  field    type    value
         0  StrucId  char 4  "BO  "
         4  Version  int32   1
         8  Options  int32   MQBO_*; 12 bytes

A structure that is not valid gives MQRC_BO_ERROR.
"""

from typing import Final

from flintmq.mqi.options_structure import OPTIONS_FIELDS, OPTIONS_SIZE, OptionsStructure
from flintmq.mqi.reason import MQRC_BO_ERROR

SIZE: Final[int] = OPTIONS_SIZE

STRUC_ID: Final[bytes] = b"BO  "
FIELDS: Final = OPTIONS_FIELDS


class MQBO(OptionsStructure):
    """Begin options."""

    __slots__ = ()

    _name = "MQBO"
    _struc_id = STRUC_ID
    _reason = MQRC_BO_ERROR

    def __init__(self) -> None:
        super().__init__(0)

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQBO":
        """The structure at `offset`. Raises StructureError (MQRC_BO_ERROR)."""
        bo = MQBO()
        bo._read(data, offset, big_endian, ccsid)
        return bo
