"""Threads that wait: each message reaches one of them, whatever interrupts them. They are woken without the lock."""

from __future__ import annotations

import copy
import pickle
import random
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial

import pytest

import flintmq
from flintmq.client.engine_session import EngineSession
from flintmq.client.options import get_options
from flintmq.client.thread_session import ThreadSession
from flintmq.host.host import Host
from flintmq.mqi.constants import MQGMO_NO_SYNCPOINT
from flintmq.mqi.md import MQMD
from tests.waiting import PATIENCE, until

Opener = Callable[[], flintmq.QueueManager]


class Interrupted(Exception):
    """What our signal handler raises."""


def is_parked(host: Host, session: ThreadSession, thread: int) -> bool:
    """Whether a get of `session` waits at its gate. Compiled code does not stop between the two."""
    code = getattr(ThreadSession._await_gate, "__code__", None)
    at_the_gate = code is None or sys._current_frames()[thread].f_code is code
    return at_the_gate and session.connection.connection_id in host.parked


def started(works: list[Callable[[], None]]) -> list[threading.Thread]:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    return threads


def put(queue: flintmq.Queue) -> None:
    queue.put(b"")


def joined(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in threads), "somebody waits for ever"


@pytest.mark.parametrize("persistent", [True, False])
def test_a_storm_of_puts_timeouts_and_interrupts_delivers_each_message_once(
    qm: flintmq.QueueManager, persistent: bool
) -> None:
    """Getters give up all the time; the main thread is interrupted while it waits."""
    queue = qm.queue("A", create=True)
    per_putter = 400 if qm.directory is None else 80
    sent = {b"%d.%d" % (putter, number) for putter in range(4) for number in range(per_putter)}
    got: list[bytes] = []
    done = threading.Event()

    def putter(which: int) -> None:
        for number in range(per_putter):
            queue.put(b"%d.%d" % (which, number), persistent=persistent)

    def getter(seed: int) -> None:
        chance = random.Random(seed)
        while len(got) < len(sent):
            message = queue.get_or_none(wait=chance.choice([0.0001, 0.001, 0.005]))
            if message is not None:
                got.append(message.data)

    def disturber() -> None:
        while not done.is_set():
            with qm._host.lock:  # Nobody can complete the wait meanwhile.
                if is_parked(qm._host, session, main):
                    signal.pthread_kill(main, signal.SIGUSR1)
            threading.Event().wait(0.001)

    def interrupt(number: int, frame: object) -> None:
        interrupts.append(number)
        raise Interrupted

    interrupts: list[int] = []
    flushes = persistent and qm.directory is not None
    main = threading.get_ident()
    session = qm._current()._session
    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        threads = started([partial(putter, which) for which in range(4)])
        threads += started([partial(getter, seed) for seed in range(4)])
        # Not while the main thread may flush the log: an interrupt there stops the queue manager (H4).
        disturbing = started([] if flushes else [disturber])
        while len(got) < len(sent):
            try:
                message = queue.get_or_none(wait=0.05)
                if message is not None:
                    got.append(message.data)
            except Interrupted:
                pass
        until(lambda: flushes or interrupts or _interrupted(queue), "the main thread was interrupted")
        done.set()
        joined(disturbing)
    finally:
        done.set()
        signal.signal(signal.SIGUSR1, before)
    joined(threads)
    assert sorted(got) == sorted(sent)
    assert queue.depth == 0 and qm._host.parked == {} and qm._host.engine.waiting == 0
    qm._host.engine.check()


def _interrupted(queue: flintmq.Queue) -> bool:
    """Wait once more; True if that was interrupted."""
    try:
        queue.get_or_none(wait=0.05)
    except Interrupted:
        return True
    return False


def test_a_close_during_waits_ends_them_and_keeps_what_nobody_got(open_disk: Opener) -> None:
    acknowledged: list[bytes] = []
    got: list[bytes] = []
    refused: list[flintmq.MQError] = []
    with open_disk() as qm:
        queue = qm.queue("A", create=True)

        def putter(which: int) -> None:
            for number in range(10_000):
                data = b"%d.%d" % (which, number)
                try:
                    queue.put(data, persistent=True)
                except flintmq.NotConnected as error:
                    refused.append(error)
                    return
                acknowledged.append(data)

        def getter() -> None:
            while True:
                try:
                    message = queue.get(wait=True)
                except flintmq.NotConnected as error:
                    refused.append(error)
                    return
                got.append(message.data)

        threads = started([*(partial(putter, which) for which in range(2)), *[getter] * 6])
        until(lambda: len(got) > 20)
        qm.close()
        joined(threads)
    assert len(refused) == 8
    with open_disk() as qm:
        left = [message.data for message in qm.queue("A").messages()]
    assert len(got) + len(left) == len(set(got + left))
    assert set(acknowledged) <= set(got + left)


def test_a_waiting_get_is_woken_when_the_lock_is_free(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    free: list[bool] = []

    def look() -> None:
        free.append(qm._host.lock.acquire(blocking=False))
        if free[-1]:
            qm._host.lock.release()

    def wake() -> None:
        joined(started([look]))

    session = EngineSession(qm._host, "test", "")
    gmo = get_options(True, False, False)
    gmo.options |= MQGMO_NO_SYNCPOINT
    md = MQMD()
    assert not session.get("A", md, gmo, -1, True, wake)
    queue.put(b"hello")
    assert free == [True]
    assert session.finish_get(md) and session.connection.data == b"hello"
    session.close()


def test_a_wake_that_an_interrupted_call_left_is_made_up_for_by_the_next_call(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    woken: list[bool] = []
    qm._host._to_wake.append(lambda: woken.append(True))
    qm._host._any_to_wake = True
    queue.put(b"")
    assert woken == [True]


def test_a_wait_that_was_given_up_leaves_nothing_for_the_next(qm: flintmq.QueueManager) -> None:
    """The message may come in the moment in which the time is over; the next wait is another one."""
    queue, other = qm.queue("A", create=True), qm.queue("B", create=True)
    rounds = 300

    def putter() -> None:
        for number in range(rounds):
            queue.put(b"%d" % number)

    thread = started([putter])
    got: list[bytes] = []
    while len(got) < rounds:
        message = queue.get_or_none(wait=0.00001)
        if message is not None:
            got.append(message.data)
        assert other.get_or_none(wait=0.00001) is None
    joined(thread)
    assert got == [b"%d" % number for number in range(rounds)]


def test_a_message_can_be_copied_and_pickled(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    queue.put("hello", correlation_id=b"1", properties={"color": "red"})
    message = queue.get()
    for other in (copy.copy(message), pickle.loads(pickle.dumps(message))):
        assert (other.text, other.correlation_id, other.properties) == (
            "hello",
            message.correlation_id,
            {"color": "red"},
        )
        assert (other.length, other.queue_name, other.token) == (5, "A", b"")


def test_a_dropped_connection_takes_its_handles_along(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    for _ in range(3):
        joined(started([lambda: put(queue)]))
    queue.put(b"")  # This call disconnects the connections of threads that have ended.
    assert len(qm._host.idle_handles) == 1
    with qm.connect() as another:
        another.queue("A").put(b"")
        assert len(qm._host.idle_handles) == 2
    assert len(qm._host.idle_handles) == 1
