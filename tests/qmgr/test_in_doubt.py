"""Units in doubt over a restart: from the log, and from page set 0, where checkpoints keep them (C1)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from flintmq.qmgr.checkpoint import DOUBT_PREFIX, UNIT_PREFIX
from flintmq.qmgr.xa import xa_commit, xa_rollback
from tests.qmgr.machine import Machine, damage_meta, fill, local, number_of, one_machine, prepare_some
from tests.simulation.disk import SimulatedCrash


@pytest.fixture(params=["memory", "lmdb"])
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Machine]:
    """One with so few buffers that messages spill; every invariant holds when the test is over."""
    made = Machine(request.param, tmp_path / "machine", [local("Q")], 50)
    yield made
    made.qm.check()
    made.close()


@pytest.mark.parametrize("checkpoints", [0, 1, 3])
@pytest.mark.parametrize("commit", [True, False])
def test_a_branch_in_doubt_is_as_it_was_and_can_be_resolved(machine: Machine, checkpoints: int, commit: bool) -> None:
    """From the log or, after a checkpoint, from page set 0; over several restarts; among spilled messages."""
    app = machine.connect()
    before = fill(app, "Q", 200, 1000, persistence=1)
    xid = prepare_some(machine, app, puts=20, gets=10)
    fill(machine.connect(), "Q", 200, 3000)
    for _ in range(checkpoints):
        machine.checkpoint()
    machine.log.flush()
    for _ in range(2):
        machine.crash()
        assert list(machine.qm.in_doubt) == [xid]
        assert (machine.depth("Q"), machine.queue("Q").uncommitted) == (220, 30)
        assert machine.contents("Q") == before[10:]
    connection = machine.connect().connection
    assert (xa_commit if commit else xa_rollback)(machine.qm, connection, xid) == 0
    machine.log.flush()
    machine.crash()
    numbers = [number_of(data) for data in machine.contents("Q")]
    assert numbers == ([*range(1010, 1200), *range(20)] if commit else list(range(1000, 1200)))
    assert machine.qm.in_doubt == {}


def test_a_branch_resolved_in_a_checkpoint_that_was_cut_off_is_resolved_once() -> None:
    """Page set 0 already has the generation after the one that the log's control file names."""
    machine = one_machine()
    app = machine.connect()
    fill(app, "Q", 3, 100, persistence=1)
    xid = prepare_some(machine, app, puts=2, gets=1)
    machine.checkpoint()
    assert xa_commit(machine.qm, app.connection, xid) == 0
    machine.log.flush()
    machine.disk.fail_at(1)  # The log's control file: everything before is done.
    with pytest.raises(SimulatedCrash):
        machine.checkpoint()
    for _ in range(2):
        machine.crash(lose_page_sets=False)
        assert [number_of(data) for data in machine.contents("Q")] == [101, 102, 0, 1]
        assert machine.qm.in_doubt == {}


def test_a_branch_that_is_in_a_checkpoint_that_was_cut_off_is_in_doubt_once() -> None:
    machine = one_machine()
    app = machine.connect()
    fill(app, "Q", 3, 100, persistence=1)
    xid = prepare_some(machine, app, puts=2, gets=1)
    machine.disk.fail_at(2)
    with pytest.raises(SimulatedCrash):
        machine.checkpoint()
    machine.disk = machine.disk.kill()
    machine.open_page_sets = {0: machine.memory().crash(0)}
    machine.start()
    assert list(machine.qm.in_doubt) == [xid]
    assert (machine.depth("Q"), machine.queue("Q").uncommitted) == (5, 3)


def units_on(machine: Machine) -> list[tuple[int, int]]:
    """Generation and number of the units in doubt that page set 0 keeps."""
    keys = [key for key, _ in machine.page_set(0).meta_items(UNIT_PREFIX)]
    return [struct.unpack(">QI", key[len(UNIT_PREFIX) :]) for key in keys]


def test_a_unit_in_doubt_is_written_by_one_checkpoint_and_goes_two_after_its_end(machine: Machine) -> None:
    """C1: the list of the generation that the control file names may still have it."""
    app = machine.connect()
    fill(app, "Q", 5, 100, persistence=1)
    machine.checkpoint()
    first = machine.qm.generation + 1
    one = prepare_some(machine, app, puts=3, gets=0, name=b"one")
    machine.checkpoint()
    two = prepare_some(machine, app, puts=2, gets=1, name=b"two")
    machine.checkpoint()
    machine.checkpoint()
    assert units_on(machine) == [(first, 0), (first + 1, 1)]

    machine.crash()
    assert list(machine.qm.in_doubt) == [one, two] and units_on(machine) == [(first, 0), (first + 1, 1)]
    assert xa_commit(machine.qm, machine.connect().connection, one) == 0
    machine.checkpoint()
    assert units_on(machine) == [(first, 0), (first + 1, 1)]
    machine.checkpoint()
    assert units_on(machine) == [(first + 1, 1)]

    machine.crash()
    assert list(machine.qm.in_doubt) == [two]
    assert [number_of(data) for data in machine.contents("Q")] == [*range(101, 105), 0, 1, 2]


def test_units_in_doubt_of_a_page_set_without_lists_are_found() -> None:
    """Version 2 of the page set: the units of a generation are all that were written with it."""
    machine = one_machine()
    app = machine.connect()
    xid = prepare_some(machine, app, puts=2, gets=0)
    machine.checkpoint()
    damage_meta(machine, DOUBT_PREFIX + struct.pack(">Q", machine.qm.generation), None)
    for _ in range(2):
        machine.crash(lose_page_sets=False)
        assert list(machine.qm.in_doubt) == [xid] and machine.queue("Q").uncommitted == 2
        machine.checkpoint()
    assert xa_commit(machine.qm, machine.connect().connection, xid) == 0
    assert len(machine.contents("Q")) == 2
