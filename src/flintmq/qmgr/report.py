"""Report messages: what the queue manager tells the sender about a message, and the dead-letter queue.

    report       when                                         Feedback          sent
    COA          the message is on its destination queue      MQFB_COA          in the unit of work of the put
    COD          an application has got it                     MQFB_COD          in the unit of work of the get
    expiration   it was discarded because its time was up      MQFB_EXPIRATION   at once
    exception    it arrived here and cannot be put             the reason        in the unit of work of who tried

COA and COD are not sent for messages on transmission queues nor for those with a dead-letter header. A put that fails
returns its reason to the application and makes no exception report; those are for messages from other queue managers.

The descriptor of a report: type REPORT; Encoding, CodedCharSetId, Format, Priority, Persistence, identity context,
GroupId, MsgSeqNumber, Offset and MsgFlags of the original; OriginalLength that of the original, or the length of its
data; the ids by MQRO_PASS_MSG_ID and MQRO_PASS_CORREL_ID; no report options and no expiry, unless
MQRO_PASS_DISCARD_AND_EXPIRY; no ReplyToQ; origin context the queue manager's. Its data: none, the first 100 bytes
behind any MQ headers with those headers, or all. Properties: those of the original that say MQCOPY_REPORT; those of an
MQRFH2 too if there is no data.

A report is put with the authority of the user of the message it is about (on_behalf.py): the data of a report may be
all that an application has put, so it must not reach a queue to which that user could not put. A report that its user
may not put is discarded (O2). One that cannot be put for another reason goes to the dead-letter queue, unless it was
for that queue. The operator gets a notice of each report that is discarded. The message is not held up by its reports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi import payload
from flintmq.mqi.constants import (
    MQAT_QMGR,
    MQENC_NATIVE,
    MQFB_COA,
    MQFB_COD,
    MQFB_EXPIRATION,
    MQFMT_DEAD_LETTER_HEADER,
    MQFMT_XMIT_Q_HEADER,
    MQMT_REPORT,
    MQRO_ACCEPT_UNSUP_IF_XMIT_MASK,
    MQRO_ACTIVITY,
    MQRO_COA,
    MQRO_COA_WITH_DATA,
    MQRO_COA_WITH_FULL_DATA,
    MQRO_COD,
    MQRO_COD_WITH_DATA,
    MQRO_COD_WITH_FULL_DATA,
    MQRO_DISCARD_MSG,
    MQRO_EXCEPTION,
    MQRO_EXCEPTION_WITH_DATA,
    MQRO_EXCEPTION_WITH_FULL_DATA,
    MQRO_EXPIRATION,
    MQRO_EXPIRATION_WITH_DATA,
    MQRO_EXPIRATION_WITH_FULL_DATA,
    MQRO_NAN,
    MQRO_PAN,
    MQRO_PASS_CORREL_ID,
    MQRO_PASS_DISCARD_AND_EXPIRY,
    MQRO_PASS_MSG_ID,
    MQRO_REJECT_UNSUP_MASK,
)
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.errors import StructureError
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import (
    MQRC_DLH_ERROR,
    MQRC_NONE,
    MQRC_REPORT_OPTIONS_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
    MQRC_UNKNOWN_REPORT_OPTION,
    MQRC_XMIT_Q_USAGE_ERROR,
    reason_name,
)
from flintmq.qmgr import headers, on_behalf, put_properties, remote
from flintmq.qmgr.connection import Connection, Handle
from flintmq.qmgr.message import Message, fill_descriptor
from flintmq.qmgr.place import place_internal
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.security import context_user

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

_KNOWN: Final = (
    MQRO_PAN
    | MQRO_NAN
    | MQRO_ACTIVITY
    | MQRO_PASS_CORREL_ID
    | MQRO_PASS_MSG_ID
    | MQRO_COA_WITH_FULL_DATA
    | MQRO_COD_WITH_FULL_DATA
    | MQRO_PASS_DISCARD_AND_EXPIRY
    | MQRO_EXPIRATION_WITH_FULL_DATA
    | MQRO_EXCEPTION_WITH_FULL_DATA
    | MQRO_DISCARD_MSG
)
_WANTS_REPORT: Final = MQRO_PAN | MQRO_NAN | MQRO_ACTIVITY | MQRO_COA | MQRO_COD | MQRO_EXPIRATION | MQRO_EXCEPTION
#: How much of the data a report with data has.
DATA_LENGTH: Final = 100
#: An expiration report with MQRO_PASS_DISCARD_AND_EXPIRY lives for sixty seconds.
_EXPIRY_OF_EXPIRATION: Final = 600


# -- checks of a put -------------------------------------------------------------------------------------------------


def check_options(md: MQMD, to_remote: bool) -> int:
    """Refuse report options that are not known or do not go together.

    An unknown option is 2061 or the warning 2104, as the bit says; some only matter at the destination and are
    accepted on the way there.
    """
    report = md.report
    if (
        _half_chosen(report, MQRO_COA, MQRO_COA_WITH_DATA, MQRO_COA_WITH_FULL_DATA)
        or _half_chosen(report, MQRO_COD, MQRO_COD_WITH_DATA, MQRO_COD_WITH_FULL_DATA)
        or _half_chosen(report, MQRO_EXPIRATION, MQRO_EXPIRATION_WITH_DATA, MQRO_EXPIRATION_WITH_FULL_DATA)
        or _half_chosen(report, MQRO_EXCEPTION, MQRO_EXCEPTION_WITH_DATA, MQRO_EXCEPTION_WITH_FULL_DATA)
    ):
        return MQRC_REPORT_OPTIONS_ERROR
    unknown = report & ~_KNOWN
    if not unknown:
        return MQRC_NONE
    if unknown & MQRO_REJECT_UNSUP_MASK or (unknown & MQRO_ACCEPT_UNSUP_IF_XMIT_MASK and not to_remote):
        return MQRC_REPORT_OPTIONS_ERROR
    return MQRC_UNKNOWN_REPORT_OPTION


def _half_chosen(report: int, plain: int, with_data: int, with_full_data: int) -> bool:
    """The bits of each kind of report have only four meanings: none, plain, with data, with full data."""
    chosen = report & with_full_data
    return chosen != 0 and chosen != plain and chosen != with_data and chosen != with_full_data


def needs_reply_queue(report: int) -> bool:
    """True if somebody may have to send a report."""
    return report & _WANTS_REPORT != 0


# -- the four kinds --------------------------------------------------------------------------------------------------


def confirm_arrival(
    qm: QueueManager,
    connection: Connection,
    handle: Handle,
    md: MQMD,
    data: bytes,
    syncpoint: bool,
    properties: bytes = b"",
) -> None:
    """MQRO_COA: the message is on its destination queue."""
    queue = handle.queue
    if not handle.remote_qmgr and queue is not None:
        arrived_on(qm, connection, queue, md, data, syncpoint, properties)


def arrived_on(
    qm: QueueManager,
    connection: Connection,
    queue: Queue,
    md: MQMD,
    data: bytes,
    syncpoint: bool,
    properties: bytes = b"",
) -> None:
    """The same of a message on `queue`, which is for it alone."""
    if queue.rules.transmission:
        return
    if md.format == MQFMT_DEAD_LETTER_HEADER or md.format == MQFMT_XMIT_Q_HEADER:
        return
    amount = _amount(md.report, MQRO_COA_WITH_DATA, MQRO_COA_WITH_FULL_DATA)
    _report(qm, connection, md, data, MQFB_COA, amount, syncpoint, properties)


def confirm_delivery(qm: QueueManager, connection: Connection, message: Message, syncpoint: bool) -> None:
    """MQRO_COD: the message was got."""
    if message.queue.rules.transmission or message.format == MQFMT_DEAD_LETTER_HEADER:
        return
    md = _descriptor_of(qm, message)
    amount = _amount(md.report, MQRO_COD_WITH_DATA, MQRO_COD_WITH_FULL_DATA)
    _report(qm, connection, md, message.data, MQFB_COD, amount, syncpoint, message.properties)


def expired(qm: QueueManager, connection: Connection, message: Message) -> None:
    """MQRO_EXPIRATION: the message was discarded. One on a transmission queue is reported for what is in it.

    Only a transmission queue has headers that the queue manager made: on another queue an MQXQH is data, and says
    nothing about who put it. The user is that of the message itself either way.
    """
    if not message.report & MQRO_EXPIRATION:
        return
    md = _descriptor_of(qm, message)
    data = message.data
    if md.format == MQFMT_XMIT_Q_HEADER and message.queue.rules.transmission:
        try:
            _, md, data = remote.unwrap(qm, data)
            md.user_identifier = message.user_identifier
        except StructureError:
            pass
    amount = _amount(md.report, MQRO_EXPIRATION_WITH_DATA, MQRO_EXPIRATION_WITH_FULL_DATA)
    _report(qm, connection, md, data, MQFB_EXPIRATION, amount, False, message.properties)


def exception(
    qm: QueueManager,
    connection: Connection,
    md: MQMD,
    data: bytes,
    reason: int,
    syncpoint: bool,
    properties: bytes = b"",
) -> None:
    """MQRO_EXCEPTION: the message, on its way through here, cannot be put because of `reason`."""
    if md.report & MQRO_EXCEPTION:
        amount = _amount(md.report, MQRO_EXCEPTION_WITH_DATA, MQRO_EXCEPTION_WITH_FULL_DATA)
        _report(qm, connection, md, data, reason, amount, syncpoint, properties)


def undeliverable(
    qm: QueueManager,
    connection: Connection,
    data: bytes,
    md: MQMD,
    q_name: str,
    q_mgr_name: str,
    reason: int,
    syncpoint: bool,
    properties: bytes = b"",
) -> int:
    """A message from elsewhere that cannot be put: its report, then discard or dead-letter queue, as it asks for.

    Any other reason than MQRC_NONE: the dead-letter queue did not take it, and nothing at all has happened.
    """
    if not md.report & MQRO_DISCARD_MSG:
        refused = dead_letter(qm, connection, data, md, q_name, q_mgr_name, reason, syncpoint, properties)
        if refused:
            return refused
    exception(qm, connection, md, data, reason, syncpoint, properties)
    return MQRC_NONE


def dead_letter(
    qm: QueueManager,
    connection: Connection,
    data: bytes,
    md: MQMD,
    q_name: str,
    q_mgr_name: str,
    reason: int,
    syncpoint: bool,
    properties: bytes = b"",
) -> int:
    """Put a message on the dead-letter queue, with a header that says where it was to go and why it is not there.

    Returns the reason why it is not on the dead-letter queue: 2085 if there is none.
    """
    queue = qm.queues.get(qm.dead_letter_queue)
    if queue is None:
        return MQRC_UNKNOWN_OBJECT_NAME
    if queue.rules.transmission:
        return MQRC_XMIT_Q_USAGE_ERROR
    try:
        header = dead_letter_header(qm, md, q_name, q_mgr_name, reason)
    except StructureError:
        return MQRC_DLH_ERROR
    dead = md.copy()
    dead.format = MQFMT_DEAD_LETTER_HEADER
    dead.encoding = MQENC_NATIVE
    dead.coded_char_set_id = qm.ccsid
    return place_internal(qm, connection, queue, dead, header + data, syncpoint, properties)


def dead_letter_header(qm: QueueManager, md: MQMD, q_name: str, q_mgr_name: str, reason: int) -> bytes:
    """The MQDLH for a message that was to go to a queue and did not. Raises StructureError."""
    qm.stamp(qm.clock.now_ms())
    dlh = MQDLH()
    dlh.reason = reason
    dlh.dest_q_name = q_name
    dlh.dest_q_mgr_name = q_mgr_name
    dlh.encoding = md.encoding
    dlh.coded_char_set_id = md.coded_char_set_id
    dlh.format = md.format
    dlh.put_appl_type = MQAT_QMGR
    dlh.put_appl_name = qm.name[:28]
    dlh.put_date = qm.put_date
    dlh.put_time = qm.put_time
    return dlh.pack(False, qm.ccsid)


# -- making and sending ----------------------------------------------------------------------------------------------


def _amount(report: int, with_data: int, with_full_data: int) -> int:
    """How many bytes of the application's data go with the report; -1 all."""
    if report & with_full_data == with_full_data:
        return -1
    return DATA_LENGTH if report & with_data == with_data else 0


