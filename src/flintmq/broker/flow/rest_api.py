"""REST APIs: `restapi.descriptor` with the Swagger 2.0 or OpenAPI 3 definition that it names.

    descriptor   definitionFile, implementation (the generated flow), operations (name -> subflow), error handlers
    definition   base path, and for each path and method: operationId, parameters

An operation of the descriptor is found in the definition by its `operationId`; where that is missing, by the name that
the Toolkit makes from method and path (`GET /orders/{id}` is `getOrders_id`, `getOrdersId` or `getId`). `RestApi.match`
finds the operation of a request: literal segments win over `{parameters}`.

References (`$ref`) are followed inside the definition only; nothing is fetched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from flintmq.broker.flow.descriptors import local_name
from flintmq.broker.flow.model import FlowFileError, LoadNote
from flintmq.broker.flow.safe_yaml import load_json, load_yaml
from flintmq.broker.flow.xmi import parse_xml

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_REFERENCES_MAX: Final = 20
_NAME_PARTS_MAX: Final = 10
_PARAMETER: Final = re.compile(r"\{([^{}/]+)\}")


@dataclass(slots=True)
class RestParameter:
    """A parameter of an operation. `location` is path, query, header, cookie, formData or body."""

    name: str
    location: str
    type: str = ""
    required: bool = False


@dataclass(slots=True)
class RestOperation:
    """An operation. `method` and `path` are empty if the definition does not have it."""

    name: str
    method: str = ""
    #: The template after the base path: `/orders/{id}`.
    path: str = ""
    parameters: list[RestParameter] = field(default_factory=list)
    #: Path of the subflow, empty if the operation is not implemented.
    implementation: str = ""

    def match(self, path: str) -> dict[str, str] | None:
        """Return the path parameters if a path (after the base path) fits the template; None otherwise."""
        found: dict[str, str] = {}
        wanted, given = self.path.strip("/").split("/"), path.strip("/").split("/")
        if len(wanted) != len(given):
            return None
        for template, segment in zip(wanted, given, strict=True):
            names = _PARAMETER.findall(template)
            if not names:
                if template != unquote(segment) and template != segment:
                    return None
                continue
            values = _split(segment, _PARAMETER.split(template)[::2])
            if values is None:
                return None
            found.update(zip(names, (unquote(value) for value in values), strict=True))
        return found

    @property
    def literal_segments(self) -> tuple[bool, ...]:
        return tuple("{" not in part for part in self.path.strip("/").split("/"))


@dataclass(slots=True)
class RestApi:
    """A REST API: its operations and the flows that implement it."""

    name: str
    base_path: str = ""
    #: Scheme, host and base path that the definition names; empty if it names no host.
    base_url: str = ""
    title: str = ""
    version: str = ""
    definition_file: str = ""
    #: Path of the generated flow: `gen/Orders.msgflow`.
    implementation: str = ""
    https: bool = False
    fault_format: str = ""
    operations: list[RestOperation] = field(default_factory=list)
    #: CATCH, FAILURE, TIMEOUT to the path of a subflow.
    error_handlers: dict[str, str] = field(default_factory=dict)
    references: list[str] = field(default_factory=list)
    notes: list[LoadNote] = field(default_factory=list)

    def operation(self, name: str) -> RestOperation | None:
        return next((each for each in self.operations if each.name == name), None)

    def match(self, method: str, path: str) -> tuple[RestOperation, dict[str, str]] | None:
        """Return the operation of a request and its path parameters. `path` is that of the URL, with the base path."""
        inside = path.partition("?")[0]
        base = self.base_path.rstrip("/")
        if base:
            if inside != base and not inside.startswith(f"{base}/"):
                return None
            inside = inside[len(base) :]
        candidates = [each for each in self.operations if each.method == method.upper()]
        for operation in sorted(candidates, key=lambda each: each.literal_segments, reverse=True):
            found = operation.match(inside)
            if found is not None:
                return operation, found
        return None


def _split(segment: str, literals: list[str]) -> list[str] | None:
    """Return the texts between the literals of a template, the shortest first; None if they do not fit.

    No regular expression: a template comes from a file, and a request from anywhere.
    """
    first, *between, last = literals
    end = len(segment) - len(last)
    if not segment.startswith(first) or not segment.endswith(last) or end <= len(first):
        return None
    values = []
    start = len(first)
    for literal in between:
        place = segment.find(literal, start + 1, end)
        if place < 0:
            return None
        values.append(segment[start:place])
        start = place + len(literal)
    return [*values, segment[start:end]] if start < end else None


def read_descriptor(data: bytes, file: str, name: str) -> RestApi:
    """Return the REST API that a descriptor describes, still without its definition."""
    root = parse_xml(data, file)
    if local_name(root) != "restapiDescriptor":
        raise FlowFileError(file, f"the root element is {root.tag}, not restapiDescriptor")
    found = RestApi(
        name,
        definition_file=root.get("definitionFile", ""),
        implementation=root.get("implementation", ""),
        https=root.get("https") == "true",
        fault_format=root.get("faultFormat", ""),
    )
    for element in root.iter("{*}operation"):
        found.operations.append(
            RestOperation(element.get("name", ""), implementation=element.get("implementation", ""))
        )
    for element in root.iter("{*}errorHandler"):
        found.error_handlers[element.get("type", "")] = element.get("implementation", "")
    found.references = [(each.text or "").strip() for each in root.iter("{*}libraryName")]
    return found


def add_definition(api: RestApi, data: bytes, file: str) -> None:
    """Complete a REST API from its definition. Raise FlowFileError if that cannot be read."""
    document = _document(data, file)
    if not isinstance(document, dict):
        raise FlowFileError(file, "is no Swagger or OpenAPI definition: the document is not an object")
    api.base_path = base_path_of(document)
    api.base_url = base_url_of(document)
    info = _mapping(document.get("info"))
    api.title, api.version = str(info.get("title", "")), str(info.get("version", ""))
    implemented = {each.name: each for each in api.operations}
    named = _operation_ids(document)
    offered: list[RestOperation] = []
    for path, item in _mapping(document.get("paths")).items():
        item = _mapping(_follow(document, item))
        shared = item.get("parameters")
        for method in METHODS:
            if method not in item:
                continue
            operation = _mapping(_follow(document, item[method]))
            name = str(operation.get("operationId") or "")
            # Without operationId: one of the generated names, unless it is the operationId of another operation.
            guesses = [] if name else _generated_names(method, str(path))
            free = (implemented[each] for each in guesses if each in implemented and each not in named)
            found = implemented.get(name) or next((each for each in free if not each.method), None)
            if found is None or found.method:
                found = RestOperation(name or guesses[0])
            found.method, found.path = method.upper(), str(path)
            found.parameters = _parameters(document, shared, operation.get("parameters"))
            offered.append(found)
    for each in api.operations:
        if not each.method:
            reason = f"the definition has no operation {each.name}, which {each.implementation} implements"
            api.notes.append(LoadNote(file, reason))
            offered.append(each)
    api.operations = offered


def _document(data: bytes, file: str) -> Any:
    """Return a definition as JSON or YAML; the suffix is not always right."""
    if file.lower().endswith((".yaml", ".yml")):
        return load_yaml(data, file)
    try:
        return load_json(data, file)
    except FlowFileError as error:
        try:
            document = load_yaml(data, file)
        except FlowFileError:
            document = None
        if not isinstance(document, dict):
            raise error from None
        return document


def base_path_of(document: dict[str, Any]) -> str:
    """Return the path that all operations start with; empty for the root."""
    if "basePath" in document:
        return str(document["basePath"] or "").rstrip("/")
    servers = document.get("servers")
    if isinstance(servers, list) and servers:
        server = _mapping(servers[0])
        url = str(server.get("url", ""))
        for name, variable in _mapping(server.get("variables")).items():
            url = url.replace(f"{{{name}}}", str(_mapping(variable).get("default", "")))
        try:
            return urlsplit(url).path.rstrip("/")
        except ValueError:
            return ""
    return ""


def base_url_of(document: dict[str, Any]) -> str:
    """Return the address that all operations start with; empty if the definition names no host."""
    host = document.get("host")
    if isinstance(host, str) and host:
        schemes = document.get("schemes")
        scheme = str(schemes[0]) if isinstance(schemes, list) and schemes else "http"
        return f"{scheme}://{host}{base_path_of(document)}"
    servers = document.get("servers")
    if isinstance(servers, list) and servers:
        server = _mapping(servers[0])
        url = str(server.get("url", ""))
        for name, variable in _mapping(server.get("variables")).items():
            url = url.replace(f"{{{name}}}", str(_mapping(variable).get("default", "")))
        return url.rstrip("/") if url.startswith(("http://", "https://")) else ""
    return ""


def _operation_ids(document: dict[str, Any]) -> set[str]:
    found = set()
    for item in _mapping(document.get("paths")).values():
        for operation in _mapping(_follow(document, item)).values():
            found.add(str(_mapping(operation).get("operationId") or ""))
    return found


def _generated_names(method: str, path: str) -> list[str]:
    """Return the names that an operation without operationId may have in the descriptor."""
    names: list[str] = []
    parts = [part for part in re.split(r"[^A-Za-z0-9]+", path) if part][-_NAME_PARTS_MAX:]
    for start in range(len(parts)):
        capital = [part[:1].upper() + part[1:] for part in parts[start:]]
        names += [method + "_".join([capital[0], *parts[start + 1 :]]), method + "".join(capital)]
    return names or [method]


def _parameters(document: dict[str, Any], *lists: object) -> list[RestParameter]:
    """Return the parameters of an operation; its own replace those of the path."""
    found: dict[tuple[str, str], RestParameter] = {}
    for each in lists:
        for item in each if isinstance(each, list) else ():
            item = _mapping(_follow(document, item))
            schema = _mapping(_follow(document, item.get("schema")))
            name, location = str(item.get("name", "")), str(item.get("in", ""))
            kind = str(item.get("type") or schema.get("type") or "")
            required = item.get("required") is True or location == "path"
            found[name, location] = RestParameter(name, location, kind, required)
    return list(found.values())


def _follow(document: dict[str, Any], value: object) -> object:
    """Return the target of a local reference, or the value itself."""
    for _ in range(_REFERENCES_MAX):
        if not isinstance(value, dict) or not isinstance(value.get("$ref"), str):
            return value
        reference = value["$ref"]
        if not reference.startswith("#/"):
            return None
        value = document
        for part in reference[2:].split("/"):
            value = _mapping(value).get(unquote(part).replace("~1", "/").replace("~0", "~"))
    return None


def _mapping(value: object) -> dict[Any, Any]:
    return value if isinstance(value, dict) else {}
