"""Deployment descriptors (`META-INF/broker.xml`) and override files.

    <Broker>
      <CompiledApplication> <ConfigurableProperty uri="startMode"/> </CompiledApplication>
      <CompiledMessageFlow name="schema.Flow" type="subflow">
        <ConfigurableProperty uri="schema.Flow#Node label.queueName" override="PROD.Q"/>

A property without `override` has the value that the flow gives it. A descriptor is read into a Deployment and written
back without loss: only `override` attributes change, and properties that were added are appended to their flow.

An override file has one line for each change. `read_overrides` parses it, `apply` changes a Deployment:

    schema.Flow#Node label.queueName=PROD.Q     set an override
    schema.Flow#additionalInstances=3           the same for the flow itself, and for promoted properties
    schema.Flow#Node label.queueName            remove the override: the flow's own value counts
    TEST.Q=PROD.Q                               replace every override that is TEST.Q
    [Shop], [Shop/Errors]                       the lines below are for this application (or its library) only
    [.], [*]                                    the lines below are for the BAR itself, for all
    # text, empty lines                         ignored

`render` prints a Deployment in this syntax, so reading, editing and applying is a round trip. A value keeps its blanks
and backslashes; only line breaks are written as `&#xA;` and `&#xD;`, and `=` in a label as `&#x3D;`.

Nothing here knows nodes: resolve.py finds the property that a URI addresses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

from lxml import etree

from flintmq.broker.flow.model import FlowFileError
from flintmq.broker.flow.xmi import parse_xml

DESCRIPTOR: Final = "META-INF/broker.xml"
#: Properties of a flow that every descriptor lists and that no flow file defines, with their defaults.
FLOW_PROPERTIES: Final = {
    "additionalInstances": "0",
    "commitCount": "1",
    "commitInterval": "0",
    "coordinatedTransaction": "no",
    "consumerPolicySet": "",
    "consumerPolicySetBindings": "",
    "providerPolicySet": "",
    "providerPolicySetBindings": "",
    "securityProfileName": "",
    "monitoringProfile": "",
    "startMode": "maintained",
    "startInstancesWhenFlowStarts": "no",
    "maximumRateMsgsPerSec": "0",
    "notificationThresholdMsgsPerSec": "0",
    "processingTimeoutSec": "0",
    "processingTimeoutAction": "none",
    "wlmPolicy": "",
    "userTrace": "",
}
OVERRIDES_BYTES_MAX: Final = 16 << 20

_BLANKS: Final = " \t"
_SECTION: Final = re.compile(r"\[([^\]=#]+)\]")
_REFERENCE: Final = re.compile(r"&#x([0-9A-Fa-f]{1,6});")


@dataclass(slots=True)
class ConfigurableProperty:
    """One property that can be overridden. `override` is None where the flow's own value counts."""

    uri: str
    override: str | None = None


@dataclass(slots=True)
class DeployedFlow:
    """The part of a descriptor that belongs to one flow or subflow."""

    #: `schema.Flow`
    name: str
    #: "subflow", or empty for a message flow.
    type: str = ""
    properties: list[ConfigurableProperty] = field(default_factory=list)


@dataclass(slots=True)
class Deployment:
    """A deployment descriptor. Equality leaves out `file` and `source`."""

    application: list[ConfigurableProperty] = field(default_factory=list)
    flows: list[DeployedFlow] = field(default_factory=list)
    file: str = field(default="", compare=False)
    source: bytes | None = field(default=None, compare=False, repr=False)

    def properties(self) -> list[ConfigurableProperty]:
        """Return all properties in the order of the descriptor."""
        return [*self.application, *(each for flow in self.flows for each in flow.properties)]

    def overrides(self) -> dict[str, str]:
        """Return the URIs that are overridden, with their values."""
        return {each.uri: each.override for each in self.properties() if each.override is not None}

    def flow(self, name: str) -> DeployedFlow | None:
        return next((each for each in self.flows if each.name == name), None)


def read_deployment(data: bytes, file: str = DESCRIPTOR) -> Deployment:
    """Return a descriptor. Raise FlowFileError if it is none."""
    root = parse_xml(data, file)
    if etree.QName(root).localname != "Broker":
        raise FlowFileError(file, f"the root element is {root.tag}, not Broker: this is no deployment descriptor")
    deployment = Deployment(file=file, source=data)
    for part in root.iterchildren(tag=etree.Element):
        properties = [ConfigurableProperty(each.get("uri", ""), each.get("override")) for each in _properties(part)]
        if part.tag == "CompiledMessageFlow":
            deployment.flows.append(DeployedFlow(part.get("name", ""), part.get("type", ""), properties))
        elif part.tag == "CompiledApplication":
            deployment.application += properties
    return deployment


