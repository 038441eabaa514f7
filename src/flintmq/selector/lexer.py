"""A selection string taken apart into tokens.

kind        text as written    value
name        usr.color          the name
string      'it''s'            it's
bytes       "0x0AFC23"         b"\\x0a\\xfc\\x23"
exact       0x1F               31; may be as large as 2**63, for the sign in front of it
approximate 57.9E2             5790.0
AND, IN ... in any case        the keywords, each a kind of its own
=, <>, ( .. as written         the operators, each a kind of its own
end                            behind the last character
"""

from __future__ import annotations

import math
from typing import Final

from flintmq.mqi.property_names import KEYWORDS
from flintmq.selector.errors import SelectorError
from flintmq.selector.source import Value

NAME: Final = "name"
STRING: Final = "string"
BYTES: Final = "bytes"
EXACT: Final = "exact"
APPROXIMATE: Final = "approximate"
END: Final = "end"

EXACT_MAX: Final = (1 << 63) - 1

_BLANKS: Final = " \t\f\r\n"
_DIGITS: Final = "0123456789"
_HEX_DIGITS: Final = "0123456789abcdefABCDEF"
_CURRENCY: Final = "$€£¢¥¤"
_TWO: Final = ("<>", "<=", ">=")
_ONE: Final = "=<>+-*/(),"


class Token:
    """One token; `start` is its place in the text, from 0."""

    def __init__(self, kind: str, text: str, value: Value, start: int) -> None:
        self.kind = kind
        self.text = text
        self.value = value
        self.start = start

    def shown(self) -> str:
        """How an error calls it."""
        if self.kind == END:
            return "the end"
        return self.text if len(self.text) <= 40 else self.text[:37] + "..."


def tokens(text: str) -> list[Token]:
    """All tokens of the text, END last. Raises SelectorError."""
    lexer = Lexer(text)
    result: list[Token] = []
    while True:
        token = lexer.next()
        result.append(token)
        if token.kind == END:
            return result


