"""broker: CPU time of the worker of an execution group per message; floor: a bare client that makes the same moves.

A queue manager process, an execution group with one worker, 15 drivers in a process of their own that put a request and
get its answer (B235). Only the worker is measured, by its CPU clock. The floor is a process with one connection that
gets, changes the message as hand-written Python (lxml) does, puts and commits in the same unit of work, under the same
drivers. Everything is connected over TCP on the loopback. NAME_p is the same with persistent messages.

pass_1k, pass_64k                 MQInput, MQOutput (B236)
compute_simple_1k                 Compute that copies and changes one field
compute_complex_4k                the report's complex Compute; compute_very_complex_4k: five times in one node;
                                  compute_five_4k: in five nodes
compute_simple_16k ...            a full run has compute, filter and route with 4, 16 and 64 KiB, and pass with 4 and 16
filter_1k                         Filter on a field of an MQRFH2
route_1, route_100                Compute makes a list of 1 or 100 labels, RouteToLabel, Label, MQOutput (B250)
publish_1 ... publish_1000        Compute, Publication to so many subscribers (B258); floor: MQPUT to the topic
db_plain, db_coordinated          Database node inserts and deletes a row of PostgreSQL; coordinated: in two phases
                                  (B237, B257)
pass_1k_automatic                 transactionMode automatic: no unit of work unless the message is persistent (B242)
NAME_camel                        the value; floor: Apache Camel doing the same through IBM's JMS client
instances_2, copies_2, groups_2   messages per second of the very complex flow with two; floor: with one. Elapsed time,
                                  for a quiet machine with two cores (B255). NAME_cpu: CPU time per message of both
NAME_calls                        system calls of the worker per message (pass_1k, pass_1k_p, db_plain, db_coordinated);
                                  floor: the client's
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlencode

from benchmarks.broker.broker_actors import Role, Work
from benchmarks.broker.broker_cases import TOPIC, Case, cases, more_sizes, write_application
from benchmarks.broker.camel_peer import Camel, camel
from benchmarks.frame import Figure, Options
from benchmarks.server.stage import NAME as Q_MGR
from benchmarks.server.stage import Child, Stage, SystemCalls, cpu_of
from flintmq.broker.runtime.group import ExecutionGroup
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.worker import Assignment, FlowAssignment
from tools.postgres import Cluster, programs

NAME = "broker"
CHANNEL = "BENCH.BROKER"
ACTORS = "benchmarks.broker.broker_actors"
#: Queues of the floor and of Camel stand beside those of the flows.
FLOOR = "F."
CAMEL = "C."
_READY_S = 120.0


class Broken(Exception):
    """The broker failed; the text has the reason."""


class Broker:
    """An execution group that runs flows of a directory."""

    def __init__(
        self,
        stage: Stage,
        place: Path,
        placements: list[list[FlowAssignment]],
        group: str = "default",
        data_sources: dict[str, dict[str, str]] | None = None,
    ) -> None:
        stage.commands(f"DEFINE QLOCAL('SYSTEM.BROKER.STATE.{group.upper()}') DEFPSIST(YES) NOREPLACE")
        base = Assignment(
            "BENCH",
            group,
            0,
            Q_MGR,
            {"channel": CHANNEL, "conn": f"127.0.0.1({stage.port})"},
            [
                {
                    "path": str(place),
                    "overrides": {
                        "db_coordinated#coordinatedTransaction": "yes",
                        "db_coordinated_p#coordinatedTransaction": "yes",
                    },
                }
            ],
            data_sources={name: dict(each) for name, each in (data_sources or {}).items()},
        )
        self.group = ExecutionGroup(base, placements, BrokerLog("BENCH"))
        self.group.start()
        end = time.monotonic() + _READY_S
        while not self.group.wait_ready(1.0):
            if self.group.restarts or time.monotonic() > end:
                self.group.stop()
                raise Broken("the execution group has not started")
        problems = [each["problems"] for each in self.group.status() if each["problems"]]
        if problems:
            self.group.stop()
            raise Broken(f"flows have not started: {problems}")

    @property
    def pids(self) -> list[int]:
        """Return the worker processes."""
        return [worker.pid for worker in self.group.workers]

    def end(self) -> None:
        """Stop the group."""
        self.group.stop()


class Bench:
    """The processes and their measurements."""

    def __init__(self, options: Options, stage: Stage, place: Path, cluster: Cluster | None) -> None:
        self.options = options
        self.stage = stage
        self.place = place
        self.publications = (1, 1000) if options.quick else (1,) if options.tiny else (1, 10, 30, 50, 70, 100, 1000)
        self.cases = cases(cluster is not None, self.publications)
        #: Cases of a full run only, in a group of their own: an idle instance asks for messages once a second.
        self.more = [] if options.quick else more_sizes()
        if options.tiny:
            wanted = ("pass_1k", "pass_1k_p", "compute_complex_4k", "publish_1", "publish_1_p")
            self.cases = [case for case in self.cases if case.name in wanted]
            self.more = [case for case in self.more if case.name in ("compute_complex_16k", "route_1_64k_p")]
        self.database = (
            "" if cluster is None else f"host=127.0.0.1 port={cluster.port} user={cluster.user} dbname=bench"
        )
        self.role = Role("driver", Q_MGR, CHANNEL, f"127.0.0.1({stage.port})", self.publications, self.database)
        self.used: dict[tuple[str, str], float] = {}
        self._define()

    def _define(self) -> None:
        commands = [
            f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) MCAUSER('app') MAXMSGL(104857600)",
            f"SET CHLAUTH({CHANNEL}) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL)",
            "SET AUTHREC PROFILE('SYSTEM.BASE.TOPIC') OBJTYPE(TOPIC) PRINCIPAL('app') AUTHADD(ALLMQI)",
            "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(ALL)",
            "SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(ALL)",
            "SET AUTHREC PROFILE('SYSTEM.DEFAULT.MODEL.QUEUE') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(ALL)",
            "SET AUTHREC PROFILE('SYSTEM.DEFAULT.LOCAL.QUEUE') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(ALL)",
            "SET AUTHREC PROFILE('SYSTEM.ADMIN.COMMAND.QUEUE') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(ALL)",
        ]
        for case in [*self.cases, *self.more]:
            for prefix in ("", FLOOR, CAMEL):
                for queue in (case.source, case.target):
                    commands.append(f"DEFINE QLOCAL('{prefix}{queue}') MAXDEPTH(50000)")
                for number in range(case.subscribers):
                    commands += self._subscriber(case, prefix, number)
        self.stage.commands(*commands)

    def _subscriber(self, case: Case, prefix: str, number: int) -> list[str]:
        queue = f"{prefix}{case.target}" if not number else f"{prefix}{case.target}.{number}"
        topic = f"{TOPIC}{prefix}{case.name}"
        made = [] if not number else [f"DEFINE QLOCAL('{queue}') MAXDEPTH(50000)"]
        return [*made, f"DEFINE SUB('{queue}') TOPICSTR('{topic}') DEST('{queue}')"]

    def count(self, case: Case) -> int:
        """Return how many messages are measured at a time."""
        return max(2, int(case.share * self.options.scale(full=2000, quick=300, tiny=4)))

    def measure(self, who: str, pids: list[int], case: Case, prefix: str, driver: Child, worker: Child | None) -> None:
        """Measure one round: CPU microseconds per message."""
        count = self.count(case)
        work = Work(case.name, count, prefix).as_json()
        before = sum(cpu_of(pid) for pid in pids)
        moving = None if worker is None else threading.Thread(target=worker.ask, args=(work,))
        if moving is not None:
            moving.start()
        driver.ask(work)
        if moving is not None:
            moving.join()
        used = 1e6 * (sum(cpu_of(pid) for pid in pids) - before) / count
        key = who, case.name
        self.used[key] = min(used, self.used.get(key, used))


def run(options: Options) -> list[Figure]:
    """Measure all of it, in turns."""
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="flint-broker-")))
        wants_databases = programs() is not None and not options.tiny
        cluster = stack.enter_context(Cluster()) if wants_databases else None
        if cluster is None and not options.tiny:
            print("no figures of databases: PostgreSQL is not installed")
        if cluster is not None:
            cluster.create_database("bench")
            cluster.run("bench", "CREATE TABLE bench (id varchar(80) PRIMARY KEY, name varchar(80))")
            os.environ["PGPASSWORD"] = cluster.password
            stack.callback(os.environ.pop, "PGPASSWORD", None)
        stage = stack.enter_context(Stage())
        bench = Bench(options, stage, place, cluster)
        sources = {} if cluster is None else {"BENCH": {"url": cluster.url("bench"), "passwordVariable": "PGPASSWORD"}}
        write_application(place / "app", bench.cases)
        flows = [FlowAssignment("app", case.name) for case in bench.cases]
        broker = Broker(stage, place / "app", [flows], data_sources=sources)
        stack.callback(broker.end)
        url = "" if cluster is None else jdbc_url(cluster)
        peer = None if options.tiny else camel(stage, CHANNEL, CAMEL, url, bench.publications)
        if isinstance(peer, str):
            print(f"no figures of Camel: {peer}")
            peer = None
        figures = _costs(bench, bench.cases, broker, peer)
        if not options.tiny:
            figures += _system_calls(bench, broker)
        broker.end()
        if bench.more:
            figures += _more(bench)
        return figures + _parallel(bench)


def _more(bench: Bench) -> list[Figure]:
    """Measure the cases of a full run only."""
    place = bench.place / "more"
    write_application(place, bench.more)
    broker = Broker(bench.stage, place, [[FlowAssignment("more", case.name) for case in bench.more]], "more")
    try:
        return _costs(bench, bench.more, broker, None)
    finally:
        broker.end()


def jdbc_url(cluster: Cluster) -> str:
    """Return the URL by which a Java program connects to the database."""
    query = urlencode({"user": cluster.user, "password": cluster.password})
    return f"jdbc:postgresql://127.0.0.1:{cluster.port}/bench?{query}"


def _costs(bench: Bench, wanted: list[Case], broker: Broker, peer: Camel | None) -> list[Figure]:
    """Measure CPU time per message of cases that one group runs."""
    options, stage = bench.options, bench.stage
    rounds = options.scale(full=5, quick=2, tiny=1)
    driver = stage.child(ACTORS, bench.role.as_json())
    floor = stage.child(ACTORS, Role(**{**bench.role.__dict__, "role": "floor"}).as_json())
    progress = options.progress(NAME, len(wanted))
    with stage.console() as console:
        for number, case in enumerate(wanted):
            progress.at(number, case.name)
            if peer is not None and case.camel:
                peer.warm_up(driver, case)
            for turn in range(rounds + 1):
                bench.measure("broker", broker.pids, case, "", driver, None)
                bench.measure("floor", [floor.pid], case, FLOOR, driver, floor)
                if peer is not None and case.camel:
                    bench.measure("camel", [peer.pid], case, CAMEL, driver, None)
                if not turn:  # Connections, caches and code are warm now.
                    for who in ("broker", "floor", "camel"):
                        bench.used.pop((who, case.name), None)
                for each in range(1, case.subscribers):
                    for prefix in ("", FLOOR, CAMEL):
                        console.ask(f"CLEAR QLOCAL('{prefix}{case.target}.{each}')")
    progress.done()
    used = bench.used
    figures = [Figure(case.name, used["broker", case.name], "us", used["floor", case.name]) for case in wanted]
    return figures + [
        Figure(f"{name}_camel", used["broker", name], "us", value)
        for (who, name), value in used.items()
        if who == "camel" and peer is not None
    ]


def _system_calls(bench: Bench, broker: Broker) -> list[Figure]:
    """Count system calls per message."""
    driver, floor = bench.stage.children[-2:]
    figures = []
    for case in bench.cases:
        if case.name not in ("pass_1k", "pass_1k_p", "db_plain", "db_coordinated"):
            continue
        count = bench.count(case)
        counts: list[float] = []
        for pid, prefix, worker in ((broker.pids[0], "", None), (floor.pid, FLOOR, floor)):
            with SystemCalls(pid) as calls:
                bench.measure("traced", [pid], case, prefix, driver, worker)
            if calls.count is None:
                return []
            counts.append(calls.count / count)
        figures.append(Figure(f"{case.name}_calls", counts[0], "", counts[1]))
    return figures


def _parallel(bench: Bench) -> list[Figure]:
    """Measure one and two instances, copies and groups of the very complex flow."""
    options, stage = bench.options, bench.stage
    made = next(each for each in cases(False, ()) if each.name == "compute_very_complex_4k")
    count = options.scale(full=2000, quick=400, tiny=4)
    rounds = options.scale(full=5, quick=2, tiny=1)
    widths = (1, 2, 4) if not options.quick and not options.tiny else (1, 2)
    figures: list[Figure] = []
    with stage.console() as console:
        for way in ("instances",) if options.tiny else ("instances", "copies", "groups"):
            lanes = {width: Lane(bench, way, width, made) for width in widths}
            try:
                for lane in lanes.values():
                    lane.round(console, 2 * lane.width)
                for _ in range(rounds):
                    for lane in lanes.values():
                        lane.measure(console, count)
                for width in widths[1:]:
                    many, one = lanes[width], lanes[1]
                    figures.append(Figure(f"{way}_{width}", many.rate, "/s", one.rate))
                    figures.append(Figure(f"{way}_{width}_cpu", many.cpu, "us", one.cpu))
            finally:
                for lane in lanes.values():
                    lane.end()
    return figures


class Lane:
    """A number of instances, copies or groups of a flow, on a queue of their own."""

    def __init__(self, bench: Bench, way: str, width: int, case: Case) -> None:
        from dataclasses import replace

        self.width = width
        self._bench = bench
        name = f"{way}{width}"
        place = bench.place / name
        self.case = replace(case, name=name)
        copies = width if way == "copies" else 1
        write_application(place, [replace(self.case, name=f"{name}{chr(97 + copy)}") for copy in range(copies)])
        for file in place.glob("*.yaml"):  # All copies have the same queues.
            text = file.read_text()
            upper = file.name.partition(".")[0].upper()
            file.write_text(text.replace(f"{upper}.IN", self.case.source).replace(f"{upper}.OUT", self.case.target))
        bench.stage.commands(
            f"DEFINE QLOCAL('{self.case.source}') MAXDEPTH(50000)",
            f"DEFINE QLOCAL('{self.case.target}') MAXDEPTH(50000)",
        )
        flows = [FlowAssignment(name, f"{name}{chr(97 + copy)}") for copy in range(copies)]
        workers = [[each] for each in (flows if way == "copies" else flows * width)]
        groups = [[each] for each in workers] if way == "groups" else [workers]
        self.brokers = [Broker(bench.stage, place, placed, f"{name}{number}") for number, placed in enumerate(groups)]
        self.rate = 0.0
        self.cpu = float("inf")
        import flintmq

        self._qm = flintmq.connect(Q_MGR, channel=CHANNEL, conn=bench.role.conn)

    def round(self, console: object, count: int) -> tuple[float, float]:
        """Put `count` messages at once; return the seconds until all are done, and CPU seconds of the workers."""
        source, target = self._qm.queue(self.case.source), self._qm.queue(self.case.target)
        data = self.case.data.decode()
        pids = [pid for broker in self.brokers for pid in broker.pids]
        with self._qm.transaction():
            for _ in range(count):
                source.put(data)
            before = sum(cpu_of(pid) for pid in pids)
        began = time.perf_counter()
        while target.depth < count:
            time.sleep(0.005)
        seconds = time.perf_counter() - began
        used = sum(cpu_of(pid) for pid in pids) - before
        while target.get_many(1000):
            pass
        return seconds, used

    def measure(self, console: object, count: int) -> None:
        """Measure one round."""
        seconds, used = self.round(console, count)
        self.rate = max(self.rate, count / seconds)
        self.cpu = min(self.cpu, 1e6 * used / count)

    def end(self) -> None:
        """Stop its groups."""
        self._qm.close()
        for broker in self.brokers:
            broker.end()
