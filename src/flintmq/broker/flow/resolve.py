"""Effective properties of every node of a flow, with subflows expanded.

A flow is expanded into a tree of instances: a FlowInstance for the flow and for every node that stands for a subflow,
a NodeInstance for every node. The value of a property is the first of these that exists:

    1. override   a BAR override that addresses the node (`Flow#Sub label.Node label.queueName`)
    2. promoted   the value of the flow property that is linked to the attribute: an override of that property, the
                  value that the flow outside gives it, its default
    3. node       the attribute of the node
    4. default    the default of the node type

A flow property has, in this order: an override from the flow outside, an override of its own, the value that the flow
outside promotes into it, the attribute of the subflow node, the default in the file. `origins` tells which one it was.

The overrides of a descriptor are URIs. `Flow#...` addresses the flow or subflow of that name; for a subflow the
override holds for each of its instances, unless the flow outside addresses the same node. Labels in a URI are
separated by dots and may contain dots themselves: the longest known label is tried first. A label that several nodes
have addresses all of them.

`[iib.user-name]` in a value is replaced by the user variable `name`. A subflow that is missing, that contains itself,
or an override that addresses nothing is a note; the rest of the flow is expanded.

This module never reads files: `lookup` finds subflows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from flintmq.broker.flow.deployment import FLOW_PROPERTIES
from flintmq.broker.flow.model import FLOW_SUFFIXES, FlowDefinition, FlowProperty, LoadNote, NodeDefinition
from flintmq.broker.flow.node_types import node_type

#: Subflows inside subflows, and nodes of a flow with all subflows.
DEPTH_MAX: Final = 32
INSTANCES_MAX: Final = 20_000
#: Where a value comes from.
OVERRIDE, PROMOTED, NODE, DEFAULT = "override", "promoted", "node", "default"

_PLACEHOLDER: Final = re.compile(r"\[iib\.([A-Za-z0-9_.\-]+)\]")


class SubflowLookup(Protocol):
    """Finds the flow that a node stands for."""

    def __call__(self, path: str, user: FlowDefinition) -> FlowDefinition | None:
        """Return the flow with a path (`a/b/Errors.subflow`) as `user`, the flow with the node, sees it; or None."""


def no_subflows(path: str, user: FlowDefinition) -> FlowDefinition | None:
    """Find nothing: for a flow that is loaded alone."""
    return None


@dataclass(frozen=True, slots=True)
class Target:
    """The target of an override: a property of the flow (`nodes` is empty) or of the node at the end of `nodes`."""

    nodes: tuple[str, ...]
    name: str


@dataclass(slots=True)
class UserProperty:
    """A user-defined property with its effective value. ESQL `EXTERNAL` variables take it."""

    name: str
    type: str
    value: str | None
    origin: str = DEFAULT


@dataclass(slots=True)
class NodeInstance:
    """A node where it stands: in the flow, or in one instance of a subflow."""

    definition: NodeDefinition
    owner: FlowInstance
    #: Effective values; every property of the type that has a default or a value is here.
    properties: dict[str, str] = field(default_factory=dict)
    #: Property to OVERRIDE, PROMOTED, NODE or DEFAULT.
    origins: dict[str, str] = field(default_factory=dict)
    #: What the node stands for, if it is a subflow that was found.
    subflow: FlowInstance | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels from the flow down to this node."""
        return (*self.owner.labels, self.definition.label)

    @property
    def label(self) -> str:
        """`Flow.Sub label.Node label`, as exceptions and logs name the node."""
        return ".".join((self.owner.root.definition.name, *self.labels))

    @property
    def name(self) -> str:
        """`a/b/Flow#FCMComposite_1_3`; in a subflow the names of all levels, joined by dots."""
        prefix = f"{self.owner.node.name}." if self.owner.node is not None else ""
        return f"{prefix}{_bare_path(self.owner.definition)}#{self.definition.id}"


