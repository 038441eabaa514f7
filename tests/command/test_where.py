"""WHERE: the operators, and the filters that do not fit."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flintmq.catalogue.attribute import Value
from flintmq.catalogue.attributes import ATTRIBUTES
from flintmq.catalogue.kinds.queue import QUEUE_ATTRIBUTES
from flintmq.command.parser import parse
from flintmq.command.reply import Reply
from flintmq.command.where import OPERATORS, Filter, FilterError, parse_filter

ROW: dict[str, Value] = {
    "CURDEPTH": 7,
    "CAPEXPRY": "NOLIMIT",
    "DESCR": "orders of the day",
    "GET": "ENABLED",
    "NAMES": ["ALPHA", "BETA"],
    "STATIME": "1.30",
}


def where(text: str) -> Filter:
    (parameter,) = parse(f"DIS Q(*) WHERE({text})").parameters
    return parse_filter(parameter, [*QUEUE_ATTRIBUTES, *ATTRIBUTES["NAMELIST"], *ATTRIBUTES["SYSTEM"]])


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("CURDEPTH GT 6", True),
        ("CURDEPTH GT 7", False),
        ("CURDEPTH GE 7", True),
        ("CURDEPTH LT 8", True),
        ("CURDEPTH LE 6", False),
        ("CURDEPTH EQ 007", True),
        ("curdepth ne 7", False),
        ("CAPEXPRY EQ NOLIMIT", True),
        ("CAPEXPRY LT 100", True),
        ("DESCR EQ 'orders of the day'", True),
        ("DESCR LK 'orders*'", True),
        ("DESCR NL 'orders*'", False),
        ("DESCR LK '*'", True),
        ("DESCR GT 'order'", True),
        ("GET EQ enabled", True),
        ("GET NE ENABLED", False),
        ("NAMES CT BETA", True),
        ("NAMES EX BETA", False),
        ("NAMES CTG AL*", True),
        ("NAMES EXG X*", True),
        ("STATIME GT 0.59", True),
        ("MAXDEPTH NE 5", False),  # The row has no MAXDEPTH: no operator matches.
        ("BOQNAME NE X", False),
    ],
)
def test_a_filter_matches(text: str, matches: bool) -> None:
    assert where(text).matches_row(ROW) == matches


def test_a_blank_number_matches_nothing() -> None:
    assert not where("CURDEPTH LT 99").matches_row({"CURDEPTH": ""})


@pytest.mark.parametrize(
    "text",
    [
        "CURDEPTH GT",
        "CURDEPTH GT 1 2",
        "CURDEPTH LK 7*",
        "CURDEPTH GT MANY",
        "CURDEPTH ABOVE 7",
        "GET LT ENABLED",
        "GET EQ MAYBE",
        "SHARE EQ SHARE",
        "DESCR CT X",
        "DESCR LK orders",
        "NAMES EQ A",
        "NAMES CTG A",
        "TEAPOT EQ 1",
    ],
)
def test_a_filter_that_does_not_fit_says_why(text: str) -> None:
    with pytest.raises(FilterError) as caught:
        where(text)
    assert str(caught.value)


def test_every_operator_of_the_language_is_there() -> None:
    assert set(OPERATORS) == {"LT", "GT", "EQ", "NE", "LE", "GE", "LK", "NL", "CT", "EX", "CTG", "EXG"}


def test_a_wrong_filter_is_answered_with_its_number(text: Callable[[str], str], run: Callable[[str], Reply]) -> None:
    assert text("DISPLAY QLOCAL(*) WHERE(CURDEPTH LK 7*)").startswith("AMQ8569E: ")
    reply = run("DISPLAY QLOCAL(*) WHERE(CURDEPTH LK 7*)")
    assert reply.failed and not reply.syntax_error


def test_the_filter_keyword_is_added_to_what_is_shown(text: Callable[[str], str]) -> None:
    shown = text("DISPLAY QLOCAL(SYSTEM.DEAD*) PUT WHERE(MAXDEPTH GT 5000)")
    assert shown.splitlines() == [
        "AMQ8409I: Display Queue details.",
        "   QUEUE(SYSTEM.DEAD.LETTER.QUEUE)         TYPE(QLOCAL)",
        "   MAXDEPTH(999999999)                     PUT(ENABLED)",
    ]


def test_no_match_is_not_found(text: Callable[[str], str]) -> None:
    assert text("DISPLAY QLOCAL(*) WHERE(CURDEPTH GT 0)") == "AMQ8147E: Object * not found."
