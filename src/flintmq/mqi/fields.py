"""Character fields of fixed length: blank padded bytes in a structure, `str` without trailing blanks in our hands.

Reading: a NUL ends the text early, trailing blanks go. Bytes that are not text of the character set are taken one
byte, one character, so that a structure from a careless client can still be read. (That is the rule for names and
context fields; message data is converted by `convert`, which is strict.)

Writing: a text of more characters than the field has bytes is the caller's mistake and raises StructureError. A text
that fits in characters but grows in the character set (ü takes two bytes in UTF-8) is cut at a character.

A field of fixed length cannot hold UTF-16. Where a structure's character set is said to be UTF-16, its own fields are
UTF-8 and only the data behind it is the message.
"""

from typing import Final

from flintmq.mqi.ccsid import ASCII_BASED, decode, encode, is_utf16
from flintmq.mqi.errors import StructureError

_UTF8: Final = 1208


#: Fields that were read: most are blank, or have the name of the same user, program or queue again and again.
_known: Final[dict[bytes, str]] = {}
#: Maximum number of cached values; none is longer than a name.
_KNOWN_MAX: Final = 1024
_KNOWN_LENGTH: Final = 48


def read_text(raw: bytes, ccsid: int) -> str:
    """The text of a fixed-length character field."""
    if ccsid in ASCII_BASED:
        known = _known.get(raw)
        if known is not None:
            return known
        used = raw.rstrip(b" \0")
        if used.isascii() and b"\0" not in used:
            text = used.decode("ascii")
            if len(_known) >= _KNOWN_MAX:
                _known.clear()
            if len(raw) <= _KNOWN_LENGTH:
                _known[raw] = text
            return text
    try:
        text = decode(raw, _UTF8 if is_utf16(ccsid) else ccsid)
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    end = text.find("\0")
    if end >= 0:
        text = text[:end]
    return text.rstrip(" ")


def write_text(text: str, length: int, ccsid: int, reason: int, field: str) -> bytes:
    """`text` as a blank padded field of `length` bytes; `reason` and `field` are for the error."""
    check_text(text, field)
    if not text and ccsid in ASCII_BASED:
        return b" " * length
    if len(text) > length:
        raise StructureError(f"{field} has {len(text)} characters, the field has {length}", reason)
    if ccsid in ASCII_BASED and text.isascii():
        return text.encode("ascii").ljust(length)
    return _write_other(text, length, ccsid)


def _write_other(text: str, length: int, ccsid: int) -> bytes:
    if is_utf16(ccsid):
        ccsid = _UTF8
    raw = encode(text, ccsid)
    while len(raw) > length:
        text = text[:-1]
        raw = encode(text, ccsid)
    padding = encode(" ", ccsid)
    return raw + padding * (length - len(raw))


def check_text(text: object, field: str) -> None:
    """Raise TypeError unless it is text: None and b"" look empty enough to get past a careless caller."""
    if not isinstance(text, str):
        raise TypeError(f"{field} is text (str), not {type(text).__name__}")


def check_bytes(value: bytes, length: int, reason: int, field: str) -> bytes:
    """`value`, filled with zeros to `length`; longer raises StructureError. Identifiers are never converted."""
    _check_raw(value, field)
    if len(value) == length:
        return value
    if len(value) > length:
        raise StructureError(f"{field} has {len(value)} bytes, the field has {length}", reason)
    return value.ljust(length, b"\0")


def _check_raw(value: object, field: str) -> None:
    if not isinstance(value, bytes):
        raise TypeError(f"{field} is bytes, not {type(value).__name__}")


def check_room(data: bytes, offset: int, size: int, reason: int, structure: str) -> None:
    """Raise StructureError unless `size` bytes lie at `offset`."""
    if offset < 0 or len(data) - offset < size:
        there = max(0, len(data) - max(0, offset))
        raise StructureError(f"{structure} needs {size} bytes at offset {offset}, the data has {there} there", reason)


def read_char(raw: bytes, ccsid: int) -> str:
    """A field of one character, such as a status. Here the blank is a value; a NUL reads as blank."""
    return read_text(raw, ccsid) or " "


def write_id(identifier: bytes, ccsid: int) -> bytes:
    """A structure identifier in the character set of its structure."""
    if ccsid in ASCII_BASED or is_utf16(ccsid):
        return identifier
    return encode(identifier.decode("ascii"), ccsid)


def check_id(raw: bytes, identifier: bytes, ccsid: int, reason: int, structure: str) -> None:
    """Raise StructureError unless `raw` is the identifier, in the character set of the structure."""
    if raw != identifier and (ccsid in ASCII_BASED or raw != write_id(identifier, ccsid)):
        raise StructureError(f"{structure} begins with {raw!r}, not with {identifier!r}", reason)


def show(name: str, structure: object, fields: tuple[str, ...]) -> str:
    """The text of `repr()`: fields that are neither zero, empty nor all zero bytes."""
    parts = []
    for field in fields:
        value = getattr(structure, field)
        if isinstance(value, bytes):
            if any(value):
                parts.append(f"{field}={value.hex()}")
        elif value:
            parts.append(f"{field}={value!r}")
    return f"{name}({', '.join(parts)})"
