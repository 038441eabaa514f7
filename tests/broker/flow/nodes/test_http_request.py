"""HTTPRequest, RESTRequest and the asynchronous pairs: what is sent, and what becomes of the answer."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path

import pytest

from flintmq.broker import Flow, FlowFailed, load
from flintmq.broker.flow.services import HttpRequest, HttpResponse
from tests.broker.flow.flows import compute, flow_of, write_application

ECHO = "SET OutputRoot = InputRoot; SET OutputLocalEnvironment = InputLocalEnvironment;"


def calling(place: Path, properties: str, before: str = "", domain: str = "JSON") -> Flow:
    """Return a flow that calls a server between two queues."""
    return flow_of(
        place,
        f"""
nodes:
  In: {{type: MQInput, properties: {{queueName: IN, messageDomainProperty: {domain}}}}}
  Compute: {{type: Compute, properties: {{computeExpression: "esql://routine/#M.Main", computeMode: all}}}}
  Call: {{type: HTTPRequest, properties: {{{properties}}}}}
  Out: {{type: MQOutput, properties: {{queueName: OUT}}}}
  Error: {{type: MQOutput, properties: {{queueName: ERROR}}}}
  Failed: {{type: MQOutput, properties: {{queueName: FAILED}}}}
wires:
  - {{from: In.out, to: Compute.in}}
  - {{from: Compute.out, to: Call.in}}
  - {{from: Call.out, to: Out.in}}
  - {{from: Call.error, to: Error.in}}
  - {{from: Call.failure, to: Failed.in}}
""",
        compute("M", f"{ECHO} {before} RETURN TRUE;"),
    )


URL = 'URLSpecifier: "http://server:81/a?b=1"'


def test_the_body_goes_out_and_the_answer_replaces_the_message(tmp_path: Path) -> None:
    flow = calling(tmp_path, f"{URL}, messageDomainProperty: XMLNSC")

    result = flow({"a": 1}, http={"Call": HttpResponse(201, b"<b>2</b>", {"X-Id": "7"}, "Created")}, trace=True)

    request = result.requests[0]
    assert (request.method, request.url, request.body) == ("POST", "http://server:81/a?b=1", b'{"a": 1}')
    assert request.headers == {"Host": "server:81", "Content-Type": "application/json", "Content-Length": "8"}
    assert request.timeout_seconds == 120
    tree = result.out["OUT"][0].tree
    assert [child.name for child in tree] == ["Properties", "HTTPResponseHeader", "XMLNSC"]
    assert tree.HTTPResponseHeader["X-Original-HTTP-Status-Code"] == 201
    assert tree.HTTPResponseHeader["X-Original-HTTP-Status-Line"] == "HTTP/1.1 201 Created"
    assert tree.HTTPResponseHeader["X-Id"] == "7"
    assert tree.XMLNSC.b == "2"


def test_the_local_environment_overrides_url_method_query_and_timeout(tmp_path: Path) -> None:
    flow = calling(
        tmp_path,
        URL,
        """SET OutputLocalEnvironment.Destination.HTTP.RequestURL = 'https://other/x';
        SET OutputLocalEnvironment.Destination.HTTP.RequestLine.RequestURI = 'y/z?k=1';
        SET OutputLocalEnvironment.Destination.HTTP.RequestLine.Method = 'put';
        SET OutputLocalEnvironment.Destination.HTTP.QueryString.name = 'a b&c';
        SET OutputLocalEnvironment.Destination.HTTP.TimeoutMillis = 2500;""",
    )

    request = flow({}, http={"Call": b""}).requests[0]

    assert request.method == "PUT"
    assert request.url == "https://other/y/z?k=1&name=a%20b%26c"
    assert request.timeout_seconds == 2.5


def test_the_request_header_wins_over_local_environment_and_property(tmp_path: Path) -> None:
    flow = calling(
        tmp_path,
        URL,
        """SET OutputLocalEnvironment.Destination.HTTP.RequestURL = 'https://other/x';
        CREATE NEXTSIBLING OF OutputRoot.Properties DOMAIN 'HTTPRequestHeader' NAME 'HTTPRequestHeader';
        SET OutputRoot.HTTPRequestHeader."X-Original-HTTP-URL" = 'http://third/';
        SET OutputRoot.HTTPRequestHeader.Authorization = 'Basic x';
        SET OutputRoot.HTTPRequestHeader."Content-Type" = 'text/plain';""",
    )

    request = flow({}, http={"http://third/*": b""}).requests[0]

    assert request.url == "http://third/"
    assert request.headers == {
        "Authorization": "Basic x",
        "Content-Type": "text/plain",
        "Host": "third",
        "Content-Length": "2",
    }


def test_a_get_carries_no_body(tmp_path: Path) -> None:
    request = calling(tmp_path, f"{URL}, httpMethod: GET")({"a": 1}, http={"Call": b""}).requests[0]

    assert request.body == b""
    assert request.headers == {"Host": "server:81"}


def test_headers_of_the_client_are_forwarded_without_those_of_its_connection(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        f"""
nodes:
  In: {{type: HTTPInput, properties: {{URLSpecifier: /a, messageDomainProperty: XMLNSC}}}}
  Call: {{type: HTTPRequest, properties: {{{URL}}}}}
  Reply: {{type: HTTPReply}}
