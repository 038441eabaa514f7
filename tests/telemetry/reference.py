"""The reference CSV, and how a value of ours is held against one of its cells.

CSV                                    ours
NAME(S), NAME(US)                      NAME_US, microseconds
NAME (DATE), NAME (TIME)               NAME, a timestamp
-1, ".....", 1970/01/01 00:00:00       null: the field is not in this release
"", ""                                 null: a clock that is not set
text in full width; what the formatter's table lacks, and X'00', is a dot      text without padding; null if all X'00'
Yes, No, YES, NO                       a boolean
Interval_Start                         UTC; the CSV shows it local, as stored
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

_CELL = re.compile(r'(?:="(?P<marked>[^"]*)"|"(?P<text>[^"]*)"|(?P<plain>[^,"]*)),')
_TABLE = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 $<(+|&!*);-/,%_>?:#@'={}[]~.")
#: The formatter's stand-ins for characters of other code pages.
_INSTEAD = {"¢": "$", "»": "{", "ý": "(", "þ": "+", "º": "}", "¸": ")", "Ý": "[", "¨": "]", "×": "-"}
NOT_THERE = datetime(1970, 1, 1)


@dataclass
class Reference:
    """One CSV file."""

    header: list[str]
    rows: list[list[str]]

    def column(self, name: str) -> list[str]:
        return [row[self.header.index(name)] for row in self.rows]


def read(path: Path) -> Reference:
    header, *lines = path.read_text("latin-1").splitlines()
    return Reference(header.rstrip(",").split(","), [cells(line) for line in lines])


def cells(line: str) -> list[str]:
    found = []
    at = 0
    while at < len(line):
        match = _CELL.match(line, at)
        assert match is not None, f"{line[at : at + 40]!r} is no cell"
        found.append(next(text for text in match.groups() if text is not None))
        at = match.end()
    return found


@dataclass
class Outcome:
    """A comparison: how many cells were held against ours, and those that differ, as (row, column, theirs, ours)."""

    cells: int = 0
    different: list[tuple[int, str, object, object]] = field(default_factory=list)

    @property
    def columns(self) -> set[str]:
        return {name for _, name, _, _ in self.different}


def compare(reference: Reference, ours: list[dict[str, Any]], renamed: dict[str, str]) -> Outcome:
    """Hold every cell against ours. `renamed`: columns that the CSV calls by a wrong name."""
    outcome = Outcome()
    assert len(ours) == len(reference.rows)
    for number, (row, mine) in enumerate(zip(reference.rows, ours, strict=True)):
        at = 0
        while at < len(row):
            width = _compare_cell(outcome, number, reference.header, row, at, mine, renamed)
            outcome.cells += width
            at += width
    return outcome


def _compare_cell(
    outcome: Outcome,
    number: int,
    header: list[str],
    row: list[str],
    at: int,
    mine: dict[str, Any],
    renamed: dict[str, str],
) -> int:
    """Compare the cell at `at`, or the two cells of a duration or a timestamp; how many cells that were."""
    title = header[at]
    base = re.sub(r" ?\((S|DATE)\)$", "", title)
    base = renamed.get(base, base)
    name = plain_name(base)
    theirs: object
    if title.endswith("(S)"):
        theirs, value, width = duration(row[at], row[at + 1]), mine[name + "_US"], 2
    elif title.endswith("(DATE)"):
        theirs, value, width = clock(row[at], row[at + 1]), mine[name], 2
        value = naive(value, mine["UTC_Offset_Minutes"] if name == "Interval_Start" else 0)
    elif title == "Date":
        theirs, value, width = clock(row[at], row[at + 1]), mine["Time"], 2
        assert isinstance(mine["Date"], date) and mine["Date"] == value.date()
    else:
        value = mine[name]
        theirs, value, width = *cell(row[at], value), 1
    if theirs != value:
        outcome.different.append((number, title, theirs, value))
    return width


def plain_name(title: str) -> str:
    return re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9]", "_", title)).rstrip("_")


def duration(seconds: str, microseconds: str) -> int | None:
    whole, part = int(seconds), int(microseconds)
    return None if whole == part == -1 else whole * 1_000_000 + part


def clock(day: str, time: str) -> datetime | None:
    if not day:
        return None
    moment = datetime.strptime(f"{day} {time}", "%Y/%m/%d %H:%M:%S,%f")
    return None if moment == NOT_THERE else moment


def naive(moment: datetime | None, offset_minutes: int) -> datetime | None:
    if moment is None:
        return None
    return moment.astimezone(UTC).replace(tzinfo=None) + timedelta(minutes=offset_minutes)


def cell(theirs: str, ours: Any) -> tuple[object, object]:
    """Both in a form that can be compared."""
    if isinstance(ours, bool):
        return theirs.lower(), "yes" if ours else "no"
    if isinstance(ours, int):
        return int(theirs), ours
    if ours is None:
        return ("nothing" if theirs.strip() == "-1" or not theirs.strip(".") else theirs), "nothing"
    shown = "".join(character if character in _TABLE else _INSTEAD.get(character, ".") for character in ours)
    fill = "." if theirs.endswith(".") and len(shown) < len(theirs) else " "
    return theirs, shown.ljust(len(theirs), fill)
