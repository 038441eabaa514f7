"""START TRACE(CHINIT): what goes over channels, in the trace file of a running queue manager."""

from __future__ import annotations

from pathlib import Path

import pytest

from flintmq.cli.main import main
from flintmq.telemetry.trace_file import RECEIVED, SENT, read
from tests.server.test_process import BOTH, QUEUE, Manager
from tests.server.test_process import manager as manager


def run(script: Path, *commands: str) -> None:
    script.write_text("\n".join(commands) + "\n")
    assert main(["runmqsc", "-f", str(script), "QM1"]) == 0


def test_segments_are_traced_in_words_and_without_what_is_in_messages(
    manager: Manager, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manager.start()
    old = manager.peer()
    run(tmp_path / "script", "START TRACE(CHINIT) CLASS(4)", "START TRACE(GLOBAL) CLASS(3)")
    new = manager.peer()
    for peer in (old, new):
        assert peer.put(peer.opened(QUEUE, BOTH), b"a secret").reason == 0
    run(tmp_path / "script", "STOP TRACE(*)")
    assert new.put(new.opened(QUEUE, BOTH), b"unseen").reason == 0
    (path,) = (manager.place.directory / "trace").iterdir()
    found = list(read(path))
    segments = [event for event in found if event.event in (RECEIVED, SENT)]
    assert len({event.task for event in segments}) == 2, "a socket that was there before is traced, too"
    said = "\n".join(event.data.decode() for event in segments)
    assert said.count("MQPUT ") >= 2 and said.count("MQPUT_REPLY") == 2 and "INITIAL_DATA" in said
    assert b"secret" not in path.read_bytes() and b"unseen" not in path.read_bytes()
    assert b"passw0rd" not in path.read_bytes()
    calls = [event for event in found if event.event not in (RECEIVED, SENT) and event.name == QUEUE]
    assert len(calls) == 8, "open and put, entry and exit, of both"
    capsys.readouterr()
    assert main(["trace", "format", "QM1"]) == 0
    assert "segment   >  TSH" in capsys.readouterr().out