wires:
  - {{from: In.out, to: Call.in}}
  - {{from: Call.out, to: Reply.in}}
""",
    )

    result = flow(
        b"<a/>",
        headers={"HTTPInputHeader": {"Authorization": "Bearer x", "Connection": "close", "Accept-Encoding": "gzip"}},
        http={"Call": HttpResponse(200, b"<b/>", {"Content-Type": "text/xml", "Transfer-Encoding": "chunked"})},
    )

    assert result.requests[0].headers == {
        "Authorization": "Bearer x",
        "Host": "server:81",
        "Content-Type": "text/xml; charset=utf-8",
        "SOAPAction": '""',
        "Content-Length": "4",
    }
    assert result.reply is not None
    assert result.reply.body == b"<b/>"
    assert result.reply.headers == {"Content-Type": "text/xml", "Content-Length": "4"}


@pytest.mark.parametrize("status", [199, 302, 404, 500])
def test_an_error_status_leaves_by_error(tmp_path: Path, status: int) -> None:
    result = calling(tmp_path, URL)({}, http={"Call": HttpResponse(status, b"no")})

    assert list(result.out) == ["ERROR"]
    assert result.out["ERROR"][0].tree.HTTPResponseHeader["X-Original-HTTP-Status-Code"] == status
    assert result.out["ERROR"][0].tree.BLOB.BLOB == b"no"


def test_no_answer_leaves_by_failure_with_the_message_as_it_came(tmp_path: Path) -> None:
    flow = calling(tmp_path, URL)

    def hang(request: HttpRequest) -> bytes:
        raise TimeoutError("too slow")

    for fake, number in ((ConnectionRefusedError("refused"), 3165), (hang, 3162)):
        result = flow({"a": 1}, http={"Call": fake}, trace=True)
        assert list(result.out) == ["FAILED"]
        assert result.out["FAILED"][0].tree.JSON.Data.a == 1
        assert any(str(number) in event.detail for event in result.events)


def test_a_call_without_a_fake_says_how_to_give_one(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        f"""
nodes:
  In: {{type: MQInput, properties: {{queueName: IN}}}}
  Call: {{type: HTTPRequest, properties: {{{URL}}}}}
wires:
  - {{from: In.out, to: Call.in}}