def _descriptor_of(qm: QueueManager, message: Message) -> MQMD:
    md = MQMD()
    md.version = 2
    fill_descriptor(message, md, qm.clock.now_ms())
    return md


def _report(
    qm: QueueManager,
    connection: Connection,
    md: MQMD,
    data: bytes,
    feedback: int,
    amount: int,
    syncpoint: bool,
    properties: bytes = b"",
) -> None:
    """Make a report about the message that `md` and `data` are, and send it."""
    start = payload.payload(md.encoding, md.coded_char_set_id, md.format, data).start
    if amount >= 0:
        part = data[: start + amount] if amount else b""
    else:
        part = data
    report = _report_descriptor(qm, md, feedback, len(data) - start)
    copied = put_properties.for_report(properties, md, b"" if part else data)
    if not part and data and copied:
        behind = payload.payload(md.encoding, md.coded_char_set_id, md.format, data)
        report.encoding, report.coded_char_set_id, report.format = behind.encoding, behind.ccsid, behind.format
    _send(qm, connection, report, part, md.reply_to_q, md.reply_to_q_mgr, syncpoint, copied)


def _report_descriptor(qm: QueueManager, md: MQMD, feedback: int, length: int) -> MQMD:
    """The descriptor of a report about a message with `length` bytes of application data."""
    report = MQMD()
    report.version = 2
    report.msg_type = MQMT_REPORT
    report.feedback = feedback
    report.encoding = md.encoding
    report.coded_char_set_id = md.coded_char_set_id
    report.format = md.format
    report.priority = md.priority
    report.persistence = md.persistence
    report.msg_id = md.msg_id if md.report & MQRO_PASS_MSG_ID else qm.new_msg_id()
    report.correl_id = md.correl_id if md.report & MQRO_PASS_CORREL_ID else md.msg_id
    if md.report & MQRO_PASS_DISCARD_AND_EXPIRY:
        report.report = md.report & MQRO_DISCARD_MSG
        report.expiry = _EXPIRY_OF_EXPIRATION if feedback == MQFB_EXPIRATION else md.expiry
        if report.expiry == 0:
            report.expiry = 1  # It had less than a tenth of a second left; 0 is no expiry.
    report.reply_to_q_mgr = qm.name
    md.copy_identity_context_to(report)
    remote.as_queue_manager(qm, report, qm.clock.now_ms())
    if md.version > 1 and headers.has_extension(md):
        report.group_id = md.group_id
        report.msg_seq_number = md.msg_seq_number
        report.offset = md.offset
        report.msg_flags = md.msg_flags
    report.original_length = md.original_length if md.version > 1 and md.original_length != -1 else length
    return report


