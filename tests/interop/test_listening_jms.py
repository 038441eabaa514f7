"""A program with IBM's JMS client connects to the listening queue manager of the pytest plugin."""

from __future__ import annotations

import subprocess

import pytest

from flintmq.testing import ListeningQueueManager
from tests.interop.test_java import BUILD, classes
from tests.waiting import PATIENCE

__all__ = ["classes"]


@pytest.mark.parametrize("scenario", ["bodies", "transacted", "listener"])
def test_a_program_connects_with_jms(classes: str, scenario: str) -> None:
    """The programs are those of test_java.py: user `app`, with its password, on DEV.APP.SVRCONN."""
    with ListeningQueueManager() as listening:
        command = ["java", "-cp", classes, "Jms", str(listening.port), scenario]
        ran = subprocess.run(command, cwd=BUILD, capture_output=True, text=True, timeout=10 * PATIENCE)
        assert f"ok {scenario}" in ran.stdout and ran.returncode == 0, ran.stdout + ran.stderr
        assert listening.qm.queue("DEV.QUEUE.1").depth == 0
