"""Whatever is given to the API is taken or refused; the queue manager goes on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import flintmq
from flintmq.mqi.errors import MQStructuresError
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import FIELDS, MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO

ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=60),
    st.binary(max_size=60),
    st.lists(st.integers(), max_size=2),
)
PUT = ("persistent", "priority", "correlation_id", "message_id", "reply_to", "expiry", "format", "message_type")
REFUSALS = (AttributeError, TypeError, ValueError, OverflowError, flintmq.MQError, MQStructuresError)


@pytest.fixture(scope="module")
def qm() -> Iterator[flintmq.QueueManager]:
    """On disk, so that everything that is taken is also packed for the log."""
    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        with flintmq.open(f"{directory}/QM1", log=flintmq.LogConfig(file_pages=64)) as opened:
            opened.queue("A", create=True, maxdepth=50)
            yield opened


def still_works(qm: flintmq.QueueManager) -> None:
    """It is open, in order, and what was put can be got."""
    assert not qm.closed
    queue = qm.queue("A")
    while queue.get_or_none() is not None:
        pass
    queue.put(b"works", persistent=True)
    assert queue.get().data == b"works"
    qm._host.engine.check()


FUZZ = settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@FUZZ
@given(data=ANYTHING, arguments=st.dictionaries(st.sampled_from(PUT), ANYTHING, max_size=4))
def test_put(qm: flintmq.QueueManager, data: Any, arguments: dict[str, Any]) -> None:
    try:
        qm.queue("A").put(data, **arguments)
    except REFUSALS:
        pass
    still_works(qm)


@FUZZ
@given(name=ANYTHING, key=ANYTHING, length=st.one_of(st.none(), st.integers(-5, 100)))
def test_get_and_queue(qm: flintmq.QueueManager, name: Any, key: Any, length: int | None) -> None:
    for call in (
        lambda: qm.queue(name),
        lambda: qm.queue("A").get(correlation_id=key, max_length=length),
        lambda: qm.queue("A").get(message_id=key),
        lambda: qm.connect(application=str(name)).close(),
    ):
        try:
            call()
        except REFUSALS:
            pass
    still_works(qm)


@FUZZ
@given(
    fields=st.dictionaries(st.sampled_from(FIELDS), ANYTHING, max_size=5),
    put_options=st.integers(-1, 2**32),
    get_options=st.integers(-1, 2**32).map(lambda options: options & ~1),
    open_options=st.integers(-1, 2**24),
    data=st.binary(max_size=20),
)
def test_the_mqi(
    qm: flintmq.QueueManager,
    fields: dict[str, Any],
    put_options: int,
    get_options: int,
    open_options: int,
    data: bytes,
) -> None:
    od, pmo, gmo = MQOD(), MQPMO(), MQGMO()
    od.object_name = "A"
    with qm.connect() as connection:
        mqi = connection.mqi
        try:
            md = MQMD()
            for name, value in fields.items():
                setattr(md, name, value)
            pmo.options, gmo.options = put_options, get_options
            mqi.put1(od, md, pmo, data)
            handle = mqi.open(od, open_options)
            mqi.put(handle, md, pmo, data)
            mqi.get(handle, md, gmo)
            mqi.close(handle)
        except REFUSALS:
            pass
    still_works(qm)
