"""The commands of a worker: the table, and hostile lines."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from flintmq.broker.runtime import commands
from flintmq.broker.runtime.group import ExecutionGroup, WorkerError
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.worker import Assignment, FlowAssignment, Worker
from tests.broker.runtime import flows
from tests.client.remote.serving import CHANNEL, Serving
from tests.waiting import PATIENCE


@pytest.fixture
def worker() -> Worker:
    return Worker(Assignment("BRK", "default", 3, "QM1", {}), BrokerLog("BRK", stream=io.StringIO()))


def test_a_command_is_answered_with_its_number(worker: Worker) -> None:
    answer = worker.obey({"do": "status", "number": 7})
    assert answer["answer"] == 7 and answer["result"]["instances"] == []


@pytest.mark.parametrize("request_", [None, 7, [], "status", {}, {"do": None}, {"do": ["status"]}, {"do": "x" * 99}])
def test_a_bad_command_is_answered_with_an_error(worker: Worker, request_: object) -> None:
    answer = worker.obey(request_)
    assert "error" in answer and "result" not in answer
    json.dumps(answer)


def test_a_command_that_fails_is_answered_and_logged(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(commands.COMMANDS, "broken", lambda worker, request: 1 // 0)
    assert "ZeroDivisionError" in worker.obey({"do": "broken", "number": 1})["error"]
    assert "BIP2111E" in worker.log.stream.getvalue()  # type: ignore[union-attr]


@pytest.fixture
def serving() -> Iterator[Serving]:
    made = Serving()
    yield made
    made.close()


def test_a_group_asks_its_workers(serving: Serving, tmp_path: Path) -> None:
    flows.pass_through(tmp_path / "app")
    options = {"channel": CHANNEL, "conn": serving.conn}
    serving.qm.queue("SYSTEM.BROKER.STATE.DEFAULT", create=True)
    base = Assignment("BRK", "default", 0, "QM1", options, [{"path": str(tmp_path / "app")}])
    group = ExecutionGroup(base, [[FlowAssignment("", "Pass")]], BrokerLog("BRK", stream=io.StringIO()))
    group.start()
    try:
        assert group.wait_ready(PATIENCE)
        (status,) = group.ask_all("status")
        assert status["pid"] == group.workers[0].pid
        with pytest.raises(WorkerError, match="no command 'nonsense'"):
            group.workers[0].ask("nonsense")
    finally:
        group.stop()
    with pytest.raises(WorkerError, match="has ended"):
        group.workers[0].ask("status")


def test_an_assignment_changes_some_flows_and_leaves_the_others_alone(serving: Serving, tmp_path: Path) -> None:
    """A flow that is not changed keeps its instance; one that is changed, added or removed is not left behind."""
    for name in ("A", "B", "C", "OUT", "OTHER", "SYSTEM.BROKER.STATE.DEFAULT"):
        serving.qm.queue(name, create=True)
    path = tmp_path / "app"
    for name in ("A", "B", "C"):
        flows.pass_through(path, name, source=name)
    options = {"channel": CHANNEL, "conn": serving.conn}

    def assignment(overrides: dict[str, str], *names: str) -> Assignment:
        sources = [{"path": str(path), "applications": ["app"], "overrides": overrides}]
        return Assignment("BRK", "default", 0, "QM1", options, sources, [FlowAssignment("app", each) for each in names])

    worker = Worker(assignment({}, "A", "B"), BrokerLog("BRK", stream=io.StringIO()))
    worker.start()
    try:
        before = {each.flow.name: each for each in worker.instances}
        changed = assignment({"B#Out.queueName": "OTHER"}, "A", "B", "C", "D")
        answer = worker.obey({"do": "assign", "number": 1, "assignment": json.loads(changed.packed())})
        assert answer["result"]["problems"] == {"D": ["there is no flow D in what is deployed"]}
        after = {each.flow.name: each for each in worker.instances}
        assert sorted(after) == ["A", "B", "C"]
        assert after["A"] is before["A"] and after["B"] is not before["B"] and before["B"].state == "stopped"
        for name, target in (("A", "OUT"), ("B", "OTHER"), ("C", "OUT")):
            serving.qm.queue(name).put(name.encode())
            assert serving.qm.queue(target).get(wait=PATIENCE).data == name.encode()
        worker.obey({"do": "assign", "number": 2, "assignment": json.loads(assignment({}, "C").packed())})
        assert [each.flow.name for each in worker.instances] == ["C"]
        assert "error" in worker.obey({"do": "assign", "number": 3, "assignment": {"flows": 7}})
    finally:
        worker.stop()


def test_a_group_takes_more_and_fewer_workers_for_a_new_assignment(serving: Serving, tmp_path: Path) -> None:
    """Messages that come meanwhile are each handled once."""
    source, target = serving.qm.queue("IN", create=True), serving.qm.queue("OUT", create=True)
    serving.qm.queue("SYSTEM.BROKER.STATE.DEFAULT", create=True)
    flows.pass_through(tmp_path / "app")
    options = {"channel": CHANNEL, "conn": serving.conn}
    base = Assignment("BRK", "default", 0, "QM1", options, [{"path": str(tmp_path / "app")}])
    one = [[FlowAssignment("", "Pass")]]
    group = ExecutionGroup(base, one, BrokerLog("BRK", stream=io.StringIO()))
    group.start()
    try:
        assert group.wait_ready(PATIENCE)
        first = group.workers[0].pid
        for number in range(100):
            source.put(f"{number}", persistent=True)
        assert group.assign(base, [[FlowAssignment("", "Pass", 2)], [FlowAssignment("", "Pass", 1)]]) == []
        assert group.wait_ready(PATIENCE)
        assert [len(each["instances"]) for each in group.status()] == [2, 1]
        for number in range(100, 200):
            source.put(f"{number}", persistent=True)
        assert group.assign(base, one) == []
        assert [worker.pid for worker in group.workers] == [first]
        got = sorted(int(target.get(wait=PATIENCE).text) for _ in range(200))
        assert got == list(range(200)) and group.restarts == 0
    finally:
        group.stop()
