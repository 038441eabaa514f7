"""The properties of a message on a queue: those that were put through a handle and those of its headers.

How they are kept, and the rules M1 to M3, is in mqi/message_properties.py.
"""

from __future__ import annotations

from typing import Final

from flintmq.mqi.constants import MQFMT_STRING
from flintmq.mqi.message_properties import add_block, add_headers, length_of_headers
from flintmq.mqi.properties import LONG_FOLDER, MessageProperties
from flintmq.qmgr.message import Message

_MQ: Final = "MQ"


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
