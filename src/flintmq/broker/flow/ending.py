"""Which output nodes end their flow: nothing in the flow sees how their put went, and nothing runs after it.

An error of such a put has one effect, whenever it is known: the message is backed out. So the run time may send the put
together with the commit (`Put.ends_flow`, runtime/queue_session.py). A node N ends its flow if

E1  `out`, `failure` and `noMatch` of N are not wired: nobody asks for the result of the put, and an error unwinds.
E2  every way to N is a last way: it comes from the `out` of an MQInput without `catch`, or from the last wire of a
    terminal of a node that itself stands on last ways only, and that does nothing after it has sent to that terminal
    (RELAYS). Nodes that are not in the table, TryCatch among them, are no such nodes.
E3  no PROPAGATE is under way: the module goes on when it returns. That is known only then (`Invocation.propagating`).
E4  the message belongs to no group of requests (GroupScatter).

E1 and E2 are decided here, once for a flow; E3 and E4 for each message. A node on last ways may also change its local
environment in place: nothing else sees it (`RuntimeNode.own_environment`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from flintmq.broker.flow.engine import RuntimeNode

_ROUTE_TO_LABEL: Final = "ComIbmRouteToLabel.msgnode"
_LABEL: Final = "ComIbmLabel.msgnode"
_INPUT: Final = "ComIbmMQInput.msgnode"
#: Node types and the terminals that they send to as the last thing they do.
RELAYS: Final[dict[str, tuple[str, ...]]] = {
    _INPUT: ("out",),
    _LABEL: ("out",),
    "ComIbmCompute.msgnode": ("out",),
    "ComIbmFilter.msgnode": ("true", "false", "unknown"),
    "ComIbmDatabase.msgnode": ("out",),
    "ComIbmFlowOrder.msgnode": ("second",),
    "ComIbmMQHeader.msgnode": ("out",),
    "ComIbmPassthru.msgnode": ("out",),
    "ComIbmResetContentDescriptor.msgnode": ("out",),
    "ComIbmTrace.msgnode": ("out",),
    "ComIbmXslMqsi.msgnode": ("out",),
    "FCMSource": ("out",),
    "FCMSink": ("out",),
}
_ENDINGS: Final = ("out", "failure", "noMatch")


def last_nodes(nodes: Iterable[RuntimeNode]) -> set[RuntimeNode]:
    """Return the nodes that stand on last ways only (E2)."""
    nodes = list(nodes)
    ways: dict[RuntimeNode, list[RuntimeNode | None]] = {node: [] for node in nodes}
    for node in nodes:
        relayed = RELAYS.get(node.definition.type, ())
        for terminal, wires in node.wires.items():
            for number, wire in enumerate(wires):
                is_last = terminal in relayed and number == len(wires) - 1
                ways[wire.node].append(node if is_last else None)
        if node.definition.type == _ROUTE_TO_LABEL:
            for label in nodes:
                if label.definition.type == _LABEL:
                    ways[label].append(node)
    last = {node for node in nodes if ways[node] or _starts(node)}
    while True:
        out = {node for node in last if any(way is None or way not in last for way in ways[node])}
        if not out:
            return last
        last -= out


def _starts(node: RuntimeNode) -> bool:
    """Return whether a flow begins at a node, and an error that reaches it backs the message out."""
    return node.definition.type == _INPUT and not node.wired("catch")


def ends_flow(node: RuntimeNode) -> bool:
    """Return whether a node that stands on last ways ends its flow (E1)."""
    return not any(node.wired(terminal) for terminal in _ENDINGS)
