"""Consumers whose messages are pushed: one at a time in a unit of work, ahead if they read ahead, and none is lost."""

from __future__ import annotations

import queue as standard
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import flintmq
from flintmq.client.remote.connection import RemoteConnection
from flintmq.mqi import constants as mq
from flintmq.mqi import reason as rc
from flintmq.mqi.cbc import MQCBC
from flintmq.mqi.cbd import MQCBD
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from tests.client.remote.serving import Serving
from tests.waiting import PATIENCE

IN_UNIT = mq.MQGMO_SYNCPOINT | mq.MQGMO_WAIT
OUTSIDE = mq.MQGMO_NO_SYNCPOINT | mq.MQGMO_WAIT


@pytest.fixture(autouse=True)
def queues(serving: Serving) -> None:
    serving.qm.mqsc("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B)")


@pytest.fixture
def connection(serving: Serving) -> Iterator[RemoteConnection]:
    with serving.connect() as qm, qm.connect() as made:
        yield made


Told = standard.Queue[tuple[str, bytes, int]]


def consumer(
    mqi: Any,
    name: str,
    told: Told,
    options: int = IN_UNIT,
    then: Callable[[Any], None] | None = None,
    length: int = -1,
    ahead: bool = False,
) -> Any:
    """Register a callback that writes down (queue, data, reason), and does `then`."""

    def called(mqi: Any, md: MQMD, gmo: MQGMO, data: bytes, cbc: MQCBC) -> None:
        if cbc.call_type in (mq.MQCBCT_MSG_REMOVED, mq.MQCBCT_MSG_NOT_REMOVED):
            if then is not None:
                then(mqi)
            told.put((name, data, cbc.reason))

    od, cbd, gmo = MQOD(), MQCBD(), MQGMO()
    od.object_name, cbd.callback_function, cbd.max_msg_length = name, called, length
    gmo.version, gmo.options, gmo.wait_interval = 3, options, -1
    opened = mqi.open(od, mq.MQOO_INPUT_SHARED | mq.MQOO_BROWSE | (mq.MQOO_READ_AHEAD if ahead else 0))
    mqi.cb(mq.MQOP_REGISTER, cbd, opened, MQMD(), gmo)
    return opened


def fill(serving: Serving, name: str, count: int, persistent: bool = True) -> None:
    for n in range(count):
        serving.qm.queue(name).put(b"%d" % n, persistent=persistent)


def asked(serving: Serving) -> int:
    return sum(each.segments_received for each in list(serving.channels.sessions))


def test_a_message_costs_one_segment_each_way_beside_its_commit(connection: RemoteConnection, serving: Serving) -> None:
    mqi, told = connection.mqi, Told()
    fill(serving, "A", 50)
    consumer(mqi, "A", told, then=lambda mqi: mqi.cmit())
    before = asked(serving)
    mqi.ctl(mq.MQOP_START)
    assert [told.get(timeout=PATIENCE)[1] for _ in range(50)] == [b"%d" % n for n in range(50)]
    # Q_STATE, CONN_STATE, TXN_ALLOWED; then a request and a commit of each.
    assert 3 + 2 * 50 <= asked(serving) - before <= 3 + 2 * 50 + 1
    mqi.ctl(mq.MQOP_STOP)
    assert serving.qm.queue("A").depth == 0


def test_a_consumer_that_waits_asks_for_nothing_and_is_served_at_once(
    connection: RemoteConnection, serving: Serving
) -> None:
    """It was a get every half second; two consumers were asked fifty times a second."""
    mqi, told = connection.mqi, Told()
    for name in ("A", "B"):
        consumer(mqi, name, told, OUTSIDE)
    mqi.ctl(mq.MQOP_START)
    fill(serving, "B", 1)
    assert told.get(timeout=PATIENCE)[0] == "B"
    before = asked(serving)
    with pytest.raises(standard.Empty):
        told.get(timeout=0.7)
    assert asked(serving) <= before + 1
    fill(serving, "A", 1)
    assert told.get(timeout=PATIENCE)[0] == "A"
    mqi.ctl(mq.MQOP_STOP)


def test_a_commit_in_a_callback_commits_what_was_seen(connection: RemoteConnection, serving: Serving) -> None:
    """P1: the queue manager has pushed nothing else; what the last callback left is backed out."""
    mqi, told = connection.mqi, Told()
    fill(serving, "A", 3)
    fill(serving, "B", 3)
    seen: list[int] = []

    def one(mqi: Any) -> None:
        seen.append(1)
        if len(seen) == 3:
            mqi.cmit()
        if len(seen) == 4:
            mqi.ctl(mq.MQOP_STOP)

    consumer(mqi, "A", told, then=one)
    consumer(mqi, "B", told, then=one)
    mqi.ctl(mq.MQOP_START)
    for _ in range(4):
        told.get(timeout=PATIENCE)
    mqi.ctl(mq.MQOP_STOP)
    mqi.back()
    assert serving.qm.queue("A").depth + serving.qm.queue("B").depth == 3 and told.empty()


