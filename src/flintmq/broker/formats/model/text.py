"""Delimiters: matching, the markup in scope, the scanner, and escapes.

Delimiters are matched as bytes, in the character set of the message. A `Mark` is one property of a schema (the
separator of a sequence, the initiator of an element) with its alternatives. A `Scope` is all markup that can end a
field at some place of the model: the terminator of the field, then the separators and terminators of the terms that
enclose it. A scope with one more mark is another scope, which is made once and kept: after the first messages, no scope
is made any more, so the set of delimiters at each place of a model is compiled exactly once.

    search   the first place where any markup of the scope matches: one pass of one regular expression, so a field costs
             time in proportion to its length, whatever the number of delimiters. Where all markup is a few literals,
             the reader asks `Finder` instead, which remembers where each literal comes next: `bytes.find` goes over
             the message once per literal, and most fields cost no search at all
    matches  the length of one mark at a place, unless other markup in scope matches there with more characters: the
             longest match wins. Which marks can be longer than which is found once per scope

Regular expressions are built so that they never backtrack over data: the only repetition is white space, which is
entered only where a run of white space begins.

A character set with more than one byte per character is searched as bytes, too. A match must begin where a character
begins: UTF-8 cannot match elsewhere, UTF-16 and UTF-32 are checked by offset, others (Shift JIS and the like) by
decoding the bytes before.

The module is compiled by mypyc. It never raises for data; it does for delimiters that begin with an escape character.
"""

from __future__ import annotations

import re
from typing import Final, final

from flintmq.broker.formats.model.schema import CharacterClass, Delimiter, EscapeKind, EscapeScheme

#: Characters of %NL; and %WSP;.
NEW_LINES: Final = ("\r\n", "\n", "\r", "\x85", "\u2028")
_SPACES: Final = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u180e\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029"
    "\u202f\u205f\u3000"
)

#: How characters are laid out in bytes.
SINGLE: Final = 1
UTF8: Final = 2
WIDE: Final = 3
MIXED: Final = 4


@final
class Charset:
    """A character set: the codec and facts for scanning."""

    def __init__(self, codec: str, kind: int, unit: int, ebcdic: bool) -> None:
        self.codec: str = codec
        #: SINGLE, UTF8, WIDE (fixed units of `unit` bytes) or MIXED.
        self.kind: int = kind
        #: Bytes of the smallest character.
        self.unit: int = unit
        self.ebcdic: bool = ebcdic
        self.spaces: list[bytes] = []
        for character in _SPACES:
            encoded = self.encode_or_empty(character)
            if encoded:
                self.spaces.append(encoded)
        self.new_lines: list[bytes] = []
        for text in NEW_LINES:
            encoded = self.encode_or_empty(text)
            if encoded:
                self.new_lines.append(encoded)

    def encode_or_empty(self, text: str) -> bytes:
        """Return the bytes of a text, b'' if the set does not have it."""
        try:
            return text.encode(self.codec)
        except UnicodeError:
            return b""


@final
class Mark:
    """One property of delimiters, ready to match."""

    def __init__(self, index: int, charset: Charset) -> None:
        #: Unique in a plan; scopes are found by it.
        self.index: int = index
        self.charset: Charset = charset
        #: Literal alternatives, longest first.
        self.literals: list[bytes] = []
        #: Alternatives with character classes or without regard to case, and the same for searching.
        self.patterns: list[re.Pattern[bytes]] = []
        self.sources: list[bytes] = []
        #: What a writer writes.
        self.output: bytes = b""
        #: For messages.
        self.text: str = ""
        #: Whether an alternative matches nothing at all: %WSP*; or %ES;.
        self.may_be_empty: bool = False
        #: The only byte of the only literal, -1 if there is more.
        self.byte: int = -1

    def match(self, data: bytes, pos: int, end: int) -> int:
        """Return the length of the longest alternative at a place, -1 if there is none."""
        if self.byte >= 0:
            return 1 if pos < end and data[pos] == self.byte else -1
        longest = -1
        for literal in self.literals:
            if data.startswith(literal, pos, end):
                longest = len(literal)
                break
        for pattern in self.patterns:
            found = pattern.match(data, pos, end)
            if found is not None and found.end() - pos > longest:
                longest = found.end() - pos
        return longest

    def could_exceed(self, other: Mark) -> bool:
        """Return whether this mark may match more than `other` does at the same place."""
        if self.patterns or other.patterns:
            return True
        for mine in self.literals:
            for theirs in other.literals:
                if len(mine) > len(theirs) and mine.startswith(theirs):
                    return True
        return False


