"""recording: what statistics and accounting cost, in CPU of the queue manager per round trip. 2 KiB, not persistent.

    figure              what                                                                     bar
    statistics          STAT 1 to 5, ACCTG 4: STATQ(ON), STATCHL(MEDIUM); floor: no trace        1.03 times the floor
    class3              the same, and ACCTG 1 and 3: ACCTQ(ON); floor: no trace                  1.15
    NAME_p25, NAME_p75  the quarter and three quarters of the rounds' ratios: how far they are apart
    NAME_end            CPU ms of the end of an interval, by itself; floor: 1 s without trace
    NAME_inproc         the same load without sockets, in one process (inproc.py): what gathering alone costs

Intervals are of one second. The load is that of rr_cc of `bench wire`: ten requesters and four responders over TCP, the
same queue manager, connections and queues throughout. A round is off, statistics, class3, class3, statistics, off: what
drifts meets all three alike, and a round's ratio is that of its own sums. The ratio of a figure is the median of the
rounds'. A part of a round takes half a second, so a round has the end of about one interval with each trace.

B17, B18, B19: gathering costs with every call, writing with every interval, and class 3 is the dearest. The end of an
interval comes once a second on the clock: on a machine where the queue manager gets a quarter of a core, four times as
often for each round trip. NAME_end times the rounds' seconds tells how much of a ratio that is.

Over sockets the same round trip costs 30 us or 40, by how many requests are found ready at once, and the ratios of
rounds are a tenth apart. Without sockets they are not: the difference of NAME_inproc from its floor, in us, is what a
round trip really has more, and that beside the floor of NAME is the share that it has of the whole.

    ./flint bench recording
    ./flint bench recording --quick --json
"""

from __future__ import annotations

import json
import statistics
import time
from dataclasses import asdict

from benchmarks.frame import Figure, Options
from benchmarks.server.bench_wire import REQUESTERS, RESPONDERS, SIZE
from benchmarks.server.inproc import Inside
from benchmarks.server.plan import Plan
from benchmarks.server.stage import Child, Console, Stage, cpu_of

NAME = "recording"
OFF, STATISTICS, CLASS3 = "off", "statistics", "class3"
#: What is started for each figure, and for the floor: types and classes.
TRACES: dict[str, tuple[tuple[str, tuple[int, ...]], ...]] = {
    OFF: (),
    STATISTICS: (("STAT", (1, 2, 3, 4, 5)), ("ACCTG", (4,))),
    CLASS3: (("STAT", (1, 2, 3, 4, 5)), ("ACCTG", (1, 3, 4))),
}
#: The parts of a round.
ORDER = (OFF, STATISTICS, CLASS3, CLASS3, STATISTICS, OFF)
_SETUP = (
    "ALTER QMGR STATQ(ON) ACCTQ(ON) STATCHL(MEDIUM)",
    "SET SYSTEM STATIME(0.01) ACCTIME(-1)",
    "RESET QMGR TYPE(STATISTICS)",
)
#: A part takes so long, and the first of it is not measured: the records of what was stopped are written meanwhile.
_PART_S = 0.55
_WARM = 0.1
_IDLE_S = 3.0
#: Round trips of a part without sockets.
_INSIDE = 1_000
#: After so long no other round is begun: a busy machine has fewer.
_MOST_S = 70.0


