"""Daffodil's TDML cases: IBM's, and sections 05, 07 and 12 to 16 of the specification.

A case is in the declared subset if its schema loads without a notice "not supported"; `tools/tdml.py` says what else is
outside. At least 95 % of the cases in the subset pass, and every other is named, with its reason, in the table of
docs/broker/dfdl.md: a case that fails and is not there, or is there and passes, fails this test.

Checked out as DIR/daffodil.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tools.tdml import Outcome, ignored_cases, judged_files, run_file, search_path

PAGE = Path(__file__).resolve().parent.parent.parent / "docs/broker/dfdl.md"
SHARE_MIN = 0.95


def named_misses() -> set[str]:
    """Return the cases that the documentation names as missed: the last column of the table of misses."""
    text = PAGE.read_text("utf-8")
    table = text[text.index("<!-- misses -->") : text.index("<!-- end of misses -->")]
    cells = [line.rstrip("| ").rpartition("|")[2] for line in table.splitlines() if line.startswith("|")]
    return set(re.findall(r"`(\w+)`", " ".join(cells)))


def test_the_declared_subset_passes_and_every_miss_is_named(foreign: Callable[[str], Path]) -> None:
    directory = foreign("daffodil")
    ignored = ignored_cases(directory)
    outcomes: list[Outcome] = []
    for file in judged_files(directory):
        outcomes.extend(run_file(file, search_path(directory), ignored))
    counts = Counter(outcome.result for outcome in outcomes)
    judged = counts["passed"] + counts["failed"]
    assert judged > 2000, "the checkout has fewer cases than expected"
    assert counts["passed"] / judged >= SHARE_MIN, counts
    failed = {outcome.name: outcome.reason for outcome in outcomes if outcome.result == "failed"}
    unnamed = {name: reason for name, reason in failed.items() if name not in named_misses()}
    assert not unnamed, "missed and not named in docs/broker/dfdl.md"
    assert not named_misses() - set(failed), "named as missed in docs/broker/dfdl.md, and passed"


def test_ibm_s_own_cases_pass(foreign: Callable[[str], Path]) -> None:
    """The cases that IBM contributed are the nearest to IBM's processor that is public: also those Daffodil ignores.

    One of them reads line feeds, and its schema writes carriage return and line feed: it cannot come back.
    """
    directory = foreign("daffodil")
    files = sorted((directory / "daffodil-test-ibm1/src/test/resources/test-suite/ibm-contributed").glob("*.tdml"))
    outcomes = [outcome for file in files for outcome in run_file(file, search_path(directory))]
    assert len(outcomes) == 80
    assert [outcome.name for outcome in outcomes if outcome.result != "passed"] == ["syntax_entities_6_03"]
