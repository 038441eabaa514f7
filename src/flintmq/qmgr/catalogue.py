"""The object catalogue: what is defined, by kind and name, and what a queue name resolves to.

Pure data. It knows names, numbers and definitions; messages, handles and files are elsewhere.

    name space  kinds in it
    QUEUE       QLOCAL, QALIAS, QREMOTE, QMODEL: one name, one queue, whatever its kind
    any other   the kind itself: a PROCESS and a NAMELIST may have the same name

Invariants (checked by `check_catalogue`):

    C1  An object is found under its own kind and name, and nowhere else.
    C2  object_id is unique over all kinds and below next_object_id; an id is never given twice, not even after DELETE.
    C3  Every object has every attribute that its kind keeps in the catalogue.
    C4  An attribute that counts the elements of another, as NAMCOUNT those of NAMES, has their number.

A definition goes to the log as one JSON object in UTF-8:

    v           1
    kind        "QLOCAL"
    name        "ORDERS.IN"
    id          object_id
    attributes  keyword -> text, number or list of texts; an attribute that is missing has its default
    stopped     true, of a channel that STOP CHANNEL has stopped; else it is missing
"""

from __future__ import annotations

import json
from typing import Final

from flintmq.catalogue.attribute import ENUM, FLAG, INT, LIST, PAIR, Attribute, Value
from flintmq.catalogue.attributes import (
    ATTRIBUTES,
    KIND_OF,
    NAME_SPACES,
    STORED,
    default_attributes,
    is_object_name,
)
from flintmq.catalogue.kind import QUEUE
from flintmq.mqi.reason import (
    MQRC_ALIAS_BASE_Q_TYPE_ERROR,
    MQRC_DEF_XMIT_Q_TYPE_ERROR,
    MQRC_DEF_XMIT_Q_USAGE_ERROR,
    MQRC_NONE,
    MQRC_REMOTE_Q_NAME_ERROR,
    MQRC_UNKNOWN_ALIAS_BASE_Q,
    MQRC_UNKNOWN_DEF_XMIT_Q,
    MQRC_UNKNOWN_OBJECT_NAME,
    MQRC_UNKNOWN_REMOTE_Q_MGR,
    MQRC_UNKNOWN_XMIT_Q,
    MQRC_XMIT_Q_TYPE_ERROR,
    MQRC_XMIT_Q_USAGE_ERROR,
)

RECORD_VERSION: Final = 1


class RecordError(Exception):
    """A catalogue record that cannot be read: damaged, or written by a later release."""


class MQObject:
    """One definition. `attributes` maps the MQSC keyword to its value (see attribute.py)."""

    #: A channel that STOP CHANNEL has stopped: no part of its definition, and as durable. ALTER and REPLACE leave it.
    stopped: bool = False

    def __init__(self, kind: str, name: str, object_id: int, attributes: dict[str, Value]) -> None:
        self.kind = kind
        self.name = name
        self.object_id = object_id
        self.attributes = attributes

    def __repr__(self) -> str:
        return f"{self.kind}({self.name})"

    def text(self, keyword: str) -> str:
        """A STRING, NAME, ENUM or FLAG attribute."""
        value = self.attributes[keyword]
        assert isinstance(value, str), keyword
        return value

    def number(self, keyword: str) -> int:
        """An INT attribute that has no words."""
        value = self.attributes[keyword]
        assert isinstance(value, int), keyword
        return value

    def names(self, keyword: str) -> list[str]:
        """A LIST attribute."""
        value = self.attributes[keyword]
        assert isinstance(value, list), keyword
        return value

    def copy(self) -> MQObject:
        """Another object with the same values: a change of one is not seen in the other."""
        attributes: dict[str, Value] = {}
        for keyword, value in self.attributes.items():
            attributes[keyword] = list(value) if isinstance(value, list) else value
        made = MQObject(self.kind, self.name, self.object_id, attributes)
        made.stopped = self.stopped
        return made

    def change(self, changes: dict[str, Value]) -> None:
        """Take over `changes`, and keep what is derived from them in step (C4)."""
        self.attributes.update(changes)
        elements, count = KIND_OF[self.kind].counted
        if count:
            self.attributes[count] = len(self.names(elements))

    def to_record(self) -> bytes:
        """The definition as the log keeps it."""
        content: dict[str, object] = {
            "v": RECORD_VERSION,
            "kind": self.kind,
            "name": self.name,
            "id": self.object_id,
            "attributes": self.attributes,
        }
        if self.stopped:
            content["stopped"] = True
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def from_record(record: bytes) -> MQObject:
    """Return the definition in `record`. Attributes that later releases added to its kind have their defaults."""
    content = _content(record)
    kind, name, object_id = content.get("kind"), content.get("name"), content.get("id")
    if not isinstance(kind, str) or kind not in STORED:
        raise RecordError(f"catalogue record is for an unknown kind of object, {kind!r}")
    if not isinstance(name, str) or not is_object_name(kind, name):
        raise RecordError(f"catalogue record has {name!r} for the name of a {kind}")
    if not isinstance(object_id, int) or isinstance(object_id, bool) or object_id < 1:
        raise RecordError(f"catalogue record of {kind}({name}) has {object_id!r} for its object id")
    values = _values(kind, name, content.get("attributes"))
    stopped = content.get("stopped", False)
    if not isinstance(stopped, bool) or (stopped and kind != "CHANNEL"):
        raise RecordError(f"catalogue record of {kind}({name}) has {stopped!r} for whether it is stopped")
    definition = MQObject(kind, name, object_id, values)
    definition.stopped = stopped
    return definition


