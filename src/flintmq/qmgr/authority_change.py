"""SET AUTHREC, DELETE AUTHREC, and the authority records of an object that is deleted."""

from __future__ import annotations

from flintmq.catalogue import authorities
from flintmq.log.errors import LogError
from flintmq.mqi.reason import MQRC_NONE, MQRC_RESOURCE_PROBLEM, MQRC_UNKNOWN_OBJECT_NAME
from flintmq.qmgr.authority_records import KIND, record_name
from flintmq.qmgr.catalogue import MQObject
from flintmq.qmgr.objects import log_definition, log_deletion
from flintmq.qmgr.queue_manager import QueueManager


def find(qm: QueueManager, object_type: str, profile_name: str, entity_type: str, entity: str) -> MQObject | None:
    """The record with exactly this profile."""
    return qm.catalogue.find(KIND, record_name(object_type, profile_name, entity_type, entity))


def change(
    qm: QueueManager, object_type: str, profile_name: str, entity_type: str, entity: str, add: int, remove: int
) -> tuple[int, int]:
    """SET AUTHREC for one entity: (reason, position to force). A record that is left with nothing stays."""
    record = find(qm, object_type, profile_name, entity_type, entity)
    new = record is None
    if record is None:
        identity = record_name(object_type, profile_name, entity_type, entity)
        record = qm.catalogue.add(
            KIND, identity, {"OBJTYPE": object_type, "PROFILE": profile_name, "ENTTYPE": entity_type, "ENTITY": entity}
        )
    before = record.names("AUTHLIST")
    given = 0
    for word in before:
        given |= authorities.WORDS.get(word, 0)
    record.attributes["AUTHLIST"] = authorities.words_of(given & ~remove | add)
    try:
        force = log_definition(qm, record)
    except LogError:
        record.attributes["AUTHLIST"] = before
        if new:
            qm.catalogue.remove(record)
            qm.changed_objects.pop(record.object_id, None)
        return MQRC_RESOURCE_PROBLEM, 0
    qm.authority_changed()
    return MQRC_NONE, force


def delete(qm: QueueManager, object_type: str, profile_name: str, entity_type: str, entity: str) -> tuple[int, int]:
    """DELETE AUTHREC: (reason, position to force)."""
    record = find(qm, object_type, profile_name, entity_type, entity)
    if record is None:
        return MQRC_UNKNOWN_OBJECT_NAME, 0
    try:
        force = log_deletion(qm, record)
    except LogError:
        return MQRC_RESOURCE_PROBLEM, 0
    qm.catalogue.remove(record)
    qm.authority_changed()
    return MQRC_NONE, force


def object_deleted(qm: QueueManager, object_type: str, name: str) -> int:
    """An object is gone, and the records that were for it alone go with it. The position to force."""
    force = 0
    for record in qm.catalogue.match(KIND, f"{object_type} {name} *"):
        _, done = delete(qm, object_type, name, record.text("ENTTYPE"), record.text("ENTITY"))
        force = max(force, done)
    return force
