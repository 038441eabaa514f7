"""MQSTS, the status of asynchronous puts and reconnection since the last MQSTAT.

    offset  field               type     value
         0  StrucId             char 4   "STAT"
         4  Version             int32    1 to 2
         8  CompCode            int32    of the first failure or warning
        12  Reason              int32
        16  PutSuccessCount     int32
        20  PutWarningCount     int32
        24  PutFailureCount     int32
        28  ObjectType          int32    of the object that failed
        32  ObjectName          char 48
        80  ObjectQMgrName      char 48
       128  ResolvedObjectName  char 48
       176  ResolvedQMgrName    char 48  version 1 ends: 224 bytes
       224  ObjectString        MQCHARV
       244  SubName             MQCHARV
       264  OpenOptions         int32
       268  SubOptions          int32    272 bytes

A structure that is not valid gives MQRC_STS_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.charv import Strings, read_string
from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, read_text, show, write_id, write_text
from flintmq.mqi.layout import layouts
from flintmq.mqi.reason import MQRC_STS_ERROR

SIZE_1: Final[int] = 224
SIZE_2: Final[int] = 272
SIZES: Final = (SIZE_1, SIZE_2)

STRUC_ID: Final[bytes] = b"STAT"
FIELDS: Final = (
    "version", "comp_code", "reason", "put_success_count", "put_warning_count", "put_failure_count",
    "object_type", "object_name", "object_q_mgr_name", "resolved_object_name", "resolved_q_mgr_name",
    "object_string", "sub_name", "open_options", "sub_options",
)  # fmt: skip

_BIG_1, _LITTLE_1 = layouts("4s i i i i i i i 48s 48s 48s 48s", SIZE_1)  # In the order of the table.
_BIG_2, _LITTLE_2 = layouts("20s 20s i i", SIZE_2 - SIZE_1)


class MQSTS:
    """Status information."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.comp_code: int = 0
        self.reason: int = 0
        self.put_success_count: int = 0
        self.put_warning_count: int = 0
        self.put_failure_count: int = 0
        self.object_type: int = 1  # MQOT_Q
        self.object_name: str = ""
        self.object_q_mgr_name: str = ""
        self.resolved_object_name: str = ""
        self.resolved_q_mgr_name: str = ""
        self.object_string: str = ""
        self.sub_name: str = ""
        self.open_options: int = 0
        self.sub_options: int = 0

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure, of the version it has. Raises StructureError (MQRC_STS_ERROR)."""
        version = self.version
        if not 1 <= version <= 2:
            raise StructureError(f"MQSTS has version {version}, not 1 to 2", MQRC_STS_ERROR)
        size = SIZES[version - 1]
        strings = Strings(size, big_endian, ccsid)
        try:
            raw = (_BIG_1 if big_endian else _LITTLE_1).pack(
                write_id(STRUC_ID, ccsid),
                version,
                self.comp_code,
                self.reason,
                self.put_success_count,
                self.put_warning_count,
                self.put_failure_count,
                self.object_type,
                write_text(self.object_name, 48, ccsid, MQRC_STS_ERROR, "MQSTS ObjectName"),
                write_text(self.object_q_mgr_name, 48, ccsid, MQRC_STS_ERROR, "MQSTS ObjectQMgrName"),
                write_text(self.resolved_object_name, 48, ccsid, MQRC_STS_ERROR, "MQSTS ResolvedObjectName"),
                write_text(self.resolved_q_mgr_name, 48, ccsid, MQRC_STS_ERROR, "MQSTS ResolvedQMgrName"),
            )
            if version >= 2:
                raw += (_BIG_2 if big_endian else _LITTLE_2).pack(
                    strings.add(self.object_string),
                    strings.add(self.sub_name),
                    self.open_options,
                    self.sub_options,
                )
        except struct.error as error:
            raise StructureError(f"MQSTS has a field that cannot be written: {error}", MQRC_STS_ERROR) from None
        return raw + strings.joined()

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQSTS":
        """The structure at `offset`. Raises StructureError (MQRC_STS_ERROR)."""
        check_room(data, offset, SIZE_1, MQRC_STS_ERROR, "MQSTS")
        sts = MQSTS()
        (
            identifier,
            sts.version,
            sts.comp_code,
            sts.reason,
            sts.put_success_count,
            sts.put_warning_count,
            sts.put_failure_count,
            sts.object_type,
            object_name,
            object_q_mgr_name,
            resolved_object_name,
            resolved_q_mgr_name,
        ) = (_BIG_1 if big_endian else _LITTLE_1).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_STS_ERROR, "MQSTS")
        if not 1 <= sts.version <= 2:
            raise StructureError(f"MQSTS has version {sts.version}, not 1 to 2", MQRC_STS_ERROR)
        sts.object_name = read_text(object_name, ccsid)
        sts.object_q_mgr_name = read_text(object_q_mgr_name, ccsid)
        sts.resolved_object_name = read_text(resolved_object_name, ccsid)
        sts.resolved_q_mgr_name = read_text(resolved_q_mgr_name, ccsid)
        if sts.version >= 2:
            check_room(data, offset, SIZE_2, MQRC_STS_ERROR, "MQSTS version 2")
            (
                object_string,
                sub_name,
                sts.open_options,
                sts.sub_options,
            ) = (_BIG_2 if big_endian else _LITTLE_2).unpack_from(data, offset + SIZE_1)
            sts.object_string = read_string(
                data, offset, object_string, big_endian, ccsid, MQRC_STS_ERROR, "MQSTS ObjectString"
            )
            sts.sub_name = read_string(data, offset, sub_name, big_endian, ccsid, MQRC_STS_ERROR, "MQSTS SubName")
        return sts

    def __repr__(self) -> str:
        return show("MQSTS", self, FIELDS)
