"""The message handles of a put: which properties and which descriptor the message gets.

    Action     properties of the original that are copied     the descriptor, with MQPMO_MD_FOR_OUTPUT_ONLY
    NEW        all                                            what is set in the original
    FORWARD    those with MQCOPY_FORWARD                      that of the original
    REPLY      those with MQCOPY_REPLY                        a reply to the original (see `_answer`)
    REPORT     those with MQCOPY_REPORT                       a report about the original

All properties of the new handle are added, and win over those of the original of the same name; a null one, except with
NEW, removes the other. Fields of the descriptor that are set in the new handle win likewise. Without
MQPMO_MD_FOR_OUTPUT_ONLY the descriptor of the call is used as it is.

With MQPMO_PASS_ALL_CONTEXT the properties of user context (MQPD_USER_CONTEXT) of the message that was got are added, as
far as there is none of their name.

When the message is put, the new handle holds it: all its properties, and its descriptor. The original never changes.

    2460  a handle is not one, or the action needs an original and there is none      2535  no such action
    2026  MQPMO_MD_FOR_OUTPUT_ONLY without a handle                                   2478  longer than MAXPROPL
    2490  a property of folder mq demands support that this queue manager does not have
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi import property_headers
from flintmq.mqi.constants import (
    MQACTP_FORWARD,
    MQACTP_NEW,
    MQACTP_REPLY,
    MQACTP_REPORT,
    MQCOPY_ALL,
    MQCOPY_FORWARD,
    MQCOPY_REPLY,
    MQCOPY_REPORT,
    MQEI_UNLIMITED,
    MQHM_NONE,
    MQMT_REPLY,
    MQMT_REPORT,
    MQPD_ACCEPT_UNSUP_IF_XMIT_MASK,
    MQPD_REJECT_UNSUP_MASK,
    MQPMO_MD_FOR_OUTPUT_ONLY,
    MQPMO_PASS_ALL_CONTEXT,
    MQRO_DISCARD_MSG,
    MQRO_PASS_CORREL_ID,
    MQRO_PASS_DISCARD_AND_EXPIRY,
    MQRO_PASS_MSG_ID,
    MQTYPE_NULL,
)
from flintmq.mqi.errors import MQStructuresError
from flintmq.mqi.md import MQMD
from flintmq.mqi.message_properties import add_block, add_headers, block_of
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.pmo import takes_part as takes_part
from flintmq.mqi.properties import MessageProperties
from flintmq.mqi.reason import (
    MQRC_ACTION_ERROR,
    MQRC_HMSG_ERROR,
    MQRC_MD_ERROR,
    MQRC_MSG_HANDLE_IN_USE,
    MQRC_NONE,
    MQRC_PROPERTIES_TOO_BIG,
    MQRC_UNSUPPORTED_PROPERTY,
)
from flintmq.qmgr import headers, message_handle
from flintmq.qmgr.connection import Connection, Handle
from flintmq.qmgr.message_handle import MessageHandle

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

_COPIED_BY: Final = {MQACTP_FORWARD: MQCOPY_FORWARD, MQACTP_REPLY: MQCOPY_REPLY, MQACTP_REPORT: MQCOPY_REPORT}


class Composition:
    """What the message handles of a put make of it."""

    def __init__(self) -> None:
        self.properties: MessageProperties = MessageProperties()
        #: The same as the message carries them.
        self.block: bytes = b""
        self.new: MessageHandle | None = None

    def done(self, md: MQMD) -> None:
        """The message was put with this descriptor."""
        if self.new is not None:
            self.new.take(self.properties, md)


def compose(
    qm: QueueManager, connection: Connection, md: MQMD, pmo: MQPMO, to_remote: bool, composition: Composition
) -> int:
    """Work out properties and descriptor. Any other reason than MQRC_NONE: nothing has changed."""
    original: MessageHandle | None = None
    new: MessageHandle | None = None
    action = MQACTP_NEW
    if pmo.version > 2:
        action = pmo.action
        for number in (pmo.original_msg_handle, pmo.new_msg_handle):
            if number != MQHM_NONE:
                handle = message_handle.find(qm, connection, number)
                if handle is None:
                    return MQRC_HMSG_ERROR
                if handle.in_use:
                    return MQRC_MSG_HANDLE_IN_USE
        original = message_handle.find(qm, connection, pmo.original_msg_handle)
        new = message_handle.find(qm, connection, pmo.new_msg_handle)
    if action != MQACTP_NEW and action not in _COPIED_BY:
        return MQRC_ACTION_ERROR
    if action != MQACTP_NEW and original is None:
        return MQRC_HMSG_ERROR
    if pmo.options & MQPMO_MD_FOR_OUTPUT_ONLY and original is None and new is None:
        return MQRC_MD_ERROR
    properties = merged(original, new, action)
    if pmo.options & MQPMO_PASS_ALL_CONTEXT:
        _pass_context(connection.handles.get(pmo.context), properties)
    reason = _unsupported(properties, to_remote)
    if reason:
        return reason
    valid = (original is None or original.validate) and (new is None or new.validate)
    try:
        composition.block = block_of(properties, valid)
    except MQStructuresError as error:
        return error.reason
    if len(composition.block) > qm.max_properties_length:
        return MQRC_PROPERTIES_TOO_BIG
    composition.properties = properties
    composition.new = new
    if pmo.options & MQPMO_MD_FOR_OUTPUT_ONLY:
        _compose_descriptor(qm, md, original, new, action)
    return MQRC_NONE


def merged(original: MessageHandle | None, new: MessageHandle | None, action: int) -> MessageProperties:
    """The properties of the message."""
    result = MessageProperties()
    if original is not None:
        needed = _COPIED_BY.get(action, 0) | MQCOPY_ALL
        for item in original.properties.items:
            if action == MQACTP_NEW or item.copy_options & needed:
                result.items.append(item)
    if new is None:
        return result
    names = set()
    removed = set()
    for item in new.properties.items:
        if item.hidden is None:
            names.add(item.name)
            if item.type == MQTYPE_NULL and action != MQACTP_NEW:
                removed.add(item.name)
    kept = [item for item in result.items if item.hidden is not None or item.name not in names]
    replaced = {item.name for item in result.items if item.hidden is None}
    for item in new.properties.items:
        if item.hidden is not None or item.name not in removed or item.name not in replaced:
            kept.append(item)
    result.items = kept
    return result


def _pass_context(source: Handle | None, properties: MessageProperties) -> None:
    """Add the properties of the saved user context. Whether there is a context to pass is asked later (2097, 2098)."""
    if source is None or not source.saved_valid or not source.saved_properties:
        return
    saved = MessageProperties()
    add_block(saved, source.saved_properties)
    names = set(properties.names())
    for item in saved.items:
        if item.hidden is not None or item.name not in names:
            properties.items.append(item)
            if item.hidden is None:
                names.add(item.name)


def _unsupported(properties: MessageProperties, to_remote: bool) -> int:
    """2490 for a property that this queue manager would have to know."""
    for item in properties.items:
        support = item.support
        if support & MQPD_REJECT_UNSUP_MASK or (support & MQPD_ACCEPT_UNSUP_IF_XMIT_MASK and not to_remote):
            return MQRC_UNSUPPORTED_PROPERTY
    return MQRC_NONE


def _compose_descriptor(
    qm: QueueManager, md: MQMD, original: MessageHandle | None, new: MessageHandle | None, action: int
) -> None:
    """MQPMO_MD_FOR_OUTPUT_ONLY: the descriptor comes from the handles."""
    made = MQMD()
    made.version = 2
    if original is not None:
        for field in original.known:
            setattr(made, field, getattr(original.md, field))
        if action == MQACTP_REPLY or action == MQACTP_REPORT:
            _answer(qm, made, action == MQACTP_REPLY)
    if new is not None:
        for field in new.known:
            setattr(made, field, getattr(new.md, field))
    made.backout_count = 0
    made.version = 2 if md.version > 1 or headers.has_extension(made) else 1
    made.copy_to(md)


def _answer(qm: QueueManager, md: MQMD, reply: bool) -> None:
    """Make the descriptor of a message that of a reply to it, or of a report about it."""
    report = md.report
    md.msg_type = MQMT_REPLY if reply else MQMT_REPORT
    md.report = 0
    if report & MQRO_PASS_DISCARD_AND_EXPIRY:
        md.report = report & MQRO_DISCARD_MSG
    else:
        md.expiry = MQEI_UNLIMITED
    msg_id = md.msg_id
    if not report & MQRO_PASS_MSG_ID:
        md.msg_id = qm.new_msg_id()
    if not report & MQRO_PASS_CORREL_ID:
        md.correl_id = msg_id
    md.feedback = 0
    md.reply_to_q = md.reply_to_q_mgr = ""
    if reply:
        headers.set_defaults(md)


# -- limits, and what the queue manager sends on -----------------------------------------------------------------------


def too_long(qm: QueueManager, md: MQMD, data: bytes, block: bytes) -> bool:
    """Whether a message that may have an MQRFH2 of its own has more properties than MAXPROPL allows."""
    if len(data) + len(block) <= qm.max_properties_length:
        return False
    return property_headers.counted(md, data) + len(block) > qm.max_properties_length


def for_report(block: bytes, md: MQMD, data: bytes) -> bytes:
    """The properties that a report about a message gets, from its own and, with `data`, from its headers."""
    if not block and not md.format.startswith("MQ"):
        return b""
    properties = MessageProperties()
    add_block(properties, block)
    if data:
        add_headers(properties, md.format, md.encoding, md.coded_char_set_id, data)
    properties.items = [item for item in properties.items if item.copy_options & (MQCOPY_REPORT | MQCOPY_ALL)]
    return block_of(properties)
