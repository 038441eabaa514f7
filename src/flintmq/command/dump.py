"""dmpmqcfg: the definitions of a queue manager as MQSC that makes the same definitions again.

    layout   a definition is                                       attributes that DEFINE does not set (ALTDATE ...)
    mqsc     one attribute to a line, continued with +              left out
    1line    one line, for `diff`                                   left out
    2line    one line, and a comment                                the comment

    order    QMGR, then each object before those that refer to it: authentication, pools, page sets, storage classes,
             processes, namelists, queues, topics, subscriptions, channels, listeners, services, communication
             information; then authority records. Within a kind the SYSTEM.DEFAULT object first: it supplies the values
             that the others leave out.

The dump is complete although it is short: an attribute is left out only if both the product's default and the
SYSTEM.DEFAULT object have the same value, and never if only DEFINE can set it; a SYSTEM.DEFAULT object itself leaves
out nothing. With `everything` nothing is left out anywhere. Never dumped: passwords (INITKEY, KEYRPWD), temporary
dynamic queues, subscriptions that are not durable, and the queues that managed subscriptions have made for themselves.

A line is never longer than runmqsc accepts. A longer one is cut, inside quotes as well: with `-` in front of a blank,
else with `+`, the next line beginning with a blank that does not count, because a `*` in column 1 makes a comment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flintmq.catalogue.attribute import FLAG, HEX, INT, LIST, NAME, STRING, Attribute, Value
from flintmq.catalogue.attributes import ATTRIBUTES, KIND_OF, RULE_KINDS, settable_defaults
from flintmq.command.administration import Administration, Row
from flintmq.command.defaults import q_mgr_attributes
from flintmq.mqi.command_text import LINE_LENGTH_MAX
from flintmq.mqi.topic_words import join_topic
from flintmq.qmgr.catalogue import MQObject, matches

LAYOUTS = ("mqsc", "1line", "2line")

#: Every kind that is dumped, in the order of the dump.
KINDS = tuple(kind.keyword for kind in sorted(KIND_OF.values(), key=lambda kind: kind.dump_order))


def _types() -> dict[str, tuple[str, ...]]:
    types: dict[str, tuple[str, ...]] = {"all": KINDS}
    for keyword in KINDS:
        kind = KIND_OF[keyword]
        if keyword in RULE_KINDS:
            continue
        words = kind.authority.words if kind.authority is not None else ()
        for word in dict.fromkeys((*words, keyword.lower())):
            types[word] = (*types.get(word, ()), keyword)
    types["clntconn"] = ()
    return types


#: The words of `-t`, MQ's for kinds of objects. One names a kind that does not exist here; it dumps nothing.
TYPES = _types()

_LINE = LINE_LENGTH_MAX - 2  # Room for " +".
_INDENT = "   "
_MANAGED = "SYSTEM.MANAGED."
#: Attributes that DEFINE requires.
_ALWAYS = frozenset(keyword for kind in KIND_OF.values() if kind.mqsc is not None for keyword in kind.mqsc.required)


@dataclass(frozen=True)
class Dump:
    """The selection of objects to dump, and the layout."""

    kinds: tuple[str, ...] = KINDS
    name: str = "*"
    everything: bool = False
    layout: str = "mqsc"


def dump(administration: Administration, what: Dump) -> Iterator[str]:
    """Yield the lines of the dump."""
    for kind in KINDS:
        if kind not in what.kinds:
            continue
        if kind in _OTHERS:
            yield from _OTHERS[kind](administration, what)
            continue
        definitions = administration.objects(kind)
        default = next((each for each in definitions if each.name == KIND_OF[kind].default_object), None)
        for definition in sorted(definitions, key=_order):
            if kind == "QMGR":
                yield from _queue_manager(definition, what)
            elif matches(what.name, definition.name) and not _goes_by_itself(definition):
                yield from _object(definition, default, what)


def _order(definition: MQObject) -> tuple[bool, int, str]:
    kind = KIND_OF[definition.kind]
    number = int(definition.name) if kind.names.numbered else 0
    return definition.name != kind.default_object, number, definition.name


def _goes_by_itself(definition: MQObject) -> bool:
    return definition.kind == "QLOCAL" and (
        definition.text("DEFTYPE") == "TEMPDYN" or definition.name.startswith(_MANAGED)
    )


def _queue_manager(definition: MQObject, what: Dump) -> Iterator[str]:
    defaults = {} if what.everything else q_mgr_attributes(definition.name)
    values = _values(definition, defaults, {})
    if values:
        yield from command(["ALTER QMGR", *values, "FORCE"], what.layout)
        yield from _remark(definition, what)


def _object(definition: MQObject, default: MQObject | None, what: Dump) -> Iterator[str]:
    builtin = {} if what.everything or definition is default else settable_defaults(definition.kind)
    inherited = default.attributes if default is not None else builtin
    head = f"DEFINE {definition.kind}({quoted(definition.name)})"
    yield from command([head, *_values(definition, builtin, inherited), "REPLACE"], what.layout)
    yield from _remark(definition, what)


def _subscriptions(administration: Administration, what: Dump) -> Iterator[str]:
    """Yield DEFINE SUB for every subscription that outlives the queue manager's end, those of applications included."""
    topics = {each.name: each.text("TOPICSTR") for each in administration.objects("TOPIC")}
    for row in sorted(administration.subscriptions(), key=lambda row: str(row["SUB"])):
        if row["DURABLE"] != "YES" or row["SUBTYPE"] == "PROXY" or not matches(what.name, str(row["SUB"])):
            continue
        definition = MQObject("SUB", str(row["SUB"]), 0, dict(row))
        _split_topic(definition.attributes, topics)
        if row["DESTCLAS"] == "MANAGED":
            del definition.attributes["DEST"], definition.attributes["DESTQMGR"]
        yield from _object(definition, None, what)


