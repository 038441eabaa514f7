"""wire: CPU of the queue manager per round trip of clients that talk to it over sockets. 2 KiB, not persistent.

    figure        what                                                             exchanges
    rr_cc         RR-CC: requesters and responders are clients (TCP)                     4
    rr_cb         RR-CB: requesters are clients, responders are local (Unix socket)      4
    rr_bb         RR-BB: both are local                                                  4
    rr_cc_async   RR-CC with asynchronous puts and asynchronous consumers                2
    rr_cc_async_relay   the same, beside a bare relay between the same sockets        2
    rr_cc_tls13   RR-CC with TLS 1.3                                                     4
    rr_cc_p       RR-CC with persistent messages, ten responders: each exchange waits for the log       4
    pass_sync     client pass-through, a putter and a getter for each queue (Z93-R21)    2
    pass_async    the same with asynchronous put and read-ahead (Z93-R22)                1
    NAME_calls    system calls of the queue manager per round trip, or message, and of the floor
    inproc_rr     rr_cc without sockets: what the queue manager's own code takes of it (inproc.py)
    inproc_async  rr_cc_async likewise
    peer_NAME     CPU of a peer for the request/reply of rr_cc_async, where it is installed (peers.py)
    peer_rabbitmq_tls13   the same with TLS 1.3, as rr_cc_tls13 has it

Ten requesters and four responders; eight pairs pass messages. The load is a process of its own that sends prepared
segments (load.py). The floor is a bare uvloop echo that moves the same bytes in the same number of exchanges through
the same kinds of sockets (echo.py), in the same run and in turns. Of each the best of many short rounds counts: a
machine that others use as well changes its speed from second to second. An echo answers the socket that it has read
from; what it costs to pass the same bytes on to other sockets is shown by a second floor, a bare relay (relay.py),
which no bar is measured by. Bar: at most 1 / 0.70 floors, and 65 us for a round trip of four exchanges.

The floor of rr_cc_p logs, too: the same number of bytes as the queue manager, written and synced once an iteration of
the loop for all who wait. Bar: at most 1.5 floors, and 190 us.

    ./flint bench wire
    ./flint bench wire --quick --json
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import flintmq
from benchmarks.frame import Figure, Options
from benchmarks.server import inproc, segments
from benchmarks.server.peers import peers
from benchmarks.server.plan import Plan
from benchmarks.server.ports import free_port
from benchmarks.server.stage import Broken, Child, Stage, SystemCalls, cpu_of

NAME = "wire"
SIZE = 2048
REQUESTERS, RESPONDERS, PAIRS = 10, 4, 8
#: A load that is asked for so many round trips has warmed up.
_WARM = 0.1
#: System calls are counted once, in so many times more: how many requests a wake-up finds varies from second to second.
_CALLS = 24


@dataclass
class Scenario:
    """One figure: a load on the queue manager, and the same bytes on an echo."""

    name: str
    load: Child
    echo: Child
    echo_load: Child
    server: int
    best: float = float("inf")
    best_floor: float = float("inf")

    def round(self, count: int) -> None:
        """Both once, in turns."""
        self.best_floor = min(self.best_floor, cost(self.echo.pid, self.echo_load, count))
        self.best = min(self.best, cost(self.server, self.load, count))

    def calls(self, count: int) -> tuple[float, float] | None:
        """System calls of the queue manager and of the echo per round trip."""
        found: list[float] = []
        for pid, load in ((self.server, self.load), (self.echo.pid, self.echo_load)):
            with SystemCalls(pid) as calls:
                load.ask(str(count))
            if calls.count is None:
                return None
            found.append(calls.count / count)
        return found[0], found[1]


def cost(pid: int, load: Child, count: int) -> float:
    """CPU seconds of a process per round trip."""
    load.ask(str(max(1, int(count * _WARM))))
    before = cpu_of(pid)
    load.ask(str(count))
    return (cpu_of(pid) - before) / count


def exchanges(kind: str) -> list[list[int]]:
    """Bytes there and back of every exchange of a round trip."""
    wire = segments.Dialect(kind.endswith("_async"))
    put = len(wire.call(0, segments.put(SIZE)))
    get = len(wire.call(0, segments.get(SIZE, True)))
    if kind.endswith("_async"):
        pushed = wire.pushed_msg_id("RR.CC.ASYNC.REQUEST") - 48 + 364 + SIZE
        return [[put, pushed]] * (1 if kind == "pass_async" else 2)
    both = [[put, put - SIZE], [get, get + SIZE]]
    return both if kind == "pass" else both * 2


def logged_bytes(directory: Path) -> tuple[int, int]:
    """What the log grows by with a persistent put, and with its get, both outside of units of work."""
    with flintmq.open(directory) as qm:
        queue = qm.queue("A", create=True)
        log = qm._host.log
        ends = [log.end]
        queue.put(bytes(SIZE), persistent=True)
        ends.append(log.end)
        queue.get()
        ends.append(log.end)
    return ends[1] - ends[0], ends[2] - ends[1]


def scenarios(stage: Stage, tiny: bool) -> list[Scenario]:
    """All of them; for a tiny run a few, that between them have what the others have, but TLS."""
    stage.make_key()
    tcp, unix, tls = f"127.0.0.1:{free_port()}", str(stage.directory / "echo"), f"127.0.0.1:{free_port()}"
    plain = stage.child("benchmarks.server.echo", f"{tcp},{unix}")
    encrypted = stage.child("benchmarks.server.echo", tls, str(stage.key))

    def scenario(
        name: str, kind: str, at: str, echo_at: str, connections: int, second_at: str = "", echo_second_at: str = ""
    ) -> Scenario:
        with_tls = echo_at == tls
        plan = Plan(kind, at, second_at or at, REQUESTERS, RESPONDERS, SIZE, tls=with_tls)
        floor = Plan("echo", echo_at, echo_second_at, connections, exchanges=exchanges(kind), tls=with_tls, ahead=1)
        if with_tls:
            plan.channel = "BENCH.TLS"
        if kind.startswith("pass"):
            plan.first = PAIRS
        plan.queues = name.upper().replace("_", ".")
        stage.define(plan.names())
        if kind == "pass_async":
            floor.ahead = plan.ahead
        loads = [stage.child("benchmarks.server.driver", json.dumps(asdict(each))) for each in (plan, floor)]
        return Scenario(name, loads[0], encrypted if with_tls else plain, loads[1], stage.pid)

    def persistent() -> Scenario:
        """Request/reply whose every exchange is durable, beside an echo that logs as much."""
        at = f"127.0.0.1:{free_port()}"
        echo = stage.child("benchmarks.server.echo", at, "", str(stage.directory / "echo.log"))
        put, got = logged_bytes(stage.directory / "measured")
        logs = [put, got] * 2
        plan = Plan("request_reply", stage.address, stage.address, REQUESTERS, REQUESTERS, SIZE, persistent=True)
        plan.queues = "RR.CC.P"
        stage.define(plan.names())
        both = [[*each, log] for each, log in zip(exchanges("request_reply"), logs, strict=True)]
        floor = Plan("echo", at, "", REQUESTERS, exchanges=both, ahead=1)
        loads = [stage.child("benchmarks.server.driver", json.dumps(asdict(each))) for each in (plan, floor)]
        return Scenario("rr_cc_p", loads[0], echo, loads[1], stage.pid)

    def relayed(other: Scenario) -> Scenario:
        """The load of another one beside a relay."""
        at = f"127.0.0.1:{free_port()}"
        relay = stage.child("benchmarks.server.relay", at)
        plan = Plan("relay", at, at, REQUESTERS, RESPONDERS, exchanges=exchanges("request_reply_async"))
        load = stage.child("benchmarks.server.driver", json.dumps(asdict(plan)))
        return Scenario(f"{other.name}_relay", other.load, relay, load, stage.pid)

    asynchronous = scenario("rr_cc_async", "request_reply_async", stage.address, tcp, REQUESTERS)
    local_responders = scenario("rr_cb", "request_reply", stage.address, tcp, REQUESTERS, stage.local, unix)
    if tiny:
        return [
            asynchronous,
            relayed(asynchronous),
            local_responders,
            persistent(),
            scenario("pass_sync", "pass", stage.local, unix, 2 * PAIRS),
        ]
    return [
        scenario("rr_cc", "request_reply", stage.address, tcp, REQUESTERS),
        local_responders,
        scenario("rr_bb", "request_reply", stage.local, unix, REQUESTERS),
        asynchronous,
        relayed(asynchronous),
        scenario("rr_cc_tls13", "request_reply", stage.address, tls, REQUESTERS),
        persistent(),
        scenario("pass_sync", "pass", stage.address, tcp, 2 * PAIRS),
        scenario("pass_async", "pass_async", stage.address, tcp, PAIRS),
    ]


def run(options: Options) -> list[Figure]:
    """CPU microseconds per round trip, and system calls."""
    rounds = options.scale(42, 12, 1)
    count = options.scale(1_500, 1_000, 20)
    with Stage() as stage:
        taking_part = scenarios(stage, options.tiny)
        progress = options.progress(NAME, rounds * len(taking_part))
        for number in range(rounds):
            for done, scenario in enumerate(taking_part):
                progress.at(number * len(taking_part) + done, scenario.name)
                scenario.round(count)
        figures = [Figure(each.name, each.best * 1e6, "us", each.best_floor * 1e6) for each in taking_part]
        for each in taking_part[:1] if options.tiny else taking_part:
            calls = each.calls(count * _CALLS)
            if calls is not None:
                figures.append(Figure(f"{each.name}_calls", calls[0], "", calls[1]))
        progress.done()
        for name, kind in (("inproc_rr", "request_reply"), ("inproc_async", "request_reply_async")):
            taken = inproc.cost(kind, REQUESTERS, RESPONDERS, SIZE, count, rounds)
            figures.append(Figure(name, taken * 1e6, "us"))
        if not options.tiny:
            figures += _peers(stage, rounds, count)
    return figures


def _peers(stage: Stage, rounds: int, count: int) -> list[Figure]:
    """What others use for a round trip."""
    running, missing = peers(stage.directory, stage.key)
    for text in missing:
        print(f"{text}: it is not compared with")
    figures: list[Figure] = []
    try:
        for peer in running:
            for name, at in ((f"peer_{peer.name}", peer.address), (f"peer_{peer.name}_tls13", peer.tls_address)):
                if not at:
                    continue
                plan = Plan(peer.name, at, at, REQUESTERS, RESPONDERS, SIZE, tls=at == peer.tls_address)
                try:
                    load = stage.child("benchmarks.server.driver", json.dumps(asdict(plan)))
                    best = min(cost(peer.pid, load, count) for _ in range(rounds))
                    load.end()  # Its responders share a queue with those of the next.
                except Broken as error:
                    print(f"{name}: {error}: it is not compared with")
                    continue
                figures.append(Figure(name, best * 1e6, "us"))
    finally:
        for peer in running:
            peer.end()
    return figures
