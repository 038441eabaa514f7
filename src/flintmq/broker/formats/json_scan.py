"""Scan JSON text once, and build elements where navigation asks.

How it works: the first touch decodes the bytes, proves the whole text to be JSON (RFC 8259) and notes for each object
and array where it starts, where it ends, and the number of the first container behind it. Scalars are not noted. The
children of a container are built by reading its text again, and containers inside it are stepped over by their note.
So a flow that reads one field near the front pays for the proof and for a few elements.

    entry of an element   meaning
         0                the folder of the body
         n + 1            container n
        -p - 1            a number; its text at position p says more than its value (1.10, 1e400)

The text ends with a NUL that no JSON has, so no loop needs to test for the end.

It never recurses, accepts text that RFC 8259 refuses, or drops a duplicate name. It keeps no lone surrogate: an
escape such as \\ud800 without its other half reads as U+FFFD, because such a string cannot be written in any character
set. The module is compiled by mypyc and runs uncompiled, too.
"""

from __future__ import annotations

import sys
from decimal import Decimal, InvalidOperation
from typing import Final, final

from mypy_extensions import i64

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.tree.element import DEPTH_MAX, Element, Source
from flintmq.broker.tree.types import JSON_ARRAY, NAME, NAME_VALUE
from flintmq.mqi.ccsid import codec_name
from flintmq.mqi.errors import StructureError

#: Children built by one call of `JsonSource.more`.
CHUNK: Final = 32
_CURSOR_BITS: Final = 32
_CURSOR_MASK: Final = 0xFFFFFFFF
#: Integers of at most this many digits fit into 64 bits.
_SURE_DIGITS: Final = 18
_INTEGER_MIN: Final = -(2**63)
_INTEGER_MAX: Final = 2**63 - 1

_QUOTE: Final = 34
_COMMA: Final = 44
_COLON: Final = 58
_OPEN_ARRAY: Final = 91
_BACKSLASH: Final = 92
_CLOSE_ARRAY: Final = 93
_OPEN_OBJECT: Final = 123
_CLOSE_OBJECT: Final = 125

#: Character sets that the MQI vocabulary does not have: UTF-32.
_UTF32: Final[dict[int, str]] = {1232: "utf-32-be", 1233: "utf-32-be", 1234: "utf-32-le", 1235: "utf-32-le"}
#: Byte order marks, longest first: that of UTF-16 little-endian begins that of UTF-32.
_MARKS: Final[tuple[tuple[bytes, str], ...]] = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xfe\xff", "utf-16-be"),
    (b"\xff\xfe", "utf-16-le"),
)


@final
class JsonProblem(Exception):
    """The text is not JSON: `expected` names the text that could stand at `place`."""

    def __init__(self, place: int, expected: str) -> None:
        super().__init__(expected)
        self.place: int = place
        self.expected: str = expected


