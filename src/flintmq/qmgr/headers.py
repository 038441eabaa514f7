"""MQMDE: puts take it apart, gets make it. How far headers reach is in mqi/payload.py.

An MQMDE carries the version 2 fields of the descriptor for those who speak version 1. What a put does with one:

    descriptor                       the MQMDE                              action
    version 1, or 2 all default      valid                                  honoured: taken off, its fields are used
    version 1, or 2 all default      StrucId, StrucLength wrong             2248
    version 1, or 2 all default      another encoding, character set        it is data
                                     or version than the queue manager's
    version 2, a field not default   any                                    it is data
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flintmq.mqi.ccsid import is_ascii_based
from flintmq.mqi.constants import MQENC_NATIVE, MQFMT_MD_EXTENSION
from flintmq.mqi.errors import StructureError
from flintmq.mqi.md import MQMD
from flintmq.mqi.mde import MQMDE
from flintmq.mqi.mde import SIZE as MDE_SIZE
from flintmq.mqi.reason import MQRC_MDE_ERROR, MQRC_NONE
from flintmq.qmgr.message import NO_ID, Message, implied_flags

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager


def has_extension(md: MQMD) -> bool:
    """True if a version 2 field of `md` is not at its default."""
    return (
        md.group_id != NO_ID
        or md.msg_seq_number != 1
        or md.offset != 0
        or md.msg_flags != 0
        or md.original_length != -1
    )


def extension(md: MQMD) -> MQMDE:
    """The MQMDE that says what `md` says of groups and of the data behind it."""
    mde = MQMDE()
    mde.encoding = md.encoding
    mde.coded_char_set_id = md.coded_char_set_id
    mde.format = md.format[:8]
    mde.group_id = md.group_id
    mde.msg_seq_number = md.msg_seq_number
    mde.offset = md.offset
    mde.msg_flags = implied_flags(md.msg_flags)
    mde.original_length = md.original_length
    return mde


def with_extension(qm: QueueManager, md: MQMD, data: bytes) -> bytes:
    """`data` with an MQMDE in front if the version 2 fields of `md` say anything; `md` describes the MQMDE then."""
    if not has_extension(md):
        return data
    mde = extension(md)
    md.format = MQFMT_MD_EXTENSION
    md.encoding = MQENC_NATIVE
    md.coded_char_set_id = qm.ccsid
    return mde.pack(False, qm.ccsid) + data


def for_version_1(qm: QueueManager, md: MQMD, message: Message, data: bytes) -> bytes:
    """The data of a get with a version 1 descriptor: what that has no room for comes in an MQMDE."""
    md.group_id = message.group_id
    md.msg_seq_number = message.msg_seq_number
    md.offset = message.offset
    md.msg_flags = message.msg_flags
    md.original_length = message.original_length
    result = with_extension(qm, md, data)
    set_defaults(md)
    return result


def read_extension(qm: QueueManager, md: MQMD, data: bytes) -> tuple[int, MQMD | None]:
    """(reason, descriptor) of a put whose data starts with an MQMDE; no descriptor if the MQMDE is to be data."""
    if md.version > 1 and has_extension(md):
        return MQRC_NONE, None
    ccsid = md.coded_char_set_id or qm.ccsid
    if md.encoding != MQENC_NATIVE or not (ccsid == qm.ccsid or (is_ascii_based(ccsid) and is_ascii_based(qm.ccsid))):
        return MQRC_NONE, None
    if len(data) >= 8 and data[:4] == b"MDE " and int.from_bytes(data[4:8], "little") != 2:
        return MQRC_NONE, None
    try:
        mde = MQMDE.unpack(data, 0, False, ccsid)
    except StructureError:
        return MQRC_MDE_ERROR, None
    full = md.copy()
    full.version = 2
    describe(full, mde)
    return MQRC_NONE, full


def describe(md: MQMD, mde: MQMDE) -> None:
    """Let `md` say what `mde` says: the version 2 fields, and what stands behind it."""
    md.encoding = mde.encoding
    md.coded_char_set_id = mde.coded_char_set_id if mde.coded_char_set_id > 0 else md.coded_char_set_id
    md.format = mde.format
    md.group_id = mde.group_id
    md.msg_seq_number = mde.msg_seq_number
    md.offset = mde.offset
    md.msg_flags = mde.msg_flags
    md.original_length = mde.original_length


def without_extension(data: bytes) -> bytes:
    """`data` behind its MQMDE."""
    return data[MDE_SIZE:]


def give_back(md: MQMD, full: MQMD) -> None:
    """After a put with an MQMDE: the application sees what was settled in its own descriptor, still of its version."""
    version, encoding, ccsid, format = md.version, md.encoding, md.coded_char_set_id, md.format
    full.copy_to(md)
    md.version, md.encoding, md.coded_char_set_id, md.format = version, encoding, ccsid, format
    set_defaults(md)


def set_defaults(md: MQMD) -> None:
    """The version 2 fields of a message that is in no group, no segment, and may not be cut."""
    md.group_id = NO_ID
    md.msg_seq_number = 1
    md.offset = 0
    md.msg_flags = 0
    md.original_length = -1
