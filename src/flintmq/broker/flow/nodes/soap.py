"""Nodes of SOAP over HTTP: SOAPInput, SOAPReply, SOAPRequest with its asynchronous pair, SOAPEnvelope, SOAPExtract.

SOAPInput takes an envelope for a path. The tree has Properties, HTTPInputHeader and SOAP (Context, Header, Body); the
WSDL says which operation the payload is, and SOAP.Context tells it. With setDestinationList the operation is in the
router list. With extractSOAPBody the message is the payload alone (XMLNSC), and the envelope without it is at
LocalEnvironment.SOAP.Envelope. LocalEnvironment.Destination.SOAP.Reply.ReplyIdentifier is the BLOB of the request.

SOAPReply and SOAPRequest take a message of the domain SOAP, an XML message that is an envelope, or a payload, which
gets an envelope. A reply with a Fault as body has status 500. An answer with a Fault as body leaves SOAPRequest by
`fault`.

Overrides of SOAPRequest, below LocalEnvironment.Destination.SOAP.Request: Operation, Transport.HTTP.WebServiceURL,
Transport.HTTP.Timeout (seconds) and .TimeoutMillis.

A flow without its WSDL among its files works, too: the name of the payload is the operation.
"""

from __future__ import annotations

from typing import ClassVar, Final

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.flow.engine import Invocation, NodeProblem, RuntimeNode, runs
from flintmq.broker.flow.locations import trees_of
from flintmq.broker.flow.model import FlowFileError
from flintmq.broker.flow.nodes.http import HTTPInput
from flintmq.broker.flow.nodes.http_common import (
    fault,
    find_body,
    get_header,
    header_pairs,
    header_text,
    new_header,
    set_default,
)
from flintmq.broker.flow.nodes.http_request import (
    AsyncResponse,
    HttpCaller,
    async_context,
    location_of,
    response_message,
)
from flintmq.broker.flow.nodes.inputs import Incoming, parser_options
from flintmq.broker.flow.services import Deferred, HttpReply, HttpRequest, HttpResponse
from flintmq.broker.flow.wsdl import Wsdl, WsdlOperation, read_wsdl
from flintmq.broker.formats.registry import format_of
from flintmq.broker.formats.soap import NAMESPACES
from flintmq.broker.tree.assembly import Assembly
from flintmq.broker.tree.element import Element, copy_element
from flintmq.broker.tree.headers import Template, context_of_root, domain_named
from flintmq.broker.tree.types import FOLDER, NAME, NAMESPACE_DECL, XML_DECLARATION

_XML: Final = ("XMLNSC", "XMLNS", "XML")
_CONTENT_TYPES: Final = {"1.1": "text/xml; charset=utf-8", "1.2": "application/soap+xml; charset=utf-8"}
_UNKNOWN_OPERATION: Final = 3732
_NO_IDENTIFIER: Final = 3743


def wsdl_of(node: RuntimeNode) -> Wsdl | None:
    """Return the WSDL that a node names; None if it is not among the files. Raise NodeProblem if it is damaged."""
    file = node.text("wsdlFileName").rpartition("}")[2].replace("\\", "/")
    if not file or node.text("wsdlOperationMode") == "gateway":
        return None
    resource = node.flow.settings.resource

    def open_file(name: str) -> bytes | None:
        return resource(name) or resource(name.rpartition("/")[2])

    if open_file(file) is None:
        return None
    try:
        return read_wsdl(file, open_file, node.text("selectedBinding"), node.text("selectedPort"))
    except FlowFileError as error:
        raise NodeProblem(f"{node.label}: {error}") from None


def payload_of(soap: Element) -> Element | None:
    """Return the first element in the body of an envelope."""
    body = soap.child("Body")
    child = None if body is None else body.first_child()
    while child is not None and child.type & ~1 == NAMESPACE_DECL & ~1:
        child = child.next_sibling()
    return child


def is_fault(soap: Element | None) -> bool:
    """Return whether the body of an envelope is a Fault."""
    payload = None if soap is None else payload_of(soap)
    return payload is not None and payload.name == "Fault" and payload.namespace in (*NAMESPACES.values(), "")


