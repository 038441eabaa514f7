"""A connection of ibmmq to a queue manager in this process, and to one at the other end of a channel."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import flintmq
from flintmq import ibmmq
from tests.client.remote.drop_in import data, embedded, serving
from tests.client.remote.serving import CHANNEL

__all__ = ["data", "embedded", "serving"]

QUEUE = "DEV.QUEUE.1"


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
