"""TimeoutControl and TimeoutNotification, with a clock that the test moves."""

from __future__ import annotations

from pathlib import Path

import pytest

from flintmq.broker import Flow, FlowFailed, FlowResult
from flintmq.broker.esql import clock
from flintmq.broker.values import parse_timestamp
from tests.broker.flow.flows import compute, flow_of

CONTROLLED = """
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: JSON}}
  Compute: {type: Compute, properties: {computeExpression: "esql://routine/#M.Main", computeMode: all}}
  Control: {type: TimeoutControl, properties: {uniqueIdentifier: T1}}
  Set: {type: MQOutput, properties: {queueName: SET}}
  Notify: {type: TimeoutNotification, properties: {uniqueIdentifier: T1, operationMode: controlled}}
  Show: {type: Compute, properties: {computeExpression: "esql://routine/#Show.Main"}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
  Failed: {type: MQOutput, properties: {queueName: FAILED}}
  Caught: {type: MQOutput, properties: {queueName: CAUGHT}}
wires:
  - {from: In.out, to: Compute.in}
  - {from: Compute.out, to: Control.in}
  - {from: Control.out, to: Set.in}
  - {from: Control.failure, to: Failed.in}
  - {from: Notify.out, to: Show.in}
  - {from: Show.out, to: Out.in}
"""
ESQL = compute(
    "M", "SET OutputRoot = InputRoot; SET OutputLocalEnvironment.TimeoutRequest = InputRoot.JSON.Data.r; RETURN TRUE;"
) + compute(
    "Show",
    """IF InputRoot.JSON.Data.bad THEN THROW USER EXCEPTION; END IF;
    SET OutputRoot.JSON.Data.x = InputRoot.JSON.Data.x;
    SET OutputRoot.JSON.Data.id = InputLocalEnvironment.TimeoutRequest.Identifier; RETURN TRUE;""",
)


@pytest.fixture
def flow(tmp_path: Path) -> Flow:
    """Return a flow that sets timers as its messages say, and one that is notified."""
    return flow_of(tmp_path, CONTROLLED, ESQL)


def request(**fields: object) -> dict[str, object]:
    """Return a message with a request."""
    return {"x": 5, "r": {"Action": "SET", "Identifier": "a", **fields}}


def notified(result: FlowResult) -> list[object]:
    """Return the identifiers of the notifications in a result."""
    return [message.tree.JSON.Data.id.value for message in result.out.get("OUT", [])]


def test_a_request_for_now_notifies_after_the_flow_has_returned(flow: Flow) -> None:
    result = flow(request(), trace=True)

    assert [message.queue for message in result.messages] == ["SET", "OUT"]
    assert result.out["OUT"][0].tree.JSON.Data.to_dict() == {"x": 5, "id": "a"}
    assert result.recorder.timeouts[0].name == "a"
    assert notified(flow.advance(1000)) == []


def test_a_request_repeats_at_its_interval_as_often_as_it_counts(flow: Flow) -> None:
    assert notified(flow(request(Interval=10, Count=3))) == ["a"]

    assert notified(flow.advance(9.9)) == []
    assert notified(flow.advance(0.2)) == ["a"]
    assert notified(flow.advance(100)) == ["a"]


def test_a_request_without_end_goes_on_until_it_is_cancelled(flow: Flow) -> None:
    flow(request(Interval=10, Count=-1))
    assert len(notified(flow.advance(50))) == 5

    result = flow({"r": {"Action": "CANCEL", "Identifier": "a"}})

    assert list(result.out) == ["SET"]
    assert notified(flow.advance(50)) == []


