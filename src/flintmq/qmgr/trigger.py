"""Triggering: tell a trigger monitor, through an initiation queue, that an application has work on its queue.

A trigger message (MQTM) is made when all of these are met. The numbers are those of MQ's manual, "Conditions for a
trigger event"; tests cite them as T1 to T13.

     1  A message is put on the queue,
     2  with a priority of at least TRIGMPRI.
     3  Messages of such priority on the queue before it: none (FIRST), any number (EVERY), TRIGDPTH - 1 (DEPTH).
        Messages under syncpoint count.
     4  FIRST, DEPTH: nobody has the queue open for input.
     5  Gets from the queue are not inhibited.
     6  PROCESS names a process that is defined, or is blank and the queue is a transmission queue.
     7  INITQ names a local queue with USAGE(NORMAL), GET(ENABLED) and PUT(ENABLED).
     8  The initiation queue is open for input.
     9  TRIGGER is on,
    10  and TRIGTYPE is FIRST, EVERY or DEPTH.
    11  In place of 3: FIRST, and TRIGINT milliseconds have passed since the last trigger message for the queue, or
        since the queue manager started; DEPTH, and there are more than TRIGDPTH already.
    12  In place of 1 to 5: FIRST or DEPTH, and the last handle for input is closed while there is one such message, or
        TRIGDPTH of them.
    13  In place of 1 to 3: there is one such message (DEPTH: TRIGDPTH), and
        a  TRIGGER is turned on, or TRIGTYPE, TRIGMPRI or TRIGDPTH are changed;
        b  puts to the initiation queue are no longer inhibited;
        c  gets from the queue are no longer inhibited;
        d  the initiation queue is opened for input, by the first who does.

With DEPTH, TRIGGER is turned off when the trigger message is made: the definition changes. For a put under syncpoint
the trigger message is sent when the unit of work ends, with FIRST and DEPTH even if it is backed out. Trigger messages
are not persistent and have the default priority of the initiation queue; one that cannot be put there goes to the
dead-letter queue. A trigger message never triggers.

With TRIGMPRI above 0, a message that is on the page set only counts as one of sufficient priority in its lane.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.catalogue.attribute import Value, number_of
from flintmq.catalogue.attributes import find_attribute
from flintmq.log.errors import LogError
from flintmq.mqi.constants import (
    MQAT_QMGR,
    MQAT_UNKNOWN,
    MQENC_NATIVE,
    MQFMT_DEAD_LETTER_HEADER,
    MQFMT_TRIGGER,
)
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.errors import StructureError
from flintmq.mqi.md import MQMD
from flintmq.mqi.tm import MQTM
from flintmq.qmgr.connection import Connection, Trigger, Unit
from flintmq.qmgr.message import Message, Spilled
from flintmq.qmgr.objects import log_definition
from flintmq.qmgr.place import place_internal
from flintmq.qmgr.queue import Queue

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

_UTF_8: Final = 1208


# -- what can set off a trigger ----------------------------------------------------------------------------------


def after_put(qm: QueueManager, queue: Queue, message: Message, unit: Unit | None) -> None:
    """Conditions 1 to 3, and 11: `message` was put on a queue with TRIGGER on, in `unit` or outside syncpoint."""
    definition = queue.definition
    threshold = definition.number("TRIGMPRI")
    if message.priority < threshold or qm.triggering:
        return
    kind = definition.text("TRIGTYPE")
    if kind == "FIRST":
        if queue.opens.input_handles or (at_least(queue, threshold, 2) and not _interval_is_over(qm, queue)):
            return
    elif kind == "DEPTH":
        if queue.opens.input_handles or not at_least(queue, threshold, definition.number("TRIGDPTH")):
            return
    elif kind != "EVERY":
        return
    if queue.get_enabled and _is_ready(qm, queue):
        _make(qm, queue, kind, unit)


def unit_ended(qm: QueueManager, unit: Unit, committed: bool) -> None:
    """Send what waited for the end of the unit of work."""
    waiting = unit.triggers
    unit.triggers = None
    if waiting is None:
        return
    for trigger in waiting:
        if (committed or trigger.kind != "EVERY") and _is_ready(qm, trigger.queue):
            _send(qm, trigger.queue)


def input_closed(qm: QueueManager, queue: Queue) -> None:
    """Condition 12: nobody has the queue open for input any more."""
    if queue.definition.text("TRIGTYPE") != "EVERY":
        _reconsider(qm, queue)


def input_opened(qm: QueueManager, opened: Queue) -> None:
    """Condition 13d: `opened`, which may be an initiation queue, has its first handle for input."""
    for queue in list(qm.queues.values()):
        if queue.rules.trigger_on and queue.definition.attributes["INITQ"] == opened.name and queue.get_enabled:
            _reconsider(qm, queue)


def changed(qm: QueueManager, queue: Queue, before: dict[str, Value]) -> None:
    """Conditions 13a, b and c: the definition of the queue was changed; `before` are its attributes until then."""
    now = queue.definition.attributes
    criteria = False
    for keyword in ("TRIGGER", "TRIGTYPE", "TRIGMPRI", "TRIGDPTH"):
        if before[keyword] != now[keyword]:
            criteria = True
    if before["GET"] == "DISABLED" and now["GET"] == "ENABLED":
        criteria = True
    if criteria and queue.rules.trigger_on and queue.get_enabled:
        _reconsider(qm, queue)
    if before["PUT"] == "DISABLED" and now["PUT"] == "ENABLED":
        input_opened(qm, queue)


# -- conditions --------------------------------------------------------------------------------------------------


def _reconsider(qm: QueueManager, queue: Queue) -> None:
    """Conditions 12 and 13: there may be enough messages on the queue already."""
    definition = queue.definition
    kind = definition.text("TRIGTYPE")
    wanted = definition.number("TRIGDPTH") if kind == "DEPTH" else 1
    if kind == "NONE" or queue.deleted or qm.replaying or (kind != "EVERY" and queue.opens.input_handles):
        return
    if at_least(queue, definition.number("TRIGMPRI"), wanted) and _is_ready(qm, queue):
        _make(qm, queue, kind, None)


def at_least(queue: Queue, threshold: int, wanted: int) -> bool:
    """Whether the queue has `wanted` messages with a priority of at least `threshold`, committed or not."""
    if threshold == 0 or queue.depth < wanted:
        return queue.depth >= wanted
    count = 0
    for lane in queue.lanes:
        if lane.number < threshold and not queue.fifo:
            continue
        node = lane.first
        while node is not None and count < wanted:
            if isinstance(node, Spilled):
                count += min(node.last - node.sequence + 1, queue.spilled_count)
            elif isinstance(node, Message) and node.priority >= threshold:
                count += 1
            node = node.next
    return count >= wanted


def _interval_is_over(qm: QueueManager, queue: Queue) -> bool:
    """Condition 11: TRIGINT has passed since the last trigger message."""
    last = queue.times.trigger_last_ms if queue.times.trigger_last_ms else qm.started_ms
    return qm.clock.now_ms() - last >= qm.trigger_interval_ms


def _is_ready(qm: QueueManager, queue: Queue) -> bool:
    """Conditions 6 to 8."""
    name = queue.definition.text("PROCESS")
    if name:
        if qm.catalogue.find("PROCESS", name) is None:
            return False
    elif not queue.rules.transmission:
        return False
    initiation = qm.queues.get(queue.definition.text("INITQ"))
    return (
        initiation is not None
        and not initiation.rules.transmission
        and initiation.get_enabled
        and initiation.put_enabled
        and initiation.opens.input_handles > 0
    )


# -- the trigger message -----------------------------------------------------------------------------------------


def _make(qm: QueueManager, queue: Queue, kind: str, unit: Unit | None) -> None:
    """All conditions are met."""
    queue.times.trigger_last_ms = qm.clock.now_ms()
    if kind == "DEPTH":
        _turn_off(qm, queue)
    if unit is None:
        _send(qm, queue)
        return
    if unit.triggers is None:
        unit.triggers = []
    unit.triggers.append(Trigger(queue, kind))


def _turn_off(qm: QueueManager, queue: Queue) -> None:
    """DEPTH: TRIGGER goes off; somebody turns it on again when the queue has been worked off."""
    queue.definition.change({"TRIGGER": "NOTRIGGER"})
    queue.refresh()
    try:
        log_definition(qm, queue.definition)
    except LogError:
        qm.notice(
            "FMQ2001E", f"The log has no room for NOTRIGGER of {queue.name}; it is kept with the next checkpoint."
        )


def _send(qm: QueueManager, queue: Queue) -> None:
    initiation = qm.queues[queue.definition.text("INITQ")]
    md = _descriptor(qm)
    try:
        body = trigger_message(qm, queue).pack(False, md.coded_char_set_id)
    except StructureError:
        # Text that the queue manager's character set does not have: better in another one than not at all.
        md.coded_char_set_id = _UTF_8
        body = trigger_message(qm, queue).pack(False, _UTF_8)
    connection = Connection(b"", qm.name[:28], "", MQAT_QMGR)
    qm.triggering = True
    reason = place_internal(qm, connection, initiation, md, body, False)
    if reason:
        _to_dead_letter_queue(qm, connection, queue, md, body, reason)
    qm.triggering = False


def trigger_message(qm: QueueManager, queue: Queue) -> MQTM:
    """The MQTM for `queue`."""
    tm = MQTM()
    tm.q_name = queue.name
    tm.process_name = queue.definition.text("PROCESS")
    tm.trigger_data = queue.definition.text("TRIGDATA")
    tm.appl_type = MQAT_UNKNOWN
    process = qm.catalogue.find("PROCESS", tm.process_name)
    if process is not None:
        attribute = find_attribute("PROCESS", "APPLTYPE")
        assert attribute is not None
        tm.appl_type = number_of(attribute, process.attributes["APPLTYPE"])
        tm.appl_id = process.text("APPLICID")
        tm.env_data = process.text("ENVRDATA")
        tm.user_data = process.text("USERDATA")
    return tm


def _descriptor(qm: QueueManager) -> MQMD:
    now = qm.clock.now_ms()
    qm.stamp(now)
    md = MQMD()
    md.format = MQFMT_TRIGGER
    md.encoding = MQENC_NATIVE
    md.coded_char_set_id = qm.ccsid
    md.priority = -1
    md.persistence = 0
    md.reply_to_q_mgr = qm.name
    md.put_appl_type = MQAT_QMGR
    md.put_appl_name = qm.name[:28]
    md.put_date = qm.put_date
    md.put_time = qm.put_time
    return md


def _to_dead_letter_queue(
    qm: QueueManager, connection: Connection, queue: Queue, md: MQMD, body: bytes, reason: int
) -> None:
    """The initiation queue does not take it."""
    initiation = queue.definition.text("INITQ")
    header = MQDLH()
    header.reason = reason
    header.dest_q_name = initiation
    header.dest_q_mgr_name = qm.name
    header.encoding = md.encoding
    header.coded_char_set_id = md.coded_char_set_id
    header.format = md.format
    header.put_appl_type = md.put_appl_type
    header.put_appl_name = md.put_appl_name
    header.put_date = md.put_date
    header.put_time = md.put_time
    md.format = MQFMT_DEAD_LETTER_HEADER
    md.coded_char_set_id = qm.ccsid
    md.priority = -1
    dead = qm.queues.get(qm.dead_letter_queue)
    failed = reason
    if dead is not None:
        failed = place_internal(qm, connection, dead, md, header.pack(False, qm.ccsid) + body, False)
        if not failed:
            return
    qm.notice(
        "FMQ2002E",
        f"The trigger message for {queue.name} could be put neither to {initiation} nor to the dead-letter queue"
        f" ({reason}, {failed}). The next condition that is met makes another.",
    )
