"""MQCNO, the connect options of MQCONNX.

    offset  field                type      value
         0  StrucId              char 4    "CNO "
         4  Version              int32     1 to 8
         8  Options              int32     MQCNO_*; version 1 ends: 12 bytes
        12  ClientConnOffset     int32     of an MQCD
        16  ClientConnPtr        ptr       0; version 2 ends: 20 bytes
        20  ConnTag              byte 128  version 3 ends: 148 bytes
       148  SSLConfigPtr         ptr       0
       152  SSLConfigOffset      int32     of an MQSCO; version 4 ends: 156 bytes
       156  ConnectionId         byte 24   output
       180  SecurityParmsOffset  int32     of an MQCSP
       184  SecurityParmsPtr     ptr       0; version 5 ends: 188 bytes
       188  CCDTUrlPtr           ptr       0
       192  CCDTUrlOffset        int32
       196  CCDTUrlLength        int32
       200  Reserved             byte 8    version 6 ends: 208 bytes
       208  ApplName             char 28
       236  Reserved2            byte 4    version 7 ends: 240 bytes
       240  BalanceParmsPtr      ptr       0
       244  BalanceParmsOffset   int32     of an MQBNO
       248  Reserved3            byte 4    252 bytes

The targets of the pointers are kept in attributes of its own (`security_parms`, `ccdt_url`, `balance_parms`) and is not
in the bytes: this structure never leaves its process. A structure that is not valid gives MQRC_CNO_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.bno import MQBNO
from flintmq.mqi.csp import MQCSP
from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_bytes, check_id, check_room, read_text, show, write_id, write_text
from flintmq.mqi.layout import layouts
from flintmq.mqi.md import NO_ID
from flintmq.mqi.reason import MQRC_CNO_ERROR

SIZE_1: Final[int] = 12
SIZE_2: Final[int] = 20
SIZE_3: Final[int] = 148
SIZE_4: Final[int] = 156
SIZE_5: Final[int] = 188
SIZE_6: Final[int] = 208
SIZE_7: Final[int] = 240
SIZE_8: Final[int] = 252

STRUC_ID: Final[bytes] = b"CNO "
NO_CONN_TAG: Final[bytes] = bytes(128)
FIELDS: Final = (
    "version", "options", "client_conn_offset", "conn_tag", "ssl_config_offset", "connection_id",
    "security_parms_offset", "ccdt_url_offset", "ccdt_url_length", "appl_name", "balance_parms_offset",
    "security_parms", "ccdt_url", "balance_parms",
)  # fmt: skip

_BIG_1, _LITTLE_1 = layouts("4s i i", SIZE_1)  # In the order of the table.
_BIG_2, _LITTLE_2 = layouts("i i", SIZE_2 - SIZE_1)
_BIG_3, _LITTLE_3 = layouts("128s", SIZE_3 - SIZE_2)
_BIG_4, _LITTLE_4 = layouts("i i", SIZE_4 - SIZE_3)
_BIG_5, _LITTLE_5 = layouts("24s i i", SIZE_5 - SIZE_4)
_BIG_6, _LITTLE_6 = layouts("i i i 8s", SIZE_6 - SIZE_5)
_BIG_7, _LITTLE_7 = layouts("28s 4s", SIZE_7 - SIZE_6)
_BIG_8, _LITTLE_8 = layouts("i i 4s", SIZE_8 - SIZE_7)


class MQCNO:
    """Connect options."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.options: int = 0
        self.client_conn_offset: int = 0
        self.conn_tag: bytes = NO_CONN_TAG
        self.ssl_config_offset: int = 0
        self.connection_id: bytes = NO_ID
        self.security_parms_offset: int = 0
        self.ccdt_url_offset: int = 0
        self.ccdt_url_length: int = 0
        self.appl_name: str = ""
        self.balance_parms_offset: int = 0
        self.security_parms: MQCSP | None = None  # what SecurityParmsPtr points to
        self.ccdt_url: str = ""  # what CCDTUrlPtr points to
        self.balance_parms: MQBNO | None = None  # what BalanceParmsPtr points to

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure, of the version it has. Raises StructureError (MQRC_CNO_ERROR)."""
        version = self.version
        if not 1 <= version <= 8:
            raise StructureError(f"MQCNO has version {version}, not 1 to 8", MQRC_CNO_ERROR)
        try:
            raw = (_BIG_1 if big_endian else _LITTLE_1).pack(
                write_id(STRUC_ID, ccsid),
                version,
                self.options,
            )
            if version >= 2:
                raw += (_BIG_2 if big_endian else _LITTLE_2).pack(
                    self.client_conn_offset,
                    0,
                )
            if version >= 3:
                raw += (_BIG_3 if big_endian else _LITTLE_3).pack(
                    check_bytes(self.conn_tag, 128, MQRC_CNO_ERROR, "MQCNO ConnTag"),
                )
            if version >= 4:
                raw += (_BIG_4 if big_endian else _LITTLE_4).pack(
                    0,
                    self.ssl_config_offset,
                )
            if version >= 5:
                raw += (_BIG_5 if big_endian else _LITTLE_5).pack(
                    check_bytes(self.connection_id, 24, MQRC_CNO_ERROR, "MQCNO ConnectionId"),
                    self.security_parms_offset,
                    0,
                )
            if version >= 6:
                raw += (_BIG_6 if big_endian else _LITTLE_6).pack(
                    0,
                    self.ccdt_url_offset,
                    self.ccdt_url_length,
                    bytes(8),
                )
            if version >= 7:
                raw += (_BIG_7 if big_endian else _LITTLE_7).pack(
                    write_text(self.appl_name, 28, ccsid, MQRC_CNO_ERROR, "MQCNO ApplName"),
                    bytes(4),
                )
            if version >= 8:
                raw += (_BIG_8 if big_endian else _LITTLE_8).pack(
                    0,
                    self.balance_parms_offset,
                    bytes(4),
                )
        except struct.error as error:
            raise StructureError(f"MQCNO has a field that cannot be written: {error}", MQRC_CNO_ERROR) from None
        return raw

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQCNO":
        """The structure at `offset`. Raises StructureError (MQRC_CNO_ERROR)."""
        check_room(data, offset, SIZE_1, MQRC_CNO_ERROR, "MQCNO")
        cno = MQCNO()
        (
            identifier,
            cno.version,
            cno.options,
        ) = (_BIG_1 if big_endian else _LITTLE_1).unpack_from(data, offset)
        check_id(identifier, STRUC_ID, ccsid, MQRC_CNO_ERROR, "MQCNO")
        if not 1 <= cno.version <= 8:
            raise StructureError(f"MQCNO has version {cno.version}, not 1 to 8", MQRC_CNO_ERROR)
        if cno.version >= 2:
            check_room(data, offset, SIZE_2, MQRC_CNO_ERROR, "MQCNO version 2")
            (
                cno.client_conn_offset,
                _,
            ) = (_BIG_2 if big_endian else _LITTLE_2).unpack_from(data, offset + SIZE_1)
        if cno.version >= 3:
            check_room(data, offset, SIZE_3, MQRC_CNO_ERROR, "MQCNO version 3")
            (cno.conn_tag,) = (_BIG_3 if big_endian else _LITTLE_3).unpack_from(data, offset + SIZE_2)
        if cno.version >= 4:
            check_room(data, offset, SIZE_4, MQRC_CNO_ERROR, "MQCNO version 4")
            (
                _,
                cno.ssl_config_offset,
            ) = (_BIG_4 if big_endian else _LITTLE_4).unpack_from(data, offset + SIZE_3)
        if cno.version >= 5:
            check_room(data, offset, SIZE_5, MQRC_CNO_ERROR, "MQCNO version 5")
            (
                cno.connection_id,
                cno.security_parms_offset,
                _,
            ) = (_BIG_5 if big_endian else _LITTLE_5).unpack_from(data, offset + SIZE_4)
        if cno.version >= 6:
            check_room(data, offset, SIZE_6, MQRC_CNO_ERROR, "MQCNO version 6")
            (
                _,
                cno.ccdt_url_offset,
                cno.ccdt_url_length,
                _,
            ) = (_BIG_6 if big_endian else _LITTLE_6).unpack_from(data, offset + SIZE_5)
        if cno.version >= 7:
            check_room(data, offset, SIZE_7, MQRC_CNO_ERROR, "MQCNO version 7")
            (
                appl_name,
                _,
            ) = (_BIG_7 if big_endian else _LITTLE_7).unpack_from(data, offset + SIZE_6)
            cno.appl_name = read_text(appl_name, ccsid)
        if cno.version >= 8:
            check_room(data, offset, SIZE_8, MQRC_CNO_ERROR, "MQCNO version 8")
            (
                _,
                cno.balance_parms_offset,
                _,
            ) = (_BIG_8 if big_endian else _LITTLE_8).unpack_from(data, offset + SIZE_7)
        return cno

    def __repr__(self) -> str:
        return show("MQCNO", self, FIELDS)
