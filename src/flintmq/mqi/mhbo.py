"""MQMHBO, the options of MQMHBUF.

    offset  field    type    value
         0  StrucId  char 4  "MHBO"
         4  Version  int32   1
         8  Options  int32   MQMHBO_*; 12 bytes

A structure that is not valid gives MQRC_MHBO_ERROR.
"""

from typing import Final

from flintmq.mqi.options_structure import OPTIONS_FIELDS, OPTIONS_SIZE, OptionsStructure
from flintmq.mqi.reason import MQRC_MHBO_ERROR

SIZE: Final[int] = OPTIONS_SIZE

STRUC_ID: Final[bytes] = b"MHBO"
FIELDS: Final = OPTIONS_FIELDS


class MQMHBO(OptionsStructure):
    """Message-handle-to-buffer options."""

    __slots__ = ()

    _name = "MQMHBO"
    _struc_id = STRUC_ID
    _reason = MQRC_MHBO_ERROR

    def __init__(self) -> None:
        super().__init__(1)  # MQMHBO_PROPERTIES_IN_MQRFH2

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQMHBO":
        """The structure at `offset`. Raises StructureError (MQRC_MHBO_ERROR)."""
        mhbo = MQMHBO()
        mhbo._read(data, offset, big_endian, ccsid)
        return mhbo
