"""FlintMQ and other brokers, in turns, in one run: the same patterns, sizes, clients and clocks.

    request-reply             requesters with a reply queue each, responders that share the request queue
    request-reply-durable     the same: both puts are durable, both gets are acknowledged or committed
    one-way                   putters and getters in pairs, a queue each
    one-way-durable           the same, durable
    publish-subscribe         one publisher, every subscriber gets everything; never durable. A publication is answered

A repeat of a pattern measures one broker after the other; the next repeat begins with another one, so that none is
always first. Drivers of all brokers are connected throughout, and only those of one work.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flintmq.perf import machine
from flintmq.perf.catalogue.workload import Workload
from flintmq.perf.guard import Guard
from flintmq.perf.measure import Repeat, Timing, Watched
from flintmq.perf.peers import amqp, nats, postgres, redis, stomp
from flintmq.perf.peers.connection import Opener, PeerError
from flintmq.perf.peers.servers import STARTERS, NotHere, Server
from flintmq.perf.plan import (
    GETTER,
    PUBLISHER,
    PUTTER,
    REQUESTER,
    RESPONDER,
    SUBSCRIBER,
    TCP,
    Actors,
    DriverPlan,
)
from flintmq.perf.runner import Options, head, new_id
from flintmq.perf.runs import RunWriter
from flintmq.perf.shapes import PREFIX, Setup
from flintmq.perf.stage import DriverProcess, Stage, StageError
from flintmq.perf.view import View

FLINTMQ = "flintmq"
PUBLISH_SUBSCRIBE = "publish-subscribe"
PATTERNS = ("request-reply", "request-reply-durable", "one-way", "one-way-durable", PUBLISH_SUBSCRIBE)
TOPIC = "perf/peers"


@dataclass(frozen=True)
class Peer:
    """One column of the comparison: a broker, its protocol, and the meaning of its confirms."""

    name: str
    server: str
    opener: Opener | None
    #: Meaning of the answer to a put: fast, durable; and of a get that is durable.
    fast: str
    durable: str
    taken: str
    #: Meaning of the answer to a publication.
    published: str

    def confirm(self, pattern: str) -> str:
        """Return the meaning of a confirm in words."""
        if pattern == PUBLISH_SUBSCRIBE:
            return self.published
        return f"{self.durable}; {self.taken}" if pattern.endswith("-durable") else self.fast


_UNANSWERED = "a put is not answered; a message is given away when it is sent to a consumer"
PEERS = (
    Peer(
        FLINTMQ,
        "",
        None,
        "a put is answered when the message is on its queue, in memory",
        "a put is answered when the log is on disk (fdatasync)",
        "gets are committed units of work, answered when the log is on disk",
        "a publication is answered when each subscriber's queue has its copy, in memory",
    ),
    Peer(
        "rabbitmq-classic",
        "rabbitmq",
        amqp.classic,
        _UNANSWERED,
        "a put is confirmed when the classic queue has written the message to disk",
        "an acknowledgement of a get is not answered",
        "a publication is confirmed when each subscriber's queue has it",
    ),
    Peer(
        "rabbitmq-quorum",
        "rabbitmq",
        amqp.quorum,
        _UNANSWERED + "; a quorum queue stores it all the same",
        "a put is confirmed when a majority of one node has written and synced its log",
        "an acknowledgement of a get is not answered",
        "as rabbitmq-classic: queues of subscribers are classic queues",
    ),
    Peer(
        "nats",
        "nats",
        nats.Nats,
        "core NATS: a put is not answered; a message that nobody listens for is lost",
        "JetStream: a put is answered when the message is written to its file, which is synced every two minutes",
        "an acknowledgement of a get is not answered",
        "core NATS: the server has read the publication (PING and PONG behind it)",
    ),
    Peer(
        "redis",
        "redis",
        redis.Redis,
        "a push is answered when it is in the append-only file, synced for every write: lists know no other",
        "a push is answered when it is in the append-only file, synced",
        "a get moves the message to a list of the client, and its removal is answered, both synced",
        "a publication is answered when it was written to the sockets of the subscribers",
    ),
    Peer(
        "postgres",
        "postgres",
        postgres.Postgres,
        "a put is a committed insert to a table that is not logged",
        "a put is a committed insert: the log is on disk (fsync)",
        "a get is a delete, committed with the reply",
        "a publication is a committed NOTIFY; subscribers read it afterwards",
    ),
    Peer(
        "activemq",
        "activemq",
        stomp.Stomp,
        "a put is not answered; STOMP messages without persistent:true are kept in memory",
        "a put is answered with a receipt when the store has synced its journal",
        "an acknowledgement of a get is answered with a receipt",
        "a publication is answered with a receipt when the topic has it, in memory",
    ),
)
OPENERS: dict[str, Opener] = {each.name: each.opener for each in PEERS if each.opener is not None}


class Idle(Stage):
    """In the place of a queue manager, where a peer is measured: there is none to ask."""

    def __init__(self) -> None:
        self.pid = 0
        self.drivers = []


@dataclass
class Cast:
    """Drivers of one broker for one pattern."""

    peer: Peer
    setup: Setup
    drivers: list[DriverProcess]
    watched: Watched
    stage: Stage


@dataclass
class Wanted:
    """Options of a comparison."""

    timing: Timing = field(default_factory=Timing)
    peers: tuple[str, ...] = ()
    patterns: tuple[str, ...] = PATTERNS
    size: int = 2048
    clients: int = 4
    command: list[str] = field(default_factory=list)


def plans(pattern: str, wanted: Wanted, peer: str) -> tuple[str, list[list[Actors]]]:
    """Return the leading role and the actors of each driver process."""
    durable = pattern.endswith("-durable")
    common: dict[str, Any] = {"size": wanted.size, "persistent": durable, "syncpoint": durable}
    count = wanted.clients
    if pattern.startswith("request-reply"):
        replies = [f"{PREFIX}REPLY.{number}" for number in range(count)]
        requests = [f"{PREFIX}REQUEST"]
        lead = Actors(REQUESTER, count, put_to=requests, get_from=replies, correlate="any", **common)
        server = Actors(RESPONDER, count, get_from=requests, correlate="any", **common)
        return REQUESTER, [[server], [lead]]
    if pattern.startswith("one-way"):
        queues = [f"{PREFIX}PASS.{number}" for number in range(count)]
        getter = Actors(GETTER, count, get_from=queues, **common)
        return PUTTER, [[getter, Actors(PUTTER, count, put_to=queues, watch=queues, **common)]]
    subscribers = [f"{PREFIX}SUB.{number}" for number in range(count)]
    if peer == FLINTMQ:
        reader = Actors(GETTER, count, get_from=subscribers, size=wanted.size)
        return PUBLISHER, [[reader, Actors(PUBLISHER, 1, topic=TOPIC, watch=subscribers, size=wanted.size)]]
    reader = Actors(SUBSCRIBER, count, topic=TOPIC, size=wanted.size)
    return PUBLISHER, [[reader, Actors(PUBLISHER, 1, topic=TOPIC, watch=[TOPIC], size=wanted.size)]]


def run(directory: Path, wanted: Wanted, view: View) -> Path:
    """Make the comparison and write it as one run."""
    chosen = [each for each in PEERS if not wanted.peers or each.name in wanted.peers or each.server in wanted.peers]
    place = Path(tempfile.mkdtemp(prefix="flint-peers-"))
    guard = Guard(place)
    servers: dict[str, Server] = {}
    missing: list[str] = []
    workload = Workload("PEERS", "brokers side by side", vary={"peer": (), "pattern": ()})
    try:
        for name in dict.fromkeys(each.server for each in chosen if each.server):
            own = place / name
            own.mkdir()
            view.line(f"starting {name}")
            try:
                servers[name] = STARTERS[name](own)
            except NotHere as error:
                missing.append(str(error))
                view.line(f"  left out: {error}")
        with Stage() as stage:
            stage.start()
            options = Options(wanted.timing, command=wanted.command)
            identity = directory.name or new_id(workload.id)
            fields = head(workload, options, identity, TCP) | {
                "varied": ["peer", "pattern"],
                "operation": "see pattern",
            }
            with RunWriter(directory, fields) as writer:
                versions = {name: server.version for name, server in servers.items()}
                writer.write("machine", **machine.facts(stage.place, versions))
                for each in missing:
                    writer.note(f"left out: {each}")
                here = [each for each in chosen if not each.server or each.server in servers]
                view.head()
                for number, pattern in enumerate(wanted.patterns):
                    Pattern(pattern, wanted, writer, view, stage, servers).run(here, number * len(PEERS))
    finally:
        for server in servers.values():
            server.end()
        shutil.rmtree(place, ignore_errors=True)
        guard.done()
    return directory


class Pattern:
    """One pattern on all brokers."""

    def __init__(
        self,
        pattern: str,
        wanted: Wanted,
        writer: RunWriter,
        view: View,
        stage: Stage,
        servers: dict[str, Server],
    ) -> None:
        self.pattern = pattern
        self.wanted = wanted
        self.writer = writer
        self.view = view
        self.stage = stage
        self.servers = servers
        self.durable = pattern.endswith("-durable")

    def run(self, peers: list[Peer], base: int) -> None:
        """Measure all repeats, in turns."""
        casts: list[tuple[int, Cast]] = []
        try:
            for number, peer in enumerate(peers, 1):
                try:
                    casts.append((base + number, self._cast(peer)))
                except (StageError, PeerError) as error:
                    self.writer.note(f"{peer.name}, {self.pattern}: {error}")
                    self.view.line(f"{peer.name}, {self.pattern}: left out: {error}")
            for repeat in range(1, self.wanted.timing.repeats + 1):
                turn = (repeat - 1) % max(1, len(casts))
                for step, cast in casts[turn:] + casts[:turn]:
                    self._measure(step, repeat, cast)
        finally:
            for _, cast in casts:
                for driver in cast.drivers:
                    driver.end()
                    self.stage.drivers.remove(driver)
            self._remove()

    def _measure(self, step: int, repeat: int, cast: Cast) -> None:
        label = f"{cast.peer.name} {self.pattern}"

        def told(second: int, seconds: int, count: int) -> None:
            self.view.second(label, second, seconds, count)

        one = Repeat(cast.stage, self.writer, cast.setup, cast.drivers, self.wanted.timing, cast.watched, told)
        try:
            outcome = one.measure(step, repeat)
        except StageError as error:
            self.writer.note(f"{label}, repeat {repeat}: {error}")
            self.view.line(f"{label}: {error}")
            return
        latency = outcome.latency
        self.view.result(label, repeat, outcome.result, latency.percentile(50) / 1e3, latency.percentile(99) / 1e3)

    def _cast(self, peer: Peer) -> Cast:
        lead, processes = plans(self.pattern, self.wanted, peer.name)
        parameters = {
            "mode": TCP,
            "size": self.wanted.size,
            "persistent": self.durable,
            "clients": self.wanted.clients,
            "peer": peer.name,
            "pattern": self.pattern,
            "confirm": peer.confirm(self.pattern),
        }
        setup = Setup(parameters, [(actors, TCP) for each in processes for actors in each], lead)
        setup.messages = 2 if lead == REQUESTER else self.wanted.clients if lead == PUBLISHER else 1
        if peer.opener is None:
            self._define(processes)
            made = [self.stage.plan(TCP) for _ in processes]
            stage, watched = self.stage, Watched()
        else:
            server = self.servers[peer.server]
            made = [DriverPlan([], f"peer:{peer.name}", address=server.address) for _ in processes]
            stage, watched = Idle(), Watched()
        for plan, actors in zip(made, processes, strict=True):
            plan.actors = actors
        drivers = self.stage.ready(made)
        if peer.opener is not None:
            # After the drivers have connected: PostgreSQL has a process for each connection.
            watched.groups["peer", peer.name] = self.servers[peer.server].pids()
        return Cast(peer, setup, drivers, watched, stage)

    def _define(self, processes: list[list[Actors]]) -> None:
        names = dict.fromkeys(
            name for each in processes for actors in each for name in [*actors.put_to, *actors.get_from]
        )
        self.stage.commands(*(f"DEFINE QLOCAL({name}) MAXDEPTH(999999999) REPLACE" for name in names))
        if self.pattern == PUBLISH_SUBSCRIBE:
            for name in names:
                self.stage.commands(f"DEFINE SUB('{name}') TOPICSTR('{TOPIC}') DEST({name})")

    def _remove(self) -> None:
        """Remove the queues of FlintMQ."""
        names: list[str] = []
        with suppress(StageError):
            names = [str(row["QUEUE"]) for row in self.stage.rows(f"DISPLAY QLOCAL({PREFIX}*) CURDEPTH")]
        for name in names:
            if name.startswith(f"{PREFIX}SUB."):
                with suppress(StageError):
                    self.stage.commands(f"DELETE SUB('{name}')")
            with suppress(StageError):
                self.stage.commands(f"DELETE QLOCAL({name}) PURGE")
