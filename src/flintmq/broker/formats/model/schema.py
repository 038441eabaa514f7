"""The physical model of messages: the form of a message as bytes and as a tree.

The vocabulary is DFDL 1.0's, extended by features of MRM message sets. Readers of message sets,
copybooks, C headers, YAML and DFDL schemas make these objects. `plan.py` turns them into something that runs; the
objects here are never looked at while a message is read or written, and never change after `Model.messages` has them.

    Model                 a message set or a library of schemas, as `Context.models(name)` returns it
      Message             one message in one physical format
        Element           a field (`logical` set) or a structure (`content` set); it may repeat
          Sequence        members one after the other, ordered or not, with or without separators
          Choice          one member of several
            Element | Sequence | Choice

How MRM's words map (MF 4.3, 4.4):

    group indicator, group terminator     Markup.initiator, Markup.terminator of the Sequence
    delimiter                             Sequence.separator, SeparatorPosition.INFIX
    repeating element delimiter           Element.repeat_separator
    tag, tag data separator, tag length   Element.tag, Sequence.tag_data_separator, Sequence.tag_length
    data pattern                          Length(LengthKind.PATTERN, pattern=...)
    null terminated string                Length(LengthKind.DELIMITED) with terminator `literal(b"\\0")`
    length encoded string 1 and 2         Length(LengthKind.PREFIXED, prefix=an Element of 1 or 2 binary bytes)
    length reference                      Length(LengthKind.EXPLICIT, value=Reference(...))
    repeat reference                      OccursKind.EXPRESSION, occurs_count=Reference(...)
    virtual decimal point                 Number.virtual_point
    external decimal                      Number(text=TextNumber.ZONED or STANDARD, external_sign=...)
    byte alignment, skip counts           Alignment
    composition, content                  Sequence.composition, Sequence.open_content

Texts are held as characters; they become bytes in the character set of the message (or of the element, if it names
one) when a plan is made. A byte that is no character is written as `bytes` in a Delimiter.
"""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal, TypeAlias

#: `max_occurs` of an element that may repeat without bound.
UNBOUNDED = -1


class Logical(StrEnum):
    """The logical type of a field: the XML Schema type it is, or is derived from.

    The tree holds: strings and anyURI CHARACTER; boolean BOOLEAN; long and smaller INTEGER; integer, unsignedLong,
    nonNegativeInteger, decimal DECIMAL; float, double FLOAT; date (and gYear ... gDay) DATE; time TIME; dateTime
    TIMESTAMP; hexBinary BLOB.
    """

    STRING = "string"
    BOOLEAN = "boolean"
    BYTE = "byte"
    SHORT = "short"
    INT = "int"
    LONG = "long"
    UNSIGNED_BYTE = "unsignedByte"
    UNSIGNED_SHORT = "unsignedShort"
    UNSIGNED_INT = "unsignedInt"
    UNSIGNED_LONG = "unsignedLong"
    INTEGER = "integer"
    NON_NEGATIVE_INTEGER = "nonNegativeInteger"
    DECIMAL = "decimal"
    FLOAT = "float"
    DOUBLE = "double"
    DATE = "date"
    TIME = "time"
    DATE_TIME = "dateTime"
    G_YEAR = "gYear"
    G_YEAR_MONTH = "gYearMonth"
    G_MONTH = "gMonth"
    G_MONTH_DAY = "gMonthDay"
    G_DAY = "gDay"
    HEX_BINARY = "hexBinary"


class Representation(StrEnum):
    """Whether a field is characters or a binary encoding of its value. Strings are always text."""

    TEXT = "text"
    BINARY = "binary"


class LengthKind(StrEnum):
    """How the end of an element is found."""

    #: `Length.value` says how long it is.
    EXPLICIT = "explicit"
    #: Simple: by logical type (binary numbers) or `max_length` facet (text). Complex: as long as its members.
    IMPLICIT = "implicit"
    #: Up to the first markup in scope: own terminator, enclosing separators and terminators, or the end of the parent.
    DELIMITED = "delimited"
    #: A field before the content (`Length.prefix`) holds the length.
    PREFIXED = "prefixed"
    #: The longest match of `Length.pattern` at this place.
    PATTERN = "pattern"
    #: Up to the end of the closest enclosing element with a known length, or of the message.
    END_OF_PARENT = "endOfParent"


