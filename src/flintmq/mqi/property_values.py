"""Values of message properties: their types, as text in a folder, and converted from one type to another.

    type              dt       Python  text
    MQTYPE_BOOLEAN    boolean  bool    1 or 0; true and false are read too
    MQTYPE_INT8       i1       int     decimal
    MQTYPE_INT16      i2       int     decimal
    MQTYPE_INT32      i4       int     decimal; "int" is read too
    MQTYPE_INT64      i8       int     decimal
    MQTYPE_FLOAT32    r4       float   shortest that reads back the same; NaN, Infinity
    MQTYPE_FLOAT64    r8       float   likewise
    MQTYPE_STRING     (none)   str     "string" is read too
    MQTYPE_BYTE_STRING bin.hex bytes   hexadecimal
    MQTYPE_NULL       xsi:nil='true'   None

A dt that is not in the table is read as a string and remembered in `Property.type_string`.

In a buffer of MQSETMP and MQINQMP a boolean is an int32, numbers have the size of their type and the encoding that the
options name (System/390 and TNS floats are not known here), strings the character set.
"""

import math
import struct
from typing import Final

from flintmq.mqi.ccsid import decode, encode, is_known
from flintmq.mqi.errors import PropertyError, StructureError
from flintmq.mqi.reason import (
    MQRC_BUFFER_LENGTH_ERROR,
    MQRC_PROP_CONV_NOT_SUPPORTED,
    MQRC_PROP_NUMBER_FORMAT_ERROR,
    MQRC_PROP_VALUE_NOT_CONVERTED,
    MQRC_PROPERTY_TYPE_ERROR,
    MQRC_RFH_FORMAT_ERROR,
    MQRC_SOURCE_CCSID_ERROR,
)
from flintmq.mqi.values.calls import (
    MQTYPE_AS_SET,
    MQTYPE_BOOLEAN,
    MQTYPE_BYTE_STRING,
    MQTYPE_FLOAT32,
    MQTYPE_FLOAT64,
    MQTYPE_INT8,
    MQTYPE_INT16,
    MQTYPE_INT32,
    MQTYPE_INT64,
    MQTYPE_NULL,
    MQTYPE_STRING,
)

Value = bool | int | float | str | bytes | None

DT_OF_TYPE: Final = {
    MQTYPE_BOOLEAN: "boolean",
    MQTYPE_INT8: "i1",
    MQTYPE_INT16: "i2",
    MQTYPE_INT32: "i4",
    MQTYPE_INT64: "i8",
    MQTYPE_FLOAT32: "r4",
    MQTYPE_FLOAT64: "r8",
    MQTYPE_STRING: "",
    MQTYPE_BYTE_STRING: "bin.hex",
}
TYPE_OF_DT: Final = {dt: kind for kind, dt in DT_OF_TYPE.items()} | {"string": MQTYPE_STRING, "int": MQTYPE_INT32}
_INTEGER_BITS: Final = {MQTYPE_INT8: 8, MQTYPE_INT16: 16, MQTYPE_INT32: 32, MQTYPE_INT64: 64}
_FLOATS: Final = (MQTYPE_FLOAT32, MQTYPE_FLOAT64)
#: The layout of a number in a buffer.
_LAYOUTS: Final = {
    MQTYPE_BOOLEAN: "i",
    MQTYPE_INT8: "b",
    MQTYPE_INT16: "h",
    MQTYPE_INT32: "i",
    MQTYPE_INT64: "q",
    MQTYPE_FLOAT32: "f",
    MQTYPE_FLOAT64: "d",
}
_NORMAL_INTEGERS: Final = 0x001
_IEEE_NORMAL: Final = 0x100
_IEEE_REVERSED: Final = 0x200
_FLOAT_MASK: Final = 0xF00
_FLOAT_WORDS: Final = {"nan": math.nan, "infinity": math.inf, "+infinity": math.inf, "-infinity": -math.inf}


