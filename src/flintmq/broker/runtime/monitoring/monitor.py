"""Watch one flow in one thread and publish its monitoring events."""

from __future__ import annotations

import copy
import threading
import time
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.engine import Invocation, RuntimeNode, Watch
from flintmq.broker.flow.services import Publication
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.monitoring.event import Event, bytes_of, write_event
from flintmq.broker.runtime.monitoring.profile import CORRELATORS, END, ROLLBACK, START, EventSource, label_of
from flintmq.broker.runtime.observer import ObservedUnit, Part
from flintmq.broker.runtime.statistics.record import Place
from flintmq.broker.tree.assembly import Assembly, new_root
from flintmq.broker.tree.element import Element, release_tree
from flintmq.mqi.call_errors import MQError
from flintmq.mqi.md import MQMD

if TYPE_CHECKING:
    from flintmq.broker.flow.nodes.inputs import Incoming
    from flintmq.broker.flow.runtime import RuntimeFlow

_NO_TREE = Element("Root", None, 0x01000000)


class Monitor(Part, Watch):
    """Emits the events of a flow."""

    def __init__(self, flow: RuntimeFlow, sources: list[EventSource], place: Place, log: BrokerLog) -> None:
        self.place = place
        self.log = log
        self.topic = f"$SYS/Broker/{place.broker}/Monitoring/{place.group}/{flow.name}"
        by_address = {each.address: each for each in sources if each.enabled}
        self._sources: dict[tuple[int, str], EventSource] = {}
        #: Address parts by node, so that a node costs one look into a dict.
        for node in flow.nodes:
            prefix = label_of(node) + "."
            for address, source in by_address.items():
                if address.startswith(prefix):
                    self._sources[id(node), address[len(prefix) :]] = source
        ends = [source for (_, what), source in self._sources.items() if what in (END, ROLLBACK)]
        self.keeps_trees = any(_reads_tree(each) for each in ends)
        self._unit: ObservedUnit | None = None
        self._node: RuntimeNode | None = None
        self._assembly: Assembly | None = None
        #: When the message began, until its start is emitted.
        self._begun = ""
        self._counter = 0
        self._correlators: dict[str, str] = {}
        self._later: list[bytes] = []
        self._refused: MQError | None = None
        self._problem = ""

    # The message.

    def begin(self, unit: ObservedUnit, invocation: Invocation, node: RuntimeNode, incoming: Incoming | None) -> None:
        if self._unit is not None:
            self._publish_later()
        self._unit, self._node, self._assembly = unit, node, None
        self._begun = _now()
        self._counter = 0
        self._correlators = {
            "localTransactionId": str(uuid.uuid4()),
            "parentTransactionId": "",
            "globalTransactionId": "",
        }
        self._refused = None

    def finish(self, unit: ObservedUnit) -> None:
        node = self._node
        if node is not None:
            self._start(None)
            self._emit(node, END, "", self._assembly)
        if self._refused is not None:
            refused, self._refused = self._refused, None
            raise refused

    def end(self, unit: ObservedUnit, committed: bool) -> None:
        node = self._node
        if node is not None and not committed:
            self._start(None)
            self._emit(node, ROLLBACK, "", self._assembly, "independent")
        self._publish_later()
        if self.keeps_trees and self._assembly is not None:
            release_tree(self._assembly.message)
        self._node = self._assembly = self._unit = None

    # The nodes.

    def entered(self, invocation: Invocation, node: RuntimeNode, terminal: str, assembly: Assembly) -> None:
        self._emit(node, f"terminal.{terminal}", terminal, assembly)

    def sent(
        self, invocation: Invocation, node: RuntimeNode, terminal: str, assembly: Assembly, is_wired: bool
    ) -> None:
        if node is self._node:
            self._start(assembly)
        if is_wired:
            self._emit(node, f"terminal.{terminal}", terminal, assembly)

    def _start(self, assembly: Assembly | None) -> None:
        """Emit the start once: with the first tree that leaves the input node, or without one if none does."""
        node = self._node
        if node is None or not self._begun:
            return
        if assembly is not None:
            self._assembly = assembly  # Of the end of the transaction, too.
        created, self._begun = self._begun, ""
        self._emit(node, START, "", assembly, created=created)

    # Events.

    def _emit(
        self,
        node: RuntimeNode,
        what: str,
        terminal: str,
        assembly: Assembly | None,
        unit_of_work: str = "",
        created: str = "",
    ) -> None:
        source = self._sources.get((id(node), what))
        if source is None:
            return
        try:
            data = self._event(source, node, terminal, assembly, created)
        except (BrokerError, ValueError, TypeError, ArithmeticError, LookupError) as error:
            self._say(f"the event {source.address} cannot be made: {error}")
            return
        if data is None:
            return
        unit = unit_of_work or source.unit
        if unit == "independent":
            self._later.append(data)
            return
        try:
            self._publish(data, unit == "messageFlow")
        except MQError as error:
            if unit == "messageFlow":
                self._refused = error
            else:
                self._say(f"the event {source.address} cannot be published: {error}")

    def _event(
        self, source: EventSource, node: RuntimeNode, terminal: str, assembly: Assembly | None, created: str
    ) -> bytes | None:
        # Without a tree, queries find nothing.
        seen = assembly or Assembly(new_root())
        if source.filter is not None and not source.filter.holds(seen):
            return None
        for name in CORRELATORS:
            query = source.correlators.get(name)
            found = query.text(seen) if query is not None else None
            if found:
                self._correlators[name] = found
        self._counter += 1
        name = source.name or (source.name_query.text(seen) if source.name_query is not None else "") or source.address
        event = Event(
            source,
            name,
            created or _now(),
            self._counter,
            dict(self._correlators),
            node,
            label_of(node),
            terminal,
            threading.get_native_id(),
        )
        for content in source.simple:
            event.simple.append((content.name, content.data_type, content.namespace, content.query.text(seen) or ""))
        for content in source.complex:
            found_parts: Any = content.query.evaluate(seen)
            if isinstance(found_parts, list):
                event.complex += [copy.deepcopy(part) for part in found_parts if hasattr(part, "tag")]
        if source.bitstream != "none" and assembly is not None:
            event.bitstream = bytes_of(node, assembly, source.bitstream)
        return write_event(event, self.place)

    def _publish(self, data: bytes, transactional: bool) -> None:
        unit = self._unit
        assert unit is not None
        md = MQMD()
        md.format = "MQSTR"
        md.coded_char_set_id = 1208
        md.encoding = 546
        unit.session.publish(Publication("Monitoring", [self.topic], md, data, _NO_TREE, transactional=transactional))

    def _publish_later(self) -> None:
        later, self._later = self._later, []
        for data in later:
            try:
                self._publish(data, False)
            except MQError as error:
                self._say(f"events of {self.topic} cannot be published: {error}")

    def _say(self, problem: str) -> None:
        if problem != self._problem:
            self._problem = problem
            self.log.write("3912W", self.topic.rpartition("/")[2], problem)


def _reads_tree(source: EventSource) -> bool:
    """Return whether an event needs the message."""
    queries = (source.filter, source.name_query, *source.correlators.values())
    return any(queries) or bool(source.simple or source.complex) or source.bitstream != "none"


def _now() -> str:
    return datetime.fromtimestamp(time.time(), UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
