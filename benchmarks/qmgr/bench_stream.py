"""stream: what copies cost an application pair, by stream queue and by publish/subscribe (SQ-W01 to W08, Z93-Q10, Q15).

Ten pairs. App1 puts 2 KiB messages to a queue of its own; App2 waits in MQGET on that queue. Each copy has a reader
too, so that nothing builds up (B91). The figure is the rate of App1: messages per second of CPU time of everything that
is done, the gets of the readers of copies included. Those get ten messages at a time, and commit after ten (SQ-W04,
B86); that of `bestef_single` waits in MQGET for each message and commits it (SQ-W02).

    _np       not persistent, no syncpoint
    _p        persistent; App1 and App2 commit each message (B85). The log, of real files, is forced once for what all
              pairs put and once for what all readers got: they run at the same time

    figure            what is put                                             the floor is
    baseline          the message alone                                       none
    bestef            and a copy on a local stream queue, STRMQOS(BESTEF)     baseline
    mustdup           the same, STRMQOS(MUSTDUP)                              bestef
    pubsub2           to an alias of a topic with two subscriptions           baseline
    copies6_pubsub    to an alias of a topic with seven subscriptions         baseline
    copies6_stream    a copy on an alias of a topic with six subscriptions    copies6_pubsub
    bestef_single     as bestef                                               baseline

    open              CPU us of MQOPEN and MQCLOSE of a queue with STREAMQ      of one without (B69)
    open_topic        the same, STREAMQ to a topic with two subscriptions     with none (B70)
    put_SIZEk         CPU us of MQPUT and MQCMIT with STREAMQ, no getters     without (B71, Z93-Q03)

A larger ratio of rates is better, a smaller one of CPU us. Bars: bestef 0.70 (the reports: 0.63 persistent, 0.61 not),
mustdup 0.97 (0.90, 0.85), bestef not below pubsub2.

    ./flint bench stream
"""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.frame import Figure, Options, cpu_of, side_by_side
from benchmarks.qmgr.floor_stream import Putter, Reader, exchange, opens, puts
from benchmarks.qmgr.rig import Rig
from flintmq.log import LogConfig
from flintmq.mqi.constants import MQOO_INPUT_SHARED, MQOO_OUTPUT, MQSO_CREATE, MQSO_NON_DURABLE
from flintmq.mqi.od import MQOD
from flintmq.mqi.sd import MQSD
from flintmq.qmgr.admin import Admin
from flintmq.qmgr.attribute import Value
from flintmq.qmgr.checkpoint import checkpoint
from flintmq.qmgr.close import close
from flintmq.qmgr.connect import connect
from flintmq.qmgr.connection import Connection, Handle
from flintmq.qmgr.objects import clear_up_to
from flintmq.qmgr.open import open_object
from flintmq.qmgr.subscribe import subscribe

NAME = "stream"
SIZE = 2048
PAIRS = 10
BATCH = 10

#: Figure, its floor, STRMQOS of the base queue, subscriptions, whether App1 publishes, messages in a reader's batch.
SCENARIOS: tuple[tuple[str, str, str, int, bool, int], ...] = (
    ("baseline", "", "", 0, False, 0),
    ("bestef", "baseline", "BESTEF", 0, False, BATCH),
    ("mustdup", "bestef", "MUSTDUP", 0, False, BATCH),
    ("pubsub2", "baseline", "", 2, True, BATCH),
    ("copies6_pubsub", "baseline", "", 7, True, BATCH),
    ("copies6_stream", "copies6_pubsub", "BESTEF", 6, False, BATCH),
    ("bestef_single", "baseline", "BESTEF", 0, False, 0),
)


class Scenario:
    """A queue manager with the queues, topics and applications of one figure."""

    def __init__(self, qos: str, subscriptions: int, publishes: bool, batch: int, persistent: bool) -> None:
        queues: dict[str, dict[str, Value]] = {}
        for pair in range(PAIRS):
            if not publishes:
                stream = f"ALIAS.{pair}" if subscriptions else f"COPIES.{pair}"
                queues[f"BASE.{pair}"] = {"STREAMQ": stream, "STRMQOS": qos} if qos else {}
            if qos and not subscriptions:
                queues[f"COPIES.{pair}"] = {}
            for number in range(subscriptions):
                queues[f"SUB.{pair}.{number}"] = {}
        log = LogConfig(file_pages=16_384, primary=4, secondary=2) if persistent else LogConfig()
        self.rig = Rig(queues, buffers=200_000, log=log)
        self.persistent = persistent
        self.putters: list[Putter] = []
        self.readers: list[Reader] = []
        admin = Admin(self.rig.qm)
        for pair in range(PAIRS):
            if subscriptions:
                admin.define("TOPIC", f"TOPIC.{pair}", {"TOPICSTR": f"bench/{pair}"}, False)
                admin.define("QALIAS", f"ALIAS.{pair}", {"TARGET": f"TOPIC.{pair}", "TARGTYPE": "TOPIC"}, False)
            read = [f"SUB.{pair}.{number}" for number in range(subscriptions)]
            if not publishes:
                read.insert(0, f"BASE.{pair}")
            if qos and not subscriptions:
                read.append(f"COPIES.{pair}")
            for number in range(subscriptions):
                self.subscribe(f"bench/{pair}", f"SUB.{pair}.{number}")
            connection, handle = self.open(f"ALIAS.{pair}" if publishes else f"BASE.{pair}", MQOO_OUTPUT)
            self.putters.append(Putter(self.rig.qm, connection, handle, bytes(SIZE), persistent))
            for number, name in enumerate(read):
                connection, handle = self.open(name, MQOO_INPUT_SHARED)
                self.readers.append(Reader(self.rig.qm, connection, handle, persistent, batch if number else 0))

    def open(self, name: str, options: int) -> tuple[Connection, Handle]:
        """A connection of its own with `name` open."""
        reason, connection = connect(self.rig.qm, "bench", "user")
        assert connection is not None, reason
        od = MQOD()
        od.object_name = name
        handle = open_object(self.rig.qm, connection, od, options)
        assert handle is not None, f"{name}: {connection.reason}"
        return connection, handle

    def subscribe(self, topic_string: str, name: str) -> None:
        """An unmanaged, non-durable subscription."""
        connection, destination = self.open(name, MQOO_INPUT_SHARED)
        sd = MQSD()
        sd.options = MQSO_CREATE | MQSO_NON_DURABLE
        sd.object_string = topic_string
        assert subscribe(self.rig.qm, connection, sd, destination) is not None, connection.reason

    def run(self, count: int) -> float:
        """CPU seconds of `count` messages of each pair."""
        qm, log = self.rig.qm, self.rig.log if self.persistent else None
        cost = cpu_of(lambda: exchange(qm, self.putters, self.readers, count, log))
        if self.persistent:
            checkpoint(qm)
        return cost


