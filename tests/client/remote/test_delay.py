"""`delay` of a put: the same tests with a queue manager in the process and with one over a channel."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

import pytest

import flintmq
from flintmq.client.calls import Calls
from flintmq.wire.mq.initial_data import CAP2_SPIREQUEST
from tests.client.remote.serving import CHANNEL, Serving
from tests.waiting import PATIENCE, until

STAGING = "SYSTEM.DDELAY.LOCAL.QUEUE"
DELAY = 0.15
#: One that is not over while the test runs, however slow the machine is.
LONG = 3600.0


@pytest.fixture(params=["embedded", "tcp"])
def qm(request: pytest.FixtureRequest) -> Iterator[Calls]:
    if request.param == "embedded":
        with flintmq.open(":memory:") as opened:
            opened.mqsc("DEFINE QLOCAL(DEV.QUEUE.1)")
            yield opened
        return
    serving = Serving()
    with serving.connect() as connected:
        yield connected
    serving.close()


def test_a_delayed_message_comes_when_its_delay_is_over(qm: Calls) -> None:
    queue = qm.queue("DEV.QUEUE.1")
    before = time.time()
    message_id = queue.put("later", delay=DELAY, persistent=True, properties={"color": "red"}, expiry=60.0)
    message = queue.get(wait=PATIENCE)
    assert time.time() >= before + DELAY - 0.001  # The queue manager counts in milliseconds.
    assert (message.text, message.message_id, message.properties) == ("later", message_id, {"color": "red"})
    assert message.persistent and message.expiry is not None and message.expiry <= 60.0 - DELAY + 0.1
    assert qm.queue(STAGING).depth == 0


def test_a_message_without_delay_does_not_wait_for_one_with(qm: Calls) -> None:
    queue = qm.queue("DEV.QUEUE.1")
    queue.put("later", delay=LONG, persistent=True)
    queue.put("now")
    assert [queue.get(wait=PATIENCE).text, qm.queue(STAGING).depth] == ["now", 1]
    assert queue.get_or_none() is None


def test_a_transaction_decides_whether_it_is_delivered(qm: Calls) -> None:
    queue = qm.queue("DEV.QUEUE.1")
    with pytest.raises(ZeroDivisionError), qm.transaction():
        queue.put("never", delay=0.001)
        raise ZeroDivisionError
    with qm.transaction():
        queue.put("later", delay=0.001, wait=False)
        assert queue.get_or_none() is None
    assert queue.get(wait=PATIENCE).text == "later"
    assert queue.get_or_none() is None and qm.queue(STAGING).depth == 0


def test_a_delayed_publication_goes_to_those_who_subscribe_meanwhile(qm: Calls) -> None:
    delay, subscribed = DELAY, False
    while not subscribed:  # In time, that is: a machine that has much else to do needs more of it.
        due = time.monotonic() + delay
        qm.topic("news").publish("later", delay=delay)
        with qm.subscribe("news") as news:
            subscribed = time.monotonic() < due
            if subscribed:
                message = news.get(wait=PATIENCE)
                assert (message.text, message.topic) == ("later", "news")
        delay *= 4
    with pytest.raises(flintmq.MQError, match="2046"):
        qm.topic("news").publish("kept", delay=DELAY, retain=True)


def test_what_cannot_be_is_refused(qm: Calls) -> None:
    queue = qm.queue("DEV.QUEUE.1")
    with pytest.raises(flintmq.MQError, match="2013"):
        queue.put("old before it is there", delay=2.0, expiry=1.0)
    for bad in (-1.0, float("nan"), 1e15):
        with pytest.raises(ValueError, match="delay is a number of seconds from 0 to"):
            queue.put("", delay=bad)
    assert queue.depth == qm.queue(STAGING).depth == 0


def test_a_queue_manager_that_cannot_delay_is_not_asked_to(serving: Serving) -> None:
    with serving.connect() as qm:
        terms = qm.mqi.wire.session.terms
        assert terms.cap_flags_2 & CAP2_SPIREQUEST
        terms.cap_flags_2 &= ~CAP2_SPIREQUEST
        with pytest.raises(flintmq.MQError, match="2298"):
            qm.queue("DEV.QUEUE.1").put("later", delay=DELAY)
        qm.queue("DEV.QUEUE.1").put("now")
    assert (serving.qm.queue("DEV.QUEUE.1").get().text, serving.qm.queue(STAGING).depth) == ("now", 0)


def test_the_calls_for_asyncio_have_it_too(serving: Serving) -> None:
    async def work() -> None:
        async with flintmq.aconnect("QM1", channel=CHANNEL, conn=serving.conn, timeout=PATIENCE) as qm:
            queue = await qm.queue("DEV.QUEUE.1")
            await queue.put("much later", delay=LONG)
            assert await queue.get_or_none() is None
            await queue.put("later", delay=DELAY)
            assert (await queue.get(wait=PATIENCE)).text == "later"
            await qm.topic("news").publish("nobody hears it", delay=0.001)
        async with flintmq.aopen(":memory:") as inside:
            queue = await inside.queue("A", create=True)
            await queue.put("later", delay=DELAY)
            assert (await queue.get(wait=PATIENCE)).text == "later"

    asyncio.run(asyncio.wait_for(work(), 2 * PATIENCE))
    until(lambda: serving.qm.queue(STAGING).depth == 1, "the publication is published")


def test_a_program_in_the_same_process_as_the_channels_is_served_too(serving: Serving) -> None:
    queue = serving.qm.queue("DEV.QUEUE.1")
    queue.put("later", delay=DELAY)
    assert queue.get(wait=PATIENCE).text == "later"
