"""Where the log is flushed, and that a slow disk holds up nobody who does not wait for it (issue 14, item 30)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

import flintmq
from flintmq.host.instance import Instance
from flintmq.log.errors import LogError
from flintmq.qmgr.log_port import LogPort
from flintmq.server import log_flusher
from flintmq.server.log_flusher import ENOUGH_MIN, LONG_S, SHORT_S, STALL_S, Place
from tests.client.remote.serving import QUEUE, Serving
from tests.waiting import PATIENCE, until


def told(place: Place, seconds: float, times: int = 1) -> Place:
    for _ in range(times):
        place.observe(seconds)
    return place


def test_flushes_move_to_the_loop_when_enough_syncs_were_short() -> None:
    place = told(Place(), SHORT_S / 2, ENOUGH_MIN - 1)
    assert not place.in_loop
    assert told(place, SHORT_S / 2).in_loop


def test_between_short_and_long_flushes_stay_where_they_are() -> None:
    between = (SHORT_S + LONG_S) / 2
    assert not told(Place(), between, 1000).in_loop
    place = told(told(Place(), SHORT_S / 2, ENOUGH_MIN), between, 1000)
    assert place.in_loop and place.moves_to_thread == 0


def test_one_stall_or_a_long_mean_moves_flushes_to_the_thread() -> None:
    fast = told(Place(), SHORT_S / 2, ENOUGH_MIN)
    assert not told(fast, STALL_S).in_loop
    slow = told(Place(), SHORT_S / 2, ENOUGH_MIN)
    assert not told(slow, 2 * LONG_S, 20).in_loop
    assert (fast.moves_to_thread, slow.moves_to_thread) == (1, 1)


def test_a_disk_that_stalls_again_and_again_stalls_the_loop_ever_more_seldom() -> None:
    place = Place()
    syncs_between: list[int] = []
    for _ in range(4):
        syncs = 0
        while not place.in_loop:
            told(place, SHORT_S / 10)
            syncs += 1
        syncs_between.append(syncs)
        told(place, STALL_S)
    assert syncs_between == sorted(syncs_between) and syncs_between[-1] >= 4 * syncs_between[0]


class Disk:
    """The log as a group commit sees it, with syncs that take as long, and end, as the test says."""

    def __init__(self, log: Any) -> None:
        self._log = log
        self.open = threading.Event()
        self.open.set()
        self.asked = threading.Event()
        self.broken = False
        self.threads: set[int] = set()

    @property
    def durable(self) -> int:
        return int(self._log.durable)

    def flush(self) -> int:
        self.threads.add(threading.get_ident())
        self.asked.set()
        assert self.open.wait(PATIENCE)
        if self.broken:
            raise LogError("no space left on device")
        return int(self._log.flush())


class World:
    """A queue manager on a disk of the test's."""

    def __init__(self, directory: Path) -> None:
        self.serving = Serving(on_disk=Instance("QM1", directory / "QM1"))
        self.flusher = self.serving.hub.flusher
        self.disk = Disk(self.serving.host.log)
        self.serving.host.commits._log = cast(LogPort, self.disk)

    def in_loop(self) -> None:
        """From now on the loop flushes, whatever it takes."""
        self.flusher.place.in_loop = True
        self.flusher.place.observe = lambda seconds: None  # type: ignore[method-assign]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.disk.open.set()
    made.serving.close()


def test_persistent_puts_are_durable_when_they_return_wherever_the_log_is_flushed(world: World) -> None:
    log = world.serving.host.log
    with world.serving.connect() as qm:
        queue = qm.queue(QUEUE)
        for number in range(40):
            if number == 20:
                world.in_loop()
            queue.put(f"{number}", persistent=True)
            assert log.durable == log.end
        assert [message.text for message in queue.messages()] == [str(number) for number in range(40)]
    assert world.flusher.in_thread > 0 and world.flusher.in_loop >= 20
    assert len(world.disk.threads) == 2


def test_a_hanging_disk_holds_up_only_those_who_wait_for_it(world: World) -> None:
    """By the thread, which is where flushes are made while syncs are long."""
    world.disk.open.clear()
    with world.serving.connect() as patient, world.serving.connect() as other:
        waits = threading.Thread(target=lambda: patient.queue(QUEUE).put("durable", persistent=True))
        waits.start()
        assert world.disk.asked.wait(PATIENCE)
        another = other.queue("DEV.QUEUE.2")
        another.put("quick", persistent=False)
        assert another.get(wait=PATIENCE).text == "quick"
        assert waits.is_alive()
        world.disk.open.set()
        waits.join(PATIENCE)
        assert not waits.is_alive() and other.queue(QUEUE).get(wait=PATIENCE).text == "durable"


def test_the_loop_does_not_wait_for_the_flush_of_another_thread(world: World) -> None:
    """It follows, as a thread would, and goes on serving."""
    world.in_loop()
    world.disk.open.clear()
    inside = threading.Thread(target=lambda: world.serving.qm.queue(QUEUE).put("inside", persistent=True))
    inside.start()
    assert world.disk.asked.wait(PATIENCE)
    with world.serving.connect() as patient, world.serving.connect() as other:
        waits = threading.Thread(target=lambda: patient.queue(QUEUE).put("outside", persistent=True))
        waits.start()
        until(lambda: world.serving.host.commits._followers, "the flusher follows")
        another = other.queue("DEV.QUEUE.2")
        another.put("quick", persistent=False)
        assert another.get(wait=PATIENCE).text == "quick"
        world.disk.open.set()
        inside.join(PATIENCE)
        waits.join(PATIENCE)
        assert sorted(message.text for message in other.queue(QUEUE).messages()) == ["inside", "outside"]


def test_what_is_much_to_write_is_written_by_the_thread(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.in_loop()
    monkeypatch.setattr(log_flusher, "IN_LOOP_BYTES_MAX", 1000)
    with world.serving.connect() as qm:
        before = world.flusher.in_thread
        qm.queue(QUEUE).put(bytes(2000), persistent=True)
        assert world.flusher.in_thread == before + 1


@pytest.mark.parametrize("in_loop", [True, False])
def test_after_a_sync_that_fails_nobody_is_told_that_it_is_durable(world: World, in_loop: bool) -> None:
    if in_loop:
        world.in_loop()
    with world.serving.connect() as qm:
        queue = qm.queue(QUEUE)
        world.disk.broken = True
        with pytest.raises(flintmq.NotConnected):
            queue.put("lost", persistent=True)
        assert world.serving.host.state
