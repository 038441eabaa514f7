"""The ESQL of the WMQI report: complex, five nodes in a row, and very complex (B246, B247).

The messages are self-defining XML, which needs no definition at the broker (B240).

`../shared/anchors/appendix-c.esql` has the statements as the report prints them, with what the scanner made of an
escaped `<=`. The test that reads it says why it is skipped where the file is not there; the same shape in our own words
carries the tests elsewhere.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from benchmarks.broker import messages
from flintmq.broker import Flow
from tests.broker.flow.flows import flow_of

PRINTED = Path(__file__).resolve().parents[3] / "shared" / "anchors" / "appendix-c.esql"


def check_components(body: bytes, source: bytes) -> None:
    """Check every field of the message that the flow made."""
    made, given = etree.fromstring(body), etree.fromstring(source)
    elements = given.findall("TestCase/Stack/ProcessingPath/Element")
    components = made.findall("TestCase/ProcessingPath/Component")
    assert len(components) == len(elements) == messages.ELEMENTS
    for component, element in zip(components, elements, strict=True):
        assert [child.tag for child in component] == ["Name", "Transport"]
        assert component.findtext("Name") == element.findtext("COMPONENT")
        assert dict(component.find("Transport").attrib) == {"Type": "A"}
        assert component.find("Transport").findtext("Queue") == element.findtext("QUEUE")
    # What was not changed is there as it came.
    for path in made.findall("TestCase/ProcessingPath"):
        path.getparent().remove(path)
    assert etree.tostring(made, method="c14n") == etree.tostring(given, method="c14n")


def flow_with(tmp_path: Path, expression: str, count: int = 1, esql: str = "") -> Flow:
    yaml = messages.computing("X", count)
    for number in range(count):
        yaml = yaml.replace('"esql://routine/#X.Main"', expression, 1)
        assert number < count
    flow = flow_of(tmp_path, yaml, esql)
    assert not flow.problems, flow.problems
    return flow


def quoted(text: str) -> str:
    """Return text as a YAML string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


@pytest.mark.parametrize("size", [4096, 16384, 65536])
def test_the_statements_as_printed_make_the_right_message(tmp_path: Path, size: int) -> None:
    if not PRINTED.exists():
        pytest.skip(f"{PRINTED} is not there: it comes with the performance reports")
    body = messages.order(size)
    flow = flow_with(tmp_path, quoted(PRINTED.read_text()))

    check_components(flow(body).out["OUT"][0].body, body)


def test_the_statements_as_printed_run_in_five_nodes_in_a_row(tmp_path: Path) -> None:
    if not PRINTED.exists():
        pytest.skip(f"{PRINTED} is not there: it comes with the performance reports")
    body = messages.order(4096)
    flow = flow_with(tmp_path, quoted(PRINTED.read_text()), 5)

    check_components(flow(body).out["OUT"][0].body, body)


@pytest.mark.parametrize(("module", "count"), [("Complex", 1), ("Complex", 5), ("VeryComplex", 1)])
def test_the_measured_shape_makes_the_right_message(tmp_path: Path, module: str, count: int) -> None:
    body = messages.order(4096)
    flow = flow_with(tmp_path, f'"esql://routine/#{module}.Main"', count, messages.ESQL)

    check_components(flow(body).out["OUT"][0].body, body)


def test_very_complex_as_printed_is_the_loop_five_times_in_one_node(tmp_path: Path) -> None:
    if not PRINTED.exists():
        pytest.skip(f"{PRINTED} is not there: it comes with the performance reports")
    text = PRINTED.read_text()
    start = text.upper().index("SET I = 1")
    body = messages.order(4096)
    flow = flow_with(tmp_path, quoted(text[:start] + text[start:] * 5))

    check_components(flow(body).out["OUT"][0].body, body)
