"""DEFINE, ALTER, DELETE and DISPLAY for everything that is in the catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flintmq.catalogue.attributes import ATTRIBUTES, QUEUE_KINDS, settable_defaults
from flintmq.command.administration import Administration, Row
from flintmq.command.reply import Item, Reply, Response, done, items_of, listed, refused, type_item
from flintmq.command.request import Request
from flintmq.mqi.reason import MQRC_UNKNOWN_OBJECT_NAME
from flintmq.qmgr.catalogue import MQObject, name_space


@dataclass(frozen=True)
class Numbers:
    """The messages of one kind of object, and the keyword of its name."""

    created: str
    changed: str
    deleted: str
    shown: str
    keyword: str


NUMBERS = {
    "QUEUE": Numbers("AMQ8006I", "AMQ8008I", "AMQ8007I", "AMQ8409I", "QUEUE"),
    "QMGR": Numbers("", "AMQ8005I", "", "AMQ8408I", "QMNAME"),
    "PROCESS": Numbers("AMQ8010I", "AMQ8012I", "AMQ8011I", "AMQ8407I", "PROCESS"),
    "NAMELIST": Numbers("AMQ8552I", "AMQ8551I", "AMQ8553I", "AMQ8550I", "NAMELIST"),
    "TOPIC": Numbers("AMQ8690I", "AMQ8691I", "AMQ8692I", "AMQ8633I", "TOPIC"),
    "CHANNEL": Numbers("AMQ8014I", "AMQ8016I", "AMQ8015I", "AMQ8414I", "CHANNEL"),
    "AUTHINFO": Numbers("AMQ8563I", "AMQ8567I", "AMQ8564I", "AMQ8566I", "AUTHINFO"),
    "LISTENER": Numbers("AMQ8626I", "AMQ8623I", "AMQ8628I", "AMQ8630I", "LISTENER"),
    "SERVICE": Numbers("AMQ8625I", "AMQ8624I", "AMQ8627I", "AMQ8629I", "SERVICE"),
    "COMMINFO": Numbers("AMQ8858I", "AMQ8859I", "AMQ8860I", "AMQ8861I", "COMMINFO"),
    "STGCLASS": Numbers("CSQ9022I", "CSQ9022I", "CSQ9022I", "CSQM201I", "STGCLASS"),
    "BUFFPOOL": Numbers("CSQ9022I", "CSQ9022I", "CSQ9022I", "CSQM201I", "BUFFPOOL"),
    "PSID": Numbers("CSQ9022I", "CSQ9022I", "CSQ9022I", "CSQM201I", "PSID"),
}

#: The attribute that says of what type an object is, where it is not TYPE.
_TYPE_OPTIONS = {"CHANNEL": "CHLTYPE", "AUTHINFO": "AUTHTYPE"}

#: The object that supplies attributes left out in DEFINE when there is no LIKE.
DEFAULT_OBJECTS = {
    "QLOCAL": "SYSTEM.DEFAULT.LOCAL.QUEUE",
    "QALIAS": "SYSTEM.DEFAULT.ALIAS.QUEUE",
    "QREMOTE": "SYSTEM.DEFAULT.REMOTE.QUEUE",
    "QMODEL": "SYSTEM.DEFAULT.MODEL.QUEUE",
    "PROCESS": "SYSTEM.DEFAULT.PROCESS",
    "NAMELIST": "SYSTEM.DEFAULT.NAMELIST",
    "TOPIC": "SYSTEM.DEFAULT.TOPIC",
    "CHANNEL": "SYSTEM.DEF.SVRCONN",
    "LISTENER": "SYSTEM.DEFAULT.LISTENER.TCP",
    "SERVICE": "SYSTEM.DEFAULT.SERVICE",
    "COMMINFO": "SYSTEM.DEFAULT.COMMINFO.MULTICAST",
    "AUTHINFO": "SYSTEM.DEFAULT.AUTHINFO.IDPWOS",
}


def define(request: Request, administration: Administration) -> Reply:
    """DEFINE: attributes of LIKE or the default object, overridden by those of the command."""
    like = request.option("LIKE")
    base = _find(administration, request.kind, like or DEFAULT_OBJECTS.get(request.kind, ""))
    if like and base is None:
        return refused(MQRC_UNKNOWN_OBJECT_NAME, like, administration.name)
    attributes = _settable(request.kind, base)
    attributes.update(request.values)
    reason = administration.define(request.kind, request.name, attributes, request.flag("REPLACE"))
    if reason:
        return refused(reason, request.name, administration.name)
    return done(_numbers(request.kind).created, command=request.command)


def alter(request: Request, administration: Administration) -> Reply:
    """ALTER: change only the attributes that the command names."""
    name = administration.name if request.kind == "QMGR" else request.name
    reason = administration.alter(request.kind, name, request.values, request.flag("FORCE"))
    if reason:
        return refused(reason, name, administration.name)
    return done(_numbers(request.kind).changed, command=request.command)


def delete(request: Request, administration: Administration) -> Reply:
    """DELETE. With IGNSTATE(YES) a missing object is no error."""
    reason = administration.delete(request.kind, request.name, request.flag("PURGE"))
    if reason == MQRC_UNKNOWN_OBJECT_NAME and request.option("IGNSTATE") == "YES":
        reason = 0
    if reason:
        return refused(reason, request.name, administration.name)
    if request.option("AUTHREC", "YES") == "YES":
        administration.delete_authorities_of(request.kind, request.name)
    return done(_numbers(request.kind).deleted, command=request.command)


def display(request: Request, administration: Administration) -> Reply:
    """DISPLAY of definitions: one response for each object, in order of name."""
    name = request.name or "*"
    wanted = request.option(_TYPE_OPTIONS.get(request.kind, "TYPE"), "ALL")
    keywords = request.keywords()
    if request.kind == "QMGR":
        name, keywords = administration.name, keywords or None
    responses = _responses(request, administration, name, wanted, keywords)
    return listed(responses, refused(MQRC_UNKNOWN_OBJECT_NAME, name, administration.name))


def _responses(
    request: Request, administration: Administration, name: str, wanted: str, keywords: set[str] | None
) -> Iterator[Response | None]:
    for definition in administration.objects_called(request.kind, name):
        meant = wanted in ("ALL", _type(definition))
        if meant and request.where is not None:
            meant = request.where.matches_row(definition.attributes)
        if meant and administration.may(request.verb, definition.kind, definition.name):
            yield _shown(definition, keywords)
        else:
            yield None


def _shown(definition: MQObject, keywords: set[str] | None) -> Response:
    numbers = _numbers(definition.kind)
    items = [Item(numbers.keyword, definition.name)]
    if _type(definition) and definition.kind not in _TYPE_OPTIONS:
        items.append(type_item(_type(definition)))
    if definition.kind in _TYPE_OPTIONS and keywords is not None:
        keywords = keywords | {_TYPE_OPTIONS[definition.kind]}
    attributes = [attribute for attribute in ATTRIBUTES[definition.kind] if attribute.keyword != "TYPE"]
    items += items_of(attributes, definition.attributes, keywords)
    return Response(numbers.shown, {"command": f"DISPLAY {definition.kind}"}, items)


def _type(definition: MQObject) -> str:
    """Return the type by which a TYPE option selects an object: kind of queue, origin of a topic, type of a channel."""
    if definition.kind in QUEUE_KINDS:
        return definition.kind
    keyword = _TYPE_OPTIONS.get(definition.kind, "TYPE" if definition.kind in ("TOPIC", "COMMINFO") else "")
    return definition.text(keyword) if keyword else ""


def _settable(kind: str, base: MQObject | None) -> Row:
    """Return every attribute that DEFINE sets, from `base` if there is one."""
    values = settable_defaults(kind)
    if base is not None:
        for attribute in ATTRIBUTES[kind]:
            if attribute.keyword in values and not attribute.fixed:
                value = base.attributes[attribute.keyword]
                values[attribute.keyword] = list(value) if isinstance(value, list) else value
    return values


def _find(administration: Administration, kind: str, name: str) -> MQObject | None:
    if not name:
        return None
    return next((each for each in administration.objects_called(kind, name) if each.name == name), None)


def _numbers(kind: str) -> Numbers:
    return NUMBERS[name_space(kind)]