@final
class Escape:
    """An escape scheme in the character set of a message."""

    def __init__(self, index: int, kind: EscapeKind, charset: Charset) -> None:
        self.index: int = index
        self.charset: Charset = charset
        self.by_character: bool = kind is not EscapeKind.BLOCK
        self.by_block: bool = kind is not EscapeKind.CHARACTER
        self.escape: bytes = b""
        self.escape_escape: bytes = b""
        self.start: bytes = b""
        self.end: bytes = b""
        self.extra: list[bytes] = []
        self.always: bool = False


@final
class Finder:
    """Where literals come next in one message."""

    def __init__(self, data: bytes) -> None:
        self.data: bytes = data
        self.size: int = len(data)
        #: By literal: from where it was looked for, and where it was found; the size of the data if nowhere.
        self.origins: list[int] = []
        self.places: list[int] = []

    def search(self, scope: Scope, pos: int, end: int) -> int:
        """Return the first place where a literal of a scope stands, -1 if there is none before `end`."""
        best = end
        literals = scope.literals
        numbers = scope.numbers
        for at in range(len(literals)):
            number = numbers[at]
            while number >= len(self.places):
                self.origins.append(self.size + 1)
                self.places.append(-1)
            place = self.places[number]
            origin = self.origins[number]
            if place < pos:
                place = self.data.find(literals[at], pos)
                if place < 0:
                    place = self.size
                self.origins[number] = pos
                self.places[number] = place
            elif pos < origin:
                # The reader went back: only what lies between was not searched before.
                earlier = self.data.find(literals[at], pos, origin + len(literals[at]) - 1)
                if earlier >= 0:
                    place = earlier
                    self.places[number] = place
                self.origins[number] = pos
            if place < best and place + len(literals[at]) <= end:
                best = place
        return best if best < end else -1


#: Scopes with more distinct literals than this are searched by regular expression.
_LITERALS_MAX: Final = 6


