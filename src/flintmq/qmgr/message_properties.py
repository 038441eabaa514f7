"""The properties of a message: where they are kept, and how they are found again.

A message carries properties in two places, and may carry them in both:

    Message.properties   what was put through a message handle: folders as in an MQRFH2, each an int32 length and that
                         many bytes, little-endian, UTF-8, padded to a multiple of 4
    Message.data         MQRFH2 headers that an application put in front of its data itself; they stay as they are

Which folders of such a header are properties: usr, mcd, jms, mqext, mqps ... (`PROPERTY_FOLDERS`), and any folder that
says content='properties'. The others (psc, pscr ...) are data. The headers are found by walking from Format to Format,
also behind a dead-letter header; not behind a transmission header, whose message is on its way to somewhere else.

    M1  Nothing here ever fails because of what is in a message. A header that is not well formed has no properties; so
        has what stands behind it.
    M2  Properties put through a handle come before those of a header, those of the first header before the next.
    M3  A message without properties costs two comparisons.
"""

from __future__ import annotations

from flintmq.mqi.constants import MQFMT_STRING
from flintmq.mqi.properties import LONG_FOLDER, MessageProperties
from flintmq.mqi.property_blocks import _MQ, add_block, add_headers, length_of_headers
from flintmq.qmgr.message import Message


def properties_of(message: Message) -> MessageProperties:
    """All properties of a message, but for those of its descriptor (Root.MQMD.*). Always a new object."""
    properties = MessageProperties()
    if message.properties:
        add_block(properties, message.properties)
    if message.format.startswith(_MQ):
        add_headers(properties, message.format, message.encoding, message.coded_char_set_id, message.data)
    return properties


def may_have_properties(message: Message) -> bool:
    """False if there are certainly none (M3)."""
    return message.properties != b"" or (message.format != MQFMT_STRING and message.format.startswith(_MQ))


def length_of(message: Message) -> int:
    """How many bytes have to be read to find the properties of a message: its own, and those of its headers."""
    length = len(message.properties)
    if len(message.data) >= LONG_FOLDER and message.format.startswith(_MQ):
        length += length_of_headers(message.format, message.encoding, message.coded_char_set_id, message.data)
    return length
