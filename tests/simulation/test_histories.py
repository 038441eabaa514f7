"""Nothing committed is lost or doubled, and order is kept, whatever happens to the machine.

./flint test tests/simulation --simulate 20000
./flint test tests/simulation --seed 4711      repeats one history
"""

from __future__ import annotations

from flintmq.log import LogError
from flintmq.store.errors import PageSetError
from tests.simulation.disk import SimulatedCrash
from tests.simulation.world import World


def live(kind: type[World], seed: int, failing: bool = True) -> World:
    """One random life of a queue manager: some runs, each ended by a crash, a failed sync, or in good order."""
    world = kind(seed, SimulatedCrash, failing)
    for _ in range(world.random.choice([1, 2, 4])):
        try:
            if world.random.random() < 0.8:
                world.run(world.random.choice([10, 60, 150]))
                world.provoke()
            world.run(world.random.choice([20, 100]))
            world.stop_if_failed()
        except SimulatedCrash:
            world.crash()
            continue
        except (LogError, PageSetError, OSError) as error:
            world.failed(error)
            continue
        if world.random.random() < 0.3:
            world.disk.fail_at(-1)
            world.disk.fail_sync(0, world.random)
            world.io_left = world.syncs_left = -1
            world.clean_end()
        else:
            world.crash()
    return world


def history(seed: int) -> World:
    return live(World, seed)


def test_what_was_committed_survives_any_crash_exactly_once_and_in_order(seeds: range) -> None:
    """Random histories against a model; the crash may come in the middle of any I/O operation.

    Issue 14, item 4: a sync that fails marks its pages clean; nothing of them may count before it is written again.
    """
    for seed in seeds:
        try:
            history(seed)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}") from error


#: What may come of a scan for expired messages.
SCANS = {"scan", "expired", "expired in memory and on the page set"}


def test_the_histories_go_where_it_hurts() -> None:
    """A simulation that no longer spills, restarts or meets the rarer events would pass whatever is broken."""
    worlds = [history(seed) for seed in range(200)]
    assert sum(world.restarts for world in worlds) > 80
    assert sum(world.spilled for world in worlds) > 800
    assert sum(world.loads for world in worlds) > 500
    assert sum(1 for world in worlds if world.spilled and world.loads) > 25
    happened = {what for world in worlds for what in world.happened}
    rarer = {"lock", "get under cursor", "selected", "own put", "define", "alter", "clear", "delete", "file lost"}
    assert happened == rarer | SCANS | {"sync failed", "sync failed at start", "disk full", "put refused"}


def test_histories_that_once_failed_stay_mended() -> None:
    """5243: replay spilled around a put that came later. 17369: replay moved a queue to another page set.

    451, 1317: a scan left a chunk with two homes, and dead slots in one of them were forgotten.
    """
    for seed in (5243, 17369, 451, 1317):
        live(World, seed, failing=False)
