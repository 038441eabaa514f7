"""REST APIs: descriptor and definition, and which operation a request means."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flintmq.broker.flow.descriptors import Kind
from flintmq.broker.flow.model import FlowFileError
from flintmq.broker.flow.project import load
from flintmq.broker.flow.rest_api import RestApi, RestParameter, add_definition, base_path_of, read_descriptor

DESCRIPTOR = b"""<ns2:restapiDescriptor xmlns="http://com.ibm.etools.mft.descriptor.base" \
xmlns:ns2="http://com.ibm.etools.mft.descriptor.restapi" definitionType="swagger_20" definitionFile="swagger.json" \
implementation="gen/Orders.msgflow" https="true" faultFormat="JSON">
  <references><sharedLibraryReference><libraryName>Tools</libraryName></sharedLibraryReference></references>
  <ns2:operations>
    <ns2:operation name="getOrder" implementation="getOrder.subflow"/>
    <ns2:operation name="putOrders_id" implementation="putOrders_id.subflow"/>
    <ns2:operation name="vanished" implementation="vanished.subflow"/>
  </ns2:operations>
  <ns2:errorHandlers><ns2:errorHandler type="CATCH" implementation="Catch.subflow"/></ns2:errorHandlers>
</ns2:restapiDescriptor>"""
SWAGGER = {
    "swagger": "2.0",
    "info": {"title": "Orders", "version": "1"},
    "basePath": "/shop/v1/",
    "parameters": {"trace": {"name": "X-Trace", "in": "header", "type": "string"}},
    "paths": {
        "/orders/{id}": {
            "parameters": [{"name": "id", "in": "path", "type": "string", "required": True}],
            "get": {
                "operationId": "getOrder",
                "parameters": [{"$ref": "#/parameters/trace"}, {"name": "full", "in": "query", "type": "boolean"}],
            },
            "put": {"parameters": [{"name": "id", "in": "path", "type": "integer"}]},
        },
        "/orders/latest": {"get": {"operationId": "getLatest"}},
        "/files/{name}.{kind}": {"get": {"operationId": "getFile"}},
    },
}
OPENAPI = """
openapi: 3.0.1
servers:
  - url: https://{host}:7800/api/v2/
    variables: {host: {default: localhost}}
paths:
  /pets:
    post:
      operationId: addPet
      parameters:
        - {name: dry, in: query, schema: {type: boolean}}
"""


def api() -> RestApi:
    found = read_descriptor(DESCRIPTOR, "restapi.descriptor", "Orders")
    add_definition(found, json.dumps(SWAGGER).encode(), "swagger.json")
    return found


def test_the_descriptor_names_flow_subflows_and_handlers() -> None:
    found = api()
    assert (found.implementation, found.https, found.fault_format) == ("gen/Orders.msgflow", True, "JSON")
    assert found.error_handlers == {"CATCH": "Catch.subflow"} and found.references == ["Tools"]
    assert (found.base_path, found.title, found.version) == ("/shop/v1", "Orders", "1")


def test_an_operation_has_method_path_and_parameters_of_path_and_operation() -> None:
    operation = api().operation("getOrder")
    assert operation is not None
    assert (operation.method, operation.path, operation.implementation) == ("GET", "/orders/{id}", "getOrder.subflow")
    assert operation.parameters == [
        RestParameter("id", "path", "string", True),
        RestParameter("X-Trace", "header", "string", False),
        RestParameter("full", "query", "boolean", False),
    ]


def test_an_operation_without_an_id_is_found_by_the_name_that_the_toolkit_makes() -> None:
    operation = api().operation("putOrders_id")
    assert operation is not None and operation.method == "PUT"
    assert operation.parameters == [RestParameter("id", "path", "integer", True)]


def test_an_operation_that_the_definition_does_not_have_is_a_note() -> None:
    found = api()
    assert ["no operation vanished, which vanished.subflow implements" in note.reason for note in found.notes] == [True]
    vanished = found.operation("vanished")
    assert vanished is not None and vanished.method == ""


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/shop/v1/orders/17", ("getOrder", {"id": "17"})),
        ("get", "/shop/v1/orders/a%20b?x=1", ("getOrder", {"id": "a b"})),
        ("GET", "/shop/v1/orders/latest", ("getLatest", {})),
        ("PUT", "/shop/v1/orders/latest", ("putOrders_id", {"id": "latest"})),
        ("GET", "/shop/v1/files/a.b.txt", ("getFile", {"name": "a", "kind": "b.txt"})),
        ("DELETE", "/shop/v1/orders/17", None),
        ("GET", "/shop/v1/orders", None),
        ("GET", "/shop/v10/orders/17", None),
        ("GET", "/orders/17", None),
        ("GET", "/shop/v1/files/.txt", None),
    ],
)
def test_a_request_means_the_operation_with_the_most_literal_path(
    method: str, path: str, expected: tuple[str, dict[str, str]] | None
) -> None:
    found = api().match(method, path)
    assert (found and (found[0].name, found[1])) == expected


def test_openapi_3_in_yaml_is_read_even_under_a_json_name() -> None:
    for file in ("openapi.yaml", "openapi.json"):
        found = read_descriptor(DESCRIPTOR, "restapi.descriptor", "Pets")
        add_definition(found, OPENAPI.encode(), file)
        assert found.base_path == "/api/v2"
        operation = found.operation("addPet")
        assert operation is not None and operation.parameters == [RestParameter("dry", "query", "boolean")]


@pytest.mark.parametrize(
    ("document", "path"),
    [({}, ""), ({"basePath": "/"}, ""), ({"servers": []}, ""), ({"servers": [{"url": "http://[bad"}]}, "")],
)
def test_without_a_base_path_it_is_the_root(document: dict[str, object], path: str) -> None:
    assert base_path_of(document) == path


@pytest.mark.parametrize(
    "paths",
    [
        {"/a": {"$ref": "#/paths/~1a"}},
        {"/a": {"get": {"$ref": "other.json#/x"}}},
        {"/a": {"get": {"parameters": [{"$ref": "#/nothing"}, "text", None]}}},
        {"/a": None},
        {"/a": {"get": ["list"]}},
        "text",
    ],
)
def test_odd_definitions_are_read_as_far_as_they_go(paths: object) -> None:
    found = RestApi("x")
    add_definition(found, json.dumps({"paths": paths}).encode(), "x.json")
    assert all(operation.path == "/a" for operation in found.operations)


@pytest.mark.parametrize("data", [b"[]", b"{", b""])
def test_a_definition_that_cannot_be_read_is_refused(data: bytes) -> None:
    with pytest.raises(FlowFileError, match="swagger.json"):
        add_definition(RestApi("x"), data, "swagger.json")


def test_a_project_with_a_descriptor_is_a_rest_api(tmp_path: Path) -> None:
    (tmp_path / "restapi.descriptor").write_bytes(DESCRIPTOR)
    (tmp_path / "swagger.json").write_text(json.dumps(SWAGGER))
    (application,) = load(tmp_path).applications
    assert application.kind is Kind.REST_API and application.references == ["Tools"]
    assert application.rest_api is not None and len(application.rest_api.operations) == 5
    assert ["vanished" in note.reason for note in application.notes] == [True]


def test_a_missing_definition_is_a_note_and_the_rest_loads(tmp_path: Path) -> None:
    (tmp_path / "restapi.descriptor").write_bytes(DESCRIPTOR)
    (application,) = load(tmp_path).applications
    assert application.rest_api is not None and len(application.rest_api.operations) == 3
    assert ["swagger.json is not in the project" in note.reason for note in application.notes] == [True]
