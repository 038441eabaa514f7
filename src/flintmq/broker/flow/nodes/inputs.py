"""The work of all input nodes: build the assembly of an incoming message, and end the unwinding of an error (F4).

F6  An error that reaches the input node goes to `catch`, if that is wired, with the message as it came and the
    ExceptionList; otherwise the caller gets it and backs out.
F7  A message that cannot be read (a broken header chain, a wrong template) goes to `failure`, with all of its data
    as a BLOB; without a wire it is an error like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from flintmq.broker.errors import BrokerError, internal_error
from flintmq.broker.flow.context_tree import context_tree
from flintmq.broker.flow.engine import Invocation, RuntimeNode
from flintmq.broker.formats.registry import VALIDATE_COMPLETE
from flintmq.broker.tree.assembly import Assembly, exception_list
from flintmq.broker.tree.element import Element, copy_element, release_tree
from flintmq.broker.tree.headers import Template
from flintmq.mqi.md import MQMD


@dataclass(slots=True)
class Incoming:
    """A message for an input node: its data, and the facts that its transport adds."""

    data: bytes = b""
    md: MQMD | None = None
    #: Header folders of other transports, and more of the local environment.
    headers: list[Element] = field(default_factory=list)
    local_environment: Element | None = None
    environment: Element | None = None
    #: BOTHRESH of the queue; 0 counts as 1.
    backout_threshold: int = 0
    source: str = ""
    #: A tree in place of data: a recorded assembly. It stays the caller's.
    root: Element | None = None
    method: str = "POST"
    path: str = ""
    query: str = ""


def parser_options(node: RuntimeNode) -> dict[str, str]:
    """Return the properties of a node that are options of parsers."""
    return {name: value for name, value in node.properties.items() if name.startswith(("parser", "validate"))}


class InputNode(RuntimeNode):
    """A node that takes messages from outside."""

    starts_flow: ClassVar[bool] = True
    #: The terminal for messages that are read well.
    out: ClassVar[str] = "out"

    def prepare(self) -> None:
        self.template = Template(
            domain=self.text("messageDomainProperty"),
            message_set=self.text("messageSetProperty"),
            message_type=self.text("messageTypeProperty"),
            message_format=self.text("messageFormatProperty"),
            options=VALIDATE_COMPLETE if self.text("validateTiming") == "complete" else 0,
            parser_options=parser_options(self),
        )

    def take(self, invocation: Invocation, incoming: Incoming) -> None:
        """Send a message through the flow. Raise exceptions that the flow does not handle."""
        raise NotImplementedError

    def run(
        self, invocation: Invocation, incoming: Incoming, read: Callable[[], Element], unread: Callable[[], Element]
    ) -> None:
        """Read a message and send it; handle errors by F6 and F7."""
        local = incoming.local_environment or Element("LocalEnvironment", None, 0x01000000)
        environment = incoming.environment or Element("Environment", None, 0x01000000)
        self.calls += 1
        invocation.environment = environment
        if invocation.watch is not None:
            invocation.note(self, "start")
        try:
            root = incoming.root or read()
        except Exception as raised:
            error = raised if isinstance(raised, BrokerError) else internal_error(raised)
            if not self.wired("failure"):
                raise self.rethrown(error) from error
            failed = Assembly(unread(), local, environment, exception_list(self.rethrown(error)))
            invocation.note(self, "failure", "failure", str(error.root_cause()))
            self.send("failure", invocation, failed)
            return
        self.send_caught(invocation, Assembly(root, local, environment))
        watch = invocation.watch
        if incoming.root is None and not invocation.services.keeps_trees and (watch is None or not watch.keeps_trees):
            release_tree(root)

    def metadata(self) -> tuple[tuple[str, object], ...]:
        """Return the source of messages for the context tree."""
        return ()

    def send_caught(self, invocation: Invocation, assembly: Assembly, terminal: str = "") -> None:
        """Send an assembly to a terminal (`out` if none is named), and errors below to `catch`."""
        invocation.context = context_tree(self, assembly.message, self.metadata())
        try:
            self.send(terminal or self.out, invocation, assembly)
        except BrokerError as error:
            if not self.wired("catch"):
                raise self.rethrown(error) from error
            invocation.note(self, "catch", "catch", str(error.root_cause()))
            caught = Assembly(
                assembly.message,
                copy_element(assembly.local_environment),
                assembly.environment,
                exception_list(self.rethrown(error)),
            )
            try:
                self.send("catch", invocation, caught)
            except BrokerError as second:
                raise self.rethrown(second) from second