def type_of(value: Value) -> int:
    """The type a Python value gets when the program does not say: the smaller of int32 and int64, float64."""
    if value is None:
        return MQTYPE_NULL
    if isinstance(value, bool):
        return MQTYPE_BOOLEAN
    if isinstance(value, int):
        return MQTYPE_INT32 if _fits(value, 32) else MQTYPE_INT64
    if isinstance(value, float):
        return MQTYPE_FLOAT64
    if isinstance(value, str):
        return MQTYPE_STRING
    return MQTYPE_BYTE_STRING


def check_value(value: Value, kind: int) -> Value:
    """`value` as it is kept for this type. Raises PropertyError (MQRC_PROPERTY_TYPE_ERROR) if it does not fit."""
    if kind in _INTEGER_BITS:
        fits = isinstance(value, int) and not isinstance(value, bool) and _fits(value, _INTEGER_BITS[kind])
    elif kind in _FLOATS:
        fits = isinstance(value, (int, float)) and not isinstance(value, bool)
        if fits:
            return _float(value, kind)
    elif kind == MQTYPE_BOOLEAN:
        fits = isinstance(value, bool)
    elif kind == MQTYPE_STRING:
        fits = isinstance(value, str) and _is_unicode(value)
    elif kind == MQTYPE_BYTE_STRING:
        fits = isinstance(value, bytes)
    elif kind == MQTYPE_NULL:
        fits = value is None
    else:
        raise PropertyError(f"{kind} is not a property type", MQRC_PROPERTY_TYPE_ERROR)
    if not fits:
        raise PropertyError(f"{value!r} is not a value of property type {kind}", MQRC_PROPERTY_TYPE_ERROR)
    return value


