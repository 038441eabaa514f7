"""Flow statistics: counted in workers, merged, published, written; BA 1.2 has the names."""

from __future__ import annotations

import csv
import io
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from flintmq.broker.runtime.foreground import Foreground
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.statistics.settings import METRICS_PORT, SETTING, BadSetting, StatisticsSettings, of_options
from flintmq.telemetry import smf117
from tests.broker.runtime import flows
from tests.client.remote.serving import CHANNEL, Serving
from tests.waiting import PATIENCE, until

ESQL = """
CREATE COMPUTE MODULE Work
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot = InputRoot;
    SET Environment.Broker.Accounting.Origin = InputRoot.XMLNSC.a.who;
    IF InputRoot.XMLNSC.a.bad IS NOT NULL THEN
      THROW USER EXCEPTION VALUES ('bad');
    END IF;
    RETURN TRUE;
  END;
END MODULE;
"""


@pytest.fixture
def serving() -> Iterator[Serving]:
    made = Serving()
    made.qm.queue("SYSTEM.BROKER.STATE.DEFAULT", create=True)
    yield made
    made.close()


def broker(serving: Serving, path: Path, *options: str, workers: int = 1, directory: str = "") -> Foreground:
    return Foreground(
        path,
        "QM1",
        {"channel": CHANNEL, "conn": serving.conn},
        name="BRK",
        http_port=-1,
        workers=workers,
        settings={"": {SETTING: of_options(list(options), snapshot_s=600).text()}},
        directory=directory,
        log=BrokerLog("BRK", stream=io.StringIO()),
    )


def collect(made: Foreground, *streams: str) -> None:
    assert made.group is not None and made.group.statistics.collector is not None
    made.group.statistics.collector.collect(streams)


def send(serving: Serving, bodies: list[str]) -> None:
    source, target = serving.qm.queue("IN"), serving.qm.queue("OUT")
    for body in bodies:
        source.put(body, persistent=True)
    for _ in bodies:
        target.get(wait=PATIENCE)


def published(serving: Serving, topic: str) -> bytes:
    with serving.qm.subscribe(topic) as subscription:
        return subscription.get(wait=PATIENCE).data


def test_a_record_has_flow_threads_nodes_and_terminals_that_add_up(serving: Serving, tmp_path: Path) -> None:
    """S1, S2: three messages through two workers are one record, and its nodes are its time."""
    for name in ("IN", "OUT"):
        serving.qm.queue(name, create=True)
    path = flows.computed(tmp_path / "app", ESQL)
    option = "nodes=advanced,threads=basic,output=json+xml+smf+csv"
    made = broker(serving, path, f"snapshot:{option}", workers=1, directory=str(tmp_path / "files"))
    assert made.start()
    try:
        send(serving, ["<a>1</a>", "<a>22</a>", "<a>333</a>"])
        # A message counts when its commit has been answered, which is after the test gets it.
        time.sleep(0.3)
        collect(made, "SnapShot")
        data = published(serving, "$SYS/Broker/BRK/Statistics/JSON/SnapShot/default/#")
        xml = published(serving, "$SYS/Broker/BRK/StatisticsAccounting/SnapShot/default/Work")
    finally:
        made.stop()
    record = json.loads(data)["WMQIStatisticsAccounting"]
    flow = record["MessageFlow"]
    assert (record["RecordType"], record["RecordCode"]) == ("SnapShot", "SnapShot")
    assert (flow["BrokerLabel"], flow["ExecutionGroupName"], flow["MessageFlowName"]) == ("BRK", "default", "Work")
    assert (flow["TotalInputMessages"], flow["TotalNumberOfCommits"], flow["TotalNumberOfBackouts"]) == (3, 3, 0)
    assert (flow["TotalSizeOfInputMessages"], flow["MinimumSizeOfInputMessages"]) == (27, 8)
    assert flow["MaximumSizeOfInputMessages"] == 10 and flow["AccountingOrigin"] == "Anonymous"
    assert 0 < flow["MinimumElapsedTime"] <= flow["MaximumElapsedTime"] < flow["TotalElapsedTime"]
    assert 0 < flow["TotalCPUTime"] <= flow["TotalElapsedTime"] and flow["ElapsedTimeWaitingForInputMessage"] > 0
    assert set(smf117_names(smf117.IMFL)) <= set(flow)
    nodes = {node["Label"]: node for node in record["Nodes"]}
    assert [(node["Label"], node["Type"]) for node in record["Nodes"]] == [
        ("In", "MQInputNode"),
        ("Work", "ComputeNode"),
        ("Out", "MQOutputNode"),
    ]
    assert {node["CountOfInvocations"] for node in record["Nodes"]} == {3}
    for name in ("TotalElapsedTime", "TotalCPUTime"):
        assert abs(sum(node[name] for node in record["Nodes"]) - flow[name]) <= len(nodes)
    used = {(each["Label"], each["Type"]): each["CountOfInvocations"] for each in nodes["Work"]["TerminalStatistics"]}
    assert used["in", "Input"] == used["out", "Output"] == 3 and used["failure", "Output"] == 0
    assert sum(thread["TotalNumberOfInputMessages"] for thread in record["Threads"]) == 3
    check_files(record, xml, tmp_path / "files")


