"""Public projects behave as their folders and READMEs say: the tutorials, and one question per folder.

Each test loads a project from the checkout beside ours, sends messages of ours through its flows, and checks the
outcome: replies, puts, files, traces. Nothing is changed in the projects; where a flow needs a Java class, the test
gives a Python function for it. What a folder asks is in the name of the test.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from flintmq.broker import Flow, FlowFailed, FlowResult, load
from flintmq.broker.flow.nodes.compute import PythonMessage
from flintmq.broker.flow.services import HttpResponse
from flintmq.broker.tree.element import Element
from flintmq.mqi.md import MQMD

Foreign = Callable[[str], Path]
QUESTIONS = "matthiasblomme+Ace_test_cases"


def reply(result: FlowResult) -> Any:
    """Return the JSON of a reply."""
    assert result.reply is not None
    return json.loads(result.reply.body)


def asked(foreign: Foreign, folder: str, flow: str, **options: Any) -> Flow:
    """Return a flow of a folder with one question."""
    return load(foreign("corpus") / QUESTIONS / folder, **options).flow(flow)


# The tutorial on transformation, in three product generations (rows 2 and 20).


@pytest.mark.parametrize("generation", ["src", "v11/src", "v12/src"])
def test_the_tutorial_turns_invoices_into_statements(foreign: Foreign, generation: str) -> None:
    place = foreign("corpus") / "ot4i+transformation-esql-tutorial" / generation / "Transformation_ESQL"
    message = next(place.glob("*nput*.xml")).read_bytes()
    pool = etree.fromstring(message).find("{*}InputMessage/{*}plainText")
    if pool is not None:
        # The oldest generation keeps its message in a file of its test client.
        message = pool.text.encode()
    invoices = etree.fromstring(message).findall(".//Invoice")

    answer = load(place).flow("Transformation_ESQL")(message).reply

    assert answer is not None
    statements = etree.fromstring(answer.body).findall("SaleList/Statement")
    assert len(statements) == len(invoices) > 0
    for statement, invoice in zip(statements, invoices, strict=True):
        assert (statement.get("Type"), statement.get("Style")) == ("Monthly", "Full")
        assert statement.findtext("Customer/Name") == invoice.findtext("Surname")
        articles = statement.findall("Purchases/Article")
        assert len(articles) == len(invoice.findall("Item"))
        for article, item in zip(articles, invoice.findall("Item"), strict=True):
            assert article.findtext("Desc") == item.findtext("Description")
            assert float(article.findtext("Cost") or 0) == pytest.approx(float(item.findtext("Price") or 0) * 1.6)
        assert statement.find("Amount").get("Currency") == invoice.findtext("Currency")


def test_the_tutorial_with_tests_refuses_a_message_without_invoices(foreign: Foreign) -> None:
    place = foreign("corpus") / "trevor-dolby-at-ibm-com+ace-transformation-esql-tests/Transformation_ESQL"
    flow = load(place).flow("Transformation_ESQL")

    answer = flow(b"<SaleEnvelope><SaleList/></SaleEnvelope>").reply

    assert answer is not None and answer.status == 400
    assert etree.fromstring(answer.body).text == "no invoice elements provided"


@pytest.mark.parametrize("file", ["BARfiles/Transformation_ESQL.bar"])
def test_archives_of_the_tutorial_run_as_their_sources(foreign: Foreign, file: str) -> None:
    top = foreign("corpus") / "ot4i+transformation-esql-tutorial"
    archives = sorted(top.glob("**/*.bar"))
    message = next((top / "v12/src/Transformation_ESQL").glob("*nput*.xml")).read_bytes()
    for archive in archives:
        answer = load(archive).flow("Transformation_ESQL")(message).reply
        assert answer is not None and b"<Statement" in answer.body, archive
    assert archives


# HTTP requests over MQ (row 5).

REQUEST_REPLY = "trevor-dolby-at-ibm-com+ace-http-mq-request-reply"


def backend(place: Path, request: Any) -> tuple[MQMD, bytes]:
    """Return what the back end of the examples replies to a message."""
    fields = {
        "MsgId": request.md.msg_id,
        "CorrelId": request.md.correl_id,
        "ReplyToQ": request.md.reply_to_q,
        "Report": request.md.report,
    }
    result = load(place / "MQBackend").flow("MQFlow")(request.body, headers={"MQMD": fields})
    message = result.out["BACKEND.SHARED.REPLY"][0]
    assert result.traces[0][0] == "MQFlow.Trace"
    return message.md, message.data


@pytest.mark.parametrize(
    ("client", "variables"),
    [
        ("NoCorrelation", {}),
        ("CorrelId", {"user-script-encoded-hostname": "414141"}),
        ("Sha1Hostname", {"user-sha1sum-hostname": "ab" * 20}),
        ("CorrelIdUsingBody", {"user-script-encoded-hostname": "414141"}),
    ],
)
def test_a_reply_over_mq_finds_the_client_that_asked(foreign: Foreign, client: str, variables: dict[str, str]) -> None:
    place = foreign("corpus") / REQUEST_REPLY
    folder = "CorrelIdClientUsingBody" if client == "CorrelIdUsingBody" else f"{client}Client"
    flow = load(place / folder, variables=variables).flow(client)

    sent = flow(b"", method="GET", path=f"/{folder}")
    request = sent.out["BACKEND.SHARED.INPUT"][0]
    md, data = backend(place, request)
    fields = {"MsgId": md.msg_id, "CorrelId": md.correl_id}
    result = flow(data, headers={"MQMD": fields}, input="MQ Input")

    assert sent.reply is None
    answer = result.reply
    assert answer is not None
    # Four bytes of the listener, then the number of the first request that this flow took.
    assert answer.request_identifier == b"EVHT" + (1).to_bytes(20, "big")
    assert answer.headers["Content-Type"] == "application/json"
    assert reply(result)["backendFlow"] == {"application": "MQBackend"}
    if client in ("CorrelId", "Sha1Hostname"):
        host = bytes.fromhex(next(iter(variables.values())))
        assert request.md.correl_id == md.correl_id == host.ljust(24, b"\0")


def test_a_synchronous_client_waits_for_its_reply(foreign: Foreign) -> None:
    place = foreign("corpus") / REQUEST_REPLY
    flow = load(place / "SyncClient").flow("Sync")
    with pytest.raises(FlowFailed) as raised:
        flow(method="GET")
    assert raised.value.result.reply is not None and raised.value.result.reply.status == 500
    # Puts outside of the unit of work stand, so the back end may answer; the next request has another identifier.
    md, data = backend(place, raised.value.result.out["BACKEND.SHARED.INPUT"][0])
    waiting = [(md, data)]

    with pytest.raises(FlowFailed):
        flow(method="GET", queues={"BACKEND.SHARED.REPLY": waiting})
    fresh = load(place / "SyncClient").flow("Sync")
    result = fresh(method="GET", queues={"BACKEND.SHARED.REPLY": waiting})

    assert reply(result)["originalMessage"]["jsonData"] == {"Data": {"test": "SyncClient message"}}


# The message splitter (row 4): its main flow is completed by a template; its subflows run.

SPLITTER = "ot4i+message-splitter-mq-oneway-xml-pattern/src/MessageSplitterMQOneWayProject"
USING = """flow: mqsi/Using.msgflow
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  Process: {type: mqsi/MessageProcessor.subflow}
  Fail: {type: Throw, properties: {messageText: no good}}
  Build: {type: Compute, properties: {computeExpression: "esql://routine/mqsi#Build_Error_Message.Main"}}
  Final: {type: Compute, properties: {computeExpression: "esql://routine/mqsi#BuildFinalMessage.Main"}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
  Cancel: {type: Compute, properties: {computeExpression: "esql://routine/mqsi#Cancel.Main"}}
wires:
  - {from: In.out, to: Process.Input}
  - {from: Process.Output, to: Fail.in}
  - {from: In.catch, to: Final.in}
  - {from: Final.out, to: Out.in}
  - {from: In.catch, to: Cancel.in}
"""


def test_the_splitter_reports_bad_records_and_rolls_back(foreign: Foreign, tmp_path: Path) -> None:
    place = tmp_path / "project"
    shutil.copytree(foreign("corpus") / SPLITTER / "mqsi", place / "mqsi")
    (place / "mqsi/Using.msgflow.yaml").write_text(USING)
    loaded = load(place)
    variables = {"NumberOfBadRecords": 2, "NumberOfRecordsFound": 7, "BadRecords": {"Record": "bad"}}

    assert loaded.flow("MessageSplitter").problems == []
    with pytest.raises(FlowFailed) as raised:
        loaded.flow("Using")(b"<a/>", environment={"PatternVariables": variables})

    cause = raised.value.root_cause()
    assert cause.number == 3001
    assert str(cause.inserts[0]).endswith("record number:7")


# One question per folder (row 3).


def test_backout_count_a_message_that_always_fails_goes_to_the_backout_queue(foreign: Foreign) -> None:
    flow = asked(foreign, "BackoutCount", "TestBackoutCount")

    for count in range(3):
        with pytest.raises(FlowFailed) as raised:
            flow(b"x", headers={"MQMD": {"BackoutCount": count}}, backout_threshold=3)
        assert raised.value.root_cause().number == 3001
    with pytest.raises(FlowFailed) as raised:
        flow(b"x", headers={"MQMD": {"BackoutCount": 3}}, backout_threshold=3)
    assert raised.value.root_cause().number == 2648


def test_bom_header_a_byte_order_mark_is_stripped(foreign: Foreign) -> None:
    flow = asked(foreign, "BOMHeader", "bomheader")

    for data in (b"\xef\xbb\xbf<a/>", b"<a/>"):
        assert flow(data, input="File Input", source="data.xml").out["BOM.OUT.IN"][0].body == b"<a/>"


def test_business_transactions_take_the_path_that_the_message_names(foreign: Foreign) -> None:
    first = asked(foreign, "BusinessTransactionMonitoring", "httpflow")({"path": "normal"})
    flow = asked(foreign, "BusinessTransactionMonitoring", "mqflow")

    assert first.out["BTM.TEST.Q01"][0].body == b'{"path": "normal"}'
    assert reply(first) == {"path": "normal"}
    assert list(flow({"path": "normal"}).out) == list(flow({"path": "abnormal"}).out) == ["BTM.TEST.Q02"]
    assert flow({"path": "other"}).out == {}


@pytest.mark.parametrize("name", ["EnvironmentcopyFlow", "ContextTreeFlow", "FlowOrderFlow"])
def test_context_tree_three_ways_to_keep_the_input_over_a_request(foreign: Foreign, name: str) -> None:
    flow = asked(foreign, "ContextTreeFlowOrderApp", name)

    result = flow({"a": 1}, http={"RequestToken": {"Token": "t1"}})

    assert result.requests[0].url == "http://localhost:7801/dummy/token"
    assert reply(result) == {"a": 1, "token": "t1"}


def test_create_json_array_the_type_of_the_field_makes_the_array(foreign: Foreign) -> None:
    data = asked(foreign, "CreateJsonArray", "CreateJsonArray")({})
    found = reply(data)

    assert found["list"] == ["valueA", "valueB", "valueC"]
    assert found["list2"] == ["valueD", "valueE", "valueF"]
    assert found["list3"] == [{"Code": "valueG"}, {"Description": "valueH"}, {"Extra": "valueI"}]
    assert found["list4"] == [{"entry1": "value1", "entry2": "value2", "entry3": "value3"}]
    assert found["list5"] == found["list6"] == [{f"entry{n}": f"value{n}"} for n in (1, 2, 3)]


def test_create_xml_fields_empty_fields_are_closed_by_themselves(foreign: Foreign) -> None:
    answer = asked(foreign, "CreateXmlFields", "createField")(b"<root><a/></root>").reply

    assert answer is not None
    assert answer.body == b"<root><a/><lastField1/><lastField2/><lastField3/></root>"


def test_dead_letters_go_back_to_the_queue_that_they_were_meant_for(foreign: Foreign) -> None:
    flow = asked(foreign, "DeadLetterHandler", "processDeadLetterMessage")
    header = {"MQDLH": {"DestQName": "ORIG.Q", "Format": "MQSTR", "Reason": 2053}}

    known = flow(b"body", headers=header).out["ORIG.Q"][0]
    unknown = flow(b"body").out["SYSTEM.DEAD.LETTER.HOLD.QUEUE"][0]

    assert (known.md.format.strip(), known.data) == ("MQSTR", b"body")
    assert unknown.data == b"body"
    assert not known.tree.MQDLH


def test_delete_array_contents_five_ways(foreign: Foreign) -> None:
    found = reply(asked(foreign, "DeleteArrayContents", "TestArrayDelete")({"description": "d", "array1": [1, 2, 3]}))

    assert "array1" not in found["test1"]
    assert found["test2"]["array1"] == ""
    assert found["test3"]["array1"] == found["test4"]["array1"] == found["test5"]["array1"] == []


def test_http_reply_from_another_flow_needs_the_identifier_of_the_request(foreign: Foreign) -> None:
    loaded = load(foreign("corpus") / QUESTIONS / "HTTPReply_SeparateFlow")

    message = loaded.flow("HTTPReceive")({"a": 1}).out["HTTP.Q1"][0]
    result = loaded.flow("HTTPReply")(
        message.body,
        headers={
            "MQMD": {"Format": "MQHRF2"},
            "MQRFH2": {"Usr": {"HTTPReply": {"id": str(message.tree.MQRFH2.Usr.HTTPReply.id)}}},
        },
    )

    assert b"<HTTPReply><id" in message.data
    assert reply(result) == {"Answer": "reply from different flow"}
    assert result.reply is not None and result.reply.request_identifier.startswith(b"EVHT")


def test_hello_world_a_rest_api_greets(foreign: Foreign) -> None:
    for folder, flow in (("HelloWorld", "HelloWorld"), ("HelloWorld_https", "")):
        api = load(foreign("corpus") / QUESTIONS / folder)
        made = api.flow(flow)
        path = made.runtime.rest_api.base_path + "/hello" if made.runtime.rest_api else ""
        assert reply(made(method="GET", path=path)) == {"message": "Hello, Foo Bar!"}
        assert reply(made({"name": "Ann"}, path=path)) == {"message": "Hello, Ann!"}
        assert reply(made({}, path=path)) == {"message": "Hello, ANONYMOUS!"}


def test_health_checks_answer(foreign: Foreign) -> None:
    for name in ("HTTPHealthCheck", "HTTPSHealthCheck"):
        assert reply(asked(foreign, "HTTPListenerHealthCheck", name)(method="GET")) == {"status": "ok"}


def test_http_request_array_a_reply_is_added_to_an_array_in_the_environment(foreign: Foreign) -> None:
    flow = asked(foreign, "HttpRequestArray", "RestArrayFrontendFlow")

    # The flow propagates twice and answers twice; a request is answered once.
    with pytest.raises(FlowFailed) as raised:
        flow(b"{}", http={"HTTP Request": {"Reply": "hello"}})

    assert raised.value.root_cause().number == 3740
    environment = raised.value.result.environment
    assert environment is not None
    assert environment.variables.to_dict()["replies"]["Item"] == [{"Data": {"Reply": "hello"}}] * 2


def test_json_arrays_are_accessed_from_both_ends(foreign: Foreign) -> None:
    found = reply(asked(foreign, "JsonArrayApp", "AccessElements")({"List": ["a", "b", "c"]}))

    assert found == {
        "FirstEntry": "a",
        "SecondEntry": "b",
        "LastIndex": "c",
        "FirstRelative": "a",
        "SecondRelative": "b",
        "LastRelative": "c",
        "SecondLastRelative": "b",
    }


def test_json_arrays_are_written_to_files_named_by_the_wildcard(foreign: Foreign) -> None:
    files = asked(foreign, "JsonArrayApp", "JsonArrayFlow")({}).files

    assert json.loads(files["array-1-lastChild.json"]) == {"lastchild": ["valueA", "valueB", "valueC"]}
    assert json.loads(files["array-4-objectArray.json"]) == {"objectArray": [{"key": "value"}] * 3}
    assert len(files) == 9


def test_flow_order_replies_first_and_archives_the_original_then(foreign: Foreign) -> None:
    result = asked(foreign, "JsonArrayApp", "FlowOrder")({"x": [1]}, trace=True)

    assert reply(result) == {"x": [1]}
    assert result.files == {"archive.txt": b'{"x": [1]}'}
    assert result.path.index("FlowOrder.HTTP Reply") < result.path.index("FlowOrder.File Output")


def test_json_to_xml_takes_one_line(foreign: Foreign) -> None:
    answer = asked(foreign, "JsonToXml", "json2xml")({"a": {"b": [1, 2]}}).reply

    assert answer is not None and answer.body == b"<root><a><b><Item>1</Item><Item>2</Item></b></a></root>"


def test_json_validation_lists_what_is_wrong(foreign: Foreign) -> None:
    flow = asked(foreign, "JsonValidation", "JsonValidation")
    good = {"field1": "a", "field2": True, "field3": 1, "group1": {"field4": "x", "field5": 2}}

    valid = flow(good, trace=True)
    invalid = flow({"field1": 5, "field2": True, "field3": 1})

    # A valid message ends at a Trace node; an invalid one is answered.
    assert valid.path[-1] == "JsonValidation.handleMessage.Trace"
    assert invalid.reply is not None and invalid.reply.status == 400
    assert b"5751" in invalid.reply.body and b"group1" in invalid.reply.body


def test_json_parser_tells_all_findings(foreign: Foreign) -> None:
    """The flow lists the entries of the exception list if there are several at the same place."""
    flow = asked(foreign, "JsonParser", "ValidateJson")

    one = reply(flow({"other": 1}))
    several = reply(flow({"craneMaintenanceUpdated": {}}))

    assert one == {"Result": "JSON Invalid"}
    assert several["Result"] == "JSON Invalid"
    assert several["Details"]["parserError"]["errorReason"].startswith(" | /craneMaintenanceUpdated | the property")


def test_missing_query_parameter_one_that_the_definition_lacks_is_not_there(foreign: Foreign) -> None:
    """The plain HTTP flow has both parameters, the REST API only the one that its definition declares."""
    loaded = load(foreign("corpus") / QUESTIONS / "MissingQueryParam")
    query = "searchQuery=x&index=2"

    rest = loaded.flow("MissingQueryParam_RESTAPI")(method="GET", path="/mystery/v1/search", query=query)
    plain = loaded.flow("API")(method="GET", query=query, flows={"/testCallable": lambda root: root})

    assert reply(rest) == {"msgType": "reply rest", "queryParam1": "x", "queryParam2": "no param found"}
    assert reply(plain) == {"msgType": "reply http", "queryParam1": "x", "queryParam2": "2"}


def test_oauth_provider_gives_a_token(foreign: Foreign) -> None:
    assert reply(asked(foreign, "OAuthProvider", "OAuthProvider")(method="GET", path="/dummy/token")) == {
        "Token": "xxx"
    }


def test_pdf_is_stored_under_the_name_in_the_path(foreign: Foreign) -> None:
    result = asked(foreign, "PDFRestToFile", "PDF")(b"%PDF-1.7 \xff", path="/pdf/v1/upload/my%20file.pdf")

    assert result.files == {"my file.pdf": b"%PDF-1.7 \xff"}


def test_pascal_case_becomes_camel_case(foreign: Foreign) -> None:
    assert reply(asked(foreign, "PascalCaseToCamelCase", "convert")(method="GET")) == {"camelCaseString": "ecnHeader"}


def test_environment_variables_are_read_by_a_hook(foreign: Foreign) -> None:
    flow = asked(foreign, "ReadEnvVars", "readEnvVar", hooks={"ReadEnvVar_ReadEnvVar.getVar": lambda name: f"<{name}>"})

    assert reply(flow({"Request": "HOME"})) == {"Request": "HOME", "Result": "<HOME>"}


def test_restore_from_backout_moves_all_messages_of_a_queue(foreign: Foreign) -> None:
    flow = asked(foreign, "RestoreFromBackout", "restoreFromBackout")
    queues = {"A.BOQ": [(MQMD(), b"one"), (MQMD(), b"two")]}

    result = flow({"inQ": "A.BOQ", "outQ": "A"}, source="x.json", queues=queues)

    assert [message.body for message in result.out["A"]] == [b"one", b"two"]
    assert result.out["A"][0].tree.MQRFH2.usr.restore.to_dict() == {"attempt": 1, "source": "A.BOQ", "target": "A"}


def test_select_the_row_three_selections(foreign: Foreign) -> None:
    mail = [("business", "b@x"), ("personal", "p@x"), ("personal", "q@x")]
    message = {"contact": {"details": {"email": [{"type": kind, "address": each} for kind, each in mail]}}}

    assert reply(asked(foreign, "SelectTheRow", "businessEmail")(message)) == {"businessEmail": "b@x"}
    assert reply(asked(foreign, "SelectTheRow", "emailList")(message)) == {
        "emailList": [{"address": "p@x"}, {"address": "q@x"}]
    }


def test_quotes_are_removed(foreign: Foreign) -> None:
    flow = asked(foreign, "SingleAndDoubleQuotes", "TestSingleAndDoubleQuoteReplace")

    answer = flow(b"<data><one>a'b\"c</one><two>d</two></data>").reply

    assert answer is not None and answer.body == b"<data><one>abc</one><two>d</two></data>"


def test_an_array_that_is_empty_null_or_missing(foreign: Foreign) -> None:
    flow = asked(foreign, "TestArrayExistsOrEmpty", "TestArray")
    empty = {"ArrayNoChildren", "ArrayNoFirstChild", "ArrayChildDoesNotExists"}
    missing = {"ArrayIsNull", "ArrayDoesNotExist", "FieldTypeNull"}

    assert set(reply(flow({"cards": []}))) == empty | missing
    assert set(reply(flow({"cards": [1], "cards2": None}))) == {"ArrayIsNull"}
    assert set(reply(flow({"cards": [1], "cards2": []}))) <= {"ArrayIsNull"}


def test_queue_environment_the_message_is_passed_on(foreign: Foreign) -> None:
    assert asked(foreign, "TestQueueEnvironment", "test")(b"x").out["TEST.IN.Q3"][0].body == b"x"


def test_a_timestamp_of_year_and_month(foreign: Foreign) -> None:
    found = reply(asked(foreign, "TimeStampConvert", "timeStampConvert")(method="GET"))

    assert found["datum"].startswith("2023-06-01 00:00:00")
    assert found["datum2"].startswith("1999-12-31 00:00:00")


def test_a_timer_and_a_file_both_start_the_flow(foreign: Foreign) -> None:
    flow = asked(foreign, "TimerAndFile", "TestTimerAndFileThreads")

    timed = flow.advance(300, trace=True)
    read = flow(b"x", source="taf.txt", trace=True)

    assert timed.path == ["TestTimerAndFileThreads.Timeout Notification", "TestTimerAndFileThreads.Compute"]
    assert read.path == ["TestTimerAndFileThreads.File Input", "TestTimerAndFileThreads.Compute"]


def test_feed_with_fields_that_change_each_time(foreign: Foreign) -> None:
    flow = asked(foreign, "UnitTestIgnoreFields", "processFeed")

    result = flow({"type": "orderRequest", "request": {"time": "2024-01-02 03:04:05"}, "data": {"a": 1, "b": 2}})

    written = json.loads(result.files["feed.txt"])
    assert (written["request"], written["requestDate"], written["feedCount"]) == ("order", "2024-01-02", 2)
    assert reply(result)["sessionId"] == written["requestSession"]


def test_user_defined_properties_the_flow_runs_when_its_timer_is_due(foreign: Foreign) -> None:
    flow = asked(foreign, "UserDefinedProperties", "TestUdpRestart")

    assert flow.advance(599, trace=True).path == []
    assert len(flow.advance(1, trace=True).path) == 2


def test_references_to_what_is_missing_point_to_where_they_start(foreign: Foreign) -> None:
    message = {"objects": [{"child": {"grandchild": "g"}}, {"x": 1}]}
    found = reply(asked(foreign, "WorkingWithReferences", "WorkingWithReferences")(message))["attempt"]

    assert found["one"]["result"] == "not null"
    assert found["two"]["result"] > 0
    assert found["four"]["results"] == ["g", None]


def test_xml_field_types_are_those_of_the_manual(foreign: Foreign) -> None:
    flow = asked(foreign, "XmlFolderType", "XmlFolderFieldType")
    found = reply(flow(b"<root><field1><nil/></field1></root>"))

    assert found["ReferenceTypes"]["Name"] == found["FieldType"]["field1"] == 0x01000000
    assert found["ReferenceTypes"]["NameValue"] == 0x03000000
    assert found["ReferenceTypes"]["XMLNSC"]["Attribute"] == 0x03000100
    assert found["FieldType"]["field1FolderMatch"] is True


def test_mq_usr_a_folder_of_an_rfh2_with_levels(foreign: Foreign) -> None:
    result = asked(foreign, "mq_usr", "mq_usr")(b"x", input="MQ Input")

    message = result.out["MQUSR_OUT"][0]
    assert message.md.format.strip() == "MQHRF2"
    assert message.tree.MQRFH2.mq_usr.level1.level2 == "more data"
    assert result.traces[0][1].startswith("Info: AddMqUsr")


def test_java_nodes_run_with_functions_in_their_place(foreign: Foreign) -> None:
    def environment(message: PythonMessage) -> None:
        body = message.output.last_child()
        assert body is not None
        body.detach()
        made = message.output.append(Element("JSON", None, 0x01000000))
        made.domain = "JSON"
        made.put("Data.Content", "Java Environment")

    flow = asked(
        foreign, "JavaEnvironment", "GetJavaEnv", functions={"com.mbl.test.GetJavaEnv_JavaCompute": environment}
    )

    assert reply(flow(b"test")) == {"Content": "Java Environment"}


def test_custom_timeout_a_failed_request_is_tried_again_later(foreign: Foreign) -> None:
    flow = asked(foreign, "CustomTimeout", "WaitForTimeout")
    assert flow.problems == []
    failing = {"HTTP Request": ConnectionError("down")}

    first = flow(b"x", http=failing)

    # The original message is kept, and a timer asks every second whether the wait is over.
    assert "ORIGINALMESSAGE" in first.out
    assert first.recorder.timeouts[0].interval == 1


def test_sharepoint_a_file_is_downloaded_and_then_deleted(foreign: Foreign) -> None:
    flow = load(foreign("corpus") / QUESTIONS).flow("sharepoint.downloadFile")
    item = {"@microsoft.graph.downloadUrl": "http://files/x", "name": "a.txt", "id": "I1"}
    answers: dict[str, Any] = {
        "RequestToken": {"access_token": "t"},
        "RequestChildren": {"value": [item]},
        "RequestDownload": b"content",
        "HTTP Request": b"",
    }

    result = flow.advance(60, http=answers)

    assert [request.method for request in result.requests] == ["POST", "GET", "GET", "DELETE"]
    assert result.requests[2].url == "http://files/x"
    assert result.requests[3].url.endswith("/items/I1")
    assert result.files == {"a.txt": b"content"}


def test_http_input_delay_the_reply_shows_what_the_flow_saw(foreign: Foreign) -> None:
    flow = asked(foreign, "HttpInputDelayCheck", "HttpInputDelayCheck")

    result = flow(method="GET", path="/httpinputdelaycheck/v1/delay")

    shown = reply(result)["msg"]
    assert shown["localenv"]["REST"]["Input"]["Operation"] == "getDelay"
    assert shown["origmsg"]["HTTPInputHeader"]["X-Scheme"] == "http"
    assert len(result.out["DELAY1"]) == 1


def test_ccsid_a_json_message_has_no_blob(foreign: Foreign) -> None:
    flow = asked(foreign, "TestCCSID", "TestCCSID")

    answer = flow({"a": 1}, input="HTTP Input").reply

    assert answer is not None
    assert (answer.status, answer.body) == (200, b"")


def test_mime_a_message_that_is_no_error_is_not_mailed(foreign: Foreign) -> None:
    result = asked(foreign, "MIME", "CreateMime")({"a": 1}, trace=True)

    assert result.emails == []
    assert result.path[-1] == "CreateMime.Compute"


# Scatter and gather (row 19).

SCATTER = "trevor-dolby-at-ibm-com+ace-scatter-gather-test-examples"


def test_an_aggregation_asks_two_back_ends_and_answers_the_client(foreign: Foreign) -> None:
    loaded = load(foreign("corpus") / SCATTER)
    flow = loaded.flow("AggregationFlow")

    asked_both = flow(b"", path="/aggregationFlow")
    assert sorted(asked_both.out) == ["SCATTER.OUT.1", "SCATTER.OUT.2"]
    answers = []
    for number in (2, 1):
        request = asked_both.out[f"SCATTER.OUT.{number}"][0]
        fields = {"MsgId": request.md.msg_id, "ReplyToQ": request.md.reply_to_q, "MsgType": 1}
        answered = loaded.flow(f"Flow{number}")(request.body, headers={"MQMD": fields})
        message = answered.out[f"GATHER.IN.{number}"][0]
        assert message.md.correl_id == request.md.msg_id
        answers.append(
            flow(message.body, headers={"MQMD": {"CorrelId": message.md.correl_id}}, input=f"MQ Input{number}")
        )

    assert answers[0].reply is None
    assert reply(answers[1]) == {"reply": "success"}
    assert answers[1].reply is not None and answers[1].reply.request_identifier.startswith(b"EVHT")


def test_an_aggregation_without_answers_times_out(foreign: Foreign) -> None:
    flow = load(foreign("corpus") / SCATTER).flow("AggregationFlow")
    flow(b"", path="/aggregationFlow")

    timed = flow.advance(30, trace=True)

    # No reply means no identifier of the client, so HTTPReply fails; the catch terminal leads to a Trace node.
    assert timed.reply is None
    assert timed.path[-1] == "AggregationFlow.TraceCatchTerminal"
    assert "3143" in timed.traces[0][1]


@pytest.mark.parametrize(("status", "result"), [(200, "success"), (500, "failed")])
def test_a_collection_of_two_answers_and_the_request(foreign: Foreign, status: int, result: str) -> None:
    flow = load(foreign("corpus") / SCATTER).flow("CollectorFlow")

    answered = flow(
        b"",
        method="GET",
        path="/collectorFlow",
        http={"RequestOne": {"a": 1}, "RequestTwo": HttpResponse(status, b"{}")},
    )

    assert [request.url.rpartition("/")[2] for request in answered.requests] == ["applications", "resource-managers"]
    assert reply(answered) == {"result": result}
    assert answered.reply is not None and answered.reply.status == status


def test_a_collection_that_is_not_complete_expires(foreign: Foreign) -> None:
    flow = load(foreign("corpus") / SCATTER).flow("CollectorFlow")

    waiting = flow(b"", method="GET", path="/collectorFlow", http={"RequestOne": {}})
    expired = flow.advance(30)

    assert waiting.reply is None
    assert reply(expired) == {"result": "expired"}


def test_groups_answer_when_complete_and_when_the_time_is_over(foreign: Foreign) -> None:
    flow = load(foreign("corpus") / SCATTER).flow("GroupHTTPFlow")
    both: dict[str, Any] = {"HTTP Async Request1": {}, "HTTP Async Request2": {}}

    complete = flow(b"", method="GET", path="/groupHTTPFlow", http=both)
    flow(b"", method="GET", path="/groupHTTPFlow", http={"HTTP Async Request1": {}})
    late = flow.advance(5)

    assert reply(complete) == {"reply": "success"}
    assert reply(late) == {"reply": "timeout"}
