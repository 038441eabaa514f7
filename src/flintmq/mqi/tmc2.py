"""MQTMC2, the trigger message in characters: the argument of a program that a trigger monitor starts.

    offset  field        type      value
         0  StrucId      char 4    "TMC "
         4  Version      char 4    "   2"
         8  QName        char 48   the queue that triggered
        56  ProcessName  char 48
       104  TriggerData  char 64
       168  ApplType     char 4    blank
       172  ApplId       char 256
       428  EnvData      char 128
       556  UserData     char 128
       684  QMgrName     char 48   732 bytes

A structure that is not valid gives MQRC_TMC_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, read_text, show, write_id, write_text
from flintmq.mqi.layout import layouts
from flintmq.mqi.reason import MQRC_TMC_ERROR

SIZE: Final[int] = 732

STRUC_ID: Final[bytes] = b"TMC "
FIELDS: Final = (
    "q_name", "process_name", "trigger_data", "appl_type", "appl_id", "env_data", "user_data", "q_mgr_name",
)  # fmt: skip

_BIG, _LITTLE = layouts("4s 4s 48s 48s 64s 4s 256s 128s 128s 48s", SIZE)  # In the order of the table.


class MQTMC2:
    """Trigger message in characters."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.q_name: str = ""
        self.process_name: str = ""
        self.trigger_data: str = ""
        self.appl_type: str = ""
        self.appl_id: str = ""
        self.env_data: str = ""
        self.user_data: str = ""
        self.q_mgr_name: str = ""

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure. Raises StructureError (MQRC_TMC_ERROR)."""
        try:
            raw = (_BIG if big_endian else _LITTLE).pack(
                write_id(STRUC_ID, ccsid),
                write_text("   2", 4, ccsid, MQRC_TMC_ERROR, "MQTMC2 Version"),
                write_text(self.q_name, 48, ccsid, MQRC_TMC_ERROR, "MQTMC2 QName"),
                write_text(self.process_name, 48, ccsid, MQRC_TMC_ERROR, "MQTMC2 ProcessName"),
                write_text(self.trigger_data, 64, ccsid, MQRC_TMC_ERROR, "MQTMC2 TriggerData"),
                write_text(self.appl_type, 4, ccsid, MQRC_TMC_ERROR, "MQTMC2 ApplType"),
                write_text(self.appl_id, 256, ccsid, MQRC_TMC_ERROR, "MQTMC2 ApplId"),
                write_text(self.env_data, 128, ccsid, MQRC_TMC_ERROR, "MQTMC2 EnvData"),
                write_text(self.user_data, 128, ccsid, MQRC_TMC_ERROR, "MQTMC2 UserData"),
                write_text(self.q_mgr_name, 48, ccsid, MQRC_TMC_ERROR, "MQTMC2 QMgrName"),
            )
        except struct.error as error:
            raise StructureError(f"MQTMC2 has a field that cannot be written: {error}", MQRC_TMC_ERROR) from None
        return raw

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQTMC2":
        """The structure at `offset`. Raises StructureError (MQRC_TMC_ERROR)."""
        check_room(data, offset, SIZE, MQRC_TMC_ERROR, "MQTMC2")
        tmc2 = MQTMC2()
        (
            identifier,
            version,
            q_name,
            process_name,
            trigger_data,
            appl_type,
            appl_id,
            env_data,
            user_data,
            q_mgr_name,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_TMC_ERROR, "MQTMC2")
        if read_text(version, ccsid) != "   2":
            raise StructureError(f"MQTMC2 has version {version!r}, not '   2'", MQRC_TMC_ERROR)
        tmc2.q_name = read_text(q_name, ccsid)
        tmc2.process_name = read_text(process_name, ccsid)
        tmc2.trigger_data = read_text(trigger_data, ccsid)
        tmc2.appl_type = read_text(appl_type, ccsid)
        tmc2.appl_id = read_text(appl_id, ccsid)
        tmc2.env_data = read_text(env_data, ccsid)
        tmc2.user_data = read_text(user_data, ccsid)
        tmc2.q_mgr_name = read_text(q_mgr_name, ccsid)
        return tmc2

    def __repr__(self) -> str:
        return show("MQTMC2", self, FIELDS)
