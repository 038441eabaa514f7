"""Source text of ESQL to tokens.

`decode_source()` turns the bytes of a file into text, `normalise()` removes text that is not ESQL (byte order mark, XML
escapes), `tokenise()` cuts the result into tokens with line and column. Positions refer to the normalised text.

Words are not classified here: ESQL has few reserved words, so the parser decides by context whether `date` is a type, a
function or a variable. A word carries its upper-case form in `Token.symbol`; a quoted identifier carries none, so it is
never taken for a keyword.

Comments are `-- to the end of the line` and `/* ... */`, which do not nest. Executable comments are code to the run
time: the markers `/*!{` and `}!*/` count as blanks, and so does `--!{`, after which the rest of the line is code. The
lines `--@!{ ...` and `--@!} ...`, which the generator of database event modules writes, are ordinary comments.

XML escapes: an export of V2.1 may hold ESQL as it stood inside XML. An ampersand is never part of ESQL outside strings
and comments, so one escape there (`&lt;=`) shows that the whole text is escaped, strings included. `&It;`, as a scanned
listing spells `&lt;`, is accepted too.

Text that cannot be a token is reported once per run of characters and skipped. This module never raises on any text,
and its time is proportional to the length of the text.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from flintmq.broker.esql.errors import EsqlSyntaxError

END: Final = 0
WORD: Final = 1
QUOTED: Final = 2
STRING: Final = 3
INTEGER: Final = 4
DECIMAL: Final = 5
FLOAT: Final = 6
BLOB: Final = 7
BIT: Final = 8
OPERATOR: Final = 9
HEXADECIMAL: Final = 10  # An integer in hexadecimal.

INTEGER_MAX: Final = 2**63 - 1
#: Errors kept per text. More are of no use to anyone, and a hostile text could make one per character.
ERRORS_MAX: Final = 100

_DIGITS_MAX: Final = 19  # Decimal digits of INTEGER_MAX. A longer literal is a DECIMAL without a try.

TokenValue = str | int | float | Decimal | bytes


class Token:
    """One token. `symbol` is the upper-case word or the operator, and "" for all other kinds."""

    __slots__ = ("kind", "symbol", "value", "start", "end", "line", "column")

    def __init__(self, kind: int, symbol: str, value: TokenValue, start: int, end: int, line: int, column: int) -> None:
        self.kind = kind
        self.symbol = symbol
        self.value = value
        self.start = start
        self.end = end
        self.line = line
        self.column = column

    def __repr__(self) -> str:
        return f"Token({self.kind}, {self.symbol!r}, {self.value!r}, {self.line}:{self.column})"


# One alternative per kind of token; the number of the group tells which matched.
_SKIP, _WORD, _OPERATOR, _STRING, _QUOTED, _HEX, _NUMBER, _BITS, _EXEC_OPEN, _EXEC_CLOSE, _LINE_CLOSE = range(1, 12)
_OPEN_COMMENT, _OPEN_STRING, _OPEN_QUOTED, _WRONG = range(12, 16)
_TOKENS: Final = re.compile(
    r"((?:[\s\ufeff\u200b]+|--(?!!\{)[^\r\n]*|/\*(?!!\{)[^*]*\*+(?:[^/*][^*]*\*+)*/)+)"
    r"|(?![XxBb]')((?:[^\W\d]|\$)[\w$]*)"
    r"|([;,()\[\]{:*+=]|\.(?!\d)|(?<=[\w\]})*\"])\.|\}(?!!)|\|\||<[>=]?|>=?|-(?!-)|/(?!\*))"
    r"|('[^']*(?:''[^']*)*')"
    r'|("[^"\r\n]*(?:""[^"\r\n]*)*")'
    r"|(0[xX][0-9a-fA-F]+)(?!\w)"
    r"|((?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)(?!\w)"
    r"|([XxBb]'[^']*')"
    r"|(/\*!\{|--!\{)"
    r"|(\}!\*/)"
    r"|(\}!)"
    r"|(/\*)"
    r"|('[^\r\n]*)"
    r'|("[^\r\n]*)'
    r"|([^\s\w;,()\[\]{}.:*/+=<>'\"-]+|\w+|.)",
    re.DOTALL,
)
_LINE_ENDS: Final = re.compile(r"\r\n|\r|\n")
_HEX_DIGITS: Final = frozenset("0123456789abcdefABCDEF")

_ESCAPES: Final = {"lt": "<", "It": "<", "gt": ">", "Gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_ESCAPE: Final = re.compile(r"&(lt|It|gt|Gt|amp|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
#: Finds the first escape outside strings, quoted identifiers and comments: group 1.
_ESCAPE_IN_CODE: Final = re.compile(
    r"'[^']*(?:''[^']*)*'"
    r'|"[^"\r\n]*(?:""[^"\r\n]*)*"'
    r"|--[^\r\n]*"
    r"|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/"
    r"|/\*[\s\S]*"
    r"|(" + _ESCAPE.pattern + ")"
)
_BYTE_ORDER_MARKS: Final = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


def decode_source(data: bytes) -> str:
    """Return the text of an ESQL file: UTF-8, or UTF-16 with its mark, or Windows Latin where UTF-8 is not valid."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def normalise(text: str) -> str:
    """Return `text` without a byte order mark and, if it stood inside XML, without XML escapes."""
    if text.startswith("\ufeff"):
        text = text[1:]
    if "&" in text:
        for found in _ESCAPE_IN_CODE.finditer(text):
            if found.group(1):
                return _ESCAPE.sub(_unescape, text)
    return text


