"""MQRFH2, the rules and formatting header, version 2: folders of properties in front of the data.

    offset  field           type    value
         0  StrucId         char 4  "RFH "
         4  Version         int32   2
         8  StrucLength     int32   this header with its folders; a multiple of 4
        12  Encoding        int32   of the data after this header, not of this header
        16  CodedCharSetId  int32   likewise
        20  Format          char 8  likewise
        28  Flags           int32   0
        32  NameValueCCSID  int32   of the folders: 1208, 1200, 13488 or 17584
        36  folders                 each NameValueLength int32, a multiple of 4, and NameValueData of that length

The numbers of this header, and UTF-16 folders, are in the encoding that the descriptor in front of it names. A folder
is one XML element with blanks behind it; here it is a `str` without those blanks. What is inside a folder is the
business of `properties` and `folders`. Format "MQHRF2". A structure that is not valid gives MQRC_RFH_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.ccsid import decode, encode
from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, read_text, show, write_id, write_text
from flintmq.mqi.layout import layouts
from flintmq.mqi.reason import MQRC_RFH_ERROR, MQRC_RFH_FORMAT_ERROR

SIZE: Final[int] = 36

STRUC_ID: Final[bytes] = b"RFH "
FIELDS: Final = ("version", "encoding", "coded_char_set_id", "format", "flags", "name_value_ccsid", "folders")
FOLDER_CCSIDS: Final = (1208, 1200, 13488, 17584)
#: A header with more folders is refused.
FOLDERS_MAX: Final[int] = 1000

_BIG, _LITTLE = layouts("4s i i i i 8s i i", SIZE)  # In the order of the table.
_BIG_LENGTH, _LITTLE_LENGTH = layouts("i", 4)


class MQRFH2:
    """Rules and formatting header, version 2. `struc_length` is set by `unpack`: the data starts there."""

    __slots__ = (*FIELDS, "struc_length")

    def __init__(self) -> None:
        self.version: int = 2
        self.encoding: int = 546  # MQENC_NATIVE
        self.coded_char_set_id: int = -2  # MQCCSI_INHERIT
        self.format: str = ""
        self.flags: int = 0
        self.name_value_ccsid: int = 1208
        self.folders: list[str] = []
        self.struc_length: int = SIZE

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The header with its folders. Raises StructureError (MQRC_RFH_ERROR)."""
        if self.version != 2:
            raise StructureError(f"MQRFH2 has version {self.version}, not 2", MQRC_RFH_ERROR)
        _check_ccsid(self.name_value_ccsid)
        folders = pack_folders(self.folders, self.name_value_ccsid, big_endian)
        try:
            fixed = (_BIG if big_endian else _LITTLE).pack(
                write_id(STRUC_ID, ccsid),
                self.version,
                SIZE + len(folders),
                self.encoding,
                self.coded_char_set_id,
                write_text(self.format, 8, ccsid, MQRC_RFH_ERROR, "MQRFH2 Format"),
                self.flags,
                self.name_value_ccsid,
            )
        except struct.error as error:
            raise StructureError(f"MQRFH2 has a field that cannot be written: {error}", MQRC_RFH_ERROR) from None
        return fixed + folders

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQRFH2":
        """The header at `offset` with its folders. Raises StructureError (MQRC_RFH_ERROR, MQRC_RFH_FORMAT_ERROR)."""
        check_room(data, offset, SIZE, MQRC_RFH_ERROR, "MQRFH2")
        rfh2 = MQRFH2()
        (
            identifier, rfh2.version, rfh2.struc_length, rfh2.encoding, rfh2.coded_char_set_id, form, rfh2.flags,
            rfh2.name_value_ccsid,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)  # fmt: skip
        check_id(identifier, STRUC_ID, ccsid, MQRC_RFH_ERROR, "MQRFH2")
        if rfh2.version != 2:
            raise StructureError(f"MQRFH2 has version {rfh2.version}, not 2", MQRC_RFH_ERROR)
        if rfh2.struc_length < SIZE or rfh2.struc_length % 4:
            raise StructureError(
                f"MQRFH2 has StrucLength {rfh2.struc_length}, less than {SIZE} or not a multiple of 4", MQRC_RFH_ERROR
            )
        check_room(data, offset, rfh2.struc_length, MQRC_RFH_ERROR, "MQRFH2 with its folders")
        _check_ccsid(rfh2.name_value_ccsid)
        rfh2.format = read_text(form, ccsid)
        rfh2.folders = unpack_folders(
            data, offset + SIZE, offset + rfh2.struc_length, rfh2.name_value_ccsid, big_endian
        )
        return rfh2

    def __repr__(self) -> str:
        return show("MQRFH2", self, FIELDS)


def _check_ccsid(ccsid: int) -> None:
    if ccsid not in FOLDER_CCSIDS:
        raise StructureError(f"MQRFH2 has NameValueCCSID {ccsid}, not one of {FOLDER_CCSIDS}", MQRC_RFH_ERROR)


def _folder_bytes(folder: str, ccsid: int, big_endian: bool) -> bytes:
    raw = encode(folder, ccsid, big_endian)
    padding = encode(" ", ccsid, big_endian)
    while len(raw) % 4:
        raw += padding
    return raw


def pack_folders(folders: list[str], ccsid: int = 1208, big_endian: bool = False) -> bytes:
    """The folders as they stand in the header, each with its length and its padding."""
    length = _BIG_LENGTH if big_endian else _LITTLE_LENGTH
    parts: list[bytes] = []
    for folder in folders:
        raw = _folder_bytes(folder, ccsid, big_endian)
        parts.append(length.pack(len(raw)))
        parts.append(raw)
    return b"".join(parts)


def unpack_folders(data: bytes, place: int, end: int, ccsid: int = 1208, big_endian: bool = False) -> list[str]:
    """The folders between `place` and `end`. Raises StructureError (MQRC_RFH_ERROR, MQRC_RFH_FORMAT_ERROR)."""
    layout = _BIG_LENGTH if big_endian else _LITTLE_LENGTH
    folders: list[str] = []
    while place < end:
        if len(folders) >= FOLDERS_MAX:
            raise StructureError(f"MQRFH2 has more than {FOLDERS_MAX} folders", MQRC_RFH_ERROR)
        if end - place < 4:
            raise StructureError(f"MQRFH2 has {end - place} bytes behind its last folder", MQRC_RFH_ERROR)
        (length,) = layout.unpack_from(data, place)
        place += 4
        if length < 0 or length % 4 or length > end - place:
            raise StructureError(
                f"folder {len(folders) + 1} of MQRFH2 has NameValueLength {length} where {end - place} bytes are left",
                MQRC_RFH_ERROR,
            )
        try:
            folders.append(decode(data[place : place + length], ccsid, big_endian).rstrip(" \0"))
        except UnicodeDecodeError:
            raise StructureError(
                f"folder {len(folders) + 1} of MQRFH2 is not text of CCSID {ccsid}", MQRC_RFH_FORMAT_ERROR
            ) from None
        place += length
    return folders