class LengthUnits(StrEnum):
    """Units of lengths. MRM's character units are bytes times the width of a character: use CHARACTERS."""

    BYTES = "bytes"
    CHARACTERS = "characters"
    #: Only for binary numbers, booleans and hexBinary.
    BITS = "bits"


class OccursKind(StrEnum):
    """How the number of occurrences is found."""

    #: Always `max_occurs`.
    FIXED = "fixed"
    #: `min_occurs` to `max_occurs`; reading stops at the first occurrence that is not there.
    IMPLICIT = "implicit"
    #: Any number, whatever the bounds say (they are checked by validation only).
    PARSED = "parsed"
    #: `occurs_count` says how many.
    EXPRESSION = "expression"
    #: Up to an occurrence whose value is one of `stop_values`; that occurrence is not in the tree.
    STOP_VALUE = "stopValue"


class SeparatorPosition(StrEnum):
    """Where separators stand: between members, before each, or behind each."""

    INFIX = "infix"
    PREFIX = "prefix"
    POSTFIX = "postfix"


class SeparatorSuppression(StrEnum):
    """Which separators of absent members are missing in the data.

    MRM's "suppress absent element delimiters: never" is NEVER, "end of type" is TRAILING_EMPTY.
    """

    NEVER = "never"
    TRAILING_EMPTY = "trailingEmpty"
    TRAILING_EMPTY_STRICT = "trailingEmptyStrict"
    ANY_EMPTY = "anyEmpty"


class Composition(StrEnum):
    """Order and number of the members of a sequence.

    DFDL knows SEQUENCE (sequenceKind ordered) and UNORDERED_SET (unordered). The others are MRM's (MF 4.1): in CWF and
    FixedLength the order is that of the model whatever the composition; in tagged TDS, members are found by tag.
    """

    SEQUENCE = "sequence"
    #: Order fixed; occurrences of a repeating member need not be adjacent.
    ORDERED_SET = "orderedSet"
    UNORDERED_SET = "unorderedSet"
    #: Unordered, and each member occurs once.
    SIMPLE_UNORDERED_SET = "simpleUnorderedSet"
    #: XML Schema's `all`.
    ALL = "all"
    #: The body is another message, found at run time: an embedded message.
    MESSAGE = "message"


class Separation(StrEnum):
    """MRM's *data element separation* of a sequence in TDS (MF 4.4).

    DFDL sequences and CWF structures have NONE: lengths and separators of the members alone decide.
    """

    NONE = "none"
    #: Tag, then tag data separator or a tag of fixed length, then data; delimiter between elements; any order.
    TAGGED_DELIMITED = "taggedDelimited"
    #: Tag, then data of fixed length; no delimiter. Any order.
    TAGGED_FIXED_LENGTH = "taggedFixedLength"
    #: Tag, then a length of `Sequence.encoded_length` characters, then data of that length. Any order.
    TAGGED_ENCODED_LENGTH = "taggedEncodedLength"
    #: Delimiter between all elements in the order of the model; an absent element is an empty position.
    ALL_ELEMENTS_DELIMITED = "allElementsDelimited"
    #: As before, but an element of fixed length has no delimiter behind it.
    VARIABLE_LENGTH_ELEMENTS_DELIMITED = "variableLengthElementsDelimited"
    #: Elements of fixed length one after the other.
    FIXED_LENGTH = "fixedLength"
    #: FIXED_LENGTH as ACORD AL3 has it: '?' filled fields are NULL, a structure may end early.
    FIXED_LENGTH_AL3 = "fixedLengthAL3"
    #: Each element is the longest match of its data pattern.
    USE_DATA_PATTERN = "useDataPattern"
    #: Placeholder of an embedded message; the bytes up to the enclosing markup belong to it.
    UNDEFINED = "undefined"


class Unresolved(StrEnum):
    """The tree of a choice if the bytes cannot tell its member (CWF, REDEFINES)."""

    #: Not such a choice: members are tried in order, or found by tag, initiator or dispatch key.
    NO = "no"
    #: Every member that can be read stands in the tree. The writer takes the member that was changed, else the first.
    ALL = "all"
    #: Only the first member that can be read.
    FIRST = "first"


