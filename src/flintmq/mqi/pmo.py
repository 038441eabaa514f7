"""MQPMO, the put-message options: how MQPUT and MQPUT1 put, and where the message went.

    offset  field              type     value
         0  StrucId            char 4   "PMO "
         4  Version            int32    1 to 3
         8  Options            int32    MQPMO_*
        12  Timeout            int32    reserved
        16  Context            int32    handle of the queue to take the context from
        20  KnownDestCount     int32    output
        24  UnknownDestCount   int32    output
        28  InvalidDestCount   int32    output
        32  ResolvedQName      char 48  output
        80  ResolvedQMgrName   char 48  output; version 1 ends: 128 bytes
       128  RecsPresent        int32    records of a distribution list
       132  PutMsgRecFields    int32    MQPMRF_*
       136  PutMsgRecOffset    int32
       140  ResponseRecOffset  int32
       144  PutMsgRecPtr       ptr      0
       148  ResponseRecPtr     ptr      0; version 2 ends: 152 bytes
       152  OriginalMsgHandle  int64    message handle with properties
       160  NewMsgHandle       int64
       168  Action             int32    0 new, 1 forward, 2 reply, 3 report
       172  PubLevel           int32    1 to 9; 176 bytes

A structure that is not valid gives MQRC_PMO_ERROR.
"""

import struct
from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import MQACTP_NEW, MQHM_NONE, MQPMO_MD_FOR_OUTPUT_ONLY, MQPMO_PASS_ALL_CONTEXT
from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, read_text, show, write_id, write_text
from flintmq.mqi.layout import layouts
from flintmq.mqi.reason import MQRC_PMO_ERROR

if TYPE_CHECKING:
    from flintmq.mqi.dh import MQPMR
    from flintmq.mqi.response_record import MQRR

SIZE_1: Final[int] = 128
SIZE_2: Final[int] = 152
SIZE_3: Final[int] = 176

STRUC_ID: Final[bytes] = b"PMO "
FIELDS: Final = (
    "version", "options", "timeout", "context", "known_dest_count", "unknown_dest_count", "invalid_dest_count",
    "resolved_q_name", "resolved_q_mgr_name", "recs_present", "put_msg_rec_fields", "put_msg_rec_offset",
    "response_rec_offset", "original_msg_handle", "new_msg_handle", "action", "pub_level",
)  # fmt: skip

_BIG_1, _LITTLE_1 = layouts("4s i i i i i i i 48s 48s", SIZE_1)  # In the order of the table.
_BIG_2, _LITTLE_2 = layouts("i i i i i i", SIZE_2 - SIZE_1)
_BIG_3, _LITTLE_3 = layouts("q q i i", SIZE_3 - SIZE_2)


