"""Durable subscriptions, retained publications and the copies of publications, whatever happens to the machine.

./flint test tests/simulation/test_pubsub.py --simulate 20000
"""

from __future__ import annotations

from tests.simulation.pubsub_world import PubSubWorld
from tests.simulation.test_histories import live


def test_subscriptions_publications_and_copies_survive_any_crash_exactly_once(seeds: range) -> None:
    """B50; the crash may come in the middle of any I/O operation."""
    for seed in seeds:
        try:
            live(PubSubWorld, seed)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}") from error


def test_the_histories_publish_retain_subscribe_and_give_up() -> None:
    """A simulation in which nobody subscribes would pass whatever is broken."""
    worlds = [live(PubSubWorld, seed) for seed in range(40)]
    happened: dict[str, int] = {}
    for world in worlds:
        for what, count in world.happened.items():
            happened[what] = happened.get(what, 0) + count
    for what in ("published", "retained", "subscribed", "managed", "unsubscribed"):
        assert happened.get(what, 0) > 40, f"{what}: {happened}"
    assert sum(world.restarts for world in worlds) > 60
    assert sum(world.spilled for world in worlds) > 500
