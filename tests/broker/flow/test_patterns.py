"""Trace patterns and XPath over assemblies, with content that XML cannot say."""

from __future__ import annotations

from pathlib import Path

import pytest

from flintmq.broker import FlowFailed
from flintmq.broker.flow.nodes import mq
from flintmq.broker.flow.patterns import TracePattern, Xpath
from flintmq.broker.tree.assembly import Assembly
from flintmq.broker.tree.element import Element
from tests.broker.flow.flows import flow_of


def assembly(*fields: Element) -> Assembly:
    made = Assembly()
    data = made.message.add("JSON", None, 0x01000000)
    for each in fields:
        data.append(each)
    return made


@pytest.mark.parametrize("text", ["\uffff", "\ud800", "\x00\x1f", "a\x0bb"])
def test_xpath_sees_blanks_for_characters_that_xml_does_not_have(text: str) -> None:
    found = Xpath("$Root/JSON/a").text(assembly(Element("a", f"<{text}>")))

    assert found is not None and found.startswith("<") and found.endswith(">")


@pytest.mark.parametrize("name", ["²", "1", "-x", "a b", "", "٣x", "ªb", "a\ud800"])
def test_xpath_passes_over_names_that_xml_does_not_have(name: str) -> None:
    made = assembly(
        Element(name, 1), Element("b", 2), Element(name, 3, 0x03000100), Element("c", 4, namespace="no {uri}")
    )

    assert Xpath("$Root/JSON/b").text(made) == "2"


@pytest.mark.parametrize(
    "pattern", ["${Root.JSON.a + 1}", "${BrokerName}", "${EVAL('1 +')}", "${f(1)}", "${Root.*[0]}"]
)
def test_a_trace_shows_what_fails_and_never_fails_itself(pattern: str) -> None:
    try:
        made = TracePattern(f"before {pattern} after")
    except ValueError as error:
        assert str(error)
        return

    text = made.render(assembly(Element("a", "x")))

    assert text.startswith("before <BIP") and text.endswith(" after")


def test_an_error_of_ours_while_a_message_is_read_is_an_exception_of_the_flow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F5 holds for input nodes, too."""
    yaml = "nodes:\n  In: {type: MQInput, properties: {queueName: IN}}\n"

    def broken(*arguments: object, **options: object) -> Element:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr(mq, "parse_message", broken)

    with pytest.raises(FlowFailed) as raised:
        flow_of(tmp_path, yaml)(b"x")
    assert raised.value.root_cause().number == 2111
