"""The MQMD of a message as a folder, and back.

Leaves, their order and types are those that a running product was recorded with (MF 1.5). `SourceQueue` and
`Transactional` say how the message was read; they are no fields of the descriptor and are not written. Texts keep the
blanks of their fields. The leaves from GroupId on exist in version 2 only.

A descriptor is an object until a flow touches the folder: `DescriptorSource` keeps the MQMD and builds all leaves at
once. An unchanged folder gives back a copy of the same MQMD. A leaf carries the source of its folder, so an unchanged
leaf needs no conversion on the way back. The module is compiled by mypyc.
"""

from __future__ import annotations

import datetime
import logging
from typing import Final, final

from flintmq.broker.tree.element import Element, Source
from flintmq.broker.tree.header_fields import (
    BYTES,
    DATE,
    INTEGER,
    TEXT,
    TIME,
    date_of,
    field_value,
    time_of,
)
from flintmq.broker.tree.types import NAME, NAME_VALUE
from flintmq.broker.values import Timestamp, timestamp_from_python
from flintmq.mqi.md import MQMD

_LOG: Final = logging.getLogger(__name__)
#: An expiry of -1 is unlimited; the longest that a descriptor can say otherwise.
_EXPIRY_MAX: Final = 2**31 - 1

#: By name of a leaf: attribute of MQMD, kind and length.
_FIELDS: Final[dict[str, tuple[str, int, int]]] = {
    "Encoding": ("encoding", INTEGER, 0),
    "CodedCharSetId": ("coded_char_set_id", INTEGER, 0),
    "Format": ("format", TEXT, 8),
    "Version": ("version", INTEGER, 0),
    "Report": ("report", INTEGER, 0),
    "MsgType": ("msg_type", INTEGER, 0),
    "Expiry": ("expiry", INTEGER, 0),
    "Feedback": ("feedback", INTEGER, 0),
    "Priority": ("priority", INTEGER, 0),
    "Persistence": ("persistence", INTEGER, 0),
    "MsgId": ("msg_id", BYTES, 24),
    "CorrelId": ("correl_id", BYTES, 24),
    "BackoutCount": ("backout_count", INTEGER, 0),
    "ReplyToQ": ("reply_to_q", TEXT, 48),
    "ReplyToQMgr": ("reply_to_q_mgr", TEXT, 48),
    "UserIdentifier": ("user_identifier", TEXT, 12),
    "AccountingToken": ("accounting_token", BYTES, 32),
    "ApplIdentityData": ("appl_identity_data", TEXT, 32),
    "PutApplType": ("put_appl_type", INTEGER, 0),
    "PutApplName": ("put_appl_name", TEXT, 28),
    "PutDate": ("put_date", DATE, 8),
    "PutTime": ("put_time", TIME, 8),
    "ApplOriginData": ("appl_origin_data", TEXT, 4),
    "GroupId": ("group_id", BYTES, 24),
    "MsgSeqNumber": ("msg_seq_number", INTEGER, 0),
    "Offset": ("offset", INTEGER, 0),
    "MsgFlags": ("msg_flags", INTEGER, 0),
    "OriginalLength": ("original_length", INTEGER, 0),
}
_VERSION_2: Final = frozenset(("GroupId", "MsgSeqNumber", "Offset", "MsgFlags", "OriginalLength"))
_NOT_WIRE: Final = frozenset(("SourceQueue", "Transactional"))
_NAMES: Final = frozenset(_FIELDS) | _NOT_WIRE
#: How many leaves a descriptor of version 1 and 2 has.
_LEAVES_1: Final = 25
_LEAVES_2: Final = 30
_DEFAULTS: Final = MQMD()