""",
    )

    with pytest.raises(FlowFailed, match="http={'Call': ...}"):
        flow(b"x")


def test_the_answer_may_go_to_another_place_of_the_trees(tmp_path: Path) -> None:
    flow = calling(
        tmp_path,
        f"{URL}, messageDomainProperty: JSON, replaceInputMsgWithWSResponse: false, "
        "responseMsgLocationInTree: 'Environment.replies.Item[CARDINALITY(Environment.replies.Item[]) + 1]'",
        "CREATE FIELD Environment.replies TYPE JSON.Array; SET Environment.replies.Item = 'first';",
    )

    result = flow({"a": 1}, http={"Call": {"Reply": "hello"}})

    tree = result.out["OUT"][0].tree
    assert [child.name for child in tree] == ["Properties", "HTTPResponseHeader", "MQMD", "JSON"]
    assert tree.JSON.Data.a == 1
    assert result.environment is not None
    assert result.environment.to_dict() == {"replies": ["first", {"Data": {"Reply": "hello"}}]}


def test_a_part_of_the_message_is_the_request(tmp_path: Path) -> None:
    flow = calling(
        tmp_path,
        f"{URL}, useWholeInputMsgAsRequest: false, requestMsgLocationInTree: InputRoot.XMLNSC.a.b",
        domain="XMLNSC",
    )

    assert flow(b"<a><b>1</b></a>", http={"Call": b""}).requests[0].body == b"<b>1</b>"
    assert list(flow(b"<a/>", http={"Call": b""}).out) == ["FAILED"]


def test_a_part_of_the_environment_needs_a_parser(tmp_path: Path) -> None:
    place = f"{URL}, useWholeInputMsgAsRequest: false, requestMsgLocationInTree: Environment.Body"
    parsed = "CREATE FIELD Environment.Body; CREATE LASTCHILD OF Environment.Body DOMAIN('JSON') NAME 'JSON';"
    flow = calling(tmp_path, place, f"{parsed} SET Environment.Body.JSON.Data.x = 1;")
    plain = calling(tmp_path / "2", place, "SET Environment.Body.Data.x = 1;")

    assert flow({}, http={"Call": b""}).requests[0].body == b'{"x":1}'
    assert list(plain({}, http={"Call": b""}).out) == ["FAILED"]


def test_a_compressed_answer_and_request(tmp_path: Path) -> None:
    flow = calling(tmp_path, f"{URL}, requestCompressionType: zlib, messageDomainProperty: JSON")
    packed = HttpResponse(200, gzip.compress(b'{"a":1}'), {"Content-Encoding": "gzip"})

    result = flow({"b": 2}, http={"Call": packed})

    assert zlib.decompress(result.requests[0].body) == b'{"b": 2}'
    assert result.requests[0].headers["Content-Encoding"] == "deflate"
    assert result.out["OUT"][0].tree.JSON.Data.a == 1


@pytest.mark.parametrize("url", ["nowhere", "ftp://x/", "http://", "http://a b/"])
def test_a_url_that_is_none_is_named(tmp_path: Path, url: str) -> None:
    fixed = flow_of(tmp_path, f"nodes:\n  Call: {{type: HTTPRequest, properties: {{URLSpecifier: '{url}'}}}}\n")
    assert "write http://host:port/path" in fixed.problems[0]

    given = calling(tmp_path / "2", "", f"SET OutputLocalEnvironment.Destination.HTTP.RequestURL = '{url}';")
    result = given({}, trace=True)
    assert list(result.out) == ["FAILED"]
    assert any("BIP3154" in event.detail for event in result.events)


ASYNC = """
nodes:
  In: {type: HTTPInput, properties: {URLSpecifier: /a, messageDomainProperty: JSON}}
  Compute: {type: Compute, properties: {computeExpression: "esql://routine/#M.Main", computeMode: all}}
  Ask: {type: HTTPAsyncRequest, properties: {URLSpecifier: "http://b/", asyncResponseCorrelator: one}}
  After: {type: MQOutput, properties: {queueName: ASKED}}
  Answer: {type: HTTPAsyncResponse, properties: {asyncRequestCorrelator: one, messageDomainProperty: JSON}}
  Keep: {type: Compute, properties: {computeExpression: "esql://routine/#Keep.Main", computeMode: all}}
  Reply: {type: HTTPReply}
  Bad: {type: MQOutput, properties: {queueName: BAD}}
  Failed: {type: MQOutput, properties: {queueName: FAILED}}
wires:
  - {from: In.out, to: Compute.in}
  - {from: Compute.out, to: Ask.in}
  - {from: Ask.out, to: After.in}
  - {from: Answer.out, to: Keep.in}
  - {from: Keep.out, to: Reply.in}
  - {from: Answer.error, to: Bad.in}
