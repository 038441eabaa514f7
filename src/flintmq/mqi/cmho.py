"""MQCMHO, the options of MQCRTMH.

    offset  field    type    value
         0  StrucId  char 4  "CMHO"
         4  Version  int32   1
         8  Options  int32   MQCMHO_*; 12 bytes

A structure that is not valid gives MQRC_CMHO_ERROR.
"""

from typing import Final

from flintmq.mqi.options_structure import OPTIONS_FIELDS, OPTIONS_SIZE, OptionsStructure
from flintmq.mqi.reason import MQRC_CMHO_ERROR

SIZE: Final[int] = OPTIONS_SIZE

STRUC_ID: Final[bytes] = b"CMHO"
FIELDS: Final = OPTIONS_FIELDS


class MQCMHO(OptionsStructure):
    """Create-message-handle options."""

    __slots__ = ()

    _name = "MQCMHO"
    _struc_id = STRUC_ID
    _reason = MQRC_CMHO_ERROR

    def __init__(self) -> None:
        super().__init__(0)

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQCMHO":
        """The structure at `offset`. Raises StructureError (MQRC_CMHO_ERROR)."""
        cmho = MQCMHO()
        cmho._read(data, offset, big_endian, ccsid)
        return cmho
