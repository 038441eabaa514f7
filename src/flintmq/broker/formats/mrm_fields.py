"""Fields of CWF, and of TDS with binary types: from MRM's physical properties to the physical model.

    physical type                    in the model
    fixedLengthString                text of a length, or of the length that an earlier field holds
    lengthEncodedString1, 2          text with a binary length of 1 or 2 bytes before it; Binary1, 2 likewise
    nullTerminatedString             text up to X'00'
    integer                          1, 2, 4 or 8 bytes in the byte order of the message
    packedDecimal, bcd               two digits per byte with and without sign
    externalDecimal                  a digit per character; sign overpunched, or a character of its own
    float                            4 or 8 bytes, IEEE or S/390 as the encoding of the message says
    boolean                          the patterns of the message set
    binary                           bytes
    timeSeconds, timeMilliseconds    seconds (4 bytes) or milliseconds (8 bytes) since 1970

Dates and times may be text, packed digits or the last two. A length or repeat reference is a name: of a sibling before
the field (`Count`), of a sibling of an enclosing structure (`../Count`), or of a path from the message (`/Head/Count`).

Everything here runs when a message is bound to its format, never while one is read. All errors are ParserExceptions
that name the field and where it is defined.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from flintmq.broker.formats.message_set import Field, Properties, definition_error, read_flag, read_number
from flintmq.broker.formats.model.charsets import charset_of
from flintmq.broker.formats.model.schema import (
    Alignment,
    BinaryNumber,
    Boolean,
    ByteOrder,
    Calendar,
    Element,
    EncodingNull,
    ExternalSign,
    FloatFormat,
    Justification,
    Length,
    LengthKind,
    LengthUnits,
    Logical,
    Markup,
    Nil,
    NilKind,
    Number,
    Reference,
    Representation,
    Text,
    TextNumber,
    ZonedSign,
    literal,
    nil_of,
    prefix_of,
)
from flintmq.broker.formats.mrm_properties import markup, padding, word_of

#: The longest field, and the largest number of skipped bytes (that of the documentation).
LENGTH_MAX: Final = 100_000_000
SKIP_MAX: Final = 999_999

INTEGERS: Final = {
    Logical.BYTE: 1,
    Logical.UNSIGNED_BYTE: 1,
    Logical.SHORT: 2,
    Logical.UNSIGNED_SHORT: 2,
    Logical.INT: 4,
    Logical.UNSIGNED_INT: 4,
    Logical.LONG: 8,
    Logical.UNSIGNED_LONG: 8,
}
DECIMALS: Final = (Logical.INTEGER, Logical.NON_NEGATIVE_INTEGER, Logical.DECIMAL, Logical.UNSIGNED_LONG)
FLOATS: Final = (Logical.FLOAT, Logical.DOUBLE)
CALENDARS: Final = (
    Logical.DATE,
    Logical.TIME,
    Logical.DATE_TIME,
    Logical.G_YEAR,
    Logical.G_YEAR_MONTH,
    Logical.G_MONTH,
    Logical.G_MONTH_DAY,
    Logical.G_DAY,
)
#: Formats of dates and times if the model names none.
_DATE_TIME_FORMATS: Final = {
    Logical.DATE: "yyyy-MM-dd",
    Logical.TIME: "HH:mm:ss",
    Logical.DATE_TIME: "yyyy-MM-dd'T'HH:mm:ss",
    Logical.G_YEAR: "yyyy",
    Logical.G_YEAR_MONTH: "yyyy-MM",
    Logical.G_MONTH: "'--'MM",
    Logical.G_MONTH_DAY: "'--'MM-dd",
    Logical.G_DAY: "'---'dd",
}
_DAYS: Final = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
_STRING_TYPES: Final = (
    "fixedlengthstring",
    "lengthencodedstring1",
    "lengthencodedstring2",
    "nullterminatedstring",
)
_NULLS: Final = {kind.value.lower(): kind for kind in EncodingNull}


def is_number(logical: Logical) -> bool:
    """Return whether a logical type is numeric."""
    return logical in INTEGERS or logical in DECIMALS or logical in FLOATS


def reference_of(text: str, place: str) -> Reference:
    """Return the reference to an earlier field. Raises a ParserException."""
    path = text.strip()
    up = 1
    if path.startswith("/"):
        up = -1
        path = path[1:]
    while path.startswith("../"):
        up += 1
        path = path[3:]
    names = tuple(name.rpartition(":")[2] for name in path.split("/"))
    if not all(names) or up > 100:
        raise definition_error(f"{place}: '{text[:80]}' does not name a field")
    return Reference(names, up)


class FieldBuilder:
    """Makes the physical field of a logical one, for one format of a message set."""

    def __init__(self, name: str, settings: Properties) -> None:
        self.format = name
        #: The properties of the format.
        self.settings = settings

    # What fields share.

    def physical_type(self, field: Field, properties: Mapping[str, str]) -> str:
        """Return the physical type of a field, in lower case."""
        found = word_of(properties, "physicalType", "")
        if found and found != "text":
            return found
        logical = field.logical
        assert logical is not None
        if logical is Logical.HEX_BINARY:
            return "binary"
        if logical is Logical.BOOLEAN:
            return "boolean"
        if logical in INTEGERS and logical is not Logical.UNSIGNED_LONG:
            return "integer"
        if logical in FLOATS:
            return "float"
        if logical in DECIMALS:
            return "packeddecimal"
        return "fixedlengthstring"

    def number(self, properties: Mapping[str, str], key: str, default: int, place: str) -> int:
        """Return a property that is a number and no length beyond reason."""
        value = read_number(properties, key, default, place)
        if abs(value) > LENGTH_MAX:
            raise definition_error(f"{place}: {key} is {value}, more than {LENGTH_MAX}")
        return value

    def alignment(self, properties: Mapping[str, str], place: str) -> Alignment:
        """Return byte alignment and skip counts."""
        alignment = read_number(properties, "byteAlignment", 1, place)
        if alignment not in (1, 2, 4, 8, 16):
            raise definition_error(f"{place}: byteAlignment is {alignment}, not 1, 2, 4, 8 or 16")
        leading = read_number(properties, "skipCountLeading", 0, place)
        trailing = read_number(properties, "skipCountTrailing", 0, place)
        if not 0 <= leading <= SKIP_MAX or not 0 <= trailing <= SKIP_MAX:
            raise definition_error(f"{place}: a skip count is not between 0 and {SKIP_MAX}")
        fill = padding(self.settings.get("byteAlignmentPad", ""), b"\0", place)
        return Alignment(alignment, leading, trailing, skip_first_only=True, fill=fill)

    def length(self, field: Field, properties: Mapping[str, str], default: int, place: str) -> Length:
        """Return the length of a field: a number, or the value of an earlier field."""
        units = {"bytes": LengthUnits.BYTES}.get(word_of(properties, "lengthUnits", "bytes"), LengthUnits.CHARACTERS)
        reference = properties.get("lengthReference", "").strip()
        if reference:
            if read_flag(properties, "inclusiveLengthReference"):
                raise definition_error(f"{place}: a length reference that counts the referring field is not supported")
            return Length(LengthKind.EXPLICIT, reference_of(reference, place), units)
        length = self.number(properties, "length", default, place)
        if length <= 0:
            raise definition_error(f"{place}: it has no length in format {self.format}")
        return Length(LengthKind.EXPLICIT, length, units)

    def nil(self, field: Field, properties: Mapping[str, str], pad: str | bytes, place: str) -> Nil | None:
        """Return the null representation of a field; None if it has none."""
        word = word_of(properties, "encodingNull", "")
        if not word or not field.nillable:
            return None
        kind = _NULLS.get(word)
        if kind is None:
            raise definition_error(f"{place}: encodingNull is '{word}', not one of {', '.join(_NULLS)}")
        value = properties.get("encodingNullValue", "0")
        if kind is EncodingNull.LOGICAL_VALUE:
            return nil_of(kind, value, pad)
        if kind is EncodingNull.PAD_FILL:
            return nil_of(kind, "", pad)
        parsed = markup(f"<{value}>" if value.lower().startswith("0x") else value, place)
        if parsed is None:
            parsed = literal("")
        if kind is EncodingNull.LITERAL_VALUE:
            # The documentation: the value is not case sensitive.
            return Nil(NilKind.LITERAL_VALUE, (parsed,), ignore_case=False)
        # Ours: several characters are alternatives; the writer fills with the first.
        fills = [
            literal(part[at : at + 1])
            for part in parsed.parts
            if isinstance(part, (str, bytes))
            for at in range(len(part))
        ]
        if not fills:
            raise definition_error(f"{place}: encodingNullValue has no character to fill with")
        return Nil(NilKind.LITERAL_CHARACTER, tuple(fills))

    def calendar(self, field: Field, properties: Mapping[str, str], place: str) -> Calendar:
        """Return how a date or time is laid out."""
        assert field.logical is not None
        pattern = properties.get("dateTimeFormat", "").strip()
        if not pattern:
            default = self.settings.get("defaultDateTimeFormat", "").strip()
            pattern = default if default and field.logical is Logical.DATE_TIME else _DATE_TIME_FORMATS[field.logical]
        return calendar_of(pattern, self.settings, place)

    def charset(self, properties: Mapping[str, str], place: str) -> str:
        """Return the character set of a field; '' = that of the message."""
        name = properties.get("charset", "").strip()
        if name:
            try:
                charset_of(name)
            except ValueError as error:
                raise definition_error(f"{place}: {error}") from None
        return name

    def justification(self, properties: Mapping[str, str], default: Justification) -> Justification:
        """Return the justification of a field."""
        word = word_of(properties, "justification", "")
        if word.startswith("left"):
            return Justification.LEFT
        if word.startswith("right"):
            return Justification.RIGHT
        return default

    # One field.

    def binary_field(self, field: Field, properties: Mapping[str, str], place: str) -> Element:
        """Return the physical field of CWF, or of TDS with a physical type other than text."""
        kind = self.physical_type(field, properties)
        logical = field.logical
        assert logical is not None
        element = Element(
            name=field.name,
            namespace=field.namespace,
            logical=logical,
            nillable=False,
            default=field.default,
            fixed=field.fixed,
            facets=field.facets,
            hidden=field.hidden,
            place=place,
        )
        try:
            if kind in _STRING_TYPES:
                self._string(element, field, kind, properties, place)
            elif kind in ("integer", "packeddecimal", "bcd"):
                self._binary_number(element, field, kind, properties, place)
            elif kind == "externaldecimal":
                self._external(element, field, properties, place)
            elif kind == "float":
                self._float(element, field, properties, place)
            elif kind == "boolean":
                self._boolean(element, place)
            elif kind in ("binary", "lengthencodedbinary1", "lengthencodedbinary2"):
                self._bytes(element, field, kind, properties, place)
            elif kind in ("timeseconds", "timemilliseconds"):
                self._epoch(element, kind, place)
            else:
                raise definition_error(f"{place}: physicalType '{kind}' is not known")
        except ValueError as error:
            raise definition_error(f"{place}: {error}") from None
        return element

    def _string(self, element: Element, field: Field, kind: str, properties: Mapping[str, str], place: str) -> None:
        """Set the text of a string, a date, or a number that is written as text."""
        logical = field.logical
        assert logical is not None
        if logical not in CALENDARS and logical is not Logical.STRING:
            raise definition_error(f"{place}: a {logical.value} cannot be a string; use externalDecimal")
        pad = padding(properties.get("paddingCharacter", ""), " ", place)
        right = logical in CALENDARS
        element.text = Text(
            encoding=self.charset(properties, place),
            justification=self.justification(properties, Justification.LEFT),
            pad=pad,
            trims=not right,
            truncate=read_flag(properties, "truncate"),
            replace_errors=True,
            nul_ends=read_flag(properties, "endsAtNul"),
        )
        if logical in CALENDARS:
            element.calendar = self.calendar(field, properties, place)
        nil = self.nil(field, properties, pad, place)
        if nil is not None:
            element.nillable = True
            element.nil = nil
        if kind == "fixedlengthstring":
            default = max(field.facets.max_length, 0)
            if logical in CALENDARS and not default:
                default = len(element.calendar.pattern.replace("'", ""))
            element.length = self.length(field, properties, default, place)
        elif kind == "nullterminatedstring":
            element.length = Length(LengthKind.DELIMITED)
            element.markup = Markup(terminator=(literal(b"\0"),))
            element.text = _without_padding(element.text)
        else:
            units = (
                LengthUnits.BYTES if word_of(properties, "lengthUnits", "bytes") == "bytes" else LengthUnits.CHARACTERS
            )
            element.length = Length(
                LengthKind.PREFIXED, units=units, prefix=prefix_of(int(kind[-1]), byte_order(properties, place))
            )
            element.text = _without_padding(element.text)

    def _binary_number(
        self, element: Element, field: Field, kind: str, properties: Mapping[str, str], place: str
    ) -> None:
        """Set integers, packed decimals and packed dates."""
        logical = field.logical
        assert logical is not None
        if not is_number(logical) and (kind == "integer" or logical not in CALENDARS):
            raise definition_error(f"{place}: a {logical.value} cannot be {kind}")
        if logical in FLOATS:
            # A float with a decimal representation: the tree gets a FLOAT, the bytes are digits.
            if kind == "integer":
                raise definition_error(f"{place}: a {logical.value} cannot be an integer")
        element.representation = Representation.BINARY
        signed = read_flag(properties, "signed", True)
        virtual = self.number(properties, "virtualDecimalPoint", 0, place)
        if not -100 <= virtual <= 100:
            raise definition_error(f"{place}: virtualDecimalPoint is {virtual}")
        positive = self.settings.get("packedDecimalPositiveCode", "C").strip().upper() or "C"
        binary = {"integer": BinaryNumber.BINARY, "packeddecimal": BinaryNumber.PACKED, "bcd": BinaryNumber.BCD}[kind]
        element.number = Number(
            binary=binary,
            byte_order=byte_order(properties, place),
            virtual_point=virtual,
            signed=signed,
            sign_codes=f"{positive}DF{positive}",
            strict=False,
        )
        if logical in CALENDARS:
            element.calendar = self.calendar(field, properties, place)
            default = len(element.calendar.pattern) // 2 + 1
        elif kind == "integer":
            default = INTEGERS.get(logical, 4)
        else:
            digits = field.facets.total_digits
            default = (digits + 2) // 2 if digits > 0 else 0
        element.length = self.length(field, {**properties, "lengthUnits": "bytes"}, default, place)
        nil = self.nil(field, properties, b"\0", place)
        if nil is not None:
            element.nillable = True
            element.nil = nil

    def _external(self, element: Element, field: Field, properties: Mapping[str, str], place: str) -> None:
        """Set a zoned decimal, or digits with a sign of their own."""
        logical = field.logical
        assert logical is not None
        if not is_number(logical):
            raise definition_error(f"{place}: a {logical.value} cannot be an external decimal")
        signed = read_flag(properties, "signed", False)
        orientation = word_of(properties, "signOrientation", "trailing")
        sign = ExternalSign.UNSIGNED
        if signed:
            sign = {
                "leading": ExternalSign.LEADING_OVERPUNCHED,
                "leadingoverpunched": ExternalSign.LEADING_OVERPUNCHED,
                "leadingseparate": ExternalSign.LEADING,
                "trailingseparate": ExternalSign.TRAILING,
            }.get(orientation, ExternalSign.TRAILING_OVERPUNCHED)
        separate = sign in (ExternalSign.LEADING, ExternalSign.TRAILING)
        custom = read_flag(properties, "signEBCDICCustom")
        element.number = Number(
            text=TextNumber.STANDARD if separate or logical in FLOATS else TextNumber.ZONED,
            virtual_point=self.number(properties, "virtualDecimalPoint", 0, place),
            signed=signed,
            external_sign=sign,
            zoned_sign=ZonedSign.ASCII_TRANSLATED_EBCDIC if custom else ZonedSign.ASCII_STANDARD,
        )
        pad = padding(properties.get("paddingCharacter", ""), "0", place)
        element.text = Text(
            encoding=self.charset(properties, place),
            justification=self.justification(properties, Justification.RIGHT),
            pad=pad,
            # Zeros are digits; any other filling is taken away.
            trims=pad not in ("0", b"0"),
        )
        default = field.facets.total_digits
        element.length = self.length(field, properties, default + separate if default > 0 else 0, place)
        nil = self.nil(field, properties, pad, place)
        if nil is not None:
            element.nillable = True
            element.nil = nil

    def _float(self, element: Element, field: Field, properties: Mapping[str, str], place: str) -> None:
        """Set a floating-point number; the length decides between 4 and 8 bytes, whatever the logical type."""
        logical = field.logical
        assert logical is not None
        if not is_number(logical):
            raise definition_error(f"{place}: a {logical.value} cannot be a float")
        length = self.number(properties, "length", 4 if logical is Logical.FLOAT else 8, place)
        if length not in (4, 8):
            raise definition_error(f"{place}: a float has 4 or 8 bytes, not {length}")
        if logical not in FLOATS:
            raise definition_error(f"{place}: a {logical.value} cannot be a float")
        word = word_of(properties, "floatFormat", "message")
        element.representation = Representation.BINARY
        element.number = Number(
            byte_order=byte_order(properties, place),
            float_format={"ieee": FloatFormat.IEEE, "s390": FloatFormat.S390}.get(word, FloatFormat.MESSAGE),
        )
        element.length = Length(LengthKind.EXPLICIT, length)

    def _boolean(self, element: Element, place: str) -> None:
        """Set a boolean: the patterns of the message set."""
        if element.logical is not Logical.BOOLEAN:
            raise definition_error(f"{place}: only a boolean can be a boolean")
        patterns = []
        for key, default in (
            ("booleanTrueValue", "00000001"),
            ("booleanFalseValue", "00000000"),
            ("booleanNullValue", "00000000"),
        ):
            text = self.settings.get(key, "").strip() or default
            try:
                patterns.append(bytes.fromhex(text))
            except ValueError:
                raise definition_error(f"{place}: {key} is '{text[:40]}', not hexadecimal digits") from None
        if len({len(pattern) for pattern in patterns}) != 1 or not 1 <= len(patterns[0]) <= 4:
            raise definition_error(f"{place}: the boolean values of format {self.format} are not equally long")
        element.representation = Representation.BINARY
        element.boolean = Boolean(bytes_true=patterns[0], bytes_false=patterns[1], bytes_null=patterns[2])
        element.length = Length(LengthKind.EXPLICIT, len(patterns[0]))

    def _bytes(self, element: Element, field: Field, kind: str, properties: Mapping[str, str], place: str) -> None:
        """Set a binary field."""
        if field.logical is not Logical.HEX_BINARY:
            raise definition_error(f"{place}: only a hexBinary can be {kind}")
        element.representation = Representation.BINARY
        if kind == "binary":
            given = {**properties, "lengthUnits": "bytes"}
            element.length = self.length(field, given, max(field.facets.max_length, 0), place)
        else:
            element.length = Length(LengthKind.PREFIXED, prefix=prefix_of(int(kind[-1]), byte_order(properties, place)))

    def _epoch(self, element: Element, kind: str, place: str) -> None:
        """Set a timestamp in seconds or milliseconds."""
        if element.logical is not Logical.DATE_TIME:
            raise definition_error(f"{place}: only a dateTime can be {kind}")
        seconds = kind == "timeseconds"
        element.representation = Representation.BINARY
        element.number = Number(binary=BinaryNumber.BINARY_SECONDS if seconds else BinaryNumber.BINARY_MILLISECONDS)
        element.calendar = Calendar(pattern="yyyy-MM-dd'T'HH:mm:ss")
        element.length = Length(LengthKind.EXPLICIT, 4 if seconds else 8)


def _without_padding(text: Text) -> Text:
    """Return text without padding: its length is that of the value."""
    return Text(
        encoding=text.encoding, justification=text.justification, pad=text.pad, pads=False, truncate=text.truncate
    )


def byte_order(properties: Mapping[str, str], place: str) -> ByteOrder:
    """Return the byte order of a field; that of the message unless the field has its own."""
    word = word_of(properties, "byteOrder", "message")
    found = {"bigendian": ByteOrder.BIG, "littleendian": ByteOrder.LITTLE, "message": ByteOrder.MESSAGE}.get(word)
    if found is None:
        raise definition_error(f"{place}: byteOrder is '{word}', not bigEndian or littleEndian")
    return found


def calendar_of(pattern: str, settings: Mapping[str, str], place: str) -> Calendar:
    """Return the layout of a date or time with the settings of its format."""
    zone = settings.get("timeZoneID", "").strip()
    if zone in ("0", "-1") or zone.lower() == "usebrokerlocale":
        zone = ""
    days = settings.get("daysInFirstWeekOfTheYear", "").strip().lower()
    first = settings.get("firstDayOfWeek", "").strip()
    return Calendar(
        pattern=pattern,
        time_zone=zone,
        century_start=read_number(settings, "centuryWindow", 53, place),
        lenient=read_flag(settings, "allowLenientDateTimes"),
        first_day_of_week=first if first in _WEEK else "Monday",
        days_in_first_week=_DAYS.get(days, int(days) if days.isdigit() and len(days) == 1 and days != "0" else 4),
    )


_WEEK: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
