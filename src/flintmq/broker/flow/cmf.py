"""Read compiled flows (`.cmf`), which BAR files held before V8 and hold for some REST APIs still.

    MessageFlow
      ConfigurablePropertyTable
        ConfigurableProperty uri type brokerDefault userDefined nodeName     descriptors may override it,
          TargetProperty name uuid                                           and which attribute of which node it sets
      ComIbmMQInputNode label uuid queueName ...                             a node; the tag is its type and `Node`
        Attribute type="Complex" uuid="nsMappingTable"/MbTable/Row           a table
      SubFlowNode subflowImplFile                                            a subflow that is deployed as source
      Connection sourceNode sourceTerminal targetNode targetTerminal

Subflows that were compiled, too, are flattened: their nodes have labels such as `Errors.Write log`. The identity of
a node (`uuid`) is the path of the flow, `#` and the id in its flow file. Values that a developer gave to configurable
properties are not here but in the deployment descriptor that belongs to the file; booleans are yes and no.

The result is a FlowDefinition like that of a flow file, without positions. Its `configurable` has the property that
each URI sets.
"""

from __future__ import annotations

from typing import Any, Final

from lxml import etree

from flintmq.broker.flow.model import (
    NODE_SUFFIX,
    PROPERTY,
    AttributeLink,
    Connection,
    FlowDefinition,
    FlowFileError,
    FlowProperty,
    NodeDefinition,
    PropertyDescriptor,
    Row,
    Terminal,
)
from flintmq.broker.flow.node_types import node_type
from flintmq.broker.flow.xmi import parse_xml

_DATA_TYPES: Final = {"String": "EString", "Integer": "EInt", "Boolean": "EBoolean", "Long": "ELong", "Float": "EFloat"}


def read(data: bytes, file: str = "", name: str = "") -> FlowDefinition:
    """Return the flow that a compiled flow holds. `name` is `schema.Flow`, by which the BAR calls it."""
    root = parse_xml(data, file)
    if etree.QName(root).localname != "MessageFlow":
        raise FlowFileError(file, f"the root element is {root.tag}, not MessageFlow: this is no compiled flow")
    flow = FlowDefinition(path=f"{name.replace('.', '/')}.msgflow", file=file)
    for element in root.iterchildren(tag=etree.Element):
        if element.tag == "Connection":
            flow.connections.append(_connection(element, len(flow.connections) + 1))
        elif isinstance(element.tag, str) and element.tag.endswith("Node"):
            flow.nodes.append(_node(element))
    path = _flow_path(root)
    if path:
        flow.path = f"{path}.msgflow"
    flow.ns_uri, flow.ns_prefix = flow.path, flow.path.replace("/", "_")
    nodes = {node.id: node for node in flow.nodes}
    for element in root.iter("ConfigurableProperty"):
        _configurable(flow, nodes, element)
    _name_dynamic_terminals(flow, nodes)
    return flow


def _flow_path(root: Any) -> str:
    for element in root.iterchildren(tag=etree.Element):
        uuid = element.get("uuid", "")
        if "#" in uuid:
            return str(uuid.partition("#")[0])
    return ""


def _id(uuid: str) -> str:
    """Return the part of an identity after the flow itself; of a flattened node, with the flows between."""
    return uuid.partition("#")[2] or uuid


def _node(element: Any) -> NodeDefinition:
    properties = dict(element.attrib)
    node = NodeDefinition(_id(properties.pop("uuid", "")), "", properties)
    label = properties.pop("label", "")
    if element.tag == "SubFlowNode":
        node.type = properties.pop("subflowImplFile", "")
    else:
        node.type = element.tag.removesuffix("Node") + NODE_SUFFIX
    node.label = label or node.id
    for child in element.iterchildren(tag="Attribute"):
        name = child.get("uuid", "")
        rows = [_row(row) for row in child.iter("Row")]
        if rows or child.get("type") == "Complex":
            node.tables[name] = rows
        elif name:
            node.properties[name] = child.get("value") or child.text or ""
    return node


def _row(element: Any) -> Row:
    row: Row = {}
    for cell in element.iterchildren(tag=etree.Element):
        row[cell.tag] = cell.text or ""
    return row


def _connection(element: Any, number: int) -> Connection:
    return Connection(
        id=f"FCMConnection_{number}",
        source_node=_id(element.get("sourceNode", "")),
        source_terminal=element.get("sourceTerminal", ""),
        target_node=_id(element.get("targetNode", "")),
        target_terminal=element.get("targetTerminal", ""),
    )


def _configurable(flow: FlowDefinition, nodes: dict[str, NodeDefinition], element: Any) -> None:
    uri, default = element.get("uri", ""), element.get("brokerDefault")
    name = uri.partition("#")[2]
    targets = [(_id(each.get("uuid", "")), each.get("name", "")) for each in element.iterchildren(tag="TargetProperty")]
    flow.configurable.setdefault(uri, []).extend(targets)
    known = [(nodes[node], attribute) for node, attribute in targets if node in nodes]
    if any(_addresses(name, node, attribute) for node, attribute in known):
        for node, attribute in known:
            if default is not None:
                node.properties.setdefault(attribute, default)
        return
    user_defined = element.get("userDefined") == "true"
    if not name or flow.flow_property(name) is not None or not (user_defined or known):
        return
    data_type = _DATA_TYPES.get(element.get("type", ""), "EString")
    flow.properties.append(FlowProperty(name, data_type, default))
    attributes = {"configurable": "true"} | ({"userDefined": "true"} if user_defined else {})
    flow.descriptors.append(PropertyDescriptor(PROPERTY + name, attributes))
    if not user_defined:
        for node, attribute in known:
            target = f"{node.type}#{PROPERTY}{attribute}"
            flow.links.append(AttributeLink(PROPERTY + name, [node.id], target))


def _addresses(name: str, node: NodeDefinition, attribute: str) -> bool:
    """Whether a URI names the node itself: by its label, or by the last part of it if it was flattened."""
    full = f"{node.label}.{attribute}"
    return name == full or ("." in name and full.endswith(f".{name}"))


def _name_dynamic_terminals(flow: FlowDefinition, nodes: dict[str, NodeDefinition]) -> None:
    """Tell the terminals that a type does not have: a developer added them to the node."""
    for wire in flow.connections:
        source, target = nodes.get(wire.source_node), nodes.get(wire.target_node)
        kind = node_type(source.type) if source else None
        if source and kind and kind.dynamic_outputs and wire.source_terminal not in kind.outputs:
            wire.source_static = False
            _add_terminal(source.out_terminals, wire.source_terminal)
        kind = node_type(target.type) if target else None
        if target and kind and kind.dynamic_inputs and wire.target_terminal not in kind.inputs:
            wire.target_static = False
            _add_terminal(target.in_terminals, wire.target_terminal)


def _add_terminal(terminals: list[Terminal], name: str) -> None:
    if all(terminal.name != name for terminal in terminals):
        terminals.append(Terminal(name, name))
