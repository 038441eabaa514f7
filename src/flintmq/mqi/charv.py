"""MQCHARV, a string of variable length inside another structure. The text itself lies behind that structure.

    offset  field      type   value
         0  VSPtr      ptr    0: an address means nothing outside its process
         4  VSOffset   int32  of the text, from the start of the structure that contains this one; 0 no text
         8  VSBufSize  int32  room for the text
        12  VSLength   int32  of the text, -1 up to a NUL
        16  VSCCSID    int32  of the text, -3 that of the application; 20 bytes

`MQCHARV` is the structure. Structures that contain one keep a plain `str`; they write it with `Strings` and read it
with `read_string`.
"""

import struct
from typing import Final

from flintmq.mqi.ccsid import decode, encode
from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_room, check_text, show
from flintmq.mqi.layout import layouts
from flintmq.mqi.reason import MQRC_OBJECT_STRING_ERROR

SIZE: Final[int] = 20
NULL_TERMINATED: Final = -1  # MQVS_NULL_TERMINATED
APPL: Final = -3  # MQCCSI_APPL
FIELDS: Final = ("vs_offset", "vs_buf_size", "vs_length", "vs_ccsid")

_BIG, _LITTLE = layouts("i i i i i", SIZE)  # In the order of the table.


class MQCHARV:
    """Where a string of variable length lies."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.vs_offset: int = 0
        self.vs_buf_size: int = 0
        self.vs_length: int = 0
        self.vs_ccsid: int = APPL

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The 20 bytes of the structure, without the text. Raises StructureError."""
        layout = _BIG if big_endian else _LITTLE
        try:
            return layout.pack(0, self.vs_offset, self.vs_buf_size, self.vs_length, self.vs_ccsid)
        except struct.error as error:
            raise StructureError(
                f"MQCHARV has a field that cannot be written: {error}", MQRC_OBJECT_STRING_ERROR
            ) from None

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQCHARV":
        """The structure at `offset`, without the text. Raises StructureError."""
        check_room(data, offset, SIZE, MQRC_OBJECT_STRING_ERROR, "MQCHARV")
        charv = MQCHARV()
        layout = _BIG if big_endian else _LITTLE
        (_, charv.vs_offset, charv.vs_buf_size, charv.vs_length, charv.vs_ccsid) = layout.unpack_from(data, offset)
        return charv

    def __repr__(self) -> str:
        return show("MQCHARV", self, FIELDS)


class Strings:
    """The texts behind a structure, in the making: each starts at a multiple of four."""

    def __init__(self, start: int, big_endian: bool, ccsid: int) -> None:
        self.end: int = start  # Where the next text will lie, from the start of the structure.
        self.big_endian: bool = big_endian
        self.ccsid: int = ccsid
        self.texts: list[bytes] = []

    def add(self, text: str) -> bytes:
        """Put `text` behind the structure and return the MQCHARV that says where it is."""
        check_text(text, "a string of variable length")
        charv = MQCHARV()
        charv.vs_ccsid = self.ccsid  # Of an empty text too: clients look the set up before they look at the length.
        if text:
            raw = encode(text, self.ccsid, self.big_endian)
            charv.vs_offset = self.end
            charv.vs_buf_size = charv.vs_length = len(raw)
            raw += b"\0" * (-len(raw) % 4)
            self.texts.append(raw)
            self.end += len(raw)
        return charv.pack(self.big_endian)

    def joined(self) -> bytes:
        """Return the bytes behind the structure."""
        return b"".join(self.texts)


def read_string(data: bytes, start: int, raw: bytes, big_endian: bool, ccsid: int, reason: int, field: str) -> str:
    """The text an MQCHARV (`raw`) points to. `start` is where the structure that contains it starts in `data`."""
    charv = MQCHARV.unpack(raw, 0, big_endian)
    if charv.vs_offset == 0 or charv.vs_length == 0:
        return ""
    first = start + charv.vs_offset
    if charv.vs_length == NULL_TERMINATED:
        end = data.find(b"\0", first) if 0 <= first <= len(data) else -1
        if end < 0:
            raise StructureError(f"{field} has no NUL that ends it", reason)
    else:
        end = first + charv.vs_length
    if charv.vs_offset < 0 or end < first or end > len(data):
        raise StructureError(
            f"{field} lies at {charv.vs_offset} for {charv.vs_length} bytes, outside the {len(data) - start} there are",
            reason,
        )
    used = ccsid if charv.vs_ccsid <= 0 else charv.vs_ccsid
    try:
        return decode(data[first:end], used, big_endian)
    except UnicodeDecodeError as error:
        raise StructureError(f"{field} is not text of CCSID {used}: {error.reason}", reason) from None
