"""MQRMH and MQSAPH, the two headers of the broker that the MQI vocabulary has no class for.

    MQRMH, the reference message header. Format "MQHREF".
    offset  field               type     value
         0  StrucId             char 4   "RMH "
         4  Version             int32    1
         8  StrucLength         int32    with the four texts behind the fixed part
        12  Encoding            int32    of the data after this header
        16  CodedCharSetId      int32    likewise
        20  Format              char 8   likewise
        28  Flags               int32
        32  ObjectType          char 8
        40  ObjectInstanceId    byte 24
        64  SrcEnv              int32 length, int32 offset in this header; likewise SrcName, DestEnv, DestName
        96  DataLogicalLength   int32
       100  DataLogicalOffset   int32
       104  DataLogicalOffset2  int32    108 bytes, then the texts

    MQSAPH, the header of messages to and from SAP R/3. Format "MQHSAP".
    offset  field           type     value
         0  as MQRMH up to Flags, StrucId "SAPH"
        32  Client          char 3
        35  Language        char 1
        36  HostName        char 20
        56  UserId          char 12
        68  Password        char 8
        76  SystemNumber    char 2
        78  Reserved        char 30  108 bytes

The classes have the methods of the structures in `flintmq.mqi`.
"""

from __future__ import annotations

import struct
from typing import Final, final

from flintmq.mqi.ccsid import decode, encode, is_utf16
from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_bytes, check_id, check_room, read_text, write_id, write_text
from flintmq.mqi.layout import check_length, check_version, layouts
from flintmq.mqi.reason import MQRC_HEADER_ERROR

SIZE: Final = 108
RMH_ID: Final = b"RMH "
SAPH_ID: Final = b"SAPH"

_RMH_BIG, _RMH_LITTLE = layouts("4s i i i i 8s i 8s 24s 8i i i i", SIZE)
_SAPH_BIG, _SAPH_LITTLE = layouts("4s i i i i 8s i 3s 1s 20s 12s 8s 2s 30s", SIZE)
_RMH_TEXTS: Final = ("src_env", "src_name", "dest_env", "dest_name")


@final
class MQRMH:
    """Reference message header. `struc_length` is set by `unpack`: the data starts there."""

    def __init__(self) -> None:
        self.version: int = 1
        self.encoding: int = 0
        self.coded_char_set_id: int = 0
        self.format: str = ""
        self.flags: int = 0
        self.object_type: str = ""
        self.object_instance_id: bytes = bytes(24)
        self.src_env: str = ""
        self.src_name: str = ""
        self.dest_env: str = ""
        self.dest_name: str = ""
        self.data_logical_length: int = 0
        self.data_logical_offset: int = 0
        self.data_logical_offset2: int = 0
        self.struc_length: int = SIZE

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """Return the header with its texts, filled to a multiple of four. Raises StructureError."""
        check_version(self.version, 1, MQRC_HEADER_ERROR, "MQRMH")
        texts = b""
        places: list[int] = []
        for name in _RMH_TEXTS:
            raw = encode(getattr(self, name), 1208 if is_utf16(ccsid) else ccsid)
            places += [len(raw), SIZE + len(texts) if raw else 0]
            texts += raw
        texts += write_text("", -len(texts) % 4, ccsid, MQRC_HEADER_ERROR, "MQRMH")
        try:
            return (_RMH_BIG if big_endian else _RMH_LITTLE).pack(
                write_id(RMH_ID, ccsid),
                self.version,
                SIZE + len(texts),
                self.encoding,
                self.coded_char_set_id,
                write_text(self.format, 8, ccsid, MQRC_HEADER_ERROR, "MQRMH Format"),
                self.flags,
                write_text(self.object_type, 8, ccsid, MQRC_HEADER_ERROR, "MQRMH ObjectType"),
                check_bytes(self.object_instance_id, 24, MQRC_HEADER_ERROR, "MQRMH ObjectInstanceId"),
                *places,
                self.data_logical_length,
                self.data_logical_offset,
                self.data_logical_offset2,
            ) + texts
        except struct.error as error:
            raise StructureError(f"MQRMH has a field that cannot be written: {error}", MQRC_HEADER_ERROR) from None

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> MQRMH:
        """Return the header at `offset` with its texts. Raises StructureError."""
        check_room(data, offset, SIZE, MQRC_HEADER_ERROR, "MQRMH")
        rmh = MQRMH()
        fields = (_RMH_BIG if big_endian else _RMH_LITTLE).unpack_from(data, offset)
        check_id(fields[0], RMH_ID, ccsid, MQRC_HEADER_ERROR, "MQRMH")
        rmh.version, length, rmh.encoding, rmh.coded_char_set_id = fields[1:5]
        check_version(rmh.version, 1, MQRC_HEADER_ERROR, "MQRMH")
        if length < SIZE:
            raise StructureError(f"MQRMH has StrucLength {length}, less than {SIZE}", MQRC_HEADER_ERROR)
        check_room(data, offset, length, MQRC_HEADER_ERROR, "MQRMH with its texts")
        rmh.struc_length = length
        rmh.format = read_text(fields[5], ccsid)
        rmh.flags = fields[6]
        rmh.object_type = read_text(fields[7], ccsid)
        rmh.object_instance_id = fields[8]
        for number, name in enumerate(_RMH_TEXTS):
            size, place = fields[9 + 2 * number : 11 + 2 * number]
            if size < 0 or place < 0 or place + size > length:
                raise StructureError(
                    f"MQRMH has {name} of {size} bytes at {place}, beyond its StrucLength {length}", MQRC_HEADER_ERROR
                )
            raw = data[offset + place : offset + place + size]
            try:
                setattr(rmh, name, decode(raw, 1208 if is_utf16(ccsid) else ccsid))
            except UnicodeDecodeError:
                raise StructureError(f"MQRMH has {name} that is not text of {ccsid}", MQRC_HEADER_ERROR) from None
        rmh.data_logical_length, rmh.data_logical_offset, rmh.data_logical_offset2 = fields[17:20]
        return rmh


