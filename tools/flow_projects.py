"""Run public MQ projects on a started queue manager with the broker's run time, and send messages through them.

    python tools/flow_projects.py DIR                       every scenario, one line each, and missing features
    python tools/flow_projects.py DIR --only bank           those whose name contains this
    python tools/flow_projects.py DIR --table docs/x.md     also write the page of the docs

DIR has a checkout for each repository, named OWNER+NAME. Nothing in it is changed, and nothing of it enters this
repository: messages and expected outputs are ours, derived from the ESQL of the projects.

A scenario deploys flows to an execution group of real worker processes, on a queue manager that is a process of its
own, puts messages, and compares what arrives: on queues, as a publication, as an HTTP reply, in a database, in a file.
Overrides (`Flow#Node.property`) replace queues or directories of the project's owner as a BAR would.

After the scenarios every flow of the six repositories is loaded. Those that do not start are counted by what they need.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import re
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

if __name__ == "__main__":
    _root = Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(_root), str(_root / "src")]
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:2])  # For the workers.

from lxml import etree

import flintmq
from flintmq.broker.flow.function import load
from flintmq.broker.flow.model import FlowFileError
from flintmq.broker.flow.runtime import RuntimeFlow
from flintmq.broker.runtime.group import ExecutionGroup
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.placement import place, plan_of
from flintmq.broker.runtime.worker import Assignment
from flintmq.cli.main import main as flint
from flintmq.host import instance
from flintmq.server import process

PATIENCE_S: Final = 30.0
#: Rows of the list of public repositories (MF 6), and their checkouts.
REPOSITORIES: Final = {
    4: "ot4i+message-splitter-mq-oneway-xml-pattern",
    5: "trevor-dolby-at-ibm-com+ace-http-mq-request-reply",
    7: "MbqIIB+ESB-MSB",
    8: "KITSAbhijitKarmakar+WMB-Test",
    12: "juliopari+ibm-ace11-toolkit-simple-tutorials",
    13: "varmaprabhakar18+IBM-ACE-Code",
}


@dataclass(frozen=True, slots=True)
class Scenario:
    """A project that is deployed and driven."""

    row: int
    name: str
    run: Callable[[Desk, Path], None]

    @property
    def says(self) -> str:
        """Return the summary of a scenario: the first line of the docstring."""
        return (self.run.__doc__ or "").strip().splitlines()[0]


SCENARIOS: Final[list[Scenario]] = []


def scenario(row: int) -> Callable[[Callable[[Desk, Path], None]], Callable[[Desk, Path], None]]:
    """Register a function as a scenario of a repository; it gets the desk and the checkout."""

    def register(function: Callable[[Desk, Path], None]) -> Callable[[Desk, Path], None]:
        SCENARIOS.append(Scenario(row, function.__name__, function))
        return function

    return register


class Desk:
    """A queue manager process, a directory for files, and execution groups on it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.qm = flintmq.connect("QM1")
        self.said = io.StringIO()
        self.problems: dict[str, list[str]] = {}
        self.http_port = 0
        #: The log of the last group.
        self.log = ""
        self._number = 0

    def queue(self, name: str, **attributes: Any) -> Any:
        """Return a queue, empty; create it if it is not there."""
        made = self.qm.queue(name, create=True, **attributes)
        while made.get_or_none() is not None:
            pass
        return made

    def place(self) -> Path:
        """Return a new empty directory."""
        self._number += 1
        made = self.directory / str(self._number)
        made.mkdir()
        return made

    @contextmanager
    def deployed(
        self,
        paths: Sequence[Path],
        *flows: str,
        overrides: Mapping[str, str] | None = None,
        variables: Mapping[str, str] | None = None,
        data_sources: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Iterator[None]:
        """Run flows of directories in an execution group of two workers. `problems` has those that do not start."""
        plans = []
        for path in paths:
            loaded = load(path, overrides=overrides, variables=variables)
            plans += [plan_of(loaded, owner, made) for owner, made in loaded.project.flows()]
        chosen = [plan for plan in plans if not flows or plan.flow in flows]
        assert not flows or {plan.flow for plan in chosen} == set(flows), [plan.flow for plan in plans]
        self.said = io.StringIO()
        log = self.place() / "log"
        base = Assignment(
            "BRK",
            "default",
            0,
            "QM1",
            {},
            [{"path": str(path), "overrides": overrides, "variables": variables} for path in paths],
            data_sources={name: dict(each) for name, each in (data_sources or {}).items()},
            http_port=0,
            log_file=str(log),
        )
        group = ExecutionGroup(base, place(chosen, 2), BrokerLog("BRK", stream=self.said))
        group.start()
        try:
            assert group.wait_ready(PATIENCE_S), f"the group does not start: {self.said.getvalue()}"
            status = group.status()
            self.problems = {name: found for each in status for name, found in each["problems"].items()}
            self.http_port = next((each["http_port"] for each in status if each["http_port"]), 0)
            try:
                yield
            except AssertionError as error:
                error.add_note(log.read_text()[-3000:] if log.exists() else "no log")
                raise
        finally:
            group.stop()
            self.log = log.read_text() if log.exists() else ""

    def http(self, path: str) -> Any:
        """Return the JSON that a GET of an HTTP node answers."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.http_port}{path}", timeout=PATIENCE_S) as answer:
            return json.load(answer)


@contextmanager
def desk(directory: Path) -> Iterator[Desk]:
    """Create and start a queue manager below a directory."""
    before = os.environ.get("FLINTMQ_DATA")
    os.environ["FLINTMQ_DATA"] = str(directory / "data")
    pid = 0
    try:
        assert flint(["crtmqm", "-q", "QM1"]) == 0
        pid = process.start(instance.by_name("QM1"))
        (directory / "files").mkdir()
        made = Desk(directory / "files")
        try:
            yield made
        finally:
            made.qm.close()
    finally:
        if pid:
            os.kill(pid, signal.SIGTERM)
        if before is None:
            del os.environ["FLINTMQ_DATA"]
        else:
            os.environ["FLINTMQ_DATA"] = before


def until(condition: Callable[[], Any], what: str) -> Any:
    """Return the first true value of a condition; raise AssertionError if there is none in time."""
    end = time.monotonic() + PATIENCE_S
    while not (found := condition()):
        assert time.monotonic() < end, f"not in {PATIENCE_S:g} seconds: {what}"
        time.sleep(0.02)
    return found


def got(queue: Any) -> Any:
    """Return the next message of a queue."""
    found = queue.get_or_none(wait=PATIENCE_S)
    assert found is not None, f"nothing arrived on {queue.name}"
    return found


def xml(data: bytes) -> Any:
    """Return an XML message, parsed."""
    return etree.fromstring(data)


# -- row 4: a pattern whose main flow a generator writes ---------------------------------------------------------------


_COUNT = """CREATE COMPUTE MODULE Count_Records
  CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
    SET OutputRoot = InputRoot;
    DECLARE bad INTEGER CARDINALITY(InputRoot.XMLNSC.Batch.Bad[]);
    SET Environment.PatternVariables.NumberOfBadRecords = bad;
    SET Environment.PatternVariables.NumberOfRecordsFound = bad + 1;
    SET Environment.PatternVariables.BadRecords.Bad[] = InputRoot.XMLNSC.Batch.Bad[];
    RETURN TRUE;
  END;
END MODULE;
"""


@scenario(4)
def splitter_final_message_and_roll_back(made: Desk, checkout: Path) -> None:
    """The pattern's modules CheckSavedMessages, BuildFinalMessage and Cancel in a flow of ours."""
    source = checkout / "src" / "MessageSplitterMQOneWayProject"
    target = made.place() / "app"
    (target / "mqsi").mkdir(parents=True)
    (target / "mqsi" / "Error.esql").write_bytes((source / "mqsi" / "Error.esql").read_bytes())
    (target / "Count.esql").write_text(_COUNT)
    _write_splitter(target)
    backout = made.queue("SPLIT.BACKOUT")
    incoming, errors = made.queue("SPLIT.IN", bothresh=1, boqname="SPLIT.BACKOUT"), made.queue("SPLIT.ERRORS")
    with made.deployed([target], "Splitter"):
        incoming.put(b"<Batch><Bad>1</Bad><Bad>2</Bad></Batch>", correlation_id=b"batch 1")
        error = got(errors)
        incoming.put(b"<Batch><Good/></Batch>")
        cancelled = got(backout)
    found = xml(error.data)
    assert found.tag == "Error" and found.findtext("StatusCode") == "-1", error.data
    assert (found.findtext("BrokerName"), found.findtext("MessageFlowlabel")) == ("BRK", "Splitter"), error.data
    assert found.findtext("NumberOfBadRecords") == "2", error.data
    assert [each.text for each in found.findall("BadRecords/Bad")] == ["1", "2"], error.data
    assert error.correlation_id.rstrip(b"\0") == b"batch 1"
    assert cancelled.data == b"<Batch><Good/></Batch>"
    assert "has rolled back the input message" in made.log, made.log


def _write_splitter(directory: Path) -> None:
    """Write a flow around the modules of the pattern."""
    labels = {
        "In": ("ComIbmMQInput", 'queueName="SPLIT.IN" messageDomainProperty="XMLNSC" transactionMode="yes"'),
        "Count": ("ComIbmCompute", 'computeExpression="esql://routine/#Count_Records.Main"'),
        "Any": ("ComIbmFilter", 'filterExpression="esql://routine/mqsi#CheckSavedMessages.Main"'),
        "Build": ("ComIbmCompute", 'computeExpression="esql://routine/mqsi#BuildFinalMessage.Main"'),
        "Errors": ("ComIbmMQOutput", 'queueName="SPLIT.ERRORS"'),
        "Cancel": ("ComIbmCompute", 'computeExpression="esql://routine/mqsi#Cancel.Main"'),
    }
    wires = (
        ("In", "out", "Count"),
        ("Count", "out", "Any"),
        ("Any", "true", "Build"),
        ("Build", "out", "Errors"),
        ("Any", "false", "Cancel"),
    )
    nodes = "".join(
        f'<nodes xmi:type="{kind}.msgnode:FCMComposite_1" xmi:id="{label}" location="0,0" {attributes}>'
        f'<translation xmi:type="utility:ConstantString" string="{label}"/></nodes>'
        for label, (kind, attributes) in labels.items()
    )
    connections = "".join(
        f'<connections xmi:type="eflow:FCMConnection" xmi:id="C{number}" sourceNode="{source}" targetNode="{target}" '
        f'sourceTerminalName="OutTerminal.{terminal}" targetTerminalName="InTerminal.in"/>'
        for number, (source, terminal, target) in enumerate(wires)
    )
    kinds = sorted({kind for kind, _ in labels.values()})
    declared = " ".join(f'xmlns:{kind}.msgnode="{kind}.msgnode"' for kind in kinds)
    (directory / "Splitter.msgflow").write_text(
        '<?xml version="1.0" encoding="UTF-8"?><ecore:EPackage xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI" '
        'xmlns:ecore="http://www.eclipse.org/emf/2002/Ecore" xmlns:eflow="http://www.ibm.com/wbi/2005/eflow" '
        f'xmlns:utility="http://www.ibm.com/wbi/2005/eflow_utility" {declared} nsURI="Splitter.msgflow" '
        'nsPrefix="Splitter.msgflow"><eClassifiers xmi:type="eflow:FCMComposite" name="FCMComposite_1">'
        '<eSuperTypes href="http://www.ibm.com/wbi/2005/eflow#//FCMBlock"/>'
        f"<composition>{nodes}{connections}</composition></eClassifiers></ecore:EPackage>"
    )


# -- row 5: HTTP to MQ and back ---------------------------------------------------------------------------------------

_HOST = hashlib.sha1(b"a host").hexdigest()
_USER_VARIABLES = {"script-encoded-hostname": _HOST, "sha1sum-hostname": _HOST}


def _ask_back_end(made: Desk, checkout: Path, clients: Mapping[str, str]) -> dict[str, Any]:
    """Deploy the back end and clients (project to flow), ask each over HTTP, return the answers."""
    for name in ("BACKEND.SHARED.INPUT", "BACKEND.SHARED.REPLY"):
        made.queue(name)
    paths = [checkout / name for name in ("MQBackend", *clients)]
    with made.deployed(paths, "MQFlow", *clients.values(), variables=_USER_VARIABLES):
        assert made.problems == {}, made.problems
        answers = {client: made.http(f"/{client}") for client in clients}
    for answer in answers.values():
        assert answer["backendFlow"] == {"application": "MQBackend"}
        assert answer["originalMessage"]["ReplyToQ"].strip() == "BACKEND.SHARED.REPLY"
    return answers


def _test_field(answer: Any) -> Any:
    return answer["originalMessage"]["jsonData"]["Data"]["test"]


@scenario(5)
def http_request_waits_for_mq_reply(made: Desk, checkout: Path) -> None:
    """SyncClient and MQBackend: MQOutput, MQGet by CorrelId and the HTTP reply in one flow."""
    answer = _ask_back_end(made, checkout, {"SyncClient": "Sync"})["SyncClient"]
    assert _test_field(answer) == "SyncClient message"


@scenario(5)
def http_reply_identifier_as_message_identifier(made: Desk, checkout: Path) -> None:
    """NoCorrelationClient and MQBackend: the HTTP identifier travels as MsgId and comes back as CorrelId."""
    answer = _ask_back_end(made, checkout, {"NoCorrelationClient": "NoCorrelation"})["NoCorrelationClient"]
    assert _test_field(answer) == "SimpleClient message"


@scenario(5)
def http_clients_share_a_reply_queue(made: Desk, checkout: Path) -> None:
    """CorrelIdClient, CorrelIdClientUsingBody and MQBackend: each takes its own replies by matchCorrelId."""
    clients = {"CorrelIdClient": "CorrelId", "CorrelIdClientUsingBody": "CorrelIdUsingBody"}
    answers = _ask_back_end(made, checkout, clients)
    own = _HOST.upper()
    assert own + "0" * 8 in answers["CorrelIdClient"]["originalMessage"]["CorrelId"].upper()
    assert own + "1" * 8 in answers["CorrelIdClientUsingBody"]["originalMessage"]["CorrelId"].upper()


@scenario(5)
def http_host_as_correlation_identifier(made: Desk, checkout: Path) -> None:
    """Sha1HostnameClient and MQBackend: the user variable is the CorrelId."""
    answer = _ask_back_end(made, checkout, {"Sha1HostnameClient": "Sha1Hostname"})["Sha1HostnameClient"]
    assert _HOST.upper() in answer["originalMessage"]["CorrelId"].upper()


@scenario(5)
def http_missing_user_variable_is_named(made: Desk, checkout: Path) -> None:
    """CorrelIdClient without its user variable: the variable is named, at deploy or when the flow reads it."""
    for name in ("BACKEND.SHARED.INPUT", "BACKEND.SHARED.REPLY"):
        made.queue(name)
    with made.deployed([checkout / "CorrelIdClient"], "CorrelId"):
        said = " ".join(made.problems.get("CorrelId", []))
        if not said:
            try:
                made.http("/CorrelIdClient")
            except urllib.error.HTTPError as error:
                said = error.read().decode()
                assert error.code == 500
    assert "script-encoded-hostname" in said + made.log, said


# -- row 7: the bus of a bank -----------------------------------------------------------------------------------------

_BANK = "Trunk/40 - Source/MSB_ESB_FLOW"
_LOG_COLUMNS = (
    "message_sn, tran_code, sender_id, req_date, req_time, receiver_id, receive_date, receive_time, resp_date, "
    "resp_time, resp_code, resp_msg, in_xml_msg, out_xml_msg, history_date"
)
_SCHEMA = (
    "CREATE TABLE esb_param (auto_id, grp_name, p_name, p_value, param1, param2, p_desc, lstord)",
    "CREATE TABLE esb_routing (tran_code, sender_id, receiver_id, qmgr_name, queue_name)",
    "CREATE TABLE esb_service_url (service_id, service_type, service_name, service_url, service_timeout)",
    f"CREATE TABLE esb_tllog ({_LOG_COLUMNS})",
    "INSERT INTO esb_routing VALUES ('CBS001', 'WEB', 'CBS', 'QM1', 'BANK.CBS.IN')",
)


def _bank(made: Desk) -> tuple[Path, dict[str, dict[str, Any]]]:
    """Return a database with the tables of the bus, and the data sources of its flows."""
    path = made.place() / "bank.db"
    with sqlite3.connect(path) as database:
        for statement in _SCHEMA:
            database.execute(statement)
    database.close()
    return path, {name: {"url": f"sqlite:///{path}"} for name in ("MSB_ESB", "msb_esb")}


@scenario(7)
def bank_request_is_routed_by_table(made: Desk, checkout: Path) -> None:
    """RequestMainFlow: routed by rows of a database that are cached in a SHARED ROW; CorrelId is the MsgId."""
    _, sources = _bank(made)
    incoming, cbs, unknown = (made.queue(name) for name in ("ESB.INBOX", "BANK.CBS.IN", "ESB.RFH.OUTBOX"))
    with made.deployed([checkout / _BANK], "seatechit.esb.flows.RequestMainFlow", data_sources=sources):
        assert made.problems == {}, made.problems
        known_id, other_id = (
            incoming.put(
                f"<Data><Header><srv>CBS001</srv><req_app>WEB</req_app><srv_app>{receiver}</srv_app>"
                f"<req_id>{number}</req_id></Header><Body/></Data>",
                persistent=True,
            )
            for number, receiver in enumerate(("CBS", "NOBODY"))
        )
        routed, refreshed = got(cbs), got(unknown)
    assert routed.correlation_id == known_id and refreshed.correlation_id == other_id
    assert (routed.md.reply_to_q.strip(), refreshed.md.reply_to_q.strip()) == ("ESB.REP.INBOX", "ESB.RFH.OUTBOX")
    header = xml(routed.data).find("Header")
    assert header.findtext("req_id") == "0"
    assert re.fullmatch(r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d\.\d{3}", header.findtext("req_time"))


@scenario(7)
def bank_log_is_written(made: Desk, checkout: Path) -> None:
    """LoggingFlow: a message becomes a row with both messages as text (ASBITSTREAM, INSERT)."""
    path, sources = _bank(made)
    incoming = made.queue("ESB.LOG.INBOX")
    with made.deployed([checkout / _BANK], "seatechit.esb.flows.LoggingFlow", data_sources=sources):
        incoming.put(
            "<Messages><Request><Data><Header><req_id>R1</req_id><srv>CBS001</srv><req_app>WEB</req_app>"
            "<srv_app>CBS</srv_app><req_time>01/02/2024 03:04:05.678</req_time></Header></Data></Request>"
            "<Response><Data>ok</Data></Response>"
            "<Control><tllog><rsp_code>0</rsp_code><rsp_msg>done</rsp_msg></tllog></Control></Messages>",
            persistent=True,
        )

        def rows() -> list[Any]:
            with sqlite3.connect(path) as database:
                found = database.execute(f"SELECT {_LOG_COLUMNS} FROM esb_tllog").fetchall()
            database.close()
            return found

        (row,) = until(rows, "a row in esb_tllog")
    assert row[:6] == ("R1", "CBS001", "WEB", "01/02/2024", "03:04:05", "CBS"), row
    assert row[10:12] == ("0", "done"), row
    # ASBITSTREAM without options writes the children of its field.
    assert row[12].startswith("<Data><Header><req_id>R1</req_id>") and row[13] == "<Data>ok</Data>", row


@scenario(7)
def bank_response_goes_to_its_application(made: Desk, checkout: Path) -> None:
    """ResponseMainFlow: the part Response/Data of a message goes to the outbox of its application, and to the log."""
    _, sources = _bank(made)
    incoming, web, log = (made.queue(name) for name in ("ESB.REP.INBOX", "ESB.WSS.CBS", "ESB.LOG.INBOX"))
    with made.deployed([checkout / _BANK], "seatechit.esb.flows.ResponseMainFlow", data_sources=sources):
        incoming.put(
            "<Messages><Request><Data/></Request><Response><Data><Header><req_app>WCB</req_app></Header><Body>7</Body>"
            "</Data></Response><Control><tllog/></Control></Messages>",
            persistent=True,
        )
        answer, logged = got(web), got(log)
    assert xml(answer.data).tag == "Data" and xml(answer.data).findtext("Body") == "7"
    assert xml(logged.data).findtext("Control/tllog/rsp_time")
    assert 0 < logged.md.expiry <= 1000 * 60 * 5


# -- row 8: replay and error handling ---------------------------------------------------------------------------------

_REPLAY = "com.kingfisher.ukbq.errorhandlers.Replay"


def _with_rfh2(queue: str, body: str) -> Any:
    """Return a message with an MQRFH2 whose folder `usr` names the queue to replay to."""
    from flintmq.mqi.rfh2 import MQRFH2

    header = MQRFH2()
    header.format = "MQSTR"
    header.coded_char_set_id = 1208
    header.folders = [f"<usr><ReplayQueue>{queue}</ReplayQueue><Broker>B</Broker><ExceptionList/></usr>"]
    return header.pack() + body.encode()


@scenario(8)
def replay_to_the_queue_in_the_header(made: Desk, checkout: Path) -> None:
    """Replay: a message goes to the queue that its MQRFH2 names, without the folders of the error."""
    incoming, target = made.queue("REPLAY.FLOW.WMB"), made.queue("SHOP.IN")
    with made.deployed([checkout / "ErrorHandlers"], _REPLAY):
        incoming.put(_with_rfh2("SHOP.IN", "<order/>"), persistent=True, format="MQHRF2")
        message = got(target)
    # The client shows the folder `usr` as message properties.
    assert message.data == b"<order/>"
    assert dict(message.properties) == {"ReplayQueue": "SHOP.IN"}, message.properties


# -- row 12: tutorials ------------------------------------------------------------------------------------------------


@scenario(12)
def tutorial_pairs_messages_of_two_queues(made: Desk, checkout: Path) -> None:
    """ExampleMQ: a file becomes pairs of messages; MQInput and MQGet by MsgId pair them again, whatever their order."""
    files = made.place()
    for name in ("QUEUE1", "QUEUE2"):
        made.queue(name)
    overrides = {
        "MQOutput#File Input.inputDirectory": str(files),
        "MQInput_MQGet#Trace1.filePath": str(files / "trace.txt"),
    }
    with made.deployed([checkout / "ExampleMQ"], "MQOutput", "MQInput_MQGet", overrides=overrides):
        (files / "input.new").write_text(
            "<Message><A1><Person>Ann</Person><Person>Bob</Person></A1>"
            "<A2><Person>Cid</Person><Person>Dan</Person></A2></Message>"
        )
        (files / "input.new").rename(files / "input.xml")
        trace = until(lambda: _lines(files / "trace.txt", "The pairing is", 2), "two pairs in the trace")
    pairs = {tuple(re.findall(r"'(\w+)'|(Ann|Bob|Cid|Dan)", line)) for line in trace}
    texts = sorted("".join(a or b for a, b in pair) for pair in pairs)
    assert texts == ["AnnBob", "CidDan"], trace


def _lines(path: Path, text: str, count: int) -> list[str]:
    if not path.exists():
        return []
    content = path.read_text()
    found = [part for part in content.split("====") if text in part]
    return found if len(found) >= count else []


@scenario(12)
def tutorial_subscription_reads_its_queues(made: Desk, checkout: Path) -> None:
    """Subscription of ExamplePublication: three queues lead to one Trace node that writes a file."""
    files = made.place()
    loaded = load(checkout / "ExamplePublication")
    owner, flow = loaded.project.flow("Subscription")
    names = [
        node.properties["queueName"]
        for node in loaded.project.resolve(flow).nodes()
        if node.definition.type == "ComIbmMQInput.msgnode"
    ]
    assert owner.name and len(names) == 3
    queues = [made.queue(name) for name in names]
    label = next(
        node.definition.label
        for node in loaded.project.resolve(flow).nodes()
        if node.definition.type == "ComIbmTrace.msgnode"
    )
    overrides = {f"Subscription#{label}.filePath": str(files / "trace.txt")}
    with made.deployed([checkout / "ExamplePublication"], "Subscription", overrides=overrides):
        for number, queue in enumerate(queues):
            queue.put(f"<m>message {number}</m>")
        until(
            lambda: (
                (files / "trace.txt").exists() and (files / "trace.txt").read_text().count("arrived at the Trace") == 3
            ),
            "three messages in the trace",
        )


@scenario(12)
def tutorial_with_a_mapping_is_named_at_deploy(made: Desk, checkout: Path) -> None:
    """AggregationMQ_FanOut needs Mapping nodes, which the broker does not have: named, and the other flow runs."""
    for name in ("AGGREGATION.IN",):
        made.queue(name)
    with made.deployed([checkout / "AggregationMQ"], "AggregationMQ_FanOut", "AggregationMQ_FanIn"):
        assert list(made.problems) == ["AggregationMQ_FanOut"], made.problems
        assert "node of type Mapping" in " ".join(made.problems["AggregationMQ_FanOut"]), made.problems


# -- row 13: basics ---------------------------------------------------------------------------------------------------


@scenario(13)
def basics_message_is_copied(made: Desk, checkout: Path) -> None:
    """MQ_AppBasic: the message arrives unchanged with its descriptor."""
    incoming, outgoing = made.queue("Input.Q"), made.queue("Output.Q")
    with made.deployed([checkout / "MQ_AppBasic"], "MQ_MessageFlow"):
        sent = incoming.put(b"<a><b>1</b></a>", correlation_id=b"c", priority=7, persistent=True, format="MQSTR")
        message = got(outgoing)
    assert message.data == b"<a><b>1</b></a>" and message.message_id == sent
    assert (message.correlation_id.rstrip(b"\0"), message.md.priority, message.md.persistence) == (b"c", 7, 1)


@scenario(13)
def basics_repeat_loop_makes_three_fields(made: Desk, checkout: Path) -> None:
    """Trial: REPEAT makes three fields, whatever the message was."""
    incoming, outgoing = made.queue("Input.Q"), made.queue("Output.Q")
    with made.deployed([checkout / "TRIAL_REPEAT_CODE"], "Trial"):
        incoming.put(b"anything")
        message = got(outgoing)
    assert [each.text for each in xml(message.data).findall("Data")] == ["1", "1", "1"]


@scenario(13)
def basics_publication_reaches_a_subscriber(made: Desk, checkout: Path) -> None:
    """PUB_SUB: the topic of the input node is the topic of the publication."""
    incoming = made.queue("MQInput1")
    with made.deployed([checkout / "PUB_SUB"], "PUB_SUB"), made.qm.subscribe("Topic1") as subscription:
        incoming.put(b"<news>1</news>")
        message = subscription.get_or_none(wait=PATIENCE_S)
    assert message is not None and message.data == b"<news>1</news>"


@scenario(13)
def basics_row_is_inserted(made: Desk, checkout: Path) -> None:
    """DB_TEST: a message becomes a row (INSERT without a list of columns)."""
    incoming = made.queue("Input.Q")
    path = made.place() / "persons.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE PERSONS (id INTEGER, last, first, address, city)")
    database.close()
    body = (
        b"<Emp_Details><PersonID>7</PersonID><LASTNAME>Ann</LASTNAME><FIRSTNAME>B</FIRSTNAME>"
        b"<ADDRESS>C</ADDRESS><CITY>D</CITY></Emp_Details>"
    )

    def rows() -> list[Any]:
        with sqlite3.connect(path) as database:
            found = database.execute("SELECT * FROM PERSONS").fetchall()
        database.close()
        return found

    sources = {"DSN_ACE": {"url": f"sqlite:///{path}"}}
    with made.deployed([checkout / "DB_TEST"], "DN_MF", data_sources=sources, overrides={"DN_MF#DSN_NAME": "DSN_ACE"}):
        incoming.put(body, persistent=True)
        assert until(rows, "a row in PERSONS") == [(7, "Ann", "B", "C", "D")]


# -- all flows --------------------------------------------------------------------------------------------------------


def needs_of(problem: str) -> str:
    """Return the missing requirement of a flow, in the broker or in the checkout, in a few words."""
    found = re.search(r"\bno node of type (\S+)", problem)
    if found:
        return f"node {found[1]}"
    if "no Python function is known" in problem:
        return "a Java class: give a Python function"
    if "subflow" in problem:
        return "a subflow of another project"
    if "Main of " in problem:
        return "ESQL of another project"
    if "is not there" in problem:
        return "a file that is not in the checkout"
    return problem.partition(": ")[2][:80] or problem[:80]


def survey(checkout: Path) -> tuple[int, int, Counter[str]]:
    """Load every flow of a checkout. Return the number that start, the total, and missing requirements."""
    starts, count, needs = 0, 0, Counter[str]()
    seen: set[bytes] = set()
    projects = sorted({path.parent for path in checkout.rglob(".project")})
    for project in projects:
        if any(other != project and other in project.parents for other in projects):
            continue
        try:
            loaded = load(project, variables=_USER_VARIABLES)
        except (FlowFileError, ValueError, OSError) as error:
            needs[f"readable files: {error}"[:80]] += 1
            continue
        for owner, flow in loaded.project.flows():
            digest = hashlib.sha1(flow.qualified_name.encode() + owner.name.encode()).digest()
            if digest in seen:
                continue
            seen.add(digest)
            count += 1
            made = RuntimeFlow(
                loaded.project.resolve(flow, loaded.overrides, loaded.variables), loaded.settings(owner), owner.name
            )
            starts += not made.problems
            needs.update({needs_of(problem) for problem in made.problems})
    return starts, count, needs


# -- the command ------------------------------------------------------------------------------------------------------


def write_page(path: Path, results: Sequence[tuple[Scenario, str]], surveys: Mapping[int, Any]) -> None:
    """Write the page of the docs."""
    lines = [
        "# Public projects on a queue manager",
        "",
        "Written by `python tools/flow_projects.py DIR --table docs/broker/projects.md`, on checkouts of repositories",
        "that are no part of FlintMQ. Messages and expected outputs are ours, derived from the ESQL of the",
        "projects. Each scenario runs in an execution group of real worker processes, on a queue manager that is a",
        "process of its own.",
        "",
        "| repository | what is deployed, sent and expected | holds |",
        "|---|---|---|",
    ]
    for each, problem in results:
        name = REPOSITORIES[each.row].replace("+", "/")
        lines.append(f"| {name} | {each.says} | {'no: ' + problem if problem else 'yes'} |")
    lines += [
        "",
        "Every flow of the repositories, each project loaded by itself as a deploy loads it. Those that do not start:",
        "",
        "| repository | flows that start | the others need (flows) |",
        "|---|---|---|",
    ]
    for row, (starts, count, needs) in surveys.items():
        text = "; ".join(f"{name} ({number})" for name, number in needs.most_common(12))
        lines.append(f"| {REPOSITORIES[row].replace('+', '/')} | {starts} of {count} | {text} |")
    path.write_text("\n".join(lines) + "\n")


def run_all(root: Path, only: str) -> list[tuple[Scenario, str]]:
    """Run scenarios; return each with its error, empty if it holds."""
    results: list[tuple[Scenario, str]] = []
    with tempfile.TemporaryDirectory(prefix="flintmq-projects-") as place, desk(Path(place)) as made:
        for each in SCENARIOS:
            checkout = root / REPOSITORIES[each.row]
            if only not in each.name or not checkout.is_dir():
                continue
            problem = ""
            try:
                each.run(made, checkout)
            except Exception as error:
                problem = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
                traceback.print_exc()
            print(f"{each.row:3} {each.name:50} {problem or 'holds'}", flush=True)
            results.append((each, problem))
    return results


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, metavar="DIR")
    parser.add_argument("--only", default="", metavar="TEXT", help="scenarios whose name contains this")
    parser.add_argument("--table", type=Path, metavar="FILE", help="write the page of the docs")
    arguments = parser.parse_args()
    results = run_all(arguments.directory, arguments.only)
    surveys: dict[int, Any] = {}
    if not arguments.only:
        for row, name in REPOSITORIES.items():
            if (arguments.directory / name).is_dir():
                surveys[row] = starts, count, needs = survey(arguments.directory / name)
                print(f"{row:3} {name}: {starts} of {count} flows start")
                for need, number in needs.most_common():
                    print(f"      {number:3} {need}")
    if arguments.table:
        write_page(arguments.table, results, surveys)
    return any(problem for _, problem in results)


if __name__ == "__main__":
    sys.exit(main())
