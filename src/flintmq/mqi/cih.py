"""MQCIH, the header of messages to and from the CICS bridge. Format "MQCICS".

    offset  field               type    value
         0  StrucId             char 4  "CIH "
         4  Version             int32   1 to 2
         8  StrucLength         int32   164 or 180
        12  Encoding            int32   of the data after this header
        16  CodedCharSetId      int32   likewise
        20  Format              char 8  likewise
        28  Flags               int32   1 pass expiration, 2 reply without nulls, 4 sync on return
        32  ReturnCode          int32   MQCRC_*
        36  CompCode            int32
        40  Reason              int32
        44  UOWControl          int32   MQCUOWC_*
        48  GetWaitInterval     int32
        52  LinkType            int32   1 program, 2 transaction
        56  OutputDataLength    int32
        60  FacilityKeepTime    int32
        64  ADSDescriptor       int32
        68  ConversationalTask  int32
        72  TaskEndStatus       int32
        76  Facility            byte 8
        84  Function            char 4
        88  AbendCode           char 4
        92  Authenticator       char 8
       100  Reserved1           char 8
       108  ReplyToFormat       char 8
       116  RemoteSysId         char 4
       120  RemoteTransId       char 4
       124  TransactionId       char 4
       128  FacilityLike        char 4
       132  AttentionId         char 4
       136  StartCode           char 4
       140  CancelCode          char 4
       144  NextTransactionId   char 4
       148  Reserved2           char 8
       156  Reserved3           char 8  version 1 ends: 164 bytes
       164  CursorPosition      int32
       168  ErrorOffset         int32
       172  InputItem           int32
       176  Reserved4           int32   180 bytes

A structure that is not valid gives MQRC_HEADER_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_bytes, check_id, check_room, read_text, show, write_id, write_text
from flintmq.mqi.layout import check_length, layouts
from flintmq.mqi.reason import MQRC_HEADER_ERROR

SIZE_1: Final[int] = 164
SIZE_2: Final[int] = 180
SIZES: Final = (SIZE_1, SIZE_2)

STRUC_ID: Final[bytes] = b"CIH "
NO_FACILITY: Final[bytes] = bytes(8)
FIELDS: Final = (
    "version", "encoding", "coded_char_set_id", "format", "flags", "return_code", "comp_code", "reason",
    "uow_control", "get_wait_interval", "link_type", "output_data_length", "facility_keep_time",
    "ads_descriptor", "conversational_task", "task_end_status", "facility", "function", "abend_code",
    "authenticator", "reply_to_format", "remote_sys_id", "remote_trans_id", "transaction_id", "facility_like",
    "attention_id", "start_code", "cancel_code", "next_transaction_id", "cursor_position", "error_offset",
    "input_item",
)  # fmt: skip

# In the order of the table.
_BIG_1, _LITTLE_1 = layouts(
    "4s i i i i 8s i i i i i i i i i i i i 8s 4s 4s 8s 8s 8s 4s 4s 4s 4s 4s 4s 4s 4s 8s 8s", SIZE_1
)
_BIG_2, _LITTLE_2 = layouts("i i i i", SIZE_2 - SIZE_1)


#: The text fields behind Facility, in order; '' is reserved.
_TEXTS: Final = (
    "function",
    "abend_code",
    "authenticator",
    "",
    "reply_to_format",
    "remote_sys_id",
    "remote_trans_id",
    "transaction_id",
    "facility_like",
    "attention_id",
    "start_code",
    "cancel_code",
    "next_transaction_id",
)


class MQCIH:
    """CICS bridge header."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.encoding: int = 0
        self.coded_char_set_id: int = 0
        self.format: str = ""
        self.flags: int = 0
        self.return_code: int = 0
        self.comp_code: int = 0
        self.reason: int = 0
        self.uow_control: int = 273  # MQCUOWC_ONLY
        self.get_wait_interval: int = -2  # MQCGWI_DEFAULT
        self.link_type: int = 1  # MQCLT_PROGRAM
        self.output_data_length: int = -1  # MQCODL_AS_INPUT
        self.facility_keep_time: int = 0
        self.ads_descriptor: int = 0
        self.conversational_task: int = 0
        self.task_end_status: int = 0
        self.facility: bytes = NO_FACILITY
        self.function: str = ""
        self.abend_code: str = ""
        self.authenticator: str = ""
        self.reply_to_format: str = ""
        self.remote_sys_id: str = ""
        self.remote_trans_id: str = ""
        self.transaction_id: str = ""
        self.facility_like: str = ""
        self.attention_id: str = ""
        self.start_code: str = ""
        self.cancel_code: str = ""
        self.next_transaction_id: str = ""
        self.cursor_position: int = 0
        self.error_offset: int = 0
        self.input_item: int = 0

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure, of the version it has. Raises StructureError (MQRC_HEADER_ERROR)."""
        version = self.version
        if not 1 <= version <= 2:
            raise StructureError(f"MQCIH has version {version}, not 1 to 2", MQRC_HEADER_ERROR)
        size = SIZES[version - 1]
        try:
            raw = (_BIG_1 if big_endian else _LITTLE_1).pack(
                write_id(STRUC_ID, ccsid),
                version,
                size,
                self.encoding,
                self.coded_char_set_id,
                write_text(self.format, 8, ccsid, MQRC_HEADER_ERROR, "MQCIH Format"),
                self.flags,
                self.return_code,
                self.comp_code,
                self.reason,
                self.uow_control,
                self.get_wait_interval,
                self.link_type,
                self.output_data_length,
                self.facility_keep_time,
                self.ads_descriptor,
                self.conversational_task,
                self.task_end_status,
                check_bytes(self.facility, 8, MQRC_HEADER_ERROR, "MQCIH Facility"),
                write_text(self.function, 4, ccsid, MQRC_HEADER_ERROR, "MQCIH Function"),
                write_text(self.abend_code, 4, ccsid, MQRC_HEADER_ERROR, "MQCIH AbendCode"),
                write_text(self.authenticator, 8, ccsid, MQRC_HEADER_ERROR, "MQCIH Authenticator"),
                write_text("", 8, ccsid, MQRC_HEADER_ERROR, "MQCIH Reserved1"),
                write_text(self.reply_to_format, 8, ccsid, MQRC_HEADER_ERROR, "MQCIH ReplyToFormat"),
                write_text(self.remote_sys_id, 4, ccsid, MQRC_HEADER_ERROR, "MQCIH RemoteSysId"),
                write_text(self.remote_trans_id, 4, ccsid, MQRC_HEADER_ERROR, "MQCIH RemoteTransId"),
                write_text(self.transaction_id, 4, ccsid, MQRC_HEADER_ERROR, "MQCIH TransactionId"),
                write_text(self.facility_like, 4, ccsid, MQRC_HEADER_ERROR, "MQCIH FacilityLike"),
                write_text(self.attention_id, 4, ccsid, MQRC_HEADER_ERROR, "MQCIH AttentionId"),
                write_text(self.start_code, 4, ccsid, MQRC_HEADER_ERROR, "MQCIH StartCode"),
                write_text(self.cancel_code, 4, ccsid, MQRC_HEADER_ERROR, "MQCIH CancelCode"),
                write_text(self.next_transaction_id, 4, ccsid, MQRC_HEADER_ERROR, "MQCIH NextTransactionId"),
                write_text("", 8, ccsid, MQRC_HEADER_ERROR, "MQCIH Reserved2"),
                write_text("", 8, ccsid, MQRC_HEADER_ERROR, "MQCIH Reserved3"),
            )
            if version >= 2:
                raw += (_BIG_2 if big_endian else _LITTLE_2).pack(
                    self.cursor_position,
                    self.error_offset,
                    self.input_item,
                    0,
                )
        except struct.error as error:
            raise StructureError(f"MQCIH has a field that cannot be written: {error}", MQRC_HEADER_ERROR) from None
        return raw

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQCIH":
        """The structure at `offset`. Raises StructureError (MQRC_HEADER_ERROR)."""
        check_room(data, offset, SIZE_1, MQRC_HEADER_ERROR, "MQCIH")
        cih = MQCIH()
        fields = (_BIG_1 if big_endian else _LITTLE_1).unpack_from(data, offset)
        (
            identifier,
            cih.version,
            length,
            cih.encoding,
            cih.coded_char_set_id,
            format,
            cih.flags,
            cih.return_code,
            cih.comp_code,
            cih.reason,
            cih.uow_control,
            cih.get_wait_interval,
            cih.link_type,
            cih.output_data_length,
            cih.facility_keep_time,
            cih.ads_descriptor,
            cih.conversational_task,
            cih.task_end_status,
            cih.facility,
        ) = fields[:19]
        check_id(identifier, STRUC_ID, ccsid, MQRC_HEADER_ERROR, "MQCIH")
        if not 1 <= cih.version <= 2:
            raise StructureError(f"MQCIH has version {cih.version}, not 1 to 2", MQRC_HEADER_ERROR)
        check_length(length, SIZES[cih.version - 1], MQRC_HEADER_ERROR, "MQCIH")
        cih.format = read_text(format, ccsid)
        for name, text in zip(_TEXTS, fields[19:32], strict=True):
            if name:
                setattr(cih, name, read_text(text, ccsid))
        if cih.version >= 2:
            check_room(data, offset, SIZE_2, MQRC_HEADER_ERROR, "MQCIH version 2")
            (
                cih.cursor_position,
                cih.error_offset,
                cih.input_item,
                _,
            ) = (_BIG_2 if big_endian else _LITTLE_2).unpack_from(data, offset + SIZE_1)
        return cih

    def __repr__(self) -> str:
        return show("MQCIH", self, FIELDS)