@final
class Scope:
    """The markup that ends a field at one place of a model."""

    def __init__(self, marks: list[Mark], charset: Charset, known: dict[bytes, int] | None = None) -> None:
        self.marks: list[Mark] = marks
        self.charset: Charset = charset
        #: Numbers of all literals of a plan, for Finder; scopes made from this one share it.
        self.known: dict[bytes, int] = {} if known is None else known
        self._larger: dict[int, Scope] = {}
        self._rivals: dict[int, list[Mark]] = {}
        self._escaped: dict[int, re.Pattern[bytes]] = {}
        #: The only literal, if there is just one: `bytes.find` is the fastest search.
        self.single: bytes = b""
        self.regex: re.Pattern[bytes] | None = None
        self.patterned: bool = False
        literals: list[bytes] = []
        sources: list[bytes] = []
        for mark in marks:
            literals.extend(mark.literals)
            sources.extend(mark.sources)
        self.literals: list[bytes] = sorted(set(literals))
        self.numbers: list[int] = []
        for literal in self.literals:
            self.numbers.append(self.known.setdefault(literal, len(self.known)))
        #: Whether Finder serves this scope.
        self.plain: bool = not sources and len(self.literals) <= _LITERALS_MAX and charset.kind < WIDE
        self.source: bytes = b""
        if sources or len(literals) > 1:
            literals.sort(key=len, reverse=True)
            self.source = b"|".join([re.escape(literal) for literal in literals] + sources)
            self.regex = re.compile(self.source, re.DOTALL)
            self.patterned = bool(sources)
        elif literals:
            self.single = literals[0]
            self.source = re.escape(literals[0])

    def extended(self, mark: Mark | None) -> Scope:
        """Return the scope with one more mark inside."""
        if mark is None:
            return self
        found = self._larger.get(mark.index)
        if found is None:
            if len(self._larger) > 1000:
                # Only delimiters that are computed for each message can get here.
                self._larger.clear()
            found = Scope([mark, *self.marks], self.charset, self.known)
            self._larger[mark.index] = found
        return found

    def search(self, data: bytes, pos: int, end: int) -> int:
        """Return the first place where markup matches, -1 if there is none before `end`."""
        if self.single:
            if self.charset.kind < WIDE:
                return data.find(self.single, pos, end)
            return self._search_wide(data, pos, end)
        regex = self.regex
        if regex is None:
            return -1
        if self.patterned and self.at(data, pos, end) > 0:
            # A pattern that starts with white space is found only where a run of it begins: that may be before `pos`.
            return pos
        if self.charset.kind >= WIDE:
            return self._search_wide(data, pos, end)
        found = regex.search(data, pos, end)
        return -1 if found is None else found.start()

    def _search_wide(self, data: bytes, pos: int, end: int) -> int:
        """Search in a character set with characters longer than a byte."""
        at = pos
        while True:
            if self.single:
                at = data.find(self.single, at, end)
            else:
                regex = self.regex
                found = None if regex is None else regex.search(data, at, end)
                at = -1 if found is None else found.start()
            if at < 0 or self._starts_character(data, pos, at):
                return at
            at += 1

    def _starts_character(self, data: bytes, pos: int, at: int) -> bool:
        """Return whether a character begins at `at`, given that one begins at `pos`."""
        if self.charset.kind == WIDE:
            return (at - pos) % self.charset.unit == 0
        try:
            data[pos:at].decode(self.charset.codec)
        except UnicodeError:
            return False
        return True

    def at(self, data: bytes, pos: int, end: int) -> int:
        """Return the length of the longest markup at a place, -1 if there is none."""
        longest = -1
        for mark in self.marks:
            length = mark.match(data, pos, end)
            if length > longest:
                longest = length
        return longest

    def matches(self, mark: Mark, data: bytes, pos: int, end: int) -> int:
        """Return the length of `mark` at a place; -1 if it is not there, or longer markup is."""
        length = mark.match(data, pos, end)
        if length < 0:
            return -1
        rivals = self._rivals.get(mark.index)
        if rivals is None:
            rivals = [other for other in self.marks if other is not mark and other.could_exceed(mark)]
            self._rivals[mark.index] = rivals
        for rival in rivals:
            if rival.match(data, pos, end) > length:
                return -1
        return length

    def _check_escape(self, escape: Escape) -> None:
        """Raise ValueError if a delimiter begins with an escape character: then neither could be told."""
        if not escape.by_character:
            return
        for text in (escape.escape, escape.escape_escape):
            for mark in self.marks:
                for literal in mark.literals:
                    if text and literal.startswith(text):
                        raise ValueError(f"the delimiter '{mark.text}' begins with an escape character")

    def escaped_regex(self, escape: Escape) -> re.Pattern[bytes]:
        """Return a regular expression that finds markup or the start of an escape. Raises ValueError."""
        found = self._escaped.get(escape.index)
        if found is None:
            self._check_escape(escape)
            starts = [re.escape(text) for text in (escape.escape, escape.escape_escape) if text]
            if self.source:
                starts.append(self.source)
            found = re.compile(b"|".join(starts) if starts else b"(?!)", re.DOTALL)
            if len(self._escaped) > 100:
                self._escaped.clear()
            self._escaped[escape.index] = found
        return found