def _unescape(found: re.Match[str]) -> str:
    """Return the character that an XML escape stands for; an impossible number stays as it is."""
    name = found.group(1)
    if not name.startswith("#"):
        return _ESCAPES[name]
    number = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
    return chr(number) if number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF else found.group()


class Source:
    """A normalised text with the places of its lines: turns offsets into line and column, and errors into text."""

    __slots__ = ("text", "file", "line_starts", "errors")

    def __init__(self, text: str, file: str | None) -> None:
        self.text = text
        self.file = file
        self.line_starts = [0]
        self.line_starts.extend(found.end() for found in _LINE_ENDS.finditer(text))
        #: Errors of the lexer; the parser adds its own and sorts.
        self.errors: list[EsqlSyntaxError] = []

    def line_text(self, line: int) -> str:
        """Return the text of a line, counted from 1, without its end."""
        start = self.line_starts[line - 1]
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def error(self, found: str, expected: str, line: int, column: int) -> EsqlSyntaxError:
        """Return a syntax error at a place of this text."""
        return EsqlSyntaxError(found, expected, line, column, self.line_text(line), self.file)


def tokenise(source: Source) -> list[Token]:
    """Return the tokens of `source`, the last of kind END. Other text goes to `source.errors`."""
    text = source.text
    lines = len(source.line_starts)
    line_starts = [*source.line_starts, len(text) + 1]
    tokens: list[Token] = []
    append = tokens.append
    match = _TOKENS.match
    position = 0
    length = len(text)
    line = 1
    next_line = line_starts[1]
    executable = 0  # Executable comments that are open.
    while position < length:
        found = match(text, position)
        assert found is not None and found.end() > position  # The last alternative takes any character.
        group = found.lastindex
        start = position
        position = found.end()
        if group == _SKIP:
            continue
        while start >= next_line:
            line += 1
            next_line = line_starts[line]
        column = start - line_starts[line - 1] + 1
        if group == _WORD:
            word = found.group()
            append(Token(WORD, word.upper(), word, start, position, line, column))
        elif group == _OPERATOR:
            symbol = found.group()
            append(Token(OPERATOR, symbol, symbol, start, position, line, column))
        elif group == _STRING:
            append(Token(STRING, "", text[start + 1 : position - 1].replace("''", "'"), start, position, line, column))
        elif group == _QUOTED:
            append(Token(QUOTED, "", text[start + 1 : position - 1].replace('""', '"'), start, position, line, column))
        elif group == _NUMBER:
            append(_number(source, found.group(), start, position, line, column))
        elif group == _HEX:
            append(_hexadecimal(source, found.group(), start, position, line, column))
        elif group == _BITS:
            append(_bits(source, found.group(), start, position, line, column))
        elif group == _EXEC_OPEN:
            executable += 1
        elif executable > 0 and (group == _EXEC_CLOSE or group == _LINE_CLOSE):
            executable -= 1
        elif group == _OPEN_COMMENT:
            _report(source, "a comment without end", "*/ to end the comment", line, column)
            break
        elif group == _OPEN_STRING or group == _OPEN_QUOTED:
            append(_open_text(source, group == _OPEN_STRING, start, position, line, column))
        else:
            _report(source, _shown(found.group()), "an ESQL word, literal or operator", line, column)
    line = lines
    append(Token(END, "", "", length, length, line, length - line_starts[lines - 1] + 1))
    return tokens


