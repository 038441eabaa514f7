"""What is put while a client waits for it, by other clients and by other threads of the queue manager's process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flintmq.mqi.constants import MQGMO_NO_SYNCPOINT, MQGMO_WAIT, MQOO_INPUT_SHARED, MQOO_OUTPUT
from tests.client.remote.serving import QUEUE, Serving
from tests.server.test_process import SocketPeer
from tests.waiting import PATIENCE, until

WAIT = MQGMO_NO_SYNCPOINT | MQGMO_WAIT
ROUNDS = 10


@pytest.fixture
def serving() -> Iterator[Serving]:
    made = Serving()
    yield made
    made.close()


@pytest.mark.parametrize("by", ["another client", "another thread"])
def test_a_client_that_waits_is_sent_what_is_put(serving: Serving, by: str) -> None:
    """V4: what another thread puts is not handed over there, and does not wait until a client says something."""
    engine = serving.host.engine
    getter, putter = SocketPeer(serving.port), SocketPeer(serving.port)
    for peer in (getter, putter):
        peer.connect()
        peer.socket.settimeout(PATIENCE)
    source, target = getter.opened(QUEUE, MQOO_INPUT_SHARED), putter.opened(QUEUE, MQOO_OUTPUT)
    for number in range(ROUNDS):
        getter.socket.sendall(getter.get_request(source, WAIT, wait=100_000))
        until(lambda: engine.queues[QUEUE].waiting == 1, "it waits")
        if by == "another client":
            assert putter.put(target, b"%d" % number).reason == 0
        else:
            with serving.host.lock:  # So the loop has no turn before it is looked at.
                serving.qm.queue(QUEUE).put(b"%d" % number, persistent=False)
                assert not any(session.out for session in serving.channels.sessions)
        assert getter.got(getter.answer()).data == b"%d" % number
    assert not engine.in_turn
    for peer in (getter, putter):
        peer.socket.close()
