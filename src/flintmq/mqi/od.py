"""MQOD, the object descriptor: which object MQOPEN and MQPUT1 work with, and the resolved name.

    offset  field                type     value
         0  StrucId              char 4   "OD  "
         4  Version              int32    1 to 4
         8  ObjectType           int32    MQOT_*
        12  ObjectName           char 48
        60  ObjectQMgrName       char 48  blank: here
       108  DynamicQName         char 48  pattern for the name of a dynamic queue
       156  AlternateUserId      char 12  version 1 ends: 168 bytes
       168  RecsPresent          int32    records of a distribution list
       172  KnownDestCount       int32    output
       176  UnknownDestCount     int32    output
       180  InvalidDestCount     int32    output
       184  ObjectRecOffset      int32
       188  ResponseRecOffset    int32
       192  ObjectRecPtr         ptr      0
       196  ResponseRecPtr       ptr      0; version 2 ends: 200 bytes
       200  AlternateSecurityId  byte 40
       240  ResolvedQName        char 48  output
       288  ResolvedQMgrName     char 48  output; version 3 ends: 336 bytes
       336  ObjectString         MQCHARV  topic string
       356  SelectionString      MQCHARV  selector
       376  ResObjectString      MQCHARV  output: topic string in full
       396  ResolvedType         int32    output: MQOT_*; 400 bytes

A structure that is not valid gives MQRC_OD_ERROR.
"""

import struct
from typing import TYPE_CHECKING, Final

from flintmq.mqi.charv import Strings, read_string
from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_bytes, check_id, check_room, read_text, show, write_id, write_text
from flintmq.mqi.layout import layouts
from flintmq.mqi.reason import MQRC_OD_ERROR

if TYPE_CHECKING:
    from flintmq.mqi.object_record import MQOR
    from flintmq.mqi.response_record import MQRR

SIZE_1: Final[int] = 168
SIZE_2: Final[int] = 200
SIZE_3: Final[int] = 336
SIZE_4: Final[int] = 400
SIZES: Final = (SIZE_1, SIZE_2, SIZE_3, SIZE_4)

STRUC_ID: Final[bytes] = b"OD  "
NO_ALTERNATE_SECURITY_ID: Final[bytes] = bytes(40)
FIELDS: Final = (
    "version", "object_type", "object_name", "object_q_mgr_name", "dynamic_q_name", "alternate_user_id",
    "recs_present", "known_dest_count", "unknown_dest_count", "invalid_dest_count", "object_rec_offset",
    "response_rec_offset", "alternate_security_id", "resolved_q_name", "resolved_q_mgr_name", "object_string",
    "selection_string", "res_object_string", "resolved_type",
)  # fmt: skip

_BIG_1, _LITTLE_1 = layouts("4s i i 48s 48s 48s 12s", SIZE_1)  # In the order of the table.
_BIG_2, _LITTLE_2 = layouts("i i i i i i i i", SIZE_2 - SIZE_1)
_BIG_3, _LITTLE_3 = layouts("40s 48s 48s", SIZE_3 - SIZE_2)
_BIG_4, _LITTLE_4 = layouts("20s 20s 20s i", SIZE_4 - SIZE_3)


