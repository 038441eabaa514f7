"""Real processes are killed in the middle of two-phase commits; afterwards queues and tables agree.

`python tools/coordination_kills.py --kills 200` kills at every step and every victim many times; here each step is met
once, and the victims take turns.
"""

from __future__ import annotations

import random
from pathlib import Path

from flintmq.broker.runtime.coordination import STEPS
from tools.coordination_kills import ANYWHERE, VICTIMS, plan, world
from tools.postgres import Cluster


def test_queues_and_tables_agree_after_a_kill_at_each_step(cluster: Cluster, tmp_path: Path) -> None:
    rng = random.Random(11)
    with world(tmp_path, cluster) as made:
        for number, step in enumerate((*STEPS, ANYWHERE)):
            made.kill(VICTIMS[number % len(VICTIMS)], step, rng)
        made.check_foreign()
        made.forget_foreign()


def test_the_plan_has_every_victim_at_every_step_before_it_repeats_one() -> None:
    pairs = len(VICTIMS) * (len(STEPS) + 1)
    made = plan(2 * pairs, random.Random(1))
    assert len(set(made[:pairs])) == len(set(made[pairs:])) == pairs
