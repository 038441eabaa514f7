"""Values of fields: one codec per representation, from text or bytes to a value of the tree and back.

A codec is made once per field of a plan. Text codecs get characters without padding and escapes; binary codecs get
exactly the bytes of the field. Both raise ValueError with a text on the mistake in the value; the reader
and the writer add where.

    read_text, write_text      strings, numbers, booleans, calendars as characters
    read_bytes, write_bytes    binary, packed, BCD, IBM 4690, floats, booleans, calendars, hexBinary
    read_bits, write_bits      the same for fields with a length in bits

Values written may have another type than the field: ESQL assigns CHARACTER to numbers and numbers to strings. They are
converted as CAST does where that is possible without loss, and refused otherwise.

The module is compiled by mypyc.
"""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from typing import Final, final

from mypy_extensions import mypyc_attr

from flintmq.broker.formats.model import numbers
from flintmq.broker.formats.model.calendars import DATE, DATE_TIME, TIME, CalendarPattern
from flintmq.broker.formats.model.number_text import CONTEXT, NumberPattern, format_base, parse_base
from flintmq.broker.values import Bit, Date, Time, Timestamp

#: Which value of the tree a number becomes.
INTEGER: Final = 1
DECIMAL: Final = 2
FLOAT: Final = 3

#: Longer binary integers take time that grows with the square of their length.
BITS_MAX: Final = 8192

#: Packed kinds.
PACKED: Final = 1
BCD: Final = 2
IBM4690: Final = 3


