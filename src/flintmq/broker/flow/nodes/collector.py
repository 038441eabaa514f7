"""Collector: gathers messages from several terminals into one.

Each dynamic terminal has a row of `eventHandlerPropertyTable`: how many messages it takes (`quantity`), how long it
waits (`timeout`, in seconds from the first message of the collection), and the text that its messages have in common:
the text that `correlationPath` finds, or the part that `*` of `correlationPattern` stands for. Messages with the same
text belong to the same collection. A terminal is satisfied when it has its quantity, or its time is over; a collection
is complete when all are. The next message of a terminal that is satisfied starts another collection.

    eventCoordination   Disabled: a complete collection is sent at once
                        AllCompleteCollections, FirstCompleteCollection: a message at `control` sends them
    collectionExpiry    after that many seconds an incomplete collection goes to `expire`; 0 = never

A collection is sent as a unit of work of its own: Properties, and `Collection` with CollectionName and one folder per
message, named like its terminal. LocalEnvironment.Wildcard.WildcardMatch is the correlation text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.engine import Invocation, NodeProblem, RuntimeNode, runs
from flintmq.broker.flow.locations import Expression, namespaces_of
from flintmq.broker.flow.nodes.aggregation import send_caught
from flintmq.broker.flow.nodes.file import wildcard_match
from flintmq.broker.flow.services import Services
from flintmq.broker.flow.state import Timer
from flintmq.broker.tree.assembly import Assembly, new_root, new_tree
from flintmq.broker.tree.descriptor import gmt_now
from flintmq.broker.tree.element import Element, copy_element
from flintmq.broker.tree.types import NAME

CONTROL: Final = "control"
_MODES: Final = ("Disabled", "AllCompleteCollections", "FirstCompleteCollection")
_NO_TERMINAL: Final = 4701


@dataclass(slots=True)
class Handler:
    """The row of a terminal."""

    terminal: str
    quantity: int
    timeout: float
    path: Expression | None
    pattern: str

    def correlation(self, assembly: Assembly) -> str:
        """Return the text that messages of one collection have in common."""
        text = "" if self.path is None else self.path.text_value(assembly) or ""
        if not self.pattern:
            return text
        return wildcard_match(self.pattern, text) or ""


@runs
class Collector(RuntimeNode):
    """Collector: makes collections of messages."""

    uses_state = True
    types = ("ComIbmCollector.msgnode",)

    def prepare(self) -> None:
        self.collection_name = self.text("collectionName")
        self.expiry = self.number("collectionExpiry", 0)
        self.mode = self.text("eventCoordination", "Disabled")
        if self.mode not in _MODES:
            raise NodeProblem(f"{self.label}: eventCoordination is {self.mode!r}; known: {', '.join(_MODES)}")
        namespaces = namespaces_of(self.tables.get("nsMappingTable", []))
        self.handlers: dict[str, Handler] = {}
        for row in self.tables.get("eventHandlerPropertyTable", []):
            terminal, path = str(row.get("terminal", "")), str(row.get("correlationPath", ""))
            try:
                expression = Expression(path, namespaces) if path else None
                quantity, timeout = int(str(row.get("quantity", "") or 0)), float(str(row.get("timeout", "") or 0))
            except ValueError as error:
                raise NodeProblem(f"{self.label}: the event handler of {terminal}: {error}") from None
            if quantity <= 0 and timeout <= 0:
                quantity = 1
            pattern = str(row.get("correlationPattern", ""))
            self.handlers[terminal] = Handler(terminal, quantity, timeout, expression, pattern)
        if not self.handlers:
            raise NodeProblem(f"{self.label}: the node has no event handlers; give each input terminal one")

    @property
    def timer_address(self) -> str:
        """Return the address of the timers of this node, which is the area of its collections."""
        return f"collector:{self.label}"

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        services = invocation.services
        if terminal == CONTROL:
            self._release(services)
            return
        handler = self.handlers.get(terminal)
        if handler is None:
            raise BrokerError(
                _NO_TERMINAL, f"the terminal {terminal} has no event handler", inserts=(self.label, terminal)
            )
        correlation = handler.correlation(assembly)
        key, collection = self._collection_for(services, handler, correlation)
        messages = collection.folder("Messages")
        added = messages.append(copy_element(assembly.message))
        added.name = terminal
        if handler.quantity > 0 and _count(messages, terminal) >= handler.quantity:
            collection.folder("Satisfied").add(terminal)
        self._keep(services, key, correlation, collection)

    # The store has one area per correlation text, so that a message is compared with few collections, and one that
    # names the complete collections for the control terminal.

    def _area(self, correlation: str) -> str:
        return f"{self.timer_address}/{correlation}"

    def _collection_for(self, services: Services, handler: Handler, correlation: str) -> tuple[str, Element]:
        """Return a collection that takes a message of a terminal; a new one if there is none."""
        area = self._area(correlation)
        for key in services.store.keys(area):
            found = services.store.get(area, key)
            if found is not None and not _is_satisfied(found, handler.terminal) and not found.get("Complete"):
                return key, copy_element(found)
        key = services.new_identifier(b"COLL").hex()
        collection = Element("Collection", None, NAME)
        collection.add("Correlation", correlation)
        if self.expiry > 0:
            services.set_timer(Timer(self.timer_address, f"expire:{key}::{correlation}", self.expiry))
        for number, each in enumerate(self.handlers.values()):
            if each.timeout > 0:
                services.set_timer(Timer(self.timer_address, f"wait:{key}:{number}:{correlation}", each.timeout))
        return key, collection

    def _keep(self, services: Services, key: str, correlation: str, collection: Element) -> None:
        """Keep a collection; if it is complete, ask for a unit of work to send it."""
        complete = all(_is_satisfied(collection, terminal) for terminal in self.handlers)
        if complete:
            collection.put("Complete", True)
            self._cancel(services, key, correlation)
        services.store.put(self._area(correlation), key, collection)
        if complete and self.mode == "Disabled":
            services.set_timer(Timer(self.timer_address, f"send:{key}::{correlation}", 0))
        elif complete:
            services.store.put(self.timer_address, key, Element("Complete", correlation))

    def _cancel(self, services: Services, key: str, correlation: str) -> None:
        services.cancel_timer(self.timer_address, f"expire:{key}::{correlation}")
        for number in range(len(self.handlers)):
            services.cancel_timer(self.timer_address, f"wait:{key}:{number}:{correlation}")

    def _release(self, services: Services) -> None:
        """Send complete collections: a message came to the control terminal."""
        for key in services.store.keys(self.timer_address):
            found = services.store.get(self.timer_address, key)
            if found is not None:
                services.store.delete(self.timer_address, key)
                services.set_timer(Timer(self.timer_address, f"send:{key}::{found.value}", 0))
                if self.mode == "FirstCompleteCollection":
                    return

    def due(self, invocation: Invocation, key: str) -> None:
        """Send a collection, let it expire, or end the wait of one terminal."""
        services = invocation.services
        action, name, number, correlation = key.split(":", 3)
        found = services.store.get(self._area(correlation), name)
        if found is None:
            return
        if action == "wait":
            if not found.get("Complete"):
                collection = copy_element(found)
                collection.folder("Satisfied").add(list(self.handlers)[int(number)])
                self._keep(services, name, correlation, collection)
            return
        services.store.delete(self._area(correlation), name)
        self._cancel(services, name, correlation)
        invocation.transactional = False
        self.calls += 1
        invocation.note(self, "start")
        try:
            send_caught(self, "expire" if action == "expire" else "out", invocation, self._message(found))
        except BrokerError as error:
            raise self.rethrown(error) from error

    def _message(self, collection: Element) -> Assembly:
        correlation = str(collection.get("Correlation") or "")
        root = new_root()
        properties = root.append(Element("Properties", None, NAME))
        properties.domain = "Properties"
        for name, value in (
            ("MessageSet", ""),
            ("MessageType", ""),
            ("MessageFormat", ""),
            ("Encoding", 546),
            ("CodedCharSetId", 1208),
            ("Transactional", False),
            ("Persistence", False),
            ("CreationTime", gmt_now()),
            ("ExpirationTime", -1),
            ("Priority", 0),
            ("ReplyIdentifier", b""),
            ("ReplyProtocol", "UNKNOWN"),
            ("Topic", None),
            ("ContentType", ""),
        ):
            properties.add(name, value)
        body = root.append(Element("Collection", None, NAME))
        body.add("CollectionName", self.collection_name.replace("*", correlation))
        messages = collection.child("Messages")
        for message in [] if messages is None else messages.children():
            body.append(copy_element(message))
        local = new_tree("LocalEnvironment")
        local.put("Wildcard.WildcardMatch", correlation)
        return Assembly(root, local)


def _count(messages: Element, terminal: str) -> int:
    return sum(child.name == terminal for child in messages.children())


def _is_satisfied(collection: Element, terminal: str) -> bool:
    satisfied = collection.child("Satisfied")
    return satisfied is not None and satisfied.child(terminal) is not None
