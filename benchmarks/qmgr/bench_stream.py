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
from flintmq.catalogue.attribute import Value
from flintmq.log import LogConfig
from flintmq.mqi.constants import MQOO_INPUT_SHARED, MQOO_OUTPUT, MQSO_CREATE, MQSO_NON_DURABLE
from flintmq.mqi.od import MQOD
from flintmq.mqi.sd import MQSD
from flintmq.qmgr.calls import Admin
from flintmq.qmgr.connection import Connection, Handle
from flintmq.qmgr.objects import clear_up_to

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


def queues_of(name: str, qos: str, subscriptions: int, publishes: bool) -> dict[str, dict[str, Value]]:
    """The local queues of a scenario."""
    queues: dict[str, dict[str, Value]] = {}
    for pair in range(PAIRS):
        stream = f"{name}.ALIAS.{pair}" if subscriptions else f"{name}.COPIES.{pair}"
        if not publishes:
            queues[f"{name}.BASE.{pair}"] = {"STREAMQ": stream, "STRMQOS": qos} if qos else {}
        if qos and not subscriptions:
            queues[stream] = {}
        for number in range(subscriptions):
            queues[f"{name}.SUB.{pair}.{number}"] = {}
    return queues


class Scenario:
    """The applications of one figure, on a queue manager that they share with the others."""

    def __init__(
        self, rig: Rig, name: str, qos: str, subscriptions: int, publishes: bool, batch: int, persistent: bool
    ) -> None:
        self.rig = rig
        self.persistent = persistent
        self.putters: list[Putter] = []
        self.readers: list[Reader] = []
        admin = Admin(rig.qm)
        for pair in range(PAIRS):
            base, alias, topic = f"{name}.BASE.{pair}", f"{name}.ALIAS.{pair}", f"{name}.TOPIC.{pair}"
            if subscriptions:
                admin.define("TOPIC", topic, {"TOPICSTR": f"{name}/{pair}"}, False)
                admin.define("QALIAS", alias, {"TARGET": topic, "TARGTYPE": "TOPIC"}, False)
            read = [] if publishes else [base]
            for number in range(subscriptions):
                read.append(f"{name}.SUB.{pair}.{number}")
                self.subscribe(f"{name}/{pair}", read[-1])
            if qos and not subscriptions:
                read.append(f"{name}.COPIES.{pair}")
            connection, handle = self.open(alias if publishes else base, MQOO_OUTPUT)
            self.putters.append(Putter(rig.qm, connection, handle, bytes(SIZE), persistent))
            for number, queue in enumerate(read):
                connection, handle = self.open(queue, MQOO_INPUT_SHARED)
                self.readers.append(Reader(rig.qm, connection, handle, persistent, batch if number else 0))

    def open(self, name: str, options: int) -> tuple[Connection, Handle]:
        """A connection of its own with `name` open."""
        reason, connection = self.rig.qm.connect("bench", "user")
        assert connection is not None, reason
        od = MQOD()
        od.object_name = name
        handle = self.rig.qm.open(connection, od, options)
        assert handle is not None, f"{name}: {connection.reason}"
        return connection, handle

    def subscribe(self, topic_string: str, name: str) -> None:
        """An unmanaged, non-durable subscription."""
        connection, destination = self.open(name, MQOO_INPUT_SHARED)
        sd = MQSD()
        sd.options = MQSO_CREATE | MQSO_NON_DURABLE
        sd.object_string = topic_string
        assert self.rig.qm.subscribe(connection, sd, destination) is not None, connection.reason

    def run(self, count: int) -> float:
        """CPU seconds of `count` messages of each pair."""
        qm, log = self.rig.qm, self.rig.log if self.persistent else None
        cost = cpu_of(lambda: exchange(qm, self.putters, self.readers, count, log))
        if qm.needs_checkpoint():
            qm.checkpoint()
        return cost


def run(options: Options) -> list[Figure]:
    """Rates of the application pairs first, then what single calls cost."""
    return rates(options) + calls(options)