def write_deployment(deployment: Deployment) -> bytes:
    """Return the descriptor as a document. Parts that were read and not changed stay as they were."""
    root = parse_xml(deployment.source, deployment.file) if deployment.source else etree.Element("Broker")
    parts: dict[str, Any] = {}
    application = None
    for part in root.iterchildren(tag=etree.Element):
        if part.tag == "CompiledMessageFlow":
            parts.setdefault(part.get("name", ""), part)
        elif part.tag == "CompiledApplication" and application is None:
            application = part
    if deployment.application:
        if application is None:
            application = etree.SubElement(root, "CompiledApplication")
        _write_properties(application, deployment.application)
    for flow in deployment.flows:
        part = parts.get(flow.name)
        if part is None:
            part = etree.SubElement(root, "CompiledMessageFlow", name=flow.name)
            if flow.type:
                part.set("type", flow.type)
        _write_properties(part, flow.properties)
    if deployment.source is None:
        etree.indent(root)
    try:
        return bytes(etree.tostring(root.getroottree(), xml_declaration=True, encoding="UTF-8"))
    except ValueError as error:
        raise FlowFileError(deployment.file, f"cannot be written as XML: {error}") from None


def _properties(part: Any) -> list[Any]:
    return [each for each in part.iterchildren(tag=etree.Element) if each.tag == "ConfigurableProperty"]


def _write_properties(part: Any, properties: list[ConfigurableProperty]) -> None:
    there: dict[str, list[Any]] = {}
    for element in _properties(part):
        there.setdefault(element.get("uri", ""), []).append(element)
    for each in properties:
        same = there.get(each.uri)
        element = same.pop(0) if same else etree.SubElement(part, "ConfigurableProperty", uri=each.uri)
        if each.override is None:
            element.attrib.pop("override", None)
        elif element.get("override") != each.override:
            element.set("override", each.override)


@dataclass(frozen=True, slots=True)
class Override:
    """One line of an override file, still unparsed beyond its scope: labels may contain `=`."""

    text: str
    line: int
    #: Application and libraries inside it; empty for the BAR itself, None for all.
    scope: tuple[str, ...] | None = None

    def splits(self) -> list[tuple[str, str | None]]:
        """Return every way to read the line as name and value, longest name first; no `=` means removal."""
        places = [place for place, letter in enumerate(self.text) if letter == "="]
        found: list[tuple[str, str | None]] = [(_unescape(self.text.strip(_BLANKS)), None)]
        for place in reversed(places):
            found.append((_unescape(self.text[:place].strip(_BLANKS)), _unescape(self.text[place + 1 :])))
        return found


def read_overrides(data: bytes, file: str = "") -> list[Override]:
    """Return the lines of an override file. Raise FlowFileError if it is no text."""
    if len(data) > OVERRIDES_BYTES_MAX:
        raise FlowFileError(file, f"the file is larger than {OVERRIDES_BYTES_MAX} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FlowFileError(file, f"is not UTF-8 text: {error.reason} at byte {error.start}") from None
    scope: tuple[str, ...] | None = None
    found = []
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        line = line.lstrip(_BLANKS)
        section = _SECTION.fullmatch(line.strip(_BLANKS))
        if section:
            scope = _scope(section[1].strip())
        elif line and not line.startswith("#"):
            found.append(Override(line, number, scope))
    return found


def _scope(name: str) -> tuple[str, ...] | None:
    if name == "*":
        return None
    return () if name == "." else tuple(part.strip() for part in name.split("/"))


def apply(deployment: Deployment, override: Override) -> int:
    """Change the descriptor as a line says. Return how many properties the line is about; 0 if it is about none."""
    known: dict[str, list[ConfigurableProperty]] = {}
    for each in deployment.properties():
        known.setdefault(each.uri, []).append(each)
    for name, value in override.splits():
        if name in known:
            for each in known[name]:
                each.override = value
            return len(known[name])
    for name, value in override.splits():
        same = [each for each in deployment.properties() if each.override == name and value is not None]
        if same and name and "#" not in name:
            for each in same:
                each.override = value
            return len(same)
    return 0


def add(deployment: Deployment, uri: str, value: str | None) -> bool:
    """Override a property that the descriptor does not list. Return whether it has the flow of the URI."""
    name = uri.partition("#")[0]
    flow = deployment.flow(name)
    if flow is None or "#" not in uri:
        return False
    flow.properties.append(ConfigurableProperty(uri, value))
    return True


def render(deployment: Deployment) -> list[str]:
    """Return the properties as lines of an override file; one without an override is a bare name."""
    lines = []
    for each in deployment.properties():
        name = _escape(each.uri).replace("=", "&#x3D;")
        lines.append(name if each.override is None else f"{name}={_escape(each.override)}")
    return lines


def _escape(text: str) -> str:
    """Write line breaks, and an `&` that would look like an escape, as character references."""
    text = text.replace("&#x", "&#x26;#x")
    return text.replace("\r", "&#xD;").replace("\n", "&#xA;")


def _unescape(text: str) -> str:
    return _REFERENCE.sub(lambda found: chr(int(found[1], 16)) if int(found[1], 16) < 0x110000 else found[0], text)