def extracted(root: Element) -> tuple[Element, Element]:
    """Return a message that is the payload of an envelope, and the envelope without it."""
    soap = root.child("SOAP")
    assert soap is not None
    made = copy_element(root)
    copied = made.child("SOAP")
    assert copied is not None
    copied.detach()
    envelope = Element("SOAP", None, NAME)
    for child in soap.children():
        if child.name == "Body":
            envelope.append(Element("Body", None, FOLDER))
        else:
            envelope.append(copy_element(child))
    body = made.append(Element("XMLNSC", None, NAME))
    body.domain = "XMLNSC"
    source = soap.child("Body")
    for child in [] if source is None else source.children():
        body.append(copy_element(child))
    return made, envelope


def soap_folder(node: RuntimeNode, root: Element, version: str, envelope: Element | None = None) -> Element:
    """Return the message as a folder SOAP: as it is, or a payload in a new envelope (or in a copy of a given one)."""
    body = find_body(root)
    if body is None:
        raise parser_error(5010, node.label, text="the message has no body that could be put into an envelope")
    domain = body.domain or body.name
    if domain == "SOAP":
        return body
    if domain not in _XML:
        raise parser_error(
            5010,
            node.label,
            domain,
            text=f"a body of the domain {domain} cannot be put into a SOAP envelope; use XMLNSC",
        )
    folder = Element("SOAP", None, NAME)
    folder.domain = "SOAP"
    if envelope is not None:
        for child in envelope.children():
            if child.name != "Body":
                folder.append(copy_element(child))
    else:
        folder.folder("Context").add("SOAP_Version", version)
    inner = folder.append(Element("Body", None, FOLDER))
    for child in body.children():
        if child.type != XML_DECLARATION:
            inner.append(copy_element(child))
    return folder


def is_envelope(body: Element | None) -> bool:
    """Return whether an XML body is an envelope already."""
    if body is None or (body.domain or body.name) not in _XML:
        return False
    return any(child.name == "Envelope" and child.namespace in NAMESPACES.values() for child in body.children())


def soap_bytes(node: RuntimeNode, root: Element, version: str) -> tuple[bytes, str, bool]:
    """Return the bytes of a message as an envelope, its SOAP version, and whether it is a fault."""
    context = context_of_root(root, node.flow.models, node.flow.switches)
    body = find_body(root)
    if is_envelope(body):
        assert body is not None
        data = format_of(body.domain or body.name).write(body, context)
        envelope = next(child for child in body.children() if child.name == "Envelope")
        version = next(key for key, value in NAMESPACES.items() if value == envelope.namespace)
        inner = envelope.child("Body", envelope.namespace)
        first = None if inner is None else inner.first_child()
        return data, version, first is not None and first.name == "Fault"
    folder = soap_folder(node, root, version)
    given = folder.get("Context.SOAP_Version")
    version = given if isinstance(given, str) and given in NAMESPACES else version
    return format_of("SOAP").write(folder, context), version, is_fault(folder)


