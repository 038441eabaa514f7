"""clients: 5,000 idle and 200 busy connections for a minute: memory for each connection, CPU of the busy ones.

kb_per_connection   resident memory of the queue manager process for each idle client, one socket and one MQCONN
                    each; the floor is what the reports say of a channel, 83 KB
rr_busy             CPU of the queue manager per round trip of 100 requesters and 100 responders, 2 KiB, while the
                    idle clients are there; the floor is the same without them, in the same run
rr_worst            the longest round trip of one client, 2 KiB put and got, in milliseconds on the clock, while 100
                    clients connect with different passwords, each 50 ms of work; the floor is the longest of as
                    many round trips before that
idle, busy          how many there were
held_s              for how long, without an error: any ends the benchmark

./flint bench clients
./flint bench clients --quick
"""

from __future__ import annotations

import json
import resource
import threading
import time
from dataclasses import asdict
from pathlib import Path

import flintmq
from benchmarks.frame import Figure, Options
from benchmarks.server.bench_wire import SIZE, cost
from benchmarks.server.knock import PASSWORD
from benchmarks.server.plan import Plan
from benchmarks.server.stage import NAME as Q_MGR
from benchmarks.server.stage import Stage
from flintmq.host import ini
from flintmq.server import users

NAME = "clients"
#: KB for each channel, from the performance reports.
REPORTED_KB = 83.0


def run(options: Options) -> list[Figure]:
    """Memory per connection, and what the busy ones cost."""
    idle = options.scale(5000, 1000, 20)
    busy = options.scale(100, 25, 2)
    hold_s = options.scale(60, 10, 0)
    count = options.scale(4000, 1000, 20)
    with Stage() as stage:
        plan = Plan("request_reply", stage.address, stage.address, busy, busy, SIZE, queues="CROWD")
        stage.define(plan.names())
        load = stage.child("benchmarks.server.driver", json.dumps(asdict(plan)))
        cost(stage.pid, load, count)
        alone = min(cost(stage.pid, load, count) for _ in range(3))
        before = resident_kb(stage.pid)
        crowd = stage.child("benchmarks.server.crowd", json.dumps({"at": stage.address, "count": idle}))
        crowd.ask("look")
        memory = resident_kb(stage.pid) - before
        begun = time.monotonic()
        crowded = float("inf")
        progress = options.progress(NAME, hold_s)
        while True:
            crowded = min(crowded, cost(stage.pid, load, count))
            held = time.monotonic() - begun
            progress.at(int(held), "with a crowd")
            if held >= hold_s:
                break
        crowd.ask("look")
        progress.done()
        worst, quiet = worst_ms(stage, options.scale(100, 100, 4))
    return [
        Figure("kb_per_connection", memory / idle, "KB", REPORTED_KB),
        Figure("rr_busy", 1e6 * crowded, "us", 1e6 * alone),
        Figure("rr_worst", worst, "ms", quiet),
        Figure("idle", idle, "clients"),
        Figure("busy", 2 * busy, "clients"),
        Figure("held_s", held, "s"),
    ]


def resident_kb(pid: int) -> float:
    """Memory of a process that is in RAM now, in KB (1024 bytes)."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1024


def worst_ms(stage: Stage, count: int) -> tuple[float, float]:
    """The longest round trip of a client while `count` others connect with passwords, and without them."""
    path = stage.directory / "qmgrs" / Q_MGR / users.NAME
    hashed = users.hashed(PASSWORD)
    ini.write(path, [ini.Stanza("User", {"Name": f"u{each}", "Password": hashed}) for each in range(count)])
    stage.commands(
        "DEFINE CHANNEL(BENCH.PASSWORD) CHLTYPE(SVRCONN) MCAUSER('app')",
        "ALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) CHCKCLNT(OPTIONAL) ADOPTCTX(NO)",
    )
    given = {"at": stage.address, "channel": "BENCH.PASSWORD", "count": count}
    knock = stage.child("benchmarks.server.knock", json.dumps(given))
    conn = stage.address.replace(":", "(") + ")"
    with flintmq.connect(Q_MGR, channel="DEV.APP.SVRCONN", conn=conn) as qm:
        queue = qm.queue("DEV.QUEUE.1")
        data = bytes(SIZE)
        took: list[float] = []
        answers: list[str] = []
        asking = threading.Thread(target=lambda: answers.append(knock.ask("go")))
        asking.start()
        while asking.is_alive():
            took.append(_round_trip_ms(queue, data))
        if not answers:
            raise RuntimeError("the clients with passwords could not connect")
        return max(took), max(_round_trip_ms(queue, data) for _ in took)


def _round_trip_ms(queue: flintmq.Queue, data: bytes) -> float:
    begun = time.perf_counter()
    queue.put(data)
    queue.get()
    return 1000 * (time.perf_counter() - begun)
