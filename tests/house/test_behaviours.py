"""Every behaviour that the engine is held to is cited by a test or a benchmark, or docs say why not."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "internals" / "behaviours.md"
HELD_TO = [*range(1, 108), *range(208, 268)]
_NUMBER = re.compile(r"\bB(\d{1,3})\b")
_RANGE = re.compile(r"\bB(\d{1,3}) to B(\d{1,3})\b")


def cited() -> set[int]:
    """The numbers in tests and benchmarks, this file apart."""
    found: set[int] = set()
    for folder in ("tests", "benchmarks"):
        for path in (ROOT / folder).rglob("*.py"):
            if path != Path(__file__):
                found.update(int(number) for number in _NUMBER.findall(path.read_text("utf-8")))
    return found


def excused() -> set[int]:
    """The numbers in the first column of the table of the page."""
    found: set[int] = set()
    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("| B"):
            cell = line.split("|")[1]
            found.update(int(number) for number in _NUMBER.findall(cell))
            for first, last in _RANGE.findall(cell):
                found.update(range(int(first), int(last) + 1))
    return found


def test_every_behaviour_is_cited_or_the_page_says_why_not() -> None:
    assert sorted(set(HELD_TO) - cited() - excused()) == []


def test_nothing_is_excused_that_is_cited() -> None:
    assert sorted(cited() & excused()) == []
