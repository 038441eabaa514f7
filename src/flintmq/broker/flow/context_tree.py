"""The context tree: how a flow was started, for ESQL that asks `Context` and CONTEXTREFERENCE (MF 1.9).

    Context
      FlowDetails        FlowName, ApplicationName, LibraryName, IntegrationServerName, IntegrationNodeName, HostName,
                         ProcessId
      InvocationDetails  Timestamp, ThreadId, NodeName: the input node
      Nodes
        <input node>     PayloadDetails, Payload, Headers, Metadata, NodeType

Shapes are those of a recorded assembly. The tree costs one object per message: it is built when ESQL touches it. Nodes
behind the input node are not in it.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from flintmq.broker.tree.element import Element, Source, copy_element
from flintmq.broker.tree.header_fields import LAYOUTS, PLAIN_HEADERS
from flintmq.broker.tree.headers import context_of_root
from flintmq.broker.tree.types import NAME
from flintmq.broker.values import timestamp_from_python

if TYPE_CHECKING:
    from flintmq.broker.flow.engine import RuntimeNode

_TRANSPORTS: Final = (("HTTP", "HTTP"), ("MQ", "MQ"), ("JMS", "JMS"), ("Email", "Email"))


class ContextSource(Source):
    """Builds the context tree of one message."""

    def __init__(self, node: RuntimeNode, message: Element, metadata: tuple[tuple[str, object], ...]) -> None:
        super().__init__("")
        self.node = node
        self.message = message
        self.metadata = metadata
        self.started = time.time()
        self.thread = threading.get_ident()

    def more(self, element: Element) -> None:
        """Append all folders."""
        element.pending = False
        node = self.node
        flow = node.flow
        details = Element("FlowDetails", None, NAME)
        for name, value in (
            ("FlowName", flow.name),
            ("ApplicationName", flow.application),
            ("LibraryName", ""),
            ("IntegrationServerName", flow.broker_property("EXECUTIONGROUPLABEL")),
            ("IntegrationNodeName", flow.broker_property("BROKERNAME")),
            ("HostName", socket.gethostname()),
            ("ProcessId", os.getpid()),
        ):
            details.add(name, value)
        invocation = Element("InvocationDetails", None, NAME)
        invocation.add("Timestamp", timestamp_from_python(datetime.fromtimestamp(self.started, UTC)))
        invocation.add("ThreadId", self.thread)
        invocation.add("NodeName", node.short_label)
        nodes = Element("Nodes", None, NAME)
        nodes.append(self._node())
        for folder in (details, invocation, nodes):
            element.append_built(folder)

    def _node(self) -> Element:
        entry = Element(self.node.short_label, None, NAME)
        headers = Element("Headers", None, NAME)
        body: Element | None = None
        for child in self.message.children():
            domain = child.domain or child.name
            if domain == "Properties":
                continue
            if domain in PLAIN_HEADERS or domain in LAYOUTS or domain == "MQMD":
                transport = next((name for prefix, name in _TRANSPORTS if domain.startswith(prefix)), "Other")
                headers.folder(transport).append(copy_element(child))
            else:
                body = child
        if body is not None:
            self._payload(entry, body)
        entry.append(headers)
        if self.metadata:
            folder = entry.append(Element("Metadata", None, NAME))
            for name, value in self.metadata:
                folder.add(name, value)
        entry.add("NodeType", self.node.type)
        return entry

    def _payload(self, entry: Element, body: Element) -> None:
        context = context_of_root(self.message)
        details = entry.append(Element("PayloadDetails", None, NAME))
        for name, value in (
            ("Domain", body.domain or body.name),
            ("Encoding", context.encoding),
            ("CodedCharSetId", context.ccsid),
            ("Model", context.message_set),
            ("Message", context.message_type),
            ("PhysicalFormat", context.message_format),
        ):
            details.add(name, value)
        payload = entry.append(copy_element(body))
        payload.name = "Payload"


def context_tree(node: RuntimeNode, message: Element, metadata: tuple[tuple[str, object], ...] = ()) -> Element:
    """Return the context tree of a message that an input node took in; nothing is built yet."""
    context = Element("Context", None, NAME)
    context.source = ContextSource(node, message, metadata)
    context.pending = True
    return context
