"""Lint of projects: effective properties of nodes, subflows, libraries, labels, destination lists, bad files."""

from __future__ import annotations

from pathlib import Path

import pytest

from flintmq.broker.esql.lint_report import Finding
from flintmq.broker.flow.lint import CHECKS, lint_project
from flintmq.broker.flow.project import load
from tests.broker.flow.flows import compute, write_application
from tests.broker.flow.sample_flows import flow_file

IN = "  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}\n"
OUT = "  Out: {type: MQOutput, properties: {queueName: OUT}}\n"
NODE = '  Compute: {{type: Compute, properties: {{computeExpression: "esql://routine/#M.Main"{more}}}}}\n'
WIRES = "wires:\n  - {from: In.out, to: Compute.in}\n  - {from: Compute.out, to: Out.in}\n"
LOSES = compute("M", "SET OutputRoot = InputRoot; SET OutputLocalEnvironment.x = 1; RETURN TRUE;")


def linted(place: Path, files: dict[str, str | bytes]) -> list[Finding]:
    return lint_project(load(write_application(place, files))).sorted()


def flow(nodes: str, wires: str = WIRES) -> str:
    return f"flow: F.msgflow\nnodes:\n{nodes}{wires}"


def codes(found: list[Finding]) -> list[str]:
    return [finding.code for finding in found if finding.severity != "note"]


def test_codes_of_flows_have_their_range() -> None:
    assert list(CHECKS) == sorted(CHECKS)


@pytest.mark.parametrize(
    ("mode", "found"),
    [
        ("", ["FL001"]),
        (", computeMode: all", []),
        (", computeMode: destination", []),
        (", computeMode: exception", ["FL001"]),
    ],
)
def test_the_mode_of_the_node_decides_what_is_lost(mode: str, found: list[str], tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"F.msgflow.yaml": flow(IN + NODE.format(more=mode) + OUT), "F.esql": LOSES}
    assert codes(linted(tmp_path, files)) == found


def test_the_mode_that_a_promoted_property_gives_is_in_force(tmp_path: Path) -> None:
    text = flow(IN + NODE.format(more="") + OUT)
    assert codes(linted(tmp_path / "one", {"F.msgflow.yaml": text, "F.esql": LOSES})) == ["FL001"]
    text += "properties:\n  mode: {default: all, promotes: [Compute.computeMode]}\n"
    project = load(write_application(tmp_path / "two", {"F.msgflow.yaml": text, "F.esql": LOSES}))
    assert project.all_notes() == []
    assert codes(lint_project(project).sorted()) == []


def test_a_misspelt_mode_counts_as_message_and_is_reported_twice(tmp_path: Path) -> None:
    text = flow(IN + NODE.format(more=", computeMode: All") + OUT)
    found = linted(tmp_path, {"F.msgflow.yaml": text, "F.esql": LOSES})
    assert codes(found) == ["FL001", "FL101"]
    assert found[1].text == "computeMode 'All' does not exist, message is in force; write all"
    assert str(found[1]).startswith(f"{tmp_path}/F.msgflow.yaml: F.Compute: FL101 error: ")


SUB = """flow: S.subflow
nodes:
  Input: {type: Input}
  Compute: {type: Compute, properties: {computeExpression: "esql://routine/#M.Main", computeMode: sometimes}}
  Output: {type: Output}
wires:
  - {from: Input.out, to: Compute.in}
  - {from: Compute.out, to: Output.in}
"""


def test_a_subflow_is_reported_once_however_many_flows_use_it(tmp_path: Path) -> None:
    uses = flow(
        IN + "  A: {type: S.subflow}\n  B: {type: S.subflow}\n" + OUT,
        "wires:\n  - {from: In.out, to: A.Input}\n  - {from: A.Output, to: B.Input}\n"
        "  - {from: B.Output, to: Out.in}\n",
    )
    esql = compute("M", "SET OutputRoot = InputRoot; RETURN TRUE;")
    found = linted(tmp_path, {"S.subflow.yaml": SUB, "F.msgflow.yaml": uses, "F.esql": esql})
    assert [(each.code, each.node) for each in found] == [("FL101", "S.Compute")]


