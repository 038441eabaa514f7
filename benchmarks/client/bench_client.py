"""client: CPU of the client processes for each message, FlintMQ's network client beside those of other brokers.

sync_rr        a request of 2 KiB and its answer, requester and responder together, one request at a time; floor: pika
aio_rr         the same with asyncio; floor: nats-py, request()
sync_oneway    a message that is not persistent, put in commits of 50 and got in commits of 50; floor: nats-py, a
aio_oneway       JetStream in memory, 50 publications whose acknowledgements are waited for, fetch(50) and acknowledge
sync_publish   a delivery of a publication to one of 6 subscribers of one process, with its share of the publisher,
aio_publish      which waits for each publication to be taken (nats-py: flush); floor: nats-py
sync_pair      a put and a get of the same client, one exchange each; aio_pair with asyncio, floor: sync_pair
aio_rr_sync, aio_oneway_sync, aio_publish_sync    aio_rr, aio_oneway and aio_publish; floor: the same with threads
uvloop_pair    aio_pair, and uvloop_rr aio_rr, on uvloop's event loop; floor: the same with threads
pika_publish, aio_pika_rr, aio_pika_publish    what those clients use, for comparison

Each server has a process of its own and is not counted. All clients take turns, and the best of their rounds counts.
A peer that is not installed leaves its floor out, and a line says so.

./flint bench client
./flint bench client --quick
"""

from __future__ import annotations

import importlib.util
import tempfile
import threading
from pathlib import Path

from benchmarks.client.client_actors import BATCH, SUBSCRIBERS, Role
from benchmarks.frame import Figure, Options
from benchmarks.server.peers import Peer, nats, rabbitmq
from benchmarks.server.stage import NAME as Q_MGR
from benchmarks.server.stage import Child, Stage, cpu_of

NAME = "client"
SIZE = 2048
QUEUE = "BENCH.CLIENT"
TOPIC = "bench/client"
ACTORS = "benchmarks.client.client_actors"


class Pair:
    """The two client processes of a workload on a library, or one; they start when they are first used."""

    def __init__(self, stage: Stage, library: str, workload: str, at: str) -> None:
        self._stage = stage
        self._library, self._workload, self._at = library, workload, at
        self._children: list[Child] = []
        #: CPU seconds for each message, in the best round so far.
        self.best = float("inf")

    def _child(self, role: str) -> Child:
        name = TOPIC.replace("/", ".") if self._workload == "publish" and self._library != "flint" else QUEUE
        if self._workload == "publish" and self._library.startswith("flint"):
            name = TOPIC
        elif self._workload == "rr":
            name = f"{QUEUE}.{self._library.upper()}"
        made = Role(self._library, role, self._at, name, SIZE, Q_MGR, "DEV.APP.SVRCONN")
        return self._stage.child(ACTORS, made.as_json())

    def round(self, count: int) -> None:
        """Measure `count` messages."""
        if not self._children:
            roles = {
                "rr": ("responder", "requester"),
                "oneway": ("putter", "getter"),
                "publish": ("subscriber", "publisher"),
                "pair": ("pair",),
            }[self._workload]
            self._children = [self._child(role) for role in roles]
            self._work(BATCH)
        before = sum(cpu_of(each.pid) for each in self._children)
        self._work(count)
        used = sum(cpu_of(each.pid) for each in self._children) - before
        messages = count * SUBSCRIBERS if self._workload == "publish" else count
        self.best = min(self.best, used / messages)

    def _work(self, count: int) -> None:
        if self._workload == "rr":
            self._children[1].ask(str(count))
        elif self._workload == "publish":
            receiving = threading.Thread(target=self._children[0].ask, args=(str(count),))
            receiving.start()
            self._children[1].ask(str(count))
            receiving.join()
        else:
            for child in self._children:
                child.ask(str(count))

    def end(self) -> None:
        """End the processes."""
        for child in self._children:
            self._stage.children.remove(child)
            child.end()