def _send(
    qm: QueueManager,
    connection: Connection,
    md: MQMD,
    data: bytes,
    q_name: str,
    q_mgr_name: str,
    syncpoint: bool,
    properties: bytes,
) -> None:
    """Send a report where the original said, else to the dead-letter queue, else tell the operator.

    The identity context of a report is that of the original, so `md` names the user whose authority counts.
    """
    if not on_behalf.may_put(qm, md.user_identifier, q_name, q_mgr_name):
        _discarded(qm, q_name, q_mgr_name, f"user '{context_user(md.user_identifier)}' may not put there")
        return
    reason = remote.route(qm, connection, q_name, q_mgr_name, md, data, syncpoint, properties)
    if not reason:
        return
    why = f"it could not be put there ({reason_name(reason)} {reason})"
    target = qm.catalogue.resolve(q_name, q_mgr_name).queue
    if target is not None and target.name == qm.dead_letter_queue:
        _discarded(qm, q_name, q_mgr_name, f"{why}, and that is the dead-letter queue")
        return
    refused = dead_letter(qm, connection, data, md, q_name, q_mgr_name, reason, syncpoint, properties)
    if refused:
        text = f"the dead-letter queue '{qm.dead_letter_queue}' did not take it ({reason_name(refused)} {refused})"
        _discarded(qm, q_name, q_mgr_name, f"{why}, and {text}")


def _discarded(qm: QueueManager, q_name: str, q_mgr_name: str, why: str) -> None:
    qm.notice("AMQ9544W", f"A report for {q_name} of {q_mgr_name} was discarded: {why}.")
