"""Registry of node types: properties and terminals of each type, and which types the engine can run.

    node_type("ComIbmMQInput.msgnode")      the description by the type that a flow file names
    by_title("MQInput")                     the same by the name that developers and our YAML use

node_catalogue.py makes the descriptions from tables. The engine calls `mark_runnable` for every type that it
implements, and `can_run` tells whether a flow can start. A type that is not described is kept in the definition like
any other: loading names it, starting the flow refuses it. `register` adds the description of a user-defined node.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from flintmq.broker.flow.node_catalogue import NodeType, catalogue, class_name

__all__ = [
    "LAYOUT_PROPERTIES",
    "NODE_TYPES",
    "NodeType",
    "by_title",
    "can_run",
    "class_name",
    "mark_runnable",
    "node_type",
    "register",
    "title_of",
]

#: How a node is drawn. Every type has these, and no run time reads them.
LAYOUT_PROPERTIES: Final = ("rotation",)

_types: dict[str, NodeType] = {each.type: each for each in catalogue()}
_titles: dict[str, NodeType] = {each.title: each for each in _types.values()}
_runnable: set[str] = set()

#: Every type that is described, by the type that flow files name. Read-only.
NODE_TYPES: Final[Mapping[str, NodeType]] = MappingProxyType(_types)


def node_type(type_name: str) -> NodeType | None:
    """Return the description of a type, or None if it is not described."""
    return _types.get(type_name)


def by_title(title: str) -> NodeType | None:
    """Return the description of the type that developers call `title`, or None."""
    return _titles.get(title)


def title_of(type_name: str) -> str:
    """Return the name of a type for developers; a type that is not described keeps its own name."""
    found = _types.get(type_name)
    return found.title if found else type_name


def mark_runnable(*type_names: str) -> None:
    """Note that the engine implements these types. It is called once, when the engine is imported."""
    _runnable.update(type_names)


def can_run(type_name: str) -> bool:
    """Whether the engine implements a type."""
    return type_name in _runnable


def register(description: NodeType) -> None:
    """Add a description, for example of a user-defined node. It replaces one of the same name."""
    _types[description.type] = description
    _titles[description.title] = description