@mypyc_attr(allow_interpreted_subclasses=False)
class Codec:
    """The representation of a field."""

    def read_text(self, text: str) -> object:
        """Return the value of characters. Raises ValueError."""
        raise NotImplementedError

    def write_text(self, value: object) -> str:
        """Return the characters of a value. Raises ValueError."""
        raise NotImplementedError

    def read_bytes(self, data: bytes) -> object:
        """Return the value of bytes. Raises ValueError."""
        raise NotImplementedError

    def write_bytes(self, value: object, size: int) -> bytes:
        """Return the bytes of a value; a size of 0 = as many as it needs. Raises ValueError."""
        raise NotImplementedError

    def read_bits(self, number: int, bits: int) -> object:
        """Return the value of a field of so many bits. Raises ValueError."""
        if bits % 8:
            raise ValueError(f"a field of this type has whole bytes, not {bits} bits")
        return self.read_bytes(number.to_bytes(bits // 8, "big"))

    def write_bits(self, value: object, bits: int) -> int:
        """Return the bits of a value as an unsigned number. Raises ValueError."""
        if bits % 8:
            raise ValueError(f"a field of this type has whole bytes, not {bits} bits")
        return int.from_bytes(self.write_bytes(value, bits // 8), "big")


# Conversion of whatever a tree holds.


def as_text(value: object) -> str:
    """Return a value as characters, as CAST to CHARACTER does."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, Decimal):
        return format(value, "f") if value.is_finite() and abs(value.adjusted()) < 100 else str(value)
    if isinstance(value, Bit):
        return value.bits()
    return str(value)


def as_decimal(value: object) -> Decimal:
    """Return a value as a number. Raises ValueError."""
    if isinstance(value, bool):
        raise ValueError(f"{as_text(value)} is not a number")
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, Decimal):
        return value
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, str):
        text = value.strip()
        if len(text) <= 2000 and "_" not in text:
            try:
                return Decimal(text)
            except ArithmeticError:
                pass
        raise ValueError(f"'{text[:100]}' is not a number")
    raise ValueError(f"{as_text(value)} is not a number")


def as_integer(value: object) -> int:
    """Return a value as an integer. Raises ValueError if it has a fraction."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    number = as_decimal(value)
    if not number.is_finite() or number != number.to_integral_value() or number.adjusted() > 1000:
        raise ValueError(f"{as_text(value)} is not an integer")
    return int(number)


def as_float(value: object) -> float:
    """Return a value as a floating-point number. Raises ValueError."""
    if isinstance(value, float):
        return value
    if isinstance(value, str) and value.strip() in ("INF", "-INF"):
        return math.inf if value.strip() == "INF" else -math.inf
    return float(as_decimal(value))


def as_boolean(value: object) -> bool:
    """Return a value as BOOLEAN. Raises ValueError."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        text = value.strip().lower()
        if text in ("true", "1"):
            return True
        if text in ("false", "0"):
            return False
    elif isinstance(value, int) and 0 <= value <= 1:
        return value == 1
    raise ValueError(f"{as_text(value)} is neither true nor false")


def as_bytes(value: object) -> bytes:
    """Return a value as BLOB; characters are hex digits. Raises ValueError."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        try:
            return bytes.fromhex(value)
        except ValueError:
            raise ValueError(f"'{value[:100]}' is not a BLOB: it has other characters than hex digits") from None
    if isinstance(value, Bit) and value.length % 8 == 0:
        return value.value.to_bytes(value.length // 8, "big")
    raise ValueError(f"{as_text(value)} is not a BLOB")


def as_calendar(value: object, kind: int) -> object:
    """Return a value as DATE, TIME or TIMESTAMP. Raises ValueError."""
    if isinstance(value, Timestamp):
        if kind == DATE_TIME:
            return value
        return value.date() if kind == DATE else value.time()
    if isinstance(value, Date):
        if kind == DATE:
            return value
        if kind == DATE_TIME:
            return Timestamp(value.year, value.month, value.day)
    elif isinstance(value, Time):
        if kind == TIME:
            return value
    elif isinstance(value, str):
        text = value.strip()
        if kind == DATE_TIME and len(text) > 10 and text[10] == " ":
            text = text[:10] + "T" + text[11:]
        return _ISO[kind].parse(text)
    raise ValueError(f"{as_text(value)} is not a {('DATE', 'TIME', 'TIMESTAMP')[kind - 1]}")


_ISO: Final = (
    CalendarPattern("I", DATE_TIME),
    CalendarPattern("I", DATE),
    CalendarPattern("I", TIME),
    CalendarPattern("I", DATE_TIME),
)


@final
class Range:
    """The kinds of numbers: the value that each becomes in a tree, and the bounds of its logical type."""

    def __init__(self, family: int, low: int | None, high: int | None, single: bool = False) -> None:
        self.family: int = family
        self.low: int | None = low
        self.high: int | None = high
        #: xs:float: four bytes of precision.
        self.single: bool = single

    def of_integer(self, number: int) -> object:
        """Return an integer as a value of the tree. Raises ValueError if it is out of range."""
        low = self.low
        if low is not None and number < low:
            raise ValueError(f"{number} is less than {low}, the least value of its type")
        high = self.high
        if high is not None and number > high:
            raise ValueError(f"{number} is more than {high}, the largest value of its type")
        if self.family == INTEGER:
            return number
        if self.family == DECIMAL:
            return Decimal(number)
        return float(number)

    def of_decimal(self, number: Decimal, whole: bool) -> object:
        """Return a number as a value of the tree. Raises ValueError if it is out of range."""
        if self.family == FLOAT:
            return float(number)
        if not number.is_finite():
            raise ValueError(f"{number} is not a value of an integer or decimal type")
        if whole or self.family == INTEGER:
            if number.adjusted() > 1000 or number != number.to_integral_value():
                raise ValueError(f"{number} is not an integer")
            return self.of_integer(int(number))
        return number

    def check(self, number: Decimal) -> None:
        """Raise ValueError if a number is out of the bounds of its type."""
        low = self.low
        if low is not None and number < low:
            raise ValueError(f"{number} is less than {low}, the least value of its type")
        high = self.high
        if high is not None and number > high:
            raise ValueError(f"{number} is more than {high}, the largest value of its type")


# Text.


@final
class StringCodec(Codec):
    """Characters."""

    def read_text(self, text: str) -> object:
        return text

    def write_text(self, value: object) -> str:
        return as_text(value)


@final
class NumberCodec(Codec):
    """A number by a pattern of digits."""

    def __init__(self, pattern: NumberPattern, bounds: Range, whole: bool) -> None:
        self.pattern: NumberPattern = pattern
        self.bounds: Range = bounds
        self.whole: bool = whole
        self.plain: bool = pattern.plain and bounds.family == INTEGER
        self.simple_decimal: bool = (
            pattern.plain
            and bounds.family == DECIMAL
            and not whole
            and "." in pattern.decimal_separators
            and pattern.grouping_separator != "."
            and bounds.low is None
        )

    def read_text(self, text: str) -> object:
        if self.plain and len(text) < 19 and text.isascii() and text.isdigit():
            return self.bounds.of_integer(int(text))
        if self.simple_decimal and len(text) < 34 and text.isascii() and text.replace(".", "", 1).isdigit():
            return Decimal(text)
        number = self.pattern.parse(text, self.whole)
        if number.is_zero() and number.is_signed() and self.bounds.family == FLOAT:
            return -0.0
        return self.bounds.of_decimal(number, self.whole)

    def write_text(self, value: object) -> str:
        if self.bounds.family == FLOAT:
            number = as_float(value)
            if math.isnan(number):
                return self.pattern.nan
            if math.isinf(number):
                return self.pattern.format(Decimal("-Infinity" if number < 0 else "Infinity"))
            return self.pattern.format(Decimal(repr(number)))
        exact = as_decimal(value)
        if self.whole and exact.is_finite() and exact != exact.to_integral_value():
            raise ValueError(f"{as_text(value)} is not an integer")
        self.bounds.check(exact)
        return self.pattern.format(exact)


@final
class BaseCodec(Codec):
    """An integer in base 2, 8 or 16."""

    def __init__(self, base: int, bounds: Range) -> None:
        self.base: int = base
        self.bounds: Range = bounds

    def read_text(self, text: str) -> object:
        return self.bounds.of_integer(parse_base(text, self.base))

    def write_text(self, value: object) -> str:
        number = as_integer(value)
        self.bounds.check(Decimal(number))
        return format_base(number, self.base)


@final
class PlainNumberCodec(Codec):
    """A number as MRM writes it: sign, digits, a decimal point that is written or virtual, a fixed precision."""

    def __init__(
        self,
        bounds: Range,
        whole: bool,
        decimal_point: str,
        virtual_point: int,
        precision: int,
        positive_sign: str,
        trailing_sign: bool,
        signed: bool,
        digits: int,
    ) -> None:
        self.bounds: Range = bounds
        self.whole: bool = whole
        self.decimal_point: str = decimal_point
        self.virtual_point: int = virtual_point
        self.precision: int = precision
        self.positive_sign: str = positive_sign
        self.trailing_sign: bool = trailing_sign
        self.signed: bool = signed
        #: Characters that are written at least: zeros are filled in between sign and digits.
        self.digits: int = digits
        #: Whether digits with at most one point are a decimal at once.
        self.simple_decimal: bool = (
            bounds.family == DECIMAL
            and not whole
            and decimal_point == "."
            and not virtual_point
            and bounds.low is None
            and bounds.high is None
        )

    def read_text(self, text: str) -> object:
        if not self.virtual_point and len(text) < 19 and text.isascii() and text.isdigit():
            return self.bounds.of_integer(int(text))
        if self.simple_decimal and len(text) < 34 and text.isascii() and text.replace(".", "", 1).isdigit():
            return Decimal(text)
        return self._read_signed(text)

    def _read_signed(self, text: str) -> object:
        """Return the value of a text with a sign, spaces, a decimal point or an exponent."""
        body = text.strip(" ")
        sign = ""
        if self.trailing_sign and body[-1:] in ("+", "-") and body:
            sign = body[-1]
            body = body[:-1]
        elif body[:1] in ("+", "-"):
            sign = body[0]
            body = body[1:]
        whole, point, fraction = body.strip(" ").partition(self.decimal_point)
        if self.bounds.family == FLOAT and point == "" and ("E" in whole or "e" in whole):
            return self._float(body, sign, text)
        digits = whole + fraction
        if not digits or len(digits) > 2000 or not digits.isascii() or not digits.isdigit():
            if self.bounds.family == FLOAT:
                return self._float(body, sign, text)
            raise ValueError(f"'{text[:100]}' is not a number")
        if sign == "-" and not self.signed:
            raise ValueError(f"'{text}' is negative and its type is not signed")
        places = len(fraction)
        if not point:
            places += self.virtual_point
        number = Decimal(int(digits)).scaleb(-places, CONTEXT)
        return self.bounds.of_decimal(number.copy_negate() if sign == "-" else number, self.whole)

    def _float(self, body: str, sign: str, text: str) -> object:
        """Return a number with an exponent."""
        plain = body.replace(self.decimal_point, ".") if self.decimal_point else body
        if plain.strip("0123456789.eE+-"):
            raise ValueError(f"'{text[:100]}' is not a number")
        try:
            value = float(plain)
        except ValueError:
            raise ValueError(f"'{text[:100]}' is not a number") from None
        return -value if sign == "-" else value

    def write_text(self, value: object) -> str:
        number = as_decimal(value)
        if not number.is_finite():
            raise ValueError(f"{number} has no digits")
        if self.whole and number != number.to_integral_value():
            raise ValueError(f"{as_text(value)} is not an integer")
        self.bounds.check(number)
        magnitude = number.copy_abs()
        if self.virtual_point:
            magnitude = magnitude.scaleb(self.virtual_point, CONTEXT)
            if magnitude != magnitude.to_integral_value():
                raise ValueError(f"{as_text(value)} has more than {self.virtual_point} digits after its decimal point")
            text = str(int(magnitude))
        elif self.precision >= 0:
            rounded = magnitude.quantize(Decimal(1).scaleb(-self.precision), context=CONTEXT)
            text = format(rounded, "f").replace(".", self.decimal_point)
        elif self.whole:
            text = str(int(magnitude))
        else:
            text = format(magnitude, "f").replace(".", self.decimal_point)
        negative = number.is_signed() and bool(number)
        if negative and not self.signed:
            raise ValueError(f"{as_text(value)} is negative and its type is not signed")
        sign = "-" if negative else self.positive_sign
        if self.digits:
            text = text.rjust(self.digits - len(sign), "0")
        return text + sign if self.trailing_sign else sign + text


@final
class ZonedCodec(Codec):
    """A zoned decimal in characters."""

    def __init__(
        self,
        bounds: Range,
        whole: bool,
        virtual_point: int,
        leading: bool,
        signed: bool,
        strict: bool,
        style: str,
        digits: int,
        ebcdic_codec: str,
    ) -> None:
        self.bounds: Range = bounds
        self.whole: bool = whole
        self.virtual_point: int = virtual_point
        self.leading: bool = leading
        self.signed: bool = signed
        self.strict: bool = strict
        self.style: str = style
        self.digits: int = digits
        #: The codec of an EBCDIC character set; '' = ASCII.
        self.ebcdic_codec: str = ebcdic_codec

    def read_text(self, text: str) -> object:
        if self.ebcdic_codec:
            number = numbers.decode_zoned_ebcdic(text.encode(self.ebcdic_codec), self.leading, self.signed, self.strict)
        else:
            number = numbers.decode_zoned_text(text, self.leading, self.signed, self.style)
        if not self.virtual_point:
            return self.bounds.of_integer(number)
        return self.bounds.of_decimal(Decimal(number).scaleb(-self.virtual_point, CONTEXT), self.whole)

    def write_text(self, value: object) -> str:
        number = scaled(value, self.virtual_point)
        if self.ebcdic_codec:
            data = numbers.encode_zoned_ebcdic(number, self.digits, self.leading, self.signed)
            return data.decode(self.ebcdic_codec)
        return numbers.encode_zoned_text(number, self.digits, self.leading, self.signed, self.style)


def scaled(value: object, places: int) -> int:
    """Return a number times ten to the power of `places`. Raises ValueError if a fraction is left."""
    number = as_decimal(value)
    if not number.is_finite() or number.adjusted() > 1000:
        raise ValueError(f"{as_text(value)} has no digits")
    if places:
        number = number.scaleb(places, CONTEXT)
    whole = number.to_integral_value()
    if whole != number:
        raise ValueError(f"{as_text(value)} has more than {max(places, 0)} digits after its decimal point")
    return int(whole)


@final
class BooleanTextCodec(Codec):
    """true and false as characters."""

    def __init__(self, true: tuple[str, ...], false: tuple[str, ...], ignore_case: bool) -> None:
        self.true: tuple[str, ...] = true
        self.false: tuple[str, ...] = false
        self.ignore_case: bool = ignore_case

    def read_text(self, text: str) -> object:
        if text in self.true:
            return True
        if text in self.false:
            return False
        if self.ignore_case:
            lower = text.lower()
            if lower in [known.lower() for known in self.true]:
                return True
            if lower in [known.lower() for known in self.false]:
                return False
        raise ValueError(
            f"'{text[:100]}' is neither true ({' or '.join(self.true)}) nor false ({' or '.join(self.false)})"
        )

    def write_text(self, value: object) -> str:
        return self.true[0] if as_boolean(value) else self.false[0]


@final
class CalendarCodec(Codec):
    """A date or time by a pattern."""

    def __init__(self, pattern: CalendarPattern) -> None:
        self.pattern: CalendarPattern = pattern

    def read_text(self, text: str) -> object:
        return self.pattern.parse(text)

    def write_text(self, value: object) -> str:
        return self.pattern.format(as_calendar(value, self.pattern.kind))


# Binary.


@final
class BinaryCodec(Codec):
    """Two's complement or unsigned integers, with a virtual decimal point."""

    def __init__(self, bounds: Range, whole: bool, big: bool, signed: bool, virtual_point: int) -> None:
        self.bounds: Range = bounds
        self.whole: bool = whole
        self.big: bool = big
        self.signed: bool = signed
        self.virtual_point: int = virtual_point

    def read_bytes(self, data: bytes) -> object:
        if len(data) > 8:
            self.check_bits(8 * len(data))
        number = int.from_bytes(data, "big" if self.big else "little", signed=self.signed)
        return self._value(number)

    def _value(self, number: int) -> object:
        if not self.virtual_point:
            return self.bounds.of_integer(number)
        return self.bounds.of_decimal(Decimal(number).scaleb(-self.virtual_point, CONTEXT), self.whole)

    def write_bytes(self, value: object, size: int) -> bytes:
        number = scaled(value, self.virtual_point) if self.virtual_point else as_integer(value)
        if not size:
            size = max(1, (number.bit_length() + (8 if self.signed else 7)) // 8)
        return numbers.encode_binary(number, size, self.big, self.signed)

    def read_bits(self, number: int, bits: int) -> object:
        self.check_bits(bits)
        if not self.big and bits > 8:
            number = reversed_bytes(number, bits, True)
        if self.signed and bits > 1 and number >> (bits - 1):
            number -= 1 << bits
        return self._value(number)

    def check_bits(self, bits: int) -> None:
        """Raise ValueError if the type has no values of so many bits."""
        if bits > BITS_MAX:
            raise ValueError(f"a binary number of {bits} bits; at most {BITS_MAX} are read")
        high = self.bounds.high
        if high is not None and self.whole and bits > high.bit_length() + (1 if self.signed else 0):
            raise ValueError(f"its length is {bits} bits; its type has at most {high.bit_length() + self.signed}")

    def write_bits(self, value: object, bits: int) -> int:
        self.check_bits(bits)
        number = scaled(value, self.virtual_point) if self.virtual_point else as_integer(value)
        low = -(1 << (bits - 1)) if self.signed and bits > 1 else 0
        high = (1 << (bits - 1)) - 1 if self.signed and bits > 1 else (1 << bits) - 1
        if not low <= number <= high:
            raise ValueError(f"{number} does not fit into {bits} bits")
        number &= (1 << bits) - 1
        return reversed_bytes(number, bits, False) if not self.big and bits > 8 else number


def reversed_bytes(number: int, bits: int, reading: bool) -> int:
    """Return a number of so many bits with its bytes in the other order; the last byte in the data may be short."""
    result = 0
    done = 0
    while done < bits:
        size = min(8, bits - done)
        if reading:
            # The first byte of the data is the least significant.
            result |= (number >> (bits - done - size) & ((1 << size) - 1)) << done
        else:
            result |= (number >> done & ((1 << size) - 1)) << (bits - done - size)
        done += size
    return result


@final
class PackedCodec(Codec):
    """Packed decimal, BCD and IBM 4690 numbers."""

    def __init__(
        self,
        kind: int,
        bounds: Range,
        whole: bool,
        big: bool,
        signed: bool,
        strict: bool,
        sign_codes: str,
        virtual_point: int,
    ) -> None:
        self.kind: int = kind
        self.bounds: Range = bounds
        self.whole: bool = whole
        self.big: bool = big
        self.signed: bool = signed
        self.strict: bool = strict
        self.sign_codes: str = sign_codes
        self.virtual_point: int = virtual_point

    def read_bytes(self, data: bytes) -> object:
        if not self.big:
            data = data[::-1]
        if self.kind == PACKED:
            number = numbers.decode_packed(data, self.signed, self.strict, self.sign_codes)
        elif self.kind == BCD:
            number = numbers.decode_bcd(data)
        else:
            number = numbers.decode_ibm4690(data)
            if number < 0 and not self.signed:
                raise ValueError(f"packed number X'{data.hex()}' is negative and its type is not signed")
        if not self.virtual_point:
            return self.bounds.of_integer(number)
        return self.bounds.of_decimal(Decimal(number).scaleb(-self.virtual_point, CONTEXT), self.whole)

    def write_bytes(self, value: object, size: int) -> bytes:
        number = scaled(value, self.virtual_point)
        if number < 0 and not self.signed:
            raise ValueError(f"{as_text(value)} is negative and its type is not signed")
        if self.kind == PACKED:
            data = numbers.encode_packed(number, size, self.signed, self.sign_codes)
        elif self.kind == BCD:
            data = numbers.encode_bcd(number, size)
        else:
            data = numbers.encode_ibm4690(number, size)
        return data if self.big else data[::-1]

    def read_bits(self, number: int, bits: int) -> object:
        if bits % 4:
            raise ValueError(f"a packed number of {bits} bits has a part of a digit")
        # An odd number of nibbles: a zero before the first does not change the value.
        return self.read_bytes(number.to_bytes((bits + 7) // 8, "big"))

    def write_bits(self, value: object, bits: int) -> int:
        if bits % 4:
            raise ValueError(f"a packed number of {bits} bits has a part of a digit")
        number = int.from_bytes(self.write_bytes(value, (bits + 7) // 8), "big")
        if number >> bits:
            raise ValueError(f"{as_text(value)} does not fit into {bits} bits")
        return number


@final
class FloatCodec(Codec):
    """IEEE and IBM hexadecimal floating-point numbers of 4 or 8 bytes."""

    def __init__(self, size: int, big: bool, s390: bool) -> None:
        self.size: int = size
        self.big: bool = big
        self.s390: bool = s390

    def read_bytes(self, data: bytes) -> object:
        if len(data) not in (4, 8):
            raise ValueError(f"a floating-point number has 4 or 8 bytes, not {len(data)}")
        return numbers.decode_float(data, self.big, self.s390)

    def write_bytes(self, value: object, size: int) -> bytes:
        return numbers.encode_float(as_float(value), size or self.size, self.big, self.s390)

    def read_bits(self, number: int, bits: int) -> object:
        if bits not in (32, 64):
            raise ValueError(f"a floating-point number has 32 or 64 bits, not {bits}")
        return self.read_bytes(number.to_bytes(bits // 8, "big"))

    def write_bits(self, value: object, bits: int) -> int:
        return int.from_bytes(self.write_bytes(value, bits // 8), "big")


@final
class BooleanCodec(Codec):
    """true and false as unsigned integers, or as MRM's patterns of four bytes."""

    def __init__(self, true: int | None, false: int, big: bool, patterns: tuple[bytes, bytes, bytes]) -> None:
        self.true: int | None = true
        self.false: int = false
        self.big: bool = big
        #: true, false and null; b'' = numbers.
        self.patterns: tuple[bytes, bytes, bytes] = patterns

    def read_bytes(self, data: bytes) -> object:
        true, false, null = self.patterns
        if true or false:
            if data == true:
                return True
            if data == false:
                return False
            if null and data == null:
                return None
            raise ValueError(f"X'{data.hex()}' is neither true (X'{true.hex()}') nor false (X'{false.hex()}')")
        return self._value(int.from_bytes(data, "big" if self.big else "little"))

    def _value(self, number: int) -> object:
        if number == self.false:
            return False
        if self.true is None or number == self.true:
            return True
        raise ValueError(f"{number} is neither true ({self.true}) nor false ({self.false})")

    def _number(self, value: object, bits: int) -> int:
        if as_boolean(value):
            true = self.true
            # Any number but `false` is true: DFDL asks for the bits of `false` turned round.
            return ~self.false & ((1 << bits) - 1) if true is None else true
        return self.false

    def write_bytes(self, value: object, size: int) -> bytes:
        true, false, null = self.patterns
        if true or false:
            if value is None and null:
                return null
            return true if as_boolean(value) else false
        return numbers.encode_binary(self._number(value, 8 * (size or 4)), size or 4, self.big, False)

    def read_bits(self, number: int, bits: int) -> object:
        return self._value(number)

    def write_bits(self, value: object, bits: int) -> int:
        number = self._number(value, bits)
        if number >> bits:
            raise ValueError(f"{number} does not fit into {bits} bits")
        return number


@final
class HexCodec(Codec):
    """Bytes as they are."""

    def read_bytes(self, data: bytes) -> object:
        return data

    def write_bytes(self, value: object, size: int) -> bytes:
        return as_bytes(value)

    def read_bits(self, number: int, bits: int) -> object:
        # The bits of a last byte that is not full are its first bits.
        size = (bits + 7) // 8
        return (number << (8 * size - bits)).to_bytes(size, "big")

    def write_bits(self, value: object, bits: int) -> int:
        data = as_bytes(value)
        if 8 * len(data) < bits:
            data = data + bytes((bits + 7) // 8 - len(data))
        elif (bits + 7) // 8 < len(data):
            raise ValueError(f"{len(data)} bytes do not fit into {bits} bits")
        return int.from_bytes(data, "big") >> (8 * len(data) - bits)


@final
class PackedCalendarCodec(Codec):
    """A date or time as packed digits of a pattern that has only digits."""

    def __init__(self, kind: int, pattern: CalendarPattern, digits: int, big: bool, strict: bool, codes: str) -> None:
        self.kind: int = kind
        self.pattern: CalendarPattern = pattern
        self.digits: int = digits
        self.big: bool = big
        self.strict: bool = strict
        self.sign_codes: str = codes

    def read_bytes(self, data: bytes) -> object:
        if not self.big:
            data = data[::-1]
        if self.kind == PACKED:
            number = numbers.decode_packed(data, True, self.strict, self.sign_codes)
        elif self.kind == BCD:
            number = numbers.decode_bcd(data)
        else:
            number = numbers.decode_ibm4690(data)
        if number < 0:
            raise ValueError(f"X'{data.hex()}' is negative and a date or time is not")
        return self.pattern.parse(str(number).rjust(self.digits, "0"))

    def write_bytes(self, value: object, size: int) -> bytes:
        text = self.pattern.format(as_calendar(value, self.pattern.kind))
        if not text.isascii() or not text.isdigit():
            raise ValueError(f"'{text}' has other characters than digits")
        number = int(text)
        if self.kind == PACKED:
            data = numbers.encode_packed(number, size, True, self.sign_codes)
        elif self.kind == BCD:
            data = numbers.encode_bcd(number, size)
        else:
            data = numbers.encode_ibm4690(number, size)
        return data if self.big else data[::-1]

    def read_bits(self, number: int, bits: int) -> object:
        if bits % 4:
            raise ValueError(f"a packed date of {bits} bits has a part of a digit")
        if self.kind == IBM4690 and bits % 8:
            number |= 0xF << bits
        return self.read_bytes(number.to_bytes((bits + 7) // 8, "big"))


@final
class EpochCodec(Codec):
    """A timestamp as seconds or milliseconds since a moment."""

    def __init__(self, epoch: Timestamp, micros_per_unit: int, size: int, big: bool) -> None:
        self.epoch: Timestamp = epoch
        self.micros_per_unit: int = micros_per_unit
        self.size: int = size
        self.big: bool = big

    def read_bytes(self, data: bytes) -> object:
        number = int.from_bytes(data, "big" if self.big else "little", signed=True)
        micros = self.epoch.micros() + number * self.micros_per_unit
        days, rest = divmod(micros, 86_400_000_000)
        if not 0 <= days < 3_652_059:
            raise ValueError(f"{number} is out of the range of dates")
        date = datetime.date.fromordinal(days + 1)
        seconds, micro = divmod(rest, 1_000_000)
        minutes, second = divmod(seconds, 60)
        return Timestamp(date.year, date.month, date.day, minutes // 60, minutes % 60, second, micro, self.epoch.gmt)

    def write_bytes(self, value: object, size: int) -> bytes:
        moment = as_calendar(value, DATE_TIME)
        assert isinstance(moment, Timestamp)
        number = (moment.micros() - self.epoch.micros()) // self.micros_per_unit
        return numbers.encode_binary(number, size or self.size, self.big, True)
