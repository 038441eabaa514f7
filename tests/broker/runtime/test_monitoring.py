"""Monitoring events and user trace of a worker; BA 1.2 has the form of events."""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from flintmq.broker.flow.function import load
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.monitoring.event import EVENT_NAMESPACE
from flintmq.broker.runtime.monitoring.profile import BadProfile, addresses, event_sources, profile_text, read_profile
from flintmq.broker.runtime.worker import Assignment, FlowAssignment, Worker
from tests.broker.runtime import flows
from tests.client.remote.serving import CHANNEL, Serving
from tests.waiting import PATIENCE, until

NAMES = {"w": EVENT_NAMESPACE}
ESQL = """
CREATE COMPUTE MODULE Work
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot = InputRoot;
    LOG USER TRACE VALUES ('here');
    IF InputRoot.XMLNSC.a.bad IS NOT NULL THEN
      THROW USER EXCEPTION VALUES ('bad');
    END IF;
    RETURN TRUE;
  END;
END MODULE;
"""
PROFILE = """<?xml version="1.0"?>
<p:monitoringProfile p:version="2.0"
  xmlns:p="http://www.ibm.com/xmlns/prod/websphere/messagebroker/6.1.0.3/monitoring/profile">
 <p:eventSource p:eventSourceAddress="In.transaction.Start">
  <p:eventPointDataQuery>
   <p:eventIdentity><p:eventName p:literal="arrived"/></p:eventIdentity>
   <p:eventCorrelation><p:globalTransactionId p:queryText="$Body/a/id"/></p:eventCorrelation>
   <p:eventUOW p:unitOfWork="independent"/>
  </p:eventPointDataQuery>
  <p:applicationDataQuery>
   <p:simpleContent p:name="id" p:dataType="integer"><p:valueQuery p:queryText="$Body/a/id"/></p:simpleContent>
   <p:complexContent><p:payloadQuery p:queryText="$Body/a"/></p:complexContent>
  </p:applicationDataQuery>
  <p:bitstreamDataQuery p:bitstreamContent="body" p:encoding="base64Binary"/>
 </p:eventSource>
 <p:eventSource p:eventSourceAddress="Work.terminal.out">
  <p:eventPointDataQuery><p:eventFilter p:queryText="$Body/a/id &gt; 1"/></p:eventPointDataQuery>
 </p:eventSource>
 <p:eventSource p:eventSourceAddress="Out.terminal.in" p:enabled="false"/>
 <p:eventSource p:eventSourceAddress="In.transaction.End">
  <p:bitstreamDataQuery p:bitstreamContent="all" p:encoding="HexBinary"/>
 </p:eventSource>
 <p:eventSource p:eventSourceAddress="In.transaction.Rollback"/>
</p:monitoringProfile>
"""


@pytest.fixture
def serving() -> Iterator[Serving]:
    made = Serving()
    for name in ("SYSTEM.BROKER.STATE.DEFAULT", "OUT"):
        made.qm.queue(name, create=True)
    made.qm.queue("IN", create=True, bothresh=1, boqname="OUT")
    yield made
    made.close()


class Run:
    """A worker in this process."""

    def __init__(self, serving: Serving, path: Path, settings: dict[str, Any], directory: str = "") -> None:
        self.said = io.StringIO()
        assignment = Assignment(
            "BRK",
            "default",
            0,
            "QM1",
            {"channel": CHANNEL, "conn": serving.conn},
            [{"path": str(path)}],
            [FlowAssignment("", "Work")],
            settings={"": settings},
            directory=directory,
        )
        self.worker = Worker(assignment, BrokerLog("BRK.default", stream=self.said))
        self.worker.start()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *exc: object) -> None:
        self.worker.stop()


def of(event: Any, path: str) -> str:
    return str(event.xpath(f"string({path})", namespaces=NAMES))