class Lexer:
    """Reads one token after the other."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def next(self) -> Token:
        """The next token."""
        text = self.text
        length = len(text)
        while self.at < length and text[self.at] in _BLANKS:
            self.at += 1
        start = self.at
        if start == length:
            return Token(END, "", None, start)
        character = text[start]
        if _begins_name(character):
            return self._name(start)
        if character in _DIGITS or (character == "." and text[start + 1 : start + 2] in _digits_only):
            return self._number(start)
        if character == "'":
            return self._string(start)
        if character == '"':
            return self._bytes(start)
        two = text[start : start + 2]
        if two in _TWO:
            self.at += 2
            return Token(two, two, None, start)
        if character in _ONE:
            self.at += 1
            return Token(character, character, None, start)
        if two == "!=":
            raise self._error(start, "not equal is written <>")
        raise self._error(start, f"unexpected character {character!r}")

    def _error(self, at: int, what: str) -> SelectorError:
        return SelectorError(self.text, at + 1, what)

    def _name(self, start: int) -> Token:
        text = self.text
        length = len(text)
        at = start + 1
        while at < length:
            if _continues_name(text[at]):
                at += 1
            elif text[at] == "." and at + 1 < length and _begins_name(text[at + 1]):
                at += 2
            else:
                break
        self.at = at
        word = text[start:at]
        upper = word.upper()
        return Token(upper, word, None, start) if upper in KEYWORDS else Token(NAME, word, word, start)

    def _string(self, start: int) -> Token:
        parts: list[str] = []
        at = start + 1
        while True:
            end = self.text.find("'", at)
            if end < 0:
                raise self._error(start, "the string that begins here has no end")
            parts.append(self.text[at:end])
            at = end + 1
            if self.text[at : at + 1] != "'":
                break
            parts.append("'")
            at += 1
        self.at = at
        return Token(STRING, self.text[start:at], "".join(parts), start)

    def _bytes(self, start: int) -> Token:
        end = self.text.find('"', start + 1)
        if end < 0:
            raise self._error(start, "the byte string that begins here has no end")
        inside = self.text[start + 1 : end]
        digits = inside[2:]
        if inside[:2] not in ("0x", "0X"):
            raise self._error(start, 'double quotes are for byte strings, "0x0A"; a string stands in single quotes')
        if not digits or len(digits) % 2 or not _all_in(digits, _HEX_DIGITS):
            raise self._error(start, "a byte string is 0x with one or more pairs of hexadecimal digits")
        self.at = end + 1
        return Token(BYTES, self.text[start : end + 1], bytes.fromhex(digits), start)

    def _digits(self, at: int, allowed: str) -> int:
        """The place behind the digits that begin at `at`."""
        text = self.text
        while at < len(text) and text[at] in allowed:
            at += 1
        return at

    def _number(self, start: int) -> Token:
        text = self.text
        if text[start : start + 2] in ("0x", "0X"):
            at = self._digits(start + 2, _HEX_DIGITS)
            if at == start + 2:
                raise self._error(start, "0x needs hexadecimal digits")
            return self._exact(start, at, text[start + 2 : at], 16)
        at = self._digits(start, _DIGITS)
        approximate = False
        if text[at : at + 1] == ".":
            approximate = True
            at = self._digits(at + 1, _DIGITS)
        if text[at : at + 1] in ("e", "E"):
            approximate = True
            sign = 1 if text[at + 1 : at + 2] in ("+", "-") else 0
            end = self._digits(at + 1 + sign, _DIGITS)
            if end == at + 1 + sign:
                raise self._error(at, "an exponent needs digits")
            at = end
        if approximate or text[at : at + 1] in ("f", "F", "d", "D"):
            return self._approximate(start, at)
        digits = text[start:at]
        if len(digits) > 1 and digits[0] == "0":
            if not _all_in(digits, "01234567"):
                raise self._error(start, "a number with a leading zero is octal, which has no 8 and no 9")
            return self._exact(start, at, digits, 8)
        return self._exact(start, at, digits, 10)

    def _exact(self, start: int, at: int, digits: str, base: int) -> Token:
        # Python reads long decimals in quadratic time: what has more digits than 2**63 is not read at all.
        significant = digits.lstrip("0")
        value = int(significant or "0", base) if len(significant) <= 22 else EXACT_MAX + 2
        if value > EXACT_MAX + 1:
            raise self._error(start, "an exact number is at most 9223372036854775807")
        if self.text[at : at + 1] in ("l", "L"):
            at += 1
        return self._ended(Token(EXACT, self.text[start:at], value, start), at)

    def _approximate(self, start: int, at: int) -> Token:
        value = float(self.text[start:at])
        if math.isinf(value):
            raise self._error(start, "an approximate number is at most 1.797693134862315E+308")
        if self.text[at : at + 1] in ("f", "F", "d", "D"):
            at += 1
        return self._ended(Token(APPROXIMATE, self.text[start:at], value, start), at)

    def _ended(self, token: Token, at: int) -> Token:
        """The number is over: a letter, digit or point that follows at once is an error."""
        self.at = at
        following = self.text[at : at + 1]
        if following and (_continues_name(following) or following == "."):
            raise self._error(at, f"unexpected {following!r} behind a number")
        return token


_digits_only: Final = frozenset(_DIGITS)


def _all_in(text: str, allowed: str) -> bool:
    for character in text:
        if character not in allowed:
            return False
    return True


def _begins_name(character: str) -> bool:
    """Whether a name may begin with it: as in Java, of the Basic Multilingual Plane (property_names.py)."""
    if character.isascii():
        return character.isalpha() or character in "_$"
    return character <= "\uffff" and (character.isidentifier() or character in _CURRENCY)


def _continues_name(character: str) -> bool:
    if character.isascii():
        return character.isalnum() or character in "_$"
    return character <= "\uffff" and (("a" + character).isidentifier() or character in _CURRENCY)