def smf117_names(kind: Any) -> list[str]:
    return [item.title for item in kind.shown]


def check_files(record: dict[str, Any], xml: bytes, directory: Path) -> None:
    """The XML, the dump and the CSV files say the same as the JSON."""
    root = etree.fromstring(xml)
    assert root.tag == "WMQIStatisticsAccounting" and root.get("RecordCode") == "SnapShot"
    assert dict(root.find("MessageFlow").attrib) == {name: str(value) for name, value in record["MessageFlow"].items()}
    assert [each.get("Label") for each in root.iter("NodeStatistics")] == [node["Label"] for node in record["Nodes"]]
    first, *rest = smf117.decode_all((directory / "statistics.smf").read_bytes())
    assert first == record
    assert [each["RecordCode"] for each in rest] == ["Shutdown"]
    with open(directory / "SnapShot-flows.csv", newline="") as file:
        row = next(csv.DictReader(file))
    assert {name: row[name] for name in ("MessageFlowName", "TotalInputMessages")} == {
        "MessageFlowName": "Work",
        "TotalInputMessages": "3",
    }


def test_origins_partition_a_flow_and_errors_are_counted(serving: Serving, tmp_path: Path) -> None:
    """`Environment.Broker.Accounting.Origin` with -b basic; a message that fails is an error and a backout."""
    serving.qm.queue("IN", create=True, bothresh=1, boqname="OUT")
    serving.qm.queue("OUT", create=True)
    made = broker(serving, flows.computed(tmp_path / "app", ESQL), "archive:origin=basic")
    assert made.start()
    try:
        send(serving, ["<a><who>red</who></a>", "<a><who>blue</who></a>", "<a><who>red</who></a>"])
        send(serving, ["<a><bad/></a>"])
        time.sleep(0.3)
        got: list[dict[str, Any]] = []
        with serving.qm.subscribe("$SYS/Broker/BRK/Statistics/JSON/Archive/#") as subscription:
            collect(made, "Archive")
            for _ in range(3):
                got.append(json.loads(subscription.get(wait=PATIENCE).data)["WMQIStatisticsAccounting"])
    finally:
        made.stop()
    flow = {record["MessageFlow"]["AccountingOrigin"]: record["MessageFlow"] for record in got}
    assert {name: each["TotalInputMessages"] for name, each in flow.items()} == {"red": 2, "blue": 1, "Anonymous": 2}
    # The second delivery of the bad message went to the backout queue: that is a commit.
    assert (flow["Anonymous"]["TotalNumberOfBackouts"], flow["Anonymous"]["TotalNumberOfCommits"]) == (1, 1)
    assert flow["Anonymous"]["TotalNumberOfMessagesWithErrors"] == 2
    assert {record["RecordCode"] for record in got} == {"Major"} and got[0]["Nodes"] == got[0]["Threads"] == []


