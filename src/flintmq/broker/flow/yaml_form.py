"""A flow as readable YAML, both ways.

    flow: shop/Orders.msgflow
    properties:
      inQueue: {default: ORDERS.IN, promotes: [Get order.queueName]}
      limit: {type: EInt, default: 100, user-defined: true}
    nodes:
      Get order:
        type: MQInput
        properties: {queueName: LOCAL, messageDomainProperty: XMLNSC}
      By class:
        type: Route
        tables:
          filterTable:
            - {filterPattern: "$Root/XMLNSC/Order/@class='gold'", routingOutputTerminal: gold}
        out-terminals: [gold]
    wires:
      - {from: Get order.out, to: By class.in}
    notes:
      - {text: Gold first, for: [By class]}
    layout: ...

Nodes are named by their label; where a label repeats, a number follows and `label` has the whole label. A node type is
its name for developers, or the type of the flow file where we have no name for it. All values are text. A wire is
`node.terminal`; labels may contain dots, and the longest known label is meant.

`layout` holds parts that no run time reads: positions, ids, icons, namespaces, texts for translation. It may be
missing, as in a flow that was written by hand: ids are then made up. With it, a flow that is converted to YAML and back
is equal to its original form (yaml_writer.py and this module together).
"""

from __future__ import annotations

from typing import Any, Final

import yaml

from flintmq.broker.flow.model import (
    COMPOSITE,
    INPUT_TERMINAL,
    OUTPUT_TERMINAL,
    PARTS,
    PROPERTY,
    SUPER_TYPE,
    AttributeLink,
    Connection,
    FlowDefinition,
    FlowFileError,
    FlowProperty,
    Markup,
    NodeDefinition,
    PropertyDescriptor,
    Row,
    StickyNote,
    Terminal,
    Text,
    constant,
)
from flintmq.broker.flow.node_types import by_title
from flintmq.broker.flow.safe_yaml import load_strings
from flintmq.broker.flow.yaml_writer import default_attributes, default_prefix, is_static, to_data, wire_key

__all__ = ["from_data", "read", "to_data", "write"]

_TOP: Final = {"flow", "description", "properties", "nodes", "wires", "notes", "layout"}
_PROPERTY: Final = {"type", "default", "mandatory", "user-defined", "promotes"}
_NODE: Final = {"type", "label", "description", "properties", "tables", "in-terminals", "out-terminals"}
_WIRE: Final = {"from", "to", "dynamic"}
_NOTE: Final = {"text", "for", "at", "attributes", "extras"}
_DEPTH_MAX: Final = 100


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]
    """Writes text without quotes where YAML allows it, since `read` takes every scalar as text."""

    yaml_implicit_resolvers: dict[Any, Any] = {}

    def ignore_aliases(self, data: object) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> Any:
        return super().increase_indent(flow, False)


