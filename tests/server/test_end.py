"""How a queue manager process ends: who comes next finds everything free as soon as the lock is."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
import uvloop

from benchmarks.server.ports import free_port
from flintmq.cli.main import main
from flintmq.host import instance, lifecycle
from flintmq.host.lock import InstanceLock
from flintmq.server import control, process
from flintmq.server.hub import ServingHost
from flintmq.wire.mq.terms import Gatekeeper


@pytest.mark.parametrize("how", [process.QUIESCE, process.IMMEDIATE, process.PREEMPTIVE])
def test_the_lock_goes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """A start that comes at once has its port, and nobody takes its sockets away afterwards."""
    port = free_port()
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path))
    assert main(["crtmqm", "--dev", "-q", "-p", str(port), "QM1"]) == 0
    place = instance.by_name("QM1")
    sockets = [place.directory / name for name in (control.NAME, instance.LOCAL_SOCKET)]
    host = ServingHost(*lifecycle.open_on_disk(place), place)
    server = process.Server(host, Gatekeeper())
    found: list[tuple[list[bool], bool]] = []
    release = InstanceLock.release

    def look_and_release(lock: InstanceLock) -> None:
        if lock._fd >= 0:
            found.append(state())
        release(lock)

    def state() -> tuple[list[bool], bool]:
        with socket.socket() as client:
            return [path.exists() for path in sockets], client.connect_ex(("127.0.0.1", port)) == 0

    def ready() -> None:
        found.append(state())
        server.endings.put_nowait(how)

    monkeypatch.setattr(InstanceLock, "release", look_and_release)
    uvloop.run(server.run(ready))
    assert found == [([True, True], True), ([False, False], False)]
    assert not any(path.exists() for path in sockets)