def run(options: Options) -> list[Figure]:
    """Rates of the application pairs first, then what single calls cost."""
    return rates(options) + calls(options)


def rates(options: Options) -> list[Figure]:
    """Messages of App1 per CPU second; all scenarios in turns, the best of several rounds of each."""
    figures: list[Figure] = []
    for suffix, persistent in (("np", False), ("p", True)):
        rounds = options.scale(15, 7, 1)
        count = options.scale(400, 200, BATCH) if persistent else options.scale(2_000, 1_000, BATCH)
        scenarios = {
            name: Scenario(qos, subscriptions, publishes, batch, persistent)
            for name, _, qos, subscriptions, publishes, batch in SCENARIOS
        }
        best = dict.fromkeys(scenarios, float("inf"))
        progress = options.progress(f"stream {suffix}", rounds)
        for done in range(rounds):
            progress.at(done)
            for name, scenario in scenarios.items():
                best[name] = min(best[name], scenario.run(count))
        progress.done()
        for scenario in scenarios.values():
            scenario.rig.qm.check()
            scenario.rig.close()
        rate = {name: count * PAIRS / seconds for name, seconds in best.items()}
        for name, floor, *_ in SCENARIOS:
            figures.append(Figure(f"{name}_{suffix}", rate[name], "/s", rate[floor] if floor else None))
    return figures


def calls(options: Options) -> list[Figure]:
    """CPU microseconds of an open and close, and of a put and commit, with a stream queue and without."""
    rounds, count = options.scale(15, 7, 1), options.scale(5_000, 2_000, 10)
    plain, streaming = Scenario("", 0, False, 0, False), Scenario("BESTEF", 0, False, BATCH, False)
    nobody, two = Scenario("BESTEF", 0, False, BATCH, False), Scenario("BESTEF", 2, False, BATCH, False)
    admin = Admin(nobody.rig.qm)
    admin.define("TOPIC", "TOPIC", {"TOPICSTR": "bench"}, False)
    admin.define("QALIAS", "ALIAS", {"TARGET": "TOPIC", "TARGTYPE": "TOPIC"}, False)
    admin.alter("QLOCAL", "BASE.0", {"STREAMQ": "ALIAS"}, False)
    figures: list[Figure] = []
    for name, with_copies, without in (("open", streaming, plain), ("open_topic", two, nobody)):
        best, best_floor = side_by_side(_opens(with_copies, count), _opens(without, count), rounds)
        figures.append(Figure(name, best / count * 1e6, "us", best_floor / count * 1e6))
    for size in (2, 32, 128):
        number = max(10, count * 2 // size)
        work, floor = _puts(streaming, size * 1024, number), _puts(plain, size * 1024, number)
        best, best_floor = side_by_side(work, floor, rounds)
        figures.append(Figure(f"put_{size}k", best / number * 1e6, "us", best_floor / number * 1e6))
    for scenario in (plain, streaming, nobody, two):
        scenario.rig.close()
    return figures


def _opens(scenario: Scenario, count: int) -> Callable[[], None]:
    connection, _ = scenario.open("BASE.0", MQOO_OUTPUT)
    return lambda: opens(scenario.rig.qm, connection, "BASE.0", count)


def _puts(scenario: Scenario, size: int, count: int) -> Callable[[], None]:
    """Puts to empty queues that nobody reads. Their data is in memory once, and they fit the buffer pool."""
    for reader in scenario.readers:
        close(scenario.rig.qm, reader.connection, reader.handle)
    scenario.readers = []
    for queue in scenario.rig.qm.queues.values():
        clear_up_to(queue, queue.next_sequence)
    connection, handle = scenario.open("BASE.0", MQOO_OUTPUT)
    putter = Putter(scenario.rig.qm, connection, handle, bytes(size), False, True)
    return lambda: puts(putter, count)
