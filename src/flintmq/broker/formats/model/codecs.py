"""Makes the codec of a field from its schema: which class of `fields.py`, with which bounds and patterns.

Runs when a plan is made, never while a message is read or written. Raises ValueError for a schema that cannot work: a
pattern that is malformed, a type that has no such representation.
"""

from __future__ import annotations

import re
from decimal import Decimal

from flintmq.broker.formats.model import fields
from flintmq.broker.formats.model.calendars import DATE, DATE_TIME, TIME, CalendarPattern
from flintmq.broker.formats.model.expression_values import to_boolean, to_decimal, to_float, to_hex, to_integer
from flintmq.broker.formats.model.number_text import NumberPattern
from flintmq.broker.formats.model.schema import (
    BinaryNumber,
    ByteOrder,
    CharacterClass,
    Delimiter,
    Element,
    Expression,
    ExternalSign,
    FloatFormat,
    Justification,
    LengthKind,
    LengthUnits,
    Logical,
    Representation,
    TextNumber,
)
from flintmq.broker.formats.model.text import Charset
from flintmq.broker.values import Timestamp

#: Bounds of the integer types, and the value of the tree they become.
_INTEGERS = {
    Logical.BYTE: (fields.INTEGER, -(2**7), 2**7 - 1),
    Logical.SHORT: (fields.INTEGER, -(2**15), 2**15 - 1),
    Logical.INT: (fields.INTEGER, -(2**31), 2**31 - 1),
    Logical.LONG: (fields.INTEGER, -(2**63), 2**63 - 1),
    Logical.UNSIGNED_BYTE: (fields.INTEGER, 0, 2**8 - 1),
    Logical.UNSIGNED_SHORT: (fields.INTEGER, 0, 2**16 - 1),
    Logical.UNSIGNED_INT: (fields.INTEGER, 0, 2**32 - 1),
    Logical.UNSIGNED_LONG: (fields.DECIMAL, 0, 2**64 - 1),
    Logical.INTEGER: (fields.DECIMAL, None, None),
    Logical.NON_NEGATIVE_INTEGER: (fields.DECIMAL, 0, None),
}
_UNSIGNED = frozenset(
    (
        Logical.UNSIGNED_BYTE,
        Logical.UNSIGNED_SHORT,
        Logical.UNSIGNED_INT,
        Logical.UNSIGNED_LONG,
        Logical.NON_NEGATIVE_INTEGER,
    )
)
_SIZES = {
    Logical.BYTE: 1,
    Logical.UNSIGNED_BYTE: 1,
    Logical.SHORT: 2,
    Logical.UNSIGNED_SHORT: 2,
    Logical.INT: 4,
    Logical.UNSIGNED_INT: 4,
    Logical.LONG: 8,
    Logical.UNSIGNED_LONG: 8,
    Logical.FLOAT: 4,
    Logical.DOUBLE: 8,
    Logical.BOOLEAN: 4,
}
_CALENDARS = {
    Logical.DATE: (DATE, "I"),
    Logical.TIME: (TIME, "I"),
    Logical.DATE_TIME: (DATE_TIME, "I"),
    Logical.G_YEAR: (DATE, "yyyy"),
    Logical.G_YEAR_MONTH: (DATE, "yyyy-MM"),
    Logical.G_MONTH: (DATE, "'--'MM"),
    Logical.G_MONTH_DAY: (DATE, "'--'MM-dd"),
    Logical.G_DAY: (DATE, "'---'dd"),
}
_PACKED = {
    BinaryNumber.PACKED: fields.PACKED,
    BinaryNumber.BCD: fields.BCD,
    BinaryNumber.IBM4690: fields.IBM4690,
}


def is_number(logical: Logical) -> bool:
    """Return whether a logical type is numeric."""
    return logical in _INTEGERS or logical in (Logical.DECIMAL, Logical.FLOAT, Logical.DOUBLE)


def is_calendar(logical: Logical) -> bool:
    """Return whether a logical type is a date or time."""
    return logical in _CALENDARS


def is_text(element: Element) -> bool:
    """Return whether a field is characters."""
    logical = element.logical
    if logical is Logical.STRING:
        return True
    return logical is not Logical.HEX_BINARY and element.representation is Representation.TEXT