def run(options: Options) -> list[Figure]:
    """All workloads, in turns."""
    rounds = options.scale(5, 2, 1)
    with Stage() as stage, tempfile.TemporaryDirectory(prefix="flint-peers-") as place:
        stage.define([QUEUE, *(f"{QUEUE}.{each}" for each in ("FLINT", "FLINT_AIO", "FLINT_UV"))])
        stage.commands("SET AUTHREC PROFILE('SYSTEM.BASE.TOPIC') OBJTYPE(TOPIC) PRINCIPAL('app') AUTHADD(ALLMQI)")
        running = [] if options.tiny else _peers(Path(place))
        at = dict.fromkeys(("flint", "flint_aio", "flint_uv"), stage.address)
        for peer in running:
            for library in {"rabbitmq": ("pika", "aio_pika"), "nats": ("nats", "jetstream")}[peer.name]:
                at[library] = peer.address
        try:
            return _measured(stage, at, rounds, options)
        finally:
            for peer in running:
                peer.end()


def _measured(stage: Stage, at: dict[str, str], rounds: int, options: Options) -> list[Figure]:
    plan = {
        "rr": ("flint", "flint_aio", "flint_uv", "pika", "aio_pika", "nats"),
        "pair": ("flint", "flint_aio", "flint_uv"),
        "oneway": ("flint", "flint_aio", "jetstream"),
        "publish": ("flint", "flint_aio", "pika", "aio_pika", "nats"),
    }
    counts = {
        "rr": options.scale(2000, 500, 5),
        "pair": options.scale(2000, 500, 5),
        "oneway": options.scale(10_000, 2000, BATCH),
        "publish": options.scale(1000, 300, 5),
    }
    used: dict[tuple[str, str], float] = {}
    progress = options.progress(NAME, rounds * len(plan))
    for number, (workload, libraries) in enumerate(plan.items()):
        pairs = {each: Pair(stage, each, workload, at[each]) for each in libraries if each in at}
        for turn in range(rounds):
            progress.at(number * rounds + turn, workload)
            for pair in pairs.values():
                pair.round(counts[workload])
        for library, pair in pairs.items():
            used[library, workload] = 1e6 * pair.best
            pair.end()
    progress.done()

    def figure(name: str, library: str, workload: str, floor: str = "") -> Figure:
        return Figure(name, used[library, workload], "us", used.get((floor, workload)))

    figures = [
        figure("sync_rr", "flint", "rr", "pika"),
        figure("aio_rr", "flint_aio", "rr", "nats"),
        figure("sync_oneway", "flint", "oneway", "jetstream"),
        figure("aio_oneway", "flint_aio", "oneway", "jetstream"),
        figure("sync_publish", "flint", "publish", "nats"),
        figure("aio_publish", "flint_aio", "publish", "nats"),
        figure("sync_pair", "flint", "pair"),
        figure("aio_pair", "flint_aio", "pair", "flint"),
        figure("aio_rr_sync", "flint_aio", "rr", "flint"),
        figure("aio_oneway_sync", "flint_aio", "oneway", "flint"),
        figure("aio_publish_sync", "flint_aio", "publish", "flint"),
        figure("uvloop_pair", "flint_uv", "pair", "flint"),
        figure("uvloop_rr", "flint_uv", "rr", "flint"),
    ]
    others = (("pika", "publish"), ("aio_pika", "rr"), ("aio_pika", "publish"))
    return figures + [figure("_".join(each), *each) for each in others if each in used]


def _peers(place: Path) -> list[Peer]:
    """Start the brokers whose clients and servers are installed. Say which are not."""
    running: list[Peer] = []
    for start, modules in ((rabbitmq, ("pika", "aio_pika")), (nats, ("nats",))):
        missing = [each for each in modules if importlib.util.find_spec(each) is None]
        found = f"the Python package {missing[0]} is not installed" if missing else start(place)
        if isinstance(found, Peer):
            running.append(found)
        else:
            print(f"no floor: {found}")
    return running