@final
class JsonSource(Source):
    """A JSON text and the notes of its containers. `text` is empty until the first touch."""

    def __init__(self, body: bytes, ccsid: int, big_endian: bool, decimals: bool, folder: bool) -> None:
        super().__init__("JSON")
        self.body: bytes = body
        self.ccsid: int = ccsid
        self.big_endian: bool = big_endian
        #: Fractions become DECIMAL, not FLOAT.
        self.decimals: bool = decimals
        #: The text is one object whose members are the children of the folder; without, it is `Data`.
        self.folder: bool = folder
        self.text: str = ""
        self.starts: list[int] = []
        self.ends: list[int] = []
        #: Per container the number of the first one that is not inside it.
        self.nexts: list[int] = []

    def more(self, element: Element) -> None:
        """Append the next children of a container, or `Data` to the folder of the body."""
        entry = element.entry
        if entry > 0:
            self._build(element, entry - 1)
            return
        self.check()
        if self.folder:
            self._build(element, 0)
            return
        data = Element("Data", None, NAME_VALUE)
        self._fill(data, skip_space(self.text, 0), 0)
        element.append_built(data)
        element.pending = False

    def check(self) -> None:
        """Decode the text and prove it to be JSON, unless that is done. Raises BIP 5705 with its cause."""
        if self.text:
            return
        text = decode_json(self.body, self.ccsid, self.big_endian) + "\0"
        try:
            self._scan(text)
            if self.folder and text[skip_space(text, 0)] != "{":
                raise JsonProblem(skip_space(text, 0), "'{'")
        except JsonProblem as problem:
            self.starts = []
            self.ends = []
            self.nexts = []
            raise json_error(text, problem.place, problem.expected) from None
        self.text = text

    def original(self, element: Element) -> str:
        """Return the text of the value of an unchanged element."""
        entry = element.entry
        if entry > 0:
            return self.text[self.starts[entry - 1] : self.ends[entry - 1]]
        start = -entry - 1
        return self.text[start : number_end(self.text, start)]

    def _scan(self, text: str) -> None:
        """Prove that the text is one JSON value and note its containers."""
        starts = self.starts
        ends = self.ends
        nexts = self.nexts
        stack: list[int] = []
        length: i64 = len(text) - 1
        in_object = False
        i: i64 = 0
        while True:
            c: i64 = ord(text[i])
            if c <= 32:
                i = skip_space(text, i)
                c = ord(text[i])
            if c == _QUOTE:
                i = _checked_string_end(text, i)
            elif c == _OPEN_OBJECT or c == _OPEN_ARRAY:
                in_object = c == _OPEN_OBJECT
                stack.append(len(starts))
                starts.append(i)
                ends.append(0)
                nexts.append(0)
                if len(stack) > DEPTH_MAX:
                    raise JsonProblem(i, f"at most {DEPTH_MAX} nested objects and arrays")
                i = skip_space(text, i + 1)
                if in_object:
                    if ord(text[i]) != _CLOSE_OBJECT:
                        i = _name_end(text, i)
                        continue
                elif ord(text[i]) != _CLOSE_ARRAY:
                    continue
            else:
                i = _scalar_end(text, i, c)
            # Behind a value, or at the closing bracket of an empty container.
            while True:
                c = ord(text[i])
                if c <= 32:
                    i = skip_space(text, i)
                    c = ord(text[i])
                if c == _COMMA and stack:
                    i += 1
                    if in_object:
                        i = _name_end(text, skip_space(text, i))
                    break
                if not stack:
                    if i != length:
                        raise JsonProblem(i, "the end of the text")
                    return
                if c != (_CLOSE_OBJECT if in_object else _CLOSE_ARRAY):
                    raise _unclosed(i, in_object)
                number = stack.pop()
                i += 1
                ends[number] = i
                nexts[number] = len(starts)
                if stack:
                    in_object = ord(text[starts[stack[-1]]]) == _OPEN_OBJECT

    def _build(self, element: Element, number: int) -> None:
        """Append the next children of container `number`. The cursor is (position, next container inside)."""
        text = self.text
        cursor = element.cursor
        i: i64
        inner: int
        start = self.starts[number]
        if cursor == 0:
            i = start + 1
            inner = number + 1
        else:
            i = cursor >> _CURSOR_BITS
            inner = cursor & _CURSOR_MASK
        in_object = ord(text[start]) == _OPEN_OBJECT
        left: i64 = CHUNK
        while left > 0:
            left -= 1
            i = skip_space(text, i)
            c: i64 = ord(text[i])
            if c == _COMMA:
                i = skip_space(text, i + 1)
                c = ord(text[i])
            elif c == _CLOSE_OBJECT or c == _CLOSE_ARRAY:
                element.pending = False
                return
            if in_object:
                end = string_end(text, i)
                child = Element(sys.intern(string_value(text, i, end)), None, NAME_VALUE)
                i = skip_space(text, skip_space(text, end) + 1)
                c = ord(text[i])
            else:
                child = Element("Item", None, NAME_VALUE)
            if c == _OPEN_OBJECT or c == _OPEN_ARRAY:
                self._fill(child, i, inner)
                i = self.ends[inner]
                inner = self.nexts[inner]
            else:
                i = self._fill(child, i, 0)
            element.append_built(child)
        i = skip_space(text, i)
        c = ord(text[i])
        if c == _CLOSE_OBJECT or c == _CLOSE_ARRAY:
            element.pending = False
            return
        where: int = i
        element.cursor = (where << _CURSOR_BITS) | inner

    def _fill(self, element: Element, i: i64, number: int) -> i64:
        """Give an element the value at `i`, which is container `number` if it is one. Return where a scalar ends."""
        text = self.text
        element.changed = False
        c: i64 = ord(text[i])
        if c == _QUOTE:
            end = string_end(text, i)
            element.value = string_value(text, i, end)
            return end
        if c == _OPEN_OBJECT or c == _OPEN_ARRAY:
            element.type = NAME if c == _OPEN_OBJECT else JSON_ARRAY
            element.source = self
            element.entry = number + 1
            element.pending = True
            return i
        if c == 116:
            element.value = True
            return i + 4
        if c == 102:
            element.value = False
            return i + 5
        if c == 110:
            return i + 4
        end = number_end(text, i)
        value = number_value(text[i:end], self.decimals)
        element.value = value
        if not isinstance(value, int):
            element.source = self
            where: int = i
            element.entry = -where - 1
        return end


