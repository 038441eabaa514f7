"""DEFINE, ALTER, DELETE and DISPLAY for everything that is in the catalogue."""

from __future__ import annotations

from collections.abc import Iterator

from flintmq.catalogue.attributes import ATTRIBUTES, KIND_OF, settable_defaults
from flintmq.catalogue.kind import Messages
from flintmq.catalogue.kinds import KINDS
from flintmq.command.administration import Administration, Row
from flintmq.command.reply import Item, Reply, Response, done, items_of, listed, refused, type_item
from flintmq.command.request import Request
from flintmq.mqi.reason import MQRC_UNKNOWN_OBJECT_NAME
from flintmq.qmgr.catalogue import MQObject, name_space

#: Name space -> the kind whose messages answer the commands on its objects.
_KINDS = {kind.space: kind for kind in KINDS if kind.messages is not None}


def define(request: Request, administration: Administration) -> Reply:
    """DEFINE: attributes of LIKE or the default object, overridden by those of the command."""
    like = request.option("LIKE")
    base = _find(administration, request.kind, like or KIND_OF[request.kind].default_object)
    if like and base is None:
        return refused(MQRC_UNKNOWN_OBJECT_NAME, like, administration.name)
    attributes = _settable(request.kind, base)
    attributes.update(request.values)
    reason = administration.define(request.kind, request.name, attributes, request.flag("REPLACE"))
    if reason:
        return refused(reason, request.name, administration.name)
    return done(_messages(request.kind).created, command=request.command)


def alter(request: Request, administration: Administration) -> Reply:
    """ALTER: change only the attributes that the command names."""
    name = administration.name if request.kind == "QMGR" else request.name
    reason = administration.alter(request.kind, name, request.values, request.flag("FORCE"))
    if reason:
        return refused(reason, name, administration.name)
    return done(_messages(request.kind).changed, command=request.command)


def delete(request: Request, administration: Administration) -> Reply:
    """DELETE. With IGNSTATE(YES) a missing object is no error."""
    reason = administration.delete(request.kind, request.name, request.flag("PURGE"))
    if reason == MQRC_UNKNOWN_OBJECT_NAME and request.option("IGNSTATE") == "YES":
        reason = 0
    if reason:
        return refused(reason, request.name, administration.name)
    if request.option("AUTHREC", "YES") == "YES":
        administration.delete_authorities_of(request.kind, request.name)
    return done(_messages(request.kind).deleted, command=request.command)


def display(request: Request, administration: Administration) -> Reply:
    """DISPLAY of definitions: one response for each object, in order of name."""
    name = request.name or "*"
    wanted = request.option(_type_option(request.kind), "ALL")
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
    kind = KIND_OF[definition.kind]
    option = _type_option(definition.kind)
    items = [Item(kind.name_keyword or kind.space, definition.name)]
    if _type(definition) and option == "TYPE":
        items.append(type_item(_type(definition)))
    if option != "TYPE" and keywords is not None:
        keywords = keywords | {option}
    attributes = [attribute for attribute in kind.attributes if attribute.keyword != "TYPE"]
    items += items_of(attributes, definition.attributes, keywords)
    return Response(_messages(definition.kind).shown, {"command": f"DISPLAY {definition.kind}"}, items)


def _type_option(kind: str) -> str:
    """Return the option by which DISPLAY chooses a type: CHLTYPE of channels, AUTHTYPE, else TYPE."""
    found = KIND_OF.get(kind)
    return found.type_attribute or "TYPE" if found is not None else "TYPE"


def _type(definition: MQObject) -> str:
    """Return the type by which a TYPE option selects an object: kind of queue, origin of a topic, type of a channel."""
    kind = KIND_OF[definition.kind]
    if kind.queue_type:
        return definition.kind
    return definition.text(kind.type_attribute) if kind.type_attribute else ""


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


def _messages(kind: str) -> Messages:
    messages = _KINDS[name_space(kind)].messages
    assert messages is not None
    return messages
