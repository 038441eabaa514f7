"""topics: CPU per publish to a topic string (MQPUT1, 1 match) among 100,000 subscriptions with wildcards.

Every publish is to another of 1,000,000 topic strings. The floor is the same with one subscription: what is more than
that is the price of the other 99,999. Also the part of it that the topic tree alone takes, and the memory that a
subscription takes. Bar: at most 5 us a publish, compiled.

    ./flint bench topics
    ./flint bench topics --quick --json
"""

from __future__ import annotations

from functools import partial

from benchmarks.frame import Figure, Options, cpu_of, resident_mb
from benchmarks.qmgr.floor_publish import empty, match_only, publish_to_strings
from benchmarks.qmgr.publishing import open_queue, queue_manager, subscribe
from flintmq.qmgr.calls import Calls
from flintmq.qmgr.connection import Connection

NAME = "topics"
DATA = bytes(100)
#: Publishes between two times that the queue is emptied.
BATCH = 10_000


def run(options: Options) -> list[Figure]:
    """CPU microseconds per publish, bytes per subscription."""
    subscriptions = options.scale(100_000, 100_000, 200)
    topics = options.scale(1_000_000, 100_000, 1000)
    progress = options.progress("topics", 4)
    qm, connection = queue_manager()
    sink = open_queue(qm, connection, "SINK")
    subscribe(qm, connection, "plant/+/line/+/#", sink)
    progress.at(0, "one subscription")
    alone, _ = _measure(qm, connection, 1, topics, options)
    qm, connection = queue_manager()
    sink = open_queue(qm, connection, "SINK")
    progress.at(1, "subscribing")
    before = resident_mb()
    for number in range(subscriptions):
        subscribe(qm, connection, _pattern(number), sink)
    memory = (resident_mb() - before) * 1e6 / subscriptions
    progress.at(2, "publishing")
    many, match = _measure(qm, connection, subscriptions, topics, options)
    progress.done()
    return [
        Figure("publish_100k_subs", many, "us", alone),
        Figure("match_100k_subs", match, "us"),
        Figure("bytes_per_sub", memory, "B"),
    ]


def _pattern(number: int) -> str:
    """Wildcards at the end, in the middle and in both places; no topic is meant by two of them."""
    kind = number % 3
    if kind == 0:
        return f"plant/{number}/line/+/#"
    if kind == 1:
        return f"plant/{number}/+/state"
    return f"plant/{number}/#"


def _topic(number: int, subscriptions: int) -> str:
    """A topic of its own for each number, that one pattern means."""
    plant = number % subscriptions
    if plant % 3 == 1:
        return f"plant/{plant}/{number}/state"
    return f"plant/{plant}/line/{number}/temperature"


def _measure(
    qm: Calls, connection: Connection, subscriptions: int, topics: int, options: Options
) -> tuple[float, float]:
    """CPU microseconds of a publish and of its match."""
    queue = qm.queues["SINK"]
    spread = options.scale(100_000, 100_000, 200) if subscriptions == 1 else subscriptions
    cost = match = 0.0
    for start in range(0, topics, BATCH):
        strings = []
        for number in range(start, min(start + BATCH, topics)):
            strings.append(f"plant/{number % spread}/line/{number}/x" if subscriptions == 1 else _topic(number, spread))
        match += cpu_of(partial(match_only, qm, strings))
        cost += cpu_of(partial(publish_to_strings, qm, connection, strings, DATA))
        assert queue.depth == len(strings), queue.depth
        empty(queue)
    return cost / topics * 1e6, match / topics * 1e6
