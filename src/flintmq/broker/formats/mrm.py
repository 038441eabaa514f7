"""The domain MRM: `Root.MRM`, described by a message set.

Properties (or the node, or an MQRFH2 header) name the template of a message: message set, message type, message format
(MF 4.6). The children of the folder `MRM` are the children of the message; the message itself is no level of the tree.

    parse     leaves the bytes alone; the first touch reads the message (BIP 5285 and the failure)
    write     the bytes as they came if nothing changed and the template is the same, else written by the model (5286)

Converting a message to another format is parse with one format and write with another: no field is mapped.

    template part missing     the rule
    message set               the only one that there is
    message type              the only message of the set; in XML formats the message that the root element names
    message format            the default format of the set, or its only one

A message type `outer/inner` says which message is embedded in another: a group of composition `message` in `outer`
holds the element `inner` (multipart messages, MRM's Message Path). Names between the two are allowed and not needed.
"""

from __future__ import annotations

from dataclasses import replace

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.formats.message_set import (
    Field,
    FormatKind,
    Group,
    Member,
    MessageSet,
    PhysicalFormat,
    definition_error,
    expanded_size,
)
from flintmq.broker.formats.model.schema import Composition, Message
from flintmq.broker.formats.model.source import ModelSource, parse_body, write_body
from flintmq.broker.formats.mrm_cwf import cwf_message
from flintmq.broker.formats.mrm_tds import tds_message
from flintmq.broker.formats.mrm_xml import XmlMessageSource, parse_xml, write_xml
from flintmq.broker.formats.mrm_xml_plan import XmlPlan, xml_message
from flintmq.broker.formats.registry import FOLDER_BIT_STREAM, Context, register
from flintmq.broker.tree.element import Element

READ = 5285
WRITE = 5286
#: Messages in each other that a message type may name.
PARTS_MAX = 20


def message_set_of(context: Context, number: int) -> MessageSet:
    """Return the message set that a template names. Raises a ParserException."""
    if context.models is None:
        raise parser_error(number, text="the MRM domain needs the message sets of an application or library")
    found = context.models(context.message_set)
    if not isinstance(found, MessageSet):
        name = context.message_set
        text = f"there is no message set '{name}'" if name else "the template names no message set"
        raise parser_error(number, name, text=f"{text}; set it on the node, in Properties or in the MQRFH2 header")
    return found


def format_named(message_set: MessageSet, name: str, number: int) -> PhysicalFormat:
    """Return a physical format of a set by name. Raises a ParserException."""
    formats = message_set.formats
    wanted = name.strip() or message_set.default_format
    if not wanted and len(formats) == 1:
        return next(iter(formats.values()))
    found = formats.get(wanted)
    if found is not None:
        return found
    for known, format in formats.items():
        if known.lower() == wanted.lower():
            return format
    have = ", ".join(formats) or "none"
    text = f"has no format '{wanted}'" if wanted else "has several formats and the template names none"
    raise parser_error(number, message_set.name, wanted, text=f"message set {message_set.name} {text}; it has {have}")


def bind(message_set: MessageSet, message_type: str, format: PhysicalFormat, number: int) -> Message | XmlPlan:
    """Return a message in a format, ready to be read and written; made once. Raises a ParserException."""
    key = (message_type, format.name)
    found = message_set.bound.get(key)
    if found is None:
        message = message_of(message_set, message_type, number)
        try:
            if format.kind is FormatKind.CWF:
                found = cwf_message(message, format)
            elif format.kind is FormatKind.TDS:
                found = tds_message(message, format)
            else:
                found = xml_message(message, format)
        except RecursionError:
            cause = definition_error("its structures are nested too deep")
            raise _unusable(message_set, message, format, number, cause) from None
        except BrokerError as error:
            raise _unusable(message_set, message, format, number, error) from None
        if len(message_set.bound) > 10_000:
            message_set.bound.clear()
        message_set.bound[key] = found
    assert isinstance(found, (Message, XmlPlan))
    return found


def _unusable(
    message_set: MessageSet, message: Field, format: PhysicalFormat, number: int, cause: BrokerError
) -> BrokerError:
    text = f"message {message.name} of set {message_set.name} cannot be used in format {format.name}"
    return parser_error(number, message.name, format.name, text=text, cause=cause)


def message_of(message_set: MessageSet, message_type: str, number: int) -> Field:
    """Return the message of a type, with the messages embedded in it. Raises a ParserException."""
    path = message_type.strip()
    if message_set.type_prefix and not path.startswith("/"):
        path = f"{message_set.type_prefix}/{path}" if path else message_set.type_prefix
    if not path:
        messages = message_set.unique_messages()
        if len(messages) == 1:
            return next(iter(messages.values()))
        raise parser_error(
            number,
            message_set.name,
            text=f"the template names no message type, and set {message_set.name} has {_some(messages)}",
        )
    whole = message_set.find(path)
    if whole is not None:
        return whole
    parts = [part for part in path.split("/") if part]
    if len(parts) > PARTS_MAX:
        raise parser_error(number, text=f"the message type names more than {PARTS_MAX} messages in each other")
    found = message_set.find(parts[0]) if parts else None
    if found is None:
        raise parser_error(
            number,
            path,
            message_set.name,
            text=f"message set {message_set.name} has no message '{path}'; it has {_some(message_set.messages)}",
        )
    inner = [message for part in parts[1:] if (message := message_set.find(part)) is not None]
    if len(parts) > 1 and not inner:
        raise parser_error(number, path, text=f"'{parts[-1]}' of the message type '{path}' is no message of the set")
    for message in reversed(inner):
        index = inner.index(message)
        outer = inner[index - 1] if index else found
        embedded = embed(outer, message)
        if embedded is None:
            raise parser_error(number, path, text=f"message {outer.name} has no place for an embedded message")
        if index:
            inner[index - 1] = embedded
        else:
            found = embedded
    return found


