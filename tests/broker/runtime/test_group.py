"""An execution group of real processes: they are killed, and nothing is lost or doubled."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from flintmq.broker.runtime.foreground import Foreground
from flintmq.broker.runtime.group import WorkerError, WorkerProcess
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.placement import FlowPlan, place
from flintmq.broker.runtime.worker import Assignment, FlowAssignment
from tests.broker.runtime import flows
from tests.client.remote.serving import CHANNEL, Serving
from tests.waiting import PATIENCE, until


@pytest.fixture
def serving() -> Iterator[Serving]:
    made = Serving()
    made.qm.queue("SYSTEM.BROKER.STATE.DEFAULT", create=True)
    yield made
    made.close()


def foreground(serving: Serving, path: Path, said: io.StringIO, workers: int = 1) -> Foreground:
    options = {"channel": CHANNEL, "conn": serving.conn}
    return Foreground(path, "QM1", options, http_port=-1, workers=workers, log=BrokerLog("BRK", stream=said))


def test_a_worker_that_is_killed_under_load_loses_and_doubles_nothing(serving: Serving, tmp_path: Path) -> None:
    source, target = serving.qm.queue("IN", create=True, bothresh=1000), serving.qm.queue("OUT", create=True)
    made = foreground(serving, flows.pass_through(tmp_path / "app"), io.StringIO())
    assert made.start()
    try:
        count, kills = 400, 4
        for number in range(count):
            source.put(f"{number}", persistent=True)
        group = made.group
        assert group is not None
        got: list[str] = []
        for kill in range(kills):
            while len(got) < (kill + 1) * 40:
                got.append(target.get(wait=PATIENCE).text)
            assert group.workers[0].ready.wait(PATIENCE)
            os.kill(group.workers[0].pid, signal.SIGKILL)
            until(lambda kill=kill: group.restarts == kill + 1)  # type: ignore[misc]
        while len(got) < count:
            got.append(target.get(wait=PATIENCE).text)
        assert Counter(got) == Counter(str(number) for number in range(count))
        assert target.get_or_none() is None and source.depth == 0
    finally:
        made.stop()


def test_an_interrupt_of_the_terminal_leaves_workers_to_their_broker(serving: Serving, tmp_path: Path) -> None:
    """Ctrl-C goes to every process of the terminal; a worker finishes its message and waits for the broker's word."""
    source, target = serving.qm.queue("IN", create=True), serving.qm.queue("OUT", create=True)
    made = foreground(serving, flows.pass_through(tmp_path / "app"), io.StringIO())
    assert made.start()
    try:
        assert made.group is not None
        worker = made.group.workers[0]
        os.kill(worker.pid, signal.SIGINT)
        source.put(b"1")
        assert target.get(wait=PATIENCE).data == b"1"
        assert made.group.workers[0] is worker and made.group.restarts == 0
    finally:
        made.stop()


def test_instances_are_spread_over_workers(serving: Serving, tmp_path: Path) -> None:
    path = flows.pass_through(tmp_path / "app", additionalInstances="1")
    serving.qm.queue("IN", create=True), serving.qm.queue("OUT", create=True)
    made = foreground(serving, path, io.StringIO(), workers=2)
    assert made.start()
    try:
        assert made.group is not None
        status = made.group.status()
        assert [len(each["instances"]) for each in status] == [1, 1]
        assert len({each["pid"] for each in status}) == 2
    finally:
        made.stop()


def test_a_changed_file_starts_the_group_anew_and_a_broken_one_is_reported(serving: Serving, tmp_path: Path) -> None:
    source = serving.qm.queue("IN", create=True)
    for name in ("OUT", "OTHER"):
        serving.qm.queue(name, create=True)
    said = io.StringIO()
    path = flows.pass_through(tmp_path / "app")
    made = foreground(serving, path, said)
    starts = threading.Semaphore(0)
    thread = threading.Thread(target=made.run, args=(starts.release,))
    thread.start()
    try:
        assert starts.acquire(timeout=PATIENCE)
        source.put(b"1")
        assert serving.qm.queue("OUT").get(wait=PATIENCE).data == b"1"
        flows.pass_through(path, target="OTHER")
        assert starts.acquire(timeout=PATIENCE)
        source.put(b"2")
        assert serving.qm.queue("OTHER").get(wait=PATIENCE).data == b"2"
        (path / "Pass.msgflow").write_text("no flow")
        assert starts.acquire(timeout=PATIENCE)
        assert "Pass.msgflow" in said.getvalue() and "BIP2087" in said.getvalue()
    finally:
        made.end()
        thread.join(PATIENCE)


def test_flows_that_must_meet_stay_in_the_first_worker() -> None:
    plans = [FlowPlan("A", "one", 3, True), FlowPlan("A", "two", 2), FlowPlan("A", "three", 1)]
    placed = place(plans, 2)
    assert placed[0] == [FlowAssignment("A", "one", 3)]
    assert sorted((each.flow, each.instances) for each in placed[1]) == [("three", 1), ("two", 2)]
    assert place([FlowPlan("A", "one")], 8) == [[FlowAssignment("A", "one", 1)]]


def test_instances_stay_in_their_worker_as_long_as_the_load_is_shared() -> None:
    """A deployment of another application must not move flows that it does not change."""
    first = place([FlowPlan("A", name) for name in ("one", "two", "three", "four")], 2)
    more = place([FlowPlan("A", name) for name in ("zero", "four", "three", "two", "one")], 2, first)
    for worker in range(2):
        assert {each.flow for each in first[worker]} <= {each.flow for each in more[worker]}
    assert sum(len(each) for each in more) == 5
    gone = [FlowPlan("A", each.flow) for each in first[0]]
    assert [len(each) for each in place(gone, 2, first)] == [1, 1]
    assert place([FlowPlan("A", "one", 3)], 1, first) == [[FlowAssignment("A", "one", 3)]]


class Deaf(WorkerProcess):
    """A worker that is ready and reads nothing more."""

    command = [
        sys.executable,
        "-c",
        "import sys, time; sys.stdin.readline(); print('{\"ready\": {}}', flush=True); time.sleep(600)",
    ]


def test_a_worker_that_reads_nothing_holds_nobody_up() -> None:
    """A command that does not fit into the pipe fails in its time, and the worker can be ended."""
    worker = Deaf(Assignment("BRK", "default", 0, "QM1", {}))
    try:
        assert worker.ready.wait(PATIENCE)
        begun = time.monotonic()
        with pytest.raises(WorkerError, match="does not read commands"):
            worker.ask("assign", 0.5, text="x" * (1 << 20))
        worker.end(0.5)
        assert time.monotonic() - begun < PATIENCE
        assert worker.process.returncode == -signal.SIGKILL
    finally:
        worker.process.kill()
        worker.process.wait()


def test_a_thread_without_an_end_does_not_keep_a_worker() -> None:
    """The worker of a broker that was killed ends, whatever its executor still does."""
    code = (
        "import time\nfrom concurrent.futures import ThreadPoolExecutor\n"
        "from flintmq.broker.runtime import worker\n"
        "ThreadPoolExecutor(1).submit(time.sleep, 600)\n"
        "worker.serve = lambda commands, answers: print('last') or 3\nworker.main()\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    assert (ended.returncode, ended.stdout) == (3, "last\n")
