"""Nodes that choose a path: Label, RouteToLabel, Route, FlowOrder."""

from __future__ import annotations

from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.engine import Invocation, NodeProblem, RuntimeNode, runs
from flintmq.broker.flow.patterns import Xpath
from flintmq.broker.tree.assembly import Assembly
from flintmq.broker.tree.element import Step, find_all, walk

_ROUTER = [Step("Destination"), Step("RouterList")]
_ENTRY = Step("DestinationData")


@runs
class Label(RuntimeNode):
    """Label: where RouteToLabel and PROPAGATE TO LABEL lead."""

    types = ("ComIbmLabel.msgnode",)

    def prepare(self) -> None:
        self.label_name = self.text("labelName")
        if not self.label_name:
            raise NodeProblem(f"{self.label}: the property labelName is empty")

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        local = self.own_environment(invocation, assembly)
        local.put("WrittenDestination.Label.label", self.label_name)
        self.send("out", invocation, assembly.replace(local_environment=local))


@runs
class RouteToLabel(RuntimeNode):
    """RouteToLabel: takes the first or last entry of the router list and jumps to that label."""

    types = ("ComIbmRouteToLabel.msgnode",)

    def prepare(self) -> None:
        self.first = self.text("mode", "routeToLast") == "routeToFirst"

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        entries = find_all(walk(assembly.local_environment, _ROUTER), _ENTRY)
        entry = None if not entries else entries[0] if self.first else entries[-1]
        name = None if entry is None else entry.get("labelName")
        if entry is None or name is None or name == "":
            raise BrokerError(
                4256,
                "there is no labelName in LocalEnvironment.Destination.RouterList; set one, and computeMode of the "
                "Compute node so that the local environment travels",
                inserts=(self.label,),
            )
        local = self.own_environment(invocation, assembly)
        left = find_all(walk(local, _ROUTER), _ENTRY)
        (left[0] if self.first else left[-1]).detach()
        node = self.flow.label_node(self, str(name))
        try:
            node.receive(invocation, assembly.replace(local_environment=local), "in")
        except BrokerError as error:
            error.below = self
            raise


@runs
class Route(RuntimeNode):
    """Route: sends the message to the terminals with a true XPath; to `default` if none is."""

    types = ("ComIbmRoute.msgnode",)

    def prepare(self) -> None:
        self.first_only = self.text("distributionMode", "all") == "first"
        namespaces = {
            str(row.get("nsPrefix", "")): str(row.get("namespace", "")) for row in self.tables.get("nsMappingTable", [])
        }
        self.rules: list[tuple[Xpath, str]] = []
        for row in self.tables.get("filterTable", []):
            pattern, terminal = row.get("filterPattern", ""), row.get("routingOutputTerminal", "")
            try:
                self.rules.append((Xpath(str(pattern), namespaces), str(terminal)))
            except ValueError as error:
                raise NodeProblem(f"{self.label}: the filter {pattern!r} is not XPath: {error}") from None

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        matched = False
        for pattern, target in self.rules:
            if pattern.holds(assembly):
                matched = True
                self.send(target, invocation, assembly)
                if self.first_only:
                    return
        if not matched:
            self.send("default", invocation, assembly)


@runs
class FlowOrder(RuntimeNode):
    """FlowOrder: `first` is done wholly before `second` starts; an exception in `first` leaves `second` out."""

    types = ("ComIbmFlowOrder.msgnode",)

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        self.send("first", invocation, assembly)
        self.send("second", invocation, assembly)