def make_mark(
    index: int, delimiters: tuple[Delimiter, ...], charset: Charset, ignore_case: bool, new_line: str
) -> Mark:
    """Return the mark of delimiters in a character set. Raises ValueError if a character is not in the set."""
    mark = Mark(index, charset)
    mark.text = " ".join([str(delimiter) for delimiter in delimiters])
    for number in range(len(delimiters)):
        delimiter = delimiters[number]
        literal = _literal(delimiter, charset)
        if number == 0:
            mark.output = _output(delimiter, charset, new_line)
        if literal is not None and not (ignore_case and _has_case(delimiter)):
            if literal:
                mark.literals.append(literal)
            else:
                mark.may_be_empty = True
                mark.patterns.append(re.compile(b""))
            continue
        source, searched = _source(delimiter, charset, ignore_case)
        pattern = re.compile(source, re.DOTALL)
        mark.patterns.append(pattern)
        if pattern.match(b"") is None:
            mark.sources.append(searched)
        else:
            # What matches nothing ends no field.
            mark.may_be_empty = True
            if CharacterClass.WHITE_SPACE_ANY in delimiter.parts:
                some = Delimiter(
                    tuple(
                        [
                            CharacterClass.WHITE_SPACE_SOME if part is CharacterClass.WHITE_SPACE_ANY else part
                            for part in delimiter.parts
                        ]
                    )
                )
                mark.sources.append(_source(some, charset, ignore_case)[1])
    mark.literals.sort(key=len, reverse=True)
    if len(mark.literals) == 1 and len(mark.literals[0]) == 1 and not mark.patterns:
        mark.byte = mark.literals[0][0]
    return mark


def make_escape(index: int, scheme: EscapeScheme, values: tuple[str, str], charset: Charset) -> Escape:
    """Return an escape scheme in a character set; `values` are its escape and escape escape characters."""
    made = Escape(index, scheme.kind, charset)
    if made.by_character:
        made.escape = values[0].encode(charset.codec)
    made.escape_escape = values[1].encode(charset.codec)
    if made.by_block:
        made.start = scheme.block_start.encode(charset.codec)
        made.end = scheme.block_end.encode(charset.codec)
    made.extra = [text.encode(charset.codec) for text in scheme.extra_escaped if text]
    made.always = scheme.generate_always
    return made


def _literal(delimiter: Delimiter, charset: Charset) -> bytes | None:
    """Return the bytes of a delimiter without character classes; None if it has any but %ES;."""
    result = b""
    for part in delimiter.parts:
        if isinstance(part, CharacterClass):
            if part is not CharacterClass.EMPTY:
                return None
        elif isinstance(part, bytes):
            result += part
        else:
            result += part.encode(charset.codec)
    return result


def _has_case(delimiter: Delimiter) -> bool:
    for part in delimiter.parts:
        if isinstance(part, str) and not isinstance(part, CharacterClass) and part.lower() != part.upper():
            return True
    return False


def _output(delimiter: Delimiter, charset: Charset, new_line: str) -> bytes:
    """Return the output for a delimiter."""
    result = b""
    for part in delimiter.parts:
        if isinstance(part, CharacterClass):
            if part is CharacterClass.NEW_LINE:
                result += new_line.encode(charset.codec)
            elif part is CharacterClass.WHITE_SPACE or part is CharacterClass.WHITE_SPACE_SOME:
                result += " ".encode(charset.codec)
        elif isinstance(part, bytes):
            result += part
        else:
            result += part.encode(charset.codec)
    return result


def _alternatives(texts: list[bytes]) -> bytes:
    """Return a regular expression for one of these byte strings, longest first."""
    singles = [text for text in texts if len(text) == 1]
    longer = sorted([text for text in texts if len(text) > 1], key=len, reverse=True)
    sources = [re.escape(text) for text in longer]
    if singles:
        sources.append(b"[" + b"".join([re.escape(text) for text in singles]) + b"]")
    return b"(?:" + b"|".join(sources) + b")" if sources else b"(?!)"


