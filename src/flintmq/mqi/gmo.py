"""MQGMO, the get-message options: which message MQGET takes, how, and how long it waits.

    offset  field           type     value
         0  StrucId         char 4   "GMO "
         4  Version         int32    1 to 4
         8  Options         int32    MQGMO_*
        12  WaitInterval    int32    milliseconds, -1 unlimited
        16  Signal1         int32
        20  Signal2         int32
        24  ResolvedQName   char 48  output; version 1 ends: 72 bytes
        72  MatchOptions    int32    MQMO_*
        76  GroupStatus     char 1   output: MQGS_*
        77  SegmentStatus   char 1   output: MQSS_*
        78  Segmentation    char 1   output: MQSEG_*
        79  Reserved1       char 1   version 2 ends: 80 bytes
        80  MsgToken        byte 16
        96  ReturnedLength  int32    output; version 3 ends: 100 bytes
       100  Reserved2       int32
       104  MsgHandle       int64    message handle to receive properties; 112 bytes

A structure that is not valid gives MQRC_GMO_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_bytes, check_id, check_room, read_char, read_text, show, write_id, write_text
from flintmq.mqi.layout import layouts
from flintmq.mqi.reason import MQRC_GMO_ERROR

SIZE_1: Final[int] = 72
SIZE_2: Final[int] = 80
SIZE_3: Final[int] = 100
SIZE_4: Final[int] = 112

STRUC_ID: Final[bytes] = b"GMO "
NO_MSG_TOKEN: Final[bytes] = bytes(16)
FIELDS: Final = (
    "version", "options", "wait_interval", "signal1", "signal2", "resolved_q_name", "match_options",
    "group_status", "segment_status", "segmentation", "msg_token", "returned_length", "msg_handle",
)  # fmt: skip

_BIG_1, _LITTLE_1 = layouts("4s i i i i i 48s", SIZE_1)  # In the order of the table.
_BIG_2, _LITTLE_2 = layouts("i 1s 1s 1s 1s", SIZE_2 - SIZE_1)
_BIG_3, _LITTLE_3 = layouts("16s i", SIZE_3 - SIZE_2)
_BIG_4, _LITTLE_4 = layouts("i q", SIZE_4 - SIZE_3)


class MQGMO:
    """Get-message options. The three status fields are one character; the blank is a value."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.options: int = 0
        self.wait_interval: int = 0
        self.signal1: int = 0
        self.signal2: int = 0
        self.resolved_q_name: str = ""
        self.match_options: int = 3  # MQMO_MATCH_MSG_ID + MQMO_MATCH_CORREL_ID
        self.group_status: str = " "
        self.segment_status: str = " "
        self.segmentation: str = " "
        self.msg_token: bytes = NO_MSG_TOKEN
        self.returned_length: int = -1  # MQRL_UNDEFINED
        self.msg_handle: int = 0

    def copy(self) -> "MQGMO":
        """New options with the same values."""
        other = MQGMO()
        self.copy_to(other)
        return other

    def copy_to(self, other: "MQGMO") -> None:
        """Give `other` every value of these options."""
        other.version = self.version
        other.options = self.options
        other.wait_interval = self.wait_interval
        other.signal1 = self.signal1
        other.signal2 = self.signal2
        other.resolved_q_name = self.resolved_q_name
        other.match_options = self.match_options
        other.group_status = self.group_status
        other.segment_status = self.segment_status
        other.segmentation = self.segmentation
        other.msg_token = self.msg_token
        other.returned_length = self.returned_length
        other.msg_handle = self.msg_handle

    def equals_but_message(self, other: "MQGMO") -> bool:
        """Whether both are the same bytes, but for those that tell of a message: token and returned length."""
        return (
            self.version == other.version
            and self.options == other.options
            and self.wait_interval == other.wait_interval
            and self.signal1 == other.signal1
            and self.signal2 == other.signal2
            and self.resolved_q_name == other.resolved_q_name
            and self.match_options == other.match_options
            and self.group_status == other.group_status
            and self.segment_status == other.segment_status
            and self.segmentation == other.segmentation
            and self.msg_handle == other.msg_handle
        )

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure, of the version it has. Raises StructureError (MQRC_GMO_ERROR)."""
        version = self.version
        if not 1 <= version <= 4:
            raise StructureError(f"MQGMO has version {version}, not 1 to 4", MQRC_GMO_ERROR)
        try:
            raw = (_BIG_1 if big_endian else _LITTLE_1).pack(
                write_id(STRUC_ID, ccsid),
                version,
                self.options,
                self.wait_interval,
                self.signal1,
                self.signal2,
                write_text(self.resolved_q_name, 48, ccsid, MQRC_GMO_ERROR, "MQGMO ResolvedQName"),
            )
            if version >= 2:
                raw += (_BIG_2 if big_endian else _LITTLE_2).pack(
                    self.match_options,
                    write_text(self.group_status, 1, ccsid, MQRC_GMO_ERROR, "MQGMO GroupStatus"),
                    write_text(self.segment_status, 1, ccsid, MQRC_GMO_ERROR, "MQGMO SegmentStatus"),
                    write_text(self.segmentation, 1, ccsid, MQRC_GMO_ERROR, "MQGMO Segmentation"),
                    write_text("", 1, ccsid, MQRC_GMO_ERROR, "MQGMO Reserved1"),
                )
            if version >= 3:
                raw += (_BIG_3 if big_endian else _LITTLE_3).pack(
                    check_bytes(self.msg_token, 16, MQRC_GMO_ERROR, "MQGMO MsgToken"),
                    self.returned_length,
                )
            if version >= 4:
                raw += (_BIG_4 if big_endian else _LITTLE_4).pack(
                    0,
                    self.msg_handle,
                )
        except struct.error as error:
            raise StructureError(f"MQGMO has a field that cannot be written: {error}", MQRC_GMO_ERROR) from None
        return raw

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQGMO":
        """The structure at `offset`. Raises StructureError (MQRC_GMO_ERROR)."""
        check_room(data, offset, SIZE_1, MQRC_GMO_ERROR, "MQGMO")
        gmo = MQGMO()
        (
            identifier,
            gmo.version,
            gmo.options,
            gmo.wait_interval,
            gmo.signal1,
            gmo.signal2,
            resolved_q_name,
        ) = (_BIG_1 if big_endian else _LITTLE_1).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_GMO_ERROR, "MQGMO")
        if not 1 <= gmo.version <= 4:
            raise StructureError(f"MQGMO has version {gmo.version}, not 1 to 4", MQRC_GMO_ERROR)
        gmo.resolved_q_name = read_text(resolved_q_name, ccsid)
        if gmo.version >= 2:
            check_room(data, offset, SIZE_2, MQRC_GMO_ERROR, "MQGMO version 2")
            (
                gmo.match_options,
                group_status,
                segment_status,
                segmentation,
                _,
            ) = (_BIG_2 if big_endian else _LITTLE_2).unpack_from(data, offset + SIZE_1)
            gmo.group_status = read_char(group_status, ccsid)
            gmo.segment_status = read_char(segment_status, ccsid)
            gmo.segmentation = read_char(segmentation, ccsid)
        if gmo.version >= 3:
            check_room(data, offset, SIZE_3, MQRC_GMO_ERROR, "MQGMO version 3")
            (
                gmo.msg_token,
                gmo.returned_length,
            ) = (_BIG_3 if big_endian else _LITTLE_3).unpack_from(data, offset + SIZE_2)
        if gmo.version >= 4:
            check_room(data, offset, SIZE_4, MQRC_GMO_ERROR, "MQGMO version 4")
            (
                _,
                gmo.msg_handle,
            ) = (_BIG_4 if big_endian else _LITTLE_4).unpack_from(data, offset + SIZE_3)
        return gmo

    def __repr__(self) -> str:
        return show("MQGMO", self, FIELDS)
