"""Commands about authority: authority records, the authority service, and cached data about users."""

from __future__ import annotations

from collections.abc import Iterator

from flintmq.catalogue import authorities, profile
from flintmq.catalogue.attribute import ENUM, LIST, STRING, Attribute
from flintmq.catalogue.attributes import ATTRIBUTES
from flintmq.command.administration import Administration, Row
from flintmq.command.reply import Item, Reply, Response, done, items_of, listed, refused
from flintmq.command.request import Request
from flintmq.mqi.pcf_constants import (
    MQRCCF_AUTH_VALUE_ERROR,
    MQRCCF_AUTH_VALUE_MISSING,
    MQRCCF_ENTITY_NAME_MISSING,
    MQRCCF_NONE_FOUND,
    MQRCCF_PROFILE_NAME_ERROR,
    MQRCCF_PROFILE_NAME_MISSING,
)
from flintmq.mqi.reason import MQRC_UNKNOWN_ENTITY, MQRC_UNKNOWN_OBJECT_NAME
from flintmq.qmgr.authority_records import GROUP, PRINCIPAL, SELF
from flintmq.qmgr.catalogue import MQObject

#: The authority service there is. UIDSUPP: users can be named as well as groups.
SERVICE = [
    Attribute("IFVER", ENUM, 0, "6"),
    Attribute("UIDSUPP", ENUM, 0, "YES"),
]
COMPONENT = "FlintMQ.authority.service"
_ALL = "ALL"


# -- authority records ------------------------------------------------------------------------------------------------


def set_authority(request: Request, administration: Administration) -> Reply:
    """SET AUTHREC: for every entity that is named."""
    object_type, name, reason = _subject(request)
    entities = list(_entities(request))
    if not reason and not entities:
        reason = MQRCCF_ENTITY_NAME_MISSING
    add, remove = _words(request, "AUTHADD"), _words(request, "AUTHRMV")
    if not reason and not add and not remove:
        reason = MQRCCF_AUTH_VALUE_MISSING
    if not reason and not all(authorities.takes(word, object_type) for word in (*add, *remove)):
        reason = MQRCCF_AUTH_VALUE_ERROR
    if reason:
        return refused(reason, name, administration.name)
    unknown = [each for each in entities if add and not administration.knows_entity(*each)]
    if unknown:
        which = ", ".join(f"{entity_type.lower()} {entity}" for entity_type, entity in unknown)
        return Reply([Response("AMQ8871E", {"which": which})], MQRC_UNKNOWN_ENTITY)
    added, removed = _bits(add, object_type), _bits(remove, object_type)
    for entity_type, entity in entities:
        reason = administration.set_authority(object_type, name, entity_type, entity, added, removed)
        if reason:
            return refused(reason, name, administration.name)
    return done("AMQ8862I")


def delete_authority(request: Request, administration: Administration) -> Reply:
    """DELETE AUTHREC: for every entity that is named."""
    object_type, name, reason = _subject(request)
    entities = list(_entities(request))
    if not reason and not entities:
        reason = MQRCCF_ENTITY_NAME_MISSING
    for entity_type, entity in entities:
        reason = reason or administration.delete_authority(object_type, name, entity_type, entity)
    if reason == MQRC_UNKNOWN_OBJECT_NAME:
        return Reply([Response("AMQ8884E", {"name": name})], reason)
    if reason:
        return refused(reason, name, administration.name)
    return done("AMQ8863I")


def display_authority(request: Request, administration: Administration) -> Reply:
    """DISPLAY AUTHREC: by profile, object type and entity."""
    name = request.option("PROFILE", "*")
    responses = _records(request, administration)
    return listed(responses, Reply([Response("AMQ8884E", {"name": name})], MQRCCF_NONE_FOUND))


def _records(request: Request, administration: Administration) -> Iterator[Response | None]:
    for record in sorted(administration.objects("AUTHREC"), key=_order):
        row = _row(record)
        if _is_wanted(request, record) and (request.where is None or request.where.matches_row(row)):
            yield Response("AMQ8864I", {}, _record_items(row, request))
        else:
            yield None


def display_entity(request: Request, administration: Administration) -> Reply:
    """DISPLAY ENTAUTH: show the authorities of one entity on one object."""
    object_type, name = request.option("OBJTYPE"), request.option("OBJNAME")
    found = list(_entities(request))
    if len(found) != 1:
        return refused(MQRCCF_ENTITY_NAME_MISSING, name, administration.name)
    if not name and object_type != "QMGR":
        return refused(MQRCCF_PROFILE_NAME_MISSING, name, administration.name)
    entity_type, entity = found[0]
    words = administration.entity_authority(object_type, name, entity_type, entity)
    items = [
        Item("OBJNAME", administration.name if object_type == "QMGR" else name),
        Item("ENTITY", entity, STRING),
        Item("ENTTYPE", entity_type, ENUM),
        Item("OBJTYPE", object_type, ENUM),
        Item("AUTHLIST", words or [authorities.NONE], STRING),
    ]
    return Reply([Response("AMQ8866I", {}, items)])


