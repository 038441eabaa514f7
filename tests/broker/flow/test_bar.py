"""BAR files: containers, overrides that resolve, and the way read -> edit -> apply."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.flow.archive import Budget
from flintmq.broker.flow.bar import Bar, read_bar
from flintmq.broker.flow.deployment import read_overrides
from flintmq.broker.flow.descriptors import Kind
from flintmq.broker.flow.model import FlowFileError
from flintmq.broker.flow.project import override_bar, project_of_bar
from tests.broker.flow.sample_projects import bar_bytes, zip_of


def change(bar: Bar, text: str, *scope: str) -> list[str]:
    return [note.reason for note in override_bar(bar, read_overrides(text.encode()), scope)]


def values(bar: Bar) -> dict[str, str]:
    found: dict[str, str] = {}
    for container in bar.containers():
        if container.deployment is not None:
            found.update(container.deployment.overrides())
    return found


def test_containers_are_found_at_every_level_with_their_descriptors() -> None:
    bar = read_bar(bar_bytes(), "orders.bar")
    assert [(each.path, each.kind, each.deployment is not None) for each in bar.containers()] == [
        ((), Kind.PLAIN, False),
        (("Shop",), Kind.APPLICATION, True),
        (("Shop", "Common"), Kind.STATIC_LIBRARY, True),
    ]
    assert bar.notes == []


def test_the_flows_of_a_bar_resolve_with_its_overrides() -> None:
    project = project_of_bar(read_bar(bar_bytes(), "orders.bar"))
    assert project.all_notes() == [] and project.check_overrides() == []
    application, flow = project.flow("shop.Orders")
    assert application.name == "Shop" and [text.schema for text in application.esql] == ["shop"]
    resolved = project.resolve(flow)
    queues = {each.labels: each.properties["queueName"] for each in resolved.nodes() if "queueName" in each.properties}
    assert queues == {
        ("Get order",): "TEST.IN",
        ("Audit", "Keep copy"): "TEST.AUDIT",
        ("Put order",): "ORDERS.OUT",
    }
    assert resolved.settings["additionalInstances"] == "2"


def test_policies_of_a_bar_belong_to_their_folder() -> None:
    project = project_of_bar(read_bar(bar_bytes(), "orders.bar"))
    policy = project.policy("{Policies}:Prod")
    assert policy is not None and policy.properties == {"queueManager": "QM1", "port": ""}
    assert project.policy("Prod") is policy and project.policy("{Other}:Prod") is None


def test_reading_prints_an_override_file_with_sections() -> None:
    lines = read_bar(bar_bytes(), "orders.bar").render().splitlines()
    assert lines[:4] == [
        "[Shop]",
        "startMode",
        "shop.Orders#additionalInstances=2",
        "shop.Orders#inQueue=TEST.IN",
    ]
    assert lines[-2:] == ["[Shop/Common]", "shop.Audit#Keep copy.queueName=TEST.AUDIT"]


def test_what_was_read_can_be_applied_again_and_changes_nothing() -> None:
    data = bar_bytes()
    bar = read_bar(data, "orders.bar")
    assert change(bar, bar.render()) == []
    assert bar.write() is bar.root.archive.data == data


def test_overrides_make_another_bar_and_the_first_one_stays() -> None:
    data = bar_bytes()
    bar = read_bar(data, "orders.bar")
    text = (
        "[Shop]\nshop.Orders#inQueue=PROD.IN\nshop.Orders#additionalInstances\n[Shop/Common]\nTEST.AUDIT=PROD.AUDIT\n"
    )
    assert change(bar, text) == []
    again = read_bar(bar.write(), "production.bar")
    assert values(again) == {"shop.Orders#inQueue": "PROD.IN", "shop.Audit#Keep copy.queueName": "PROD.AUDIT"}
    assert values(read_bar(data, "orders.bar"))["shop.Orders#inQueue"] == "TEST.IN"
    for before, after in zip(bar.containers(), again.containers(), strict=True):
        assert list(before.archive.members) == list(after.archive.members)
        for name in before.archive.members:
            if not name.endswith(("zip", "broker.xml")):
                assert before.archive.read(name) == after.archive.read(name)


def test_a_scope_limits_overrides_to_an_application_or_library() -> None:
    bar = read_bar(bar_bytes(), "orders.bar")
    assert len(change(bar, "shop.Orders#inQueue=X", "Shop", "Common")) == 1
    assert change(bar, "shop.Orders#inQueue=X\nshop.Audit#Keep copy.queueName=Y", "Shop") == []
    assert values(bar)["shop.Audit#Keep copy.queueName"] == "Y"


def test_a_property_that_the_descriptor_leaves_out_can_be_set_if_the_node_is_there() -> None:
    bar = read_bar(bar_bytes(), "orders.bar")
    assert change(bar, "shop.Orders#Put order.persistenceMode=yes") == []
    project = project_of_bar(read_bar(bar.write(), "new.bar"))
    put = project.resolve(project.flow("Orders")[1]).find("Put order")
    assert put is not None and put.properties["persistenceMode"] == "yes"
    assert len(change(bar, "shop.Orders#No such node.persistenceMode=yes")) == 1


@pytest.mark.parametrize("line", ["shop.Nothing#x=1", "shop.Orders#x=1", "OLD=NEW", "nonsense"])
def test_a_line_that_addresses_nothing_is_a_note_with_its_text(line: str) -> None:
    (reason,) = change(read_bar(bar_bytes(), "orders.bar"), line)
    assert line in reason


def test_an_override_that_addresses_nothing_is_found() -> None:
    bar = read_bar(bar_bytes(), "orders.bar")
    shop = bar.container("Shop")
    assert shop is not None and shop.deployment is not None
    shop.deployment.flows[0].properties[0].uri = "shop.Orders#Gone.queueName"
    (note,) = project_of_bar(bar).check_overrides()
    assert "shop.Orders#Gone.queueName = 2" in note.reason and "orders.bar!Shop.appzip!" in note.file


def test_a_damaged_container_or_descriptor_is_a_note_and_the_rest_is_read() -> None:
    data = bar_bytes(**{"Bad.appzip": b"no zip", "Odd.appzip": zip_of({"META-INF/broker.xml": b"<x/>"})})
    bar = read_bar(data, "orders.bar")
    reasons = {note.file: note.reason for note in bar.notes}
    assert "is no zip archive" in reasons["orders.bar!Bad.appzip"]
    assert "not Broker" in reasons["orders.bar!Odd.appzip!META-INF/broker.xml"]
    assert project_of_bar(bar).flow("Orders")[1].name == "Orders"


def test_a_file_that_is_no_bar_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.bar"
    file.write_bytes(b"text")
    for path in (file, tmp_path / "none.bar"):
        with pytest.raises(FlowFileError, match=str(path)):
            read_bar(path)


def test_limits_hold_for_everything_inside() -> None:
    with pytest.raises(FlowFileError, match="members; the limit is 2"):
        read_bar(bar_bytes(), "orders.bar", Budget(entries=2))
    bar = read_bar(bar_bytes(), "orders.bar", Budget(depth=1))
    assert ["nested more than 1 deep" in note.reason for note in bar.notes] == [True]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_damaged_bar_is_read_or_refused_but_never_a_crash(data: st.DataObject) -> None:
    content = bytearray(bar_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        project = project_of_bar(read_bar(bytes(content), "x.bar"))
    except FlowFileError:
        return
    for _, flow in project.flows():
        project.resolve(flow)
