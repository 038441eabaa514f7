"""Hooks of the kinds of objects: what DEFINE, ALTER and DELETE do beside changing the definition.

`Admin` calls the hooks of an object's kind. A kind without hooks of its own has those of `Hooks`: its definitions can
be changed at any time, and deleted while no handle is open under their name.

    may_define     before a definition is made               reason that refuses it
    may_change     before a definition is changed            reason that refuses it
    prepare        before a definition is logged             reason; nothing is changed then but the definition itself
    took_effect    after a definition was logged
    in_use         before a definition is deleted            whether 2042 refuses it
    may_delete     after that                                reason that refuses it
    deleting       before the deletion is logged             may raise LogError or PageSetFull
    deleted        after the definition was removed

The refusals are listed in admin.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.pcf_constants import MQRCCF_OBJECT_OPEN_FORCE, MQRCCF_TOPICSTR_ALREADY_EXISTS
from flintmq.mqi.reason import (
    MQRC_NONE,
    MQRC_PAGESET_FULL,
    MQRC_Q_DELETED,
    MQRC_Q_NOT_EMPTY,
    MQRC_TOPIC_NOT_ALTERABLE,
    MQRC_TOPIC_STRING_ERROR,
)
from flintmq.mqi.topic_words import BASE_TOPIC
from flintmq.qmgr import queued
from flintmq.qmgr.admin_rows import Row
from flintmq.qmgr.catalogue import MQObject
from flintmq.qmgr.connection import Handle
from flintmq.qmgr.get import fail_waiters
from flintmq.qmgr.inquire import definition_changed
from flintmq.qmgr.objects import (
    attach_queue,
    change_pool,
    clear_all,
    clear_the_way,
    detach_queue,
    move_queue,
    page_set_for,
    remove_page_set,
    storage_changed,
)
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.topic_tree import is_topic_string
from flintmq.store.errors import PageSetFull
from flintmq.store.pageset import PageSetBatch

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

_RESOLVED_BY: Final = ("TARGET", "TARGTYPE", "RNAME", "RQMNAME", "XMITQ")


class Hooks:
    """The hooks of a kind that does nothing beside being defined."""

    def may_define(self, qm: QueueManager, name: str, attributes: Row) -> int:
        """Return the reason why an object cannot be defined, or 0."""
        return MQRC_NONE

    def may_change(self, qm: QueueManager, definition: MQObject, changes: Row, force: bool) -> int:
        """Return the reason why an object must stay as it is while it is in use, or 0."""
        return MQRC_NONE

    def prepare(self, qm: QueueManager, definition: MQObject, before: Row) -> int:
        """Do the part of a change that can fail. `before` is empty for a new object."""
        return MQRC_NONE

    def took_effect(self, qm: QueueManager, definition: MQObject, before: Row) -> None:
        """Let a definition work that is logged. `before` is empty for a new object."""

    def in_use(self, qm: QueueManager, definition: MQObject) -> bool:
        """Return whether an object cannot be deleted now."""
        return bool(handles_of(qm, definition.name))

    def may_delete(self, qm: QueueManager, definition: MQObject, purge: bool) -> int:
        """Return the reason why an object that is not in use cannot be deleted, or 0."""
        return MQRC_NONE

    def deleting(self, qm: QueueManager, definition: MQObject) -> None:
        """Do the part of a deletion that must be durable before the deletion is logged."""

    def deleted(self, qm: QueueManager, definition: MQObject) -> None:
        """Remove the state of an object that is deleted."""


def handles_of(qm: QueueManager, name: str) -> list[Handle]:
    """Return the handles that were opened under this name."""
    result: list[Handle] = []
    for connection in qm.connections.values():
        for handle in connection.handles.values():
            if handle.object_name == name:
                result.append(handle)
    return result


class IndependentHooks(Hooks):
    """Definitions that are read when a session, a listener or a service starts, and may be deleted while it runs."""

    def in_use(self, qm: QueueManager, definition: MQObject) -> bool:
        return False


class PermanentHooks(Hooks):
    """Definitions that DELETE does not take: the queue manager, and rules, which other commands remove."""

    def in_use(self, qm: QueueManager, definition: MQObject) -> bool:
        return True


class QueueManagerHooks(PermanentHooks):
    """ALTER QMGR."""

    def took_effect(self, qm: QueueManager, definition: MQObject, before: Row) -> None:
        qm.refresh()
        queued.process_all(qm)


# -- queues and topics ---------------------------------------------------------------------------------------------


class PlacementHooks(Hooks):
    """Definitions that lead a queue to its page set: a queue that is empty moves when they change."""

    def movers(self, qm: QueueManager, definition: MQObject) -> list[Queue]:
        """Return the queues whose definition leads to another page set than they are on."""
        return [
            queue for queue in self.candidates(qm, definition) if page_set_for(qm, queue.definition) != queue.pager.psid
        ]

    def candidates(self, qm: QueueManager, definition: MQObject) -> list[Queue]:
        """Return the queues that a change of the definition may concern."""
        return list(qm.queues_by_id.values())

    def prepare(self, qm: QueueManager, definition: MQObject, before: Row) -> int:
        movers = self.movers(qm, definition)
        for queue in movers:
            if queue.depth or queue.uncommitted:
                return MQRC_Q_NOT_EMPTY
        try:
            for queue in movers:
                clear_the_way(qm, queue, page_set_for(qm, queue.definition))
        except PageSetFull:
            return MQRC_PAGESET_FULL
        return MQRC_NONE

    def took_effect(self, qm: QueueManager, definition: MQObject, before: Row) -> None:
        for queue in self.movers(qm, definition):
            move_queue(qm, queue, page_set_for(qm, queue.definition))


class LocalQueueHooks(PlacementHooks):
    """QLOCAL: the queue behind the definition."""

    def candidates(self, qm: QueueManager, definition: MQObject) -> list[Queue]:
        queue = qm.queues_by_id.get(definition.object_id)
        return [] if queue is None else [queue]

    def may_change(self, qm: QueueManager, definition: MQObject, changes: Row, force: bool) -> int:
        queue = qm.queues_by_id[definition.object_id]
        if "INDXTYPE" in changes and (queue.depth or queue.uncommitted):
            return MQRC_Q_NOT_EMPTY
        if force:
            return MQRC_NONE
        if "USAGE" in changes and (queue.depth or queue.opens.handles):
            return MQRCCF_OBJECT_OPEN_FORCE
        if changes.get("SHARE") == "NOSHARE" and queue.opens.input_handles > 1:
            return MQRCCF_OBJECT_OPEN_FORCE
        return MQRC_NONE

    def took_effect(self, qm: QueueManager, definition: MQObject, before: Row) -> None:
        super().took_effect(qm, definition, before)
        if definition.object_id not in qm.queues_by_id:
            attach_queue(qm, definition)
        else:
            definition_changed(qm, definition, before)

    def in_use(self, qm: QueueManager, definition: MQObject) -> bool:
        queue = qm.queues_by_id[definition.object_id]
        return bool(queue.opens.handles) or queue.uncommitted > 0

    def may_delete(self, qm: QueueManager, definition: MQObject, purge: bool) -> int:
        depth = qm.queues_by_id[definition.object_id].depth
        return MQRC_Q_NOT_EMPTY if depth and not purge else MQRC_NONE

    def deleted(self, qm: QueueManager, definition: MQObject) -> None:
        queue = qm.queues_by_id[definition.object_id]
        queue.counts.purged_count += queue.depth
        fail_waiters(qm, queue, MQRC_Q_DELETED)
        detach_queue(qm, queue)


class ResolvedQueueHooks(Hooks):
    """QALIAS and QREMOTE: an open handle has resolved the name once."""

    def may_change(self, qm: QueueManager, definition: MQObject, changes: Row, force: bool) -> int:
        resolves = not force and any(keyword in changes for keyword in _RESOLVED_BY)
        return MQRCCF_OBJECT_OPEN_FORCE if resolves and handles_of(qm, definition.name) else MQRC_NONE


class AliasQueueHooks(ResolvedQueueHooks):
    """QALIAS: gets through it wait at its target."""

    def took_effect(self, qm: QueueManager, definition: MQObject, before: Row) -> None:
        if before:
            definition_changed(qm, definition, before)


class TopicHooks(Hooks):
    """TOPIC: a node of the topic tree."""

    def may_define(self, qm: QueueManager, name: str, attributes: Row) -> int:
        topic_string = str(attributes.get("TOPICSTR", ""))
        if not is_topic_string(topic_string):
            return MQRC_TOPIC_STRING_ERROR
        taken = qm.topics.object_at(topic_string) is not None
        return MQRCCF_TOPICSTR_ALREADY_EXISTS if taken else MQRC_NONE

    def may_change(self, qm: QueueManager, definition: MQObject, changes: Row, force: bool) -> int:
        return MQRC_TOPIC_NOT_ALTERABLE if "TOPICSTR" in changes else MQRC_NONE

    def took_effect(self, qm: QueueManager, definition: MQObject, before: Row) -> None:
        qm.topics.define(definition)

    def in_use(self, qm: QueueManager, definition: MQObject) -> bool:
        return super().in_use(qm, definition) or definition.name == BASE_TOPIC

    def deleted(self, qm: QueueManager, definition: MQObject) -> None:
        qm.topics.remove(definition)


# -- storage -------------------------------------------------------------------------------------------------------


class StorageClassHooks(PlacementHooks):
    """STGCLASS: in use while a queue names it."""

    def in_use(self, qm: QueueManager, definition: MQObject) -> bool:
        users = qm.catalogue.match("QLOCAL") + qm.catalogue.match("QMODEL")
        return any(each.text("STGCLASS") == definition.name for each in users)


class PageSetHooks(PlacementHooks):
    """PSID: in use while a storage class leads to it. Page set 0 is never deleted."""

    def prepare(self, qm: QueueManager, definition: MQObject, before: Row) -> int:
        if not before:
            try:
                storage_changed(qm, definition)
            except PageSetFull:
                return MQRC_PAGESET_FULL
        return super().prepare(qm, definition, before)

    def took_effect(self, qm: QueueManager, definition: MQObject, before: Row) -> None:
        super().took_effect(qm, definition, before)
        storage_changed(qm, definition)
        change_pool(qm, int(definition.name))

    def in_use(self, qm: QueueManager, definition: MQObject) -> bool:
        clear_all(qm)  # The messages of deleted queues are removed in slices, and are on a page set until then.
        number = int(definition.name)
        named = any(each.number("PSID") == number for each in qm.catalogue.match("STGCLASS"))
        return named or number == 0 or bool(qm.pagers[number].queues)

    def deleting(self, qm: QueueManager, definition: MQObject) -> None:
        qm.pagers[int(definition.name)].commit_batch(PageSetBatch(), True)

    def deleted(self, qm: QueueManager, definition: MQObject) -> None:
        remove_page_set(qm, int(definition.name))


class BufferPoolHooks(Hooks):
    """BUFFPOOL: in use while a page set leads to it. Pool 0 is never deleted."""

    def took_effect(self, qm: QueueManager, definition: MQObject, before: Row) -> None:
        storage_changed(qm, definition)
        if not before:
            for psid in qm.pagers:
                change_pool(qm, psid)
        pool = qm.pools[int(definition.name)]
        if pool.used > pool.threshold:
            qm.relieve_pool(pool)

    def in_use(self, qm: QueueManager, definition: MQObject) -> bool:
        clear_all(qm)
        number = int(definition.name)
        return number == 0 or any(each.number("BUFFPOOL") == number for each in qm.catalogue.match("PSID"))

    def deleted(self, qm: QueueManager, definition: MQObject) -> None:
        del qm.pools[int(definition.name)]


_DEFAULT: Final = Hooks()
_INDEPENDENT: Final = IndependentHooks()
_PERMANENT: Final = PermanentHooks()

#: The kinds that have hooks of their own.
HOOKS: Final[dict[str, Hooks]] = {
    "QMGR": QueueManagerHooks(),
    "QLOCAL": LocalQueueHooks(),
    "QALIAS": AliasQueueHooks(),
    "QREMOTE": ResolvedQueueHooks(),
    "TOPIC": TopicHooks(),
    "STGCLASS": StorageClassHooks(),
    "PSID": PageSetHooks(),
    "BUFFPOOL": BufferPoolHooks(),
    "CHANNEL": _INDEPENDENT,
    "LISTENER": _INDEPENDENT,
    "SERVICE": _INDEPENDENT,
    "COMMINFO": _INDEPENDENT,
    "AUTHINFO": _INDEPENDENT,
    "AUTHREC": _PERMANENT,
    "CHLAUTH": _PERMANENT,
}


def hooks_of(kind: str) -> Hooks:
    """Return the hooks of a kind of object."""
    return HOOKS.get(kind, _DEFAULT)