@runs
class SOAPInput(HTTPInput):
    """SOAPInput: takes requests of a web service."""

    types = ("ComIbmSOAPInput.msgnode",)

    def prepare(self) -> None:
        self.wsdl = wsdl_of(self)
        self.template = Template("SOAP", self.text("messageSetProperty"), parser_options=parser_options(self))
        path = self.text("urlSelector")
        if not path:
            raise NodeProblem(f"{self.label}: the property urlSelector is empty; it names the path of the service")
        self.url_path = path if path.startswith("/") else f"/{path}"

    def take(self, invocation: Invocation, incoming: Incoming) -> None:
        """Send a request through the flow; if that fails, answer it with a fault and raise."""
        request = self.request_of(incoming)
        invocation.transactional = False
        local = incoming.local_environment or Element("LocalEnvironment", None, NAME)
        given = local.get("Destination.SOAP.Reply.ReplyIdentifier")
        identifier = given if isinstance(given, bytes) else invocation.services.new_identifier(b"SOAP")
        invocation.request_identifier = identifier
        if not self.takes_path(request.path):
            self._refuse(invocation, 404, f"there is nothing at {request.path}; this node serves {self.url_path}")
            return
        if request.method == "GET" and request.query.lower() == "wsdl" and self.flag("allowQueryWSDL", True):
            self._send_wsdl(invocation)
            return
        local.put("Destination.SOAP.Reply.ReplyIdentifier", identifier)
        incoming.local_environment = local
        header_folder = self._header_folder(request, incoming.data)

        def read() -> Element:
            root = self._read(request, header_folder, [], incoming.data)
            return self._identified(root, local, get_header(request.headers, "SOAPAction"))

        def unread() -> Element:
            return self._blob(incoming.data, header_folder)

        try:
            self.run(invocation, incoming, read, unread)
        except BrokerError as error:
            self._reply_fault(invocation, error)
            raise

    def _identified(self, root: Element, local: Element, action: str) -> Element:
        """Find out which operation a request is, and say so in the trees."""
        soap = root.child("SOAP")
        if soap is None:
            raise parser_error(5010, self.label, text="the request has no body; send a SOAP envelope")
        payload = payload_of(soap)
        name = "" if payload is None else payload.name
        if self.wsdl is not None:
            operation = self.wsdl.match("" if payload is None else payload.namespace, name, action)
            if operation is None:
                raise BrokerError(
                    _UNKNOWN_OPERATION,
                    f"{name or 'an empty body'} is no request of {self.wsdl.binding} in {self.wsdl.file}",
                    inserts=(self.label, name),
                )
            name = operation.name
            self._tell(soap, operation)
        if name and self.flag("setDestinationList", True):
            entry = local.folder("Destination").folder("RouterList").add("DestinationData", None, NAME)
            entry.add("labelName", name)
        if not self.flag("extractSOAPBody"):
            return root
        message, envelope = extracted(root)
        local.folder("SOAP").append(envelope).name = "Envelope"
        return message

    def _tell(self, soap: Element, operation: WsdlOperation) -> None:
        """Write the operation and its service in the WSDL into SOAP.Context."""
        wsdl = self.wsdl
        assert wsdl is not None
        context = soap.folder("Context")
        for name, value in (
            ("operation", operation.name),
            ("operationType", "ONE_WAY" if operation.one_way else "REQUEST_RESPONSE"),
            ("portType", wsdl.port_type),
            ("portTypeNamespace", wsdl.namespace),
            ("port", wsdl.port),
            ("service", wsdl.service),
            ("fileName", wsdl.file),
        ):
            context.add(name, value)

    def _send_wsdl(self, invocation: Invocation) -> None:
        resource = self.flow.settings.resource
        file = self.text("wsdlFileName").rpartition("}")[2]
        data = resource(file) or resource(file.rpartition("/")[2])
        if data is None:
            self._refuse(invocation, 404, f"the WSDL {file} is not among the files of the application")
            return
        headers = {"Content-Type": "text/xml", "Content-Length": str(len(data))}
        root = self._blob(data, new_header("HTTPReplyHeader"))
        invocation.services.http_reply(HttpReply(self.label, invocation.request_identifier, 200, headers, data, root))

    def _reply_fault(self, invocation: Invocation, error: BrokerError) -> None:
        """Answer a request after its flow failed, with a Fault of the version in the WSDL."""
        version = "1.1" if self.wsdl is None else self.wsdl.version
        content_type, body = fault(f"SOAP {version}", self.flow.name, error)
        self._answer_fault(invocation, content_type, body)


@runs
class SOAPReply(RuntimeNode):
    """SOAPReply: answers the request of a SOAPInput node."""

    types = ("ComIbmSOAPReply.msgnode",)

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        message = assembly.message
        known = assembly.local_environment.get("SOAP.Envelope.Context.SOAP_Version")
        data, version, failed = soap_bytes(self, message, known if isinstance(known, str) else "1.1")
        given = message.child("HTTPReplyHeader")
        headers = {name: value for name, value in header_pairs(given) if name.lower() != "content-length"}
        set_default(headers, "Content-Type", _CONTENT_TYPES[version])
        headers["Content-Length"] = str(len(data))
        status = assembly.local_environment.get("Destination.SOAP.Reply.Transport.HTTP.ReplyStatusCode")
        code = status if isinstance(status, int) and not isinstance(status, bool) else 500 if failed else 200
        identifier = self._identifier(invocation, assembly)
        invocation.services.http_reply(HttpReply(self.label, identifier, code, headers, data, message))
        self.send("out", invocation, assembly)

    def _identifier(self, invocation: Invocation, assembly: Assembly) -> bytes:
        given = assembly.local_environment.get("Destination.SOAP.Reply.ReplyIdentifier")
        if isinstance(given, bytes) and given.strip(b"\0"):
            return given
        if invocation.request_identifier:
            return invocation.request_identifier
        raise BrokerError(
            _NO_IDENTIFIER,
            "there is no request to answer: LocalEnvironment.Destination.SOAP.Reply.ReplyIdentifier is missing, and no "
            "SOAPInput node started the flow",
            inserts=(self.label,),
        )


