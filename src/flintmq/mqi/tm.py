"""MQTM, the trigger message: put by a queue manager to an initiation queue. Format "MQTRIG".

    offset  field        type      value
         0  StrucId      char 4    "TM  "
         4  Version      int32     1
         8  QName        char 48   the queue that triggered
        56  ProcessName  char 48
       104  TriggerData  char 64
       168  ApplType     int32     MQAT_*
       172  ApplId       char 256  what to start
       428  EnvData      char 128
       556  UserData     char 128  684 bytes

A structure that is not valid gives MQRC_TM_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, read_text, show, write_id, write_text
from flintmq.mqi.layout import check_version, layouts
from flintmq.mqi.reason import MQRC_TM_ERROR

SIZE: Final[int] = 684

STRUC_ID: Final[bytes] = b"TM  "
FIELDS: Final = (
    "version", "q_name", "process_name", "trigger_data", "appl_type", "appl_id", "env_data", "user_data",
)  # fmt: skip

_BIG, _LITTLE = layouts("4s i 48s 48s 64s i 256s 128s 128s", SIZE)  # In the order of the table.


class MQTM:
    """Trigger message."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.q_name: str = ""
        self.process_name: str = ""
        self.trigger_data: str = ""
        self.appl_type: int = 0
        self.appl_id: str = ""
        self.env_data: str = ""
        self.user_data: str = ""

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure. Raises StructureError (MQRC_TM_ERROR)."""
        version = self.version
        check_version(version, 1, MQRC_TM_ERROR, "MQTM")
        try:
            raw = (_BIG if big_endian else _LITTLE).pack(
                write_id(STRUC_ID, ccsid),
                version,
                write_text(self.q_name, 48, ccsid, MQRC_TM_ERROR, "MQTM QName"),
                write_text(self.process_name, 48, ccsid, MQRC_TM_ERROR, "MQTM ProcessName"),
                write_text(self.trigger_data, 64, ccsid, MQRC_TM_ERROR, "MQTM TriggerData"),
                self.appl_type,
                write_text(self.appl_id, 256, ccsid, MQRC_TM_ERROR, "MQTM ApplId"),
                write_text(self.env_data, 128, ccsid, MQRC_TM_ERROR, "MQTM EnvData"),
                write_text(self.user_data, 128, ccsid, MQRC_TM_ERROR, "MQTM UserData"),
            )
        except struct.error as error:
            raise StructureError(f"MQTM has a field that cannot be written: {error}", MQRC_TM_ERROR) from None
        return raw

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQTM":
        """The structure at `offset`. Raises StructureError (MQRC_TM_ERROR)."""
        check_room(data, offset, SIZE, MQRC_TM_ERROR, "MQTM")
        tm = MQTM()
        (
            identifier,
            tm.version,
            q_name,
            process_name,
            trigger_data,
            tm.appl_type,
            appl_id,
            env_data,
            user_data,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_TM_ERROR, "MQTM")
        check_version(tm.version, 1, MQRC_TM_ERROR, "MQTM")
        tm.q_name = read_text(q_name, ccsid)
        tm.process_name = read_text(process_name, ccsid)
        tm.trigger_data = read_text(trigger_data, ccsid)
        tm.appl_id = read_text(appl_id, ccsid)
        tm.env_data = read_text(env_data, ccsid)
        tm.user_data = read_text(user_data, ccsid)
        return tm

    def __repr__(self) -> str:
        return show("MQTM", self, FIELDS)
