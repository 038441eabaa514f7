"""A place for queue managers that is gone after the test, and a queue manager with and without files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import flintmq

Opener = Callable[[], flintmq.QueueManager]

#: Small files, so that a queue manager is made in a moment and its log comes round often.
SMALL = flintmq.LogConfig(file_pages=64)


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data directory of this test."""
    directory = tmp_path / "data"
    monkeypatch.setenv("FLINTMQ_DATA", str(directory))
    return directory


@pytest.fixture
def open_disk() -> Opener:
    """Opens QM1 on disk."""
    return lambda: flintmq.open("QM1", log=SMALL)


@pytest.fixture(params=["memory", "disk"])
def qm(request: pytest.FixtureRequest, open_disk: Opener) -> Iterator[flintmq.QueueManager]:
    """A queue manager; on disk and in memory it behaves the same."""
    opened = flintmq.open(":memory:") if request.param == "memory" else open_disk()
    yield opened
    if not opened.closed:
        opened._host.engine.check()
        opened.close()
