"""Binary numbers: packed decimal, BCD, IBM 4690, zoned decimal, two's complement and hexadecimal floating point.

    format      bytes of +123 and -123       rules
    packed      12 3C          12 3D         two digits per byte, the last nibble is the sign
    bcd         01 23          -             two digits per byte, no sign
    ibm4690     F1 23          D1 23         digits right-aligned, filled with F; a D before the digits is a minus
    zoned       F1 F2 C3       F1 F2 D3      EBCDIC: one digit per byte; zone C or F plus, D minus in the sign digit
                '1' '2' '3'    '1' '2' 's'   ASCII: minus is 0x70 to 0x79; other styles translate the EBCDIC letters
    hex float   exponent of 16 in excess 64, fraction of 24 or 56 bits, sign in the first bit

A decoder returns an int, or raises ValueError with a text on the mistake and its byte; the reader turns that
into the error of its family. Encoders raise ValueError if the value does not fit. Nothing here knows of schemas.
The module is compiled by mypyc.
"""

from __future__ import annotations

import math
import struct
from typing import Final

_FLOAT_BIG: Final = struct.Struct(">f")
_FLOAT_LITTLE: Final = struct.Struct("<f")
_DOUBLE_BIG: Final = struct.Struct(">d")
_DOUBLE_LITTLE: Final = struct.Struct("<d")

#: Overpunched digits in ASCII, by style: plus 0 to 9, then minus 0 to 9.
ZONED_STYLES: Final[dict[str, str]] = {
    "asciiStandard": "0123456789pqrstuvwxy",
    "asciiTranslatedEBCDIC": "{ABCDEFGHI}JKLMNOPQR",
    "asciiCARealiaModified": "0123456789 !\"#$%&'()",
    "asciiTandemModified": "0123456789" + "".join(chr(0x80 + digit) for digit in range(10)),
}


def decode_packed(data: bytes, signed: bool, strict: bool, sign_codes: str) -> int:
    """Return the value of packed digits with a sign nibble.

    `sign_codes` are four nibbles: plus, minus, unsigned, zero. Strict data has no others; otherwise A, C, E, F are
    plus and B, D minus. A number without sign that is marked negative is an error.
    """
    text = data.hex()
    if not text:
        raise ValueError("packed number of no bytes")
    digits = text[:-1]
    if not digits.isdigit() and digits:
        raise ValueError(f"packed number X'{text}' has a nibble that is no digit")
    nibble = text[-1]
    value = int(digits) if digits else 0
    if strict:
        if signed:
            allowed = sign_codes[0] + sign_codes[1] + sign_codes[3]
        else:
            allowed = sign_codes[2]
        if nibble.upper() not in allowed:
            raise ValueError(f"packed number X'{text}' has the sign {nibble.upper()}; allowed: {allowed}")
    elif nibble.isdigit():
        raise ValueError(f"packed number X'{text}' has no sign in its last nibble")
    minus = nibble.upper() == sign_codes[1] or nibble in ("b", "d")
    if minus and not signed:
        raise ValueError(f"packed number X'{text}' is negative and its type is not signed")
    return -value if minus else value


def encode_packed(value: int, size: int, signed: bool, sign_codes: str) -> bytes:
    """Return packed digits in `size` bytes; 0 = as many as needed."""
    if value < 0 and not signed:
        raise ValueError(f"{value} is negative and its type is not signed")
    if value == 0:
        sign = sign_codes[3] if signed else sign_codes[2]
    elif not signed:
        sign = sign_codes[2]
    else:
        sign = sign_codes[1] if value < 0 else sign_codes[0]
    text = str(abs(value)) + sign
    wanted = 2 * size if size else len(text) + (len(text) & 1)
    if len(text) > wanted:
        raise ValueError(f"{value} has more than the {wanted - 1} digits of its field")
    return bytes.fromhex(text.rjust(wanted, "0"))


def decode_bcd(data: bytes) -> int:
    """Return the value of packed digits without sign."""
    text = data.hex()
    if not text.isdigit():
        raise ValueError(f"BCD number X'{text}' has a nibble that is no digit")
    return int(text)


