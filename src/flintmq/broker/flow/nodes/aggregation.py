"""Aggregation: AggregateControl, AggregateRequest, AggregateReply; and the same in memory: Group nodes.

    AggregateControl   starts an aggregation, sends its message on, and afterwards knows which requests were made
    AggregateRequest   behind each output node: notes the identifier that the reply to this request will have
    AggregateReply     takes the replies; when all are there, sends them as one message

The message of all replies is `ComIbmAggregateReplyBody` with one folder per reply, named as AggregateRequest says,
which holds the whole reply: Properties, headers, body. After `timeoutInterval` seconds the replies that are there go to
`timeout`. A reply that nobody waits for goes to `unknown`, at once or after `unsolicitedTimeout` seconds, since it may
have come before its aggregation was complete.

State, in the store: for each aggregation the requests that are open and the replies so far; and which aggregation an
identifier belongs to. A reply is found by its identifier: of the asynchronous response (LocalEnvironment.HTTP.Response.
MessageCorrelId, likewise SOAP and REST), of a callable flow, else the CorrelId of MQ.

Group nodes do the same without AggregateRequest: an output node with AddRequestToGroup joins the group that a
GroupScatter node before it started. GroupComplete starts a flow of its own, with the local environment of the message
that GroupScatter had. The message is `ComIbmGroupCompleteBody` with a folder per reply.
"""

from __future__ import annotations

from typing import ClassVar, Final

from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.engine import Invocation, NodeProblem, RuntimeNode, runs
from flintmq.broker.flow.locations import Expression, namespaces_of
from flintmq.broker.flow.nodes.inputs import Incoming, InputNode
from flintmq.broker.flow.services import Services
from flintmq.broker.flow.state import Timer
from flintmq.broker.tree.assembly import Assembly, exception_list, new_root, new_tree
from flintmq.broker.tree.element import Element, copy_element
from flintmq.broker.tree.types import NAME

BODY: Final = "ComIbmAggregateReplyBody"
GROUP_BODY: Final = "ComIbmGroupCompleteBody"
_NO_CONTROL: Final = 4412
_NO_REQUEST: Final = 4413
_NO_REPLY: Final = 4414
_PROPERTIES: Final = (
    "MessageSet MessageType MessageFormat Encoding CodedCharSetId Transactional Persistence CreationTime "
    "ExpirationTime Priority ReplyIdentifier ReplyProtocol Topic ContentType"
).split()
_UNKNOWN: Final = "unknown:"


class Groups:
    """Aggregations of one name in a store: requests that are open, replies that are there."""

    def __init__(self, kind: str, name: str, services: Services) -> None:
        self.address = f"{kind}:{name}"
        self.services = services

    def open(self, key: str, requests: list[tuple[str, str]], context: Element | None, seconds: float) -> bool:
        """Keep an aggregation: folder and identifier of each request. Return whether all replies are there already."""
        store = self.services.store
        group = Element("Group", None, NAME)
        waiting = group.append(Element("Requests", None, NAME))
        replies = group.append(Element("Replies", None, NAME))
        if context is not None:
            group.append(Element("Context", None, NAME)).append(copy_element(context))
        early: list[str] = []
        for folder, identifier in requests:
            held = store.get(self.address, _UNKNOWN + identifier)
            if held is not None:
                early.append(identifier)
                replies.append(_renamed(held, folder))
                continue
            waiting.append(Element(folder, identifier))
            store.put(self.address, f"request:{identifier}", Element("Group", key))
        for identifier in early:
            store.delete(self.address, _UNKNOWN + identifier)
            self.services.cancel_timer(self.address, _UNKNOWN + identifier)
        store.put(self.address, f"group:{key}", group)
        if seconds > 0:
            self.services.set_timer(Timer(self.address, f"group:{key}", seconds))
        return waiting.first is None

    def reply(self, identifier: str, message: Element) -> str | None:
        """Add a reply; return the key of its aggregation if it is complete now, '' if not, None if there is none."""
        store = self.services.store
        found = store.get(self.address, f"request:{identifier}")
        key = None if found is None else str(found.value)
        group = None if key is None else store.get(self.address, f"group:{key}")
        if key is None or group is None:
            return None
        changed = copy_element(group)
        waiting, replies = changed.child("Requests"), changed.child("Replies")
        assert waiting is not None and replies is not None
        request = next(each for each in waiting.children() if each.value == identifier)
        request.detach()
        replies.append(_renamed(message, request.name))
        store.delete(self.address, f"request:{identifier}")
        store.put(self.address, f"group:{key}", changed)
        return key if waiting.first is None else ""

    def hold(self, identifier: str, message: Element, seconds: float) -> None:
        """Keep a reply in case its aggregation comes later."""
        self.services.store.put(self.address, _UNKNOWN + identifier, copy_element(message))
        self.services.set_timer(Timer(self.address, _UNKNOWN + identifier, seconds))

    def take_held(self, key: str) -> Element | None:
        """Return a reply that nobody waited for, and forget it."""
        found = self.services.store.get(self.address, key)
        self.services.store.delete(self.address, key)
        return found

    def close(self, key: str) -> tuple[list[Element], Element | None]:
        """Return the replies of an aggregation and its context, and forget it."""
        store = self.services.store
        group = store.get(self.address, f"group:{key}")
        if group is None:
            return [], None
        store.delete(self.address, f"group:{key}")
        self.services.cancel_timer(self.address, f"group:{key}")
        waiting, replies, context = group.child("Requests"), group.child("Replies"), group.child("Context")
        assert waiting is not None and replies is not None
        for each in waiting.children():
            store.delete(self.address, f"request:{each.value}")
        kept = None if context is None else context.first_child()
        return replies.children(), None if kept is None else copy_element(kept)

    def exists(self, key: str) -> bool:
        """Return whether an aggregation is there."""
        return self.services.store.get(self.address, f"group:{key}") is not None


