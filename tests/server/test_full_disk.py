"""Real disks that are full or broken: what the queue manager does, how it ends, how it starts (issue 14, item 5)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import flintmq
from flintmq.cli.main import main
from flintmq.client.queue_manager import QueueManager
from flintmq.host import instance, lifecycle
from flintmq.host.host import Host
from tests import small_disk as disks
from tests.waiting import PATIENCE

#: Of the file system with the page sets.
SIZE = 6 << 20
SMALL_LOG = flintmq.LogConfig(file_pages=64)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, in memory."""
    with disks.small_disk(tmp_path / "small", SIZE) as where:
        yield where


class FullDisk:
    """A queue manager whose page sets are on a small disk, and whose log is elsewhere."""

    def __init__(self, disk: Path, log: Path) -> None:
        self.place = instance.by_path(disk / "QM1", "QM1")
        self.filler = disk / "filler"
        options = lifecycle.CreateOptions(log=SMALL_LOG, log_directory=str(log))
        engine, storage = lifecycle.create_on_disk(self.place, options)
        self.qm = self._opened(Host(engine, storage, self.place))

    def _opened(self, host: Host) -> QueueManager:
        self.host = host
        return QueueManager(host, "test")

    def reopen(self) -> None:
        self.qm = self._opened(Host(*lifecycle.open_on_disk(self.place), self.place))

    def fill(self) -> None:
        """Leave not a byte on the disk."""
        disks.fill(self.filler)

    def told(self) -> str:
        return (self.place.errors_directory / "AMQERR01.LOG").read_text()


def test_a_full_disk_refuses_puts_serves_gets_survives_restarts_and_ends(small_disk: Path, tmp_path: Path) -> None:
    world = FullDisk(small_disk, tmp_path / "log")
    queue = world.qm.queue("A", create=True)
    sent: list[bytes] = []
    with pytest.raises(flintmq.PageSetFull, match="disk is full"):
        while len(sent) * 10_000 < 2 * SIZE:
            data = b"%05d" % len(sent) * 2000
            queue.put(data, persistent=True)
            sent.append(data)
    assert 50 < len(sent)
    world.fill()
    assert "CSQP014E" in world.told()
    assert queue.get().data == sent.pop(0)

    world.host.abandon()  # As a kill does.
    world.fill()
    world.reopen()
    queue = world.qm.queue("A")
    assert queue.depth == len(sent)
    for _ in range(20):
        assert queue.get().data == sent.pop(0)
    world.qm.close()  # The end needs room that is not there.
    world.fill()
    world.reopen()
    queue = world.qm.queue("A")
    while sent:
        assert queue.get().data == sent.pop(0)

    world.host.engine.checkpoint_retry_ms = 1  # It is time to try again.
    world.filler.unlink()
    for number in range(20):
        queue.put(b"%d" % number, persistent=True)
    world.qm.close()
    world.reopen()
    assert [message.data for message in world.qm.queue("A").messages()] == [b"%d" % number for number in range(20)]
    world.host.engine.check()
    world.qm.close()


@pytest.mark.parametrize("last_byte", [False, True])
def test_messages_that_are_got_make_room_on_a_full_disk(small_disk: Path, tmp_path: Path, last_byte: bool) -> None:
    """Nothing else on the disk is removed. The pages of the messages that were got are used for those in memory.

    If others have taken the last byte of the disk, the page set has a reserve.
    """
    world = FullDisk(small_disk, tmp_path / "log")
    queue = world.qm.queue("A", create=True)
    sent: list[bytes] = []
    with pytest.raises(flintmq.PageSetFull):
        while True:
            data = b"%05d" % len(sent) * 2000
            queue.put(data, persistent=True)
            sent.append(data)
    if last_byte:
        world.fill()
    for _ in range(len(sent) // 2):
        assert queue.get().data == sent.pop(0)
    world.host.engine.checkpoint_retry_ms = 1  # It is time to try again.
    queue.put(b"last", persistent=True)
    world.host.engine.check()
    world.host.abandon()
    world.reopen()
    assert [message.data for message in world.qm.queue("A").messages()] == [*sent, b"last"]
    world.qm.close()


def test_nonpersistent_messages_on_a_full_disk_stay_in_memory(small_disk: Path, tmp_path: Path) -> None:
    """The environment for them is made when it is first needed; LMDB must not touch a map without blocks (SIGBUS)."""
    world = FullDisk(small_disk, tmp_path / "log")
    for pool in range(4):
        world.qm.mqsc(f"ALTER BUFFPOOL({pool}) BUFFERS(100)")
    queue = world.qm.queue("A", create=True)
    world.fill()
    sent: list[bytes] = []
    with pytest.raises(flintmq.PageSetFull, match="disk is full"):
        for number in range(1000):
            queue.put(b"%d" % number, persistent=False)
            sent.append(b"%d" % number)
    assert 50 < len(sent) < 200
    world.filler.unlink()
    world.host.engine.checkpoint_retry_ms = 1
    queue.put(b"again", persistent=False)
    assert [message.data for message in queue.messages()] == [*sent, b"again"]
    world.host.engine.check()
    world.qm.close()


#: strmqm --foreground, on a disk whose syncs fail as soon as the file of the first argument is there.
BROKEN = """
import errno, os, sys
from flintmq.log.files import RealFile
sync = RealFile.sync
def failing(self):
    if os.path.exists(sys.argv[1]):
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    sync(self)
RealFile.sync = failing
from flintmq.cli.main import main
sys.exit(main(["strmqm", "--foreground", "QM1"]))
"""


@pytest.mark.parametrize("broken", [True, False])
def test_strmqm_in_the_foreground_says_by_its_exit_code_how_it_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: bool
) -> None:
    """Not 0 after an I/O error (items 4 and 5); the command whose sync failed is not answered with success."""
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path))
    assert main(["crtmqm", "-q", "-lf", "64", "QM1"]) == 0
    serving = subprocess.Popen(
        [sys.executable, "-c", BROKEN, str(tmp_path / "broken")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert serving.stdout is not None
    assert "started" in serving.stdout.readline()
    if broken:
        (tmp_path / "broken").touch()
        command = [sys.executable, "-m", "flintmq.cli", "runmqsc", "QM1"]
        told = subprocess.run(
            command,
            input="DEFINE QLOCAL(X)\n",
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert "created" not in told.stdout
    else:
        serving.send_signal(signal.SIGTERM)
    _, errors = serving.communicate(timeout=PATIENCE)
    assert serving.returncode == (71 if broken else 0), errors
    log = (tmp_path / "qmgrs" / "QM1" / "errors" / "AMQERR01.LOG").read_text()
    assert ("Input/output error" in log) == broken
    assert ("AMQ6119S" in errors) == broken
    lifecycle.open_on_disk(instance.by_name("QM1"))[1].abandon()
