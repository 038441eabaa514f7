"""A worker on a queue manager that serves: messages go through flows, in units of work."""

from __future__ import annotations

import sqlite3
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.broker.runtime import flows
from tests.broker.runtime.desk import Desk
from tests.waiting import PATIENCE, until

ROOT = Path(__file__).resolve().parents[3]


def test_a_message_goes_through_a_flow_with_its_descriptor(desk: Desk, tmp_path: Path) -> None:
    source, target = desk.queue("IN"), desk.queue("OUT")
    desk.start(flows.pass_through(tmp_path / "app"), "Pass")
    sent = source.put(b"hello", correlation_id=b"42", priority=7, persistent=True, format="MQSTR")
    got = target.get(wait=PATIENCE)
    assert (got.data, got.message_id, got.correlation_id.rstrip(b"\0")) == (b"hello", sent, b"42")
    assert got.md.priority == 7 and got.md.persistence == 1
    assert source.depth == 0


def test_the_order_routing_sample_runs_as_it_does_as_a_function(desk: Desk) -> None:
    sample = ROOT / "samples" / "broker" / "order-routing"
    for name in ("ORDERS.IN", "ORDERS.GOLD", "ORDERS.STANDARD", "ORDERS.EXPORT", "ORDERS.REJECTED", "ORDERS.ERRORS"):
        desk.queue(name)
    desk.start(sample, "shop.OrderRouting")
    case = sample / "tests" / "gold"
    desk.qm.queue("ORDERS.IN").put((case / "input.xml").read_bytes())
    expected = next((case / "out").iterdir())
    got = desk.qm.queue(expected.name.rpartition(".")[0]).get(wait=PATIENCE)
    assert got.data == expected.read_bytes()


FAILING = """
CREATE COMPUTE MODULE Work
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot = InputRoot;
    IF InputRoot.XMLNSC.a.bad IS NOT NULL THEN
      THROW USER EXCEPTION VALUES ('bad');
    END IF;
    RETURN TRUE;
  END;
END MODULE;
"""


def test_a_poison_message_goes_to_the_backout_queue_and_others_pass(desk: Desk, tmp_path: Path) -> None:
    """B: BOTHRESH 2, nothing wired: two deliveries, then BOQNAME; the copy has BackoutCount 0 (MF 3.6)."""
    source = desk.queue("IN", bothresh=2, boqname="IN.BACK")
    target, aside = desk.queue("OUT"), desk.queue("IN.BACK")
    worker = desk.start(flows.computed(tmp_path / "app", FAILING), "Work")
    source.put("<a><bad/></a>")
    source.put("<a>good</a>")
    poison = aside.get(wait=PATIENCE)
    assert poison.text == "<a><bad/></a>" and poison.backout_count == 0
    assert target.get(wait=PATIENCE).text == "<a>good</a>"
    until(lambda: source.depth == 0)
    assert worker.instances[0].failures == 3
    assert "BIP2648W" in desk.said.getvalue() and "was put to IN.BACK" in desk.said.getvalue()


def test_without_a_backout_queue_a_poison_message_is_dead(desk: Desk, tmp_path: Path) -> None:
    desk.qm.mqsc("ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)")
    source = desk.queue("IN")
    desk.queue("OUT")
    desk.start(flows.computed(tmp_path / "app", FAILING), "Work")
    source.put("<a><bad/></a>")
    dead = desk.qm.queue("SYSTEM.DEAD.LETTER.QUEUE").get(wait=PATIENCE)
    assert dead.dead_letter is not None and dead.dead_letter.reason == 2362
    assert dead.dead_letter.queue == "IN"


def test_outside_of_syncpoint_a_failing_message_is_gone_and_the_log_says_so(desk: Desk, tmp_path: Path) -> None:
    source = desk.queue("IN", bothresh=5)
    desk.queue("OUT")
    desk.start(flows.computed(tmp_path / "app", FAILING, transactionMode="no"), "Work")
    source.put("<a><bad/></a>")
    until(lambda: "BIP2628W" in desk.said.getvalue())
    assert source.depth == 0


def test_a_full_output_queue_keeps_the_message_until_there_is_room(desk: Desk, tmp_path: Path) -> None:
    source, target = desk.queue("IN", bothresh=1000), desk.queue("OUT", maxdepth=1)
    desk.start(flows.pass_through(tmp_path / "app"), "Pass")
    target.put(b"in the way")
    source.put(b"hello")
    until(lambda: "MQRC_Q_FULL" in desk.said.getvalue())
    assert target.get().data == b"in the way"
    assert target.get(wait=PATIENCE).data == b"hello"


def test_a_missing_input_queue_is_waited_for(desk: Desk, tmp_path: Path) -> None:
    desk.queue("OUT")
    worker = desk.start(flows.pass_through(tmp_path / "app"), "Pass")
    until(lambda: "BIP2624E" in desk.said.getvalue())
    assert "2085" in worker.instances[0].problem
    desk.queue("IN").put(b"hello")
    assert desk.qm.queue("OUT").get(wait=PATIENCE).data == b"hello"


def test_instances_share_the_queue_and_every_message_comes_once(desk: Desk, tmp_path: Path) -> None:
    source, target = desk.queue("IN"), desk.queue("OUT")
    worker = desk.start(flows.pass_through(tmp_path / "app"), "Pass", instances=3)
    for number in range(60):
        source.put(f"{number}")
    got = sorted(int(target.get(wait=PATIENCE).text) for _ in range(60))
    assert got == list(range(60))
    assert len(worker.instances) == 3 and sum(each.messages for each in worker.instances) == 60


