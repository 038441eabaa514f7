"""Data description entries of COBOL: from sentences to a tree of items with offsets and sizes.

    usage                              bytes of n digits
    DISPLAY                            n, and one more for a separate sign
    COMP, COMP-4, BINARY, COMP-5       2 up to 4 digits, 4 up to 9, 8 up to 18, then as many as two's complement needs
    COMP-0, COMP-9                     Cobrix: as COMP; little-endian, 1 byte up to 2 digits
    COMP-X                             Micro Focus: as few bytes as the digits need; PIC X(n) n bytes
    COMP-3, PACKED-DECIMAL             n // 2 + 1
    COMP-3U, COMP-6 without sign       (n + 1) // 2: no sign nibble
    COMP-1, COMP-2                     4, 8
    INDEX, POINTER and the like        4, or 8 with 64-bit addresses
    NATIONAL, DISPLAY-1                2 for each position

USAGE and SIGN of a group apply to the items in it. SYNC aligns binary numbers to 2 or 4 bytes, COMP-1 to 4, COMP-2 to
8, from the start of the record; a repeated group with aligned items is filled so that the next occurrence is aligned.
REDEFINES starts where the redefined item starts; the next item starts behind the longer of the two. Items with OCCURS
DEPENDING ON take their largest number of occurrences in offsets.

A clause that is not known is noted and skipped. A copybook without a single item is an error (`parse_items`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from flintmq.broker.formats.copybook_picture import Category, Picture, parse_picture
from flintmq.broker.formats.copybook_source import Source, Token, read_source
from flintmq.broker.formats.message_set import definition_error

ITEMS_MAX: Final = 100_000
OCCURS_MAX: Final = 10_000_000
SIZE_MAX: Final = 1 << 31

#: Usages by their words, without the `USAGE IS` before them.
USAGES: Final[dict[str, str]] = {
    "DISPLAY": "display",
    "DISPLAY-1": "display-1",
    "NATIONAL": "national",
    "UTF-8": "display",
    "COMP": "computational",
    "COMPUTATIONAL": "computational",
    "BINARY": "computational",
    "COMP-0": "computational-0",
    "COMPUTATIONAL-0": "computational-0",
    "PACKED-DECIMAL": "computational-3",
    "INDEX": "index",
    "POINTER": "pointer",
    "POINTER-32": "pointer-32",
    "PROCEDURE-POINTER": "procedure-pointer",
    "FUNCTION-POINTER": "function-pointer",
    "BINARY-CHAR": "binary-char",
    "BINARY-SHORT": "binary-short",
    "BINARY-LONG": "binary-long",
    "BINARY-DOUBLE": "binary-double",
    "FLOAT-SHORT": "computational-1",
    "FLOAT-LONG": "computational-2",
}
for _suffix in ("1", "2", "3", "3U", "4", "5", "6", "9", "N", "X"):
    USAGES[f"COMP-{_suffix}"] = USAGES[f"COMPUTATIONAL-{_suffix}"] = f"computational-{_suffix.lower()}"
#: Usages that are two's complement numbers.
BINARY: Final = frozenset(
    ("computational", "computational-0", "computational-4", "computational-5", "computational-9", "computational-n")
)
PACKED: Final = frozenset(("computational-3", "computational-3u", "computational-6"))
#: Usages with a size of their own, in bytes.
_SIZED: Final = {
    "binary-char": 1,
    "binary-short": 2,
    "binary-long": 4,
    "binary-double": 8,
    "computational-1": 4,
    "computational-2": 8,
    "index": 4,
    "pointer-32": 4,
    "procedure-pointer": 8,
}
_FIGURATIVE: Final = frozenset(
    "SPACE SPACES ZERO ZEROS ZEROES LOW-VALUE LOW-VALUES HIGH-VALUE HIGH-VALUES QUOTE QUOTES NULL NULLS".split()
)
_LEVEL: Final = re.compile(r"\d{1,2}")
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)")
#: Words that begin a clause, so the value list of a VALUE clause ends before them.
_CLAUSES: Final = frozenset(
    (
        "PIC PICTURE USAGE OCCURS REDEFINES VALUE VALUES SYNC SYNCHRONIZED JUST JUSTIFIED BLANK SIGN INDEXED DEPENDING"
        " ASCENDING DESCENDING GLOBAL EXTERNAL DATE GROUP-USAGE VOLATILE LEADING TRAILING SEPARATE SIGNED UNSIGNED"
    ).split()
) | frozenset(USAGES)
_IGNORED: Final = frozenset("GLOBAL EXTERNAL VOLATILE IS ARE UNBOUNDED CHARACTER DYNAMIC BASED TYPEDEF STRONG".split())
#: Statements that stand between items and are no error.
_STATEMENTS: Final = frozenset(
    (
        "EJECT SKIP1 SKIP2 SKIP3 TITLE FD SD RD SELECT CBL PROCESS IDENTIFICATION ID ENVIRONMENT DATA FILE"
        " WORKING-STORAGE LOCAL-STORAGE LINKAGE CONFIGURATION INPUT-OUTPUT PROGRAM-ID EXEC REPLACE"
    ).split()
)


@dataclass(slots=True)
class Condition:
    """A condition name (level 88): values and ranges that make it true."""

    name: str
    values: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Item:
    """A data description entry."""

    level: int
    name: str = ""
    line: int = 0
    picture: Picture | None = None
    #: As written on the item itself, and with what groups around it say.
    own_usage: str = ""
    usage: str = ""
    #: True = leading; None = no SIGN clause applies.
    sign_leading: bool | None = None
    sign_separate: bool = False
    occurs: bool = False
    occurs_min: int = 1
    occurs_max: int = 1
    depending: str = ""
    redefines: str = ""
    sync: bool = False
    justified: bool = False
    blank_when_zero: bool = False
    unsigned: bool = False
    #: The initial value: a text, or the name of a figurative constant if `figurative`.
    value: str | None = None
    figurative: bool = False
    value_prefix: str = ""
    conditions: list[Condition] = field(default_factory=list)
    children: list[Item] = field(default_factory=list)
    #: From the start of the record, in bytes; of one occurrence.
    offset: int = 0
    size: int = 0
    alignment: int = 1
    #: Slack bytes before the item, and behind each occurrence of a group.
    slack: int = 0
    filling: int = 0

    @property
    def is_filler(self) -> bool:
        return not self.name or self.name.upper() == "FILLER"

    @property
    def total(self) -> int:
        """Bytes of all occurrences."""
        return self.size * self.occurs_max

    def path_name(self) -> str:
        return self.name or "FILLER"


@dataclass(slots=True)
class Copybook:
    """The items of a copybook by records."""

    records: list[Item] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def parse_items(text: str, form: str = "auto", pointer_size: int = 4, decimal_comma: bool = False) -> Copybook:
    """Return the records of a copybook, laid out. Raises a ParserException if it has no item, or one is not valid."""
    source = read_source(text, form)
    copybook = Copybook(notes=source.notes)
    items = _Parser(source, decimal_comma).items()
    if not items:
        raise definition_error("the copybook has no data description entry")
    copybook.records = _nested(items, source)
    for record in copybook.records:
        _inherit(record, "", None, False)
    _lay_out_records(copybook.records, pointer_size, source)
    return copybook


# Clauses.


class _Parser:
    """Turns sentences into items, one after the other."""

    def __init__(self, source: Source, decimal_comma: bool) -> None:
        self.source = source
        self.decimal_comma = decimal_comma
        self.tokens: list[Token] = []
        self.at = 0
        self.constants: dict[str, int] = {}

    def items(self) -> list[Item]:
        found: list[Item] = []
        for sentence in self.source.sentences:
            first = sentence[0]
            if first.literal or not _LEVEL.fullmatch(first.text):
                if first.word == "PROCEDURE":
                    break
                self._other(sentence)
                continue
            self.tokens = sentence
            self.at = 1
            level = int(first.text)
            if level == 88:
                self._condition(found)
            elif level == 66:
                self.source.note(first.line, "level 66 (RENAMES) is not imported")
            elif level == 78:
                self._constant()
            elif 1 <= level <= 49 or level == 77:
                found.append(self._item(level))
                if len(found) > ITEMS_MAX:
                    raise definition_error(f"the copybook has more than {ITEMS_MAX} items", line=first.line)
            else:
                self.source.note(first.line, f"there is no level {level}")
        return found

    def _other(self, sentence: list[Token]) -> None:
        word = sentence[0].word
        if word == "COPY":
            name = sentence[1].text if len(sentence) > 1 else ""
            self.source.note(sentence[0].line, f"COPY {name} is not expanded")
        elif word not in _STATEMENTS:
            self.source.note(sentence[0].line, f"'{sentence[0].text[:40]}' starts no data description entry")

    # Tokens.

    def peek(self, ahead: int = 0) -> Token | None:
        index = self.at + ahead
        return self.tokens[index] if index < len(self.tokens) else None

    def word(self) -> str:
        token = self.peek()
        return "" if token is None else token.word

    def take(self) -> Token | None:
        token = self.peek()
        self.at += 1
        return token

    def skip(self, *words: str) -> bool:
        """Move over the next word if it is one of these."""
        if self.word() in words and self.peek() is not None:
            self.at += 1
            return True
        return False

    # Entries.

    def _item(self, level: int) -> Item:
        item = Item(level, line=self.tokens[0].line)
        token = self.peek()
        if token is not None and not token.literal and token.word not in _CLAUSES:
            item.name = token.text
            self.at += 1
        while self.peek() is not None:
            self._clause(item)
        return item

    def _clause(self, item: Item) -> None:
        token = self.take()
        assert token is not None
        word = token.word
        read = _CLAUSE_READERS.get(word)
        if read is not None:
            read(self, item, token)
        elif word in USAGES:
            item.own_usage = USAGES[word]
        elif word in _IGNORED or word == "SIGNED":
            pass
        elif token.literal:
            self.source.note(token.line, f"a literal in the entry of {item.path_name()} belongs to no clause")
        else:
            self.source.note(token.line, f"'{token.text[:40]}' in the entry of {item.path_name()} is not known")

    def _picture_clause(self, item: Item, token: Token) -> None:
        self.skip("IS")
        self._picture(item, token.line)

    def _occurs_clause(self, item: Item, token: Token) -> None:
        self._occurs(item, token.line)

    def _redefines_clause(self, item: Item, token: Token) -> None:
        target = self.take()
        item.redefines = target.text if target is not None else ""
        if not item.redefines:
            raise definition_error(f"REDEFINES of {item.path_name()} names no item", line=token.line)

    def _value_clause(self, item: Item, token: Token) -> None:
        self.skip("IS", "ARE")
        self._value(item)

    def _sync_clause(self, item: Item, token: Token) -> None:
        item.sync = True
        self.skip("LEFT", "RIGHT")

    def _justified_clause(self, item: Item, token: Token) -> None:
        item.justified = True
        self.skip("RIGHT")

    def _blank_clause(self, item: Item, token: Token) -> None:
        self.skip("WHEN")
        self.skip("ZERO", "ZEROS", "ZEROES")
        item.blank_when_zero = True

    def _word_is(self, item: Item, token: Token) -> None:
        self.skip("IS")

    def _sign_clause(self, item: Item, token: Token) -> None:
        item.sign_leading = token.word == "LEADING"
        self._separate(item)

    def _separate_clause(self, item: Item, token: Token) -> None:
        item.sign_separate = True
        self.skip("CHARACTER")

    def _unsigned_clause(self, item: Item, token: Token) -> None:
        item.unsigned = True

    def _keys_clause(self, item: Item, token: Token) -> None:
        self._names()

    def _group_usage_clause(self, item: Item, token: Token) -> None:
        self.skip("IS")
        self.skip("NATIONAL")

    def _object_clause(self, item: Item, token: Token) -> None:
        self.skip("REFERENCE")
        item.own_usage = "pointer"

    def _date_clause(self, item: Item, token: Token) -> None:
        self.skip("FORMAT")
        self.skip("IS")
        self.take()

    def _separate(self, item: Item) -> None:
        if self.skip("SEPARATE"):
            item.sign_separate = True
            self.skip("CHARACTER")

    def _picture(self, item: Item, line: int) -> None:
        token = self.take()
        if token is None or token.literal:
            raise definition_error(f"{item.path_name()} has an empty picture", line=line)
        try:
            item.picture = parse_picture(token.text, self.decimal_comma)
        except ValueError as error:
            raise definition_error(f"{item.path_name()}: {error}", line=token.line) from None

    def _number(self, line: int, what: str) -> int:
        token = self.take()
        text = "" if token is None else token.text
        if text.isascii() and text.isdigit() and len(text) <= 9:
            number = int(text)
        elif token is not None and token.word in self.constants:
            number = self.constants[token.word]
        else:
            raise definition_error(f"{what} is '{text[:40]}', not a number", line=line)
        if number > OCCURS_MAX:
            raise definition_error(f"{what} is {number}, more than {OCCURS_MAX}", line=line)
        return number

    def _occurs(self, item: Item, line: int) -> None:
        what = f"OCCURS of {item.path_name()}"
        item.occurs = True
        if self.skip("UNBOUNDED"):
            raise definition_error(f"{what} is unbounded, which is not supported", line=line)
        least = self._number(line, what)
        most = least
        if self.skip("TO"):
            if self.word() == "UNBOUNDED":
                raise definition_error(f"{what} is unbounded, which is not supported", line=line)
            most = self._number(line, what)
        self.skip("TIMES")
        if most < least or most < 1:
            raise definition_error(f"{what} is {least} to {most}", line=line)
        item.occurs_min, item.occurs_max = least, most
        if self.skip("DEPENDING"):
            self.skip("ON")
            token = self.take()
            item.depending = "" if token is None or token.literal else token.text
            while self.word() in ("OF", "IN"):
                # A qualified name; the closest item of the name is taken anyway.
                self.at += 2
            if not item.depending:
                raise definition_error(f"{what} depends on no item", line=line)
            if least == most:
                item.occurs_min = 0

    def _names(self) -> None:
        """Move over the names of an INDEXED BY or KEY clause."""
        self.skip("KEY")
        self.skip("IS", "BY")
        self.skip("IS")
        while True:
            token = self.peek()
            if token is None or token.literal or token.word in _CLAUSES or token.word == "OCCURS":
                return
            self.at += 1

    def _value(self, item: Item) -> None:
        """Read the initial value of an item."""
        self.skip("ALL")
        token = self.peek()
        if token is None:
            return
        self.at += 1
        if token.literal:
            item.value = token.text
            item.value_prefix = token.prefix
            while self.skip("&"):
                more = self.take()
                if more is not None:
                    item.value += more.text
        elif token.word in _FIGURATIVE:
            item.value = token.word
            item.figurative = True
        else:
            item.value = token.text

    def _condition(self, items: list[Item]) -> None:
        token = self.take()
        if token is None or not items:
            return
        condition = Condition(token.text)
        self.skip("VALUE", "VALUES")
        self.skip("IS", "ARE")
        while True:
            value = self.take()
            if value is None:
                break
            if value.word in ("WHEN", "SET", "FALSE"):
                break
            if value.word in ("THRU", "THROUGH"):
                upper = self.take()
                if upper is not None and condition.values:
                    condition.values[-1] = (condition.values[-1][0], upper.text)
            elif value.word not in ("ALL", "IS", "ARE", "VALUE", "VALUES"):
                condition.values.append((value.text, ""))
        items[-1].conditions.append(condition)

    def _constant(self) -> None:
        """Read a named constant (level 78): a number that OCCURS may use."""
        name = self.take()
        self.skip("VALUE")
        self.skip("IS")
        value = self.take()
        if name is None or value is None:
            return
        if not value.literal and value.text.isascii() and value.text.isdigit() and len(value.text) < 10:
            self.constants[name.word] = int(value.text)
        else:
            self.source.note(name.line, f"constant {name.text} is no number and not used")


#: By first word: the method that reads a clause of a data description entry.
_CLAUSE_READERS: Final[dict[str, Callable[[_Parser, Item, Token], None]]] = {
    **dict.fromkeys(("PIC", "PICTURE"), _Parser._picture_clause),
    **dict.fromkeys(("USAGE", "SIGN"), _Parser._word_is),
    "OCCURS": _Parser._occurs_clause,
    "REDEFINES": _Parser._redefines_clause,
    **dict.fromkeys(("VALUE", "VALUES"), _Parser._value_clause),
    **dict.fromkeys(("SYNC", "SYNCHRONIZED"), _Parser._sync_clause),
    **dict.fromkeys(("JUST", "JUSTIFIED"), _Parser._justified_clause),
    "BLANK": _Parser._blank_clause,
    **dict.fromkeys(("LEADING", "TRAILING"), _Parser._sign_clause),
    "SEPARATE": _Parser._separate_clause,
    "UNSIGNED": _Parser._unsigned_clause,
    **dict.fromkeys(("INDEXED", "ASCENDING", "DESCENDING"), _Parser._keys_clause),
    "GROUP-USAGE": _Parser._group_usage_clause,
    "OBJECT": _Parser._object_clause,
    "DATE": _Parser._date_clause,
}


# Nesting and layout.


def _nested(items: list[Item], source: Source) -> list[Item]:
    """Return the records: items in the tree that their levels say."""
    records: list[Item] = []
    open_items: list[Item] = []
    for item in items:
        if item.level == 77:
            open_items = []
        while open_items and open_items[-1].level >= item.level:
            open_items.pop()
        if open_items:
            open_items[-1].children.append(item)
        else:
            records.append(item)
        if item.level != 77:
            open_items.append(item)
        if len(open_items) > 50:
            raise definition_error("items are nested deeper than levels allow", line=item.line)
    for item in items:
        if item.children and item.picture is not None:
            source.note(item.line, f"{item.path_name()} has a picture and items in it; the picture is not used")
            item.picture = None
    return records


def _inherit(item: Item, usage: str, leading: bool | None, separate: bool) -> None:
    """Give items the USAGE and SIGN of the groups around them."""
    item.usage = item.own_usage or usage
    if item.sign_leading is None:
        item.sign_leading = leading
        item.sign_separate = item.sign_separate or separate
    for child in item.children:
        _inherit(child, item.usage, item.sign_leading, item.sign_separate)


def elementary_size(item: Item, pointer_size: int) -> int:
    """Return the bytes of an elementary item. Raises a ParserException if it has neither picture nor size."""
    usage = item.usage
    picture = item.picture
    if usage in ("pointer", "function-pointer"):
        return pointer_size
    if usage in _SIZED:
        return _SIZED[usage]
    if picture is None:
        return 0
    if picture.category in (Category.NATIONAL, Category.DBCS) or usage in ("national", "display-1"):
        return 2 * (picture.size + _sign_size(item, picture))
    if picture.category is not Category.NUMERIC:
        return picture.size
    digits = picture.digits
    if usage == "computational-x":
        return max(1, math.ceil(math.log2(10) * digits / 8))
    if usage in BINARY:
        return 1 if usage == "computational-9" and digits <= 2 else _binary_size(digits)
    if usage == "computational-3" or usage == "computational-6" and picture.signed:
        return digits // 2 + 1
    if usage in PACKED:
        return (digits + 1) // 2
    return picture.size + _sign_size(item, picture)


def _binary_size(digits: int) -> int:
    """Return the bytes of a binary number with a picture of `digits` digits."""
    if digits <= 4:
        return 2
    if digits <= 9:
        return 4
    return 8 if digits <= 18 else math.ceil((math.log2(10) * digits + 1) / 8)


def _sign_size(item: Item, picture: Picture) -> int:
    return 1 if item.sign_separate and picture.category is Category.NUMERIC else 0


def natural_alignment(item: Item) -> int:
    """Return the alignment of an elementary item with SYNC."""
    usage = item.usage
    if usage in BINARY:
        return 2 if item.size <= 2 else 4
    if usage in ("computational-1", "index", "pointer", "pointer-32", "function-pointer"):
        return 4
    if usage in ("computational-2", "procedure-pointer"):
        return 8
    return 1


def _lay_out_records(records: list[Item], pointer_size: int, source: Source) -> None:
    """Set offsets and sizes of all records. Records of level 01 and 77 start at 0, others follow each other."""
    offset = 0
    for index, record in enumerate(records):
        if record.level in (1, 77):
            offset = 0
        if record.redefines and record.level not in (1, 77):
            offset = _redefined(record, records[:index], source).offset
        _lay_out(record, offset, pointer_size, source)
        behind = record.offset + record.total
        for other in records[: index + 1]:
            if other.level not in (1, 77):
                behind = max(behind, other.offset + other.total)
        offset = behind


def _redefined(item: Item, before: list[Item], source: Source) -> Item:
    """Return the item that another redefines: the closest of that name before it."""
    wanted = item.redefines.upper()
    for other in reversed(before):
        if other.name.upper() == wanted:
            return other
    raise definition_error(
        f"{item.path_name()} redefines {item.redefines}, which is no item before it in the same group", line=item.line
    )


def _lay_out(item: Item, offset: int, pointer_size: int, source: Source) -> None:
    """Set offset, size and alignment of an item and all below it."""
    item.offset = offset
    if not item.children:
        item.size = elementary_size(item, pointer_size)
        if item.picture is None and not item.size:
            source.note(item.line, f"{item.path_name()} has neither a picture nor items in it")
        if item.sync:
            item.alignment = natural_alignment(item)
            item.slack = -offset % item.alignment
            item.offset = offset + item.slack
        if item.total + item.offset > SIZE_MAX:
            raise definition_error(f"{item.path_name()} ends behind {SIZE_MAX} bytes", line=item.line)
        return
    position = offset
    end = offset
    alignment = 1
    for index, child in enumerate(item.children):
        start = position
        if child.redefines:
            start = _redefined(child, item.children[:index], source).offset
        if item.sync and not child.children:
            child.sync = True
        _lay_out(child, start, pointer_size, source)
        alignment = max(alignment, child.alignment)
        end = max(end, child.offset + child.total)
        position = end
    item.alignment = alignment
    item.size = end - offset
    if item.occurs_max > 1 and item.size % alignment:
        # The next occurrence must be aligned like the first.
        item.filling = -item.size % alignment
        item.size += item.filling
    if item.total + item.offset > SIZE_MAX:
        raise definition_error(f"{item.path_name()} ends behind {SIZE_MAX} bytes", line=item.line)