def _not_behind(texts: list[bytes]) -> bytes:
    """Return look-behinds that refuse a place behind one of these byte strings."""
    result = b""
    for size in (1, 2, 3, 4):
        chosen = [text for text in texts if len(text) == size]
        if chosen:
            result += b"(?<!" + b"|".join([re.escape(text) for text in chosen]) + b")"
    return result


def _source(delimiter: Delimiter, charset: Charset, ignore_case: bool) -> tuple[bytes, bytes]:
    """Return regular expressions for a delimiter: to match at a place, and to search."""
    spaces = _alternatives(charset.spaces)
    parts: list[bytes] = []
    previous: object = None
    for part in delimiter.parts:
        if isinstance(part, CharacterClass):
            if part is CharacterClass.NEW_LINE:
                parts.append(_alternatives(charset.new_lines))
            elif part is CharacterClass.WHITE_SPACE:
                parts.append(spaces)
            elif part is CharacterClass.WHITE_SPACE_SOME:
                parts.append(spaces + b"+")
            elif part is CharacterClass.WHITE_SPACE_ANY and previous is not CharacterClass.WHITE_SPACE_ANY:
                parts.append(spaces + b"*")
        elif isinstance(part, bytes):
            parts.append(re.escape(part))
        else:
            for character in part:
                choices = {character}
                if ignore_case:
                    choices.update((character.lower(), character.upper()))
                parts.append(_alternatives(sorted([choice.encode(charset.codec) for choice in choices])))
        previous = part
    source = b"".join(parts)
    first = delimiter.parts[0] if delimiter.parts else None
    if first is CharacterClass.WHITE_SPACE_ANY or first is CharacterClass.WHITE_SPACE_SOME:
        return source, _not_behind(charset.spaces) + source
    return source, source


def read_escaped(scope: Scope, escape: Escape, data: bytes, pos: int, end: int) -> tuple[int, bytes]:
    """Read a field with escape characters: return where it ends and its bytes without escapes."""
    regex = scope.escaped_regex(escape)
    mark = escape.escape
    double = escape.escape_escape
    unit = escape.charset
    chunks: list[bytes] = []
    start = pos
    at = pos
    while True:
        found = regex.search(data, at, end)
        if found is None:
            chunks.append(data[start:end])
            return end, b"".join(chunks)
        at = found.start()
        if unit.kind >= WIDE and not scope._starts_character(data, pos, at):
            at += 1
            continue
        if double and data.startswith(double, at, end) and data.startswith(mark, at + len(double), end):
            # Escape escape and escape: an escape character that is data.
            chunks.append(data[start:at])
            chunks.append(mark)
            at += len(double) + len(mark)
            start = at
        elif mark and data.startswith(mark, at, end):
            chunks.append(data[start:at])
            start = at + len(mark)
            # The escaped character, or the whole delimiter that begins there.
            length = max(scope.at(data, start, end), character_length(data, start, end, unit))
            if length <= 0:
                # An escape character at the very end escapes nothing.
                return end, b"".join(chunks)
            at = start + length
        elif scope.at(data, at, end) > 0:
            chunks.append(data[start:at])
            return at, b"".join(chunks)
        else:
            # An escape escape character without an escape character is data.
            at += max(character_length(data, at, end, unit), 1)


def read_block(scope: Scope, escape: Escape, data: bytes, pos: int, end: int, pad: bytes) -> tuple[int, bytes]:
    """Read a field that starts with a block start at `pos`: return where it ends and its bytes; -1 if it is malformed.

    Padding may follow the end of the block. An end that no markup follows is data.
    """
    chunks: list[bytes] = []
    at = pos + len(escape.start)
    start = at
    closing = escape.end
    double = escape.escape_escape
    found = -2
    other = -2
    while True:
        # Each of the two is looked for again only behind what was read: the search stays linear.
        if found != -1 and found < at:
            found = data.find(closing, at, end)
        if double:
            if double == closing:
                other = found
            elif other != -1 and other < at:
                other = data.find(double, at, end)
            if 0 <= other <= (found if found >= 0 else end):
                if data.startswith(closing, other + len(double), end):
                    chunks.append(data[start:other])
                    chunks.append(closing)
                    at = other + len(double) + len(closing)
                    start = at
                    continue
                if double != closing:
                    # An escape escape character before anything else is data.
                    at = other + len(double)
                    continue
        if found < 0:
            return -1, b""
        behind = found + len(closing)
        if pad:
            while data.startswith(pad, behind, end):
                behind += len(pad)
        if behind >= end or scope.at(data, behind, end) > 0:
            chunks.append(data[start:found])
            return behind, b"".join(chunks)
        at = found + len(closing)


