"""IBM's JMS client reconnects by itself when the queue manager ends, and goes on with what it had open.

The classes for Java do not reconnect: IBM's documentation says so.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable

import pytest

from flintmq.cli.main import main
from tests.interop.test_java import BUILD, classes
from tests.server.test_process import Manager, manager
from tests.waiting import PATIENCE, until

__all__ = ["classes", "manager"]


def ended_with_reconnect(manager: Manager) -> None:
    """It quiesces, and does not wait for clients that come back."""
    assert main(["endmqm", "-r", "-w", "-t", f"{PATIENCE:g}", "QM1"]) == 0


def ended_at_once(manager: Manager) -> None:
    assert main(["endmqm", "-i", "QM1"]) == 0


def killed(manager: Manager) -> None:
    """Not in the middle of the listener's commit: a client that does not know how that ended tells its application."""
    until(lambda: not uncommitted(manager), "the listener has committed")
    os.kill(manager.pid, signal.SIGKILL)
    manager.wait_until_ended()


def uncommitted(manager: Manager) -> bool:
    said = manager.said("DISPLAY QSTATUS(DEV.QUEUE.2) UNCOM CURDEPTH")
    return "UNCOM(NO)" not in said or "CURDEPTH(0)" not in said


WAYS: list[Callable[[Manager], None]] = [ended_with_reconnect, ended_at_once, killed]


@pytest.fixture
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    """That of the programs in Java."""
    monkeypatch.setenv("MQ_APP_PASSWORD", "passw0rd")


@pytest.mark.usefixtures("password")
def test_a_jms_client_comes_back_however_the_queue_manager_ended(manager: Manager, classes: str) -> None:
    """Issue 14, item 11: and the unit of work that it was in the middle of is not committed, in no part."""
    manager.start()
    command = ["java", "-cp", classes, "Reconnect", str(manager.port)]
    with subprocess.Popen(
        command, cwd=BUILD, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as client:
        assert client.stdin is not None and client.stdout is not None
        assert client.stdout.readline().strip() == "ready"
        for end in WAYS:
            end(manager)
            manager.start()
            client.stdin.write("\n")
            client.stdin.flush()
            assert client.stdout.readline().strip() == "ok", end.__name__
        client.stdin.close()
        assert client.wait(PATIENCE) == 0


@pytest.mark.parametrize("option", ["-c", "-r"])
def test_quiesce_waits_for_a_client_that_does_not_come_back(manager: Manager, option: str) -> None:
    manager.start()
    peer = manager.peer()
    assert main(["endmqm", option, "QM1"]) == 0
    assert peer.disconnect().reason == 0
    peer.socket.close()
    manager.wait_until_ended()