def _content(record: bytes) -> dict[object, object]:
    """Return the JSON object of a record of this version."""
    try:
        content: object = json.loads(record.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise RecordError(f"catalogue record of {len(record)} bytes is not JSON: {error}") from None
    if not isinstance(content, dict):
        raise RecordError("catalogue record is not a JSON object")
    if content.get("v") != RECORD_VERSION:
        raise RecordError(f"catalogue record has version {content.get('v')!r}; this release reads {RECORD_VERSION}")
    return content


def _values(kind: str, name: str, attributes: object) -> dict[str, Value]:
    """Return the attributes of a record, over the defaults of the kind."""
    if not isinstance(attributes, dict):
        raise RecordError(f"catalogue record of {kind}({name}) has no attributes")
    values = default_attributes(kind)
    for keyword, value in attributes.items():
        if not _is_value(value):
            raise RecordError(f"catalogue record of {kind}({name}) has {value!r} for {keyword}")
        values[str(keyword)] = value
    for attribute in ATTRIBUTES[kind]:
        word = values.get(attribute.keyword)
        if attribute.kind == LIST and isinstance(word, str) and word in attribute.words:
            values[attribute.keyword] = [word]  # A list of words that was once one word.
        if attribute.keyword in values and not _is_value_of(attribute, values[attribute.keyword]):
            raise RecordError(
                f"catalogue record of {kind}({name}) has {values[attribute.keyword]!r} for {attribute.keyword}"
            )
    return values


def _is_value(value: object) -> bool:
    if isinstance(value, list):
        for element in value:
            if not isinstance(element, str):
                return False
        return True
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def _is_value_of(attribute: Attribute, value: Value) -> bool:
    """Whether the attribute can have such a value at all. Bounds may have been others when it was written."""
    if attribute.kind == INT:
        return isinstance(value, int) or (isinstance(value, str) and value in attribute.words)
    if attribute.kind == ENUM or attribute.kind == FLAG:
        return isinstance(value, str) and value in attribute.words
    return isinstance(value, list) == (attribute.kind == LIST or attribute.kind == PAIR) and not isinstance(value, int)


# -- names ------------------------------------------------------------------------------------------------------------


def matches(pattern: str, name: str) -> bool:
    """Whether `name` is meant by `pattern`: the name itself, or with a trailing `*` anything that begins so."""
    if pattern.endswith("*"):
        return name.startswith(pattern[:-1])
    return name == pattern


def name_space(kind: str) -> str:
    """Return the name space that `kind` shares: "QUEUE" for every kind of queue, and for "QUEUE" itself."""
    return NAME_SPACES.get(kind, kind)


# -- name resolution --------------------------------------------------------------------------------------------------


class Resolution:
    """Where a message for a queue name goes.

    reason             0, or why the name leads nowhere
    named              the object that was named; None for a queue that only another queue manager knows
    queue              the queue to open: a local queue, a model, or the transmission queue; None for a topic
    topic              the topic object, if an alias leads to one
    remote_q_name      for the transmission header, when `queue` is a transmission queue on the way to another
    remote_q_mgr_name  queue manager; both blank otherwise
    """

    def __init__(self, reason: int, named: MQObject | None = None, queue: MQObject | None = None) -> None:
        self.reason = reason
        self.named = named
        self.queue = queue
        self.topic = ""
        self.remote_q_name = ""
        self.remote_q_mgr_name = ""


# -- the catalogue ----------------------------------------------------------------------------------------------------


class Catalogue:
    """All definitions of one queue manager."""

    def __init__(self) -> None:
        self._spaces: dict[str, dict[str, MQObject]] = {}
        for kind in STORED:
            self._spaces[name_space(kind)] = {}
        #: The id that the next new object gets. Restart sets it, so that the id of a deleted object is not given again.
        self.next_object_id = 1

    def add(self, kind: str, name: str, attributes: dict[str, Value]) -> MQObject:
        """Define a new object: its attributes are the defaults of its kind, overlaid with `attributes`."""
        space = self._spaces[name_space(kind)]
        assert name not in space, f"{kind}({name}) is already defined"
        definition = MQObject(kind, name, self.next_object_id, default_attributes(kind))
        definition.change(attributes)
        self.next_object_id += 1
        space[name] = definition
        return definition

    def restore(self, definition: MQObject) -> None:
        """Put in a definition read from the log or a checkpoint, over any earlier one of its name."""
        self._spaces[name_space(definition.kind)][definition.name] = definition
        if definition.object_id >= self.next_object_id:
            self.next_object_id = definition.object_id + 1

    def remove(self, definition: MQObject) -> None:
        """Delete. The object's id is not used again."""
        del self._spaces[name_space(definition.kind)][definition.name]

    def find(self, kind: str, name: str) -> MQObject | None:
        """The object of `kind` called `name`. `kind` may be "QUEUE": a queue of any kind."""
        found = self._spaces[name_space(kind)].get(name)
        if found is None or (kind != QUEUE and found.kind != kind):
            return None
        return found

    def taken(self, kind: str, name: str) -> MQObject | None:
        """The object that stands in the way of a new `kind` called `name`, which may be a queue of another kind."""
        return self._spaces[name_space(kind)].get(name)

    def match(self, kind: str, pattern: str = "*") -> list[MQObject]:
        """The objects of `kind` (or "QUEUE") whose name is meant by `pattern`, in order of name."""
        result: list[MQObject] = []
        for name, definition in self._spaces[name_space(kind)].items():
            if (kind == QUEUE or definition.kind == kind) and matches(pattern, name):
                result.append(definition)
        known = KIND_OF.get(kind)
        if known is not None and known.names.numbered:
            return sorted(result, key=_number_of_name)
        return sorted(result, key=_name_of)

    def everything(self) -> list[MQObject]:
        """Every object, in the order in which they were first defined."""
        result: list[MQObject] = []
        for space in self._spaces.values():
            result.extend(space.values())
        return sorted(result, key=_id_of)

    def q_mgr(self) -> MQObject:
        """The definition of the queue manager itself."""
        for definition in self._spaces["QMGR"].values():
            return definition
        raise AssertionError("the queue manager is not in its own catalogue")

    def page_set_of(self, queue: MQObject) -> int:
        """The page set of a queue: STGCLASS to PSID. A storage class that does not exist means page set 0."""
        found = self.find("STGCLASS", queue.text("STGCLASS"))
        return 0 if found is None else found.number("PSID")

    # -- name resolution: the rules of MQOPEN ---------------------------------------------------------------------

    def resolve(self, q_name: str, q_mgr_name: str = "") -> Resolution:
        """What an MQOPEN for a queue leads to."""
        local = self.q_mgr()
        if not q_mgr_name or q_mgr_name == local.name:
            return self._resolve_local(q_name)
        named = self._spaces[QUEUE].get(q_mgr_name)
        if named is None:
            return self._by_default_transmission(None, q_name, q_mgr_name)
        if named.kind == "QREMOTE":  # A queue manager alias.
            target, transmission = named.text("RQMNAME"), named.text("XMITQ")
            if not transmission and (not target or target == local.name):
                return self._resolve_local(q_name)
            return self._to_remote(named, q_name, target or q_mgr_name, transmission)
        return self._by_transmission(named, named, q_name, q_mgr_name)

    def _resolve_local(self, q_name: str) -> Resolution:
        named = self._spaces[QUEUE].get(q_name)
        if named is None:
            return Resolution(MQRC_UNKNOWN_OBJECT_NAME)
        if named.kind == "QALIAS":
            return self._resolve_alias(named)
        if named.kind == "QREMOTE":
            return self._resolve_remote(named, named)
        return Resolution(MQRC_NONE, named, named)

    def _resolve_alias(self, alias: MQObject) -> Resolution:
        target = alias.text("TARGET")
        if alias.text("TARGTYPE") == "TOPIC":
            resolution = Resolution(MQRC_NONE, alias)
            resolution.topic = target
            return resolution
        base = self._spaces[QUEUE].get(target)
        if base is None:
            return Resolution(MQRC_UNKNOWN_ALIAS_BASE_Q, alias)
        if base.kind == "QREMOTE":
            return self._resolve_remote(alias, base)
        if base.kind != "QLOCAL":
            return Resolution(MQRC_ALIAS_BASE_Q_TYPE_ERROR, alias)
        return Resolution(MQRC_NONE, alias, base)

    def _resolve_remote(self, named: MQObject, remote: MQObject) -> Resolution:
        q_name, q_mgr_name, transmission = remote.text("RNAME"), remote.text("RQMNAME"), remote.text("XMITQ")
        if not q_name or (not transmission and (not q_mgr_name or q_mgr_name == self.q_mgr().name)):
            return Resolution(MQRC_REMOTE_Q_NAME_ERROR, named)
        return self._to_remote(named, q_name, q_mgr_name, transmission)

    def _to_remote(self, named: MQObject, q_name: str, q_mgr_name: str, transmission: str) -> Resolution:
        """The transmission queue that is named, else the one called like the queue manager, else the default."""
        found = self._spaces[QUEUE].get(transmission or q_mgr_name)
        if found is not None:
            return self._by_transmission(named, found, q_name, q_mgr_name)
        if transmission:
            return Resolution(MQRC_UNKNOWN_XMIT_Q, named)
        return self._by_default_transmission(named, q_name, q_mgr_name)

    def _by_transmission(self, named: MQObject, found: MQObject, q_name: str, q_mgr_name: str) -> Resolution:
        if found.kind != "QLOCAL":
            return Resolution(MQRC_XMIT_Q_TYPE_ERROR, named)
        if found.text("USAGE") != "XMITQ":
            return Resolution(MQRC_XMIT_Q_USAGE_ERROR, named)
        return _across(named, found, q_name, q_mgr_name)

    def _by_default_transmission(self, named: MQObject | None, q_name: str, q_mgr_name: str) -> Resolution:
        default = self.q_mgr().text("DEFXMITQ")
        if not default:
            return Resolution(MQRC_UNKNOWN_REMOTE_Q_MGR, named)
        found = self._spaces[QUEUE].get(default)
        if found is None:
            return Resolution(MQRC_UNKNOWN_DEF_XMIT_Q, named)
        if found.kind != "QLOCAL":
            return Resolution(MQRC_DEF_XMIT_Q_TYPE_ERROR, named)
        if found.text("USAGE") != "XMITQ":
            return Resolution(MQRC_DEF_XMIT_Q_USAGE_ERROR, named)
        return _across(named, found, q_name, q_mgr_name)


def _across(named: MQObject | None, transmission: MQObject, q_name: str, q_mgr_name: str) -> Resolution:
    resolution = Resolution(MQRC_NONE, named, transmission)
    resolution.remote_q_name = q_name
    resolution.remote_q_mgr_name = q_mgr_name
    return resolution


def _name_of(definition: MQObject) -> str:
    return definition.name


def _number_of_name(definition: MQObject) -> int:
    return int(definition.name)


def _id_of(definition: MQObject) -> int:
    return definition.object_id


def check_catalogue(catalogue: Catalogue) -> None:
    """C1 to C4. Our bug if one does not hold."""
    ids: set[int] = set()
    for definition in catalogue.everything():
        assert catalogue.find(definition.kind, definition.name) is definition, f"C1: {definition!r}"
        assert definition.object_id not in ids, f"C2: {definition!r} has the id of another object"
        assert 0 < definition.object_id < catalogue.next_object_id, f"C2: {definition!r}"
        ids.add(definition.object_id)
        for attribute in ATTRIBUTES[definition.kind]:
            if not attribute.live:
                value = definition.attributes.get(attribute.keyword)
                assert value is not None, f"C3: {definition!r} has no {attribute.keyword}"
                assert isinstance(value, list) == (attribute.kind == LIST), f"C3: {definition!r} {attribute.keyword}"
        elements, count = KIND_OF[definition.kind].counted
        if count:
            assert definition.attributes[count] == len(definition.names(elements)), f"C4: {definition!r}"
