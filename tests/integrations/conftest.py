"""A queue manager process for transports and workers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.kombu_suite import Manager

CHANNEL = "DEV.ADMIN.SVRCONN"


@pytest.fixture(scope="package")
def manager(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Manager]:
    """A queue manager with developer defaults that listens on the loopback."""
    made = Manager(tmp_path_factory.mktemp("kombu") / "data")
    made.start()
    yield made
    made.end()


@pytest.fixture(params=["embedded", "server"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where the queue manager is: in this process, or over a channel."""
    if request.param == "embedded":
        return f"flintmq+embedded:///{tmp_path}/QM1"
    manager: Manager = request.getfixturevalue("manager")
    return f"{manager.url}?channel={CHANNEL}"
