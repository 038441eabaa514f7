"""MQCBC, the callback context: the description of a call for a callback routine.

    offset  field           type    value
         0  StrucId         char 4  "CBC "
         4  Version         int32   1 to 2
         8  CallType        int32   MQCBCT_*
        12  Hobj            int32   object handle
        16  CallbackArea    int32
        20  ConnectionArea  int32
        24  CompCode        int32
        28  Reason          int32
        32  State           int32   MQCS_*
        36  DataLength      int32
        40  BufferLength    int32
        44  Flags           int32   MQCBCF_*; version 1 ends: 48 bytes
        48  ReconnectDelay  int32   milliseconds until the client tries again; 52 bytes

A structure that is not valid gives MQRC_CBD_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, show, write_id
from flintmq.mqi.layout import layouts
from flintmq.mqi.reason import MQRC_CBD_ERROR

SIZE_1: Final[int] = 48
SIZE_2: Final[int] = 52

STRUC_ID: Final[bytes] = b"CBC "
FIELDS: Final = (
    "version", "call_type", "hobj", "callback_area", "connection_area", "comp_code", "reason", "state",
    "data_length", "buffer_length", "flags", "reconnect_delay",
)  # fmt: skip

_BIG_1, _LITTLE_1 = layouts("4s i i i i i i i i i i i", SIZE_1)  # In the order of the table.
_BIG_2, _LITTLE_2 = layouts("i", SIZE_2 - SIZE_1)


class MQCBC:
    """Callback context."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.call_type: int = 0
        self.hobj: int = 0
        self.callback_area: int = 0
        self.connection_area: int = 0
        self.comp_code: int = 0
        self.reason: int = 0
        self.state: int = 0
        self.data_length: int = 0
        self.buffer_length: int = 0
        self.flags: int = 0
        self.reconnect_delay: int = 0

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure, of the version it has. Raises StructureError (MQRC_CBD_ERROR)."""
        version = self.version
        if not 1 <= version <= 2:
            raise StructureError(f"MQCBC has version {version}, not 1 to 2", MQRC_CBD_ERROR)
        try:
            raw = (_BIG_1 if big_endian else _LITTLE_1).pack(
                write_id(STRUC_ID, ccsid),
                version,
                self.call_type,
                self.hobj,
                self.callback_area,
                self.connection_area,
                self.comp_code,
                self.reason,
                self.state,
                self.data_length,
                self.buffer_length,
                self.flags,
            )
            if version >= 2:
                raw += (_BIG_2 if big_endian else _LITTLE_2).pack(
                    self.reconnect_delay,
                )
        except struct.error as error:
            raise StructureError(f"MQCBC has a field that cannot be written: {error}", MQRC_CBD_ERROR) from None
        return raw

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQCBC":
        """The structure at `offset`. Raises StructureError (MQRC_CBD_ERROR)."""
        check_room(data, offset, SIZE_1, MQRC_CBD_ERROR, "MQCBC")
        cbc = MQCBC()
        (
            identifier,
            cbc.version,
            cbc.call_type,
            cbc.hobj,
            cbc.callback_area,
            cbc.connection_area,
            cbc.comp_code,
            cbc.reason,
            cbc.state,
            cbc.data_length,
            cbc.buffer_length,
            cbc.flags,
        ) = (_BIG_1 if big_endian else _LITTLE_1).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_CBD_ERROR, "MQCBC")
        if not 1 <= cbc.version <= 2:
            raise StructureError(f"MQCBC has version {cbc.version}, not 1 to 2", MQRC_CBD_ERROR)
        if cbc.version >= 2:
            check_room(data, offset, SIZE_2, MQRC_CBD_ERROR, "MQCBC version 2")
            (cbc.reconnect_delay,) = (_BIG_2 if big_endian else _LITTLE_2).unpack_from(data, offset + SIZE_1)
        return cbc

    def __repr__(self) -> str:
        return show("MQCBC", self, FIELDS)
