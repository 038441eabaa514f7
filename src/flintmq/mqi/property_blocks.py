"""Properties of a message as bytes: the block that a message handle puts, and the MQRFH2 headers in its data.

    block      folders as in an MQRFH2, each an int32 length and that many bytes, little-endian, UTF-8, padded to a
               multiple of 4
    headers    MQRFH2 headers that an application put in front of its data itself

Which folders of such a header are properties: usr, mcd, jms, mqext, mqps ... (`PROPERTY_FOLDERS`), and any folder that
says content='properties'. The others (psc, pscr ...) are data. The headers are found by walking from Format to Format,
also behind a dead-letter header; not behind a transmission header, whose message is on its way to somewhere else.

Nothing here ever fails because of the content of a message. A header that is not well formed has no properties; so has
what stands behind it.
"""

from __future__ import annotations

from typing import Final

from flintmq.mqi import payload
from flintmq.mqi.constants import MQFMT_RF_HEADER_2, MQFMT_XMIT_Q_HEADER
from flintmq.mqi.errors import StructureError
from flintmq.mqi.properties import MessageProperties, outline
from flintmq.mqi.property_names import check_name
from flintmq.mqi.rfh2 import MQRFH2, pack_folders, unpack_folders

_MQ: Final = "MQ"


def add_block(properties: MessageProperties, block: bytes) -> None:
    """Add what a `Message.properties` says. One that cannot be read says nothing."""
    try:
        found, _ = MessageProperties.from_folders(unpack_folders(block, 0, len(block)))
    except StructureError:
        return
    properties.items.extend(found.items)


def add_headers(properties: MessageProperties, format: str, encoding: int, ccsid: int, data: bytes) -> None:
    """Add what the MQRFH2 headers in front of `data` say."""
    for header in rules_headers(format, encoding, ccsid, data):
        properties.items.extend(header.properties.items)


class RulesHeader:
    """An MQRFH2 in the data of a message: where it stands, and what is in it."""

    def __init__(self, place: payload.Payload, data: bytes, outlined: bool = False) -> None:
        """The header that stands at `place`. Raises StructureError if it is not one or a folder is not well formed.

        With `outlined` long folders are not read (mqi/properties.py, `outline`).
        """
        self.start = place.start
        #: Of the numbers and the text of the header itself.
        self.encoding = place.encoding
        self.ccsid = payload.known_ccsid(place.ccsid)
        #: Where it is said that this header stands here: see headers.Payload.
        self.said_at = place.said_at
        self.said_encoding = place.said_encoding
        self.said_ccsid = payload.known_ccsid(place.said_ccsid)
        self.rfh2 = MQRFH2.unpack(data, self.start, self.encoding & 0xF == 1, self.ccsid)
        self.end = self.start + self.rfh2.struc_length
        found = outline(self.rfh2.folders) if outlined else MessageProperties.from_folders(self.rfh2.folders)
        self.properties: MessageProperties = found[0]
        #: The folders that are not of properties.
        self.others: list[str] = found[1]


def rules_headers(format: str, encoding: int, ccsid: int, data: bytes, outlined: bool = False) -> list[RulesHeader]:
    """The MQRFH2 headers among those in front of `data`, up to the first that is not well formed (M1)."""
    found: list[RulesHeader] = []
    try:
        collect_headers(found, format, encoding, ccsid, data, outlined)
    except StructureError:
        pass
    return found


def collect_headers(
    found: list[RulesHeader], format: str, encoding: int, ccsid: int, data: bytes, outlined: bool = False
) -> None:
    """Collect MQRFH2 headers. Raise StructureError at the first that is not well formed."""
    place = payload.Payload(0, encoding, ccsid, format)
    for _ in range(payload.HEADERS_MAX):
        if not place.format.startswith(_MQ) or place.format == MQFMT_XMIT_Q_HEADER:
            break
        if place.format == MQFMT_RF_HEADER_2:
            found.append(RulesHeader(place, data, outlined))
        if not payload.step(place, data):
            break


def length_of_headers(format: str, encoding: int, ccsid: int, data: bytes) -> int:
    """How long the MQRFH2 headers in front of `data` are together."""
    length = 0
    place = payload.Payload(0, encoding, ccsid, format)
    for _ in range(payload.HEADERS_MAX):
        if not place.format.startswith(_MQ) or place.format == MQFMT_XMIT_Q_HEADER:
            break
        is_rules = place.format == MQFMT_RF_HEADER_2
        step = payload.step(place, data)
        if is_rules:
            length += step
        if not step:
            break
    return length


def block_of(properties: MessageProperties, valid: bool = True) -> bytes:
    """The folders of these properties as a message carries them. Raises PropertyError for a name not checked before."""
    if not valid:
        for item in properties.items:
            if item.hidden is None:
                check_name(item.name)
    return pack_folders(properties.to_folders()) if properties.items else b""
