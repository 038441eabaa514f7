"""MQ headers in front of the data of an application: how far they reach.

A header is known by the Format that stands before it, in the descriptor or in the header before:

    Format                        length            what follows: Encoding, CodedCharSetId, Format at
    MQDEAD                        172               108
    MQXMIT                        428               128 (in the descriptor within)
    MQCICS, MQIMS, MQH...         the int32 at 8    12

Anything that does not fit this table is application data; nothing here ever fails because of the content of a message.
"""

from __future__ import annotations

from typing import Final

from flintmq.mqi.ccsid import is_known
from flintmq.mqi.constants import MQFMT_DEAD_LETTER_HEADER, MQFMT_XMIT_Q_HEADER
from flintmq.mqi.fields import read_text
from flintmq.mqi.md import MQMD

_UTF8: Final = 1208
_DLH_SIZE: Final = 172
_DLH_CHAIN: Final = 108
_XQH_SIZE: Final = 428
_XQH_CHAIN: Final = 128
_CHAIN: Final = 12
_CHAIN_SIZE: Final = 16
#: Headers that are looked at in one message. What stands behind them is data.
HEADERS_MAX: Final = 100


class Payload:
    """A place between two headers, at last behind all of them: where it is, and what describes the data there."""

    #: Where in the data Encoding, CodedCharSetId and Format stand that say so, and how that header is written;
    #: -1 if it is the descriptor that says so.
    said_at: int = -1
    said_encoding: int = 0
    said_ccsid: int = 0

    def __init__(self, start: int, encoding: int, ccsid: int, format: str) -> None:
        self.start = start
        self.encoding = encoding
        self.ccsid = ccsid
        self.format = format


def payload(encoding: int, ccsid: int, format: str, data: bytes) -> Payload:
    """Walk the headers at the start of `data`, which is described by the first three arguments."""
    place = Payload(0, encoding, ccsid, format)
    for _ in range(HEADERS_MAX):
        if not step(place, data):
            break
    return place


def step(place: Payload, data: bytes) -> int:
    """Move `place` behind the header that stands there. Returns the length of it, 0 if there is none."""
    format = place.format
    if not format.startswith("MQ"):
        return 0
    order = "big" if place.encoding & 0xF == 1 else "little"
    start = place.start
    if format == MQFMT_DEAD_LETTER_HEADER:
        length, chain = _DLH_SIZE, _DLH_CHAIN
    elif format == MQFMT_XMIT_Q_HEADER:
        length, chain = _XQH_SIZE, _XQH_CHAIN
    elif format.startswith("MQH") or format == "MQCICS" or format == "MQIMS":
        length, chain = _integer(data, start + 8, order), _CHAIN
    else:
        return 0
    if length < chain + _CHAIN_SIZE or start + length > len(data):
        return 0
    at = start + chain
    place.said_at = at
    place.said_encoding = place.encoding
    place.said_ccsid = place.ccsid
    place.encoding = _integer(data, at, order) or place.encoding
    following_ccsid = _integer(data, at + 4, order)
    place.format = read_text(data[at + 8 : at + 16], known_ccsid(place.ccsid))
    if following_ccsid > 0:
        place.ccsid = following_ccsid
    place.start += length
    return length


def known_ccsid(ccsid: int) -> int:
    """The character set to read a header in: what the message says if that is one, else UTF-8."""
    return ccsid if is_known(ccsid) else _UTF8


def _integer(data: bytes, at: int, order: str) -> int:
    return int.from_bytes(data[at : at + 4], "big" if order == "big" else "little", signed=True)


def payload_length(md: MQMD, data: bytes) -> int:
    """How long the application's data is, without headers."""
    if not md.format.startswith("MQ"):
        return len(data)
    return len(data) - payload(md.encoding, md.coded_char_set_id, md.format, data).start
