"""MQGMO_CONVERT: message data as the application wants it.

What it wants is what Encoding and CodedCharSetId of its descriptor say when it calls MQGET; 0 (MQCCSI_Q_MGR) is the
queue manager's own character set, and so is MQCCSI_APPL. How formats are converted is in `mqi/convert.py`.
What can happen:

    the message            outcome                                              Encoding, CodedCharSetId returned
    is as wanted           returned as it is                                    its own
    can be converted       returned converted                                   the wanted ones
    cannot be converted    returned as it is, with the reason as a warning      its own
    grows out of the       returned as it is, with the warning 2120; with       its own; the wanted ones
    buffer                 MQGMO_ACCEPT_TRUNCATED_MSG converted and cut: 2079
    never fitted           2079 or 2080, as without conversion; a message       the wanted ones; its own
                           that may be cut is converted first

A message that is got is gone from the queue whether or not it could be converted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import MQCCSI_APPL, MQCCSI_Q_MGR
from flintmq.mqi.convert import convert
from flintmq.mqi.errors import ConversionError
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import MQRC_NONE

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

_NO_LIMIT: Final = -1


class Request:
    """What an application wants its data converted to. Made before the get fills the descriptor."""

    def __init__(self, md: MQMD) -> None:
        self.encoding = md.encoding
        self.ccsid = md.coded_char_set_id

    def apply(
        self, qm: QueueManager, md: MQMD, data: bytes, max_length: int, may_truncate: bool, reason: int
    ) -> tuple[int, bytes]:
        """(reason, data) for the application; `md` describes `data` before and after. `reason` stays if it is one."""
        if 0 <= max_length < len(data) and not may_truncate:
            return reason, data
        ccsid = self.ccsid
        if ccsid == MQCCSI_Q_MGR or ccsid == MQCCSI_APPL:
            ccsid = qm.ccsid
        limit = _NO_LIMIT if may_truncate else max_length
        try:
            converted = convert(md.format, data, md.encoding, md.coded_char_set_id, self.encoding, ccsid, limit)
        except ConversionError as error:
            return reason or error.reason, data
        md.encoding = converted.encoding
        md.coded_char_set_id = converted.ccsid
        if reason == MQRC_NONE:
            reason = converted.reason
        return reason, converted.data
