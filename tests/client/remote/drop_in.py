"""Fixtures of the modules that stand in for others, pymqi and ibmmq: queue managers, here and behind a channel."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import flintmq
from flintmq.host.command_thread import CommandThread
from tests.client.remote.serving import Serving


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data directory of this test; nothing of the environment leads elsewhere."""
    directory = tmp_path / "data"
    monkeypatch.setenv("FLINTMQ_DATA", str(directory))
    monkeypatch.delenv("MQSERVER", raising=False)
    return directory


@pytest.fixture
def serving() -> Iterator[Serving]:
    made = Serving()
    CommandThread(made.host)
    yield made
    made.close()


@pytest.fixture
def embedded() -> Iterator[flintmq.QueueManager]:
    with flintmq.open(":memory:", developer=True, command_server=True) as made:
        yield made
