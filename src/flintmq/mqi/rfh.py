"""MQRFH, the rules and formatting header, version 1: a string of names and values in front of the data.

    offset  field            type    value
         0  StrucId          char 4  "RFH "
         4  Version          int32   1
         8  StrucLength      int32   this header with its string
        12  Encoding         int32   of the data after this header
        16  CodedCharSetId   int32   likewise
        20  Format           char 8  likewise
        28  Flags            int32   0
        32  NameValueString  char n  name value name value ..., separated by blanks, NUL ends it early

A name or value with blanks, quotes or nothing in it stands in double quotes; a double quote in it is doubled. Format
"MQHRF". A structure that is not valid gives MQRC_RFH_ERROR, its string MQRC_RFH_STRING_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.ccsid import decode, encode, is_utf16
from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, read_text, show, write_id, write_text
from flintmq.mqi.layout import check_version, layouts
from flintmq.mqi.reason import MQRC_RFH_ERROR, MQRC_RFH_STRING_ERROR

SIZE: Final[int] = 32

STRUC_ID: Final[bytes] = b"RFH "
FIELDS: Final = ("version", "encoding", "coded_char_set_id", "format", "flags", "name_value_string")

_BIG, _LITTLE = layouts("4s i i i i 8s i", SIZE)  # In the order of the table, up to the string.


class MQRFH:
    """Rules and formatting header, version 1. `struc_length` is set by `unpack`: the data starts there."""

    __slots__ = (*FIELDS, "struc_length")

    def __init__(self) -> None:
        self.version: int = 1
        self.encoding: int = 546  # MQENC_NATIVE
        self.coded_char_set_id: int = 0  # MQCCSI_UNDEFINED
        self.format: str = ""
        self.flags: int = 0
        self.name_value_string: str = ""
        self.struc_length: int = SIZE

    def pairs(self) -> list[tuple[str, str]]:
        """The names and values of the string, in order. Raises StructureError (MQRC_RFH_STRING_ERROR)."""
        words = _words(self.name_value_string)
        if len(words) % 2:
            raise StructureError(f"MQRFH has the name {words[-1]!r} without a value", MQRC_RFH_STRING_ERROR)
        return list(zip(words[0::2], words[1::2], strict=True))

    def set_pairs(self, pairs: list[tuple[str, str]]) -> None:
        """Write the string from names and values."""
        self.name_value_string = " ".join([f"{_quoted(name)} {_quoted(value)}" for name, value in pairs])

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The header with its string, filled with blanks to a multiple of four. Raises StructureError."""
        check_version(self.version, 1, MQRC_RFH_ERROR, "MQRFH")
        if is_utf16(ccsid):
            ccsid = 1208  # As in all fields of this header.
        text = encode(self.name_value_string, ccsid)
        text += encode(" ", ccsid) * (-len(text) % 4)
        try:
            head = (_BIG if big_endian else _LITTLE).pack(
                write_id(STRUC_ID, ccsid),
                self.version,
                SIZE + len(text),
                self.encoding,
                self.coded_char_set_id,
                write_text(self.format, 8, ccsid, MQRC_RFH_ERROR, "MQRFH Format"),
                self.flags,
            )
        except struct.error as error:
            raise StructureError(f"MQRFH has a field that cannot be written: {error}", MQRC_RFH_ERROR) from None
        return head + text

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQRFH":
        """The header at `offset` with its string. Raises StructureError (MQRC_RFH_ERROR)."""
        check_room(data, offset, SIZE, MQRC_RFH_ERROR, "MQRFH")
        rfh = MQRFH()
        (
            identifier, rfh.version, rfh.struc_length, rfh.encoding, rfh.coded_char_set_id, form, rfh.flags,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)  # fmt: skip
        check_id(identifier, STRUC_ID, ccsid, MQRC_RFH_ERROR, "MQRFH")
        check_version(rfh.version, 1, MQRC_RFH_ERROR, "MQRFH")
        if rfh.struc_length < SIZE:
            raise StructureError(f"MQRFH has StrucLength {rfh.struc_length}, less than {SIZE}", MQRC_RFH_ERROR)
        check_room(data, offset, rfh.struc_length, MQRC_RFH_ERROR, "MQRFH with its string")
        rfh.format = read_text(form, ccsid)
        try:
            text = decode(data[offset + SIZE : offset + rfh.struc_length], 1208 if is_utf16(ccsid) else ccsid)
        except UnicodeDecodeError:
            raise StructureError(f"the string of MQRFH is not text of CCSID {ccsid}", MQRC_RFH_STRING_ERROR) from None
        rfh.name_value_string = text.partition("\0")[0].rstrip(" ")
        return rfh

    def __repr__(self) -> str:
        return show("MQRFH", self, FIELDS)


def _quoted(word: str) -> str:
    if word and not any(character in ' "\0' for character in word):
        return word
    return '"' + word.replace('"', '""') + '"'


def _words(text: str) -> list[str]:
    """Split at blanks, except between double quotes."""
    words: list[str] = []
    place = 0
    while True:
        while place < len(text) and text[place] == " ":
            place += 1
        if place >= len(text):
            return words
        if text[place] == '"':
            word, place = _quoted_word(text, place + 1)
        else:
            end = text.find(" ", place)
            if end < 0:
                end = len(text)
            word = text[place:end]
            place = end
        words.append(word)


def _quoted_word(text: str, place: int) -> tuple[str, int]:
    """The word that starts at `place`, just behind its opening quote, and the place behind its closing quote."""
    word = ""
    while True:
        end = text.find('"', place)
        if end < 0:
            raise StructureError("the string of MQRFH has a quote that is not closed", MQRC_RFH_STRING_ERROR)
        word += text[place:end]
        if text[end + 1 : end + 2] != '"':
            return word, end + 1
        word += '"'
        place = end + 2