def _renamed(message: Element, name: str) -> Element:
    made = copy_element(message)
    made.name = name
    return made


def replies_message(body: str, replies: list[Element]) -> Element:
    """Return the message of all replies. Its Properties have no values but the protocol, as recorded."""
    root = new_root()
    properties = root.append(Element("Properties", None, NAME))
    properties.domain = "Properties"
    for name in _PROPERTIES:
        properties.add(name, "MQ" if name == "ReplyProtocol" else None)
    folder = root.append(Element(body, None, NAME))
    for reply in replies:
        folder.append(copy_element(reply))
    return root


def reply_identifier(assembly: Assembly) -> bytes | None:
    """Return the identifier of the request that a message answers; None if it has none."""
    local = assembly.local_environment
    for value in (
        *(local.get(f"{kind}.Response.MessageCorrelId") for kind in ("HTTP", "REST", "SOAP")),
        assembly.environment.get("CallableFlow.CorrelationID"),
        assembly.message.get("MQMD.CorrelId"),
        assembly.message.get("Properties.ReplyIdentifier"),
    ):
        if isinstance(value, bytes) and value.strip(b"\0"):
            return value
    return None


def written_identifier(assembly: Assembly) -> tuple[str, bytes] | None:
    """Return transport and reply identifier of the request that was sent last; None if there is none."""
    written = assembly.local_environment.child("WrittenDestination")
    folder = None if written is None else written.last_child()
    while folder is not None:
        data = folder.last_child() if folder.name in ("MQ", "MQDestinationList") else folder
        if data is not None:
            value = data.get("replyIdentifier") or data.get("msgId")
            if isinstance(value, bytes) and value.strip(b"\0"):
                return folder.name, value
        folder = folder.previous
    return None


@runs
class AggregateControl(RuntimeNode):
    """AggregateControl: starts an aggregation."""

    uses_state = True
    types = ("ComIbmAggregateControl.msgnode",)

    def prepare(self) -> None:
        self.name_of_aggregate = self.text("aggregateName")
        if not self.name_of_aggregate:
            raise NodeProblem(f"{self.label}: the property aggregateName is empty; it pairs the aggregate nodes")
        self.seconds = self.number("timeoutInterval", 0)
        text = self.text("timeoutLocation", "$LocalEnvironment/Aggregation/Timeout")
        try:
            self.timeout_at = Expression(text, namespaces_of(self.tables.get("nsMappingTable", [])))
        except ValueError as error:
            raise NodeProblem(f"{self.label}: timeoutLocation is {text!r}, which is no path: {error}") from None

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        identifier = invocation.services.new_identifier(b"AGGR").hex()
        local = copy_element(assembly.local_environment)
        mark = local.folder("ComIbmAggregateControlNode")
        mark.put("aggregateName", self.name_of_aggregate)
        mark.put("aggregateId", identifier)
        seconds = self._seconds(assembly)
        outgoing = assembly.replace(local_environment=local)
        self.send("out", invocation, outgoing)
        requests: list[tuple[str, str]] = []
        holder = assembly.environment.child("ComIbmAggregateRequestNode")
        folder = None if holder is None else holder.child(self.name_of_aggregate)
        if folder is not None:
            for each in folder.children():
                requests.append((each.name, str(each.get("replyIdentifier"))))
            folder.detach()
        if not requests:
            raise BrokerError(
                _NO_REQUEST,
                f"no AggregateRequest node ran in the aggregation {self.name_of_aggregate}; put one behind each output",
                inserts=(self.label, self.name_of_aggregate),
            )
        groups = Groups("aggregation", self.name_of_aggregate, invocation.services)
        if groups.open(identifier, requests, None, seconds):
            # All replies were faster than this node: they are sent as soon as the flow has ended.
            invocation.services.set_timer(Timer(groups.address, f"group:{identifier}", 0))
        self.send("control", invocation, outgoing)

    def _seconds(self, assembly: Assembly) -> float:
        given = self.timeout_at.value(assembly)
        if given is None or given == "":
            return self.seconds
        try:
            return float(str(given))
        except ValueError:
            raise BrokerError(
                _NO_CONTROL, f"the timeout {given!r} is not a number of seconds", inserts=(self.label, str(given))
            ) from None


