"""The lock on a queue manager: who has it open, and who only looks."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

import pytest

from flintmq.host.lock import InstanceLock, LockHeld, holder_of


def test_one_who_only_looks_is_waited_for_even_if_the_machine_lets_it_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """dspmq was interrupted with the lock in its hand: a second later it goes on."""
    path = tmp_path / "lock"
    path.touch()
    looking = os.open(path, os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH)
    waited: list[float] = []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        if sum(waited) > 1.0:
            fcntl.flock(looking, fcntl.LOCK_UN)

    monkeypatch.setattr("flintmq.host.lock.time.sleep", wait)
    taken = InstanceLock.acquire(path)
    holder = holder_of(path)
    assert holder is not None and holder.pid == os.getpid()
    taken.release()
    assert holder_of(path) is None
    os.close(looking)


def test_one_who_has_it_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flintmq.host.lock.time.sleep", lambda _: pytest.fail("it waits"))
    taken = InstanceLock.acquire(tmp_path / "lock")
    with pytest.raises(LockHeld) as held:
        InstanceLock.acquire(tmp_path / "lock")
    assert held.value.holder.pid == os.getpid()
    taken.release()


def test_a_full_disk_takes_the_name_of_the_holder_and_not_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 14, item 5: a queue manager on a full disk must be started to be drained."""

    def full(fd: int, data: bytes, offset: int) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("flintmq.host.lock.os.pwrite", full)
    monkeypatch.setattr("flintmq.host.lock._TRIES", 2)
    taken = InstanceLock.acquire(tmp_path / "lock")
    with pytest.raises(LockHeld):
        InstanceLock.acquire(tmp_path / "lock")
    taken.release()
    InstanceLock.acquire(tmp_path / "lock").release()
