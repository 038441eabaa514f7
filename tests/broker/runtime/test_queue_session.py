"""The queue manager as an instance sees it: how many output queues stay open."""

from __future__ import annotations

from pathlib import Path

from flintmq.broker.flow.services import Put
from flintmq.broker.runtime.queue_session import CACHE_SIZE, QueueSession
from flintmq.broker.tree.element import Element
from flintmq.mqi.md import MQMD
from tests.broker.runtime import flows
from tests.broker.runtime.desk import Desk
from tests.waiting import PATIENCE, until


def put(session: QueueSession, queue: str, text: str = "x") -> None:
    session.put(Put("Out", queue, "", MQMD(), text.encode(), Element("Root"), True))


def open_queues(desk: Desk, names: list[str]) -> list[str]:
    """The queues that something has open for output."""
    return [name for name in names if desk.qm.mqsc(f"DISPLAY QSTATUS({name}) OPPROCS").rows[0]["OPPROCS"]]


def test_the_queue_that_was_not_used_for_longest_is_closed_when_the_cache_is_full(desk: Desk) -> None:
    """B261: beyond its size each put closes a queue and opens another."""
    names = ["A", "B", "C"]
    queues = [desk.queue(name) for name in names]
    session = QueueSession(desk.serving.connect(), cache_size=2)
    put(session, "A")
    put(session, "B")
    put(session, "A")
    assert open_queues(desk, names) == ["A", "B"]
    put(session, "C")
    assert open_queues(desk, names) == ["A", "C"], "B was used before A"
    put(session, "B")
    session.commit()
    assert open_queues(desk, names) == ["B", "C"]
    assert [queue.depth for queue in queues] == [2, 2, 1], "a closed queue keeps what was put under syncpoint"
    session.close()


def test_thirty_queues_stay_open_by_default(desk: Desk) -> None:
    """B261."""
    assert CACHE_SIZE == 30
    names = [f"Q{number}" for number in range(CACHE_SIZE + 1)]
    for name in names:
        desk.queue(name)
    session = QueueSession(desk.serving.connect())
    for name in names:
        put(session, name)
    session.commit()
    assert open_queues(desk, names) == names[1:]
    session.close()


def test_a_flow_with_more_output_queues_than_its_cache_sends_each_message_once(desk: Desk, tmp_path: Path) -> None:
    """B261, with a destination list of three queues and a cache for one."""
    source = desk.queue("IN")
    queues = [desk.queue(name) for name in ("A", "B", "C")]
    esql = """CREATE COMPUTE MODULE Work
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot = InputRoot;
    SET OutputLocalEnvironment.Destination.MQ.DestinationData[1].queueName = 'A';
    SET OutputLocalEnvironment.Destination.MQ.DestinationData[2].queueName = 'B';
    SET OutputLocalEnvironment.Destination.MQ.DestinationData[3].queueName = 'C';
    RETURN TRUE;
  END;
END MODULE;
"""
    path = flows.computed(tmp_path / "app", esql)
    overrides = {"Work#Out.destinationMode": "list", "Work#Work.computeMode": "all"}
    worker = desk.start(path, "Work", overrides=overrides, cache_size=1)
    for number in range(5):
        source.put(f"<a>{number}</a>", persistent=True)
    until(lambda: source.depth == 0)
    for queue in queues:
        assert [queue.get(wait=PATIENCE).text for _ in range(5)] == [f"<a>{number}</a>" for number in range(5)]
        assert queue.depth == 0
    assert worker.instances[0].failures == 0
