"""DFDL string literals: entities in texts.

    %NL; %WSP; %WSP*; %WSP+; %ES;      character classes
    %CR; %LF; %NUL; %SP; ...           characters by name
    %#13; %#xD;                        characters by number
    %#rFF;                             a byte
    %%                                 a percent sign

`delimiters` reads a list of literals separated by white space, `text` one literal that must be plain characters.
Both raise ValueError for an unknown entity.
"""

from __future__ import annotations

import re

from flintmq.broker.formats.model.schema import CharacterClass, Delimiter

_CLASSES = {
    "NL": CharacterClass.NEW_LINE,
    "WSP": CharacterClass.WHITE_SPACE,
    "WSP*": CharacterClass.WHITE_SPACE_ANY,
    "WSP+": CharacterClass.WHITE_SPACE_SOME,
    "ES": CharacterClass.EMPTY,
}
_NAMES = {
    name: chr(number)
    for number, name in enumerate(
        "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS "
        "RS US SP".split()
    )
} | {"DEL": "\x7f", "NBSP": "\xa0", "NEL": "\x85", "LS": "\u2028"}
_ENTITY = re.compile(r"%(%|#x[0-9A-Fa-f]{1,6};|#r[0-9A-Fa-f]{2};|#[0-9]{1,7};|[A-Z][A-Z0-9]*[*+]?;)")


def delimiter(literal: str) -> Delimiter:
    """Return the delimiter of one string literal. Raises ValueError."""
    parts: list[str | bytes | CharacterClass] = []
    at = 0
    while at < len(literal):
        found = literal.find("%", at)
        if found < 0:
            _add(parts, literal[at:])
            break
        if found > at:
            _add(parts, literal[at:found])
        entity = _ENTITY.match(literal, found)
        if entity is None:
            raise ValueError(f"'{literal[found : found + 10]}' of '{literal}' is not a DFDL entity")
        _add(parts, _entity(entity.group(1), literal))
        at = entity.end()
    return Delimiter(tuple(parts))


def _entity(body: str, literal: str) -> str | bytes | CharacterClass:
    if body == "%":
        return "%"
    name = body[:-1]
    if name.startswith("#r"):
        return bytes.fromhex(name[2:])
    if name.startswith("#"):
        number = int(name[2:], 16) if name.startswith("#x") else int(name[1:])
        if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
            raise ValueError(f"'%{body}' of '{literal}' is not a character")
        return chr(number)
    if name in _CLASSES:
        return _CLASSES[name]
    if name in _NAMES:
        return _NAMES[name]
    raise ValueError(f"'%{body}' of '{literal}' is not a DFDL entity")


def _add(parts: list[str | bytes | CharacterClass], part: str | bytes | CharacterClass) -> None:
    """Append a part, joined to the one before if both are characters or both are bytes."""
    if parts and not isinstance(part, CharacterClass) and not isinstance(parts[-1], CharacterClass):
        last = parts[-1]
        if isinstance(part, str) and isinstance(last, str):
            parts[-1] = last + part
            return
        if isinstance(part, bytes) and isinstance(last, bytes):
            parts[-1] = last + part
            return
    parts.append(part)


def delimiters(literals: str) -> tuple[Delimiter, ...]:
    """Return the delimiters of a list of string literals separated by white space. Raises ValueError."""
    return tuple(delimiter(literal) for literal in literals.split())


def text(literal: str) -> str:
    """Return the characters of a string literal that has no character classes and no bytes. Raises ValueError."""
    result = ""
    for part in delimiter(literal).parts:
        if isinstance(part, (bytes, CharacterClass)):
            raise ValueError(f"'{literal}' has an entity that is no character")
        result += part
    return result


def text_or_byte(literal: str) -> str | bytes:
    """Return the characters of a string literal, or its bytes. Raises ValueError if it mixes both."""
    parts = delimiter(literal).parts
    if len(parts) == 1 and isinstance(parts[0], bytes):
        return parts[0]
    return text(literal)


def texts(literals: str) -> tuple[str, ...]:
    """Return the texts of a list of string literals separated by white space. Raises ValueError."""
    return tuple(text(literal) for literal in literals.split())