class MQPMO:
    """Put-message options."""

    __slots__ = (*FIELDS, "put_msg_records", "response_records")

    def __init__(self) -> None:
        #: For a distribution list; they stand beside the structure, not in its bytes. The first has `recs_present`.
        self.put_msg_records: list[MQPMR] | None = None
        self.response_records: list[MQRR] | None = None
        self.version: int = 1
        self.options: int = 0
        self.timeout: int = -1
        self.context: int = 0
        self.known_dest_count: int = 0
        self.unknown_dest_count: int = 0
        self.invalid_dest_count: int = 0
        self.resolved_q_name: str = ""
        self.resolved_q_mgr_name: str = ""
        self.recs_present: int = 0
        self.put_msg_rec_fields: int = 0
        self.put_msg_rec_offset: int = 0
        self.response_rec_offset: int = 0
        self.original_msg_handle: int = 0
        self.new_msg_handle: int = 0
        self.action: int = 0  # MQACTP_NEW
        self.pub_level: int = 9

    def copy(self) -> "MQPMO":
        """New options with the same values. Records, which stand beside the structure, do not come along."""
        other = MQPMO()
        self.copy_to(other)
        return other

    def copy_to(self, other: "MQPMO") -> None:
        """Give `other` every value of these options, and no records."""
        other.put_msg_records = other.response_records = None
        other.version = self.version
        other.options = self.options
        other.timeout = self.timeout
        other.context = self.context
        other.known_dest_count = self.known_dest_count
        other.unknown_dest_count = self.unknown_dest_count
        other.invalid_dest_count = self.invalid_dest_count
        other.resolved_q_name = self.resolved_q_name
        other.resolved_q_mgr_name = self.resolved_q_mgr_name
        other.recs_present = self.recs_present
        other.put_msg_rec_fields = self.put_msg_rec_fields
        other.put_msg_rec_offset = self.put_msg_rec_offset
        other.response_rec_offset = self.response_rec_offset
        other.original_msg_handle = self.original_msg_handle
        other.new_msg_handle = self.new_msg_handle
        other.action = self.action
        other.pub_level = self.pub_level

    def equals(self, other: "MQPMO") -> bool:
        """Whether both are the same bytes, records aside."""
        return (
            self.version == other.version
            and self.options == other.options
            and self.timeout == other.timeout
            and self.context == other.context
            and self.known_dest_count == other.known_dest_count
            and self.unknown_dest_count == other.unknown_dest_count
            and self.invalid_dest_count == other.invalid_dest_count
            and self.resolved_q_name == other.resolved_q_name
            and self.resolved_q_mgr_name == other.resolved_q_mgr_name
            and self.recs_present == other.recs_present
            and self.put_msg_rec_fields == other.put_msg_rec_fields
            and self.put_msg_rec_offset == other.put_msg_rec_offset
            and self.response_rec_offset == other.response_rec_offset
            and self.original_msg_handle == other.original_msg_handle
            and self.new_msg_handle == other.new_msg_handle
            and self.action == other.action
            and self.pub_level == other.pub_level
        )

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure, of the version it has. Raises StructureError (MQRC_PMO_ERROR)."""
        version = self.version
        if not 1 <= version <= 3:
            raise StructureError(f"MQPMO has version {version}, not 1 to 3", MQRC_PMO_ERROR)
        try:
            raw = (_BIG_1 if big_endian else _LITTLE_1).pack(
                write_id(STRUC_ID, ccsid),
                version,
                self.options,
                self.timeout,
                self.context,
                self.known_dest_count,
                self.unknown_dest_count,
                self.invalid_dest_count,
                write_text(self.resolved_q_name, 48, ccsid, MQRC_PMO_ERROR, "MQPMO ResolvedQName"),
                write_text(self.resolved_q_mgr_name, 48, ccsid, MQRC_PMO_ERROR, "MQPMO ResolvedQMgrName"),
            )
            if version >= 2:
                raw += (_BIG_2 if big_endian else _LITTLE_2).pack(
                    self.recs_present,
                    self.put_msg_rec_fields,
                    self.put_msg_rec_offset,
                    self.response_rec_offset,
                    0,
                    0,
                )
            if version >= 3:
                raw += (_BIG_3 if big_endian else _LITTLE_3).pack(
                    self.original_msg_handle,
                    self.new_msg_handle,
                    self.action,
                    self.pub_level,
                )
        except struct.error as error:
            raise StructureError(f"MQPMO has a field that cannot be written: {error}", MQRC_PMO_ERROR) from None
        return raw

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQPMO":
        """The structure at `offset`. Raises StructureError (MQRC_PMO_ERROR)."""
        check_room(data, offset, SIZE_1, MQRC_PMO_ERROR, "MQPMO")
        pmo = MQPMO()
        (
            identifier,
            pmo.version,
            pmo.options,
            pmo.timeout,
            pmo.context,
            pmo.known_dest_count,
            pmo.unknown_dest_count,
            pmo.invalid_dest_count,
            resolved_q_name,
            resolved_q_mgr_name,
        ) = (_BIG_1 if big_endian else _LITTLE_1).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_PMO_ERROR, "MQPMO")
        if not 1 <= pmo.version <= 3:
            raise StructureError(f"MQPMO has version {pmo.version}, not 1 to 3", MQRC_PMO_ERROR)
        pmo.resolved_q_name = read_text(resolved_q_name, ccsid)
        pmo.resolved_q_mgr_name = read_text(resolved_q_mgr_name, ccsid)
        if pmo.version >= 2:
            check_room(data, offset, SIZE_2, MQRC_PMO_ERROR, "MQPMO version 2")
            (
                pmo.recs_present,
                pmo.put_msg_rec_fields,
                pmo.put_msg_rec_offset,
                pmo.response_rec_offset,
                _,
                _,
            ) = (_BIG_2 if big_endian else _LITTLE_2).unpack_from(data, offset + SIZE_1)
        if pmo.version >= 3:
            check_room(data, offset, SIZE_3, MQRC_PMO_ERROR, "MQPMO version 3")
            (
                pmo.original_msg_handle,
                pmo.new_msg_handle,
                pmo.action,
                pmo.pub_level,
            ) = (_BIG_3 if big_endian else _LITTLE_3).unpack_from(data, offset + SIZE_2)
        return pmo

    def __repr__(self) -> str:
        return show("MQPMO", self, FIELDS)


def takes_part(pmo: MQPMO) -> bool:
    """Whether the put has to do with message handles at all."""
    return pmo.options & (MQPMO_MD_FOR_OUTPUT_ONLY | MQPMO_PASS_ALL_CONTEXT) != 0 or (
        pmo.version > 2
        and (pmo.original_msg_handle != MQHM_NONE or pmo.new_msg_handle != MQHM_NONE or pmo.action != MQACTP_NEW)
    )