def skip_space(text: str, i: i64) -> i64:
    """Return the position of the first character from `i` on that is not white space."""
    c: i64 = ord(text[i])
    while c <= 32 and (c == 32 or c == 10 or c == 13 or c == 9):
        i += 1
        c = ord(text[i])
    return i


def _name_end(text: str, i: i64) -> i64:
    """Return the position behind a member's name and colon. Raises JsonProblem."""
    if ord(text[i]) != _QUOTE:
        raise JsonProblem(i, "a name in quotation marks")
    i = _checked_string_end(text, i)
    if ord(text[i]) != _COLON:
        i = skip_space(text, i)
        if ord(text[i]) != _COLON:
            raise JsonProblem(i, "':'")
    return i + 1


def _scalar_end(text: str, i: i64, c: i64) -> i64:
    """Return the position behind the number or literal at `i`. Raises JsonProblem."""
    if c == 45 or 48 <= c <= 57:
        return _checked_number_end(text, i)
    if c == 116 and text.startswith("true", i):
        return i + 4
    if c == 102 and text.startswith("false", i):
        return i + 5
    if c == 110 and text.startswith("null", i):
        return i + 4
    raise JsonProblem(i, "'{', '[', a string, a number, true, false, null")


def _checked_string_end(text: str, i: i64) -> i64:
    """Return the position behind the string that starts at `i`. Raises JsonProblem."""
    i += 1
    while True:
        c: i64 = ord(text[i])
        if c == _QUOTE:
            return i + 1
        if c < 32:
            raise JsonProblem(i, "'\"', or a character that is not a control character")
        i += 1
        if c == _BACKSLASH:
            i = _checked_escape_end(text, i)


def _checked_escape_end(text: str, i: i64) -> i64:
    """Return the position behind an escape with its backslash before `i`. Raises JsonProblem."""
    c: i64 = ord(text[i])
    if c == 117:
        digits: i64 = 0
        while digits < 4:
            digits += 1
            d: i64 = ord(text[i + digits])
            if not (48 <= d <= 57 or 97 <= d <= 102 or 65 <= d <= 70):
                raise JsonProblem(i + digits, "four hexadecimal digits")
        return i + 5
    if c == _QUOTE or c == _BACKSLASH or c == 47 or c == 98 or c == 102 or c == 110 or c == 114 or c == 116:
        return i + 1
    raise JsonProblem(i, "one of \" \\ / b f n r t u behind '\\'")


def _checked_number_end(text: str, i: i64) -> i64:
    """Return the position behind the number at `i`. Raises JsonProblem."""
    if ord(text[i]) == 45:
        i += 1
    c: i64 = ord(text[i])
    if c == 48:
        i += 1
    else:
        i = _checked_digits_end(text, i)
    if ord(text[i]) == 46:
        i = _checked_digits_end(text, i + 1)
    c = ord(text[i])
    if c == 101 or c == 69:
        i += 1
        c = ord(text[i])
        if c == 43 or c == 45:
            i += 1
        i = _checked_digits_end(text, i)
    return i


def _checked_digits_end(text: str, i: i64) -> i64:
    """Return the position behind one or more digits. Raises JsonProblem."""
    c: i64 = ord(text[i])
    if not 48 <= c <= 57:
        raise JsonProblem(i, "a digit")
    while 48 <= c <= 57:
        i += 1
        c = ord(text[i])
    return i


def string_end(text: str, i: i64) -> i64:
    """Return the position behind the string at `i` of a text that is proved."""
    i += 1
    while True:
        c: i64 = ord(text[i])
        i += 1
        if c == _QUOTE:
            return i
        if c == _BACKSLASH:
            i += 1


def number_end(text: str, i: i64) -> i64:
    """Return the position behind the number at `i` of a text that is proved."""
    c: i64 = ord(text[i])
    while 48 <= c <= 57 or c == 43 or c == 45 or c == 46 or c == 101 or c == 69:
        i += 1
        c = ord(text[i])
    return i


_ESCAPES: Final[dict[str, str]] = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
}