class Justification(StrEnum):
    """On which side the value stands when it is shorter than its field."""

    LEFT = "left"
    RIGHT = "right"
    CENTER = "center"


class TextNumber(StrEnum):
    """How a number is written in characters."""

    #: Digits with optional sign, separators and exponent, by pattern or by MRM's rules.
    STANDARD = "standard"
    #: One digit per character, the sign overpunched in the first or last.
    ZONED = "zoned"


class BinaryNumber(StrEnum):
    """How a number is written in bytes; for calendars, too (packed, BCD, IBM 4690: the digits of the pattern)."""

    #: Two's complement, or unsigned by logical type.
    BINARY = "binary"
    PACKED = "packed"
    BCD = "bcd"
    IBM4690 = "ibm4690Packed"
    #: Calendars only: seconds or milliseconds since `Calendar.epoch`.
    BINARY_SECONDS = "binarySeconds"
    BINARY_MILLISECONDS = "binaryMilliseconds"


class ByteOrder(StrEnum):
    """The order of the bytes of binary and packed numbers."""

    BIG = "bigEndian"
    LITTLE = "littleEndian"
    #: As the numeric encoding of the message says (MRM, and `{$dfdl:byteOrder}`).
    MESSAGE = "message"


class FloatFormat(StrEnum):
    """The format of binary floating-point numbers."""

    IEEE = "ieee"
    S390 = "ibm390Hex"
    #: As the numeric encoding of the message says.
    MESSAGE = "message"


class ZonedSign(StrEnum):
    """How ASCII marks the sign in a digit (DFDL textZonedSignStyle). EBCDIC always uses zones C, F and D."""

    ASCII_STANDARD = "asciiStandard"
    ASCII_TRANSLATED_EBCDIC = "asciiTranslatedEBCDIC"
    ASCII_CA_REALIA = "asciiCARealiaModified"
    ASCII_TANDEM = "asciiTandemModified"


class ExternalSign(StrEnum):
    """Where MRM's external decimal has its sign."""

    UNSIGNED = "unsigned"
    LEADING = "leading"
    TRAILING = "trailing"
    LEADING_OVERPUNCHED = "leadingOverpunched"
    TRAILING_OVERPUNCHED = "trailingOverpunched"


class EscapeKind(StrEnum):
    """How markup inside data is made plain."""

    #: An escape character before each character of markup.
    CHARACTER = "escapeCharacter"
    #: A start and an end (quotation marks) around the data.
    BLOCK = "escapeBlock"
    #: MRM: escape character and quotation marks both.
    BOTH = "both"


class NilKind(StrEnum):
    """The operand that `Nil.values` are compared with."""

    #: The whole content, with or without its padding.
    LITERAL_VALUE = "literalValue"
    #: Every character (or byte) of the content; the content is filled with it.
    LITERAL_CHARACTER = "literalCharacter"
    #: The logical value.
    LOGICAL_VALUE = "logicalValue"


class EncodingNull(StrEnum):
    """MRM's *Encoding Null* and how it maps to NilKind; readers of message sets use `nil_of`."""

    #: The field is filled with the padding character.
    PAD_FILL = "NULLPadFill"
    #: `Encoding Null Value` is a value of the logical type.
    LOGICAL_VALUE = "NULLLogicalValue"
    #: `Encoding Null Value` is the text of the whole field, padded to its length.
    LITERAL_VALUE = "NULLLiteralValue"
    #: `Encoding Null Value` is one character or byte that fills the field.
    LITERAL_FILL = "NULLLiteralFill"


class MissingPolicy(StrEnum):
    """Policies of a reader for members that are missing at the end of a message (MF 4.1), per message set."""

    ERROR = "error"
    #: The tree gets the default value, where there is one.
    DEFAULT = "default"
    #: The tree gets the element with NULL.
    NULL = "null"
    #: The tree gets nothing.
    ABSENT = "absent"