def _report(source: Source, found: str, expected: str, line: int, column: int) -> None:
    """Keep an error of the lexer, unless there are too many."""
    if len(source.errors) < ERRORS_MAX:
        source.errors.append(source.error(found, expected, line, column))


def _shown(text: str) -> str:
    """Return `text` for a message: printable and short."""
    text = text if text.isprintable() else ascii(text)[1:-1]
    return text if len(text) <= 40 else text[:37] + "..."


def _number(source: Source, digits: str, start: int, end: int, line: int, column: int) -> Token:
    """Return the token of a number: INTEGER, DECIMAL (has a point or too many digits) or FLOAT (has an exponent)."""
    if "e" in digits or "E" in digits:
        value = float(digits)
        if value == float("inf"):
            _report(source, _shown(digits), "a number in the range of FLOAT", line, column)
        return Token(FLOAT, "", value, start, end, line, column)
    if "." in digits:
        return Token(DECIMAL, "", Decimal(digits), start, end, line, column)
    if len(digits) <= _DIGITS_MAX:
        number = int(digits)
        if number <= INTEGER_MAX:
            return Token(INTEGER, "", number, start, end, line, column)
    return Token(DECIMAL, "", Decimal(digits), start, end, line, column)


def _hexadecimal(source: Source, digits: str, start: int, end: int, line: int, column: int) -> Token:
    """Return the token of an integer in hexadecimal, which must fit in 64 bits; the top bit is the sign."""
    significant = digits[2:].lstrip("0")
    if len(significant) > 16:
        _report(source, _shown(digits), "at most 16 hexadecimal digits", line, column)
        significant = "0"
    number = int(significant or "0", 16)
    if number > INTEGER_MAX:
        number -= 2**64
    return Token(HEXADECIMAL, "", number, start, end, line, column)


def _bits(source: Source, literal: str, start: int, end: int, line: int, column: int) -> Token:
    """Return the token of X'...' (pairs of hexadecimal digits) or B'...' (digits 0 and 1)."""
    digits = literal[2:-1]
    if literal[0] in "xX":
        if len(digits) % 2 == 0 and _HEX_DIGITS.issuperset(digits):
            return Token(BLOB, "", bytes.fromhex(digits), start, end, line, column)
        _report(source, _shown(literal), "pairs of hexadecimal digits in a BLOB literal", line, column)
        return Token(BLOB, "", b"", start, end, line, column)
    if not set(digits) <= {"0", "1"}:
        _report(source, _shown(literal), "only the digits 0 and 1 in a BIT literal", line, column)
        digits = ""
    return Token(BIT, "", digits, start, end, line, column)


def _open_text(source: Source, is_string: bool, start: int, position: int, line: int, column: int) -> Token:
    """Report a string or identifier without end, and return it up to the end of its line."""
    if is_string:
        _report(source, "a string without end", "' to end the string", line, column)
    else:
        _report(source, "an identifier without end", '" to end the identifier', line, column)
    return Token(STRING if is_string else QUOTED, "", source.text[start + 1 : position], start, position, line, column)
