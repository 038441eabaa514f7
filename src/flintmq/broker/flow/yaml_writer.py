"""Turn a flow into the document that yaml_form.py writes: dictionaries, lists and text.

The parts for a reader of the flow come first: properties, nodes, wires, notes. `layout` takes everything else, and only
where it differs from the layout that yaml_form.py would make itself.
"""

from __future__ import annotations

from typing import Any

from flintmq.broker.flow.model import (
    COMPOSITE,
    PROPERTY,
    SUPER_TYPE,
    AttributeLink,
    Connection,
    FlowDefinition,
    FlowProperty,
    Markup,
    NodeDefinition,
    StickyNote,
    Terminal,
    Text,
    constant,
)
from flintmq.broker.flow.node_types import by_title, node_type, title_of


def default_prefix(ns_uri: str) -> str:
    """Return the nsPrefix that the Toolkit gives a flow."""
    return ns_uri.replace("/", "_")


def default_attributes() -> dict[str, str]:
    """Return the default content of the descriptor of a property."""
    return {"groupName": "Group.Basic", "configurable": "true"}


def wire_key(source: object, target: object, seen: dict[str, int]) -> str:
    """Return the name of a wire in the layout; a wire that is there twice gets a number."""
    key = f"{_end_text(source)} > {_end_text(target)}"
    seen[key] = seen.get(key, 0) + 1
    return key if seen[key] == 1 else f"{key} #{seen[key]}"


def _end_text(end: object) -> str:
    if isinstance(end, dict):
        return f"{end.get('node', end.get('id', ''))}.{end.get('terminal', '')}"
    return str(end)


def is_static(node: NodeDefinition, terminal: str, outgoing: bool) -> bool:
    """Whether a terminal is one of the type, as far as the definition tells: not one that the node adds."""
    kind = node_type(node.type)
    if kind is not None and terminal in (kind.outputs if outgoing else kind.inputs):
        return True
    added = node.out_terminals if outgoing else node.in_terminals
    return all(each.name != terminal for each in added)


def to_data(flow: FlowDefinition) -> dict[str, Any]:
    """Return the document."""
    return _Writer(flow).document()