@runs
class AggregateRequest(RuntimeNode):
    """AggregateRequest: notes that the message before it was sent as a request of the aggregation."""

    uses_state = True
    types = ("ComIbmAggregateRequest.msgnode",)

    def prepare(self) -> None:
        self.folder = self.text("folderName")
        if not self.folder:
            raise NodeProblem(f"{self.label}: the property folderName is empty; it names the reply")

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        name = assembly.local_environment.get("ComIbmAggregateControlNode.aggregateName")
        if not isinstance(name, str) or not name:
            raise BrokerError(
                _NO_CONTROL,
                "the message comes from no AggregateControl node: LocalEnvironment.ComIbmAggregateControlNode is "
                "missing; set computeMode of Compute nodes so that the local environment travels",
                inserts=(self.label,),
            )
        found = written_identifier(assembly)
        if found is None:
            raise BrokerError(
                _NO_REQUEST,
                "LocalEnvironment.WrittenDestination names no request; wire this node to `out` of an output node",
                inserts=(self.label,),
            )
        protocol, identifier = found
        holder = assembly.environment.folder("ComIbmAggregateRequestNode")
        group = holder.child(name)
        if group is None:
            group = holder.append(Element(name, None, NAME))
        entry = group.append(Element(self.folder, None, NAME))
        entry.add("replyIdentifier", identifier.hex())
        entry.add("replyProtocol", protocol)
        self.send("out", invocation, assembly)


@runs
class AggregateReply(RuntimeNode):
    """AggregateReply: collects replies, and sends them as one message."""

    uses_state = True
    types = ("ComIbmAggregateReply.msgnode",)

    def prepare(self) -> None:
        self.name_of_aggregate = self.text("aggregateName")
        if not self.name_of_aggregate:
            raise NodeProblem(f"{self.label}: the property aggregateName is empty; it pairs the aggregate nodes")
        self.unsolicited = self.number("unsolicitedTimeout", 0)

    @property
    def timer_address(self) -> str:
        """Return the address of the timeouts of this aggregation."""
        return f"aggregation:{self.name_of_aggregate}"

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        if terminal == "control":
            # What the control terminal tells is in the store already.
            return
        identifier = reply_identifier(assembly)
        if identifier is None:
            raise BrokerError(
                _NO_REPLY, "the message names no request that it answers: its CorrelId is empty", inserts=(self.label,)
            )
        groups = Groups("aggregation", self.name_of_aggregate, invocation.services)
        key = groups.reply(identifier.hex(), assembly.message)
        if key:
            self._send_replies(invocation, groups, key, "out", assembly.environment)
        elif key is None:
            if self.unsolicited > 0:
                groups.hold(identifier.hex(), assembly.message, self.unsolicited)
            else:
                self._send_caught("unknown", invocation, assembly)

    def due(self, invocation: Invocation, key: str) -> None:
        """Send the replies that are there when the time is over."""
        groups = Groups("aggregation", self.name_of_aggregate, invocation.services)
        if key.startswith(_UNKNOWN):
            held = groups.take_held(key)
            if held is not None:
                root = copy_element(held)
                self._send_caught("unknown", invocation, Assembly(root))
            return
        name = key.removeprefix("group:")
        if not groups.exists(name):
            return
        group = invocation.services.store.get(groups.address, key)
        waiting = None if group is None else group.child("Requests")
        late = waiting is not None and waiting.first is not None
        invocation.aggregate_timeouts += late
        self._send_replies(invocation, groups, name, "timeout" if late else "out", None)

    def _send_replies(
        self, invocation: Invocation, groups: Groups, key: str, terminal: str, environment: Element | None
    ) -> None:
        replies, _ = groups.close(key)
        root = replies_message(BODY, replies)
        self._send_caught(terminal, invocation, Assembly(root, new_tree("LocalEnvironment"), environment))

    def _send_caught(self, terminal: str, invocation: Invocation, assembly: Assembly) -> None:
        send_caught(self, terminal, invocation, assembly)