def test_workers_are_merged_and_settings_change_while_flows_run(serving: Serving, tmp_path: Path) -> None:
    """One record for a flow in two workers; a change ends the interval as StatsSettingsModified."""
    for name in ("IN", "OUT"):
        serving.qm.queue(name, create=True)
    path = flows.pass_through(tmp_path / "app")
    overrides = {"Pass#additionalInstances": "1"}
    made = broker(serving, path, "snapshot:threads=basic", workers=2)
    made.overrides = made.base.sources[0]["overrides"] = overrides
    assert made.start()
    try:
        group = made.group
        assert group is not None and len(group.workers) == 2
        send(serving, [str(number) for number in range(40)])
        time.sleep(0.3)
        with serving.qm.subscribe("$SYS/Broker/BRK/Statistics/JSON/SnapShot/#") as subscription:
            changed = of_options(["snapshot:nodes=basic"], snapshot_s=0.2)
            group.assign(
                _with_settings(group.base, changed),
                group.placements,
            )
            first = json.loads(subscription.get(wait=PATIENCE).data)["WMQIStatisticsAccounting"]
            second = json.loads(subscription.get(wait=PATIENCE).data)["WMQIStatisticsAccounting"]
    finally:
        made.stop()
    assert first["RecordCode"] == "StatsSettingsModified" and first["Nodes"] == []
    assert first["MessageFlow"]["TotalInputMessages"] == 40 and first["MessageFlow"]["NumberOfThreadsInPool"] == 2
    assert [thread["Number"] for thread in first["Threads"]] == [1, 2]
    assert sum(thread["TotalNumberOfInputMessages"] for thread in first["Threads"]) == 40
    assert second["RecordCode"] == "SnapShot" and second["MessageFlow"]["TotalInputMessages"] == 0
    assert [node["CountOfInvocations"] for node in second["Nodes"]] == [0, 0] and second["Threads"] == []


def _with_settings(base: Any, statistics: StatisticsSettings) -> Any:
    return replace(base, settings={"": {SETTING: statistics.text()}})


def test_an_output_that_fails_is_logged_once_and_flows_go_on(serving: Serving, tmp_path: Path) -> None:
    """S3: without a directory there is no CSV; messages pass all the same."""
    for name in ("IN", "OUT"):
        serving.qm.queue(name, create=True)
    made = broker(serving, flows.pass_through(tmp_path / "app"), "snapshot:output=csv")
    said = io.StringIO()
    made.log.stream = said
    assert made.start()
    try:
        for _ in range(2):
            send(serving, ["x"])
            collect(made, "SnapShot")
    finally:
        made.stop()
    assert said.getvalue().count("BIP2880W") == 1 and "no directory" in said.getvalue()


def test_rules_keep_options_that_a_change_does_not_name() -> None:
    settings = StatisticsSettings()
    settings.change("Archive", active=True, nodes="basic")
    settings.change("Archive", "", "Special", nodes="advanced")
    settings.change("Archive", threads=True)
    rule, special = settings.rule("Archive", "App", "Other"), settings.rule("Archive", "App", "Special")
    assert (rule.active, rule.nodes, rule.threads) == (True, "basic", True)
    assert (special.active, special.nodes, special.threads) == (True, "advanced", True)
    assert settings.level("App", "Special").nodes == "advanced" and not settings.rule("SnapShot", "", "Other").active
    assert StatisticsSettings.unpacked(settings.packed()) == settings


@pytest.mark.parametrize(
    "text",
    ["hourly", "snapshot:nodes=all", "snapshot:output=", "snapshot:output=tape", "archive:threads=7", "archive:x=1"],
)
def test_a_wrong_option_is_refused_by_name(text: str) -> None:
    with pytest.raises(BadSetting):
        of_options([text])


def test_metrics_are_served_and_count_nodes_without_a_stream(serving: Serving, tmp_path: Path) -> None:
    """Prometheus: a scrape asks the workers; OpenMetrics text with a counter per flow and node."""
    for name in ("IN", "OUT"):
        serving.qm.queue(name, create=True)
    made = broker(serving, flows.pass_through(tmp_path / "app"))
    made.base.settings[""] = {METRICS_PORT: "0"}
    assert made.start()
    try:
        assert made.group is not None and made.group.statistics.exporter is not None
        port = made.group.statistics.exporter.port
        send(serving, ["one", "two"])
        labels = '{broker="BRK",group="default",application="app",flow="Pass"'

        def metrics() -> str:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE) as answer:
                return str(answer.read(), "utf-8")

        until(lambda: f"flintmq_flow_messages_total{labels}}} 2" in metrics())
        text = metrics()
        assert f'flintmq_flow_node_invocations_total{labels},node="Out"}} 2' in text
        assert f"flintmq_flow_commits_total{labels}}} " in text and text.endswith("# EOF\n")
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/other", timeout=PATIENCE)
    finally:
        made.stop()
