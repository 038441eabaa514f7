"""WSDL 1.1, as far as SOAP nodes need it: operations of a binding, their actions and request elements, the address.

    definitions   messages, port types, bindings, services; imported files are read through the same function
    Wsdl          the operations of one binding: name, soapAction, element of the request, SOAP version

Nothing is fetched: an import names a file of the application. Schemas are not read here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from flintmq.broker.flow.model import FlowFileError
from flintmq.broker.flow.xmi import parse_xml

_WSDL: Final = "{http://schemas.xmlsoap.org/wsdl/}"
_BINDINGS: Final = {
    "{http://schemas.xmlsoap.org/wsdl/soap/}": "1.1",
    "{http://schemas.xmlsoap.org/wsdl/soap12/}": "1.2",
}
#: Files that one WSDL may import, directly and indirectly.
IMPORTS_MAX: Final = 100


@dataclass(slots=True)
class WsdlOperation:
    """One operation. `element` is namespace and name of the element in the body of a request."""

    name: str
    action: str = ""
    element: tuple[str, str] | None = None
    one_way: bool = False


@dataclass(slots=True)
class Wsdl:
    """One service of a WSDL file: binding, port, operations."""

    file: str
    binding: str = ""
    port: str = ""
    port_type: str = ""
    service: str = ""
    namespace: str = ""
    version: str = "1.1"
    address: str = ""
    operations: list[WsdlOperation] = field(default_factory=list)

    def operation(self, name: str) -> WsdlOperation | None:
        """Return an operation by name."""
        return next((each for each in self.operations if each.name == name), None)

    def match(self, namespace: str, name: str, action: str) -> WsdlOperation | None:
        """Return the operation of a request: by the element in its body, else by its SOAPAction."""
        for each in self.operations:
            if each.element == (namespace, name):
                return each
        wanted = action.strip().strip('"')
        if wanted:
            return next((each for each in self.operations if each.action == wanted), None)
        return None


def read_wsdl(file: str, open_file: Callable[[str], bytes | None], binding: str = "", port: str = "") -> Wsdl:
    """Return a binding of a WSDL; without a name, the first that is SOAP. Raise FlowFileError."""
    documents = _documents(file, open_file)
    found = Wsdl(file, binding, port)
    node = _binding(documents, binding)
    if node is None:
        raise FlowFileError(file, f"there is no binding {binding or 'for SOAP'}")
    found.binding = str(node.get("name", ""))
    found.port_type = str(node.get("type", "")).rpartition(":")[2]
    style = "document"
    for prefix, version in _BINDINGS.items():
        soap = node.find(f"{prefix}binding")
        if soap is not None:
            found.version = version
            style = soap.get("style", "document")
    found.namespace = str(_root_of(documents, node).get("targetNamespace", ""))
    messages = {name: element for document in documents for name, element in _messages(document)}
    inputs, one_way = _inputs(documents, found.port_type)
    for element in node.findall(f"{_WSDL}operation"):
        name = element.get("name", "")
        operation = WsdlOperation(name, one_way=name in one_way)
        for prefix in _BINDINGS:
            soap = element.find(f"{prefix}operation")
            if soap is not None:
                operation.action = soap.get("soapAction", "")
                style = soap.get("style", style)
            body = element.find(f"{_WSDL}input/{prefix}body")
            if body is not None and style == "rpc":
                operation.element = (body.get("namespace", found.namespace), name)
        if operation.element is None:
            operation.element = messages.get(inputs.get(name, ""))
        found.operations.append(operation)
    _find_port(documents, found)
    return found


def _documents(file: str, open_file: Callable[[str], bytes | None]) -> list[Any]:
    """Return the WSDL and its imports."""
    documents: list[Any] = []
    waiting, seen = [file], {file}
    while waiting:
        name = waiting.pop(0)
        data = open_file(name)
        if data is None:
            if documents:
                continue
            raise FlowFileError(file, "the WSDL is not there")
        root = parse_xml(data, name)
        if root.tag != f"{_WSDL}definitions":
            if documents:
                continue
            raise FlowFileError(name, f"the root element is {root.tag}, not definitions of WSDL 1.1")
        documents.append(root)
        for each in root.findall(f"{_WSDL}import"):
            location = each.get("location", "").rpartition("/")[2]
            if location and location not in seen and len(seen) < IMPORTS_MAX:
                seen.add(location)
                waiting.append(location)
    return documents


def _binding(documents: list[Any], name: str) -> Any:
    for document in documents:
        for node in document.findall(f"{_WSDL}binding"):
            is_soap = any(node.find(f"{prefix}binding") is not None for prefix in _BINDINGS)
            if node.get("name") == name or (not name and is_soap):
                return node
    return None


def _root_of(documents: list[Any], node: Any) -> Any:
    return next((each for each in documents if each is node.getparent()), documents[0])


def _messages(document: Any) -> list[tuple[str, tuple[str, str] | None]]:
    """Return the messages of a document: name, and the element of the first part that has one."""
    found: list[tuple[str, tuple[str, str] | None]] = []
    for message in document.findall(f"{_WSDL}message"):
        element: tuple[str, str] | None = None
        for part in message.findall(f"{_WSDL}part"):
            if part.get("element") and element is None:
                prefix, _, local = part.get("element").rpartition(":")
                element = (str(part.nsmap.get(prefix or None, "") or ""), local)
        found.append((message.get("name", ""), element))
    return found


def _inputs(documents: list[Any], port_type: str) -> tuple[dict[str, str], set[str]]:
    """Return the request message of each operation, and which operations have no reply."""
    found: dict[str, str] = {}
    one_way: set[str] = set()
    for document in documents:
        for node in document.findall(f"{_WSDL}portType"):
            if node.get("name") != port_type:
                continue
            for operation in node.findall(f"{_WSDL}operation"):
                name = operation.get("name", "")
                given = operation.find(f"{_WSDL}input")
                if given is not None:
                    found[name] = given.get("message", "").rpartition(":")[2]
                if operation.find(f"{_WSDL}output") is None:
                    one_way.add(name)
    return found, one_way


def _find_port(documents: list[Any], found: Wsdl) -> None:
    for document in documents:
        for service in document.findall(f"{_WSDL}service"):
            for port in service.findall(f"{_WSDL}port"):
                right = port.get("binding", "").rpartition(":")[2] == found.binding
                if right and (not found.port or port.get("name") == found.port):
                    found.port = port.get("name", "")
                    found.service = service.get("name", "")
                    for prefix in _BINDINGS:
                        address = port.find(f"{prefix}address")
                        if address is not None:
                            found.address = address.get("location", "")
                    return