@dataclass(slots=True)
class FlowInstance:
    """A flow, or a subflow where it is used."""

    definition: FlowDefinition
    #: The node that stands for the subflow; None for the flow itself.
    node: NodeInstance | None = None
    nodes: dict[str, NodeInstance] = field(default_factory=dict)
    #: Promoted and user-defined properties of the flow with their effective values, and where these come from.
    values: dict[str, str] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)

    @property
    def labels(self) -> tuple[str, ...]:
        return self.node.labels if self.node is not None else ()

    @property
    def root(self) -> FlowInstance:
        instance = self
        while instance.node is not None:
            instance = instance.node.owner
        return instance

    def user_properties(self) -> dict[str, UserProperty]:
        """Return the EXTERNAL values for ESQL of this flow: properties of this flow, then of those outside."""
        found: dict[str, UserProperty] = {}
        instance: FlowInstance | None = self
        while instance is not None:
            for each in instance.definition.properties:
                descriptor = instance.definition.descriptor_of(each)
                if descriptor is not None and descriptor.user_defined and each.name not in found:
                    value, origin = instance.values.get(each.name), instance.origins.get(each.name, DEFAULT)
                    found[each.name] = UserProperty(each.name, each.type, value, origin)
            instance = instance.node.owner if instance.node is not None else None
        return found


@dataclass(slots=True)
class ResolvedFlow:
    """A flow with all its instances."""

    root: FlowInstance
    #: Properties of the flow that no flow file defines: additionalInstances, commitCount, ...
    settings: dict[str, str] = field(default_factory=dict)
    notes: list[LoadNote] = field(default_factory=list)

    def nodes(self) -> Iterator[NodeInstance]:
        """Yield every node, those of a subflow after the node that stands for it."""
        waiting = list(reversed(self.root.nodes.values()))
        while waiting:
            node = waiting.pop()
            yield node
            if node.subflow is not None:
                waiting += reversed(node.subflow.nodes.values())

    def find(self, *labels: str) -> NodeInstance | None:
        """Return the first node with these labels, from the flow down."""
        return next((node for node in self.nodes() if node.labels == labels), None)


def resolve(
    flow: FlowDefinition,
    lookup: SubflowLookup = no_subflows,
    overrides: Iterable[tuple[str, str]] = (),
    variables: Mapping[str, str] | None = None,
) -> ResolvedFlow:
    """Expand a flow. `overrides` are URI and value, a later one replaces an earlier one."""
    expansion = _Expansion(lookup, overrides, variables or {})
    resolved = ResolvedFlow(FlowInstance(flow), notes=expansion.notes)
    resolved.settings = dict(FLOW_PROPERTIES)
    expansion.expand(resolved.root, {}, {}, 0)
    resolved.settings.update(expansion.settings)
    return resolved


