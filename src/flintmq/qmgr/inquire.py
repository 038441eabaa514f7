"""MQINQ and MQSET: attributes of an open object, by selector.

What an object has is declared in catalogue/kinds/; to that come the name, the type of a queue, and what only the engine
knows (CURDEPTH, IPPROCS, OPPROCS). A handle for an alias or a local definition of a remote queue answers for that
definition, not for the queue behind it; one for a model answers for the dynamic queue that was made.

MQINQ, where more than one reason could apply, in this order:

    2018, 2019   connection, handle           2067   a selector that no object has
    2038         not open for inquiry         2068   a selector that this object does not have: a warning; the
    2052         the queue was deleted               integer is MQIAV_NOT_APPLICABLE, the characters are asterisks
    2066         more than 256 selectors      2022   there are more integers than room: a warning
                                              2008   there are more characters than room: a warning

MQSET changes the attributes that are declared `settable`, all of them or none. The change is logged; gets that wait
when gets become inhibited end with 2016, and triggers are looked at again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.catalogue.attribute import LIST, Attribute, Value, ValueRejected, check_value, number_of, value_of_number
from flintmq.catalogue.attributes import BY_SELECTOR, INQUIRED_TYPES, QUEUE_TYPES
from flintmq.catalogue.kinds import KINDS
from flintmq.log.errors import LogError
from flintmq.mqi import constants as mq
from flintmq.mqi.inquiry import Inquiry as Inquiry
from flintmq.mqi.inquiry import is_character as is_character
from flintmq.mqi.pcf_constants import MQEVO_MQSET
from flintmq.mqi.reason import (
    MQRC_CHAR_ATTR_LENGTH_ERROR,
    MQRC_CHAR_ATTRS_TOO_SHORT,
    MQRC_GET_INHIBITED,
    MQRC_HOBJ_ERROR,
    MQRC_INT_ATTR_COUNT_ERROR,
    MQRC_INT_ATTR_COUNT_TOO_SMALL,
    MQRC_NONE,
    MQRC_NOT_OPEN_FOR_INQUIRE,
    MQRC_NOT_OPEN_FOR_SET,
    MQRC_Q_DELETED,
    MQRC_RESOURCE_PROBLEM,
    MQRC_SELECTOR_ERROR,
    MQRC_SELECTOR_LIMIT_EXCEEDED,
    MQRC_SELECTOR_NOT_FOR_TYPE,
)
from flintmq.qmgr import consume, event_admin, trigger
from flintmq.qmgr.catalogue import MQObject
from flintmq.qmgr.connection import Connection, Handle, fail, not_usable, succeed, warn
from flintmq.qmgr.get import fail_waiter, fail_waiters
from flintmq.qmgr.objects import log_definition
from flintmq.qmgr.queue import Queue

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

SELECTORS_MAX: Final = 256
NAME_LENGTH: Final = 48

#: The kinds of objects that MQINQ answers for -> the selector of the name.
_NAME_SELECTORS: Final = {kind.keyword: kind.pcf.name for kind in KINDS if kind.inquired}


def _known_selectors() -> dict[int, int]:
    """Every selector of every object, with the length of a character attribute."""
    known: dict[int, int] = {mq.MQIA_Q_TYPE: 0}
    for selector in _NAME_SELECTORS.values():
        known[selector] = NAME_LENGTH
    for kind in _NAME_SELECTORS:
        for selector, attribute in BY_SELECTOR[kind].items():
            if selector not in known:
                known[selector] = attribute.length
    return known


_KNOWN: Final = _known_selectors()


def inquire(
    qm: QueueManager,
    connection: Connection,
    handle: Handle,
    selectors: list[int],
    inquiry: Inquiry,
    int_attr_count: int = -1,
    char_attr_length: int = -1,
) -> int:
    """MQINQ into `inquiry`. The last two are the room that the application has, -1 for as much as it takes."""
    connection.force = 0
    if not connection.usable:
        return fail(connection, not_usable(connection))
    if not handle.open:
        return fail(connection, MQRC_HOBJ_ERROR)
    qm.counters.inquires += 1
    if handle.queue is not None:
        handle.queue.counts.inquire_count += 1
    if not handle.can_inquire:
        return fail(connection, MQRC_NOT_OPEN_FOR_INQUIRE)
    definition = definition_of(qm, handle)
    if definition is None:
        return fail(connection, MQRC_Q_DELETED)
    if len(selectors) > SELECTORS_MAX:
        return fail(connection, MQRC_SELECTOR_LIMIT_EXCEEDED)
    for selector in selectors:
        if selector not in _KNOWN:
            return fail(connection, MQRC_SELECTOR_ERROR)
    if int_attr_count < -1:
        return fail(connection, MQRC_INT_ATTR_COUNT_ERROR)
    if char_attr_length < -1:
        return fail(connection, MQRC_CHAR_ATTR_LENGTH_ERROR)
    reason = MQRC_NONE
    for selector in selectors:
        if is_character(selector):
            text = _characters(definition, selector)
            inquiry.characters.append("*" * _KNOWN[selector] if text is None else text)
            if text is None:
                reason = MQRC_SELECTOR_NOT_FOR_TYPE
        else:
            number = _integer(qm, handle, definition, selector)
            inquiry.integers.append(mq.MQIAV_NOT_APPLICABLE if number is None else number)
            if number is None:
                reason = MQRC_SELECTOR_NOT_FOR_TYPE
    short = _cut_to_room(inquiry, int_attr_count, char_attr_length)
    if reason or short:
        return warn(connection, reason or short)
    return succeed(connection)


def _cut_to_room(inquiry: Inquiry, int_attr_count: int, char_attr_length: int) -> int:
    """Drop what the application has no room for; the warning that this deserves."""
    reason = MQRC_NONE
    if char_attr_length >= 0:
        used = 0
        kept: list[str] = []
        for text in inquiry.characters:
            part = text[: max(0, char_attr_length - used)]
            used += len(text)
            if part:
                kept.append(part)
        if used > char_attr_length:
            reason = MQRC_CHAR_ATTRS_TOO_SHORT
            inquiry.characters = kept
    if 0 <= int_attr_count < len(inquiry.integers):
        reason = MQRC_INT_ATTR_COUNT_TOO_SMALL
        inquiry.integers = inquiry.integers[:int_attr_count]
    return reason


def definition_of(qm: QueueManager, handle: Handle) -> MQObject | None:
    """The definition that a handle stands for; None if it has been deleted."""
    if handle.object_type == mq.MQOT_Q:
        if handle.put_enabled_by:
            return qm.catalogue.find("QUEUE", handle.put_enabled_by)
        queue = handle.queue
        assert queue is not None
        return None if queue.deleted else queue.definition
    kind = INQUIRED_TYPES.get(handle.object_type)
    return None if kind is None else qm.catalogue.find(kind, handle.object_name)


def _integer(qm: QueueManager, handle: Handle, definition: MQObject, selector: int) -> int | None:
    """An integer attribute; None if the object has no such attribute."""
    if selector == mq.MQIA_Q_TYPE:
        return QUEUE_TYPES.get(definition.kind)
    attribute = BY_SELECTOR[definition.kind].get(selector)
    if attribute is None:
        return None
    if attribute.live:
        queue = qm.queues.get(definition.name)
        return None if queue is None else _live(queue, selector)
    try:
        return number_of(attribute, definition.attributes[attribute.keyword])
    except ValueRejected:
        return None


def _live(queue: Queue, selector: int) -> int | None:
    if selector == mq.MQIA_CURRENT_Q_DEPTH:
        return queue.current_depth()
    if selector == mq.MQIA_OPEN_INPUT_COUNT:
        return queue.opens.input_handles
    if selector == mq.MQIA_OPEN_OUTPUT_COUNT:
        return queue.opens.output_handles
    return None


def _characters(definition: MQObject, selector: int) -> str | None:
    """A character attribute, filled up; None if the object has no such attribute."""
    if selector == _NAME_SELECTORS[definition.kind]:
        return definition.name.ljust(NAME_LENGTH)
    attribute = BY_SELECTOR[definition.kind].get(selector)
    if attribute is None or attribute.secret:
        return None
    value = definition.attributes[attribute.keyword]
    if attribute.kind == LIST:
        assert isinstance(value, list)
        return "".join([name.ljust(attribute.length) for name in value])
    return fill_up(str(value), attribute.length)


def fill_up(text: str, length: int) -> str:
    """`text` with blanks up to `length` bytes of UTF-8."""
    return text + " " * (length - len(text.encode("utf-8", "surrogateescape")))


# -- MQSET -------------------------------------------------------------------------------------------------------


def set_attributes(
    qm: QueueManager,
    connection: Connection,
    handle: Handle,
    selectors: list[int],
    integers: list[int],
    characters: str = "",
) -> int:
    """MQSET: `integers` in the order of their selectors, `characters` one attribute after the other."""
    connection.force = 0
    if not connection.usable:
        return fail(connection, not_usable(connection))
    if not handle.open:
        return fail(connection, MQRC_HOBJ_ERROR)
    qm.counters.sets += 1
    if handle.queue is not None:
        handle.queue.counts.set_count += 1
    if not handle.can_set:
        return fail(connection, MQRC_NOT_OPEN_FOR_SET)
    definition = definition_of(qm, handle)
    if definition is None:
        return fail(connection, MQRC_Q_DELETED)
    if len(selectors) > SELECTORS_MAX:
        return fail(connection, MQRC_SELECTOR_LIMIT_EXCEEDED)
    changes: dict[str, Value] = {}
    reason = _changes(definition, selectors, integers, characters, changes)
    if reason:
        return fail(connection, reason)
    before = dict(definition.attributes)
    definition.change(changes)
    try:
        connection.force = log_definition(qm, definition)
    except LogError:
        definition.attributes = before
        return fail(connection, MQRC_RESOURCE_PROBLEM)
    definition_changed(qm, definition, before)
    event_admin.object_changed(qm, event_admin.Issuer(connection.user, MQEVO_MQSET), definition, before)
    return succeed(connection)


def _changes(
    definition: MQObject, selectors: list[int], integers: list[int], characters: str, changes: dict[str, Value]
) -> int:
    """Work out into `changes` what an MQSET asks for. Returns the reason."""
    next_integer = 0
    rest = characters
    for selector in selectors:
        attribute = BY_SELECTOR[definition.kind].get(selector)
        if attribute is None or not attribute.mqset_reason:
            return MQRC_SELECTOR_ERROR
        if is_character(selector):
            if len(rest) < attribute.length:
                return MQRC_CHAR_ATTR_LENGTH_ERROR
            value = _checked(attribute, rest[: attribute.length].rstrip(" "))
            rest = rest[attribute.length :]
        else:
            if next_integer >= len(integers):
                return MQRC_INT_ATTR_COUNT_ERROR
            value = _word_or_number(attribute, integers[next_integer])
            next_integer += 1
        if value is None:
            return attribute.mqset_reason
        changes[attribute.keyword] = value
    return MQRC_NONE


def _checked(attribute: Attribute, text: str) -> Value | None:
    try:
        return check_value(attribute, text)
    except ValueRejected:
        return None


def _word_or_number(attribute: Attribute, number: int) -> Value | None:
    try:
        return value_of_number(attribute, number)
    except ValueRejected:
        return None


def definition_changed(qm: QueueManager, definition: MQObject, before: dict[str, Value]) -> None:
    """A queue's definition was changed while it is in use: take it over, end waits, look at triggers."""
    if definition.kind == "QLOCAL":
        queue = qm.queues[definition.name]
        queue.refresh()
        if not queue.get_enabled:
            fail_waiters(qm, queue, MQRC_GET_INHIBITED)
        elif before["GET"] == "DISABLED":
            consume.gets_enabled(qm, queue)
            qm.delays.changed = qm.delays.changed or queue.rules.staging
        trigger.changed(qm, queue, before)
        return
    target = qm.queues.get(definition.text("TARGET")) if definition.kind == "QALIAS" else None
    if target is not None:
        if definition.attributes["GET"] == "ENABLED":
            consume.gets_enabled(qm, target)
        else:
            for waiter in target.all_waiters():
                if waiter.handle.get_enabled_by == definition.name:
                    fail_waiter(qm, waiter, MQRC_GET_INHIBITED)
