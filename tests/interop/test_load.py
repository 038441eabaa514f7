"""A load of IBM's JMS clients, for a second: that nobody is silent (issue 14, item 8).

For figures give it longer, and a compiled queue manager that has started with the objects of `SCRIPT` in test_java.py:

    java -cp 'build/interop-java/lib/*:CLASSES' Load 1414 publish 6 30
    java -cp 'build/interop-java/lib/*:CLASSES' Load 1414 request 10 4 60 DEV.AHEAD
"""

from __future__ import annotations

import subprocess

import pytest

from tests.interop.test_java import BUILD, classes, port
from tests.waiting import PATIENCE

__all__ = ["classes", "port"]


@pytest.mark.parametrize("load", [("publish", "6", "1"), ("request", "3", "2", "1", "DEV.AHEAD")], ids=lambda of: of[0])
def test_every_subscriber_and_every_responder_receives(classes: str, port: int, load: tuple[str, ...]) -> None:
    command = ["java", "-cp", classes, "Load", str(port), *load]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=4 * PATIENCE, cwd=BUILD)
    assert ran.returncode == 0, ran.stderr
    said = dict(word.split("=") for word in ran.stdout.split())
    each = [int(count) for count in said["each"].strip("[]").split(",")]
    assert len(each) == int(load[1 if load[0] == "publish" else 2]) and min(each) > 0, ran.stdout
