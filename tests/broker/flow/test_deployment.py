"""Deployment descriptors and override files."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.flow.deployment import (
    ConfigurableProperty,
    DeployedFlow,
    Deployment,
    Override,
    add,
    apply,
    read_deployment,
    read_overrides,
    render,
    write_deployment,
)
from flintmq.broker.flow.model import FlowFileError
from flintmq.broker.flow.xmi import canonical

BROKER_XML = b"""<?xml version="1.0" encoding="UTF-8"?>
<!-- made by hand -->
<Broker>
  <CompiledApplication><ConfigurableProperty uri="startMode"/></CompiledApplication>
  <CompiledMessageFlow name="shop.Orders" novelty="kept">
    <ConfigurableProperty uri="shop.Orders#additionalInstances"/>
    <ConfigurableProperty override="TEST.IN" uri="shop.Orders#Get order.queueName"/>
    <ConfigurableProperty override="" uri="shop.Orders#Get = order.topicProperty"/>
  </CompiledMessageFlow>
  <CompiledMessageFlow name="shop.Audit" type="subflow">
    <ConfigurableProperty override="TEST.IN" uri="shop.Audit#queue"/>
  </CompiledMessageFlow>
</Broker>"""


def change(text: str) -> tuple[Deployment, int]:
    deployment = read_deployment(BROKER_XML)
    return deployment, apply(deployment, Override(text, 1))


def test_no_override_and_an_empty_override_are_different() -> None:
    deployment = read_deployment(BROKER_XML)
    assert deployment.overrides() == {
        "shop.Orders#Get order.queueName": "TEST.IN",
        "shop.Orders#Get = order.topicProperty": "",
        "shop.Audit#queue": "TEST.IN",
    }
    assert [(flow.name, flow.type) for flow in deployment.flows] == [("shop.Orders", ""), ("shop.Audit", "subflow")]
    assert [each.uri for each in deployment.application] == ["startMode"]


def test_writing_without_a_change_gives_the_same_document() -> None:
    assert canonical(write_deployment(read_deployment(BROKER_XML))) == canonical(BROKER_XML)


def test_a_change_touches_only_its_override() -> None:
    deployment, _ = change("shop.Orders#additionalInstances=5")
    expected = BROKER_XML.replace(b'additionalInstances"/>', b'additionalInstances" override="5"/>')
    assert canonical(write_deployment(deployment)) == canonical(expected)


@pytest.mark.parametrize(
    ("line", "uri", "value"),
    [
        ("shop.Orders#Get order.queueName=PROD", "shop.Orders#Get order.queueName", "PROD"),
        ("shop.Orders#Get order.queueName = a=b ", "shop.Orders#Get order.queueName", " a=b "),
        ("shop.Orders#Get order.queueName=", "shop.Orders#Get order.queueName", ""),
        ("shop.Orders#Get order.queueName", "shop.Orders#Get order.queueName", None),
        ("shop.Orders#Get = order.topicProperty=T", "shop.Orders#Get = order.topicProperty", "T"),
        (r"shop.Orders#Get order.queueName=C:\new\x", "shop.Orders#Get order.queueName", r"C:\new\x"),
        ("startMode=manual", "startMode", "manual"),
    ],
)
def test_a_line_sets_or_removes_an_override(line: str, uri: str, value: str | None) -> None:
    deployment, count = change(line)
    assert count == 1
    assert deployment.overrides().get(uri) == value


def test_old_value_equals_new_value_replaces_it_everywhere() -> None:
    deployment, count = change("TEST.IN=PROD.IN")
    assert count == 2 and list(deployment.overrides().values()).count("PROD.IN") == 2


@pytest.mark.parametrize("line", ["shop.Orders#nothing=1", "UNKNOWN=1", "shop.Orders#nothing", "="])
def test_a_line_about_nothing_changes_nothing(line: str) -> None:
    deployment, count = change(line)
    assert count == 0 and deployment == read_deployment(BROKER_XML)


def test_a_property_can_be_added_to_a_flow_that_is_listed() -> None:
    deployment = read_deployment(BROKER_XML)
    assert add(deployment, "shop.Audit#Keep copy.queueName", "Q")
    assert not add(deployment, "shop.None#x", "Q") and not add(deployment, "startMode", "Q")
    assert read_deployment(write_deployment(deployment)) == deployment


def test_an_override_file_has_sections_comments_and_any_line_end() -> None:
    text = "\ufeff# comment\r\na#b=1\r\n\r\n[Shop]\r\n  c#d=2\n[Shop/Errors]\ne#f\n[*]\ng#h=3\n[.]\ni#j=4"
    assert [(each.text, each.line, each.scope) for each in read_overrides(text.encode())] == [
        ("a#b=1", 2, None),
        ("c#d=2", 5, ("Shop",)),
        ("e#f", 7, ("Shop", "Errors")),
        ("g#h=3", 9, None),
        ("i#j=4", 11, ()),
    ]


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(FlowFileError, match=r"over\.properties: is not UTF-8 text"):
        read_overrides(b"\xff\xfe\xfa", "over.properties")


@pytest.mark.parametrize("data", [b"", b"<Broker>", b"<Other/>", b"<!DOCTYPE Broker><Broker/>"])
def test_what_is_no_descriptor_is_refused_with_its_name(data: bytes) -> None:
    with pytest.raises(FlowFileError, match=r"x\.bar!META-INF/broker\.xml"):
        read_deployment(data, "x.bar!META-INF/broker.xml")


NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters="[]\r\n#", exclude_categories=("Cc", "Cs", "Zs")), min_size=1
)
VALUES = st.none() | st.text(max_size=20).filter(lambda text: text.isprintable() or "\n" in text)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(NAMES, VALUES, max_size=6))
def test_printing_and_applying_is_a_round_trip(values: dict[str, str | None]) -> None:
    flow = DeployedFlow("F", properties=[ConfigurableProperty(f"F#{name}", value) for name, value in values.items()])
    deployment = Deployment(flows=[flow])
    text = "".join(f"{line}\n" for line in render(deployment))
    changed = Deployment(
        flows=[DeployedFlow("F", properties=[ConfigurableProperty(f"F#{name}", "?") for name in values])]
    )
    for override in read_overrides(text.encode()):
        assert apply(changed, override) == 1
    assert changed == deployment
