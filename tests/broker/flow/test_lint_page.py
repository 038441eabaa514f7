"""docs/broker/lint.md lists every check as it is, and its examples show what each finds and how to avoid it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flintmq.broker.esql.lint_report import Finding
from flintmq.broker.flow.lint import CHECKS, lint_project
from flintmq.broker.flow.project import load
from tests.broker.flow.flows import write_application

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "broker" / "lint.md").read_text()
SECTIONS = {part.split(" ", 1)[0]: part for part in PAGE.split("\n## ")[1:] if part.startswith("FL")}
#: A wire to a node that is not there cannot be written in YAML; test_lint.py has a test with a flow file.
WITHOUT_EXAMPLE = {"FL112"}

COMPUTE = """
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  Node: {type: Compute, properties: {computeExpression: "esql://routine/#M.Main"}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
wires:
  - {from: In.out, to: Node.in}
  - {from: Node.out, to: Out.in}
"""
FILTER = COMPUTE.replace("Compute", "Filter").replace("compute", "filter").replace("Node.out", "Node.true")


def linted(place: Path, blocks: dict[str, str]) -> list[Finding]:
    """Lint an application of an ESQL block and a flow; what an example leaves out is added."""
    esql = blocks.get("esql", "SET OutputRoot = InputRoot;")
    if "MODULE" not in esql:
        end = "" if "RETURN" in esql else "RETURN TRUE;\n"
        esql = (
            f"CREATE COMPUTE MODULE M\nCREATE FUNCTION Main() RETURNS BOOLEAN BEGIN\n{esql}\n{end}END;\nEND MODULE;\n"
        )
    flow = blocks.get("yaml", FILTER if "FILTER MODULE" in esql else COMPUTE)
    write_application(place, {"F.esql": esql, "F.msgflow.yaml": f"flow: F.msgflow\n{flow}\n"})
    project = load(place)
    assert project.all_notes() == []
    return lint_project(project).sorted()


def blocks_of(text: str) -> dict[str, str]:
    return dict(re.findall(r"^```(esql|yaml)\n(.*?)\n```", text, flags=re.DOTALL | re.MULTILINE))


def test_the_page_has_a_section_for_each_check() -> None:
    assert list(SECTIONS) == list(CHECKS)


@pytest.mark.parametrize("code", CHECKS)
def test_the_page_names_a_check_as_the_program_does(code: str) -> None:
    check = CHECKS[code]
    assert SECTIONS[code].startswith(f"{code} {check.name}\n")
    section = " ".join(SECTIONS[code].split())
    assert f"{check.severity.capitalize()}: {check.text}." in section
    row = f"| [{code}](#{code.lower()}-{check.name.lower()}) | {check.name} | {check.severity} | {check.text} |"
    assert row in PAGE.splitlines()


@pytest.mark.parametrize("code", [code for code in CHECKS if code not in WITHOUT_EXAMPLE])
def test_an_example_is_found_and_the_better_form_is_not(code: str, tmp_path: Path) -> None:
    found, _, better = SECTIONS[code].partition("\nBetter:\n")
    bad = blocks_of(found)
    good = {**bad, **blocks_of(better)}
    assert bad and bad != good

    findings = linted(tmp_path / "found", bad)
    assert code in {finding.code for finding in findings}, [str(each) for each in findings]

    after = linted(tmp_path / "better", good)
    assert code not in {finding.code for finding in after}, [str(each) for each in after]
    # A better form is good in other ways, too; a note on style may stay.
    assert [str(each) for each in after if each.severity == "error"] == []