def encode_bcd(value: int, size: int) -> bytes:
    """Return BCD digits in `size` bytes; 0 = as many as needed."""
    if value < 0:
        raise ValueError(f"{value} is negative; BCD numbers have no sign")
    text = str(value)
    wanted = 2 * size if size else len(text) + (len(text) & 1)
    if len(text) > wanted:
        raise ValueError(f"{value} has more than the {wanted} digits of its field")
    return bytes.fromhex(text.rjust(wanted, "0"))


def decode_ibm4690(data: bytes) -> int:
    """Return the value of IBM 4690 packed digits: F fills the left, D before the digits is a minus."""
    text = data.hex()
    digits = text.lstrip("f")
    minus = digits[:1] == "d"
    if minus:
        digits = digits[1:]
    if not digits.isdigit():
        raise ValueError(f"IBM 4690 packed number X'{text}' is malformed")
    return -int(digits) if minus else int(digits)


def encode_ibm4690(value: int, size: int) -> bytes:
    """Return IBM 4690 packed digits in `size` bytes; 0 = as many as needed."""
    text = ("d" if value < 0 else "") + str(abs(value))
    wanted = 2 * size if size else len(text) + (len(text) & 1)
    if len(text) > wanted:
        raise ValueError(f"{value} has more than the {wanted} digits of its field")
    return bytes.fromhex(text.rjust(wanted, "f"))


def decode_zoned_ebcdic(data: bytes, leading: bool, signed: bool, strict: bool) -> int:
    """Return the value of EBCDIC zoned digits with the sign in the zone of the last (or first) digit."""
    if not data:
        raise ValueError("zoned number of no bytes")
    at = 0 if leading else len(data) - 1
    text = data.hex()
    zone = text[2 * at]
    digits = text[1::2]
    zones = text[0 : 2 * at : 2] + text[2 * at + 2 :: 2]
    if not digits.isdigit():
        raise ValueError(f"zoned number X'{text}' has a nibble that is no digit")
    if zones.strip("f"):
        raise ValueError(f"zoned number X'{text}' has a zone that is not F")
    value = int(digits)
    if zone in ("d", "b"):
        if not signed:
            raise ValueError(f"zoned number X'{text}' is negative and its type is not signed")
        return -value
    if zone not in ("f", "c", "a", "e") or strict and zone not in ("f", "c"):
        raise ValueError(f"zoned number X'{text}' has no sign in zone {zone.upper()}")
    return value


def zoned_digit(character: str, style: str) -> int:
    """Return the digit of an overpunched ASCII character, minus digits as -1 - digit; -100 if it is none.

    Plain digits are accepted in every style: data that was never signed has them.
    """
    at = ZONED_STYLES[style].find(character)
    if at < 0:
        at = "0123456789".find(character)
        if at < 0:
            return -100
    return at if at < 10 else 9 - at


def decode_zoned_text(text: str, leading: bool, signed: bool, style: str) -> int:
    """Return the value of ASCII digits, the last (or first) of which may be overpunched."""
    if not text:
        raise ValueError("zoned number of no characters")
    if leading:
        sign, others = text[0], text[1:]
    else:
        sign, others = text[-1], text[:-1]
    if others and not (others.isascii() and others.isdigit()):
        raise ValueError(f"zoned number '{text}' has a character that is no digit")
    digit = zoned_digit(sign, style)
    if digit == -100:
        raise ValueError(f"zoned number '{text}' has no overpunched sign of style {style}")
    minus = digit < 0
    if minus:
        digit = -1 - digit
        if not signed:
            raise ValueError(f"zoned number '{text}' is negative and its type is not signed")
    value = int(str(digit) + others) if leading else int(others + str(digit))
    return -value if minus else value


def encode_zoned_text(value: int, digits: int, leading: bool, signed: bool, style: str) -> str:
    """Return digits with an overpunched sign in ASCII; at least `digits` of them."""
    text = str(abs(value)).rjust(digits, "0")
    if not signed:
        if value < 0:
            raise ValueError(f"{value} is negative and its type is not signed")
        return text
    at = 0 if leading else len(text) - 1
    digit = ord(text[at]) - 48
    sign = ZONED_STYLES[style][digit + 10 if value < 0 else digit]
    return text[:at] + sign + text[at + 1 :]