class CharacterClass(StrEnum):
    """A part of a delimiter that stands for several texts (DFDL character class entities)."""

    #: CR LF, CR, LF, NEL or LS; the writer uses `Text.output_new_line`.
    NEW_LINE = "NL"
    #: One white space character.
    WHITE_SPACE = "WSP"
    #: Any number of them; the writer writes none.
    WHITE_SPACE_ANY = "WSP*"
    #: One or more; the writer writes one space.
    WHITE_SPACE_SOME = "WSP+"
    #: The empty string; only in nil values.
    EMPTY = "ES"


@dataclass(frozen=True, slots=True)
class Delimiter:
    """One delimiter: literal characters (str), raw bytes, and character classes, one after the other."""

    parts: tuple[str | bytes | CharacterClass, ...]

    def __str__(self) -> str:
        texts = []
        for part in self.parts:
            if isinstance(part, CharacterClass):
                texts.append(f"%{part.value};")
            elif isinstance(part, bytes):
                texts.extend(f"%#r{byte:02x};" for byte in part)
            else:
                texts.append(part)
        return "".join(texts)


def literal(text: str | bytes) -> Delimiter:
    """Return the delimiter of a plain text, or of bytes that are no characters."""
    return Delimiter((text,))


@dataclass(frozen=True, slots=True)
class Reference:
    """The value of a field that stands before the one that refers to it: MRM's length and repeat references.

    `up` counts the structures to leave, starting at the element that refers: 1 = a sibling. -1 = start at the message:
    `names` then begins with a child of the message. Of several elements with a name, the last that was read is meant.
    """

    names: tuple[str, ...]
    up: int = 1


@dataclass(frozen=True, slots=True)
class Expression:
    """A DFDL expression, with braces. `namespaces` resolves its prefixes ('' is the default namespace, if any).

    `expression.py` lists the parts of expressions; the reader of a schema compiles it once to report the rest.
    """

    text: str
    namespaces: tuple[tuple[str, str], ...] = ()
    #: Where the expression stands in its schema, for messages.
    place: str = ""


#: A number that is known, or found while the message is read.
Computed: TypeAlias = Reference | Expression
#: Delimiters that are equally good (the writer takes the first), or an expression that returns such a list.
Delimiters: TypeAlias = tuple[Delimiter, ...] | Expression


@dataclass(frozen=True, slots=True)
class Length:
    """How long an element is."""

    kind: LengthKind = LengthKind.IMPLICIT
    #: EXPLICIT: how long.
    value: int | Computed = 0
    units: LengthUnits = LengthUnits.BYTES
    #: PATTERN: a regular expression over characters (XML Schema or Java syntax without back references).
    pattern: str = ""
    #: PREFIXED: the field that holds the length, in `units`. Its own name does not appear in the tree.
    prefix: Element | None = None
    #: PREFIXED: whether the length counts the prefix itself.
    includes_prefix: bool = False
    #: MRM, DELIMITED text with a limit; 0 = no limit.
    maximum: int = 0


@dataclass(frozen=True, slots=True)
class Markup:
    """Initiator and terminator of an element, a sequence or a choice. Empty = none."""

    initiator: Delimiters = ()
    terminator: Delimiters = ()
    ignore_case: bool = False
    #: Which of the two are written (and expected) around an empty value: "none", "initiator", "terminator", "both".
    empty_policy: Literal["none", "initiator", "terminator", "both"] = "both"
    #: The same for a nil value.
    nil_policy: Literal["none", "initiator", "terminator", "both"] = "both"
    #: The last terminator of the message may be missing (MRM, DFDL documentFinalTerminatorCanBeMissing).
    final_terminator_may_be_missing: bool = False


@dataclass(frozen=True, slots=True)
class Alignment:
    """The start of an element and the bytes skipped around it. Units are bytes, or `units`."""

    #: 1, 2, 4, 8, 16 ... from the start of the message; 0 = implicit: the natural alignment of the type.
    alignment: int = 1
    leading_skip: int = 0
    trailing_skip: int = 0
    units: LengthUnits = LengthUnits.BYTES
    #: MRM: the leading skip is before the first occurrence only. DFDL: before every occurrence.
    skip_first_only: bool = False
    #: What the writer fills with: one byte, or one character that is encoded; DFDL fillByte.
    fill: str | bytes = b"\0"


