"""Messages and their copies on stream queues, whatever happens to the machine: none lost, none doubled, no pair split.

./flint test tests/simulation/test_streams.py --simulate 20000
"""

from __future__ import annotations

from tests.simulation.stream_world import StreamWorld
from tests.simulation.test_histories import live


def test_originals_and_copies_survive_any_crash_exactly_once_and_pairs_are_never_split(seeds: range) -> None:
    """B42, B43, B44; the crash may come in the middle of any I/O operation."""
    for seed in seeds:
        try:
            live(StreamWorld, seed)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}") from error


def test_the_histories_meet_full_missing_and_altered_stream_queues() -> None:
    """A simulation in which every copy can be put would pass whatever is broken."""
    worlds = [live(StreamWorld, seed) for seed in range(40)]
    happened: dict[str, int] = {}
    for world in worlds:
        for what, count in world.happened.items():
            happened[what] = happened.get(what, 0) + count
    for what in ("pair refused", "copied", "not copied", "streaming off", "streaming on", "delete", "define"):
        assert happened.get(what, 0) > 10, f"{what}: {happened}"
    assert sum(world.restarts for world in worlds) > 60
    assert sum(world.spilled for world in worlds) > 500


def test_a_history_that_once_lost_a_message() -> None:
    """3821: a number that a CLEAR had passed was given again, and the CLEAR was replayed once more."""
    live(StreamWorld, 3821)