"""
ASYNC_ESQL = compute(
    "M", f"{ECHO} SET OutputLocalEnvironment.Destination.HTTP.UserContext.id = 7; RETURN TRUE;"
) + compute(
    "Keep",
    f"""{ECHO} SET OutputRoot.JSON.Data.context = InputLocalEnvironment.HTTP.Response.UserContext.id;
    SET OutputRoot.JSON.Data.correl = LENGTH(InputLocalEnvironment.HTTP.Response.MessageCorrelId); RETURN TRUE;""",
)


def test_the_answer_to_an_asynchronous_request_runs_after_the_flow_has_returned(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, ASYNC, ASYNC_ESQL)

    result = flow({}, http={"Ask": {"x": 1}}, trace=True)

    assert result.path == ["F.In", "F.Compute", "F.Ask", "F.After", "F.Answer", "F.Keep", "F.Reply"]
    assert result.reply is not None
    assert json.loads(result.reply.body) == {"x": 1, "context": 7, "correl": 24}


def test_an_asynchronous_request_without_a_fake_stays_unanswered(tmp_path: Path) -> None:
    result = flow_of(tmp_path, ASYNC, ASYNC_ESQL)({})

    assert len(result.requests) == 1
    assert result.reply is None


def test_an_asynchronous_error_leaves_by_error_and_no_answer_by_failure(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, ASYNC, ASYNC_ESQL)
    wired = flow_of(tmp_path / "2", ASYNC + "  - {from: Answer.failure, to: Failed.in}\n", ASYNC_ESQL)

    assert list(flow({}, http={"Ask": HttpResponse(503)}).out) == ["ASKED", "BAD"]
    with pytest.raises(FlowFailed) as raised:
        flow({}, http={"Ask": ConnectionError()})
    assert raised.value.root_cause().number == 3165
    # The first unit of work stands; only the second one failed.
    assert list(raised.value.result.out) == ["ASKED"]
    with pytest.raises(FlowFailed, match="6119|tree is empty"):
        wired({}, http={"Ask": ConnectionError()})


def test_an_answer_finds_its_node_in_another_flow_of_the_project(tmp_path: Path) -> None:
    asking = """flow: Ask.msgflow
nodes:
  In: {type: MQInput, properties: {queueName: IN}}
  Ask: {type: HTTPAsyncRequest, properties: {URLSpecifier: "http://b/", asyncResponseCorrelator: x}}
wires:
  - {from: In.out, to: Ask.in}
"""
    answering = """flow: Answer.msgflow
