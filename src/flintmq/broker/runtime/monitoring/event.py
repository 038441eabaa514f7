"""One monitoring event as XML: `wmb:event` in the namespace EVENT_NAMESPACE.

eventPointData     eventData (eventIdentity, eventSequence, eventCorrelation), messageFlowData (broker,
                   executionGroup, messageFlow, node)
applicationData    simpleContent: a value; complexContent: a part of the message
bitstreamData      the message as bytes, encoded
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

import flintmq
from flintmq.broker.flow.nodes.http_common import find_body
from flintmq.broker.formats.registry import format_of
from flintmq.broker.runtime.monitoring.profile import EventSource
from flintmq.broker.runtime.statistics.record import Place
from flintmq.broker.tree.assembly import Assembly
from flintmq.broker.tree.headers import context_of_root
from flintmq.broker.tree.message_writer import write_message

if TYPE_CHECKING:
    from flintmq.broker.flow.engine import RuntimeNode

EVENT_NAMESPACE: Final = "http://www.ibm.com/xmlns/prod/websphere/messagebroker/6.1.0/monitoring/event"
SCHEMA_VERSION: Final = "6.1.0.3"
#: Bytes of a message that an event carries at most.
BITSTREAM_MAX: Final = 4 << 20
_NOT_XML: Final = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF, *range(0xD800, 0xE000)), " ")
_NODE_DETAIL: Final = ("queueName", "URLSpecifier", "inputDirectory", "topicProperty")


@dataclass(slots=True)
class Event:
    """The fields of an event before they are written as XML."""

    source: EventSource
    name: str
    created: str
    counter: int
    correlators: dict[str, str]
    node: RuntimeNode
    label: str
    terminal: str
    thread: int
    #: Name, data type, namespace and value.
    simple: list[tuple[str, str, str, str]] = field(default_factory=list)
    complex: list[Any] = field(default_factory=list)
    bitstream: bytes | None = None


def write_event(event: Event, place: Place) -> bytes:
    """Return an event as XML."""
    root = etree.Element(_name("event"), nsmap={"wmb": EVENT_NAMESPACE})
    point = _sub(root, "eventPointData")
    data = _sub(
        point,
        "eventData",
        productVersion=flintmq.__version__,
        eventSchemaVersion=SCHEMA_VERSION,
        eventSourceAddress=event.source.address,
    )
    _sub(data, "eventIdentity", eventName=event.name)
    _sub(data, "eventSequence", creationTime=event.created, counter=str(event.counter))
    _sub(data, "eventCorrelation", **event.correlators)
    flow = event.node.flow
    about = _sub(point, "messageFlowData")
    _sub(about, "broker", name=place.broker, UUID=place.broker_id)
    _sub(about, "executionGroup", name=place.group, UUID=place.group_id)
    unique = ".".join(filter(None, (place.broker, place.group, flow.application, flow.name)))
    _sub(about, "messageFlow", uniqueFlowName=unique, name=flow.name, threadId=str(event.thread))
    node = _sub(about, "node", nodeLabel=event.label, nodeType=event.node.type)
    if event.terminal:
        _set(node, terminal=event.terminal)
    detail = next(filter(None, (event.node.text(name) for name in _NODE_DETAIL)), "")
    if detail:
        _set(node, detail=detail)
    if event.simple or event.complex:
        application = _sub(root, "applicationData")
        for name, kind, namespace, value in event.simple:
            content = _sub(application, "simpleContent", name=name, value=value, dataType=kind)
            if namespace:
                _set(content, targetNamespace=namespace)
        for part in event.complex:
            _sub(application, "complexContent", elementName=etree.QName(part).localname).append(part)
    if event.bitstream is not None:
        _add_bitstream(root, event)
    return bytes(etree.tostring(root, encoding="UTF-8", xml_declaration=True))


def _add_bitstream(root: Any, event: Event) -> None:
    data = event.bitstream or b""
    encoding = event.source.encoding
    made = _sub(_sub(root, "bitstreamData"), "bitstream", encoding=encoding)
    if encoding == "HexBinary":
        made.text = data.hex().upper()
    elif encoding == "CDATA":
        text = data.decode("utf-8", "replace").translate(_NOT_XML)
        # A section cannot hold its own end.
        made.text = text if "]]>" in text else etree.CDATA(text)
    else:
        made.text = base64.b64encode(data).decode("ascii")


def _name(name: str) -> str:
    return f"{{{EVENT_NAMESPACE}}}{name}"


def _sub(parent: Any, name: str, /, **attributes: str) -> Any:
    made = etree.SubElement(parent, _name(name))
    _set(made, **attributes)
    return made


def _set(element: Any, **attributes: str) -> None:
    for name, value in attributes.items():
        element.set(_name(name), value.translate(_NOT_XML))


def bytes_of(node: RuntimeNode, assembly: Assembly, content: str) -> bytes:
    """Return the message of an assembly: its headers, with the descriptor; its body; or all of it."""
    flow, root = node.flow, assembly.message
    body = find_body(root)
    if content == "body":
        if body is None:
            return b""
        context = context_of_root(root, flow.models, flow.switches)
        return format_of(body.domain or body.name).write(body, context)[:BITSTREAM_MAX]
    md, data = write_message(root, models=flow.models, switches=flow.switches)
    if content == "headers":
        length = len(bytes_of(node, assembly, "body"))
        return md.pack() + data[: len(data) - length]
    return (md.pack() + data)[:BITSTREAM_MAX]