@dataclass(frozen=True, slots=True)
class EscapeScheme:
    """How markup inside data is escaped. Texts are characters."""

    kind: EscapeKind = EscapeKind.CHARACTER
    #: CHARACTER and BOTH: makes the next character data.
    escape_character: str | Expression = ""
    #: Makes an escape character (CHARACTER) or an end of block (BLOCK) data. For doubled quotation marks, equal to it.
    escape_escape: str | Expression = ""
    #: BLOCK and BOTH: quotation marks. The block starts at the first character of the data.
    block_start: str = ""
    block_end: str = ""
    #: Characters that the writer escapes although they are no markup: MRM's reserved characters.
    extra_escaped: tuple[str, ...] = ()
    #: BLOCK: the writer always writes quotation marks; otherwise only around data with markup in it.
    generate_always: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """How characters are laid out in a field, for all text representations."""

    #: Name of a character set or a CCSID number as text; '' = the character set of the message.
    encoding: str | Expression = ""
    justification: Justification = Justification.LEFT
    #: One character, or one byte as `bytes`; the writer fills with it if `pads`, the reader removes it if `trims`.
    pad: str | bytes = " "
    pads: bool = True
    trims: bool = False
    #: MRM: which padding `trims` removes, whatever the justification; '' = on the side that justification says.
    trim_sides: Literal["", "leading", "trailing", "both"] = ""
    #: Pad variable-length text to this length on output (DFDL textOutputMinLength).
    output_minimum: int = 0
    #: Cut a string that is too long for its field instead of raising an error.
    truncate: bool = False
    escape: EscapeScheme | None = None
    #: What the writer writes for CharacterClass.NEW_LINE.
    output_new_line: str | Expression = "\r\n"
    #: DFDL encodingErrorPolicy: replace what is no character by U+FFFD, or fail.
    replace_errors: bool = True
    #: MRM: "\0" ends a string of fixed length early on input.
    nul_ends: bool = False


@dataclass(frozen=True, slots=True)
class Number:
    """How a number is represented, as text or binary."""

    text: TextNumber = TextNumber.STANDARD
    binary: BinaryNumber = BinaryNumber.BINARY
    byte_order: ByteOrder | Expression = ByteOrder.MESSAGE
    float_format: FloatFormat = FloatFormat.MESSAGE
    #: Digits after a decimal point that is not written; negative: zeros that are not written.
    virtual_point: int = 0
    #: Whether packed, zoned and decimal binary numbers carry a sign. Integers: by logical type if None.
    signed: bool | None = None
    #: Packed sign nibbles, four of 0-9A-F: plus, minus, unsigned, zero ("" = as plus). DFDL binaryPackedSignCodes.
    sign_codes: str = "CDFC"
    #: Whether packed and zoned data is checked strictly: only the nibbles of `sign_codes`, digits only.
    strict: bool = False
    #: ICU pattern for STANDARD text numbers such as `#,##0.00;(#)`; '' = MRM's rules below or plain digits. For ZONED,
    #: a pattern with `+` first or last says where the sign is.
    pattern: str = ""
    decimal_separators: tuple[str, ...] | Expression = (".",)
    grouping_separator: str | Expression = ","
    exponent: str | Expression = "E"
    #: Lax parsing accepts missing grouping, surrounding spaces and more digits than the pattern has.
    lax: bool = True
    infinity: str = "Inf"
    nan: str = "NaN"
    #: Texts that mean zero; the first is written.
    zero: tuple[str | Delimiter, ...] = ()
    base: int = 10
    #: Rounding to the digits of the pattern when writing: a name of the decimal module; '' = too many are an error.
    rounding: str = "ROUND_HALF_EVEN"
    #: Round to a multiple of this; '' = none.
    rounding_increment: str = ""
    #: Ignore case in `infinity`, `nan`, `zero`, `exponent`.
    ignore_case: bool = False
    #: ZONED in ASCII.
    zoned_sign: ZonedSign = ZonedSign.ASCII_STANDARD
    #: MRM external decimals; None = DFDL's rules by `pattern`.
    external_sign: ExternalSign | None = None
    #: MRM text: "+" if the writer writes a plus sign, "" if not.
    positive_sign: str = ""
    #: MRM text: digits after the decimal point: -1 all that the value has, n exactly n.
    precision: int = -1


