"""CWF, the custom wire format of MRM: a message of a message set as a physical model (MF 4.3).

Members follow each other in the order of the model, whatever the composition. What the documentation says of
occurrences holds: `maxOccurs` of them are read and written whatever `minOccurs` says; a repeat reference gives the
number instead; an unbounded element must be the last, and takes the rest of the message. Members of a choice
overlay each other: every member that can be read stands in the tree, and the writer takes the one that a flow has
changed, else the first. A missing element is written with its default; without a default that is an error.

`cwf_message` runs once per message and format.
"""

from __future__ import annotations

from flintmq.broker.formats.message_set import (
    Field,
    Group,
    Member,
    PhysicalFormat,
    definition_error,
    expanded_size,
    read_flag,
)
from flintmq.broker.formats.model.schema import (
    UNBOUNDED,
    Choice,
    Composition,
    Element,
    Length,
    LengthKind,
    Message,
    OccursKind,
    Sequence,
    Unresolved,
)
from flintmq.broker.formats.model.schema import Member as SchemaMember
from flintmq.broker.formats.mrm_fields import FieldBuilder, reference_of

#: Occurrences of an element that a definition may ask for.
OCCURS_MAX = 1_000_000


def cwf_message(message: Field, format: PhysicalFormat) -> Message:
    """Return a message in a CWF format. Raises a ParserException if its definition cannot be used."""
    expanded_size(message)
    builder = CwfBuilder(format)
    element = builder.field(message, message.name, True)
    return Message(
        element,
        format=format.name,
        default_encoding=format.properties.get("defaultCCSID", "").strip(),
        strict_end=not read_flag(format.properties, "ignoreTrailingBytes"),
        family="MRM",
    )


class CwfBuilder:
    """Makes elements and groups of one CWF format."""

    def __init__(self, format: PhysicalFormat) -> None:
        self.format = format
        self.fields = FieldBuilder(format.name, format.properties)
        self._groups: dict[tuple[int, bool], Sequence | Choice] = {}
        self._kept: list[Group] = []

    def field(self, field: Field, path: str, last: bool) -> Element:
        """Return the element of a field; `last` says that nothing follows it in the message."""
        place = f"{field.place}: {path}" if field.place else path
        properties = field.properties(self.format.name)
        if field.group is None:
            element = self.fields.binary_field(field, properties, place)
        elif field.logical is not None:
            raise definition_error(f"{place}: a value with attributes is only possible in XML formats")
        else:
            element = Element(
                name=field.name,
                namespace=field.namespace,
                content=self.group(field.group, path, last and field.max_occurs == 1),
                hidden=field.hidden,
                place=place,
            )
            if properties.get("lengthReference") or properties.get("physicalType"):
                element.length = self.fields.length(field, properties, 0, place)
            else:
                element.length = Length(LengthKind.IMPLICIT)
        element.alignment = self.fields.alignment(properties, place)
        self._occurs(element, field, properties.get("repeatReference", ""), place, last)
        return element

    def _occurs(self, element: Element, field: Field, reference: str, place: str, last: bool) -> None:
        """Set the number of occurrences."""
        if reference.strip():
            element.min_occurs = 0
            element.max_occurs = field.max_occurs
            element.occurs_kind = OccursKind.EXPRESSION
            element.occurs_count = reference_of(reference, place)
        elif field.max_occurs == UNBOUNDED:
            if not last:
                raise definition_error(f"{place}: an unbounded element must be the last of a CWF message")
            element.min_occurs = field.min_occurs
            element.max_occurs = UNBOUNDED
            element.occurs_kind = OccursKind.IMPLICIT
        elif field.max_occurs > OCCURS_MAX:
            raise definition_error(f"{place}: it occurs {field.max_occurs} times, more than {OCCURS_MAX}")
        elif field.max_occurs != 1:
            element.min_occurs = element.max_occurs = field.max_occurs
            element.occurs_kind = OccursKind.FIXED

    def group(self, group: Group, path: str, last: bool) -> Sequence | Choice:
        """Return the model of a group; a type that is used again is the same object."""
        found = self._groups.get((id(group), last))
        if found is not None:
            return found
        place = f"{group.place}: {path}" if group.place else path
        if group.min_occurs != 1 or group.max_occurs != 1:
            raise definition_error(f"{place}: a group that repeats is only possible in XML formats")
        if group.composition is Composition.MESSAGE:
            raise definition_error(
                f"{place}: which message is embedded here is not known; name it in the message type as 'outer/inner'"
            )
        properties = group.properties(self.format.name)
        members: list[SchemaMember] = []
        made: Sequence | Choice
        if group.choice:
            length = self.fields.number(properties, "length", 0, place)
            made = Choice(
                members=members, unresolved=Unresolved.ALL, length=length, pad_to_longest=not length, place=place
            )
        else:
            made = Sequence(members=members, composition=ordered(group.composition), place=place)
        made.alignment = self.fields.alignment(properties, place)
        self._groups[id(group), last] = made
        self._kept.append(group)
        present = [member for member in group.members if not isinstance(member, Field) or member.max_occurs != 0]
        for member in present:
            at_end = last and (group.choice or member is present[-1])
            members.append(self.member(member, path, at_end))
        return made

    def member(self, member: Member, path: str, last: bool) -> SchemaMember:
        """Return the model of a member of a group."""
        if isinstance(member, Field):
            return self.field(member, f"{path}.{member.name}", last)
        return self.group(member, path, last)


def ordered(composition: Composition) -> Composition:
    """Return the composition for formats with the order of the model.

    A flow may build the members of an unordered set in any order; the bytes have the order of the model.
    """
    if composition is Composition.UNORDERED_SET:
        return Composition.SIMPLE_UNORDERED_SET
    return composition
