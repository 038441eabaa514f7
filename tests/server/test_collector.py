"""The garbage collector of a queue manager's process."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from flintmq.server.collector import THRESHOLDS, settle_collector


@pytest.fixture
def collector() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


@pytest.mark.usefixtures("collector")
def test_what_is_there_is_left_alone_and_the_collector_looks_rarely() -> None:
    settle_collector()
    assert gc.get_threshold() == THRESHOLDS
    assert gc.get_freeze_count() > 1000
    assert gc.isenabled()