@dataclass(frozen=True, slots=True)
class Calendar:
    """How a date or time is represented. `Number.binary` says how, if the representation is binary."""

    #: Pattern of the letters of ICU, without quotation marks around it; '' = by type, ISO 8601.
    pattern: str = ""
    #: Zone of values without one: '' = local (no zone), 'UTC', '+05:30' or a name of the zone database.
    time_zone: str = ""
    #: First year of the hundred that two digits mean.
    century_start: int = 53
    #: Accept values out of range and carry them (13th month); otherwise an error.
    lenient: bool = False
    first_day_of_week: str = "Monday"
    days_in_first_week: int = 4
    language: str | Expression = "en"
    #: BINARY_SECONDS, BINARY_MILLISECONDS: `1970-01-01T00:00:00`.
    epoch: str = "1970-01-01T00:00:00+00:00"


@dataclass(frozen=True, slots=True)
class Boolean:
    """The representations of true and false. Binary ones are unsigned integers; a `true` of None is anything else."""

    true: tuple[str, ...] | Expression = ("true",)
    false: tuple[str, ...] | Expression = ("false",)
    ignore_case: bool = False
    binary_true: int | None = 1
    binary_false: int = 0
    #: MRM: four bytes each, instead of numbers; b"" = numbers. `bytes_null` b"" = no null value.
    bytes_true: bytes = b""
    bytes_false: bytes = b""
    bytes_null: bytes = b""


@dataclass(frozen=True, slots=True)
class Nil:
    """The representation of NULL, if the element is nillable."""

    kind: NilKind = NilKind.LITERAL_VALUE
    #: LITERAL kinds: texts, the first is written. LOGICAL_VALUE: values in XML Schema's form.
    values: tuple[Delimiter, ...] = ()
    ignore_case: bool = False


@dataclass(frozen=True, slots=True)
class Facets:
    """Restrictions of a simple type. `max_length` gives the length of IMPLICIT text; the others are for validation
    and for `checkConstraints`."""

    min_length: int = 0
    max_length: int = -1
    patterns: tuple[tuple[str, ...], ...] = ()
    enumeration: tuple[str, ...] = ()
    min_inclusive: str = ""
    max_inclusive: str = ""
    min_exclusive: str = ""
    max_exclusive: str = ""
    total_digits: int = -1
    fraction_digits: int = -1
    #: Members of a union; the value must satisfy one of them.
    union: tuple[Facets, ...] = ()


@dataclass(frozen=True, slots=True)
class Assertion:
    """A test while reading. A discriminator resolves the innermost open choice or optional element if it is true."""

    #: An expression to be true, or a pattern that must match at the start of the element (`pattern`).
    test: Expression | None = None
    pattern: str = ""
    message: str | Expression = ""
    discriminator: bool = False
    #: Only reported, never an error (DFDL failureType recoverableError).
    recoverable: bool = False


@dataclass(frozen=True, slots=True)
class XmlRender:
    """How MRM's XML wire format writes an element (MF 4.5). Only `mrm_xml` reads this."""

    render: Literal["XMLElement", "XMLAttribute", "XMLElementAttrID", "XMLElementAttrVal", "XMLElementAttrIDVal"] = (
        "XMLElement"
    )
    #: Name in XML if it differs from the model's.
    name: str = ""
    namespace: str | None = None
    id_attribute: str = "id"
    id_value: str = ""
    value_attribute: str = "value"
    extra: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True, kw_only=True)
class Term:
    """The base of elements, sequences and choices."""

    markup: Markup = field(default_factory=Markup)
    alignment: Alignment = field(default_factory=Alignment)
    #: Asserts and discriminators: patterns are tested before the term is read, expressions after it.
    assertions: tuple[Assertion, ...] = ()
    #: Variables that get a value when the term has been read: `{namespace}name` and expression.
    set_variables: tuple[tuple[str, Expression], ...] = ()
    #: Variables that have another value, or none yet, inside this term.
    new_variables: tuple[tuple[str, str | Expression | None], ...] = ()
    #: Keys of this branch in a Choice with a dispatch key.
    branch_keys: tuple[str, ...] = ()
    #: Where the term stands in its definition ("orders.mxsd:17"), for messages.
    place: str = ""