def send_caught(node: RuntimeNode, terminal: str, invocation: Invocation, assembly: Assembly) -> None:
    """Send an assembly, and errors below to the catch terminal, as an input node does (F6)."""
    try:
        node.send(terminal, invocation, assembly)
    except BrokerError as error:
        if not node.wired("catch"):
            raise
        invocation.note(node, "catch", "catch", str(error.root_cause()))
        node.send("catch", invocation, assembly.replace(exception_list=exception_list(node.rethrown(error))))


@runs
class GroupScatter(RuntimeNode):
    """GroupScatter: starts a group; requests below it that say so join the group."""

    uses_state = True
    types = ("ComIbmGroupScatter.msgnode",)

    def prepare(self) -> None:
        self.group = self.text("GroupName")
        if not self.group:
            raise NodeProblem(f"{self.label}: the property GroupName is empty; it pairs the group nodes")
        self.seconds = self.number("GroupTimeout", 0)

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        before, invocation.group = invocation.group, []
        try:
            self.send("out", invocation, assembly)
            requests = [(folder, identifier.hex()) for folder, identifier in invocation.group]
        finally:
            invocation.group = before
        if not requests:
            raise BrokerError(
                _NO_REQUEST,
                f"no node joined the group {self.group}; set AddRequestToGroup on the output nodes",
                inserts=(self.label, self.group),
            )
        groups = Groups("group", self.group, invocation.services)
        key = invocation.services.new_identifier(b"GRUP").hex()
        if groups.open(key, requests, assembly.local_environment, self.seconds):
            invocation.services.set_timer(Timer(groups.address, f"group:{key}", 0))


@runs
class GroupGather(RuntimeNode):
    """GroupGather: takes replies for a group. The message ends here; GroupComplete goes on."""

    uses_state = True
    types = ("ComIbmGroupGather.msgnode",)

    def prepare(self) -> None:
        self.group = self.text("GroupName")
        if not self.group:
            raise NodeProblem(f"{self.label}: the property GroupName is empty; it pairs the group nodes")
        self.seconds = self.number("UnknownMessageTimeout", 0)

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        identifier = reply_identifier(assembly)
        if identifier is None:
            self.send("unknown", invocation, assembly)
            return
        groups = Groups("group", self.group, invocation.services)
        key = groups.reply(identifier.hex(), assembly.message)
        if key:
            # GroupComplete is another flow, or another unit of work of this one.
            invocation.services.set_timer(Timer(groups.address, f"group:{key}", 0))
        elif key is None:
            if self.seconds > 0:
                groups.hold(identifier.hex(), assembly.message, self.seconds)
            else:
                self.send("unknown", invocation, assembly)


@runs
class GroupComplete(InputNode):
    """GroupComplete: starts a flow with the replies of a group, when all are there or the time is over."""

    uses_state = True
    types = ("ComIbmGroupComplete.msgnode",)
    is_response: ClassVar[bool] = True

    def prepare(self) -> None:
        super().prepare()
        self.group = self.text("GroupName")
        if not self.group:
            raise NodeProblem(f"{self.label}: the property GroupName is empty; it pairs the group nodes")

    @property
    def timer_address(self) -> str:
        """Return the address of the groups of this name."""
        return f"group:{self.group}"

    def take(self, invocation: Invocation, incoming: Incoming) -> None:
        """Send a group that is given as a tree, for tests of the nodes behind this one."""
        self.run(invocation, incoming, lambda: replies_message(GROUP_BODY, []), lambda: new_root())

    def due(self, invocation: Invocation, key: str) -> None:
        """Send a group that is complete or has timed out, or a reply that nobody waited for."""
        invocation.transactional = False
        groups = Groups("group", self.group, invocation.services)
        if key.startswith(_UNKNOWN):
            held = groups.take_held(key)
            if held is not None:
                self.send_caught(invocation, Assembly(copy_element(held)), "unknown")
            return
        group = invocation.services.store.get(groups.address, key)
        if group is None:
            return
        waiting = group.child("Requests")
        late = waiting is not None and waiting.first is not None
        invocation.aggregate_timeouts += late
        replies, context = groups.close(key.removeprefix("group:"))
        local = new_tree("LocalEnvironment") if context is None else context
        given = local.get("Destination.HTTP.RequestIdentifier")
        if isinstance(given, bytes):
            invocation.request_identifier = given
        self.calls += 1
        invocation.note(self, "start")
        root = replies_message(GROUP_BODY, replies)
        self.send_caught(invocation, Assembly(root, local), "timeout" if late else "out")
