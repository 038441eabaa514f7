"""Headers as `convert` sees them: a run of integers (i), characters (c) and bytes (b), and where the chain goes on.

`chain` is the offset of Encoding, CodedCharSetId and Format (int32, int32, char 8, always together): they describe what
follows the header. The tables of the fields themselves are in the file of each structure.
"""

from typing import Final

from flintmq.mqi import cih, dh, dlh, eph, iih, md, mde, rfh, rfh2, tm, wih
from flintmq.mqi.errors import StructureError
from flintmq.mqi.reason import MQRC_FORMAT_ERROR

Layout = tuple[tuple[str, int], ...]


def layout_of(text: str) -> Layout:
    """The layout that a short text such as "c4 i i c48" describes."""
    fields = []
    for word in text.split():
        if word == "i":
            fields.append(("i", 4))
        else:
            fields.append((word[0], int(word[1:])))
    return tuple(fields)


def size_of(layout: Layout) -> int:
    """How many bytes the fields take."""
    return sum(length for _, length in layout)


class Header:
    """A header of a chain. `more` has the fields that version 2 adds, if there is one."""

    __slots__ = ("identifier", "fixed", "more", "chain", "size", "versions")

    def __init__(
        self, identifier: bytes, fixed: str, chain: int, size: int, versions: str = "1", more: str = ""
    ) -> None:
        self.identifier: bytes = identifier
        self.fixed: Layout = layout_of(fixed)
        self.more: Layout = layout_of(more)
        self.chain: int = chain
        self.size: int = size
        self.versions: str = versions
        assert size_of(self.fixed) == size

    def layout(self, data: bytes, big_endian: bool) -> Layout:
        """The layout of the header at the start of `data`, its version checked."""
        version = int.from_bytes(data[4:8], "big" if big_endian else "little", signed=True)
        if str(version) not in self.versions:
            raise StructureError(f"{self.identifier!r} has version {version}", MQRC_FORMAT_ERROR)
        return self.fixed + self.more if version == 2 and self.more else self.fixed


_CHAIN_AT_12: Final = 12

HEADERS: Final[dict[str, Header]] = {
    "MQDEAD": Header(dlh.STRUC_ID, "c4 i i c48 c48 i i c8 i c28 c8 c8", 108, dlh.SIZE),
    "MQHMDE": Header(mde.STRUC_ID, "c4 i i i i c8 i b24 i i i i", _CHAIN_AT_12, mde.SIZE, "2"),
    "MQCICS": Header(
        cih.STRUC_ID,
        "c4 i i i i c8 i i i i i i i i i i i i b8 c4 c4 c8 c8 c8 c4 c4 c4 c4 c4 c4 c4 c4 c8 c8",
        _CHAIN_AT_12,
        cih.SIZE_1,
        "12",
        "i i i i",
    ),
    "MQIMS": Header(iih.STRUC_ID, "c4 i i i i c8 i c8 c8 c8 c8 b16 c1 c1 c1 c1", _CHAIN_AT_12, iih.SIZE),
    "MQHWIH": Header(wih.STRUC_ID, "c4 i i i i c8 i c32 c8 b16 c32", _CHAIN_AT_12, wih.SIZE),
    "MQHRF": Header(rfh.STRUC_ID, "c4 i i i i c8 i", _CHAIN_AT_12, rfh.SIZE),
    "MQHRF2": Header(rfh2.STRUC_ID, "c4 i i i i c8 i i", _CHAIN_AT_12, rfh2.SIZE, "2"),
    "MQHDIST": Header(dh.STRUC_ID, "c4 i i i i c8 i i i i i", _CHAIN_AT_12, dh.SIZE),
    "MQHEPCF": Header(eph.STRUC_ID, "c4 i i i i c8 i i i i i i i i i i", _CHAIN_AT_12, eph.SIZE),
    "MQXMIT": Header(b"XQH ", "c4 i c48 c48", 104 + 24, 104),  # The chain goes on in the descriptor it contains.
}
MD_LAYOUT: Final = layout_of("c4 i i i i i i i c8 i i b24 b24 i c48 c48 c12 b32 c32 i c28 c8 c8 c4")
TM_LAYOUT: Final = layout_of("c4 i c48 c48 c64 i c256 c128 c128")
TM_SIZE: Final = tm.SIZE
assert size_of(MD_LAYOUT) == md.SIZE_1
assert size_of(TM_LAYOUT) == tm.SIZE
assert size_of(HEADERS["MQCICS"].fixed + HEADERS["MQCICS"].more) == cih.SIZE_2