def test_a_node_that_the_engine_does_not_have_is_named_and_the_rest_runs(desk: Desk, tmp_path: Path) -> None:
    desk.queue("IN"), desk.queue("OUT")
    path = flows.pass_through(tmp_path / "app")
    flows.write(path, "Strange", flows.node("Input", "ComIbmSAPInput", ""), [])
    worker = desk.start(path, "Pass", "Strange")
    assert "SAPInput" in worker.problems["Strange"][0]
    desk.qm.queue("IN").put(b"hello")
    assert desk.qm.queue("OUT").get(wait=PATIENCE).data == b"hello"


ECHO = """
CREATE COMPUTE MODULE Work
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot.Properties = InputRoot.Properties;
    SET OutputRoot.XMLNSC.echo.name = InputRoot.XMLNSC.name;
    RETURN TRUE;
  END;
END MODULE;
"""


def test_an_http_flow_answers_its_client(desk: Desk, tmp_path: Path) -> None:
    directory = tmp_path / "app"
    directory.mkdir()
    (directory / "Work.esql").write_text(ECHO)
    flows.write(
        directory,
        "Work",
        flows.node("In", "ComIbmWSInput", 'URLSpecifier="/echo" messageDomainProperty="XMLNSC"'),
        flows.node("Work", "ComIbmCompute", 'computeExpression="esql://routine/#Work.Main"'),
        flows.node("Reply", "ComIbmWSReply", ""),
        [("In", "out", "Work"), ("Work", "out", "Reply")],
    )
    worker = desk.start(directory, "Work", http_port=0)
    assert worker.listener is not None
    address = f"http://127.0.0.1:{worker.listener.port}"
    request = urllib.request.Request(f"{address}/echo", b"<name>x</name>", {"Content-Type": "text/xml"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        assert answer.read() == b"<echo><name>x</name></echo>"
    with pytest.raises(urllib.error.HTTPError) as nothing:
        urllib.request.urlopen(f"{address}/other", timeout=PATIENCE)
    assert nothing.value.code == 404
    nothing.value.close()
    with pytest.raises(urllib.error.HTTPError) as bad:
        urllib.request.urlopen(f"{address}/echo", b"<name", timeout=PATIENCE)
    assert bad.value.code == 500
    bad.value.close()


INSERTING = """
CREATE COMPUTE MODULE Work
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot = InputRoot;
    INSERT INTO Database.seen (id) VALUES (InputRoot.XMLNSC.a);
    IF InputRoot.XMLNSC.a = 'bad' THEN
      THROW USER EXCEPTION VALUES ('bad');
    END IF;
    RETURN TRUE;
  END;
END MODULE;
"""


def test_a_database_is_committed_with_the_message_and_rolled_back_with_it(desk: Desk, tmp_path: Path) -> None:
    """B243: an error rolls the unit of work back, then the message follows the rules of BOTHRESH."""
    file = tmp_path / "shop.db"
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE seen (id TEXT)")
    database.close()
    source = desk.queue("IN", bothresh=1, boqname="BACK")
    target, aside = desk.queue("OUT"), desk.queue("BACK")
    desk.queue("SYSTEM.BROKER.COORDINATION")
    path = flows.computed(tmp_path / "app", INSERTING, data_source="SHOP")
    desk.start(path, "Work", data_sources={"SHOP": {"url": f"sqlite:///{file}"}})
    source.put("<a>bad</a>")
    source.put("<a>good</a>")
    assert target.get(wait=PATIENCE).text == "<a>good</a>"
    assert aside.get(wait=PATIENCE).text == "<a>bad</a>"
    with sqlite3.connect(file) as database:
        assert database.execute("SELECT id FROM seen").fetchall() == [("good",)]
    database.close()


def test_files_of_a_directory_go_through_a_flow_and_are_deleted(desk: Desk, tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    (inbox / "a.xml").write_text("<a>1</a>")
    (inbox / "other.txt").write_text("not for the flow")
    target = desk.queue("OUT")
    path = flows.write(
        tmp_path / "app",
        "Files",
        flows.node("In", "ComIbmFileInput", f'inputDirectory="{inbox}" filenamePattern="*.xml" waitInterval="1"'),
        flows.node("Out", "ComIbmMQOutput", 'queueName="OUT"'),
        [("In", "out", "Out")],
    )
    desk.start(path, "Files")
    assert target.get(wait=PATIENCE).data == b"<a>1</a>"
    until(lambda: [each.name for each in inbox.iterdir()] == ["other.txt"])


TICKING = """
CREATE COMPUTE MODULE Work
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot.Properties = InputRoot.Properties;
    SET OutputRoot.XMLNSC.tick = 'now';
    RETURN TRUE;
  END;
END MODULE;
"""


def test_a_timer_runs_its_flow_and_is_kept_on_the_state_queue(desk: Desk, tmp_path: Path) -> None:
    target = desk.queue("OUT")
    directory = tmp_path / "app"
    directory.mkdir()
    (directory / "Work.esql").write_text(TICKING)
    flows.write(
        directory,
        "Work",
        flows.node(
            "In", "ComIbmTimeoutNotification", 'operationMode="automatic" timeoutInterval="1" uniqueIdentifier="T1"'
        ),
        flows.node("Work", "ComIbmCompute", 'computeExpression="esql://routine/#Work.Main"'),
        flows.node("Out", "ComIbmMQOutput", 'queueName="OUT"'),
        [("In", "out", "Work"), ("Work", "out", "Out")],
    )
    worker = desk.start(directory, "Work")
    for _ in range(2):
        assert target.get(wait=PATIENCE).text == "<tick>now</tick>"
    worker.stop()
    desk.workers.remove(worker)
    assert desk.qm.queue("SYSTEM.BROKER.STATE.DEFAULT").depth == 1