def bounds_of(logical: Logical) -> fields.Range:
    """Return the bounds of a numeric type."""
    if logical in _INTEGERS:
        family, low, high = _INTEGERS[logical]
        return fields.Range(family, low, high)
    if logical is Logical.DECIMAL:
        return fields.Range(fields.DECIMAL, None, None)
    return fields.Range(fields.FLOAT, None, None, logical is Logical.FLOAT)


def implicit_size(element: Element) -> int:
    """Return the bytes of a binary field of implicit length. Raises ValueError if its type has none."""
    logical = element.logical
    assert logical is not None
    binary = element.number.binary
    if is_calendar(logical):
        if binary is BinaryNumber.BINARY_SECONDS:
            return 4
        if binary is BinaryNumber.BINARY_MILLISECONDS:
            return 8
    elif logical in _SIZES and (binary is BinaryNumber.BINARY or logical in (Logical.FLOAT, Logical.DOUBLE)):
        return _SIZES[logical]
    elif logical is Logical.BOOLEAN:
        return 4
    elif logical is Logical.HEX_BINARY and element.facets.max_length >= 0:
        return element.facets.max_length
    raise ValueError(f"{element.name}: a binary {logical.value} has no implicit length")


def natural_alignment(element: Element) -> int:
    """Return the implicit alignment of an element in bits."""
    logical = element.logical
    if logical is None:
        return 1
    if is_text(element):
        return 8
    binary = element.number.binary
    if is_calendar(logical):
        return {BinaryNumber.BINARY_SECONDS: 32, BinaryNumber.BINARY_MILLISECONDS: 64}.get(binary, 8)
    if binary is not BinaryNumber.BINARY and logical is not Logical.BOOLEAN:
        return 8
    return 8 * _SIZES.get(logical, 1)


def logical_value(text: str, logical: Logical) -> object:
    """Return the value of a text in XML Schema's form. Raises ValueError."""
    if logical is Logical.STRING:
        return text
    if logical is Logical.BOOLEAN:
        return to_boolean(text)
    if logical in _INTEGERS:
        return bounds_of(logical).of_integer(to_integer(text, "integer"))
    if logical is Logical.DECIMAL:
        return to_decimal(text)
    if logical in (Logical.FLOAT, Logical.DOUBLE):
        return to_float(text)
    if logical is Logical.HEX_BINARY:
        return to_hex(text.strip())
    kind, pattern = _CALENDARS[logical]
    return CalendarPattern(pattern, kind).parse(text.strip())


def converted(value: object, logical: Logical) -> object:
    """Return a value of an expression as the type of a field. Raises ValueError."""
    if isinstance(value, str):
        return logical_value(value, logical)
    if logical is Logical.STRING:
        raise ValueError(f"{value} is not a string")
    if logical is Logical.BOOLEAN:
        return to_boolean(value)
    if is_number(logical):
        if isinstance(value, bool):
            raise ValueError(f"{value} is not a number")
        bounds = bounds_of(logical)
        if bounds.family == fields.FLOAT:
            return to_float(value)
        if logical is Logical.DECIMAL:
            return to_decimal(value)
        number = to_decimal(value)
        return bounds.of_integer(int(number.to_integral_value(rounding="ROUND_DOWN")))
    if logical is Logical.HEX_BINARY:
        return fields.as_bytes(value)
    return fields.as_calendar(value, _CALENDARS[logical][0])


def make_codec(element: Element, charset: Charset, encoding: int) -> fields.Codec:
    """Return the codec of a field. `encoding` is the numeric encoding of the message. Raises ValueError."""
    logical = element.logical
    assert logical is not None
    if logical is Logical.STRING:
        return fields.StringCodec()
    if logical is Logical.HEX_BINARY:
        return fields.HexCodec()
    try:
        if logical is Logical.BOOLEAN:
            return _boolean(element, encoding)
        if is_calendar(logical):
            return _calendar(element, logical, encoding)
        if is_text(element):
            return _text_number(element, logical, charset)
        return _binary_number(element, logical, encoding)
    except ValueError as error:
        raise ValueError(f"{element.name}: {error}") from None


def big_endian(order: ByteOrder | Expression, encoding: int, shift: int) -> bool:
    """Return whether numbers are big-endian; `shift` is the place in the encoding: 0 integers, 4 decimals, 8 floats."""
    if order is ByteOrder.MESSAGE:
        digit = encoding >> shift & 0xF
        return digit != 2
    return order is ByteOrder.BIG


