"""The Python source that the compiler writes: lines, constants, and which statement each line belongs to.

Every line remembers the statement of ESQL it was made from. When an exception passes through compiled code, the line
numbers of its traceback lead back to routine, line, column and text, so running costs nothing for the positions. The
profile and the coverage of ESQL use the same table.
"""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, field
from typing import Final

from flintmq.broker.esql.syntax import Node, Statement

#: Names that the compiler makes itself (`t_1`, `go_2`), and names that would become one with a number behind them.
_COMPILER_NAME: Final = re.compile(r"(t|go|error|saved_error|scope)(_[0-9]+)?")


@dataclass(slots=True, frozen=True)
class Place:
    """Where a line of compiled code comes from: routine, position in the file, text of the statement."""

    routine: str
    file: str
    line: int
    column: int
    #: Line within the routine, as BIP 2488 counts.
    routine_line: int
    text: str


@dataclass(slots=True)
class PythonSource:
    """Source under construction. `indent` and `dedent` move the margin; `line` appends."""

    lines: list[str] = field(default_factory=list)
    places: dict[int, Place] = field(default_factory=dict)
    margin: int = 0
    place: Place | None = None

    def line(self, text: str) -> None:
        self.lines.append("    " * self.margin + text)
        if self.place is not None:
            self.places[len(self.lines)] = self.place

    def indent(self) -> None:
        self.margin += 1

    def dedent(self) -> None:
        self.margin -= 1

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


class Constants:
    """Values that compiled code needs ready-made: steps of paths, dates, tables. Equal ones are kept once."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}
        #: What `--show` prints of each: the expression that would make it.
        self.shown: dict[str, str] = {}
        self._known: dict[tuple[str, str], str] = {}
        self._steps: dict[str, object] = {}

    def step(self, shown: str, made: object) -> object:
        """Return the one step that is shown so: elements remember where a step led, by the step itself (T6)."""
        return self._steps.setdefault(shown, made)

    def add(self, prefix: str, shown: str, value: object) -> str:
        """Keep a value and return its name."""
        key = (prefix, shown)
        name = self._known.get(key)
        if name is None:
            name = f"{prefix}{len(self.values) + 1}"
            self._known[key] = name
            self.values[name] = value
            self.shown[name] = shown
        return name


def python_name(name: str, taken: set[str], reserved: frozenset[str]) -> str:
    """Return a free Python name that reads like an ESQL name, and take it."""
    base = "".join(letter if letter.isalnum() and letter.isascii() or letter == "_" else "_" for letter in name.lower())
    if not base or base[0].isdigit() or base.startswith("__"):
        base = "v_" + base.lstrip("_")
    if keyword.iskeyword(base) or keyword.issoftkeyword(base) or base in reserved or _COMPILER_NAME.fullmatch(base):
        base += "_"
    free = base
    number = 1
    while free in taken or free in reserved or keyword.iskeyword(free):
        number += 1
        free = f"{base}_{number}"
    taken.add(free)
    return free


def statement_text(source: str, node: Node) -> str:
    """Return the text of a statement on one line, cut to a size that fits a log line."""
    if not isinstance(node, Statement):
        return ""
    text = " ".join(source[node.start : node.end].split())
    return text if len(text) <= 200 else text[:197] + "..."