def test_a_profile_decides_events_their_content_and_their_unit_of_work(serving: Serving, tmp_path: Path) -> None:
    """E1 to E3: start with payload and correlator, a filtered terminal, the end with the whole message."""
    settings = {"monitoring.active": "true", "monitoring.profile": PROFILE}
    with serving.qm.subscribe("$SYS/Broker/BRK/Monitoring/default/Work") as events:
        with Run(serving, flows.computed(tmp_path / "app", ESQL), settings):
            serving.qm.queue("IN").put("<a><id>1</id></a>", persistent=True)
            serving.qm.queue("IN").put("<a><id>7</id></a>", persistent=True)
            got = [etree.fromstring(events.get(wait=PATIENCE).data) for _ in range(5)]
    address = "//w:eventData/@w:eventSourceAddress"
    found = [(of(each, address), of(each, "//@w:counter")) for each in got]
    # The independent start is published when the transaction has ended; counters tell the order.
    assert found == [
        ("In.transaction.End", "2"),
        ("In.transaction.Start", "1"),
        ("Work.terminal.out", "2"),
        ("In.transaction.End", "3"),
        ("In.transaction.Start", "1"),
    ]
    end, start = got[0], got[1]
    assert of(start, "//@w:eventName") == "arrived" and of(end, "//@w:eventName") == "In.transaction.End"
    assert of(start, "//@w:globalTransactionId") == of(end, "//@w:globalTransactionId") == "1"
    assert (
        of(start, "//@w:localTransactionId")
        == of(end, "//@w:localTransactionId")
        != of(got[2], "//@w:localTransactionId")
    )
    assert (of(start, "//w:simpleContent/@w:name"), of(start, "//w:simpleContent/@w:value")) == ("id", "1")
    assert of(start, "//w:complexContent/@w:elementName") == "a" and of(start, "//w:complexContent/a/id") == "1"
    assert base64.b64decode(of(start, "//w:bitstream")) == b"<a><id>1</id></a>"
    whole = bytes.fromhex(of(end, "//w:bitstream"))
    assert whole.startswith(b"MD  ") and whole.endswith(b"<a><id>1</id></a>")
    assert (of(start, "//w:broker/@w:name"), of(start, "//w:node/@w:nodeType")) == ("BRK", "ComIbmMQInputNode")
    assert of(start, "//w:node/@w:detail") == "IN" and of(got[2], "//w:node/@w:terminal") == "out"


def test_a_rollback_is_told_although_its_unit_of_work_is_gone(serving: Serving, tmp_path: Path) -> None:
    with serving.qm.subscribe("$SYS/Broker/BRK/Monitoring/#") as events:
        settings = {"monitoring.active": "true", "monitoring.profile": PROFILE}
        with Run(serving, flows.computed(tmp_path / "app", ESQL), settings):
            serving.qm.queue("IN").put("<a><id>5</id><bad/></a>", persistent=True)
            got = [etree.fromstring(events.get(wait=PATIENCE).data) for _ in range(2)]
    found = [of(each, "//w:eventData/@w:eventSourceAddress") for each in got]
    assert sorted(found) == ["In.transaction.Rollback", "In.transaction.Start"]


def test_events_of_the_unit_of_work_that_cannot_be_published_keep_the_message(serving: Serving, tmp_path: Path) -> None:
    """E1: the topic refuses publications: the message is not committed, and so not on its output queue."""
    serving.qm.mqsc("DEFINE QLOCAL(ASIDE)\nALTER QLOCAL(IN) BOQNAME(ASIDE)")
    serving.qm.mqsc("DEFINE TOPIC(MON) TOPICSTR('$SYS/Broker/BRK/Monitoring') PUB(DISABLED)")
    settings = {"monitoring.active": "true", "monitoring.sources": '{"Out.terminal.in": true}'}
    with Run(serving, flows.computed(tmp_path / "app", ESQL), settings) as run:
        serving.qm.queue("IN").put("<a/>", persistent=True)
        assert serving.qm.queue("ASIDE").get(wait=PATIENCE).data == b"<a/>"
        assert "BIP2627W" in run.said.getvalue()
        assert serving.qm.queue("OUT").get_or_none() is None


