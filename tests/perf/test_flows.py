"""The flows of the WMQI workloads make the right messages, in every format and size."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from flintmq.broker import Flow, load
from flintmq.perf import catalogue, flows, wmqi
from flintmq.perf.flows import _OUT as OUT

FORMATS = ("XML", "CWF", "MRMXML", "TAG")
BASE = {"transaction": "automatic", "size": 4096, "persistent": False}


def flow_of(place: Path, **parameters: object) -> Flow:
    for name, text in flows.application({**BASE, **parameters}).items():
        (place / name).write_text(text)
    made = load(place).flow("F1")
    assert not made.problems, made.problems
    return made


def out_of(flow: Flow, body: bytes) -> bytes:
    result = flow(body)
    return bytes(result.out[OUT][0].body)


@pytest.mark.parametrize("source", FORMATS)
@pytest.mark.parametrize("target", FORMATS)
def test_a_message_is_converted_from_any_format_to_any(tmp_path: Path, source: str, target: str) -> None:
    """Every field arrives, and the one that is set has its new value: what is measured is a real conversion."""
    body = out_of(flow_of(tmp_path, flow="convert", format_in=source, format_out=target), flows.record(source, 4096))
    assert b"text field07" in body and b"f" * 3000 in body
    if target == "CWF":
        assert len(body) == len(flows.record("CWF", 4096)) and (7).to_bytes(4, "little") in body
    elif target == "TAG":
        assert b";21=7;" in body and b"22=15838" in body
    else:
        tree = etree.fromstring(body)
        assert (
            len(tree) == 31
            and tree.findtext("Int01") == "7"
            and float(tree.findtext("Float02")) == pytest.approx(-2530.8644)
        )


@pytest.mark.parametrize("size", [4096, 16384, 65536])
def test_a_message_has_about_the_size_that_was_asked_for(size: int) -> None:
    assert abs(len(wmqi.order(size)) - size) < 64
    for name in ("XML", "CWF", "TAG"):
        assert 0.7 * size < len(flows.record(name, size)) < 1.1 * size


@pytest.mark.parametrize("kind", ["complex", "chain", "very-complex"])
def test_the_complex_flows_set_three_targets_for_each_element(tmp_path: Path, kind: str) -> None:
    tree = etree.fromstring(out_of(flow_of(tmp_path, flow=kind), wmqi.order(4096)))
    components = tree.findall("TestCase/ProcessingPath/Component")
    assert len(components) == wmqi.ELEMENTS
    assert components[3].findtext("Name") == "Component0004"
    assert components[3].find("Transport").get("Type") == "A"
    assert components[3].findtext("Transport/Queue") == "QUEUE.NUMBER.0004"


def test_the_simple_flow_changes_one_field_and_a_plain_one_none(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    body = wmqi.order(1024)
    assert b"<Name>changed</Name>" in out_of(flow_of(tmp_path / "a", flow="simple"), body)
    assert out_of(flow_of(tmp_path / "b", flow="plain"), body) == body


def test_every_broker_workload_has_a_flow_without_problems(tmp_path: Path) -> None:
    kinds = set()
    for workload in catalogue.WORKLOADS.values():
        if workload.shape == "flow" and workload.base["flow"] != "convert":
            kinds.add(str(workload.base["flow"]))
    for number, kind in enumerate(sorted(kinds)):
        place = tmp_path / str(number)
        place.mkdir()
        flow_of(place, flow=kind)
    assert {"plain", "filter", "route-1", "route-100", "publication", "database-insert", "database-update"} <= kinds
