"""The base of all parts of the ESQL parser: the current token, names, types, errors and limits.

The parser never goes back: each decision looks at the current token and at one or two after it. So its time is
proportional to the number of tokens.

Limits. `NESTING_MAX` bounds how deep constructs may stand inside each other, so that the parser, which is recursive,
and all that walk the tree after it stay below Python's recursion limit. `DEPTH_MAX` bounds the depth of the tree of one
expression: a chain such as `1 + 1 + 1 ...` nests nothing in the source but makes a tree that is deep on its left side.

Errors. A method that meets something unexpected raises the error that `failure()` returns; the statement or file level
catches it, keeps it and resumes (see `parser_statements.py`).
"""

from __future__ import annotations

from typing import Final

from flintmq.broker.esql import lexer
from flintmq.broker.esql.errors import EsqlSyntaxError
from flintmq.broker.esql.lexer import ERRORS_MAX, Source, Token
from flintmq.broker.esql.syntax import DAY_TIME_QUALIFIERS, YEAR_MONTH_QUALIFIERS, DataType, Expression, Name, Node

NESTING_MAX: Final = 100
DEPTH_MAX: Final = 200

#: Words that ESQL reserves: never the name of a variable unless quoted. Any word may name an element of a path.
RESERVED: Final = frozenset("ALL ASYMMETRIC BOTH CASE DISTINCT FROM ITEM LEADING NOT SYMMETRIC TRAILING WHEN".split())
_TYPES: Final = {
    "BIT": "BIT",
    "BLOB": "BLOB",
    "BOOLEAN": "BOOLEAN",
    "CHAR": "CHARACTER",
    "CHARACTER": "CHARACTER",
    "DATE": "DATE",
    "DECIMAL": "DECIMAL",
    "FLOAT": "FLOAT",
    "GMTTIME": "GMTTIME",
    "GMTTIMESTAMP": "GMTTIMESTAMP",
    "INT": "INTEGER",
    "INTEGER": "INTEGER",
    "INTERVAL": "INTERVAL",
    "LIST": "LIST",
    "REFERENCE": "REFERENCE",
    "ROW": "ROW",
    "TIME": "TIME",
    "TIMESTAMP": "TIMESTAMP",
}
_FIELDS: Final = frozenset(("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"))
_QUALIFIERS: Final = frozenset(YEAR_MONTH_QUALIFIERS + DAY_TIME_QUALIFIERS)


class TooManyErrors(Exception):
    """Raised to give up a text that has more than ERRORS_MAX errors. It never leaves the parser."""


