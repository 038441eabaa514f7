"""Message handles of a client. They live here: the queue manager at the other end never sees them.

Handles are implemented by the engine's own code (qmgr/message_handle.py), run on an engine for this purpose only, which
has no queues. On the wire the properties are an MQRFH2:

    put    the properties that the handles of the MQPMO give the message are in front of the data
    get    with a handle the queue manager is asked for an MQRFH2 (MQGMO_PROPERTIES_FORCE_MQRFH2); its properties are
           moved from the data to the handle. PROPCTL(FORCE), and options that say so, leave them in the data
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Final

from flintmq.client.lazy import lazy
from flintmq.mqi.constants import (
    MQGMO_NO_PROPERTIES,
    MQGMO_PROPERTIES_COMPATIBILITY,
    MQGMO_PROPERTIES_FORCE_MQRFH2,
    MQGMO_PROPERTIES_IN_HANDLE,
    MQHM_NONE,
    MQPMO_MD_FOR_OUTPUT_ONLY,
    MQPROP_FORCE_MQRFH2,
    MQPROP_V6COMPAT,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.properties import MessageProperties

if TYPE_CHECKING:
    from flintmq.host import lifecycle
    from flintmq.mqi import property_headers
    from flintmq.qmgr import connect as connecting
    from flintmq.qmgr import message_handle, put_properties
    from flintmq.qmgr.connection import Connection as EngineConnection
    from flintmq.qmgr.queue_manager import QueueManager as Engine
else:
    lifecycle = lazy("flintmq.host.lifecycle")
    connecting = lazy("flintmq.qmgr.connect")
    message_handle = lazy("flintmq.qmgr.message_handle")
    property_headers = lazy("flintmq.mqi.property_headers")
    put_properties = lazy("flintmq.qmgr.put_properties")

#: The options of a get that say where properties are returned.
PROPERTY_OPTIONS: Final = (
    MQGMO_PROPERTIES_FORCE_MQRFH2 | MQGMO_NO_PROPERTIES | MQGMO_PROPERTIES_IN_HANDLE | MQGMO_PROPERTIES_COMPATIBILITY
)

_FORMAT_MQ = "MQ"
_RFH2_LENGTH = slice(8, 12)
#: Bytes of an MQRFH2 up to its length.
HEADER_START = 12


class HandleEngine:
    """The engine that has the message handles of all connections of this process, and its lock."""

    def __init__(self) -> None:
        self.engine: Engine
        self.engine, self._storage = lifecycle.create_in_memory("CLIENT")
        self.lock = threading.RLock()

    def connect(self) -> EngineConnection:
        """Make a connection that owns handles."""
        with self.lock:
            _, connection = connecting.connect(self.engine, "client")
            assert connection is not None
            return connection

    def disconnect(self, holder: EngineConnection) -> None:
        """Close the connection that owns handles, and so its handles."""
        with self.lock:
            connecting.abandon(self.engine, holder)


_handle_engine: HandleEngine | None = None
_making = threading.Lock()


def handle_engine() -> HandleEngine:
    """Return the engine of this process, made with the first handle."""
    global _handle_engine
    made = _handle_engine
    if made is None:
        with _making:
            made = _handle_engine = _handle_engine or HandleEngine()
    return made


def _after_fork() -> None:
    global _making
    _making = threading.Lock()
    if _handle_engine is not None:
        _handle_engine.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


# -- put --------------------------------------------------------------------------------------------------------------


class Outgoing:
    """A message as it is sent, with the properties of its handles."""

    def __init__(self, md: MQMD, pmo: MQPMO, data: bytes) -> None:
        self.md = md.copy()
        self.pmo = _without_handles(pmo)
        self.data = data
        self.composition = put_properties.Composition()

    def compose(self, engine: Engine, holder: EngineConnection, pmo: MQPMO, ccsid: int) -> int:
        """Compose the message to send. Return the reason that refuses the put, or 0. `ccsid` is the queue manager's."""
        reason = put_properties.compose(engine, holder, self.md, pmo, False, self.composition)
        if reason or not self.composition.block:
            return reason
        body = property_headers.body_of(self.md, self.data)
        body.ccsid = body.ccsid or ccsid
        property_headers.insert(body, self.composition.block, ccsid)
        body.describe_in(self.md)
        self.data = body.data
        return 0

    def done(self, sent: MQMD, md: MQMD, chosen: bool) -> None:
        """Update the application's descriptor from `sent`, with which the message was put.

        With `chosen` (MQPMO_MD_FOR_OUTPUT_ONLY) the handles have set the format of the data.
        """
        encoding, ccsid, format = md.encoding, md.coded_char_set_id, md.format
        version = md.version
        sent.copy_to(md)
        md.version = version
        if not chosen:
            md.encoding, md.coded_char_set_id, md.format = encoding, ccsid, format
        self.composition.done(md)


