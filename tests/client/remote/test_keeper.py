"""The thread that looks after connections nobody uses just now."""

from __future__ import annotations

import threading
from threading import Thread

import pytest

from flintmq.client.remote.keeper import Keeper
from tests.client.remote.serving import Serving
from tests.waiting import PATIENCE, until


class Idle:
    """A connection that nobody uses."""

    heartbeat_s = 300

    def __init__(self) -> None:
        self.looked_at = threading.Event()

    def look(self) -> None:
        self.looked_at.set()

    def flush(self) -> bool:
        return True


class SlowStart(Thread):
    """A thread that throws a connection away before it has begun, as the collector may make any thread do."""

    thrown_away = staticmethod(lambda: None)

    def start(self) -> None:
        dropping = Thread(target=type(self).thrown_away, daemon=True)
        dropping.start()
        dropping.join(PATIENCE)
        assert not dropping.is_alive(), "K1: it waits for the lock of who waits for it"
        super().start()


def test_a_connection_may_be_thrown_away_while_the_thread_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, other = Keeper(), Idle()
    monkeypatch.setattr(SlowStart, "thrown_away", staticmethod(lambda: kept.drop(other)))
    monkeypatch.setattr("flintmq.client.remote.keeper.threading.Thread", SlowStart)
    one = Idle()

    kept.add(one)

    assert one.looked_at.wait(PATIENCE)
    kept.drop(one)


class Faulty(Idle):
    """A connection that fails as no connection should."""

    def look(self) -> None:
        super().look()
        raise ValueError("ours")


def test_after_an_error_of_ours_the_next_connection_is_looked_after(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    kept, faulty, one = Keeper(), Faulty(), Idle()
    kept.add(faulty)
    assert faulty.looked_at.wait(PATIENCE)
    thread = kept._thread
    if thread is not None:
        thread.join(PATIENCE)
    kept.drop(faulty)

    kept.add(one)

    assert one.looked_at.wait(PATIENCE)
    kept.drop(one)


def test_a_connection_that_another_thread_drops_is_broken_and_nothing_else(serving: Serving) -> None:
    """Its socket is closed under whoever looks after it."""
    qm = serving.connect()
    wire = qm.mqi.wire
    wire._socket.close()

    def seen() -> bool:
        wire.look()  # The thread of the process may be at it just now: then this look is none.
        return wire.broken is not None

    until(seen, "the connection is broken")
    qm.close()