def _boolean(element: Element, encoding: int) -> fields.Codec:
    boolean = element.boolean
    if is_text(element):
        true, false = boolean.true, boolean.false
        assert isinstance(true, tuple) and isinstance(false, tuple)
        if not true or not false:
            raise ValueError("a boolean needs texts for true and false")
        return fields.BooleanTextCodec(true, false, boolean.ignore_case)
    big = big_endian(element.number.byte_order, encoding, 0)
    patterns = (boolean.bytes_true, boolean.bytes_false, boolean.bytes_null)
    return fields.BooleanCodec(boolean.binary_true, boolean.binary_false, big, patterns)


def _calendar(element: Element, logical: Logical, encoding: int) -> fields.Codec:
    calendar = element.calendar
    kind, default = _CALENDARS[logical]
    pattern = CalendarPattern(
        calendar.pattern or default,
        kind,
        calendar.time_zone,
        calendar.century_start,
        calendar.lenient,
        calendar.first_day_of_week,
        calendar.days_in_first_week,
    )
    if is_text(element):
        return fields.CalendarCodec(pattern)
    number = element.number
    if number.binary in _PACKED:
        digits = sum(max(count, 1) for letter, count, _ in pattern.items if letter)
        if any(not letter or letter not in "yuMdHhkKmsSDwWeYFQL" for letter, _, _ in pattern.items) or any(
            letter in "MLe" and count > 2 for letter, count, _ in pattern.items
        ):
            raise ValueError(f"the calendar pattern {pattern.pattern} of a packed date has more than digits")
        big = big_endian(number.byte_order, encoding, 4)
        return fields.PackedCalendarCodec(
            _PACKED[number.binary], pattern, digits, big, number.strict, number.sign_codes
        )
    epoch = CalendarPattern("I", DATE_TIME).parse(calendar.epoch)
    assert isinstance(epoch, Timestamp)
    if kind != DATE_TIME:
        raise ValueError("only a dateTime can be binary seconds or milliseconds")
    big = big_endian(number.byte_order, encoding, 0)
    if number.binary is BinaryNumber.BINARY_SECONDS:
        return fields.EpochCodec(epoch, 1_000_000, 4, big)
    if number.binary is BinaryNumber.BINARY_MILLISECONDS:
        return fields.EpochCodec(epoch, 1_000, 8, big)
    raise ValueError(f"a date or time has no representation {number.binary.value}")


def _signed(element: Element, logical: Logical) -> bool:
    signed = element.number.signed
    if signed is not None and logical not in _UNSIGNED:
        return signed
    return logical not in _UNSIGNED


def _binary_number(element: Element, logical: Logical, encoding: int) -> fields.Codec:
    number = element.number
    bounds = bounds_of(logical)
    whole = logical in _INTEGERS
    if number.binary in _PACKED:
        return fields.PackedCodec(
            _PACKED[number.binary],
            bounds,
            whole,
            big_endian(number.byte_order, encoding, 4),
            _signed(element, logical),
            number.strict,
            number.sign_codes.upper(),
            number.virtual_point,
        )
    if number.binary is not BinaryNumber.BINARY:
        raise ValueError(f"a number has no representation {number.binary.value}")
    if logical in (Logical.FLOAT, Logical.DOUBLE):
        s390 = number.float_format is FloatFormat.S390
        if number.float_format is FloatFormat.MESSAGE:
            s390 = encoding >> 8 & 0xF == 3
        size = 4 if logical is Logical.FLOAT else 8
        return fields.FloatCodec(size, big_endian(number.byte_order, encoding, 8), s390)
    big = big_endian(number.byte_order, encoding, 0)
    return fields.BinaryCodec(bounds, whole, big, _signed(element, logical), number.virtual_point)


def digits_of(element: Element) -> int:
    """Return the characters of a text field of fixed length; 0 if it has none."""
    length = element.length
    if length.kind is LengthKind.EXPLICIT and isinstance(length.value, int) and length.units is not LengthUnits.BITS:
        return length.value
    return 0


