"""Callable flows: CallableFlowInvoke and its asynchronous pair call; CallableFlowInput and CallableFlowReply answer.

The message tree goes to the flow whose CallableFlowInput node has the endpoint, and the tree that its CallableFlowReply
node gets comes back; the local environment stays with the caller. An error that the called flow does not handle leaves
by `error` of the calling node, or is an error of that node.

An asynchronous answer starts a flow at the CallableFlowAsyncResponse node with the same correlator. Its environment has
CallableFlow.CorrelationID, and CallableFlow.UserContext as the environment of the call had it.
"""

from __future__ import annotations

from typing import ClassVar, Final

from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.engine import Invocation, NodeProblem, RuntimeNode, runs
from flintmq.broker.flow.nodes.http_request import AsyncResponse
from flintmq.broker.flow.nodes.inputs import Incoming, InputNode, parser_options
from flintmq.broker.flow.services import Deferred
from flintmq.broker.tree.assembly import Assembly, exception_list, new_root, new_tree
from flintmq.broker.tree.element import Element, Step, copy_element, find_all
from flintmq.broker.tree.headers import Template, parse_message

_NO_CALL: Final = 3886


class CallingNode(RuntimeNode):
    """The base of both nodes that call."""

    uses_state = True

    def prepare(self) -> None:
        """Read the name of the flow."""
        self.application = self.text("targetApplication")
        self.endpoint_name = self.text("targetEndpointName")
        if not self.endpoint_name:
            raise NodeProblem(f"{self.label}: the property targetEndpointName is empty; it names the flow to call")


@runs
class CallableFlowInvoke(CallingNode):
    """CallableFlowInvoke: calls a flow and goes on with its answer."""

    types = ("ComIbmCallableFlowInvoke.msgnode",)

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        root = copy_element(assembly.message)
        try:
            answer = invocation.services.call_flow(
                self.label, self.application, self.endpoint_name, root, assembly.local_environment
            )
        except BrokerError as error:
            if not self.wired("error"):
                raise
            invocation.note(self, "error", "error", str(error.root_cause()))
            self.send("error", invocation, assembly.replace(exception_list=exception_list(self.rethrown(error))))
            return
        self.send("out", invocation, assembly.replace(_as_root(answer)))


def _as_root(answer: Element) -> Element:
    """Return a copy of an answer as the root of a message."""
    root = copy_element(answer)
    root.name = "Root"
    root.domain = new_root().domain
    return root


@runs
class CallableFlowAsyncInvoke(CallingNode):
    """CallableFlowAsyncInvoke: calls a flow; its answer goes to the response node with the same correlator."""

    types = ("ComIbmCallableFlowAsyncInvoke.msgnode",)

    def prepare(self) -> None:
        super().prepare()
        self.correlator = self.text("asyncResponseCorrelator")
        if not self.correlator:
            raise NodeProblem(f"{self.label}: the property asyncResponseCorrelator is empty; it pairs two nodes")

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        identifier = invocation.services.new_identifier(b"CALL")
        context = new_tree("Environment")
        folder = context.folder("CallableFlow")
        folder.add("CorrelationID", identifier)
        for each in find_all(assembly.environment.child("CallableFlow"), Step("UserContext")):
            folder.append(copy_element(each))
        local = copy_element(assembly.local_environment)
        local.put("WrittenDestination.CallableFlow.replyIdentifier", identifier)
        invocation.services.call_flow_async(
            self.label,
            self.application,
            self.endpoint_name,
            copy_element(assembly.message),
            self.correlator,
            context,
        )
        self.join_group(invocation, identifier)
        self.send("out", invocation, assembly.replace(local_environment=local))


@runs
class CallableFlowAsyncResponse(AsyncResponse):
    """CallableFlowAsyncResponse: starts a flow with the answer of a flow that was called."""

    types = ("ComIbmCallableFlowAsyncResponse.msgnode",)
    kind: ClassVar[str] = "callable"

    def prepare(self) -> None:
        self.template = Template()
        self.correlator = self.text("asyncRequestCorrelator") or self.text("asyncResponseCorrelator")
        if not self.correlator:
            raise NodeProblem(f"{self.label}: the property asyncResponseCorrelator is empty; it pairs two nodes")

    def take_response(self, invocation: Invocation, deferred: Deferred) -> None:
        """Send an answer, or the error of the called flow, through the flow."""
        invocation.transactional = False
        self.calls += 1
        invocation.note(self, "start")
        environment = deferred.context
        if deferred.error is None:
            assert deferred.root is not None
            self.send_caught(invocation, Assembly(_as_root(deferred.root), environment=environment))
            return
        wrapped = self.rethrown(deferred.error)
        terminal = "error" if self.wired("error") else "failure"
        if not self.wired(terminal):
            raise wrapped from deferred.error
        invocation.note(self, terminal, terminal, str(deferred.error.root_cause()))
        failed = Assembly(new_root(), environment=environment, exception_list=exception_list(wrapped))
        self.send(terminal, invocation, failed)


@runs
class CallableFlowInput(InputNode):
    """CallableFlowInput: takes calls of other flows."""

    uses_state = True
    types = ("ComIbmCallableFlowInput.msgnode",)

    def prepare(self) -> None:
        rows = self.tables.get("supportedDomains", [])
        first = rows[0] if rows else {}
        self.template = Template(
            str(first.get("supportedMessageDomain", "")),
            str(first.get("supportedMessageSet", "")),
            str(first.get("supportedMessageType", "")),
            parser_options=parser_options(self),
        )
        self.endpoint_name = self.text("callableInputEndpoint")
        if not self.endpoint_name:
            raise NodeProblem(f"{self.label}: the property callableInputEndpoint is empty; it names the flow")

    @property
    def endpoint(self) -> str:
        """Return the name by which the flow is called."""
        return self.endpoint_name

    def take_call(self, invocation: Invocation, identifier: bytes, root: Element) -> None:
        """Send the message of a call through the flow. Raise exceptions that it does not handle, for the caller."""
        invocation.transactional = False
        invocation.request_identifier = identifier
        self.run(invocation, Incoming(root=_as_root(root)), lambda: root, lambda: root)

    def take(self, invocation: Invocation, incoming: Incoming) -> None:
        """Send a message that a test gives through the flow."""
        invocation.transactional = False
        invocation.request_identifier = invocation.services.new_identifier(b"CALL")

        def read() -> Element:
            return parse_message(
                None, incoming.data, self.template, models=self.flow.models, switches=self.flow.switches
            )

        self.run(invocation, incoming, read, lambda: parse_message(None, incoming.data))


@runs
class CallableFlowReply(RuntimeNode):
    """CallableFlowReply: gives its message back to the flow that called."""

    types = ("ComIbmCallableFlowReply.msgnode",)

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        if not invocation.request_identifier:
            raise BrokerError(
                _NO_CALL,
                "there is no call to answer: no CallableFlowInput node started the flow",
                inserts=(self.label,),
            )
        root = copy_element(assembly.message)
        invocation.services.call_reply(self.label, invocation.request_identifier, root)
        self.send("out", invocation, assembly)
