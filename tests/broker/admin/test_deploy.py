"""Deployment to a broker that runs: real workers, messages under way, and everything that is refused."""

from __future__ import annotations

import json
import os
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.broker.admin import bars
from tests.broker.admin.conftest import Desk
from tests.broker.runtime import flows
from tests.waiting import PATIENCE, until


def deploy(desk: Desk, path: Path, **fields: Any) -> str:
    return desk.do("deploy", group="default", path=str(path), **fields)


def passes(desk: Desk, target: str, body: bytes = b"1") -> None:
    desk.qm.queue("IN").put(body)
    assert desk.qm.queue(target).get(wait=PATIENCE).data == body


def test_a_bar_runs_and_a_new_one_takes_its_place(desk: Desk, tmp_path: Path) -> None:
    text = deploy(desk, bars.pass_bar(tmp_path / "one.bar"), clear=True)
    assert "BIP1039I" in text and text.endswith("was successful.")
    passes(desk, "OUT")
    pids = [worker.pid for worker in desk.admin.running["default"].workers]
    deploy(desk, bars.pass_bar(tmp_path / "two.bar", "OTHER"))
    passes(desk, "OTHER")
    assert [worker.pid for worker in desk.admin.running["default"].workers] == pids
    listed = desk.do("list", recursive=True, detail=2)
    assert "BIP1275I: Application 'Shop'" in listed and "BIP1277I: Message flow 'Pass'" in listed
    assert "two.bar" in listed and "one.bar" not in listed and "waiting on IN" in listed
    assert len(list(desk.place.deployed.iterdir())) == 1


def test_overrides_change_what_is_deployed_and_not_the_file(desk: Desk, tmp_path: Path) -> None:
    path = bars.pass_bar(tmp_path / "one.bar")
    before = path.read_bytes()
    overrides = tmp_path / "test.properties"
    overrides.write_text("[Shop]\nPass#Out.queueName=OTHER\n")
    deploy(desk, path, clear=True, overrides=str(overrides))
    passes(desk, "OTHER")
    deploy(desk, flows.pass_through(tmp_path / "Shop"), lines=["Pass#Out.queueName=OTHER"], clear=True)
    passes(desk, "OTHER")
    assert path.read_bytes() == before


@pytest.mark.parametrize("busy", ["deploy", "property", "restart of a flow"])
def test_messages_under_way_are_finished_once_while_a_flow_changes(desk: Desk, tmp_path: Path, busy: str) -> None:
    """Nothing is lost or doubled, and each message has met one version of the flow."""
    paths = [bars.stamped(tmp_path / stamp / "Work", stamp) for stamp in ("a", "b")]
    deploy(desk, paths[0], clear=True)
    source, target = desk.qm.queue("IN"), desk.qm.queue("OUT")
    count, changes, restarts = 600, 6, desk.admin.running["default"].restarts
    ended = threading.Event()

    def put() -> None:
        for number in range(count):
            source.put(f"<m><n>{number}</n></m>", persistent=True)
            if number % 20 == 0:
                ended.wait(0.1)

    thread = threading.Thread(target=put)
    thread.start()
    for number in range(changes):
        if busy == "deploy":
            deploy(desk, paths[(number + 1) % 2])
        elif busy == "property":
            values = {"Region": "north" if number % 2 else "south"}
            desk.do("change properties", group="default", object="Work", values=values)
        else:
            desk.do("stop", group="default", application="Work", flow="Work")
            desk.do("start", group="default", application="Work", flow="Work")
    ended.set()
    thread.join(PATIENCE)
    got = [target.get(wait=PATIENCE).text for _ in range(count)]
    numbers = Counter(text.partition("<n>")[2].partition("</n>")[0] for text in got)
    assert numbers == Counter(str(number) for number in range(count))
    assert target.get_or_none() is None and source.depth == 0
    met = {text.partition("</n>")[2] for text in got}
    if busy == "deploy":
        assert {"<stamp>a</stamp>" in each for each in met} == {True, False}
    elif busy == "property":
        assert any("<region>north</region>" in each for each in met)
    assert desk.admin.running["default"].restarts == restarts