def run(options: Options) -> list[Figure]:
    """CPU microseconds per round trip with the traces, beside without."""
    rounds = options.scale(18, 8, 1)
    with Stage() as stage:
        stage.commands(*_SETUP)
        plan = Plan("request_reply", stage.address, stage.address, REQUESTERS, RESPONDERS, SIZE, queues="RECORDING")
        stage.define(plan.names())
        load = stage.child("benchmarks.server.driver", json.dumps(asdict(plan)))
        with stage.console() as console:
            bench = Bench(stage.pid, console, load, 20 if options.tiny else round_trips(load, _PART_S))
            progress = options.progress(NAME, rounds)
            costs: dict[str, list[float]] = {name: [] for name in TRACES}
            until = time.monotonic() + _MOST_S
            for number in range(rounds):
                if time.monotonic() > until:
                    break
                progress.at(number)
                made = bench.round()
                for name, cost in made.items():
                    costs[name].append(cost)
            ends = bench.ends(0.01 if options.tiny else _IDLE_S)
            progress.done()
    alone = gathering(options.scale(30, 10, 1), 20 if options.tiny else _INSIDE)
    return [
        *(figure for name in (STATISTICS, CLASS3) for figure in figures(name, costs[name], costs[OFF], ends)),
        *(Figure(f"{name}_inproc", alone[name] * 1e6, "us", alone[OFF] * 1e6) for name in (STATISTICS, CLASS3)),
    ]


def gathering(rounds: int, count: int) -> dict[str, float]:
    """CPU seconds of a round trip without sockets, by what was traced: the medians of the rounds."""
    costs: dict[str, list[float]] = {name: [] for name in TRACES}
    with Inside(Plan("request_reply", "", "", REQUESTERS, RESPONDERS, SIZE)) as inside:
        inside.admin.alter("QMGR", "BENCH", {"STATQ": "ON", "ACCTQ": "ON", "STATCHL": "MEDIUM"}, False)
        inside.cost(count)
        for name in ORDER * rounds:
            for kind, classes in TRACES[name]:
                inside.admin.start_trace(kind, classes, "SMF", False)
            costs[name].append(inside.cost(count))
            inside.admin.stop_trace("*", (), -1)
    return {name: statistics.median(all_of_it) for name, all_of_it in costs.items()}


def round_trips(load: Child, seconds: float) -> int:
    """How many round trips take about so long, once everything is warm."""
    for count in (200, 1_000, 3_000):
        took = float(load.ask(str(count)))
    return max(500, int(seconds / took * count))


def figures(name: str, costs: list[float], floor: list[float], ends: dict[str, float]) -> list[Figure]:
    """The median of the ratios of rounds, and how far they are apart."""
    ratios = sorted(cost / off for cost, off in zip(costs, floor, strict=True))
    low, middle, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
    off = statistics.median(floor) * 1e6
    return [
        Figure(name, off * middle, "us", off),
        Figure(f"{name}_p25", off * low, "us", off),
        Figure(f"{name}_p75", off * high, "us", off),
        Figure(f"{name}_end", ends[name] * 1000, "ms", ends[OFF] * 1000),
    ]


class Bench:
    """A queue manager under a load, with traces or without."""

    def __init__(self, server: int, console: Console, load: Child, count: int) -> None:
        self.server = server
        self.console = console
        self.load = load
        self.count = count

    def round(self) -> dict[str, float]:
        """CPU seconds per round trip, by what was traced."""
        made = dict.fromkeys(TRACES, 0.0)
        for name in ORDER:
            self.start(name)
            self.load.ask(str(max(1, int(self.count * _WARM))))
            before = cpu_of(self.server)
            self.load.ask(str(self.count))
            made[name] += (cpu_of(self.server) - before) / self.count / 2
            self.stop(name)
        return made

    def ends(self, seconds: float) -> dict[str, float]:
        """CPU seconds in a second without load: the end of one interval."""
        made = {}
        for name in TRACES:
            self.start(name)
            self.load.ask("1")
            before = cpu_of(self.server)
            time.sleep(seconds)
            made[name] = (cpu_of(self.server) - before) / seconds
            self.stop(name)
        return made

    def start(self, name: str) -> None:
        for kind, classes in TRACES[name]:
            self.console.ask(f"START TRACE({kind}) CLASS({','.join(map(str, classes))})")

    def stop(self, name: str) -> None:
        if TRACES[name]:
            self.console.ask("STOP TRACE(*)")
