"""Definition of a message flow: the nodes, wires and properties that a flow file holds.

    FlowDefinition
      properties     FlowProperty         promoted and user-defined properties, with their defaults
      descriptors    PropertyDescriptor   how each property is shown, and whether it is user-defined
      links          AttributeLink        promoted property -> attribute of one or more nodes (or of their subflow)
      nodes          NodeDefinition       attributes as written, tables, dynamic terminals
      connections    Connection           wires in the order of the file
      notes          StickyNote           comments on the canvas
      texts          Text                 name, descriptions, version, icons

The same definition comes from `.msgflow`/`.subflow` (xmi.py), from YAML (yaml_form.py) and from compiled flows of old
BAR files (cmf.py). Every class keeps attributes and elements that it does not know (`attributes`, `extras`), so that
a writer loses nothing. Property values are text exactly as written: defaults of the node type (node_types.py),
promotion and BAR overrides (resolve.py) are applied later.

This module never reads or writes files and never runs a flow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

#: Types of the nodes that are the terminals of a subflow.
INPUT_TERMINAL = "FCMSource"
OUTPUT_TERMINAL = "FCMSink"
#: The suffix that a node type has, and those that a subflow has when a flow uses it as a node.
NODE_SUFFIX = ".msgnode"
FLOW_SUFFIXES = (".subflow", ".msgflow")
#: The class that a node type or a flow declares; every file surveyed uses this name.
COMPOSITE = "FCMComposite_1"
#: What every flow derives from.
SUPER_TYPE = "http://www.ibm.com/wbi/2005/eflow#//FCMBlock"
#: Where an element without a place of its own may stand: below the root before or after the flow, and below these.
PARTS = ("before", "package", "flow", "composition", "propertyOrganizer", "stickyBoard")
#: Elements that are usually there even if they are empty.
OPTIONAL_PARTS = ("composition", "propertyOrganizer", "stickyBoard")
#: Prefix of the `xmi:id` of a flow property, and in links to node attributes.
PROPERTY = "Property."

#: A row of a table property: an attribute is text, a nested element is a list of rows, text content is under TEXT_KEY.
Row: TypeAlias = "dict[str, str | list[Row]]"
TEXT_KEY = "#text"


class FlowFileError(Exception):
    """A file is not a flow, descriptor or archive that can be read. The text says which file, where and why.

    The file is at fault, never the caller: a caller that loads many files records the error and goes on.
    """

    def __init__(self, file: str, reason: str, line: int = 0) -> None:
        place = f"{file}:{line}" if line else file
        super().__init__(f"{place}: {reason}" if place else reason)
        self.file = file
        self.reason = reason
        self.line = line


@dataclass(frozen=True, slots=True)
class LoadNote:
    """A part that could not be read or resolved: file and reason. All others of the project are loaded."""

    file: str
    reason: str
    line: int = 0

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.reason}"


@dataclass(frozen=True, slots=True)
class SourceText:
    """An ESQL file: its path within the project, where it is, its broker schema, its text."""

    path: str
    file: str
    schema: str
    text: str = field(repr=False)


def note_of(error: FlowFileError) -> LoadNote:
    """Return the note of an error: the loader goes on with the next file."""
    return LoadNote(error.file, error.reason, error.line)


@dataclass(slots=True)
class Markup:
    """An XML element that the model has no place for. Names carry the prefixes that the flow declares."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Markup] = field(default_factory=list)
    text: str = ""


@dataclass(slots=True)
class Text:
    """A name, description or icon: a constant string, a key into a message bundle, or a resource name."""

    #: `xmi:type` as written: `utility:ConstantString`, `utility:TranslatableString`, `utility:GIFFileGraphic`.
    kind: str
    values: dict[str, str] = field(default_factory=dict)

    @property
    def value(self) -> str:
        """The string itself, or the key if the string is in a bundle."""
        return self.values.get("string", self.values.get("key", self.values.get("resourceName", "")))


def constant(string: str) -> Text:
    """Return a constant text."""
    return Text("utility:ConstantString", {"string": string})