def test_data_need_not_travel(connection: RemoteConnection, serving: Serving) -> None:
    """MQGMO_ACCEPT_TRUNCATED_MSG and no room: the message is consumed, and its data stays behind."""
    mqi, told = connection.mqi, Told()
    serving.qm.queue("A").put(b"x" * 1_000_000, persistent=True)
    before = sum(each.bytes_sent for each in list(serving.channels.sessions))
    consumer(mqi, "A", told, IN_UNIT | mq.MQGMO_ACCEPT_TRUNCATED_MSG, lambda mqi: mqi.cmit(), length=0)
    mqi.ctl(mq.MQOP_START)
    assert told.get(timeout=PATIENCE) == ("A", b"", rc.MQRC_TRUNCATED_MSG_ACCEPTED)
    mqi.ctl(mq.MQOP_STOP)
    assert serving.qm.queue("A").depth == 0
    assert sum(each.bytes_sent for each in list(serving.channels.sessions)) - before < 10_000


def test_what_was_pushed_before_a_stop_is_delivered(connection: RemoteConnection, serving: Serving) -> None:
    """P2: as many are missing on the queue as were delivered, whenever the stop comes."""
    mqi, told = connection.mqi, Told()
    consumer(mqi, "A", told, OUTSIDE)
    for _ in range(5):
        mqi.ctl(mq.MQOP_START)
        feeder = threading.Thread(target=fill, args=(serving, "A", 20))
        feeder.start()
        told.get(timeout=PATIENCE)
        mqi.ctl(mq.MQOP_STOP)
        feeder.join(PATIENCE)
        seen = 1
        while not told.empty():
            told.get()
            seen += 1
        assert serving.qm.queue("A").depth == 20 - seen
        assert len(list(serving.qm.queue("A").messages())) == 20 - seen


def test_a_consumer_that_reads_ahead_is_sent_many(connection: RemoteConnection, serving: Serving) -> None:
    mqi, told = connection.mqi, Told()
    fill(serving, "A", 200, persistent=False)
    consumer(mqi, "A", told, OUTSIDE, ahead=True)
    before = asked(serving)
    mqi.ctl(mq.MQOP_START)
    assert [told.get(timeout=PATIENCE)[1] for _ in range(200)] == [b"%d" % n for n in range(200)]
    assert asked(serving) - before <= 6
    mqi.ctl(mq.MQOP_STOP)


def test_a_consumer_that_reads_ahead_has_no_persistent_message_that_it_has_not_seen(
    connection: RemoteConnection, serving: Serving
) -> None:
    """A program that ends in its callback loses one of them, as with any get. Those that may be lost come before it."""
    mqi, told = connection.mqi, Told()
    reached, go_on = threading.Event(), threading.Event()

    def hold(mqi: Any) -> None:
        reached.set()
        assert go_on.wait(PATIENCE)

    fill(serving, "A", 3, persistent=False)
    fill(serving, "A", 3)
    consumer(mqi, "A", told, OUTSIDE, ahead=True, then=hold)
    mqi.ctl(mq.MQOP_START)
    assert reached.wait(PATIENCE)
    assert serving.qm.queue("A").depth == 3
    go_on.set()
    seen = [told.get(timeout=PATIENCE)[1] for _ in range(4)]
    assert seen == [b"0", b"1", b"2", b"0"]
    assert [told.get(timeout=PATIENCE)[1] for _ in range(2)] == [b"1", b"2"]
    mqi.ctl(mq.MQOP_STOP)


def test_a_consumer_that_is_suspended_is_sent_nothing(connection: RemoteConnection, serving: Serving) -> None:
    mqi, told = connection.mqi, Told()
    cbd = MQCBD()

    def suspend(mqi: Any) -> None:
        mqi.cmit()
        mqi.cb(mq.MQOP_SUSPEND, cbd, b)

    consumer(mqi, "A", told, then=suspend)
    b = consumer(mqi, "B", told, then=lambda mqi: mqi.cmit())
    mqi.ctl(mq.MQOP_START)
    fill(serving, "A", 1)
    assert told.get(timeout=PATIENCE)[0] == "A"
    fill(serving, "B", 2)
    fill(serving, "A", 1)
    assert told.get(timeout=PATIENCE)[0] == "A"
    mqi.ctl(mq.MQOP_STOP)
    assert serving.qm.queue("B").depth == 2 and told.empty()
    mqi.cb(mq.MQOP_RESUME, cbd, b)
    mqi.ctl(mq.MQOP_START)
    assert [told.get(timeout=PATIENCE)[:2] for _ in range(2)] == [("B", b"0"), ("B", b"1")]
    mqi.ctl(mq.MQOP_STOP)


def test_a_consumer_is_served_again_when_its_connection_is_made_again(serving: Serving) -> None:
    told = Told()

    def commit(mqi: Any) -> None:
        try:
            mqi.cmit()
        except flintmq.MQError as error:  # The connection is lost in mid-commit: the message may come again.
            assert error.reason in (rc.MQRC_CALL_INTERRUPTED, rc.MQRC_BACKED_OUT)

    with serving.connect(reconnect="yes") as qm, qm.connect() as connection:
        consumer(connection.mqi, "A", told, then=commit)
        connection.mqi.ctl(mq.MQOP_START)
        fill(serving, "A", 1)
        assert told.get(timeout=PATIENCE)[1] == b"0"
        serving.cut()
        fill(serving, "A", 2)
        while told.get(timeout=PATIENCE)[1] != b"1":
            pass
        connection.mqi.ctl(mq.MQOP_STOP)
