"""Commands of statistics, monitoring events and user trace on a broker that runs; bad ones change nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.broker.admin.conftest import Desk
from tests.broker.runtime import flows
from tests.waiting import PATIENCE, until


@pytest.fixture(scope="module")
def deployed(desk: Desk, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    path = flows.pass_through(tmp_path_factory.mktemp("content") / "Shop")
    desk.do("deploy", group="default", path=str(path), clear=True)
    return desk


def test_statistics_are_switched_on_and_off_while_flows_run(deployed: Desk) -> None:
    text = deployed.do("report statistics", group="default", stream="SnapShot")
    assert "BIP8187I" in text and "On?: inactive" in text
    options = {"active": "active", "nodes": "basic", "threads": "basic", "outputs": "json,xml"}
    deployed.do("change statistics", group="default", stream="Archive", options=options)
    text = deployed.do("report statistics", group="default", stream="Archive", flow="Pass")
    assert "On?: active, ThreadDataLevel: basic, NodeDataLevel: basic, OutputFormat: json,xml" in text
    deployed.qm.queue("IN").put("x", persistent=True)
    deployed.qm.queue("OUT").get(wait=PATIENCE)
    with deployed.qm.subscribe("$SYS/Broker/BRK/Statistics/JSON/Archive/#") as records:
        deployed.do("change statistics", group="default", stream="Archive", options={}, reset=True)
        record = json.loads(records.get(wait=PATIENCE).data)["WMQIStatisticsAccounting"]
    assert record["RecordCode"] == "StatsSettingsModified" and len(record["Nodes"]) == 2
    deployed.do("change statistics", all_groups=True, stream="Archive", options={"active": "inactive"})
    assert "On?: inactive" in deployed.do("report statistics", group="default", stream="Archive")


def test_the_interval_of_the_archive_has_limits(deployed: Desk) -> None:
    deployed.do("change statistics interval", minutes=15)
    assert "every 15 minutes" in deployed.do("report statistics", group="default")
    assert deployed.ask("change statistics interval", minutes=0)[0] == 1


def test_events_are_emitted_after_the_command(deployed: Desk, tmp_path: Path) -> None:
    text = deployed.do("report monitoring", group="default", every=True)
    assert "State?: inactive" in text and "Event: 'In.transaction.Start'" in text
    with deployed.qm.subscribe("$SYS/Broker/BRK/Monitoring/default/Pass") as events:
        deployed.do(
            "change monitoring",
            group="default",
            flow="Pass",
            state="active",
            addresses=["Out.terminal.in"],
            switch="enable",
        )
        deployed.qm.queue("IN").put("x")
        assert b"Out.terminal.in" in events.get(wait=PATIENCE).data
    profile = tmp_path / "audit.xml"
    profile.write_text(deployed.do("report monitoring", group="default", flow="Pass", every=True, export=True))
    deployed.do("change monitoring", group="default", profile=str(profile))
    assert "ProfileName: 'audit.xml'" in deployed.do("report monitoring", group="default")
    deployed.do("change monitoring", group="default", state="inactive", no_profile=True)


def test_the_user_trace_follows_the_command(deployed: Desk) -> None:
    path = deployed.place.log.parent / "BRK.default.userTrace.txt"
    deployed.do("change trace", group="default", level="normal", reset=True)
    assert str(path) in deployed.do("report trace", group="default")
    deployed.qm.queue("IN").put("x")
    until(lambda: path.exists() and "BIP11506I" in path.read_text())
    deployed.do("change trace", group="default", level="none")
    assert "Trace level: none" in deployed.do("report trace", group="default")


@pytest.mark.parametrize(
    ("do", "fields"),
    [
        ("change statistics", {"stream": "Hourly", "options": {}}),
        ("change statistics", {"stream": "Archive", "options": {"nodes": "all"}}),
        ("change statistics", {"stream": "Archive", "options": {"outputs": "tape"}}),
        ("change statistics", {"stream": "Archive", "options": {"colour": "red"}}),
        ("change statistics", {"stream": "Archive", "options": {}, "flow": "Nowhere"}),
        ("change monitoring", {"addresses": ["In.terminal.nowhere"], "switch": "enable"}),
        ("change monitoring", {"profile": "/nowhere.xml"}),
        ("change monitoring", {"state": "sometimes"}),
        ("change trace", {"level": "loud"}),
        ("change trace", {"size": -1}),
    ],
)
def test_a_wrong_request_is_refused_and_changes_nothing(deployed: Desk, do: str, fields: dict[str, object]) -> None:
    """A1."""
    before = {name: deployed.repository.settings(name, "default") for name in ("statistics", "monitoring", "trace")}
    code, text = deployed.ask(do, group="default", **fields)
    assert code == 1 and text.startswith("BIP"), text
    assert before == {name: deployed.repository.settings(name, "default") for name in before}
