"""MQBMHO, the options of MQBUFMH.

    offset  field    type    value
         0  StrucId  char 4  "BMHO"
         4  Version  int32   1
         8  Options  int32   MQBMHO_*; 12 bytes

A structure that is not valid gives MQRC_BMHO_ERROR.
"""

from typing import Final

from flintmq.mqi.options_structure import OPTIONS_FIELDS, OPTIONS_SIZE, OptionsStructure
from flintmq.mqi.reason import MQRC_BMHO_ERROR

SIZE: Final[int] = OPTIONS_SIZE

STRUC_ID: Final[bytes] = b"BMHO"
FIELDS: Final = OPTIONS_FIELDS


class MQBMHO(OptionsStructure):
    """Buffer-to-message-handle options."""

    __slots__ = ()

    _name = "MQBMHO"
    _struc_id = STRUC_ID
    _reason = MQRC_BMHO_ERROR

    def __init__(self) -> None:
        super().__init__(1)  # MQBMHO_DELETE_PROPERTIES

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQBMHO":
        """The structure at `offset`. Raises StructureError (MQRC_BMHO_ERROR)."""
        bmho = MQBMHO()
        bmho._read(data, offset, big_endian, ccsid)
        return bmho
