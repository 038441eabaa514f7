"""Input queues with DEFREADA(YES): a flow does not read ahead, and so loses nothing when it stops."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from flintmq.broker.runtime.queue_session import QueueSession
from flintmq.client.remote.mqi import RemoteMQI
from tests.broker.runtime import flows
from tests.broker.runtime.desk import Desk
from tests.broker.runtime.test_late import counted
from tests.waiting import PATIENCE, until


@pytest.mark.parametrize("mode", ["yes", "no", "automatic"])
@pytest.mark.parametrize("persistent", [False, True])
def test_messages_keep_their_order_and_come_once(desk: Desk, tmp_path: Path, mode: str, persistent: bool) -> None:
    source, target = desk.queue("IN", defreada="YES"), desk.queue("OUT")
    desk.start(flows.pass_through(tmp_path / "app", transactionMode=mode), "Pass")
    for number in range(100):
        source.put(f"{number}", persistent=persistent)
    assert [target.get(wait=PATIENCE).text for _ in range(100)] == [f"{number}" for number in range(100)]
    until(lambda: source.depth == 0)
    assert target.depth == 0


@pytest.mark.parametrize("mode", ["no", "automatic"])
@pytest.mark.parametrize("persistent", [False, True])
def test_no_message_is_lost_when_a_flow_stops_and_starts_again(
    desk: Desk, tmp_path: Path, mode: str, persistent: bool
) -> None:
    """Messages that were sent ahead outside of a unit of work would end with the connection."""
    source, target = desk.queue("IN", defreada="YES"), desk.queue("OUT")
    for number in range(300):
        source.put(f"{number}", persistent=persistent)
    path = flows.pass_through(tmp_path / "app", transactionMode=mode)
    for _ in range(4):
        desk.start(path, "Pass")
        before = target.depth
        until(lambda before=before: target.depth > before or source.depth == 0)  # type: ignore[misc]
        desk.stop_workers()
    desk.start(path, "Pass")
    until(lambda: target.depth == 300)
    assert sorted(int(message.text) for message in target.messages()) == list(range(300))
    assert source.depth == 0


def test_the_next_message_comes_with_the_output_of_the_one_before(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Outside of units of work, too: put and get leave together. Read-ahead could save no exchange."""
    calls: Counter[str] = Counter()
    for name in ("run_chain", "cmit", "get", "put"):
        monkeypatch.setattr(RemoteMQI, name, counted(calls, name, getattr(RemoteMQI, name)))
    source, target = desk.queue("IN", defreada="YES"), desk.queue("OUT")
    for number in range(50):
        source.put(f"{number}")
    desk.start(flows.pass_through(tmp_path / "app", transactionMode="automatic"), "Pass")
    until(lambda: target.depth == 50)
    desk.stop_workers()
    assert calls["run_chain"] <= 52 and calls["cmit"] == 0 and calls["put"] <= 1 and calls["get"] <= 5


def test_an_input_queue_is_opened_without_read_ahead(desk: Desk) -> None:
    desk.queue("AHEAD", defreada="YES")
    session = QueueSession(desk.serving.connect())
    assert not session.open_input("AHEAD").handle.ability
    session.close()