def test_a_subflow_that_no_flow_uses_is_looked_at_without_what_its_users_know(tmp_path: Path) -> None:
    label = SUB.replace("computeMode: sometimes", "computeMode: all").replace(
        "  Output:", "  Gold: {type: Label, properties: {labelName: Gold}}\n  Output:"
    )
    esql = compute("M", "SET OutputRoot = InputRoot; PROPAGATE TO LABEL 'Silver'; RETURN FALSE;")
    assert linted(tmp_path, {"S.subflow.yaml": label, "F.esql": esql}) == []


LIST = flow(
    IN + NODE.format(more=", computeMode: all") + "  Out: {type: MQOutput, properties: {destinationMode: list}}\n"
)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("SET OutputLocalEnvironment = InputLocalEnvironment;", ["FL104"]),
        ("SET OutputLocalEnvironment.Variables.x = 1;", ["FL104"]),
        ("SET OutputLocalEnvironment.Destination.MQ.DestinationData[1].queueName = 'A';", []),
        ("SET OutputDestinationList.Destination.MQDestinationList.DestinationData.queueName = 'A';", []),
        ("DECLARE r REFERENCE TO OutputLocalEnvironment; CREATE LASTCHILD OF r NAME 'Destination'; SET r.a = 1;", []),
    ],
)
def test_a_list_of_destinations_must_come_from_somewhere(body: str, found: list[str], tmp_path: Path) -> None:
    esql = compute("M", f"SET OutputRoot = InputRoot; {body} RETURN TRUE;")
    assert codes(linted(tmp_path, {"F.msgflow.yaml": LIST, "F.esql": esql})) == found


def test_a_node_whose_code_is_not_esql_may_fill_the_list(tmp_path: Path) -> None:
    text = LIST.replace("wires:", "  Java: {type: JavaCompute, properties: {javaClass: a.B}}\nwires:")
    esql = compute("M", "SET OutputRoot = InputRoot; RETURN TRUE;")
    assert codes(linted(tmp_path, {"F.msgflow.yaml": text, "F.esql": esql})) == []


LABELS = flow(
    IN + NODE.format(more="") + OUT + "  Gold: {type: Label, properties: {labelName: Gold}}\n",
    WIRES + "  - {from: Gold.out, to: Out.in}\n",
)


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("PROPAGATE TO LABEL 'Gold'; RETURN FALSE;", []),
        ("PROPAGATE TO LABEL InputRoot.XMLNSC.a; RETURN FALSE;", []),
        ("PROPAGATE TO LABEL 'Silver'; RETURN FALSE;", ["FL026", "FL103"]),
        ("RETURN TRUE;", ["FL103"]),
    ],
)
def test_labels_and_jumps_must_fit(statement: str, found: list[str], tmp_path: Path) -> None:
    esql = compute("M", f"SET OutputRoot = InputRoot; {statement}")
    assert codes(linted(tmp_path, {"F.msgflow.yaml": LABELS, "F.esql": esql})) == found


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("PROPAGATE TO TERMINAL 'out'; RETURN FALSE;", []),
        ("PROPAGATE TO TERMINAL 0; RETURN FALSE;", []),
        ("PROPAGATE TO TERMINAL 'nowhere'; RETURN FALSE;", []),
        ("PROPAGATE TO TERMINAL -2; RETURN FALSE;", []),
        ("PROPAGATE TO TERMINAL 2; RETURN FALSE;", ["FL025"]),
        ("PROPAGATE TO TERMINAL 'Out'; RETURN FALSE;", ["FL025"]),
        ("PROPAGATE TO TERMINAL InputRoot.XMLNSC.a; RETURN FALSE;", []),
    ],
)
def test_terminals_of_propagate_must_be_wired(statement: str, found: list[str], tmp_path: Path) -> None:
    esql = compute("M", f"SET OutputRoot = InputRoot; {statement}")
    files: dict[str, str | bytes] = {"F.msgflow.yaml": flow(IN + NODE.format(more="") + OUT), "F.esql": esql}
    assert codes(linted(tmp_path, files)) == found