def _text_number(element: Element, logical: Logical, charset: Charset) -> fields.Codec:
    number = element.number
    bounds = bounds_of(logical)
    whole = logical in _INTEGERS
    if number.text is TextNumber.ZONED:
        return _zoned(element, logical, charset)
    if number.base != 10:
        if not whole:
            raise ValueError(f"a {logical.value} has no base {number.base}")
        return fields.BaseCodec(number.base, bounds)
    separators = number.decimal_separators
    assert isinstance(separators, tuple)
    if number.pattern:
        assert isinstance(number.grouping_separator, str) and isinstance(number.exponent, str)
        pattern = NumberPattern(
            number.pattern,
            separators or ("",),
            number.grouping_separator,
            number.exponent,
            number.infinity,
            number.nan,
            tuple(str(text) if isinstance(text, str) else _written(text) for text in number.zero),
            tuple(literal_regex(text, number.ignore_case) for text in number.zero if isinstance(text, Delimiter)),
            number.lax,
            number.rounding,
            number.rounding_increment,
            number.ignore_case,
        )
        return fields.NumberCodec(pattern, bounds, whole and not pattern.virtual_point())
    sign = number.external_sign
    digits = 0
    zeros = element.text.pad in ("0", b"0") and element.text.justification is Justification.RIGHT
    if sign is not None or zeros and element.text.pads:
        # Zeros up to the length of the field, behind the sign.
        digits = digits_of(element)
    return fields.PlainNumberCodec(
        bounds,
        whole,
        separators[0] if separators else ".",
        number.virtual_point,
        number.precision,
        "+" if sign in (ExternalSign.LEADING, ExternalSign.TRAILING) else number.positive_sign,
        sign is ExternalSign.TRAILING,
        _signed(element, logical) and sign is not ExternalSign.UNSIGNED,
        max(digits, 0),
    )


def _written(value: Delimiter) -> str:
    """Return the output for a literal with character classes."""
    text = ""
    for part in value.parts:
        if isinstance(part, CharacterClass):
            text += {CharacterClass.NEW_LINE: "\n", CharacterClass.WHITE_SPACE_ANY: "", CharacterClass.EMPTY: ""}.get(
                part, " "
            )
        else:
            text += part.decode("latin-1") if isinstance(part, bytes) else part
    return text


def literal_regex(value: Delimiter, ignore_case: bool) -> re.Pattern[str]:
    """Return a regular expression over characters for a literal with character classes."""
    source = ""
    for part in value.parts:
        if isinstance(part, CharacterClass):
            source += {
                CharacterClass.NEW_LINE: r"(?:\r\n|\r|\n|\x85|\u2028)",
                CharacterClass.WHITE_SPACE: r"\s",
                CharacterClass.WHITE_SPACE_ANY: r"\s*",
                CharacterClass.WHITE_SPACE_SOME: r"\s+",
                CharacterClass.EMPTY: "",
            }[part]
        elif isinstance(part, bytes):
            source += re.escape(part.decode("latin-1"))
        else:
            source += re.escape(part)
    return re.compile(source, re.DOTALL | re.IGNORECASE if ignore_case else re.DOTALL)


def _zoned(element: Element, logical: Logical, charset: Charset) -> fields.Codec:
    number = element.number
    if logical in (Logical.FLOAT, Logical.DOUBLE):
        raise ValueError(f"a {logical.value} has no zoned representation")
    signed = _signed(element, logical)
    leading = False
    digits = 0
    virtual = number.virtual_point
    if number.external_sign is not None:
        leading = number.external_sign is ExternalSign.LEADING_OVERPUNCHED
        signed = signed and number.external_sign is not ExternalSign.UNSIGNED
        digits = digits_of(element)
    elif number.pattern:
        body = number.pattern
        if body.startswith("+") and body.endswith("+"):
            raise ValueError(f"the zoned pattern '{body}' has two signs")
        leading = body.startswith("+")
        has_sign = leading or body.endswith("+")
        plain = NumberPattern(body.strip("+"))
        if plain.prefix.text or plain.suffix.text or plain.digits.point or plain.digits.exponent_min:
            raise ValueError(f"the zoned pattern '{body}' has more than digits, V, P and a sign")
        if not has_sign:
            signed = False
        virtual = plain.virtual_point()
    if Decimal(virtual) and logical in _INTEGERS and virtual > 0:
        raise ValueError(f"a {logical.value} has no decimal point")
    return fields.ZonedCodec(
        bounds_of(logical),
        logical in _INTEGERS,
        virtual,
        leading,
        signed,
        number.strict,
        number.zoned_sign.value,
        digits,
        charset.codec if charset.ebcdic else "",
    )