def character_length(data: bytes, pos: int, end: int, charset: Charset) -> int:
    """Return the bytes of the character at a place; 0 at the end."""
    if pos >= end:
        return 0
    kind = charset.kind
    if kind == SINGLE:
        return 1
    if kind == WIDE:
        return min(charset.unit, end - pos)
    if kind == UTF8:
        lead = data[pos]
        size = 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
        at = 1
        while at < size and pos + at < end and data[pos + at] & 0xC0 == 0x80:
            at += 1
        # A sequence that is cut short is one character that is no character.
        return at
    for size in (1, 2, 3, 4):
        try:
            data[pos : pos + size].decode(charset.codec)
        except UnicodeError:
            continue
        return min(size, end - pos)
    return 1


def characters_span(data: bytes, pos: int, end: int, count: int, charset: Charset) -> int:
    """Return where `count` characters from `pos` end; -1 if there are fewer."""
    kind = charset.kind
    if kind == SINGLE:
        return pos + count if pos + count <= end else -1
    if kind == WIDE:
        stop = pos + count * charset.unit
        return stop if stop <= end else -1
    at = pos
    while count > 0:
        size = character_length(data, at, end, charset)
        if size <= 0:
            return -1
        at += size
        count -= 1
    return at


def escape_text(text: bytes, scope: Scope, escape: Escape) -> bytes:
    """Return the bytes of a field, escaped where it needs that, for a writer. Raises ValueError."""
    if escape.by_block and (not escape.by_character or not escape.escape):
        needed = escape.always or _needs_escape(text, scope, escape)
        needed = needed or text.startswith(escape.start) or escape.end in text
        if not needed:
            return text
        if escape.escape_escape:
            if escape.escape_escape != escape.end:
                text = text.replace(escape.end, escape.escape_escape + escape.end)
            else:
                text = text.replace(escape.end, escape.end + escape.end)
        return escape.start + text + escape.end
    if escape.by_block and (escape.always or _needs_escape(text, scope, escape)):
        if escape.end not in text:
            return escape.start + text + escape.end
    return _with_characters(text, scope, escape)


def _needs_escape(text: bytes, scope: Scope, escape: Escape) -> bool:
    """Return whether a field has markup in it."""
    if scope.search(text, 0, len(text)) >= 0:
        return True
    for extra in escape.extra:
        if extra in text:
            return True
    return False


def _with_characters(text: bytes, scope: Scope, escape: Escape) -> bytes:
    """Return a field with an escape character before each delimiter in it."""
    mark = escape.escape
    double = escape.escape_escape
    if scope.escaped_regex(escape).search(text) is None and not escape.extra:
        return text
    result: list[bytes] = []
    at = 0
    end = len(text)
    while at < end:
        if mark and text.startswith(mark, at, end):
            # An escape character that is data.
            result.append((double or mark) + mark)
            at += len(mark)
            continue
        length = scope.at(text, at, end)
        for extra in escape.extra:
            if text.startswith(extra, at, end) and len(extra) > length:
                length = len(extra)
        if length > 0:
            result.append(mark + text[at : at + length])
            at += length
            continue
        size = max(character_length(text, at, end, escape.charset), 1)
        result.append(text[at : at + size])
        at += size
    return b"".join(result)