def _some(messages: dict[str, Field]) -> str:
    names = [name for name in messages if not name.startswith("{")]
    shown = ", ".join(sorted(names)[:10])
    return f"{shown} and {len(names) - 10} more" if len(names) > 10 else shown or "no messages"


def embed(outer: Field, inner: Field) -> Field | None:
    """Return a copy of a message with another in its first group of composition `message`; None if it has none."""
    expanded_size(outer)
    done = False

    def copy(member: Member, seen: frozenset[int]) -> Member:
        nonlocal done
        if done or isinstance(member, Field) and member.group is None:
            return member
        if isinstance(member, Field):
            assert member.group is not None
            group = copy(member.group, seen)
            assert isinstance(group, Group)
            return member if group is member.group else replace(member, group=group)
        if id(member) in seen or len(seen) > 100:
            return member
        if member.composition is Composition.MESSAGE:
            done = True
            occurrence = replace(inner, min_occurs=1, max_occurs=1)
            return replace(member, composition=Composition.SEQUENCE, members=[occurrence], choice=False)
        members = [copy(one, seen | {id(member)}) for one in member.members]
        if all(new is old for new, old in zip(members, member.members, strict=True)):
            return member
        return replace(member, members=members)

    result = copy(outer, frozenset())
    assert isinstance(result, Field)
    return result if done else None


class MrmFormat:
    """The domain MRM."""

    domain = "MRM"

    def parse(self, body: bytes, context: Context) -> Element:
        """Return the folder of a body; nothing is read yet. Raises a ParserException if the template is not known."""
        message_set = message_set_of(context, READ)
        format = format_named(message_set, context.message_format, READ)
        wrapped = bool(context.options & FOLDER_BIT_STREAM)
        if format.kind is FormatKind.XML:
            plans = self._plans(message_set, context.message_type, format)
            return parse_xml(plans, body, context.ccsid, context.encoding, wrapped)
        bound = bind(message_set, context.message_type, format, READ)
        assert isinstance(bound, Message)
        return parse_body(bound, body, context.ccsid, context.encoding, self.domain, wrapped)

    def _plans(
        self, message_set: MessageSet, message_type: str, format: PhysicalFormat
    ) -> dict[tuple[str, str], XmlPlan]:
        """Return the message of a type, or all messages by their names in XML if the type is not known."""
        names = [message_type]
        if not message_type.strip() and not message_set.type_prefix:
            names = list(message_set.unique_messages())
            if not names:
                raise parser_error(READ, text=f"message set {message_set.name} has no messages")
        plans: dict[tuple[str, str], XmlPlan] = {}
        problem: BrokerError | None = None
        for name in names:
            try:
                plan = bind(message_set, name, format, READ)
            except BrokerError as error:
                # Another message of the set may be the one that comes.
                problem = error
                continue
            assert isinstance(plan, XmlPlan)
            plans.setdefault((plan.root.xml_name, plan.root.xml_namespace), plan)
        if problem is not None and not plans:
            raise problem
        return plans

    def write(self, body: Element, context: Context) -> bytes:
        """Return the bytes of a body. Raises a ParserException."""
        message_set = message_set_of(context, WRITE)
        format = format_named(message_set, context.message_format, WRITE)
        found = self._as_it_came(body, message_set, format, context)
        if found is not None:
            return found
        bound = bind(message_set, context.message_type, format, WRITE)
        if isinstance(bound, XmlPlan):
            return write_xml(bound, body, context.ccsid, context.encoding)
        return write_body(bound, body, context.ccsid, context.encoding, False)

    def _as_it_came(
        self, body: Element, message_set: MessageSet, format: PhysicalFormat, context: Context
    ) -> bytes | None:
        """Return the bytes of a body that nobody changed, if they are those of the wanted format."""
        source = body.source
        if body.changed or body.entry != 0:
            return None
        if isinstance(source, XmlMessageSource):
            plans = source.plans.values()
            wanted = message_set.bound.get((context.message_type, format.name))
            same = wanted in plans if context.message_type else any(plan.format == format.name for plan in plans)
        elif isinstance(source, ModelSource):
            same = source.message is message_set.bound.get((context.message_type, format.name))
            if not context.message_type:
                same = source.message.format == format.name
        else:
            return None
        if not same or source.ccsid != context.ccsid or source.encoding != context.encoding:
            return None
        return source.body


register("MRM", MrmFormat())
