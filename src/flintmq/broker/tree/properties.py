"""The folder `Properties` of a message (MF 1.4).

Names, order and types are those that a running product was recorded with. The folder repeats what the header in front
of the body and the MQMD say, and holds the template of the body: message set, type and format. It is built when it is
touched. At serialisation a leaf that a flow has assigned changes the header, unless the flow has assigned the field of
the header, too (`tree/headers.py`).

    leaf             field of a header
    Encoding         Encoding of the last header
    CodedCharSetId   CodedCharSetId of the last header
    Persistence      MQMD.Persistence: TRUE is 1, FALSE is 0
    Priority         MQMD.Priority
    ExpirationTime   MQMD.Expiry: -1, or a GMTTIMESTAMP
    ReplyIdentifier  MQMD.CorrelId
    CreationTime     MQMD.PutDate and PutTime; read only
    Topic            the topics of the folder psc of an MQRFH2; read only
"""

from __future__ import annotations

from typing import Final, final

from flintmq.broker.tree.descriptor import gmt_now
from flintmq.broker.tree.element import Element, Source
from flintmq.broker.tree.header_fields import date_of, time_of
from flintmq.broker.tree.types import NAME, NAME_VALUE
from flintmq.broker.values import Date, Time, Timestamp, timestamp_from_micros, timestamp_of
from flintmq.mqi.errors import StructureError
from flintmq.mqi.folders import read_folder
from flintmq.mqi.md import MQMD, NO_ID

#: Microseconds of a tenth of a second, the unit of Expiry.
_TENTH: Final = 100_000
_IDENTITY: Final = (
    "IdentitySourceType",
    "IdentitySourceToken",
    "IdentitySourcePassword",
    "IdentitySourceIssuedBy",
    "IdentityMappedType",
    "IdentityMappedToken",
    "IdentityMappedPassword",
    "IdentityMappedIssuedBy",
)


@final
class PropertiesSource(Source):
    """Values of Properties of a message that was read. Nothing changes it."""

    def __init__(self, md: MQMD | None, encoding: int, ccsid: int) -> None:
        super().__init__("Properties")
        self.md: MQMD | None = md
        self.encoding: int = encoding
        self.ccsid: int = ccsid
        self.message_set: str = ""
        self.message_type: str = ""
        self.message_format: str = ""
        self.transactional: bool = False
        self.reply_protocol: str = "MQ"
        self.content_type: str = ""
        #: When the message was read, for the times it tells; None = when they are asked for.
        self.now: Timestamp | None = None
        #: The folders of an MQRFH2, for the topics.
        self.folders: list[str] = []

    def more(self, element: Element) -> None:
        """Append all leaves."""
        md = self.md
        _leaf(element, "MessageSet", self.message_set)
        _leaf(element, "MessageType", self.message_type)
        _leaf(element, "MessageFormat", self.message_format)
        _leaf(element, "Encoding", self.encoding)
        _leaf(element, "CodedCharSetId", self.ccsid)
        _leaf(element, "Transactional", self.transactional)
        _leaf(element, "Persistence", md is not None and md.persistence == 1)
        _leaf(element, "CreationTime", self._creation_time())
        _leaf(element, "ExpirationTime", self._expiration_time())
        _leaf(element, "Priority", 0 if md is None else md.priority)
        _leaf(element, "ReplyIdentifier", NO_ID if md is None else md.correl_id)
        _leaf(element, "ReplyProtocol", self.reply_protocol)
        topics = _topics(self.folders)
        for topic in topics:
            _leaf(element, "Topic", topic)
        if not topics:
            _leaf(element, "Topic", None)
        _leaf(element, "ContentType", self.content_type)
        for name in _IDENTITY:
            _leaf(element, name, "")
        element.pending = False

    def _creation_time(self) -> object:
        md = self.md
        if md is None:
            return gmt_now() if self.now is None else self.now
        date = date_of(md.put_date)
        time = time_of(md.put_time)
        if isinstance(date, Date) and isinstance(time, Time):
            return timestamp_of(date, time)
        return None

    def _expiration_time(self) -> object:
        md = self.md
        if md is None or md.expiry < 0:
            return -1
        now = gmt_now() if self.now is None else self.now
        return timestamp_from_micros(now.micros() + md.expiry * _TENTH, True)


def _leaf(parent: Element, name: str, value: object) -> None:
    """Append a leaf with the value of the source."""
    leaf = Element(name, value, NAME_VALUE)
    leaf.changed = False
    parent.append_built(leaf)


def _topics(folders: list[str]) -> list[str]:
    """Return the topics of a folder psc. One that is malformed fails where the flow touches it, not here."""
    for text in folders:
        if text.startswith("<psc"):
            try:
                folder = read_folder(text)
            except StructureError:
                return []
            return [child.text for child in folder.children if child.name == "Topic"]
    return []


def properties_folder(source: PropertiesSource) -> Element:
    """Return the folder of a source."""
    folder = Element("Properties", None, NAME)
    folder.domain = "Properties"
    folder.source = source
    folder.pending = True
    folder.changed = False
    return folder
