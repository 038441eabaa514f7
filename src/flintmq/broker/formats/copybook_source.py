"""Source text of COBOL: columns, comments, continuation lines, tokens and sentences.

    fixed form    columns 1-6 sequence number, 7 indicator, 8-72 text, 73-80 identification
                  indicator: * / $ comment, - continuation, D debugging line (read as text)
    free form     text anywhere; *> starts a comment; a line that starts with * is one

`auto` takes the free form if a level number stands before column 7. A literal that is not closed in fixed form goes on
behind the first quotation mark of the continuation line; the blanks up to column 72 belong to it. Tabs move to columns
8, 16, 24 ...

`sentences` returns the sentences of a copybook, each a list of tokens without its full stop. A level number at the
start of a line begins a sentence although the full stop before it is missing; that is noted. Nothing here raises for
any text; text that cannot be read is noted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

TEXT_MAX: Final = 8_000_000
#: Characters of a line with all its continuation lines.
JOINED_MAX: Final = 20_000
NOTES_MAX: Final = 200
_LEVEL: Final = re.compile(r"0?[1-9]|[1-4][0-9]|66|77|78|88")
#: Statements that only shape the listing of a compiler; they need no full stop.
_LISTING: Final = re.compile(r".{0,6}\s+(?:EJECT|SKIP[123]|TITLE\s.*)\s*\.?\s*", re.IGNORECASE)
_FREE_LEVEL: Final = re.compile(r" {0,5}(?:0?[1-9]|[1-4][0-9]|66|77|78|88)\s+[A-Za-z]")
_TOKEN: Final = re.compile(
    r"""\s+
    |(?P<comment>\*>.*)
    |(?P<literal>(?:[xXnNgGzZbB]|[nN][xX])?(?:"(?:[^"]|"")*(?:"|$)|'(?:[^']|'')*(?:'|$)))
    |(?P<pseudo>==.*?==)
    |(?P<stop>\.(?=\s|$))
    |[,;](?=\s|$)
    |(?P<word>[^\s"']+?(?=[.,;]?(?:\s|$)|["']))
    |(?P<other>.)""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number, a picture or a literal."""

    text: str
    line: int
    #: A literal, without its quotation marks; `prefix` is what stood before them: X, N, G, Z.
    literal: bool = False
    prefix: str = ""
    #: Whether it is the first of its line.
    first: bool = False

    @property
    def word(self) -> str:
        """The word in upper case; '' for a literal."""
        return "" if self.literal else self.text.upper()


@dataclass(slots=True)
class Source:
    """The sentences of a copybook, and the mistakes in its text."""

    sentences: list[list[Token]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def note(self, line: int, text: str) -> None:
        if len(self.notes) < NOTES_MAX:
            self.notes.append(f"line {line}: {text}")


def read_source(text: str, form: str = "auto") -> Source:
    """Return the sentences of a copybook. `form` is fixed, free or auto."""
    source = Source()
    if len(text) > TEXT_MAX:
        source.note(0, f"the text has more than {TEXT_MAX} characters; the rest is not read")
        text = text[:TEXT_MAX]
    lines = [line.expandtabs(8) for line in re.split(r"\r\n|\r|\n|\x85", text.replace("\x1a", ""))]
    lines = ["" if _LISTING.fullmatch(line[:72]) else line for line in lines]
    if form == "free" or form == "auto" and is_free(lines):
        numbered = _free_lines(lines)
    else:
        numbered = _fixed_lines(lines)
    _split(numbered, source)
    return source


def is_free(lines: list[str]) -> bool:
    """Return whether a level number stands where fixed form has sequence numbers."""
    return any(_FREE_LEVEL.match(line) for line in lines)


def _free_lines(lines: list[str]) -> list[tuple[int, str]]:
    """Return the lines of a text in free form without comments."""
    return [(number, line) for number, line in enumerate(lines, 1) if not line.lstrip().startswith(("*", ">>", "/"))]


def _fixed_lines(lines: list[str]) -> list[tuple[int, str]]:
    """Return the text columns of a copybook in fixed form, continuation lines joined to the line before."""
    result: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        indicator = line[6:7]
        if indicator in ("*", "/", "$") or line.lstrip().startswith("*"):
            continue
        if indicator == "-" and result:
            start, before = result[-1]
            if len(before) < JOINED_MAX:
                result[-1] = (start, _continued(before, line[7:72]))
            continue
        # Some texts start in column 7: an indicator is a blank or D and never a part of a word.
        body = line[6:72] if indicator not in ("D", "d") or line[7:8].strip() else " " + line[7:72]
        if indicator == "-":
            body = line[7:72]
        if body.strip():
            result.append((number, body if len(body) >= 66 else body.ljust(66)))
    return result


def _continued(before: str, line: str) -> str:
    """Return a line with its continuation."""
    quote = _open_quote(before)
    rest = line.lstrip()
    if quote:
        # The blanks at the end of the first line belong to the literal, the first quotation mark does not.
        return before + (rest[1:] if rest.startswith(quote) else rest)
    return before.rstrip() + rest


def _open_quote(text: str) -> str:
    """Return the quotation mark of a literal that is not closed in a line; '' if all are."""
    quote = ""
    for character in text:
        if quote:
            if character == quote:
                quote = ""
        elif character in "\"'":
            quote = character
    return quote


def _split(lines: list[tuple[int, str]], source: Source) -> None:
    """Split lines into tokens and sentences."""
    tokens: list[Token | None] = []
    for number, line in lines:
        first = True
        for found in _TOKEN.finditer(line):
            kind = found.lastgroup
            if kind == "comment":
                break
            text = found.group()
            if kind == "literal":
                at = 0
                while text[at] not in "\"'":
                    at += 1
                quote = text[at]
                closed = len(text) > at + 1 and text.endswith(quote)
                if not closed:
                    source.note(number, "a literal is not closed; it ends with its line")
                body = text[at + 1 : -1] if closed else text[at + 1 :].rstrip()
                tokens.append(Token(body.replace(quote * 2, quote), number, True, text[:at].upper(), first))
            elif kind == "stop":
                tokens.append(None)
            elif kind in ("word", "other"):
                tokens.append(Token(text, number, first=first))
            else:
                continue
            first = False
    sentence: list[Token] = []
    for index, token in enumerate(tokens):
        if token is None:
            if sentence:
                source.sentences.append(sentence)
                sentence = []
            continue
        if sentence and _begins_item(token, tokens, index, sentence):
            source.note(token.line, f"the full stop before level {token.text} is missing")
            source.sentences.append(sentence)
            sentence = []
        sentence.append(token)
    if sentence:
        source.sentences.append(sentence)


def _begins_item(token: Token, tokens: list[Token | None], index: int, sentence: list[Token]) -> bool:
    """Return whether a number at the start of a line is the level of a new item."""
    if not token.first or token.literal or not _LEVEL.fullmatch(token.text) or not _is_level(sentence[0]):
        return False
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    if following is None or following.literal or not re.match("[A-Za-z0-9-]*[A-Za-z]", following.text):
        return False
    return following.word not in ("THRU", "THROUGH", "TIMES", "TO", "DEPENDING", "INDEXED", "ASCENDING", "DESCENDING")


def _is_level(token: Token) -> bool:
    return not token.literal and _LEVEL.fullmatch(token.text) is not None