@dataclass(slots=True)
class Terminal:
    """A dynamic terminal, which the developer added to one node (Route, Collector, Compute of some versions)."""

    name: str
    label: str = ""
    dynamic: bool = True
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class NodeDefinition:
    """One node of a flow. `type` is the namespace value of its type, not the prefix that a file happens to use.

    ComIbmMQInput.msgnode      a built-in or user-defined node type
    a/b/Errors.subflow         a subflow; before V8 also a/b/Errors.msgflow
    FCMSource, FCMSink         Input and Output of a subflow
    """

    id: str
    type: str
    #: Attributes in the order of the file, without type, id and location.
    properties: dict[str, str] = field(default_factory=dict)
    tables: dict[str, list[Row]] = field(default_factory=dict)
    in_terminals: list[Terminal] = field(default_factory=list)
    out_terminals: list[Terminal] = field(default_factory=list)
    #: `x,y` as written.
    location: str = ""
    #: `translation` (the label), `shortDescription`, `longDescription`.
    texts: dict[str, Text] = field(default_factory=dict)
    #: The prefix of `xmi:type` where it is not the usual one (prefix_of).
    prefix: str = ""
    #: The class after the prefix in `xmi:type`.
    class_name: str = COMPOSITE

    @property
    def label(self) -> str:
        """The name of the node in logs, exceptions and overrides."""
        text = self.texts.get("translation")
        if text is None:
            return self.id
        label = text.value
        if self.is_terminal:
            label = label.removeprefix("InTerminal.").removeprefix("OutTerminal.")
        return label

    @label.setter
    def label(self, label: str) -> None:
        self.texts["translation"] = constant(label)

    @property
    def is_terminal(self) -> bool:
        """Whether this is an Input or Output node of a subflow."""
        return self.type in (INPUT_TERMINAL, OUTPUT_TERMINAL)

    @property
    def is_subflow(self) -> bool:
        """Whether this node stands for another flow."""
        return self.type.endswith(FLOW_SUFFIXES)

    @property
    def terminal_name(self) -> str:
        """For an Input or Output node: the name of the terminal that the subflow has when it is used as a node."""
        return self.id.removeprefix("InTerminal.").removeprefix("OutTerminal.")

    @property
    def position(self) -> tuple[int, int] | None:
        """The location as numbers; None if it is not two numbers."""
        return point(self.location)


def prefix_of(node_type: str) -> str:
    """Return the namespace prefix that the Toolkit gives a node type: the path with `_` for every other character."""
    prefix = "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in node_type)
    return prefix if prefix[:1].isalpha() or prefix[:1] == "_" else f"_{prefix}"


def point(text: str) -> tuple[int, int] | None:
    """Return `x,y` as two numbers, or None."""
    left, comma, right = text.partition(",")
    try:
        return (int(left), int(right)) if comma else None
    except ValueError:
        return None


@dataclass(slots=True)
class Connection:
    """A wire. Terminal names are without the `OutTerminal.`/`InTerminal.` that static terminals carry in the file."""

    id: str
    source_node: str
    source_terminal: str
    target_node: str
    target_terminal: str
    #: Whether the file writes the terminal with its prefix; the bare name is that of a dynamic terminal.
    source_static: bool = True
    target_static: bool = True
    bend_points: list[str] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)
    extras: list[Markup] = field(default_factory=list)


@dataclass(slots=True)
class FlowProperty:
    """A property of the flow itself: promoted from nodes, or user-defined and read by ESQL `EXTERNAL`."""

    name: str
    #: The last part of the type's address: EString, EInt, EBoolean, ...
    type: str = "EString"
    #: None where the file has no default.
    default: str | None = None
    #: Other attributes, `lowerBound` above all: 1 makes the property mandatory.
    attributes: dict[str, str] = field(default_factory=dict)
    #: The `eType` element as written, where it is not a plain Ecore data type.
    type_markup: Markup | None = None
    extras: list[Markup] = field(default_factory=list)
    #: `xmi:id` where it is not `Property.` and the name.
    id: str = ""

    @property
    def key(self) -> str:
        """The `xmi:id`, by which descriptors and links refer to the property."""
        return self.id or PROPERTY + self.name

    @property
    def mandatory(self) -> bool:
        return self.attributes.get("lowerBound", "0") not in ("0", "")


@dataclass(slots=True)
class PropertyDescriptor:
    """How a flow property is shown. `key` is the key of a FlowProperty (`Property.x`)."""

    key: str
    #: groupName, configurable, userDefined, propertyEditor, ... as written.
    attributes: dict[str, str] = field(default_factory=dict)
    label: Text | None = None
    extras: list[Markup] = field(default_factory=list)
    #: Depth in the organizer where the descriptor is not, as usual, nested in the one before it.
    level: int | None = None

    @property
    def user_defined(self) -> bool:
        return self.attributes.get("userDefined") == "true"

    @property
    def configurable(self) -> bool:
        return self.attributes.get("configurable") == "true"


@dataclass(slots=True)
class AttributeLink:
    """A promotion: the value of the flow property with `key` replaces an attribute of some nodes.

    `target` is the address of the attribute: `ComIbmMQOutput.msgnode#Property.queueName`, or
    `Sub.subflow#Property.y` where the node is a subflow that itself promotes y.
    """

    key: str
    nodes: list[str] = field(default_factory=list)
    target: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    extras: list[Markup] = field(default_factory=list)

    @property
    def attribute(self) -> str:
        """The name of the node's attribute, or of the subflow's property."""
        return self.target.rpartition("#")[2].removeprefix(PROPERTY)


