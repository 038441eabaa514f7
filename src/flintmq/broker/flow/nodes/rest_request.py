"""Nodes that call REST APIs by their definition: RESTRequest, RESTAsyncRequest, RESTAsyncResponse.

The operation names method, path and parameters in a Swagger or OpenAPI definition, which is a file of the application
or one of its libraries (`{Library}file.json`). The folder Parameters below LocalEnvironment.Destination.REST.Request
has the values of parameters; else the table of the node has: a path, an expression, or a literal. A required parameter
without a value is an error before anything is sent.

The same folder of the local environment may override Operation, BaseURL, ContentType, Accept, Timeout.
"""

from __future__ import annotations

from typing import ClassVar
from urllib.parse import quote, urlencode

from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.engine import Invocation, NodeProblem, runs
from flintmq.broker.flow.locations import Expression, namespaces_of, text_of
from flintmq.broker.flow.model import FlowFileError
from flintmq.broker.flow.nodes.http_common import get_header, header_text
from flintmq.broker.flow.nodes.http_request import (
    AsyncResponse,
    HTTPAsyncRequest,
    HttpCaller,
    response_message,
    template_of,
)
from flintmq.broker.flow.rest_api import RestApi, RestOperation, add_definition
from flintmq.broker.flow.services import HttpRequest
from flintmq.broker.tree.assembly import Assembly
from flintmq.broker.tree.element import copy_element
from flintmq.broker.tree.headers import Template


class RestCaller(HttpCaller):
    """The base of nodes that call REST APIs."""

    override: ClassVar[str] = "Destination.REST.Request"

    def prepare(self) -> None:
        """Read the definition and the table of parameters."""
        self.timeout = self.number("timeoutForServer", 120)
        file = self.text("definitionFile")
        data = self.flow.settings.resource(file.rpartition("}")[2])
        if data is None:
            raise NodeProblem(f"{self.label}: the definition {file or '(definitionFile is empty)'} is not there")
        self.api = RestApi(file)
        try:
            add_definition(self.api, data, file)
        except FlowFileError as error:
            raise NodeProblem(f"{self.label}: {error}") from None
        namespaces = namespaces_of(self.tables.get("nsMappingTable", []))
        self.values: dict[str, str | Expression] = {}
        for row in self.tables.get("parameters", []):
            text = str(row.get("expression", "") or row.get("value", ""))
            if not text:
                continue
            try:
                self.values[str(row.get("name", ""))] = Expression(text, namespaces)
            except ValueError as error:
                if text.startswith("$"):
                    raise NodeProblem(f"{self.label}: the parameter {row.get('name')}: {error}") from None
                self.values[str(row.get("name", ""))] = text
        name = self.text("operationName")
        if name and self.api.operation(name) is None:
            raise NodeProblem(f"{self.label}: {file} has no operation {name!r}")

    def operation(self, assembly: Assembly) -> RestOperation:
        """Return the operation that a message asks for."""
        name = header_text(self.setting(assembly, "Operation") or self.text("operationName"))
        found = self.api.operation(name)
        if found is None:
            raise BrokerError(
                3201, f"the definition {self.api.name} has no operation {name!r}", inserts=(self.label, name)
            )
        return found

    def parameter(self, assembly: Assembly, name: str) -> str | None:
        """Return the value of a parameter; None if it has none."""
        place = assembly.local_environment
        for part in (*self.override.split("."), "Parameters"):
            below = place.child(part)
            if below is None:
                break
            place = below
        else:
            leaf = place.child(name)
            if leaf is not None and leaf.value is not None:
                return text_of(leaf.value)
        given = self.values.get(name)
        if isinstance(given, Expression):
            value = given.value(assembly)
            return None if value is None else text_of(value)
        return given

    def request(self, assembly: Assembly) -> HttpRequest:
        """Return the request of an operation."""
        operation = self.operation(assembly)
        path, query, headers = operation.path, [], {}
        for parameter in operation.parameters:
            if parameter.location not in ("path", "query", "header"):
                continue
            value = self.parameter(assembly, parameter.name)
            if value is None:
                if parameter.required:
                    raise BrokerError(
                        3202,
                        f"the parameter {parameter.name} of {operation.name} is required and has no value; set "
                        f"LocalEnvironment.{self.override}.Parameters.{parameter.name}",
                        inserts=(self.label, parameter.name),
                    )
                continue
            if parameter.location == "path":
                path = path.replace(f"{{{parameter.name}}}", quote(value, safe=""))
            elif parameter.location == "query":
                query.append((parameter.name, value))
            else:
                headers[parameter.name] = header_text(value)
        base = header_text(self.setting(assembly, "BaseURL") or self.text("baseURL") or self.api.base_url)
        if not base.startswith(("http://", "https://")):
            raise BrokerError(
                3154, f"the node knows no address of the REST API: baseURL is {base!r}", inserts=(self.label, base)
            )
        url = base.rstrip("/") + "/" + path.lstrip("/")
        if query:
            url += f"{'&' if '?' in url else '?'}{urlencode(query, quote_via=quote)}"
        return self._made(assembly, operation.method, url, headers)

    def _made(self, assembly: Assembly, method: str, url: str, headers: dict[str, str]) -> HttpRequest:
        body, content_type = (b"", "") if method in ("GET", "HEAD", "DELETE") else self.content(assembly)
        made = self._headers(assembly.message, url, method, body, content_type) | headers
        for name, key in (("ContentType", "Content-Type"), ("Accept", "Accept")):
            given = self.setting(assembly, name)
            if given is not None and (name == "Accept" or body):
                made[key] = header_text(given)
        if not get_header(made.items(), "Accept"):
            made["Accept"] = "application/json"
        if body or method not in ("GET", "HEAD", "DELETE"):
            made["Content-Length"] = str(len(body))
        proxy = self.text("httpProxyLocation")
        seconds = self.seconds_for(assembly)
        return HttpRequest(self.label, method, url, made, body, seconds, self.flag("followRedirection"), proxy)


