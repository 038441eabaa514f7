"""A connection of pymqi to a queue manager in this process, and to one at the other end of a channel."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flintmq import pymqi
from tests.client.remote.drop_in import data, embedded, serving
from tests.client.remote.serving import CHANNEL

__all__ = ["data", "embedded", "serving"]

QUEUE = "DEV.QUEUE.1"


@pytest.fixture(params=["embedded", "network"])
def qmgr(request: pytest.FixtureRequest) -> Iterator[pymqi.QueueManager]:
    """A connection: in this process and over a channel it behaves the same."""
    if request.param == "embedded":
        made = pymqi.QueueManager(request.getfixturevalue("embedded"))
    else:
        made = pymqi.connect("QM1", CHANNEL, request.getfixturevalue("serving").conn)
    yield made
    if made._handle is not None:
        made.disconnect()