@dataclass(slots=True, kw_only=True)
class Element(Term):
    """A field or a structure. Exactly one of `logical` and `content` is set."""

    name: str
    namespace: str = ""
    logical: Logical | None = None
    content: Sequence | Choice | None = None

    min_occurs: int = 1
    max_occurs: int = 1
    occurs_kind: OccursKind = OccursKind.IMPLICIT
    occurs_count: Computed | None = None
    stop_values: tuple[str, ...] = ()
    #: MRM: between occurrences of this element; None = they are separated as members are.
    repeat_separator: Delimiters | None = None

    nillable: bool = False
    nil: Nil = field(default_factory=Nil)
    #: Default value in XML Schema's form, also of fixed values; None = no default.
    default: str | None = None
    #: NULL if the element is missing on output and nillable, before `default` (DFDL useNilForDefault).
    nil_for_default: bool = False
    fixed: bool = False
    #: An empty required string is missing, not empty (DFDL emptyElementParsePolicy treatAsAbsent).
    empty_is_absent: bool = False

    representation: Representation = Representation.TEXT
    length: Length = field(default_factory=Length)
    text: Text = field(default_factory=Text)
    number: Number = field(default_factory=Number)
    calendar: Calendar = field(default_factory=Calendar)
    boolean: Boolean = field(default_factory=Boolean)
    facets: Facets = field(default_factory=Facets)

    #: MRM TDS: the tag, as characters. '' = none.
    tag: str = ""
    #: The value is computed and has no bytes: DFDL inputValueCalc (reading), outputValueCalc (writing).
    input_value: Expression | None = None
    output_value: Expression | None = None
    #: FILLER of a copybook and members of hidden groups: read and written, never in the tree.
    hidden: bool = False
    #: How MRM's XML wire format renders it; None = as an element of its name.
    xml: XmlRender | None = None
    #: Whatever the reader of a definition wants to keep; the model itself never looks at it.
    notes: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.logical is None) == (self.content is None):
            raise ValueError(f"element {self.name!r} needs either a logical type or content")


@dataclass(slots=True, kw_only=True)
class Sequence(Term):
    """Members one after the other."""

    members: list[Element | Sequence | Choice] = field(default_factory=list)
    composition: Composition = Composition.SEQUENCE
    #: DFDL hiddenGroupRef: members are read and written, but are not in the tree.
    hidden: bool = False
    #: Every member has an initiator, and finding it settles that the member is there.
    initiated_content: bool = False

    separator: Delimiters = ()
    separator_position: SeparatorPosition = SeparatorPosition.INFIX
    separator_suppression: SeparatorSuppression = SeparatorSuppression.TRAILING_EMPTY
    #: The separator behind the last member of the message may be missing or present (postfix, infix).
    final_separator_may_be_missing: bool = False
    #: Character set of separator, initiator and terminator; as Text.encoding.
    text: Text = field(default_factory=Text)

    # MRM only from here.
    separation: Separation = Separation.NONE
    #: Between tag and data; excludes `tag_length`.
    tag_data_separator: Delimiters = ()
    #: Characters of every tag; 0 = tags end with `tag_data_separator`.
    tag_length: int = 0
    #: TAGGED_ENCODED_LENGTH: characters of the length field, and what it counts beyond the data.
    encoded_length: int = 0
    encoded_length_extra: int = 0
    #: Elements that are not in the model are an error unless this is set: an unknown tag is then skipped.
    open_content: bool = False
    missing: MissingPolicy = MissingPolicy.ABSENT


@dataclass(slots=True, kw_only=True)
class Choice(Term):
    """One of several members."""

    members: list[Element | Sequence | Choice] = field(default_factory=list)
    #: Its value, compared with `branch_keys` of the members, names the branch; None = members are tried in order.
    dispatch: Computed | None = None
    initiated_content: bool = False
    unresolved: Unresolved = Unresolved.NO
    #: All branches take this many bytes (DFDL choiceLengthKind explicit; CWF: the longest member); 0 = as long as read.
    length: int = 0
    #: Fill CWF branches to the longest one: computed by the plan from fixed lengths, if `length` is 0.
    pad_to_longest: bool = False
    hidden: bool = False
    text: Text = field(default_factory=Text)
    separation: Separation = Separation.NONE
    tag_data_separator: Delimiters = ()
    tag_length: int = 0


