"""Which way a get returns the properties of a message: in a message handle, in an MQRFH2, or not at all.

    MQGMO option           PROPCTL        with a message handle     without
    AS_Q_DEF               COMPAT         in the handle             as COMPATIBILITY
                           ALL            in the handle             in MQRFH2
                           FORCE          in MQRFH2                 in MQRFH2
                           NONE           in the handle             none
                           V6COMPAT       those put through a       an MQRFH2 as it was put; no others
                                          handle; an MQRFH2 as it
                                          was put
    IN_HANDLE                             in the handle             2460
    NO_PROPERTIES                         none                      none
    FORCE_MQRFH2                          in MQRFH2                 in MQRFH2
    COMPATIBILITY                         in MQRFH2 if there is one of folder usr, jms, mcd or mqext, else none

In MQRFH2: what was put through a handle gets a header of its own; an MQRFH2 that an application put is returned byte
for byte. None, and in the handle: the property folders are taken out of such an MQRFH2, and with the last folder the
header. Other folders are data and always stay.

PROPCTL is that of the name that was opened, as it was then: of an alias, not of its target. What a get returns is what
counts for its buffer, so a message may be longer than what was put.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi import property_headers
from flintmq.mqi.constants import (
    MQFMT_RF_HEADER_2,
    MQFMT_STRING,
    MQGMO_NO_PROPERTIES,
    MQGMO_PROPERTIES_COMPATIBILITY,
    MQGMO_PROPERTIES_FORCE_MQRFH2,
    MQGMO_PROPERTIES_IN_HANDLE,
    MQHM_NONE,
    MQPROP_ALL,
    MQPROP_COMPATIBILITY,
    MQPROP_FORCE_MQRFH2,
    MQPROP_NONE,
    MQPROP_V6COMPAT,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.message_properties import RulesHeader, add_block
from flintmq.mqi.properties import LONG_FOLDER, MessageProperties
from flintmq.mqi.reason import MQRC_HMSG_ERROR, MQRC_MSG_HANDLE_IN_USE, MQRC_NONE, MQRC_OPTIONS_ERROR
from flintmq.qmgr import message_handle
from flintmq.qmgr.catalogue import MQObject
from flintmq.qmgr.connection import Connection, Handle
from flintmq.qmgr.message import Message, fill_descriptor
from flintmq.qmgr.message_handle import MessageHandle
from flintmq.qmgr.message_properties import may_have_properties

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

PROPERTY_OPTIONS: Final = (
    MQGMO_PROPERTIES_FORCE_MQRFH2 | MQGMO_NO_PROPERTIES | MQGMO_PROPERTIES_IN_HANDLE | MQGMO_PROPERTIES_COMPATIBILITY
)
_NUMBERS: Final = {
    "COMPAT": MQPROP_COMPATIBILITY,
    "NONE": MQPROP_NONE,
    "ALL": MQPROP_ALL,
    "FORCE": MQPROP_FORCE_MQRFH2,
    "V6COMPAT": MQPROP_V6COMPAT,
}
#: The folders for which COMPATIBILITY makes an MQRFH2.
_JMS_FOLDERS: Final = ("usr", "jms", "mcd", "mqext")
_JMS_STARTS: Final = (b"<usr", b"<jms", b"<mcd", b"<mqext")

# The ways.
_AS_PUT: Final = 0
_IN_HEADER: Final = 1
_DROPPED: Final = 2
_IN_HANDLE: Final = 3
_SPLIT: Final = 4
_COMPATIBLE: Final = 5


def of_definition(named: MQObject) -> int:
    """PROPCTL of a queue or an alias, as MQPROP_*."""
    value = named.attributes.get("PROPCTL")
    return _NUMBERS.get(value, MQPROP_COMPATIBILITY) if isinstance(value, str) else MQPROP_COMPATIBILITY


def check(qm: QueueManager, connection: Connection, gmo: MQGMO) -> int:
    """What is wrong with the property options or the message handle of a get."""
    chosen = gmo.options & PROPERTY_OPTIONS
    if chosen & (chosen - 1):
        return MQRC_OPTIONS_ERROR
    if gmo.version > 3 and gmo.msg_handle != MQHM_NONE:
        handle = message_handle.find(qm, connection, gmo.msg_handle)
        if handle is None:
            return MQRC_HMSG_ERROR
        return MQRC_MSG_HANDLE_IN_USE if handle.in_use else MQRC_NONE
    return MQRC_HMSG_ERROR if chosen & MQGMO_PROPERTIES_IN_HANDLE else MQRC_NONE


def has_handle(gmo: MQGMO) -> bool:
    """Whether a message handle takes part in the get."""
    return gmo.version > 3 and gmo.msg_handle != MQHM_NONE


def hold(qm: QueueManager, connection: Connection, gmo: MQGMO, step: int) -> None:
    """A get begins (1) or ends (-1) to wait: its message handle is in use in between."""
    handle = message_handle.find(qm, connection, gmo.msg_handle) if has_handle(gmo) else None
    if handle is not None:
        handle.in_use = max(0, handle.in_use + step)


def view(qm: QueueManager, connection: Connection, handle: Handle, message: Message, gmo: MQGMO) -> View | None:
    """How this get returns the properties of `message`; None if it has none and nobody asks for them."""
    if has_handle(gmo):
        return View(qm, connection, handle, message, gmo)
    if not may_have_properties(message):
        return None
    if (
        handle.property_control == MQPROP_COMPATIBILITY
        and not handle.host_reads
        and not gmo.options & PROPERTY_OPTIONS
        and (not message.format or message.format == MQFMT_STRING)
        and not _has_jms_folder(message.properties)
    ):
        return None  # A publication, say: its properties are for who asks for them.
    return View(qm, connection, handle, message, gmo)


class View:
    """A message as one get returns it."""

    #: The message handle that was there when the get began is gone.
    lost: bool = False

    def __init__(self, qm: QueueManager, connection: Connection, handle: Handle, message: Message, gmo: MQGMO) -> None:
        self.message = message
        self.ccsid = qm.ccsid
        self.target: MessageHandle | None = None
        if has_handle(gmo):
            self.target = message_handle.find(qm, connection, gmo.msg_handle)
            self.lost = self.target is None
        #: Nobody but the host wants the properties, and it finds them in the message.
        self.host_reads = handle.host_reads and self.target is None
        in_handle = self.host_reads or self.target is not None
        self.way = _way(handle.property_control, gmo.options & PROPERTY_OPTIONS, in_handle)
        self.properties: MessageProperties = MessageProperties()

    def data(self, md: MQMD, data: bytes) -> bytes:
        """The data for the application, from that of the message; `md` describes it before and after."""
        way = self.way
        if way == _AS_PUT or (self.host_reads and way != _DROPPED and not self._to_change(way, md)):
            return data
        block = self.message.properties
        if way == _SPLIT:
            add_block(self.properties, block)
            return data
        if way == _IN_HEADER and not block:
            return data
        body = property_headers.body_of(md, data)
        if way == _IN_HEADER:
            property_headers.insert(body, block, self.ccsid)
        else:
            in_handle = way == _IN_HANDLE and not self.host_reads
            found = body.headers(not in_handle)
            if in_handle:
                add_block(self.properties, block)
                for header in found:
                    self.properties.items.extend(header.properties.items)
            elif way == _COMPATIBLE and _wanted_by_jms(block, found):
                if block:
                    property_headers.insert(body, block, self.ccsid)
                    body.describe_in(md)
                return body.data
            property_headers.strip(body, found)
        body.describe_in(md)
        return body.data

    def _to_change(self, way: int, md: MQMD) -> bool:
        """For a host that reads properties itself: whether the data is not as it should be."""
        if way == _IN_HANDLE:
            return md.format == MQFMT_RF_HEADER_2
        return way != _SPLIT

    def fill_handle(self, md: MQMD, now: int) -> None:
        """The message is delivered: the message handle has its properties and its descriptor now."""
        target = self.target
        if target is None or (self.way != _IN_HANDLE and self.way != _SPLIT):
            return
        full = MQMD()
        full.version = 2
        fill_descriptor(self.message, full, now)
        full.encoding, full.coded_char_set_id, full.format = md.encoding, md.coded_char_set_id, md.format
        target.take(self.properties, full)


def _way(control: int, options: int, handle: bool) -> int:
    """The table above."""
    if options == MQGMO_PROPERTIES_FORCE_MQRFH2:
        return _IN_HEADER
    if options == MQGMO_NO_PROPERTIES:
        return _DROPPED
    if options == MQGMO_PROPERTIES_COMPATIBILITY:
        return _COMPATIBLE
    if options == MQGMO_PROPERTIES_IN_HANDLE:
        return _IN_HANDLE
    if control == MQPROP_FORCE_MQRFH2:
        return _IN_HEADER
    if control == MQPROP_V6COMPAT:
        return _SPLIT if handle else _AS_PUT
    if handle:
        return _IN_HANDLE
    if control == MQPROP_ALL:
        return _IN_HEADER
    return _DROPPED if control == MQPROP_NONE else _COMPATIBLE


def _has_jms_folder(block: bytes) -> bool:
    """Whether a `Message.properties` has a folder for which COMPATIBILITY makes an MQRFH2. Only the names are read."""
    at = 0
    while at + 4 < len(block):
        if block.startswith(_JMS_STARTS, at + 4):
            return True
        at += 4 + int.from_bytes(block[at : at + 4], "little")
    return False


def _wanted_by_jms(block: bytes, found: list[RulesHeader]) -> bool:
    """Whether a message has a property for which COMPATIBILITY returns them all."""
    if len(block) >= LONG_FOLDER and _has_jms_folder(block):
        return True
    properties = MessageProperties()
    if len(block) < LONG_FOLDER:
        add_block(properties, block)
    for header in found:
        properties.items.extend(header.properties.items)
    for item in properties.items:
        if item.folder() in _JMS_FOLDERS:
            return True
    return False
