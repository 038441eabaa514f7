"""Cases of `bench flow` that run whole flows, and the floors: hand-written Python that makes the same change.

A flow gets bytes and a descriptor and ends with bytes and a descriptor; what puts them to a queue is left out. A floor
gets the body and gives the body: no descriptor, no headers, no routing, so it does less than the flow.
"""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxml import etree

from benchmarks.broker import messages
from flintmq.broker import load
from flintmq.broker.flow.engine import Invocation
from flintmq.broker.flow.nodes.inputs import Incoming, InputNode
from flintmq.broker.flow.services import Put, Recorder, Written
from flintmq.mqi.md import MQMD


class Sink(Recorder):
    """Services that keep only the last put, as bytes."""

    keeps_trees = False

    def __init__(self) -> None:
        super().__init__()
        self.last = b""

    def put(self, put: Put) -> Written:
        """Take the data; a queue manager would do the rest."""
        self.last = put.data
        return Written(put.queue, put.queue_manager, put.md.msg_id, put.md.correl_id)


@dataclass(slots=True)
class Case:
    """A figure: what runs, its floor, and the message."""

    name: str
    flow: Callable[[], bytes]
    floor: Callable[[], bytes]


def runner(yaml: str, data: bytes, md: MQMD) -> Callable[[], bytes]:
    """Return a function that sends one message through a flow and gives what was put."""
    with tempfile.TemporaryDirectory() as place:
        Path(place, "F.msgflow.yaml").write_text("flow: F.msgflow\n" + yaml)
        Path(place, "F.esql").write_text(messages.ESQL)
        flow = load(place).flow("F")
    assert not flow.problems, flow.problems
    node = flow.runtime.inputs[0]
    assert isinstance(node, InputNode)
    sink = Sink()
    runtime = flow.runtime

    def run() -> bytes:
        node.take(Invocation(runtime, sink), Incoming(data, md))
        return sink.last

    return run


def simple_floor(body: bytes) -> bytes:
    """Copy a message and change one field."""
    document = etree.fromstring(body)
    document.find("TestCase/Name").text = "changed"
    return bytes(etree.tostring(document))


def complex_floor(body: bytes, passes: int = 1) -> bytes:
    """Do what the complex Compute does, as a Python programmer writes it with lxml."""
    document = etree.fromstring(body)
    case = document.find("TestCase")
    elements = case.find("Stack/ProcessingPath").findall("Element")
    for _ in range(passes):
        path: Any = case.find("ProcessingPath")
        if path is None:
            path = etree.SubElement(case, "ProcessingPath")
        for number, element in enumerate(elements):
            if number < len(path):
                component = path[number]
                name, transport = component.find("Name"), component.find("Transport")
                queue = transport.find("Queue")
            else:
                component = etree.SubElement(path, "Component")
                name = etree.SubElement(component, "Name")
                transport = etree.SubElement(component, "Transport")
                queue = etree.SubElement(transport, "Queue")
            name.text = element.findtext("COMPONENT")
            transport.set("Type", "A")
            queue.text = element.findtext("QUEUE")
    return bytes(etree.tostring(document))


def filter_floor(data: bytes) -> bytes:
    """Read the MQRFH2 by `struct`, its folder by lxml, and test one field."""
    _, _, length, _, _, _, _, _ = struct.unpack_from("<4siiii8sii", data)
    size = struct.unpack_from("<i", data, 36)[0]
    folder = etree.fromstring(data[40 : 40 + size])
    return data[length:] if folder.findtext("Colour") == "red" else b""


def route_floor(body: bytes, count: int, targets: dict[str, Callable[[bytes], bytes]]) -> bytes:
    """Make a list of labels, take the last, and call what it names."""
    router = etree.Element("RouterList")
    for number in range(1, count + 1):
        etree.SubElement(etree.SubElement(router, "DestinationData"), "labelName").text = f"L{number}"
    return targets[router[-1].findtext("labelName")](body)


def cases(size: int = 4096) -> list[Case]:
    """Return the cases for messages of a size."""
    body = messages.order(size)
    md = messages.descriptor()
    behind = messages.with_rfh2(body, "<usr><Colour>red</Colour></usr>")
    targets: dict[str, Callable[[bytes], bytes]] = {f"L{number}": bytes for number in range(1, 101)}
    return [
        Case("compute_simple", runner(messages.computing("Simple"), body, md), lambda: simple_floor(body)),
        Case("compute_complex", runner(messages.computing("Complex"), body, md), lambda: complex_floor(body)),
        Case(
            "compute_five",
            runner(messages.computing("Complex", 5), body, md),
            lambda: b"".join([complex_floor(body, 5)]),
        ),
        Case(
            "compute_very_complex",
            runner(messages.computing("VeryComplex"), body, md),
            lambda: complex_floor(body, 5),
        ),
        Case(
            "filter",
            runner(messages.filtering(), behind, messages.descriptor("MQHRF2")),
            lambda: filter_floor(behind),
        ),
        Case("route_1", runner(messages.routing("Route1", 1), body, md), lambda: route_floor(body, 1, targets)),
        Case("route_100", runner(messages.routing("Route100", 100), body, md), lambda: route_floor(body, 100, targets)),
    ]