def test_a_wrong_profile_is_logged_and_the_flow_runs(serving: Serving, tmp_path: Path) -> None:
    settings = {"monitoring.active": "true", "monitoring.profile": "<x/>"}
    with Run(serving, flows.computed(tmp_path / "app", ESQL), settings) as run:
        serving.qm.queue("IN").put("<a/>")
        assert serving.qm.queue("OUT").get(wait=PATIENCE).data == b"<a/>"
        assert "BIP3913W" in run.said.getvalue()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no xml", "no XML"),
        ("<x/>", "root"),
        ("<monitoringProfile><eventSource/></monitoringProfile>", "without eventSourceAddress"),
        (PROFILE.replace("independent", "sometimes"), "unitOfWork"),
        (PROFILE.replace("HexBinary", "rot13"), "encoding"),
        (PROFILE.replace("$Body/a/id &gt; 1", "$Body//["), "XPath"),
        (PROFILE.replace("$Body/a/id &gt; 1", "$Elsewhere"), "Elsewhere"),
    ],
)
def test_a_wrong_profile_says_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(BadProfile, match=said.replace("$", ".")):
        read_profile(text)


def test_a_profile_that_is_written_reads_as_it_was(tmp_path: Path) -> None:
    """`mqsireportflowmonitoring -x`: the events of a flow as a profile."""
    sources = read_profile(PROFILE)
    again = read_profile(profile_text(sources))
    assert [(each.address, each.enabled, each.name, each.unit, each.bitstream) for each in again] == [
        (each.address, each.enabled, each.name, each.unit, each.bitstream) for each in sources
    ]
    flow = load(flows.computed(tmp_path / "app", ESQL)).flow("Work").runtime
    assert {"In.transaction.Start", "In.terminal.out", "Work.terminal.in", "Out.terminal.failure"} <= set(
        addresses(flow)
    )


def test_events_in_a_flow_file_are_used_without_a_profile(tmp_path: Path) -> None:
    event = (
        '<monitorEvents eventSourceName="In.terminal.out"><eventXMLDoc><eventName literal="read"/>'
        '<eventFilter dataLocation="$Body/a" isXPath="true"/>'
        '<bitStreamData encoding="HexBinary" bitstreamContent="all"/></eventXMLDoc></monitorEvents></nodes>'
    )
    given = flows.node("In", "ComIbmMQInput", 'queueName="IN"').replace("</nodes>", event)
    path = flows.write(tmp_path / "app", "Seen", given, flows.node("Out", "ComIbmMQOutput", 'queueName="OUT"'))
    (source,) = event_sources(load(path).flow("Seen").runtime)
    assert (source.address, source.name, source.bitstream, source.encoding) == (
        "In.terminal.out",
        "read",
        "all",
        "HexBinary",
    )
    assert source.filter is not None


def test_the_user_trace_has_a_line_for_each_node_and_no_message_data(serving: Serving, tmp_path: Path) -> None:
    with Run(serving, flows.computed(tmp_path / "app", ESQL), {"trace.level": "normal"}, str(tmp_path)) as run:
        serving.qm.queue("IN").put("<a>secret</a>", persistent=True)
        path = tmp_path / "BRK.default.userTrace.txt"
        until(lambda: path.exists() and "BIP11506I" in path.read_text())
    lines = path.read_text().splitlines()
    numbers = [line.split("BIP")[1].split(":")[0] for line in lines]
    assert numbers == ["2632I", "4124I", "3904I", "2539I", "4124I", "3904I", "4125I", "11506I"]
    assert "'Work.In' from IN; 13 bytes" in lines[0] and "here" in lines[3] and "UserTrace" in lines[0]
    assert "secret" not in path.read_text() and os.stat(path).st_mode & 0o077 == 0
    assert "BIP2539" not in run.said.getvalue()


def test_the_debug_trace_has_the_trees(serving: Serving, tmp_path: Path) -> None:
    with Run(serving, flows.computed(tmp_path / "app", ESQL), {"trace.level": "debug"}, str(tmp_path)):
        serving.qm.queue("IN").put("<a><bad/></a>", persistent=True)
        path = tmp_path / "BRK.default.userTrace.txt"
        until(lambda: path.exists() and "BIP11507W" in path.read_text())
    assert "MessageFormat" in path.read_text() and "BIP2230E" in path.read_text()
