"""The tools that run software of others against ours: bad input, and the tables that they print."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tools import airflow_check, faststream_suite


def test_a_directory_that_is_no_checkout_of_faststream_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no checkout of FastStream"):
        faststream_suite.main([str(tmp_path)])


def test_the_suite_is_written_beside_a_link_to_the_checkout(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    (checkout / "tests").mkdir(parents=True)
    suite = faststream_suite.write_suite(tmp_path / "suite", checkout)
    assert sorted(path.name for path in suite.parent.iterdir()) == ["docs", "mq_suite", "tests"]
    assert list((checkout / "tests").iterdir()) == []
    for path in suite.glob("*.py"):
        ast.parse(path.read_text())
    assert len(list(suite.glob("test_*.py"))) == len(faststream_suite.FILES)


def test_the_checks_of_airflow_are_a_program_and_their_table_counts_failures() -> None:
    ast.parse(airflow_check.CHECKS)
    text, failed = airflow_check.table('noise\nCHECK ["one", ""]\nCHECK ["two", "KeyError: x"]\n')
    assert text.splitlines()[2:] == ["| one | passed |", "| two | KeyError: x |"] and failed == 1
    assert airflow_check.table("nothing ran")[1] == 1
