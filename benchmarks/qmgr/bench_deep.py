"""deep: CPU per put, get and get by correlation id on a queue of 0, 100 k, 1 M and 5 M messages (Z701-W06, B149, B151).

1 KiB messages on a queue indexed by correlation id, buffer pool of 100 MB, page set on real files. The floor of every
figure is the same call at depth 0 in the same run; bar: within 20 %. Gets by correlation id pick messages at random
over the whole queue, so nearly all of them are on the page set. rss_mb is the largest resident set; its floor is the
bar: pool + 250 MB.

    put_DEPTH ...      persistent messages outside syncpoint: each call is logged and forced, as an application has it
    put_DEPTH_np ...   non-persistent messages: nothing is logged, so at depth 0 a call is nothing but moves in memory,
                       and what the way to the page set and back costs stands out in full

    ./flint bench deep
"""

from __future__ import annotations

from random import Random

from benchmarks.frame import Figure, Options, cpu_seconds, resident_mb
from benchmarks.qmgr.rig import Rig
from flintmq.log import LogConfig
from flintmq.mqi.constants import MQGMO_NO_SYNCPOINT, MQPMO_NEW_MSG_ID, MQPMO_NO_SYNCPOINT
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.qmgr.connection import Connection, Handle

NAME = "deep"
BUFFERS = 25_600  # 100 MB
DATA = bytes(1024)
NO_ID = bytes(24)
ROUNDS = 2


def correl_id(number: int) -> bytes:
    """Ids that are spread over the whole key space, so that the index has no easy time."""
    return ((number * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF).to_bytes(8, "big") + number.to_bytes(16, "big")


class Load:
    """Puts and gets on one queue, and knows which messages are on it."""

    def __init__(self, rig: Rig, connection: Connection, handle: Handle, persistent: bool) -> None:
        self.rig = rig
        self.connection = connection
        self.handle = handle
        self.persistent = persistent
        self.put_number = 0
        self.got_number = 0
        self.taken: set[int] = set()
        self.pmo = MQPMO()
        self.pmo.options = MQPMO_NO_SYNCPOINT | MQPMO_NEW_MSG_ID
        self.gmo = MQGMO()
        self.gmo.options = MQGMO_NO_SYNCPOINT
        self.md = MQMD()
        self.get_md = MQMD()

    def put(self, count: int, force: bool) -> None:
        qm, connection, handle, md, pmo, log = (
            self.rig.qm, self.connection, self.handle, self.md, self.pmo, self.rig.log
        )  # fmt: skip
        for _ in range(count):
            self.put_number += 1
            md.correl_id = correl_id(self.put_number)
            md.persistence = 1 if self.persistent else 0
            if qm.put(connection, handle, md, pmo, DATA):
                raise RuntimeError(f"put failed: {connection.reason}")
            if force:
                log.flush()

    def get(self, count: int) -> None:
        qm, connection, handle, md, gmo, log = (
            self.rig.qm, self.connection, self.handle, self.get_md, self.gmo, self.rig.log
        )  # fmt: skip
        for _ in range(count):
            md.msg_id = md.correl_id = NO_ID
            if qm.get(connection, handle, md, gmo):
                raise RuntimeError(f"get failed: {connection.reason}")
            if self.persistent:
                log.flush()
            self.got_number += 1
            while self.got_number in self.taken:
                self.taken.discard(self.got_number)
                self.got_number += 1

    def get_by_id(self, numbers: list[int]) -> None:
        qm, connection, handle, md, gmo, log = (
            self.rig.qm, self.connection, self.handle, self.get_md, self.gmo, self.rig.log
        )  # fmt: skip
        for number in numbers:
            md.msg_id = NO_ID
            md.correl_id = correl_id(number)
            if qm.get(connection, handle, md, gmo):
                raise RuntimeError(f"get by correlation id failed: {connection.reason}")
            if self.persistent:
                log.flush()


def run(options: Options) -> list[Figure]:
    """CPU microseconds per call at each depth."""
    depths = {"0": 0, "100k": 100_000, "1m": 1_000_000, "5m": 5_000_000}
    if options.quick:
        depths = {"0": 0, "100k": 100_000}
    if options.tiny:
        depths = {"0": 0, "100k": 300}
    return measure(options, depths, True) + measure(options, depths, False)


def measure(options: Options, depths: dict[str, int], persistent: bool) -> list[Figure]:
    # About one or more times what one spill takes, so that each call carries its share of it.
    calls = options.scale(9_000, 9_000, 20) if persistent else options.scale(18_000, 18_000, 100)
    random = Random(1)
    figures: list[Figure] = []
    base: dict[str, float] = {}
    suffix = "" if persistent else "_np"
    largest = 0.0
    log = LogConfig(file_pages=16_384, primary=4, secondary=2) if max(depths.values()) > 1000 else LogConfig()
    with Rig({"DEEP": {"INDXTYPE": "CORRELID"}}, BUFFERS, log) as rig:
        load = Load(rig, *rig.open("DEEP"), persistent)
        progress = options.progress("deep", max(depths.values()))
        for name, depth in depths.items():
            fill(rig, load, depth, progress.at)
            best = {"put": 1e9, "get": 1e9, "get_by_correlid": 1e9}
            for _ in range(ROUNDS):
                started = cpu_seconds()
                load.put(calls, persistent)
                best["put"] = min(best["put"], cpu_seconds() - started)
                started = cpu_seconds()
                load.get(calls)
                best["get"] = min(best["get"], cpu_seconds() - started)
                load.put(calls, False)
                numbers = choose(random, load, calls)
                started = cpu_seconds()
                load.get_by_id(numbers)
                best["get_by_correlid"] = min(best["get_by_correlid"], cpu_seconds() - started)
                load.taken.update(numbers)
                largest = max(largest, resident_mb())
                if rig.qm.needs_checkpoint():
                    rig.qm.checkpoint()
            for call, seconds in best.items():
                value = seconds / calls * 1e6
                base.setdefault(call, value)
                figures.append(Figure(f"{call}_{name}{suffix}", value, "us", base[call]))
        rig.qm.check()
        progress.done()
    figures.append(Figure(f"rss_mb{suffix}", largest, "MB", BUFFERS * 4096 / 1e6 + 250))
    return figures


def fill(rig: Rig, load: Load, depth: int, show: object) -> None:
    """Put until the queue is `depth` deep."""
    assert callable(show)
    queue = rig.qm.queues["DEEP"]
    while queue.depth < depth:
        load.put(min(10_000, depth - queue.depth), False)
        if rig.qm.needs_checkpoint():
            rig.qm.checkpoint()
        show(queue.depth)


def choose(random: Random, load: Load, count: int) -> list[int]:
    """Messages at random over the whole queue that are still there."""
    chosen: set[int] = set()
    while len(chosen) < count:
        number = random.randint(load.got_number + 1, load.put_number)
        if number not in load.taken:
            chosen.add(number)
    numbers = list(chosen)
    random.shuffle(numbers)
    return numbers
