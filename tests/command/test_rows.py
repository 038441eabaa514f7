"""Replies as rows: values keep their types, and a failure has its reason and its message."""

from __future__ import annotations

from flintmq.command.rows import run
from tests.command.conftest import CatalogueAdministration


def test_a_row_has_the_values_of_the_catalogue(administration: CatalogueAdministration) -> None:
    run("DEFINE QLOCAL(ROWS) MAXDEPTH(7) DESCR('a (b) c')", administration)
    run("DEFINE NAMELIST(ROWS) NAMES(A,B)", administration)
    found = run("DISPLAY QLOCAL(ROWS) MAXDEPTH DESCR", administration)
    assert (found.reason, found.problem) == (0, "")
    assert found.rows == [{"QUEUE": "ROWS", "TYPE": "QLOCAL", "DESCR": "a (b) c", "MAXDEPTH": 7}]
    assert run("DISPLAY NAMELIST(ROWS) NAMES", administration).rows[0]["NAMES"] == ["A", "B"]


def test_a_failure_has_a_reason_and_its_first_message(administration: CatalogueAdministration) -> None:
    unknown = run("DISPLAY QLOCAL(NONE)", administration)
    assert unknown.rows == [] and unknown.reason == 2085 and unknown.problem.startswith("AMQ8147E")
    wrong = run("DISPLAY QLOCAL(A) NOSUCH", administration)
    assert wrong.rows == [] and wrong.reason and wrong.problem.startswith("AMQ8405I")
