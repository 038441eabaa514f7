"""A message that is pushed out of memory between its arrival and its delivery still reaches who waits for it, whole.

What makes several messages available, and then tells of each, may relieve the buffer pool in between: a publication
does after each copy, and a report or an event that one delivery causes is a put of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flintmq.mqi.constants import MQRO_COD, MQSO_CREATE, MQSO_SET_CORREL_ID
from flintmq.mqi.reason import MQRC_NO_MSG_AVAILABLE, MQRC_NONE
from flintmq.qmgr.connection import WAITING
from tests.qmgr.conftest import Answered, App
from tests.qmgr.machine import fill
from tests.qmgr.pubsub import Broker, publish, subscribe

BUFFERS = 100
WANTED = b"wanted".ljust(24)
SECOND = b"second".ljust(24)


@pytest.fixture
def broker() -> Iterator[Broker]:
    """Every invariant of every room holds when the test is over."""
    made = Broker(BUFFERS)
    yield made
    made.qm.check()


def fill_but(broker: Broker, app: App, left: int, **fields: int) -> list[bytes]:
    """Fill the pool until `left` buffers are left. What is relieved first is what lies last in the lowest priority."""
    low = fill(app, "B", 10, 0, priority=0, **fields)
    high = fill(app, "B", 50, 100, priority=9, **fields)
    pool = broker.queue("A").pool
    fill(app, "A", pool.threshold - left - pool.used, 200, **fields)
    assert broker.queue("B").spilled_count == 0
    return high + low


def wait_for(broker: Broker, correl_id: bytes, syncpoint: bool = False) -> Answered:
    waiting = broker.connect().get("B", syncpoint=syncpoint, wait_ms=60_000, correl_id=correl_id)
    assert waiting.reason == WAITING
    return waiting


@pytest.mark.parametrize("persistence", [0, 1])
def test_what_a_publication_pushed_out_is_read_back_for_the_one_who_waits(broker: Broker, persistence: int) -> None:
    """Messages beside it in its lane are neither lost nor doubled, now or after a restart."""
    app = broker.connect()
    for name in ("C", "B"):
        options = MQSO_CREATE | MQSO_SET_CORREL_ID
        subscribe(app, "news", options, queue=app.handle(name), sub_correl_id=WANTED)
    others = fill_but(broker, app, 0, persistence=persistence)
    waiting = wait_for(broker, WANTED)

    assert publish(app, "news", b"1", persistence=persistence, priority=0).reason == MQRC_NONE

    assert broker.queue("B").spilled_count > 0
    assert waiting.completed().data == b"1"
    broker.qm.check()
    if persistence:
        broker.log.flush()
        broker.crash()
    assert broker.connect().drain("B") == others
    broker.bounce()
    assert broker.connect().get("B").reason == MQRC_NO_MSG_AVAILABLE


def test_what_a_report_pushed_out_is_read_back_for_the_one_who_waits(broker: Broker) -> None:
    """Two messages of a unit: the first is got in another; its confirmation is a put and pushes out the second."""
    app = broker.connect()
    others = fill_but(broker, app, 2)
    first, second = wait_for(broker, WANTED, True), wait_for(broker, SECOND)
    app.put("B", b"1", syncpoint=True, priority=0, correl_id=WANTED, report=MQRO_COD, reply_to_q="A")
    app.put("B", b"2", syncpoint=True, priority=0, correl_id=SECOND)
    assert broker.queue("B").spilled_count == 0

    assert app.commit() == MQRC_NONE

    assert broker.queue("B").spilled_count > 0
    assert (first.completed().data, second.completed().data) == (b"1", b"2")
    broker.qm.check()
    assert broker.connect().drain("B") == others