class MQOD:
    """Object descriptor."""

    __slots__ = (*FIELDS, "object_records", "response_records")

    def __init__(self) -> None:
        #: Of a distribution list: `recs_present` of each. They stand beside the structure, not in its bytes.
        self.object_records: list[MQOR] | None = None
        self.response_records: list[MQRR] | None = None
        self.version: int = 1
        self.object_type: int = 1  # MQOT_Q
        self.object_name: str = ""
        self.object_q_mgr_name: str = ""
        self.dynamic_q_name: str = "AMQ.*"
        self.alternate_user_id: str = ""
        self.recs_present: int = 0
        self.known_dest_count: int = 0
        self.unknown_dest_count: int = 0
        self.invalid_dest_count: int = 0
        self.object_rec_offset: int = 0
        self.response_rec_offset: int = 0
        self.alternate_security_id: bytes = NO_ALTERNATE_SECURITY_ID
        self.resolved_q_name: str = ""
        self.resolved_q_mgr_name: str = ""
        self.object_string: str = ""
        self.selection_string: str = ""
        self.res_object_string: str = ""
        self.resolved_type: int = 0  # MQOT_NONE

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure, of the version it has. Raises StructureError (MQRC_OD_ERROR)."""
        version = self.version
        if not 1 <= version <= 4:
            raise StructureError(f"MQOD has version {version}, not 1 to 4", MQRC_OD_ERROR)
        size = SIZES[version - 1]
        strings = Strings(size, big_endian, ccsid)
        try:
            raw = (_BIG_1 if big_endian else _LITTLE_1).pack(
                write_id(STRUC_ID, ccsid),
                version,
                self.object_type,
                write_text(self.object_name, 48, ccsid, MQRC_OD_ERROR, "MQOD ObjectName"),
                write_text(self.object_q_mgr_name, 48, ccsid, MQRC_OD_ERROR, "MQOD ObjectQMgrName"),
                write_text(self.dynamic_q_name, 48, ccsid, MQRC_OD_ERROR, "MQOD DynamicQName"),
                write_text(self.alternate_user_id, 12, ccsid, MQRC_OD_ERROR, "MQOD AlternateUserId"),
            )
            if version >= 2:
                raw += (_BIG_2 if big_endian else _LITTLE_2).pack(
                    self.recs_present,
                    self.known_dest_count,
                    self.unknown_dest_count,
                    self.invalid_dest_count,
                    self.object_rec_offset,
                    self.response_rec_offset,
                    0,
                    0,
                )
            if version >= 3:
                raw += (_BIG_3 if big_endian else _LITTLE_3).pack(
                    check_bytes(self.alternate_security_id, 40, MQRC_OD_ERROR, "MQOD AlternateSecurityId"),
                    write_text(self.resolved_q_name, 48, ccsid, MQRC_OD_ERROR, "MQOD ResolvedQName"),
                    write_text(self.resolved_q_mgr_name, 48, ccsid, MQRC_OD_ERROR, "MQOD ResolvedQMgrName"),
                )
            if version >= 4:
                raw += (_BIG_4 if big_endian else _LITTLE_4).pack(
                    strings.add(self.object_string),
                    strings.add(self.selection_string),
                    strings.add(self.res_object_string),
                    self.resolved_type,
                )
        except struct.error as error:
            raise StructureError(f"MQOD has a field that cannot be written: {error}", MQRC_OD_ERROR) from None
        return raw + strings.joined()

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQOD":
        """The structure at `offset`. Raises StructureError (MQRC_OD_ERROR)."""
        check_room(data, offset, SIZE_1, MQRC_OD_ERROR, "MQOD")
        od = MQOD()
        (
            identifier,
            od.version,
            od.object_type,
            object_name,
            object_q_mgr_name,
            dynamic_q_name,
            alternate_user_id,
        ) = (_BIG_1 if big_endian else _LITTLE_1).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_OD_ERROR, "MQOD")
        if not 1 <= od.version <= 4:
            raise StructureError(f"MQOD has version {od.version}, not 1 to 4", MQRC_OD_ERROR)
        od.object_name = read_text(object_name, ccsid)
        od.object_q_mgr_name = read_text(object_q_mgr_name, ccsid)
        od.dynamic_q_name = read_text(dynamic_q_name, ccsid)
        od.alternate_user_id = read_text(alternate_user_id, ccsid)
        if od.version >= 2:
            check_room(data, offset, SIZE_2, MQRC_OD_ERROR, "MQOD version 2")
            (
                od.recs_present,
                od.known_dest_count,
                od.unknown_dest_count,
                od.invalid_dest_count,
                od.object_rec_offset,
                od.response_rec_offset,
                _,
                _,
            ) = (_BIG_2 if big_endian else _LITTLE_2).unpack_from(data, offset + SIZE_1)
        if od.version >= 3:
            check_room(data, offset, SIZE_3, MQRC_OD_ERROR, "MQOD version 3")
            (
                od.alternate_security_id,
                resolved_q_name,
                resolved_q_mgr_name,
            ) = (_BIG_3 if big_endian else _LITTLE_3).unpack_from(data, offset + SIZE_2)
            od.resolved_q_name = read_text(resolved_q_name, ccsid)
            od.resolved_q_mgr_name = read_text(resolved_q_mgr_name, ccsid)
        if od.version >= 4:
            check_room(data, offset, SIZE_4, MQRC_OD_ERROR, "MQOD version 4")
            (
                object_string,
                selection_string,
                res_object_string,
                od.resolved_type,
            ) = (_BIG_4 if big_endian else _LITTLE_4).unpack_from(data, offset + SIZE_3)
            od.object_string = read_string(
                data, offset, object_string, big_endian, ccsid, MQRC_OD_ERROR, "MQOD ObjectString"
            )
            od.selection_string = read_string(
                data, offset, selection_string, big_endian, ccsid, MQRC_OD_ERROR, "MQOD SelectionString"
            )
            od.res_object_string = read_string(
                data, offset, res_object_string, big_endian, ccsid, MQRC_OD_ERROR, "MQOD ResObjectString"
            )
        return od

    def __repr__(self) -> str:
        return show("MQOD", self, FIELDS)