@final
class MQSAPH:
    """Header of messages to and from SAP R/3."""

    def __init__(self) -> None:
        self.version: int = 1
        self.encoding: int = 0
        self.coded_char_set_id: int = 0
        self.format: str = ""
        self.flags: int = 0
        self.client: str = ""
        self.language: str = ""
        self.host_name: str = ""
        self.user_id: str = ""
        self.password: str = ""
        self.system_number: str = ""

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """Return the 108 bytes of the header. Raises StructureError."""
        check_version(self.version, 1, MQRC_HEADER_ERROR, "MQSAPH")
        texts = [
            write_text(text, length, ccsid, MQRC_HEADER_ERROR, f"MQSAPH {name}")
            for name, text, length in (
                ("Client", self.client, 3),
                ("Language", self.language, 1),
                ("HostName", self.host_name, 20),
                ("UserId", self.user_id, 12),
                ("Password", self.password, 8),
                ("SystemNumber", self.system_number, 2),
                ("Reserved", "", 30),
            )
        ]
        try:
            return (_SAPH_BIG if big_endian else _SAPH_LITTLE).pack(
                write_id(SAPH_ID, ccsid),
                self.version,
                SIZE,
                self.encoding,
                self.coded_char_set_id,
                write_text(self.format, 8, ccsid, MQRC_HEADER_ERROR, "MQSAPH Format"),
                self.flags,
                *texts,
            )
        except struct.error as error:
            raise StructureError(f"MQSAPH has a field that cannot be written: {error}", MQRC_HEADER_ERROR) from None

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> MQSAPH:
        """Return the header at `offset`. Raises StructureError."""
        check_room(data, offset, SIZE, MQRC_HEADER_ERROR, "MQSAPH")
        saph = MQSAPH()
        fields = (_SAPH_BIG if big_endian else _SAPH_LITTLE).unpack_from(data, offset)
        check_id(fields[0], SAPH_ID, ccsid, MQRC_HEADER_ERROR, "MQSAPH")
        saph.version, length, saph.encoding, saph.coded_char_set_id = fields[1:5]
        check_version(saph.version, 1, MQRC_HEADER_ERROR, "MQSAPH")
        check_length(length, SIZE, MQRC_HEADER_ERROR, "MQSAPH")
        saph.format = read_text(fields[5], ccsid)
        saph.flags = fields[6]
        names = ("client", "language", "host_name", "user_id", "password", "system_number")
        for name, raw in zip(names, fields[7:13], strict=True):
            setattr(saph, name, read_text(raw, ccsid))
        return saph