def _channel_rules(administration: Administration, what: Dump) -> Iterator[str]:
    """SET CHLAUTH for every record."""
    for record in sorted(administration.objects("CHLAUTH"), key=lambda record: record.name):
        if not matches(what.name, record.text("CHLAUTH")):
            continue
        builtin = settable_defaults("CHLAUTH")
        words = [f"SET CHLAUTH({quoted(record.text('CHLAUTH'))})", f"TYPE({record.text('TYPE')})"]
        for attribute in ATTRIBUTES["CHLAUTH"]:
            keyword = attribute.keyword
            if attribute.read_only or keyword in ("CHLAUTH", "TYPE") or record.attributes[keyword] == builtin[keyword]:
                continue
            words.append(parameter(attribute, record.attributes[keyword]))
        yield from command([*words, "ACTION(REPLACE)"], what.layout)
        yield from _remark(record, what)


def _authorities(administration: Administration, what: Dump) -> Iterator[str]:
    """SET AUTHREC for every record."""
    for record in sorted(administration.objects("AUTHREC"), key=lambda record: record.name):
        if matches(what.name, record.text("PROFILE")):
            q_mgr = record.text("OBJTYPE") == "QMGR"
            words = ["SET AUTHREC", *([] if q_mgr else [f"PROFILE({quoted(record.text('PROFILE'))})"])]
            words.append(f"OBJTYPE({record.text('OBJTYPE')})")
            words.append(f"{record.text('ENTTYPE')}({quoted(record.text('ENTITY'))})")
            words.append(f"AUTHADD({','.join(record.names('AUTHLIST')) or 'NONE'})")
            yield from command(words, what.layout)


#: Kinds that are set rather than defined, or shown by another command.
_OTHERS = {"SUB": _subscriptions, "CHLAUTH": _channel_rules, "AUTHREC": _authorities}


def _split_topic(row: Row, topics: dict[str, str]) -> None:
    """Reduce TOPICSTR to the part after the topic string of TOPICOBJ, as DEFINE SUB takes it."""
    prefix, whole = topics.get(str(row["TOPICOBJ"])), str(row["TOPICSTR"])
    if prefix is not None:
        rest = whole[len(prefix) :].removeprefix("/") if whole.startswith(prefix) else ""
        if join_topic(prefix, rest) == whole:
            row["TOPICSTR"] = rest
            return
    row["TOPICOBJ"] = ""


def _values(definition: MQObject, builtin: Row, inherited: Row) -> list[str]:
    """Return KEYWORD(value) for every attribute that the dump must state."""
    result: list[str] = []
    for attribute in ATTRIBUTES[definition.kind]:
        keyword = attribute.keyword
        if attribute.read_only or attribute.secret or keyword not in definition.attributes:
            continue
        value = definition.attributes[keyword]
        default = keyword in builtin and value == builtin[keyword] and value == inherited.get(keyword, value)
        if not default or attribute.fixed or keyword in _ALWAYS:
            result.append(parameter(attribute, value))
    return result


def _remark(definition: MQObject, what: Dump) -> Iterator[str]:
    if what.layout == "2line":
        shown = [
            parameter(attribute, definition.attributes[attribute.keyword])
            for attribute in ATTRIBUTES[definition.kind]
            if attribute.read_only and not attribute.live and attribute.keyword in definition.attributes
        ]
        if shown:
            yield "* " + " ".join(shown)


# -- text -------------------------------------------------------------------------------------------------------------


def quoted(text: str) -> str:
    """Return a value in quotes; the blank value is one blank."""
    return "'" + (text.replace("'", "''") or " ") + "'"


def parameter(attribute: Attribute, value: Value) -> str:
    """Return KEYWORD(value) such that runmqsc reads the same value."""
    if attribute.kind == FLAG:
        return str(value)
    if isinstance(value, list):
        text = ",".join(quoted(each) for each in value) if value else quoted("")
    elif attribute.kind in (STRING, NAME, HEX, LIST) or (attribute.kind == INT and value == ""):
        text = quoted(str(value))
    else:
        text = str(value)
    return f"{attribute.keyword}({text})"


def command(parts: list[str], layout: str) -> Iterator[str]:
    """Yield the lines of one command in its layout."""
    if layout != "mqsc":
        yield from _cut(" ".join(parts))
        return
    for number, part in enumerate(parts):
        text = part if number == 0 else _INDENT + part
        yield from _cut(text if number == len(parts) - 1 else text + " +")


def _cut(text: str) -> Iterator[str]:
    """Yield `text` in lines that runmqsc accepts and joins again."""
    while len(text) > LINE_LENGTH_MAX:
        rest = text[_LINE:]
        if rest.startswith(" "):
            yield text[:_LINE] + "-"
            text = rest
        else:
            yield text[:_LINE] + "+"
            text = " " + rest
    yield text
