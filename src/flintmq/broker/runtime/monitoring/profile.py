"""Event sources of a flow, from a monitoring profile or from its flow file.

A profile is XML with the root `monitoringProfile` in the namespace PROFILE_NAMESPACE; each `eventSource` in it has

    eventSourceAddress, enabled
    eventPointDataQuery    eventIdentity/eventName (literal or queryText), eventCorrelation, eventFilter, eventUOW
    applicationDataQuery   simpleContent (name, dataType, valueQuery), complexContent (payloadQuery)
    bitstreamDataQuery     bitstreamContent (none, headers, body, all), encoding (base64Binary, HexBinary, CDATA)

Queries are XPath with $Root, $Body, $Properties, $LocalEnvironment, $Environment, $ExceptionList.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from flintmq.broker.flow.patterns import Xpath

if TYPE_CHECKING:
    from flintmq.broker.flow.engine import RuntimeNode
    from flintmq.broker.flow.runtime import RuntimeFlow

PROFILE_NAMESPACE: Final = "http://www.ibm.com/xmlns/prod/websphere/messagebroker/6.1.0.3/monitoring/profile"
PROFILE_MAX: Final = 1 << 20
UNITS: Final = ("messageFlow", "independent", "none")
CONTENTS: Final = ("none", "headers", "body", "all")
ENCODINGS: Final = {"base64binary": "base64Binary", "hexbinary": "HexBinary", "cdata": "CDATA", "none": "none"}
CORRELATORS: Final = ("localTransactionId", "parentTransactionId", "globalTransactionId")
START: Final = "transaction.Start"
END: Final = "transaction.End"
ROLLBACK: Final = "transaction.Rollback"


class BadProfile(ValueError):
    """A monitoring profile is invalid; the text names the place."""


@dataclass(slots=True)
class Content:
    """A value, or a part of a tree, that an event carries."""

    query: Xpath
    name: str = ""
    data_type: str = "string"
    namespace: str = ""


@dataclass(slots=True)
class EventSource:
    """One place of a flow that emits an event."""

    address: str
    enabled: bool = True
    #: The name of the event; empty: the address.
    name: str = ""
    name_query: Xpath | None = None
    #: None: always.
    filter: Xpath | None = None
    unit: str = "messageFlow"
    #: Queries of correlators; those that are not here are automatic.
    correlators: dict[str, Xpath] = field(default_factory=dict)
    simple: list[Content] = field(default_factory=list)
    complex: list[Content] = field(default_factory=list)
    bitstream: str = "none"
    encoding: str = "base64Binary"


def read_profile(text: str | bytes) -> list[EventSource]:
    """Return the event sources of a profile. Raise BadProfile."""
    data = text.encode() if isinstance(text, str) else text
    if len(data) > PROFILE_MAX:
        raise BadProfile(f"a monitoring profile has at most {PROFILE_MAX} bytes")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise BadProfile(f"the monitoring profile is no XML: {error}") from None
    if _local(root) != "monitoringProfile":
        raise BadProfile(f"the root of a monitoring profile is monitoringProfile, not {_local(root)}")
    return [_source(each) for each in root if _local(each) == "eventSource"]


def _local(element: Any) -> str:
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def _get(element: Any, name: str, default: str = "") -> str:
    """Return an attribute with or without the namespace of profiles."""
    if element is None:
        return default
    return str(element.get(f"{{{PROFILE_NAMESPACE}}}{name}") or element.get(name) or default)


def _find(element: Any, *names: str) -> Any:
    """Return the element at the end of a path of local names, or None."""
    for name in names:
        if element is None:
            return None
        element = next((child for child in element if _local(child) == name), None)
    return element


def _all(element: Any, name: str) -> list[Any]:
    return [] if element is None else [child for child in element if _local(child) == name]


def _source(element: Any) -> EventSource:
    address = _get(element, "eventSourceAddress")
    if not address:
        raise BadProfile("an eventSource without eventSourceAddress")
    point = _find(element, "eventPointDataQuery")
    name = _find(point, "eventIdentity", "eventName")
    made = EventSource(address, _get(element, "enabled", "true").lower() != "false", _get(name, "literal"))
    made.name_query = _query(address, name)
    made.filter = _query(address, _find(point, "eventFilter"))
    made.unit = _one_of(address, "unitOfWork", _get(_find(point, "eventUOW"), "unitOfWork", "messageFlow"), UNITS)
    for each in CORRELATORS:
        query = _query(address, _find(point, "eventCorrelation", each))
        if query is not None:
            made.correlators[each] = query
    application = _find(element, "applicationDataQuery")
    for each in _all(application, "simpleContent"):
        query = _query(address, _find(each, "valueQuery"))
        if query is not None:
            content = Content(
                query, _get(each, "name"), _get(each, "dataType", "string"), _get(each, "targetNamespace")
            )
            made.simple.append(content)
    for each in _all(application, "complexContent"):
        query = _query(address, _find(each, "payloadQuery"))
        if query is not None:
            made.complex.append(Content(query, _get(each, "name"), namespace=_get(each, "targetNamespace")))
    data = _find(element, "bitstreamDataQuery")
    _set_bitstream(made, _get(data, "bitstreamContent", "none"), _get(data, "encoding", "base64Binary"))
    return made


def _set_bitstream(made: EventSource, content: str, encoding: str) -> None:
    made.bitstream = _one_of(made.address, "bitstreamContent", content.lower(), CONTENTS)
    made.encoding = ENCODINGS[_one_of(made.address, "encoding", encoding.lower(), tuple(ENCODINGS))]
    if made.encoding == "none":
        made.bitstream = "none"


def _one_of(address: str, name: str, value: str, known: tuple[str, ...]) -> str:
    if value not in known:
        raise BadProfile(f"{address}: {name} is {', '.join(known)}, not {value!r}")
    return value


def _query(address: str, element: Any) -> Xpath | None:
    """Return the XPath of a query; None if there is none, or if it is `true()`."""
    text = _get(element, "queryText").strip()
    if not text or text == "true()":
        return None
    prefixes = {_get(each, "nsPrefix"): _get(each, "nsUri") for each in _all(element, "prefixMapping")}
    return _xpath(address, text, prefixes)


def _xpath(address: str, text: str, prefixes: dict[str, str] | None = None) -> Xpath:
    try:
        return Xpath(text, prefixes)
    except ValueError as error:
        raise BadProfile(f"{address}: the query {text!r} is no XPath: {error}") from None


def event_sources(flow: RuntimeFlow, profile: str = "") -> list[EventSource]:
    """Return the events of a flow. Raise BadProfile.

    They are those of the profile that is given; else of the file of the application that the property
    `monitoringProfile` of the flow names; else of the flow file.
    """
    name = str(flow.resolved.settings.get("monitoringProfile") or "")
    if not profile and name:
        for candidate in (name, f"{name}.monprofile.xml", f"{name}.xml"):
            found = flow.settings.resource(candidate)
            if found is not None:
                return read_profile(found)
        raise BadProfile(f"the monitoring profile {name!r} is not deployed")
    return read_profile(profile) if profile else sources_of_flow(flow)


# Events in flow files.


def sources_of_flow(flow: RuntimeFlow) -> list[EventSource]:
    """Return the events that the nodes of a flow define themselves (`monitorEvents`). Raise BadProfile."""
    found = []
    for node in flow.nodes:
        for row in node.tables.get("monitorEvents", []):
            made = _source_of_row(node, row)
            if made is not None:
                found.append(made)
    return found


def _source_of_row(node: RuntimeNode, row: Mapping[str, Any]) -> EventSource | None:
    address = str(row.get("eventSourceName") or row.get("eventSourceAddress") or "")
    if not address:
        return None
    # A node in a subflow is addressed by the labels that lead to it.
    if address.startswith(f"{node.short_label}."):
        address = f"{label_of(node)}.{address[len(node.short_label) + 1 :]}"
    made = EventSource(address, str(row.get("eventEnabled", "true")).lower() != "false")
    document = _first(row.get("eventXMLDoc"))
    name = _first(document.get("eventName"))
    made.name = str(name.get("literal") or "")
    location = _location(name)
    if location and not made.name:
        made.name_query = _xpath(address, location)
    location = _location(_first(document.get("eventFilter"))).strip()
    if location and location != "true()":
        made.filter = _xpath(address, location)
    made.unit = _one_of(address, "unitOfWork", str(document.get("unitOfWork") or "messageFlow"), UNITS)
    for key, correlator in zip(("local", "parent", "global"), CORRELATORS, strict=True):
        location = _location(_first(document.get(f"{key}TransactionCorrelator")))
        if location:
            made.correlators[correlator] = _xpath(address, location)
    _set_content(made, document)
    return made


def _location(part: Mapping[str, Any]) -> str:
    """Return the XPath of a part of the document; '' if it has none."""
    return str(part.get("dataLocation") or "")


def _set_content(made: EventSource, document: Mapping[str, Any]) -> None:
    """Set the parts of the message that an event carries: folders, values and the bit stream."""
    for each in _every(document.get("complexContent")):
        if _location(each):
            made.complex.append(Content(_xpath(made.address, _location(each))))
    for each in _every(document.get("simpleContent")):
        if _location(each):
            kind = str(each.get("dataType") or "string")
            made.simple.append(Content(_xpath(made.address, _location(each)), str(each.get("name") or ""), kind))
    data = _first(document.get("bitStreamData"))
    _set_bitstream(made, str(data.get("bitstreamContent") or "none"), str(data.get("encoding") or "base64Binary"))


def _every(value: Any) -> Iterable[Mapping[str, Any]]:
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, Mapping)]


def _first(value: Any) -> Mapping[str, Any]:
    return next(iter(_every(value)), {})


# A flow's addresses.


def label_of(node: RuntimeNode) -> str:
    """Return the label of a node, with those of the subflows that lead to it."""
    return node.label.removeprefix(node.flow.resolved.root.definition.name + ".")


def addresses(flow: RuntimeFlow) -> list[str]:
    """Return every address of a flow that can emit an event."""
    from flintmq.broker.runtime.statistics.recorder import terminals_of

    found = []
    for node in flow.nodes:
        label = label_of(node)
        if node.starts_flow:
            found += [f"{label}.{each}" for each in (START, END, ROLLBACK)]
        inputs, outputs = terminals_of(node)
        found += [f"{label}.terminal.{each}" for each in (*inputs, *outputs)]
    return found


def profile_text(sources: Iterable[EventSource]) -> bytes:
    """Return a profile with these sources, to be edited and applied; queries that a source does not have stay empty."""
    root = etree.Element(f"{{{PROFILE_NAMESPACE}}}monitoringProfile", nsmap={"p": PROFILE_NAMESPACE})
    root.set(f"{{{PROFILE_NAMESPACE}}}version", "2.0")
    for each in sources:
        source = _sub(root, "eventSource", eventSourceAddress=each.address, enabled=str(each.enabled).lower())
        point = _sub(source, "eventPointDataQuery")
        _sub(_sub(point, "eventIdentity"), "eventName", literal=each.name, queryText=_text(each.name_query))
        correlation = _sub(point, "eventCorrelation")
        for name in CORRELATORS:
            given = each.correlators.get(name)
            kind = "automatic" if given is None else "query"
            _sub(correlation, name, queryText=_text(given), sourceOfId=kind)
        _sub(point, "eventFilter", queryText=_text(each.filter) or "true()")
        _sub(point, "eventUOW", unitOfWork=each.unit)
        application = _sub(source, "applicationDataQuery")
        for content in each.simple:
            simple = _sub(application, "simpleContent", name=content.name, dataType=content.data_type)
            _sub(simple, "valueQuery", queryText=_text(content.query))
        for content in each.complex:
            _sub(_sub(application, "complexContent"), "payloadQuery", queryText=_text(content.query))
        _sub(source, "bitstreamDataQuery", bitstreamContent=each.bitstream, encoding=each.encoding)
    return bytes(etree.tostring(root, pretty_print=True, xml_declaration=True, encoding="UTF-8"))


def _text(query: Xpath | None) -> str:
    return "" if query is None else query.source


def _sub(parent: Any, name: str, /, **attributes: str) -> Any:
    made = etree.SubElement(parent, f"{{{PROFILE_NAMESPACE}}}{name}")
    for key, value in attributes.items():
        made.set(f"{{{PROFILE_NAMESPACE}}}{key}", value)
    return made
