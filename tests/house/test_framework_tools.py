"""The tools that run software of others against ours: bad input, and the tables that they print."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tools import airflow_check, faststream_suite, kombu_suite

ROOT = Path(__file__).resolve().parents[2]


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


def test_a_directory_that_is_no_checkout_of_kombu_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no checkout of Kombu"):
        kombu_suite.main([str(tmp_path)])


def test_the_file_for_kombu_has_a_class_for_each_of_its_classes() -> None:
    written = ast.parse(kombu_suite.test_file())
    classes = [each for each in written.body if isinstance(each, ast.ClassDef)]
    assert [each.name for each in classes] == [f"Test{name}" for name in kombu_suite.CLASSES]
    assert [ast.unparse(each.bases[0]) for each in classes] == [f"common.{name}" for name in kombu_suite.CLASSES]


def test_the_table_of_kombu_counts_tests_and_names_those_that_did_not_pass(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(
        "<testsuites><testsuite>"
        '<testcase classname="x.TestBasePriority" name="test_one"/>'
        '<testcase classname="x.TestBasePriority" name="test_two"><failure message="wrong&#10;order"/></testcase>'
        '<testcase classname="x.TestBaseMessage" name="test_three"><skipped message="not here"/></testcase>'
        "</testsuite></testsuites>"
    )
    rows = kombu_suite.table(report).splitlines()
    assert rows[2:5] == ["| BaseMessage | 0 | 1 | 0 |", "| BasePriority | 1 | 0 | 1 |", "| all | 1 | 1 | 1 |"]
    assert rows[-2:] == [
        "| BasePriority.test_two | failure | wrong |",
        "| BaseMessage.test_three | skipped | not here |",
    ]


@pytest.mark.parametrize(
    "tool", ["airflow_check", "faststream_suite", "kafka_connectors", "kombu_suite", "pymqi_suite"]
)
def test_a_tool_that_runs_software_of_others_has_a_row_in_its_page(tool: str) -> None:
    assert f"`python tools/{tool}.py" in (ROOT / "docs" / "interop.md").read_text()


def test_the_page_of_celery_names_every_class_of_kombu() -> None:
    page = (ROOT / "docs" / "celery.md").read_text()
    assert {name for name in kombu_suite.CLASSES if f"| {name}" not in page} == set()


def test_the_checks_of_airflow_are_a_program_and_their_table_counts_failures() -> None:
    ast.parse(airflow_check.CHECKS)
    text, failed = airflow_check.table('noise\nCHECK ["one", ""]\nCHECK ["two", "KeyError: x"]\n')
    assert text.splitlines()[2:] == ["| one | passed |", "| two | KeyError: x |"] and failed == 1
    assert airflow_check.table("nothing ran")[1] == 1
