"""IBM's JMS client sends with a delivery delay, and the queue manager is killed before the messages are due."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from tests.interop.test_java import BUILD, classes
from tests.interop.test_reconnect import password
from tests.server.test_process import Manager, manager

__all__ = ["classes", "manager", "password"]

DELAY_MS = 4000


def program(classes: str, manager: Manager, *arguments: str) -> str:
    """What `Delayed` says."""
    command = ["java", "-cp", classes, "Delayed", str(manager.port), *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=BUILD)
    return ran.stdout.strip() or ran.stderr


@pytest.mark.usefixtures("password")
def test_a_delayed_message_outlives_a_queue_manager_that_is_killed(manager: Manager, classes: str) -> None:
    """Those that are persistent are delivered in time, once, to the queue and to the subscriber; others are gone."""
    manager.start()
    said = program(classes, manager, "send", str(DELAY_MS))
    assert said.isdigit(), said
    os.kill(manager.pid, signal.SIGKILL)
    manager.wait_until_ended()
    manager.start()
    assert program(classes, manager, "receive", said) == "ok"