@dataclass(slots=True)
class StickyNote:
    """A comment on the canvas."""

    body: Text | None = None
    location: str = ""
    #: Ids of the nodes that the note belongs to.
    association: list[str] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)
    extras: list[Markup] = field(default_factory=list)


@dataclass(slots=True)
class FlowDefinition:
    """A message flow or subflow as its file defines it. Equality leaves out `path`, `file` and `source`."""

    #: Path within the project, with slashes: `a/b/Flow.msgflow`. The broker schema and the name come from it.
    path: str = field(compare=False)
    nodes: list[NodeDefinition] = field(default_factory=list)
    connections: list[Connection] = field(default_factory=list)
    properties: list[FlowProperty] = field(default_factory=list)
    descriptors: list[PropertyDescriptor] = field(default_factory=list)
    links: list[AttributeLink] = field(default_factory=list)
    notes: list[StickyNote] = field(default_factory=list)
    #: `translation`, `shortDescription`, `longDescription`, `version`, `colorGraphic16`, `colorGraphic32`.
    texts: dict[str, Text] = field(default_factory=dict)
    #: Prefix to namespace, of declarations that nodes and the format itself do not imply.
    namespaces: dict[str, str] = field(default_factory=dict)
    #: nsURI and nsPrefix as written. The run time uses `path`: these may differ from it.
    ns_uri: str = ""
    ns_prefix: str = ""
    #: Attributes of the root, without nsURI, nsPrefix and the usual xmi:version.
    attributes: dict[str, str] = field(default_factory=dict)
    #: Attributes of the classifier, without xmi:type: name, useDefaults, udpSupport, nodeLayoutStyle.
    flow_attributes: dict[str, str] = field(default_factory=lambda: {"name": COMPOSITE})
    super_types: list[str] = field(default_factory=lambda: [SUPER_TYPE])
    #: Attributes and elements that have no place of their own, by PARTS.
    part_attributes: dict[str, dict[str, str]] = field(default_factory=dict)
    extras: dict[str, list[Markup]] = field(default_factory=dict)
    #: Those of OPTIONAL_PARTS that the file leaves out although it could write them empty.
    omitted: list[str] = field(default_factory=list)
    #: Of a compiled flow: what each URI of the deployment descriptor sets, as node id and property.
    configurable: dict[str, list[tuple[str, str]]] = field(default_factory=dict, compare=False)
    #: Where the definition was read, for messages.
    file: str = field(default="", compare=False)
    #: The bytes that were read: the writer keeps their layout, comments and attribute order.
    source: bytes | None = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str:
        """The name of the flow without broker schema and suffix."""
        name = self.path.rpartition("/")[2]
        for suffix in FLOW_SUFFIXES:
            name = name.removesuffix(suffix)
        return name

    @property
    def schema(self) -> str:
        """The broker schema: the folder of the file with dots; empty for the default schema."""
        return self.path.rpartition("/")[0].replace("/", ".")

    @property
    def qualified_name(self) -> str:
        """`schema.Name`: how deployment descriptors and overrides call the flow."""
        return f"{self.schema}.{self.name}" if self.schema else self.name

    @property
    def is_subflow(self) -> bool:
        """Whether the file is a `.subflow`. A `.msgflow` with an Input node can be used as a subflow, too."""
        return self.path.endswith(".subflow")

    def node(self, node_id: str) -> NodeDefinition | None:
        """Return the node with an id, or None."""
        return next((node for node in self.nodes if node.id == node_id), None)

    def labelled(self, label: str) -> list[NodeDefinition]:
        """Return the nodes with a label: labels may repeat."""
        return [node for node in self.nodes if node.label == label]

    def wires(self, node_id: str, terminal: str) -> list[Connection]:
        """Return the connections that leave a terminal, in the order of the file."""
        return [each for each in self.connections if (each.source_node, each.source_terminal) == (node_id, terminal)]

    def terminals(self, node_type: str) -> Iterator[NodeDefinition]:
        """Yield the Input (INPUT_TERMINAL) or Output (OUTPUT_TERMINAL) nodes."""
        return (node for node in self.nodes if node.type == node_type)

    def flow_property(self, name: str) -> FlowProperty | None:
        """Return the promoted or user-defined property with a name, or None."""
        return next((each for each in self.properties if each.name == name), None)

    def links_of(self, flow_property: FlowProperty) -> list[AttributeLink]:
        """Return the promotions of a property; a user-defined property has none."""
        return [link for link in self.links if link.key == flow_property.key]

    def descriptor_of(self, flow_property: FlowProperty) -> PropertyDescriptor | None:
        return next((each for each in self.descriptors if each.key == flow_property.key), None)

    def is_user_defined(self, flow_property: FlowProperty) -> bool:
        """Whether ESQL `EXTERNAL` variables read the property: it is declared so and feeds no node attribute."""
        descriptor = self.descriptor_of(flow_property)
        return descriptor is not None and descriptor.user_defined and not self.links_of(flow_property)
