"""Property: whatever values attributes have, a dump gives them to another queue manager unchanged."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flintmq.catalogue.attribute import (
    ENUM,
    FLAG,
    INT,
    LIST,
    NAME,
    STRING,
    Attribute,
    Value,
    ValueRejected,
    check_value,
)
from flintmq.catalogue.attributes import ATTRIBUTES
from flintmq.command.dump import LAYOUTS, Dump, command, dump, parameter
from flintmq.command.execute import execute
from flintmq.command.interpreter import run_script
from flintmq.command.parser import parse
from flintmq.mqi.command_text import LINE_LENGTH_MAX, read_commands
from tests.command.conftest import CatalogueAdministration

NAMES = st.text("ABCabc019./_%", min_size=1, max_size=12)
#: What MQSC could trip over, more often than other characters.
TEXTS = st.text(
    st.one_of(st.sampled_from("'+-*;(), \"&"), st.characters(min_codepoint=32, exclude_categories=["Cs", "Cc"]))
)


def values(attribute: Attribute) -> st.SearchStrategy[Value]:
    """Any value that the attribute takes."""
    if attribute.kind in (ENUM, FLAG):
        return st.sampled_from(sorted(attribute.words))
    if attribute.kind == INT:
        numbers: st.SearchStrategy[Value] = st.integers(attribute.low, attribute.high)
        return st.one_of(numbers, st.sampled_from(sorted(attribute.words))) if attribute.words else numbers
    if attribute.kind == LIST:
        return st.lists(NAMES.map(lambda name: name[: attribute.length]), max_size=8)
    if attribute.kind == NAME:
        return st.one_of(st.just(""), NAMES.map(lambda name: name[: attribute.length]))
    assert attribute.kind == STRING
    return TEXTS.map(lambda text: text.encode()[: attribute.length].decode(errors="ignore").rstrip(" "))


def checked(attribute: Attribute, value: Value) -> Value | None:
    try:
        return check_value(attribute, value)
    except ValueRejected:
        return None


@st.composite
def changes(draw: st.DrawFn, kind: str) -> dict[str, Value]:
    """Values for some attributes of an object of `kind`."""
    settable = [each for each in ATTRIBUTES[kind] if not each.read_only and not each.secret]
    chosen = draw(st.lists(st.sampled_from(settable), unique_by=lambda each: each.keyword, max_size=8))
    result: dict[str, Value] = {}
    for attribute in chosen:
        value = checked(attribute, draw(values(attribute)))
        if value is not None:
            result[attribute.keyword] = value
    return result


KINDS = ["QLOCAL", "QALIAS", "QREMOTE", "QMODEL", "PROCESS", "NAMELIST", "TOPIC"]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    objects=st.lists(
        st.tuples(st.sampled_from(KINDS), NAMES).flatmap(
            lambda key: st.tuples(st.just(key[0]), st.just(key[1]), changes(key[0]))
        ),
        max_size=4,
        unique_by=lambda each: each[1],
    ),
    default=changes("QLOCAL"),
    q_mgr=changes("QMGR"),
    layout=st.sampled_from(LAYOUTS),
    everything=st.booleans(),
)
def test_a_dump_gives_another_queue_manager_the_same_definitions(
    objects: list[tuple[str, str, dict[str, Value]]],
    default: dict[str, Value],
    q_mgr: dict[str, Value],
    layout: str,
    everything: bool,
) -> None:
    first, second = CatalogueAdministration(), CatalogueAdministration()
    assert first.alter("QLOCAL", "SYSTEM.DEFAULT.LOCAL.QUEUE", default, False) == 0
    assert first.alter("QMGR", "QM1", q_mgr, False) == 0
    for kind, name, attributes in objects:
        topic = f"TOPICSTR('{name}')" if kind == "TOPIC" else ""
        assert not execute(f"DEFINE {kind}('{name}') {topic}", first).failed
        assert first.alter(kind, name, attributes, False) == 0
    what = Dump(everything=everything, layout=layout)
    lines = list(dump(first, what))
    assert all(len(line) <= LINE_LENGTH_MAX for line in lines)

    said: list[str] = []
    assert run_script(second, lines, said.append) == 0, said

    assert [line for line in dump(second, what) if line[0] != "*"] == [line for line in lines if line[0] != "*"]
    whole = Dump(everything=True)
    assert list(dump(second, whole)) == list(dump(first, whole))


@settings(max_examples=100, deadline=None)
@given(
    text=st.one_of(
        st.text("*'-+ ;x", min_size=1, max_size=40).map(lambda text: text * (5000 // len(text)) + "x"),
        st.tuples(st.integers(1900, 6500), st.sampled_from("*' +-")).map(lambda pair: pair[0] * pair[1] + "x"),
    ),
    layout=st.sampled_from(LAYOUTS),
)
def test_a_text_that_is_longer_than_a_line_is_cut_where_runmqsc_can_join_it(text: str, layout: str) -> None:
    attribute = Attribute("TOPICSTR", STRING, 0, "")
    lines = list(command(["DEFINE TOPIC('T')", parameter(attribute, text), "REPLACE"], layout))
    assert all(len(line) <= LINE_LENGTH_MAX for line in lines)
    commands = read_commands("\n".join(lines))
    assert len(commands) == 1
    parsed = parse(commands[0].text)
    assert parsed.parameters[0].texts == [text]