def broken(tmp_path: Path) -> dict[str, tuple[Path, str]]:
    """Return what must be refused, with what the message names."""
    files: dict[str, tuple[bytes, str]] = {
        "no archive": (b"no zip", "x.bar"),
        "empty": (bars.archive({}), "nothing to deploy"),
        "bad application": (bars.archive({"Shop.appzip": b"PK no"}), "Shop.appzip"),
        "bad flow": (bars.archive({"Shop.appzip": bars.archive({"F.msgflow": "<a><b></a>"})}), "F.msgflow"),
        "bad descriptor": (
            bars.archive({"Shop.appzip": bars.archive({"META-INF/broker.xml": "<x/>", "F.esql": ""})}),
            "broker.xml",
        ),
        "bad ESQL": (
            bars.archive({"Shop.appzip": bars.archive({"F.esql": "CREATE COMPUTE MODULE M\nSET = 1;"})}),
            "F.esql",
        ),
        "escape": (bars.archive({"../../F.msgflow": "<a/>"}), "x.bar"),
    }
    found: dict[str, tuple[Path, str]] = {}
    for name, (data, text) in files.items():
        path = tmp_path / name / "x.bar"
        path.parent.mkdir()
        path.write_bytes(data)
        found[name] = (path, text)
    found["not there"] = (tmp_path / "none.bar", "none.bar")
    found["no BAR"] = (tmp_path / "empty" / "x.bar").with_suffix(".txt"), "x.txt"
    found["no BAR"][0].write_text("hello")
    return found


def test_what_is_not_valid_is_refused_with_file_and_place_and_the_old_deployment_goes_on(
    desk: Desk, tmp_path: Path
) -> None:
    deploy(desk, bars.pass_bar(tmp_path / "good.bar"), clear=True)
    before = desk.repository.deployed("default"), sorted(desk.place.deployed.iterdir())
    instance = json.dumps(desk.admin.running["default"].status()[0]["instances"][0]["queue"])
    for name, (path, text) in broken(tmp_path).items():
        code, said = desk.ask("deploy", group="default", path=str(path), clear=True)
        assert code == 1 and "BIP2087E" in said and "BIP1093E" in said and text in said, (name, said)
        assert "Traceback" not in said
    good = str(tmp_path / "good.bar")
    for fields in (
        {"lines": ["Pass#Nowhere.queueName=X"]},
        {"lines": ["nonsense"]},
        {"application": "None", "lines": ["Pass#Out.queueName=X"]},
        {"overrides": str(tmp_path / "none.properties")},
    ):
        code, said = desk.ask("deploy", group="default", path=good, **fields)
        assert code == 1 and "BIP2087E" in said and "BIP1093E" in said, (fields, said)
    assert (desk.repository.deployed("default"), sorted(desk.place.deployed.iterdir())) == before
    assert instance == '"IN"'
    passes(desk, "OUT")


def test_a_flow_with_an_unknown_node_is_named_and_the_others_run(desk: Desk, tmp_path: Path) -> None:
    path = flows.pass_through(tmp_path / "Mixed")
    flows.write(
        path,
        "Strange",
        flows.node("In", "ComIbmMQInput", 'queueName="OTHER"'),
        flows.node("Odd", "ComIbmNoSuchNode", ""),
        [("In", "out", "Odd")],
    )
    text = deploy(desk, path, clear=True)
    assert "BIP2355W: Strange does not start" in text and "Odd" in text
    passes(desk, "OUT")
    listed = desk.do("list", group="default")
    assert "BIP1288I: Message flow 'Pass'" in listed and "BIP1289I: Message flow 'Strange'" in listed


def test_a_data_source_that_is_missing_is_named_at_deploy(desk: Desk, tmp_path: Path) -> None:
    esql = (
        "CREATE COMPUTE MODULE Work CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN\n"
        "SET OutputRoot = InputRoot;\n"
        "IF InputRoot.XMLNSC.o.id = '1' THEN DELETE FROM Database.SHOP.public.t; END IF; RETURN TRUE;\n"
        "END; END MODULE;\n"
    )
    path = flows.computed(tmp_path / "Selling", esql)
    text = deploy(desk, path, clear=True)
    assert "BIP2321W: Work: there is no data source 'SHOP'" in text
    text = deploy(desk, path, clear=True, lines=["Work#coordinatedTransaction=yes"])
    assert "BIP2355W: Work does not start: there is no data source 'SHOP'" in text and "BIP2321W" not in text
    source = {"url": f"sqlite:///{tmp_path / 'shop.db'}"}
    desk.do("change properties", object="DataSource/SHOP", values=source)
    try:
        assert "SHOP" not in deploy(desk, path, clear=True)
    finally:
        desk.do("change properties", object="DataSource/SHOP", values={}, delete=True)