def encode_zoned_ebcdic(value: int, digits: int, leading: bool, signed: bool) -> bytes:
    """Return EBCDIC zoned digits; at least `digits` of them."""
    if value < 0 and not signed:
        raise ValueError(f"{value} is negative and its type is not signed")
    result = bytearray(0xF0 | (ord(digit) - 48) for digit in str(abs(value)).rjust(digits, "0"))
    if signed:
        at = 0 if leading else len(result) - 1
        result[at] = (result[at] & 0x0F) | (0xD0 if value < 0 else 0xC0)
    return bytes(result)


def decode_binary(data: bytes, big: bool, signed: bool) -> int:
    """Return the value of a binary integer."""
    return int.from_bytes(data, "big" if big else "little", signed=signed)


def encode_binary(value: int, size: int, big: bool, signed: bool) -> bytes:
    """Return a binary integer of `size` bytes."""
    try:
        return value.to_bytes(size, "big" if big else "little", signed=signed)
    except OverflowError:
        raise ValueError(f"{value} does not fit into {size} {'signed' if signed else 'unsigned'} bytes") from None


def decode_float(data: bytes, big: bool, s390: bool) -> float:
    """Return the value of 4 or 8 bytes, IEEE or IBM hexadecimal."""
    if s390:
        return decode_hex_float(data if big else data[::-1])
    if len(data) == 4:
        return float((_FLOAT_BIG if big else _FLOAT_LITTLE).unpack(data)[0])
    return float((_DOUBLE_BIG if big else _DOUBLE_LITTLE).unpack(data)[0])


def encode_float(value: float, size: int, big: bool, s390: bool) -> bytes:
    """Return 4 or 8 bytes, IEEE or IBM hexadecimal."""
    if s390:
        data = encode_hex_float(value, size)
        return data if big else data[::-1]
    try:
        if size == 4:
            return (_FLOAT_BIG if big else _FLOAT_LITTLE).pack(value)
        return (_DOUBLE_BIG if big else _DOUBLE_LITTLE).pack(value)
    except OverflowError:
        raise ValueError(f"{value!r} does not fit into a float of {size} bytes") from None


def decode_hex_float(data: bytes) -> float:
    """Return the value of an IBM hexadecimal floating-point number of 4 or 8 bytes, first byte first."""
    bits = 8 * len(data) - 8
    number = int.from_bytes(data, "big")
    fraction = number & ((1 << bits) - 1)
    exponent = ((number >> bits) & 0x7F) - 64
    value = math.ldexp(float(fraction), 4 * exponent - bits)
    return -value if number >> (bits + 7) else value


def encode_hex_float(value: float, size: int) -> bytes:
    """Return an IBM hexadecimal floating-point number of 4 or 8 bytes, rounded to the nearest."""
    if math.isnan(value) or math.isinf(value):
        raise ValueError(f"{value!r} has no hexadecimal floating-point form")
    bits = 8 * size - 8
    sign = 1 if math.copysign(1.0, value) < 0 else 0
    if value == 0.0:
        return (sign << (bits + 7)).to_bytes(size, "big")
    mantissa, exponent = math.frexp(abs(value))
    # 0.5 <= mantissa < 1: the exponent of 16 is the exponent of 2 divided by 4, rounded up.
    hexadecimal = -((-exponent) // 4)
    fraction = round(math.ldexp(mantissa, exponent - 4 * hexadecimal + bits))
    if fraction >> bits:
        fraction >>= 4
        hexadecimal += 1
    if hexadecimal + 64 > 127:
        raise ValueError(f"{value!r} is too large for hexadecimal floating point")
    if hexadecimal + 64 < 0:
        return (sign << (bits + 7)).to_bytes(size, "big")
    return (sign << (bits + 7) | (hexadecimal + 64) << bits | fraction).to_bytes(size, "big")
