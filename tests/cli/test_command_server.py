"""dspmqcsv, strmqcsv and endmqcsv, on a queue manager process."""

from __future__ import annotations

import pytest

from flintmq.cli.main import main
from tests.server.test_process import Manager, manager

__all__ = ["manager"]


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out.strip()


def test_the_command_server_starts_with_the_queue_manager_and_is_ended_and_started(
    manager: Manager, capsys: pytest.CaptureFixture[str]
) -> None:
    manager.start()
    capsys.readouterr()
    assert main(["dspmqcsv", "QM1"]) == 0
    assert said(capsys) == "FlintMQ command server status of queue manager 'QM1': Running"
    assert main(["endmqcsv"]) == 0
    assert main(["dspmqcsv"]) == 0
    assert said(capsys).endswith("Stopped")
    assert main(["strmqcsv"]) == 0
    assert main(["strmqcsv"]) == 0
    assert main(["dspmqcsv"]) == 0
    assert said(capsys).endswith("Running")
    assert [line.split()[0] for line in manager.errors().splitlines() if "The command server" in line]
    assert main(["endmqm", "-i", "QM1"]) == 0


def test_with_scmdserv_manual_it_does_not_start_by_itself(manager: Manager, capsys: pytest.CaptureFixture[str]) -> None:
    script = manager.place.directory / "script"
    script.write_text("ALTER QMGR SCMDSERV(MANUAL)\n")
    assert main(["runmqsc", "-f", str(script), "QM1"]) == 0
    manager.start()
    capsys.readouterr()
    assert main(["dspmqcsv", "QM1"]) == 0
    assert said(capsys).endswith("Stopped")
    assert main(["endmqm", "-i", "QM1"]) == 0


def test_without_a_queue_manager_there_is_none(manager: Manager, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dspmqcsv", "NO.SUCH"]) == 16
    assert main(["strmqcsv", "QM1"]) == 40
    assert "AMQ8146E: queue manager QM1 is not running" in capsys.readouterr().err