#: A member of a group, or the content of an element.
Group: TypeAlias = Sequence | Choice
Member: TypeAlias = Element | Sequence | Choice


@dataclass(slots=True)
class Variable:
    """A DFDL variable: expressions read it as `$prefix:name`."""

    name: str
    namespace: str = ""
    logical: Logical = Logical.STRING
    default: str | Expression | None = None
    external: bool = False


@dataclass(slots=True)
class Message:
    """One message in one physical format: the source of a plan."""

    #: The message element. Its name is the element below `Root.DFDL`; below `Root.MRM` its children stand directly.
    element: Element
    #: Name of the physical format: CWF1, TDS1 ...; '' for DFDL.
    format: str = ""
    #: Character set of the message if Properties do not name one: MRM TDS defaultCCSID, DFDL `encoding`.
    default_encoding: str = ""
    variables: tuple[Variable, ...] = ()
    #: Whether bytes behind the message are an error.
    strict_end: bool = True
    #: Plans of this message that were made, by character set and encoding. Only `plan.py` looks at it.
    plans: dict[tuple[object, ...], object] = field(default_factory=dict, repr=False, compare=False)
    #: What the family of numbers in errors is: MRM 53xx and 54xx, DFDL 58xx.
    family: Literal["MRM", "DFDL"] = "MRM"


@dataclass(slots=True)
class Model:
    """A message set or a library of schemas: messages by name and physical format.

    `Context.models(name)` returns one for the name of a set, its identifier, or the name of a library in braces.
    """

    name: str
    #: By message name (`name` or `{namespace}:name`) and physical format ('' if there is only one).
    messages: dict[tuple[str, str], Message] = field(default_factory=dict)
    #: What was found in the definition and is not supported: one text per finding, with its place.
    notices: list[str] = field(default_factory=list)

    def add(self, name: str, message: Message) -> None:
        """Make a message known under a name and its physical format."""
        self.messages[(name, message.format)] = message

    def find(self, name: str, format: str = "") -> Message | None:
        """Return the message with this name, also without its namespace, in a physical format ('' = the only one)."""
        found = self.messages.get((name, format))
        if found is not None:
            return found
        local = name.rsplit(":", 1)[-1].rsplit("}", 1)[-1]
        matches = [
            message
            for (known, known_format), message in self.messages.items()
            if known.rsplit(":", 1)[-1].rsplit("}", 1)[-1] == local and (not format or known_format == format)
        ]
        return matches[0] if len(matches) == 1 else None


def nil_of(encoding_null: EncodingNull, value: str, pad: str | bytes) -> Nil:
    """Return the nil representation for MRM's *Encoding Null*, *Encoding Null Value* and the padding character."""
    if encoding_null is EncodingNull.PAD_FILL:
        return Nil(NilKind.LITERAL_CHARACTER, (literal(pad),))
    if encoding_null is EncodingNull.LITERAL_FILL:
        return Nil(NilKind.LITERAL_CHARACTER, (literal(value),))
    if encoding_null is EncodingNull.LITERAL_VALUE:
        return Nil(NilKind.LITERAL_VALUE, (literal(value),))
    return Nil(NilKind.LOGICAL_VALUE, (literal(value),))


def prefix_of(size: int, byte_order: ByteOrder = ByteOrder.MESSAGE) -> Element:
    """Return the field of MRM's length encoded strings: an unsigned binary integer of 1 or 2 (or 4) bytes."""
    return Element(
        name="length",
        logical=Logical.UNSIGNED_INT,
        representation=Representation.BINARY,
        length=Length(LengthKind.EXPLICIT, size),
        number=Number(byte_order=byte_order),
    )


def field_names(content: Sequence | Choice) -> SequenceOf[str]:
    """Return the names of the elements of a group, also inside its groups, in order."""
    found: list[str] = []
    work: list[Member] = [content]
    while work:
        member = work.pop()
        if isinstance(member, Element):
            found.append(member.name)
        else:
            work.extend(reversed(member.members))
    return found


def copy_of(element: Element, **changes: object) -> Element:
    """Return a copy of an element with some fields changed: an occurrence of a global element."""
    return replace(element, **changes)  # type: ignore[arg-type]
