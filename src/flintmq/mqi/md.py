"""MQMD, the message descriptor: the attributes of a message besides its data.

    offset  field             type     value
         0  StrucId           char 4   "MD  "
         4  Version           int32    1 or 2
         8  Report            int32    MQRO_*
        12  MsgType           int32    1 request, 2 reply, 4 report, 8 datagram, 65536 and up the application's own
        16  Expiry            int32    tenths of a second left, -1 unlimited
        20  Feedback          int32    MQFB_* or a reason code, in reports
        24  Encoding          int32    of the numbers in the data
        28  CodedCharSetId    int32    of the characters in the data
        32  Format            char 8   of the data
        40  Priority          int32    0 to 9, -1 as the queue says
        44  Persistence       int32    0 no, 1 yes, 2 as the queue says
        48  MsgId             byte 24
        72  CorrelId          byte 24
        96  BackoutCount      int32    how often it was got and backed out
       100  ReplyToQ          char 48
       148  ReplyToQMgr       char 48
       196  UserIdentifier    char 12  identity context from here
       208  AccountingToken   byte 32
       240  ApplIdentityData  char 32
       272  PutApplType       int32    origin context from here; MQAT_*
       276  PutApplName       char 28
       304  PutDate           char 8   YYYYMMDD
       312  PutTime           char 8   HHMMSSTH, Greenwich mean time
       320  ApplOriginData    char 4   version 1 ends: 324 bytes
       324  GroupId           byte 24
       348  MsgSeqNumber      int32    from 1
       352  Offset            int32    of a segment in its message
       356  MsgFlags          int32    MQMF_*
       360  OriginalLength    int32    of the message a segment was cut from, -1 undefined; 364 bytes

This class is on the way of every message: straight assignments, one struct call, shared objects for "none".
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_bytes, check_id, check_room, read_text, show, write_id, write_text
from flintmq.mqi.layout import layouts
from flintmq.mqi.reason import MQRC_MD_ERROR

SIZE_1: Final[int] = 324
SIZE_2: Final[int] = 364

STRUC_ID: Final[bytes] = b"MD  "
FIELDS: Final = (
    "version", "report", "msg_type", "expiry", "feedback", "encoding", "coded_char_set_id", "format", "priority",
    "persistence", "msg_id", "correl_id", "backout_count", "reply_to_q", "reply_to_q_mgr", "user_identifier",
    "accounting_token", "appl_identity_data", "put_appl_type", "put_appl_name", "put_date", "put_time",
    "appl_origin_data", "group_id", "msg_seq_number", "offset", "msg_flags", "original_length",
)  # fmt: skip

NO_ID: Final[bytes] = bytes(24)  # MQMI_NONE, MQCI_NONE and MQGI_NONE: one object for all messages.
NO_ACCOUNTING_TOKEN: Final[bytes] = bytes(32)

#: How long texts and identifiers are.
_TEXTS: Final = {
    "format": 8, "reply_to_q": 48, "reply_to_q_mgr": 48, "user_identifier": 12, "appl_identity_data": 32,
    "put_appl_name": 28, "put_date": 8, "put_time": 8, "appl_origin_data": 4,
}  # fmt: skip
_IDS: Final = {"msg_id": 24, "correl_id": 24, "accounting_token": 32, "group_id": 24}

# In the order of the table.
_BIG_1, _LITTLE_1 = layouts("4s i i i i i i i 8s i i 24s 24s i 48s 48s 12s 32s 32s i 28s 8s 8s 4s", SIZE_1)
_BIG_2, _LITTLE_2 = layouts("24s i i i i", SIZE_2 - SIZE_1)  # What version 2 adds.


class MQMD:
    """Message descriptor. Text without trailing blanks, identifiers as bytes of full length."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.report: int = 0
        self.msg_type: int = 8  # MQMT_DATAGRAM
        self.expiry: int = -1  # MQEI_UNLIMITED
        self.feedback: int = 0
        self.encoding: int = 546  # MQENC_NATIVE
        self.coded_char_set_id: int = 0  # MQCCSI_Q_MGR
        self.format: str = ""
        self.priority: int = -1  # MQPRI_PRIORITY_AS_Q_DEF
        self.persistence: int = 2  # MQPER_PERSISTENCE_AS_Q_DEF
        self.msg_id: bytes = NO_ID
        self.correl_id: bytes = NO_ID
        self.backout_count: int = 0
        self.reply_to_q: str = ""
        self.reply_to_q_mgr: str = ""
        self.user_identifier: str = ""
        self.accounting_token: bytes = NO_ACCOUNTING_TOKEN
        self.appl_identity_data: str = ""
        self.put_appl_type: int = 0  # MQAT_NO_CONTEXT
        self.put_appl_name: str = ""
        self.put_date: str = ""
        self.put_time: str = ""
        self.appl_origin_data: str = ""
        self.group_id: bytes = NO_ID
        self.msg_seq_number: int = 1
        self.offset: int = 0
        self.msg_flags: int = 0
        self.original_length: int = -1  # MQOL_UNDEFINED

    def copy(self) -> "MQMD":
        """A new descriptor with the same values."""
        other = MQMD()
        self.copy_to(other)
        return other

    def copy_to(self, other: "MQMD") -> None:
        """Give `other` every value of this descriptor."""
        other.version = self.version
        other.report = self.report
        other.msg_type = self.msg_type
        other.expiry = self.expiry
        other.feedback = self.feedback
        other.encoding = self.encoding
        other.coded_char_set_id = self.coded_char_set_id
        other.format = self.format
        other.priority = self.priority
        other.persistence = self.persistence
        other.msg_id = self.msg_id
        other.correl_id = self.correl_id
        other.backout_count = self.backout_count
        other.reply_to_q = self.reply_to_q
        other.reply_to_q_mgr = self.reply_to_q_mgr
        self.copy_identity_context_to(other)
        self.copy_origin_context_to(other)
        other.group_id = self.group_id
        other.msg_seq_number = self.msg_seq_number
        other.offset = self.offset
        other.msg_flags = self.msg_flags
        other.original_length = self.original_length

    def copy_identity_context_to(self, other: "MQMD") -> None:
        """Copy the identity context to `other`: user, accounting token, identity data."""
        other.user_identifier = self.user_identifier
        other.accounting_token = self.accounting_token
        other.appl_identity_data = self.appl_identity_data

    def copy_origin_context_to(self, other: "MQMD") -> None:
        """Copy the origin context to `other`: the putting application, date and time."""
        other.put_appl_type = self.put_appl_type
        other.put_appl_name = self.put_appl_name
        other.put_date = self.put_date
        other.put_time = self.put_time
        other.appl_origin_data = self.appl_origin_data

    def fit(self) -> None:
        """Cut every value to the length of its field, so that `pack` raises nothing but for the version."""
        for name, length in _TEXTS.items():
            setattr(self, name, getattr(self, name)[:length])
        for name, length in _IDS.items():
            setattr(self, name, getattr(self, name)[:length].ljust(length, b"\0"))
        for name in FIELDS:
            value = getattr(self, name)
            if isinstance(value, int):
                setattr(self, name, max(-0x8000_0000, min(value, 0x7FFF_FFFF)))

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this descriptor, of the version it has. Raises StructureError (MQRC_MD_ERROR)."""
        version = self.version
        if version != 1 and version != 2:
            raise StructureError(f"MQMD has version {version}, not 1 or 2", MQRC_MD_ERROR)
        try:
            first = (_BIG_1 if big_endian else _LITTLE_1).pack(
                write_id(STRUC_ID, ccsid),
                version,
                self.report,
                self.msg_type,
                self.expiry,
                self.feedback,
                self.encoding,
                self.coded_char_set_id,
                write_text(self.format, 8, ccsid, MQRC_MD_ERROR, "MQMD Format"),
                self.priority,
                self.persistence,
                check_bytes(self.msg_id, 24, MQRC_MD_ERROR, "MQMD MsgId"),
                check_bytes(self.correl_id, 24, MQRC_MD_ERROR, "MQMD CorrelId"),
                self.backout_count,
                write_text(self.reply_to_q, 48, ccsid, MQRC_MD_ERROR, "MQMD ReplyToQ"),
                write_text(self.reply_to_q_mgr, 48, ccsid, MQRC_MD_ERROR, "MQMD ReplyToQMgr"),
                write_text(self.user_identifier, 12, ccsid, MQRC_MD_ERROR, "MQMD UserIdentifier"),
                check_bytes(self.accounting_token, 32, MQRC_MD_ERROR, "MQMD AccountingToken"),
                write_text(self.appl_identity_data, 32, ccsid, MQRC_MD_ERROR, "MQMD ApplIdentityData"),
                self.put_appl_type,
                write_text(self.put_appl_name, 28, ccsid, MQRC_MD_ERROR, "MQMD PutApplName"),
                write_text(self.put_date, 8, ccsid, MQRC_MD_ERROR, "MQMD PutDate"),
                write_text(self.put_time, 8, ccsid, MQRC_MD_ERROR, "MQMD PutTime"),
                write_text(self.appl_origin_data, 4, ccsid, MQRC_MD_ERROR, "MQMD ApplOriginData"),
            )
            if version == 1:
                return first
            return first + (_BIG_2 if big_endian else _LITTLE_2).pack(
                check_bytes(self.group_id, 24, MQRC_MD_ERROR, "MQMD GroupId"),
                self.msg_seq_number,
                self.offset,
                self.msg_flags,
                self.original_length,
            )
        except struct.error as error:
            raise StructureError(f"MQMD has a field that cannot be written: {error}", MQRC_MD_ERROR) from None

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQMD":
        """The descriptor at `offset`. Raises StructureError (MQRC_MD_ERROR)."""
        check_room(data, offset, SIZE_1, MQRC_MD_ERROR, "MQMD")
        md = MQMD()
        (
            identifier, md.version, md.report, md.msg_type, md.expiry, md.feedback, md.encoding, md.coded_char_set_id,
            form, md.priority, md.persistence, md.msg_id, md.correl_id, md.backout_count, reply_to_q, reply_to_q_mgr,
            user_identifier, md.accounting_token, appl_identity_data, md.put_appl_type, put_appl_name, put_date,
            put_time, appl_origin_data,
        ) = (_BIG_1 if big_endian else _LITTLE_1).unpack_from(data, offset)  # fmt: skip
        check_id(identifier, STRUC_ID, ccsid, MQRC_MD_ERROR, "MQMD")
        if md.version == 2:
            check_room(data, offset, SIZE_2, MQRC_MD_ERROR, "MQMD version 2")
            (md.group_id, md.msg_seq_number, md.offset, md.msg_flags, md.original_length) = (
                _BIG_2 if big_endian else _LITTLE_2
            ).unpack_from(data, offset + SIZE_1)
        elif md.version != 1:
            raise StructureError(f"MQMD has version {md.version}, not 1 or 2", MQRC_MD_ERROR)
        md.format = read_text(form, ccsid)
        md.reply_to_q = read_text(reply_to_q, ccsid)
        md.reply_to_q_mgr = read_text(reply_to_q_mgr, ccsid)
        md.user_identifier = read_text(user_identifier, ccsid)
        md.appl_identity_data = read_text(appl_identity_data, ccsid)
        md.put_appl_name = read_text(put_appl_name, ccsid)
        md.put_date = read_text(put_date, ccsid)
        md.put_time = read_text(put_time, ccsid)
        md.appl_origin_data = read_text(appl_origin_data, ccsid)
        return md

    def __repr__(self) -> str:
        return show("MQMD", self, FIELDS)
