"""Build the dead-letter header of a message, for consumers with retry and flows of a broker."""

from __future__ import annotations

from flintmq.mqi.constants import MQENC_NATIVE, MQFMT_DEAD_LETTER_HEADER
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.md import MQMD

_UTF8 = 1208


def dead_letter(
    md: MQMD, data: bytes, queue: str, q_mgr_name: str, reason: int, put_date: str = "", put_time: str = ""
) -> tuple[MQMD, bytes]:
    """Return a copy of a descriptor, and data, of a message with a dead-letter header.

    The header names the queue that the message was for, and the reason why it is not there. The message keeps its
    identifiers, context and persistence; format, encoding and character set move into the header.
    """
    header = MQDLH()
    header.reason = reason
    header.dest_q_name, header.dest_q_mgr_name = queue, q_mgr_name
    header.encoding, header.coded_char_set_id, header.format = md.encoding, md.coded_char_set_id, md.format
    header.put_appl_type, header.put_appl_name = md.put_appl_type, md.put_appl_name
    header.put_date, header.put_time = put_date or md.put_date, put_time or md.put_time
    dead = md.copy()
    dead.format, dead.encoding, dead.coded_char_set_id = MQFMT_DEAD_LETTER_HEADER, MQENC_NATIVE, _UTF8
    return dead, header.pack() + data
