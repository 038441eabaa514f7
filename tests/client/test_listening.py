"""The fixture of a queue manager that listens, for code that connects by itself: with flintmq, asyncio and pymqi."""

# ruff: noqa: F811
from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

import pytest

import flintmq
from flintmq import pymqi
from flintmq.testing import (  # noqa: F401
    ListeningQueueManager,
    assert_queue,
    listening_queue_manager,
    listening_queue_manager_session,
)


def test_a_program_connects_with_flintmq(listening_queue_manager: ListeningQueueManager) -> None:
    with flintmq.connect(**listening_queue_manager.options) as qm:  # type: ignore[arg-type]
        qm.queue("DEV.QUEUE.1").put("order 7", properties={"color": "red"})
        qm.queue("MINE", create=True).put("mine")
    assert_queue(listening_queue_manager.qm, "DEV.QUEUE.1").has("order 7", properties={"color": "red"})
    assert_queue(listening_queue_manager.qm, "MINE").has_only("mine")
    listening_queue_manager.clear()
    assert_queue(listening_queue_manager.qm, "DEV.QUEUE.1").is_empty()


def test_a_program_connects_with_asyncio(listening_queue_manager: ListeningQueueManager) -> None:
    async def main() -> str:
        async with flintmq.aconnect(**listening_queue_manager.options) as qm:  # type: ignore[arg-type]
            queue = await qm.queue("DEV.QUEUE.1")
            await queue.put("hello")
            return (await queue.get()).text

    assert asyncio.run(main()) == "hello"


def test_a_program_connects_with_pymqi(listening_queue_manager: ListeningQueueManager) -> None:
    it = listening_queue_manager
    qmgr = pymqi.connect(it.name, it.channel, it.conn, it.user, it.password)
    pymqi.Queue(qmgr, "DEV.QUEUE.1").put(b"order 7")
    assert pymqi.Queue(qmgr, "DEV.QUEUE.1").get() == b"order 7"
    qmgr.disconnect()


def test_a_wrong_password_is_refused(listening_queue_manager: ListeningQueueManager) -> None:
    options = {**listening_queue_manager.options, "password": "wrong"}
    with pytest.raises(flintmq.NotAuthorized):
        flintmq.connect(**options)  # type: ignore[arg-type]


def test_each_user_has_a_password(listening_queue_manager: ListeningQueueManager) -> None:
    it = listening_queue_manager
    for user in ("app", "admin"):
        with flintmq.connect(**it.options_of(user)) as qm:  # type: ignore[arg-type]
            qm.queue("DEV.QUEUE.1").put("from " + user)
            assert it.qm.queue("DEV.QUEUE.1").get().user.strip() == user
    with pytest.raises(KeyError):
        it.options_of("nobody")
    with pytest.raises(flintmq.NotAuthorized):
        flintmq.connect(**{**it.options, "user": "nobody"})  # type: ignore[arg-type]


def test_the_users_can_be_given() -> None:
    users = {"clerk": "one", "reader": "two"}
    with ListeningQueueManager("OTHER", users) as it:
        assert (it.user, it.password, it.users) == ("clerk", "one", users)
        with flintmq.connect(**it.options_of("reader")) as qm:  # type: ignore[arg-type]
            assert qm.name == "OTHER"
        for user, password in (("clerk", "two"), ("app", "passw0rd")):
            with pytest.raises(flintmq.NotAuthorized):
                flintmq.connect(**{**it.options, "user": user, "password": password})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="has a user"):
        ListeningQueueManager("OTHER", {})
    with pytest.raises(ValueError, match="neither of them blank"):
        ListeningQueueManager("OTHER", {"app": ""})


def test_the_uri_has_everything(listening_queue_manager: ListeningQueueManager) -> None:
    it = listening_queue_manager
    parts = urlsplit(it.uri)
    assert (parts.hostname, parts.port, parts.username, parts.password) == (it.host, it.port, it.user, it.password)
    assert (parts.path, parts.query) == ("/QM1", "channel=DEV.APP.SVRCONN")


SAME: list[ListeningQueueManager] = []


@pytest.mark.parametrize("turn", [1, 2])
def test_that_of_the_session_stays(listening_queue_manager_session: ListeningQueueManager, turn: int) -> None:
    SAME.append(listening_queue_manager_session)
    assert SAME[0] is listening_queue_manager_session and listening_queue_manager_session.port


def test_clients_are_told_when_it_ends() -> None:
    listening = ListeningQueueManager("OTHER")
    with flintmq.connect(**listening.options) as qm:  # type: ignore[arg-type]
        queue = qm.queue("DEV.QUEUE.1")
        listening.close()
        listening.close()
        with pytest.raises(flintmq.NotConnected):
            queue.put("too late")
