"""A queue manager that serves, and a client that is connected to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import flintmq
from tests.client.remote.serving import Serving


@pytest.fixture
def serving() -> Iterator[Serving]:
    made = Serving()
    yield made
    made.close()


@pytest.fixture
def remote(serving: Serving) -> Iterator[flintmq.RemoteQueueManager]:
    with serving.connect() as connected:
        yield connected
