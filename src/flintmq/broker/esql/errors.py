"""Syntax errors of ESQL: place, found text, expected text.

`parse()` collects them; `parse_expression()` and `parse_path()` raise the first. `str(error)` is the text for users:

    orders.esql:7:18: BIP2401: found THEN; expected an expression
        IF Total >  THEN
                    ^
"""

from __future__ import annotations

from typing import Final

#: BIP number of a syntax error, found when the ESQL is deployed.
SYNTAX_ERROR: Final = 2401

_EXCERPT_MAX: Final = 160  # Characters of the source line that str() shows.


class EsqlSyntaxError(Exception):
    """One syntax error. `line` and `column` count from 1; `source_line` is the line of the source it stands in."""

    number: Final = SYNTAX_ERROR

    def __init__(self, found: str, expected: str, line: int, column: int, source_line: str, file: str | None) -> None:
        super().__init__(f"found {found}; expected {expected}" if found else expected)
        self.found = found
        self.expected = expected
        self.line = line
        self.column = column
        self.source_line = source_line
        self.file = file

    @property
    def message(self) -> str:
        """Return the error without its place."""
        return str(self.args[0])

    @property
    def place(self) -> str:
        """Return `file:line:column`, or `line:column` if the source has no file."""
        where = f"{self.line}:{self.column}"
        return where if self.file is None else f"{self.file}:{where}"

    def __str__(self) -> str:
        """Return place, number and message, then the source line with a caret below the column."""
        line = self.source_line.rstrip()
        at = min(self.column - 1, len(line))
        cut = max(0, at - _EXCERPT_MAX * 3 // 4)
        shown = line[cut : cut + _EXCERPT_MAX]
        blanks = "".join("\t" if character == "\t" else " " for character in shown[: at - cut])
        return f"{self.place}: BIP{self.number}: {self.message}\n    {shown}\n    {blanks}^"
