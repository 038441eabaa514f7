"""A flow as a function: threads, trees that the engine releases, modules that nodes may name, libraries."""

from __future__ import annotations

import sqlite3
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from flintmq.broker import FlowFailed, load
from flintmq.broker.databases import Database, FakeDatabase
from flintmq.broker.flow.services import Recorder
from flintmq.broker.tree.element import Element
from tests.broker.flow.flows import compute, flow_of, write_application

AGGREGATE = """
nodes:
  Ask: {type: MQInput, properties: {queueName: ASK, messageDomainProperty: JSON}}
  Control: {type: AggregateControl, properties: {aggregateName: A, timeoutInterval: 30}}
  ToOne: {type: MQOutput, properties: {queueName: ONE, request: true, replyToQ: REPLIES, newMsgId: true}}
  One: {type: AggregateRequest, properties: {folderName: one}}
  Replies: {type: MQInput, properties: {queueName: REPLIES, messageDomainProperty: JSON}}
  Reply: {type: AggregateReply, properties: {aggregateName: A}}
  Join: {type: Compute, properties: {computeExpression: "esql://routine/#Join.Main"}}
  Done: {type: MQOutput, properties: {queueName: DONE}}
wires:
  - {from: Ask.out, to: Control.in}
  - {from: Control.out, to: ToOne.in}
  - {from: ToOne.out, to: One.in}
  - {from: Replies.out, to: Reply.in}
  - {from: Reply.out, to: Join.in}
  - {from: Join.out, to: Done.in}
"""
JOIN = compute(
    "Join",
    """IF InputRoot.ComIbmAggregateReplyBody.one.JSON.Data.n = 0 THEN THROW USER EXCEPTION; END IF;
       SET OutputRoot.JSON.Data.n = InputRoot.ComIbmAggregateReplyBody.one.JSON.Data.n; RETURN TRUE;""",
)
COMPUTE = """
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: JSON}}
  C: {type: Compute, properties: {computeExpression: "esql://routine/#M.Main", dataSource: DB, transaction: MODE}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
wires:
  - {from: In.out, to: C.in}
  - {from: C.out, to: Out.in}
"""


def test_threads_share_one_flow_that_remembers_messages(tmp_path: Path) -> None:
    """A backout in one thread must not undo the groups that other threads have just opened."""
    flow = flow_of(tmp_path, AGGREGATE, JOIN)
    start = threading.Barrier(4)

    def ask(thread: int) -> Counter[str]:
        seen: Counter[str] = Counter()
        start.wait(20)
        for number in range(60):
            n = 0 if number % 3 == 0 else thread * 1000 + number
            asked = flow({"n": n}, input="Ask").out["ONE"][0]
            try:
                result = flow({"n": n}, input="Replies", headers={"MQMD": {"CorrelId": asked.md.msg_id}})
            except FlowFailed:
                seen["failed"] += 1
            else:
                seen["right" if result.out["DONE"][0].body == b'{"n":%d}' % n else "wrong"] += 1
        return seen

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(ask, range(1, 5)))

    assert results == [Counter(right=40, failed=20)] * 4


def test_identifiers_of_flows_in_several_threads_differ(tmp_path: Path) -> None:
    yaml = COMPUTE.replace("{queueName: OUT}", "{queueName: OUT, newMsgId: true}")
    flow = flow_of(tmp_path, yaml, compute("M", "SET OutputRoot = InputRoot; RETURN TRUE;"))

    def identifiers(thread: int) -> list[bytes]:
        return [flow({"n": n}).out["OUT"][0].md.msg_id for n in range(100)]

    with ThreadPoolExecutor(4) as pool:
        found = [each for ids in pool.map(identifiers, range(4)) for each in ids]

    assert len(set(found)) == 400


def test_what_the_store_holds_survives_trees_that_the_engine_releases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Recorder, "keeps_trees", False)
    flow = flow_of(tmp_path, AGGREGATE, JOIN)

    asked = flow({"n": 7}, input="Ask").out["ONE"][0]
    result = flow({"n": 7}, input="Replies", headers={"MQMD": {"CorrelId": asked.md.msg_id}})

    assert result.out["DONE"][0].body == b'{"n":7}'


