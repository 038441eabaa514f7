"""recording: what statistics and accounting cost, in CPU of the queue manager per round trip. 2 KiB, not persistent.

    figure       traces                                        bar
    statistics   STAT 1 to 5, ACCTG 4: STATQ(ON), STATCHL      1.03 times the floor
    class3       the same, and ACCTG 1 and 3: ACCTQ(ON)        1.15

Intervals are of one second. The load is that of rr_cc of `bench wire`: ten requesters and four responders over TCP. The
floor is the same queue manager with the same load and no trace, in the same run and in turns; a round is long enough to
have the end of several intervals in it.

B17, B18, B19: gathering costs with every call, writing with every interval, and class 3 is the dearest.

    ./flint bench recording
    ./flint bench recording --quick --json
"""

from __future__ import annotations

import json
from dataclasses import asdict

from benchmarks.frame import Figure, Options
from benchmarks.server.bench_wire import REQUESTERS, RESPONDERS, SIZE, cost
from benchmarks.server.load import Plan
from benchmarks.server.stage import Stage

NAME = "recording"
#: What is started for each figure, and for the floor.
TRACES = {
    "off": (),
    "statistics": ("START TRACE(STAT) CLASS(1:5)", "START TRACE(ACCTG) CLASS(4)"),
    "class3": ("START TRACE(STAT) CLASS(1:5)", "START TRACE(ACCTG) CLASS(1,3,4)"),
}
_SETUP = (
    "ALTER QMGR STATQ(ON) ACCTQ(ON) STATCHL(MEDIUM)",
    "SET SYSTEM STATIME(0.01) ACCTIME(-1)",
    "RESET QMGR TYPE(STATISTICS)",
)


def run(options: Options) -> list[Figure]:
    """CPU microseconds per round trip with the traces, beside without."""
    rounds = options.scale(15, 7, 1)
    count = options.scale(30_000, 12_000, 20)
    with Stage() as stage:
        stage.commands(*_SETUP)
        plan = Plan("request_reply", stage.address, stage.address, REQUESTERS, RESPONDERS, SIZE, queues="RECORDING")
        stage.define(plan.names())
        load = stage.child("benchmarks.server.load", json.dumps(asdict(plan)))
        best = {name: float("inf") for name in TRACES}
        progress = options.progress(NAME, rounds * len(TRACES))
        for number in range(rounds):
            for done, (name, traces) in enumerate(TRACES.items()):
                progress.at(number * len(TRACES) + done, name)
                if traces:
                    stage.commands(*traces)
                best[name] = min(best[name], cost(stage.pid, load, count))
                if traces:
                    stage.commands("STOP TRACE(*)")
        progress.done()
    return [Figure(name, best[name] * 1e6, "us", best["off"] * 1e6) for name in ("statistics", "class3")]