class _Writer:
    """Makes the document of one flow."""

    def __init__(self, flow: FlowDefinition) -> None:
        self.flow = flow
        self.keys: dict[str, str] = {}
        self.by_key: dict[str, NodeDefinition] = {}
        self.layout: dict[str, Any] = {}
        for node in flow.nodes:
            key, number = node.label, 1
            while key in self.by_key:
                number += 1
                key = f"{node.label} {number}"
            self.by_key[key] = node
            self.keys.setdefault(node.id, key)

    def document(self) -> dict[str, Any]:
        flow = self.flow
        top: dict[str, Any] = {"flow": flow.path}
        texts = dict(flow.texts)
        description = texts.get("longDescription")
        if description is not None and _is_constant(description) and description.value:
            top["description"] = texts.pop("longDescription").value
        self.write_flow_layout(texts)
        properties = self.properties()
        if properties:
            top["properties"] = properties
        nodes, node_layout = self.nodes()
        top["nodes"] = nodes
        wires, wire_layout = self.wires()
        top["wires"] = wires
        if flow.notes:
            top["notes"] = [self.note(note) for note in flow.notes]
        if node_layout:
            self.layout["nodes"] = node_layout
        if wire_layout:
            self.layout["wires"] = wire_layout
        if self.layout:
            top["layout"] = self.layout
        return top

    def write_flow_layout(self, texts: dict[str, Text]) -> None:
        flow, layout = self.flow, self.layout
        if flow.ns_uri != flow.path:
            layout["nsURI"] = flow.ns_uri
        if flow.ns_prefix != default_prefix(flow.ns_uri):
            layout["nsPrefix"] = flow.ns_prefix
        _put(layout, "attributes", flow.attributes)
        if flow.flow_attributes != {"name": COMPOSITE}:
            layout["flow"] = dict(flow.flow_attributes)
        if flow.super_types != [SUPER_TYPE]:
            layout["supertypes"] = list(flow.super_types)
        _put(layout, "namespaces", flow.namespaces)
        _put(layout, "omitted", flow.omitted)
        _put(layout, "texts", {name: _label(text) for name, text in texts.items()})
        _put(layout, "parts", flow.part_attributes)
        _put(layout, "extras", {part: _markups(extras) for part, extras in flow.extras.items()})

    def properties(self) -> dict[str, Any]:
        flow = self.flow
        found: dict[str, Any] = {}
        more: dict[str, Any] = {}
        written: list[AttributeLink] = []
        for each in flow.properties:
            entry, extra = self.flow_property(each)
            links = flow.links_of(each)
            if links:
                entry["promotes"] = [self.link(link) for link in links]
                written += links
            found[each.name] = entry
            if extra:
                more[each.name] = extra
        _put(self.layout, "properties", more)
        loose = [link for link in flow.links if not any(link is other for other in written)]
        if loose:
            self.layout["links"] = [{"property": link.key, **self.link_entry(link)} for link in loose]
        order = [next(n for n, other in enumerate([*written, *loose]) if other is link) for link in flow.links]
        if order != sorted(order):
            self.layout["link-order"] = [str(number) for number in order]
        self.write_descriptors()
        return found

    def flow_property(self, each: FlowProperty) -> tuple[dict[str, Any], dict[str, Any]]:
        entry: dict[str, Any] = {}
        if each.type != "EString":
            entry["type"] = each.type
        if each.default is not None:
            entry["default"] = each.default
        attributes = dict(each.attributes)
        if attributes.get("lowerBound") == "1":
            entry["mandatory"] = "true"
            del attributes["lowerBound"]
        descriptor = self.flow.descriptor_of(each)
        if descriptor is not None and "userDefined" in descriptor.attributes:
            entry["user-defined"] = descriptor.attributes["userDefined"]
        extra: dict[str, Any] = {}
        _put(extra, "attributes", attributes)
        _put(extra, "id", each.id)
        if each.type_markup is not None:
            extra["type"] = _markups([each.type_markup])[0]
        _put(extra, "extras", _markups(each.extras))
        return entry, extra

    def write_descriptors(self) -> None:
        described = {each.key for each in self.flow.properties}
        found = []
        usual = [{"property": each.key} for each in self.flow.properties]
        for each in self.flow.descriptors:
            entry: dict[str, Any] = {"property": each.key}
            attributes = dict(each.attributes)
            if each.key in described:
                attributes.pop("userDefined", None)
            if attributes != default_attributes():
                entry["attributes"] = attributes
            if each.label is not None:
                entry["label"] = _label(each.label)
            _put(entry, "extras", _markups(each.extras))
            if each.level is not None:
                entry["level"] = str(each.level)
            found.append(entry)
        if found != usual:
            self.layout["descriptors"] = found

    def link(self, link: AttributeLink) -> Any:
        if len(link.nodes) == 1 and not link.attributes and not link.extras:
            key = self.keys.get(link.nodes[0])
            node = self.by_key.get(key) if key is not None else None
            if node is not None and key is not None and link.target == f"{node.type}#{PROPERTY}{link.attribute}":
                text = f"{key}.{link.attribute}"
                if self.is_plain(text, key):
                    return text
        return self.link_entry(link)

    def link_entry(self, link: AttributeLink) -> dict[str, Any]:
        entry: dict[str, Any] = {}
        _put(entry, "nodes", self.node_names(link.nodes))
        _put(entry, "target", link.target)
        _put(entry, "attributes", link.attributes)
        _put(entry, "extras", _markups(link.extras))
        return entry

    def node_names(self, ids: list[str]) -> list[Any]:
        return [self.keys[each] if each in self.keys else {"id": each} for each in ids]

    def is_plain(self, text: str, key: str) -> bool:
        """Whether a reader of `node.terminal` finds the node that is meant: no longer name fits as well."""
        return text not in self.by_key and not any(
            len(other) > len(key) and text.startswith(f"{other}.") for other in self.by_key
        )

    def nodes(self) -> tuple[dict[str, Any], dict[str, Any]]:
        nodes: dict[str, Any] = {}
        layout: dict[str, Any] = {}
        for key, node in self.by_key.items():
            nodes[key] = self.node(key, node)
            extra = self.node_layout(node)
            if extra:
                layout[key] = extra
        return nodes, layout

    def node(self, key: str, node: NodeDefinition) -> dict[str, Any]:
        title = title_of(node.type)
        known = by_title(title)
        entry: dict[str, Any] = {"type": title if known is not None and known.type == node.type else node.type}
        if node.label != key:
            entry["label"] = node.label
        description = node.texts.get("longDescription")
        if description is not None and _is_constant(description):
            entry["description"] = description.value
        _put(entry, "properties", node.properties)
        _put(entry, "tables", node.tables)
        _put(entry, "in-terminals", [_terminal(each) for each in node.in_terminals])
        _put(entry, "out-terminals", [_terminal(each) for each in node.out_terminals])
        return entry

    def node_layout(self, node: NodeDefinition) -> dict[str, Any]:
        extra: dict[str, Any] = {}
        _put(extra, "id", node.id)
        _put(extra, "at", node.location)
        _put(extra, "prefix", node.prefix)
        if node.class_name != (node.type if node.is_terminal else COMPOSITE):
            extra["class"] = node.class_name
        texts = {}
        for name, text in node.texts.items():
            plain = _is_constant(text) and (
                name == "longDescription" or (name, text.value) == ("translation", node.label)
            )
            if not plain:
                texts[name] = _label(text)
        if "translation" not in node.texts:
            extra["label"] = "none"
        _put(extra, "texts", texts)
        return extra

    def wires(self) -> tuple[list[Any], dict[str, Any]]:
        wires: list[Any] = []
        layout: dict[str, Any] = {}
        seen: dict[str, int] = {}
        for wire in self.flow.connections:
            source = self.end(wire.source_node, wire.source_terminal)
            target = self.end(wire.target_node, wire.target_terminal)
            entry: dict[str, Any] = {"from": source, "to": target}
            self.write_dynamic(entry, wire)
            wires.append(entry)
            extra: dict[str, Any] = {}
            extra["id"] = wire.id
            _put(extra, "bends", wire.bend_points)
            _put(extra, "attributes", wire.attributes)
            _put(extra, "extras", _markups(wire.extras))
            layout[wire_key(source, target, seen)] = extra
        return wires, layout

    def write_dynamic(self, entry: dict[str, Any], wire: Connection) -> None:
        """Say which ends are dynamic where the terminals of the nodes do not tell."""
        expected = (
            self.is_static(wire.source_node, wire.source_terminal, outgoing=True),
            self.is_static(wire.target_node, wire.target_terminal, outgoing=False),
        )
        if expected != (wire.source_static, wire.target_static):
            ends = [name for name, static in (("from", wire.source_static), ("to", wire.target_static)) if not static]
            entry["dynamic"] = ends

    def is_static(self, node_id: str, terminal: str, outgoing: bool) -> bool:
        key = self.keys.get(node_id)
        return key is None or is_static(self.by_key[key], terminal, outgoing)

    def end(self, node_id: str, terminal: str) -> Any:
        key = self.keys.get(node_id)
        if key is None:
            return {"id": node_id, "terminal": terminal}
        text = f"{key}.{terminal}"
        return text if self.is_plain(text, key) else {"node": key, "terminal": terminal}

    def note(self, note: StickyNote) -> dict[str, Any]:
        entry: dict[str, Any] = {}
        if note.body is not None:
            entry["text"] = _label(note.body)
        _put(entry, "for", self.node_names(note.association))
        _put(entry, "at", note.location)
        _put(entry, "attributes", note.attributes)
        _put(entry, "extras", _markups(note.extras))
        return entry


def _put(entry: dict[str, Any], name: str, value: Any) -> None:
    """Set an entry if it says anything."""
    if value:
        entry[name] = value


def _is_constant(text: Text) -> bool:
    return text == constant(text.values.get("string", ""))


def _label(text: Text) -> Any:
    return text.value if _is_constant(text) else {"kind": text.kind, "values": dict(text.values)}


def _terminal(terminal: Terminal) -> Any:
    if terminal == Terminal(terminal.name, terminal.name):
        return terminal.name
    entry: dict[str, Any] = {"name": terminal.name, "label": terminal.label}
    if not terminal.dynamic:
        entry["dynamic"] = "false"
    _put(entry, "attributes", terminal.attributes)
    return entry


def _markups(markups: list[Markup]) -> list[dict[str, Any]]:
    """Return elements as entries. Flow files limit the depth, and with it the recursion."""
    found = []
    for each in markups:
        entry: dict[str, Any] = {"element": each.name}
        _put(entry, "attributes", each.attributes)
        _put(entry, "text", each.text)
        _put(entry, "children", _markups(each.children))
        found.append(entry)
    return found
