"""Commands about who may do what: SET, DELETE and DISPLAY AUTHREC, ENTAUTH, and SECURITY. `Admin` calls these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flintmq.catalogue import authorities
from flintmq.catalogue.attributes import default_attributes
from flintmq.mqi.reason import MQRC_NONE
from flintmq.qmgr import authority_change, chlauth
from flintmq.qmgr.admin_rows import Row
from flintmq.qmgr.authority import EVERYBODY, type_of
from flintmq.qmgr.authority_records import GROUP, PRINCIPAL, SELF, entity_key
from flintmq.qmgr.catalogue import MQObject

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager


def entities_of(qm: QueueManager, entity_type: str, entity: str) -> list[str]:
    """An entity, and for a principal the groups that it is in."""
    found = [entity_key(entity_type, entity)]
    if entity_type == PRINCIPAL:
        found += [entity_key(GROUP, group) for group in (*qm.entities.groups_of(entity), EVERYBODY)]
    return found


def entity_authority(qm: QueueManager, object_type: str, name: str, entity_type: str, entity: str) -> list[str]:
    """What an entity may do with an object, all records and groups considered."""
    if entity_type == PRINCIPAL and qm.entities.is_privileged(entity):
        return authorities.words_of(authorities.BY_TYPE[object_type])
    name = SELF if object_type == "QMGR" else name
    return authorities.words_of(qm.authority_records.granted(object_type, name, entities_of(qm, entity_type, entity)))


def created(qm: QueueManager, user: str, kind: str, name: str) -> int:
    """`user` has defined an object, and may do with it what it likes. The position to force."""
    if not qm.authority.created(user, kind, name, False):
        return 0
    object_type = type_of(kind)
    if object_type == "QMGR":
        return 0
    everything = authorities.BY_TYPE[object_type]
    return authority_change.change(qm, object_type, name, PRINCIPAL, user, everything, 0)[1]


def deleted(qm: QueueManager, kind: str, name: str) -> int:
    """An object is gone with the records that were for it alone. The position to force."""
    qm.authority.deleted(kind, name)
    object_type = type_of(kind)
    return 0 if object_type == "QMGR" else authority_change.object_deleted(qm, object_type, name)


def check_chlauth(qm: QueueManager, client: chlauth.Client) -> MQObject | None:
    """The record that decides about a client: the block of its address, its map, or the block of who it would be."""
    blocked, _ = chlauth.blocked_address(qm.catalogue, client.address)
    if blocked is not None:
        return blocked
    rule = chlauth.deciding_map(qm.catalogue, client)
    if rule is not None and rule.text("USERSRC") == "NOACCESS":
        return rule
    channel = qm.catalogue.find("CHANNEL", client.channel)
    user = (channel.text("MCAUSER") if channel is not None else "") or client.user
    if rule is not None and rule.text("USERSRC") == "MAP":
        user = rule.text("MCAUSER")
    return chlauth.blocking_rule(qm.catalogue, client.channel, user, qm.entities) or rule


def security(qm: QueueManager) -> Row:
    """DISPLAY SECURITY."""
    row: Row = dict(default_attributes("SECURITY"))
    row.update(qm.parameters["SECURITY"])
    return row


def alter_security(qm: QueueManager, changes: Row) -> int:
    """ALTER SECURITY: in force at once, and kept from the next checkpoint on."""
    qm.parameters["SECURITY"].update(changes)
    take_effect(qm)
    return MQRC_NONE


def take_effect(qm: QueueManager) -> None:
    """Let the authority know TIMEOUT and INTERVAL."""
    row = security(qm)
    interval, timeout = row["INTERVAL"], row["TIMEOUT"]
    assert isinstance(interval, int) and isinstance(timeout, int)
    qm.authority.set_timeout(interval, timeout)
