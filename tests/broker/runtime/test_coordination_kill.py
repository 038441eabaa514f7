"""Processes of a broker are killed in the middle of two-phase commits; afterwards queues and tables agree.

`python tools/coordination_kills.py --kills 200` kills every victim at every step many times. Here it is done for some
seconds, in an order that is another one each time; a failure shows victim and step.
"""

from __future__ import annotations

import random
import time
from pathlib import Path

from flintmq.broker.runtime.coordination import STEPS
from tools.coordination_kills import VICTIMS, plan, world
from tools.postgres import Cluster

KILLS = 6
#: No kill begins later than this.
SECONDS = 10.0


def test_queues_and_tables_agree_after_every_kill(cluster: Cluster, tmp_path: Path) -> None:
    rng = random.Random()
    end = time.monotonic() + SECONDS
    with world(tmp_path, cluster) as made:
        try:
            for victim, step in plan(KILLS, rng):
                made.kill(victim, step, rng)
                if time.monotonic() > end:
                    break
            made.check_foreign()
        finally:
            made.forget_foreign()


def test_the_plan_has_every_victim_at_every_step_before_it_repeats_one() -> None:
    pairs = len(VICTIMS) * (len(STEPS) + 1)
    made = plan(2 * pairs, random.Random(1))
    assert len(set(made[:pairs])) == len(set(made[pairs:])) == pairs
