"""Celery workers as processes, with a queue manager as a process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("celery", reason="Celery is not installed: pip install 'flintmq[celery]'")

from celery import chain, group  # type: ignore[import-untyped]  # noqa: E402

from tests.integrations.conftest import CHANNEL  # noqa: E402
from tests.waiting import PATIENCE, until  # noqa: E402
from tools.kombu_suite import Manager  # noqa: E402

TASKS = """
import os, time
import flintmq.integrations.kombu
from celery import Celery

app = Celery("tasks", broker=os.environ["BROKER"], backend="rpc://")
app.conf.update(broker_connection_retry_on_startup=True, worker_prefetch_multiplier=2)
app.conf.task_default_queue = os.environ["QUEUE"]

def note(text):
    with open(os.environ["NOTES"], "a") as file:
        file.write(text + "\\n")

@app.task(acks_late=True, reject_on_worker_lost=True, ignore_result=True)
def work(n):
    note(f"{n}")

@app.task
def add(x, y):
    return x + y

@app.task(bind=True)
def flaky(self):
    if self.request.retries < 2:
        raise self.retry(countdown=0)
    return self.request.retries
"""


class World:
    """An application, and workers for it."""

    def __init__(self, directory: Path, manager: Manager, queue: str) -> None:
        (directory / "tasks.py").write_text(TASKS)
        self.directory = directory
        self.notes = directory / "notes"
        self.notes.touch()
        told = {"BROKER": f"{manager.url}?channel={CHANNEL}", "QUEUE": queue, "NOTES": str(self.notes)}
        self.environment = {**manager.environment, **told}
        self.module: dict[str, Any] = {"__name__": "tasks"}
        with pytest.MonkeyPatch.context() as patch:
            for name, value in told.items():
                patch.setenv(name, value)
            exec(compile(TASKS, "tasks", "exec"), self.module)
        self.workers: list[subprocess.Popen[bytes]] = []

    def start(self, pool: str) -> subprocess.Popen[bytes]:
        """Start a worker in a process group of its own."""
        command = [sys.executable, "-m", "celery", "-A", "tasks", "worker", "-P", pool, "-c", "2", "-l", "WARNING"]
        with (self.directory / "worker.log").open("ab") as log:
            worker = subprocess.Popen(
                [*command, "--without-gossip", "--without-mingle"],
                cwd=self.directory, env=self.environment, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        self.workers.append(worker)
        return worker

    def kill(self, worker: subprocess.Popen[bytes]) -> None:
        """Kill a worker and its children, without a word."""
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait(PATIENCE)

    def done(self) -> Counter[str]:
        """How often each task has run."""
        return Counter(self.notes.read_text().split())

    def close(self) -> None:
        for worker in self.workers:
            if worker.poll() is None:
                self.kill(worker)
        self.module["app"].close()


@pytest.fixture
def world(request: pytest.FixtureRequest, tmp_path: Path, manager: Manager) -> Iterator[World]:
    made = World(tmp_path, manager, f"celery-{tmp_path.name}")
    yield made
    made.close()


@pytest.mark.parametrize("pool", ["prefork", "threads"])
def test_tasks_run_are_retried_chained_and_inspected(world: World, pool: str) -> None:
    worker = world.start(pool)
    add, flaky, app = world.module["add"], world.module["flaky"], world.module["app"]
    assert add.delay(1, 2).get(timeout=PATIENCE) == 3
    assert flaky.delay().get(timeout=PATIENCE) == 2
    assert chain(add.s(1, 2), add.s(3))().get(timeout=PATIENCE) == 6
    assert group(add.s(n, n) for n in range(20))().get(timeout=PATIENCE) == [2 * n for n in range(20)]
    assert [list(answer.values()) for answer in app.control.ping(timeout=5, limit=1)] == [[{"ok": "pong"}]]
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(PATIENCE) == 0


def test_no_task_is_lost_when_workers_are_killed(world: World) -> None:
    many, kills, prefetched = 300, 3, 4
    for number in range(many):
        world.module["work"].delay(number)
    for kill in range(kills):
        worker = world.start("prefork")
        before = len(world.done())
        until(lambda before=before: len(world.done()) >= before + 7, f"worker {kill} works")  # type: ignore[misc]
        world.kill(worker)
    world.start("prefork")
    until(lambda: len(world.done()) == many, "all tasks have run")
    assert sum(world.done().values()) - many <= kills * prefetched