def _template(template: Template, content_type: str) -> Template:
    """Return the template for an answer: JSON if the node names no domain and the server says so."""
    if template.domain or "json" not in content_type.lower():
        return template
    return Template("JSON", parser_options=template.parser_options)


@runs
class RESTRequest(RestCaller):
    """RESTRequest: calls an operation, and goes on with the answer."""

    types = ("ComIbmRESTRequest.msgnode",)

    def prepare(self) -> None:
        super().prepare()
        self.template = template_of(self)

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        request = self.request(assembly)
        response = invocation.services.http_request(request)
        template = _template(self.template, get_header(response.headers.items(), "Content-Type"))
        answer = response_message(self, response, template)
        local = copy_element(assembly.local_environment)
        written = local.folder("WrittenDestination").folder("REST").folder("Request")
        written.put("URL", request.url)
        written.put("StatusCode", str(response.status))
        good = 200 <= response.status <= 299
        self.send("out" if good else "error", invocation, assembly.replace(answer, local))


@runs
class RESTAsyncRequest(RestCaller, HTTPAsyncRequest):
    """RESTAsyncRequest: calls an operation; the answer goes to the RESTAsyncResponse node with the same correlator."""

    types = ("ComIbmRESTAsyncRequest.msgnode",)
    kind: ClassVar[str] = "REST"

    def prepare(self) -> None:
        RestCaller.prepare(self)
        self.correlator = self.text("asyncResponseCorrelator")
        if not self.correlator:
            raise NodeProblem(f"{self.label}: the property asyncResponseCorrelator is empty; it pairs two nodes")


@runs
class RESTAsyncResponse(AsyncResponse):
    """RESTAsyncResponse: starts a flow with the answer to a RESTAsyncRequest node."""

    types = ("ComIbmRESTAsyncResponse.msgnode",)
    kind: ClassVar[str] = "REST"
