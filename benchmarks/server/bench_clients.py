"""clients: 5,000 idle and 200 busy connections for a minute: memory for each connection, CPU of the busy ones.

kb_per_connection   resident memory of the queue manager process for each idle client, one socket and one MQCONN
                    each; the floor is what the reports say of a channel, 83 KB
rr_busy             CPU of the queue manager per round trip of 100 requesters and 100 responders, 2 KiB, while the
                    idle clients are there; the floor is the same without them, in the same run
idle, busy          how many there were
held_s              for how long, without an error: any ends the benchmark

./flint bench clients
./flint bench clients --quick
"""

from __future__ import annotations

import json
import resource
import time
from dataclasses import asdict
from pathlib import Path

from benchmarks.frame import Figure, Options
from benchmarks.server.bench_wire import SIZE, cost
from benchmarks.server.plan import Plan
from benchmarks.server.stage import Stage

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
    return [
        Figure("kb_per_connection", memory / idle, "KB", REPORTED_KB),
        Figure("rr_busy", 1e6 * crowded, "us", 1e6 * alone),
        Figure("idle", idle, "clients"),
        Figure("busy", 2 * busy, "clients"),
        Figure("held_s", held, "s"),
    ]


def resident_kb(pid: int) -> float:
    """Memory of a process that is in RAM now, in KB (1024 bytes)."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1024