nodes:
  Answer: {type: HTTPAsyncResponse, properties: {asyncRequestCorrelator: x}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
wires:
  - {from: Answer.out, to: Out.in}
"""
    place = write_application(tmp_path, {"Ask.msgflow.yaml": asking, "Answer.msgflow.yaml": answering})

    result = load(place).flow("Ask")(b"x", http={"Ask": b"answer"})

    assert result.out["OUT"][0].body == b"answer"


def test_flows_that_answer_each_other_for_ever_are_stopped(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        """
nodes:
  In: {type: MQInput, properties: {queueName: IN}}
  Ask: {type: HTTPAsyncRequest, properties: {URLSpecifier: "http://b/", asyncResponseCorrelator: x}}
  Answer: {type: HTTPAsyncResponse, properties: {asyncRequestCorrelator: x}}
wires:
  - {from: In.out, to: Ask.in}
  - {from: Answer.out, to: Ask.in}
""",
    )

    with pytest.raises(FlowFailed, match="asynchronous answers; look for a loop"):
        flow(b"x", http={"Ask": b"again"})


OPENAPI = {
    "openapi": "3.0.0",
    "info": {"title": "t", "version": "1"},
    "servers": [{"url": "https://{name}.example/v2", "variables": {"name": {"default": "api"}}}],
    "paths": {
        "/users/{id}": {
            "get": {
                "operationId": "getUser",
                "parameters": [
                    {"name": "id", "in": "path", "required": True},
                    {"name": "fields", "in": "query"},
                    {"name": "X-Trace", "in": "header"},
                ],
            },
            "put": {"operationId": "putUser", "parameters": [{"name": "id", "in": "path", "required": True}]},
        }
    },
}


def rest(place: Path, properties: str = "", before: str = "") -> Flow:
    """Return a flow that calls an operation of a definition."""
    return flow_of(
        place,
        f"""
nodes:
  In: {{type: MQInput, properties: {{queueName: IN, messageDomainProperty: JSON}}}}
  Compute: {{type: Compute, properties: {{computeExpression: "esql://routine/#M.Main", computeMode: all}}}}
  Call:
    type: RESTRequest
    properties: {{definitionFile: api.json, operationName: getUser, {properties}}}
    tables:
      parameters:
        - {{name: id, expression: "$Root/JSON/Data/user"}}
        - {{name: X-Trace, expression: on}}
  Out: {{type: MQOutput, properties: {{queueName: OUT}}}}
  Error: {{type: MQOutput, properties: {{queueName: ERROR}}}}
wires:
  - {{from: In.out, to: Compute.in}}
  - {{from: Compute.out, to: Call.in}}
  - {{from: Call.out, to: Out.in}}
  - {{from: Call.error, to: Error.in}}
""",
        compute("M", f"{ECHO} {before} RETURN TRUE;"),
        api__json=json.dumps(OPENAPI),
    )


def test_rest_request_builds_the_request_of_an_operation(tmp_path: Path) -> None:
    result = rest(tmp_path)({"user": "a/b"}, http={"Call": {"name": "Ann"}})

    request = result.requests[0]
    assert (request.method, request.url, request.body) == ("GET", "https://api.example/v2/users/a%2Fb", b"")
    assert request.headers["X-Trace"] == "on"
    assert request.headers["Accept"] == "application/json"
    assert result.out["OUT"][0].tree.JSON.Data["name"] == "Ann"


def test_rest_request_takes_operation_and_parameters_from_the_local_environment(tmp_path: Path) -> None:
    flow = rest(
        tmp_path,
        "baseURL: 'http://here:1/base/'",
        """SET OutputLocalEnvironment.Destination.REST.Request.Operation = 'putUser';
        SET OutputLocalEnvironment.Destination.REST.Request.Parameters.id = 5;""",
    )

    result = flow({"user": 1}, http={"Call": HttpResponse(404)})

    assert result.requests[0].url == "http://here:1/base/users/5"
    assert result.requests[0].body == b'{"user": 1}'
    assert list(result.out) == ["ERROR"]


def test_rest_request_without_a_required_parameter_or_operation_fails_before_it_sends(tmp_path: Path) -> None:
    flow = rest(tmp_path)
    with pytest.raises(FlowFailed) as raised:
        flow({})
    assert raised.value.root_cause().number == 3202

    other = rest(tmp_path / "2", "", "SET OutputLocalEnvironment.Destination.REST.Request.Operation = 'none';")
    with pytest.raises(FlowFailed) as raised:
        other({"user": 1})
    assert raised.value.root_cause().number == 3201
    assert raised.value.result.requests == []


@pytest.mark.parametrize(
    ("properties", "reason"),
    [
        ("definitionFile: none.json", "none.json is not there"),
        ("definitionFile: F.esql", "F.esql"),
        ("operationName: wrong", "no operation 'wrong'"),
    ],
)
def test_rest_request_with_a_bad_definition_cannot_run(tmp_path: Path, properties: str, reason: str) -> None:
    given = {"definitionFile": "api.json", "operationName": "getUser"} | dict([properties.split(": ")])
    values = ", ".join(f"{name}: {value}" for name, value in given.items())
    text = f"nodes:\n  Call: {{type: RESTRequest, properties: {{{values}}}}}\n"
    flow = flow_of(tmp_path, text, "-- none", api__json=json.dumps(OPENAPI))

    assert any(reason in problem for problem in flow.problems)


def test_rest_async_pair(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        """
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: JSON}}
  Ask:
    type: RESTAsyncRequest
    properties: {definitionFile: api.json, operationName: putUser, asyncResponseCorrelator: r}
    tables: {parameters: [{name: id, expression: "7"}]}
  Answer: {type: RESTAsyncResponse, properties: {asyncRequestCorrelator: r, messageDomainProperty: JSON}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
wires:
  - {from: In.out, to: Ask.in}
  - {from: Answer.out, to: Out.in}
""",
        api__json=json.dumps(OPENAPI),
    )

    result = flow({"a": 1}, http={"https://api.example/*": {"ok": True}})

    assert result.requests[0].url == "https://api.example/v2/users/7"
    assert result.out["OUT"][0].tree.JSON.Data.ok == True  # noqa: E712 - a view of a tree, not a bool