class SoapCaller(HttpCaller):
    """The base of nodes that call web services."""

    override: ClassVar[str] = "Destination.SOAP.Request"

    def prepare(self) -> None:
        """Read the WSDL."""
        self.wsdl = wsdl_of(self)
        self.timeout = self.number("requestTimeout", 120)
        self.template = Template("SOAP", self.text("messageSetProperty"), parser_options=parser_options(self))
        self.url = self.text("webServiceURL") or ("" if self.wsdl is None else self.wsdl.address)

    def setting(self, assembly: Assembly, name: str) -> object:
        """Return an override; those of the transport have a folder of their own."""
        if name == "RequestURL":
            name = "Transport.HTTP.WebServiceURL"
        elif name in ("Timeout", "TimeoutMillis", "ProxyURL"):
            name = f"Transport.HTTP.{name}"
        return super().setting(assembly, name)

    def request(self, assembly: Assembly) -> HttpRequest:
        """Return the request for a message."""
        url = self.url_for(assembly)
        operation = self._operation(assembly)
        data, version, _ = soap_bytes(self, assembly.message, "1.1" if self.wsdl is None else self.wsdl.version)
        given = assembly.message.child("HTTPRequestHeader")
        headers = {name: value for name, value in header_pairs(given) if name.lower() != "content-length"}
        action = "" if operation is None else operation.action
        kind = _CONTENT_TYPES[version]
        if version == "1.2" and action:
            kind += f'; action="{header_text(action)}"'
        set_default(headers, "Content-Type", kind)
        if version == "1.1":
            set_default(headers, "SOAPAction", f'"{header_text(action)}"')
        headers["Content-Length"] = str(len(data))
        return HttpRequest(
            self.label,
            "POST",
            url,
            headers,
            data,
            self.seconds_for(assembly),
            proxy=header_text(self.setting(assembly, "ProxyURL") or self.text("httpProxyLocation")),
        )

    def _operation(self, assembly: Assembly) -> WsdlOperation | None:
        name = header_text(self.setting(assembly, "Operation") or self.text("selectedOperation"))
        if self.wsdl is None or not name:
            return None
        found = self.wsdl.operation(name)
        if found is None:
            raise BrokerError(
                _UNKNOWN_OPERATION,
                f"{self.wsdl.binding} of {self.wsdl.file} has no operation {name!r}",
                inserts=(self.label, name),
            )
        return found

    def answer(self, response: HttpResponse) -> tuple[Element, str]:
        """Return the message of an answer and the terminal that it leaves by; raise if it is no SOAP."""
        return soap_answer(self, response, self.template)


def soap_answer(node: RuntimeNode, response: HttpResponse, template: Template) -> tuple[Element, str]:
    """Return the message of an answer, and `out` or `fault`."""
    if not response.body and 200 <= response.status <= 299:
        return response_message(node, response, template), "out"
    content = get_header(response.headers.items(), "Content-Type").lower()
    envelope = b"Envelope" in response.body[:4000] and (not content or "xml" in content or "multipart" in content)
    if not envelope:
        raise BrokerError(
            3713,
            f"the server answered {response.status} without a SOAP envelope",
            inserts=(node.label, response.status, response.body[:200].decode("utf-8", "replace")),
            kind="SocketException",
        )
    root = response_message(node, response, template)
    return root, "fault" if is_fault(root.child("SOAP")) else "out"


@runs
class SOAPRequest(SoapCaller):
    """SOAPRequest: calls an operation of a web service, and goes on with the answer."""

    types = ("ComIbmSOAPRequest.msgnode",)

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        request = self.request(assembly)
        response = invocation.services.http_request(request)
        answer, leaves_by = self.answer(response)
        local = copy_element(assembly.local_environment)
        local.put("WrittenDestination.SOAP.Request.Transport.HTTP.WebServiceURL", request.url)
        self.send(leaves_by, invocation, assembly.replace(answer, local))


@runs
class SOAPAsyncRequest(SoapCaller):
    """SOAPAsyncRequest: calls an operation; the answer goes to the SOAPAsyncResponse node with the same correlator."""

    uses_state = True
    types = ("ComIbmSOAPAsyncRequest.msgnode",)

    def prepare(self) -> None:
        super().prepare()
        self.correlator = self.text("asyncResponseCorrelator")
        if not self.correlator:
            raise NodeProblem(f"{self.label}: the property asyncResponseCorrelator is empty; it pairs two nodes")

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        request = self.request(assembly)
        identifier = invocation.services.new_identifier(b"SOAP")
        context = async_context("SOAP", self.override, assembly, identifier)
        reply = assembly.local_environment.get("Destination.SOAP.Reply.ReplyIdentifier")
        if reply is not None:
            context.put("Destination.SOAP.Reply.ReplyIdentifier", reply)
        local = copy_element(assembly.local_environment)
        written = local.folder("WrittenDestination").folder("SOAP")
        written.put("Request.Transport.HTTP.WebServiceURL", request.url)
        written.put("replyIdentifier", identifier)
        invocation.services.http_async(request, "SOAP", self.correlator, context)
        self.send("out", invocation, assembly.replace(local_environment=local))


