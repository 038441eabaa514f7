"""Deferred outputs in flows that run: messages whose output is refused with the commit, limits, failures around it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.services import Put
from flintmq.broker.runtime import instance
from flintmq.broker.runtime.coordination import Coordinator
from flintmq.broker.runtime.late import KEPT_BYTES_MAX, KEPT_MAX
from flintmq.broker.runtime.queue_session import InputOptions, QueueSession
from flintmq.broker.tree.element import Element
from flintmq.client.remote.mqi import RemoteMQI
from flintmq.mqi.call_errors import MQError, NotConnected
from flintmq.mqi.md import MQMD
from tests.broker.runtime import flows
from tests.broker.runtime.desk import Desk
from tests.broker.runtime.test_worker import INSERTING
from tests.waiting import PATIENCE, until


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deliver again soon."""
    monkeypatch.setattr(instance, "PAUSE_S", 0.02)


def counted(calls: Counter[str], name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a call that is counted."""

    def made(*arguments: Any) -> Any:
        calls[name] += 1
        return call(*arguments)

    return made


@pytest.mark.parametrize("count", ["1", "10"])
def test_a_message_whose_deferred_output_is_refused_goes_to_the_backout_queue(
    desk: Desk, tmp_path: Path, count: str
) -> None:
    source, aside = desk.queue("IN", bothresh=2, boqname="BACK"), desk.queue("BACK")
    desk.queue("OUT", put="disabled")
    source.put("refused")
    worker = desk.start(flows.pass_through(tmp_path / "app"), "Pass", overrides={"Pass#commitCount": count})
    assert aside.get(wait=PATIENCE).text == "refused"
    until(lambda: source.depth == 0)
    assert worker.instances[0].failures == 3


def test_a_refused_output_in_a_batch_sends_no_other_message_aside(desk: Desk, tmp_path: Path) -> None:
    """BOTHRESH 1, and the fifth of ten messages is longer than its output queue allows."""
    source, aside = desk.queue("IN", bothresh=1, boqname="BACK"), desk.queue("BACK")
    target = desk.queue("OUT", maxmsgl=5)
    texts = ["too long" if number == 4 else f"{number}" for number in range(10)]
    for text in texts:
        source.put(text, persistent=True)
    desk.start(flows.pass_through(tmp_path / "app"), "Pass", overrides={"Pass#commitCount": "10"})
    assert aside.get(wait=PATIENCE).text == "too long"
    assert [target.get(wait=PATIENCE).text for _ in range(9)] == [text for text in texts if text != "too long"]
    assert source.depth == aside.depth == target.depth == 0


@pytest.mark.parametrize(
    ("count", "length", "deferred"),
    [(2 * KEPT_MAX + 8, 1, KEPT_MAX), (11, KEPT_BYTES_MAX // 4, 4)],
    ids=["many", "long"],
)
def test_no_more_outputs_are_deferred_than_the_limits_allow(desk: Desk, count: int, length: int, deferred: int) -> None:
    """One message may have any number of outputs; their order stays, and all of them are committed together."""
    out = desk.queue("OUT")
    session = QueueSession(desk.serving.connect())
    texts = [f"{number}".ljust(length) for number in range(count)]
    for text in texts:
        put = Put("Out", "OUT", "", MQMD(), text.encode(), Element("Root"), True)
        put.ends_flow = True
        session.put(put)
    assert count - deferred <= out.depth < count, "some wait for the commit, not too many"
    assert out.get_or_none() is None
    session.commit()
    assert [message.text for message in out.get_many(count)] == texts
    session.close()


@pytest.mark.parametrize("loses", [False, True], ids=["refused", "lost"])
@pytest.mark.parametrize("with_commit", [False, True])
def test_a_message_that_was_got_is_returned_or_backed_out_if_its_queue_cannot_be_asked(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, loses: bool, with_commit: bool
) -> None:
    """BOTHRESH is read again for a message with a BackoutCount. That must not leave it in the unit of another one."""
    queue = desk.queue("IN")
    queue.put("again")
    with desk.qm.connect() as other:
        other.queue("IN").get(syncpoint=True)
        other.backout()
    session = QueueSession(desk.serving.connect())
    source = session.source(session.open_input("IN"), "yes", InputOptions())

    def asked(*arguments: object) -> object:
        if loses:
            desk.serving.cut()
            raise NotConnected("lost", 2009)
        raise MQError("no", 2102)

    monkeypatch.setattr(session.mqi, "inq", asked)
    told: list[bool] = []
    try:
        got = session.commit_and_get(source, 0, lambda: told.append(True)) if with_commit else source.get(0)
    except NotConnected:
        assert loses and not with_commit, "the commit did not fail"
        got = None
    assert told == [True] * with_commit
    if loses:
        assert got is None and session.is_broken
        until(lambda: queue.depth == 1)
        assert queue.get(wait=PATIENCE).text == "again"
    else:
        assert got is not None and got[1] == b"again"
        session.commit()
        assert queue.depth == 0
    session.close()


@pytest.mark.parametrize("transactional", [True, False])
@pytest.mark.parametrize("ends", [True, False])
def test_a_put_to_a_queue_with_asynchronous_responses_is_waited_for(
    desk: Desk, transactional: bool, ends: bool
) -> None:
    """DEFPRESP(ASYNC) is for programs that can lose a message; a flow backs its message out."""
    desk.queue("OUT", maxdepth=1, defpresp="async").put("in the way")
    session = QueueSession(desk.serving.connect())
    put = Put("Out", "OUT", "", MQMD(), b"refused", Element("Root"), transactional)
    put.ends_flow = ends
    with pytest.raises((MQError, BrokerError), match="MQRC_Q_FULL"):
        session.put(put)
        session.commit()
    session.close()


def test_a_message_with_database_work_takes_two_exchanges(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its outputs; then, after the commit of the database, MQCMIT with the next get."""
    calls: Counter[str] = Counter()
    for name in ("run_chain", "cmit", "get"):
        monkeypatch.setattr(RemoteMQI, name, counted(calls, name, getattr(RemoteMQI, name)))
    source, target = desk.queue("IN"), desk.queue("OUT")
    file = tmp_path / "shop.db"
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE seen (id TEXT)")
    database.close()
    for number in range(20):
        source.put(f"<a>{number}</a>", persistent=True)
    path = flows.computed(tmp_path / "app", INSERTING, data_source="SHOP")
    desk.start(path, "Work", data_sources={"SHOP": {"url": f"sqlite:///{file}"}})
    until(lambda: target.depth == 20 and source.depth == 0)
    desk.stop_workers()
    assert calls["run_chain"] <= 2 * 20 + 2
    # One of the coordination queue at the start, and the first of the input queue; none for each message.
    assert calls["get"] <= 5 and calls["cmit"] <= 2
    with sqlite3.connect(file) as database:
        assert database.execute("SELECT count(*) FROM seen").fetchone() == (20,)
    database.close()


def test_a_commit_that_fails_after_that_of_the_database_repeats_the_message(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The documented window of a flow that is not coordinated; the connection breaks in it."""
    source, target = desk.queue("IN", bothresh=100), desk.queue("OUT")
    file = tmp_path / "shop.db"
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE seen (id TEXT)")
    database.close()
    original, lost = Coordinator.commit_before_queue_manager, [False]

    def committed(self: Coordinator) -> None:
        original(self)
        if not lost[0]:
            lost[0] = True
            desk.serving.cut()

    monkeypatch.setattr(Coordinator, "commit_before_queue_manager", committed)
    path = flows.computed(tmp_path / "app", INSERTING, data_source="SHOP")
    desk.start(path, "Work", data_sources={"SHOP": {"url": f"sqlite:///{file}"}})
    source.put("<a>1</a>", persistent=True)
    assert target.get(wait=PATIENCE).text == "<a>1</a>"
    until(lambda: source.depth == 0)
    desk.stop_workers()
    assert target.depth == 0
    with sqlite3.connect(file) as database:
        assert database.execute("SELECT id FROM seen").fetchall() == [("1",), ("1",)]
    database.close()
