"""fanout: CPU per delivered copy with 1 to 1000 subscribers, non-persistent, 1 KiB (B259, B260).

Each subscriber has a managed queue of its own; a copy is delivered when it was published and its subscriber has got it.
The floor of each figure is that with 10 subscribers in the same run. Bar: with 1000 at most 1.25 of it.

    ./flint bench fanout
    ./flint bench fanout --quick --json
"""

from __future__ import annotations

from functools import partial

from benchmarks.frame import Figure, Options, cpu_of
from benchmarks.qmgr.floor_publish import publish_and_get
from benchmarks.qmgr.publishing import open_topic, queue_manager, subscribe
from flintmq.qmgr.connection import Handle

NAME = "fanout"
SIZE = 1024
SUBSCRIBERS = (1, 10, 30, 50, 70, 100, 1000)


def run(options: Options) -> list[Figure]:
    """CPU microseconds per copy."""
    copies = options.scale(200_000, 50_000, 1000)
    rounds = options.scale(5, 3, 1)
    data = bytes(SIZE)
    best: dict[int, float] = dict.fromkeys(SUBSCRIBERS, float("inf"))
    progress = options.progress("fanout", rounds * len(SUBSCRIBERS))
    stages = []
    for number in SUBSCRIBERS:
        qm, connection = queue_manager()
        topic = open_topic(qm, connection, "bench/fanout")
        queues: list[Handle] = []
        for _ in range(number):
            destination = subscribe(qm, connection, "bench/fanout").destination
            assert destination is not None
            queues.append(destination)
        stages.append((number, qm, connection, topic, queues))
    for turn in range(rounds):
        for at, (number, qm, connection, topic, queues) in enumerate(stages):
            progress.at(turn * len(SUBSCRIBERS) + at, f"{number} subscribers")
            count = max(1, copies // number)
            cost = cpu_of(partial(publish_and_get, qm, connection, topic, queues, count, data))
            best[number] = min(best[number], cost / (count * number) * 1e6)
    for _, qm, _, _, _ in stages:
        qm.check()
    progress.done()
    return [Figure(f"sub_{number}", best[number], "us", best[10]) for number in SUBSCRIBERS]
