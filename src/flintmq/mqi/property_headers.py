"""MQRFH2 headers that the queue manager makes and takes off: message properties as part of the data.

A `Body` is data with what describes it. Where a header is made or taken off, the Encoding, CodedCharSetId and Format
that stood before it, in the descriptor or in the header in front, are set so that the chain is whole again:

    insert    before   descriptor: E C F        | data
              after    descriptor: native, queue manager's, MQHRF2 | MQRFH2: E C F, folders | data

A header is made behind any MQDLH, MQXQH and MQRFH, as MQ does it, and in front of everything else, also of an MQRFH2
that the application made: that one is never touched. Its numbers are native, its folders UTF-8 (1208).

    strip     the folders that are properties go; a header with no other folders goes as a whole

What counts where: properties, also in an MQRFH2 of the application, count for MAXPROPL and not for MAXMSGL. The fixed
part of a header counts with its folders, for MAXPROPL if all of them are properties.
"""

from __future__ import annotations

import struct
from typing import Final

from flintmq.mqi import headers
from flintmq.mqi.constants import (
    MQENC_NATIVE,
    MQFMT_DEAD_LETTER_HEADER,
    MQFMT_RF_HEADER,
    MQFMT_RF_HEADER_2,
    MQFMT_XMIT_Q_HEADER,
)
from flintmq.mqi.fields import read_text, write_text
from flintmq.mqi.md import MQMD
from flintmq.mqi.message_properties import RulesHeader, rules_headers
from flintmq.mqi.reason import MQRC_RFH_ERROR
from flintmq.mqi.rfh2 import MQRFH2, pack_folders
from flintmq.mqi.rfh2 import SIZE as RFH2_SIZE

_CHAIN: Final = 12
_BIG = struct.Struct(">ii")
_LITTLE = struct.Struct("<ii")
_IN_FRONT: Final = (MQFMT_DEAD_LETTER_HEADER, MQFMT_XMIT_Q_HEADER, MQFMT_RF_HEADER)


class Body:
    """Data, and what describes its beginning."""

    def __init__(self, encoding: int, ccsid: int, format: str, data: bytes) -> None:
        self.encoding = encoding
        self.ccsid = ccsid
        self.format = format
        self.data = data

    def describe_in(self, md: MQMD) -> None:
        """Write what describes the data into a descriptor."""
        md.encoding = self.encoding
        md.coded_char_set_id = self.ccsid
        md.format = self.format

    def headers(self, outlined: bool = False) -> list[RulesHeader]:
        """The MQRFH2 headers in it that are well formed; `outlined`, if only their folders are needed."""
        return rules_headers(self.format, self.encoding, self.ccsid, self.data, outlined)


def body_of(md: MQMD, data: bytes) -> Body:
    """The data of a message with this descriptor."""
    return Body(md.encoding, md.coded_char_set_id, md.format, data)


def insert(body: Body, block: bytes, ccsid: int) -> None:
    """Make a header of the folders in `block`; `ccsid` is the queue manager's."""
    place = headers.Payload(0, body.encoding, body.ccsid, body.format)
    for _ in range(headers.HEADERS_MAX):
        if place.format not in _IN_FRONT or not headers.step(place, body.data):
            break
    header = header_for(block, place.encoding, place.ccsid, place.format, ccsid)
    if place.said_at < 0:
        body.encoding, body.ccsid, body.format = MQENC_NATIVE, ccsid, MQFMT_RF_HEADER_2
    else:
        says = _said(MQENC_NATIVE, ccsid, MQFMT_RF_HEADER_2, place.said_encoding, place.said_ccsid)
        body.data = body.data[: place.said_at] + says + body.data[place.said_at + len(says) :]
    body.data = body.data[: place.start] + header + body.data[place.start :]


def header_for(block: bytes, encoding: int, following_ccsid: int, format: str, ccsid: int) -> bytes:
    """The MQRFH2 with the folders in `block`, in front of data that the three in the middle describe."""
    rfh2 = MQRFH2()
    rfh2.encoding = encoding
    rfh2.coded_char_set_id = following_ccsid
    rfh2.format = format[:8]
    fixed = rfh2.pack(False, ccsid)
    return fixed[:8] + (RFH2_SIZE + len(block)).to_bytes(4, "little") + fixed[12:] + block


def strip(body: Body, found: list[RulesHeader]) -> None:
    """Take the properties out of the headers `found`, which are those of `body`."""
    for header in reversed(found):  # From the last on: what is in front of a header stays where it is.
        if header.properties.items:
            if header.others:
                _leave_others(body, header)
            else:
                _take_off(body, header)


def _leave_others(body: Body, header: RulesHeader) -> None:
    """Write the header again without its properties."""
    big_endian = header.encoding & 0xF == 1
    rest = MQRFH2()
    rest.flags = header.rfh2.flags
    rest.name_value_ccsid = header.rfh2.name_value_ccsid
    rest.folders = header.others
    chain = header.start + _CHAIN
    says = body.data[chain : chain + 16]
    packed = rest.pack(big_endian, header.ccsid)
    packed = packed[:_CHAIN] + says + packed[_CHAIN + 16 :]
    body.data = body.data[: header.start] + packed + body.data[header.end :]


def _take_off(body: Body, header: RulesHeader) -> None:
    """Remove the header; what stood before it describes now what stood behind it."""
    data = body.data
    chain = header.start + _CHAIN
    encoding, ccsid = (_BIG if header.encoding & 0xF == 1 else _LITTLE).unpack_from(data, chain)
    format = read_text(data[chain + 8 : chain + 16], header.ccsid)
    if ccsid <= 0:  # As in this header.
        ccsid = header.ccsid
    encoding = encoding or header.encoding
    if header.said_at < 0:
        body.encoding, body.ccsid, body.format = encoding, ccsid, format
    else:
        says = _said(encoding, ccsid, format, header.said_encoding, header.said_ccsid)
        data = data[: header.said_at] + says + data[header.said_at + len(says) :]
    body.data = data[: header.start] + data[header.end :]


def _said(encoding: int, ccsid: int, format: str, own_encoding: int, own_ccsid: int) -> bytes:
    """Encoding, CodedCharSetId and Format as they stand in a header that is itself written in the last two."""
    numbers = (_BIG if own_encoding & 0xF == 1 else _LITTLE).pack(encoding, ccsid)
    return numbers + write_text(format[:8], 8, headers.known_ccsid(own_ccsid), MQRC_RFH_ERROR, "Format")


def counted(md: MQMD, data: bytes) -> int:
    """How many bytes of the data count for MAXPROPL and not for MAXMSGL."""
    if not md.format.startswith("MQ"):
        return 0
    length = 0
    for header in rules_headers(md.format, md.encoding, md.coded_char_set_id, data, True):
        if header.properties.items:
            length += header.end - header.start
            if header.others:
                length -= RFH2_SIZE + len(pack_folders(header.others, header.rfh2.name_value_ccsid))
    return max(length, 0)
