"""Texts and bytes of values: CAST between CHARACTER, BLOB or BIT and the other types.

Functions that read raise 2521 (`cast_failed`) with the reason. The lengths of texts that are read as numbers or dates
are bounded, so a hostile field costs little.
"""

from __future__ import annotations

import sys
from decimal import Decimal
from typing import Final, Literal

from flintmq.broker.esql.clock import Clock
from flintmq.broker.esql.date_formats import date_format
from flintmq.broker.esql.decimals import INTEGER_MAX
from flintmq.broker.esql.failures import argument_type_error, cast_failed
from flintmq.broker.esql.intervals import truncated_interval
from flintmq.broker.esql.number_formats import number_format
from flintmq.broker.esql.switches import DEFAULTS, Switches
from flintmq.broker.values import (
    Bit,
    Date,
    Interval,
    Time,
    Timestamp,
    float_text,
    parse_date,
    parse_interval,
    parse_time,
    parse_timestamp,
)
from flintmq.mqi.ccsid import UnknownCcsid, codec_name
from flintmq.mqi.encoding import is_big_endian
from flintmq.mqi.errors import StructureError

#: Taken for CCSID 0 and where only ENCODING or FORMAT say that bytes are text.
DEFAULT_CCSID: Final = 1208
#: A text with more characters is no number.
NUMBER_LENGTH_MAX: Final = 512

_SPECIAL_NUMBERS: Final[dict[str, str]] = {
    "INF": "Infinity",
    "+INF": "Infinity",
    "-INF": "-Infinity",
    "INFINITY": "Infinity",
    "-INFINITY": "-Infinity",
    "NAN": "NaN",
}


def read_date(
    value: object,
    target: str,
    pattern: object,
    ccsid: object,
    encoding: object,
    switches: Switches,
    clock: Clock | None,
) -> Date | Time | Timestamp:
    """Return the date, time or timestamp of a text, or of bytes that are text."""
    if isinstance(value, (bytes, Bit)) and not (ccsid is None and encoding is None and pattern is None):
        value = text_of_bytes(value, target, ccsid, encoding, pattern)
    if not isinstance(value, str):
        raise cast_failed(value, target)
    try:
        if pattern is not None:
            return date_format(_pattern_text(pattern)).parse(value, target, switches, clock)
        return _read_literal(value, target, switches, clock)
    except ValueError as error:
        raise cast_failed(value, target, str(error)) from None


def _read_literal(text: str, target: str, switches: Switches, clock: Clock | None) -> Date | Time | Timestamp:
    """Return the value of a literal, or of the text between its quotes, or of ISO 8601. Raises ValueError."""
    body = text.strip(" ")
    if body.endswith("'"):
        word, _, rest = body.partition("'")
        if word.strip(" ").upper() != target:
            raise ValueError(f"the literal is not of type {target}")
        body = rest[:-1]
    gmt = target.startswith("GMT")
    try:
        if target == "DATE":
            return parse_date(body)
        return parse_time(body, gmt) if target.endswith("TIME") else parse_timestamp(body, gmt)
    except ValueError:
        return date_format("T" if target.endswith("TIME") else "I").parse(body, target, switches, clock)


def read_interval(text: str, qualifier: str) -> Interval:
    """Return the interval of a literal or of the text between its quotes. Raises ValueError."""
    body = text.strip(" ")
    if body.upper().startswith("INTERVAL"):
        head, quote, rest = body.partition("'")
        inner, end, words = rest.rpartition("'")
        sign = head[8:].strip(" ")
        if not quote or not end or sign not in ("", "-", "+"):
            raise ValueError("the literal has no quotes")
        parsed = parse_interval(sign + inner, " ".join(words.upper().split()))
        return truncated_interval(parsed, qualifier)
    return parse_interval(body, qualifier)


def read_number(text: str, pattern: object, target: str, switches: Switches) -> Decimal:
    """Return the number of a text. Raises 2521."""
    if pattern is not None:
        try:
            return number_format(_pattern_text(pattern)).parse(text)
        except ValueError as error:
            raise cast_failed(text, target, str(error)) from None
    if len(text) > NUMBER_LENGTH_MAX:
        raise cast_failed(text, target, "it is too long for a number")
    body = text.strip(" \t\r\n") if switches.numeric_blanks == "tolerate" else text
    if is_number(body):
        return Decimal(body)
    special = _SPECIAL_NUMBERS.get(body.upper()) if target != "INTEGER" else None
    if special is None:
        raise cast_failed(text, target, "it is not a number")
    return Decimal(special)


def is_number(text: str) -> bool:
    """Return whether a text is [sign] digits [. digits] [E [sign] digits], in ASCII."""
    at, end = 0, len(text)
    if text[:1] in ("+", "-"):
        at = 1
    digits = 0
    point = False
    while at < end:
        character = text[at]
        if "0" <= character <= "9":
            digits += 1
        elif character == "." and not point:
            point = True
        else:
            break
        at += 1
    if not digits:
        return False
    if at == end:
        return True
    if text[at] not in ("e", "E"):
        return False
    exponent = text[at + 2 :] if text[at + 1 : at + 2] in ("+", "-") else text[at + 1 :]
    return 0 < len(exponent) <= 9 and exponent.isascii() and exponent.isdigit()


