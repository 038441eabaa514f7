"""The host runs scans for expired messages at their time (B99), by itself."""

from __future__ import annotations

import threading

import pytest

import flintmq
from tests.waiting import PATIENCE, until


def timers(qm: flintmq.QueueManager) -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name == f"flintmq expiry {qm.name}"]


def test_refresh_qmgr_makes_expired_messages_go_without_a_get() -> None:
    with flintmq.open(":memory:") as qm:
        queue = qm.queue("A", create=True)
        for _ in range(3):
            queue.put("soon old", expiry=0.1)
        queue.put("for ever")
        threading.Event().wait(0.15)
        assert queue.depth == 4 and timers(qm) == []

        qm.mqsc("REFRESH QMGR TYPE(EXPIRY) NAME(A*)")

        until(lambda: queue.depth == 1, "expired messages are gone")
        until(lambda: not timers(qm), "the thread has nothing left to do")


def test_expryint_scans_again_and_again_until_it_is_off() -> None:
    with flintmq.open(":memory:") as qm:
        queue = qm.queue("A", create=True)
        qm.mqsc("ALTER QMGR EXPRYINT(1)")
        for _ in range(2):
            queue.put("soon old", expiry=0.1)
            until(lambda: queue.depth == 0, "expired messages are gone")
        qm.mqsc("ALTER QMGR EXPRYINT(OFF)")
        until(lambda: not timers(qm), "the thread has ended")


def test_a_message_on_the_staging_queue_that_is_none_is_moved_without_anybody_asking() -> None:
    with flintmq.open(":memory:") as qm:
        qm.mqsc("ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)")
        dead = qm.queue("SYSTEM.DEAD.LETTER.QUEUE")
        with qm.transaction():
            qm.queue("SYSTEM.DDELAY.LOCAL.QUEUE").put("not delayed")
        until(lambda: dead.depth == 1, "it is on the dead-letter queue")
        until(lambda: not timers(qm), "the thread has nothing left to do")


def test_the_thread_ends_with_the_queue_manager() -> None:
    qm = flintmq.open(":memory:")
    qm.mqsc("ALTER QMGR EXPRYINT(99999999)")
    (thread,) = timers(qm)
    qm.close()
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_a_bad_cap_is_refused_with_a_message() -> None:
    """B97."""
    with flintmq.open(":memory:") as qm:
        with pytest.raises(flintmq.CommandFailed, match=r"3355 \(MQRCCF_CUSTOM_ERROR\)"):
            qm.mqsc("DEFINE QLOCAL(S) CUSTOM('CAPEXPRY(soon)')")
        with pytest.raises(flintmq.CommandFailed, match="CAPEXPRY must be between 1 and 999999999, or NOLIMIT"):
            qm.mqsc("DEFINE QLOCAL(S) CAPEXPRY(soon)")
        qm.mqsc("DEFINE QLOCAL(S) CUSTOM('CAPEXPRY(12000)')")
        queue = qm.queue("S")
        queue.put("capped")
        assert 1190 < (queue.get().expiry or 0) <= 1200