def test_a_callable_flow_answers_with_a_tree_of_its_own_when_the_engine_releases_trees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Recorder, "keeps_trees", False)
    yaml = """
nodes:
  Input: {type: CallableFlowInput, properties: {callableInputEndpoint: e},
          tables: {supportedDomains: [{supportedMessageDomain: JSON}]}}
  C: {type: Compute, properties: {computeExpression: "esql://routine/#M.Main"}}
  Reply: {type: CallableFlowReply}
wires:
  - {from: Input.out, to: C.in}
  - {from: C.out, to: Reply.in}
"""
    flow = flow_of(tmp_path, yaml, compute("M", "SET OutputRoot.JSON.Data.n = InputRoot.JSON.Data.n + 1; RETURN TRUE;"))

    answer = flow({"n": 1}).answer

    assert answer is not None
    assert answer.JSON.Data.n == 2


def test_a_tree_that_the_caller_gave_is_not_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Recorder, "keeps_trees", False)
    flow = flow_of(tmp_path, COMPUTE, compute("M", "SET OutputRoot = InputRoot; RETURN TRUE;"))
    root = Element("Root", None, 0x01000000)
    root.domain = "Root"
    body = root.add("JSON", None, 0x01000000)
    body.domain = "JSON"
    body.put("Data.n", 5)

    assert [flow(root).out["OUT"][0].body for _ in range(2)] == [b'{"n":5}'] * 2
    assert root.get("JSON.Data.n") == 5


PYTHON = COMPUTE.replace(
    '{type: Compute, properties: {computeExpression: "esql://routine/#M.Main", dataSource: DB, transaction: MODE}}',
    "{type: PythonCompute, properties: {function: 'NAME'}}",
)


def test_a_node_names_a_function_of_a_module_that_the_host_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "host" / "shop_rules_of_test"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "prices.py").write_text("def double(message):\n    message.output.put('JSON.Data.n', 2)\n")
    monkeypatch.syspath_prepend(str(package.parent))
    yaml = "flow: F.msgflow\n" + PYTHON.replace("NAME", "shop_rules_of_test.prices:double")
    place = write_application(tmp_path / "app", {"F.msgflow.yaml": yaml})

    for allowed in ("shop_rules_of_test", "shop_rules_of_test.prices"):
        assert load(place, modules=[allowed]).flow()({"n": 1}).out["OUT"][0].body == b'{"n":2}'
    for refused in ((), ("shop_rules",), ("shop_rules_of_test.other",)):
        (problem,) = load(place, modules=refused).flow().problems
        assert "the module 'shop_rules_of_test.prices' is not allowed" in problem


def test_a_module_that_nobody_allows_is_not_even_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = tmp_path / "imported"
    (tmp_path / "evil_of_test.py").write_text(f"open({str(mark)!r}, 'w').close()\ndef run(message): pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    place = write_application(
        tmp_path / "app", {"F.msgflow.yaml": "flow: F.msgflow\n" + PYTHON.replace("NAME", "evil_of_test:run")}
    )

    assert load(place).flow().problems and not mark.exists()
    os_system = write_application(
        tmp_path / "os", {"F.msgflow.yaml": "flow: F.msgflow\n" + PYTHON.replace("NAME", "os:system")}
    )
    assert "the module 'os' is not allowed" in load(os_system).flow().problems[0]


def test_an_import_that_fails_is_a_problem_of_the_flow(tmp_path: Path) -> None:
    yaml = "flow: F.msgflow\n" + PYTHON.replace("NAME", "no_such_module_of_test:run")
    place = write_application(tmp_path, {"F.msgflow.yaml": yaml})

    (problem,) = load(place, modules=["no_such_module_of_test"]).flow().problems

    assert "cannot be imported: ModuleNotFoundError" in problem


INSERT = compute(
    "M",
    """INSERT INTO Database.T (N) VALUES (InputRoot.JSON.Data.n);
       IF InputRoot.JSON.Data.inside THEN THROW USER EXCEPTION; END IF;
       SET OutputRoot = InputRoot; RETURN TRUE;""",
)
FAILING = COMPUTE.replace("wires:", "  Throw: {type: Throw}\nwires:\n  - {from: Out.out, to: Throw.in}").replace(
    "{queueName: OUT}", "{queueName: OUT, transactionMode: 'PUT'}"
)


