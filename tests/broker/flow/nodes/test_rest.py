"""Generated flows of REST APIs: operation, parameters and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flintmq.broker import Flow, FlowFailed, load
from tests.broker.flow.flows import compute, write_application

DESCRIPTOR = """<?xml version="1.0" encoding="UTF-8"?>
<restapiDescriptor xmlns="http://com.ibm.etools.mft.descriptor.restapi" definitionFile="swagger.json"
    implementation="gen/Shop.msgflow">
  <operations>
    <operation name="getCustomer" implementation="getCustomer.subflow"/>
    <operation name="addCustomer" implementation="addCustomer.subflow"/>
    <operation name="getAll" implementation="getAll.subflow"/>
  </operations>
</restapiDescriptor>
"""
SWAGGER = {
    "swagger": "2.0",
    "info": {"title": "Shop", "version": "1"},
    "basePath": "/shop/v1",
    "paths": {
        "/customers/{id}": {
            "get": {
                "operationId": "getCustomer",
                "parameters": [
                    {"name": "id", "in": "path", "type": "integer", "required": True},
                    {"name": "max", "in": "query", "type": "integer"},
                    {"name": "X-Tenant", "in": "header", "type": "string"},
                ],
            },
        },
        "/customers": {
            "post": {"operationId": "addCustomer"},
            "get": {"operationId": "getAll"},
            "delete": {"operationId": "dropAll"},
        },
    },
}
GENERATED = """flow: gen/Shop.msgflow
nodes:
  HTTP Input:
    type: HTTPInput
    properties:
      {URLSpecifier: /shop/v1*, messageDomainProperty: JSON, parseQueryString: true, setDestinationList: true,
       faultFormat: JSON}
  Route: {type: RouteToLabel}
  getCustomer: {type: Label, properties: {labelName: getCustomer}}
  addCustomer: {type: Label, properties: {labelName: addCustomer}}
  getAll: {type: Label, properties: {labelName: getAll}}
  Show: {type: Compute, properties: {computeExpression: "esql://routine/#Show.Main"}}
  Throw: {type: Throw}
  Store: {type: MQOutput, properties: {queueName: CUSTOMERS}}
  Reply: {type: HTTPReply}
wires:
  - {from: HTTP Input.out, to: Route.in}
  - {from: getCustomer.out, to: Show.in}
  - {from: Show.out, to: Reply.in}
  - {from: addCustomer.out, to: Store.in}
  - {from: Store.out, to: Reply.in}
  - {from: getAll.out, to: Throw.in}
"""
SHOW = compute(
    "Show",
    """
    SET OutputRoot.Properties = InputRoot.Properties;
    SET OutputRoot.JSON.Data.rest = InputLocalEnvironment.REST.Input;
    SET OutputRoot.JSON.Data.query = InputLocalEnvironment.HTTP.Input.QueryString;
    SET OutputRoot.JSON.Data.label = InputLocalEnvironment.WrittenDestination.Label.label;
    SET OutputRoot.JSON.Data.left = CARDINALITY(InputLocalEnvironment.Destination.RouterList.DestinationData[]);
    RETURN TRUE;""",
)


@pytest.fixture
def shop(tmp_path: Path) -> Flow:
    """Return the generated flow of a REST API."""
    files: dict[str, str | bytes] = {
        "restapi.descriptor": DESCRIPTOR,
        "swagger.json": json.dumps(SWAGGER),
        "gen/Shop.msgflow.yaml": GENERATED,
        "Show.esql": SHOW,
    }
    return load(write_application(tmp_path, files)).flow("Shop")


def test_a_request_reaches_its_operation_with_the_parameters_that_it_declares(shop: Flow) -> None:
    """A public project asks why one that it does not declare is missing; it is in HTTP.Input.QueryString only."""
    result = shop(
        method="GET",
        path="/shop/v1/customers/7",
        query="max=5&other=1",
        headers={"HTTPInputHeader": {"x-tenant": "north"}},
        trace=True,
    )

    assert result.reply is not None
    assert json.loads(result.reply.body) == {
        "rest": {
            "Method": "GET",
            "Operation": "getCustomer",
            "Path": "/shop/v1/customers/7",
            "URI": "http://localhost:7800/shop/v1/customers/7?max=5&other=1",
            "Parameters": {"id": "7", "max": "5", "X-Tenant": "north"},
        },
        "query": {"max": "5", "other": "1"},
        "label": "getCustomer",
        "left": 0,
    }


def test_methods_of_one_path_are_different_operations(shop: Flow) -> None:
    result = shop({"name": "Ann"}, method="POST", path="/shop/v1/customers")

    assert result.out["CUSTOMERS"][0].tree.JSON.Data["name"] == "Ann"
    assert result.reply is not None and result.reply.status == 200


@pytest.mark.parametrize(
    ("method", "path", "status", "text"),
    [
        ("GET", "/shop/v1/orders", 404, "no operation at /shop/v1/orders"),
        ("PUT", "/shop/v1/customers", 405, "it takes GET, POST, DELETE"),
        ("DELETE", "/shop/v1/customers", 501, "dropAll"),
        ("GET", "/else", 404, "nothing at /else"),
    ],
)
def test_what_is_no_operation_is_refused_without_running_the_flow(
    shop: Flow, method: str, path: str, status: int, text: str
) -> None:
    result = shop(method=method, path=path, trace=True)

    assert result.reply is not None
    assert result.reply.status == status
    assert text in result.reply.body.decode()
    assert result.path == []


def test_an_operation_that_fails_is_answered_in_the_fault_format_of_the_api(shop: Flow) -> None:
    with pytest.raises(FlowFailed) as raised:
        shop(method="GET", path="/shop/v1/customers")

    reply = raised.value.result.reply
    assert reply is not None and reply.status == 500
    assert json.loads(reply.body)["error"]["cause"]["code"] == 3001
