"""`./flint test --changed` picks the tests that concern a file, and names a revision that git does not know."""

from __future__ import annotations

import pytest

from tools import changed, suite


@pytest.mark.parametrize(
    "path, test",
    [
        ("src/flintmq/log/record.py", "tests/log/test_record.py"),
        ("src/flintmq/broker/esql/lexer.py", "tests/broker/esql/test_lexer.py"),
        ("src/flintmq/broker/runtime/coordination.py", "tests/broker/runtime/test_coordination_kill.py"),
        ("tests/log/test_record.py", "tests/log/test_record.py"),
        ("tests/broker/runtime/desk.py", "tests/broker/runtime/test_order.py"),
        ("tests/broker/runtime/conftest.py", "tests/broker/runtime/test_order.py"),
        ("tools/changed.py", "tests/house/test_changed.py"),
        ("docs/architecture.md", "tests/house/test_rooms.py"),
        ("flint", "tests/house/test_launcher.py"),
    ],
)
def test_a_file_concerns_the_tests_that_mirror_import_or_name_it(path: str, test: str) -> None:
    assert (changed.ROOT / path).exists() and (changed.ROOT / test).exists()
    picked = changed.tests_of([path])
    assert test in picked
    assert len(picked) < 40


def test_a_file_that_no_test_knows_concerns_none() -> None:
    assert changed.tests_of([f"{'no-test'.upper()}-knows-this.txt"]) == []


def test_a_revision_that_git_does_not_know_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert suite.run_changed(["no-such-revision"]) == 2
    assert "no-such-revision" in capsys.readouterr().out


def test_two_revisions_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert suite.run_changed(["HEAD", "HEAD~1"]) == 2
    assert "at most one revision" in capsys.readouterr().out