@runs
class SOAPAsyncResponse(AsyncResponse):
    """SOAPAsyncResponse: starts a flow with the answer to a SOAPAsyncRequest node."""

    types = ("ComIbmSOAPAsyncResponse.msgnode",)
    kind: ClassVar[str] = "SOAP"

    def prepare(self) -> None:
        super().prepare()
        self.template = Template("SOAP", self.text("messageSetProperty"), parser_options=parser_options(self))

    def message(self, deferred: Deferred) -> tuple[Element, str]:
        """Return the message of an answer, and `out` or `fault`."""
        assert deferred.response is not None
        return soap_answer(self, deferred.response, self.template)

    def take_response(self, invocation: Invocation, deferred: Deferred) -> None:
        """Send an answer through the flow; a SOAPReply node answers the request that started it all."""
        given = deferred.context.get("Destination.SOAP.Reply.ReplyIdentifier")
        if isinstance(given, bytes):
            invocation.request_identifier = given
        super().take_response(invocation, deferred)


@runs
class SOAPExtract(RuntimeNode):
    """SOAPExtract: takes the envelope away, and routes to the label that is named like the payload."""

    types = ("ComIbmSOAPExtract.msgnode",)

    def prepare(self) -> None:
        self.removes = self.flag("removeEnvelope", True)
        self.routes = self.flag("routeToOperation", True)
        self.prefix = self.text("labelPrefix")
        self.destination = location_of(self, "envelopeDestination", "$LocalEnvironment/SOAP/Envelope")

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        root = self._as_soap(assembly.message)
        soap = root.child("SOAP")
        assert soap is not None
        payload = payload_of(soap)
        outgoing = assembly
        if self.removes:
            message, envelope = extracted(root)
            output = assembly.replace(message, copy_element(assembly.local_environment))
            # `$LocalEnvironment` is the tree that travels on.
            place = self.destination.create(trees_of(output))
            place.clear()
            place.type = NAME
            for child in envelope.children():
                place.append(child.detach())
            outgoing = output
        label = "" if payload is None else self.prefix + payload.name
        if self.routes and label in self.flow.labels:
            self.send_to(self.flow.labels[label], invocation, outgoing)
        else:
            self.send("out", invocation, outgoing)

    def _as_soap(self, root: Element) -> Element:
        """Return a message with a body of the domain SOAP; an envelope of another domain is read again."""
        body = find_body(root)
        if body is not None and (body.domain or body.name) == "SOAP":
            return root
        context = context_of_root(root, self.flow.models, self.flow.switches)
        domain = "" if body is None else domain_named(body.domain or body.name) or ""
        if body is None or domain not in (*_XML, "BLOB"):
            raise parser_error(5010, self.label, text="the message is no SOAP envelope")
        folder = format_of("SOAP").parse(format_of(domain).write(body, context), context)
        folder.children()
        made = copy_element(root)
        copied = find_body(made)
        assert copied is not None
        copied.detach()
        made.append(folder)
        return made


@runs
class SOAPEnvelope(RuntimeNode):
    """SOAPEnvelope: puts a message into an envelope, a new one or the one that SOAPExtract kept."""

    types = ("ComIbmSOAPEnvelope.msgnode",)

    def prepare(self) -> None:
        self.creates = self.flag("createEnvelope")
        self.location = location_of(self, "envelopeLocation", "$LocalEnvironment/SOAP/Envelope")

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        envelope: Element | None = None
        if not self.creates:
            envelope = self.location.find(trees_of(assembly))
            if envelope is None and self.flag("useExistingSoapEnvelope"):
                raise BrokerError(
                    3157, f"there is no envelope at {self.location.text}", inserts=(self.label, self.location.text)
                )
        root = copy_element(assembly.message)
        folder = soap_folder(self, root, "1.1", envelope)
        body = find_body(root)
        if body is not None and body is not folder:
            body.detach()
            root.append(folder)
        self.send("out", invocation, assembly.replace(root))