def test_two_applications_are_deployed_and_removed_side_by_side(desk: Desk, tmp_path: Path) -> None:
    deploy(desk, bars.pass_bar(tmp_path / "one.bar", name="One"), clear=True)
    second = flows.pass_through(tmp_path / "Second", "Back", source="OTHER", target="IN")
    deploy(desk, second)
    (first, _) = desk.admin.running["default"].status()[0]["instances"]
    assert first["application"] == "One"
    desk.qm.queue("OTHER").put(b"1")
    assert desk.qm.queue("OUT").get(wait=PATIENCE).data == b"1"
    desk.do("undeploy", group="default", applications=["Second"])
    assert [each["flow"] for each in desk.admin.running["default"].status()[0]["instances"]] == ["Pass"]
    code, said = desk.ask("undeploy", group="default", applications=["One", "Second"])
    assert code == 1 and "BIP8022E" in said
    passes(desk, "OUT")


def test_a_policy_gives_instances_and_changes_them_live(desk: Desk, tmp_path: Path) -> None:
    members: dict[str, bytes | str] = {
        "Shop.appzip": bars.archive(
            {
                "Pass.msgflow": (flows.pass_through(tmp_path / "files") / "Pass.msgflow").read_bytes(),
                "META-INF/broker.xml": bars.descriptor("Pass", Pass__wlmPolicy="{Tuning}:Fast"),
            }
        ),
        "Tuning/Fast.policyxml": bars.POLICY.format(
            kind="WorkloadManagement", name="Fast", properties="<additionalInstances>2</additionalInstances>"
        ),
    }
    path = tmp_path / "one.bar"
    path.write_bytes(bars.archive(members))
    deploy(desk, path, clear=True)

    def instances() -> int:
        return sum(len(each["instances"]) for each in desk.admin.running["default"].status())

    assert instances() == 3
    desk.do("change properties", group="default", object="{Tuning}:Fast", values={"additionalInstances": "0"})
    assert instances() == 1
    shown = desk.do("report properties", group="default", object="{Tuning}:Fast")
    assert "additionalInstances='0'" in shown and "type='WorkloadManagement'" in shown
    passes(desk, "OUT")
    desk.do("change properties", group="default", object="{Tuning}:Fast", values={"additionalInstances": None})
    assert instances() == 3


def test_states_of_flows_applications_and_groups_are_kept(desk: Desk, tmp_path: Path) -> None:
    deploy(desk, bars.pass_bar(tmp_path / "one.bar"), clear=True)
    assert "BIP1152I" in desk.do("stop", group="default", application="Shop", flow="Pass")
    assert "BIP1278I" in desk.do("list", group="default", application="Shop")
    desk.qm.queue("IN").put(b"1")
    deploy(desk, bars.pass_bar(tmp_path / "two.bar", "OTHER"))
    assert desk.repository.flow_states("default") == {("Shop", "Pass"): "stopped"}
    assert desk.qm.queue("IN").depth == 1
    desk.do("start", group="default", flow="Pass")
    assert desk.qm.queue("OTHER").get(wait=PATIENCE).data == b"1"
    assert "BIP1154I" in desk.do("stop", group="default", application="Shop")
    assert "BIP1276I" in desk.do("list", group="default")
    desk.do("start", group="default", application="Shop")
    assert "BIP1156I" in desk.do("stop", all=True)
    assert "default" not in desk.admin.running and "BIP1287I" in desk.do("list")
    desk.do("start", group="default")
    passes(desk, "OTHER")


def test_manual_flows_wait_for_their_command(desk: Desk, tmp_path: Path) -> None:
    path = bars.pass_bar(tmp_path / "one.bar")
    deploy(desk, path, clear=True, lines=["Pass#startMode=manual"])
    assert desk.admin.running["default"].status()[0]["instances"] == []
    desk.do("start", group="default", flow="Pass")
    passes(desk, "OUT")


def test_a_worker_that_is_killed_starts_with_the_last_assignment(desk: Desk, tmp_path: Path) -> None:
    deploy(desk, bars.pass_bar(tmp_path / "one.bar"), clear=True)
    desk.do("change properties", group="default", object="Pass#Out", values={"queueName": "OTHER"})
    group = desk.admin.running["default"]
    before = group.restarts
    group.workers[0].process.kill()
    until(lambda: group.restarts == before + 1)
    passes(desk, "OTHER")


def test_what_is_no_regular_file_is_refused_at_once(desk: Desk, tmp_path: Path) -> None:
    """A pipe without a writer would hold up every other request of the broker."""
    pipe = tmp_path / "pipe.bar"
    os.mkfifo(pipe)
    code, text = desk.ask("deploy", group="default", path=str(pipe))
    assert code == 1 and "is no regular file" in text
    bar = bars.pass_bar(tmp_path / "one.bar")
    code, text = desk.ask("deploy", group="default", path=str(bar), overrides=str(pipe))
    assert code == 1 and "is no regular file" in text
    code, text = desk.ask("change monitoring", group="default", profile=str(pipe))
    assert code == 1 and "is no regular file" in text
