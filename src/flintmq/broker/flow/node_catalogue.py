"""Descriptions of node types: terminals, properties with their defaults, tables. Data only; it runs nothing.

The rows are in node_transports.py and node_processing.py, one table for each drawer of the palette; properties that
several types have are in node_properties.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from flintmq.broker.flow.model import INPUT_TERMINAL, NODE_SUFFIX, OUTPUT_TERMINAL
from flintmq.broker.flow.node_processing import (
    CALLABLE_FLOW_NODES,
    CONSTRUCTION_NODES,
    DATABASE_NODES,
    ROUTING_NODES,
    TIMER_NODES,
    TRANSFORMATION_NODES,
    VALIDATION_NODES,
)
from flintmq.broker.flow.node_properties import Row
from flintmq.broker.flow.node_transports import (
    EMAIL_NODES,
    ENTERPRISE_SYSTEMS_NODES,
    FILE_NODES,
    HTTP_NODES,
    JMS_NODES,
    KAFKA_AND_MQTT_NODES,
    MQ_NODES,
    REST_NODES,
    SOAP_NODES,
    TCPIP_NODES,
)


@dataclass(frozen=True, slots=True)
class NodeType:
    """One node type. `outputs` and `inputs` are the static terminals in the order in which the Toolkit shows them."""

    #: The type without its suffix: `ComIbmMQInput`. Compiled flows and exceptions call it `ComIbmMQInputNode`.
    name: str
    #: What developers call it: `MQInput`.
    title: str
    #: The drawer of the palette: MQ, HTTP, Routing, ...
    group: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    #: Every known property with its default.
    properties: Mapping[str, str]
    tables: tuple[str, ...] = ()
    #: Whether a developer may add terminals to a node of this type.
    dynamic_inputs: bool = False
    dynamic_outputs: bool = False
    #: Whether the terminals are known for certain; wires of other types are not checked.
    terminals_known: bool = True

    @property
    def type(self) -> str:
        """The type as flow files name it."""
        return self.name if self.name in (INPUT_TERMINAL, OUTPUT_TERMINAL) else self.name + NODE_SUFFIX

    @property
    def class_name(self) -> str:
        """The type as ExceptionList entries and recorded assemblies name it."""
        return class_name(self.name)

    @property
    def starts_flow(self) -> bool:
        """Whether the node is an input node: it has no input terminal and is not reached through a label."""
        return not self.inputs and not self.dynamic_inputs and self.name not in ("ComIbmLabel", INPUT_TERMINAL)


def class_name(type_name: str) -> str:
    """Return the name that ExceptionList entries have for a type: `ComIbmMQInput.msgnode` is `ComIbmMQInputNode`."""
    return type_name.removesuffix(NODE_SUFFIX).rpartition("/")[2] + "Node"


#: Rows by drawer of the palette.
_DRAWERS: Final[Mapping[str, tuple[Row, ...]]] = {
    "MQ": MQ_NODES,
    "JMS": JMS_NODES,
    "HTTP": HTTP_NODES,
    "REST": REST_NODES,
    "SOAP": SOAP_NODES,
    "Routing": ROUTING_NODES,
    "Transformation": TRANSFORMATION_NODES,
    "Construction": CONSTRUCTION_NODES,
    "Validation": VALIDATION_NODES,
    "Database": DATABASE_NODES,
    "File": FILE_NODES,
    "Email": EMAIL_NODES,
    "Timer": TIMER_NODES,
    "Callable flow": CALLABLE_FLOW_NODES,
    "TCPIP": TCPIP_NODES,
    "Kafka and MQTT": KAFKA_AND_MQTT_NODES,
    "Enterprise systems": ENTERPRISE_SYSTEMS_NODES,
}


def _description(group: str, row: Row) -> NodeType:
    left, _, right = row.terminals.partition(">")
    inputs, outputs = left.split(), right.split()
    return NodeType(
        name=row.name,
        title=row.title,
        group=group,
        inputs=tuple(each for each in inputs if each not in "*?"),
        outputs=tuple(each for each in outputs if each not in "*?"),
        properties=MappingProxyType(dict(row.properties)),
        tables=(*row.tables, "nsMappingTable", "monitorEvents"),
        dynamic_inputs="*" in inputs,
        dynamic_outputs="*" in outputs,
        terminals_known="?" not in row.terminals,
    )


def catalogue() -> list[NodeType]:
    """Return every description."""
    return [_description(group, row) for group, rows in _DRAWERS.items() for row in rows]
