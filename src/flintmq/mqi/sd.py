"""MQSD, the subscription descriptor: the subscription that MQSUB makes.

    offset  field                type     value
         0  StrucId              char 4   "SD  "
         4  Version              int32    1
         8  Options              int32    MQSO_*
        12  ObjectName           char 48  topic object
        60  AlternateUserId      char 12
        72  AlternateSecurityId  byte 40
       112  SubExpiry            int32    tenths of a second
       116  ObjectString         MQCHARV  topic string, added to that of the object
       136  SubName              MQCHARV
       156  SubUserData          MQCHARV
       176  SubCorrelId          byte 24
       200  PubPriority          int32    -3 as published, -1 as the queue says, 0 to 9
       204  PubAccountingToken   byte 32
       236  PubApplIdentityData  char 32
       268  SelectionString      MQCHARV  selector
       288  SubLevel             int32    0 to 9
       292  ResObjectString      MQCHARV  output: topic string in full; 312 bytes

A structure that is not valid gives MQRC_SD_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.charv import Strings, read_string
from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_bytes, check_id, check_room, read_text, show, write_id, write_text
from flintmq.mqi.layout import check_version, layouts
from flintmq.mqi.md import NO_ACCOUNTING_TOKEN, NO_ID
from flintmq.mqi.reason import MQRC_SD_ERROR

SIZE: Final[int] = 312

STRUC_ID: Final[bytes] = b"SD  "
NO_ALTERNATE_SECURITY_ID: Final[bytes] = bytes(40)
FIELDS: Final = (
    "version", "options", "object_name", "alternate_user_id", "alternate_security_id", "sub_expiry",
    "object_string", "sub_name", "sub_user_data", "sub_correl_id", "pub_priority", "pub_accounting_token",
    "pub_appl_identity_data", "selection_string", "sub_level", "res_object_string",
)  # fmt: skip

_BIG, _LITTLE = layouts("4s i i 48s 12s 40s i 20s 20s 20s 24s i 32s 32s 20s i 20s", SIZE)  # In the order of the table.


class MQSD:
    """Subscription descriptor."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.options: int = 0
        self.object_name: str = ""
        self.alternate_user_id: str = ""
        self.alternate_security_id: bytes = NO_ALTERNATE_SECURITY_ID
        self.sub_expiry: int = -1  # MQEI_UNLIMITED
        self.object_string: str = ""
        self.sub_name: str = ""
        self.sub_user_data: str = ""
        self.sub_correl_id: bytes = NO_ID
        self.pub_priority: int = -3  # MQPRI_PRIORITY_AS_PUBLISHED
        self.pub_accounting_token: bytes = NO_ACCOUNTING_TOKEN
        self.pub_appl_identity_data: str = ""
        self.selection_string: str = ""
        self.sub_level: int = 1
        self.res_object_string: str = ""

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure. Raises StructureError (MQRC_SD_ERROR)."""
        version = self.version
        check_version(version, 1, MQRC_SD_ERROR, "MQSD")
        strings = Strings(SIZE, big_endian, ccsid)
        try:
            raw = (_BIG if big_endian else _LITTLE).pack(
                write_id(STRUC_ID, ccsid),
                version,
                self.options,
                write_text(self.object_name, 48, ccsid, MQRC_SD_ERROR, "MQSD ObjectName"),
                write_text(self.alternate_user_id, 12, ccsid, MQRC_SD_ERROR, "MQSD AlternateUserId"),
                check_bytes(self.alternate_security_id, 40, MQRC_SD_ERROR, "MQSD AlternateSecurityId"),
                self.sub_expiry,
                strings.add(self.object_string),
                strings.add(self.sub_name),
                strings.add(self.sub_user_data),
                check_bytes(self.sub_correl_id, 24, MQRC_SD_ERROR, "MQSD SubCorrelId"),
                self.pub_priority,
                check_bytes(self.pub_accounting_token, 32, MQRC_SD_ERROR, "MQSD PubAccountingToken"),
                write_text(self.pub_appl_identity_data, 32, ccsid, MQRC_SD_ERROR, "MQSD PubApplIdentityData"),
                strings.add(self.selection_string),
                self.sub_level,
                strings.add(self.res_object_string),
            )
        except struct.error as error:
            raise StructureError(f"MQSD has a field that cannot be written: {error}", MQRC_SD_ERROR) from None
        return raw + strings.joined()

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQSD":
        """The structure at `offset`. Raises StructureError (MQRC_SD_ERROR)."""
        check_room(data, offset, SIZE, MQRC_SD_ERROR, "MQSD")
        sd = MQSD()
        (
            identifier,
            sd.version,
            sd.options,
            object_name,
            alternate_user_id,
            sd.alternate_security_id,
            sd.sub_expiry,
            object_string,
            sub_name,
            sub_user_data,
            sd.sub_correl_id,
            sd.pub_priority,
            sd.pub_accounting_token,
            pub_appl_identity_data,
            selection_string,
            sd.sub_level,
            res_object_string,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_SD_ERROR, "MQSD")
        check_version(sd.version, 1, MQRC_SD_ERROR, "MQSD")
        sd.object_name = read_text(object_name, ccsid)
        sd.alternate_user_id = read_text(alternate_user_id, ccsid)
        sd.object_string = read_string(
            data, offset, object_string, big_endian, ccsid, MQRC_SD_ERROR, "MQSD ObjectString"
        )
        sd.sub_name = read_string(data, offset, sub_name, big_endian, ccsid, MQRC_SD_ERROR, "MQSD SubName")
        sd.sub_user_data = read_string(
            data, offset, sub_user_data, big_endian, ccsid, MQRC_SD_ERROR, "MQSD SubUserData"
        )
        sd.pub_appl_identity_data = read_text(pub_appl_identity_data, ccsid)
        sd.selection_string = read_string(
            data, offset, selection_string, big_endian, ccsid, MQRC_SD_ERROR, "MQSD SelectionString"
        )
        sd.res_object_string = read_string(
            data, offset, res_object_string, big_endian, ccsid, MQRC_SD_ERROR, "MQSD ResObjectString"
        )
        return sd

    def __repr__(self) -> str:
        return show("MQSD", self, FIELDS)
