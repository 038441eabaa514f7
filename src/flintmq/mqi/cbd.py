"""MQCBD, the callback descriptor: the argument of MQCB.

    offset  field             type      value
         0  StrucId           char 4    "CBD "
         4  Version           int32     1
         8  CallbackType      int32     1 message consumer, 2 event handler
        12  Options           int32     MQCBDO_*
        16  CallbackArea      int32     a number of the application
        20  CallbackFunction  ptr       0; in this process `callback_function` is called
        24  CallbackName      char 128
       152  MaxMsgLength      int32     longest message to hand over, -1 any; 156 bytes

A structure that is not valid gives MQRC_CBD_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, read_text, show, write_id, write_text
from flintmq.mqi.layout import check_version, layouts
from flintmq.mqi.reason import MQRC_CBD_ERROR

SIZE: Final[int] = 156

STRUC_ID: Final[bytes] = b"CBD "
FIELDS: Final = (
    "version",
    "callback_type",
    "options",
    "callback_area",
    "callback_name",
    "max_msg_length",
)

_BIG, _LITTLE = layouts("4s i i i i i 128s i", SIZE)  # In the order of the table.


class MQCBD:
    """Callback descriptor."""

    __slots__ = (*FIELDS, "callback_function")

    def __init__(self) -> None:
        #: A Python callable, for callers in the same process; it has no place in the bytes.
        self.callback_function: object | None = None
        self.version: int = 1
        self.callback_type: int = 1  # MQCBT_MESSAGE_CONSUMER
        self.options: int = 0
        self.callback_area: int = 0
        self.callback_name: str = ""
        self.max_msg_length: int = -1  # MQCBD_FULL_MSG_LENGTH

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure. Raises StructureError (MQRC_CBD_ERROR)."""
        version = self.version
        check_version(version, 1, MQRC_CBD_ERROR, "MQCBD")
        try:
            raw = (_BIG if big_endian else _LITTLE).pack(
                write_id(STRUC_ID, ccsid),
                version,
                self.callback_type,
                self.options,
                self.callback_area,
                0,
                write_text(self.callback_name, 128, ccsid, MQRC_CBD_ERROR, "MQCBD CallbackName"),
                self.max_msg_length,
            )
        except struct.error as error:
            raise StructureError(f"MQCBD has a field that cannot be written: {error}", MQRC_CBD_ERROR) from None
        return raw

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQCBD":
        """The structure at `offset`. Raises StructureError (MQRC_CBD_ERROR)."""
        check_room(data, offset, SIZE, MQRC_CBD_ERROR, "MQCBD")
        cbd = MQCBD()
        (
            identifier,
            cbd.version,
            cbd.callback_type,
            cbd.options,
            cbd.callback_area,
            _,
            callback_name,
            cbd.max_msg_length,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_CBD_ERROR, "MQCBD")
        check_version(cbd.version, 1, MQRC_CBD_ERROR, "MQCBD")
        cbd.callback_name = read_text(callback_name, ccsid)
        return cbd

    def __repr__(self) -> str:
        return show("MQCBD", self, FIELDS)
