"""Nodes of public flows give what a running product was recorded with.

A recorder writes one file per hop: the assembly between two nodes. Two files of one message, one into a node and one
out of it, are a test of that node: the first goes in here, and what the node sends is compared with the second, all
four trees. Recordings of input nodes are tests, too: the request that HTTPInputHeader tells is sent again.

`EXPLAINED` says where a difference is right, and why. Everything else must be equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from flintmq.broker import Flow, load
from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.engine import Invocation, RuntimeNode, Wire
from flintmq.broker.flow.function import LoadedApplications, incoming_of
from flintmq.broker.flow.nodes.aggregation import Groups
from flintmq.broker.flow.nodes.http_common import find_body
from flintmq.broker.flow.nodes.inputs import InputNode
from flintmq.broker.flow.services import HttpResponse, Recorder
from flintmq.broker.formats.registry import Context, format_of
from flintmq.broker.tree.assembly import Assembly
from flintmq.broker.tree.difference import compare_trees
from flintmq.broker.tree.element import copy_element
from flintmq.broker.tree.mxml import Recorded, differences, read_mxml

#: Node to the paths that differ, and why.
EXPLAINED: dict[str, tuple[tuple[str, ...], str]] = {
    "processFeed.Compute": (
        ("message/JSON/Data/requestSession", "message/JSON/Data/requestProcessed", "environment/Variables/sessionId"),
        "a UUID and the current time",
    ),
    "AggregationFlow.Aggregate Control": (
        ("localEnvironment/ComIbmAggregateControlNode/aggregateId",),
        "each aggregation has another identifier",
    ),
    "AggregationFlow.MQ Output1": (
        tuple(
            f"localEnvironment/WrittenDestination/MQ/DestinationData/{name}"
            for name in ("msgId", "replyIdentifier", "putDate", "putTime", "destinationQueueManager")
        ),
        "identifiers, time and name of the queue manager that put",
    ),
    "CollectorFlow.CreateReply": (
        ("localEnvironment/Destination/HTTP/ReplyStatusCode",),
        "one recording is older than the statement that sets the status",
    ),
    "Transformation_ESQL.Compute": (
        ("localEnvironment",),
        "computeMode was changed after the recording: the local environment that travels is a new one now",
    ),
}
EXPLAINED["AggregationFlow.MQ Output2"] = EXPLAINED["AggregationFlow.MQ Output1"]
#: What every run has of its own.
OWN = (
    "message/Properties/CreationTime",
    "localEnvironment/Destination/HTTP/RequestIdentifier",
)


#: A recording whose local environment was changed by hand: it tells another path than its own request line.
EDITED = "00007943-65AEFC37-00000001-0.mxml"


class Pair(NamedTuple):
    """What went into a node, and what came out of it."""

    repository: Path
    node: str
    into: Path
    out: Path


class Sink(RuntimeNode):
    """Takes what a node sends."""

    def __init__(self) -> None:
        self.taken: list[Assembly] = []

    def receive(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        self.taken.append(assembly)


@cache
def recording(path: Path) -> Recorded:
    return read_mxml(path.read_bytes())


@cache
def applications(repository: Path) -> LoadedApplications:
    return load(repository)


def text(recorded: Recorded, path: str) -> str:
    return str(recorded.checkpoint(path) or "").strip()


def recordings(corpus: Path) -> Iterator[Path]:
    for path in sorted(corpus.glob("**/*.mxml")):
        if b"MessageAssembly" in path.read_bytes()[:400]:
            yield path


def pairs(corpus: Path) -> list[Pair]:
    """Return all pairs of files: same directory and message, the target of one is the source of the other."""
    messages: dict[tuple[Path, str], list[Path]] = {}
    for path in recordings(corpus):
        message = text(recording(path), "messageId")
        # Some projects blank the identifier of the message so that their own tests can compare files.
        known = message.strip("0-")
        messages.setdefault((path.parent, message if known else path.name.rpartition("-")[0]), []).append(path)

    def number(path: Path) -> int:
        return int(text(recording(path), "propagationCount") or 0)

    found: list[Pair] = []
    for files in messages.values():
        files.sort(key=number)
        for into in files:
            node = text(recording(into), "target.name")
            following = [
                path for path in files if number(path) > number(into) and text(recording(path), "source.name") == node
            ]
            if node and following:
                repository = corpus / into.relative_to(corpus).parts[0]
                found.append(Pair(repository, node, into, following[0]))
    return found


def flow_of(repository: Path, recorded: Recorded, end: str) -> Flow:
    """Return the flow that a recording is of; some applications have another name today."""
    loaded = applications(repository)
    name = text(recorded, f"{end}.nodePath.messageFlow") or text(recorded, f"{end}.identifier").partition("#")[0]
    application = text(recorded, f"{end}.nodePath.application")
    return loaded.flow(name, application if loaded.project.application(application) else "")


def run_node(flow: Flow, label: str, into: Recorded, terminal: str, http: Any = None) -> Assembly | None:
    """Return what a node sends to a terminal for a recorded assembly."""
    node = next(each for each in flow.runtime.nodes if each.short_label == label)
    sink = Sink()
    wires, node.wires = node.wires, {terminal: [Wire(sink, "in")]}
    invocation = Invocation(flow.runtime, Recorder(http))
    given = into.assembly()
    assembly = Assembly(
        *(
            copy_element(tree)
            for tree in (given.message, given.local_environment, given.environment, given.exception_list)
        )
    )
    try:
        node.receive(invocation, assembly, text(into, "target.terminal"))
    except BrokerError:
        # AggregateControl sends, and then misses the AggregateRequest nodes that are not wired here.
        if not sink.taken:
            raise
    finally:
        node.wires = wires
    return sink.taken[0] if sink.taken else None


def test_what_nodes_send_equals_the_recordings(foreign: Callable[[str], Path]) -> None:
    corpus = foreign("corpus")
    wrong: list[str] = []
    compared = 0
    for pair in pairs(corpus):
        into, out = recording(pair.into), recording(pair.out)
        kind = text(into, "target.type")
        if kind in ("ComIbmJavaComputeNode", "ComIbmAggregateReplyNode"):
            # Java has no counterpart here; replies need both of their recordings (below).
            continue
        flow = flow_of(pair.repository, into, "target")
        sent = run_node(flow, pair.node, into, text(out, "source.terminal"))
        ignored, _ = EXPLAINED.get(f"{flow.name.rpartition('.')[2]}.{pair.node}", ((), ""))
        found = ["nothing was sent"] if sent is None else differences(out, sent, ignored)
        wrong += [f"{pair.out.name} ({pair.node}): {line}" for line in found]
        compared += 1
    assert wrong == []
    assert compared >= 23


def test_http_input_nodes_make_the_recorded_trees(foreign: Callable[[str], Path]) -> None:
    """The request that a recording tells is sent again; the tree must be the same."""
    corpus = foreign("corpus")
    wrong: list[str] = []
    compared = 0
    for path in recordings(corpus):
        recorded = recording(path)
        if text(recorded, "source.type") != "ComIbmWSInputNode" or "message" not in recorded.parts:
            continue
        message = recorded.parts["message"]
        header = message.child("HTTPInputHeader")
        if header is None or path.name == EDITED:
            continue
        flow = flow_of(corpus / path.relative_to(corpus).parts[0], recorded, "source")
        sent = [(child.name, child.value) for child in header.children()]
        command = next(str(value) for name, value in sent if name == "X-Original-HTTP-Command")
        method, url, _ = command.split(" ")
        body = find_body(message)
        data = b"" if body is None else format_of(body.domain or body.name).write(body, Context())
        node = next(each for each in flow.runtime.nodes if each.short_label == text(recorded, "source.name"))
        sink = Sink()
        wires, node.wires = node.wires, {text(recorded, "source.terminal"): [Wire(sink, "in")]}
        try:
            assert isinstance(node, InputNode)
            incoming = incoming_of(data, {"HTTPInputHeader": dict(sent)})
            incoming.method, incoming.path, incoming.query = method, urlsplit(url).path, urlsplit(url).query
            node.take(Invocation(flow.runtime, Recorder()), incoming)
        finally:
            node.wires = wires
        wrong += [f"{path.name}: {line}" for line in differences(recorded, sink.taken[0], OWN)]
        compared += 1
    assert wrong == []
    assert compared >= 17


SCATTER = "trevor-dolby-at-ibm-com+ace-scatter-gather-test-examples"


def test_aggregate_reply_joins_recorded_replies(foreign: Callable[[str], Path]) -> None:
    """Requests of one recording, replies of two others, one message of a fourth."""
    place = foreign("corpus") / SCATTER / "AggregationApplication"
    flow = applications(place.parent).flow("AggregationFlow")
    requests = [recording(place / f"AggregationFlow_00007DD8_63A4DDF9_00000001_{number}.mxml") for number in (3, 6)]
    replies = [
        recording(place / f"AggregationFlow_{name}_63A4DDF9_00000001_0.mxml") for name in ("000081E0", "00007024")
    ]
    expected = recording(place / "AggregationFlow_00007024_63A4DDF9_00000001_1.mxml")
    recorder = Recorder()
    identifiers = [
        each.assembly().local_environment.get("WrittenDestination.MQ.DestinationData.replyIdentifier")
        for each in requests
    ]
    assert all(isinstance(each, bytes) for each in identifiers)
    names = zip(("two", "one"), [each.hex() for each in identifiers if isinstance(each, bytes)], strict=True)
    Groups("aggregation", "singleFlow", recorder).open("group", list(names), None, 30)
    node = next(each for each in flow.runtime.nodes if each.short_label == "Aggregate Reply")
    sink = Sink()
    wires, node.wires = node.wires, {"out": [Wire(sink, "in")]}
    try:
        for reply in replies:
            node.receive(Invocation(flow.runtime, recorder), reply.assembly(), "in")
    finally:
        node.wires = wires

    assert len(sink.taken) == 1
    # The product stores replies as bytes: what is not in the bytes comes back empty for the reply that waited.
    stored = tuple(
        f"message/ComIbmAggregateReplyBody/two/{name}"
        for name in (
            *(f"Properties/{leaf}" for leaf in ("MessageSet", "MessageType", "MessageFormat", "Topic", "ContentType")),
            "Properties/Identity*",
            "MQMD/SourceQueue",
        )
    )
    assert differences(expected, sink.taken[0], (*stored, "message/Properties/Identity*")) == []


def test_collector_makes_the_recorded_collection(foreign: Callable[[str], Path]) -> None:
    place = foreign("corpus") / SCATTER / "CollectorApplication_UnitTest/src/main/resources"
    flow = applications(foreign("corpus") / SCATTER).flow("CollectorFlow")
    parts = ("00008E6C-6477A7C1-00000001-0", "00001FD0-6477A7C1-00000002-0", "0000BA0C-6477A7C1-00000002-0")
    expected = recording(place / "00009DA4-6477A7C1-00000005-0.mxml")
    node = next(each for each in flow.runtime.nodes if each.short_label == "Collector")
    sink = Sink()
    wires, node.wires = node.wires, {"out": [Wire(sink, "in")]}
    recorder = flow._recorder(None, None, None, None, None, None)
    try:
        for name in parts:
            recorded = recording(place / f"{name}.mxml")
            terminal = text(recorded, "target.terminal")
            node.receive(Invocation(flow.runtime, recorder), recorded.assembly(), terminal)
        flow.surroundings.follow(flow.runtime, recorder, lambda runtime: Invocation(runtime, recorder))
    finally:
        node.wires = wires

    assert len(sink.taken) == 1
    # The product stores messages as bytes, so their Properties come back with the defaults of the parser; and its
    # default character set is that of its machine.
    ignored = (
        "message/Properties/CodedCharSetId",
        "message/Properties/CreationTime",
        "message/Properties/Identity*",
        "message/Collection/*/Properties",
    )
    assert differences(expected, sink.taken[0], ignored) == []


def test_http_request_puts_the_answer_where_the_recording_has_it(foreign: Callable[[str], Path]) -> None:
    place = foreign("corpus") / "matthiasblomme+Ace_test_cases/HttpRequestArray"
    expected = recording(place / "RestArrayFrontendApp/RestArrayFrontendFlow_00002DA8_685E5D2B_00000001_2.mxml")
    flow = load(place).flow("RestArrayFrontendFlow")
    # The input of the node is its output without what the node added.
    before = read_mxml(
        (place / "RestArrayFrontendApp/RestArrayFrontendFlow_00002DA8_685E5D2B_00000001_2.mxml").read_bytes()
    )
    given = before.assembly()
    header = given.message.child("HTTPResponseHeader")
    written = given.local_environment.child("WrittenDestination")
    replies = given.environment.child("variables")
    assert header is not None and written is not None and replies is not None
    header.detach()
    written.detach()
    array = replies.child("replies")
    assert array is not None and array.last is not None
    array.last.detach()
    headers = {child.name: str(child.value) for child in header.children() if not child.name.startswith("X-Original")}
    answer = HttpResponse(200, b'{"Reply":"hello"}', headers)

    sent = run_node(flow, "HTTP Request", before, "out", {"HTTP Request": answer})

    assert sent is not None
    assert differences(expected, sent) == []


@pytest.mark.parametrize(("name", "expected"), [("emailRow", "WithRowCast"), ("emailList", "WithoutRowCast")])
def test_select_gives_the_recorded_rows(foreign: Callable[[str], Path], name: str, expected: str) -> None:
    place = foreign("corpus") / "matthiasblomme+Ace_test_cases/SelectTheRow"
    recorded = recording(place / f"{expected}.mxml")
    mail = [("business", "x@y"), ("personal", "john@wick.com"), ("personal", "shootemup@aol.com")]
    items = [{"type": kind, "address": address} for kind, address in mail]

    flow = load(place).flow(name)
    reply = flow({"contact": {"details": {"email": items}}}).reply

    assert reply is not None
    found = Recorded({"message": reply.root})
    only_body = ("message/Properties", "message/HTTPInputHeader")
    assert differences(recorded, found, only_body, ("message",)) == []


def test_the_context_tree_tells_the_input_node_as_recorded(foreign: Callable[[str], Path]) -> None:
    place = foreign("corpus") / "matthiasblomme+Ace_test_cases/ContextLogNode"
    recorded = recording(next(place.glob("**/*.mxml")))
    flow = load(place).flow("FlowWithLogging")
    nodes = recorded.parts["context"].child("Nodes")
    assert nodes is not None
    expected = nodes.child("HTTP Input")
    assert expected is not None
    header = recorded.parts["message"].child("HTTPInputHeader")
    assert header is not None
    node = next(each for each in flow.runtime.nodes if each.short_label == "HTTP Input")
    assert isinstance(node, InputNode)
    incoming = incoming_of(
        b'{"some":"data"}', {"HTTPInputHeader": {each.name: each.value for each in header.children()}}
    )
    invocation = Invocation(flow.runtime, Recorder())
    wires, node.wires = node.wires, {}
    try:
        node.take(invocation, incoming)
    finally:
        node.wires = wires

    found = invocation.context.child("Nodes")
    assert found is not None
    assert compare_trees(expected, found.child("HTTP Input"), "node") == []
    for name in ("FlowDetails", "InvocationDetails"):
        wanted, made = recorded.parts["context"].child(name), invocation.context.child(name)
        assert wanted is not None and made is not None
        assert [child.name for child in made.children()] == [child.name for child in wanted.children()]