class _Expansion:
    """The work of one call of resolve()."""

    def __init__(
        self, lookup: SubflowLookup, overrides: Iterable[tuple[str, str]], variables: Mapping[str, str]
    ) -> None:
        self.lookup = lookup
        self.variables = variables
        self.notes: list[LoadNote] = []
        self.settings: dict[str, str] = {}
        self.count = 0
        self.by_flow: dict[str, dict[str, str]] = {}
        for uri, value in overrides:
            flow, mark, name = uri.partition("#")
            if mark:
                self.by_flow.setdefault(flow, {})[name] = value
        #: Targets of the overrides of a flow, which are the same for each of its instances.
        self.targets: dict[str, dict[Target, str]] = {}

    def expand(
        self, instance: FlowInstance, outer: dict[Target, str], given: dict[str, tuple[str, str]], depth: int
    ) -> None:
        """Fill an instance. `outer` are overrides of the flows outside, relative to this one; `given` flow values."""
        flow = instance.definition
        assigned = {**self.own_targets(flow), **outer}
        if instance.node is None:
            for name in FLOW_PROPERTIES:
                value = assigned.get(Target((), name))
                if value is not None and flow.flow_property(name) is None:
                    self.settings[name] = value
        self.set_flow_values(instance, assigned, outer, given)
        promoted = self.promoted_values(instance)
        below: dict[str, dict[Target, str]] = {}
        for target, value in assigned.items():
            if target.nodes:
                below.setdefault(target.nodes[0], {})[Target(target.nodes[1:], target.name)] = value
        self.count += len(flow.nodes)
        for number, definition in enumerate(flow.nodes):
            node = NodeInstance(definition, instance)
            key = definition.id if definition.id and definition.id not in instance.nodes else f"node {number}"
            instance.nodes[key] = node
            mine = below.get(definition.id, {})
            self.set_node_values(node, promoted.get(definition.id, {}), mine)
            if definition.is_subflow:
                self.expand_subflow(node, mine, depth)

    def own_targets(self, flow: FlowDefinition) -> dict[Target, str]:
        """Return the targets of the overrides that name this flow."""
        name = flow.qualified_name
        if name in self.targets:
            return self.targets[name]
        found = self.targets[name] = {}
        for rest, value in self.by_flow.get(name, {}).items():
            addressed = targets(f"{name}#{rest}", flow, self.lookup)
            if not addressed:
                self.note(flow, f"the override {name}#{rest} addresses no node and no property of the flow")
            for target in addressed:
                found[target] = value
        for uri in flow.configurable:  # A compiled flow has nodes of subflows, which keep the name of their flow.
            other, _, rest = uri.partition("#")
            if other != name and rest in self.by_flow.get(other, {}):
                for node, attribute in flow.configurable[uri]:
                    found.setdefault(Target((node,), attribute), self.by_flow[other][rest])
        return found

    def set_flow_values(
        self,
        instance: FlowInstance,
        assigned: dict[Target, str],
        outer: dict[Target, str],
        given: dict[str, tuple[str, str]],
    ) -> None:
        for each in instance.definition.properties:
            own = assigned.get(Target((), each.name))
            from_outside = given.get(each.name)
            if Target((), each.name) in outer:
                value, origin = outer[Target((), each.name)], OVERRIDE
            elif from_outside is not None and from_outside[1] == OVERRIDE:
                value, origin = from_outside
            elif own is not None:
                value, origin = own, OVERRIDE
            elif from_outside is not None:
                value, origin = from_outside
            elif each.default is not None:
                value, origin = each.default, DEFAULT
            else:
                continue
            instance.values[each.name] = self.replace_variables(value, instance.definition)
            instance.origins[each.name] = origin

    def promoted_values(self, instance: FlowInstance) -> dict[str, dict[str, tuple[str, str]]]:
        """Return, by node id and attribute, the values that flow properties put there."""
        flow = instance.definition
        by_key: dict[str, FlowProperty] = {each.key: each for each in flow.properties}
        there = {node.id for node in flow.nodes}
        found: dict[str, dict[str, tuple[str, str]]] = {}
        for link in flow.links:
            each = by_key.get(link.key)
            if each is None:
                self.note(flow, f"a promotion names the property {link.key}, which the flow does not have")
                continue
            for node in link.nodes:
                if node not in there:
                    self.note(flow, f"the property {each.name} is promoted from the node {node}, which is not there")
                elif each.name in instance.values:
                    origin = OVERRIDE if instance.origins[each.name] == OVERRIDE else PROMOTED
                    found.setdefault(node, {})[link.attribute] = (instance.values[each.name], origin)
        return found

    def set_node_values(
        self, node: NodeInstance, promoted: dict[str, tuple[str, str]], assigned: dict[Target, str]
    ) -> None:
        definition, flow = node.definition, node.owner.definition
        kind = node_type(definition.type)
        if kind is not None:
            for name, value in kind.properties.items():
                self.set(node, name, value, DEFAULT)
        for name, value in definition.properties.items():
            self.set(node, name, self.replace_variables(value, flow), NODE)
        for name, (value, origin) in promoted.items():
            self.set(node, name, value, origin)
        for target, value in assigned.items():
            if not target.nodes:
                self.set(node, target.name, self.replace_variables(value, flow), OVERRIDE)

    def set(self, node: NodeInstance, name: str, value: str, origin: str) -> None:
        node.properties[name] = value
        node.origins[name] = origin

    def expand_subflow(self, node: NodeInstance, assigned: dict[Target, str], depth: int) -> None:
        path, user = node.definition.type, node.owner.definition
        where = f"the node {node.definition.label!r}"
        found = self.lookup(path, user)
        if found is None:
            self.note(user, f"{where} stands for the subflow {path}, which was not found")
            return
        outside: FlowInstance | None = node.owner
        while outside is not None:
            if outside.definition is found:
                self.note(user, f"{where} stands for the subflow {path}, which contains itself")
                return
            outside = outside.node.owner if outside.node is not None else None
        if depth + 1 > DEPTH_MAX:
            self.note(user, f"{where}: subflows are nested more than {DEPTH_MAX} deep")
            return
        if self.count + len(found.nodes) > INSTANCES_MAX:
            self.note(user, f"{where}: the flow has more than {INSTANCES_MAX} nodes with its subflows")
            return
        given = {
            name: (node.properties[name], origin)
            for name, origin in node.origins.items()
            if origin != OVERRIDE or Target((), name) not in assigned
        }
        node.subflow = FlowInstance(found, node)
        self.expand(node.subflow, assigned, given, depth + 1)

    def replace_variables(self, value: str, flow: FlowDefinition) -> str:
        if "[iib." not in value:
            return value

        def replacement(found: re.Match[str]) -> str:
            name = found[1]
            for key in (name, name.removeprefix("user-")):
                if key in self.variables:
                    return self.variables[key]
            self.note(flow, f"{found[0]} is not a variable that was given")
            return found[0]

        return _PLACEHOLDER.sub(replacement, value)

    def note(self, flow: FlowDefinition, reason: str) -> None:
        note = LoadNote(flow.file or flow.path, reason)
        if note not in self.notes:
            self.notes.append(note)