class ParserCore:
    """The tokens of one text and the position of the parser in them."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = lexer.tokenise(source)
        self.position = 0
        self.token = self.tokens[0]
        self.depth = 0  # Constructs that are open now, at most NESTING_MAX.
        self.expressions = 0  # Expressions that are open now; 0 outside of any.
        self.errors: list[EsqlSyntaxError] = []
        self._error_at = -1  # Offset of the last error: a second one at the same token says nothing new.

    # Tokens.

    def advance(self) -> Token:
        """Go to the next token and return the one that was current. The END token stays current for ever."""
        token = self.token
        if token.kind != lexer.END:
            self.position += 1
            self.token = self.tokens[self.position]
        return token

    def ahead(self, count: int = 1) -> Token:
        """Return the token `count` places after the current one, or END."""
        place = self.position + count
        return self.tokens[place] if place < len(self.tokens) else self.tokens[-1]

    def previous_end(self) -> int:
        """Return the offset after the last token that was taken."""
        return self.tokens[self.position - 1].end if self.position else 0

    def accept(self, symbol: str) -> bool:
        """Take the current token if it is this word or operator, and tell whether it was."""
        if self.token.symbol == symbol:
            self.advance()
            return True
        return False

    def expect(self, symbol: str, context: str = "") -> Token:
        """Take this word or operator, or fail."""
        if self.token.symbol != symbol:
            raise self.failure(symbol + context)
        return self.advance()

    def expect_one(self, symbols: tuple[str, ...], expected: str = "") -> str:
        """Take one of these words and return it, or fail."""
        symbol = self.token.symbol
        if symbol not in symbols or not symbol:
            raise self.failure(expected or _listed(symbols))
        self.advance()
        return symbol

    # Errors.

    def failure(self, expected: str, token: Token | None = None) -> EsqlSyntaxError:
        """Return the error for a current token other than `expected`."""
        at = token or self.token
        return self.source.error(shown(at), expected, at.line, at.column)

    def keep(self, error: EsqlSyntaxError) -> None:
        """Keep an error, unless the last one was at the same place. Give up after ERRORS_MAX."""
        place = self.source.line_starts[error.line - 1] + error.column
        if place == self._error_at:
            return
        self._error_at = place
        self.errors.append(error)
        if len(self.errors) >= ERRORS_MAX:
            raise TooManyErrors

    def all_errors(self) -> list[EsqlSyntaxError]:
        """Return the errors of lexer and parser by their place, at most ERRORS_MAX."""
        errors = self.source.errors + self.errors
        errors.sort(key=lambda error: (error.line, error.column))
        return errors[:ERRORS_MAX]

    def enter(self) -> None:
        """Count one level of nesting, or fail if there are too many. `self.depth -= 1` leaves it."""
        self.depth += 1
        if self.depth > NESTING_MAX:
            token = self.token
            raise self.source.error("", f"nested more than {NESTING_MAX} levels deep", token.line, token.column)

    def check_depth(self, expression: Expression) -> None:
        """Fail if the tree of an expression is deeper than DEPTH_MAX levels."""
        level: list[Node] = [expression]
        for _ in range(DEPTH_MAX):
            below: list[Node] = []
            for node in level:
                _add_children(node, below)
            if not below:
                return
            level = below
        text = f"more than {DEPTH_MAX} levels of operators; use variables for parts of the expression"
        raise self.source.error("", text, expression.line, expression.column)

    # Names and types.

    def name(self, expected: str) -> Name:
        """Take an identifier: any word, or a quoted identifier."""
        token = self.token
        if token.kind == lexer.WORD:
            self.advance()
            return Name(token.line, token.column, str(token.value))
        if token.kind == lexer.QUOTED:
            self.advance()
            return Name(token.line, token.column, str(token.value), True)
        raise self.failure(expected)

    def string(self, expected: str) -> str:
        """Take a character literal and return its value."""
        if self.token.kind != lexer.STRING:
            raise self.failure(expected)
        return str(self.advance().value)

    def integer(self, expected: str) -> int:
        """Take an integer literal and return its value."""
        if self.token.kind != lexer.INTEGER:
            raise self.failure(expected)
        value = self.advance().value
        assert isinstance(value, int)
        return value

    def at_type(self) -> bool:
        """Tell whether the current token is the name of a data type."""
        return self.token.symbol in _TYPES

    def data_type(self, expected: str = "a data type") -> DataType:
        """Take a data type: `DECIMAL(10, 2)`, `INTERVAL DAY TO SECOND`, `CHAR` ..."""
        token = self.token
        name = _TYPES.get(token.symbol)
        if name is None:
            raise self.failure(expected)
        self.advance()
        data_type = DataType(token.line, token.column, name)
        if name == "DECIMAL" and self.token.symbol == "(":
            self.advance()
            data_type.precision = self.integer("the precision, an integer")
            if self.accept(","):
                data_type.scale = self.integer("the scale, an integer")
            self.expect(")")
        elif name == "INTERVAL" and self.token.symbol in _FIELDS:
            data_type.qualifier = self.qualifier()
        return data_type

    def at_qualifier(self) -> bool:
        """Tell whether the current token can begin an interval qualifier."""
        return self.token.symbol in _FIELDS

    def qualifier(self) -> str:
        """Take an interval qualifier such as `DAY TO SECOND` and return it in upper case, one blank between words."""
        first = self.token
        if first.symbol not in _FIELDS:
            raise self.failure("an interval qualifier such as DAY or HOUR TO SECOND")
        self.advance()
        qualifier = first.symbol
        if self.token.symbol == "TO" and self.ahead().symbol in _FIELDS:
            self.advance()
            last = self.advance()
            qualifier = f"{qualifier} TO {last.symbol}"
            if qualifier not in _QUALIFIERS:
                raise self.source.error(
                    qualifier, "YEAR TO MONTH or a range from DAY to SECOND", first.line, first.column
                )
        return qualifier


def shown(token: Token) -> str:
    """Return a token for a message: words and operators as written, long strings cut."""
    if token.kind == lexer.END:
        return "the end of the text"
    if token.kind in (lexer.WORD, lexer.OPERATOR):
        text = str(token.value)
    elif token.kind == lexer.QUOTED:
        text = f'"{token.value!s}"'
    elif token.kind == lexer.STRING:
        text = f"'{token.value!s}'"
    elif token.kind == lexer.BLOB and isinstance(token.value, bytes):
        text = f"X'{token.value[:20].hex()}'"
    else:
        text = f"{token.value!s:.60}"
    text = " ".join(text.split())
    return text if len(text) <= 40 else text[:37] + "..."


def _listed(symbols: tuple[str, ...]) -> str:
    """Return words as a list for a message: `A, B or C`."""
    return symbols[0] if len(symbols) == 1 else ", ".join(symbols[:-1]) + " or " + symbols[-1]


def _add_children(node: Node, below: list[Node]) -> None:
    """Append the nodes directly below `node` to `below`."""
    for name in node.__dataclass_fields__:
        value = getattr(node, name)
        if isinstance(value, Node):
            below.append(value)
        elif isinstance(value, list):
            below.extend(item for item in value if isinstance(item, Node))
