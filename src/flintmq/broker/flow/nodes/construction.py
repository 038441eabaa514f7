"""Nodes that shape a flow: Trace, Throw, TryCatch, Passthrough, terminals of subflows, ResetContentDescriptor."""

from __future__ import annotations

from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.engine import Invocation, NodeProblem, RuntimeNode, runs
from flintmq.broker.flow.nodes.http_common import find_body
from flintmq.broker.flow.patterns import TracePattern
from flintmq.broker.formats.registry import format_of, known
from flintmq.broker.tree.assembly import Assembly, exception_list
from flintmq.broker.tree.element import Element, copy_element
from flintmq.broker.tree.headers import context_of_root


@runs
class Passthrough(RuntimeNode):
    """Passthrough, and Input and Output of a subflow: the message goes on as it came."""

    types = ("ComIbmPassthru.msgnode", "FCMSource", "FCMSink")

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        self.send("out", invocation, assembly)


@runs
class Trace(RuntimeNode):
    """Trace: writes a pattern with paths in it, and sends the message on."""

    types = ("ComIbmTrace.msgnode",)

    def prepare(self) -> None:
        self.destination = self.text("destination", "userTrace")
        try:
            self.pattern = TracePattern(self.text("pattern"))
        except ValueError as error:
            raise NodeProblem(f"{self.label}: the pattern cannot be read: {error}") from None

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        if self.destination != "none":
            text = self.pattern.render(assembly)
            invocation.services.trace(self.label, self.destination, self.text("filePath"), text)
        self.send("out", invocation, assembly)


@runs
class Throw(RuntimeNode):
    """Throw: raises a user exception."""

    types = ("ComIbmThrow.msgnode",)

    def prepare(self) -> None:
        self.message_number = int(self.number("messageNumber", 3001))

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        text = self.text("messageText")
        raise BrokerError(
            self.message_number,
            text or "the Throw node raised an exception",
            inserts=(text,) if text else (),
            kind="UserException",
            sqlstate=f"U{self.message_number:05d}",
            severity=1,
            catalog=self.text("messageCatalog", "BIPmsgs"),
        )


@runs
class TryCatch(RuntimeNode):
    """TryCatch: after an error below `try` the input goes to `catch` (F4); if that is not wired, nothing follows."""

    types = ("ComIbmTryCatch.msgnode",)

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        try:
            self.send("try", invocation, assembly)
        except BrokerError as error:
            # Without a wire the message ends here: the exception is caught all the same.
            invocation.note(self, "catch", "catch", str(error.root_cause()))
            caught = assembly.replace(exception_list=exception_list(self.rethrown(error)))
            self.send("catch", invocation, caught)


@runs
class ResetContentDescriptor(RuntimeNode):
    """ResetContentDescriptor: writes the body with its parser and attaches another one; nothing is parsed yet."""

    types = ("ComIbmResetContentDescriptor.msgnode",)

    def prepare(self) -> None:
        self.domain = self.text("messageDomain") if self.flag("resetMessageDomain") else ""
        if self.domain and not known(self.domain):
            raise NodeProblem(f"{self.label}: there is no parser {self.domain!r}")

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        root = copy_element(assembly.message)
        properties = root.child("Properties")
        body = find_body(root)
        data = b""
        if body is not None:
            context = context_of_root(root, self.flow.models, self.flow.switches)
            data = format_of(body.domain or body.name).write(body, context)
        if properties is None:
            properties = root.prepend(Element("Properties", None, 0x01000000))
        for flag, source, name in (
            ("resetMessageSet", "messageSet", "MessageSet"),
            ("resetMessageType", "messageType", "MessageType"),
            ("resetMessageFormat", "messageFormat", "MessageFormat"),
        ):
            if self.flag(flag):
                properties.put(name, self.text(source))
        context = context_of_root(root, self.flow.models, self.flow.switches)
        context.parser_options = dict(self.properties)
        if body is not None:
            # A message without a body, such as a GET of HTTP, has nothing that could be parsed.
            made = format_of(self.domain or body.domain or body.name).parse(data, context)
            body.insert_after(made)
            body.detach()
        self.send("out", invocation, assembly.replace(root))
