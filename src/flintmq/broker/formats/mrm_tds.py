"""TDS, the tagged/delimited string format of MRM: a message of a message set as a physical model (MF 4.4).

The data element separation of a group decides how the end of its members is found:

    separation                        a member of simple type                    order
    TaggedDelimited                   tag, data up to markup in scope            any
    TaggedFixedLength                 tag, data of its length                    any
    TaggedEncodedLength               tag, length in characters, data            any
    AllElementsDelimited              data up to markup in scope                 of the model
    VariableLengthElementsDelimited   its length, or up to markup in scope       of the model
    FixedLength, FixedLengthAL3       data of its length                         of the model
    UseDataPattern                    longest match of its data pattern          of the model

A property that a group does not have is that of the message set, and that of the messaging standard after it. Default
values are used on output only where a field has a fixed length and no tag, as the documentation says.

In a tagged group, a structure without a tag of its own is recognised by its content: its group indicator, or the tags
of its members. Such a group is modelled with the tags as initiators of its members.

`tds_message` runs once per message and format.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from flintmq.broker.formats.message_set import (
    Field,
    Group,
    Member,
    PhysicalFormat,
    definition_error,
    expanded_size,
    read_flag,
    read_number,
)
from flintmq.broker.formats.model.schema import (
    UNBOUNDED,
    Boolean,
    Choice,
    Composition,
    Delimiter,
    Element,
    EscapeKind,
    EscapeScheme,
    ExternalSign,
    Justification,
    Length,
    LengthKind,
    LengthUnits,
    Logical,
    Markup,
    Message,
    MissingPolicy,
    Nil,
    NilKind,
    Number,
    OccursKind,
    Separation,
    SeparatorSuppression,
    Sequence,
    Text,
    literal,
)
from flintmq.broker.formats.model.schema import Member as SchemaMember
from flintmq.broker.formats.mrm_cwf import OCCURS_MAX, ordered
from flintmq.broker.formats.mrm_fields import CALENDARS, FieldBuilder, is_number, reference_of
from flintmq.broker.formats.mrm_properties import markup, padding, plain_markup, standard_defaults, word_of

_SEPARATIONS = {kind.value.lower(): kind for kind in Separation}
_TAGGED = (Separation.TAGGED_DELIMITED, Separation.TAGGED_FIXED_LENGTH, Separation.TAGGED_ENCODED_LENGTH)
_DELIMITED = (
    Separation.TAGGED_DELIMITED,
    Separation.ALL_ELEMENTS_DELIMITED,
    Separation.VARIABLE_LENGTH_ELEMENTS_DELIMITED,
)
_FIXED = (Separation.FIXED_LENGTH, Separation.FIXED_LENGTH_AL3)
#: What is written for a missing member of fixed length.
_DEFAULTED = (*_FIXED, Separation.VARIABLE_LENGTH_ELEMENTS_DELIMITED)
_TEXT_TYPES = ("", "text", "tlogspecific")
#: Properties that a group inside another does not take over.
_FRAME = ("groupIndicator", "groupTerminator")


def tds_message(message: Field, format: PhysicalFormat) -> Message:
    """Return a message in a TDS format. Raises a ParserException if its definition cannot be used."""
    expanded_size(message)
    builder = TdsBuilder(format)
    element = builder.root(message)
    return Message(
        element,
        format=format.name,
        default_encoding=builder.settings.get("defaultCCSID", "").strip(),
        family="MRM",
    )


class TdsBuilder:
    """Makes elements and groups of one TDS format."""

    def __init__(self, format: PhysicalFormat) -> None:
        self.format = format
        standard = format.properties.get("messagingStandard", "")
        defaults = standard_defaults(standard)
        if defaults is None:
            raise definition_error(f"format {format.name}: there is no messaging standard '{standard[:40]}'")
        #: The properties of the format: its own, else those of the messaging standard.
        self.settings = {**defaults, **format.properties}
        self.fields = FieldBuilder(format.name, self.settings)
        self.where = f"format {format.name}"
        self.decimal_point = plain_markup(self.settings.get("decimalPoint", ""), self.where) or "."
        self.escape = self._escape()
        self.is_hl7 = standard.strip().lower() == "hl7"
        self._groups: dict[tuple[int, object, bool], Sequence | Choice] = {}
        self._kept: list[Group] = []

    def _escape(self) -> EscapeScheme | None:
        character = plain_markup(self.settings.get("escapeCharacter", ""), self.where)
        quote = plain_markup(self.settings.get("quoteCharacter", ""), self.where)
        reserved = plain_markup(self.settings.get("reservedChars", ""), self.where)
        if not character and not quote:
            return None
        kind = EscapeKind.BOTH if character and quote else EscapeKind.CHARACTER if character else EscapeKind.BLOCK
        extra = tuple(one for one in dict.fromkeys(reserved) if one not in (character, quote))
        return EscapeScheme(
            kind=kind,
            escape_character=character,
            escape_escape=character or quote,
            block_start=quote,
            block_end=quote,
            extra_escaped=extra,
        )

    # Properties that groups inherit from the message set.

    def text_of(self, properties: Mapping[str, str], key: str) -> str:
        """Return a text property of a group, or that of the message set."""
        return properties[key] if key in properties else self.settings.get(key, "")

    def markup_of(self, properties: Mapping[str, str], key: str, place: str) -> tuple[Delimiter, ...]:
        """Return a markup property of a group, or that of the message set; () if it is empty."""
        found = markup(self.text_of(properties, key), place)
        return (found,) if found is not None else ()

    # Messages and structures.

    def root(self, message: Field) -> Element:
        """Return the message element. It has no tag: the group indicator of its type starts it."""
        place = f"{message.place}: {message.name}" if message.place else message.name
        if message.group is None:
            element = self.simple(message, Separation.FIXED_LENGTH, place)
            if not message.properties(self.format.name).get("length"):
                element.length = Length(LengthKind.END_OF_PARENT)
            return element
        self._refuse_compound(message, place)
        return Element(name=message.name, namespace=message.namespace, content=self.group(message.group, message.name))

    def _refuse_compound(self, field: Field, place: str) -> None:
        if field.logical is not None and field.group is not None:
            raise definition_error(f"{place}: a value with attributes is only possible in XML formats")

    def group(
        self, group: Group, path: str, outer: Mapping[str, str] | None = None, initiators: bool = False
    ) -> Sequence | Choice:
        """Return the model of a group; a type that is used again is the same object.

        A group inside another that has no TDS properties is laid out as the outer one, with the properties `outer`.
        `initiators` says that tags must be initiators because they are in the outer group.
        """
        properties = group.properties(self.format.name)
        if outer is not None and not properties:
            properties = {key: value for key, value in outer.items() if key not in _FRAME}
        key = (id(group), tuple(sorted(properties.items())), initiators)
        found = self._groups.get(key)
        if found is not None:
            return found
        place = f"{group.place}: {path}" if group.place else path
        separation = self.separation(properties, place)
        self._refuse_group(group, separation, place)
        made: Sequence | Choice
        tag_length = read_number({"tagLength": self.text_of(properties, "tagLength")}, "tagLength", 0, place)
        tag_separator = () if tag_length else self.markup_of(properties, "tagDataSeparator", place)
        by_initiator = separation in _TAGGED and (initiators or any(self.lacks_tag(member) for member in group.members))
        if by_initiator and separation is Separation.TAGGED_ENCODED_LENGTH:
            raise definition_error(f"{place}: a structure in a TaggedEncodedLength group needs a tag")
        if group.choice:
            made = Choice(markup=self._frame(properties, place), place=place)
            if separation in _TAGGED and not by_initiator:
                made.separation = separation
                made.tag_data_separator = tag_separator
                made.tag_length = tag_length
        else:
            made = self._sequence(group, properties, separation, place)
            if by_initiator:
                self._initiated(made, group)
            else:
                self._set_separation(made, group, properties, separation, place)
                made.tag_data_separator = tag_separator
                made.tag_length = tag_length
        self._groups[key] = made
        self._kept.append(group)
        for member in group.members:
            if isinstance(member, Group):
                made.members.append(self.group(member, path, properties, by_initiator))
            elif member.max_occurs:
                made.members.append(self.member(member, separation, path, tag_separator if by_initiator else None))
        return made

    def _refuse_group(self, group: Group, separation: Separation, place: str) -> None:
        """Raise the error of a group that no TDS format can lay out."""
        if group.min_occurs != 1 or group.max_occurs != 1:
            raise definition_error(f"{place}: a group that repeats is only possible in XML formats")
        if group.composition is Composition.MESSAGE or separation is Separation.UNDEFINED:
            raise definition_error(
                f"{place}: which message is embedded here is not known; name it in the message type as 'outer/inner'"
            )

    def _frame(self, properties: Mapping[str, str], place: str) -> Markup:
        """Return the group indicator and terminator."""
        return Markup(
            initiator=self.markup_of(properties, "groupIndicator", place),
            terminator=self.markup_of(properties, "groupTerminator", place),
        )

    def _sequence(self, group: Group, properties: Mapping[str, str], separation: Separation, place: str) -> Sequence:
        """Return a sequence without members, with its delimiter."""
        made = Sequence(markup=self._frame(properties, place), place=place)
        made.open_content = group.open_content
        made.missing = self.missing(place)
        if separation in _DELIMITED:
            made.separator = self.markup_of(properties, "delimiter", place)
            never = word_of({"x": self.text_of(properties, "suppressAbsentElementDelimiters")}, "x", "EndOfType")
            made.separator_suppression = (
                SeparatorSuppression.NEVER if never == "never" else SeparatorSuppression.TRAILING_EMPTY
            )
        return made

    def _set_separation(
        self, made: Sequence, group: Group, properties: Mapping[str, str], separation: Separation, place: str
    ) -> None:
        """Set how the members of a sequence are told apart."""
        made.composition = group.composition if separation in _TAGGED else ordered(group.composition)
        made.separation = Separation.NONE if separation is Separation.USE_DATA_PATTERN else separation
        if separation is Separation.TAGGED_ENCODED_LENGTH:
            made.encoded_length = read_number(properties, "lengthOfEncodedLength", 0, place)
            made.encoded_length_extra = read_number(properties, "extraCharsInEncodedLength", 0, place)

    def separation(self, properties: Mapping[str, str], place: str) -> Separation:
        """Return the data element separation of a group."""
        word = word_of(properties, "dataElementSeparation", "TaggedDelimited")
        found = _SEPARATIONS.get(word)
        if found is None or found is Separation.NONE:
            raise definition_error(f"{place}: there is no data element separation '{word[:40]}'")
        return found

    def missing(self, place: str) -> MissingPolicy:
        """Return the policy of the reader for members that are missing at the end."""
        word = word_of(self.settings, "missingElements", "absent")
        try:
            return MissingPolicy(word)
        except ValueError:
            raise definition_error(f"{self.where}: missingElements is '{word}'") from None

    def lacks_tag(self, member: Member) -> bool:
        """Return whether a member of a tagged group is a structure that its own content must identify."""
        if isinstance(member, Field):
            return member.group is not None and not member.properties(self.format.name).get("tag")
        if member.properties(self.format.name):
            # A group with separation or markup of its own.
            return True
        return any(self.lacks_tag(inner) for inner in member.members)

    def _initiated(self, made: Sequence, group: Group) -> None:
        """Turn a tagged group into one that tells members by initiators."""
        made.separator_suppression = SeparatorSuppression.ANY_EMPTY
        unordered = group.composition in (
            Composition.UNORDERED_SET,
            Composition.SIMPLE_UNORDERED_SET,
            Composition.ALL,
        )
        made.composition = Composition.UNORDERED_SET if unordered else Composition.SEQUENCE

    def member(
        self, member: Field, separation: Separation, path: str, tags: tuple[Delimiter, ...] | None
    ) -> SchemaMember:
        """Return the model of a field; `tags` is the separator between tag and data if tags are initiators."""
        inner = f"{path}.{member.name}"
        place = f"{member.place}: {inner}" if member.place else inner
        properties = member.properties(self.format.name)
        if member.group is None:
            element = self.simple(member, separation, place)
        else:
            self._refuse_compound(member, place)
            element = Element(
                name=member.name,
                namespace=member.namespace,
                content=self.group(member.group, inner),
                length=self._structure_length(member, properties, separation, place),
                hidden=member.hidden,
                place=place,
            )
        tag = plain_markup(properties.get("tag", ""), place)
        if separation in _TAGGED:
            if tags is None:
                if not tag:
                    raise definition_error(f"{place}: it has no tag in a tagged group")
                element.tag = tag
            elif tag:
                parts = (tag, *(part for delimiter in tags for part in delimiter.parts))
                element.markup = replace(element.markup, initiator=(Delimiter(parts),))
        self._occurs(element, member, properties, separation, place)
        if tags is not None and element.occurs_kind is not OccursKind.EXPRESSION:
            # Any member of a tagged group may be absent.
            element.min_occurs = 0
        return element

    def _structure_length(
        self, field: Field, properties: Mapping[str, str], separation: Separation, place: str
    ) -> Length:
        """Return the length of a structure: as long as its members unless a property says otherwise."""
        pattern = properties.get("dataPattern", "")
        if separation is Separation.USE_DATA_PATTERN and pattern:
            return Length(LengthKind.PATTERN, pattern=pattern)
        if separation in _FIXED and (properties.get("length", "0").strip("0 ") or properties.get("lengthReference")):
            length = self.fields.length(field, properties, 0, place)
            return replace(length, units=LengthUnits.CHARACTERS)
        return Length(LengthKind.IMPLICIT)

    def _occurs(
        self, element: Element, field: Field, properties: Mapping[str, str], separation: Separation, place: str
    ) -> None:
        """Set the number of occurrences and their separator."""
        least, most = field.min_occurs, field.max_occurs
        if most > OCCURS_MAX:
            raise definition_error(f"{place}: it occurs {most} times, more than {OCCURS_MAX}")
        element.min_occurs = least
        element.max_occurs = most
        reference = properties.get("repeatReference", "").strip()
        if reference:
            element.min_occurs = 0
            element.occurs_kind = OccursKind.EXPRESSION
            element.occurs_count = reference_of(reference, place)
        elif separation in _FIXED and most != UNBOUNDED:
            element.min_occurs = most
            element.occurs_kind = OccursKind.FIXED
        if most != 1:
            given = properties.get("repeatingElementDelimiter", "<HL7_RS>" if self.is_hl7 else "")
            delimiter = markup(given, place)
            if delimiter is not None:
                element.repeat_separator = (delimiter,)

    # Fields.

    def simple(self, field: Field, separation: Separation, place: str) -> Element:
        """Return the element of a field."""
        logical = field.logical
        assert logical is not None
        properties = field.properties(self.format.name)
        kind = word_of(properties, "physicalType", "")
        if kind not in _TEXT_TYPES:
            element = self.fields.binary_field(field, properties, place)
            if separation not in _DEFAULTED:
                element.default = None
            return element
        element = Element(
            name=field.name,
            namespace=field.namespace,
            logical=logical,
            fixed=field.fixed,
            facets=field.facets,
            hidden=field.hidden,
            place=place,
        )
        length = self._length(field, properties, separation, place)
        element.length = length
        fixed = length.kind is LengthKind.EXPLICIT
        if separation in _DEFAULTED and fixed:
            element.default = field.default
        element.text = self._text(field, properties, fixed, place)
        if is_number(logical):
            element.number = self._number(properties, place)
        elif logical in CALENDARS:
            element.calendar = self.fields.calendar(field, properties, place)
        elif logical is Logical.BOOLEAN:
            self._boolean(element, field)
        if logical is not Logical.HEX_BINARY and logical is not Logical.BOOLEAN:
            nil = self.fields.nil(field, properties, element.text.pad, place)
            if nil is not None:
                if nil.kind is NilKind.LITERAL_CHARACTER and not fixed:
                    # NULLPadFill of a field without fixed length: nothing is written.
                    nil = Nil(NilKind.LITERAL_VALUE, (literal(""),))
                element.nillable = True
                element.nil = nil
        return element

    def _length(self, field: Field, properties: Mapping[str, str], separation: Separation, place: str) -> Length:
        """Return how the end of a field is found."""
        if separation is Separation.USE_DATA_PATTERN:
            pattern = properties.get("dataPattern", "")
            if not pattern:
                raise definition_error(f"{place}: it has no data pattern")
            return Length(LengthKind.PATTERN, pattern=pattern)
        if separation is Separation.TAGGED_ENCODED_LENGTH:
            return Length(LengthKind.END_OF_PARENT)
        given = self._given_length(field, properties)
        needs = separation in _FIXED or separation is Separation.TAGGED_FIXED_LENGTH
        if needs or (separation is Separation.VARIABLE_LENGTH_ELEMENTS_DELIMITED and given):
            length = self.fields.length(field, properties, given, place)
            binary = field.logical is Logical.HEX_BINARY
            return replace(length, units=LengthUnits.BYTES if binary else LengthUnits.CHARACTERS)
        return Length(LengthKind.DELIMITED)

    def _given_length(self, field: Field, properties: Mapping[str, str]) -> int:
        """Return the length that properties or the logical type give a field; 0 if they give none."""
        text = properties.get("length", "").strip()
        if text.isascii() and text.isdigit() and len(text) < 10 and int(text):
            return int(text)
        if properties.get("lengthReference", "").strip():
            return 1
        if read_flag(self.settings, "deriveDefaultLengthFromLogicalType", True):
            return max(field.facets.max_length, field.facets.total_digits, 0)
        return 0

    def _text(self, field: Field, properties: Mapping[str, str], fixed: bool, place: str) -> Text:
        """Return padding, justification and escapes of a field."""
        logical = field.logical
        assert logical is not None
        numeric = is_number(logical)
        pad = padding(properties.get("paddingCharacter", ""), "0" if numeric else " ", place)
        trim = word_of(self.settings, "trimFixLengthString", "NoTrim")
        default = Justification.RIGHT if numeric else Justification.LEFT
        justification = self.fields.justification(properties, default)
        sides: Literal["", "leading", "trailing", "both"] = ""
        trims = False
        if fixed and numeric:
            trims = pad != "0"
        elif fixed and trim != "notrim":
            trims = True
            sides = {"trimleading": "leading", "trimtrailing": "trailing"}.get(trim, "both")  # type: ignore[assignment]
        minimum = 0
        if not fixed and read_flag(properties, "observeElementLength"):
            minimum = read_number(properties, "length", 0, place)
            trims = not numeric
        return Text(
            encoding=self.fields.charset(properties, place),
            justification=justification,
            pad=pad,
            trims=trims,
            trim_sides=sides,
            output_minimum=minimum,
            truncate=read_flag(properties, "truncate"),
            escape=None if fixed else self.escape,
        )

    def _number(self, properties: Mapping[str, str], place: str) -> Number:
        """Return how a number is written as text."""
        positive = properties.get("positiveSign", "").strip()
        trailing = word_of(properties, "signOrientation", "leading").startswith("trailing")
        signed: bool | None = None
        if properties.get("signed", "").strip():
            signed = read_flag(properties, "signed", True)
        precision = read_number(properties, "precision", -1, place)
        if not -2 <= precision <= 100:
            raise definition_error(f"{place}: precision is {precision}")
        return Number(
            virtual_point=read_number(properties, "virtualDecimalPoint", 0, place),
            signed=signed,
            external_sign=ExternalSign.TRAILING if trailing else None,
            decimal_separators=(self.decimal_point,),
            positive_sign="+" if positive in ("+", "true", "PLUS") else "",
            precision=max(precision, -1),
            strict=read_flag(self.settings, "strictNumericChecking"),
        )

    def _boolean(self, element: Element, field: Field) -> None:
        """Set the texts of true, false and NULL."""
        true = self.settings.get("booleanTrueRepresentation", "") or "1"
        false = self.settings.get("booleanFalseRepresentation", "") or "0"
        null = self.settings.get("booleanNullRepresentation", "") or "0"
        element.boolean = Boolean(true=(true,), false=(false,))
        if field.nillable and null not in (true, false):
            element.nillable = True
            element.nil = Nil(NilKind.LITERAL_VALUE, (literal(null),))
