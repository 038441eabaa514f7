"""Encodings: how numbers stand in data. MQMD.Encoding is the sum of three parts.

part     mask     values
integer  0x00F    1 normal (big-endian)       2 reversed (little-endian)
decimal  0x0F0    1 normal                    2 reversed
float    0xF00    1 IEEE normal  2 IEEE reversed  3 System/390  4 TNS

273 = 0x111 everything normal: Java, AIX      785 = 0x311 z/OS
546 = 0x222 everything reversed: x86          1041 = 0x411 NonStop
"""

from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.reason import MQRC_ENCODING_ERROR

NORMAL: Final = 273
REVERSED: Final = 546
S390: Final = 785
TNS: Final = 1041

_INTEGER_MASK: Final = 0x00F
_DECIMAL_MASK: Final = 0x0F0
_FLOAT_MASK: Final = 0xF00
_PARTS_MASK: Final = 0xFFF

_INTEGERS: Final = {0: "undefined", 1: "normal", 2: "reversed"}
_DECIMALS: Final = {0x00: "undefined", 0x10: "normal", 0x20: "reversed"}
_FLOATS: Final = {
    0x000: "undefined",
    0x100: "IEEE normal",
    0x200: "IEEE reversed",
    0x300: "System/390",
    0x400: "TNS",
}


def is_big_endian(encoding: int, reason: int = MQRC_ENCODING_ERROR) -> bool:
    """Byte order of the integers. Raises StructureError with `reason` when the encoding does not say."""
    integer = encoding & _INTEGER_MASK
    if integer == 1:
        return True
    if integer == 2:
        return False
    raise StructureError(f"encoding {encoding} has no known integer part", reason)


def is_valid(encoding: int) -> bool:
    """Whether every part has a known value and nothing else is set. Undefined parts are valid."""
    return (
        encoding & ~_PARTS_MASK == 0
        and encoding & _INTEGER_MASK in _INTEGERS
        and encoding & _DECIMAL_MASK in _DECIMALS
        and encoding & _FLOAT_MASK in _FLOATS
    )


def with_integers(encoding: int, big_endian: bool) -> int:
    """The encoding with this byte order for its integers and everything else as it was."""
    return encoding & ~_INTEGER_MASK | (1 if big_endian else 2)


def describe(encoding: int) -> str:
    """The encoding in words, for people: "integer reversed, decimal reversed, float IEEE reversed"."""
    integer = _INTEGERS.get(encoding & _INTEGER_MASK, "unknown")
    decimal = _DECIMALS.get(encoding & _DECIMAL_MASK, "unknown")
    floating = _FLOATS.get(encoding & _FLOAT_MASK, "unknown")
    return f"integer {integer}, decimal {decimal}, float {floating}"
