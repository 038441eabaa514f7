"""Issue 14, items 7 and 12: subscriptions of the Python clients on a queue manager that goes by authority records."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import flintmq
from flintmq.client import aio, queue_manager
from flintmq.client.aio import AsyncQueueManager
from flintmq.client.aio_calls import AsyncCalls
from flintmq.client.calls import Calls
from flintmq.client.queue_manager import QueueManager
from flintmq.mqi.reason import MQRC_IDENTITY_MISMATCH, MQRC_NOT_AUTHORIZED
from flintmq.qmgr.security import Entities
from flintmq.server.process import guard
from tests.client.remote.serving import CHANNEL, Serving
from tests.waiting import PATIENCE

TOPIC = "dev/news"


@pytest.fixture
def guarded(serving: Serving) -> Serving:
    """The developer's queue manager as strmqm runs it: `app` has the authority that `crtmqm --dev` gives it."""
    serving.qm.mqsc("ALTER CHANNEL(DEV.APP.SVRCONN) CHLTYPE(SVRCONN) MCAUSER(' ')")
    serving.qm.mqsc(
        "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('ann') AUTHADD(CONNECT,INQ)\n"
        "SET AUTHREC PROFILE('DEV.**') OBJTYPE(TOPIC) PRINCIPAL('ann') AUTHADD(PUB,SUB)"
    )
    guard(serving.host.engine, Entities())
    return serving


@pytest.fixture
def as_app(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program in the queue manager's own process that is `app`."""
    monkeypatch.setattr(queue_manager, "user_identifier", lambda: "app")
    monkeypatch.setattr(aio, "user_identifier", lambda: "app")


def gets_and_browses(qm: Calls) -> None:
    for name in (None, "KEPT"):
        with qm.subscribe(TOPIC, durable_name=name) as subscription:
            for number in range(4):
                qm.topic(TOPIC).publish(f"{number}")
            assert subscription.get(wait=PATIENCE).text == "0"
            with qm.transaction():
                assert subscription.get(wait=PATIENCE).text == "1"
            assert [message.text for message in subscription.browse()] == ["2", "3"]
            assert [message.text for message in subscription.messages()] == ["2", "3"]
            assert subscription.queue.depth == 0
            if name:
                subscription.remove()


@pytest.mark.usefixtures("as_app")
@pytest.mark.parametrize("where", ["embedded", "remote"])
def test_app_of_the_developer_defaults_gets_what_it_subscribes_to(guarded: Serving, where: str) -> None:
    """Item 12: a managed subscription needs no authority on its queue, for the threads of its application neither."""
    if where == "embedded":
        gets_and_browses(QueueManager(guarded.host, "app.py"))
    else:
        with guarded.connect(user="app", password="x") as qm:
            gets_and_browses(qm)


async def gets_asynchronously(qm: AsyncCalls) -> None:
    for name in (None, "KEPT"):
        async with qm.subscribe(TOPIC, durable_name=name) as subscription:
            for number in range(4):
                await qm.topic(TOPIC).publish(f"{number}")
            assert (await subscription.get(wait=PATIENCE)).text == "0"
            async with qm.transaction():
                assert (await subscription.get(wait=PATIENCE)).text == "1"
            assert [message.text async for message in subscription.browse()] == ["2", "3"]
            assert [message.text async for message in subscription.messages()] == ["2", "3"]
            if name:
                await subscription.remove()


async def in_process(guarded: Serving) -> None:
    with ThreadPoolExecutor() as workers:
        await gets_asynchronously(AsyncQueueManager(guarded.host, "app.py", workers))


async def over_a_channel(guarded: Serving) -> None:
    async with flintmq.aconnect("QM1", channel=CHANNEL, conn=guarded.conn, user="app", password="x") as qm:
        await gets_asynchronously(qm)


@pytest.mark.usefixtures("as_app")
@pytest.mark.parametrize("where", ["embedded", "remote"])
def test_app_of_the_developer_defaults_gets_what_it_subscribes_to_with_asyncio(guarded: Serving, where: str) -> None:
    """Item 12, with asyncio."""
    asyncio.run(in_process(guarded) if where == "embedded" else over_a_channel(guarded))


def test_the_queue_of_a_managed_subscription_is_nobody_elses(guarded: Serving) -> None:
    """Only the user who has the subscription, only while it has it, and only to get, browse and inquire."""
    with guarded.connect(user="app", password="x") as qm, guarded.connect(user="ann", password="x") as ann:
        with qm.subscribe(TOPIC, durable_name="KEPT") as subscription:
            name = subscription.queue.name
            for refused in (lambda: ann.queue(name).get(), lambda: qm.queue(name).put(b"forged")):
                with pytest.raises(flintmq.MQError) as error:
                    refused()
                assert error.value.reason == MQRC_NOT_AUTHORIZED
        with pytest.raises(flintmq.MQError) as error:
            qm.queue(name).get()
        assert error.value.reason == MQRC_NOT_AUTHORIZED


@pytest.fixture
def users(guarded: Serving) -> Iterator[tuple[Calls, Calls]]:
    with guarded.connect(user="app", password="x") as app, guarded.connect(user="ann", password="x") as ann:
        yield app, ann


def test_a_durable_subscription_is_its_users_own(users: tuple[Calls, Calls]) -> None:
    """Item 7: another user neither has it again nor removes it."""
    app, ann = users
    app.subscribe(TOPIC, durable_name="OWN").close()
    app.topic(TOPIC).publish("private")
    with pytest.raises(flintmq.MQError) as error:
        ann.subscribe(TOPIC, durable_name="OWN")
    assert error.value.reason == MQRC_IDENTITY_MISMATCH
    with app.subscribe(TOPIC, durable_name="OWN") as again:
        assert again.get(wait=PATIENCE).text == "private"


def test_a_durable_subscription_for_any_user_says_so(users: tuple[Calls, Calls]) -> None:
    app, ann = users
    app.subscribe(TOPIC, durable_name="SHARED", any_user=True).close()
    app.topic(TOPIC).publish("for all")
    with ann.subscribe(TOPIC, durable_name="SHARED") as had:
        assert had.get(wait=PATIENCE).text == "for all"
    with pytest.raises(ValueError, match="durable_name"):
        app.subscribe(TOPIC, any_user=True)
