"""MQEPH, the embedded PCF header: PCF parameters in front of other data.

    offset  field           type    value
         0  StrucId         char 4  "EPH "
         4  Version         int32   1
         8  StrucLength     int32   this header with its parameters
        12  Encoding        int32   of the data after this header and its parameters
        16  CodedCharSetId  int32   likewise
        20  Format          char 8  likewise
        28  Flags           int32   1: the parameter CodedCharSetIds are not 0
        32  PCFHeader       MQCFH   68 bytes; the parameters follow

Format "MQHEPCF". A structure that is not valid gives MQRC_EPH_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, read_text, show, write_id, write_text
from flintmq.mqi.layout import check_version, layouts
from flintmq.mqi.pcf import SIZE as CFH_SIZE
from flintmq.mqi.pcf import PCFMessage, parse
from flintmq.mqi.reason import MQRC_EPH_ERROR

SIZE: Final[int] = 68

STRUC_ID: Final[bytes] = b"EPH "
FIELDS: Final = ("version", "encoding", "coded_char_set_id", "format", "flags", "pcf")

_BIG, _LITTLE = layouts("4s i i i i 8s i", SIZE - CFH_SIZE)  # In the order of the table, up to the PCF header.


class MQEPH:
    """Embedded PCF header. `struc_length` is set by `unpack`: the data starts there."""

    __slots__ = (*FIELDS, "struc_length")

    def __init__(self) -> None:
        self.version: int = 1
        self.encoding: int = 0
        self.coded_char_set_id: int = 0
        self.format: str = ""
        self.flags: int = 0
        self.pcf: PCFMessage = PCFMessage()
        self.struc_length: int = SIZE

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The header with its parameters. Raises StructureError."""
        check_version(self.version, 1, MQRC_EPH_ERROR, "MQEPH")
        pcf = self.pcf.pack(big_endian, ccsid)
        try:
            head = (_BIG if big_endian else _LITTLE).pack(
                write_id(STRUC_ID, ccsid),
                self.version,
                SIZE - CFH_SIZE + len(pcf),
                self.encoding,
                self.coded_char_set_id,
                write_text(self.format, 8, ccsid, MQRC_EPH_ERROR, "MQEPH Format"),
                self.flags,
            )
        except struct.error as error:
            raise StructureError(f"MQEPH has a field that cannot be written: {error}", MQRC_EPH_ERROR) from None
        return head + pcf

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQEPH":
        """The header at `offset` with its parameters. Raises StructureError."""
        check_room(data, offset, SIZE, MQRC_EPH_ERROR, "MQEPH")
        eph = MQEPH()
        (
            identifier, eph.version, eph.struc_length, eph.encoding, eph.coded_char_set_id, form, eph.flags,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)  # fmt: skip
        check_id(identifier, STRUC_ID, ccsid, MQRC_EPH_ERROR, "MQEPH")
        if eph.version != 1 or eph.struc_length < SIZE:
            raise StructureError(f"MQEPH has version {eph.version} and StrucLength {eph.struc_length}", MQRC_EPH_ERROR)
        check_room(data, offset, eph.struc_length, MQRC_EPH_ERROR, "MQEPH with its parameters")
        eph.format = read_text(form, ccsid)
        eph.pcf = parse(data[: offset + eph.struc_length], offset + SIZE - CFH_SIZE, big_endian, ccsid)
        return eph

    def __repr__(self) -> str:
        return show("MQEPH", self, FIELDS)
