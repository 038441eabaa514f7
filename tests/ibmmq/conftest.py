"""A connection of ibmmq to a queue manager in this process, and to one at the other end of a channel."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import flintmq
from flintmq import ibmmq
from flintmq.client.command_thread import CommandThread
from tests.client.remote.serving import CHANNEL, Serving

QUEUE = "DEV.QUEUE.1"


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


@pytest.fixture
def local(embedded: flintmq.QueueManager) -> Iterator[ibmmq.QueueManager]:
    """A connection in this process."""
    made = ibmmq.connect(embedded)
    yield made
    if made._handle is not None:
        made.disconnect()


@pytest.fixture(params=["embedded", "network"])
def qmgr(request: pytest.FixtureRequest) -> Iterator[ibmmq.QueueManager]:
    """A connection: in this process and over a channel it behaves the same."""
    if request.param == "embedded":
        made = ibmmq.connect(request.getfixturevalue("embedded"))
    else:
        made = ibmmq.connect("QM1", CHANNEL, request.getfixturevalue("serving").conn)
    yield made
    if made._handle is not None:
        made.disconnect()