def decoded(data: bytes, ccsid: object, encoding: object) -> str:
    """Return the characters in bytes of a code page. Raises 2521."""
    codec = _codec(ccsid, encoding, data, "CHARACTER")
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        reason = f"the byte at {error.start + 1} is no character of CCSID {ccsid or DEFAULT_CCSID}"
        raise cast_failed(data, "CHARACTER", reason) from None


def encoded(text: str, ccsid: object, encoding: object, target: str) -> bytes:
    """Return the bytes of characters in a code page. Raises 2521."""
    codec = _codec(ccsid, encoding, text, target)
    try:
        return text.encode(codec)
    except UnicodeEncodeError as error:
        reason = f"CCSID {ccsid or DEFAULT_CCSID} has no character {text[error.start]!r}"
        raise cast_failed(text, target, reason) from None


def _codec(ccsid: object, encoding: object, source: object, target: str) -> str:
    """Return the Python codec of CCSID and ENCODING."""
    if ccsid is None:
        ccsid = DEFAULT_CCSID
    if isinstance(ccsid, bool) or not isinstance(ccsid, int):
        raise argument_type_error("CAST CCSID", 1, ccsid, "INTEGER")
    try:
        return codec_name(ccsid or DEFAULT_CCSID, byte_order(encoding, source, target, sys.byteorder) == "big")
    except UnknownCcsid as error:
        raise cast_failed(source, target, str(error)) from None


def byte_order(
    encoding: object, source: object, target: str, default: Literal["big", "little"]
) -> Literal["big", "little"]:
    """Return 'big' or 'little' for ENCODING."""
    if encoding is None:
        return default
    if isinstance(encoding, bool) or not isinstance(encoding, int):
        raise argument_type_error("CAST ENCODING", 1, encoding, "INTEGER")
    try:
        return "big" if is_big_endian(encoding) else "little"
    except StructureError as error:
        raise cast_failed(source, target, str(error)) from None


def _pattern_text(pattern: object) -> str:
    if not isinstance(pattern, str):
        raise argument_type_error("CAST FORMAT", 1, pattern, "CHARACTER")
    return pattern


def written_date(value: Date | Time | Timestamp, pattern: object, switches: Switches) -> str:
    """Return a date or time as FORMAT says. Raises 2521."""
    try:
        return date_format(_pattern_text(pattern)).format(value, switches)
    except ValueError as error:
        raise cast_failed(value, "CHARACTER", str(error)) from None


def written_number(value: int | float | Decimal, pattern: object) -> str:
    """Return a number as FORMAT says. Raises 2521."""
    try:
        return number_format(_pattern_text(pattern)).format(value)
    except ValueError as error:
        raise cast_failed(value, "CHARACTER", str(error)) from None


def between_quotes(text: str, letter: str) -> str:
    """Return the text between the quotes of X'..' or B'..', or the text itself."""
    body = text.strip(" ")
    if body[:1].upper() == letter and body[1:2] == "'" and body.endswith("'") and len(body) > 2:
        return body[2:-1]
    return body


def text_of_bytes(value: bytes | Bit, target: str, ccsid: object, encoding: object, pattern: object = None) -> str:
    """Return the characters in bytes. CCSID, ENCODING or FORMAT must say that the bytes are text."""
    if ccsid is None and encoding is None and pattern is None:
        raise cast_failed(value, target, "CCSID or FORMAT is needed")
    data = value if isinstance(value, bytes) else bytes_of_bits(value, target)
    return decoded(data, ccsid, encoding)


def bytes_of_bits(value: Bit, target: str) -> bytes:
    """Return the bytes of bits. Raises 2521 if they are not whole bytes."""
    if value.length % 8:
        raise cast_failed(value, target, f"{value.length} bits are not whole bytes")
    return value.value.to_bytes(value.length // 8, "big")


def binary_integer(value: bytes | Bit) -> int:
    """Return the number in 1 to 8 bytes or 1 to 64 bits: two's complement in 64 bits, without sign in fewer."""
    if isinstance(value, Bit):
        number, length = value.value, value.length
    else:
        number, length = 0, 8 * len(value)
        if length <= 64:
            number = int.from_bytes(value, "big")
    if not 0 < length <= 64:
        raise cast_failed(value, "INTEGER", "1 to 8 bytes are wanted")
    return number - 2**64 if length == 64 and number > INTEGER_MAX else number


def written_float(value: float, switches: Switches = DEFAULTS) -> str:
    """Return the text of a FLOAT as the switch float_text says."""
    if switches.float_text == "scientific" or value != value or value in (float("inf"), float("-inf")):
        return float_text(value)
    text = repr(value).upper()
    return text[:-2] if text.endswith(".0") else text
