"""START, STOP and DISPLAY TRACE."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.command.conftest import CatalogueAdministration

Text = Callable[[str], str]


def test_a_trace_gets_a_number_and_is_shown_until_it_is_stopped(text: Text) -> None:
    assert text("START TRACE(STAT) CLASS(1,4:5)") == "CSQW130I: STAT trace started, assigned trace number 01."
    assert text("STA TRACE(A) CLASS(3)") == "CSQW130I: ACCTG trace started, assigned trace number 02."
    shown = text("DISPLAY TRACE(*)")
    assert "TYPE(STAT)" in shown and "CLASS(1,4,5)" in shown and "DEST(SMF)" in shown
    assert "TYPE(ACCTG)" in shown
    assert text("STOP TRACE(STAT)") == "CSQW131I: Stop trace successful for trace number(s) 01."
    assert "STAT" not in text("DISPLAY TRACE")
    assert text("STOP TRACE(*)") == "CSQW131I: Stop trace successful for trace number(s) 02."
    assert text("DISPLAY TRACE(*)") == "CSQW137I: Specified trace not active."


def test_the_default_type_is_global_and_every_type_has_its_default_classes(
    text: Text, administration: CatalogueAdministration
) -> None:
    for command in ("START TRACE", "START TRACE(STAT)", "START TRACE(ACCTG)", "START TRACE(CHI)"):
        text(command)
    started = [(row["TYPE"], row["CLASS"], row["DEST"]) for row in administration.tracing]
    assert started == [
        ("GLOBAL", ["1"], "RES"),
        ("STAT", ["1", "2"], "SMF"),
        ("ACCTG", ["1"], "SMF"),
        ("CHINIT", ["1"], "RES"),
    ]


def test_all_classes_are_not_those_that_must_be_named(text: Text, administration: CatalogueAdministration) -> None:
    text("START TRACE(STAT) CLASS(*)")
    text("START TRACE(ACCTG) CLASS(*)")
    assert [row["CLASS"] for row in administration.tracing] == [["1", "2", "3"], ["1", "3"]]


def test_stop_by_class_and_by_number_leaves_the_others(text: Text, administration: CatalogueAdministration) -> None:
    text("START TRACE(STAT) CLASS(1)")
    text("START TRACE(STAT) CLASS(5)")
    text("START TRACE(ACCTG) CLASS(3)")
    text("STOP TRACE(STAT) CLASS(5)")
    text("STOP TRACE(*) TNO(3)")
    assert [row["TNO"] for row in administration.tracing] == [1]


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("START TRACE(ACCTG) CLASS(2)", "CSQW122E: CLASS(2) is not a class of ACCTG trace."),
        ("START TRACE(STAT) CLASS(6)", "CSQW122E: CLASS(6) is not a class of STAT trace."),
        ("START TRACE(STAT) DEST(GTF)", "CSQW120E: DEST(GTF) is not a destination of STAT trace."),
        ("START TRACE(GLOBAL) DEST(SMF)", "CSQW120E: DEST(SMF) is not a destination of GLOBAL trace."),
        ("STOP TRACE(STAT)", "CSQW137I: Specified trace not active."),
    ],
)
def test_what_no_trace_has_is_refused(text: Text, command: str, answer: str) -> None:
    assert text(command) == answer


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("START TRACE(EVERYTHING)", "A type of trace is STAT, ACCTG, GLOBAL, CHINIT."),
        ("START TRACE(*)", "A type of trace is STAT, ACCTG, GLOBAL, CHINIT."),
        ("STOP TRACE", "STOP TRACE needs a type, or *."),
        ("START TRACE(STAT) CLASS(0)", "CLASS takes numbers from 1 to 99, ranges such as 1:3, or *."),
        ("START TRACE(STAT) CLASS(3:1)", "CLASS takes numbers from 1 to 99, ranges such as 1:3, or *."),
        ("START TRACE(STAT) CLASS(1,*)", "CLASS takes numbers from 1 to 99, ranges such as 1:3, or *."),
        ("START TRACE(STAT) CLASS()", "CLASS takes numbers from 1 to 99, ranges such as 1:3, or *."),
        ("STOP TRACE(*) TNO(A)", "TNO must be between 0 and 99."),
    ],
)
def test_what_cannot_be_read_is_a_syntax_error_that_says_why(text: Text, command: str, why: str) -> None:
    assert why in text(command)