def test_a_module_of_the_wrong_kind_is_named(tmp_path: Path) -> None:
    esql = compute("M", "RETURN TRUE;", "FILTER")
    found = linted(tmp_path, {"F.msgflow.yaml": flow(IN + NODE.format(more="") + OUT), "F.esql": esql})
    assert [(each.code, each.text) for each in found] == [
        ("FL105", "M is a FILTER module; the node needs a COMPUTE module")
    ]


def test_a_library_is_judged_with_the_flows_that_use_it(tmp_path: Path) -> None:
    project = (
        "<projectDescription><name>{name}</name><projects>{uses}</projects>"
        "<natures>{nature}</natures></projectDescription>"
    )
    natures = "<nature>com.ibm.etools.msgbroker.tooling.{}</nature>"
    app = project.format(name="App", uses="<project>Lib</project>", nature=natures.format("applicationNature"))
    lib = project.format(name="Lib", uses="", nature=natures.format("libraryNature"))
    unused = "CREATE PROCEDURE ForOthers() BEGIN SET Environment.x = 1; END;\n"
    found = linted(
        tmp_path,
        {
            "App/.project": app,
            "App/F.msgflow.yaml": flow(IN + NODE.format(more="") + OUT),
            "Lib/.project": lib,
            "Lib/M.esql": LOSES + unused,
        },
    )
    assert [(each.code, Path(each.file).name) for each in found] == [("FL001", "M.esql")]


def test_a_routine_that_a_map_names_is_used(tmp_path: Path) -> None:
    esql = "CREATE FUNCTION ToEuro(IN a DECIMAL) RETURNS DECIMAL BEGIN RETURN a; END;\n"
    files: dict[str, str | bytes] = {"a.esql": esql}
    assert [each.code for each in linted(tmp_path / "one", files)] == ["FL010"]
    assert linted(tmp_path / "two", {**files, "m.map": '<custom name="ToEuro"/>'}) == []


def test_what_the_compiler_says_is_listed_with_its_number(tmp_path: Path) -> None:
    esql = compute("M", "SET Environment.x = Nowhere(1); RETURN TRUE;") + compute("N", "SET y = 1; RETURN TRUE;")
    found = linted(tmp_path, {"a.esql": esql, "b.esql": "CREATE COMPUTE"})
    assert [(each.code, each.severity, each.line) for each in found if each.code.startswith("BIP")] == [
        ("BIP2492", "warning", 2),
        ("BIP2432", "error", 5),
        ("BIP2401", "error", 1),
    ]


def test_a_description_switches_a_check_off_for_a_node(tmp_path: Path) -> None:
    node = NODE.format(more=", computeMode: sometimes").replace("{type", '{description: "{}", type')
    esql = compute("M", "SET OutputRoot = InputRoot; RETURN TRUE;")
    for description, found in (("Doubles it. lint: off FL101", []), ("lint: off FL102", ["FL101"])):
        text = flow(IN + node.replace("{}", description) + OUT)
        place = tmp_path / (found[0] if found else "none")
        assert codes(linted(place, {"F.msgflow.yaml": text, "F.esql": esql})) == found


def test_a_wire_to_a_node_that_is_not_there_is_reported(tmp_path: Path) -> None:
    """FL112: only a damaged flow file has such a wire."""
    body = """<composition>
      <nodes xmi:type="ComIbmMQInput.msgnode:FCMComposite_1" xmi:id="FCMComposite_1_1" queueName="IN">
        <translation xmi:type="utility:ConstantString" string="In"/></nodes>
      <connections xmi:type="eflow:FCMConnection" xmi:id="FCMConnection_1" targetNode="FCMComposite_1_9" \
sourceNode="FCMComposite_1_1" sourceTerminalName="OutTerminal.out" targetTerminalName="InTerminal.in"/>
    </composition>"""
    found = linted(tmp_path, {"F.msgflow": flow_file("F.msgflow", ["ComIbmMQInput.msgnode"], body)})
    assert [each.code for each in found] == ["FL112"]


def test_an_empty_directory_and_files_of_other_kinds_have_no_findings(tmp_path: Path) -> None:
    assert linted(tmp_path, {"readme.txt": "hello", "x.esql": ""}) == []
