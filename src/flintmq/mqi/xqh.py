"""MQXQH, the transmission queue header: where a message on a transmission queue is to go, and its descriptor.

    offset  field           type    value
         0  StrucId         char 4   "XQH "
         4  Version         int32    1
         8  RemoteQName     char 48
        56  RemoteQMgrName  char 48
       104  MsgDesc         MQMD 1   the descriptor the application put, version 1; 428 bytes

The fields of a version 2 descriptor stand in an MQMDE behind this header. Format "MQXMIT". A structure that is not
valid gives MQRC_XQH_ERROR.
"""

from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, read_text, show, write_id, write_text
from flintmq.mqi.layout import check_version, layouts
from flintmq.mqi.md import MQMD
from flintmq.mqi.md import SIZE_1 as MD_SIZE
from flintmq.mqi.reason import MQRC_XQH_ERROR

SIZE: Final[int] = 428

STRUC_ID: Final[bytes] = b"XQH "
FIELDS: Final = ("version", "remote_q_name", "remote_q_mgr_name", "msg_desc")

_BIG, _LITTLE = layouts("4s i 48s 48s", SIZE - MD_SIZE)  # In the order of the table, up to the descriptor.


class MQXQH:
    """Transmission queue header."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.remote_q_name: str = ""
        self.remote_q_mgr_name: str = ""
        self.msg_desc: MQMD = MQMD()

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The 428 bytes of the header. Raises StructureError (MQRC_XQH_ERROR)."""
        check_version(self.version, 1, MQRC_XQH_ERROR, "MQXQH")
        if self.msg_desc.version != 1:
            raise StructureError(
                f"the MsgDesc of MQXQH has version {self.msg_desc.version}; version 2 fields go into an MQMDE",
                MQRC_XQH_ERROR,
            )
        raw = (_BIG if big_endian else _LITTLE).pack(
            write_id(STRUC_ID, ccsid),
            self.version,
            write_text(self.remote_q_name, 48, ccsid, MQRC_XQH_ERROR, "MQXQH RemoteQName"),
            write_text(self.remote_q_mgr_name, 48, ccsid, MQRC_XQH_ERROR, "MQXQH RemoteQMgrName"),
        )
        return raw + self.msg_desc.pack(big_endian, ccsid)

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQXQH":
        """The header at `offset`. Raises StructureError (MQRC_XQH_ERROR, or MQRC_MD_ERROR for the descriptor)."""
        check_room(data, offset, SIZE, MQRC_XQH_ERROR, "MQXQH")
        xqh = MQXQH()
        identifier, xqh.version, q_name, q_mgr_name = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_XQH_ERROR, "MQXQH")
        check_version(xqh.version, 1, MQRC_XQH_ERROR, "MQXQH")
        xqh.remote_q_name = read_text(q_name, ccsid)
        xqh.remote_q_mgr_name = read_text(q_mgr_name, ccsid)
        xqh.msg_desc = MQMD.unpack(data, offset + SIZE - MD_SIZE, big_endian, ccsid)
        if xqh.msg_desc.version != 1:
            raise StructureError("the MsgDesc of MQXQH is not of version 1", MQRC_XQH_ERROR)
        return xqh

    def __repr__(self) -> str:
        return show("MQXQH", self, FIELDS)
