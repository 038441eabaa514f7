"""MOVE QLOCAL on a live engine: order, what is kept of a message, what is refused, and crashes on the way."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flintmq.log import Log
from flintmq.log.errors import LogError
from flintmq.mqi.constants import (
    MQGMO_BROWSE_FIRST,
    MQGMO_NO_SYNCPOINT,
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
    MQWI_UNLIMITED,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.qmgr.checkpoint import checkpoint
from flintmq.qmgr.connection import WAITING
from flintmq.qmgr.move import UNIT_BYTES, UNIT_MESSAGES
from tests.qmgr.test_admin import World


@pytest.fixture
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    world = World(str(tmp_path_factory.mktemp("log")))
    world.define("A")
    world.define("B")
    yield world
    world.qm.check()
    world.log.abandon()


def put_with(world: World, name: str, data: bytes, priority: int = 0, persistence: int = 1, expiry: int = -1) -> MQMD:
    handle = world.open(name, MQOO_OUTPUT)
    md, pmo = MQMD(), MQPMO()
    md.priority, md.persistence, md.expiry = priority, persistence, expiry
    md.correl_id = b"c" * 24
    pmo.options = MQPMO_NO_SYNCPOINT
    assert world.qm.put(world.connection, handle, md, pmo, data) == 0
    world.close(handle)
    return md


def first(world: World, name: str) -> MQMD:
    """The descriptor of the first message."""
    handle = world.open(name, MQOO_BROWSE)
    md, gmo = MQMD(), MQGMO()
    gmo.options = MQGMO_BROWSE_FIRST
    assert world.qm.get(world.connection, handle, md, gmo) == 0
    world.close(handle)
    return md


def test_all_messages_are_moved_in_the_order_of_delivery(world: World) -> None:
    for number in range(6):
        put_with(world, "A", b"%d" % number, priority=number % 2, persistence=number % 3 // 2)
    assert world.admin.move("A", "B", False) == (0, 6)
    assert world.admin.force == world.log.end
    assert world.qm.queues["A"].depth == 0
    world.qm.check()
    assert world.read("B") == [b"1", b"3", b"5", b"0", b"2", b"4"]


def test_into_a_fifo_queue_they_keep_the_order_they_had(world: World) -> None:
    world.define("F", MSGDLVSQ="FIFO")
    put_with(world, "A", b"low", priority=0)
    put_with(world, "A", b"high", priority=9)
    assert world.admin.move("A", "F", False) == (0, 2)
    assert world.read("F") == [b"high", b"low"]


def test_a_message_is_moved_as_it_is(world: World) -> None:
    put_with(world, "A", b"x", priority=4, expiry=600)
    before = first(world, "A")
    world.clock.advance(10_000)
    assert world.admin.move("A", "B", False) == (0, 1)
    after = first(world, "B")
    assert after.expiry == 500
    before.expiry = after.expiry
    assert after.pack() == before.pack()


def test_a_message_that_has_expired_is_moved_and_then_never_got(world: World) -> None:
    put_with(world, "A", b"x", expiry=10)
    world.clock.advance(5_000)
    assert world.admin.move("A", "B", False) == (0, 1)
    assert world.qm.queues["B"].depth == 1
    assert world.read("B") == []


def test_move_wants_an_empty_target_and_add_does_not(world: World) -> None:
    world.put_to("A", b"a")
    world.put_to("B", b"b")
    assert world.admin.move("A", "B", False) == (2055, 0)
    assert world.admin.move("A", "B", True) == (0, 1)
    assert world.read("B") == [b"b", b"a"]


def test_what_is_refused_before_anything_is_moved(world: World) -> None:
    world.define("ALIAS", "QALIAS", TARGET="A")
    world.define("SMALL", MAXDEPTH=1)
    assert world.admin.move("A", "NO", False) == (2085, 0)
    assert world.admin.move("ALIAS", "B", False) == (2085, 0)
    assert world.admin.move("A", "A", True) == (2152, 0)
    world.put_to("A", b"1")
    world.put_to("A", b"2")
    assert world.admin.move("A", "SMALL", False) == (2053, 0)
    handle = world.open("ALIAS", MQOO_OUTPUT)
    assert world.admin.move("A", "B", False) == (2042, 0)
    world.put(handle, options=MQPMO_SYNCPOINT)
    world.close(handle)
    assert world.admin.move("A", "B", False) == (2042, 0)
    assert world.qm.queues["A"].depth == 3 and world.qm.queues["B"].depth == 0


def test_a_message_that_does_not_fit_stops_the_move_and_what_was_moved_stays_moved(world: World) -> None:
    world.define("SHORT", MAXMSGL=3)
    for data in (b"1", b"2", b"too long", b"4"):
        world.put_to("A", data)
    assert world.admin.move("A", "SHORT", False) == (2030, 2)
    world.restart()
    assert world.read("SHORT") == [b"1", b"2"]
    assert world.read("A") == [b"too long", b"4"]
    assert world.admin.alter("QLOCAL", "B", {"PUT": "DISABLED"}, False) == 0
    world.put_to("A", b"5")
    assert world.admin.move("A", "B", False) == (2051, 0)


def test_the_target_may_be_open_and_its_getters_are_served(world: World) -> None:
    world.put_to("A", b"wanted")
    gmo = MQGMO()
    gmo.options, gmo.wait_interval = MQGMO_WAIT | MQGMO_NO_SYNCPOINT, MQWI_UNLIMITED
    assert world.qm.get(world.connection, world.open("B", MQOO_INPUT_SHARED), MQMD(), gmo) == WAITING
    assert world.admin.move("A", "B", False) == (0, 1)
    assert world.connection.data == b"wanted" and len(world.qm.woken) == 1


def test_many_messages_go_in_several_units_and_survive_a_restart(world: World) -> None:
    count = UNIT_MESSAGES * 2 + 7
    handle = world.open("A", MQOO_OUTPUT)
    for number in range(count):
        world.put(handle, b"%d" % number)
    world.close(handle)
    checkpoint(world.qm)
    assert world.admin.move("A", "B", False) == (0, count)
    world.restart()
    assert world.qm.queues["A"].depth == 0
    assert world.read("B") == [b"%d" % number for number in range(count)]


def test_more_than_the_log_holds_can_be_moved(world: World) -> None:
    data = bytes(100_000)
    count = 4 * UNIT_BYTES // len(data)
    for _ in range(count):
        world.put_to("A", data)
        checkpoint(world.qm)
    assert world.admin.move("A", "B", False) == (0, count)
    world.restart()
    assert world.qm.queues["A"].depth == 0 and world.qm.queues["B"].depth == count
    assert world.read("B") == [data] * count


class Cut:
    """The log as it is, but after so many appends it raises."""

    def __init__(self, log: Log, appends: int, error: Exception) -> None:
        self._log = log
        self.left = appends
        self.error = error

    def append(self, kind: int, body: bytes, data: bytes = b"") -> int:
        if not self.left:
            raise self.error
        self.left -= 1
        return self._log.append(kind, body, data)

    def __getattr__(self, name: str) -> object:
        return getattr(self._log, name)


class Crash(Exception):
    """The process ends here."""


@pytest.mark.parametrize(
    ("appends", "moved"), [(0, 0), (1, 0), (999, 0), (1000, 500), (1001, 500), (1999, 500), (2000, 1000)]
)
def test_after_a_crash_at_any_record_every_message_is_on_exactly_one_queue(
    world: World, appends: int, moved: int
) -> None:
    count = UNIT_MESSAGES * 2
    handle = world.open("A", MQOO_OUTPUT)
    for number in range(count):
        world.put(handle, b"%d" % number)
    world.close(handle)
    world.qm.log = Cut(world.log, appends, Crash())  # type: ignore[assignment]
    if appends < 2 * count:
        with pytest.raises(Crash):
            world.admin.move("A", "B", False)
    else:
        assert world.admin.move("A", "B", False) == (0, count)
    world.restart()
    assert world.read("B") == [b"%d" % number for number in range(moved)]
    assert world.read("A") == [b"%d" % number for number in range(moved, count)]


def test_a_full_log_stops_the_move_and_leaves_the_rest_where_it_is(world: World) -> None:
    for number in range(3):
        world.put_to("A", b"%d" % number)
    world.qm.log = Cut(world.log, 1, LogError("the log is full"))  # type: ignore[assignment]
    assert world.admin.move("A", "B", False) == (2102, 0)
    world.qm.log = world.log
    world.qm.check()
    assert first(world, "A").backout_count == 0
    world.restart()
    assert world.qm.queues["B"].depth == 0
    assert world.read("A") == [b"0", b"1", b"2"]
