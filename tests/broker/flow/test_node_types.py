"""Descriptions of node types: the catalogue, titles, unknown types."""

from __future__ import annotations

import pytest

from flintmq.broker.flow import node_types
from flintmq.broker.flow.node_types import NODE_TYPES, NodeType, by_title, can_run, mark_runnable, node_type

#: What the message broker must be able to describe, by the name that developers use.
WANTED = (
    "MQInput MQOutput MQReply MQGet MQHeader Compute Filter Database DatabaseRetrieve DatabaseRoute RouteToLabel Label "
    "Route Publication FlowOrder Trace Throw TryCatch ResetContentDescriptor Passthrough Validate XSLTransform Input "
    "Output HTTPInput HTTPReply HTTPRequest HTTPHeader HTTPAsyncRequest HTTPAsyncResponse SOAPInput SOAPReply "
    "SOAPRequest FileInput FileOutput FileRead TimeoutControl TimeoutNotification AggregateControl AggregateRequest "
    "AggregateReply Collector CallableFlowInvoke CallableFlowInput CallableFlowReply PythonCompute JavaCompute Mapping "
    "SOAPEnvelope SOAPExtract GroupScatter GroupGather GroupComplete DatabaseInput EmailOutput RESTRequest"
)


@pytest.mark.parametrize("title", WANTED.split())
def test_a_node_that_flows_use_is_described(title: str) -> None:
    found = by_title(title)
    assert found is not None
    assert NODE_TYPES[found.type] is found


@pytest.mark.parametrize(
    ("name", "inputs", "outputs"),
    [
        ("ComIbmMQInput.msgnode", (), {"out", "failure", "catch"}),
        ("ComIbmMQOutput.msgnode", ("in",), {"out", "failure"}),
        ("ComIbmMQGet.msgnode", ("in",), {"out", "warning", "failure", "noMessage"}),
        ("ComIbmCompute.msgnode", ("in",), {"failure", "out", "out1", "out2", "out3", "out4"}),
        ("ComIbmFilter.msgnode", ("in",), {"failure", "true", "false", "unknown"}),
        ("ComIbmRouteToLabel.msgnode", ("in",), {"failure"}),
        ("ComIbmLabel.msgnode", (), {"out"}),
        ("ComIbmFlowOrder.msgnode", ("in",), {"failure", "first", "second"}),
        ("ComIbmTryCatch.msgnode", ("in",), {"try", "catch"}),
        ("ComIbmWSInput.msgnode", (), {"out", "failure", "timeout", "catch"}),
        ("ComIbmWSRequest.msgnode", ("in",), {"out", "error", "failure"}),
        ("ComIbmAggregateReply.msgnode", ("in", "control"), {"out", "unknown", "timeout", "catch", "failure"}),
        ("FCMSource", (), {"out"}),
        ("FCMSink", ("in",), set()),
    ],
)
def test_terminals_are_those_of_the_product(name: str, inputs: tuple[str, ...], outputs: set[str]) -> None:
    found = node_type(name)
    assert found is not None
    assert (found.inputs, set(found.outputs)) == (inputs, outputs)


@pytest.mark.parametrize(
    ("title", "name", "default"),
    [
        ("MQInput", "transactionMode", "yes"),  # B233
        ("MQOutput", "transactionMode", "automatic"),
        ("MQOutput", "destinationMode", "fixed"),
        ("MQGet", "waitInterval", "1000"),
        ("Compute", "computeMode", "message"),
        ("RouteToLabel", "mode", "routeToLast"),
        ("Route", "distributionMode", "all"),
        ("HTTPInput", "timeoutForClient", "180"),
        ("HTTPRequest", "timeoutForServer", "120"),
        ("Trace", "destination", "userTrace"),
        ("Throw", "messageNumber", "3001"),
        ("FileInput", "recordLength", "80"),
    ],
)
def test_a_default_is_that_of_the_product(title: str, name: str, default: str) -> None:
    found = by_title(title)
    assert found is not None
    assert found.properties[name] == default


def test_titles_and_types_are_unique() -> None:
    titles = [each.title for each in NODE_TYPES.values()]
    assert len(titles) == len(set(titles))


def test_only_input_nodes_start_a_flow() -> None:
    """B244: a flow needs an input node."""
    starts = {each.title for each in NODE_TYPES.values() if each.starts_flow}
    assert {"MQInput", "HTTPInput", "FileInput", "TimeoutNotification", "CallableFlowInput", "DatabaseInput"} <= starts
    assert not {"Label", "Input", "Collector", "Compute", "MQOutput"} & starts


def test_a_type_that_is_not_described_keeps_its_name() -> None:
    assert node_type("com/acme/Crypt.msgnode") is None
    assert node_types.title_of("com/acme/Crypt.msgnode") == "com/acme/Crypt.msgnode"
    assert node_types.class_name("com/acme/Crypt.msgnode") == "CryptNode"


def test_the_engine_says_what_it_can_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_types, "_runnable", set())
    assert not can_run("ComIbmCompute.msgnode")
    mark_runnable("ComIbmCompute.msgnode")
    assert can_run("ComIbmCompute.msgnode")


def test_a_user_defined_node_can_be_described(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_types, "_types", {})
    monkeypatch.setattr(node_types, "_titles", {})
    node_types.register(NodeType("com/acme/Crypt", "Crypt", "Acme", ("in",), ("out",), {"key": ""}))
    found = by_title("Crypt")
    assert found is not None and found.type == "com/acme/Crypt.msgnode" and node_type(found.type) is found