def rates(options: Options) -> list[Figure]:
    """Messages of App1 per CPU second; all scenarios in turns, the best of several rounds of each."""
    figures: list[Figure] = []
    for suffix, persistent in (("np", False), ("p", True)):
        rounds = options.scale(200, 60, 1)  # Many short ones: a quiet moment is enough for a true figure.
        count = options.scale(50, 30, BATCH) if persistent else options.scale(200, 100, BATCH)
        queues: dict[str, dict[str, Value]] = {}
        for name, _, qos, subscriptions, publishes, _ in SCENARIOS:
            queues.update(queues_of(name, qos, subscriptions, publishes))
        with Rig(queues, log=LogConfig(file_pages=16_384, primary=4, secondary=2) if persistent else None) as rig:
            scenarios = {
                name: Scenario(rig, name, qos, subscriptions, publishes, batch, persistent)
                for name, _, qos, subscriptions, publishes, batch in SCENARIOS
            }
            best = dict.fromkeys(scenarios, float("inf"))
            progress = options.progress(f"stream {suffix}", rounds)
            for done in range(rounds):
                progress.at(done)
                for name, scenario in scenarios.items():
                    best[name] = min(best[name], scenario.run(count))
            progress.done()
            rig.qm.check()
        rate = {name: count * PAIRS / seconds for name, seconds in best.items()}
        for name, floor, *_ in SCENARIOS:
            figures.append(Figure(f"{name}_{suffix}", rate[name], "/s", rate[floor] if floor else None))
    return figures


def calls(options: Options) -> list[Figure]:
    """CPU microseconds of an open and close, and of a put and commit, with a stream queue and without."""
    rounds, count = options.scale(30, 15, 1), options.scale(2_000, 1_000, 10)
    queues: dict[str, dict[str, Value]] = {
        "PLAIN": {},
        "STREAMED": {"STREAMQ": "COPIES"},
        "COPIES": {},
        "NOBODY": {"STREAMQ": "NOBODY.ALIAS"},
        "SUBSCRIBED": {"STREAMQ": "TWO.ALIAS.0"},
        **queues_of("TWO", "BESTEF", 2, False),
    }
    figures: list[Figure] = []
    with Rig(queues, buffers=200_000) as rig:
        scenario = Scenario(rig, "TWO", "BESTEF", 2, False, BATCH, False)
        admin = Admin(rig.qm)
        admin.define("TOPIC", "NOBODY", {"TOPICSTR": "nobody"}, False)
        admin.define("QALIAS", "NOBODY.ALIAS", {"TARGET": "NOBODY", "TARGTYPE": "TOPIC"}, False)
        for name, queue, without in (("open", "STREAMED", "PLAIN"), ("open_topic", "SUBSCRIBED", "NOBODY")):
            best, best_floor = side_by_side(_opens(scenario, queue, count), _opens(scenario, without, count), rounds)
            figures.append(Figure(name, best / count * 1e6, "us", best_floor / count * 1e6))
        for size in (2, 32, 128):
            number = max(10, count * 2 // size)
            work, floor = _puts(scenario, "STREAMED", size, number), _puts(scenario, "PLAIN", size, number)
            best, best_floor = side_by_side(work, floor, rounds)
            figures.append(Figure(f"put_{size}k", best / number * 1e6, "us", best_floor / number * 1e6))
    return figures


def _opens(scenario: Scenario, queue: str, count: int) -> Callable[[], None]:
    connection, _ = scenario.open(queue, MQOO_OUTPUT)
    return lambda: opens(scenario.rig.qm, connection, queue, count)


def _puts(scenario: Scenario, queue: str, size_kb: int, count: int) -> Callable[[], None]:
    """Puts to queues that are empty and that nobody reads. They fit the buffer pool; the data is in memory once."""
    qm = scenario.rig.qm
    for name in ("PLAIN", "STREAMED", "COPIES"):
        clear_up_to(qm.queues[name], qm.queues[name].next_sequence)
    connection, handle = scenario.open(queue, MQOO_OUTPUT)
    putter = Putter(qm, connection, handle, bytes(size_kb * 1024), False, True)
    return lambda: puts(putter, count)
