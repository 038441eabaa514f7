"""The properties of a message that has very many of them, read in slices before a selector looks at them.

    MessageScan    reads what `properties_of` reads, in the same order, in slices
    PutScan        the work of a put: the put is made again when the properties of its message are read (work.py)
    SaveContext    the work of a get whose handle saves context: which properties are of user context

While that put is made, `PREPARED` has the values, and `MessageSource` finds them there instead of reading again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi import headers
from flintmq.mqi.constants import MQFMT_RF_HEADER_2, MQFMT_XMIT_Q_HEADER, MQPD_USER_CONTEXT
from flintmq.mqi.errors import StructureError
from flintmq.mqi.md import MQMD
from flintmq.mqi.message_properties import add_block, block_of, length_of_headers
from flintmq.mqi.properties import LONG_FOLDER, MessageProperties, Property
from flintmq.mqi.property_scan import PropertyScan
from flintmq.mqi.rfh2 import MQRFH2, unpack_folders
from flintmq.qmgr.message_properties import length_of, properties_of
from flintmq.qmgr.work import Work
from flintmq.selector.source import Value

if TYPE_CHECKING:
    from flintmq.qmgr.connection import Connection, Handle
    from flintmq.qmgr.message import Message

_MQ: Final = "MQ"
_CONTEXT: Final = b"context"
_CONTEXT_BIG: Final = "context".encode("utf-16-be")
_CONTEXT_LITTLE: Final = "context".encode("utf-16-le")


class MessageScan:
    """Reads the properties of one message."""

    done: bool = False

    def __init__(self, format: str, encoding: int, ccsid: int, data: bytes, block: bytes) -> None:
        self.data = data
        self.values: dict[str, Value] = {}
        self.of_user: list[Property] = []
        self._place = headers.Payload(0, encoding, ccsid, format)
        self._headers = 0
        self._scan: PropertyScan | None = None
        self._in_block = False
        if block:
            self._in_block = True
            try:
                self._scan = PropertyScan(unpack_folders(block, 0, len(block)))
            except StructureError:
                self._in_block = False  # M1: what cannot be read says nothing.

    def step(self, budget: int) -> int:
        """Read until the budget is used up. Returns what is left of it."""
        while budget > 0 and not self.done:
            scan = self._scan
            if scan is None:
                self._next_header()
                budget -= 1
                continue
            budget = scan.step(budget)
            if scan.done:
                self._take(scan)
        return budget

    def _take(self, scan: PropertyScan) -> None:
        """A header is read: the first property of a name counts (M2)."""
        self.of_user.extend(scan.of_user)
        if not self.values:
            self.values = scan.values
        else:
            for name, value in scan.values.items():
                if name not in self.values:
                    self.values[name] = value
        self._scan = None
        if scan.failed and not self._in_block:
            self.done = True  # M1: nor what stands behind it.
        self._in_block = False

    def _next_header(self) -> None:
        """Begin with the next MQRFH2."""
        place = self._place
        self._headers += 1
        is_header = place.format.startswith(_MQ) and place.format != MQFMT_XMIT_Q_HEADER
        if not is_header or self._headers > headers.HEADERS_MAX:
            self.done = True
            return
        if place.format == MQFMT_RF_HEADER_2:
            try:
                ccsid = headers.known_ccsid(place.ccsid)
                rfh2 = MQRFH2.unpack(self.data, place.start, place.encoding & 0xF == 1, ccsid)
            except StructureError:
                self.done = True
                return
            self._scan = PropertyScan(rfh2.folders)
        if not headers.step(place, self.data):
            place.format = ""


class Prepared:
    """The values of the properties of one message, read before it is put."""

    def __init__(self) -> None:
        self.data: bytes | None = None
        self.values: dict[str, Value] = {}

    def values_of(self, message: Message) -> dict[str, Value] | None:
        """The values of `message`, if they were read: those of its headers, and its own, which come first (M2)."""
        if self.data is None or message.data is not self.data:
            return None
        if not message.properties:
            return self.values
        own = MessageProperties()
        add_block(own, message.properties)
        values = dict(self.values)
        for item in reversed(own.items):  # Of several with one name the first counts.
            if item.hidden is None:
                values[item.name] = item.value
        return values

    def clear(self) -> None:
        """The put is done."""
        self.data = None
        self.values = {}


PREPARED: Final = Prepared()


class PutScan(Work):
    """Reads the properties of the message of a put."""

    def __init__(self, md: MQMD, data: bytes) -> None:
        self.repeats = True
        self._scan = MessageScan(md.format, md.encoding, md.coded_char_set_id, data, b"")

    def step(self, budget: int) -> None:
        """Read some of them."""
        self._scan.step(budget)
        self.done = self._scan.done

    def prepare(self, data: bytes) -> None:
        """The put is made again, of the same data."""
        PREPARED.data = data
        PREPARED.values = self._scan.values


class SaveContext(Work):
    """Finds the properties of user context of a message that was got, for a handle that saves context."""

    def __init__(self, handle: Handle, message: Message) -> None:
        self._handle = handle
        self._scan = MessageScan(
            message.format, message.encoding, message.coded_char_set_id, message.data, message.properties
        )

    def step(self, budget: int) -> None:
        """Read some of its properties."""
        self._scan.step(budget)
        if self._scan.done:
            self.done = True
            found = MessageProperties()
            found.items = self._scan.of_user
            self._handle.saved_properties = block_of(found) if found.items else b""


def save_context(connection: Connection, handle: Handle, message: Message) -> None:
    """A message was got: keep its properties of user context in the handle, at once or by the work of the call."""
    if connection.slices and length_of(message) >= LONG_FOLDER:
        handle.saved_properties = b""
        if _says_context(message.data) or _says_context(message.properties):
            connection.work = SaveContext(handle, message)
        return
    properties = properties_of(message)
    properties.items = [item for item in properties.items if item.context == MQPD_USER_CONTEXT]
    handle.saved_properties = block_of(properties)


def _says_context(data: bytes) -> bool:
    """Whether a property in `data` may be of user context: the attribute is there, in UTF-8 or UTF-16."""
    return _CONTEXT in data or _CONTEXT_BIG in data or _CONTEXT_LITTLE in data


def is_long(md: MQMD, data: bytes) -> bool:
    """Whether it takes long to read the properties in the headers of a message."""
    if len(data) < LONG_FOLDER or not md.format.startswith(_MQ):
        return False
    return length_of_headers(md.format, md.encoding, md.coded_char_set_id, data) >= LONG_FOLDER
