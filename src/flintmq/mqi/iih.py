"""MQIIH, the header of messages to and from IMS. Format "MQIMS"; LLZZ data follow.

    offset  field           type     value
         0  StrucId         char 4   "IIH "
         4  Version         int32    1
         8  StrucLength     int32    84
        12  Encoding        int32    of the data after this header
        16  CodedCharSetId  int32    likewise
        20  Format          char 8   likewise
        28  Flags           int32    1 pass expiration, 8 reply format none, 16 ignore purge, 32 CM0 request response
        32  LTermOverride   char 8
        40  MFSMapName      char 8
        48  ReplyToFormat   char 8
        56  Authenticator   char 8
        64  TranInstanceId  byte 16
        80  TranState       char 1   " ", "C" in conversation, "A" architected
        81  CommitMode      char 1   "0" commit then send, "1" send then commit
        82  SecurityScope   char 1   "C" check, "F" full
        83  Reserved        char 1   84 bytes

A structure that is not valid gives MQRC_IIH_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_bytes, check_id, check_room, read_char, read_text, show, write_id, write_text
from flintmq.mqi.layout import check_length, check_version, layouts
from flintmq.mqi.reason import MQRC_IIH_ERROR

SIZE: Final[int] = 84

STRUC_ID: Final[bytes] = b"IIH "
NO_TRAN_INSTANCE_ID: Final[bytes] = bytes(16)
FIELDS: Final = (
    "version", "encoding", "coded_char_set_id", "format", "flags", "l_term_override", "mfs_map_name",
    "reply_to_format", "authenticator", "tran_instance_id", "tran_state", "commit_mode", "security_scope",
)  # fmt: skip

_BIG, _LITTLE = layouts("4s i i i i 8s i 8s 8s 8s 8s 16s 1s 1s 1s 1s", SIZE)  # In the order of the table.


class MQIIH:
    """IMS information header. The three state fields are one character; the blank is a value."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.encoding: int = 0
        self.coded_char_set_id: int = 0
        self.format: str = ""
        self.flags: int = 0
        self.l_term_override: str = ""
        self.mfs_map_name: str = ""
        self.reply_to_format: str = ""
        self.authenticator: str = ""
        self.tran_instance_id: bytes = NO_TRAN_INSTANCE_ID
        self.tran_state: str = " "
        self.commit_mode: str = "0"
        self.security_scope: str = "C"

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure. Raises StructureError (MQRC_IIH_ERROR)."""
        version = self.version
        check_version(version, 1, MQRC_IIH_ERROR, "MQIIH")
        try:
            raw = (_BIG if big_endian else _LITTLE).pack(
                write_id(STRUC_ID, ccsid),
                version,
                SIZE,
                self.encoding,
                self.coded_char_set_id,
                write_text(self.format, 8, ccsid, MQRC_IIH_ERROR, "MQIIH Format"),
                self.flags,
                write_text(self.l_term_override, 8, ccsid, MQRC_IIH_ERROR, "MQIIH LTermOverride"),
                write_text(self.mfs_map_name, 8, ccsid, MQRC_IIH_ERROR, "MQIIH MFSMapName"),
                write_text(self.reply_to_format, 8, ccsid, MQRC_IIH_ERROR, "MQIIH ReplyToFormat"),
                write_text(self.authenticator, 8, ccsid, MQRC_IIH_ERROR, "MQIIH Authenticator"),
                check_bytes(self.tran_instance_id, 16, MQRC_IIH_ERROR, "MQIIH TranInstanceId"),
                write_text(self.tran_state, 1, ccsid, MQRC_IIH_ERROR, "MQIIH TranState"),
                write_text(self.commit_mode, 1, ccsid, MQRC_IIH_ERROR, "MQIIH CommitMode"),
                write_text(self.security_scope, 1, ccsid, MQRC_IIH_ERROR, "MQIIH SecurityScope"),
                write_text("", 1, ccsid, MQRC_IIH_ERROR, "MQIIH Reserved"),
            )
        except struct.error as error:
            raise StructureError(f"MQIIH has a field that cannot be written: {error}", MQRC_IIH_ERROR) from None
        return raw

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQIIH":
        """The structure at `offset`. Raises StructureError (MQRC_IIH_ERROR)."""
        check_room(data, offset, SIZE, MQRC_IIH_ERROR, "MQIIH")
        iih = MQIIH()
        (
            identifier,
            iih.version,
            length,
            iih.encoding,
            iih.coded_char_set_id,
            format,
            iih.flags,
            l_term_override,
            mfs_map_name,
            reply_to_format,
            authenticator,
            iih.tran_instance_id,
            tran_state,
            commit_mode,
            security_scope,
            _,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_IIH_ERROR, "MQIIH")
        check_version(iih.version, 1, MQRC_IIH_ERROR, "MQIIH")
        check_length(length, SIZE, MQRC_IIH_ERROR, "MQIIH")
        iih.format = read_text(format, ccsid)
        iih.l_term_override = read_text(l_term_override, ccsid)
        iih.mfs_map_name = read_text(mfs_map_name, ccsid)
        iih.reply_to_format = read_text(reply_to_format, ccsid)
        iih.authenticator = read_text(authenticator, ccsid)
        iih.tran_state = read_char(tran_state, ccsid)
        iih.commit_mode = read_char(commit_mode, ccsid)
        iih.security_scope = read_char(security_scope, ccsid)
        return iih

    def __repr__(self) -> str:
        return show("MQIIH", self, FIELDS)