def targets(uri: str, flow: FlowDefinition, lookup: SubflowLookup = no_subflows) -> list[Target]:
    """Return the targets of a URI in the flow that it names; none if there are none."""
    if uri in flow.configurable:
        return [Target((node,), name) for node, name in flow.configurable[uri]] or _flow_target(flow, uri)
    rest = uri.partition("#")[2]
    if flow.flow_property(rest) is not None or rest in FLOW_PROPERTIES:
        return [Target((), rest)]
    return _Search(lookup).chain(flow, rest, 0)


def _flow_target(flow: FlowDefinition, uri: str) -> list[Target]:
    name = uri.partition("#")[2]
    return [Target((), name)] if flow.flow_property(name) is not None else []


class _Search:
    """Follows the labels of a URI. Labels that repeat in nested subflows could multiply, so the steps are limited."""

    def __init__(self, lookup: SubflowLookup) -> None:
        self.lookup = lookup
        self.steps = INSTANCES_MAX

    def chain(self, flow: FlowDefinition, rest: str, depth: int) -> list[Target]:
        """Try the longest label first. The first label below which something is found decides."""
        labels: dict[str, list[NodeDefinition]] = {}
        for node in flow.nodes:
            if rest.startswith(f"{node.label}."):
                labels.setdefault(node.label, []).append(node)
        for label in sorted(labels, key=len, reverse=True):
            inner = rest[len(label) + 1 :]
            found: list[Target] = []
            for node in labels[label]:
                found += self.below(flow, node, inner, depth)
            if found:
                return found
        return []

    def below(self, flow: FlowDefinition, node: NodeDefinition, rest: str, depth: int) -> list[Target]:
        self.steps -= 1
        if not node.is_subflow:
            # No property name has a dot. Whether the type has the property is for checks.py to say.
            return [Target((node.id,), rest)] if rest and "." not in rest else []
        subflow = self.lookup(node.type, flow) if depth < DEPTH_MAX and self.steps > 0 else None
        if subflow is None:
            return []
        if subflow.flow_property(rest) is not None:
            return [Target((node.id,), rest)]
        return [Target((node.id, *inner.nodes), inner.name) for inner in self.chain(subflow, rest, depth + 1)]


def _bare_path(flow: FlowDefinition) -> str:
    path = flow.path
    for suffix in FLOW_SUFFIXES:
        path = path.removesuffix(suffix)
    return path