def at(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Let it be some time on 2026-01-02."""
    moment = clock.Clock(parse_timestamp(f"2026-01-02 {text}:00", True))
    monkeypatch.setattr(clock, "now", lambda: moment)


def test_start_date_and_time_say_when(flow: Flow, monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, "12:00")
    flow(request(StartTime="12:00:30"))
    flow(request(Identifier="b", StartDate="2026-01-03", StartTime="12:00:00"))

    assert notified(flow.advance(29)) == []
    assert notified(flow.advance(1)) == ["a"]
    assert notified(flow.advance(86_400)) == ["b"]


def test_notifications_that_are_over_are_skipped_or_come_at_once(flow: Flow, monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, "12:00")

    # Started at 11:59:35; due at :35, :45, :55 and 12:00:05.
    assert notified(flow(request(StartTime="11:59:35", Interval=10, Count=4))) == []
    assert notified(flow.advance(5)) == ["a"]
    assert notified(flow.advance(100)) == []
    missed = flow(request(StartTime="11:59:35", Interval=10, Count=2, IgnoreMissed="FALSE"))
    assert notified(missed) == ["a"]
    assert len(notified(flow.advance(100))) == 1


@pytest.mark.parametrize(
    ("fields", "number"),
    [
        ({"Action": "WAIT"}, 4606),
        ({"Identifier": None}, 4606),
        ({"Count": 0}, 4606),
        ({"Count": 5}, 4606),
        ({"Count": "many"}, 4606),
        ({"Interval": 1e300, "Count": 2}, 4606),
        ({"StartDate": "tomorrow"}, 4606),
        ({"StartTime": "25:00:00"}, 4606),
        ({"IgnoreMissed": "perhaps"}, 4606),
        ({"StartDate": "2020-01-01"}, 4609),
        ({"StartDate": "2020-01-01", "Interval": 1, "Count": 5}, 4609),
        ({"Action": "CANCEL", "Identifier": "none"}, 4607),
    ],
)
def test_a_request_that_is_not_valid_goes_to_failure(flow: Flow, fields: dict[str, object], number: int) -> None:
    result = flow(request(**fields), trace=True)

    assert list(result.out) == ["FAILED"]
    assert any(f"BIP{number}" in event.detail for event in result.events)


def test_a_message_without_a_request_goes_to_failure(flow: Flow) -> None:
    assert list(flow({"x": 1}).out) == ["FAILED"]


def test_a_request_may_be_replaced_unless_it_says_no(flow: Flow) -> None:
    flow(request(Interval=10, Count=2))
    flow(request(Interval=20, Count=2))
    refused = flow(request(Interval=5, Count=2, AllowOverwrite="FALSE"))

    assert list(refused.out) == ["FAILED"]
    assert notified(flow.advance(19)) == []
    assert notified(flow.advance(1)) == ["a"]


def test_what_fails_behind_a_notification_is_raised_or_caught(tmp_path: Path) -> None:
    plain = flow_of(tmp_path, CONTROLLED, ESQL)
    catching = flow_of(tmp_path / "2", CONTROLLED + "  - {from: Notify.catch, to: Caught.in}\n", ESQL)
    bad = {**request(), "bad": True}

    with pytest.raises(FlowFailed) as raised:
        plain(bad)
    # The request itself was a unit of work of its own.
    assert list(raised.value.result.out) == ["SET"]
    assert list(catching(bad).out) == ["SET", "CAUGHT"]


AUTOMATIC = """
nodes:
  Notify: {type: TimeoutNotification, properties: {uniqueIdentifier: T2, timeoutInterval: 10}}
  Compute: {type: Compute, properties: {computeExpression: "esql://routine/#M.Main"}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
wires:
  - {from: Notify.out, to: Compute.in}
  - {from: Compute.out, to: Out.in}
"""
TELL = compute(
    "M",
    """SET OutputRoot.JSON.Data.id = InputLocalEnvironment.TimeoutRequest.Identifier;
    SET OutputRoot.JSON.Data.children = CARDINALITY(InputRoot.*[]); RETURN TRUE;""",
)


def test_an_automatic_notification_comes_every_interval(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, AUTOMATIC, TELL)

    assert notified(flow.advance(9)) == []
    result = flow.advance(21)

    assert notified(result) == ["T2", "T2", "T2"]
    assert result.out["OUT"][0].tree.JSON.Data.children == 1


def test_an_automatic_notification_can_be_called(tmp_path: Path) -> None:
    assert notified(flow_of(tmp_path, AUTOMATIC, TELL)()) == ["T2"]


@pytest.mark.parametrize(
    ("properties", "reason"),
    [
        ("type: TimeoutNotification", "uniqueIdentifier is empty"),
        ("type: TimeoutControl, properties: {uniqueIdentifier: 1234567890123}", "longer than 12"),
        ("type: TimeoutNotification, properties: {uniqueIdentifier: a, timeoutInterval: 0}", "more than 0"),
        ("type: TimeoutControl, properties: {uniqueIdentifier: a, requestLocation: '$x ('}", "no path"),
    ],
)
def test_nodes_that_cannot_be_paired_are_a_problem(tmp_path: Path, properties: str, reason: str) -> None:
    assert reason in flow_of(tmp_path, f"nodes:\n  Node: {{{properties}}}\n").problems[0]