def _without_handles(pmo: MQPMO) -> MQPMO:
    """Return the put options for the queue manager, without handles."""
    sent = MQPMO()
    sent.version = pmo.version
    sent.options = pmo.options & ~MQPMO_MD_FOR_OUTPUT_ONLY
    sent.timeout, sent.context, sent.pub_level = pmo.timeout, pmo.context, pmo.pub_level
    sent.recs_present, sent.put_msg_rec_fields = pmo.recs_present, pmo.put_msg_rec_fields
    sent.put_msg_records, sent.response_records = pmo.put_msg_records, pmo.response_records
    return sent


# -- get --------------------------------------------------------------------------------------------------------------


def returns_in_handle(gmo: MQGMO, property_control: int) -> bool:
    """Return whether a get with a handle returns the properties in it; the table of qmgr/property_control.py."""
    chosen = gmo.options & PROPERTY_OPTIONS
    if chosen:
        return chosen == MQGMO_PROPERTIES_IN_HANDLE
    return property_control not in (MQPROP_FORCE_MQRFH2, MQPROP_V6COMPAT)


def asking(gmo: MQGMO, in_handle: bool) -> MQGMO:
    """Return the options of a get for the queue manager, without the handle."""
    sent = MQGMO()
    sent.version = 3
    sent.options = gmo.options
    if in_handle:
        sent.options = gmo.options & ~PROPERTY_OPTIONS | MQGMO_PROPERTIES_FORCE_MQRFH2
    sent.wait_interval, sent.signal1, sent.signal2 = gmo.wait_interval, gmo.signal1, gmo.signal2
    sent.match_options, sent.msg_token = gmo.match_options, gmo.msg_token
    return sent


def take_out(md: MQMD, data: bytes) -> tuple[bytes, MessageProperties]:
    """Take the properties out of MQRFH2 headers. Return (data, properties); `md` describes the data afterwards."""
    properties = MessageProperties()
    if not md.format.startswith(_FORMAT_MQ):
        return data, properties
    body = property_headers.body_of(md, data)
    found = body.headers()
    for header in found:
        properties.items.extend(header.properties.items)
    if properties.items:
        property_headers.strip(body, found)
        body.describe_in(md)
    return body.data, properties


def header_length(md: MQMD, data: bytes) -> int:
    """Return the length of the MQRFH2 in front of a message, read from its beginning."""
    if md.format != "MQHRF2" or len(data) < HEADER_START:
        return 0
    return int.from_bytes(data[_RFH2_LENGTH], "big" if md.encoding & 0xF == 1 else "little")


def fill(engine: Engine, holder: EngineConnection, number: int, properties: MessageProperties, md: MQMD) -> None:
    """Store the properties of a message that was got in its handle."""
    handle = message_handle.find(engine, holder, number)
    if handle is not None:
        handle.take(properties, md)


def has_handle(gmo: MQGMO) -> bool:
    """Return whether a get has a message handle."""
    return gmo.version > 3 and gmo.msg_handle != MQHM_NONE