def _represent_text(dumper: Any, text: str) -> Any:
    # Rare line breaks change on the way unless they are escaped, which double quotes do.
    style = '"' if any(letter in text for letter in "\x85\u2028\u2029\ufeff") else "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def write(flow: FlowDefinition) -> bytes:
    """Return a flow as YAML."""
    text: str = yaml.dump(to_data(flow), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    return text.encode()


def read(data: bytes, file: str = "", flow_path: str = "") -> FlowDefinition:
    """Return the flow that YAML defines. Raise FlowFileError that names the entry that is wrong."""
    document = load_strings(data, file)
    return from_data(document, file, flow_path)


def from_data(document: object, file: str = "", flow_path: str = "") -> FlowDefinition:
    """Return the flow that a document of dictionaries, lists and text defines."""
    return _Reader(file).flow(document, flow_path)


class _Reader:
    """Turns a document into a definition. Every problem names the place in the document."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.nodes: dict[str, NodeDefinition] = {}

    def flow(self, document: object, flow_path: str) -> FlowDefinition:
        top = self.mapping(document, "the document", _TOP)
        layout = self.mapping(top.get("layout", {}), "layout")
        path = self.text(top.get("flow", ""), "flow") or flow_path
        if not path:
            raise self.problem("flow", "says the path of the flow, for example `flow: shop/Orders.msgflow`")
        flow = FlowDefinition(flow_path or path, file=self.file)
        flow.ns_uri = self.text(layout.get("nsURI", path), "layout.nsURI")
        flow.ns_prefix = self.text(layout.get("nsPrefix", default_prefix(flow.ns_uri)), "layout.nsPrefix")
        self.read_layout(flow, layout)
        description = self.text(top.get("description", ""), "description")
        if description:
            flow.texts["longDescription"] = constant(description)
        self.read_nodes(flow, top, self.mapping(layout.get("nodes", {}), "layout.nodes"))
        self.read_wires(flow, top, self.mapping(layout.get("wires", {}), "layout.wires"))
        self.read_properties(flow, top, layout)
        for number, item in enumerate(self.items(top.get("notes", []), "notes"), 1):
            flow.notes.append(self.note(item, f"note {number}"))
        return flow

    def read_layout(self, flow: FlowDefinition, layout: dict[str, Any]) -> None:
        flow.attributes = self.strings(layout.get("attributes", {}), "layout.attributes")
        flow.flow_attributes = self.strings(layout.get("flow", {"name": COMPOSITE}), "layout.flow")
        flow.super_types = self.string_list(layout.get("supertypes", [SUPER_TYPE]), "layout.supertypes")
        flow.namespaces = self.strings(layout.get("namespaces", {}), "layout.namespaces")
        flow.omitted = self.string_list(layout.get("omitted", []), "layout.omitted")
        for name, item in self.mapping(layout.get("texts", {}), "layout.texts").items():
            flow.texts[name] = self.label(item, f"layout.texts.{name}")
        for part, item in self.mapping(layout.get("parts", {}), "layout.parts").items():
            flow.part_attributes[part] = self.strings(item, f"layout.parts.{part}")
        for part, item in self.mapping(layout.get("extras", {}), "layout.extras", set(PARTS)).items():
            flow.extras[part] = self.markups(item, f"layout.extras.{part}")

    def read_nodes(self, flow: FlowDefinition, top: dict[str, Any], layout: dict[str, Any]) -> None:
        for key, item in self.mapping(top.get("nodes", {}), "nodes").items():
            place = f"the node {key!r}"
            entry = self.mapping(item, place, _NODE)
            extra = self.mapping(layout.get(key, {}), f"layout.nodes.{key}")
            node = NodeDefinition(self.text(extra.get("id", ""), place), self.type(entry, place))
            node.class_name = node.type if node.is_terminal else COMPOSITE
            node.class_name = self.text(extra.get("class", node.class_name), place)
            node.prefix = self.text(extra.get("prefix", ""), place)
            node.location = self.text(extra.get("at", ""), place)
            node.properties = self.strings(entry.get("properties", {}), f"{place}: properties")
            for name, rows in self.mapping(entry.get("tables", {}), f"{place}: tables").items():
                node.tables[name] = [self.row(row, f"{place}: {name}", 0) for row in self.items(rows, place)]
            node.in_terminals = self.terminals(entry.get("in-terminals", []), place)
            node.out_terminals = self.terminals(entry.get("out-terminals", []), place)
            self.read_texts(node, key, entry, extra, place)
            flow.nodes.append(node)
            self.nodes[key] = node
        self.make_ids(flow)

    def read_texts(
        self, node: NodeDefinition, key: str, entry: dict[str, Any], extra: dict[str, Any], place: str
    ) -> None:
        texts = self.mapping(extra.get("texts", {}), f"layout.nodes.{key}.texts")
        if "label" not in extra or extra["label"] != "none":
            node.label = self.text(entry.get("label", key), place)
        if "description" in entry:
            node.texts["longDescription"] = constant(self.text(entry["description"], place))
        for name, item in texts.items():
            node.texts[name] = self.label(item, f"layout.nodes.{key}.texts.{name}")

    def make_ids(self, flow: FlowDefinition) -> None:
        """Give an id to the nodes that have none."""
        taken = {node.id for node in flow.nodes}
        number = 0
        for node in flow.nodes:
            if node.id:
                continue
            prefix = {INPUT_TERMINAL: "InTerminal.", OUTPUT_TERMINAL: "OutTerminal."}.get(node.type)
            wanted = f"{prefix}{node.label}" if prefix else ""
            while not wanted or wanted in taken:
                number += 1
                wanted = f"{prefix}{node.label}{number}" if prefix else f"{COMPOSITE}_{number}"
            node.id = wanted
            taken.add(wanted)

    def type(self, entry: dict[str, Any], place: str) -> str:
        name = self.text(entry.get("type", ""), f"{place}: type")
        if not name:
            raise self.problem(place, "has no type")
        known = by_title(name)
        return known.type if known is not None else name

    def read_wires(self, flow: FlowDefinition, top: dict[str, Any], layout: dict[str, Any]) -> None:
        seen: dict[str, int] = {}
        taken = set()
        for item in layout.values():
            taken.add(self.text(self.mapping(item, "layout.wires").get("id", ""), "layout.wires"))
        number = 0
        for count, item in enumerate(self.items(top.get("wires", []), "wires"), 1):
            place = f"wire {count}"
            entry = self.mapping(item, place, _WIRE)
            source = self.end(entry.get("from"), "out", place, "from")
            target = self.end(entry.get("to"), "in", place, "to")
            key = wire_key(entry.get("from"), entry.get("to"), seen)
            extra = self.mapping(layout.get(key, {}), f"layout.wires: {key}")
            wire_id = self.text(extra.get("id", ""), place)
            while not wire_id or ("id" not in extra and wire_id in taken):
                number += 1
                wire_id = f"FCMConnection_{number}"
            taken.add(wire_id)
            wire = Connection(wire_id, *source, *target)
            wire.source_static = self.is_static(source, outgoing=True)
            wire.target_static = self.is_static(target, outgoing=False)
            if "dynamic" in entry:
                ends = self.string_list(entry["dynamic"], f"{place}: dynamic")
                wire.source_static, wire.target_static = "from" not in ends, "to" not in ends
            wire.bend_points = self.string_list(extra.get("bends", []), place)
            wire.attributes = self.strings(extra.get("attributes", {}), place)
            wire.extras = self.markups(extra.get("extras", []), place)
            flow.connections.append(wire)

    def end(self, item: object, default: str, place: str, name: str) -> tuple[str, str]:
        """Return node id and terminal of an end of a wire."""
        if isinstance(item, dict):
            entry = self.mapping(item, f"{place}: {name}", {"node", "id", "terminal"})
            terminal = self.text(entry.get("terminal", ""), place)
            if "node" not in entry:
                return self.text(entry.get("id", ""), place), terminal
            return self.node(entry["node"], place).id, terminal
        text = self.text(item if item is not None else "", f"{place}: {name}")
        if text in self.nodes:
            return self.nodes[text].id, default
        split = split_end(text, self.nodes)
        if split is None:
            raise self.problem(f"{place}: {name}", f"names no node of the flow: {text!r}")
        return self.nodes[split[0]].id, split[1]

    def node(self, key: object, place: str) -> NodeDefinition:
        found = self.nodes.get(self.text(key, place))
        if found is None:
            raise self.problem(place, f"names no node of the flow: {key!r}")
        return found

    def is_static(self, end: tuple[str, str], outgoing: bool) -> bool:
        node = next((each for each in self.nodes.values() if each.id == end[0]), None)
        return node is None or is_static(node, end[1], outgoing)

    def read_properties(self, flow: FlowDefinition, top: dict[str, Any], layout: dict[str, Any]) -> None:
        entries = self.mapping(top.get("properties", {}), "properties")
        more = self.mapping(layout.get("properties", {}), "layout.properties")
        for name, item in entries.items():
            place = f"the property {name!r}"
            entry = self.mapping(item or {}, place, _PROPERTY)
            extra = self.mapping(more.get(name, {}), f"layout.properties.{name}")
            found = FlowProperty(name, self.text(entry.get("type", "EString"), place))
            if "default" in entry:
                found.default = self.text(entry["default"], place)
            found.attributes = self.strings(extra.get("attributes", {}), place)
            if entry.get("mandatory") == "true":
                found.attributes.setdefault("lowerBound", "1")
            found.id = self.text(extra.get("id", ""), place)
            if "type" in extra:
                found.type_markup = self.markups([extra["type"]], place)[0]
            found.extras = self.markups(extra.get("extras", []), place)
            flow.properties.append(found)
            for link in self.items(entry.get("promotes", []), f"{place}: promotes"):
                flow.links.append(self.link(found.key, link, place))
        for number, item in enumerate(self.items(layout.get("links", []), "layout.links"), 1):
            place = f"layout.links {number}"
            entry = self.mapping(item, place)
            flow.links.append(self.link(self.text(entry.get("property", ""), place), entry, place))
        self.read_descriptors(flow, entries, layout)
        order = self.string_list(layout.get("link-order", []), "layout.link-order")
        if sorted(order) == sorted(str(number) for number in range(len(flow.links))):
            flow.links = [flow.links[int(number)] for number in order]

    def link(self, key: str, item: object, place: str) -> AttributeLink:
        if isinstance(item, str):
            split = split_end(item, self.nodes)
            if split is None:
                raise self.problem(f"{place}: promotes", f"names no node of the flow: {item!r}")
            node = self.nodes[split[0]]
            return AttributeLink(key, [node.id], f"{node.type}#{PROPERTY}{split[1]}")
        entry = self.mapping(item, place, {"property", "nodes", "target", "attributes", "extras"})
        return AttributeLink(
            key,
            self.node_ids(entry.get("nodes", []), place),
            self.text(entry.get("target", ""), place),
            self.strings(entry.get("attributes", {}), place),
            self.markups(entry.get("extras", []), place),
        )

    def node_ids(self, item: object, place: str) -> list[str]:
        """Return ids of nodes that are named by label, or by `{id: ...}` where the flow has no such node."""
        found = []
        for each in self.items(item, place):
            if isinstance(each, dict):
                found.append(self.text(self.mapping(each, place, {"id"}).get("id", ""), place))
            else:
                found.append(self.node(each, place).id)
        return found

    def read_descriptors(self, flow: FlowDefinition, entries: dict[str, Any], layout: dict[str, Any]) -> None:
        """Read how properties are shown. For user-defined ones `properties` decides."""
        by_key = {each.key: each for each in flow.properties}
        items = layout.get("descriptors")
        if items is None:
            items = [{"property": each.key} for each in flow.properties]
        for number, item in enumerate(self.items(items, "layout.descriptors"), 1):
            place = f"layout.descriptors {number}"
            entry = self.mapping(item, place)
            found = PropertyDescriptor(self.text(entry.get("property", ""), place))
            attributes = entry.get("attributes")
            found.attributes = default_attributes() if attributes is None else self.strings(attributes, place)
            known = by_key.get(found.key)
            if known is not None:
                wanted = self.mapping(entries[known.name] or {}, place).get("user-defined")
                if wanted is not None:
                    found.attributes["userDefined"] = self.text(wanted, place)
            if "label" in entry:
                found.label = self.label(entry["label"], place)
            found.extras = self.markups(entry.get("extras", []), place)
            if "level" in entry:
                level = self.text(entry["level"], place)
                if not level.isdecimal() or int(level) > _DEPTH_MAX * 100:
                    raise self.problem(place, "level is not a number")
                found.level = int(level)
            flow.descriptors.append(found)

    def note(self, item: object, place: str) -> StickyNote:
        entry = self.mapping(item, place, _NOTE)
        return StickyNote(
            self.label(entry["text"], place) if "text" in entry else None,
            self.text(entry.get("at", ""), place),
            self.node_ids(entry.get("for", []), place),
            self.strings(entry.get("attributes", {}), place),
            self.markups(entry.get("extras", []), place),
        )

    # Parts that occur in many places.

    def terminals(self, item: object, place: str) -> list[Terminal]:
        found = []
        for each in self.items(item, f"{place}: terminals"):
            if isinstance(each, str):
                found.append(Terminal(each, each))
                continue
            entry = self.mapping(each, place, {"name", "label", "dynamic", "attributes"})
            name, label = self.text(entry.get("name", ""), place), self.text(entry.get("label", ""), place)
            dynamic = entry.get("dynamic", "true") == "true"
            found.append(Terminal(name, label, dynamic, self.strings(entry.get("attributes", {}), place)))
        return found

    def label(self, item: object, place: str) -> Text:
        if isinstance(item, str):
            return constant(item)
        entry = self.mapping(item, place, {"kind", "values"})
        return Text(self.text(entry.get("kind", ""), place), self.strings(entry.get("values", {}), place))

    def markups(self, item: object, place: str, depth: int = 0) -> list[Markup]:
        if depth > _DEPTH_MAX:
            raise self.problem(place, f"is nested more than {_DEPTH_MAX} deep")
        found = []
        for each in self.items(item, place):
            entry = self.mapping(each, place, {"element", "attributes", "children", "text"})
            children = self.markups(entry.get("children", []), place, depth + 1)
            attributes = self.strings(entry.get("attributes", {}), place)
            name = self.text(entry.get("element", ""), place)
            found.append(Markup(name, attributes, children, self.text(entry.get("text", ""), place)))
        return found

    def row(self, item: object, place: str, depth: int) -> Row:
        if depth > _DEPTH_MAX:
            raise self.problem(place, f"is nested more than {_DEPTH_MAX} deep")
        row: Row = {}
        for key, value in self.mapping(item, place).items():
            if isinstance(value, str):
                row[key] = value
            else:
                row[key] = [self.row(each, place, depth + 1) for each in self.items(value, place)]
        return row

    def mapping(self, item: object, place: str, known: set[str] | None = None) -> dict[str, Any]:
        if not isinstance(item, dict):
            if item == "" or item is None:
                return {}
            raise self.problem(place, "must be a mapping (name: value)")
        for key in item:
            if not isinstance(key, str):
                raise self.problem(place, f"has a name that is no text: {key!r}")
        if known is not None and item.keys() - known:
            wrong, right = ", ".join(sorted(item.keys() - known)), ", ".join(sorted(known))
            raise self.problem(place, f"has an unknown entry: {wrong}. Entries are: {right}")
        return item

    def items(self, item: object, place: str) -> list[Any]:
        if item == "":
            return []
        if not isinstance(item, list):
            raise self.problem(place, "must be a list")
        return item

    def text(self, item: object, place: str) -> str:
        if not isinstance(item, str):
            raise self.problem(place, "must be text")
        return item

    def strings(self, item: object, place: str) -> dict[str, str]:
        return {key: self.text(value, f"{place}: {key}") for key, value in self.mapping(item, place).items()}

    def string_list(self, item: object, place: str) -> list[str]:
        return [self.text(each, place) for each in self.items(item, place)]

    def problem(self, place: str, reason: str) -> FlowFileError:
        return FlowFileError(self.file, f"{place} {reason}")


def split_end(text: str, keys: object) -> tuple[str, str] | None:
    """Return node and terminal (or attribute) of `node.terminal`: the longest known name is the node."""
    assert isinstance(keys, dict)
    place = text.rfind(".")
    while place >= 0:
        if text[:place] in keys:
            return text[:place], text[place + 1 :]
        place = text.rfind(".", 0, place)
    return None
