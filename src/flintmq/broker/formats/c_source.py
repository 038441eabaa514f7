"""Source text of C headers: comments, directives of the preprocessor, tokens, constant expressions.

Object-like macros with a number or an expression of numbers are known to array sizes and to `#if`; all other macros
are kept as names that are defined. `#include` is noted, never followed. `#pragma pack` becomes a token `#pack`. Nothing
here raises for a text but `evaluate`, which raises ValueError for text that is no constant expression.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

TEXT_MAX: Final = 8_000_000
NOTES_MAX: Final = 200
TOKENS_MAX: Final = 1_000_000
_COMMENT: Final = re.compile(r'/\*.*?(?:\*/|\Z)|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
_TOKEN: Final = re.compile(
    r"\s+|(?P<name>[A-Za-z_]\w*)|(?P<number>0[xX][0-9A-Fa-f]+|\d+)[uUlL]*"
    r'|(?P<text>"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')|(?P<other><<|>>|&&|\|\||[<>=!]=|.)',
    re.ASCII,
)
_DIRECTIVE: Final = re.compile(r"\s*#\s*(\w*)\s*(.*)", re.DOTALL)
_PRECEDENCE: Final = {
    "||": 1,
    "&&": 2,
    "|": 3,
    "^": 4,
    "&": 5,
    "==": 6,
    "!=": 6,
    "<": 7,
    ">": 7,
    "<=": 7,
    ">=": 7,
    "<<": 8,
    ">>": 8,
    "+": 9,
    "-": 9,
    "*": 10,
    "/": 10,
    "%": 10,
}


@dataclass(frozen=True, slots=True)
class Token:
    """A name, a number, a text or a punctuation mark."""

    text: str
    kind: str
    line: int


@dataclass(slots=True)
class Header:
    """The tokens of a header after the preprocessor."""

    tokens: list[Token] = field(default_factory=list)
    macros: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def note(self, line: int, text: str) -> None:
        if len(self.notes) < NOTES_MAX:
            self.notes.append(f"line {line}: {text}")


def read_header(text: str) -> Header:
    """Return the tokens of a header."""
    header = Header()
    if len(text) > TEXT_MAX:
        header.note(0, f"the text has more than {TEXT_MAX} characters; the rest is not read")
        text = text[:TEXT_MAX]
    plain = _COMMENT.sub(_blanked, text.replace("\r\n", "\n").replace("\r", "\n"))
    #: For each open #if: whether its lines count, and whether a branch was taken.
    branches: list[tuple[bool, bool]] = []
    lines = plain.split("\n")
    at = 0
    while at < len(lines):
        number = at + 1
        line = lines[at]
        at += 1
        while line.endswith("\\") and at < len(lines) and len(line) < 100_000:
            line = line[:-1] + " " + lines[at]
            at += 1
        if line.lstrip().startswith("#"):
            _directive(line, number, header, branches)
        elif all(taken for taken, _ in branches):
            _add_tokens(line, number, header)
        if len(header.tokens) > TOKENS_MAX:
            header.note(number, f"there are more than {TOKENS_MAX} tokens; the rest is not read")
            break
    return header


def _blanked(found: re.Match[str]) -> str:
    """Return a comment as the line ends it had; texts stay."""
    text = found.group()
    return "\n" * text.count("\n") or " " if text.startswith("/") else text


def _add_tokens(line: str, number: int, header: Header) -> None:
    for found in _TOKEN.finditer(line):
        kind = found.lastgroup
        if kind is not None:
            text = found.group(kind)
            header.tokens.append(Token(text, kind, number))


def _directive(line: str, number: int, header: Header, branches: list[tuple[bool, bool]]) -> None:
    """Run a directive of the preprocessor."""
    found = _DIRECTIVE.match(line)
    assert found is not None
    name, rest = found.group(1), found.group(2).strip()
    if name in ("if", "ifdef", "ifndef"):
        condition = _condition(name, rest, number, header)
        branches.append((condition, condition))
    elif name == "elif" and branches:
        taken = branches[-1][1]
        condition = not taken and _condition("if", rest, number, header)
        branches[-1] = (condition, taken or condition)
    elif name == "else" and branches:
        branches[-1] = (not branches[-1][1], True)
    elif name == "endif" and branches:
        branches.pop()
    elif all(taken for taken, _ in branches) and name in _DIRECTIVES:
        _DIRECTIVES[name](rest, number, header)


def _define(rest: str, number: int, header: Header) -> None:
    macro = re.match(r"([A-Za-z_]\w*)(\()?(.*)", rest, re.DOTALL | re.ASCII)
    if macro is not None and len(header.macros) < 100_000:
        header.macros[macro.group(1)] = "" if macro.group(2) else macro.group(3).strip()[:1000]


def _undefine(rest: str, number: int, header: Header) -> None:
    header.macros.pop(rest, None)


def _include(rest: str, number: int, header: Header) -> None:
    header.note(number, f"#include {rest[:80]} is not read")


def _pragma(rest: str, number: int, header: Header) -> None:
    pack = re.fullmatch(r"pack\s*\(([^)]*)\)", rest)
    if pack is not None:
        header.tokens.append(Token(pack.group(1), "#pack", number))
    elif not rest.startswith("once"):
        header.note(number, f"#pragma {rest[:60]} is not known")


#: Directives that are run only where all conditions around them hold.
_DIRECTIVES: Final = {"define": _define, "undef": _undefine, "include": _include, "pragma": _pragma}


def _condition(name: str, rest: str, number: int, header: Header) -> bool:
    if name != "if":
        return (rest in header.macros) == (name == "ifdef")
    text = re.sub(
        r"defined\s*(?:\(\s*(\w+)\s*\)|(\w+))",
        lambda found: "1" if (found.group(1) or found.group(2)) in header.macros else "0",
        rest,
    )
    try:
        return evaluate(text, header.macros, {}) != 0
    except ValueError:
        header.note(number, f"#if {rest[:60]} is no expression known here; it is taken for false")
        return False


def evaluate(text: str, macros: dict[str, str], constants: dict[str, int], depth: int = 0) -> int:
    """Return the value of a constant expression. Raises ValueError."""
    if depth > 30:
        raise ValueError("macros are defined by each other")
    tokens: list[tuple[str, str]] = []
    for found in _TOKEN.finditer(text):
        if found.lastgroup is not None:
            tokens.append((found.lastgroup, found.group(found.lastgroup)))
    if len(tokens) > 300:
        raise ValueError("the expression is too long")
    return _Expression(tokens, macros, constants, depth).value()


class _Expression:
    """Evaluates one expression by precedence."""

    def __init__(
        self, tokens: list[tuple[str, str]], macros: dict[str, str], constants: dict[str, int], depth: int
    ) -> None:
        self.tokens = tokens
        self.macros = macros
        self.constants = constants
        self.depth = depth
        self.at = 0

    def value(self) -> int:
        result = self.binary(1)
        if self.at < len(self.tokens):
            raise ValueError(f"'{self.tokens[self.at][1]}' is not expected")
        return result

    def binary(self, lowest: int) -> int:
        left = self.unary()
        while self.at < len(self.tokens):
            operator = self.tokens[self.at][1]
            precedence = _PRECEDENCE.get(operator, 0)
            if precedence < lowest:
                break
            self.at += 1
            left = _applied(operator, left, self.binary(precedence + 1))
            if abs(left) > 1 << 64:
                raise ValueError("the number is too large")
        return left

    def unary(self) -> int:
        if self.at >= len(self.tokens):
            raise ValueError("the expression ends early")
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            if len(text) > 20:
                raise ValueError("the number is too large")
            octal = len(text) > 1 and text[0] == "0" and text.isdigit()
            return int(text, 8) if octal else int(text, 0)
        if kind == "name":
            if text in self.constants:
                return self.constants[text]
            if self.macros.get(text):
                return evaluate(self.macros[text], self.macros, self.constants, self.depth + 1)
            raise ValueError(f"'{text}' is no constant known here")
        if text == "(":
            result = self.binary(1)
            if self.at >= len(self.tokens) or self.tokens[self.at][1] != ")":
                raise ValueError("a parenthesis is not closed")
            self.at += 1
            return result
        if text in "+-!~":
            operand = self.unary()
            return {"+": operand, "-": -operand, "!": int(not operand), "~": ~operand}[text]
        raise ValueError(f"'{text}' is not expected")


def _applied(operator: str, left: int, right: int) -> int:
    """Return the result of a binary operator."""
    if operator in ("/", "%"):
        if not right:
            raise ValueError("division by zero")
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if operator == "/" else left - quotient * right
    if operator in ("<<", ">>"):
        if not 0 <= right < 64:
            raise ValueError("a shift by more than 63 bits")
        return left << right if operator == "<<" else left >> right
    results = {
        "||": int(bool(left or right)),
        "&&": int(bool(left and right)),
        "|": left | right,
        "^": left ^ right,
        "&": left & right,
        "==": int(left == right),
        "!=": int(left != right),
        "<": int(left < right),
        ">": int(left > right),
        "<=": int(left <= right),
        ">=": int(left >= right),
        "+": left + right,
        "-": left - right,
        "*": left * right,
    }
    return results[operator]