@final
class DescriptorSource(Source):
    """The MQMD of a message that was read. Nothing changes it."""

    def __init__(self, md: MQMD, source_queue: str, transactional: bool) -> None:
        super().__init__("MQMD")
        self.md: Final[MQMD] = md
        self.source_queue: Final[str] = source_queue
        self.transactional: Final[bool] = transactional

    def more(self, element: Element) -> None:
        """Append all leaves."""
        md = self.md
        self._leaf(element, "SourceQueue", self.source_queue)
        self._leaf(element, "Transactional", self.transactional)
        self._leaf(element, "Encoding", md.encoding)
        self._leaf(element, "CodedCharSetId", md.coded_char_set_id)
        self._leaf(element, "Format", md.format.ljust(8))
        self._leaf(element, "Version", md.version)
        self._leaf(element, "Report", md.report)
        self._leaf(element, "MsgType", md.msg_type)
        self._leaf(element, "Expiry", md.expiry)
        self._leaf(element, "Feedback", md.feedback)
        self._leaf(element, "Priority", md.priority)
        self._leaf(element, "Persistence", md.persistence)
        self._leaf(element, "MsgId", md.msg_id)
        self._leaf(element, "CorrelId", md.correl_id)
        self._leaf(element, "BackoutCount", md.backout_count)
        self._leaf(element, "ReplyToQ", md.reply_to_q.ljust(48))
        self._leaf(element, "ReplyToQMgr", md.reply_to_q_mgr.ljust(48))
        self._leaf(element, "UserIdentifier", md.user_identifier.ljust(12))
        self._leaf(element, "AccountingToken", md.accounting_token)
        self._leaf(element, "ApplIdentityData", md.appl_identity_data.ljust(32))
        self._leaf(element, "PutApplType", md.put_appl_type)
        self._leaf(element, "PutApplName", md.put_appl_name.ljust(28))
        self._leaf(element, "PutDate", date_of(md.put_date))
        self._leaf(element, "PutTime", time_of(md.put_time))
        self._leaf(element, "ApplOriginData", md.appl_origin_data.ljust(4))
        if md.version >= 2:
            self._leaf(element, "GroupId", md.group_id)
            self._leaf(element, "MsgSeqNumber", md.msg_seq_number)
            self._leaf(element, "Offset", md.offset)
            self._leaf(element, "MsgFlags", md.msg_flags)
            self._leaf(element, "OriginalLength", md.original_length)
        element.pending = False

    def _leaf(self, parent: Element, name: str, value: object) -> None:
        """Append a leaf with the value of the descriptor."""
        leaf = Element(name, value, NAME_VALUE)
        leaf.changed = False
        leaf.source = self
        parent.append_built(leaf)


def descriptor_folder(md: MQMD, source_queue: str = "", transactional: bool = False) -> Element:
    """Return the folder MQMD of a descriptor, which must not change from now on."""
    folder = Element("MQMD", None, NAME)
    folder.domain = "MQMD"
    folder.source = DescriptorSource(md, source_queue, transactional)
    folder.pending = True
    folder.changed = False
    return folder


def descriptor_of(folder: Element, now: Timestamp | None = None) -> MQMD:
    """Return the descriptor that a folder tells, which the caller may change.

    A missing leaf stands for the default of its field. `now` is needed for an Expiry that is a timestamp. Raises
    BIP 6119 for a value that its field cannot hold.
    """
    source = folder.source
    if not isinstance(source, DescriptorSource):
        md = MQMD()
        _assign(md, folder.children(), now)
        return md
    md = source.md.copy()
    if not folder.changed:
        return md
    assigned: list[Element] = []
    kept = 0
    leaf = folder.first_child()
    while leaf is not None:
        if leaf.changed or leaf.source is not source:
            assigned.append(leaf)
        else:
            kept += 1
        leaf = leaf.next_sibling()
    short = source.md.version < 2
    replaced = {leaf.name for leaf in assigned if not (short and leaf.name in _VERSION_2)}
    if kept + len(replaced) != (_LEAVES_1 if short else _LEAVES_2) or not replaced.issubset(_NAMES):
        _reset_missing(md, folder)
    _assign(md, assigned, now)
    return md


def _assign(md: MQMD, leaves: list[Element], now: Timestamp | None) -> None:
    """Set the fields that leaves name. NULL stands for the default. Raises BIP 6119."""
    version = False
    for leaf in leaves:
        name = leaf.name
        field = _FIELDS.get(name)
        value = leaf.value
        if field is None:
            if name not in _NOT_WIRE:
                _LOG.info("MQMD has no field %s; it is not written", name)
        elif value is None:
            setattr(md, field[0], getattr(_DEFAULTS, field[0]))
        elif name == "Expiry" and isinstance(value, Timestamp):
            md.expiry = tenths_until(value, now)
        else:
            setattr(md, field[0], field_value(value, field[1], field[2], "MQMD", name))
            if name == "Version":
                version = True
            elif not version and name in _VERSION_2:
                md.version = 2


def _reset_missing(md: MQMD, folder: Element) -> None:
    """Give fields their defaults if their leaves were deleted."""
    present = {leaf.name for leaf in folder.children()}
    for name, field in _FIELDS.items():
        if name not in present and name != "Version":
            setattr(md, field[0], getattr(_DEFAULTS, field[0]))


def gmt_now() -> Timestamp:
    """Return the time in GMT."""
    return timestamp_from_python(datetime.datetime.now(datetime.UTC))


def tenths_until(moment: Timestamp, now: Timestamp | None) -> int:
    """Return the tenths of a second from now to a moment: at least 1, since 0 would not be an expiry."""
    if not moment.gmt:
        from flintmq.broker.esql.clock import to_gmt

        moment = to_gmt(moment)
    micros = moment.micros() - (gmt_now() if now is None else now).micros()
    return max(1, min(_EXPIRY_MAX, micros // 100_000))
