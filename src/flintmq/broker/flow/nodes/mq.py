"""Nodes of MQ: MQInput, MQOutput, MQReply, MQGet.

Whether a put belongs to the unit of work (MF 3.5): the input node decides by `transactionMode` (`automatic`: yes if the
message is persistent), an output node with `automatic` follows it, `yes` and `no` are its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.esql.parser import parse_path
from flintmq.broker.flow.engine import Invocation, NodeProblem, RuntimeNode, runs
from flintmq.broker.flow.locations import Location, text_of, trees_of
from flintmq.broker.flow.nodes.inputs import Incoming, InputNode, parser_options
from flintmq.broker.flow.services import GetRequest, Put, Written
from flintmq.broker.tree.assembly import Assembly, new_root
from flintmq.broker.tree.element import Element, Step, copy_element, ensure, find_all, walk
from flintmq.broker.tree.headers import Template, blob_message, parse_message
from flintmq.broker.tree.message_writer import write_message
from flintmq.mqi.md import MQMD

_LISTS: Final = (
    [Step("Destination"), Step("MQ")],
    [Step("Destination"), Step("MQDestinationList")],
)
_ENTRY: Final = Step("DestinationData")
#: Values of orderMode, in lower case.
_ORDERS: Final = ("default", "byuserid", "byqueueorder", "userdefined")
_REQUEST: Final = 1  # MQMT_REQUEST
_REPLY: Final = 2  # MQMT_REPLY
_PASS_CORREL_ID: Final = 64  # MQRO_PASS_CORREL_ID
_PASS_MSG_ID: Final = 128  # MQRO_PASS_MSG_ID


@runs
class MQInput(InputNode):
    """MQInput: takes messages from a queue."""

    types = ("ComIbmMQInput.msgnode",)

    def prepare(self) -> None:
        super().prepare()
        self.queue = self.text("queueName")
        self.mode = self.text("transactionMode", "yes")
        self.browses = self.flag("browse")
        self.topic = self.text("topicProperty")
        self.order = self.text("orderMode", "default").lower()
        if self.order not in _ORDERS:
            raise NodeProblem(f"{self.label}: orderMode is {self.order!r}; it is one of {', '.join(_ORDERS)}")
        self.match_message_id = self._identifier("matchMsgId")
        self.match_correlation_id = self._identifier("matchCorrelId")
        self.order_field: Location | None = None
        if self.order == "userdefined":
            self.order_field = self._order_field()

    def _identifier(self, name: str) -> bytes:
        """Return a property that is an identifier in hexadecimal digits; empty if it is not set."""
        text = self.text(name).strip()
        try:
            found = bytes.fromhex(text.removeprefix("X'").removesuffix("'"))
        except ValueError:
            found = bytes(25)
        if len(found) > 24:
            raise NodeProblem(f"{self.label}: {name} is {text!r}; at most 48 hexadecimal digits are needed")
        return found.ljust(24, b"\0") if found else b""

    def _order_field(self) -> Location:
        text = self.text("orderFieldLocation")
        if not text:
            raise NodeProblem(f"{self.label}: orderMode is userDefined, and orderFieldLocation is empty")
        try:
            return Location(text)
        except ValueError as error:
            raise NodeProblem(f"{self.label}: orderFieldLocation is {text!r}: {error}") from None

    def order_key(self, md: MQMD, data: bytes) -> str:
        """Return the value that orders a message, for orderMode userDefined; empty if it has none."""
        assert self.order_field is not None
        try:
            root = self._parsed(md, data, self.queue, True)
            value = self.order_field.value(trees_of(Assembly(root)))
        except Exception:  # The message is read again in its turn, and the failure reported there.
            return ""
        return "" if value is None else text_of(value)

    def _parsed(self, md: MQMD, data: bytes, queue: str, transactional: bool) -> Element:
        return parse_message(
            md,
            data,
            self.template,
            source_queue=queue,
            transactional=transactional,
            models=self.flow.models,
            switches=self.flow.switches,
        )

    def take(self, invocation: Invocation, incoming: Incoming) -> None:
        md = incoming.md or MQMD()
        invocation.transactional = not self.browses and (
            self.mode == "yes" or self.mode == "automatic" and md.persistence == 1
        )
        queue = incoming.source or self.queue

        def read() -> Element:
            root = self._parsed(md, incoming.data, queue, invocation.transactional)
            if self.topic:
                self._set_topic(root)
            return root

        def unread() -> Element:
            return blob_message(md, incoming.data, source_queue=queue, transactional=invocation.transactional)

        threshold = max(1, incoming.backout_threshold)
        if invocation.transactional and md.backout_count >= threshold:
            self._backed_out(invocation, incoming, unread(), md.backout_count, threshold)
            return
        self.run(invocation, incoming, read, unread)

    def _set_topic(self, root: Element) -> None:
        """Set the topic of the node on a message without a topic."""
        properties = root.child("Properties")
        if properties is not None and properties.get("Topic") in (None, ""):
            ensure(properties, [Step("Topic")], False).value = self.topic

    def _backed_out(self, invocation: Invocation, incoming: Incoming, root: Element, count: int, limit: int) -> None:
        """Send a message that was backed out too often to `failure`; raise 2648 if that is not wired."""
        error = self.entry(
            2648, f"the message was backed out {count} times; the backout threshold of the queue is {limit}"
        )
        if not self.wired("failure") or count >= 2 * limit:
            raise error

        def failing() -> Element:
            raise error

        self.run(invocation, incoming, failing, lambda: root)


class MQSender(RuntimeNode):
    """The base of MQOutput and MQReply."""

    def prepare(self) -> None:
        self.mode = self.text("transactionMode", "automatic")
        self.persistence = self.text("persistenceMode", "automatic")
        self.context = self.text("messageContext", "passAll")
        self.is_request = self.flag("request")
        self.reply_to = self.text("replyToQ")
        self.reply_to_manager = self.text("replyToQMgr")
        self.new_message_id = self.flag("newMsgId")
        self.new_correlation_id = self.flag("newCorrelId")
        self.alternate_user = self.flag("alternateUserAuthority")

    def transactional(self, invocation: Invocation, mode: str = "") -> bool:
        """Return whether a put belongs to the unit of work."""
        mode = mode or self.mode
        return invocation.transactional if mode == "automatic" else mode == "yes"

    def ends(self, invocation: Invocation) -> bool:
        """Return whether a put of this message ends the flow (ending.py, E1 to E4)."""
        return self.ends_flow and not invocation.propagating and invocation.group is None

    def written(self, assembly: Assembly) -> tuple[MQMD, bytes]:
        """Return descriptor and data of the message."""
        body = assembly.message.last_child()
        if body is None:
            raise parser_error(
                6119,
                self.label,
                text="the message tree is empty; after PROPAGATE end with RETURN FALSE, or DELETE NONE",
            )
        return write_message(assembly.message, models=self.flow.models, switches=self.flow.switches)

    def set_persistence(self, md: MQMD, mode: str = "") -> None:
        """Apply `persistenceMode`; `automatic` leaves the persistence of the message."""
        mode = mode or self.persistence
        if mode in ("yes", "no", "asQdef"):
            md.persistence = {"yes": 1, "no": 0, "asQdef": 2}[mode]

    def send_written(self, invocation: Invocation, assembly: Assembly, written: list[Written]) -> None:
        """Send the message on, with the destinations of the put in the local environment."""
        if not self.wired("out"):
            self.send("out", invocation, assembly)
            return
        local = copy_element(assembly.local_environment)
        for each in written:
            self.note_written(local, each)
        self.send("out", invocation, assembly.replace(local_environment=local))

    def note_written(self, local: Element, written: Written) -> None:
        """Write the destinations of a put into the local environment."""
        data = local.folder("WrittenDestination").folder("MQ").add("DestinationData", None, 0x01000000)
        data.add("queueManagerName", written.queue_manager)
        data.add("queueName", written.queue)
        data.add("msgId", written.message_id)
        data.add("replyIdentifier", written.reply_identifier)
        data.add("correlId", written.correlation_id)
        data.add("GroupId", written.group_id)
        data.add("putDate", written.put_date)
        data.add("putTime", written.put_time)
        data.add("bindingType", self.text("connection", "SERVER"))
        data.add("destinationQueueManager", written.queue_manager)


@runs
class MQOutput(MQSender):
    """MQOutput: puts the message to one queue, to a list of queues, or to the reply queue."""

    types = ("ComIbmMQOutput.msgnode",)

    def prepare(self) -> None:
        super().prepare()
        self.destination = self.text("destinationMode", "fixed")
        self.queue = self.text("queueName")
        if self.destination == "fixed" and not self.queue:
            raise NodeProblem(f"{self.label}: the property queueName is empty")

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        md, data = self.written(assembly)
        written = [invocation.services.put(put) for put in self._puts(invocation, assembly, md, data)]
        if invocation.group is not None:
            for each in written:
                self.join_group(invocation, each.reply_identifier)
        self.send_written(invocation, assembly, written)

    def _puts(self, invocation: Invocation, assembly: Assembly, md: MQMD, data: bytes) -> Iterator[Put]:
        if self.destination == "fixed":
            yield self._put(invocation, assembly, md, data, self.queue, self.text("queueManagerName"), None)
            return
        if self.destination == "reply":
            queue = md.reply_to_q.strip()
            if not queue:
                raise BrokerError(2665, "the MQMD has no ReplyToQ to put to", inserts=(self.label,))
            yield self._put(invocation, assembly, md, data, queue, md.reply_to_q_mgr.strip(), None)
            return
        found = False
        for steps in _LISTS:
            folder = walk(assembly.local_environment, steps)
            defaults = None if folder is None else folder.child("Defaults")
            for entry in find_all(folder, _ENTRY):
                queue = _leaf(entry, defaults, "queueName")
                if not queue:
                    continue
                found = True
                manager = _leaf(entry, defaults, "queueManagerName")
                yield self._put(invocation, assembly, md.copy(), data, queue, manager, entry, defaults)
        if not found:
            raise BrokerError(
                2665,
                "there is no queueName in LocalEnvironment.Destination.MQ.DestinationData; set one, and computeMode of "
                "the Compute node so that the local environment travels",
                inserts=(self.label,),
            )

    def _put(
        self,
        invocation: Invocation,
        assembly: Assembly,
        md: MQMD,
        data: bytes,
        queue: str,
        manager: str,
        entry: Element | None,
        defaults: Element | None = None,
    ) -> Put:
        if entry is None and defaults is None:
            self.set_persistence(md)
            if self.is_request:
                md.msg_type = _REQUEST
            if self.reply_to:
                md.reply_to_q = self.reply_to
                md.reply_to_q_mgr = self.reply_to_manager
            return Put(
                self.label,
                queue,
                manager,
                md,
                data,
                assembly.message,
                self.transactional(invocation),
                self.new_message_id,
                self.new_correlation_id,
                self.context,
                self.alternate_user,
                self.ends(invocation),
            )
        self.set_persistence(md, _leaf(entry, defaults, "persistenceMode"))
        if self.is_request:
            md.msg_type = _REQUEST
        reply_to = _leaf(entry, defaults, "replyToQ") or self.reply_to
        if reply_to:
            md.reply_to_q = reply_to
            md.reply_to_q_mgr = _leaf(entry, defaults, "replyToQMgr") or self.reply_to_manager
        return Put(
            self.label,
            queue,
            manager,
            md,
            data,
            assembly.message,
            self.transactional(invocation, _leaf(entry, defaults, "transactionMode")),
            _yes(_leaf(entry, defaults, "newMsgId"), self.new_message_id),
            _yes(_leaf(entry, defaults, "newCorrelId"), self.new_correlation_id),
            self.context,
            _yes(_leaf(entry, defaults, "alternateUserAuthority"), self.alternate_user),
            self.ends(invocation),
        )


def _leaf(entry: Element | None, defaults: Element | None, name: str) -> str:
    """Return a leaf of a destination, or of the defaults of the list, as text."""
    for folder in (entry, defaults):
        value = None if folder is None else folder.get(name)
        if value is not None:
            return str(value).strip()
    return ""


def _yes(text: str, default: bool) -> bool:
    return default if not text else text.lower() in ("yes", "true", "1")


@runs
class MQReply(MQSender):
    """MQReply: answers the request that the MQMD of the message describes."""

    types = ("ComIbmMQReply.msgnode",)

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        md, data = self.written(assembly)
        queue = md.reply_to_q.strip()
        if not queue:
            raise BrokerError(2665, "the MQMD has no ReplyToQ to reply to", inserts=(self.label,))
        manager = md.reply_to_q_mgr.strip()
        if not md.report & _PASS_CORREL_ID:
            md.correl_id = md.msg_id
        new_id = not md.report & _PASS_MSG_ID
        md.msg_type = _REPLY
        self.set_persistence(md)
        put = Put(
            self.label,
            queue,
            manager,
            md,
            data,
            assembly.message,
            self.transactional(invocation),
            new_id,
            False,
            self.context,
            ends_flow=self.ends(invocation),
        )
        self.send_written(invocation, assembly, [invocation.services.put(put)])


@runs
class MQGet(RuntimeNode):
    """MQGet: gets a message in the middle of a flow and puts it into one of the trees."""

    types = ("ComIbmMQGet.msgnode",)

    def prepare(self) -> None:
        self.template = Template(
            domain=self.text("messageDomainProperty"),
            message_set=self.text("messageSetProperty"),
            message_type=self.text("messageTypeProperty"),
            message_format=self.text("messageFormatProperty"),
            parser_options=parser_options(self),
        )
        self.queue = self.text("queueName")
        self.target = _location(self, "outputDataLocation", "OutputRoot")
        self.source = _location(self, "resultDataLocation", "ResultRoot")
        self.descriptor = _location(self, "inputMQMDLocation", "InputRoot.MQMD")

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        request = self._request(invocation, assembly)
        found = invocation.services.get(request)
        if found is None:
            self.send("noMessage", invocation, assembly)
            return
        md, data = found
        result = parse_message(
            md, data, self.template, source_queue=request.queue, models=self.flow.models, switches=self.flow.switches
        )
        self.send("out", invocation, self._merged(assembly, result))

    def _request(self, invocation: Invocation, assembly: Assembly) -> GetRequest:
        mode = self.text("transactionMode", "automatic")
        request = GetRequest(
            self.label,
            str(assembly.local_environment.get("MQ.GET.QueueName") or self.queue),
            self.number("waitInterval", 1000) / 1000,
            transactional=invocation.transactional if mode == "automatic" else mode == "yes",
            browse=self.flag("browse"),
        )
        if not request.queue:
            raise BrokerError(2665, "the node names no queue", inserts=(self.label,))
        roots = {"InputRoot": assembly.message, "InputLocalEnvironment": assembly.local_environment}
        roots["Environment"] = assembly.environment
        descriptor = walk(roots.get(self.descriptor[0]), self.descriptor[1])
        for flag, name, attribute in (
            ("getWithMessageID", "MsgId", "message_id"),
            ("getWithCorrelID", "CorrelId", "correlation_id"),
        ):
            value = None if descriptor is None else descriptor.get(name)
            if self.flag(flag) and isinstance(value, bytes):
                setattr(request, attribute, value)
        return request

    def _merged(self, assembly: Assembly, result: Element) -> Assembly:
        """Put the message that was got where `outputDataLocation` says."""
        mode = self.text("generateMode", "message")
        if mode == "none":
            return assembly
        copy_mode = self.text("copyMessage", "none")
        root = copy_element(assembly.message) if copy_mode == "copyEntireMessage" else new_root()
        if copy_mode == "copyHeaders":
            for child in assembly.message.children()[:-1]:
                root.append(copy_element(child))
        local = copy_element(assembly.local_environment)
        start, steps = self.target
        part = result if not self.source[1] else walk(result, self.source[1])
        if start == "OutputRoot" and not steps:
            root = result if part is result or part is None else root
            if part is not None and part is not result:
                root.append(copy_element(part))
        elif part is not None:
            trees = {"OutputRoot": root, "Environment": assembly.environment}
            top = trees.get(start, local)
            target = ensure(top, steps, True) if steps else top
            for child in part.children() or [part]:
                target.append(copy_element(child))
        message = root if mode in ("message", "messageAndLocalEnvironment") else assembly.message
        return assembly.replace(message, local if "ocalEnvironment" in mode else assembly.local_environment)


def _location(node: RuntimeNode, name: str, default: str) -> tuple[str, list[Step]]:
    """Return start and steps of a property that is a path: `OutputLocalEnvironment.X`, `$Environment/X`."""
    text = node.text(name, default).strip().lstrip("$").replace("/", ".")
    try:
        path = parse_path(text)
    except Exception as error:
        raise NodeProblem(f"{node.label}: {name} is {text!r}, which is no path: {error}") from None
    names = [element.plain for element in path.elements]
    if any(each is None for each in names):
        raise NodeProblem(f"{node.label}: {name} is {text!r}; a path of plain names is needed")
    words = [each.text for each in names if each is not None]
    return words[0], [Step(word) for word in words[1:]]