def display_service(request: Request, administration: Administration) -> Reply:
    """DISPLAY AUTHSERV."""
    row: Row = {attribute.keyword: attribute.default for attribute in SERVICE}
    keywords = None if request.flag("ALL") else request.shown or None
    return Reply([Response("AMQ8865I", {}, [Item("SERVCOMP", COMPONENT, STRING), *items_of(SERVICE, row, keywords)])])


def _subject(request: Request) -> tuple[str, str, int]:
    """Return object type, profile and reason. The queue manager needs no profile."""
    object_type, name = request.option("OBJTYPE"), request.option("PROFILE")
    if object_type == "QMGR":
        return object_type, SELF, 0
    if not name:
        return object_type, name, MQRCCF_PROFILE_NAME_MISSING
    return object_type, name, 0 if profile.is_profile(name) else MQRCCF_PROFILE_NAME_ERROR


def _entities(request: Request) -> Iterator[tuple[str, str]]:
    for entity_type in (PRINCIPAL, GROUP):
        given = request.options.get(entity_type, [])
        for entity in given if isinstance(given, list) else [str(given)]:
            if entity:
                yield entity_type, entity


def _words(request: Request, keyword: str) -> list[str]:
    given = request.options.get(keyword, [])
    return [word.upper() for word in given] if isinstance(given, list) else []


def _bits(words: list[str], object_type: str) -> int:
    result = 0
    for word in words:
        result |= authorities.bits_of(word, object_type)
    return result


def _is_wanted(request: Request, record: MQObject) -> bool:
    if request.option("OBJTYPE", _ALL) not in (_ALL, record.text("OBJTYPE")):
        return False
    for entity_type in (PRINCIPAL, GROUP):
        entity = request.option(entity_type)
        if entity and (record.text("ENTTYPE"), record.text("ENTITY")) != (entity_type, entity):
            return False
    wanted, name = request.option("PROFILE"), record.text("PROFILE")
    if not wanted:
        return True
    if request.option("MATCH", "PROFILE") == "MATCHING":
        return profile.matches(name, wanted)
    return name == wanted or (request.option("MATCH") != "EXACT" and profile.like(wanted, name))


def _order(record: MQObject) -> tuple[str, str, str, str]:
    return record.text("OBJTYPE"), record.text("PROFILE"), record.text("ENTTYPE"), record.text("ENTITY")


def _row(record: MQObject) -> Row:
    row: Row = dict(record.attributes)
    row["AUTHLIST"] = record.names("AUTHLIST") or [authorities.NONE]
    return row


def _record_items(row: Row, request: Request) -> list[Item]:
    always = {"PROFILE", "ENTITY", "ENTTYPE"}
    keywords = None if request.flag("ALL") or not request.shown else request.shown | always
    # One line whatever its length, as scripts expect it.
    return [
        Item(item.keyword, item.value, STRING) if item.kind == LIST else item
        for item in items_of(ATTRIBUTES["AUTHREC"], row, keywords)
    ]


# -- cached data about users -----------------------------------------------------------------------------------------


def display(request: Request, administration: Administration) -> Reply:
    """DISPLAY SECURITY."""
    row = administration.security()
    responses: list[Response] = []
    for number, keyword in (("CSQH015I", "TIMEOUT"), ("CSQH016I", "INTERVAL")):
        if not request.shown or request.flag("ALL") or keyword in request.shown:
            responses.append(Response(number, {"minutes": str(row[keyword])}, [Item(keyword, row[keyword])]))
    return Reply([*responses, Response("CSQ9022I", {"command": request.command})])


def alter(request: Request, administration: Administration) -> Reply:
    """ALTER SECURITY."""
    reason = administration.alter_security(request.values)
    return refused(reason, "", administration.name) if reason else done("CSQ9022I", command=request.command)


def refresh(request: Request, administration: Administration) -> Reply:
    """REFRESH SECURITY. Only answers about users are cached; users, keys and CONNAUTH are read when they are used."""
    reason = administration.refresh_security("")
    return refused(reason, "", administration.name) if reason else done("AMQ8560I")


def reverify(request: Request, administration: Administration) -> Reply:
    """Forget the cached answers about one user: RVERIFY SECURITY(user)."""
    reason = administration.refresh_security(request.name)
    return refused(reason, "", administration.name) if reason else done("CSQ9022I", command=request.command)
