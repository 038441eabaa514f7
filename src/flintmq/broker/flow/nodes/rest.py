"""REST APIs: the local environment of their generated flows, and nodes that call them.

The generated flow of a REST API is HTTPInput, RouteToLabel, and for each operation a Label and a subflow. HTTPInput
finds the operation of a request in the definition (`flow/rest_api.py`) and sets

    LocalEnvironment.Destination.RouterList.DestinationData.labelName   the operation
    LocalEnvironment.REST.Input.Method, .Operation, .Path, .URI
    LocalEnvironment.REST.Input.Parameters.<name>                       of path, query and headers, as text, where the
                                                                        definition declares them

A request for a path that the definition does not have is answered with 404, one with another method with 405; no flow
runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from flintmq.broker.flow.rest_api import METHODS, RestApi, RestOperation
from flintmq.broker.tree.element import Element

if TYPE_CHECKING:
    from flintmq.broker.flow.runtime import RuntimeFlow


def api_of(flow: RuntimeFlow) -> RestApi | None:
    """Return the REST API that a flow implements; None if it is another flow."""
    api = flow.rest_api
    if api is None:
        return None
    path = flow.resolved.root.definition.path
    wanted = api.implementation.replace("\\", "/").lstrip("/")
    if wanted:
        return api if path == wanted or path.rpartition("/")[2] == wanted.rpartition("/")[2] else None
    return api if path.startswith("gen/") else None


def refusal(api: RestApi, method: str, path: str) -> tuple[int, str] | None:
    """Return status and text for a request that is no operation; None if it is one."""
    found = api.match(method, path)
    if found is not None:
        if found[0].implementation:
            return None
        return 501, f"the operation {found[0].name} of {api.name} is not implemented"
    others = [each.upper() for each in METHODS if api.match(each.upper(), path) is not None]
    if others:
        return 405, f"{path} does not take {method}; it takes {', '.join(others)}"
    return 404, f"the REST API {api.name} has no operation at {path}"


def _match(api: RestApi, method: str, path: str) -> tuple[RestOperation, dict[str, str]]:
    found = api.match(method, path)
    assert found is not None, "a request that is no operation was refused before"
    return found


def fill_router(local: Element, api: RestApi, method: str, path: str) -> None:
    """Put the operation into the router list."""
    operation, _ = _match(api, method, path)
    entry = local.folder("Destination").folder("RouterList").add("DestinationData", None, 0x01000000)
    entry.add("labelName", operation.name)


def fill_input(
    local: Element,
    api: RestApi,
    method: str,
    path: str,
    url: str,
    query: list[tuple[str, str]],
    headers: Iterable[tuple[str, object]],
) -> None:
    """Set LocalEnvironment.REST.Input."""
    operation, found = _match(api, method, path)
    folder = local.folder("REST").folder("Input")
    folder.add("Method", method)
    folder.add("Operation", operation.name)
    folder.add("Path", path)
    asked = "&".join(f"{name}={value}" for name, value in query)
    folder.add("URI", f"{url}?{asked}" if asked else url)
    parameters = folder.append(Element("Parameters", None, 0x01000000))
    for name, value in found.items():
        parameters.add(name, value)
    declared = {each.name for each in operation.parameters if each.location == "query"}
    for name, value in query:
        if name in declared:
            parameters.add(name, value)
    given = {name.lower(): value for name, value in headers}
    for parameter in operation.parameters:
        if parameter.location == "header" and parameter.name.lower() in given:
            parameters.add(parameter.name, given[parameter.name.lower()])