def write_value(value: Value, kind: int) -> str:
    """The text of a value in a folder, not yet escaped."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, float):
        return _float_text(value, kind)
    return str(value)


def read_value(text: str, kind: int) -> Value:
    """The value a text stands for. Raises StructureError (MQRC_RFH_FORMAT_ERROR) if it is not of this type."""
    try:
        return _parsed(text, kind)
    except (ValueError, OverflowError):
        raise StructureError(f"{text[:40]!r} is not a value of property type {kind}", MQRC_RFH_FORMAT_ERROR) from None


def convert_value(value: Value, kind: int, wanted: int) -> Value:
    """`value` of type `kind` as one of type `wanted` (MQIMPO_CONVERT_TYPE). Raises PropertyError.

    Everything but null becomes a string and a string becomes everything it is the text of (2472 if it is not);
    integers become integers in whose range they are, booleans and floats; a boolean becomes 1 or 0. No more (2470).
    """
    if wanted in (kind, MQTYPE_AS_SET):
        return value
    if isinstance(value, str):
        try:
            return _parsed(value, wanted)
        except (ValueError, OverflowError):
            raise PropertyError(
                f"{value[:40]!r} cannot be read as property type {wanted}", MQRC_PROP_NUMBER_FORMAT_ERROR
            ) from None
    if value is not None and wanted == MQTYPE_STRING:
        return ("TRUE" if value else "FALSE") if isinstance(value, bool) else write_value(value, kind)
    if isinstance(value, int):
        if wanted in _INTEGER_BITS and _fits(int(value), _INTEGER_BITS[wanted]):
            return int(value)
        if wanted == MQTYPE_BOOLEAN:
            return value != 0
        if wanted in _FLOATS and not isinstance(value, bool):
            return _float(value, wanted)
    if isinstance(value, float) and wanted == MQTYPE_FLOAT64:
        return value
    raise PropertyError(f"property type {kind} does not become type {wanted}", MQRC_PROP_CONV_NOT_SUPPORTED)


def unpack_value(raw: bytes, kind: int, encoding: int, ccsid: int) -> Value:
    """The value in a buffer of MQSETMP. Raises PropertyError (2473 type, 2005 length, 2111 character set)."""
    if kind == MQTYPE_STRING:
        try:
            return decode(raw, ccsid, encoding & 0xF == _NORMAL_INTEGERS)
        except (StructureError, UnicodeDecodeError):
            raise PropertyError(f"the value is not text of CCSID {ccsid}", MQRC_SOURCE_CCSID_ERROR) from None
    if kind == MQTYPE_BYTE_STRING:
        return raw
    if kind == MQTYPE_NULL:
        if raw:
            raise PropertyError("a null property has no value", MQRC_BUFFER_LENGTH_ERROR)
        return None
    if kind not in _LAYOUTS:
        raise PropertyError(f"{kind} is not a property type", MQRC_PROPERTY_TYPE_ERROR)
    layout = _byte_order(kind, encoding) + _LAYOUTS[kind]
    if len(raw) != struct.calcsize(layout):
        raise PropertyError(f"a value of property type {kind} has not {len(raw)} bytes", MQRC_BUFFER_LENGTH_ERROR)
    (value,) = struct.unpack(layout, raw)
    if kind == MQTYPE_BOOLEAN:
        return bool(value)
    if kind in _FLOATS:
        return float(value)
    return int(value)


def pack_value(value: Value, kind: int, encoding: int, ccsid: int) -> bytes:
    """A value of type `kind` as MQINQMP returns it. Raises PropertyError (2466) for a character set not known here."""
    if value is None:
        return b""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        if not is_known(ccsid):
            raise PropertyError(f"CCSID {ccsid} is not known here", MQRC_PROP_VALUE_NOT_CONVERTED)
        return encode(value, ccsid, encoding & 0xF == _NORMAL_INTEGERS)
    return struct.pack(_byte_order(kind, encoding) + _LAYOUTS[kind], value)


def _byte_order(kind: int, encoding: int) -> str:
    if kind not in _FLOATS:
        return ">" if encoding & 0xF == _NORMAL_INTEGERS else "<"
    floats = encoding & _FLOAT_MASK
    if floats not in (0, _IEEE_NORMAL, _IEEE_REVERSED):
        raise PropertyError(f"floats of encoding {encoding} are not known here", MQRC_PROP_VALUE_NOT_CONVERTED)
    return ">" if floats == _IEEE_NORMAL else "<"


def _is_unicode(value: str) -> bool:
    """Whether UTF-8 has every character: half of a surrogate pair is none."""
    if value.isascii():
        return True
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _fits(value: int, bits: int) -> bool:
    return -(1 << (bits - 1)) <= value < 1 << (bits - 1)


def _parsed(text: str, kind: int) -> Value:
    """The value of a text; ValueError or OverflowError if it has none."""
    if kind == MQTYPE_STRING:
        return text
    if kind == MQTYPE_NULL:
        raise ValueError
    word = text.strip(" \t\r\n")
    if kind == MQTYPE_BOOLEAN:
        if word in ("1", "0"):
            return word == "1"
        if word.lower() in ("true", "false"):
            return word.lower() == "true"
        raise ValueError
    if kind == MQTYPE_BYTE_STRING:
        if any(character.isspace() for character in word):
            raise ValueError
        return bytes.fromhex(word)
    if kind in _INTEGER_BITS:
        digits = word[1:] if word[:1] in ("+", "-") else word
        if not (digits.isascii() and digits.isdigit()) or len(digits) > 40:
            raise ValueError
        number = int(word)
        if not _fits(number, _INTEGER_BITS[kind]):
            raise OverflowError
        return number
    if kind in _FLOATS:
        if word.lower() in _FLOAT_WORDS:
            return _FLOAT_WORDS[word.lower()]
        if not word.isascii() or "_" in word or word[-1:].isalpha():
            raise ValueError
        return _float(float(word), kind)
    raise ValueError


def _float(value: int | float | Value, kind: int) -> float:
    """`value` as a float; for float32 the nearest one, infinity when it is too large."""
    assert isinstance(value, (int, float))
    number = float(value)
    if kind == MQTYPE_FLOAT32:
        try:
            (number,) = struct.unpack("<f", struct.pack("<f", number))
        except OverflowError:
            return math.copysign(math.inf, number)
    return number


def _float_text(value: float, kind: int) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if kind == MQTYPE_FLOAT32:
        for digits in range(1, 10):
            text = f"{value:.{digits}g}"
            if _float(float(text), kind) == value:
                return text if any(mark in text for mark in ".e") else text + ".0"
    return repr(value)
