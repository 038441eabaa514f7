"""The message assembly, and exceptions as trees."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import KINDS, BrokerError
from flintmq.broker.tree.assembly import ENTRIES_MAX, Assembly, error_of, exception_list, new_root
from flintmq.broker.tree.element import ROOT_DOMAIN, Element, check_tree


def test_an_assembly_shares_the_environment_and_replaces_the_rest() -> None:
    """MF 1.1: one environment for the whole invocation."""
    first = Assembly()
    message = new_root()
    second = first.replace(message=message)
    assert second.message is message
    assert second.environment is first.environment
    assert second.local_environment is first.local_environment
    assert first.message is not message and first.message.domain == ROOT_DOMAIN


def test_the_body_is_the_last_child_but_never_properties() -> None:
    assembly = Assembly()
    assert assembly.body() is None
    properties = assembly.message.append(Element("Properties"))
    assert assembly.body() is None and assembly.properties() is properties
    body = assembly.message.append(Element("XMLNSC"))
    assert assembly.body() is body


def test_an_exception_list_is_a_chain_with_the_cause_as_last_child() -> None:
    cause = BrokerError(2450, "division by zero", inserts=("100 / 0", 7), kind="RecoverableException")
    outer = BrokerError(
        2230,
        "Node throwing exception",
        inserts=("Flow.Compute",),
        cause=cause,
        node_type="ComIbmComputeNode",
        node_name="Flow#FCMComposite_1_3",
        node_label="Flow.Compute",
        line=12,
        file="Flow.esql",
        function="Flow_Compute.Main",
    )
    root = exception_list(outer)
    check_tree(root)
    entry = root.last_child()
    assert entry is not None and entry.name == "RecoverableException"
    assert [child.name for child in entry.children()] == [
        "File",
        "Line",
        "Function",
        "Type",
        "Name",
        "Label",
        "Text",
        "Catalog",
        "Severity",
        "Number",
        "Insert",
        "RecoverableException",
    ]
    assert entry.get("Number") == 2230 and entry.get("Severity") == 3 and entry.get("Catalog") == "BIPmsgs"
    assert entry.get("Insert.Type") == 14 and entry.get("Insert.Text") == "Flow.Compute"
    last = entry.last_child()
    assert last is not None and last.get("Number") == 2450 and last.get("Label") == ""
    inserts = [child for child in last.children() if child.name == "Insert"]
    assert [(insert.get("Type"), insert.get("Text")) for insert in inserts] == [(5, "100 / 0"), (2, "7")]


texts = st.text(max_size=8)


@given(
    st.lists(
        st.tuples(st.integers(1, 9999), texts, st.sampled_from(KINDS), st.lists(texts | st.integers(), max_size=3)),
        min_size=1,
        max_size=5,
    )
)
@settings(max_examples=40, deadline=None)
def test_an_error_survives_the_way_through_a_tree(entries: list[tuple[int, str, str, list[object]]]) -> None:
    error: BrokerError | None = None
    for number, text, kind, inserts in entries:
        error = BrokerError(number, text, kind=kind, inserts=tuple(inserts), cause=error, line=number)
    assert error is not None
    again = error_of(exception_list(error))
    assert again is not None
    assert [_told(entry) for entry in again.chain()] == [_told(entry) for entry in error.chain()]


def _told(entry: BrokerError) -> tuple[object, ...]:
    return entry.number, entry.text, entry.kind, entry.inserts, entry.line, entry.severity, entry.catalog


def test_a_tree_that_esql_made_is_read_without_hurry_or_recursion() -> None:
    assert error_of(Element("ExceptionList")) is None
    root = Element("ExceptionList")
    at = root
    for _ in range(5000):
        at = at.add("Mine")
        at.add("Number", 3001)
    error = error_of(root)
    assert error is not None and error.number == 3001 and error.kind == "Mine"
    assert len(list(error.chain())) == ENTRIES_MAX