def string_value(text: str, i: i64, end: i64) -> str:
    """Return the value of the string between `i` and `end`, quotation marks included."""
    raw = text[i + 1 : end - 1]
    if "\\" not in raw:
        return raw
    parts: list[str] = []
    place = 0
    while True:
        found = raw.find("\\", place)
        if found < 0:
            parts.append(raw[place:])
            return "".join(parts)
        parts.append(raw[place:found])
        kind = raw[found + 1]
        if kind != "u":
            parts.append(_ESCAPES[kind])
            place = found + 2
            continue
        code = int(raw[found + 2 : found + 6], 16)
        place = found + 6
        if 0xD800 <= code <= 0xDFFF:
            low = -1
            if code <= 0xDBFF and raw.startswith("\\u", place):
                low = int(raw[place + 2 : place + 6], 16)
            if 0xDC00 <= low <= 0xDFFF:
                code = 0x10000 + ((code - 0xD800) << 10) + low - 0xDC00
                place += 6
            else:
                code = 0xFFFD
        parts.append(chr(code))


def number_value(text: str, decimals: bool) -> object:
    """Return INTEGER for a whole number of 64 bits, otherwise DECIMAL, or FLOAT if that can hold a fraction."""
    if "." not in text and "e" not in text and "E" not in text:
        if len(text) <= _SURE_DIGITS:
            return int(text)
        if len(text) <= 20:
            whole = int(text)
            if _INTEGER_MIN <= whole <= _INTEGER_MAX:
                return whole
        return Decimal(text)
    if not decimals:
        number = float(text)
        # A FLOAT has no number of this size.
        if number - number == 0.0:
            return number
    try:
        return Decimal(text)
    except InvalidOperation:
        raise parser_error(
            5705, text[:40], text=f"the number {text[:40]} has an exponent that no DECIMAL can hold"
        ) from None


def decode_json(body: bytes, ccsid: int, big_endian: bool) -> str:
    """Return the text of a body: by its byte order mark, else by CCSID, else (0) by the place of its zero bytes."""
    codec = ""
    skipped = 0
    for mark, name in _MARKS:
        if body.startswith(mark):
            codec = name
            skipped = len(mark)
            break
    if not codec:
        codec = _codec_of(body, ccsid, big_endian)
    try:
        return str(body[skipped:], codec)
    except UnicodeDecodeError as error:
        raise parser_error(
            5705,
            text="JSON parsing errors have occurred",
            cause=parser_error(
                5701,
                skipped + error.start,
                codec,
                text=f"the bytes at offset {skipped + error.start} are not text of {codec} (CCSID {ccsid}):"
                " check CodedCharSetId of the header in front of the body",
            ),
        ) from None


def _codec_of(body: bytes, ccsid: int, big_endian: bool) -> str:
    """Return the codec of a body without byte order mark."""
    if ccsid == 0:
        # The first two characters of JSON are ASCII, so the zero bytes tell the width.
        if body[0:3] == b"\0\0\0":
            return "utf-32-be"
        if body[1:4] == b"\0\0\0":
            return "utf-32-le"
        if body[0:1] == b"\0":
            return "utf-16-be"
        if body[1:2] == b"\0":
            return "utf-16-le"
        return "utf-8"
    wide = _UTF32.get(ccsid)
    if wide is not None:
        return wide
    try:
        return codec_name(ccsid, big_endian)
    except StructureError as error:
        raise parser_error(5705, ccsid, text=f"a JSON body cannot be read: {error}") from None


def json_error(text: str, place: int, expected: str) -> BrokerError:
    """Return BIP 5705 with its cause: 5701 for a wrong character, 5702 for a text that ends too early."""
    line = text.count("\n", 0, place) + 1
    column = place - text.rfind("\n", 0, place)
    if place >= len(text) - 1:
        cause = parser_error(
            5702,
            expected,
            text=f"the JSON text ends at line {line} column {column} before it is complete; expected: {expected}",
        )
    else:
        found = f"0x{ord(text[place]):08x}"
        cause = parser_error(
            5701,
            line,
            column,
            found,
            expected,
            text=f"line {line} column {column}: found {text[place]!r} ({found}), expected: {expected}",
        )
    return parser_error(5705, text="JSON parsing errors have occurred", cause=cause)


def _unclosed(i: int, in_object: bool) -> JsonProblem:
    """Return the error of a container that neither ends nor goes on behind a value."""
    return JsonProblem(i, "'}', ','" if in_object else "']', ','")