@pytest.mark.parametrize(("mode", "kept"), [("commit", [1]), ("automatic", [])])
def test_a_node_with_transaction_commit_commits_when_it_ends(tmp_path: Path, mode: str, kept: list[int]) -> None:
    """MF 3.5: what the node did stays, whatever becomes of the flow; what fails inside the node does not."""
    file = tmp_path / "shop.db"
    with sqlite3.connect(file) as made:
        made.execute("CREATE TABLE T (N INTEGER)")
    made.close()
    database = Database(f"sqlite:///{file}")
    flow = flow_of(tmp_path / "app", FAILING.replace("MODE", mode).replace("PUT", "automatic"), INSERT)

    with pytest.raises(FlowFailed):
        flow({"n": 1}, databases={"DB": database})
    with pytest.raises(FlowFailed):
        flow({"n": 2, "inside": True}, databases={"DB": database})

    database.close()
    check = sqlite3.connect(file)
    assert [row[0] for row in check.execute("SELECT N FROM T")] == kept
    check.close()


def test_a_fake_database_notes_the_commit_of_the_node_before_the_backout_of_the_flow(tmp_path: Path) -> None:
    database = FakeDatabase({"INSERT INTO T*": 1})
    flow = flow_of(tmp_path, FAILING.replace("MODE", "commit").replace("PUT", "automatic"), INSERT)

    with pytest.raises(FlowFailed):
        flow({"n": 1}, databases={"DB": database})

    assert database.ended == ["commit", "rollback"]


@pytest.mark.parametrize(("put", "kept"), [("no", 1), ("yes", 0), ("automatic", 0)])
def test_a_put_outside_the_unit_of_work_stays_when_the_flow_fails(tmp_path: Path, put: str, kept: int) -> None:
    flow = flow_of(tmp_path, FAILING.replace("MODE", "automatic").replace("PUT", put), INSERT)

    with pytest.raises(FlowFailed) as raised:
        flow({"n": 1}, databases={"DB": FakeDatabase({"INSERT INTO T*": 1})})

    assert [message.queue for message in raised.value.result.messages] == ["OUT"] * kept


LIBRARY = """DECLARE Limit EXTERNAL INTEGER;
DECLARE Twice CONSTANT INTEGER Limit * 2;
DECLARE Each INTEGER Limit + 1;
CREATE FUNCTION ofLibrary() RETURNS INTEGER BEGIN RETURN WHICH; END;
"""


@pytest.mark.parametrize("variable", ["Limit", "Twice", "Each"])
def test_an_external_variable_without_a_value_is_an_error_only_where_it_is_read(tmp_path: Path, variable: str) -> None:
    esql = compute(
        "M",
        """SET OutputRoot.JSON.Data.n = InputRoot.JSON.Data.n;
           IF InputRoot.JSON.Data.use THEN SET OutputRoot.JSON.Data.n = ofLibrary(); END IF; RETURN TRUE;""",
    )
    files: dict[str, str | bytes] = {
        "F.msgflow.yaml": "flow: F.msgflow\n" + COMPUTE.replace("MODE", "automatic"),
        "F.esql": esql,
        "Library.esql": LIBRARY.replace("WHICH", variable),
    }
    flow = load(write_application(tmp_path, files)).flow()

    assert [flow({"n": 1}).out["OUT"][0].body for _ in range(2)] == [b'{"n":1}'] * 2
    for _ in range(2):
        with pytest.raises(FlowFailed, match="EXTERNAL Limit has no value: set the user-defined property Limit"):
            flow({"n": 1, "use": True})
    given = load(tmp_path, variables={"user-Limit": "5"}).flow()
    assert (
        given({"n": 1, "use": True}).out["OUT"][0].body
        == {
            "Limit": b'{"n":5}',
            "Twice": b'{"n":10}',
            "Each": b'{"n":6}',
        }[variable]
    )
