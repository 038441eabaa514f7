"""PICTURE character-strings of COBOL: category, digits, scale, sign and size.

    symbol              counts as
    A X                 a character position
    N G                 a position of two bytes
    9                   a digit position
    S V                 sign and decimal point that take no position
    P                   a digit that is not stored: left of the digits it makes the number smaller, right of them larger
    Z * + - $ CR DB     positions of an edited number; CR and DB take two
    . , B 0 /           insertions of an edited picture
    E                   external floating point

    picture        category          digits  scale  size
    S9(5)V99       numeric                7      2     7
    VPPP999        numeric                3      6     3
    999PPP         numeric                3     -3     3
    -(5)9.99       numeric edited         8      2     9
    X(10)          alphanumeric                       10

`parse_picture` raises ValueError with a text for a string that is no picture. Repetitions are counted, never written
out: `X(999999999)` costs nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

#: The largest item: what a level of a COBOL program may have.
SIZE_MAX: Final = 134_217_727
DIGITS_MAX: Final = 60
_SYMBOL: Final = re.compile(r"(CR|DB|[AXNGUSVP9Z*+\-$.,B0/E1])(?:\(\s*(\d{1,9})\s*\))?", re.IGNORECASE)


class Category(StrEnum):
    """Categories of data that an item can hold."""

    ALPHABETIC = "alphabetic"
    ALPHANUMERIC = "alphanumeric"
    ALPHANUMERIC_EDITED = "alphanumeric edited"
    NUMERIC = "numeric"
    NUMERIC_EDITED = "numeric edited"
    NATIONAL = "national"
    DBCS = "dbcs"
    FLOATING = "external floating point"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that was read."""

    text: str
    category: Category
    #: Digits that are stored, and where the decimal point is among them: 2 = before the last two, -3 = three zeros
    #: behind the last.
    digits: int = 0
    scale: int = 0
    signed: bool = False
    #: Character positions in DISPLAY usage, without a separate sign.
    size: int = 0
    #: Whether the decimal point is a character.
    has_point: bool = False


#: Categories of characters, in the order of the test: one of the first symbols must be there, and no others than the
#: second.
_CHARACTER_CATEGORIES: Final = (
    (Category.NATIONAL, {"N"}, {"N", "B", "0", "/"}),
    (Category.DBCS, {"G"}, {"G", "B"}),
    (Category.ALPHABETIC, {"A"}, {"A"}),
    (Category.ALPHANUMERIC, {"A", "X", "U"}, {"A", "X", "9", "U"}),
    (Category.ALPHANUMERIC_EDITED, {"A", "X"}, {"A", "X", "9", "B", "0", "/"}),
)


def parse_picture(text: str, decimal_comma: bool = False) -> Picture:
    """Return a picture. Raises ValueError."""
    runs = _runs(text)
    point, comma = (",", ".") if decimal_comma else (".", ",")
    counts: dict[str, int] = {}
    for symbol, count in runs:
        counts[symbol] = counts.get(symbol, 0) + count
    size = sum(count * (2 if symbol in ("CR", "DB") else 1) for symbol, count in runs if symbol not in "SVP")
    if size > SIZE_MAX:
        raise ValueError(f"picture '{text}' has {size} positions, more than {SIZE_MAX}")
    present = set(counts)
    if "E" in present:
        return Picture(text, Category.FLOATING, size=size, signed=True, has_point=point in present)
    for category, required, allowed in _CHARACTER_CATEGORIES:
        if present & required and present <= allowed:
            return Picture(text, category, size=size)
    if present & {"A", "X"}:
        raise ValueError(f"picture '{text}' mixes letters and editing symbols that do not go together")
    if counts.get("S", 0) > 1 or counts.get("V", 0) > 1 or counts.get(point, 0) > 1:
        raise ValueError(f"picture '{text}' has more than one sign or decimal point")
    if present <= {"S", "V", "P", "9"}:
        return _numeric(text, runs, counts, size)
    if not present & {"9", "Z", "*", "+", "-", "$"}:
        raise ValueError(f"picture '{text}' has no digits")
    return _edited(text, runs, counts, size, point)


def _runs(text: str) -> list[tuple[str, int]]:
    """Return the symbols of a picture with their repetitions, runs of one symbol joined."""
    if len(text) > 500:
        raise ValueError(f"the picture has {len(text)} characters")
    found: list[tuple[str, int]] = []
    at = 0
    while at < len(text):
        match = _SYMBOL.match(text, at)
        if match is None:
            raise ValueError(f"'{text[at : at + 10]}' of picture '{text}' is not known")
        symbol = match.group(1).upper()
        if symbol == "1":
            raise ValueError(f"picture '{text}' is that of a bit item, which is not supported")
        count = int(match.group(2)) if match.group(2) is not None else 1
        if not count:
            raise ValueError(f"picture '{text}' repeats a symbol zero times")
        if found and found[-1][0] == symbol:
            found[-1] = (symbol, found[-1][1] + count)
        else:
            found.append((symbol, count))
        at = match.end()
    if not found:
        raise ValueError("the picture is empty")
    return found


def _numeric(text: str, runs: list[tuple[str, int]], counts: dict[str, int], size: int) -> Picture:
    """Return a picture of S, V, P and 9."""
    digits = counts.get("9", 0)
    if not digits:
        raise ValueError(f"picture '{text}' has no digits")
    if digits > DIGITS_MAX or counts.get("P", 0) > DIGITS_MAX:
        raise ValueError(f"picture '{text}' has {digits} digits, more than {DIGITS_MAX}")
    symbols = [symbol for symbol, _ in runs]
    if "S" in symbols and symbols[0] != "S":
        raise ValueError(f"the S of picture '{text}' is not its first symbol")
    return Picture(text, Category.NUMERIC, digits, _scale(text, runs, digits), "S" in symbols, size)


def _scale(text: str, runs: list[tuple[str, int]], digits: int) -> int:
    """Return how many decimal places a picture of S, V, P and 9 has; negative for P behind its digits."""
    has_point = any(symbol == "V" for symbol, _ in runs)
    seen_point = seen_digit = False
    leading = trailing = scale = 0
    for symbol, count in runs:
        if symbol == "V":
            seen_point = True
        elif symbol == "9":
            seen_digit = True
            scale += count if seen_point else 0
        elif symbol == "P" and seen_digit:
            trailing += count
            # Behind the digits, up to the decimal point.
            scale -= count if not seen_point else 0
        elif symbol == "P":
            leading += count
            # Before the digits, from the decimal point on; without V the point is before the first P.
            scale += count if seen_point or not has_point else 0
    if leading and trailing:
        raise ValueError(f"picture '{text}' has P on both sides of its digits")
    return scale + digits if leading and not has_point else scale


def _edited(text: str, runs: list[tuple[str, int]], counts: dict[str, int], size: int, point: str) -> Picture:
    """Return a picture of an edited number. Of a floating sign or currency symbol, the first is no digit."""
    digits = scale = 0
    seen_point = False
    floating_seen: set[str] = set()
    for symbol, count in runs:
        here = 0
        if symbol in "9Z*":
            here = count
        elif symbol in ("+", "-", "$") and counts[symbol] > 1:
            here = count
            if symbol not in floating_seen:
                floating_seen.add(symbol)
                here -= 1
        elif symbol in (point, "V"):
            seen_point = True
        digits += here
        if seen_point:
            scale += here
    signed = any(symbol in ("+", "-", "CR", "DB", "S") for symbol, _ in runs)
    return Picture(text, Category.NUMERIC_EDITED, digits, scale, signed, size, point in counts)
